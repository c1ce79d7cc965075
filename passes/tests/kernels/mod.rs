//! Kernels that are launched, before and behind passes.

#![allow(dead_code, reason = "each test file uses what it needs")]

use expect_test::Expect;
use gpuc_interp::{Comparison, Order, check_same};

use crate::remarks::{parse, run};

/// A kernel with a body, launched in two blocks of a shape; `known` says whether it knows that.
pub fn program(arguments: &str, [x, y, z]: [i64; 3], known: bool, body: &str) -> String {
    let names: Vec<String> =
        arguments.split(", ").map(|argument| argument.replacen(':', " :", 1)).collect();
    let names = names.join(", ");
    let known = match known {
        true => format!("attributes {{known_block_size = array<i32: {x}, {y}, {z}>}} "),
        false => String::new(),
    };
    format!(
        "module attributes {{gpu.container_module}} {{
           func.func @main({arguments}) {{
             %one = arith.constant 1 : index
             %two = arith.constant 2 : index
             %x = arith.constant {x} : index
             %y = arith.constant {y} : index
             %z = arith.constant {z} : index
             gpu.launch_func @kernels::@k blocks in (%two, %one, %one) threads in (%x, %y, %z) args({names})
             return
           }}
           gpu.module @kernels {{
             gpu.func @k({arguments}) kernel {known}{{
               {body}
               gpu.return
             }}
           }}
         }}"
    )
}

/// What passes make of a program, which does the same behind them.
pub fn check(passes: &str, text: &str, extent: i64, tolerance: f64) -> String {
    let (lowered, said) = run(passes, text);
    assert_eq!(said, "", "in\n{text}");
    let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
    for (seed, order) in [(1, Order::Forwards), (2, Order::Backwards)] {
        let mut comparison = Comparison::new("main", seed);
        comparison.extent = extent;
        comparison.tolerance = tolerance;
        comparison.options.order = order;
        check_same((&before, before_module), (&after, after_module), &comparison)
            .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{lowered}"));
    }
    lowered
}

/// The kernel in a program is the expected one.
pub fn expect_kernel(text: &str, expected: &Expect) {
    let start = text.find("gpu.func").expect("a kernel");
    expected.assert_eq(&text[start..]);
}
