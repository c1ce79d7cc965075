//! Branches, calls and barriers.

use crate::isa::{Matched, Type};
use crate::program::{BarrierKind, NOWHERE, Op, PRED_TRUE, pred_source};
use crate::syntax::{Instruction, Name, Operand, OperandKind};

use super::scope::Symbol;
use super::{Class, Lowering, MAX_CALL_DEPTH, Operands, Refusal};

/// `bra{.uni} label`. The target stays a label number until all labels are placed.
pub(crate) fn bra(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    let operand = lowering.nth(instruction, 0)?;
    lowering.at_most(instruction, 1)?;
    let OperandKind::Name(text) = operand.kind else {
        return Err(lowering.error(operand.span, "expected a label"));
    };
    let target = lowering.label(Name { text, span: operand.span })?;
    lowering.emit(Op::Branch { target, reconverge: NOWHERE }, Operands::default());
    Ok(())
}

/// `brx.idx index, targets`.
pub(crate) fn brx(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    let index = lowering.source_row(lowering.nth(instruction, 0)?, Type::U32, false)?;
    let operand = lowering.nth(instruction, 1)?;
    lowering.at_most(instruction, 2)?;
    let OperandKind::Name(text) = operand.kind else {
        return Err(lowering.error(operand.span, "expected the name of a `.branchtargets` list"));
    };
    let Some(Symbol::Targets(table)) = lowering.find(text) else {
        return Err(lowering.unknown("list of branch targets", Name { text, span: operand.span }));
    };
    let operands = Operands { src: [index, 0, 0, 0], imm: i64::from(table), ..Operands::default() };
    lowering.emit(Op::BranchTable { reconverge: NOWHERE }, operands);
    Ok(())
}

/// `ret{.uni}`: to the caller where the function is inlined, otherwise the end of the thread.
pub(crate) fn ret(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    _: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 0)?;
    let op = match lowering.returns_to.last() {
        Some(&target) => Op::Branch { target, reconverge: NOWHERE },
        None => Op::Exit,
    };
    lowering.emit(op, Operands::default());
    Ok(())
}

/// The operands in the parentheses of a call.
fn group_items<'i, 'x>(operand: Option<&'i Operand<'x>>) -> &'i [Operand<'x>] {
    match operand.map(|operand| &operand.kind) {
        Some(OperandKind::Group(items)) => items,
        _ => &[],
    }
}

/// `call{.uni} (results), function, (arguments)`: the function's body comes here, its parameters
/// being the caller's variables.
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
    let Some(callee) = operands.next() else {
        return Err(lowering.error(instruction.span, "`call` without a function"));
    };
    let arguments = if group(operands.peek()) { operands.next() } else { None };
    let OperandKind::Name(name) = callee.kind else {
        return Err(lowering.error(callee.span, "expected the name of a function"));
    };
    if let Some(Symbol::Register { .. }) = lowering.find(name) {
        return Err(lowering.error(callee.span, "indirect calls are not supported"));
    }
    let Some(&function) = lowering.names.functions.get(name) else {
        return Err(lowering.unknown("function", Name { text: name, span: callee.span }));
    };
    let Some(body) = &function.body else {
        if name == "__assertfail" {
            lowering.emit(Op::Trap, Operands::default());
            return Ok(());
        }
        let message = format!(
            "`{name}` is declared but not defined in this module, and cannot be linked here"
        );
        return Err(lowering.error(callee.span, message));
    };
    if lowering.calls.contains(&function.name.text) {
        return Err(lowering
            .error(callee.span, format!("recursion is not supported: `{name}` calls itself")));
    }
    if lowering.calls.len() >= MAX_CALL_DEPTH {
        return Err(lowering.error(callee.span, "calls are nested too deeply"));
    }
    let mut bound = Vec::new();
    for (formal, actual, what) in [
        (&function.returns, group_items(results), "results"),
        (&function.params, group_items(arguments), "arguments"),
    ] {
        if formal.len() != actual.len() {
            let message = format!("`{name}` has {} {what}, found {}", formal.len(), actual.len());
            return Err(lowering.error(instruction.span, message));
        }
        for (formal, &Operand { ref kind, span }) in formal.iter().zip(actual) {
            let symbol =
                if let OperandKind::Name(text) = *kind { lowering.find(text) } else { None };
            match symbol {
                Some(symbol @ Symbol::CallParam { size, .. }) if size == formal.size => {
                    bound.push((formal.name.text, symbol));
                }
                Some(Symbol::CallParam { size, .. }) => {
                    let message = format!(
                        "{size} bytes are passed for `{}` of {} bytes",
                        formal.name.text, formal.size
                    );
                    return Err(lowering.error(span, message));
                }
                _ => return Err(lowering.error(span, "expected a variable of the `.param` space")),
            }
        }
    }
    // A guarded call is a branch around the body.
    let end = lowering.new_label();
    if lowering.guard != pred_source(PRED_TRUE, false) {
        lowering.guard ^= 1;
        lowering.emit(Op::Branch { target: end, reconverge: NOWHERE }, Operands::default());
        lowering.guard = pred_source(PRED_TRUE, false);
    }
    let (location, local_top) = (lowering.location, lowering.local_top);
    let floor = lowering.scopes.enter_function();
    for (name, symbol) in bound {
        lowering.scopes.declare(name, symbol);
    }
    lowering.calls.push(function.name.text);
    lowering.returns_to.push(end);
    lowering.block(body);
    lowering.returns_to.pop();
    lowering.calls.pop();
    lowering.scopes.leave_function(floor);
    (lowering.location, lowering.local_top) = (location, local_top);
    lowering.place_label(end);
    lowering.line = lowering.source.line(instruction.opcode.span.start);
    Ok(())
}

/// `bar{.cta}.sync a{, b}` and `.arrive a, b`.
pub(crate) fn bar_sync(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 2)?;
    let kind =
        if matched.get("op") == Some("arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
    if kind == BarrierKind::Arrive {
        lowering.nth(instruction, 1)?;
    }
    let mut operands = Operands::default();
    let counted = instruction.operands.len() > 1;
    for (src, operand) in operands.src.iter_mut().zip(&instruction.operands) {
        *src = lowering.source_row(operand, Type::U32, false)?;
    }
    lowering.nth(instruction, 0)?;
    let aligned = instruction.opcode.text == "bar" || matched.has("aligned");
    lowering.emit(Op::Barrier { kind, aligned, counted }, operands);
    Ok(())
}

/// `bar{.cta}.red.op d, a{, b}, c`.
pub(crate) fn bar_red(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    lowering.at_most(instruction, 4)?;
    let counted = instruction.operands.len() == 4;
    let target = lowering.nth(instruction, 0)?;
    let (kind, dst) = match matched.get("op") {
        Some("popc") => (BarrierKind::Popc, lowering.destination(target, Type::U32, false)?),
        Some("and") => (BarrierKind::And, lowering.predicate_destination(target)?),
        _ => (BarrierKind::Or, lowering.predicate_destination(target)?),
    };
    let mut operands = Operands { dst, ..Operands::default() };
    operands.src[0] = lowering.source_row(lowering.nth(instruction, 1)?, Type::U32, false)?;
    if counted {
        operands.src[1] = lowering.source_row(lowering.nth(instruction, 2)?, Type::U32, false)?;
    }
    let last = lowering.nth(instruction, if counted { 3 } else { 2 })?;
    operands.src[2] = lowering.predicate_source(last)?;
    lowering.class = Class::InterThread;
    let aligned = instruction.opcode.text == "bar" || matched.has("aligned");
    lowering.emit(Op::Barrier { kind, aligned, counted }, operands);
    Ok(())
}
