//! How many threads a block has, and in which rectangle, where the program does not say.

use gpuc_arch::Arch;
use gpuc_dialects::memref::element_bytes;
use gpuc_ir::{Ir, Op, WalkOrder};

use crate::analysis::access;

/// Bytes that an iteration moves, at most, for an H100 to be done with 256 of them before it can start another block.
const FEW_BYTES: u64 = 6;

/// Whether an iteration of a parallel loop moves so little memory that starting blocks takes longer, and has no loop of its own.
pub fn moves_little(ir: &Ir, nest: Op) -> bool {
    let mut elements = Vec::new();
    for op in ir.nested_ops(nest, WalkOrder::PreOrder) {
        if op != nest && ir.is_loop(op) {
            return false;
        }
        let Some(access) = ir.memory_access(op) else { continue };
        // What is read and written goes both ways.
        let element = (access::root(ir, access.buffer), access.kind, ir.ty(access.buffer));
        if !elements.contains(&element) {
            elements.push(element);
        }
    }
    let bytes = elements.iter().map(|(.., ty)| element_bytes(&ir.ctx, *ty));
    bytes.sum::<Option<u64>>().is_some_and(|bytes| bytes <= FEW_BYTES)
}

/// The shape of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockShape {
    /// Threads in x and y of a block that is a rectangle of iterations; `None` where it is a row.
    pub rows: Option<[i64; 2]>,
}

/// Threads of a row whose block does one iteration of a loop outside: twice as many as fill a multiprocessor with the most
/// blocks that it holds, so that half of the block slots are enough; a power of two.
fn threads_of_row(arch: &Arch) -> i64 {
    let limits = &arch.limits;
    let filling = limits.max_warps_per_sm * limits.warp_size / limits.max_blocks_per_sm.max(1);
    let threads = filling.next_power_of_two() * 2;
    i64::from(threads.clamp(limits.warp_size, limits.max_threads_per_block / 4)).min(128)
}

/// Threads of a block that takes iterations of a loop, of which there are so many where that is known.
///
/// An H100 starts 1.66 blocks a nanosecond, of whatever size: with one element for each of 128 threads `y += a * x` waits for
/// blocks (2500 GB/s), with 256 for memory (2730, a copy 2756), and larger ones leave a multiprocessor emptier when they end
/// (512: 2660). Iterations that move little wait for blocks with 256, too. Fewer iterations than give each multiprocessor a block stay with
/// smaller blocks, which more of them share.
fn threads_of_grid(arch: &Arch, trips: Option<i64>, moves_little: bool) -> i64 {
    let sizes = if moves_little { &[512, 256][..] } else { &[256] };
    let fills =
        |most: &&i64| trips.is_none_or(|trips| trips >= **most * i64::from(arch.chip.sm_count));
    sizes.iter().find(fills).copied().unwrap_or(threads_of_row(arch))
}

/// Threads in a row, of a loop with so many iterations where that is known: whole warps.
pub fn row_length(arch: &Arch, trips: Option<i64>) -> i64 {
    whole_warps(arch, trips, threads_of_row(arch))
}

/// Threads in a row, of a loop over blocks and threads with so many iterations in its last dimension and in all.
pub fn grid_row_length(
    arch: &Arch,
    trips: Option<i64>,
    all: Option<i64>,
    moves_little: bool,
) -> i64 {
    whole_warps(arch, trips, threads_of_grid(arch, all, moves_little))
}

/// Threads of a block whose threads are long: as few as fill a multiprocessor with the most blocks that it holds, and a warp where
/// so few iterations, if that is known, leave multiprocessors without a block.
///
/// Few rows with a recurrence along each are a usual nest, and their number is the number of warps. In wide blocks these share a
/// few multiprocessors: 1000 rows in blocks of 256 keep 4 of 132 busy, each with 32 sectors for every request of 8 warps. Threads that
/// run long make up for what starting more blocks costs.
pub fn long_row_length(arch: &Arch, trips: Option<i64>) -> i64 {
    let limits = &arch.limits;
    let warp = i64::from(limits.warp_size);
    let filling = limits.max_warps_per_sm * limits.warp_size / limits.max_blocks_per_sm.max(1);
    let filling = i64::from(filling.next_power_of_two()).clamp(warp, threads_of_row(arch));
    let few = trips.is_some_and(|trips| trips < filling * i64::from(arch.chip.sm_count));
    if few { warp } else { filling }
}

