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
