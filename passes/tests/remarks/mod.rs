//! Runs pipelines on texts, with what passes say.

#![allow(dead_code, reason = "each test file uses what it needs")]

pub mod unknown_bounds;

use gpuc_ir::pass::{PassManager, Pipeline, Registry};
use gpuc_ir::text::parse_module;
use gpuc_ir::{Ir, Op};

/// The module of a text.
pub fn parse(text: &str) -> (Ir, Op) {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "test.mlir");
    let module = module.unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"));
    (ir, module)
}

/// The text behind a pipeline, and everything that its passes say, a line each: severity, line,
/// message; helps are indented.
pub fn run(passes: &str, text: &str) -> (String, String) {
    let (mut ir, module) = parse(text);
    let mut registry = Registry::new();
    registry.add(gpuc_passes::ALL);
    let mut pipeline = Pipeline::parse(&format!("builtin.module({passes})"), &registry)
        .unwrap_or_else(|error| panic!("{passes}: {error}"));
    let mut manager = PassManager::new();
    let result = manager.run(&mut ir, module, &mut pipeline);
    let errors = result.err().map_or(Vec::new(), |failure| failure.errors);
    let mut said = String::new();
    for diagnostic in manager.diagnostics.iter().chain(&errors) {
        let line = diagnostic.place.as_ref().map_or(0, |place| place.line);
        said += &format!("{line}: {}: {}\n", diagnostic.severity, diagnostic.message);
        for help in &diagnostic.help {
            said += &format!("    {help}\n");
        }
    }
    (ir.to_text(module), said)
}
