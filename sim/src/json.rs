//! Writing JSON.

use std::fmt::Write as _;

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A number; JSON has no infinities, and what is not a number is nothing.
pub(crate) fn number(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { "null".into() }
}
