//! Loops of kernels: several rounds in one, 32-bit counters, loads that do not vary.

mod kernels;
mod remarks;

use expect_test::expect;
use kernels::{check, expect_kernel, program};
use remarks::run;

const CONSTANTS: &str = "%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x";

/// The sum of a row in order, from `first` to below `end` by `step`.
fn sum_of_row(first: &str, end: &str, step: i64) -> String {
    format!(
        "{CONSTANTS}
         %step = arith.constant {step} : index
         %s = scf.for %k = {first} to {end} step %step iter_args(%sum = %zero) -> (f32) {{
           %x = memref.load %a[%k] : memref<?xf32>
           %u = arith.addf %sum, %x : f32
           scf.yield %u : f32
         }}
         memref.store %s, %o[%t] : memref<?xf32>"
    )
}

/// Whole groups, rests of every length, nothing at all, bounds the wrong way round.
#[test]
fn groups_of_rounds_and_the_rest() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: index, %m: index";
    for step in [1, 3] {
        for (first, end) in [(0, 0), (0, 1), (0, 3), (0, 4), (0, 5), (1, 23), (7, 3), (2, 40)] {
            let bounds = format!(
                "%f0 = arith.constant {first} : index\n%e0 = arith.constant {end} : index\n\
                 %f1 = arith.muli %t, %c0 : index\n%first = arith.addi %f0, %f1 : index\n\
                 %end = arith.addi %e0, %f1 : index\n%step ="
            );
            let body = sum_of_row("%first", "%end", step).replace("%step =", &bounds);
            // The order of the sum stays: not a bit is different.
            let lowered =
                check("loop-unroll", &program(arguments, [3, 1, 1], false, &body), 40, 0.0);
            assert_eq!(lowered.matches("scf.for").count(), 2, "{lowered}");
        }
    }
    let text = program(arguments, [3, 1, 1], false, &sum_of_row("%n", "%m", 1));
    let (lowered, _) = run("loop-unroll{unroll-factor=2},canonicalize,cse", &text);
    expect_kernel(
        &lowered,
        &expect![[r#"
            gpu.func @k(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index, %arg3: index) kernel {
                  %c0 = arith.constant 0 : index
                  %c1 = arith.constant 1 : index
                  %c2 = arith.constant 2 : index
                  %cst = arith.constant 0.000000e+00 : f32
                  %thread_id_x = gpu.thread_id  x
                  %0 = arith.subi %arg3, %arg2 : index
                  %1 = arith.maxsi %0, %c0 : index
                  %2 = arith.divui %1, %c2 : index
                  %3 = arith.remui %1, %c2 : index
                  %4 = scf.for %arg4 = %c0 to %2 step %c1 iter_args(%arg5 = %cst) -> (f32) {
                    %8 = arith.muli %arg4, %c2 : index
                    %9 = arith.addi %arg2, %8 overflow<nsw> : index
                    %10 = memref.load %arg0[%9] : memref<?xf32>
                    %11 = arith.addf %arg5, %10 : f32
                    %12 = arith.addi %9, %c1 overflow<nsw> : index
                    %13 = memref.load %arg0[%12] : memref<?xf32>
                    %14 = arith.addf %11, %13 : f32
                    scf.yield %14 : f32
                  }
                  %5 = arith.muli %2, %c2 : index
                  %6 = arith.addi %arg2, %5 overflow<nsw> : index
                  %7 = scf.for %arg4 = %c0 to %3 step %c1 iter_args(%arg5 = %4) -> (f32) {
                    %8 = arith.addi %6, %arg4 overflow<nsw> : index
                    %9 = memref.load %arg0[%8] : memref<?xf32>
                    %10 = arith.addf %arg5, %9 : f32
                    scf.yield %10 : f32
                  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
                  memref.store %7, %arg1[%thread_id_x] : memref<?xf32>
                  gpu.return
                }
              }
            }
        "#]],
    );
}

