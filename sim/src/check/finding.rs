//! What a checker has found, as data, as a diagnostic and as JSON.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place};

use crate::fault::{Fault, FaultKind};
use crate::json::quoted;

/// The checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Checker {
    /// Bounds, alignment, lifetime.
    Memcheck,
    /// Races.
    Racecheck,
    /// Uninitialised reads.
    Initcheck,
    /// Barriers and warp-wide operations.
    Synccheck,
}

impl Checker {
    /// The name that compute-sanitizer has for it.
    pub fn name(self) -> &'static str {
        match self {
            Checker::Memcheck => "memcheck",
            Checker::Racecheck => "racecheck",
            Checker::Initcheck => "initcheck",
            Checker::Synccheck => "synccheck",
        }
    }
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// An access outside the variable that its address was computed from, or outside all memory.
    OutOfBounds,
    /// An address that is not a multiple of the size accessed.
    Misaligned,
    /// An access to memory that was freed.
    UseAfterFree,
    /// An access through a null pointer.
    NullPointer,
    /// Memory that was never freed.
    Leak,
    /// A read that no order puts after another thread's write.
    ReadAfterWrite,
    /// A write that no order puts after another thread's read.
    WriteAfterRead,
    /// Two writes in no order.
    WriteAfterWrite,
    /// A read of memory that nobody wrote.
    UninitializedRead,
    /// Lanes of a warp part at a barrier that all must reach together.
    DivergentBarrier,
    /// Threads exited without the barrier that others of their block waited at.
    SkippedBarrier,
    /// A warp-wide operation names lanes that do not take part, or lanes take part unnamed.
    InactiveLanes,
    /// Nobody can go on.
    Deadlock,
    /// A loop that waits for what cannot happen any more.
    EndlessLoop,
    /// Another fault that ended the kernel: a trap, a barrier number, a limit.
    Stopped,
}

impl FindingKind {
    /// A stable name, for JSON.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::Misaligned => "misaligned",
            FindingKind::UseAfterFree => "use-after-free",
            FindingKind::NullPointer => "null-pointer",
            FindingKind::Leak => "leak",
            FindingKind::ReadAfterWrite => "race-read-after-write",
            FindingKind::WriteAfterRead => "race-write-after-read",
            FindingKind::WriteAfterWrite => "race-write-after-write",
            FindingKind::UninitializedRead => "uninitialized-read",
            FindingKind::DivergentBarrier => "divergent-barrier",
            FindingKind::SkippedBarrier => "skipped-barrier",
            FindingKind::InactiveLanes => "inactive-lanes",
            FindingKind::Deadlock => "deadlock",
            FindingKind::EndlessLoop => "endless-loop",
            FindingKind::Stopped => "stopped",
        }
    }

    /// Who finds it.
    pub fn checker(self) -> Checker {
        match self {
            FindingKind::OutOfBounds
            | FindingKind::Misaligned
            | FindingKind::UseAfterFree
            | FindingKind::NullPointer
            | FindingKind::Leak
            | FindingKind::Stopped => Checker::Memcheck,
            FindingKind::ReadAfterWrite
            | FindingKind::WriteAfterRead
            | FindingKind::WriteAfterWrite => Checker::Racecheck,
            FindingKind::UninitializedRead => Checker::Initcheck,
            FindingKind::DivergentBarrier
            | FindingKind::SkippedBarrier
            | FindingKind::InactiveLanes
            | FindingKind::Deadlock
            | FindingKind::EndlessLoop => Checker::Synccheck,
        }
    }
}

/// A thread at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it did (`read`, `write`, `atomic access`, `barrier`).
    pub did: &'static str,
    /// The block.
    pub block: [u32; 3],
    /// The thread within the block.
    pub thread: [u32; 3],
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The C line, from `.loc`.
    pub place: Option<Place>,
}

impl Side {
    fn who(&self) -> String {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        format!(
            "{} by block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}), PTX line {}",
            self.did, self.ptx_line
        )
    }
}

/// The variable or allocation that an access is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, or the label it was allocated with.
    pub name: Arc<str>,
    /// Its size in bytes.
    pub size: u64,
    /// Where the access lies from its start, in bytes; negative before it.
    pub offset: i64,
    /// The same in elements of the access's size.
    pub element: i64,
}

/// One thing found, with how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The kernel; empty for what no kernel did.
    pub kernel: Arc<str>,
    /// The state space; empty where there is no access.
    pub space: &'static str,
    /// The address in its space.
    pub address: u64,
    /// Bytes accessed.
    pub bytes: u32,
    /// What was accessed.
    pub variable: Option<Variable>,
    /// Who did it; `None` for leaks.
    pub side: Option<Side>,
    /// The other one, of two.
    pub other: Option<Side>,
    /// More words.
    pub detail: String,
    /// How often it happened at these instructions.
    pub count: u64,
}

impl Finding {
    /// A fault that ended a kernel, as a finding.
    pub(crate) fn of_fault(fault: &Fault) -> Finding {
        let freed = fault.nearest.as_ref().is_some_and(|near| near.freed);
        let (kind, did) = match fault.kind {
            FaultKind::OutOfBounds(access) if freed => (FindingKind::UseAfterFree, access.name()),
            FaultKind::OutOfBounds(access) => (FindingKind::OutOfBounds, access.name()),
            FaultKind::Null(access) => (FindingKind::NullPointer, access.name()),
            FaultKind::Misaligned(access) => (FindingKind::Misaligned, access.name()),
            FaultKind::BarrierDivergence => (FindingKind::DivergentBarrier, "barrier"),
            FaultKind::Deadlock => (FindingKind::Deadlock, "wait"),
            FaultKind::EndlessLoop => (FindingKind::EndlessLoop, "loop"),
            _ => (FindingKind::Stopped, "stop"),
        };
        let variable = fault.nearest.as_ref().map(|near| Variable {
            name: near.label.clone(),
            size: near.size,
            offset: near.offset,
            element: near.offset.div_euclid(i64::from(fault.bytes.max(1))),
        });
        Finding {
            kind,
            kernel: fault.kernel.clone(),
            space: fault.space,
            address: fault.address,
            bytes: fault.bytes,
            variable,
            side: Some(Side {
                did,
                block: fault.block,
                thread: fault.thread,
                ptx_line: fault.ptx_line,
                place: fault.place.clone(),
            }),
            other: None,
            detail: match fault.nearest {
                Some(_) => fault.detail.clone(),
                None => format!("{}{}{}", fault.message(), sep(&fault.detail), fault.detail),
            },
            count: 1,
        }
    }

