//! `print-chrecs`: says what the chains of recurrences of accesses are, as remarks, for tests and for who wonders.
//!
//! Each access inside an outermost counted loop is said with a chain for each dimension; and where threads divide
//! loops among them, whether it is coalesced, which accesses touch elements again that the same thread has touched, and
//! how far apart threads are that touch the same. Changes nothing.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, Value};
use indexmap::IndexMap;

use super::super::access::{AccessKind, known_name, name};
use super::super::loops::outermost_loops;
use super::super::names;
use super::super::nest::Nest;
use super::access::{AccessChrecs, ThreadLoops};
use super::coalescing::Pattern;
use super::{Chrec, reuse};

gpuc_ir::pass! {
    /// Print chains of recurrences of accesses, and what follows for threads, as remarks.
    PrintChrecs = "print-chrecs" {
        /// Loops that threads divide among them, numbers from the outermost, 0; that of threadIdx.x first. Without it, what
        /// mappings say.
        threads: Vec<i64> = Vec::new(),
        /// Threads in a row of a block.
        width: i64 = 32,
    }
}

impl Pass for PrintChrecs {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        for outermost in outermost_loops(ir, op) {
            let Ok(accesses) = nest.accesses(outermost) else { continue };
            let chains: Vec<AccessChrecs> =
                accesses.iter().map(|access| AccessChrecs::of(ir, access, outermost)).collect();
            for each in &chains {
                self.access(ir, each, cx);
            }
            self.arrays(ir, &chains, cx);
        }
        cx.preserve_all();
        Ok(())
    }
}

impl PrintChrecs {
    fn threads(&self, ir: &Ir, access: &AccessChrecs) -> ThreadLoops {
        if self.threads.is_empty() {
            return ThreadLoops::of(ir, &access.loops);
        }
        let given = self.threads.iter().filter_map(|&depth| usize::try_from(depth).ok());
        ThreadLoops(given.filter(|&depth| depth < access.loops.len()).collect())
    }

    fn access(&self, ir: &Ir, each: &AccessChrecs, cx: &mut PassContext<'_>) {
        let does = match each.access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            _ => "update",
        };
        let chains = shown(ir, each, &each.dims);
        let mut remark =
            Diagnostic::remark(format!("{does} of {}: {chains}", name(ir, each.access.root)))
                .at_option(ir.ctx.place(ir.location(each.access.op)));
        let threads = self.threads(ir, each);
        if let Some(&x) = threads.0.first() {
            for thread in 0..2 {
                let at = |&depth: &usize| (depth, if depth == x { thread } else { 0 });
                let fixed: Vec<(usize, u32)> = threads.0.iter().map(at).collect();
                let dims: Vec<Option<Chrec>> = match each.instantiated(&fixed) {
                    Some(dims) => dims.into_iter().map(Some).collect(),
                    None => continue,
                };
                remark = remark.help(format!("T{thread}: {}", shown(ir, each, &dims)));
            }
            remark = remark.help(Pattern::of(&each.dims, each.access.length, x).to_string());
        }
        cx.report(remark);
    }

    /// What accesses to one array have in common.
    fn arrays(&self, ir: &Ir, chains: &[AccessChrecs], cx: &mut PassContext<'_>) {
        let mut arrays: IndexMap<Value, Vec<AccessChrecs>> = IndexMap::new();
        for each in chains {
            arrays.entry(each.access.root).or_default().push(each.clone());
        }
        for (root, accesses) in arrays {
            let threads = self.threads(ir, &accesses[0]);
            // Accesses in other loops have other threads.
            let together = |each: &AccessChrecs| self.threads(ir, each) == threads;
            let Some(&x) = threads.0.first().filter(|_| accesses.iter().all(together)) else {
                continue;
            };
            let place = ir.ctx.place(ir.location(accesses[0].access.op));
            let line = |&member: &usize| {
                let at = ir.ctx.place(ir.location(accesses[member].access.op));
                at.map_or_else(|| "?".to_owned(), |place| place.line.to_string())
            };
            let array = name(ir, root);
            for group in reuse::in_thread(&accesses, &threads) {
                let mut lines: Vec<String> = group.members.iter().map(line).collect();
                lines.dedup();
                let along = group.along.map_or_else(String::new, |(depth, by)| {
                    format!(", {} of them along {}", by + 1, loop_name(ir, &accesses[0], depth))
                });
                let text = format!(
                    "a thread touches elements of {array} again: {} accesses in lines {}{along}",
                    group.members.len(),
                    lines.join(", ")
                );
                cx.report(Diagnostic::remark(text).at_option(place.clone()));
            }
            let width = u32::try_from(self.width).unwrap_or(32).min(1024);
            if let Some(apart) = reuse::in_block(&accesses, &threads, x, width) {
                let text = format!(
                    "threads of a row of {width} touch the same elements of {array}, up to {apart} threads apart"
                );
                cx.report(Diagnostic::remark(text).at_option(place));
            }
        }
    }
}

/// Chains as the paper writes them, with the loop that each is over.
fn shown(ir: &Ir, access: &AccessChrecs, dims: &[Option<Chrec>]) -> String {
    let value = |value: Value| match known_name(ir, value) {
        Some(name) => name.to_owned(),
        None => format!("v{}", value.as_u32()),
    };
    let of = |depth: usize| format!("_{}", loop_name(ir, access, depth));
    let each = dims.iter().map(|dim| match dim {
        Some(form) => format!("[{}]", form.display(&value, &of)),
        None => "[?]".to_owned(),
    });
    match dims.is_empty() {
        true => "[]".to_owned(),
        false => each.collect(),
    }
}

/// A loop by its variable, or by its number.
fn loop_name(ir: &Ir, access: &AccessChrecs, depth: usize) -> String {
    let variable = access.loops.get(depth).map(|each| each.variable);
    match variable.and_then(|variable| names::variable(ir, variable)) {
        Some(name) => name.to_owned(),
        None => depth.to_string(),
    }
}
