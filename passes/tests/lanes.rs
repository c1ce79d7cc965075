//! Inner loops shared by lanes and by threads of a block: the same as the loops in order, at every level,
//! for widths that divide the sizes and for such that do not.

mod remarks;

use gpuc_interp::{Comparison, Order, check_same};
use gpuc_passes::pipelines::{LOWER, PARALLEL};
use remarks::{parse, run};

const WIDTHS: [i64; 6] = [2, 4, 8, 16, 32, 128];

/// Rows and rounds, and two widths for them.
const SIZES: [([i64; 2], [i64; 2]); 6] = [
    ([0, 5], [2, 32]),
    ([1, 1], [8, 128]),
    ([3, 31], [4, 32]),
    ([33, 7], [8, 2]),
    ([17, 32], [16, 128]),
    ([5, 33], [32, 4]),
];

/// Runs `@main` in order and shared, as code of the grid and of its threads; how often a nest was shared.
fn check(text: &str, width: i64) -> usize {
    check_with(text, &format!("width={width}"))
}

fn check_with(text: &str, width: &str) -> usize {
    let spreading = format!("spread-reductions{{arch=$arch {width}}}");
    let parallel = PARALLEL.replace("spread-reductions{arch=$arch}", &spreading);
    assert!(parallel.contains("width"), "the pass has other options in the pipeline");
    let mut shared = 0;
    for behind in [&[][..], &[LOWER]] {
        let stages = [&[&parallel[..]], behind].concat().join(",");
        let (lowered, said) = run(&stages.replace("$arch", "sm_80"), text);
        assert!(!said.contains("error"), "{said}in\n{text}");
        let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
        for order in [Order::Forwards, Order::Backwards] {
            let mut comparison = Comparison::new("main", 1);
            comparison.extent = 48;
            comparison.tolerance = 1e-4;
            comparison.options.order = order;
            check_same((&before, before_module), (&after, after_module), &comparison)
                .unwrap_or_else(|error| panic!("{width}: {error}\nin\n{text}\nbecame\n{lowered}"));
        }
        shared = said.matches("Rows shared").count();
    }
    shared
}

/// A region of rows `%i` with `%zero` and the sizes `%m` by `%n`, over arrays `%a` of two dimensions and `%x`, `%y`, `%z` of
/// one.
fn rows(element: &str, [m, n]: [i64; 2], body: &str) -> String {
    let argument = |name: &str, ty: &str| {
        format!(
            "%{name}: memref<{ty}{element}> {{offload.name = \"{name}\", offload.map = \"copy\", offload.storage = \"restrict\"}}"
        )
    };
    let arguments = [("a", "48x48x"), ("x", "48x"), ("y", "48x"), ("z", "48x")];
    let arguments = arguments.map(|(name, ty)| argument(name, ty)).join(", ");
    let zero = if element.starts_with('f') { "0.0" } else { "0" };
    let text = format!(
        "func.func @main({arguments}) {{
           %zero = arith.constant {zero} : E
           %n = arith.constant {n} : index
           offload.region parallel {{
             affine.parallel (%i) = (0) to ({m}) {{
               {body}
             }} {{offload.schedule = []}}
           }}
           return
         }}"
    );
    text.replace("xE>", &format!("x{element}>"))
        .replace(": E", &format!(": {element}"))
        .replace("(E)", &format!("({element})"))
}

/// One sum of each row.
const SUM: &str = "%s = affine.for %j = 0 to %n iter_args(%c = %zero) -> (E) {
      %v = affine.load %a[%i, %j] : memref<48x48xE>
      %t = ADD %c, %v : E
      affine.yield %t : E
    }
    affine.store %s, %y[%i] : memref<48xE>";

#[test]
fn every_operator_and_type() {
    let operators = [
        ("f32", "arith.addf"),
        ("f64", "arith.addf"),
        ("f64", "arith.maxnumf"),
        ("i32", "arith.addi"),
        ("i32", "arith.muli"),
        ("i64", "arith.maxsi"),
        ("i32", "arith.minui"),
        ("i64", "arith.andi"),
    ];
    for (element, add) in operators {
        for width in [4, 32, 128] {
            for size in [[5, 33], [1, 0], [33, 7]] {
                let text = rows(element, size, &SUM.replace("ADD", add));
                assert_eq!(check(&text, width), usize::from(remains(size)), "{text}");
            }
        }
    }
}

/// Whether there is a loop round a loop that is not known to have but one round or none.
fn remains(size: [i64; 2]) -> bool {
    size.iter().all(|&count| count > 1)
}

