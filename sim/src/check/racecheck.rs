//! Races in shared and global memory, within a block and between blocks.
//!
//! Happens-before by vector clocks, with one last write and two last reads for each word (after
//! Flanagan and Freund, "FastTrack", PLDI 2009). Threads that meet at a barrier share one vector, so
//! that a barrier costs one vector and not one a thread. Orders come from barriers of a block
//! or a cluster, `bar.warp.sync`, and fences with atomics or strong accesses as PTX's memory model has them: a
//! fence and a later strong write or atomic release, as do `.release` and `.acq_rel` by themselves; a
//! strong read or atomic of the same place acquires. Strong accesses do not race with one another. Writes of equal values do no harm and are
//! not reported.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::finding::{Finding, FindingKind};
use super::{Context, space_name};
use crate::device_heap::HeapChange;
use crate::exec::{AccessEvent, Arrival, At, Collective, Probe};
use crate::fault::AccessKind;
use crate::program::{BarrierKind, MemorySpace};

/// Bytes of a shadowed word, and bytes of device memory whose shadow is made at once.
const WORD: u64 = 4;
const PAGE: u64 = 4096;

/// Who accessed a word last, and when.
#[derive(Clone, Copy, Default)]
struct Stamp {
    /// The block plus one; 0 is nobody.
    block: u32,
    clock: u32,
    site: u32,
    /// The word written.
    value: u32,
    thread: u16,
    /// The bytes of the word, and [`STRONG`] and [`ATOMIC`].
    how: u8,
}

const BYTES: u8 = 0x0f;
const STRONG: u8 = 0x10;
const ATOMIC: u8 = 0x20;

impl Stamp {
    fn is(&self, how: u8) -> bool {
        self.how & how != 0
    }
}

/// The shadow of some words: the last write and two last reads of each. A list is made when it is
/// first written, as most memory is only read, or only by one thread.
#[derive(Default)]
struct Shadow {
    words: usize,
    writes: Box<[Stamp]>,
    reads: [Box<[Stamp]>; 2],
}

impl Shadow {
    fn new(words: usize) -> Shadow {
        Shadow { words, ..Shadow::default() }
    }

    fn forget(&mut self, words: Range<usize>) {
        for list in std::iter::once(&mut self.writes).chain(&mut self.reads) {
            if !list.is_empty() {
                list[words.clone()].fill(Stamp::default());
            }
        }
    }
}

fn stamp(list: &[Stamp], word: usize) -> Stamp {
    list.get(word).copied().unwrap_or_default()
}

fn set_stamp(list: &mut Box<[Stamp]>, words: usize, word: usize, stamp: Stamp) {
    if list.is_empty() {
        *list = vec![Stamp::default(); words].into();
    }
    list[word] = stamp;
}

/// What a thread knows of others: the clocks up to which their accesses lie before its own.
#[derive(Clone, Default)]
struct Knowledge {
    /// By thread of the own block.
    own: Vec<u32>,
    /// Of threads of other blocks.
    others: BTreeMap<u32, Vec<u32>>,
}

