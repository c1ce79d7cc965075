//! The Python wheel: an installation that `pip` puts below an environment's folder.
//!
//! The form is PEP 427's: what stands in `.data/scripts` becomes a program, and what stands in `.data/data` goes below
//! the environment's folder, so that compiler and runtime library lie to each other as in the tarball.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{at, glibc, output};

/// Packs a folder as the archive that a wheel is, with the list of what is in it.
const ARCHIVE: &str = include_str!("wheel.py");

/// Packs `folder`, an installation, beside it.
pub fn pack(folder: &Path, version: &str) -> Result<PathBuf, String> {
    let dist = folder.parent().unwrap_or(folder);
    let tree = dist.join("wheel");
    if tree.exists() {
        fs::remove_dir_all(&tree).map_err(at(&tree))?;
    }
    let data = tree.join(format!("gpuc-{version}.data"));
    fs::create_dir_all(&data).map_err(at(&data))?;
    let below = data.join("data");
    output(
        Command::new("cp").args(["--recursive", "--no-target-directory"]).arg(folder).arg(&below),
    )?;
    fs::rename(below.join("bin"), data.join("scripts")).map_err(at(&data))?;

    let info = tree.join(format!("gpuc-{version}.dist-info"));
    let licences = info.join("licenses");
    fs::create_dir_all(&licences).map_err(at(&licences))?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let from = below.join("share/doc/gpuc").join(name);
        fs::rename(&from, licences.join(name)).map_err(at(&from))?;
    }
    let tag = tag(&glibc(&data.join("scripts"))?, std::env::consts::ARCH);
    fs::write(info.join("METADATA"), metadata(version)).map_err(at(&info))?;
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    fs::write(info.join("WHEEL"), wheel).map_err(at(&info))?;

    let package = dist.join(format!("gpuc-{version}-{tag}.whl"));
    output(Command::new("python3").args(["-c", ARCHIVE]).arg(&tree).arg(&package))?;
    fs::remove_dir_all(&tree).map_err(at(&tree))?;
    Ok(package)
}

/// Any Python, and a system with at least this C library (PEP 600).
fn tag(glibc: &str, machine: &str) -> String {
    format!("py3-none-manylinux_{}_{machine}", glibc.replace('.', "_"))
}

fn metadata(version: &str) -> String {
    format!(
        "Metadata-Version: 2.1\nName: gpuc\nVersion: {version}\n\
         Summary: Compiler of C with OpenACC and OpenMP directives for GPUs\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3\nDescription-Content-Type: text/markdown\n\n\
         `gpuc` takes the place of `cc`; `gpuc-opt` reads and transforms its IR. A C compiler is needed.\n"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn tags_name_the_oldest_c_library() {
        assert_eq!(super::tag("2.34", "x86_64"), "py3-none-manylinux_2_34_x86_64");
    }
}
