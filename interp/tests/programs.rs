//! Programs as text, what they print, and the errors they end with.

use gpuc_interp::run_to_text;
use gpuc_ir::Ir;
use gpuc_ir::text::parse_module;
use gpuc_ir::verify::verify;

/// What `@main` of a text prints and returns, or its error.
fn run(text: &str) -> Result<String, String> {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = parse_module(&mut ir, text, "test.mlir").map_err(|errors| format!("{errors:#?}"));
    let module = module.unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"));
    if let Err(errors) = verify(&mut ir, module) {
        panic!("{errors:#?}\nin\n{text}");
    }
    run_to_text(&ir, module, "main").map_err(|error| error.to_string())
}

/// Runs programs and compares what they print, lines joined by spaces.
fn expect(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        match run(text) {
            Ok(printed) => {
                let words: Vec<&str> = printed.split_whitespace().collect();
                assert_eq!(words.join(" "), *expected, "in\n{text}");
            }
            Err(error) => panic!("{error}\nin\n{text}"),
        }
    }
}

/// Runs programs that must end with an error that contains the words.
fn expect_errors(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        match run(text) {
            Ok(printed) => panic!("printed {printed}\nin\n{text}"),
            Err(error) => assert!(error.contains(expected), "{error}\nin\n{text}"),
        }
    }
}

/// `@main` with a body that ends by returning values of the types.
fn main_returning(types: &str, body: &str) -> String {
    format!("func.func @main() -> ({types}) {{\n{body}\n}}")
}

