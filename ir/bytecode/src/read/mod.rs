//! Reading. [`Reader`] holds what the file's tables are; its methods are split over this folder, and over `builtin`, by
//! subject. Nothing that a file says is believed before there are bytes for it.

use gpuc_ir::context::OpName;
use gpuc_ir::{Ident, Ir, Op, OpState};

use crate::bytes::{Cursor, Damage, Result, utf8};
use crate::{MAGIC, NEWEST_VERSION, section, version};

mod entries;
mod operations;
mod properties;
mod resources;

use entries::Entries;

/// What is known of a file. See the [module](self).
pub(crate) struct Reader<'r, 'f> {
    pub ir: &'r mut Ir,
    version: u64,
    strings: Vec<Ident>,
    dialects: Vec<Ident>,
    op_names: Vec<Name>,
    attrs: Entries<'f, gpuc_ir::Attr>,
    types: Entries<'f, gpuc_ir::Type>,
    /// How deep the entry being read is in others.
    depth: u32,
    /// Keys of dense resources.
    resources: Vec<Ident>,
    /// The properties of operations, in bytes of their own.
    properties: Vec<Cursor<'f>>,
    /// The operation of a value that is used ahead of its definition; made when there is one.
    scopes: Vec<operations::Scope>,
}

/// A name of an operation.
#[derive(Clone, Copy)]
struct Name {
    name: OpName,
    /// Whether the writer knew more of it than the name; in older files it is not said.
    was_registered: bool,
}

/// See [`crate::read()`].
pub(crate) fn read(ir: &mut Ir, contents: &[u8], file: &str, implicit_module: bool) -> Result<Op> {
    let mut cursor = Cursor::new(contents);
    if cursor.bytes(MAGIC.len() as u64).ok() != Some(&MAGIC) {
        return Err(Damage::new(0, "this is no bytecode"));
    }
    let at = cursor.at();
    let version = cursor.number()?;
    if version > NEWEST_VERSION {
        let message = format!("version {version} of the format is not known");
        let help = format!(
            "versions up to {NEWEST_VERSION} are; mlir-opt writes one with --emit-bytecode-version"
        );
        return Err(Damage::new(at, message).help(help));
    }
    cursor.terminated()?;
    let mut sections = [None; section::NAMES.len()];
    while !cursor.is_empty() {
        let at = cursor.at();
        let (id, contents) = cursor.section()?;
        if sections[usize::from(id)].replace(contents).is_some() {
            let name = section::NAMES[usize::from(id)];
            return Err(Damage::new(at, format!("the section of {name} is there twice")));
        }
    }
    let needed = |id: u8| {
        let missing = || {
            let name = section::NAMES[usize::from(id)];
            Damage::new(contents.len(), format!("the section of {name} is missing"))
        };
        sections[usize::from(id)].ok_or_else(missing)
    };
    let mut reader = Reader {
        ir,
        version,
        strings: Vec::new(),
        dialects: Vec::new(),
        op_names: Vec::new(),
        attrs: Entries::default(),
        types: Entries::default(),
        depth: 0,
        resources: Vec::new(),
        properties: Vec::new(),
        scopes: Vec::new(),
    };
    reader.read_strings(needed(section::STRINGS)?)?;
    reader.read_dialects(needed(section::DIALECTS)?)?;
    reader.read_entries(needed(section::ENTRY_SIZES)?, needed(section::ENTRIES)?)?;
    if version >= version::PROPERTIES {
        reader.read_properties(needed(section::PROPERTIES)?)?;
    }
    if let Some(sizes) = sections[usize::from(section::RESOURCE_SIZES)] {
        reader.read_resources(sizes, needed(section::RESOURCES)?)?;
    }
    let body = needed(section::OPERATIONS)?;
    let at = body.at();
    let (region, block) = reader.top(body)?;
    let first = reader.ir.first_op(block);
    let lone = first.filter(|&op| reader.ir.next_op(op).is_none());
    if let Some(op) = lone
        && (!implicit_module || reader.ir.name(op) == "builtin.module")
    {
        reader.ir.detach_op(op);
        return Ok(op);
    }
    if !implicit_module {
        let count = reader.ir.ops(block).count();
        return Err(Damage::new(
            at,
            format!("source must contain a single top-level operation, found: {count}"),
        ));
    }
    let name = reader.ir.ctx.op_name("builtin.module");
    let file = reader.ir.ctx.ident(file);
    let location = reader.ir.ctx.file_location(file, 1, 1);
    let mut state = OpState::new(name, location);
    state.regions.push(region);
    Ok(reader.ir.create_op(state))
}