#[test]
fn few_rounds_become_straight_code() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>";
    for (count, loops) in [(0, 0), (1, 0), (5, 0), (16, 0), (17, 2)] {
        let body = sum_of_row("%c2", "%end", 2).replace(
            "%step =",
            &format!("%end = arith.constant {} : index\n%step =", 2 + 2 * count),
        );
        let text = program(arguments, [2, 1, 1], false, &body);
        let lowered = check("loop-unroll", &text, 40, 0.0);
        assert_eq!(lowered.matches("scf.for").count(), loops, "{count}: {lowered}");
    }
}

/// Sums whose step only the launch knows have several loads under way, in the order of the rounds.
#[test]
fn sums_of_a_grid_are_unrolled() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>";
    for (first, end) in [(0, 0), (0, 1), (0, 9), (0, 10), (0, 12), (0, 13), (1, 35), (7, 3)] {
        let text = sum_of_row("%first", "%end", 1).replace(
            "%step = arith.constant 1 : index",
            &format!(
                "%f0 = arith.constant {first} : index\n%end = arith.constant {end} : index\n\
                 %first = arith.addi %f0, %t : index\n%step = gpu.block_dim x"
            ),
        );
        let lowered = check("loop-unroll", &program(arguments, [3, 1, 1], false, &text), 40, 0.0);
        assert_eq!(lowered.matches("scf.for").count(), 2, "{lowered}");
        assert_eq!(lowered.matches("memref.load").count(), 5, "{lowered}");
    }
}

/// Elements that follow each other are loaded together, in rows that may begin anywhere.
#[test]
fn neighbours_are_loaded_together() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: index";
    let passes = "loop-unroll,canonicalize,cse,vectorize-loads,canonicalize,cse";
    for (row, loads) in
        [("%n", "vector<4xf32>"), ("%c2", "vector<2xf32>"), ("%c4", "vector<4xf32>")]
    {
        for count in [0, 1, 7, 8, 13] {
            let body = sum_of_row("%c0", "%end", 1)
                .replace(
                    "%step =",
                    &format!(
                        "%c4 = arith.constant 4 : index
                         %zeroes = arith.divui %t, %c4 : index
                         %many = arith.constant {count} : index
                         %end = arith.addi %many, %zeroes : index
                         %row = arith.muli %t, {row} : index
                         %step ="
                    ),
                )
                .replace("%a[%k]", "%a[%p]")
                .replace("%x =", "%p = arith.addi %row, %k : index\n%x =");
            let lowered = check(passes, &program(arguments, [3, 1, 1], false, &body), 60, 0.0);
            assert!(lowered.contains(&format!(": memref<?xf32>, {loads}")), "{lowered}");
            assert!(lowered.contains("extract_aligned_pointer_as_index"), "{lowered}");
        }
    }
}

/// Lanes that begin anywhere, places that are not beside each other, and what may be written in between.
#[test]
fn what_is_not_loaded_together() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: index";
    let passes = "loop-unroll,canonicalize,cse,vectorize-loads,canonicalize,cse";
    let row = sum_of_row("%c0", "%n", 1);
    for body in [
        row.replace("%a[%k]", "%a[%p]").replace("%x =", "%p = arith.addi %t, %k : index\n%x ="),
        row.replace("%a[%k]", "%a[%p]").replace("%x =", "%p = arith.muli %c3, %k : index\n%x ="),
        row.replace("%u =", "memref.store %x, %o[%k] : memref<?xf32>\n%u ="),
    ] {
        let (lowered, _) = run(passes, &program(arguments, [3, 1, 1], false, &body));
        assert!(!lowered.contains("vector"), "{lowered}");
    }
}

