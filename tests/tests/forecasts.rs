//! What kernels are expected to take, from their loops alone, against what the simulator's counters say: not how much exactly, but which plan is
//! faster, and that the host starts the version that it was expected to.

use std::fmt::Write;

use gpuc_tests::bench::Bench;

/// Nests of different kinds, for sizes of their own: a product, a transpose, a star, sums along rows and down columns, and a vector's sum.
const NESTS: [(&str, &str); 6] = [
    (
        "product",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { float s = 0; for (int k = 0; k < N; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }",
    ),
    ("transpose", "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) C[j][i] = A[i][j];"),
    (
        "star",
        "for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++) C[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];",
    ),
    (
        "rows",
        "for (int i = 0; i < N; i++) { float s = 0; for (int j = 0; j < N; j++) s += A[i][j] * x[j]; y[i] = s; }",
    ),
    (
        "columns",
        "for (int j = 0; j < N; j++) { float s = 0; for (int i = 0; i < N; i++) s += A[i][j] * x[i]; y[j] = s; }",
    ),
    (
        "divisions",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) C[i][j] = A[i][j] / (1 + B[i][j]);",
    ),
];

/// A program of one of the nests.
fn program(nest: &str) -> String {
    let mut text =
        String::from("static float A[N][N], B[N][N], C[N][N], x[N], y[N];\nint main(void) {\n");
    let _ = writeln!(text, "#pragma acc kernels copyin(A, B, x) copy(C, y)\n{nest}\nreturn 0; }}");
    text
}

/// Kernels with what is said of them: of forecasts the time and whether they are chosen.
fn forecasts(printed: &str) -> Vec<(String, f64, bool)> {
    let lines = printed.lines().filter(|line| line.starts_with("kernel "));
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[1].to_owned(), words[5].parse().expect("a time"), words[6] == "chosen")
    };
    lines.map(of_line).collect()
}

/// Kernels of a report with the microseconds of a launch.
fn ran(report: &str) -> Vec<(String, f64)> {
    let mut lines = report.lines().peekable();
    let mut kernels = Vec::new();
    while let Some(line) = lines.next() {
        let time = lines.peek().and_then(|next| next.split_once(" on H100 SXM5 by the model"));
        if let (Some((name, _)), Some((time, _))) = (line.split_once(" ("), time) {
            let (number, unit) = time.trim().split_once(' ').expect("a time with its unit");
            let factor = if unit == "ms" { 1e3 } else { 1.0 };
            kernels.push((name.to_owned(), number.parse::<f64>().expect("a number") * factor));
        }
    }
    kernels
}

/// The rank correlation after Spearman.
fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let rank = |pair| pairs.iter().filter(|other| of(other) < of(pair)).count() as f64;
        pairs.iter().map(rank).collect()
    };
    let (a, b) = (ranks(&|pair| pair.0), ranks(&|pair| pair.1));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (of_a, of_b) = (mean(&a), mean(&b));
    let sum = |of: &dyn Fn(usize) -> f64| (0..pairs.len()).map(of).sum::<f64>();
    let both = sum(&|at| (a[at] - of_a) * (b[at] - of_b));
    both / (sum(&|at| (a[at] - of_a).powi(2)) * sum(&|at| (b[at] - of_b).powi(2))).sqrt()
}

/// Of each nest and size the kernel that ran is the one that was expected to, and all together are ranked as the simulator ranks them.
#[test]
fn kernels_are_ranked_as_the_simulator_ranks_them() {
    let bench = Bench::new();
    let mut pairs = Vec::new();
    for (name, nest) in NESTS {
        bench.write("a.c", &program(nest));
        for size in [384, 1000] {
            let expected =
                forecasts(&bench.ok(&format!("--emit=forecast --arch=sm_90 -DN={size} a.c")));
            let said = bench.ok(&format!(
                "run --arch=sm_90 --device=sim --device-model=h100 --report -DN={size} a.c"
            ));
            let ran = ran(&said);
            assert!(!ran.is_empty(), "{name} {size}: {said}");
            for (ran, us) in &ran {
                let found = expected.iter().find(|(kernel, ..)| kernel == ran);
                let (_, guess, chosen) = found.unwrap_or_else(|| panic!("no forecast of {ran}"));
                assert!(chosen, "{name} {size}: {ran} was not expected to run");
                // What a forecast is for: not the last percent.
                assert!((0.4..2.5).contains(&(guess / us)), "{ran} {size}: {guess} us for {us} us");
                pairs.push((*us, *guess));
            }
        }
    }
    let correlation = spearman(&pairs);
    assert!(correlation > 0.9, "{correlation}: {pairs:?}");
}

