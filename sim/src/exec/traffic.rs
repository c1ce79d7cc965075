//! What an access costs the memory system: sectors of global memory, wavefronts of shared memory.

use crate::counters::{Traffic, TrafficKind};

use super::lanes::LANES;

const SECTOR: u64 = gpuc_arch::SECTOR_BYTES as u64;
const BANKS: u64 = gpuc_arch::BANKS as u64;
/// Bytes that a bank delivers in one pass.
const WORD: u64 = gpuc_arch::BANK_BYTES as u64;

/// Adds one request of `bytes` a lane to global (or local) memory.
pub(super) fn global(
    traffic: &mut Traffic,
    kind: TrafficKind,
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
) {
    traffic.kind = kind;
    traffic.requests += 1;
    traffic.bytes += u64::from(mask.count_ones()) * bytes;
    traffic.units += sectors(addresses, bytes);
}

/// Distinct sectors. Accesses are aligned and at most a sector long, so each lies in one. Lanes that
/// are not active have the address of one that is, and add nothing.
fn sectors(addresses: &[u64; LANES], bytes: u64) -> u64 {
    debug_assert!(bytes <= SECTOR);
    let mut ids = addresses.map(|address| address / SECTOR);
    if !ids.is_sorted() {
        ids.sort_unstable();
    }
    1 + (1..LANES).map(|lane| u64::from(ids[lane] != ids[lane - 1])).sum::<u64>()
}

/// Adds one request of `bytes` a lane to shared memory.
pub(super) fn shared(
    traffic: &mut Traffic,
    kind: TrafficKind,
    addresses: &[u64; LANES],
    mask: u32,
    bytes: u64,
) {
    traffic.kind = kind;
    traffic.requests += 1;
    traffic.bytes += u64::from(mask.count_ones()) * bytes;
    let (wavefronts, ideal) = wavefronts(addresses, mask, bytes);
    traffic.units += wavefronts;
    traffic.conflicts += wavefronts - ideal;
}

/// Passes through the banks, and how many the width alone needs. Accesses of 8 and 16 bytes are
/// made by half and quarter warps; within one of them a bank delivers one word a pass, to any
/// number of lanes.
fn wavefronts(addresses: &[u64; LANES], mask: u32, bytes: u64) -> (u64, u64) {
    let words = (bytes / WORD).max(1);
    let groups = words.min(8) as usize;
    let lanes = LANES / groups;
    let (mut passes, mut ideal) = (0, 0);
    for group in 0..groups {
        let group_mask = mask >> (group * lanes) & (u32::MAX >> (LANES - lanes));
        if group_mask == 0 {
            continue;
        }
        ideal += 1;
        let of_group = &addresses[group * lanes..][..lanes];
        passes += group_passes(of_group, group_mask, words);
    }
    (passes, ideal)
}

fn group_passes(addresses: &[u64], mask: u32, words: u64) -> u64 {
    // The words that each bank has to deliver; a group touches at most `LANES` words.
    let mut wanted = [[0u64; LANES]; BANKS as usize];
    let mut counts = [0u8; BANKS as usize];
    let mut most = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        if mask & (1 << lane) == 0 {
            continue;
        }
        for word in address / WORD..address / WORD + words {
            let bank = (word % BANKS) as usize;
            let count = counts[bank] as usize;
            if count < LANES && !wanted[bank][..count].contains(&word) {
                wanted[bank][count] = word;
                counts[bank] += 1;
                most = most.max(counts[bank]);
            }
        }
    }
    u64::from(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(f: impl Fn(u64) -> u64) -> [u64; LANES] {
        std::array::from_fn(|lane| f(lane as u64))
    }

    #[test]
    fn sectors_of_common_patterns() {
        for (what, addresses, bytes, want) in [
            ("consecutive 4", lanes(|l| 256 + 4 * l), 4, 4),
            ("shifted by one word", lanes(|l| 260 + 4 * l), 4, 5),
            ("consecutive 8", lanes(|l| 8 * l), 8, 8),
            ("consecutive 16", lanes(|l| 16 * l), 16, 16),
            ("stride 2", lanes(|l| 8 * l), 4, 8),
            ("column", lanes(|l| 4096 * l), 4, 32),
            ("reversed", lanes(|l| 4 * (31 - l)), 4, 4),
            ("uniform", lanes(|_| 64), 4, 1),
        ] {
            assert_eq!(sectors(&addresses, bytes), want, "{what}");
        }
    }

    #[test]
    fn wavefronts_of_common_patterns() {
        for (what, addresses, mask, bytes, want) in [
            ("consecutive 4", lanes(|l| 4 * l), u32::MAX, 4, (1, 1)),
            ("uniform", lanes(|_| 4), u32::MAX, 4, (1, 1)),
            ("stride 2", lanes(|l| 8 * l), u32::MAX, 4, (2, 1)),
            ("column of 32", lanes(|l| 128 * l), u32::MAX, 4, (32, 1)),
            ("column of 33", lanes(|l| 132 * l), u32::MAX, 4, (1, 1)),
            ("column, half", lanes(|l| 128 * l), 0xffff, 4, (16, 1)),
            ("consecutive 8", lanes(|l| 8 * l), u32::MAX, 8, (2, 2)),
            ("consecutive 16", lanes(|l| 16 * l), u32::MAX, 16, (4, 4)),
            ("bytes", lanes(|l| l), u32::MAX, 1, (1, 1)),
        ] {
            assert_eq!(wavefronts(&addresses, mask, bytes), want, "{what}");
        }
    }
}
