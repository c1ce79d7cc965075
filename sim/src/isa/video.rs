//! Video instructions, scalar and on two or four parts of a register.

use crate::decode::video::{simd, vmad, vop};
use crate::program::Class::*;

use super::Build::Custom;
use super::Form;
use super::integer::form;

/// The forms of an instruction with the operands' types, saturation and second operation.
macro_rules! arithmetic {
    ($($name:literal),*) => {
        [$(
            form!(
                $name,
                "type:u32|s32 from:u32|s32 other:u32|s32 sat? second?:add|min|max",
                "=T a b c?",
                Integer,
                Custom(vop)
            ),
        )*]
    };
}

/// The same on parts; the destination's type is that of the parts.
macro_rules! parts {
    ($($name:literal),*) => {
        [$(
            form!(
                $name,
                "type:u32|s32 from:u32|s32 other:u32|s32 sat? second?:add",
                "=T a b c",
                Integer,
                Custom(simd)
            ),
        )*]
    };
}

pub(super) static ARITHMETIC: &[Form] = &arithmetic!("vadd", "vsub", "vabsdiff", "vmin", "vmax");
pub(super) static PARTS: &[Form] = &parts!(
    "vadd2",
    "vsub2",
    "vavrg2",
    "vabsdiff2",
    "vmin2",
    "vmax2",
    "vadd4",
    "vsub4",
    "vavrg4",
    "vabsdiff4",
    "vmin4",
    "vmax4"
);

pub(super) static FORMS: &[Form] = &[
    form!(
        "vshl",
        "type:u32|s32 from:u32|s32 other:u32 sat? mode:clamp|wrap second?:add|min|max",
        "=T a b c?",
        Integer,
        Custom(vop)
    ),
    form!(
        "vshr",
        "type:u32|s32 from:u32|s32 other:u32 sat? mode:clamp|wrap second?:add|min|max",
        "=T a b c?",
        Integer,
        Custom(vop)
    ),
    form!(
        "vset",
        "from:u32|s32 other:u32|s32 cmp:eq|ne|lt|le|gt|ge second?:add|min|max",
        "=u32 a b c?",
        Integer,
        Custom(vop)
    ),
    form!(
        "vmad",
        "type:u32|s32 from:u32|s32 other:u32|s32 po? sat? scale?:shr7|shr15",
        "=T a b c",
        Integer,
        Custom(vmad)
    ),
    form!(
        "vset2",
        "from:u32|s32 other:u32|s32 cmp:eq|ne|lt|le|gt|ge second?:add",
        "=u32 a b c",
        Integer,
        Custom(simd)
    ),
    form!(
        "vset4",
        "from:u32|s32 other:u32|s32 cmp:eq|ne|lt|le|gt|ge second?:add",
        "=u32 a b c",
        Integer,
        Custom(simd)
    ),
];
