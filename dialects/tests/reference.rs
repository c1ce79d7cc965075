//! `docs/operations.md` is made of the declarations: every dialect with its operations. `GPUC_BLESS=1` writes it anew.

use std::fmt::Write;
use std::path::Path;

use gpuc_ir::op::{Arity, AttrSpec, OpDef, Presence, Traits, ValueSpec};

/// The first paragraph of a documentation on one line, fit for a table.
fn sentence(docs: &str) -> String {
    let paragraph = docs.trim().split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    escaped(&words.join(" "))
}

/// Text for a cell of a table. What would be a link of the sources' documentation is plain.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace("[`", "`").replace("`]", "`").replace('<', "&lt;")
}

fn values(specs: &[ValueSpec]) -> String {
    let one = |spec: &ValueSpec| {
        let more = match spec.arity {
            Arity::One => "",
            Arity::Optional => "?",
            Arity::Variadic => "...",
        };
        format!("`{}{more}`: {}", spec.name, escaped(spec.constraint.summary))
    };
    specs.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn attributes(specs: &[AttrSpec]) -> String {
    let one = |spec: &AttrSpec| {
        let optional = if matches!(spec.presence, Presence::Required) { "" } else { "?" };
        format!("`{}{optional}`", spec.name)
    };
    specs.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn row(def: &OpDef) -> String {
    let traits = [
        (Traits::PURE, "pure"),
        (Traits::COMMUTATIVE, "commutative"),
        (Traits::TERMINATOR, "ends a block"),
        (Traits::SYMBOL, "a symbol"),
    ];
    let mut notes: Vec<String> = traits
        .into_iter()
        .filter(|(bit, _)| def.traits.contains(*bit))
        .map(|(_, word)| word.to_owned())
        .collect();
    if !def.regions.is_empty() {
        let names: Vec<String> =
            def.regions.iter().map(|region| format!("`{}`", region.name)).collect();
        notes.push(format!("regions {}", names.join(", ")));
    }
    format!(
        "| `{}` | {} | {} | {} | {} | {} |",
        def.name,
        sentence(def.docs),
        values(def.operands),
        values(def.results),
        attributes(def.attrs),
        notes.join(", ")
    )
}

#[test]
fn the_reference_of_operations_is_that_of_the_declarations() {
    let mut text = String::from(
        "# Operations\n\nEvery dialect with its operations, made of their declarations (`dialects/src`). `?` marks what may be \
         absent, `...` what may be several. Texts of upstream's dialects are those of MLIR 19; `gpuc-opt --show-dialects` lists \
         the dialects.\n",
    );
    for dialect in gpuc_dialects::ALL {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n| operation | what it does | operands | results | attributes | |\n|---|---|---|---|---|---|\n",
            dialect.name, dialect.summary
        );
        for op in dialect.ops {
            assert!(!op().docs.trim().is_empty(), "{} says nothing of itself", op().name);
            let _ = writeln!(text, "{}", row(op()));
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations.md");
    if std::env::var_os("GPUC_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, &text).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == text,
        "docs/operations.md is not what the declarations say: run with GPUC_BLESS=1"
    );
}
