//! What can stand next in a directive.

use super::{LOOP, Name, WORDS};
use crate::directive::suggestion::Suggestion;

/// What may stand behind `words`, which begin a directive.
pub fn suggestions(words: &[&str]) -> Vec<Suggestion> {
    let suggestion = |name: &Name| Suggestion {
        words: name.spelling.to_owned(),
        is_clause: name.spelling != LOOP,
        definition: definition(name),
    };
    let fits = |name: &&Name| name.spelling != LOOP || words.is_empty();
    match words.first() {
        Some(&LOOP) => Vec::new(),
        _ => WORDS.iter().filter(fits).map(suggestion).collect(),
    }
}

/// What defines a word, if it is one of the family's.
pub fn known(word: &str) -> Option<String> {
    WORDS.iter().find(|name| name.spelling == word).map(definition)
}

fn definition(name: &Name) -> String {
    format!("Patel 2014, §{}", name.section)
}
