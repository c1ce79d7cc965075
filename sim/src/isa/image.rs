//! Textures and surfaces.

use crate::decode::image::{istypep, query, suld, sured, sust, tex, tld4};
use crate::program::Class::*;

use super::Build::Custom;
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!(
        "tex",
        "level?:base|level|grad geometry:1d|2d|3d|a1d|a2d|cube|acube vec:v4 type:u32|s32|f16|f32 from:s32|f32",
        "=T [a,c] f32? f32? s32?",
        Memory,
        Custom(tex)
    ),
    form!(
        "tld4",
        "channel:r|g|b|a geometry:2d|a2d|cube|acube vec:v4 type:u32|s32|f32 from:f32",
        "=T [a,c] s32?",
        Memory,
        Custom(tld4)
    ),
    form!(
        "txq",
        "level? query:width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples|force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2 type:b32",
        "=T [a] u32?",
        Memory,
        Custom(query)
    ),
    form!(
        "suq",
        "query:width|height|depth|channel_data_type|channel_order|array_size type:b32",
        "=T [a]",
        Memory,
        Custom(query)
    ),
    form!("istypep", "kind:texref|samplerref|surfref", "=p u64", Misc, Custom(istypep)),
    form!(
        "suld",
        "form:b geometry:1d|2d|3d|a1d|a2d cop?:ca|cg|cs|cv vec?:v2|v4 type:b8|b16|b32|b64 outside:trap|clamp|zero",
        "=T> [a,c]",
        Memory,
        Custom(suld)
    ),
    form!(
        "sust",
        "form:b geometry:1d|2d|3d|a1d|a2d cop?:wb|cg|cs|wt vec?:v2|v4 type:b8|b16|b32|b64 outside:trap|clamp|zero",
        "[a,c] T>",
        Memory,
        Custom(sust)
    ),
    form!(
        "sust",
        "form:p geometry:1d|2d|3d|a1d|a2d cop?:wb|cg|cs|wt vec?:v2|v4 type:b32 outside:trap|clamp|zero",
        "[a,c] T",
        Memory,
        Custom(sust)
    ),
    form!(
        "sured",
        "form:b|p op:add|min|max|and|or geometry:1d|2d|3d|a1d|a2d type:u32|u64|s32|b32|s64|b64 outside:trap|clamp|zero",
        "[a,c] T",
        Memory,
        Custom(sured)
    ),
];
