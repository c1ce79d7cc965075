//! `affine-loop-fusion` by execution: nests over a few buffers, made at random, leave the same before and after it.

mod remarks;

use std::fmt::Write;

use gpuc_interp::{Comparison, Order, check_same};
use remarks::{parse, run};

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Buffers of 32 elements: two that the caller has, three that nobody else sees.
const BUFFERS: [&str; 5] = ["a", "r", "s", "t", "u"];

/// A subscript that stays below 32 for variables below 10.
fn subscript(dice: &mut Dice, depth: u64) -> String {
    let variable = format!("%i{}", dice.below(depth));
    match dice.below(8) {
        0..=2 => variable,
        3 | 4 => format!("{variable} + {}", dice.below(4)),
        5 => format!("{variable} * 2 + {}", dice.below(3)),
        6 if depth > 1 => format!("%i0 + %i1 + {}", dice.below(3)),
        6 => format!("{variable} floordiv 2"),
        _ => dice.below(10).to_string(),
    }
}

fn nest(dice: &mut Dice, text: &mut String) {
    let depth = 1 + dice.below(2);
    for level in 0..depth {
        let from = dice.below(3);
        let to = [10, 10, 8, 5, from + 1][dice.below(5) as usize].max(from + 1);
        let _ = writeln!(text, "affine.for %i{level} = {from} to {to} {{");
    }
    for statement in 0..1 + dice.below(2) {
        let mut value = "%seven".to_owned();
        for read in 0..1 + dice.below(2) {
            let buffer = BUFFERS[dice.below(5) as usize];
            let at = subscript(dice, depth);
            let name = format!("%x{statement}_{read}");
            let _ = writeln!(text, "{name} = affine.load %{buffer}[{at}] : memref<32xi32>");
            let combine = ["arith.addi", "arith.muli", "arith.xori"][dice.below(3) as usize];
            let _ = writeln!(text, "{name}c = {combine} {value}, {name} : i32");
            value = format!("{name}c");
        }
        let buffer = BUFFERS[1 + dice.below(4) as usize];
        let at = subscript(dice, depth);
        let _ = writeln!(text, "affine.store {value}, %{buffer}[{at}] : memref<32xi32>");
    }
    for _ in 0..depth {
        text.push_str("}\n");
    }
}

/// A function of some nests; `copied` says of what the caller does not see whether it is left in `%r` in the end.
fn program(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut text = "func.func @main(%a: memref<32xi32> {offload.storage = \"exclusive\"}, \
        %r: memref<32xi32> {offload.storage = \"exclusive\"}) {\n%seven = arith.constant 7 : i32\n"
        .to_owned();
    for buffer in &BUFFERS[2..] {
        let _ = writeln!(text, "%{buffer} = memref.alloc() : memref<32xi32>");
    }
    for (number, buffer) in BUFFERS[2..].iter().enumerate() {
        let _ = writeln!(
            text,
            "affine.for %i = 0 to 32 {{ %x = affine.load %a[31 - %i] : memref<32xi32>
            %n = arith.constant {number} : i32
            %y = arith.xori %x, %n : i32
            affine.store %y, %{buffer}[%i] : memref<32xi32> }}"
        );
    }
    for _ in 0..2 + dice.below(4) {
        nest(&mut dice, &mut text);
    }
    let seen = BUFFERS[2 + dice.below(3) as usize];
    let _ = writeln!(
        text,
        "affine.for %i = 0 to 10 {{ %x = affine.load %{seen}[%i + 1] : memref<32xi32>
        affine.store %x, %r[%i + 20] : memref<32xi32> }}\nreturn\n}}"
    );
    text
}

#[test]
fn nests_made_at_random() {
    let options = [
        "",
        "{fusion-maximal=true}",
        "{mode=producer fusion-compute-tolerance=100}",
        "{mode=sibling fusion-compute-tolerance=2}",
        "{fusion-fast-mem-space=5 fusion-local-buf-threshold=1}",
    ];
    let (mut fused, mut shrunk) = (0, 0);
    for seed in 1..=120 {
        let text = program(seed);
        for option in options {
            let passes = format!("affine-loop-fusion{option}");
            let (made, said) = run(&passes, &text);
            assert!(!said.contains("error"), "{said}in\n{text}");
            let ((before, before_module), (after, after_module)) = (parse(&text), parse(&made));
            for (inputs, order) in [(1, Order::Forwards), (2, Order::Backwards)] {
                let mut comparison = Comparison::new("main", inputs);
                comparison.options.order = order;
                check_same((&before, before_module), (&after, after_module), &comparison)
                    .unwrap_or_else(|error| {
                        panic!("seed {seed}, {passes}: {error}\nin\n{text}\nbecame\n{made}")
                    });
            }
            let loops =
                |text: &str| text.lines().filter(|line| line.contains("affine.for")).count();
            fused += usize::from(loops(&made) < loops(&text));
            shrunk += usize::from(made.contains("memref.alloc() : memref<1xi32"));
        }
    }
    // Otherwise the test would say nothing.
    assert!(
        fused > 100 && shrunk > 50,
        "{fused} programs with fewer loops, {shrunk} with small buffers"
    );
}
