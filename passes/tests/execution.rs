//! Compute regions of every shape compute the same as kernels as they do in order.

mod remarks;

use gpuc_interp::{Comparison, Order, check_same};
use gpuc_passes::pipelines;
use remarks::{parse, run};

/// The compiler's stages from what the C reader makes to control flow graphs.
fn stages() -> String {
    let stages = [pipelines::SOURCE, pipelines::RAISE, pipelines::PARALLEL, pipelines::LOWER];
    stages.join(",").replace("$arch", "sm_90")
}

/// Runs a function `@main` before and after all stages on several random inputs.
fn check(text: &str, extent: i64) {
    let (lowered, said) = run(&stages(), text);
    assert!(!said.contains("error"), "{said}in\n{text}");
    let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
    for (seed, order) in [(1, Order::Forwards), (2, Order::Backwards)] {
        let mut comparison = Comparison::new("main", seed);
        comparison.extent = extent;
        comparison.tolerance = 1e-4;
        comparison.options.order = order;
        check_same((&before, before_module), (&after, after_module), &comparison)
            .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{lowered}"));
    }
}

const CONSTANTS: &str = "%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %n = arith.constant N : index";

/// Sizes of a `parallel` region: gangs, workers, vector length; absent where 0.
type Shape = (i64, i64, i64);

fn sizes((gangs, workers, lanes): Shape) -> (String, String) {
    let (mut constants, mut clauses) = (String::new(), String::new());
    for (name, size) in [("num_gangs", gangs), ("num_workers", workers), ("vector_length", lanes)] {
        if size > 0 {
            constants += &format!("%{name} = arith.constant {size} : i32\n");
            clauses += &format!(" {name}(%{name} : i32)");
        }
    }
    (constants, clauses)
}

fn region(arguments: &str, construct: &str, shape: Shape, n: i64, body: &str) -> String {
    let (constants, clauses) = sizes(shape);
    let values = CONSTANTS.replace('N', &n.to_string());
    format!(
        "func.func @main({arguments}) {{\n{constants}{values}\n\
         offload.region {construct}{clauses} {{\n{body}\n}}\nreturn\n}}"
    )
}

const SHAPES: [Shape; 6] = [(0, 0, 0), (1, 1, 1), (3, 1, 7), (2, 3, 5), (0, 4, 32), (1, 2, 1)];
const COUNTS: [i64; 4] = [0, 1, 37, 300];

fn operators() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("add", "i32", "arith.addi"),
        ("add", "f32", "arith.addf"),
        ("max", "f64", "arith.maxnumf"),
        ("min", "i64", "arith.minsi"),
        ("mul", "i32", "arith.muli"),
        ("max", "i32", "arith.maxsi"),
        ("min", "f32", "arith.minnumf"),
        ("add", "i64", "arith.addi"),
        ("add", "f64", "arith.addf"),
    ]
}

#[test]
fn one_loop_on_every_level() {
    let arguments = "%a: memref<?xi32>, %b: memref<?xi32>";
    for levels in [
        "",
        "gang",
        "worker",
        "vector",
        "gang worker",
        "gang vector",
        "worker vector",
        "gang worker vector",
    ] {
        for (i, shape) in SHAPES.into_iter().enumerate() {
            for n in [COUNTS[i % 4], COUNTS[(i + levels.len()) % 4]] {
                let body = format!(
                    "offload.loop independent {levels} (%i) = (%c0) to (%n) step (%c3) {{
                       %x = memref.load %a[%i] : memref<?xi32>
                       %y = arith.addi %x, %x : i32
                       memref.store %y, %b[%i] : memref<?xi32>
                     }}"
                );
                check(&region(arguments, "parallel", shape, n, &body), n.max(1));
            }
        }
    }
}

