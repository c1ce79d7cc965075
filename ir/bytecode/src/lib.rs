//! MLIR's bytecode, read and written: the binary form of what [`gpuc_ir::text`] reads and writes as text. What `mlir-opt` 19
//! writes is read here, and the other way round, in every version of the format that it knows (0 to 6).
//!
//! A file is the magic number, a version, the producer's name, and sections. Strings, attributes, types and names of
//! operations stand in tables; operations name them by their numbers. Types and attributes have an encoding of the
//! dialect that they are of, or are their text: `builtin`'s encodings are in `builtin`, every other dialect's types and
//! attributes are text, as upstream's are.
//!
//! | module | holds |
//! |---|---|
//! | `bytes` | numbers of variable length, and a cursor that knows where in the file it is |
//! | `builtin` | encodings of the builtin dialect: codes, and what stands behind each |
//! | `read` | [`read()`]: sections, tables, properties, operations |
//! | `write` | [`write()`]: numbering, then the same in the other direction |
//!
//! From version 5 on operations may hold what their declaration names as *properties*, a list without names in the order
//! of the names. They are read by the declarations of ours, which have upstream's attributes. They are not written: all
//! attributes stand in the dictionary, as in older versions, which upstream's reader takes in any version.
//!
//! Orders of use lists mean nothing here: they are skipped, and not written.

use gpuc_diagnostics::{Diagnostic, Place};
use gpuc_ir::{Ir, Op};

mod builtin;
mod bytes;
mod read;
mod write;

pub use write::write;

/// What a bytecode file begins with.
const MAGIC: [u8; 4] = *b"ML\xefR";

/// The newest version of the format, which is written unless another is asked for.
pub const NEWEST_VERSION: u64 = 6;

/// Versions in which something was added to the format.
mod version {
    /// Dialects have versions.
    pub const DIALECT_VERSIONS: u64 = 1;
    /// Regions of isolated operations are sections.
    pub const LAZY_REGIONS: u64 = 2;
    /// Orders of use lists.
    pub const USE_LISTS: u64 = 3;
    /// Unknown locations of block arguments are left out.
    pub const NO_UNKNOWN_LOCATIONS: u64 = 4;
    /// Properties are encoded by themselves.
    pub const PROPERTIES: u64 = 5;
    /// So are the sizes of operand and result groups.
    pub const SEGMENT_SIZES: u64 = 6;
}

/// Numbers of the sections.
mod section {
    pub const STRINGS: u8 = 0;
    pub const DIALECTS: u8 = 1;
    pub const ENTRIES: u8 = 2;
    pub const ENTRY_SIZES: u8 = 3;
    pub const OPERATIONS: u8 = 4;
    pub const RESOURCES: u8 = 5;
    pub const RESOURCE_SIZES: u8 = 6;
    pub const DIALECT_VERSIONS: u8 = 7;
    pub const PROPERTIES: u8 = 8;

    /// What the sections are called in messages.
    pub const NAMES: [&str; 9] = [
        "strings",
        "dialects",
        "attributes and types",
        "sizes of attributes and types",
        "operations",
        "resources",
        "sizes of resources",
        "dialect versions",
        "properties",
    ];
}

/// What an operation has, as bits of its mask.
mod has {
    pub const ATTRIBUTES: u8 = 1;
    pub const RESULTS: u8 = 2;
    pub const OPERANDS: u8 = 4;
    pub const SUCCESSORS: u8 = 8;
    pub const REGIONS: u8 = 16;
    pub const USE_LISTS: u8 = 32;
    pub const PROPERTIES: u8 = 64;
    pub const KNOWN: u8 = 127;
}

/// Kinds of resources.
mod resource {
    pub const BLOB: u8 = 0;
    pub const BOOL: u8 = 1;
    pub const STRING: u8 = 2;
}

/// What padding is made of.
const PADDING: u8 = 0xCB;

/// Whether the contents of a file are bytecode.
pub fn is_bytecode(contents: &[u8]) -> bool {
    contents.starts_with(&MAGIC)
}

/// Reads a bytecode file. One top-level `builtin.module` is returned as it is; anything else is put into a new one where
/// `implicit_module` is set, and has to be one operation where it is not. The place of an error is line 1, and the column
/// is that of the byte, from 1.
///
/// What comes back is not verified, as what is read of a text is not.
pub fn read(
    ir: &mut Ir,
    contents: &[u8],
    file: &str,
    implicit_module: bool,
) -> Result<Op, Diagnostic> {
    read::read(ir, contents, file, implicit_module).map_err(|damage| {
        let column = u32::try_from(damage.at + 1).unwrap_or(u32::MAX);
        let message = format!("{}, at byte {} of the bytecode", damage.message, damage.at);
        let mut diagnostic = Diagnostic::error(message).at(Place::new(file, 1, column, 1));
        diagnostic.help.extend(damage.help);
        diagnostic
    })
}
