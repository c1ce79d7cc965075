//! Enumerations of `offload`: constructs, orders, levels and operators of reductions.

use crate::enumeration::enumerations;

enumerations! {
    "offload";

    /// Kind of a compute construct.
    Construct, REGION_KIND, CONSTRUCT, "construct", "kind of compute construct" {
        /// `parallel`: gangs execute the region redundantly and share loops.
        Parallel = "parallel",
        /// `kernels`: the compiler finds the parallelism.
        Kernels = "kernels",
        /// `serial`: one gang of one worker of one lane.
        Serial = "serial",
    }

    /// What a directive says about the order of a loop's iterations.
    LoopOrder, LOOP_ORDER, ORDER, "order", "order of iterations" {
        /// Any order, or all at once.
        Independent = "independent",
        /// The compiler is to find out.
        Auto = "auto",
        /// One after the other.
        Seq = "seq",
    }

    /// An operator of reductions.
    ReductionKind, REDUCTION_KIND, REDUCTION, "reduction", "operator of reductions" {
        /// `+`.
        Add = "add",
        /// `*`.
        Mul = "mul",
        /// The greater; of a number and no number the number, as C's `fmax`.
        Max = "max",
        /// The less; of a number and no number the number, as C's `fmin`.
        Min = "min",
        /// `&`.
        And = "iand",
        /// `|`.
        Or = "ior",
        /// `^`.
        Xor = "ixor",
        /// `&&`.
        LogicalAnd = "land",
        /// `||`.
        LogicalOr = "lor",
    }
}

/// Names of the levels of parallelism, outermost first.
pub const LEVELS: [&str; 3] = ["gang", "worker", "vector"];
