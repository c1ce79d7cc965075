//! Files of plans and records of tuning that are damaged, of another time, or ask for numbers that nothing has: refused at
//! their places, never a crash, and left out where that is asked for.

use gpuc_tests::bench::Bench;

/// A product with tiles, neighbours that blocks share, and planes.
const SOURCE: &str = "\
void product(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    #pragma acc kernels copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
}

void star(int n, const float a[restrict n][n], float b[restrict n][n])
{
    #pragma acc kernels copyin(a[0:n][0:n]) copy(b[0:n][0:n])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}
";

const PRODUCT: &str = "product:3";
const STAR: &str = "star:15";

/// Steps with a number in the place of `#`, how many it may be at least and at most, and what it is called.
const NUMBERS: &[(&str, &str, [i64; 2], &str)] = &[
    (PRODUCT, "tile i by #, j by 32, l by 16, threads 1 by 1", [1, 4096], "the size of a tile"),
    (PRODUCT, "tile i by 32, j by #, l by 16, threads 1 by 1", [1, 4096], "the size of a tile"),
    (PRODUCT, "tile i by 32, j by 32, l by #, threads 1 by 1", [1, 4096], "the size of a tile"),
    (
        PRODUCT,
        "tile i by 32, j by 32, l by 16, threads 1 by 1, stages #",
        [1, 16],
        "the number of runs of terms",
    ),
    (
        PRODUCT,
        "tile i by 32, j by 32, l by 16, threads 1 by 1, resident #",
        [1, 32],
        "the number of blocks",
    ),
    (PRODUCT, "unroll l by #", [1, 256], "the unroll factor"),
    (STAR, "coarsen i by # where 1 threads", [1, 32], "the number of iterations"),
    (STAR, "share a over i by #, j by 32, rows 1", [1, 4096], "the size of a tile"),
    (STAR, "share a over i by 32, j by 32, rows #", [1, 4096], "the rows of a thread"),
    (STAR, "march i by #, j by 16, j by 32, rows 4", [1, 4096], "the size of a tile"),
    (STAR, "block i by 4 over i by #, j by 64, rows 8", [1, 4096], "the size of a tile"),
];

fn bench() -> (Bench, String) {
    let bench = Bench::new();
    bench.write("a.c", SOURCE);
    let printed = bench.ok("--emit=plan --arch=sm_90 a.c");
    (bench, printed)
}

fn kernel<'a>(printed: &'a str, kernel: &str) -> &'a str {
    let begins = |line: &&str| line.starts_with(&format!("kernel {kernel} "));
    printed.lines().find(begins).expect("the construct has a plan")
}

/// Compiles with a plan that is refused, and without it where that is asked for: as if there were none.
fn refused(bench: &Bench, printed: &str, plan: &[u8], says: &[&str]) {
    let shown = String::from_utf8_lossy(plan);
    bench.write_bytes("a.plan", plan);
    let (success, answer) = bench.gpuc("--emit=plan --arch=sm_90 --plan=a.plan a.c -o b.plan");
    assert!(!success && answer.contains("error[GPUC002"), "{shown}\n{answer}");
    for says in says {
        assert!(answer.contains(says), "{shown}\ndoes not say '{says}':\n{answer}");
    }
    let without = "--emit=plan --arch=sm_90 --plan=a.plan -Wno-error=plan a.c -o b.plan";
    let (success, answer) = bench.gpuc(without);
    assert!(success && answer.contains("warning[GPUC002"), "{shown}\n{answer}");
    assert_eq!(bench.read("b.plan"), printed, "{shown}\nleaves something");
}

#[test]
fn every_number_has_its_least_and_its_most() {
    let (bench, printed) = bench();
    for &(construct, step, [least, most], name) in NUMBERS {
        let line = kernel(&printed, construct);
        let before = step.split('#').next().unwrap_or_default();
        let place = format!("a.plan:5:{}", before.len() + 3);
        for (number, why) in [
            ((least - 1).to_string(), format!("{name} is {}, and {least} is the least", least - 1)),
            ("-8".to_owned(), format!("{name} is -8, and {least} is the least")),
            ((most + 1).to_string(), format!("{name} is {}, and {most} is the most", most + 1)),
            (i64::MAX.to_string(), format!("{name} is {}, and {most} is the most", i64::MAX)),
            ("9".repeat(20), "does not fit 64 bits".to_owned()),
            ("many".to_owned(), "expected a number, found 'many'".to_owned()),
        ] {
            let step = step.replace('#', &number);
            let steps = format!("  parallel i, j\n  collapse i, j\n  {step}\n");
            let plan = format!("gpuc plan 1\n{line}\n{steps}");
            refused(&bench, &printed, plan.as_bytes(), &["[GPUC0025]", &why, &place]);
        }
    }
}

