//! Questions about integer sets as the passes ask them, on matrix products and stencils in tiles.

use criterion::Criterion;
use gpuc_benches::cpu_time::CpuTime;
use gpuc_presburger::codegen::{self, Options};
use gpuc_presburger::dependence::{AccessRelation, Conflicts};
use gpuc_presburger::{BasicSet, Map, Set};

/// `for (ti) for (tj) for (tk) for (i) for (j) for (k)`: a matrix product in tiles of 32 x 32 x 8.
const TILED: &str = "[n, m, l] -> { [ti, tj, tk, i, j, k] : \
    0 <= i < n and 0 <= j < m and 0 <= k < l and \
    32ti <= i < 32ti + 32 and 32tj <= j < 32tj + 32 and 8tk <= k < 8tk + 8 }";

fn read<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text} is the notation of sets and maps"))
}

fn access(from: &str, subscripts: &str) -> AccessRelation {
    let relation: Map = read(&from.replacen("] :", &format!("] -> [{subscripts}] :"), 1));
    AccessRelation::from_relation(relation)
}

/// # Panics
/// Where a question that has an answer is refused.
pub fn bench(criterion: &mut Criterion<CpuTime>) {
    dependences(criterion);
    bounds(criterion);
    footprint(criterion);
    optima(criterion);
    unions(criterion);
    code(criterion);
}

fn dependences(criterion: &mut Criterion<CpuTime>) {
    let product = access(TILED, "i, j");
    criterion.bench_function("presburger/6-D tiled dependences, levels", |bencher| {
        bencher.iter(|| {
            let conflicts = Conflicts::new(&product, &product, 6).expect("decided");
            conflicts.dependences(true).expect("decided")
        });
    });
    criterion.bench_function("presburger/6-D tiled dependences, with vectors", |bencher| {
        bencher.iter(|| {
            let conflicts = Conflicts::new(&product, &product, 6).expect("decided");
            let found = conflicts.dependences(true).expect("decided");
            let distances = found.iter().map(|d| d.distances().expect("decided"));
            let distances: Vec<_> = distances.collect();
            let directions = found.iter().map(|d| d.direction_vectors().expect("decided"));
            (distances, directions.collect::<Vec<_>>())
        });
    });
}

fn bounds(criterion: &mut Criterion<CpuTime>) {
    let tiled: BasicSet = read(TILED);
    criterion.bench_function("presburger/tile bounds, 6-D", |bencher| {
        bencher.iter(|| {
            (0..6)
                .map(|dim| tiled.bounds(dim, &(0..dim).collect::<Vec<_>>()).expect("bounded"))
                .collect::<Vec<_>>()
        });
    });
}

fn footprint(criterion: &mut Criterion<CpuTime>) {
    // What a block of threads reads of the first factor, with a halo as wide as a stencil's.
    let factor: Map = read(&TILED.replacen("] :", "] -> [i + 1, k] :", 1));
    criterion.bench_function("presburger/footprint hull", |bencher| {
        bencher.iter(|| factor.footprint(&[0, 1, 2]).expect("of constant size"));
    });
}

fn optima(criterion: &mut Criterion<CpuTime>) {
    let sets = [
        ("strided", "[n] -> { [i] : exists (k : i = 4k + 3) and i >= n }"),
        (
            "2-D tiled and strided",
            "[n, m] -> { [ti, tj, i, j] : n <= i < 2n and m <= j < 2m and i mod 4 = 3 and j mod 2 = 1 \
             and 32ti <= i < 32ti + 32 and 16tj <= j < 16tj + 16 }",
        ),
    ];
    for (name, text) in sets {
        let set: Set = read(text);
        criterion.bench_function(&format!("presburger/lexmin, {name}"), |bencher| {
            bencher.iter(|| set.lexmin_values().expect("bounded below"));
        });
    }
    let tiled: Set = read(TILED);
    criterion.bench_function("presburger/parametric hull, 6-D", |bencher| {
        bencher.iter(|| tiled.parametric_hull().expect("bounded"));
    });
}

fn unions(criterion: &mut Criterion<CpuTime>) {
    // A square with an edge taken off all round, put together again.
    let set: Set = read(
        "[n] -> { [i, j] : 1 <= i < n - 1 and 1 <= j < n - 1; [i, j] : i = 0 and 0 <= j < n; \
         [i, j] : i = n - 1 and n >= 2 and 0 <= j < n; [i, j] : 1 <= i < n - 1 and j = 0; \
         [i, j] : 1 <= i < n - 1 and j = n - 1 and n >= 2 }",
    );
    criterion.bench_function("presburger/coalesce, five pieces", |bencher| {
        bencher.iter(|| set.coalesced());
    });
    let hull = read::<Set>(TILED).parametric_hull().expect("bounded");
    criterion.bench_function("presburger/count of a parametric box", |bencher| {
        bencher.iter(|| hull.count(&[1000, 900, 700]).expect("of a bounded size"));
    });
}

fn code(criterion: &mut Criterion<CpuTime>) {
    let tiled: Set = read(TILED);
    for (name, full_tiles) in [("guarded", None), ("full tiles apart", Some(3))] {
        let options = Options { full_tiles, ..Options::default() };
        criterion.bench_function(&format!("presburger/loops of 6-D tiles, {name}"), |bencher| {
            bencher.iter(|| {
                codegen::generate(tiled.space(), std::slice::from_ref(&tiled), &options)
                    .expect("bounded")
            });
        });
    }
}
