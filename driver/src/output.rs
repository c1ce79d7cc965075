//! Writing outputs: files whole or not at all, and text for as long as anybody reads it.

/// `print!` and its kin, but for a reader that has gone, as of `gpuc --help | head -1`: that is no
/// reason to panic.
macro_rules! write_or_not {
    ($write:ident, $stream:expr, $($text:tt)*) => {{
        use std::io::Write as _;
        let _ = $write!($stream, $($text)*);
    }};
}

macro_rules! print {
    ($($text:tt)*) => { write_or_not!(write, std::io::stdout(), $($text)*) };
}

macro_rules! println {
    ($($text:tt)*) => { write_or_not!(writeln, std::io::stdout(), $($text)*) };
}

macro_rules! eprint {
    ($($text:tt)*) => { write_or_not!(write, std::io::stderr(), $($text)*) };
}

macro_rules! eprintln {
    ($($text:tt)*) => { write_or_not!(writeln, std::io::stderr(), $($text)*) };
}

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

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
