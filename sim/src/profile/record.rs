//! What the model of caches and of time looks at: the first accesses of the first blocks, in the
//! order of each warp, and the instructions of some warps.
//!
//! The executor runs a warp until it waits, the next one after it; a device runs them side by side.
//! So accesses are kept with the number of instructions that their warp had issued, and replayed in
//! that order ([`super::hierarchy`]).

use super::waits::Wait;
use crate::counters::SiteCounts;
use crate::exec::{AccessEvent, At, LANES, Probe, SiteCounter, interleaved};
use crate::fault::AccessKind;
use crate::program::MemorySpace;

use super::cache::Sectors;

/// Bytes of a line.
const LINE: u64 = 128;
/// Bytes of a sector.
const SECTOR: u64 = gpuc_arch::SECTOR_BYTES as u64;
/// Sectors of a line, a bit each.
const SECTORS_OF_LINE: u64 = LINE / SECTOR;
/// Lines of local memory have numbers of their own.
const LOCAL_LINES: u64 = 1 << 49;
/// Instructions kept of a traced warp.
const MAX_TRACE: usize = 1 << 17;

/// Which blocks and warps are looked at, and how closely.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// Blocks from the first on whose accesses are kept.
    pub(crate) blocks: u64,
    /// Blocks that are resident at the same time, on the whole device.
    pub(crate) wave: u64,
    /// Lines touched that are kept for each warp.
    pub(crate) touches: usize,
    /// Blocks whose warps are traced, ascending.
    pub(crate) traced: Vec<u64>,
    /// What instructions are to loops that wait.
    pub(super) waits: Vec<Wait>,
    /// Warps of a block.
    pub(crate) warps: u32,
}

impl Sample {
    /// Warps of a traced block that are traced: the first, the last and some between.
    fn traces(&self, block: u64, warp: u32) -> bool {
        const OF_BLOCK: u32 = 4;
        let step = self.warps.div_ceil(OF_BLOCK).max(1);
        (warp.is_multiple_of(step) || warp + 1 == self.warps)
            && self.traced.binary_search(&block).is_ok()
    }
}

/// One access of a warp to global or local memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Instructions that the warp had issued.
    pub(crate) time: u32,
    /// The instruction.
    pub(crate) site: u32,
    /// Of an atomic operation, the lanes that meet on the word where most do.
    pub(crate) same: u32,
    /// Where its lines start in [`WarpRecord::lines`]; they go on to the next request's.
    pub(crate) start: u32,
}

/// A line and the sectors touched in it, in one word: there are many of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line(u64);

impl Line {
    fn new(number: u64, sectors: Sectors) -> Line {
        Line(number << SECTORS_OF_LINE | u64::from(sectors))
    }

    pub(crate) fn number(self) -> u64 {
        self.0 >> SECTORS_OF_LINE
    }

    pub(crate) fn sectors(self) -> Sectors {
        self.0 as Sectors & ((1 << SECTORS_OF_LINE) - 1)
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{:b}", self.number(), self.sectors())
    }
}

/// What is kept of a warp.
#[derive(Debug, Default)]
pub(crate) struct WarpRecord {
    issued: u32,
    pub(crate) requests: Vec<Request>,
    /// How often it has looked at what it waits for.
    looks: u32,
    /// The lines touched.
    pub(crate) lines: Vec<Line>,
    /// The instructions issued, if the warp is traced.
    pub(crate) trace: Option<Vec<u32>>,
}

impl WarpRecord {
    /// The lines of a request.
    pub(crate) fn lines_of(&self, request: usize) -> &[Line] {
        let end = self.requests.get(request + 1).map_or(self.lines.len(), |r| r.start as usize);
        &self.lines[self.requests[request].start as usize..end]
    }
}

/// What is kept of a block.
#[derive(Debug)]
pub(crate) struct BlockRecord {
    pub(crate) block: u64,
    pub(crate) warps: Vec<WarpRecord>,
}

/// Counts every instruction, and keeps what a [`Sample`] asks for.
#[derive(Debug)]
pub(crate) struct Recorder<'s> {
    counter: SiteCounter,
    sample: &'s Sample,
    /// Blocks under way.
    open: Vec<BlockRecord>,
    done: Vec<BlockRecord>,
}

impl<'s> Recorder<'s> {
    pub(crate) fn new(counter: SiteCounter, sample: &'s Sample) -> Recorder<'s> {
        Recorder { counter, sample, open: Vec::new(), done: Vec::new() }
    }

    /// The counts, and the blocks that have ended.
    pub(crate) fn finish(self) -> (Vec<SiteCounts>, Vec<BlockRecord>) {
        (self.counter.finish(), self.done)
    }

    /// The record of a warp whose block is looked at.
    fn warp(&mut self, at: At) -> Option<&mut WarpRecord> {
        // The block that started last is the one that runs, but for those that wait for others.
        let block = self.open.iter_mut().rev().find(|record| record.block == at.block)?;
        block.warps.get_mut(at.warp as usize)
    }
}

impl Recorder<'_> {
    /// What an instruction is to a loop that waits.
    fn wait(&self, at: At) -> Wait {
        self.sample.waits.get(at.site as usize).copied().unwrap_or(Wait::Not)
    }

