//! What directives ask of the plan of their construct ([`gpuc_frontend_c::directive::construct::Step`]): the plan that the
//! compiler makes by itself, with their steps in it, is given to the construct as if a user had written it.
//!
//! So each step is checked like one of a plan's file. What is refused, or no step of plans, is named by a warning at the
//! directive, and left out. What a `share` pragma asks for is found in the nest, while the compiler makes its plan
//! ([`gpuc_passes::plan::asked`]); refused, it is an error, or with `-Wno-error=plan` a warning.

use gpuc_diagnostics::{Diagnostic, Place, Severity, codes};
use gpuc_dialects::offload::share::ArraySpec;
use gpuc_frontend_c::directive::construct::{LoopName, Step as Asked};
use gpuc_frontend_c::lower::{ConstructInfo, Lowered};
use gpuc_frontend_c::tree::TranslationUnit;
use gpuc_ir::{Ir, Op};
use gpuc_passes::plan::asked::{self, Asked as Shared};
use gpuc_passes::plan::given::Given;
use gpuc_passes::plan::text::{self, Placed, Plan};

use crate::feedback::RemarkOptions;

/// Steps by which the compiler makes a nest another one, for where that pays: who asks for something else at its loops
/// does not want them.
const OWN: [&str; 7] = ["block", "tile", "stage", "march", "coarsen", "share", "spread"];

/// A step that is asked for.
struct Wish {
    /// The construct, as plans name it.
    kernel: String,
    asked: Asked,
    place: Place,
    /// The arrays of a `share`.
    arrays: Vec<(ArraySpec, Place)>,
    /// The steps that were found for it.
    found: Vec<String>,
    /// Why it is left out, once it is.
    refused: bool,
    /// Whether it is a pragma of other compilers, who are free to do something else.
    is_hint: bool,
}

impl Wish {
    /// Whether it is a `share` that is not left out.
    fn is_shared(&self) -> bool {
        !self.refused && matches!(self.asked, Asked::Share { .. })
    }
}

/// What a unit's directives ask for.
pub struct Wishes {
    all: Vec<Wish>,
}

impl Wishes {
    /// The wishes of a unit that has been lowered, with warnings of those that no plan has a step for.
    pub fn of(unit: &TranslationUnit, lowered: &Lowered) -> (Wishes, Vec<Diagnostic>) {
        let mut all = Vec::new();
        let mut warnings = Vec::new();
        for info in &lowered.constructs {
            if info.compute.is_none() {
                continue;
            }
            for wish in &info.steps {
                let place = unit.place(wish.span);
                let kernel = format!("{}:{}", info.function, info.line);
                let is_same = |other: &Wish| other.kernel == kernel && other.asked == wish.step;
                let why_not = match &wish.step {
                    Asked::Unknown(_) => Some("plans have no such step yet"),
                    Asked::Refused(_, why) => Some(*why),
                    Asked::Fuse(_, None) => Some("no loop follows the one behind it"),
                    _ if all.iter().any(is_same) => Some("it has been asked for already"),
                    _ => None,
                };
                if let Some(why) = why_not {
                    let message = format!("`{}` is not followed: {why}", word(&wish.step));
                    warnings.push(Diagnostic::warning(message).code(codes::PLAN_STEP).at(place));
                    continue;
                }
                let arrays = match &wish.step {
                    Asked::Share { arrays, .. } => &arrays[..],
                    _ => &[],
                };
                let placed = |(spec, span): &(ArraySpec, _)| (spec.clone(), unit.place(*span));
                let arrays = arrays.iter().map(placed).collect();
                let (asked, found) = (wish.step.clone(), Vec::new());
                let is_hint = unit.is_pragma_of_others(wish.span)
                    || matches!(wish.step, Asked::DefaultBlock { .. });
                all.push(Wish { kernel, asked, place, arrays, found, refused: false, is_hint });
            }
        }
        (Wishes { all }, warnings)
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.all.iter().all(|wish| wish.refused)
    }

    /// What is asked for before the compiler makes its plans: what is found only in the nests, and the orders of loops that plans
    /// begin with.
    pub fn ask(&self, ir: &mut Ir, module: Op, lowered: &Lowered) {
        for (kernel, func) in constructs(ir, module, lowered) {
            let own = self.all.iter().filter(|wish| wish.kernel == kernel && !wish.refused);
            let orders = orders(own);
            if let Some(first) = orders.first() {
                let place = first.place.clone();
                Given::begin_with(ir, func, &place, &orders);
            }
            let own = self.all.iter().filter(|wish| wish.kernel == kernel && wish.is_shared());
            let asked = own.map(|wish| Shared {
                nest: match &wish.asked {
                    Asked::Share { nest, .. } => nest.variable.clone(),
                    _ => String::new(),
                },
                place: wish.place.clone(),
                arrays: wish.arrays.clone(),
            });
            let asked: Vec<Shared> = asked.collect();
            if !asked.is_empty() {
                Shared::give(ir, func, &asked);
            }
        }
    }

