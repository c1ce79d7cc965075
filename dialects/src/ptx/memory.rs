//! Memory (PTX ISA §9.7.9, §9.7.12.5).

use gpuc_ir::op::{Effect, EffectKind, Effects, TypeConstraint, attrs, types};
use gpuc_ir::{Ir, Op, op};

use super::REGISTER;
use super::kinds::{ATOMIC_KIND, PTX_TYPE, SPACE};
use attrs::{FLAT_SYMBOL, I64, STRING, UNIT};

/// A register that can hold an address. Shared memory has addresses of 32 bits, which are cheaper
/// to compute; those of the other spaces have 64.
pub static ADDRESS: TypeConstraint = TypeConstraint {
    summary: "i32 or i64",
    holds: |ctx, ty| ctx.is_signless_int(ty) && matches!(ctx.int_width(ty), Some(32 | 64)),
    build: None,
};

fn reads(_: &Ir, _: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Read, on: None });
}

/// A load that acquires orders those behind it, and a volatile one is no other's and stays, whoever uses it.
fn loads(ir: &Ir, op: Op, effects: &mut Effects) {
    let view = LdOp(op);
    if view.acquire(ir).is_some() || view.volatile_(ir).is_some() {
        reads_and_writes(ir, op, effects);
    } else {
        reads(ir, op, effects);
    }
}

fn writes(_: &Ir, _: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Write, on: None });
}

fn reads_and_writes(ir: &Ir, op: Op, effects: &mut Effects) {
    reads(ir, op, effects);
    writes(ir, op, effects);
}

op! {
    /// `ld.param.type d, [name];`: a parameter of the kernel.
    LdParamOp = "ptx.ld_param" {
        results { result: One REGISTER }
        attrs { name: Required STRING, ty: Required PTX_TYPE }
        traits PURE
        format "$ty ` ` `[` $name `]` attr-dict `:` type($result)"
    }
}

op! {
    /// `ld.space{.nc}{.vec}.type d, [address+offset];` With two or four results a vector load. `acquire` (`ld.acquire.gpu`,
    /// sm_70 and later): who sees what a thread of the device has released sees what that thread has seen.
    LdOp = "ptx.ld" {
        operands { address: One ADDRESS }
        results { results: Variadic REGISTER }
        attrs {
            space: Required SPACE,
            ty: Required PTX_TYPE,
            offset: Optional I64,
            cache: Optional STRING,
            nc: Optional UNIT,
            volatile_: Optional UNIT,
            acquire: Optional UNIT,
        }
        format "$space (`nc` $nc^)? (`volatile` $volatile_^)? (`acquire` $acquire^)? $ty ` ` `[` $address (`+` $offset^)? `]` attr-dict `:` type($address) `->` type($results)"
        hooks { effects: Some(loads), verify: Some(|ir, op| vector_count(ir.results(op).len())) }
    }
}

op! {
    /// `st.space{.vec}.type [address+offset], a;` With two or four values a vector store.
    StOp = "ptx.st" {
        operands { address: One ADDRESS, values: Variadic REGISTER }
        attrs {
            space: Required SPACE,
            ty: Required PTX_TYPE,
            offset: Optional I64,
            cache: Optional STRING,
            volatile_: Optional UNIT,
        }
        format "$space (`volatile` $volatile_^)? $ty ` ` `[` $address (`+` $offset^)? `]` `,` $values attr-dict `:` type($address) `,` type($values)"
        hooks { effects: Some(writes), verify: Some(|ir, op| vector_count(ir.operand_count(op) - 1)) }
    }
}

op! {
    /// `cp.async.cache.shared.global [to+offset], [from+from_offset], bytes;`: a copy in the background, of 4, 8 or 16
    /// bytes; 16 pass by the first cache.
    CpAsyncOp = "ptx.cp_async" {
        operands { to: One ADDRESS, from: One ADDRESS }
        attrs { bytes: Required I64, offset: Optional I64, from_offset: Optional I64 }
        format "$bytes ` ` `[` $to (`+` $offset^)? `]` `,` `[` $from (`+` $from_offset^)? `]` attr-dict `:` type($to) `,` type($from)"
        hooks { effects: Some(reads_and_writes) }
    }
}

