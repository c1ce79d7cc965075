//! What must be so for a mapping to be carried out: as many processors as it deals iterations to, sizes
//! that devices have.

use gpuc_arch::{MAX_GRID_X, MAX_GRID_YZ, MAX_THREADS_PER_BLOCK, WARP_SIZE};
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::{Axis, Distribution, LoopMapping, Size};
use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Location, Op, OpView, Value, WalkOrder};

use super::schedule::region_size;
use crate::analysis::loops::dimensions;

/// The extents of blocks that loops inside `root` need, in x, y and z: the largest that any of them
/// has; `None` where it is known at run time only.
pub fn block_extents(ir: &Ir, roots: &[Op]) -> [Option<i64>; 3] {
    let mut extents = [Some(1i64); 3];
    for op in roots.iter().flat_map(|&root| ir.nested_ops(root, WalkOrder::PreOrder)) {
        let Some(mapping) = LoopMapping::known(ir, op) else { continue };
        for (axis, size) in mapping.axes() {
            let d = match axis {
                Axis::Thread(d) => usize::from(d),
                Axis::Lane => 0,
                Axis::Block(_) => continue,
            };
            extents[d] = match size {
                Size::Constant(n) => extents[d].map(|known| known.max(n)),
                _ => None,
            };
        }
    }
    extents
}

/// Refuses exact dimensions that may have more iterations than processors: some would be left out.
fn check_exact(ir: &Ir, op: Op, mapping: &LoopMapping, region: RegionOp) -> Result<(), Diagnostic> {
    let loops = dimensions(ir, op);
    let is_top = ir.parent_block(op) == Some(region.block(ir));
    let mut first = 0;
    for map in &mapping.0 {
        let dims = first..first + map.dims;
        first = dims.end;
        if map.how != Distribution::Exact || map.axes.is_empty() {
            continue;
        }
        let is_free = map.axes.iter().any(|(_, size)| *size == Size::Free);
        let trips = loops[dims]
            .iter()
            .try_fold(1i128, |product, counted| product.checked_mul(counted.trips_range(ir).max));
        let processors = map.axes.iter().try_fold(1i128, |product, (_, size)| match size {
            Size::Constant(n) => product.checked_mul(i128::from(*n)),
            _ => None,
        });
        if trips.zip(processors).is_some_and(|(trips, processors)| trips <= processors) {
            continue;
        }
        // One dimension is launched part by part where need be; of several, there are to be blocks for all.
        let fits = || map.dims == 1 || trips.is_some_and(|trips| trips <= MAX_GRID_X.into());
        if is_free && is_top && fits() {
            continue;
        }
        let most = match trips {
            Some(trips) if trips <= i128::from(u32::MAX) => format!("up to {trips} iterations"),
            _ => "any number of iterations".to_owned(),
        };
        let why = match (processors, is_free) {
            (Some(processors), _) => format!("{processors} processors"),
            (None, true) if is_top => "the blocks of one launch".to_owned(),
            (None, true) => "blocks that another loop around it has been given".to_owned(),
            (None, false) => "a number of processors that only the launch knows".to_owned(),
        };
        return Err(Diagnostic::error(format!(
            "'{map}' deals one iteration to a processor, but this loop may have {most} for {why}"
        ))
        .at_option(ir.ctx.place(ir.location(op)))
        .help("map it `strided` or `blocked`, or with more processors"));
    }
    Ok(())
}

/// Refuses more processors than can be numbered: what a loop counts in comes on top, so half of 64 bits is theirs.
fn check_numbers(ir: &Ir, ops: &[Op]) -> Result<(), Diagnostic> {
    for &op in ops {
        if let Some(mapping) = LoopMapping::known(ir, op) {
            check_numbers_of(ir, op, &mapping)?;
        }
    }
    Ok(())
}

fn check_numbers_of(ir: &Ir, op: Op, mapping: &LoopMapping) -> Result<(), Diagnostic> {
    let mut loops = dimensions(ir, op).into_iter();
    for map in &mapping.0 {
        let counted: Vec<_> = loops.by_ref().take(map.dims).collect();
        // One dimension counts in its own steps, several count iterations.
        let step = match &counted[..] {
            [counted] => counted.step.unwrap_or(1),
            _ => 1,
        };
        let all = map.axes.iter().try_fold(i128::from(step), |product, &(axis, size)| {
            product.checked_mul(match size {
                Size::Constant(n) => n.into(),
                // The launch makes no more of these than iterations need.
                Size::Free => 1,
                Size::Launch => most_of(axis).into(),
            })
        });
        if all.is_some_and(|all| all <= i128::from(i64::MAX / 2)) {
            continue;
        }
        let text = match step {
            1 => format!("'{map}' has more processors than 64 bits number"),
            _ => format!("'{map}', in steps of {step}, has more processors than 64 bits number"),
        };
        return Err(Diagnostic::error(text)
            .at_option(ir.ctx.place(ir.location(op)))
            .help("map it to fewer, or leave the numbers of blocks out to have them chosen"));
    }
    Ok(())
}

