//! Recorded accesses, replayed through the caches of the device.
//!
//! Blocks go to multiprocessors in turn, as many as are resident at a time; their warps are taken
//! side by side, by instructions issued. Each multiprocessor has a first-level cache: loads bring
//! sectors in, stores write through and leave what is there in place but bring nothing in. The
//! second level is shared; it keeps what is written until the line has to leave, or the kernel
//! ends. Atomics are done there. Caches are empty at the start. A line that another warp has just asked for
//! is on its way: it hits, and comes as late as for that one.

use std::collections::{BTreeMap, HashMap};

use gpuc_arch::{Arch, AtomicClocks, SECTOR_BYTES};

use crate::program::{Code, Op};

use super::cache::{Cache, Sectors};
use super::record::{BlockRecord, Line, Sample};

/// Associativity of the first level: not published; sets are hashed, so that it matters little.
const L1_WAYS: usize = 16;
/// Associativity of the second level (Jia et al. 2018, table 3.1).
const L2_WAYS: usize = 16;
/// Instructions of every warp that are replayed before the next ones of all.
const SLICE: u32 = 8;

/// Where the sectors of an instruction were found, in sectors of 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Levels {
    /// Requests replayed, and those of them whose slowest sector came from the second level and from
    /// DRAM, or was on its way from there.
    pub(crate) requests: f64,
    pub(crate) from_l2: f64,
    pub(crate) from_dram: f64,
    /// Sectors replayed, those that the first level had, those that were asked of the second, and
    /// those that it had.
    pub(crate) sectors: f64,
    pub(crate) l1_hits: f64,
    pub(crate) l2_sectors: f64,
    pub(crate) l2_hits: f64,
    /// Sectors from DRAM.
    pub(crate) dram_read: f64,
    /// Sectors that became modified in the second level: each goes to DRAM once.
    pub(crate) dram_written: f64,
}

impl Levels {
    pub(super) fn add(&mut self, other: &Levels, times: f64) {
        self.requests += times * other.requests;
        self.from_l2 += times * other.from_l2;
        self.from_dram += times * other.from_dram;
        self.sectors += times * other.sectors;
        self.l1_hits += times * other.l1_hits;
        self.l2_sectors += times * other.l2_sectors;
        self.l2_hits += times * other.l2_hits;
        self.dram_read += times * other.dram_read;
        self.dram_written += times * other.dram_written;
    }
}

/// What the replay found for each instruction, in the first wave of blocks and in later ones; each
/// for even and for odd blocks, whose difference says how far a sample can be believed.
#[derive(Debug)]
pub(crate) struct Replay {
    pub(crate) first: [Vec<Levels>; 2],
    pub(crate) later: [Vec<Levels>; 2],
    /// Clocks of atomic operations in the part of the second level that has most of them, for each request replayed.
    pub(crate) atomic_clocks: f64,
}

/// What an instruction does to the caches.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Load,
    /// A load that goes past the first level: strong, or a copy to shared memory by 16 bytes.
    LoadPast,
    Store,
    Atomic,
}

fn kind(op: &Op) -> Kind {
    match *op {
        Op::Store(..) | Op::StoreMatrix(..) => Kind::Store,
        Op::Atomic { .. } | Op::AtomicWide { .. } => Kind::Atomic,
        Op::Load(access, _) if access.strong => Kind::LoadPast,
        Op::CopyAsync { bytes: 16, .. } | Op::CopyBulk { .. } => Kind::LoadPast,
        _ => Kind::Load,
    }
}

/// Caches on their way through a launch.
struct Device {
    l1: Vec<Cache>,
    l2: Cache,
    /// Sectors of a line that come from DRAM together, as bits from the first one on.
    fetch: Sectors,
    /// For each multiprocessor, lines that were asked of the second level.
    asked: Vec<HashMap<u64, Asked>>,
    /// Instructions of a warp for which a line is on its way from the second level, and from DRAM.
    on_the_way: [u32; 2],
}

