//! `outline`: turns each `offload.region` into kernels and launches.
//!
//! Needs regions whose parallel loops are mapped ([`super::map`]); leaves, in the host function, one
//! `gpu.launch_func` for each segment of the region (see [`super::segments`]) with the computation of
//! its grid, and the kernels in `gpu.module @kernels`. Their code is still the whole grid's, as the
//! attribute `offload.collective` says: loops, affine ones included, move as they are, with their mappings. A
//! loop over blocks that combines values gets a buffer for what each block has; the block that
//! finishes last combines them in a fixed order, so that results do not change from run to run.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::{
    COLLECTIVE_ATTR, HOST_LOOP_ATTR, PARTIAL_ATTR, RESIDENT_ATTR, RegionOp, TICKETS_ATTR, TicketsOp,
};
use gpuc_dialects::{gpu, nvvm};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AttrKind, Block, Builder, DYNAMIC, InsertPoint, Ir, Op, OpView, Value, WalkOrder};
use rustc_hash::FxHashSet;

use super::apart_buffers::apart_buffers;
use super::device_symbols;
use super::kernel::{Kernel, kernel_module};
use super::launch::{Launch, LaunchLimits, product};
use super::loop_bounds::set_bounds;
use super::near_end::mark_loops_near_end;
use super::private_arrays;
use super::scratch::keep_between_segments;
use super::segments::{Segment, segments};
use super::verify_mapping::check_sizes;
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Turn compute regions into kernels and launches.
    Outline = "outline" on "builtin.module" {
        /// The device, whose table bounds grids.
        arch: String = Arch::default_target().name.to_owned(),
        /// Blocks of a kernel with reductions, at most, where the program does not say.
        max_partial_results: i64 = 1024,
    }
}

impl Pass for Outline {
    fn run(&mut self, ir: &mut Ir, module: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let limits = LaunchLimits { arch, max_partial_results: self.max_partial_results.max(1) };
        let regions = |op: &Op| RegionOp::cast(ir, *op);
        let regions: Vec<_> =
            ir.nested_ops(module, WalkOrder::PreOrder).iter().filter_map(regions).collect();
        let mut names = KernelNames::default();
        for region in regions {
            if !ir.is_erased(region.op()) {
                Outliner { limits, module, region, names: &mut names }.outline(ir, cx)?;
            }
        }
        device_symbols::move_to_kernels(ir, module);
        report_host_loops(ir, module, cx);
        Ok(())
    }
}

/// Says how many launches loops of the host make.
fn report_host_loops(ir: &Ir, module: Op, cx: &mut PassContext<'_>) {
    let nested = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
    for op in nested.filter(|&op| ir.attr(op, HOST_LOOP_ATTR).is_some() && !in_fallback(ir, op)) {
        let mut inner = Vec::new();
        let blocks = ir.regions(op).iter().flat_map(|&region| ir.blocks(region));
        let launches: usize = blocks.map(|&block| launches_a_step(ir, block, &mut inner)).sum();
        let number = match launches {
            1 => "1 launch".to_owned(),
            n => format!("{n} launches"),
        };
        let lines: Vec<String> = inner
            .into_iter()
            .filter_map(|op| ir.ctx.place(ir.location(op)))
            .map(|place| place.line.to_string())
            .collect();
        let and = match lines.len() {
            0 => String::new(),
            _ => format!(", besides those of the loops in line {}", lines.join(" and ")),
        };
        let place = ir.ctx.place(ir.location(op));
        let text = format!("Loop runs on the host: {number} a step{and}");
        cx.report(Diagnostic::remark(text).at_option(place));
    }
}

/// The launches that running a block once comes to, the most where branches differ. Loops of the host in it
/// are put on a list.
fn launches_a_step(ir: &Ir, block: Block, inner: &mut Vec<Op>) -> usize {
    let mut number = 0;
    for op in ir.ops(block) {
        if ir.attr(op, HOST_LOOP_ATTR).is_some() {
            inner.push(op);
        } else if gpu::LaunchFuncOp::is(ir, op) {
            number += 1;
        } else {
            let blocks = ir.regions(op).iter().flat_map(|&region| ir.blocks(region));
            number += blocks.map(|&block| launches_a_step(ir, block, inner)).max().unwrap_or(0);
        }
    }
    number
}

