//! `delinearize`: recovers the dimensions of arrays whose subscripts are written out, `A[i*n + j]`.
//!
//! The products with run-time extents in all subscripts of a buffer give its strides, `n` and 1; a
//! view with these strides is made where the extents are known, and the accesses become affine ones
//! in it, `A[i][j]` (see [`row_view`](super::row_view)). That is sound only if each inner subscript
//! stays within its extent, else different pairs would name the same element. Where the bounds of
//! the loops prove that for all values of the parameters, nothing more is needed. Where they do not,
//! and the compiler has to find the parallel loops itself, the region is made twice: one version
//! with the view, run where a comparison of the parameters says that it holds (`m <= lda`, see
//! [`row_guard`](super::row_guard)), and one as it was (see [`versions`]). Strides that are
//! numbers need no view: `A[i*64 + j]` is affine as it stands. After Grosser et al., "Optimistic
//! delinearization of parametrically sized arrays", ICS 2015.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::affine::affine_scope;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::op::Subscripts;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Region, Value, WalkOrder};
use indexmap::IndexMap;

use super::affine_operands::AffineOperands;
use super::row_guard::Guard;
use super::row_view::View;
use crate::analysis::access::{Access, access, describe, name, root};
use crate::analysis::domain::is_unchanging;
use crate::analysis::loops::candidates;
use crate::analysis::subscript::polynomial_keeping;
use crate::versions::{self, Unassuming};

gpuc_ir::pass! {
    /// Recover the dimensions of arrays with written-out subscripts.
    Delinearize = "delinearize" on "func.func" {}
}

impl Pass for Delinearize {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut operands = AffineOperands::default();
        let mut guarded: IndexMap<Region, (Guard, Vec<View>)> = IndexMap::new();
        for ((memory, scope), accesses) in linear_accesses(ir, op) {
            let Some((view, guard)) = View::find(ir, memory, scope, &accesses) else { continue };
            if guard.as_ref().is_some_and(Guard::holds_always) {
                view.apply(ir, scope, &mut operands);
                continue;
            }
            let variable = name(ir, root(ir, memory));
            let useful = |guard: &Guard| {
                let point = ir.region_op(scope).map(|region| versions::point(ir, region));
                asks(ir, scope) && point.is_some_and(|point| guard.can_be_had_before(ir, point))
            };
            let remark = match guard.filter(useful) {
                Some(guard) => {
                    let condition = guard.display(|value| describe(ir, value));
                    let all = guarded.entry(scope).or_default();
                    all.0.extend(guard);
                    all.1.push(view);
                    Diagnostic::remark(format!(
                        "two versions made: {variable} is taken apart into rows if {condition}"
                    ))
                }
                None => Diagnostic::missed(format!(
                    "the subscript of {variable} is not proven to stay within a row"
                )),
            };
            let place = ir.ctx.place(ir.location(accesses[0].op));
            cx.report(remark.code(codes::ROWS).at_option(place));
        }
        for (scope, (guard, views)) in guarded {
            let Some(region) = ir.region_op(scope) else { continue };
            let kept = Unassuming::keep(ir, region);
            let point = versions::point(ir, region);
            let holds = guard.build(&mut Builder::before(ir, point), point);
            kept.require(ir, holds, region);
            for view in views {
                view.apply(ir, scope, &mut operands);
            }
        }
        Ok(())
    }
}

/// The accesses with one subscript, by what they are compared by and by affine scope.
fn linear_accesses(ir: &Ir, op: Op) -> IndexMap<(Value, Region), Vec<Access>> {
    let mut buffers: IndexMap<(Value, Region), Vec<Access>> = IndexMap::new();
    for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
        let Some(found) = access(ir, inner) else { continue };
        let linear = ir.ctx.shape(ir.ty(found.buffer)).is_some_and(|shape| shape.len() == 1)
            && found.subscripts.len() == 1
            && found.length == 1;
        // A view of a buffer is made in front of what uses it.
        let known = |scope: &Region| is_unchanging(ir, found.buffer, *scope);
        if let Some(scope) = affine_scope(ir, inner).filter(|_| linear).filter(known) {
            let found = keep_extents(ir, found, scope);
            buffers.entry((found.memory(), scope)).or_default().push(found);
        }
    }
    buffers
}

/// The access with a subscript in which extents that are sums are numbers of their own.
fn keep_extents(ir: &Ir, mut access: Access, scope: Region) -> Access {
    let subscripts = ir.memory_access(access.op).map(|access| access.subscripts);
    if let Some(Subscripts::Values(values)) = subscripts
        && let [index] = values[..]
        && !access.kind.is_atomic()
    {
        let form = polynomial_keeping(ir, index, &|value| is_unchanging(ir, value, scope));
        access.subscripts = vec![Some(form.into())];
    }
    access
}

/// Whether the scope is a compute region in which the compiler is to find parallel loops: only there
/// is a guess about subscripts worth a second version.
fn asks(ir: &Ir, scope: Region) -> bool {
    let region = ir.region_op(scope).and_then(|op| RegionOp::cast(ir, op));
    region.is_some_and(|region| !candidates(ir, region).is_empty())
}
