//! `gpuc-opt`: reads IR, runs passes, prints IR. The flags are mlir-opt's.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpuc_driver::opt::main(std::env::args_os().skip(1))
}
