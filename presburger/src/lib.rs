//! Integer sets and maps with parameters: the arithmetic under dependences, bounds and footprints.
//!
//! A [`Set`] holds integer tuples described by affine constraints over its dimensions and over parameters, whose values
//! are unknown; a [`Map`] relates two tuples. Both are unions of [`BasicSet`]s, conjunctions in which further integers
//! may be existentially quantified, so `floordiv`, `mod` and strides are part of the language. Every answer is exact over
//! the integers and holds for all values of the parameters, or it is an [`Error`]: nothing is approximated, nothing
//! overflows silently, and every question ends after a bounded amount of work.
//!
//! ```
//! use gpuc_presburger::{Affine, BasicSet, Constraint, Set, Space};
//!
//! // The iterations of `for (i = 0; i < n; i++) for (j = 0; j < m; j++)`.
//! let (i, j) = (Affine::dim(0), Affine::dim(1));
//! let (n, m) = (Affine::param(0), Affine::param(1));
//! let nest = BasicSet::new(Space::set(["n", "m"], ["i", "j"]), [
//!     Constraint::ge(i.clone(), 0),
//!     Constraint::lt(i.clone(), n.clone()),
//!     Constraint::ge(j.clone(), 0),
//!     Constraint::lt(j.clone(), m.clone()),
//! ])?;
//! assert_eq!(nest.to_string(), "[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < m }");
//! assert!(nest.implies(&Constraint::lt(i + j, n + m - 1))?);
//!
//! let text: Set = "[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < m }".parse()?;
//! assert!(text.is_equal(&nest.into())?);
//! # Ok::<(), gpuc_presburger::Error>(())
//! ```
//!
//! The theory is the Omega test (Pugh, "The Omega test: a fast and practical integer programming algorithm for dependence
//! analysis", CACM 35(8), 1992): equalities are solved by changes of basis, inequalities by Fourier–Motzkin elimination made
//! exact with dark shadows and splinters.
//!
//! | module | what |
//! |---|---|
//! | `integer`, `rows`, `system` | checked arithmetic on coefficients; matrices of them; conjunctions of rows and their normal form |
//! | `shadow`, `sample`, `witnessed` | elimination of a variable; whether there is an integer point; questions once there is one |
//! | `existential`, `subtract` | elimination of quantifiers; set difference, the base of subset tests |
//! | `coalesce` | unions of fewer pieces |
//! | `affine`, `space`, `basic_set`, `set`, `map` | the types that customers see |
//! | `bounds`, `lexicographic`, `count` | loop bounds, optima, hulls; first tuples; number of tuples |
//! | `parametric` | the lexicographic minimum as a function of the parameters (Feautrier 1988) |
//! | `quasi_affine`, `piecewise` | values with `floordiv` and `mod`, one a piece |
//! | `footprint`, `hull` | boxes of constant size at a moving origin; boxes whose sides are values |
//! | `parse`, `display` | isl's notation |
//! | `error` | what an operation may refuse |
//! | [`codegen`] | loops and guards that visit the tuples of sets in order |
//! | [`dependence`] | dependences between accesses of a loop nest |

mod affine;
mod basic_set;
mod bounds;
mod coalesce;
pub mod codegen;
mod count;
pub mod dependence;
mod display;
mod error;
mod existential;
mod footprint;
mod hull;
mod integer;
mod lexicographic;
mod map;
mod parametric;
mod parse;
mod piecewise;
mod quasi_affine;
mod rows;
mod sample;
mod set;
mod shadow;
mod space;
mod subtract;
mod system;
mod witnessed;

pub use affine::{Affine, Constraint, Var};
pub use basic_set::{BasicSet, Point};
pub use bounds::{Bound, Bounds, Optimum};
pub use error::{Error, Result};
pub use footprint::{Footprint, NoFootprint, Side};
pub use hull::ParametricHull;
pub use integer::gcd;
pub use map::Map;
pub use piecewise::{Piece, PiecewiseQuasiAffine};
pub use quasi_affine::QuasiAffine;
pub use set::Set;
pub use space::Space;
