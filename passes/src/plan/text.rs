//! The text of plans: what a person reads and writes.
//!
//! ```text
//! gpuc plan 1
//! # the version of the format, then a plan for each construct, one step a line
//! kernel sgemm:4 nest 41c5b3d0aa07fc1e target sm_90
//!   parallel i, j
//!   collapse i, j
//!   tile i by 128, j by 128, l by 16, threads 8 by 8, wide, resident 2, where 132 blocks
//!   map i to block.y thread.y by 4, j to block.x thread.x by 32
//! ```

use std::fmt;

use gpuc_diagnostics::{Diagnostic, Place, codes, did_you_mean};

use super::cursor::Cursor;
use super::key::Key;
use super::step::{Step, WORDS};

/// The version of the format that is written, and the one that is read.
pub const VERSION: u32 = 1;

/// A step with its place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The step.
    pub step: Step,
    /// Where it stands.
    pub place: Place,
}

/// The plan of one construct, as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it is for.
    pub key: Key,
    /// Where it begins.
    pub place: Place,
    /// Its steps, in order.
    pub steps: Vec<Placed>,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.key)?;
        self.steps.iter().try_for_each(|placed| writeln!(f, "  {}", placed.step))
    }
}

/// The first line of a file of plans.
pub fn header() -> String {
    format!("gpuc plan {VERSION}\n")
}

/// Reads a file of plans.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(text: &str, file: &str) -> Result<Vec<Plan>, Diagnostic> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut versioned = false;
    for (number, line) in (1u32..).zip(text.lines()) {
        let mut cursor = Cursor::new(line, Place::new(file, number, 1, 1))?;
        if cursor.is_done() {
            continue;
        }
        if !versioned {
            version(&mut cursor)?;
            versioned = true;
            continue;
        }
        if cursor.eat("kernel") {
            let key = Key::parse(&mut cursor)?;
            cursor.done()?;
            let place = cursor.whole();
            if let Some(before) = plans.iter().find(|plan| plan.key.is_of_same(&key)) {
                return Err(cursor
                    .error(&place, format!("there are two plans for '{}'", key.kernel()))
                    .related(before.place.clone(), "the first one"));
            }
            plans.push(Plan { key, place, steps: Vec::new() });
            continue;
        }
        let Some(plan) = plans.last_mut() else {
            return Err(cursor
                .error(&cursor.whole(), "a step stands in front of the first kernel")
                .help(
                    "a plan begins with a line such as `kernel sgemm:4 nest HASH target sm_90`",
                ));
        };
        plan.steps.push(placed_step(&mut cursor)?);
        check_last(&plan.steps)?;
    }
    match versioned {
        true => Ok(plans),
        false => Err(Diagnostic::error("the file of plans is empty")
            .code(codes::PLAN_TEXT)
            .at(Place::new(file, 1, 1, 1))
            .help(format!("its first line is `gpuc plan {VERSION}`"))),
    }
}

/// Reads one step, the text of which begins at a place.
///
/// # Errors
/// What is wrong with it.
pub fn parse_step(text: &str, place: Place) -> Result<Placed, Diagnostic> {
    placed_step(&mut Cursor::new(text, place)?)
}

fn version(c: &mut Cursor<'_>) -> Result<(), Diagnostic> {
    let line = c.whole();
    if !(c.eat("gpuc") && c.eat("plan")) {
        return Err(c
            .error(&line, "this is no file of plans")
            .help(format!("its first line is `gpuc plan {VERSION}`")));
    }
    let at = c.place();
    match c.number()? {
        found if found == i64::from(VERSION) => c.done(),
        found => Err(c
            .error(&at, format!("plans of format {found} are not read"))
            .help(format!("this gpuc reads and writes format {VERSION}; print the plan anew with `gpuc --emit=plan`"))),
    }
}

fn placed_step(c: &mut Cursor<'_>) -> Result<Placed, Diagnostic> {
    let (place, at) = (c.whole(), c.place());
    let word = c.name("a step")?;
    let Some(step) = Step::parse(&word, c) else {
        let error = c.error(&at, format!("there is no step '{word}'"));
        return Err(match did_you_mean(&word, WORDS.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("steps are {}", WORDS.join(", "))),
        });
    };
    let step = step?;
    c.done()?;
    Ok(Placed { step, place })
}

