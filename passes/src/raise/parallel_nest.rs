//! Building `affine.parallel` with everything it can have.

use gpuc_dialects::affine::{AffineParallelOp, AffineValue};
use gpuc_dialects::memref::ATOMIC_RMW_KINDS;
use gpuc_ir::{Attr, AttrKind, Builder, Context, Op, Region, Type, TypeKind, Value};

/// What an `affine.parallel` is made of besides its body.
#[derive(Clone, Debug)]
pub struct ParallelNest {
    /// The lower bounds of all dimensions, and how many of them each dimension has.
    pub lower: (AffineValue, Vec<i64>),
    /// The upper bounds, likewise.
    pub upper: (AffineValue, Vec<i64>),
    /// The steps.
    pub steps: Vec<i64>,
    /// The operator, as a number of [`ATOMIC_RMW_KINDS`], and the type of each result.
    pub reductions: Vec<(i64, Type)>,
}

impl ParallelNest {
    /// Builds the loop round a body that ends with `affine.yield`.
    pub fn build(&self, b: &mut Builder<'_>, body: Region) -> Op {
        let (lower, upper) = (&self.lower.0, &self.upper.0);
        let operands: Vec<Value> = lower.operands.iter().chain(&upper.operands).copied().collect();
        let types: Vec<Type> = self.reductions.iter().map(|&(_, ty)| ty).collect();
        let kinds: Vec<Attr> = self
            .reductions
            .iter()
            .map(|&(kind, _)| ATOMIC_RMW_KINDS.attr(&mut b.ctx, kind))
            .collect();
        let steps: Vec<Attr> = self.steps.iter().map(|&step| b.ctx.i64_attr(step)).collect();
        let attrs = [
            ("reductions", b.ctx.array_attr(&kinds)),
            ("lowerBoundsMap", b.ctx.map_attr(lower.map)),
            ("lowerBoundsGroups", groups(&mut b.ctx, &self.lower.1)),
            ("upperBoundsMap", b.ctx.map_attr(upper.map)),
            ("upperBoundsGroups", groups(&mut b.ctx, &self.upper.1)),
            ("steps", b.ctx.array_attr(&steps)),
        ];
        let mut build = AffineParallelOp::new(b, &operands);
        for (name, attr) in attrs {
            build = build.attr(b, name, attr);
        }
        build.result_group(&types).region(body).build(b)
    }
}

/// `dense<[...]> : tensor<nxi32>`.
pub(crate) fn groups(ctx: &mut Context, sizes: &[i64]) -> Attr {
    let element = ctx.i32();
    let shape = Box::from([sizes.len() as i64]);
    let ty = ctx.intern_type(TypeKind::Tensor { shape, element, encoding: None });
    let splat = sizes.windows(2).all(|pair| pair[0] == pair[1]);
    let values = if splat { sizes.iter().take(1).copied().collect() } else { sizes.into() };
    ctx.intern_attr(AttrKind::DenseElements { ty, values })
}
