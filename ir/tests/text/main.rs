//! The textual form from outside: what is read is printed as it was, and what is wrong is said
//! where it stands.

mod dialect;
mod errors;
mod hostile;
mod round_trip;

use gpuc_ir::Ir;

/// A graph that knows the toy dialect and accepts others.
fn ir() -> Ir {
    let mut ir = Ir::new();
    ir.ctx.register(&dialect::TOY);
    ir.ctx.allow_unregistered = true;
    ir
}
