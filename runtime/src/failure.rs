//! The end of a program that cannot go on.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use gpuc_diagnostics::{Diagnostic, Sources};

use crate::interrupt;

/// A diagnostic on its way up; boxed, because it is large and rare.
pub type Failure = Box<Diagnostic>;

unsafe extern "C" {
    /// Ends the process without running exit handlers (POSIX).
    fn _exit(status: std::ffi::c_int) -> !;
}

/// Writes text to standard error in one piece, as processes may share it (`mpirun`): what is written piece by piece comes
/// out mixed. A closed standard error is the user's choice.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Writes a diagnostic to standard error.
pub fn show(diagnostic: &Diagnostic) {
    let mut diagnostic = diagnostic.clone();
    // A program mostly runs where its source is not; the words that would stand under the source
    // line (which array, how far beyond its end) must not be lost with it.
    let quoted = diagnostic.place.as_ref().is_some_and(|place| Path::new(&*place.file).is_file());
    if !quoted && !diagnostic.label.is_empty() {
        diagnostic.help.insert(0, std::mem::take(&mut diagnostic.label));
    }
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    say(&format!("{}\n", diagnostic.render(&Sources::new(), color)));
}

/// Shows why the program cannot go on and ends it with status 1 (130 after Ctrl-C), through `exit`, so that what it
/// has written to C streams is not lost.
///
/// No lock of the runtime may be held here: exit handlers of the program may call it.
pub fn fail(diagnostic: &Diagnostic) -> ! {
    static FAILING: OnceLock<ThreadId> = OnceLock::new();
    let mut first = false;
    let owner = *FAILING.get_or_init(|| {
        first = true;
        thread::current().id()
    });
    if first {
        show(diagnostic);
        std::process::exit(if interrupt::was_raised() { interrupt::STATUS } else { 1 });
    }
    if owner == thread::current().id() {
        // An exit handler failed as well; the first error is shown already.
        // SAFETY: `_exit` has no precondition.
        unsafe { _exit(1) }
    }
    // Another thread is ending the process: `exit` must not run twice.
    loop {
        thread::park();
    }
}
