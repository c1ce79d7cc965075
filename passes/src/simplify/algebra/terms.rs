//! Operations of `arith` as terms.

use egg::Id;
use gpuc_dialects::arith;
use gpuc_ir::{Ir, Op, OpView, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

use super::Graph;
use super::extract::frequency;
use super::facts::Known;
use super::node::{Binary, Cast, Node, wrap};
use super::price::Prices;
use crate::analysis::integer::binary;
use crate::analysis::range;

/// The change of width that an operation of `arith` is, given the widths; [`Conversion::Same`] for
/// casts between `index` and `i64`.
fn conversion(name: &str, from: u32, to: u32) -> Option<Conversion> {
    let signed = match name {
        arith::ExtSIOp::NAME | arith::IndexCastOp::NAME => true,
        arith::ExtUIOp::NAME | arith::IndexCastUIOp::NAME => false,
        arith::TruncIOp::NAME => true,
        _ => return None,
    };
    Some(match from.cmp(&to) {
        std::cmp::Ordering::Equal => Conversion::Same,
        std::cmp::Ordering::Greater => Conversion::Cast(Cast::Trunc),
        std::cmp::Ordering::Less if signed => Conversion::Cast(Cast::Sext),
        std::cmp::Ordering::Less => Conversion::Cast(Cast::Zext),
    })
}

/// What a cast does to the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Nothing: it is between `index` and `i64`.
    Same,
    /// It changes the width.
    Cast(Cast),
}

/// What an operation that is a cast does.
pub fn conversion_of(ir: &Ir, op: Op) -> Option<Conversion> {
    if ir.operand_count(op) != 1 {
        return None;
    }
    let (from, to) = (ir.ty(ir.operand(op, 0)), ir.ty(*ir.results(op).first()?));
    conversion(ir.name(op), width(ir, from)?, width(ir, to)?)
}

/// The width of a type whose values are terms.
pub fn width(ir: &Ir, ty: Type) -> Option<u32> {
    ir.ctx.int_or_index_width(ty).filter(|width| matches!(width, 8 | 16 | 32 | 64))
}

/// Whether an operation is a term.
pub fn is_term(ir: &Ir, op: Op) -> bool {
    let (&[result], Some(def)) = (ir.results(op), ir.def(op)) else { return false };
    if def.dialect() != "arith" || width(ir, ir.ty(result)).is_none() {
        return false;
    }
    let name = ir.name(op);
    let widths = |index: usize| width(ir, ir.ty(ir.operand(op, index)));
    match ir.operand_count(op) {
        1 => conversion(name, 0, 0).is_some() && widths(0).is_some(),
        2 => binary(name).is_some() && widths(0) == widths(1) && widths(0).is_some(),
        _ => false,
    }
}

/// Loops around the definition of a value.
pub fn depth_of_value(ir: &Ir, value: Value) -> u32 {
    match ir.value_def(value) {
        ValueDef::Result(op, _) => depth_of_op(ir, op),
        ValueDef::Argument(block, _) => ir
            .block_op(block)
            .map_or(0, |owner| depth_of_op(ir, owner) + u32::from(ir.is_loop(owner))),
    }
}

/// Loops around an operation.
pub fn depth_of_op(ir: &Ir, op: Op) -> u32 {
    ir.ancestors(op).filter(|&at| at != op && ir.is_loop(at)).count() as u32
}

/// Some operations of a function as terms of one graph.
#[derive(Debug)]
pub struct Terms {
    /// The classes of equal terms.
    pub graph: Graph,
    /// The operations, in order, and the classes of their results.
    pub ops: Vec<(Op, Id)>,
    /// The values that leaves stand for, by number.
    pub leaves: Vec<Value>,
    /// Loops around each of them.
    pub depths: Vec<u32>,
    classes: FxHashMap<Value, Id>,
}

impl Terms {
    /// Terms of `ops`, which stand in an order in which definitions mostly come before uses: an
    /// operand that has not been seen is a leaf.
    pub fn of(ir: &Ir, ops: &[Op]) -> Terms {
        let mut terms = Terms {
            graph: Graph::new(Known::default()),
            ops: Vec::new(),
            leaves: Vec::new(),
            depths: Vec::new(),
            classes: FxHashMap::default(),
        };
        for &op in ops {
            let result = ir.result(op, 0);
            // A value that was used before its definition was seen is a leaf for good.
            if !terms.classes.contains_key(&result)
                && let Some(class) = terms.operation(ir, op)
            {
                terms.classes.insert(result, class);
                terms.ops.push((op, class));
            }
        }
        terms.graph.rebuild();
        terms
    }

    /// The class of a value, if a term mentions it.
    pub fn class(&self, value: Value) -> Option<Id> {
        self.classes.get(&value).map(|&id| self.graph.find(id))
    }

    /// The class of an operation's own term, as its operands stand.
    fn operation(&mut self, ir: &Ir, op: Op) -> Option<Id> {
        let name = ir.name(op);
        let node = if let Some(binary) = binary(name) {
            let (a, b) = (ir.operand(op, 0), ir.operand(op, 1));
            Node::Binary(binary, [self.value(ir, a)?, self.value(ir, b)?])
        } else {
            let source = ir.operand(op, 0);
            let to = width(ir, ir.ty(ir.result(op, 0)))?;
            match conversion_of(ir, op)? {
                Conversion::Same => return self.value(ir, source),
                Conversion::Cast(Cast::Sext) if to == 64 => return self.widened(ir, source),
                Conversion::Cast(cast) => Node::Cast(cast, to, [self.value(ir, source)?]),
            }
        };
        Some(self.graph.add(node))
    }

