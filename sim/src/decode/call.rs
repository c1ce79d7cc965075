//! Calls and returns.

use crate::isa::{Matched, Type};
use crate::program::{AccessShape, MemorySpace, NO_ROW, NOWHERE, Op, PRED_TRUE, pred_source};
use crate::syntax::{Instruction, Name, Operand, OperandKind, Span};

use super::functions::{Formal, Signature, undefined};
use super::scope::Symbol;
use super::{Lowering, Operands, Refusal, system};

/// `ret{.uni}`: to the caller, or the end of the thread in a kernel.
pub(crate) fn ret(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 0)?;
    if lowering.in_device_function() {
        lowering.leave();
    } else {
        lowering.emit(Op::Exit, Operands::default());
    }
    Ok(())
}

/// The operands in the parentheses of a call.
pub(super) fn group_items<'i, 'x>(operand: Option<&'i Operand<'x>>) -> &'i [Operand<'x>] {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Group(items)) => items,
        _ => &[],
    }
}

/// Whom a call calls.
enum Callee {
    Function(u32),
    /// A function of the device's runtime system, by its name.
    System(system::Function),
    /// The row of an address.
    Address(u32),
}

/// `call{.uni} (results), function, (arguments){, prototype or targets}`.
pub(crate) fn call(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    let mut operands = instruction.operands.iter().peekable();
    let group = |operand: Option<&&Operand<'_>>| {
        matches!(operand.map(|o| &o.kind), Some(OperandKind::Group(_)))
    };
    let results = if group(operands.peek()) { operands.next() } else { None };
    let Some(target) = operands.next() else {
        return Err(lowering.error(instruction.span, "`call` without a function"));
    };
    let arguments = if group(operands.peek()) { operands.next() } else { None };
    let (results, arguments) = (group_items(results), group_items(arguments));
    let (callee, signature) = callee(lowering, target, operands.next())?;
    for (formals, actuals, what) in
        [(&signature.results, results, "results"), (&signature.params, arguments, "arguments")]
    {
        if formals.len() != actuals.len() {
            let name = if let OperandKind::Name(name) = target.kind { name } else { "" };
            let message = format!("`{name}` has {} {what}, found {}", formals.len(), actuals.len());
            return Err(lowering.error(instruction.span, message));
        }
    }
    // A guarded call is a branch around it.
    let end = lowering.new_label();
    let guarded = lowering.guard != pred_source(PRED_TRUE, false);
    if guarded {
        lowering.guard ^= 1;
        lowering.emit(Op::Branch { target: end, reconverge: NOWHERE }, Operands::default());
        lowering.guard = pred_source(PRED_TRUE, false);
    }
    let local_top = lowering.local_top;
    if let Callee::System(function) = callee {
        system::call(lowering, function, instruction, results, arguments)?;
    } else {
        transfer(lowering, &callee, &signature, results, arguments)?;
    }
    lowering.local_top = local_top;
    if guarded {
        lowering.place_label(end);
    }
    Ok(())
}

/// The function, system function or address that a call names, with its signature.
fn callee(
    lowering: &mut Lowering<'_, '_>,
    target: &Operand<'_>,
    prototype: Option<&Operand<'_>>,
) -> Result<(Callee, Signature), Refusal> {
    let span = target.span;
    let OperandKind::Name(name) = target.kind else {
        return Err(lowering.error(span, "expected the name of a function or a register"));
    };
    match lowering.find(name) {
        Some(Symbol::Register { ty, row }) if ty.bits() == 64 => {
            let Some(prototype) = prototype else {
                let message = "an indirect call needs a `.callprototype` or `.calltargets`";
                return Err(lowering.error(span, message));
            };
            let symbol = match prototype.kind {
                OperandKind::Name(name) => lowering.find(name),
                _ => None,
            };
            let Some(Symbol::Prototype(number)) = symbol else {
                return Err(lowering.error(prototype.span, "expected the name of a prototype"));
            };
            let signature = lowering.functions.prototypes[number as usize].clone();
            Ok((Callee::Address(row), signature))
        }
        Some(Symbol::Function(number)) => {
            let function = &lowering.program.functions[number as usize].item;
            let signature = Signature::of(&function.returns, &function.params);
            if function.body.is_some() {
                return Ok((Callee::Function(number), signature));
            }
            match system::Function::by_name(name) {
                Some(system) => Ok((Callee::System(system), signature)),
                None => Err(lowering.error(span, undefined(function))),
            }
        }
        Some(Symbol::Register { ty, .. }) => {
            Err(lowering.error(span, format!("the address of a function has 64 bits, not {ty}")))
        }
        _ => Err(lowering.unknown("function", Name { text: name, span })),
    }
}

