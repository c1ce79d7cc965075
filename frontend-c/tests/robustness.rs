//! No text makes the reader panic, overflow the stack or run away.

use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_frontend_c::{Families, lex, read, tree};
use proptest::prelude::*;

/// Reads `text` and walks everything that comes of it.
fn survives(text: &[u8]) -> Vec<String> {
    let families = Families { openacc: true, openmp: true, hmpp: true, jolokia: true };
    let (unit, diagnostics) = read(&Preprocessed::from_text(text, "fuzz.c"), families);
    let _ = tree::dump(&unit);
    let _ = lex::dump(&lex::lex(text.into(), "fuzz.c", families));
    diagnostics.iter().map(ToString::to_string).collect()
}

const SAMPLE: &str = r#"# 1 "sample.c"
#define N 16
#define PAIR(a, b) a, b
# 1 "/usr/include/x.h" 1 3 4
typedef struct node { struct node *next; union { int i; float f; }; unsigned b : 3; } node;
extern int omp_get_thread_num(void);
extern int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
# 9 "sample.c" 2
enum color { RED, GREEN = 5, BLUE } shade = GREEN;
static const float table[] = { [2] = 1.5f, 2e3, [5 ... 7] = -1 }, *cursor = &table[1];
int (*handlers[2])(int, char **) = { 0 };
node list = { .next = &list, { .f = 2 }, 3 };
float trace(int n, float m[n][n], float *restrict v) {
  float sum = 0;
#pragma acc data copyin(m[0:n][0:n]) copy(v[:n])
  {
#pragma acc parallel loop gang vector_length(128) reduction(+:sum) private(n) collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; ++j) { sum += m[i][j] * v[j]; }
#pragma acc update host(v[0:N]) if(n > 3)
#pragma acc foo(PAIR(v, sum))
  }
#pragma omp target teams distribute parallel for map(always, tofrom: v[0:n]) defaultmap(tofrom: scalar) num_threads(8)
  for (int i = 0; i < n; i++) v[i] += omp_get_thread_num();
#pragma omp target map(to: m[:n]) if(target: n > 1)
#pragma omp parallel firstprivate(n)
  { int own = n; v[omp_get_thread_num()] = own;
#pragma omp for collapse(1) lastprivate(sum)
    for (int i = 0; i < n; i++) { sum = v[i] + own; } }
  switch (n) { case 1 ... 3: break; default: goto out; }
out: return sizeof(float[n]) + (n ?: 1) + ({ node l = list; l.f; });
}
#pragma hmpp <grp> lab codelet, target=CUDA:OPENCL, args[a; 0-1].io=inout, args[a].size={n, N}, &
#pragma hmpp & args[a].transfer=atfirstcall
void lab(int n, float *a) {
#pragma hmppcg grid blocksize "32x8"
#pragma hmppcg gridify(i), private(n), reduce(+: n)
  for (int i = 0; i < n; i++) a[i] += 1;
}
static void step(int n, float *a) {
#pragma jolokia independent
  for (int i = 0; i < n; i++) a[i] += 1;
}
int main(int argc, char **argv) {
  float jolokia[8];
#pragma jolokia gpuIn(jolokia) gpuOut(jolokia) tile(32, 8, 1) scratchpad(jolokia, 16, 16, 1) nowait
  step(8, jolokia);
#pragma hmpp <grp> lab advancedload, args[a, ::table], hostdata="table", section={0..argc-1}
#pragma hmpp <grp> lab callsite, args[a].advancedload=true, asynchronous, cond="argc > 1"
  lab(argc, 0);
  do { argc >>= 1; } while (argc && argv[argc] != 0);
  return _Generic(argc, int: printf("%d\n", (int)trace(argc, 0, (float[]){1, 2})), default: 1);
}
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survives(&bytes);
    }

    #[test]
    fn words_of_the_language(words in proptest::collection::vec(prop::sample::select(vec![
        "int", "float", "struct", "enum", "typedef", "a", "b", "S", "*", "(", ")", "[", "]", "{", "}",
        ";", ",", ".", "->", "=", "+", "?", ":", "1", "2.5f", "\"s\"", "'c'", "if", "else", "for",
        "while", "do", "switch", "case", "default", "return", "goto", "break", "sizeof", "_Generic",
        "__attribute__((aligned(8)))", "__extension__", "typeof", "static", "const", "&", "&&", "...",
        "\n#pragma acc parallel loop copy(a[0:2])\n", "\n#pragma acc data create(b)\n",
        "\n#pragma acc loop collapse(2)\n", "\n#pragma pack(push,1)\n", "\n#define a a(a\n",
        "\n#pragma omp target\n", "\n#pragma omp parallel\n", "\n#pragma omp for\n", "\n#pragma omp barrier\n",
        "\n#pragma omp teams distribute parallel for reduction(+:a)\n", "\n#pragma omp declare target\n",
        "\n#pragma omp end declare target\n", "\n#pragma omp target data map(a) use_device_ptr(b)\n",
        "omp_get_thread_num()", "\n#pragma acc foo(a, b)\n", "__builtin_offsetof", "__builtin_va_arg", "asm", "auto",
        "_Static_assert", "union", "-", "~", "++", "<<", "void",
    ]), 0..60)) {
        survives(words.join(" ").as_bytes());
    }

    #[test]
    fn mutations(
        edits in proptest::collection::vec((0..SAMPLE.len(), 0..40usize, 0..SAMPLE.len()), 1..6)
    ) {
        let mut text = SAMPLE.as_bytes().to_vec();
        for (at, length, from) in edits {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            let piece = SAMPLE.as_bytes()[from..(from + length / 2).min(SAMPLE.len())].to_vec();
            text.splice(at..end, piece);
        }
        survives(&text);
    }
}

