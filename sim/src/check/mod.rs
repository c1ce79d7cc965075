//! Checkers of running kernels, under the names of NVIDIA's compute-sanitizer.
//!
//! Each is a [`Probe`]: it listens to the executor and keeps a shadow of what it needs. A device
//! made with [`crate::Simulator::checked`] runs its kernels on one host thread with the checkers
//! listening, so that the findings of a program are the same every time.

mod finding;
mod initcheck;
mod memcheck;
mod provenance;
mod racecheck;
mod synccheck;

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::device_heap::DeviceHeap;
use crate::exec::{At, Environment, Probe};
use crate::fault::NearestAllocation;
use crate::program::{Code, MemorySpace};

pub use finding::{Checker, Finding, FindingKind, Side, Variable, findings_json};
pub(crate) use initcheck::InitializedBytes;

/// Distinct findings of one launch that are kept.
const MOST: usize = 200;

/// Which checkers listen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses out of the bounds of variables, misaligned, after a free; leaks.
    pub memcheck: bool,
    /// Unordered accesses of two threads to one place, one of them a write.
    pub racecheck: bool,
    /// Reads of memory that nobody wrote.
    pub initcheck: bool,
    /// Wrong use of barriers and warp-wide operations.
    pub synccheck: bool,
}

impl Checks {
    /// All checkers.
    pub const ALL: Checks =
        Checks { memcheck: true, racecheck: true, initcheck: true, synccheck: true };

    /// Whether there is any.
    pub fn any(self) -> bool {
        self != Checks::default()
    }
}

impl FromStr for Checks {
    type Err = String;

    /// A list with commas: `memcheck,racecheck`; `all` for all four.
    fn from_str(text: &str) -> Result<Checks, String> {
        let mut checks = Checks::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "memcheck" => checks.memcheck = true,
                "racecheck" => checks.racecheck = true,
                "initcheck" => checks.initcheck = true,
                "synccheck" => checks.synccheck = true,
                "all" => checks = Checks::ALL,
                other => {
                    return Err(format!(
                        "`{other}` is not a checker: there are memcheck, racecheck, initcheck, \
                         synccheck and all"
                    ));
                }
            }
        }
        if checks.any() { Ok(checks) } else { Err("the list of checkers is empty".into()) }
    }
}

/// The findings of a launch; equal ones are counted.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) findings: Vec<Finding>,
    seen: FxHashMap<(FindingKind, u32, u32), usize>,
}

/// What the checkers of one launch share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'l> {
    pub(crate) code: &'l Code,
    pub(crate) kernel: &'l str,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u64,
    pub(crate) heap: &'l DeviceHeap,
    pub(crate) nearest: &'l (dyn Fn(u64) -> Option<NearestAllocation> + Sync),
    pub(crate) log: &'l Mutex<Log>,
}

impl Context<'_> {
    fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// One side of a finding: a lane at an instruction.
    fn side(&self, did: &'static str, at: At, lane: u32) -> Side {
        let thread = u64::from(at.warp * gpuc_arch::WARP_SIZE + lane);
        self.side_of(did, at.block, thread, at.site)
    }

    fn side_of(&self, did: &'static str, block: u64, thread: u64, site: u32) -> Side {
        let origin = &self.code.origins[site as usize];
        Side {
            did,
            block: Environment::coordinates(self.grid, block),
            thread: Environment::coordinates(self.block, thread),
            ptx_line: origin.ptx_line,
            place: self.code.place(origin).cloned(),
        }
    }

    /// The variable with an address.
    fn variable(&self, space: MemorySpace, address: u64, bytes: u32) -> Option<Variable> {
        let (name, size, offset) = match space {
            MemorySpace::Shared => {
                let within = |v: &&crate::program::SharedVariable| address - v.offset < v.size;
                let variables = &self.code.shared_variables;
                let found = variables.iter().rfind(|v| v.offset <= address).filter(within);
                match found {
                    Some(v) => (v.name.clone(), v.size, (address - v.offset) as i64),
                    None => (Arc::from("shared memory"), self.shared_bytes, address as i64),
                }
            }
            MemorySpace::Local => {
                let variables = &self.code.local_variables;
                let found = variables.iter().rfind(|v| address.wrapping_sub(v.offset) < v.size);
                match found {
                    Some(v) => (v.name.clone(), v.size, (address - v.offset) as i64),
                    None => (Arc::from("local memory"), self.code.local_bytes, address as i64),
                }
            }
            MemorySpace::Global | MemorySpace::Generic => {
                let near = (self.nearest)(address)?;
                (near.label, near.size, near.offset)
            }
            MemorySpace::Param => return None,
        };
        Some(Variable { name, size, offset, element: offset.div_euclid(i64::from(bytes.max(1))) })
    }

    /// Adds a finding, or counts it if one of this kind at these instructions is known. `make` is
    /// called for new ones only.
    fn report(&self, kind: FindingKind, sites: (u32, u32), make: impl FnOnce() -> Finding) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = log.seen.get(&(kind, sites.0, sites.1)) {
            log.findings[known].count += 1;
        } else if log.findings.len() < MOST {
            let at = log.findings.len();
            log.seen.insert((kind, sites.0, sites.1), at);
            log.findings.push(make());
        }
    }
}

/// The word for a space.
fn space_name(space: MemorySpace) -> &'static str {
    match space {
        MemorySpace::Global | MemorySpace::Generic => "global",
        MemorySpace::Shared => "shared",
        MemorySpace::Local => "local",
        MemorySpace::Param => "param",
    }
}

/// The listeners of a launch.
pub(crate) fn probes<'l>(
    context: Context<'l>,
    checks: Checks,
    initialized: &'l Mutex<InitializedBytes>,
) -> Vec<Box<dyn Probe + Send + 'l>> {
    let mut probes: Vec<Box<dyn Probe + Send + 'l>> = Vec::new();
    if checks.memcheck {
        probes.push(Box::new(memcheck::Memcheck::new(context)));
    }
    if checks.racecheck {
        probes.push(Box::new(racecheck::Racecheck::new(context)));
    }
    if checks.initcheck {
        probes.push(Box::new(initcheck::Initcheck::new(context, initialized)));
    }
    if checks.synccheck {
        probes.push(Box::new(synccheck::Synccheck::new(context)));
    }
    probes
}
