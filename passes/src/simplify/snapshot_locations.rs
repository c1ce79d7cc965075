//! `snapshot-op-locations`: prints the IR to a file, and gives each operation its place there.
//!
//! Needs a file name. With a tag the old location stays, fused with the new one under that name; without, the new one takes
//! its place. Debuggers and messages then point into the IR of that moment. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::location::{Location, LocationKind};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::text::{PrintOptions, parse_operation_at};
use gpuc_ir::{Ir, Op, WalkOrder};

gpuc_ir::pass! {
    /// Print the IR to a file and take locations from it.
    SnapshotOpLocations = "snapshot-op-locations" {
        /// The file to print to.
        filename: String = String::new(),
        /// The name under which the new locations stand beside the old ones; none to replace them.
        tag: String = String::new(),
    }
}

impl Pass for SnapshotOpLocations {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if self.filename.is_empty() {
            return Err(Diagnostic::error("snapshot-op-locations needs the option 'filename'"));
        }
        let text = ir.to_text_with(op, PrintOptions::default());
        std::fs::write(&self.filename, &text).map_err(|error| {
            Diagnostic::error(format!("cannot write the snapshot `{}`: {error}", self.filename))
        })?;
        let places = places(ir, &text, &self.filename)?;
        let ops = ir.nested_ops(op, WalkOrder::PreOrder);
        if ops.len() != places.len() {
            return Err(Diagnostic::error(
                "the printed snapshot holds other operations than the IR",
            ));
        }
        let file = ir.ctx.ident(&self.filename);
        for (op, (line, column)) in ops.into_iter().zip(places) {
            let mut location = ir.ctx.file_location(file, line, column);
            if !self.tag.is_empty() {
                let name = ir.ctx.ident(&self.tag);
                let child = location;
                let named = ir.ctx.add_location(LocationKind::Name { name, child });
                let parts: Box<[Location]> = Box::new([ir.location(op), named]);
                location = ir.ctx.add_location(LocationKind::Fused { parts, metadata: None });
            }
            ir.set_location(op, location);
        }
        cx.preserve_all();
        Ok(())
    }
}

/// Line and column of each operation of a text, outermost first: what reading it again finds.
fn places(ir: &Ir, text: &str, file: &str) -> Result<Vec<(u32, u32)>, Diagnostic> {
    let mut again = Ir::new();
    for &dialect in ir.ctx.dialects() {
        again.ctx.register(dialect);
    }
    again.ctx.allow_unregistered = ir.ctx.allow_unregistered;
    let root = parse_operation_at(&mut again, text, file, 1).map_err(|errors| {
        let first = errors.into_iter().next();
        first.unwrap_or_else(|| Diagnostic::error("the printed snapshot cannot be read"))
    })?;
    let ops = again.nested_ops(root, WalkOrder::PreOrder);
    let place = |op: Op| again.ctx.place(again.location(op));
    Ok(ops.into_iter().map(|op| place(op).map_or((1, 1), |at| (at.line, at.column))).collect())
}
