//! The headers of this system and programs of many forms parse and type-check whole.

use std::fs;

use gpuc_frontend_c::{Families, preprocess, read};

const HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "math.h",
    "omp.h",
    "openacc.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/stat.h",
    "sys/time.h",
    "sys/types.h",
    "tgmath.h",
    "time.h",
    "unistd.h",
    "wchar.h",
];

fn errors(program: &str, args: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    fs::write(&file, program).unwrap();
    let mut options = preprocess::Options::new(&file);
    options.args = args.iter().map(Into::into).collect();
    let text = preprocess::run(&options).unwrap();
    let (_, diagnostics) = read(&text, options.families);
    diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn all_headers_together() {
    let includes: String = HEADERS.iter().map(|h| format!("#include <{h}>\n")).collect();
    let program = includes + "int main(void) { return 0; }\n";
    for args in [
        &[][..],
        &["-O2", "-D_GNU_SOURCE"],
        &["-O2", "-D_GNU_SOURCE", "-D_FORTIFY_SOURCE=2"],
        &["-std=c99"],
        &["-std=c11", "-D_POSIX_C_SOURCE=200809L"],
        &["-std=gnu2x", "-O3", "-march=native"],
        &["-D__STDC_WANT_IEC_60559_TYPES_EXT__", "-D__STDC_WANT_IEC_60559_BFP_EXT__"],
    ] {
        let found = errors(&program, args);
        assert!(found.is_empty(), "{args:?}: {}", found.join("\n"));
    }
}

#[test]
fn what_their_macros_make() {
    let program = r#"
        #include <assert.h>
        #include <complex.h>
        #include <errno.h>
        #include <float.h>
        #include <math.h>
        #include <pthread.h>
        #include <stdarg.h>
        #include <stdatomic.h>
        #include <stdbool.h>
        #include <stddef.h>
        #include <stdio.h>
        #include <tgmath.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        struct pair { char tag; double value; };
        static int total(int count, ...) {
            va_list list;
            va_start(list, count);
            int sum = 0;
            while (count--) sum += va_arg(list, int);
            va_end(list);
            return sum;
        }
        int main(void) {
            assert(offsetof(struct pair, value) == 8);
            errno = 0;
            bool odd = isnan(NAN) || isinf(INFINITY) || signbit(-0.0) || isfinite(HUGE_VAL);
            double complex z = 1.0 + 2.0 * I;
            float single = sqrt(2.0f) + fmax(FLT_MAX, 1.0f);
            atomic_int counter = ATOMIC_VAR_INIT(0);
            atomic_fetch_add(&counter, 1);
            fprintf(stderr, "%d %f %p\n", total(2, 1, 2), creal(z) + single, (void *)&lock);
            return odd ? fpclassify(1.0) : EOF;
        }
    "#;
    for args in [&[][..], &["-O2", "-D_GNU_SOURCE", "-D_FORTIFY_SOURCE=2"]] {
        let found = errors(program, args);
        assert!(found.is_empty(), "{args:?}: {}", found.join("\n"));
    }
}

#[test]
fn programs() {
    for program in ["declarations.c", "extensions.c"] {
        let file = format!("{}/tests/programs/{program}", env!("CARGO_MANIFEST_DIR"));
        let text = preprocess::run(&preprocess::Options::new(file)).unwrap();
        let (_, found) = read(&text, Families { openacc: true, ..Families::default() });
        let found: Vec<_> =
            found.iter().filter(|d| d.is_error()).map(ToString::to_string).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
