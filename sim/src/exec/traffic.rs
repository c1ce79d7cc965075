//! Counters: what every instruction did, and what its accesses cost the memory system: sectors of
//! global memory, wavefronts of shared memory.

use gpuc_arch::Arch;

use crate::counters::{SiteCounts, Traffic, TrafficKind};
use crate::fault::AccessKind;
use crate::profile::{Merged, Neighbours, neighbours};
use crate::program::{AtomicOp, Code, MemorySpace, Op};

use super::lanes::LANES;
use super::memory::Whole;
use super::probe::{AccessEvent, At, Probe};

const SECTOR: u64 = gpuc_arch::SECTOR_BYTES as u64;
const BANKS: u64 = gpuc_arch::BANKS as u64;
const LINE: u64 = BANKS * WORD;
/// Bytes that a bank delivers in one pass.
const WORD: u64 = gpuc_arch::BANK_BYTES as u64;

/// Counts for each instruction of a kernel.
#[derive(Debug)]
pub(crate) struct SiteCounter {
    sites: Vec<SiteCounts>,
    /// For each instruction how many more warps, and lanes, issue it as part of straight code than the one
    /// before it.
    runs: Vec<[u64; 2]>,
    /// Whether the device's first-level cache, and its shared memory, take half a warp a clock.
    halves: [bool; 2],
    neighbours: Vec<Neighbours>,
    /// What atomic operations on shared memory become.
    exchanges: Vec<Exchange>,
    /// Bytes that a lane gets of a load from shared memory in one pass.
    shared_lane: u64,
    /// Quarters of a clock for each line that stores go to.
    store_line: u64,
    /// For each instruction what its last access cost.
    recent: Vec<Option<Box<Recent>>>,
}

/// An access and its cost. Loops access the same pattern over and over, further on in memory: it costs
/// the same where it lies the same way.
#[derive(Debug)]
struct Recent {
    /// How often it was made since it was put here.
    times: u64,
    /// The bytes from lane to lane, where all are active and equally far from one another: see [`Whole`].
    stride: Option<u64>,
    space: MemorySpace,
    lanes: u32,
    /// Where the first lane's address lies ([`place`]), and how far the others are from it.
    place: u64,
    offsets: [u64; LANES],
    cost: Traffic,
}

/// Where an address lies in what makes the cost of an access: the line; of shared memory, whose banks are
/// all alike, the widest load.
#[inline(always)]
fn place(space: MemorySpace, address: u64) -> u64 {
    address % if space == MemorySpace::Shared { 16 } else { LINE }
}

impl Recent {
    fn of(event: &AccessEvent<'_>, cost: Traffic) -> Recent {
        let first = event.addresses[0];
        let stride = match Pattern::of(event.addresses, event.bytes.into()) {
            _ if event.at.lanes != u32::MAX => None,
            Pattern::Uniform => Some(0),
            Pattern::Consecutive => Some(event.bytes.into()),
            Pattern::Other => None,
        };
        Recent {
            times: 1,
            stride,
            space: event.space,
            lanes: event.at.lanes,
            place: place(event.space, first),
            offsets: event.addresses.map(|address| address.wrapping_sub(first)),
            cost,
        }
    }

    #[inline(always)]
    fn is_like(&self, event: &AccessEvent<'_>) -> bool {
        let first = event.addresses[0];
        let mut differs = 0;
        for (address, offset) in event.addresses.iter().zip(&self.offsets) {
            differs |= address.wrapping_sub(first) ^ offset;
        }
        differs == 0
            && self.lanes == event.at.lanes
            && self.place == place(self.space, first)
            && self.space == event.space
    }
}

