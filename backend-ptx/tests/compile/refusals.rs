//! What cannot be compiled is refused with its name and place.

use expect_test::{Expect, expect};
use gpuc_arch::PtxVersion;
use gpuc_backend_ptx::Options;

use super::support::{compile_with, kernel, options};

fn check(source: &str, options: &Options, expected: &Expect) {
    match compile_with(source, options) {
        Ok(made) => panic!("compiled:\n{}", made.text),
        Err(errors) => expected.assert_eq(&errors),
    }
}

#[test]
fn operations() {
    check(
        &kernel(
            "%x: f32, %o: memref<f32>",
            "%e = math.exp %x : f32\n%f = arith.remf %e, %x : f32\n\
             memref.store %f, %o[] : memref<f32>",
        ),
        &options("sm_80"),
        &expect![[r#"
            error: 'math.exp' needs device math: link the library of mathematical functions first
            --> kernel.mlir:3:6
            error: 'arith.remf' needs device math: link the library of mathematical functions first
            --> kernel.mlir:4:6
        "#]],
    );
}

#[test]
fn a_shuffle_wider_than_a_warp() {
    check(
        &kernel(
            "%x: f32, %i: i32, %o: memref<f32>",
            "%w = arith.constant 33 : i32\n%f, %v = gpu.shuffle idx %x, %i, %w : f32\n\
             memref.store %f, %o[] : memref<f32>",
        ),
        &options("sm_80"),
        &expect![[r#"
            error: the width of a shuffle must be 1 to 32 lanes
            --> kernel.mlir:4:10
        "#]],
    );
}

#[test]
fn types_and_parameters() {
    check(
        &kernel("%a: memref<4xf32, strided<[2]>>, %b: i128, %c: i24", ""),
        &options("sm_80"),
        &expect![[r#"
            error: a kernel parameter of type 'memref<4xf32, strided<[2]>>' is not supported: buffers must be in global memory, without layout
            --> kernel.mlir:2:2
            error: type 'i128' is not supported on the device
            --> kernel.mlir:2:2
            error: a kernel parameter of type 'i24' is not supported: integers have 8, 16, 32 or 64 bits
            --> kernel.mlir:2:2
        "#]],
    );
}

#[test]
fn limits_and_versions() {
    let big = "gpu.module @kernels {\n gpu.func @k() workgroup(%w: memref<20000xf32, 3>) kernel {\n gpu.return\n }\n}";
    check(
        big,
        &options("sm_80"),
        &expect![[r#"
        error: kernel 'k' needs 80000 bytes of static shared memory, sm_80 has 49152
        --> kernel.mlir:2:2
    "#]],
    );
    let old = Options { version: Some(PtxVersion::new(6, 3)), ..options("sm_80") };
    check(
        &kernel("", ""),
        &old,
        &expect![[r#"
        error: PTX 6.3 is too old: sm_80 needs 7.0
        --> kernel.mlir:1:1
         = help: ask for a newer version, or for an older target
    "#]],
    );
}
