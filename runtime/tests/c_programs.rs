//! C programs, written as gpuc writes them, linked with the shared library and run on the
//! simulator.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Folder of the test binaries, where Cargo puts the shared library too.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let folder = [deps, deps.parent().unwrap()]
        .into_iter()
        .find(|folder| folder.join("libgpuc_runtime.so").exists());
    folder.expect("Cargo has built the shared library").to_owned()
}

/// The C compiler with the warnings that our programs are free of.
fn cc() -> Command {
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O1"]);
    cc
}

/// A C file of the tests.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"))
}

/// Runs the C compiler.
fn build(cc: &mut Command) {
    let output = cc.output().expect("there is a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles `tests/programs/NAME.c` into a file of its own.
fn compile(name: &str, as_test: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(as_test);
    let libraries = library_folder();
    build(
        cc().arg("-o")
            .arg(&output)
            .arg(source(name))
            .arg(format!("-I{}", root.join("include").display()))
            .arg(format!("-L{}", libraries.display()))
            .arg(format!("-Wl,-rpath,{}", libraries.display()))
            .arg("-lgpuc_runtime"),
    );
    output
}

/// Runs a program in an environment without other settings of the runtime.
fn run(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GPUC_")) {
        command.env_remove(name);
    }
    command.args(arguments).envs(variables.iter().copied()).output().unwrap()
}

/// What a run is expected to show: exit status, standard output, parts of standard error.
fn check(
    program: &Path,
    argument: &str,
    variables: &[(&str, &str)],
    status: i32,
    out: &str,
    err: &[&str],
) {
    let output = run(program, &[argument], variables);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let context = format!("{argument} {variables:?}\n{stdout}\n{stderr}");
    assert_eq!(output.status.code(), Some(status), "{context}");
    assert_eq!(stdout, out, "{context}");
    for expected in err {
        assert!(stderr.contains(expected), "no `{expected}` in\n{context}");
    }
}

const SIM: (&str, &str) = ("GPUC_DEVICE", "sim");

#[test]
fn executors_are_named_and_right() {
    let program = compile("vecadd", "executors");
    check(
        &program,
        "",
        &[SIM],
        0,
        "before device: 0 wrong\n",
        &["gpuc: device 0: sim (sm_90, simulated)\n"],
    );
    let arch = ("GPUC_SIM_ARCH", "sm_80");
    check(&program, "", &[SIM, arch], 0, "before device: 0 wrong\n", &["sim (sm_80, simulated)"]);
    let host = ("GPUC_DEVICE", "host");
    check(&program, "", &[host], 0, "before host: 0 wrong\n", &["gpuc: host (no device"]);
    let quiet = run(&program, &[], &[SIM, ("GPUC_QUIET", "1")]);
    assert_eq!(String::from_utf8_lossy(&quiet.stderr), "");
}

#[test]
fn bad_settings_end_the_program() {
    let program = compile("vecadd", "settings");
    for (variables, expected) in [
        (&[("GPUC_DEVICE", "cdua")][..], "did you mean `cuda`?"),
        (&[SIM, ("GPUC_REQUIRE_GPU", "1")], "GPUC_REQUIRE_GPU is set, but GPUC_DEVICE=sim asks"),
        (&[SIM, ("GPUC_SIM_ARCH", "sm_10")], "GPUC_SIM_ARCH=`sm_10` is not an architecture"),
    ] {
        // What the program has printed before is not lost.
        check(&program, "", variables, 1, "before ", &["error: ", expected]);
    }
}

#[test]
fn errors_are_located() {
    let program = compile("vecadd", "errors");
    check(
        &program,
        "present",
        &[SIM],
        1,
        "before ",
        &[
            "error: data in `present` clause was not found on device 0: name=a host:0x",
            "vecadd.c:40",
            "the present table of device 0 is empty",
        ],
    );
    check(
        &program,
        "large",
        &[SIM],
        1,
        "before ",
        &[
            "error: cannot launch kernel `vecadd_40`: the grid has 8589934592 blocks in y, the limit \
         is 65535",
            "vecadd.c:40",
        ],
    );
    check(&program, "beyond", &[SIM], 1, "before ", &["vecadd.c:42", "`a`", "vecadd.c:40"]);
}

#[test]
fn routines_of_the_header() {
    let program = compile("vecadd", "routines");
    check(&program, "routines", &[SIM], 0, "before ", &[]);
    check(&program, "together", &[SIM], 0, "before ", &[]);
    check(&program, "host", &[SIM], 0, "before ", &[]);
}

/// The routines that `openacc.h` declares.
fn routines(header: &str) -> Vec<&str> {
    let name = |line: &str| {
        let start = line.find("acc_").filter(|_| line.ends_with(");"))?;
        let end = line[..line.find('(')?].rfind("acc_")?;
        // A result type may begin with `acc_`, too.
        Some((start.max(end), line.find('(')?))
    };
    header.lines().filter_map(|line| name(line).map(|(a, b)| &line[a..b])).collect()
}

#[test]
fn every_routine_of_openacc_h_is_there_and_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(root.join("include/openacc.h")).unwrap();
    let table = std::fs::read_to_string(root.join("../docs/openacc.md")).unwrap();
    let names = routines(&header);
    assert!(names.len() > 70, "{names:?}");
    let mut text = String::from("#include <openacc.h>\n#include <stdio.h>\nint main(void) {\n");
    for name in &names {
        assert!(table.contains(&format!("`{name}`")), "docs/openacc.md has no `{name}`");
        text += &format!("    if ((void *){name} == NULL) return 1;\n");
    }
    text += "    return 0;\n}\n";
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("all_routines.c");
    std::fs::write(&file, text).unwrap();
    let (program, libraries) = (file.with_extension("exe"), library_folder());
    // Our own header, wherever the compiler has one.
    let include = format!("-I{}", root.join("include").display());
    let (folder, rpath) =
        (format!("-L{}", libraries.display()), format!("-Wl,-rpath,{}", libraries.display()));
    let mut command = Command::new("cc");
    command.args(["-w", "-o"]).arg(&program).arg(include).arg(&file).arg(folder).arg(rpath);
    build(command.arg("-lgpuc_runtime"));
    check(&program, "", &[SIM], 0, "", &[]);
}

