//! The compiler's own preprocessor is the judge: what is preprocessed here has to be its text, byte for byte.

use std::path::Path;

use gpuc_cache::Cache;

use super::super::{Options, by_the_compiler};
use super::preprocess;

/// The text from the first line of the source on.
fn body(text: &[u8], name: &str) -> Vec<u8> {
    let marker = format!("# 1 \"{name}\"\n");
    let at = text.windows(marker.len()).position(|window| window == marker.as_bytes());
    text[at.unwrap_or(0)..].to_vec()
}

/// Whether it is preprocessed here, which has to give what the compiler gives.
fn is_same(file: &Path, args: &[&str], answers: &Path) -> bool {
    let mut options = Options::new(file);
    options.args = args.iter().map(Into::into).collect();
    options.answers = Some(Cache::new(answers.to_owned(), 1 << 20));
    // Which files there are is told, too.
    let written = answers.with_extension("d");
    options.dependencies = ["-MD", "-MP", "-MF"].map(Into::into).to_vec();
    options.dependencies.push(written.clone().into());
    let Some(here) = preprocess(&options) else { return false };
    let dependencies = std::fs::read_to_string(&written).unwrap();
    let name = file.to_str().unwrap();
    let there = by_the_compiler(&options).unwrap_or_else(|errors| panic!("{name}: {errors:?}")).0;
    assert_eq!(dependencies, std::fs::read_to_string(&written).unwrap(), "{name}");
    let (here, there) = (body(&here, name), body(&there, name));
    let differs = here
        .split(|&byte| byte == b'\n')
        .zip(there.split(|&byte| byte == b'\n'))
        .position(|(here, there)| here != there);
    if let Some(line) = differs {
        let shown = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            text.lines().skip(line.saturating_sub(3)).take(7).collect::<Vec<_>>().join("\n")
        };
        panic!("{name}, line {line} of the text: here\n{}\nthere\n{}", shown(&here), shown(&there));
    }
    assert_eq!(here.len(), there.len(), "{name}");
    true
}

/// Whether a text is preprocessed here, and to the same as by the compiler.
fn text_is_same(text: &str, args: &[&str]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.c");
    std::fs::write(&file, text).unwrap();
    std::fs::write(
        folder.path().join("own.h"),
        "#pragma once\n#define OWN(x) own_ ## x\nint own;\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("guarded.h"),
        "/* by hand */\n#if !defined (GUARDED)\n#define GUARDED\nint guarded;\n#endif // GUARDED\n",
    )
    .unwrap();
    is_same(&file, args, &folder.path().join("answers"))
}

/// Whether the compiler of this machine answers: one that is not GCC preprocesses itself.
fn is_gcc() -> bool {
    let answers = text_is_same("int x;\n", &[]);
    if !answers {
        println!("skipped: `cc` is not GCC itself");
    }
    answers
}

#[test]
fn what_is_left_to_the_compiler() {
    if !is_gcc() {
        return;
    }
    let is_left = |text: &str| assert!(!text_is_same(text, &[]), "{text}");
    // It warns of the quote.
    is_left("#if 0\nit's\n#endif\nint x;\n");
    is_left("#if 0\n#elifdef X\nint x;\n#else\nint y;\n#endif\n");
    is_left("#define M(x) x, __LINE__\nint a[] = { M(\n__LINE__\n) };\n");
    assert!(text_is_same("#define M(x) x, __LINE__\nint a[] = { M(__LINE__), M(\n1) };\n", &[]));
}

#[test]
fn the_repositorys_programs() {
    if !is_gcc() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let answers = tempfile::tempdir().unwrap();
    let (mut here, mut all) = (0, 0);
    for folder in ["examples", "tests/programs", "tests/openacc"] {
        for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "c") {
                all += 1;
                here += usize::from(is_same(&path, &["-O2"], answers.path()));
            }
        }
    }
    assert!(here * 10 > all * 9, "{here} of {all}");
}

