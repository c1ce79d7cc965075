//! Nests over grids.

use crate::generate::expression::Expr;
use crate::generate::program::World;
use crate::generate::scalar::Scalar;
use crate::generate::statement::Writer;

use super::clauses::{data, iteration, scalars, sizes, split};
use super::head::head;
use super::reduction::{Reduction, print_reductions, reduction, reduction_clauses};

/// A nest over grids.
pub(super) fn grid(w: &mut Writer<'_>, world: &World, present: bool, apart: bool) {
    let (own, shared) = split(w.random, world, true);
    let (mut leaves, mut clauses, private) = scalars(w);
    let private_clause = clauses.find(" private(").map(|at| clauses.split_off(at));
    clauses.push_str(&data(w, &own, &shared, present, apart));
    clauses.push_str(&sizes(w.random));
    let reductions: Vec<Reduction> = (0..w.random.below(2)).map(|_| reduction(w)).collect();
    let reduced = reduction_clauses(&reductions);
    let private_clause = private_clause.unwrap_or_default();
    let outer = head(w.random, "i", "r", world.rows);
    let inner = head(w.random, "j", "c", world.columns);
    let shape = w.random.below(6);
    let mut row_sum = false;
    match shape {
        0 | 1 => {
            let levels = w.random.pick(&["", " gang", " gang vector", " gang worker vector"]);
            w.line(format!(
                "#pragma acc parallel loop collapse(2){levels}{clauses}{reduced}{private_clause}"
            ));
            w.line(&outer.text);
            w.open(format!("{} {{", inner.text));
        }
        2 | 3 => {
            let (first, second) = [
                (" gang", " vector"),
                (" gang", " worker vector"),
                (" gang worker", " vector"),
                ("", ""),
                (" gang vector", " seq"),
                (" gang", " seq"),
                (" gang", ""),
            ][w.random.below(7)];
            w.line(format!("#pragma acc parallel loop{first}{clauses}{reduced}"));
            w.open(format!("{} {{", outer.text));
            if w.random.one_in(2) {
                w.line(format!("int row = ({}) * 3 + 1;", outer.index));
                leaves.push(Expr::between("row", Scalar::I32, -20, 1000));
            }
            row_sum = w.random.one_in(3) && second != " seq";
            let more = if row_sum { " reduction(+:row_sum)" } else { "" };
            if row_sum {
                w.line("unsigned row_sum = 5;");
            }
            w.line(format!("#pragma acc loop{second}{reduced}{more}{private_clause}"));
            w.open(format!("{} {{", inner.text));
        }
        4 => {
            w.line(format!("#pragma acc parallel{clauses}"));
            w.open("{");
            w.line(format!("#pragma acc loop gang{reduced}"));
            w.open(format!("{} {{", outer.text));
            w.line(format!("#pragma acc loop vector{reduced}{private_clause}"));
            w.open(format!("{} {{", inner.text));
        }
        _ => {
            // Independent rows; columns in order.
            w.line(format!("#pragma acc parallel loop{clauses}{reduced}{private_clause}"));
            w.open(format!("{} {{", outer.text));
            w.open(format!("{} {{", inner.text));
        }
    }
    leaves.push(outer.variable.clone());
    leaves.push(inner.variable.clone());
    if row_sum {
        w.line(format!("row_sum += (unsigned)({}) * 7u;", inner.index));
    }
    iteration(
        w,
        world,
        &own,
        &shared,
        (&outer.index, &inner.index),
        &leaves,
        &private,
        &reductions,
    );
    w.close();
    if let Some(array) = own.first()
        && row_sum
    {
        let element = array.element(&outer.index, "0");
        if array.scalar.is_float() {
            w.line(format!("{element} += row_sum;"));
        } else {
            w.line(format!("{element} ^= row_sum & 1;"));
        }
    }
    if (2..=5).contains(&shape) {
        w.close();
    }
    if shape == 4 {
        w.close();
    }
    print_reductions(w, &reductions);
}
