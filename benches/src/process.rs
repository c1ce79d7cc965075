//! Other programs: what they cost, and whether they are there.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a program used until its end, its own children included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// User and system time.
    pub cpu: Duration,
    /// The largest resident set of one of its processes, in KiB.
    pub peak_kib: u64,
}

impl Usage {
    /// The peak in MiB.
    pub fn peak_mib(&self) -> f64 {
        self.peak_kib as f64 / 1024.0
    }
}

/// Runs a program to its end, its output going nowhere.
///
/// # Panics
/// Where it cannot be started or fails: a figure of a failed run would say nothing.
#[expect(clippy::zombie_processes, reason = "wait4 waits, and says what was used besides")]
pub fn run(command: &mut Command) -> Usage {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut status = 0;
    // SAFETY: all bytes zero is a valid `rusage`, a structure of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and has not been waited for; the call fills what it is given.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
    assert!(waited > 0 && status == 0, "{command:?} failed: wait status {status:#x}");
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, 1000 * t.tv_usec as u32);
    Usage { cpu: time(usage.ru_utime) + time(usage.ru_stime), peak_kib: usage.ru_maxrss as u64 }
}

/// Runs a program `times` times; the CPU time of all runs.
pub fn cpu(command: &mut Command, times: u64) -> Duration {
    (0..times).map(|_| run(command).cpu).sum()
}

/// The first of `names` on PATH.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found =
        names.iter().flat_map(|name| std::env::split_paths(&path).map(move |d| d.join(name)));
    found.into_iter().find(|file| file.is_file())
}

/// Says that a comparison was not made.
pub fn skipped(what: &str) {
    println!("skipped: {what} was not found");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_uses_memory() {
        let usage = run(&mut Command::new("true"));
        assert!(usage.peak_kib > 0, "{usage:?}");
        assert!(on_path(&["no-such-program", "true"]).is_some());
        assert!(on_path(&["no-such-program"]).is_none());
    }
}