impl SiteCounter {
    /// Counters of a kernel, all zero.
    pub(crate) fn new(arch: &Arch, code: &Code) -> SiteCounter {
        let lanes = [arch.throughput.load_store, arch.throughput.shared];
        SiteCounter {
            sites: vec![SiteCounts::default(); code.insts.len()],
            runs: vec![[0; 2]; code.insts.len() + 1],
            halves: lanes.map(|lanes| lanes < LANES as f32),
            neighbours: neighbours(code),
            exchanges: code.insts.iter().map(|inst| exchange(&inst.op)).collect(),
            shared_lane: arch.throughput.shared_lane as u64,
            store_line: (4.0 / arch.throughput.store_lines).round() as u64,
            recent: code.insts.iter().map(|_| None).collect(),
        }
    }

    /// The counts.
    pub(crate) fn finish(mut self) -> Vec<SiteCounts> {
        let mut open = [0u64; 2];
        for ((site, run), recent) in self.sites.iter_mut().zip(&self.runs).zip(&self.recent) {
            open = [0, 1].map(|at| open[at].wrapping_add(run[at]));
            site.issued += open[0];
            site.active += open[1];
            site.enabled += open[1];
            if let Some(recent) = recent {
                site.traffic.add_times(&recent.cost, recent.times);
            }
        }
        self.sites
    }

    /// What an access costs the memory system.
    fn cost(&self, event: &AccessEvent<'_>) -> Traffic {
        use TrafficKind::*;
        let mut cost = Traffic::default();
        let AccessEvent { at, addresses, .. } = *event;
        let (mask, bytes) = (at.lanes, u64::from(event.bytes));
        let [halves, shared_halves] = self.halves;
        let neighbours = self.neighbours[at.site as usize];
        let kind = |[load, store, atomic]: [TrafficKind; 3]| match event.kind {
            AccessKind::Read => load,
            AccessKind::Write => store,
            AccessKind::Atomic => atomic,
        };
        match event.space {
            MemorySpace::Global | MemorySpace::Generic => {
                let kind = kind([GlobalLoad, GlobalStore, GlobalAtomic]);
                global(&mut cost, kind, addresses, mask, bytes, (halves, self.store_line));
            }
            // An asynchronous copy counts as what it does to global memory.
            MemorySpace::Shared if event.asynchronous => {}
            MemorySpace::Shared => {
                let kind = kind([SharedLoad, SharedStore, SharedAtomic]);
                let merged = match kind {
                    SharedLoad => merged(neighbours, addresses),
                    _ => Merged::Alone,
                };
                let how = (shared_halves, self.shared_lane, merged);
                shared(&mut cost, kind, addresses, mask, bytes, how);
                let rounds = cost.units;
                match self.exchanges[at.site as usize] {
                    Exchange::None => {}
                    Exchange::Compared => cost.quarters *= 2,
                    // Each round loads, and all lanes that are left try to exchange.
                    Exchange::Loop => cost.quarters = 4 * (rounds + rounds * (rounds + 1)),
                }
            }
            MemorySpace::Local => {
                let kind = kind([LocalLoad, LocalStore, LocalStore]);
                global(
                    &mut cost,
                    kind,
                    &interleaved(event),
                    mask,
                    bytes,
                    (halves, self.store_line),
                );
            }
            MemorySpace::Param => {}
        }
        cost
    }
}

/// What an atomic operation on shared memory becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// One operation, or none at all.
    None,
    /// An exchange if a word has a value, which takes two passes a lane (64 clocks of a warp on one word on an H100).
    Compared,
    /// A loop of loads and such exchanges: additions of floating-point numbers, which shared memory does not have.
    Loop,
}

pub(crate) fn exchange(op: &Op) -> Exchange {
    match *op {
        Op::Atomic { space: MemorySpace::Shared, ty, .. } if ty.is_float() => Exchange::Loop,
        Op::Atomic { space: MemorySpace::Shared, op: AtomicOp::CompareSwap, .. } => {
            Exchange::Compared
        }
        _ => Exchange::None,
    }
}

