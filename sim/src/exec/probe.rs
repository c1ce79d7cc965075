//! What happens in a running kernel, told to whoever listens.
//!
//! The executor is generic over one [`Probe`]. With [`Nobody`] every event is compiled away;
//! counters, checkers and traces are other implementations. An event tells what PTX says happened,
//! in the order in which the simulator did it; it never changes what the kernel does.

use crate::device_heap::HeapChange;
use crate::fault::AccessKind;
use crate::program::{AccessShape, BarrierKind, MemorySpace, window};

use super::cluster::rank_of;
use super::lanes::{LANES, Registers};
use super::memory::{View, Whole};

/// Which lanes of which warp, at which instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// Linear index of the block in the grid.
    pub(crate) block: u64,
    /// Number of the warp in its block.
    pub(crate) warp: u32,
    /// Number of the instruction in its kernel.
    pub(crate) site: u32,
    /// The lanes concerned.
    pub(crate) lanes: u32,
}

impl At {
    /// The lanes, one after another.
    pub(crate) fn each_lane(self) -> impl Iterator<Item = u32> {
        (0..LANES as u32).filter(move |lane| self.lanes >> lane & 1 != 0)
    }
}

/// One access of a warp to one memory space.
pub(crate) struct AccessEvent<'a> {
    /// The lanes that access.
    pub(crate) at: At,
    pub(crate) kind: AccessKind,
    /// The space after generic addresses are resolved, never [`MemorySpace::Generic`].
    pub(crate) space: MemorySpace,
    /// Addresses in that space; lanes that do not access have that of one that does.
    pub(crate) addresses: &'a [u64; LANES],
    /// Bytes of each lane.
    pub(crate) bytes: u32,
    /// Whether PTX calls the access strong (`.volatile`, `.relaxed`, `.acquire`, atomics).
    pub(crate) strong: bool,
    /// Whether it is part of an asynchronous copy.
    pub(crate) asynchronous: bool,
    /// Whether it is one lane's part of what the warp does lane by lane (matrices, bulk copies,
    /// barriers in memory): how many requests that makes is not known here.
    pub(crate) part: bool,
    /// The registers that a store writes from, and their rows; `None` for other accesses.
    pub(crate) stored: Option<(&'a Registers, &'a [u32], AccessShape)>,
    /// The blocks of the cluster by rank: see [`AccessEvent::home`].
    pub(crate) blocks: &'a [u64],
}

impl AccessEvent<'_> {
    /// A plain access.
    pub(crate) fn new<'a>(
        at: At,
        kind: AccessKind,
        (space, addresses): (MemorySpace, &'a [u64; LANES]),
        bytes: u32,
        view: &'a View<'_>,
    ) -> AccessEvent<'a> {
        AccessEvent {
            at,
            kind,
            space,
            addresses,
            bytes,
            strong: false,
            asynchronous: false,
            part: false,
            stored: None,
            blocks: &view.blocks,
        }
    }

    /// The block whose memory a lane accesses, and the address there: shared memory may be that of
    /// another block of the cluster.
    pub(crate) fn home(&self, lane: u32) -> (u64, u64) {
        let address = self.addresses[lane as usize & 31];
        match (self.space, rank_of(address)) {
            (MemorySpace::Shared, Some(rank)) => {
                let block = self.blocks.get(rank).copied().unwrap_or(self.at.block);
                (block, address % window::BLOCK)
            }
            _ => (self.at.block, address),
        }
    }

    /// The bytes that all lanes together access from the first address on, where they lie side by side
    /// or all in one place.
    pub(crate) fn span(&self) -> Option<u64> {
        let (first, bytes) = (self.addresses[0], u64::from(self.bytes));
        let (mut differs, mut gaps) = (0, 0);
        for (lane, address) in (0u64..).zip(self.addresses) {
            differs |= address ^ first;
            gaps |= address ^ first.wrapping_add(lane * bytes);
        }
        match (differs, gaps) {
            (0, _) => Some(bytes),
            (_, 0) if self.at.lanes == u32::MAX => Some(bytes * LANES as u64),
            _ => None,
        }
    }

    /// Whether it accesses the shared memory of another block.
    pub(crate) fn leaves_block(&self) -> bool {
        let all = self.addresses.iter().fold(0, |all, address| all | address);
        self.space == MemorySpace::Shared && all >= window::BLOCK
    }

    /// The lanes that access, one after another.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = u32> + use<> {
        self.at.each_lane()
    }

    /// The 32-bit word that a lane stores at a distance from its address; 0 where that is not known.
    pub(crate) fn word(&self, lane: u32, word: usize) -> u32 {
        let Some((registers, rows, access)) = self.stored else { return 0 };
        let words = (access.bytes / 4).max(1) as usize;
        let Some(&row) = rows.get(word / words) else { return 0 };
        let value = if access.wide {
            registers.wide(row)[lane as usize]
        } else {
            u64::from(registers.narrow(row)[lane as usize])
        };
        (value >> (32 * (word % words))) as u32
    }
}

