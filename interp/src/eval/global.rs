//! Global buffers.

use std::rc::Rc;

use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::memref::{self, GlobalOp};
use gpuc_ir::{AttrKind, Op, OpView};

use super::constant::elements;
use super::memory::{allocate, extents};
use super::{Family, Handler, Step};
use crate::access::all_indices;
use crate::interpreter::{Fault, Interpreter};
use crate::value::{MemRef, RtValue};

pub(super) const OPS: Family = &[(memref::GetGlobalOp::NAME, Handler::leaf(get_global))];

fn get_global(m: &mut Interpreter<'_>, op: Op) -> Step {
    let symbol = memref::GetGlobalOp(op).name(m.ir);
    let global = symbol.and_then(|symbol| m.symbol(op, symbol));
    let Some(global) = global.and_then(|global| GlobalOp::cast(m.ir, global)) else {
        return Err(m.error(op, "names no global"));
    };
    let value = global_buffer(m, op, global)?;
    m.set_result(op, RtValue::MemRef(Rc::new(value)))
}

/// The buffer of a global, made at first use: one for each block where it is in memory of the
/// block, else one.
fn global_buffer(m: &mut Interpreter<'_>, op: Op, global: GlobalOp) -> Result<MemRef, Fault> {
    let Some(ty) = global.buffer_type(m.ir) else { return Err(m.error(op, "names no global")) };
    let sizes = extents(m, op, ty, &[])?;
    let of_block = AddressSpace::of_memref(&m.ir.ctx, ty) == Some(AddressSpace::Workgroup);
    let known = match &m.grid {
        Some(grid) if of_block => grid.block_globals.get(&global.0),
        _ => m.globals.get(&global.0),
    };
    if let Some(&buffer) = known {
        let strides = crate::access::row_major(&sizes);
        return Ok(MemRef {
            buffer,
            base: 0,
            offset: 0,
            sizes: sizes.into(),
            strides: strides.into(),
        });
    }
    let made = allocate(m, op, ty, &[], &[])?;
    let initial = global.initial_value(m.ir);
    match initial.map(|attr| (attr, m.ir.ctx.attr_kind(attr))) {
        None => return Err(m.error(global.0, "is only declared: it has no contents")),
        Some((_, AttrKind::Unit)) => {}
        Some((attr, _)) => {
            let values = elements(&m.ir.ctx, attr)
                .ok_or_else(|| m.error(global.0, "has contents that cannot be computed with"))?;
            let size = m.element_size(op, ty)?;
            for (index, value) in all_indices(&sizes).zip(&values) {
                let range = m.element_range(op, &made, size, &index)?;
                m.write_range(op, range, value)?;
            }
        }
    }
    if global.is_constant(m.ir) {
        m.memory.make_constant(made.buffer);
    }
    match &mut m.grid {
        Some(grid) if of_block => grid.block_globals.insert(global.0, made.buffer),
        _ => m.globals.insert(global.0, made.buffer),
    };
    Ok(made)
}
