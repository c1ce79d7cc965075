//! What C becomes: small functions, their text, and what is refused.

use expect_test::{Expect, expect};
use gpuc_ir::Ir;
use gpuc_ir::text::print_op;

use super::{Options, lower_functions, lower_unit};
use crate::preprocess::Preprocessed;
use crate::{Families, read};

/// Lowers a program; its module's text, or what was refused.
fn lowered(program: &str, options: Options) -> Result<String, Vec<String>> {
    let text = Preprocessed::from_text(program, "t.c");
    let (unit, found) = read(&text, Families { openacc: true, ..Families::default() });
    unit.source.set_content("t.c", program.as_bytes());
    let errors: Vec<String> =
        found.iter().filter(|found| found.is_error()).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let say = |found: Vec<gpuc_diagnostics::Diagnostic>| -> Vec<String> {
        found.iter().map(ToString::to_string).collect()
    };
    let lowered = lower_unit(&unit, &mut ir, options).map_err(say)?;
    gpuc_ir::verify::verify(&mut ir, lowered.module).map_err(say)?;
    let mut text = String::new();
    print_op(&ir, lowered.module, Default::default(), &mut text).unwrap();
    Ok(text)
}

/// The operations of the region of a `serial` construct around `body`, without its frame.
fn body(declarations: &str, body: &str) -> String {
    let program =
        format!("{declarations}\nvoid f(PARAMETERS) {{\n#pragma acc serial\n{{ {body} }}\n}}\n");
    let program = program.replace(
        "PARAMETERS",
        "int i, unsigned u, long l, unsigned long ul, short s, unsigned char uc, _Bool b, float x, double d, int *p, float (*m)[4]",
    );
    let text = lowered(&program, Options { contract: false, ..Options::default() }).unwrap();
    let lines = text.lines().skip_while(|line| !line.contains("offload.region")).skip(1);
    lines
        .take_while(|line| *line != "    }")
        .map(|line| format!("{}\n", line.trim_start()))
        .collect()
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(text);
}

/// The operations between reading `value` and storing it into a variable of type `to`.
fn conversion(value: &str, to: &str) -> String {
    let text = body("", &format!("{to} result; result = {value}; {to} *q = &result; q[0] = q[0];"));
    let operations =
        text.lines().filter_map(|line| line.split_once(" = ")).map(|(_, operation)| {
            let mut words = operation.split_whitespace();
            let name = words.next().unwrap_or_default();
            match operation.split_once(" : ") {
                Some((_, types)) if operation.contains(" to ") => format!("{name} {types}"),
                _ => name.to_owned(),
            }
        });
    let kept: Vec<_> = operations
        .filter(|text| !text.starts_with("memref.") && !text.starts_with("arith.constant"))
        .collect();
    kept.join(", ")
}

#[test]
fn conversions() {
    let table = [
        ("s", "int", "arith.extsi i16 to i32"),
        ("uc", "int", "arith.extui i8 to i32"),
        ("i", "short", "arith.trunci i32 to i16"),
        ("i", "unsigned", ""),
        ("i", "unsigned long", "arith.extsi i32 to i64"),
        ("u", "long", "arith.extui i32 to i64"),
        ("i", "float", "arith.sitofp i32 to f32"),
        ("u", "double", "arith.uitofp i32 to f64"),
        ("b", "int", "arith.extui i1 to i32"),
        ("b", "double", "arith.uitofp i1 to f64"),
        ("x", "double", "arith.extf f32 to f64"),
        ("d", "float", "arith.truncf f64 to f32"),
        ("d", "int", "arith.fptosi f64 to i32"),
        ("d", "unsigned", "arith.fptoui f64 to i32"),
        ("d", "unsigned char", "arith.fptosi f64 to i32, arith.trunci i32 to i8"),
        (
            "s + uc",
            "long",
            "arith.extsi i16 to i32, arith.extui i8 to i32, arith.addi, arith.extsi i32 to i64",
        ),
        ("i + u", "unsigned", "arith.addi"),
        ("i < u", "int", "arith.cmpi, arith.extui i1 to i32"),
        ("u >> i", "unsigned", "arith.shrui"),
        ("i >> l", "int", "arith.trunci i64 to i32, arith.shrsi"),
        ("u / 3", "unsigned", "arith.divui"),
        ("i % 3", "int", "arith.remsi"),
        ("-x", "float", "arith.negf"),
        ("~uc", "int", "arith.extui i8 to i32, arith.xori"),
    ];
    for (value, to, expected) in table {
        assert_eq!(conversion(value, to), expected, "{to} = {value}");
    }
    // To `_Bool`, by comparison with zero.
    assert_eq!(
        conversion("d", "_Bool"),
        "arith.cmpf, arith.extui i1 to i8, arith.trunci i8 to i1, arith.extui i1 to i8"
    );
}