fn merge(into: &mut Vec<u32>, from: &[u32]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    into.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

/// A release: what a thread knew, and its own clock.
#[derive(Clone)]
struct Release {
    known: Arc<Knowledge>,
    thread: u32,
    clock: u32,
}

/// The threads of a running block.
struct Block {
    clock: Vec<u32>,
    known: Vec<Arc<Knowledge>>,
    /// What each thread's last fence covers.
    fenced: Vec<Option<Release>>,
    /// Arrivals at the barriers, and whether the thread waits there.
    arrived: [Vec<(Release, bool)>; 16],
    /// What arrivals at the barrier of the cluster have released, who waits there, and what those
    /// know who have waited.
    cluster: (Vec<Release>, Vec<u32>, Arc<Knowledge>),
    /// Lanes that have reached a `bar.warp.sync`, by warp and members.
    warp_syncs: FxHashMap<(u32, u32), Vec<Release>>,
    shared: Shadow,
}

impl Block {
    fn release(&mut self, thread: u32) -> Release {
        let at = thread as usize;
        let release = Release { known: self.known[at].clone(), thread, clock: self.clock[at] };
        self.clock[at] += 1;
        release
    }

    /// A thread comes to know what others knew.
    fn learn(&mut self, thread: u32, news: &Arc<Knowledge>) {
        let own = &mut self.known[thread as usize];
        let mut known = Knowledge::clone(own);
        merge(&mut known.own, &news.own);
        for (&block, clocks) in &news.others {
            merge(known.others.entry(block).or_default(), clocks);
        }
        *own = Arc::new(known);
    }

    /// The knowledge of several threads of this block together.
    fn joined(&self, releases: &[Release]) -> Arc<Knowledge> {
        let mut all = Knowledge { own: vec![0; self.clock.len()], ..Knowledge::default() };
        let mut last: Option<&Arc<Knowledge>> = None;
        for release in releases {
            if last.is_none_or(|last| !Arc::ptr_eq(last, &release.known)) {
                merge(&mut all.own, &release.known.own);
                for (block, clocks) in &release.known.others {
                    merge(all.others.entry(*block).or_default(), clocks);
                }
                last = Some(&release.known);
            }
            let own = &mut all.own[release.thread as usize];
            *own = (*own).max(release.clock);
        }
        Arc::new(all)
    }

    /// Whether an access lies before what `thread` of block `me` does now.
    #[inline]
    fn before(&self, stamp: &Stamp, me: u32, thread: u32) -> bool {
        let known = &self.known[thread as usize];
        if stamp.block == me + 1 {
            u32::from(stamp.thread) == thread || stamp.clock <= known.own[stamp.thread as usize]
        } else {
            let clocks = known.others.get(&(stamp.block.wrapping_sub(1)));
            stamp.block == 0
                || clocks.is_some_and(|clocks| stamp.clock <= clocks[stamp.thread as usize])
        }
    }
}

pub(super) struct Racecheck<'l> {
    context: Context<'l>,
    blocks: FxHashMap<u64, Block>,
    /// Shadow of global memory, by page.
    pages: FxHashMap<u64, Shadow>,
    /// What was released at each place, as the clocks of the blocks' threads. A place in shared
    /// memory has its block.
    released: FxHashMap<(Option<u64>, u64), BTreeMap<u32, Vec<u32>>>,
}

