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

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use gpuc_diagnostics::{Diagnostic, Place, codes};

use super::key::Key;
use super::step::Step;
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

/// The plan that a construct is compiled by: of the device that has most classes of sizes, the versions of all
/// classes, the largest first, and the mapping of the smallest for what is left. Where plans of classes
/// differ in more than tiles and mapping, that of the largest.
pub fn choose(records: &[Record], key: &Key) -> Option<Plan> {
    let mut devices: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        if record.plan.key.nest == key.nest && record.plan.key.target == key.target {
            devices.entry(&record.device).or_default().push(record);
        }
    }
    let mut classes = devices.into_values().reduce(|a, b| if b.len() > a.len() { b } else { a })?;
    classes.sort_by_key(|record| (Reverse(record.class), record.time));
    classes.dedup_by_key(|record| record.class);
    let (largest, smallest) = (classes.first()?, classes.last()?);
    let sized = |placed: &&Placed| matches!(placed.step, Step::Tile(_));
    let mapped = |placed: &&Placed| matches!(placed.step, Step::Map(_) | Step::Unroll(_));
    let order = |record: &Record| -> Vec<Step> {
        let steps = record.plan.steps.iter().filter(|placed| !sized(placed) && !mapped(placed));
        steps.map(|placed| placed.step.clone()).collect()
    };
    if classes.iter().any(|record| order(record) != order(largest)) {
        return Some(largest.plan.clone());
    }
    let front = largest.plan.steps.iter().filter(|placed| !sized(placed) && !mapped(placed));
    let mut steps: Vec<Placed> = front.cloned().collect();
    for tile in classes.iter().flat_map(|record| record.plan.steps.iter().filter(sized)) {
        if steps.iter().all(|known| known.step != tile.step) {
            steps.push(tile.clone());
        }
    }
    steps.extend(smallest.plan.steps.iter().filter(mapped).cloned());
    Some(Plan { steps, ..largest.plan.clone() })
}

/// The text of a record.
pub fn text(records: &[Record]) -> String {
    let mut lines: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    lines.sort();
    header() + &lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
gpuc tuning 1
nest 00000000000000aa target sm_90 device h100 class 16 time 900 plan parallel i, j; map i to block.x, j to thread.x by 64
nest 00000000000000aa target sm_90 device h100 class 22 time 7000 plan parallel i, j; tile i by 128, j by 128, l by 16, threads 8 by 8, where 64 blocks; map i to block.x, j to thread.x by 32
nest 00000000000000aa target sm_90 device v100 class 24 time 1 plan parallel i
nest 00000000000000bb target sm_90 device h100 class 22 time 5 plan parallel k
";

    fn steps(text: &str, nest: u64) -> Vec<String> {
        let (records, damaged) = parse(text, "t");
        assert!(damaged.is_empty(), "{damaged:?}");
        let target = "sm_90".to_owned();
        let key = Key { function: "f".to_owned(), line: 1, number: 1, nest, target };
        let plan = choose(&records, &key).map_or_else(Vec::new, |plan| plan.steps);
        plan.iter().map(|placed| placed.step.to_string()).collect()
    }

    #[test]
    fn classes_of_sizes_become_versions() {
        assert_eq!(
            steps(TEXT, 0xaa),
            [
                "parallel i, j",
                "tile i by 128, j by 128, l by 16, threads 8 by 8, where 64 blocks",
                "map i to block.x, j to thread.x by 64"
            ]
        );
        assert_eq!(steps(TEXT, 0xbb), ["parallel k"]);
        assert_eq!(steps(TEXT, 0xcc), [""; 0]);
    }

    #[test]
    fn records_are_written_as_they_are_read() {
        assert_eq!(text(&parse(TEXT, "t").0), TEXT);
    }

    #[test]
    fn damaged_lines_are_misses() {
        for (line, says) in [
            ("nest aa target", "it has no plan"),
            (
                "nest aa target sm_90 device d class x time 1 plan parallel i",
                "'x' is no class of sizes",
            ),
            ("nest zz target sm_90 device d class 1 time 1 plan parallel i", "'zz' is no hash"),
            (
                "nest aa target sm_90 device d class 1 time 1 plan paralel i",
                "there is no step 'paralel'",
            ),
            ("\u{1}\u{fffd}\u{fffd}", "it has no plan"),
        ] {
            let (records, damaged) = parse(&format!("{TEXT}{line}\n"), "t");
            assert_eq!(records.len(), 4);
            assert_eq!(damaged.len(), 1);
            assert!(damaged[0].message.contains(says), "{}", damaged[0]);
        }
        for other in ["gpuc tuning 0\n", "gpuc plan 1\n", "\u{0}"] {
            let (records, damaged) = parse(&TEXT.replace("gpuc tuning 1\n", other), "t");
            assert!(records.is_empty() && damaged.len() == 1, "{other}");
        }
    }
}
