//! What bounds a kernel, and what would help: in sentences, each with the number that it rests on.

use gpuc_arch::{AtomicClocks, Bound, Estimate, Limiter, Resource};

use crate::launch::LineCounts;
use crate::profile::Profile;

use super::KernelReport;
use super::text::{per_cent, place};

/// The sentences.
pub(super) struct Verdict {
    /// What bounds the kernel.
    pub(super) bound: String,
    /// What would help; empty where nothing would.
    pub(super) help: Vec<String>,
}

/// Below this share of useful bytes in the sectors moved, coalescing is worth a word.
const GOOD_EFFICIENCY: f64 = 0.7;
/// Above this share of conflicts among wavefronts, so are bank conflicts.
const BAD_CONFLICTS: f64 = 0.2;

pub(super) fn of(kernel: &KernelReport, profile: &Profile) -> Verdict {
    let estimate = &profile.estimate;
    let mut help = Vec::new();
    access(kernel, estimate, &mut help);
    match estimate.bound {
        Bound::Latency => occupancy(profile, &mut help),
        Bound::Grid => {
            let chip = &profile.arch.chip;
            help.push(format!(
                "a multiprocessor is idle without a block, and {} has {}: make more, smaller blocks",
                chip.name, chip.sm_count
            ));
        }
        Bound::Barriers => help.push(format!(
            "barriers keep the warps of a block in one phase for {} of the time: load the next tile \
             while this one is computed with, or make blocks smaller, so that others fill in \
             (resident now: {})",
            per_cent(estimate.barrier_clocks / estimate.clocks.max(1.0)),
            estimate.occupancy.blocks
        )),
        Bound::Atomics => help.push(
            "combine in registers or shared memory first, one atomic operation for each block".into(),
        ),
        Bound::Starts => help.push(format!(
            "a block of {} threads is over before the next ones start: give each thread several elements",
            profile.work.threads
        )),
        Bound::Launch => help.push(format!(
            "a launch costs {:.1} µs by itself: make one of several, or do more in each",
            profile.arch.chip.launch_us
        )),
        Bound::Resource(resource) => resource_help(kernel, profile, resource, &mut help),
    }
    Verdict { bound: bound(kernel, profile), help }
}

fn bound(kernel: &KernelReport, profile: &Profile) -> String {
    let estimate = &profile.estimate;
    let busiest = estimate.busiest();
    let share = per_cent(estimate.share(busiest));
    match estimate.bound {
        Bound::Resource(Resource::Dram) => {
            let chip = &profile.arch.chip;
            let bytes = profile.caches.dram_read_bytes + profile.caches.dram_write_bytes;
            format!(
                "bound by DRAM bandwidth: {share} of the {:.0} GB/s that {} sustains ({:.1} MB a \
                 launch)",
                chip.dram_gbs * chip.dram_sustained,
                chip.name,
                bytes / 1e6
            )
        }
        Bound::Resource(resource) => {
            format!("bound by {}: {share} of its peak", resource.name())
        }
        Bound::Latency => format!(
            "waits for results: nothing is busy ({}: {share}) with {:.0} of {} warps resident",
            busiest.name(),
            estimate.achieved_warps,
            estimate.occupancy.max_warps
        ),
        Bound::Barriers => format!(
            "waits at barriers: {} of the time, with {} blocks resident",
            per_cent(estimate.barrier_clocks / estimate.clocks.max(1.0)),
            estimate.occupancy.blocks
        ),
        Bound::Atomics => format!(
            "bound by atomics: those on the same {} bytes of memory take {:.0} clocks",
            AtomicClocks::BYTES,
            profile.work.atomic_clocks
        ),
        Bound::Starts => format!(
            "bound by the starts of blocks: {} of them, {:.1} clocks from one to the next",
            profile.work.blocks, profile.arch.chip.block_clocks
        ),
        Bound::Grid => format!(
            "too few blocks: {} in {:.2} waves on {} multiprocessors",
            profile.work.blocks, estimate.waves, profile.arch.chip.sm_count
        ),
        Bound::Launch => format!(
            "bound by launching: {:.1} µs of {:.1}",
            profile.arch.chip.launch_us,
            kernel.seconds * 1e6 / kernel.launches.max(1) as f64
        ),
    }
}

/// The line with most of something, if any has it.
fn worst(kernel: &KernelReport, of: impl Fn(&LineCounts) -> u64) -> Option<&LineCounts> {
    kernel.lines.iter().max_by_key(|line| of(line)).filter(|line| of(line) > 0)
}

