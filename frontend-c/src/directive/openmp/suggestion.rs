//! What can stand next in a directive.

use super::{CLAUSES, FORMS, Form, Support};
use crate::directive::suggestion::{Suggestion, rest};

/// What may stand behind `words`, which begin a directive; what is refused is left out.
pub fn suggestions(words: &[&str]) -> Vec<Suggestion> {
    let suggestion = |words: &str, is_clause, section: &str| Suggestion {
        words: words.to_owned(),
        is_clause,
        definition: format!("OpenMP 5.2 §{section}"),
    };
    let known = FORMS.iter().filter(|form| form.support != Support::No);
    let longer = known
        .clone()
        .filter_map(|form| Some(suggestion(rest(form.words, words)?, false, form.section)));
    let mut all: Vec<Suggestion> = longer.collect();
    let begun = |form: &&Form| {
        let count = form.words.split(' ').count();
        words.len() >= count && words[..count].join(" ") == form.words
    };
    if let Some(form) = known.filter(begun).max_by_key(|form| form.words.len()) {
        let leaves = form.leaves();
        let allowed = CLAUSES.iter().filter(|clause| {
            clause.support != Support::No && clause.leaves.iter().any(|leaf| leaves.contains(leaf))
        });
        all.extend(allowed.map(|clause| suggestion(clause.spelling, true, clause.section)));
    }
    all
}
