//! A launch as the device would have run it: caches, occupancy, time.
//!
//! Customers of the probe interface keep what the first blocks access and what some warps issue
//! ([`record`]); caches are replayed from that ([`hierarchy`]), a scoreboard tells what a warp takes
//! by itself ([`scoreboard`]), registers come from the assembler or are estimated ([`registers`]),
//! and `gpuc_arch` prices the whole ([`Arch::price`]).

mod cache;
mod classify;
mod hierarchy;
mod merge;
mod record;
mod registers;
mod schedule;
mod scoreboard;
mod unroll;
mod waits;
mod work;

use gpuc_arch::{Arch, Estimate, KernelWork};

use crate::counters::SiteCounts;
use crate::program::Code;

pub use classify::Operation;
pub(crate) use classify::operation;
pub(crate) use merge::{Merged, Neighbours, neighbours};
pub(crate) use record::{BlockRecord, Recorder, Sample};

use hierarchy::Levels;

/// Lines of memory that are kept for the replay, of all warps together.
const TOUCHES: u64 = 12 << 20;

/// Sectors by where they were found, for a whole launch. Extrapolated where a launch was sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheCounts {
    /// Sectors that loads and stores of global and local memory touched.
    pub l1_sectors: f64,
    /// Those of loads that the first level had.
    pub l1_hits: f64,
    /// Sectors asked of the second level.
    pub l2_sectors: f64,
    /// Those that it had.
    pub l2_hits: f64,
    /// Bytes from device memory.
    pub dram_read_bytes: f64,
    /// Bytes to device memory; what the second level still holds at the end is among them.
    pub dram_write_bytes: f64,
}

/// How much of a launch the figures rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleSize {
    /// Blocks that were executed, of those of the grid.
    pub executed: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// The part of their accesses that went through the cache model, 0 to 1.
    pub replayed: f64,
    /// How far apart the two halves of the sample put the time, relative to it; 0 where everything
    /// was looked at.
    pub error: f64,
}

/// A launch on a device that is not there.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The device.
    pub arch: &'static Arch,
    /// Registers of a thread.
    pub registers: u32,
    /// Whether an assembler said so; otherwise they are estimated.
    pub registers_known: bool,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u64,
    /// What the model was asked.
    pub work: KernelWork,
    /// What it answered.
    pub estimate: Estimate,
    /// Sectors by where they were found.
    pub caches: CacheCounts,
    /// What the figures rest on.
    pub sample: SampleSize,
}

/// Registers that a thread will need, where no assembler has said.
pub(crate) fn estimated_registers(code: &Code) -> u32 {
    registers::estimate(code)
}

/// A launch as the profiler sees it.
pub(crate) struct Subject<'a> {
    pub(crate) arch: &'static Arch,
    pub(crate) code: &'a Code,
    pub(crate) blocks: u64,
    /// Those that are executed.
    pub(crate) executed: u64,
    pub(crate) threads: u32,
    pub(crate) shared_bytes: u64,
    pub(crate) registers: u32,
    pub(crate) registers_known: bool,
}

/// What was found out about single instructions.
pub(crate) struct SiteProfile {
    /// Share of the kernel's time, 0 to 1.
    pub(crate) time: f64,
    /// Bytes from and to DRAM.
    pub(crate) dram_bytes: f64,
}

impl<'a> Subject<'a> {
    /// `registers` are those that an assembler has given, if one was asked.
    pub(crate) fn new(
        arch: &'static Arch,
        code: &'a Code,
        (blocks, executed, threads): (u64, u64, u32),
        shared_bytes: u64,
        registers: Option<u32>,
    ) -> Subject<'a> {
        let registers_known = registers.is_some();
        let needed = registers.unwrap_or_else(|| registers::estimate(code));
        // An assembler spills rather than make a block that does not fit.
        let warps = threads.div_ceil(arch.limits.warp_size).max(1);
        let most = arch.limits.registers_per_sm / (warps.next_multiple_of(4) * 32) / 8 * 8;
        let registers = needed.min(most.min(arch.limits.registers_per_thread)).max(1);
        Subject { arch, code, blocks, executed, threads, shared_bytes, registers, registers_known }
    }

    /// Blocks that the device holds at the same time.
    fn wave(&self) -> u64 {
        let resident = self.arch.occupancy(self.threads, self.registers, self.shared_bytes as u32);
        u64::from(resident.blocks.max(1)) * u64::from(self.arch.chip.sm_count)
    }

    /// Blocks that are worth executing where not all are: two waves.
    pub(crate) fn representative(&self) -> u64 {
        self.blocks.min(2 * self.wave())
    }

    /// What to look at.
    pub(crate) fn sample(&self) -> Sample {
        let wave = self.wave();
        let blocks = self.executed.min(2 * wave);
        let warps = self.threads.div_ceil(self.arch.limits.warp_size);
        let all_warps = (blocks * u64::from(warps)).max(1);
        let last = self.executed.saturating_sub(1);
        let mut traced = vec![0, last / 3, 2 * last / 3, last];
        traced.dedup();
        let touches = (TOUCHES / all_warps).max(64) as usize;
        Sample { blocks, wave, touches, traced, warps, waits: waits::waits(self.code) }
    }

    /// Puts everything together. `records` are in any order.
    pub(crate) fn evaluate(
        &self,
        sites: &[SiteCounts],
        mut records: Vec<BlockRecord>,
        sample: &Sample,
    ) -> (Profile, Vec<SiteProfile>) {
        records.sort_unstable_by_key(|record| record.block);
        let occupancy = self.arch.occupancy(self.threads, self.registers, self.shared_bytes as u32);
        let reserved = self.arch.limits.shared_reserved_per_block;
        let shared = (self.shared_bytes as u32 + reserved) * occupancy.blocks.max(1);
        let shared = if self.shared_bytes == 0 { 0 } else { shared };
        let l1_bytes = u64::from(self.arch.l1_cache_bytes(shared));
        let replay =
            hierarchy::replay(self.arch, self.code, sample, &records, l1_bytes, occupancy.warps);
        let classes = classify::classes(self.code);
        let of = |half| work::Work::new(self, sites, &records, sample, &replay, &classes, half);
        let whole = of(None);
        let estimate = self.arch.price(&whole.kernel);
        let replayed = whole.replayed;
        let error = if replayed >= 1.0 && self.executed == self.blocks {
            0.0
        } else {
            let [even, odd] = [0, 1].map(|half| self.arch.price(&of(Some(half)).kernel).seconds);
            (even - odd).abs() / (even + odd)
        };
        let sites = whole.sites(self.arch, &estimate);
        let mut all = Levels::default();
        whole.levels.iter().for_each(|levels| all.add(levels, 1.0));
        let sector = f64::from(gpuc_arch::SECTOR_BYTES);
        let profile = Profile {
            arch: self.arch,
            registers: self.registers,
            registers_known: self.registers_known,
            shared_bytes: self.shared_bytes,
            estimate,
            caches: CacheCounts {
                l1_sectors: all.sectors,
                l1_hits: all.l1_hits,
                l2_sectors: all.l2_sectors,
                l2_hits: all.l2_hits,
                dram_read_bytes: sector * all.dram_read,
                dram_write_bytes: sector * all.dram_written,
            },
            sample: SampleSize { executed: self.executed, blocks: self.blocks, replayed, error },
            work: whole.kernel,
        };
        (profile, sites)
    }
}
