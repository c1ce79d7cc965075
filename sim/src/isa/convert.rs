//! Moves and conversions.

use crate::decode::convert::{cvt, cvt_pack, cvta, isspacep, mov};
use crate::program::Class::*;

use super::Build::Custom;
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!(
        "mov",
        "type:b8|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64|pred",
        "=T T",
        Misc,
        Custom(mov)
    ),
    form!(
        "cvt",
        "rnd?:rni|rzi|rmi|rpi|rn|rz|rm|rp|rna ftz? sat? type:u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64 from:u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64",
        "=T> S>",
        Conversion,
        Custom(cvt)
    ),
    form!(
        "cvt",
        "rnd:rn|rz relu? type:f16x2|bf16x2 from:f32",
        "=T S S",
        Conversion,
        Custom(cvt_pack)
    ),
    form!(
        "cvta",
        "space:global|shared|local|const|param type:u32|u64",
        "=T T",
        Integer,
        Custom(cvta)
    ),
    form!(
        "cvta",
        "to space:global|shared|local|const|param type:u32|u64",
        "=T T",
        Integer,
        Custom(cvta)
    ),
    form!("isspacep", "space:global|shared|local|const|param", "=p u64", Integer, Custom(isspacep)),
];
