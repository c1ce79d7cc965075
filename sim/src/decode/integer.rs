//! Integer instructions of irregular form.

use crate::isa::Matched;
use crate::program::{Op, PermuteMode};
use crate::syntax::Instruction;

use super::{Lowering, Refusal};

/// `prmt.b32{.mode} d, a, b, c`.
pub(crate) fn prmt(
    lowering: &mut Lowering<'_, '_>,
    instruction: &Instruction<'_>,
    matched: &Matched,
) -> Result<(), Refusal> {
    let mode = match matched.get("mode") {
        None => PermuteMode::Index,
        Some("f4e") => PermuteMode::F4e,
        Some("b4e") => PermuteMode::B4e,
        Some("rc8") => PermuteMode::Rc8,
        Some("ecl") => PermuteMode::Ecl,
        Some("ecr") => PermuteMode::Ecr,
        Some(_) => PermuteMode::Rc16,
    };
    let operands = lowering.operands(instruction, "=b32 b32 b32 b32", matched)?;
    lowering.emit(Op::Prmt(mode), operands);
    Ok(())
}
