//! Plans: what is printed is obeyed, what cannot be is refused, and what is edited computes the same.

use std::path::Path;

use gpuc_tests::bench::{Bench, root};
use gpuc_tests::corpus;

mod banks;
mod refused;

use refused::{FLOW, GIVEN, PRODUCT, SOURCE, TWO, kernel_line};

/// The printed plan of a compilation, given back, gives the same PTX to the byte, and is printed again.
#[test]
fn printed_plans_are_obeyed_to_the_byte() {
    let bench = Bench::new();
    let nests = corpus::files_with("tests/programs/nests", &["c"]);
    let files: Vec<_> = corpus::examples().into_iter().chain(nests).collect();
    assert!(files.len() > 40, "{files:?}");
    let (mut steps, mut plans) = (0, 0);
    for file in files {
        let source = root(&file);
        bench.ok(&format!("--emit=ptx -o a.ptx {source}"));
        bench.ok(&format!("--emit=plan -o a.plan {source}"));
        bench.ok(&format!("--emit=ptx --plan=a.plan -o b.ptx {source}"));
        bench.ok(&format!("--emit=plan --plan=a.plan -o b.plan {source}"));
        assert!(bench.read("a.ptx") == bench.read("b.ptx"), "{source}: another kernel");
        assert_eq!(bench.read("a.plan"), bench.read("b.plan"), "{source}");
        let plan = bench.read("a.plan");
        plans += plan.lines().filter(|line| line.starts_with("kernel ")).count();
        steps += plan.lines().filter(|line| line.starts_with("  ")).count();
    }
    assert!(plans > 60 && steps > 3 * plans / 2, "{plans} plans of {steps} steps");
}