/// The addresses of an access to local memory as they lie in device memory: interleaved, so that
/// lanes with one offset share sectors and each word of a warp is a line of its own. Lanes that do
/// not access have that of one that does.
pub(crate) fn interleaved(event: &AccessEvent<'_>) -> [u64; LANES] {
    let bytes = u64::from(event.bytes.max(1));
    let mask = event.at.lanes;
    let place =
        |lane: usize| event.addresses[lane] / bytes * bytes * LANES as u64 + lane as u64 * bytes;
    let lead = place(mask.trailing_zeros() as usize & 31);
    std::array::from_fn(|lane| if mask >> lane & 1 != 0 { place(lane) } else { lead })
}

impl Probe for SiteCounter {
    fn issue(&mut self, at: At, enabled: u32) {
        let site = &mut self.sites[at.site as usize];
        site.issued += 1;
        site.active += u64::from(at.lanes.count_ones());
        site.enabled += u64::from(enabled.count_ones());
    }

    fn in_order() -> bool {
        false
    }

    fn issue_run(&mut self, first: At, count: u32) {
        let lanes = u64::from(first.lanes.count_ones());
        let [from, to] = [first.site as usize, (first.site + count) as usize];
        for (at, by) in [1, lanes].into_iter().enumerate() {
            self.runs[from][at] = self.runs[from][at].wrapping_add(by);
            self.runs[to][at] = self.runs[to][at].wrapping_sub(by);
        }
    }

    fn access_whole(&mut self, at: At, whole: Whole) -> bool {
        match &mut self.recent[at.site as usize] {
            Some(recent)
                if recent.stride == Some(whole.stride)
                    && recent.place == place(recent.space, whole.first)
                    && recent.space == whole.space =>
            {
                recent.times += 1;
                true
            }
            _ => false,
        }
    }

    fn diverge(&mut self, at: At) {
        self.sites[at.site as usize].divergent += 1;
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if event.part {
            return;
        }
        let site = event.at.site as usize;
        if let Some(recent) = &mut self.recent[site]
            && recent.is_like(event)
        {
            recent.times += 1;
            return;
        }
        let cost = self.cost(event);
        if cost.kind != TrafficKind::None {
            let next = Recent::of(event, cost);
            match &mut self.recent[site] {
                Some(recent) => {
                    self.sites[site].traffic.add_times(&recent.cost, recent.times);
                    **recent = next;
                }
                none => *none = Some(Box::new(next)),
            }
        }
    }
}

/// Patterns whose cost is known without looking at every lane.
enum Pattern {
    /// Lane after lane, without gaps.
    Consecutive,
    Uniform,
    Other,
}

impl Pattern {
    fn of(addresses: &[u64; LANES], bytes: u64) -> Pattern {
        let first = addresses[0];
        let stride = addresses[1].wrapping_sub(first);
        if stride != 0 && stride != bytes {
            return Pattern::Other;
        }
        let differs = addresses.iter().zip(0u64..).fold(0, |differs, (address, lane)| {
            differs | (address.wrapping_sub(first) ^ lane.wrapping_mul(stride))
        });
        match (differs, stride) {
            (0, 0) => Pattern::Uniform,
            (0, _) => Pattern::Consecutive,
            _ => Pattern::Other,
        }
    }
}

/// Adds one request of `bytes` a lane to global (or local) memory.
fn global(
    traffic: &mut Traffic,
    kind: TrafficKind,
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
    (halves, store_line): (bool, u64),
) {
    traffic.kind = kind;
    traffic.requests += 1;
    traffic.bytes += u64::from(mask.count_ones()) * bytes;
    let pattern = Pattern::of(addresses, bytes);
    let (sectors, lines) = sectors(addresses, bytes, &pattern);
    traffic.units += sectors;
    let groups = groups(bytes, halves);
    let passes = passes(addresses, mask, bytes, groups, &pattern, same_word);
    traffic.quarters += (4 * passes).max(match kind {
        // Four lines a clock have their tags looked up, while the banks deliver.
        TrafficKind::GlobalLoad | TrafficKind::LocalLoad => 3 + lines,
        _ => store_line * lines,
    });
}

