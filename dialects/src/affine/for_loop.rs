//! `affine.for`.

use gpuc_ir::op;
use gpuc_ir::op::{
    CountedLoopInterface, LoopDimension, LoopStep, RegionBranch, RegionEdge, RegionPoint, attrs,
    operand_range, types,
};
use gpuc_ir::{AffineMap, Attr, Block, Builder, InsertPoint, Ir, Op, Type, Value};
use smallvec::{SmallVec, smallvec};

use super::bound::AffineValue;
use super::for_patterns::{FOR, fold_for};
use super::syntax::{parse_for, print_for};
use super::terminators::{AffineYieldOp, yield_nothing, yielded};
use super::validity::verify_dims_and_symbols;
use attrs::{INDEX as INDEX_ATTR, MAP};
use types::{ANY, INDEX};

op! {
    /// A counting loop from the maximum of the lower bound map's results up to (and without) the
    /// minimum of the upper bound map's results, by a constant positive step. Values are carried
    /// from one iteration to the next by the region's further arguments.
    AffineForOp = "affine.for" {
        operands {
            lowerBoundOperands: Variadic INDEX,
            upperBoundOperands: Variadic INDEX,
            inits: Variadic ANY,
        }
        results { results: Variadic ANY }
        attrs { lowerBoundMap: Required MAP, upperBoundMap: Required MAP, step: Required INDEX_ATTR }
        regions { region: SizedOne }
        traits ATTR_SIZED_OPERANDS, SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE
        hooks {
            verify: Some(verify_for),
            fold: Some(fold_for),
            canonicalize: FOR,
            parse: Some(parse_for),
            print: Some(print_for),
            loop_regions: Some(|ir, op| smallvec![ir.region(op, 0)]),
            counted_loop: Some(CountedLoopInterface {
                dimensions: for_dimensions,
                inits: Some(|ir, op| operand_range(ir, op, AffineForOp::def(), 2)),
            }),
            region_branch: Some(RegionBranch { edges: for_edges }),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

fn for_dimensions(ir: &Ir, op: Op) -> SmallVec<[LoopDimension; 1]> {
    let view = AffineForOp(op);
    let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
    let [lows, highs] = [&lower, &upper].map(|bound| bound.results(&ir.ctx).len());
    smallvec![LoopDimension {
        variable: view.induction_var(ir),
        lower: lower.loop_bound(0..lows),
        upper: upper.loop_bound(0..highs),
        step: LoopStep::Constant(view.step_value(ir)),
    }]
}

impl AffineForOp {
    /// Builds a loop whose body `body` builds; it receives the induction variable and the carried
    /// values, and returns what the iteration yields (which may be nothing if nothing is carried).
    pub fn create(
        b: &mut Builder<'_>,
        lower: &AffineValue,
        upper: &AffineValue,
        step: i64,
        inits: &[Value],
        body: impl FnOnce(&mut Builder<'_>, Value, &[Value]) -> Vec<Value>,
    ) -> AffineForOp {
        let carried: Vec<Type> = inits.iter().map(|&init| b.ty(init)).collect();
        let mut arguments = vec![b.ctx.index()];
        arguments.extend(&carried);
        let region = b.region(&arguments, |b, values| {
            let yields = body(b, values[0], &values[1..]);
            AffineYieldOp::new(b, &yields).build(b);
        });
        let (lower_map, upper_map) = (b.ctx.map_attr(lower.map), b.ctx.map_attr(upper.map));
        let step = b.ctx.index_attr(step);
        let op = AffineForOp::new(b, &lower.operands, &upper.operands, inits)
            .attr(b, "lowerBoundMap", lower_map)
            .attr(b, "upperBoundMap", upper_map)
            .attr(b, "step", step)
            .result_group(&carried)
            .region(region)
            .build(b);
        AffineForOp(op)
    }

    fn bound_map(self, ir: &Ir, attr: Option<Attr>) -> AffineMap {
        attr.and_then(|attr| ir.ctx.map_value(attr)).expect("a valid affine.for has bound maps")
    }

    /// The lower bound: the maximum of the results.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn lower_bound(self, ir: &Ir) -> AffineValue {
        let map = self.bound_map(ir, self.lowerBoundMap(ir));
        AffineValue::new(map, &self.lowerBoundOperands(ir))
    }

    /// The upper bound: the minimum of the results.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn upper_bound(self, ir: &Ir) -> AffineValue {
        let map = self.bound_map(ir, self.upperBoundMap(ir));
        AffineValue::new(map, &self.upperBoundOperands(ir))
    }

    /// The lower bound where it is a number.
    pub fn constant_lower_bound(self, ir: &Ir) -> Option<i64> {
        self.lower_bound(ir).constant_value(&ir.ctx)
    }

    /// The upper bound where it is a number.
    pub fn constant_upper_bound(self, ir: &Ir) -> Option<i64> {
        self.upper_bound(ir).constant_value(&ir.ctx)
    }

    /// The step; positive.
    pub fn step_value(self, ir: &Ir) -> i64 {
        self.step(ir).and_then(|attr| ir.ctx.i64_value(attr)).unwrap_or(1).max(1)
    }

    /// Number of iterations where it is known: both bounds are numbers.
    pub fn constant_trip_count(self, ir: &Ir) -> Option<u64> {
        let (lower, upper) = (self.constant_lower_bound(ir)?, self.constant_upper_bound(ir)?);
        let distance = i128::from(upper) - i128::from(lower);
        let step = i128::from(self.step_value(ir));
        let count = if distance <= 0 { 0 } else { (distance + step - 1) / step };
        u64::try_from(count).ok()
    }

    /// The block of the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn body(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// The variable that counts.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn induction_var(self, ir: &Ir) -> Value {
        ir.arguments(self.body(ir))[0]
    }

    /// The values carried into an iteration.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn carried(self, ir: &Ir) -> &[Value] {
        &ir.arguments(self.body(ir))[1..]
    }

    /// The values an iteration hands on.
    pub fn yielded(self, ir: &Ir) -> Vec<Value> {
        yielded(ir, self.region(ir))
    }

    /// Replaces both bounds.
    pub fn set_bounds(self, ir: &mut Ir, lower: &AffineValue, upper: &AffineValue) {
        let inits = self.inits(ir);
        let sizes = [lower.operands.len(), upper.operands.len(), inits.len()].map(|n| n as i32);
        let operands: Vec<Value> =
            lower.operands.iter().chain(&upper.operands).chain(&inits).copied().collect();
        ir.set_operands(self.0, &operands);
        let attrs = [
            ("lowerBoundMap", ir.ctx.map_attr(lower.map)),
            ("upperBoundMap", ir.ctx.map_attr(upper.map)),
            ("operandSegmentSizes", ir.ctx.i32_array_attr(&sizes)),
        ];
        for (name, attr) in attrs {
            ir.set_attr(self.0, name, attr);
        }
    }

    /// Where further operations of the body go: in front of its terminator.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn end_of_body(self, ir: &Ir) -> InsertPoint {
        let body = self.body(ir);
        ir.last_op(body).map_or(InsertPoint::End(body), InsertPoint::Before)
    }
}

