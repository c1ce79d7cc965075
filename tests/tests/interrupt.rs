//! Long kernels on the simulator: Ctrl-C, limits and progress, in `gpuc run` and in compiled programs.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gpuc_tests::execution;
use gpuc_tests::tools::Tools;

/// Writes that it has begun, and then computes for hours.
const SOURCE: &str = "\
#include <stdio.h>
#include <signal.h>
#include <string.h>
static void own(int number) { (void)number; }
int main(int argc, char **argv)
{
    double b[64];
    if (argc > 1 && !strcmp(argv[1], \"handles\"))
        signal(SIGINT, own);
    printf(\"begins\\n\");
    fflush(stdout);
    #pragma acc parallel loop copyout(b)
    for (int i = 0; i < 32; i++) {
        double s = i;
        for (long k = 0; k < 1000000000000; k++)
            s = s * 0.5 + k;
        b[i] = s;
    }
    printf(\"%g\\n\", b[3]);
    return 0;
}
";

fn gpuc() -> PathBuf {
    Tools::find().ours("gpuc").unwrap()
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("long.c"), SOURCE).unwrap();
    std::fs::create_dir(folder.path().join("tmp")).unwrap();
    folder
}

/// Starts a program, sends SIGINT to its group when it has begun, and gives its status and errors.
fn interrupt(folder: &Path, command: &mut Command) -> (Option<i32>, String) {
    command.current_dir(folder).env("TMPDIR", folder.join("tmp")).env("GPUC_DEVICE", "sim");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap();
    let mut begun = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut begun).unwrap();
    // Until the kernel runs; it is as good if that takes longer, but for what is said.
    std::thread::sleep(Duration::from_secs(3));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let ended = Instant::now();
    let done = child.wait_with_output().unwrap();
    assert!(ended.elapsed() < Duration::from_secs(60));
    assert_eq!(
        std::fs::read_dir(folder.join("tmp")).unwrap().count(),
        0,
        "something is left behind"
    );
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn ctrl_c_ends_the_kernel_of_a_program() {
    if execution::ignores(2) {
        return;
    }
    let folder = project();
    let built = Command::new(gpuc()).args(["long.c", "-o", "long"]).current_dir(&folder).status();
    assert!(built.unwrap().success());
    let run = |words: &[&str]| {
        let mut command = Command::new(gpuc());
        command.args(words);
        command
    };
    for command in [
        &mut Command::new(folder.path().join("long")),
        &mut run(&["run", "long.c"]),
        &mut run(&["check", "long.c"]),
    ] {
        let (status, said) = interrupt(folder.path(), command);
        assert_eq!(status, Some(130), "{said}");
        assert!(said.contains("interrupted") && said.contains("long.c:1"), "{said}");
        assert!(said.contains("in kernel `") && said.contains("block (0, 0, 0)"), "{said}");
    }
    // A program that has a handler of its own keeps it: the kernel runs until its time is over.
    let mut own = Command::new(folder.path().join("long"));
    let (status, said) =
        interrupt(folder.path(), own.arg("handles").env("GPUC_SIM_TIME_LIMIT", "5"));
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("time limit exceeded"), "{said}");
}

#[test]
fn limits_and_progress_by_options_and_variables() {
    let folder = project();
    let run = |words: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new(gpuc());
        command.args(["run", "--device=sim"]).args(words.split_whitespace()).arg("long.c");
        let done = command.current_dir(&folder).envs(variables.iter().copied()).output().unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    for (words, variables, expected) in [
        ("--budget=100000", &[][..], "instruction budget exceeded"),
        ("", &[("GPUC_SIM_BUDGET", "100000")], "instruction budget exceeded"),
        ("--time-limit=0.2", &[], "time limit exceeded"),
        ("--time-limit=1.6 --progress", &[], " % of 1 blocks, "),
        ("--time-limit=1.6", &[("GPUC_PROGRESS", "1")], " warp instructions a second"),
        ("--budget=none", &[], "is not a number of warp instructions"),
        ("--time-limit=0", &[], "is not a number of seconds"),
        ("--approx=wrost", &[], "there are best and worst"),
    ] {
        let (status, said) = run(words, variables);
        assert_eq!(status, Some(1), "{words}: {said}");
        assert!(said.contains(expected), "{words}: {said}");
    }
    assert!(!run("--time-limit=1.6", &[]).1.contains("warp instructions a second"));
}

/// What C's functions become leans on no instruction that only approximates: at their worst nothing changes.
#[test]
fn functions_of_c_do_not_lean_on_approximations() {
    let folder = project();
    let source = "\
#include <stdio.h>
#include <math.h>
int main(void)
{
    float x[256];
    #pragma acc parallel loop copyout(x)
    for (int i = 0; i < 256; i++)
        x[i] = expf(i * 0.01f) + sinf(i * 0.1f) / sqrtf(i + 1);
    for (int i = 0; i < 256; i++)
        printf(\"%a\\n\", x[i]);
    return 0;
}
";
    std::fs::write(folder.path().join("approx.c"), source).unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new(gpuc());
        command.args(["run", "--device=sim"]).args(words).args(["approx.c", "-lm"]);
        let done = command.current_dir(&folder).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let best = run(&[]);
    assert_eq!(best.lines().count(), 256);
    assert_eq!(best, run(&["--approx", "best"]));
    assert_eq!(best, run(&["--approx=worst"]));
}
