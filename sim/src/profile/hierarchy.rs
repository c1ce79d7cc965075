//! Recorded accesses, replayed through the caches of the device.
//!
//! Blocks go to multiprocessors in turn, as many as are resident at a time; their warps are taken
//! side by side, by instructions issued. Each multiprocessor has a first-level cache: loads bring
//! sectors in, stores write through and leave what is there in place but bring nothing in. The
//! second level is shared; it keeps what is written until the line has to leave, or the kernel
//! ends. Atomics are done there. Caches are empty at the start.

use std::collections::BTreeMap;

use gpuc_arch::Arch;

use crate::program::{Code, Op};

use super::cache::Cache;
use super::record::{BlockRecord, Sample};

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
    /// DRAM.
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
    /// Of all atomic operations of single lanes, the share that goes to the line with most of them.
    pub(crate) hottest_line: f64,
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
}

/// Replays what was recorded. `blocks` are sorted by number; `l1_bytes` is what shared memory leaves.
pub(crate) fn replay(
    arch: &Arch,
    code: &Code,
    sample: &Sample,
    blocks: &[BlockRecord],
    l1_bytes: u64,
) -> Replay {
    let multiprocessors = arch.chip.sm_count as usize;
    let mut device = Device {
        l1: (0..multiprocessors).map(|_| Cache::new(l1_bytes, L1_WAYS)).collect(),
        l2: Cache::new(arch.chip.l2_knee_bytes, L2_WAYS),
    };
    let kinds: Vec<Kind> = code.insts.iter().map(|inst| kind(&inst.op)).collect();
    let none = || [(); 2].map(|()| vec![Levels::default(); code.insts.len()]);
    let mut out = Replay { first: none(), later: none(), hottest_line: 0.0 };
    let mut atomics = BTreeMap::new();
    let mut all_atomics = 0.0f64;
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
                for (warp, next) in record.warps.iter().zip(next) {
                    while let Some(request) = warp.requests.get(*next) {
                        if request.time > until {
                            earliest = earliest.min(request.time);
                            rest = true;
                            break;
                        }
                        let site = request.site as usize;
                        let lines = warp.lines_of(*next);
                        let levels = &mut levels[(record.block % 2) as usize][site];
                        device.request(sm, kinds[site], lines, levels);
                        if kinds[site] == Kind::Atomic {
                            for &(line, _) in lines {
                                let lanes = f64::from(request.lanes) / lines.len() as f64;
                                *atomics.entry(line).or_insert(0.0) += lanes;
                                all_atomics += lanes;
                            }
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
    let hottest = atomics.values().fold(0.0f64, |most, &lanes| most.max(lanes));
    out.hottest_line = hottest / all_atomics.max(1.0);
    out
}

impl Device {
    fn request(&mut self, sm: usize, kind: Kind, lines: &[(u64, u8)], levels: &mut Levels) {
        let count = |sectors: u8| f64::from(sectors.count_ones());
        levels.requests += 1.0;
        let (mut from_l2, mut from_dram) = (false, false);
        for &(line, sectors) in lines {
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
                continue;
            }
            levels.l2_sectors += count(asked);
            let found = match kind {
                Kind::Load | Kind::LoadPast => self.l2.read(line, asked),
                Kind::Store | Kind::Atomic => self.l2.write(line, asked),
            };
            levels.l2_hits += count(found.hit);
            from_l2 = true;
            if kind != Kind::Store {
                levels.dram_read += count(asked & !found.hit);
                from_dram |= found.hit != asked;
            }
            levels.dram_written += count(found.modified);
        }
        if from_dram {
            levels.from_dram += 1.0;
        } else if from_l2 {
            levels.from_l2 += 1.0;
        }
    }
}
