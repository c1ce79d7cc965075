//! Arithmetic, logic, comparison and conversion (PTX ISA §9.7.1 to §9.7.6, §9.7.9).

use gpuc_ir::op::{Fold, attrs, types};
use gpuc_ir::{Attr, Ir, Op, op};

use super::REGISTER;
use super::kinds::{APPROXIMATION, COMPARISON, PART, PTX_TYPE, PtxType, ROUNDING};
use attrs::{TYPED, UNIT};
use types::same;

op! {
    /// A constant. Not an instruction: it is printed as an immediate operand of its users, or moved
    /// into a register where PTX takes none.
    ConstOp = "ptx.const" {
        results { result: One REGISTER }
        attrs { value: Required TYPED }
        traits PURE, CONSTANT_LIKE
        format "$value attr-dict"
        hooks {
            verify: Some(verify_const),
            fold: Some(|ir, op, _| match ir.attr(op, "value") {
                Some(value) => Fold::one(value),
                None => Fold::None,
            }),
            infer_results: Some(|ir, input| {
                let value = ir.ctx.dict_get_str(input.attrs, "value").ok_or("requires attribute 'value'")?;
                Ok(ir.ctx.attr_type(value).into_iter().collect())
            }),
        }
    }
}

fn verify_const(ir: &Ir, op: Op) -> Result<(), String> {
    let this = ConstOp(op);
    let ty = this.value(ir).and_then(|attr| ir.ctx.attr_type(attr));
    if ty.is_some_and(|ty| ty != ir.ty(this.result(ir))) {
        return Err("has a value of another type than its result".to_owned());
    }
    Ok(())
}

/// Checks that the instruction type has the width and class of the values it works on.
fn check_type(ir: &Ir, op: Op, values: &[gpuc_ir::Value]) -> Result<(), String> {
    let Some(ty) = ir.attr(op, "ty").and_then(|attr| PtxType::of(&ir.ctx, attr)) else {
        return Ok(());
    };
    for &value in values {
        let register = ir.ty(value);
        let width = super::register_width(ir, register);
        if width != ty.width() || (ty.is_float() && width >= 32) != ir.ctx.is_float(register) {
            return Err(format!(
                "works on {} but has a register of type '{}'",
                ty.keyword(),
                ir.ctx.type_text(register)
            ));
        }
    }
    Ok(())
}

fn check_all(ir: &Ir, op: Op) -> Result<(), String> {
    let values: Vec<_> = ir.operands(op).chain(ir.results(op).iter().copied()).collect();
    check_type(ir, op, &values)
}

macro_rules! binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*];)*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One REGISTER, rhs: One REGISTER }
                results { result: One REGISTER }
                attrs { ty: Required PTX_TYPE, rounding: Optional ROUNDING, ftz: Optional UNIT, sat: Optional UNIT }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$ty ($rounding^)? (`ftz` $ftz^)? (`sat` $sat^)? $lhs `,` $rhs attr-dict `:` type($result)"
                hooks { verify: Some(check_all) }
            }
        }
    )*};
}

binary! {
    /// `add{.rnd}{.ftz}{.sat}.type d, a, b;`
    AddOp = "ptx.add" [COMMUTATIVE];
    /// `sub{.rnd}{.ftz}{.sat}.type d, a, b;`
    SubOp = "ptx.sub" [];
    /// `div{.rnd}.type d, a, b;` An integer division by zero gives an unspecified value; it does
    /// not trap.
    DivOp = "ptx.div" [];
    /// `rem.type d, a, b;`
    RemOp = "ptx.rem" [];
    /// `min.type d, a, b;` Of floats: the number where one operand is NaN.
    MinOp = "ptx.min" [COMMUTATIVE];
    /// `max.type d, a, b;` Of floats: the number where one operand is NaN.
    MaxOp = "ptx.max" [COMMUTATIVE];
    /// `and.type d, a, b;`
    AndOp = "ptx.and" [COMMUTATIVE];
    /// `or.type d, a, b;`
    OrOp = "ptx.or" [COMMUTATIVE];
    /// `xor.type d, a, b;`
    XorOp = "ptx.xor" [COMMUTATIVE];
    /// `copysign.type d, a, b;`: the magnitude of `b` with the sign of `a`.
    CopysignOp = "ptx.copysign" [];
}

