//! What the sizes of a `tile` clause ask for (OpenACC 3.3 §2.9.8): a block of threads for each tile, a thread for each of its
//! iterations.
//!
//! The first size is that of the innermost loop. `*` leaves all of them to the compiler, and so do more sizes than a block
//! of a nest has dimensions of its own; a tile of more iterations than a block has threads is named by a warning.

use gpuc_diagnostics::{Diagnostic, codes};

use super::ClauseKind;
use super::names::ClauseName;
use crate::directive::construct::{Step, Wish};
use crate::directive::loops::all_loops;
use crate::directive::{Directive, Written};
use crate::source::Span;
use crate::tree::{StmtId, TranslationUnit};

/// Threads of a block, at most, on every device that there is.
const MOST_THREADS: i128 = 1024;

/// The step that the sizes of tiles ask for, or why there is none.
pub(crate) fn asked(
    unit: &TranslationUnit,
    directive: &Directive,
    body: StmtId,
) -> Option<Result<Wish, (Span, Diagnostic)>> {
    let Written::OpenAcc(written) = &directive.written else { return None };
    let clause = written.clause(ClauseName::Tile)?;
    let ClauseKind::Tile(sizes) = &clause.kind else { return None };
    let sizes: Option<Vec<i128>> = sizes.iter().map(|size| unit.constant_int((*size)?)).collect();
    let (x, y) = match sizes?[..] {
        [x] => (x, 1),
        [x, y] => (x, y),
        _ => return None,
    };
    // Others are refused as sizes.
    if x < 1 || y < 1 {
        return None;
    }
    let threads = x.saturating_mul(y);
    if threads > MOST_THREADS {
        let message = format!(
            "`tile` is not followed: a tile of {x} x {y} iterations has {threads}, and a block {MOST_THREADS} threads at most"
        );
        let diagnostic = Diagnostic::warning(message).code(codes::PLAN_STEP);
        return Some(Err((clause.span, diagnostic.help("the sizes are the compiler's"))));
    }
    let (x, y) = (x as u32, y as u32);
    let step = Step::Block { nest: all_loops(unit, body), x, y, shared: false, word: "tile" };
    Some(Ok(Wish { step, span: clause.span }))
}