/// How many processors an axis of a device has, at most.
fn most_of(axis: Axis) -> i64 {
    match axis {
        Axis::Block(0) => MAX_GRID_X.into(),
        Axis::Block(_) => MAX_GRID_YZ.into(),
        Axis::Thread(_) => MAX_THREADS_PER_BLOCK.into(),
        Axis::Lane => WARP_SIZE.into(),
    }
}

/// Refuses sizes that no device has, and that are too few.
///
/// # Errors
/// At the number that is too large or too small, where the region gives it; else at the loop that is mapped to as many.
pub fn check_sizes(ir: &Ir, region: RegionOp) -> Result<(), Diagnostic> {
    let nested = ir.nested_ops(region.op(), WalkOrder::PreOrder);
    for &op in &nested {
        if let Some(mapping) = LoopMapping::known(ir, op)
            && ir.has_trait(op, Traits::PARALLEL_LOOP)
        {
            let axes: Vec<Axis> = mapping.axes().map(|(axis, _)| axis).collect();
            let again = axes.iter().enumerate().find(|&(i, axis)| axes[..i].contains(axis));
            if let Some((_, axis)) = again {
                let text =
                    format!("'mapping' gives two dimensions of this loop to {}", axis.name());
                return Err(Diagnostic::error(text).at_option(ir.ctx.place(ir.location(op))));
            }
            check_exact(ir, op, &mapping, region)?;
        }
    }
    let location = |given: Option<Value>, op: Op| -> Location {
        // One constant stands for all of a value, wherever they are written.
        let constant = given.and_then(|value| ir.defining_op(value));
        ir.location(constant.unwrap_or(op))
    };
    let gangs = region.num_gangs(ir);
    for &op in &nested {
        let Some(mapping) = LoopMapping::known(ir, op) else { continue };
        for (axis, size) in mapping.axes() {
            let (Axis::Block(_), Size::Constant(n)) = (axis, size) else { continue };
            let most = most_of(axis);
            if (1..=most).contains(&n) {
                continue;
            }
            let own = region_size(ir, gangs) == Some(size);
            let place = ir.ctx.place(location(gangs.filter(|_| own), op));
            return Err(Diagnostic::error(format!(
                "{n} gangs: a grid has 1 to {most} blocks in {}",
                axis.index()
            ))
            .at_option(place)
            .help("ask for another number, or leave it out to have it chosen"));
        }
    }
    let extents = block_extents(ir, &[region.op()]);
    let known = extents.map(|extent| extent.unwrap_or(1));
    let [x, y, z] = known;
    let threads = known.iter().fold(1i64, |product, &n| product.saturating_mul(n));
    // Extents are the largest of all loops; a size below 1 does not show in them.
    let smallest = nested
        .iter()
        .filter_map(|&op| Some((op, LoopMapping::known(ir, op)?)))
        .flat_map(|(op, mapping)| mapping.axes().map(move |axis| (op, axis)).collect::<Vec<_>>())
        .find_map(|(op, (axis, size))| match size {
            Size::Constant(n) if n < 1 => Some((op, axis, n)),
            _ => None,
        });
    let message = match smallest {
        Some((_, Axis::Thread(0), n)) => {
            format!("{} of vector length {n} are {} threads", workers_text(y), y.saturating_mul(n))
        }
        Some((_, _, n)) => {
            format!("{n} workers of vector length {x} are {} threads", x.saturating_mul(n))
        }
        None if threads > MAX_THREADS_PER_BLOCK.into() && z == 1 => {
            format!("{} of vector length {x} are {threads} threads", workers_text(y))
        }
        None if threads > MAX_THREADS_PER_BLOCK.into() || z > 64 => {
            format!("blocks of {x} by {y} by {z} threads have {threads}, {z} of them deep")
        }
        None => return check_numbers(ir, &nested),
    };
    // The number that makes the gang too large or empty.
    let of_workers = match smallest {
        Some((_, axis, _)) => axis != Axis::Thread(0),
        None => y > x,
    };
    let given = if of_workers { region.num_workers(ir) } else { region.vector_length(ir) };
    let given = given.filter(|_| smallest.is_some() || x != y);
    let largest = if z > 64 {
        (Axis::Thread(2), z)
    } else if of_workers {
        (Axis::Thread(1), y)
    } else {
        (Axis::Thread(0), x)
    };
    let maps = |&&op: &&Op| {
        LoopMapping::known(ir, op).is_some_and(|mapping| {
            mapping
                .axes()
                .any(|(axis, size)| (axis, size) == (largest.0, Size::Constant(largest.1)))
        })
    };
    let op = match (smallest, given) {
        (_, Some(_)) => region.op(),
        (Some((op, ..)), None) => op,
        (None, None) => nested.iter().find(maps).copied().unwrap_or(region.op()),
    };
    Err(Diagnostic::error(format!("{message}; a gang has 1 to {MAX_THREADS_PER_BLOCK}"))
        .at_option(ir.ctx.place(location(given, op)))
        .help("ask for fewer, or leave the numbers out to have them chosen"))
}

/// So many workers, in words.
pub fn workers_text(count: i64) -> String {
    if count == 1 { "1 worker".to_owned() } else { format!("{count} workers") }
}