/// What a row may do besides, with integers: the order of sums does not show.
const BODIES: [&str; 7] = [
    // A vector, and an element that is there already.
    "%old = affine.load %y[%i] : memref<48xE>
     %s = affine.for %j = 0 to %n iter_args(%c = %old) -> (E) {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %w = affine.load %x[%j] : memref<48xE>
       %p = arith.muli %v, %w : E
       %t = arith.addi %c, %p : E
       affine.yield %t : E
     }
     affine.store %s, %y[%i] : memref<48xE>",
    // Two sums, two results.
    "%s:2 = affine.for %j = 0 to %n iter_args(%c = %zero, %d = %zero) -> (E, E) {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %t = arith.addi %c, %v : E
       %u = arith.maxsi %d, %v : E
       affine.yield %t, %u : E, E
     }
     affine.store %s#0, %y[%i] : memref<48xE>
     affine.store %s#1, %z[%i] : memref<48xE>",
    // What the first loop finds changes the row itself, and a third one reads that from the other end: lanes
    // wait for each other.
    "%m = affine.for %j = 0 to %n iter_args(%c = %zero) -> (E) {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %t = arith.maxsi %c, %v : E
       affine.yield %t : E
     }
     affine.for %j = 0 to %n {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %w = arith.subi %v, %m : E
       affine.store %w, %a[%i, %j] : memref<48x48xE>
     }
     %s = affine.for %j = 0 to %n iter_args(%c = %zero) -> (E) {
       %v = affine.load %a[%i, -%j + symbol(%n) - 1] : memref<48x48xE>
       %k = arith.index_cast %j : index to i32
       %p = arith.muli %v, %k : E
       %t = arith.addi %c, %p : E
       affine.yield %t : E
     }
     affine.store %s, %y[%i] : memref<48xE>",
    // An element that one lane stores and all read, before and behind.
    "%old = affine.load %y[%i] : memref<48xE>
     %b = affine.for %j = 0 to %n iter_args(%c = %zero) -> (E) {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %p = arith.muli %v, %old : E
       %t = arith.addi %c, %p : E
       affine.yield %t : E
     }
     affine.store %b, %y[%i] : memref<48xE>
     %s = affine.for %j = 0 to %n iter_args(%c = %old) -> (E) {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %w = affine.load %y[%i] : memref<48xE>
       %p = arith.muli %v, %w : E
       %t = arith.addi %c, %p : E
       affine.yield %t : E
     }
     affine.store %s, %z[%i] : memref<48xE>",
    // A triangle, under a condition.
    "affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
       %s = affine.for %j = affine_map<(d0) -> (d0)>(%i) to 41 iter_args(%c = %zero) -> (E) {
         %v = affine.load %a[%i, %j] : memref<48x48xE>
         %t = arith.addi %c, %v : E
         affine.yield %t : E
       }
       affine.store %s, %y[%i] : memref<48xE>
     }",
    // Sums in a loop that stays in order, the next one from the one before.
    "%s = affine.for %k = 0 to 3 iter_args(%d = %zero) -> (E) {
       %r = affine.for %j = 0 to %n iter_args(%c = %d) -> (E) {
         %v = affine.load %a[%i, %j] : memref<48x48xE>
         %p = arith.muli %v, %d : E
         %q = arith.addi %p, %v : E
         %t = arith.addi %c, %q : E
         affine.yield %t : E
       }
       affine.store %r, %z[%i] : memref<48xE>
       affine.yield %r : E
     }
     affine.store %s, %y[%i] : memref<48xE>",
    // Every other element, only where it is large.
    "%s = affine.for %j = 0 to %n step 2 iter_args(%c = %zero) -> (E) {
       %v = affine.load %a[%i, %j] : memref<48x48xE>
       %large = arith.cmpi sgt, %v, %zero : E
       %t = scf.if %large -> (E) {
         %u = arith.addi %c, %v : E
         scf.yield %u : E
       } else {
         scf.yield %c : E
       }
       affine.yield %t : E
     }
     affine.store %s, %y[%i] : memref<48xE>",
];

#[test]
fn rows_of_every_form() {
    for body in BODIES {
        for (size, widths) in SIZES {
            for width in widths {
                let text = rows("i32", size, body).replace("E,", "i32,").replace(", E", ", i32");
                let shared = check(&text, width);
                assert!(shared == 1 || !remains(size), "not shared:\n{text}");
            }
        }
    }
}

