//! Programs whose loops have bounds that no pass knows, run before and after passes.

use gpuc_interp::{Comparison, Order, check_same};

use super::{parse, run};

/// What a function does with `%lo`, `%hi` and `%step`, which no pass knows, and with `%a`, in 64 elements.
pub fn program(lower: i64, upper: i64, step: i64, body: &str) -> String {
    let number = |name: &str, value: i64| {
        format!(
            "%{name}_slot = memref.alloca() : memref<index>
            %{name}_number = arith.constant {value} : index
            memref.store %{name}_number, %{name}_slot[] : memref<index>
            %{name} = memref.load %{name}_slot[] : memref<index>\n"
        )
    };
    let numbers = [number("lo", lower), number("hi", upper), number("step", step)].concat();
    let constants = "%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %one = arith.constant 1 : i32
        %seven = arith.constant 7 : i32";
    format!(
        "func.func @main(%a: memref<64x8xi32>, %r: memref<1xi32>) {{\n{constants}\n{numbers}{body}\nreturn\n}}"
    )
}

/// Ranges within 64 elements: empty, in the wrong order, one, primes, whole tiles.
pub const RANGES: [(i64, i64); 9] =
    [(0, 0), (5, 3), (9, 2), (0, 1), (3, 4), (0, 7), (2, 31), (0, 32), (1, 64)];

/// Runs a program with `passes` and without, for every range and some steps.
pub fn check(passes: &str, body: &str) {
    for (lower, upper) in RANGES {
        for step in [1, 3, 4] {
            let text = program(lower, upper, step, body);
            let (after_text, said) = run(passes, &text);
            assert!(!said.contains("error"), "{said}in\n{text}");
            let ((before, before_module), (after, after_module)) =
                (parse(&text), parse(&after_text));
            for (seed, order) in [(1, Order::Forwards), (2, Order::Backwards)] {
                let mut comparison = Comparison::new("main", seed);
                comparison.options.order = order;
                check_same((&before, before_module), (&after, after_module), &comparison)
                    .unwrap_or_else(|error| {
                        panic!("{passes}: {error}\nin\n{text}\nbecame\n{after_text}")
                    });
            }
        }
    }
}

/// The text after passes for one range.
pub fn after(passes: &str, body: &str) -> String {
    run(passes, &program(0, 31, 3, body)).0
}
