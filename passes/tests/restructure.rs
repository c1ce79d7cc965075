//! Reordered nests compute what they computed: random nests, each step alone and all together.

mod remarks;

use std::fmt::Write as _;
use std::ops::Range;

use gpuc_interp::random::Random;
use gpuc_interp::{Comparison, Order, check_same};
use remarks::{parse, run};

/// Pipelines that are tried on every nest.
const PIPELINES: &[&str] = &[
    "affine-loop-permute",
    "affine-loop-permute{order=1-2-0}",
    "affine-loop-permute{order=2-1-0}",
    "affine-loop-distribute",
    "affine-loop-fusion",
    "affine-loop-skew",
    "affine-loop-skew{factor=-1}",
    "affine-loop-skew{wavefront=true}",
    "affine-loop-skew{factor=2 wavefront=true}",
    "affine-loop-distribute,affine-loop-permute,affine-loop-fusion,affine-loop-skew{wavefront=true}",
    "affine-loop-fusion,affine-loop-permute,affine-loop-distribute,canonicalize",
    "restructure",
    "restructure,canonicalize,cse,recognize-parallel,canonicalize",
    "affine-privatize,restructure,canonicalize,cse,recognize-parallel,canonicalize",
    "affine-split,canonicalize,cse",
    "affine-privatize,affine-split,restructure,canonicalize,cse,recognize-parallel,canonicalize",
    "affine-expand,canonicalize",
    "affine-expand,restructure,canonicalize,cse,recognize-parallel,canonicalize",
    "affine-snapshot,canonicalize",
    "affine-fission,canonicalize",
    "affine-expand,affine-fission,affine-snapshot,restructure,canonicalize,cse,recognize-parallel,canonicalize",
    "affine-relayout{factors=1},canonicalize",
    "affine-relayout{factors=-2},canonicalize",
    "affine-relayout{last=1 factors=-1},canonicalize",
];

/// Which nests are made. `GPUC_VALIDATION_SEEDS=1000..2000` tries others.
fn seeds() -> Range<u64> {
    let given = std::env::var("GPUC_VALIDATION_SEEDS").unwrap_or_default();
    let range = given
        .split_once("..")
        .and_then(|(first, end)| Some(first.trim().parse().ok()?..end.trim().parse().ok()?));
    range.unwrap_or(0..24)
}

/// Rows and columns of the arrays; loops stay two elements away from the ends.
const EXTENT: i64 = 12;

struct Nest {
    random: Random,
    text: String,
    values: usize,
}

impl Nest {
    fn pick(&mut self, below: u64) -> u64 {
        self.random.between(0, below as i64 - 1) as u64
    }

    /// A subscript that stays inside: a variable or a number, and something small.
    fn subscript(&mut self, variables: &[String]) -> String {
        match self.pick(6) {
            0 => self.pick(EXTENT as u64).to_string(),
            _ => {
                let variable = variables[self.pick(variables.len() as u64) as usize].clone();
                match self.pick(3) {
                    0 => variable,
                    1 => format!("{variable} - {}", 1 + self.pick(2)),
                    _ => format!("{variable} + {}", 1 + self.pick(2)),
                }
            }
        }
    }

    fn element(&mut self, variables: &[String]) -> (String, &'static str) {
        match self.pick(3) {
            0 => (format!("%x[{}]", self.subscript(variables)), "memref<12xi32>"),
            array => {
                let name = if array == 1 { "%a" } else { "%b" };
                let (row, column) = (self.subscript(variables), self.subscript(variables));
                (format!("{name}[{row}, {column}]"), "memref<12x12xi32>")
            }
        }
    }

    fn value(&mut self) -> String {
        self.values += 1;
        format!("%v{}", self.values)
    }

