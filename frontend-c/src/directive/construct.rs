//! What directives say of device code: regions, loops and statements of it, in no family's words.

use gpuc_dialects::llvm::Rounds;
use gpuc_dialects::offload;
use gpuc_dialects::offload::share::ArraySpec;

use super::action::Action;
use super::atomic::AtomicForm;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{DeclId, ExprId};

/// What a directive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The statement behind it is device code; with a [`Nest`], a loop that is divided there.
    Compute(ComputeRegion),
    /// The loop behind it is divided among processors of the region around.
    Loop,
    /// The statement behind it is atomic.
    Atomic(AtomicForm),
    /// Something that the host program does.
    Host(Action),
    /// Something that is said of a function which device code calls.
    Routine {
        /// The function; the one declared next where it is open.
        function: Option<DeclId>,
        /// The name that device code calls in its place.
        bind: Option<Symbol>,
        /// Whether its loops are to be divided among processors of its caller.
        divides: bool,
    },
    /// The statement behind it is executed as if the directive were not there.
    Block,
    /// Advice that needs no obeying.
    Hint,
}

/// A region of device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeRegion {
    /// Who executes what of it.
    pub construct: offload::Construct,
}

/// The loops that a directive is about, and who executes their iterations.
#[derive(Clone, Debug)]
pub struct Nest {
    /// How many loops, tightly nested.
    pub count: u32,
    /// Whether loops with statements between them count too.
    pub force: bool,
    /// Where the program asks for tiles.
    pub tile: Option<Span>,
    /// Where the program says which gang gets which iterations.
    pub gang_parts: Option<Span>,
    /// What is said of the order of iterations; the region decides where nothing is.
    pub order: Option<offload::LoopOrder>,
    /// The processors that iterations are divided among: gangs, workers and lanes.
    pub levels: [Option<WorkShare>; 3],
    /// Of which processors it has the numbers as its variable's values, if it has.
    pub explicit: Option<Explicit>,
    /// Which processors divide its iterations by their numbers, where a loop around has these.
    pub shared: [bool; 3],
    /// How processors that know their numbers share iterations.
    pub chunks: [Chunk; 3],
    /// Whether the last iteration comes first.
    pub reverse: bool,
    /// Whether the first two loops change places.
    pub interchange: bool,
    /// Whether processors that loops around have taken are left to them, and nothing said.
    pub yields: bool,
}

/// How processors share iterations by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunk {
    /// In turns, one each.
    #[default]
    One,
    /// In turns, so many each.
    Of(ExprId),
    /// As many parts, one behind the other, as there are processors.
    Part,
}

/// What a directive asks of the plan of its construct: a step that the compiler takes as if a plan had it, or refuses
/// with what forbids it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The step.
    pub step: Step,
    /// Where it is asked for.
    pub span: Span,
}

/// A step of a plan, by the loops of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many rounds of a loop in one, and which, and what becomes of the rest.
    Unroll(LoopName, u32, Rounds),
    /// So many rounds of a loop side by side in the loops inside it.
    UnrollJam(LoopName, u32),
    /// The loops of a nest from outside to inside, in another order.
    Permute(Vec<LoopName>, Vec<String>),
    /// Loops of a nest from outside to inside in strips of so many iterations.
    Strip(Vec<(LoopName, u32)>),
    /// A loop with the one that follows it, which is known when what stands round both has been read.
    Fuse(LoopName, Option<LoopName>),
    /// A loop for each group of statements of one.
    Distribute(LoopName),
    /// So many threads of a block along its fastest and its second dimension, for the loops of a nest.
    Block {
        /// The loops.
        nest: Vec<LoopName>,
        /// Along the fastest dimension.
        x: u32,
        /// Along the second one.
        y: u32,
        /// Whether the block keeps in its memory what its threads read together.
        shared: bool,
        /// The clause that asks for it.
        word: &'static str,
    },
    /// The loops of a nest that run at once, where that is another choice than the outermost ones: all others stay in order.
    Grid {
        /// All loops.
        nest: Vec<LoopName>,
        /// Those that run at once, the last one along the fastest dimension.
        grid: Vec<LoopName>,
    },
    /// So many threads of a block where the compiler maps the loops of a nest to two of its dimensions, as the family has it.
    DefaultBlock {
        /// The loops.
        nest: Vec<LoopName>,
        /// Along the fastest dimension.
        x: u32,
        /// Along the second one.
        y: u32,
    },
    /// Arrays that blocks have in their memory, by what each block works on of them: which step it is, and the sizes that
    /// are open, the compiler says.
    Share {
        /// The outermost loop of the nest.
        nest: LoopName,
        /// The arrays, each with its place.
        arrays: Vec<(ArraySpec, Span)>,
    },
    /// Something that no plan has a step for, by its name.
    Unknown(&'static str),
    /// Something that no loop can have, by its name, and why.
    Refused(&'static str, &'static str),
}

/// A loop of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopName {
    /// Its variable.
    pub variable: String,
    /// Its line.
    pub line: u32,
}

/// Processors that iterations are divided among.
#[derive(Clone, Copy, Debug)]
pub struct WorkShare {
    /// How many.
    pub size: Option<ExprId>,
    /// Which of the dimensions of these processors; the first is 1.
    pub dimension: i128,
}

/// A loop whose variable is the number of the processor that executes its iteration.
#[derive(Clone, Copy, Debug)]
pub struct Explicit {
    /// Which processors, as a number of [`Nest::levels`].
    pub level: usize,
    /// The variable.
    pub variable: DeclId,
    /// How many there are.
    pub count: ExprId,
}

/// The number of [`Nest::levels`] that is lanes.
pub const LANE: usize = 2;

/// The number of [`Nest::levels`] that is gangs.
pub const GANG: usize = 0;

impl Default for Nest {
    fn default() -> Self {
        Nest {
            count: 1,
            force: false,
            tile: None,
            gang_parts: None,
            order: None,
            levels: [None; 3],
            explicit: None,
            shared: [false; 3],
            chunks: [Chunk::One; 3],
            reverse: false,
            interchange: false,
            yields: false,
        }
    }
}

/// Variables into which iterations combine values.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The operator.
    pub op: ReductionOp,
    /// The variables.
    pub vars: Vec<super::VarRef>,
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
    /// As a clause writes it.
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
