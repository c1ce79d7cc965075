//! The layout of `-Minfo`, which HPC users know from other compilers: the function, the line, and
//! what there is to say about it.

use std::ops::RangeInclusive;
use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place, Severity};
use gpuc_frontend_c::tree::{ItemKind, TranslationUnit};

/// The function that a remark stands under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Heading {
    /// Where it comes among the functions of the unit; those without one come first.
    pub rank: usize,
    /// Its name, with the file where that is not the unit's own.
    pub name: String,
}

/// Where the C functions of a unit stand, to tell which one a remark is on.
#[derive(Clone, Debug)]
pub struct Functions {
    /// The file of the unit itself.
    file: Arc<str>,
    /// Lines of one file without a gap, and the function that they belong to.
    stretches: Vec<(Arc<str>, RangeInclusive<u32>, String)>,
}

impl Functions {
    /// Those that a unit defines, in its file and in those it includes.
    pub fn of(unit: &TranslationUnit) -> Functions {
        let text = unit.source.text();
        let mut stretches: Vec<(Arc<str>, RangeInclusive<u32>, String)> = Vec::new();
        for item in &unit.items {
            let ItemKind::Function(function) = item.kind else { continue };
            let first = stretches.len();
            let newlines = item.span.range().filter(|&at| text[at] == b'\n');
            for at in std::iter::once(item.span.start).chain(newlines.map(|at| at as u32 + 1)) {
                let (file, line) = unit.source.line(at.min(item.span.end));
                let last = stretches[first..].last_mut();
                match last.filter(|(known, lines, _)| *known == file && *lines.end() <= line) {
                    // Lines that the preprocessor left out belong to it as well.
                    Some((_, lines, _)) => *lines = *lines.start()..=line,
                    None => stretches.push((file, line..=line, unit.name(function).to_owned())),
                }
            }
        }
        Functions { file: unit.source.line(0).0, stretches }
    }

    /// The function whose text holds a place.
    pub fn around(&self, place: Option<&Place>) -> Heading {
        let Some(place) = place else { return Heading { rank: 0, name: "file".to_owned() } };
        let holds = |stretch: &(Arc<str>, RangeInclusive<u32>, String)| {
            stretch.0 == place.file && stretch.1.contains(&place.line)
        };
        let found = self.stretches.iter().position(holds);
        let name = found.map_or("file", |found| self.stretches[found].2.as_str());
        // A function may have several stretches; the first one is its place.
        let first = self.stretches.iter().position(|stretch| found.is_some() && stretch.2 == name);
        let name = if place.file == self.file {
            name.to_owned()
        } else {
            format!("{name} ({})", place.file)
        };
        Heading { rank: first.map_or(0, |first| first + 1), name }
    }
}

/// The remarks as `-Minfo` prints them: by what `heading_of` says, then by line, then in the order in
/// which they were made. What is said twice of a line is printed once.
pub fn print(remarks: &[Diagnostic], heading_of: impl Fn(&Diagnostic) -> Heading) -> String {
    let mut groups: Vec<(Heading, Vec<&Diagnostic>)> = Vec::new();
    for remark in remarks.iter().filter(|d| d.severity == Severity::Remark) {
        let heading = heading_of(remark);
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, list)) => list.push(remark),
            None => groups.push((heading, vec![remark])),
        }
    }
    groups.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut text = String::new();
    for (heading, mut list) in groups {
        text += &format!("{}:\n", heading.name);
        list.sort_by_key(|remark| line(remark).unwrap_or(0));
        let mut printed: Vec<&Diagnostic> = Vec::new();
        for remark in list {
            let same = |other: &&Diagnostic| {
                line(other) == line(remark)
                    && (&other.message, &other.help) == (&remark.message, &remark.help)
            };
            if printed.iter().rev().take_while(|other| line(other) == line(remark)).any(same) {
                continue;
            }
            let last = printed.last().map(|last| line(last));
            printed.push(remark);
            let head = match line(remark) {
                Some(line) if Some(Some(line)) != last => format!("{line:>7}, "),
                _ => " ".repeat(9),
            };
            let code = remark.code.map(|code| format!(" [{code}]")).unwrap_or_default();
            text += &format!("{head}{}{code}\n", remark.message);
            for help in &remark.help {
                text += &format!("{}  {help}\n", " ".repeat(9));
            }
        }
    }
    text
}

fn line(remark: &Diagnostic) -> Option<u32> {
    remark.place.as_ref().map(|place| place.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_stand_in_order_and_nothing_twice() {
        let at = |line: u32, message: &str| {
            Diagnostic::remark(message).at(Place::new("a.c", line, 1, 0))
        };
        let remarks = [
            at(9, "second"),
            at(9, "third").help("why"),
            at(4, "first"),
            at(9, "second"),
            at(9, "third"),
            at(9, "third").help("why"),
            Diagnostic::remark("of the file"),
            Diagnostic::warning("no remark"),
        ];
        let heading = |remark: &Diagnostic| match line(remark) {
            Some(line) if line < 5 => Heading { rank: 1, name: "f".to_owned() },
            Some(_) => Heading { rank: 2, name: "e".to_owned() },
            None => Heading { rank: 0, name: "file".to_owned() },
        };
        let expected = "file:\n         of the file\nf:\n      4, first\ne:\n      9, second\n         third\n           why\n         third\n";
        assert_eq!(print(&remarks, heading), expected);
    }
}
