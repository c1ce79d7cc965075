//! `gpuc cache`: what GPU drivers have compiled for programs of this user, kept on disk by the runtime library.

use gpuc_cache::{Cache, Stats};
use gpuc_diagnostics::Diagnostic;

use super::arguments::CacheAction;
use super::io_error;

/// Says what there is, or removes it.
///
/// # Errors
/// A variable of the environment with another value than it can have, a folder that cannot be read, an entry that cannot
/// be removed.
pub fn act(action: CacheAction) -> Result<i32, Diagnostic> {
    let cache = Cache::of_user(|name| std::env::var(name).ok()).map_err(Diagnostic::error)?;
    let Some(cache) = cache else {
        println!("cache: none");
        return Ok(0);
    };
    let folder = cache.folder().display();
    println!("cache: {folder}");
    match action {
        CacheAction::Stats => {
            let stats = cache.stats().map_err(io_error(format!("cannot read `{folder}`")))?;
            println!("holds: {}", shown(stats));
            println!("most: {} MiB", cache.most_bytes() >> 20);
        }
        CacheAction::Clean => {
            let gone = cache.clean().map_err(io_error(format!("cannot clean `{folder}`")))?;
            println!("removed: {}", shown(gone));
        }
    }
    Ok(0)
}

fn shown(stats: Stats) -> String {
    let ending = if stats.entries == 1 { "y" } else { "ies" };
    format!("{} entr{ending}, {} bytes", stats.entries, stats.bytes)
}
