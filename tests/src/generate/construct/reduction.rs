//! Reductions over a loop.

use crate::generate::scalar::Scalar;
use crate::generate::statement::{Scope, Writer};

/// A variable that a loop reduces to.
pub(super) struct Reduction {
    name: String,
    scalar: Scalar,
    op: &'static str,
}

pub(super) fn reduction(w: &mut Writer<'_>) -> Reduction {
    let op = w.random.pick(&["+", "*", "max", "min"]);
    let op: &'static str = ["+", "*", "max", "min"].into_iter().find(|o| *o == op).unwrap_or("+");
    let all = [
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F32,
        Scalar::F64,
    ];
    let mut scalar = all[w.random.below(all.len())];
    if op == "*" && matches!(scalar, Scalar::I32 | Scalar::I64 | Scalar::U16) {
        scalar = Scalar::U32;
    }
    let name = w.name("red");
    let start = w.random.within(0, 100);
    w.line(format!("{} {name} = {start};", scalar.name()));
    Reduction { name, scalar, op }
}

pub(super) fn reduce(w: &mut Writer<'_>, scope: &Scope, reduction: &Reduction) {
    let Reduction { name, scalar, op } = reduction;
    let value = w.integer(scope, 2);
    let small = format!("(int)({} & 255)", value.cast(Scalar::I32).text);
    match *op {
        "+" => {
            let minus = w.random.one_in(3);
            let scale = if scalar.is_float() { " * 0.25f" } else { "" };
            if minus {
                w.line(format!("{name} -= {small}{scale};"));
            } else if w.random.one_in(2) {
                w.line(format!("{name} = {name} + {small}{scale};"));
            } else {
                w.line(format!("{name} += {small}{scale};"));
            }
        }
        "*" => {
            let factor = if scalar.is_float() {
                format!("(1 + ({small} & 1))")
            } else {
                format!("({small} | 1)")
            };
            w.line(format!("{name} *= {factor};"));
        }
        op => {
            let value = if scalar.is_float() { small } else { value.cast(*scalar).text };
            let (relation, function) = if op == "max" { (">", "fmax") } else { ("<", "fmin") };
            match w.random.below(3) {
                0 => w.line(format!(
                    "if (({}){value} {relation} {name}) {name} = {value};",
                    scalar.name()
                )),
                1 if scalar.is_float() => w.line(format!("{name} = {function}({name}, {value});")),
                _ => w.line(format!(
                    "{name} = {name} {relation} ({0}){value} ? {name} : ({0}){value};",
                    scalar.name()
                )),
            }
        }
    }
}

pub(super) fn reduction_clauses(reductions: &[Reduction]) -> String {
    reductions.iter().map(|r| format!(" reduction({}:{})", r.op, r.name)).collect()
}

pub(super) fn print_reductions(w: &mut Writer<'_>, reductions: &[Reduction]) {
    for r in reductions {
        let name = &r.name;
        if r.scalar.is_float() {
            w.line(format!("printf(\"{name} %a\\n\", (double){name});"));
        } else {
            w.line(format!("printf(\"{name} %lld\\n\", (long long){name});"));
        }
    }
}