    fn statement(&mut self, variables: &[String]) {
        let mut sum = "%c3".to_owned();
        for _ in 0..1 + self.pick(2) {
            let (loaded, combined) = (self.value(), self.value());
            let (element, ty) = self.element(variables);
            let op = ["arith.addi", "arith.muli", "arith.xori"][self.pick(3) as usize];
            _ = writeln!(self.text, "{loaded} = affine.load {element} : {ty}");
            _ = writeln!(self.text, "{combined} = {op} {sum}, {loaded} : i32");
            sum = combined;
        }
        let (element, ty) = self.element(variables);
        let under = self.pick(6) == 0;
        if under {
            let variable = &variables[self.pick(variables.len() as u64) as usize];
            _ = writeln!(self.text, "affine.if affine_set<(d0) : (d0 - 5 >= 0)>({variable}) {{");
        }
        _ = writeln!(self.text, "affine.store {sum}, {element} : {ty}");
        if under {
            _ = writeln!(self.text, "}}");
        }
    }

    fn bounds(&mut self, variables: &[String]) -> (String, String) {
        let outer = variables.last().cloned().filter(|_| self.random.once_in(2));
        match (outer, self.pick(4)) {
            (Some(outer), 0) => ("2".to_owned(), format!("affine_map<(d0) -> (d0)>({outer})")),
            (Some(outer), 1) => (format!("affine_map<(d0) -> (d0 + 1)>({outer})"), "%n".to_owned()),
            (Some(outer), _) => (format!("affine_map<(d0) -> (d0)>({outer})"), "9".to_owned()),
            (None, 0) => ("3".to_owned(), "%n".to_owned()),
            (None, 1) => ("2".to_owned(), "10".to_owned()),
            (None, _) => ("2".to_owned(), "%n".to_owned()),
        }
    }

    fn looped(&mut self, variables: &mut Vec<String>) {
        let (lower, upper) = self.bounds(variables);
        let variable = format!("%i{}_{}", variables.len(), self.values);
        self.values += 1;
        _ = writeln!(self.text, "affine.for {variable} = {lower} to {upper} {{");
        variables.push(variable);
        // Perfect nests are what most steps are about.
        let perfect = variables.len() < 3 && self.pick(2) == 0;
        let parts = if perfect { 1 } else { 1 + self.pick(3) };
        for _ in 0..parts {
            match perfect || (variables.len() < 3 && self.pick(3) == 0) {
                true => self.looped(variables),
                false => self.statement(variables),
            }
        }
        variables.pop();
        _ = writeln!(self.text, "}}");
    }
}

/// A program with one or two nests in a compute region.
fn nest(seed: u64) -> String {
    let mut nest = Nest { random: Random::new(seed), text: String::new(), values: 0 };
    for _ in 0..1 + nest.pick(2) {
        nest.looped(&mut Vec::new());
    }
    let exclusive = "{offload.storage = \"exclusive\"}";
    format!(
        "func.func @main(%m: index, %a: memref<12x12xi32> {exclusive}, %b: memref<12x12xi32> {exclusive}, \
         %x: memref<12xi32> {exclusive}) {{\n\
         %c2 = arith.constant 2 : index\n%c10 = arith.constant 10 : index\n\
         %c3 = arith.constant 3 : i32\n%n = arith.minsi %m, %c10 : index\n\
         offload.region kernels {{\n{}}}\nreturn\n}}",
        nest.text
    )
}

/// What a pipeline makes of a nest computes the same; parallel loops in any order.
fn check(text: &str, passes: &str, seed: u64) -> Result<(), String> {
    let (output, said) = run(passes, text);
    if said.contains("error") {
        return Err(format!("{passes}: {said}in\n{text}"));
    }
    let ((before, before_module), (after, after_module)) = (parse(text), parse(&output));
    let mut comparison = Comparison::new("main", seed);
    comparison.extent = 10;
    comparison.options.order =
        if seed.is_multiple_of(2) { Order::Forwards } else { Order::Backwards };
    check_same((&before, before_module), (&after, after_module), &comparison)
        .map_err(|error| format!("{passes}: {error}\nin\n{text}\nbecame\n{output}"))
}

#[test]
fn random_nests() {
    let mut failures: Vec<String> = Vec::new();
    for seed in seeds() {
        let text = nest(seed);
        for passes in PIPELINES {
            failures.extend(check(&text, passes, seed).err());
        }
    }
    failures.sort_by_key(String::len);
    assert!(failures.is_empty(), "{} wrong, the shortest: {}", failures.len(), failures[0]);
}