/// Distinct sectors and lines. Accesses are aligned and at most a sector long, so each lies in one.
/// Lanes that are not active have the address of one that is, and add nothing.
fn sectors(addresses: &[u64; LANES], bytes: u64, pattern: &Pattern) -> (u64, u64) {
    debug_assert!(bytes <= SECTOR);
    match pattern {
        Pattern::Uniform => return (1, 1),
        Pattern::Consecutive => {
            let last = addresses[0].wrapping_add(LANES as u64 * bytes - 1);
            let count = |unit: u64| last / unit - addresses[0] / unit + 1;
            return (count(SECTOR), count(LINE));
        }
        Pattern::Other => {}
    }
    let mut ids = addresses.map(|address| address / SECTOR);
    if !ids.is_sorted() {
        ids.sort_unstable();
    }
    const SECTORS: u64 = LINE / SECTOR;
    (1..LANES).fold((1, 1), |(sectors, lines), lane| {
        let (id, before) = (ids[lane], ids[lane - 1]);
        (sectors + u64::from(id != before), lines + u64::from(id / SECTORS != before / SECTORS))
    })
}

/// Adds one request of `bytes` a lane to shared memory.
fn shared(
    traffic: &mut Traffic,
    kind: TrafficKind,
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
    (halves, each, merged): (bool, u64, Merged),
) {
    // Lanes that update one word do so one after another.
    let same = if kind == TrafficKind::SharedAtomic { never } else { same_word };
    traffic.kind = kind;
    traffic.requests += 1;
    traffic.bytes += u64::from(mask.count_ones()) * bytes;
    let pattern = match Pattern::of(addresses, bytes) {
        Pattern::Uniform if kind == TrafficKind::SharedAtomic => Pattern::Other,
        other => other,
    };
    let clocks_of = |bytes, pattern: &Pattern| match kind {
        TrafficKind::SharedLoad => load_passes(addresses, mask, bytes, (halves, each), pattern),
        _ => passes(addresses, mask, bytes, groups(bytes, halves), pattern, same),
    };
    let wide = groups(bytes, false);
    let wavefronts = passes(addresses, mask, bytes, wide, &pattern, same);
    traffic.units += wavefronts;
    traffic.conflicts += wavefronts - parts(mask, wide);
    let clocks = match merged {
        Merged::Follower => {
            traffic.followers += 1;
            0
        }
        Merged::Alone => clocks_of(bytes, &pattern),
        Merged::Leader(bytes) => clocks_of(bytes, &Pattern::of(addresses, bytes)),
    };
    traffic.quarters += 4 * clocks;
}

/// What an assembler makes of a load with these neighbours; as one load has one width, only where
/// the addresses of all lanes allow the same.
fn merged(neighbours: Neighbours, addresses: &[u64; LANES]) -> Merged {
    if neighbours == Neighbours::default() {
        return Merged::Alone;
    }
    let differ = addresses.iter().fold(0, |bits, address| bits | (address ^ addresses[0]));
    if differ & 15 == 0 { neighbours.at(addresses[0]) } else { Merged::Alone }
}

/// Parts of a warp that access one after another: accesses of 8 and 16 bytes are made by half and
/// quarter warps, and by parts half as large where the unit takes `halves`.
fn groups(bytes: u64, halves: bool) -> usize {
    ((bytes / WORD).clamp(1, 8) as usize) << u32::from(halves)
}

/// Passes of a load from shared memory that gives `each` bytes to a lane in one: wide loads of words that lanes share may
/// take less than the parts by which their conflicts are counted.
fn load_passes(
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
    (halves, each): (bool, u64),
    pattern: &Pattern,
) -> u64 {
    let parts = match pattern {
        Pattern::Consecutive => groups(bytes, halves),
        _ => groups(bytes * WORD / each, halves),
    };
    passes(addresses, mask, bytes, parts, pattern, same_word)
}

/// Parts of the warp in which a lane is active.
fn parts(mask: u32, groups: usize) -> u64 {
    let lanes = LANES / groups;
    (0..groups).map(|group| u64::from(part(mask, group, lanes) != 0)).sum()
}

