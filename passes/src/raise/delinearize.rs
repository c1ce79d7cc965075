//! `delinearize`: recovers the dimensions of arrays whose subscripts are written out, `A[i*n + j]`.
//!
//! The products with run-time extents in all subscripts of a buffer give its strides, `n` and 1; a
//! view with these strides (`memref.reinterpret_cast`) is made where the extents are known, and the
//! accesses become affine ones in it, `A[i][j]`. That is sound only if each inner subscript stays
//! within its extent, else different pairs would name the same element: it is proven from the bounds
//! of the loops for all values of the parameters, or nothing is changed. Strides that are numbers
//! need no view: `A[i*64 + j]` is affine as it stands. After Grosser et al., "Optimistic
//! delinearization of parametrically sized arrays", ICS 2015, without the optimism.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp, affine_scope};
use gpuc_dialects::{arith, memref};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, DYNAMIC, InsertPoint, Ir, Op, OpView, Region, Value, ValueDef, WalkOrder};
use gpuc_presburger::{BasicSet, Constraint};
use indexmap::IndexMap;

use super::affine_operands::AffineOperands;
use crate::analysis::access::{Access, AccessKind, access, name, root};
use crate::analysis::domain::{Domain, is_unchanging};
use crate::analysis::loops::nest;
use crate::analysis::polynomial::{Monomial, Polynomial};
use crate::analysis::subscript::polynomial_keeping;

gpuc_ir::pass! {
    /// Recover the dimensions of arrays with written-out subscripts.
    Delinearize = "delinearize" on "func.func" {}
}

impl Pass for Delinearize {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut operands = AffineOperands::default();
        let mut buffers: IndexMap<(Value, Region), Vec<Access>> = IndexMap::new();
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(found) = access(ir, inner) else { continue };
            let linear = ir.ctx.shape(ir.ty(found.buffer)).is_some_and(|shape| shape.len() == 1)
                && found.subscripts.len() == 1
                && found.length == 1;
            if let Some(scope) = affine_scope(ir, inner).filter(|_| linear) {
                let found = keep_extents(ir, found, scope);
                buffers.entry((found.buffer, scope)).or_default().push(found);
            }
        }
        for ((buffer, scope), accesses) in buffers {
            if let Some(view) = View::find(ir, buffer, scope, &accesses, cx) {
                view.apply(ir, scope, &mut operands);
            }
        }
        Ok(())
    }
}

/// The access with a subscript in which extents that are sums are numbers of their own.
fn keep_extents(ir: &Ir, mut access: Access, scope: Region) -> Access {
    let plain = memref::LoadOp::is(ir, access.op) || memref::StoreOp::is(ir, access.op);
    if let Some(index) = ir.operands(access.op).last().filter(|_| plain) {
        let form = polynomial_keeping(ir, index, &|value| is_unchanging(ir, value, scope));
        access.subscripts = vec![Some(form)];
    }
    access
}

/// A buffer seen with its dimensions.
struct View {
    buffer: Value,
    /// The strides of all dimensions but the last, whose stride is 1; each divides the one before.
    strides: Vec<Monomial>,
    /// The extents of all dimensions but the first.
    extents: Vec<Monomial>,
    /// Subscripts of each access.
    accesses: Vec<(Access, Vec<Polynomial>)>,
}

impl View {
    /// The dimensions of a buffer, if its subscripts show some and prove them.
    fn find(
        ir: &Ir,
        buffer: Value,
        scope: Region,
        accesses: &[Access],
        cx: &mut PassContext<'_>,
    ) -> Option<View> {
        let scope_op = ir.region_op(scope)?;
        let forms: Option<Vec<&Polynomial>> =
            accesses.iter().map(|access| access.subscripts[0].as_ref()).collect();
        let forms = forms?;
        let atomic = accesses.iter().any(|access| access.kind == AccessKind::Atomic);
        if atomic || forms.iter().all(|form| form.is_affine()) {
            return None;
        }
        let strides = strides(ir, scope_op, accesses, &forms)?;
        let extents: Vec<Monomial> = (0..strides.len())
            .map(|d| quotient(&strides[d], strides.get(d + 1).map_or(&[], |next| &next[..])))
            .collect::<Option<_>>()?;
        let mut view = View { buffer, strides, extents, accesses: Vec::new() };
        for (access, form) in accesses.iter().zip(forms) {
            match view.subscripts(ir, scope, access, form) {
                Some(subscripts) => view.accesses.push((access.clone(), subscripts)),
                None => {
                    let root = root(ir, buffer);
                    cx.report(
                        Diagnostic::remark(format!(
                            "the subscript of {} is not proven to stay within a row",
                            name(ir, root)
                        ))
                        .at_option(ir.ctx.place(ir.location(access.op))),
                    );
                    return None;
                }
            }
        }
        Some(view)
    }