#[test]
fn the_sample_itself_is_read() {
    let found = survives(SAMPLE.as_bytes());
    assert_eq!(found, ["sample.c:21:13: error: `foo` is not a directive of OpenACC [GPUC0001]"]);
}

#[test]
fn deep_nesting_is_refused() {
    let deep = 50_000;
    for (before, open, middle, close, after) in [
        ("int a = ", "(", "1", ")", ";"),
        ("int a = ", "-", "1", "", ";"),
        ("int a = ", "(int)", "1", "", ";"),
        ("int a = ", "1 ? ", "1", ": 2", ";"),
        ("int a; int b = ", "a = ", "1", "", ";"),
        ("int a = ", "sizeof ", "1", "", ";"),
        ("int a = ", "sizeof(int[", "1", "])", ";"),
        ("int a[] = ", "{", "1", "}", ";"),
        ("int f(int); int a = ", "f(", "1", ")", ";"),
        ("int *a; int b = ", "a[", "1", "]", ";"),
        ("void f(void) ", "{", "", "}", ""),
        ("void f(void) { ", "if (1) ", ";", "", "}"),
        ("void f(void) { ", "for (;;) ", ";", "", "}"),
        ("void f(int a) { a = ", "({", "1;", "})", "; }"),
        ("int ", "(", "a", ")", ";"),
        ("int a", "(int (*)", "", ")", ";"),
        ("", "struct { ", "int a;", "} x;", ";"),
        ("", "typeof(", "1", ")", " a;"),
        ("int a = ", "_Generic(1, default: ", "1", ")", ";"),
        ("int a[3];\n#pragma acc declare copy(a[", "(", "1", ")", ":2])\n"),
        ("void f(int a) {", "\n#pragma acc parallel\n", ";", "", "}"),
    ] {
        let text = format!("{before}{}{middle}{}{after}", open.repeat(deep), close.repeat(deep));
        let found = survives(text.as_bytes());
        assert!(found.iter().any(|m| m.contains("nesting")), "{before}{open}: {found:?}");
    }
}

/// What is long in real programs, and mostly in generated ones, has no limit on the host.
#[test]
fn long_is_not_deep() {
    let long = 100_000;
    let operands = "int a; double d; struct s { struct s *next; } *p; ";
    for (before, piece, after) in [
        ("int t[] = {", "1, ", "};"),
        ("void f(int a) {", "a++; ", "}"),
        ("enum e {", "", "A};"),
        ("char *s = ", "\"x\" ", ";"),
        ("int b = 1", " + 1", ";"),
        ("double b = 1", " * 1 + 2.5", ";"),
        ("int f(void) { return a", " + d", "; }"),
        ("int f(void) { return a", " && a", "; }"),
        ("int f(void) { return a", ", a", "; }"),
        ("int f(void) { return ", "a ? 1 : ", "2; }"),
        ("int b = ", "1 ? 1 : ", "2;"),
        ("struct s *f(void) { return p", " + 1", "; }"),
        ("void f(void) { ", "if (a) ; else ", "; }"),
        ("void f(void) { switch (a) {", " default: ", "; } }"),
    ] {
        let text = format!("{operands}{before}{}{after}", piece.repeat(long));
        let found = survives(text.as_bytes());
        let twice = before.contains("switch");
        assert!(found.is_empty() || twice, "{before}: {:?}", &found[..found.len().min(3)]);
    }
    let labels: String = (0..long).map(|i| format!("case {i}: l{i}: ")).collect();
    let text = format!("void f(int a) {{ switch (a) {{ {labels}; }} }}");
    assert_eq!(survives(text.as_bytes()), [""; 0]);
    let found = survives(format!("int a{};", "[1]".repeat(long)).as_bytes());
    assert!(found.len() == 1 && found[0].contains("levels of nesting in this type"), "{found:?}");
    let text = format!("{operands}struct s *f(void) {{ return p{}; }}", "->next".repeat(long));
    let found = survives(text.as_bytes());
    assert!(found.len() == 1 && found[0].contains("nested too deeply"), "{found:?}");
}
