//! Intervals of integers hold every value that is computed.

use gpuc_ir::{Ir, Value, WalkOrder};
use gpuc_passes::analysis::range::{Range, range};

mod remarks;

/// What an operation of two operands gives; `None` where the program has no meaning.
fn computed(name: &str, a: i64, b: i64) -> Option<i64> {
    let unsigned = |f: fn(u64, u64) -> u64| (b != 0).then(|| f(a as u64, b as u64) as i64);
    Some(match name {
        "addi" => a.wrapping_add(b),
        "subi" => a.wrapping_sub(b),
        "muli" => a.wrapping_mul(b),
        "maxsi" => a.max(b),
        "minsi" => a.min(b),
        "andi" => a & b,
        "ori" => a | b,
        "xori" => a ^ b,
        "minui" => unsigned(|a, b| a.min(b)).or(Some(0))?,
        "maxui" => unsigned(|a, b| a.max(b)).or(Some(a))?,
        "divsi" => a.checked_div(b)?,
        "remsi" => a.checked_rem(b)?,
        "floordivsi" => a.checked_div(b)? - i64::from(a % b != 0 && (a < 0) != (b < 0)),
        "ceildivsi" => a.checked_div(b)? + i64::from(a % b != 0 && (a < 0) == (b < 0)),
        "divui" => unsigned(|a, b| a / b)?,
        "remui" => unsigned(|a, b| a % b)?,
        "ceildivui" => unsigned(u64::div_ceil)?,
        "shli" => (0..64).contains(&b).then(|| a << b)?,
        "shrsi" => (0..64).contains(&b).then(|| a >> b)?,
        "shrui" => (0..64).contains(&b).then(|| ((a as u64) >> b) as i64)?,
        _ => unreachable!("{name}"),
    })
}

const NAMES: [&str; 20] = [
    "addi",
    "subi",
    "muli",
    "maxsi",
    "minsi",
    "andi",
    "divsi",
    "remsi",
    "floordivsi",
    "ceildivsi",
    "divui",
    "remui",
    "ceildivui",
    "shrui",
    "ori",
    "xori",
    "minui",
    "maxui",
    "shli",
    "shrsi",
];

/// Numbers that look random, the same ones each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn ranges_of(text: &str) -> Vec<Range> {
    let (ir, module): (Ir, _) = remarks::parse(text);
    let ops = ir.nested_ops(module, WalkOrder::PreOrder);
    let numbers = ops.into_iter().filter(|&op| ir.attr(op, "seen").is_some());
    let values: Vec<Value> = numbers.map(|op| ir.result(op, 0)).collect();
    values.into_iter().map(|value| range(&ir, value)).collect()
}

#[test]
fn no_value_lies_outside() {
    let mut numbers = Numbers(7);
    let constants = [0, 1, 2, 3, 7, 31, 128, -1, -5, i64::from(i32::MAX), i64::MAX, i64::MIN];
    let mut seen = 0;
    for _ in 0..400 {
        // Two numbers of 32 bits, constants, and what is computed of them.
        let mut text = String::from(
            "func.func @f(%x: i32, %y: i32) {\n%v0 = arith.index_cast %x : i32 to index\n%v1 = arith.index_cast %y : i32 to index\n",
        );
        let mut steps = Vec::new();
        for i in 2..6 {
            let constant = constants[numbers.below(constants.len())];
            text += &format!("%v{i} = arith.constant {constant} : index\n");
            steps.push((i, "", constant as usize, 0));
        }
        for i in 6..14 {
            let (name, a, b) =
                (NAMES[numbers.below(NAMES.len())], numbers.below(i), numbers.below(i));
            text += &format!("%v{i} = arith.{name} %v{a}, %v{b} {{seen}} : index\n");
            steps.push((i, name, a, b));
        }
        let ranges = ranges_of(&(text.clone() + "return\n}"));
        assert_eq!(ranges.len(), 8);
        for _ in 0..20 {
            let edges = [0, 1, -1, i32::MIN, i32::MAX, 127, 128, 129];
            let mut pick = || match numbers.below(2) {
                0 => i64::from(edges[numbers.below(edges.len())]),
                _ => i64::from(numbers.next() as u32 as i32),
            };
            let mut values = vec![pick(), pick()];
            for &(i, name, a, b) in &steps {
                let value = match name {
                    "" => Some(a as i64),
                    _ => computed(name, values[a], values[b]),
                };
                let Some(value) = value else { break };
                values.push(value);
                if i >= 6 {
                    let Range { min, max } = ranges[i - 6];
                    let inside = (min..=max).contains(&i128::from(value));
                    assert!(inside, "%v{i} is {value}, not in {min}..={max}:\n{text}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 10_000, "only {seen} values");
}

#[test]
fn quotients_of_positive_divisors_are_exact() {
    let text = "func.func @f(%x: i32) {
%c0 = arith.constant 0 : index %c128 = arith.constant 128 : index
%v = arith.index_cast %x : i32 to index
%n = arith.maxsi %v, %c0 {seen} : index
%q = arith.ceildivsi %n, %c128 {seen} : index
%s = arith.ceildivsi %v, %c128 {seen} : index
return
}";
    let ends: Vec<_> = ranges_of(text).into_iter().map(|r| (r.min, r.max)).collect();
    let most = i128::from(i32::MAX);
    assert_eq!(ends, [(0, most), (0, 1 << 24), (-(1 << 24), 1 << 24)]);
}

#[test]
fn bounds_that_are_reached() {
    let text = "func.func @f(%x: i32, %q: i1) {
%c0 = arith.constant 0 : index %c3 = arith.constant 3 : index %c128 = arith.constant 128 : index
%v = arith.index_cast %x : i32 to index
%rest = affine.apply affine_map<(d0) -> (d0 mod 5)>(%v) {seen}
%n = arith.maxsi %v, %c0 {seen} : index
%small = affine.apply affine_map<(d0) -> (d0 mod 5)>(%n) {seen}
%few = arith.remui %n, %c3 {seen} : index
%either = arith.select %q, %c3, %c128 {seen} : index
%other = arith.select %q, %c128, %c3 {seen} : index
%bits = arith.ori %few, %either {seen} : index
%odd = arith.xori %few, %c3 {seen} : index
%less = arith.minui %n, %c128 {seen} : index
%more = arith.maxui %few, %c3 {seen} : index
%top = arith.shrui %v, %c3 {seen} : index
%both = arith.andi %v, %c128 {seen} : index
return
}";
    let ends: Vec<_> = ranges_of(text).into_iter().map(|r| (r.min, r.max)).collect();
    let most = i128::from(i32::MAX);
    let expected = [
        (0, 4),
        (0, most),
        (0, 4),
        (0, 2),
        (3, 128),
        (3, 128),
        (0, 255),
        (0, 3),
        (0, 128),
        (3, 3),
        (0, (1 << 61) - 1),
        (0, 128),
    ];
    assert_eq!(ends, expected);
}
