//! Plans that cannot be obeyed, and what is said of them.

use gpuc_tests::bench::Bench;

pub const SOURCE: &str = "\
void flow(int n, float a[n][n])
{
    #pragma acc kernels copy(a[0:n][0:n])
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n - 1; j++)
            a[i][j] = a[i - 1][j + 1] + 1.0f;
}

void product(int n, const float a[restrict n][n], const float b[restrict n][n], float c[restrict n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n], b[0:n][0:n]) copyout(c[0:n][0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < n; l++)
                sum += a[i][l] * b[l][j];
            c[i][j] = sum;
        }
}

void two(int n, float a[restrict n], float b[restrict n])
{
    #pragma acc kernels copy(a[0:n], b[0:n])
    for (int i = 1; i < n; i++) {
        a[i] += 1.0f;
        b[i] = b[i - 1] + a[i];
    }
}

void given(int n, float a[n])
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
}

void steps(int n, float a[restrict n][n], float b[restrict n])
{
    #pragma acc kernels copy(a[0:n][0:n], b[0:n])
    for (int t = 0; t < 9; t++) {
        float w[8];
        for (int k = 0; k < 8; k++)
            w[k] = b[k] + t;
        for (int i = 0; i < n; i++) {
            b[i] += w[i % 8];
            for (int j = 0; j < n; j++)
                a[i][j] += t;
        }
    }
}

void rows(int n, float a[restrict n][n], float b[restrict n])
{
    #pragma acc kernels copy(a[0:n][0:n], b[0:n])
    for (int t = 0; t < 9; t++) {
        b[0] = t;
        for (int i = 1; i < n; i++) {
            b[i] += t;
            for (int j = 0; j < n; j++)
                a[i][j] += t;
        }
    }
}

struct pair { float x, y; };
void tiles(float a[restrict 64][64], float b[restrict 64])
{
    float t[64][80], u[128];
    struct pair p[64];
    #pragma acc parallel loop gang private(t, u, p) copy(a[0:64][0:64], b[0:64]) vector_length(64)
    for (int i = 0; i < 64; i++) {
        #pragma acc loop vector
        for (int j = 0; j < 64; j++) {
            u[2 * j] = b[j];
            p[j].x = i, p[j].y = j;
            for (int k = 0; k < 48; k++)
                t[j][k] = a[i][k];
        }
        #pragma acc loop vector
        for (int l = 0; l < 64; l++)
            a[i][l] = t[63 - l][l % 48] + u[126 - 2 * l] + p[63 - l].x * p[l].y;
    }
}
";

pub const FLOW: &str = "flow:3";
pub const PRODUCT: &str = "product:11";
pub const TWO: &str = "two:23";
pub const GIVEN: &str = "given:32";
const STEPS: &str = "steps:39";
const ROWS: &str = "rows:54";
const TILES: &str = "tiles:70";
/// How its loops are mapped.
macro_rules! mapped {
    ($($step:literal),*) => {
        concat!("map i to block.x\n  map j to thread.x by 64\n  map l to thread.x by 64", $("\n  ", $step),*)
    };
}

/// A plan of a construct of the source that is refused.
struct Refused {
    kernel: &'static str,
    steps: &'static str,
    /// What the message holds.
    says: &'static [&'static str],
}

