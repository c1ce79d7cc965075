//! The figures of `benches/RESULTS.md`: CPU time of compiling, of gpuc-opt, of the simulator, of a
//! launch and of questions about integer sets. One executable, because each holds the whole compiler; `cargo bench -p gpuc-benches --
//! sim` runs what has `sim` in its name.

mod compile;
mod launch;
mod opt;
mod presburger;
mod sim;

use std::process::ExitCode;

/// The first argument with which this program is gpuc-opt: the library of this very build, in a
/// process of its own.
const AS_GPUC_OPT: &str = "--as-gpuc-opt";

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|first| first == AS_GPUC_OPT) {
        return gpuc_driver::opt::main(std::env::args_os().skip(2));
    }
    let mut criterion = gpuc_benches::by_cpu_time();
    compile::bench(&mut criterion);
    opt::bench(&mut criterion);
    sim::bench(&mut criterion);
    launch::bench(&mut criterion);
    presburger::bench(&mut criterion);
    criterion.final_summary();
    ExitCode::SUCCESS
}
