//! `raise-searches`: a search that keeps only where the best value is carries that value, too.
//!
//! `if (x[i] > x[m]) m = i;` reads an element that the iterations before have chosen, of which nothing is known. But what was chosen
//! was looked at when it was: the loop can carry `x[m]` as well, and needs to read it only once, in front. Then this is a search that
//! `recognize-parallel` knows, and no subscript hangs on a carried value. Where the loop writes nothing.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::memref::LoadOp;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::{AccessKind, LoopCarried, Subscripts};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use crate::analysis::cases::choice;
use crate::analysis::loops::candidates;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::{clone_slice, is_defined_inside, slice_from_given};
use crate::analysis::subscript::polynomial;
use crate::simplify::carry;

gpuc_ir::pass! {
    /// Let searches carry the value whose place they keep.
    RaiseSearches = "raise-searches" on "func.func" {}
}

impl Pass for RaiseSearches {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            for candidate in candidates(ir, region) {
                let Some(view) = scf::ForOp::cast(ir, candidate) else { continue };
                let carried = ir.loop_carried(candidate);
                let found = carried.into_iter().find_map(|each| Best::find(ir, view, each));
                if let Some(best) = found {
                    best.carry(ir, view);
                }
            }
        }
        Ok(())
    }
}

/// The value at the place that a loop carries.
struct Best {
    at: LoopCarried,
    /// What it is compared as.
    best: Value,
    /// What it takes to compute that: subscripts, the read, and functions of what is read, such as its magnitude.
    slice: Vec<Op>,
    /// What it is compared with, and becomes.
    value: Value,
    condition: Value,
}

impl Best {
    /// What `at` is the place of, in a loop that writes nothing.
    fn find(ir: &Ir, view: scf::ForOp, at: LoopCarried) -> Option<Best> {
        let (op, variable, body) = (view.op(), view.induction_var(ir), view.body(ir));
        let [condition, place, kept] = choice(ir, at.yielded)?;
        let is_place = kept == at.argument && polynomial(ir, place).as_value() == Some(variable);
        let comparison = ir.defining_op(condition).filter(|_| is_place)?;
        let compares = arith::CmpFOp::is(ir, comparison) || arith::CmpIOp::is(ir, comparison);
        let quiet = |inner: Op| {
            let reads = ir.memory_access(inner).is_some_and(|a| a.kind == AccessKind::Read);
            reads || ir.is_effect_free(inner) || !ir.regions(inner).is_empty()
        };
        let inside = ir.nested_ops(op, WalkOrder::PreOrder);
        if !compares || !inside.into_iter().filter(|&inner| inner != op).all(quiet) {
            return None;
        }
        let sides = [0, 1].map(|side| ir.operand(comparison, side));
        let (value, best) = match sides.map(|side| reads_by(ir, side, body, at.argument)) {
            [false, true] => (sides[0], sides[1]),
            [true, false] => (sides[1], sides[0]),
            _ => return None,
        };
        let (new, read) = (function_of_read(ir, value, body)?, function_of_read(ir, best, body)?);
        let alike = |(a, b): (&Op, &Op)| ir.name(*a) == ir.name(*b) && ir.attrs(*a) == ir.attrs(*b);
        let (&from, &of) = (new.first()?, read.first()?);
        let is_same = new.len() == read.len()
            && new.iter().zip(&read).skip(1).all(alike)
            && same_element(ir, (from, variable), (of, at.argument)).is_some();
        let given = |value: Value| value == at.argument || !is_defined_inside(ir, value, op);
        let mut slice = Vec::new();
        for subscript in subscripts(ir, of)? {
            slice.extend(slice_from_given(ir, subscript, op, &given)?);
        }
        slice.retain(|&each| ir.is_inside(each, op));
        slice.extend(read);
        is_same.then_some(Best { at, best, slice, value, condition })
    }

