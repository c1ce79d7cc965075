//! The record of tuning: which plan was the fastest, for a nest, a device and a class of sizes.
//!
//! ```text
//! gpuc tuning 1
//! nest 41c5b3d0aa07fc1e target sm_90 device h100 class 21 time 184320 plan parallel i, j; collapse i, j; ...
//! ```
//!
//! One line a configuration; `class` is the logarithm to base 2 of the threads that the launch has as the
//! compiler maps it by itself, `time` is in nanoseconds. A line that cannot be read is a miss, with a
//! warning; so is a file of another version.

use std::fmt;

use gpuc_diagnostics::{Diagnostic, Place, codes};

use super::key::Key;
use super::text::{Placed, Plan, parse_step};

/// The version of the format.
pub const VERSION: u32 = 1;

/// A configuration that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The device's name.
    pub device: String,
    /// The class of sizes.
    pub class: u32,
    /// Nanoseconds of the kernels.
    pub time: u64,
    /// Nest, target and steps; the function is where it was measured.
    pub plan: Plan,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.plan.steps.iter().map(|p| p.step.to_string()).collect();
        write!(
            f,
            "nest {:016x} target {} device {} class {} time {} plan {}",
            self.plan.key.nest,
            self.plan.key.target,
            self.device,
            self.class,
            self.time,
            steps.join("; ")
        )
    }
}

impl Record {
    /// Whether both are measurements of the same, so that the later one takes the other's place.
    pub fn is_of_same(&self, other: &Record) -> bool {
        let key = |record: &Record| {
            (
                record.plan.key.nest,
                record.plan.key.target.clone(),
                record.device.clone(),
                record.class,
            )
        };
        key(self) == key(other)
    }
}

/// Reads a record: the lines that are whole, and a warning for each that is not.
pub fn parse(text: &str, file: &str) -> (Vec<Record>, Vec<Diagnostic>) {
    let (mut records, mut damaged) = (Vec::new(), Vec::new());
    let warn = |number: u32, length: usize, text: String| {
        Diagnostic::warning(text).code(codes::TUNING).at(Place::new(
            file,
            number,
            1,
            length.max(1) as u32,
        ))
    };
    let mut lines = (1u32..).zip(text.lines());
    match lines.next() {
        Some((_, line)) if line.trim() == header().trim() => {}
        Some((number, line)) => {
            let text =
                format!("'{}' is no record of tuning of version {VERSION}", line.escape_debug());
            let help = "it is left out; `gpuc tune` writes a new one";
            return (records, vec![warn(number, line.len(), text).help(help)]);
        }
        None => return (records, damaged),
    }
    for (number, line) in lines {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match record(line, Place::new(file, number, 0, 1)) {
            Ok(record) => records.push(record),
            Err(why) => {
                let text = format!("a line of the record of tuning is damaged: {why}");
                let help = "it is left out; `gpuc tune` writes it anew";
                damaged.push(warn(number, line.len(), text).help(help));
            }
        }
    }
    (records, damaged)
}

/// The first line of a record.
pub fn header() -> String {
    format!("gpuc tuning {VERSION}\n")
}

fn record(line: &str, place: Place) -> Result<Record, String> {
    let (front, steps) = line.split_once(" plan ").ok_or("it has no plan")?;
    let words: Vec<&str> = front.split_whitespace().collect();
    let &["nest", nest, "target", target, "device", device, "class", class, "time", time] =
        &words[..]
    else {
        return Err("its words are nest, target, device, class, time and plan".to_owned());
    };
    let nest = u64::from_str_radix(nest, 16).map_err(|_| format!("'{nest}' is no hash"))?;
    let class = class.parse().map_err(|_| format!("'{class}' is no class of sizes"))?;
    let time = time.parse().map_err(|_| format!("'{time}' is no time in nanoseconds"))?;
    let steps: Result<Vec<Placed>, String> = steps
        .split(';')
        .map(|step| parse_step(step.trim(), place.clone()).map_err(|error| error.message))
        .collect();
    let key = Key { function: String::new(), line: 0, number: 1, nest, target: target.to_owned() };
    let plan = Plan { key, place, steps: steps? };
    Ok(Record { device: device.to_owned(), class, time, plan })
}

/// The record that a construct is compiled by: of the largest class of sizes, the fastest.
pub fn best<'a>(records: &'a [Record], key: &Key) -> Option<&'a Record> {
    let own = records
        .iter()
        .filter(|record| record.plan.key.nest == key.nest && record.plan.key.target == key.target);
    own.min_by_key(|record| (std::cmp::Reverse(record.class), record.time))
}

/// A record with another configuration in it, as text: sorted, one line each.
pub fn with(mut records: Vec<Record>, new: Record) -> String {
    records.retain(|record| !record.is_of_same(&new));
    records.push(new);
    text(&records)
}

/// The text of a record.
pub fn text(records: &[Record]) -> String {
    let mut lines: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    lines.sort();
    header() + &lines.concat()
}
