//! What a kernel will take, from its loops alone: a price before anything of it is lowered, assembled or run.
//!
//! Needs a kernel of affine loops with their mappings, as [`outline`](crate::parallel::outline) leaves it, and a number for each
//! size. A [`walk`] through one block says what a warp issues, asks of memory and waits for; footprints against the sizes of
//! caches ([`traffic`]) say where that is found; registers and memory of the block say how many blocks a multiprocessor holds; and
//! [`Arch::price`] has the time, by the same formula by which the simulator prices what it has counted. So a plan is ranked in
//! milliseconds where a run on the simulator takes seconds.
//!
//! | not seen | instead |
//! |---|---|
//! | what data decide: subscripts read from memory, loops that data end | a sector for each lane; [`walk`]'s 16 iterations |
//! | blocks at the edges, warps that differ | a block in the middle, or four over the grid where triangles have blocks with more to do than others; means over its warps |
//! | what an assembler does | loads first, four iterations together, products and sums fused |

mod buffer;
mod class;
mod clock;
mod index;
pub mod remark_forecasts;
mod request;
#[cfg(test)]
mod tests;
pub mod text;
mod traffic;
mod walk;

use std::collections::BTreeMap;

use gpuc_arch::{Arch, Estimate, KernelWork, MAX_THREADS_PER_BLOCK, Phase};
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::gpu::{AddressSpace, GPUFuncOp, LaunchFuncOp};
use gpuc_dialects::memref::AllocaOp;
use gpuc_dialects::offload::mapping::{Axis, LoopMapping, Size};
use gpuc_dialects::{nvvm, scf};
use gpuc_ir::{AttrKind, Ident, Ir, Op, OpView, Value, WalkOrder};
use rustc_hash::FxHashMap;

use crate::analysis::access;
use traffic::{Found, Grid, Site, Trips};
use walk::{Subject, Walk};

/// Numbers for the parameters of kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// By name.
    pub named: BTreeMap<String, i64>,
    /// That of all others.
    pub other: i64,
}

/// The number of a parameter of which nothing is said.
pub const USUAL_SIZE: i64 = 1024;

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { named: BTreeMap::new(), other: USUAL_SIZE }
    }
}

impl Sizes {
    /// Those of a list such as `n=1024`, and one for all others.
    ///
    /// # Errors
    /// The entry that is none.
    pub fn of<'t>(list: impl IntoIterator<Item = &'t str>, other: i64) -> Result<Sizes, &'t str> {
        let entry = |text: &'t str| -> Result<(String, i64), &'t str> {
            let (name, number) = text.split_once('=').ok_or(text)?;
            Ok((name.trim().to_owned(), number.trim().parse().map_err(|_| text)?))
        };
        let named = list.into_iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Sizes { named, other })
    }
}

/// What a kernel is expected to take.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// What the model was asked.
    pub work: KernelWork,
    /// What it answered.
    pub estimate: Estimate,
    /// Parameters that sizes were assumed for.
    pub assumed: Vec<(String, i64)>,
    /// Whether a loop's end, or an address, hangs on data.
    pub guessed: bool,
    /// Whether the host starts it, of the versions of a construct, for these sizes; conditions that have to do with more than
    /// sizes are taken to hold.
    pub is_chosen: bool,
    /// How often the host starts it, in loops of its own.
    pub launches: f64,
}

/// A kernel, the construct that it is of, and what it is expected to take.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The kernel.
    pub kernel: Op,
    /// The function in which the host starts it; the kernel where nobody does.
    pub construct: Op,
    /// What it is expected to take.
    pub forecast: Forecast,
}

impl Expected {
    /// The line of the construct; 0 where it has none.
    pub fn line(&self, ir: &Ir) -> u32 {
        ir.ctx.place(ir.location(self.construct)).map_or(0, |place| place.line)
    }
}

/// The kernels of a module, in their order: versions of a construct in the order in which the host asks for them.
pub fn kernels(ir: &Ir, module: Op, sizes: &Sizes, arch: &Arch) -> Vec<Expected> {
    expected(ir, module, |_, _, _| Some(sizes), arch)
}

/// Those of a construct that the host starts.
pub fn started(ir: &Ir, module: Op, construct: Op, sizes: &Sizes, arch: &Arch) -> Vec<Expected> {
    let is_started = |of: Op, kernel: GPUFuncOp, launch| {
        of == construct && {
            let (extents, found) = (extents(ir, kernel.op()), &FxHashMap::default());
            let subject =
                Subject { ir, arch, kernel: kernel.op(), extents, found, is_uneven: false };
            parameters(ir, (kernel, launch), sizes, &mut Walk::new(&subject)).1 > 0.0
        }
    };
    expected(ir, module, |of, kernel, launch| is_started(of, kernel, launch).then_some(sizes), arch)
}

