//! What a user has who has installed gpuc: the compiler in a folder of its own, another current
//! folder, and no sources or builds of gpuc anywhere.
//!
//! `GPUC_INSTALLED` names the folder that `cargo install --root` has filled; without it, the binary
//! under test is copied. Where the system lets us (`unshare`), the checkout is hidden behind an empty
//! file system for as long as the compiler and its programs run.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_tests::corpus;
use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::Tools;

/// The folder of an installation to test.
const INSTALLED: &str = "GPUC_INSTALLED";

const HELLO: &str =
    "int printf(const char *, ...);\nint main(void) { return printf(\"hello\\n\") < 0; }\n";

/// A user's home with the compiler in `gpuc/bin`.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().expect("a temporary folder") };
        for name in ["gpuc/bin", "project", "tmp"] {
            std::fs::create_dir_all(home.at(name)).unwrap();
        }
        let compiler = match std::env::var_os(INSTALLED).filter(|folder| !folder.is_empty()) {
            Some(folder) => corpus::root().join(folder).join("bin/gpuc"),
            None => Tools::find().ours("gpuc").unwrap(),
        };
        std::fs::copy(compiler, home.at("gpuc/bin/gpuc")).unwrap();
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at("project").join(name), text).unwrap();
    }

    /// Runs a shell command in the project, with the compiler on PATH and the checkout hidden.
    fn shell(&self, script: &str) -> Outcome {
        let hide = "mount -t tmpfs none \"$CHECKOUT\" && exec sh -ec \"$SCRIPT\"";
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-ec", hide]);
        if !can_hide() {
            command = Command::new("sh");
            command.args(["-ec", "exec sh -ec \"$SCRIPT\""]);
        }
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.at("gpuc/bin").display()));
        command.env("CHECKOUT", corpus::root()).env("SCRIPT", script).env("LC_ALL", "C");
        command.env("HOME", self.folder.path()).env("TMPDIR", self.at("tmp"));
        command.env_remove("XDG_CACHE_HOME").env("GPUC_DEVICE", "sim");
        execution::run(command.current_dir(self.at("project")), Vec::new(), true).unwrap()
    }

    /// What a command prints, which must succeed.
    fn succeed(&self, script: &str) -> String {
        let outcome = self.shell(script);
        assert_eq!(outcome.end(), End::Success, "{script}\n{}", outcome.tail());
        outcome.text()
    }
}

/// Whether a file system can be put over the checkout, for one process. Not where this runs as an
/// ordinary user whom the system forbids it, and not where the temporary folder is in the checkout.
fn can_hide() -> bool {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none"]);
    let allowed = command.arg(corpus::root()).output().is_ok_and(|o| o.status.success());
    allowed && !std::env::temp_dir().starts_with(corpus::root())
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_plain_program_is_the_one_that_cc_makes() {
    let home = Home::new();
    home.write("hello.c", HELLO);
    home.succeed("gpuc hello.c -o a && cc hello.c -o b && cmp a b");
    assert_eq!(home.succeed("./a"), "hello\n");
    assert_eq!(home.succeed("gpuc run hello.c"), "hello\n");
    assert_eq!(files(&home.at("tmp")), [""; 0]);
}

/// The package of `cargo xtask dist` whose name ends so, put into a home of which `script` has installed it: a
/// user's folder without another compiler. `None` where no package has been made.
fn packaged(ending: &str, script: &str) -> Option<Home> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let dist = corpus::root().join(target).join("dist");
    let Some(package) = files(&dist).into_iter().find(|name| name.ends_with(ending)) else {
        println!("skipped: no {ending} in {}", dist.display());
        return None;
    };
    let home = Home::new();
    std::fs::copy(dist.join(&package), home.at(&package)).unwrap();
    home.write("hello.c", HELLO);
    home.write(
        "region.c",
        "int printf(const char *, ...);\nint main(void) {\nint a[4];\n\
         #pragma acc parallel loop copyout(a)\nfor (int i = 0; i < 4; i++) a[i] = i;\n\
         return printf(\"%d\\n\", a[3]) < 0; }\n",
    );
    home.succeed(&format!("rm -r ~/gpuc/bin; PACKAGE=~/{package}; {script}"));
    Some(home)
}

/// Unpacked, the tarball works without a cache.
#[test]
fn a_tarball_is_unpacked_anywhere() {
    let script = "tar xf $PACKAGE -C ~/gpuc --strip-components=1";
    let Some(home) = packaged(".tar.gz", script) else { return };
    home.succeed("gpuc hello.c && ./a.out && gpuc -shared-gpuc hello.c && ./a.out");
    assert!(!home.at(".cache").exists());
    for file in [
        "bin/gpuc-opt",
        "bin/gpuc-reduce",
        "lib/gpuc/libgpuc_runtime.so",
        "include/gpuc_rt.h",
        "share/man/man1/gpuc.1",
        "share/doc/gpuc/README.md",
    ] {
        assert!(home.at("gpuc").join(file).is_file(), "{file}");
    }
    let completed = home.succeed(
        "bash -c '. ~/gpuc/share/bash-completion/completions/gpuc; COMP_WORDS=(gpuc --emit = aff); \
         COMP_CWORD=3; _gpuc 2>/dev/null; echo ${COMPREPLY[@]}; COMP_WORDS=(gpuc --print-c); \
         COMP_CWORD=1; _gpuc 2>/dev/null; echo ${COMPREPLY[@]}'",
    );
    assert_eq!(completed, "affine\n--print-config --print-completions=\n");
}

