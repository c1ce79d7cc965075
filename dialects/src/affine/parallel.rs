//! `affine.parallel`.

use gpuc_ir::op;
use gpuc_ir::op::{
    AttrConstraint, AttrSyntax, CountedLoopInterface, Fold, LoopDimension, LoopStep, RegionBranch,
    RegionEdge, RegionPoint, attrs, types,
};
use gpuc_ir::{Attr, AttrKind, Block, Builder, Context, Ir, Op, Type, TypeKind, Value};
use smallvec::{SmallVec, smallvec};

use super::bound::AffineValue;
use super::compose::compose;
use super::validity::verify_dims_and_symbols;

use super::parallel_syntax::{parse_parallel, print_parallel};
use super::terminators::yield_nothing;
use crate::memref::ATOMIC_RMW_KINDS;
use attrs::MAP;
use types::{ANY, INDEX};

static REDUCTIONS: AttrConstraint = AttrConstraint {
    summary: "Reduction ops",
    holds: |ctx, attr| {
        ctx.array_value(attr).is_some_and(|kinds| {
            kinds.iter().all(|&kind| ATOMIC_RMW_KINDS.number(ctx, kind).is_some())
        })
    },
    syntax: AttrSyntax::Full,
};

static GROUPS: AttrConstraint = AttrConstraint {
    summary: "32-bit signless integer elements attribute",
    holds: |ctx, attr| {
        matches!(*ctx.attr_kind(attr), AttrKind::DenseElements { ty, .. }
            if ctx.element(ty).is_some_and(|e| ctx.is_signless_int(e) && ctx.int_width(e) == Some(32)))
    },
    syntax: AttrSyntax::Full,
};

static STEPS: AttrConstraint = AttrConstraint {
    summary: "64-bit integer array attribute",
    holds: |ctx, attr| {
        ctx.array_value(attr).is_some_and(|steps| steps.iter().all(|&s| ctx.i64_value(s).is_some()))
    },
    syntax: AttrSyntax::Full,
};

