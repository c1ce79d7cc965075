//! What must not be taken for independent: each of these loops is wrong in parallel, by one detail.

mod remarks;

use remarks::run;

/// What is said about a loop in a `kernels` region.
fn said(passes: &str, body: &str) -> String {
    let text = format!(
        "memref.global \"private\" @g : memref<64xf32>
func.func @f(%n: index, %m: index, %a: memref<?xf32> {{offload.name = \"a\", offload.map = \"copy\"}}, %b: memref<?x64xf32> {{offload.name = \"b\", offload.map = \"copy\"}}, %p: memref<?xi32> {{offload.name = \"p\", offload.map = \"copyin\"}}, %s: memref<f32> {{offload.name = \"s\", offload.map = \"copy\"}}, %counts: memref<?xi32> {{offload.name = \"counts\", offload.map = \"copy\"}}) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%f1 = arith.constant 1.0 : f32
%v4 = arith.constant dense<1.0> : vector<4xf32>
offload.region kernels {{
{body}
}}
return
}}"
    );
    run(passes, &text).1
}

/// The loop stays sequential, and so do those in it.
fn stays(body: &str) {
    let passes = "promote-scalars,mem2reg,canonicalize,recognize-parallel";
    let said = said(passes, body);
    assert!(said.contains("prevents parallelization"), "{said}in\n{body}");
    assert!(!said.contains("Loop is parallelizable"), "{said}in\n{body}");
}

fn is_parallel(body: &str) {
    let said = said("promote-scalars,mem2reg,canonicalize,recognize-parallel", body);
    assert!(said.contains("Loop is parallelizable"), "{said}in\n{body}");
}

/// Vectors that overlap by some elements, with each other or with single elements.
#[test]
fn vectors_overlap() {
    // Beside each other in steps of their length, and two elements further.
    let steps = |shift: u32| {
        format!(
            "affine.for %i = 0 to %n {{
%x = affine.vector_load %a[%i * 4 + {shift}] : memref<?xf32>, vector<4xf32>
affine.vector_store %x, %a[%i * 4] : memref<?xf32>, vector<4xf32>
}}"
        )
    };
    is_parallel(&steps(0));
    [1, 2, 3].into_iter().for_each(|shift| stays(&steps(shift)));
    // As far apart as the loop is long, less what the vector reaches over.
    let far = |shift: u32| {
        format!(
            "affine.for %i = 0 to 10 {{
%x = affine.vector_load %a[%i + {shift}] : memref<?xf32>, vector<4xf32>
affine.vector_store %x, %a[%i * 16 + 100] : memref<?xf32>, vector<4xf32>
%y = affine.vector_load %b[0, %i] : memref<?x64xf32>, vector<4xf32>
affine.vector_store %y, %b[0, %i + {shift}] : memref<?x64xf32>, vector<4xf32>
}}"
        )
    };
    stays(&far(12));
    // Of one row, which begins with the vector, and further on; of another one's.
    let column = |column: u32| {
        format!(
            "affine.for %i = 0 to %n {{
%x = affine.vector_load %b[%i + 1, 0] : memref<?x64xf32>, vector<4xf32>
affine.vector_store %x, %a[%i * 4] : memref<?xf32>, vector<4xf32>
affine.store %f1, %b[%i, {column}] : memref<?x64xf32>
}}"
        )
    };
    [0, 2, 3].into_iter().for_each(|inside| stays(&column(inside)));
    is_parallel(&column(4));
    // The same elements in every iteration, and one of them.
    stays(
        "affine.for %i = 0 to %n {
%x = affine.load %a[2] : memref<?xf32>
affine.store %x, %b[%i, 0] : memref<?x64xf32>
affine.vector_store %v4, %a[0] : memref<?xf32>, vector<4xf32>
}",
    );
}

/// A value of four bytes and one of its bytes, in the next iteration.
#[test]
fn views_of_bytes_overlap() {
    let bytes = |byte: u32| {
        format!(
            "%w = memref.alloca() : memref<256xi8>
%z = memref.alloca() : memref<64xi8>
affine.for %i = 0 to 16 {{
%at = arith.muli %i, %c4 : index
%next = affine.apply affine_map<(d0) -> (d0 * 4 + {byte})>(%i)
%x = memref.load %w[%next] : memref<256xi8>
affine.store %x, %z[%i] : memref<64xi8>
%view = memref.view %w[%at][] : memref<256xi8> to memref<f32>
memref.store %f1, %view[] : memref<f32>
}}"
        )
    };
    is_parallel(&bytes(3));
    [4, 5, 7].into_iter().for_each(|byte| stays(&bytes(byte)));
}

