//! Irregular parts of the formats: tokens, types of launch sizes, operands of kernels.

use gpuc_ir::op::{CustomDirective, operand_group};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult};
use gpuc_ir::{Op, OpState, OpView};

use super::attributes::{async_token, is_async_token};
use super::launch::LaunchFuncOp;

/// `custom<AsyncDependencies>(type($asyncToken), $asyncDependencies)`: `async [%a, %b]`, both parts
/// optional.
pub(super) static ASYNC_DEPENDENCIES: CustomDirective = CustomDirective {
    name: "AsyncDependencies",
    parse: |p, _| {
        if p.optional_keyword("async") {
            if p.result_count() == 0 {
                return p.error(p.name_position(), "needs to be named when marked 'async'");
            }
            let token = async_token(&mut p.ir.ctx);
            p.set_result_types("asyncToken", &[token]);
        }
        let dependencies = p.parse_operand_list(Delimiter::OptionalSquare)?;
        p.set_operands("asyncDependencies", &dependencies);
        Ok(())
    },
    print: print_async_dependencies,
};

/// Writes `async [%a]`.
pub(super) fn print_async_dependencies(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    let Some(def) = ir.def(op) else { return };
    // The token is the last result.
    let last = ir.results(op).last();
    let asynchronous = last.is_some_and(|&token| is_async_token(&ir.ctx, ir.ty(token)));
    if asynchronous {
        p.write("async");
    }
    let dependencies = operand_group(ir, op, def, 0);
    if !dependencies.is_empty() {
        p.write(if asynchronous { " [" } else { "[" });
        p.operands(dependencies);
        p.write("]");
    }
}

/// `custom<ThreadLoops>($threads)`: variables of loops over threads, one at least. A barrier that says whom it
/// synchronises synchronises someone.
pub(super) static THREAD_LOOPS: CustomDirective = CustomDirective {
    name: "ThreadLoops",
    parse: |p, _| {
        let at = p.here();
        let threads = p.parse_operand_list(Delimiter::None)?;
        if threads.is_empty() {
            return p.error(at, "expected a variable of a loop over threads");
        }
        p.set_operands("threads", &threads);
        Ok(())
    },
    print: |p, op| p.operands(p.ir.operands(op)),
};

/// `custom<LaunchDimType>(...)`: ` : i32` where the sizes are not of type `index`.
pub(super) static LAUNCH_DIM_TYPE: CustomDirective = CustomDirective {
    name: "LaunchDimType",
    parse: |p, _| {
        let ty = if p.eat(":") { p.parse_type()? } else { p.ir.ctx.index() };
        for spec in &LaunchFuncOp::def().operands[LAUNCH_SIZES] {
            if !p.operands_so_far(spec.name).is_empty() {
                p.set_operand_types(spec.name, &[ty]);
            }
        }
        Ok(())
    },
    print: |p, op| {
        let ty = p.ir.ty(LaunchFuncOp(op).gridSizeX(p.ir));
        if !p.ir.ctx.is_index(ty) {
            p.write(": ");
            p.ty(ty);
        }
    },
};

/// Where the sizes of grid, block and cluster are among the operand groups.
const LAUNCH_SIZES: std::ops::Range<usize> = 1..10;

/// `custom<LaunchFuncOperands>($kernelOperands, type($kernelOperands))`: `args(%a : f32, ...)`.
pub(super) static LAUNCH_FUNC_OPERANDS: CustomDirective = CustomDirective {
    name: "LaunchFuncOperands",
    parse: parse_launch_operands,
    print: |p, op| {
        let operands = LaunchFuncOp(op).kernelOperands(p.ir);
        if operands.is_empty() {
            return;
        }
        p.write("args(");
        p.list(operands, |p, value| {
            p.operand(value);
            p.write(" : ");
            p.ty(p.ir.ty(value));
        });
        p.write(")");
    },
};

fn parse_launch_operands(p: &mut OpParser<'_, '_>, _: &mut OpState) -> ParseResult<()> {
    if !p.optional_keyword("args") {
        return Ok(());
    }
    let (mut operands, mut types) = (Vec::new(), Vec::new());
    p.delimited_list(Delimiter::Paren, |p| {
        operands.push(p.parse_operand()?);
        types.push(p.parse_colon_type()?);
        Ok(())
    })?;
    p.set_operands("kernelOperands", &operands);
    p.set_operand_types("kernelOperands", &types);
    Ok(())
}

/// `custom<Targets>($targets)`: `[#nvvm.target, ...]`. An array by its bracket: a dictionary behind
/// the name would be the body.
pub(super) static TARGETS: CustomDirective = CustomDirective {
    name: "Targets",
    parse: |p, state| {
        if p.at("[") {
            let targets = p.parse_attr()?;
            state.attrs.push((p.ir.ctx.ident("targets"), targets));
        }
        Ok(())
    },
    print: |p, op| {
        if let Some(targets) = p.ir.attr(op, "targets") {
            p.attr(targets);
        }
    },
};
