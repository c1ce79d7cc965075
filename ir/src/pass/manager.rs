//! Running pipelines.

use std::time::{Duration, Instant};

use gpuc_diagnostics::Diagnostic;

use super::{Analyses, PassContext, PassInfo, Pipeline, Step};
use crate::graph::{Ir, Op};
use crate::verify::verify;

/// Something that looks on while passes run.
pub trait Instrument {
    /// Before a pass runs on `op`.
    fn before(&mut self, _ir: &Ir, _op: Op, _pass: &PassInfo) {}

    /// After a pass has run on `op`, before the result is verified.
    fn after(&mut self, _ir: &Ir, _op: Op, _pass: &PassInfo, _failed: bool) {}
}

/// A pipeline stopped.
#[derive(Debug)]
pub struct PassFailure {
    /// The pass that failed, or whose result does not verify.
    pub pass: &'static str,
    /// The errors.
    pub errors: Vec<Diagnostic>,
}

/// Runs pipelines, with verification, timing and instruments.
#[derive(Default)]
pub struct PassManager {
    /// Whether to leave out verification behind each pass.
    pub skip_verify: bool,
    /// Who looks on.
    pub instruments: Vec<Box<dyn Instrument>>,
    /// Warnings and remarks that passes reported so far.
    pub diagnostics: Vec<Diagnostic>,
    /// Time in each pass, by name in order of first run; verification under `(verify)`.
    pub timings: Vec<(&'static str, Duration)>,
    analyses: Analyses,
}

impl std::fmt::Debug for PassManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassManager").field("timings", &self.timings).finish_non_exhaustive()
    }
}

impl PassManager {
    /// Verifies behind each pass; nobody looks on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a pipeline on `root`, which must be of the pipeline's anchor.
    pub fn run(
        &mut self,
        ir: &mut Ir,
        root: Op,
        pipeline: &mut Pipeline,
    ) -> Result<(), PassFailure> {
        if pipeline.anchor != "any" && ir.name(root) != pipeline.anchor {
            return Err(PassFailure {
                pass: "pipeline",
                errors: vec![
                    Diagnostic::error(format!(
                        "can't run '{}' pass manager on '{}' op",
                        pipeline.anchor,
                        ir.name(root)
                    ))
                    .at_option(ir.ctx.place(ir.location(root))),
                ],
            });
        }
        for step in &mut pipeline.steps {
            match step {
                Step::Nested(nested) => {
                    for op in directly_inside(ir, root) {
                        if nested.anchor == "any" || ir.name(op) == nested.anchor {
                            self.run(ir, op, nested)?;
                        }
                    }
                }
                Step::Pass(info, _, pass) => {
                    if info.anchor.is_some_and(|anchor| anchor != ir.name(root)) {
                        // A function pass in a module pipeline runs on each function inside.
                        for op in directly_inside(ir, root) {
                            if info.anchor == Some(ir.name(op)) {
                                self.run_pass(ir, op, info, &mut **pass)?;
                            }
                        }
                    } else {
                        self.run_pass(ir, root, info, &mut **pass)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn run_pass(
        &mut self,
        ir: &mut Ir,
        op: Op,
        info: &'static PassInfo,
        pass: &mut dyn super::Pass,
    ) -> Result<(), PassFailure> {
        for instrument in &mut self.instruments {
            instrument.before(ir, op, info);
        }
        let start = Instant::now();
        let mut cx = PassContext {
            analyses: &mut self.analyses,
            diagnostics: &mut self.diagnostics,
            preserved: false,
        };
        let result = pass.run(ir, op, &mut cx);
        if !cx.preserved {
            self.analyses.clear();
        }
        self.add_time(info.name, start.elapsed());
        for instrument in &mut self.instruments {
            instrument.after(ir, op, info, result.is_err());
        }
        if let Err(error) = result {
            return Err(PassFailure { pass: info.name, errors: vec![error] });
        }
        if !self.skip_verify {
            let start = Instant::now();
            let verified = verify(ir, op);
            self.add_time("(verify)", start.elapsed());
            if let Err(errors) = verified {
                return Err(PassFailure { pass: info.name, errors });
            }
        }
        Ok(())
    }

    fn add_time(&mut self, name: &'static str, time: Duration) {
        match self.timings.iter_mut().find(|(n, _)| *n == name) {
            Some((_, total)) => *total += time,
            None => self.timings.push((name, time)),
        }
    }
}

/// Operations directly inside the regions of `op`.
fn directly_inside(ir: &Ir, op: Op) -> Vec<Op> {
    ir.regions(op)
        .iter()
        .flat_map(|&region| ir.blocks(region))
        .flat_map(|&block| ir.ops(block))
        .collect()
}