    /// Takes over what was found; the remarks about it, of all that were made.
    pub fn find(
        &mut self,
        ir: &mut Ir,
        module: Op,
        lowered: &Lowered,
        remarks: &[Diagnostic],
    ) -> Vec<Diagnostic> {
        for (kernel, func) in constructs(ir, module, lowered) {
            let own = self.all.iter_mut().filter(|wish| wish.kernel == kernel && wish.is_shared());
            for (wish, steps) in own.zip(asked::steps(ir, func)) {
                wish.found = steps;
            }
        }
        let at = |remark: &&Diagnostic| {
            let is_at =
                |wish: &Wish| wish.is_shared() && Some(&wish.place) == remark.place.as_ref();
            self.all.iter().any(is_at)
        };
        remarks.iter().filter(at).cloned().collect()
    }

    /// Gives constructs that something is asked of `plans`, which the compiler has made, with what is asked.
    pub fn give(&self, ir: &mut Ir, module: Op, lowered: &Lowered, plans: &[Plan]) {
        for (kernel, func) in constructs(ir, module, lowered) {
            let own: Vec<&Wish> =
                self.all.iter().filter(|wish| wish.kernel == kernel && !wish.refused).collect();
            let Some(first) = own.first() else { continue };
            if let Some(plan) = plans.iter().find(|plan| plan.key.kernel() == kernel) {
                let steps = edited(&plan.steps, &own);
                let plan = Plan { key: plan.key.clone(), place: first.place.clone(), steps };
                Given::give(ir, func, &plan);
            }
        }
    }

    /// The warning about a step that was refused, which is left out then; of a `share` only where that is no error.
    pub fn leave_out(
        &mut self,
        errors: &[Diagnostic],
        wanted: &RemarkOptions,
    ) -> Option<Diagnostic> {
        let error = errors.iter().find(|error| {
            error.is_error() && error.code.is_some_and(|code| code == codes::PLAN_STEP)
        })?;
        let place = error.place.as_ref()?;
        let is_its = |wish: &&mut Wish| {
            let places = wish.arrays.iter().map(|(_, place)| place).chain([&wish.place]);
            let mut places = places.map(|own| (&own.file, own.line));
            !wish.refused && places.any(|own| own == (&place.file, place.line))
        };
        // Steps of the compiler's own that do not go with it any more stand at the first wish.
        let wish = self.all.iter_mut().find(is_its)?;
        if wish.is_shared() {
            if !wanted.is_no_error(codes::PLAN_STEP) {
                return None;
            }
            wish.refused = true;
            let warning = Diagnostic { severity: Severity::Warning, ..error.clone() };
            return Some(warning.help("the construct is compiled without it"));
        }
        wish.refused = true;
        let name = word(&wish.asked);
        let text = format!("`{name}` is not followed: {}", error.message);
        let mut warning = match wish.is_hint {
            true => Diagnostic::missed(text).at(wish.place.clone()),
            false => Diagnostic::warning(text).code(codes::PLAN_STEP).at(wish.place.clone()),
        };
        warning.related = error.related.clone();
        Some(error.help.iter().fold(warning, |warning, help| warning.help(help.clone())))
    }
}

/// What the directive is called that asks for a step.
fn word(asked: &Asked) -> &'static str {
    match asked {
        Asked::Unroll(..) | Asked::UnrollJam(..) => "unroll",
        Asked::Permute(..) => "permute",
        Asked::Strip(..) => "tile",
        Asked::Fuse(..) => "fuse",
        Asked::Distribute(..) => "distribute",
        Asked::Block { word, .. } => word,
        Asked::DefaultBlock { .. } | Asked::Grid { .. } => "gridify",
        Asked::Share { .. } => "share",
        Asked::Unknown(name) | Asked::Refused(name, _) => name,
    }
}