/// Checks itself for sizes that divide nothing, and for 0 and 1.
const MAIN: &str = "
#include <stdio.h>
#include <stdlib.h>
static float value(int i) { return (float)(i * 7 % 13); }
static int check(int n)
{
    int wrong = 0, count = n * n;
    float *a = malloc(4 * (count + 1)), *b = malloc(4 * (count + 1)), *c = malloc(4 * (count + 1));
    for (int i = 0; i < count; i++)
        a[i] = c[i] = value(i);
    flow(n, (void *)a);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n - 1; j++)
            c[i * n + j] = c[(i - 1) * n + j + 1] + 1.0f;
    for (int i = 0; i < count; i++)
        wrong += a[i] != c[i];
    for (int i = 0; i < count; i++)
        a[i] = value(i), b[i] = value(i + 5), c[i] = -1;
    product(n, (void *)a, (void *)b, (void *)c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * n + j];
            wrong += sum != c[i * n + j];
        }
    for (int i = 0; i < n; i++)
        a[i] = value(i), b[i] = value(i + 3), c[i] = b[i];
    for (int i = 1; i < n; i++)
        c[i] = c[i - 1] + a[i] + 1.0f;
    two(n, a, b);
    for (int i = 0; i < n; i++)
        wrong += b[i] != c[i];
    given(n, a);
    for (int i = 0; i < n; i++)
        wrong += a[i] != 0;
    free(a), free(b), free(c);
    return wrong;
}
int main(void)
{
    int sizes[] = {0, 1, 2, 17, 40, 67}, wrong = 0;
    for (int i = 0; i < 6; i++)
        wrong += check(sizes[i]);
    printf(\"%d wrong\\n\", wrong);
    return wrong != 0;
}
";

/// Plans that are not the compiler's choice, of each of the constructs.
const EDITED: &[[&str; 4]] = &[
    [
        "skew j by 2 along i, wavefront\n  parallel i\n  launches j\n  map i to block.x thread.x by 64",
        "parallel i, j\n  collapse i, j\n  tile i by 32, j by 32, l by 8, threads 2 by 4, wide, where 1 blocks\n  \
         tile i by 16, j by 16, l by 8, threads 2 by 2, where 1 blocks\n  map i to block.y thread.y by 16, j to block.x thread.x by 16",
        "distribute i to i, k\n  parallel i\n  map i to block.x by 2 thread.x by 32 blocked",
        "map i to block.x by 3 thread.x by 64 strided",
    ],
    [
        "parallel j\n  map j to thread.x by 32 strided\n  unroll i by 3",
        "permute i, j to j, i\n  parallel j\n  map j to block.x thread.x by 64\n  unroll l by 5",
        "map",
        "map i to block.x by 5 strided",
    ],
    [
        "parallel",
        "parallel i, l\n  map i to block.x\n  map l to thread.x by 32 strided",
        "distribute i to i, k\n  fuse i, k to i",
        "map i to block.x thread.x by 1024",
    ],
    [
        "parallel",
        "parallel i, j\n  collapse i, j\n  spread i, j over 16 where 17 rounds, 2000 rows\n  spread i, j over 4\n",
        "two",
        "given",
    ],
    [
        "launches i",
        "parallel i, j\n  collapse j, i\n  map j to block.y thread.y by 8, i to block.x thread.x by 8",
        "skew",
        "map i to thread.x by 256 strided",
    ],
    [
        "flow",
        "unroll_jam i by 3\n  parallel i, j, i.rest, j.2\n  map i to block.x\n  map j to thread.x by 64 strided\n  \
         map i.rest to block.x\n  map j.2 to thread.x by 32 strided",
        "unroll_jam i by 4",
        "given",
    ],
    [
        "flow",
        "unroll_jam j by 2\n  unroll_jam i by 5\n  strip i by 4\n  parallel i.strip\n  map i.strip to block.x thread.x by 32",
        "distribute i to i, k\n  unroll_jam k by 3\n  parallel i\n  map i to block.x thread.x by 32 strided",
        "given",
    ],
    ["layout a in i as (-2*d0 + d1, d0)", "tile", "two", "given"],
    ["layout a in i as (d0 - d1, d1)\n  skew j by 2 along i, wavefront", "tile", "two", "given"],
    [
        "parallel j\n  persist i over 96",
        "parallel j\n  persist i over 64 where 600 iterations\n  launches i\n  map j to block.x thread.x by 64",
        "two",
        "given",
    ],
    [
        "parallel j\n  persist i over 1 where 17 iterations\n  map j to thread.x by 64 strided",
        "parallel j\n  persist i over 1024 where 4000 iterations\n  map j to thread.x by 32 strided",
        "two",
        "given",
    ],
];

#[test]
fn edited_plans_compute_the_same() {
    let bench = Bench::new();
    bench.write("a.c", &format!("{SOURCE}{MAIN}"));
    let printed = bench.ok("--emit=plan -w a.c");
    let mut followed = 0;
    for steps in EDITED {
        let mut text = "gpuc plan 1\n".to_owned();
        for (kernel, steps) in [FLOW, PRODUCT, TWO, GIVEN].iter().zip(steps) {
            // A word alone stands for a construct that is decided as usual.
            if steps.contains(' ') {
                text += &format!("{}\n  {steps}\n", kernel_line(&printed, kernel));
                followed += 1;
            }
        }
        bench.write("a.plan", &text);
        let again = bench.ok("--emit=plan --plan=a.plan a.c");
        for line in text.lines().skip(1) {
            assert!(again.lines().any(|other| other == line), "'{line}' is not in\n{again}");
        }
        let (success, answer) = bench.gpuc("check --device=sim --plan=a.plan a.c");
        assert!(success && answer.contains("0 wrong"), "{text}{answer}");
    }
    assert!(followed > 8);
}

/// A nest that reads neighbours of one array and single elements of another, with its check.
const NEIGHBOURS: &str = "\
#include <stdio.h>
#include <stdlib.h>
static void step(int n, const float *restrict now, const float *restrict heat, float *restrict next)
{
    #pragma acc kernels copyin(now[0:n*n], heat[0:n*n]) copy(next[0:n*n])
    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < n - 1; j++)
            next[i * n + j] = now[i * n + j - 2] + now[(i + 1) * n + j] + now[(i - 1) * n + j + 1] + heat[i * n + j];
}
int main(void)
{
    int sizes[] = {0, 1, 2, 3, 17, 40, 67}, wrong = 0;
    for (int k = 0; k < 7; k++) {
        int n = sizes[k];
        float *now = calloc(n * n + 1, 4), *heat = calloc(n * n + 1, 4), *next = calloc(n * n + 1, 4);
        for (int i = 0; i < n * n; i++)
            now[i] = i % 101, heat[i] = i % 7;
        step(n, now, heat, next);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int at = i * n + j, inside = i > 0 && i < n - 1 && j > 1 && j < n - 1;
                wrong += next[at] != (inside ? now[at - 2] + now[at + n] + now[at - n + 1] + heat[at] : 0);
            }
        free(now), free(heat), free(next);
    }
    printf(\"%d wrong\\n\", wrong);
    return wrong != 0;
}
";

