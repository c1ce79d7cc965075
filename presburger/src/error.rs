//! What an operation on integer sets may refuse.

use thiserror::Error;

/// The reason an operation has no answer. A caller that only wants a safe answer takes every error as "could not be
/// proven": no operation returns a wrong result in its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// A coefficient or a coordinate left the range of 64-bit integers.
    #[error("a coefficient does not fit into 64 bits")]
    Overflow,
    /// The question was given up after a fixed amount of work, so that compile time stays bounded.
    #[error("the system of constraints is too large to be decided in bounded time")]
    TooComplex,
    /// Two operands do not speak of the same dimensions and parameters, or a variable is not part of the space.
    #[error("the operands do not belong to the same space")]
    SpaceMismatch,
    /// `floordiv` or `mod` by a number that is not positive.
    #[error("division by {0}, which is not positive")]
    NonPositiveDivisor(i64),
    /// A minimum, a maximum or a count was asked of a set that has none.
    #[error("the set is unbounded in the dimension asked for")]
    Unbounded,
    /// A number was asked of a set that still depends on parameters.
    #[error("the answer depends on the parameters")]
    Parametric,
    /// The text is not a set or a map; `offset` counts bytes from its start.
    #[error("at byte {offset}: {message}")]
    Parse {
        /// Where in the text, in bytes.
        offset: usize,
        /// What was expected there.
        message: String,
    },
}

/// The result of every operation that does arithmetic.
pub type Result<T, E = Error> = std::result::Result<T, E>;