impl<'f> Reader<'_, 'f> {
    /// The lengths come first, and of the last string first.
    fn read_strings(&mut self, mut cursor: Cursor<'f>) -> Result<()> {
        let count = cursor.count()?;
        let mut lengths = (0..count).map(|_| cursor.number()).collect::<Result<Vec<_>>>()?;
        lengths.reverse();
        for length in lengths {
            let at = cursor.at();
            let [text @ .., 0] = cursor.bytes(length)? else {
                return Err(Damage::new(at, "a string does not end in a zero byte"));
            };
            let text = utf8(at, text)?;
            self.strings.push(self.ir.ctx.ident(text));
        }
        expect_end(&cursor)
    }

    fn read_dialects(&mut self, mut cursor: Cursor<'f>) -> Result<()> {
        for _ in 0..cursor.count()? {
            let at = cursor.at();
            let (name, has_version) = match self.version >= version::DIALECT_VERSIONS {
                true => cursor.flagged()?,
                false => (cursor.number()?, false),
            };
            let name = entry(at, &self.strings, name, "string")?;
            self.dialects.push(name);
            // What a dialect says of itself is for its own readers. Upstream's builtin says nothing.
            if has_version && cursor.section()?.0 != section::DIALECT_VERSIONS {
                return Err(Damage::new(at, "the version of a dialect is no section of its kind"));
            }
        }
        if self.version >= version::NO_UNKNOWN_LOCATIONS {
            cursor.count()?;
        }
        while !cursor.is_empty() {
            let at = cursor.at();
            let dialect = cursor.number()?;
            let dialect = entry(at, &self.dialects, dialect, "dialect")?;
            for _ in 0..cursor.count()? {
                let at = cursor.at();
                let (text, was_registered) = match self.version >= version::PROPERTIES {
                    true => cursor.flagged()?,
                    false => (cursor.number()?, false),
                };
                let text = entry(at, &self.strings, text, "string")?;
                let full = match (self.ir.ctx.str(dialect), self.ir.ctx.str(text)) {
                    (dialect, "") => dialect.to_owned(),
                    (dialect, text) => format!("{dialect}.{text}"),
                };
                let name = self.ir.ctx.op_name(&full);
                self.op_names.push(Name { name, was_registered });
            }
        }
        Ok(())
    }

    /// A string by its number.
    pub(crate) fn string(&mut self, cursor: &mut Cursor<'f>) -> Result<Ident> {
        let at = cursor.at();
        let number = cursor.number()?;
        entry(at, &self.strings, number, "string")
    }
}

/// Entry `number` of a table, named at `at`.
fn entry<T: Copy>(at: usize, table: &[T], number: u64, what: &str) -> Result<T> {
    let entry = usize::try_from(number).ok().and_then(|number| table.get(number));
    entry.copied().ok_or_else(|| {
        Damage::new(at, format!("{what} {number} is named, of {} that there are", table.len()))
    })
}

/// Stops where something is left.
fn expect_end(cursor: &Cursor<'_>) -> Result<()> {
    match cursor.remaining() {
        0 => Ok(()),
        left => cursor.fail(format!("{left} bytes are left behind what was read")),
    }
}
