//! OpenMP 5.2: the directives that stand in, at or around device code.

mod accumulated;
mod carried;
mod clauses;
mod combining;
mod context;
mod lists;
mod mapper;
mod meaning;
mod names;
mod orphans;
mod parser;
mod pieces;
mod reductions;
mod scan;
mod sections;
mod serial;
mod statement;
mod suggestion;
mod tasks;
mod threads;
mod transform;
pub(crate) mod variants;

use crate::source::Span;
use crate::tree::{DeclId, ExprId, TranslationUnit};

use super::{MappingKind, ReductionOp, VarRef};
pub(crate) use mapper::Mapper;
pub use names::{CLAUSES, ClauseName, FORMS, Form, Support};
pub(crate) use reductions::UserReduction;
pub use suggestion::suggestions;

/// A directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Which.
    pub form: &'static Form,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// The functions and variables that `declare target` lists.
    pub listed: Vec<DeclId>,
    /// Those of which devices have what constructs map.
    pub linked: Vec<DeclId>,
    /// Whether it is about the host alone.
    pub host_only: bool,
    /// Its words.
    pub span: Span,
}

/// One clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Which.
    pub name: &'static ClauseName,
    /// What it says.
    pub kind: ClauseKind,
    /// All of its text.
    pub span: Span,
}

/// What a clause says.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// Nothing that has to be followed, or a word alone.
    Word,
    /// `if([modifier:] condition)`.
    If {
        /// The construct that it is about.
        of: Option<String>,
        /// The condition.
        condition: ExprId,
    },
    /// A clause with one integer value; of bounds the upper one.
    Value(ExprId),
    /// `collapse(n)`.
    Collapse(u32),
    /// `map([modifiers] [type:] list)`.
    Map {
        /// How; `None` for nothing but a release.
        kind: MappingKind,
        /// `always`.
        always: bool,
        /// `present`.
        present: bool,
        /// `delete`.
        last: bool,
        /// `mapper(name)`.
        mapper: Option<String>,
        /// The list.
        vars: Vec<VarRef>,
    },
    /// `defaultmap(behaviour[: category])`.
    DefaultMap {
        /// How; `None` is `none`, the outer one is a scalar's own copy or the default.
        behaviour: Behaviour,
        /// `scalar`, `aggregate`, `pointer`; all where it is open.
        category: Option<String>,
    },
    /// `schedule(static[, chunk])`, `dist_schedule(static[, chunk])`; others leave who has which iteration open.
    Static(Option<ExprId>),
    /// `linear(list[: step])`.
    Linear {
        /// The variables.
        vars: Vec<VarRef>,
        /// What each iteration adds; 1 where it says nothing.
        step: Option<ExprId>,
    },
    /// Variables that are right only where iterations are executed in order.
    InOrder(Vec<VarRef>),
    /// `sizes(list)`.
    Sizes(Vec<ExprId>),
    /// `default(none)`.
    DefaultNone,
    /// `default(firstprivate)` or `default(private)`.
    DefaultOwn {
        /// Whether it has the value from before.
        copied: bool,
    },
    /// `bind(teams)`, `bind(parallel)` or `bind(thread)`.
    Bind(String),
    /// `reduction(op: list)`.
    Reduction {
        /// The operator.
        op: ReductionOp,
        /// The variables.
        vars: Vec<VarRef>,
    },
    /// `reduction(inscan, op: list)`.
    Scan {
        /// The operator.
        op: ReductionOp,
        /// The variables.
        vars: Vec<VarRef>,
    },
    /// `reduction(op: list)` of operators of the program's own, with their numbers.
    Combined(Vec<(usize, VarRef)>),
    /// Variables that the region has copies of, rather than its teams or threads.
    OfTarget(Vec<VarRef>),
    /// A word or text.
    Said(String),
    /// A clause with a list of variables.
    Vars(Vec<VarRef>),
}

/// What `defaultmap` says of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// They are mapped in this way.
    Map(MappingKind),
    /// Each has a copy of its own.
    FirstPrivate,
    /// They must be named.
    None,
    /// As without the clause.
    Default,
}

impl Directive {
    /// The directive as one line.
    pub fn display(&self, unit: &TranslationUnit) -> String {
        let mut text = self.form.words.to_owned();
        for clause in &self.clauses {
            let words = String::from_utf8_lossy(unit.source.slice(clause.span)).into_owned();
            text.push(' ');
            text += &words.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        text
    }

    /// The clauses of that name.
    fn clauses<'d>(&'d self, name: &'d str) -> impl Iterator<Item = &'d Clause> {
        self.clauses.iter().filter(move |clause| clause.name.spelling == name)
    }

    /// The variables that it shares with its thread, by name.
    fn shared(&self) -> Vec<DeclId> {
        let names = ["shared", "in_reduction", "task_reduction"];
        let clauses = names.into_iter().flat_map(|name| self.clauses(name));
        let vars = clauses.flat_map(|clause| match &clause.kind {
            ClauseKind::Vars(vars) | ClauseKind::Reduction { vars, .. } => vars.as_slice(),
            _ => &[],
        });
        vars.map(|var| var.decl).collect()
    }

    /// The variables of the clauses of that name, in order.
    fn listed(&self, name: &str) -> Vec<VarRef> {
        self.clauses(name)
            .flat_map(|clause| match &clause.kind {
                ClauseKind::Vars(vars) => vars.clone(),
                _ => Vec::new(),
            })
            .collect()
    }

    /// The word or text that the clause of that name says.
    fn said<'d>(&'d self, name: &'d str) -> Option<&'d str> {
        self.clauses(name).find_map(|clause| match &clause.kind {
            ClauseKind::Said(said) => Some(said.as_str()),
            _ => None,
        })
    }

    /// Whether it is an `error` of the running program (OpenMP 5.2 §8.5.1).
    fn is_said_when_executed(&self) -> bool {
        self.said("at") == Some("execution")
    }

    /// The value of the clause of that name.
    fn value(&self, name: &str) -> Option<ExprId> {
        self.clauses(name).find_map(|clause| match clause.kind {
            ClauseKind::Value(value) => Some(value),
            _ => None,
        })
    }
}
