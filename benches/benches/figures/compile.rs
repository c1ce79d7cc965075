//! C to PTX: gpuc's own CPU time from the preprocessed text on, and what other compilers take for
//! the same program from C on.

use std::process::Command;

use criterion::{Criterion, Throughput};
use gpuc_benches::cpu_time::CpuTime;
use gpuc_benches::process;
use gpuc_benches::programs::{self, Program};

/// gpuc, then the others.
pub fn bench(criterion: &mut Criterion<CpuTime>) {
    gpuc(criterion);
    others(criterion);
}

fn gpuc(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("compile");
    for name in ["sgemm", "jacobi2d", "nbody"] {
        let program = Program::read(&programs::example(name));
        group.throughput(Throughput::Bytes(program.bytes()));
        group.bench_function(format!("{name}/gpuc"), |bencher| bencher.iter(|| program.ptx()));
    }
    group.finish();
}

fn others(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    let openmp = programs::root().join("benches/peers/sgemm_openmp.c");
    let openacc = programs::example("sgemm");
    let preprocess = ["-E", "-fopenacc", "-fopenmp", "-dD"];
    if let Some(cc) = process::on_path(&["cc"]) {
        group.bench_function("sgemm/cc -E", |bencher| {
            let mut command = Command::new(&cc);
            command.args(preprocess).arg(&openacc);
            bencher.iter_custom(|times| process::cpu(&mut command, times));
        });
    }
    match process::on_path(&["clang-19", "clang"]) {
        Some(clang) => {
            group.bench_function("sgemm/clang OpenMP to PTX", |bencher| {
                let mut command = Command::new(&clang);
                command.args(["-O2", "-S", "-o", "/dev/null", "-fopenmp", "-nogpulib"]);
                command.args(["-fopenmp-targets=nvptx64-nvidia-cuda", "--offload-device-only"]);
                command.args(["-Xopenmp-target", "-march=sm_75"]).arg(&openmp);
                bencher.iter_custom(|times| process::cpu(&mut command, times));
            });
        }
        None => process::skipped("clang-19"),
    }
    match process::on_path(&["gcc"]) {
        Some(gcc) => {
            group.bench_function("sgemm/gcc OpenACC", |bencher| {
                let mut command = Command::new(&gcc);
                command.args(["-O2", "-c", "-fopenacc", "-o", "/dev/null"]).arg(&openacc);
                bencher.iter_custom(|times| process::cpu(&mut command, times));
            });
        }
        None => process::skipped("gcc"),
    }
    group.finish();
}