#[test]
fn scalars() {
    // Body, result type, result; `%r` is what is returned.
    let cases = [
        (
            "%a = arith.constant 127 : i8\n%b = arith.constant 2 : i8\n%r = arith.addi %a, %b : i8",
            "i8",
            "-127",
        ),
        (
            "%a = arith.constant -7 : i32\n%b = arith.constant 2 : i32\n%r = arith.divsi %a, %b : i32",
            "i32",
            "-3",
        ),
        (
            "%a = arith.constant -7 : i32\n%b = arith.constant 2 : i32\n%r = arith.floordivsi %a, %b : i32",
            "i32",
            "-4",
        ),
        (
            "%a = arith.constant -7 : i32\n%b = arith.constant 2 : i32\n%r = arith.ceildivsi %a, %b : i32",
            "i32",
            "-3",
        ),
        (
            "%a = arith.constant -7 : i32\n%b = arith.constant 2 : i32\n%r = arith.remsi %a, %b : i32",
            "i32",
            "-1",
        ),
        (
            "%a = arith.constant -1 : i8\n%b = arith.constant 2 : i8\n%r = arith.divui %a, %b : i8",
            "i8",
            "127",
        ),
        (
            "%a = arith.constant -128 : i8\n%b = arith.constant 3 : i8\n%r = arith.shrsi %a, %b : i8",
            "i8",
            "-16",
        ),
        (
            "%a = arith.constant -128 : i8\n%b = arith.constant 3 : i8\n%r = arith.shrui %a, %b : i8",
            "i8",
            "16",
        ),
        ("%a = arith.constant -1 : i16\n%r = arith.extui %a : i16 to i32", "i32", "65535"),
        ("%a = arith.constant true\n%r = arith.extsi %a : i1 to i32", "i32", "-1"),
        ("%a = arith.constant true\n%r = arith.index_cast %a : i1 to index", "index", "-1"),
        ("%a = arith.constant 300 : i32\n%r = arith.trunci %a : i32 to i8", "i8", "44"),
        (
            "%a = arith.constant 1.6777217e7 : f64\n%r = arith.truncf %a : f64 to f32",
            "f32",
            "16777216",
        ),
        ("%a = arith.constant -1 : i64\n%r = arith.uitofp %a : i64 to f32", "f32", "1.8446744e19"),
        ("%a = arith.constant -2.75 : f32\n%r = arith.fptosi %a : f32 to i32", "i32", "-2"),
        ("%a = arith.constant 1.0 : f32\n%r = arith.bitcast %a : f32 to i32", "i32", "1065353216"),
        (
            "%a = arith.constant 0.1 : f16\n%b = arith.constant 0.2 : f16\n%r = arith.addf %a, %b : f16",
            "f16",
            "0.2998047",
        ),
        (
            "%a = arith.constant 0x7FC00000 : f32\n%b = arith.constant 2.0 : f32\n%r = arith.maxnumf %a, %b : f32",
            "f32",
            "2",
        ),
        (
            "%a = arith.constant 0x7FC00000 : f32\n%b = arith.constant 2.0 : f32\n%r = arith.maximumf %a, %b : f32",
            "f32",
            "nan",
        ),
        (
            "%a = arith.constant -0.0 : f32\n%b = arith.constant 0.0 : f32\n%r = arith.minimumf %a, %b : f32",
            "f32",
            "-0",
        ),
        ("%a = arith.constant 0x7FC00000 : f32\n%r = arith.cmpf une, %a, %a : f32", "i1", "1"),
        (
            "%a = arith.constant -1 : i32\n%b = arith.constant 1 : i32\n%r = arith.cmpi ult, %a, %b : i32",
            "i1",
            "0",
        ),
        ("%a = arith.constant 2.0 : f64\n%r = math.sqrt %a : f64", "f64", "1.4142135623730951"),
        (
            "%a = arith.constant 3 : i32\n%b = arith.constant 5 : i32\n%r = math.ipowi %a, %b : i32",
            "i32",
            "243",
        ),
        ("%a = arith.constant 40 : i32\n%r = math.ctlz %a : i32", "i32", "26"),
        ("%a = arith.constant -1 : i32\n%lo, %r = arith.mului_extended %a, %a : i32", "i32", "-2"),
        (
            "%a = arith.constant dense<[1, -2]> : vector<2xi32>\n%r = math.absi %a : vector<2xi32>",
            "vector<2xi32>",
            "( 1, 2 )",
        ),
        // Poison that nothing depends on does no harm.
        (
            "%a = arith.constant 127 : i8\n%b = arith.addi %a, %a overflow<nsw> : i8\n%c = arith.constant true\n%r = arith.select %c, %a, %b : i8",
            "i8",
            "127",
        ),
    ];
    for (body, ty, expected) in cases {
        let text = main_returning(ty, &format!("{body}\nreturn %r : {ty}"));
        expect(&[(&text, expected)]);
    }
}

#[test]
fn control_flow_and_calls() {
    expect(&[
        (
            "func.func @fac(%n: i64) -> i64 {
               %one = arith.constant 1 : i64
               %base = arith.cmpi sle, %n, %one : i64
               %r = scf.if %base -> i64 { scf.yield %one : i64 } else {
                 %m = arith.subi %n, %one : i64
                 %f = func.call @fac(%m) : (i64) -> i64
                 %p = arith.muli %n, %f : i64
                 scf.yield %p : i64
               }
               return %r : i64
             }
             func.func @main() -> i64 {
               %n = arith.constant 10 : i64
               %f = func.constant @fac : (i64) -> i64
               %r = func.call_indirect %f(%n) : (i64) -> i64
               return %r : i64
             }",
            "3628800",
        ),
        (
            "func.func @main() -> (index, index, i32) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %c10 = arith.constant 10 : index
               %s = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %c0) -> index {
                 %b = arith.addi %a, %i : index
                 scf.yield %b : index
               }
               %w:2 = scf.while (%a = %c1) : (index) -> (index, index) {
                 %go = arith.cmpi ult, %a, %c10 : index
                 scf.condition(%go) %a, %c10 : index, index
               } do {
               ^bb0(%a: index, %x: index):
                 %b = arith.addi %a, %a : index
                 scf.yield %b : index
               }
               %k = scf.index_switch %c1 -> i32
               case 1 { %v = arith.constant 11 : i32
                 scf.yield %v : i32 }
               default { %v = arith.constant 22 : i32
                 scf.yield %v : i32 }
               return %s, %w#0, %k : index, index, i32
             }",
            "45 16 11",
        ),
    ]);
    expect_errors(&[(
        "func.func @main() {
           %f = arith.constant false
           cf.assert %f, \"told so\"
           return
         }",
        "test.mlir:3:12: error: 'cf.assert' op failed: told so",
    )]);
}

