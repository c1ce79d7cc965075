//! Which values may stand in affine maps: dimensions are loop variables and what is computed from
//! them in closed form; symbols do not change within the affine scope (a function, a module, the
//! body of a launch).

use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Op, OpView, Region, Value, ValueDef};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::apply::AffineApplyOp;
use super::for_loop::AffineForOp;
use super::parallel::AffineParallelOp;
use crate::arith::constant_index_value;
use crate::memref;

/// The region of the innermost affine scope round `op`; `None` where there is no scope.
pub fn affine_scope(ir: &Ir, op: Op) -> Option<Region> {
    let mut region = ir.parent_region(op)?;
    loop {
        let parent = ir.region_op(region)?;
        if ir.has_trait(parent, Traits::AFFINE_SCOPE) {
            return Some(region);
        }
        region = ir.parent_region(parent)?;
    }
}

fn defining_region(ir: &Ir, value: Value) -> Option<Region> {
    ir.value_block(value).and_then(|block| ir.block_region(block))
}

/// Whether a value is defined directly in the region of an affine scope.
pub fn is_top_level(ir: &Ir, value: Value) -> bool {
    let owner = defining_region(ir, value).and_then(|region| ir.region_op(region));
    owner.is_some_and(|owner| ir.has_trait(owner, Traits::AFFINE_SCOPE))
}

/// Whether a value is the variable of an affine loop.
pub fn is_affine_induction_var(ir: &Ir, value: Value) -> bool {
    let ValueDef::Argument(block, index) = ir.value_def(value) else { return false };
    match ir.block_op(block) {
        Some(owner) => {
            AffineParallelOp::is(ir, owner) || (index == 0 && AffineForOp::is(ir, owner))
        }
        None => false,
    }
}

/// What a value must be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    Dim,
    Symbol,
}

/// Where values are asked about: the affine scope and the regions round it whose values it sees.
struct Scopes<'a> {
    ir: &'a Ir,
    regions: SmallVec<[Region; 8]>,
}

impl<'a> Scopes<'a> {
    fn new(ir: &'a Ir, scope: Option<Region>) -> Self {
        let mut regions = SmallVec::new();
        let mut next = scope;
        while let Some(region) = next {
            regions.push(region);
            let owner = ir.region_op(region);
            // What does not change further out does not change here.
            next = owner
                .filter(|&owner| !ir.has_trait(owner, Traits::ISOLATED_FROM_ABOVE))
                .and_then(|owner| ir.parent_region(owner));
        }
        Scopes { ir, regions }
    }

    /// Whether a value may have the role. What it is computed from is worked off in a list, each
    /// value once: chains may be long and may branch.
    fn allows(&self, value: Value, role: Role) -> bool {
        let mut list: SmallVec<[(Value, Role); 4]> = smallvec![(value, role)];
        let mut seen = FxHashSet::default();
        while let Some((value, role)) = list.pop() {
            let before = list.len();
            if !self.allows_given(value, role, &mut list) {
                return false;
            }
            let mut next = before;
            while next < list.len() {
                if seen.insert(list[next]) {
                    next += 1;
                } else {
                    list.swap_remove(next);
                }
            }
        }
        true
    }

    /// Whether a value may have the role, given that the values put on the list may have theirs.
    fn allows_given(
        &self,
        value: Value,
        role: Role,
        list: &mut SmallVec<[(Value, Role); 4]>,
    ) -> bool {
        let ir = self.ir;
        if !ir.ctx.is_index(ir.ty(value)) {
            return false;
        }
        if defining_region(ir, value).is_some_and(|region| self.regions.contains(&region)) {
            return true;
        }
        let Some(op) = ir.defining_op(value) else {
            return role == Role::Dim && is_affine_loop_argument(ir, value);
        };
        if ir.has_trait(op, Traits::CONSTANT_LIKE) {
            return true;
        }
        if AffineApplyOp::is(ir, op) {
            list.extend(ir.operands(op).map(|operand| (operand, role)));
            return true;
        }
        let Some(dim) = memref::DimOp::cast(ir, op) else { return false };
        let source = dim.source(ir);
        // The extent of a buffer does not change if the buffer is defined at the top, or if it was
        // made with that extent as a symbol.
        if is_top_level(ir, source) {
            return true;
        }
        let index = constant_index_value(ir, dim.index(ir)).and_then(|i| usize::try_from(i).ok());
        let (Some(index), Some(shape)) = (index, ir.ctx.shape(ir.ty(source))) else {
            return false;
        };
        match shape.get(index) {
            Some(&extent) if extent >= 0 => true,
            Some(_) => match memref::dynamic_extent(ir, source, index) {
                Some(size) => {
                    list.push((size, Role::Symbol));
                    true
                }
                None => false,
            },
            None => false,
        }
    }
}

fn is_affine_loop_argument(ir: &Ir, value: Value) -> bool {
    let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
    owner.is_some_and(|op| AffineForOp::is(ir, op) || AffineParallelOp::is(ir, op))
}

/// Whether a value may be a dimension of an affine map used in the affine scope `scope`.
pub fn is_valid_dim_in(ir: &Ir, value: Value, scope: Option<Region>) -> bool {
    Scopes::new(ir, scope).allows(value, Role::Dim)
}

/// Whether a value may be a dimension where it is defined.
pub fn is_valid_dim(ir: &Ir, value: Value) -> bool {
    match ir.defining_op(value) {
        Some(op) => is_valid_dim_in(ir, value, affine_scope(ir, op)),
        None => {
            ir.ctx.is_index(ir.ty(value))
                && (is_top_level(ir, value) || is_affine_loop_argument(ir, value))
        }
    }
}

/// Whether a value may be a symbol of an affine map used in the affine scope `scope`.
pub fn is_valid_symbol_in(ir: &Ir, value: Value, scope: Option<Region>) -> bool {
    Scopes::new(ir, scope).allows(value, Role::Symbol)
}

/// Whether a value may be a symbol where it is defined.
pub fn is_valid_symbol(ir: &Ir, value: Value) -> bool {
    if !ir.ctx.is_index(ir.ty(value)) {
        return false;
    }
    is_top_level(ir, value)
        || ir
            .defining_op(value)
            .is_some_and(|op| is_valid_symbol_in(ir, value, affine_scope(ir, op)))
}

/// Checks operands of a map of which the first `dims` are dimensions.
pub(super) fn verify_dims_and_symbols(
    ir: &Ir,
    op: Op,
    operands: impl IntoIterator<Item = Value>,
    dims: u32,
) -> Result<(), String> {
    let scopes = Scopes::new(ir, affine_scope(ir, op));
    for (i, operand) in operands.into_iter().enumerate() {
        if i < dims as usize {
            if !scopes.allows(operand, Role::Dim) {
                return Err("operand cannot be used as a dimension id".into());
            }
        } else if !scopes.allows(operand, Role::Symbol) {
            return Err("operand cannot be used as a symbol".into());
        }
    }
    Ok(())
}

/// Whether every operand may be a dimension where `op` stands; symbols may be dimensions.
pub(super) fn all_valid_dims(ir: &Ir, op: Op, mut operands: impl Iterator<Item = Value>) -> bool {
    let scopes = Scopes::new(ir, affine_scope(ir, op));
    operands.all(|operand| scopes.allows(operand, Role::Dim))
}
