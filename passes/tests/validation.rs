//! Every pass is checked by execution: random programs compute the same before and after it.

use std::ops::Range;

use gpuc_interp::random::{Flavour, program};
use gpuc_interp::{Comparison, Order, check_same};
use gpuc_ir::pass::{PassManager, Pipeline, Registry};
use gpuc_ir::text::parse_module;
use gpuc_ir::{Ir, Op};
use gpuc_passes::pipelines::{LOWER, PARALLEL, RAISE, SOURCE};
use libtest_mimic::{Arguments, Failed, Trial};

/// What must have run before a pass for it to have anything to do; the other passes run on programs
/// as they are made.
const NEEDS: &[(&str, &str)] = &[
    ("promote-scalars", "raise-loops"),
    ("raise-inductions", "raise-loops,promote-scalars,mem2reg"),
    ("raise-affine", "raise-loops,mem2reg"),
    ("delinearize", "raise-loops,mem2reg,raise-affine"),
    ("recognize-parallel", "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize"),
    ("restructure", "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize"),
    ("check-independent", "raise-loops,mem2reg,raise-affine"),
    ("affine-privatize", "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize"),
    ("affine-expand", "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize"),
    ("affine-fission", "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize"),
    ("affine-snapshot", "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize"),
    ("affine-relayout", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-permute", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-distribute", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-fusion", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-skew", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-tile", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-normalize", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-unroll", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-coalescing", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-loop-unroll-jam", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-scalrep", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-data-copy-generate", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("affine-simplify-structures", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("scf-for-loop-range-folding", "raise-loops,mem2reg"),
    ("convert-scf-to-cf", "raise-loops,mem2reg,map,outline,distribute,lower-reductions"),
    ("sccp", "raise-loops,mem2reg"),
    ("affine-parallelize", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("scf-for-loop-peeling", "raise-loops,mem2reg"),
    ("control-flow-sink", "raise-loops,mem2reg"),
    ("lower-affine", "raise-loops,mem2reg,raise-affine,delinearize"),
    ("fold-memref-alias-ops", "raise-loops,mem2reg,raise-affine,delinearize,lower-affine"),
    (
        "persist-loops",
        "raise-loops,promote-scalars,mem2reg,raise-affine,delinearize,recognize-parallel",
    ),
    ("map", "raise-loops,mem2reg,canonicalize"),
    ("outline", "raise-loops,mem2reg,raise-affine,canonicalize,map"),
    ("distribute", "raise-loops,mem2reg,raise-affine,canonicalize,map,outline,lower-affine"),
    (
        "vectorize-loads",
        "raise-loops,mem2reg,map,outline,distribute,lower-reductions,loop-unroll,canonicalize,cse",
    ),
    ("carry-elements", "raise-loops,mem2reg,map,outline,distribute,lower-reductions"),
    (
        "advance-loads",
        "raise-loops,mem2reg,map,outline,distribute,lower-reductions,loop-unroll,canonicalize,cse",
    ),
    ("lower-reductions", "raise-loops,mem2reg,map,outline,distribute"),
    ("scf-to-cf", "raise-loops,mem2reg,map,outline,distribute,lower-reductions"),
];

/// The options without which a pass does nothing.
const OPTIONS: &[(&str, &str)] = &[
    ("snapshot-op-locations", "{filename=/dev/null}"),
    ("affine-data-copy-generate", "{generate-dma=false}"),
    ("affine-relayout", "{factors=1}"),
    ("test-scf-parallel-loop-collapsing", "{collapsed-indices-0=0}"),
];

/// Passes that refuse programs of another form than theirs; some of the programs must be of it.
const REFUSING: &[&str] = &["convert-affine-for-to-gpu", "test-scf-parallel-loop-collapsing"];

/// Stages in a row, as the compiler runs them.
const STAGES: &[(&str, &[&str])] = &[
    ("source stage", &[SOURCE]),
    ("down to affine loops", &[SOURCE, RAISE]),
    ("down to kernels", &[SOURCE, RAISE, PARALLEL]),
    ("down to control flow", &[SOURCE, RAISE, PARALLEL, LOWER]),
];

/// Which programs of each flavour are made for a pass: seeds from the first number to below the
/// second. `GPUC_VALIDATION_SEEDS=1000..2000` tries others, as a fuzzer does.
fn seeds() -> Range<u64> {
    let given = std::env::var("GPUC_VALIDATION_SEEDS").unwrap_or_default();
    let range = given
        .split_once("..")
        .and_then(|(first, end)| Some(first.trim().parse().ok()?..end.trim().parse().ok()?));
    range.unwrap_or(0..16)
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add(gpuc_passes::ALL);
    registry
}

fn parse(text: &str) -> (Ir, Op) {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "random.mlir");
    let module = module.unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"));
    (ir, module)
}

/// Runs passes; the errors where one fails or leaves what does not verify.
fn transform(ir: &mut Ir, module: Op, passes: &str) -> Result<(), String> {
    if passes.is_empty() {
        return Ok(());
    }
    let mut pipeline = Pipeline::parse(&format!("builtin.module({passes})"), &registry())
        .map_err(|error| format!("{passes}: {error}"))?;
    PassManager::new().run(ir, module, &mut pipeline).map_err(|failure| {
        let errors: Vec<String> = failure.errors.iter().map(ToString::to_string).collect();
        format!("{}: {}", failure.pass, errors.join("\n"))
    })
}

/// Whether a random program computes the same before and after `passes`, both behind `needs`; `false` where the
/// passes refuse it, as they may.
fn validate(
    seed: u64,
    flavour: Flavour,
    needs: &str,
    passes: &str,
    may_refuse: bool,
) -> Result<bool, String> {
    let text = program(seed, flavour);
    let (mut before, before_module) = parse(&text);
    let (mut after, after_module) = parse(&text);
    let refused = |error| format!("{error}\nprogram:\n{text}");
    transform(&mut before, before_module, needs).map_err(refused)?;
    transform(&mut after, after_module, needs).map_err(refused)?;
    match transform(&mut after, after_module, passes) {
        Err(_) if may_refuse => return Ok(false),
        done => done.map_err(refused)?,
    }
    let mut comparison = Comparison::new("main", seed);
    // What may run in any order must not depend on it.
    if seed % 2 == 1 {
        comparison.options.order = Order::Backwards;
    }
    check_same((&before, before_module), (&after, after_module), &comparison).map_err(|error| {
        format!(
            "{error}\nbefore:\n{}\nafter:\n{}",
            before.to_text(before_module),
            after.to_text(after_module)
        )
    })?;
    Ok(true)
}

/// Validates on many programs; shows the failure with the shortest text.
fn validate_all(needs: &str, passes: &str, may_refuse: bool) -> Result<(), Failed> {
    let mut failures: Vec<(u64, Flavour, String)> = Vec::new();
    let mut taken = 0;
    for flavour in Flavour::ALL {
        for seed in seeds() {
            match validate(seed, flavour, needs, passes, may_refuse) {
                Ok(is_taken) => taken += usize::from(is_taken),
                Err(error) => failures.push((seed, flavour, error)),
            }
        }
    }
    if taken == 0 && failures.is_empty() {
        return Err("every program is refused".into());
    }
    let count = failures.len();
    match failures.into_iter().min_by_key(|failure| failure.2.len()) {
        None => Ok(()),
        Some((seed, flavour, error)) => {
            let all = seeds().count() * Flavour::ALL.len();
            Err(format!("wrong for {count} of {all} programs; {flavour:?} {seed}: {error}").into())
        }
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let of_passes = gpuc_passes::ALL.iter().map(|info| {
        let needs = NEEDS.iter().find(|(name, _)| *name == info.name);
        let needs = needs.map_or("", |(_, needs)| needs);
        let options = OPTIONS.iter().find(|(name, _)| *name == info.name);
        let passes = format!("{}{}", info.name, options.map_or("", |(_, options)| options));
        let may_refuse = REFUSING.contains(&info.name);
        Trial::test(info.name, move || validate_all(needs, &passes, may_refuse))
    });
    let of_stages = STAGES.iter().map(|(name, stages)| {
        let passes = stages.join(",").replace("$arch", gpuc_arch::Arch::default_target().name);
        Trial::test(*name, move || validate_all("", &passes, false))
    });
    libtest_mimic::run(&arguments, of_passes.chain(of_stages).collect()).exit();
}
