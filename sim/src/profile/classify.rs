//! What PTX instructions become on the device: their class in the table of costs, and the names under
//! which Nsight Compute counts them.

use std::collections::HashMap;

use gpuc_arch::OpClass;

use crate::program::{
    AccessShape, BitOp, CarryOp, Class, Code, Compare, Convert, FloatBinary, FloatType, FloatUnary,
    Inst, IntBinary, IntTernary, IntType, IntUnary, MemorySpace, Op,
};

use super::registers::{Register, uses};
use super::unroll::unrolled;

fn is_64(ty: IntType) -> bool {
    matches!(ty, IntType::U64 | IntType::S64)
}

/// The class by the width of an integer.
fn by_width(ty: IntType, narrow: OpClass, wide: OpClass) -> OpClass {
    if is_64(ty) { wide } else { narrow }
}

/// The class by the type of a float: half, single, double.
fn by_float(ty: FloatType, half: OpClass, single: OpClass, double: OpClass) -> OpClass {
    match ty {
        FloatType::F16 | FloatType::Bf16 | FloatType::F16x2 | FloatType::Bf16x2 => half,
        FloatType::F32 | FloatType::F32x2 => single,
        FloatType::F64 => double,
    }
}

fn of_load(access: AccessShape) -> Option<OpClass> {
    match access.space {
        // Parameters are operands from the constant bank.
        MemorySpace::Param => None,
        MemorySpace::Shared => Some(OpClass::LoadShared),
        _ => Some(OpClass::LoadGlobal),
    }
}

fn of_convert(convert: &Convert) -> OpClass {
    let float = convert.from.is_float() || convert.to.is_float();
    match (float, convert.wide) {
        (true, [false, false]) if convert.to.is_float() => OpClass::Convert32,
        (true, [false, false]) => OpClass::FloatToInt32,
        (true, _) => OpClass::Convert64,
        (false, _) => OpClass::Extend,
    }
}

fn of_float_binary(op: FloatBinary, ty: FloatType) -> OpClass {
    use OpClass::*;
    match op {
        FloatBinary::Add | FloatBinary::Sub => by_float(ty, FloatAdd16, FloatAdd32, FloatAdd64),
        FloatBinary::Mul => by_float(ty, FloatMul16, FloatMul32, FloatMul64),
        FloatBinary::Div => by_float(ty, FloatDiv32, FloatDiv32, FloatDiv64),
        FloatBinary::DivApprox => FloatDivApprox32,
        FloatBinary::Min | FloatBinary::Max => {
            by_float(ty, FloatAdd16, FloatMinMax32, FloatMinMax64)
        }
        FloatBinary::CopySign => Logic32,
    }
}

fn of_float_unary(op: FloatUnary, ty: FloatType, approximate: bool) -> Option<OpClass> {
    use OpClass::*;
    Some(match op {
        // Signs are modifiers of the operand.
        FloatUnary::Abs | FloatUnary::Neg => return None,
        FloatUnary::Rcp if !approximate => by_float(ty, FloatDiv32, FloatDiv32, FloatDiv64),
        FloatUnary::Sqrt if !approximate => by_float(ty, FloatSqrt32, FloatSqrt32, FloatSqrt64),
        _ => Special,
    })
}

fn of_int_binary(op: IntBinary, ty: IntType) -> OpClass {
    use OpClass::*;
    match op {
        IntBinary::Add | IntBinary::Sub | IntBinary::AddSat | IntBinary::SubSat => {
            by_width(ty, IntAdd32, IntAdd64)
        }
        IntBinary::MulLo | IntBinary::Mul24Lo => by_width(ty, IntMul32, IntMul64),
        IntBinary::MulHi | IntBinary::Mul24Hi => by_width(ty, MulHi32, MulHi64),
        IntBinary::Div => by_width(ty, IntDiv32, IntDiv64),
        IntBinary::Rem => by_width(ty, IntRem32, IntRem64),
        IntBinary::Min | IntBinary::Max => by_width(ty, IntMinMax32, IntMinMax64),
        IntBinary::And | IntBinary::Or | IntBinary::Xor => by_width(ty, Logic32, Logic64),
    }
}

fn of_int_ternary(op: IntTernary, ty: IntType) -> OpClass {
    match op {
        IntTernary::Sad => OpClass::IntAdd32,
        IntTernary::MadHi | IntTernary::MadHiSat | IntTernary::Mad24HiSat => {
            by_width(ty, OpClass::MulHi32, OpClass::MulHi64)
        }
        _ => by_width(ty, OpClass::Mad32, OpClass::Mad64),
    }
}

