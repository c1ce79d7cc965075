//! Plans: what is done to a nest, as a text of typed steps that passes record, and that they obey.
//!
//! Whoever decides notes the step that it took at the construct's function ([`record()`]); where a plan was
//! given ([`given`]) it takes its steps from that, checks them like its own, and refuses with the rule and
//! the places. `begin-plan` puts the key there and what was given, `end-plan` asks whether all of it was
//! taken. `docs/plans.md` is the tutorial.
//!
//! | module | what |
//! |---|---|
//! | [`step`] | the steps, one closed enum |
//! | [`text`], [`cursor`], [`wording`] | parser and printer: of files, of lines, of each step |
//! | [`names`] | names of loops |
//! | [`key`] | what a plan belongs to |
//! | [`mod@record`] | steps that were taken |
//! | [`given`] | steps that are to be taken |
//! | [`tuning`] | plans that were measured |
//! | [`asked`] | what `share` pragmas ask for |
//! | [`passes`] | `begin-plan`, `end-plan`, `print-plan` |

pub mod asked;
mod cursor;
pub mod given;
pub mod key;
pub mod names;
pub mod passes;
pub mod record;
pub mod step;
pub mod text;
pub mod tuning;
mod wording;

pub use given::Given;
pub use record::record;
pub use step::Step;

use gpuc_dialects::offload::{PERSISTENT_ATTR, REST_ATTR};
use gpuc_ir::{Ir, Op};

use crate::versions::is_fallback;

/// Whether a plan speaks of an operation: it is in no version that only stands in for an assumption
/// which does not hold, and in no loop that persists in a block. Those are decided as if there were no plan.
pub fn is_planned(ir: &Ir, op: Op) -> bool {
    let set_aside = |at: Op| is_fallback(ir, at) && ir.attr(at, REST_ATTR).is_none();
    let set_aside = |at: Op| set_aside(at) || ir.attr(at, PERSISTENT_ATTR).is_some();
    ![op].into_iter().chain(ir.ancestors(op)).any(set_aside)
}
