//! `check_same` sees what changed, and only what a program may depend on.

use gpuc_interp::{Comparison, Interpreter, Options, Order, RtValue, check_same};
use gpuc_ir::text::parse_module;
use gpuc_ir::{Ir, Op};

fn parse(text: &str) -> (Ir, Op) {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "test.mlir");
    let module = module.unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"));
    (ir, module)
}

fn compare(before: &str, after: &str, order: Order) -> Result<(), String> {
    let (before, after) = (parse(before), parse(after));
    let mut comparison = Comparison::new("main", 1);
    comparison.options.order = order;
    check_same((&before.0, before.1), (&after.0, after.1), &comparison)
}

/// A loop that fills a buffer of the extent with a body's `%v`.
fn fill(body: &str) -> String {
    format!(
        "func.func @main(%m: memref<?xi32>, %x: i32) -> i32 {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = memref.dim %m, %c0 : memref<?xi32>
           scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
             {body}
             memref.store %v, %m[%i] : memref<?xi32>
             scf.reduce
           }}
           return %x : i32
         }}"
    )
}

#[test]
fn differences_are_seen() {
    let index = "%v = arith.index_cast %i : index to i32";
    let twice = "%w = arith.index_cast %i : index to i32\n%v = arith.addi %w, %x : i32";
    let before = "%c = arith.constant 0 : index\n%v = memref.load %m[%c] : memref<?xi32>";
    let promised = "%w = arith.index_cast %i : index to i32
                    %k = arith.constant 2147483647 : i32
                    %v = arith.addi %w, %k overflow<nsw> : i32";
    for (a, b, order, same) in [
        (index, index, Order::Backwards, true),
        (index, twice, Order::Forwards, false),
        // In order every element becomes the first; against it, only after all others were set.
        (before, before, Order::Forwards, true),
        (twice, promised, Order::Forwards, false),
    ] {
        let result = compare(&fill(a), &fill(b), order);
        assert_eq!(result.is_ok(), same, "{result:?} for\n{a}\nand\n{b}");
    }
    // A chain from element to element depends on the order, and is no parallel loop.
    let chain = "%c1 = arith.constant 1 : index
                 %z = arith.constant 0 : index
                 %p = arith.subi %i, %c1 : index
                 %q = arith.maxsi %p, %z : index
                 %v = memref.load %m[%q] : memref<?xi32>";
    let chain = fill(&chain.replace("%c1 =", "%one =").replace("%i, %c1", "%i, %one"));
    assert!(compare(&chain, &chain, Order::Forwards).is_ok());
    assert!(compare(&chain, &chain, Order::Backwards).is_err());
}

#[test]
fn what_is_undefined_may_become_anything() {
    let undefined = "func.func @main() -> i32 {
                       %m = memref.alloc() : memref<i32>
                       %x = memref.load %m[] : memref<i32>
                       return %x : i32
                     }";
    let zero = "func.func @main() -> i32 {
                  %x = arith.constant 0 : i32
                  return %x : i32
                }";
    assert!(compare(undefined, zero, Order::Forwards).is_ok());
    assert!(compare(zero, undefined, Order::Forwards).is_err());
}

#[test]
fn buffers_go_in_and_out() {
    let (ir, module) = parse(
        "func.func @scale(%m: memref<?x3xf32>, %by: f32) {
           affine.for %i = 0 to 2 {
             affine.for %j = 0 to 3 {
               %x = affine.load %m[%i, %j] : memref<?x3xf32>
               %y = arith.mulf %x, %by : f32
               affine.store %y, %m[%i, %j] : memref<?x3xf32>
             }
           }
           return
         }
         func.func @endless() {
           cf.br ^bb1
         ^bb1:
           cf.br ^bb1
         }",
    );
    let options = Options { step_limit: 1000, ..Options::default() };
    let mut interpreter = Interpreter::new(&ir, module, options);
    let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let buffer = interpreter.new_memref(&[2, 3], &data).unwrap();
    interpreter.run("scale", &[buffer.clone(), RtValue::f32(0.5)]).unwrap();
    assert_eq!(interpreter.read_memref::<f32>(&buffer).unwrap(), data.map(|x| x / 2.0));
    let error = interpreter.run("scale", &[buffer]).unwrap_err();
    assert!(error.message.contains("@scale takes 2 arguments, but 1 were given"), "{error}");
    let error = interpreter.run("endless", &[]).unwrap_err();
    assert!(error.message.contains("the limit of 1000 operations"), "{error}");
}

#[test]
fn without_strictness_everything_has_a_value() {
    let (ir, module) = parse(
        "func.func @main(%z: i32, %nan: f32) -> (i32, i32, i32, i32, i32) {
           %one = arith.constant 1 : i32
           %big = arith.constant 2147483647 : i32
           %w = arith.constant 40 : i32
           %q = arith.divsi %one, %z : i32
           %r = arith.remui %w, %z : i32
           %s = arith.addi %big, %one overflow<nsw> : i32
           %t = arith.shrui %big, %w : i32
           %i = arith.fptosi %nan : f32 to i32
           return %q, %r, %s, %t, %i : i32, i32, i32, i32, i32
         }",
    );
    let arguments = [RtValue::i32(0), RtValue::f32(f32::NAN)];
    let options = Options { strict: false, ..Options::default() };
    let results = Interpreter::new(&ir, module, options).run("main", &arguments).unwrap();
    let numbers: Vec<i128> = results.iter().filter_map(RtValue::as_int).collect();
    assert_eq!(numbers, [-1, 40, i32::MIN.into(), 0, 0]);
    assert!(Interpreter::new(&ir, module, Options::default()).run("main", &arguments).is_err());
}