/// Subscripts that differ by values, not by constants alone.
#[test]
fn rows_that_may_be_the_same() {
    for (store, load) in [("%m", "%n + 1"), ("%n + 1", "%m"), ("%m + 3", "%n")] {
        stays(&format!(
            "affine.for %i = 1 to %n {{
%x = affine.load %b[symbol({}){}, %i - 1] : memref<?x64xf32>
affine.store %x, %b[symbol({}){}, %i] : memref<?x64xf32>
}}",
            &load[..2],
            &load[2..],
            &store[..2],
            &store[2..],
        ));
    }
}

/// Exactly as far apart as the iterations reach, in either order of the text.
#[test]
fn the_first_and_the_last_iteration() {
    for (distance, meets) in [(9, true), (10, false)] {
        for (store, load) in [(0, distance), (distance, 0)] {
            let body = format!(
                "affine.for %i = 0 to 10 {{
%x = affine.load %a[%i + {load}] : memref<?xf32>
affine.store %x, %a[%i + {store}] : memref<?xf32>
}}"
            );
            if meets { stays(&body) } else { is_parallel(&body) }
        }
    }
}

/// What an operation in the loop finds or chooses is no buffer of the iteration's own.
#[test]
fn buffers_that_were_there_before() {
    for (before, inside) in [
        ("", "%h = memref.get_global @g : memref<64xf32>"),
        ("%h = memref.get_global @g : memref<64xf32>", ""),
        (
            "%t = memref.alloca() : memref<64xf32>",
            "%y = memref.load %p[%i] : memref<?xi32>
%q = arith.trunci %y : i32 to i1
%h = arith.select %q, %g, %t : memref<64xf32>",
        ),
    ] {
        stays(&format!(
            "%g = memref.get_global @g : memref<64xf32>
{before}
affine.for %i = 0 to 63 {{
{inside}
%x = affine.load %g[%i] : memref<64xf32>
memref.store %x, %h[%c4] : memref<64xf32>
%k = arith.addi %i, %c1 : index
memref.store %x, %h[%k] : memref<64xf32>
}}"
        ));
    }
}

/// A sum that somebody looks at on the way is no reduction.
#[test]
fn sums_that_are_looked_at() {
    let update = |seen: &str| {
        format!(
            "affine.for %i = 0 to %n {{
%x = affine.load %a[%i] : memref<?xf32>
%old = memref.load %s[] : memref<f32>
%new = arith.addf %old, %x : f32
memref.store %new, %s[] : memref<f32>
{seen}
}}"
        )
    };
    let passes = "promote-scalars,mem2reg,canonicalize,recognize-parallel";
    assert!(said(passes, &update("")).contains("implicit reduction(+:s)"));
    for seen in ["%old", "%new"] {
        let body = update(&format!("affine.store {seen}, %b[%i, 0] : memref<?x64xf32>"));
        let said = said(passes, &body);
        assert!(!said.contains("reduction(+:s)"), "{said}in\n{body}");
        assert!(!said.contains("Loop is parallelizable\n6: remark: Gen"), "{said}in\n{body}");
    }
    // Kept on one side of a condition, and looked at there.
    let chosen =
        update("%twice = arith.mulf %old, %old : f32\naffine.store %twice, %a[%i] : memref<?xf32>");
    assert!(!said(passes, &chosen).contains("reduction(+:s)"));
}

/// Only what certainly happens is said of a loop that the program calls independent.
#[test]
fn conditions_are_no_certainty() {
    let body = |condition: &str, end: &str| {
        format!(
            "offload.loop independent gang (%i) = (%c1) to (%n) step (%c1) {{
%h = arith.subi %i, %c1 : index
%x = memref.load %a[%h] : memref<?xf32>
%q = arith.cmpf olt, %x, %f1 : f32
{condition}
memref.store %f1, %a[%i] : memref<?xf32>
{end}
}}"
        )
    };
    let passes = "raise-loops,raise-affine,check-independent";
    assert!(said(passes, &body("", "")).contains("not independent"));
    assert_eq!(said(passes, &body("scf.if %q {", "}")), "");
}

