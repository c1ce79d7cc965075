//! `docs/jolokia.md` says of every word what the compiler does with it.

use std::path::Path;

use gpuc_frontend_c::directive::jolokia::WORDS;

#[test]
fn every_word_has_its_row() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/jolokia.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, words) = text.split_once("\n## Words\n").unwrap();
    let rows: Vec<Vec<&str>> = words
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    assert_eq!(rows.len(), WORDS.len());
    for name in WORDS {
        let row = rows.iter().find(|row| row[0] == name.spelling).unwrap();
        assert_eq!((row[1], row[2]), (name.section, name.support.word()), "{}", name.spelling);
        assert!(row[2] != "in part" || !row[3].is_empty(), "{}: what is refused?", name.spelling);
    }
}