#[test]
fn branches() {
    expect(&[(
        "func.func @main() -> i32 {
           %c0 = arith.constant 0 : i32
           %c3 = arith.constant 3 : i32
           %c1 = arith.constant 1 : i32
           cf.br ^head(%c0, %c0 : i32, i32)
         ^head(%i: i32, %s: i32):
           %go = arith.cmpi slt, %i, %c3 : i32
           cf.cond_br %go, ^body, ^exit(%s : i32)
         ^body:
           cf.switch %i : i32, [default: ^next(%c3 : i32), 0: ^next(%c1 : i32)]
         ^next(%by: i32):
           %t = arith.addi %s, %by : i32
           %j = arith.addi %i, %c1 : i32
           cf.br ^head(%j, %t : i32, i32)
         ^exit(%r: i32):
           return %r : i32
         }",
        "7",
    )]);
}

#[test]
fn memory() {
    expect(&[
        // Sub-views, layouts, views of bytes, globals, atomics.
        (
            "memref.global \"private\" constant @table : memref<2x3xi32> = dense<[[1, 2, 3], [4, 5, 6]]>
             func.func private @printMemrefI32(memref<*xi32>)
             func.func @main() -> (memref<3x2xi32, strided<[1, 3]>>, i32) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %t = memref.get_global @table : memref<2x3xi32>
               %s = memref.subview %t[1, 0] [1, 2] [1, 2] : memref<2x3xi32> to memref<2xi32, strided<[2], offset: 3>>
               %v = memref.load %s[%c1] : memref<2xi32, strided<[2], offset: 3>>
               %tt = memref.transpose %t (i, j) -> (j, i) : memref<2x3xi32> to memref<3x2xi32, strided<[1, 3]>>
               return %tt, %v : memref<3x2xi32, strided<[1, 3]>>, i32
             }",
            "[[1, 4], [2, 5], [3, 6]] 6",
        ),
        (
            "func.func @main() -> (memref<4xi8>, i32, i32, memref<2x2xi8, strided<[2, 1]>>) {
               %c0 = arith.constant 0 : index
               %v = arith.constant 67305985 : i32
               %b = memref.alloc() : memref<4xi8>
               %w = memref.view %b[%c0][] : memref<4xi8> to memref<i32>
               memref.store %v, %w[] : memref<i32>
               %one = arith.constant 1 : i32
               %old = memref.atomic_rmw addi %one, %w[] : (i32, memref<i32>) -> i32
               %g = memref.generic_atomic_rmw %w[] : memref<i32> {
               ^bb0(%x: i32):
                 %y = arith.addi %x, %one : i32
                 memref.atomic_yield %y : i32
               }
               %e = memref.expand_shape %b [[0, 1]] output_shape [2, 2] : memref<4xi8> into memref<2x2xi8>
               %r = memref.cast %e : memref<2x2xi8> to memref<2x2xi8, strided<[2, 1]>>
               return %b, %old, %g, %r : memref<4xi8>, i32, i32, memref<2x2xi8, strided<[2, 1]>>
             }",
            "[3, 2, 3, 4] 67305985 67305986 [[3, 2], [3, 4]]",
        ),
        (
            "func.func @main() -> (memref<2xf16>, memref<2xvector<2xi1>>) {
               %m = memref.alloc() : memref<2xf16>
               %c0 = arith.constant 0 : index
               %f = arith.constant 0.1 : f16
               memref.store %f, %m[%c0] : memref<2xf16>
               %v = memref.alloc() : memref<2xvector<2xi1>>
               %x = arith.constant dense<[true, false]> : vector<2xi1>
               memref.store %x, %v[%c0] : memref<2xvector<2xi1>>
               return %m, %v : memref<2xf16>, memref<2xvector<2xi1>>
             }",
            "[0.099975586, undefined] [( 1, 0 ), undefined]",
        ),
    ]);
}

