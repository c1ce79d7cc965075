//! `docs/openacc.md` says of every directive and clause what the compiler does with it.

use std::collections::BTreeMap;
use std::path::Path;

use gpuc_frontend_c::directive::openacc::{ClauseName, DirectiveKind};

/// The rows of the table under a heading: name, section and state.
fn table(text: &str, heading: &str) -> BTreeMap<String, (String, String)> {
    let section = text.split("\n## ").find(|part| part.starts_with(heading)).unwrap_or("");
    section
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
            Some((name, (cells.next()?.to_owned(), cells.next()?.to_owned())))
        })
        .collect()
}

#[test]
fn every_directive_and_clause_has_its_row() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openacc.md");
    let text = std::fs::read_to_string(path).unwrap();
    let states = ["yes", "hint", "in part"];
    let directives = table(&text, "Directives");
    for kind in DirectiveKind::ALL {
        let (section, state) = &directives[kind.spelling()];
        assert_eq!(section, kind.section(), "{}", kind.spelling());
        assert!(states.contains(&state.as_str()), "{}: {state}", kind.spelling());
    }
    assert_eq!(directives.len(), DirectiveKind::ALL.len());
    let clauses = table(&text, "Clauses");
    for name in ClauseName::ALL {
        let (section, state) = &clauses[name.spelling()];
        assert_eq!(section, name.section(), "{}", name.spelling());
        assert!(states.contains(&state.as_str()), "{}: {state}", name.spelling());
        let in_part = name.is_refused_in_part();
        assert_eq!(state == "in part", in_part, "{}: {state}", name.spelling());
    }
    assert_eq!(clauses.len(), ClauseName::ALL.len());
}
