//! Runs pipelines on texts.

#![allow(dead_code, reason = "each test file uses what it needs")]

use expect_test::Expect;
use gpuc_ir::pass::{PassManager, Pipeline, Registry};
use gpuc_ir::text::{PrintOptions, parse_module, print_op};
use gpuc_ir::{Ir, Op};

/// The module of a text, or what is wrong with it.
pub fn read(ir: &mut Ir, input: &str) -> Result<Op, String> {
    gpuc_dialects::register_all(&mut ir.ctx);
    parse_module(ir, input, "test.mlir")
        .map_err(|errors| format!("the input does not read: {errors:#?}"))
}

/// The module of a text behind a pipeline that runs on it, or its first error's message.
pub fn apply(ir: &mut Ir, pipeline: &str, input: &str) -> Result<Op, String> {
    let module = read(ir, input)?;
    let mut registry = Registry::new();
    registry.add(gpuc_passes::ALL);
    let mut pipeline = Pipeline::parse(&format!("builtin.module({pipeline})"), &registry)
        .map_err(|error| error.to_string())?;
    PassManager::new()
        .run(ir, module, &mut pipeline)
        .map_err(|failure| failure.errors[0].message.clone())?;
    Ok(module)
}

/// The text of a module.
pub fn print(ir: &Ir, module: Op) -> String {
    let mut output = String::new();
    print_op(ir, module, PrintOptions::default(), &mut output).expect("strings can be written");
    output
}

fn run(pipeline: &str, input: &str) -> Result<String, String> {
    let mut ir = Ir::new();
    let module = apply(&mut ir, pipeline, input)?;
    Ok(print(&ir, module))
}

/// The text behind a pipeline is the expected one, every time.
pub fn check(pipeline: &str, input: &str, expected: Expect) {
    let output = run(pipeline, input).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(pipeline, input).as_deref(), Ok(&*output), "the same input, the same output");
    expected.assert_eq(&output);
}

/// The message of a pipeline that fails.
pub fn fail(pipeline: &str, input: &str) -> String {
    run(pipeline, input).expect_err("the pipeline fails")
}
