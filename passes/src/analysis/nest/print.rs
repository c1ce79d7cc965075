//! `print-nest`: says what the analysis of loop nests knows, as remarks, for tests and for who wonders.
//!
//! Each dependence inside an outermost counted loop is said at its sink: what it is, from which line,
//! and for the loops that both accesses are in (numbered from the outermost, 0) which one carries it,
//! how far source and sink are apart in each, and in which directions. Changes nothing.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op};
use gpuc_presburger::dependence::Carrier;

use super::super::access::name;
use super::super::loops::outermost_loops;
use super::dependence::DependenceKind;
use super::{Nest, NestDependence};

gpuc_ir::pass! {
    /// Print the dependences of loop nests as remarks.
    PrintNest = "print-nest" {
        /// Whether those between two reads are said as well.
        input: bool = false,
        /// Whether the relations of iterations are said as well.
        relations: bool = false,
    }
}

impl Pass for PrintNest {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        for outermost in outermost_loops(ir, op) {
            match nest.dependences(ir, outermost) {
                Ok(found) => {
                    for each in found {
                        if each.kind != DependenceKind::Input || self.input {
                            cx.report(self.describe(ir, &each));
                        }
                    }
                }
                Err(unknown) => cx.report(
                    Diagnostic::remark(format!(
                        "the effects of '{}' are not known",
                        ir.name(unknown)
                    ))
                    .at_option(ir.ctx.place(ir.location(unknown))),
                ),
            }
        }
        cx.preserve_all();
        Ok(())
    }
}

impl PrintNest {
    fn describe(&self, ir: &Ir, dependence: &NestDependence) -> Diagnostic {
        let kind = match dependence.kind {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
            DependenceKind::Input => "input",
        };
        let variable = name(ir, dependence.source.root);
        let place = |op: Op| ir.ctx.place(ir.location(op));
        let line = place(dependence.source.op).map_or(0, |place| place.line);
        let text = format!(
            "{kind} dependence of {variable} from line {line}: {}",
            self.vector(dependence)
        );
        Diagnostic::remark(text).at_option(place(dependence.sink.op))
    }

    fn vector(&self, dependence: &NestDependence) -> String {
        let Some(known) = &dependence.known else { return "not understood, assumed".to_owned() };
        let level = match known.level() {
            Carrier::Loop(index) => format!("carried by loop {index}"),
            Carrier::Independent => "in one iteration".to_owned(),
        };
        let mut text = level;
        if let Ok(distances) = known.distances() {
            let distances: Vec<String> = distances.iter().map(ToString::to_string).collect();
            text += &format!(", distance ({})", distances.join(", "));
        }
        if let Ok(vectors) = known.direction_vectors() {
            let vectors = vectors.iter().map(|vector| {
                let each: Vec<String> = vector.iter().map(ToString::to_string).collect();
                format!("({})", each.join(", "))
            });
            text += &format!(", direction {}", vectors.collect::<Vec<_>>().join(" "));
        }
        if self.relations {
            text += &format!(", {}", known.relation());
        }
        text
    }
}
