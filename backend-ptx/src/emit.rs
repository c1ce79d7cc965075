//! Putting ptx instructions at the end of a block, without making the same value twice.
//!
//! Instruction selection asks for values, not for instructions: constants are folded where address
//! arithmetic makes them, and an instruction without effects that is already there in this or a
//! dominating block is used again.

use gpuc_dialects::ptx::kinds::{Comparison, Part, PtxType, Rounding};
use gpuc_dialects::ptx::{self, CvtOp, MadOp, MulOp};
use gpuc_ir::op::Traits;
use gpuc_ir::{Attr, Block, Ir, Location, Op, OpBuild, OpView, Type, Value};
use smallvec::SmallVec;

use crate::available::Available;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Emitter<'a> {
    /// The graph.
    pub ir: &'a mut Ir,
    /// Location of the instructions to come.
    pub location: Location,
    block: Block,
    available: Available,
}

impl<'a> Emitter<'a> {
    /// Begins in `block`.
    pub fn new(ir: &'a mut Ir, block: Block) -> Self {
        Emitter { ir, location: Location::UNKNOWN, block, available: Available::default() }
    }

    /// The block that instructions go to.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Continues in another block.
    pub fn set_block(&mut self, block: Block) {
        self.block = block;
    }

    /// Says that `block` can only be reached through `dominator`.
    pub fn set_dominator(&mut self, block: Block, dominator: Block) {
        self.available.set_dominator(block, dominator);
    }

    /// A new block right behind the current one, dominated by it.
    pub fn new_block_behind(&mut self, arguments: &[Type]) -> Block {
        let block = self.ir.create_block(arguments, self.location);
        if let Some(region) = self.ir.block_region(self.block) {
            let at = self.ir.blocks(region).iter().position(|&b| b == self.block);
            self.ir.insert_block(region, at.map_or(0, |at| at + 1), block);
        }
        self.available.set_dominator(block, self.block);
        block
    }

    /// Appends an instruction; one without effects that is there already is given instead.
    pub fn insert(&mut self, build: OpBuild) -> Op {
        let mut builder = gpuc_ir::Builder::at_end(self.ir, self.block, self.location);
        let op = build.build(&mut builder);
        if !self.ir.has_trait(op, Traits::PURE) || self.ir.has_trait(op, Traits::TERMINATOR) {
            return op;
        }
        let key = (
            self.ir.op_name(op),
            self.ir.operands(op).collect(),
            self.ir.attrs(op),
            self.ir.result_types(op).collect(),
        );
        let known = self.available.find_or_add(self.block, key, op);
        if known != op {
            self.ir.erase_op(op);
        }
        known
    }

    /// Starts an instruction with operands that form one group.
    pub fn start<V: OpView>(&mut self, operands: &[Value]) -> OpBuild {
        OpBuild::new(self.ir, V::def()).operand_group(operands)
    }

    /// An instruction with one result and a type suffix.
    pub fn typed<V: OpView>(&mut self, ty: PtxType, operands: &[Value], result: Type) -> Value {
        self.value::<V>(ty, None, operands, result)
    }

    /// An arithmetic instruction on floats, which rounds to nearest even.
    pub fn rounded<V: OpView>(&mut self, ty: PtxType, operands: &[Value]) -> Value {
        let result = self.ir.ty(operands[0]);
        self.value::<V>(ty, Some(Rounding::Rn), operands, result)
    }

    /// An instruction with one result, a type suffix and perhaps a rounding modifier.
    pub fn value<V: OpView>(
        &mut self,
        ty: PtxType,
        rounding: Option<Rounding>,
        operands: &[Value],
        result: Type,
    ) -> Value {
        let ty = ty.attr(&mut self.ir.ctx);
        let rounding = rounding.map(|rounding| rounding.attr(&mut self.ir.ctx));
        let build = self.start::<V>(operands);
        let build = build.attr(self.ir, "ty", ty).attr_option(self.ir, "rounding", rounding);
        let op = self.insert(build.result(result));
        self.ir.result(op, 0)
    }

    /// A constant.
    pub fn constant(&mut self, value: Attr, ty: Type) -> Value {
        let build = self.start::<ptx::ConstOp>(&[]).attr(self.ir, "value", value);
        let op = self.insert(build.result(ty));
        self.ir.result(op, 0)
    }