/// The kernels that there are sizes for, by construct, kernel and launch.
fn expected<'s>(
    ir: &Ir,
    module: Op,
    sizes: impl Fn(Op, GPUFuncOp, Option<LaunchFuncOp>) -> Option<&'s Sizes>,
    arch: &Arch,
) -> Vec<Expected> {
    let launches = launches_of(ir, module);
    let nested = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
    let kernels =
        nested.filter_map(|op| GPUFuncOp::cast(ir, op).filter(|kernel| kernel.is_kernel(ir)));
    let expected = kernels.filter_map(|kernel| {
        let name = ir.symbol_name(kernel.op()).and_then(|name| ir.ctx.find_ident(name));
        let launch = name.and_then(|name| launches.get(&name)).copied();
        let construct = launch.and_then(|launch| construct_of(ir, launch)).unwrap_or(kernel.op());
        let sizes = sizes(construct, kernel, launch)?;
        let forecast = forecast(ir, kernel, launch, sizes, arch);
        Some(Expected { kernel: kernel.op(), construct, forecast })
    });
    expected.collect()
}

/// The price of a kernel.
fn forecast(
    ir: &Ir,
    kernel: GPUFuncOp,
    launch: Option<LaunchFuncOp>,
    sizes: &Sizes,
    arch: &Arch,
) -> Forecast {
    // The first time for what is asked of memory, the second one for how long that takes.
    let nothing = FxHashMap::default();
    let mut first = Walked::new(ir, (kernel, launch), sizes, arch, (&nothing, false));
    let is_uneven = first.is_uneven;
    if is_uneven {
        first = Walked::new(ir, (kernel, launch), sizes, arch, (&nothing, true));
    }
    let found = traffic::found(&first.sites, &first.loops, &first.grid, arch);
    let walked = Walked::new(ir, (kernel, launch), sizes, arch, (&found, is_uneven));
    let (sites, loops, grid) = (&walked.sites, &walked.loops, &walked.grid);
    let work = KernelWork {
        blocks: grid.blocks.iter().product::<f64>() as u64,
        threads: walked.threads,
        registers: walked.registers,
        shared_bytes: grid.shared as u32,
        atomic_clocks: traffic::atomic_clocks(sites, loops, grid, arch),
        phases: walked.phases,
        grid_barriers: walked.grid_barriers,
    };
    Forecast {
        estimate: arch.price(&work),
        work,
        assumed: walked.assumed,
        guessed: walked.guessed || sites.iter().any(|site| site.addresses.is_none()),
        is_chosen: walked.launches > 0.0,
        launches: walked.launches.max(1.0),
    }
}

/// What a walk through a kernel has found.
struct Walked {
    assumed: Vec<(String, i64)>,
    launches: f64,
    guessed: bool,
    is_uneven: bool,
    threads: u32,
    registers: u32,
    sites: Vec<Site>,
    loops: Vec<Trips>,
    grid: Grid,
    phases: Vec<Phase>,
    grid_barriers: f64,
}

impl Walked {
    /// `found` says of accesses where they find what they ask for; with it, whether blocks are not alike.
    fn new(
        ir: &Ir,
        (kernel, launch): (GPUFuncOp, Option<LaunchFuncOp>),
        sizes: &Sizes,
        arch: &Arch,
        (found, is_uneven): (&FxHashMap<Op, Found>, bool),
    ) -> Walked {
        let extents = extents(ir, kernel.op());
        let subject = Subject { ir, arch, kernel: kernel.op(), extents, found, is_uneven };
        let mut walk = Walk::new(&subject);
        let (assumed, launches) = parameters(ir, (kernel, launch), sizes, &mut walk);
        walk.region(ir.region(kernel.op(), 0));
        let threads = extents.iter().product::<i64>() as u32;
        let registers = registers(ir, kernel.op(), walk.registers(), threads, arch);
        let shared = shared_bytes(ir, kernel);
        let grid = Grid {
            blocks: walk.blocks,
            warps: f64::from(threads.div_ceil(arch.limits.warp_size)),
            resident: f64::from(arch.occupancy(threads, registers, shared).blocks),
            shared: f64::from(shared),
        };
        Walked {
            assumed,
            launches,
            guessed: walk.guessed,
            is_uneven: walk.is_uneven(),
            threads,
            registers,
            sites: walk.sites.into_values().collect(),
            loops: walk.loops,
            grid,
            phases: walk.clock.phases(),
            grid_barriers: walk.grid_barriers,
        }
    }
}

/// Tells the walk what the kernel's numbers are: what its launch passes, or what their names say. The parameters of the program
/// that had to do with it.
fn parameters(
    ir: &Ir,
    (kernel, launch): (GPUFuncOp, Option<LaunchFuncOp>),
    sizes: &Sizes,
    walk: &mut Walk<'_>,
) -> (Vec<(String, i64)>, f64) {
    let mut named = Vec::new();
    let mut set = |walk: &mut Walk<'_>, value: Value| {
        if ir.ctx.int_or_index_width(ir.ty(value)).is_none() {
            return;
        }
        let Some(name) = access::known_name(ir, value) else { return };
        let number = sizes.named.get(name).copied().unwrap_or(sizes.other);
        walk.set(value, number, false);
        if !named.contains(&(name.to_owned(), number)) {
            named.push((name.to_owned(), number));
        }
    };
    let around = launch.and_then(|launch| construct_of(ir, launch));
    let host = around.and_then(|func| ir.entry_block(ir.region(func, 0)));
    let own = ir.entry_block(ir.region(kernel.op(), 0));
    let arguments = [host, own].into_iter().flatten().flat_map(|block| ir.arguments(block));
    arguments.copied().collect::<Vec<_>>().into_iter().for_each(|value| set(walk, value));
    let passed = launch.map(|launch| launch.kernelOperands(ir)).unwrap_or_default();
    for (at, &argument) in own.map_or(&[][..], |own| ir.arguments(own)).iter().enumerate() {
        if ir.ctx.int_or_index_width(ir.ty(argument)).is_some() {
            match passed.get(at).and_then(|&value| walk.of_host(value)) {
                Some(number) => walk.set(argument, number, false),
                None => walk.set(argument, sizes.other, true),
            }
        }
    }
    let launches = launch.map_or(1.0, |launch| launches(ir, launch.op(), walk));
    (named, launches)
}