fn whole_warps(arch: &Arch, trips: Option<i64>, most: i64) -> i64 {
    let warp = i64::from(arch.limits.warp_size);
    match trips {
        Some(trips) if trips < most => (trips.max(1) + warp - 1) / warp * warp,
        _ => most,
    }
}

/// The longest row of which a block has room for so many, `None` for a number that only the launch knows: whole warps where
/// it has room for those. There is one warp a row where the number is open, as compilers of others have.
pub fn longest_row(arch: &Arch, rows: Option<i64>) -> i64 {
    let warp = i64::from(arch.limits.warp_size);
    let Some(rows) = rows else { return warp };
    let most = (i64::from(arch.limits.max_threads_per_block) / rows.max(1)).max(1);
    if most >= warp { most / warp * warp } else { 1 << most.ilog2() }
}

/// The rectangle of iterations that a block takes of a nest, the last dimension in x: warps wide, so
/// that accesses are coalesced, and as high as its threads allow, so that neighbours in both directions share what
/// the cache holds. Rows of two warps where a block has eight: a stencil of five points moves 2057 GB/s in blocks of 64 by 4
/// on an H100, 2003 of 32 by 8. Dimensions that are known to be shorter get no more than the next power of two.
pub fn tile_shape(arch: &Arch, trips: &[Option<i64>], moves_little: bool) -> BlockShape {
    let all = trips.iter().try_fold(1i64, |all, &n| Some(all.saturating_mul(n?.max(0))));
    let threads = threads_of_grid(arch, all, moves_little);
    let row = threads / 4;
    let trips_of =
        |from_last: usize| trips.len().checked_sub(1 + from_last).and_then(|at| trips[at]);
    let fitting = |trips: Option<i64>, most: i64| match trips {
        Some(trips) => trips.clamp(1, most).unsigned_abs().next_power_of_two() as i64,
        None => most,
    };
    let y = fitting(trips_of(1), threads / fitting(trips_of(0), row));
    // What a low nest leaves goes to the row again.
    let x = fitting(trips_of(0), threads / y);
    BlockShape { rows: Some([x, y]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_trip_counts_and_devices() {
        for arch in Arch::all() {
            let of = |trips: [Option<i64>; 2]| tile_shape(arch, &trips, false).rows;
            let shape = |trips: [i64; 2]| of(trips.map(Some));
            assert_eq!(of([None, None]), Some([64, 4]), "{}", arch.name);
            assert_eq!(shape([1000, 1000]), Some([64, 4]));
            assert_eq!(shape([2, 100_000]), Some([128, 2]));
            assert_eq!(shape([100_000, 3]), Some([4, 64]));
            // One of them is known.
            assert_eq!(of([None, Some(4)]), Some([4, 64]));
            assert_eq!(of([Some(2), None]), Some([128, 2]));
            // Too few for all multiprocessors.
            assert_eq!(shape([30, 30]), Some([32, 4]));
            assert_eq!(shape([3, 3]), Some([4, 4]));
            assert_eq!(shape([0, 0]), Some([1, 1]));
            assert_eq!(row_length(arch, None), 128);
            assert_eq!(row_length(arch, Some(1)), 32);
            assert_eq!(row_length(arch, Some(33)), 64);
            assert_eq!(row_length(arch, Some(1 << 40)), 128);
            let grid = |trips: i64| grid_row_length(arch, Some(trips), Some(trips), false);
            assert_eq!(grid_row_length(arch, None, None, false), 256);
            assert_eq!(grid_row_length(arch, None, None, true), 512);
            assert_eq!(tile_shape(arch, &[None, None], true).rows, Some([128, 4]));
            assert_eq!([33, 1000, 1 << 40].map(grid), [64, 128, 256]);
            assert_eq!(grid_row_length(arch, Some(100), Some(1 << 20), false), 128);
            assert_eq!([1, 300].map(|trips| long_row_length(arch, Some(trips))), [32, 32]);
            // Blocks of which a multiprocessor holds 16 fill it with 96 threads each.
            let filling = if arch.limits.max_warps_per_sm == 3 * arch.limits.max_blocks_per_sm {
                128
            } else {
                64
            };
            assert_eq!(
                [None, Some(1 << 40)].map(|trips| long_row_length(arch, trips)),
                [filling; 2]
            );
        }
    }
}
