//! Integer arithmetic, logic, shifts and bit fields.

use crate::program::{
    BitOp, CarryOp, Class::*, IntBinary, IntTernary, IntUnary, Op, PackedInt, PackedOp,
};

use super::Build::{Custom, Op as Simple};
use super::{Form, Matched};

macro_rules! form {
    ($mnemonic:literal, $modifiers:literal, $operands:literal, $class:expr, $build:expr) => {
        Form {
            mnemonic: $mnemonic,
            modifiers: $modifiers,
            operands: $operands,
            class: $class,
            build: $build,
        }
    };
}
pub(super) use form;

fn packed(op: PackedOp, m: &Matched) -> Op {
    Op::PackedInt(PackedInt { op, signed: m.ty().is_signed(), relu: m.has("relu") })
}

pub(super) static FORMS: &[Form] = &[
    form!(
        "add",
        "type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Add, m.int()))
    ),
    form!(
        "add",
        "sat type:s32",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::AddSat, m.int()))
    ),
    form!(
        "add",
        "cc type:u32|s32|u64|s64",
        "=T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::Add, false, true, m.int()))
    ),
    form!(
        "addc",
        "cc? type:u32|s32|u64|s64",
        "=T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::Add, true, m.has("cc"), m.int()))
    ),
    form!(
        "sub",
        "type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Sub, m.int()))
    ),
    form!(
        "sub",
        "sat type:s32",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::SubSat, m.int()))
    ),
    form!(
        "sub",
        "cc type:u32|s32|u64|s64",
        "=T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::Sub, false, true, m.int()))
    ),
    form!(
        "subc",
        "cc? type:u32|s32|u64|s64",
        "=T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::Sub, true, m.has("cc"), m.int()))
    ),
    form!(
        "mul",
        "lo type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::MulLo, m.int()))
    ),
    form!(
        "mul",
        "hi type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::MulHi, m.int()))
    ),
    form!("mul", "wide type:u16|s16|u32|s32", "=W T T", Integer, Simple(|m| Op::MulWide(m.int()))),
    form!(
        "mul24",
        "lo type:u32|s32",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Mul24Lo, m.int()))
    ),
    form!(
        "mul24",
        "hi type:u32|s32",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Mul24Hi, m.int()))
    ),
    form!(
        "mad",
        "lo type:@int",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::MadLo, m.int()))
    ),
    form!(
        "mad",
        "hi type:@int",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::MadHi, m.int()))
    ),
    form!(
        "mad",
        "hi sat type:s32",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::MadHiSat, m.int()))
    ),
    form!(
        "mad",
        "wide type:u16|s16|u32|s32",
        "=W T T W",
        Integer,
        Simple(|m| Op::MadWide(m.int()))
    ),
    form!(
        "mad",
        "lo cc type:u32|s32|u64|s64",
        "=T T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::MadLo, false, true, m.int()))
    ),
    form!(
        "mad",
        "hi cc type:u32|s32|u64|s64",
        "=T T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::MadHi, false, true, m.int()))
    ),
    form!(
        "madc",
        "lo cc? type:u32|s32|u64|s64",
        "=T T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::MadLo, true, m.has("cc"), m.int()))
    ),
    form!(
        "madc",
        "hi cc? type:u32|s32|u64|s64",
        "=T T T T",
        Integer,
        Simple(|m| Op::Carry(CarryOp::MadHi, true, m.has("cc"), m.int()))
    ),
    form!(
        "mad24",
        "lo type:u32|s32",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::Mad24Lo, m.int()))
    ),
    form!(
        "mad24",
        "hi type:u32|s32",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::Mad24Hi, m.int()))
    ),
    form!(
        "mad24",
        "hi sat type:s32",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::Mad24HiSat, m.int()))
    ),
    form!(
        "sad",
        "type:@int",
        "=T T T T",
        Integer,
        Simple(|m| Op::IntTernary(IntTernary::Sad, m.int()))
    ),
    form!(
        "div",
        "type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Div, m.int()))
    ),
    form!(
        "rem",
        "type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Rem, m.int()))
    ),
    form!(
        "abs",
        "type:s16|s32|s64",
        "=T T",
        Integer,
        Simple(|m| Op::IntUnary(IntUnary::Abs, m.int()))
    ),
    form!(
        "neg",
        "type:s16|s32|s64",
        "=T T",
        Integer,
        Simple(|m| Op::IntUnary(IntUnary::Neg, m.int()))
    ),
    form!(
        "min",
        "type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Min, m.int()))
    ),
    form!(
        "max",
        "type:@int",
        "=T T T",
        Integer,
        Simple(|m| Op::IntBinary(IntBinary::Max, m.int()))
    ),
    form!("popc", "type:b32|b64", "=u32 T", Bit, Simple(|m| Op::BitCount(BitOp::Popc, m.int()))),
    form!("clz", "type:b32|b64", "=u32 T", Bit, Simple(|m| Op::BitCount(BitOp::Clz, m.int()))),
    form!(
        "bfind",
        "type:u32|s32|u64|s64",
        "=u32 T",
        Bit,
        Simple(|m| Op::BitCount(BitOp::Bfind, m.int()))
    ),
    form!(
        "bfind",
        "shiftamt type:u32|s32|u64|s64",
        "=u32 T",
        Bit,
        Simple(|m| Op::BitCount(BitOp::BfindShift, m.int()))
    ),
    form!("fns", "type:b32", "=T T T s32", Bit, Simple(|_| Op::Fns)),
    form!("brev", "type:b32|b64", "=T T", Bit, Simple(|m| Op::IntUnary(IntUnary::Brev, m.int()))),
    form!("bfe", "type:u32|s32|u64|s64", "=T T u32 u32", Bit, Simple(|m| Op::Bfe(m.int()))),
    form!("bfi", "type:b32|b64", "=T T T u32 u32", Bit, Simple(|m| Op::Bfi(m.int()))),
    form!(
        "bmsk",
        "mode:clamp|wrap type:b32",
        "=T T T",
        Bit,
        Simple(|m| Op::Bmsk { wrap: m.get("mode") == Some("wrap") })
    ),
    form!(
        "szext",
        "mode:clamp|wrap type:u32|s32",
        "=T T u32",
        Bit,
        Simple(|m| Op::Szext { wrap: m.get("mode") == Some("wrap"), ty: m.int() })
    ),
    form!(
        "dp4a",
        "type:u32|s32 from:u32|s32",
        "=s32 b32 b32 s32",
        Integer,
        Simple(|m| Op::Dp4a { signed: [m.ty().is_signed(), m.type_of("from").is_signed()] })
    ),
    form!(
        "dp2a",
        "half:lo|hi type:u32|s32 from:u32|s32",
        "=s32 b32 b32 s32",
        Integer,
        Simple(|m| Op::Dp2a {
            high: m.get("half") == Some("hi"),
            signed: [m.ty().is_signed(), m.type_of("from").is_signed()]
        })
    ),
    form!("and", "type:@bits", "=T T T", Bit, Simple(|m| Op::IntBinary(IntBinary::And, m.int()))),
    form!("or", "type:@bits", "=T T T", Bit, Simple(|m| Op::IntBinary(IntBinary::Or, m.int()))),
    form!("xor", "type:@bits", "=T T T", Bit, Simple(|m| Op::IntBinary(IntBinary::Xor, m.int()))),
    form!("not", "type:@bits", "=T T", Bit, Simple(|m| Op::IntUnary(IntUnary::Not, m.int()))),
    form!("cnot", "type:@bits", "=T T", Bit, Simple(|m| Op::IntUnary(IntUnary::Cnot, m.int()))),
    form!("and", "type:pred", "=p p p", Bit, Simple(|_| Op::PredBinary(IntBinary::And))),
    form!("or", "type:pred", "=p p p", Bit, Simple(|_| Op::PredBinary(IntBinary::Or))),
    form!("xor", "type:pred", "=p p p", Bit, Simple(|_| Op::PredBinary(IntBinary::Xor))),
    form!("not", "type:pred", "=p p", Bit, Simple(|_| Op::PredNot)),
    form!("lop3", "type:b32", "=T T T T imm", Bit, Simple(|_| Op::Lop3)),
    form!(
        "lop3",
        "bool:or|and type:b32",
        "=T|p T T T imm p",
        Bit,
        Custom(crate::decode::integer::lop3_bool)
    ),
    form!("add", "type:u16x2|s16x2", "=T T T", Integer, Simple(|m| packed(PackedOp::Add, m))),
    form!("min", "type:u16x2", "=T T T", Integer, Simple(|m| packed(PackedOp::Min, m))),
    form!("max", "type:u16x2", "=T T T", Integer, Simple(|m| packed(PackedOp::Max, m))),
    form!("min", "relu? type:s16x2", "=T T T", Integer, Simple(|m| packed(PackedOp::Min, m))),
    form!("max", "relu? type:s16x2", "=T T T", Integer, Simple(|m| packed(PackedOp::Max, m))),
    form!("min", "relu type:s32", "=T T T", Integer, Simple(|_| Op::IntRelu { max: false })),
    form!("max", "relu type:s32", "=T T T", Integer, Simple(|_| Op::IntRelu { max: true })),
    form!("shl", "type:@bits", "=T T u32", Bit, Simple(|m| Op::Shift { left: true, ty: m.int() })),
    form!(
        "shr",
        "type:b16|b32|b64|u16|u32|u64|s16|s32|s64",
        "=T T u32",
        Bit,
        Simple(|m| Op::Shift { left: false, ty: m.int() })
    ),
    form!(
        "shf",
        "dir:l|r mode:clamp|wrap type:b32",
        "=T T T u32",
        Bit,
        Simple(|m| Op::Funnel {
            left: m.get("dir") == Some("l"),
            wrap: m.get("mode") == Some("wrap")
        })
    ),
    form!(
        "prmt",
        "type:b32 mode?:f4e|b4e|rc8|ecl|ecr|rc16",
        "=T T T u32",
        Bit,
        Custom(crate::decode::integer::prmt)
    ),
];
