//! What a launch did, counted, under Nsight Compute's names.

use std::collections::BTreeMap;

use crate::launch::LineCounts;
use crate::profile::{Operation, SiteProfile, operation};
use crate::program::{Class, Code, Op};

/// What to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counters {
    /// Nothing: the fastest.
    #[default]
    Off,
    /// Everything that is known from instructions and addresses, in every block.
    All,
    /// The same, and what the device would have made of it: caches, occupancy, time.
    Profile,
}

/// Counts of one instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SiteCounts {
    /// Warp instructions.
    pub(crate) issued: u64,
    /// Lanes that were active.
    pub(crate) active: u64,
    /// Lanes whose guard held.
    pub(crate) enabled: u64,
    /// What the operation itself counts.
    pub(crate) traffic: Traffic,
    /// Branches that split their lanes.
    pub(crate) divergent: u64,
}

/// Counts of memory operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) kind: TrafficKind,
    pub(crate) requests: u64,
    /// Global: sectors. Shared: wavefronts.
    pub(crate) units: u64,
    /// Shared: wavefronts beyond those that the width needs.
    pub(crate) conflicts: u64,
    /// Bytes that lanes asked for.
    pub(crate) bytes: u64,
    /// Quarters of a clock that the load/store unit is busy.
    pub(crate) quarters: u64,
    /// Loads that an assembler makes part of a wider one before them.
    pub(crate) followers: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TrafficKind {
    #[default]
    None,
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    LocalLoad,
    LocalStore,
}

impl TrafficKind {
    const COUNT: usize = 9;
}

impl SiteCounts {
    pub(crate) fn add(&mut self, other: &SiteCounts) {
        self.issued += other.issued;
        self.active += other.active;
        self.enabled += other.enabled;
        self.divergent += other.divergent;
        self.traffic.add(&other.traffic);
    }
}

impl Traffic {
    pub(crate) fn add(&mut self, other: &Traffic) {
        self.add_times(other, 1);
    }

    /// Adds as many operations of the same cost.
    pub(crate) fn add_times(&mut self, other: &Traffic, times: u64) {
        if other.kind != TrafficKind::None {
            self.kind = other.kind;
        }
        self.requests += times * other.requests;
        self.units += times * other.units;
        self.conflicts += times * other.conflicts;
        self.bytes += times * other.bytes;
        self.quarters += times * other.quarters;
        self.followers += times * other.followers;
    }
}

/// Requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    /// Warp instructions with at least one active lane.
    pub requests: u64,
    /// Sectors of 32 bytes touched (global and local memory).
    pub sectors: u64,
    /// Passes through the banks (shared memory).
    pub wavefronts: u64,
    /// Passes beyond those that the width of the access needs (shared memory).
    pub bank_conflicts: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
}

impl MemoryCounts {
    /// Sectors a request, 0 without requests.
    pub fn sectors_per_request(&self) -> f64 {
        if self.requests == 0 { 0.0 } else { self.sectors as f64 / self.requests as f64 }
    }
}

/// Instructions of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionCounts {
    /// Warp instructions.
    pub warp: u64,
    /// Lanes whose guard held.
    pub thread: u64,
}

/// Everything counted in a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CounterSet {
    /// By class, in the order of [`Class::ALL`].
    pub by_class: [InstructionCounts; Class::ALL.len()],
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Lanes active in them.
    pub thread_instructions: u64,
    /// Lanes whose guard held.
    pub thread_instructions_pred_on: u64,
    /// Branches executed by warps.
    pub branches: u64,
    /// Those whose lanes went different ways.
    pub divergent_branches: u64,
    /// Barriers reached by warps.
    pub barriers: u64,
    /// Global memory loads.
    pub global_load: MemoryCounts,
    /// Global memory stores.
    pub global_store: MemoryCounts,
    /// Atomics and reductions on global memory.
    pub global_atomic: MemoryCounts,
    /// Shared memory loads.
    pub shared_load: MemoryCounts,
    /// Shared memory stores.
    pub shared_store: MemoryCounts,
    /// Atomics on shared memory.
    pub shared_atomic: MemoryCounts,
    /// Local memory loads.
    pub local_load: MemoryCounts,
    /// Local memory stores.
    pub local_store: MemoryCounts,
    /// Lanes of floating-point additions, products and fused operations, in the order of
    /// [`Operation::ALL`].
    pub operations: [u64; Operation::ALL.len()],
    /// Operations in them: single, double and half precision; a fused one is two.
    pub flops: [u64; 3],
}

