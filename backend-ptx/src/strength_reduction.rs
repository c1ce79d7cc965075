//! Strength reduction of addresses (Cocke and Kennedy, "An algorithm for reduction of operator
//! strength", 1977).
//!
//! Needs a function of the ptx level. An address that a loop computes as `c * i + d` from an
//! induction variable `i`, with `c` and `d` the same in every round, becomes a variable of the loop
//! of its own: it begins as the address of the first round and is moved on by `c` times `i`'s step.
//! Two instructions for a 64-bit sum then take the place of multiplications, shifts and sums that
//! ptxas leaves as they are. All arithmetic is modulo the width of the address, so no overflow needs
//! to be excluded. Loops with more addresses than registers should be spent on are left alone.

use gpuc_dialects::ptx::kinds::{Part, PtxType};
use gpuc_dialects::ptx::{self, BraOp, CondBraOp, PtxFuncOp};
use gpuc_ir::dominance::Dominators;
use gpuc_ir::op::Traits;
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueDef, ValueMap};
use rustc_hash::FxHashSet;

use crate::emit::Emitter;

/// Addresses of one loop that get variables of their own.
const MAX_ADDRESSES: usize = 8;

/// Depth to which the computation of an address is followed.
const MAX_DEPTH: u32 = 12;

/// Reduces the addresses of every function of a `ptx.module`.
pub(crate) fn run(ir: &mut Ir, module: Op) {
    let functions: Vec<Op> =
        ir.ops(ir.body(module, 0)).filter(|&op| PtxFuncOp::is(ir, op)).collect();
    for function in functions {
        // Outer loops first: what they set up for inner ones is then invariant there.
        for header in headers(ir, function) {
            if let Some(natural) = Loop::find(ir, function, header) {
                natural.reduce(ir);
            }
        }
    }
}

/// Targets of backward branches, outer loops first.
fn headers(ir: &Ir, function: Op) -> Vec<Block> {
    let region = ir.region(function, 0);
    let dominators = Dominators::of(ir, region);
    let is_header = |block: Block| {
        dominators.reachable().iter().any(|&from| {
            ir.block_successors(from).contains(&block) && dominators.dominates(block, from)
        })
    };
    dominators.reachable().iter().copied().filter(|&block| is_header(block)).collect()
}

/// A loop with one way in and one way back.
struct Loop {
    header: Block,
    /// Ends with an unconditional branch to the header.
    before: Block,
    /// The branch back, and which of its successors the header is.
    back: (Op, usize),
    blocks: FxHashSet<Block>,
}

/// A variable of a loop that moves on by the same step in every round.
#[derive(Clone, Copy)]
struct Induction {
    argument: Value,
    start: Value,
    step: Value,
}

impl Loop {
    fn find(ir: &mut Ir, function: Op, header: Block) -> Option<Loop> {
        let region = ir.region(function, 0);
        let dominators = Dominators::of(ir, region);
        let (mut outside, mut back) = (Vec::new(), Vec::new());
        for &from in dominators.reachable() {
            let Some(op) = ir.last_op(from) else { continue };
            for (index, &successor) in ir.successors(op).iter().enumerate() {
                if successor == header {
                    let list =
                        if dominators.dominates(header, from) { &mut back } else { &mut outside };
                    list.push((op, index));
                }
            }
        }
        let (&[entry], &[back]) = (&outside[..], &back[..]) else { return None };
        let mut blocks: FxHashSet<Block> = [header].into_iter().collect();
        let mut work = vec![ir.parent_block(back.0)?];
        while let Some(block) = work.pop() {
            if !blocks.insert(block) {
                continue;
            }
            let from = dominators.reachable().iter().copied();
            work.extend(from.filter(|&from| ir.block_successors(from).contains(&block)));
        }
        let before = match BraOp::is(ir, entry.0) {
            true => ir.parent_block(entry.0)?,
            false => split_edge(ir, entry.0, entry.1)?,
        };
        Some(Loop { header, before, back, blocks })
    }

