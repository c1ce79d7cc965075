//! The command lines of `RUN:`: words, pipes and redirections, without a shell, so that a test
//! means the same everywhere.

/// What is done with a command's error stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Errors {
    /// Kept apart, shown when the command fails.
    #[default]
    Apart,
    /// `2>&1`: into the output.
    Merged,
    /// `2> FILE`.
    File(String),
}

/// One command of a pipe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// The program's name and its arguments.
    pub words: Vec<String>,
    /// `< FILE`.
    pub input: Option<String>,
    /// `> FILE`.
    pub output: Option<String>,
    /// `2>`.
    pub errors: Errors,
}

/// A token: a word, or an operator that stood outside quotes.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Operator(&'static str),
}

/// Longer ones first.
const OPERATORS: [&str; 5] = ["2>&1", "2>", "|", "<", ">"];

/// Splits `line` into the commands of a pipe. `substitute` replaces `%s` and the like in each
/// word, after splitting: a path with blanks stays one word.
///
/// # Errors
/// A sentence on an open quote, an empty command, or shell syntax that is not known here.
pub fn parse(
    line: &str,
    substitute: impl Fn(&str) -> Result<String, String>,
) -> Result<Vec<Stage>, String> {
    let mut stages = vec![Stage::default()];
    let mut tokens = tokens(line)?.into_iter();
    while let Some(token) = tokens.next() {
        let last = stages.len() - 1;
        let stage = &mut stages[last];
        let operator = match token {
            Token::Word(word) => {
                stage.words.push(substitute(&word)?);
                continue;
            }
            Token::Operator("|") => {
                if stage.words.is_empty() {
                    return Err("a command is missing before `|`".to_owned());
                }
                stages.push(Stage::default());
                continue;
            }
            Token::Operator("2>&1") => {
                stage.errors = Errors::Merged;
                continue;
            }
            Token::Operator(operator) => operator,
        };
        let Some(Token::Word(file)) = tokens.next() else {
            return Err(format!("a file is missing after `{operator}`"));
        };
        let file = substitute(&file)?;
        match operator {
            "<" => stage.input = Some(file),
            ">" => stage.output = Some(file),
            _ => stage.errors = Errors::File(file),
        }
    }
    if stages.iter().any(|stage| stage.words.is_empty()) {
        return Err("a command is missing".to_owned());
    }
    Ok(stages)
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let operator = OPERATORS.iter().find(|o| {
            // `2>` redirects only where the 2 is not the end of a word (`-O2>file`).
            rest.starts_with(**o) && (word.is_none() || !o.starts_with('2'))
        });
        if let Some(operator) = operator {
            tokens.extend(word.take().map(Token::Word));
            tokens.push(Token::Operator(operator));
            rest = &rest[operator.len()..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match character {
            ' ' | '\t' => tokens.extend(word.take().map(Token::Word)),
            '\'' | '"' => {
                let end = rest.find(character).ok_or("a quote is not closed")?;
                word.get_or_insert_default().push_str(&rest[..end]);
                rest = &rest[end + 1..];
            }
            '\\' => {
                let escaped = rest.chars().next().ok_or("nothing follows the last `\\`")?;
                word.get_or_insert_default().push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            '&' | ';' | '$' | '`' | '*' | '?' => {
                return Err(format!(
                    "`{character}` has no meaning here (there is no shell); quote it, or write \
                     another RUN line"
                ));
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    tokens.extend(word.map(Token::Word));
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &str) -> String {
        let substitute = |word: &str| Ok(word.replace("%s", "a b.c"));
        match parse(line, substitute) {
            Ok(stages) => stages.iter().map(|s| format!("{s:?}\n")).collect(),
            Err(sentence) => sentence,
        }
    }

    fn stage(words: &[&str]) -> Stage {
        Stage { words: words.iter().map(|w| (*w).to_owned()).collect(), ..Stage::default() }
    }

    #[test]
    fn lines_are_split() {
        let file = |name: &str| Some(name.to_owned());
        for (line, expected) in [
            ("gpuc %s -o %s.o", vec![stage(&["gpuc", "a b.c", "-o", "a b.c.o"])]),
            ("a 'b | c' \"d\"e '' \\|", vec![stage(&["a", "b | c", "de", "", "|"])]),
            ("a -O2 | b", vec![stage(&["a", "-O2"]), stage(&["b"])]),
            (
                "a < i > o 2>&1",
                vec![Stage {
                    input: file("i"),
                    output: file("o"),
                    errors: Errors::Merged,
                    ..stage(&["a"])
                }],
            ),
            ("a 2>e", vec![Stage { errors: Errors::File("e".to_owned()), ..stage(&["a"]) }]),
        ] {
            let expected: String = expected.iter().map(|s| format!("{s:?}\n")).collect();
            assert_eq!(show(line), expected, "{line}");
        }
    }

    #[test]
    fn shell_syntax_is_refused() {
        for (line, sentence) in [
            ("a && b", "no shell"),
            ("a; b", "no shell"),
            ("a $HOME", "no shell"),
            ("a *.c", "no shell"),
            ("a 'b", "quote is not closed"),
            ("a |", "command is missing"),
            ("| a", "missing before `|`"),
            ("a >", "file is missing after `>`"),
            ("", "command is missing"),
        ] {
            let error = show(line);
            assert!(error.contains(sentence), "{line}: {error}");
        }
    }
}
