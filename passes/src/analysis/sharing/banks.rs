//! How many passes the banks of shared memory take for what a warp asks for at once, by formula.
//!
//! Li et al. 2016, eqs. 20 and 21: consecutive threads lie `stride` elements apart, and each bank delivers one word a pass.

use gpuc_arch::{BANK_BYTES, BANKS};
use gpuc_presburger::gcd;

/// Into how many requests to one bank an access of a full warp falls whose threads lie `stride` elements of `bytes`
/// bytes apart; 1 is without a conflict. `None` for elements that do not fill words evenly.
///
/// The paper divides as rational numbers and has, below one word, `1 / bank_stride` threads in conflict. Devices since
/// Fermi hand a word to all that ask for it, so that this is 1 here; and elements of 8 and 16 bytes are delivered
/// to half and a quarter of a warp at a time, whose words do not count against each other.
pub fn conflict_degree(stride: i64, bytes: u32) -> Option<u32> {
    let (word, banks) = (u64::from(BANK_BYTES), u64::from(BANKS));
    let (stride, size) = (stride.unsigned_abs(), u64::from(bytes));
    let apart = stride.checked_mul(size);
    let degree = match bytes {
        // Less than a word apart: neighbours share it, no bank is asked for two.
        1 | 2 | 4 if apart.is_some_and(|apart| apart < word) => 1,
        // Eq. 20, then eq. 21; a whole number of words between threads, of which only the bank counts.
        1 | 2 | 4 if (stride % word) * size % word == 0 => {
            gcd(stride % (word * banks) * size / word % banks, banks)
        }
        // A part of the warp at a time fills all banks once where threads are neighbours.
        8 | 16 if stride == 0 => 1,
        8 | 16 => gcd(stride, banks / (size / word)),
        _ => return None,
    };
    u32::try_from(degree).ok()
}

/// The same by counting, for whatever elements of `bytes` bytes the threads of a warp ask for: the most different words of
/// one bank among threads that are delivered together.
pub fn counted_degree(elements: &[i64], bytes: u32) -> u32 {
    let together = (BANKS * BANK_BYTES / bytes.max(BANK_BYTES)).clamp(1, 32) as usize;
    let size = i64::from(bytes);
    let addresses: Vec<i64> = elements.iter().map(|element| element.saturating_mul(size)).collect();
    addresses.chunks(together).map(|part| most_words(part, size)).max().unwrap_or(0)
}

/// The most different words that one bank delivers to threads that go together, which ask for so many bytes each from these
/// addresses on.
pub fn most_words(addresses: &[i64], bytes: i64) -> u32 {
    let word = i64::from(BANK_BYTES);
    let of = |first: &i64| {
        let last = first.saturating_add(bytes.max(1) - 1);
        first.div_euclid(word)..=last.div_euclid(word)
    };
    let mut words: Vec<i64> = addresses.iter().flat_map(of).collect();
    words.sort_unstable();
    words.dedup();
    let mut wanted = [0; BANKS as usize];
    words.iter().for_each(|word| wanted[word.rem_euclid(BANKS.into()) as usize] += 1);
    wanted.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the banks do for a warp whose threads lie so far apart.
    fn counted(stride: i64, bytes: u32) -> u32 {
        let elements: Vec<i64> = (0..32).map(|thread| thread * stride).collect();
        counted_degree(&elements, bytes)
    }

    #[test]
    fn the_formula_is_what_banks_do() {
        for bytes in [1, 2, 4, 8, 16] {
            for stride in -130..=130 {
                if let Some(degree) = conflict_degree(stride, bytes) {
                    assert_eq!(
                        degree,
                        counted(stride, bytes),
                        "{stride} elements of {bytes} bytes"
                    );
                }
            }
        }
    }

    #[test]
    fn what_the_formula_says_nothing_of() {
        // Five bytes apart: some neighbours are one word apart, others two.
        assert_eq!(conflict_degree(5, 1), None);
        assert_eq!(conflict_degree(3, 2), None);
        assert_eq!(conflict_degree(1, 12), None);
        assert_eq!(conflict_degree(i64::MIN, 4), Some(32));
        assert_eq!(conflict_degree(33, 4), Some(1));
        assert_eq!(conflict_degree(32, 4), Some(32));
    }
}
