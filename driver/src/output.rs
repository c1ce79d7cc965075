//! Writing outputs: files whole or not at all, and text for as long as anybody reads it.

/// `print!`, but what goes wrong is kept for [`finish`] to report: a full disk is
/// no reason to panic, and none to say that all is well.
macro_rules! print {
    ($($text:tt)*) => { $crate::output::print_or_keep_error(format_args!($($text)*)) };
}

macro_rules! println {
    ($($text:tt)*) => {{
        print!($($text)*);
        print!("\n");
    }};
}

/// `eprint!` and its kin, but where standard error takes nothing there is nobody left to tell, and in one piece: the
/// compilers of `make -j` share it.
macro_rules! eprint {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = std::io::stderr().write_all(format!($($text)*).as_bytes());
    }};
}

macro_rules! eprintln {
    ($($text:tt)*) => { eprint!("{}\n", format_args!($($text)*)) };
}

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gpuc_diagnostics::Diagnostic;

/// Whether standard output was there when the process started. Rust's start-up puts `/dev/null` in the
/// place of what is closed, so this is looked at ahead of it.
static STANDARD_OUTPUT: AtomicBool = AtomicBool::new(true);

#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_FIRST: extern "C" fn() = look_at_standard_output;

extern "C" fn look_at_standard_output() {
    // SAFETY: a look at a number of the process's own; signal handlers, threads and Rust's run time
    // are not there yet, and none is needed.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    STANDARD_OUTPUT.store(flags != -1, Ordering::Relaxed);
}

/// Writes a result to standard output.
///
/// # Errors
/// It is closed, or takes no more.
pub fn write_to_standard_output(bytes: &[u8]) -> std::io::Result<()> {
    if !STANDARD_OUTPUT.load(Ordering::Relaxed) {
        return Err(std::io::Error::other("standard output is closed"));
    }
    let mut output = std::io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// What first went wrong with text for standard output.
static FIRST_ERROR: Mutex<Option<std::io::Error>> = Mutex::new(None);

fn first_error() -> std::sync::MutexGuard<'static, Option<std::io::Error>> {
    FIRST_ERROR.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What `print!` is here.
pub(crate) fn print_or_keep_error(text: std::fmt::Arguments<'_>) {
    let mut first = first_error();
    if first.is_none() {
        *first = write_to_standard_output(text.to_string().as_bytes()).err();
    }
}

/// The exit status of a tool that ends with `status`: failure, with an error that says so, where standard
/// output has not taken all that was printed. A reader that has gone, as of `gpuc --help | head -1`, has
/// all that it wants.
pub fn finish(status: ExitCode) -> ExitCode {
    match first_error().take() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            let error = Diagnostic::error(format!("cannot write the output: {error}"));
            ExitCode::from(crate::feedback::fail(&error))
        }
        _ => status,
    }
}

/// Writes a file so that it is there whole or not at all.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if path.exists() && !path.is_file() {
        // A device or pipe (`-o /dev/null`) is written to, not replaced.
        return std::fs::write(path, bytes);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Asked for first, so that an error names no temporary file.
    std::fs::metadata(folder)?;
    let mut file = tempfile::Builder::new().prefix(".gpuc-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    make_readable(file.path())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Temporary files are private; outputs have the mode of files that cc makes.
fn make_readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}
