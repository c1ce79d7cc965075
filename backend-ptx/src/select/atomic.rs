//! Atomic read-modify-write: `atom` and `red` where PTX has the operation, else a loop around
//! compare-and-swap. What only reads, or only writes, is a load or a store that others see whole.
//!
//! Memory of a thread needs no atomicity and PTX has none there: it is read, changed and written.
//! Elements of 8 and 16 bits are changed within the aligned 32-bit word that they are part of.

use gpuc_dialects::memref::{self, ATOMIC_RMW_KINDS};
use gpuc_dialects::ptx::kinds::{AtomicKind, Comparison, PtxType, Space};
use gpuc_dialects::ptx::{
    AddOp, AndOp, AtomCasOp, AtomOp, MaxOp, MinOp, MulOp, NotOp, OrOp, RedOp, ShlOp, ShrOp, XorOp,
};
use gpuc_ir::{Block, Op, OpView, Value};

use super::buffer::Address;
use super::memref::Qualifier;
use super::{Lowered, Scalar, Selected, Selector, normalized};

/// Where the element of a compare-and-swap is within its word.
struct Slot {
    /// Address of the word.
    word: Address,
    /// Bits that the element is shifted by, and a mask of the word's bits that are its; for
    /// elements that are not words of their own.
    part: Option<(Value, Value)>,
}

impl Selector<'_, '_> {
    /// `memref.atomic_rmw`.
    pub fn atomic_rmw(&mut self, op: Op) -> Selected<()> {
        let number = self
            .e
            .ir
            .attr(op, "kind")
            .and_then(|attr| ATOMIC_RMW_KINDS.number(&self.e.ir.ctx, attr));
        let Some(number) = number else { return self.unsupported(op) };
        let kind = ATOMIC_RMW_KINDS.keywords(number);
        let value = self.operand(op, 0)?;
        let scalar = self.result_scalar(op)?;
        let address = self.access(op, 1)?;
        if kind == "assign" && self.e.ir.is_unused(self.e.ir.result(op, 0)) {
            return self.store_elements(&address, scalar, &[value], strong(&address));
        }
        if address.space != Space::Local
            && let Some((atomic, ty)) = instruction(&kind, scalar)
        {
            let old = self.atomic(op, &address, atomic, ty, value);
            if let Some(old) = old {
                self.set_result(op, old);
            }
            return Ok(());
        }
        let old =
            self.update(op, &address, scalar, |s, old| s.combine(op, &kind, scalar, old, value))?;
        self.set_result(op, old);
        Ok(())
    }

    /// `memref.generic_atomic_rmw`: its region becomes the body of the loop.
    pub fn generic_atomic_rmw(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let address = self.access(op, 0)?;
        let body = self.e.ir.region(op, 0);
        let Some(body) = self.e.ir.entry_block(body) else { return self.unsupported(op) };
        let &[argument] = self.e.ir.arguments(body) else { return self.unsupported(op) };
        if self.is_read(body, argument) {
            let value = self.load_elements(&address, scalar, 1, strong(&address))?[0];
            self.set_result(op, value);
            return Ok(());
        }
        let old = self.update(op, &address, scalar, |s, old| {
            s.set(argument, Lowered::Scalar(old));
            for inner in s.e.ir.ops(body).collect::<Vec<_>>() {
                if memref::AtomicYieldOp::is(s.e.ir, inner) {
                    return s.operand(inner, 0);
                }
                s.op(inner)?;
            }
            s.unsupported(op)
        })?;
        self.set_result(op, old);
        Ok(())
    }

    /// Whether the body of a `memref.generic_atomic_rmw` gives its argument back: it only reads.
    fn is_read(&self, body: Block, argument: Value) -> bool {
        self.e.ir.ops(body).all(|inner| {
            memref::AtomicYieldOp::is(self.e.ir, inner) && self.e.ir.operand(inner, 0) == argument
        })
    }

    /// One instruction; gives the old value where somebody uses it.
    fn atomic(
        &mut self,
        op: Op,
        address: &Address,
        kind: AtomicKind,
        ty: PtxType,
        value: Value,
    ) -> Option<Value> {
        let unused = self.e.ir.is_unused(self.e.ir.result(op, 0)) && kind != AtomicKind::Exch;
        let (kind, ty) = (kind.attr(&mut self.e.ir.ctx), ty.attr(&mut self.e.ir.ctx));
        let space = address.space.attr(&mut self.e.ir.ctx);
        let offset = self.offset_attr(address);
        let operands = [address.base, value];
        let build = match unused {
            true => self.e.start::<RedOp>(&operands),
            false => {
                let result = self.e.ir.ty(value);
                self.e.start::<AtomOp>(&operands).result(result)
            }
        };
        let build = build.attr(self.e.ir, "space", space).attr(self.e.ir, "kind", kind);
        let build = build.attr(self.e.ir, "ty", ty).attr_option(self.e.ir, "offset", offset);
        let made = self.e.insert(build);
        (!unused).then(|| self.e.ir.result(made, 0))
    }

