//! Chosen terms as operations.
//!
//! Operations are visited in order. One whose term was chosen stays; any other is replaced by the
//! chosen term of its class, built from values that are visible there. What varies in no loop
//! around is built in front of the loop.

use egg::{Id, Language};
use gpuc_dialects::arith;
use gpuc_ir::dominance::DominanceInfo;
use gpuc_ir::{Builder, Ir, Op, Type, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::extract::Choice;
use super::node::{Binary, Cast, Fused, Node};
use super::terms::{Conversion, Terms, conversion_of, width};
use crate::analysis::integer::binary;

/// Whether values are visible at operations.
#[derive(Debug)]
pub struct Visibility<'a> {
    /// Dominators of the regions around the operations.
    pub dominance: &'a DominanceInfo,
}

impl Visibility<'_> {
    /// Whether `value` may be used by `at`.
    pub fn is_visible(&self, ir: &mut Ir, value: Value, at: Op) -> bool {
        let Some(block) = ir.value_block(value) else { return false };
        let Some(region) = ir.block_region(block) else { return false };
        let mut user = at;
        while ir.parent_region(user) != Some(region) {
            let Some(outer) = ir.parent_op(user) else { return false };
            user = outer;
        }
        let Some(here) = ir.parent_block(user) else { return false };
        if here == block {
            return match ir.value_def(value) {
                ValueDef::Argument(..) => true,
                ValueDef::Result(op, _) => op != user && ir.is_before(op, user),
            };
        }
        let dominators = self.dominance.of(region);
        dominators.is_some_and(|known| known.is_reachable(here) && known.dominates(block, here))
    }
}

/// Builds the chosen terms.
pub struct Rebuilder<'a> {
    /// The terms and their classes.
    pub terms: &'a Terms,
    /// The term of each class.
    pub choice: &'a Choice,
    /// Which values may be used where.
    pub visibility: &'a Visibility<'a>,
    /// Values of each class and type so far.
    built: FxHashMap<(Id, Type), SmallVec<[Value; 2]>>,
    /// The class of each of those values.
    classes: FxHashMap<Value, Id>,
    /// Operations made, parts before what uses them.
    created: Vec<Op>,
}

impl<'a> Rebuilder<'a> {
    /// Nothing is built yet.
    pub fn new(terms: &'a Terms, choice: &'a Choice, visibility: &'a Visibility<'a>) -> Self {
        Rebuilder {
            terms,
            choice,
            visibility,
            built: FxHashMap::default(),
            classes: FxHashMap::default(),
            created: Vec::new(),
        }
    }

    /// Replaces the operations by the chosen terms and erases what is no longer needed. Returns
    /// whether anything was replaced.
    pub fn run(mut self, ir: &mut Ir) -> bool {
        let mut changed = false;
        for &(op, class) in &self.terms.ops {
            let class = self.terms.graph.find(class);
            let result = ir.result(op, 0);
            let ty = ir.ty(result);
            let value = match conversion_of(ir, op) {
                // Between index and i64: needed where no value of the class has the type.
                Some(Conversion::Same) => self.reuse(ir, class, ty, op),
                _ if self.is_chosen(ir, op, class) => None,
                _ => self.build(ir, class, ty, op),
            };
            match value {
                Some(value) => {
                    ir.replace_all_uses(result, value);
                    changed = true;
                }
                None => self.keep(class, ty, result),
            }
        }
        let old: Vec<Op> = self.terms.ops.iter().map(|&(op, _)| op).collect();
        // What is new may be used by what is old and dead, and the other way round.
        for ops in [&old, &self.created, &old] {
            for &op in ops.iter().rev() {
                if !ir.is_erased(op) && ir.is_trivially_dead(op) {
                    ir.erase_op(op);
                }
            }
        }
        changed
    }

