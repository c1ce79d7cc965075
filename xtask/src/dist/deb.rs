//! The Debian package: the tarball's folder below `/usr`, where Debian's policy wants its parts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{at, glibc, output};

/// Files that have another place in Debian than in an installation of one's own.
const MOVED: [(&str, &str); 1] =
    [("usr/share/zsh/site-functions/_gpuc", "usr/share/zsh/vendor-completions/_gpuc")];

/// Packs `folder`, an installation, beside it.
pub fn pack(folder: &Path, version: &str) -> Result<PathBuf, String> {
    let dist = folder.parent().unwrap_or(folder);
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let architecture = architecture.trim();
    let tree = dist.join("deb");
    if tree.exists() {
        fs::remove_dir_all(&tree).map_err(at(&tree))?;
    }
    let usr = tree.join("usr");
    fs::create_dir_all(&tree).map_err(at(&tree))?;
    output(
        Command::new("cp").args(["--recursive", "--no-target-directory"]).arg(folder).arg(&usr),
    )?;
    for (from, to) in MOVED {
        let (from, to) = (tree.join(from), tree.join(to));
        fs::create_dir_all(to.parent().unwrap_or(&tree)).map_err(at(&to))?;
        fs::rename(&from, &to).map_err(at(&from))?;
    }
    drop(fs::remove_dir(usr.join("share/zsh/site-functions")));
    output(Command::new("gzip").args(["-9", "-n"]).arg(usr.join("share/man/man1/gpuc.1")))?;
    copyright(&usr.join("share/doc/gpuc"))?;

    let control = tree.join("DEBIAN");
    fs::create_dir_all(&control).map_err(at(&control))?;
    let text = self::control(version, architecture, &glibc(&usr.join("bin"))?);
    fs::write(control.join("control"), text).map_err(at(&control))?;
    fs::write(control.join("md5sums"), sums(&tree)?).map_err(at(&control))?;

    let package = dist.join(format!("gpuc_{version}_{architecture}.deb"));
    let mut build = Command::new("dpkg-deb");
    // Strong compression of tens of megabytes would take longer than all else here.
    build.args(["-Zxz", "-z1", "--root-owner-group", "--build"]).arg(&tree).arg(&package);
    // The same tree gives the same bytes.
    output(build.env("SOURCE_DATE_EPOCH", "0"))?;
    fs::remove_dir_all(&tree).map_err(at(&tree))?;
    Ok(package)
}

/// What the package manager is told. A C compiler is what gpuc cannot work without.
fn control(version: &str, architecture: &str, glibc: &str) -> String {
    format!(
        "Package: gpuc\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: The gpuc developers <gpuc@localhost>\nSection: devel\nPriority: optional\n\
         Depends: libc6 (>= {glibc}), gcc | c-compiler, libc6-dev | libc-dev\n\
         Suggests: libcuda1\n\
         Description: compiler of C with OpenACC and OpenMP directives for GPUs\n \
         gpuc takes the place of cc. What stands in regions with directives becomes\n \
         PTX code for NVIDIA's GPUs, and the rest goes to the C compiler. Programs run\n \
         on the bundled simulator where there is no GPU.\n"
    )
}

/// One file with both licences, where Debian looks for it.
fn copyright(documents: &Path) -> Result<(), String> {
    let mut text =
        "gpuc is licensed under either of the two licences below, at your choice.\n".to_owned();
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let file = documents.join(name);
        text += &format!("\n\n{}", fs::read_to_string(&file).map_err(at(&file))?);
        fs::remove_file(&file).map_err(at(&file))?;
    }
    let file = documents.join("copyright");
    fs::write(&file, text).map_err(at(&file))
}

/// A line for each file, by which `dpkg --verify` knows it.
fn sums(tree: &Path) -> Result<String, String> {
    let script = "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum";
    output(Command::new("sh").args(["-c", script]).current_dir(tree))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_control_file_has_a_line_for_each_field() {
        let text = super::control("1.2.3", "amd64", "2.34");
        for line in text.lines() {
            let field = line.split_once(": ").is_some_and(|(name, _)| !name.contains(' '));
            assert!(field || line.starts_with(' '), "{line:?}");
        }
        assert!(text.contains("\nDepends: libc6 (>= 2.34), gcc"), "{text}");
    }
}
