//! Loops without promises: what one iteration writes, another may read.

use crate::generate::expression::Expr;
use crate::generate::program::{Array, World};
use crate::generate::random::Random;
use crate::generate::scalar::Scalar;
use crate::generate::statement::{Scope, Writer};

use super::clauses::data;

/// Loops that must keep their order unless the compiler proves that they need not.
pub(super) fn ordered(w: &mut Writer<'_>, world: &World, present: bool, apart: bool) {
    let count = 1 + w.random.below(3);
    let arrays: Vec<&Array> =
        (0..count).map(|_| &world.arrays[w.random.below(world.arrays.len())]).collect();
    let mut unique: Vec<&Array> = Vec::new();
    for array in arrays {
        if !unique.iter().any(|a| a.name == array.name) {
            unique.push(array);
        }
    }
    let serial = w.random.one_in(5);
    let carried = w.random.one_in(2);
    if carried {
        w.line("unsigned carried = 12;");
    }
    let clauses = data(w, &unique, &[], present, apart);
    let construct = if serial { "serial" } else { "kernels" };
    let extra = if carried && serial { " copy(carried)" } else { "" };
    w.line(format!("#pragma acc {construct}{clauses}{extra}"));
    w.open("{");
    for _ in 0..1 + w.random.below(3) {
        ordered_nest(w, world, &unique, carried, serial);
    }
    w.close();
    if carried {
        w.line("printf(\"carried %u\\n\", carried);");
    }
}

/// A subscript `i + offset` within `0..count` for `i` of `margin..count - margin`.
pub(super) fn near(random: &mut Random, name: &str, margin: i128) -> String {
    let offset = random.within(-margin, margin);
    match offset.signum() {
        0 => name.to_owned(),
        1 => format!("{name} + {offset}"),
        _ => format!("{name} - {}", -offset),
    }
}

pub(super) fn ordered_nest(
    w: &mut Writer<'_>,
    world: &World,
    arrays: &[&Array],
    carried: bool,
    serial: bool,
) {
    let grid = arrays.iter().any(|a| a.is_grid()) && !w.random.one_in(4);
    let margin = w.random.within(0, 2);
    let repeat = w.random.one_in(6);
    if repeat {
        w.open("for (int t = 0; t < 3; t++) {");
    }
    let open = |w: &mut Writer<'_>, i: &str, bound: &str| {
        if !serial && w.random.one_in(4) {
            let line = directive(w.random);
            w.line(line);
        }
        match w.random.below(4) {
            0 => {
                w.open(format!("for (int {i} = {bound} - 1 - {margin}; {i} >= {margin}; {i}--) {{"))
            }
            1 => w.open(format!("for (int {i} = {margin}; {i} < {bound} - {margin}; {i} += 2) {{")),
            2 => w.open(format!(
                "for (long {i} = {margin}; {i} <= {bound} - {margin} - 1; {i}++) {{"
            )),
            _ => w.open(format!("for (int {i} = {margin}; {i} < {bound} - {margin}; {i}++) {{")),
        }
    };
    if grid {
        let (first, second) =
            if w.random.one_in(3) { (("j", "c"), ("i", "r")) } else { (("i", "r"), ("j", "c")) };
        open(w, first.0, first.1);
        if w.random.one_in(6) {
            // A triangle.
            w.open(format!(
                "for (int {0} = {margin}; {0} < {1} - {margin} && {0} <= {2}; {0}++) {{",
                second.0, second.1, first.0
            ));
        } else {
            open(w, second.0, second.1);
        }
    } else {
        open(w, "i", "n");
    }
    let usable: Vec<&Array> = arrays.iter().copied().filter(|a| grid || !a.is_grid()).collect();
    for _ in 0..1 + w.random.below(2) {
        let access = |w: &mut Writer<'_>| -> Option<(String, Scalar)> {
            if usable.is_empty() {
                return None;
            }
            let array = usable[w.random.below(usable.len())];
            let element = if array.is_grid() {
                let (mut i, mut j) = (near(w.random, "i", margin), near(w.random, "j", margin));
                if w.random.one_in(8) {
                    i = "0".to_owned();
                }
                if w.random.one_in(8) {
                    j = "c - 1".to_owned();
                }
                array.element(&i, &j)
            } else if grid {
                if world.n == 0 {
                    return None;
                }
                array.element(w.random.pick(&["i % n", "(i + j) % n", "j % n", "0", "n - 1"]), "")
            } else {
                let i = match w.random.below(9) {
                    0 => "n - 1 - i".to_owned(),
                    1 => "i / 2".to_owned(),
                    2 => "i * 2 % n".to_owned(),
                    3 => "(n - 1) / 2".to_owned(),
                    4 => "i & ~1".to_owned(),
                    _ => near(w.random, "i", margin),
                };
                array.element(&i, "")
            };
            Some((element, array.scalar))
        };
        let Some((target, scalar)) = access(w) else { continue };
        let mut scope =
            Scope { leaves: vec![], targets: vec![], calls: vec!["mix"], may_continue: false };
        for _ in 0..2 {
            if let Some((element, scalar)) = access(w) {
                scope.leaves.push(Expr::any(element, scalar));
            }
        }
        scope.leaves.push(Expr::between("(long)i", Scalar::I64, 0, 1000));
        let value = w.value(&scope, scalar, 3);
        if w.random.one_in(5) {
            let condition = w.integer(&scope, 1).text;
            w.line(format!("if ({condition})"));
        }
        w.line(format!("{target} = {value};"));
        if carried {
            let value = w.integer(&scope, 1).cast(Scalar::U32).text;
            match w.random.below(4) {
                0 => w.line(format!("carried += {value};")),
                1 => w.line(format!("carried = carried * 5u + {value};")),
                2 => w.line(format!("carried = carried > {value} ? carried : {value};")),
                _ => {}
            }
        }
    }
    if grid {
        w.close();
    }
    w.close();
    if repeat {
        w.close();
    }
}

pub(super) fn directive(random: &mut Random) -> &'static str {
    ["#pragma acc loop auto", "#pragma acc loop seq", "#pragma acc loop"][random.below(3)]
}
