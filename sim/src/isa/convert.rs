//! Moves and conversions.

use crate::decode::convert::{cvt, cvt_pack, cvta, isspacep, mov};
use crate::program::{Class::*, ConvertNarrow, Op};

use super::Build::{Custom, Op as Simple};
use super::integer::form;
use super::{Form, Matched};

fn narrow(m: &Matched) -> Op {
    Op::ConvertNarrow(ConvertNarrow {
        from: m.type_of("from"),
        to: m.ty(),
        rounding: m.rounding(),
        relu: m.has("relu"),
        satfinite: m.has("satfinite"),
    })
}

fn pack_saturated(m: &Matched) -> Op {
    let to = m.get("to").unwrap_or("u16");
    Op::PackSaturated { bits: to[1..].parse().unwrap_or(16), signed: to.starts_with('s') }
}

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
    form!("cvt", "rnd:rn|rz relu type:f16|bf16 from:f32", "=T> S>", Conversion, Custom(cvt)),
    form!(
        "cvt",
        "rnd:rn|rz relu? type:f16x2|bf16x2 from:f32",
        "=T S S",
        Conversion,
        Custom(cvt_pack)
    ),
    form!(
        "cvt",
        "rnd:rn|rz relu? satfinite type:f16x2|bf16x2 from:f32",
        "=T S S",
        Conversion,
        Simple(narrow)
    ),
    form!(
        "cvt",
        "rnd:rn|rz|rna relu? satfinite? type:tf32 from:f32",
        "=T S",
        Conversion,
        Simple(narrow)
    ),
    form!(
        "cvt",
        "rnd:rn satfinite relu? type:e4m3x2|e5m2x2 from:f32",
        "=T S S",
        Conversion,
        Simple(narrow)
    ),
    form!(
        "cvt",
        "rnd:rn satfinite relu? type:e4m3x2|e5m2x2 from:f16x2",
        "=T S",
        Conversion,
        Simple(narrow)
    ),
    form!("cvt", "rnd:rn relu? type:f16x2 from:e4m3x2|e5m2x2", "=T S", Conversion, Simple(narrow)),
    form!("cvt", "pack sat to:u16|s16 from:s32", "=b32 S S", Conversion, Simple(pack_saturated)),
    form!(
        "cvt",
        "pack sat to:u2|s2|u4|s4|u8|s8 from:s32 type:b32",
        "=T S S T",
        Conversion,
        Simple(pack_saturated)
    ),
    form!(
        "cvta",
        "space:global|@shared|local|const|param type:u32|u64",
        "=T T",
        Integer,
        Custom(cvta)
    ),
    form!(
        "cvta",
        "to space:global|@shared|local|const|param type:u32|u64",
        "=T T",
        Integer,
        Custom(cvta)
    ),
    form!(
        "isspacep",
        "space:global|@shared|local|const|param",
        "=p u64",
        Integer,
        Custom(isspacep)
    ),
];