    /// Lets the loop carry it.
    fn carry(self, ir: &mut Ir, view: scf::ForOp) {
        let Best { at, best, .. } = self;
        let body = view.body(ir);
        let (ty, location) = (ir.ty(best), ir.location(view.op()));
        let (lower, upper) = (view.lowerBound(ir), view.upperBound(ir));
        let mut b = Builder::before(ir, view.op());
        let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
        // Without an iteration, there may be no such element.
        let runs = arith::CmpIOp::new(&mut b, lower, upper).attr(&mut b, "predicate", slt);
        let runs = runs.value(&mut b);
        let then = b.region(&[], |b, _| {
            let mut map = ValueMap::new();
            map.insert(at.argument, at.init);
            let first = clone_slice(b, &self.slice, best, &mut map);
            scf::YieldOp::new(b, &[first]).build(b);
        });
        let otherwise = b.region(&[], |b, _| {
            let none = match b.ctx.is_float(ty) {
                true => arith::constant_float(b, 0.0, ty),
                false => arith::constant_int(b, 0, ty),
            };
            scf::YieldOp::new(b, &[none]).build(b);
        });
        let first = scf::IfOp::new(&mut b, runs).result_group(&[ty]);
        let first = first.region(then).region(otherwise).build(&mut b);
        let first = b.result(first, 0);
        let new = scf::ForOp(carry::append(ir, view.op(), &[first], &[ty]));
        let carried = ir.add_argument(body, ty, location);
        if let Some(last) = ir.defining_op(best) {
            ir.replace_op(last, &[carried]);
        }
        let end = new.terminator(ir);
        let mut b = Builder::before(ir, end);
        let next = arith::SelectOp::new(&mut b, self.condition, self.value, carried);
        let next = next.value(&mut b);
        ir.push_operand(end, next);
    }
}

fn subscripts(ir: &Ir, load: Op) -> Option<Vec<Value>> {
    match ir.memory_access(load)?.subscripts {
        Subscripts::Values(values) => Some(values.to_vec()),
        Subscripts::Map(..) => None,
    }
}

/// The read in a block that a value is a function of, and the operations of that, in order.
fn function_of_read(ir: &Ir, value: Value, body: Block) -> Option<Vec<Op>> {
    let mut op = ir.defining_op(value)?;
    let mut functions = vec![op];
    while !LoadOp::is(ir, op) {
        let is_simple = ir.operand_count(op) == 1 && ir.results(op).len() == 1;
        if !is_simple || !ir.is_effect_free(op) {
            return None;
        }
        op = ir.defining_op(ir.operand(op, 0))?;
        functions.push(op);
    }
    functions.reverse();
    functions.iter().all(|&each| ir.parent_block(each) == Some(body)).then_some(functions)
}

/// Whether a value hangs on what is read in a block by a subscript with a carried number in it.
fn reads_by(ir: &Ir, value: Value, body: Block, carried: Value) -> bool {
    let Some(functions) = function_of_read(ir, value, body) else { return false };
    let subscripts = subscripts(ir, functions[0]).unwrap_or_default();
    subscripts.iter().any(|&subscript| polynomial(ir, subscript).values().contains(&carried))
}

/// Whether two reads are of one element where a number of the one is that of the other.
fn same_element(ir: &Ir, (a, in_a): (Op, Value), (b, in_b): (Op, Value)) -> Option<()> {
    let same_buffer = ir.memory_access(a)?.buffer == ir.memory_access(b)?.buffer;
    let pairs = subscripts(ir, a)?.into_iter().zip(subscripts(ir, b)?);
    for (a, b) in pairs {
        let (a, b) = (polynomial(ir, a), polynomial(ir, b));
        let mut renamed = Polynomial::default();
        for (monomial, coefficient) in a.terms() {
            let name = |&value: &Value| if value == in_a { in_b } else { value };
            let monomial: Vec<Value> = monomial.iter().map(name).collect();
            renamed = renamed.plus(&Polynomial::term(&monomial, coefficient), 1)?;
        }
        if renamed != b || b.values().contains(&in_a) {
            return None;
        }
    }
    same_buffer.then_some(())
}
