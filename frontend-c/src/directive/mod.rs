//! Directives, by family, and what all of them mean.
//!
//! A family's parser reads what the program says ([`openacc`]), and says it once more in the words of this
//! module: a [`Directive`] is a region of device code, a loop of it, or something that the host program does,
//! with its data, its order in queues and its condition. Whatever stands behind the parsers knows nothing
//! else; what it says to the user it words through [`Family`].

pub mod action;
pub mod atomic;
mod body;
pub mod construct;
pub mod data;
mod family;
pub mod hmpp;
pub mod jolokia;
pub(crate) mod loops;
pub mod openacc;
pub mod openmp;
mod parts;
mod section;
pub mod suggestion;
mod support;

use gpuc_diagnostics::Diagnostic;

use crate::source::Span;
use crate::tree::{ExprId, TranslationUnit};

use action::{Action, Condition, Order, Sends};
use construct::{ComputeRegion, Nest, Reduction, Wish};
use data::{Implicit, Mapping, Memory};

pub(crate) use body::check_body;
pub use construct::{Kind, ReductionOp};
pub use data::{DataFlags, DefaultData, MappingKind};
pub use family::Family;
pub(crate) use family::{Allocation, Clock, Lock, Number, RUNS_ON_DEVICE, tests_device};
pub(crate) use section::{Coverage, check_section, coverage, has_rows};
pub use section::{Section, VarRef};

/// A directive of any family: what it means.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The words of the program, for dumps.
    pub written: Written,
    /// Who words what is said of it.
    pub family: Family,
    /// Its name, as the family writes it.
    pub words: &'static str,
    /// Where its name stands.
    pub name: Span,
    /// The whole pragma line, from its `#`.
    pub span: Span,
    /// Whether the compiler has put it there, at a nest that the program has no directive for; the span is
    /// empty then.
    pub found: bool,
    /// Whether the program has asked for that nest all the same.
    pub asked: bool,
    /// What it says that nest reads.
    pub said_read: Vec<VarRef>,
    /// What it is.
    pub kind: Kind,
    /// The loops that it is about.
    pub nest: Option<Nest>,
    /// The numbers of gangs, workers and lanes of a region; the product of each list.
    pub sizes: [Vec<ExprId>; 3],
    /// How many lanes a gang of a region has at most.
    pub lane_limit: Option<ExprId>,
    /// Data that it maps or moves, in order.
    pub data: Vec<Mapping>,
    /// Data that it names by where it is, rather than by a variable.
    pub memory: Vec<Memory>,
    /// Who keeps data that it leaves on the device.
    pub owner: Option<String>,
    /// The call that it sends to the device.
    pub sends: Option<Sends>,
    /// What it asks of the plan of its construct.
    pub steps: Vec<Wish>,
    /// How variables that are in no clause are mapped.
    pub implicit: Implicit,
    /// What it says of data that is in no clause.
    pub default_data: Option<DefaultData>,
    /// Variables of which each iteration, or gang, has one of its own.
    pub private: Vec<VarRef>,
    /// The same, with the value from before.
    pub firstprivate: Vec<VarRef>,
    /// Variables that have the value of the last iteration behind the loops.
    pub lastprivate: Vec<VarRef>,
    /// Variables that each iteration has one of, which starts so much higher than that of the one before.
    pub linear: Vec<(VarRef, Option<ExprId>)>,
    /// Variables into which iterations combine values, clause by clause.
    pub reductions: Vec<Reduction>,
    /// When it happens.
    pub order: Order,
    /// On which condition it happens on the device.
    pub condition: Condition,
    /// The clauses that say what tasks of the host it waits for, in its words.
    pub host_waits: Vec<Span>,
    /// The clauses that say to which of the host's reductions its task adds, in its words.
    pub host_joins: Vec<Span>,
    /// Where its statement names objects of its data, by their numbers, that have the device's address there.
    pub renamed: Vec<(usize, Span)>,
    /// Whether it stays in the host's text: only device code that calls its function is ours.
    pub stays: bool,
    /// Why it cannot be followed in device code, if it cannot; on the host it is the host compiler's.
    pub refused: Option<Box<Diagnostic>>,
    /// What is said of it where device code is made of it.
    pub remark: Option<Box<Diagnostic>>,
    /// The expressions of its clauses that are evaluated where it stands, in the order of the text.
    pub values: Vec<ExprId>,
    /// Those of them that are numbers of processors.
    pub size_values: Vec<ExprId>,
}

