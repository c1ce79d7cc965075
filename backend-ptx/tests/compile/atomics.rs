//! Atomic read-modify-write: as instructions, as loops, on parts of words.

use super::ptxas::accepts;
use super::run::{Argument, Shape, canonical, pack, run, unpack};
use super::support::{kernel, ptx};

/// 32 threads combine `%v`, their number plus one, into the elements 1 and 2 of `%m`, which begin
/// as `start`. The elements afterwards.
fn combined(ty: &str, space: &str, op: &str, start: u64) -> Vec<u64> {
    let float = ty.starts_with('f');
    let convert = if float {
        format!("arith.sitofp %i32 : i32 to {ty}")
    } else if ty == "i32" {
        "arith.addi %i32, %zero : i32".to_owned()
    } else if ty == "i64" {
        "arith.extui %i32 : i32 to i64".to_owned()
    } else {
        format!("arith.trunci %i32 : i32 to {ty}")
    };
    let source = kernel(
        &format!("%m: memref<4x{ty}>, %olds: memref<32x{ty}>"),
        &format!(
            "%i = gpu.thread_id x\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n\
             %zero = arith.constant 0 : i32\n\
             %j = arith.addi %i, %c1 : index\n%i32 = arith.index_cast %j : index to i32\n\
             %parity = arith.remui %i, %c2 : index\n%at = arith.addi %parity, %c1 : index\n\
             %v = {convert}\n\
             {op}\n\
             memref.store %old, %olds[%i] : memref<32x{ty}>"
        )
        .replace("SPACE", space),
    );
    accepts(&source);
    let buffers = run(
        &ptx(&source, "sm_80"),
        "k",
        &Shape::block(32),
        &[Argument::Buffer(pack(ty, &[start; 4])), Argument::Buffer(pack(ty, &[0; 32]))],
    );
    let elements = unpack(ty, &buffers[0]);
    assert_eq!((elements[0], elements[3]), (start, start), "neighbours are left alone");
    elements[1..3].to_vec()
}

/// What the odd and the even numbers from 1 to 32 combine to.
fn expected(start: u64, combine: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let fold = |first: u64| (first..=32).step_by(2).fold(start, &combine);
    vec![fold(1), fold(2)]
}

type Combine = fn(u64, u64) -> u64;

#[test]
fn integers() {
    let cases: [(&str, u64, Combine); 7] = [
        ("addi", 3, |a, b| a.wrapping_add(b)),
        ("muli", 3, |a, b| a.wrapping_mul(b)),
        ("maxu", 5, u64::max),
        ("mins", 20, u64::min),
        ("minu", 20, u64::min),
        ("ori", 64, |a, b| a | b),
        ("andi", 127, |a, b| a & b),
    ];
    for ty in ["i8", "i16", "i32", "i64"] {
        for (kind, start, combine) in cases {
            let op = format!(
                "%old = memref.atomic_rmw {kind} %v, %m[%at] : ({ty}, memref<4x{ty}>) -> {ty}"
            );
            let wanted: Vec<u64> =
                expected(start, combine).into_iter().map(|n| canonical(ty, n)).collect();
            assert_eq!(combined(ty, "", &op, start), wanted, "{kind} on {ty}");
        }
    }
}

#[test]
fn floats() {
    let f32_of = |x: f32| u64::from(x.to_bits());
    for (kind, start, wanted) in [
        ("addf", 0.5f32, [256.5, 272.5]),
        ("maximumf", 7.0, [31.0, 32.0]),
        ("minimumf", 7.0, [1.0, 2.0]),
        ("maxnumf", 7.0, [31.0, 32.0]),
    ] {
        let op =
            format!("%old = memref.atomic_rmw {kind} %v, %m[%at] : (f32, memref<4xf32>) -> f32");
        assert_eq!(combined("f32", "", &op, f32_of(start)), wanted.map(f32_of), "{kind}");
        let op = op.replace("f32", "f64");
        let wanted = wanted.map(|x| f64::from(x).to_bits());
        assert_eq!(combined("f64", "", &op, f64::from(start).to_bits()), wanted, "{kind}");
    }
}

#[test]
fn any_function_of_the_element() {
    let op = "%old = memref.generic_atomic_rmw %m[%at] : memref<4xf64> {\n\
              ^bb0(%e: f64):\n\
              %half = arith.constant 0.5 : f64\n\
              %s = arith.addf %e, %v : f64\n%t = arith.addf %s, %half : f64\n\
              memref.atomic_yield %t : f64\n}";
    let found = combined("f64", "", op, 0);
    assert_eq!(found, [256.0f64 + 8.0, 272.0 + 8.0].map(f64::to_bits));
}

#[test]
fn results_nobody_uses_and_private_memory() {
    let source = kernel(
        "%m: memref<4xi32>, %n: i32",
        "%c1 = arith.constant 1 : index\n\
         %a = memref.atomic_rmw addi %n, %m[%c1] : (i32, memref<4xi32>) -> i32\n\
         %l = memref.alloca() : memref<4xi32>\n\
         memref.store %n, %l[%c1] : memref<4xi32>\n\
         %b = memref.atomic_rmw addi %n, %l[%c1] : (i32, memref<4xi32>) -> i32\n\
         %x = memref.load %l[%c1] : memref<4xi32>\n\
         %d = memref.atomic_rmw assign %x, %m[%c1] : (i32, memref<4xi32>) -> i32",
    );
    accepts(&source);
    let text = ptx(&source, "sm_80");
    assert!(text.contains("red.global.add.u32 [%rd2+4]"), "{text}");
    assert!(!text.contains("atom.local"), "{text}");
    let buffers = run(
        &text,
        "k",
        &Shape::block(1),
        &[Argument::Buffer(pack("i32", &[9; 4])), Argument::Scalar(vec![21, 0, 0, 0])],
    );
    assert_eq!(unpack("i32", &buffers[0]), [9, 42, 9, 9]);
}

#[test]
fn what_only_reads_or_writes_is_one_access() {
    for ty in ["i8", "i16", "i32", "i64", "f32", "f64"] {
        let source = kernel(
            &format!("%m: memref<4x{ty}>"),
            &format!(
                "%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n\
                 %x = memref.generic_atomic_rmw %m[%c1] : memref<4x{ty}> {{\n^bb0(%e: {ty}):\n\
                 memref.atomic_yield %e : {ty}\n}}\n\
                 %o = memref.atomic_rmw assign %x, %m[%c2] : ({ty}, memref<4x{ty}>) -> {ty}"
            ),
        );
        accepts(&source);
        let text = ptx(&source, "sm_80");
        assert!(
            text.contains("ld.volatile.global") && text.contains("st.volatile.global"),
            "{text}"
        );
        assert!(!text.contains("atom"), "{text}");
        let elements: Vec<u64> = (1..=4).collect();
        let buffers = run(&text, "k", &Shape::block(1), &[Argument::Buffer(pack(ty, &elements))]);
        assert_eq!(unpack(ty, &buffers[0]), [1, 2, 2, 4], "{ty}");
    }
}