fn part(mask: u32, group: usize, lanes: usize) -> u32 {
    mask >> (group * lanes) & (u32::MAX >> (LANES - lanes))
}

fn same_word(wanted: &[u64], word: u64) -> bool {
    wanted.contains(&word)
}

fn never(_: &[u64], _: u64) -> bool {
    false
}

/// Passes through the banks. Within a part of the warp a bank delivers one word a pass, to any
/// number of lanes that `same` lets share it.
fn passes(
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
    groups: usize,
    pattern: &Pattern,
    same: impl Fn(&[u64], u64) -> bool + Copy,
) -> u64 {
    if !matches!(pattern, Pattern::Other) {
        return parts(mask, groups);
    }
    let lanes = LANES / groups;
    let words = (bytes / WORD).max(1);
    (0..groups)
        .map(|group| {
            let of_group = &addresses[group * lanes..][..lanes];
            group_passes(of_group, part(mask, group, lanes), words, same)
        })
        .sum()
}

/// Whether no bank has two words to deliver, which is so mostly.
#[inline(always)]
fn one_word_a_bank(
    addresses: &[u64],
    mask: u32,
    words: u64,
    same: &impl Fn(&[u64], u64) -> bool,
) -> bool {
    let mut wanted = [0u64; BANKS as usize];
    let mut used = 0u32;
    for (lane, &address) in addresses.iter().enumerate() {
        if mask & (1 << lane) == 0 {
            continue;
        }
        for word in address / WORD..address / WORD + words {
            let bank = (word % BANKS) as usize;
            if used >> bank & 1 != 0 && !same(&[wanted[bank]], word) {
                return false;
            }
            used |= 1 << bank;
            wanted[bank] = word;
        }
    }
    true
}

