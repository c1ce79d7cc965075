//! Creating operations at an insertion point.

use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::graph::{Block, Ir, Op, OpState, Region, Value};
use crate::location::Location;
use crate::op::{Arity, InferInput, OpDef, Traits};
use crate::types::Type;

/// Where new operations go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertPoint {
    /// Before an operation.
    Before(Op),
    /// Behind an operation; later ones go behind the earlier.
    After(Op),
    /// At the end of a block.
    End(Block),
    /// At the start of a block; later ones go behind the earlier.
    Start(Block),
}

/// Inserts operations at a point, with a location. Dereferences to the [`Ir`].
#[derive(Debug)]
pub struct Builder<'a> {
    ir: &'a mut Ir,
    point: InsertPoint,
    /// Location of the operations to come.
    pub location: Location,
}

impl Deref for Builder<'_> {
    type Target = Ir;

    fn deref(&self) -> &Ir {
        self.ir
    }
}

impl DerefMut for Builder<'_> {
    fn deref_mut(&mut self) -> &mut Ir {
        self.ir
    }
}

impl<'a> Builder<'a> {
    /// Inserts at `point`.
    pub fn new(ir: &'a mut Ir, point: InsertPoint, location: Location) -> Self {
        Builder { ir, point, location }
    }

    /// Inserts before `op`, with its location.
    pub fn before(ir: &'a mut Ir, op: Op) -> Self {
        let location = ir.location(op);
        Self::new(ir, InsertPoint::Before(op), location)
    }

    /// Inserts behind `op`, with its location.
    pub fn after(ir: &'a mut Ir, op: Op) -> Self {
        let location = ir.location(op);
        Self::new(ir, InsertPoint::After(op), location)
    }

    /// Inserts at the end of `block`.
    pub fn at_end(ir: &'a mut Ir, block: Block, location: Location) -> Self {
        Self::new(ir, InsertPoint::End(block), location)
    }

    /// Inserts at the start of `block`.
    pub fn at_start(ir: &'a mut Ir, block: Block, location: Location) -> Self {
        Self::new(ir, InsertPoint::Start(block), location)
    }

    /// The insertion point.
    pub fn point(&self) -> InsertPoint {
        self.point
    }

    /// Moves the insertion point.
    pub fn set_point(&mut self, point: InsertPoint) {
        self.point = point;
    }

    /// Runs `body` with another insertion point, then returns to this one.
    pub fn at<R>(&mut self, point: InsertPoint, body: impl FnOnce(&mut Self) -> R) -> R {
        let saved = std::mem::replace(&mut self.point, point);
        let result = body(self);
        self.point = saved;
        result
    }

    /// Creates a region with one block, whose operations `body` builds; it receives the block's
    /// arguments.
    pub fn region(&mut self, arguments: &[Type], body: impl FnOnce(&mut Self, &[Value])) -> Region {
        let region = self.ir.create_region();
        let location = self.location;
        let block = self.ir.append_new_block(region, arguments, location);
        let values = self.ir.arguments(block).to_vec();
        self.at(InsertPoint::End(block), |builder| body(builder, &values));
        region
    }

    /// Puts a detached operation at the insertion point.
    pub fn insert(&mut self, op: Op) -> Op {
        match self.point {
            InsertPoint::Before(anchor) => self.ir.insert_before(anchor, op),
            InsertPoint::After(anchor) => {
                self.ir.insert_after(anchor, op);
                self.point = InsertPoint::After(op);
            }
            InsertPoint::End(block) => self.ir.append_op(block, op),
            InsertPoint::Start(block) => {
                match self.ir.first_op(block) {
                    Some(first) => self.ir.insert_before(first, op),
                    None => self.ir.append_op(block, op),
                }
                self.point = InsertPoint::After(op);
            }
        }
        op
    }
}

/// An operation being put together; started by `View::new` of the [`op!`](crate::op!) macro.
#[derive(Clone, Debug)]
pub struct OpBuild {
    def: &'static OpDef,
    state: OpState,
    operand_sizes: SmallVec<[i32; 4]>,
    result_sizes: SmallVec<[i32; 2]>,
}

impl OpBuild {
    /// Starts with nothing.
    pub fn new(ir: &mut Ir, def: &'static OpDef) -> Self {
        let state = OpState::new(ir.ctx.op_name(def.name), Location::UNKNOWN);
        OpBuild { def, state, operand_sizes: SmallVec::new(), result_sizes: SmallVec::new() }
    }

    /// The operands of the next group.
    pub fn operand_group(mut self, values: &[Value]) -> Self {
        self.operand_sizes.push(values.len() as i32);
        self.state.operands.extend_from_slice(values);
        self
    }

