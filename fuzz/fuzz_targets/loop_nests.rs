//! Random loop nests with random directives compute the same at every level: as they are made, and
//! behind each stage of the compiler. What instruction selection makes of their kernels, the
//! simulator reads.
#![no_main]

use gpuc_arch::Arch;
use gpuc_backend_ptx::Options;
use gpuc_dialects::gpu::GPUModuleOp;
use gpuc_interp::random::{Flavour, program};
use gpuc_interp::{Comparison, Order, check_same};
use gpuc_ir::pass::{PassManager, Pipeline, Registry};
use gpuc_ir::text::parse_module;
use gpuc_ir::{Ir, Op, OpView, WalkOrder};
use gpuc_passes::pipelines::{LOWER, PARALLEL, RAISE, SOURCE};
use libfuzzer_sys::fuzz_target;

fn parse(text: &str) -> (Ir, Op) {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "random.mlir").expect("the program reads");
    (ir, module)
}

fn run(ir: &mut Ir, module: Op, stage: &str, arch: &Arch) {
    let mut registry = Registry::new();
    registry.add(gpuc_passes::ALL);
    let passes = format!("builtin.module({})", stage.replace("$arch", arch.name));
    let mut pipeline = Pipeline::parse(&passes, &registry).expect("the stage is a pipeline");
    if let Err(failure) = PassManager::new().run(ir, module, &mut pipeline) {
        panic!("{}: {:#?}\n{}", failure.pass, failure.errors, ir.to_text(module));
    }
}

fuzz_target!(|input: (u64, u8)| {
    let (seed, which) = input;
    let flavour = Flavour::ALL[usize::from(which) % Flavour::ALL.len()];
    let arch = Arch::default_target();
    let text = program(seed, flavour);
    let (before, before_module) = parse(&text);
    let (mut after, module) = parse(&text);
    let mut comparison = Comparison::new("main", seed);
    // What may run in any order must not depend on it.
    if seed % 2 == 1 {
        comparison.options.order = Order::Backwards;
    }
    for stage in [SOURCE, RAISE, PARALLEL, LOWER] {
        run(&mut after, module, stage, arch);
        if let Err(error) = check_same((&before, before_module), (&after, module), &comparison) {
            panic!("behind {stage}: {error}\n{text}\nbecame\n{}", after.to_text(module));
        }
    }
    for op in after.nested_ops(module, WalkOrder::PreOrder) {
        if !GPUModuleOp::is(&after, op) {
            continue;
        }
        // Functions of `math` are linked by the driver: without them selection may refuse.
        let Ok(output) = gpuc_backend_ptx::compile(&mut after, op, &Options::new(arch)) else {
            continue;
        };
        match gpuc_sim::Module::parse(&output.text, "random.ptx") {
            Ok(module) => {
                let refusals = module.refusals();
                assert!(refusals.is_empty(), "{refusals:#?}\nin\n{}", output.text);
            }
            Err(errors) => panic!("{errors:#?}\nin\n{}", output.text),
        }
    }
});