/// The orders of loops that are asked for, in the order of the text.
fn orders<'a>(wishes: impl Iterator<Item = &'a Wish>) -> Vec<Placed> {
    // Of two loops that are one now, the second has the name of the first.
    let mut fused: Vec<(String, String)> = Vec::new();
    let mut steps = Vec::new();
    for wish in wishes {
        let now = |name: &str| {
            let mut name = name.to_owned();
            for (before, behind) in &fused {
                if name == *before {
                    name.clone_from(behind);
                }
            }
            name
        };
        let line = match &wish.asked {
            Asked::Permute(loops, order) => {
                let of: Vec<String> = loops.iter().map(|own| now(&own.variable)).collect();
                let to: Vec<String> = order.iter().map(|own| now(own)).collect();
                format!("permute {} to {}", of.join(", "), to.join(", "))
            }
            Asked::Strip(loops) => {
                let loops: Vec<String> = loops
                    .iter()
                    .map(|(own, size)| format!("{} by {size}", now(&own.variable)))
                    .collect();
                format!("strip {}", loops.join(", "))
            }
            Asked::UnrollJam(own, factor) => {
                format!("unroll_jam {} by {factor}", now(&own.variable))
            }
            Asked::Fuse(own, Some(next)) => {
                let (own, next) = (now(&own.variable), now(&next.variable));
                let line = format!("fuse {own}, {next} to {own}");
                fused.push((next, own));
                line
            }
            Asked::Distribute(own) => format!("distribute {}", now(&own.variable)),
            _ => continue,
        };
        let place = Place { column: 0, ..wish.place.clone() };
        if let Ok(parsed) = text::parse_step(&line, place) {
            steps.push(Placed { step: parsed.step, place: wish.place.clone() });
        }
    }
    steps
}

/// Whether a line is about the order of loops: the compiler's plan begins with those that are asked for.
fn is_order(line: &str) -> bool {
    ["permute", "strip", "unroll_jam", "fuse", "distribute"].iter().any(|word| is(line, word))
}

/// Whether a line is about a loop of a nest.
fn is_about(line: &str, nest: &[LoopName]) -> bool {
    nest.iter().any(|own| names(line, &own.variable))
}

/// The steps of a plan with what is asked for in them.
fn edited(steps: &[Placed], wishes: &[&Wish]) -> Vec<Placed> {
    let mut lines: Vec<(String, Place)> =
        steps.iter().map(|placed| (placed.step.to_string(), wishes[0].place.clone())).collect();
    for wish in wishes {
        let place = &wish.place;
        match &wish.asked {
            Asked::Block { nest, x, y, shared, .. } => {
                let about = |line: &str| is_about(line, nest);
                if *shared {
                    through_memory_of_blocks(&mut lines, about, *x, *y, place);
                } else {
                    lines.retain(|(line, _)| !is_own(line) || !about(line));
                    map_what_is_left(&mut lines, steps, place);
                }
                for (line, at) in &mut lines {
                    if line.starts_with("map ") && about(line) {
                        *line = with_block(line, *x, *y);
                        at.clone_from(place);
                    }
                }
            }
            Asked::Grid { nest, grid } => {
                let about = |line: &str| is_about(line, nest);
                let divides = |line: &str| {
                    is_own(line)
                        || ["parallel", "collapse", "launches", "map"]
                            .iter()
                            .any(|word| is(line, word))
                };
                lines.retain(|(line, _)| !about(line) || !divides(line));
                let loops: Vec<String> = grid.iter().map(|own| own.variable.clone()).collect();
                lines.push((format!("parallel {}", loops.join(", ")), place.clone()));
                if loops.len() > 1 {
                    lines.push((format!("collapse {}", loops.join(", ")), place.clone()));
                }
                lines.push((mapped(&loops), place.clone()));
            }
            Asked::DefaultBlock { nest, x, y } => {
                let about = |line: &str| is_about(line, nest);
                for (line, at) in &mut lines {
                    if line.starts_with("map ") && line.contains("thread.y by ") && about(line) {
                        *line = with_block(line, *x, *y);
                        at.clone_from(place);
                    }
                }
            }
            Asked::Unroll(own, factor, rounds) => {
                let name = &own.variable;
                // Rounds of a loop whose iterations run at once are iterations of a thread.
                let is_at_once = lines.iter().any(|(line, _)| {
                    (is(line, "parallel") || is(line, "map")) && names(line, name)
                });
                lines
                    .retain(|(line, _)| !names(line, name) || !is_own(line) && !is(line, "unroll"));
                let form: String = rounds.words().map(|word| format!(" {word}")).collect();
                // Threads execute iterations that follow each other; of others is said that they do not.
                let line = match is_at_once && !rounds.split {
                    true => format!("coarsen {name} by {factor} where 1 threads"),
                    false => format!("unroll {name} by {factor}{form}"),
                };
                if *factor > 1 {
                    lines.push((line, place.clone()));
                }
            }
            Asked::Permute(loops, order) => {
                let of: Vec<&str> = loops.iter().map(|own| own.variable.as_str()).collect();
                let about = |line: &str| of.iter().any(|name| names(line, name));
                let is_cut = |(line, _): &(String, Place)| is(line, "strip") && about(line);
                if lines.iter().any(is_cut) {
                    lines.retain(|(line, _)| !is_own(line) || !about(line));
                    continue;
                }
                let stays = |line: &str| is(line, "parallel") || is(line, "map") || is_order(line);
                lines.retain(|(line, _)| !about(line) || stays(line));
                remap(&mut lines, order, place);
            }
            // The compiler's plan begins with them.
            Asked::Strip(loops) => {
                let about = |line: &str| loops.iter().any(|(own, _)| names(line, &own.variable));
                lines.retain(|(line, _)| !is_own(line) || !about(line));
            }
            Asked::Fuse(own, _) | Asked::Distribute(own) | Asked::UnrollJam(own, _) => {
                lines.retain(|(line, _)| !is_own(line) || !names(line, &own.variable));
            }
            Asked::Share { .. } => {
                // A loop of these steps has no other way of its own.
                let about = |line: &str| {
                    wish.found.iter().flat_map(|step| loops_of(step)).any(|name| names(line, name))
                };
                lines.retain(|(line, _)| !is_own(line) || !about(line));
                lines.extend(wish.found.iter().map(|step| (step.clone(), place.clone())));
            }
            Asked::Unknown(_) | Asked::Refused(..) => {}
        }
    }
    map_what_is_left(&mut lines, steps, &wishes[0].place);
    let parsed = lines.into_iter().filter_map(|(line, place)| {
        let parsed = text::parse_step(&line, Place { column: 0, ..place.clone() }).ok()?;
        Some(Placed { step: parsed.step, place })
    });
    let mut steps: Vec<Placed> = parsed.collect();
    steps.sort_by_key(|placed| placed.step.stage());
    steps
}

