//! What literals mean: numbers, character constants, strings (C11 §6.4.4 and §6.4.5, C23's binary
//! literals and digit separators, GNU's imaginary and `_FloatN` suffixes).

use std::borrow::Cow;

/// A decoded number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// An integer, not yet typed.
    Integer {
        /// Its value.
        value: u64,
        /// Whether it is written in decimal, so that it is never implicitly unsigned.
        decimal: bool,
        /// What its suffix asks for.
        suffix: IntegerSuffix,
        /// Whether it is imaginary (GNU).
        imaginary: bool,
    },
    /// A floating constant.
    Floating {
        /// Its value, rounded once to its type where that is `float` or `double`.
        value: f64,
        /// The suffix in lower case: empty, `f`, `l`, `f128`, ….
        suffix: &'static str,
        /// Whether it is imaginary (GNU).
        imaginary: bool,
    },
}

/// The suffix of an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntegerSuffix {
    /// `u`.
    pub unsigned: bool,
    /// The number of `l`: 0, 1 or 2.
    pub longs: u8,
}

/// The element type of a string or character literal, by its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterType {
    /// No prefix, or `u8`.
    Char,
    /// `L`.
    Wide,
    /// `u`.
    Char16,
    /// `U`.
    Char32,
}

/// A decoded string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// Its element type.
    pub element: CharacterType,
    /// Its elements, without the terminating zero.
    pub units: Box<[u32]>,
}

const FLOAT_SUFFIXES: &[&str] = &[
    "", "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "q", "w", "bf16", "df", "dd", "dl",
];

/// Decodes a preprocessing number; the error says what is wrong with it.
pub(crate) fn decode_number(spelling: &str) -> Result<Literal, String> {
    let text: String = spelling.chars().filter(|&c| c != '\'').collect::<String>().to_lowercase();
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x', ..] => (16, &text[2..]),
        [b'0', b'b', ..] => (2, &text[2..]),
        [b'0', next, ..] if next.is_ascii_digit() => (8, &text[1..]),
        _ => (10, text.as_str()),
    };
    let exponent = if radix == 16 { 'p' } else { 'e' };
    let mantissa = digits.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(digits.len());
    let floating = radix != 2 && digits[mantissa..].starts_with(['.', exponent]);
    // `f` is a digit in base 16, and a suffix of a decimal number only after a fraction (GNU too).
    if floating {
        floating_number(&text, radix, spelling)
    } else {
        integer(digits, radix, spelling)
    }
}

fn integer(digits: &str, radix: u32, spelling: &str) -> Result<Literal, String> {
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() && radix != 8 {
        return Err(format!("`{spelling}` has no digits after its prefix"));
    }
    if radix == 8 && suffix.starts_with(['8', '9']) {
        return Err(format!("invalid digit in the octal number `{spelling}`"));
    }
    let mut value: u64 = 0;
    for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
        value = value
            .checked_mul(radix.into())
            .and_then(|v| v.checked_add(digit.into()))
            .ok_or_else(|| format!("the number `{spelling}` is too large for any integer type"))?;
    }
    let imaginary = suffix.contains(['i', 'j']);
    let plain: String = suffix.chars().filter(|c| !matches!(c, 'i' | 'j')).collect();
    let suffix = match plain.as_str() {
        "" => IntegerSuffix { unsigned: false, longs: 0 },
        "u" => IntegerSuffix { unsigned: true, longs: 0 },
        "l" => IntegerSuffix { unsigned: false, longs: 1 },
        "ul" | "lu" => IntegerSuffix { unsigned: true, longs: 1 },
        "ll" | "z" => IntegerSuffix { unsigned: false, longs: 2 },
        "ull" | "llu" | "uz" | "zu" => IntegerSuffix { unsigned: true, longs: 2 },
        _ => return Err(format!("invalid suffix `{suffix}` on the integer `{spelling}`")),
    };
    Ok(Literal::Integer { value, decimal: radix == 10, suffix, imaginary })
}

fn floating_number(text: &str, radix: u32, spelling: &str) -> Result<Literal, String> {
    // A leading 0 is no prefix here.
    let (exponent, radix) = if radix == 16 { (b'p', 16) } else { (b'e', 10) };
    let bytes = text.as_bytes();
    let mut end = if radix == 16 { 2 } else { 0 };
    let mut seen_exponent = false;
    while let Some(&byte) = bytes.get(end) {
        let digit =
            if seen_exponent { byte.is_ascii_digit() } else { (byte as char).is_digit(radix) };
        if byte == exponent && !seen_exponent {
            seen_exponent = true;
            if matches!(bytes.get(end + 1), Some(b'+' | b'-')) {
                end += 1;
            }
        } else if !digit && (byte != b'.' || seen_exponent) {
            break;
        }
        end += 1;
    }
    let (number, suffix) = text.split_at(end);
    if number.ends_with(['e', '+', '-']) && radix != 16 || number.ends_with(['p', '+', '-']) {
        return Err(format!("the exponent of `{spelling}` has no digits"));
    }
    if radix == 16 && !seen_exponent {
        return Err(format!(
            "the hexadecimal floating constant `{spelling}` needs an exponent `p`"
        ));
    }
    let invalid = || format!("`{spelling}` is not a number");
    let imaginary = suffix.contains(['i', 'j']);
    let real = suffix.replacen(['i', 'j'], "", 1);
    let suffix = FLOAT_SUFFIXES.iter().find(|&&s| s == real).ok_or_else(|| {
        format!("invalid suffix `{suffix}` on the floating constant `{spelling}`")
    })?;
    let single = matches!(*suffix, "f" | "f32");
    let value = if radix == 16 {
        hexadecimal(&number[2..], single).ok_or_else(invalid)?
    } else if single {
        // Once, to float: through double it could round twice.
        number.parse::<f32>().map_err(|_| invalid())?.into()
    } else {
        number.parse::<f64>().map_err(|_| invalid())?
    };
    Ok(Literal::Floating { value, suffix, imaginary })
}

