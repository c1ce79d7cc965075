//! The page of each message code shows what triggers it: every example here stands on its page, and
//! gpuc answers it with the code.

use std::process::Command;

use gpuc_diagnostics::codes;
use gpuc_tests::lit::BLESS;
use gpuc_tests::tools::Tools;
use gpuc_tests::{corpus, execution};

/// What triggers a code: lines of its page, and what has to stand around them.
struct Trigger {
    code: &'static str,
    /// Lines of C that the page shows, or nothing where it is the command that triggers.
    lines: &'static [&'static str],
    /// C in front of the lines.
    before: &'static str,
    /// C behind them.
    after: &'static str,
    /// The command; where it stands on the page, as the page has it.
    command: &'static str,
}

const fn c(
    code: &'static str,
    before: &'static str,
    lines: &'static [&'static str],
    after: &'static str,
) -> Trigger {
    Trigger { code, lines, before, after, command: "gpuc -Minfo -c a.c" }
}

const fn line(code: &'static str, command: &'static str) -> Trigger {
    const REGION: &str = "void f(int *a) {\n#pragma acc parallel loop copy(a[0:4])\nfor (int i = 0; i < 4; i++) a[i] = i;\n}\n\
         int main(void) { return 0; }\n";
    Trigger { code, lines: &[], before: REGION, after: "", command }
}

