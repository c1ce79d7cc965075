//! Pragmas as tokens, before anything is known of their family's syntax.

mod macros;

pub use macros::MacroTable;
pub(crate) use macros::spelling;

use crate::source::Span;

/// Which language a pragma belongs to, by its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `acc`.
    OpenAcc,
    /// `omp`.
    OpenMp,
    /// `hmpp`: directives of OpenHMPP on codelets and groups.
    Hmpp,
    /// `hmppcg`: OpenHMPP's loop directives.
    HmppCg,
    /// `jolokia`: JolokiaC++ in plain C.
    Jolokia,
    /// `pack`: changes the layout of what follows.
    Pack,
    /// Anything else; the host compiler's.
    Other,
}

/// One `#pragma` line.
#[derive(Clone, Copy, Debug)]
pub struct Pragma {
    /// Its family.
    pub family: Family,
    /// The whole line from its `#`, continuation lines included, without the newline.
    pub line: Span,
    /// What follows the word of the family.
    pub body: Span,
    /// Whether it is a directive that this compiler reads; the host compiler's else.
    pub ours: bool,
}

impl Pragma {
    /// The pragma at `line`, whose text after `pragma` is at `after`.
    pub(crate) fn new(text: &[u8], line: Span, after: Span) -> Self {
        let rest = &text[after.range()];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let rest = &rest[blanks..];
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let family = match &rest[..length] {
            b"acc" => Family::OpenAcc,
            b"omp" => Family::OpenMp,
            b"hmpp" => Family::Hmpp,
            b"hmppcg" => Family::HmppCg,
            b"jolokia" => Family::Jolokia,
            b"pack" => Family::Pack,
            _ => Family::Other,
        };
        let body = Span::new(after.start + (blanks + length) as u32, after.end);
        Pragma { family, line, body, ours: false }
    }
}

/// The effect of the `#pragma pack` lines: which limit on member alignment holds where.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackTable {
    /// From which offset on which limit holds; 0 is none.
    limits: Vec<(u32, u64)>,
}

impl PackTable {
    /// Reads all `pack` pragmas of the text.
    pub(crate) fn new(text: &[u8], pragmas: &[Pragma], initial: Option<u64>) -> Self {
        let mut table = PackTable::default();
        let mut stack: Vec<u64> = Vec::new();
        let initial = initial.unwrap_or(0);
        let mut current = initial;
        table.limits.push((0, initial));
        for pragma in pragmas.iter().filter(|p| p.family == Family::Pack) {
            let body = String::from_utf8_lossy(&text[pragma.body.range()]);
            let inside = body.trim().trim_start_matches('(').trim_end_matches(')');
            let mut words = inside.split(',').map(str::trim);
            let mut number = words.clone().next_back().and_then(|w| w.parse::<u64>().ok());
            number = number.filter(|n| matches!(n, 0 | 1 | 2 | 4 | 8 | 16));
            match words.next() {
                Some("push") => {
                    stack.push(current);
                    current = number.unwrap_or(current);
                }
                Some("pop") => current = stack.pop().unwrap_or(initial),
                _ => current = number.unwrap_or(initial),
            }
            table.limits.push((pragma.line.end, current));
        }
        table
    }

    /// The limit at `offset`, in bytes.
    pub(crate) fn at(&self, offset: u32) -> Option<u64> {
        let after = self.limits.partition_point(|&(start, _)| start <= offset);
        self.limits[..after].last().map(|&(_, limit)| limit).filter(|&limit| limit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_limits() {
        let text = b"#pragma pack(push, 2)\n#pragma pack(1)\n#pragma pack(pop)\n#pragma acc loop\n";
        let mut pragmas = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|&b| b == b'\n') {
            let span = Span::new(start, start + line.len() as u32 - 1);
            pragmas.push(Pragma::new(text, span, Span::new(start + 7, span.end)));
            start += line.len() as u32;
        }
        let families: Vec<_> = pragmas.iter().map(|p| p.family).collect();
        assert_eq!(families, [Family::Pack, Family::Pack, Family::Pack, Family::OpenAcc]);
        let table = PackTable::new(text, &pragmas, None);
        let limits: Vec<_> = pragmas.iter().map(|p| table.at(p.line.end)).collect();
        assert_eq!(limits, [Some(2), Some(1), None, None]);
    }
}
