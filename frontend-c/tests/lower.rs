//! Every example and every program of the repository lowers to IR that verifies.

use std::path::{Path, PathBuf};

use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_frontend_c::{Families, lower, preprocess, read};
use gpuc_ir::Ir;
use gpuc_ir::text::print_op;

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    found.sort();
    found
}

fn problems(file: &Path) -> Vec<String> {
    let options = preprocess::Options::new(file);
    let text = preprocess::run(&options).unwrap();
    let (unit, found) = read(&text, options.families);
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let mut errors: Vec<String> =
        found.iter().filter(|d| d.is_error()).map(ToString::to_string).collect();
    match lower::lower_unit(&unit, &mut ir, lower::Options::default()) {
        Ok(lowered) => {
            let result = gpuc_ir::verify::verify(&mut ir, lowered.module);
            if std::env::var_os("GPUC_SHOW").is_some() {
                let mut text = String::new();
                print_op(&ir, lowered.module, Default::default(), &mut text).unwrap();
                println!("{text}");
            }
            if let Err(found) = result {
                errors.extend(found.iter().map(ToString::to_string));
            }
        }
        Err(found) => errors.extend(found.iter().map(ToString::to_string)),
    }
    errors
}

#[test]
fn every_program_lowers() {
    let mut failed = Vec::new();
    for file in programs("examples").into_iter().chain(programs("tests/programs")) {
        let found = problems(&file);
        if !found.is_empty() {
            failed.push(format!("{}:\n  {}", file.display(), found.join("\n  ")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Regions have the limits that host code does not.
#[test]
fn deep_device_code_is_refused() {
    let lower = |region: &str| {
        let text = format!(
            "int g(int x) {{ return x{}; }}\nvoid f(int x) {{ int q[4]; (void)(x{});\n\
             #pragma acc parallel loop copy(q) {region}}}\n",
            if region.contains("g(") { " + x".repeat(2000) } else { String::new() },
            " + x".repeat(5000),
        );
        let families = Families { openacc: true, ..Families::default() };
        let (unit, found) = read(&Preprocessed::from_text(text, "deep.c"), families);
        assert!(found.is_empty(), "{found:?}");
        let mut ir = Ir::new();
        gpuc_dialects::register_all(&mut ir.ctx);
        let lowered = lower::lower_unit(&unit, &mut ir, lower::Options::default());
        lowered.map(drop).map_err(|errors| errors[0].to_string())
    };
    let looped = |body: &str| format!("\nfor (int i = 0; i < 4; i++) {{ {body} }}");
    let many = |piece: &str, count: usize| piece.repeat(count);
    for (region, refused) in [
        (looped(&format!("q[i] = x{};", many(" + x", 1000))), None),
        (looped(&format!("q[i] = x{};", many(" + x", 5000))), Some("1500 levels of operators")),
        (
            looped(&format!("q[i] = {} 1;", many("x ? 1 : ", 5000))),
            Some("1500 levels of operators"),
        ),
        (looped("q[i] = g(i);"), Some("1500 levels of operators")),
        (looped(&format!("{} q[i] = 0;", many("if (x) q[i] = 1; else ", 150))), None),
        (
            looped(&format!("{} q[i] = 0;", many("if (x) q[i] = 1; else ", 5000))),
            Some("200 levels of statements"),
        ),
        (
            format!("num_gangs(1{}) {}", many(" + 1", 5000), looped("q[i] = 0;")),
            Some("1500 levels of operators"),
        ),
    ] {
        let found = lower(&region);
        let shown = &region[..region.len().min(80)];
        match refused {
            None => assert_eq!(found, Ok(()), "{shown}"),
            Some(sentence) => {
                assert!(found.as_ref().is_err_and(|e| e.contains(sentence)), "{shown}: {found:?}")
            }
        }
    }
}