#[test]
fn every_variable_of_openacc_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../docs/openacc.md")).unwrap();
    let section = page.split("\n## ").find(|part| part.starts_with("Environment\n")).unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rows: std::collections::BTreeSet<&str> = rows.collect();
    let code = std::fs::read_to_string(root.join("src/config.rs")).unwrap();
    let read = code.split("\"ACC_").skip(1).filter_map(|rest| rest.split('"').next());
    let read: std::collections::BTreeSet<String> = read.map(|name| format!("ACC_{name}")).collect();
    assert_eq!(rows, read.iter().map(String::as_str).collect());
}

#[test]
fn reports_at_exit() {
    let program = compile("vecadd", "reports");
    check(
        &program,
        "",
        &[SIM, ("GPUC_REPORT", "1")],
        0,
        "before device: 0 wrong\n",
        &[
            "gpuc report: sim (sm_90, simulated)",
            "vecadd_40 (vecadd.c:40): 1 launch of 8 blocks of 128 threads\n",
            "on H100 SXM5 by the model",
            "bound by launching",
            "kernel vecadd_40 (vecadd.c:40, main): launches 1, grid [8], block [128]",
            "vecadd.c:40 a to device: 4,000 bytes in 1 transfer,",
        ],
    );
    check(
        &program,
        "",
        &[SIM, ("GPUC_COUNTERS", "1")],
        0,
        "before device: 0 wrong\n",
        &["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"],
    );
    let file = |name: &str| program.with_file_name(name);
    let [page, json, trace] = ["report.html", "report.json", "trace.json"].map(file);
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    let variable = |name, path: &Path| (name, path.to_str().unwrap().to_owned());
    let (json_file, page_file) =
        (variable("GPUC_REPORT_FILE", &json), variable("GPUC_REPORT_FILE", &page));
    let (base, timeline) = (variable("GPUC_REPORT_BASE", &json), variable("GPUC_PROFILE", &trace));
    let to_json = [SIM, ("GPUC_REPORT", "json"), (json_file.0, &json_file.1)];
    check(&program, "", &to_json, 0, "before device: 0 wrong\n", &["report written to"]);
    assert!(text(&json).contains("\"place\":\"vecadd.c:40\""), "{}", text(&json));
    let to_page = [
        SIM,
        ("GPUC_REPORT", "html"),
        (page_file.0, &page_file.1),
        (base.0, &base.1),
        (timeline.0, &timeline.1),
    ];
    check(&program, "", &to_page, 0, "before device: 0 wrong\n", &["report written to"]);
    assert_eq!(text(&page).matches("\"schema\":1").count(), 2);
    let events = text(&trace);
    assert!(events.contains("{\"name\":\"vecadd_40\",\"cat\":\"kernel\",\"ph\":\"X\""), "{events}");
    assert!(events.contains("\"cat\":\"to host\""), "{events}");
    check(
        &program,
        "",
        &[SIM, ("GPUC_TIME", "1")],
        0,
        "before device: 0 wrong\n",
        &[
            "Accelerator Kernel Timing data\nvecadd.c\n  main  sim  devicenum=0\n    time(us): ",
            "    40: compute region reached 1 time\n        40: kernel launched 1 time\n            \
         grid: [8]  block: [128]\n",
        ],
    );
}

