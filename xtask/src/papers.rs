//! Programs of papers, each as one thread an element would do it, by the paper's partition, and as the compiler chooses: what the
//! simulator counts and its model of time says, as `benches/papers/REPORT.md`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::{Summary, root, target};

/// A program of a paper.
struct Program {
    name: &'static str,
    size: u32,
    /// The steps of one thread for each element.
    naive: &'static str,
    /// The steps of the paper's partition, where a plan can say it.
    partition: Option<&'static str>,
    /// The arrays of a `share` pragma in front of the construct.
    share: &'static str,
    /// What the paper has, and why ours differs.
    words: &'static str,
}

const ROWS: &str =
    "parallel i, j; collapse i, j; map i to block.y thread.y by 4, j to block.x thread.x by 32";

/// Li et al. 2016, table 2.
const LI: [Program; 5] = [
    Program {
        name: "mt",
        size: 4096,
        naive: ROWS,
        partition: Some(
            "parallel i, j; collapse i, j; stage i, j where 1 iterations; \
             map i to block.y thread.y by 4, j to block.x thread.x by 32",
        ),
        share: "in[TB_X][TB_Y]:coalesce",
        words: "Loads by columns want a sector for each thread. The paper's devices fetch 128 bytes for each; this one 32, and its \
                second-level cache keeps what neighbouring columns want.",
    },
    Program {
        name: "gemm",
        size: 1024,
        naive: ROWS,
        partition: Some(
            "parallel i, j; collapse i, j; tile i by 32, j by 32, k by 32, threads 1 by 1, where 1 blocks; \
             map i to block.y thread.y by 4, j to block.x thread.x by 32",
        ),
        share: "B[*][TB_X], A[TB_Y][*]:coalesce",
        words: "The paper's partition (32 by 32, k1 = k2 = 32) moves loads to shared memory; the compiler's has tiles of registers, \
                which the paper approaches by an ILP factor of 8.",
    },
    Program {
        name: "mv",
        size: 4096,
        naive: "parallel i; map i to block.x thread.x by 128",
        partition: None,
        share: "A[TB_X][*]:coalesce",
        words: "The paper copies rows through shared memory, padded by a column; the compiler gives a row to several threads, so \
                that loads are in order without a copy.",
    },
    Program {
        name: "gauss",
        size: 2048,
        naive: ROWS,
        partition: Some(
            "parallel i, j; collapse i, j; share in over i by 32, j by 32, rows 1, where 1 blocks; \
             map i to block.y thread.y by 4, j to block.x thread.x by 32",
        ),
        share: "in[TB_Y][TB_X]",
        words: "Of 50 requests of a warp an element half go to the weights, which memory of the block does not touch, and its own loads \
                cost as much as those of the cache. The compiler gives a thread eight pixels one below the other, with what they have in common \
                in registers: 10.6 loads an element (the paper's ILP factor does the same behind its copies).",
    },
    Program {
        name: "hotspot",
        size: 2048,
        naive: ROWS,
        partition: Some(
            "parallel i, j; collapse i, j; share now over i by 32, j by 32, rows 1, where 1 blocks; \
             map i to block.y thread.y by 4, j to block.x thread.x by 32",
        ),
        share: "now[TB_Y][TB_X]",
        words: "One step: five loads an element, which caches of today serve at the speed of memory; shared memory only costs. The paper \
                runs 1000 steps and more; several steps in one launch are not taken together here.",
    },
];

/// What a run counts.
struct Figures {
    seconds: f64,
    requests: f64,
    sectors: f64,
    conflicts: f64,
    dram: f64,
}

/// Runs all of it and writes the report.
pub fn report(summary: &mut Summary) {
    let start = std::time::Instant::now();
    let binaries = match std::env::var_os("GPUC_BIN_DIR") {
        Some(folder) => root().join(folder),
        None => {
            let build = ["build", "-q", "--release", "-p", "gpuc-driver"];
            if !summary.run("build release binaries", crate::stage::cargo(&build)) {
                return;
            }
            target().join("release")
        }
    };
    let scratch = target().join("papers");
    let made = std::fs::create_dir_all(&scratch).map_err(|error| error.to_string());
    let text = made.and_then(|()| li(&binaries.join("gpuc"), &scratch));
    let folder = root().join("benches/papers");
    match text.and_then(|text| {
        std::fs::write(folder.join("REPORT.md"), text).map_err(|error| error.to_string())
    }) {
        Ok(()) => summary.passed("papers", start.elapsed()),
        Err(sentence) => summary.failed("papers", start.elapsed(), &sentence),
    }
}

