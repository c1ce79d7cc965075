//! Several steps of a stencil over time in one launch: every bit is the host's, and what cannot be is refused.

use std::path::Path;

use gpuc_tests::bench::{Bench, root};

/// Stencils over time in tiles of other sizes than the compiler's compute every bit as the host does, with any number of steps and
/// under all checkers.
#[test]
fn steps_of_time_in_one_launch_are_a_step() {
    let tiles: [&[&[&str]]; 3] = [
        &[
            &["t by 2 over i@10 by 16, j@11 by 32, rows 2"],
            &["t by 3 over i@23 by 24, j@24 by 32, rows 3"],
            &["t by 4 over i@36 by 64"],
        ],
        &[
            &["t by 1 over i@10 by 9, j@11 by 40, rows 1"],
            &["t by 2 over i@23 by 64, j@24 by 64, rows 8"],
            &["t by 3 over i@36 by 33"],
        ],
        // For two sizes of grids, the second one for what the first one leaves, too.
        &[
            &[
                "t by 2 over i@10 by 16, j@11 by 32, rows 2 where 3 blocks",
                "t by 1 over i@10 by 9, j@11 by 40, rows 1",
            ],
            &[
                "t by 3 over i@23 by 24, j@24 by 32, rows 3 where 2 blocks",
                "t by 1 over i@23 by 16, j@24 by 32, rows 2 where 2 blocks",
            ],
            &["t by 4 over i@36 by 64 where 2 blocks", "t by 2 over i@36 by 33"],
        ],
    ];
    every_bit("steps_blocked.c", &tiles);
    let bench = Bench::new();
    let source = root(Path::new("tests/programs/nests/steps_blocked.c"));
    let said = bench.ok(&format!("--arch=sm_90 -Minfo {source} -o b"));
    assert!(said.contains("steps a launch in shared memory"), "{said}");
}

/// The same plane by plane, in runs that end within the nest and in one for all of it.
#[test]
fn steps_of_time_along_planes_are_a_step() {
    let tiles: [&[&[&str]]; 3] = [
        &[
            &["t by 1 over h@10 by 8, i@11 by 16, j@12 by 32, rows 4"],
            &["t by 1 over h@27 by 8, i@28 by 12, j@29 by 16, rows 3"],
        ],
        &[
            &["t by 2 over h@10 by 64, i@11 by 12, j@12 by 16, rows 2"],
            &["t by 1 over h@27 by 3, i@28 by 10, j@29 by 33, rows 1"],
        ],
        &[
            &[
                "t by 2 over h@10 by 5, i@11 by 11, j@12 by 24, rows 1 where 9 blocks",
                "t by 1 over h@10 by 1, i@11 by 6, j@12 by 40, rows 6",
            ],
            &["t by 1 over h@27 by 21, i@28 by 14, j@29 by 8, rows 7"],
        ],
    ];
    every_bit("steps_blocked_planes.c", &tiles);
}

/// More planes than a walk's bounds have numbers of steps for.
#[test]
fn walks_begin_far_from_where_planes_end() {
    let bench = Bench::new();
    let sweep = |to: &str, from: &str| {
        format!(
            "for (int h = 1; h < n - 1; h++)\nfor (int i = 1; i < m - 1; i++)\nfor (int j = 1; j < m; j++)\n\
             {to}[h][i][j] = {from}[h - 1][i][j] + 2 * {from}[h + 1][i][j] + {from}[h][i - 1][j] - {from}[h][i + 1][j] + {from}[h][i][j - 1];\n"
        )
    };
    let source = format!(
        "#include <stdio.h>\nstatic unsigned a[70000][4][5], b[70000][4][5];\nint main(int m, char **words)\n{{\nint n = 70000;\nm += 3;\n\
         for (int h = 0; h < n; h++)\nfor (int k = 0; k < 20; k++)\na[h][k / 5][k % 5] = h % 13 + k, b[h][k / 5][k % 5] = h % 7 * k;\n\
         #pragma acc kernels copy(a, b)\nfor (int t = 0; t < 3; t++) {{\n{}{}}}\n\
         unsigned sum = 0;\nfor (int h = 0; h < n; h++)\nfor (int k = 0; k < 20; k++)\nsum = sum * 31 + a[h][k / 5][k % 5] + 7 * b[h][k / 5][k % 5];\n\
         printf(\"%u\\n\", sum);\nreturn 0;\n}}\n",
        sweep("b", "a"),
        sweep("a", "b"),
    );
    bench.write("far.c", &source);
    let printed = bench.ok("--arch=sm_90 --emit=plan far.c -o -");
    let names: Vec<&str> = ["h@", "i@", "j@"]
        .iter()
        .filter_map(|name| printed.split([' ', ',', '\n']).find(|word| word.starts_with(name)))
        .collect();
    let [h, i, j] = names[..] else { panic!("{printed}") };
    let mut text = String::new();
    for line in printed.lines().filter(|line| !line.starts_with("  block ")) {
        text += &format!("{line}\n");
        if line.starts_with("  launches ") {
            text += &format!("  block t by 1 over {h} by 1024, {i} by 5, {j} by 8, rows 5\n");
        }
    }
    // In one block the steps would not be launches.
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with("  persist "))
        .map(|line| format!("{line}\n"))
        .collect();
    bench.write("far.plan", &text);
    let host = bench.ok("run --device=host far.c");
    let device = bench.ok("run --device=sim --arch=sm_90 --plan=far.plan far.c");
    assert_eq!(host, device, "{text}");
}

