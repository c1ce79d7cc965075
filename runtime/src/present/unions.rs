//! Sections that the compiler has chosen, of variables that are the same memory in part.
//!
//! Nobody who calls a function with two pointers into one array knows which sections its constructs get. What they have in
//! common is brought in once, as the union of all, which goes back where one of them does. What a program says in its
//! clauses is taken as it says it.

use std::ffi::c_void;

use smallvec::SmallVec;

use crate::descriptor::{AUTO, DataDescriptor, DataKind, IMPLICIT};

/// The unions of sections that overlap, to be brought in before the sections themselves and to be let go of behind them.
/// The same for the same data. Each with its kind.
pub fn unions(data: &[DataDescriptor]) -> Vec<(DataKind, DataDescriptor)> {
    let is_chosen = |data: &&DataDescriptor| {
        data.has(IMPLICIT) && !data.has(AUTO) && data.host_address() != 0 && data.bytes() > 0
    };
    // Every launch asks: few variables stay on the stack.
    let mut chosen: SmallVec<[&DataDescriptor; 16]> = data.iter().filter(is_chosen).collect();
    let end = |data: &DataDescriptor| data.host_address().saturating_add(data.bytes());
    chosen.sort_unstable_by_key(|data| data.host_address());
    let mut found = Vec::new();
    let mut rest = &chosen[..];
    while let Some((first, others)) = rest.split_first() {
        let mut last = end(first);
        let members = others.iter().take_while(|other| {
            let inside = other.host_address() < last;
            last = last.max(if inside { end(other) } else { last });
            inside
        });
        let count = members.count();
        let group = &rest[..=count];
        rest = &rest[count + 1..];
        if count > 0 {
            found.push(union(group, last - first.host_address()));
        }
    }
    found
}

/// The union of sections, in order of their addresses, that has so many bytes.
fn union(group: &[&DataDescriptor], bytes: u64) -> (DataKind, DataDescriptor) {
    let is = |wanted: fn(DataKind) -> bool| {
        group.iter().any(|data| data.data_kind().is_some_and(wanted))
    };
    let kind = match is(DataKind::copies_out) {
        true => DataKind::ImplicitCopy,
        false => DataKind::CopyIn,
    };
    let start = group[0].host_address() as *mut c_void;
    (kind, group[0].part(start, bytes, kind.number() | IMPLICIT))
}