/// Shares of threads, loops with barriers and outer loops stay as they are.
#[test]
fn what_is_not_unrolled() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: index";
    let share = format!(
        "{CONSTANTS}
         scf.for %k = %t to %n step %n {{
           %x = memref.load %a[%k] : memref<?xf32>
           memref.store %x, %o[%k] : memref<?xf32>
         }}"
    );
    for body in [share, sum_of_row("%c0", "%n", 1).replace("%u =", "gpu.barrier\n%u =")] {
        let text = program(arguments, [3, 1, 1], false, &body);
        let (lowered, _) = run("loop-unroll", &text);
        assert_eq!(lowered.matches("scf.for").count(), 1, "{lowered}");
    }
}

#[test]
fn counters_that_fit_are_narrow() {
    // The upper bound, and whether a counter of 32 bits reaches it.
    let cases = [
        ("%m = arith.index_cast %n : i32 to index", 1, true),
        ("%m = arith.index_cast %n : i32 to index", 2, false),
        ("%m = arith.constant 2147483646 : index", 2, true),
        ("%m = arith.constant 2147483647 : index", 2, false),
        ("%m = arith.addi %l, %l : index", 1, false),
    ];
    for (bound, step, expected) in cases {
        let body = sum_of_row("%c0", "%m", step).replace("%step =", &format!("{bound}\n%step ="));
        let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: i32, %l: index";
        let (lowered, _) = run("narrow-loops", &program(arguments, [3, 1, 1], false, &body));
        let is_narrow = lowered.contains("-> (f32)  : i32 {");
        assert_eq!(is_narrow, expected, "{bound}, {step}: {lowered}");
    }
    for n in [0, 1, 13] {
        let body = sum_of_row("%c0", "%m", 1)
            .replace("%step =", &format!("%m = arith.constant {n} : index\n%step ="));
        let arguments = "%a: memref<?xf32>, %o: memref<?xf32>";
        check("narrow-loops", &program(arguments, [3, 1, 1], false, &body), 13, 0.0);
    }
}

/// `o[t] = sum over k of a[t] * b[k]`, where `more` happens in each round too.
fn product(end: &str, more: &str) -> String {
    format!(
        "{CONSTANTS}
         {end}
         %s = scf.for %k = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {{
           %x = memref.load %a[%t] : memref<?xf32>
           %y = memref.load %b0[%k] : memref<?xf32>
           %z = arith.mulf %x, %y : f32
           %u = arith.addf %sum, %z : f32
           {more}
           scf.yield %u : f32
         }}
         memref.store %s, %o[%t] : memref<?xf32>"
    )
}

#[test]
fn loads_that_do_not_vary() {
    // What else a round does, and whether a[t] can be loaded in front of the loop.
    let exclusive = "{offload.map = \"copy\", offload.storage = \"exclusive\"}";
    for (storage, more, expected) in [
        ("", "", true),
        ("", "memref.store %u, %o[%k] : memref<?xf32>", false),
        (exclusive, "memref.store %u, %o[%k] : memref<?xf32>", true),
        (exclusive, "memref.store %u, %a[%k] : memref<?xf32>", false),
        (
            exclusive,
            "%old = memref.atomic_rmw addf %u, %a[%k] : (f32, memref<?xf32>) -> f32",
            false,
        ),
        (exclusive, "gpu.barrier", false),
    ] {
        let [a, b, o] = ["a", "b0", "o"].map(|name| format!("%{name}: memref<?xf32> {storage}"));
        let text = format!(
            "gpu.module @kernels {{ gpu.func @k({a}, {b}, {o}, %m: index) kernel {{ {} gpu.return }} }}",
            product("", more)
        );
        let (lowered, said) = run("hoist-loads", &text);
        assert_eq!(said, "");
        let at = |what: &str| lowered.find(what).unwrap_or_else(|| panic!("{what} in {lowered}"));
        let hoisted = at("memref.load") < at("scf.for");
        assert_eq!(hoisted, expected, "{more}: {lowered}");
        assert_eq!(lowered.contains("scf.if"), expected, "a loop that may not run: {lowered}");
    }
}