/// Numbers that are cut, wrap around, or lose their sign on the way to the subscript.
#[test]
fn casts_that_change_numbers() {
    // Cut to 32 bits where nobody knows how far the loop goes.
    stays(
        "affine.for %i = 0 to %n {
%t = arith.index_cast %i : index to i32
%k = arith.index_cast %t : i32 to index
memref.store %f1, %a[%k] : memref<?xf32>
}",
    );
    // Elements 0 and 64 times 4 are one in 8 bits; 0 to 31 are told apart.
    let times = |end: u32| {
        format!(
            "%four = arith.constant 4 : i8
affine.for %i = 0 to {end} {{
%t = arith.index_cast %i : index to i8
%u = arith.muli %t, %four : i8
%k = arith.index_cast %u : i8 to index
memref.store %f1, %a[%k] : memref<?xf32>
}}"
        )
    };
    stays(&times(100));
    is_parallel(&times(30));
    // -10 is 246 without its sign, which the next iteration reads.
    stays(
        "affine.for %i = -10 to 10 {
%t = arith.index_cast %i : index to i8
%k = arith.index_castui %t : i8 to index
%x = affine.load %a[%i + 255] : memref<?xf32>
memref.store %x, %a[%k] : memref<?xf32>
}",
    );
}

/// Quotients that round up are what those that round down are where nothing is left.
#[test]
fn quotients_that_round_up() {
    let halves = |step: u32| {
        format!(
            "%c2 = arith.constant 2 : index
affine.for %i = 0 to %n step {step} {{
%k = arith.ceildivsi %i, %c2 : index
%x = affine.load %a[%i floordiv 2] : memref<?xf32>
memref.store %x, %a[%k] : memref<?xf32>
}}"
        )
    };
    is_parallel(&halves(2));
    stays(&halves(1));
}

/// One iteration that a condition, or the last one of a loop outside, lets through decides.
#[test]
fn one_iteration_more() {
    for (predicate, bound, iterations) in
        [("slt", 1, 1), ("slt", 2, 2), ("sle", 0, 1), ("sle", 1, 2)]
    {
        let body = format!(
            "%bound = arith.constant {bound} : index
affine.for %i = 0 to %n {{
%k = arith.cmpi {predicate}, %i, %bound : index
scf.if %k {{
affine.store %f1, %a[3] : memref<?xf32>
}}
}}"
        );
        if iterations > 1 { stays(&body) } else { is_parallel(&body) }
    }
    // Only where %i is 9 does the inner loop read what another of its iterations writes.
    stays(
        "affine.for %i = 0 to 10 {
affine.for %j = 0 to 10 {
%x = affine.load %a[%j - %i + 18] : memref<?xf32>
affine.store %x, %a[%j] : memref<?xf32>
}
}",
    );
}

/// Memory whose address was taken is what a pointer may point to; memory whose address nobody has is not.
#[test]
fn addresses_that_were_given_away() {
    let loop_over = |before: &str, taken: &str| {
        format!(
            "%w = memref.alloca() : memref<64xf32>
%g = memref.get_global @g : memref<64xf32>
{before}
%address = arith.index_cast %h : index to i64
%o = ptr.from_address generic %address : memref<?xf32>
affine.for %i = 1 to 64 {{
%x = affine.load %{taken}[%i - 1] : memref<64xf32>
affine.store %x, %o[%i] : memref<?xf32>
}}"
        )
    };
    let number =
        "%t = memref.load %p[%c0] : memref<?xi32>\n%h = arith.index_cast %t : i32 to index";
    is_parallel(&loop_over(number, "w"));
    stays(&loop_over(number, "g"));
    stays(&loop_over(
        "%h = memref.extract_aligned_pointer_as_index %w : memref<64xf32> -> index",
        "w",
    ));
    // Of a view; the buffer has another user that gives nothing away.
    stays(&loop_over(
        "memref.store %f1, %w[%c0] : memref<64xf32>
%v = memref.cast %w : memref<64xf32> to memref<?xf32>
%h = memref.extract_aligned_pointer_as_index %v : memref<?xf32> -> index",
        "w",
    ));
}

