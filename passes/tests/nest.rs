//! What the analysis of loop nests says about dependences.

mod remarks;

use expect_test::{Expect, expect};
use remarks::run;

/// The dependences of a body; its first line is line 4. `options` are those of the pass.
fn dependences_with(options: &str, body: &str, expected: Expect) {
    let text = format!(
        "func.func @f(%n: index, %m: index, %a: memref<?xf32> {{offload.name = \"a\"}}, %b: memref<?x?xf32> {{offload.name = \"b\"}}, %p: memref<?xindex> {{offload.name = \"p\"}}) {{
%c0 = arith.constant 0 : index %c1 = arith.constant 1 : index
%f1 = arith.constant 1.0 : f32
{body}
return
}}"
    );
    let (_, said) = run(&format!("print-nest{options}"), &text);
    expected.assert_eq(&said);
}

fn dependences(body: &str, expected: Expect) {
    dependences_with("", body, expected);
}

/// A nest of two loops.
fn square(body: &str) -> String {
    format!("affine.for %i = 1 to %n {{\naffine.for %j = 1 to %n {{\n{body}\n}}\n}}")
}

#[test]
fn one_loop() {
    dependences(
        "affine.for %i = 1 to %n {
%x = affine.load %a[%i - 1] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            5: remark: flow dependence of a from line 6: carried by loop 0, distance (1), direction (<)
        "#]],
    );
    // Three iterations later, in steps of three.
    dependences(
        "affine.for %i = 0 to %n step 3 {
%x = affine.load %a[%i + 9] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: anti dependence of a from line 5: carried by loop 0, distance (9), direction (<)
        "#]],
    );
    // Read and written in one iteration.
    dependences(
        "affine.for %i = 0 to %n {
%x = affine.load %a[%i] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: anti dependence of a from line 5: in one iteration, distance (0), direction (=)
        "#]],
    );
    dependences_with(
        "{input=true relations=true}",
        "affine.for %i = 0 to %n {
%x = affine.load %a[%i] : memref<?xf32>
%y = affine.load %a[%i + 1] : memref<?xf32>
}",
        expect![[r#"
            5: remark: input dependence of a from line 6: carried by loop 0, distance (1), direction (<), [p0] -> { [i0] -> [i0'] : i0' = i0 + 1 and 0 <= i0 < p0 and 0 <= i0' < p0 and i0' >= i0 + 1 }
        "#]],
    );
}

/// One step down and one to the left: permuting these loops is wrong, and looking at the outer
/// distance alone does not show it.
#[test]
fn distance_minus_one() {
    dependences(
        &square(
            "%x = affine.load %b[%i - 1, %j + 1] : memref<?x?xf32>
affine.store %x, %b[%i, %j] : memref<?x?xf32>",
        ),
        expect![[r#"
            6: remark: flow dependence of b from line 7: carried by loop 0, distance (1, -1), direction (<, >)
        "#]],
    );
}

#[test]
fn stencil() {
    dependences(
        &square(
            "%x = affine.load %b[%i - 1, %j] : memref<?x?xf32>
%y = affine.load %b[%i, %j - 1] : memref<?x?xf32>
%z = affine.load %b[%i + 1, %j + 1] : memref<?x?xf32>
affine.store %x, %b[%i, %j] : memref<?x?xf32>",
        ),
        expect![[r#"
            6: remark: flow dependence of b from line 9: carried by loop 0, distance (1, 0), direction (<, =)
            7: remark: flow dependence of b from line 9: carried by loop 1, distance (0, 1), direction (=, <)
            9: remark: anti dependence of b from line 8: carried by loop 0, distance (1, 1), direction (<, <)
        "#]],
    );
}

#[test]
fn transposed() {
    dependences(
        &square(
            "%x = affine.load %b[%j, %i] : memref<?x?xf32>
affine.store %x, %b[%i, %j] : memref<?x?xf32>",
        ),
        expect![[r#"
            7: remark: anti dependence of b from line 6: carried by loop 0, distance (1.., ..-1), direction (<, >)
            7: remark: anti dependence of b from line 6: in one iteration, distance (0, 0), direction (=, =)
            6: remark: flow dependence of b from line 7: carried by loop 0, distance (1.., ..-1), direction (<, >)
        "#]],
    );
    // Below the diagonal only: what is read there is not written.
    dependences(
        "affine.for %i = 1 to %n {
affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
%x = affine.load %b[%j, %i] : memref<?x?xf32>
affine.store %x, %b[%i, %j] : memref<?x?xf32>
}
}",
        expect![[r#""#]],
    );
}

#[test]
fn guards() {
    // The same as a condition of `affine.if`, of `scf.if`, and behind `else`.
    let body = "%x = affine.load %b[%j, %i] : memref<?x?xf32>
affine.store %x, %b[%i, %j] : memref<?x?xf32>";
    dependences(
        &square(&format!(
            "affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%i, %j) {{\n{body}\n}}"
        )),
        expect![[r#""#]],
    );
    dependences(
        &square(&format!("%k = arith.cmpi slt, %j, %i : index\nscf.if %k {{\n{body}\n}}")),
        expect![[r#""#]],
    );
    dependences(
        &square(&format!(
            "affine.if affine_set<(d0, d1) : (d1 - d0 >= 0)>(%i, %j) {{\n}} else {{\n{body}\n}}"
        )),
        expect![[r#""#]],
    );
    // With the diagonal, each element of it depends on itself alone.
    dependences(
        &square(&format!("%k = arith.cmpi sle, %j, %i : index\nscf.if %k {{\n{body}\n}}")),
        expect![[r#"
            9: remark: anti dependence of b from line 8: in one iteration, distance (0, 0), direction (=, =)
        "#]],
    );
    // What fails when one of two conditions does is not known.
    dependences(
        &square(&format!(
            "affine.if affine_set<(d0, d1) : (d1 - d0 >= 0, d0 - 5 >= 0)>(%i, %j) {{\n}} else {{\n{body}\n}}"
        )),
        expect![[r#"
            9: remark: anti dependence of b from line 8: carried by loop 0, distance (1.., ..-1), direction (<, >)
            9: remark: anti dependence of b from line 8: in one iteration, distance (0, 0), direction (=, =)
            8: remark: flow dependence of b from line 9: carried by loop 0, distance (1.., ..-1), direction (<, >)
        "#]],
    );
    // One iteration writes.
    dependences(
        "affine.for %i = 0 to %n {
affine.if affine_set<(d0) : (d0 - 7 == 0)>(%i) {
affine.store %f1, %a[3] : memref<?xf32>
}
}",
        expect![[r#""#]],
    );
}

/// Tiles, rows recovered by division, and buffers used in turn.
#[test]
fn quotients_and_remainders() {
    dependences(
        "affine.for %t = 0 to affine_map<()[s0] -> (s0 ceildiv 32)>()[%n] {
affine.for %i = affine_map<(d0) -> (32 * d0)>(%t) to min affine_map<(d0)[s0] -> (32 * d0 + 32, s0)>(%t)[%n] {
%x = affine.load %a[%i - 1] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}
}",
        expect![[r#"
            6: remark: flow dependence of a from line 7: carried by loop 0, distance (1, 1), direction (<, <)
            6: remark: flow dependence of a from line 7: carried by loop 1, distance (0, 1), direction (=, <)
        "#]],
    );
    dependences(
        "affine.for %i = 0 to %n {
affine.store %f1, %b[%i floordiv 32, %i mod 32] : memref<?x?xf32>
}",
        expect![[r#""#]],
    );
    dependences(
        "affine.for %i = 0 to %n {
%x = affine.load %a[(%i + 1) mod 3] : memref<?xf32>
affine.store %x, %a[%i mod 3] : memref<?xf32>
}",
        expect![[r#"
            6: remark: anti dependence of a from line 5: carried by loop 0, distance (1..), direction (<)
            5: remark: flow dependence of a from line 6: carried by loop 0, distance (2..), direction (<)
            6: remark: output dependence of a from line 6: carried by loop 0, distance (3..), direction (<)
        "#]],
    );
    // The same, computed.
    dependences(
        "affine.for %i = 0 to %n {
%c3 = arith.constant 3 : index
%r = arith.remui %i, %c3 : index
memref.store %f1, %a[%r] : memref<?xf32>
}",
        expect![[r#"
            7: remark: output dependence of a from line 7: carried by loop 0, distance (3..), direction (<)
        "#]],
    );
    // Halves: two iterations touch each element.
    dependences(
        "affine.for %i = 0 to 100 {
affine.store %f1, %a[%i floordiv 2] : memref<?xf32>
}",
        expect![[r#"
            5: remark: output dependence of a from line 5: carried by loop 0, distance (1), direction (<)
        "#]],
    );
}

/// What is not understood is a dependence; what is known of the other subscripts is kept.
#[test]
fn not_understood() {
    dependences(
        "scf.for %i = %c0 to %n step %c1 {
%k = memref.load %p[%i] : memref<?xindex>
memref.store %f1, %a[%k] : memref<?xf32>
}",
        expect![[r#"
            6: remark: output dependence of a from line 6: carried by loop 0, distance (1..), direction (<)
        "#]],
    );
    dependences(
        "scf.for %i = %c0 to %n step %c1 {
scf.for %j = %c0 to %n step %c1 {
%k = memref.load %p[%j] : memref<?xindex>
memref.store %f1, %b[%i, %k] : memref<?x?xf32>
}
}",
        expect![[r#"
            7: remark: output dependence of b from line 7: carried by loop 1, distance (0, 1..), direction (=, <)
        "#]],
    );
    dependences(
        "affine.for %i = 0 to %n {
%s = memref.subview %a[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
affine.store %f1, %s[0] : memref<4xf32, strided<[1], offset: ?>>
affine.store %f1, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: output dependence of a from line 6: not understood, assumed
            7: remark: output dependence of a from line 6: not understood, assumed
            6: remark: output dependence of a from line 7: not understood, assumed
        "#]],
    );
    dependences(
        "affine.for %i = 0 to %n {
func.call @g() : () -> ()
}
return
}
func.func private @g() {",
        expect![[r#"
            5: remark: the effects of 'func.call' are not known
        "#]],
    );
}
