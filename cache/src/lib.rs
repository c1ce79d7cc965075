//! Entries on disk that are found by what they were made of: what a GPU's driver has compiled, what a host compiler has
//! answered.
//!
//! Several processes may use one folder at once. An entry appears whole, because it is written beside its place and
//! renamed; one that a disk or somebody has changed does not have the digest that stands ahead of it, and is a miss. Nobody waits
//! for anybody, and what goes wrong is a miss as well: a cache must not stop a program.
//!
//! The folder is bounded: whoever adds an entry removes those that were used longest ago.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// What an entry starts with.
const MAGIC: &[u8; 8] = b"gpuc-1\r\n";
/// Bytes ahead of what an entry holds: [`MAGIC`] and a digest.
const HEADER: usize = MAGIC.len() + 32;
/// How entries' names end.
const EXTENSION: &str = "image";
/// How names of entries that are being written end.
const UNFINISHED: &str = "part";
/// After so long nobody goes on writing an entry.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Bytes that the cache takes where nobody says otherwise.
pub const DEFAULT_BYTES: u64 = 256 << 20;

/// What an entry was made of, in a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// Of parts in order; where one ends matters.
    pub fn of<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Key {
        let mut digest = Sha256::default();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Key(digest.finalize().into())
    }

    /// The digest itself.
    pub fn bytes(self) -> [u8; 32] {
        self.0
    }

    /// The one of a digest that [`Key::bytes`] gave.
    pub fn from_bytes(digest: [u8; 32]) -> Key {
        Key(digest)
    }

    fn name(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Entries.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
    /// When the one that was used longest ago was, and the one that was used last.
    pub used: Option<(SystemTime, SystemTime)>,
}

impl Stats {
    fn add(&mut self, entry: &Entry) {
        *self += Stats { entries: 1, bytes: entry.bytes, used: Some((entry.used, entry.used)) };
    }
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.entries += other.entries;
        self.bytes += other.bytes;
        let both = self.used.zip(other.used).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
        self.used = both.or(self.used).or(other.used);
    }
}

/// A folder of entries.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
}

