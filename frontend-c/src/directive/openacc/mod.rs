//! OpenACC 3.3: every directive and clause of the specification, as data; and the `share` pragma that Li et al. 2016 add to it.

mod clauses;
mod display;
mod meaning;
mod names;
mod parser;
mod rules;
mod share;
mod suggestion;
mod support;
pub(crate) mod tiles;

use crate::directive::{DefaultData, ReductionOp, VarRef};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{DeclId, ExprId};

pub(crate) use meaning::meaning;
pub use names::{ClauseName, DirectiveKind};
pub(crate) use share::SHARE;
pub use suggestion::suggestions;

/// A directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Which.
    pub kind: DirectiveKind,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// What stands in parentheses behind the directive's own name (`cache`, `wait`, `routine`).
    pub argument: Option<Argument>,
    /// Its words, from `acc` on.
    pub span: Span,
}

/// What a directive itself takes in parentheses.
#[derive(Clone, Debug)]
pub enum Argument {
    /// `cache([readonly:] list)`.
    Cache {
        /// Whether the data is only read.
        readonly: bool,
        /// The elements to keep.
        vars: Vec<VarRef>,
    },
    /// `wait(queues)`.
    Wait(Wait),
    /// `routine(name)`.
    Routine(DeclId),
}

/// One clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Which, aliases (`pcopy`) resolved.
    pub name: ClauseName,
    /// What it says.
    pub kind: ClauseKind,
    /// All of its text.
    pub span: Span,
    /// Its name.
    pub name_span: Span,
}

/// What a clause says.
#[derive(Clone, Debug)]
pub enum ClauseKind {
    /// A clause that is just a word: `seq`, `independent`, `auto`, `finalize`, `if_present`,
    /// `nohost`, and the `read`, `write`, `update`, `capture` of `atomic`.
    Word,
    /// `if(condition)`; `self(condition)` on compute constructs. The condition is a scalar value.
    Condition(ExprId),
    /// A clause with one integer value: `num_workers`, `vector_length`, `device_num`,
    /// `default_async`.
    Value(ExprId),
    /// A clause whose integer may be left out: `async`, `worker`, `vector`, and `self` alone.
    OptionalValue(Option<ExprId>),
    /// `num_gangs(n, …)`.
    NumGangs(Vec<ExprId>),
    /// `gang(…)`.
    Gang(Gang),
    /// `wait(…)`.
    Wait(Wait),
    /// `collapse([force:] n)`.
    Collapse {
        /// Whether loops that are not tightly nested are collapsed too.
        force: bool,
        /// How many loops.
        count: u32,
    },
    /// `tile(sizes)`; `*` is `None`.
    Tile(Vec<Option<ExprId>>),
    /// `default(none)` or `default(present)`.
    Default(DefaultData),
    /// `reduction(op: list)`.
    Reduction {
        /// The operator.
        op: ReductionOp,
        /// The variables.
        vars: Vec<VarRef>,
    },
    /// A clause with a list: data clauses, `private`, `firstprivate`, `use_device`, `link`,
    /// `device_resident`, and the `self`, `host`, `device` of `update`.
    Vars {
        /// The modifiers before the colon.
        modifiers: Modifiers,
        /// The list.
        vars: Vec<VarRef>,
    },
    /// `device_type(list)`; `*` is `None`.
    DeviceType(Vec<Option<Symbol>>),
    /// `bind(name)` or `bind("name")`, as written.
    Bind(Symbol),
}

/// The arguments of `gang`.
#[derive(Clone, Debug, Default)]
pub struct Gang {
    /// `num:`, or an argument without a word.
    pub num: Option<ExprId>,
    /// `dim:`.
    pub dim: Option<ExprId>,
    /// `static:`; `Some(None)` is `static:*`.
    pub static_size: Option<Option<ExprId>>,
}

/// The argument of `wait`.
#[derive(Clone, Debug, Default)]
pub struct Wait {
    /// `devnum:`.
    pub device: Option<ExprId>,
    /// The queues; none is all.
    pub queues: Vec<ExprId>,
}

/// Modifiers of data clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// `always`.
    pub always: bool,
    /// `readonly`.
    pub readonly: bool,
    /// `zero`.
    pub zero: bool,
}

impl Directive {
    /// The first clause of that name.
    pub fn clause(&self, name: ClauseName) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.name == name)
    }
}

/// Whether GCC 12 knows the directive that starts with `word`, and so has expanded the macros in it.
pub(crate) fn expanded_by_gcc(word: &[u8]) -> bool {
    matches!(
        word,
        b"atomic"
            | b"cache"
            | b"data"
            | b"declare"
            | b"enter"
            | b"exit"
            | b"host_data"
            | b"kernels"
            | b"loop"
            | b"parallel"
            | b"routine"
            | b"serial"
            | b"update"
            | b"wait"
    )
}