/// Rounds of a loop over sweeps: some of the whole arrays but for a row or column at the ends, some of one row or column.
fn sweeps(seed: u64) -> String {
    let mut nest = Nest { random: Random::new(seed), text: String::new(), values: 0 };
    for sweep in 0..2 + nest.pick(4) {
        let mut variables = Vec::new();
        let rank = 1 + usize::from(nest.pick(4) > 0);
        for depth in 0..rank {
            let lower = nest.pick(2);
            let upper = ["%m", "%n", "%n1"][nest.pick(9) as usize % 3];
            let variable = format!("%s{sweep}_{depth}");
            _ = writeln!(nest.text, "affine.for {variable} = {lower} to {upper} {{");
            variables.push(variable);
        }
        let row = |nest: &mut Nest, exact: bool| {
            let mut each = variables.clone();
            while each.len() < 2 {
                let at = nest.pick(2) as usize;
                each.insert(at, nest.pick(2).to_string());
            }
            if !exact && nest.pick(3) == 0 {
                let at = nest.pick(2) as usize;
                each[at] += " + 1";
            }
            each.join(", ")
        };
        let (from, to) = (["%a", "%b"], ["%a", "%b"]);
        let (from, to) = (from[nest.pick(2) as usize], to[nest.pick(2) as usize]);
        let (read, own, written) =
            (row(&mut nest, false), row(&mut nest, true), row(&mut nest, true));
        _ = writeln!(
            nest.text,
            "%x{sweep} = affine.load {from}[{read}] : memref<14x14xi32>\n\
             %y{sweep} = affine.load {to}[{own}] : memref<14x14xi32>\n\
             %p{sweep} = arith.muli %x{sweep}, %c3 : i32\n\
             %z{sweep} = arith.addi %p{sweep}, %y{sweep} : i32\n\
             affine.store %z{sweep}, {to}[{written}] : memref<14x14xi32>"
        );
        _ = writeln!(nest.text, "{}", "}".repeat(rank));
    }
    let exclusive = "{offload.storage = \"exclusive\"}";
    format!(
        "func.func @main(%m: index, %n: index, %a: memref<14x14xi32> {exclusive}, %b: memref<14x14xi32> {exclusive}) {{\n\
         %c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : i32\n\
         %n1 = arith.subi %n, %c1 : index\n\
         offload.region kernels {{\naffine.for %t = 0 to 3 {{\n{}}}\n}}\nreturn\n}}",
        nest.text
    )
}

/// Sweeps that are fused compute the same, with no row and column, too; enough of them are fused.
#[test]
fn random_sweeps() {
    let (mut failures, mut fused, mut tested): (Vec<String>, _, _) = (Vec::new(), 0, 0);
    for seed in seeds() {
        let text = sweeps(seed);
        let said = run("restructure", &text);
        fused += usize::from(said.1.contains("Loops fused"));
        tested += usize::from(said.0.contains("scf.if"));
        for passes in [
            "restructure",
            "restructure,canonicalize,cse,recognize-parallel,canonicalize,collapse-parallel",
        ] {
            failures.extend((0..3).filter_map(|run| check(&text, passes, 3 * seed + run).err()));
        }
    }
    failures.sort_by_key(String::len);
    assert!(failures.is_empty(), "{} wrong, the shortest: {}", failures.len(), failures[0]);
    assert!(
        fused >= 6 && tested >= 1,
        "{fused} of the nests are fused, {tested} where a number says so"
    );
}

