//! Copies of a box of elements into faster memory and back: allocation, loops or transfers, and accesses that see the copy.

use gpuc_dialects::affine::{
    AffineDmaStartOp, AffineDmaWaitOp, AffineForOp, AffineLoadOp, AffineStoreOp, AffineValue,
    compose,
};
use gpuc_dialects::{arith, memref};
use gpuc_ir::op::Subscripts;
use gpuc_ir::{AffineExpr, Builder, InsertPoint, Ir, Op, OpView, Value};

use crate::analysis::nest::touched::{Side, TouchedBox};
use crate::analysis::polynomial::Polynomial;

/// Where copies go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The number of the memory.
    pub space: i64,
    /// The number of the memory with the tags of transfers, where these copy.
    pub tags: Option<i64>,
}

/// A buffer, and how what is touched of it is copied.
pub(super) struct Copied {
    pub buffer: Value,
    /// The accesses that are to see the copy.
    pub accesses: Vec<Op>,
    pub copies_in: bool,
    pub copies_out: bool,
    pub found: TouchedBox,
    /// The loop that the copies stand round, if they stand further out than what they are for.
    pub around: Option<Op>,
    pub bytes: i64,
    pub target: Target,
}

/// Maps of which every operand is a dimension.
#[derive(Default)]
struct Forms {
    operands: Vec<Value>,
}

impl Forms {
    fn value(&mut self, ir: &mut Ir, value: Value) -> AffineExpr {
        let known = self.operands.iter().position(|&known| known == value);
        let position = known.unwrap_or_else(|| {
            self.operands.push(value);
            self.operands.len() - 1
        });
        ir.ctx.dim_expr(position as u32)
    }

    fn form(&mut self, ir: &mut Ir, form: &Polynomial, further: i64) -> AffineExpr {
        let mut sum: Option<AffineExpr> = None;
        for value in form.values() {
            let expr = self.value(ir, value);
            let factor = ir.ctx.constant_expr(form.coefficient(&[value]));
            let product = ir.ctx.mul_expr(expr, factor);
            sum = Some(sum.map_or(product, |sum| ir.ctx.add_expr(sum, product)));
        }
        let constant = ir.ctx.constant_expr(form.constant_term() + further);
        sum.map_or(constant, |sum| ir.ctx.add_expr(sum, constant))
    }

    fn finish(self, ir: &mut Ir, results: &[AffineExpr]) -> AffineValue {
        let map = ir.ctx.map(self.operands.len() as u32, 0, results);
        AffineValue { map, operands: self.operands }
    }
}

impl Copied {
    /// Builds the copies round operations from `first` to `last`; the loops that copy.
    pub(super) fn emit(&self, ir: &mut Ir, first: Op, last: Op) -> Vec<Op> {
        let (before, behind) = match self.around {
            Some(outer) => (outer, outer),
            None => (first, last),
        };
        let shape: Vec<i64> = self.found.sides.iter().map(|side| side.size).collect();
        let ty = ir.ty(self.buffer);
        let Some(element) = ir.ctx.element(ty) else { return Vec::new() };
        let space = (self.target.space != 0).then(|| ir.ctx.i64_attr(self.target.space));
        let fast = ir.ctx.memref_in(&shape, element, None, space);
        let mut b = Builder::before(ir, before);
        let copy = memref::AllocOp::new(&mut b, &[], &[]).result(fast).value(&mut b);
        let mut nests = Vec::new();
        let mut freed = vec![copy];
        if self.copies_in {
            let tag = self.tag(&mut b);
            nests.extend(self.copy(&mut b, copy, tag, true));
            freed.extend(tag);
        }
        let tag = if self.copies_out { self.tag(&mut b) } else { None };
        let mut b = Builder::after(ir, behind);
        if self.copies_out {
            nests.extend(self.copy(&mut b, copy, tag, false));
        }
        freed.extend(tag);
        for buffer in freed.into_iter().rev() {
            memref::DeallocOp::new(&mut b, buffer).build(&mut b);
        }
        for &access in &self.accesses {
            see(ir, access, copy, &self.found);
        }
        nests
    }

