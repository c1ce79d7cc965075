//! Products of matrices and their kind, tiled: the same to the bit as the loops in order, at every level,
//! for tiles that divide the sizes and for such that do not.

mod remarks;

use gpuc_interp::{Comparison, Order, check_same};
use gpuc_passes::pipelines::{LOWER, PARALLEL};
use remarks::{parse, run};

const PLANS: [&str; 6] = [
    "tile-sizes=8,8,4 thread-sizes=2,2",
    "tile-sizes=16,8,8 thread-sizes=4,4",
    "tile-sizes=8,16,8 thread-sizes=1,4",
    "tile-sizes=4,4,4 thread-sizes=1,1 wide=false",
    "tile-sizes=16,16,8 thread-sizes=4,2",
    LONG_RUNS,
];

/// Runs of terms that are straight code in parts only.
const LONG_RUNS: &str = "tile-sizes=4,8,32 thread-sizes=2,1 wide=false";

/// Plans whose tiles form a ring, for terms that are whole runs.
const RINGS: [&str; 4] = [
    "tile-sizes=8,8,4 thread-sizes=2,2 stages=2",
    "tile-sizes=16,8,4 thread-sizes=4,2 stages=3",
    "tile-sizes=8,16,4 thread-sizes=2,4 stages=4 wide=false",
    "tile-sizes=4,8,2 thread-sizes=1,2 stages=5",
];

/// Runs `@main` in order and tiled, as code of the grid; says how many loops were tiled.
fn check(text: &str, plan: &str) -> usize {
    check_through(text, plan, &[])
}

/// The same, with further stages behind.
fn check_through(text: &str, plan: &str, behind: &[&str]) -> usize {
    let tiling = format!("tile-contractions{{arch=$arch least-blocks=0 {plan}}}");
    let parallel = PARALLEL.replace("tile-contractions{arch=$arch}", &tiling);
    assert!(parallel.contains("least-blocks"), "the pass has other options in the pipeline");
    let stages = [&[&parallel[..]], behind].concat().join(",");
    let (lowered, said) = run(&stages.replace("$arch", "sm_80"), text);
    assert!(!said.contains("error"), "{said}in\n{text}");
    let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
    let mut comparison = Comparison::new("main", 1);
    comparison.extent = 21;
    comparison.options.order = if behind.is_empty() { Order::Forwards } else { Order::Backwards };
    check_same((&before, before_module), (&after, after_module), &comparison)
        .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{lowered}"));
    said.matches("Loop tiled").count()
}

/// `c[i][j] = f(c[i][j], sum over k)`, with the loads of a term, the term, and what follows the sum.
struct Product {
    element: &'static str,
    left: &'static str,
    right: &'static str,
    init: &'static str,
    behind: &'static str,
    zero: &'static str,
    multiply: &'static str,
    add: &'static str,
}

const PLAIN: Product = Product {
    element: "f32",
    left: "%a[%i, %k]",
    right: "%b[%k, %j]",
    init: "%zero",
    behind: "affine.store %sum, %c[%i, %j] : memref<64x64xELEMENT>",
    zero: "0.0",
    multiply: "arith.mulf",
    add: "arith.addf",
};

impl Product {
    fn text(&self, [rows, columns, terms]: [i64; 3]) -> String {
        format!(
            "func.func @main(%a: memref<64x64xELEMENT> {{offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                             %b: memref<64x64xELEMENT> {{offload.name = \"b\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                             %c: memref<64x64xELEMENT> {{offload.name = \"c\", offload.map = \"copy\", offload.storage = \"restrict\"}}) {{
               %zero = arith.constant {zero} : ELEMENT
               offload.region parallel {{
                 affine.parallel (%i, %j) = (0, 0) to ({rows}, {columns}) {{
                   %old = affine.load %c[%i, %j] : memref<64x64xELEMENT>
                   %sum = affine.for %k = 0 to {terms} iter_args(%s = {init}) -> (ELEMENT) {{
                     %x = affine.load {left} : memref<64x64xELEMENT>
                     %y = affine.load {right} : memref<64x64xELEMENT>
                     %p = {multiply} %x, %y : ELEMENT
                     %t = {add} %s, %p : ELEMENT
                     affine.yield %t : ELEMENT
                   }}
                   {behind}
                 }} {{offload.schedule = []}}
               }}
               return
             }}",
            zero = self.zero,
            init = self.init,
            left = self.left,
            right = self.right,
            multiply = self.multiply,
            add = self.add,
            behind = self.behind,
        )
        .replace("ELEMENT", self.element)
    }
}

