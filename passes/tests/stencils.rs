//! Stencils through memory of the block, and with several iterations a thread: the same to the bit as the loops in
//! order, as code of the grid and of threads, for blocks that divide the sizes and for such that do not.

mod remarks;

use gpuc_interp::{Comparison, Order, check_same};
use gpuc_passes::pipelines::{LOWER, PARALLEL};
use remarks::{parse, run};

const TILES: [&str; 4] = ["4,8,2", "8,4,8", "2,16,1", "16,32,4"];

const SIZES: [[i64; 2]; 6] = [[0, 5], [1, 1], [16, 32], [17, 33], [31, 37], [4, 48]];

/// How a stencil is done.
#[derive(Clone, Copy, Debug)]
enum How {
    /// In blocks of such rows and columns, so many rows a thread.
    Blocks(&'static str),
    /// So many iterations of an outer loop a thread.
    Coarse(i64),
}

impl How {
    /// The stages up to kernels, with the pass of this one alone.
    fn stages(self) -> String {
        let (coarsen, stage) = ("coarsen-threads{arch=$arch}", "stage-stencils{arch=$arch}");
        assert!(
            PARALLEL.contains(coarsen) && PARALLEL.contains(stage),
            "the passes have other options"
        );
        let given = match self {
            How::Blocks(tiles) => format!("{stage} tile-sizes={tiles} least-blocks=0}}"),
            How::Coarse(factor) => format!("{coarsen} factor={factor} least-threads=0}}"),
        };
        let both = format!("{coarsen},{stage}");
        PARALLEL.replace(&both, &given.replace("$arch}", "$arch"))
    }
}

/// Runs `@main` in order and by a pass; says how many nests it took.
fn check(text: &str, how: How, behind: &[&str]) -> usize {
    let parallel = how.stages();
    assert!(parallel.contains("least-"), "the passes do not follow each other");
    let stages = [&[&parallel[..]], behind].concat().join(",");
    let (lowered, said) = run(&stages.replace("$arch", "sm_80"), text);
    assert!(!said.contains("error"), "{said}in\n{text}");
    let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
    let mut comparison = Comparison::new("main", 1);
    comparison.extent = 21;
    comparison.options.order = if behind.is_empty() { Order::Forwards } else { Order::Backwards };
    check_same((&before, before_module), (&after, after_module), &comparison)
        .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{lowered}"));
    match how {
        How::Blocks(_) => said.matches("through shared memory from").count(),
        How::Coarse(_) => said.matches("Threads take").count(),
    }
}

/// `b[i][j] = f(a round about [i][j])` for rows and columns from 4 on.
fn nest(element: &str, [rows, columns]: [i64; 2], body: &str) -> String {
    let (last_row, last_column) = (rows + 4, columns + 4);
    format!(
        "func.func @main(%a: memref<64x64xELEMENT> {{offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                         %b: memref<64x64xELEMENT> {{offload.name = \"b\", offload.map = \"copy\", offload.storage = \"restrict\"}}) {{
           offload.region parallel {{
             affine.parallel (%i, %j) = (4, 4) to ({last_row}, {last_column}) {{
               {body}
             }} {{offload.schedule = []}}
           }}
           return
         }}"
    )
    .replace("ELEMENT", element)
}

/// A sum of elements of `a` at offsets.
fn sum(element: &str, offsets: &[[i64; 2]]) -> String {
    let add = if element.starts_with('f') { "arith.addf" } else { "arith.addi" };
    let mut text = String::new();
    let mut total = String::new();
    for (number, [row, column]) in offsets.iter().enumerate() {
        text += &format!(
            "%x{number} = affine.load %a[%i + {row}, %j + {column}] : memref<64x64x{element}>\n"
        );
        total = match number {
            0 => "%x0".to_owned(),
            _ => {
                text += &format!("%s{number} = {add} {total}, %x{number} : {element}\n");
                format!("%s{number}")
            }
        };
    }
    text + &format!("affine.store {total}, %b[%i, %j] : memref<64x64x{element}>")
}

fn check_all(element: &str, body: &str) {
    let coarse = [2, 3, 8].map(How::Coarse);
    for how in TILES.map(How::Blocks).into_iter().chain(coarse) {
        for sizes in SIZES {
            let taken = check(&nest(element, sizes, body), how, &[]);
            // A loop of one round or none is no loop any more when the pass sees it.
            assert!(taken >= usize::from(sizes.iter().all(|&size| size > 1)), "{how:?} {sizes:?}");
        }
    }
}