/// The functions of constructs, with what plans call these.
fn constructs(ir: &mut Ir, module: Op, lowered: &Lowered) -> Vec<(String, Op)> {
    let of = |info: &ConstructInfo| {
        let name = ir.ctx.ident(&info.compute.as_ref()?.symbol);
        let func = ir.symbol_in(module, name)?;
        Some((format!("{}:{}", info.function, info.line), func))
    };
    lowered.constructs.iter().filter_map(of).collect()
}

/// The loops of a step with sizes: `tile i by 32, j by 32`, `share a, b over i by 32`, `stage i, j where`, `spread i over 32`.
fn loops_of(step: &str) -> impl Iterator<Item = &str> {
    let (_, loops) = match (is(step, "spread"), step.split_once(" over ")) {
        (false, Some(parts)) => parts,
        (true, Some((before, _))) => before.split_once(' ').unwrap_or_default(),
        (_, None) => step.split_once(' ').unwrap_or_default(),
    };
    let loops = loops.split(" where ").next().unwrap_or_default();
    loops.split(", ").filter_map(|part| part.split(' ').next())
}

/// Of the steps about a nest, those by which blocks have in their memory what they read (Patel 2014, algorithm 4.4): of tiles
/// one, as large as the block.
fn through_memory_of_blocks(
    lines: &mut Vec<(String, Place)>,
    about: impl Fn(&str) -> bool,
    x: u32,
    y: u32,
    place: &Place,
) {
    let mut is_tiled = false;
    lines.retain_mut(|(line, at)| {
        if !is_own(line) || !about(line) {
            return true;
        }
        let parts: Vec<&str> = line.split(", ").collect();
        let [rows, columns, terms, ..] = parts.as_slice() else { return false };
        if !is(line, "tile") || is_tiled {
            return ["block", "stage", "march", "share"].iter().any(|word| is(line, word));
        }
        is_tiled = true;
        let name = |part: &str| part.split(" by ").next().unwrap_or_default().to_owned();
        let (rows, columns, terms) = (name(rows), name(columns), name(terms));
        *line = format!(
            "{rows} by {y}, {columns} by {x}, {terms} by {x}, threads 1 by 1, where 1 blocks"
        );
        at.clone_from(place);
        true
    });
}

/// Whether a line is a step of that word.
fn is(line: &str, word: &str) -> bool {
    line.split(' ').next() == Some(word)
}

fn is_own(line: &str) -> bool {
    OWN.iter().any(|word| is(line, word))
}

/// Whether a line names a loop.
fn names(line: &str, name: &str) -> bool {
    line.split([' ', ',']).any(|word| word == name)
}