    /// An integer constant of the register type.
    pub fn int(&mut self, value: i128, ty: Type) -> Value {
        let attr = self.ir.ctx.int_attr(value, ty);
        self.constant(attr, ty)
    }

    /// A constant of 32 bits.
    pub fn i32(&mut self, value: i64) -> Value {
        let ty = self.ir.ctx.i32();
        self.int(value.into(), ty)
    }

    /// A constant of 64 bits.
    pub fn i64(&mut self, value: i64) -> Value {
        let ty = self.ir.ctx.i64();
        self.int(value.into(), ty)
    }

    /// A predicate that is always true or false.
    pub fn bool(&mut self, value: bool) -> Value {
        let ty = self.ir.ctx.i1();
        self.int(value.into(), ty)
    }

    /// A floating-point constant of the register type.
    pub fn float(&mut self, value: f64, ty: Type) -> Value {
        let attr = self.ir.ctx.float_attr(value, ty);
        self.constant(attr, ty)
    }

    /// The integer that a value is known to be.
    pub fn known_int(&self, value: Value) -> Option<i64> {
        let op = self.ir.defining_op(value)?;
        let constant = ptx::ConstOp::cast(self.ir, op)?;
        constant.value(self.ir).and_then(|attr| self.ir.ctx.i64_value(attr))
    }

    /// Whether a register has 64 bits.
    pub fn is_wide(&self, value: Value) -> bool {
        self.ir.ctx.int_width(self.ir.ty(value)) == Some(64)
    }

    fn integer_type(&self, value: Value) -> PtxType {
        if self.is_wide(value) { PtxType::S64 } else { PtxType::S32 }
    }