struct Outliner<'a> {
    limits: LaunchLimits<'a>,
    module: Op,
    region: RegionOp,
    names: &'a mut KernelNames,
}

/// The names that a module's kernels have.
#[derive(Default)]
struct KernelNames {
    /// Whether those that there were before are in it.
    is_read: bool,
    names: FxHashSet<String>,
}

impl Outliner<'_> {
    fn outline(&mut self, ir: &mut Ir, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let region = self.region;
        let is_fallback = in_fallback(ir, region.op());
        check_mapped(ir, region)?;
        mark_loops_near_end(ir, region.op());
        keep_between_segments(ir, region)?;
        let mut buffers = Vec::new();
        let segments = segments(ir, region);
        let kernels = kernel_module(ir, self.module);
        let host = ir
            .ancestors(region.op())
            .find(|&op| ir.symbol_name(op).is_some())
            .and_then(|op| ir.symbol_name(op))
            .unwrap_or("region")
            .to_owned();
        let version = if is_fallback { "_fallback" } else { "" };
        let stem = self.names.unused_stem(ir, kernels, &format!("{host}{version}"));
        let several = segments.len() > 1;
        for (i, segment) in segments.iter().enumerate() {
            let number = if several { format!("_{i}") } else { String::new() };
            if !is_fallback {
                report_serial(ir, segment, cx);
            }
            buffers.extend(self.kernel(ir, kernels, &format!("{stem}{number}"), segment)?);
        }
        let mut b = Builder::before(ir, region.op());
        for buffer in buffers {
            gpu::DeallocOp::new(&mut b, &[], buffer).build(&mut b);
        }
        ir.erase_op(region.op());
        Ok(())
    }

    /// The kernel of a segment and its launch; returns the buffers that it is given.
    fn kernel(
        &mut self,
        ir: &mut Ir,
        kernels: Op,
        name: &str,
        segment: &Segment,
    ) -> Result<Vec<Value>, Diagnostic> {
        self.names.names.insert(name.to_owned());
        let location = ir.location(segment.gang_loop.unwrap_or(self.region.op()));
        let mut kernel = Kernel::create(ir, kernels, name, location);
        kernel.apart = apart_buffers(ir, &segment.ops);
        let unit = ir.ctx.unit_attr();
        ir.set_attr(kernel.func, COLLECTIVE_ATTR, unit);
        if let Some(blocks) = segment.gang_loop.and_then(|op| ir.attr(op, nvvm::MIN_BLOCKS)) {
            ir.set_attr(kernel.func, nvvm::MIN_BLOCKS, blocks);
        }
        let launch = Launch::plan(ir, self.region, segment, self.limits);
        self.name_grid(ir, kernel.func, name, segment);
        if let InsertPoint::Before(point) = launch.point {
            kernel.launch = Some(point);
        }
        let buffers = self.add_buffers(ir, &mut kernel, segment, &launch);
        let private = private_arrays::give_memory(
            ir,
            &mut kernel,
            segment,
            &launch,
            &self.limits,
            self.region.op(),
        )?;
        let parts = launch.arguments(ir, &mut kernel);
        let copies = kernel.copy_ops(ir, &segment.ops, self.region.op())?;
        let position = segment.ops.iter().position(|&op| Some(op) == segment.gang_loop);
        if let Some(copy) = position.map(|position| copies[position]) {
            for (dim, [lower, upper]) in parts {
                set_bounds(ir, copy, dim, lower, upper);
            }
        }
        kernel.drop_unused(ir);
        launch.build(ir, &kernel, name);
        private_arrays::free_behind(ir, launch.point, self.region.op(), &private);
        Ok(buffers)
    }

    /// Names the kernel where the host asks how many blocks of it may wait for each other.
    fn name_grid(&self, ir: &mut Ir, func: Op, name: &str, segment: &Segment) {
        let Some(grid) = segment.resident_grid(ir) else { return };
        let unit = ir.ctx.unit_attr();
        ir.set_attr(func, RESIDENT_ATTR, unit);
        let symbol = ir.ctx.nested_symbol_attr("kernels", &[name]);
        ir.set_attr(grid.op(), "kernel", symbol);
    }

    /// A buffer for each result of the segment's loop over blocks, on the host and as an argument of
    /// the kernel, and the counter of the blocks that are done. Returns the buffers.
    fn add_buffers(
        &self,
        ir: &mut Ir,
        kernel: &mut Kernel,
        segment: &Segment,
        launch: &Launch,
    ) -> Vec<Value> {
        let Some(gang_loop) = segment.gang_loop.filter(|&op| !ir.results(op).is_empty()) else {
            return Vec::new();
        };
        let types: Vec<_> = ir.result_types(gang_loop).collect();
        let location = ir.location(self.region.op());
        let mut b = Builder::new(ir, launch.point, location);
        let blocks = product(&mut b, &launch.grid);
        let mut buffers = Vec::new();
        let mut marks = Vec::new();
        for (i, element) in types.into_iter().enumerate() {
            let ty = ir.ctx.memref(&[DYNAMIC], element);
            let mut b = Builder::new(ir, launch.point, location);
            let alloc = gpu::AllocOp::new(&mut b, &[], &[blocks], &[])
                .result_group(&[ty])
                .result_group(&[])
                .build(&mut b);
            let buffer = b.result(alloc, 0);
            kernel.argument(ir, buffer);
            buffers.push(buffer);
            let (key, number) = (ir.ctx.ident(PARTIAL_ATTR), ir.ctx.i64_attr(i as i64));
            let dict = ir.ctx.dict([(key, number)]);
            marks.push(ir.ctx.intern_attr(AttrKind::Dict(dict)));
        }
        let counter_ty = ir.ctx.i32();
        let counter_ty = ir.ctx.memref(&[1], counter_ty);
        let mut b = Builder::new(ir, launch.point, location);
        let counter = TicketsOp::new(&mut b).result(counter_ty).value(&mut b);
        kernel.argument(ir, counter);
        let (key, unit) = (ir.ctx.ident(TICKETS_ATTR), ir.ctx.unit_attr());
        let dict = ir.ctx.dict([(key, unit)]);
        marks.push(ir.ctx.intern_attr(AttrKind::Dict(dict)));
        kernel.argument_marks = marks;
        buffers
    }
}