/// Blocks of a triangle have all, half or nothing to do: no one of them stands for all, wherever it is.
#[test]
fn blocks_that_are_not_alike_stand_for_each_other() {
    let bench = Bench::new();
    let nest = "for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) { float s = 0; for (int k = 0; k < N; k++) s += A[i][k] * A[j][k]; C[i][j] = s; }";
    bench.write("a.c", &program(nest));
    let own = bench.ok("--emit=plan --arch=sm_90 -DN=1100 a.c");
    let tile = own.lines().position(|line| line.trim().starts_with("tile")).expect("a tile");
    for tiles in ["i by 64, j by 128", "i by 128, j by 64", "i by 64, j by 64"] {
        let step = format!("  tile {tiles}, k by 16, threads 8 by 8");
        let lines = own.lines().enumerate().filter(|(_, line)| !line.trim().starts_with("tile"));
        let mut plan: Vec<String> = lines.map(|(_, line)| line.to_owned()).collect();
        plan.insert(tile, format!("{step}, where 1 blocks"));
        plan.insert(tile, format!("{step}, wide, where 1 blocks"));
        bench.write("a.plan", &(plan.join("\n") + "\n"));
        let options = "--arch=sm_90 -DN=1100 --plan=a.plan";
        let expected = forecasts(&bench.ok(&format!("--emit=forecast {options} a.c")));
        let ran =
            ran(&bench.ok(&format!("run {options} --device=sim --device-model=h100 --report a.c")));
        let (kernel, us) = ran.first().expect("a kernel ran");
        let (_, guess, _) = expected.iter().find(|(name, ..)| name == kernel).expect("a forecast");
        assert!((0.75..1.3).contains(&(guess / us)), "{tiles}: {guess} us for {us} us");
    }
}

/// `gpuc tune` runs what is expected to be fast, and says both times.
#[test]
fn plans_are_ranked_as_the_simulator_ranks_them() {
    let bench = Bench::new();
    bench.write("a.c", &program(NESTS[0].1));
    let said = bench
        .ok("tune --arch=sm_90 --device=sim --device-model=h100 --tuning=a.tuning -DN=384 a.c");
    let lines = said.lines().filter_map(|line| line.split_once(" us expected, "));
    let pairs: Vec<(f64, f64)> = lines
        .map(|(expected, measured)| {
            let guess = expected.rsplit(' ').next().and_then(|word| word.parse().ok());
            let us = measured.trim_end_matches(" us").parse();
            (us.expect("a time"), guess.expect("a forecast"))
        })
        .collect();
    assert_eq!(pairs.len(), 8, "{said}");
    assert!(pairs.is_sorted_by(|a, b| a.1 <= b.1), "{said}");
    assert!(spearman(&pairs) > 0.7, "{said}");
}

/// What a plan says wrong is refused with a search as without one, and left out where that is asked for.
#[test]
fn a_search_does_not_hide_what_is_wrong_with_a_plan() {
    let bench = Bench::new();
    bench.write("a.c", &program(NESTS[5].1));
    let own = bench.ok("--emit=plan --arch=sm_90 -DN=500 a.c");
    bench.write("a.plan", &own.replace("  map ", "  coarsen i by 3000 where 1 threads\n  map "));
    let command = |options: &str| {
        bench.gpuc(&format!("--arch=sm_90 -DN=500 --plan=a.plan --search {options} -c a.c -o a.o"))
    };
    let (success, said) = command("-O2");
    assert!(!success && said.contains("a.plan:"), "{said}");
    let (success, said) = command("-Wno-error=plan");
    assert!(success && said.contains("compiled without the plan"), "{said}");
}