/// A file of the folder.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Cache {
    /// The cache in a folder, which need not be there yet.
    pub fn new(folder: PathBuf, most_bytes: u64) -> Cache {
        Cache { folder, most_bytes }
    }

    /// The user's, as the environment says: `GPUC_CACHE` is a folder, or `0` for none; otherwise it is `gpuc/images` in
    /// `XDG_CACHE_HOME` or `~/.cache`. `GPUC_CACHE_MB` is the most that it takes, in units of 2²⁰ bytes.
    ///
    /// # Errors
    /// A value that is neither, in words.
    pub fn of_user(get: impl Fn(&str) -> Option<String>) -> Result<Option<Cache>, String> {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let most_bytes = match get("GPUC_CACHE_MB") {
            None => DEFAULT_BYTES,
            Some(value) => match value.trim().parse::<u32>() {
                Ok(number) => u64::from(number) << 20,
                Err(_) => return Err(format!("GPUC_CACHE_MB=`{value}` is not a number")),
            },
        };
        let absolute = |name: &str| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = match get("GPUC_CACHE") {
            Some(value) if value == "0" => return Ok(None),
            Some(value) => match PathBuf::from(&value) {
                path if path.is_absolute() => Some(path),
                _ => {
                    return Err(format!(
                        "GPUC_CACHE=`{value}` is neither the absolute path of a folder nor 0"
                    ));
                }
            },
            None => absolute("XDG_CACHE_HOME")
                .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
                .map(|caches| caches.join("gpuc").join("images")),
        };
        Ok(folder.filter(|_| most_bytes > 0).map(|folder| Cache::new(folder, most_bytes)))
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The most bytes that it takes.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(key.name()).with_extension(EXTENSION)
    }

    /// What was kept under a key. An entry that is not as it was written is removed.
    pub fn get(&self, key: Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        // Of what is no file, there may be no end.
        let mut bytes = path
            .metadata()
            .ok()
            .filter(fs::Metadata::is_file)
            .and_then(|_| fs::read(&path).ok())?;
        let whole = bytes.len() >= HEADER
            && bytes.starts_with(MAGIC)
            && Sha256::digest(&bytes[HEADER..])[..] == bytes[MAGIC.len()..HEADER];
        if !whole {
            // Somebody else may have removed it, or may have put a whole one there, which is then made anew.
            let _ = fs::remove_file(&path);
            return None;
        }
        // Those used last stay longest. Where the time cannot be set, those made last do.
        let _ = File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes.split_off(HEADER))
    }

    /// Keeps bytes under a key, and makes room for them.
    ///
    /// # Errors
    /// What the file system says; the cache is as good as before.
    pub fn put(&self, key: Key, bytes: &[u8]) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if (HEADER + bytes.len()) as u64 > self.most_bytes {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = format!("{}-{}-{number}.{UNFINISHED}", key.name(), std::process::id());
        let beside = self.folder.join(beside);
        let written = (|| {
            let mut file = File::create_new(&beside)?;
            file.write_all(MAGIC)?;
            file.write_all(&Sha256::digest(bytes))?;
            file.write_all(bytes)?;
            fs::rename(&beside, self.path(key))
        })();
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written.and_then(|()| self.bound())
    }

    /// The files of a kind. Those that go while one looks are left out.
    fn entries(&self, extension: &str) -> io::Result<Vec<Entry>> {
        let folder = match fs::read_dir(&self.folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let entry = |path: PathBuf| {
            let found = path.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Entry { path, bytes: found.len(), used: found.modified().ok()? })
        };
        let paths = folder.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let paths = paths.filter(|path| path.extension() == Some(OsStr::new(extension)));
        Ok(paths.filter_map(entry).collect())
    }

    /// Removes entries until the rest is no more than it may be, and what nobody has finished.
    fn bound(&self) -> io::Result<()> {
        let mut entries = self.entries(EXTENSION)?;
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries {
            if bytes <= self.most_bytes {
                break;
            }
            // Another process may have done so.
            let _ = fs::remove_file(&entry.path);
            bytes -= entry.bytes;
        }
        for part in self.entries(UNFINISHED)? {
            if part.used.elapsed().is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(&part.path);
            }
        }
        Ok(())
    }

    /// How much there is.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn stats(&self) -> io::Result<Stats> {
        let mut stats = Stats::default();
        self.entries(EXTENSION)?.iter().for_each(|entry| stats.add(entry));
        Ok(stats)
    }

    /// Removes all entries, and says how much that was. Other files in the folder stay.
    ///
    /// # Errors
    /// The folder cannot be read, or an entry cannot be removed.
    pub fn clean(&self) -> io::Result<Stats> {
        let mut gone = Stats::default();
        for entry in self.entries(EXTENSION)?.into_iter().chain(self.entries(UNFINISHED)?) {
            match fs::remove_file(&entry.path) {
                Ok(()) => gone.add(&entry),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key::of([text.as_bytes()])
    }

    fn cache(most_bytes: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("in").join("it"), most_bytes);
        (folder, cache)
    }

    #[test]
    fn what_is_put_is_found_and_where_parts_end_matters() {
        let (_folder, cache) = cache(DEFAULT_BYTES);
        assert_eq!(cache.get(key("a")), None, "no folder yet");
        assert_eq!(cache.stats().unwrap(), Stats::default());
        cache.put(key("a"), b"code").unwrap();
        cache.put(key("b"), b"").unwrap();
        cache.put(key("a"), b"code").unwrap();
        assert_eq!(cache.get(key("a")).as_deref(), Some(&b"code"[..]));
        assert_eq!(cache.get(key("b")).as_deref(), Some(&b""[..]));
        assert_ne!(Key::of([&b"ab"[..], b"c"]), Key::of([&b"a"[..], b"bc"]));
        let first = SystemTime::now() - Duration::from_secs(100);
        let file = File::options().append(true).open(cache.path(key("b"))).unwrap();
        file.set_modified(first).unwrap();
        let stats = cache.stats().unwrap();
        assert_eq!((stats.entries, stats.bytes), (2, 84));
        let (oldest, newest) = stats.used.unwrap();
        assert!(oldest == first && newest > first);
        assert_eq!(cache.clean().unwrap(), stats);
        assert_eq!(cache.get(key("a")), None);
    }

    #[test]
    fn a_changed_entry_is_a_miss_and_goes() {
        let (_folder, cache) = cache(DEFAULT_BYTES);
        let path = cache.path(key("a"));
        for change in [
            (|bytes| bytes.truncate(HEADER + 1)) as fn(&mut Vec<u8>),
            |bytes| bytes.clear(),
            |bytes| bytes[HEADER + 2] ^= 4,
            |bytes| bytes[0] = b'x',
            |bytes| bytes.push(0),
        ] {
            cache.put(key("a"), b"some code").unwrap();
            let mut bytes = fs::read(&path).unwrap();
            change(&mut bytes);
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.get(key("a")), None);
            assert!(!path.exists());
        }
        cache.put(key("a"), b"some code").unwrap();
        assert!(cache.get(key("a")).is_some());
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        let (_folder, cache) = cache(3 * (HEADER as u64 + 100));
        let age = |name: &str, seconds: u64| {
            let file = File::options().append(true).open(cache.path(key(name))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        for (name, seconds) in [("a", 30), ("b", 20), ("c", 10)] {
            cache.put(key(name), &[0; 100]).unwrap();
            age(name, seconds);
        }
        assert!(cache.get(key("a")).is_some(), "used: b is the oldest now");
        fs::write(cache.folder().join("somebody's.txt"), "text").unwrap();
        cache.put(key("d"), &[0; 100]).unwrap();
        let there = ["a", "b", "c", "d"].map(|name| cache.get(key(name)).is_some());
        assert_eq!(there, [true, false, true, true]);
        // Too large at all: the others stay.
        cache.put(key("e"), &[0; 1000]).unwrap();
        assert_eq!(cache.stats().unwrap().entries, 3);
        cache.clean().unwrap();
        assert!(cache.folder().join("somebody's.txt").exists());
    }

    #[test]
    fn processes_and_threads_never_see_half_an_entry() {
        const CHILD: &str = "GPUC_CACHE_TEST_FOLDER";
        let work = |cache: &Cache| {
            for round in 0..200u32 {
                let name = format!("{}", round % 7);
                let bytes = vec![(round % 7) as u8; 5000];
                if let Some(found) = cache.get(key(&name)) {
                    assert_eq!(found, bytes);
                } else {
                    cache.put(key(&name), &bytes).unwrap();
                }
            }
        };
        // Room for four of seven: entries come and go all the time.
        let most_bytes = 4 * (HEADER as u64 + 5000);
        if let Some(folder) = std::env::var_os(CHILD) {
            return work(&Cache::new(folder.into(), most_bytes));
        }
        let (_folder, cache) = cache(most_bytes);
        let test = "tests::processes_and_threads_never_see_half_an_entry";
        let child = || {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", test]).env(CHILD, cache.folder());
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        };
        let children: Vec<_> = (0..4).map(|_| child()).collect();
        std::thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(|| work(&cache))));
        });
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let stats = cache.stats().unwrap();
        assert!(stats.bytes <= most_bytes, "{stats:?}");
        assert!(cache.entries(UNFINISHED).unwrap().is_empty());
    }

    #[test]
    fn the_environment_says_where() {
        let of = |variables: &[(&str, &str)]| {
            Cache::of_user(|name| {
                variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
            })
            .map(|cache| cache.map(|it| (it.folder().display().to_string(), it.most_bytes())))
        };
        let found = |folder: &str, bytes| Ok(Some((folder.to_owned(), bytes)));
        assert_eq!(of(&[]), Ok(None), "no home");
        let home = ("HOME", "/h");
        assert_eq!(of(&[home]), found("/h/.cache/gpuc/images", DEFAULT_BYTES));
        assert_eq!(of(&[home, ("XDG_CACHE_HOME", "/c")]), found("/c/gpuc/images", DEFAULT_BYTES));
        assert_eq!(of(&[home, ("GPUC_CACHE", "/x"), ("GPUC_CACHE_MB", "3")]), found("/x", 3 << 20));
        assert_eq!(of(&[home, ("GPUC_CACHE", "0")]), Ok(None));
        assert_eq!(of(&[home, ("GPUC_CACHE_MB", "0")]), Ok(None));
        assert!(of(&[("GPUC_CACHE", "x/y")]).unwrap_err().contains("absolute path"));
        assert!(of(&[("GPUC_CACHE_MB", "1G")]).unwrap_err().contains("not a number"));
    }
}