const SIZES: [[i64; 3]; 7] =
    [[0, 5, 5], [1, 1, 1], [16, 16, 16], [17, 33, 13], [32, 8, 0], [5, 40, 31], [10, 9, 60]];

/// Every size, each with another plan.
fn check_product(product: &Product) {
    for (number, sizes) in SIZES.into_iter().enumerate() {
        check_sizes(product, sizes, PLANS[number % PLANS.len()]);
    }
}

fn check_sizes(product: &Product, sizes: [i64; 3], plan: &str) {
    let tiled = check(&product.text(sizes), plan);
    // A loop of one round or none is no loop any more when the pass sees it.
    let expected = usize::from(sizes.iter().all(|&size| size > 1));
    assert!(tiled >= expected, "{plan} at {sizes:?}");
}

#[test]
fn every_plan_at_every_size() {
    for plan in PLANS {
        for sizes in SIZES {
            check_sizes(&PLAIN, sizes, plan);
        }
    }
}

#[test]
fn as_code_of_threads() {
    for sizes in [[17, 33, 13], [16, 16, 16]] {
        let text = Product { init: "%old", ..PLAIN }.text(sizes);
        assert_eq!(check_through(&text, PLANS[0], &[LOWER]), 1);
    }
    for element in ["f32", "f64"] {
        let text = Product { element, ..PLAIN }.text([10, 9, 60]);
        assert_eq!(check_through(&text, LONG_RUNS, &[LOWER]), 1);
    }
}

#[test]
fn products_of_every_orientation() {
    for (left, right) in [
        ("%a[%i, %k]", "%b[%k, %j]"),
        ("%a[%k, %i]", "%b[%k, %j]"),
        ("%a[%i, %k]", "%b[%j, %k]"),
        ("%a[%k, %i]", "%b[%j, %k]"),
    ] {
        check_product(&Product { left, right, ..PLAIN });
    }
}

#[test]
fn numbers_of_four_and_eight_bytes() {
    check_product(&Product { element: "f64", ..PLAIN });
    for element in ["i32", "i64"] {
        let integers = Product { zero: "0", multiply: "arith.muli", add: "arith.addi", ..PLAIN };
        check_product(&Product { element, ..integers });
    }
}

#[test]
fn sums_that_start_with_what_is_there() {
    check_product(&Product { init: "%old", ..PLAIN });
}

#[test]
fn results_that_join_what_is_there() {
    let behind = "%r = arith.addf %sum, %old : f32
                  affine.store %r, %c[%i, %j] : memref<64x64xELEMENT>";
    check_product(&Product { behind, ..PLAIN });
}

#[test]
fn shifted_and_strided_operands() {
    let shifted = Product { left: "%a[%i + 1, %k + 2]", right: "%b[%k + 3, %j + 4]", ..PLAIN };
    check_product(&shifted);
    for sizes in [[9, 31, 15], [16, 16, 16]] {
        let strided = Product { left: "%a[%i * 2, %k * 3]", right: "%b[%k * 2 + 1, %j]", ..PLAIN };
        assert_eq!(check(&strided.text(sizes), PLANS[0]), 1);
    }
}

#[test]
fn both_operands_from_one_matrix() {
    check_product(&Product { right: "%a[%j, %k]", ..PLAIN });
}

#[test]
fn stored_transposed() {
    let behind = "affine.store %sum, %c[%j, %i] : memref<64x64xELEMENT>";
    check_product(&Product { behind, ..PLAIN });
}