const REFUSED: &[Refused] = &[
    Refused {
        kernel: FLOW,
        steps: "permute i, j to j, i",
        says: &[
            "[GPUC0027]: 'permute' is refused: a dependence would be turned round",
            "flow dependence of a from line 6 to line 6, direction (<, >), such as iterations (1, 1) and (2, 0)",
            "a.plan:3:3",
            "a.c:4:5",
        ],
    },
    Refused {
        kernel: FLOW,
        steps: "order i as (j)",
        says: &["'order' is refused: a dependence would be turned round", "(1, 1) and (2, 0)"],
    },
    Refused {
        kernel: FLOW,
        steps: "order i as (j), (i)",
        says: &["the nest has 1 statements, and rows are given for 2"],
    },
    Refused {
        kernel: FLOW,
        steps: "expand i",
        says: &["'expand' is refused: no part of its iterations could run by itself"],
    },
    Refused {
        kernel: FLOW,
        steps: "snapshot a in i",
        says: &[
            "'snapshot' is refused: no order of the nest is better where a is read as it was before it",
        ],
    },
    Refused {
        kernel: FLOW,
        steps: "fission j",
        says: &["'fission' is refused: what it writes could not stand in a nest of its own"],
    },
    Refused {
        kernel: FLOW,
        steps: "layout a in i as (d0 + d1, d0 - d1)",
        says: &["'layout' is refused: one dimension is the last", "a.plan:3:3"],
    },
    Refused {
        kernel: FLOW,
        steps: "layout a in i as (d1, 2*d0)",
        says: &["'layout' is refused: one dimension is the last"],
    },
    Refused {
        kernel: FLOW,
        steps: "layout a in i as (d1, d2, d0)",
        says: &["'layout' is refused: a has 2 dimensions, and the layout 3"],
    },
    Refused {
        kernel: FLOW,
        steps: "layout b in i as (d1, d0)",
        says: &["'layout' is refused: 'i' touches no array 'b'"],
    },
    Refused {
        kernel: FLOW,
        steps: "permute j, i to i, j",
        says: &["'permute' is refused: j, i do not stand directly in each other"],
    },
    Refused {
        kernel: FLOW,
        steps: "skew i by 1 along j",
        says: &["'skew' is refused: 'i' does not stand directly in 'j'"],
    },
    Refused {
        kernel: FLOW,
        steps: "split i at j",
        says: &["'split' is refused: 'i' does not stand in 'j'"],
    },
    Refused {
        kernel: TWO,
        steps: "distribute i to x, y, z",
        says: &["'distribute' is refused: its statements make 2 groups, and 3 loops are named"],
    },
    Refused {
        kernel: TWO,
        steps: "distribute i to i, k\n  fuse i, k to i\n  parallel k",
        says: &["there is no loop 'k' for 'parallel'", "this step took it", "loops are i by then"],
    },
    Refused {
        kernel: TWO,
        steps: "parallel i",
        says: &["'parallel' is refused: Loop carried dependence of b prevents parallelization"],
    },
    Refused { kernel: TWO, steps: "privatize b over i", says: &["'privatize' is refused", "b"] },
    Refused {
        kernel: GIVEN,
        steps: "parallel i",
        says: &["whether 'i' is parallel is not the compiler's to say"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i\n  parallel i, j",
        says: &["'i' is parallel already", "by this step"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i\n  collapse i, j",
        says: &["'collapse' is refused: they are not parallel loops"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  launches l",
        says: &["'launches' is refused"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  persist l over 128",
        says: &[
            "'persist' is refused: it is no sequential loop round parallel ones that stands in",
        ],
    },
    Refused {
        kernel: FLOW,
        steps: "parallel j\n  persist i over 2000",
        says: &["'persist' is refused: a block has 1 to 1024 threads, not 2000"],
    },
    Refused {
        kernel: FLOW,
        steps: "parallel j\n  persist i over 128 in 100000 blocks",
        says: &["'persist' is refused: 1 to", "blocks run at once, not 100000"],
    },
    Refused {
        kernel: FLOW,
        steps: "parallel j\n  persist i over 128\n  persist i over 128 in 4 blocks",
        says: &["'persist' is refused: it persists in any case by the step before"],
    },
    Refused {
        kernel: ROWS,
        steps: "parallel i, j\n  persist t over 128 in 4 blocks",
        says: &[
            "'persist' is refused: what one thread does between its parallel loops, each block",
        ],
    },
    Refused {
        kernel: ROWS,
        steps: "parallel i, j\n  persist t over 128",
        says: &[
            "'persist' is refused: a parallel loop has others in it, which blocks of a grid share",
        ],
    },
    Refused {
        kernel: STEPS,
        steps: "parallel i\n  persist t over 128",
        says: &["'persist' is refused: a local array is used by several of its phases"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  promote a in l",
        says: &["'promote' is refused: no element of a is read and written in every round of 'l'"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  tile i by 512, j by 512, l by 16, threads 16 by 16",
        says: &[
            "'tile' is refused: the tiles are larger than the memory of a block",
            "it needs 65792 bytes, and there are 49152",
            "take fewer terms at a time, or smaller tiles",
        ],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  tile i by 128, j by 128, l by 8, threads 2 by 2",
        says: &["a block would have too many threads", "it needs 4096 threads, and there are 1024"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  tile i by 100, j by 128, l by 16, threads 4 by 8",
        says: &["sizes are powers of two"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  tile j by 64, i by 64, l by 16, threads 4 by 4",
        says: &["rows are of 'i', columns of 'j', and terms of 'l'"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i\n  tile i by 64, j by 64, l by 16, threads 4 by 4",
        says: &["'tile' is refused: it is not a nest of two parallel loops"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  stage i, j where 32 iterations",
        says: &["'stage' is refused: no array is touched by columns"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  spread i over 8",
        says: &["'spread' is refused: these are not all the loops"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  spread i, j over 24",
        says: &["'spread' is refused: widths are powers of two"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j",
        says: &[
            "the plan does not say who executes the iterations of i, j",
            "add a step such as `map i to block.y, j to block.x thread.x by 256`",
        ],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  map i to block.x, j to block.x thread.x by 32",
        says: &["'map' is refused: 'mapping' uses block_x twice"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  map i to block.y thread.y by 64, j to block.x thread.x by 32",
        says: &["'map' is refused: 64 workers of vector length 32 are 2048 threads"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  map i to block.y, j to thread.x by 32",
        says: &["'map' is refused", "deals one iteration to a processor"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i\n  map i to block.x thread.x by 128\n  unroll l by 0",
        says: &["[GPUC0025]: the unroll factor is 0, and 1 is the least", "a.plan:5:15"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i\n  map i to block.x thread.x by 128\n  unroll i by 4",
        says: &["'i' is no sequential loop by then"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i\n  map i to block.x thread.x by 128\n  map i to block.x thread.x by 64",
        says: &[
            "nobody took the step 'map i to block.x thread.x by 64'",
            "what was done is `map i",
        ],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks w longer by 1"),
        says: &["'banks' is refused: there is no array 'w' that the threads of a block share"],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t as (d1, d2)"),
        says: &[
            "'banks' is refused: t has 2 dimensions, of which each stands once in the new order",
        ],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t exchanged"),
        says: &[
            "'banks' is refused: elements are exchanged in rows of a power of two, and those of t have 80",
        ],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks u exchanged"),
        says: &["'banks' is refused: elements are exchanged in rows of a power of two"],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks p as (d0)"),
        says: &["'banks' is refused: p is used in another way than element by element"],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t members"),
        says: &["'banks' is refused: t is no array of records that is used member by member"],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t longer by 128"),
        says: &[
            "'banks' is refused: t would be larger than the memory of a block",
            "it needs 53248 bytes, and there are 47104",
            "exchange the elements of rows instead, which takes no memory",
        ],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t longer by 129"),
        says: &["[GPUC0025]: the elements that rows are longer by is 129, and 128 is the most"],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t longer by 1, longer by 2"),
        says: &["[GPUC0025]: that is said already"],
    },
    Refused {
        kernel: TILES,
        steps: mapped!("banks t as (x)"),
        says: &["[GPUC0025]: 'x' is no dimension: these are `d0`, `d1` and so on"],
    },
    Refused {
        kernel: FLOW,
        steps: "unroll_jam i by 4",
        says: &[
            "[GPUC0027]: 'unroll_jam' is refused: a dependence would go backwards between iterations that are put together",
            "flow dependence of a from line 6 to line 6, direction (<, >), such as iterations (1, 1) and (2, 0)",
        ],
    },
    Refused {
        kernel: FLOW,
        steps: "unroll_jam i by 0",
        says: &["[GPUC0025]: the unroll factor is 0, and 1 is the least"],
    },
    Refused {
        kernel: FLOW,
        steps: "unroll_jam k by 2",
        says: &["there is no loop 'k' for 'unroll_jam'"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "unroll_jam l by 2",
        says: &["'unroll_jam' is refused: the loop carries values"],
    },
    Refused { kernel: GIVEN, steps: "unroll_jam i by 2", says: &["'unroll_jam' is refused"] },
    Refused {
        kernel: FLOW,
        steps: "paralel j",
        says: &["[GPUC0025]: there is no step 'paralel'", "did you mean `parallel`?"],
    },
    Refused {
        kernel: FLOW,
        steps: "parallel jj",
        says: &["there is no loop 'jj' for 'parallel'", "did you mean `j`?"],
    },
    Refused {
        kernel: FLOW,
        steps: "parallel j\n  parallel j",
        says: &["the step 'parallel' stands there twice"],
    },
    Refused {
        kernel: FLOW,
        steps: "launches i\n  parallel j",
        says: &["'parallel' comes before 'launches' in a plan"],
    },
    Refused {
        kernel: FLOW,
        steps: "permute i, j to j, j",
        says: &["does not name each of the loops once"],
    },
    Refused {
        kernel: FLOW,
        steps: "map j to block.w",
        says: &["expected processors: block.x,", "found 'block.w'"],
    },
    Refused {
        kernel: FLOW,
        steps: "skew j by 99999999999999999999 along i",
        says: &["does not fit 64 bits"],
    },
    Refused {
        kernel: FLOW,
        steps: "skew j by 3000000000 along i",
        says: &["3000000000 is too large"],
    },
    Refused {
        kernel: FLOW,
        steps: "unroll i by 1000000",
        says: &["the unroll factor is 1000000, and 256 is the most"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  tile i by 4611686018427387904, j by 64, l by 16, threads 1 by 1",
        says: &["the size of a tile is 4611686018427387904, and 4096 is the most"],
    },
    Refused {
        kernel: PRODUCT,
        steps: "parallel i, j\n  collapse i, j\n  tile i by 512, j by 512, l by 4, threads 32 by 32",
        says: &[
            "a thread would have more results than registers",
            "it needs 1024 registers, and there are 255",
        ],
    },
    Refused {
        kernel: FLOW,
        steps: "parallel j; launches i",
        says: &["';' means nothing in a plan"],
    },
];

pub fn kernel_line(printed: &str, kernel: &str) -> String {
    let begins = |line: &&str| line.starts_with(&format!("kernel {kernel} "));
    printed.lines().find(begins).unwrap_or_else(|| panic!("{kernel} in\n{printed}")).to_owned()
}

#[test]
fn every_refusal_says_what_forbids_it() {
    let bench = Bench::new();
    bench.write("a.c", SOURCE);
    let printed = bench.ok("--emit=plan -w a.c");
    for case in REFUSED {
        let line = kernel_line(&printed, case.kernel);
        bench.write("a.plan", &format!("gpuc plan 1\n{line}\n  {}\n", case.steps));
        let (success, text) = bench.gpuc("--emit=plan --plan=a.plan a.c");
        assert!(!success, "'{}' is not refused:\n{text}", case.steps);
        for says in case.says {
            assert!(text.contains(says), "'{}' does not say '{says}':\n{text}", case.steps);
        }
        let (success, text) = bench
            .gpuc("--emit=plan --plan=a.plan -Wno-error=plan -Wno-sequential-loop a.c -o b.plan");
        assert!(success && text.contains("warning[GPUC002"), "'{}':\n{text}", case.steps);
        assert_eq!(bench.read("b.plan"), printed, "'{}' leaves something", case.steps);
    }
}

#[test]
fn plans_for_something_else_are_refused() {
    let bench = Bench::new();
    bench.write("a.c", SOURCE);
    let printed = bench.ok("--emit=plan -w a.c");
    let own = kernel_line(&printed, FLOW);
    let nest = own.split(' ').nth(3).unwrap();
    for (text, says) in [
        (
            own.replace("flow:3", "flow:4"),
            "this plan is for 'flow:4', and there is no such construct",
        ),
        (
            own.replace(nest, "0000000000000000"),
            "the nest of 'flow:3' is not the one that this plan was made for",
        ),
        (own.replace("sm_75", "sm_90"), "this plan is for sm_90, and the target is sm_75"),
        (format!("{own}\n{own}"), "there are two plans for 'flow:3'"),
        (own.replace(nest, "xyz"), "'xyz' is no hash"),
        ("parallel i".to_owned(), "a step stands in front of the first kernel"),
    ] {
        bench.write("a.plan", &format!("gpuc plan 1\n{text}\n"));
        let (success, answer) = bench.gpuc("--emit=ptx --plan=a.plan a.c");
        assert!(!success && answer.contains(says), "{text}: {answer}");
    }
    for (text, says) in [
        (format!("gpuc plan 0\n{own}\n"), "plans of format 0 are not read"),
        (own.clone(), "this is no file of plans"),
        (String::new(), "the file of plans is empty"),
        ("gpuc plan\n".to_owned(), "expected a number, found the end of the line"),
    ] {
        bench.write("a.plan", &text);
        let (success, answer) = bench.gpuc("--emit=ptx --plan=a.plan a.c");
        assert!(!success && answer.contains(says), "{text}: {answer}");
    }
    let (success, answer) = bench.gpuc("--emit=ptx --plan=missing.plan a.c");
    assert!(!success && answer.contains("cannot read `missing.plan`"), "{answer}");
    // What a plan was made for may move in the file, if the plan says where to.
    bench.write("a.c", &format!("\n\n{SOURCE}"));
    let moved = printed.replace("flow:3", "flow:5").replace("product:11", "product:13");
    let moved = moved.replace("two:23", "two:25").replace("given:32", "given:34");
    bench.write(
        "a.plan",
        &moved
            .replace("steps:39", "steps:41")
            .replace("rows:54", "rows:56")
            .replace("tiles:70", "tiles:72"),
    );
    bench.ok("--emit=ptx --plan=a.plan a.c -o a.ptx");
}
