//! Whole kernels.

use expect_test::{expect, expect_file};

use super::ptxas::{accepts, assemble};
use super::run::{Argument, Shape, pack, run, unpack};
use super::support::{compile_with, kernel, module, options, ptx, rendered, selected};
use gpuc_backend_ptx::{Options, ParamType, SelectPtx};
use gpuc_ir::Ir;
use gpuc_ir::pass::{PassManager, Pipeline};

const SGEMM: &str = include_str!("../inputs/sgemm.mlir");

#[test]
fn sgemm() {
    expect_file!["../inputs/sgemm.ptx"].assert_eq(&ptx(SGEMM, "sm_80"));
    accepts(SGEMM);
    if let Some(Ok(report)) = assemble(&ptx(SGEMM, "sm_90"), "sm_90") {
        assert!(report.contains("0 bytes spill stores"), "{report}");
    }
    // 5 x 5, so that the last blocks of 4 x 4 threads stand over.
    let n = 5u64;
    let bits = |x: u64| u64::from((x as f32).to_bits());
    let (a, b) = (|i: u64, k: u64| i + 2 * k, |k: u64, j: u64| 3 * k + j);
    let matrix = |element: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
        (0..n * n).map(|at| bits(element(at / n, at % n))).collect()
    };
    let shape = Shape { grid: [2, 2, 1], block: [4, 4, 1], dynamic_shared: 0 };
    let buffers = run(
        &ptx(SGEMM, "sm_80"),
        "sgemm",
        &shape,
        &[
            Argument::Scalar(vec![5, 0, 0, 0]),
            Argument::Buffer(pack("f32", &matrix(&a))),
            Argument::Buffer(pack("f32", &matrix(&b))),
            Argument::Buffer(pack("f32", &[0; 25])),
        ],
    );
    let product = matrix(&|i, j| (0..n).map(|k| a(i, k) * b(k, j)).sum());
    assert_eq!(unpack("f32", &buffers[2]), product);
}

#[test]
fn the_selected_level_is_text() {
    expect_file!["../inputs/sgemm.ptx.mlir"].assert_eq(&selected(SGEMM, &options("sm_80")));
}

#[test]
fn lines_lead_back_to_the_source() {
    let source = "gpu.module @kernels {
      gpu.func @k(%o: memref<i32>, %n: i32) kernel {
        %a = arith.addi %n, %n : i32 loc(\"dir/a.c\":7:3)
        memref.store %a, %o[] : memref<i32> loc(callsite(\"b.h\":2:1 at \"dir/a.c\":8:3))
        gpu.return loc(\"dir/a.c\":7:9)
      }
    }";
    let options = Options { lines: true, ..options("sm_75") };
    let text = compile_with(source, &options).unwrap_or_else(|errors| panic!("{errors}")).text;
    let lines: Vec<&str> = text
        .lines()
        .filter(|l| [".file", ".loc", "add", "st.", "ret"].iter().any(|w| l.trim().starts_with(w)))
        .collect();
    expect![[r#"
        .file 1 "kernel.mlir"
        .file 2 "dir/a.c"
        .file 3 "b.h"
            .loc 1 2 7
            .loc 2 7 3
            add.s32 %r2, %r1, %r1;
            .loc 3 2 1
            st.global.u32 [%rd2], %r2;
            .loc 2 7 9
            ret;"#]]
    .assert_eq(&lines.join("\n"));
    if let Some(Err(report)) = assemble(&text, "sm_75") {
        panic!("{report}\n{text}");
    }
}

#[test]
fn the_host_is_told_how_to_launch() {
    let source = "gpu.module @kernels {
      gpu.func @first(%a: memref<?x4xf32>, %b: i1, %c: i16, %d: f64, %e: index, %f: f32)
          workgroup(%w: memref<8xf32, 3>) kernel attributes {known_block_size = array<i32: 8, 4, 1>} {
        gpu.return
      }
      gpu.func @helper() {
        gpu.return
      }
      gpu.func @second() kernel {
        gpu.return
      }
    }";
    let made = compile_with(source, &options("sm_90")).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(made.version.to_string(), "7.8");
    let [first, second] = &made.kernels[..] else { panic!("{:?}", made.kernels) };
    let params: Vec<_> = first.params.iter().map(|p| (p.ty, p.offset)).collect();
    let expected = [
        (ParamType::Pointer, 0),
        (ParamType::Integer(1), 8),
        (ParamType::Integer(2), 10),
        (ParamType::F64, 16),
        (ParamType::Integer(8), 24),
        (ParamType::F32, 32),
    ];
    assert_eq!(params, expected);
    assert_eq!((first.param_bytes(), first.shared_bytes), (36, 32));
    assert_eq!(first.block_size, Some([8, 4, 1]));
    assert_eq!((&*second.name, second.params.len()), ("second", 0));
    assert!(made.text.contains(".reqntid 8, 4, 1"), "{}", made.text);
}

#[test]
fn the_pass_replaces_modules() {
    let mut ir = Ir::new();
    let module =
        module(&mut ir, &kernel("%o: memref<i32>, %n: i32", "memref.store %n, %o[] : memref<i32>"));
    let root = ir.parent_op(module).unwrap_or(module);
    let mut pipeline = Pipeline::new("builtin.module");
    pipeline.add_with(SelectPtx::INFO, &[("arch", "sm_75")]);
    if let Err(failure) = PassManager::new().run(&mut ir, root, &mut pipeline) {
        panic!("{}", rendered(&failure.errors));
    }
    let text = ir.to_text(root);
    assert!(
        text.contains("ptx.module @kernels target \"sm_75\"") && !text.contains("gpu."),
        "{text}"
    );
}
