//! `scf.if`, `scf.index_switch` and `scf.execute_region`.

use gpuc_ir::op::{attrs::I64_ARRAY, types};
use gpuc_ir::{Block, Builder, Ir, Op, Type, Value, op};

use super::branch_patterns::{EXECUTE_REGION, INDEX_SWITCH};
use super::edges::{self, Compare, verify_edges, verify_ends};
use super::if_patterns::IF;
use super::syntax;
use super::terminators::{YieldOp, yield_nothing};
use types::{ANY, I1, INDEX};

op! {
    /// Runs its first region if the condition is true, else its second; that may be empty if
    /// there are no results.
    IfOp = "scf.if" {
        operands { condition: One I1 }
        results { results: Variadic ANY }
        regions { thenRegion: SizedOne, elseRegion: MaxOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            verify: Some(verify_if),
            parse: Some(syntax::parse_if),
            print: Some(syntax::print_if),
            verify_regions: Some(|ir, op| verify_edges(ir, op, Compare::Types)),
            canonicalize: IF,
            region_branch: Some(edges::ONE_OF),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

impl IfOp {
    /// Builds a conditional with results; both functions return what their region yields.
    pub fn create(
        b: &mut Builder<'_>,
        condition: Value,
        results: &[Type],
        then: impl FnOnce(&mut Builder<'_>) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Builder<'_>) -> Vec<Value>,
    ) -> IfOp {
        let then = b.region(&[], |b, _| {
            let yielded = then(b);
            YieldOp::new(b, &yielded).build(b);
        });
        let otherwise = b.region(&[], |b, _| {
            let yielded = otherwise(b);
            YieldOp::new(b, &yielded).build(b);
        });
        let build = IfOp::new(b, condition).result_group(results).region(then).region(otherwise);
        IfOp(build.build(b))
    }

    /// The block run when the condition is true.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn then_block(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// The block run when the condition is false, if there is one.
    pub fn else_block(self, ir: &Ir) -> Option<Block> {
        ir.entry_block(self.elseRegion(ir))
    }
}

fn verify_if(ir: &Ir, op: Op) -> Result<(), String> {
    for (i, &region) in ir.regions(op).iter().enumerate() {
        if ir.entry_block(region).is_some_and(|block| !ir.arguments(block).is_empty()) {
            return Err(format!("region #{i} should have no arguments"));
        }
    }
    if !ir.results(op).is_empty() && ir.blocks(ir.region(op, 1)).is_empty() {
        return Err("must have an else block if defining values".into());
    }
    verify_ends::<YieldOp>(ir, op)
}

op! {
    /// Runs the region of the case that equals the operand, or the default region.
    IndexSwitchOp = "scf.index_switch" {
        operands { arg: One INDEX }
        results { results: Variadic ANY }
        attrs { cases: Required I64_ARRAY }
        regions { defaultRegion: SizedOne, caseRegions: Variadic }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            verify: Some(verify_index_switch),
            parse: Some(syntax::parse_index_switch),
            print: Some(syntax::print_index_switch),
            verify_regions: Some(verify_case_results),
            canonicalize: INDEX_SWITCH,
            region_branch: Some(edges::ONE_OF),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

impl IndexSwitchOp {
    /// Numbers of the cases, in the order of their regions.
    pub fn case_numbers(self, ir: &Ir) -> &[i64] {
        self.cases(ir).and_then(|cases| ir.ctx.dense_array(cases)).unwrap_or(&[])
    }
}

fn verify_index_switch(ir: &Ir, op: Op) -> Result<(), String> {
    let cases = IndexSwitchOp(op).case_numbers(ir);
    let regions = ir.regions(op).len() - 1;
    if cases.len() != regions {
        return Err(format!("has {regions} case regions but {} case values", cases.len()));
    }
    for (i, case) in cases.iter().enumerate() {
        if cases[..i].contains(case) {
            return Err(format!("has duplicate case value: {case}"));
        }
    }
    for (i, &region) in ir.regions(op).iter().enumerate() {
        if ir.blocks(region).len() != 1 {
            return Err(format!(
                "region #{i} ('caseRegions') failed to verify constraint: region with 1 blocks"
            ));
        }
        if !ir.entry_block(region).is_none_or(|block| ir.arguments(block).is_empty()) {
            return Err(format!("region #{i} should have no arguments"));
        }
    }
    verify_ends::<YieldOp>(ir, op)
}

fn verify_case_results(ir: &Ir, op: Op) -> Result<(), String> {
    for (i, &region) in ir.regions(op).iter().enumerate() {
        let Some(end) = ir.entry_block(region).and_then(|block| ir.last_op(block)) else {
            continue;
        };
        let (given, needed) = (ir.operand_count(end), ir.results(op).len());
        if given != needed {
            let name = if i == 0 {
                "default region".to_owned()
            } else {
                format!("case region #{}", i - 1)
            };
            return Err(format!(
                "expected each region to return {needed} values, but {name} returns {given}"
            ));
        }
        for (j, (value, ty)) in ir.operands(end).zip(ir.result_types(op)).enumerate() {
            if ir.ty(value) != ty {
                return Err(format!(
                    "expected result #{j} of each region to be '{}'",
                    ir.ctx.type_text(ty)
                ));
            }
        }
    }
    Ok(())
}

op! {
    /// Runs its region once. The region may have several blocks.
    ExecuteRegionOp = "scf.execute_region" {
        results { results: Variadic ANY }
        regions { region: Any }
        traits RECURSIVE_EFFECTS
        hooks {
            verify: Some(verify_execute_region),
            parse: Some(syntax::parse_execute_region),
            print: Some(syntax::print_execute_region),
            verify_regions: Some(|ir, op| verify_edges(ir, op, Compare::Types)),
            canonicalize: EXECUTE_REGION,
            region_branch: Some(edges::ONE_OF),
        }
    }
}

fn verify_execute_region(ir: &Ir, op: Op) -> Result<(), String> {
    let Some(entry) = ir.entry_block(ir.region(op, 0)) else {
        return Err("region needs to have at least one block".into());
    };
    if !ir.arguments(entry).is_empty() {
        return Err("region cannot have any arguments".into());
    }
    Ok(())
}