/// A buffer that may be one of several is none of them for certain; a local one is never a variable.
#[test]
fn buffers_that_are_chosen() {
    let copy = |to: &str| {
        format!(
            "%t = memref.alloca() : memref<64xf32>
%g = memref.get_global @g : memref<64xf32>
%y = memref.load %p[%c0] : memref<?xi32>
%q = arith.trunci %y : i32 to i1
%h = arith.select %q, %g, %t : memref<64xf32>
affine.for %i = 1 to 64 {{
%x = affine.load %t[%i - 1] : memref<64xf32>
affine.store %x, %{to}[%i] : memref<64xf32>
}}"
        )
    };
    is_parallel(&copy("g"));
    stays(&copy("h"));
}

/// What is at an address that each iteration computes may be the same memory each time.
#[test]
fn addresses_of_each_iteration() {
    let store = |place: &str, inside: &str| {
        format!(
            "%c8 = arith.constant 8 : index
{place}
affine.for %i = 0 to 64 {{
{inside}
affine.store %f1, %o[%i] : memref<?xf32>
}}"
        )
    };
    let of = |value: &str| {
        format!(
            "%address = arith.index_cast {value} : index to i64
%o = ptr.from_address %address : memref<?xf32>"
        )
    };
    is_parallel(&store(&of("%c8"), ""));
    stays(&store("", &format!("%down = arith.subi %c8, %i : index\n{}", of("%down"))));
}

/// Updates at places that only the device knows are one atomic step each where their order does not matter.
#[test]
fn updates_by_an_index_array() {
    let update = |combination: &str, behind: &str| {
        format!(
            "affine.for %i = 0 to %n {{
%c = affine.load %p[%i] : memref<?xi32>
%h = arith.index_cast %c : i32 to index
%x = memref.load %counts[%h] : memref<?xi32>
{combination}
memref.store %y, %counts[%h] : memref<?xi32>
{behind}
}}"
        )
    };
    for combination in [
        "addi %x, %c",
        "addi %c, %x",
        "subi %x, %c",
        "muli %x, %c",
        "andi %x, %c",
        "ori %c, %x",
        "maxsi %x, %c",
        "minui %c, %x",
    ] {
        is_parallel(&update(&format!("%y = arith.{combination} : i32"), ""));
    }
    let sum = "%y = arith.addi %x, %c : i32";
    // What is read between, and of another variable, disturbs nobody.
    is_parallel(&update(&format!("%f = memref.load %s[] : memref<f32>\n{sum}"), ""));
    let stays = |combination: &str, behind: &str| stays(&update(combination, behind));
    stays("%y = arith.subi %c, %x : i32", "");
    // MLIR has no such step.
    stays("%y = arith.xori %x, %c : i32", "");
    stays("%y = arith.addi %x, %x : i32", "");
    // The element, or the sum, is looked at by others.
    stays(sum, "affine.store %x, %p[%i] : memref<?xi32>");
    stays(sum, "affine.store %y, %p[%i] : memref<?xi32>");
    stays(
        sum,
        "%z = affine.load %counts[0] : memref<?xi32>\naffine.store %z, %p[%i] : memref<?xi32>",
    );
    // Between the read and the write, and behind them, elements of the same variable are written.
    stays(&format!("memref.store %c, %counts[%c0] : memref<?xi32>\n{sum}"), "");
    stays(
        &format!("scf.if %t {{ memref.store %c, %counts[%h] : memref<?xi32> }}\n{sum}")
            .replace("scf.if", "%t = arith.cmpi slt, %c, %x : i32\nscf.if"),
        "",
    );
    stays(sum, "memref.store %c, %counts[%h] : memref<?xi32>");
    // Of another element than the one that is written.
    stays(
        "%o = arith.addi %h, %c1 : index\n%w = memref.load %counts[%o] : memref<?xi32>\n%y = arith.addi %w, %c : i32",
        "",
    );
    // The place itself changes from iteration to iteration.
    stays(sum, "%o = arith.addi %i, %c1 : index\nmemref.store %y, %p[%o] : memref<?xi32>");
    // A product and a sum of one element do not change places; a difference and a sum do.
    let second = |combination: &str| {
        format!(
            "%k = arith.addi %h, %c1 : index
%u = memref.load %counts[%k] : memref<?xi32>
%w = arith.{combination} %u, %c : i32
memref.store %w, %counts[%k] : memref<?xi32>"
        )
    };
    is_parallel(&update(sum, &second("subi")));
    stays(sum, &second("muli"));
    let product = "memref.atomic_rmw muli %c, %counts[%h] : (i32, memref<?xi32>) -> i32";
    stays(sum, &format!("%z = {product}"));
}
