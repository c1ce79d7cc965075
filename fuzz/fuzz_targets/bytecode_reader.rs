//! Any bytes are read as MLIR's bytecode or refused; what has been read and verified is written as bytecode that reads back
//! to the same print.
#![no_main]

use gpuc_bytecode::{NEWEST_VERSION, read, write};
use gpuc_ir::Ir;
use gpuc_ir::verify::verify;
use libfuzzer_sys::fuzz_target;

fn fresh() -> Ir {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    ir.ctx.allow_unregistered = true;
    ir
}

fuzz_target!(|bytes: &[u8]| {
    // The magic number is given, so that no time is lost in finding it.
    let contents = [b"ML\xefR", bytes].concat();
    let mut ir = fresh();
    let module = match read(&mut ir, &contents, "fuzz.mlirbc", true) {
        Ok(module) => module,
        Err(error) => {
            let place = error.place.expect("refused without a place");
            assert!(place.column as usize <= contents.len() + 1);
            return;
        }
    };
    if verify(&mut ir, module).is_err() {
        return;
    }
    let mut again = fresh();
    let written = write(&ir, module, NEWEST_VERSION);
    let read = read(&mut again, &written, "fuzz.mlirbc", true).expect("what was written is refused");
    assert_eq!(ir.to_text(module), again.to_text(read));
});