#[test]
fn library_calls() {
    let table = [
        ("__builtin_sqrtf(x)", "float", "math.sqrt"),
        ("__builtin_pow(d, d)", "double", "math.powf"),
        ("__builtin_fmod(d, d)", "double", "arith.remf"),
        ("__builtin_fmax(d, d)", "double", "arith.maxnumf"),
        ("__builtin_fmaf(x, x, x)", "float", "math.fma"),
        ("__builtin_hypot(d, d)", "double", "func.call"),
        ("__builtin_abs(i)", "int", "math.absi"),
        ("__builtin_isnan(d)", "int", "arith.cmpf, arith.extui i1 to i32"),
        (
            "__builtin_signbit(d)",
            "int",
            "arith.bitcast f64 to i64, arith.cmpi, arith.extui i1 to i32",
        ),
        ("__builtin_inff()", "float", ""),
        ("__builtin_nan(\"\")", "double", ""),
        ("__builtin_expect(l, 1)", "long", ""),
        ("__builtin_popcountl(ul)", "int", "math.ctpop, arith.trunci i64 to i32"),
        ("__builtin_lround(d)", "long", "math.round, arith.fptosi f64 to i64"),
    ];
    for (call, to, expected) in table {
        assert_eq!(conversion(call, to), expected, "{call}");
    }
}

