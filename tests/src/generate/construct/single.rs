//! Constructs of one loop over lines.

use crate::generate::expression::Expr;
use crate::generate::program::World;
use crate::generate::random::Random;
use crate::generate::scalar::Scalar;
use crate::generate::statement::Writer;

use super::clauses::{data, iteration, scalars, scope, sizes, split};
use super::head::head;
use super::reduction::{Reduction, print_reductions, reduction, reduction_clauses};

/// One loop over lines.
pub(super) fn line(w: &mut Writer<'_>, world: &World, present: bool, apart: bool) {
    let (own, shared) = split(w.random, world, false);
    let (mut leaves, mut clauses, private) = scalars(w);
    let reductions: Vec<Reduction> = (0..w.random.below(3)).map(|_| reduction(w)).collect();
    clauses.push_str(&reduction_clauses(&reductions));
    clauses.push_str(&data(w, &own, &shared, present, apart));
    let levels = w.random.pick(&[
        "",
        "",
        " gang",
        " gang vector",
        " gang worker vector",
        " vector",
        " worker",
        " independent",
    ]);
    let construct = w.random.pick(&["parallel", "parallel", "kernels"]);
    let mut levels = levels.to_owned();
    if construct == "kernels" {
        if !private.is_empty() || !reductions.is_empty() || w.random.one_in(2) {
            levels.push_str(" independent");
            levels = levels.replace(" independent independent", " independent");
        }
        clauses = clauses.replace(" firstprivate(", " copyin(");
    }
    clauses.push_str(&sizes(w.random));
    let head = head(w.random, "i", "n", world.n);
    w.line(format!("#pragma acc {construct} loop{levels}{clauses}"));
    w.open(format!("{} {{", head.text));
    leaves.push(head.variable.clone());
    iteration(w, world, &own, &shared, (&head.index, ""), &leaves, &private, &reductions);
    w.close();
    print_reductions(w, &reductions);
}

/// Atomic updates of a few bins.
pub(super) fn histogram(w: &mut Writer<'_>, world: &World, present: bool, apart: bool) {
    let (_, shared) = split(w.random, world, false);
    let types = [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F32, Scalar::F64];
    let scalar = types[w.random.below(types.len())];
    let (name, head) = (w.name("bins"), head(w.random, "i", "n", world.n));
    w.line(format!("{} {name}[7] = {{1, 2, 3}};", scalar.name()));
    let clauses = data(w, &[], &shared, present, apart);
    let copied =
        if w.random.one_in(2) { format!(" copy({name})") } else { format!(" copy({name}[0:7])") };
    w.line(format!("#pragma acc parallel loop{clauses}{copied}"));
    w.open(format!("{} {{", head.text));
    let scope =
        scope(w, world, &[], &shared, (&head.index, ""), std::slice::from_ref(&head.variable));
    let bin = w.integer(&scope, 2).text;
    let value = w.integer(&scope, 2).cast(Scalar::U8).text;
    let element = format!("{name}[(unsigned)({bin}) % 7u]");
    let line = atomic(w.random);
    w.line(line);
    let form = w.random.below(6);
    w.line(match form {
        0 if !scalar.is_float() => format!("{element} |= {value};"),
        1 if !scalar.is_float() => format!("{element} ^= {value};"),
        2 => format!("{element}++;"),
        3 if !scalar.is_signed() => format!("{element} *= {value} | 1;"),
        4 => format!("{element} -= {value};"),
        _ => format!("{element} += {value};"),
    });
    w.close();
    w.line(format!(
        "for (int i = 0; i < 7; i++) printf(\"{name} %lld\\n\", (long long){name}[i]);"
    ));
}

pub(super) fn atomic(random: &mut Random) -> &'static str {
    if random.one_in(2) { "#pragma acc atomic update" } else { "#pragma acc atomic" }
}

/// Functions of the mathematical library.
pub(super) fn library(w: &mut Writer<'_>, world: &World, present: bool, apart: bool) {
    let (_, shared) = split(w.random, world, false);
    let (name, head) = (w.name("library"), head(w.random, "i", "n", world.n));
    w.line(format!("static double {name}[N + !N];"));
    let clauses = data(w, &[], &shared, present, apart);
    w.line(format!("#pragma acc parallel loop{clauses} copy({name})"));
    w.open(format!("{} {{", head.text));
    let scope =
        scope(w, world, &[], &shared, (&head.index, ""), std::slice::from_ref(&head.variable));
    let (a, b) = (w.inexact(&scope), w.inexact(&scope));
    w.line(format!("{name}[{}] = {a} + {b};", head.index));
    w.close();
    w.line(format!(
        "for (int i = 0; i < n; i += 1 + n / 40) printf(\"~{name} %d %.17g\\n\", i, {name}[i]);"
    ));
}

/// A region with several loops and what is computed once before them.
pub(super) fn region(w: &mut Writer<'_>, world: &World, present: bool, apart: bool) {
    let (own, shared) = split(w.random, world, false);
    let (mut leaves, clauses, _) = scalars(w);
    let clauses: String = clauses.split(" private(").next().unwrap_or_default().to_owned();
    let data = data(w, &own, &shared, present, apart);
    let sizes = sizes(w.random);
    w.line(format!("#pragma acc parallel{clauses}{data}{sizes}"));
    w.open("{");
    w.line("int base = n * 3 + 1;");
    leaves.push(Expr::between("base", Scalar::I32, 1, 3001));
    // Another loop may run at the same time on other gangs: each array belongs to one of them.
    for array in own.iter().take(2) {
        let head = head(w.random, "i", "n", world.n);
        let levels = w.random.pick(&[" gang vector", " gang", ""]);
        w.line(format!("#pragma acc loop{levels}"));
        w.open(format!("{} {{", head.text));
        leaves.push(head.variable.clone());
        iteration(w, world, &[array], &[], (&head.index, ""), &leaves, &[], &[]);
        leaves.pop();
        w.close();
    }
    w.close();
}
