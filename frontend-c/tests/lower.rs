//! Every example and every program of the repository lowers to IR that verifies.

use std::path::{Path, PathBuf};

use gpuc_frontend_c::{lower, preprocess, read};
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