/// An array that each iteration of two loops overwrites, from a row on that differs, and reads behind: its
/// last values are there behind the nest, if there is an iteration at all.
#[test]
fn overwritten_arrays() {
    for (first, rows) in [("0", "%n"), ("2", "%m"), ("%n", "%m"), ("1", "2"), ("3", "3")] {
        let text = format!(
            "func.func @main(%n: index, %m: index, %a: memref<12x12x12xi32> {{offload.storage = \"exclusive\"}}, \
             %x: memref<16xi32> {{offload.storage = \"exclusive\"}}) {{
             %c3 = arith.constant 3 : i32
             offload.region kernels {{
             affine.for %i = {first} to {rows} {{ affine.for %j = 0 to %n {{
               affine.for %k = 1 to %m {{
                 %r = affine.load %a[%i, %j, %k] : memref<12x12x12xi32>
                 %s = arith.muli %r, %c3 : i32
                 affine.store %s, %x[%k + 2] : memref<16xi32>
                 %t = affine.load %x[%k + 2] : memref<16xi32>
                 %u = arith.addi %t, %c3 : i32
                 affine.store %u, %x[%k + 2] : memref<16xi32>
               }}
               affine.for %k = 1 to %m {{
                 %v = affine.load %x[%k + 2] : memref<16xi32>
                 affine.store %v, %a[%i, %j, %k - 1] : memref<12x12x12xi32>
               }}
             }} }} }}
             return }}"
        );
        for seed in 0..12 {
            let passes = "affine-privatize,canonicalize,recognize-parallel,canonicalize";
            let output = run(passes, &text).0;
            // One iteration waits for none.
            let several = rows.starts_with('%');
            assert_eq!(output.contains("gpu.alloc"), several, "privatized:\n{output}");
            assert!(!several || output.contains("affine.parallel"), "not parallel:\n{output}");
            check(&text, passes, seed).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Arrays of which no iteration overwrites one and the same box.
#[test]
fn arrays_that_are_overwritten_in_part() {
    for (what, writes, read) in [
        // Neither write includes the other.
        (
            "two ranges",
            "affine.for %k = 0 to 5 { affine.store %c3, %x[%k] : memref<40xi32> }
             affine.for %k = 3 to 8 { affine.store %v, %x[%k] : memref<40xi32> }",
            "%k + 3",
        ),
        ("every other element", "affine.for %k = 0 to 8 { affine.store %v, %x[%k * 2] : memref<40xi32> }", "%k * 2"),
        ("a window", "affine.for %k = 0 to 8 { affine.store %v, %x[%k + %i] : memref<40xi32> }", "%k + %i"),
        (
            "rounded ends",
            "affine.for %k = affine_map<()[s0] -> (s0 ceildiv 2)>()[%n] to affine_map<()[s0] -> (s0 floordiv 2 + 6)>()[%n] {
                affine.store %v, %x[%k] : memref<40xi32> }",
            "%k + symbol(%n) floordiv 2 + 1",
        ),
        (
            "half of them, from the middle",
            "affine.for %k = affine_map<()[s0] -> (s0 ceildiv 2)>()[%n] to 20 { affine.store %v, %x[%k] : memref<40xi32> }",
            "%k + symbol(%n)",
        ),
        (
            "elements under a condition, half of which says nothing",
            "%p = arith.cmpi slt, %v, %c3 : i32
             affine.for %k = 0 to 8 {
               %q = arith.cmpi slt, %k, %n : index
               %both = arith.andi %q, %p : i1
               scf.if %both { affine.store %v, %x[%k] : memref<40xi32> }
             }",
            "%k",
        ),
        (
            "elements where not both hold",
            "%p = arith.cmpi slt, %n, %m : index
             affine.for %k = 0 to 8 {
               %q = arith.cmpi slt, %k, %m : index
               %both = arith.andi %q, %p : i1
               %true = arith.constant true
               %none = arith.xori %both, %true : i1
               scf.if %none { affine.store %v, %x[%k] : memref<40xi32> }
             }",
            "%k",
        ),
    ] {
        let text = format!(
            "func.func @main(%n: index, %m: index, %a: memref<12x12xi32> {{offload.storage = \"exclusive\"}}, \
             %x: memref<40xi32> {{offload.storage = \"exclusive\"}}) {{
             %c3 = arith.constant 3 : i32
             offload.region kernels {{
             affine.for %i = 0 to %m {{
               %v = affine.load %a[%i, 11] : memref<12x12xi32>
               {writes}
               affine.for %k = 0 to 2 {{
                 %r = affine.load %x[{read}] : memref<40xi32>
                 affine.store %r, %a[%i, %k] : memref<12x12xi32>
               }}
             }} }}
             return }}"
        );
        let passes = "affine-privatize,canonicalize,recognize-parallel,canonicalize";
        let output = run(passes, &text).0;
        assert!(!output.contains("gpu.alloc"), "{what} privatized:\n{output}");
        for seed in 0..6 {
            check(&text, passes, seed).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
}