/// Compiles the stand-in for the GPU driver; returns the setting that lets programs find it.
fn stand_in_driver() -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stand_in_driver");
    std::fs::create_dir_all(&folder).unwrap();
    // Under both names that the driver goes by, so that it hides that of a machine with a GPU.
    for name in ["libcuda.so", "libcuda.so.1"] {
        let library = folder.join(name);
        build(cc().args(["-shared", "-fPIC", "-o"]).arg(library).arg(source("stand_in_driver")));
    }
    folder.display().to_string()
}

#[test]
fn the_cuda_driver_is_called_as_documented() {
    let program = compile("vecadd", "cuda");
    let path = stand_in_driver();
    let path = ("LD_LIBRARY_PATH", path.as_str());
    let cuda = ("GPUC_DEVICE", "cuda");
    let right = "before device: 0 wrong\n";
    check(&program, "", &[path], 0, right, &["gpuc: device 0: Stand-in (sm_90, cuda)\n"]);
    check(&program, "", &[path, cuda, ("GPUC_REQUIRE_GPU", "1")], 0, right, &[]);
    check(&program, "", &[path, cuda, ("GPUC_REPORT", "1")], 0, right, &["time 1.500 ms"]);
    check(&program, "routines", &[path, cuda], 0, "before ", &[]);
    check(&program, "together", &[path, cuda], 0, "before ", &[]);
    let crowd = "cuLaunchCooperativeKernel failed with error 720";
    check(&program, "crowd", &[path, cuda], 1, "before ", &[crowd, "vecadd.c:40"]);
    for (mode, expected) in [
        (
            "nodevice",
            &["there is no GPU: cuInit failed with CUDA_ERROR_NO_DEVICE: stand-in words"][..],
        ),
        ("old", &["the GPU driver is of CUDA 10.2; gpuc needs 11.0 or newer"]),
        (
            "jit",
            &[
                "the driver refuses the PTX of vecadd.c with CUDA_ERROR_INVALID_PTX",
                "stand-in log",
                "vecadd.c:40",
            ],
        ),
        (
            "fault",
            &[
                "a kernel failed on the GPU with CUDA_ERROR_ILLEGAL_ADDRESS",
                "GPUC_DEVICE=sim",
                "vecadd.c:40",
            ],
        ),
    ] {
        check(&program, "", &[path, cuda, ("STAND_IN", mode)], 1, "before ", expected);
    }
    // Without being asked for, a GPU that is none leads to the simulator.
    let auto = [path, ("STAND_IN", "nodevice")];
    check(&program, "", &auto, 0, right, &["gpuc: device 0: sim (sm_90, simulated)"]);
    check(&program, "large", &[path, cuda], 1, "before ", &["the limit is 65535"]);
}

#[test]
fn an_empty_launch_is_cheap() {
    let program = compile("launch_cost", "launch_cost");
    let output = run(&program, &[], &[SIM]);
    let text = String::from_utf8_lossy(&output.stdout);
    let nanoseconds: f64 = text.trim().parse().unwrap();
    // The promise is 3 us; a busy machine and a debug build get room.
    assert!(nanoseconds < 30_000.0, "{nanoseconds} ns for a launch");
}

#[test]
fn the_header_is_c_and_cpp() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/gpuc_rt.h");
    for language in ["c", "c++"] {
        let cc = Command::new("cc")
            .args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", language])
            .arg(&header)
            .output()
            .expect("there is a C compiler");
        let stderr = String::from_utf8_lossy(&cc.stderr);
        // A system without C++ has nothing to say about it.
        if !stderr.contains("cc1plus") {
            assert!(cc.status.success(), "{language}: {stderr}");
        }
    }
}