/// Runs a program of the nests' with the blocks of each of its constructs, under all checkers, and compares what it prints with the host's.
fn every_bit(name: &str, tiles: &[&[&[&str]]]) {
    let bench = Bench::new();
    let source = root(&Path::new("tests/programs/nests").join(name));
    let printed = bench.ok(&format!("--arch=sm_90 -ffp-contract=off --emit=plan {source} -o -"));
    let host = bench.ok(&format!("run --device=host -ffp-contract=off {source}"));
    assert!(host.lines().count() > 50, "{host}");
    for own in tiles {
        let mut own = own.iter();
        let mut text = String::new();
        for line in printed.lines().filter(|line| !line.starts_with("  block ")) {
            text += &format!("{line}\n");
            if line.starts_with("  launches ") {
                let steps = own.next().expect("each construct has the step");
                steps.iter().for_each(|step| text += &format!("  block {step}\n"));
            }
        }
        bench.write("b.plan", &text);
        let device = bench.ok(&format!(
            "check --device=sim --arch=sm_90 -ffp-contract=off --plan=b.plan {source}"
        ));
        assert_eq!(host, device, "{text}");
    }
}

/// Loops over time whose steps cannot be done together, each in a function of its own: the loop over time in line 4 or so,
/// named t, round sweeps of i and j.
const NO_STEPS: &[(&str, &str, &str)] = &[
    (
        "b[i][j] = a[i - 1][j - 1] + a[i + 1][j + 1] + t;",
        "a[i][j] = b[i][j + 1];",
        "a step depends on its number",
    ),
    (
        "b[i][j] += a[i - 1][j - 1] + a[i + 1][j + 1];",
        "a[i][j] = b[i][j + 1];",
        "the first sweep reads b of the step before, which it writes",
    ),
    (
        "b[j][i] = a[i][j - 1];",
        "a[i][j] = b[i][j + 1];",
        "a sweep does not write an element of its own for each iteration, a number, with columns last",
    ),
    (
        "b[i][j] = a[i - 1][n - 1 - j] + a[i + 1][j];",
        "a[i][j] = b[i][j + 1];",
        "a is read elsewhere than at a fixed distance from what is written, or under a condition",
    ),
    (
        "b[i][j] = a[i - 1][j - 1] + a[i + 1][j + 1];",
        "c[i][j] = b[i][j + 1], a[i][j] = 1;",
        "the loop is none of the host round two sweeps of these loops that write two arrays in turns",
    ),
];

