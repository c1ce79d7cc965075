//! How many threads a block has, and in which rectangle, where the program does not say.

use gpuc_arch::Arch;

/// The shape of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockShape {
    /// Threads in x and y of a block that is a rectangle of iterations; `None` where it is a row.
    pub rows: Option<[i64; 2]>,
}

/// Threads of a block: twice as many as fill a multiprocessor with the most blocks that it holds, so
/// that half of the block slots are enough; a power of two.
fn threads(arch: &Arch) -> i64 {
    let limits = &arch.limits;
    let filling = limits.max_warps_per_sm * limits.warp_size / limits.max_blocks_per_sm.max(1);
    let threads = filling.next_power_of_two() * 2;
    i64::from(threads.clamp(limits.warp_size, limits.max_threads_per_block / 4)).min(128)
}

/// Threads in a row, of a loop with so many iterations where that is known: whole warps.
pub fn row_length(arch: &Arch, trips: Option<i64>) -> i64 {
    let most = threads(arch);
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

/// The rectangle of iterations that a block takes of a nest, the last dimension in x: a warp wide, so
/// that accesses are coalesced, and as high as its threads allow, so that neighbours in both directions share what
/// the cache holds. Dimensions that are known to be shorter get no more than the next power of two.
pub fn tile_shape(arch: &Arch, trips: Option<&[i64]>) -> BlockShape {
    let (threads, warp) = (threads(arch), i64::from(arch.limits.warp_size));
    let trips_of = |from_last: usize| {
        let trips = trips?;
        trips.len().checked_sub(1 + from_last).map(|at| trips[at])
    };
    let fitting = |trips: Option<i64>, most: i64| match trips {
        Some(trips) => trips.clamp(1, most).unsigned_abs().next_power_of_two() as i64,
        None => most,
    };
    let y = fitting(trips_of(1), threads / fitting(trips_of(0), warp));
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
            let shape = |trips: Option<&[i64]>| tile_shape(arch, trips).rows;
            assert_eq!(shape(None), Some([32, 4]), "{}", arch.name);
            assert_eq!(shape(Some(&[1000, 1000])), Some([32, 4]));
            assert_eq!(shape(Some(&[2, 1000])), Some([64, 2]));
            assert_eq!(shape(Some(&[1000, 3])), Some([4, 32]));
            assert_eq!(shape(Some(&[3, 3])), Some([4, 4]));
            assert_eq!(shape(Some(&[0, 0])), Some([1, 1]));
            assert_eq!(row_length(arch, None), 128);
            assert_eq!(row_length(arch, Some(1)), 32);
            assert_eq!(row_length(arch, Some(33)), 64);
            assert_eq!(row_length(arch, Some(1 << 40)), 128);
        }
    }
}
