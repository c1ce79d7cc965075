//! Stencils in space, plane by plane: the same to the bit as the loops in order, as code of the grid and of threads, for
//! blocks that divide the sizes and for such that do not. Arrays have no element that the nest does not need.

mod remarks;

use gpuc_interp::{Comparison, Order, check_same};
use gpuc_passes::pipelines::{LOWER, PARALLEL};
use remarks::{parse, run};

/// Planes, rows and columns of a block, rows of a thread.
const TILES: [[i64; 4]; 4] = [[3, 4, 8, 2], [64, 2, 4, 1], [1, 8, 8, 8], [4, 6, 5, 3]];

const SIZES: [[i64; 3]; 7] =
    [[0, 5, 9], [1, 1, 1], [1, 8, 16], [7, 11, 17], [8, 8, 16], [13, 5, 8], [2, 9, 13]];

const REACH: i64 = 2;

/// `b[i][j][k]` is the sum of elements of `a` at offsets, with the loops in this order.
fn nest(element: &str, sizes: [i64; 3], offsets: &[[i64; 3]], loops: &str) -> String {
    let shape = sizes.map(|size| (size + 2 * REACH).to_string()).join("x");
    let ends = sizes.map(|size| size + REACH);
    let end = |name: &str| ends["ijk".find(name).unwrap()].to_string();
    let names: Vec<String> = loops.chars().map(String::from).collect();
    let uppers: Vec<String> = names.iter().map(|name| end(name)).collect();
    let add = if element.starts_with('f') { "arith.addf" } else { "arith.addi" };
    let (mut body, mut total) = (String::new(), String::new());
    for (number, [plane, row, column]) in offsets.iter().enumerate() {
        body += &format!(
            "%x{number} = affine.load %a[%i + {plane}, %j + {row}, %k + {column}] : memref<{shape}x{element}>\n"
        );
        if number == 0 {
            total = "%x0".to_owned();
            continue;
        }
        body += &format!("%s{number} = {add} {total}, %x{number} : {element}\n");
        total = format!("%s{number}");
    }
    format!(
        "func.func @main(%a: memref<{shape}x{element}> {{offload.name = \"a\", offload.map = \"copyin\", offload.storage = \"restrict\"}},
                         %b: memref<{shape}x{element}> {{offload.name = \"b\", offload.map = \"copy\", offload.storage = \"restrict\"}}) {{
           offload.region parallel {{
             affine.parallel (%{}) = ({REACH}, {REACH}, {REACH}) to ({}) {{
               {body}
               %o = affine.load %b[%i, %j, %k] : memref<{shape}x{element}>
               %r = {add} %o, {total} : {element}
               affine.store %r, %b[%i, %j, %k] : memref<{shape}x{element}>
             }} {{offload.schedule = []}}
           }}
           return
         }}",
        names.join(", %"),
        uppers.join(", "),
    )
}

/// The stages up to kernels, with this pass alone.
fn stages(tile: [i64; 4]) -> String {
    let (march, coarsen, stage) =
        ("march-stencils{arch=$arch}", "coarsen-threads{arch=$arch}", "stage-stencils{arch=$arch}");
    let all = format!("{march},{coarsen},{stage}");
    assert!(PARALLEL.contains(&all), "the passes have other options");
    let sizes = tile.map(|size| size.to_string()).join(",");
    PARALLEL
        .replace(&all, &format!("march-stencils{{arch=$arch tile-sizes={sizes} least-blocks=1}}"))
}

/// Runs `@main` in order and by the pass; says how many nests it took.
fn check(text: &str, tile: [i64; 4], behind: &[&str]) -> usize {
    let stages = [&[&stages(tile)[..]], behind].concat().join(",");
    let (lowered, said) = run(&stages.replace("$arch", "sm_80"), text);
    assert!(!said.contains("error"), "{said}in\n{text}");
    let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
    let mut comparison = Comparison::new("main", 1);
    comparison.options.order = if behind.is_empty() { Order::Forwards } else { Order::Backwards };
    check_same((&before, before_module), (&after, after_module), &comparison)
        .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{lowered}"));
    said.matches("Walks over").count()
}

fn star() -> Vec<[i64; 3]> {
    let mut all = vec![[0; 3]];
    for side in 0..3 {
        for further in [-2, -1, 1, 2] {
            all.push([0, 1, 2].map(|other| if other == side { further } else { 0 }));
        }
    }
    all
}

fn cube() -> Vec<[i64; 3]> {
    let three = -1..=1;
    let rows = three.clone().flat_map(|plane| three.clone().map(move |row| [plane, row]));
    rows.flat_map(|[plane, row]| (-1..=1).map(move |column| [plane, row, column])).collect()
}

fn check_all(element: &str, offsets: &[[i64; 3]], loops: &str) {
    for tile in TILES {
        for sizes in SIZES {
            let taken = check(&nest(element, sizes, offsets, loops), tile, &[]);
            // A loop of one round or none is no loop any more when the pass sees it.
            assert!(taken >= usize::from(sizes.iter().all(|&size| size > 1)), "{tile:?} {sizes:?}");
        }
    }
}

#[test]
fn stars() {
    check_all("f32", &star(), "ijk");
    check_all("f64", &star()[..9], "ijk");
}

/// Neighbours of several planes are in memory of the block at once.
#[test]
fn cubes() {
    check_all("i32", &cube(), "ijk");
}

/// Planes are what the outermost loop counts, wherever that is in the array.
#[test]
fn loops_in_another_order() {
    check_all("i16", &star(), "jik");
}

/// One side only: nothing is read in front of the first plane, row or column.
#[test]
fn one_sided_stars() {
    let there: Vec<[i64; 3]> =
        star().into_iter().filter(|offset| offset.iter().all(|&each| each >= 0)).collect();
    check_all("f32", &there, "ijk");
    let there: Vec<[i64; 3]> = there.into_iter().map(|offset| offset.map(|each| -each)).collect();
    check_all("i8", &there, "ijk");
}

#[test]
fn as_code_of_threads() {
    for sizes in [[8, 8, 16], [7, 11, 17]] {
        for offsets in [star(), cube()] {
            assert_eq!(check(&nest("f32", sizes, &offsets, "ijk"), TILES[0], &[LOWER]), 1);
        }
    }
}

fn said(text: &str) -> String {
    run("func.func(march-stencils{tile-sizes=3,4,8,2 least-blocks=1})", text).1
}

/// What iterations write is not what others read; and what is held beyond what is read may be no memory.
#[test]
fn what_is_left_as_it_was() {
    let sizes = [8, 8, 16];
    assert!(said(&nest("f32", sizes, &star(), "ijk")).contains("Walks over"));
    let in_place = nest("f32", sizes, &star(), "ijk").replace("%b[", "%a[");
    assert!(!said(&in_place).contains("Walks over"));
    // The last plane is read beside the iteration's own place only, or in fewer places than the one in front of it.
    let beside = [[-1, 0, 0], [0, 0, 0], [1, -1, 0]];
    assert!(!said(&nest("f32", sizes, &beside, "ijk")).contains("Walks over"));
    let fewer = [[0, 1, 1], [0, 0, 0], [0, -1, 1], [1, 0, 0], [1, 0, 1], [-1, 0, 0]];
    assert!(!said(&nest("f32", sizes, &fewer, "ijk")).contains("Walks over"));
    // One plane and row alone.
    let flat = [[0, 0, 0], [0, 0, -1], [0, 0, 1]];
    assert!(!said(&nest("f32", sizes, &flat, "ijk")).contains("Walks over"));
}
