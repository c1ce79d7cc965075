//! What the analysis of loop nests says about dependences.

mod remarks;

use expect_test::{Expect, expect};
use gpuc_ir::pass::Analysis;
use gpuc_ir::{Ir, Op, Value, WalkOrder};
use gpuc_passes::analysis::nest::Nest;
use gpuc_passes::analysis::nest::carried::Apart;
use gpuc_passes::analysis::nest::graph::{DependenceGraph, Edge};
use gpuc_passes::raise::reduction::Reduction;
use gpuc_presburger::dependence::Direction;
use remarks::{parse, run};

/// A function with a body, whose first line is line 4.
fn function(body: &str) -> String {
    format!(
        "func.func @f(%n: index, %m: index, %a: memref<?xf32> {{offload.name = \"a\"}}, %b: memref<?x?xf32> {{offload.name = \"b\"}}, %p: memref<?xindex> {{offload.name = \"p\"}}) {{
%c0 = arith.constant 0 : index %c1 = arith.constant 1 : index
%f1 = arith.constant 1.0 : f32
{body}
return
}}"
    )
}

/// What is said about the dependences of a body, whose first line is line 4. `options` are those of the
/// pass.
fn said(options: &str, body: &str) -> String {
    let text = function(body);
    run(&format!("print-nest{options}"), &text).1
}

fn dependences_with(options: &str, body: &str, expected: Expect) {
    expected.assert_eq(&said(options, body));
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

/// Every comparison, and what is left where it fails: transposed accesses depend on each other unless
/// one side of the diagonal is left out, and in one iteration if the diagonal stays.
#[test]
fn comparisons() {
    let body = "%x = affine.load %b[%j, %i] : memref<?x?xf32>
affine.store %x, %b[%i, %j] : memref<?x?xf32>";
    let dependences_of = |predicate: &str, holds: bool| {
        let compare = format!("%k = arith.cmpi {predicate}, %j, %i : index\n");
        let branch = match holds {
            true => format!("scf.if %k {{\n{body}\n}}"),
            false => format!("scf.if %k {{\n}} else {{\n{body}\n}}"),
        };
        said("", &square(&(compare + &branch))).lines().count()
    };
    let (apart, diagonal, all) = (0, 1, 3);
    let table = [
        ("eq", diagonal, all),
        ("ne", all, diagonal),
        ("slt", apart, diagonal),
        ("sle", diagonal, apart),
        ("sgt", apart, diagonal),
        ("sge", diagonal, apart),
        // Neither is negative.
        ("ult", apart, diagonal),
        ("ule", diagonal, apart),
        ("ugt", apart, diagonal),
        ("uge", diagonal, apart),
    ];
    for (predicate, holds, fails) in table {
        assert_eq!(dependences_of(predicate, true), holds, "{predicate}");
        assert_eq!(dependences_of(predicate, false), fails, "not {predicate}");
    }
}

/// Both of two conditions hold behind `and`, both fail where `or` does; else nothing is known.
#[test]
fn joined_conditions() {
    let writes = |join: &str, holds: bool| {
        let (then, otherwise) = match holds {
            true => ("affine.store %f1, %a[3] : memref<?xf32>", ""),
            false => ("", "affine.store %f1, %a[3] : memref<?xf32>"),
        };
        let (first, second) = if holds { ("sge", "sle") } else { ("slt", "sgt") };
        let body = format!(
            "affine.for %i = 0 to %n {{
%p5 = arith.cmpi {first}, %i, %m : index
%p6 = arith.cmpi {second}, %i, %m : index
%k = arith.{join} %p5, %p6 : i1
scf.if %k {{
{then}
}} else {{
{otherwise}
}}
}}"
        );
        said("", &body).lines().count()
    };
    // One iteration alone writes.
    assert_eq!((writes("andi", true), writes("ori", false)), (0, 0));
    assert_eq!((writes("ori", true), writes("andi", false)), (1, 1));
}

