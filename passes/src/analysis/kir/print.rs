//! `print-kir`: says what a nest is as diKernels, as remarks or as a graph for Graphviz. Changes nothing.

use std::fmt::Write as _;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Analysis, Pass, PassContext};
use gpuc_ir::{Ir, Op};

use super::{DiKernel, Kir, Scope};
use crate::analysis::loops::outermost_loops;
use crate::analysis::names;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;

gpuc_ir::pass! {
    /// Print nests as domain-independent kernels (KIR).
    PrintKir = "print-kir" {
        /// A file to write a graph for Graphviz to, in place of remarks.
        dot: String = String::new(),
        /// Whether mapped variables are taken to be apart.
        assume_apart: bool = true,
    }
}

impl Pass for PrintKir {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        let apart = if self.assume_apart { Apart::Assumed } else { Apart::Unknown };
        let mut graphs = String::new();
        for root in outermost_loops(ir, op) {
            let place = ir.ctx.place(ir.location(root));
            match Kir::of(ir, &nest, root, apart) {
                Ok(kir) if self.dot.is_empty() => {
                    let remark = Diagnostic::remark(title(&kir)).at_option(place);
                    cx.report(lines(ir, &kir).into_iter().fold(remark, Diagnostic::help));
                }
                Ok(kir) => graph(ir, &kir, place.map_or(0, |place| place.line), &mut graphs),
                Err(unknown) => {
                    let place = ir.ctx.place(ir.location(unknown));
                    cx.report(Diagnostic::remark(unknown_effects(ir, unknown)).at_option(place));
                }
            }
        }
        if !self.dot.is_empty() {
            let head = "digraph kir {\n  compound=true;\n  node [shape=box];\n";
            std::fs::write(&self.dot, format!("{head}{graphs}}}\n")).map_err(|error| {
                Diagnostic::error(format!("cannot write '{}': {error}", self.dot))
            })?;
        }
        cx.preserve_all();
        Ok(())
    }
}

/// The nests inside an operation, mapped variables taken to be apart: a headline each, with the nest's line in the
/// program, and a line for each scope and diKernel.
pub fn text_of(ir: &Ir, op: Op) -> String {
    let nest = Nest::compute(ir, op);
    let mut text = String::new();
    for root in outermost_loops(ir, op) {
        let line = ir.ctx.place(ir.location(root)).map_or(0, |place| place.line);
        match Kir::of(ir, &nest, root, Apart::Assumed) {
            Ok(kir) => {
                let _ = writeln!(text, "{line}: {}", title(&kir));
                for line in lines(ir, &kir) {
                    let _ = writeln!(text, "  {line}");
                }
            }
            Err(unknown) => {
                let _ = writeln!(text, "{line}: {}", unknown_effects(ir, unknown));
            }
        }
    }
    text
}

fn title(kir: &Kir) -> String {
    let not = if kir.is_parallelizable() { "" } else { "not " };
    format!("nest as diKernels, {not}parallelizable")
}

fn unknown_effects(ir: &Ir, op: Op) -> String {
    format!("the effects of '{}' are not known", ir.name(op))
}

/// The loops of a scope, as the paper names it: `ES_for_i,j,k`.
fn scope_name(ir: &Ir, scope: &Scope) -> String {
    let each = scope.loops.iter().map(|each| match names::variable(ir, each.variable) {
        Some(name) => name.to_owned(),
        None => ir
            .ctx
            .place(ir.location(each.op))
            .map_or_else(|| "?".to_owned(), |at| format!("L{}", at.line)),
    });
    format!("ES_for_{}", each.collect::<Vec<_>>().join(","))
}

/// A line for each scope and diKernel, indented by scope; what is shaded stands in brackets.
fn lines(ir: &Ir, kir: &Kir) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, scope) in kir.scopes.iter().enumerate() {
        let depth = std::iter::successors(scope.parent, |&at| kir.scopes[at].parent).count();
        let indent = "  ".repeat(depth);
        lines.push(format!("{indent}{}", scope_name(ir, scope)));
        for (at, kernel) in
            kir.kernels.iter().enumerate().filter(|(_, kernel)| kernel.scope == index)
        {
            lines.push(format!("{indent}  {}", line(kir, at, kernel)));
        }
    }
    lines
}

fn line(kir: &Kir, at: usize, kernel: &DiKernel) -> String {
    let (open, close) = if kernel.shaded { ("[", "]") } else { ("", "") };
    let mut line = format!("{open}{kernel}{close} {} {}", kernel.class, kernel.computation);
    let from: Vec<String> = kir
        .flows
        .iter()
        .filter(|flow| flow.to == at)
        .map(|flow| kir.kernels[flow.from].to_string())
        .collect();
    if !from.is_empty() {
        let _ = write!(line, " from {}", from.join(", "));
    }
    if kernel.conflicts {
        line += ", conflicts";
    }
    line
}

/// A cluster for each scope, a box for each diKernel, an arrow for each flow.
fn graph(ir: &Ir, kir: &Kir, nest: u32, out: &mut String) {
    fn cluster(ir: &Ir, kir: &Kir, nest: u32, index: usize, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let _ = writeln!(out, "{indent}subgraph cluster_{nest}_{index} {{");
        let _ = writeln!(out, "{indent}  label=\"{}\";", scope_name(ir, &kir.scopes[index]));
        for (at, kernel) in kir.kernels.iter().enumerate().filter(|(_, k)| k.scope == index) {
            let style = if kernel.shaded { ", style=filled, fillcolor=lightgrey" } else { "" };
            let label = format!("{kernel}\\n{} {}", kernel.class, kernel.computation);
            let _ = writeln!(out, "{indent}  k{nest}_{at} [label=\"{label}\"{style}];");
        }
        for inner in (0..kir.scopes.len()).filter(|&s| kir.scopes[s].parent == Some(index)) {
            cluster(ir, kir, nest, inner, depth + 1, out);
        }
        let _ = writeln!(out, "{indent}}}");
    }
    cluster(ir, kir, nest, 0, 1, out);
    for flow in &kir.flows {
        let _ = writeln!(out, "  k{nest}_{} -> k{nest}_{};", flow.from, flow.to);
    }
}