    /// Replaces an element by what `change` makes of it; gives what it was.
    fn update(
        &mut self,
        op: Op,
        address: &Address,
        scalar: Scalar,
        change: impl FnOnce(&mut Self, Value) -> Selected<Value>,
    ) -> Selected<Value> {
        if address.space == Space::Local {
            let old = self.load_elements(address, scalar, 1, Qualifier::Plain)?[0];
            let new = change(self, old)?;
            self.store_elements(address, scalar, &[new], Qualifier::Plain)?;
            return Ok(old);
        }
        let Some(memory) = scalar.memory() else { return self.unsupported(op) };
        let slot = self.slot(address, memory.width());
        let word = Scalar::Integer(memory.width().max(32));
        let guess = self.load_elements(&slot.word, word, 1, Qualifier::Strong)?[0];
        // loop(expected): new = change(expected); seen = cas(expected, new);
        //                 if seen != expected: loop(seen)
        let ty = word.register(&mut self.e.ir.ctx);
        let head = self.e.new_block_behind(&[ty]);
        self.e.branch(head, &[guess]);
        self.e.set_block(head);
        let expected = self.e.ir.arguments(head)[0];
        let old = self.take_out(&slot, expected, scalar);
        let new = change(self, old)?;
        let new = self.put_in(&slot, expected, new, scalar);
        let seen = self.compare_and_swap(&slot.word, word, expected, new);
        let again = self.e.compare(Comparison::Ne, word.arithmetic(false), seen, expected);
        let rest = self.e.new_block_behind(&[]);
        self.e.branch_if(again, (head, &[seen]), (rest, &[]));
        self.e.set_block(rest);
        Ok(old)
    }

    fn slot(&mut self, address: &Address, width: u32) -> Slot {
        if width >= 32 {
            return Slot { word: *address, part: None };
        }
        let ty = self.e.ir.ty(address.base);
        let bytes = self.e.int(address.offset.into(), ty);
        let at = self.e.add(address.base, bytes);
        let bits = if self.e.is_wide(at) { PtxType::B64 } else { PtxType::B32 };
        let mask = self.e.int(-4, ty);
        let base = self.e.typed::<AndOp>(bits, &[at, mask], ty);
        let low = self.e.low_half(at);
        let (narrow, three) = (self.e.ir.ctx.i32(), self.e.i32(3));
        let byte = self.e.typed::<AndOp>(PtxType::B32, &[low, three], narrow);
        let shift = self.e.shl(byte, 3);
        let ones = self.e.i32((1 << width) - 1);
        let mask = self.e.typed::<ShlOp>(PtxType::B32, &[ones, shift], narrow);
        Slot { word: Address { base, offset: 0, space: address.space }, part: Some((shift, mask)) }
    }

    /// The element in a word.
    fn take_out(&mut self, slot: &Slot, word: Value, scalar: Scalar) -> Value {
        let Some((shift, _)) = slot.part else {
            let ty = scalar.register(&mut self.e.ir.ctx);
            return self.e.bitcast(word, ty);
        };
        let ty = self.e.ir.ty(word);
        let low = self.e.typed::<ShrOp>(PtxType::U32, &[word, shift], ty);
        if scalar != Scalar::Predicate {
            return low;
        }
        let ones = self.e.i32(0xff);
        let byte = self.e.typed::<AndOp>(PtxType::B32, &[low, ones], ty);
        self.nonzero(byte)
    }

    /// The word with the element replaced.
    fn put_in(&mut self, slot: &Slot, word: Value, value: Value, scalar: Scalar) -> Value {
        let ty = self.e.ir.ty(word);
        let Some((shift, mask)) = slot.part else { return self.e.bitcast(value, ty) };
        let value = match scalar {
            Scalar::Predicate => self.e.select_bit(value),
            _ => normalized(&mut self.e, value, scalar, false),
        };
        let moved = self.e.typed::<ShlOp>(PtxType::B32, &[value, shift], ty);
        let others = self.e.typed::<NotOp>(PtxType::B32, &[mask], ty);
        let kept = self.e.typed::<AndOp>(PtxType::B32, &[word, others], ty);
        self.e.typed::<OrOp>(PtxType::B32, &[kept, moved], ty)
    }

