//! What one request of a warp takes of the memory system.

use gpuc_arch::{Arch, SECTOR_BYTES};

use crate::analysis::sharing::banks::most_words;

/// A warp's lanes that ask, by their addresses in bytes, and what each wants.
pub struct Request<'a> {
    /// Addresses of the active lanes.
    pub lanes: &'a [i64],
    /// Bytes of each.
    pub bytes: i64,
}

impl Request<'_> {
    /// Distinct parts of memory of so many bytes.
    fn distinct(&self, unit: i64) -> usize {
        let mut parts: Vec<i64> = Vec::with_capacity(self.lanes.len());
        for address in self.lanes {
            let last = address.saturating_add(self.bytes - 1).div_euclid(unit);
            parts.extend(address.div_euclid(unit)..=last);
        }
        parts.sort_unstable();
        parts.dedup();
        parts.len()
    }

    /// Distinct sectors.
    pub fn sectors(&self) -> f64 {
        self.distinct(SECTOR_BYTES.into()) as f64
    }

    /// Passes through the banks: lanes go together as far as what each wants allows, and of two words in a bank one waits.
    pub fn passes(&self, arch: &Arch, is_shared: bool) -> f64 {
        let each = if is_shared { arch.throughput.shared_lane as i64 } else { 4 };
        let together = (32 / (self.bytes / each.max(4)).clamp(1, 8)) as usize;
        let passes = |part: &[i64]| most_words(part, self.bytes).max(1);
        f64::from(self.lanes.chunks(together).map(passes).sum::<u32>())
    }

    /// Clocks of the load/store unit for global memory: passes, or the tags of lines, four a clock.
    pub fn global_clocks(&self, arch: &Arch, is_load: bool) -> f64 {
        let lines = self.distinct(arch.limits.line_bytes.into()) as f64;
        let tags = if is_load {
            (3.0 + lines) / 4.0
        } else {
            lines / f64::from(arch.throughput.store_lines)
        };
        self.passes(arch, false).max(tags)
    }
}
