//! KIR: a nest as kernels that do not depend on its subject, *diKernels*, instead of statements.
//!
//! A diKernel is all that happens to one variable in one place: an assignment, a reduction or a recurrence, of a
//! scalar, of array elements with affine subscripts (regular) or with others (irregular). Values flow from diKernel to
//! diKernel. Execution scopes are the loops, perfectly nested ones being one scope. What only computes private
//! scalars of an iteration is *shaded*: it says nothing about what the iterations of the outermost scope owe each
//! other, so the kinds of the other diKernels say whether they can run at once. After Andión et al. 2015, §4.1 and
//! §5, and Arenaz, Touriño and Doallo, "XARK: an extensible framework for automatic recognition of
//! computational kernels", 2008, whose kinds these are.
//!
//! The paper finds diKernels in a program's dependence graph. Here the program is in SSA form with affine loops, where
//! a variable is a value that a loop carries, a value that still has the variable's name, or memory; and whether
//! iterations conflict is asked of the one analysis of dependences ([`Nest`](super::nest::Nest)), so that a kind is never trusted
//! where the program does more than the kind says.
//!
//! | module | what |
//! |---|---|
//! | [`build`] | scopes and diKernels of a nest |
//! | [`flow`] | which diKernel uses what another has computed |
//! | [`mod@print`] | the pass `print-kir`, as remarks or for Graphviz |

pub mod build;
pub mod flow;
pub mod print;

use std::fmt;

use gpuc_ir::Op;

use super::loops::CountedLoop;
use crate::raise::reduction::Reduction;

/// A nest as diKernels.
#[derive(Clone, Debug, Default)]
pub struct Kir {
    /// Scopes, each behind the one that it is in; the first is the outermost.
    pub scopes: Vec<Scope>,
    /// In order of the program.
    pub kernels: Vec<DiKernel>,
    /// Which diKernel's values go into which, in ascending order, none twice.
    pub flows: Vec<Flow>,
}

/// Perfectly nested loops.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The scope round it.
    pub parent: Option<usize>,
    /// Its loops, outermost first.
    pub loops: Vec<CountedLoop>,
    /// The innermost of them, the body of which is the scope's code.
    pub innermost: Op,
}

/// All that happens to one variable in one place.
#[derive(Clone, Debug)]
pub struct DiKernel {
    /// What the variable is called.
    pub variable: String,
    /// The line of its statement in the program; 0 where it is not known.
    pub line: u32,
    /// The operation that computes the variable's value, or stores it; of a first value that a loop starts from, the
    /// loop.
    pub op: Op,
    /// In which scope.
    pub scope: usize,
    /// Of what.
    pub class: Class,
    /// What happens.
    pub computation: Computation,
    /// Whether it only computes what is private to an iteration of the outermost scope.
    pub shaded: bool,
    /// Whether iterations of the outermost scope may owe each other something because of it.
    pub conflicts: bool,
}

/// What a diKernel's variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One value.
    Scalar,
    /// Elements whose subscripts are affine in the loops.
    Regular,
    /// Elements whose subscripts are not.
    Irregular,
}

/// What a diKernel does to its variable `v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computation {
    /// `v = e`, where `e` does not depend on `v`.
    Assignment,
    /// `v = v ⊕ e`, where `e` does not depend on `v`.
    Reduction(Reduction),
    /// `v = f(v)`: anything else.
    Recurrence,
}

/// A flow of values from one diKernel to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// Whose values.
    pub from: usize,
    /// Who uses them.
    pub to: usize,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Scalar => "scalar",
            Class::Regular => "regular",
            Class::Irregular => "irregular",
        })
    }
}

impl fmt::Display for Computation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Computation::Assignment => f.write_str("assignment"),
            Computation::Reduction(kind) => write!(f, "reduction ({})", kind.symbol()),
            Computation::Recurrence => f.write_str("recurrence"),
        }
    }
}

impl fmt::Display for DiKernel {
    /// As the paper writes it: `K<output_28>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "K<{}_{}>", self.variable, self.line)
    }
}

impl Kir {
    /// Whether all iterations of the outermost scope can run at once as they are, or with its reductions
    /// combined.
    pub fn is_parallelizable(&self) -> bool {
        self.kernels.iter().filter(|kernel| !kernel.shaded).all(|kernel| !kernel.conflicts)
    }
}
