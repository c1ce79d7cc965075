//! `llvm`: of MLIR's dialect only the annotation of loops, which MLIR too hands on from `scf` to `cf`
//! and from there to the code generator.

use gpuc_ir::context::DialectDef;
use gpuc_ir::{Attr, Context, Ir, Op};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "llvm",
    summary: "Annotations of loops for the code generator.",
    ops: &[],
    materialize: None,
};

/// Name of the attribute by which loops, and the branches back that they become, say how they are to
/// be compiled.
pub const LOOP_ANNOTATION: &str = "llvm.loop_annotation";

const NO_UNROLL: &str = "loop_annotation<unroll = <disable = true>>";

const FULL_UNROLL: &str = "loop_annotation<unroll = <full = true>>";

/// The annotation that asks for a loop to become straight code.
pub fn full_unroll(ctx: &mut Context) -> Attr {
    ctx.dialect_attr("llvm", FULL_UNROLL)
}

/// Whether a loop is annotated so.
pub fn is_full_unroll(ir: &Ir, op: Op) -> bool {
    let annotation = ir.attr(op, LOOP_ANNOTATION);
    annotation.is_some_and(|attr| ir.ctx.dialect_attr_text(attr) == Some(("llvm", FULL_UNROLL)))
}

/// The annotation that asks for so many rounds of a loop to be done in one.
pub fn unroll_by(ctx: &mut Context, count: i64) -> Attr {
    ctx.dialect_attr("llvm", &format!("loop_annotation<unroll = <count = {count} : i32>>"))
}

/// How many rounds of a loop are to be done in one, where it is annotated so.
pub fn unroll_count(ir: &Ir, op: Op) -> Option<usize> {
    let (dialect, text) = ir.ctx.dialect_attr_text(ir.attr(op, LOOP_ANNOTATION)?)?;
    let text = text.strip_prefix("loop_annotation<unroll = <count = ")?;
    let count = text.strip_suffix(" : i32>>")?.parse().ok()?;
    (dialect == "llvm" && count > 0).then_some(count)
}

/// The annotation that asks for a loop not to be unrolled.
pub fn no_unroll(ctx: &mut Context) -> Attr {
    ctx.dialect_attr("llvm", NO_UNROLL)
}

/// Whether a loop or branch is annotated so.
pub fn is_no_unroll(ir: &Ir, op: Op) -> bool {
    let annotation = ir.attr(op, LOOP_ANNOTATION);
    annotation.is_some_and(|attr| ir.ctx.dialect_attr_text(attr) == Some(("llvm", NO_UNROLL)))
}
