//! Launches: blocks one after the other, the threads of a block in turns from barrier to barrier.

use std::rc::Rc;

use gpuc_dialects::gpu;
use gpuc_dialects::offload::COLLECTIVE_ATTR;
use gpuc_ir::{Block, Op, OpView, Value};

use super::collective::{Thread, run_block};
use super::memory::{allocate, with_token};
use super::{Family, Handler, Step};
use crate::fiber::{Fiber, Position, Values};
use crate::grid::Grid;
use crate::interpreter::{Fault, Interpreter, Order};
use crate::memory::BufferId;
use crate::nest::Nest;
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (gpu::LaunchOp::NAME, Handler::leaf(launch)),
    (gpu::LaunchFuncOp::NAME, Handler::leaf(launch_func)),
];

/// Threads of a block, at most: what every device has.
const MOST_THREADS: i64 = 1024;

/// What all threads of a launch execute.
struct Kernel {
    /// The function, or the launch itself.
    owner: Op,
    body: Block,
    /// Arguments in front of the buffers; of a `gpu.launch` they are made for each thread.
    arguments: Option<Vec<RtValue>>,
    workgroup: Vec<Value>,
    private: Vec<Value>,
    captured: Option<Rc<Values>>,
}

/// Extents of a launch. One below zero is of loops whose bounds are in the wrong order: nothing is executed.
fn sizes(m: &Interpreter<'_>, op: Op, values: [Value; 3]) -> Result<[i64; 3], Fault> {
    let mut sizes = [0; 3];
    for (size, value) in sizes.iter_mut().zip(values) {
        *size = m.index(op, value)?.max(0);
    }
    Ok(sizes)
}

fn launch(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = gpu::LaunchOp(op);
    let blocks = sizes(m, op, view.grid_sizes(m.ir))?;
    let threads = sizes(m, op, view.block_sizes(m.ir))?;
    let cluster = match view.cluster_sizes(m.ir) {
        Some(values) => sizes(m, op, values)?,
        None => [1; 3],
    };
    let bytes = match view.dynamicSharedMemorySize(m.ir) {
        Some(value) => m.index(op, value)?,
        None => 0,
    };
    let Some(body) = m.ir.entry_block(view.body(m.ir)) else {
        return Err(m.error(op, "has no body"));
    };
    let mut values = m.fiber.captured.as_deref().cloned().unwrap_or_default();
    if let Some(current) = m.fiber.activations.last() {
        values.extend(current.iter().map(|(&value, worth)| (value, worth.clone())));
    }
    let kernel = Kernel {
        owner: op,
        body,
        arguments: None,
        workgroup: view.workgroup_buffers(m.ir).to_vec(),
        private: view.private_buffers(m.ir).to_vec(),
        captured: Some(Rc::new(values)),
    };
    run_grid(m, op, &kernel, Grid::new(blocks, threads, cluster), bytes)?;
    with_token(m, op, Vec::new())
}

fn launch_func(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = gpu::LaunchFuncOp(op);
    let ir = m.ir;
    let grid = [view.gridSizeX(ir), view.gridSizeY(ir), view.gridSizeZ(ir)];
    let block = [view.blockSizeX(ir), view.blockSizeY(ir), view.blockSizeZ(ir)];
    let blocks = sizes(m, op, grid)?;
    let threads = sizes(m, op, block)?;
    let cluster = match (view.clusterSizeX(ir), view.clusterSizeY(ir), view.clusterSizeZ(ir)) {
        (Some(x), Some(y), Some(z)) => sizes(m, op, [x, y, z])?,
        _ => [1; 3],
    };
    let bytes = match view.dynamicSharedMemorySize(ir) {
        Some(value) => m.index(op, value)?,
        None => 0,
    };
    let function = view.kernel(ir).and_then(|kernel| m.symbol(op, kernel));
    let Some(function) = function.and_then(|function| gpu::GPUFuncOp::cast(ir, function)) else {
        return Err(m.error(op, "launches what is no gpu.func"));
    };
    let Some(body) = ir.entry_block(function.body(ir)) else {
        return Err(m.error(op, "launches a function without a body"));
    };
    // The code of the whole grid: loops over its processors stand in it.
    let is_collective = ir.attr(function.op(), COLLECTIVE_ATTR).is_some();
    let (blocks, threads) = if is_collective { ([1; 3], [1; 3]) } else { (blocks, threads) };
    let kernel = Kernel {
        owner: function.op(),
        body,
        arguments: Some(m.get_all(view.kernelOperands(ir))?),
        workgroup: function.workgroup_buffers(ir).to_vec(),
        private: function.private_buffers(ir).to_vec(),
        captured: None,
    };
    run_grid(m, op, &kernel, Grid::new(blocks, threads, cluster), bytes)?;
    with_token(m, op, Vec::new())
}

