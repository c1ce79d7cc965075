//! Groups of operands and results, and branches.

use gpuc_ir::op::{Effect, EffectKind, TypeConstraint, types};
use gpuc_ir::{TypeKind, op};
use types::ANY;

static TENSOR: TypeConstraint = TypeConstraint {
    summary: "tensor of any type values",
    holds: |ctx, ty| {
        matches!(ctx.type_kind(ty), TypeKind::Tensor { .. } | TypeKind::UnrankedTensor(_))
    },
    build: None,
};

op! {
    /// Two groups of equal length round one operand.
    MixedVariadicOperandOp = "test.mixed_normal_variadic_operand" {
        operands { input1: Variadic TENSOR, input2: One TENSOR, input3: Variadic TENSOR }
    }
}

op! {
    /// Two groups of equal length round one result.
    MixedVariadicResultOp = "test.mixed_normal_variadic_result" {
        results { output1: Variadic TENSOR, output2: One TENSOR, output3: Variadic TENSOR }
    }
}

op! {
    /// Goes to a block and hands on its operands.
    BranchOp = "test.br" {
        operands { targetOperands: Variadic ANY }
        successors { target: One }
        traits TERMINATOR
        hooks { successor_operands: Some(|ir, op, _| 0..ir.operand_count(op)) }
    }
}

op! {
    /// Allocates what its result stands for, and does nothing else.
    TestEffectsResultOp = "test.test_effects_result" {
        results { result: One types::I32 }
        hooks {
            effects: Some(|ir, op, effects| {
                effects.push(Effect { kind: EffectKind::Allocate, on: Some(ir.result(op, 0)) });
            }),
        }
    }
}
