//! From what stopped a warp to a fault that names place, thread and variable.

use crate::fault::{Fault, FaultKind, NearestAllocation};
use crate::program::MemorySpace;

use super::block::Environment;
use super::lanes::LANES;
use super::warp::{Cause, Warp, WarpFault};

/// Nobody can go on: says who waits where.
pub(super) fn deadlock(environment: &Environment<'_>, index: u64, warps: &[Warp]) -> Box<Fault> {
    let waiting: u32 = warps.iter().map(|warp| warp.live().count_ones()).sum();
    let found = warps.iter().enumerate().find_map(|(i, warp)| warp.waiting().map(|w| (i, w)));
    let (warp, (pc, lane, _)) = found.unwrap_or((0, (0, 0, 0)));
    let detail = format!(
        "{waiting} of {} threads of the block wait here or elsewhere, and none can go on",
        environment.threads()
    );
    let fault = WarpFault { pc, lane, cause: Cause::Other(FaultKind::Deadlock, detail) };
    fault_at(environment, index, warp, fault)
}

/// Puts names to what went wrong.
#[cold]
pub(super) fn fault_at(
    environment: &Environment<'_>,
    index: u64,
    warp: usize,
    stopped: WarpFault,
) -> Box<Fault> {
    let code = environment.code;
    let block = Environment::coordinates(environment.grid, index);
    let origin = &code.origins[stopped.pc as usize];
    let mut fault = Fault {
        kind: FaultKind::Trap,
        kernel: environment.kernel.into(),
        address: 0,
        space: "",
        bytes: 0,
        block,
        thread: Environment::coordinates(environment.block, (warp * LANES + stopped.lane) as u64),
        ptx_line: origin.ptx_line,
        place: code.place(origin).cloned(),
        nearest: None,
        detail: String::new(),
    };
    match stopped.cause {
        Cause::Other(kind, detail) => {
            fault.kind = kind;
            fault.detail = detail;
        }
        Cause::Access(violation) => {
            let access = violation.access;
            fault.address = violation.address;
            fault.bytes = violation.bytes;
            fault.kind = if violation.misaligned {
                FaultKind::Misaligned(access)
            } else if violation.space == MemorySpace::Global && violation.address < 4096 {
                FaultKind::Null(access)
            } else {
                FaultKind::OutOfBounds(access)
            };
            (fault.space, fault.nearest) = match violation.space {
                MemorySpace::Shared => ("shared", nearest_shared(environment, violation.address)),
                MemorySpace::Local => (
                    "local",
                    whole("local memory of the thread", code.local_bytes, violation.address),
                ),
                MemorySpace::Param => {
                    let size = environment.params.len() as u64;
                    ("param", whole("parameters of the kernel", size, violation.address))
                }
                _ => ("global", (environment.nearest)(violation.address)),
            };
        }
    }
    Box::new(fault)
}

fn nearest_shared(environment: &Environment<'_>, address: u64) -> Option<NearestAllocation> {
    let code = environment.code;
    let last = code.shared_variables.iter().rfind(|variable| variable.offset <= address);
    match last {
        Some(variable) if environment.shared_bytes == code.shared_bytes => {
            Some(NearestAllocation {
                label: variable.name.clone(),
                size: variable.size,
                offset: address.wrapping_sub(variable.offset) as i64,
                freed: false,
            })
        }
        _ => whole("shared memory of the block", environment.shared_bytes, address),
    }
}

fn whole(label: &str, size: u64, address: u64) -> Option<NearestAllocation> {
    Some(NearestAllocation { label: label.into(), size, offset: address as i64, freed: false })
}