macro_rules! unary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal;)*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { operand: One REGISTER }
                results { result: One REGISTER }
                attrs { ty: Required PTX_TYPE, rounding: Optional ROUNDING, ftz: Optional UNIT }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
                format "$ty ($rounding^)? (`ftz` $ftz^)? $operand attr-dict `:` type($result)"
                hooks { verify: Some(check_all) }
            }
        }
    )*};
}

unary! {
    /// `neg.type d, a;`
    NegOp = "ptx.neg";
    /// `abs.type d, a;`
    AbsOp = "ptx.abs";
    /// `not.type d, a;`
    NotOp = "ptx.not";
    /// `sqrt.rn.type d, a;`
    SqrtOp = "ptx.sqrt";
    /// `rcp.rn.type d, a;`
    RcpOp = "ptx.rcp";
    /// `brev.type d, a;`
    BrevOp = "ptx.brev";
}

op! {
    /// `ex2.approx.f32 d, a;` and the other instructions that approximate, with the errors that the
    /// PTX ISA states.
    ApproxOp = "ptx.approx" {
        operands { operand: One REGISTER }
        results { result: One REGISTER }
        attrs { function: Required APPROXIMATION, ty: Required PTX_TYPE, ftz: Optional UNIT }
        traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
        format "$function $ty (`ftz` $ftz^)? $operand attr-dict `:` type($result)"
        hooks { verify: Some(check_all) }
    }
}

op! {
    /// `mul{.lo,.hi,.wide}.type d, a, b;` for integers, `mul{.rnd}{.ftz}{.sat}.type` for floats. A
    /// wide product has twice the bits of its factors.
    MulOp = "ptx.mul" {
        operands { lhs: One REGISTER, rhs: One REGISTER }
        results { result: One REGISTER }
        attrs { ty: Required PTX_TYPE, part: Optional PART, rounding: Optional ROUNDING, ftz: Optional UNIT, sat: Optional UNIT }
        traits PURE, COMMUTATIVE, SAME_TYPE_OPERANDS
        format "$ty ($part^)? ($rounding^)? (`ftz` $ftz^)? (`sat` $sat^)? $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
        hooks { verify: Some(|ir, op| {
            let this = MulOp(op);
            check_type(ir, op, &[this.lhs(ir), this.rhs(ir)])
        }) }
    }
}

op! {
    /// `mad{.lo,.hi,.wide}.type d, a, b, c;`: a product plus `c`.
    MadOp = "ptx.mad" {
        operands { lhs: One REGISTER, rhs: One REGISTER, addend: One REGISTER }
        results { result: One REGISTER }
        attrs { ty: Required PTX_TYPE, part: Required PART }
        traits PURE
        types { rhs = same(lhs) "factors have one type", result = same(addend) "result has the type of the addend" }
        format "$ty $part $lhs `,` $rhs `,` $addend attr-dict `:` type($lhs) `,` type($addend)"
        hooks { verify: Some(|ir, op| {
            let this = MadOp(op);
            check_type(ir, op, &[this.lhs(ir), this.rhs(ir)])
        }) }
    }
}

op! {
    /// `fma.rnd{.ftz}{.sat}.type d, a, b, c;`: rounded once.
    FmaOp = "ptx.fma" {
        operands { lhs: One REGISTER, rhs: One REGISTER, addend: One REGISTER }
        results { result: One REGISTER }
        attrs { ty: Required PTX_TYPE, rounding: Required ROUNDING, ftz: Optional UNIT, sat: Optional UNIT }
        traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
        format "$ty $rounding (`ftz` $ftz^)? (`sat` $sat^)? $lhs `,` $rhs `,` $addend attr-dict `:` type($result)"
        hooks { verify: Some(check_all) }
    }
}

macro_rules! shift {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal;)*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { operand: One REGISTER, amount: One types::I32 }
                results { result: One REGISTER }
                attrs { ty: Required PTX_TYPE }
                traits PURE
                types { result = same(operand) "result has the type of the operand" }
                format "$ty $operand `,` $amount attr-dict `:` type($result)"
            }
        }
    )*};
}

shift! {
    /// `shl.type d, a, b;` Amounts beyond the width give 0.
    ShlOp = "ptx.shl";
    /// `shr.type d, a, b;` Amounts beyond the width give 0 or copies of the sign.
    ShrOp = "ptx.shr";
}

