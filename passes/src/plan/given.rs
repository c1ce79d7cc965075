//! Steps that are to be taken, and what is said of those that cannot be.

use gpuc_diagnostics::{Diagnostic, Place, codes, did_you_mean};
use gpuc_dialects::offload::{PLAN_GIVEN_ATTR, PLAN_HEAD_ATTR};
use gpuc_ir::{Attr, Ir, Op};

use super::names;
use super::step::StepKind;
use super::text::{self, Placed, Plan};
use crate::steps::refusal::Refusal;

/// The plan that a construct's function is to follow.
#[derive(Clone, Debug)]
pub struct Given {
    /// Where it begins.
    pub place: Place,
    /// Its steps.
    pub steps: Vec<Placed>,
}

impl Given {
    /// Gives a function a plan.
    pub fn give(ir: &mut Ir, func: Op, plan: &Plan) {
        write(ir, func, PLAN_GIVEN_ATTR, &plan.place, &plan.steps);
    }

    /// Gives a function the orders of loops that its plan begins with; what comes behind them is the compiler's to decide.
    pub fn begin_with(ir: &mut Ir, func: Op, place: &Place, steps: &[Placed]) {
        write(ir, func, PLAN_HEAD_ATTR, place, steps);
    }

    /// The plan that a function was given.
    ///
    /// # Errors
    /// The attribute is not one that [`Given::give`] makes.
    pub fn of(ir: &Ir, func: Op) -> Result<Option<Given>, Diagnostic> {
        read(ir, func, PLAN_GIVEN_ATTR)
    }

    /// Takes the orders of loops that a function's plan begins with.
    ///
    /// # Errors
    /// The attribute is not one that [`Given::begin_with`] makes.
    pub fn take_beginning(ir: &mut Ir, func: Op) -> Result<Option<Given>, Diagnostic> {
        let given = read(ir, func, PLAN_HEAD_ATTR)?;
        ir.remove_attr(func, PLAN_HEAD_ATTR);
        Ok(given)
    }

    /// The steps of a kind, in order, each with its place.
    pub fn of_kind<'a, T: StepKind + Clone>(&'a self) -> Vec<(T, &'a Placed)> {
        let own = |placed: &'a Placed| Some((T::of(&placed.step)?.clone(), placed));
        self.steps.iter().filter_map(own).collect()
    }
}

/// Writes steps to an attribute.
fn write(ir: &mut Ir, func: Op, attr: &'static str, place: &Place, steps: &[Placed]) {
    let number = |ir: &mut Ir, n: u32| ir.ctx.i64_attr(i64::from(n));
    let placed = |ir: &mut Ir, text: &str, place: &Place| -> Attr {
        let text = ir.ctx.string_attr(text);
        let [line, column, length] =
            [place.line, place.column, place.length].map(|n| number(ir, n));
        ir.ctx.array_attr(&[text, line, column, length])
    };
    let mut all = vec![placed(ir, &place.file, place)];
    for step in steps {
        all.push(placed(ir, &step.step.to_string(), &step.place));
    }
    let all = ir.ctx.array_attr(&all);
    ir.set_attr(func, attr, all);
}

/// Reads them from there.
fn read(ir: &Ir, func: Op, name: &'static str) -> Result<Option<Given>, Diagnostic> {
    let Some(attr) = ir.attr(func, name) else { return Ok(None) };
    let wrong = || {
        Diagnostic::error(format!("'{name}' is no plan"))
            .code(codes::PLAN_TEXT)
            .at_option(ir.ctx.place(ir.location(func)))
    };
    let mut parts = Vec::new();
    for &element in ir.ctx.array_value(attr).ok_or_else(wrong)? {
        let &[text, line, column, length] = ir.ctx.array_value(element).ok_or_else(wrong)? else {
            return Err(wrong());
        };
        let text = ir.ctx.string_value(text).ok_or_else(wrong)?;
        let number = |attr: Attr| {
            ir.ctx.int_value(attr).and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong)
        };
        parts.push((text, [number(line)?, number(column)?, number(length)?]));
    }
    let Some((&(file, [line, column, length]), steps)) = parts.split_first() else {
        return Err(wrong());
    };
    let place = Place::new(file, line, column, length);
    let mut given = Given { place, steps: Vec::new() };
    for &(step, [line, column, length]) in steps {
        let place = Place::new(file, line, column, length);
        // Columns are those of the file, not of the text as it is printed.
        let parsed = text::parse_step(step, Place { column: 0, ..place.clone() })?;
        given.steps.push(Placed { step: parsed.step, place });
    }
    Ok(Some(given))
}

