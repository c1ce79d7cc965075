//! Which loops the parallel stage makes parallel, what it says, and which kernels come out.

mod remarks;

use expect_test::{Expect, expect};
use remarks::run;

/// Text of a `kernels` region over arrays `a` and `b` and a scalar `s`, for `body` with `%n` and
/// constants.
fn kernels(body: &str) -> String {
    format!(
        "func.func @f(%n: index, %m: index, %a: memref<?xf32> {{offload.name = \"a\", offload.map = \"copy\"}}, %b: memref<?x64xf32> {{offload.name = \"b\", offload.map = \"copy\"}}, %p: memref<?xi32> {{offload.name = \"p\", offload.map = \"copyin\"}}, %s: memref<f32> {{offload.name = \"s\", offload.map = \"copy\"}}) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%f1 = arith.constant 1.0 : f32
offload.region kernels {{
{body}
}}
return
}}"
    )
}

/// What is said about a body; its first line is line 6.
fn said(body: &str, expected: Expect) {
    let (_, said) = run("promote-scalars,mem2reg,canonicalize,recognize-parallel", &kernels(body));
    expected.assert_eq(&said);
}

#[test]
fn independent_iterations() {
    said(
        "affine.for %i = 0 to %n {\naffine.store %f1, %a[%i] : memref<?xf32>\n}",
        expect![[r#"
        6: remark: Loop is parallelizable
    "#]],
    );
    // Even elements are written, odd ones read.
    said(
        "affine.for %i = 0 to %n {
%x = affine.load %a[2 * %i + 1] : memref<?xf32>
affine.store %x, %a[2 * %i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: Loop is parallelizable
        "#]],
    );
    // Different arrays; a triangle of one.
    said(
        "affine.for %i = 0 to %n {
affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
%x = affine.load %b[%i, 5] : memref<?x64xf32>
affine.store %x, %a[%j] : memref<?xf32>
}
}",
        expect![[r#"
            6: remark: Loop carried reuse of a prevents parallelization
                the write in line 9 touches the element of a that the write in line 9 of another iteration touched
            7: remark: Loop is parallelizable
                if a and b do not overlap, tested at run time: two versions made
        "#]],
    );
    // A loop of step 4 that writes blocks of 4.
    said(
        "affine.for %i = 0 to %n step 4 {
affine.for %j = 0 to 4 {
affine.store %f1, %a[%i + %j] : memref<?xf32>
}
}",
        expect![[r#"
            6: remark: Loop is parallelizable
            7: remark: Loop is parallelizable, left sequential in each thread
        "#]],
    );
}

#[test]
fn dependences_are_named() {
    said(
        "affine.for %i = 1 to %n {
%x = affine.load %a[%i - 1] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: Loop carried dependence of a prevents parallelization
                the read in line 7 touches the element of a that the write in line 8 of the iteration before touched
        "#]],
    );
    said(
        "affine.for %i = 0 to %n {
%x = affine.load %a[%i + 3] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: Loop carried backward dependence of a prevents parallelization
                the write in line 8 touches the element of a that the read in line 7 of 3 iterations before touched
        "#]],
    );
    said(
        "affine.for %i = 0 to %n {
%k = memref.load %p[%i] : memref<?xi32>
%l = arith.index_cast %k : i32 to index
memref.store %f1, %a[%l] : memref<?xf32>
}",
        expect![[r#"
            6: remark: Complex loop carried dependence of a prevents parallelization
                the write in line 9 may touch the element of a that the write in line 9 of another iteration touched
        "#]],
    );
    said(
        "affine.for %i = 0 to %n {\naffine.store %f1, %a[0] : memref<?xf32>\n}",
        expect![[r#"
        6: remark: Loop carried reuse of a prevents parallelization
            the write in line 7 touches the element of a that the write in line 7 of another iteration touched
    "#]],
    );
    said(
        "affine.for %i = 0 to %n {
%x = affine.load %a[%i + symbol(%m)] : memref<?xf32>
affine.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: remark: Loop carried backward dependence of a prevents parallelization
                the write in line 8 touches the element of a that the read in line 7 of another iteration touched
        "#]],
    );
}

/// Vectors of elements: what one iteration touches must not reach into the next one's.
#[test]
fn vector_accesses() {
    let by = |step: u32| {
        format!(
            "affine.for %i = 0 to %n step {step} {{
%x = affine.vector_load %a[%i] : memref<?xf32>, vector<4xf32>
affine.vector_store %x, %b[%i, 0] : memref<?x64xf32>, vector<4xf32>
affine.vector_store %x, %a[%i] : memref<?xf32>, vector<4xf32>
}}"
        )
    };
    said(
        &by(4),
        expect![[r#"
            6: remark: Loop is parallelizable
                if a and b do not overlap, tested at run time: two versions made
        "#]],
    );
    said(
        &by(2),
        expect![[r#"
        6: remark: Loop carried backward dependence of a prevents parallelization
            the write in line 9 touches the element of a that the read in line 7 of the iteration before touched
    "#]],
    );
    // In rows, and by plain subscripts.
    said(
        "affine.for %i = 0 to %n {
%x = vector.load %b[%i, %c0] : memref<?x64xf32>, vector<64xf32>
vector.store %x, %b[%i, %c0] : memref<?x64xf32>, vector<64xf32>
}",
        expect![[r#"
            6: remark: Loop is parallelizable
        "#]],
    );
    // Two rows at once.
    said(
        "affine.for %i = 0 to %n {
%x = vector.load %b[%i, %c0] : memref<?x64xf32>, vector<2x64xf32>
vector.store %x, %b[%i, %c0] : memref<?x64xf32>, vector<2x64xf32>
}",
        expect![[r#"
            6: remark: Complex loop carried dependence of b prevents parallelization
                the write in line 8 may touch the element of b that the read in line 7 of another iteration touched
        "#]],
    );
}

/// A view that is made in the loop is another one each time: it may move against the subscript.
#[test]
fn views_that_move() {
    said(
        "affine.for %i = 0 to %n {
%t = arith.subi %m, %i : index
%v = memref.subview %a[%t] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
memref.store %f1, %v[%i] : memref<?xf32, strided<[1], offset: ?>>
}",
        expect![[r#"
            6: remark: Complex loop carried dependence of a prevents parallelization
                the write in line 9 may touch the element of a that the write in line 9 of another iteration touched
        "#]],
    );
    said(
        "affine.for %i = 0 to %n {
%v = memref.subview %a[%i] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1], offset: ?>>
%x = memref.load %v[%c1] : memref<2xf32, strided<[1], offset: ?>>
memref.store %x, %v[%c0] : memref<2xf32, strided<[1], offset: ?>>
}",
        expect![[r#"
            6: remark: Complex loop carried dependence of a prevents parallelization
                the write in line 9 may touch the element of a that the read in line 8 of another iteration touched
        "#]],
    );
}

/// Atomic updates do not mind each other, but plain accesses do, in either order.
#[test]
fn atomic_and_plain() {
    let body = |accesses: &str| {
        format!(
            "affine.for %i = 0 to %n {{
%k = memref.load %p[%i] : memref<?xi32>
%l = arith.index_cast %k : i32 to index
{accesses}
}}"
        )
    };
    let atomic = "%o = memref.atomic_rmw addf %f1, %a[%l] : (f32, memref<?xf32>) -> f32";
    let read =
        "%x = memref.load %a[%i] : memref<?xf32>\naffine.store %x, %b[%i, 0] : memref<?x64xf32>";
    let write = "memref.store %f1, %a[%i] : memref<?xf32>";
    said(
        &body(&format!("{atomic}\n{atomic}").replacen("%o", "%q", 1)),
        expect![[r#"
        6: remark: Loop is parallelizable
            if a and p do not overlap, tested at run time: two versions made
    "#]],
    );
    said(
        &body(&format!("{atomic}\n{write}")),
        expect![[r#"
        6: remark: Complex loop carried dependence of a prevents parallelization
            the write in line 10 may touch the element of a that the atomic update in line 9 of another iteration touched
    "#]],
    );
    said(
        &body(&format!("{read}\n{atomic}")),
        expect![[r#"
        6: remark: Complex loop carried dependence of a prevents parallelization
            the atomic update in line 11 may touch the element of a that the read in line 9 of another iteration touched
    "#]],
    );
    // Of another variable, which may be the same memory.
    let text = kernels(
        "affine.for %i = 0 to %n {
%o = memref.atomic_rmw addf %f1, %q[%i] : (f32, memref<?xf32>) -> f32
memref.store %f1, %a[%i] : memref<?xf32>
}",
    )
    .replace(
        "%p: memref<?xi32>",
        "%q: memref<?xf32> {offload.name = \"q\", offload.map = \"deviceptr\"}, %p: memref<?xi32>",
    );
    expect![[r#"
        6: remark: Complex loop carried dependence of q prevents parallelization
            the write in line 8 may touch the element of q that the atomic update in line 7 of another iteration touched
    "#]].assert_eq(&run("recognize-parallel", &text).1);
}

/// Pointers to device memory are not told apart by the data environment: nothing tests whether they
/// overlap, so nothing may rely on it.
#[test]
fn device_pointers_may_overlap() {
    let body = "affine.for %i = 0 to %n {
%x = affine.load %b[%i, 0] : memref<?x64xf32>
affine.store %x, %a[%i] : memref<?xf32>
}";
    let check = |a: &str, b: &str, expected: Expect| {
        let text = kernels(body)
            .replace("\"a\", offload.map = \"copy\"", &format!("\"a\", offload.map = \"{a}\""))
            .replace("\"b\", offload.map = \"copy\"", &format!("\"b\", offload.map = \"{b}\""));
        expected.assert_eq(&run("recognize-parallel", &text).1);
    };
    check(
        "copy",
        "copy",
        expect![[r#"
        6: remark: Loop is parallelizable
            if a and b do not overlap, tested at run time: two versions made
    "#]],
    );
    check(
        "deviceptr",
        "copy",
        expect![[r#"
        6: remark: Complex loop carried dependence of b prevents parallelization
            the write in line 8 may touch the element of b that the read in line 7 of another iteration touched
    "#]],
    );
    check(
        "copy",
        "deviceptr",
        expect![[r#"
        6: remark: Complex loop carried dependence of b prevents parallelization
            the write in line 8 may touch the element of b that the read in line 7 of another iteration touched
    "#]],
    );
    check(
        "deviceptr",
        "deviceptr",
        expect![[r#"
        6: remark: Complex loop carried dependence of b prevents parallelization
            the write in line 8 may touch the element of b that the read in line 7 of another iteration touched
    "#]],
    );
}

/// Accesses that differ by constants, in numbers that would be too many for a question each.
#[test]
fn many_accesses() {
    let stores = |count: usize, subscript: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..count)
            .map(|k| format!("affine.store %f1, %a[{}] : memref<?xf32>", subscript(k)))
            .collect();
        format!("affine.for %i = 0 to %n {{\n{}\n}}", all.join("\n"))
    };
    // Each iteration has a block of its own.
    said(
        &stores(4000, &|k| format!("4000 * %i + {k}")),
        expect![[r#"
        6: remark: Loop is parallelizable
    "#]],
    );
    // The last one reaches into the next block.
    said(
        &stores(4000, &|k| format!("4000 * %i + {}", if k == 3999 { 4001 } else { k })),
        expect![[r#"
            6: remark: Loop carried reuse of a prevents parallelization
                the write in line 8 touches the element of a that the write in line 4006 of the iteration before touched
        "#]],
    );
    // Rows far apart, in a loop that does not run that far.
    said(
        &stores(2000, &|k| format!("%i + {}", 1000 * k)).replace("to %n", "to 1000"),
        expect![[r#"
            6: remark: Loop is parallelizable
        "#]],
    );
    said(
        &stores(2000, &|k| format!("%i + {}", 1000 * k)).replace("to %n", "to 1001"),
        expect![[r#"
            6: remark: Loop carried reuse of a prevents parallelization
                the write in line 7 touches the element of a that the write in line 8 of 1000 iterations before touched
        "#]],
    );
}

#[test]
fn scalars() {
    let update = |op: &str| {
        format!(
            "affine.for %i = 0 to %n {{
%x = affine.load %a[%i] : memref<?xf32>
%old = memref.load %s[] : memref<f32>
{op}
memref.store %new, %s[] : memref<f32>
}}"
        )
    };
    said(
        &update("%new = arith.addf %old, %x : f32"),
        expect![[r#"
            5: remark: Scalars are kept in registers
                if s and a do not overlap, tested at run time: two versions made
            6: remark: Loop is parallelizable
            6: remark: Generating implicit reduction(+:s)
        "#]],
    );
    said(
        &update("%new = arith.subf %old, %x : f32"),
        expect![[r#"
            5: remark: Scalars are kept in registers
                if s and a do not overlap, tested at run time: two versions made
            6: remark: Loop is parallelizable
            6: remark: Generating implicit reduction(+:s)
        "#]],
    );
    said(
        &update(
            "%less = arith.cmpf olt, %x, %old : f32\n%new = arith.select %less, %x, %old : f32",
        ),
        expect![[r#"
            5: remark: Scalars are kept in registers
                if s and a do not overlap, tested at run time: two versions made
            6: remark: Loop is parallelizable
            6: remark: Generating implicit reduction(min:s)
        "#]],
    );
    said(
        &update("%d = arith.addf %old, %x : f32\n%new = arith.mulf %d, %x : f32"),
        expect![[r#"
            5: remark: Scalars are kept in registers
                if s and a do not overlap, tested at run time: two versions made
            6: remark: Loop carried scalar dependence for s prevents parallelization
        "#]],
    );
    said(
        &update("%new = arith.subf %x, %old : f32"),
        expect![[r#"
            5: remark: Scalars are kept in registers
                if s and a do not overlap, tested at run time: two versions made
            6: remark: Loop carried scalar dependence for s prevents parallelization
        "#]],
    );
    said(
        &update("%new = arith.addf %x, %x : f32"),
        expect![[r#"
            5: remark: Scalars are kept in registers
                if s and a do not overlap, tested at run time: two versions made
            6: remark: Loop is parallelizable
        "#]],
    );
}

/// The last iteration stores what is set anew by each.
#[test]
fn last_values() {
    let text = kernels(
        "affine.for %i = 3 to %n step 2 {
%x = affine.load %a[%i] : memref<?xf32>
memref.store %x, %s[] : memref<f32>
%y = memref.load %s[] : memref<f32>
affine.store %y, %b[%i, 0] : memref<?x64xf32>
}",
    );
    let passes = "promote-scalars,mem2reg,canonicalize,recognize-parallel,canonicalize,cse";
    expect![[r#"
        module {
          func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x64xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<?xi32> {offload.map = "copyin", offload.name = "p"}, %arg5: memref<f32> {offload.map = "copy", offload.name = "s"}) {
            %c2 = arith.constant 2 : index
            %0 = offload.disjoint %arg5, %arg2 : memref<f32>, memref<?xf32>
            %1 = offload.disjoint %arg5, %arg3 : memref<f32>, memref<?x64xf32>
            %2 = arith.andi %0, %1 : i1
            %3 = offload.disjoint %arg2, %arg3 : memref<?xf32>, memref<?x64xf32>
            %4 = arith.andi %2, %3 : i1
            scf.if %4 {
              offload.region kernels {
                affine.parallel (%arg6) = (3) to (symbol(%arg0)) step (2) {
                  %5 = arith.addi %arg6, %c2 : index
                  %6 = arith.cmpi sge, %5, %arg0 : index
                  %7 = affine.load %arg2[%arg6] : memref<?xf32>
                  affine.store %7, %arg3[%arg6, 0] : memref<?x64xf32>
                  scf.if %6 {
                    memref.store %7, %arg5[] : memref<f32>
                  }
                } {offload.schedule = []}
              }
            } else {
              offload.region kernels attributes {offload.fallback} {
                affine.for %arg6 = 3 to %arg0 step 2 {
                  %5 = affine.load %arg2[%arg6] : memref<?xf32>
                  memref.store %5, %arg5[] : memref<f32>
                  %6 = memref.load %arg5[] : memref<f32>
                  affine.store %6, %arg3[%arg6, 0] : memref<?x64xf32>
                }
              }
            }
            return
          }
        }
    "#]].assert_eq(&run(passes, &text).0);
}

/// Inside a parallel loop, another pays if its iterations touch consecutive elements.
#[test]
fn inner_loops() {
    // Consecutive along j: vector. Along i: left.
    said(
        "affine.for %i = 0 to %n {
affine.for %j = 0 to 64 {
affine.store %f1, %b[%i, %j] : memref<?x64xf32>
}
}",
        expect![[r#"
            6: remark: Loop is parallelizable
            7: remark: Loop is parallelizable
        "#]],
    );
    said(
        "affine.for %j = 0 to 64 {
affine.for %i = 0 to %n {
affine.store %f1, %b[%i, %j] : memref<?x64xf32>
}
}",
        expect![[r#"
            6: remark: Loop is parallelizable
            7: remark: Loop is parallelizable
        "#]],
    );
}

#[test]
fn wrong_independent_is_refuted() {
    let check = |body: &str, expected: Expect| {
        let text = kernels(body);
        expected.assert_eq(&run("raise-loops,raise-affine,check-independent", &text).1);
    };
    check(
        "offload.loop independent gang (%i) = (%c1) to (%n) step (%c1) {
%h = arith.subi %i, %c1 : index
%x = memref.load %a[%h] : memref<?xf32>
memref.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: warning: the iterations of this parallel loop are not independent: the read in line 8 touches the element of a that the write in line 9 of the iteration before touched
        "#]],
    );
    check(
        "offload.loop independent gang (%i) = (%c1) to (%n) step (%c1) {
memref.store %f1, %s[] : memref<f32>
%x = memref.load %s[] : memref<f32>
memref.store %x, %a[%i] : memref<?xf32>
}",
        expect![[r#"
            6: warning: the iterations of this parallel loop are not independent: the write in line 7 touches the element of s that the write in line 7 of another iteration touched
                add `private(s)` or `reduction(...:s)` to the loop
        "#]],
    );
    // Not certain: the program may know better.
    check(
        "offload.loop independent gang (%i) = (%c1) to (%n) step (%c1) {
%h = arith.addi %i, %m : index
%x = memref.load %a[%h] : memref<?xf32>
memref.store %x, %a[%i] : memref<?xf32>
}",
        expect![[""]],
    );
}

#[test]
fn mapping_errors() {
    let check = |text: &str, expected: Expect| expected.assert_eq(&run("raise-loops,map", text).1);
    let nest = |outer: &str, inner: &str, clauses: &str| {
        format!(
            "func.func @f(%a: memref<?xf32>, %s: memref<f32>) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%size = arith.constant 600 : i32
offload.region parallel {clauses} {{
offload.loop {outer} (%i) = (%c0) to (%c1) step (%c1) {{
offload.loop {inner} (%j) = (%c0) to (%c1) step (%c1) {{
memref.store %s1, %a[%j] : memref<?xf32>
}}
}}
}}
return
}}"
        )
        .replace("memref.store %s1", "%s1 = arith.constant 1.0 : f32\nmemref.store %s1")
    };
    check(
        &nest("independent worker", "independent gang", ""),
        expect![[r#"
        7: error: a gang loop cannot stand inside a worker loop
            levels go from gang over worker to vector, from the outside in
    "#]],
    );
    check(
        &nest("independent vector", "independent vector", ""),
        expect![[r#"
        7: error: a vector loop cannot stand inside a vector loop
            levels go from gang over worker to vector, from the outside in
    "#]],
    );
    check(
        &nest(
            "independent gang worker",
            "independent vector",
            "num_workers(%size : i32) vector_length(%size : i32)",
        ),
        expect![[r#"
            4: error: 600 workers of vector length 600 are 360000 threads; a gang has 1 to 1024
                ask for fewer, or leave the numbers out to have them chosen
        "#]],
    );
    check(
        &nest("independent gang", "independent vector", ""),
        expect![[r#"
            5: remark: Generating GPU code
            6: remark: #pragma acc loop gang /* blockIdx.x */
            7: remark: #pragma acc loop vector(32) /* threadIdx.x */
        "#]],
    );
}

/// A region of a loop, a scalar and a loop: three kernels, the sum finished in the second.
#[test]
fn kernels_of_a_region() {
    let text = kernels(
        "affine.for %i = 0 to %n {
%x = affine.load %a[%i] : memref<?xf32>
%old = memref.load %s[] : memref<f32>
%new = arith.addf %old, %x : f32
memref.store %new, %s[] : memref<f32>
}
affine.for %i = 0 to %n {
%x = memref.load %s[] : memref<f32>
affine.store %x, %a[%i] : memref<?xf32>
}",
    );
    let passes = "promote-scalars,mem2reg,canonicalize,recognize-parallel,canonicalize,cse,map,outline,canonicalize,cse";
    expect![[r#"
        module attributes {gpu.container_module} {
          func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg3: memref<?x64xf32> {offload.map = "copy", offload.name = "b"}, %arg4: memref<?xi32> {offload.map = "copyin", offload.name = "p"}, %arg5: memref<f32> {offload.map = "copy", offload.name = "s"}) {
            %c2147483648 = arith.constant 2147483648 : index
            %c2147483647 = arith.constant 2147483647 : index
            %c1024 = arith.constant 1024 : index
            %c0 = arith.constant 0 : index
            %c256 = arith.constant 256 : index
            %c1 = arith.constant 1 : index
            %0 = offload.disjoint %arg5, %arg2 : memref<f32>, memref<?xf32>
            scf.if %0 {
              %1 = arith.maxsi %arg0, %c0 : index
              %2 = arith.ceildivsi %1, %c256 : index
              %3 = arith.minsi %2, %c1024 : index
              %4 = arith.maxsi %3, %c1 : index
              %memref = gpu.alloc  (%4) : memref<?xf32>
              %5 = offload.tickets : memref<1xi32>
              gpu.launch_func  @kernels::@f_kernel_0 blocks in (%4, %c1, %c1) threads in (%c256, %c1, %c1)  args(%memref : memref<?xf32>, %5 : memref<1xi32>, %arg0 : index, %arg2 : memref<?xf32>, %arg5 : memref<f32>)
              scf.for %arg6 = %c0 to %arg0 step %c2147483648 {
                %6 = arith.addi %arg6, %c2147483648 : index
                %7 = arith.minsi %6, %arg0 : index
                %8 = arith.subi %7, %arg6 : index
                %9 = arith.cmpi slt, %arg6, %7 : index
                %10 = arith.select %9, %8, %c0 : index
                %11 = arith.maxsi %10, %c0 : index
                %12 = arith.ceildivsi %11, %c256 : index
                %13 = arith.minsi %12, %c2147483647 : index
                gpu.launch_func  @kernels::@f_kernel_1 blocks in (%13, %c1, %c1) threads in (%c256, %c1, %c1)  args(%arg6 : index, %7 : index, %arg0 : index, %arg5 : memref<f32>, %arg2 : memref<?xf32>)
              }
              gpu.dealloc  %memref : memref<?xf32>
            } else {
              gpu.launch_func  @kernels::@f_fallback_kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)  args(%arg0 : index, %arg2 : memref<?xf32>, %arg5 : memref<f32>)
            }
            return
          }
          gpu.module @kernels {
            gpu.func @f_kernel_0(%arg0: memref<?xf32> {offload.partial_results = 0 : i64}, %arg1: memref<1xi32> {offload.tickets}, %arg2: index, %arg3: memref<?xf32> {offload.map = "copy", offload.name = "a", offload.storage = "exclusive"}, %arg4: memref<f32> {offload.map = "copy", offload.name = "s", offload.storage = "exclusive"}) kernel attributes {known_block_size = array<i32: 256, 1, 1>, offload.collective} {
              %0 = affine.parallel (%arg5) = (0) to (symbol(%arg2)) reduce ("addf") -> (f32) {
                %3 = affine.load %arg3[%arg5] : memref<?xf32>
                affine.yield %3 : f32
              } {mapping = [#offload.map<block_x * thread_x(256), strided>]}
              %1 = memref.load %arg4[] : memref<f32>
              %2 = arith.addf %1, %0 fastmath<contract> : f32
              memref.store %2, %arg4[] : memref<f32>
              gpu.return
            }
            gpu.func @f_kernel_1(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<f32> {offload.map = "copy", offload.name = "s", offload.storage = "exclusive"}, %arg4: memref<?xf32> {offload.map = "copy", offload.name = "a", offload.storage = "exclusive"}) kernel attributes {known_block_size = array<i32: 256, 1, 1>, offload.collective} {
              affine.parallel (%arg5) = (symbol(%arg0)) to (symbol(%arg1)) {
                %0 = memref.load %arg3[] : memref<f32>
                affine.store %0, %arg4[%arg5] : memref<?xf32>
              } {mapping = [#offload.map<block_x * thread_x(256)>]}
              gpu.return
            }
            gpu.func @f_fallback_kernel(%arg0: index, %arg1: memref<?xf32> {offload.map = "copy", offload.name = "a"}, %arg2: memref<f32> {offload.map = "copy", offload.name = "s"}) kernel attributes {known_block_size = array<i32: 1, 1, 1>, offload.collective} {
              affine.for %arg3 = 0 to %arg0 {
                %0 = affine.load %arg1[%arg3] : memref<?xf32>
                %1 = memref.load %arg2[] : memref<f32>
                %2 = arith.addf %1, %0 : f32
                memref.store %2, %arg2[] : memref<f32>
              }
              affine.for %arg3 = 0 to %arg0 {
                %0 = memref.load %arg2[] : memref<f32>
                affine.store %0, %arg1[%arg3] : memref<?xf32>
              }
              gpu.return
            }
          }
        }
    "#]].assert_eq(&run(passes, &text).0);
}
