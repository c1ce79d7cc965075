//! Memory that device code allocates: an array of the region, where its size is a constant and it is allocated once.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::memref;

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::Scalar;
use super::walk;
use crate::directive::Allocation;
use crate::source::Span;
use crate::tree::{ExprId, ExprKind};
use crate::types::Type;

/// More than this an array of a region is not.
const MOST_BYTES: u64 = 1 << 30;

impl Lowerer<'_> {
    /// The size of the memory that an expression allocates, and whether it is zeroed, where it does.
    fn allocation(&self, expr: ExprId) -> Option<(Option<u64>, bool, Option<u64>)> {
        let unit = self.unit;
        let ExprKind::Call { callee, arguments } = &unit.exprs[unit.peel(expr)].kind else {
            return None;
        };
        let name = unit.name(unit.named(*callee)?);
        if walk::callee(unit, *callee).is_some_and(|(_, body)| body.is_some()) {
            return None;
        }
        let Some(Allocation::Memory { size, zeroed, align }) = Allocation::asked_by(name) else {
            return None;
        };
        let align = align.and_then(|number| unit.constant_int(*arguments.get(number)?));
        let align = align.and_then(|align| u64::try_from(align).ok());
        let bytes = size.iter().try_fold(1u64, |product, &number| {
            let factor = unit.constant_int(*arguments.get(number)?)?;
            product.checked_mul(u64::try_from(factor).ok()?)
        });
        Some((bytes, zeroed, align.filter(|align| align.is_power_of_two() && *align <= 4096)))
    }

    /// A pointer to objects of type `to` in memory that an expression allocates; `None` where it does not.
    pub(super) fn allocated(
        &mut self,
        expr: ExprId,
        to: Type,
        span: Span,
    ) -> Lowering<Option<Pointer>> {
        let Some((bytes, zeroed, align)) = self.allocation(expr) else { return Ok(None) };
        let is_once = self.region_block == Some(self.block());
        let element = self.unit.types.size_of(to).filter(|&size| size > 0);
        let (Some(bytes), Some(element), true) =
            (bytes.filter(|&bytes| bytes <= MOST_BYTES), element, is_once)
        else {
            return self.refuse(
                span,
                Diagnostic::error(
                    "device code can allocate memory of a constant size, once: outside of loops and conditions",
                )
                .code(codes::NOT_SUPPORTED)
                .help("declare an array, or allocate before the region with `omp_target_alloc`"),
            );
        };
        let form = self.natural_form(None, to);
        let shape = match &form {
            Form::Elements { element, size, inner } => {
                let row: u64 = inner.iter().product::<u64>().max(1) * size;
                let mut shape = vec![(bytes / row) as i64];
                shape.extend(inner.iter().map(|&extent| extent as i64));
                self.b.ctx.memref(&shape, *element)
            }
            _ => {
                let i8 = self.b.ctx.int(8);
                self.b.ctx.memref(&[bytes as i64], i8)
            }
        };
        let mut op = memref::AllocaOp::new(&mut self.b, &[], &[]).result(shape);
        if let Some(align) = align {
            let align = self.b.ctx.i64_attr(align as i64);
            op = op.attr(&mut self.b, "alignment", align);
        }
        let memory = self.value(op);
        let buffer = self.buffer(memory, form, None);
        let dims = self.dimensions(to);
        let pointer = self.start_of(buffer, dims);
        if zeroed {
            let scalar = self.scalar(to, span)?;
            self.zero_counted(&pointer, to, scalar, bytes / element, span)?;
        }
        Ok(Some(pointer))
    }

    /// Zeroes so many objects.
    fn zero_counted(
        &mut self,
        pointer: &Pointer,
        ty: Type,
        scalar: Scalar,
        count: u64,
        span: Span,
    ) -> Lowering<()> {
        let (zero, one) = (self.index(0), self.index(1));
        let count = self.index(count as i64);
        let index = self.b.ctx.index();
        let (region, done) = self.region(&[index], |l, arguments| {
            let target = l.advance(pointer, ty, arguments[0], span)?;
            let register = scalar.register(&mut l.b.ctx);
            let value = match scalar.is_float() {
                true => gpuc_dialects::arith::constant_float(&mut l.b, 0.0, register),
                false => gpuc_dialects::arith::constant_int(&mut l.b, 0, register),
            };
            l.store(value, &target, scalar, span)?;
            l.yields(&[]);
            Ok(())
        });
        let op = gpuc_dialects::scf::ForOp::new(&mut self.b, zero, count, one, &[]).region(region);
        self.build(op);
        done
    }
}