impl<'l> Racecheck<'l> {
    pub(super) fn new(context: Context<'l>) -> Racecheck<'l> {
        Racecheck {
            context,
            blocks: FxHashMap::default(),
            pages: FxHashMap::default(),
            released: FxHashMap::default(),
        }
    }

    /// A strong write or atomic after a fence releases; a strong read or atomic acquires.
    fn synchronize(&mut self, event: &AccessEvent<'_>) {
        let Some(block) = self.blocks.get_mut(&event.at.block) else { return };
        let me = event.at.block as u32;
        let shared = event.space == MemorySpace::Shared;
        for lane in event.lanes() {
            let thread = event.at.warp * gpuc_arch::WARP_SIZE + lane;
            let (home, address) = event.home(lane);
            let place = (shared.then_some(home), address);
            if event.kind != AccessKind::Write
                && let Some(released) = self.released.get(&place)
            {
                let mut known = Knowledge::clone(&block.known[thread as usize]);
                for (&from, clocks) in released {
                    if from == me {
                        merge(&mut known.own, clocks);
                    } else {
                        merge(known.others.entry(from).or_default(), clocks);
                    }
                }
                block.known[thread as usize] = Arc::new(known);
            }
            if event.kind != AccessKind::Read
                && let Some(release) = block.fenced[thread as usize].clone()
            {
                let released = self.released.entry(place).or_default();
                for (&from, clocks) in &release.known.others {
                    merge(released.entry(from).or_default(), clocks);
                }
                let own = released.entry(me).or_default();
                merge(own, &release.known.own);
                own[thread as usize] = own[thread as usize].max(release.clock);
            }
        }
    }

    /// Lanes access global memory or the shared memory of a block.
    fn access_at(&mut self, event: &AccessEvent<'_>, home: Option<u64>, lanes: u32) {
        let at = At { lanes, ..event.at };
        let owner = home.unwrap_or(event.at.block);
        let Some(block) = self.blocks.get_mut(&owner) else { return };
        let mut shared = std::mem::take(&mut block.shared);
        let Some(block) = self.blocks.get(&event.at.block) else { return };
        let mut races = Vec::new();
        // The page of the word before: mostly the next word is there too.
        let mut nowhere = Shadow::default();
        let mut page: (u64, &mut Shadow) = (u64::MAX, &mut nowhere);
        let first = event.addresses[lanes.trailing_zeros() as usize & 31];
        let uniform = event.addresses.iter().all(|&address| address == first);
        // Of many readers of one word two tell as much as all.
        let most = if uniform && event.kind == AccessKind::Read { 2 } else { usize::MAX };
        for lane in at.each_lane().take(most) {
            let thread = event.at.warp * gpuc_arch::WARP_SIZE + lane;
            let address = event.home(lane).1;
            let end = address + u64::from(event.bytes);
            let mut at = address;
            while at < end {
                let word = at / WORD;
                let next = ((word + 1) * WORD).min(end);
                let mask = ((1u32 << (next - at)) - 1) << (at % WORD);
                let flag = |set, how| if set { how } else { 0 };
                let now = Stamp {
                    block: event.at.block as u32 + 1,
                    clock: block.clock[thread as usize],
                    site: event.at.site,
                    value: event.word(lane, ((at - address) / WORD) as usize),
                    thread: thread as u16,
                    how: mask as u8
                        | flag(event.strong, STRONG)
                        | flag(event.kind == AccessKind::Atomic, ATOMIC),
                };
                let (shadow, word) = if home.is_some() {
                    (&mut shared, word as usize)
                } else {
                    if page.0 != at / PAGE {
                        let fresh = || Shadow::new((PAGE / WORD) as usize);
                        page = (at / PAGE, self.pages.entry(at / PAGE).or_insert_with(fresh));
                    }
                    (&mut *page.1, (at % PAGE / WORD) as usize)
                };
                if word < shadow.words
                    && let Some((kind, other)) = touch(shadow, word, block, now, event.kind)
                {
                    races.push((lane, at, kind, other));
                }
                at = next;
            }
        }
        for (lane, address, kind, other) in races {
            self.report(event, lane, address, kind, other);
        }
        if let Some(block) = self.blocks.get_mut(&owner) {
            block.shared = shared;
        }
    }

    fn report(
        &self,
        event: &AccessEvent<'_>,
        lane: u32,
        address: u64,
        kind: FindingKind,
        other: Stamp,
    ) {
        let did = match (kind, other.is(ATOMIC)) {
            (_, true) => AccessKind::Atomic.name(),
            (FindingKind::WriteAfterRead, _) => AccessKind::Read.name(),
            _ => AccessKind::Write.name(),
        };
        self.context.report(kind, (event.at.site, other.site), || Finding {
            kind,
            kernel: self.context.kernel.into(),
            space: space_name(event.space),
            address,
            bytes: event.bytes,
            variable: self.context.variable(event.space, address, event.bytes),
            side: Some(self.context.side(event.kind.name(), event.at, lane)),
            other: Some(self.context.side_of(
                did,
                u64::from(other.block) - 1,
                other.thread.into(),
                other.site,
            )),
            detail: String::new(),
            count: 1,
        });
    }
}

/// Notes an access of a word; the race that it makes, with the other side.
fn touch(
    shadow: &mut Shadow,
    word: usize,
    block: &Block,
    now: Stamp,
    kind: AccessKind,
) -> Option<(FindingKind, Stamp)> {
    let (me, thread) = (now.block - 1, u32::from(now.thread));
    let unordered = |other: &Stamp| {
        other.block != 0
            && other.how & now.how & BYTES != 0
            && other.how & now.how & STRONG == 0
            && !block.before(other, me, thread)
    };
    let mut found = None;
    let write = stamp(&shadow.writes, word);
    if unordered(&write) {
        let harmless = kind == AccessKind::Write
            && !write.is(ATOMIC)
            && write.value == now.value
            && write.how & BYTES == now.how & BYTES;
        if !harmless {
            let kind = match kind {
                AccessKind::Read => FindingKind::ReadAfterWrite,
                _ => FindingKind::WriteAfterWrite,
            };
            found = Some((kind, write));
        }
    }
    if kind == AccessKind::Read {
        let is_me = |read: &Stamp| read.block == now.block && read.thread == now.thread;
        let first = stamp(&shadow.reads[0], word);
        let slot = usize::from(!is_me(&first) && !block.before(&first, me, thread));
        set_stamp(&mut shadow.reads[slot], shadow.words, word, now);
    } else {
        if found.is_none() {
            found = [0, 1]
                .map(|slot| stamp(&shadow.reads[slot], word))
                .into_iter()
                .find(unordered)
                .map(|read| (FindingKind::WriteAfterRead, read));
        }
        for list in &mut shadow.reads {
            if let Some(read) = list.get_mut(word) {
                *read = Stamp::default();
            }
        }
        set_stamp(&mut shadow.writes, shadow.words, word, now);
    }
    found
}

impl Probe for Racecheck<'_> {
    fn block_start(&mut self, block: u64) {
        let threads = self.context.threads() as usize;
        let nothing = Arc::new(Knowledge { own: vec![0; threads], ..Knowledge::default() });
        let fresh = Block {
            clock: vec![1; threads],
            known: vec![nothing; threads],
            fenced: vec![None; threads],
            arrived: Default::default(),
            cluster: Default::default(),
            warp_syncs: FxHashMap::default(),
            shared: Shadow::new(self.context.shared_bytes.div_ceil(WORD) as usize),
        };
        self.blocks.insert(block, fresh);
    }