    /// The tag of a transfer, where one copies.
    fn tag(&self, b: &mut Builder<'_>) -> Option<Value> {
        let space = self.target.tags?;
        let space = (space != 0).then(|| b.ctx.i64_attr(space));
        let element = b.ctx.int(32);
        let ty = b.ctx.memref_in(&[1], element, None, space);
        Some(memref::AllocOp::new(b, &[], &[]).result(ty).value(b))
    }

    /// Copies the box into the copy, or back; the loop that does it, or the wait for the transfer.
    fn copy(&self, b: &mut Builder<'_>, copy: Value, tag: Option<Value>, into: bool) -> Option<Op> {
        if let Some(tag) = tag {
            return Some(self.transfer(b, copy, tag, into));
        }
        let mut variables = Vec::new();
        self.loops(b, copy, into, &mut variables)
    }

    fn loops(
        &self,
        b: &mut Builder<'_>,
        copy: Value,
        into: bool,
        variables: &mut Vec<Value>,
    ) -> Option<Op> {
        let Some(side) = self.found.sides.get(variables.len()) else {
            self.element(b, copy, into, variables);
            return None;
        };
        let Side { origin, size, lower, upper } = side;
        let mut forms = Forms::default();
        let mut starts = vec![forms.form(b, origin, 0)];
        starts.extend(lower.iter().map(|form| forms.form(b, form, 0)).collect::<Vec<_>>());
        let start = forms.finish(b, &starts);
        let mut forms = Forms::default();
        let mut ends = vec![forms.form(b, origin, *size)];
        ends.extend(upper.iter().map(|form| forms.form(b, form, 0)).collect::<Vec<_>>());
        let end = forms.finish(b, &ends);
        let nest = AffineForOp::create(b, &start, &end, 1, &[], |b, variable, _| {
            variables.push(variable);
            self.loops(b, copy, into, variables);
            Vec::new()
        });
        Some(nest.op())
    }

    /// Copies the element of the buffer at some subscripts.
    fn element(&self, b: &mut Builder<'_>, copy: Value, into: bool, at: &[Value]) {
        let mut forms = Forms::default();
        let exprs: Vec<AffineExpr> = at.iter().map(|&value| forms.value(b, value)).collect();
        let there = forms.finish(b, &exprs);
        let mut forms = Forms::default();
        let mut exprs = Vec::new();
        for (&value, side) in at.iter().zip(&self.found.sides) {
            let expr = forms.value(b, value);
            let origin = forms.form(b, &side.origin, 0);
            exprs.push(b.ctx.sub_expr(expr, origin));
        }
        let here = forms.finish(b, &exprs);
        let (from, to) = match into {
            true => ((self.buffer, there), (copy, here)),
            false => ((copy, here), (self.buffer, there)),
        };
        let value = AffineLoadOp::create(b, from.0, &from.1);
        AffineStoreOp::create(b, value, to.0, &to.1);
    }

