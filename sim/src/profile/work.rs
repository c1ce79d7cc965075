//! From what was counted, replayed and traced to what the model of time asks for.

use gpuc_arch::{Arch, Demand, Estimate, KernelWork, OpClass, Phase};

use crate::counters::{SiteCounts, TrafficKind};
use crate::exec::{Exchange, exchange};
use crate::program::{MemorySpace, Op};

use super::hierarchy::{Levels, Replay};
use super::record::{BlockRecord, Sample};
use super::scoreboard::Scoreboard;
use super::waits;
use super::{SiteProfile, Subject};

/// Phases told apart; further ones count as the last.
const MAX_PHASES: usize = 32;

/// The work of a launch, and what every instruction has of it.
pub(super) struct Work {
    pub(super) kernel: KernelWork,
    /// By instruction, for the whole grid.
    pub(super) levels: Vec<Levels>,
    /// The part of the accesses that was replayed.
    pub(super) replayed: f64,
    /// What a warp needs for each instruction, on the average.
    demands: Vec<Demand>,
    /// Clocks of a warp by itself, by instruction.
    alone: Vec<f64>,
}

/// Warps' ways through the phases.
struct Traces {
    /// For each phase, how often each instruction was issued in it.
    issued: Vec<Vec<f64>>,
    /// For each phase, clocks of a warp by itself.
    clocks: Vec<f64>,
    barriers: Vec<f64>,
    /// Clocks by instruction.
    by_site: Vec<f64>,
    warps: f64,
}

fn is_global(kind: TrafficKind) -> bool {
    use TrafficKind::*;
    matches!(kind, GlobalLoad | GlobalStore | GlobalAtomic | LocalLoad | LocalStore)
}

impl Work {
    /// From all that was looked at, or from the even or odd blocks of it alone.
    pub(super) fn new(
        subject: &Subject<'_>,
        sites: &[SiteCounts],
        records: &[BlockRecord],
        sample: &Sample,
        replay: &Replay,
        classes: &[Option<OpClass>],
        half: Option<usize>,
    ) -> Work {
        let arch = subject.arch;
        let warps = u64::from(subject.threads.div_ceil(arch.limits.warp_size));
        // Counts are those of the blocks that were executed, and stand for the grid.
        let scale = subject.blocks as f64 / subject.executed.max(1) as f64;
        let per_warp = 1.0 / (subject.blocks * warps).max(1) as f64;
        let levels: Vec<Levels> = (0..sites.len())
            .map(|at| extrapolate(&sites[at], scale, subject, sample, replay, at, half))
            .collect();
        let levels = with_neighbours(levels, sites, scale);
        let sectors: f64 = (sites.iter().filter(|site| is_global(site.traffic.kind)))
            .map(|site| site.traffic.units as f64 * scale)
            .sum();
        let replayed: f64 = [&replay.first, &replay.later]
            .iter()
            .flat_map(|parts| parts.iter().flatten())
            .map(|levels| levels.sectors)
            .sum();
        let memory: Vec<f64> =
            (0..sites.len()).map(|at| latency(subject, &sites[at], &levels[at], at)).collect();
        let follows: Vec<bool> =
            sites.iter().map(|site| 2 * site.traffic.followers > site.issued).collect();
        let board = Scoreboard::new(arch, subject.code, classes, &memory, &follows);
        let traces = Traces::new(subject, records, &board, half);
        let demands: Vec<Demand> = (0..sites.len())
            .map(|at| {
                let mut demand = Demand::default();
                let site = &sites[at];
                if let Some(class) = classes[at] {
                    let issued = site.issued - site.traffic.followers.min(site.issued);
                    demand.count(class, issued as f64 * scale * per_warp);
                }
                demand.lsu_clocks = site.traffic.quarters as f64 / 4.0 * scale * per_warp;
                let sector = f64::from(gpuc_arch::SECTOR_BYTES) * per_warp;
                demand.l2_bytes = levels[at].l2_sectors * sector;
                demand.dram_bytes = (levels[at].dram_read + levels[at].dram_written) * sector;
                demand
            })
            .collect();
        let atomics: f64 = sites
            .iter()
            .filter(|site| site.traffic.kind == TrafficKind::GlobalAtomic)
            .map(|site| site.traffic.requests as f64 * scale)
            .sum();
        let kernel = KernelWork {
            blocks: subject.blocks,
            threads: subject.threads,
            registers: subject.registers,
            shared_bytes: subject.shared_bytes as u32,
            phases: traces.phases(&demands, sites, subject),
            atomic_clocks: replay.atomic_clocks * atomics,
            grid_barriers: waits::entered(sites, &sample.waits) / subject.executed.max(1) as f64,
        };
        let replayed = if sectors == 0.0 { 1.0 } else { (replayed / sectors).min(1.0) };
        Work { kernel, levels, replayed, demands, alone: traces.by_site }
    }

