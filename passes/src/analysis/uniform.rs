//! What is the same for all threads of a block.
//!
//! A value varies if it is computed from the number of a thread: the variable of a dimension that a
//! mapping gives to threads, or an operation that reads the number. What memory holds is the same for all that
//! ask for the same element.

use gpuc_dialects::gpu;
use gpuc_dialects::offload::mapping::LoopMapping;
use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Op, OpView, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Answers for one function; nothing in it may change meanwhile.
#[derive(Debug, Default)]
pub struct Uniformity {
    known: FxHashMap<Value, bool>,
}

impl Uniformity {
    /// Whether threads of one block may see different values. What is not understood may differ.
    pub fn varies(&mut self, ir: &Ir, value: Value) -> bool {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        // A value that depends on itself is carried round a loop, and is settled by what else it
        // depends on; those are taken to vary below.
        self.known.insert(value, true);
        let varies = match ir.value_def(value) {
            ValueDef::Result(op, _) => {
                gpu::ThreadIdOp::is(ir, op)
                    || gpu::LaneIdOp::is(ir, op)
                    || gpu::GlobalIdOp::is(ir, op)
                    || gpu::SubgroupIdOp::is(ir, op)
                    || !ir.regions(op).is_empty()
                    || ir.operands(op).collect::<Vec<_>>().iter().any(|&of| self.varies(ir, of))
            }
            ValueDef::Argument(block, index) => match ir.block_op(block) {
                Some(owner) => self.argument_varies(ir, owner, index as usize),
                None => false,
            },
        };
        self.known.insert(value, varies);
        varies
    }

    fn argument_varies(&mut self, ir: &Ir, owner: Op, index: usize) -> bool {
        if ir.has_trait(owner, Traits::SYMBOL) {
            return false;
        }
        let bounds = |this: &mut Self| {
            ir.operands(owner).collect::<Vec<_>>().iter().any(|&of| this.varies(ir, of))
        };
        if !ir.has_trait(owner, Traits::PARALLEL_LOOP) {
            // The variable of a sequential loop; what it carries is not followed.
            return index > 0 || bounds(self);
        }
        let mapping = LoopMapping::known(ir, owner).unwrap_or_default();
        let mut dim = 0;
        for map in &mapping.0 {
            dim += map.dims;
            if index < dim {
                let in_block = map.axes.iter().any(|(axis, _)| axis.is_in_block());
                return in_block || bounds(self);
            }
        }
        bounds(self)
    }
}