const STAR: [[i64; 2]; 5] = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]];
const WIDE_STAR: [[i64; 2]; 9] =
    [[0, 0], [-2, 0], [-1, 0], [1, 0], [2, 0], [0, -2], [0, -1], [0, 1], [0, 2]];
const SKEW: [[i64; 2]; 9] =
    [[-3, 0], [-2, -1], [-1, -2], [0, -3], [0, 0], [0, 3], [1, 2], [2, 1], [3, 3]];

#[test]
fn stars_and_skew_shapes() {
    check_all("f32", &sum("f32", &STAR));
    check_all("f64", &sum("f64", &WIDE_STAR));
    for sizes in SIZES {
        check(&nest("i16", sizes, &sum("i16", &SKEW)), How::Blocks(TILES[3]), &[]);
        check(&nest("i16", sizes, &sum("i16", &SKEW)), How::Coarse(5), &[]);
    }
}

#[test]
fn as_code_of_threads() {
    for sizes in [[16, 32], [17, 33]] {
        let body = sum("f32", &STAR);
        for how in [How::Blocks(TILES[0]), How::Coarse(4)] {
            assert_eq!(check(&nest("f32", sizes, &body), how, &[LOWER]), 1);
        }
    }
}

#[test]
fn convolutions_in_inner_loops() {
    let body = "%zero = arith.constant 0 : i8
        %r = affine.for %y = 0 to 5 iter_args(%u = %zero) -> (i8) {
          %q = affine.for %x = 0 to 3 iter_args(%v = %u) -> (i8) {
            %e = affine.load %a[%i + %y - 2, %j - %x + 1] : memref<64x64xi8>
            %p = arith.addi %v, %e : i8
            affine.yield %p : i8
          }
          affine.yield %q : i8
        }
        affine.store %r, %b[%i, %j] : memref<64x64xi8>";
    check_all("i8", body);
}

/// Blocks of which some iteration does not load read the array as it is.
#[test]
fn under_conditions() {
    let body = format!(
        "affine.if affine_set<(i, j) : (i - 6 >= 0, 17 - i >= 0, j - 5 >= 0)>(%i, %j) {{ {} }}",
        sum("f32", &WIDE_STAR)
    );
    check_all("f32", &body);
}

/// What iterations write is not what others read: left as it was.
#[test]
fn in_place_is_left() {
    let text = nest("f32", [16, 32], &sum("f32", &STAR)).replace("%b[%i, %j]", "%a[%i, %j]");
    let (_, said) = run("func.func(stage-stencils{tile-sizes=4,8,2 least-blocks=0})", &text);
    assert!(!said.contains("through shared memory"), "{said}");
}

/// What iterations write stays in memory: the elements that they read are not those of registers.
#[test]
fn what_is_written_is_loaded_again() {
    let text = nest("f32", [16, 32], &sum("f32", &STAR)).replace("%b[%i, %j]", "%a[%i, %j]");
    let (_, said) = run("func.func(coarsen-threads{factor=4 least-threads=0})", &text);
    assert!(!said.contains("Threads take"), "{said}");
    // A sum in place of its own element, of neighbours in another array.
    let body = "%n = affine.load %a[%i - 1, %j] : memref<64x64xf32>
        %s = affine.load %a[%i + 1, %j] : memref<64x64xf32>
        %o = affine.load %b[%i, %j] : memref<64x64xf32>
        %p = affine.load %b[%i, %j] : memref<64x64xf32>
        %0 = arith.addf %n, %s : f32
        %1 = arith.addf %0, %o : f32
        affine.store %1, %b[%i, %j] : memref<64x64xf32>
        %q = affine.load %b[%i, %j] : memref<64x64xf32>
        %2 = arith.addf %q, %p : f32
        affine.store %2, %b[%i, %j] : memref<64x64xf32>";
    for sizes in SIZES {
        check(&nest("f32", sizes, body), How::Coarse(4), &[]);
    }
}

/// Five loads do not win back a copy and a barrier, nor do those of doubles that memory bounds anyway.
#[test]
fn few_loads_are_left() {
    let staged = |element: &str, reach: i64| {
        let rows = (-reach..=reach).map(|row| [row, 0]);
        let columns = (-reach..=reach).map(|column| [0, column]);
        let text = nest(element, [48, 48], &sum(element, &rows.chain(columns).collect::<Vec<_>>()));
        let (_, said) = run("func.func(stage-stencils{arch=sm_90 least-blocks=0})", &text);
        said.contains("tile ")
    };
    assert!(staged("i8", 4));
    assert!(!staged("i8", 1));
    assert!(!staged("f64", 4));
}
