//! How many blocks a multiprocessor holds at once.

use crate::Arch;

/// What keeps a further block from being resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// Warp slots.
    Warps,
    /// Block slots.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// The block itself is beyond a limit of the device: none fits.
    TooLarge,
}

/// Residency of one kernel on one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Resident blocks.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// The scarcest resource; the first of warps, blocks, registers, shared memory on a tie.
    pub limiter: Limiter,
    /// Warps a multiprocessor can hold at most.
    pub max_warps: u32,
}

impl Occupancy {
    /// Resident warps over possible warps, 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps)
    }
}

impl Arch {
    /// Theoretical occupancy of blocks of `threads` threads with `registers` 32-bit registers a
    /// thread and `shared` bytes of shared memory a block (static and dynamic together).
    pub fn occupancy(&self, threads: u32, registers: u32, shared: u32) -> Occupancy {
        let limits = &self.limits;
        let none = Occupancy {
            blocks: 0,
            warps: 0,
            limiter: Limiter::TooLarge,
            max_warps: limits.max_warps_per_sm,
        };
        if threads == 0
            || threads > limits.max_threads_per_block
            || registers > limits.registers_per_thread
            || shared > limits.shared_per_block_optin
        {
            return none;
        }
        let warps = threads.div_ceil(limits.warp_size);
        let per_warp =
            (registers.max(1) * limits.warp_size).next_multiple_of(limits.register_allocation_unit);
        let per_block = (shared + limits.shared_reserved_per_block)
            .next_multiple_of(limits.shared_allocation_unit);
        let by_shared =
            limits.shared_per_sm.checked_div(per_block).unwrap_or(limits.max_blocks_per_sm);
        // Registers belong to one of the four schedulers, which share the warps evenly.
        const SCHEDULERS: u32 = 4;
        let warps_by_registers = limits.registers_per_sm / SCHEDULERS / per_warp * SCHEDULERS;
        let bounds = [
            (limits.max_warps_per_sm / warps, Limiter::Warps),
            (limits.max_blocks_per_sm, Limiter::Blocks),
            (warps_by_registers / warps, Limiter::Registers),
            (by_shared, Limiter::SharedMemory),
        ];
        let (blocks, limiter) =
            bounds.into_iter().min_by_key(|&(blocks, _)| blocks).unwrap_or((0, Limiter::TooLarge));
        if blocks == 0 {
            return none;
        }
        Occupancy { blocks, warps: blocks * warps, limiter, max_warps: limits.max_warps_per_sm }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_cases() {
        let sm80 = Arch::by_name("sm_80").unwrap_or_else(|| panic!("sm_80"));
        let check = |threads, registers, shared, blocks, limiter| {
            let got = sm80.occupancy(threads, registers, shared);
            assert_eq!(
                (got.blocks, got.limiter),
                (blocks, limiter),
                "{threads} {registers} {shared}"
            );
        };
        check(256, 32, 0, 8, Limiter::Warps);
        check(32, 16, 0, 32, Limiter::Blocks);
        check(256, 64, 0, 4, Limiter::Registers);
        check(256, 128, 0, 2, Limiter::Registers);
        check(256, 255, 0, 1, Limiter::Registers);
        check(128, 32, 48 << 10, 3, Limiter::SharedMemory);
        check(128, 32, 200 << 10, 0, Limiter::TooLarge);
        check(2048, 32, 0, 0, Limiter::TooLarge);
        check(0, 32, 0, 0, Limiter::TooLarge);
        check(1024, 128, 0, 0, Limiter::TooLarge);
        assert_eq!(sm80.occupancy(256, 64, 0).fraction(), 0.5);
    }
}
