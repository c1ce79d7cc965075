//! The same program in the words of two families of directives becomes the same kernels.

use std::process::Command;

use gpuc_tests::corpus;
use gpuc_tests::execution;
use gpuc_tests::tools::Tools;

/// The kernels of an example, without the line that names its file.
fn kernels(example: &str) -> String {
    let mut command = Command::new(Tools::find().ours("gpuc").expect("gpuc is built"));
    let file = format!("examples/{example}.c");
    command.args(["--emit=ptx", "-fopenmp", &file]).current_dir(corpus::root());
    let outcome = execution::run(&mut command, Vec::new(), true).expect("gpuc runs");
    assert!(outcome.status.is_some_and(|status| status.success()), "{}", outcome.text());
    outcome.text().lines().filter(|line| !line.starts_with(".file")).collect::<Vec<_>>().join("\n")
}

#[test]
fn jacobi_has_the_same_kernels_in_openacc_and_openmp() {
    let (acc, omp) = (kernels("jacobi2d"), kernels("jacobi_omp"));
    assert!(acc.matches(".entry").count() >= 2, "{acc}");
    assert_eq!(acc, omp);
}