    /// The transfer of the box: elements in a row, or rows of them a stride apart.
    fn transfer(&self, b: &mut Builder<'_>, copy: Value, tag: Value, into: bool) -> Op {
        let mut forms = Forms::default();
        let mut origins: Vec<AffineExpr> = Vec::new();
        for side in &self.found.sides {
            // Numbers are operands, as upstream has them.
            let number = side.origin.values().is_empty();
            origins.push(match number {
                true => {
                    let value = constant_at_top(b, side.origin.constant_term());
                    forms.value(b, value)
                }
                false => forms.form(b, &side.origin, 0),
            });
        }
        let there = forms.finish(b, &origins);
        let zero = constant_at_top(b, 0);
        let zeros = |b: &mut Builder<'_>, count: usize| {
            let mut forms = Forms::default();
            let exprs: Vec<AffineExpr> = (0..count).map(|_| forms.value(b, zero)).collect();
            forms.finish(b, &exprs)
        };
        let here = zeros(b, origins.len());
        let (from, to) = match into {
            true => ((self.buffer, there), (copy, here)),
            false => ((copy, here), (self.buffer, there)),
        };
        let tag = (tag, zeros(b, 1));
        let elements = self.found.elements().unwrap_or(0);
        let mut counts = vec![constant_at_top(b, elements)];
        if let Some([stride, row]) = self.stride(b) {
            counts.extend([constant_at_top(b, stride), constant_at_top(b, row)]);
        }
        let start = AffineDmaStartOp(AffineDmaStartOp::new(b, &counts).build(b));
        start.set_parts(b, &[from, to, tag.clone()]);
        let wait = AffineDmaWaitOp(AffineDmaWaitOp::new(b, &counts[..1]).build(b));
        wait.set_parts(b, &[tag]);
        wait.op()
    }

    /// Elements of the buffer from one row of the box to the next, and those of a row; `None` where the box is in a row.
    fn stride(&self, ir: &Ir) -> Option<[i64; 2]> {
        strides(ir.ctx.shape(ir.ty(self.buffer)).unwrap_or_default(), &self.found)?.first().copied()
    }
}

/// A constant at the start of the function, where upstream puts those of transfers.
fn constant_at_top(b: &mut Builder<'_>, number: i64) -> Value {
    let (InsertPoint::Before(near) | InsertPoint::After(near)) = b.point() else {
        return arith::constant_index(b, number);
    };
    let func = b.ancestors(near).find(|&outer| b.symbol_name(outer).is_some());
    match func.and_then(|func| b.entry_block(Ir::region(b, func, 0))) {
        Some(entry) => b.at(InsertPoint::Start(entry), |b| arith::constant_index(b, number)),
        None => arith::constant_index(b, number),
    }
}

/// Lets an access see the copy of a box.
pub(super) fn see(ir: &mut Ir, op: Op, copy: Value, found: &TouchedBox) {
    let Some(access) = ir.memory_access(op) else { return };
    let Subscripts::Map(map, operands) = access.subscripts else { return };
    let operands: Vec<Value> = operands.to_vec();
    let position = access.buffer_operand;
    let data = ir.ctx.map_data(map).clone();
    let (dims, symbols) = operands.split_at(data.dims as usize);
    let (dims, symbols) = (dims.to_vec(), symbols.to_vec());
    // Origins are dimensions behind those that are there.
    let mut forms = Forms { operands: dims };
    let mut results = Vec::new();
    for (&result, side) in data.results.iter().zip(&found.sides) {
        let origin = forms.form(ir, &side.origin, 0);
        results.push(ir.ctx.sub_expr(result, origin));
    }
    let dims = forms.operands;
    let map = ir.ctx.map(dims.len() as u32, data.symbols, &results);
    let mut value = AffineValue { map, operands: [dims, symbols].concat() };
    compose(ir, &mut value);
    let before: Vec<Value> = ir.operands(op).take(position).collect();
    ir.set_operands(op, &[&before[..], &[copy], &value.operands[..]].concat());
    let map = ir.ctx.map_attr(value.map);
    ir.set_attr(op, "map", map);
}

/// The strides of a box in a buffer of some extents, with what lies in a row of each; `None` where an extent is not known and
/// would have to be.
pub(super) fn strides(shape: &[i64], found: &TouchedBox) -> Option<Vec<[i64; 2]>> {
    let (mut stride, mut row) = (1_i64, 1_i64);
    let mut all = Vec::new();
    for d in (1..shape.len()).rev() {
        stride = stride.checked_mul(shape[d]).filter(|_| shape[d] >= 0)?;
        row = row.checked_mul(found.sides[d].size)?;
        if found.sides[d].size < shape[d] && found.sides[d - 1].size > 1 {
            all.push([stride, row]);
        }
    }
    Some(all)
}
