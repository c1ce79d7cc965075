//! OpenACC 3.3: every directive and clause of the specification, as data.

mod body;
mod clauses;
mod display;
mod meaning;
mod names;
mod parser;
mod rules;
mod section;
mod support;

use crate::directive::atomic::AtomicForm;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{DeclId, ExprId};
use crate::types::Type;

pub(crate) use body::check_body;
pub(crate) use meaning::{RUNS_ON_DEVICE, tests_device};
pub use names::{ClauseName, DirectiveKind};
pub(crate) use section::{Coverage, check_section, coverage, has_rows};

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

/// The argument of `default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultData {
    /// Every array must be named in a data clause.
    None,
    /// Arrays that are not named are present.
    Present,
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

/// Reduction operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the operator of its name")]
pub enum ReductionOp {
    Add,
    Mul,
    Max,
    Min,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
}

impl ReductionOp {
    /// As the clause writes it.
    pub fn spelling(self) -> &'static str {
        match self {
            ReductionOp::Add => "+",
            ReductionOp::Mul => "*",
            ReductionOp::Max => "max",
            ReductionOp::Min => "min",
            ReductionOp::And => "&",
            ReductionOp::Or => "|",
            ReductionOp::Xor => "^",
            ReductionOp::LogicalAnd => "&&",
            ReductionOp::LogicalOr => "||",
        }
    }
}

/// A variable, member, element or array section in a clause.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The variable it starts from.
    pub decl: DeclId,
    /// The variable, or the member of it that is meant, as an object; without its sections.
    pub base: ExprId,
    /// The sections and subscripts behind it, outermost first; none means all of it.
    pub sections: Vec<Section>,
    /// The first element: the base with each section's lower bound as subscript.
    pub first: ExprId,
    /// The type of the first element; without sections, that of the base.
    pub ty: Type,
    /// Its text.
    pub span: Span,
}

impl VarRef {
    /// Whether it is the bare name of a variable.
    pub fn is_whole_variable(&self, unit: &crate::tree::TranslationUnit) -> bool {
        self.sections.is_empty()
            && matches!(unit.exprs[self.base].kind, crate::tree::ExprKind::Name(_))
    }
}

/// `[lower:length]` in any of its forms, or `[index]`.
#[derive(Clone, Debug)]
pub struct Section {
    /// The first element; 0 where it is left out.
    pub lower: Option<ExprId>,
    /// How many elements; up to the end of the array where it is left out.
    pub length: Option<ExprId>,
    /// Whether it is `[index]`, a section of one element.
    pub is_index: bool,
    /// Its text, brackets included.
    pub span: Span,
}

impl Directive {
    /// The first clause of that name.
    pub fn clause(&self, name: ClauseName) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.name == name)
    }

    /// What an `atomic` directive says of its statement: `update` where it says nothing.
    pub(crate) fn atomic_form(&self) -> AtomicForm {
        let forms = [
            (ClauseName::Read, AtomicForm::Read),
            (ClauseName::Write, AtomicForm::Write),
            (ClauseName::Capture, AtomicForm::Capture),
        ];
        let form = forms.into_iter().find(|&(name, _)| self.clause(name).is_some());
        form.map_or(AtomicForm::Update, |(_, form)| form)
    }

    /// Whether `collapse` is about loops with statements between them, too.
    pub(crate) fn collapses_by_force(&self) -> bool {
        let force =
            |clause: &Clause| matches!(clause.kind, ClauseKind::Collapse { force: true, .. });
        self.clauses.iter().any(force)
    }

    /// The number of loops that a `loop` directive is about.
    pub fn collapsed(&self) -> u32 {
        let counts = self.clauses.iter().filter_map(|clause| match clause.kind {
            ClauseKind::Collapse { count, .. } => Some(count),
            ClauseKind::Tile(ref sizes) => Some(sizes.len() as u32),
            _ => None,
        });
        counts.max().unwrap_or(1)
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
