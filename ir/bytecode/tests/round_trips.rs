//! What is written as bytecode reads as the same IR, for every text of the repository's tests and every version; and no
//! damage to a file brings a panic.

use std::path::{Path, PathBuf};

use gpuc_bytecode::{NEWEST_VERSION, is_bytecode, read, write};
use gpuc_ir::text::split::split_input;
use gpuc_ir::text::{PrintOptions, parse_module_at};
use gpuc_ir::verify::verify;
use gpuc_ir::{Ir, Op};

fn fresh() -> Ir {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    ir.ctx.register(&gpuc_dialects::test::DIALECT);
    ir.ctx.register_open("test");
    ir.ctx.allow_unregistered = true;
    ir
}

fn text(ir: &Ir, module: Op) -> String {
    let options = PrintOptions { locations: true, metadata: true, ..PrintOptions::default() };
    ir.to_text_with(module, options)
}

fn texts_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let path = entry.path();
        if path.is_dir() {
            texts_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "mlir") {
            found.push(path);
        }
    }
}

#[test]
fn every_text_of_the_tests_survives_every_version() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    texts_below(&tests, &mut files);
    files.sort();
    let mut compared = 0;
    for file in files {
        let contents = std::fs::read_to_string(&file).expect("a test is UTF-8");
        for chunk in split_input(&contents) {
            let mut ir = fresh();
            // Those that are to be refused are not for this test.
            let Ok(module) = parse_module_at(&mut ir, chunk.text, "a.mlir", chunk.first_line)
            else {
                continue;
            };
            if verify(&mut ir, module).is_err() {
                continue;
            }
            let expected = text(&ir, module);
            for version in 0..=NEWEST_VERSION {
                let contents = write(&ir, module, version);
                assert!(is_bytecode(&contents));
                let mut again = fresh();
                let read = read(&mut again, &contents, "a.mlirbc", true);
                let read = read.unwrap_or_else(|error| {
                    panic!("{}:{}, version {version}: {error:?}", file.display(), chunk.first_line)
                });
                let printed = text(&again, read);
                assert!(
                    printed == expected,
                    "{}:{}, version {version}, reads as\n{printed}",
                    file.display(),
                    chunk.first_line
                );
            }
            compared += 1;
        }
    }
    assert!(compared > 250, "{compared} texts were found");
}

/// Something of everything that has an encoding.
const EVERYTHING: &str = r#"
module @m attributes {test.list = [1 : i8, -7 : i64, 5 : index, true, 3 : ui16, -1 : si1, -5 : i96, 1.5 : f32, 2.5 : f64, 1.0 : f16]} {
  func.func private @callee(memref<?x4xf32, strided<[?, 1], offset: 3>>, memref<*xi8, 3>) -> (tensor<*xf32>, tuple<i1, none>)
  func.func @values(%a: i32, %b: memref<4xf32, 1>, %c: vector<[4]x2xf32>) -> i32 attributes {test.s = @m::@callee} {
    %0 = "test.op"(%1, %a) {x = dense<[1, 2, 3]> : tensor<3xi16>, y = dense<[true, false]> : vector<2xi1>} : (i32, i32) -> i32
    %1 = "test.op"() {m = affine_map<(d0)[s0] -> (d0 + s0)>, t = tensor<?xf32, "enc">, s = "a" : i32, u, d = {k = array<i64: 1, 2>, f = array<f32: 1.0>}} : () -> i32
    %2 = arith.addi %a, %0 overflow<nsw> : i32
    cf.cond_br %d, ^one(%2 : i32), ^two
  ^one(%x: i32):
    return %x : i32 loc(callsite("f"("g.c":3:4) at fused<"why">["a", unknown]))
  ^two:
    %d = "test.op"() {r = dense_resource<blob> : tensor<3xi64>, l = loc("x":1:2)} : () -> i1
    %r = scf.if %d -> i32 {
      scf.yield %2 : i32
    } else {
      scf.yield %1 : i32
    }
    return %r : i32
  }
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x08000000010000000000000002000000000000000300000000000000"
    }
  },
  external_resources: {
    tool: {
      key: "value",
      flag: true
    }
  }
#-}
"#;

fn everything() -> (Ir, Op) {
    let mut ir = fresh();
    let module = parse_module_at(&mut ir, EVERYTHING, "a.mlir", 1).expect("the text is right");
    (ir, module)
}

#[test]
fn everything_survives() {
    let (ir, module) = everything();
    for version in 0..=NEWEST_VERSION {
        let mut again = fresh();
        let read =
            read(&mut again, &write(&ir, module, version), "a", true).expect("it was written");
        assert_eq!(text(&again, read), text(&ir, module), "version {version}");
    }
}

/// Reads what may be damaged, and goes on with what can be read of it.
fn survive(contents: &[u8]) -> bool {
    let mut ir = fresh();
    match read(&mut ir, contents, "a.mlirbc", true) {
        Ok(module) => {
            if verify(&mut ir, module).is_ok() {
                text(&ir, module);
            }
            true
        }
        Err(error) => {
            let place = error.place.expect("damage has a place");
            assert!(place.column as usize <= contents.len() + 1, "{}", error.message);
            false
        }
    }
}

#[test]
fn damage_is_an_error_with_its_place() {
    let (ir, module) = everything();
    for version in [0, NEWEST_VERSION] {
        let whole = write(&ir, module, version);
        for length in 0..whole.len() {
            assert!(!survive(&whole[..length]), "{length} bytes of version {version} are enough");
        }
        let mut damaged = whole.clone();
        for at in 0..whole.len() {
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255, whole[at]] {
                damaged[at] = whole[at] ^ flip;
                survive(&damaged);
            }
            damaged[at] = whole[at];
        }
    }
}
