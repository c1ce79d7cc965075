//! What an iteration may touch, and the clauses that say so.

use crate::generate::expression::Expr;
use crate::generate::program::{Array, World, start_value};
use crate::generate::random::Random;
use crate::generate::scalar::Scalar;
use crate::generate::statement::{Scope, Writer};

use super::reduction::{Reduction, reduce};

/// The scope of an iteration that owns the elements at `i` (and `j`) of `own` and may read
/// everything of `shared`.
pub(super) fn scope(
    w: &mut Writer<'_>,
    world: &World,
    own: &[&Array],
    shared: &[&Array],
    at: (&str, &str),
    variables: &[Expr],
) -> Scope {
    let mut scope = Scope {
        leaves: variables.to_vec(),
        targets: Vec::new(),
        calls: vec!["choose", "mix"],
        may_continue: false,
    };
    for array in own {
        let element = array.element(at.0, at.1);
        scope.leaves.push(Expr::any(element.clone(), array.scalar));
        scope.targets.push((element, array.scalar));
    }
    for array in shared {
        let rows = if array.is_grid() { "r" } else { "n" };
        if !array.is_grid() && world.n == 0 {
            continue;
        }
        for _ in 0..2 {
            let short = Scope {
                leaves: variables.to_vec(),
                targets: vec![],
                calls: vec![],
                may_continue: false,
            };
            let any = w.integer(&short, 1).text;
            let other = w.integer(&short, 1).text;
            let i = format!("(unsigned)({any}) % (unsigned){rows}");
            let j = format!("(unsigned)({other}) % (unsigned)c");
            scope.leaves.push(Expr::any(array.element(&i, &j), array.scalar));
        }
    }
    // Own elements are what the sums show: they are chosen more often.
    let own_targets = scope.targets.clone();
    scope.targets.extend(own_targets);
    scope
}

pub(super) fn split<'w>(
    random: &mut Random,
    world: &'w World,
    grid: bool,
) -> (Vec<&'w Array>, Vec<&'w Array>) {
    let (mut own, mut shared) = (Vec::new(), Vec::new());
    for array in &world.arrays {
        if array.is_grid() == grid && random.one_in(2) {
            own.push(array);
        } else if random.one_in(2) {
            shared.push(array);
        }
    }
    if own.is_empty() {
        let fitting: Vec<&Array> = world.arrays.iter().filter(|a| a.is_grid() == grid).collect();
        if !fitting.is_empty() {
            let chosen = fitting[random.below(fitting.len())];
            shared.retain(|a| a.name != chosen.name);
            own.push(chosen);
        }
    }
    (own, shared)
}

/// Data clauses for the arrays of a construct. Arrays that are not listed must need no clause.
pub(super) fn data(
    w: &mut Writer<'_>,
    own: &[&Array],
    shared: &[&Array],
    present: bool,
    apart: bool,
) -> String {
    let mut clauses = String::new();
    for (arrays, written) in [(own, true), (shared, false)] {
        for array in arrays {
            let needed = !present && (apart || !array.has_size());
            if !needed && w.random.one_in(3) {
                continue;
            }
            let what = if needed || apart || present || !array.has_size() || w.random.one_in(2) {
                array.section()
            } else {
                array.name.clone()
            };
            let clause = match (written, present) {
                (_, true) if w.random.one_in(2) => "present",
                (true, _) => "copy",
                (false, _) if w.random.one_in(4) => "copy",
                (false, _) => "copyin",
            };
            clauses.push_str(&format!(" {clause}({what})"));
        }
    }
    clauses
}

pub(super) fn sizes(random: &mut Random) -> String {
    let mut clauses = String::new();
    if random.one_in(4) {
        clauses.push_str(&format!(" num_gangs({})", random.within(1, 9)));
    }
    if random.one_in(4) {
        clauses.push_str(random.pick(&[" num_workers(1)", " num_workers(2)", " num_workers(4)"]));
    }
    if random.one_in(4) {
        clauses.push_str(random.pick(&[
            " vector_length(32)",
            " vector_length(64)",
            " vector_length(n + 1)",
            " vector_length(256)",
            " vector_length(1)",
            " vector_length(40)",
        ]));
    }
    if random.one_in(8) {
        clauses.push_str(" if(n >= 0)");
    }
    clauses
}

/// Scalars before a construct, one of them firstprivate, one private.
pub(super) fn scalars(w: &mut Writer<'_>) -> (Vec<Expr>, String, Vec<(String, Scalar)>) {
    let mut clauses = String::new();
    let mut leaves = Vec::new();
    for _ in 0..w.random.below(3) {
        let scalar = [Scalar::I32, Scalar::U8, Scalar::I64, Scalar::F64, Scalar::Bool, Scalar::F32]
            [w.random.below(6)];
        let name = w.name("s");
        let value = start_value(w.random, scalar);
        w.line(format!("{} {name} = {value};", scalar.name()));
        if w.random.one_in(3) {
            clauses.push_str(&format!(" firstprivate({name})"));
        }
        leaves.push(Expr::any(name, scalar));
    }
    let mut private = Vec::new();
    if w.random.one_in(3) {
        let scalar = Scalar::INTEGERS[w.random.below(9)];
        let name = w.name("p");
        w.line(format!("{} {name} = 3;", scalar.name()));
        w.line(format!("(void){name};"));
        clauses.push_str(&format!(" private({name})"));
        private.push((name, scalar));
    }
    (leaves, clauses, private)
}

/// The body of an innermost loop.
pub(super) fn iteration(
    w: &mut Writer<'_>,
    world: &World,
    own: &[&Array],
    shared: &[&Array],
    at: (&str, &str),
    leaves: &[Expr],
    private: &[(String, Scalar)],
    reductions: &[Reduction],
) {
    let mut scope = scope(w, world, own, shared, at, leaves);
    scope.may_continue = true;
    for (name, scalar) in private {
        let value = w.value(&scope, *scalar, 1);
        w.line(format!("{name} = {value};"));
        scope.leaves.push(Expr::any(name.clone(), *scalar));
        scope.targets.push((name.clone(), *scalar));
    }
    let count = 1 + w.random.below(5);
    w.block(&mut scope, count, 3);
    for reduction in reductions {
        reduce(w, &scope, reduction);
    }
}
