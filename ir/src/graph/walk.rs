//! Walking nested operations.

use super::{Ir, Op};

/// Whether an operation comes before or after those in its regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkOrder {
    /// Outer operations first.
    PreOrder,
    /// Inner operations first.
    PostOrder,
}

impl Ir {
    /// Every operation inside `root` and `root` itself, in the given order.
    pub fn nested_ops(&self, root: Op, order: WalkOrder) -> Vec<Op> {
        let mut ops = Vec::new();
        self.walk(root, order, &mut |op| ops.push(op));
        ops
    }

    /// Calls `visit` on `root` and every operation inside.
    pub fn walk(&self, root: Op, order: WalkOrder, visit: &mut impl FnMut(Op)) {
        if order == WalkOrder::PreOrder {
            visit(root);
        }
        for &region in self.regions(root) {
            for &block in self.blocks(region) {
                for op in self.ops(block) {
                    self.walk(op, order, visit);
                }
            }
        }
        if order == WalkOrder::PostOrder {
            visit(root);
        }
    }
}