    /// Adds an attribute.
    pub fn attr(mut self, ir: &mut Ir, name: &str, attr: Attr) -> Self {
        self.state.attrs.push((ir.ctx.ident(name), attr));
        self
    }

    /// Adds an attribute if it is there.
    pub fn attr_option(self, ir: &mut Ir, name: &str, attr: Option<Attr>) -> Self {
        match attr {
            Some(attr) => self.attr(ir, name, attr),
            None => self,
        }
    }

    /// Adds a result of its own group.
    pub fn result(self, ty: Type) -> Self {
        self.result_group(&[ty])
    }

    /// Adds the results of the next group.
    pub fn result_group(mut self, types: &[Type]) -> Self {
        self.result_sizes.push(types.len() as i32);
        self.state.results.extend_from_slice(types);
        self
    }

    /// Adds a region, as [`Builder::region`] makes it.
    pub fn region(mut self, region: Region) -> Self {
        self.state.regions.push(region);
        self
    }

    /// Adds a successor.
    pub fn successor(mut self, block: Block) -> Self {
        self.state.successors.push(block);
        self
    }

    /// Creates the operation at the builder's insertion point, with its location. Results that
    /// were not given are inferred; regions that were not given are created empty.
    ///
    /// # Panics
    /// If result types were not given and cannot be inferred: an error of the calling pass.
    pub fn build(mut self, b: &mut Builder<'_>) -> Op {
        self.state.location = b.location;
        self.finish(b);
        let op = b.create_op(self.state);
        b.insert(op)
    }

    /// [`OpBuild::build`] for operations with one result: the result.
    pub fn value(self, b: &mut Builder<'_>) -> Value {
        let op = self.build(b);
        b.result(op, 0)
    }

    fn finish(&mut self, ir: &mut Ir) {
        while self.state.regions.len() < self.def.regions.len()
            && self.def.regions[self.state.regions.len()].kind != crate::op::RegionKind::Variadic
        {
            let region = ir.create_region();
            self.state.regions.push(region);
        }
        if self.def.traits.contains(Traits::ATTR_SIZED_OPERANDS) {
            let sizes = ir.ctx.i32_array_attr(&self.operand_sizes);
            self.state.attrs.push((ir.ctx.ident("operandSegmentSizes"), sizes));
        }
        if self.state.results.is_empty() && !self.def.results.is_empty() {
            match infer_result_types(ir, self.def, &self.state) {
                Ok(types) => self.state.results = types,
                Err(message) => panic!("result types of {}: {message}", self.def.name),
            }
        }
        if self.def.traits.contains(Traits::ATTR_SIZED_RESULTS) {
            let sizes = ir.ctx.i32_array_attr(&self.result_sizes);
            self.state.attrs.push((ir.ctx.ident("resultSegmentSizes"), sizes));
        }
    }
}

/// Result types of an operation from traits, rules, unique types and the `infer_results` hook.
pub fn infer_result_types(
    ir: &mut Ir,
    def: &'static OpDef,
    state: &OpState,
) -> Result<SmallVec<[Type; 2]>, String> {
    let operands: SmallVec<[Type; 4]> = state.operands.iter().map(|&value| ir.ty(value)).collect();
    if let Some(infer) = def.hooks.infer_results {
        let attrs = ir.ctx.dict(state.attrs.iter().copied());
        return infer(ir, InferInput { operands: &operands, attrs, regions: &state.regions });
    }
    let mut types = SmallVec::new();
    for spec in def.results {
        let found = if let Some(build) = spec.constraint.build {
            Some(build(&mut ir.ctx))
        } else if def.traits.contains(Traits::SAME_OPERANDS_AND_RESULT_TYPE) {
            operands.first().copied()
        } else {
            let rule = def.type_rules.iter().find(|rule| rule.target == spec.name);
            rule.and_then(|rule| {
                let group = def.operands.iter().position(|o| o.name == rule.source)?;
                // Sources of rules are single operands in front of any variable group.
                let singles = def.operands[..group].iter().all(|o| o.arity == Arity::One);
                let source = *operands.get(group).filter(|_| singles)?;
                (rule.derive)(&mut ir.ctx, source)
            })
        };
        match (found, spec.arity) {
            (Some(ty), Arity::One) => types.push(ty),
            (_, Arity::Optional | Arity::Variadic) => {}
            (None, Arity::One) => {
                return Err(format!("type of result '{}' cannot be inferred", spec.name));
            }
        }
    }
    Ok(types)
}