#[test]
fn a_loop_with_continue_is_counted_and_one_with_break_is_not() {
    check(
        &body(
            "",
            "int sum = 0; for (int k = 0; k < i; k += 2) { if (p[k] < 0) continue; sum += p[k]; } p[0] = sum;",
        ),
        expect![[r#"
            %c2 = arith.constant 2 : index
            %c0 = arith.constant 0 : index
            %c0_i32 = arith.constant 0 : i32
            %alloca = memref.alloca() : memref<i32>
            memref.store %c0_i32, %alloca[] : memref<i32>
            %0 = arith.index_cast %arg0 : i32 to index
            scf.for %arg2 = %c0 to %0 step %c2 {
            %2 = arith.index_cast %arg2 : index to i32
            %alloca_0 = memref.alloca() : memref<i1>
            %false = arith.constant false
            memref.store %false, %alloca_0[] : memref<i1>
            %3 = arith.index_cast %2 : i32 to index
            %4 = memref.load %arg1[%3] : memref<?xi32>
            %c0_i32_1 = arith.constant 0 : i32
            %5 = arith.cmpi slt, %4, %c0_i32_1 : i32
            scf.if %5 {
            %true = arith.constant true
            memref.store %true, %alloca_0[] : memref<i1>
            } else {
            %6 = arith.index_cast %2 : i32 to index
            %7 = memref.load %arg1[%6] : memref<?xi32>
            %8 = memref.load %alloca[] : memref<i32>
            %9 = arith.addi %8, %7 overflow<nsw> : i32
            memref.store %9, %alloca[] : memref<i32>
            }
            }
            %1 = memref.load %alloca[] : memref<i32>
            memref.store %1, %arg1[%c0] : memref<?xi32>
        "#]],
    );
    check(
        &body("", "int k = i; while (1) { if (p[k] == 0) break; k--; } p[0] = k;"),
        expect![[r#"
            %c0 = arith.constant 0 : index
            %alloca = memref.alloca() : memref<i32>
            memref.store %arg0, %alloca[] : memref<i32>
            %alloca_0 = memref.alloca() : memref<i1>
            %false = arith.constant false
            memref.store %false, %alloca_0[] : memref<i1>
            scf.while : () -> () {
            %1 = memref.load %alloca_0[] : memref<i1>
            %true = arith.constant true
            %2 = arith.xori %1, %true : i1
            %true_1 = arith.constant true
            %3 = arith.andi %2, %true_1 : i1
            scf.condition(%3)
            } do {
            %1 = memref.load %alloca[] : memref<i32>
            %2 = arith.index_cast %1 : i32 to index
            %3 = memref.load %arg1[%2] : memref<?xi32>
            %c0_i32 = arith.constant 0 : i32
            %4 = arith.cmpi eq, %3, %c0_i32 : i32
            scf.if %4 {
            %true = arith.constant true
            memref.store %true, %alloca_0[] : memref<i1>
            } else {
            %5 = memref.load %alloca[] : memref<i32>
            %c1_i32 = arith.constant 1 : i32
            %6 = arith.subi %5, %c1_i32 overflow<nsw> : i32
            memref.store %6, %alloca[] : memref<i32>
            }
            scf.yield
            }
            %0 = memref.load %alloca[] : memref<i32>
            memref.store %0, %arg1[%c0] : memref<?xi32>
        "#]],
    );
}

#[test]
fn functions_of_scalars_are_called_and_all_others_expanded() {
    check(
        &body(
            "static int twice(int v) { return 2 * v; }\nstatic void put(int *at, int v) { *at = v; }\n",
            "put(p + 3, twice(i));",
        ),
        expect![[r#"
            %c3 = arith.constant 3 : index
            %c0 = arith.constant 0 : index
            %0 = func.call @twice(%arg1) : (i32) -> i32
            memref.store %0, %arg0[%c3] : memref<?xi32>
        "#]],
    );
}

#[test]
fn bytes_where_an_array_is_accessed_with_several_types() {
    check(
        &body("", "p[1] = ((short *)p)[u];"),
        expect![[r#"
        %c4 = arith.constant 4 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c0 = arith.constant 0 : index
        %0 = arith.index_castui %arg1 : i32 to index
        %1 = arith.muli %0, %c2 overflow<nsw> : index
        %view = memref.view %arg0[%1][] : memref<?xi8> to memref<i16>
        %2 = memref.load %view[] : memref<i16>
        %3 = arith.extsi %2 : i16 to i32
        %view_0 = memref.view %arg0[%c4][] : memref<?xi8> to memref<i32>
        memref.store %3, %view_0[] : memref<i32>
    "#]],
    );
}

#[test]
fn captures_follow_the_rules_of_data() {
    let program = "\
struct s { int n; float w; };
static const float half = 0.5f;
void f(int n, float *restrict a, const float *b, struct s s, float (*m)[4]) {
  float t, sum = 0, local[7];
  int i;
#pragma acc parallel loop copyin(b[0:n]) copy(a[n:n]) reduction(+:sum)
  for (i = 0; i < n; i++) {
    t = b[i] * s.w + half + m[i][2] + local[3];
    a[n + i] = t;
    sum += t;
  }
}
";
    let text = lowered(program, Options::default()).unwrap();
    let signature = text.lines().find(|line| line.contains("func.func @f_L6")).unwrap_or_default();
    let arguments = signature.split_once('(').unwrap().1.split_once(") attributes").unwrap().0;
    check(
        &arguments.replace("}, ", "}\n"),
        expect![[r#"
            %arg0: i32 {offload.map = "firstprivate", offload.name = "n"}
            %arg1: f32 {offload.map = "firstprivate", offload.name = "t"}
            %arg2: memref<?xf32> {offload.map = "copyin", offload.name = "b"}
            %arg3: f32 {offload.map = "firstprivate", offload.name = "s.w"}
            %arg4: memref<?x4xf32> {offload.map = "section", offload.name = "m"}
            %arg5: memref<7xf32> {offload.map = "copy", offload.name = "local", offload.storage = "object"}
            %arg6: memref<?xf32> {offload.map = "copy", offload.name = "a", offload.storage = "restrict"}
            %arg7: memref<f32> {offload.map = "copy", offload.name = "sum", offload.storage = "exclusive"}"#]],
    );
}

#[test]
fn refusals() {
    let frame = |body: &str| {
        format!(
            "int printf(const char *, ...);\nint f(int n, int *a, int **pp, long double ld, int (*fp)(int)) {{\n#pragma acc parallel loop copy(a[0:n])\nfor (int i = 0; i < n; i++) {{ {body} }}\nreturn 0; }}\n"
        )
    };
    let table = [
        ("return 1;", "`return` cannot leave a compute construct"),
        ("break;", "`break` cannot leave a loop that a directive applies to"),
        ("goto end; end: ;", "`goto` is not supported in device code"),
        ("__asm__(\"\");", "`asm` is not supported in device code"),
        ("a[i] = ld;", "`long double` is not supported in device code by this version of gpuc"),
        ("a[i] = fp(i);", "calls through function pointers are not supported in device code"),
        ("static int s; a[i] = s;", "a `static` variable cannot be declared in device code"),
        (
            "switch (i) { default: while (a[i]) { case 3: a[i]--; } }",
            "a `case` inside of another statement is not supported in device code",
        ),
    ];
    for (body, expected) in table {
        let found = lowered(&frame(body), Options::default()).unwrap_err();
        assert!(found[0].contains(expected), "{body}\n{found:?}");
        assert!(found[0].contains("t.c:"), "{body}: no place\n{found:?}");
    }
    let outside =
        "void f(int n, int *a) {\n#pragma acc loop\nfor (int i = 0; i < n; i++) a[i] = 0;\n}\n";
    let found = lowered(outside, Options::default()).unwrap_err();
    assert!(found[0].contains("`loop` stands outside of a compute construct"), "{found:?}");
}

#[test]
fn library_functions_are_private_and_know_the_intrinsics() {
    let program = "\
int __gpuc_float_as_int(float x);
static inline int exponent(float x) { return (__gpuc_float_as_int(x) >> 23) & 255; }
float scaled(float x, float y) { if (exponent(x) == 0) return y; return __builtin_fmaf(x, y, 1.0f); }
";
    let text = Preprocessed::from_text(program, "t.c");
    let (unit, _) = read(&text, Families::default());
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let module = gpuc_dialects::builtin::ModuleOp::create(&mut ir, gpuc_ir::Location::UNKNOWN).0;
    lower_functions(
        &unit,
        &mut ir,
        module,
        &["scaled"],
        Options { contract: false, ..Options::default() },
    )
    .unwrap();
    gpuc_ir::verify::verify(&mut ir, module).unwrap();
    let mut text = String::new();
    print_op(&ir, module, Default::default(), &mut text).unwrap();
    check(
        &text,
        expect![[r#"
        module {
          func.func private @scaled(%arg0: f32, %arg1: f32) -> f32 {
            %alloca = memref.alloca() : memref<f32>
            %alloca_0 = memref.alloca() : memref<i1>
            %false = arith.constant false
            memref.store %false, %alloca_0[] : memref<i1>
            %0 = call @exponent(%arg0) : (f32) -> i32
            %c0_i32 = arith.constant 0 : i32
            %1 = arith.cmpi eq, %0, %c0_i32 : i32
            scf.if %1 {
              memref.store %arg1, %alloca[] : memref<f32>
              %true = arith.constant true
              memref.store %true, %alloca_0[] : memref<i1>
            } else {
              %cst = arith.constant 1.000000e+00 : f32
              %3 = math.fma %arg0, %arg1, %cst : f32
              memref.store %3, %alloca[] : memref<f32>
              %true = arith.constant true
              memref.store %true, %alloca_0[] : memref<i1>
            }
            %2 = memref.load %alloca[] : memref<f32>
            return %2 : f32
          }
          func.func private @exponent(%arg0: f32) -> i32 {
            %alloca = memref.alloca() : memref<i32>
            %0 = arith.bitcast %arg0 : f32 to i32
            %c23_i32 = arith.constant 23 : i32
            %1 = arith.shrsi %0, %c23_i32 : i32
            %c255_i32 = arith.constant 255 : i32
            %2 = arith.andi %1, %c255_i32 : i32
            memref.store %2, %alloca[] : memref<i32>
            %3 = memref.load %alloca[] : memref<i32>
            return %3 : i32
          }
        }
    "#]],
    );
    let missing = lower_functions(&unit, &mut ir, module, &["none"], Options::default());
    assert_eq!(missing.unwrap_err()[0].to_string(), "error: the library has no function `none`");
}