    /// A linear subscript as one for each dimension, each inner one proven to be within its extent.
    fn subscripts(
        &self,
        ir: &Ir,
        scope: Region,
        access: &Access,
        form: &Polynomial,
    ) -> Option<Vec<Polynomial>> {
        let mut rest = form.clone();
        let mut parts = Vec::new();
        for stride in &self.strides {
            let (quotient, remainder) = rest.divide_by(stride);
            parts.push(quotient);
            rest = remainder;
        }
        parts.push(rest);
        if !parts.iter().all(Polynomial::is_affine) {
            return None;
        }
        let nest = nest(ir, access.op, ir.region_op(scope)?);
        let mut domain = Domain::of_scope(scope);
        domain.add_nest(ir, &nest);
        for part in &parts {
            domain.add_params(ir, &nest, part);
        }
        let extents: Vec<Polynomial> =
            self.extents.iter().map(|extent| Polynomial::term(extent, 1)).collect();
        for extent in &extents {
            domain.add_params(ir, &nest, extent);
        }
        domain.add_definitions(ir);
        let mut iterations = BasicSet::universe(domain.set_space(nest.len()));
        domain.constrain(&mut iterations, &nest).ok()?;
        let within = |part: &Polynomial, extent: &Polynomial| {
            let (part, extent) = (domain.affine(&nest, part)?, domain.affine(&nest, extent)?);
            let proven = iterations.implies(&Constraint::ge(part.clone(), 0)).ok()?
                && iterations.implies(&Constraint::lt(part, extent)).ok()?;
            proven.then_some(())
        };
        // From the last dimension on; `n - 1` as a column was taken apart as one row further and
        // one column back, so a row less may be what was meant.
        for d in (1..parts.len()).rev() {
            let extent = &extents[d - 1];
            let fits = [0, 1, -1].into_iter().find_map(|rows| {
                let part = parts[d].plus(extent, rows)?;
                within(&part, extent)?;
                Some((rows, part))
            });
            let (rows, part) = fits?;
            parts[d] = part;
            parts[d - 1] = parts[d - 1].plus(&Polynomial::constant(rows), -1)?;
        }
        Some(parts)
    }

    /// Makes the view and rewrites the accesses, if everything they need can be had.
    fn apply(&self, ir: &mut Ir, scope: Region, operands: &mut AffineOperands) -> Option<()> {
        let entry = ir.entry_block(scope)?;
        // The view stands behind whatever it is made of, and must stand in front of all accesses.
        let mut behind: Option<Op> = None;
        let factors = self.extents.iter().flatten().copied().collect::<Vec<_>>();
        for value in factors.into_iter().chain([self.buffer]) {
            let value = match ir.ctx.is_memref(ir.ty(value)) {
                true => value,
                false => operands.index(ir, value, scope)?,
            };
            let ValueDef::Result(op, _) = ir.value_def(value) else { continue };
            if ir.parent_block(op) == Some(entry)
                && behind.is_none_or(|last| ir.is_before(last, op))
            {
                behind = Some(op);
            }
        }
        for (access, _) in &self.accesses {
            let top = ir.ancestor_in_block(access.op, entry)?;
            if behind.is_some_and(|last| !ir.is_before(last, top)) {
                return None;
            }
        }
        let mut maps = Vec::new();
        for (access, parts) in &self.accesses {
            maps.push(operands.map(ir, access.op, parts)?);
        }
        let location = ir.location(self.accesses.first()?.0.op);
        let point = behind.map_or(InsertPoint::Start(entry), InsertPoint::After);
        let view = self.build(ir, point, location, scope, operands)?;
        for ((access, _), map) in self.accesses.iter().zip(&maps) {
            let op = access.op;
            let stored = (access.writes()).then(|| ir.operand(op, 0));
            let mut b = Builder::before(ir, op);
            match stored {
                Some(value) => {
                    AffineStoreOp::create(&mut b, value, view, map);
                    ir.erase_op(op);
                }
                None => {
                    let value = AffineLoadOp::create(&mut b, view, map);
                    ir.replace_op(op, &[value]);
                }
            }
        }
        Some(())
    }

