//! Sizes of launches that the program computes.

use std::borrow::Cow;

use gpuc_diagnostics::Diagnostic;

use crate::descriptor::SiteDescriptor;
use crate::failure::show;

/// The number of gangs, workers or lanes that `clause` gives as `value`: 1 at least. A program that
/// computes fewer has rounded down a small problem; it is told, and runs with one.
pub fn launch_size(
    site: &SiteDescriptor,
    clause: &str,
    variable: Option<Cow<'_, str>>,
    value: i64,
) -> i64 {
    if value >= 1 {
        return value;
    }
    let argument = variable.as_deref().unwrap_or("...");
    let said = match &variable {
        Some(name) => format!("{clause}({name}): `{name}` is {value}, and 1 is taken"),
        None => format!("{clause}({argument}) is {value}, and 1 is taken"),
    };
    show(
        &Diagnostic::warning(said)
            .at_option(site.place())
            .help("there must be at least one of them; compute a size that is positive"),
    );
    1
}
