//! Loads, stores, atomics, copies and fences.

use crate::decode::memory::{atom, atom_wide, cp_async, ld, red, st};
use crate::program::{Class::*, Op};

use super::Build::{Custom, Op as Simple};
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!(
        "ld",
        "sem?:weak|volatile space?:global|shared|local|const|param|shared::cta|shared::cluster|param::entry|param::func cop?:ca|cg|cs|lu|cv|nc l1?:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate l2h?:L2::evict_last|L2::evict_normal|L2::evict_first l2?:L2::64B|L2::128B|L2::256B hint?:L2::cache_hint vec?:v2|v4|v8 type:@scalar|b128",
        "=T> [a] policy?",
        Memory,
        Custom(ld)
    ),
    form!(
        "ld",
        "sem:relaxed|acquire scope:@scope space?:global|shared|local|shared::cta|shared::cluster l1?:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate l2?:L2::64B|L2::128B|L2::256B hint?:L2::cache_hint vec?:v2|v4 type:@scalar|b128",
        "=T> [a] policy?",
        Memory,
        Custom(ld)
    ),
    form!("ldu", "space?:global vec?:v2|v4 type:@scalar", "=T> [a]", Memory, Custom(ld)),
    form!(
        "st",
        "sem?:weak|volatile space?:global|shared|local|param|shared::cta|shared::cluster|param::func cop?:wb|cg|cs|wt l1?:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate l2h?:L2::evict_last|L2::evict_normal|L2::evict_first hint?:L2::cache_hint vec?:v2|v4|v8 type:@scalar|b128",
        "[a] T> policy?",
        Memory,
        Custom(st)
    ),
    form!(
        "st",
        "sem:relaxed|release scope:@scope space?:global|shared|local|shared::cta|shared::cluster l1?:L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate hint?:L2::cache_hint vec?:v2|v4 type:@scalar|b128",
        "[a] T> policy?",
        Memory,
        Custom(st)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:add|min|max hint?:L2::cache_hint type:u32|s32|u64|s64",
        "=T [a] T policy?",
        Memory,
        Custom(atom)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:inc|dec hint?:L2::cache_hint type:u32",
        "=T [a] T policy?",
        Memory,
        Custom(atom)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:and|or|xor|exch hint?:L2::cache_hint type:b32|b64",
        "=T [a] T policy?",
        Memory,
        Custom(atom)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:cas hint?:L2::cache_hint type:b16|b32|b64",
        "=T [a] T T policy?",
        Memory,
        Custom(atom)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:add hint?:L2::cache_hint vec?:v2|v4 type:f32|f64",
        "=T [a] T policy?",
        Memory,
        Custom(atom)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:add noftz hint?:L2::cache_hint vec?:v2|v4|v8 type:@half",
        "=T [a] T policy?",
        Memory,
        Custom(atom)
    ),
    form!(
        "red",
        "sem?:relaxed|release scope?:@scope space?:global|@shared op:add|min|max hint?:L2::cache_hint type:u32|s32|u64|s64",
        "[a] T policy?",
        Memory,
        Custom(red)
    ),
    form!(
        "red",
        "sem?:relaxed|release scope?:@scope space?:global|@shared op:inc|dec hint?:L2::cache_hint type:u32",
        "[a] T policy?",
        Memory,
        Custom(red)
    ),
    form!(
        "red",
        "sem?:relaxed|release scope?:@scope space?:global|@shared op:and|or|xor hint?:L2::cache_hint type:b32|b64",
        "[a] T policy?",
        Memory,
        Custom(red)
    ),
    form!(
        "red",
        "sem?:relaxed|release scope?:@scope space?:global|@shared op:add hint?:L2::cache_hint vec?:v2|v4 type:f32|f64",
        "[a] T policy?",
        Memory,
        Custom(red)
    ),
    form!(
        "red",
        "sem?:relaxed|release scope?:@scope space?:global|@shared op:add noftz hint?:L2::cache_hint vec?:v2|v4|v8 type:@half",
        "[a] T policy?",
        Memory,
        Custom(red)
    ),
    form!(
        "cp",
        "async cop:ca|cg shared:shared|shared::cta global hint?:L2::cache_hint l2?:L2::64B|L2::128B|L2::256B",
        "[a] [a] imm u32? policy?",
        Memory,
        Custom(cp_async)
    ),
    form!("cp", "async what:commit_group|wait_all", "", Memory, Simple(|_| Op::Nop)),
    form!("cp", "async what:wait_group", "imm", Memory, Simple(|_| Op::Nop)),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:exch hint?:L2::cache_hint type:b128",
        "=T [a] T policy?",
        Memory,
        Custom(atom_wide)
    ),
    form!(
        "atom",
        "sem?:relaxed|acquire|release|acq_rel scope?:@scope space?:global|@shared op:cas hint?:L2::cache_hint type:b128",
        "=T [a] T T policy?",
        Memory,
        Custom(atom_wide)
    ),
    form!(
        "prefetch",
        "space?:global|local|tensormap level?:L1|L2|L2::evict_last|L2::evict_normal",
        "[a]",
        Memory,
        Custom(crate::decode::memory::prefetch)
    ),
    form!(
        "applypriority",
        "space?:global level:L2::evict_normal",
        "[a] imm",
        Memory,
        Custom(crate::decode::memory::prefetch)
    ),
    form!(
        "discard",
        "space?:global level:L2",
        "[a] imm",
        Memory,
        Custom(crate::decode::memory::prefetch)
    ),
    form!(
        "createpolicy",
        "kind:fractional first:L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged second?:L2::evict_first|L2::evict_unchanged type:b64",
        "=T f32?",
        Memory,
        Custom(crate::decode::memory::createpolicy)
    ),
    form!(
        "createpolicy",
        "kind:range space?:global first:L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged second?:L2::evict_first|L2::evict_unchanged type:b64",
        "=T [a] u32 u32",
        Memory,
        Custom(crate::decode::memory::createpolicy)
    ),
    form!(
        "createpolicy",
        "kind:cvt level:L2 type:b64",
        "=T u64",
        Memory,
        Custom(crate::decode::memory::createpolicy)
    ),
    form!("prefetchu", "level:L1", "[a]", Memory, Custom(crate::decode::memory::prefetch)),
    form!("membar", "level:cta|gl|sys|gpu", "", Memory, Simple(|_| Op::Fence)),
    form!("fence", "sem?:sc|acq_rel scope:@scope", "", Memory, Simple(|_| Op::Fence)),
    form!(
        "fence",
        "proxy what:alias|async|async.global|async.shared::cta space?:global|shared::cta|shared::cluster",
        "",
        Memory,
        Simple(|_| Op::Fence)
    ),
];