/// When a line was asked of the second level.
struct Asked {
    /// The block and its warp.
    who: (u64, usize),
    time: u32,
    from_dram: bool,
}

/// A request of a warp.
struct Asking<'r> {
    sm: usize,
    who: (u64, usize),
    time: u32,
    kind: Kind,
    lines: &'r [Line],
}

/// Clocks from one instruction of a warp to its next one where few others are resident: that of an addition.
const LEAST_PACE: f64 = 4.0;

/// What an atomic operation takes in the second level: for each of its sectors, and for each lane beyond the first
/// on one word.
fn atomic_clocks(arch: &Arch, op: &Op) -> [f64; 2] {
    let AtomicClocks { sector, sector64, same_integer, same_float } = arch.chip.atomics;
    let (wide, float) = match *op {
        Op::Atomic { ty, .. } => (ty.bytes() > 4, ty.is_float()),
        Op::AtomicWide { .. } => (true, false),
        _ => return [0.0; 2],
    };
    let sector = if wide { sector64 } else { sector };
    [sector, if float { same_float } else { same_integer }].map(f64::from)
}

/// The sectors that come with others: groups of as many as `fetch` has, whole where one of them is asked for.
fn fetched(sectors: Sectors, fetch: Sectors) -> Sectors {
    let step = fetch.count_ones();
    let groups = (0..Sectors::BITS / 2).step_by(step as usize).map(|at| fetch << at);
    groups.filter(|group| sectors & group != 0).fold(0, |all, group| all | group)
}

/// Replays what was recorded. `blocks` are sorted by number; `l1_bytes` is what shared memory leaves, `resident` how many
/// warps of a multiprocessor take turns.
pub(crate) fn replay(
    arch: &Arch,
    code: &Code,
    sample: &Sample,
    blocks: &[BlockRecord],
    l1_bytes: u64,
    resident: u32,
) -> Replay {
    let multiprocessors = arch.chip.sm_count as usize;
    let mut device = Device {
        l1: (0..multiprocessors).map(|_| Cache::new(l1_bytes, L1_WAYS)).collect(),
        l2: Cache::new(arch.chip.l2_knee_bytes, L2_WAYS),
        asked: (0..multiprocessors).map(|_| HashMap::new()).collect(),
        on_the_way: [arch.chip.latency.l2, arch.chip.latency.dram].map(|clocks| {
            let pace = f64::from(resident) / f64::from(arch.throughput.issue);
            (f64::from(clocks) / pace.max(LEAST_PACE)) as u32
        }),
        fetch: (1 << (arch.chip.l2_fetch_bytes / SECTOR_BYTES)) - 1,
    };
    let atomic: Vec<[f64; 2]> =
        code.insts.iter().map(|inst| atomic_clocks(arch, &inst.op)).collect();
    let kinds: Vec<Kind> = code.insts.iter().map(|inst| kind(&inst.op)).collect();
    let none = || [(); 2].map(|()| vec![Levels::default(); code.insts.len()]);
    let mut out = Replay { first: none(), later: none(), atomic_clocks: 0.0 };
    let mut atomics = BTreeMap::new();
    let mut all_atomics = 0.0f64;
    let lines_of_part = AtomicClocks::BYTES / u64::from(arch.limits.line_bytes);
    let recorded: Vec<&BlockRecord> =
        blocks.iter().filter(|record| record.block < sample.blocks).collect();
    for wave in recorded.chunk_by(|a, b| a.block / sample.wave == b.block / sample.wave) {
        let is_first = wave.first().is_none_or(|record| record.block < sample.wave);
        let levels = if is_first { &mut out.first } else { &mut out.later };
        let mut next: Vec<Vec<usize>> =
            wave.iter().map(|record| vec![0; record.warps.len()]).collect();
        let mut until = 0u32;
        loop {
            until = until.saturating_add(SLICE);
            let mut rest = false;
            let mut earliest = u32::MAX;
            for (record, next) in wave.iter().zip(&mut next) {
                let sm = (record.block % multiprocessors as u64) as usize;
                for (number, (warp, next)) in record.warps.iter().zip(next).enumerate() {
                    while let Some(request) = warp.requests.get(*next) {
                        if request.time > until {
                            earliest = earliest.min(request.time);
                            rest = true;
                            break;
                        }
                        let site = request.site as usize;
                        let lines = warp.lines_of(*next);
                        let levels = &mut levels[(record.block % 2) as usize][site];
                        let who = (record.block, number);
                        let kind = kinds[site];
                        device
                            .request(&Asking { sm, who, time: request.time, kind, lines }, levels);
                        if kinds[site] == Kind::Atomic {
                            let [sector, same] = atomic[site];
                            let waits = f64::from(request.same - 1) * same / lines.len() as f64;
                            for line in lines {
                                let count = f64::from(line.sectors().count_ones());
                                let clocks = count * sector + waits;
                                *atomics.entry(line.number() / lines_of_part).or_insert(0.0) +=
                                    clocks;
                            }
                            all_atomics += 1.0;
                        }
                        *next += 1;
                    }
                }
            }
            if !rest {
                break;
            }
            until = until.max(earliest.saturating_sub(1));
        }
    }
    let hottest = atomics.values().fold(0.0f64, |most, &clocks| most.max(clocks));
    out.atomic_clocks = hottest / all_atomics.max(1.0);
    out
}

