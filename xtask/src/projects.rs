//! `projects`: programs that nobody here wrote, from the distribution's source packages, built with `CC=gpuc` and judged by their
//! own tests. Nothing of them is kept here, and it is no part of `test`: it takes an hour and the network.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::provision::on_path;
use crate::stage::{Summary, cargo, target};

/// A source package, and what builds and tests it in its folder, as a line for the shell.
struct Project {
    package: &'static str,
    steps: &'static str,
    /// Whether its tests want an ordinary user: they try what only root may.
    is_ordinary: bool,
}

const fn project(package: &'static str, steps: &'static str) -> Project {
    Project { package, steps, is_ordinary: false }
}

/// A project that root builds and tests as somebody else.
const fn ordinary(package: &'static str, steps: &'static str) -> Project {
    Project { is_ordinary: true, ..project(package, steps) }
}

/// Takes `STEPS` as an ordinary user, if root is asked.
const AS_ORDINARY_USER: &str = "if [ \"$(id -u)\" = 0 ]; then chown -R nobody . && \
    exec setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=\"$PWD\" sh -ec \"$STEPS\"; fi; \
    exec sh -ec \"$STEPS\"";

/// What most packages of the GNU build system take. Their manuals need what is not everywhere.
const AUTOCONF: &str =
    "./configure -q --disable-dependency-tracking MAKEINFO=: && make -s -j2 && make -s check";

/// Twenty of them, by name.
const PROJECTS: [Project; 20] = [
    project("bzip2", "make -s CC=\"$CC\" libbz2.a bzip2 bzip2recover && make -s CC=\"$CC\" test"),
    project("cjson", CMAKE),
    project(
        "duktape",
        "make -s -f Makefile.cmdline CC=\"$CC\" && echo 'print(6*7)' >t.js && ./duk t.js | grep -qx 42",
    ),
    project(
        "expat",
        // The distribution's changes to it are not made for its CMake files.
        "cd expat && ./buildconf.sh && ./configure -q --without-docbook && make -s -j2 && make -s check",
    ),
    project("giflib", "make -s CC=\"$CC\" libgif.a libgif.so giftext gifbuild"),
    project("gzip", AUTOCONF),
    project("hiredis", "make -s CC=\"$CC\" static"),
    project("jansson", CMAKE),
    project("less", "./configure -q && make -s -j2 && ./less --version | grep -q less"),
    project("libyaml", "./bootstrap && ./configure -q && make -s -j2 && make -s check"),
    project(
        "lua5.4",
        // The distribution's Makefile wants what its own rules make: a libtool and a header.
        "cd src && mv luac.c luac && echo '#define DEB_HOST_MULTIARCH \"lib\"' >lua5.4-deb-multiarch.h && \
         $CC -O1 -DLUA_USE_POSIX *.c -lm -o lua && ./lua -e 'assert(#(\"x\"):rep(9) == 9)'",
    ),
    project(
        "lz4",
        "make -s CC=\"$CC\" lib lz4 && ./lz4 -q -c README.md | ./lz4 -q -d -c | cmp - README.md",
    ),
    project(
        "make-dfsg",
        // What gettext's macros need is in the package.
        "AUTOPOINT=true autoreconf -fi && ./configure -q && make -s -j2 && ./make --version | grep -q GNU",
    ),
    project("mawk", "./configure -q && make -s && make -s check"),
    project("libonig", "autoreconf -fi && ./configure -q && make -s -j2 && make -s check"),
    project("pcre2", AUTOCONF),
    ordinary("sed", AUTOCONF),
    project(
        "sqlite3",
        "./configure -q && make -s sqlite3 && echo 'select 6*7;' | ./sqlite3 | grep -qx 42",
    ),
    project("xz-utils", AUTOCONF),
    project("zlib", "./configure && make -s -j2 && make -s test"),
];

/// Those of CMake.
const CMAKE: &str = "cmake -S . -B built -DCMAKE_C_COMPILER=\"$CC\" >/dev/null && cmake --build built -j2 && \
                     ctest --test-dir built --output-on-failure";

/// Builds and tests each of them, or those whose name holds `filter`.
pub fn run(summary: &mut Summary, filter: Option<&str>) {
    if on_path(&["apt-get"]).is_none() || on_path(&["dpkg-source"]).is_none() {
        return summary.skip("projects", "source packages are Debian's: apt-get and dpkg-dev");
    }
    if !summary
        .run("build release binaries", cargo(&["build", "-q", "--release", "-p", "gpuc-driver"]))
    {
        return;
    }
    for project in
        PROJECTS.iter().filter(|each| filter.is_none_or(|name| each.package.contains(name)))
    {
        let folder = target().join("projects").join(project.package);
        match unpack(project.package, &folder) {
            Ok(sources) => {
                let mut command = Command::new("sh");
                let steps = if project.is_ordinary { AS_ORDINARY_USER } else { project.steps };
                command.args(["-ec", steps]).env("STEPS", project.steps).current_dir(sources);
                command.env("CC", target().join("release/gpuc")).env("GPUC_QUIET", "1");
                summary.run(project.package, command);
            }
            Err(why) => summary.skip(project.package, &why),
        }
    }
}

/// The folder of a package's sources, which are got where they are not there yet.
fn unpack(package: &str, folder: &Path) -> Result<PathBuf, String> {
    // Anew each time: what an earlier compiler has built is nothing to go by.
    drop(std::fs::remove_dir_all(folder));
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut command = Command::new("apt-get");
    let got = command.args(["source", "-qq", package]).current_dir(folder).output();
    let got = got.map_err(|error| error.to_string())?;
    if !got.status.success() {
        let text = String::from_utf8_lossy(&got.stderr);
        let last = text.lines().rfind(|line| !line.is_empty()).unwrap_or("apt-get source failed");
        return Err(last.to_owned());
    }
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.into_iter().next().ok_or_else(|| "the package holds no folder".to_owned())
}
