//! What is printed about the kernels of a module.

use std::fmt::Write as _;

use gpuc_sim::Module;

/// The kernels of a module, with their parameters; those that cannot run say so.
pub(crate) fn kernels(module: &Module) -> String {
    let mut out = String::new();
    for kernel in module.kernels() {
        let _ = write!(out, "{}", kernel.name());
        if let Some([x, y, z]) = kernel.required_block() {
            let _ = write!(out, "  block {x},{y},{z}");
        }
        if kernel.static_shared_bytes() > 0 {
            let _ = write!(out, "  shared {}", kernel.static_shared_bytes());
        }
        if let Some([x, y, z]) = kernel.required_cluster() {
            let _ = write!(out, "  cluster {x},{y},{z}");
        }
        if let Some(reason) = kernel.refusals().first() {
            let _ = write!(out, "  cannot run: {}", reason.message);
        }
        out.push('\n');
        for param in kernel.params() {
            let _ = writeln!(out, "  {}  {} bytes", param.name, param.size);
        }
    }
    out
}