    fn block_end(&mut self, block: u64) {
        self.blocks.remove(&block);
        // What was released at a place in shared memory ends with the block.
        self.released.retain(|&(home, _), _| home != Some(block));
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let is_shared = match event.space {
            MemorySpace::Shared => true,
            MemorySpace::Global | MemorySpace::Generic => false,
            MemorySpace::Local | MemorySpace::Param => return,
        };
        if event.strong {
            self.synchronize(event);
        }
        if !event.leaves_block() {
            self.access_at(event, is_shared.then_some(event.at.block), event.at.lanes);
            return;
        }
        let mut left = event.at.lanes;
        while left != 0 {
            let home = event.home(left.trailing_zeros()).0;
            let here = event.lanes().filter(|&lane| event.home(lane).0 == home);
            let here = here.fold(0, |lanes, lane| lanes | 1 << lane) & left;
            left &= !here;
            self.access_at(event, is_shared.then_some(home), here);
        }
    }

    fn arrive(&mut self, arrival: &Arrival) {
        let Some(block) = self.blocks.get_mut(&arrival.at.block) else { return };
        for lane in arrival.at.each_lane() {
            let release = block.release(arrival.at.warp * gpuc_arch::WARP_SIZE + lane);
            let waits = arrival.kind != BarrierKind::Arrive;
            block.arrived[arrival.number.min(15) as usize].push((release, waits));
        }
    }

