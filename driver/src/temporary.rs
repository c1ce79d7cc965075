//! Temporary folders that are gone when the compiler is, also when a signal ends it.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use gpuc_diagnostics::Diagnostic;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The folders that are there.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary folder of the compiler's.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes one in `TMPDIR`, or in `/tmp`.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> Result<Folder, Diagnostic> {
        watch_signals();
        let failed = |error: std::io::Error| {
            let place = std::env::temp_dir();
            let place = place.display();
            Diagnostic::error(format!("cannot create a temporary folder in `{place}`: {error}"))
                .help("TMPDIR names the folder for temporary files")
        };
        // Under the lock, so that a signal finds either no folder or one that is known.
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let path = tempfile::Builder::new().prefix("gpuc-").tempdir().map_err(failed)?.keep();
        live.push(path.clone());
        Ok(Folder(path))
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.retain(|path| *path != self.0);
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Has the signals that end a program remove the folders first. One that is ignored, as `nohup` does,
/// stays ignored.
fn watch_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ignored = ignored_signals();
        let wanted = [SIGHUP, SIGINT, SIGTERM];
        let wanted = wanted.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                end_by(signal);
            }
        });
    });
}

/// Ends the process by a signal, as if that had come from outside, if it is one of those that ask a
/// program to end. A terminal sends them to the host compiler as well, which may be the first to end.
pub fn end_by(signal: i32) {
    if ![SIGHUP, SIGINT, SIGTERM].contains(&signal) {
        return;
    }
    // Never given back: nothing new may come while the process ends.
    let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in live.iter() {
        drop(std::fs::remove_dir_all(folder));
    }
    drop(emulate_default_handler(signal));
}

/// The signals that this process ignores, as a mask (`proc_pid_status(5)`).
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner() {
        let folder = Folder::new().unwrap();
        let path = folder.to_path_buf();
        std::fs::write(folder.join("file"), b"").unwrap();
        assert!(LIVE.lock().unwrap().contains(&path));
        drop(folder);
        assert!(!path.exists() && !LIVE.lock().unwrap().contains(&path));
    }
}
