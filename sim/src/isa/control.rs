//! Branches, calls, ends and barriers.

use crate::decode::call::{alloca, call, ret, stack};
use crate::decode::control::{bar_red, bar_sync, bra, brx};
use crate::program::{Class::*, Op};

use super::Build::{Custom, Op as Simple};
use super::Form;
use super::integer::form;

pub(super) static FORMS: &[Form] = &[
    form!("bra", "uni?", "label", Control, Custom(bra)),
    form!("brx", "idx uni?", "u32 targets", Control, Custom(brx)),
    form!("call", "uni?", "(results) function (arguments)", Control, Custom(call)),
    form!("ret", "uni?", "", Control, Custom(ret)),
    form!("alloca", "type:u32|u64", "=T T imm?", Control, Custom(alloca)),
    form!("stacksave", "type:u32|u64", "=T", Control, Custom(stack)),
    form!("stackrestore", "type:u32|u64", "T", Control, Custom(stack)),
    form!("exit", "", "", Control, Simple(|_| Op::Exit)),
    form!("trap", "", "", Control, Simple(|_| Op::Trap)),
    form!("brkpt", "", "", Control, Simple(|_| Op::Nop)),
    form!("pmevent", "mask?", "imm", Control, Simple(|_| Op::Nop)),
    form!("nanosleep", "type:u32", "T", Control, Simple(|_| Op::Yield)),
    form!("griddepcontrol", "what:launch_dependents|wait", "", Control, Simple(|_| Op::Nop)),
    form!("bar", "warp op:sync", "u32", InterThread, Simple(|_| Op::WarpSync)),
    form!("bar", "cta? op:sync|arrive", "u32 u32?", InterThread, Custom(bar_sync)),
    form!("bar", "cta? red op:popc type:u32", "=T u32 u32? p", InterThread, Custom(bar_red)),
    form!("bar", "cta? red op:and|or type:pred", "=p u32 u32? p", InterThread, Custom(bar_red)),
    form!("barrier", "cta? op:sync|arrive aligned?", "u32 u32?", InterThread, Custom(bar_sync)),
    form!(
        "barrier",
        "cta? red op:popc aligned? type:u32",
        "=T u32 u32? p",
        InterThread,
        Custom(bar_red)
    ),
    form!(
        "barrier",
        "cta? red op:and|or aligned? type:pred",
        "=p u32 u32? p",
        InterThread,
        Custom(bar_red)
    ),
];
