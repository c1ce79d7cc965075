//! Operators of reductions: identity and combination by type.

use gpuc_dialects::memref::AtomicRMWOp;
use gpuc_dialects::offload::ReductionKind;
use gpuc_dialects::{arith, scf};
use gpuc_ir::{Builder, Context, Ir, Op, OpView, Region, Type, Value};
use smallvec::SmallVec;

/// An operator of a reduction, of any directive family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// `+`.
    Add,
    /// `*`.
    Mul,
    /// `max`.
    Max,
    /// `min`.
    Min,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `&&`.
    LogicalAnd,
    /// `||`.
    LogicalOr,
}

use Reduction::{Add, And, LogicalAnd, LogicalOr, Max, Min, Mul, Or, Xor};

impl From<ReductionKind> for Reduction {
    fn from(kind: ReductionKind) -> Reduction {
        match kind {
            ReductionKind::Add => Add,
            ReductionKind::Mul => Mul,
            ReductionKind::Max => Max,
            ReductionKind::Min => Min,
            ReductionKind::And => And,
            ReductionKind::Or => Or,
            ReductionKind::Xor => Xor,
            ReductionKind::LogicalAnd => LogicalAnd,
            ReductionKind::LogicalOr => LogicalOr,
        }
    }
}

impl Reduction {
    /// The value that changes nothing. `unsigned` tells how integers are compared.
    pub fn identity(self, b: &mut Builder<'_>, ty: Type, unsigned: bool) -> Value {
        if b.ctx.is_float(ty) {
            return arith::constant_float(b, self.float_identity(), ty);
        }
        let width = b.ctx.int_or_index_width(ty).unwrap_or(32).min(64);
        arith::constant_int(b, self.integer_identity(width, unsigned), ty)
    }

    /// `a` and `c` combined.
    pub fn combine(self, b: &mut Builder<'_>, a: Value, c: Value, unsigned: bool) -> Value {
        let ty = b.ty(a);
        if b.ctx.is_float(ty) {
            return match self {
                Mul => arith::MulFOp::new(b, a, c).value(b),
                // The number where one side is not a number, as C's fmax and fmin.
                Max => arith::MaxNumFOp::new(b, a, c).value(b),
                Min => arith::MinNumFOp::new(b, a, c).value(b),
                LogicalAnd | LogicalOr => logical(b, self, a, c),
                _ => {
                    // A product that may be rounded together with a sum says so itself.
                    let contract = arith::FastMath::CONTRACT.attr(&mut b.ctx);
                    arith::AddFOp::new(b, a, c).attr(b, "fastmath", contract).value(b)
                }
            };
        }
        match self {
            Add => arith::AddIOp::new(b, a, c).value(b),
            Mul => arith::MulIOp::new(b, a, c).value(b),
            Max if unsigned => arith::MaxUIOp::new(b, a, c).value(b),
            Max => arith::MaxSIOp::new(b, a, c).value(b),
            Min if unsigned => arith::MinUIOp::new(b, a, c).value(b),
            Min => arith::MinSIOp::new(b, a, c).value(b),
            And => arith::AndIOp::new(b, a, c).value(b),
            Or => arith::OrIOp::new(b, a, c).value(b),
            Xor => arith::XOrIOp::new(b, a, c).value(b),
            LogicalAnd | LogicalOr => logical(b, self, a, c),
        }
    }
}

/// How a loop with many iterations does it.
///
/// `&&` and `||` are known to no combiner of upstream's dialects, and leave 0 or 1 even where the variable
/// held something else: iterations contribute 0 or 1, of which the least or the greatest decides; the
/// identity of that says that there was no iteration.
impl Reduction {
    /// What the loop combines in place of values of type `ty`: the operator, the type, and whether it
    /// compares as unsigned.
    pub fn carrier(self, ctx: &mut Context, ty: Type, unsigned: bool) -> (Reduction, Type, bool) {
        match self {
            LogicalAnd => (Min, ctx.i32(), false),
            LogicalOr => (Max, ctx.i32(), false),
            _ => (self, ty, unsigned),
        }
    }

    /// What an iteration contributes that leaves `value` in its private variable.
    pub fn contribution(self, b: &mut Builder<'_>, value: Value) -> Value {
        match self {
            LogicalAnd | LogicalOr => {
                let (i32, holds) = (b.ctx.i32(), is_not_zero(b, value));
                arith::ExtUIOp::new(b, holds).result(i32).value(b)
            }
            _ => value,
        }
    }

