//! `memcpy`, `memmove`, `mempcpy`, `memset`, `bzero` and `calloc` (C11 §7.24.2, §7.22.3.2): loops over the widest pieces that both sides
//! are known to be aligned for.
//!
//! What a side is accessed in is what its buffer holds, so that an array of numbers stays one; a number is taken
//! apart where the other side is bytes. Structures move by their members and what lies between them.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith::{self, CmpIPredicate};
use gpuc_ir::{Type as IrType, Value};

use super::call::{CallResult, SYSTEM};
use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::{Scalar, flatten};
use crate::source::Span;
use crate::tree::{BinaryOp, CastKind, ExprId, ExprKind};
use crate::types::Type;

/// Bytes that no heap has, and that no rounding makes fewer.
const TOO_MUCH: i128 = 1 << 62;

/// The widest piece: a register's.
const WIDEST: u64 = 8;

/// What a function does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    /// Copies; gives the target.
    Copy,
    /// Copies what may overlap.
    Move,
    /// Copies; gives what is behind the target.
    CopyPast,
    /// Sets every byte.
    Set,
    /// Clears.
    Clear,
}

/// By their names without `__builtin_`, and without what checked forms of headers have about them.
const FUNCTIONS: &[(&str, Function)] = &[
    ("memcpy", Function::Copy),
    ("memmove", Function::Move),
    ("mempcpy", Function::CopyPast),
    ("memset", Function::Set),
    ("bzero", Function::Clear),
];

fn function(name: &str) -> Option<(Function, usize)> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let checked = name.strip_prefix("__").and_then(|name| name.strip_suffix("_chk"));
    let plain = checked.unwrap_or(name);
    let &(_, function) = FUNCTIONS.iter().find(|(known, _)| *known == plain)?;
    let arguments = if function == Function::Clear { 2 } else { 3 };
    // Checked forms are told the size of the target.
    Some((function, arguments + usize::from(checked.is_some())))
}

/// One side of a copy.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Where it starts: a pointer to `to`, which is no array.
    pub(super) pointer: Pointer,
    pub(super) to: Type,
    /// What it is accessed in, with its size, where its buffer says so.
    pub(super) element: Option<(IrType, u64)>,
    /// The largest power of two at multiples of which it is known to start, up to [`WIDEST`].
    align: u64,
    /// How many elements there are up to the end of the row; `None` where none ends.
    row: Option<u64>,
    /// Whether rows are crossed.
    pub(super) crosses: bool,
}

impl Side {
    /// Bytes of what it is accessed in, where pieces of `unit` bytes are moved.
    pub(super) fn step(&self, unit: u64) -> u64 {
        self.element.map_or(self.align.min(unit), |(_, size)| size)
    }
}

/// A number of bytes: a constant times values.
#[derive(Debug)]
pub(super) struct Bytes {
    pub(super) factor: u64,
    values: Vec<Value>,
}

impl Bytes {
    pub(super) fn is_constant(&self) -> Option<u64> {
        self.values.is_empty().then_some(self.factor)
    }
}