    /// Gives addresses that follow an induction variable variables of their own.
    fn reduce(&self, ir: &mut Ir) {
        let inductions = self.inductions(ir);
        if inductions.is_empty() {
            return;
        }
        let addresses = self.addresses(ir);
        let mut found: Vec<(Value, Induction)> = Vec::new();
        for address in addresses {
            let follows = inductions.iter().find(|iv| {
                self.is_linear(ir, address, iv.argument, MAX_DEPTH) && self.pays(ir, address)
            });
            if let Some(&induction) = follows {
                found.push((address, induction));
            }
        }
        if found.len() > MAX_ADDRESSES {
            return;
        }
        for (address, induction) in found {
            self.reduce_address(ir, address, induction);
        }
    }

    fn reduce_address(&self, ir: &mut Ir, address: Value, induction: Induction) {
        let Some(branch) = ir.last_op(self.before) else { return };
        let ty = ir.ty(address);
        let location = ir.location(branch);
        ir.detach_op(branch);
        let mut e = Emitter::new(ir, self.before);
        e.location = location;
        let mut copies = ValueMap::new();
        copies.insert(induction.argument, induction.start);
        let start = self.copy(&mut e, address, &mut copies);
        let factor = self.factor(&mut e, address, induction.argument, &mut ValueMap::new());
        // A constant may stand inside the loop; it is made again where it is needed.
        let step = match e.known_int(induction.step) {
            Some(known) => e.int(known.into(), ty),
            None if e.is_wide(factor) => induction.step,
            None => e.low_half(induction.step),
        };
        let step = e.mul(factor, step);
        ir.append_op(self.before, branch);

        let argument = ir.add_argument(self.header, ty, location);
        hand_over(ir, branch, 0, start);
        let mut b = Builder::before(ir, self.back.0);
        let kind = if b.ctx.int_width(ty) == Some(64) { PtxType::S64 } else { PtxType::S32 };
        let kind = kind.attr(&mut b.ctx);
        let next = ptx::AddOp::new(&mut b, argument, step).attr(&mut b, "ty", kind).value(&mut b);
        hand_over(ir, self.back.0, self.back.1, next);
        ir.replace_all_uses(address, argument);
        // The sum in front of the back edge is of the variable itself.
        if let Some(sum) = ir.defining_op(next) {
            ir.set_operand(sum, 0, argument);
        }
    }

    /// The arguments of the header that come back with an invariant added.
    fn inductions(&self, ir: &Ir) -> Vec<Induction> {
        let Some(entry) = ir.last_op(self.before) else { return Vec::new() };
        let first = |op: Op, index| {
            let hook = ir.def(op).and_then(|def| def.hooks.successor_operands);
            hook.map_or(0, |hook| hook(ir, op, index).start)
        };
        let (starts, nexts) = (first(entry, 0), first(self.back.0, self.back.1));
        let mut found = Vec::new();
        for (index, &argument) in ir.arguments(self.header).iter().enumerate() {
            let next = ir.operand(self.back.0, nexts + index);
            let Some(op) = ir.defining_op(next).filter(|&op| ptx::AddOp::is(ir, op)) else {
                continue;
            };
            if ir.ctx.int_width(ir.ty(argument)).is_none() {
                continue;
            }
            let (a, b) = (ir.operand(op, 0), ir.operand(op, 1));
            let step = if a == argument {
                b
            } else if b == argument {
                a
            } else {
                continue;
            };
            if self.is_outside(ir, step)
                || ir.defining_op(step).is_some_and(|op| ptx::ConstOp::is(ir, op))
            {
                found.push(Induction { argument, start: ir.operand(entry, starts + index), step });
            }
        }
        found
    }

    /// Registers that the loop's accesses take their addresses from, each once.
    fn addresses(&self, ir: &Ir) -> Vec<Value> {
        let Some(region) = ir.block_region(self.header) else { return Vec::new() };
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        for &block in ir.blocks(region).iter().filter(|block| self.blocks.contains(block)) {
            for op in ir.ops(block) {
                let name = ir.name(op);
                let accesses =
                    matches!(name, "ptx.ld" | "ptx.st" | "ptx.atom" | "ptx.red" | "ptx.atom_cas");
                if accesses && seen.insert(ir.operand(op, 0)) {
                    found.push(ir.operand(op, 0));
                }
            }
        }
        found
    }

    fn is_outside(&self, ir: &Ir, value: Value) -> bool {
        ir.value_block(value).is_some_and(|block| !self.blocks.contains(&block))
    }

