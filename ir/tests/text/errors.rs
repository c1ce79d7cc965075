//! What is wrong, where, in upstream's words where those are known.

use expect_test::{Expect, expect};
use gpuc_ir::Ir;
use gpuc_ir::text::parse_module;

use super::dialect;

/// Every error of every line of `texts`, each line a text of its own (`|` begins a new line).
fn check(texts: &[&str], expected: &Expect) {
    let mut seen = String::new();
    for text in texts {
        let mut ir = Ir::new();
        ir.ctx.register(&dialect::TOY);
        ir.ctx.allow_unregistered = !text.contains("strict");
        match parse_module(&mut ir, &text.replace('|', "\n"), "t") {
            Ok(_) => seen.push_str(&format!("accepted: {text}\n")),
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "{text}");
                for diagnostic in diagnostics {
                    seen.push_str(&format!("{diagnostic}\n"));
                    for (place, message) in &diagnostic.related {
                        seen.push_str(&format!("  {place}: {message}\n"));
                    }
                    for help in &diagnostic.help {
                        seen.push_str(&format!("  help: {help}\n"));
                    }
                }
            }
        }
    }
    expected.assert_eq(&seen);
}

#[test]
fn names() {
    check(
        &[
            "\"t.a\"(%x) : (i32) -> ()",
            "%x = \"t.a\"() : () -> i32|%x = \"t.a\"() : () -> i32",
            "%x = \"t.a\"() : () -> i32|\"t.b\"(%x) : (f32) -> ()",
            "%x = \"t.a\"() : () -> i32|\"t.b\"(%x#1) : (i32) -> ()",
            "\"t.b\"(%x) : (f32) -> ()|%x = \"t.a\"() : () -> i32",
            "%x:2 = \"t.a\"() : () -> i32",
            "%x = \"t.a\"() : () -> ()",
            "%x:0 = \"t.a\"() : () -> ()",
            "\"t.a\"() ({|^bb0:|^bb0:|}) : () -> ()",
            "\"t.a\"() ({ \"t.b\"()[^bb1] : () -> () }) : () -> ()",
            "%x = toy.make : i32|toy.func @f {|  \"t.b\"(%x) : (i32) -> ()|}",
            "\"t.a\"() ({ %y = toy.make : i32 }) : () -> ()|\"t.b\"(%y) : (i32) -> ()",
        ],
        &expect![[r#"
            t:1:7: error: use of undeclared SSA value name
            t:2:1: error: redefinition of SSA value '%x'
              t:1:1: previously defined here
            t:2:7: error: use of value '%x' expects different type than prior uses: 'f32' vs 'i32'
              t:1:1: prior use here
            t:2:7: error: reference to invalid result number
            t:2:1: error: definition of SSA value '%x#0' has type 'i32'
              t:1:7: previously used here with type 'f32'
            t:1:1: error: operation defines 1 results but was provided 2 to bind
            t:1:1: error: cannot name an operation with no results
            t:1:4: error: expected named operation to have at least 1 result
            t:3:1: error: redefinition of block '^bb0'
              t:2:1: previously defined here
            t:1:20: error: reference to an undefined block
            t:3:9: error: use of undeclared SSA value name
            t:2:7: error: use of undeclared SSA value name
        "#]],
    );
}

#[test]
fn operations() {
    check(
        &[
            "toy.ad %a, %a : i32",
            "ad",
            "toi.add",
            "\"strict.a\"() : () -> ()",
            "\"toy.strict\"() : () -> ()",
            "\"\"() : () -> ()",
            "\"t.a\"(",
            "\"t.a\"() : (i32) -> ()",
            "\"t.a\"() {a = 1 : i32, a} : () -> ()",
            "\"toy.add\"()[^bb0] : () -> ()",
            "toy.add %a %b",
            "toy.pick blue",
            "toy.note about",
            "toy.odd<> width(1) width(2)",
            "toy.call @f(%a) : () -> ()",
            "toy.func @f {",
            "}",
            "%",
            "\"t.a",
        ],
        &expect![[r#"
            t:1:1: error: custom op 'toy.ad' is unknown
              help: did you mean 'toy.add'?
            t:1:1: error: custom op 'ad' is unknown (tried 'builtin.ad' as well)
              help: dialect 'builtin' is not registered; there are: toy
            t:1:1: error: custom op 'toi.add' is unknown
              help: did you mean 'toy.add'?
            t:1:1: error: operation 'strict.a' is of an unregistered dialect; such are accepted with --allow-unregistered-dialect
            t:1:1: error: unregistered operation 'toy.strict' found in dialect ('toy') that does not allow unknown operations
              help: did you mean 'toy.pick'?
            t:1:1: error: empty operation name is invalid
            t:1:7: error: expected SSA operand
            t:1:11: error: expected 0 operand types but had 1
            t:1:23: error: duplicate key 'a' in dictionary attribute
            t:1:12: error: successors in non-terminator
            t:1:11: error: expected ','
            t:1:10: error: expected string or keyword containing one of the following enum values for attribute 'colour' [red, green]
            t:1:10: error: expected attribute value
            t:1:20: error: `width` clause can appear at most once in the expansion of the oilist directive
            t:1:10: error: number of operands and types do not match: got 1 operands and 0 types
            t:1:14: error: expected operation name in quotes
            t:1:1: error: expected operation name in quotes
            t:1:1: error: invalid SSA name
            t:1:1: error: expected '"' in string literal
        "#]],
    );
}

#[test]
fn types_and_attributes() {
    let texts = [
        "i99999999",
        "vector<0xf32>",
        "vector<4xtensor<f32>>",
        "tensor<4*f32>",
        "memref<4x4xf32, affine_map<(d0) -> (d0)>>",
        "memref<4xf32, 1, 2>",
        "memref<*xf32, strided<[1]>>",
        "complex<index>",
        "f8E5M2",
        "!unknown",
        "tuple<i32",
        "!toy.a<(>",
        "1 : f99",
        "256 : i8",
        "-129 : i8",
        "-1 : ui8",
        "1 : tensor<4xi32>",
        "1 : f32",
        "dense<1> : tensor<2xf32>",
        "0x1FFFFFFFF : f32",
        "dense<[1, [2]]> : tensor<2xi32>",
        "dense<[1, 2]> : tensor<3xi32>",
        "dense<1.0> : tensor<2xi32>",
        "dense<\"0x0\"> : tensor<2xi32>",
        "dense<1> : tensor<?xi32>",
        "dense_resource<x> : tensor<2xi32>",
        "array<i7: 1>",
        "#nope",
        "@1",
        "\"\\FF\"",
        "affine_map<(d0) -> (d1)>",
        "affine_map<(d0) -> (d0 * d0)>",
        "affine_map<(d0) -> (d0 mod d0)>",
        "affine_map<(d0, d0) -> ()>",
        "affine_set<(d0) : (d0)>",
        "loc(\"a\":x)",
        "{a = }",
    ];
    let texts: Vec<String> =
        texts.iter().map(|attr| format!("\"t.a\"() {{x = {attr}}} : () -> ()")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    check(
        &texts,
        &expect![[r#"
            t:1:14: error: integer bitwidth is limited to 16777215 bits
            t:1:21: error: vector types must have positive constant sizes but got 0
            t:1:23: error: vector elements must be int/index/float type
            t:1:22: error: expected 'x' in dimension list
            t:1:30: error: memref layout mismatch between rank and affine map: 2 != 1
            t:1:31: error: multiple memory spaces specified in memref type
            t:1:28: error: expected the number of strides to match the rank: 0 != 1
            t:1:22: error: invalid element type for complex
            accepted: "t.a"() {x = f8E5M2} : () -> ()
            t:1:14: error: undefined symbol alias id 'unknown'
            t:1:23: error: expected '>' in tuple type
            t:1:20: error: unbalanced '<' character in pretty dialect name
            t:1:17: error: expected non-function type
            t:1:14: error: integer constant out of range for attribute
            t:1:15: error: integer constant out of range for attribute
            t:1:15: error: integer constant out of range for attribute
            t:1:14: error: integer literal not valid for type 'tensor<4xi32>'
            t:1:14: error: unexpected decimal integer literal for a floating point value
              help: add a trailing dot to make the literal a float
            t:1:20: error: unexpected decimal integer literal for a floating point value
              help: add a trailing dot to make the literal a float
            t:1:14: error: hexadecimal float constant out of range for type 'f32'
            t:1:24: error: tensor literal is invalid; ranks are not consistent between elements
            t:1:20: error: inferred shape of elements literal ([2]) does not match type ([3])
            t:1:20: error: expected integer elements, but parsed floating-point
            t:1:20: error: elements hex string should start with '0x' and hold pairs of digits
            t:1:23: error: elements literal type must have static shape
            accepted: "t.a"() {x = dense_resource<x> : tensor<2xi32>} : () -> ()
            t:1:20: error: element type must be i1, i8, i16, i32, i64, f32 or f64
            t:1:14: error: undefined symbol alias id 'nope'
            t:1:14: error: @ identifier expected to start with letter or '_'
            t:1:14: error: string literal is not UTF-8
            t:1:34: error: use of undeclared identifier 'd1'
            t:1:37: error: non-affine expression: at least one of the multiply operands has to be either a constant or symbolic
            t:1:37: error: non-affine expression: right operand of mod has to be either a constant or symbolic
            t:1:30: error: redefinition of identifier 'd0'
            t:1:35: error: expected '== affine-expr' or '>= affine-expr' at end of affine constraint
            t:1:22: error: expected integer line number in FileLineColLoc
            t:1:18: error: expected attribute value
        "#]],
    );
}

#[test]
fn nesting_is_limited() {
    let deep = |open: &str, close: &str, core: &str| {
        let text = format!("{}{core}{}", open.repeat(1000), close.repeat(1000));
        format!("\"t.a\"() {{x = {text}}} : () -> ()")
    };
    let texts = [
        deep("[", "]", ""),
        deep("tuple<", ">", "i32"),
        deep("{a = ", "}", "unit"),
        format!("\"t.a\"() {{x = affine_map<() -> ({}1)>}} : () -> ()", "-(".repeat(1000)),
        format!("\"t.a\"() {{x = dense<{}>}} : () -> ()", "[".repeat(1000)),
        "\"t.a\"() ({".repeat(1000),
        "toy.either {".repeat(1000),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    check(
        &texts,
        &expect![[r#"
            t:1:142: error: nested deeper than 128 levels
            t:1:782: error: nested deeper than 128 levels
            t:1:654: error: nested deeper than 128 levels
            t:1:160: error: nested deeper than 128 levels
            t:1:148: error: nested deeper than 128 levels
            t:1:1291: error: nested deeper than 128 levels
            t:1:1549: error: nested deeper than 128 levels
        "#]],
    );
}
