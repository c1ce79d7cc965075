//! How far a running launch is, told while it runs.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::readable::{count, span};

/// How far a launch is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Blocks that have ended.
    pub done: u64,
    /// Blocks to run.
    pub blocks: u64,
    /// Warp instructions executed.
    pub warp_instructions: u64,
    /// Host time since the start.
    pub elapsed: Duration,
}

impl Progress<'_> {
    /// Warp instructions a second.
    pub fn rate(&self) -> f64 {
        self.warp_instructions as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Host time until the end, if the other blocks take as long as those that have ended; `None` as long as
    /// none has.
    pub fn left(&self) -> Option<Duration> {
        let share = self.blocks.saturating_sub(self.done) as f64 / self.done as f64;
        Duration::try_from_secs_f64(self.elapsed.as_secs_f64() * share).ok()
    }
}

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Progress { kernel, done, blocks, .. } = *self;
        let percent = (done as f64 / blocks.max(1) as f64 * 100.0) as u32;
        let (rate, elapsed) = (count(self.rate()), span(self.elapsed));
        write!(
            f,
            "kernel `{kernel}`: {percent} % of {blocks} blocks, {rate} warp instructions a second, {elapsed}"
        )?;
        match self.left() {
            Some(left) => write!(f, ", about {} left", span(left)),
            None => Ok(()),
        }
    }
}

/// Who is told of progress, and how often. Host threads that run blocks tell it, one at a time, between two
/// blocks or when a warp has had its slice.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Host time before the first time.
    pub after: Duration,
    /// Host time between two times.
    pub every: Duration,
    /// What is told.
    pub tell: &'a (dyn Fn(&Progress<'_>) + Sync),
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("after", &self.after).field("every", &self.every).finish()
    }
}

/// A watch over one launch.
pub(crate) struct Watched<'a> {
    watch: Watch<'a>,
    start: Instant,
    blocks: u64,
    done: AtomicU64,
    /// Microseconds from the start to the next time.
    due: AtomicU64,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(watch: Watch<'a>, start: Instant, blocks: u64) -> Watched<'a> {
        let due = AtomicU64::new(watch.after.as_micros() as u64);
        Watched { watch, start, blocks, done: AtomicU64::new(0), due }
    }

    /// So many blocks have ended.
    pub(crate) fn ended(&self, blocks: u64) {
        self.done.fetch_add(blocks, Ordering::Relaxed);
    }

    /// Tells of it, if it is time.
    pub(crate) fn look(&self, kernel: &str, warp_instructions: u64) {
        let elapsed = self.start.elapsed();
        let (now, due) = (elapsed.as_micros() as u64, self.due.load(Ordering::Relaxed));
        let next = now + self.watch.every.as_micros() as u64;
        // Whoever sets the next time tells of this one.
        if now >= due
            && self.due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let done = self.done.load(Ordering::Relaxed).min(self.blocks);
            let blocks = self.blocks;
            (self.watch.tell)(&Progress { kernel, done, blocks, warp_instructions, elapsed });
        }
    }
}

/// Progress on standard error: one line that is written over on a terminal, and gone when this is dropped;
/// lines one below the other, and fewer of them, elsewhere.
#[derive(Debug)]
pub struct ProgressLine {
    terminal: bool,
    shown: AtomicBool,
}

impl Default for ProgressLine {
    fn default() -> Self {
        let terminal = std::io::stderr().is_terminal();
        ProgressLine { terminal, shown: AtomicBool::new(false) }
    }
}

impl ProgressLine {
    /// Host time before the first line: shorter launches have none.
    pub const AFTER: Duration = Duration::from_secs(1);

    /// Whether standard error is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Host time between two lines.
    pub fn every(&self) -> Duration {
        if self.terminal { Duration::from_millis(500) } else { Duration::from_secs(5) }
    }

    /// Shows a line.
    pub fn show(&self, progress: &Progress<'_>) {
        self.shown.store(true, Ordering::Relaxed);
        let text = match self.terminal {
            // Carriage return, and erase to the end of the line (ECMA-48 §8.3.41).
            true => format!("\r{progress}\x1b[K"),
            false => format!("{progress}\n"),
        };
        // A closed standard error is the user's choice.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.terminal && *self.shown.get_mut() {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_estimated_from_what_has_ended() {
        let half = Progress {
            kernel: "k",
            done: 25,
            blocks: 100,
            warp_instructions: 4_000_000,
            elapsed: Duration::from_secs(2),
        };
        assert_eq!(half.left(), Some(Duration::from_secs(6)));
        assert_eq!(half.rate(), 2e6);
        let text = half.to_string();
        assert!(text.starts_with("kernel `k`: 25 % of 100 blocks, "), "{text}");
        assert!(text.ends_with(" left"), "{text}");
        let none = Progress { done: 0, ..half };
        assert!(none.left().is_none() && !none.to_string().contains("left"));
    }

    #[test]
    fn one_caller_tells_when_it_is_time() {
        let told = AtomicU64::new(0);
        let tell = |_: &Progress<'_>| {
            told.fetch_add(1, Ordering::Relaxed);
        };
        let hour = Duration::from_secs(3600);
        let watch = Watch { after: Duration::ZERO, every: hour, tell: &tell };
        let watched = Watched::new(watch, Instant::now(), 1);
        (0..3).for_each(|_| watched.look("k", 1));
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let late = Watched::new(Watch { after: hour, ..watch }, Instant::now(), 1);
        late.look("k", 1);
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }
}
