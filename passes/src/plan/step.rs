//! The steps of a plan: one closed enum, from which words, parser and printer follow.
//!
//! A step names the loops and variables that it takes, as the plan has them by then, and those that it
//! makes; its numbers stand apart ([`Step::numbers`]), so that a search may change them. Adding one
//! takes its type below, with its text in [`super::wording`], and a line in `steps!`.

use super::cursor::Cursor;
use super::wording::StepText;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::llvm::Rounds;
use gpuc_dialects::offload::mapping::DimMap;
use std::fmt;

/// A loop, by the name that it has at that point of the plan ([`super::names`]).
pub type Name = String;

/// An array that every iteration of some loops overwrites gets copies: `affine-privatize`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privatize {
    /// The variable.
    pub array: String,
    /// The loops of which each iteration gets one, outermost first.
    pub over: Vec<Name>,
}

/// An array is laid out anew while a nest runs: `affine-relayout`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The variable.
    pub array: String,
    /// The outermost loop of the nest.
    pub nest: Name,
    /// The dimensions of the new array, over those of the old one, `d0` and so on.
    pub rows: Vec<Form>,
}

/// A loop is cut in front of and behind one of its iterations: `affine-split`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The loop.
    pub name: Name,
    /// The iteration, by the loops round it.
    pub at: Form,
}

/// Values between parts of an iteration get an element for each: `affine-expand`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expand {
    /// The loop.
    pub name: Name,
}

/// Reads of what an array held before a nest go to a copy: `affine-snapshot`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The variable.
    pub array: String,
    /// The outermost loop of the nest.
    pub nest: Name,
}

/// A loop that carries values and writes memory becomes two: `affine-fission`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fission {
    /// The loop.
    pub name: Name,
}

/// A sum of multiples of loop variables and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Loops and their factors.
    pub terms: Vec<(Name, i64)>,
    /// The number.
    pub constant: i64,
}

/// Any order of a nest, or of several that follow each other: for each statement, in order of the program, the
/// rows of its date ([`crate::steps::schedule`]) that come before the order of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The outermost loop of each nest.
    pub nests: Vec<Name>,
    /// Rows of each statement; missing ones are 0.
    pub rows: Vec<Vec<Form>>,
}

/// Another order of the loops of a perfect nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permute {
    /// The loops, outermost first.
    pub loops: Vec<Name>,
    /// The same in their new order.
    pub to: Vec<Name>,
}

/// A loop for each group of statements that depend on each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribute {
    /// The loop.
    pub nest: Name,
    /// The loops that take its place, in order.
    pub to: Vec<Name>,
}

/// One loop of two that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fuse {
    /// The two loops.
    pub loops: [Name; 2],
    /// The loop that takes their place.
    pub to: Name,
}

/// So many iterations of loops at a time, with loops over these strips round them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The loops, outermost first, each with the iterations of a strip.
    pub loops: Vec<(Name, i64)>,
}

/// So many iterations of a loop in one, side by side in the loops inside it; those that are left get a loop of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrollJam {
    /// The loop.
    pub name: Name,
    /// How many.
    pub factor: i64,
}

/// An inner loop begins later in each iteration of the one round it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skew {
    /// The inner loop.
    pub inner: Name,
    /// By how much later.
    pub factor: i64,
    /// The outer loop.
    pub along: Name,
    /// Whether the skewed loop becomes the outer one.
    pub wavefront: bool,
}

/// Loops whose iterations run at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parallel {
    /// The loops.
    pub loops: Vec<Name>,
}

/// Perfectly nested parallel loops as one loop of several dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collapse {
    /// The dimensions, in their new order.
    pub loops: Vec<Name>,
}

/// A sequential loop round parallel ones that one block executes, step by step, or a grid whose blocks wait for each other.
/// With a condition it makes a version, as [`Tile`]; so does a grid, for devices that cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persist {
    /// The sequential loop.
    pub time: Name,
    /// Blocks, at most.
    pub blocks: i64,
    /// Threads of a block.
    pub threads: i64,
    /// Iterations that the launches of the loop may have at most, on average; 0 for any number.
    pub most: i64,
}

/// Sequential loops and conditionals that the host runs; what is between them are launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launches {
    /// What the host runs; nothing where the region is only cut.
    pub round: Vec<Name>,
}

