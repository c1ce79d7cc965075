//! What passes counted, as mlir-opt prints it.

use std::collections::BTreeMap;
use std::fmt::Write;

use gpuc_ir::pass::{Counter, Counts, PassInfo, Pipeline, Step, nests_implicitly};

/// How the report is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Display {
    /// Each pass that counts once, sorted by title.
    List,
    /// The pipeline, each pass where it ran.
    Pipeline,
}

/// The report of what a pipeline's passes counted.
pub(super) fn report(pipeline: &Pipeline, counts: &Counts, display: Display) -> String {
    let line = format!("==={}===\n", "-".repeat(73));
    let mut text =
        line.clone() + "                         ... Pass statistics report ...\n" + &line;
    match display {
        Display::List => list(&mut text, pipeline, counts),
        Display::Pipeline => nested(&mut text, pipeline, counts, &mut 0, 0),
    }
    text + "\n"
}

fn list(text: &mut String, pipeline: &Pipeline, counts: &Counts) {
    let mut merged: BTreeMap<&str, (&PassInfo, Vec<u64>)> = BTreeMap::new();
    for (number, pass) in pipeline.passes().enumerate() {
        let entry =
            merged.entry(pass.title).or_insert_with(|| (pass, vec![0; pass.counters.len()]));
        for (sum, count) in entry.1.iter_mut().zip(counts.get(&number).into_iter().flatten()) {
            *sum += count;
        }
    }
    for (title, (pass, counts)) in merged {
        if !pass.counters.is_empty() {
            entry(text, 2, title, pass.counters, &counts);
        }
    }
}

/// The steps of a pipeline; `number` is that of the next pass. A pass that runs on what is inside of the anchor stands in a
/// pipeline of its own, which upstream makes for it.
fn nested(text: &mut String, pipeline: &Pipeline, counts: &Counts, number: &mut usize, at: usize) {
    let mut inside = None;
    for step in &pipeline.steps {
        match step {
            Step::Nested(inner) => {
                inside = None;
                entry(text, at, &format!("'{}' Pipeline", inner.anchor), &[], &[]);
                nested(text, inner, counts, number, at + 2);
            }
            Step::Pass(info, ..) => {
                let implicit = info.anchor.filter(|&anchor| {
                    anchor != pipeline.anchor && nests_implicitly(&pipeline.anchor)
                });
                if let Some(anchor) = implicit.filter(|_| implicit != inside) {
                    entry(text, at, &format!("'{anchor}' Pipeline"), &[], &[]);
                }
                inside = implicit;
                let at = if implicit.is_some() { at + 2 } else { at };
                let counted = counts.get(number).map_or(&[][..], Vec::as_slice);
                entry(text, at, info.title, info.counters, counted);
                *number += 1;
            }
        }
    }
}

/// A title and the numbers under it; a pass that never ran has counted nothing.
fn entry(text: &mut String, indent: usize, title: &str, counters: &[Counter], counts: &[u64]) {
    let _ = writeln!(text, "{:indent$}{title}", "");
    let number = |i: usize| counts.get(i).copied().unwrap_or(0).to_string();
    let digits = (0..counters.len()).map(|i| number(i).len()).max().unwrap_or(0);
    let letters = counters.iter().map(|counter| counter.name.len()).max().unwrap_or(0);
    for (i, counter) in counters.iter().enumerate() {
        let (indent, name, summary) = (indent + 2, counter.name, counter.summary);
        let count = number(i);
        let _ = writeln!(text, "{:indent$}(S) {count:>digits$} {name:<letters$} - {summary}", "");
    }
}