const LOOP: &str = "for (int i = 0; i < n; i++) a[i] = 0; }";
const TRIGGERS: &[Trigger] = &[
    c(
        "GPUC0032",
        "void f(int n, int *a) {",
        &["#pragma acc parallel loop copyin(a[0:n]) copy(a[0:n])"],
        LOOP,
    ),
    c("GPUC0001", "void f(int n, int *a) {", &["#pragma acc paralel loop"], LOOP),
    c("GPUC0001", "void f(int n, int *a) {", &["#pragma acc copy(a) parallel"], LOOP),
    c("GPUC0002", "void f(int n, int *a) {", &["#pragma acc parallel loop copi(a)"], LOOP),
    c("GPUC0003", "void f(int *a) {", &["#pragma acc update copyin(a)"], "}"),
    c(
        "GPUC0004",
        "struct v { int a; }; void f(int n, int *a) { struct v v;",
        &["#pragma acc parallel loop private(v.a)"],
        LOOP,
    ),
    c(
        "GPUC0005",
        "void f(int n, int *a, int (**table)(int)) {",
        &["#pragma acc parallel loop", "for (int i = 0; i < n; i++)", "a[i] = table[i % 2](i);"],
        "}",
    ),
    c(
        "GPUC0006",
        "typedef struct node { struct node *next; int value; } node; void f(node *list) {",
        &["#pragma acc parallel loop", "for (node *p = list; p; p = p->next)", "p->value = 0;"],
        "}",
    ),
    c("GPUC0007", "", &["void f(int n, float *x)", "{", "#pragma acc data copy(x)"], "x[0] = 0; }"),
    c(
        "GPUC0008",
        "void f(int n, float *x, int *index) {",
        &["#pragma acc parallel loop", "for (int i = 0; i < n; i++)", "x[index[i]] = 0;"],
        "}",
    ),
    c(
        "GPUC0009",
        "int b[100]; void f(int n, int *a) {",
        &["#pragma acc parallel loop default(none) copy(a[0:n])", "a[i] = b[i];"],
        "}",
    ),
    c(
        "GPUC0010",
        "void f(int n, int *restrict a, int *restrict b) {\n#pragma acc data copy(a[0:n], b[0:n])\n{",
        &["#pragma acc kernels", "for (int i = 1; i < n; i++)", "a[i] = a[i - 1] + b[i];"],
        "} }",
    ),
    c(
        "GPUC0011",
        "int a[100]; void f(int n) {",
        &["#pragma acc parallel loop", "for (int i = 1; i < n; i++)", "a[i] = a[i - 1];"],
        "}",
    ),
    c(
        "GPUC0012",
        "void f(int n, int *a) {",
        &["#pragma acc serial copy(a[0:n])", "for (int i = 1; i < n; i++)", "a[i] += a[i - 1];"],
        "}",
    ),
    line("GPUC0013", "gpuc --emti=ptx a.c"),
    line("GPUC0013", "gpuc --arch=sm_9 a.c"),
    line("GPUC0013", "gpuc -gpu=managed a.c"),
    line("GPUC0014", "gpuc -ftrapv -c a.c"),
    line("GPUC0015", "gpuc -c a.c -o a.c"),
    line("GPUC0016", "gpuc -static a.c"),
    c(
        "GPUC0017",
        "void f(int n, int *a) {",
        &["#pragma omp target teams distribute parallel for"],
        LOOP,
    ),
    c(
        "GPUC0018",
        "void f(int n) {",
        &["#pragma acc parallel loop", "for (int i = 0; i < n; i++)", ";"],
        "}",
    ),
    line("GPUC0019", "gpuc -c missing.c"),
    line("GPUC0020", "gpuc -c a.cpp"),
    line("GPUC0021", "GPUC_CC=no-such-compiler gpuc -c a.c"),
    c(
        "GPUC0022",
        "",
        &[
            "void add(int n, float *a, const float *b) {",
            "#pragma acc kernels present(a, b)",
            "for (int i = 0; i < n; i++)",
            "a[i] += b[i];",
        ],
        "}",
    ),
    c(
        "GPUC0023",
        "void f(int m, int n, int k, float *a) {",
        &[
            "#pragma acc kernels copy(a[0:m * n])",
            "for (int i = 0; i < m; i++)",
            "for (int j = 0; j < k; j++)",
            "a[i * n + j] = 0;",
        ],
        "}",
    ),
    c(
        "GPUC0024",
        "#include <stdio.h>\nvoid f(int n, double *a) {",
        &[
            "double last = 0;",
            "#pragma acc parallel loop copyin(a[0:n])",
            "for (int i = 0; i < n; i++)",
            "last = a[i];",
            "printf(\"%g\", last);",
        ],
        "}",
    ),
    line("GPUC0025", "gpuc --plan=scale.plan -c a.c"),
    line("GPUC0026", "gpuc --plan=scale.plan --arch=sm_90 -c a.c"),
    line("GPUC0027", "gpuc --plan=edited.plan -c a.c"),
    line("GPUC0028", "gpuc --tuning=damaged.tuning -c a.c"),
    c(
        "GPUC0029",
        "void f(int n, float *a) {",
        &[
            "#pragma acc kernels loop gang copy(a[0:n])",
            "for (int i = 1; i < n; i++)",
            "a[i] = a[i - 1] + 1;",
        ],
        "}",
    ),
    c(
        "GPUC0030",
        "float a[1000]; int main(void) {",
        &[
            "for (int step = 0; step < 100; step++) {",
            "#pragma acc parallel loop",
            "for (int i = 0; i < 1000; i++)",
            "a[i] = a[i] * 0.5f + 1;",
        ],
        "} return 0; }",
    ),
    c(
        "GPUC0031",
        "void f(int *a) {",
        &["#pragma acc parallel loop copy(a[0:10])", "for (int i = 0; i < 10; i++)", "a[i] += 1;"],
        "}",
    ),
    c(
        "GPUC0033",
        "double f(int n, const double *a) {",
        &[
            "double sum = 0;",
            "#pragma acc parallel loop copyin(a[0:n])",
            "for (int i = 0; i < n; i++)",
            "sum += a[i];",
        ],
        "return sum; }",
    ),
];

/// A line of a page without the comment that says what comes of it.
fn code_of(line: &str) -> &str {
    line.split("    //").next().unwrap_or(line).trim().trim_end_matches("//").trim_end()
}