/// Elements of a variable that are local to a loop while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promote {
    /// The variable.
    pub variable: String,
    /// The loop.
    pub within: Name,
}

/// Several rounds of a loop of the host over two sweeps, in tiles in memory of the block that overlap. As [`Tile`], it
/// makes a version, and what stands behind it speaks of the rounds that are left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The loop of the host, and its rounds in one launch.
    pub time: (Name, i64),
    /// The loops of the sweeps that are tiled, columns last, each with the iterations that a block's threads execute.
    pub loops: Vec<(Name, i64)>,
    /// Rows that each thread executes, one below the other; 1 where there are no rows.
    pub rows: i64,
    /// Blocks that the grid must have.
    pub blocks: i64,
}

/// A contraction in tiles of registers and of memory of the block. Each such step makes a version of the
/// nest, for where the grid has so many blocks; the steps behind it speak of what is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The loops of rows, columns and terms, each with the size of its tile.
    pub loops: [(Name, i64); 3],
    /// Rows and columns of a thread.
    pub threads: [i64; 2],
    /// Whether elements are copied 16 bytes at a time where the host finds that they can be.
    pub wide: bool,
    /// Runs of terms that have their tiles in memory of the block at a time, copied in the background; 1 where each is
    /// copied when it is wanted.
    pub stages: i64,
    /// Blocks that a multiprocessor is to hold at least.
    pub resident: i64,
    /// What a product costs in this version; of those that say so, the host takes the one that is done first. 0: not said.
    pub weight: i64,
    /// Blocks that the grid must have.
    pub blocks: i64,
}

/// Arrays that a nest touches by columns go through memory of the block, in squares of two of its loops. As
/// [`Tile`], it makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The two loops.
    pub loops: [Name; 2],
    /// Iterations of each in a square: a power of two from 8 to 64.
    pub side: i64,
    /// Iterations that both must have at least.
    pub least: i64,
}

/// Arrays that neighbouring iterations read together go through memory of the block. As [`Tile`], it makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The arrays, by their names.
    pub arrays: Vec<Name>,
    /// The loops of rows and columns, each with the iterations of a block.
    pub loops: [(Name, i64); 2],
    /// Rows that each thread executes, one below the other.
    pub rows: i64,
    /// Blocks that the grid must have.
    pub blocks: i64,
}

/// A stencil in space is walked over plane by plane. As [`Tile`], it makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct March {
    /// The loops of planes, rows and columns, each with the iterations of a block.
    pub loops: [(Name, i64); 3],
    /// Rows that each thread executes, one below the other.
    pub rows: i64,
    /// Blocks that the grid must have.
    pub blocks: i64,
}

/// Several iterations of a parallel loop for each thread, which loads once what they have in common. As [`Tile`], it
/// makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coarsen {
    /// The loop.
    pub name: Name,
    /// Iterations of a thread.
    pub factor: i64,
    /// Threads that the grid must have.
    pub threads: i64,
}

/// The side of squares where a step says none: a warp's threads each way.
pub const SIDE: i64 = 32;

/// Sides that squares can have.
pub const SIDES: [i64; 4] = [8, 16, 32, 64];

/// Iterations of a thread, at most: they are written out.
pub const MOST_COARSE: i64 = 32;

/// Threads that share the rounds of the loops inside of some parallel ones. With a condition it makes a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The parallel loops.
    pub rows: Vec<Name>,
    /// Threads for each of their iterations.
    pub width: i64,
    /// Iterations that neighbouring threads of a block take, so that those that share one are rows of threads; 0 where
    /// they are neighbours themselves.
    pub columns: i64,
    /// Rounds that the loops inside must have at least; 0 where nothing is asked.
    pub rounds: i64,
    /// Iterations that the parallel loops may have at most; 0 for any number.
    pub most: i64,
}

/// Who executes the iterations of a parallel loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The dimensions, those counted as one together, each with its processors.
    pub dims: Vec<(Vec<Name>, DimMap)>,
}

/// Elements that rows of an array get longer by, at most.
pub const MOST_LONGER: i64 = 128;

/// Another layout of an array in memory of the block: `spread-banks`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banks {
    /// The variable.
    pub array: String,
    /// The dimensions in their new order; none where they stay.
    pub order: Vec<i64>,
    /// Elements that rows are longer by.
    pub longer: i64,
    /// Whether the elements of a row are exchanged by its number.
    pub exchanged: bool,
    /// Whether it is an array of records whose members get arrays of their own; then it is nothing else.
    pub members: bool,
}

