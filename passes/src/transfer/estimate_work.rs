//! `estimate-work`: how much a nest that the compiler found has to do, from what the host knows.
//!
//! For each construct's function with [`FOUND_ATTR`], a function beside it computes three numbers from the
//! construct's scalar arguments: the operations of all iterations, those of the longest chain where every
//! parallel loop has a processor for each iteration, and the launches. The host weighs them against
//! moving the data before it starts the nest. Trip counts come from the loops' bounds, outer variables
//! standing for the middle of their ranges; a loop whose bounds only the device knows is taken to run
//! [`UNKNOWN_TRIPS`] times. Needs parallel loops to be found, and to be in place still.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_dialects::func::{FuncOp, ReturnOp};
use gpuc_dialects::offload::{FALLBACK_ATTR, FOUND_ATTR, WORK_ATTR};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Region, Value, ValueMap, WalkOrder};

use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::trips::Trips;

gpuc_ir::pass! {
    /// Count the work of nests that the compiler found.
    EstimateWork = "estimate-work" {}
}

/// Rounds of a loop of which the host knows nothing.
const UNKNOWN_TRIPS: f64 = 8.0;

/// More than any count that matters, and a number of every integer type that takes it.
const MOST: f64 = 1e18;

impl Pass for EstimateWork {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(function) = FuncOp::cast(ir, inner)
                && ir.attr(inner, FOUND_ATTR).is_some()
                && ir.attr(inner, WORK_ATTR).is_none()
                && let Some(counting) = counting_function(ir, function)
            {
                let symbol = ir.symbol_name(counting).unwrap_or_default().to_owned();
                let reference = ir.ctx.symbol_attr(&symbol);
                ir.set_attr(inner, WORK_ATTR, reference);
            }
        }
        Ok(())
    }
}

/// Builds the function that counts, behind the one whose work it counts.
pub(super) fn counting_function(ir: &mut Ir, function: FuncOp) -> Option<Op> {
    let region = ir.region(function.op(), 0);
    let entry = ir.entry_block(region)?;
    let arguments = ir.arguments(entry).to_vec();
    let scalars: Vec<Value> =
        arguments.into_iter().filter(|&value| !ir.ctx.is_memref(ir.ty(value))).collect();
    let types: Vec<_> = scalars.iter().map(|&value| ir.ty(value)).collect();
    let location = ir.location(function.op());
    let body = ir.create_region();
    let block = ir.append_new_block(body, &types, location);
    let mut map = ValueMap::new();
    for (&old, new) in scalars.iter().zip(ir.arguments(block).to_vec()) {
        map.insert(old, new);
    }
    let b = Builder::new(ir, InsertPoint::End(block), location);
    let trips = Trips { scope: function.op(), map };
    let mut counter = Counter { b, trips, in_parallel: false };
    let work = counter.region(region);
    let results = [work.operations, work.span, work.launches].map(|value| counter.bounded(value));
    let mut b = counter.b;
    ReturnOp::new(&mut b, &results).build(&mut b);
    let f64 = b.ctx.f64();
    let ty = b.ctx.function(&types, &[f64; 3]);
    let symbol = format!("{}_work", b.symbol_name(function.op()).unwrap_or_default());
    let (ty, symbol_attr) = (b.ctx.type_attr(ty), b.ctx.string_attr(&symbol));
    b.set_point(InsertPoint::After(function.op()));
    let counting = FuncOp::new(&mut b)
        .attr(&mut b, "sym_name", symbol_attr)
        .attr(&mut b, "function_type", ty)
        .region(body)
        .build(&mut b);
    Some(counting)
}

/// Counts, as values of type `f64`.
#[derive(Clone, Copy)]
struct Work {
    operations: Value,
    span: Value,
    launches: Value,
}

struct Counter<'b> {
    b: Builder<'b>,
    /// How often loops run, in the function that counts.
    trips: Trips,
    in_parallel: bool,
}

/// What an operation that is no loop costs, in additions.
fn cost(ir: &Ir, op: Op) -> f64 {
    let name = ir.name(op);
    let on_indices = ir.results(op).iter().all(|&result| ir.ctx.is_index(ir.ty(result)));
    match name.split_once('.') {
        Some(("math", _)) => 10.0,
        Some(("func", "call")) => 10.0,
        Some((_, "load" | "store")) => 1.0,
        Some(("arith", "divf" | "divsi" | "divui" | "remsi" | "remui" | "remf")) => 4.0,
        Some(("arith", "constant" | "index_cast" | "index_castui")) => 0.0,
        Some(("arith", _)) if !on_indices => 1.0,
        _ => 0.0,
    }
}

