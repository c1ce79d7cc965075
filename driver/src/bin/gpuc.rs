//! `gpuc`: the compiler, a drop-in `cc`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpuc_driver::cc::main(std::env::args_os().skip(1))
}