/// A step says what goes through memory of the block, also where the compiler would not; what cannot is refused.
#[test]
fn shared_neighbours_are_a_step() {
    let bench = Bench::new();
    bench.write("n.c", NEIGHBOURS);
    let printed = bench.ok("--emit=plan n.c");
    let begin = printed.lines().take(2).collect::<Vec<_>>().join("\n");
    let plan = |share: &str| {
        let map = "map i to block.y thread.y by 4, j to block.x thread.x by 32";
        format!("{begin}\n  parallel i, j\n  collapse i, j\n{share}  {map}\n")
    };
    let requests = |text: &str| -> u64 {
        bench.write("n.plan", text);
        let (success, answer) = bench.gpuc("check --device=sim --plan=n.plan n.c");
        assert!(success && answer.contains("0 wrong"), "{text}{answer}");
        bench
            .ok("run --device=sim --counters --report=json --report-file=n.json --plan=n.plan n.c");
        let report = bench.read("n.json");
        let name = "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":";
        let figures = report.split(name).skip(1).map(|rest| {
            let end = rest.find([',', '}']).expect("the number ends");
            rest[..end].parse::<u64>().expect("a number")
        });
        figures.sum()
    };
    let plain = requests(&plan(""));
    for (sides, fewer) in [
        ("i by 16, j by 32, rows 2, where 1 blocks", true),
        ("i by 7, j by 33, rows 7, where 1 blocks", false),
        ("i by 8, j by 32, rows 1, where 1000 blocks", false),
    ] {
        let shared = requests(&plan(&format!("  share now over {sides}\n")));
        assert_eq!(shared < plain, fewer, "{sides}: {shared} requests, {plain} without");
    }
    for (step, words) in [
        ("now over i by 64, j by 64, rows 1", "it needs 4096 threads, and there are 1024"),
        ("now over i by 128, j by 128, rows 32", "larger than its memory"),
        ("now over i by 8, j by 32, rows 3", "no multiple of those of a thread"),
        ("heat over i by 8, j by 32, rows 1", "does not read neighbours of such arrays"),
        ("next over i by 8, j by 32, rows 1", "does not read neighbours of such arrays"),
        ("now over j by 8, i by 32, rows 1", "does not read neighbours of such arrays"),
        ("now over q by 8, j by 32, rows 1", "there is no loop 'q'"),
        ("now over i by 0, j by 32, rows 1", "error"),
    ] {
        bench.write("n.plan", &plan(&format!("  share {step}\n")));
        let (success, answer) = bench.gpuc("--emit=ptx --plan=n.plan n.c");
        assert!(!success && answer.contains(words), "{step}: {answer}");
    }
}