/// What an installed package can do wherever it was put, and that it needs no cache but for what the host compiler has answered.
fn works(home: &Home, bin: &str) {
    let run = "export GPUC_QUIET=1; gpuc hello.c && ./a.out && gpuc -shared-gpuc hello.c && ./a.out && \
               gpuc run -Wno-small-region region.c && gpuc --emit=gpu region.c | gpuc-opt --cse | grep -c gpu.launch";
    let text = home.succeed(&format!("PATH={bin}:$PATH; {run}"));
    assert!(text.starts_with("hello\nhello\n3\n"), "{text}");
    let at = home.succeed(&format!("PATH={bin}:$PATH; command -v gpuc"));
    assert_eq!(at, home.succeed(&format!("echo {bin}/gpuc")));
    let kept = "mkdir -p ~/.cache/gpuc; find ~/.cache/gpuc -type f ! -path '*/compilers/*'";
    assert_eq!(home.succeed(kept), "");
    assert_eq!(files(&home.at("tmp")), [""; 0]);
}

/// The Debian package, put by the package manager into a system of its own; removed, it leaves nothing.
#[test]
fn a_debian_package_is_installed_and_removed() {
    let dpkg = "dpkg --root=$HOME/system --force-not-root --force-depends";
    let script = format!(
        "mkdir -p ~/system/var/lib/dpkg/info ~/system/var/lib/dpkg/updates; \
         touch ~/system/var/lib/dpkg/status; fakeroot=; [ $(id -u) = 0 ] || fakeroot=fakeroot; \
         $fakeroot {dpkg} --install $PACKAGE >log 2>&1 || {{ cat log; false; }}"
    );
    let Some(home) = packaged(".deb", &script) else { return };
    works(&home, "$HOME/system/usr/bin");
    let shown = home.succeed("dpkg-deb --field ~/*.deb Package Depends");
    assert!(shown.starts_with("Package: gpuc\nDepends: libc6 (>= 2."), "{shown}");
    assert!(shown.contains("gcc | c-compiler"), "{shown}");
    assert_eq!(home.succeed(&format!("{dpkg} --verify gpuc")), "");
    for file in ["share/man/man1/gpuc.1.gz", "share/doc/gpuc/copyright", "include/gpuc_rt.h"] {
        assert!(home.at("system/usr").join(file).is_file(), "{file}");
    }
    home.succeed("man --version >/dev/null 2>&1 || exit 0; man -l ~/system/usr/share/man/man1/gpuc.1.gz >/dev/null");
    home.succeed(&format!("{dpkg} --remove gpuc >log 2>&1 || {{ cat log; false; }}"));
    assert_eq!(home.succeed("find ~/system -path '*/lib/dpkg' -prune -o -type f -print"), "");
}

/// The wheel, in a virtual environment; removed, it leaves nothing.
#[test]
fn a_wheel_is_installed_and_removed() {
    let install = "pip install --quiet --no-index --no-deps --disable-pip-version-check";
    let script = format!(
        "if python3 -m venv ~/env >log 2>&1; then ~/env/bin/{install} $PACKAGE; \
         else echo skipped: no venv >~/skipped; fi"
    );
    let Some(home) = packaged(".whl", &script) else { return };
    if home.at("skipped").exists() {
        println!("skipped: this Python makes no virtual environments");
        return;
    }
    works(&home, "$HOME/env/bin");
    let shown = home.succeed("~/env/bin/pip show --files gpuc");
    assert!(shown.contains("Name: gpuc\nVersion: 0.1.0\n"), "{shown}");
    assert!(home.at("env/share/man/man1/gpuc.1").is_file());
    home.succeed("~/env/bin/pip uninstall --quiet --yes gpuc");
    assert_eq!(home.succeed("find ~/env -name '*gpuc*' -type f"), "");
}

#[test]
fn a_program_that_offloads_needs_nothing_of_gpuc() {
    let home = Home::new();
    for name in ["sgemm.c", "check.h"] {
        let text = std::fs::read_to_string(corpus::root().join("examples").join(name)).unwrap();
        home.write(name, &text);
    }
    home.succeed("gpuc -O2 sgemm.c -o sgemm -lm");
    let dynamic = home.succeed("readelf -d sgemm");
    assert!(!dynamic.contains("RPATH") && !dynamic.contains("RUNPATH"), "{dynamic}");
    assert!(!dynamic.contains("gpuc"), "{dynamic}");
    // The compiler and what it has written are gone.
    let ran = home.succeed("rm -r ~/gpuc ~/.cache; ./sgemm 20 30 40");
    assert!(ran.contains("gpuc: device 0: sim") && ran.contains("sgemm"), "{ran}");
    assert_eq!(files(&home.at("tmp")), [""; 0]);
}