/// `mantissa p exponent` in base 16, rounded once to nearest even.
fn hexadecimal(text: &str, single: bool) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if fraction.contains('.') || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // An exponent of many digits is out of range either way.
    let exponent: i64 =
        exponent.parse().unwrap_or(if exponent.starts_with('-') { -99_999 } else { 99_999 });
    let mut exponent = exponent.clamp(-99_999, 99_999) - 4 * fraction.len() as i64;
    let mut bits: u128 = 0;
    let mut sticky = false;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = digit.to_digit(16)?;
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
        } else {
            exponent += 4;
            sticky |= digit != 0;
        }
    }
    if bits == 0 {
        return Some(0.0);
    }
    let (precision, least, largest) = if single { (24, -149, 128) } else { (53, -1074, 1024) };
    let top = i64::from(128 - bits.leading_zeros()) + exponent;
    // The weight of the last bit that the result keeps.
    let unit = (top - precision).max(least);
    let shift = unit - exponent;
    let kept = match shift {
        ..=0 => bits << (-shift).min(127),
        1..=127 => {
            let half = 1u128 << (shift - 1);
            let (kept, rest) = (bits >> shift, bits & (half * 2 - 1));
            let up = rest > half || rest == half && (sticky || kept & 1 == 1);
            kept + u128::from(up)
        }
        _ => 0,
    };
    if i64::from(128 - kept.leading_zeros()) + unit > largest {
        return Some(f64::INFINITY);
    }
    // Exact: `kept` has at most 53 bits, and each step keeps the value representable in double.
    let mut value = kept as f64;
    let mut unit = unit;
    while unit > 0 {
        let step = unit.min(1000);
        value *= 2f64.powi(step as i32);
        unit -= step;
    }
    while unit < 0 {
        let step = (-unit).min(1000);
        value *= 2f64.powi(-(step as i32));
        unit += step;
    }
    Some(value)
}

fn prefix(spelling: &str) -> (CharacterType, &str) {
    let (element, rest) = match spelling.as_bytes() {
        [b'u', b'8', ..] => (CharacterType::Char, &spelling[2..]),
        [b'L', ..] => (CharacterType::Wide, &spelling[1..]),
        [b'u', ..] => (CharacterType::Char16, &spelling[1..]),
        [b'U', ..] => (CharacterType::Char32, &spelling[1..]),
        _ => (CharacterType::Char, spelling),
    };
    let inner = rest.get(1..).unwrap_or("");
    let closed = inner.ends_with(['"', '\'']);
    (element, if closed { &inner[..inner.len() - 1] } else { inner })
}

/// Text of a program whose literals may be in another encoding than UTF-8: bytes that are none become escapes (`\374`), which are the same
/// bytes to every compiler.
pub(crate) fn with_escapes(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        escaped.push_str(chunk.valid());
        escaped.extend(chunk.invalid().iter().map(|byte| format!("\\{byte:03o}")));
    }
    escaped.into()
}

/// Appends the units of a literal's inside, escapes decoded, in `element`'s encoding.
fn units(text: &str, element: CharacterType, out: &mut Vec<u32>) -> Result<(), String> {
    let mut chars = text.chars().peekable();
    let mask = match element {
        CharacterType::Char => 0xff,
        CharacterType::Char16 => 0xffff,
        CharacterType::Wide | CharacterType::Char32 => u32::MAX,
    };
    let encode = |c: char, out: &mut Vec<u32>| match element {
        CharacterType::Char => out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
        CharacterType::Char16 => {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u)))
        }
        CharacterType::Wide | CharacterType::Char32 => out.push(c as u32),
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            encode(c, out);
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let simple = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '0'..='7' => {
                let mut value = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) {
                        value = value * 8 + digit;
                        chars.next();
                    }
                }
                value & mask
            }
            'x' => {
                let mut value: u32 = 0;
                let mut any = false;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value << 4 | digit;
                    any = true;
                    chars.next();
                }
                if !any {
                    return Err("`\\x` needs hexadecimal digits after it".to_owned());
                }
                value & mask
            }
            'u' | 'U' => {
                let mut value: u32 = 0;
                for _ in 0..if escape == 'u' { 4 } else { 8 } {
                    let digit = chars.next().and_then(|c| c.to_digit(16));
                    value = value << 4
                        | digit
                            .ok_or_else(|| format!("`\\{escape}` needs more hexadecimal digits"))?;
                }
                let c = char::from_u32(value)
                    .ok_or_else(|| format!("`\\{escape}{value:04x}` is not a character"))?;
                encode(c, out);
                continue;
            }
            '\n' => continue,
            other => other as u32,
        };
        out.push(simple);
    }
    Ok(())
}

