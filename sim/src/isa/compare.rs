//! Comparison and selection.

use crate::decode::compare::{set, setp};
use crate::program::{Class::*, Op};

use super::Build::{Custom, Op as Simple};
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!(
        "setp",
        "cmp:eq|ne|lt|le|gt|ge bool?:and|or|xor type:s16|s32|s64",
        "=p|q T T p?",
        Integer,
        Custom(setp)
    ),
    form!(
        "setp",
        "cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs bool?:and|or|xor type:u16|u32|u64",
        "=p|q T T p?",
        Integer,
        Custom(setp)
    ),
    form!("setp", "cmp:eq|ne bool?:and|or|xor type:@bits", "=p|q T T p?", Integer, Custom(setp)),
    form!(
        "setp",
        "cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan bool?:and|or|xor ftz? type:f32|f16|bf16|f64",
        "=p|q T T p?",
        Fp32,
        Custom(setp)
    ),
    form!(
        "setp",
        "cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan bool?:and|or|xor ftz? type:f16x2|bf16x2",
        "=p|q T T p?",
        Fp16,
        Custom(setp)
    ),
    form!(
        "set",
        "cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs bool?:and|or|xor type:u32|s32|f32 from:@bits|@int",
        "=T S S p?",
        Integer,
        Custom(set)
    ),
    form!(
        "set",
        "cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan bool?:and|or|xor ftz? type:u32|s32|f32 from:f32|f64",
        "=T S S p?",
        Fp32,
        Custom(set)
    ),
    form!(
        "set",
        "cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan bool?:and|or|xor ftz? type:f16|bf16|u16|s16|u32|s32|f32 from:f16|bf16",
        "=T S S p?",
        Fp16,
        Custom(set)
    ),
    form!(
        "set",
        "cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan bool?:and|or|xor ftz? type:f16x2|bf16x2|u32|s32 from:f16x2|bf16x2",
        "=T S S p?",
        Fp16,
        Custom(set)
    ),
    form!(
        "selp",
        "type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16",
        "=T T T p",
        Integer,
        Simple(|m| Op::Selp { wide: m.ty().bits() == 64 })
    ),
    form!(
        "slct",
        "ftz? type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 from:s32|f32",
        "=T T T S",
        Integer,
        Simple(|m| {
            let float = m.type_of("from").is_float();
            Op::Slct { wide: m.ty().bits() == 64, float, ftz: float && m.has("ftz") }
        })
    ),
];
