//! The command that says whether a candidate still shows the fault.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gpuc_diagnostics::Diagnostic;

use super::Arguments;
use crate::temporary::Folder;

/// See the [module](self).
pub(super) struct Interest {
    folder: Folder,
    file: PathBuf,
    test: String,
    time_limit: Duration,
    most_runs: u64,
    /// How often the command has run.
    pub runs: u64,
    /// What has failed: steps come by the same text more than once.
    failed: HashSet<u64>,
}

impl Interest {
    /// The command of the arguments, with a folder of its own.
    pub(super) fn new(arguments: &Arguments) -> Result<Interest, Diagnostic> {
        let folder = Folder::new()?;
        let file = folder.join(arguments.file.file_name().unwrap_or("input".as_ref()));
        let Arguments { test, time_limit, most_runs, .. } = arguments;
        Ok(Interest {
            folder,
            file,
            test: test.clone(),
            time_limit: *time_limit,
            most_runs: *most_runs,
            runs: 0,
            failed: HashSet::new(),
        })
    }

    /// Whether the command may not run any more.
    pub(super) fn is_over(&self) -> bool {
        self.runs >= self.most_runs
    }

    /// Whether a text shows the fault; of none once the command may not run any more.
    ///
    /// # Errors
    /// The file cannot be written, or there is no shell.
    pub(super) fn shows(&mut self, text: &str) -> Result<bool, Diagnostic> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if self.is_over() || self.failed.contains(&hash) {
            return Ok(false);
        }
        self.runs += 1;
        std::fs::write(&self.file, text).map_err(|error| {
            Diagnostic::error(format!("cannot write `{}`: {error}", self.file.display()))
        })?;
        let mut command = Command::new("sh");
        command
            .args(["-c", &self.test, "gpuc-reduce"])
            .arg(self.file.file_name().unwrap_or_default());
        command.current_dir(&*self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command
            .spawn()
            .map_err(|error| Diagnostic::error(format!("cannot run `sh`: {error}")))?;
        let shows = succeeds(child, self.time_limit);
        if !shows {
            self.failed.insert(hash);
        }
        Ok(shows)
    }
}

/// Whether a process ends well in time; one that does not is ended, with all that it has started.
fn succeeds(mut child: Child, limit: Duration) -> bool {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < limit => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            _ => {
                if let Ok(group) = i32::try_from(child.id()) {
                    // SAFETY: a signal to the group that the child leads, which is not waited for yet, so that its
                    // number is nobody else's.
                    unsafe { libc::kill(-group, libc::SIGKILL) };
                }
                let _ = child.wait();
                return false;
            }
        }
    }
}
