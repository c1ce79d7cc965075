//! `advance-loads`: loads in the body of a loop go in front of stores that do not write what they load.
//!
//! Needs innermost loops of kernels, best with several rounds in one (`loop-unroll`); leaves loads of what a store in front of them may
//! write, and everything in bodies with barriers. The device's compiler issues a load where it stands or earlier, but not in front of a
//! store, of which it does not know that it is of another array; and each round that loads behind the stores of the one before waits for
//! memory by itself. At the front of the body all of them are under way at once. Loads take what their subscripts are
//! computed by along. Their values wait in registers: so many words of them, no more.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Ir, Op, OpView, Value};
use indexmap::IndexSet;

use super::loop_unroll::body_length;
use super::on_loops_of_kernels;
use crate::analysis::access::Access;
use crate::analysis::gaps::are_apart;
use crate::analysis::nest::Nest;

gpuc_ir::pass! {
    /// Let loads in loops of kernels go in front of stores that do not write what they load.
    AdvanceLoads = "advance-loads" on "builtin.module" {
        /// Words of four bytes that wait in registers in a loop, at most.
        words: usize = 64,
    }
}

impl Pass for AdvanceLoads {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        on_loops_of_kernels(ir, module, |ir, view| {
            if body_length(ir, view).is_some() {
                self.advance(ir, view);
            }
        });
        Ok(())
    }
}

impl AdvanceLoads {
    fn advance(&self, ir: &mut Ir, view: scf::ForOp) {
        let body = view.body(ir);
        let Some(loads) = self.early(ir, view) else { return };
        let mut taken = IndexSet::new();
        for load in loads {
            with_operands(ir, load, body, &mut taken);
        }
        // Behind what only computes in front of them, they would wait for divisions, which are calls.
        let mut front = ir.first_op(body);
        for op in taken {
            match front {
                Some(at) if at == op => front = ir.next_op(at),
                Some(at) => ir.move_before(at, op),
                None => {}
            }
        }
    }

    /// The loads that may stand at the front of a body, where one of them stands behind something that writes.
    fn early(&self, ir: &Ir, view: scf::ForOp) -> Option<Vec<Op>> {
        let body = view.body(ir);
        let nest = Nest::of_known(ir, view.op()).ok()?;
        let mut left = nest.accesses(view.op()).ok()?.iter().peekable();
        let (mut written, mut loads): (Vec<&Access>, _) = (Vec::new(), Vec::new());
        // What has to stay where it is, as far as it computes something.
        let mut late: IndexSet<Op> = IndexSet::new();
        let (mut words, mut gains) = (0, false);
        for op in ir.ops(body) {
            let mut own: Vec<&Access> = Vec::new();
            while let Some(access) =
                left.next_if(|access| ir.ancestor_in_block(access.op, body) == Some(op))
            {
                own.push(access);
            }
            let is_early =
                |value: Value| ir.defining_op(value).is_none_or(|def| !late.contains(&def));
            let mut stays = !ir.operands(op).all(is_early);
            if let ([read], true) = (&own[..], memref::LoadOp::is(ir, op)) {
                let words_then = words + words_of(ir, op);
                let is_kept = written.iter().all(|write| are_apart(ir, write, read, None));
                stays |= !is_kept || words_then > self.words;
                if !stays {
                    words = words_then;
                    gains |= !written.is_empty();
                    loads.push(op);
                }
            } else {
                written.extend(own.iter().filter(|access| access.writes()));
                stays |= !ir.is_effect_free(op) || !ir.regions(op).is_empty();
            }
            if stays {
                late.insert(op);
            }
        }
        gains.then_some(loads)
    }
}

/// Takes an operation of a body, behind what it is computed by.
fn with_operands(ir: &Ir, op: Op, body: Block, taken: &mut IndexSet<Op>) {
    if ir.parent_block(op) != Some(body) || taken.contains(&op) {
        return;
    }
    for def in ir.operands(op).filter_map(|value| ir.defining_op(value)) {
        with_operands(ir, def, body, taken);
    }
    taken.insert(op);
}

/// Registers that a load fills.
fn words_of(ir: &Ir, load: Op) -> usize {
    let bytes = memref::scalar_bytes(&ir.ctx, ir.ty(ir.result(load, 0)));
    bytes.map_or(1, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX).div_ceil(4))
}
