//! gpuc in the place of cc: the same files come out, wherever the command says, and none of them tells
//! where gpuc worked.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::{self, Tools};

/// A program with regions of most kinds.
const SOURCE: &str = "\
#include <stdio.h>
#include <math.h>
static void scale(int n, double *restrict a, double f)
{
    double s = 0;
    #pragma acc data copy(a[0:n])
    {
        #pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = sqrt(a[i]) * f;
        #pragma acc parallel loop reduction(+:s) if(n > 3)
        for (int i = 0; i < n; i++)
            s += a[i];
        #pragma acc update self(a[0:n])
    }
    if (s < 0)
        printf(\"negative\\n\");
}
int main(void)
{
    double a[100];
    for (int i = 0; i < 100; i++)
        a[i] = i * i;
    scale(100, a, 2);
    return printf(\"%g\\n\", a[9]) < 0;
}
";

/// A folder with `name.c` in it.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("name.c"), SOURCE).unwrap();
    folder
}

fn gpuc() -> PathBuf {
    Tools::find().ours("gpuc").unwrap()
}

/// Writes a script that can be executed at once. Another process writes it: what this one has open
/// for writing, the children that other tests start at the same moment inherit until their exec, and
/// what somebody has open for writing cannot be executed (ETXTBSY).
fn executable(path: &Path, script: &str) {
    let install = ["-m", "755", "/dev/stdin"];
    let mut command = Command::new("install");
    let ran = execution::run(command.args(install).arg(path), script.into(), true).unwrap();
    assert_eq!(ran.end(), End::Success, "{}", ran.tail());
}

fn run(folder: &Path, program: &Path, line: &str, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(program);
    command.args(line.split_whitespace()).current_dir(folder).env("LC_ALL", "C");
    command.env_remove("GPUC_CC").envs(variables.iter().copied());
    execution::run(&mut command, Vec::new(), true).unwrap()
}

fn succeed(folder: &Path, program: &Path, line: &str, variables: &[(&str, &str)]) -> String {
    let outcome = run(folder, program, line, variables);
    assert_eq!(outcome.end(), End::Success, "{line} {variables:?}\n{}", outcome.tail());
    outcome.text()
}

/// The files that a command leaves behind.
fn files_of(program: &Path, line: &str) -> Vec<String> {
    let folder = project();
    succeed(folder.path(), program, line, &[]);
    let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_goes_beside_objects_is_where_cc_puts_it() {
    const BESIDE: &str = "--coverage -save-temps -fstack-usage -gsplit-dwarf -g -O1";
    let cc = tools::host_compiler();
    for line in [
        "-c name.c",
        "-c name.c -o other.o",
        "-S name.c",
        "name.c -lm",
        "name.c -o program -lm",
        "-fno-openacc name.c -o program -lm",
    ] {
        let line = format!("{BESIDE} {line}");
        let expected = files_of(&cc, &line);
        assert!(
            [".su", ".i", ".s"].iter().all(|end| expected.iter().any(|name| name.ends_with(end))),
            "{expected:?}"
        );
        assert_eq!(files_of(&gpuc(), &line), expected, "{line}");
    }
}

#[test]
fn objects_are_reproducible_and_name_the_users_file() {
    let folder = project();
    let mut objects = Vec::new();
    for name in ["one", "two"] {
        let temporary = folder.path().join(name);
        std::fs::create_dir(&temporary).unwrap();
        let temporary = temporary.to_str().unwrap();
        succeed(folder.path(), &gpuc(), "-g -O2 -c name.c", &[("TMPDIR", temporary)]);
        objects.push(std::fs::read(folder.path().join("name.o")).unwrap());
        assert!(!String::from_utf8_lossy(&objects[0]).contains(temporary));
    }
    assert!(objects[0] == objects[1], "two compilations of one file differ");
    let readelf = |line: &str| succeed(folder.path(), Path::new("readelf"), line, &[]);
    let symbols = readelf("-s -W name.o");
    assert!(symbols.lines().any(|l| l.contains(" FILE ") && l.ends_with(" name.c")), "{symbols}");
    let information = readelf("--debug-dump=info name.o");
    let mut units = information.lines().skip_while(|line| !line.contains("DW_TAG_compile_unit"));
    let name = units.find(|line| line.contains("DW_AT_name")).unwrap_or_default();
    assert!(name.ends_with(": name.c"), "{name}");
}

/// The host compiler may be a command line, and neither GCC nor Clang has anything to warn of.
#[test]
fn no_host_compiler_warns_of_our_text() {
    let folder = project();
    let cc = tools::host_compiler();
    let wrapped = format!("env {}", cc.display());
    for host in ["gcc", "clang", "clang-19", &wrapped] {
        let program = Path::new(host.split(' ').next().unwrap_or(host));
        if Command::new(program).arg("--version").output().is_err() {
            println!("skipped: no {host}");
            continue;
        }
        let host = [("GPUC_CC", host), ("GPUC_DEVICE", "sim")];
        let warnings = "-Wall -Wextra -pedantic -Werror -I. -DX=1 -include stddef.h -g -O2";
        for line in
            ["-std=gnu11 name.c -o name -lm", "-std=c11 -c name.c", "-I. name.o -o name -lm"]
        {
            assert_eq!(succeed(folder.path(), &gpuc(), &format!("{warnings} {line}"), &host), "");
        }
        let ran = succeed(folder.path(), &folder.path().join("name"), "", &host);
        assert!(ran.ends_with("\n18\n"), "{ran}");
    }
}

/// What CMake asks of a compiler: its identity and features, and where OpenMP and OpenACC are.
#[test]
fn cmake_finds_what_there_is() {
    if Command::new("cmake").arg("--version").output().is_err() {
        println!("skipped: no cmake");
        return;
    }
    let folder = project();
    let lists = "\
cmake_minimum_required(VERSION 3.16)
project(name C)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(OpenACC REQUIRED COMPONENTS C)
message(STATUS \"openacc: ${OpenACC_C_SPEC_DATE}\")
add_executable(name name.c)
target_link_libraries(name OpenMP::OpenMP_C OpenACC::OpenACC_C m)
";
    std::fs::write(folder.path().join("CMakeLists.txt"), lists).unwrap();
    let cmake = |line: &str| succeed(folder.path(), Path::new("cmake"), line, &[]);
    let found = cmake(&format!("-B build -DCMAKE_C_COMPILER={}", gpuc().display()));
    assert!(found.contains("-- openacc: 202211\n"), "{found}");
    cmake("--build build");
    let program = folder.path().join("build/name");
    let ran = succeed(folder.path(), &program, "", &[("GPUC_DEVICE", "sim")]);
    assert!(ran.ends_with("\n18\n"), "{ran}");
}

/// A signal that ends gpuc ends it as a signal, and leaves nothing behind.
#[test]
fn signals_leave_no_temporary_files() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        // A signal that this test was started to ignore is ignored by what it starts, too.
        if execution::ignores(number) {
            continue;
        }
        let folder = project();
        let (temporary, started) = (folder.path().join("tmp"), folder.path().join("started"));
        std::fs::create_dir(&temporary).unwrap();
        // Its last step takes long.
        let slow = "#!/bin/sh\ncase \" $* \" in *\" -E \"*) exec cc \"$@\" ;; esac\ntouch started\nsleep 60\n";
        let compiler = folder.path().join("slow-cc");
        executable(&compiler, slow);
        let mut child = Command::new(gpuc())
            .args(["-c", "name.c"])
            .current_dir(folder.path())
            .env("GPUC_CC", &compiler)
            .env("TMPDIR", &temporary)
            .process_group(0)
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !started.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        let files = || std::fs::read_dir(&temporary).unwrap().count();
        assert_eq!(files(), 1, "there is a folder while the host compiler runs");
        // As a terminal does: to the whole group.
        let group = format!("-{}", child.id());
        let sent = Command::new("kill").args([&format!("-{signal}"), "--", &group]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(number as i32));
        assert_eq!(files(), 0, "SIG{signal} leaves something behind");
    }
}

/// What comes from standard input has its directives, and places in messages; headers are those of the folder.
#[test]
fn programs_come_from_standard_input() {
    let folder = project();
    std::fs::write(folder.path().join("own.h"), "#define N 5\n").unwrap();
    let from_input = |line: &str, text: &str| {
        let mut command = Command::new(gpuc());
        command.args(line.split(' ')).current_dir(folder.path()).env("LC_ALL", "C");
        execution::run(&mut command, text.into(), true).unwrap()
    };
    let program = "#include \"own.h\"\nint main(void)\n{\n    int a[N];\n#pragma acc parallel loop\n    \
        for (int i = 0; i < N; i++)\n        a[i] = i;\n    return a[N - 1];\n}\n";
    let made = from_input("-x c - -o made", program);
    assert_eq!(made.end(), End::Success, "{}", made.text());
    let ran = run(folder.path(), &folder.path().join("made"), "", &[("GPUC_DEVICE", "sim")]);
    assert_eq!(ran.status.and_then(|status| status.code()), Some(4), "{}", ran.text());
    assert!(ran.text().contains("sim"), "{}", ran.text());
    let refused = from_input("-x c -c -", &program.replace("= i;", "= j;"));
    assert!(refused.text().contains("--> <stdin>:7:"), "{}", refused.text());
    assert_eq!(from_input("-x c -c -", "int x;\n").end(), End::Success);
    assert!(folder.path().join("-.o").exists());
}

/// A signal that the host compiler alone has been sent leaves none, either.
#[test]
fn the_host_compilers_signal_is_ours() {
    let folder = project();
    let compiler = folder.path().join("ending-cc");
    let script = "#!/bin/sh\ncase \" $* \" in *\" -E \"*) exec cc \"$@\" ;; esac\nkill -TERM $$\n";
    executable(&compiler, script);
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = Command::new(gpuc());
    command.args(["-c", "name.c"]).current_dir(folder.path());
    let status = command.env("GPUC_CC", &compiler).env("TMPDIR", &temporary).status().unwrap();
    assert_eq!(status.signal(), Some(15));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// What cannot be read or written is named.
#[test]
fn bad_input_is_named() {
    let folder = project();
    std::fs::create_dir(folder.path().join("folder.c")).unwrap();
    let gpuc = gpuc().display().to_string();
    let opt = Tools::find().ours("gpuc-opt").unwrap().display().to_string();
    let reduce = Tools::find().ours("gpuc-reduce").unwrap().display().to_string();
    for (line, sentence) in [
        ("gpuc -c folder.c", "cannot read `folder.c`: it is a directory"),
        ("gpuc --emit=ptx name.c >&-", "cannot write the output: standard output is closed"),
        ("gpuc -c -MD -MF - name.c >&-", "cannot write dependencies: standard output is closed"),
        ("gpuc --emit=ptx name.c >/dev/full", "cannot write the output: No space left"),
        ("gpuc --help >/dev/full", "cannot write the output: No space left"),
        ("gpuc --help >&-", "cannot write the output: standard output is closed"),
        ("gpuc --explain GPUC0004 >/dev/full", "cannot write the output: No space left"),
        ("gpuc --version >/dev/full", "cannot write the output: No space left"),
        ("gpuc --print-man-page >/dev/full", "cannot write the output: No space left"),
        ("gpuc-opt --help >/dev/full", "cannot write the output: No space left"),
        ("gpuc-opt --version >&-", "cannot write the output: standard output is closed"),
        ("gpuc-opt --list-passes >/dev/full", "cannot write the output: No space left"),
        ("gpuc-opt --show-dialects >/dev/full", "cannot write the output: No space left"),
        ("gpuc-reduce --help >/dev/full", "cannot write the output: No space left"),
        ("gpuc-opt /dev/null >/dev/full", "cannot write '-': No space left"),
        ("gpuc --emit=ptx name.c -o /dev/full", "cannot write `/dev/full`: No space left"),
        ("gpuc --emit=ptx name.c -o none/a.ptx", "cannot write `none/a.ptx`: No such file"),
        ("TMPDIR=/none gpuc -c name.c", "cannot create a temporary folder in `/none`"),
        ("GPUC_CC=./folder.c gpuc -c name.c", "cannot run the C compiler `./folder.c`"),
        ("GPUC_RUNTIME_DIR=/none gpuc name.c -lm", "GPUC_RUNTIME_DIR=`/none` is no folder with"),
    ] {
        let ours = line.replace("gpuc ", &format!("{gpuc} "));
        let ours = ours.replace("gpuc-opt ", &format!("{opt} "));
        let script = format!("{} 2>&1", ours.replace("gpuc-reduce ", &format!("{reduce} ")));
        // Errors where the output was, and the output where the line says.
        let script = match line.split_once(" >") {
            Some((_, target)) => {
                format!("{} 2>&1 >{target}", script.split(" >").next().unwrap_or(""))
            }
            None => script,
        };
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(folder.path()).env("LC_ALL", "C");
        let outcome = execution::run(&mut command, Vec::new(), false).unwrap();
        assert_eq!(outcome.end(), End::Refused(1), "{line}\n{}", outcome.tail());
        assert!(outcome.text().contains(sentence), "{line}\n{}", outcome.tail());
    }
    // A reader that has seen enough is no error.
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-ec", &format!("{gpuc} --help | true; {opt} --help | true")]);
    let outcome = execution::run(&mut command, Vec::new(), true).unwrap();
    assert_eq!((outcome.end(), outcome.text()), (End::Success, String::new()));
    for name in ["a b$c'.c", "new\nline.c", "per%cent\\n.c", "-dash.c", "quo\"te.c", "\"\\\"\\.c"] {
        std::fs::write(folder.path().join(name), SOURCE).unwrap();
        let mut command = Command::new(&gpuc);
        command.args(["-g", "-o", "named", "-lm"]).arg(format!("./{name}"));
        let made = execution::run(command.current_dir(folder.path()), Vec::new(), true).unwrap();
        assert_eq!((made.end(), made.text()), (End::Success, String::new()), "{name}");
        let program = folder.path().join("named");
        let ran = succeed(folder.path(), &program, "", &[("GPUC_DEVICE", "sim")]);
        assert!(ran.ends_with("\n18\n"), "{name}: {ran}");
    }
}