/// A walk over planes computes the same under all checkers, for sizes that blocks divide and others; what a device cannot
/// do is refused.
#[test]
fn walks_over_planes_are_a_step() {
    let bench = Bench::new();
    let source = root(Path::new("tests/lit/gpuc/march.c"));
    let printed = bench.ok(&format!("--arch=sm_90 --emit=plan {source} -o -"));
    let plan = |march: &str| {
        let mut text = String::new();
        for line in printed.lines().filter(|line| !line.contains("coarsen i by")) {
            match line.contains("march i by") {
                true if text.contains("march") => {}
                true => text += &format!("  march {march}\n"),
                false => text += &format!("{line}\n"),
            }
        }
        assert!(text.contains("march"), "{printed}");
        text
    };
    bench.write("m.plan", &plan("i by 6, j by 8, k by 32, rows 4"));
    let said = bench.ok(&format!("--arch=sm_90 --plan=m.plan -Minfo {source} -o m"));
    let words = "Walks over 6 planes of i a block from 0 blocks on: tile j by 8, k by 32";
    assert!(said.contains(words), "{said}");
    for sizes in ["8 32", "13 37", "1 1", "0 5"] {
        let report = bench.ok(&format!("check --arch=sm_90 --plan=m.plan {source} -- {sizes}"));
        assert!(report.contains("wrong: 0"), "{sizes}: {report}");
    }
    for (march, why) in [
        (
            "i by 6, j by 8, k by 32, rows 3",
            "the rows of a block are no multiple of those of a thread",
        ),
        (
            "i by 6, j by 512, k by 32, rows 32",
            "what a block reads of its planes is larger than its memory",
        ),
        ("i by 6, j by 32, k by 32, rows 32", "a thread would hold too many elements in registers"),
        ("i by 6, j by 64, k by 32, rows 1", "a block would have too many threads"),
        ("k by 6, j by 8, i by 32, rows 4", "the nest of these three loops"),
        ("i by 6, j by 8, l by 32, rows 4", "there is no loop 'l'"),
    ] {
        bench.write("n.plan", &plan(march));
        let (success, said) = bench.gpuc(&format!("--arch=sm_90 --plan=n.plan {source} -o n"));
        assert!(!success && said.contains(why), "{march}: {said}");
    }
}

/// The page's blocks that are marked by a word, each with the lines behind it up to the next block.
fn blocks<'a>(page: &'a str, mark: &str) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
    let lines: Vec<&str> = page.lines().collect();
    let mut found = Vec::new();
    for start in (0..lines.len()).filter(|&at| lines[at] == format!("```{mark}")) {
        let end = (start..lines.len()).find(|&at| lines[at] == "```").expect("the block ends");
        let behind = lines[end + 1..].iter().take_while(|line| !line.starts_with("```"));
        found.push((lines[start + 1..end].to_vec(), behind.copied().collect()));
    }
    found
}

