//! How the tests of this folder read, verify, print, canonicalise and ask the upstream tool.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily};
use gpuc_ir::text::{PrintOptions, parse_module};
use gpuc_ir::verify::verify;
use gpuc_ir::{Ir, Op};

/// A context that knows every dialect and accepts operations of none.
pub fn new_ir() -> Ir {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    ir.ctx.allow_unregistered = true;
    ir
}

/// Reads and verifies; the messages of what is wrong.
pub fn read(text: &str) -> Result<(Ir, Op), Vec<String>> {
    let mut ir = new_ir();
    let messages = |errors: Vec<gpuc_diagnostics::Diagnostic>| -> Vec<String> {
        errors.into_iter().map(|error| error.message).collect()
    };
    let module = parse_module(&mut ir, text, "test.mlir").map_err(messages)?;
    verify(&mut ir, module).map_err(messages)?;
    Ok((ir, module))
}

fn read_valid(text: &str) -> (Ir, Op) {
    read(text).unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"))
}

fn print(ir: &Ir, module: Op, generic: bool) -> String {
    ir.to_text_with(module, PrintOptions { generic, ..PrintOptions::default() })
}

/// The upstream tool, if it is on `PATH`.
fn mlir_opt() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let runs = |name: &&'static str| {
            let version = Command::new(name).arg("--version").output();
            version.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains("version 19."))
        };
        let found = ["mlir-opt-19", "mlir-opt"].into_iter().find(runs);
        if found.is_none() {
            eprintln!("mlir-opt 19 is not on PATH: what we print is not judged by it");
        }
        found
    })
}

/// What the upstream tool prints for a text; `None` where the tool is not there.
pub fn upstream(text: &str) -> Option<Result<String, String>> {
    upstream_with(&[], text)
}

/// [`upstream`] with further arguments.
pub fn upstream_with(arguments: &[&str], text: &str) -> Option<Result<String, String>> {
    let mut child = Command::new(mlir_opt()?)
        .arg("-allow-unregistered-dialect")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mlir-opt ran a moment ago");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("mlir-opt reads");
    let output = child.wait_with_output().expect("mlir-opt ends");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(stdout) } else { Err(stderr) })
}

/// Without the comments on predecessors, trailing spaces and the empty line at the end.
fn tidy(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("  // ").next().unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Checks that a module, given in the form that we print, comes back from it and from the generic
/// form. Returns both.
pub fn comes_back(text: &str) -> [String; 2] {
    let (ir, module) = read_valid(text);
    let pretty = print(&ir, module, false);
    assert_eq!(tidy(&pretty), tidy(text), "pretty form of the sample");
    let generic = print(&ir, module, true);
    let (ir, module) = read_valid(&generic);
    assert_eq!(tidy(&print(&ir, module, false)), tidy(text), "through the generic form\n{generic}");
    [pretty, generic]
}

/// The same for the form that both tools print, and that the upstream tool prints what we print.
pub fn round_trip(text: &str) {
    for form in comes_back(text) {
        match upstream(&form) {
            Some(Ok(printed)) => assert_eq!(tidy(&printed), tidy(text), "printed by mlir-opt"),
            Some(Err(message)) => panic!("mlir-opt refuses:\n{message}\n{form}"),
            None => {}
        }
    }
}

/// Wraps the lines of a function body.
pub fn in_function(arguments: &str, body: &str) -> String {
    let body: String = body
        .lines()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .map(|line| format!("    {line}\n"))
        .collect();
    format!("module {{\n  func.func @f({arguments}) {{\n{body}    return\n  }}\n}}\n")
}

/// Checks the first message for each text, and that the upstream tool refuses the text too.
pub fn refused(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let errors = match read(text) {
            Ok(_) => panic!("accepted:\n{text}"),
            Err(errors) => errors,
        };
        assert_eq!(errors.first().map(String::as_str), Some(*expected), "in\n{text}");
        if let Some(Ok(_)) = upstream(text) {
            panic!("mlir-opt accepts:\n{text}");
        }
    }
}

/// The text after canonicalisation.
pub fn canonical(text: &str) -> String {
    let (mut ir, module) = read_valid(text);
    let patterns = PatternSet::canonicalization(&mut ir);
    apply_greedily(&mut ir, module, &patterns, GreedyConfig::default()).expect("comes to an end");
    if let Err(errors) = verify(&mut ir, module) {
        panic!("invalid after canonicalisation: {errors:#?}\n{}", ir.to_text(module));
    }
    tidy(&ir.to_text(module))
}