impl Counter<'_> {
    fn constant(&mut self, value: f64) -> Value {
        let ty = self.b.ctx.f64();
        arith::constant_float(&mut self.b, value, ty)
    }

    fn plus(&mut self, x: Value, y: Value) -> Value {
        arith::AddFOp::new(&mut self.b, x, y).value(&mut self.b)
    }

    fn times(&mut self, x: Value, y: Value) -> Value {
        arith::MulFOp::new(&mut self.b, x, y).value(&mut self.b)
    }

    fn most(&mut self, x: Value, y: Value) -> Value {
        arith::MaxNumFOp::new(&mut self.b, x, y).value(&mut self.b)
    }

    fn bounded(&mut self, value: Value) -> Value {
        let most = self.constant(MOST);
        arith::MinNumFOp::new(&mut self.b, value, most).value(&mut self.b)
    }

    fn nothing(&mut self) -> Work {
        let zero = self.constant(0.0);
        Work { operations: zero, span: zero, launches: zero }
    }

    fn region(&mut self, region: Region) -> Work {
        let mut sum = self.nothing();
        let mut plain = 0.0;
        let blocks = self.b.blocks(region).to_vec();
        let ops: Vec<Op> =
            blocks.into_iter().flat_map(|block| self.b.ops(block).collect::<Vec<_>>()).collect();
        for op in ops {
            // The version without an assumption has as much to do, and is not counted on.
            if self.b.attr(op, FALLBACK_ATTR).is_some() {
                continue;
            }
            if self.b.regions(op).is_empty() {
                plain += cost(&self.b, op);
                continue;
            }
            let work = self.structured(op);
            sum = Work {
                operations: self.plus(sum.operations, work.operations),
                span: self.plus(sum.span, work.span),
                launches: self.plus(sum.launches, work.launches),
            };
        }
        let plain = self.constant(plain);
        sum.operations = self.plus(sum.operations, plain);
        sum.span = self.plus(sum.span, plain);
        sum
    }

    fn structured(&mut self, op: Op) -> Work {
        if !self.b.is_loop(op) {
            return self.alternatives(op);
        }
        let dims = dimensions(&self.b, op);
        let is_parallel = self.b.is_counted_loop(op) && !self.b.is_sequential_loop(op);
        let mut trips = self.constant(1.0);
        for dim in &dims {
            let of_dim = self.trips(dim);
            trips = self.times(trips, of_dim);
        }
        if dims.is_empty() {
            trips = self.constant(UNKNOWN_TRIPS);
        }
        let outermost = is_parallel && !self.in_parallel;
        let around = self.in_parallel;
        self.in_parallel |= is_parallel;
        let work = self.all_regions(op);
        self.in_parallel = around;
        let launches = match outermost {
            true => self.constant(1.0),
            false => self.times(work.launches, trips),
        };
        let span = match outermost {
            true => work.span,
            false => self.times(work.span, trips),
        };
        Work { operations: self.times(work.operations, trips), span, launches }
    }

    fn all_regions(&mut self, op: Op) -> Work {
        let mut sum = self.nothing();
        for region in self.b.regions(op).to_vec() {
            let work = self.region(region);
            sum = Work {
                operations: self.plus(sum.operations, work.operations),
                span: self.plus(sum.span, work.span),
                launches: self.plus(sum.launches, work.launches),
            };
        }
        sum
    }

    /// The dearest of an operation's regions.
    fn alternatives(&mut self, op: Op) -> Work {
        let mut dearest = self.nothing();
        for region in self.b.regions(op).to_vec() {
            let work = self.region(region);
            dearest = Work {
                operations: self.most(dearest.operations, work.operations),
                span: self.most(dearest.span, work.span),
                launches: self.most(dearest.launches, work.launches),
            };
        }
        dearest
    }

    /// How often a dimension of a loop runs.
    fn trips(&mut self, dim: &CountedLoop) -> Value {
        match self.trips.of(&mut self.b, dim) {
            Some(trips) => trips,
            None => self.constant(UNKNOWN_TRIPS),
        }
    }
}