#[test]
fn loop_nests() {
    expect(&[
        (
            "#set = affine_set<(d0, d1) : (d0 - d1 >= 0)>
             func.func @main() -> (memref<3x3xindex>, index) {
               %m = memref.alloc() : memref<3x3xindex>
               %c0 = arith.constant 0 : index
               affine.parallel (%i, %j) = (0, 0) to (3, 3) {
                 %v = affine.if #set(%i, %j) -> index {
                   %a = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1)>(%i, %j)
                   affine.yield %a : index
                 } else { affine.yield %c0 : index }
                 affine.store %v, %m[%i, %j] : memref<3x3xindex>
               }
               %s = affine.for %i = max affine_map<() -> (-1, 0)>() to 3 iter_args(%acc = %c0) -> index {
                 %x = affine.load %m[2, 2 - %i] : memref<3x3xindex>
                 %n = arith.addi %acc, %x : index
                 affine.yield %n : index
               }
               return %m, %s : memref<3x3xindex>, index
             }",
            "[[0, 0, 0], [10, 11, 0], [20, 21, 22]] 63",
        ),
        (
            "func.func @main() -> (f32, i32, memref<i32>) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %c5 = arith.constant 5 : index
               %init = arith.constant 10.0 : f32
               %r = scf.parallel (%i) = (%c0) to (%c5) step (%c1) init (%init) -> f32 {
                 %x = arith.index_cast %i : index to i32
                 %y = arith.sitofp %x : i32 to f32
                 scf.reduce(%y : f32) {
                 ^bb0(%a: f32, %b: f32):
                   %s = arith.addf %a, %b : f32
                   scf.reduce.return %s : f32
                 }
               }
               %p = affine.parallel (%i) = (0) to (5) reduce (\"maxs\") -> i32 {
                 %x = arith.index_cast %i : index to i32
                 affine.yield %x : i32
               }
               %v = memref.alloc() : memref<i32>
               %three = arith.constant 3 : i32
               memref.store %three, %v[] : memref<i32>
               offload.region parallel {
                 offload.loop independent gang (%i) = (%c0) to (%c5) step (%c1) reduction(add %v : memref<i32>) {
                   %x = arith.index_cast %i : index to i32
                   %o = memref.load %v[] : memref<i32>
                   %n = arith.addi %o, %x : i32
                   memref.store %n, %v[] : memref<i32>
                 }
               }
               return %r, %p, %v : f32, i32, memref<i32>
             }",
            "20 4 13",
        ),
    ]);
}