#[test]
fn reductions_on_every_level() {
    for (i, levels) in [
        "gang",
        "worker",
        "vector",
        "gang worker",
        "gang vector",
        "worker vector",
        "gang worker vector",
    ]
    .into_iter()
    .enumerate()
    {
        for (j, (name, ty, op)) in operators().into_iter().enumerate() {
            // Every level meets every operator, shape and count; not every combination of all.
            let shape = SHAPES[(i + j) % SHAPES.len()];
            let n = COUNTS[(i + 2 * j) % COUNTS.len()];
            let arguments = format!("%a: memref<?x{ty}>, %s: memref<{ty}>");
            let body = format!(
                "offload.loop independent {levels} (%i) = (%c0) to (%n) step (%c1) reduction({name} %s : memref<{ty}>) {{
                   %x = memref.load %a[%i] : memref<?x{ty}>
                   %old = memref.load %s[] : memref<{ty}>
                   %new = {op} %old, %x : {ty}
                   memref.store %new, %s[] : memref<{ty}>
                 }}"
            );
            check(&region(&arguments, "parallel", shape, n, &body), n.max(1));
        }
    }
}

/// A reduction over the inner loop for each iteration of the outer one, and one over both.
#[test]
fn nested_reductions() {
    for (outer, inner) in [
        ("gang", "vector"),
        ("gang", "worker vector"),
        ("gang worker", "vector"),
        ("worker", "vector"),
        ("gang", "worker"),
        ("seq", "gang vector"),
        ("", ""),
        ("gang vector", "seq"),
    ] {
        for shape in SHAPES {
            let order = |levels: &str| match levels {
                "seq" => "seq".to_owned(),
                levels => format!("independent {levels}"),
            };
            if outer == "seq" {
                // A reduction over gangs inside another loop is refused.
                continue;
            }
            for both in [false, true] {
                let (outer_clause, update) = match both {
                    true => (
                        "reduction(add %s : memref<f32>)",
                        "%o = memref.load %s[] : memref<f32>
                         %p = arith.addf %o, %r : f32
                         memref.store %p, %s[] : memref<f32>",
                    ),
                    false => ("", "memref.store %r, %y[%i] : memref<?xf32>"),
                };
                let body = format!(
                    "offload.loop {} (%i) = (%c0) to (%n) step (%c1) {outer_clause} {{
                       %t = memref.alloca() : memref<f32>
                       %zero = arith.constant 0.0 : f32
                       memref.store %zero, %t[] : memref<f32>
                       offload.loop {} (%j) = (%c0) to (%c5) step (%c1) reduction(add %t : memref<f32>) {{
                         %x = memref.load %a[%i, %j] : memref<?x5xf32>
                         %old = memref.load %t[] : memref<f32>
                         %new = arith.addf %old, %x : f32
                         memref.store %new, %t[] : memref<f32>
                       }}
                       %r = memref.load %t[] : memref<f32>
                       {update}
                     }}",
                    order(outer),
                    order(inner)
                );
                let arguments = "%a: memref<?x5xf32>, %y: memref<?xf32>, %s: memref<f32>";
                check(&region(arguments, "parallel", shape, 11, &body), 11);
            }
        }
    }
}

