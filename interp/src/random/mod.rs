//! Random programs: small loop nests that are valid and defined for every input that
//! [`check_same`](crate::check_same) makes, so that a pass that changes what they compute is wrong.

mod expression;
mod offload;
mod program;
mod statement;

pub(crate) use program::EXTENT;
pub use program::{Flavour, program};

/// A generator of random numbers that gives the same ones everywhere (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; every seed gives another sequence.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds are spread first; zero would stay zero.
        let mixed = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mut random = Random((mixed ^ mixed >> 31) | 1);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from `least` to `greatest`, both included.
    pub fn between(&mut self, least: i64, greatest: i64) -> i64 {
        let count = (greatest.wrapping_sub(least) as u64).saturating_add(1).max(1);
        least.wrapping_add(((self.next() >> 11) % count) as i64)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: i64) -> bool {
        self.between(1, n) == 1
    }

    /// One of several.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.between(0, items.len() as i64 - 1) as usize]
    }
}
