//! Programs of papers: each by each of its lists of steps and options, and as the compiler chooses, at sizes that no tile divides.

use std::path::{Path, PathBuf};

use gpuc_tests::bench::{Bench, root};
use gpuc_tests::corpus;

/// Arguments in place of a program's own sizes.
const SIZES: &[&str] = &["", " -- 1", " -- 0"];

/// The lists of a program: `PROGRAM.VARIANT.steps`, and `.options`.
fn lists_of(program: &Path, kind: &str) -> Vec<PathBuf> {
    let name = program.file_stem().expect("a file").to_string_lossy();
    let folder = program.parent().expect("a folder").to_string_lossy();
    let is_own = |file: &PathBuf| {
        let file = file.file_name().expect("a file").to_string_lossy();
        file.split('.').next() == Some(&*name)
    };
    corpus::files_with(&folder, &[kind]).into_iter().filter(is_own).collect()
}

#[test]
fn every_variant_is_right() {
    let bench = Bench::new();
    let programs = corpus::files_with("benches/papers", &["c"]);
    let mut variants = 0;
    for program in &programs {
        let source = root(program);
        let printed = bench.ok(&format!("--arch=sm_90 --emit=plan {source} -o -"));
        let head = printed.lines().take(2).collect::<Vec<_>>().join("\n");
        let mut plans = vec![String::new()];
        for (number, steps) in lists_of(program, "steps").into_iter().enumerate() {
            let text = std::fs::read_to_string(root(&steps)).expect("the steps are there");
            bench.write(&format!("{number}.plan"), &format!("{head}\n{text}"));
            plans.push(format!(" --plan={number}.plan"));
        }
        for options in lists_of(program, "options") {
            let text = std::fs::read_to_string(root(&options)).expect("the options are there");
            plans.push(format!(" {}", text.trim()));
        }
        variants += plans.len();
        for plan in plans {
            for size in SIZES {
                let run = format!("check --arch=sm_90 --device=sim{plan} {source}{size}");
                let (success, text) = bench.gpuc(&run);
                assert!(success, "gpuc {run}\n{text}");
            }
        }
    }
    let lists = corpus::files_with("benches/papers", &["steps", "options"]).len();
    assert_eq!(variants, lists + programs.len(), "a list is of no program");
    assert!(lists > 10, "{lists} lists");
}

/// Counters of all kernels of a run together.
fn counters<const N: usize>(
    bench: &Bench,
    options: &str,
    source: &str,
    names: [&str; N],
) -> [f64; N] {
    let run = format!(
        "run --arch=sm_90 --device=sim --counters --report=json --report-file=forms.json{options} {source}"
    );
    let (success, text) = bench.gpuc(&run);
    assert!(success, "gpuc {run}\n{text}");
    let report = bench.read("forms.json");
    // Lines of the source have figures of the same names.
    let kernels: String = report
        .split("\"lines\":[")
        .enumerate()
        .map(
            |(at, part)| {
                if at == 0 { part } else { part.split_once(']').map_or("", |(_, rest)| rest) }
            },
        )
        .collect();
    let sum = |name: &str| -> f64 {
        let member = format!("\"{name}\":");
        let parts = kernels.split(&member).skip(1);
        parts.filter_map(|rest| rest[..rest.find([',', '}'])?].trim().parse::<f64>().ok()).sum()
    };
    names.map(sum)
}

/// Instructions of warps, sectors from and to global memory, and picoseconds by the model of all kernels of a run.
fn figures(bench: &Bench, options: &str, source: &str) -> [u64; 3] {
    let names = [
        "smsp__inst_executed.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "seconds",
    ];
    let [instructions, loaded, stored, seconds] = counters(bench, options, source, names);
    [instructions, loaded + stored, 1e12 * seconds].map(|figure| figure as u64)
}

/// Hayashi et al. 2019: forms of OpenMP have no more instructions and sectors than the same loops in OpenACC, and separate constructs cost
/// what combined ones do, within 3 %.
#[test]
fn forms_of_openmp_cost_no_more_than_openacc() {
    let bench = Bench::new();
    let programs = corpus::files_with("benches/papers/hayashi", &["c"]);
    assert_eq!(programs.len(), 6);
    for program in &programs {
        let source = root(program);
        let of = |form: &str| {
            let options = root(&program.with_extension(format!("{form}.options")));
            let options = std::fs::read_to_string(options).expect("the options are there");
            figures(&bench, &format!(" {}", options.trim()), &source)
        };
        let [openacc, combined, separate] = ["openacc", "combined", "separate"].map(of);
        for (at, what) in ["instructions", "sectors", "picoseconds"].into_iter().enumerate() {
            let [openacc, combined, separate] = [openacc[at], combined[at], separate[at]];
            assert!(openacc > 0 && combined > 0, "{source}: no {what}");
            assert!(
                combined.max(separate) <= openacc,
                "{source}: {what} {openacc}, {combined}, {separate}"
            );
            assert!(
                combined.abs_diff(separate) * 100 <= 3 * combined,
                "{source}: {what} {combined}, {separate}"
            );
        }
    }
}