/// Passes the arguments, calls, and takes the results.
fn transfer(
    lowering: &mut Lowering<'_, '_>,
    callee: &Callee,
    signature: &Signature,
    results: &[Operand<'_>],
    arguments: &[Operand<'_>],
) -> Result<(), Refusal> {
    let count = signature.results.len();
    // Results in registers that go to the caller's, with the variable between them if there is one.
    let mut taken = Vec::new();
    for (n, (formal, actual)) in signature.results.iter().zip(results).enumerate() {
        let passing = lowering.passing_row(n);
        if formal.register {
            if !matches!(actual.kind, OperandKind::Sink) {
                let dst = lowering.destination(actual, formal.ty, false)?;
                taken.push((dst, passing, *formal, None));
            }
            continue;
        }
        let address = match variable(lowering, actual, *formal)? {
            Some(address) => address,
            None => {
                let symbol = temporary(lowering, actual.span, *formal)?;
                if !matches!(actual.kind, OperandKind::Sink) {
                    let dst = lowering.destination(actual, formal.ty, true)?;
                    taken.push((dst, passing, *formal, Some(symbol)));
                }
                lowering.symbol_address(symbol, 0).unwrap_or(NO_ROW)
            }
        };
        lowering.move_row(passing, address, true);
    }
    // Values first, as the rows that pass them may be sources of others.
    let mut passed = Vec::new();
    for (n, (formal, actual)) in signature.params.iter().zip(arguments).enumerate() {
        let passing = lowering.passing_row(count + n);
        if formal.register {
            let row = lowering.source_row(actual, formal.ty, false)?;
            passed.push((passing, row, formal.ty.bits() > 32));
            continue;
        }
        let address = match variable(lowering, actual, *formal)? {
            Some(address) => address,
            None => {
                let row = lowering.source_row(actual, formal.ty, false)?;
                let symbol = temporary(lowering, actual.span, *formal)?;
                access(lowering, symbol, *formal, row, false);
                lowering.symbol_address(symbol, 0).unwrap_or(NO_ROW)
            }
        };
        passed.push((passing, address, true));
    }
    for (passing, row, wide) in passed {
        lowering.move_row(passing, row, wide);
    }
    // The caller, until all functions are known.
    let saved = lowering.frame.as_ref().map_or(NOWHERE, |frame| frame.number);
    match *callee {
        Callee::Function(number) => {
            let function = lowering.reach(number);
            lowering.note_call(Some(function));
            lowering.emit(Op::Call { function, saved }, Operands::default());
        }
        Callee::Address(row) => {
            lowering.note_call(None);
            lowering.stack_row();
            let src = [row, NO_ROW, NO_ROW, NO_ROW];
            lowering.emit(Op::CallIndirect { saved }, Operands { src, ..Operands::default() });
        }
        Callee::System(_) => {}
    }
    for (dst, passing, formal, symbol) in taken {
        match symbol {
            Some(symbol) => access(lowering, symbol, formal, dst, true),
            None => lowering.move_row(dst, passing, formal.ty.bits() > 32),
        }
    }
    Ok(())
}

/// The row of the address of a variable of the `.param` space that is passed as it is; `None` for
/// other operands.
fn variable(
    lowering: &mut Lowering<'_, '_>,
    actual: &Operand<'_>,
    formal: Formal,
) -> Result<Option<u32>, Refusal> {
    let OperandKind::Name(name) = actual.kind else { return Ok(None) };
    let symbol = lowering.find(name);
    let (Some(symbol @ Symbol::CallParam { size, .. })
    | Some(symbol @ Symbol::FormalParam { size, .. })) = symbol
    else {
        return Ok(None);
    };
    if size != formal.size {
        let message = format!("{size} bytes are passed for a parameter of {} bytes", formal.size);
        return Err(lowering.error(actual.span, message));
    }
    Ok(lowering.symbol_address(symbol, 0))
}

/// A variable of the frame for a value on its way.
pub(super) fn temporary(
    lowering: &mut Lowering<'_, '_>,
    span: Span,
    formal: Formal,
) -> Result<Symbol, Refusal> {
    if formal.size != formal.ty.bytes() {
        return Err(lowering.error(span, "expected a variable of the `.param` space"));
    }
    match lowering.local_variable(formal.size, formal.align) {
        Some(offset) => Ok(Symbol::CallParam { offset, size: formal.size }),
        None => Err(lowering.error(span, "more than 512 KiB of local memory")),
    }
}

/// Loads or stores a variable of the frame.
pub(super) fn access(
    lowering: &mut Lowering<'_, '_>,
    symbol: Symbol,
    formal: Formal,
    row: u32,
    load: bool,
) {
    let Some((base, imm)) = lowering.symbol_base(symbol) else { return };
    let access = AccessShape {
        space: MemorySpace::Local,
        bytes: formal.ty.bytes().clamp(1, 8) as u8,
        count: 1,
        signed: formal.ty.is_signed(),
        wide: formal.ty.bits() > 32,
        narrow_address: false,
        strong: false,
        releases: false,
    };
    let list = lowering.list(&[row]);
    let op = if load { Op::Load(access, list) } else { Op::Store(access, list) };
    let src = [base, NO_ROW, NO_ROW, NO_ROW];
    lowering.emit(op, Operands { src, imm, ..Operands::default() });
}

/// `alloca.type ptr, size{, align}`: memory of the frame until the function returns.
pub(crate) fn alloca(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 3)?;
    let ty = address_type(lowering, instruction, matched)?;
    let dst = lowering.destination(lowering.nth(instruction, 0)?, ty, false)?;
    let size = lowering.source_row(lowering.nth(instruction, 1)?, ty, false)?;
    let align = match instruction.operands.get(2) {
        None => 8,
        Some(operand) => {
            let align = lowering.integer_literal(operand)?;
            if !align.is_power_of_two() || align > 1 << 16 {
                return Err(lowering.error(operand.span, format!("{align} is not an alignment")));
            }
            align as u32
        }
    };
    let stack = lowering.stack_row();
    lowering.note_allocation();
    let src = [stack, size, NO_ROW, NO_ROW];
    lowering
        .emit(Op::Allocate { align, sized: true }, Operands { dst, src, ..Operands::default() });
    Ok(())
}

/// `stacksave.type d` and `stackrestore.type a`.
pub(crate) fn stack(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 1)?;
    let ty = address_type(lowering, instruction, matched)?;
    let operand = lowering.nth(instruction, 0)?;
    let stack = lowering.stack_row();
    lowering.note_allocation();
    if instruction.opcode.text == "stacksave" {
        let dst = lowering.destination(operand, ty, false)?;
        lowering.move_row(dst, stack, true);
    } else {
        let row = lowering.source_row(operand, ty, false)?;
        lowering.move_row(stack, row, true);
    }
    Ok(())
}

fn address_type(
    lowering: &Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<Type, Refusal> {
    if matched.ty().bits() == 64 {
        return Ok(Type::U64);
    }
    Err(lowering.error(instruction.span, "32-bit stack addresses are not supported"))
}
