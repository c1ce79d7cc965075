//! Communication within a warp.

use crate::decode::warp::{elect, legacy_vote, match_sync, shfl};
use crate::program::{Class::*, Extremum, Op, ReduxOp, VoteOp};

use super::Build::{Custom, Op as Simple};
use super::integer::form;
use super::{Form, Matched};

fn redux(m: &Matched) -> Op {
    Op::Redux(match (m.get("op").unwrap_or(""), m.ty().is_signed()) {
        ("add", _) => ReduxOp::Add,
        ("min", true) => ReduxOp::MinS,
        ("min", false) => ReduxOp::MinU,
        ("max", true) => ReduxOp::MaxS,
        ("max", false) => ReduxOp::MaxU,
        ("and", _) => ReduxOp::And,
        ("or", _) => ReduxOp::Or,
        _ => ReduxOp::Xor,
    })
}

pub(crate) fn vote(m: &Matched) -> Op {
    Op::Vote(match m.get("op").unwrap_or("") {
        "all" => VoteOp::All,
        "any" => VoteOp::Any,
        "uni" => VoteOp::Uni,
        _ => VoteOp::Ballot,
    })
}

pub(super) static FORMS: &[Form] = &[
    form!(
        "shfl",
        "sync mode:up|down|bfly|idx type:b32",
        "=T|p T u32 u32 u32",
        InterThread,
        Custom(shfl)
    ),
    form!("vote", "sync op:all|any|uni type:pred", "=p p u32", InterThread, Simple(vote)),
    form!("vote", "sync op:ballot type:b32", "=T p u32", InterThread, Simple(vote)),
    form!("match", "op:any sync type:b32|b64", "=u32 T u32", InterThread, Custom(match_sync)),
    form!("match", "op:all sync type:b32|b64", "=u32|p T u32", InterThread, Custom(match_sync)),
    form!("redux", "sync op:add|min|max type:u32|s32", "=T T u32", InterThread, Simple(redux)),
    form!("redux", "sync op:and|or|xor type:b32", "=T T u32", InterThread, Simple(redux)),
    form!(
        "redux",
        "sync op:min|max abs? nan?:NaN type:f32",
        "=T T u32",
        InterThread,
        Simple(|m| Op::ReduxFloat(Extremum {
            max: m.get("op") == Some("max"),
            count: 0,
            ftz: false,
            nan: m.has("nan"),
            abs: m.has("abs"),
            xorsign: false,
            ty: m.float(),
        }))
    ),
    form!("shfl", "mode:up|down|bfly|idx type:b32", "=T|p T u32 u32", InterThread, Custom(shfl)),
    form!("vote", "op:all|any|uni type:pred", "=p p", InterThread, Custom(legacy_vote)),
    form!("vote", "op:ballot type:b32", "=T p", InterThread, Custom(legacy_vote)),
    form!("activemask", "type:b32", "=T", InterThread, Simple(|_| Op::ActiveMask)),
    form!("elect", "sync", "=u32|p u32", InterThread, Custom(elect)),
];
