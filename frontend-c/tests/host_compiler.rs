//! The host compiler judges our types, layouts and constants: what we computed is written as static
//! assertions, which it must accept.

use std::fmt::Write;
use std::process::Command;

use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_frontend_c::tree::{DeclId, DeclKind, Initializer, ItemKind, TranslationUnit};
use gpuc_frontend_c::types::{Constant, Type};
use gpuc_frontend_c::{Families, read};

fn unit(text: &str) -> TranslationUnit {
    let (unit, diagnostics) = read(&Preprocessed::from_text(text, "t.c"), Families::default());
    let shown: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
    assert!(diagnostics.is_empty(), "{}", shown.join("\n"));
    unit
}

fn declared(unit: &TranslationUnit) -> Vec<DeclId> {
    let decls = unit.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Declaration(decls) => Some(decls.clone()),
        _ => None,
    });
    decls.flatten().collect()
}

fn variables(unit: &TranslationUnit) -> Vec<DeclId> {
    let is_variable = |&decl: &DeclId| matches!(unit.decls[decl].kind, DeclKind::Variable(_));
    declared(unit).into_iter().filter(is_variable).collect()
}

fn accepts(program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("judged.c");
    std::fs::write(&file, program).unwrap();
    let output = Command::new("cc").args(["-fsyntax-only", "-w"]).arg(&file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<_> = errors.lines().take(12).collect();
    assert!(output.status.success(), "{}", first.join("\n"));
}

const ARITHMETIC: &[&str] = &[
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "__int128",
    "unsigned __int128",
    "float",
    "double",
    "long double",
    "_Float32",
    "_Float64",
    "_Float32x",
    "_Float64x",
    "_Float128",
    "_Complex float",
    "_Complex double",
    "enum small",
    "enum negative",
    "enum large",
];

const PRELUDE: &str = "enum small { A, B }; enum negative { C = -1 }; enum large { D = 1ul << 40 };\n\
    struct bits { unsigned u3 : 3, u32 : 32; int i5 : 5; _Bool b : 1; unsigned long u20 : 20; } bits;\n\
    struct record { int member; } record, *records; const struct record fixed;\n\
    int function(int); int array[4][5]; const int constants[3]; void *any; const char *text;\n";

/// Checks that the host compiler gives each expression the type that we give it.
fn same_types(expressions: &[String]) {
    let mut program = PRELUDE.to_owned();
    for (index, ty) in ARITHMETIC.iter().enumerate() {
        let _ = writeln!(program, "{ty} v{index};");
    }
    let mut ours = program.clone();
    for (index, expression) in expressions.iter().enumerate() {
        let _ = writeln!(ours, "__typeof__({expression}) *subject{index};");
    }
    let unit = unit(&ours);
    let subjects = variables(&unit);
    let first = subjects.len() - expressions.len();
    for (expression, &decl) in expressions.iter().zip(&subjects[first..]) {
        let ty = unit.types.pointee(unit.decls[decl].ty).unwrap();
        let pointer = unit.types.declaration(ty, "(*)".to_owned(), &unit.symbols);
        let _ = writeln!(
            program,
            "_Static_assert(__builtin_types_compatible_p(__typeof__({expression}) *, {pointer}), {:?});",
            expression.replace('"', "'")
        );
    }
    accepts(&program);
}

#[test]
fn types_of_arithmetic() {
    let mut expressions = Vec::new();
    for a in 0..ARITHMETIC.len() {
        for op in ["+", "-", "!"] {
            expressions.push(format!("{op}v{a}"));
        }
        for b in 0..ARITHMETIC.len() {
            expressions.push(format!("v{a} * v{b}"));
            expressions.push(format!("1 ? v{a} : v{b}"));
            let integers = |i: usize| !(14..24).contains(&i);
            if integers(a) && integers(b) {
                expressions.push(format!("v{a} << v{b}"));
                expressions.push(format!("v{a} & v{b}"));
            }
            if a < 22 && b < 22 {
                expressions.push(format!("v{a} < v{b}"));
            }
            expressions.push(format!("v{a} = v{b}"));
        }
    }
    same_types(&expressions);
}

#[test]
fn types_of_other_expressions() {
    let expressions: Vec<String> = [
        "bits.u3 + 0",
        "+bits.u32",
        "+bits.i5",
        "+bits.b",
        "bits.u3 << 1u",
        "1 ? bits.u3 : bits.u32",
        "record",
        "record.member",
        "&record.member",
        "records->member",
        "&fixed.member",
        "function",
        "&function",
        "function(1)",
        "*function",
        "array",
        "&array",
        "array[1]",
        "*array",
        "&array[1]",
        "array + 1",
        "constants",
        "&constants[1]",
        "any",
        "text",
        "*text",
        "&text[2]",
        "1 ? any : text",
        "1 ? 0 : text",
        "1 ? (void *)0 : text",
        "1 ? &record : 0",
        "1 ? array : 0",
        "text - text",
        "text + 1ul",
        "1 + text",
        "sizeof(int)",
        "_Alignof(int)",
        "\"abc\"",
        "L\"abc\"",
        "'a'",
        "L'a'",
        "u'a'",
        "U'a'",
        "1",
        "1u",
        "1l",
        "1ull",
        "0x80000000",
        "2147483648",
        "0xffffffffffffffff",
        "1.0",
        "1.0f",
        "1.0L",
        "1.0f128",
        "(char)1",
        "(1, 2.0)",
        "(struct record){1}",
        "(int[]){1, 2}",
        "record.member += 2.0",
        "_Generic(text, const char *: 1.0f, default: 1)",
        "__builtin_popcountl(1)",
        "__builtin_expect(1, 2)",
        "__builtin_fabsf(1)",
        "__builtin_huge_val()",
        "A",
        "C",
        "D",
        "__real__ v23",
        "__imag__ v22",
        "!text",
        "text && any",
        "records++",
        "--records",
        "__builtin_choose_expr(1, 2.0, 3)",
        "(const int)1",
        "v1++",
        "~v1",
        "v6 ?: v15",
        "*&array",
        "&*text",
        "(array)",
        "(function)",
    ]
    .iter()
    .map(|e| (*e).to_owned())
    .collect();
    same_types(&expressions);
}

#[test]
fn layouts() {
    let bodies = [
        ("struct", "char a; int b; char c;", "", vec!["a", "b", "c"]),
        ("struct", "char a; double b; short c[3];", "", vec!["a", "b", "c"]),
        ("struct", "long double a; char b; _Float128 c; __int128 d;", "", vec!["a", "b", "c", "d"]),
        ("union", "char a[5]; int b; double c;", "", vec!["a", "b", "c"]),
        ("struct", "char a; struct { short x; int y; }; char z;", "", vec!["a", "x", "y", "z"]),
        ("struct", "int n; float data[];", "", vec!["n", "data"]),
        ("struct", "char a; int b; double c;", "__attribute__((packed))", vec!["a", "b", "c"]),
        ("struct", "char a; int b __attribute__((aligned(16))); char c;", "", vec!["a", "b", "c"]),
        ("struct", "char a; int b __attribute__((packed)); short c;", "", vec!["a", "b", "c"]),
        ("struct", "char a;", "__attribute__((aligned(32)))", vec!["a"]),
        ("struct", "char a; _Alignas(8) char b;", "", vec!["a", "b"]),
        (
            "struct",
            "int a : 3; int b : 30; char c; short d : 9; long e : 40; char f;",
            "",
            vec!["c", "f"],
        ),
        ("struct", "char a; int : 0; char b; int c : 5; int : 4; char d;", "", vec!["a", "b", "d"]),
        ("struct", "char a; int b : 31; char c : 2; _Bool d : 1; short e;", "", vec!["a", "e"]),
        ("struct", "char a : 4; int b : 31; char c;", "__attribute__((packed))", vec!["c"]),
        ("union", "int a : 3; char b; long c : 33;", "", vec!["b"]),
        ("struct", "long a : 33; long b : 33; int c;", "", vec!["c"]),
        ("struct", "char a; long : 40; char b;", "", vec!["a", "b"]),
        ("struct", "char a; void *b; int (*c)(void); enum { X1 } d;", "", vec!["a", "b", "c", "d"]),
        ("struct", "_Complex float a; char b; _Complex double c;", "", vec!["a", "b", "c"]),
        (
            "struct",
            "char a; float b __attribute__((vector_size(16))); char c;",
            "",
            vec!["a", "b", "c"],
        ),
        ("struct", "char a[0]; int b[2][3]; _Bool c;", "", vec!["a", "b", "c"]),
    ];
    let mut text = String::new();
    for (index, (word, members, attributes, _)) in bodies.iter().enumerate() {
        for (prefix, pack) in [("n", ""), ("p", "#pragma pack(push, 2)\n")] {
            if !pack.is_empty() && members.contains(" : ") && attributes.contains("packed") {
                continue;
            }
            let _ = writeln!(text, "{pack}{word} {prefix}{index} {{ {members} }} {attributes};");
            if !pack.is_empty() {
                text.push_str("#pragma pack(pop)\n");
            }
            text = text.replace("X1", &format!("X_{index}{prefix}"));
            let _ = writeln!(text, "{word} {prefix}{index} object_{prefix}{index};");
        }
    }
    let unit = unit(&text);
    let mut program = text.clone();
    for decl in variables(&unit) {
        let ty = unit.decls[decl].ty;
        let layout = unit.types.layout(ty).unwrap();
        let (shown, size, align) = (unit.display(ty), layout.size, layout.align);
        let _ = writeln!(program, "_Static_assert(sizeof({shown}) == {size}, \"{shown}\");");
        let _ = writeln!(program, "_Static_assert(_Alignof({shown}) == {align}, \"{shown}\");");
        let number: usize = unit.name(decl)["object_n".len()..].parse().unwrap();
        let record = unit.types.as_record(ty).unwrap();
        for name in &bodies[number].3 {
            let symbol = unit.symbols.find(name).unwrap();
            let mut at = record;
            let mut offset = 0;
            for step in unit.types.find_field(record, symbol).unwrap() {
                let field = &unit.types.record(at).fields[step as usize];
                offset += field.offset;
                at = unit.types.as_record(field.ty).unwrap_or(at);
            }
            let _ = writeln!(
                program,
                "_Static_assert(__builtin_offsetof({shown}, {name}) == {offset}, \"{shown}.{name}\");"
            );
        }
    }
    accepts(&program);
}

/// The bits that a store to each bit-field sets, ours against the host's at run time.
#[test]
fn bit_fields() {
    let text = "struct a { int a : 3; unsigned b : 30; long c : 40; _Bool d : 1; char e : 7; };\n\
        struct __attribute__((packed)) b { char a : 4; int b : 31; long c : 63; short d : 9; };\n\
        struct c { char x; int a : 5; int : 0; int b : 6; unsigned long c : 50; };\n\
        union d { int a : 5; unsigned long b : 60; };\n\
        struct a v0; struct b v1; struct c v2; union d v3;\n";
    let unit = unit(text);
    let mut program =
        format!("#include <string.h>\n{text}int main(void) {{ unsigned char want[64];\n");
    for decl in variables(&unit) {
        let ty = unit.decls[decl].ty;
        let record = unit.types.record(unit.types.as_record(ty).unwrap());
        let (name, size) = (unit.name(decl), unit.types.size_of(ty).unwrap());
        for field in record.fields.iter().filter(|f| f.bits.is_some()) {
            let bits = field.bits.unwrap();
            let start = field.offset * 8 + u64::from(bits.offset);
            let member = unit.text(field.name.unwrap());
            let _ = writeln!(
                program,
                "memset(&{name}, 0, {size}); memset(want, 0, 64); {name}.{member} = -1;\n\
                 for (unsigned i = {start}; i < {start} + {}; i++) want[i / 8] |= 1 << i % 8;\n\
                 if (memcmp(want, &{name}, {size})) return {};",
                bits.width,
                start + 1
            );
        }
    }
    program.push_str("return 0; }\n");
    let folder = tempfile::tempdir().unwrap();
    let (file, binary) = (folder.path().join("bits.c"), folder.path().join("bits"));
    std::fs::write(&file, &program).unwrap();
    let built = Command::new("cc").arg("-w").arg(&file).arg("-o").arg(&binary).status().unwrap();
    assert!(built.success());
    assert_eq!(Command::new(&binary).status().unwrap().code(), Some(0), "{program}");
}

#[test]
fn constants() {
    let expressions = [
        "1 + 2 * 3 - 4 / 3 % 5",
        "-1 < 0u",
        "(unsigned char)300",
        "(signed char)200",
        "~0u >> 4",
        "-7 / 2",
        "-7 % 2",
        "1 << 30",
        "(long)1 << 40",
        "0xffffffff + 1",
        "0xffffffffu + 1",
        "(_Bool)0.5",
        "(int)2.9",
        "(int)-2.9",
        "(int)(0.1f * 10)",
        "1 ? 2 : 3",
        "0 ? 2 : 3",
        "0 && 1 / 0",
        "1 || 1 / 0",
        "sizeof(int[3][4])",
        "sizeof \"abc\"",
        "'a' + 1",
        "(char)0x80 < 0",
        "(unsigned short)-1",
        "-1 >> 1",
        "(1ull << 63) >> 3",
        "5 == 5.0",
        "!3",
        "!0.0",
        "+(-3)",
        "(long long)1e15",
        "(float)16777217 == 16777216",
        "'\\377'",
        "0.1f + 0.2f == 0.3f",
        "0.1 + 0.2 == 0.3",
        "1.0 / 3 * 3 == 1",
        "(unsigned)1e9 * 5u",
        "_Alignof(double)",
        "(long)&((struct s { char c; int i[4]; } *)0)->i[2]",
        "18446744073709551615u % 1000",
        "0x1.8p1 == 3",
        "1 ? -1 : 0u",
        "(1 ? -1 : 0u) > 0",
        "sizeof(1 ? (char)1 : (char)2)",
    ];
    let mut text = String::new();
    for (index, expression) in expressions.iter().enumerate() {
        let _ = writeln!(text, "long long c{index} = {expression};");
    }
    let unit = unit(&text);
    let mut program = String::new();
    for (expression, &decl) in expressions.iter().zip(&variables(&unit)) {
        let DeclKind::Variable(variable) = &unit.decls[decl].kind else { continue };
        let Some(Initializer::Value(value)) = &variable.init else { continue };
        let Some(Constant::Int(value)) = unit.constant(*value) else {
            panic!("not constant: {expression}");
        };
        assert_eq!(unit.decls[decl].ty, Type::LLONG);
        let name = expression.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(
            program,
            "_Static_assert((long long)({expression}) == {value}ll, \"{name} is {value}\");"
        );
    }
    accepts(&program);
}
