//! Steps that were taken, at the function of their construct.

use gpuc_diagnostics::Place;
use gpuc_dialects::offload::{PLAN_ATTR, PLAN_KEY_ATTR};
use gpuc_ir::{Ir, Op};

use super::step::Step;
use super::text::{self, Plan};

/// Notes a step. Functions in which no plan was begun have none.
pub fn record(ir: &mut Ir, func: Op, step: impl Into<Step>) {
    let Some(attr) = ir.attr(func, PLAN_ATTR) else { return };
    let mut steps = ir.ctx.array_value(attr).unwrap_or(&[]).to_vec();
    steps.push(ir.ctx.string_attr(&step.into().to_string()));
    let steps = ir.ctx.array_attr(&steps);
    ir.set_attr(func, PLAN_ATTR, steps);
}

/// The texts of the steps taken so far.
pub fn texts(ir: &Ir, func: Op) -> Vec<&str> {
    let steps = ir.attr(func, PLAN_ATTR).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or(&[]);
    steps.iter().filter_map(|&step| ir.ctx.string_value(step)).collect()
}

/// The plan of a construct's function so far, as text; `None` where none was begun.
pub fn printed(ir: &Ir, func: Op) -> Option<String> {
    ir.attr(func, PLAN_ATTR)?;
    let key = ir.attr(func, PLAN_KEY_ATTR).and_then(|attr| ir.ctx.string_value(attr))?;
    let steps: String = texts(ir, func).iter().map(|step| format!("  {step}\n")).collect();
    Some(format!("{key}\n{steps}"))
}

/// The plan of a construct's function so far.
pub fn of(ir: &Ir, func: Op) -> Option<Plan> {
    let text = text::header() + &printed(ir, func)?;
    text::parse(&text, "").ok()?.pop().map(|plan| Plan { place: Place::new("", 0, 0, 0), ..plan })
}
