//! Any text is read as IR or refused; what has been read and verified prints as a text that reads
//! back to the same print.
#![no_main]

use gpuc_ir::text::{PrintOptions, parse_module, print_op};
use gpuc_ir::verify::verify;
use gpuc_ir::{Ir, Op};
use libfuzzer_sys::fuzz_target;

const FILE: &str = "fuzz.mlir";

fn fresh() -> Ir {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    ir.ctx.allow_unregistered = true;
    ir
}

fn print(ir: &Ir, op: Op) -> String {
    let mut text = String::new();
    print_op(ir, op, PrintOptions::default(), &mut text).expect("a String takes everything");
    text
}

fuzz_target!(|text: &str| {
    let mut ir = fresh();
    let module = match parse_module(&mut ir, text, FILE) {
        Ok(module) => module,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            return;
        }
    };
    if verify(&mut ir, module).is_err() {
        return;
    }
    let printed = print(&ir, module);
    let mut again = fresh();
    let module = match parse_module(&mut again, &printed, FILE) {
        Ok(module) => module,
        Err(errors) => panic!("what was printed is refused: {errors:?}\n{printed}"),
    };
    assert_eq!(printed, print(&again, module));
});