/// The class of one instruction by itself; `None` for what takes no instruction of the device:
/// moves (registers are renamed), parameters, address-space casts, joins.
fn of_inst(inst: &Inst, class: Class) -> Option<OpClass> {
    use OpClass::*;
    Some(match inst.op {
        Op::Nop | Op::Join | Op::Move32 | Op::Move64 | Op::MovePred => return None,
        Op::Pack { .. } | Op::Unpack { .. } | Op::AddImmediate | Op::Refused => return None,
        Op::Branch { .. } | Op::BranchTable { .. } | Op::Call { .. } => Branch,
        Op::CallIndirect { .. } | Op::Return | Op::Exit | Op::Trap | Op::System(_) => Branch,
        Op::Yield | Op::WarpSync | Op::Fence | Op::Allocate { .. } | Op::ReadClock(_) => IntAdd32,
        Op::IntUnary(IntUnary::Brev, _) => BitCount,
        Op::IntUnary(_, ty) => by_width(ty, IntAdd32, IntAdd64),
        Op::IntBinary(op, ty) => of_int_binary(op, ty),
        Op::IntTernary(op, ty) => of_int_ternary(op, ty),
        Op::MulWide(_) => MulWide,
        Op::MadWide(_) => MadWide,
        Op::Carry(CarryOp::Add | CarryOp::Sub, .., ty) => by_width(ty, IntAdd32, IntAdd64),
        Op::Carry(CarryOp::MadLo, .., ty) => by_width(ty, Mad32, Mad64),
        Op::Carry(CarryOp::MadHi, .., ty) => by_width(ty, MulHi32, MulHi64),
        Op::Shift { ty, .. } => by_width(ty, Shift32, Shift64),
        Op::Funnel { .. } | Op::Bfe(_) | Op::Bfi(_) | Op::Szext { .. } => Shift32,
        Op::BitCount(BitOp::Popc, _) | Op::BitCount(..) | Op::Fns => BitCount,
        Op::Lop3 | Op::Lop3Bool { .. } | Op::Bmsk { .. } | Op::Prmt(_) => Logic32,
        Op::PredBinary(_) | Op::PredNot | Op::IsSpace(_) => Logic32,
        Op::Dp4a { .. } | Op::Dp2a { .. } => Mad32,
        Op::PackedInt(_) | Op::IntRelu { .. } | Op::PackSaturated { .. } => IntAdd32,
        Op::Video(_) | Op::VideoMad(_) | Op::VideoSimd(_) => IntMinMax64,
        Op::FloatUnary(op, ty, _) => {
            return of_float_unary(op, ty, class == Class::Special);
        }
        Op::FloatBinary(op, ty, _) => of_float_binary(op, ty),
        Op::Fma(ty, _) => by_float(ty, FloatFma16, FloatFma32, FloatFma64),
        Op::Extremum(extremum) => by_float(extremum.ty, FloatAdd16, FloatMinMax32, FloatMinMax64),
        Op::Testp(_, wide) => {
            if wide {
                FloatCompare64
            } else {
                FloatCompare32
            }
        }
        Op::Setp(compare, _) | Op::Set { compare, .. } => match compare {
            Compare::Int(_, ty) => by_width(ty, IntCompare32, IntCompare64),
            Compare::Float { ty, .. } => by_float(ty, FloatAdd16, FloatCompare32, FloatCompare64),
        },
        Op::Selp { wide } | Op::Slct { wide, .. } => {
            if wide {
                Select64
            } else {
                Select32
            }
        }
        Op::Convert(convert) => of_convert(&convert),
        Op::ConvertPack { .. } | Op::ConvertNarrow(_) => Convert32,
        Op::Load(access, _) => return of_load(access),
        Op::Store(access, _) => match access.space {
            MemorySpace::Shared => StoreShared,
            _ => StoreGlobal,
        },
        Op::Atomic { space: MemorySpace::Shared, .. } => AtomicShared,
        Op::Atomic { .. } | Op::AtomicWide { .. } => AtomicGlobal,
        Op::CopyAsync { .. } | Op::CopyBulk { .. } | Op::ReduceBulk { .. } | Op::Image(..) => {
            LoadGlobal
        }
        Op::Shuffle { .. } | Op::TransposeTile => Shuffle,
        Op::Vote(_) | Op::ActiveMask | Op::Elect => Vote,
        Op::MatchAny { .. } | Op::MatchAll { .. } => WarpMatch,
        Op::Redux(_) | Op::ReduxFloat(_) => WarpReduce,
        Op::Multiply(..) | Op::WarpGroupMultiply(..) => FloatFma16,
        Op::LoadMatrix(..) | Op::LoadTiles(..) => LoadShared,
        Op::StoreMatrix(..) | Op::StoreTiles(..) => StoreShared,
        Op::MemoryBarrier(_) | Op::ClearBulk => AtomicShared,
        Op::Barrier { .. } | Op::ClusterArrive { .. } | Op::ClusterWait { .. } => Barrier,
        Op::MapRank { .. } | Op::RankOf { .. } => Logic32,
    })
}

