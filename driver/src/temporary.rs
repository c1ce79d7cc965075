//! Temporary folders that are gone when the compiler is, also when a signal ends it.

use std::fs::File;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use gpuc_diagnostics::Diagnostic;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The folders that are there.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What the names of the folders begin with.
const PREFIX: &str = "gpuc-tmp-";

/// How old a folder must be before anybody takes it for left behind: its owner locks it at once, but behind making it.
const SETTLED: Duration = Duration::from_secs(60);

/// A temporary folder of the compiler's, and the lock on it that ends with the process however that ends.
#[derive(Debug)]
pub struct Folder(PathBuf, #[expect(dead_code, reason = "it holds the lock")] Option<File>);

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
        let path = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(failed)?.keep();
        live.push(path.clone());
        // Where folders cannot be locked nothing is left behind by others that could be told from what is in use.
        let lock = File::open(&path).ok().filter(|file| file.try_lock().is_ok());
        static ONCE: Once = Once::new();
        if let Some(lock) = &lock {
            ONCE.call_once(|| remove_left_behind(&path, lock));
        }
        Ok(Folder(path, lock))
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

/// Removes the folders beside `own`, of the same user, whose process could not: one that was killed outright. A lock ends
/// with its process, so that neither a number that another process has got nor another name space of processes deceives.
fn remove_left_behind(own: &Path, lock: &File) {
    let Some(beside) = own.parent().and_then(|parent| std::fs::read_dir(parent).ok()) else {
        return;
    };
    let Ok(user) = lock.metadata().map(|metadata| metadata.uid()) else { return };
    for entry in beside.flatten() {
        if !entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            continue;
        }
        // Of a link this is the link's.
        let Ok(metadata) = entry.metadata() else { continue };
        let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
        let settled = age.is_some_and(|age| age >= SETTLED);
        if !metadata.is_dir() || metadata.uid() != user || !settled {
            continue;
        }
        let held = File::open(entry.path()).ok().filter(|file| file.try_lock().is_ok());
        if held.is_some() {
            drop(std::fs::remove_dir_all(entry.path()));
        }
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

    /// A folder of a process that was killed goes; one in use, one that is new and what is no folder of ours stay.
    #[test]
    fn what_was_left_behind_goes() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str, age: u64| {
            let path = place.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("file.c"), b"").unwrap();
            let time = std::time::SystemTime::now() - Duration::from_secs(age);
            File::open(&path).unwrap().set_modified(time).unwrap();
            path
        };
        let [dead, used, new, others] = [
            ("gpuc-tmp-dead", 90),
            ("gpuc-tmp-used", 90),
            ("gpuc-tmp-new", 1),
            ("gpuc-results", 90),
        ]
        .map(|(name, age)| make(name, age));
        let held = File::open(&used).unwrap();
        held.lock().unwrap();
        let own = make("gpuc-tmp-own", 0);
        remove_left_behind(&own, &File::open(&own).unwrap());
        assert!(!dead.exists());
        assert!([used, new, others, own].iter().all(|path| path.exists()));
    }
}