macro_rules! count {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal;)*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { operand: One REGISTER }
                results { result: One types::I32 }
                attrs { ty: Required PTX_TYPE }
                traits PURE
                format "$ty $operand attr-dict `:` type($operand)"
            }
        }
    )*};
}

count! {
    /// `popc.type d, a;`
    PopcOp = "ptx.popc";
    /// `clz.type d, a;`
    ClzOp = "ptx.clz";
}

op! {
    /// `setp.cmp{.ftz}.type p, a, b;`
    SetpOp = "ptx.setp" {
        operands { lhs: One REGISTER, rhs: One REGISTER }
        results { result: One types::I1 }
        attrs { cmp: Required COMPARISON, ty: Required PTX_TYPE, ftz: Optional UNIT }
        traits PURE, SAME_TYPE_OPERANDS
        format "$cmp $ty (`ftz` $ftz^)? $lhs `,` $rhs attr-dict `:` type($lhs)"
        hooks { verify: Some(|ir, op| {
            let this = SetpOp(op);
            check_type(ir, op, &[this.lhs(ir), this.rhs(ir)])
        }) }
    }
}

op! {
    /// `selp.type d, a, b, p;`: `a` where `p` holds.
    SelpOp = "ptx.selp" {
        operands { on_true: One REGISTER, on_false: One REGISTER, predicate: One types::I1 }
        results { result: One REGISTER }
        attrs { ty: Required PTX_TYPE }
        traits PURE
        types {
            on_false = same(on_true) "both choices have one type",
            result = same(on_true) "result has the type of the choices",
        }
        format "$ty $on_true `,` $on_false `,` $predicate attr-dict `:` type($result)"
    }
}

op! {
    /// `cvt{.rnd}{.ftz}{.sat}.to.from d, a;` Types narrower than their registers live in the low
    /// bits; the upper ones are ignored in the source and extended in the result.
    CvtOp = "ptx.cvt" {
        operands { operand: One REGISTER }
        results { result: One REGISTER }
        attrs { to: Required PTX_TYPE, from: Required PTX_TYPE, rounding: Optional ROUNDING, ftz: Optional UNIT, sat: Optional UNIT }
        traits PURE
        format "($rounding^)? (`ftz` $ftz^)? (`sat` $sat^)? $operand `:` $from type($operand) `->` $to type($result) attr-dict"
        hooks { verify: Some(verify_cvt) }
    }
}

fn verify_cvt(ir: &Ir, op: Op) -> Result<(), String> {
    let this = CvtOp(op);
    let sides = [(this.from(ir), this.operand(ir)), (this.to(ir), this.result(ir))];
    for (attr, value) in sides {
        let Some(ty) = attr.and_then(|attr: Attr| PtxType::of(&ir.ctx, attr)) else { continue };
        if super::register_width(ir, ir.ty(value)) < ty.width() {
            return Err(format!("has a register too narrow for {}", ty.keyword()));
        }
    }
    Ok(())
}

op! {
    /// `mov.bN d, a;` between register classes of the same width.
    BitcastOp = "ptx.bitcast" {
        operands { operand: One REGISTER }
        results { result: One REGISTER }
        traits PURE
        format "$operand attr-dict `:` type($operand) `->` type($result)"
        hooks { verify: Some(|ir, op| {
            let this = BitcastOp(op);
            let widths = [this.operand(ir), this.result(ir)].map(|v| super::register_width(ir, ir.ty(v)));
            if widths[0] == widths[1] { Ok(()) } else { Err("changes the width".to_owned()) }
        }) }
    }
}

op! {
    /// `mov.b64 {lo, hi}, a;`: the halves of a register.
    UnpackOp = "ptx.unpack" {
        operands { operand: One REGISTER }
        results { low: One REGISTER, high: One REGISTER }
        traits PURE
        format "$operand attr-dict `:` type($operand) `->` type($low) `,` type($high)"
    }
}

op! {
    /// `mov.b64 d, {lo, hi};`: a register from its halves.
    PackOp = "ptx.pack" {
        operands { low: One REGISTER, high: One REGISTER }
        results { result: One REGISTER }
        traits PURE, SAME_TYPE_OPERANDS
        format "$low `,` $high attr-dict `:` type($low) `->` type($result)"
    }
}
