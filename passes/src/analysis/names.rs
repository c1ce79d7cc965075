//! What values are called in the program, where that is still known: a value that a variable was set to has the variable's
//! name in its location.

use gpuc_ir::op::Traits;
use gpuc_ir::{Ident, Ir, Location, LocationKind, Op, Value};

/// The name of the variable that a value is, or was.
pub fn variable(ir: &Ir, value: Value) -> Option<&str> {
    of_location(ir, ir.value_location(value))
}

/// The name in a location.
pub fn of_location(ir: &Ir, location: Location) -> Option<&str> {
    match ir.ctx.location_kind(location) {
        &LocationKind::Name { name, .. } => Some(ir.ctx.str(name)),
        _ => None,
    }
}

/// Gives a value that has no name the name of a variable. Constants are nobody's.
pub fn set(ir: &mut Ir, value: Value, name: &str) {
    let name = ir.ctx.ident(name);
    set_ident(ir, value, name);
}

/// Gives the name in a location to a value that has none: what the variable of that name was set to.
pub fn hand_on(ir: &mut Ir, from: Location, value: Value) {
    if let &LocationKind::Name { name, .. } = ir.ctx.location_kind(from) {
        set_ident(ir, value, name);
    }
}

fn set_ident(ir: &mut Ir, value: Value, name: Ident) {
    let constant = |op: Op| ir.has_trait(op, Traits::CONSTANT_LIKE);
    let child = ir.value_location(value);
    if of_location(ir, child).is_none() && !ir.defining_op(value).is_some_and(constant) {
        let location = ir.ctx.add_location(LocationKind::Name { name, child });
        ir.set_value_location(value, location);
    }
}