/// The class of every instruction. Additions whose only task is to add to a product are the third
/// operand of its multiply-add, and what counts in unrolled loops is nothing.
pub(super) fn classes(code: &Code) -> Vec<Option<OpClass>> {
    let mut classes: Vec<Option<OpClass>> = {
        let origins = code.origins.iter().map(|origin| origin.class);
        code.insts.iter().zip(origins).map(|(inst, class)| of_inst(inst, class)).collect()
    };
    let mut product: HashMap<Register, Option<usize>> = HashMap::new();
    let mut reads: HashMap<Register, u32> = HashMap::new();
    for (at, inst) in code.insts.iter().enumerate() {
        let uses = uses(code, inst);
        for register in uses.reads {
            *reads.entry(register).or_default() += 1;
        }
        let is_product = matches!(
            inst.op,
            Op::MulWide(_) | Op::IntBinary(IntBinary::MulLo, IntType::U32 | IntType::S32)
        );
        for register in uses.writes {
            // A register that is written twice is no one product.
            let known = product.contains_key(&register);
            product.insert(register, (is_product && !known).then_some(at));
        }
    }
    for (at, inst) in code.insts.iter().enumerate() {
        let Op::IntBinary(IntBinary::Add, _) = inst.op else { continue };
        let factor = inst.src[..2].iter().find_map(|register| {
            let at = (*product.get(register)?)?;
            (reads.get(register) == Some(&1)).then_some(at)
        });
        if let Some(factor) = factor {
            classes[at] = None;
            let wide = classes[factor] == Some(OpClass::MulWide);
            classes[factor] = Some(if wide { OpClass::MadWide } else { OpClass::Mad32 });
        }
    }
    for unrolled in unrolled(code) {
        unrolled.free.into_iter().for_each(|at| classes[at] = None);
    }
    classes
}

/// The operation that Nsight Compute counts under `smsp__sass_thread_inst_executed_op_*_pred_on`,
/// and the floating-point operations that a lane does in it.
pub(crate) fn operation(op: &Op) -> Option<(Operation, u32)> {
    let (name, ty, each) = match op {
        Op::FloatBinary(FloatBinary::Add | FloatBinary::Sub, ty, _) => (0, *ty, 1),
        Op::FloatBinary(FloatBinary::Mul, ty, _) => (1, *ty, 1),
        Op::Fma(ty, _) => (2, *ty, 2),
        _ => return None,
    };
    let pair = matches!(ty, FloatType::F16x2 | FloatType::Bf16x2 | FloatType::F32x2);
    let row = match ty {
        FloatType::F32 | FloatType::F32x2 => 0,
        FloatType::F64 => 3,
        _ => 6,
    };
    Some((Operation::ALL[row + name], each * if pair { 2 } else { 1 }))
}

/// Floating-point operations that are counted by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Nsight Compute's")]
pub enum Operation {
    Fadd,
    Fmul,
    Ffma,
    Dadd,
    Dmul,
    Dfma,
    Hadd,
    Hmul,
    Hfma,
}

impl Operation {
    /// Every operation: single, double, half precision; additions, products, both.
    pub const ALL: [Operation; 9] = [
        Operation::Fadd,
        Operation::Fmul,
        Operation::Ffma,
        Operation::Dadd,
        Operation::Dmul,
        Operation::Dfma,
        Operation::Hadd,
        Operation::Hmul,
        Operation::Hfma,
    ];

    /// The word between `op_` and `_pred_on`.
    pub fn name(self) -> &'static str {
        ["fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"][self as usize]
    }
}