#[test]
fn steps_of_time_that_depend_otherwise_are_refused() {
    let bench = Bench::new();
    let refused = |source: &str, block: &str, why: &str| {
        bench.write("r.c", source);
        let printed = bench.ok("--arch=sm_90 --emit=plan r.c -o -");
        let mut text = String::new();
        for line in printed.lines().filter(|line| !line.starts_with("  block ")) {
            text += &format!("{line}\n");
            if line.starts_with("  launches ") {
                text += &format!("  block {block}\n");
            }
        }
        bench.write("r.plan", &text);
        let (success, said) = bench.gpuc("--arch=sm_90 --plan=r.plan r.c -o r.ptx --emit=ptx");
        assert!(!success && said.contains(why), "{block} of\n{source}\n{text}\n{said}");
    };
    let nest = |first: &str, second: &str, step: &str| {
        format!(
            "void steps(int n, int m, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n])\n{{\n\
             #pragma acc kernels copy(a[0:n][0:n], b[0:n][0:n], c[0:n][0:n])\nfor (int t = 0; t < m; {step}) {{\n\
             for (int i = 1; i < n - 1; i++)\nfor (int j = 1; j < n - 1; j++)\n{{ {first} }}\n\
             for (int i = 1; i < n - 1; i++)\nfor (int j = 1; j < n - 1; j++)\n{{ {second} }}\n}}\n}}\n"
        )
    };
    for (first, second, why) in NO_STEPS {
        refused(&nest(first, second, "t++"), "t by 2 over i@5 by 16, j@6 by 32, rows 2", why);
    }
    let [first, second] = ["b[i][j] = a[i - 1][j];", "a[i][j] = b[i][j + 1];"];
    let good = nest(first, second, "t++");
    let other = good.replacen("int i = 1", "int i = 2", 1);
    let why = "the two sweeps of a step are not over the same iterations";
    refused(&other, "t by 2 over i@5 by 16, j@6 by 32, rows 2", why);
    let by_two = "the loop over time carries values, or does not count by 1";
    refused(&nest(first, second, "t += 2"), "t by 2 over i@5 by 16, j@6 by 32, rows 2", by_two);
    for (block, why) in [
        (
            "t by 2 over i@5 by 15, j@6 by 32, rows 2",
            "the rows of a tile are no multiple of those of a thread",
        ),
        ("t by 2 over i@5 by 64, j@6 by 64, rows 2", "it needs 2048 threads, and there are 1024"),
        (
            "t by 2 over i@5 by 256, j@6 by 64, rows 16",
            "it needs 136224 bytes, and there are 101376",
        ),
        (
            "t by 9 over i@5 by 16, j@6 by 32, rows 2",
            "neighbours of so many steps leave nothing of a tile",
        ),
        (
            "t by 2 over j@6 by 16, i@5 by 32, rows 2",
            "the loop is none of the host round two sweeps of these loops",
        ),
        ("t by 2 over i@5 by 64", "the loop is none of the host round two sweeps of these loops"),
        ("u by 2 over i@5 by 16, j@6 by 32, rows 2", "there is no loop 'u'"),
        (
            "t by 0 over i@5 by 16, j@6 by 32, rows 2",
            "the number of rounds is 0, and 1 is the least",
        ),
        ("t by 2 over i@5 by 16, j@6 by 32", "expected ','"),
    ] {
        refused(&good, block, why);
    }
    let space = "void steps(int n, int m, float a[restrict n][n][n], float b[restrict n][n][n])\n{\n\
        #pragma acc kernels copy(a[0:n][0:n][0:n], b[0:n][0:n][0:n])\nfor (int t = 0; t < m; t++) {\n\
        for (int h = 1; h < n - 1; h++)\nfor (int i = 1; i < n - 1; i++)\nfor (int j = 1; j < n - 1; j++)\n\
        b[h][i][j] = a[h - 1][i - 1][j - 1] + a[h + 1][i + 1][j + 1];\n\
        for (int h = 1; h < n - 1; h++)\nfor (int i = 1; i < n - 1; i++)\nfor (int j = 1; j < n - 1; j++)\n\
        a[h][i][j] = b[h][i][j];\n}\n}\n";
    let why =
        "a neighbour in another plane is read, but not the one beside it in the iteration's own";
    refused(space, "t by 1 over h@5 by 8, i@6 by 16, j@7 by 32, rows 2", why);
    let own = "b[h][i][j] = a[h - 1][i][j] + a[h][i - 1][j - 1];";
    let first = "b[h][i][j] = a[h - 1][i - 1][j - 1] + a[h + 1][i + 1][j + 1];";
    let both =
        space.replacen(first, own, 1).replacen("= b[h][i][j]", "= b[h][i][j] + a[h][i][j]", 1);
    let why = "the second sweep reads what it writes, and neighbours along three loops are read";
    refused(&both, "t by 1 over h@5 by 8, i@6 by 16, j@7 by 32, rows 2", why);
    let good = space.replacen(first, own, 1);
    let why = "it needs 107712 bytes, and there are 101376";
    refused(&good, "t by 2 over h@5 by 8, i@6 by 64, j@7 by 32, rows 4", why);
    let apart = "void steps(int n, int m, float *a, float *b)\n{\n\
        #pragma acc kernels deviceptr(a, b)\nfor (int t = 0; t < m; t++) {\n\
        #pragma acc loop independent\nfor (int i = 1; i < n - 1; i++)\nb[i] = a[i - 1];\n\
        #pragma acc loop independent\nfor (int i = 1; i < n - 1; i++)\na[i] = b[i];\n}\n}\n";
    refused(apart, "t by 2 over i@6 by 64", "may share memory");
}