/// Lanes arrive at a barrier of their block.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) at: At,
    pub(crate) number: u32,
    pub(crate) kind: BarrierKind,
    pub(crate) aligned: bool,
    /// Lanes of the warp that have not exited.
    pub(crate) live: u32,
}

/// Lanes execute a collective operation of their warp (`shfl`, `vote`, `bar.warp.sync`).
#[derive(Debug)]
pub(crate) struct Collective {
    pub(crate) at: At,
    /// The lanes that the operation names.
    pub(crate) members: u32,
    /// Lanes of the warp that have not exited.
    pub(crate) live: u32,
}

/// A customer of the executor's events. Every method has an empty default.
pub(crate) trait Probe {
    /// Whether anybody listens: constant for each type, so that events of [`Nobody`] cost nothing.
    fn listens() -> bool
    where
        Self: Sized,
    {
        true
    }

    /// Whether it matters when instructions are issued. Where it does not, straight code is told as
    /// a whole ([`Probe::issue_run`]) after its accesses.
    fn in_order() -> bool
    where
        Self: Sized,
    {
        true
    }

    /// A block starts, with zeroed shared and local memory.
    fn block_start(&mut self, _block: u64) {}

    /// A block has ended without a fault.
    fn block_end(&mut self, _block: u64) {}

    /// A warp issues an instruction to `at.lanes`, of which those in `enabled` satisfy the guard.
    fn issue(&mut self, _at: At, _enabled: u32) {}

    /// A warp has issued `count` instructions without guards from `first.site` on, all to
    /// `first.lanes`.
    fn issue_run(&mut self, first: At, count: u32) {
        for site in first.site..first.site + count {
            self.issue(At { site, ..first }, first.lanes);
        }
    }

    /// The lanes of a branch went different ways.
    fn diverge(&mut self, _at: At) {}

    /// Memory was read, written or updated.
    fn access(&mut self, _event: &AccessEvent<'_>) {}

    /// The whole warp `at` a load or store accessed memory in a regular way. Whether that is all the
    /// probe wants to know; otherwise [`Probe::access`] tells the rest.
    fn access_whole(&mut self, _at: At, _whole: Whole) -> bool {
        false
    }

    /// Lanes arrived at a barrier.
    fn arrive(&mut self, _arrival: &Arrival) {}

    /// All that arrived at barrier `number` of the block go on.
    fn open(&mut self, _block: u64, _number: u32) {}

    /// Lanes arrived at the barrier of the cluster; whether what they did is seen by who waits.
    fn cluster_arrive(&mut self, _arrival: &Arrival, _releases: bool) {}

    /// Lanes wait for the cluster, or find that all have arrived.
    fn cluster_wait(&mut self, _at: At) {}

    /// All threads of a cluster, given by its blocks, have arrived.
    fn open_cluster(&mut self, _blocks: &[u64]) {}

    /// A collective operation was executed by `at.lanes`.
    fn collective(&mut self, _collective: &Collective, _joins: bool) {}

    /// A memory fence.
    fn fence(&mut self, _at: At) {}

    /// A lane got a block from the device's heap, or freed one.
    fn heap(&mut self, _at: At, _change: HeapChange) {}

    /// Lanes exited.
    fn exit(&mut self, _at: At) {}
}

/// Nobody listens.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Probe for Nobody {
    #[inline(always)]
    fn listens() -> bool {
        false
    }

    #[inline(always)]
    fn in_order() -> bool {
        false
    }

    #[inline(always)]
    fn issue_run(&mut self, _: At, _: u32) {}
}

/// Every event, given to a macro that makes the methods of those who pass it on.
macro_rules! events {
    ($make:ident) => {
        $make! {
            block_start(block: u64);
            block_end(block: u64);
            issue(at: At, enabled: u32);
            diverge(at: At);
            access(event: &AccessEvent<'_>);
            arrive(arrival: &Arrival);
            open(block: u64, number: u32);
            cluster_arrive(arrival: &Arrival, releases: bool);
            cluster_wait(at: At);
            open_cluster(blocks: &[u64]);
            collective(collective: &Collective, joins: bool);
            fence(at: At);
            heap(at: At, change: HeapChange);
            exit(at: At);
        }
    };
}

macro_rules! to_each {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self, $($arg: $type),*) {
            for probe in self {
                probe.$name($($arg),*);
            }
        })*
    };
}

macro_rules! to_both {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self, $($arg: $type),*) {
            self.0.$name($($arg),*);
            self.1.$name($($arg),*);
        })*
    };
}

/// Several listeners, told in order.
impl Probe for Vec<Box<dyn Probe + Send + '_>> {
    events!(to_each);
}

/// Two listeners.
impl<A: Probe, B: Probe> Probe for (A, B) {
    events!(to_both);
}