/// Where no round runs, nothing is loaded: the third thread's element is out of bounds then.
#[test]
fn nothing_is_loaded_for_no_round() {
    for n in [0, 1, 5] {
        let extent = if n == 0 { 2 } else { 8 };
        let body = product(&format!("%m = arith.constant {n} : index"), "").replace(
            "memref.store %s, %o[%t]",
            "%w = arith.remsi %t, %c2 : index\nmemref.store %zero, %o[%w]",
        );
        let arguments = "%a: memref<?xf32>, %b0: memref<?xf32>, %o: memref<?xf32>";
        let text = program(arguments, [3, 1, 1], false, &body);
        check("hoist-loads", &text, extent, 0.0);
    }
}

#[test]
fn casts_there_and_back() {
    for (bound, expected) in
        [("%m = arith.index_cast %n : i32 to index", 0), ("%m = arith.addi %l, %c1 : index", 1)]
    {
        let body = sum_of_row("%c0", "%m", 1)
            .replace("%step =", &format!("{bound}\n%step ="))
            .replace("%x = memref.load %a[%k]", "%i = arith.index_cast %k : index to i32\n%j = arith.index_cast %i : i32 to index\n%x = memref.load %a[%j]");
        let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: i32, %l: index";
        let text = program(arguments, [3, 1, 1], false, &body);
        let (lowered, _) = run("fold-cast-pairs,canonicalize", &text);
        assert_eq!(lowered.matches("index to i32").count(), expected, "{lowered}");
    }
}

/// A loop whose rounds ask `condition` of `%k`: what each adds to the sum, and what it does to memory.
fn asking(condition: &str, bounds: [i64; 3]) -> String {
    let [first, end, step] = bounds;
    format!(
        "{CONSTANTS}
         %cm1 = arith.constant -1 : index
         %f0 = arith.constant {first} : index
         %e0 = arith.constant {end} : index
         %none = arith.muli %t, %c0 : index
         %first = arith.addi %f0, %none : index
         %end = arith.addi %e0, %none : index
         %step = arith.constant {step} : index
         %limit = arith.addi %t, %c2 : index
         %s = scf.for %k = %first to %end step %step iter_args(%sum = %zero) -> (f32) {{
           %x = memref.load %a[%k] : memref<?xf32>
           {condition}
           %u = scf.if %p -> (f32) {{
             %v = arith.addf %sum, %x : f32
             scf.yield %v : f32
           }} else {{
             %w = arith.mulf %sum, %x : f32
             scf.yield %w : f32
           }}
           scf.yield %u : f32
         }}
         memref.store %s, %o[%t] : memref<?xf32>"
    )
}

/// Every comparison, with places in front of the loop, in it, on its ends and behind them, for every
/// step: the same rounds in the same order, not a bit different, and no branch left.
#[test]
fn loops_are_cut_where_answers_change() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>";
    let pass = "index-set-splitting,canonicalize";
    for how in ["slt", "sle", "sgt", "sge", "eq", "ne"] {
        for bounds in [[0, 7, 1], [3, 3, 1], [5, 2, 1], [1, 12, 3], [2, 3, 4]] {
            for condition in [
                "%p = arith.cmpi HOW, %k, %limit : index",
                "%p = arith.cmpi HOW, %limit, %k : index",
                "%d = arith.muli %k, %cm1 : index
                 %q = arith.addi %d, %limit : index
                 %p = arith.cmpi HOW, %q, %c0 : index",
            ] {
                let body = asking(&condition.replace("HOW", how), bounds);
                let text = program(arguments, [4, 1, 1], false, &body);
                let lowered = check(pass, &text, 40, 0.0);
                assert!(!lowered.contains("scf.if"), "{how} {bounds:?}: {lowered}");
            }
        }
    }
    // Two of them, one inside the other's answer.
    for joined in ["andi", "ori"] {
        let condition = format!(
            "%far = arith.muli %limit, %c3 : index
             %p0 = arith.cmpi sge, %k, %far : index
             %p1 = arith.cmpi slt, %k, %limit : index
             %p = arith.{joined} %p0, %p1 : i1"
        );
        let text = program(arguments, [4, 1, 1], false, &asking(&condition, [0, 39, 1]));
        let lowered = check(pass, &text, 40, 0.0);
        assert!(!lowered.contains("scf.if"), "{joined}: {lowered}");
    }
}

