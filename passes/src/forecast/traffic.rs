//! Which bytes of a kernel's requests come from which cache: footprints against capacities.
//!
//! Accesses to one array that grow alike with the loops around are a group: what the threads of a block touch of it at one time is
//! known exactly, and loops stretch that, or repeat it elsewhere ([`Group::footprint`]). Between two iterations of a loop the
//! first-level cache keeps what fits into it beside everything else that an iteration touches; what fits in no iteration is
//! fetched anew. Of device memory the same is asked for all blocks that run at a time.

use gpuc_arch::{Arch, SECTOR_BYTES};
use gpuc_ir::{Op, Value};
use rustc_hash::FxHashMap;

use super::index::{Index, LoopId, Slopes};

/// An access to global memory.
#[derive(Clone, Debug)]
pub struct Site {
    pub op: Op,
    /// Where the buffer comes from.
    pub root: Value,
    pub kind: Kind,
    /// Bytes of a lane.
    pub bytes: i64,
    /// Of each thread, in the iteration in the middle; `None` where the program computes it from data.
    pub addresses: Option<Index>,
    /// The threads that ask.
    pub active: Vec<bool>,
    /// Requests of a warp in its life, on average.
    pub times: f64,
    /// Sectors of a request, on average.
    pub sectors: f64,
    /// The sequential loops around, from the outside in.
    pub loops: Vec<LoopId>,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Load,
    Store,
    Atomic,
}

/// A loop's iterations; of blocks where it is one of the grid.
#[derive(Clone, Copy, Debug)]
pub struct Trips {
    pub trips: f64,
    /// Axis of the grid.
    pub axis: Option<usize>,
}

/// Where what an access asks for is found, a request on average.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Bytes from or to the second-level cache.
    pub l2_bytes: f64,
    /// Bytes from or to device memory.
    pub dram_bytes: f64,
    /// Clocks until a result is there.
    pub latency: f64,
}

/// A launch, as far as caches see it.
pub struct Grid {
    /// Blocks on each axis.
    pub blocks: [f64; 3],
    /// Warps of a block.
    pub warps: f64,
    /// Blocks that a multiprocessor holds.
    pub resident: f64,
    /// Memory of a block in bytes.
    pub shared: f64,
}

/// How much of its range a group must touch to touch all of it.
const WITHOUT_GAPS: f64 = 0.9;

/// Accesses to one array that grow alike.
struct Group<'s> {
    sites: Vec<&'s Site>,
    slopes: Slopes,
    loops: Vec<LoopId>,
    /// Stretches of memory without a gap that a block touches at a time, their mean length in bytes, and from the
    /// first byte to the last.
    runs: f64,
    length: f64,
    span: f64,
    /// The byte in the middle of these.
    middle: f64,
}

