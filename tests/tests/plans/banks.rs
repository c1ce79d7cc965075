//! Layouts of arrays in memory of the block, one by one: what banks have to do with each, and that all compute the same.

use gpuc_tests::bench::{Bench, root};

/// Steps in place of those of the compiler's plan, and whether threads wait for a bank then.
const LAID_OUT: &[([&str; 3], bool)] = &[
    (["banks tile longer by 1", "banks bodies members", "banks soa as (d1, d0)"], false),
    (["banks tile exchanged", "banks bodies members", "banks soa longer by 1"], false),
    (
        ["banks tile longer by 33", "banks bodies members", "banks soa as (d1, d0), longer by 3"],
        false,
    ),
    (["banks tile as (d1, d0), longer by 1", "banks bodies members", "banks soa exchanged"], false),
    (["banks tile as (d1, d0)", "banks bodies members", "banks soa as (d1, d0)"], true),
    (["banks tile longer by 2", "banks bodies members", "banks soa as (d1, d0)"], true),
    (["banks tile longer by 1", "", "banks soa as (d1, d0)"], true),
    (["banks tile longer by 1", "banks bodies members", ""], true),
    (["", "", ""], true),
];

#[test]
fn banks_are_a_step() {
    let bench = Bench::new();
    let source = root(std::path::Path::new("tests/lit/gpuc/banks.c"));
    let printed = bench.ok(&format!("--arch=sm_90 --emit=plan -w {source}"));
    for (steps, waits) in LAID_OUT {
        let mut text = String::new();
        for line in printed.lines() {
            let word = |step: &str| step.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let own = LAID_OUT[0].0.iter().position(|step| line.trim().starts_with(&word(step)));
            match own.map(|own| steps[own]) {
                Some("") => {}
                Some(step) => text += &format!("  {step}\n"),
                None => text += &format!("{line}\n"),
            }
        }
        bench.write("a.plan", &text);
        let options = format!("--arch=sm_90 --plan=a.plan -w {source}");
        assert_eq!(bench.ok(&format!("--emit=plan {options}")), text);
        let (success, answer) = bench.gpuc(&format!("check --device=sim {options}"));
        assert!(
            success && answer.contains("tile 712272 bodies 1712 soa 3120 rows 2016"),
            "{answer}"
        );
        let (_, answer) = bench.gpuc(&format!("profile --device=sim {options}"));
        assert_eq!(answer.contains("bank conflicts"), *waits, "{text}{answer}");
    }
}