#[test]
fn kernels() {
    expect(&[
        // Barriers order what threads of a block write and read; 70 threads are three subgroups.
        (
            "module attributes {gpu.container_module} {
             gpu.module @kernels {
               gpu.func @reverse(%a: memref<140xi32>) workgroup(%s : memref<70xi32, #gpu.address_space<workgroup>>) kernel {
                 %t = gpu.thread_id x
                 %b = gpu.block_id x
                 %n = gpu.block_dim x
                 %g = gpu.global_id x
                 %v = arith.index_cast %g : index to i32
                 memref.store %v, %s[%t] : memref<70xi32, #gpu.address_space<workgroup>>
                 gpu.barrier
                 %c1 = arith.constant 1 : index
                 %last = arith.subi %n, %c1 : index
                 %o = arith.subi %last, %t : index
                 %w = memref.load %s[%o] : memref<70xi32, #gpu.address_space<workgroup>>
                 %sum = gpu.all_reduce add %v {} : (i32) -> (i32)
                 %all = arith.addi %w, %sum : i32
                 memref.store %all, %a[%g] : memref<140xi32>
                 gpu.return
               }
             }
             func.func @main() -> (i32, i32) {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %c2 = arith.constant 2 : index
               %c70 = arith.constant 70 : index
               %c139 = arith.constant 139 : index
               %m = gpu.alloc () : memref<140xi32>
               gpu.launch_func @kernels::@reverse blocks in (%c2, %c1, %c1) threads in (%c70, %c1, %c1) args(%m : memref<140xi32>)
               %x = memref.load %m[%c0] : memref<140xi32>
               %y = memref.load %m[%c139] : memref<140xi32>
               gpu.dealloc %m : memref<140xi32>
               return %x, %y : i32, i32
             } }",
            "2484 7385",
        ),
        // A launch in place sees the host's values; shuffles and reductions of subgroups.
        (
            "func.func @main() -> memref<4xi32> {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %c4 = arith.constant 4 : index
               %k = arith.constant 100 : i32
               %i1 = arith.constant 1 : i32
               %i4 = arith.constant 4 : i32
               %m = memref.alloc() : memref<4xi32>
               gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                          threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
                 %v = arith.index_cast %tx : index to i32
                 %o, %valid = gpu.shuffle xor %v, %i1, %i4 : i32
                 %up, %has = gpu.shuffle up %v, %i1, %i4 : i32
                 %h = arith.extui %has : i1 to i32
                 %sum = gpu.subgroup_reduce maxsi %v : (i32) -> (i32)
                 %a = arith.addi %o, %k : i32
                 %b = arith.muli %h, %sum : i32
                 %c = arith.addi %a, %b : i32
                 memref.store %c, %m[%tx] : memref<4xi32>
                 gpu.terminator
               }
               return %m : memref<4xi32>
             }",
            "[101, 103, 106, 105]",
        ),
        // A launch of no blocks; printing from the device.
        (
            "func.func @main() {
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %f = arith.constant 0.5 : f64
               gpu.launch blocks(%bx, %by, %bz) in (%gx = %c0, %gy = %c1, %gz = %c1)
                          threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
                 gpu.printf \"never\"
                 gpu.terminator
               }
               gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                          threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
                 gpu.printf \"%lld %.2f\" %c1, %f : index, f64
                 gpu.terminator
               }
               return
             }",
            "1 0.50",
        ),
    ]);
}

#[test]
fn vectors() {
    expect(&[
        (
            "func.func @main() -> (i32, vector<2x2xi32>, i32) {
               %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
               %s = vector.reduction <add>, %v : vector<4xi32> into i32
               %m = vector.shape_cast %v : vector<4xi32> to vector<2x2xi32>
               %row = vector.extract %m[1] : vector<2xi32> from vector<2x2xi32>
               %n = vector.insert %row, %m [0] : vector<2xi32> into vector<2x2xi32>
               %x = vector.shuffle %row, %row [1, 2] : vector<2xi32>, vector<2xi32>
               %c = arith.constant 0 : index
               %e = vector.extractelement %x[%c : index] : vector<2xi32>
               vector.print %v : vector<4xi32>
               vector.print %s : i32
               return %s, %n, %e : i32, vector<2x2xi32>, i32
             }",
            "( 1, 2, 3, 4 ) 10 10 ( ( 3, 4 ), ( 3, 4 ) ) 4",
        ),
        (
            "func.func @main() -> (memref<6xf32>, vector<4xf32>, vector<2x2xf32>) {
               %m = memref.alloc() : memref<6xf32>
               %c1 = arith.constant 1 : index
               %c4 = arith.constant 4 : index
               %p = arith.constant -1.0 : f32
               %z = arith.constant dense<0.0> : vector<6xf32>
               %c0 = arith.constant 0 : index
               vector.store %z, %m[%c0] : memref<6xf32>, vector<6xf32>
               %f = arith.constant 2.0 : f32
               %b = vector.broadcast %f : f32 to vector<2xf32>
               vector.transfer_write %b, %m[%c1] : vector<2xf32>, memref<6xf32>
               affine.vector_store %b, %m[3] : memref<6xf32>, vector<2xf32>
               %r = vector.transfer_read %m[%c4], %p : memref<6xf32>, vector<4xf32>
               %bb = vector.broadcast %b : vector<2xf32> to vector<2x2xf32>
               return %m, %r, %bb : memref<6xf32>, vector<4xf32>, vector<2x2xf32>
             }",
            "[0, 2, 2, 2, 2, 0] ( 2, 0, -1, -1 ) ( ( 2, 2 ), ( 2, 2 ) )",
        ),
    ]);
}

