//! `vector`: accesses of several elements, and elements of vectors.
//!
//! A vector is a register for each element. `vector.load` and `vector.store` are aligned to the
//! vector's size, as PTX demands of the wide accesses they become; whoever makes them sees to it.

use gpuc_dialects::ptx::FmaOp;
use gpuc_dialects::vector::{self, COMBINING_KINDS};
use gpuc_ir::{Op, OpView, Type, Value};
use smallvec::SmallVec;

use super::buffer::Address;
use super::memref::Qualifier;
use super::rules::Entry;
use super::{Lowered, Scalar, Selected, Selector};

/// Elements of the longest vector that registers are given to.
const MAX_LENGTH: i64 = 64;

/// Bytes of the widest access.
const WIDEST: usize = 16;

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (vector::LoadOp::def, |s, op| s.vector_load(op)),
    (vector::StoreOp::def, |s, op| s.vector_store(op)),
    (vector::BroadcastOp::def, |s, op| s.repeated(op)),
    (vector::SplatOp::def, |s, op| s.repeated(op)),
    (vector::ExtractOp::def, |s, op| s.extract(op)),
    (vector::ExtractElementOp::def, |s, op| s.extract(op)),
    (vector::InsertOp::def, |s, op| s.insert(op)),
    (vector::InsertElementOp::def, |s, op| s.insert(op)),
    (vector::ShuffleOp::def, |s, op| s.permute(op)),
    (vector::FMAOp::def, |s, op| s.rounded::<FmaOp>(op)),
    (vector::ReductionOp::def, |s, op| s.reduction(op)),
];

impl Selector<'_, '_> {
    /// Number of elements of a vector type that fits registers.
    pub fn vector_length(&self, ty: Type) -> Selected<usize> {
        match self.e.ir.ctx.shape(ty) {
            Some(&[length]) if (1..=MAX_LENGTH).contains(&length) => Ok(length as usize),
            _ => {
                let text = self.e.ir.ctx.type_text(ty);
                self.refuse_here(format!(
                    "type '{text}' is not supported on the device: vectors have one dimension of \
                     up to {MAX_LENGTH} elements"
                ))
            }
        }
    }

    fn repeated(&mut self, op: Op) -> Selected<()> {
        let value = self.operand(op, 0)?;
        let result = self.e.ir.result(op, 0);
        let length = self.vector_length(self.e.ir.ty(result))?;
        self.set(result, Lowered::Vector(SmallVec::from_elem(value, length)));
        Ok(())
    }

    fn extract(&mut self, op: Op) -> Selected<()> {
        let elements = self.elements(self.e.ir.operand(op, 0))?;
        let at = self.position(op, 1, elements.len())?;
        self.set_result(op, elements[at]);
        Ok(())
    }

    fn insert(&mut self, op: Op) -> Selected<()> {
        let value = self.operand(op, 0)?;
        let mut elements = self.elements(self.e.ir.operand(op, 1))?;
        let at = self.position(op, 2, elements.len())?;
        elements[at] = value;
        let result = self.e.ir.result(op, 0);
        self.set(result, Lowered::Vector(elements));
        Ok(())
    }