    /// Whether an operation computes the chosen term of its class from values of the right classes.
    fn is_chosen(&self, ir: &Ir, op: Op, class: Id) -> bool {
        let Some(best) = self.choice.get(&class) else { return true };
        let graph = &self.terms.graph;
        let Some(operands) = ir
            .operands(op)
            .map(|value| self.class_of(value))
            .collect::<Option<SmallVec<[Id; 2]>>>()
        else {
            return false;
        };
        let Some(own) = binary(ir.name(op)) else {
            return match best.node {
                Node::Cast(cast, _, [a]) => {
                    conversion_of(ir, op) == Some(Conversion::Cast(cast))
                        && graph.find(a) == operands[0]
                }
                _ => false,
            };
        };
        let same = |a: Id, b: Id| {
            let (a, b) = (graph.find(a), graph.find(b));
            operands[..] == [a, b] || (own.commutes() && operands[..] == [b, a])
        };
        let extended = |cast: Cast, id: Id| {
            let node = Node::Cast(cast, 64, [graph.find(id)]);
            graph.lookup(node).map(|id| graph.find(id)).unwrap_or(id)
        };
        match best.node {
            Node::Binary(Binary::WideS, [a, b]) if own == Binary::Mul => {
                same(extended(Cast::Sext, a), extended(Cast::Sext, b))
            }
            Node::Binary(Binary::WideU, [a, b]) if own == Binary::Mul => {
                same(extended(Cast::Zext, a), extended(Cast::Zext, b))
            }
            Node::Binary(chosen, [a, b]) => own == chosen && same(a, b),
            Node::Fused(fused, [a, b, c]) if own == Binary::Add => {
                let product = Node::Binary(fused.product(), [graph.find(a), graph.find(b)]);
                graph.lookup(product).is_some_and(|product| same(product, c))
            }
            _ => false,
        }
    }

    /// The class of a value: of a term, a leaf, a constant, or one that was built.
    fn class_of(&self, value: Value) -> Option<Id> {
        self.terms.class(value).or_else(|| self.classes.get(&value).copied())
    }

    /// Takes note of a value of a class.
    fn keep(&mut self, class: Id, ty: Type, value: Value) {
        self.built.entry((class, ty)).or_default().push(value);
        self.classes.entry(value).or_insert(class);
    }

    /// A value of the chosen term that is visible at `at`; `None` where a leaf is not, or the term
    /// may not be computed there.
    fn build(&mut self, ir: &mut Ir, class: Id, ty: Type, at: Op) -> Option<Value> {
        let class = self.terms.graph.find(class);
        if let Some(value) = self.reuse(ir, class, ty, at) {
            return Some(value);
        }
        let node = self.choice.get(&class)?.node.clone();
        let value = match node {
            Node::Leaf { number, .. } => {
                let leaf = self.terms.leaves[number as usize];
                if !self.visibility.is_visible(ir, leaf, at) {
                    return None;
                }
                if ir.ty(leaf) == ty { leaf } else { self.cast(ir, Cast::Sext, leaf, ty, at) }
            }
            Node::Constant { value, .. } => {
                let place = self.place(ir, &[], at);
                let constant =
                    arith::constant_int(&mut Builder::before(ir, place), value.into(), ty);
                self.record(ir, constant);
                constant
            }
            Node::Cast(cast, _, [a]) => {
                let from = self.natural_type(ir, a, ty);
                let inner = self.build(ir, a, from, at)?;
                self.cast(ir, cast, inner, ty, at)
            }
            Node::Binary(op, [a, b]) => self.product_or(ir, op, [a, b], ty, at)?,
            Node::Fused(fused, [a, b, c]) => {
                let product = self.fused_product(ir, fused, [a, b], ty, at)?;
                let addend = self.build(ir, c, ty, at)?;
                self.binary(ir, Binary::Add, product, addend, at)
            }
        };
        self.keep(class, ty, value);
        Some(value)
    }