    /// A value with its sign in 64 bits. A constant added to it without overflow, as the program
    /// promises, is added in 64 bits, where an address takes it as its offset.
    ///
    /// This is not an equality of classes: without the promise it does not hold. It is what *this*
    /// cast may be taken for.
    fn widened(&mut self, ir: &Ir, value: Value) -> Option<Id> {
        if let Some(op) = ir.defining_op(value)
            && matches!(binary(ir.name(op)), Some(Binary::Add | Binary::Sub))
            && range::promises_no_signed_wrap(ir, op)
            && let Some(constant) = arith::constant_int_value(ir, ir.operand(op, 1))
        {
            let sign = if binary(ir.name(op)) == Some(Binary::Sub) { -1 } else { 1 };
            let inner = self.widened(ir, ir.operand(op, 0))?;
            let value = wrap(sign * constant, 64);
            let constant = self.graph.add(Node::Constant { width: 64, value });
            return Some(self.graph.add(Node::Binary(Binary::Add, [inner, constant])));
        }
        let inner = self.value(ir, value)?;
        Some(self.graph.add(Node::Cast(Cast::Sext, 64, [inner])))
    }

    fn value(&mut self, ir: &Ir, value: Value) -> Option<Id> {
        if let Some(&class) = self.classes.get(&value) {
            return Some(class);
        }
        let width = width(ir, ir.ty(value))?;
        let node = match arith::constant_int_value(ir, value) {
            Some(constant) => Node::Constant { width, value: wrap(constant, width) },
            None => {
                let number = self.leaves.len() as u32;
                self.leaves.push(value);
                self.depths.push(depth_of_value(ir, value));
                self.graph.analysis.leaves.push(range::range(ir, value));
                Node::Leaf { width, number }
            }
        };
        let class = self.graph.add(node);
        self.classes.insert(value, class);
        Some(class)
    }

    /// The classes that something outside the terms needs.
    pub fn roots(&self, ir: &Ir) -> Vec<Id> {
        let inside: rustc_hash::FxHashSet<Op> = self.ops.iter().map(|&(op, _)| op).collect();
        let mut roots: Vec<Id> = self
            .ops
            .iter()
            .filter(|&&(op, _)| ir.users(ir.result(op, 0)).any(|user| !inside.contains(&user)))
            .map(|&(_, class)| self.graph.find(class))
            .collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// The price of the operations as they stand. A product used by one sum is free in it, and so
    /// is a cast in a wide product, because instruction selection fuses them.
    pub fn price(&self, ir: &Ir, prices: Prices) -> u64 {
        let inside: FxHashMap<Op, Id> = self.ops.iter().copied().collect();
        let mut live = rustc_hash::FxHashSet::default();
        let mut fused = rustc_hash::FxHashSet::default();
        let mut total = 0u64;
        for &(op, _) in self.ops.iter().rev() {
            let needed = ir
                .users(ir.result(op, 0))
                .any(|user| !inside.contains_key(&user) || live.contains(&user));
            if !needed {
                continue;
            }
            live.insert(op);
            if !fused.contains(&op) {
                let own = self.price_of(ir, op, prices, &mut fused);
                total = total.saturating_add(own.saturating_mul(frequency(depth_of_op(ir, op))));
            }
        }
        total
    }

    fn price_of(
        &self,
        ir: &Ir,
        op: Op,
        prices: Prices,
        fused: &mut rustc_hash::FxHashSet<Op>,
    ) -> u64 {
        let facts: Vec<_> = ir
            .operands(op)
            .filter_map(|value| self.class(value))
            .map(|class| self.graph[class].data)
            .collect();
        // Only placeholders for children: prices look at their facts.
        let id = Id::from(0);
        let Some(binary) = binary(ir.name(op)) else {
            return match conversion_of(ir, op) {
                Some(Conversion::Cast(cast)) => prices.node(&Node::Cast(cast, 64, [id]), &facts),
                _ => 0,
            };
        };
        if binary == Binary::Mul && facts[0].width == 64 && self.is_wide(ir, op) {
            for value in ir.operands(op) {
                fused.extend(ir.defining_op(value).filter(|_| ir.has_one_use(value)));
            }
            return prices.binary(Binary::WideS, 32, None);
        }
        if binary == Binary::Add {
            let product = ir.operands(op).find(|&value| {
                ir.has_one_use(value)
                    && ir.defining_op(value).is_some_and(|op| arith::MulIOp::is(ir, op))
            });
            if let Some(product) = product.and_then(|value| ir.defining_op(value)) {
                let wide = facts[0].width == 64 && self.is_wide(ir, product);
                fused.insert(product);
                if wide {
                    for value in ir.operands(product) {
                        fused.extend(ir.defining_op(value).filter(|_| ir.has_one_use(value)));
                    }
                }
                let kind =
                    if wide { super::node::Fused::MadWideS } else { super::node::Fused::Mad };
                return prices.node(&Node::Fused(kind, [id; 3]), &facts);
            }
        }
        prices.node(&Node::Binary(binary, [id; 2]), &facts)
    }

    /// Whether both factors of a 64-bit product are casts from 32 bits, or one of them is a
    /// constant.
    fn is_wide(&self, ir: &Ir, product: Op) -> bool {
        let mut casts = 0;
        ir.operands(product).all(|value| {
            let cast = ir.defining_op(value).is_some_and(|op| {
                ir.operand_count(op) == 1
                    && conversion(ir.name(op), 0, 0).is_some()
                    && width(ir, ir.ty(ir.operand(op, 0))) == Some(32)
            });
            casts += u32::from(cast);
            let constant = self.class(value).and_then(|class| self.graph[class].data.constant());
            cast || constant.is_some_and(|value| i32::try_from(value).is_ok())
        }) && casts > 0
    }
}
