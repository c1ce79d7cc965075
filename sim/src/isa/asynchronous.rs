//! Barriers in memory, bulk copies, and what belongs to clusters of blocks.

use crate::decode::asynchronous::{
    barrier_cluster, copy_bulk, copy_bulk_out, cp_async_arrive, getctarank, mapa, mbarrier,
    prefetch_bulk, red_async, reduce_bulk, st_async, st_bulk,
};
use crate::program::{Class::*, Op};

use super::Build::{Custom, Op as Simple};
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!("mbarrier", "op:init space?:@shared type:b64", "[a] u32", Memory, Custom(mbarrier)),
    form!("mbarrier", "op:inval space?:@shared type:b64", "[a]", Memory, Custom(mbarrier)),
    form!(
        "mbarrier",
        "op:expect_tx|complete_tx sem?:relaxed scope?:@scope space?:@shared type:b64",
        "[a] u32",
        Memory,
        Custom(mbarrier)
    ),
    form!(
        "mbarrier",
        "op:arrive|arrive_drop expect?:expect_tx complete?:noComplete sem?:release|relaxed scope?:@scope space?:@shared type:b64",
        "=T [a] u32?",
        Memory,
        Custom(mbarrier)
    ),
    form!(
        "mbarrier",
        "op:test_wait|try_wait parity? sem?:acquire|relaxed scope?:@scope space?:@shared type:b64",
        "=p [a] T u32?",
        Memory,
        Custom(mbarrier)
    ),
    form!("mbarrier", "op:pending_count type:b64", "=u32 T", Memory, Custom(mbarrier)),
    form!(
        "cp",
        "async mbarrier op:arrive noinc? space?:@shared type:b64",
        "[a]",
        Memory,
        Custom(cp_async_arrive)
    ),
    form!(
        "cp",
        "async bulk target:shared::cluster|shared::cta source:global|shared::cta done:mbarrier::complete_tx::bytes multicast?:multicast::cluster hint?:L2::cache_hint",
        "[a] [a] u32 [a] u16? policy?",
        Memory,
        Custom(copy_bulk)
    ),
    form!(
        "cp",
        "async bulk target:global source:shared::cta done:bulk_group hint?:L2::cache_hint",
        "[a] [a] u32 policy?",
        Memory,
        Custom(copy_bulk_out)
    ),
    form!(
        "cp",
        "async bulk op:prefetch level:L2 source:global hint?:L2::cache_hint",
        "[a] u32 policy?",
        Memory,
        Custom(prefetch_bulk)
    ),
    form!("cp", "async bulk what:commit_group", "", Memory, Simple(|_| Op::Nop)),
    form!("cp", "async bulk what:wait_group read?", "imm", Memory, Simple(|_| Op::Nop)),
    form!(
        "st",
        "async weak? space?:shared::cluster done:mbarrier::complete_tx::bytes vec?:v2|v4 type:b32|b64|u32|u64|s32|s64|f32|f64",
        "[a] T [a]",
        Memory,
        Custom(st_async)
    ),
    form!(
        "fence",
        "what:mbarrier_init sem:release scope:cluster",
        "",
        Memory,
        Simple(|_| Op::Fence)
    ),
    form!(
        "red",
        "async sem:relaxed scope:cluster space?:shared::cluster done:mbarrier::complete_tx::bytes op:inc|dec|min|max|add|and|or|xor type:u32|s32|u64|b32",
        "[a] T [a]",
        Memory,
        Custom(red_async)
    ),
    form!(
        "cp",
        "reduce async bulk target:shared::cluster source:shared::cta done:mbarrier::complete_tx::bytes op:and|or|xor|add|inc|dec|min|max type:u32|s32|u64|b32",
        "[a] [a] u32 [a]",
        Memory,
        Custom(reduce_bulk)
    ),
    form!(
        "cp",
        "reduce async bulk target:global source:shared::cta done:bulk_group hint?:L2::cache_hint op:and|or|xor|add|inc|dec|min|max noftz? type:u32|s32|u64|s64|b32|b64|f32|f64|f16|bf16",
        "[a] [a] u32 policy?",
        Memory,
        Custom(reduce_bulk)
    ),
    form!("st", "bulk weak? space?:shared::cta", "[a] u64 imm", Memory, Custom(st_bulk)),
    form!("mapa", "space?:shared::cluster type:u32|u64", "=T T u32", Integer, Custom(mapa)),
    form!(
        "getctarank",
        "space?:shared::cluster type:u32|u64",
        "=u32 T",
        Integer,
        Custom(getctarank)
    ),
    form!(
        "barrier",
        "cluster op:arrive sem?:release|relaxed aligned?",
        "",
        InterThread,
        Custom(barrier_cluster)
    ),
    form!(
        "barrier",
        "cluster op:wait sem?:acquire aligned?",
        "",
        InterThread,
        Custom(barrier_cluster)
    ),
    form!("setmaxnreg", "what:inc|dec sync aligned type:u32", "imm", Control, Simple(|_| Op::Nop)),
];
