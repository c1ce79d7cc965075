//! Arrays with run-time extents, `a[n][m]`: their rows stay rows.
//!
//! The buffer of such an array has one dimension, and a position in it is a number of elements, which any
//! pointer into it can be. An access that names every subscript, `a[i][j]`, is to a view of the buffer in rows of the
//! declared extents, made once at the start of the region: `j` is a column whatever it is, since one beyond the row would
//! be undefined (C11 §6.5.6 ¶8). An array that is also accessed otherwise, by a pointer to one of its rows, say, keeps
//! one subscript everywhere: accesses that are written in two ways would be taken to be to the same elements.

use gpuc_dialects::memref;
use gpuc_ir::{Block, InsertPoint, Op, OpView, Value, ValueDef};
use smallvec::{SmallVec, smallvec};

use super::extent::keeps_value;
use super::lowerer::{Failure, Lowerer, Lowering};
use super::place::{Form, Pointer};
use crate::types::{ArraySize, Type};

/// The subscripts along which a pointer was moved from the start of an array.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Extents of all dimensions but the first.
    extents: SmallVec<[ArraySize; 2]>,
    /// Those that there are so far, outermost first.
    subscripts: SmallVec<[Value; 2]>,
}

/// A buffer seen in rows.
#[derive(Clone, Debug)]
pub(super) struct RowView {
    memref: Value,
    extents: SmallVec<[ArraySize; 2]>,
    view: Value,
}

impl Lowerer<'_> {
    /// The extents of an array type, outermost first.
    fn extents_of(&self, mut ty: Type) -> SmallVec<[ArraySize; 2]> {
        let mut extents = SmallVec::new();
        while let Some((element, size)) = self.unit.types.as_array(ty) {
            extents.push(size);
            ty = element;
        }
        extents
    }

    /// The subscripts behind moving a pointer by `count` objects of type `to`.
    pub(super) fn rows_along(&mut self, pointer: &Pointer, to: Type, count: Value) -> Option<Rows> {
        let extents = self.extents_of(to);
        let Some(rows) = &pointer.rows else {
            let buffer = &self.buffers[pointer.buffer];
            let is_linear =
                matches!(&buffer.form, Form::Elements { inner, .. } if inner.is_empty());
            let is_start = pointer
                .position
                .iter()
                .all(|&at| gpuc_dialects::arith::constant_index_value(&self.b, at) == Some(0));
            // A complex number is two of the buffer's elements.
            let starts = is_linear
                && is_start
                && !self.is_complex_type(self.unit.types.innermost(to))
                && self.unit.types.is_variably_sized(to)
                && buffer.variable.is_some_and(|decl| !self.as_linear.contains(&decl));
            return starts.then(|| Rows { extents, subscripts: smallvec![count] });
        };
        let mut rows = rows.clone();
        let level = rows.extents.len().checked_sub(extents.len())?;
        if rows.extents[level..] != extents[..] {
            return None;
        }
        if rows.subscripts.len() == level {
            rows.subscripts.push(count);
        } else {
            let last = rows.subscripts.pop().filter(|_| rows.subscripts.len() == level)?;
            let sum = self.add_index(last, count);
            rows.subscripts.push(sum);
        }
        Some(rows)
    }

    /// The view and the subscripts of a pointer that all subscripts were given for.
    pub(super) fn in_rows(
        &mut self,
        pointer: &Pointer,
    ) -> Lowering<Option<(Value, SmallVec<[Value; 2]>)>> {
        let Some(rows) = &pointer.rows else { return Ok(None) };
        if rows.subscripts.len() != rows.extents.len() + 1 {
            return Ok(None);
        }
        let memref = self.buffers[pointer.buffer].memref;
        let known = self.row_views.iter();
        let known = known.filter(|known| known.memref == memref && known.extents == rows.extents);
        let view = match known.map(|known| known.view).next() {
            Some(view) => Some(view),
            None => self.row_view(memref, &rows.extents)?,
        };
        Ok(view.map(|view| (view, rows.subscripts.clone())))
    }

    /// Makes a view of an argument at the start of the region; none where an extent cannot be had there.
    fn row_view(&mut self, memref: Value, extents: &[ArraySize]) -> Lowering<Option<Value>> {
        let (Some(home), Some(function)) = (self.region_block, self.function) else {
            return Ok(None);
        };
        if !matches!(self.b.value_def(memref), ValueDef::Argument(..)) {
            return Ok(None);
        }
        // The view stands behind what its extents are.
        let mut behind: Option<Op> = None;
        for &extent in extents {
            let ArraySize::Variable(extent) = extent else { continue };
            match self.extents.get(&extent).map(|&known| self.b.value_def(known)) {
                Some(ValueDef::Argument(..)) => {}
                Some(ValueDef::Result(op, _)) if self.b.parent_block(op) == Some(home) => {
                    behind = match behind {
                        Some(last) if self.b.is_before(op, last) => Some(last),
                        _ => Some(op),
                    };
                }
                Some(ValueDef::Result(op, _)) if !self.is_around(op, home) => return Ok(None),
                Some(ValueDef::Result(..)) => {}
                None if keeps_value(self.unit, function, extent) => {}
                None => return Ok(None),
            }
        }
        let point = behind.map_or(InsertPoint::Start(home), InsertPoint::After);
        let view = self.at(point, |l| l.build_row_view(memref, extents))?;
        if let Some(view) = view {
            self.row_views.push(RowView { memref, extents: extents.into(), view });
        }
        Ok(view)
    }

    /// Whether an operation stands in a block round another.
    fn is_around(&self, op: Op, block: Block) -> bool {
        let owner = self.b.block_op(block);
        let around = owner.and_then(|owner| self.b.parent_block(owner));
        around.is_some() && self.b.parent_block(op) == around
    }

    fn build_row_view(&mut self, memref: Value, extents: &[ArraySize]) -> Lowering<Option<Value>> {
        let mut values = Vec::new();
        for &extent in extents {
            values.push(match extent {
                ArraySize::Constant(extent) => self.index(extent as i64),
                ArraySize::Variable(extent) => self.extent(extent)?,
                ArraySize::Unknown | ArraySize::Star => return Ok(None),
            });
        }
        Ok(Some(memref::ReinterpretCastOp::in_rows(&mut self.b, memref, &values, None)))
    }

    /// Checks that no array is accessed in rows and otherwise.
    pub(super) fn check_rows(&self) -> Lowering<()> {
        for (index, known) in self.row_views.iter().enumerate() {
            let is_other = |op: Op| {
                let is_view = memref::ReinterpretCastOp::is(&self.b, op)
                    && self.b.result(op, 0) == known.view;
                !is_view && !memref::DimOp::is(&self.b, op)
            };
            let several = self.row_views[..index].iter().any(|other| other.memref == known.memref);
            if several || self.b.users(known.memref).any(is_other) {
                let mut buffers =
                    self.buffers.iter().filter(|buffer| buffer.memref == known.memref);
                if let Some(variable) = buffers.find_map(|buffer| buffer.variable) {
                    return Err(Failure::AsLinear(variable));
                }
            }
        }
        Ok(())
    }
}
