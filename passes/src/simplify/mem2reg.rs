//! `mem2reg`: turns local variables into SSA values.
//!
//! Needs variables as `memref.alloca() : memref<T>` of a scalar type, used only by loads and
//! stores. Leaves none of those: what a branch stores leaves it as a result, what a loop stores
//! becomes an iteration argument, unless nothing reads it. Variables stay where a store stands
//! inside an operation that cannot carry values (a parallel loop: the variable is then shared by
//! the iterations).

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::memref;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Location, Op, OpView, Type, Value, WalkOrder};
use rustc_hash::FxHashMap;

use super::carry::{self, Structure};
use super::dead_carried::release_dead_carried;
use crate::analysis::names;

gpuc_ir::pass! {
    /// Promote local scalar variables to SSA values.
    Mem2Reg = "mem2reg" {}
    counts { "promoted slots": "Total amount of memory slot promoted" }
}

impl Pass for Mem2Reg {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut promoted = 0;
        for region in ir.regions(op).to_vec() {
            for block in ir.blocks(region).to_vec() {
                for inner in ir.ops(block).collect::<Vec<_>>() {
                    promoted += promote_inside(ir, inner);
                }
                promoted += promote_block(ir, block);
            }
        }
        cx.count("promoted slots", promoted);
        release_dead_carried(ir, op);
        Ok(())
    }
}

/// Promotes the variables declared in every block inside `op`, inner blocks first, and says how many.
fn promote_inside(ir: &mut Ir, op: Op) -> usize {
    let mut promoted = 0;
    for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
        if ir.is_erased(inner) {
            continue;
        }
        for region in ir.regions(inner).to_vec() {
            for block in ir.blocks(region).to_vec() {
                promoted += promote_block(ir, block);
            }
        }
    }
    promoted
}

/// Promotes the variables declared in `block` itself.
fn promote_block(ir: &mut Ir, block: Block) -> usize {
    let mut promoter = Promoter { variables: FxHashMap::default(), order: Vec::new() };
    for op in ir.ops(block).collect::<Vec<_>>() {
        if let Some(ty) = promotable(ir, op, block) {
            let variable = ir.result(op, 0);
            promoter.variables.insert(variable, ty);
            promoter.order.push(variable);
        }
    }
    if promoter.order.is_empty() {
        return 0;
    }
    let mut state = State::default();
    promoter.block(ir, block, &mut state);
    for &variable in &promoter.order {
        if let Some(alloca) = ir.defining_op(variable) {
            ir.erase_op(alloca);
        }
    }
    promoter.order.len()
}

/// The element type of a variable that can become a value.
fn promotable(ir: &Ir, op: Op, block: Block) -> Option<Type> {
    memref::AllocaOp::cast(ir, op)?;
    let variable = ir.result(op, 0);
    let memref_ty = ir.ty(variable);
    let ty = ir.ctx.element(memref_ty)?;
    let scalar = ir.ctx.is_float(ty) || ir.ctx.is_signless_int_or_index(ty);
    if !scalar || !ir.ctx.shape(memref_ty)?.is_empty() {
        return None;
    }
    for slot in ir.uses(variable) {
        let user = ir.use_owner(slot);
        let stores = ir.stored_to_element_of(user, variable).is_some();
        if !stores && !ir.reads_element_of(user, variable) {
            return None;
        }
        // From the user outwards to the declaration.
        let mut at = user;
        while ir.parent_block(at) != Some(block) {
            let outer = ir.parent_op(at)?;
            let inside = ir.parent_region(at)?;
            if ir.blocks(inside).len() != 1 || (stores && carry::structure(ir, outer).is_none()) {
                return None;
            }
            at = outer;
        }
    }
    // In a control flow graph a use in another block of the region was refused above.
    Some(ty)
}

/// The value of each variable at a point, and where it was stored; absent where nothing has been stored yet.
#[derive(Clone, Default)]
struct State(FxHashMap<Value, Value>, FxHashMap<Value, Location>);

struct Promoter {
    variables: FxHashMap<Value, Type>,
    /// The variables in order of declaration, so that results come in one order.
    order: Vec<Value>,
}

impl Promoter {
    fn block(&mut self, ir: &mut Ir, block: Block, state: &mut State) {
        let mut next = ir.first_op(block);
        while let Some(op) = next {
            next = ir.next_op(op);
            if let Some(access) = ir.memory_access(op)
                && self.variables.contains_key(&access.buffer)
            {
                match access.stored() {
                    Some(value) => {
                        let variable = ir.value_location(access.buffer);
                        names::hand_on(ir, variable, value);
                        state.0.insert(access.buffer, value);
                        state.1.insert(access.buffer, ir.location(op));
                        ir.erase_op(op);
                    }
                    None => {
                        let value = self.current(ir, access.buffer, state, op);
                        ir.replace_op(op, &[value]);
                    }
                }
            } else if !ir.regions(op).is_empty() {
                self.nested(ir, op, state);
            }
        }
    }