    /// What each instruction has of the kernel's time: of what bounds it, as far as that does, its
    /// part of that; of the rest its part of what a warp waits by itself.
    pub(super) fn sites(&self, arch: &Arch, estimate: &Estimate) -> Vec<SiteProfile> {
        let busiest = estimate.busiest();
        let share = estimate.share(busiest);
        let held: Vec<f64> =
            self.demands.iter().map(|demand| arch.clocks_of(demand, busiest)).collect();
        let part = |value: f64, of: &[f64]| {
            let sum: f64 = of.iter().sum();
            if sum > 0.0 { value / sum } else { 0.0 }
        };
        let sector = f64::from(gpuc_arch::SECTOR_BYTES);
        (0..self.demands.len())
            .map(|at| SiteProfile {
                time: share * part(held[at], &held)
                    + (1.0 - share) * part(self.alone[at], &self.alone),
                dram_bytes: sector * (self.levels[at].dram_read + self.levels[at].dram_written),
            })
            .collect()
    }
}

/// Where the sectors of an instruction were found, in the whole grid.
fn extrapolate(
    site: &SiteCounts,
    scale: f64,
    subject: &Subject<'_>,
    sample: &Sample,
    replay: &Replay,
    at: usize,
    half: Option<usize>,
) -> Levels {
    let sum = |halves: &[Vec<Levels>; 2]| {
        let mut sum = Levels::default();
        for (number, levels) in halves.iter().enumerate() {
            if half.is_none_or(|half| half == number) {
                sum.add(&levels[at], 1.0);
            }
        }
        sum
    };
    let (first, later) = (sum(&replay.first), sum(&replay.later));
    let mut out = Levels::default();
    if !is_global(site.traffic.kind) {
        return out;
    }
    let all = site.traffic.units as f64 * scale;
    if (first.sectors + later.sectors - all).abs() < 0.5 {
        out.add(&first, 1.0);
        out.add(&later, 1.0);
        return out;
    }
    // Blocks of the first wave find empty caches; those of later ones what waves before have left.
    let in_first = (sample.wave as f64 / subject.blocks.max(1) as f64).min(1.0);
    let per_sector = |levels: &Levels| 1.0 / levels.sectors.max(1.0);
    let (first, later) = match (first.sectors > 0.0, later.sectors > 0.0) {
        (true, true) => (first, later),
        (true, false) => (first, first),
        (false, _) => (later, later),
    };
    out.add(&first, all * in_first * per_sector(&first));
    out.add(&later, all * (1.0 - in_first) * per_sector(&later));
    out
}

/// Instructions of which nothing was replayed, as only the first accesses of a warp are kept: they find
/// their sectors where others of their kind do.
fn with_neighbours(mut levels: Vec<Levels>, sites: &[SiteCounts], scale: f64) -> Vec<Levels> {
    let mut kinds: Vec<(TrafficKind, Levels)> = Vec::new();
    for (site, found) in sites.iter().zip(&levels).filter(|(_, found)| found.sectors > 0.0) {
        match kinds.iter_mut().find(|(kind, _)| *kind == site.traffic.kind) {
            Some((_, sum)) => sum.add(found, 1.0),
            None => kinds.push((site.traffic.kind, *found)),
        }
    }
    for (site, found) in sites.iter().zip(&mut levels) {
        let all = site.traffic.units as f64 * scale;
        let like = kinds.iter().find(|(kind, _)| *kind == site.traffic.kind);
        if let Some((_, sum)) =
            like.filter(|_| found.sectors == 0.0 && is_global(site.traffic.kind))
        {
            found.add(sum, all / sum.sectors);
        }
    }
    levels
}