    /// What the variable holds behind the loop: `before` combined with what the loop leaves.
    pub fn join(self, b: &mut Builder<'_>, before: Value, part: Value, unsigned: bool) -> Value {
        if !matches!(self, LogicalAnd | LogicalOr) {
            return self.combine(b, before, part, unsigned);
        }
        let (ty, carried) = (b.ty(before), b.ty(part));
        let (carrier, ..) = self.carrier(&mut b.ctx, ty, unsigned);
        let none = carrier.identity(b, carried, false);
        let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
        let empty = arith::CmpIOp::new(b, part, none).attr(b, "predicate", eq).value(b);
        let [x, y] = [before, part].map(|value| is_not_zero(b, value));
        let both = self.of_truths(b, x, y);
        let new = truth_as(b, both, ty);
        arith::SelectOp::new(b, empty, before, new).value(b)
    }

    fn of_truths(self, b: &mut Builder<'_>, x: Value, y: Value) -> Value {
        match self {
            LogicalAnd => arith::AndIOp::new(b, x, y).value(b),
            _ => arith::OrIOp::new(b, x, y).value(b),
        }
    }
}

/// Queries.
impl Reduction {
    /// The operator of an operation that combines its two operands, and whether it compares them
    /// as unsigned.
    pub fn of_op(ir: &Ir, op: Op) -> Option<(Reduction, bool)> {
        Some(match ir.name(op) {
            arith::AddFOp::NAME | arith::AddIOp::NAME => (Add, false),
            arith::MulFOp::NAME | arith::MulIOp::NAME => (Mul, false),
            arith::MaxNumFOp::NAME | arith::MaxSIOp::NAME => (Max, false),
            arith::MinNumFOp::NAME | arith::MinSIOp::NAME => (Min, false),
            arith::MaxUIOp::NAME => (Max, true),
            arith::MinUIOp::NAME => (Min, true),
            arith::AndIOp::NAME => (And, false),
            arith::OrIOp::NAME => (Or, false),
            arith::XOrIOp::NAME => (Xor, false),
            _ => return None,
        })
    }

    /// The operator of an operation that combines something into one of its first operands, whether
    /// it compares as unsigned, and how many of them that may be: a difference adds to the left one.
    pub fn of_update(ir: &Ir, op: Op) -> Option<(Reduction, bool, usize)> {
        if arith::SubFOp::is(ir, op) || arith::SubIOp::is(ir, op) {
            return Some((Add, false, 1));
        }
        let (kind, unsigned) = Reduction::of_op(ir, op)?;
        Some((kind, unsigned, 2))
    }

    /// The operator that makes `value` out of something that `start` knows and of others, alone or again and again; with the
    /// operation that it goes into, and whether that compares as unsigned. Only values that are `own` are looked behind.
    pub fn chain<T>(
        ir: &Ir,
        value: Value,
        own: impl Fn(Value) -> bool,
        start: impl Fn(Value) -> Option<T>,
    ) -> Option<(T, Op, Reduction, bool)> {
        let update = |value: Value| {
            let op = ir.defining_op(value)?;
            Some((op, Reduction::of_update(ir, op)?))
        };
        let (_, (kind, unsigned, _)) = update(value)?;
        let mut at = value;
        loop {
            let (op, (_, _, places)) = update(at).filter(|_| own(at))?;
            let parts: SmallVec<[Value; 2]> = ir.operands(op).take(places).collect();
            if let Some(found) = parts.iter().find_map(|&part| start(part)) {
                return Some((found, op, kind, unsigned));
            }
            let same = |(_, (other, sign, _)): (Op, (Reduction, bool, usize))| {
                (other, sign) == (kind, unsigned)
            };
            at = parts.into_iter().find(|&part| update(part).is_some_and(same))?;
        }
    }

    /// The operator of a combiner of `scf.reduce` that is one operation on its two arguments.
    pub fn of_combiner(ir: &Ir, combiner: Region) -> Option<(Reduction, bool)> {
        let block = ir.entry_block(combiner)?;
        let op = ir.first_op(block)?;
        let end = scf::ReduceReturnOp::cast(ir, ir.next_op(op)?)?;
        let operands: Vec<Value> = ir.operands(op).collect();
        let arguments = ir.arguments(block);
        let swapped = operands.iter().rev().eq(arguments);
        let plain =
            (operands[..] == *arguments || swapped) && ir.results(op) == [ir.operand(end.op(), 0)];
        plain.then(|| Reduction::of_op(ir, op))?
    }

    /// Whether `value` is the constant that changes nothing.
    pub fn is_identity(self, ir: &Ir, value: Value, unsigned: bool) -> bool {
        let ty = ir.ty(value);
        match (arith::constant_int_value(ir, value), arith::constant_float_value(ir, value)) {
            (Some(number), _) => {
                let width = ir.ctx.int_or_index_width(ty).unwrap_or(64).min(64);
                // Constants may be held as either of the two readings of their bits.
                let wrap = |number: i128| number.rem_euclid(1 << width);
                wrap(number) == wrap(self.integer_identity(width, unsigned))
            }
            (_, Some(number)) => number == self.float_identity(),
            _ => false,
        }
    }