impl Device {
    /// The level that a line comes from which another warp has asked for: the second, or DRAM.
    fn on_its_way(&self, asking: &Asking<'_>, line: u64) -> Option<usize> {
        let asked = self.asked[asking.sm].get(&line)?;
        let level = usize::from(asked.from_dram);
        let since = asking.time.abs_diff(asked.time);
        (asked.who != asking.who && since < self.on_the_way[level]).then_some(level)
    }

    fn request(&mut self, asking: &Asking<'_>, levels: &mut Levels) {
        let &Asking { sm, who, time, kind, lines } = asking;
        let count = |sectors: u8| f64::from(sectors.count_ones());
        levels.requests += 1.0;
        let (mut from_l2, mut from_dram) = (false, false);
        for (line, sectors) in lines.iter().map(|line| (line.number(), line.sectors())) {
            levels.sectors += count(sectors);
            let asked = match kind {
                Kind::Load => {
                    let hit = self.l1[sm].read(line, sectors).hit;
                    levels.l1_hits += count(hit);
                    sectors & !hit
                }
                Kind::Atomic => {
                    self.l1[sm].drop_sectors(line, sectors);
                    sectors
                }
                Kind::LoadPast | Kind::Store => sectors,
            };
            if asked == 0 {
                match self.on_its_way(asking, line) {
                    Some(0) => from_l2 = true,
                    Some(_) => from_dram = true,
                    None => {}
                }
                continue;
            }
            levels.l2_sectors += count(asked);
            from_l2 = true;
            if kind == Kind::Store {
                let found = self.l2.write(line, asked);
                levels.l2_hits += count(found.hit);
                levels.dram_written += count(found.modified);
                continue;
            }
            let hit = self.l2.read(line, asked).hit;
            levels.l2_hits += count(hit);
            if hit != asked {
                // What is missing comes with its neighbours, as far as those are not here.
                let together = fetched(asked & !hit, self.fetch);
                levels.dram_read +=
                    count(together & !self.l2.read(line, together & !asked).hit & !hit);
                from_dram = true;
            }
            if kind == Kind::Load {
                self.asked[sm].insert(line, Asked { who, time, from_dram: hit != asked });
            }
            if kind == Kind::Atomic {
                levels.dram_written += count(self.l2.write(line, asked).modified);
            }
        }
        if from_dram {
            levels.from_dram += 1.0;
        } else if from_l2 {
            levels.from_l2 += 1.0;
        }
    }
}
