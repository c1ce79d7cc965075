//! Which PTX `.version` a module needs.

use gpuc_arch::PtxVersion;
use gpuc_diagnostics::Diagnostic;
use gpuc_ir::Ir;

use crate::select::ModuleState;

/// The version to print: the one asked for if it suffices, else the lowest that does.
pub(crate) fn version(
    state: &ModuleState<'_>,
    ir: &Ir,
    diagnostics: &mut Vec<Diagnostic>,
) -> PtxVersion {
    let arch = state.options.arch;
    let needed = state
        .features
        .iter()
        .filter_map(|&feature| arch.ptx_version(feature).map(|version| (version, Some(feature))))
        .fold((arch.min_ptx, None), |a, b| if b.0 > a.0 { b } else { a });
    match state.options.version {
        Some(asked) if asked < needed.0 => {
            let what = match needed.1 {
                Some(feature) => format!("{feature:?} for {}", arch.name),
                None => arch.name.to_owned(),
            };
            let place = ir.ctx.place(ir.location(state.source));
            let message = format!("PTX {asked} is too old: {what} needs {}", needed.0);
            let help = "ask for a newer version, or for an older target";
            diagnostics.push(Diagnostic::error(message).at_option(place).help(help));
            asked
        }
        Some(asked) => asked,
        None => needed.0,
    }
}
