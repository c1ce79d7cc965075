//! Through the system preprocessor: pragmas out of macros, macros in pragmas, exact places.

use std::fs;

use gpuc_frontend_c::{Families, preprocess, read, tree};

/// Preprocesses and reads `program`; the diagnostics and the dumped directives.
fn lines(program: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.c");
    fs::write(&file, program).unwrap();
    let options = preprocess::Options::new(&file);
    let text = preprocess::run(&options).unwrap();
    let (unit, diagnostics) = read(&text, options.families);
    let prefix = format!("{}:", file.display());
    let messages = diagnostics.iter().map(|d| d.to_string().replace(&prefix, ""));
    let dump = tree::dump(&unit);
    let directives = dump.lines().filter(|l| l.trim_start().starts_with("acc "));
    messages.chain(directives.map(|l| l.trim().to_owned())).collect()
}

#[test]
fn macros_and_pragmas() {
    for (program, expected) in [
        (
            "#define N 5\nvoid f(int *a) {\n#pragma acc update host(a[0:N])\n}",
            "acc update host(a[0:5])",
        ),
        (
            "#define N 5\n#define ALL(x) x[0:N]\nvoid f(int *a) {\n#pragma acc update self(ALL(a))\n}",
            "acc update self(a[0:5])",
        ),
        (
            "#define UP _Pragma(\"acc update self(a[0:2])\")\nvoid f(int *a) { UP }",
            "acc update self(a[0:2])",
        ),
        (
            "void f(int *a) { _Pragma(\"acc update device(a[0:2])\") a++; }",
            "acc update device(a[0:2])",
        ),
        (
            "void f(int *a) {\n#pragma acc update \\\n  device(a[0:2]) \\\n\n}",
            "acc update device(a[0:2])",
        ),
        // The preprocessor expands nothing behind a word it does not know.
        (
            "#define UP update\n#define N 4\nvoid f(int *a) {\n#pragma acc UP host(a[0:N])\n}",
            "acc update host(a[0:4])",
        ),
        (
            "#define n (n+1)\nvoid f(int *a, int n2) {\n#undef n\n#define m (n2 + 1)\n#pragma acc update host(a[0:m])\n}",
            "acc update host(a[0:(n2 + 1)])",
        ),
    ] {
        let found = lines(program);
        let squeeze = |s: &str| s.replace(' ', "");
        assert_eq!(found.len(), 1, "{program}: {found:?}");
        assert_eq!(squeeze(&found[0]), squeeze(expected), "{program}");
    }
}

#[test]
fn places_are_the_users() {
    for (program, expected) in [
        ("void f(int *a) {\n#pragma   acc  updat   host(a)\n}", "2:16"),
        ("void f(int *a) {\n#pragma acc update \\\n     \t hst(a[0:1])\n}", "3:8"),
        ("#define N 3\nvoid f(int *a) {\n  a[N]   =  b; }", "3:13"),
        ("#define BAD(x) x = zzz\nvoid f(int *a) {\n  ; BAD(*a); }", "3:5"),
        ("void f(int *a) { ;   _Pragma(\"acc   nothing\") }", "1:37"),
        ("#include <stdbool.h>\nvoid f(int *a) { bool ok   = true; q(ok) = 1; zz; }", "2:47"),
    ] {
        let found = lines(program);
        let error = found.iter().find(|m| m.contains("error") && !m.contains("object"));
        let error = error.unwrap_or_else(|| panic!("{program}: {found:?}"));
        assert!(error.starts_with(&format!("{expected}:")), "{program}: {found:?}");
    }
}

#[test]
fn other_families_stay_the_host_compilers() {
    let program = "void f(int *a) {\n#pragma omp parallel for\nfor (int i = 0; i < 3; i++) a[i] = \n\
                   #pragma GCC diagnostic push\n i;\n#pragma acc update bogus\n}";
    let text = preprocess::Preprocessed::from_text(program, "p.c");
    let (unit, diagnostics) = read(&text, Families { openacc: false, ..Families::default() });
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(unit.pragmas.len(), 3);
}
