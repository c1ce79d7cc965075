//! The greedy driver.

use rustc_hash::FxHashMap;

use super::constants::Constants;
use super::fold::{Folded, erase_folded, try_fold};
use super::{Pattern, Rewriter};
use crate::context::OpName;
use crate::graph::{Ir, Op, Value, WalkOrder};
use crate::op::{OpDef, Traits};

/// Patterns by the operation they are rooted at.
#[derive(Clone, Debug, Default)]
pub struct PatternSet {
    by_name: FxHashMap<OpName, Vec<Pattern>>,
}

impl PatternSet {
    /// No patterns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pattern rooted at operations of the given definition.
    pub fn add(&mut self, ir: &mut Ir, root: &'static OpDef, pattern: Pattern) -> &mut Self {
        let name = ir.ctx.op_name(root.name);
        self.by_name.entry(name).or_default().push(pattern);
        self
    }

    /// The canonicalisation patterns of every registered operation.
    pub fn canonicalization(ir: &mut Ir) -> Self {
        let mut set = PatternSet::new();
        for dialect in ir.ctx.dialects().to_vec() {
            for def in dialect.ops {
                for &pattern in def().hooks.canonicalize {
                    set.add(ir, def(), pattern);
                }
            }
        }
        set
    }

    /// Keeps the patterns whose names are wanted.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.by_name.values_mut().for_each(|patterns| patterns.retain(|each| wanted(each.name)));
    }
}

/// Limits and choices of the driver.
#[derive(Clone, Copy, Debug)]
pub struct GreedyConfig {
    /// Rewrites after which the driver gives up, for each operation it began with.
    pub rewrites_per_op: usize,
    /// Whether to fold and to erase dead operations.
    pub fold: bool,
    /// Whether operations come before what they hold and what follows them, or behind both.
    pub top_down: bool,
    /// Rewrites after which the driver gives up, whatever it began with.
    pub most_rewrites: usize,
}

impl Default for GreedyConfig {
    fn default() -> Self {
        GreedyConfig { rewrites_per_op: 64, fold: true, top_down: true, most_rewrites: usize::MAX }
    }
}

struct Worklist {
    stack: Vec<Op>,
    queued: Vec<bool>,
}

impl Worklist {
    fn push(&mut self, op: Op) {
        let index = op.as_u32() as usize;
        if index >= self.queued.len() {
            self.queued.resize(index + 1, false);
        }
        if !self.queued[index] {
            self.queued[index] = true;
            self.stack.push(op);
        }
    }

    /// Puts an operation on the list that changed; with a terminator what it ends, which hands its values on.
    fn push_changed(&mut self, ir: &Ir, op: Op) {
        if let Some(parent) = ir.parent_op(op).filter(|_| ir.has_trait(op, Traits::TERMINATOR)) {
            self.push(parent);
        }
        self.push(op);
    }

    fn pop(&mut self) -> Option<Op> {
        let op = self.stack.pop()?;
        self.queued[op.as_u32() as usize] = false;
        Some(op)
    }
}

/// Folds, erases dead code and applies `patterns` inside `root` (not to `root` itself) until
/// nothing changes. Returns whether anything changed, or `Err` if the limit was reached, in which
/// case the result is right but not final.
pub fn apply_greedily(
    ir: &mut Ir,
    root: Op,
    patterns: &PatternSet,
    config: GreedyConfig,
) -> Result<bool, bool> {
    let order = if config.top_down { WalkOrder::PreOrder } else { WalkOrder::PostOrder };
    let mut ops = ir.nested_ops(root, order);
    let mut budget = config.rewrites_per_op.saturating_mul(ops.len().max(64));
    budget = budget.min(config.most_rewrites);
    ops.retain(|&op| op != root);
    let mut constants = Constants::default();
    if config.fold {
        for &op in &ops {
            if ir.has_trait(op, Traits::CONSTANT_LIKE)
                && let Some(first) = constants.note(ir, op)
            {
                let value = ir.result(first, 0);
                ir.replace_op(op, &[value]);
            }
        }
        ops.retain(|&op| !ir.is_erased(op));
    }
    if config.top_down {
        ops.reverse();
    }
    let mut work = Worklist { stack: Vec::new(), queued: vec![false; ir.op_capacity()] };
    for op in ops {
        work.push(op);
    }
    let mut changed = false;
    while let Some(op) = work.pop() {
        if ir.is_erased(op) {
            continue;
        }
        if budget == 0 {
            return Err(changed);
        }
        if config.fold && ir.is_trivially_dead(op) {
            for value in ir.operands(op) {
                if let Some(def) = ir.defining_op(value) {
                    work.push(def);
                }
            }
            constants.forget(op);
            ir.erase_op(op);
            changed = true;
            continue;
        }
        if config.fold && fold_in_place(ir, op, &mut constants, &mut work) {
            changed = true;
            budget -= 1;
            continue;
        }
        if apply_patterns(ir, op, patterns, &mut work, &mut constants) {
            changed = true;
            budget -= 1;
        }
    }
    Ok(changed)
}

fn fold_in_place(ir: &mut Ir, op: Op, constants: &mut Constants, work: &mut Worklist) -> bool {
    let before: smallvec::SmallVec<[Value; 4]> = ir.operands(op).collect();
    match try_fold(ir, op) {
        Folded::None => false,
        Folded::InPlace => {
            for def in before.iter().filter_map(|&value| ir.defining_op(value)) {
                work.push(def);
            }
            for &result in ir.results(op) {
                for user in ir.users(result) {
                    work.push_changed(ir, user);
                }
            }
            work.push(op);
            true
        }
        Folded::Results(results) => {
            // Where no dialect can hold a constant, the operation stays.
            let Some(values) = constants.values(ir, op, &results) else { return false };
            for (i, &value) in values.iter().enumerate() {
                let result = ir.result(op, i);
                for user in ir.users(result) {
                    work.push_changed(ir, user);
                }
                ir.replace_all_uses(result, value);
            }
            for def in before.iter().filter_map(|&value| ir.defining_op(value)) {
                work.push(def);
            }
            // An operation with effects stays behind without uses. It is not put on the list again:
            // it would fold again, forever.
            erase_folded(ir, op);
            true
        }
    }
}

fn apply_patterns(
    ir: &mut Ir,
    op: Op,
    patterns: &PatternSet,
    work: &mut Worklist,
    constants: &mut Constants,
) -> bool {
    let rooted = patterns.by_name.get(&ir.op_name(op)).map_or(&[][..], Vec::as_slice);
    for pattern in rooted {
        let created = ir.op_capacity();
        let mut rewriter = Rewriter { ir, touched: Vec::new() };
        let applied = (pattern.apply)(&mut rewriter, op);
        let touched = rewriter.touched;
        if !applied {
            continue;
        }
        for op in touched {
            if !ir.is_erased(op) {
                work.push_changed(ir, op);
            }
        }
        for index in created..ir.op_capacity() {
            let op = Op::from_u32(index as u32);
            if ir.is_erased(op) || ir.parent_block(op).is_none() {
                continue;
            }
            // Constants that patterns make join those of the region.
            if ir.has_trait(op, Traits::CONSTANT_LIKE)
                && let Some(first) = constants.note(ir, op)
            {
                let value = ir.result(first, 0);
                ir.replace_op(op, &[value]);
                continue;
            }
            work.push(op);
        }
        if ir.is_erased(op) {
            constants.forget(op);
        } else {
            work.push(op);
        }
        return true;
    }
    false
}