op! {
    /// `cp.async.commit_group;`
    CpAsyncCommitOp = "ptx.cp_async_commit" {
        format "attr-dict"
        hooks { effects: Some(reads_and_writes) }
    }
}

op! {
    /// `cp.async.wait_group groups;`
    CpAsyncWaitOp = "ptx.cp_async_wait" {
        attrs { groups: Required I64 }
        format "$groups attr-dict"
        hooks { effects: Some(reads_and_writes) }
    }
}

fn vector_count(count: usize) -> Result<(), String> {
    if [1, 2, 4, 8].contains(&count) {
        Ok(())
    } else {
        Err(format!("moves {count} values; PTX has vectors of 2, 4 and 8"))
    }
}

op! {
    /// `atom.space.op.type d, [address+offset], b;`: gives the old value. `release` (`atom.release.gpu`, sm_70 and later): who
    /// acquires what it writes sees what this thread has seen before.
    AtomOp = "ptx.atom" {
        operands { address: One ADDRESS, value: One REGISTER }
        results { result: One REGISTER }
        attrs { space: Required SPACE, kind: Required ATOMIC_KIND, ty: Required PTX_TYPE, offset: Optional I64, release: Optional UNIT }
        types { result = same(value) "result has the type of the value" }
        format "$space (`release` $release^)? $kind $ty ` ` `[` $address (`+` $offset^)? `]` `,` $value attr-dict `:` type($address) `,` type($value)"
        hooks { effects: Some(reads_and_writes) }
    }
}

op! {
    /// `atom.space.cas.type d, [address+offset], compare, value;`
    AtomCasOp = "ptx.atom_cas" {
        operands { address: One ADDRESS, compare: One REGISTER, value: One REGISTER }
        results { result: One REGISTER }
        attrs { space: Required SPACE, ty: Required PTX_TYPE, offset: Optional I64 }
        types {
            value = same(compare) "both values have one type",
            result = same(compare) "result has the type of the values",
        }
        format "$space $ty ` ` `[` $address (`+` $offset^)? `]` `,` $compare `,` $value attr-dict `:` type($address) `,` type($value)"
        hooks { effects: Some(reads_and_writes) }
    }
}

op! {
    /// `red.space.op.type [address+offset], b;`: `atom` without the old value.
    RedOp = "ptx.red" {
        operands { address: One ADDRESS, value: One REGISTER }
        attrs { space: Required SPACE, kind: Required ATOMIC_KIND, ty: Required PTX_TYPE, offset: Optional I64 }
        format "$space $kind $ty ` ` `[` $address (`+` $offset^)? `]` `,` $value attr-dict `:` type($address) `,` type($value)"
        hooks { effects: Some(reads_and_writes) }
    }
}

op! {
    /// `cvta.space.u64 d, a;` from a space to generic, or with `to` the other way.
    CvtaOp = "ptx.cvta" {
        operands { address: One types::I64 }
        results { result: One types::I64 }
        attrs { space: Required SPACE, to: Optional UNIT }
        traits PURE
        format "(`to` $to^)? $space $address attr-dict"
    }
}

op! {
    /// `mov.uN d, variable;`: the address of a variable in its own space.
    AddressOfOp = "ptx.address_of" {
        results { result: One ADDRESS }
        attrs { variable: Required FLAT_SYMBOL }
        traits PURE
        format "$variable attr-dict `:` type($result)"
    }
}

op! {
    /// `.local .align n .b8 name[bytes];`: memory of the thread, one piece for each operation however
    /// often it is executed; gives its address in the local space.
    LocalOp = "ptx.local" {
        results { result: One types::I64 }
        attrs { bytes: Required I64, alignment: Required I64 }
        format "`bytes` $bytes `align` $alignment attr-dict"
        hooks { effects: Some(|ir, op, effects| {
            effects.push(Effect { kind: EffectKind::Allocate, on: Some(ir.result(op, 0)) });
        }) }
    }
}

use types::same;

impl LdOp {}