    /// The constant position of an element: in `static_position`, or as operand `operand`.
    fn position(&self, op: Op, operand: usize, length: usize) -> Selected<usize> {
        let ir = &*self.e.ir;
        let statics = ir.attr(op, "static_position").and_then(|attr| ir.ctx.dense_array(attr));
        let number = match statics {
            Some(&[at]) if at >= 0 => Some(at),
            _ if ir.operand_count(op) > operand => {
                let register = self.operand(op, operand)?;
                self.e.known_int(register)
            }
            _ => None,
        };
        match number.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < length) {
            Some(at) => Ok(at),
            None => {
                self.refuse(op, "the position of a vector's element must be a constant within it")
            }
        }
    }

    fn vector_load(&mut self, op: Op) -> Selected<()> {
        let result = self.e.ir.result(op, 0);
        let ty = self.e.ir.ty(result);
        let (scalar, length) = (self.scalar(ty)?, self.vector_length(ty)?);
        let address = self.access(op, 0)?;
        let mut elements: SmallVec<[Value; 4]> = SmallVec::new();
        while elements.len() < length {
            let (at, count) = piece(&address, scalar, elements.len(), length);
            elements.extend(self.load_elements(&at, scalar, count, Qualifier::Plain)?);
        }
        self.set(result, Lowered::Vector(elements));
        Ok(())
    }

    fn vector_store(&mut self, op: Op) -> Selected<()> {
        let value = self.e.ir.operand(op, 0);
        let scalar = self.scalar(self.e.ir.ty(value))?;
        let elements = self.elements(value)?;
        let address = self.access(op, 1)?;
        let mut done = 0;
        while done < elements.len() {
            let (at, count) = piece(&address, scalar, done, elements.len());
            self.store_elements(&at, scalar, &elements[done..done + count], Qualifier::Plain)?;
            done += count;
        }
        Ok(())
    }

    fn permute(&mut self, op: Op) -> Selected<()> {
        let mut all = self.elements(self.e.ir.operand(op, 0))?;
        all.extend(self.elements(self.e.ir.operand(op, 1))?);
        let ir = &*self.e.ir;
        let mask =
            ir.attr(op, "mask").and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
        let picked: Option<SmallVec<[Value; 4]>> = mask
            .iter()
            .map(|&n| ir.ctx.i64_value(n).and_then(|n| all.get(usize::try_from(n).ok()?)).copied())
            .collect();
        let Some(picked) = picked else { return self.unsupported(op) };
        let result = ir.result(op, 0);
        self.set(result, Lowered::Vector(picked));
        Ok(())
    }

    /// Elements combined from first to last, behind the accumulator where there is one.
    fn reduction(&mut self, op: Op) -> Selected<()> {
        let kind = self.e.ir.attr(op, "kind");
        let Some(kind) = kind.and_then(|attr| COMBINING_KINDS.number(&self.e.ir.ctx, attr)) else {
            return self.unsupported(op);
        };
        let scalar = self.result_scalar(op)?;
        let kind = match (&*COMBINING_KINDS.keywords(kind), scalar.is_float()) {
            ("add", true) => "addf",
            ("mul", true) => "mulf",
            ("add", false) => "addi",
            ("mul", false) => "muli",
            ("minui", _) => "minu",
            ("minsi", _) => "mins",
            ("maxui", _) => "maxu",
            ("maxsi", _) => "maxs",
            ("and", _) => "andi",
            ("or", _) => "ori",
            ("minnumf", _) => "minnumf",
            ("maxnumf", _) => "maxnumf",
            ("minimumf", _) => "minimumf",
            ("maximumf", _) => "maximumf",
            _ => return self.unsupported(op),
        };
        let mut elements = self.elements(self.e.ir.operand(op, 0))?.into_iter();
        let mut sum = match self.e.ir.operand_count(op) {
            2 => Some(self.operand(op, 1)?),
            _ => elements.next(),
        };
        for element in elements {
            sum = match sum {
                Some(sum) => Some(self.combine(op, kind, scalar, sum, element)?),
                None => Some(element),
            };
        }
        let Some(sum) = sum else { return self.unsupported(op) };
        self.set_result(op, sum);
        Ok(())
    }
}

/// The next elements that one access can take, at most four and 16 bytes, and their address.
fn piece(whole: &Address, scalar: Scalar, done: usize, length: usize) -> (Address, usize) {
    let bytes = scalar.memory().map_or(8, |ty| (ty.width() / 8) as usize);
    let most = (WIDEST / bytes).min(4);
    let left = length - done;
    // Alignment to its size says something of a vector only where that is a power of two.
    let count = if length.is_power_of_two() { most.min(left) } else { 1 };
    (Address { offset: whole.offset + (done * bytes) as i64, ..*whole }, count)
}
