//! A buffer seen with the dimensions that its written-out subscripts show.

use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp};
use gpuc_dialects::{arith, memref, ptr};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Region, Value, ValueDef};
use gpuc_presburger::{BasicSet, Constraint};
use indexmap::IndexMap;

use super::affine_operands::AffineOperands;
use super::row_guard::Guard;
use crate::analysis::access::Access;
use crate::analysis::domain::Domain;
use crate::analysis::loops::nest;
use crate::analysis::nest::guard::guards;
use crate::analysis::polynomial::{Monomial, Polynomial};

/// A buffer seen with its dimensions.
#[derive(Clone, Debug)]
pub struct View {
    /// What the accesses are compared by (see [`Access::memory`]).
    memory: Value,
    /// The strides of all dimensions but the last, whose stride is 1; each divides the one before.
    strides: Vec<Monomial>,
    /// The extents of all dimensions but the first.
    extents: Vec<Monomial>,
    /// Subscripts of each access.
    accesses: Vec<(Access, Vec<Polynomial>)>,
}

impl View {
    /// The dimensions of a buffer, if its subscripts show some, and what has to hold for them;
    /// nothing can make them hold where that is `None`.
    pub fn find(
        ir: &Ir,
        memory: Value,
        scope: Region,
        accesses: &[Access],
    ) -> Option<(View, Option<Guard>)> {
        let scope_op = ir.region_op(scope)?;
        let forms: Option<Vec<&Polynomial>> =
            accesses.iter().map(|access| access.subscripts[0].as_ref()?.as_polynomial()).collect();
        let forms = forms?;
        let atomic = accesses.iter().any(|access| access.kind.is_atomic());
        if atomic || forms.iter().all(|form| form.is_affine()) {
            return None;
        }
        let strides = strides(ir, scope_op, accesses, &forms)?;
        let extents: Vec<Monomial> = (0..strides.len())
            .map(|d| quotient(&strides[d], strides.get(d + 1).map_or(&[], |next| &next[..])))
            .collect::<Option<_>>()?;
        let mut view = View { memory, strides, extents, accesses: Vec::new() };
        let mut guard = Guard::default();
        for (access, form) in accesses.iter().zip(forms) {
            let Some((subscripts, needed)) = view.subscripts(ir, scope, access, form) else {
                return Some((view, None));
            };
            view.accesses.push((access.clone(), subscripts));
            guard.extend(needed);
        }
        Some((view, Some(guard)))
    }

    /// A linear subscript as one for each dimension, and what has to hold for each inner one to be
    /// within its extent; `None` where nothing can make it so.
    fn subscripts(
        &self,
        ir: &Ir,
        scope: Region,
        access: &Access,
        form: &Polynomial,
    ) -> Option<(Vec<Polynomial>, Guard)> {
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
        let conditions = guards(ir, access.op, ir.region_op(scope)?);
        conditions.iter().for_each(|each| domain.add_params_of(ir, &nest, &each.form));
        domain.add_definitions(ir);
        let mut iterations = BasicSet::universe(domain.set_space(nest.len()));
        domain.constrain(&mut iterations, &nest).ok()?;
        for each in &conditions {
            let Some(form) = domain.quasi_affine(&mut iterations, &nest, &each.form).ok()? else {
                continue;
            };
            let condition = match each.is_equality {
                true => Constraint::eq(form, 0),
                false => Constraint::ge(form, 0),
            };
            iterations.add(&condition).ok()?;
        }
        // What has to hold for a part to be within its extent.
        let within = |part: &Polynomial, extent: &Polynomial| {
            let (part, extent) = (domain.affine(&nest, part)?, domain.affine(&nest, extent)?);
            let mut guard = Guard::default();
            for outside in [Constraint::lt(part.clone(), 0), Constraint::ge(part, extent)] {
                guard.extend(Guard::against(&iterations, &outside, &domain)?);
            }
            Some(guard)
        };
        // From the last dimension on; `n - 1` as a column was taken apart as one row further and
        // one column back, so a row less may be what was meant, if that is proven.
        let mut needed = Guard::default();
        for d in (1..parts.len()).rev() {
            let extent = &extents[d - 1];
            let moved = |rows| {
                let part = parts[d].plus(extent, rows)?;
                let guard = within(&part, extent)?;
                Some((rows, part, guard))
            };
            let proven =
                [0, 1, -1].into_iter().filter_map(moved).find(|(.., guard)| guard.holds_always());
            let (rows, part, guard) = proven.or_else(|| moved(0))?;
            needed.extend(guard);
            parts[d] = part;
            parts[d - 1] = parts[d - 1].plus(&Polynomial::constant(rows), -1)?;
        }
        Some((parts, needed))
    }

    /// Makes the view and rewrites the accesses, if everything they need can be had.
    pub fn apply(&self, ir: &mut Ir, scope: Region, operands: &mut AffineOperands) -> Option<()> {
        let entry = ir.entry_block(scope)?;
        // The view stands behind whatever it is made of, and must stand in front of all accesses.
        let mut behind: Option<Op> = None;
        let factors = self.extents.iter().flatten().copied().collect::<Vec<_>>();
        for value in factors.into_iter().chain([self.memory]) {
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
        let views = self.build(ir, point, location, scope, operands)?;
        for ((access, _), map) in self.accesses.iter().zip(&maps) {
            let op = access.op;
            let view = views[&access.buffer];
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

    /// The buffer of one dimension that the accesses are to, and how many of its elements are one record.
    fn source(&self, ir: &Ir) -> Option<(Value, Option<i64>)> {
        if self.accesses.iter().all(|(access, _)| access.member.is_none()) {
            return Some((self.memory, None));
        }
        let view = memref::ReinterpretCastOp::cast(ir, ir.defining_op(self.memory)?)?;
        let [_, sizes, _] = view.static_parts(ir);
        Some((view.source(ir), sizes.last().copied()))
    }

    /// The views that stand for the buffers of the accesses.
    fn build(
        &self,
        ir: &mut Ir,
        point: InsertPoint,
        location: gpuc_ir::Location,
        scope: Region,
        operands: &mut AffineOperands,
    ) -> Option<IndexMap<Value, Value>> {
        // Numbers first: building them may place operations at the same point.
        let mut factors: Vec<Vec<Value>> = Vec::new();
        for product in self.extents.iter() {
            let values: Option<Vec<Value>> =
                product.iter().map(|&value| operands.index(ir, value, scope)).collect();
            factors.push(values?);
        }
        let mut b = Builder::new(ir, point, location);
        let mut extents: Vec<Value> = Vec::new();
        for values in &factors {
            let mut product = *values.first()?;
            for &value in &values[1..] {
                product = arith::MulIOp::new(&mut b, product, value).value(&mut b);
            }
            extents.push(product);
        }
        let (buffer, record) = self.source(&b)?;
        let rows = memref::ReinterpretCastOp::in_rows(&mut b, buffer, &extents, record);
        // Members of records are found in the rows as they were in the records.
        let mut views: IndexMap<Value, Value> = IndexMap::new();
        for (access, _) in &self.accesses {
            views.entry(access.buffer).or_insert_with(|| match access.member {
                Some(member) => {
                    let element =
                        b.ctx.element(b.ty(access.buffer)).expect("a buffer has elements");
                    ptr::FieldOp::of_element(&mut b, rows, member.offset, element)
                }
                None => rows,
            });
        }
        Some(views)
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
