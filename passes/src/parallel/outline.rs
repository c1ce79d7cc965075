//! `outline`: turns each `offload.region` into kernels and launches.
//!
//! Needs regions whose loops are `scf.parallel` where independent; leaves, in the host function, one
//! `gpu.launch_func` for each segment of the region (see [`super::segments`]) with the computation of
//! its grid, and the kernels in `gpu.module @kernels`. A loop over gangs with reductions leaves one
//! partial result for each block in a buffer on the device; a kernel of one block behind it combines
//! them in a fixed order, so that results do not change from run to run.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Region, Value, ValueMap, WalkOrder};

use super::combiner::{all_reduce, combine};
use super::distribute::{distribute, trip_count};
use super::kernel::{Kernel, kernel_module};
use super::mapping::{Extent, Levels, Mapping};
use super::scratch::keep_between_segments;
use super::segments::{Segment, segments};
use super::threads::thread_number;
use crate::analysis::slice::{clone_slice, pure_slice};
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Turn compute regions into kernels and launches.
    Outline = "outline" on "builtin.module" {
        /// Blocks of a kernel, at most, where the program does not say; loops go on with the next
        /// iterations.
        max_blocks: i64 = 65535,
        /// Blocks of a kernel with reductions, at most, where the program does not say.
        max_partial_results: i64 = 1024,
    }
}

impl Pass for Outline {
    fn run(&mut self, ir: &mut Ir, module: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(module, WalkOrder::PreOrder) {
            if !ir.is_erased(op)
                && let Some(region) = RegionOp::cast(ir, op)
            {
                Outliner { pass: self, module }.outline(ir, region, cx)?;
            }
        }
        Ok(())
    }
}

struct Outliner<'a> {
    pass: &'a Outline,
    module: Op,
}

/// Partial results of a loop over gangs, waiting to be combined.
struct Partial {
    /// The loop's result in the region.
    result: Value,
    /// Buffer on the device, one element a block.
    buffer: Value,
    /// Blocks that left one.
    count: Value,
    combiner: Region,
    initial: Value,
}

/// Blocks of a kernel.
#[derive(Clone, Copy)]
struct Grid {
    /// In a row.
    x: Value,
    /// Rows.
    y: Value,
}