/// The counters of the one kernel of a report, as the tutorial says them.
fn counters(report: &str) -> String {
    let figure = |name: &str| -> f64 {
        let (_, rest) = report.split_once(&format!("\"{name}\":")).expect("the report has it");
        let end = rest.find([',', '}']).unwrap_or(rest.len());
        rest[..end].parse().expect("a number")
    };
    let conflicts = figure("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
        + figure("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
    format!(
        "**{} requests to global memory, {} sectors each; {} bank conflicts; {} instructions of warps.**",
        figure("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
        figure("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
        conflicts,
        figure("smsp__inst_executed.sum"),
    )
}

/// What docs/plans.md shows is what comes of it: the compiler's plan, the counters of each step, what a
/// refusal says. `GPUC_BLESS=1` writes the page anew.
#[test]
fn the_tutorial_shows_what_is_so() {
    let path = corpus::root().join("docs/plans.md");
    let page = std::fs::read_to_string(&path).expect("the tutorial is there");
    let bench = Bench::new();
    let source = root(Path::new("docs/plans/product.c"));
    let mut new = page.clone();
    let chosen = bench.ok(&format!("--arch=sm_90 --emit=plan {source}"));
    let [(shown, _)] = &blocks(&page, "chosen")[..] else { panic!("one plan is shown") };
    new = new.replacen(&shown.join("\n"), chosen.trim_end(), 1);
    let kernel = kernel_line(&chosen, "product:7");
    let steps = blocks(&page, "plan");
    assert!(steps.len() > 5, "{} steps are shown", steps.len());
    for (plan, behind) in steps {
        bench.write("a.plan", &format!("gpuc plan 1\n{kernel}\n{}\n", plan.join("\n")));
        let run = "run --arch=sm_90 --device=sim --report=json --report-file=a.json --plan=a.plan";
        let answer = bench.ok(&format!("{run} {source} -- 256"));
        assert!(answer.contains("0 of the results"), "{plan:?}: {answer}");
        let line = behind.iter().find(|line| !line.is_empty()).expect("a line with counters");
        let block = plan.join("\n");
        let (before, after) =
            (format!("{block}\n```\n\n{line}\n"), counters(&bench.read("a.json")));
        assert!(new.contains(&before), "{before}");
        new = new.replacen(&before, &format!("{block}\n```\n\n{after}\n"), 1);
    }
    for (plan, _) in blocks(&page, "refused") {
        bench.write("a.plan", &format!("gpuc plan 1\n{kernel}\n{}\n", plan.join("\n")));
        let (success, answer) =
            bench.gpuc(&format!("--arch=sm_90 --plan=a.plan --emit=plan {source}"));
        let (said, _) = &blocks(&page, "text")[0];
        assert!(!success && said.iter().all(|line| answer.contains(line)), "{answer}");
    }
    let [(shown, _)] = &blocks(&page, "c")[..] else { panic!("the loops are shown") };
    let text = std::fs::read_to_string(&source).expect("the source is there");
    assert!(text.contains(&shown.join("\n")), "the page shows other loops");
    if std::env::var("GPUC_BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(&path, new).expect("the page can be written");
    } else {
        assert!(new == page, "docs/plans.md is not as it is now; GPUC_BLESS=1 writes it");
    }
}

/// A record of tuning is written, read, and left out line by line where it is damaged.
#[test]
fn tuning_is_recorded_and_followed() {
    const TEST: &str = "
#include <stdio.h>
int main(void)
{
    static float a[1000], b[1000];
    two(1000, a, b);
    float last = b[999];
    given(1000, a);
    printf(\"%d wrong\\n\", last != 999 || a[999] != 0);
}
";
    let bench = Bench::new();
    let (_, functions) = SOURCE.split_once("void two").expect("it is in the source");
    bench.write("a.c", &format!("void two{functions}{TEST}"));
    let printed = bench.ok("--emit=plan --arch=sm_90 a.c");
    let said = bench.ok("tune --arch=sm_90 --device=sim --tuning=a.tuning a.c");
    assert!(said.contains("two:3: ") && said.contains("written to a.tuning"), "{said}");
    let record = bench.read("a.tuning");
    assert_eq!(record.lines().count(), 3, "{record}");
    // The best of the candidates is followed, whatever it is.
    let tuned = bench.ok("--emit=plan --arch=sm_90 --tuning=a.tuning a.c");
    for line in record.lines().skip(1) {
        let (front, steps) = line.split_once(" plan ").expect("a plan");
        let nest = front.split(' ').nth(1).expect("a hash");
        assert!(printed.contains(nest), "{line}");
        let (_, own) = tuned.split_once(&format!("nest {nest} target sm_90\n")).expect(nest);
        let own = own.split("\n\n").next().unwrap_or_default();
        let own: Vec<&str> = own.lines().map(str::trim).collect();
        assert_eq!(own.join("; "), steps);
    }
    assert!(bench.ok("run --arch=sm_90 --device=sim --tuning=a.tuning a.c").contains("0 wrong"));
    // Tuned again, there is a line for each still.
    bench.ok("tune --arch=sm_90 --device=sim --tuning=a.tuning a.c");
    assert_eq!(bench.read("a.tuning"), record);
    // Another target has no records, and what is damaged or cannot be followed is left out.
    assert_eq!(bench.ok("--emit=plan -w --tuning=a.tuning a.c"), bench.ok("--emit=plan -w a.c"));
    for (damaged, warnings) in [
        (record.replace("; parallel i", "; paralel i"), 1),
        (record.replace("; parallel i", "; parallel i, k"), 1),
        (record.replace("gpuc tuning 1", "gpuc tuning 0"), 1),
        (record[..record.len() - 30].to_owned(), 1),
        (String::new(), 0),
    ] {
        bench.write("b.tuning", &damaged);
        let (success, answer) =
            bench.gpuc("--emit=ptx --arch=sm_90 --tuning=b.tuning a.c -o b.ptx");
        assert!(success, "{damaged}\n{answer}");
        assert_eq!(answer.matches("warning[GPUC0028]").count(), warnings, "{damaged}\n{answer}");
    }
    let (success, answer) = bench.gpuc("tune --device=sim a.c missing.c");
    assert!(!success && answer.contains("missing.c"), "{answer}");
}
