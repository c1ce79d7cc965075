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
                v1 = ((long)__gpuc_ceildiv(v0, 128l));
            } else {
                v1 = 0l;
            }
            void * v2 = __gpuc_device_alloc(site, 8ul * (unsigned long)(v1));
            __gpuc_run(site, "k", "ipdp", v1, 1l, 1l, 128l, 1l, 1l, 0, a0, a1, a2, v2);
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
