//! What a nest consists of, for who reorders it: statements and the loops round them.
//!
//! A statement is a group of operations that stand in one block and belong together, because values
//! go from one to the other. What can be computed again wherever it is needed belongs to none:
//! operations without effects, and loads that nothing in the nest depends on. Loops whose bounds are
//! not in closed form, that carry values or that the program gave an order to stay whole.

use gpuc_dialects::affine::AffineForOp;
use gpuc_ir::op::{AccessKind, EffectKind, Traits};
use gpuc_ir::{Block, Ir, Op, OpView, Value, WalkOrder};
use rustc_hash::{FxHashMap, FxHashSet};

use super::refusal::Refusal;
use crate::analysis::loops::dimensions;
use crate::analysis::nest::graph::DependenceGraph;

/// Operations that are executed together.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The loops round it that may be taken apart, the outermost first.
    pub loops: Vec<Op>,
    /// Where it stands: in the row of roots, in the body of the first loop, and so on.
    pub place: Vec<i64>,
    /// The operations, in order.
    pub ops: Vec<Op>,
}

/// The statements of loops that follow each other in one block, in order of the program.
#[derive(Clone, Debug)]
pub struct Statements {
    /// The loops.
    pub roots: Vec<Op>,
    /// The statements.
    pub list: Vec<Statement>,
    of_op: FxHashMap<Op, usize>,
}

impl Statements {
    /// Takes loops apart, as far as `movable` says that they may be.
    ///
    /// # Errors
    /// A root that cannot be taken apart.
    pub fn of(
        ir: &Ir,
        step: &'static str,
        graph: &DependenceGraph,
        movable: &dyn Fn(Op) -> bool,
    ) -> Result<Statements, Refusal> {
        let mut dependent = FxHashSet::default();
        for edge in &graph.edges {
            dependent.extend([edge.source.op, edge.sink.op]);
        }
        let mut finder =
            Finder { ir, graph, movable, dependent, whole: FxHashSet::default(), list: Vec::new() };
        for (i, &root) in graph.roots.iter().enumerate() {
            if !finder.can_be_taken_apart(root) {
                let rule = "the loop carries values, its bounds are not in closed form, or the \
                            program gives its order";
                return Err(Refusal::new(step, root, rule));
            }
            finder.body(ir.body(root, 0), &[root], &[i as i64]);
        }
        let list = finder.list;
        let mut of_op = FxHashMap::default();
        for (i, statement) in list.iter().enumerate() {
            of_op.extend(statement.ops.iter().map(|&op| (op, i)));
        }
        Ok(Statements { roots: graph.roots.clone(), list, of_op })
    }

    /// The statement that an operation inside the roots is part of.
    pub fn holding(&self, ir: &Ir, op: Op) -> Option<usize> {
        [op].into_iter().chain(ir.ancestors(op)).find_map(|at| self.of_op.get(&at).copied())
    }

    /// Whether a value is made inside the roots.
    pub fn is_inside(&self, ir: &Ir, value: Value) -> bool {
        let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
        owner.is_some_and(|owner| self.roots.iter().any(|&root| ir.is_inside(owner, root)))
    }
}

struct Finder<'a> {
    ir: &'a Ir,
    graph: &'a DependenceGraph,
    movable: &'a dyn Fn(Op) -> bool,
    /// Accesses that something depends on.
    dependent: FxHashSet<Op>,
    /// Loops that were found to belong to a statement as they are.
    whole: FxHashSet<Op>,
    list: Vec<Statement>,
}

/// Operations of a block that belong together, in order.
struct Group {
    ops: Vec<(usize, Op)>,
}

