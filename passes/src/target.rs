//! The device that a pass is for.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;

/// The record of a target's name, as the option `arch` of passes gives it.
///
/// # Errors
/// There is no such target.
pub fn target(name: &str) -> Result<&'static Arch, Diagnostic> {
    Arch::by_name(name).ok_or_else(|| Diagnostic::error(format!("there is no target '{name}'")))
}
