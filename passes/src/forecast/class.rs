//! The instructions that an operation becomes.

use gpuc_arch::OpClass;
use gpuc_dialects::arith;
use gpuc_ir::{FloatKind, Ir, Op, OpView, Type};

/// Width of what an operation computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Half,
    Single,
    Double,
}

impl Width {
    fn of(ir: &Ir, ty: Type) -> Width {
        let element = ir.ctx.element_or_self(ty);
        match ir.ctx.float_kind(element) {
            Some(FloatKind::F16 | FloatKind::BF16) => Width::Half,
            Some(FloatKind::F64) => Width::Double,
            Some(_) => Width::Single,
            None if ir.ctx.int_width(element).is_none_or(|bits| bits > 32) => Width::Double,
            None => Width::Single,
        }
    }

    /// The class of this width.
    fn choose(self, half: OpClass, single: OpClass, double: OpClass) -> OpClass {
        match self {
            Width::Half => half,
            Width::Single => single,
            Width::Double => double,
        }
    }
}

/// Registers of 32 bits that a value of a type takes.
pub fn words(ir: &Ir, ty: Type) -> u32 {
    let elements = match ir.ctx.is_vector(ty) {
        true => ir.ctx.shape(ty).map_or(1, |shape| shape.iter().product::<i64>()),
        false => 1,
    };
    let element = ir.ctx.element_or_self(ty);
    let double = ir.ctx.is_index(element) || Width::of(ir, element) == Width::Double;
    elements.clamp(1, 64) as u32 * if double { 2 } else { 1 }
}

/// Whether an operation is but another name for its operands, or found when compiling.
pub fn is_free(ir: &Ir, op: Op) -> bool {
    let name = ir.name(op);
    let on_indices = ir.results(op).iter().any(|&result| ir.ctx.is_index(ir.ty(result)));
    match name.split_once('.') {
        Some(("vector", "extract" | "insert" | "broadcast" | "from_elements")) => true,
        Some(("arith", "constant" | "index_cast" | "index_castui" | "bitcast")) => true,
        Some(("arith", "divsi" | "divui" | "remsi" | "remui" | "floordivsi" | "ceildivsi")) => {
            false
        }
        Some(("memref", "load" | "store" | "atomic_rmw")) => false,
        Some(("memref" | "affine" | "ptr" | "gpu" | "builtin" | "ub", _)) => true,
        _ => on_indices,
    }
}

/// Classes of an operation that computes, with how many instructions of each; none for what costs nothing.
pub fn of(ir: &Ir, op: Op) -> Vec<(OpClass, f64)> {
    use OpClass::*;
    let Some(&result) = ir.results(op).first() else { return Vec::new() };
    let operand = if ir.operand_count(op) > 0 { ir.operand(op, 0) } else { result };
    let lanes = match ir.ctx.is_vector(ir.ty(result)) {
        true => ir.ctx.shape(ir.ty(result)).map_or(1, |shape| shape.iter().product::<i64>()) as f64,
        false => 1.0,
    };
    let out = Width::of(ir, ir.ty(result));
    let own = Width::of(ir, ir.ty(operand));
    let int = |single, double| own.choose(single, single, double);
    let one = |class| vec![(class, lanes)];
    let Some((dialect, name)) = ir.name(op).split_once('.') else { return Vec::new() };
    if dialect == "math" {
        return match name {
            "fma" => one(out.choose(FloatFma16, FloatFma32, FloatFma64)),
            "sqrt" => one(out.choose(FloatSqrt32, FloatSqrt32, FloatSqrt64)),
            "absf" | "copysign" => one(Logic32),
            "absi" => one(IntMinMax32),
            "rsqrt" | "exp2" if out != Width::Double => one(Special),
            // A table of the special unit, and a polynomial round it.
            _ => match out {
                Width::Double => vec![(FloatFma64, 16.0 * lanes), (IntAdd32, 10.0 * lanes)],
                _ => vec![(Special, lanes), (FloatFma32, 10.0 * lanes), (IntAdd32, 4.0 * lanes)],
            },
        };
    }
    if dialect != "arith" && dialect != "index" && dialect != "complex" {
        return if dialect == "func" { vec![(IntAdd32, 20.0)] } else { Vec::new() };
    }
    one(match name {
        "addf" | "subf" => out.choose(FloatAdd16, FloatAdd32, FloatAdd64),
        "mulf" => out.choose(FloatMul16, FloatMul32, FloatMul64),
        "negf" => Logic32,
        "divf" => out.choose(FloatDiv32, FloatDiv32, FloatDiv64),
        "maximumf" | "minimumf" | "maxnumf" | "minnumf" => {
            out.choose(FloatMinMax32, FloatMinMax32, FloatMinMax64)
        }
        "cmpf" => own.choose(FloatCompare32, FloatCompare32, FloatCompare64),
        "cmpi" => int(IntCompare32, IntCompare64),
        "select" => out.choose(Select32, Select32, Select64),
        "muli" => int(IntMul32, IntMul64),
        "divsi" | "divui" | "floordivsi" | "ceildivsi" => int(IntDiv32, IntDiv64),
        "remsi" | "remui" => int(IntRem32, IntRem64),
        "shli" | "shrsi" | "shrui" => int(Shift32, Shift64),
        "andi" | "ori" | "xori" => int(Logic32, Logic64),
        "maxsi" | "minsi" | "maxui" | "minui" => int(IntMinMax32, IntMinMax64),
        "extsi" | "extui" | "trunci" => Extend,
        "extf" | "truncf" | "sitofp" | "uitofp" | "fptosi" | "fptoui" => {
            if own == Width::Double || out == Width::Double { Convert64 } else { Convert32 }
        }
        _ => int(IntAdd32, IntAdd64),
    })
}

/// The product that a sum takes in as one fused operation.
pub fn fused(ir: &Ir, op: Op) -> Option<Op> {
    if !(arith::AddFOp::is(ir, op) || arith::SubFOp::is(ir, op)) {
        return None;
    }
    ir.operands(op).find_map(|value| {
        let product = ir.defining_op(value).filter(|&product| arith::MulFOp::is(ir, product))?;
        (ir.has_one_use(value) && ir.parent_block(product) == ir.parent_block(op))
            .then_some(product)
    })
}

/// The fused operation of a sum's type.
pub fn fma(ir: &Ir, sum: Op) -> OpClass {
    let out = Width::of(ir, ir.ty(ir.result(sum, 0)));
    out.choose(OpClass::FloatFma16, OpClass::FloatFma32, OpClass::FloatFma64)
}
