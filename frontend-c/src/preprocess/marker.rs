//! Line markers, by which a preprocessor says where lines are from: `# number "file" flags`.

/// Number, name in its quotes, and flags of a marker, behind its `# `.
pub fn parse(text: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let number = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    let (name, flags) = quoted(text[length..].strip_prefix(b" ")?)?;
    Some((number, name, flags.trim_ascii_start()))
}

/// A name in its quotes, and what follows it.
pub fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = text.starts_with(b"\"").then_some(1)?;
    loop {
        match text.get(at)? {
            b'"' => return Some(text.split_at(at + 1)),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The name that stands in quotes.
pub fn name(quoted: &[u8]) -> String {
    let mut name = Vec::new();
    let mut bytes = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => name.extend(bytes.next()),
            _ => name.push(byte),
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}
