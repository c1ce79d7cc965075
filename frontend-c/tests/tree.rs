//! The tree that programs become.

use expect_test::{Expect, expect};
use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_frontend_c::{Families, read, tree};

fn check(text: &str, expected: Expect) {
    let (unit, diagnostics) = read(
        &Preprocessed::from_text(text, "t.c"),
        Families { openacc: true, ..Families::default() },
    );
    let shown: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
    assert!(diagnostics.is_empty(), "{}", shown.join("\n"));
    expected.assert_eq(&tree::dump(&unit));
}

#[test]
fn conversions_are_nodes() {
    check(
        "void f(unsigned char c, float x, double y, float *p, long n) {\n  c += x; y = c ? p[c] : n; p++;\n  x = *(p + 1) * 2; if (p && !c) return;\n}\n",
        expect![[r#"
            function void f(unsigned char, float, double, float *, long)
              parameter unsigned char c
              parameter float x
              parameter double y
              parameter float *p
              parameter long n
              block
                assign += in float : unsigned char
                  c : unsigned char
                  load : float
                    x : float
                assign : double
                  y : double
                  floating : double
                    choose : float
                      load : unsigned char
                        c : unsigned char
                      load : float
                        index : float
                          load : float *
                            p : float *
                          integer : long
                            integer : int
                              load : unsigned char
                                c : unsigned char
                      integer to floating : float
                        load : long
                          n : long
                PostIncrement : float *
                  p : float *
                assign : float
                  x : float
                  binary * : float
                    load : float
                      unary * : float
                        paren : float *
                          binary + : float *
                            load : float *
                              p : float *
                            integer : long
                              1 : int
                    integer to floating : float
                      2 : int
                if
                  binary && : int
                    load : float *
                      p : float *
                    unary ! : int
                      load : unsigned char
                        c : unsigned char
                  return
        "#]],
    );
}

#[test]
fn initialisers_are_elements_by_offset() {
    check(
        "struct point { int x, y; }; struct box { struct point low, high; char tag[4]; int flags : 3; };\n\
         struct box b = { 1, 2, { .y = 3 }, \"ab\", 5 }, c = { .high.x = 4, 5, .low = { 6 } };\n\
         int m[][2] = { { 1 }, 2, 3, [4 ... 6] = { [1] = 9 } };\nunion { int i; float f; } u = { .f = 1 };\n",
        expect![[r#"
            variable struct box b
              at 0 int
                1 : int
              at 4 int
                2 : int
              at 12 int
                3 : int
              at 16 char [4]
                string "ab" : char [3]
              at 20 int bits 0+3
                5 : int
            variable struct box c
              at 8 int
                4 : int
              at 12 int
                5 : int
              at 0 int
                6 : int
            variable int m[7][2]
              at 0 int
                1 : int
              at 8 int
                2 : int
              at 12 int
                3 : int
              at 36 int and 2 more every 8
                9 : int
            variable union <unnamed> u
              at 0 float
                integer to floating : float
                  1 : int
        "#]],
    );
}

#[test]
fn directives_have_their_statements() {
    check(
        "#define N n\nvoid f(int n, float *a, float m[n][n], struct { float *v; int k; } *s) { float t = 0;\n\
         #pragma acc data pcopy(a[0:n], m[:n][0:n]) present(s->v[0:n])\n  {\n\
         #pragma acc parallel loop gang(num: 4) worker vector(length: 32), reduction(max : t) collapse(2) if(n > 1)\n\
         \x20   for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) t = m[i][j] > t ? m[i][j] : t;\n\
         #pragma acc update host(a[2:N-2])\n  }\n\
         #pragma acc kernels default(present)\n  {\n\
         #pragma acc loop independent\n    for (int i = 0; i < n; i++) {\n\
         #pragma acc atomic update\n      a[0] += 1; }\n  }\n}\n",
        expect![[r#"
            function void f(int, float *, float (*)[<variable>], struct <unnamed> *)
              parameter int n
              parameter float *a
              parameter float (*m)[<variable>]
              parameter struct <unnamed> *s
              block
                variable float t
                  integer to floating : float
                    0 : int
                acc data copy(a[0:n], m[:n][0:n]) present(s->v[0:n])
                  block
                    acc parallel loop gang(num: 4) worker vector(32) reduction(max: t) collapse(2) if(n > 1)
                      for
                        variable int i
                          0 : int
                        binary < : int
                          load : int
                            i : int
                          load : int
                            n : int
                        PostIncrement : int
                          i : int
                        for
                          variable int j
                            0 : int
                          binary < : int
                            load : int
                              j : int
                            load : int
                              n : int
                          PostIncrement : int
                            j : int
                          assign : float
                            t : float
                            choose : float
                              binary > : int
                                load : float
                                  index : float
                                    array to pointer : float *
                                      index : float [<variable>]
                                        load : float (*)[<variable>]
                                          m : float (*)[<variable>]
                                        integer : long
                                          load : int
                                            i : int
                                    integer : long
                                      load : int
                                        j : int
                                load : float
                                  t : float
                              load : float
                                index : float
                                  array to pointer : float *
                                    index : float [<variable>]
                                      load : float (*)[<variable>]
                                        m : float (*)[<variable>]
                                      integer : long
                                        load : int
                                          i : int
                                  integer : long
                                    load : int
                                      j : int
                              load : float
                                t : float
                    acc update host(a[2:N-2])
                acc kernels default(present)
                  block
                    acc loop independent
                      for
                        variable int i
                          0 : int
                        binary < : int
                          load : int
                            i : int
                          load : int
                            n : int
                        PostIncrement : int
                          i : int
                        block
                          acc atomic update
                            assign += in float : float
                              index : float
                                load : float *
                                  a : float *
                                integer : long
                                  0 : int
                              integer to floating : float
                                1 : int
        "#]],
    );
}