/// Rows of threads that go different ways, and code that only some levels tell threads apart in.
#[test]
fn levels_side_by_side() {
    let arguments = "%a: memref<?x5xi32>, %b: memref<?xi32>, %c: memref<?xi32>";
    let store =
        |buffer: &str, value: &str| format!("memref.store {value}, {buffer}[%i] : memref<?xi32>");
    let bodies = [
        // A worker loop round one vector loop without results: rows are apart.
        "offload.loop independent gang (%k) = (%c0) to (%c2) step (%c1) {
           offload.loop independent worker (%i) = (%c0) to (%n) step (%c2) {
             %l = arith.addi %i, %k : index
             offload.loop independent vector (%j) = (%c0) to (%c5) step (%c1) {
               %x = memref.load %a[%l, %j] : memref<?x5xi32>
               %y = arith.addi %x, %x : i32
               memref.store %y, %a[%l, %j] : memref<?x5xi32>
             }
           }
         }"
        .to_owned(),
        // A store beside the vector loop: rows must wait for each other.
        format!(
            "offload.loop independent gang worker (%i) = (%c0) to (%n) step (%c1) {{
               %one = arith.constant 1 : i32
               {}
               offload.loop independent vector (%j) = (%c0) to (%c5) step (%c1) {{
                 %x = memref.load %b[%i] : memref<?xi32>
                 memref.store %x, %a[%i, %j] : memref<?x5xi32>
               }}
               %y = memref.load %a[%i, %c3] : memref<?x5xi32>
               {}
             }}",
            store("%b", "%one"),
            store("%c", "%y")
        ),
        // Vector and worker loops one after the other, by turns.
        "offload.loop independent gang (%i) = (%c0) to (%n) step (%c1) {
           offload.loop independent vector (%j) = (%c0) to (%c5) step (%c1) {
             %x = arith.index_cast %j : index to i32
             memref.store %x, %a[%i, %j] : memref<?x5xi32>
           }
           offload.loop independent worker (%j) = (%c0) to (%c5) step (%c1) {
             %x = memref.load %a[%i, %j] : memref<?x5xi32>
             %y = arith.muli %x, %x : i32
             memref.store %y, %a[%i, %j] : memref<?x5xi32>
           }
         }"
        .to_owned(),
        // An array of the gang that its threads share.
        "offload.loop independent gang (%i) = (%c0) to (%n) step (%c1) {
           %t = memref.alloca() : memref<5xi32>
           offload.loop independent worker vector (%j) = (%c0) to (%c5) step (%c1) {
             %x = memref.load %a[%i, %j] : memref<?x5xi32>
             memref.store %x, %t[%j] : memref<5xi32>
           }
           offload.loop independent vector (%j) = (%c0) to (%c5) step (%c1) {
             %four = arith.constant 4 : index
             %m = arith.subi %four, %j : index
             %x = memref.load %t[%m] : memref<5xi32>
             memref.store %x, %a[%i, %j] : memref<?x5xi32>
           }
         }"
        .to_owned(),
        // Two dimensions as one, with a step.
        "offload.loop independent gang worker vector (%i, %j) = (%c1, %c0) to (%n, %c5) step (%c2, %c3) {
           %x = memref.load %a[%i, %j] : memref<?x5xi32>
           %y = arith.addi %x, %x : i32
           memref.store %y, %a[%i, %j] : memref<?x5xi32>
         }"
        .to_owned(),
    ];
    for (i, body) in bodies.into_iter().enumerate() {
        for (j, shape) in SHAPES.into_iter().enumerate() {
            let n = [38, 1, 17, 0][(i + j) % 4];
            check(&region(arguments, "parallel", shape, n, &body), n + 2);
        }
    }
}

/// Several dimensions in one loop, with and without a sum over all of them.
#[test]
fn collapsed_loops() {
    let arguments = "%a: memref<?x5x3xi32>, %s: memref<i32>";
    let step = "%x = memref.load %a[%i, %j, %k] : memref<?x5x3xi32>
        %y = arith.addi %x, %x : i32
        memref.store %y, %a[%i, %j, %k] : memref<?x5x3xi32>";
    let sum = "%x = memref.load %a[%i, %j, %k] : memref<?x5x3xi32>
        %o = memref.load %s[] : memref<i32>
        %p = arith.addi %o, %x : i32
        memref.store %p, %s[] : memref<i32>";
    for (levels, reduction, body) in [
        ("", "", step),
        ("gang", "", step),
        ("gang vector", "", step),
        ("worker vector", "", step),
        ("", "reduction(add %s : memref<i32>)", sum),
        ("gang", "reduction(add %s : memref<i32>)", sum),
        ("gang worker vector", "reduction(add %s : memref<i32>)", sum),
        ("vector", "reduction(add %s : memref<i32>)", sum),
    ] {
        for (i, shape) in SHAPES.into_iter().enumerate() {
            let n = [0, 29, 1, 17, 6, 2][(i + levels.len()) % 6];
            let three = format!(
                "offload.loop independent {levels} (%i, %j, %k) = (%c0, %c1, %c0) to (%n, %c5, %c3) \
                     step (%c1, %c2, %c1) {reduction} {{ {body} }}"
            );
            check(&region(arguments, "parallel", shape, n, &three), n.max(1));
            let two = format!(
                "offload.loop independent {levels} (%i, %k) = (%c0, %c0) to (%n, %c3) \
                     step (%c2, %c1) {reduction} {{\n %j = arith.constant 4 : index\n {body} }}"
            );
            check(&region(arguments, "parallel", shape, n, &two), n.max(1));
        }
    }
}

