//! What the compiler does with a word of a family, as the tables in `docs/` have it.

/// What the compiler does with a directive, clause or word on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// All of it.
    Yes,
    /// Some of its forms; the others are refused, or not followed with a warning.
    InPart,
    /// Read; its meaning leaves the freedom not to follow it.
    Hint,
    /// Refused by name in device code; on the host it is the host compiler's.
    No,
}

impl Support {
    /// The word in the tables.
    pub fn word(self) -> &'static str {
        match self {
            Support::Yes => "yes",
            Support::InPart => "in part",
            Support::Hint => "hint",
            Support::No => "no",
        }
    }
}
