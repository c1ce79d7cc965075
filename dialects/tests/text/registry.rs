//! What holds for every registered operation.

use gpuc_ir::OpDef;
use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily};
use gpuc_ir::text::{check_format, parse_module};
use gpuc_ir::verify::verify;

use crate::harness::new_ir;

fn all_ops() -> impl Iterator<Item = &'static OpDef> {
    gpuc_dialects::ALL.iter().flat_map(|dialect| dialect.ops.iter().map(|def| def()))
}

#[test]
fn every_operation_is_documented_and_has_a_syntax_that_parses() {
    for def in all_ops() {
        assert!(!def.docs.trim().is_empty(), "{} has no doc comment", def.name);
        assert_eq!(def.hooks.parse.is_some(), def.hooks.print.is_some(), "{}", def.name);
        if let Err(message) = check_format(def) {
            panic!("{message}");
        }
    }
}

#[test]
fn every_operation_stands_once_in_its_own_dialect() {
    let mut names = std::collections::BTreeSet::new();
    for dialect in gpuc_dialects::ALL {
        for def in dialect.ops {
            assert_eq!(def().dialect(), dialect.name, "{}", def().name);
            assert!(names.insert(def().name), "{} twice", def().name);
        }
    }
}

/// Whatever the shape of an operation, it is refused or is good enough to be printed and
/// canonicalised.
#[test]
fn no_shape_of_any_operation_is_too_odd_to_be_judged() {
    let operands =
        ["", "%i", "%i, %i", "%i, %i, %i, %i", "%c", "%c, %i, %i", "%m, %i", "%m, %f, %f"];
    let regions =
        ["", " ({})", " ({}, {})", " ({^bb0:})", " ({^bb0(%x: index): \"test.end\"() : () -> ()})"];
    let results = ["()", "index", "(f32, f32)"];
    let attrs = [
        "",
        " <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>",
        " {value = 1 : index, predicate = 1 : i64, callee = @f, cases = array<i64: 1>}",
        " {sym_name = \"g\", function_type = (index) -> ()}",
    ];
    for def in all_ops() {
        let mut ir = new_ir();
        let patterns = PatternSet::canonicalization(&mut ir);
        for values in operands {
            let types: Vec<_> = values
                .split_terminator(", ")
                .map(|value| match value {
                    "%i" => "index",
                    "%c" => "i1",
                    "%f" => "f32",
                    _ => "memref<4xf32>",
                })
                .collect();
            for (region, result) in regions.iter().flat_map(|r| results.map(|result| (r, result))) {
                for attr in attrs {
                    // Properties stand before the regions, other attributes behind.
                    let (before, behind) = if attr.contains('<') { (attr, "") } else { ("", attr) };
                    let text = format!(
                        "func.func @f(%i: index, %c: i1, %f: f32, %m: memref<4xf32>) {{\n\
                         \"{}\"({values}){before}{region}{behind} : ({}) -> {result}\nreturn\n}}",
                        def.name,
                        types.join(", ")
                    );
                    let Ok(module) = parse_module(&mut ir, &text, "odd.mlir") else { continue };
                    if verify(&mut ir, module).is_ok() {
                        ir.to_text(module);
                        let limit = GreedyConfig::default();
                        apply_greedily(&mut ir, module, &patterns, limit).expect("comes to an end");
                        assert!(verify(&mut ir, module).is_ok(), "{}", ir.to_text(module));
                    }
                }
            }
        }
    }
}
