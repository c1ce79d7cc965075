//! What can stand next in a pragma: for editors, from the tables that the parsers read by.

use super::{hmpp, jolokia, openacc, openmp};

/// A word that may stand next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The word, or the words of a directive.
    pub words: String,
    /// Whether it is a clause; else it is a directive, or a part of one.
    pub is_clause: bool,
    /// What defines it: `OpenACC 3.3 §2.5.1`.
    pub definition: String,
}

/// What may stand behind `before`, the text of a pragma behind `#pragma` up to where a word is begun, without
/// what is there of that word.
pub fn suggestions(before: &str) -> Vec<Suggestion> {
    let before = outside_of_parentheses(before);
    let mut words = before.split([' ', '\t', ',', '\n', '\\']).filter(|word| !word.is_empty());
    let Some(family) = words.next() else {
        let families = [
            ("acc", "OpenACC 3.3"),
            ("omp", "OpenMP 5.2"),
            ("hmpp", "OpenHMPP"),
            ("hmppcg", "OpenHMPP"),
            ("jolokia", "Patel 2014"),
        ];
        let suggestion = |(word, definition): (&str, &str)| Suggestion {
            words: word.to_owned(),
            is_clause: false,
            definition: definition.to_owned(),
        };
        return families.map(suggestion).into();
    };
    let words: Vec<&str> = words.collect();
    match family {
        "acc" => openacc::suggestions(&words),
        "omp" => openmp::suggestions(&words),
        "hmpp" => hmpp::suggestions(&words, false),
        "hmppcg" => hmpp::suggestions(&words, true),
        "jolokia" => jolokia::suggestions(&words),
        _ => Vec::new(),
    }
}

/// The definition of a word of a pragma of the family.
pub fn definition(family: &str, word: &str) -> Option<String> {
    match family {
        "acc" => {
            let clause = openacc::ClauseName::find(word).map(|clause| clause.section());
            let mut kinds = openacc::DirectiveKind::ALL.iter();
            let is_first = |kind: &&openacc::DirectiveKind| {
                kind.spelling().split(' ').any(|part| part == word)
            };
            let section = clause.or_else(|| kinds.find(is_first).map(|kind| kind.section()))?;
            Some(format!("OpenACC 3.3 §{section}"))
        }
        "omp" => {
            let clause = openmp::CLAUSES.iter().find(|clause| clause.spelling == word);
            let form = openmp::FORMS.iter().find(|form| form.words == word);
            let section = clause.map(|c| c.section).or(form.map(|form| form.section))?;
            Some(format!("OpenMP 5.2 §{section}"))
        }
        "hmpp" | "hmppcg" => hmpp::known(word).then(|| "OpenHMPP".to_owned()),
        "jolokia" => jolokia::known(word),
        _ => None,
    }
}

/// Words that begin with `words`: what is left of them.
pub(super) fn rest<'a>(all: &'a str, words: &[&str]) -> Option<&'a str> {
    let mut rest = all;
    for word in words {
        rest = rest.strip_prefix(word)?;
        rest = rest.strip_prefix(' ').or(rest.is_empty().then_some(rest))?;
    }
    (!rest.is_empty()).then_some(rest)
}

/// A text without what stands in parentheses.
fn outside_of_parentheses(text: &str) -> String {
    let mut depth = 0;
    let mut outside = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                outside.push(' ');
            }
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(before: &str) -> Vec<String> {
        suggestions(before).into_iter().map(|suggestion| suggestion.words).collect()
    }

    #[test]
    fn each_family_has_its_words() {
        assert_eq!(words(" "), ["acc", "omp", "hmpp", "hmppcg", "jolokia"]);
        assert!(words(" acc ").contains(&"parallel loop".to_owned()));
        assert_eq!(words(" acc enter "), ["data"]);
        assert_eq!(words(" acc serial ")[0], "loop");
        assert!(words(" acc parallel ").contains(&"copyin".to_owned()));
        assert!(!words(" acc parallel ").contains(&"collapse".to_owned()));
        assert!(words(" acc parallel loop copyin(a[0:n], loop) ").contains(&"collapse".to_owned()));
        assert!(words(" omp ").contains(&"target teams distribute parallel for".to_owned()));
        assert!(words(" omp target teams ").contains(&"distribute parallel for".to_owned()));
        assert!(words(" omp target teams ").contains(&"num_teams".to_owned()));
        assert!(!words(" omp target ").contains(&"num_teams".to_owned()));
        assert!(words(" omp target map(to: a) ").contains(&"private".to_owned()));
        assert!(!words(" omp target map(to: a) ").contains(&"teams".to_owned()));
        assert!(words(" hmpp <group> label ").contains(&"callsite".to_owned()));
        assert!(words(" hmpp label callsite, ").contains(&"asynchronous".to_owned()));
        assert!(words(" hmppcg ").contains(&"grid blocksize".to_owned()));
        assert_eq!(words(" hmppcg grid "), ["blocksize"]);
        assert!(words(" hmppcg gridify(i) ").contains(&"private".to_owned()));
        assert!(words(" jolokia gpuIn(a, b) ").contains(&"gpuOut".to_owned()));
        assert_eq!(words(" jolokia independent "), [""; 0]);
        assert_eq!(words(" once "), [""; 0]);
        assert_eq!(words(" acc nonsense "), [""; 0]);
    }

    #[test]
    fn words_are_defined_somewhere() {
        assert_eq!(definition("acc", "pcopyin").as_deref(), Some("OpenACC 3.3 §2.7"));
        assert_eq!(definition("acc", "enter").as_deref(), Some("OpenACC 3.3 §2.6.6"));
        assert_eq!(definition("omp", "collapse").as_deref(), Some("OpenMP 5.2 §4.4.3"));
        assert_eq!(definition("omp", "copyin"), None);
        assert_eq!(definition("hmpp", "codelet").as_deref(), Some("OpenHMPP"));
        assert_eq!(definition("jolokia", "tile").as_deref(), Some("Patel 2014, §3.1.2"));
    }
}