/// A `map` line with other sizes of blocks: of one dimension, all threads are along it.
fn with_block(line: &str, x: u32, y: u32) -> String {
    let rows = line.contains("thread.y by ");
    let mut out: Vec<String> = Vec::new();
    let mut sized = None;
    for word in line.split(' ') {
        let comma = word.ends_with(',');
        let number = word.trim_end_matches(',');
        let is_number = number.parse::<u32>().is_ok() || number == "?";
        let new = match (sized, out.last().map(String::as_str)) {
            (Some('x'), Some("by")) if is_number && rows => Some(x),
            (Some('x'), Some("by")) if is_number => Some(x * y),
            (Some('y'), Some("by")) if is_number => Some(y),
            _ => None,
        };
        match number {
            "thread.x" => sized = Some('x'),
            "thread.y" => sized = Some('y'),
            "by" => {}
            _ => sized = None,
        }
        let tail = if comma { "," } else { "" };
        out.push(new.map_or(word.to_owned(), |new| format!("{new}{tail}")));
    }
    out.join(" ")
}

/// Maps the loops of steps that all threads would have shared, and that are left out.
fn map_what_is_left(lines: &mut Vec<(String, Place)>, steps: &[Placed], place: &Place) {
    for step in steps {
        let line = step.step.to_string();
        if lines.iter().any(|(own, _)| *own == line) {
            continue;
        }
        // Of a product, rows and columns.
        let loops: Vec<String> = match (is(&line, "tile"), is(&line, "spread")) {
            (true, _) => loops_of(&line).take(2).map(str::to_owned).collect(),
            (_, true) => loops_of(&line).map(str::to_owned).collect(),
            _ => continue,
        };
        let is_mapped =
            |(line, _): &(String, Place)| is(line, "map") && loops.iter().any(|l| names(line, l));
        if !loops.is_empty() && !lines.iter().any(is_mapped) {
            lines.push((mapped(&loops), place.clone()));
        }
    }
}

/// A `map` step of loops, the last one along the fastest dimension of blocks.
fn mapped(loops: &[String]) -> String {
    match loops {
        [] => String::new(),
        [x] => format!("map {x} to block.x thread.x by 64"),
        [y, x] => format!("map {y} to block.y thread.y by 4, {x} to block.x thread.x by 32"),
        [z @ .., y, x] => format!(
            "map {} to block.z, {y} to block.y thread.y by 4, {x} to block.x thread.x by 32",
            z.join(" ")
        ),
    }
}

/// Maps loops in their new order: those that run at once and stand outside become one, the innermost along the fastest
/// dimension of blocks.
fn remap(lines: &mut Vec<(String, Place)>, order: &[String], place: &Place) {
    let at_once = |name: &String| {
        lines.iter().any(|(line, _)| (is(line, "parallel") || is(line, "map")) && names(line, name))
    };
    let outer: Vec<&String> = order.iter().take_while(|name| at_once(name)).collect();
    let outer = &outer[..outer.len().min(3)];
    let all: Vec<String> = outer.iter().map(|name| (*name).clone()).collect();
    if all.is_empty() {
        return;
    }
    let dims = mapped(&all);
    let inner: Vec<&String> = order.iter().filter(|name| !all.contains(name)).collect();
    lines.retain(|(line, _)| !is(line, "map") || !order.iter().any(|name| names(line, name)));
    for (line, _) in lines.iter_mut().filter(|(line, _)| is(line, "parallel")) {
        // What stands inside of a loop in order runs in order itself.
        let kept: Vec<&str> = line["parallel ".len()..]
            .split(", ")
            .filter(|name| !inner.iter().any(|inner| inner == name))
            .collect();
        *line = format!("parallel {}", kept.join(", "));
    }
    lines.retain(|(line, _)| line != "parallel ");
    let position = lines.iter().position(|(line, _)| is(line, "launches") || is(line, "map"));
    let position = position.unwrap_or(lines.len());
    if all.len() > 1 {
        lines.insert(position, (format!("collapse {}", all.join(", ")), place.clone()));
    }
    lines.push((dims, place.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_size_that_is_asked_for() {
        for (line, expected) in [
            (
                "map i to block.y thread.y by 4, j to block.x thread.x by 32",
                "map i to block.y thread.y by 8, j to block.x thread.x by 16",
            ),
            ("map j@43 to block.x thread.x by 64", "map j@43 to block.x thread.x by 128"),
            ("map i to block.x by ?", "map i to block.x by ?"),
        ] {
            assert_eq!(with_block(line, 16, 8), expected);
        }
    }
}
