//! Applies directives to output.

use std::collections::BTreeMap;

use gpuc_diagnostics::{Diagnostic, Place, did_you_mean};

use super::directive::{CheckFile, Directive, Kind};
use super::options::Options;
use super::pattern::{Bindings, Pattern, collapse_blanks};

/// The name under which output is quoted in diagnostics.
pub const OUTPUT: &str = "<output>";

/// Lines of output shown around the place where a match was looked for.
const SHOWN: usize = 12;

/// Checks that `output` holds what `file` asks.
///
/// # Errors
/// A diagnostic on the first directive that does not hold, at its place in the check file, with
/// the output nearby; its related places lie in that output.
pub fn check(file: &CheckFile, output: &str, options: &Options) -> Result<(), Box<Failure>> {
    let output = output.replace("\r\n", "\n");
    let text = if options.strict_whitespace { output } else { collapse_blanks(&output) };
    let run = Run { text: &text, options, implicit: implicit_nots(options)? };
    match run.all(&file.directives) {
        Ok(()) => Ok(()),
        Err(diagnostic) => Err(Box::new(Failure { diagnostic: *diagnostic, output: text })),
    }
}

/// A check that does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What does not hold.
    pub diagnostic: Diagnostic,
    /// The output as it was matched.
    pub output: String,
}

fn implicit_nots(options: &Options) -> Result<Vec<Pattern>, Box<Failure>> {
    let parse = |text: &String| {
        Pattern::parse(text, 0, options.strict_whitespace).map_err(|(_, sentence)| {
            let sentence = format!("--implicit-check-not={text}: {sentence}");
            Box::new(Failure { diagnostic: Diagnostic::error(sentence), output: String::new() })
        })
    };
    options.implicit_nots.iter().map(parse).collect()
}

type Checked<T> = Result<T, Box<Diagnostic>>;

struct Run<'a> {
    text: &'a str,
    options: &'a Options,
    implicit: Vec<Pattern>,
}

/// A stretch of the output, in bytes.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

