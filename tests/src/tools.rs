//! The programs that tests run: our own binaries and the tools that judge them.

use std::path::{Path, PathBuf};

use crate::corpus;

/// Folders with our binaries, joined by colons; the first serves the file tests, end-to-end
/// programs run with each. By default the folder that cargo put the test itself in.
pub const BINARIES: &str = "GPUC_BIN_DIR";

/// Our binaries.
pub const OURS: [&str; 2] = ["gpuc", "gpuc-opt"];

/// Tools that may be missing, with the names under which each is looked for on PATH.
const OUTSIDE: [(&str, &[&str], &str); 2] =
    [("ptxas", &["ptxas"], "ptxas"), ("mlir-opt", &["mlir-opt-19", "mlir-opt"], "mlir-opt")];

/// Where the programs are.
#[derive(Clone, Debug)]
pub struct Tools {
    folders: Vec<PathBuf>,
    outside: Vec<(&'static str, Option<PathBuf>)>,
}

impl Tools {
    /// Looks for everything. Nothing is missing yet: what is not there fails or skips the tests
    /// that want it.
    pub fn find() -> Tools {
        let folders = match std::env::var_os(BINARIES) {
            Some(folders) => {
                std::env::split_paths(&folders).map(|folder| corpus::root().join(folder)).collect()
            }
            None => beside_this_test().into_iter().collect(),
        };
        let outside = OUTSIDE
            .iter()
            .map(|(name, on_path, provisioned)| (*name, outside_tool(on_path, provisioned)))
            .collect();
        Tools { folders, outside }
    }

    /// The folders with our binaries, each with a short name (`release`).
    pub fn folders(&self) -> impl Iterator<Item = (String, &Path)> {
        self.folders.iter().map(|folder| {
            let name = folder.file_name().map_or("bin".into(), |n| n.to_string_lossy());
            (name.into_owned(), folder.as_path())
        })
    }

    /// One of our binaries in the first folder.
    ///
    /// # Errors
    /// A sentence where it has not been built.
    pub fn ours(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.folders.first().ok_or("no folder with binaries is known")?;
        ours_in(folder, name)
    }

    /// A tool that may be missing.
    pub fn outside(&self, name: &str) -> Option<&Path> {
        let (_, path) = self.outside.iter().find(|(known, _)| *known == name)?;
        path.as_deref()
    }

    /// Whether tests may require `name`.
    pub fn is_outside(name: &str) -> bool {
        OUTSIDE.iter().any(|(known, _, _)| *known == name)
    }

    /// The program that a command of a test names.
    ///
    /// # Errors
    /// A sentence where the name is not one that tests may use, or its program is not there.
    pub fn resolve(&self, name: &str) -> Result<PathBuf, String> {
        if OURS.contains(&name) {
            return self.ours(name);
        }
        if Self::is_outside(name) {
            return self.outside(name).map(Path::to_owned).ok_or_else(|| {
                format!("`{name}` was not found; a test that runs it says `REQUIRES: {name}`")
            });
        }
        if name == "cc" {
            return Ok(host_compiler());
        }
        Err(format!("`{name}` is not a command of file tests"))
    }
}

/// The compiler of the host: `$CC`, or `cc`.
pub fn host_compiler() -> PathBuf {
    std::env::var_os("CC").filter(|cc| !cc.is_empty()).map_or("cc".into(), PathBuf::from)
}

/// What compiled programs of tests run on: `sim`, or `cuda` on a machine that has a GPU.
pub const DEVICE: &str = "GPUC_TEST_DEVICE";

/// The device that programs run on, in the words of `gpuc run --device`: the simulator unless
/// [`DEVICE`] names another.
pub fn device() -> String {
    std::env::var(DEVICE).ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "sim".into())
}

/// One of our binaries in `folder`.
///
/// # Errors
/// A sentence where it has not been built.
pub fn ours_in(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!(
            "{} has not been built: run `cargo xtask test`, or `cargo build -p gpuc-driver` first",
            path.display()
        ))
    }
}

/// Tests lie in `target/PROFILE/deps`, binaries in `target/PROFILE`.
fn beside_this_test() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.parent()?.to_owned())
}

/// A tool where `cargo xtask provision` puts it, or on PATH. The provisioned one comes first: it
/// is there because PATH's is missing or too old.
fn outside_tool(on_path: &[&str], provisioned: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| corpus::root().join("target"), |t| corpus::root().join(t));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = vec![target.join("tools/bin").join(provisioned)];
    places.extend(
        on_path.iter().flat_map(|name| std::env::split_paths(&path).map(move |d| d.join(name))),
    );
    places.into_iter().find(|place| place.is_file())
}