    /// Number of the operator in [`gpuc_dialects::memref::ATOMIC_RMW_KINDS`], if it is there.
    pub fn atomic_kind(self, ctx: &Context, ty: Type, unsigned: bool) -> Option<i64> {
        let name = match (self, ctx.is_float(ty), unsigned) {
            (Add, true, _) => "addf",
            (Add, false, _) => "addi",
            (Mul, true, _) => "mulf",
            (Mul, false, _) => "muli",
            (Max, true, _) => "maxnumf",
            (Max, false, false) => "maxs",
            (Max, false, true) => "maxu",
            (Min, true, _) => "minnumf",
            (Min, false, false) => "mins",
            (Min, false, true) => "minu",
            (And, false, _) => "andi",
            (Or, false, _) => "ori",
            _ => return None,
        };
        gpuc_dialects::memref::ATOMIC_RMW_KINDS.parse(name)
    }

    /// The operator of a number in [`gpuc_dialects::memref::ATOMIC_RMW_KINDS`], and whether it
    /// compares as unsigned; `None` for those whose treatment of NaNs is another.
    pub fn from_atomic_kind(number: i64) -> Option<(Reduction, bool)> {
        Some(match &*gpuc_dialects::memref::ATOMIC_RMW_KINDS.keywords(number) {
            "addf" | "addi" => (Add, false),
            "mulf" | "muli" => (Mul, false),
            "maxnumf" | "maxs" => (Max, false),
            "maxu" => (Max, true),
            "minnumf" | "mins" => (Min, false),
            "minu" => (Min, true),
            "andi" => (And, false),
            "ori" => (Or, false),
            _ => return None,
        })
    }

    /// By what an atomic update combines, and whether integers are compared as unsigned.
    pub fn of_atomic(ir: &Ir, op: Op) -> Option<(Reduction, bool)> {
        let update = AtomicRMWOp::cast(ir, op)?;
        let number = ir.ctx.int_value(ir.attr(update.op(), "kind")?)?;
        Reduction::from_atomic_kind(i64::try_from(number).ok()?)
    }

    /// Whether the order in which numbers with fractions are combined shows in the result.
    pub fn rounds(self) -> bool {
        matches!(self, Add | Mul)
    }

    /// As a `reduction` clause writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Add => "+",
            Mul => "*",
            Max => "max",
            Min => "min",
            And => "&",
            Or => "|",
            Xor => "^",
            LogicalAnd => "&&",
            LogicalOr => "||",
        }
    }

    fn float_identity(self) -> f64 {
        match self {
            Mul | LogicalAnd => 1.0,
            Max => f64::NEG_INFINITY,
            Min => f64::INFINITY,
            // `x + 0.0` is not `x` where `x` is -0.0.
            Add => -0.0,
            _ => 0.0,
        }
    }

    fn integer_identity(self, width: u32, unsigned: bool) -> i128 {
        match self {
            Mul | LogicalAnd => 1,
            And => -1,
            Max if !unsigned => -(1 << (width - 1)),
            Min if !unsigned => (1 << (width - 1)) - 1,
            Min => -1,
            _ => 0,
        }
    }
}

/// `a && c` or `a || c` as 0 or 1 of their type.
fn logical(b: &mut Builder<'_>, kind: Reduction, a: Value, c: Value) -> Value {
    let ty = b.ty(a);
    let [x, y] = [a, c].map(|value| is_not_zero(b, value));
    let both = kind.of_truths(b, x, y);
    truth_as(b, both, ty)
}

/// `value != 0`, which holds for what is not a number.
fn is_not_zero(b: &mut Builder<'_>, value: Value) -> Value {
    let ty = b.ty(value);
    if b.ctx.is_float(ty) {
        let zero = arith::constant_float(b, 0.0, ty);
        let une = arith::CmpFPredicate::Une.attr(&mut b.ctx);
        return arith::CmpFOp::new(b, value, zero).attr(b, "predicate", une).value(b);
    }
    if b.ctx.int_width(ty) == Some(1) {
        return value;
    }
    let zero = arith::constant_int(b, 0, ty);
    let ne = arith::CmpIPredicate::Ne.attr(&mut b.ctx);
    arith::CmpIOp::new(b, value, zero).attr(b, "predicate", ne).value(b)
}

/// A truth value as 0 or 1 of a type.
fn truth_as(b: &mut Builder<'_>, truth: Value, ty: Type) -> Value {
    if b.ctx.is_float(ty) {
        return arith::UIToFPOp::new(b, truth).result(ty).value(b);
    }
    if b.ty(truth) == ty {
        return truth;
    }
    arith::ExtUIOp::new(b, truth).result(ty).value(b)
}