    /// Whether a value is the same in every round: from outside, or computed from such values
    /// without effects.
    fn is_invariant(&self, ir: &Ir, value: Value, depth: u32) -> bool {
        if self.is_outside(ir, value) {
            return true;
        }
        ir.defining_op(value).is_some_and(|op| {
            depth > 0
                && ir.has_trait(op, Traits::PURE)
                && ir.operands(op).all(|operand| self.is_invariant(ir, operand, depth - 1))
        })
    }

    /// Whether a value is an invariant multiple of the variable plus an invariant.
    fn is_linear(&self, ir: &Ir, value: Value, variable: Value, depth: u32) -> bool {
        if value == variable {
            return true;
        }
        let ValueDef::Result(op, _) = ir.value_def(value) else { return false };
        if depth == 0 || self.is_outside(ir, value) {
            return false;
        }
        let linear = |index| self.is_linear(ir, ir.operand(op, index), variable, depth - 1);
        let invariant = |index| self.is_invariant(ir, ir.operand(op, index), depth - 1);
        match form(ir, op) {
            Form::Sum => (linear(0) && invariant(1)) || (invariant(0) && linear(1)),
            Form::Difference | Form::Shift => linear(0) && invariant(1),
            Form::Product => (linear(0) && invariant(1)) || (invariant(0) && linear(1)),
            Form::ProductAndSum => {
                let product = (linear(0) && invariant(1)) || (invariant(0) && linear(1));
                (product && invariant(2)) || (invariant(0) && invariant(1) && linear(2))
            }
            Form::LowHalf => linear(0),
            Form::Other => false,
        }
    }

    /// Whether a sum in every round is cheaper than the computation: more than one instruction of
    /// it depends on the variable.
    fn pays(&self, ir: &Ir, address: Value) -> bool {
        let Some(op) = ir.defining_op(address) else { return false };
        let changing = |value: Value| !self.is_invariant(ir, value, MAX_DEPTH);
        matches!(form(ir, op), Form::ProductAndSum)
            || ir.operands(op).any(|operand| changing(operand) && ir.defining_op(operand).is_some())
    }

    /// Copies the computation of a value to the emitter's block, with what `copies` says in place of
    /// variables.
    fn copy(&self, e: &mut Emitter<'_>, value: Value, copies: &mut ValueMap) -> Value {
        let known = copies.get(value);
        if known != value || self.is_outside(e.ir, value) {
            return known;
        }
        let Some(op) = e.ir.defining_op(value) else { return value };
        let operands: Vec<Value> = e.ir.operands(op).collect();
        let operands: Vec<Value> =
            operands.into_iter().map(|operand| self.copy(e, operand, copies)).collect();
        // Where the variable begins with 0, much of the computation falls away.
        let result = match (form(e.ir, op), &operands[..]) {
            (Form::Sum, &[a, b]) => e.add(a, b),
            (Form::Product, &[a, b]) => e.mul(a, b),
            (Form::ProductAndSum, &[a, b, c]) => e.mul_add(a, b, c),
            (Form::LowHalf, &[a]) => e.low_half(a),
            (Form::Shift, &[a, amount]) if e.known_int(amount).is_some() => {
                let amount = e.known_int(amount).unwrap_or(0);
                e.shl(a, amount as u32)
            }
            _ => {
                let copy = e.ir.clone_op(op, &mut ValueMap::new());
                e.ir.set_operands(copy, &operands);
                let block = e.block();
                e.ir.append_op(block, copy);
                e.ir.result(copy, 0)
            }
        };
        copies.insert(value, result);
        result
    }