#[test]
fn first_and_last_rounds_are_peeled() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: index";
    let body = asking("%p = arith.cmpi eq, %k, %c0 : index", [0, 1, 1])
        .replace("%k = %first to %end", "%k = %c0 to %n");
    let text = program(arguments, [1, 1, 1], false, &body);
    let (lowered, _) = run("index-set-splitting,canonicalize,cse", &text);
    expect_kernel(
        &lowered,
        &expect![[r#"
        gpu.func @k(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: index) kernel {
              %c0 = arith.constant 0 : index
              %c1 = arith.constant 1 : index
              %cst = arith.constant 0.000000e+00 : f32
              %thread_id_x = gpu.thread_id  x
              %0 = arith.minsi %arg2, %c1 : index
              %1 = scf.for %arg3 = %c0 to %0 step %c1 iter_args(%arg4 = %cst) -> (f32) {
                %4 = memref.load %arg0[%arg3] : memref<?xf32>
                %5 = arith.addf %arg4, %4 : f32
                scf.yield %5 : f32
              } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
              %2 = arith.maxsi %0, %c0 : index
              %3 = scf.for %arg3 = %2 to %arg2 step %c1 iter_args(%arg4 = %1) -> (f32) {
                %4 = memref.load %arg0[%arg3] : memref<?xf32>
                %5 = arith.mulf %arg4, %4 : f32
                scf.yield %5 : f32
              }
              memref.store %3, %arg1[%thread_id_x] : memref<?xf32>
              gpu.return
            }
          }
        }
    "#]],
    );
    // Nothing stands behind the last round.
    let last = body
        .replace("%p = arith.cmpi eq, %k, %c0", "%p = arith.cmpi eq, %k, %last")
        .replace("%s = scf.for", "%last = arith.addi %n, %cm1 : index\n%s = scf.for");
    let text = program(arguments, [1, 1, 1], false, &last);
    let (lowered, _) = run("index-set-splitting,canonicalize,cse", &text);
    assert_eq!(lowered.matches("scf.for").count(), 2, "{lowered}");
}

/// Places that were loaded, with work on both sides; loops that become straight code, hold barriers, or count
/// in steps that are not known; conditions that hold for all rounds or are not of the variable alone.
#[test]
fn what_is_not_cut() {
    let arguments = "%a: memref<?xf32>, %o: memref<?xf32>, %n: index, %i: memref<?xindex>";
    let plain = asking("%p = arith.cmpi slt, %k, %limit : index", [0, 1, 1])
        .replace("%k = %first to %end", "%k = %c0 to %n");
    let cases = [
        plain.replace(
            "%limit = arith.addi %t, %c2 : index",
            "%limit = memref.load %i[%t] : memref<?xindex>",
        ),
        plain.replace("%c0 to %n", "%c0 to %c3"),
        plain.replace("%u = scf.if", "gpu.barrier\n%u = scf.if"),
        plain.replace("step %step", "step %n"),
        plain.replace("cmpi slt, %k, %limit", "cmpi slt, %n, %limit"),
        plain.replace("cmpi slt, %k, %limit", "cmpi ult, %k, %limit"),
        plain
            .replace("%p = ", "%square = arith.muli %k, %k : index\n%p = ")
            .replace("slt, %k,", "slt, %square,"),
    ];
    for body in cases {
        let text = program(arguments, [3, 1, 1], false, &body);
        let (lowered, _) = run("index-set-splitting", &text);
        assert_eq!(lowered.matches("scf.for").count(), 1, "{lowered}");
    }
    let text = program(arguments, [3, 1, 1], false, &plain);
    let (lowered, _) = run("index-set-splitting", &text);
    assert_eq!(lowered.matches("scf.for").count(), 2, "{lowered}");
}
