//! Running the steps of a chore, counting what they report, and the summary at the end.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The root of the repository.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // Cargo's word at run time comes first: two checkouts may share a target folder.
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let package = package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        package.parent().map_or_else(|| PathBuf::from("."), Path::to_owned)
    })
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |t| root().join(t))
}

/// The cargo that runs us.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    command
}

/// Counts of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that held.
    pub passed: u32,
    /// Tests that did not.
    pub failed: u32,
    /// Tests that could not be made here.
    pub skipped: u32,
}

impl Counts {
    /// What one line of a test runner's output adds.
    pub fn of_line(line: &str) -> Counts {
        let mut counts = Counts::default();
        let line = line.trim_start();
        // libtest: `test result: ok. 3 passed; 0 failed; 1 ignored; ...`
        // nextest: `Summary [   0.1s] 4 tests run: 3 passed (1 slow), 1 failed, 1 skipped`
        let rest = match line.strip_prefix("test result: ") {
            Some(rest) => rest,
            None if line.starts_with("Summary [") => match line.split_once(" run: ") {
                Some((_, rest)) => rest,
                None => return counts,
            },
            None => return counts,
        };
        let words: Vec<&str> = rest.split([' ', ';', ',', '(', ')']).collect();
        for pair in words.windows(2) {
            let Ok(number) = pair[0].parse::<u32>() else { continue };
            match pair[1] {
                "passed" => counts.passed += number,
                "failed" | "timed" | "exec" => counts.failed += number,
                "ignored" | "skipped" => counts.skipped += number,
                _ => {}
            }
        }
        counts
    }

    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

struct Row {
    name: String,
    time: Duration,
    counts: Counts,
    note: String,
}

/// What the steps of a chore did.
#[derive(Default)]
pub struct Summary {
    rows: Vec<Row>,
    skipped: Vec<String>,
}

impl Summary {
    /// Runs `command` as the step `name`, showing its output. A step that reports no tests counts
    /// as one itself, and one that fails without a failed test as one failure.
    pub fn run(&mut self, name: &str, mut command: Command) -> bool {
        println!("\n=== {name}");
        let start = Instant::now();
        let (good, mut counts) = match watch(&mut command, &mut self.skipped) {
            Ok(result) => result,
            Err(error) => {
                println!("cannot run {:?}: {error}", command.get_program());
                (false, Counts::default())
            }
        };
        if !good && counts.failed == 0 {
            counts.failed = 1;
        } else if counts == Counts::default() {
            counts.passed = 1;
        }
        let note = if good { String::new() } else { "FAILED".to_owned() };
        self.rows.push(Row { name: name.to_owned(), time: start.elapsed(), counts, note });
        good
    }

    /// Records a step that ran outside [`Summary::run`].
    pub fn passed(&mut self, name: &str, time: Duration) {
        let counts = Counts { passed: 1, ..Counts::default() };
        self.rows.push(Row { name: name.to_owned(), time, counts, note: String::new() });
    }

    /// Records a step that failed outside [`Summary::run`].
    pub fn failed(&mut self, name: &str, time: Duration, why: &str) {
        println!("{why}");
        let counts = Counts { failed: 1, ..Counts::default() };
        self.rows.push(Row { name: name.to_owned(), time, counts, note: "FAILED".to_owned() });
    }

    /// Records a step that this machine cannot make.
    pub fn skip(&mut self, name: &str, why: &str) {
        println!("\n=== {name}\nskipped: {why}");
        let counts = Counts { skipped: 1, ..Counts::default() };
        let note = "skipped".to_owned();
        self.rows.push(Row { name: name.to_owned(), time: Duration::ZERO, counts, note });
        self.skipped.push(format!("{name}: {why}"));
    }

    /// Whether nothing failed.
    pub fn is_good(&self) -> bool {
        self.rows.iter().all(|row| row.counts.failed == 0)
    }

    /// Prints the table and, alone on the last line, the sums.
    pub fn print(&self) {
        let mut sum = Counts::default();
        println!(
            "\n{:<34} {:>8} {:>8} {:>7} {:>8}",
            "step", "seconds", "passed", "failed", "skipped"
        );
        for row in &self.rows {
            let Counts { passed, failed, skipped } = row.counts;
            sum.add(row.counts);
            let seconds = row.time.as_secs_f64();
            let line = format!(
                "{:<34} {seconds:>8.1} {passed:>8} {failed:>7} {skipped:>8}  {}",
                row.name, row.note
            );
            println!("{}", line.trim_end());
        }
        for line in &self.skipped {
            println!("skipped: {line}");
        }
        println!("{} passed, {} failed, {} skipped", sum.passed, sum.failed, sum.skipped);
    }
}

/// Runs `command` to its end, showing and reading both of its streams.
fn watch(command: &mut Command, skipped: &mut Vec<String>) -> std::io::Result<(bool, Counts)> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let errors = child.stderr.take();
    let reader = std::thread::spawn(move || errors.map(|stream| read(stream, true)));
    let mut results = Vec::new();
    results.extend(child.stdout.take().map(|stream| read(stream, false)));
    let status = child.wait()?;
    results.extend(reader.join().ok().flatten());
    let mut counts = Counts::default();
    for (of_stream, lines) in results {
        counts.add(of_stream);
        skipped.extend(lines);
    }
    Ok((status.success(), counts))
}

/// Shows a stream and gives the counts and the `skipped:` lines in it.
fn read(stream: impl Read, errors: bool) -> (Counts, Vec<String>) {
    let mut counts = Counts::default();
    let mut skipped = Vec::new();
    let mut stream = BufReader::new(stream);
    let mut bytes = Vec::new();
    while stream.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
        let line = String::from_utf8_lossy(&bytes);
        if errors {
            eprint!("{line}");
        } else {
            print!("{line}");
        }
        counts.add(Counts::of_line(&without_colors(&line)));
        skipped.extend(line.strip_prefix("skipped: ").map(|rest| rest.trim_end().to_owned()));
        bytes.clear();
    }
    (counts, skipped)
}

fn without_colors(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_lines_are_counted() {
        for (line, passed, failed, skipped) in [
            ("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 9 filtered out", 3, 0, 1),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored", 3, 2, 0),
            (
                "     Summary [   0.11s] 4 tests run: 3 passed (1 slow), 1 failed, 2 skipped",
                3,
                1,
                2,
            ),
            ("  Summary [ 0.1s] 4/9 tests run: 1 passed, 1 timed out, 2 skipped", 1, 1, 2),
            ("running 3 tests, 3 passed", 0, 0, 0),
        ] {
            assert_eq!(Counts::of_line(line), Counts { passed, failed, skipped }, "{line}");
        }
        assert_eq!(without_colors("\u{1b}[32;1mok\u{1b}[0m."), "ok.");
    }
}