    /// The multiple of the variable in a linear value, in the value's width.
    fn factor(
        &self,
        e: &mut Emitter<'_>,
        value: Value,
        variable: Value,
        copies: &mut ValueMap,
    ) -> Value {
        let ty = e.ir.ty(value);
        if value == variable {
            return e.int(1, ty);
        }
        let Some(op) = e.ir.defining_op(value) else { return e.int(0, ty) };
        let operands: Vec<Value> = e.ir.operands(op).collect();
        let changing = |e: &Emitter<'_>, index: usize| {
            self.is_linear(e.ir, operands[index], variable, MAX_DEPTH)
        };
        match form(e.ir, op) {
            Form::Sum => {
                let at = if changing(e, 0) { 0 } else { 1 };
                self.factor(e, operands[at], variable, copies)
            }
            Form::Difference => self.factor(e, operands[0], variable, copies),
            Form::ProductAndSum if changing(e, 2) => self.factor(e, operands[2], variable, copies),
            Form::Product | Form::ProductAndSum => {
                let at = if changing(e, 0) { 0 } else { 1 };
                let factor = self.factor(e, operands[at], variable, copies);
                let other = self.copy(e, operands[1 - at], copies);
                e.mul(factor, other)
            }
            Form::Shift => {
                let factor = self.factor(e, operands[0], variable, copies);
                let amount = self.copy(e, operands[1], copies);
                match e.known_int(amount) {
                    Some(amount) => e.shl(factor, amount as u32),
                    None => {
                        let kind = if e.is_wide(factor) { PtxType::B64 } else { PtxType::B32 };
                        e.typed::<ptx::ShlOp>(kind, &[factor, amount], ty)
                    }
                }
            }
            Form::LowHalf => {
                let factor = self.factor(e, operands[0], variable, copies);
                e.low_half(factor)
            }
            Form::Other => e.int(0, ty),
        }
    }
}

/// What an instruction does to a linear operand.
enum Form {
    Sum,
    Difference,
    Product,
    ProductAndSum,
    Shift,
    LowHalf,
    Other,
}

fn form(ir: &Ir, op: Op) -> Form {
    let is = |name: &str, kinds: &[PtxType]| {
        ir.attr(op, name)
            .and_then(|attr| PtxType::of(&ir.ctx, attr))
            .is_some_and(|ty| kinds.contains(&ty))
    };
    let integer = || is("ty", &[PtxType::S32, PtxType::U32, PtxType::S64, PtxType::U64]);
    let low = || {
        ir.attr(op, "part").and_then(|attr| Part::of(&ir.ctx, attr)) == Some(Part::Lo) && integer()
    };
    match ir.name(op) {
        "ptx.add" if integer() => Form::Sum,
        "ptx.sub" if integer() => Form::Difference,
        "ptx.mul" if low() => Form::Product,
        "ptx.mad" if low() => Form::ProductAndSum,
        "ptx.shl" => Form::Shift,
        "ptx.cvt" if is("to", &[PtxType::U32]) && is("from", &[PtxType::U64]) => Form::LowHalf,
        _ => Form::Other,
    }
}

/// Hands one more value to successor `index` of a branch.
fn hand_over(ir: &mut Ir, branch: Op, index: usize, value: Value) {
    let Some(hook) = ir.def(branch).and_then(|def| def.hooks.successor_operands) else { return };
    let at = hook(ir, branch, index).end;
    let mut operands: Vec<Value> = ir.operands(branch).collect();
    operands.insert(at, value);
    ir.set_operands(branch, &operands);
    let name = "operandSegmentSizes";
    let Some(sizes) = ir.attr(branch, name).and_then(|attr| ir.ctx.dense_array(attr)) else {
        return;
    };
    let mut sizes: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
    // The predicate comes in front of the successors' operands.
    if let Some(size) = sizes.get_mut(index + 1) {
        *size += 1;
    }
    let attr = ir.ctx.i32_array_attr(&sizes);
    ir.set_attr(branch, name, attr);
}

/// Puts a block on one way of a conditional branch, with what was handed over on it.
fn split_edge(ir: &mut Ir, branch: Op, index: usize) -> Option<Block> {
    let view = CondBraOp::cast(ir, branch)?;
    let target = *ir.successors(branch).get(index)?;
    let (predicate, location) = (view.predicate(ir), ir.location(branch));
    let mut lists = [view.trueDestOperands(ir).to_vec(), view.falseDestOperands(ir).to_vec()];
    let mut targets = [ir.successors(branch)[0], ir.successors(branch)[1]];
    let region = ir.block_region(target)?;
    let at = ir.blocks(region).iter().position(|&block| block == target)?;
    let middle = ir.create_block(&[], location);
    ir.insert_block(region, at, middle);
    let handed = std::mem::take(&mut lists[index]);
    let mut b = Builder::at_end(ir, middle, location);
    BraOp::new(&mut b, &handed).successor(target).build(&mut b);
    targets[index] = middle;
    let mut b = Builder::before(ir, branch);
    CondBraOp::new(&mut b, predicate, &lists[0], &lists[1])
        .successor(targets[0])
        .successor(targets[1])
        .build(&mut b);
    ir.erase_op(branch);
    Some(middle)
}
