//! Wrong use of barriers and of warp-wide operations. Deadlocks and loops that cannot end are found
//! by the executor, which stops there.

use rustc_hash::FxHashMap;

use super::Context;
use super::finding::{Finding, FindingKind, Side};
use crate::exec::{Arrival, At, Collective, Probe};
use crate::program::BarrierKind;

/// What a running block did so far.
struct Block {
    /// Threads waiting at each barrier, with the first arrival.
    waiting: [(u32, Option<At>); 16],
    /// Lanes that exited without ever reaching a barrier, and where.
    exited: Vec<At>,
    /// Lanes of each warp that have reached a barrier.
    reached: Vec<u32>,
    /// Lanes that a collective operation of the warp still waits for, with who waits.
    awaited: Vec<Option<(u32, At)>>,
}

pub(super) struct Synccheck<'l> {
    context: Context<'l>,
    blocks: FxHashMap<u64, Block>,
}

impl<'l> Synccheck<'l> {
    pub(super) fn new(context: Context<'l>) -> Synccheck<'l> {
        Synccheck { context, blocks: FxHashMap::default() }
    }

    fn report(
        &self,
        kind: FindingKind,
        side: (&'static str, At),
        other: Option<Side>,
        detail: String,
    ) {
        let (did, at) = side;
        self.context.report(kind, (at.site, 0), || Finding {
            kind,
            kernel: self.context.kernel.into(),
            space: "",
            address: 0,
            bytes: 0,
            variable: None,
            side: Some(self.context.side(did, at, at.lanes.trailing_zeros() & 31)),
            other,
            detail,
            count: 1,
        });
    }

    /// An aligned barrier to which not the whole warp comes together.
    fn divergent(&self, arrival: &Arrival) {
        let at = arrival.at;
        if arrival.aligned && at.lanes != arrival.live {
            let (here, live) = (at.lanes.count_ones(), arrival.live.count_ones());
            let detail = format!(
                "{here} of the {live} running threads of the warp arrive: all must, together"
            );
            self.report(FindingKind::DivergentBarrier, ("barrier", at), None, detail);
        }
    }

    /// Lanes that a warp of the block has from the start.
    fn whole(&self, warp: u32) -> u32 {
        let rest = self.context.threads() - warp * gpuc_arch::WARP_SIZE;
        if rest >= gpuc_arch::WARP_SIZE { u32::MAX } else { (1 << rest) - 1 }
    }
}

impl Probe for Synccheck<'_> {
    fn block_start(&mut self, block: u64) {
        let warps = self.context.threads().div_ceil(gpuc_arch::WARP_SIZE) as usize;
        let fresh = Block {
            waiting: [(0, None); 16],
            exited: Vec::new(),
            reached: vec![0; warps],
            awaited: vec![None; warps],
        };
        self.blocks.insert(block, fresh);
    }

    fn block_end(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    fn arrive(&mut self, arrival: &Arrival) {
        let at = arrival.at;
        if let Some(block) = self.blocks.get_mut(&at.block) {
            block.reached[at.warp as usize] |= at.lanes;
            let (threads, first) = &mut block.waiting[arrival.number.min(15) as usize];
            *threads += at.lanes.count_ones();
            if arrival.kind != BarrierKind::Arrive {
                first.get_or_insert(at);
            }
        }
        self.divergent(arrival);
    }

    fn cluster_arrive(&mut self, arrival: &Arrival, _releases: bool) {
        self.divergent(arrival);
    }

    fn open(&mut self, block: u64, number: u32) {
        let Some(state) = self.blocks.get_mut(&block) else { return };
        let (threads, first) = std::mem::take(&mut state.waiting[number.min(15) as usize]);
        let skipped = state.exited.first().copied();
        let total = self.context.threads();
        if let (Some(first), Some(skipped)) = (first, skipped)
            && threads < total
        {
            let other = self.context.side("exit", skipped, skipped.lanes.trailing_zeros() & 31);
            let detail = format!("{threads} of the {total} threads of the block arrived");
            self.report(FindingKind::SkippedBarrier, ("barrier", first), Some(other), detail);
        }
    }

    fn collective(&mut self, collective: &Collective, _joins: bool) {
        let Collective { at, members, live } = *collective;
        let gone = members & self.whole(at.warp) & !live;
        let unnamed = at.lanes & !members;
        if gone != 0 || unnamed != 0 {
            let detail = if unnamed != 0 {
                format!("lanes {unnamed:#010x} take part, but the mask is {members:#010x}")
            } else {
                format!("the mask {members:#010x} names lanes {gone:#010x}, which have exited")
            };
            self.report(FindingKind::InactiveLanes, ("warp-wide operation", at), None, detail);
        }
        if let Some(block) = self.blocks.get_mut(&at.block) {
            let awaited = &mut block.awaited[at.warp as usize];
            let before = match awaited {
                Some((lanes, first)) if first.site == at.site => *lanes,
                _ => members & live,
            };
            let left = before & !at.lanes;
            *awaited = (left != 0).then_some((left, at));
        }
    }

    fn exit(&mut self, at: At) {
        let Some(block) = self.blocks.get_mut(&at.block) else { return };
        let never = at.lanes & !block.reached[at.warp as usize];
        if never != 0 {
            block.exited.push(At { lanes: never, ..at });
        }
        let awaited = block.awaited[at.warp as usize];
        if let Some((lanes, waiting)) = awaited
            && lanes & at.lanes != 0
        {
            let gone = lanes & at.lanes;
            block.awaited[at.warp as usize] = None;
            let other = self.context.side("exit", at, gone.trailing_zeros() & 31);
            let detail = format!("lanes {gone:#010x} are named and exit instead");
            let side = ("warp-wide operation", waiting);
            self.report(FindingKind::InactiveLanes, side, Some(other), detail);
        }
    }
}
