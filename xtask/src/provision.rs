//! Getting the outside judges: `ptxas` from NVIDIA's Python package, `mlir-opt` from Debian's.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::stage::{Summary, root, target};

/// The package whose wheel holds ptxas, of the first releases that know sm_75 and sm_120 alike.
const PACKAGE: &str = "nvidia-cuda-nvcc>=13,<14";
/// The oldest CUDA whose ptxas serves: sm_100 and sm_120 came with 12.8.
const OLDEST: (u32, u32) = (12, 8);

/// Takes `bin/ptxas` out of the one wheel in a folder; arguments: folder, file to write.
const EXTRACT: &str = "
import glob, os, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(os.path.join(sys.argv[1], '*.whl'))[0])
member = next(name for name in wheel.namelist() if name.endswith('/bin/ptxas'))
with open(sys.argv[2] + '.part', 'wb') as out:
    out.write(wheel.read(member))
os.chmod(sys.argv[2] + '.part', 0o755)
os.replace(sys.argv[2] + '.part', sys.argv[2])
";

/// Both tools; what cannot be had is named as skipped.
pub fn all(summary: &mut Summary) {
    ptxas(summary);
    mlir_opt(summary);
}

/// NVIDIA's assembler.
pub fn ptxas(summary: &mut Summary) {
    let start = Instant::now();
    let place = target().join("tools/bin/ptxas");
    let present = [Some(place.clone()), on_path(&["ptxas"])];
    if present.into_iter().flatten().any(|p| cuda_version(&p).is_some_and(|v| v >= OLDEST)) {
        return summary.passed("ptxas is here", start.elapsed());
    }
    match download_ptxas(&place) {
        Ok(()) => summary.passed("ptxas downloaded", start.elapsed()),
        Err(why) => summary.skip("ptxas", &why),
    }
}

fn download_ptxas(place: &Path) -> Result<(), String> {
    println!("\n=== ptxas: downloading {PACKAGE}");
    let wheels = target().join("tools/wheels");
    drop(std::fs::remove_dir_all(&wheels));
    for folder in [Some(wheels.as_path()), place.parent()].into_iter().flatten() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    pip.args(["--disable-pip-version-check", PACKAGE, "-d"]).arg(&wheels);
    quiet("python3 -m pip download", &mut pip)?;
    let mut python = Command::new("python3");
    python.args(["-c", EXTRACT]).arg(&wheels).arg(place);
    quiet("unpacking the wheel", &mut python)?;
    // The wheel is large and has served.
    drop(std::fs::remove_dir_all(&wheels));
    match cuda_version(place) {
        Some(_) => Ok(()),
        None => Err(format!("the ptxas of {PACKAGE} does not run here")),
    }
}

fn mlir_opt(summary: &mut Summary) {
    let start = Instant::now();
    let names = ["mlir-opt-19", "mlir-opt"];
    if on_path(&names).is_some() {
        return summary.passed("mlir-opt is here", start.elapsed());
    }
    // Only CI's throw-away machine is changed without being asked.
    let installs = std::env::var("CI").is_ok_and(|ci| ci == "true") && is_root();
    if !installs {
        return summary.skip("mlir-opt", "not found; Debian has it in `mlir-19-tools`");
    }
    println!("\n=== mlir-opt: installing mlir-19-tools");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        quiet("apt-get", &mut command)
    };
    let installed = apt(&["update", "-q"])
        .and_then(|()| apt(&["install", "-q", "-y", "--no-install-recommends", "mlir-19-tools"]));
    match installed {
        Ok(()) if on_path(&names).is_some() => {
            summary.passed("mlir-opt installed", start.elapsed());
        }
        Ok(()) => summary.skip("mlir-opt", "mlir-19-tools holds no mlir-opt"),
        Err(why) => summary.skip("mlir-opt", &why),
    }
}

/// PATH with what was provisioned first.
pub fn path() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::iter::once(target().join("tools/bin"));
    std::env::join_paths(own.chain(std::env::split_paths(&path))).unwrap_or(path)
}

/// The CUDA release that a ptxas says it is of.
fn cuda_version(ptxas: &Path) -> Option<(u32, u32)> {
    let output = Command::new(ptxas).arg("--version").output().ok()?;
    release(&String::from_utf8_lossy(&output.stdout))
}

fn release(text: &str) -> Option<(u32, u32)> {
    let (_, rest) = text.split_once("release ")?;
    let (major, rest) = rest.split_once('.')?;
    let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The first of `names` on PATH.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Runs `command`, whose output is shown only in the error.
fn quiet(what: &str, command: &mut Command) -> Result<(), String> {
    let output =
        command.current_dir(root()).output().map_err(|e| format!("{what} cannot run: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(format!("{what} failed: {last}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn releases_are_read() {
        let text = "Cuda compilation tools, release 12.8, V12.8.61\nBuild x";
        assert_eq!(super::release(text), Some((12, 8)));
        assert_eq!(super::release("something else"), None);
    }
}