    fn message(&self) -> String {
        let Finding { space, bytes, .. } = self;
        let did = self.side.as_ref().map_or("access", |side| side.did);
        match self.kind {
            FindingKind::OutOfBounds => format!("out-of-bounds {space} {did} of {bytes} bytes"),
            FindingKind::Misaligned => format!("misaligned {space} {did} of {bytes} bytes"),
            FindingKind::UseAfterFree => format!("{did} of {bytes} bytes of freed memory"),
            FindingKind::NullPointer => format!("{did} of {bytes} bytes through a null pointer"),
            FindingKind::Leak => "device memory is never freed".into(),
            FindingKind::ReadAfterWrite
            | FindingKind::WriteAfterRead
            | FindingKind::WriteAfterWrite => {
                let other = self.other.as_ref().map_or("access", |side| side.did);
                format!("race in {space} memory: {did} in no order with another thread's {other}")
            }
            FindingKind::UninitializedRead => {
                format!("read of {bytes} bytes of uninitialized {space} memory")
            }
            FindingKind::DivergentBarrier => "barrier in divergent code".into(),
            FindingKind::SkippedBarrier => "threads exited without this barrier".into(),
            FindingKind::InactiveLanes => "the lanes named are not those that take part".into(),
            FindingKind::Deadlock => "deadlock".into(),
            FindingKind::EndlessLoop => "a loop that cannot end".into(),
            FindingKind::Stopped => self.detail.clone(),
        }
    }

    /// The finding at the C line, or without a place where there is no `.loc`.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("{}: {}", self.kind.checker().name(), self.message());
        let place = self.side.as_ref().and_then(|side| side.place.clone());
        let mut out = Diagnostic::error(message).at_option(place);
        if let Some(Variable { name, size, offset, element }) = &self.variable {
            let label = match *offset {
                offset if offset < 0 => {
                    format!("{} bytes before `{name}` ({size} bytes)", offset.unsigned_abs())
                }
                offset if offset as u64 >= *size => {
                    format!("{} bytes after `{name}` ({size} bytes)", offset as u64 - size)
                }
                _ if self.kind == FindingKind::Leak => format!("`{name}` ({size} bytes)"),
                _ => format!("element {element} of `{name}`"),
            };
            if out.place.is_some() { out.label = label } else { out.help.push(label) }
        }
        if let Some(side) = &self.side {
            out.help.push(format!("in kernel `{}`: {}", self.kernel, side.who()));
        }
        if let Some(other) = &self.other {
            if let Some(place) = &other.place {
                out.related.push((place.clone(), format!("the other: {}", other.did)));
            }
            out.help.push(format!("the other: {}", other.who()));
        }
        if !self.detail.is_empty() && self.kind != FindingKind::Stopped {
            out.help.push(self.detail.clone());
        }
        if self.count > 1 {
            out.help.push(format!("{} times here", self.count));
        }
        out
    }

    /// One JSON object on one line.
    pub fn json(&self) -> String {
        let mut out = String::from("{");
        let _ = write!(
            out,
            "\"checker\":\"{}\",\"kind\":\"{}\",\"message\":{},\"kernel\":{},\"count\":{}",
            self.kind.checker().name(),
            self.kind.name(),
            quoted(&self.message()),
            quoted(&self.kernel),
            self.count
        );
        if !self.space.is_empty() {
            let _ = write!(
                out,
                ",\"space\":\"{}\",\"address\":{},\"bytes\":{}",
                self.space, self.address, self.bytes
            );
        }
        if let Some(Variable { name, size, offset, element }) = &self.variable {
            let _ = write!(
                out,
                ",\"variable\":{{\"name\":{},\"size\":{size},\"offset\":{offset},\"element\":{element}}}",
                quoted(name)
            );
        }
        for (key, side) in [("access", &self.side), ("other", &self.other)] {
            let Some(side) = side else { continue };
            let _ = write!(
                out,
                ",\"{key}\":{{\"did\":\"{}\",\"block\":{:?},\"thread\":{:?},\"ptx_line\":{}",
                side.did, side.block, side.thread, side.ptx_line
            );
            if let Some(place) = &side.place {
                let _ = write!(
                    out,
                    ",\"file\":{},\"line\":{},\"column\":{}",
                    quoted(&place.file),
                    place.line,
                    place.column
                );
            }
            out.push('}');
        }
        if !self.detail.is_empty() {
            let _ = write!(out, ",\"detail\":{}", quoted(&self.detail));
        }
        out.push('}');
        out
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic().fmt(f)
    }
}

/// Findings as one JSON object: `{"findings": [...]}`.
pub fn findings_json(findings: &[Finding]) -> String {
    let items: Vec<String> = findings.iter().map(Finding::json).collect();
    format!("{{\"findings\":[{}]}}\n", items.join(",\n"))
}

fn sep(text: &str) -> &'static str {
    if text.is_empty() { "" } else { ": " }
}