#[test]
fn plans_of_another_nest_time_or_target_are_left_out() {
    let (bench, printed) = bench();
    let own = format!("gpuc plan 1\n{}\n  parallel i\n", kernel(&printed, PRODUCT));
    let nest = own.split(' ').nth(5).expect("a hash").to_owned();
    for (plan, says) in [
        (own.replace("product:3", "other:3"), "'other:3', and there is no such construct"),
        (own.replace(&nest, "0123456789abcdef"), "is not the one that this plan was made for"),
        (own.replace("sm_90", "sm_80"), "this plan is for sm_80, and the target is sm_90"),
        (own.replace("gpuc plan 1", "gpuc plan 0"), "plans of format 0 are not read"),
        (own.replace("gpuc plan 1", "gpuc plan 2"), "plans of format 2 are not read"),
        (own.replace("gpuc plan 1\n", ""), "this is no file of plans"),
        (String::new(), "the file of plans is empty"),
    ] {
        refused(&bench, &printed, plan.as_bytes(), &[says]);
    }
}

/// Bytes that mean nothing, the same ones each time.
fn noise(mut seed: u64) -> Vec<u8> {
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as u8
    };
    (0..300).map(|_| next()).collect()
}

#[test]
fn files_that_mean_nothing_are_refused() {
    let (bench, printed) = bench();
    for seed in 1..20 {
        let mut text = noise(seed);
        refused(&bench, &printed, &text, &[]);
        // Behind a first line that is right.
        text.splice(0..0, format!("gpuc plan 1\n{}\n  ", kernel(&printed, PRODUCT)).bytes());
        refused(&bench, &printed, &text, &[]);
    }
}

/// What is damaged in a record of tuning is a warning, with its line, and the construct compiled as without it.
#[test]
fn damaged_records_are_left_out_line_by_line() {
    let (bench, printed) = bench();
    let nest = kernel(&printed, PRODUCT).split(' ').nth(3).expect("a hash");
    let line = format!("nest {nest} target sm_90 device h100 class 16 time 7925 plan");
    let good = format!("{line} parallel i; map i to block.x thread.x by 128");
    let record = |line: &str| format!("gpuc tuning 1\n{line}\n").into_bytes();
    let mut tried = vec![
        (b"gpuc tuning 0\n".to_vec(), "'gpuc tuning 0' is no record of tuning of version 1"),
        (b"\n".to_vec(), "'' is no record of tuning of version 1"),
        (record(&good.replace(" 7925", " -5")), "'-5' is no time in nanoseconds"),
        (record(&good.replace(" 16", " 99999999999")), "'99999999999' is no class of sizes"),
        (record(&good[..good.len() / 3]), "a line of the record of tuning is damaged"),
        (record(&format!("{line} parallel l; map l to block.x")), "'map' is refused"),
        (record(&format!("{line} paralel i")), "there is no step 'paralel'"),
    ];
    tried.extend((1..10).map(|seed| (noise(seed), "is no record of tuning of version 1")));
    for (text, says) in tried {
        let shown = String::from_utf8_lossy(&text);
        bench.write_bytes("a.tuning", &text);
        let compile = "--emit=plan --arch=sm_90 --tuning=a.tuning a.c -o b.plan";
        let (success, answer) = bench.gpuc(compile);
        assert!(success && answer.contains("warning[GPUC0028]"), "{shown}\n{answer}");
        assert!(answer.contains(says), "{shown}\ndoes not say '{says}':\n{answer}");
        assert_eq!(bench.read("b.plan"), printed, "{shown}\nleaves something");
    }
    bench.write_bytes("a.tuning", &record(&good));
    let followed = bench.ok("--emit=plan --arch=sm_90 --tuning=a.tuning a.c");
    assert!(followed != printed, "the record is followed where nothing is damaged");
}
