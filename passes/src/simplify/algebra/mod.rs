//! Equality saturation over integer arithmetic: the language, what is known of its terms, the rules
//! that say which are equal, and the choice of the cheapest.
//!
//! Terms are typed by their width alone: `index` and `i64` are both 64 bits, and a cast between the
//! two is no operation. Arithmetic wraps to the width; promises that it does not are not part of a
//! term, because a class of equal terms must be equal whatever the values are.
//!
//! | module | holds |
//! |---|---|
//! | [`node`] | the terms' operations and what they compute |
//! | [`facts`] | the interval of every class of terms, and so its constant |
//! | [`rules`] | the equalities, each one tested by evaluation |
//! | [`price`] | what an operation costs, from the device's table |
//! | [`extract`] | the choice of one term for each class, sharing counted |
//! | [`terms`] | operations of `arith` as terms |
//! | [`rebuild`] | chosen terms as operations |

pub mod extract;
pub mod facts;
pub mod node;
pub mod price;
pub mod rebuild;
pub mod rules;
pub mod terms;

/// The graph of classes of equal terms.
pub type Graph = egg::EGraph<node::Node, facts::Known>;