impl<'s> Group<'s> {
    fn of(sites: Vec<&'s Site>) -> Group<'s> {
        let first = sites[0];
        let unit = i64::from(SECTOR_BYTES);
        let mut parts: Vec<(i64, i64)> = Vec::new();
        for site in &sites {
            let Some(addresses) = &site.addresses else { continue };
            for (thread, _) in site.active.iter().enumerate().filter(|(_, active)| **active) {
                let from = addresses.of(thread);
                parts.push((from, from.saturating_add(site.bytes)));
            }
        }
        parts.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (from, to) in parts {
            match merged.last_mut() {
                Some((_, end)) if from.div_euclid(unit) <= (*end - 1).div_euclid(unit) + 1 => {
                    *end = to.max(*end);
                }
                _ => merged.push((from, to)),
            }
        }
        let (span, middle) = match (merged.first(), merged.last()) {
            (Some((from, _)), Some((_, to))) => {
                (to.saturating_sub(*from) as f64, (*from as f64 + *to as f64) / 2.0)
            }
            _ => (0.0, 0.0),
        };
        let bytes: f64 = merged.iter().map(|(from, to)| to.saturating_sub(*from) as f64).sum();
        let runs = merged.len().max(1) as f64;
        Group {
            slopes: first
                .addresses
                .as_ref()
                .map(|index| index.slopes().clone())
                .unwrap_or_default(),
            loops: first.loops.clone(),
            runs,
            length: bytes / runs,
            span,
            middle,
            sites,
        }
    }

    /// Whether it loads, and the program does not compute from where.
    fn is_known_load(&self) -> bool {
        self.sites[0].kind == Kind::Load && self.sites[0].addresses.is_some()
    }

    /// How fast it grows with a loop, whichever way.
    fn slope(&self, id: LoopId) -> f64 {
        self.slopes.iter().find(|(of, _)| *of == id).map_or(0.0, |(_, by)| by.abs())
    }

    /// From where to where it goes in all iterations of some loops: what is known is of the iterations in the middle.
    fn range(&self, loops: impl Iterator<Item = (LoopId, f64)>) -> [f64; 2] {
        let further: f64 = loops.map(|(id, trips)| (trips - 1.0).max(0.0) * self.slope(id)).sum();
        let half = (self.span + further) / 2.0;
        [self.middle - half, self.middle + half]
    }

    /// Bytes that a block, or several, touch in all iterations of some loops, in whole sectors.
    fn footprint(&self, loops: impl Iterator<Item = (LoopId, f64)>) -> f64 {
        let mut steps: Vec<(f64, f64)> = loops.map(|(id, trips)| (self.slope(id), trips)).collect();
        steps.retain(|(by, trips)| *by > 0.0 && *trips > 1.0);
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let unit = f64::from(SECTOR_BYTES);
        let (mut runs, mut length, mut span) = (self.runs, self.length, self.span);
        for (by, trips) in steps {
            let further = (trips - 1.0) * by;
            if by < length + unit {
                length += further;
            } else {
                runs *= trips;
            }
            span += further;
            // Where there is no room for gaps, there are none.
            if runs * (length + unit / 2.0) >= span {
                (runs, length) = (1.0, span.max(length));
            }
        }
        // A stretch that begins anywhere has a sector more in part.
        let sectors = (length / unit).ceil() + if length % unit == 0.0 { 0.0 } else { 0.25 };
        runs * sectors * unit
    }

    /// Bytes that a block asks for, in whole sectors.
    fn asked(&self, warps: f64) -> f64 {
        let sectors: f64 = self.sites.iter().map(|site| site.times * site.sectors).sum();
        sectors * f64::from(SECTOR_BYTES) * warps
    }
}

/// Where each access finds what it asks for.
pub fn found(sites: &[Site], loops: &[Trips], grid: &Grid, arch: &Arch) -> FxHashMap<Op, Found> {
    let groups = groups(sites);
    let trips = |id: &LoopId| (*id, loops[id.0].trips);
    let near = f64::from(arch.chip.l1_bytes) / grid.resident.max(1.0) - grid.shared;
    // What all accesses touch in one iteration of a loop.
    let mut each: FxHashMap<LoopId, f64> = FxHashMap::default();
    for group in groups.iter().filter(|group| group.sites[0].kind == Kind::Load) {
        for (depth, id) in group.loops.iter().enumerate() {
            *each.entry(*id).or_default() +=
                group.footprint(group.loops[depth + 1..].iter().map(trips));
        }
    }
    let blocks: f64 = grid.blocks.iter().product();
    let sms = f64::from(arch.chip.sm_count);
    let at_a_time = (sms * grid.resident.max(1.0)).min(blocks).max(1.0);
    let wave = wave(grid.blocks, at_a_time);
    let of_grid = |extents: [f64; 3]| {
        let axes = loops.iter().enumerate().filter_map(|(id, of)| Some((LoopId(id), of.axis?)));
        axes.map(move |(id, axis)| (id, extents[axis])).collect::<Vec<_>>()
    };
    let (all, some) = (of_grid(grid.blocks), of_grid(wave));
    let iterations = |group: &Group, blocks: &[(LoopId, f64)]| -> Vec<(LoopId, f64)> {
        group.loops.iter().map(trips).chain(blocks.iter().copied()).collect()
    };
    let touched = |blocks: &[(LoopId, f64)]| -> Vec<f64> {
        let of = |group| Group::footprint(group, iterations(group, blocks).into_iter());
        groups.iter().map(of).collect()
    };
    let (of_all, of_some) = (touched(&all), touched(&some));
    let (everything, wanted): (f64, f64) = (of_all.iter().sum(), of_some.iter().sum());
    let far = arch.chip.l2_knee_bytes as f64;
    // Of what a group touches, the part that no other load of the same array touches as well, all of its range, more than it does.
    let range = |group: &Group| group.range(iterations(group, &all).into_iter());
    let ranges: Vec<[f64; 2]> = groups.iter().map(range).collect();
    let outside = |number: usize| {
        let group = &groups[number];
        let ([from, to], own) = (ranges[number], of_all[number]);
        let others = groups.iter().enumerate().filter(|&(other, of)| {
            let more = of_all[other];
            of.sites[0].root == group.sites[0].root
                && of.is_known_load()
                && group.is_known_load()
                && (more > own || (more == own && other < number))
                && more >= WITHOUT_GAPS * (ranges[other][1] - ranges[other][0])
        });
        let shared = others
            .map(|(other, _)| (to.min(ranges[other][1]) - from.max(ranges[other][0])).max(0.0));
        1.0 - shared.fold(0.0, f64::max) / (to - from).max(1.0)
    };
    let latency = &arch.chip.latency;
    let mut found = FxHashMap::default();
    for (number, group) in groups.iter().enumerate() {
        let asked = group.asked(grid.warps).max(1.0);
        let kind = group.sites[0].kind;
        let scattered = group.sites[0].addresses.is_none();
        let fetched = match kind {
            Kind::Load if !scattered => {
                let kept = group.loops.iter().rev().take_while(|id| each[id] <= near).count();
                let inner = group.loops.len() - kept;
                let outer: f64 = group.loops[..inner].iter().map(|id| loops[id.0].trips).product();
                let inside = group.footprint(group.loops[inner..].iter().map(trips));
                (inside * outer).min(asked)
            }
            _ => asked,
        };
        let from_memory = if scattered {
            // Nothing is known of what is asked for twice.
            fetched * blocks / 2.0
        } else if everything <= far || 2.0 * wanted <= far {
            of_all[number] * outside(number)
        } else {
            of_some[number] * blocks / wave.iter().product::<f64>()
        };
        let from_memory = from_memory.min(fetched * blocks);
        let (in_l2, in_memory) = (fetched / asked, from_memory / (fetched * blocks).max(1.0));
        for site in &group.sites {
            let bytes = site.sectors * f64::from(SECTOR_BYTES);
            let waits = f64::from(latency.l1) * (1.0 - in_l2)
                + in_l2 * f64::from(latency.l2) * (1.0 - in_memory)
                + in_l2 * in_memory * f64::from(latency.dram);
            found.insert(
                site.op,
                Found {
                    l2_bytes: bytes * in_l2,
                    dram_bytes: bytes * in_l2 * in_memory,
                    latency: waits,
                },
            );
        }
    }
    found
}

/// The blocks that run at a time: rows of the grid, one after another.
fn wave(blocks: [f64; 3], at_a_time: f64) -> [f64; 3] {
    let mut left = at_a_time;
    blocks.map(|count| {
        let own = count.min(left.ceil()).max(1.0);
        left /= own;
        own
    })
}

fn groups(sites: &[Site]) -> Vec<Group<'_>> {
    let alike = |a: &Site, b: &Site| {
        a.root == b.root
            && a.kind == b.kind
            && a.loops == b.loops
            && match (&a.addresses, &b.addresses) {
                (Some(a), Some(b)) => a.slopes() == b.slopes(),
                (a, b) => a.is_none() && b.is_none(),
            }
    };
    let mut groups: Vec<Vec<&Site>> = Vec::new();
    for site in sites {
        match groups.iter_mut().find(|group| alike(group[0], site)) {
            Some(group) => group.push(site),
            None => groups.push(vec![site]),
        }
    }
    groups.into_iter().map(Group::of).collect()
}

/// Clocks for which atomic operations hold the part of the second-level cache that has most of them.
pub fn atomic_clocks(sites: &[Site], loops: &[Trips], grid: &Grid, arch: &Arch) -> f64 {
    let atomics = &arch.chip.atomics;
    let blocks: f64 = grid.blocks.iter().product();
    let of_all = |site: &Site| {
        let group = Group::of(vec![site]);
        let axes = loops.iter().enumerate().map(|(id, of)| (LoopId(id), of.trips));
        let bytes = group.footprint(axes);
        let parts = (bytes / gpuc_arch::AtomicClocks::BYTES as f64).max(1.0);
        let words = if site.bytes > 4 { atomics.sector64 } else { atomics.sector };
        let lanes =
            site.active.iter().filter(|active| **active).count() as f64 / grid.warps.max(1.0);
        let same = (lanes - site.sectors * f64::from(SECTOR_BYTES) / site.bytes as f64).max(0.0);
        let each = site.sectors * f64::from(words) + same * f64::from(atomics.same_float);
        site.times * grid.warps * blocks * each / parts
    };
    sites.iter().filter(|site| site.kind == Kind::Atomic).map(of_all).sum()
}