/// What gpuc prints.
fn answer(trigger: &Trigger) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = format!("{}\n{}\n{}\n", trigger.before, trigger.lines.join("\n"), trigger.after);
    // The loop that this page leaves to its reader.
    let source = match trigger.code {
        "GPUC0009" => source.replace("\na[i]", "\nfor (int i = 0; i < n; i++)\na[i]"),
        _ => source,
    };
    for name in ["a.c", "a.cpp"] {
        std::fs::write(folder.path().join(name), &source).unwrap();
    }
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    if trigger.command.contains("--plan=") {
        let mut command = Command::new(Tools::find().ours("gpuc").unwrap());
        command.args(["--emit=plan", "a.c"]).current_dir(folder.path());
        let plan = execution::run(&mut command, Vec::new(), false).unwrap().text();
        write("edited.plan", &format!("{plan}  unroll k by 4\n"));
        let misspelt = if trigger.code == "GPUC0025" { "  paralel i\n" } else { "" };
        write("scale.plan", &(plan + misspelt));
    }
    write("damaged.tuning", "gpuc tuning 1\nnest 12 target\n");
    let mut words = trigger.command.split(' ').peekable();
    let mut command = Command::new(Tools::find().ours("gpuc").unwrap());
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        command.env(name, value);
        words.next();
    }
    assert_eq!(words.next(), Some("gpuc"));
    command.args(words).current_dir(folder.path()).env("LC_ALL", "C");
    execution::run(&mut command, Vec::new(), true).unwrap().text()
}

#[test]
fn what_a_page_shows_triggers_its_code() {
    for trigger in TRIGGERS {
        let page = codes::explain(trigger.code).unwrap();
        let shown: Vec<&str> = page.text.lines().map(code_of).collect();
        let expected: &[&str] =
            if trigger.lines.is_empty() { &[trigger.command] } else { trigger.lines };
        for line in expected {
            assert!(shown.contains(line), "{} does not show `{line}`", trigger.code);
        }
        let answer = answer(trigger);
        let tag = format!("[{}]", trigger.code);
        assert!(answer.contains(&tag), "{} {expected:?} gives\n{answer}", trigger.code);
    }
}

/// The page of all codes in the book is what `gpuc --explain` says.
#[test]
fn the_book_has_every_page() {
    let file = corpus::root().join("docs/codes.md");
    let mut book = String::from(
        "# Codes of messages\n\n`gpuc --explain CODE` prints these pages, `gpuc --explain` the list. By its name a \
         warning is turned off (`-Wno-NAME`), on where it is a remark of `-Minfo` (`-WNAME`), or made an error \
         (`-Werror=NAME`, `-Wno-error=NAME`); `-Werror` makes all warnings errors, `-w` leaves them out. Errors \
         stay errors.\n",
    );
    for known in codes::ALL {
        let (code, title, name) = (known.code, known.title, known.name());
        book += &format!("\n## {code}: {title}\n\n`-W{name}`\n\n");
        let mut is_code = false;
        for line in known.text.lines() {
            let begins = line.starts_with("    ") && !is_code;
            let ends = !line.starts_with("    ") && !line.is_empty() && is_code;
            if begins || ends {
                is_code = begins;
                let fence = if begins { "```text\n" } else { "```\n\n" };
                while ends && book.ends_with("\n\n") {
                    book.pop();
                }
                book += fence;
            }
            book += if is_code { line.strip_prefix("    ").unwrap_or(line) } else { line };
            book.push('\n');
        }
        book += if is_code { "```\n" } else { "" };
    }
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        std::fs::write(&file, &book).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(there == book, "docs/codes.md is not what the codes say: run with {BLESS}=1");
}

#[test]
fn every_code_has_a_trigger() {
    let missing: Vec<_> = codes::ALL
        .iter()
        .filter(|known| !TRIGGERS.iter().any(|trigger| trigger.code == known.code))
        .map(|known| known.code)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