    /// Whether a warp looks again at what it waits for: the first look stands for all.
    fn looks_again(&mut self, at: At) -> bool {
        self.wait(at) != Wait::Not && self.warp(at).is_some_and(|warp| warp.looks > 1)
    }
}

impl Probe for Recorder<'_> {
    fn block_start(&mut self, block: u64) {
        let Sample { blocks, warps, .. } = *self.sample;
        let traced = self.sample.traced.binary_search(&block).is_ok();
        if block < blocks || traced {
            let warp = |warp| WarpRecord {
                trace: self.sample.traces(block, warp).then(Vec::new),
                ..WarpRecord::default()
            };
            self.open.push(BlockRecord { block, warps: (0..warps).map(warp).collect() });
        }
    }

    fn block_end(&mut self, block: u64) {
        if let Some(at) = self.open.iter().position(|record| record.block == block) {
            self.done.push(self.open.swap_remove(at));
        }
    }

    fn issue(&mut self, at: At, enabled: u32) {
        let wait = self.wait(at);
        if let (Wait::Head, Some(warp)) = (wait, self.warp(at)) {
            warp.looks += 1;
        }
        if self.looks_again(at) {
            return;
        }
        self.counter.issue(at, enabled);
        if let Some(warp) = self.warp(at) {
            if wait == Wait::Not {
                warp.looks = 0;
            }
            warp.issued = warp.issued.saturating_add(1);
            if let Some(trace) = &mut warp.trace
                && trace.len() < MAX_TRACE
            {
                trace.push(at.site);
            }
        }
    }

    fn diverge(&mut self, at: At) {
        if self.looks_again(at) {
            return;
        }
        self.counter.diverge(at);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if self.looks_again(event.at) {
            return;
        }
        self.counter.access(event);
        let local = match event.space {
            MemorySpace::Global | MemorySpace::Generic => false,
            MemorySpace::Local => true,
            MemorySpace::Shared | MemorySpace::Param => return,
        };
        let Sample { blocks, touches, wave, warps, .. } = *self.sample;
        let at = event.at;
        if at.block >= blocks {
            return;
        }
        let Some(warp) = self.warp(at) else { return };
        if warp.lines.len() >= touches {
            return;
        }
        let start = warp.lines.len();
        let same = if event.kind == AccessKind::Atomic { most_on_one(event) } else { 1 };
        let request = Request { time: warp.issued, site: at.site, same, start: start as u32 };
        warp.requests.push(request);
        let own = interleaved(event);
        let addresses = if local { &own } else { event.addresses };
        // Blocks that follow one another in one place have the same local memory.
        let slot = at.block % wave.max(1) * u64::from(warps) + u64::from(at.warp);
        let base = if local { LOCAL_LINES + (slot << 24) } else { 0 };
        add_lines(&mut warp.lines, addresses, event.at.lanes, event.bytes, base);
    }
}

/// Of lanes that access, how many do so at the address where most do.
fn most_on_one(event: &AccessEvent<'_>) -> u32 {
    let active = |lane: &usize| event.at.lanes >> lane & 1 != 0;
    let mut addresses: Vec<u64> =
        (0..LANES).filter(active).map(|lane| event.addresses[lane]).collect();
    addresses.sort_unstable();
    let groups = addresses.chunk_by(|a, b| a == b);
    groups.map(|group| group.len() as u32).max().unwrap_or(0)
}

/// Adds the lines that lanes touch, each with its sectors.
fn add_lines(lines: &mut Vec<Line>, addresses: &[u64; LANES], mask: u32, bytes: u32, base: u64) {
    let start = lines.len();
    for (lane, address) in addresses.iter().enumerate() {
        if mask >> lane & 1 == 0 {
            continue;
        }
        let last = address + u64::from(bytes.max(1)) - 1;
        for sector in address / SECTOR..=last / SECTOR {
            let line = base + sector * SECTOR / LINE;
            let bit: Sectors = 1 << (sector % SECTORS_OF_LINE);
            match lines[start..].iter_mut().rev().find(|known| known.number() == line) {
                Some(known) => *known = Line::new(line, known.sectors() | bit),
                None => lines.push(Line::new(line, bit)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_sectors() {
        let lines = |mask, bytes, address: &dyn Fn(u64) -> u64| {
            let addresses = std::array::from_fn(|lane| address(lane as u64));
            let mut lines = Vec::new();
            add_lines(&mut lines, &addresses, mask, bytes, 0);
            lines.iter().map(|line| (line.number(), line.sectors())).collect::<Vec<_>>()
        };
        assert_eq!(lines(u32::MAX, 4, &|lane| 128 + 4 * lane), [(1, 0xf)]);
        assert_eq!(lines(u32::MAX, 4, &|lane| 132 + 4 * lane), [(1, 0xf), (2, 1)]);
        assert_eq!(lines(0xff, 4, &|lane| 4 * lane), [(0, 1)]);
        assert_eq!(lines(7, 4, &|lane| 128 * lane), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(lines(u32::MAX, 16, &|lane| 16 * lane).len(), 4);
    }
}
