//! The words of `#pragma jolokia`, and what is done with them.

pub use crate::directive::support::Support;

/// A word of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub spelling: &'static str,
    /// The section of Patel 2014 that describes it.
    pub section: &'static str,
    /// What is done with it.
    pub support: Support,
}

macro_rules! names {
    ($($spelling:literal $section:literal $support:ident;)*) => {
        &[$(Name { spelling: $spelling, section: $section, support: Support::$support }),*]
    };
}

/// The directive that stands for a word in front of `for`, as `_for` and `parallel_for` bring it.
pub const LOOP: &str = "independent";

/// The directives and clauses.
pub const WORDS: &[Name] = names! {
    "independent" "4.1" Yes;
    "gpuIn" "3.1.2" Hint;
    "gpuOut" "3.1.2" Hint;
    "tile" "3.1.2" InPart;
    "scratchpad" "4.1" InPart;
    "wait" "5.2" Hint;
    "nowait" "5.2" Hint;
};