impl Outliner<'_> {
    fn outline(
        &self,
        ir: &mut Ir,
        region: RegionOp,
        cx: &mut PassContext<'_>,
    ) -> Result<(), Diagnostic> {
        let mapping = Mapping::choose(ir, region)?;
        let is_fallback = in_fallback(ir, region.op());
        if !is_fallback {
            report(ir, region, &mapping, cx);
        }
        let mut buffers = keep_between_segments(ir, region, &mapping)?;
        let segments = segments(ir, region, &mapping);
        let kernels = kernel_module(ir, self.module);
        let host = ir
            .ancestors(region.op())
            .find(|&op| ir.symbol_name(op).is_some())
            .and_then(|op| ir.symbol_name(op))
            .unwrap_or("region")
            .to_owned();
        let version = if is_fallback { "_fallback" } else { "" };
        let stem = unused_stem(ir, kernels, &format!("{host}{version}"));
        let mut partials: Vec<Partial> = Vec::new();
        let several = segments.len() > 1;
        for (i, segment) in segments.iter().enumerate() {
            let number = if several { format!("_{i}") } else { String::new() };
            let name = format!("{stem}{number}");
            let location = ir.location(segment.gang_loop.unwrap_or(region.op()));
            if !is_fallback {
                report_serial(ir, segment, cx);
            }
            let mut kernel = Kernel::create(ir, kernels, &name, location);
            let combines = partials.iter().any(|partial| segment.uses(ir, partial.result));
            let mut mapping = match combines {
                true => mapping.clone(),
                false => mapping.of_kernel(ir, &segment.ops),
            };
            let grid = self.grid(ir, region, segment, &mapping);
            finish_partials(ir, &mut kernel, segment, &partials, &mapping);
            let own = self.add_buffers(ir, &mut kernel, region, segment, grid)?;
            kernel.copy_ops(ir, &segment.ops, region.op(), &mut mapping)?;
            let values = distribute(ir, kernel.func, &mapping)?;
            store_partials(ir, &kernel, &own, &values);
            launch(ir, region, &kernel, &name, grid, &mapping);
            buffers.extend(own.iter().map(|(partial, _)| partial.buffer));
            partials.extend(own.into_iter().map(|(partial, _)| partial));
        }
        let mut b = Builder::before(ir, region.op());
        for buffer in buffers {
            gpu::DeallocOp::new(&mut b, &[], buffer).build(&mut b);
        }
        ir.erase_op(region.op());
        Ok(())
    }

    /// Number of blocks: what the program says; else as many as the loop over gangs can use; else
    /// one.
    fn grid(&self, ir: &mut Ir, region: RegionOp, segment: &Segment, mapping: &Mapping) -> Grid {
        let given = region.num_gangs(ir);
        let redundant = segment.has_atomics(ir);
        let mut b = Builder::before(ir, region.op());
        let given = given.map(|given| {
            let given = as_index(&mut b, given);
            let one = arith::constant_index(&mut b, 1);
            arith::MaxSIOp::new(&mut b, given, one).value(&mut b)
        });
        let Some(gang_loop) = segment.gang_loop else {
            // Gangs share loops further inside, and repeat what is not in a loop; what can be seen
            // of that is the same for one gang as for many, unless it adds up.
            let shared = has_gang_loop(&b, segment, mapping);
            let y = arith::constant_index(&mut b, 1);
            let x = match given {
                Some(given) if shared || redundant => given,
                None if shared => arith::constant_index(&mut b, self.pass.max_partial_results),
                _ => y,
            };
            return Grid { x, y };
        };
        if let Some(x) = given {
            return Grid { x, y: arith::constant_index(&mut b, 1) };
        }
        let limit = if b.results(gang_loop).is_empty() {
            self.pass.max_blocks
        } else {
            self.pass.max_partial_results
        };
        let limit = arith::constant_index(&mut b, limit);
        let one = arith::constant_index(&mut b, 1);
        let Some(counts) = trip_counts(&mut b, gang_loop, region) else {
            // Bounds that the host cannot compute: any number of blocks is right.
            return Grid { x: limit, y: one };
        };
        let (columns, rows) = match counts.split_last() {
            Some((&last, rows)) if mapping.uses_rows(&b, gang_loop) => (last, rows),
            _ => (product(&mut b, &counts), &[][..]),
        };
        let mut columns = columns;
        let levels = mapping.levels(gang_loop);
        if levels.in_block() {
            let mut threads = one;
            for (is, extent) in
                [(levels.vector, mapping.vector_length), (levels.worker, mapping.workers)]
            {
                if is {
                    let extent = extent_value(&mut b, extent);
                    threads = arith::MulIOp::new(&mut b, threads, extent).value(&mut b);
                }
            }
            columns = arith::CeilDivSIOp::new(&mut b, columns, threads).value(&mut b);
        }
        // One block at least: it does what stands before the loop, and leaves a partial result.
        let x = clamp(&mut b, columns, one, limit);
        if rows.is_empty() {
            return Grid { x, y: one };
        }
        let rows = product(&mut b, rows);
        let most = match b.results(gang_loop).is_empty() {
            true => limit,
            // All blocks together leave so many partial results.
            false => arith::DivUIOp::new(&mut b, limit, x).value(&mut b),
        };
        let y = clamp(&mut b, rows, one, most);
        Grid { x, y }
    }

    /// A buffer for each result of the segment's loop over gangs, on the host and as an argument of
    /// the kernel.
    fn add_buffers(
        &self,
        ir: &mut Ir,
        kernel: &mut Kernel,
        region: RegionOp,
        segment: &Segment,
        grid: Grid,
    ) -> Result<Vec<(Partial, Value)>, Diagnostic> {
        let Some(gang_loop) = segment.gang_loop.filter(|&op| !ir.results(op).is_empty()) else {
            return Ok(Vec::new());
        };
        let view = scf::ParallelOp(gang_loop);
        let combiners = view.reduce_op(ir).reductions(ir).to_vec();
        let mut own = Vec::new();
        let mut b = Builder::before(ir, region.op());
        let blocks = product(&mut b, &[grid.x, grid.y]);
        for (i, combiner) in combiners.into_iter().enumerate() {
            let result = ir.result(gang_loop, i);
            let element = ir.ty(result);
            let initial = view.initVals(ir)[i];
            let ty = ir.ctx.memref(&[DYNAMIC], element);
            let mut b = Builder::before(ir, region.op());
            let alloc = gpu::AllocOp::new(&mut b, &[], &[blocks], &[])
                .result_group(&[ty])
                .result_group(&[])
                .build(&mut b);
            let buffer = b.result(alloc, 0);
            let argument = kernel.argument(ir, buffer);
            own.push((Partial { result, buffer, count: blocks, combiner, initial }, argument));
        }
        Ok(own)
    }
}

