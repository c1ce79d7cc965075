//! `remark-forecasts`: says what each construct is expected to take, and against what.
//!
//! Kernels of one construct are versions of its loops, of which the host starts the first one whose conditions hold, or several nests
//! of one region. What it would start for the sizes is said first, with what bounds it, then what the other versions would take, in the
//! order in which the host asks for them: the last one is the loops as they were. Changes nothing.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Location, Op};
use indexmap::IndexMap;

use super::text::bound;
use super::{Forecast, Sizes, USUAL_SIZE, kernels};
use crate::target::target;

gpuc_ir::pass! {
    /// Say what kernels are expected to take, from their loops alone.
    RemarkForecasts = "remark-forecasts" {
        /// The device, whose table the model asks.
        arch: String = Arch::default_target().name.to_owned(),
        /// Numbers for parameters, such as n=1024.
        sizes: Vec<String> = Vec::new(),
        /// That of parameters without one.
        size: i64 = USUAL_SIZE,
    }
}

impl Pass for RemarkForecasts {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let sizes =
            Sizes::of(self.sizes.iter().map(String::as_str), self.size).map_err(|text| {
                Diagnostic::error(format!("'{text}' gives no parameter a number"))
                    .help("a name and a number, such as n=1024")
            })?;
        remarks(ir, op, &sizes, arch).into_iter().for_each(|remark| cx.report(remark));
        cx.preserve_all();
        Ok(())
    }
}

/// A remark for each construct with kernels.
pub fn remarks(ir: &Ir, module: Op, sizes: &Sizes, arch: &Arch) -> Vec<Diagnostic> {
    let mut constructs: IndexMap<Location, Vec<Forecast>> = IndexMap::new();
    for found in kernels(ir, module, sizes, arch) {
        let location = ir.location(found.construct);
        constructs.entry(location).or_default().push(found.forecast);
    }
    let said = constructs.into_iter().map(|(location, found)| {
        Diagnostic::remark(text(&found, arch)).at_option(ir.ctx.place(location))
    });
    said.collect()
}

/// The numbers of a construct's kernels in words.
fn text(found: &[Forecast], arch: &Arch) -> String {
    let (chosen, others): (Vec<_>, Vec<_>) = found.iter().partition(|found| found.is_chosen);
    let mut sizes: Vec<String> = Vec::new();
    for (name, size) in found.iter().flat_map(|found| &found.assumed) {
        let size = format!("{name} = {size}");
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    let of_sizes =
        if sizes.is_empty() { String::new() } else { format!(" for {}", sizes.join(", ")) };
    let us = |found: &Forecast| format!("{:.1}", found.estimate.seconds * found.launches * 1e6);
    let times = |launches: f64| match launches > 1.0 {
        true => format!(" in {launches} launches"),
        false => String::new(),
    };
    let each = |found: &&Forecast| {
        let Forecast { work, estimate, .. } = found;
        format!(
            "{} us{} in {} blocks of {} threads, bound by {}",
            us(found),
            times(found.launches),
            work.blocks,
            work.threads,
            bound(estimate)
        )
    };
    let own: Vec<String> = chosen.iter().map(each).collect();
    let own = if own.is_empty() { "no kernel".to_owned() } else { own.join("; then ") };
    let guess = if found.iter().any(|found| found.guessed) { ", some of it guessed" } else { "" };
    let others: Vec<String> = others.iter().map(|found| us(found)).collect();
    let against = match &others[..] {
        [] => String::new(),
        [one] => format!("; the version without conditions {one} us"),
        several => format!("; other versions {} us", several.join(", ")),
    };
    format!("Expected on {}{of_sizes}: {own}{guess}{against}", arch.chip.name)
}