op! {
    /// A nest of counting loops whose iterations may run in any order or at once. The bounds of
    /// dimension `i` are the maximum (minimum) of group `i` of the bound map's results. Values that
    /// the body yields are combined by the reductions.
    AffineParallelOp = "affine.parallel" {
        operands { mapOperands: Variadic INDEX }
        results { results: Variadic ANY }
        attrs {
            reductions: Required REDUCTIONS,
            lowerBoundsMap: Required MAP,
            lowerBoundsGroups: Required GROUPS,
            upperBoundsMap: Required MAP,
            upperBoundsGroups: Required GROUPS,
            steps: Required STEPS,
        }
        regions { region: SizedOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE, PARALLEL_LOOP
        hooks {
            verify: Some(verify_parallel),
            fold: Some(fold_parallel),
            parse: Some(parse_parallel),
            print: Some(print_parallel),
            loop_regions: Some(|ir, op| smallvec![ir.region(op, 0)]),
            counted_loop: Some(CountedLoopInterface {
                dimensions: parallel_dimensions,
                inits: None,
            }),
            region_branch: Some(RegionBranch { edges: parallel_edges }),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

/// `dense<[...]> : tensor<nxi32>`, the form of groups of bounds.
pub(super) fn groups_attr(ctx: &mut Context, groups: &[i64]) -> Attr {
    let element = ctx.i32();
    let shape = Box::from([groups.len() as i64]);
    let ty = ctx.intern_type(TypeKind::Tensor { shape, element, encoding: None });
    let splat = groups.windows(2).all(|pair| pair[0] == pair[1]);
    let values = if splat { groups.iter().take(1).copied().collect() } else { groups.into() };
    ctx.intern_attr(AttrKind::DenseElements { ty, values })
}

fn parallel_dimensions(ir: &Ir, op: Op) -> SmallVec<[LoopDimension; 1]> {
    let view = AffineParallelOp(op);
    let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
    let groups = view.lower_groups(ir).into_iter().zip(view.upper_groups(ir));
    let (mut low, mut high) = (0, 0);
    let mut found = SmallVec::new();
    for ((&variable, step), (lows, highs)) in
        view.induction_vars(ir).iter().zip(view.step_values(ir)).zip(groups)
    {
        let (lows, highs) = (lows.max(0) as usize, highs.max(0) as usize);
        found.push(LoopDimension {
            variable,
            lower: lower.loop_bound(low..low + lows),
            upper: upper.loop_bound(high..high + highs),
            step: LoopStep::Constant(step),
        });
        low += lows;
        high += highs;
    }
    found
}

impl AffineParallelOp {
    /// How many results of the lower bounds' map each dimension has.
    pub fn lower_groups(self, ir: &Ir) -> Vec<i64> {
        groups(ir, self.lowerBoundsGroups(ir))
    }

    /// How many results of the upper bounds' map each dimension has.
    pub fn upper_groups(self, ir: &Ir) -> Vec<i64> {
        groups(ir, self.upperBoundsGroups(ir))
    }

    /// Step of each dimension.
    pub fn step_values(self, ir: &Ir) -> Vec<i64> {
        let steps = self.steps(ir).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
        steps.iter().filter_map(|&step| ir.ctx.i64_value(step)).collect()
    }
}

/// A splat may claim any number of elements; no nest has as many loops as this.
const MOST_DIMENSIONS: i64 = 1 << 16;

fn groups(ir: &Ir, attr: Option<Attr>) -> Vec<i64> {
    match attr.map(|attr| ir.ctx.attr_kind(attr)) {
        Some(AttrKind::DenseElements { ty, values }) => {
            let count = ir.ctx.shape(*ty).map_or(0, |shape| shape.iter().product::<i64>());
            match **values {
                [one] => vec![one; count.clamp(0, MOST_DIMENSIONS) as usize],
                _ => values.to_vec(),
            }
        }
        _ => Vec::new(),
    }
}

impl AffineParallelOp {
    fn bounds(self, ir: &Ir) -> Option<(AffineValue, AffineValue)> {
        let lower = self.lowerBoundsMap(ir).and_then(|attr| ir.ctx.map_value(attr))?;
        let upper = self.upperBoundsMap(ir).and_then(|attr| ir.ctx.map_value(attr))?;
        let inputs = |map| {
            let data = ir.ctx.map_data(map);
            (data.dims + data.symbols) as usize
        };
        let operands = self.mapOperands(ir);
        if operands.len() != inputs(lower) + inputs(upper) {
            return None;
        }
        let (low, high) = operands.split_at(inputs(lower));
        Some((AffineValue::new(lower, low), AffineValue::new(upper, high)))
    }

    /// The lower bounds of all dimensions: of each the maximum of its group of results.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn lower_bounds(self, ir: &Ir) -> AffineValue {
        self.bounds(ir).expect("a valid affine.parallel has the operands of its maps").0
    }

    /// The upper bounds of all dimensions: of each the minimum of its group of results.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn upper_bounds(self, ir: &Ir) -> AffineValue {
        self.bounds(ir).expect("a valid affine.parallel has the operands of its maps").1
    }

    /// The block of the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn body(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// The induction variables, outermost first.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn induction_vars(self, ir: &Ir) -> &[Value] {
        ir.arguments(self.body(ir))
    }

    /// Replaces the maps of both bounds; the groups stay.
    pub fn set_bounds(self, ir: &mut Ir, lower: &AffineValue, upper: &AffineValue) {
        let operands: Vec<Value> = lower.operands.iter().chain(&upper.operands).copied().collect();
        ir.set_operands(self.0, &operands);
        for (name, bound) in [("lowerBoundsMap", lower), ("upperBoundsMap", upper)] {
            let map = ir.ctx.map_attr(bound.map);
            ir.set_attr(self.0, name, map);
        }
    }

    /// Builds a nest with one bound each way for a dimension and without results, whose body
    /// `body` builds from the induction variables.
    pub fn create(
        b: &mut Builder<'_>,
        lower: &AffineValue,
        upper: &AffineValue,
        steps: &[i64],
        body: impl FnOnce(&mut Builder<'_>, &[Value]),
    ) -> AffineParallelOp {
        let index = b.ctx.index();
        let region = b.region(&vec![index; steps.len()], |b, variables| {
            body(b, variables);
            yield_nothing(b);
        });
        let operands: Vec<Value> = lower.operands.iter().chain(&upper.operands).copied().collect();
        let ones = groups_attr(&mut b.ctx, &vec![1; steps.len()]);
        let steps: Vec<Attr> = steps.iter().map(|&step| b.ctx.i64_attr(step)).collect();
        let attrs = [
            ("reductions", b.ctx.array_attr(&[])),
            ("lowerBoundsMap", b.ctx.map_attr(lower.map)),
            ("lowerBoundsGroups", ones),
            ("upperBoundsMap", b.ctx.map_attr(upper.map)),
            ("upperBoundsGroups", ones),
            ("steps", b.ctx.array_attr(&steps)),
        ];
        let mut build = AffineParallelOp::new(b, &operands);
        for (name, attr) in attrs {
            build = build.attr(b, name, attr);
        }
        AffineParallelOp(build.region(region).build(b))
    }
}

/// Iterations hand nothing to each other; the results come out of the reductions.
fn parallel_edges(_: &Ir, _: Op, _: RegionPoint) -> Vec<RegionEdge> {
    let edge = |to| RegionEdge { to, values: SmallVec::new(), receivers: SmallVec::new() };
    vec![edge(RegionPoint::Region(0)), edge(RegionPoint::Parent)]
}

fn verify_parallel(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AffineParallelOp(op);
    let (lower, upper) = (view.lower_groups(ir), view.upper_groups(ir));
    let (variables, steps) = (view.induction_vars(ir), view.step_values(ir));
    let count = variables.len();
    if lower.len() != count || upper.len() != count || steps.len() != count {
        return Err(format!(
            "the number of region arguments ({count}) and the number of map groups for lower ({}) and \
             upper bound ({}), and the number of steps ({}) must all match",
            lower.len(),
            upper.len(),
            steps.len()
        ));
    }
    if variables.iter().any(|&variable| !ir.ctx.is_index(ir.ty(variable))) {
        return Err("expected region arguments of index type".into());
    }
    if steps.iter().any(|&step| step <= 0) {
        return Err("expected steps to be positive integers".into());
    }
    for (groups, attr, which) in
        [(&lower, view.lowerBoundsMap(ir), "lower"), (&upper, view.upperBoundsMap(ir), "upper")]
    {
        if groups.iter().any(|&size| size <= 0) {
            return Err(format!("expected every group of {which} bounds to have a result"));
        }
        let expected: i64 = groups.iter().fold(0, |sum: i64, &size| sum.saturating_add(size));
        let map = attr.and_then(|attr| ir.ctx.map_value(attr));
        if map.is_some_and(|map| ir.ctx.map_data(map).results.len() as i64 != expected) {
            return Err(format!("expected {which} bounds map to have {expected} results"));
        }
    }
    let kinds = view.reductions(ir).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
    if kinds.len() != ir.results(op).len() {
        return Err("a reduction must be specified for each output".into());
    }
    for (&kind, ty) in kinds.iter().zip(ir.result_types(op)) {
        let number = ATOMIC_RMW_KINDS.number(&ir.ctx, kind).unwrap_or_default();
        if !reduces(&ATOMIC_RMW_KINDS.keywords(number), ir, ty) {
            return Err("result type cannot match reduction attribute".into());
        }
    }
    let Some((lower, upper)) = view.bounds(ir) else {
        return Err("operand count and affine map dimension and symbol count must match".into());
    };
    for bound in [lower, upper] {
        let dims = ir.ctx.map_data(bound.map).dims;
        verify_dims_and_symbols(ir, op, bound.operands, dims)?;
    }
    crate::offload::verify_mapping(ir, op, count)
}

/// Whether a reduction of that kind can have results of the type.
fn reduces(kind: &str, ir: &Ir, ty: Type) -> bool {
    match kind {
        "addf" | "mulf" | "maximumf" | "minimumf" | "maxnumf" | "minnumf" => ir.ctx.is_float(ty),
        "assign" => true,
        _ => ir.ctx.is_signless_int_or_index(ty),
    }
}

fn fold_parallel(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let view = AffineParallelOp(op);
    let Some((mut lower, mut upper)) = view.bounds(ir) else { return Fold::None };
    let changed = compose(ir, &mut lower) | compose(ir, &mut upper);
    if !changed {
        return Fold::None;
    }
    view.set_bounds(ir, &lower, &upper);
    Fold::InPlace
}