fn li(gpuc: &Path, scratch: &Path) -> Result<String, String> {
    let mut text = String::from(
        "# Programs of papers\n\n\
         Written by `cargo xtask papers`: each program runs on the simulator for sm_90, and checks its own result. Time is what the \
         simulator's model says; no device was used.\n\n\
         ## Li et al. 2016\n\n\
         \"Pragma Directed Shared Memory Centric Optimizations on GPUs\": speed against a naive kernel. The paper has 3.7 times on \
         average over four devices (fig. 8), and on the GTX 690 2.8 times, 3.6 of mt, gemm and mv, 1.5 of gauss and hotspot (§4.2.2); \
         its other numbers are in plots only.\n\n\
         | program | n | variant | time, µs | times as fast | requests | sectors each | bank conflicts | MB from DRAM |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut product = 1.0_f64;
    let mut words = String::new();
    for program in &LI {
        let source = root().join(format!("benches/papers/li/{}.c", program.name));
        let naive = run(gpuc, scratch, &source, program, Some(program.naive))?;
        let shared = with_pragma(scratch, &source, program)?;
        let mut speed = 1.0;
        let mut row = |variant: &str, figures: &Figures| {
            speed = naive.seconds / figures.seconds;
            writeln!(
                text,
                "| {} | {} | {variant} | {:.2} | {speed:.2} | {} | {:.1} | {} | {:.2} |",
                program.name,
                program.size,
                figures.seconds * 1e6,
                figures.requests,
                figures.sectors / figures.requests.max(1.0),
                figures.conflicts,
                figures.dram / 1e6
            )
        };
        let said = |error: std::fmt::Error| error.to_string();
        row("naive", &naive).map_err(said)?;
        if let Some(steps) = program.partition {
            row("partition", &run(gpuc, scratch, &source, program, Some(steps))?).map_err(said)?;
        }
        row("`share`", &run(gpuc, scratch, &shared, program, None)?).map_err(said)?;
        row("automatic", &run(gpuc, scratch, &source, program, None)?).map_err(said)?;
        product *= speed;
        writeln!(words, "- **{}**: {}", program.name, program.words).map_err(said)?;
    }
    let pragmas: Vec<String> =
        LI.iter().map(|each| format!("{} `share({})`", each.name, each.share)).collect();
    let pragmas = pragmas.join(", ");
    let mean = product.powf(1.0 / LI.len() as f64);
    text += &format!(
        "\nAutomatic against naive, geometric mean: **{mean:.2} times** (the paper: 3.7, arithmetic).\n\n\
         *Naive* is one thread an element, neighbours along the inner loop (of mv: a thread a row). *Partition* is shared memory \
         alone, in blocks of 32 by 32 threads, which the paper's analysis chooses (`docs/analyses.md`), written as a plan. *`share`* \
         is the paper's pragma in front of the construct, the one of gemm as the paper has it (fig. 1): {pragmas}; what it becomes has several \
         results a thread, in the place of the paper's ILP (`docs/openacc.md`). *Automatic* is what the compiler does with `kernels` alone.\n\n\
         Why they differ:\n\n{words}"
    );
    Ok(text)
}

/// A copy of a program with its `share` pragma.
fn with_pragma(scratch: &Path, source: &Path, program: &Program) -> Result<PathBuf, String> {
    let said = |error: std::io::Error| error.to_string();
    let text = std::fs::read_to_string(source).map_err(said)?;
    let (before, construct) = text
        .split_once("    #pragma acc kernels")
        .ok_or_else(|| format!("{} has no construct", source.display()))?;
    let examples = root().join("examples");
    let before = before.replace("../../../examples", &examples.display().to_string());
    let text = format!(
        "{before}    #pragma acc share({})\n    #pragma acc kernels{construct}",
        program.share
    );
    let copy = scratch.join(format!("{}-share.c", program.name));
    std::fs::write(&copy, text).map_err(said)?;
    Ok(copy)
}

fn run(
    gpuc: &Path,
    scratch: &Path,
    source: &Path,
    program: &Program,
    steps: Option<&str>,
) -> Result<Figures, String> {
    let mut options: Vec<String> = vec!["--arch=sm_90".to_owned()];
    if let Some(steps) = steps {
        let printed = output(
            Command::new(gpuc).args(["--arch=sm_90", "--emit=plan", "-o", "-"]).arg(source),
        )?;
        let head: Vec<&str> = printed.lines().take(2).collect();
        let steps: Vec<&str> = steps.split("; ").collect();
        let plan = scratch.join("li.plan");
        let text = format!("{}\n  {}\n", head.join("\n"), steps.join("\n  "));
        std::fs::write(&plan, text).map_err(|error| error.to_string())?;
        options.push(format!("--plan={}", plan.display()));
    }
    let report: PathBuf = scratch.join("li.json");
    let mut command = Command::new(gpuc);
    command.arg("run").args(&options).args(["--device=sim", "--counters", "--report=json"]);
    command.arg(format!("--report-file={}", report.display())).arg(source);
    output(command.arg("--").arg(program.size.to_string()))?;
    let text = std::fs::read_to_string(&report).map_err(|error| error.to_string())?;
    // Lines of the source have figures of the same names.
    let kernels = text.split("\"lines\":[").enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once(']').map_or("", |(_, rest)| rest),
    });
    let text: String = kernels.collect();
    let metric = |name: &str| sum(&text, name);
    Ok(Figures {
        seconds: metric("seconds"),
        requests: metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
        sectors: metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
        conflicts: metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
            + metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
        dram: metric("dram_bytes"),
    })
    .and_then(|figures: Figures| match figures.seconds > 0.0 {
        true => Ok(figures),
        false => Err(format!("no time is known of {}", source.display())),
    })
}

/// What a command that must succeed prints.
fn output(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match out.status.success() {
        true => Ok(text(&out.stdout)),
        false => Err(format!("{command:?}: {}{}", text(&out.stdout), text(&out.stderr))),
    }
}

/// The figures of that name of all kernels of a report.
fn sum(report: &str, name: &str) -> f64 {
    let member = format!("\"{name}\":");
    let figures = report.split(&member).skip(1).filter_map(|rest| {
        let end = rest.find([',', '}'])?;
        rest[..end].trim().parse::<f64>().ok()
    });
    figures.sum()
}
