//! Counters: what every instruction did, and what its accesses cost the memory system: sectors of
//! global memory, wavefronts of shared memory.

use crate::counters::{SiteCounts, Traffic, TrafficKind};
use crate::fault::AccessKind;
use crate::program::MemorySpace;

use super::lanes::LANES;
use super::probe::{AccessEvent, At, Probe};

const SECTOR: u64 = gpuc_arch::SECTOR_BYTES as u64;
const BANKS: u64 = gpuc_arch::BANKS as u64;
/// Bytes that a bank delivers in one pass.
const WORD: u64 = gpuc_arch::BANK_BYTES as u64;

/// Counts for each instruction of a kernel.
#[derive(Debug)]
pub(crate) struct SiteCounter {
    pub(crate) sites: Vec<SiteCounts>,
}

impl SiteCounter {
    /// Counters of a kernel of so many instructions, all zero.
    pub(crate) fn new(instructions: usize) -> SiteCounter {
        SiteCounter { sites: vec![SiteCounts::default(); instructions] }
    }
}

impl Probe for SiteCounter {
    fn issue(&mut self, at: At, enabled: u32) {
        let site = &mut self.sites[at.site as usize];
        site.issued += 1;
        site.active += u64::from(at.lanes.count_ones());
        site.enabled += u64::from(enabled.count_ones());
    }

    fn diverge(&mut self, at: At) {
        self.sites[at.site as usize].divergent += 1;
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        use TrafficKind::*;
        if event.part {
            return;
        }
        let AccessEvent { at, addresses, .. } = *event;
        let (mask, bytes) = (at.lanes, u64::from(event.bytes));
        let traffic = &mut self.sites[at.site as usize].traffic;
        let kind = |[load, store, atomic]: [TrafficKind; 3]| match event.kind {
            AccessKind::Read => load,
            AccessKind::Write => store,
            AccessKind::Atomic => atomic,
        };
        match event.space {
            MemorySpace::Global | MemorySpace::Generic => {
                let kind = kind([GlobalLoad, GlobalStore, GlobalAtomic]);
                global(traffic, kind, addresses, mask, bytes);
            }
            // An asynchronous copy counts as what it does to global memory.
            MemorySpace::Shared if event.asynchronous => {}
            MemorySpace::Shared => {
                let kind = kind([SharedLoad, SharedStore, SharedAtomic]);
                shared(traffic, kind, addresses, mask, bytes);
            }
            // Local memory is interleaved on the device, so that lanes with one offset share sectors:
            // each word of a warp is a line of its own.
            MemorySpace::Local => {
                let interleaved: [u64; LANES] = std::array::from_fn(|lane| {
                    addresses[lane] / bytes * bytes * LANES as u64 + lane as u64 * bytes
                });
                let lead = interleaved[mask.trailing_zeros() as usize & 31];
                let active = std::array::from_fn(|lane| {
                    if mask >> lane & 1 != 0 { interleaved[lane] } else { lead }
                });
                global(traffic, kind([LocalLoad, LocalStore, LocalStore]), &active, mask, bytes);
            }
            MemorySpace::Param => {}
        }
    }
}

/// Patterns whose cost is known without looking at every lane.
enum Pattern {
    /// Lane after lane, without gaps.
    Consecutive,
    Uniform,
    Other,
}

impl Pattern {
    fn of(addresses: &[u64; LANES], bytes: u64) -> Pattern {
        let first = addresses[0];
        let stride = addresses[1].wrapping_sub(first);
        if stride != 0 && stride != bytes {
            return Pattern::Other;
        }
        let differs = addresses.iter().zip(0u64..).fold(0, |differs, (address, lane)| {
            differs | (address.wrapping_sub(first) ^ lane.wrapping_mul(stride))
        });
        match (differs, stride) {
            (0, 0) => Pattern::Uniform,
            (0, _) => Pattern::Consecutive,
            _ => Pattern::Other,
        }
    }
}

/// Adds one request of `bytes` a lane to global (or local) memory.
fn global(
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
    match Pattern::of(addresses, bytes) {
        Pattern::Uniform => return 1,
        Pattern::Consecutive => {
            let last = addresses[0].wrapping_add(LANES as u64 * bytes - 1);
            return last / SECTOR - addresses[0] / SECTOR + 1;
        }
        Pattern::Other => {}
    }
    let mut ids = addresses.map(|address| address / SECTOR);
    if !ids.is_sorted() {
        ids.sort_unstable();
    }
    1 + (1..LANES).map(|lane| u64::from(ids[lane] != ids[lane - 1])).sum::<u64>()
}

/// Adds one request of `bytes` a lane to shared memory.
fn shared(
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
    let free = match Pattern::of(addresses, bytes) {
        Pattern::Other => false,
        Pattern::Uniform | Pattern::Consecutive => true,
    };
    for group in 0..groups {
        let group_mask = mask >> (group * lanes) & (u32::MAX >> (LANES - lanes));
        if group_mask == 0 {
            continue;
        }
        ideal += 1;
        if free {
            passes += 1;
            continue;
        }
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
