//! `simplify-index` on small functions: what it finds, what it leaves alone.

mod pipeline;

use expect_test::{Expect, expect};
use gpuc_interp::random::Random;
use gpuc_interp::{Comparison, check_same};
use gpuc_ir::Ir;

fn check(input: &str, expected: Expect) {
    pipeline::check("simplify-index,canonicalize,cse", input, expected);
}

#[test]
fn a_flat_index_taken_apart_again() {
    check(
        "func.func @f(%i: i32, %m: memref<?xf32>) -> (index, index) {
           %c0 = arith.constant 0 : index
           %n = arith.constant 64 : index
           %rows = memref.dim %m, %c0 : memref<?xf32>
           %most = arith.constant 1000 : index
           %row = arith.minsi %rows, %most : index
           %mask = arith.constant 63 : i32
           %low = arith.andi %i, %mask : i32
           %column = arith.index_cast %low : i32 to index
           %a = arith.muli %row, %n : index
           %b = arith.addi %a, %column : index
           %q = arith.divui %b, %n : index
           %r = arith.remui %b, %n : index
           return %q, %r : index, index
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: i32, %arg1: memref<?xf32>) -> (index, index) {
                %c63_i32 = arith.constant 63 : i32
                %c1000 = arith.constant 1000 : index
                %c0 = arith.constant 0 : index
                %dim = memref.dim %arg1, %c0 : memref<?xf32>
                %0 = arith.minsi %dim, %c1000 : index
                %1 = arith.andi %arg0, %c63_i32 : i32
                %2 = arith.index_cast %1 : i32 to index
                return %0, %2 : index, index
              }
            }
        "#]],
    );
}

#[test]
fn thread_numbers_need_32_bits() {
    check(
        "gpu.module @kernels {
           gpu.func @k(%out: memref<?xi32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
             %b = gpu.block_id x
             %d = gpu.block_dim x
             %t = gpu.thread_id x
             %p = arith.muli %b, %d : index
             %i = arith.addi %p, %t : index
             %v = arith.index_cast %i : index to i32
             memref.store %v, %out[%i] : memref<?xi32>
             gpu.return
           }
         }",
        expect![[r#"
            module {
              gpu.module @kernels {
                gpu.func @k(%arg0: memref<?xi32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
                  %c128 = arith.constant 128 : index
                  %block_id_x = gpu.block_id  x
                  %thread_id_x = gpu.thread_id  x
                  %0 = arith.index_cast %block_id_x : index to i32
                  %1 = arith.index_cast %0 : i32 to index
                  %2 = arith.muli %1, %c128 : index
                  %3 = arith.addi %2, %thread_id_x : index
                  %4 = arith.index_cast %3 : index to i32
                  memref.store %4, %arg0[%3] : memref<?xi32>
                  gpu.return
                }
              }
            }
        "#]],
    );
}

#[test]
fn what_does_not_vary_leaves_the_loop() {
    check(
        "func.func @f(%n: index, %i: index, %a: memref<?xf32>, %x: f32) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           scf.for %k = %c0 to %n step %c1 {
             %0 = arith.addi %k, %i : index
             %1 = arith.muli %0, %n : index
             %2 = arith.addi %1, %i : index
             memref.store %x, %a[%2] : memref<?xf32>
           }
           return
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xf32>, %arg3: f32) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %0 = arith.muli %arg1, %arg0 : index
                %1 = arith.addi %0, %arg1 : index
                scf.for %arg4 = %c0 to %arg0 step %c1 {
                  %2 = arith.muli %arg4, %arg0 : index
                  %3 = arith.addi %2, %1 : index
                  memref.store %arg3, %arg2[%3] : memref<?xf32>
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn quotients_by_powers_of_two() {
    check(
        "func.func @f(%x: i32, %y: i64) -> (i32, i32, i32, i32, i64) {
           %c8 = arith.constant 8 : i32
           %c16 = arith.constant 16 : i64
           %0 = arith.divui %x, %c8 : i32
           %1 = arith.remui %x, %c8 : i32
           %2 = arith.floordivsi %x, %c8 : i32
           %3 = arith.divsi %x, %c8 : i32
           %4 = arith.remui %y, %c16 : i64
           return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i64
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: i32, %arg1: i64) -> (i32, i32, i32, i32, i64) {
                %c15_i32 = arith.constant 15 : i32
                %c7_i32 = arith.constant 7 : i32
                %c8_i32 = arith.constant 8 : i32
                %c3_i32 = arith.constant 3 : i32
                %0 = arith.shrui %arg0, %c3_i32 : i32
                %1 = arith.andi %arg0, %c7_i32 : i32
                %2 = arith.shrsi %arg0, %c3_i32 : i32
                %3 = arith.divsi %arg0, %c8_i32 : i32
                %4 = arith.trunci %arg1 : i64 to i32
                %5 = arith.andi %4, %c15_i32 : i32
                %6 = arith.extui %5 : i32 to i64
                return %0, %1, %2, %3, %6 : i32, i32, i32, i32, i64
              }
            }
        "#]],
    );
}

