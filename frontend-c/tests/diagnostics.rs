//! What the reader says of wrong programs, and where.

use expect_test::{Expect, expect};
use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_frontend_c::{Families, read};

fn check(text: &str, expected: Expect) {
    let (_, diagnostics) = read(
        &Preprocessed::from_text(text, "t.c"),
        Families { openacc: true, ..Families::default() },
    );
    let mut shown = String::new();
    for diagnostic in &diagnostics {
        shown += &format!("{diagnostic}\n");
        for help in &diagnostic.help {
            shown += &format!("  help: {help}\n");
        }
        for (place, note) in &diagnostic.related {
            shown += &format!("  {place}: {note}\n");
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn several_syntax_errors_are_reported() {
    check(
        "int f(int x) {\n  x = 3\n  if (x { return 1; }\n  for (int i = 0; i < 3) x++;\n  y = 4;\n}\n\
         int g(void) { return 0 }\nint h(void) { else; break; }\nint ok;\nint k(\n",
        expect![[r#"
            t.c:2:7: error: expected `;` after the expression
            t.c:3:9: error: expected `)` after the condition of `if`, found `{`
            t.c:4:24: error: expected `;` after the condition of `for`, found `)`
            t.c:5:3: error: `y` is not declared
            t.c:7:24: error: expected `;` after `return`, found `}`
            t.c:8:15: error: expected a statement (this `else` has no `if`), found `else`
            t.c:8:21: error: `break` stands in neither a loop nor a `switch`
            t.c:11:1: error: expected a declaration, found the end of the file
        "#]],
    );
}

#[test]
fn names_and_types() {
    check(
        "struct s { int alpha; } a; struct s *p; struct unknown *u; int v[3]; enum e { ONE };\n\
         int f(int count) {\n  int cuont2 = cuont; a.alhpa = 1; p.alpha = a->alpha;\n  u->x = 1; v = 0; 3 = v[0];\n\
         \x20 float fl = a; a + 1; *count; count(); v[1.5]; f(1, 2); &3; ONE = 2;\n  unsinged z; int w[-1]; struct unknown q;\n\
         \x20 goto nowhere; case 1: ; switch (fl) { }\n  return a;\n}\nint v; float f(int);\n\
         void g(void) { undeclared(1); fabss(2); }\ndouble fabs(double);\nvoid h(void) { fabss(2); }\n\
         _Static_assert(sizeof(int) == 8, \"wide\");\nint fn(int) = { 0 }; struct s t = 3;\n",
        expect![[r#"
            t.c:3:16: error: `cuont` is not declared
              help: did you mean `count`?
            t.c:3:25: error: `struct s` has no member `alhpa`
              help: did you mean `alpha`?
            t.c:3:38: error: `struct s *` has no members, so there is no `alpha`
              help: the member of what a pointer points to is selected by `->`
            t.c:3:49: error: `->` needs a pointer, not `struct s`
              help: the member of a structure itself is selected by `.`
            t.c:4:6: error: `struct unknown` is only declared, so its member `x` is not known
            t.c:4:13: error: this is an array of type `int [3]` and cannot be assigned to
            t.c:4:20: error: this is a value, not an object of type `int` and cannot be assigned to
            t.c:5:14: error: an initial value of type `float` cannot be made of `struct s`
            t.c:5:17: error: `+` cannot be applied to `struct s` and `int`
            t.c:5:24: error: `*` cannot be applied to `int`
            t.c:5:32: error: `int` is not a function and cannot be called
            t.c:5:43: error: a subscript must be an integer, not `double`
            t.c:5:49: error: `f` takes 1 argument, not 2
            t.c:5:58: error: the address of a value cannot be taken
            t.c:5:62: error: this is a value, not an object of type `int` and cannot be assigned to
            t.c:6:3: error: `unsinged` is not a type
              help: did you mean `unsigned`?
            t.c:6:21: error: an array cannot have -1 elements
            t.c:6:41: error: `q` has the incomplete type `struct unknown`
            t.c:7:17: error: `case` does not stand in a `switch`
            t.c:7:35: error: `switch` needs an integer, not `float`
            t.c:8:10: error: a result of type `int` cannot be made of `struct s`
            t.c:7:8: error: the label `nowhere` does not stand in this function
            t.c:10:5: error: `v` is declared as `int` here and as `int [3]` before
              t.c:1:64: first declared here
            t.c:10:14: error: `f` is declared as `float (int)` here and as `int (int)` before
              t.c:2:5: first declared here
            t.c:11:16: warning: `undeclared` is called without a declaration; it is taken to return `int`
            t.c:11:31: warning: `fabss` is called without a declaration; it is taken to return `int`
            t.c:14:1: error: a static assertion does not hold: wide
            t.c:15:15: error: `int (int)` cannot be initialised
            t.c:15:35: error: an initial value of type `struct s` cannot be made of `int`
        "#]],
    );
}

#[test]
fn directives() {
    check(
        "void f(int n, float *a, float b[4]) { float s = 0, c[8]; struct { int m; } r;\n\
         #pragma acc paralell loop\n  for (;;);\n\
         #pragma acc parallel loop copyn(a[0:n])\n  for (;;);\n\
         #pragma acc parallel loop copy(a)\n  n++;\n\
         #pragma acc kernels reduction(+:s)\n  ;\n\
         #pragma acc data\n  ;\n\
         #pragma acc parallel if(n) if(n) num_gangs() \n  ;\n\
         #pragma acc parallel loop seq gang private(s) reduction(+:s)\n  for (;;);\n\
         #pragma acc data copy(a[:]) copyin(c[4:5]) create(x)\n  ;\n\
         #pragma acc data copyin(c[4:5])\n  ;\n\
         #pragma acc data create(nn)\n  ;\n\
         #pragma acc loop collapse(2)\n  for (;;) n++;\n\
         #pragma acc atomic\n  n = 1;\n\
         #pragma acc update self(r.q)\n\
         #pragma acc parallel default(some)\n  ;\n\
         #pragma acc copy(a)\n\
         #pragma acc\n\
         #pragma acc serial num_gangs(4)\n  ;\n\
         #pragma acc parallel loop reduction(%:s)\n  for (;;);\n\
         #pragma acc parallel vector_length(1.5)\n  ;\n\
         #pragma acc data copy(c[0:2]\n  ;\n\
         #pragma acc parallel\n}\n#pragma acc parallel\n",
        expect![[r#"
            t.c:2:13: error: `paralell` is not a directive of OpenACC [GPUC0001]
              help: did you mean `parallel`?
            t.c:4:27: error: `copyn` is not a clause of OpenACC [GPUC0002]
              help: did you mean `copy`?
            t.c:7:3: error: `parallel loop` must be followed by a `for` loop
              t.c:6:1: the directive
            t.c:8:21: error: `reduction` is not a clause of `kernels` [GPUC0003]
            t.c:10:13: error: `data` needs one of the clauses `copy`, `copyin`, `copyout`, `create`, `no_create`, `present`, `deviceptr`, `attach`, `default`
            t.c:12:44: error: expected an expression, found `)`
            t.c:14:31: error: `gang` and `seq` exclude each other
            t.c:14:59: error: `s` stands in a `private` clause of this directive already
              t.c:14:44: here
            t.c:16:24: error: the length of a pointer's section must be written
            t.c:18:26: error: this section is outside of the array of 8 elements
            t.c:20:25: error: `nn` is not declared
              help: did you mean `n`?
            t.c:23:12: error: `loop` collapses 2 loops, but only 1 follow
              t.c:22:1: the directive
            t.c:25:3: error: `atomic update` must be followed by an update of one scalar
              help: its forms are `x++`, `x op= value`, `x = x op value` and `x = value op x`, with `op` one of `+ * - / & ^ | << >>`
            t.c:26:27: error: `struct <unnamed>` has no member `q`
              help: did you mean `m`?
            t.c:27:30: error: expected `none` or `present`, found `some`
            t.c:29:13: error: `copy` is not a directive of OpenACC [GPUC0001]
              help: this is a clause; the directive stands before it
            t.c:30:12: error: expected the name of an OpenACC directive, found the end of the directive
            t.c:31:20: error: `num_gangs` is not a clause of `serial` [GPUC0003]
            t.c:33:37: error: expected a reduction operator: one of `+ * max min & | ^ && ||`, found `%`
            t.c:35:36: error: this must be an integer, not `double`
            t.c:37:29: error: expected `)` after the argument of `copy`, found the end of the directive
            t.c:39:1: error: no statement follows this `parallel`
            t.c:41:1: error: `parallel` cannot stand outside of a function
        "#]],
    );
}

#[test]
fn what_is_not_supported_is_named_with_its_section() {
    check(
        "void f(int n, float *a) { float s = 0, c[8]; struct { int m; } r;\n\
         #pragma acc host_data use_device(a)\n  ;\n\
         #pragma acc wait(1)\n\
         #pragma acc parallel async(1) wait\n  ;\n\
         #pragma acc parallel loop tile(8, *) gang(static:*)\n  for (;;) for (;;);\n\
         #pragma acc parallel loop reduction(^:s)  reduction(+:c)\n  for (;;);\n\
         #pragma acc parallel loop copyin(readonly: a[0:n]) device_type(nvidia) vector(32)\n  for (;;);\n\
         #pragma acc exit data delete(a[0:n]) finalize\n\
         #pragma acc atomic capture\n  n = n++;\n\
         #pragma acc parallel self(n) attach(a) no_create(c)\n  ;\n\
         #pragma acc init device_num(1)\n}\n\
         #pragma acc routine seq\nint g(void);\n\
         #pragma acc declare create(h)\n",
        expect![[r#"
            t.c:9:39: error: `reduction(^:) on a floating-point variable` (OpenACC 3.3 §2.5.15) is not supported by this version of gpuc [GPUC0004]
            t.c:15:3: error: the object of an atomic statement stands in it once more (OpenACC 3.3 §2.12)
              help: compute the other operand before, in a variable of its own
            t.c:22:28: error: `h` is not declared
        "#]],
    );
}