impl Finder<'_> {
    fn can_be_taken_apart(&self, op: Op) -> bool {
        let ir = self.ir;
        let Some(view) = AffineForOp::cast(ir, op) else { return false };
        let [dim] = &dimensions(ir, op)[..] else { return false };
        ir.results(op).is_empty()
            && view.step_value(ir) == 1
            && dim.complete
            && dim.lower.iter().chain(&dim.upper).all(|bound| {
                bound.is_affine() && bound.values().into_iter().all(|value| self.is_bound(value))
            })
            && !self.whole.contains(&op)
            && (self.movable)(op)
    }

    /// Whether a value in a bound is from outside or counts one of the loops.
    fn is_bound(&self, value: Value) -> bool {
        self.is_inside(value).is_none() || self.ir.defining_op(value).is_none()
    }

    fn is_inside(&self, value: Value) -> Option<Op> {
        let owner = self.ir.value_block(value).and_then(|block| self.ir.block_op(block))?;
        self.graph.roots.iter().copied().find(|&root| self.ir.is_inside(owner, root))
    }

    /// Whether a value may be computed again wherever the loops round its definition are.
    fn is_repeatable(&self, value: Value) -> bool {
        if self.is_inside(value).is_none() {
            return true;
        }
        let ir = self.ir;
        let Some(op) = ir.defining_op(value) else {
            // The variable of a loop.
            let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
            return owner.is_some_and(|owner| ir.loop_carried(owner).is_empty());
        };
        self.is_repeatable_op(op)
    }

    fn is_repeatable_op(&self, op: Op) -> bool {
        let ir = self.ir;
        let reads = ir
            .memory_access(op)
            .is_some_and(|access| access.kind == AccessKind::Read && !self.dependent.contains(&op));
        ir.regions(op).is_empty()
            && !ir.has_trait(op, Traits::TERMINATOR)
            && (ir.is_effect_free(op) || reads)
            && ir.operands(op).all(|operand| self.is_repeatable(operand))
    }

    /// Whether everything that a loop uses from the loops round it can be computed again.
    fn is_self_contained(&self, op: Op) -> bool {
        let ir = self.ir;
        ir.nested_ops(op, WalkOrder::PreOrder).into_iter().all(|inner| {
            ir.operands(inner).all(|operand| {
                let owner = ir.value_block(operand).and_then(|block| ir.block_op(block));
                let own = owner.is_some_and(|owner| ir.is_inside(owner, op));
                own || self.is_repeatable(operand)
            })
        })
    }

    /// Finds the statements of a block, the body of the last of `loops`.
    fn body(&mut self, block: Block, loops: &[Op], place: &[i64]) {
        loop {
            let (groups, inner) = self.groups(block);
            // A loop between operations that belong together, and on which they depend, belongs to them.
            let mixed = inner.iter().find(|&&(at, op)| {
                groups.iter().any(|group| group.spans(at) && self.depend(&group.ops, &[(at, op)]))
            });
            if let Some(&(_, op)) = mixed {
                self.whole.insert(op);
                continue;
            }
            let mut all: Vec<(usize, Option<Op>, Vec<Op>)> = Vec::new();
            for group in groups {
                let ops: Vec<Op> = group.ops.iter().map(|&(_, op)| op).collect();
                // What only reads, and is used by nobody, need not be.
                if ops.iter().any(|&op| writes(self.ir, op)) {
                    all.push((group.ops[0].0, None, ops));
                }
            }
            all.extend(inner.into_iter().map(|(at, op)| (at, Some(op), Vec::new())));
            all.sort_by_key(|&(at, ..)| at);
            for (i, (_, inner, ops)) in all.into_iter().enumerate() {
                let place = [place, &[i as i64]].concat();
                match inner {
                    Some(op) => {
                        self.body(self.ir.body(op, 0), &[loops, &[op]].concat(), &place);
                    }
                    None => self.list.push(Statement { loops: loops.to_vec(), place, ops }),
                }
            }
            return;
        }
    }

    /// The operations of a block that have to be executed, in groups that belong together, and the
    /// loops that may be taken apart, with their numbers in the block.
    fn groups(&self, block: Block) -> (Vec<Group>, Vec<(usize, Op)>) {
        let ir = self.ir;
        let (mut groups, mut inner): (Vec<Group>, _) = (Vec::new(), Vec::new());
        for (at, op) in ir.ops(block).enumerate() {
            if ir.has_trait(op, Traits::TERMINATOR) || self.is_repeatable_op(op) {
                continue;
            }
            if self.can_be_taken_apart(op) && self.is_self_contained(op) {
                inner.push((at, op));
                continue;
            }
            let (own, others): (Vec<Group>, Vec<Group>) =
                groups.into_iter().partition(|group| group.feeds(ir, op));
            groups = others;
            let mut ops: Vec<_> = own.into_iter().flat_map(|group| group.ops).collect();
            ops.push((at, op));
            ops.sort_unstable_by_key(|&(at, _)| at);
            groups.push(Group { ops });
        }
        // Groups that stand in each other are one if their order matters.
        while let Some((a, b)) = self.mixed(&groups) {
            let other = groups.remove(b);
            groups[a].ops.extend(other.ops);
            groups[a].ops.sort_unstable_by_key(|&(at, _)| at);
        }
        (groups, inner)
    }

    fn mixed(&self, groups: &[Group]) -> Option<(usize, usize)> {
        let pairs = (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b)));
        pairs.into_iter().find(|&(a, b)| {
            let (one, other) = (&groups[a], &groups[b]);
            let crossed = one.ops.iter().any(|&(at, _)| other.spans(at))
                || other.ops.iter().any(|&(at, _)| one.spans(at));
            crossed && self.depend(&one.ops, &other.ops)
        })
    }

    /// Whether a dependence is between two groups of operations.
    fn depend(&self, one: &[(usize, Op)], other: &[(usize, Op)]) -> bool {
        let ir = self.ir;
        let within = |op: Op, ops: &[(usize, Op)]| {
            ops.iter().any(|&(_, outer)| op == outer || ir.is_inside(op, outer))
        };
        self.graph.edges.iter().any(|edge| {
            let (source, sink) = (edge.source.op, edge.sink.op);
            within(source, one) && within(sink, other) || within(source, other) && within(sink, one)
        })
    }
}

impl Group {
    /// Whether `op` uses a value of the group.
    fn feeds(&self, ir: &Ir, op: Op) -> bool {
        self.ops.iter().any(|&(_, own)| {
            ir.results(own)
                .iter()
                .any(|&result| ir.users(result).any(|user| user == op || ir.is_inside(user, op)))
        })
    }

    /// Whether the place with that number lies between operations of the group.
    fn spans(&self, at: usize) -> bool {
        let (first, last) = (self.ops[0].0, self.ops[self.ops.len() - 1].0);
        first < at && at < last
    }
}

/// Whether an operation does more than to read and to make values.
fn writes(ir: &Ir, op: Op) -> bool {
    let passive = |kind| matches!(kind, EffectKind::Read | EffectKind::Allocate);
    ir.effects(op).is_none_or(|effects| effects.iter().any(|effect| !passive(effect.kind)))
}