impl CounterSet {
    /// Sums the counts of a kernel's instructions.
    pub(crate) fn of(sites: &[SiteCounts], code: &Code) -> CounterSet {
        let mut set = CounterSet::default();
        let mut memory = [MemoryCounts::default(); TrafficKind::COUNT];
        for (site, (inst, origin)) in sites.iter().zip(code.insts.iter().zip(&code.origins)) {
            let class =
                &mut set.by_class[Class::ALL.iter().position(|&c| c == origin.class).unwrap_or(0)];
            class.warp += site.issued;
            class.thread += site.enabled;
            set.warp_instructions += site.issued;
            set.thread_instructions += site.active;
            set.thread_instructions_pred_on += site.enabled;
            set.divergent_branches += site.divergent;
            match inst.op {
                Op::Branch { .. } | Op::BranchTable { .. } => set.branches += site.issued,
                Op::Barrier { .. } | Op::ClusterWait { .. } => set.barriers += site.issued,
                _ => {}
            }
            if let Some((operation, each)) = operation(&inst.op) {
                set.operations[operation as usize] += site.enabled;
                set.flops[operation as usize / 3] += site.enabled * u64::from(each);
            }
            let traffic = &site.traffic;
            let counts = &mut memory[traffic.kind as usize];
            counts.requests += traffic.requests;
            counts.bytes += traffic.bytes;
            counts.bank_conflicts += traffic.conflicts;
            match traffic.kind {
                TrafficKind::SharedLoad | TrafficKind::SharedStore | TrafficKind::SharedAtomic => {
                    counts.wavefronts += traffic.units;
                }
                _ => counts.sectors += traffic.units,
            }
        }
        set.global_load = memory[TrafficKind::GlobalLoad as usize];
        set.global_store = memory[TrafficKind::GlobalStore as usize];
        set.global_atomic = memory[TrafficKind::GlobalAtomic as usize];
        set.shared_load = memory[TrafficKind::SharedLoad as usize];
        set.shared_store = memory[TrafficKind::SharedStore as usize];
        set.shared_atomic = memory[TrafficKind::SharedAtomic as usize];
        set.local_load = memory[TrafficKind::LocalLoad as usize];
        set.local_store = memory[TrafficKind::LocalStore as usize];
        set
    }

    /// Adds the counts of another launch.
    pub fn add(&mut self, other: &CounterSet) {
        let sum = |all: &mut [u64], one: &[u64]| {
            all.iter_mut().zip(one).for_each(|(all, one)| *all += one);
        };
        for (all, one) in self.by_class.iter_mut().zip(&other.by_class) {
            all.warp += one.warp;
            all.thread += one.thread;
        }
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.thread_instructions_pred_on += other.thread_instructions_pred_on;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.barriers += other.barriers;
        sum(&mut self.operations, &other.operations);
        sum(&mut self.flops, &other.flops);
        for (all, one) in [
            (&mut self.global_load, &other.global_load),
            (&mut self.global_store, &other.global_store),
            (&mut self.global_atomic, &other.global_atomic),
            (&mut self.shared_load, &other.shared_load),
            (&mut self.shared_store, &other.shared_store),
            (&mut self.shared_atomic, &other.shared_atomic),
            (&mut self.local_load, &other.local_load),
            (&mut self.local_store, &other.local_store),
        ] {
            all.requests += one.requests;
            all.sectors += one.sectors;
            all.wavefronts += one.wavefronts;
            all.bank_conflicts += one.bank_conflicts;
            all.bytes += one.bytes;
        }
    }

    /// The counts of one class.
    pub fn class(&self, class: Class) -> InstructionCounts {
        self.by_class[Class::ALL.iter().position(|&c| c == class).unwrap_or(0)]
    }

