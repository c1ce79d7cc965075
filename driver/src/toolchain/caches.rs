//! What is kept on disk for this user, by kind: where it is, and how much it may be.

use std::path::PathBuf;

use gpuc_cache::Cache;
use gpuc_diagnostics::Diagnostic;

use super::runtime;

/// A kind of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What GPU drivers have compiled for programs; the runtime library's.
    Images,
    /// What headers come to.
    Headers,
    /// What host compilers have answered.
    Compilers,
    /// Which GPUs there are.
    Gpus,
}

impl Kind {
    /// All.
    pub const ALL: [Kind; 4] = [Kind::Images, Kind::Headers, Kind::Compilers, Kind::Gpus];

    /// Its name, which is that of its folder, too.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Images => "images",
            Kind::Headers => "headers",
            Kind::Compilers => "compilers",
            Kind::Gpus => "gpus",
        }
    }

    /// What it holds.
    pub fn text(self) -> &'static str {
        match self {
            Kind::Images => "what GPU drivers have compiled for programs",
            Kind::Headers => "what headers come to",
            Kind::Compilers => "what host compilers have answered",
            Kind::Gpus => "which GPUs there are",
        }
    }

    /// The most bytes of a folder of the compiler's.
    fn most_bytes(self) -> u64 {
        match self {
            Kind::Images => gpuc_cache::DEFAULT_BYTES,
            // Some 200 lists of headers.
            Kind::Headers => 64 << 20,
            // Some 200 sets of options.
            Kind::Compilers => 4 << 20,
            // There is one for each set of GPUs that a process may see.
            Kind::Gpus => 1 << 16,
        }
    }

    /// Where this very compiler keeps it; nowhere without a cache.
    pub fn own(self) -> Option<Cache> {
        Some(Cache::new(runtime::cache()?.join(self.name()), self.most_bytes()))
    }

    /// Where it is kept, by all versions of the compiler; this one's is the first.
    ///
    /// # Errors
    /// A variable of the environment with another value than it can have.
    pub fn everywhere(self) -> Result<Vec<Cache>, Diagnostic> {
        if self == Kind::Images {
            let cache = Cache::of_user(|name| std::env::var(name).ok());
            return Ok(cache.map_err(Diagnostic::error)?.into_iter().collect());
        }
        let Some(own) = runtime::cache() else { return Ok(Vec::new()) };
        let beside = own.parent().and_then(|folder| std::fs::read_dir(folder).ok());
        let mut others: Vec<PathBuf> =
            beside.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        others.retain(|folder| *folder != own && folder.join(self.name()).is_dir());
        others.sort();
        let folders = [own].into_iter().chain(others);
        Ok(folders.map(|at| Cache::new(at.join(self.name()), self.most_bytes())).collect())
    }
}