fn for_edges(ir: &Ir, op: Op, from: RegionPoint) -> Vec<RegionEdge> {
    let view = AffineForOp(op);
    let values: SmallVec<[Value; 2]> = match from {
        RegionPoint::Parent => view.inits(ir).into_iter().collect(),
        RegionPoint::Region(_) => view.yielded(ir).into_iter().collect(),
    };
    let entry = ir.entry_block(view.region(ir));
    let arguments = entry.map_or(&[][..], |block| ir.arguments(block));
    let carried = arguments.iter().skip(1).copied().collect();
    let results = ir.results(op).iter().copied().collect();
    let again =
        RegionEdge { to: RegionPoint::Region(0), values: values.clone(), receivers: carried };
    let done = RegionEdge { to: RegionPoint::Parent, values, receivers: results };
    // A known number of iterations leaves one way only into the first and out of the last.
    match (from, view.constant_trip_count(ir)) {
        (RegionPoint::Parent, Some(0)) | (RegionPoint::Region(_), Some(1)) => vec![done],
        (RegionPoint::Parent, Some(_)) => vec![again],
        _ => vec![again, done],
    }
}

fn verify_for(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AffineForOp(op);
    let arguments = ir.arguments(view.body(ir));
    let Some((&induction, carried)) = arguments.split_first() else {
        return Err(INDUCTION_VAR.into());
    };
    if !ir.ctx.is_index(ir.ty(induction)) {
        return Err(INDUCTION_VAR.into());
    }
    if view.step(ir).and_then(|attr| ir.ctx.i64_value(attr)).is_none_or(|step| step <= 0) {
        return Err("expected step to be a positive integer".into());
    }
    for bound in [view.lower_bound(ir), view.upper_bound(ir)] {
        if bound.results(&ir.ctx).is_empty() {
            return Err("expected bound maps to have at least one result".into());
        }
        if !bound.fits(ir) {
            return Err("operand count and affine map dimension and symbol count must match".into());
        }
        let dims = ir.ctx.map_data(bound.map).dims;
        verify_dims_and_symbols(ir, op, bound.operands, dims)?;
    }
    let (inits, results) = (view.inits(ir), ir.results(op));
    if inits.len() != carried.len() {
        return Err(format!(
            "different number of inits and region iter_args: {} != {}",
            inits.len(),
            carried.len()
        ));
    }
    let yields = view.yielded(ir);
    if carried.len() != yields.len() {
        return Err(format!(
            "different number of region iter_args and yielded values: {} != {}",
            carried.len(),
            yields.len()
        ));
    }
    if carried.len() != results.len() {
        return Err(format!(
            "different number of region iter_args and results: {} != {}",
            carried.len(),
            results.len()
        ));
    }
    for (i, (&argument, &result)) in carried.iter().zip(results).enumerate() {
        let ty = ir.ty(argument);
        if ir.ty(inits[i]) != ty || ir.ty(result) != ty || ir.ty(yields[i]) != ty {
            return Err(format!(
                "types mismatch between iter operand, iter_arg, yielded value and result #{i}"
            ));
        }
    }
    Ok(())
}

const INDUCTION_VAR: &str =
    "expected body to have a single index argument for the induction variable";
