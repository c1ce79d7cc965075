//! Calls of the device's runtime system: functions that a program declares and nobody defines.

use crate::isa::Type;
use crate::program::{NO_ROW, Op, SystemCall};
use crate::syntax::{Instruction, Operand, OperandKind};

use super::functions::Formal;
use super::scope::Symbol;
use super::{Lowering, Operands, Refusal, call};

/// A system function by the types of its result and arguments.
#[derive(Clone, Copy)]
pub(super) struct Function {
    name: &'static str,
    call: SystemCall,
    result: Option<Type>,
    arguments: &'static [Type],
}

const FUNCTIONS: [Function; 4] = [
    Function {
        name: "vprintf",
        call: SystemCall::Printf,
        result: Some(Type::B32),
        arguments: &[Type::B64, Type::B64],
    },
    Function {
        name: "malloc",
        call: SystemCall::Malloc,
        result: Some(Type::B64),
        arguments: &[Type::B64],
    },
    Function { name: "free", call: SystemCall::Free, result: None, arguments: &[Type::B64] },
    Function {
        name: "__assertfail",
        call: SystemCall::AssertFail,
        result: None,
        arguments: &[Type::B64, Type::B64, Type::B32, Type::B64, Type::B64],
    },
];

impl Function {
    pub(super) fn by_name(name: &str) -> Option<Function> {
        FUNCTIONS.iter().find(|function| function.name == name).copied()
    }
}

/// Loads the arguments, does the call, stores the result.
pub(super) fn call(
    lowering: &mut Lowering<'_, '_>,
    function: Function,
    instruction: &Instruction<'_>,
    results: &[Operand<'_>],
    arguments: &[Operand<'_>],
) -> Result<(), Refusal> {
    let Function { name, call, result, arguments: types } = function;
    if arguments.len() != types.len() || results.len() > 1 {
        let message =
            format!("`{name}` takes {} arguments, found {}", types.len(), arguments.len());
        return Err(lowering.error(instruction.span, message));
    }
    let mut operands = Operands::default();
    // The last argument of a failed assertion, the size of its characters, is always one.
    for (n, (actual, &ty)) in arguments.iter().zip(types).take(operands.src.len()).enumerate() {
        operands.src[n] = argument(lowering, actual, ty)?;
    }
    operands.dst = if result.is_some() { lowering.scratch64() } else { NO_ROW };
    lowering.code.uses_heap |= matches!(call, SystemCall::Malloc | SystemCall::Free);
    lowering.emit(Op::System(call), operands);
    let (Some(ty), Some(actual)) = (result, results.first()) else { return Ok(()) };
    match param(lowering, actual, ty)? {
        Some(symbol) => {
            call::access(lowering, symbol, formal(ty), operands.dst, false);
        }
        None if matches!(actual.kind, OperandKind::Sink) => {}
        None => {
            let dst = lowering.destination(actual, ty, false)?;
            lowering.move_row(dst, operands.dst, ty.bits() > 32);
        }
    }
    Ok(())
}

fn formal(ty: Type) -> Formal {
    Formal { ty, size: ty.bytes(), align: ty.bytes(), register: false }
}

/// The row of an argument's value.
fn argument(
    lowering: &mut Lowering<'_, '_>,
    actual: &Operand<'_>,
    ty: Type,
) -> Result<u32, Refusal> {
    match param(lowering, actual, ty)? {
        Some(symbol) => {
            let row = lowering.scratch64();
            call::access(lowering, symbol, formal(ty), row, true);
            Ok(row)
        }
        None => lowering.source_row(actual, ty, false),
    }
}

/// A variable of the `.param` space, which must have the size of a type.
fn param(
    lowering: &mut Lowering<'_, '_>,
    actual: &Operand<'_>,
    ty: Type,
) -> Result<Option<Symbol>, Refusal> {
    let OperandKind::Name(name) = actual.kind else { return Ok(None) };
    match lowering.find(name) {
        Some(symbol @ (Symbol::CallParam { size, .. } | Symbol::FormalParam { size, .. })) => {
            if size == ty.bytes() {
                Ok(Some(symbol))
            } else {
                let message = format!("{size} bytes are passed for {ty}");
                Err(lowering.error(actual.span, message))
            }
        }
        _ => Ok(None),
    }
}
