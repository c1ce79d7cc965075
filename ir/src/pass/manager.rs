//! Running pipelines.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use super::analysis::{Analyses, Preserved};
use super::pipeline::nests_implicitly;
use super::{PassContext, PassInfo, Pipeline, Step};
use crate::graph::{Ir, Op};
use crate::verify::verify;

/// Something that looks on while passes run.
pub trait Instrument {
    /// Before a pass runs on `op`.
    fn before(&mut self, _ir: &Ir, _op: Op, _pass: &PassInfo) {}

    /// After one of several steps that a pass takes.
    fn step(&mut self, _ir: &Ir, _op: Op, _pass: &PassInfo, _step: &str) {}

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

/// What the passes of a pipeline counted: by the number of the step, in the order in which
/// [`Pipeline::passes`] gives them, one number for each of the pass's counters.
pub type Counts = BTreeMap<usize, Vec<u64>>;

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
    /// What the passes of the last pipeline counted.
    pub counts: Counts,
    analyses: Analyses,
    /// After how many edits of the IR a pass that settles last edited nothing in an operation.
    settled: FxHashMap<(&'static str, Op), u64>,
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
        // Since the last run the IR may have changed, or be another.
        self.analyses = Analyses::default();
        self.settled.clear();
        self.counts.clear();
        self.run_nested(ir, root, pipeline, 0)
    }

    fn run_nested(
        &mut self,
        ir: &mut Ir,
        root: Op,
        pipeline: &mut Pipeline,
        first: usize,
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
        let mut next = first;
        for step in &mut pipeline.steps {
            let number = next;
            next += match step {
                Step::Nested(nested) => nested.passes().count(),
                Step::Pass(..) => 1,
            };
            match step {
                Step::Nested(nested) => {
                    for op in directly_inside(ir, root) {
                        if nested.anchor == "any" || ir.name(op) == nested.anchor {
                            self.run_nested(ir, op, nested, number)?;
                        }
                    }
                }
                Step::Pass(info, _, pass) => match info.anchor {
                    Some(anchor) if anchor != ir.name(root) => {
                        if !nests_implicitly(&pipeline.anchor) {
                            let error = Diagnostic::error(format!(
                                "can't run '{}' on '{}' op: it runs on '{anchor}'",
                                info.name,
                                ir.name(root)
                            ));
                            let error = error.at_option(ir.ctx.place(ir.location(root)));
                            return Err(PassFailure { pass: info.name, errors: vec![error] });
                        }
                        for op in outermost_inside(ir, root, anchor) {
                            self.run_pass(ir, op, info, &mut **pass, number)?;
                        }
                    }
                    _ => self.run_pass(ir, root, info, &mut **pass, number)?,
                },
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
        number: usize,
    ) -> Result<(), PassFailure> {
        for instrument in &mut self.instruments {
            instrument.before(ir, op, info);
        }
        let start = Instant::now();
        let mut cx = PassContext {
            analyses: &mut self.analyses,
            diagnostics: &mut self.diagnostics,
            preserved: Preserved::Only(Vec::new()),
            instruments: &mut self.instruments,
            counts: self.counts.entry(number).or_insert_with(|| vec![0; info.counters.len()]),
            pass: info,
        };
        let before = ir.edits();
        let settles = pass.settles();
        let has_settled = settles && self.settled.get(&(info.name, op)) == Some(&before);
        let result = if has_settled { Ok(()) } else { pass.run(ir, op, &mut cx) };
        let preserved = if ir.edits() == before { Preserved::All } else { cx.preserved };
        self.analyses.keep(&preserved);
        if settles && ir.edits() == before {
            self.settled.insert((info.name, op), before);
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

/// Operations of a name inside `root`, however deep, but none inside another of them: a pass on the
/// outer one may have erased it.
fn outermost_inside(ir: &Ir, root: Op, name: &str) -> Vec<Op> {
    let mut found = Vec::new();
    let mut work = directly_inside(ir, root);
    work.reverse();
    while let Some(op) = work.pop() {
        if ir.name(op) == name {
            found.push(op);
        } else {
            work.extend(directly_inside(ir, op).into_iter().rev());
        }
    }
    found
}

/// Operations directly inside the regions of `op`.
fn directly_inside(ir: &Ir, op: Op) -> Vec<Op> {
    ir.regions(op)
        .iter()
        .flat_map(|&region| ir.blocks(region))
        .flat_map(|&block| ir.ops(block))
        .collect()
}