/// Patterns of access that move more than is asked for.
fn access(kernel: &KernelReport, estimate: &Estimate, help: &mut Vec<String>) {
    let counters = &kernel.counters;
    let memory = Resource::ALL.into_iter().filter(|resource| resource.is_memory());
    let busy = memory.map(|resource| estimate.share(resource)).fold(0.0, f64::max);
    if busy < 0.3 {
        return;
    }
    for (what, counts) in [("loads", counters.global_load), ("stores", counters.global_store)] {
        let efficiency = counts.bytes as f64 / (32 * counts.sectors).max(1) as f64;
        if counts.sectors > 0 && efficiency < GOOD_EFFICIENCY {
            let line = worst(kernel, |line| line.global_sectors);
            help.push(format!(
                "global {what} use {} of the sectors they move, {:.1} a request{}: let neighbouring \
                 threads touch neighbouring elements",
                per_cent(efficiency),
                counts.sectors_per_request(),
                line.map_or_else(String::new, |line| format!(" (most on {})", place(line)))
            ));
        }
    }
    let shared = [counters.shared_load, counters.shared_store, counters.shared_atomic];
    let wavefronts: u64 = shared.iter().map(|counts| counts.wavefronts).sum();
    let conflicts: u64 = shared.iter().map(|counts| counts.bank_conflicts).sum();
    if conflicts as f64 > BAD_CONFLICTS * wavefronts as f64 {
        let line = worst(kernel, |line| line.bank_conflicts);
        help.push(format!(
            "{conflicts} of {wavefronts} wavefronts of shared memory are bank conflicts{}: pad the \
             rows by one element, or turn the tile round",
            line.map_or_else(String::new, |line| format!(" (most on {})", place(line)))
        ));
    }
}

fn occupancy(profile: &Profile, help: &mut Vec<String>) {
    let of = &profile.estimate.occupancy;
    let limit = match of.limiter {
        Limiter::Registers => format!("{} registers a thread", profile.registers),
        Limiter::SharedMemory => format!("{} bytes of shared memory a block", profile.shared_bytes),
        Limiter::Blocks => format!("{} threads a block", profile.work.threads),
        Limiter::Warps | Limiter::TooLarge => {
            help.push(
                "all warps are there: give each thread several independent elements, so that loads \
                 overlap"
                    .into(),
            );
            return;
        }
    };
    help.push(format!(
        "{limit} leave {} of {} warps: use less, or give each thread more independent work",
        of.warps, of.max_warps
    ));
}

fn resource_help(
    kernel: &KernelReport,
    profile: &Profile,
    resource: Resource,
    help: &mut Vec<String>,
) {
    let counters = &kernel.counters;
    let flops: u64 = counters.flops.iter().sum();
    match resource {
        Resource::Dram if help.is_empty() => {
            let bytes = (profile.caches.dram_read_bytes + profile.caches.dram_write_bytes)
                * kernel.launches as f64;
            help.push(format!(
                "every byte moved is used; only fewer bytes help ({:.2} operations a byte now): \
                 keep data in registers or shared memory between kernels, use narrower types",
                flops as f64 / bytes.max(1.0)
            ));
        }
        Resource::L2 if help.is_empty() => help.push(
            "keep in shared memory what several threads of a block read".into(),
        ),
        Resource::Lsu if help.is_empty() => {
            let accesses = counters.shared_load.requests + counters.global_load.requests;
            help.push(format!(
                "{:.2} operations for each element loaded: let a thread compute a tile of several \
                 results, and use what it loads for all of them; load 16 bytes at a time",
                flops as f64 / (32 * accesses).max(1) as f64
            ));
        }
        Resource::Issue | Resource::Alu => {
            let float: u64 = counters.operations.iter().sum();
            help.push(format!(
                "{} of the instructions are floating-point arithmetic: unroll, so that addresses and \
                 loops cost less",
                per_cent(float as f64 / counters.thread_instructions_pred_on.max(1) as f64)
            ));
        }
        Resource::Fp64 => help.push(format!(
            "{} does {} double-precision operations a clock and multiprocessor: use float where the \
             result allows",
            profile.arch.chip.name, profile.arch.throughput.f64
        )),
        Resource::Xu => help.push(
            "conversions, roots, divisions and the like share 16 lanes: move them out of the loop"
                .into(),
        ),
        _ => {}
    }
}
