//! Functions of the gpu level as C, and literals.

use expect_test::expect;
use gpuc_dialects::func::FuncOp;
use gpuc_ir::text::parse_module;
use gpuc_ir::{Ir, OpView};

use super::{literal, print_function};

#[test]
fn literals_are_any_text() {
    let table =
        [("a\"b\\c\n", "\"a\\\"b\\\\c\\n\""), ("??/", "\"\\?\\?/\""), ("é1", "\"\\303\\2511\"")];
    for (text, expected) in table {
        assert_eq!(literal(text), expected);
    }
}

#[test]
fn a_launch_packs_its_parameters() {
    let text = "\
func.func @f_L3(%n: i32, %a: memref<?xf32>, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %i = arith.index_cast %n : i32 to index
  %some = arith.cmpi sgt, %i, %c0 : index
  %blocks = scf.if %some -> (index) {
    %q = arith.ceildivsi %i, %c128 : index
    scf.yield %q : index
  } else {
    scf.yield %c0 : index
  }
  %scratch = gpu.alloc(%blocks) : memref<?xf64>
  gpu.launch_func @kernels::@k blocks in (%blocks, %c1, %c1) threads in (%c128, %c1, %c1) args(%n : i32, %a : memref<?xf32>, %x : f64, %scratch : memref<?xf64>)
  gpu.dealloc %scratch : memref<?xf64>
  return
}
";
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "t.mlir").unwrap();
    let block = ir.body(module, 0);
    let function = ir.ops(block).find_map(|op| FuncOp::cast(&ir, op)).unwrap();
    expect![[r#"
        static void __gpuc_call_f_L3(const struct __gpuc_site *site, struct __gpuc_data *data, const long *offsets, unsigned n, int a0, void * a1, double a2)
        {
            __gpuc_data_begin(site, data, n);
            long v0 = ((long)a0);
            long v1;
            if ((v0 > 0l)) {
                v1 = __gpuc_ceildiv(v0, 128l);
            } else {
                v1 = 0l;
            }
            void * v2 = __gpuc_device_alloc(site, 8ul * (unsigned long)(v1));
            __gpuc_run_words(&__gpuc_image_0, site, "k", "l,1,1,128,1,1,0,ipdp", (const unsigned long[]){ (unsigned long)v1, (unsigned long)(a0), (unsigned long)(a1), ((union __gpuc_number){ a2 }).bits, (unsigned long)(v2) });
            __gpuc_device_free(site, v2);
            __gpuc_data_end(site, data, n);
            __gpuc_region_end(site);
        }

    "#]].assert_eq(&print_function(&ir, function, &[]).unwrap());
}

#[test]
fn what_the_host_cannot_do_is_named() {
    let text = "func.func @f(%a: memref<?xf32>, %i: index) {\n  %x = memref.load %a[%i] : memref<?xf32>\n  return\n}\n";
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "t.mlir").unwrap();
    let block = ir.body(module, 0);
    let function = ir.ops(block).find_map(|op| FuncOp::cast(&ir, op)).unwrap();
    let error = print_function(&ir, function, &[]).unwrap_err().to_string();
    assert_eq!(error, "t.mlir:2:8: error: `memref.load` cannot be executed by the host");
}

#[test]
fn whatever_the_host_may_do_is_printed() {
    let text = "\
func.func @f(%i: i32, %n: index, %x: f32, %d: f64, %a: memref<4x4xf32>, %b: memref<?xi8>) {
  %c = arith.constant 2 : index
  %0 = arith.addi %n, %c : index
  %1 = arith.subi %0, %c : index
  %2 = arith.muli %1, %c : index
  %3 = arith.shli %2, %c : index
  %4 = arith.shrsi %3, %c : index
  %5 = arith.shrui %4, %c : index
  %6 = arith.divsi %5, %n : index
  %7 = arith.divui %6, %n : index
  %8 = arith.remsi %7, %n : index
  %9 = arith.remui %8, %n : index
  %10 = arith.ceildivsi %9, %n : index
  %11 = arith.ceildivui %10, %n : index
  %12 = arith.floordivsi %11, %n : index
  %13 = arith.minsi %12, %n : index
  %14 = arith.minui %13, %n : index
  %15 = arith.maxsi %14, %n : index
  %16 = arith.maxui %15, %n : index
  %17 = arith.andi %16, %n : index
  %18 = arith.ori %17, %n : index
  %19 = arith.xori %18, %n : index
  %20 = arith.index_cast %19 : index to i32
  %21 = arith.index_castui %20 : i32 to index
  %22 = arith.extsi %20 : i32 to i64
  %23 = arith.extui %20 : i32 to i64
  %24 = arith.addi %22, %23 : i64
  %25 = arith.trunci %24 : i64 to i8
  %26 = arith.sitofp %25 : i8 to f32
  %27 = arith.uitofp %25 : i8 to f64
  %28 = arith.addf %26, %x : f32
  %29 = arith.subf %28, %x : f32
  %30 = arith.mulf %29, %x : f32
  %31 = arith.divf %30, %x : f32
  %32 = arith.negf %31 : f32
  %33 = arith.maxnumf %32, %x : f32
  %34 = arith.minnumf %33, %x : f32
  %35 = math.absf %34 : f32
  %36 = arith.extf %35 : f32 to f64
  %37 = arith.addf %36, %27 : f64
  %38 = arith.truncf %37 : f64 to f32
  %39 = arith.fptosi %38 : f32 to i32
  %40 = arith.cmpf ult, %38, %x : f32
  %41 = arith.cmpi slt, %39, %i : i32
  %42 = arith.andi %40, %41 : i1
  %43 = arith.select %42, %21, %n : index
  %44 = memref.cast %a : memref<4x4xf32> to memref<?x4xf32>
  %45 = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %46 = memref.expand_shape %45 [[0, 1]] output_shape [2, 8] : memref<16xf32> into memref<2x8xf32>
  %47 = memref.memory_space_cast %46 : memref<2x8xf32> to memref<2x8xf32, 1>
  %48 = memref.reinterpret_cast %a to offset: [%43], sizes: [2], strides: [1] : memref<4x4xf32> to memref<2xf32, strided<[1], offset: ?>>
  %49 = memref.view %b[%43][] : memref<?xi8> to memref<f32>
  gpu.launch_func @kernels::@k blocks in (%43, %c, %c) threads in (%c, %c, %c) args(%39 : i32, %44 : memref<?x4xf32>, %47 : memref<2x8xf32, 1>, %48 : memref<2xf32, strided<[1], offset: ?>>, %49 : memref<f32>)
  return
}
";
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "t.mlir").unwrap();
    let block = ir.body(module, 0);
    let function = ir.ops(block).find_map(|op| FuncOp::cast(&ir, op)).unwrap();
    let body = ir.body(function.op(), 0);
    let lowered_before = ["affine.apply", "affine.max", "affine.min"];
    for name in gpuc_dialects::offload::HOST_OPS {
        let is_tried = ir.ops(body).any(|op| ir.name(op) == *name);
        assert!(is_tried || lowered_before.contains(name), "{name}");
    }
    for op in ir.ops(body).filter(|&op| !ir.results(op).is_empty()) {
        assert!(gpuc_dialects::offload::runs_on_host(&ir, op), "{}", ir.name(op));
    }
    let printed = print_function(&ir, function, &[]).unwrap();
    let launch = "__gpuc_run_words(&__gpuc_image_0, site, \"k\", \"l,2,2,2,2,2,0,ipppp\", (const unsigned long[]){ (unsigned long)v4, (unsigned long)(v3),";
    assert!(printed.contains(launch), "{printed}");
}