/// The stand-in is a driver of a GPU that knows one kernel; that the program gets to ask it is the point.
#[test]
fn a_program_loads_the_driver_where_there_is_one() {
    let home = Home::new();
    let driver = corpus::root().join("runtime/tests/programs/stand_in_driver.c");
    home.write("driver.c", &std::fs::read_to_string(driver).unwrap());
    home.write(
        "region.c",
        "int main(void) {\nint a[4];\n#pragma acc parallel loop copyout(a)\n\
         for (int i = 0; i < 4; i++) a[i] = 0;\nreturn a[3]; }\n",
    );
    home.succeed("mkdir driver && cc -shared -fPIC driver.c -o driver/libcuda.so.1");
    home.succeed(
        "cp driver/libcuda.so.1 driver/libcuda.so && gpuc -Wno-small-region region.c -o region",
    );
    let with = home.shell("LD_LIBRARY_PATH=driver GPUC_DEVICE=cuda ./region").text();
    assert!(with.contains("gpuc: device 0: Stand-in (sm_90, cuda)\n"), "{with}");
    assert!(with.contains("the module has no kernel `main_L3_kernel`"), "{with}");
    assert!(home.succeed("LD_LIBRARY_PATH=driver ./region").contains("device 0: sim"));
}

#[test]
fn the_runtime_beside_the_compiler_comes_first() {
    let home = Home::new();
    home.write("hello.c", HELLO);
    let carried = home.succeed("gpuc -print-file-name=libgpuc_runtime.a");
    assert!(carried.contains("/.cache/gpuc/"), "{carried}");
    home.succeed("mkdir -p ~/gpuc/lib && mv ~/.cache/gpuc/* ~/gpuc/lib/gpuc && rm -r ~/.cache");
    let beside = home.succeed("gpuc -print-file-name=libgpuc_runtime.a");
    assert!(beside.ends_with("/gpuc/lib/gpuc/libgpuc_runtime.a\n"), "{beside}");
    home.succeed("gpuc hello.c && ./a.out && gpuc -shared-gpuc hello.c && ./a.out");
    assert!(!home.at(".cache").exists());
    // Without a home there is the temporary folder.
    home.succeed("rm -r ~/gpuc/lib; HOME= gpuc hello.c && HOME=/dev/null gpuc hello.c && ./a.out");
    assert_eq!(files(&home.at("tmp")), [""; 0]);
    let wrong = home.shell("GPUC_RUNTIME_DIR=none gpuc hello.c");
    assert_eq!(wrong.end(), End::Refused(1));
    assert!(wrong.text().contains("GPUC_RUNTIME_DIR=`none` is no folder with libgpuc_runtime.a"));
}

#[test]
fn parts_of_a_program_share_one_runtime_where_it_is_shared() {
    let home = Home::new();
    let region = |name: &str| {
        format!(
            "float {name}(float *a) {{\n#pragma acc parallel loop present(a[0:4])\n\
             for (int i = 0; i < 4; i++) a[i] += 1;\nreturn 0; }}\n"
        )
    };
    home.write("library.c", &region("library"));
    home.write(
        "main.c",
        "int printf(const char *, ...); float library(float *);\nint main(void) {\n\
         float a[4] = {0};\n#pragma acc data copy(a)\n{ library(a); library(a); }\n\
         return printf(\"%g\\n\", a[3]) < 0; }\n",
    );
    for linkage in ["-static-gpuc", "-shared-gpuc"] {
        home.succeed(&format!("gpuc -shared -fPIC {linkage} library.c -o liblibrary.so"));
        home.succeed(&format!("gpuc {linkage} main.c -L. -llibrary -Wl,-rpath,. -o main"));
        assert!(home.succeed("./main").ends_with("2\n"), "{linkage}");
    }
    assert!(home.succeed("readelf -d main").contains("libgpuc_runtime.so"));
}

#[test]
fn it_says_where_everything_is() {
    let home = Home::new();
    let text = home.succeed("gpuc --version -v");
    assert!(text.starts_with(&format!("gpuc {}\n", env!("CARGO_PKG_VERSION"))), "{text}");
    for key in ["compiler: /", "host-compiler: cc\n", "target: ", "runtime-library: /", "archs: "] {
        assert!(text.contains(&format!("\n{key}")), "{key}\n{text}");
    }
    assert!(text.ends_with(&home.succeed("gpuc --print-config")));
    assert_eq!(home.succeed("gpuc -dumpmachine"), home.succeed("cc -dumpmachine"));
    assert_eq!(home.succeed("gpuc -print-file-name=x"), "x\n");
}
