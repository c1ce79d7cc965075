//! Writing. Attributes, types and names of operations are numbered in a first walk, because those that are named most are
//! to have the smallest numbers; then everything is written.

use gpuc_ir::op::Traits;
use gpuc_ir::{Block, Ir, Op, Region, Value};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::bytes::Bytes;
use crate::{MAGIC, has, resource, section, version};

mod table;

pub(crate) use table::{Encoded, Piece, Table};

/// An operation with everything in it as a bytecode file of a version, at most [`crate::NEWEST_VERSION`].
pub fn write(ir: &Ir, op: Op, version: u64) -> Vec<u8> {
    let mut numbers = Numbers {
        table: Table::new(ir),
        values: vec![0; ir.value_capacity()],
        blocks: FxHashMap::default(),
    };
    numbers.op(op, 0);
    numbers.table.finish();
    let Numbers { table, values, blocks } = numbers;

    let mut strings = Strings::default();
    let dialects = dialects(&table, &mut strings, version);
    let (entries, sizes) = table.entries(&mut strings);
    let mut body = Bytes::default();
    body.flagged(1, false);
    Operations { ir, table: &table, values: &values, blocks: &blocks, version }.op(&mut body, op);
    let resources = resources(&table, &mut strings);

    let mut out = Bytes::default();
    out.bytes(&MAGIC);
    out.number(version);
    out.bytes(concat!("gpuc", env!("CARGO_PKG_VERSION"), "\0").as_bytes());
    out.section(section::DIALECTS, &dialects);
    out.section(section::ENTRY_SIZES, &sizes);
    out.section(section::ENTRIES, &entries);
    out.section(section::OPERATIONS, &body);
    if let Some(Resources { contents, sizes, alignment }) = resources {
        out.section(section::RESOURCE_SIZES, &sizes);
        out.aligned_section(section::RESOURCES, &contents, alignment);
    }
    out.section(section::STRINGS, &strings.section());
    if version >= version::PROPERTIES {
        let mut none = Bytes::default();
        none.number(0);
        out.section(section::PROPERTIES, &none);
    }
    out.0
}

/// The table of strings.
#[derive(Default)]
pub(crate) struct Strings<'s>(IndexSet<&'s str>);

impl<'s> Strings<'s> {
    pub fn number(&mut self, text: &'s str) -> u64 {
        self.0.insert_full(text).0 as u64
    }

    /// The lengths come first, and of the last string first.
    fn section(&self) -> Bytes {
        let mut out = Bytes::default();
        out.number(self.0.len() as u64);
        self.0.iter().rev().for_each(|text| out.number(text.len() as u64 + 1));
        for text in &self.0 {
            out.bytes(text.as_bytes());
            out.byte(0);
        }
        out
    }
}

/// Names of dialects and operations.
fn dialects<'t>(table: &'t Table<'_>, strings: &mut Strings<'t>, version: u64) -> Bytes {
    let mut out = Bytes::default();
    out.number(table.dialects().len() as u64);
    for dialect in table.dialects() {
        let name = strings.number(dialect);
        match version >= version::DIALECT_VERSIONS {
            true => out.flagged(name, false),
            false => out.number(name),
        }
    }
    if version >= version::NO_UNKNOWN_LOCATIONS {
        out.number(table.op_names().len() as u64);
    }
    for group in table::groups(table.op_names(), |name| name.dialect) {
        out.number(group[0].dialect);
        out.number(group.len() as u64);
        for name in group {
            let number = strings.number(&name.text);
            match version >= version::PROPERTIES {
                true => out.flagged(number, name.is_registered),
                false => out.number(number),
            }
        }
    }
    out
}

/// The first walk.
struct Numbers<'ir> {
    table: Table<'ir>,
    /// Of each value, by its key.
    values: Vec<u32>,
    /// Of each block in its region.
    blocks: FxHashMap<Block, u64>,
}

impl Numbers<'_> {
    /// Numbers the values of a region, its blocks one after the other, and then those of the regions in it, each from
    /// there on: values of regions that do not see each other have the same numbers.
    fn op(&mut self, op: Op, next: u32) {
        let ir = self.table.ir();
        self.table.count_op(op);
        let first = if is_isolated(ir, op) { 0 } else { next };
        for &region in ir.regions(op) {
            let mut next = first;
            for (number, &block) in ir.blocks(region).iter().enumerate() {
                self.blocks.insert(block, number as u64);
                self.table.count_arguments(block);
                self.define(ir.arguments(block), &mut next);
                ir.ops(block).for_each(|op| self.define(ir.results(op), &mut next));
            }
            for &block in ir.blocks(region) {
                ir.ops(block).for_each(|op| self.op(op, next));
            }
        }
    }

    fn define(&mut self, values: &[Value], next: &mut u32) {
        for &value in values {
            self.values[value.as_u32() as usize] = *next;
            *next += 1;
        }
    }
}

/// Whether nothing in the operation's regions names a value outside, so that values are numbered anew there.
fn is_isolated(ir: &Ir, op: Op) -> bool {
    ir.has_trait(op, Traits::ISOLATED_FROM_ABOVE)
}

/// The writer of operations.
struct Operations<'w> {
    ir: &'w Ir,
    table: &'w Table<'w>,
    values: &'w [u32],
    blocks: &'w FxHashMap<Block, u64>,
    version: u64,
}

