//! Why a step was not taken, as data.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_ir::{Ir, Op};

use crate::analysis::access::{Access, name};
use crate::analysis::nest::dependence::DependenceKind;
use crate::analysis::nest::graph::Edge;

/// A step that was asked for and not taken. Nothing was changed.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The step, as its pass is called.
    pub step: &'static str,
    /// What forbids it, in a sentence.
    pub rule: String,
    /// The loop or statement that it was asked for.
    pub at: Option<Op>,
    /// The dependence that forbids it.
    pub witness: Option<Witness>,
    /// What there would have to be, where too little is there.
    pub limit: Option<Limit>,
    /// What to do instead.
    pub way_round: Option<&'static str>,
}

/// Too little of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Of what.
    pub what: &'static str,
    /// How much is needed.
    pub needed: i64,
    /// How much there is.
    pub available: i64,
}

/// A dependence that a step would break.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The access that has to come first.
    pub source: Access,
    /// The access that has to come after it.
    pub sink: Access,
    /// What they do.
    pub kind: DependenceKind,
    /// Its directions in the loops that both are in; none where they share no loop.
    pub directions: Vec<String>,
    /// Iterations of both that would be exchanged, numbers of the loops' variables from the outermost
    /// in; `None` where the solver has none, and the dependence is assumed.
    pub iterations: Option<(Vec<i64>, Vec<i64>)>,
}

impl Witness {
    /// A dependence, with the pair of iterations that would be exchanged, or any other one that is known.
    pub fn new(edge: &Edge, iterations: Option<(Vec<i64>, Vec<i64>)>) -> Witness {
        let vector = |vector: &Vec<_>| {
            let each: Vec<String> = vector.iter().map(|d: &_| format!("{d}")).collect();
            format!("({})", each.join(", "))
        };
        let directions = match edge.loops.is_empty() {
            true => Vec::new(),
            false => edge.vectors.iter().map(vector).collect(),
        };
        Witness {
            source: (*edge.source).clone(),
            sink: (*edge.sink).clone(),
            kind: edge.kind,
            directions,
            iterations: iterations.or_else(|| edge.example()),
        }
    }

    /// As a sentence.
    fn explain(&self, ir: &Ir) -> String {
        let kind = match self.kind {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
            DependenceKind::Input => "input",
        };
        let line = |op: Op| ir.ctx.place(ir.location(op)).map_or(0, |place| place.line);
        let mut text = format!(
            "{kind} dependence of {} from line {} to line {}",
            name(ir, self.source.root),
            line(self.source.op),
            line(self.sink.op)
        );
        if !self.directions.is_empty() {
            text += &format!(", direction {}", self.directions.join(" "));
        }
        match &self.iterations {
            Some((source, sink)) => {
                let tuple = |all: &[i64]| {
                    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                    format!("({})", all.join(", "))
                };
                text += &format!(", such as iterations {} and {}", tuple(source), tuple(sink));
            }
            None => text += ", assumed: the accesses are not understood",
        }
        text
    }
}

impl Refusal {
    /// A refusal by a rule, at a place.
    pub fn new(step: &'static str, at: Op, rule: impl Into<String>) -> Refusal {
        Refusal {
            step,
            rule: rule.into(),
            at: Some(at),
            witness: None,
            limit: None,
            way_round: None,
        }
    }

    /// The same with what to do instead.
    #[must_use]
    pub fn way_round(mut self, way: &'static str) -> Refusal {
        self.way_round = Some(way);
        self
    }

    /// The same with what there is too little of.
    #[must_use]
    pub fn limit(mut self, what: &'static str, needed: i64, available: i64) -> Refusal {
        self.limit = Some(Limit { what, needed, available });
        self
    }

    /// What there is to say besides the rule: the dependence, the limit, the way round.
    pub fn helps(&self, ir: &Ir) -> Vec<String> {
        let limit = self.limit.map(|Limit { what, needed, available }| {
            format!("it needs {needed} {what}, and there are {available}")
        });
        let witness = self.witness.as_ref().map(|witness| witness.explain(ir));
        witness.into_iter().chain(limit).chain(self.way_round.map(str::to_owned)).collect()
    }

    /// What the user is told.
    pub fn remark(&self, ir: &Ir) -> Diagnostic {
        let place = self.at.and_then(|op| ir.ctx.place(ir.location(op)));
        let mut said = Diagnostic::missed(format!("{}: {}", self.step, self.rule)).at_option(place);
        if self.witness.is_some() {
            said = said.code(codes::LOOP_CARRIED);
        }
        self.helps(ir).into_iter().fold(said, Diagnostic::help)
    }
}
