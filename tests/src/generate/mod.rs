//! Random C programs with OpenACC constructs, whose output says whether a compiler is right.
//!
//! A program has no undefined behaviour, and what it prints does not depend on the order of
//! iterations that a directive calls independent; so it prints the same lines with its directives
//! and without them. Lines that begin with `~` hold numbers from the mathematical library, whose
//! last bits may differ.

mod construct;
mod expression;
mod nests;
mod program;
mod random;
mod scalar;
mod statement;

pub use nests::nests;
pub use program::program;

/// The relative difference that numbers of a line that begins with `~` may have.
const TOLERANCE: f64 = 1e-9;

/// Whether two outputs of a program agree; if not, the first pair of lines that does not.
///
/// # Errors
/// The two lines.
pub fn agree(expected: &str, actual: &str) -> Result<(), String> {
    let (mut left, mut right) = (expected.lines(), actual.lines());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ok(()),
            (Some(a), Some(b)) if a == b || close(a, b) => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or("(nothing)"), b.unwrap_or("(nothing)"));
                return Err(format!("- {a}\n+ {b}"));
            }
        }
    }
}

fn close(a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (a.strip_prefix('~'), b.strip_prefix('~')) else { return false };
    let (mut a, mut b) = (a.split_whitespace(), b.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) => {
                let near = match (a.parse::<f64>(), b.parse::<f64>()) {
                    (Ok(a), Ok(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0),
                    _ => a == b,
                };
                if !near {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_library_agree_within_a_tolerance() {
        for (a, b, same) in [
            ("x 1\n", "x 1\n", true),
            ("x 1\n", "x 1\ny\n", false),
            ("x 1.0\n", "x 1.00000000000001\n", false),
            ("~x 1.0 2.0\n", "~x 1.00000000000001 2.0\n", true),
            ("~x 1.0\n", "~x 1.001\n", false),
            ("~x 1.0\n", "~y 1.0\n", false),
            ("~x nan\n", "~x 1.0\n", false),
        ] {
            assert_eq!(agree(a, b).is_ok(), same, "{a} {b}");
        }
    }

    #[test]
    fn a_seed_makes_one_program() {
        assert_eq!(program(7), program(7));
        assert_ne!(program(7), program(8));
        assert_eq!(nests(7), nests(7));
        assert_ne!(nests(7), nests(8));
    }
}