impl Operations<'_> {
    fn op(&self, out: &mut Bytes, op: Op) {
        let ir = self.ir;
        out.number(self.table.op_name(ir.op_name(op)));
        let attrs = ir.attrs(op);
        let successors = ir.successors(op);
        let regions = ir.regions(op);
        let parts = [
            (has::ATTRIBUTES, !ir.ctx.dict_entries(attrs).is_empty()),
            (has::RESULTS, !ir.results(op).is_empty()),
            (has::OPERANDS, ir.operand_count(op) > 0),
            (has::SUCCESSORS, !successors.is_empty()),
            (has::REGIONS, !regions.is_empty()),
        ];
        out.byte(parts.iter().filter(|part| part.1).map(|part| part.0).sum());
        out.number(self.table.location_number(ir.location(op)));
        if parts[0].1 {
            out.number(self.table.dict_number(attrs));
        }
        if parts[1].1 {
            out.number(ir.results(op).len() as u64);
            ir.result_types(op).for_each(|ty| out.number(self.table.type_number(ty)));
        }
        if parts[2].1 {
            out.number(ir.operand_count(op) as u64);
            let number = |value: Value| self.values[value.as_u32() as usize].into();
            ir.operands(op).for_each(|value| out.number(number(value)));
        }
        if parts[3].1 {
            out.number(successors.len() as u64);
            successors.iter().for_each(|block| out.number(self.blocks[block]));
        }
        if parts[4].1 {
            let is_isolated = is_isolated(ir, op);
            out.flagged(regions.len() as u64, is_isolated);
            if is_isolated && self.version >= version::LAZY_REGIONS {
                let mut inner = Bytes::default();
                regions.iter().for_each(|&region| self.region(&mut inner, region));
                out.section(section::OPERATIONS, &inner);
            } else {
                regions.iter().for_each(|&region| self.region(out, region));
            }
        }
    }

    fn region(&self, out: &mut Bytes, region: Region) {
        let ir = self.ir;
        let blocks = ir.blocks(region);
        out.number(blocks.len() as u64);
        if blocks.is_empty() {
            return;
        }
        let values = blocks.iter().map(|&block| {
            let results: usize = ir.ops(block).map(|op| ir.results(op).len()).sum();
            ir.arguments(block).len() + results
        });
        out.number(values.sum::<usize>() as u64);
        blocks.iter().for_each(|&block| self.block(out, block));
    }

    fn block(&self, out: &mut Bytes, block: Block) {
        let ir = self.ir;
        let arguments = ir.arguments(block);
        out.flagged(ir.ops(block).count() as u64, !arguments.is_empty());
        if !arguments.is_empty() {
            out.number(arguments.len() as u64);
            for (&argument, &location) in arguments.iter().zip(ir.argument_locations(block)) {
                let ty = self.table.type_number(ir.ty(argument));
                let is_known = table::is_known(ir, location);
                let elides = self.version >= version::NO_UNKNOWN_LOCATIONS;
                if elides {
                    out.flagged(ty, is_known);
                } else {
                    out.number(ty);
                }
                if is_known || !elides {
                    out.number(self.table.location_number(location));
                }
            }
            if self.version >= version::USE_LISTS {
                out.byte(0);
            }
        }
        ir.ops(block).for_each(|op| self.op(out, op));
    }
}

/// The sections of resources.
struct Resources {
    contents: Bytes,
    sizes: Bytes,
    /// A multiple of this is where the contents have to stand.
    alignment: usize,
}

/// What stands in a text's metadata: resources of tools, and the bytes of dense resources.
fn resources<'t>(table: &'t Table<'_>, strings: &mut Strings<'t>) -> Option<Resources> {
    let external = table.ir().ctx.external_resources();
    let keys = table.resources();
    if external.is_empty() && keys.is_empty() {
        return None;
    }
    let (mut contents, mut sizes) = (Bytes::default(), Bytes::default());
    let mut alignment = 1;
    let mut names: IndexSet<&str> = IndexSet::new();
    names.extend(external.iter().map(|each| each.group.as_str()));
    sizes.number(names.len() as u64);
    for name in names {
        let group: Vec<_> = external.iter().filter(|each| each.group == name).collect();
        sizes.number(strings.number(name));
        sizes.number(group.len() as u64);
        for each in group {
            let start = contents.0.len();
            let kind = match each.value.as_str() {
                text @ ("true" | "false") if !each.quoted => {
                    contents.byte((text == "true").into());
                    resource::BOOL
                }
                text => {
                    contents.number(strings.number(text));
                    resource::STRING
                }
            };
            sizes.number(strings.number(&each.key));
            sizes.number((contents.0.len() - start) as u64);
            sizes.byte(kind);
        }
    }
    if !keys.is_empty() {
        sizes.number(table.dialect("builtin"));
        sizes.number(keys.len() as u64);
    }
    for &key in keys {
        let start = contents.0.len();
        // A key without bytes is a declaration, as in a text without metadata.
        if let Some((wanted, bytes)) = table.ir().ctx.blob(key).and_then(blob) {
            contents.number(wanted as u64);
            contents.number(bytes.len() as u64);
            contents.align(wanted);
            contents.bytes(&bytes);
            alignment = alignment.max(wanted);
        }
        sizes.number(strings.number(table.ir().ctx.str(key)));
        sizes.number((contents.0.len() - start) as u64);
        sizes.byte(resource::BLOB);
    }
    Some(Resources { contents, sizes, alignment })
}

/// Alignment and bytes that digits say; `None` where they say none.
fn blob(digits: &str) -> Option<(usize, Vec<u8>)> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(pair).collect::<Option<_>>()?;
    let (alignment, bytes) = bytes.split_first_chunk::<4>()?;
    let alignment = u32::from_le_bytes(*alignment) as usize;
    alignment.is_power_of_two().then(|| (alignment, bytes.to_vec()))
}