    fn compare_and_swap(
        &mut self,
        address: &Address,
        word: Scalar,
        expected: Value,
        new: Value,
    ) -> Value {
        let ty = self.e.ir.ty(expected);
        let (space, kind) =
            (address.space.attr(&mut self.e.ir.ctx), word.bits().attr(&mut self.e.ir.ctx));
        let offset = self.offset_attr(address);
        let build = self.e.start::<AtomCasOp>(&[address.base, expected, new]);
        let build = build.attr(self.e.ir, "space", space).attr(self.e.ir, "ty", kind);
        let build = build.attr_option(self.e.ir, "offset", offset).result(ty);
        let op = self.e.insert(build);
        self.e.ir.result(op, 0)
    }

    /// What an atomic operation makes of the old element and the value.
    pub fn combine(
        &mut self,
        op: Op,
        kind: &str,
        scalar: Scalar,
        old: Value,
        value: Value,
    ) -> Selected<Value> {
        let ty = self.e.ir.ty(value);
        if scalar == Scalar::Predicate {
            return Ok(match kind {
                "assign" => value,
                "addi" => self.e.logic::<XorOp>(old, value),
                "muli" | "andi" | "minu" | "maxs" => self.e.logic::<AndOp>(old, value),
                "ori" | "maxu" | "mins" => self.e.logic::<OrOp>(old, value),
                _ => return self.unsupported(op),
            });
        }
        let float = scalar.arithmetic(true);
        Ok(match (kind, scalar.is_float()) {
            ("assign", _) => value,
            ("addi", false) => self.e.add(old, value),
            ("muli", false) => self.e.mul(old, value),
            ("andi", false) => self.e.typed::<AndOp>(scalar.bits(), &[old, value], ty),
            ("ori", false) => self.e.typed::<OrOp>(scalar.bits(), &[old, value], ty),
            ("maxs" | "maxu" | "mins" | "minu", false) => {
                let signed = kind.ends_with('s');
                let old = normalized(&mut self.e, old, scalar, signed);
                let value = normalized(&mut self.e, value, scalar, signed);
                let ty_of = scalar.arithmetic(signed);
                match kind.starts_with("max") {
                    true => self.e.typed::<MaxOp>(ty_of, &[old, value], ty),
                    false => self.e.typed::<MinOp>(ty_of, &[old, value], ty),
                }
            }
            ("addf", true) => self.e.rounded::<AddOp>(float, &[old, value]),
            ("mulf", true) => self.e.rounded::<MulOp>(float, &[old, value]),
            ("maxnumf", true) => self.e.typed::<MaxOp>(float, &[old, value], ty),
            ("minnumf", true) => self.e.typed::<MinOp>(float, &[old, value], ty),
            ("maximumf", true) => self.nan_extremum_of::<MaxOp>(scalar, old, value),
            ("minimumf", true) => self.nan_extremum_of::<MinOp>(scalar, old, value),
            _ => return self.unsupported(op),
        })
    }
}

/// An access that other threads see whole; memory of a thread has no others.
fn strong(address: &Address) -> Qualifier {
    if address.space == Space::Local { Qualifier::Plain } else { Qualifier::Strong }
}

/// The instruction for a kind of atomic operation, where there is one.
fn instruction(kind: &str, scalar: Scalar) -> Option<(AtomicKind, PtxType)> {
    let (signed, unsigned) = (scalar.arithmetic(true), scalar.arithmetic(false));
    match (kind, scalar) {
        ("addf", Scalar::F32 | Scalar::F64) => Some((AtomicKind::Add, signed)),
        ("assign", Scalar::F32 | Scalar::F64 | Scalar::Integer(32 | 64)) => {
            Some((AtomicKind::Exch, scalar.bits()))
        }
        ("addi", Scalar::Integer(32 | 64)) => Some((AtomicKind::Add, unsigned)),
        ("maxs", Scalar::Integer(32 | 64)) => Some((AtomicKind::Max, signed)),
        ("maxu", Scalar::Integer(32 | 64)) => Some((AtomicKind::Max, unsigned)),
        ("mins", Scalar::Integer(32 | 64)) => Some((AtomicKind::Min, signed)),
        ("minu", Scalar::Integer(32 | 64)) => Some((AtomicKind::Min, unsigned)),
        ("andi", Scalar::Integer(32 | 64)) => Some((AtomicKind::And, scalar.bits())),
        ("ori", Scalar::Integer(32 | 64)) => Some((AtomicKind::Or, scalar.bits())),
        _ => None,
    }
}
