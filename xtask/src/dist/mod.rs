//! `cargo xtask dist`: what a user unpacks: compiler, runtime library, header, manual page, completions
//! and documentation in one folder, as a tarball, a Debian package and a Python wheel.
//!
//! | module | holds |
//! |---|---|
//! | [`deb`] | the Debian package |
//! | [`wheel`] | the Python wheel |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::provision::on_path;
use crate::stage::{Summary, cargo, root, target};

mod deb;
mod wheel;

/// The programs.
const BINARIES: [&str; 3] = ["gpuc", "gpuc-opt", "gpuc-reduce"];

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

/// Another form of package than the tarball.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `.deb`.
    Deb,
    /// `.whl`.
    Wheel,
}

impl Form {
    /// All.
    pub const ALL: [Form; 2] = [Form::Deb, Form::Wheel];

    /// The option that asks for it.
    pub fn flag(self) -> &'static str {
        match self {
            Form::Deb => "--deb",
            Form::Wheel => "--wheel",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Form::Deb => "Debian package",
            Form::Wheel => "Python wheel",
        }
    }

    /// The program that it is made with.
    fn tool(self) -> &'static str {
        match self {
            Form::Deb => "dpkg-deb",
            Form::Wheel => "python3",
        }
    }

    fn pack(self, folder: &Path, version: &str) -> Result<PathBuf, String> {
        match self {
            Form::Deb => deb::pack(folder, version),
            Form::Wheel => wheel::pack(folder, version),
        }
    }
}

/// How what is packed is built.
#[derive(Clone, Copy)]
pub enum Profile {
    /// As everybody builds it.
    Release,
    /// Linked as a whole.
    Optimized,
}

/// The flag for [`Profile::Optimized`].
pub const OPTIMIZED: &str = "--optimized";

impl Profile {
    /// Whether it is to be linked as a whole.
    pub fn of(optimized: bool) -> Profile {
        if optimized { Profile::Optimized } else { Profile::Release }
    }

    /// Its name, and that of its folder.
    fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Optimized => "optimized",
        }
    }
}

/// Builds everything and packs it into `target/dist`: a tarball, and what of it the forms are.
pub fn packages(summary: &mut Summary, forms: &[Form], profile: Profile) {
    let arguments =
        ["build", "--quiet", "--profile", profile.name(), "--locked", "-p", "gpuc-driver"];
    let build = cargo(&arguments);
    if !summary.run("build release binaries", build) {
        return;
    }
    let start = Instant::now();
    let (folder, version) = match pack(profile) {
        Ok((tarball, folder, version)) => {
            println!("{}", tarball.display());
            summary.passed("tarball", start.elapsed());
            (folder, version)
        }
        Err(why) => return summary.failed("tarball", start.elapsed(), &why),
    };
    for &form in forms {
        if on_path(&[form.tool()]).is_none() {
            summary.skip(form.name(), &format!("{} was not found", form.tool()));
            continue;
        }
        let start = Instant::now();
        match form.pack(&folder, &version) {
            Ok(package) => {
                println!("{}", package.display());
                summary.passed(form.name(), start.elapsed());
            }
            Err(why) => summary.failed(form.name(), start.elapsed(), &why),
        }
    }
}

/// The newest version of the C library that a program of a folder asks for.
fn glibc(folder: &Path) -> Result<String, String> {
    let mut newest = None;
    for binary in BINARIES {
        let symbols = output(Command::new("objdump").arg("-T").arg(folder.join(binary)))?;
        newest = newest.max(newest_glibc(&symbols));
    }
    let (major, minor) = newest.ok_or("the programs ask for no GLIBC of a version")?;
    Ok(format!("{major}.{minor}"))
}

fn newest_glibc(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let mut numbers = rest[..end].split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    versions.max()
}

/// The version of gpuc, and `gpuc-VERSION-TARGET`.
fn names(gpuc: &Path) -> Result<(String, String), String> {
    let version = output(Command::new(gpuc).arg("--version"))?;
    // The host compiler's stands behind it.
    let version = version.lines().next().unwrap_or_default().trim_start_matches("gpuc ").to_owned();
    let name = format!("gpuc-{version}-{}-linux", std::env::consts::ARCH);
    Ok((version, name))
}

/// The tarball, the folder that is in it, and the version.
fn pack(profile: Profile) -> Result<(PathBuf, PathBuf, String), String> {
    let release = target().join(profile.name());
    let gpuc = release.join("gpuc");
    let (version, name) = names(&gpuc)?;
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
    for header in ["openacc.h", "acc_prof.h", "jolokia.h"] {
        let header = root().join("runtime/include").join(header);
        copy(&header, &folder.join("lib/gpuc/include"), 0o644)?;
    }
    let tarball = dist.join(format!("{name}.tar.gz"));
    // The same tree gives the same bytes: names in order, no owners, no times of building.
    let mut tar = Command::new("tar");
    tar.args(["--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--mtime=@0", "--mode=go-w,a+rX", "--directory"]).arg(&dist);
    output(tar.env("GZIP", "-n").arg("--file").arg(&tarball).arg(&name))?;
    Ok((tarball, folder, version))
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

#[cfg(test)]
mod tests {
    use super::newest_glibc;

    #[test]
    fn versions_are_numbers() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.9) read\n0 DF *UND* (GLIBC_2.34) x\n(GLIBC_2.2.5) y";
        assert_eq!(newest_glibc(symbols), Some((2, 34)));
        assert_eq!(newest_glibc("GCC_3.0"), None);
    }
}
