//! `cargo xtask dist`: what a user unpacks: compiler, runtime library, header, manual page, completions
//! and documentation in one folder, as a tarball.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::stage::{Summary, cargo, root, target};

/// The programs.
const BINARIES: [&str; 2] = ["gpuc", "gpuc-opt"];

/// Files of the repository, and where they go.
const FILES: [(&str, &str); 6] = [
    ("runtime/include/gpuc_rt.h", "include"),
    ("README.md", "share/doc/gpuc"),
    ("CHANGELOG.md", "share/doc/gpuc"),
    ("LICENSE-MIT", "share/doc/gpuc"),
    ("LICENSE-APACHE", "share/doc/gpuc"),
    ("docs/environment.md", "share/doc/gpuc"),
];

/// What the compiler prints of itself, and where it goes.
const PRINTED: [(&str, &str); 4] = [
    ("--print-man-page", "share/man/man1/gpuc.1"),
    ("--print-completions=bash", "share/bash-completion/completions/gpuc"),
    ("--print-completions=zsh", "share/zsh/site-functions/_gpuc"),
    ("--print-completions=fish", "share/fish/vendor_completions.d/gpuc.fish"),
];

/// Builds everything and packs it into `target/dist`.
pub fn tarball(summary: &mut Summary) {
    let build = cargo(&["build", "--quiet", "--release", "--locked", "-p", "gpuc-driver"]);
    if !summary.run("build release binaries", build) {
        return;
    }
    let start = Instant::now();
    match pack() {
        Ok(tarball) => {
            println!("{}", tarball.display());
            summary.passed("tarball", start.elapsed());
        }
        Err(why) => summary.failed("tarball", start.elapsed(), &why),
    }
}

/// `gpuc-VERSION-TARGET`.
fn name(gpuc: &Path) -> Result<String, String> {
    let version = output(Command::new(gpuc).arg("--version"))?;
    let version = version.trim().replace(' ', "-");
    Ok(format!("{version}-{}-linux", std::env::consts::ARCH))
}

fn pack() -> Result<PathBuf, String> {
    let release = target().join("release");
    let gpuc = release.join("gpuc");
    let name = name(&gpuc)?;
    let dist = target().join("dist");
    let folder = dist.join(&name);
    let cache = dist.join("cache");
    for old in [&folder, &cache].into_iter().filter(|old| old.exists()) {
        fs::remove_dir_all(old).map_err(at(old))?;
    }
    for binary in BINARIES {
        copy(&release.join(binary), &folder.join("bin"), 0o755)?;
    }
    for (file, place) in FILES {
        copy(&root().join(file), &folder.join(place), 0o644)?;
    }
    for (option, file) in PRINTED {
        let text = output(Command::new(&gpuc).arg(option))?;
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&folder)).map_err(at(&file))?;
        fs::write(&file, text).map_err(at(&file))?;
    }
    for library in ["libgpuc_runtime.a", "libgpuc_runtime.so"] {
        // With a cache of its own the compiler makes both anew.
        let mut command = Command::new(&gpuc);
        command.arg(format!("-print-file-name={library}")).env("XDG_CACHE_HOME", &cache);
        let path = output(command.env_remove("GPUC_RUNTIME_DIR"))?;
        copy(Path::new(path.trim()), &folder.join("lib/gpuc"), 0o644)?;
    }
    for header in ["openacc.h", "acc_prof.h"] {
        let header = root().join("runtime/include").join(header);
        copy(&header, &folder.join("lib/gpuc/include"), 0o644)?;
    }
    let tarball = dist.join(format!("{name}.tar.gz"));
    // The same tree gives the same bytes: names in order, no owners, no times of building.
    let mut tar = Command::new("tar");
    tar.args(["--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--mtime=@0", "--mode=go-w,a+rX", "--directory"]).arg(&dist);
    output(tar.env("GZIP", "-n").arg("--file").arg(&tarball).arg(&name))?;
    Ok(tarball)
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn copy(file: &Path, folder: &Path, mode: u32) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(folder).map_err(at(folder))?;
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, &to).map_err(at(file))?;
    fs::set_permissions(&to, fs::Permissions::from_mode(mode)).map_err(at(&to))
}

fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
