//! `expand-realloc`: buffers that grow are allocated anew, where they have to be.
//!
//! Leaves no `memref.realloc`: a buffer that is large enough is taken as it is, another is copied into a new one. After MLIR's
//! pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Type, Value, WalkOrder};

gpuc_ir::pass! {
    /// Write reallocations as allocations and copies.
    ExpandRealloc = "expand-realloc" {
        /// Whether buffers that were too small are freed.
        emit_deallocs: bool = true,
    }
}

impl Pass for ExpandRealloc {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if memref::ReallocOp::is(ir, inner) {
                self.expand(ir, inner);
            }
        }
        Ok(())
    }
}

/// The one extent of a buffer, and the value of it where it is not static.
type Extent = (i64, Option<Value>);

fn static_extent(ir: &Ir, ty: Type) -> i64 {
    ir.ctx.shape(ty).and_then(|shape| shape.first().copied()).unwrap_or(DYNAMIC)
}

impl ExpandRealloc {
    fn expand(&self, ir: &mut Ir, op: Op) {
        let source = ir.operand(op, 0);
        let given = ir.operands(op).nth(1);
        let (from, to) = (ir.ty(source), ir.ty(ir.result(op, 0)));
        let (has, wants) = (static_extent(ir, from), static_extent(ir, to));
        let alignment = ir.attr(op, "alignment");
        let emit_deallocs = self.emit_deallocs;
        let mut b = Builder::before(ir, op);
        let current = match has {
            DYNAMIC => {
                let zero = arith::constant_index(&mut b, 0);
                memref::DimOp::new(&mut b, source, zero).value(&mut b)
            }
            _ => arith::constant_index(&mut b, has),
        };
        let target = given.unwrap_or_else(|| arith::constant_index(&mut b, wants));
        let ult = arith::CmpIPredicate::Ult.attr(&mut b.ctx);
        let is_small = arith::CmpIOp::new(&mut b, current, target)
            .attr(&mut b, "predicate", ult)
            .value(&mut b);
        let dynamic: Vec<Value> = given.into_iter().collect();
        let choice = scf::IfOp::create(
            &mut b,
            is_small,
            &[to],
            |b| {
                let new = memref::AllocOp::new(b, &dynamic, &[])
                    .attr_option(b, "alignment", alignment)
                    .result(to)
                    .value(b);
                let begin = beginning(b, new, (has, (has == DYNAMIC).then_some(current)));
                memref::CopyOp::new(b, source, begin).build(b);
                if emit_deallocs {
                    memref::DeallocOp::new(b, source).build(b);
                }
                vec![new]
            },
            |b| vec![shorter(b, source, to, (wants, given))],
        );
        let result = b.result(choice.op(), 0);
        ir.replace_op(op, &[result]);
    }
}

/// The first elements of a buffer.
fn beginning(b: &mut Builder<'_>, buffer: Value, (extent, value): Extent) -> Value {
    let element = b.ctx.element(b.ty(buffer)).unwrap_or_else(|| b.ty(buffer));
    let space = b.ctx.memory_space(b.ty(buffer)).flatten();
    let layout = b.ctx.strided_attr(0, &[1]);
    let ty = b.ctx.memref_in(&[extent], element, Some(layout), space);
    let [offsets, sizes, strides] = [[0], [extent], [1]].map(|part| b.ctx.i64_array_attr(&part));
    let sizes_given: Vec<Value> = value.into_iter().collect();
    memref::SubViewOp::new(b, buffer, &[], &sizes_given, &[])
        .attr(b, "static_offsets", offsets)
        .attr(b, "static_sizes", sizes)
        .attr(b, "static_strides", strides)
        .result(ty)
        .value(b)
}

/// A buffer as one of fewer elements.
fn shorter(b: &mut Builder<'_>, buffer: Value, ty: Type, (extent, value): Extent) -> Value {
    let [offsets, sizes, strides] = [[0], [extent], [1]].map(|part| b.ctx.i64_array_attr(&part));
    let sizes_given: Vec<Value> = value.into_iter().collect();
    memref::ReinterpretCastOp::new(b, buffer, &[], &sizes_given, &[])
        .attr(b, "static_offsets", offsets)
        .attr(b, "static_sizes", sizes)
        .attr(b, "static_strides", strides)
        .result(ty)
        .value(b)
}