impl Grid {
    fn new(blocks: [i64; 3], threads: [i64; 3], cluster: [i64; 3]) -> Self {
        Grid { blocks, threads, cluster, dynamic_memory: None, block_globals: Default::default() }
    }
}

/// Positions below the extents, x fastest.
fn positions(extents: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let [x, y, z] = extents;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

fn run_grid(
    m: &mut Interpreter<'_>,
    op: Op,
    kernel: &Kernel,
    grid: Grid,
    dynamic_bytes: i64,
) -> Result<(), Fault> {
    if m.grid.is_some() {
        return Err(m.error(op, "cannot be executed inside a kernel"));
    }
    let (blocks, threads) = (grid.blocks, grid.threads);
    let count = threads.iter().fold(1i64, |product, &n| product.saturating_mul(n));
    if count > MOST_THREADS {
        let message =
            format!("launches blocks of {count} threads; there are at most {MOST_THREADS}");
        return Err(m.error(op, message));
    }
    for (d, (&blocks, &of_cluster)) in blocks.iter().zip(&grid.cluster).enumerate() {
        if of_cluster == 0 || blocks % of_cluster != 0 {
            let message =
                format!("launches {blocks} blocks in clusters of {of_cluster} in dimension {d}");
            return Err(m.error(op, message));
        }
    }
    if count == 0 {
        return Ok(());
    }
    m.grid = Some(grid);
    let host = std::mem::take(&mut m.fiber);
    let [x, y, z] = blocks;
    let backwards = m.options.order == Order::Backwards;
    let mut all = Nest::new(vec![0; 3], &[z, y, x], vec![1; 3], backwards);
    let mut result = Ok(());
    while result.is_ok()
        && let Some(block) = all.next()
    {
        result = one_block(m, op, kernel, [block[2], block[1], block[0]], dynamic_bytes);
    }
    m.fiber = host;
    m.grid = None;
    result
}

fn one_block(
    m: &mut Interpreter<'_>,
    op: Op,
    kernel: &Kernel,
    block: [i64; 3],
    dynamic_bytes: i64,
) -> Result<(), Fault> {
    let mut owned: Vec<BufferId> = Vec::new();
    let result = threads_of_block(m, op, kernel, block, dynamic_bytes, &mut owned);
    let globals = m.grid.as_mut().map(|grid| std::mem::take(&mut grid.block_globals));
    for buffer in owned.into_iter().chain(globals.unwrap_or_default().into_values()) {
        // Released already only if the program released it by hand.
        let _ = m.memory.release(buffer);
    }
    result
}

fn threads_of_block(
    m: &mut Interpreter<'_>,
    op: Op,
    kernel: &Kernel,
    block: [i64; 3],
    dynamic_bytes: i64,
    owned: &mut Vec<BufferId>,
) -> Result<(), Fault> {
    let Some(grid) = &m.grid else { return Err(m.error(op, "is executed without a grid")) };
    let (blocks, threads, cluster) = (grid.blocks, grid.threads, grid.cluster);
    let bytes = usize::try_from(dynamic_bytes)
        .map_err(|_| m.error(op, format!("launches with {dynamic_bytes} bytes of memory")))?;
    let dynamic = m.memory.allocate(bytes).map_err(|why| m.error(op, why))?;
    owned.push(dynamic);
    if let Some(grid) = &mut m.grid {
        grid.dynamic_memory = Some((dynamic, dynamic_bytes));
    }
    let mut shared = Vec::with_capacity(kernel.workgroup.len());
    for &buffer in &kernel.workgroup {
        let made = allocate(m, kernel.owner, m.ir.ty(buffer), &[], &[])?;
        owned.push(made.buffer);
        shared.push(RtValue::MemRef(Rc::new(made)));
    }
    let has_clusters =
        gpu::LaunchOp::cast(m.ir, kernel.owner).is_some_and(|l| l.cluster_sizes(m.ir).is_some());
    let mut fibers = Vec::new();
    for thread in positions(threads) {
        let mut arguments = match &kernel.arguments {
            Some(arguments) => arguments.clone(),
            None => {
                let mut places = vec![block, thread, blocks, threads];
                if has_clusters {
                    let per = |f: fn(i64, i64) -> i64, a: [i64; 3]| {
                        std::array::from_fn(|d| f(a[d], cluster[d]))
                    };
                    places.push(per(|a, c| a / c, block));
                    places.push(per(|a, c| a / c, blocks));
                }
                places.into_iter().flatten().map(RtValue::index).collect()
            }
        };
        arguments.extend(shared.iter().cloned());
        for &buffer in &kernel.private {
            let made = allocate(m, kernel.owner, m.ir.ty(buffer), &[], &[])?;
            owned.push(made.buffer);
            arguments.push(RtValue::MemRef(Rc::new(made)));
        }
        let fiber = Fiber::new(kernel.captured.clone(), Some(Position { block, thread }));
        fibers.push(Thread::new(fiber, arguments));
    }
    run_block(m, kernel.owner, kernel.body, fibers)
}
