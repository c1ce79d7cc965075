//! Names of loops in plans: the variables of the source, with the line where that is not enough.
//!
//! The location of a loop's variable holds the name (`loc("i"("a.c":4:10))`), so that texts stay as they
//! are and loops that are written anew hand it on. [`begin`] makes them unique in a function when its plan
//! begins: `i`; of several, `i@4` and `i@9`; in one line, or made from one loop by a step, `i` and `i.2`. What has
//! no variable is `@12`, by its line. Only loops that plans speak of have a say: not those of versions that
//! are decided as if there were none.

use std::collections::{BTreeMap, BTreeSet};

use gpuc_ir::{Ir, Location, LocationKind, Op, Value, WalkOrder};

use super::is_planned;

/// Something with a name: a variable of a counted loop, or a loop or conditional without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Variable(Op, Value),
    Operation(Op),
}

impl Named {
    fn location(self, ir: &Ir) -> Location {
        match self {
            Named::Variable(_, value) => ir.value_location(value),
            Named::Operation(op) => ir.location(op),
        }
    }

    fn rename(self, ir: &mut Ir, name: &str) {
        let own = self.location(ir);
        let child = match *ir.ctx.location_kind(own) {
            LocationKind::Name { child, .. } => child,
            _ => own,
        };
        let name = ir.ctx.ident(name);
        let location = ir.ctx.add_location(LocationKind::Name { name, child });
        match self {
            Named::Variable(_, value) => ir.set_value_location(value, location),
            Named::Operation(op) => ir.set_location(op, location),
        }
    }
}

fn name_at(ir: &Ir, location: Location) -> Option<&str> {
    match ir.ctx.location_kind(location) {
        LocationKind::Name { name, .. } => Some(ir.ctx.str(*name)),
        LocationKind::CallSite { callee, .. } => name_at(ir, *callee),
        _ => None,
    }
}

/// The name of a loop's variable.
pub fn of_variable(ir: &Ir, variable: Value) -> Option<&str> {
    name_at(ir, ir.value_location(variable))
}

/// The names of a loop's dimensions, outermost first; of what counts none, its own.
pub fn of_loop(ir: &Ir, op: Op) -> Vec<String> {
    let named = named_by(ir, op);
    named.iter().map(|each| name_at(ir, each.location(ir)).unwrap_or("?").to_owned()).collect()
}

/// The name of a loop of one dimension, or of the innermost one.
pub fn of(ir: &Ir, op: Op) -> String {
    of_loop(ir, op).pop().unwrap_or_else(|| "?".to_owned())
}

/// The loop inside `root`, of a version that the plan speaks of, one of whose dimensions has a name.
pub fn find(ir: &Ir, root: Op, name: &str) -> Option<Op> {
    let all = ir.nested_ops(root, WalkOrder::PreOrder);
    let mut all = all.into_iter().filter(|&op| of_loop(ir, op).iter().any(|own| own == name));
    all.find(|&op| is_planned(ir, op))
}

/// All names in a function.
pub fn all(ir: &Ir, func: Op) -> Vec<String> {
    let ops = ir.nested_ops(func, WalkOrder::PreOrder).into_iter();
    ops.filter(|&op| is_planned(ir, op)).flat_map(|op| of_loop(ir, op)).collect()
}

/// What of an operation has a name.
fn named_by(ir: &Ir, op: Op) -> Vec<Named> {
    let dims = ir.loop_dimensions(op);
    if !dims.is_empty() {
        return dims.into_iter().map(|dim| Named::Variable(op, dim.variable)).collect();
    }
    let hooks = ir.def(op).map(|def| &def.hooks);
    let is_loop = hooks.is_some_and(|hooks| hooks.loop_regions.is_some());
    let is_choice = hooks.is_some_and(|hooks| hooks.region_branch.is_some())
        && !ir.has_trait(op, gpuc_ir::op::Traits::AFFINE_SCOPE);
    if is_loop || is_choice { vec![Named::Operation(op)] } else { Vec::new() }
}

fn collect(ir: &Ir, func: Op) -> Vec<Named> {
    let ops = ir.nested_ops(func, WalkOrder::PreOrder).into_iter();
    ops.filter(|&op| op != func && is_planned(ir, op)).flat_map(|op| named_by(ir, op)).collect()
}

/// Gives every loop of a function a name of its own.
pub fn begin(ir: &mut Ir, func: Op) {
    let all = collect(ir, func);
    let line = |ir: &Ir, each: Named| ir.ctx.place(each.location(ir)).map_or(0, |place| place.line);
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for each in &all {
        if let (Named::Variable(..), Some(name)) = (each, name_at(ir, each.location(ir))) {
            *known.entry(name.to_owned()).or_default() += 1;
        }
    }
    for &each in &all {
        let name = match (each, name_at(ir, each.location(ir))) {
            (Named::Variable(..), Some(name)) if known[name] == 1 => continue,
            (Named::Variable(..), Some(name)) => format!("{name}@{}", line(ir, each)),
            _ => format!("@{}", line(ir, each)),
        };
        each.rename(ir, &name);
    }
    renew(ir, func);
}

/// Gives loops that a step has made names of their own: of several with one name, the first keeps it. Returns
/// nothing new where all names are unique.
pub fn renew(ir: &mut Ir, func: Op) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let all = collect(ir, func);
    // A name that is there already is not given again.
    let there: BTreeSet<String> =
        all.iter().filter_map(|each| name_at(ir, each.location(ir)).map(str::to_owned)).collect();
    for each in all {
        let own = match name_at(ir, each.location(ir)) {
            Some(own) => own.to_owned(),
            None => {
                let line = ir.ctx.place(each.location(ir)).map_or(0, |place| place.line);
                format!("@{line}")
            }
        };
        let mut name = own.clone();
        let mut number = 2;
        while taken.contains(&name) || name != own && there.contains(&name) {
            name = format!("{own}.{number}");
            number += 1;
        }
        if name != own || name_at(ir, each.location(ir)).is_none() {
            each.rename(ir, &name);
        }
        taken.insert(name);
    }
}

/// Gives a loop the names that a plan has for what a step made.
pub fn set(ir: &mut Ir, op: Op, name: &str) {
    if let Some(&each) = named_by(ir, op).last() {
        each.rename(ir, name);
    }
}

/// Gives the variable of one dimension of a loop a name.
pub fn set_variable(ir: &mut Ir, variable: Value, name: &str) {
    let Some(op) = ir.value_block(variable).and_then(|block| ir.block_op(block)) else { return };
    Named::Variable(op, variable).rename(ir, name);
}
