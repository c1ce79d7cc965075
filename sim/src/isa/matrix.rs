//! Matrices: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use crate::decode::matrix::{ldmatrix, mma, stmatrix, wgmma, wmma_load, wmma_mma, wmma_store};
use crate::program::{Class::*, Op};

use super::Build::{Custom, Op as Simple};
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!(
        "mma",
        "sync aligned shape:m16n8k8|m16n8k16 row col type:f16|f32 from:f16 other:f16 acc:f16|f32",
        "=d a b c",
        Fp16,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m16n8k8|m16n8k16 row col type:f32 from:bf16 other:bf16 acc:f32",
        "=d a b c",
        Fp16,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m16n8k4|m16n8k8 row col type:f32 from:tf32 other:tf32 acc:f32",
        "=d a b c",
        Fp32,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m16n8k32|m16n8k16 row col type:f16|f32 from:e4m3|e5m2 other:e4m3|e5m2 acc:f16|f32",
        "=d a b c",
        Fp16,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col type:f64 from:f64 other:f64 acc:f64",
        "=d a b c",
        Fp64,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m8n8k16|m16n8k16|m16n8k32 row col satfinite? type:s32 from:u8|s8 other:u8|s8 acc:s32",
        "=d a b c",
        Integer,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m8n8k32|m16n8k32|m16n8k64 row col satfinite? type:s32 from:u4|s4 other:u4|s4 acc:s32",
        "=d a b c",
        Integer,
        Custom(mma)
    ),
    form!(
        "mma",
        "sync aligned shape:m8n8k128|m16n8k128|m16n8k256 row col type:s32 from:b1 other:b1 acc:s32 products:xor|and popc",
        "=d a b c",
        Integer,
        Custom(mma)
    ),
    form!(
        "ldmatrix",
        "sync aligned shape:m8n8 count:x1|x2|x4 trans? space?:shared|shared::cta type:b16",
        "=d [a]",
        Memory,
        Custom(ldmatrix)
    ),
    form!(
        "movmatrix",
        "sync aligned shape:m8n8 trans type:b16",
        "=b32 b32",
        Misc,
        Simple(|_| Op::TransposeTile)
    ),
    form!(
        "stmatrix",
        "sync aligned shape:m8n8 count:x1|x2|x4 trans? space?:shared|shared::cta type:b16",
        "[a] d",
        Memory,
        Custom(stmatrix)
    ),
    form!(
        "wmma",
        "load role:a|b|c sync aligned layout:row|col shape:m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 space?:global|shared|shared::cta type:f16|f32|bf16|tf32|f64|s8|u8|s4|u4|b1|s32",
        "=d [a] u32?",
        Memory,
        Custom(wmma_load)
    ),
    form!(
        "wmma",
        "store role:d sync aligned layout:row|col shape:m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 space?:global|shared|shared::cta type:f16|f32|f64|s32",
        "[a] d u32?",
        Memory,
        Custom(wmma_store)
    ),
    form!(
        "wmma",
        "mma sync aligned alayout:row|col blayout:row|col shape:m16n16k16|m32n8k16|m8n32k16 type:f16|f32 acc:f16|f32",
        "=d a b c",
        Fp16,
        Custom(wmma_mma)
    ),
    form!(
        "wmma",
        "mma sync aligned alayout:row|col blayout:row|col shape:m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32 rnd?:rn type:f32|f64|s32 from:bf16|tf32|f64|s8|u8|s4|u4 other:bf16|tf32|f64|s8|u8|s4|u4 acc:f32|f64|s32 satfinite?",
        "=d a b c",
        Fp16,
        Custom(wmma_mma)
    ),
    form!(
        "wmma",
        "mma products:xor|and popc sync aligned alayout:row blayout:col shape:m8n8k128 type:s32 from:b1 other:b1 acc:s32",
        "=d a b c",
        Integer,
        Custom(wmma_mma)
    ),
    form!(
        "wgmma",
        "mma_async sync aligned shape:@wide16 type:f16|f32 from:f16 other:f16",
        "=d a b p imm imm imm? imm?",
        Fp16,
        Custom(wgmma)
    ),
    form!(
        "wgmma",
        "mma_async sync aligned shape:@wide16 type:f32 from:bf16 other:bf16",
        "=d a b p imm imm imm? imm?",
        Fp16,
        Custom(wgmma)
    ),
    form!(
        "wgmma",
        "mma_async sync aligned shape:@wide8 type:f32 from:tf32 other:tf32",
        "=d a b p imm imm",
        Fp32,
        Custom(wgmma)
    ),
    form!(
        "wgmma",
        "mma_async sync aligned shape:@wide32 type:f16|f32 from:e4m3|e5m2 other:e4m3|e5m2",
        "=d a b p imm imm",
        Fp16,
        Custom(wgmma)
    ),
    form!(
        "wgmma",
        "mma_async sync aligned shape:@wide32 satfinite? type:s32 from:s8|u8 other:s8|u8",
        "=d a b p",
        Integer,
        Custom(wgmma)
    ),
    form!("wgmma", "what:fence sync aligned", "", Memory, Simple(|_| Op::Nop)),
    form!("wgmma", "what:commit_group sync aligned", "", Memory, Simple(|_| Op::Nop)),
    form!("wgmma", "what:wait_group sync aligned", "imm", Memory, Simple(|_| Op::Nop)),
];