/// Scalar code between loops, values and arrays that several kernels of a region use.
#[test]
fn kernels_and_code_between_them() {
    let arguments = "%a: memref<?xf32> {offload.name = \"a\", offload.map = \"copy\"}, \
        %b: memref<?xf32> {offload.name = \"b\", offload.map = \"copy\"}, \
        %s: memref<f32> {offload.name = \"s\", offload.map = \"copy\"}";
    let bodies = [
        "%t = memref.load %a[%c0] : memref<?xf32>
         %u = arith.mulf %t, %t : f32
         scf.for %i = %c0 to %n step %c1 {
           %x = memref.load %b[%i] : memref<?xf32>
           %y = arith.addf %x, %u : f32
           memref.store %y, %a[%i] : memref<?xf32>
         }
         memref.store %u, %b[%c0] : memref<?xf32>
         scf.for %i = %c1 to %n step %c1 {
           %h = arith.subi %i, %c1 : index
           %x = memref.load %a[%h] : memref<?xf32>
           %y = arith.addf %x, %t : f32
           memref.store %y, %a[%i] : memref<?xf32>
         }
         scf.for %i = %c0 to %n step %c1 {
           %x = memref.load %a[%i] : memref<?xf32>
           %y = arith.subf %x, %u : f32
           memref.store %y, %b[%i] : memref<?xf32>
         }",
        "%t = memref.alloca() : memref<300xf32>
         scf.for %i = %c0 to %n step %c1 {
           %x = memref.load %b[%i] : memref<?xf32>
           memref.store %x, %t[%i] : memref<300xf32>
         }
         scf.for %i = %c0 to %n step %c1 {
           %last = arith.subi %n, %c1 : index
           %h = arith.subi %last, %i : index
           %x = memref.load %t[%h] : memref<300xf32>
           memref.store %x, %a[%i] : memref<?xf32>
         }",
        // The time loop of a stencil, with parallel loops inside.
        "scf.for %k = %c0 to %c3 step %c1 {
           scf.for %i = %c1 to %n step %c1 {
             %h = arith.subi %i, %c1 : index
             %x = memref.load %a[%h] : memref<?xf32>
             %y = memref.load %a[%i] : memref<?xf32>
             %z = arith.addf %x, %y : f32
             memref.store %z, %b[%i] : memref<?xf32>
           }
           scf.for %i = %c1 to %n step %c1 {
             %x = memref.load %b[%i] : memref<?xf32>
             memref.store %x, %a[%i] : memref<?xf32>
           }
         }",
        // Sums and extrema of the program's scalars.
        "scf.for %i = %c0 to %n step %c1 {
           %x = memref.load %a[%i] : memref<?xf32>
           %old = memref.load %s[] : memref<f32>
           %new = arith.addf %old, %x : f32
           memref.store %new, %s[] : memref<f32>
         }
         scf.for %i = %c0 to %n step %c1 {
           %x = memref.load %a[%i] : memref<?xf32>
           %old = memref.load %s[] : memref<f32>
           %more = arith.cmpf ogt, %x, %old : f32
           scf.if %more {
             memref.store %x, %s[] : memref<f32>
           }
         }
         %last = memref.load %s[] : memref<f32>
         memref.store %last, %b[%c0] : memref<?xf32>",
        // A scalar that every iteration sets anew, in one loop and in two; its last value is used.
        "scf.for %i = %c0 to %n step %c1 {
           %x = memref.load %a[%i] : memref<?xf32>
           memref.store %x, %s[] : memref<f32>
           %y = memref.load %s[] : memref<f32>
           %z = arith.addf %y, %y : f32
           memref.store %z, %b[%i] : memref<?xf32>
         }
         %last = memref.load %s[] : memref<f32>
         memref.store %last, %b[%c0] : memref<?xf32>
         scf.for %i = %c0 to %n step %c3 {
           scf.for %j = %c0 to %c5 step %c2 {
             %k = arith.index_cast %j : index to i32
             %x = arith.sitofp %k : i32 to f32
             %y = memref.load %a[%i] : memref<?xf32>
             %z = arith.subf %y, %x : f32
             memref.store %z, %s[] : memref<f32>
           }
         }",
        // A condition round a loop, and a loop that only the data ends.
        "%t = memref.load %a[%c0] : memref<?xf32>
         %zero = arith.constant 0.0 : f32
         %more = arith.cmpf ogt, %t, %zero : f32
         scf.if %more {
           scf.for %i = %c0 to %n step %c1 {
             memref.store %t, %b[%i] : memref<?xf32>
           }
         }
         %m = scf.while (%l = %c0) : (index) -> index {
           %short = arith.cmpi slt, %l, %c5 : index
           scf.condition(%short) %l : index
         } do {
         ^bb0(%l: index):
           scf.for %i = %c0 to %n step %c1 {
             %x = memref.load %b[%i] : memref<?xf32>
             %y = arith.addf %x, %t : f32
             memref.store %y, %b[%i] : memref<?xf32>
           }
           %up = arith.addi %l, %c2 : index
           scf.yield %up : index
         }
         %f = arith.index_cast %m : index to i32
         %g = arith.sitofp %f : i32 to f32
         memref.store %g, %s[] : memref<f32>",
    ];
    for body in bodies {
        for construct in ["kernels", "serial"] {
            for n in [1, 2, 150] {
                check(&region(arguments, construct, (0, 0, 0), n, body), n);
            }
        }
    }
}