/// What divides, computed in every way, rounds down only where that is so.
#[test]
fn computed_quotients() {
    let stores = |lower: i64, op: &str, by: i64| {
        let body = format!(
            "affine.for %i = {lower} to 1000 {{
%d = arith.constant {by} : index
%q = arith.{op} %i, %d : index
memref.store %f1, %a[%q] : memref<?xf32>
}}"
        );
        said("", &body)
    };
    let all = |lower: i64, ops: &[(&str, i64)], distance: &str| {
        for &(op, by) in ops {
            let expected = format!(
                "7: remark: output dependence of a from line 7: carried by loop 0, distance ({distance}), direction (<)\n"
            );
            assert_eq!(stores(lower, op, by), expected, "{op} from {lower}");
        }
    };
    let quotients = [("divsi", 4), ("divui", 4), ("floordivsi", 4), ("ceildivsi", 4), ("shrsi", 2)];
    all(0, &quotients, "1..3");
    all(0, &[("remsi", 4), ("remui", 4), ("andi", 3)], "4..996");
    // Below 0, some round towards it, and unsigned ones see another number: nothing is known of them.
    all(-8, &[("floordivsi", 4), ("ceildivsi", 4), ("shrsi", 2)], "1..3");
    all(-8, &[("andi", 3)], "4..1004");
    let others = [("divsi", 4), ("divui", 4), ("remsi", 4), ("remui", 4), ("andi", 5)];
    all(-8, &others, "1..1007");
}

