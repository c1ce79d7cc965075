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

/// Name of the attribute by which a loop with [`unroll_by`] says which rounds are done in one, and what becomes of the rest.
pub const ROUNDS_ATTR: &str = "offload.rounds";

/// What [`ROUNDS_ATTR`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// Rounds that are as far apart as there are groups of them; else those that follow each other.
    pub split: bool,
    /// Each round asks whether there is one; else those that are left are a loop of their own.
    pub guarded: bool,
    /// The program says that none is left.
    pub whole: bool,
}

impl Rounds {
    /// Those of a loop.
    pub fn of(ir: &Ir, op: Op) -> Rounds {
        let words = ir.attr(op, ROUNDS_ATTR).and_then(|attr| ir.ctx.string_value(attr));
        let has = |word: &str| words.is_some_and(|words| words.split(' ').any(|own| own == word));
        Rounds { split: has("split"), guarded: has("guarded"), whole: has("whole") }
    }

    /// The words for them; of rounds that each ask, none is left whatever the program says.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let whole = self.whole && !self.guarded;
        let words = [(self.split, "split"), (self.guarded, "guarded"), (whole, "whole")];
        words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word)
    }

    /// Notes them at a loop.
    pub fn note(self, ir: &mut Ir, op: Op) {
        let words: Vec<&str> = self.words().collect();
        if !words.is_empty() {
            let attr = ir.ctx.string_attr(&words.join(" "));
            ir.set_attr(op, ROUNDS_ATTR, attr);
        }
    }
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