/// What the names of a region's kernels begin with: a function may hold several versions of a region.
fn unused_stem(ir: &Ir, kernels: Op, wanted: &str) -> String {
    let names: Vec<&str> =
        ir.ops(ir.body(kernels, 0)).filter_map(|op| ir.symbol_name(op)).collect();
    let is_free = |stem: &String| {
        !names.iter().any(|&name| name == stem || name.strip_prefix(stem.as_str()) == Some("_0"))
    };
    let numbered = (2..).map(|number| format!("{wanted}{number}_kernel"));
    let mut stems = std::iter::once(format!("{wanted}_kernel")).chain(numbered);
    stems.find(is_free).expect("the numbers do not end")
}

/// Iterations of each dimension of a loop, computed on the host; `None` where it cannot.
fn trip_counts(b: &mut Builder<'_>, gang_loop: Op, region: RegionOp) -> Option<Vec<Value>> {
    let view = scf::ParallelOp(gang_loop);
    let (lower, upper, step) = (view.lowerBound(b), view.upperBound(b), view.step(b));
    let mut map = ValueMap::new();
    let mut counts = Vec::new();
    for d in 0..lower.len() {
        let mut bounds = [lower[d], upper[d], step[d]];
        for bound in &mut bounds {
            let slice = pure_slice(b, *bound, region.op())?;
            *bound = clone_slice(b, &slice, *bound, &mut map);
        }
        counts.push(trip_count(b, bounds[0], bounds[1], bounds[2]));
    }
    Some(counts)
}

fn product(b: &mut Builder<'_>, factors: &[Value]) -> Value {
    let mut product: Option<Value> = None;
    for &factor in factors {
        product = Some(match product {
            Some(so_far) => arith::MulIOp::new(b, so_far, factor).value(b),
            None => factor,
        });
    }
    product.unwrap_or_else(|| arith::constant_index(b, 1))
}

fn clamp(b: &mut Builder<'_>, value: Value, least: Value, most: Value) -> Value {
    let value = arith::MinSIOp::new(b, value, most).value(b);
    arith::MaxSIOp::new(b, value, least).value(b)
}

fn has_gang_loop(ir: &Ir, segment: &Segment, mapping: &Mapping) -> bool {
    segment
        .ops
        .iter()
        .flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder))
        .any(|op| mapping.levels(op).gang)
}

fn as_index(b: &mut Builder<'_>, value: Value) -> Value {
    if b.ctx.is_index(b.ty(value)) {
        return value;
    }
    let index = b.ctx.index();
    arith::IndexCastOp::new(b, value).result(index).value(b)
}

fn extent_value(b: &mut Builder<'_>, extent: Extent) -> Value {
    match extent {
        Extent::Constant(n) => arith::constant_index(b, n),
        Extent::Value(value) => as_index(b, value),
    }
}

/// At the start of a kernel, combines the partial results of the kernels before that its operations
/// use: each thread every so many, then the block. Every block does so for itself.
fn finish_partials(
    ir: &mut Ir,
    kernel: &mut Kernel,
    segment: &Segment,
    partials: &[Partial],
    mapping: &Mapping,
) {
    for partial in partials {
        if !segment.uses(ir, partial.result) {
            continue;
        }
        let buffer = kernel.argument(ir, partial.buffer);
        let count = kernel.argument(ir, partial.count);
        let mut b = kernel.end(ir);
        let initial = match b.defining_op(partial.initial) {
            Some(constant) => {
                let copy = b.clone_op(constant, &mut ValueMap::new());
                b.insert(copy);
                b.result(copy, 0)
            }
            None => partial.initial,
        };
        let combiner = partial.combiner;
        let (first, stride) = match mapping.one_thread() {
            true => (arith::constant_index(&mut b, 0), arith::constant_index(&mut b, 1)),
            false => thread_number(&mut b),
        };
        let sum =
            scf::ForOp::create(&mut b, (first, count, stride), &[initial], |b, i, carried| {
                let value = memref::LoadOp::new(b, buffer, &[i]).value(b);
                vec![combine(b, combiner, carried[0], value)]
            });
        let mut value = b.result(sum.op(), 0);
        if !mapping.one_thread() {
            value = all_reduce(&mut b, value, combiner);
        }
        kernel.map.insert(partial.result, value);
    }
}

