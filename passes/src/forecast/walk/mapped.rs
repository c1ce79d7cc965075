//! Loops whose iterations processors share.

use gpuc_arch::{OpClass, WARP_SIZE};
use gpuc_dialects::offload::mapping::{Axis, DimMap, Distribution, LoopMapping, Size};
use gpuc_ir::{Block, Op, Value};

use super::super::class;
use super::super::index::{Index, LoopId};
use super::Walk;

/// Where the blocks are that stand for all where they are not alike, in eighths of the grid by axis: each row and each column has as many
/// below as above what two of its coordinates have in common.
const SAMPLES: [[i64; 3]; 4] = [[3, 1, 5], [7, 3, 1], [1, 5, 7], [5, 7, 3]];

/// Iterations of a dimension as they are dealt.
struct Deal {
    variables: Vec<(Value, Index, i64, i64)>,
    position: Index,
    total: i64,
    /// How often each processor takes one, and by how much it goes on.
    turns: i64,
    stride: i64,
    number: usize,
}

impl Walk<'_> {
    /// The number of each thread on an axis of its block.
    fn thread(&self, axis: Axis) -> (Index, i64) {
        let [x, y, z] = self.subject.extents;
        let (below, size) = match axis {
            Axis::Thread(0) => (1, x),
            Axis::Thread(1) => (x, y),
            Axis::Lane => (1, WARP_SIZE.into()),
            _ => (x * y, z),
        };
        (Index::each((0..self.active.len() as i64).map(|t| t / below % size).collect()), size)
    }

    /// A loop of which processors have the iterations; where blocks are not alike, some of them.
    pub(super) fn mapped(&mut self, op: Op, mapping: &LoopMapping) {
        let of_blocks = mapping.axes().any(|(axis, _)| matches!(axis, Axis::Block(_)));
        if !(of_blocks && self.subject.is_uneven && self.sample.is_none()) {
            return self.mapped_once(op, mapping);
        }
        for sample in 0..SAMPLES.len() {
            self.sample = Some(sample);
            self.weighted(1.0 / SAMPLES.len() as f64, |walk| walk.mapped_once(op, mapping));
        }
        self.sample = None;
    }

    /// The same for one block.
    fn mapped_once(&mut self, op: Op, mapping: &LoopMapping) {
        let ir = self.ir();
        let dims = ir.loop_dimensions(op);
        let mut deals = Vec::new();
        let mut at = 0;
        let mut span: i64 = 1;
        let mut share = self.share;
        let maps: Vec<_> = match mapping.0.is_empty() {
            true => dims.iter().map(|_| DimMap::sequential()).collect(),
            false => mapping.0.clone(),
        };
        for map in &maps {
            let own = dims.get(at..at + map.dims).unwrap_or_default();
            let variables: Vec<_> = own
                .iter()
                .map(|dim| {
                    let (lower, step, trips) = self.dimension(dim);
                    (dim.variable, lower, step, trips)
                })
                .collect();
            let total = variables.iter().fold(1i64, |all, (.., trips)| all.saturating_mul(*trips));
            let mut position = Index::constant(0);
            let mut processors = 1;
            for &(axis, size) in map.axes.iter().rev() {
                let weight = Index::constant(processors);
                let (own, count) = match axis {
                    Axis::Block(axis) => {
                        let axis = usize::from(axis).min(2);
                        let others: i64 = map.threads().unwrap_or(1);
                        let count = match size {
                            Size::Constant(n) => n,
                            _ => total.saturating_add(others - 1) / others.max(1),
                        };
                        let count = self.resident.map_or(count, |most| count.min(most));
                        self.blocks[axis] = self.blocks[axis].max(count as f64);
                        if self.resident.is_some() {
                            share = count as f64 / self.blocks[axis];
                        }
                        self.loops[axis].trips = self.blocks[axis];
                        let place = match self.sample {
                            Some(sample) => count.saturating_mul(SAMPLES[sample][axis]) / 8,
                            None => count / 2,
                        };
                        (Index::constant(place).growing(LoopId(axis), 1.0), count)
                    }
                    axis => {
                        let (number, extent) = self.thread(axis);
                        span = span.saturating_mul(extent);
                        (number, extent)
                    }
                };
                position = position.plus(&own.times(&weight));
                processors = processors.saturating_mul(count.max(1));
            }
            let turns = total.saturating_add(processors - 1) / processors;
            let stride = match map.how {
                Distribution::Blocked => {
                    position = position.times(&Index::constant(turns.max(1)));
                    1
                }
                _ => processors,
            };
            deals.push(Deal { variables, position, total, turns, stride, number: at });
            at += map.dims;
        }
        let body = ir.regions(op).first().and_then(|&region| ir.entry_block(region));
        let Some(body) = body else { return };
        let outer = std::mem::replace(&mut self.share, share);
        let all = self.active.clone();
        self.in_threads(all, |walk| walk.dealt(op, body, &deals));
        self.share = outer;
        for &result in ir.results(op) {
            self.combine(op, result, span);
        }
    }

    /// Goes through what a processor has of the dimensions, turn by turn.
    fn dealt(&mut self, op: Op, body: Block, deals: &[Deal]) {
        let Some((deal, rest)) = deals.split_first() else { return self.block(body) };
        let id = self.id(op, deal.number, deal.turns);
        let take = move |walk: &mut Self, turn: i64| -> Vec<bool> {
            let by = Index::constant(turn.wrapping_mul(deal.stride));
            let mut place = deal.position.plus(&by);
            if deal.turns > 1 {
                place = place.growing(id, deal.stride as f64);
            }
            let taken = |thread: usize, active: bool| active && place.of(thread) < deal.total;
            let own: Vec<bool> =
                walk.active.iter().enumerate().map(|(t, active)| taken(t, *active)).collect();
            for (variable, lower, step, trips) in deal.variables.iter().rev() {
                let trips = Index::constant((*trips).max(1));
                let several = deal.variables.len() > 1;
                let digit = if several { place.remainder(&trips) } else { Some(place.clone()) };
                place = place.divided(&trips).unwrap_or(place);
                if let Some(digit) = digit {
                    walk.numbers
                        .insert(*variable, digit.times(&Index::constant(*step)).plus(lower));
                }
            }
            own
        };
        if deal.turns <= 1 {
            let own = take(self, 0);
            return self.in_threads(own, |walk| walk.dealt(op, body, rest));
        }
        self.around.push(id);
        if rest.is_empty() {
            let bind = |walk: &mut Self, turn: i64| {
                take(walk, turn);
            };
            self.repeated(id, deal.turns, body, (None, &bind), &[]);
        } else {
            for (turn, weight) in self.samples(deal.turns, 1) {
                let own = take(self, turn);
                self.weighted(weight, |walk| {
                    walk.in_threads(own, |walk| walk.dealt(op, body, rest));
                });
            }
        }
        self.around.pop();
    }

    /// The result of a reduction over so many threads.
    fn combine(&mut self, op: Op, result: Value, span: i64) {
        let ir = self.ir();
        let words = f64::from(class::words(ir, ir.ty(result)));
        let then = self.clock_of_last(op);
        let lanes = span.clamp(1, WARP_SIZE.into()) as u64;
        let mut at = then;
        let steps = |walk: &mut Self, mut at: f64, count: u32| {
            for _ in 0..count {
                at = walk.clock.issue(OpClass::Shuffle, words, at, walk.part);
                at = walk.clock.issue(
                    if words > 1.0 { OpClass::FloatAdd64 } else { OpClass::FloatAdd32 },
                    1.0,
                    at,
                    walk.part,
                );
            }
            at
        };
        at = steps(self, at, lanes.ilog2());
        if span > WARP_SIZE.into() {
            self.clock.issue(OpClass::StoreShared, 1.0, at, self.part);
            self.clock.demand().lsu_clocks += 1.0;
            self.clock.barrier(op);
            at = self.clock.issue(OpClass::LoadShared, 1.0, 0.0, self.part);
            at = steps(self, at, ((span as u64) / u64::from(WARP_SIZE)).max(1).ilog2());
        }
        self.ready.insert(result, at);
    }

    fn clock_of_last(&self, op: Op) -> f64 {
        let ir = self.ir();
        let body = ir.regions(op).first().and_then(|&region| ir.entry_block(region));
        let end = body.and_then(|body| ir.last_op(body));
        end.map_or(0.0, |end| self.operands_ready(end))
    }
}