#[test]
fn a_promise_is_no_equality() {
    // Only the first sum promises not to overflow: the casts are not the same.
    check(
        "func.func @f(%x: i32, %a: memref<?xf32>) -> (index, index, index) {
           %c1 = arith.constant 1 : i32
           %0 = arith.addi %x, %c1 overflow<nsw> : i32
           %1 = arith.index_cast %0 : i32 to index
           %2 = arith.addi %x, %c1 : i32
           %3 = arith.index_cast %2 : i32 to index
           %4 = arith.index_cast %x : i32 to index
           return %1, %3, %4 : index, index, index
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: i32, %arg1: memref<?xf32>) -> (index, index, index) {
                %c1_i32 = arith.constant 1 : i32
                %0 = arith.addi %arg0, %c1_i32 overflow<nsw> : i32
                %1 = arith.index_cast %0 : i32 to index
                %2 = arith.addi %arg0, %c1_i32 : i32
                %3 = arith.index_cast %2 : i32 to index
                %4 = arith.index_cast %arg0 : i32 to index
                return %1, %3, %4 : index, index, index
              }
            }
        "#]],
    );
}

#[test]
fn nothing_cheaper_changes_nothing() {
    check(
        "func.func @f(%x: index, %y: index) -> index {
           %0 = arith.divsi %x, %y : index
           %1 = arith.addi %0, %x overflow<nsw> : index
           return %1 : index
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: index) -> index {
                %0 = arith.divsi %arg0, %arg1 : index
                %1 = arith.addi %0, %arg0 overflow<nsw> : index
                return %1 : index
              }
            }
        "#]],
    );
}