    /// A value of the class that is there already.
    fn reuse(&mut self, ir: &mut Ir, class: Id, ty: Type, at: Op) -> Option<Value> {
        let values = self.built.get(&(class, ty))?.clone();
        values.into_iter().find(|&value| self.visibility.is_visible(ir, value, at))
    }

    fn fused_product(
        &mut self,
        ir: &mut Ir,
        fused: Fused,
        [a, b]: [Id; 2],
        ty: Type,
        at: Op,
    ) -> Option<Value> {
        let graph = &self.terms.graph;
        let node = Node::Binary(fused.product(), [graph.find(a), graph.find(b)]);
        let class = graph.lookup(node);
        if let Some(class) = class
            && let Some(value) = self.reuse(ir, class, ty, at)
        {
            return Some(value);
        }
        self.product_or(ir, fused.product(), [a, b], ty, at)
    }

    /// An operation on two terms; of a wide product, the product of the casts.
    fn product_or(
        &mut self,
        ir: &mut Ir,
        op: Binary,
        [a, b]: [Id; 2],
        ty: Type,
        at: Op,
    ) -> Option<Value> {
        let cast = match op {
            Binary::WideS => Cast::Sext,
            Binary::WideU => Cast::Zext,
            _ => {
                let (a, b) = (self.build(ir, a, ty, at)?, self.build(ir, b, ty, at)?);
                return Some(self.binary(ir, op, a, b, at));
            }
        };
        let a = self.factor(ir, cast, a, ty, at)?;
        let b = self.factor(ir, cast, b, ty, at)?;
        Some(self.binary(ir, Binary::Mul, a, b, at))
    }

    /// A factor of a wide product: a constant, or a cast.
    fn factor(&mut self, ir: &mut Ir, cast: Cast, id: Id, ty: Type, at: Op) -> Option<Value> {
        let facts = self.terms.graph[id].data;
        let to = width(ir, ty)?;
        let constant = facts.constant().map(|value| cast.apply(value, facts.width, to));
        if let Some(value) = constant {
            let place = self.place(ir, &[], at);
            let value = arith::constant_int(&mut Builder::before(ir, place), value.into(), ty);
            self.record(ir, value);
            return Some(value);
        }
        let graph = &self.terms.graph;
        let class = graph.lookup(Node::Cast(cast, to, [graph.find(id)]));
        if let Some(class) = class
            && let Some(value) = self.reuse(ir, class, ty, at)
        {
            return Some(value);
        }
        let narrow = ir.ctx.int(facts.width);
        let inner = self.build(ir, id, narrow, at)?;
        Some(self.cast(ir, cast, inner, ty, at))
    }

    /// The type in which the operand of a cast to `to` is computed: at 64 bits that of its values.
    fn natural_type(&self, ir: &mut Ir, id: Id, to: Type) -> Type {
        let class = self.terms.graph.find(id);
        match self.terms.graph[class].data.width {
            64 if ir.ctx.is_index(to) => to,
            64 => self.leaf_type(ir, class).unwrap_or_else(|| ir.ctx.i64()),
            width => ir.ctx.int(width),
        }
    }

    /// The type of the first 64-bit leaf of a chosen term.
    fn leaf_type(&self, ir: &Ir, class: Id) -> Option<Type> {
        let mut at = self.terms.graph.find(class);
        loop {
            let node = &self.choice.get(&at)?.node;
            if let Node::Leaf { number, .. } = *node {
                return Some(ir.ty(self.terms.leaves[number as usize]));
            }
            let wide = |&id: &Id| {
                let facts = self.terms.graph[id].data;
                facts.width == 64 && facts.constant().is_none()
            };
            at = self.terms.graph.find(node.children().iter().copied().find(wide)?);
        }
    }