impl Banks {
    /// Whether it changes anything.
    pub fn is_something(&self) -> bool {
        !self.order.is_empty() || self.longer != 0 || self.exchanged || self.members
    }
}

/// Rounds of a sequential loop that are done in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unroll {
    /// The loop.
    pub name: Name,
    /// How many.
    pub factor: i64,
    /// Which ones, and what becomes of the rest.
    pub form: Rounds,
}

/// The enum of all steps, in the order in which the compiler takes them.
macro_rules! steps {
    ($($(#[doc = $doc:literal])+ $step:ident = $word:literal in $stage:literal;)+) => {
        /// One step of a plan.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Step {
            $($(#[doc = $doc])+ $step($step),)+
        }

        $(impl From<$step> for Step {
            fn from(step: $step) -> Step {
                Step::$step(step)
            }
        }

        impl StepKind for $step {
            fn of(step: &Step) -> Option<&$step> {
                match step {
                    Step::$step(own) => Some(own),
                    _ => None,
                }
            }
        })+

        /// The words that steps begin with.
        pub const WORDS: &[&str] = &[$($word),+];

        impl Step {
            /// The word that the step begins with.
            pub fn word(&self) -> &'static str {
                match self {
                    $(Step::$step(_) => $word,)+
                }
            }

            /// When the step is taken: steps of a later number come behind those of an earlier one.
            pub fn stage(&self) -> u32 {
                match self {
                    $(Step::$step(_) => $stage,)+
                }
            }

            /// Its numbers with their names: what a search may change.
            pub fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
                match self {
                    $(Step::$step(step) => StepText::numbers(step),)+
                }
            }

            /// Reads what follows a word; `None` if no step begins with it.
            pub(super) fn parse(word: &str, cursor: &mut Cursor<'_>) -> Option<Result<Step, Diagnostic>> {
                match word {
                    $($word => Some($step::parse(cursor).map(Step::$step)),)+
                    _ => None,
                }
            }
        }

        impl fmt::Display for Step {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.word())?;
                match self {
                    $(Step::$step(step) => step.write(f),)+
                }
            }
        }
    };
}

/// A kind of step.
pub trait StepKind: Sized {
    /// The step as one of this kind.
    fn of(step: &Step) -> Option<&Self>;
}

steps! {
    /// Copies of an array.
    Privatize = "privatize" in 0;
    /// A loop in parts.
    Split = "split" in 1;
    /// Values in memory.
    Expand = "expand" in 2;
    /// What loops write, apart from what they carry.
    Fission = "fission" in 2;
    /// What an array held before.
    Snapshot = "snapshot" in 2;
    /// Another layout of an array.
    Layout = "layout" in 2;
    /// Any order.
    Order = "order" in 2;
    /// Another order of loops.
    Permute = "permute" in 2;
    /// Several loops of one.
    Distribute = "distribute" in 2;
    /// One loop of two.
    Fuse = "fuse" in 2;
    /// A slanted loop.
    Skew = "skew" in 2;
    /// Strips.
    Strip = "strip" in 2;
    /// Iterations side by side.
    UnrollJam = "unroll_jam" in 2;
    /// Parallel loops.
    Parallel = "parallel" in 3;
    /// Dimensions of one loop.
    Collapse = "collapse" in 4;
    /// Loops of one block.
    Persist = "persist" in 5;
    /// Loops of the host.
    Launches = "launches" in 6;
    /// Elements in registers.
    Promote = "promote" in 7;
    /// Rounds of a loop of the host.
    Block = "block" in 8;
    /// Tiles.
    Tile = "tile" in 9;
    /// Squares.
    Stage = "stage" in 10;
    /// Planes.
    March = "march" in 11;
    /// Iterations of a thread.
    Coarsen = "coarsen" in 12;
    /// Neighbours.
    Share = "share" in 13;
    /// Shared rounds.
    Spread = "spread" in 14;
    /// Processors.
    Map = "map" in 15;
    /// Places in memory of the block.
    Banks = "banks" in 16;
    /// Unrolled loops.
    Unroll = "unroll" in 17;
}