    /// Every counter with its Nsight Compute name, for tables.
    pub fn metrics(&self) -> Vec<(String, f64)> {
        let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let mut out: Vec<(String, f64)> = Vec::new();
        let mut add = |name: &str, value: f64| out.push((name.to_string(), value));
        add("smsp__inst_executed.sum", self.warp_instructions as f64);
        add("smsp__thread_inst_executed.sum", self.thread_instructions as f64);
        add("smsp__thread_inst_executed_pred_on.sum", self.thread_instructions_pred_on as f64);
        add(
            "smsp__thread_inst_executed_per_inst_executed.ratio",
            ratio(self.thread_instructions, self.warp_instructions),
        );
        for class in Class::ALL {
            let name = format!("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", class.name());
            add(&name, self.class(class).thread as f64);
        }
        for (operation, lanes) in Operation::ALL.into_iter().zip(self.operations) {
            let name = operation.name();
            add(&format!("smsp__sass_thread_inst_executed_op_{name}_pred_on.sum"), lanes as f64);
        }
        add("smsp__sass_branch_targets.sum", self.branches as f64);
        add("smsp__sass_branch_targets_threads_divergent.sum", self.divergent_branches as f64);
        add("smsp__inst_executed_op_barrier.sum", self.barriers as f64);
        for (op, counts) in [("ld", self.global_load), ("st", self.global_store)] {
            add(
                &format!("l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum"),
                counts.requests as f64,
            );
            add(
                &format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"),
                counts.sectors as f64,
            );
            add(
                &format!("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{op}.ratio"),
                counts.sectors_per_request(),
            );
            add(
                &format!("smsp__sass_average_data_bytes_per_sector_mem_global_op_{op}.pct"),
                100.0 * ratio(counts.bytes, 32 * counts.sectors),
            );
        }
        add("smsp__inst_executed_op_global_atom.sum", self.global_atomic.requests as f64);
        add("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", self.global_atomic.sectors as f64);
        for (op, counts) in [("ld", self.shared_load), ("st", self.shared_store)] {
            add(
                &format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"),
                counts.bank_conflicts as f64,
            );
            add(
                &format!("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"),
                counts.wavefronts as f64,
            );
            add(&format!("smsp__inst_executed_op_shared_{op}.sum"), counts.requests as f64);
        }
        let wavefronts = self.shared_load.wavefronts
            + self.shared_store.wavefronts
            + self.shared_atomic.wavefronts;
        add("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", wavefronts as f64);
        add("smsp__inst_executed_op_shared_atom.sum", self.shared_atomic.requests as f64);
        for (op, counts) in [("ld", self.local_load), ("st", self.local_store)] {
            add(&format!("l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum"), counts.sectors as f64);
        }
        out
    }
}

/// Sums the counts of a kernel's instructions by source line.
pub(crate) fn by_line(
    sites: &[SiteCounts],
    code: &Code,
    profiles: &[SiteProfile],
) -> Vec<LineCounts> {
    let mut lines: BTreeMap<(&str, u32), LineCounts> = BTreeMap::new();
    for (at, (site, origin)) in sites.iter().zip(&code.origins).enumerate() {
        let Some(place) =
            (origin.location as usize).checked_sub(1).and_then(|at| code.locations.get(at))
        else {
            continue;
        };
        let counts = lines.entry((&place.file, place.line)).or_insert_with(|| LineCounts {
            file: place.file.clone(),
            line: place.line,
            warp_instructions: 0,
            thread_instructions: 0,
            global_sectors: 0,
            global_requests: 0,
            bank_conflicts: 0,
            divergent_branches: 0,
            time: 0.0,
            dram_bytes: 0.0,
        });
        counts.warp_instructions += site.issued;
        counts.thread_instructions += site.enabled;
        if let Some(profile) = profiles.get(at) {
            counts.time += profile.time;
            counts.dram_bytes += profile.dram_bytes;
        }
        counts.divergent_branches += site.divergent;
        counts.bank_conflicts += site.traffic.conflicts;
        if matches!(
            site.traffic.kind,
            TrafficKind::GlobalLoad | TrafficKind::GlobalStore | TrafficKind::GlobalAtomic
        ) {
            counts.global_sectors += site.traffic.units;
            counts.global_requests += site.traffic.requests;
        }
    }
    lines.into_values().collect()
}