/// What the program has written, by family.
#[derive(Clone, Debug)]
pub enum Written {
    /// Nothing: the compiler has put the directive there.
    Nothing,
    /// OpenACC.
    OpenAcc(openacc::Directive),
    /// OpenMP.
    OpenMp(openmp::Directive),
    /// OpenHMPP.
    OpenHmpp(hmpp::Directive),
    /// JolokiaC++.
    Jolokia(jolokia::Directive),
}

impl Directive {
    /// A directive that is no more than its kind.
    pub fn new(family: Family, words: &'static str, name: Span, kind: Kind) -> Directive {
        Directive {
            written: Written::Nothing,
            family,
            words,
            name,
            span: name,
            found: false,
            asked: false,
            said_read: Vec::new(),
            kind,
            nest: None,
            sizes: Default::default(),
            lane_limit: None,
            data: Vec::new(),
            memory: Vec::new(),
            owner: None,
            sends: None,
            steps: Vec::new(),
            implicit: Implicit::default(),
            default_data: None,
            private: Vec::new(),
            firstprivate: Vec::new(),
            lastprivate: Vec::new(),
            linear: Vec::new(),
            reductions: Vec::new(),
            order: Order::default(),
            condition: Condition::default(),
            host_waits: Vec::new(),
            host_joins: Vec::new(),
            renamed: Vec::new(),
            stays: false,
            refused: None,
            remark: None,
            values: Vec::new(),
            size_values: Vec::new(),
        }
    }

    /// With the words that it was written in.
    pub(crate) fn written(mut self, written: Written) -> Directive {
        self.written = written;
        self
    }

    /// The directive that the compiler puts at a nest of its own finding.
    pub(crate) fn at_nest(span: Span) -> Directive {
        let region = ComputeRegion { construct: gpuc_dialects::offload::Construct::Kernels };
        let kind = Kind::Compute(region);
        Directive { found: true, ..Directive::new(Family::OpenAcc, "kernels", span, kind) }
    }

    /// The directive for a dump: its words and clauses.
    pub fn display(&self, unit: &TranslationUnit) -> String {
        match &self.written {
            Written::OpenAcc(directive) => format!("acc {}", directive.display(unit)),
            Written::OpenMp(directive) => format!("omp {}", directive.display(unit)),
            Written::OpenHmpp(directive) => directive.text.clone(),
            Written::Jolokia(directive) => directive.text.clone(),
            Written::Nothing => format!("acc {}", self.words),
        }
    }

    /// What it does in the host program; `None` for those that only stand in device code, or only say
    /// something of a function.
    pub fn action(&self) -> Option<Action> {
        match self.kind {
            Kind::Compute(_) => Some(Action::Compute),
            Kind::Host(action) => Some(action),
            Kind::Loop | Kind::Atomic(_) | Kind::Routine { .. } | Kind::Block | Kind::Hint => None,
        }
    }

    /// Whether a statement belongs to it.
    pub(crate) fn has_body(&self) -> bool {
        matches!(
            self.kind,
            Kind::Compute(_)
                | Kind::Loop
                | Kind::Atomic(_)
                | Kind::Block
                | Kind::Host(Action::Data | Action::Addresses | Action::Send)
        )
    }

    /// Whether it may stand outside of functions.
    pub(crate) fn is_for_files(&self) -> bool {
        matches!(self.kind, Kind::Routine { .. } | Kind::Host(Action::Scope))
    }

    /// The number of loops that it is about; 1 where it says nothing.
    pub fn collapsed(&self) -> u32 {
        self.nest.as_ref().map_or(1, |nest| nest.count)
    }

    /// The reductions, in order.
    pub fn reductions(&self) -> impl Iterator<Item = (ReductionOp, &VarRef)> {
        self.reductions.iter().flat_map(|clause| clause.vars.iter().map(|var| (clause.op, var)))
    }

    /// The variables of data clauses, in order.
    pub fn data(&self) -> impl Iterator<Item = (MappingKind, &VarRef)> {
        self.data.iter().map(|mapping| (mapping.kind, &mapping.var))
    }
}
