//! `gpuc cache`: what is kept on disk for this user, by this and other versions of the compiler and by the runtime library.

use std::time::SystemTime;

use gpuc_cache::{Cache, Stats};
use gpuc_diagnostics::{Diagnostic, codes};

use super::io_error;
use crate::toolchain::caches::Kind;

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Remove it, rather than say how much there is.
    cleans: bool,
    /// Of which kinds, in order of [`Kind::ALL`].
    kinds: [bool; Kind::ALL.len()],
}

impl Action {
    /// What the words behind `gpuc cache` ask for.
    ///
    /// # Errors
    /// They ask for nothing that there is.
    pub fn parse<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Action, Diagnostic> {
        let cleans = match words.next() {
            Some("stats") => false,
            Some("clean") => true,
            _ => {
                return Err(Diagnostic::error("`gpuc cache` needs to know what to do")
                    .code(codes::BAD_OPTION)
                    .help("`gpuc cache stats` says what there is, `gpuc cache clean` removes it"));
            }
        };
        let mut kinds = [false; Kind::ALL.len()];
        for word in words {
            let Some(at) = Kind::ALL.iter().position(|kind| kind.name() == word) else {
                let names = Kind::ALL.map(Kind::name).join(", ");
                return Err(Diagnostic::error(format!("`gpuc cache`: there is no cache `{word}`"))
                    .code(codes::BAD_OPTION)
                    .help(format!("there are {names}")));
            };
            kinds[at] = true;
        }
        if kinds == [false; Kind::ALL.len()] {
            kinds = [true; Kind::ALL.len()];
        }
        Ok(Action { cleans, kinds })
    }

    /// Says what there is, or removes it.
    ///
    /// # Errors
    /// A variable of the environment with another value than it can have, a folder that cannot be read, an entry that cannot
    /// be removed.
    pub fn act(self) -> Result<i32, Diagnostic> {
        for (kind, _) in Kind::ALL.into_iter().zip(self.kinds).filter(|(_, is_meant)| *is_meant) {
            let caches = kind.everywhere()?;
            let Some(first) = caches.first() else {
                println!("{}: none", kind.name());
                continue;
            };
            println!("{}: {}", kind.name(), first.folder().display());
            match self.cleans {
                false => show(kind, &caches)?,
                true => println!("  removed: {}", shown(of_all(&caches, "clean", Cache::clean)?)),
            }
        }
        Ok(0)
    }
}

fn show(kind: Kind, caches: &[Cache]) -> Result<(), Diagnostic> {
    let stats = of_all(caches, "read", Cache::stats)?;
    let versions = match caches.len() {
        1 => String::new(),
        number => format!(" of {number} versions of gpuc"),
    };
    println!("  holds: {}, {}{versions}", kind.text(), shown(stats));
    println!("  most: {}", in_units(caches[0].most_bytes()));
    if let Some((first, last)) = stats.used {
        println!("  used: {} first, {} last", age(first), age(last));
    }
    Ok(())
}

/// What is so of several folders together.
fn of_all(
    caches: &[Cache],
    what: &str,
    ask: impl Fn(&Cache) -> std::io::Result<Stats>,
) -> Result<Stats, Diagnostic> {
    let mut all = Stats::default();
    for cache in caches {
        let folder = cache.folder().display();
        all += ask(cache).map_err(io_error(format!("cannot {what} `{folder}`")))?;
    }
    Ok(all)
}

fn shown(stats: Stats) -> String {
    let ending = if stats.entries == 1 { "y" } else { "ies" };
    format!("{} entr{ending}, {} bytes", stats.entries, stats.bytes)
}

fn in_units(bytes: u64) -> String {
    match bytes {
        0x10_0000.. => format!("{} MiB", bytes >> 20),
        _ => format!("{} KiB", bytes >> 10),
    }
}

/// How long ago, in the largest unit of which there is one. What a clock has in the future is now.
fn age(time: SystemTime) -> String {
    let seconds = time.elapsed().map_or(0, |age| age.as_secs());
    let units = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)];
    let found = units.into_iter().map(|(unit, of)| (unit, seconds / of)).find(|(_, n)| *n > 0);
    match found {
        Some((unit, 1)) => format!("1 {unit} ago"),
        Some((unit, number)) => format!("{number} {unit}s ago"),
        None => "now".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ages_have_the_largest_unit() {
        for (seconds, expected) in [
            (0, "now"),
            (1, "1 second ago"),
            (119, "1 minute ago"),
            (7200, "2 hours ago"),
            (86_400 * 30 + 5, "30 days ago"),
        ] {
            assert_eq!(age(SystemTime::now() - Duration::from_secs(seconds)), expected);
        }
        assert_eq!(age(SystemTime::now() + Duration::from_secs(60)), "now");
    }

    #[test]
    fn kinds_are_named() {
        let parse = |line: &str| Action::parse(line.split_whitespace());
        assert_eq!(parse("stats").unwrap(), Action { cleans: false, kinds: [true; 4] });
        let some = Action { cleans: true, kinds: [false, true, false, true] };
        assert_eq!(parse("clean gpus headers").unwrap(), some);
        assert!(parse("").is_err() && parse("tidy").is_err() && parse("stats all").is_err());
    }
}