/// Refuses a region with a parallel loop that nobody has been chosen for.
fn check_mapped(ir: &Ir, region: RegionOp) -> Result<(), Diagnostic> {
    let nested = ir.nested_ops(region.op(), WalkOrder::PreOrder);
    let unmapped = nested.into_iter().find(|&op| {
        ir.has_trait(op, Traits::PARALLEL_LOOP)
            && ir.attr(op, gpuc_dialects::offload::mapping::MAPPING_ATTR).is_none()
    });
    match unmapped {
        None => check_sizes(ir, region),
        Some(op) => Err(Diagnostic::error("this parallel loop has no 'mapping'")
            .at_option(ir.ctx.place(ir.location(op)))
            .help("run `map` before `outline`, or write one")),
    }
}

impl KernelNames {
    /// What the names of a region's kernels begin with: a function may hold several versions of a region.
    fn unused_stem(&mut self, ir: &Ir, kernels: Op, wanted: &str) -> String {
        if !std::mem::replace(&mut self.is_read, true) {
            let known = ir.ops(ir.body(kernels, 0)).filter_map(|op| ir.symbol_name(op));
            self.names.extend(known.map(str::to_owned));
        }
        let names = &self.names;
        let is_free =
            |stem: &String| !names.contains(stem) && !names.contains(&format!("{stem}_0"));
        let numbered = (2..).map(|number| format!("{wanted}_{number}_kernel"));
        let mut stems = std::iter::once(format!("{wanted}_kernel")).chain(numbered);
        stems.find(is_free).expect("the numbers do not end")
    }
}

/// Says where a kernel has loops, none of them parallel.
fn report_serial(ir: &Ir, segment: &Segment, cx: &mut PassContext<'_>) {
    let nested = || segment.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    if let Some(first) = nested().find(|&op| ir.is_loop(op))
        && !nested().any(|op| ir.has_trait(op, Traits::PARALLEL_LOOP))
    {
        let place = ir.ctx.place(ir.location(first));
        cx.report(
            Diagnostic::missed("Accelerator serial kernel generated")
                .code(codes::SERIAL_KERNEL)
                .at_option(place),
        );
    }
}