#[test]
fn tiles_in_a_ring() {
    for plan in RINGS {
        for sizes in [[16, 16, 16], [17, 33, 20], [5, 40, 32]] {
            check_sizes(&PLAIN, sizes, plan);
            check_sizes(&Product { left: "%a[%k, %i]", ..PLAIN }, sizes, plan);
            check_sizes(&Product { element: "f64", ..PLAIN }, sizes, plan);
        }
        // A shorter run at the end is not for them, and neither are fewer runs than tiles: the nest as it was.
        for terms in [13, 31, 2, 1, 0] {
            check(&PLAIN.text([9, 9, terms]), plan);
        }
    }
}

#[test]
fn what_the_nest_writes_is_not_staged() {
    // Row i of the result is read as a term of other columns.
    let overwritten = Product { left: "%c[%i, %k]", ..PLAIN };
    assert_eq!(check_tiles(&overwritten), 0);
    // Nothing is the same for several rows.
    assert_eq!(check_tiles(&Product { right: "%b[%i, %j]", ..PLAIN }), 0);
}

/// How many loops of a text are tiled, whatever it computes.
fn check_tiles(product: &Product) -> usize {
    let stages = "tile-contractions{arch=sm_80 least-blocks=0}";
    run(stages, &product.text([16, 16, 16])).1.matches("Loop tiled").count()
}