/// The one loop of MM, which takes its variable apart, is tiled in all forms: far fewer sectors than two a product would be.
#[test]
fn the_product_of_hayashi_is_tiled_in_all_forms() {
    let bench = Bench::new();
    let source = format!("{} -- 256", root(Path::new("benches/papers/hayashi/mm.c")));
    for options in ["", " -DTOLD", " -fopenmp -DCOMBINED", " -fopenmp -DSEPARATE"] {
        let [_, sectors, _] = figures(&bench, options, &source);
        assert!(sectors < 256 * 256 * 256 / 32, "{options}: {sectors} sectors");
    }
}

/// Loads of warps from global memory and from memory of the block of a run of a program of Andión et al. 2015.
fn loads(bench: &Bench, options: &str, run: &str) -> [u64; 2] {
    let source = root(Path::new(&format!("benches/papers/andion/{run}")));
    counters(
        bench,
        options,
        &source,
        ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "smsp__inst_executed_op_shared_ld.sum"],
    )
    .map(|figure| figure as u64)
}

/// Andión's variants in OpenHMPP: the kernels of the plans that say the same, and what of the device the paper says that they use.
#[test]
fn openhmpp_gives_the_variants_of_andion() {
    let bench = Bench::new();
    let options = |number: u32| format!(" -fhmpp -DHMPP={number}");
    for program in ["conv3d", "sgemm"] {
        let source = root(Path::new(&format!("benches/papers/andion/{program}.c")));
        let head = bench.ok(&format!("--arch=sm_90 --emit=plan {source} -o -"));
        let head = head.lines().take(2).collect::<Vec<_>>().join("\n");
        let steps = root(Path::new(&format!("benches/papers/andion/{program}.hmpp1.steps")));
        let steps = std::fs::read_to_string(steps).expect("the steps are there");
        bench.write("first.plan", &format!("{head}\n{steps}"));
        let kernels = |options: &str| {
            let text = bench.ok(&format!("--arch=sm_90 -w --emit=ptx{options} {source} -o -"));
            instructions(&text)
        };
        let (plan, directives) = (kernels(" --plan=first.plan"), kernels(&options(1)));
        assert!(!plan[0].is_empty() && plan[0] == directives[0], "{program}");
    }
    let [first, second, third] =
        [1, 2, 3].map(|number| loads(&bench, &options(number), "conv3d.c -- 64 64 64"));
    assert!(second[0] * 10 <= first[0] * 8, "{second:?} loads of {first:?}: registers");
    // What `shared` asks for is the compiler's choice, which has other ways for it.
    assert!(third[0] <= first[0], "{third:?} loads of {first:?}");
    let [first, second, third, fourth] =
        [1, 2, 3, 4].map(|number| loads(&bench, &options(number), "sgemm.c -- 192 192 64"));
    // Rows of A come four elements at a time in the first two; of B, the third has a sixteenth.
    assert!(second[0] <= first[0] * 11 / 10, "{second:?} loads of {first:?}");
    assert!(third[0] * 10 <= first[0] * 9, "{third:?} loads of {first:?}: registers");
    assert!(fourth[1] > 0 && fourth[0] * 2 <= third[0], "{fourth:?}: memory of the block");
    assert_eq!([first[1], third[1]], [0, 0]);
}

/// The names of the instructions of each kernel.
fn instructions(ptx: &str) -> Vec<Vec<String>> {
    let word = |line: &str| {
        let mut words = line.trim().trim_end_matches(';').split_whitespace();
        let first = words.next()?;
        let word = if first.starts_with('@') { words.next()? } else { first };
        let is_instruction = word.starts_with(|c: char| c.is_ascii_lowercase());
        (is_instruction && !word.contains('(')).then(|| word.to_owned())
    };
    ptx.split(".entry").skip(1).map(|kernel| kernel.lines().filter_map(word).collect()).collect()
}