/// Decodes a character constant: its value as an `int` (or its wide type), GNU's multi-character
/// constants included. `unsigned` says whether `char` has no negative values.
pub(crate) fn decode_character(
    spelling: &str,
    unsigned: bool,
) -> Result<(CharacterType, i64), String> {
    let (element, inside) = prefix(spelling);
    let mut out = Vec::new();
    units(inside, element, &mut out)?;
    let value = match (element, out.as_slice()) {
        (_, []) => return Err("a character constant needs a character".to_owned()),
        (CharacterType::Char, [one]) if unsigned || spelling.starts_with('u') => i64::from(*one),
        (CharacterType::Char, [one]) => i64::from(*one as u8 as i8),
        (CharacterType::Char, many) => {
            i64::from(many.iter().fold(0u32, |value, unit| value << 8 | unit) as i32)
        }
        (CharacterType::Wide, many) => i64::from(many[many.len() - 1] as i32),
        (_, many) => i64::from(many[many.len() - 1]),
    };
    Ok((element, value))
}

/// Decodes adjacent string literals into one.
pub(crate) fn decode_strings(spellings: &[&str]) -> Result<StringLiteral, String> {
    let element = spellings
        .iter()
        .map(|s| prefix(s).0)
        .find(|&e| e != CharacterType::Char)
        .unwrap_or(CharacterType::Char);
    let mut out = Vec::new();
    for spelling in spellings {
        units(prefix(spelling).1, element, &mut out)?;
    }
    Ok(StringLiteral { element, units: out.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_other_encodings_stay() {
        assert_eq!(with_escapes("\"Gr\u{fc}\"".as_bytes()), "\"Gr\u{fc}\"");
        assert_eq!(with_escapes(b"\"Gr\xfc\xdfe1\""), "\"Gr\\374\\337e1\"");
        assert_eq!(
            decode_character(&with_escapes(b"'\xdb'"), false),
            Ok((CharacterType::Char, -37))
        );
    }

    #[test]
    fn numbers() {
        let int = |value, decimal, unsigned, longs| {
            let suffix = IntegerSuffix { unsigned, longs };
            Ok(Literal::Integer { value, decimal, suffix, imaginary: false })
        };
        let float = |value, suffix| Ok(Literal::Floating { value, suffix, imaginary: false });
        for (text, expected) in [
            ("0", int(0, true, false, 0)),
            ("0755u", int(0o755, false, true, 0)),
            ("0x1FfULL", int(0x1ff, false, true, 2)),
            ("0b1010'1010", int(170, false, false, 0)),
            ("18446744073709551615", int(u64::MAX, true, false, 0)),
            ("1.5f", float(1.5, "f")),
            ("1e3", float(1000.0, "")),
            (".5L", float(0.5, "l")),
            ("09.5", float(9.5, "")),
            ("0.1f", float(f64::from(0.1f32), "f")),
            ("0x1.8p1", float(3.0, "")),
            ("0x1p-1074", float(f64::from_bits(1), "")),
            ("0x1.fffffffffffff8p1023", float(f64::INFINITY, "")),
            ("0x1.000001p0f", float(1.0, "f")),
            ("0x1.000003p0f", float(1.0 + 2.0 * f64::from(f32::EPSILON), "f")),
            ("3.0f128", float(3.0, "f128")),
        ] {
            assert_eq!(decode_number(text), expected, "{text}");
        }
        for text in ["1x", "0x", "08", "1.5q7", "1e", "0x1.8", "99999999999999999999", "1..2"] {
            assert!(decode_number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn characters_and_strings() {
        for (text, value) in [
            ("'a'", 97),
            ("'\\n'", 10),
            ("'\\xff'", -1),
            ("'\\0'", 0),
            ("'ab'", 24930),
            ("L'é'", 233),
        ] {
            assert_eq!(decode_character(text, false).map(|c| c.1), Ok(value), "{text}");
        }
        assert!(decode_character("''", false).is_err());
        let decoded = decode_strings(&["\"a\\tb\"", "\"\\101é\""]).unwrap();
        assert_eq!(&*decoded.units, [97, 9, 98, 65, 0xc3, 0xa9]);
        assert_eq!(decode_strings(&["\"a\"", "L\"é\""]).unwrap().units.len(), 2);
    }
}
