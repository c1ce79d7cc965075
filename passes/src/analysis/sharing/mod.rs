//! What of each array a block of threads is worth to have in shared memory.
//!
//! After Li et al. 2016, "Pragma Directed Shared Memory Centric Optimizations on GPUs", §3.2: whoever says what a block works
//! on of some arrays (the *seeds*, [`gpuc_dialects::offload::share`]) has said which iterations a block executes, and so what
//! it works on of all others. `docs/analyses.md` says what became of each equation.
//!
//! | module | what |
//! |---|---|
//! | [`split`] | references, candidates, iteration subspaces and how they are joined |
//! | [`features`] | rectangular hulls, reuse and transactions (eqs. 1 to 7) |
//! | [`search`] | the block and the lengths of the greatest profit (eqs. 8 to 19) |
//! | [`chosen`] | the partition of a nest |
//! | [`banks`] | conflicts of banks by formula (eqs. 20 and 21) |
//! | [`mod@print`], [`print_banks`] | the passes `print-share-partitions` and `print-bank-conflicts` |

pub mod banks;
pub mod chosen;
pub mod features;
pub mod print;
pub mod print_banks;
pub mod search;
pub mod split;

use std::fmt;

/// Why a nest is not partitioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuited {
    /// A seed is no array of the nest.
    NoSuchArray(String),
    /// A seed has another number of lengths than its array has dimensions.
    Dimensions {
        /// The array.
        array: String,
        /// Its dimensions.
        has: usize,
        /// Those of the seed.
        given: usize,
    },
    /// A subscript is no sum of loop variables and of what is the same in all iterations.
    NotAffine(String),
    /// Subscripts of one array are not a number apart, so that they have no box of constant size.
    NoHull(String),
    /// No loop of the nest runs in threads.
    NoThreads,
    /// A length has no value, or none above 0.
    Length(String),
    /// No block and no lengths keep the limits: bytes of the least that was tried, and those there are.
    NothingFits {
        /// Bytes that it needs.
        needed: i64,
        /// Bytes of shared memory.
        available: i64,
    },
}

impl fmt::Display for Unsuited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuited::NoSuchArray(name) => write!(f, "no array `{name}` is used here"),
            Unsuited::Dimensions { array, has, given } => {
                write!(f, "`{array}` has {has} dimensions, and {given} lengths are given")
            }
            Unsuited::NotAffine(array) => {
                write!(f, "a subscript of `{array}` is no sum of loop variables")
            }
            Unsuited::NoHull(array) => {
                write!(f, "subscripts of `{array}` are not a constant number apart")
            }
            Unsuited::NoThreads => f.write_str("no loop of the nest runs in threads"),
            Unsuited::Length(array) => {
                write!(f, "a length of `{array}` is not a positive number in any block")
            }
            Unsuited::NothingFits { .. } => {
                f.write_str("no partition keeps the limits of shared memory")
            }
        }
    }
}
