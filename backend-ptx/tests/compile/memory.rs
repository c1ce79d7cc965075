//! Addresses, views, spaces.

use expect_test::expect;

use super::ptxas::accepts;
use super::run::{Argument, Shape, pack, run, unpack};
use super::support::{kernel, ptx};

/// What a thread stores.
type OfThread = fn(u64) -> u64;

fn body_of(text: &str) -> String {
    let start = text.find("\n\n    ").map_or(0, |at| at + 2);
    text[start..].to_owned()
}

/// Runs a kernel with input `%a` of 0, 1, 2, ... and output `%o`, both of 64 `i32`, and 8 threads.
fn outputs(body: &str) -> Vec<u64> {
    let source = kernel("%a: memref<64xi32>, %o: memref<64xi32>, %n: i32", body);
    accepts(&source);
    let numbers: Vec<u64> = (0..64).collect();
    let buffers = run(
        &ptx(&source, "sm_80"),
        "k",
        &Shape::block(8),
        &[
            Argument::Buffer(pack("i32", &numbers)),
            Argument::Buffer(vec![0; 256]),
            Argument::Scalar(vec![8, 0, 0, 0]),
        ],
    );
    unpack("i32", &buffers[1])
}

#[test]
fn constants_of_indices_become_offsets() {
    let source = kernel(
        "%a: memref<?x64xf32>, %o: memref<?xf32>, %n: i32",
        "%c1 = arith.constant 1 : index\n%i1 = arith.constant 1 : i32\n\
         %i = gpu.thread_id x\n%j = arith.index_cast %n : i32 to index\n\
         %up = arith.subi %i, %c1 : index\n%right32 = arith.addi %n, %i1 overflow<nsw> : i32\n\
         %right = arith.index_cast %right32 : i32 to index\n\
         %x = memref.load %a[%i, %j] : memref<?x64xf32>\n\
         %y = memref.load %a[%up, %right] : memref<?x64xf32>\n\
         %s = arith.addf %x, %y : f32\n\
         memref.store %s, %o[%i] : memref<?xf32>",
    );
    accepts(&source);
    expect![[r#"
            ld.param.u64 %rd1, [k_param_0];
            cvta.to.global.u64 %rd2, %rd1;
            ld.param.u64 %rd3, [k_param_1];
            cvta.to.global.u64 %rd4, %rd3;
            ld.param.u32 %r1, [k_param_2];
            mov.u32 %r2, %tid.x;
            mul.wide.u32 %rd5, %r2, 256;
            add.s64 %rd6, %rd5, %rd2;
            mul.wide.s32 %rd7, %r1, 4;
            add.s64 %rd8, %rd7, %rd6;
            ld.global.f32 %f1, [%rd8];
            ld.global.f32 %f2, [%rd8+-252];
            add.rn.f32 %f3, %f1, %f2;
            mul.wide.u32 %rd9, %r2, 4;
            add.s64 %rd10, %rd9, %rd4;
            st.global.f32 [%rd10], %f3;
            ret;
        }
    "#]]
    .assert_eq(&body_of(&ptx(&source, "sm_80")));
}

#[test]
fn views() {
    let i = "%i = gpu.thread_id x\n%c2 = arith.constant 2 : index\n";
    let store = "memref.store %v, %o[%i] : memref<64xi32>";
    let cases: [(&str, OfThread); 7] = [
        (
            "%m = memref.reinterpret_cast %a to offset: [5], sizes: [4, 4], strides: [8, 2] : memref<64xi32> to memref<4x4xi32, strided<[8, 2], offset: 5>>\n\
          %v = memref.load %m[%c2, %i] : memref<4x4xi32, strided<[8, 2], offset: 5>>",
            |i| 5 + 16 + 2 * i,
        ),
        (
            "%s = arith.index_cast %n : i32 to index\n\
          %m = memref.reinterpret_cast %a to offset: [%i], sizes: [%s, 4], strides: [%s, 1] : memref<64xi32> to memref<?x4xi32, strided<[?, 1], offset: ?>>\n\
          %v = memref.load %m[%c2, %c2] : memref<?x4xi32, strided<[?, 1], offset: ?>>",
            |i| i + 16 + 2,
        ),
        (
            "%m = memref.subview %a[%i] [4] [2] : memref<64xi32> to memref<4xi32, strided<[2], offset: ?>>\n\
          %v = memref.load %m[%c2] : memref<4xi32, strided<[2], offset: ?>>",
            |i| i + 4,
        ),
        (
            "%e = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xi32> into memref<8x8xi32>\n\
          %m = memref.subview %e[%i, 2] [1, 4] [1, 1] : memref<8x8xi32> to memref<4xi32, strided<[1], offset: ?>>\n\
          %v = memref.load %m[%c2] : memref<4xi32, strided<[1], offset: ?>>",
            |i| 8 * i + 4,
        ),
        (
            "%m = memref.cast %a : memref<64xi32> to memref<?xi32>\n%c0 = arith.constant 0 : index\n\
          %d = memref.dim %m, %c0 : memref<?xi32>\n%v = arith.index_cast %d : index to i32",
            |_| 64,
        ),
        (
            "%b, %f, %z, %t = memref.extract_strided_metadata %a : memref<64xi32> -> memref<i32>, index, index, index\n\
          %q = arith.addi %z, %t : index\n%v = arith.index_cast %q : index to i32",
            |_| 65,
        ),
        (
            "%l = memref.alloca() : memref<16xi32>\n%x = arith.index_cast %i : index to i32\n\
          memref.store %x, %l[%c2] : memref<16xi32>\n%v = memref.load %l[%c2] : memref<16xi32>",
            |i| i,
        ),
    ];
    for (body, expected) in cases {
        let found = outputs(&format!("{i}{body}\n{store}"));
        let expected: Vec<u64> = (0..8).map(expected).collect();
        assert_eq!(found[..8], expected, "{body}");
    }
}

#[test]
fn bytes_are_viewed_as_numbers() {
    let source = kernel(
        "%a: memref<?xi8>, %o: memref<?xf64>",
        "%i = gpu.thread_id x\n%c16 = arith.constant 16 : index\n%c8 = arith.constant 8 : index\n\
         %b = arith.muli %i, %c16 : index\n%f = arith.addi %b, %c8 : index\n\
         %v = memref.view %a[%f][] : memref<?xi8> to memref<f64>\n\
         %x = memref.load %v[] : memref<f64>\n\
         memref.store %x, %o[%i] : memref<?xf64>",
    );
    accepts(&source);
    let text = ptx(&source, "sm_80");
    assert!(text.contains("+8]"), "{text}");
    let numbers: Vec<u64> = (0..8u32).map(|n| f64::from(n).to_bits()).collect();
    let buffers = run(
        &text,
        "k",
        &Shape::block(4),
        &[Argument::Buffer(pack("f64", &numbers)), Argument::Buffer(vec![0; 32])],
    );
    let expected: Vec<u64> = [1.0f64, 3.0, 5.0, 7.0].iter().map(|x| x.to_bits()).collect();
    assert_eq!(unpack("f64", &buffers[1]), expected);
}

#[test]
fn shared_memory_is_exchanged_behind_a_barrier() {
    let source = "gpu.module @kernels {
      gpu.func @k(%a: memref<?xi32>, %o: memref<?xi32>)
          workgroup(%w: memref<8x2xi32, #gpu.address_space<workgroup>>) kernel {
        %i = gpu.thread_id x
        %c1 = arith.constant 1 : index
        %c7 = arith.constant 7 : index
        %v = memref.load %a[%i] : memref<?xi32>
        memref.store %v, %w[%i, %c1] : memref<8x2xi32, #gpu.address_space<workgroup>>
        gpu.barrier
        %j = arith.subi %c7, %i : index
        %x = memref.load %w[%j, %c1] : memref<8x2xi32, #gpu.address_space<workgroup>>
        memref.store %x, %o[%i] : memref<?xi32>
        gpu.return
      }
    }";
    accepts(source);
    let text = ptx(source, "sm_80");
    expect![[r#"
        .version 7.0
        .target sm_80
        .address_size 64

        .shared .align 16 .b8 k_shared[64];

        .visible .entry k(
            .param .u64 k_param_0,
            .param .u64 k_param_1
        )
        {
            .reg .b32 %r<8>;
            .reg .b64 %rd<8>;

            ld.param.u64 %rd1, [k_param_0];
            cvta.to.global.u64 %rd2, %rd1;
            ld.param.u64 %rd3, [k_param_1];
            cvta.to.global.u64 %rd4, %rd3;
            mov.u32 %r1, k_shared;
            mov.u32 %r2, %tid.x;
            mul.wide.u32 %rd5, %r2, 4;
            add.s64 %rd6, %rd5, %rd2;
            ld.global.u32 %r3, [%rd6];
            mad.lo.s32 %r4, %r2, 8, %r1;
            st.shared.u32 [%r4+4], %r3;
            bar.sync 0;
            sub.s32 %r5, 7, %r2;
            mad.lo.s32 %r6, %r5, 8, %r1;
            ld.shared.u32 %r7, [%r6+4];
            add.s64 %rd7, %rd5, %rd4;
            st.global.u32 [%rd7], %r7;
            ret;
        }
    "#]]
    .assert_eq(&text);
    let numbers: Vec<u64> = (10..18).collect();
    let buffers = run(
        &text,
        "k",
        &Shape::block(8),
        &[Argument::Buffer(pack("i32", &numbers)), Argument::Buffer(vec![0; 32])],
    );
    assert_eq!(unpack("i32", &buffers[1]), numbers.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn dynamic_shared_memory_and_constant_tables() {
    let source = "gpu.module @kernels {
      memref.global constant @table : memref<4xf32> = dense<[1.0, -2.5, 3.0, 0.0]>
      memref.global @mask : memref<4xi16> = dense<-2>
      gpu.func @k(%o: memref<?xf32>) kernel {
        %i = gpu.thread_id x
        %c0 = arith.constant 0 : index
        %t = memref.get_global @table : memref<4xf32>
        %m = memref.get_global @mask : memref<4xi16>
        %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
        %s = memref.view %d[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
        %x = memref.load %t[%i] : memref<4xf32>
        %y = memref.load %m[%i] : memref<4xi16>
        %z = arith.sitofp %y : i16 to f32
        %p = arith.mulf %x, %z : f32
        memref.store %p, %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
        %q = memref.load %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
        memref.store %q, %o[%i] : memref<?xf32>
        gpu.return
      }
    }";
    accepts(source);
    let shape = Shape { dynamic_shared: 16, ..Shape::block(4) };
    let buffers = run(&ptx(source, "sm_80"), "k", &shape, &[Argument::Buffer(vec![0; 16])]);
    let expected = [-2.0f32, 5.0, -6.0, -0.0].map(|x| u64::from(x.to_bits()));
    assert_eq!(unpack("f32", &buffers[0]), expected);
}
