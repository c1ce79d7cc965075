//! What can stand next in a directive.

use super::names::find;
use super::{DIRECTIVES, LOOP_CLAUSES, LOOP_DIRECTIVES, Name, PARAMETERS, PROPERTIES, Support};
use crate::directive::suggestion::{Suggestion, rest};

/// What defines the words of the family.
const DEFINITION: &str = "OpenHMPP";

/// What may stand behind `words`, which begin a directive of `hmpp` or, with `is_loop`, of `hmppcg`; what is refused is
/// left out.
pub fn suggestions(words: &[&str], is_loop: bool) -> Vec<Suggestion> {
    let (directives, clauses) = match is_loop {
        true => (LOOP_DIRECTIVES, LOOP_CLAUSES),
        false => (DIRECTIVES, PARAMETERS),
    };
    let suggestion = |words: &str, is_clause| Suggestion {
        words: words.to_owned(),
        is_clause,
        definition: DEFINITION.to_owned(),
    };
    let is_known = |name: &&Name| name.support != Support::No;
    // Of `hmpp`, a group and a label may stand in front of the directive.
    let begun = words.iter().rposition(|word| find(directives, word).is_some());
    if begun.is_some() {
        let clauses = clauses.iter().filter(is_known);
        return clauses.map(|name| suggestion(name.spelling, true)).collect();
    }
    let words = if is_loop { words } else { &[] };
    let directives = directives.iter().filter(is_known);
    directives.filter_map(|name| Some(suggestion(rest(name.spelling, words)?, false))).collect()
}

/// Whether a word is one of the family's.
pub fn known(word: &str) -> bool {
    [DIRECTIVES, LOOP_DIRECTIVES, PARAMETERS, PROPERTIES, LOOP_CLAUSES]
        .iter()
        .any(|table| find(table, word).is_some())
}
