//! What host compilers put into programs for other tools: line tables, counters, checks, code for the linker to
//! optimise. A region changes none of it. What is not installed is named as skipped.

use std::process::Command;

use gpuc_tests::execution::End;
use gpuc_tests::project::{Project, has};
use gpuc_tests::tools::host_compiler;

/// Line 7 is the loop of the region, line 8 its body.
const LIBRARY: &str = "\
double scale(int n, double *x, double by)
{
    double sum = 0;
    #pragma acc data copy(x[0:n])
    {
        #pragma acc parallel loop reduction(+:sum)
        for (int i = 0; i < n; i++)
            sum += x[i] *= by;
    }
    return sum;
}
";
const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>
double scale(int n, double *x, double by);
int main(int count, char **words)
{
    double *x = calloc(101, sizeof(double));
    for (int i = 0; i < 101; i++)
        x[i] = i;
    printf(\"%g\\n\", scale(101, x, 2));
    double at = x[count > 1 ? atoi(words[1]) : 0];
    free(x);
    return at != 0;
}
";
/// What the program prints.
const SAID: &str = "10100\n";

/// A folder with the program in two files.
fn project() -> Project {
    Project::new([("scale.c", LIBRARY), ("main.c", PROGRAM)])
}

/// Whether the host compiler has the library that an option asks for.
fn host_has(option: &str) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let mut command = Command::new(host_compiler());
    command.arg(option).arg(&source).arg("-o").arg(folder.path().join("empty"));
    let has = command.output().is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("skipped: the host compiler has no `{option}`");
    }
    has
}

#[test]
fn gdb_stops_at_the_users_lines_of_host_and_fallback() {
    if !has("gdb") {
        return;
    }
    let project = project();
    project.shell("$CC -g -O0 main.c scale.c -o program");
    let debug =
        "gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'set startup-with-shell off'";
    // On the host, the loop is the user's own, with its variables.
    let script = format!(
        "GPUC_DEVICE=host {debug} -ex 'break scale.c:8' -ex run -ex 'print n' -ex 'print i' -ex next -ex bt ./program 2>&1"
    );
    let said = project.shell(&script);
    if said.contains("ptrace: Operation not permitted") {
        eprintln!("skipped: nothing may be traced here");
        return;
    }
    for line in
        ["at scale.c:8\n", "$1 = 101\n", "$2 = 0\n", "for (int i = 0; i < n; i++)", "at main.c:9\n"]
    {
        assert!(said.contains(line), "no `{line}` in\n{said}");
    }
    // On a device, stepping goes over the region as over one statement, and never into text of ours.
    let steps = "-ex step ".repeat(4);
    let script = format!("{debug} -ex 'break scale' -ex run {steps} -ex bt ./program 2>&1");
    let said = project.shell(&script);
    assert!(said.contains("return sum;") && !said.contains("gpuc>"), "{said}");
}

#[test]
fn sanitizers_find_what_the_host_does_wrong_and_nothing_of_ours() {
    for (option, finding) in
        [("-fsanitize=address", "heap-buffer-overflow"), ("-fsanitize=undefined", "")]
    {
        if !host_has(option) {
            continue;
        }
        let project = project();
        project.shell(&format!(
            "$CC -g -O1 {option} -fno-sanitize-recover=all main.c scale.c -o program"
        ));
        // The simulator keeps what it has made; leaks of the user's are looked for elsewhere.
        let run = "ASAN_OPTIONS=detect_leaks=0 ./program";
        for device in ["host", "sim"] {
            assert_eq!(project.shell(&format!("GPUC_DEVICE={device} {run}")), SAID, "{option}");
        }
        if !finding.is_empty() {
            let outcome = project.attempt(&format!("{run} 101 2>&1"));
            assert_ne!(outcome.end(), End::Success);
            let said = outcome.text();
            assert!(said.contains(finding) && said.contains("main.c:10"), "{said}");
        }
    }
}

#[test]
fn the_linker_may_optimise() {
    if !host_has("-flto") {
        return;
    }
    let project = project();
    for options in ["-flto -O2", "-flto -O2 -ffat-lto-objects -g", "-flto -fPIE -pie"] {
        project.shell(&format!("$CC {options} -c scale.c && $CC {options} -c main.c"));
        project.shell(&format!("$CC {options} main.o scale.o -o program"));
        assert_eq!(project.shell("./program"), SAID, "{options}");
    }
}

/// gcov names the user's files alone, and counts on the host what ran there.
#[test]
fn coverage_is_of_the_users_lines() {
    if !has("gcov") || !host_has("--coverage") {
        return;
    }
    let project = project();
    project.shell("$CC --coverage -O0 -c scale.c && $CC --coverage -O0 main.c scale.o -o program");
    assert_eq!(project.shell("GPUC_DEVICE=host ./program"), SAID);
    let said = project.shell("gcov scale.gcda 2>&1");
    assert!(said.contains("File 'scale.c'") && !said.contains("gpuc>"), "{said}");
    let counts = project.shell("cat scale.c.gcov");
    let body = counts.lines().find(|line| line.contains("sum += ")).unwrap_or_default();
    // One more than its rounds: what ends the construct stands on its last line.
    assert!(body.trim_start().starts_with("102"), "{counts}");
    assert_eq!(project.shell("rm scale.gcda; GPUC_DEVICE=sim ./program"), SAID);
    project.shell("gcov scale.gcda");
    let counts = project.shell("cat scale.c.gcov");
    let count = |text: &str| {
        let line = counts.lines().find(|line| line.contains(text)).unwrap_or_default();
        line.trim_start().split(':').next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        (count("sum += ").as_str(), count("return sum").as_str()),
        ("#####", "1"),
        "{counts}"
    );
}

#[test]
fn split_line_tables_are_found() {
    let project = project();
    project
        .shell("$CC -g -gsplit-dwarf -c scale.c && $CC -g -gsplit-dwarf main.c scale.o -o program");
    assert_eq!(project.shell("./program"), SAID);
    let sections = project.shell("readelf -S -W scale.o scale.dwo");
    assert!(sections.contains(".debug_addr") && sections.contains(".debug_info.dwo"), "{sections}");
    if has("gdb") {
        let said = project.shell(
            "gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'info line scale' program 2>&1",
        );
        assert!(said.contains("Line 2 of \"scale.c\""), "{said}");
    }
}
