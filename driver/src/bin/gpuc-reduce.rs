//! `gpuc-reduce`: makes a file that shows a fault small.

use std::process::ExitCode;

fn main() -> ExitCode {
    gpuc_driver::reduce::main(std::env::args_os())
}