#[test]
fn vectors_taken_apart() {
    let results = |types: &str, names: &str, body: &str| {
        format!(
            "func.func @main() -> ({types}) {{
               %v = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi32>
               %p = arith.constant dense<[[9, 8], [7, 0]]> : vector<2x2xi32>
               {body}
               return {names} : {types}
             }}"
        )
    };
    let cases = [
        (
            "vector<3x2xi32>, vector<2x2xi32>, vector<2x3xi32>",
            "%t, %e, %i",
            "%t = vector.transpose %v, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
             %e = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xi32> to vector<2x2xi32>
             %i = vector.insert_strided_slice %p, %v {offsets = [0, 1], strides = [1, 1]} : vector<2x2xi32> into vector<2x3xi32>",
            "( ( 1, 4 ), ( 2, 5 ), ( 3, 6 ) ) ( ( 2, 3 ), ( 5, 6 ) ) ( ( 1, 9, 8 ), ( 4, 7, 0 ) )",
        ),
        (
            "vector<2x3xi1>, vector<2x3xi1>, vector<2x3xi1>, vector<3xindex>",
            "%a, %b, %c, %s",
            "%a = vector.constant_mask [1, 2] : vector<2x3xi1>
             %m = arith.constant -1 : index
             %n = arith.constant 9 : index
             %b = vector.create_mask %n, %m : vector<2x3xi1>
             %c = vector.create_mask %n, %n : vector<2x3xi1>
             %s = vector.step : vector<3xindex>",
            "( ( 1, 1, 0 ), ( 0, 0, 0 ) ) ( ( 0, 0, 0 ), ( 0, 0, 0 ) ) ( ( 1, 1, 1 ), ( 1, 1, 1 ) ) ( 0, 1, 2 )",
        ),
        (
            "vector<2x4xi32>, vector<2x1xi32>, vector<2x1xi32>, vector<1x2xi32>",
            "%a, %b, %c, %f",
            "%a = vector.interleave %p, %p : vector<2x2xi32> -> vector<2x4xi32>
             %b, %c = vector.deinterleave %p : vector<2x2xi32> -> vector<2x1xi32>
             %x = arith.constant 3 : i32
             %y = arith.constant 4 : i32
             %f = vector.from_elements %x, %y : vector<1x2xi32>",
            "( ( 9, 9, 8, 8 ), ( 7, 7, 0, 0 ) ) ( ( 9 ), ( 7 ) ) ( ( 8 ), ( 0 ) ) ( ( 3, 4 ) )",
        ),
    ];
    for (types, names, body, expected) in cases {
        expect(&[(&results(types, names, body), expected)]);
    }
}