    fn binary(&mut self, ir: &mut Ir, op: Binary, a: Value, b: Value, at: Op) -> Value {
        let place = if self.may_move(ir, op, b) { self.place(ir, &[a, b], at) } else { at };
        let at_place = &mut Builder::before(ir, place);
        let build = match op {
            Binary::Add => arith::AddIOp::new(at_place, a, b),
            Binary::Sub => arith::SubIOp::new(at_place, a, b),
            Binary::Mul | Binary::WideS | Binary::WideU => arith::MulIOp::new(at_place, a, b),
            Binary::Shl => arith::ShLIOp::new(at_place, a, b),
            Binary::ShrU => arith::ShRUIOp::new(at_place, a, b),
            Binary::ShrS => arith::ShRSIOp::new(at_place, a, b),
            Binary::And => arith::AndIOp::new(at_place, a, b),
            Binary::Or => arith::OrIOp::new(at_place, a, b),
            Binary::Xor => arith::XOrIOp::new(at_place, a, b),
            Binary::DivU => arith::DivUIOp::new(at_place, a, b),
            Binary::DivS => arith::DivSIOp::new(at_place, a, b),
            Binary::RemU => arith::RemUIOp::new(at_place, a, b),
            Binary::RemS => arith::RemSIOp::new(at_place, a, b),
            Binary::CeilDivU => arith::CeilDivUIOp::new(at_place, a, b),
            Binary::CeilDivS => arith::CeilDivSIOp::new(at_place, a, b),
            Binary::FloorDivS => arith::FloorDivSIOp::new(at_place, a, b),
            Binary::MinS => arith::MinSIOp::new(at_place, a, b),
            Binary::MaxS => arith::MaxSIOp::new(at_place, a, b),
            Binary::MinU => arith::MinUIOp::new(at_place, a, b),
            Binary::MaxU => arith::MaxUIOp::new(at_place, a, b),
        };
        let value = build.value(at_place);
        self.record(ir, value);
        value
    }

    /// Whether the operation may be computed although the program might not have: divisions only by
    /// constants that no dividend is undefined for.
    fn may_move(&self, ir: &Ir, op: Binary, right: Value) -> bool {
        use Binary::*;
        let divides = matches!(op, DivU | DivS | RemU | RemS | CeilDivU | CeilDivS | FloorDivS);
        !divides || arith::constant_int_value(ir, right).is_some_and(|v| v != 0 && v != -1)
    }

    fn cast(&mut self, ir: &mut Ir, cast: Cast, value: Value, ty: Type, at: Op) -> Value {
        let place = self.place(ir, &[value], at);
        let index = ir.ctx.is_index(ty) || ir.ctx.is_index(ir.ty(value));
        let b = &mut Builder::before(ir, place);
        let build = match (cast, index) {
            (Cast::Zext, true) => arith::IndexCastUIOp::new(b, value),
            (_, true) => arith::IndexCastOp::new(b, value),
            (Cast::Sext, false) => arith::ExtSIOp::new(b, value),
            (Cast::Zext, false) => arith::ExtUIOp::new(b, value),
            (Cast::Trunc, false) => arith::TruncIOp::new(b, value),
        };
        let value = build.result(ty).value(b);
        self.record(ir, value);
        value
    }

    /// The outermost loop around `at` in which no operand varies; `at` itself if there is none.
    fn place(&self, ir: &Ir, operands: &[Value], at: Op) -> Op {
        let mut place = at;
        let mut inner = at;
        while let Some(outer) = ir.parent_op(inner) {
            let fixed = operands.iter().all(|&value| {
                let owner = match ir.value_def(value) {
                    ValueDef::Result(op, _) => Some(op),
                    ValueDef::Argument(block, _) => ir.block_op(block),
                };
                owner.is_some_and(|owner| !ir.is_inside(owner, outer))
            });
            let isolated = ir.has_trait(outer, gpuc_ir::op::Traits::ISOLATED_FROM_ABOVE);
            if !fixed || isolated {
                break;
            }
            if ir.is_loop(outer) {
                place = outer;
            }
            inner = outer;
        }
        place
    }

    fn record(&mut self, ir: &Ir, value: Value) {
        self.created.extend(ir.defining_op(value));
    }
}
