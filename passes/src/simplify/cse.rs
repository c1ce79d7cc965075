//! `cse`: common subexpression elimination.
//!
//! Walks each region in an order in which dominators come first, with a scoped table of the
//! operations seen. Operations without effects merge wherever one dominates the other; operations
//! that only read merge within a block, and with those in regions inside, when nothing between them
//! may write. Operations with regions
//! are left alone. After MLIR's pass of the same name.

use std::hash::{Hash, Hasher};

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::dominance::DominanceInfo;
use gpuc_ir::op::{EffectKind, Effects, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Ir, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

gpuc_ir::pass! {
    /// Eliminate common subexpressions.
    Cse = "cse" titled "CSE" {}
    counts { "num-cse'd": "Number of operations CSE'd", "num-dce'd": "Number of operations DCE'd" }
}

impl Pass for Cse {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let dominance = cx.analysis::<DominanceInfo>(ir, op);
        let mut eliminator = Eliminator::new(&dominance);
        for region in ir.regions(op).to_vec() {
            eliminator.region(ir, region);
        }
        // Blocks and their terminators stay as they are.
        cx.preserve::<DominanceInfo>();
        cx.count("num-cse'd", eliminator.merged);
        cx.count("num-dce'd", eliminator.dead);
        Ok(())
    }

    fn settles(&self) -> bool {
        true
    }
}

/// What makes two operations the same: name, attributes, operands and types of results, as a number. Of millions of operations
/// that is all that is kept beside their keys; two of one number are compared.
fn number_of(ir: &Ir, op: Op) -> u64 {
    let mut hasher = FxHasher::default();
    (ir.op_name(op), ir.attrs(op)).hash(&mut hasher);
    operands(ir, op).hash(&mut hasher);
    ir.result_types(op).for_each(|ty| ty.hash(&mut hasher));
    hasher.finish()
}

/// The operands; in one order where theirs says nothing.
fn operands(ir: &Ir, op: Op) -> SmallVec<[Value; 4]> {
    let mut operands: SmallVec<[Value; 4]> = ir.operands(op).collect();
    if ir.has_trait(op, Traits::COMMUTATIVE) {
        operands.sort_unstable();
    }
    operands
}

fn are_same(ir: &Ir, a: Op, b: Op) -> bool {
    ir.op_name(a) == ir.op_name(b)
        && ir.attrs(a) == ir.attrs(b)
        && operands(ir, a) == operands(ir, b)
        && ir.result_types(a).eq(ir.result_types(b))
}

#[derive(Clone, Copy)]
struct Known {
    op: Op,
    /// Number of writes seen when an operation that reads was entered.
    writes: u32,
}

struct Eliminator<'a> {
    dominance: &'a DominanceInfo,
    /// By their numbers, or the next free ones behind those.
    known: FxHashMap<u64, Known>,
    /// Numbers entered in each open scope, with what they shadowed.
    scopes: Vec<Vec<(u64, Option<Known>)>>,
    /// Writes seen so far on this way; reads of different counts are different.
    writes: u32,
    /// How many operations were found to be others, and to be dead.
    merged: usize,
    dead: usize,
}

impl<'a> Eliminator<'a> {
    fn new(dominance: &'a DominanceInfo) -> Self {
        Eliminator {
            dominance,
            known: FxHashMap::default(),
            scopes: Vec::new(),
            writes: 0,
            merged: 0,
            dead: 0,
        }
    }

    fn region(&mut self, ir: &mut Ir, region: Region) {
        if let [block] = *ir.blocks(region) {
            self.scoped(|this| this.block(ir, block));
            return;
        }
        let Some(dominators) = self.dominance.of(region) else { return };
        let mut children: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &block in dominators.reachable() {
            if let Some(parent) = dominators.immediate(block) {
                children.entry(parent).or_default().push(block);
            }
        }
        let mut stack: Vec<(Block, bool)> =
            ir.entry_block(region).map(|block| (block, false)).into_iter().collect();
        while let Some((block, done)) = stack.pop() {
            if done {
                self.close();
                continue;
            }
            self.scopes.push(Vec::new());
            // Another way to this block may have written.
            self.writes += 1;
            self.block(ir, block);
            stack.push((block, true));
            stack.extend(children.get(&block).into_iter().flatten().rev().map(|&b| (b, false)));
        }
    }

    fn scoped(&mut self, body: impl FnOnce(&mut Self)) {
        self.scopes.push(Vec::new());
        body(self);
        self.close();
    }

    fn close(&mut self) {
        for (key, shadowed) in self.scopes.pop().into_iter().flatten().rev() {
            match shadowed {
                Some(known) => self.known.insert(key, known),
                None => self.known.remove(&key),
            };
        }
    }

    fn block(&mut self, ir: &mut Ir, block: Block) {
        let mut next = ir.first_op(block);
        while let Some(op) = next {
            next = ir.next_op(op);
            self.op(ir, op);
        }
    }

    fn op(&mut self, ir: &mut Ir, op: Op) {
        if ir.is_trivially_dead(op) {
            ir.erase_op(op);
            self.dead += 1;
            return;
        }
        let regions = ir.regions(op).to_vec();
        if !regions.is_empty() {
            let writes = writes(&ir.effects(op));
            // What is inside may run again behind a write of its own, unless it is a mere branch.
            let once = ir.def(op).is_some_and(|def| {
                def.hooks.region_branch.is_some() && def.hooks.loop_regions.is_none()
            });
            if writes && !once {
                self.writes += 1;
            }
            if ir.has_trait(op, Traits::ISOLATED_FROM_ABOVE) {
                let mut inner = Eliminator::new(self.dominance);
                for region in regions {
                    inner.region(ir, region);
                }
                self.merged += inner.merged;
                self.dead += inner.dead;
            } else {
                for region in regions {
                    self.region(ir, region);
                }
            }
            if writes {
                self.writes += 1;
            }
            return;
        }
        if ir.has_trait(op, Traits::TERMINATOR) || ir.has_trait(op, Traits::SYMBOL) {
            return;
        }
        let effects = ir.effects(op);
        if writes(&effects) {
            self.writes += 1;
            return;
        }
        let reads = effects.is_some_and(|effects| !effects.is_empty());
        let mut key = number_of(ir, op);
        while self.known.get(&key).is_some_and(|known| !are_same(ir, known.op, op)) {
            key = key.wrapping_add(1);
        }
        if let Some(&known) = self.known.get(&key)
            && (!reads || known.writes == self.writes)
        {
            let values = ir.results(known.op).to_vec();
            ir.replace_op(op, &values);
            self.merged += 1;
            return;
        }
        let shadowed = self.known.insert(key, Known { op, writes: self.writes });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((key, shadowed));
        }
    }
}

/// Whether memory may be different afterwards. Allocation counts: two of them are two objects.
fn writes(effects: &Option<Effects>) -> bool {
    match effects {
        None => true,
        Some(effects) => effects.iter().any(|effect| effect.kind != EffectKind::Read),
    }
}
