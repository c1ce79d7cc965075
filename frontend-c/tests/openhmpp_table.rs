//! `docs/openhmpp.md` says of every directive, parameter, property and clause what the compiler does with it.

use std::collections::BTreeMap;
use std::path::Path;

use gpuc_frontend_c::directive::hmpp::{
    DIRECTIVES, LOOP_CLAUSES, LOOP_DIRECTIVES, Name, PARAMETERS, PROPERTIES,
};

/// The rows of the table under a heading: name, state and note.
fn table(text: &str, heading: &str) -> BTreeMap<String, (String, String)> {
    let section = text.split("\n## ").find(|part| part.starts_with(heading)).unwrap_or("");
    section
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix('|')?.split('|').map(|cell| cell.trim().to_owned());
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
            Some((name, (cells.next()?, cells.next()?)))
        })
        .collect()
}

#[test]
fn every_word_has_its_row() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openhmpp.md");
    let text = std::fs::read_to_string(path).unwrap();
    let tables: [(&str, &[Name]); 5] = [
        ("Directives\n", DIRECTIVES),
        ("Loop directives\n", LOOP_DIRECTIVES),
        ("Parameters\n", PARAMETERS),
        ("Properties\n", PROPERTIES),
        ("Clauses of loop directives\n", LOOP_CLAUSES),
    ];
    for (heading, names) in tables {
        let rows = table(&text, heading);
        for name in names {
            let (state, note) = &rows[name.spelling];
            assert_eq!(state, name.support.word(), "{}", name.spelling);
            assert!(state != "in part" || !note.is_empty(), "{}: what is refused?", name.spelling);
        }
        assert_eq!(rows.len(), names.len(), "{heading}");
    }
}
