//! `print-op-stats`: how many operations of each kind there are, on standard error, in upstream's form.

use std::collections::BTreeMap;
use std::fmt::Write;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, WalkOrder};

gpuc_ir::pass! {
    /// Print statistics of operations.
    PrintOpStats = "print-op-stats" {
        /// Whether they are printed as JSON.
        json: bool = false,
    }
}

impl Pass for PrintOpStats {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for op in ir.nested_ops(op, WalkOrder::PreOrder) {
            *counts.entry(ir.name(op)).or_default() += 1;
        }
        eprint!("{}", if self.json { json(&counts) } else { table(&counts) });
        cx.preserve_all();
        Ok(())
    }
}

fn json(counts: &BTreeMap<&str, u64>) -> String {
    let lines: Vec<_> =
        counts.iter().map(|(name, count)| format!("  \"{name}\" : {count}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Dialects to the right, up to the point, and the rest of the names to the left behind it.
fn table(counts: &BTreeMap<&str, u64>) -> String {
    let mut text = "Operations encountered:\n-----------------------\n".to_owned();
    let rows: Vec<(&str, &str, u64)> = counts
        .iter()
        .map(|(name, &count)| {
            let (dialect, name) = name.split_once('.').unwrap_or(("", name));
            (dialect, name, count)
        })
        .collect();
    let dialects = rows.iter().map(|row| row.0.len()).max().unwrap_or(0) + 2;
    let names = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    for (dialect, name, count) in rows {
        let dot = if dialect.is_empty() { ' ' } else { '.' };
        let _ = writeln!(text, "{dialect:>dialects$}{dot}{name:<names$} , {count}");
    }
    text
}
