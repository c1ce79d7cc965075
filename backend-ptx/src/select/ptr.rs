//! `ptr`: pointers, which are addresses with a constant part that goes into the `[reg+imm]` of
//! accesses.

use gpuc_arch::Feature;
use gpuc_dialects::memref::scalar_bytes;
use gpuc_dialects::ptx::kinds::Space;
use gpuc_dialects::{arith, nvvm, ptr};
use gpuc_ir::{Op, OpView, Type, Value};
use smallvec::SmallVec;

use super::buffer::Address;
use super::memref::Qualifier;
use super::rules::Entry;
use super::{Lowered, Scalar, Selected, Selector};

/// Bytes of the widest access.
const WIDEST: i64 = 16;

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (ptr::ToPtrOp::def, |s, op| s.pointer_to(op)),
    (ptr::FromAddressOp::def, |s, op| s.buffer_at_address(op)),
    (ptr::PtrAddOp::def, |s, op| s.ptr_add(op)),
    (ptr::LoadOp::def, |s, op| s.ptr_load(op)),
    (ptr::StoreOp::def, |s, op| s.ptr_store(op)),
];

impl Selector<'_, '_> {
    fn pointer_to(&mut self, op: Op) -> Selected<()> {
        let source = ptr::ToPtrOp(op).memref(self.e.ir);
        let buffer = self.buffer(source)?;
        let element = self.element_bytes(self.e.ir.ty(source))?;
        let address = self.element_address(&buffer, element, &[])?;
        self.set_pointer(op, address)
    }

    /// A buffer at an address.
    fn buffer_at_address(&mut self, op: Op) -> Selected<()> {
        let address = self.operand(op, 0)?;
        let is_generic = ptr::FromAddressOp(op).generic(self.e.ir).is_some();
        let (base, space) = match is_generic {
            true => (address, Space::Generic),
            false => (self.global_address(address), Space::Global),
        };
        let result = self.e.ir.result(op, 0);
        let buffer = self.whole_buffer(self.e.ir.ty(result), base, space);
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    fn set_pointer(&mut self, op: Op, address: Address) -> Selected<()> {
        let result = self.e.ir.result(op, 0);
        self.set(result, Lowered::Pointer(address));
        Ok(())
    }

    fn pointer(&self, value: Value) -> Selected<Address> {
        match self.lowered(value)? {
            Lowered::Pointer(address) => Ok(*address),
            _ => self.refuse_here("a number or a buffer stands where a pointer is needed"),
        }
    }

    /// An address in one register.
    pub fn address_register(&mut self, address: &Address) -> Value {
        let ty = self.e.ir.ty(address.base);
        let bytes = self.e.int(address.offset.into(), ty);
        self.e.add(address.base, bytes)
    }

    fn ptr_add(&mut self, op: Op) -> Selected<()> {
        let view = ptr::PtrAddOp(op);
        let base = self.pointer(view.base(self.e.ir))?;
        let offset = view.offset(self.e.ir);
        let (index, scale) = self.scaled(op, offset);
        let register = self.register(index)?;
        let moved = match self.e.known_int(register) {
            Some(known) => {
                let offset = base.offset.wrapping_add(known.wrapping_mul(scale));
                Address { offset, ..base }
            }
            None => Address { base: self.advance(base.base, register, scale), ..base },
        };
        // The immediate of an access has 32 bits.
        let fits = i32::try_from(moved.offset).is_ok();
        let moved = match fits {
            true => moved,
            false => Address { base: self.address_register(&moved), offset: 0, ..moved },
        };
        self.set_pointer(op, moved)
    }

    /// A product with a constant as its factors, where it is computed beside `op`: one wide
    /// multiply-add does both. One that stands elsewhere is an invariant of the loop round `op`.
    fn scaled(&self, op: Op, offset: Value) -> (Value, i64) {
        let ir = &*self.e.ir;
        let product = ir.defining_op(offset).and_then(|def| arith::MulIOp::cast(ir, def));
        let product = product.filter(|view| ir.parent_block(view.op()) == ir.parent_block(op));
        let factors = product.and_then(|view| {
            let scale = arith::constant_index_value(ir, view.rhs(ir))?;
            Some((view.lhs(ir), scale))
        });
        factors.unwrap_or((offset, 1))
    }

    /// The elements of an accessed type: what they are, how many, and how many one access takes.
    fn accessed(&self, op: Op, ty: Type) -> Selected<(Scalar, usize, usize)> {
        let scalar = self.scalar(ty)?;
        let count = match self.e.ir.ctx.is_vector(ty) {
            true => self.vector_length(ty)?,
            false => 1,
        };
        let ctx = &self.e.ir.ctx;
        let bytes = scalar_bytes(ctx, ctx.element_or_self(ty)).map_or(1, |bytes| bytes as i64);
        let alignment = self.e.ir.attr(op, "alignment").and_then(|attr| ctx.i64_value(attr));
        let widest = alignment.unwrap_or(bytes).min(WIDEST) / bytes.max(1);
        Ok((scalar, count, widest.clamp(1, 4) as usize))
    }

    fn ptr_load(&mut self, op: Op) -> Selected<()> {
        let view = ptr::LoadOp(op);
        let address = self.pointer(view.ptr(self.e.ir))?;
        let result = view.result(self.e.ir);
        let ty = self.e.ir.ty(result);
        let (scalar, count, widest) = self.accessed(op, ty)?;
        let read_only = view.invariant(self.e.ir).is_some() && address.space == Space::Global;
        if read_only {
            self.require(op, Feature::ReadOnlyLoad)?;
        }
        let access = if read_only { Qualifier::ReadOnly } else { Qualifier::Plain };
        let mut elements: SmallVec<[Value; 4]> = SmallVec::new();
        while elements.len() < count {
            let (at, taken) = piece(&address, scalar, elements.len(), count, widest);
            elements.extend(self.load_elements(&at, scalar, taken, access)?);
        }
        let lowered = match self.e.ir.ctx.is_vector(ty) {
            true => Lowered::Vector(elements),
            false => Lowered::Scalar(elements[0]),
        };
        self.set(result, lowered);
        Ok(())
    }

    fn ptr_store(&mut self, op: Op) -> Selected<()> {
        let view = ptr::StoreOp(op);
        let value = view.value(self.e.ir);
        let address = self.pointer(view.ptr(self.e.ir))?;
        let (scalar, count, widest) = self.accessed(op, self.e.ir.ty(value))?;
        let elements = self.elements(value)?;
        if self.e.ir.attr(op, nvvm::ASYNC).is_some()
            && count <= widest
            && self.copy_in_background(op, &address, &elements)?
        {
            return Ok(());
        }
        let mut done = 0;
        while done < count {
            let (at, taken) = piece(&address, scalar, done, count, widest);
            self.store_elements(&at, scalar, &elements[done..done + taken], Qualifier::Plain)?;
            done += taken;
        }
        Ok(())
    }
}

/// The next elements that one access can take, a power of two of them, and their address.
fn piece(
    whole: &Address,
    scalar: Scalar,
    done: usize,
    count: usize,
    widest: usize,
) -> (Address, usize) {
    let bytes = scalar.memory().map_or(8, |ty| (ty.width() / 8) as usize);
    let left = (count - done).min(widest);
    let taken = if left.is_power_of_two() { left } else { left.next_power_of_two() / 2 };
    (Address { offset: whole.offset + (done * bytes) as i64, ..*whole }, taken)
}
