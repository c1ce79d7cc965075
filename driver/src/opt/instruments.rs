//! Printing around passes, timing, reproducers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use gpuc_ir::pass::{Instrument, PassInfo, Pipeline};
use gpuc_ir::text::PrintOptions;
use gpuc_ir::{Ir, Op};

use super::arguments::Arguments;

/// The instruments that the flags ask for.
pub(super) fn instruments(arguments: &Arguments) -> Vec<Box<dyn Instrument>> {
    let printer = IrPrinter {
        before_all: arguments.print_before_all,
        after_all: arguments.print_after_all,
        after_change: arguments.print_after_change,
        before: arguments.print_before.clone(),
        after: arguments.print_after.clone(),
        after_failure: arguments.print_after_failure,
        module_scope: arguments.module_scope,
        printing: arguments.printing,
        hash: 0,
    };
    let wanted = printer.after_failure
        || printer.before_all
        || printer.after_all
        || printer.after_change
        || !printer.before.is_empty()
        || !printer.after.is_empty();
    if wanted { vec![Box::new(printer)] } else { Vec::new() }
}

/// Prints IR around passes.
#[derive(Debug, Default)]
pub(crate) struct IrPrinter {
    before_all: bool,
    after_all: bool,
    after_change: bool,
    before: Vec<String>,
    after: Vec<String>,
    /// Behind passes that fail alone.
    after_failure: bool,
    /// The whole of what the operation is in.
    module_scope: bool,
    printing: PrintOptions,
    /// Of the text before the pass.
    hash: u64,
}

impl IrPrinter {
    /// Prints behind every pass.
    pub fn after_all() -> Self {
        IrPrinter { after_all: true, ..IrPrinter::default() }
    }

    /// What stands over the text: the pass, `note` behind its title, and which operation, where the text is of more than
    /// that.
    fn header(&self, ir: &Ir, op: Op, when: &str, pass: &PassInfo, note: &str) -> String {
        let symbol = ir.symbol_name(op).map(|name| format!(": @{name}")).unwrap_or_default();
        let operation = match self.module_scope {
            true => format!(" ('{}' operation{symbol})", ir.name(op)),
            false => String::new(),
        };
        let (title, name) = (pass.title, pass.name);
        format!("// -----// IR Dump {when} {title}{note} ({name}){operation} //----- //")
    }

    fn text(&self, ir: &Ir, op: Op) -> String {
        let outermost = ir.ancestors(op).last().filter(|_| self.module_scope);
        ir.to_text_with(outermost.unwrap_or(op), self.printing)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Instrument for IrPrinter {
    fn before(&mut self, ir: &Ir, op: Op, pass: &PassInfo) {
        if self.before_all || self.before.iter().any(|name| name == pass.name) {
            eprintln!("{}\n{}\n", self.header(ir, op, "Before", pass, ""), self.text(ir, op));
        }
        if self.after_change {
            self.hash = hash(&ir.to_text(op));
        }
    }

    fn step(&mut self, ir: &Ir, op: Op, pass: &PassInfo, step: &str) {
        if self.after_all || self.after.iter().any(|name| name == pass.name) {
            let header = self.header(ir, op, "After", pass, &format!(" [{step}]"));
            eprintln!("{header}\n{}\n", self.text(ir, op));
        }
    }

    fn after(&mut self, ir: &Ir, op: Op, pass: &PassInfo, failed: bool) {
        if self.after_failure && !failed {
            return;
        }
        let named = self.after_all || self.after.iter().any(|name| name == pass.name);
        let changed = self.after_change && hash(&ir.to_text(op)) != self.hash;
        if failed {
            let header = self.header(ir, op, "After", pass, " Failed");
            eprintln!("{header}\n{}\n", self.text(ir, op));
        } else if changed || named && !self.after_change {
            eprintln!("{}\n{}\n", self.header(ir, op, "After", pass, ""), self.text(ir, op));
        }
    }
}

/// A table of times, longest first.
pub(crate) fn timing_report(timings: &[(&'static str, Duration)]) -> String {
    let total: Duration = timings.iter().map(|(_, time)| *time).sum();
    let mut sorted = timings.to_vec();
    sorted.sort_by_key(|&(_, time)| std::cmp::Reverse(time));
    let line = format!("==={}===\n", "-".repeat(73));
    let mut text =
        line.clone() + "                         ... Execution time report ...\n" + &line;
    text += &format!(
        "  Total Execution Time: {:.4} seconds\n\n  ----Wall Time----  ----Name----\n",
        total.as_secs_f64()
    );
    for (name, time) in sorted {
        let share = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-12);
        text += &format!("  {:8.4} ({share:5.1}%)  {name}\n", time.as_secs_f64());
    }
    text
}

/// IR before the pipeline, and the pipeline, in the form that `--run-reproducer` of mlir-opt reads.
pub(super) fn reproducer(before: &str, pipeline: &Pipeline) -> String {
    format!(
        "{before}\n\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n      \
         pipeline: \"{pipeline}\",\n      disable_threading: true,\n      verify_each: true\n    \
         }}\n  }}\n#-}}\n"
    )
}