#[test]
fn macros() {
    if !is_gcc() {
        return;
    }
    let text = r#"#define EMPTY
#define OBJECT 1 + OBJECT
#define ONE(x) <x>
#define TWO(a, b) a##b #a # b [a|b]
#define ANY(first, ...) f(first, ## __VA_ARGS__) g(__VA_ARGS__)
#define NAMED(args...) h(0 , ##args)
#define NONE() none
#define TEXT(...) #__VA_ARGS__ EMPTY
#define LATER ONE
#define MINUS -
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a ## b
EMPTY OBJECT EMPTY ; ONE() ONE( ) ONE( a  b ) ONE ( (x, y) ) ONE
(q) ONE ; LATER (5) NONE() NONE ( ) NONE
-MINUS -MINUS- +MINUS EMPTY- x EMPTY(y) x ONE(-)- .ONE(.5)
TWO(x, y) TWO(, y) TWO( a b , ) TWO(OBJECT, ) TEXT("s\n" '\0',  ONE ( x ) "\"") TEXT() TEXT(OBJECT+ONE(3))
ANY(1) ANY(1,) ANY(1, 2, 3) NAMED() NAMED(a, b) CAT(OB, JECT) CAT(ON, E)(z) CAT(, ) CAT(1, e5)
#undef ONE
ONE(1)   ,  y	z
int a = __LINE__ , b = TWO(__LINE__,
   2) , c = ONE
  ; const char *f = __FILE__; __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__
	/* over
	   two */ int later; /* and
     again */ int last; // words
x \
  y = \
3;
%d ? @ $a a$b ` 1.5e+3-2 0x1p-3+1 ... .. a->b a- >b '\'' "\"" L"w" L'w' u8"x"
"#;
    assert!(text_is_same(text, &[]));
    assert!(text_is_same(text, &["-std=c11"]));
    assert!(text_is_same("#define F(x) x\nint a = F(1\n+2)\n; F\n#define B\n(3)\n", &[]));
}

#[test]
fn conditions_and_headers() {
    if !is_gcc() {
        return;
    }
    let text = r#"#include "own.h"
#include "own.h"
#include "guarded.h"
#include "guarded.h"
#include <stdio.h>
#include <math.h>
# /* nothing */
#if defined X || !defined(GUARDED)
#error no
#elif X + 1 > 0 && (2 ** 0 , 1)
#endif
#if 0
don't " /* stop'
# nonsense
#elif __has_include("own.h") && !__has_include(<nowhere.h>) && __has_include(<stdio.h>)
#ifdef Y
#else
found OWN(x) NULL stderr
#endif
#else
lost
#endif
#if (-1 > 0u) == 1 || 1 ? 2 : 1 / 0
yes
#endif
#if 'a' == 97 && 0x10 == 020 && 7 % 4 << 2 == 12 && ~0 == -1 && !(3 & 4) && (1 ^ 3 | 4) == 6
yes
#endif
#if __has_attribute(__noinline__) && !__has_attribute(nobodys) && __has_builtin(__builtin_expect)
yes
#endif
"#;
    // What is not right is left to the compiler.
    assert!(!text_is_same(text, &[]));
    let text = text.replace(" && (2 ** 0 , 1)", "").replace("(-1 > 0u) == 1 || ", "");
    assert!(text_is_same(&text, &["-O2", "-DY", "-UY"]));
}

#[test]
fn raw_strings() {
    if !is_gcc() {
        return;
    }
    let text = "#define TEXT(x) #x x\n#define R_ R\"(of a macro \\)\"\n\
                const char *s[] = { R\"(a\\n\" // b)\", TEXT(R\"x(c\")\\)x\" ), u8R\"(d)\"\"e\" R_,R\"()\" };\n";
    assert!(text_is_same(text, &[]));
    assert!(text_is_same(text, &["-std=gnu99"]));
    // To a strict standard it is a name and a string. What goes over lines is the compiler's.
    assert!(!text_is_same("char s[] = R\"(a)\";\n", &["-std=c11"]));
    for text in ["char s[] = R\"(a\nb)\";\n", "char s[] = R\"(a\\\nb)\";\n"] {
        assert!(!text_is_same(text, &[]), "{text}");
    }
}

#[test]
fn pragmas() {
    if !is_gcc() {
        return;
    }
    let text = r#"#define N 10
#define loops gang
#pragma acc parallel loop num_gangs(N) \
    loops copy(a[0:N])
for (;;) ;
  #  pragma   acc   data   copy ( a )
{ }
#pragma acc init device_num(N)
#pragma pack(push, N)
#pragma STDC FP_CONTRACT ON
#pragma GCC diagnostic push
#pragma hmpp <N> group
int x;
"#;
    assert!(text_is_same(text, &[]));
}

/// A header that is found by another way is another file, guard or not; one of the system's has its shortest name.
#[test]
fn files_by_several_ways() {
    if !is_gcc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("a/very/long/way")).unwrap();
    std::fs::create_dir(path("sys")).unwrap();
    let guarded = |name: &str, rest: &str| {
        format!("#ifndef {name}_H\n#define {name}_H\nint {name};\n{rest}#endif\n")
    };
    for (name, text) in [
        ("t.c", "#include \"one.h\"\n#include \"a/two.h\"\n#include <one.h>\n#include \"one.h\"\n\
                 #include <three.h>\n#include \"three.h\"\n#include <sys.h>\n#include \"a/../one.h\"\n\
                 #include \"t.c\"\n#include <limits.h>\n#include <stdc-predef.h>\nint last;\n".to_owned()),
        ("one.h", guarded("one", "")),
        ("three.h", guarded("three", "#include_next <three.h>\n")),
        ("a/two.h", guarded("two", "#include \"one.h\"\n#include <one.h>\n")),
        ("a/three.h", guarded("three_of_a", "#include \"three.h\"\n")),
        ("sys/sys.h", guarded("sys", "#include \"beside.h\"\n#include <beside.h>\n")),
        ("sys/beside.h", guarded("beside", "")),
    ] {
        let once = text.replace("#include \"t.c\"\n", "");
        let text = if name == "t.c" { format!("#ifndef TWICE\n#define TWICE\n{text}#else\n{once}#endif\n") } else { text };
        std::fs::write(path(name), text).unwrap();
    }
    let at = |option: &str, name: &str| format!("{option}{}", path(name).display());
    let long = at("-isystem", "a/very/long/way/../../../../sys");
    for args in [
        vec![at("-I", ""), at("-I", "a"), long.clone()],
        vec![at("-iquote", "a"), at("-I", ""), at("-idirafter", "sys"), at("-I", "a")],
        vec![at("-I", "a"), at("-isystem", ""), at("-isystem", "sys")],
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        assert!(is_same(&path("t.c"), &args, &path("answers")), "{args:?}");
    }
}

/// What the compiler warns of or refuses, and what is written in a way that is not read here.
#[test]
fn the_compiler_has_the_rest() {
    for text in [
        "#error no\n",
        "#warning so\n",
        "#line 5\n",
        "#include \"nowhere.h\"\n",
        "#include HEADER\n",
        "#define A 1\n#define A 2\n",
        "#if 1\n",
        "#endif\n",
        "#if 1\n#endif x\n",
        "#if 1 +\n#endif\n",
        "#if 1 / 0\n#endif\n",
        "#define F(x) x\nF(1\n",
        "#define F(x, y) x\nF(1)\n",
        "#define C(x) - ## x\nC(y)\n",
        "const char *d = __DATE__;\n",
        "_Pragma(\"acc data\")\n",
        "#pragma omp parallel for\n",
        "#pragma GCC poison x\n",
        "#pragma push_macro(\"x\")\n",
        "/* /* */\n",
        "// a \\\n b\n",
        "int a ??( 1 ??);\n",
        "char c = 'x;\n",
        "int \u{e4};\n",
        "%:define A\n",
        "#define V(...) __VA_OPT__(x)\n",
    ] {
        assert!(!text_is_same(text, &[]), "{text}");
    }
    for option in [
        "-Wundef",
        "-Werror=undef",
        "-include own.h",
        "-pedantic",
        "-ansi",
        "-std=c90",
        "-trigraphs",
        "-MD",
    ] {
        let words: Vec<&str> = option.split(' ').collect();
        assert!(!text_is_same("int x;\n", &words), "{option}");
    }
}

#[test]
fn answers_are_kept_as_long_as_they_are_good() {
    if !is_gcc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let answers = folder.path().join("answers");
    let file = folder.path().join("t.c");
    std::fs::write(&file, "#include <h.h>\n").unwrap();
    let late = folder.path().join("late");
    let include = format!("-I{}", late.display());
    let args = [&*include, "-DA=1"];
    // A header that is not there is an error, which the compiler has to say.
    let there = |args: &[&str]| {
        let mut options = Options::new(&file);
        options.args = args.iter().map(Into::into).collect();
        options.answers = Some(Cache::new(answers.clone(), 1 << 20));
        preprocess(&options).map(|text| String::from_utf8(text).unwrap())
    };
    assert!(there(&args).is_none());
    assert_eq!(std::fs::read_dir(&answers).unwrap().count(), 1);
    std::fs::create_dir(&late).unwrap();
    std::fs::write(late.join("h.h"), "int h = A;\n").unwrap();
    assert!(there(&args).unwrap().contains("int h = 1;"));
    assert!(there(&[&include, "-DA=2"]).unwrap().contains("int h = 2;"));
    assert_eq!(std::fs::read_dir(&answers).unwrap().count(), 2);
    // Half of a file is none.
    for entry in std::fs::read_dir(&answers).unwrap() {
        std::fs::write(entry.unwrap().path(), "half").unwrap();
    }
    assert!(there(&args).unwrap().contains("int h = 1;"));
}