#[test]
fn rows_of_sparse_matrices() {
    for width in WIDTHS {
        for m in [0, 1, 33] {
            let text = format!(
                "func.func @main(%start: memref<48xi32> {{offload.name = \"start\", offload.map = \"copyin\"}},
                                 %a: memref<48x48xi32> {{offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                                 %y: memref<48xi32> {{offload.name = \"y\", offload.map = \"copyout\", offload.storage = \"restrict\"}}) {{
                   %zero = arith.constant 0 : i32
                   %one = arith.constant 1 : index
                   %c31 = arith.constant 31 : i32
                   offload.region parallel {{
                     affine.parallel (%i) = (0) to ({m}) {{
                       %f = affine.load %start[%i] : memref<48xi32>
                       %g = affine.load %start[%i + 1] : memref<48xi32>
                       %h = arith.andi %f, %c31 : i32
                       %k = arith.andi %g, %c31 : i32
                       %first = arith.index_cast %h : i32 to index
                       %end = arith.index_cast %k : i32 to index
                       %s = scf.for %e = %first to %end step %one iter_args(%c = %zero) -> (i32) {{
                         %v = memref.load %a[%i, %e] : memref<48x48xi32>
                         %t = arith.addi %c, %v : i32
                         scf.yield %t : i32
                       }}
                       affine.store %s, %y[%i] : memref<48xi32>
                     }} {{offload.schedule = []}}
                   }}
                   return
                 }}"
            );
            assert_eq!(check(&text, width), 1, "{text}");
        }
    }
}

#[test]
fn what_stays_in_order() {
    let kept = |body: &str, pass: &str| {
        let text = rows("f32", [5, 9], body);
        let (_, said) = run(&format!("func.func({pass})"), &text);
        assert!(!said.contains("Rows shared"), "{said}in\n{text}");
    };
    let sum = SUM.replace("ADD", "arith.addf");
    kept(&sum, "spread-reductions{width=8 associative=false}");
    // The program says so.
    kept(&sum.replace("}\n", "} {offload.seq}\n"), "spread-reductions{width=8}");
    // A prefix, of which each value is used; a recurrence.
    for uses in ["affine.store %t, %a[%i, %j] : memref<48x48xE>", ""] {
        let add = if uses.is_empty() { "arith.divf" } else { "arith.addf" };
        let body =
            SUM.replace("ADD", add).replace("affine.yield %t", &format!("{uses}\naffine.yield %t"));
        kept(&body, "spread-reductions{width=8}");
    }
    // Rounds that depend on each other in memory.
    let recurrence = "affine.for %j = 1 to %n {
          %v = affine.load %a[%i, %j - 1] : memref<48x48xE>
          affine.store %v, %a[%i, %j] : memref<48x48xE>
        }";
    kept(recurrence, "spread-reductions{width=8}");
    // The order of maxima does not show.
    let max = SUM.replace("ADD", "arith.maxnumf");
    let (_, said) =
        run("func.func(spread-reductions{width=8 associative=false})", &rows("f32", [5, 9], &max));
    assert!(said.contains("Rows shared: lanes by 8"), "{said}");
}

#[test]
fn widths_are_powers_of_two() {
    let text = rows("f32", [5, 9], &SUM.replace("ADD", "arith.addf"));
    for width in [-1, 0, 1, 3, 2048] {
        let (_, said) = run(&format!("func.func(spread-reductions{{width={width}}})"), &text);
        assert!(said.contains("threads cannot share a row"), "{width}: {said}");
    }
}

/// What all lanes read while they share a loop, the first one overwrites behind it, and nothing that lanes do
/// together stands between.
#[test]
fn a_store_waits_for_what_other_lanes_read() {
    let body = "affine.for %j = 0 to %n {
          %v = affine.load %a[%i, %j] : memref<48x48xE>
          %w = affine.load %y[%i] : memref<48xE>
          %p = arith.addi %v, %w : E
          affine.store %p, %a[%i, %j] : memref<48x48xE>
        }
        affine.store %zero, %y[%i] : memref<48xE>";
    for width in [4, 32] {
        assert_eq!(check(&rows("i32", [5, 33], body), width), 1);
    }
}

#[test]
fn columns_that_rows_of_threads_share() {
    let sum = "%old = affine.load %y[%i] : memref<48xE>
        %s:2 = affine.for %j = 0 to %n iter_args(%c = %old, %d = %zero) -> (E, E) {
          %v = affine.load %a[%j, %i] : memref<48x48xE>
          %w = affine.load %x[%j] : memref<48xE>
          %p = arith.muli %v, %w : E
          %t = arith.addi %c, %p : E
          %u = arith.maxsi %d, %v : E
          affine.yield %t, %u : E, E
        }
        affine.store %s#0, %y[%i] : memref<48xE>
        affine.store %s#1, %z[%i] : memref<48xE>";
    let triangle = "%s = affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to 45 step 3 iter_args(%c = %zero) -> (E) {
          %v = affine.load %a[%j, %i] : memref<48x48xE>
          %t = arith.addi %c, %v : E
          affine.yield %t : E
        }
        affine.store %s, %y[%i] : memref<48xE>";
    for body in [sum, triangle] {
        for size in [[0, 5], [1, 1], [3, 31], [33, 7], [17, 32], [40, 33]] {
            for shape in ["width=4 columns=8", "width=32 columns=8", "width=8 columns=1"] {
                let text = rows("i32", size, body).replace("E,", "i32,").replace(", E", ", i32");
                let shared = check_with(&text, shape);
                assert!(shared == 1 || !remains(size), "not shared:\n{text}");
            }
        }
    }
    let writes =
        format!("affine.store %zero, %z[%i] : memref<48xE>\n{}", SUM.replace("ADD", "arith.addf"));
    let (_, said) =
        run("func.func(spread-reductions{width=8 columns=4})", &rows("f32", [9, 9], &writes));
    assert!(said.contains("something is written in front of the sum"), "{said}");
}
