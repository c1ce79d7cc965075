//! `affine.if`.

use gpuc_ir::op;
use gpuc_ir::op::{Fold, RegionBranch, RegionEdge, RegionPoint, types};
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Block, Builder, IntegerSet, Ir, Op, OpView, Region, Value};
use smallvec::SmallVec;

use super::compose::compose_set;
use super::syntax::{parse_if, print_if};
use super::terminators::{AffineYieldOp, yield_nothing, yielded};
use super::validity::verify_dims_and_symbols;
use crate::scf::inline::inline_before;
use types::ANY;

op! {
    /// Runs its first region if the operands lie in the integer set (attribute `condition`), else
    /// its second, which may be empty if there are no results.
    AffineIfOp = "affine.if" {
        operands { operands: Variadic ANY }
        results { results: Variadic ANY }
        regions { thenRegion: SizedOne, elseRegion: MaxOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            verify: Some(verify_if),
            fold: Some(fold_if),
            canonicalize: IF,
            parse: Some(parse_if),
            print: Some(print_if),
            region_branch: Some(RegionBranch { edges: if_edges }),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

impl AffineIfOp {
    /// Name of the attribute that holds the condition.
    pub const CONDITION: &'static str = "condition";

    /// The integer set that decides.
    pub fn condition(self, ir: &Ir) -> Option<IntegerSet> {
        ir.attr(self.0, Self::CONDITION).and_then(|attr| ir.ctx.set_value(attr))
    }

    /// Builds a conditional without results and without a second region.
    pub fn create(
        b: &mut Builder<'_>,
        condition: IntegerSet,
        operands: &[Value],
        then: impl FnOnce(&mut Builder<'_>),
    ) -> AffineIfOp {
        let region = b.region(&[], |b, _| {
            then(b);
            yield_nothing(b);
        });
        let condition = b.ctx.set_attr(condition);
        let build = AffineIfOp::new(b, operands).attr(b, Self::CONDITION, condition);
        AffineIfOp(build.region(region).build(b))
    }

    /// Builds a conditional without results, with a second region.
    pub fn create_choice(
        b: &mut Builder<'_>,
        condition: IntegerSet,
        operands: &[Value],
        then: impl FnOnce(&mut Builder<'_>),
        otherwise: impl FnOnce(&mut Builder<'_>),
    ) -> AffineIfOp {
        let then = b.region(&[], |b, _| {
            then(b);
            yield_nothing(b);
        });
        let otherwise = b.region(&[], |b, _| {
            otherwise(b);
            yield_nothing(b);
        });
        let condition = b.ctx.set_attr(condition);
        let build = AffineIfOp::new(b, operands).attr(b, Self::CONDITION, condition);
        AffineIfOp(build.region(then).region(otherwise).build(b))
    }

    /// Builds a conditional without results of two regions, of which the second may be empty.
    pub fn of_regions(
        b: &mut Builder<'_>,
        condition: IntegerSet,
        operands: &[Value],
        regions: [Region; 2],
    ) -> AffineIfOp {
        let condition = b.ctx.set_attr(condition);
        let build = AffineIfOp::new(b, operands).attr(b, Self::CONDITION, condition);
        let [then, otherwise] = regions;
        AffineIfOp(build.region(then).region(otherwise).build(b))
    }

    /// The block that runs if the condition holds.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn then_block(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// The block that runs if the condition does not hold, if there is one.
    pub fn else_block(self, ir: &Ir) -> Option<Block> {
        ir.entry_block(self.elseRegion(ir))
    }
}

fn if_edges(ir: &Ir, op: Op, from: RegionPoint) -> Vec<RegionEdge> {
    let view = AffineIfOp(op);
    let results: SmallVec<[Value; 2]> = ir.results(op).iter().copied().collect();
    let edge = |to, values, receivers| RegionEdge { to, values, receivers };
    match from {
        RegionPoint::Parent => {
            let otherwise = match view.else_block(ir) {
                Some(_) => edge(RegionPoint::Region(1), SmallVec::new(), SmallVec::new()),
                None => edge(RegionPoint::Parent, SmallVec::new(), results),
            };
            vec![edge(RegionPoint::Region(0), SmallVec::new(), SmallVec::new()), otherwise]
        }
        RegionPoint::Region(region) => {
            let values = yielded(ir, ir.region(op, region)).into_iter().collect();
            vec![edge(RegionPoint::Parent, values, results)]
        }
    }
}

fn verify_if(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AffineIfOp(op);
    let Some(condition) = view.condition(ir) else {
        return Err("requires an integer set attribute named 'condition'".into());
    };
    let data = ir.ctx.set_data(condition);
    if (data.dims + data.symbols) as usize != ir.operand_count(op) {
        return Err(
            "operand count and condition integer set dimension and symbol count must match".into(),
        );
    }
    verify_dims_and_symbols(ir, op, view.operands(ir), data.dims)?;
    for (i, &region) in ir.regions(op).iter().enumerate() {
        if ir.entry_block(region).is_some_and(|block| !ir.arguments(block).is_empty()) {
            return Err(format!("region #{i} should have no arguments"));
        }
    }
    let results = ir.results(op).len();
    if results > 0 && view.else_block(ir).is_none() {
        return Err(format!(
            " region control flow edge from parent operands to parent results: source has 0 operands, \
             but target successor needs {results}"
        ));
    }
    Ok(())
}

fn fold_if(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let view = AffineIfOp(op);
    let Some(mut set) = view.condition(ir) else { return Fold::None };
    let mut operands = view.operands(ir).to_vec();
    if !compose_set(ir, &mut set, &mut operands) {
        return Fold::None;
    }
    ir.set_operands(op, &operands);
    let set = ir.ctx.set_attr(set);
    ir.set_attr(op, AffineIfOp::CONDITION, set);
    Fold::InPlace
}

const IF: &[Pattern] = &[
    Pattern { name: "affine-if-with-known-condition", apply: take_known_branch },
    Pattern { name: "affine-if-without-else", apply: drop_empty_else },
];

/// Whether a condition always holds, or never; `None` where that is not plain to see.
fn known(ir: &Ir, condition: IntegerSet) -> Option<bool> {
    let data = ir.ctx.set_data(condition);
    let mut all = true;
    for &(expr, equality) in &data.constraints {
        match ir.ctx.expr_constant(expr) {
            Some(value) if if equality { value == 0 } else { value >= 0 } => {}
            Some(_) => return Some(false),
            None => all = false,
        }
    }
    all.then_some(true)
}

fn take_known_branch(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = AffineIfOp(op);
    let Some(holds) = view.condition(rw).and_then(|condition| known(rw, condition)) else {
        return false;
    };
    let taken = if holds { Some(view.then_block(rw)) } else { view.else_block(rw) };
    let yields = match taken {
        Some(block) if !rw.last_op(block).is_some_and(|end| AffineYieldOp::is(rw, end)) => {
            return false;
        }
        Some(block) => inline_before(rw, block, op, &[]),
        None => Vec::new(),
    };
    rw.replace(op, &yields);
    true
}

fn drop_empty_else(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = AffineIfOp(op);
    let Some(block) = view.else_block(rw) else { return false };
    if !rw.results(op).is_empty() || rw.first_op(block) != rw.last_op(block) {
        return false;
    }
    if let Some(end) = rw.last_op(block) {
        rw.erase(end);
    }
    rw.erase_block(block);
    rw.changed(op);
    true
}