/// With several lower bounds, or one that is not understood, iterations are not counted from one of
/// them.
#[test]
fn steps_from_unknown_starts() {
    let body = |lower: &str| {
        format!(
            "affine.for %i = 0 to %n {{
affine.for %j = {lower} to 100 step 2 {{
affine.store %f1, %a[%j] : memref<?xf32>
%x = affine.load %a[%j + 1] : memref<?xf32>
}}
}}"
        )
    };
    // Even elements are written, odd ones read; then, both are either.
    dependences(
        &body("0"),
        expect![[r#"
        6: remark: output dependence of a from line 6: carried by loop 0, distance (1.., 0), direction (<, =)
    "#]],
    );
    dependences(
        &body("max affine_map<(d0) -> (0, d0 floordiv 2)>(%i)"),
        expect![[r#"
        6: remark: output dependence of a from line 6: carried by loop 0, distance (1..199, 0), direction (<, =)
        7: remark: flow dependence of a from line 6: carried by loop 0, distance (1..197, -1), direction (<, >)
        6: remark: anti dependence of a from line 7: carried by loop 0, distance (1..199, 1), direction (<, <)
        6: remark: anti dependence of a from line 7: carried by loop 1, distance (0, 1), direction (=, <)
    "#]],
    );
    dependences(
        &body("affine_map<(d0) -> (d0 floordiv 2)>(%i)"),
        expect![[r#"
        6: remark: output dependence of a from line 6: carried by loop 0, distance (1..197, 0), direction (<, =)
        7: remark: flow dependence of a from line 6: carried by loop 0, distance (1..195, -1), direction (<, >)
        6: remark: anti dependence of a from line 7: carried by loop 0, distance (1..199, 1), direction (<, <)
    "#]],
    );
}

/// A loop from 0 that ends at `max(n, 0)`, either way round, ends at `n`; one that may run further does not.
#[test]
fn ends_that_only_keep_from_the_start() {
    let waits = |start: &str, greatest: &str| {
        let body = format!(
            "%c4 = arith.constant 4 : index
%end = arith.maxsi {greatest} : index
scf.for %i = {start} to %end step %c1 {{
%k = arith.addi %i, %n : index
%x = memref.load %a[%k] : memref<?xf32>
memref.store %x, %a[%i] : memref<?xf32>
}}"
        );
        !said("", &body).is_empty()
    };
    assert!(!waits("%c0", "%n, %c0") && !waits("%c0", "%c0, %n"));
    assert!(waits("%c0", "%n, %c4") && waits("%c0", "%c4, %n") && waits("%c0", "%n, %m"));
    assert!(!waits("%c4", "%n, %c4") && !waits("%c4", "%c0, %n") && waits("%c0", "%c1, %n"));
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

/// The graph of the first loop of a body, and the loops' variables, outermost first.
fn graph(body: &str, look: impl FnOnce(&Ir, &DependenceGraph, &[Value])) {
    let (ir, module) = parse(&function(body));
    let loops: Vec<Op> = ir.nested_ops(module, WalkOrder::PreOrder);
    let loops: Vec<Op> = loops.into_iter().filter(|&op| ir.is_counted_loop(op)).collect();
    let nest = Nest::compute(&ir, module);
    let found = nest.graph(&ir, &[loops[0]], Apart::Assumed).expect("all effects are known");
    let variables: Vec<Value> =
        loops.iter().map(|&op| ir.loop_dimensions(op)[0].variable).collect();
    look(&ir, &found, &variables);
}

/// A loop of a thousand accesses to one array would have a graph of a million edges.
#[test]
fn a_graph_is_not_larger_than_the_program_by_far() {
    let body = |count: usize| {
        let store =
            |k: usize| format!("affine.store %f1, %b[%i, {k} * symbol(%n)] : memref<?x?xf32>\n");
        let stores: String = (0..count).map(store).collect();
        format!("affine.for %i = 0 to %n {{\n{stores}}}")
    };
    for (count, is_made) in [(100, true), (1000, false)] {
        let (ir, module) = parse(&function(&body(count)));
        let mut inside = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
        let root = inside.find(|&op| ir.is_counted_loop(op)).expect("a loop");
        let found = Nest::compute(&ir, module).graph(&ir, &[root], Apart::Assumed);
        assert_eq!(found.is_ok(), is_made, "{count} stores");
        if let Err(access) = found {
            assert!(ir.memory_access(access).is_some(), "{}", ir.name(access));
        }
    }
}

/// Directions of all edges, in order, and which loops carry them.
fn vectors(graph: &DependenceGraph) -> Vec<String> {
    let one = |edge: &Edge| {
        let text = |vector: &Vec<Direction>| vector.iter().map(ToString::to_string).collect();
        let vectors: Vec<String> = edge.vectors.iter().map(text).collect();
        format!("{:?} {}", edge.kind, vectors.join(" "))
    };
    graph.edges.iter().map(one).collect()
}

#[test]
fn a_product_accumulates() {
    let body = "affine.for %i = 0 to %n {
affine.for %j = 0 to %n {
affine.for %k = 0 to %n {
%old = affine.load %b[%i, %j] : memref<?x?xf32>
%new = arith.addf %old, %f1 : f32
%more = arith.subf %new, %f1 : f32
affine.store %more, %b[%i, %j] : memref<?x?xf32>
}
}
}";
    graph(body, |ir, graph, variables| {
        assert_eq!(vectors(graph), ["Anti ==<", "Anti ===", "Flow ==<", "Output ==<"]);
        let found = graph.accumulation(ir, variables[2]).expect("an accumulation");
        assert_eq!(ir.name(found.load), "affine.load");
        assert_eq!((found.kind, found.unsigned), (Reduction::Add, false));
        assert_eq!(graph.accumulation(ir, variables[1]), None, "it carries nothing");
        assert_eq!(graph.carried_by(variables[2]).count(), 3);
        assert_eq!(graph.around(ir, found.load).count(), 3);
        let apart = graph.edges[0].distance(variables[0]).and_then(|d| d.constant());
        assert_eq!(apart, Some(0));
    });
}

/// What looks at the sums on the way, or changes the element otherwise, is no accumulation.
#[test]
fn no_accumulation() {
    for update in [
        // The element of another iteration.
        "%old = affine.load %a[0] : memref<?xf32>
%new = arith.addf %old, %f1 : f32
affine.store %new, %a[%i] : memref<?xf32>",
        // Looked at.
        "%old = affine.load %a[0] : memref<?xf32>
%new = arith.addf %old, %f1 : f32
affine.store %new, %a[0] : memref<?xf32>
affine.store %new, %b[%i, 0] : memref<?x?xf32>",
        // Two operators.
        "%old = affine.load %a[0] : memref<?xf32>
%new = arith.addf %old, %f1 : f32
%twice = arith.mulf %new, %f1 : f32
affine.store %twice, %a[0] : memref<?xf32>",
        // Subtracted from.
        "%old = affine.load %a[0] : memref<?xf32>
%new = arith.subf %f1, %old : f32
affine.store %new, %a[0] : memref<?xf32>",
        // Not understood.
        "%q = memref.load %p[%i] : memref<?xindex>
%old = memref.load %a[%q] : memref<?xf32>
%new = arith.addf %old, %f1 : f32
memref.store %new, %a[%q] : memref<?xf32>",
        // Two subscripts without a closed form are not the same one.
        "%old = affine.load %a[%i mod symbol(%n)] : memref<?xf32>
%new = arith.addf %old, %f1 : f32
affine.store %new, %a[%i mod symbol(%m)] : memref<?xf32>",
        "%old = affine.load %b[%i mod symbol(%n), 0] : memref<?x?xf32>
%new = arith.addf %old, %f1 : f32
affine.store %new, %b[%i mod symbol(%m), 0] : memref<?x?xf32>",
        // Changed before it is looked at.
        "%old = memref.atomic_rmw addf %f1, %a[%c0] : (f32, memref<?xf32>) -> f32
%new = arith.addf %old, %f1 : f32
affine.store %new, %a[0] : memref<?xf32>",
    ] {
        graph(&format!("affine.for %i = 1 to %n {{\n{update}\n}}"), |ir, graph, variables| {
            assert_eq!(graph.accumulation(ir, variables[0]), None, "{update}");
        });
    }
}

/// What is not understood may go in every direction that the order of the program allows; a buffer
/// of the iteration's own, in none of loops round it.
#[test]
fn directions_that_are_assumed() {
    let body = square(
        "%q = arith.muli %j, %j : index
memref.store %f1, %a[%q] : memref<?xf32>
%own = memref.alloca() : memref<4xf32>
affine.for %k = 0 to 4 {
affine.store %f1, %own[0] : memref<4xf32>
}",
    );
    graph(&body, |_, graph, variables| {
        assert_eq!(vectors(graph), ["Output << <= <>", "Output =<", "Output ==<"]);
        assert_eq!(graph.carried_by(variables[0]).count(), 1);
    });
}

/// Different names for one memory: assumed to be apart, or any distance.
#[test]
fn names_for_one_memory() {
    let text = "func.func @f(%n: index, %a: memref<?xf32>, %b: memref<?xf32>) {
affine.for %i = 0 to %n {
%x = affine.load %a[%i] : memref<?xf32>
affine.store %x, %b[%i] : memref<?xf32>
}
return
}";
    let mapped = text.replace("memref<?xf32>,", "memref<?xf32> {offload.map = \"copy\"},");
    let mapped = mapped.replace("memref<?xf32>)", "memref<?xf32> {offload.map = \"copy\"})");
    for (text, apart, edges, assumed) in [
        (text, Apart::Assumed, 2, 0),
        (&mapped, Apart::Assumed, 0, 1),
        (&mapped, Apart::Unknown, 2, 0),
    ] {
        let (ir, module) = parse(text);
        let all = ir.nested_ops(module, WalkOrder::PreOrder);
        let outer = all.into_iter().find(|&op| ir.is_counted_loop(op)).expect("a loop");
        let found = Nest::compute(&ir, module).graph(&ir, &[outer], apart).expect("known effects");
        assert_eq!((found.edges.len(), found.assumed_apart.len()), (edges, assumed), "{apart:?}");
    }
}