fn group_passes(
    addresses: &[u64],
    mask: u32,
    words: u64,
    same: impl Fn(&[u64], u64) -> bool,
) -> u64 {
    // Words of one line lie in different banks, and lanes that are not active have another's address.
    let shares = same(&[0], 0);
    let differ = addresses.iter().fold(0, |bits, address| bits | (address ^ addresses[0]));
    if shares && differ < LINE || one_word_a_bank(addresses, mask, words, &same) {
        return u64::from(mask != 0);
    }
    // The words that each bank has to deliver; a group touches at most `LANES` words.
    let mut wanted = [[0u64; LANES]; BANKS as usize];
    let mut counts = [0u8; BANKS as usize];
    let mut most = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        if mask & (1 << lane) == 0 {
            continue;
        }
        for word in address / WORD..address / WORD + words {
            let bank = (word % BANKS) as usize;
            let count = counts[bank] as usize;
            if count < LANES && !same(&wanted[bank][..count], word) {
                wanted[bank][count] = word;
                counts[bank] += 1;
                most = most.max(counts[bank]);
            }
        }
    }
    u64::from(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(f: impl Fn(u64) -> u64) -> [u64; LANES] {
        std::array::from_fn(|lane| f(lane as u64))
    }

    #[test]
    fn sectors_of_common_patterns() {
        for (what, addresses, bytes, want) in [
            ("consecutive 4", lanes(|l| 256 + 4 * l), 4, 4),
            ("shifted by one word", lanes(|l| 260 + 4 * l), 4, 5),
            ("consecutive 8", lanes(|l| 8 * l), 8, 8),
            ("consecutive 16", lanes(|l| 16 * l), 16, 16),
            ("stride 2", lanes(|l| 8 * l), 4, 8),
            ("column", lanes(|l| 4096 * l), 4, 32),
            ("reversed", lanes(|l| 4 * (31 - l)), 4, 4),
            ("uniform", lanes(|_| 64), 4, 1),
        ] {
            let pattern = Pattern::of(&addresses, bytes);
            assert_eq!(sectors(&addresses, bytes, &pattern).0, want, "{what}");
        }
    }

    #[test]
    fn wavefronts_of_common_patterns() {
        for (what, addresses, mask, bytes, want) in [
            ("consecutive 4", lanes(|l| 4 * l), u32::MAX, 4, (1, 1)),
            ("uniform", lanes(|_| 4), u32::MAX, 4, (1, 1)),
            ("stride 2", lanes(|l| 8 * l), u32::MAX, 4, (2, 1)),
            ("column of 32", lanes(|l| 128 * l), u32::MAX, 4, (32, 1)),
            ("column of 33", lanes(|l| 132 * l), u32::MAX, 4, (1, 1)),
            ("column, half", lanes(|l| 128 * l), 0xffff, 4, (16, 1)),
            ("consecutive 8", lanes(|l| 8 * l), u32::MAX, 8, (2, 2)),
            ("consecutive 16", lanes(|l| 16 * l), u32::MAX, 16, (4, 4)),
            ("bytes", lanes(|l| l), u32::MAX, 1, (1, 1)),
        ] {
            let mut found = Traffic::default();
            shared(
                &mut found,
                TrafficKind::SharedLoad,
                &addresses,
                mask,
                bytes,
                (false, 4, Merged::Alone),
            );
            assert_eq!((found.units, found.units - found.conflicts), want, "{what}");
        }
    }

    /// Clocks of the unit, in quarters, against what RRZE's gpu-strides measures on an A100 (1.63,
    /// 2.20 and 2.67 clocks at strides 3, 5 and 7, the stride itself at powers of two).
    #[test]
    fn clocks_of_strided_loads() {
        let clocks = |stride: u64, halves| {
            let mut found = Traffic::default();
            let addresses = lanes(|lane| 4 * stride * lane);
            global(&mut found, TrafficKind::GlobalLoad, &addresses, u32::MAX, 4, (halves, 4));
            found.quarters as f64 / 4.0
        };
        for stride in [1, 2, 4, 8, 16, 32] {
            assert_eq!(clocks(stride, false), stride as f64, "{stride}");
        }
        for (stride, measured) in [(3, 1.63), (5, 2.20), (7, 2.67)] {
            let error = clocks(stride, false) / measured - 1.0;
            assert!(error.abs() < 0.1, "{stride}: {error}");
        }
        assert_eq!(clocks(1, true), 2.0);
        assert_eq!(clocks(32, true), 32.0);
    }

    /// Clocks of loads of 8 and 16 bytes where a lane gets 4, and 8, in one pass.
    #[test]
    fn clocks_of_wide_loads() {
        for (what, addresses, bytes, narrow, wide) in [
            ("uniform 16", lanes(|_| 64), 16, 4, 2),
            ("uniform 8", lanes(|_| 64), 8, 2, 1),
            ("consecutive 16", lanes(|l| 16 * l), 16, 4, 4),
            ("consecutive 8", lanes(|l| 8 * l), 8, 2, 2),
            ("pairs 16", lanes(|l| 16 * (l / 2)), 16, 4, 2),
            ("column 16", lanes(|l| 128 * l), 16, 32, 32),
        ] {
            for (each, clocks) in [(4, narrow), (8, wide)] {
                let mut found = Traffic::default();
                let how = (false, each, Merged::Alone);
                let kind = TrafficKind::SharedLoad;
                shared(&mut found, kind, &addresses, u32::MAX, bytes, how);
                assert_eq!(found.quarters, 4 * clocks, "{what}, {each}");
            }
        }
    }

    #[test]
    fn atomics_on_one_word_are_serial() {
        let wavefronts = |address: &dyn Fn(u64) -> u64| {
            let mut found = Traffic::default();
            let addresses = lanes(address);
            shared(
                &mut found,
                TrafficKind::SharedAtomic,
                &addresses,
                u32::MAX,
                4,
                (false, 4, Merged::Alone),
            );
            (found.units, found.conflicts)
        };
        assert_eq!(wavefronts(&|_| 64), (32, 31));
        assert_eq!(wavefronts(&|lane| 4 * lane), (1, 0));
        assert_eq!(wavefronts(&|lane| 4 * (lane / 2)), (2, 1));
    }
}