/// Clocks from a memory operation to the use of its result; 0 for other instructions.
fn latency(subject: &Subject<'_>, site: &SiteCounts, levels: &Levels, at: usize) -> f64 {
    let arch = subject.arch;
    let of = &arch.chip.latency;
    let requests = site.traffic.requests as f64;
    if exchange(&subject.code.insts[at].op) == Exchange::Loop {
        // A load, an addition, an exchange that takes as long as both, and a branch, once for each lane on a word.
        return site.traffic.units as f64 / requests.max(1.0)
            * 4.0
            * f64::from(arch.latency.shared);
    }
    // Beyond the first pass, the last lane's value comes as much later.
    let passes = site.traffic.quarters as f64 / 4.0 / requests.max(1.0) - 1.0;
    match subject.code.insts[at].op {
        Op::Load(access, _) if access.space == MemorySpace::Param => 0.0,
        Op::Load(..) | Op::Atomic { .. } | Op::CopyAsync { .. } | Op::LoadMatrix(..) => {
            let base = if !is_global(site.traffic.kind) {
                f64::from(arch.latency.shared)
            } else if levels.requests > 0.0 {
                let near = levels.requests - levels.from_l2 - levels.from_dram;
                (near * f64::from(of.l1)
                    + levels.from_l2 * f64::from(of.l2)
                    + levels.from_dram * f64::from(of.dram))
                    / levels.requests
            } else {
                f64::from(of.l1)
            };
            base + passes.max(0.0)
        }
        _ => 0.0,
    }
}

impl Traces {
    fn new(
        subject: &Subject<'_>,
        records: &[BlockRecord],
        board: &Scoreboard<'_>,
        half: Option<usize>,
    ) -> Traces {
        let insts = &subject.code.insts;
        let count = insts.len();
        let mut out = Traces {
            issued: vec![vec![0.0; count]],
            clocks: vec![0.0],
            barriers: vec![0.0],
            by_site: vec![0.0; count],
            warps: 0.0,
        };
        // Phases by the barrier that they follow; the first follows none.
        let mut starts: Vec<Option<usize>> = vec![None];
        let all: Vec<&Vec<u32>> =
            records.iter().flat_map(|r| &r.warps).filter_map(|warp| warp.trace.as_ref()).collect();
        let chosen = all
            .iter()
            .enumerate()
            .filter(|(number, _)| all.len() == 1 || half.is_none_or(|half| number % 2 == half));
        for (_, trace) in chosen {
            out.warps += 1.0;
            let mut phase = 0;
            board.run(trace, |site, clocks| {
                out.issued[phase][site] += 1.0;
                out.clocks[phase] += clocks;
                out.by_site[site] += clocks;
                if let Op::Barrier { .. } = insts[site].op {
                    out.barriers[phase] += 1.0;
                    let known = starts.iter().position(|&start| start == Some(site));
                    phase = known.unwrap_or_else(|| {
                        if starts.len() < MAX_PHASES {
                            starts.push(Some(site));
                            out.issued.push(vec![0.0; count]);
                            out.clocks.push(0.0);
                            out.barriers.push(0.0);
                        }
                        starts.len() - 1
                    });
                }
            });
        }
        let each = 1.0 / out.warps.max(1.0);
        let sums = [&mut out.clocks, &mut out.barriers, &mut out.by_site];
        sums.into_iter().flatten().for_each(|sum| *sum *= each);
        out
    }

    /// The phases of a warp's life: what each has of every instruction's demand. Traces that were cut
    /// off are made as long as the warps are.
    fn phases(
        &self,
        demands: &[Demand],
        sites: &[SiteCounts],
        subject: &Subject<'_>,
    ) -> Vec<Phase> {
        let warps = subject.executed as f64
            * f64::from(subject.threads.div_ceil(subject.arch.limits.warp_size));
        let traced: f64 = self.issued.iter().flatten().sum();
        let issued: f64 = sites.iter().map(|site| site.issued as f64).sum();
        let of_trace = traced / self.warps.max(1.0);
        let longer = if of_trace > 0.0 { issued / warps.max(1.0) / of_trace } else { 1.0 };
        let mut phases: Vec<Phase> = (self.clocks.iter().zip(&self.barriers))
            .map(|(clocks, barriers)| Phase {
                alone: clocks * longer,
                barriers: barriers * longer,
                ..Phase::default()
            })
            .collect();
        let mut last = 0;
        for (at, demand) in demands.iter().enumerate() {
            let sum: f64 = self.issued.iter().map(|phase| phase[at]).sum();
            if sum == 0.0 {
                // No traced warp came here: it goes with what stands before it.
                phases[last].demand.add(demand, 1.0);
                continue;
            }
            for (number, phase) in self.issued.iter().enumerate() {
                if phase[at] > 0.0 {
                    phases[number].demand.add(demand, phase[at] / sum);
                    last = number;
                }
            }
        }
        phases
    }
}
