//! Measures the reader: megabytes of PTX a second from text to a loaded module (every statement read,
//! names linked, initial values made, all errors of the text known), and to decoded kernels.
//!
//! `cargo run --release -p gpuc-sim --example read -- FILE.ptx…`

use std::error::Error;
use std::time::Duration;

use gpuc_sim::Module;

/// The least processor time of ten runs, with what the kernel does for them.
fn least<T>(mut run: impl FnMut() -> T) -> Duration {
    let measured = (0..10).map(|_| {
        let before = processor_time();
        let result = run();
        let time = processor_time() - before;
        drop(result);
        time
    });
    measured.min().unwrap_or_default()
}

fn processor_time() -> Duration {
    // SAFETY: a timespec of zeros is one, and the call writes it.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time);
        time
    };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let read = || Module::parse(&text, &file);
        let loaded = read().map_err(|errors| format!("{file}: {} errors", errors.len()))?;
        let kernels = loaded.kernels().count();
        let load = least(read);
        let decode = least(|| read().map(|module| module.refusals().len()));
        let rate = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{file}: {:.1} MB, {kernels} kernels; loaded at {:.1} MB/s, loaded and all decoded at {:.1} MB/s",
            text.len() as f64 / 1e6,
            rate(load),
            rate(decode),
        );
    }
    Ok(())
}
