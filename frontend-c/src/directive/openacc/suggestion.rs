//! What can stand next in a directive.

use super::DirectiveKind;
use super::rules::allowed;
use crate::directive::suggestion::{Suggestion, rest};

/// What may stand behind `words`, which begin a directive.
pub fn suggestions(words: &[&str]) -> Vec<Suggestion> {
    let suggestion = |words: &str, is_clause, section: &str| Suggestion {
        words: words.to_owned(),
        is_clause,
        definition: format!("OpenACC 3.3 §{section}"),
    };
    let longer = DirectiveKind::ALL
        .iter()
        .filter_map(|kind| Some(suggestion(rest(kind.spelling(), words)?, false, kind.section())));
    let mut all: Vec<Suggestion> = longer.collect();
    // The words of the directive, as many as it has; clauses stand behind them.
    let begun = |kind: &&DirectiveKind| {
        let count = kind.spelling().split(' ').count();
        words.len() >= count && words[..count].join(" ") == kind.spelling()
    };
    let directive = DirectiveKind::ALL.iter().filter(begun).max_by_key(|k| k.spelling().len());
    if let Some(&directive) = directive {
        all.extend(allowed(directive).iter().map(|c| suggestion(c.spelling(), true, c.section())));
    }
    all
}
