//! What a dependence is.

use super::super::access::Access;

/// Which access is of which kind in a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependenceKind {
    /// A later iteration reads what an earlier one writes.
    Flow,
    /// A later iteration overwrites what an earlier one reads.
    Anti,
    /// Both write.
    Output,
    /// Both read: no dependence that anything has to wait for, but reuse.
    Input,
}

impl DependenceKind {
    /// The kind of a dependence from one access to another.
    pub fn between(source: &Access, sink: &Access) -> DependenceKind {
        match (source.writes(), sink.writes()) {
            (true, true) => DependenceKind::Output,
            (true, false) => DependenceKind::Flow,
            (false, true) => DependenceKind::Anti,
            (false, false) => DependenceKind::Input,
        }
    }
}

/// Two accesses that a loop may not run in parallel for.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// The access of the earlier iteration.
    pub source: Access,
    /// The access of the later iteration.
    pub sink: Access,
    /// What they do.
    pub kind: DependenceKind,
    /// How sure it is.
    pub certainty: Certainty,
}

/// How sure a dependence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It may be there; nothing shows that it is not.
    May,
    /// It is there for some values of what is not known, so many iterations apart where that is one
    /// number.
    ForSome(Option<i64>),
    /// It is there as soon as the loop runs that often.
    Must(Option<i64>),
}