impl Run<'_> {
    fn all(&self, directives: &[Directive]) -> Checked<()> {
        if self.text.trim().is_empty() && !self.options.allow_empty {
            let first = directives.first().map(|d| d.place.clone());
            return Err(Box::new(Diagnostic::error("there is no output").at_option(first)));
        }
        let mut bindings = Bindings::new();
        let mut cursor = 0;
        let mut rest = directives;
        // The labels are found first: what lies between two of them is matched on its own, so
        // that one failure is reported where it is, not in a later function.
        loop {
            let label = rest.iter().position(|d| d.kind == Kind::Label).unwrap_or(rest.len());
            let (section, after) = rest.split_at(label);
            let Some((next, after)) = after.split_first() else {
                return self.section(section, cursor, self.text.len(), &mut bindings);
            };
            let found = self.search(next, cursor, self.text.len(), &mut bindings)?;
            self.section(section, cursor, found.start, &mut bindings)?;
            cursor = found.end;
            rest = after;
        }
    }

    /// Matches the directives of one section within `cursor..end` of the output.
    fn section(
        &self,
        directives: &[Directive],
        mut cursor: usize,
        end: usize,
        bindings: &mut Bindings,
    ) -> Checked<()> {
        let mut nots: Vec<&Directive> = Vec::new();
        let mut index = 0;
        while let Some(directive) = directives.get(index) {
            index += 1;
            let found = match directive.kind {
                Kind::Not => {
                    nots.push(directive);
                    continue;
                }
                Kind::Dag => {
                    let group = &directives[index - 1..];
                    let length = group.iter().take_while(|d| d.kind == Kind::Dag).count();
                    index += length - 1;
                    self.any_order(&group[..length], cursor, end, bindings)?
                }
                Kind::Empty => self.empty_line(directive, cursor)?,
                Kind::Count(count) => {
                    let first = self.search(directive, cursor, end, bindings)?;
                    let mut whole = first;
                    for nth in 2..=count {
                        let next = self.search(directive, whole.end, end, bindings);
                        whole.end = next
                            .map_err(|mut d| {
                                d.label = format!("only {} of {count} found", nth - 1);
                                d
                            })?
                            .end;
                    }
                    whole
                }
                Kind::Plain | Kind::Next | Kind::Same | Kind::Label => {
                    self.search(directive, cursor, end, bindings)?
                }
            };
            self.line_distance(directive, cursor, found)?;
            self.absent(&nots, cursor, found.start, bindings)?;
            nots.clear();
            cursor = found.end;
        }
        self.absent(&nots, cursor, end, bindings)
    }

    fn search(
        &self,
        directive: &Directive,
        from: usize,
        end: usize,
        bindings: &mut Bindings,
    ) -> Checked<Span> {
        let full = self.options.match_full_lines;
        match directive.pattern.find(&self.text[..end], from, bindings, full) {
            Ok(Some((start, end))) => Ok(Span { start, end }),
            Ok(None) => Err(self.not_found(directive, from, end, bindings)),
            Err(sentence) => Err(Box::new(Diagnostic::error(sentence).at(directive.place.clone()))),
        }
    }

    /// Matches of `group` that do not overlap, in any order; gives the stretch they cover.
    fn any_order(
        &self,
        group: &[Directive],
        from: usize,
        end: usize,
        bindings: &mut Bindings,
    ) -> Checked<Span> {
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        for directive in group {
            let mut at = from;
            loop {
                let found = self.search(directive, at, end, bindings)?;
                let overlaps =
                    taken.iter().find(|(start, stop)| found.start < **stop && **start < found.end);
                match overlaps {
                    Some((_, stop)) => at = *stop,
                    None => {
                        taken.insert(found.start, found.end);
                        break;
                    }
                }
            }
        }
        let start = taken.keys().next().copied().unwrap_or(from);
        Ok(Span { start, end: taken.values().max().copied().unwrap_or(from) })
    }

    fn empty_line(&self, directive: &Directive, cursor: usize) -> Checked<Span> {
        let rest = &self.text[cursor..];
        let line = rest.find('\n').map(|newline| cursor + newline + 1);
        match line {
            Some(start) if self.text[start..].lines().next().unwrap_or("").trim().is_empty() => {
                Ok(Span { start, end: start })
            }
            _ => Err(self.failure(directive, "the next line is not empty", cursor)),
        }
    }

    fn line_distance(&self, directive: &Directive, cursor: usize, found: Span) -> Checked<()> {
        let lines = self.text[cursor..found.start].matches('\n').count();
        let sentence = match directive.kind {
            Kind::Next if lines == 0 => "matches on the line of the previous match",
            Kind::Next if lines > 1 => "does not match on the next line, but later",
            Kind::Same if lines > 0 => "does not match on the same line, but later",
            _ => return Ok(()),
        };
        let mut diagnostic = self.failure(directive, sentence, cursor);
        diagnostic.related.insert(0, (self.place(found), "the first match is here".to_owned()));
        Err(diagnostic)
    }

    fn absent(
        &self,
        nots: &[&Directive],
        from: usize,
        end: usize,
        bindings: &Bindings,
    ) -> Checked<()> {
        let full = self.options.match_full_lines;
        let text = &self.text[..end.max(from)];
        for directive in nots {
            let mut scratch = bindings.clone();
            let found = directive
                .pattern
                .find(text, from, &mut scratch, full)
                .map_err(|s| Box::new(Diagnostic::error(s).at(directive.place.clone())))?;
            if let Some((start, end)) = found {
                return Err(Box::new(
                    Diagnostic::error(format!("{}: the output holds it", directive.name))
                        .at(directive.place.clone())
                        .related(self.place(Span { start, end }), "here"),
                ));
            }
        }
        for pattern in &self.implicit {
            let found = pattern.find(text, from, &mut bindings.clone(), full);
            if let Ok(Some((start, end))) = found {
                return Err(Box::new(
                    Diagnostic::error("--implicit-check-not: the output holds it")
                        .at(self.place(Span { start, end })),
                ));
            }
        }
        Ok(())
    }

    fn not_found(
        &self,
        directive: &Directive,
        from: usize,
        end: usize,
        bindings: &Bindings,
    ) -> Box<Diagnostic> {
        let mut diagnostic = self.failure(directive, "not found in the output", from);
        for name in directive.pattern.uses() {
            if let Some(value) = bindings.get(name) {
                diagnostic.help.insert(0, format!("[[{name}]] is `{value}`"));
            }
        }
        // The text of the directive itself is the best key to the line that was meant.
        let wanted = std::fs::read_to_string(&*directive.place.file)
            .ok()
            .and_then(|text| text.lines().nth(directive.place.line as usize - 1).map(str::to_owned))
            .and_then(|line| line.get(directive.place.column as usize - 1..).map(str::to_owned));
        if let Some(wanted) = wanted
            && let Some(near) =
                did_you_mean(wanted.trim(), self.text[from..end].lines().take(400).map(str::trim))
            && let Some(at) = self.text[from..end].find(near)
        {
            let span = Span { start: from + at, end: from + at + near.len() };
            diagnostic.related.push((self.place(span), "perhaps this was meant".to_owned()));
        }
        diagnostic
    }

    /// A diagnostic on `directive` with the lines of output that follow `from`.
    fn failure(&self, directive: &Directive, sentence: &str, from: usize) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::error(format!("{}: {sentence}", directive.name))
            .at(directive.place.clone());
        let first = self.line_of(from);
        let lines: Vec<&str> = self.text.lines().collect();
        let shown = lines.iter().enumerate().skip(first - 1).take(SHOWN);
        diagnostic.help.push(format!("searched from line {first} of {} of output:", lines.len()));
        diagnostic.help.extend(shown.map(|(index, line)| format!("{:5} | {line}", index + 1)));
        Box::new(diagnostic)
    }

    fn line_of(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    fn place(&self, span: Span) -> Place {
        let line_start = self.text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        Place::new(
            OUTPUT,
            self.line_of(span.start) as u32,
            (span.start - line_start + 1) as u32,
            (span.end - span.start) as u32,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(checks: &str, output: &str, arguments: &str) -> Result<(), String> {
        let mut words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        words.push("f".to_owned());
        let (options, _) = Options::parse(&words).unwrap();
        let file = CheckFile::parse("f", checks, &options).map_err(|d| d.to_string())?;
        check(&file, output, &options).map_err(|f| f.diagnostic.to_string())
    }

    #[test]
    fn checks_that_hold() {
        for (checks, output, arguments) in [
            ("CHECK: a\nCHECK: c", "a\nb\nc\n", ""),
            ("CHECK: a\nCHECK-NEXT: b\nCHECK-SAME: c", "a\nb c\n", ""),
            ("CHECK: a\nCHECK-EMPTY:\nCHECK-NEXT: b", "a\n\nb\n", ""),
            ("CHECK: a\nCHECK-NOT: x\nCHECK: b", "x\na\nb\nx\n", ""),
            ("CHECK-DAG: b\nCHECK-DAG: a\nCHECK: c", "a\nb\nc\n", ""),
            (
                "CHECK-DAG: [[X:v.]] a\nCHECK-DAG: [[Y:v.]] a\nCHECK: [[X]] [[Y]]",
                "v1 a\nv2 a\nv1 v2",
                "",
            ),
            ("CHECK-COUNT-2: a\nCHECK: b", "a\na\nb", ""),
            ("CHECK-LABEL: f\nCHECK: a\nCHECK-LABEL: g\nCHECK: b", "f\na\ng\nb\n", ""),
            ("A: a\nB: b\nC: c", "a\nb", "--check-prefixes=A,B"),
            ("CHECK: a b", "a   \t b", ""),
            ("CHECK: a", "  a ", "--match-full-lines"),
            ("CHECK-NOT: a", "", "--allow-empty"),
        ] {
            assert_eq!(run(checks, output, arguments), Ok(()), "{checks:?} on {output:?}");
        }
    }

    #[test]
    fn checks_that_do_not_hold() {
        for (checks, output, arguments, sentence) in [
            ("CHECK: b", "a", "", "f:1:8: error: CHECK: not found"),
            ("CHECK: b\nCHECK: a", "a\nb", "", "f:2:8: error: CHECK: not found"),
            ("CHECK: a\nCHECK-NEXT: c", "a\nb\nc", "", "not match on the next line"),
            ("CHECK: a\nCHECK-NEXT: b", "a b", "", "on the line of the previous"),
            ("CHECK: a\nCHECK-SAME: b", "a\nb", "", "not match on the same line"),
            ("CHECK: a\nCHECK-EMPTY:", "a\nb", "", "not empty"),
            ("CHECK: a\nCHECK-NOT: x\nCHECK: b", "a\nx\nb", "", "CHECK-NOT: the output holds it"),
            ("CHECK: a\nCHECK-NOT: x", "a\nx\n", "", "CHECK-NOT: the output holds it"),
            ("CHECK-DAG: a\nCHECK-DAG: a", "a", "", "CHECK-DAG: not found"),
            ("CHECK-COUNT-3: a", "a a", "", "CHECK-COUNT-3: not found"),
            ("CHECK-LABEL: f\nCHECK: b\nCHECK-LABEL: g", "f\na\ng\nb\n", "", "f:2:8"),
            ("CHECK: a b", "a   b", "--strict-whitespace", "not found"),
            ("CHECK: a", "b a", "--match-full-lines", "not found"),
            ("CHECK: a", "a warning", "--implicit-check-not=warning", "holds it"),
            ("CHECK-NOT: a", "", "", "there is no output"),
            ("CHECK: [[X]]", "a", "", "`X` has no value"),
        ] {
            let error = run(checks, output, arguments).unwrap_err();
            assert!(error.contains(sentence), "{checks:?} on {output:?}: {error}");
        }
    }
}
