//! What `share` pragmas ask of a construct's plan before it is made (Li et al. 2016): the arrays that blocks have in their
//! memory, by what a block works on of each.
//!
//! [`Asked::give`] puts it at the construct's function, `partition-arrays` finds the steps that do it, or says what forbids it,
//! and leaves them there for whoever makes the plan ([`steps`]).

use gpuc_diagnostics::{Diagnostic, Place, codes};
use gpuc_dialects::offload::share::{self, ArraySpec};
use gpuc_dialects::offload::{SHARE_ATTR, SHARE_STEPS_ATTR};
use gpuc_ir::{Attr, Ir, Op};

use super::step::{Name, Step};

/// What one pragma asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The outermost loop of the nest, as plans call it.
    pub nest: Name,
    /// Where it is asked for.
    pub place: Place,
    /// The arrays, each with its place.
    pub arrays: Vec<(ArraySpec, Place)>,
}

impl Asked {
    /// Puts what is asked for at a construct's function.
    pub fn give(ir: &mut Ir, func: Op, all: &[Asked]) {
        let placed = |ir: &mut Ir, text: &str, place: &Place| -> Attr {
            let file = ir.ctx.string_attr(&place.file);
            let text = ir.ctx.string_attr(text);
            let [line, column, length] = [place.line, place.column, place.length]
                .map(|number| ir.ctx.i64_attr(i64::from(number)));
            ir.ctx.array_attr(&[text, file, line, column, length])
        };
        let mut attrs = Vec::new();
        for asked in all {
            let mut parts = vec![placed(ir, &asked.nest, &asked.place)];
            for (spec, place) in &asked.arrays {
                parts.push(placed(ir, &spec.to_string(), place));
            }
            attrs.push(ir.ctx.array_attr(&parts));
        }
        let attr = ir.ctx.array_attr(&attrs);
        ir.set_attr(func, SHARE_ATTR, attr);
    }

    /// Takes what is asked for from a function.
    ///
    /// # Errors
    /// The attribute is not one that [`Asked::give`] makes.
    pub fn take(ir: &mut Ir, func: Op) -> Result<Vec<Asked>, Diagnostic> {
        let Some(attr) = ir.attr(func, SHARE_ATTR) else { return Ok(Vec::new()) };
        let found = read(ir, attr).ok_or_else(|| {
            Diagnostic::error(format!("'{SHARE_ATTR}' is no list of what is shared"))
                .code(codes::PLAN_TEXT)
                .at_option(ir.ctx.place(ir.location(func)))
        })?;
        ir.remove_attr(func, SHARE_ATTR);
        Ok(found)
    }

    /// An error at a place of it.
    pub fn error(&self, at: Option<&Place>, text: impl Into<String>) -> Diagnostic {
        let place = at.unwrap_or(&self.place).clone();
        Diagnostic::error(text).code(codes::PLAN_STEP).at(place)
    }
}

fn read(ir: &Ir, attr: Attr) -> Option<Vec<Asked>> {
    let placed = |attr: Attr| {
        let &[text, file, line, column, length] = ir.ctx.array_value(attr)? else { return None };
        let number = |attr: Attr| ir.ctx.int_value(attr).and_then(|n| u32::try_from(n).ok());
        let file = ir.ctx.string_value(file)?;
        let place = Place::new(file, number(line)?, number(column)?, number(length)?);
        Some((ir.ctx.string_value(text)?, place))
    };
    let one = |attr: Attr| {
        let (first, specs) = ir.ctx.array_value(attr)?.split_first()?;
        let (nest, place) = placed(*first)?;
        let spec = |attr: &Attr| {
            let (text, place) = placed(*attr)?;
            Some((share::parse(text).ok()?.pop()?, place))
        };
        let arrays = specs.iter().map(spec).collect::<Option<_>>()?;
        Some(Asked { nest: nest.to_owned(), place, arrays })
    };
    ir.ctx.array_value(attr)?.iter().map(|&attr| one(attr)).collect()
}

/// Leaves the steps at the function, for each pragma those that do what it asks for.
pub fn leave(ir: &mut Ir, func: Op, steps: &[Vec<Step>]) {
    let mut all = Vec::new();
    for own in steps {
        let texts: Vec<Attr> = own.iter().map(|s| ir.ctx.string_attr(&s.to_string())).collect();
        all.push(ir.ctx.array_attr(&texts));
    }
    let attr = ir.ctx.array_attr(&all);
    ir.set_attr(func, SHARE_STEPS_ATTR, attr);
}

/// The texts of the steps that were left at a function, for each pragma in order.
pub fn steps(ir: &Ir, func: Op) -> Vec<Vec<String>> {
    let array = |attr: Attr| ir.ctx.array_value(attr).unwrap_or(&[]).to_vec();
    let text = |attr: Attr| ir.ctx.string_value(attr).map(str::to_owned);
    let all = ir.attr(func, SHARE_STEPS_ATTR).map(array).unwrap_or_default();
    all.into_iter().map(|own| array(own).into_iter().filter_map(text).collect()).collect()
}
