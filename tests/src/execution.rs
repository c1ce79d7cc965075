//! Runs one program to its end, with a limit on its time.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Seconds that one program may run; by default 240, of which grids whose blocks wait for each other take a fifth under checkers.
pub const TIME_LIMIT: &str = "GPUC_TEST_SECONDS";

/// What a program did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended; `None` where it was stopped for taking too long.
    pub status: Option<ExitStatus>,
    /// Its output, with the errors in it where they were merged.
    pub output: Vec<u8>,
    /// Its error stream, empty where merged.
    pub errors: Vec<u8>,
}

/// How a program ended, as far as tests care.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Status 0.
    Success,
    /// A refusal: a status other than 0 that is no crash.
    Refused(i32),
    /// A panic (Rust's status 101), a signal, or out of time.
    Crashed(String),
}

impl Outcome {
    /// How the program ended.
    pub fn end(&self) -> End {
        match self.status {
            None => End::Crashed(format!("did not end within {} s", limit().as_secs())),
            Some(status) => match (status.code(), status.signal()) {
                (Some(0), _) => End::Success,
                (Some(101), _) => End::Crashed("panicked (status 101)".to_owned()),
                // A shell or a driver passes a child's signal on as 128 + number.
                (Some(code @ 129..=159), _) => {
                    End::Crashed(format!("a child was ended by signal {}", code - 128))
                }
                (Some(code), _) => End::Refused(code),
                (None, signal) => End::Crashed(format!("ended by signal {}", signal.unwrap_or(0))),
            },
        }
    }

    /// The output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// The last lines of what the program printed, errors last.
    pub fn tail(&self) -> String {
        let mut all = self.text();
        all.push_str(&String::from_utf8_lossy(&self.errors));
        let lines: Vec<&str> = all.lines().collect();
        lines[lines.len().saturating_sub(40)..].iter().map(|l| format!("    {l}\n")).collect()
    }
}

fn limit() -> Duration {
    let seconds = std::env::var(TIME_LIMIT).ok().and_then(|s| s.parse().ok()).unwrap_or(240);
    Duration::from_secs(seconds)
}

/// Runs `command` with `input`; with `merged`, errors go into the output in the order written.
///
/// # Errors
/// A sentence where the program cannot be started.
pub fn run(command: &mut Command, input: Vec<u8>, merged: bool) -> Result<Outcome, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| format!("cannot run `{name}`: {e}");
    let (output, output_end) = std::io::pipe().map_err(failed)?;
    let (errors, errors_end) = std::io::pipe().map_err(failed)?;
    let second = if merged {
        // An end kept open here would keep the reader of the errors waiting.
        drop(errors_end);
        output_end.try_clone().map_err(failed)?
    } else {
        errors_end
    };
    // Cargo points at the libraries of the tests' own build; programs load those they were linked to.
    command.env_remove("LD_LIBRARY_PATH");
    // Its own process group: what it has started itself is stopped with it.
    command.stdin(Stdio::piped()).stdout(output_end).stderr(second).process_group(0);
    let spawned = command.spawn();
    // The command holds the writing ends, too; reading would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = spawned.map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Its failure only says that the program has not read everything.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let reader = |mut pipe: std::io::PipeReader| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            drop(pipe.read_to_end(&mut bytes));
            bytes
        })
    };
    let (output, errors) = (reader(output), reader(errors));
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break Some(status);
        }
        if start.elapsed() > limit() {
            let group = format!("-{}", child.id());
            drop(Command::new("kill").args(["-KILL", "--", &group]).status());
            drop(child.kill());
            drop(child.wait());
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    Ok(Outcome {
        status,
        output: output.join().unwrap_or_default(),
        errors: errors.join().unwrap_or_default(),
    })
}

/// Whether this process was started to ignore a signal: what it starts ignores it, too.
pub fn ignores(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str, merged: bool) -> Outcome {
        run(Command::new("sh").args(["-c", script]), input.as_bytes().to_vec(), merged).unwrap()
    }

    #[test]
    fn programs_run_to_their_end() {
        let outcome = shell("cat; echo e >&2", "in", false);
        assert_eq!((outcome.end(), outcome.text().as_str()), (End::Success, "in"));
        assert_eq!(outcome.errors, b"e\n");
        assert_eq!(shell("echo a; echo b >&2; echo c", "", true).text(), "a\nb\nc\n");
        assert_eq!(shell("exit 3", "", false).end(), End::Refused(3));
        assert!(matches!(shell("exit 101", "", false).end(), End::Crashed(_)));
        assert!(matches!(shell("kill -SEGV $$", "", false).end(), End::Crashed(_)));
        assert!(matches!(shell("exit 139", "", false).end(), End::Crashed(_)));
        // More than a pipe holds, in both directions.
        let large = "x".repeat(1 << 20);
        assert_eq!(shell("cat", &large, false).output.len(), 1 << 20);
        assert!(run(&mut Command::new("no-such-program"), Vec::new(), false).is_err());
    }
}
