//! A sectored, set-associative cache with least-recently-used replacement: tags only.
//!
//! Lines have 128 bytes in four sectors of 32; a miss fetches sectors, not lines. The set of a line
//! is a hash of its number, as on the devices, so that power-of-two strides do not meet in one set.

/// Sectors of a line, a bit each.
pub(super) type Sectors = u8;

/// What an access found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Sectors that were there.
    pub(super) hit: Sectors,
    /// Sectors that were not modified before and are now: each of them is written back once.
    pub(super) modified: Sectors,
}

/// The tags of a cache.
#[derive(Debug)]
pub(super) struct Cache {
    sets: u64,
    ways: usize,
    /// For each set its lines, the latest used first: number, valid sectors, modified sectors.
    lines: Vec<(u64, Sectors, Sectors)>,
}

/// No line has this number.
const NONE: u64 = u64::MAX;

impl Cache {
    /// A cache of so many bytes; at least one set.
    pub(super) fn new(bytes: u64, ways: usize) -> Cache {
        let line = u64::from(gpuc_arch::BANKS * gpuc_arch::BANK_BYTES);
        let sets = (bytes / line / ways as u64).max(1);
        Cache { sets, ways, lines: vec![(NONE, 0, 0); sets as usize * ways] }
    }

    fn set(&mut self, line: u64) -> &mut [(u64, Sectors, Sectors)] {
        // Multiplicative hashing: the upper half of the product says which part of the range.
        let hash = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let set = ((hash * self.sets) >> 32) as usize;
        &mut self.lines[set * self.ways..][..self.ways]
    }

    /// Reads sectors; those that are not there come in.
    pub(super) fn read(&mut self, line: u64, sectors: Sectors) -> Found {
        self.touch(line, sectors, 0)
    }

    /// Writes sectors, which stay here modified.
    pub(super) fn write(&mut self, line: u64, sectors: Sectors) -> Found {
        self.touch(line, sectors, sectors)
    }

    fn touch(&mut self, line: u64, sectors: Sectors, modified: Sectors) -> Found {
        let set = self.set(line);
        let at = set.iter().position(|&(number, ..)| number == line);
        let mut found = Found::default();
        let at = at.unwrap_or_else(|| {
            let last = set.len() - 1;
            set[last] = (line, 0, 0);
            last
        });
        found.hit = set[at].1 & sectors;
        found.modified = modified & !set[at].2;
        set[at].1 |= sectors;
        set[at].2 |= modified;
        set[..=at].rotate_right(1);
        found
    }

    /// Forgets sectors, if they are there.
    pub(super) fn drop_sectors(&mut self, line: u64, sectors: Sectors) {
        if let Some(entry) = self.set(line).iter_mut().find(|&&mut (number, ..)| number == line) {
            entry.1 &= !sectors;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_come_one_by_one_and_lines_leave_whole() {
        let mut cache = Cache::new(512, 4);
        assert_eq!(cache.read(7, 0b0011).hit, 0);
        assert_eq!(cache.read(7, 0b0111).hit, 0b0011);
        assert_eq!(cache.write(8, 0b1000), Found { hit: 0, modified: 0b1000 });
        assert_eq!(cache.write(8, 0b1100), Found { hit: 0b1000, modified: 0b0100 });
        // The set is full with two more; the next one drives out what was used longest ago.
        cache.read(9, 1);
        cache.read(10, 1);
        cache.read(7, 1);
        assert_eq!(cache.read(11, 1).hit, 0);
        // What comes back is not modified any more.
        assert_eq!(cache.write(8, 0b1000), Found { hit: 0, modified: 0b1000 });
        assert_eq!(cache.read(7, 0b0111).hit, 0b0111);
        cache.drop_sectors(7, 0b0001);
        assert_eq!(cache.read(7, 0b0111).hit, 0b0110);
    }

    #[test]
    fn strides_of_powers_of_two_spread_over_the_sets() {
        let mut cache = Cache::new(128 << 10, 16);
        // Half of what fits, each line a page from the next.
        for _ in 0..2 {
            for line in 0..512u64 {
                cache.read(line * 32, 1);
            }
        }
        let hits = (0..512u64).filter(|line| cache.read(line * 32, 1).hit != 0).count();
        assert_eq!(hits, 512);
    }
}