impl Lowerer<'_> {
    /// A call of a function about memory by its name; `None` for every other.
    pub(super) fn memory_call(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<CallResult>> {
        let Some((function, count)) = function(name) else { return Ok(None) };
        if arguments.len() != count {
            return self.error(span, "this function takes another number of arguments");
        }
        let target = self.side_of(arguments[0], span)?;
        if matches!(function, Function::Set | Function::Clear) {
            let (value, bytes) = match function {
                Function::Set => (Some(arguments[1]), arguments[2]),
                _ => (None, arguments[1]),
            };
            let value = value.map(|value| self.byte(value)).transpose()?.flatten();
            let bytes = self.bytes(bytes)?;
            self.locate(span);
            self.set_memory(target.clone(), value, &bytes, span)?;
        } else {
            let source = self.side_of(arguments[1], span)?;
            let bytes = self.bytes(arguments[2])?;
            self.locate(span);
            let overlap = function == Function::Move && !self.are_apart(&target, &source);
            self.copy_memory(target.clone(), source, &bytes, overlap, span)?;
            if function == Function::CopyPast {
                let start = self.address_of(&target.pointer);
                let count = self.units_in(&bytes, 1);
                let count = self.index_as(count, Scalar::ADDRESS);
                let op = arith::AddIOp::new(&mut self.b, start, count);
                return Ok(Some(CallResult::Value(self.value(op))));
            }
        }
        Ok(Some(match function {
            Function::Clear => CallResult::Nothing,
            _ => CallResult::Pointer(target.pointer),
        }))
    }

    /// `calloc`: memory of the device's heap, cleared; a null pointer where there is none, or the product overflows.
    pub(super) fn zeroed_memory(&mut self, arguments: &[ExprId], span: Span) -> Lowering<Value> {
        let &[count, size] = arguments else {
            return self.error(span, "this function takes another number of arguments");
        };
        let (count, size) = (self.rvalue(count)?, self.rvalue(size)?);
        self.locate(span);
        let address = Scalar::ADDRESS.register(&mut self.b.ctx);
        let op = arith::MulUIExtendedOp::new(&mut self.b, count, size);
        let product = self.build(op);
        let (low, high) = (self.b.result(product, 0), self.b.result(product, 1));
        let zero = arith::constant_int(&mut self.b, 0, address);
        let much = arith::constant_int(&mut self.b, TOO_MUCH, address);
        let fits = self.compare_int(CmpIPredicate::Eq, high, zero);
        let op = arith::SelectOp::new(&mut self.b, fits, low, much);
        let bytes = self.value(op);
        let memory = self.device_memory(bytes, span)?;
        let given = self.is_true(memory, Scalar::ADDRESS);
        self.branch(given, |l| {
            let pointer = l.pointee_of(memory, Type::VOID);
            let side = Side {
                pointer,
                to: Type::VOID,
                element: None,
                align: WIDEST,
                row: None,
                crosses: false,
            };
            let bytes = l.as_index(bytes, Scalar::ADDRESS);
            l.set_memory(side, None, &Bytes { factor: 1, values: vec![bytes] }, span)
        })?;
        Ok(memory)
    }

    /// `malloc`.
    pub(super) fn memory(&mut self, arguments: &[ExprId], span: Span) -> Lowering<Value> {
        let &[bytes] = arguments else {
            return self.error(span, "this function takes another number of arguments");
        };
        let bytes = self.rvalue(bytes)?;
        self.device_memory(bytes, span)
    }

    /// The device's `malloc`. A GPU's rounds sizes near 2⁶⁴ up to nothing, and gives a block for it (seen on an H100).
    fn device_memory(&mut self, bytes: Value, span: Span) -> Lowering<Value> {
        self.locate(span);
        let address = Scalar::ADDRESS.register(&mut self.b.ctx);
        self.declare_function("malloc", &[address], &[address], SYSTEM);
        let much = arith::constant_int(&mut self.b, TOO_MUCH, address);
        let op = arith::MinUIOp::new(&mut self.b, bytes, much);
        let bytes = self.value(op);
        match self.call_symbol("malloc", &[bytes], &[address]) {
            Some(memory) => Ok(memory),
            None => self.untraced(span),
        }
    }

    /// What a pointer argument points to, seen through conversions to `void *`.
    fn side_of(&mut self, argument: ExprId, span: Span) -> Lowering<Side> {
        let unit = self.unit;
        // A pointer to a type is one to an object aligned for it, whatever it is converted to (C11 §6.3.2.3).
        let (mut expr, mut align) = (argument, 1);
        loop {
            if let Some(to) = unit.types.pointee(self.ty(expr)) {
                align = align.max(unit.types.alignment(to).unwrap_or(1));
            }
            expr =
                match unit.exprs[expr].kind {
                    ExprKind::Paren(inner) => inner,
                    ExprKind::Cast {
                        kind: CastKind::Pointer | CastKind::Same, operand, ..
                    } if self.is_pointer(operand) => operand,
                    _ => break,
                };
        }
        let mut pointer = self.pointer(expr)?;
        let mut to = unit.types.pointee(self.ty(expr)).unwrap_or(Type::ERROR);
        let mut rows = 0;
        while let Some((element, _)) = unit.types.as_array(to) {
            pointer = self.decay(pointer, to, span)?;
            to = element;
            rows += 1;
        }
        if self.is_complex_type(to)
            && let Form::Elements { .. } = self.buffers[pointer.buffer].form
        {
            let zero = self.index(0);
            self.check_position(&pointer, to, span)?;
            pointer.position.push(zero);
            rows += 1;
        }
        let (element, row) = match self.buffers[pointer.buffer].form.clone() {
            Form::Bytes => (None, None),
            Form::Single { element, size } => (Some((element, size)), Some(1)),
            Form::Elements { element, size, inner } => {
                if pointer.position.len() != inner.len() + 1 {
                    return self.needs_bytes(pointer.buffer, span);
                }
                // A pointer into a row is taken to stay in it, as one that is counted up is.
                let last = inner.last().copied();
                (Some((element, size)), last.filter(|_| rows > 0))
            }
        };
        let align = align.clamp(1, WIDEST);
        Ok(Side { pointer, to, element, align, row, crosses: false })
    }

    /// A side seen as bytes, because what is moved is not whole elements.
    fn as_bytes(&mut self, side: Side, span: Span) -> Lowering<Side> {
        if self.buffers[side.pointer.buffer].address.is_none() {
            return self.needs_bytes(side.pointer.buffer, span);
        }
        let address = self.address_of(&side.pointer);
        let pointer = self.pointee_of(address, Type::VOID);
        Ok(Side { pointer, element: None, row: None, ..side })
    }

    /// A side of which so many bytes are accessed.
    fn settled(&self, side: Side, bytes: &Bytes, span: Span) -> Lowering<Side> {
        let (Some((_, size)), Some(row)) = (side.element, side.row) else { return Ok(side) };
        let stays = bytes.is_constant().is_some_and(|bytes| bytes <= row.saturating_mul(size));
        let single = matches!(self.buffers[side.pointer.buffer].form, Form::Single { .. });
        let whole = bytes.is_constant().is_some_and(|bytes| bytes == 0 || bytes == size);
        if single && !whole {
            return self.refuse(
                span,
                Diagnostic::error(
                    "only all of a variable can be copied or set at once in device code",
                )
                .label(format!("the variable has {size} bytes"))
                .help("let the number of bytes be the variable's `sizeof`, or declare an array"),
            );
        }
        Ok(Side { crosses: !stays && !single, ..side })
    }

    /// A number of bytes as a product.
    fn bytes(&mut self, expr: ExprId) -> Lowering<Bytes> {
        let mut bytes = Bytes { factor: 1, values: Vec::new() };
        self.add_factors(expr, &mut bytes)?;
        if bytes.factor == 0 {
            bytes.values.clear();
        }
        Ok(bytes)
    }

    fn add_factors(&mut self, expr: ExprId, bytes: &mut Bytes) -> Lowering<()> {
        let unit = self.unit;
        if let Some(value) = unit.constant_int(expr)
            && let Ok(value) = u64::try_from(value)
            && let Some(factor) = bytes.factor.checked_mul(value)
        {
            bytes.factor = factor;
            return Ok(());
        }
        match unit.exprs[expr].kind {
            ExprKind::Paren(inner) => return self.add_factors(inner, bytes),
            ExprKind::SizeofVariable(of) => {
                let scalar = Scalar::in_memory(unit, flatten(unit, of).0);
                let count = self.units(of, false, self.span(expr))?;
                bytes.values.push(count);
                bytes.factor = bytes.factor.saturating_mul(scalar.map_or(1, Scalar::size));
                return Ok(());
            }
            ExprKind::Cast { kind: CastKind::Integer, operand, .. } => {
                let bits = |e| match Scalar::of(unit, self.ty(e)) {
                    Some(Scalar::Int { bits, signed }) => Some((bits, signed)),
                    _ => None,
                };
                // A product that may wrap before it is widened is a value like others.
                if let (Some((64, _)), Some((_, true) | (64, _))) = (bits(expr), bits(operand)) {
                    return self.add_factors(operand, bytes);
                }
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if !matches!(Scalar::of(unit, self.ty(expr)), Some(Scalar::Int { bits, signed: false }) if bits < 64) =>
            {
                self.add_factors(a, bytes)?;
                return self.add_factors(b, bytes);
            }
            _ => {}
        }
        let value = self.subscript(expr)?;
        bytes.values.push(value);
        Ok(())
    }

    /// How many pieces of `unit` bytes, which divides the factor or is a power of two.
    pub(super) fn units_in(&mut self, bytes: &Bytes, unit: u64) -> Value {
        let whole = bytes.factor.is_multiple_of(unit);
        let mut count = self.index(if whole { bytes.factor / unit } else { bytes.factor } as i64);
        for &value in &bytes.values {
            count = self.multiply_index(count, value);
        }
        if whole {
            return count;
        }
        let unit = self.index(unit as i64);
        let op = arith::DivUIOp::new(&mut self.b, count, unit);
        self.value(op)
    }

    /// Whether two sides are different objects.
    fn are_apart(&self, a: &Side, b: &Side) -> bool {
        let is_own = |side: &Side| self.is_local(&side.pointer);
        let memref = |side: &Side| self.buffers[side.pointer.buffer].memref;
        let known = |side: &Side| self.buffers[side.pointer.buffer].address.is_none();
        memref(a) != memref(b) && known(a) && known(b) && (is_own(a) || is_own(b))
    }

    /// Moves bytes.
    fn copy_memory(
        &mut self,
        to: Side,
        from: Side,
        bytes: &Bytes,
        overlap: bool,
        span: Span,
    ) -> Lowering<()> {
        if to.element.is_none()
            && from.element.is_none()
            && self.unit.types.as_record(from.to) == self.unit.types.as_record(to.to)
            && let Some(pieces) = self.whole_record(&to, bytes)
        {
            self.copy_pieces(&from.pointer, &to.pointer, &pieces);
            return Ok(());
        }
        let size = |side: &Side| side.element.map_or(0, |(_, size)| size);
        let unit = match size(&to).max(size(&from)) {
            0 => to.align.min(from.align),
            size => size,
        };
        let (to, from) = (self.settled(to, bytes, span)?, self.settled(from, bytes, span)?);
        if unit > 1 && !bytes.factor.is_multiple_of(unit) && size(&to).max(size(&from)) > 1 {
            let (to, from) = match size(&to) >= size(&from) {
                true => (self.as_bytes(to, span)?, from),
                false => (to, self.as_bytes(from, span)?),
            };
            return self.copy_memory(to, from, bytes, overlap, span);
        }
        let wanted = to.element.filter(|&(_, size)| size == unit).map(|(element, _)| element);
        let upwards = overlap.then(|| {
            let (to, from) = (self.address_of(&to.pointer), self.address_of(&from.pointer));
            self.compare_int(CmpIPredicate::Ule, to, from)
        });
        self.pieces(&to, bytes, unit, upwards, span, &mut |l, unit, piece| {
            let wanted = wanted.unwrap_or_else(|| l.b.ctx.int(unit as u32 * 8));
            l.take(&from, unit, piece, wanted, span)
        })
    }

    /// Sets bytes to a value, or clears them.
    fn set_memory(
        &mut self,
        to: Side,
        byte: Option<Value>,
        bytes: &Bytes,
        span: Span,
    ) -> Lowering<()> {
        if byte.is_none()
            && to.element.is_none()
            && let Some(pieces) = self.whole_record(&to, bytes)
        {
            self.clear_pieces(&to.pointer, &pieces);
            return Ok(());
        }
        let to = self.settled(to, bytes, span)?;
        let size = to.element.map_or(0, |(_, size)| size);
        if size > 1 && !bytes.factor.is_multiple_of(size) {
            let to = self.as_bytes(to, span)?;
            return self.set_memory(to, byte, bytes, span);
        }
        let unit = if size == 0 { to.align } else { size };
        self.pieces(&to, bytes, unit, None, span, &mut |l, unit, _| Ok(l.repeated(byte, unit)))
    }

    /// The members of a structure, and what lies between them, where all of one is moved.
    fn whole_record(&mut self, side: &Side, bytes: &Bytes) -> Option<Vec<(u64, IrType)>> {
        self.unit.types.as_record(side.to)?;
        let whole = bytes.is_constant() == self.unit.types.size_of(side.to);
        let (mut leaves, gaps) = whole.then(|| self.leaves_and_gaps(side.to)).flatten()?;
        leaves.extend(gaps);
        Some(leaves)
    }

    /// A byte's value as an integer of eight bits; none for zero.
    fn byte(&mut self, expr: ExprId) -> Lowering<Option<Value>> {
        let i8 = self.b.ctx.int(8);
        if let Some(value) = self.unit.constant_int(expr) {
            let value = value & 0xff;
            return Ok((value != 0).then(|| arith::constant_int(&mut self.b, value, i8)));
        }
        let value = self.rvalue(expr)?;
        let op = arith::TruncIOp::new(&mut self.b, value).result(i8);
        Ok(Some(self.value(op)))
    }

    /// A piece of `unit` bytes of one value.
    fn repeated(&mut self, byte: Option<Value>, unit: u64) -> Value {
        let ty = self.b.ctx.int(unit as u32 * 8);
        let Some(byte) = byte else { return arith::constant_int(&mut self.b, 0, ty) };
        if unit == 1 {
            return byte;
        }
        let op = arith::ExtUIOp::new(&mut self.b, byte).result(ty);
        let value = self.value(op);
        let ones = (0..unit).fold(0, |ones: i128, _| ones << 8 | 1);
        let ones = arith::constant_int(&mut self.b, ones, ty);
        let op = arith::MulIOp::new(&mut self.b, value, ones);
        self.value(op)
    }
}