    /// The sum of two integers of one type.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        let ty = self.ir.ty(a);
        match (self.known_int(a), self.known_int(b)) {
            (Some(a), Some(b)) => self.int(i128::from(a) + i128::from(b), ty),
            (_, Some(0)) => a,
            (Some(0), _) => b,
            (Some(_), None) => self.typed::<ptx::AddOp>(self.integer_type(a), &[b, a], ty),
            _ => self.typed::<ptx::AddOp>(self.integer_type(a), &[a, b], ty),
        }
    }

    /// The low half of the product of two integers of one type. Of 64-bit factors that are known to
    /// be extended from 32 bits, a wide product is made.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        let ty = self.ir.ty(a);
        let (a, b) = if self.known_int(a).is_some() { (b, a) } else { (a, b) };
        match (self.known_int(a), self.known_int(b)) {
            (Some(a), Some(b)) => return self.int(i128::from(a) * i128::from(b), ty),
            (_, Some(0)) => return b,
            (_, Some(1)) => return a,
            (_, Some(n)) if self.is_power_of_two(b) && self.extended(a).is_none() => {
                return self.shl(a, n.trailing_zeros());
            }
            _ => {}
        }
        if let Some((kind, factors)) = self.narrow_factors(a, b) {
            return self.product(kind, Part::Wide, &factors, ty);
        }
        self.product(self.integer_type(a), Part::Lo, &[a, b], ty)
    }

    fn is_power_of_two(&self, value: Value) -> bool {
        self.known_int(value).is_some_and(|n| n > 0 && n & (n - 1) == 0)
    }

    /// `mul.part.type`.
    pub fn product(&mut self, ty: PtxType, part: Part, factors: &[Value], result: Type) -> Value {
        let (ty, part) = (ty.attr(&mut self.ir.ctx), part.attr(&mut self.ir.ctx));
        let build = self.start::<MulOp>(factors).attr(self.ir, "ty", ty);
        let op = {
            let build = build.attr(self.ir, "part", part).result(result);
            self.insert(build)
        };
        self.ir.result(op, 0)
    }

    /// `a * b + addend`, all integers of one type.
    pub fn mul_add(&mut self, a: Value, b: Value, addend: Value) -> Value {
        let (a, b) = if self.known_int(a).is_some() { (b, a) } else { (a, b) };
        let zero = self.known_int(addend) == Some(0);
        if zero || self.known_int(a).is_some() || matches!(self.known_int(b), Some(0 | 1)) {
            let product = self.mul(a, b);
            return self.add(product, addend);
        }
        let result = self.ir.ty(addend);
        let (ty, part, factors) = match self.narrow_factors(a, b) {
            Some((ty, factors)) => (ty, Part::Wide, factors),
            // Of 64 bits a shift and a sum are two instructions (`LEA`), a product is three.
            None if self.is_wide(a) && self.is_power_of_two(b) => {
                let product = self.mul(a, b);
                return self.add(product, addend);
            }
            None => (self.integer_type(a), Part::Lo, [a, b]),
        };
        let (ty, part) = (ty.attr(&mut self.ir.ctx), part.attr(&mut self.ir.ctx));
        let build = self.start::<MadOp>(&[factors[0], factors[1], addend]);
        let build = build.attr(self.ir, "ty", ty).attr(self.ir, "part", part);
        let op = self.insert(build.result(result));
        self.ir.result(op, 0)
    }

    /// `value << amount`.
    pub fn shl(&mut self, value: Value, amount: u32) -> Value {
        let ty = self.ir.ty(value);
        if let Some(known) = self.known_int(value) {
            return self.int(i128::from(known) << amount.min(63), ty);
        }
        let kind = if self.is_wide(value) { PtxType::B64 } else { PtxType::B32 };
        let amount = self.i32(amount.into());
        self.typed::<ptx::ShlOp>(kind, &[value, amount], ty)
    }

    /// The 32-bit register that a 64-bit value is the extension of, and whether with the sign.
    pub fn extended(&self, value: Value) -> Option<(Value, bool)> {
        let cvt = CvtOp::cast(self.ir, self.ir.defining_op(value)?)?;
        let kind = |attr: Option<Attr>| attr.and_then(|attr| PtxType::of(&self.ir.ctx, attr));
        match (kind(cvt.to(self.ir))?, kind(cvt.from(self.ir))?) {
            (PtxType::S64, PtxType::S32) => Some((cvt.operand(self.ir), true)),
            (PtxType::U64, PtxType::U32) => Some((cvt.operand(self.ir), false)),
            _ => None,
        }
    }

    /// Factors of a wide product, where both are extended alike or one is a small constant.
    fn narrow_factors(&mut self, a: Value, b: Value) -> Option<(PtxType, [Value; 2])> {
        if !self.is_wide(a) {
            return None;
        }
        let (a, signed) = self.extended(a)?;
        let ty = if signed { PtxType::S32 } else { PtxType::U32 };
        let b = match (self.extended(b), self.known_int(b)) {
            (Some((b, same)), _) if same == signed => b,
            (None, Some(n)) if signed && i32::try_from(n).is_ok() => self.i32(n),
            (None, Some(n)) if !signed && u32::try_from(n).is_ok() => self.i32(n),
            _ => return None,
        };
        Some((ty, [a, b]))
    }

    /// A 32-bit register as 64 bits.
    pub fn extend(&mut self, value: Value, signed: bool) -> Value {
        let wide = self.ir.ctx.i64();
        if let Some(known) = self.known_int(value) {
            let known = if signed { known } else { i64::from(known as u32) };
            return self.int(known.into(), wide);
        }
        let (from, to) =
            if signed { (PtxType::S32, PtxType::S64) } else { (PtxType::U32, PtxType::U64) };
        self.convert(value, from, to, None, wide)
    }

    /// The low half of a 64-bit value. Sums and products that are used nowhere else with all their
    /// bits are computed in 32 bits from the start.
    pub fn low_half(&mut self, value: Value) -> Value {
        self.low_half_within(value, 6)
    }

    fn low_half_within(&mut self, value: Value, depth: u32) -> Value {
        if !self.is_wide(value) {
            return value;
        }
        if let Some(known) = self.known_int(value) {
            return self.i32(i64::from(known as i32));
        }
        if let Some((narrow, _)) = self.extended(value) {
            return narrow;
        }
        if depth > 0
            && let Some(op) = self.ir.defining_op(value)
        {
            let operands: SmallVec<[Value; 3]> = self.ir.operands(op).collect();
            let [is_add, is_sub, is_mul, is_mad] =
                [ptx::AddOp::is, ptx::SubOp::is, MulOp::is, MadOp::is].map(|is| is(self.ir, op));
            let arithmetic = is_add || is_sub || is_mul || is_mad;
            if arithmetic && !self.ir.ctx.is_float(self.ir.ty(value)) {
                let high = ["part"].iter().any(|n| {
                    self.ir.attr(op, n).and_then(|a| Part::of(&self.ir.ctx, a)) == Some(Part::Hi)
                });
                if !high {
                    let low: SmallVec<[Value; 3]> =
                        operands.iter().map(|&v| self.low_half_within(v, depth - 1)).collect();
                    return if is_add {
                        self.add(low[0], low[1])
                    } else if is_sub {
                        let ty = self.ir.ty(low[0]);
                        self.typed::<ptx::SubOp>(PtxType::S32, &low, ty)
                    } else if is_mul {
                        self.mul(low[0], low[1])
                    } else {
                        self.mul_add(low[0], low[1], low[2])
                    };
                }
            }
            if ptx::ShlOp::is(self.ir, op)
                && let Some(n @ 0..=31) = self.known_int(operands[1])
            {
                let low = self.low_half_within(operands[0], depth - 1);
                return self.shl(low, n as u32);
            }
        }
        let narrow = self.ir.ctx.i32();
        self.convert(value, PtxType::U64, PtxType::U32, None, narrow)
    }

    /// `cvt{.rounding}.to.from`.
    pub fn convert(
        &mut self,
        value: Value,
        from: PtxType,
        to: PtxType,
        rounding: Option<Rounding>,
        result: Type,
    ) -> Value {
        let (from, to) = (from.attr(&mut self.ir.ctx), to.attr(&mut self.ir.ctx));
        let rounding = rounding.map(|rounding| rounding.attr(&mut self.ir.ctx));
        let build = self.start::<CvtOp>(&[value]).attr(self.ir, "to", to);
        let build = build.attr(self.ir, "from", from).attr_option(self.ir, "rounding", rounding);
        let op = self.insert(build.result(result));
        self.ir.result(op, 0)
    }

    /// `mov.bN` between register classes.
    pub fn bitcast(&mut self, value: Value, to: Type) -> Value {
        if self.ir.ty(value) == to {
            return value;
        }
        let build = self.start::<ptx::BitcastOp>(&[value]).result(to);
        let op = self.insert(build);
        self.ir.result(op, 0)
    }

    /// `setp.cmp.type`.
    pub fn compare(&mut self, cmp: Comparison, ty: PtxType, a: Value, b: Value) -> Value {
        let (cmp, ty) = (cmp.attr(&mut self.ir.ctx), ty.attr(&mut self.ir.ctx));
        let predicate = self.ir.ctx.i1();
        let build = self.start::<ptx::SetpOp>(&[a, b]).attr(self.ir, "cmp", cmp);
        let build = build.attr(self.ir, "ty", ty).result(predicate);
        let op = self.insert(build);
        self.ir.result(op, 0)
    }

    /// `selp`: `a` where the predicate holds, else `b`; not for predicates.
    pub fn select(&mut self, predicate: Value, a: Value, b: Value) -> Value {
        let ty = self.ir.ty(a);
        let kind = match self.ir.ctx.float_kind(ty) {
            Some(float) if float.width() == 64 => PtxType::F64,
            Some(_) => PtxType::F32,
            None if self.is_wide(a) => PtxType::B64,
            None => PtxType::B32,
        };
        self.typed::<ptx::SelpOp>(kind, &[a, b, predicate], ty)
    }

    /// A predicate as the number 1 or 0.
    pub fn select_bit(&mut self, predicate: Value) -> Value {
        let (one, zero) = (self.i32(1), self.i32(0));
        self.select(predicate, one, zero)
    }

    /// Logic on predicates: `and`, `or`, `xor`.
    pub fn logic<V: OpView>(&mut self, a: Value, b: Value) -> Value {
        let ty = self.ir.ctx.i1();
        self.typed::<V>(PtxType::Pred, &[a, b], ty)
    }

    /// `bra target(arguments)`.
    pub fn branch(&mut self, target: Block, arguments: &[Value]) {
        let build = ptx::BraOp::new(self.ir, arguments).successor(target);
        self.insert(build);
    }

    /// `@predicate bra`.
    pub fn branch_if(
        &mut self,
        predicate: Value,
        (on_true, true_arguments): (Block, &[Value]),
        (on_false, false_arguments): (Block, &[Value]),
    ) {
        let build = ptx::CondBraOp::new(self.ir, predicate, true_arguments, false_arguments)
            .successor(on_true)
            .successor(on_false);
        self.insert(build);
    }
}