/// Matrices with written-out subscripts and run-time extents.
#[test]
fn linear_subscripts() {
    let text = "func.func @main(%m: index, %k: index, %a: memref<49xf32>, %b: memref<49xf32>, %c: memref<49xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %mm = arith.index_cast %m : index to i32
      %kk = arith.index_cast %k : index to i32
      offload.region kernels {
        %rows = arith.index_cast %mm : i32 to index
        %depth = arith.index_cast %kk : i32 to index
        scf.for %i = %c0 to %rows step %c1 {
          %i32 = arith.index_cast %i : index to i32
          scf.for %j = %c0 to %rows step %c1 {
            %j32 = arith.index_cast %j : index to i32
            %zero = arith.constant 0.0 : f32
            %sum = scf.for %l = %c0 to %depth step %c1 iter_args(%so_far = %zero) -> (f32) {
              %l32 = arith.index_cast %l : index to i32
              %0 = arith.muli %i32, %kk overflow<nsw> : i32
              %1 = arith.addi %0, %l32 overflow<nsw> : i32
              %2 = arith.index_cast %1 : i32 to index
              %x = memref.load %a[%2] : memref<49xf32>
              %3 = arith.muli %l32, %mm overflow<nsw> : i32
              %4 = arith.addi %3, %j32 overflow<nsw> : i32
              %5 = arith.index_cast %4 : i32 to index
              %y = memref.load %b[%5] : memref<49xf32>
              %z = arith.mulf %x, %y : f32
              %w = arith.addf %so_far, %z : f32
              scf.yield %w : f32
            }
            %6 = arith.muli %i32, %mm overflow<nsw> : i32
            %7 = arith.addi %6, %j32 overflow<nsw> : i32
            %8 = arith.index_cast %7 : i32 to index
            memref.store %sum, %c[%8] : memref<49xf32>
          }
        }
      }
      return
    }";
    for extent in [0, 1, 5, 7] {
        check(text, extent);
    }
}