/// How often the host comes to an operation, as far as its conditions and loops are about sizes.
fn launches(ir: &Ir, op: Op, walk: &mut Walk<'_>) -> f64 {
    let mut inner = op;
    let mut times = 1.0;
    for outer in ir.ancestors(op) {
        if scf::IfOp::is(ir, outer) {
            let then = ir.parent_region(inner) == Some(ir.region(outer, 0));
            let holds = walk.of_host(ir.operand(outer, 0)).is_none_or(|holds| holds != 0);
            times *= f64::from(holds == then);
        }
        for dim in ir.loop_dimensions(outer) {
            times *= walk.trips_of_host(&dim);
        }
        inner = outer;
    }
    times
}

/// The function of the construct that a launch is of.
fn construct_of(ir: &Ir, launch: LaunchFuncOp) -> Option<Op> {
    ir.ancestors(launch.op()).find(|&op| FuncOp::is(ir, op))
}

/// Where the host starts each kernel first, by the kernel's symbol.
fn launches_of(ir: &Ir, module: Op) -> FxHashMap<Ident, LaunchFuncOp> {
    let mut all = FxHashMap::default();
    for op in ir.nested_ops(module, WalkOrder::PreOrder) {
        let Some(launch) = LaunchFuncOp::cast(ir, op) else { continue };
        let symbol = launch.kernel(ir).map(|attr| ir.ctx.attr_kind(attr));
        if let Some(AttrKind::Symbol { root, nested }) = symbol {
            all.entry(*nested.last().unwrap_or(root)).or_insert(launch);
        }
    }
    all
}

/// Threads of a block in each direction.
fn extents(ir: &Ir, kernel: Op) -> [i64; 3] {
    let known = crate::parallel::threads::Processors::of(ir, kernel).extents;
    let mut own = known.0;
    for op in ir.nested_ops(kernel, WalkOrder::PreOrder) {
        for (axis, size) in LoopMapping::known(ir, op).unwrap_or_default().axes() {
            if let (Axis::Thread(axis), Size::Constant(size)) = (axis, size)
                && let Some(extent) = own.get_mut(usize::from(axis))
                && known.0[usize::from(axis)].is_none()
            {
                *extent = Some(extent.unwrap_or(1).max(size));
            }
        }
    }
    let mut left = i64::from(MAX_THREADS_PER_BLOCK);
    own.map(|extent| {
        let extent = extent.unwrap_or(1).clamp(1, left);
        left /= extent;
        extent
    })
}

/// Memory of a block in bytes.
fn shared_bytes(ir: &Ir, kernel: GPUFuncOp) -> u32 {
    let nested = ir.nested_ops(kernel.op(), WalkOrder::PreOrder);
    let allocated =
        nested.into_iter().filter(|&op| AllocaOp::is(ir, op)).map(|op| ir.result(op, 0));
    let buffers = allocated.chain(kernel.workgroup_buffers(ir).iter().copied());
    let bytes = buffers.filter_map(|buffer| {
        let ty = ir.ty(buffer);
        if AddressSpace::of_memref(&ir.ctx, ty) != Some(AddressSpace::Workgroup) {
            return None;
        }
        let elements: i64 = ir.ctx.shape(ty)?.iter().product();
        let each = gpuc_dialects::memref::scalar_bytes(&ir.ctx, ir.ctx.element(ty)?)?;
        u32::try_from(elements.max(0) as u64 * each).ok()
    });
    bytes.fold(0, u32::saturating_add)
}

/// Registers that a thread gets: those that it wants, as far as the blocks that are to be resident leave them.
fn registers(ir: &Ir, kernel: Op, wanted: u32, threads: u32, arch: &Arch) -> u32 {
    let number = |name| ir.attr(kernel, name).and_then(|attr| ir.ctx.int_value(attr));
    let resident = number(nvvm::MIN_BLOCKS).and_then(|n| u32::try_from(n).ok()).unwrap_or(1).max(1);
    let each = arch.limits.registers_per_sm / (resident * threads.max(32));
    let most = number(nvvm::MAX_REGISTERS).and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
    let most = most.min(arch.limits.registers_per_thread).min(each / 8 * 8).max(16);
    wanted.next_multiple_of(8).clamp(16, most)
}
