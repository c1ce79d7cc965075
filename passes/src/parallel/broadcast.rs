//! What one thread does for others with it: values that the others need are handed to them.

use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value};

use super::lane_row::LaneRow;
use crate::analysis::access::root;
use crate::lower::shuffle::{carried, restored};

/// Executes `op` where `first` holds, and gives its results to all lanes of the row, or all threads of the block. Those that
/// are to know it are at this place together.
pub fn execute_once(ir: &mut Ir, op: Op, first: Value, row: Option<LaneRow>) {
    let results = ir.results(op).to_vec();
    let types: Vec<Type> = results.iter().map(|&result| ir.ty(result)).collect();
    let mut b = Builder::before(ir, op);
    let carriers: Vec<Type> = types.iter().map(|&ty| carrier(&mut b, ty)).collect();
    let then = b.region(&[], |b, _| {
        // The operation moves in ahead of these.
        let values = results.iter().zip(&carriers).map(|(&value, &to)| carried(b, value, to));
        let values: Vec<Value> = values.collect();
        scf::YieldOp::new(b, &values).build(b);
    });
    let otherwise = b.region(&[], |b, _| {
        let zeros: Vec<Value> = carriers.iter().map(|&ty| arith::constant_int(b, 0, ty)).collect();
        scf::YieldOp::new(b, &zeros).build(b);
    });
    let once = scf::IfOp::new(&mut b, first)
        .result_group(&carriers)
        .region(then)
        .region(otherwise)
        .build(&mut b);
    let inside = ir.body(once, 0);
    let start = ir.first_op(inside).expect("the region was made with a yield");
    let used: Vec<bool> = results
        .iter()
        .map(|&result| ir.users(result).any(|user| ir.parent_block(user) != Some(inside)))
        .collect();
    let mut b = Builder::after(ir, once);
    let mut told = Vec::new();
    for (i, &ty) in types.iter().enumerate().filter(|&(i, _)| used[i]) {
        let value = b.result(once, i);
        let value = match row {
            Some(row) => row.of_first(&mut b, value),
            None => sum(&mut b, value),
        };
        told.push((results[i], restored(&mut b, value, ty)));
    }
    for (result, value) in told {
        ir.replace_uses_if(result, value, |ir, slot| {
            ir.parent_block(ir.use_owner(slot)) != Some(inside)
        });
    }
    ir.move_before(start, op);
}

/// Whether a call is given an address of memory that each thread has of its own: what one thread's call leaves there the
/// others do not see.
pub fn passes_own_memory(ir: &Ir, op: Op) -> bool {
    let mut work: Vec<Value> = ir.operands(op).collect();
    let mut seen = Vec::new();
    while let Some(value) = work.pop() {
        let Some(def) = ir.defining_op(value).filter(|def| !seen.contains(def)) else { continue };
        seen.push(def);
        if memref::ExtractAlignedPointerAsIndexOp::is(ir, def) {
            let buffer = ir.defining_op(root(ir, ir.operand(def, 0)));
            if buffer.is_some_and(|op| memref::AllocaOp::is(ir, op)) {
                return true;
            }
        }
        work.extend(ir.operands(def));
    }
    false
}

/// The integer as which values of a type are handed over, bit for bit.
fn carrier(b: &mut Builder<'_>, ty: Type) -> Type {
    let f32 = b.ctx.f32();
    let is_narrow = ty == f32 || b.ctx.int_width(ty).is_some_and(|bits| bits <= 32);
    b.ctx.int(if is_narrow { 32 } else { 64 })
}

/// The sum over the threads of the block, of which all but one have zero.
fn sum(b: &mut Builder<'_>, value: Value) -> Value {
    let ty = b.ty(value);
    let body = b.region(&[ty, ty], |b, arguments| {
        let sum = arith::AddIOp::new(b, arguments[0], arguments[1]).value(b);
        gpu::YieldOp::new(b, &[sum]).build(b);
    });
    let unit = b.ctx.unit_attr();
    gpu::AllReduceOp::new(b, value).attr(b, "uniform", unit).region(body).value(b)
}