#[test]
fn vectors_combined() {
    expect(&[
        (
            "#maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
             func.func @main() -> (vector<2xi32>, vector<2x3xi32>, vector<3xi32>, vector<2x3xi32>, vector<2x2xi32>) {
               %v = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : vector<2x3xi32>
               %w = arith.constant dense<[[1, 0], [2, 1], [0, 3]]> : vector<3x2xi32>
               %two = arith.constant dense<10> : vector<2xi32>
               %three = arith.constant dense<10> : vector<3xi32>
               %acc = arith.constant dense<100> : vector<2x2xi32>
               %r = vector.multi_reduction <add>, %v, %two [1] : vector<2x3xi32> to vector<2xi32>
               %s:2 = vector.scan <add>, %v, %three {inclusive = false, reduction_dim = 0 : i64} : vector<2x3xi32>, vector<3xi32>
               %o = vector.outerproduct %two, %three : vector<2xi32>, vector<3xi32>
               %c = vector.contract {indexing_maps = #maps, iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>} %v, %w, %acc : vector<2x3xi32>, vector<3x2xi32> into vector<2x2xi32>
               return %r, %s#0, %s#1, %o, %c : vector<2xi32>, vector<2x3xi32>, vector<3xi32>, vector<2x3xi32>, vector<2x2xi32>
             }",
            "( 16, 25 ) ( ( 10, 10, 10 ), ( 11, 12, 13 ) ) ( 11, 12, 13 ) ( ( 100, 100, 100 ), ( 100, 100, 100 ) ) ( ( 105, 111 ), ( 114, 123 ) )",
        ),
        (
            "func.func @main() -> (memref<6xi32>, vector<3xi32>, vector<3xi32>, vector<3xi32>) {
               %m = memref.alloc() : memref<6xi32>
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %k = arith.constant dense<[true, false, true]> : vector<3xi1>
               %i = arith.constant dense<[4, 9, 2]> : vector<3xindex>
               %v = arith.constant dense<[1, 2, 3]> : vector<3xi32>
               %z = arith.constant dense<0> : vector<6xi32>
               vector.store %z, %m[%c0] : memref<6xi32>, vector<6xi32>
               vector.maskedstore %m[%c0], %k, %v : memref<6xi32>, vector<3xi1>, vector<3xi32>
               vector.scatter %m[%c1][%i], %k, %v : memref<6xi32>, vector<3xindex>, vector<3xi1>, vector<3xi32>
               %a = vector.maskedload %m[%c0], %k, %v : memref<6xi32>, vector<3xi1>, vector<3xi32> into vector<3xi32>
               %b = vector.gather %m[%c1][%i], %k, %v : memref<6xi32>, vector<3xindex>, vector<3xi1>, vector<3xi32> into vector<3xi32>
               %c = vector.expandload %m[%c1], %k, %v : memref<6xi32>, vector<3xi1>, vector<3xi32> into vector<3xi32>
               vector.compressstore %m[%c0], %k, %v : memref<6xi32>, vector<3xi1>, vector<3xi32>
               return %m, %a, %b, %c : memref<6xi32>, vector<3xi32>, vector<3xi32>, vector<3xi32>
             }",
            "[1, 3, 3, 3, 0, 1] ( 1, 2, 3 ) ( 1, 2, 3 ) ( 0, 2, 3 )",
        ),
        (
            "func.func @main() -> (memref<3x2xi32>, memref<1x1xi32>) {
               %m = memref.alloc() : memref<6xi32>
               %c0 = arith.constant 0 : index
               %v = arith.constant dense<[1, 2, 3, 4, 5, 6]> : vector<6xi32>
               vector.store %v, %m[%c0] : memref<6xi32>, vector<6xi32>
               %s = memref.alloc() : memref<2xindex>
               %n = arith.constant dense<[3, 2]> : vector<2xindex>
               vector.store %n, %s[%c0] : memref<2xindex>, vector<2xindex>
               %r = memref.reshape %m(%s) : (memref<6xi32>, memref<2xindex>) -> memref<3x2xi32>
               %o = memref.alloc() : memref<i32>
               %x = arith.constant 7 : i32
               memref.store %x, %o[] : memref<i32>
               %e = memref.expand_shape %o [] output_shape [1, 1] : memref<i32> into memref<1x1xi32>
               %c = memref.collapse_shape %e [] : memref<1x1xi32> into memref<i32>
               %f = memref.expand_shape %c [] output_shape [1, 1] : memref<i32> into memref<1x1xi32>
               return %r, %f : memref<3x2xi32>, memref<1x1xi32>
             }",
            "[[1, 2], [3, 4], [5, 6]] [[7]]",
        ),
    ]);
}