#[test]
fn divisions_stay_where_they_are_allowed() {
    check(
        "func.func @f(%n: index, %d: index, %a: memref<?xindex>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c2 = arith.constant 2 : index
           scf.for %k = %c0 to %n step %c1 {
             %0 = arith.divui %n, %d : index
             %1 = arith.muli %0, %c2 : index
             %2 = arith.addi %1, %0 : index
             memref.store %2, %a[%k] : memref<?xindex>
           }
           return
         }",
        expect![[r#"
            module {
              func.func @f(%arg0: index, %arg1: index, %arg2: memref<?xindex>) {
                %c0 = arith.constant 0 : index
                %c1 = arith.constant 1 : index
                %c3 = arith.constant 3 : index
                scf.for %arg3 = %c0 to %arg0 step %c1 {
                  %0 = arith.divui %arg0, %arg1 : index
                  %1 = arith.muli %0, %c3 : index
                  memref.store %1, %arg2[%arg3] : memref<?xindex>
                }
                return
              }
            }
        "#]],
    );
}

#[test]
fn unknown_devices_are_named() {
    let error = pipeline::fail("simplify-index{arch=sm_1}", "func.func @f() { return }");
    expect!["simplify-index knows no device 'sm_1'"].assert_eq(&error);
}

/// A function of integer arithmetic at every width, in a loop and round it, that returns everything
/// it computes.
fn random_arithmetic(seed: u64) -> String {
    const BINARY: &[&str] = &[
        "addi", "addi", "subi", "muli", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui",
        "maxui",
    ];
    const BY_CONSTANT: &[&str] =
        &["divui", "remui", "divsi", "remsi", "ceildivui", "ceildivsi", "floordivsi"];
    const TYPES: [&str; 4] = ["i8", "i32", "i64", "index"];
    let mut random = Random::new(seed);
    let mut lines = Vec::new();
    let mut values: Vec<(String, usize)> = vec![
        ("%a".into(), 1),
        ("%b".into(), 1),
        ("%c".into(), 2),
        ("%d".into(), 3),
        ("%e".into(), 3),
        ("%f".into(), 0),
    ];
    let outer = values.len() + 24;
    let mut stored = Vec::new();
    for number in 0..40 {
        if number == 24 {
            lines.push("scf.for %k = %zero to %d step %one {".to_owned());
            values.push(("%k".into(), 3));
        }
        let (operand, ty) = random.pick(&values).clone();
        let same: Vec<_> = values.iter().filter(|(_, t)| *t == ty).cloned().collect();
        let (other, name) = (&random.pick(&same).0.clone(), TYPES[ty]);
        let result = format!("%v{number}");
        let mut made = ty;
        let constant = |value: i64| format!("%c{number} = arith.constant {value} : {name}");
        match random.between(0, 9) {
            0..=4 => {
                let op = *random.pick(BINARY);
                let flag = matches!(op, "addi" | "subi" | "muli") && random.once_in(4);
                let flag = if flag { " overflow<nsw>" } else { "" };
                lines.push(format!("{result} = arith.{op} {operand}, {other}{flag} : {name}"));
            }
            5 => {
                let op = *random.pick(&["addi", "muli", "andi", "subi"]);
                lines.push(constant(*random.pick(&[-2, -1, 0, 1, 2, 3, 4, 7, 8, 15, 64, 127])));
                lines.push(format!("{result} = arith.{op} {operand}, %c{number} : {name}"));
            }
            6 => {
                let op = *random.pick(&["shli", "shrui", "shrsi"]);
                lines.push(constant(random.between(0, 7)));
                lines.push(format!("{result} = arith.{op} {operand}, %c{number} : {name}"));
            }
            7 => {
                let op = *random.pick(BY_CONSTANT);
                lines.push(constant(*random.pick(&[1, 2, 3, 4, 7, 8, 16, 100])));
                lines.push(format!("{result} = arith.{op} {operand}, %c{number} : {name}"));
            }
            _ => {
                made = *random.pick(&[0, 1, 2, 3]);
                let unsigned = random.once_in(2);
                let op = match (ty, made) {
                    (3, 3) => continue,
                    (3, _) | (_, 3) if unsigned => "index_castui",
                    (3, _) | (_, 3) => "index_cast",
                    (from, to) if from > to => "trunci",
                    (from, to) if from == to => continue,
                    _ if unsigned => "extui",
                    _ => "extsi",
                };
                lines.push(format!("{result} = arith.{op} {operand} : {name} to {}", TYPES[made]));
            }
        }
        values.push((result, made));
    }
    let inside: Vec<_> = values[outer.min(values.len())..].to_vec();
    values.truncate(values.iter().position(|(name, _)| name == "%k").unwrap_or(values.len()));
    for (value, ty) in inside.iter().filter(|(name, _)| name != "%k") {
        let buffer = ["%m8", "%m32", "%m64", "%mi"][*ty];
        stored.push(format!("memref.store {value}, {buffer}[%k] : memref<6x{}>", TYPES[*ty]));
    }
    let (names, types): (Vec<_>, Vec<_>) =
        values.iter().map(|(name, ty)| (name.as_str(), TYPES[*ty])).unzip();
    format!(
        "func.func @main(%a: i32, %b: i32, %c: i64, %d: index, %e: index, %f: i8, %m8: memref<6xi8>, \
         %m32: memref<6xi32>, %m64: memref<6xi64>, %mi: memref<6xindex>) -> ({types}) {{\n\
         %zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n{}\n{}\n}}\n\
         return {} : {types}\n}}",
        lines.join("\n"),
        stored.join("\n"),
        names.join(", "),
        types = types.join(", "),
    )
}

#[test]
fn values_never_change() {
    let mut rebuilt = 0;
    for seed in 0..10 {
        let text = random_arithmetic(seed);
        let mut ir = Ir::new();
        let before = pipeline::read(&mut ir, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut changed = Ir::new();
        let after = pipeline::apply(&mut changed, "simplify-index", &text)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        rebuilt += usize::from(pipeline::print(&ir, before) != pipeline::print(&changed, after));
        for inputs in 0..4 {
            let comparison = Comparison::new("main", inputs);
            if let Err(error) = check_same((&ir, before), (&changed, after), &comparison) {
                let after = pipeline::print(&changed, after);
                panic!("seed {seed}: {error}\nbefore\n{text}\nafter\n{after}");
            }
        }
    }
    assert!(rebuilt >= 6, "only {rebuilt} of 10 programs changed");
}