    fn open(&mut self, block: u64, number: u32) {
        let Some(block) = self.blocks.get_mut(&block) else { return };
        let arrived = std::mem::take(&mut block.arrived[number.min(15) as usize]);
        let releases: Vec<Release> = arrived.iter().map(|(release, _)| release.clone()).collect();
        let all = block.joined(&releases);
        for (release, _) in arrived.iter().filter(|(_, waits)| *waits) {
            block.known[release.thread as usize] = all.clone();
        }
    }

    fn cluster_arrive(&mut self, arrival: &Arrival, releases: bool) {
        let Some(block) = self.blocks.get_mut(&arrival.at.block) else { return };
        if releases {
            for lane in arrival.at.each_lane() {
                let release = block.release(arrival.at.warp * gpuc_arch::WARP_SIZE + lane);
                block.cluster.0.push(release);
            }
        }
    }

    fn cluster_wait(&mut self, at: At) {
        let Some(block) = self.blocks.get_mut(&at.block) else { return };
        // The phase may be over, or end later.
        let opened = block.cluster.2.clone();
        for lane in at.each_lane() {
            let thread = at.warp * gpuc_arch::WARP_SIZE + lane;
            block.learn(thread, &opened);
            block.cluster.1.push(thread);
        }
    }

    fn open_cluster(&mut self, blocks: &[u64]) {
        // What all have released, by block.
        let mut all: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &index in blocks {
            let Some(block) = self.blocks.get_mut(&index) else { continue };
            let releases = std::mem::take(&mut block.cluster.0);
            let known = block.joined(&releases);
            merge(all.entry(index as u32).or_default(), &known.own);
            for (&other, clocks) in &known.others {
                merge(all.entry(other).or_default(), clocks);
            }
        }
        for &index in blocks {
            let Some(block) = self.blocks.get_mut(&index) else { continue };
            let mut others = all.clone();
            let own = others.remove(&(index as u32)).unwrap_or_default();
            let known = Arc::new(Knowledge { own, others });
            for thread in std::mem::take(&mut block.cluster.1) {
                block.learn(thread, &known);
            }
            block.cluster.2 = known;
        }
    }

    fn collective(&mut self, collective: &Collective, joins: bool) {
        let Collective { at, members, live } = *collective;
        let Some(block) = self.blocks.get_mut(&at.block) else { return };
        if !joins {
            return;
        }
        let here: Vec<Release> = at
            .each_lane()
            .map(|lane| block.release(at.warp * gpuc_arch::WARP_SIZE + lane))
            .collect();
        let all = block.warp_syncs.entry((at.warp, members)).or_default();
        all.extend(here);
        if all.len() < (members & live).count_ones() as usize {
            return;
        }
        let all = block.warp_syncs.remove(&(at.warp, members)).unwrap_or_default();
        let known = block.joined(&all);
        for release in all {
            block.known[release.thread as usize] = known.clone();
        }
    }

    /// Whoever gets a block comes after all who had it before: `malloc` and `free` are in an order.
    fn heap(&mut self, _: At, change: HeapChange) {
        if change.freed {
            return;
        }
        let end = change.base + change.bytes;
        let (first, last) = (change.base / WORD, end.div_ceil(WORD));
        for page in change.base / PAGE..end.div_ceil(PAGE) {
            let Some(shadow) = self.pages.get_mut(&page) else { continue };
            let start = page * (PAGE / WORD);
            let within = |word: u64| (word.max(start) - start).min(PAGE / WORD) as usize;
            shadow.forget(within(first)..within(last));
        }
        let block = change.base..end;
        self.released.retain(|&(home, address), _| home.is_some() || !block.contains(&address));
    }

    fn fence(&mut self, at: At) {
        let Some(block) = self.blocks.get_mut(&at.block) else { return };
        for lane in at.each_lane() {
            let thread = at.warp * gpuc_arch::WARP_SIZE + lane;
            let release = block.release(thread);
            block.fenced[thread as usize] = Some(release);
        }
    }
}
