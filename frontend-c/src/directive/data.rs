//! What directives say of data, in no family's words.

use super::VarRef;

/// A variable, member or section that a clause maps or moves.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// How.
    pub kind: MappingKind,
    /// What else is said of it.
    pub flags: DataFlags,
    /// What.
    pub var: VarRef,
}

/// Memory that a directive names by where it is.
#[derive(Clone, Debug)]
pub struct Memory {
    /// How it is mapped or moved.
    pub kind: MappingKind,
    /// What else is said of it.
    pub flags: DataFlags,
    /// As messages call it.
    pub name: String,
    /// Where it begins: a pointer, as a C expression of the place.
    pub first: String,
    /// Its length in bytes, in the same way.
    pub bytes: String,
}

/// How variables in no clause are mapped, where the family's rules are not meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Implicit {
    /// Scalars.
    pub scalars: Option<MappingKind>,
    /// Arrays and structures.
    pub aggregates: Option<MappingKind>,
}

/// What is said of data that is in no clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultData {
    /// Every array must be named in a data clause.
    None,
    /// Arrays that are not named are present.
    Present,
}

/// What clauses say of data besides its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DataFlags {
    /// Of a nest that the compiler found.
    pub nest: bool,
    /// Leaves the device with the nest.
    pub leaves: bool,
    /// The program says that a nest reads it.
    pub said_read: bool,
    /// The last one to leave, whoever else came.
    pub finalize: bool,
    /// Left out where it is not present.
    pub if_present: bool,
    /// Counted with all others that hold it, so that whoever says so ends it for all.
    pub one_count: bool,
    /// Zeroed where it is new.
    pub zero: bool,
    /// Copied also where it is present already, or still is.
    pub always: bool,
    /// Nothing writes to it while the construct runs, by whatever name.
    pub readonly: bool,
    /// A pointer variable itself, not what it points to.
    pub itself: bool,
    /// Must be there already, whatever else is asked for.
    pub required: bool,
    /// Stays until its owner lets go of it.
    pub kept: bool,
    /// Copied in only where it has not been since it is there.
    pub first: bool,
    /// All that is there of what the address belongs to.
    pub whole: bool,
    /// The argument of the function around it that it is: a call that is sent may move it otherwise.
    pub argument: Option<u32>,
}

/// How data is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the clause of its name")]
pub enum MappingKind {
    Copy,
    CopyIn,
    CopyOut,
    Create,
    NoCreate,
    Present,
    Delete,
    DevicePtr,
    Attach,
    Detach,
    UseDevice,
    UpdateHost,
    UpdateDevice,
    /// The host's values, in memory of the construct's own.
    FirstPrivate,
    /// A copy that the program did not write.
    ImplicitCopy,
    /// A copy to the device of a constant that the program did not write.
    ImplicitCopyIn,
    /// Something that must be there, though no clause names it.
    ImplicitPresent,
    /// As much of what a pointer points to as the region touches, which the program did not write.
    ImplicitSection,
}

impl MappingKind {
    /// Whether the variable is, or comes to be, on the device by it.
    pub(crate) fn maps(self) -> bool {
        !matches!(self, MappingKind::Attach | MappingKind::Detach | MappingKind::UseDevice)
    }

    /// What does as much as both; `None` for kinds that do not bring data in.
    pub(crate) fn united(self, other: MappingKind) -> Option<MappingKind> {
        use MappingKind::{Copy, CopyIn, CopyOut, Create};
        Some(match (self, other) {
            (Copy, Copy | CopyIn | CopyOut | Create) | (CopyIn | CopyOut | Create, Copy) => Copy,
            (CopyIn, CopyOut) | (CopyOut, CopyIn) => Copy,
            (CopyIn, CopyIn | Create) | (Create, CopyIn) => CopyIn,
            (CopyOut, CopyOut | Create) | (Create, CopyOut) => CopyOut,
            (Create, Create) => Create,
            _ => return None,
        })
    }

    /// The clause's name, as the attribute `offload.map` has it.
    pub fn keyword(self) -> &'static str {
        match self {
            MappingKind::Copy | MappingKind::ImplicitCopy => "copy",
            MappingKind::CopyIn | MappingKind::ImplicitCopyIn => "copyin",
            MappingKind::CopyOut => "copyout",
            MappingKind::Create => "create",
            MappingKind::NoCreate => "no_create",
            MappingKind::Present | MappingKind::ImplicitPresent => "present",
            MappingKind::ImplicitSection => gpuc_dialects::offload::MAP_SECTION,
            MappingKind::Delete => "delete",
            MappingKind::DevicePtr => "deviceptr",
            MappingKind::FirstPrivate => "firstprivate",
            MappingKind::Attach => "attach",
            MappingKind::Detach => "detach",
            MappingKind::UseDevice => "use_device",
            MappingKind::UpdateHost => "self",
            MappingKind::UpdateDevice => "device",
        }
    }
}
