//! gpuc-opt against mlir-opt on the same files: CPU time and memory of whole processes.

use std::path::Path;
use std::process::Command;

use criterion::Criterion;
use gpuc_benches::cpu_time::CpuTime;
use gpuc_benches::{affine_module, process};

use crate::AS_GPUC_OPT;

const OPS: usize = 200_000;

/// An empty module and a large one.
///
/// # Panics
/// Without room for temporary files.
pub fn bench(criterion: &mut Criterion<CpuTime>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("room for a temporary file");
        path
    };
    let empty = write("empty.mlir", "module {\n}\n");
    let large = write("large.mlir", &affine_module::text(OPS));
    compare(criterion, "empty module", &empty, &[]);
    compare(criterion, "200,000 ops", &large, &[]);
    compare(criterion, "200,000 ops, canonicalize and cse", &large, &["--canonicalize", "--cse"]);
}

/// Measures both programs on `input`; then says what memory each took.
fn compare(criterion: &mut Criterion<CpuTime>, name: &str, input: &Path, flags: &[&str]) {
    let mut gpuc_opt = Command::new(std::env::current_exe().expect("this bench has a path"));
    gpuc_opt.arg(AS_GPUC_OPT);
    let mut programs = vec![("gpuc-opt", gpuc_opt)];
    match process::on_path(&["mlir-opt-19", "mlir-opt"]) {
        Some(mlir_opt) => programs.push(("mlir-opt", Command::new(mlir_opt))),
        None => process::skipped("mlir-opt"),
    }
    let mut group = criterion.benchmark_group(format!("opt/{name}"));
    group.sample_size(10);
    let mut peaks = Vec::new();
    for (program, command) in &mut programs {
        command.args(flags).arg(input);
        group.bench_function(*program, |bencher| {
            peaks.push((*program, process::run(command).peak_mib()));
            bencher.iter_custom(|times| process::cpu(command, times));
        });
    }
    group.finish();
    peaks.dedup_by_key(|(program, _)| *program);
    for (program, peak) in peaks {
        println!("opt/{name}/{program}: peak memory {peak:.1} MiB");
    }
}