#[test]
fn batches_and_bounds_of_the_program() {
    for plan in [PLANS[0], PLANS[3]] {
        let text = "
        func.func @main(%a: memref<?x?x?xf32> {offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                        %b: memref<?x?x?xf32> {offload.name = \"b\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                        %c: memref<?x?x?xf32> {offload.name = \"c\", offload.map = \"copy\", offload.storage = \"restrict\"}) {
          %zero = arith.constant 0.0 : f32
          %c0 = arith.constant 0 : index
          offload.region parallel {
            %n = memref.dim %a, %c0 : memref<?x?x?xf32>
            affine.parallel (%l, %i, %j) = (1, 0, 2) to (3, symbol(%n), symbol(%n)) {
              %sum = affine.for %k = 1 to %n iter_args(%s = %zero) -> (f32) {
                %x = affine.load %a[%l, %i, %k] : memref<?x?x?xf32>
                %y = affine.load %b[%k, %l, %j] : memref<?x?x?xf32>
                %p = arith.mulf %x, %y : f32
                %t = arith.addf %s, %p : f32
                affine.yield %t : f32
              }
              affine.store %sum, %c[%l, %i, %j] : memref<?x?x?xf32>
            } {offload.schedule = []}
          }
          return
        }";
        assert_eq!(check(text, plan), 1);
    }
}

#[test]
fn several_sums_and_terms_of_their_own() {
    // Distances between rows, and a largest term: numbers of iterations are used as numbers.
    let text = "
        func.func @main(%a: memref<40x24xf32> {offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                        %w: memref<24xf32> {offload.name = \"w\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                        %m: memref<40x40xf32> {offload.name = \"m\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                        %c: memref<40x40xf32> {offload.name = \"c\", offload.map = \"copy\", offload.storage = \"restrict\"},
                        %d: memref<40x40xi32> {offload.name = \"d\", offload.map = \"copy\", offload.storage = \"restrict\"}) {
          %zero = arith.constant 0.0 : f32
          %none = arith.constant 0 : i32
          offload.region parallel {
            affine.parallel (%i, %j) = (0, 0) to (37, 39) {
              %all = affine.load %m[%i, %j] : memref<40x40xf32>
              %sum:2 = affine.for %k = 0 to 23 iter_args(%s = %zero, %n = %none) -> (f32, i32) {
                %x = affine.load %a[%i, %k] : memref<40x24xf32>
                %y = affine.load %a[%j, %k] : memref<40x24xf32>
                %z = affine.load %w[%k] : memref<24xf32>
                %q = arith.subf %x, %y : f32
                %r = arith.mulf %q, %q : f32
                %u = arith.mulf %r, %z : f32
                %v = arith.addf %u, %all : f32
                %t = arith.addf %s, %v : f32
                %ii = arith.index_cast %i : index to i32
                %kk = arith.index_cast %k : index to i32
                %ik = arith.muli %ii, %kk : i32
                %o = arith.addi %n, %ik : i32
                affine.yield %t, %o : f32, i32
              }
              affine.store %sum#0, %c[%i, %j] : memref<40x40xf32>
              affine.store %sum#1, %d[%i, %j] : memref<40x40xi32>
            } {offload.schedule = []}
          }
          return
        }";
    for plan in [PLANS[0], PLANS[4]] {
        assert_eq!(check(text, plan), 1);
    }
}

/// A triangle, its columns from `lower` to `upper` of row `%i`.
fn triangle(rows: &str, lower: &str, upper: &str, init: &str) -> String {
    format!(
        "func.func @main(%a: memref<48x24xf32> {{offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                         %c: memref<48x48xf32> {{offload.name = \"c\", offload.map = \"copy\", offload.storage = \"restrict\"}}) {{
           %zero = arith.constant 0.0 : f32
           offload.region parallel {{
             affine.parallel (%i) = {rows} {{
               affine.parallel (%j) = ({lower}) to ({upper}) {{
                 %old = affine.load %c[%i, %j] : memref<48x48xf32>
                 %sum = affine.for %k = 0 to 23 iter_args(%s = {init}) -> (f32) {{
                   %x = affine.load %a[%i, %k] : memref<48x24xf32>
                   %y = affine.load %a[%j, %k] : memref<48x24xf32>
                   %p = arith.mulf %x, %y : f32
                   %t = arith.addf %s, %p : f32
                   affine.yield %t : f32
                 }}
                 %r = arith.addf %sum, %old : f32
                 affine.store %r, %c[%i, %j] : memref<48x48xf32>
               }}
             }} {{offload.schedule = []}}
           }}
           return
         }}"
    )
}

#[test]
fn triangles() {
    for init in ["%zero", "%old"] {
        for (rows, lower, upper) in [
            ("(0) to (37)", "0", "%i + 1"),
            ("(0) to (37)", "%i", "37"),
            ("(3) to (40)", "%i - 3", "%i + 5"),
            ("(0) to (14)", "14 - %i", "%i + 15"),
            ("(5) to (32)", "1", "40 - %i"),
        ] {
            let text = triangle(rows, lower, upper, init);
            assert_eq!(check(&text, PLANS[0]), 1, "{text}");
            assert_eq!(check(&text, PLANS[2]), 1, "{text}");
        }
    }
}

#[test]
fn triangles_with_empty_rows_are_left() {
    // The last row has no column: its elements are not the nest's to read.
    for (rows, lower, upper) in [("(0) to (37)", "%i + 1", "37"), ("(0) to (37)", "0", "%i")] {
        assert_eq!(check(&triangle(rows, lower, upper, "%zero"), PLANS[0]), 0);
    }
}

/// A product of which each result has terms of its own, `lower` to `upper`, in arrays that have just what it asks for.
struct Slanted {
    left: (&'static str, &'static str),
    right: (&'static str, &'static str),
    bounds: (&'static str, &'static str),
    sizes: [i64; 2],
}

impl Slanted {
    fn text(&self) -> String {
        let Slanted { left: (a, left), right: (b, right), bounds: (lower, upper), .. } = self;
        let [rows, columns] = self.sizes;
        format!(
            "func.func @main(%a: memref<{a}xf32> {{offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                             %b: memref<{b}xf32> {{offload.name = \"b\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                             %c: memref<{rows}x{columns}xf32> {{offload.name = \"c\", offload.map = \"copy\", offload.storage = \"restrict\"}}) {{
               offload.region parallel {{
                 affine.parallel (%i, %j) = (0, 0) to ({rows}, {columns}) {{
                   %old = affine.load %c[%i, %j] : memref<{rows}x{columns}xf32>
                   %sum = affine.for %k = {lower} to {upper} iter_args(%s = %old) -> (f32) {{
                     %x = affine.load %a[{left}] : memref<{a}xf32>
                     %y = affine.load %b[{right}] : memref<{b}xf32>
                     %p = arith.mulf %x, %y : f32
                     %t = arith.addf %s, %p : f32
                     affine.yield %t : f32
                   }}
                   affine.store %sum, %c[%i, %j] : memref<{rows}x{columns}xf32>
                 }} {{offload.schedule = []}}
               }}
               return
             }}"
        )
    }
}

/// Terms behind the row (the last one has none), in front of it, up to a diagonal across, in front of the column, behind and in front of both.
const SLANTED: [Slanted; 9] = [
    Slanted {
        left: ("37x36", "%k, %i"),
        right: ("37x21", "%k, %j"),
        bounds: ("affine_map<(d0) -> (d0 + 1)>(%i)", "37"),
        sizes: [37, 21],
    },
    Slanted {
        left: ("36x37", "%i, %k"),
        right: ("37x21", "%k, %j"),
        bounds: ("affine_map<(d0) -> (d0 + 1)>(%i)", "37"),
        sizes: [37, 21],
    },
    Slanted {
        left: ("33x32", "%i, %k"),
        right: ("21x32", "%j, %k"),
        bounds: ("0", "affine_map<(d0) -> (d0)>(%i)"),
        sizes: [33, 21],
    },
    Slanted {
        left: ("30x30", "%i, %k"),
        right: ("30x16", "%k, %j"),
        bounds: ("0", "affine_map<(d0) -> (-d0 + 30)>(%i)"),
        sizes: [32, 16],
    },
    Slanted {
        left: ("16x19", "%i, %k"),
        right: ("19x19", "%j, %k"),
        bounds: ("3", "affine_map<(d0) -> (d0 + 1)>(%j)"),
        sizes: [16, 19],
    },
    Slanted {
        left: ("29x29", "%i, %k"),
        right: ("29x23", "%k, %j"),
        bounds: ("max affine_map<(d0, d1) -> (d0, d1)>(%i, %j)", "29"),
        sizes: [29, 23],
    },
    Slanted {
        left: ("29x28", "%i, %k"),
        right: ("28x23", "%k, %j"),
        bounds: ("0", "min affine_map<(d0, d1) -> (d0, d1, 20)>(%i, %j)"),
        sizes: [29, 23],
    },
    Slanted {
        left: ("22x25", "%i, %k"),
        right: ("25x25", "%k, %j"),
        bounds: ("affine_map<(d0) -> (d0)>(%i)", "affine_map<(d0) -> (d0 + 1)>(%j)"),
        sizes: [22, 25],
    },
    Slanted {
        left: ("20x60", "%i, %k"),
        right: ("60x17", "%k, %j"),
        bounds: ("affine_map<(d0) -> (d0 * 3)>(%i)", "60"),
        sizes: [20, 17],
    },
];

#[test]
fn terms_of_a_triangle() {
    for slanted in &SLANTED {
        for plan in PLANS {
            assert_eq!(check(&slanted.text(), plan), 1, "{plan}:\n{}", slanted.text());
        }
    }
    assert_eq!(check_through(&SLANTED[0].text(), PLANS[0], &[LOWER]), 1);
    assert_eq!(check_through(&SLANTED[7].text(), LONG_RUNS, &[LOWER]), 1);
}

#[test]
fn results_without_terms_are_not_there() {
    let under = |slanted: &Slanted, condition: &str| {
        let text = slanted.text();
        let text = text.replace(
            "%old = affine",
            &format!("affine.if affine_set<{condition} {{\n%old = affine"),
        );
        text.replace("} {offload.schedule", "} } {offload.schedule")
    };
    for plan in PLANS {
        for (number, condition) in [
            (0, "(d0) : (-d0 + 35 >= 0)>(%i)"),
            (2, "(d0) : (d0 - 1 >= 0)>(%i)"),
            (3, "(d0) : (-d0 + 29 >= 0)>(%i)"),
            (5, "(d0, d1) : (-d0 + 28 >= 0, -d1 + 28 >= 0)>(%i, %j)"),
            (7, "(d0, d1) : (d1 - d0 >= 0)>(%i, %j)"),
        ] {
            assert_eq!(check(&under(&SLANTED[number], condition), plan), 1, "{plan}: {condition}");
        }
    }
    // Results that are not there though they would have terms: what is loaded for them may not be there either.
    assert_eq!(check(&under(&SLANTED[0], "(d0) : (-d0 + 30 >= 0)>(%i)"), PLANS[0]), 0);
    assert_eq!(check(&under(&SLANTED[0], "(d0) : (-d0 + 35 == 0)>(%i)"), PLANS[0]), 0);
}

#[test]
fn no_row_has_all_terms_of_a_band() {
    // Neither the first nor the last row of a block has all that any has.
    let band = Slanted {
        left: ("20x22", "%i, %k"),
        right: ("22x9", "%k, %j"),
        bounds: ("affine_map<(d0) -> (d0)>(%i)", "affine_map<(d0) -> (d0 + 3)>(%i)"),
        sizes: [20, 9],
    };
    assert_eq!(check(&band.text(), PLANS[0]), 0);
}

/// The two halves of a symmetric matrix by another: the second sum begins with the first, each its own terms.
const SYMMETRIC: &str = "
    func.func @main(%a: memref<37x37xf32> {offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                    %b: memref<37x21xf32> {offload.name = \"b\", offload.map = \"copyin\", offload.storage = \"restrict\"},
                    %c: memref<37x21xf32> {offload.name = \"c\", offload.map = \"copy\", offload.storage = \"restrict\"}) {
      %zero = arith.constant 0.0 : f32
      offload.region parallel {
        affine.parallel (%i, %j) = (0, 0) to (37, 21) {
          %old = affine.load %c[%i, %j] : memref<37x21xf32>
          %d = affine.load %a[%i, %i] : memref<37x37xf32>
          %low = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%s = %zero) -> (f32) {
            %x = affine.load %a[%i, %k] : memref<37x37xf32>
            %y = affine.load %b[%k, %j] : memref<37x21xf32>
            %p = arith.mulf %x, %y : f32
            %t = arith.addf %s, %p : f32
            affine.yield %t : f32
          }
          %scaled = arith.mulf %old, %d : f32
          %start = arith.addf %scaled, %low : f32
          %all = affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to 37 iter_args(%s = %start) -> (f32) {
            %x = affine.load %a[%k, %i] : memref<37x37xf32>
            %y = affine.load %b[%k, %j] : memref<37x21xf32>
            %q = arith.subf %y, %low : f32
            %p = arith.mulf %x, %q : f32
            %t = arith.addf %s, %p : f32
            affine.yield %t : f32
          }
          %r = arith.subf %all, %low : f32
          affine.store %r, %c[%i, %j] : memref<37x21xf32>
        } {offload.schedule = []}
      }
      return
    }";

#[test]
fn one_sum_after_another() {
    for plan in PLANS {
        assert_eq!(check(SYMMETRIC, plan), 1, "{plan}");
    }
    assert_eq!(check_through(SYMMETRIC, PLANS[1], &[LOWER]), 1);
    // Of the same terms, too.
    let [first, second] = ["affine_map<(d0) -> (d0)>(%i)", "affine_map<(d0) -> (d0 + 1)>(%i)"];
    let even = SYMMETRIC.replace(first, "30").replace(second, "2");
    for plan in PLANS {
        assert_eq!(check(&even, plan), 1, "{plan}");
    }
    // Each sum has tiles in memory of the block as it wants them; they lie in the same where they are alike.
    let tiling =
        "tile-contractions{arch=sm_80 least-blocks=0 tile-sizes=8,8,4 thread-sizes=2,2 wide=false}";
    let (tiled, _) = run(tiling, &even);
    assert_eq!(tiled.matches("memref.alloca() : memref<4x8xf32, #gpu").count(), 2, "{tiled}");
}

#[test]
fn rings_are_for_one_sum_of_the_same_terms() {
    for text in [SLANTED[0].text(), SYMMETRIC.to_owned()] {
        let (_, said) = run(&format!("tile-contractions{{arch=sm_80 {}}}", RINGS[0]), &text);
        assert!(said.contains("copies in the background"), "{said}");
    }
}