    fn build(
        &self,
        ir: &mut Ir,
        point: InsertPoint,
        location: gpuc_ir::Location,
        scope: Region,
        operands: &mut AffineOperands,
    ) -> Option<Value> {
        // Numbers first: building them may place operations at the same point.
        let mut factors: Vec<Vec<Value>> = Vec::new();
        for product in self.extents.iter() {
            let values: Option<Vec<Value>> =
                product.iter().map(|&value| operands.index(ir, value, scope)).collect();
            factors.push(values?);
        }
        let element = ir.ctx.element(ir.ty(self.buffer))?;
        let mut b = Builder::new(ir, point, location);
        let mut extents: Vec<Value> = Vec::new();
        for values in &factors {
            let mut product = *values.first()?;
            for &value in &values[1..] {
                product = arith::MulIOp::new(&mut b, product, value).value(&mut b);
            }
            extents.push(product);
        }
        // Strides from the inside out; the last is 1.
        let mut strides = vec![*extents.last()?];
        for &extent in extents.iter().rev().skip(1) {
            let inner = strides[strides.len() - 1];
            strides.push(arith::MulIOp::new(&mut b, extent, inner).value(&mut b));
        }
        strides.reverse();
        // As many rows as the buffer has begun.
        let zero = arith::constant_index(&mut b, 0);
        let one = arith::constant_index(&mut b, 1);
        let length = memref::DimOp::new(&mut b, self.buffer, zero).value(&mut b);
        let row = arith::MaxSIOp::new(&mut b, strides[0], one).value(&mut b);
        let rows = arith::CeilDivSIOp::new(&mut b, length, row).value(&mut b);
        let mut sizes = vec![rows];
        sizes.extend(&extents);
        let dims = sizes.len();
        let mut pattern = vec![DYNAMIC; dims];
        pattern[dims - 1] = 1;
        let layout = b.ctx.strided_attr(0, &pattern);
        let space = b.ctx.memory_space(b.ty(self.buffer)).flatten();
        let ty = b.ctx.memref_in(&vec![DYNAMIC; dims], element, Some(layout), space);
        let (offsets, sizes_attr, strides_attr) = (
            b.ctx.i64_array_attr(&[0]),
            b.ctx.i64_array_attr(&vec![DYNAMIC; dims]),
            b.ctx.i64_array_attr(&pattern),
        );
        let view = memref::ReinterpretCastOp::new(&mut b, self.buffer, &[], &sizes, &strides)
            .attr(&mut b, "static_offsets", offsets)
            .attr(&mut b, "static_sizes", sizes_attr)
            .attr(&mut b, "static_strides", strides_attr)
            .result(ty)
            .value(&mut b);
        Some(view)
    }
}

/// The strides that the subscripts of a buffer show, the greatest first: what loop variables are
/// multiplied by. `None` where they do not divide each other.
fn strides(
    ir: &Ir,
    scope: Op,
    accesses: &[Access],
    forms: &[&Polynomial],
) -> Option<Vec<Monomial>> {
    let mut strides: Vec<Monomial> = Vec::new();
    for (access, form) in accesses.iter().zip(forms) {
        let variables: Vec<Value> =
            nest(ir, access.op, scope).into_iter().map(|dim| dim.variable).collect();
        for (monomial, _) in form.terms() {
            let (moving, stride): (Vec<Value>, Vec<Value>) =
                monomial.iter().partition(|value| variables.contains(value));
            match (moving.len(), stride.len()) {
                (1, 1..) => {}
                // Two variables multiplied: no closed form.
                (2.., _) => return None,
                _ => continue,
            }
            let stride = Monomial::from_vec(stride);
            if !strides.contains(&stride) {
                strides.push(stride);
            }
        }
    }
    strides.sort_by_key(|stride| std::cmp::Reverse(stride.len()));
    let chain =
        strides.windows(2).all(|pair| quotient(&pair[0], &pair[1]).is_some_and(|q| !q.is_empty()));
    (chain && !strides.is_empty()).then_some(strides)
}

/// `product / factor`, if it divides.
fn quotient(product: &[Value], factor: &[Value]) -> Option<Monomial> {
    let mut rest = Monomial::from_slice(product);
    for value in factor {
        let at = rest.iter().position(|known| known == value)?;
        rest.remove(at);
    }
    Some(rest)
}
