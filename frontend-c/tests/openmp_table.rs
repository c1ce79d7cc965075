//! `docs/openmp.md` says of every directive, clause and routine what the compiler does with it.

use std::collections::BTreeMap;
use std::path::Path;

use gpuc_frontend_c::directive::openmp::{CLAUSES, FORMS};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openmp.md");
    std::fs::read_to_string(path).unwrap()
}

/// The rows of the table under a heading: name, section, state and note.
fn table(text: &str, heading: &str) -> BTreeMap<String, (String, String, String)> {
    let section = text.split("\n## ").find(|part| part.starts_with(heading)).unwrap_or("");
    section
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix('|')?.split('|').map(|cell| cell.trim().to_owned());
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
            Some((name, (cells.next()?, cells.next()?, cells.next()?)))
        })
        .collect()
}

#[test]
fn every_directive_and_clause_has_its_row() {
    let text = page();
    let directives = table(&text, "Directives");
    for form in FORMS {
        let (section, state, note) = &directives[form.words];
        assert_eq!((&**section, &**state), (form.section, form.support.word()), "{}", form.words);
        assert!(state != "in part" || !note.is_empty(), "{}: what is refused?", form.words);
    }
    assert_eq!(directives.len(), FORMS.len());
    let clauses = table(&text, "Clauses");
    for name in CLAUSES {
        let (section, state, note) = &clauses[name.spelling];
        assert_eq!(
            (&**section, &**state),
            (name.section, name.support.word()),
            "{}",
            name.spelling
        );
        assert!(state != "in part" || !note.is_empty(), "{}: what is refused?", name.spelling);
    }
    assert_eq!(clauses.len(), CLAUSES.len());
}

#[test]
fn every_routine_has_its_row() {
    let text = page();
    let routines = text.split("\n## ").find(|part| part.starts_with("Routines")).unwrap();
    let mut documented: Vec<&str> = routines
        .lines()
        .filter(|line| line.starts_with('|'))
        .flat_map(|line| line.split('`').filter(|word| word.starts_with("omp_")))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/openmp");
    let sources: Vec<String> = ["mod.rs", "memory.rs"]
        .map(|file| std::fs::read_to_string(folder.join(file)).unwrap())
        .into();
    let mut defined: Vec<&str> = sources
        .iter()
        .flat_map(|text| text.split("extern \"C\" fn ").skip(1))
        .filter_map(|rest| rest.split('(').next())
        .filter(|name| name.starts_with("omp_"))
        .collect();
    documented.sort_unstable();
    defined.sort_unstable();
    assert_eq!(documented, defined);
}
