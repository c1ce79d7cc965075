//! Operations, blocks, regions, and the values that they define.

use gpuc_ir::text::DEPTH_LIMIT;
use gpuc_ir::{AttrKind, Block, Location, OpState, Region, Type, Value};

use super::{Reader, entry};
use crate::bytes::{Cursor, Damage, Result};
use crate::{has, section, version};

/// The values that are named by number inside an operation that is isolated from above.
#[derive(Default)]
pub(super) struct Scope {
    values: Vec<Named>,
}

#[derive(Clone, Copy)]
enum Named {
    Nothing,
    Value(Value),
    /// Used at a place of the file ahead of its definition.
    Ahead(Value, usize),
}

/// The region being read.
struct Frame {
    blocks: Vec<Block>,
    /// The number of the next value that it defines, and that behind its last one.
    next: usize,
    end: usize,
    depth: u32,
}

impl<'f> Reader<'_, 'f> {
    /// The region and block of the operations at the top.
    pub(super) fn top(&mut self, mut cursor: Cursor<'f>) -> Result<(Region, Block)> {
        let region = self.ir.create_region();
        let block = self.ir.append_new_block(region, &[], Location::UNKNOWN);
        self.scopes.push(Scope::default());
        let mut frame = Frame { blocks: vec![block], next: 0, end: 0, depth: 0 };
        self.block(&mut cursor, block, &mut frame)?;
        super::expect_end(&cursor)?;
        Ok((region, block))
    }

    fn region(&mut self, cursor: &mut Cursor<'f>, region: Region, depth: u32) -> Result<()> {
        let at = cursor.at();
        if depth > DEPTH_LIMIT {
            return Err(Damage::new(at, format!("nested deeper than {DEPTH_LIMIT} levels")));
        }
        let count = cursor.count()?;
        if count == 0 {
            return Ok(());
        }
        // Each value takes the byte that says its type.
        let values = cursor.count()?;
        let blocks = (0..count).map(|_| self.ir.append_new_block(region, &[], Location::UNKNOWN));
        let blocks: Vec<Block> = blocks.collect();
        let first = self.scope().len();
        let end = first + values;
        self.scope().resize(end, Named::Nothing);
        let mut frame = Frame { blocks, next: first, end, depth };
        for index in 0..count {
            let block = frame.blocks[index];
            self.block(cursor, block, &mut frame)?;
        }
        let ahead = self.scope()[first..].iter().find_map(|named| match *named {
            Named::Ahead(_, at) => Some(at),
            _ => None,
        });
        if let Some(at) = ahead {
            return Err(Damage::new(at, "a value is used that nothing defines"));
        }
        self.scope().truncate(first);
        Ok(())
    }

    fn scope(&mut self) -> &mut Vec<Named> {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last].values
    }

    fn block(&mut self, cursor: &mut Cursor<'f>, block: Block, frame: &mut Frame) -> Result<()> {
        let at = cursor.at();
        let (count, has_arguments) = cursor.flagged()?;
        // An operation takes three bytes at least.
        let count = cursor.fits(at, count)?;
        if has_arguments {
            for _ in 0..cursor.count()? {
                let (ty, location) = self.argument(cursor)?;
                let at = cursor.at();
                let value = self.ir.add_argument(block, ty, location);
                self.define(at, &[value], frame)?;
            }
            if self.version >= version::USE_LISTS && cursor.byte()? != 0 {
                let count = self.ir.arguments(block).len();
                skip_use_lists(cursor, count)?;
            }
        }
        for _ in 0..count {
            self.op(cursor, block, frame)?;
        }
        Ok(())
    }

    fn argument(&mut self, cursor: &mut Cursor<'f>) -> Result<(Type, Location)> {
        let at = cursor.at();
        if self.version < version::NO_UNKNOWN_LOCATIONS {
            return Ok((self.ty(cursor)?, self.location(cursor)?));
        }
        let (ty, has_location) = cursor.flagged()?;
        let ty = self.type_at(at, ty)?;
        let location = match has_location {
            true => self.location(cursor)?,
            false => Location::UNKNOWN,
        };
        Ok((ty, location))
    }

    fn op(&mut self, cursor: &mut Cursor<'f>, block: Block, frame: &mut Frame) -> Result<()> {
        let start = cursor.at();
        let name = cursor.number()?;
        let name = entry(start, &self.op_names, name, "operation name")?;
        let mask = cursor.byte()?;
        if mask & !has::KNOWN != 0 {
            return Err(Damage::new(start, format!("an operation has parts {mask:#b}")));
        }
        let mut state = OpState::new(name.name, self.location(cursor)?);
        if mask & has::ATTRIBUTES != 0 {
            let at = cursor.at();
            let attr = self.attr(cursor)?;
            let AttrKind::Dict(dict) = *self.ir.ctx.attr_kind(attr) else {
                return Err(Damage::new(at, "the attributes of an operation are no dictionary"));
            };
            state.attrs.extend_from_slice(self.ir.ctx.dict_entries(dict));
        }
        if mask & has::PROPERTIES != 0 {
            self.properties(cursor, name, &mut state)?;
        }
        if let Some(def) = self.ir.ctx.op_def(name.name) {
            gpuc_ir::op::settle_attrs(&mut self.ir.ctx, def, &mut state.attrs);
        }
        if mask & has::RESULTS != 0 {
            for _ in 0..cursor.count()? {
                state.results.push(self.ty(cursor)?);
            }
        }
        if mask & has::OPERANDS != 0 {
            for _ in 0..cursor.count()? {
                state.operands.push(self.operand(cursor)?);
            }
        }
        if mask & has::SUCCESSORS != 0 {
            for _ in 0..cursor.count()? {
                let at = cursor.at();
                let number = cursor.number()?;
                state.successors.push(entry(at, &frame.blocks, number, "block")?);
            }
        }
        if mask & has::USE_LISTS != 0 {
            skip_use_lists(cursor, state.results.len())?;
        }
        let mut is_isolated = false;
        if mask & has::REGIONS != 0 {
            let at = cursor.at();
            let (count, isolated) = cursor.flagged()?;
            is_isolated = isolated;
            for _ in 0..cursor.fits(at, count)? {
                state.regions.push(self.ir.create_region());
            }
        }
        let regions = state.regions.clone();
        let op = self.ir.create_op(state);
        self.ir.append_op(block, op);
        // At the top no value is named by another operation, and none has a number.
        if frame.depth > 0 {
            let results = self.ir.results(op).to_vec();
            self.define(start, &results, frame)?;
        }
        if regions.is_empty() {
            return Ok(());
        }
        let depth = frame.depth + 1;
        if !is_isolated {
            return regions.iter().try_for_each(|&region| self.region(cursor, region, depth));
        }
        self.scopes.push(Scope::default());
        if self.version >= version::LAZY_REGIONS {
            let at = cursor.at();
            let (id, mut inner) = cursor.section()?;
            if id != section::OPERATIONS {
                return Err(Damage::new(at, "isolated regions are no section of operations"));
            }
            regions.iter().try_for_each(|&region| self.region(&mut inner, region, depth))?;
            super::expect_end(&inner)?;
        } else {
            regions.iter().try_for_each(|&region| self.region(cursor, region, depth))?;
        }
        self.scopes.pop();
        Ok(())
    }

    /// A value by its number; a stand-in for one that is not defined yet.
    fn operand(&mut self, cursor: &mut Cursor<'f>) -> Result<Value> {
        let at = cursor.at();
        let number = cursor.number()?;
        let named = entry(at, self.scope(), number, "value")?;
        Ok(match named {
            Named::Value(value) | Named::Ahead(value, _) => value,
            Named::Nothing => {
                let none = self.ir.ctx.none();
                let block = self.ir.create_block(&[none], Location::UNKNOWN);
                let value = self.ir.arguments(block)[0];
                self.scope()[number as usize] = Named::Ahead(value, at);
                value
            }
        })
    }

    /// Gives values the next numbers of their region.
    fn define(&mut self, at: usize, values: &[Value], frame: &mut Frame) -> Result<()> {
        for &value in values {
            if frame.next == frame.end {
                return Err(Damage::new(at, "a region defines more values than announced"));
            }
            let index = frame.next;
            frame.next += 1;
            if let Named::Ahead(stand_in, _) =
                std::mem::replace(&mut self.scope()[index], Named::Value(value))
            {
                self.ir.replace_all_uses(stand_in, value);
            }
        }
        Ok(())
    }
}

/// In which order the users of values stand in a list says nothing here.
fn skip_use_lists(cursor: &mut Cursor<'_>, values: usize) -> Result<()> {
    let lists = match values {
        1 => 1,
        _ => cursor.count()?,
    };
    for _ in 0..lists {
        if values != 1 {
            cursor.number()?;
        }
        let at = cursor.at();
        let (count, _) = cursor.flagged()?;
        for _ in 0..cursor.fits(at, count)? {
            cursor.number()?;
        }
    }
    Ok(())
}