#[test]
fn undefined_behaviour_is_located() {
    let main = |body: &str| main_returning("", &format!("{body}\nreturn"));
    let cases = [
        (
            main(
                "%m = memref.alloc() : memref<4xi32>\n%i = arith.constant 4 : index\n%x = memref.load %m[%i] : memref<4xi32>",
            ),
            "test.mlir:4:6: error: 'memref.load' op accesses memory out of bounds: subscript 4 of dimension 0 is outside its extent 4",
        ),
        (
            main(
                "%m = memref.alloc() : memref<i32>\nmemref.dealloc %m : memref<i32>\n%x = memref.load %m[] : memref<i32>",
            ),
            "the buffer has been released",
        ),
        (
            main(
                "%m = memref.alloc() : memref<i32>\n%x = memref.load %m[] : memref<i32>\nvector.print %x : i32",
            ),
            "test.mlir:4:1: error: 'vector.print' op undefined behaviour: depends on memory that was never written",
        ),
        (
            main(
                "%a = arith.constant 1 : i32\n%b = arith.constant 0 : i32\n%x = arith.divsi %a, %b : i32",
            ),
            "'arith.divsi' op undefined behaviour: division by zero",
        ),
        (
            main(
                "%a = arith.constant 127 : i8\n%b = arith.addi %a, %a overflow<nsw> : i8\nvector.print %b : i8",
            ),
            "depends on a signed overflow",
        ),
        (
            main(
                "%a = arith.constant 32 : i32\n%b = arith.shli %a, %a : i32\nvector.print %b : i32",
            ),
            "depends on a shift by the width or more",
        ),
        (
            main(
                "%a = arith.constant 1.0e10 : f32\n%b = arith.fptosi %a : f32 to i32\nvector.print %b : i32",
            ),
            "depends on a conversion",
        ),
        (
            main("%a = arith.constant -1 : index\n%m = memref.alloc(%a) : memref<?xi8>"),
            "allocates a buffer with extent -1",
        ),
        (
            main("%a = arith.constant 99999999999 : index\n%m = memref.alloc(%a) : memref<?xi8>"),
            "exceeds the memory limit",
        ),
        (main("gpu.barrier"), "is executed outside a kernel"),
        (
            main("%x = arith.constant 1 : i8\n%v = vector.splat %x : vector<4611686018427387904x8xi8>"),
            "makes a vector of",
        ),
        (
            // A buffer of one byte under a view that claims to be endless.
            main(
                "%m = memref.alloc() : memref<1xi8>
                 %z = arith.constant 0 : index
                 %v = memref.reinterpret_cast %m to offset: [0], sizes: [4611686018427387904], strides: [%z] : memref<1xi8> to memref<4611686018427387904xi8, strided<[?]>>
                 memref.copy %v, %v : memref<4611686018427387904xi8, strided<[?]>> to memref<4611686018427387904xi8, strided<[?]>>",
            ),
            "the limit of",
        ),
        (
            "func.func @main() { call @main() : () -> ()\nreturn }".to_owned(),
            "more than 10000 nested calls",
        ),
        (
            "func.func private @f()\nfunc.func @main() { call @f() : () -> ()\nreturn }".to_owned(),
            "calls @f, which has no body",
        ),
        ("func.func @mian() { return }".to_owned(), "there is no function @main with a body"),
        ("func.func @main(%a: i32) { return }".to_owned(), "takes 1 arguments"),
        (
            "func.func @main() {
               %c1 = arith.constant 1 : index
               %c2 = arith.constant 2 : index
               gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                          threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
                 %first = arith.cmpi ult, %tx, %c1 : index
                 scf.if %first { gpu.barrier }
                 gpu.terminator
               }
               return
             }"
            .to_owned(),
            "is reached by 1 of 2 threads of the block only",
        ),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(text, words)| (&**text, *words)).collect();
    expect_errors(&cases);
}
