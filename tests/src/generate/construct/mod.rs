//! Random compute constructs.

mod clauses;
mod head;
mod nest;
mod ordered;
mod reduction;
mod single;

use super::program::{Array, World};
use super::statement::Writer;

/// Writes a construct into a block of its own.
pub fn construct(w: &mut Writer<'_>, world: &World, at: usize, present: bool, apart: bool) {
    let grids = world.arrays.iter().any(Array::is_grid);
    w.line(format!("/* construct {at} */"));
    match w.random.below(12) {
        0..=2 => single::line(w, world, present, apart),
        3..=5 if grids => nest::grid(w, world, present, apart),
        6 => single::histogram(w, world, present, apart),
        7 => single::library(w, world, present, apart),
        8 => single::region(w, world, present, apart),
        _ => ordered::ordered(w, world, present, apart),
    }
}
