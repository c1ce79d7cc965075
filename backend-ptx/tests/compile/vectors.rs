//! Short vectors.

use super::ptxas::accepts;
use super::run::{Argument, Shape, pack, run, unpack};
use super::support::{kernel, ptx};

#[test]
fn wide_accesses() {
    let cases = [
        ("f32", 4, "ld.global.v4.f32", 1),
        ("f32", 2, "ld.global.v2.f32", 1),
        ("f32", 8, "ld.global.v4.f32", 2),
        ("f64", 4, "ld.global.v2.f64", 2),
        ("i8", 4, "ld.global.v4.u8", 1),
        ("i64", 2, "ld.global.v2.u64", 1),
        ("f32", 3, "ld.global.f32", 3),
    ];
    for (ty, length, instruction, count) in cases {
        let vector = format!("vector<{length}x{ty}>");
        let source = kernel(
            &format!("%a: memref<?x{ty}>, %b: memref<?x{ty}>"),
            &format!(
                "%c = arith.constant {length} : index\n%t = gpu.thread_id x\n\
                 %i = arith.muli %t, %c : index\n\
                 %v = vector.load %a[%i] : memref<?x{ty}>, {vector}\n\
                 vector.store %v, %b[%i] : memref<?x{ty}>, {vector}"
            ),
        );
        accepts(&source);
        let text = ptx(&source, "sm_80");
        assert_eq!(text.matches(instruction).count(), count, "{text}");
        let numbers: Vec<u64> = (0..32).collect();
        let threads = 32 / length;
        let buffers = run(
            &text,
            "k",
            &Shape::block(threads as u32),
            &[Argument::Buffer(pack(ty, &numbers)), Argument::Buffer(pack(ty, &[0; 32]))],
        );
        let moved = threads * length;
        assert_eq!(unpack(ty, &buffers[1])[..moved], numbers[..moved]);
    }
}

#[test]
fn elements_and_arithmetic() {
    let source = kernel(
        "%a: memref<4xf32>, %o: memref<4xf32>, %x: f32",
        "%c0 = arith.constant 0 : index\n%c3 = arith.constant 3 : i32\n\
         %v = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>\n\
         %two = arith.constant dense<2.0> : vector<4xf32>\n\
         %steps = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf32>\n\
         %s = vector.splat %x : vector<4xf32>\n\
         %f = vector.fma %v, %two, %steps : vector<4xf32>\n\
         %g = arith.addf %f, %s : vector<4xf32>\n\
         %m = arith.cmpf ogt, %g, %s : vector<4xf32>\n\
         %h = arith.select %m, %g, %two : vector<4xi1>, vector<4xf32>\n\
         %e = vector.extract %h[1] : f32 from vector<4xf32>\n\
         %i = vector.insert %e, %h [0] : f32 into vector<4xf32>\n\
         %l = vector.extractelement %i[%c3 : i32] : vector<4xf32>\n\
         %r = vector.reduction <add>, %i, %l : vector<4xf32> into f32\n\
         %q = vector.shuffle %i, %s [3, 2, 1, 4] : vector<4xf32>, vector<4xf32>\n\
         %w = vector.insertelement %r, %q[%c3 : i32] : vector<4xf32>\n\
         vector.store %w, %o[%c0] : memref<4xf32>, vector<4xf32>",
    );
    accepts(&source);
    let bits = |x: f32| u64::from(x.to_bits());
    let buffers = run(
        &ptx(&source, "sm_80"),
        "k",
        &Shape::block(1),
        &[
            Argument::Buffer(pack("f32", &[1.0, 2.0, 3.0, 4.0].map(bits))),
            Argument::Buffer(vec![0; 16]),
            Argument::Scalar(10f32.to_le_bytes().to_vec()),
        ],
    );
    // g = 12 15 18 21; element 0 becomes 15; the sum with 21 in front is 90.
    assert_eq!(unpack("f32", &buffers[1]), [21.0, 18.0, 15.0, 90.0].map(bits));
}
