//! The names of directives, parameters and properties, and what is done with them.
//!
//! OpenHMPP has no sections to cite: the directives are those of HMPP 2.5 and 3 as CAPS compiled them (Bodin and Bihan
//! 2009; Andión et al. 2015, §3).

pub use crate::directive::support::Support;

/// A word of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Name {
    /// The word, or words.
    pub spelling: &'static str,
    /// What is done with it.
    pub support: Support,
}

macro_rules! names {
    ($($spelling:literal $support:ident;)*) => {
        &[$(Name { spelling: $spelling, support: Support::$support }),*]
    };
}

/// The directives of `#pragma hmpp`.
pub const DIRECTIVES: &[Name] = names! {
    "codelet" Yes;
    "callsite" Yes;
    "group" Yes;
    "map" Yes;
    "mapbyname" Yes;
    "acquire" Yes;
    "release" Yes;
    "allocate" Yes;
    "free" Yes;
    "advancedload" Yes;
    "delegatedstore" Yes;
    "synchronize" Yes;
    "region" InPart;
    "resident" InPart;
    "mirror" Yes;
};

/// The directives of `#pragma hmppcg`.
pub const LOOP_DIRECTIVES: &[Name] = names! {
    "gridify" Yes;
    "parallel" Yes;
    "noParallel" Yes;
    "grid blocksize" Yes;
    "permute" Yes;
    "unroll" InPart;
    "fullunroll" InPart;
    "tile" Yes;
    "fuse" Yes;
    "distribute" Yes;
    "shared" Hint;
    "constantmemory" Hint;
    "remote" Hint;
};

/// The parameters of `#pragma hmpp`, which stand behind a directive.
pub const PARAMETERS: &[Name] = names! {
    "args" Yes;
    "data" InPart;
    "target" Yes;
    "transfer" Yes;
    "asynchronous" Yes;
    "cond" Yes;
    "hostdata" Yes;
    "size" Yes;
    "section" InPart;
    "private" Yes;
    "version" Hint;
    "device" No;
};

/// What may be said of arguments, behind `args[...].`.
pub const PROPERTIES: &[Name] = names! {
    "io" Yes;
    "size" Yes;
    "const" Hint;
    "addr" Yes;
    "transfer" Yes;
    "noupdate" Yes;
    "section" InPart;
    "hostdata" Yes;
    "advancedload" Yes;
    "delegatedstore" Yes;
    "mirror" Yes;
};

/// The clauses of `#pragma hmppcg`.
pub const LOOP_CLAUSES: &[Name] = names! {
    "blocksize" Yes;
    "private" Yes;
    "reduce" Yes;
    "global" Hint;
    "shared" Hint;
    "const" Hint;
    "contiguous" Yes;
    "split" InPart;
    "jam" Yes;
    "guarded" Yes;
    "noremainder" Yes;
};

/// The entry of a word, whatever its case.
pub(super) fn find(table: &'static [Name], word: &str) -> Option<&'static Name> {
    table.iter().find(|name| name.spelling.eq_ignore_ascii_case(word))
}