/// The first thread of each block leaves the block's part.
fn store_partials(ir: &mut Ir, kernel: &Kernel, own: &[(Partial, Value)], values: &[Value]) {
    if own.is_empty() {
        return;
    }
    let dim = gpu::DIMENSIONS.attr(&mut ir.ctx, 0);
    let dim_y = gpu::DIMENSIONS.attr(&mut ir.ctx, 1);
    let mut b = kernel.end(ir);
    let [column, row] = [dim, dim_y]
        .map(|dim| gpu::BlockIdOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b));
    let columns = gpu::GridDimOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b);
    let before = arith::MulIOp::new(&mut b, row, columns).value(&mut b);
    let block = arith::AddIOp::new(&mut b, before, column).value(&mut b);
    let zero = arith::constant_index(&mut b, 0);
    let [x, y] = [dim, dim_y].map(|dim| {
        let id = gpu::ThreadIdOp::new(&mut b).attr(&mut b, "dimension", dim).value(&mut b);
        let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
        arith::CmpIOp::new(&mut b, id, zero).attr(&mut b, "predicate", eq).value(&mut b)
    });
    let first = arith::AndIOp::new(&mut b, x, y).value(&mut b);
    let then = b.region(&[], |b, _| {
        for ((_, buffer), &value) in own.iter().zip(values) {
            memref::StoreOp::new(b, value, *buffer, &[block]).build(b);
        }
        scf::YieldOp::new(b, &[]).build(b);
    });
    scf::IfOp::new(&mut b, first).region(then).build(&mut b);
}

fn launch(
    ir: &mut Ir,
    region: RegionOp,
    kernel: &Kernel,
    name: &str,
    grid: Grid,
    mapping: &Mapping,
) {
    let symbol = ir.ctx.nested_symbol_attr("kernels", &[name]);
    // Sizes that are known help the backend, and bound registers.
    if let (Extent::Constant(x), Extent::Constant(y)) = (mapping.vector_length, mapping.workers) {
        let sizes = ir.ctx.i32_array_attr(&[x as i32, y as i32, 1]);
        ir.set_attr(kernel.func, "known_block_size", sizes);
    }
    let mut b = Builder::before(ir, region.op());
    let one = arith::constant_index(&mut b, 1);
    let x = extent_value(&mut b, mapping.vector_length);
    let y = extent_value(&mut b, mapping.workers);
    gpu::LaunchFuncOp::new(
        &mut b,
        &[],
        grid.x,
        grid.y,
        one,
        x,
        y,
        one,
        None,
        None,
        None,
        None,
        &kernel.operands,
        None,
    )
    .attr(&mut b, "kernel", symbol)
    .build(&mut b);
}

/// Says where a kernel has loops, none of them parallel.
fn report_serial(ir: &Ir, segment: &Segment, cx: &mut PassContext<'_>) {
    let nested = || segment.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    let is_loop = |&op: &Op| ir.def(op).is_some_and(|def| def.hooks.loop_regions.is_some());
    if let Some(first) = nested().find(is_loop)
        && !nested().any(|op| scf::ParallelOp::is(ir, op))
    {
        let place = ir.ctx.place(ir.location(first));
        cx.report(
            Diagnostic::remark("Accelerator serial kernel generated")
                .code(codes::SERIAL_KERNEL)
                .at_option(place),
        );
    }
}

/// Says how each parallel loop was mapped, in the words of `-Minfo`.
fn report(ir: &Ir, region: RegionOp, mapping: &Mapping, cx: &mut PassContext<'_>) {
    let place = ir.ctx.place(ir.location(region.op()));
    cx.report(Diagnostic::remark("Generating GPU code").at_option(place));
    for op in ir.nested_ops(region.op(), WalkOrder::PreOrder) {
        if !scf::ParallelOp::is(ir, op) {
            continue;
        }
        let levels = mapping.levels(op);
        let mut clauses = levels.clauses().replace(' ', ", ");
        if let (true, Extent::Constant(n)) = (levels.vector, mapping.vector_length) {
            clauses = clauses.replace("vector", &format!("vector({n})"));
        }
        let dims = scf::ParallelOp(op).step(ir).len();
        if dims > 1 {
            clauses += &format!(" collapse({dims})");
        }
        let rows = match mapping.uses_rows(ir, op) && ir.parent_op(op) == Some(region.op()) {
            true => "blockIdx.y ",
            false => "",
        };
        let comment = match levels {
            Levels::SEQUENTIAL => String::new(),
            _ => format!(" /* {rows}{} */", levels.indices()),
        };
        cx.report(
            Diagnostic::remark(format!("#pragma acc loop {clauses}{comment}"))
                .at_option(ir.ctx.place(ir.location(op))),
        );
    }
}
