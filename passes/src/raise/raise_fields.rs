//! `raise-fields`: members of structures as elements of buffers of their own.
//!
//! What C reads of `p[i].y` are bytes of a buffer, `memref.view %p[12 * i + 4]`. What all accesses to a buffer multiply their
//! variables by is a size of records (the greatest such number), so each access is that of one member, which the
//! rest of its constant tells, in the record of number `i`: the buffer is seen as records, `memref<?x12xi8>`, each member in use
//! as a strided view of them (`ptr.field`), and the access has a subscript like that of any array. Rows of
//! records (`p[i * n + j].y`) are then found as others are (see [`delinearize`](super::delinearize)).
//!
//! Nothing is assumed. A buffer stays as it is where one of its accesses in the region has no closed form, reaches from
//! one record into the next, or does not lie at a multiple of its size in records that are multiples of it.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::affine_scope;
use gpuc_dialects::{memref, ptr};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{
    Builder, InsertPoint, Ir, Op, OpView, Region, Type, Value, ValueDef, ValueMap, WalkOrder,
};
use gpuc_presburger::gcd;
use indexmap::IndexMap;

use crate::analysis::access::{Storage, root};
use crate::analysis::domain::is_unchanging;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::build_polynomial;
use crate::analysis::subscript::polynomial_keeping;

gpuc_ir::pass! {
    /// Give members of structures buffers with subscripts.
    RaiseFields = "raise-fields" on "func.func" {}
}

impl Pass for RaiseFields {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for ((buffer, scope), accesses) in accesses_in_bytes(ir, op) {
            let accesses = accesses.unwrap_or_default();
            if let Some(records) = Records::find(ir, &accesses) {
                records.apply(ir, buffer, scope);
            }
        }
        Ok(())
    }
}

/// An access to a scalar that is seen as bytes of a buffer.
struct InBytes {
    op: Op,
    element: Type,
    /// Bytes of the scalar.
    size: i64,
    /// Its first byte.
    at: Polynomial,
}

/// The accesses to each buffer of bytes in each affine scope; `None` for one that is also used otherwise.
fn accesses_in_bytes(ir: &Ir, op: Op) -> IndexMap<(Value, Region), Option<Vec<InBytes>>> {
    let mut found: IndexMap<(Value, Region), Option<Vec<InBytes>>> = IndexMap::new();
    for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
        let Some(view) = memref::ViewOp::cast(ir, inner) else { continue };
        let (buffer, view_of) = (view.source(ir), view.result(ir));
        let Some(scope) = affine_scope(ir, inner) else { continue };
        let is_given = Storage::of(ir, root(ir, buffer)) != Storage::Local
            && is_unchanging(ir, buffer, scope)
            && memref::has_identity_layout(&ir.ctx, ir.ty(buffer));
        let all = found.entry((buffer, scope)).or_insert(is_given.then(Vec::new));
        let Some(accesses) = all else { continue };
        let keep = |value| is_unchanging(ir, value, scope);
        let at = polynomial_keeping(ir, view.byte_shift(ir), &keep);
        let element = ir.ctx.element(ir.ty(view_of));
        let size = memref::element_bytes(&ir.ctx, ir.ty(view_of))
            .and_then(|size| i64::try_from(size).ok());
        let is_scalar = ir.ctx.shape(ir.ty(view_of)).is_some_and(<[i64]>::is_empty);
        let is_access = |user: Op| {
            let access = ir.memory_access(user).filter(|access| access.buffer == view_of);
            access.is_some_and(|access| access.stored() != Some(view_of))
                && affine_scope(ir, user) == Some(scope)
        };
        let (Some(element), Some(size), true) =
            (element, size, is_scalar && ir.users(view_of).all(is_access))
        else {
            *all = None;
            continue;
        };
        accesses.extend(ir.users(view_of).map(|op| InBytes { op, element, size, at: at.clone() }));
    }
    found
}

/// A buffer seen as records.
struct Records<'a> {
    /// Bytes of a record.
    size: i64,
    /// Each access, with the record and the byte in it.
    accesses: Vec<(&'a InBytes, Polynomial, i64)>,
}

impl<'a> Records<'a> {
    /// The records that the accesses to a buffer show.
    fn find(ir: &Ir, accesses: &'a [InBytes]) -> Option<Records<'a>> {
        let coefficients = accesses.iter().flat_map(|access| {
            access
                .at
                .terms()
                .filter(|(monomial, _)| !monomial.is_empty())
                .map(|(_, coefficient)| coefficient)
        });
        let size =
            coefficients.fold(0u64, |size, coefficient| gcd(size, coefficient.unsigned_abs()));
        let size = i64::try_from(size).ok().filter(|&size| size > 0)?;
        let each = accesses.iter().map(|access| {
            let offset = access.at.constant_term().rem_euclid(size);
            let fits = offset + access.size <= size
                && size % access.size == 0
                && offset % access.size == 0
                && ir.ctx.is_memref(ir.ty(ir.memory_access(access.op)?.buffer));
            let start = access.at.plus(&Polynomial::constant(offset), -1)?;
            let record = start.exact_quotient(&Polynomial::constant(size))?;
            fits.then_some((access, record, offset))
        });
        Some(Records { size, accesses: each.collect::<Option<_>>()? })
    }

    /// Makes the views in front of the scope's code, and gives the accesses subscripts.
    fn apply(&self, ir: &mut Ir, buffer: Value, scope: Region) -> Option<()> {
        let entry = ir.entry_block(scope)?;
        let point = match ir.value_def(buffer) {
            ValueDef::Result(op, _) if ir.parent_block(op) == Some(entry) => InsertPoint::After(op),
            _ => InsertPoint::Start(entry),
        };
        let location = ir.location(self.accesses.first()?.0.op);
        let mut b = Builder::new(ir, point, location);
        let records = memref::ReinterpretCastOp::in_rows(&mut b, buffer, &[], Some(self.size));
        let mut fields: IndexMap<(i64, Type), Value> = IndexMap::new();
        for &(access, _, offset) in &self.accesses {
            fields.entry((offset, access.element)).or_insert_with(|| {
                ptr::FieldOp::of_element(&mut b, records, offset, access.element)
            });
        }
        for (access, record, offset) in &self.accesses {
            let op = access.op;
            let mut b = Builder::before(ir, op);
            let number = build_polynomial(
                &mut b,
                record,
                |_, _| Some(Vec::new()),
                &mut ValueMap::default(),
            )?;
            let at = ir.memory_access(op)?.buffer_operand;
            let field = fields[&(*offset, access.element)];
            let operands =
                ir.operands(op).enumerate().flat_map(|(index, operand)| match index == at {
                    true => vec![field, number],
                    false => vec![operand],
                });
            let operands: Vec<Value> = operands.collect();
            ir.set_operands(op, &operands);
        }
        Some(())
    }
}