    /// The value of a variable before `at`.
    fn current(&self, ir: &mut Ir, variable: Value, state: &mut State, at: Op) -> Value {
        if let Some(&value) = state.0.get(&variable) {
            return value;
        }
        let ty = self.variables[&variable];
        // Read before it is written. The value stands at the declaration, so that it dominates.
        let anchor = ir.defining_op(variable).unwrap_or(at);
        let value = carry::undefined(&mut Builder::before(ir, anchor), ty)
            .expect("variables are of types that have constants");
        state.0.insert(variable, value);
        value
    }

    /// Variables stored somewhere inside `op`, in order of declaration.
    fn stored_inside(&self, ir: &Ir, op: Op) -> Vec<Value> {
        let stored = |&variable: &Value| {
            ir.uses(variable).any(|slot| {
                let user = ir.use_owner(slot);
                user != op
                    && ir.is_inside(user, op)
                    && ir.stored_to_element_of(user, variable).is_some()
            })
        };
        self.order.iter().copied().filter(stored).collect()
    }

    fn nested(&mut self, ir: &mut Ir, op: Op, state: &mut State) {
        let stored = self.stored_inside(ir, op);
        let structure = if stored.is_empty() { None } else { carry::structure(ir, op) };
        match structure {
            // Only read inside: the value from outside is visible there.
            None => {
                for region in ir.regions(op).to_vec() {
                    for block in ir.blocks(region).to_vec() {
                        self.block(ir, block, &mut state.clone());
                    }
                }
            }
            Some(Structure::Branch) => self.branch(ir, op, &stored, state),
            Some(Structure::Loop) => self.loop_(ir, op, &stored, state),
            Some(Structure::While) => self.while_(ir, op, &stored, state),
        }
    }

    fn types(&self, variables: &[Value]) -> Vec<Type> {
        variables.iter().map(|variable| self.variables[variable]).collect()
    }

    /// Values of `variables` at the terminator of `block`, appended to its operands.
    fn hand_on(&mut self, ir: &mut Ir, block: Block, variables: &[Value], state: &mut State) {
        let Some(terminator) = ir.last_op(block) else { return };
        for &variable in variables {
            let value = self.current(ir, variable, state, terminator);
            ir.push_operand(terminator, value);
        }
    }

    fn receive(&self, ir: &Ir, op: Op, first: usize, variables: &[Value], state: &mut State) {
        for (i, &variable) in variables.iter().enumerate() {
            state.0.insert(variable, ir.result(op, first + i));
        }
    }

    fn branch(&mut self, ir: &mut Ir, op: Op, stored: &[Value], state: &mut State) {
        // A variable without a value yet gets it here, where both sides see the same one.
        for &variable in stored {
            self.current(ir, variable, state, op);
        }
        carry::complete_branch(ir, op);
        for region in ir.regions(op).to_vec() {
            let Some(block) = ir.entry_block(region) else { continue };
            let mut inner = state.clone();
            self.block(ir, block, &mut inner);
            self.hand_on(ir, block, stored, &mut inner);
        }
        let first = ir.results(op).len();
        let new = carry::append(ir, op, &[], &self.types(stored));
        self.receive(ir, new, first, stored, state);
    }

    fn loop_(&mut self, ir: &mut Ir, op: Op, stored: &[Value], state: &mut State) {
        let initial: Vec<Value> =
            stored.iter().map(|&variable| self.current(ir, variable, state, op)).collect();
        let first = ir.results(op).len();
        let new = carry::append(ir, op, &initial, &self.types(stored));
        let body = ir.body(new, 0);
        let mut inner = state.clone();
        self.arguments(ir, new, body, stored, &mut inner);
        self.block(ir, body, &mut inner);
        self.hand_on(ir, body, stored, &mut inner);
        self.receive(ir, new, first, stored, state);
    }

    fn while_(&mut self, ir: &mut Ir, op: Op, stored: &[Value], state: &mut State) {
        let initial: Vec<Value> =
            stored.iter().map(|&variable| self.current(ir, variable, state, op)).collect();
        let first = ir.results(op).len();
        let new = carry::append(ir, op, &initial, &self.types(stored));
        let (before, after) = (ir.body(new, 0), ir.body(new, 1));
        let mut inner = state.clone();
        self.arguments(ir, new, before, stored, &mut inner);
        self.block(ir, before, &mut inner);
        self.hand_on(ir, before, stored, &mut inner);
        self.arguments(ir, new, after, stored, &mut inner);
        self.block(ir, after, &mut inner);
        self.hand_on(ir, after, stored, &mut inner);
        self.receive(ir, new, first, stored, state);
    }

    /// Adds an argument to `block` for each variable and makes it the variable's value.
    fn arguments(&self, ir: &mut Ir, op: Op, block: Block, variables: &[Value], state: &mut State) {
        for &variable in variables {
            // A loop goes on from where the variable was set.
            let location = state.1.get(&variable).copied().unwrap_or(ir.location(op));
            let argument = ir.add_argument(block, self.variables[&variable], location);
            names::hand_on(ir, ir.value_location(variable), argument);
            state.0.insert(variable, argument);
        }
    }
}