impl Placed {
    /// An error at the step.
    pub fn error(&self, text: impl Into<String>) -> Diagnostic {
        Diagnostic::error(text).code(codes::PLAN_STEP).at(self.place.clone())
    }

    /// The step was refused.
    pub fn refused(&self, ir: &Ir, refusal: &Refusal) -> Diagnostic {
        let mut error = self.error(format!("'{}' is refused: {}", self.step.word(), refusal.rule));
        if let Some(place) = refusal.at.and_then(|op| ir.ctx.place(ir.location(op))) {
            error = error.related(place, "here");
        }
        for help in refusal.helps(ir) {
            error = error.help(help);
        }
        error
    }

    /// The step was refused by who said why in a remark of its own.
    pub fn refused_as(&self, remark: &Diagnostic) -> Diagnostic {
        let mut error =
            self.error(format!("'{}' is refused: {}", self.step.word(), remark.message));
        if let Some(place) = &remark.place {
            error = error.related(place.clone(), "here");
        }
        remark.help.iter().fold(error, |error, help| error.help(help.clone()))
    }

    /// There is no loop of a name.
    pub fn unknown(&self, ir: &Ir, func: Op, name: &str) -> Diagnostic {
        let known = names::all(ir, func);
        let error = self.error(format!("there is no loop '{name}' for '{}'", self.step.word()));
        // A loop that was there: whoever took it last.
        let given = Given::of(ir, func).ok().flatten().map_or_else(Vec::new, |given| given.steps);
        let names_it = |step: &str| step.split([' ', ',', '(', ')', '*']).any(|word| word == name);
        let before = given.iter().take_while(|placed| placed.place != self.place);
        if let Some(taker) = before.filter(|placed| names_it(&placed.step.to_string())).last() {
            return error
                .related(taker.place.clone(), "this step took it")
                .help(format!("loops are {} by then", known.join(", ")));
        }
        match did_you_mean(name, known.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("loops are {} by then", known.join(", "))),
        }
    }

    /// The loop of a name inside a function.
    ///
    /// # Errors
    /// There is none.
    pub fn find(&self, ir: &Ir, func: Op, name: &str) -> Result<Op, Diagnostic> {
        names::find(ir, func, name).ok_or_else(|| self.unknown(ir, func, name))
    }

    /// Whether the step has been taken.
    pub fn is_taken(&self, ir: &Ir, func: Op) -> bool {
        let own = self.step.to_string();
        super::record::texts(ir, func).contains(&&*own)
    }
}

/// Steps that nobody took: an error for the first one.
///
/// # Errors
/// Names it.
pub fn all_taken(ir: &Ir, func: Op) -> Result<(), Diagnostic> {
    let Some(given) = Given::of(ir, func)? else { return Ok(()) };
    let mut left = given.steps.iter().filter(|placed| !placed.is_taken(ir, func));
    let Some(placed) = left.next() else { return Ok(()) };
    let taken = super::record::texts(ir, func);
    let mut error = placed.error(format!("nobody took the step '{}'", placed.step));
    let same = |text: &&&str| text.split(' ').next() == Some(placed.step.word());
    if let Some(near) = taken.iter().find(same) {
        error = error.help(format!("what was done is `{near}`"));
    }
    Err(error)
}
