//! Numbers of 32 bits that become numbers of 64 bits only where they do not wrap, by execution.

mod remarks;

use gpuc_interp::{Comparison, check_same};
use remarks::{parse, run};

/// Sums, products and shifts of two loop variables, constants, and a number of which only the sign is known.
struct Sums(u64);

impl Sums {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn constant(&mut self) -> i64 {
        [-1, 1, 1, 2, 3, 5, 8, 31, 60_000, 2_147_483_647][self.below(10) as usize]
    }

    /// Appends an expression to the text and returns the name of its value.
    fn value(&mut self, text: &mut String, depth: u32) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(10) {
                0..=2 => "%i32".to_owned(),
                3..=5 => "%j32".to_owned(),
                6 => "%u".to_owned(),
                _ => named(text, &format!("arith.constant {}", self.constant())),
            };
        }
        let op = ["addi", "addi", "addi", "subi", "muli", "shli"][self.below(6) as usize];
        let a = self.value(text, depth - 1);
        let b = match op {
            "shli" => {
                let shift = [0, 1, 1, 4, 16, 31][self.below(6) as usize];
                named(text, &format!("arith.constant {shift}"))
            }
            _ => self.value(text, depth - 1),
        };
        named(text, &format!("arith.{op} {a}, {b}"))
    }
}

/// Appends an operation with a result of 32 bits, and returns the result's name.
fn named(text: &mut String, op: &str) -> String {
    let name = format!("%t{}", text.len());
    *text += &format!("{name} = {op} : i32\n");
    name
}

/// A function that stores a widened sum, with the sign that `cast` gives it, in each of its iterations.
fn program(sums: &mut Sums, cast: &str, bounds: [i64; 4], unknown: i64) -> String {
    let mut sum = String::new();
    let value = sums.value(&mut sum, 2);
    // Every other one where a comparison holds, or fails.
    let predicates = ["slt", "sle", "ult", "ule", "ugt", "sge", "eq", "ne"];
    let condition = (sums.below(2) == 0).then(|| {
        let (a, b) = (sums.value(&mut sum, 1), sums.value(&mut sum, 1));
        let predicate = predicates[sums.below(8) as usize];
        sum += &format!("%holds = arith.cmpi {predicate}, {a}, {b} : i32\n");
        sums.below(2) == 0
    });
    let [before, behind] = match condition {
        None => ["", ""],
        Some(true) => ["scf.if %holds {\n", "}\n"],
        Some(false) => ["scf.if %holds {\n} else {\n", "}\n"],
    };
    let [from_i, to_i, from_j, to_j] = bounds;
    // A loop variable is narrowed as it is: the sum says what sign its remainder has.
    format!(
        "func.func @main(%r: memref<64xi64>, %slot: memref<1xi32>) {{
%c0 = arith.constant 0 : index
%c8 = arith.constant 8 : index
%zero = arith.constant 0 : i32
%number = arith.constant {unknown} : i32
memref.store %number, %slot[%c0] : memref<1xi32>
%loaded = memref.load %slot[%c0] : memref<1xi32>
%u = arith.maxsi %loaded, %zero : i32
affine.for %i = {from_i} to {to_i} {{
affine.for %j = {from_j} to {to_j} {{
%i32 = arith.index_cast %i : index to i32
%j32 = arith.index_cast %j : index to i32
{sum}{before}%wide = arith.{cast} {value} : i32 to index
%out = arith.index_cast %wide : index to i64
affine.store %out, %r[(%i - ({from_i})) * 8 + %j - ({from_j})] : memref<64xi64>
{behind}}}
}}
return
}}"
    )
}

#[test]
fn numbers_that_wrap_stay() {
    let mut sums = Sums(1);
    let mut widened = [0; 2];
    for round in 0..480 {
        let cast = ["index_castui", "index_cast"][round % 2];
        let bounds = [[0, 4, 0, 8], [1, 6, -2, 3], [-3, 2, 2, 7], [100_000, 100_004, 3, 5]];
        let unknown = [0, 1, 7, 70_000, -1][round / 8 % 5];
        let text = program(&mut sums, cast, bounds[round / 2 % 4], unknown);
        let (before_text, _) = run("", &text);
        let (after_text, said) = run("func.func(widen-subscripts)", &text);
        assert!(!said.contains("error"), "{said}in\n{text}");
        widened[round % 2] += u32::from(before_text != after_text);
        let ((before, before_module), (after, after_module)) = (parse(&text), parse(&after_text));
        check_same((&before, before_module), (&after, after_module), &Comparison::new("main", 1))
            .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{after_text}"));
    }
    // Without a sign, and with one.
    assert_eq!(widened, [45, 25]);
}
