//! Functions of the device's runtime system: output, heap, assertions.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::device_heap::{DeviceHeap, HeapChange, taken};
use crate::fault::FaultKind;
use crate::program::{Inst, SystemCall};

use super::lanes::{LANES, Registers, store};
use super::memory::View;
use super::printf;
use super::warp::Cause;

/// Longest string that is read from the device.
const MAX_STRING: usize = 1 << 16;
/// Most bytes that a launch may print.
const MAX_OUTPUT: usize = 256 << 20;

/// What system functions act on.
pub(crate) struct Services<'e> {
    pub(crate) heap: &'e DeviceHeap,
    pub(crate) output: &'e Output,
}

/// What the blocks of a launch print, kept apart so that the order does not depend on the host's
/// timing.
#[derive(Debug, Default)]
pub(crate) struct Output {
    blocks: Mutex<(BTreeMap<u64, Vec<u8>>, usize)>,
}

impl Output {
    /// Adds to what a block prints; false once a launch has printed too much.
    fn add(&self, block: u64, text: &[u8]) -> bool {
        let mut guard = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let (blocks, bytes) = &mut *guard;
        if *bytes + text.len() > MAX_OUTPUT {
            return false;
        }
        *bytes += text.len();
        blocks.entry(block).or_default().extend_from_slice(text);
        true
    }

    /// Writes what the blocks up to `last` have printed.
    pub(crate) fn flush(&self, last: u64, sink: Option<&Mutex<Vec<u8>>>) {
        let guard = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = guard.0.range(..=last).map(|(_, text)| text);
        match sink {
            Some(sink) => {
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                texts.for_each(|text| sink.extend_from_slice(text));
            }
            None => {
                let mut out = std::io::stdout().lock();
                for text in texts {
                    // Nobody can be told that standard output is closed.
                    let _ = out.write_all(text);
                }
                let _ = out.flush();
            }
        }
    }
}

/// Runs a system function in the lanes of `mask`, in their order; what it did to the heap, by lane.
pub(super) fn execute(
    call: SystemCall,
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    services: &Services<'_>,
    block: u64,
) -> Result<Vec<(usize, HeapChange)>, (usize, Cause)> {
    let mut changes = Vec::new();
    let wide = |registers: &Registers, n: usize, lane: usize| registers.wide(inst.src[n])[lane];
    let mut out = [0u64; LANES];
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        match call {
            SystemCall::Printf => {
                let format = wide(registers, 0, lane);
                let arguments = wide(registers, 1, lane);
                let result =
                    print(view, lane, format, arguments, |text| services.output.add(block, text));
                out[lane] = result as u32 as u64;
            }
            SystemCall::Malloc => {
                let bytes = wide(registers, 0, lane);
                let base = services.heap.allocate(bytes);
                out[lane] = base;
                if base != 0 {
                    let bytes = taken(bytes);
                    changes.push((lane, HeapChange { base, bytes, freed: false }));
                }
            }
            SystemCall::Free => {
                let base = wide(registers, 0, lane);
                if base == 0 {
                    continue;
                }
                let Some(bytes) = services.heap.free(base) else {
                    let detail = format!("`malloc` did not give {base:#x}, or it was freed");
                    return Err((lane, Cause::Other(FaultKind::InvalidFree, detail)));
                };
                changes.push((lane, HeapChange { base, bytes: taken(bytes), freed: true }));
            }
            SystemCall::AssertFail => {
                let text = |n: usize| {
                    let bytes = string(view, lane, wide(registers, n, lane)).unwrap_or_default();
                    String::from_utf8_lossy(&bytes).into_owned()
                };
                let line = registers.narrow(inst.src[2])[lane];
                let detail = format!("{}:{line}: {}: `{}`", text(1), text(3), text(0));
                return Err((lane, Cause::Other(FaultKind::Assert, detail)));
            }
        }
    }
    match call {
        SystemCall::Printf => store(registers, inst.dst, mask, &out.map(|value| value as u32)),
        SystemCall::Malloc => store(registers, inst.dst, mask, &out),
        SystemCall::Free | SystemCall::AssertFail => {}
    }
    Ok(changes)
}

/// A string of the device; `None` if it runs out of memory or has no end.
fn string(view: &View<'_>, lane: usize, address: u64) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while out.len() < MAX_STRING {
        match view.byte(lane, address.wrapping_add(out.len() as u64))? {
            0 => return Some(out),
            byte => out.push(byte),
        }
    }
    None
}

/// `vprintf`: the number of arguments printed; -1 for a format that cannot be read, -2 if the output
/// is full (CUDA C++ Programming Guide §10.34.1).
fn print(
    view: &View<'_>,
    lane: usize,
    format: u64,
    arguments: u64,
    add: impl Fn(&[u8]) -> bool,
) -> i32 {
    let Some(format) = string(view, lane, format) else { return -1 };
    // Arguments lie one behind the other, each at a multiple of its size.
    let mut at = 0u64;
    let next = |bytes: u64| {
        at = at.next_multiple_of(bytes);
        let start = arguments.wrapping_add(at);
        at += bytes;
        (0..bytes).try_fold(0u64, |value, i| {
            Some(value | u64::from(view.byte(lane, start.wrapping_add(i))?) << (8 * i))
        })
    };
    let Some((text, count)) = printf::format(&format, next, |address| string(view, lane, address))
    else {
        return -1;
    };
    if add(&text) { count } else { -2 }
}