/// Whether the last step may stand behind the others.
fn check_last(steps: &[Placed]) -> Result<(), Diagnostic> {
    let Some((last, before)) = steps.split_last() else { return Ok(()) };
    let error = |text: String, other: &Placed, note: &str| {
        Diagnostic::error(text)
            .code(codes::PLAN_TEXT)
            .at(last.place.clone())
            .related(other.place.clone(), note)
    };
    if let Some(same) = before.iter().find(|other| other.step == last.step) {
        let text = format!("the step '{}' stands there twice", last.step.word());
        return Err(error(text, same, "the first time")
            .help("what it took was gone behind it; leave one of them out"));
    }
    if let Some(later) = before.iter().find(|other| other.step.stage() > last.step.stage()) {
        let text = format!("'{}' comes before '{}' in a plan", last.step.word(), later.step.word());
        let order = format!("the order is {}", WORDS.join(", "));
        return Err(error(text, later, "this one is later").help(order));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each step, and of each way to write it.
    const STEPS: &str = "\
gpuc plan 1
kernel f:4.2 nest 00ff00ff00ff00ff target sm_90
  privatize sum over i, j
  split i at 2*k - 1
  expand i
  fission k
  snapshot B in i
  layout A in t as (2*d0 + d1, d0)
  order i as (0, j@7, 2*i + j - 3), (1, -i), ()
  permute i, j to j, i
  distribute i to i, i.2
  fuse i, i.2 to i
  skew j by -2 along i
  skew j by 1 along i, wavefront
  strip i by 4, j by 8
  unroll_jam i by 4
  parallel i, @12
  collapse j, i
  persist j over 128
  persist t over 256 where 3000 iterations
  launches
  launches t, @9
  promote C in l
  block t by 4 over i by 64, j by 64, rows 8 where 170 blocks
  tile i by 128, j by 64, l by 16, threads 8 by 4
  tile i by 64, j by 64, l by 8, threads 4 by 4, wide, resident 2, where 132 blocks
  stage i, j where 32 iterations
  stage i, j by 16 where 1 iterations
  march i by 64, j by 32, k by 32, rows 4
  march i by 16, j by 16, k by 64, rows 2, where 66 blocks
  coarsen i by 8 where 87040 threads
  share in over i by 32, j by 32, rows 4
  share in, w over i by 16, j by 64, rows 2, where 66 blocks
  spread i over 8
  spread i, k over 32 where 32 rounds, 4096 rows
  map i j to block.x thread.x by 128 strided, k to sequential
  map t to block.y by 4 thread.y by ? blocked, u to lane by 32
  banks t as (d1, d0)
  banks u longer by 1
  banks r members
  banks w as (d0, d2, d1), longer by 4, exchanged
  unroll l by 4
";

    #[test]
    fn every_step_is_printed_as_it_is_read() {
        let plans = parse(STEPS, "p").unwrap();
        assert_eq!(header() + &plans[0].to_string(), STEPS);
        for word in WORDS {
            assert!(plans[0].steps.iter().any(|placed| placed.step.word() == *word), "{word}");
        }
    }

    #[test]
    fn numbers_may_be_changed_apart_from_names() {
        let mut plan = parse(STEPS, "p").unwrap().remove(0);
        let names: Vec<String> = plan.steps.iter().map(|p| p.step.word().to_owned()).collect();
        for (_, number) in plan.steps.iter_mut().flat_map(|placed| placed.step.numbers()) {
            *number += 1;
        }
        let text = header() + &plan.to_string();
        assert!(text.contains("tile i by 129, j by 65, l by 17, threads 9 by 5"), "{text}");
        let again = parse(&text, "p").unwrap().remove(0);
        let kept: Vec<String> = again.steps.iter().map(|p| p.step.word().to_owned()).collect();
        assert_eq!(names, kept);
        assert_eq!(again.to_string(), plan.to_string());
    }

    #[test]
    fn no_text_is_too_odd_to_be_refused() {
        // Every prefix of a plan, and every one with a sign in its place, is read or refused.
        for end in (0..STEPS.len()).filter(|&end| STEPS.is_char_boundary(end)) {
            let _ = parse(&STEPS[..end], "p");
            for odd in ["(", "*", "-", "\u{e9}", "\u{0}", "99999999999999999999", "@", "."] {
                let _ = parse(&format!("{}{odd}{}", &STEPS[..end], &STEPS[end..]), "p");
            }
        }
    }
}
