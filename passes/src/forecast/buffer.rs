//! Where the elements of a buffer lie: its views back to what they are views of.

use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::memref::{self, AllocaOp};
use gpuc_ir::{Ir, OpView, Value};

use super::index::Index;

/// Elements that lie apart by so many others, from a byte on.
pub struct Buffer {
    /// The first byte.
    pub offset: Index,
    /// Elements between neighbours in each dimension.
    pub strides: Vec<Index>,
    /// Bytes of an element.
    pub bytes: i64,
}

/// Who has the memory behind a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The grid.
    Global,
    /// A block.
    Shared,
    /// A thread: registers, as a rule.
    Private,
}

impl Memory {
    /// That of a root.
    pub fn of(ir: &Ir, root: Value) -> Memory {
        let space = AddressSpace::of_memref(&ir.ctx, ir.ty(root));
        if space == Some(AddressSpace::Workgroup) {
            return Memory::Shared;
        }
        let own = ir.defining_op(root).is_some_and(|op| AllocaOp::is(ir, op));
        if own || space == Some(AddressSpace::Private) { Memory::Private } else { Memory::Global }
    }
}

impl Buffer {
    /// That of a value; `number` has the values that are known. `None` where its layout is not.
    pub fn of(ir: &Ir, value: Value, number: &dyn Fn(Value) -> Option<Index>) -> Option<Buffer> {
        let ty = ir.ty(value);
        let element = ir.ctx.element(ty)?;
        let bytes = memref::scalar_bytes(&ir.ctx, element)? as i64;
        let viewed = ir.defining_op(value).and_then(|op| Some((op, memref::viewed(ir, op)?)));
        let Some((op, source)) = viewed else {
            return Some(Buffer {
                offset: Index::constant(0),
                strides: own_strides(ir, value, number)?,
                bytes,
            });
        };
        let of = Buffer::of(ir, source, number)?;
        let mut operands = ir.operands(op).skip(1);
        let mut part = |known: i64| match known {
            gpuc_ir::DYNAMIC => number(operands.next()?),
            known => Some(Index::constant(known)),
        };
        let scale = Index::constant(bytes);
        if let Some(cast) = memref::ReinterpretCastOp::cast(ir, op) {
            let [offsets, sizes, strides] = cast.static_parts(ir);
            let offset = part(*offsets.first()?)?;
            // Not needed, but operands of their own.
            sizes.into_iter().for_each(|size| drop(part(size)));
            let strides = strides.into_iter().map(&mut part).collect::<Option<Vec<_>>>()?;
            return Some(Buffer { offset: of.offset.plus(&offset.times(&scale)), strides, bytes });
        }
        if let Some(view) = memref::SubViewOp::cast(ir, op) {
            let [offsets, sizes, strides] = view.static_parts(ir);
            let offsets = offsets.into_iter().map(&mut part).collect::<Option<Vec<_>>>()?;
            sizes.iter().for_each(|&size| drop(part(size)));
            let steps = strides.into_iter().map(&mut part).collect::<Option<Vec<_>>>()?;
            let mut offset = of.offset;
            let mut own = Vec::new();
            for (dim, stride) in of.strides.iter().enumerate() {
                offset = offset.plus(&offsets.get(dim)?.times(stride).times(&scale));
                own.push(stride.times(steps.get(dim)?));
            }
            let rank = ir.ctx.shape(ty)?.len();
            // Dimensions of one element that the view leaves out.
            let mut at = 0;
            let mut left = own.len().checked_sub(rank)?;
            own.retain(|_| {
                let drop = left > 0 && sizes.get(at) == Some(&1);
                at += 1;
                left -= usize::from(drop);
                !drop
            });
            return Some(Buffer { offset, strides: own, bytes });
        }
        let rank = ir.ctx.shape(ty)?.len();
        let strides =
            if of.strides.len() == rank { of.strides } else { own_strides(ir, value, number)? };
        Some(Buffer { strides, bytes, ..of })
    }

    /// The byte of the element at some subscripts.
    pub fn address(&self, subscripts: &[Option<Index>]) -> Option<Index> {
        let mut sum = self.offset.clone();
        let scale = Index::constant(self.bytes);
        for (subscript, stride) in subscripts.iter().zip(&self.strides) {
            sum = sum.plus(&subscript.as_ref()?.times(stride).times(&scale));
        }
        Some(sum)
    }
}

/// Strides that the type says, those that it leaves open from the extents.
fn own_strides(
    ir: &Ir,
    value: Value,
    number: &dyn Fn(Value) -> Option<Index>,
) -> Option<Vec<Index>> {
    let layout = memref::strided_layout(&ir.ctx, ir.ty(value))?;
    let mut strides: Vec<Index> = Vec::new();
    for (dim, stride) in layout.strides.iter().enumerate().rev() {
        strides.push(match *stride {
            gpuc_ir::DYNAMIC => {
                let extent = memref::dynamic_extent(ir, value, dim + 1).and_then(number);
                strides.last()?.times(&extent?)
            }
            known => Index::constant(known),
        });
    }
    strides.reverse();
    Some(strides)
}
