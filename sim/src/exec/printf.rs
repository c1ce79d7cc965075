//! Formatting as C's `printf` (ISO C11 §7.21.6.1), with the sizes of the device's types.

/// One conversion: flags, width, precision.
#[derive(Clone, Copy, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Widths and precisions are cut to this.
const MAX_WIDTH: usize = 1 << 12;

/// Formats arguments that `next` gives by their size in bytes, strings that `string` reads. The text
/// and the number of arguments; `None` if an argument cannot be read.
pub(super) fn format(
    format: &[u8],
    mut next: impl FnMut(u64) -> Option<u64>,
    string: impl Fn(u64) -> Option<Vec<u8>>,
) -> Option<(Vec<u8>, i32)> {
    let mut out = Vec::new();
    let mut count = 0;
    let mut rest = format;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = rest;
        let mut spec = Spec::default();
        while let Some((&flag, tail)) = rest.split_first() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            rest = tail;
        }
        let mut number = |rest: &mut &[u8]| -> Option<i64> {
            if let Some(tail) = rest.strip_prefix(b"*") {
                *rest = tail;
                count += 1;
                return Some(i64::from(next(4)? as u32 as i32));
            }
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let value = rest[..digits]
                .iter()
                .fold(0i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(1 << 20));
            *rest = &rest[digits..];
            Some(value)
        };
        let width = number(&mut rest)?;
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
        if let Some(tail) = rest.strip_prefix(b".") {
            rest = tail;
            let precision = number(&mut rest)?;
            spec.precision = (precision >= 0).then_some((precision as usize).min(MAX_WIDTH));
        }
        let letters = rest.iter().take_while(|b| b"hlLqjzt".contains(b)).count();
        let length = &rest[..letters];
        rest = &rest[letters..];
        let Some((&conversion, tail)) = rest.split_first() else {
            // An unfinished conversion is text.
            out.push(b'%');
            out.extend_from_slice(start);
            break;
        };
        rest = tail;
        let bytes = match length {
            b"l" | b"ll" | b"L" | b"q" | b"j" | b"z" | b"t" => 8,
            _ => 4,
        };
        let narrowed = |value: u64| match length {
            b"hh" => value & 0xff,
            b"h" => value & 0xffff,
            _ => value,
        };
        if conversion != b'%' {
            count += 1;
        }
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let bits = match length {
                    b"hh" => 8,
                    b"h" => 16,
                    _ => 8 * bytes as u32,
                };
                let value = (next(bytes)? << (64 - bits)) as i64 >> (64 - bits);
                integer(&mut out, spec, value < 0, &value.unsigned_abs().to_string(), "", true);
            }
            b'u' => {
                let value = narrowed(next(bytes)?);
                integer(&mut out, spec, false, &value.to_string(), "", false);
            }
            b'o' => {
                let value = narrowed(next(bytes)?);
                let mut digits = format!("{value:o}");
                if spec.alternative && !digits.starts_with('0') {
                    digits.insert(0, '0');
                }
                integer(&mut out, spec, false, &digits, "", false);
            }
            b'x' | b'X' => {
                let value = narrowed(next(bytes)?);
                let (digits, prefix) = if conversion == b'x' {
                    (format!("{value:x}"), "0x")
                } else {
                    (format!("{value:X}"), "0X")
                };
                let prefix = if spec.alternative && value != 0 { prefix } else { "" };
                integer(&mut out, spec, false, &digits, prefix, false);
            }
            b'c' => {
                let value = next(4)? as u8;
                pad(&mut out, spec, &[value]);
            }
            b's' => {
                let address = next(8)?;
                let text = if address == 0 { b"(null)".to_vec() } else { string(address)? };
                let shown = spec.precision.unwrap_or(text.len()).min(text.len());
                pad(&mut out, spec, &text[..shown]);
            }
            b'p' => match next(8)? {
                0 => pad(&mut out, spec, b"(nil)"),
                value => pad(&mut out, spec, format!("{value:#x}").as_bytes()),
            },
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                float(&mut out, spec, conversion, f64::from_bits(next(8)?));
            }
            other => {
                // What C leaves undefined is shown as it stands.
                out.push(b'%');
                out.push(other);
            }
        }
    }
    Some((out, count))
}

fn pad(out: &mut Vec<u8>, spec: Spec, text: &[u8]) {
    let fill = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

/// A number with its sign and prefix, zeros between them and the digits where they fill the width.
fn number(out: &mut Vec<u8>, spec: Spec, sign: &str, prefix: &str, digits: &str, zeros: bool) {
    let mut text = format!("{sign}{prefix}");
    let fill = spec.width.saturating_sub(text.len() + digits.len());
    if zeros && !spec.left {
        text.push_str(&"0".repeat(fill));
    }
    text.push_str(digits);
    pad(out, spec, text.as_bytes());
}

fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(
    out: &mut Vec<u8>,
    spec: Spec,
    negative: bool,
    digits: &str,
    prefix: &str,
    signed: bool,
) {
    let sign = if signed { sign(spec, negative) } else { "" };
    let digits = match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => {
            format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len())))
        }
        None => digits.into(),
    };
    number(out, spec, sign, prefix, &digits, spec.zero && spec.precision.is_none());
}

fn float(out: &mut Vec<u8>, spec: Spec, conversion: u8, value: f64) {
    let sign = sign(spec, value.is_sign_negative());
    let upper = conversion.is_ascii_uppercase();
    let cased = |text: String| if upper { text.to_ascii_uppercase() } else { text };
    let value = value.abs();
    if !value.is_finite() {
        let word = if value.is_nan() { "nan" } else { "inf" };
        number(out, spec, sign, "", &cased(word.into()), false);
        return;
    }
    let precision = spec.precision.unwrap_or(6);
    let (prefix, digits) = match conversion.to_ascii_lowercase() {
        b'f' => ("", with_point(format!("{value:.precision$}"), spec.alternative)),
        b'e' => ("", exponential(value, precision, spec.alternative)),
        b'a' => ("0x", hexadecimal(value, spec)),
        _ => ("", general(value, precision.max(1), spec.alternative)),
    };
    number(out, spec, sign, &cased(prefix.into()), &cased(digits), spec.zero);
}

fn with_point(digits: String, alternative: bool) -> String {
    if alternative && !digits.contains('.') { digits + "." } else { digits }
}

/// `d.ddde±dd`.
fn exponential(value: f64, precision: usize, alternative: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = with_point(mantissa.into(), alternative);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// The shorter of both forms, without the zeros at the end.
fn general(value: f64, precision: usize, alternative: bool) -> String {
    let rounded = format!("{value:.*e}", precision - 1);
    let exponent: i32 =
        rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let fixed = exponent >= -4 && exponent < precision as i32;
    let text = if fixed {
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        with_point(format!("{value:.decimals$}"), alternative)
    } else {
        exponential(value, precision - 1, alternative)
    };
    if alternative || !text.contains('.') {
        return text;
    }
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}{exponent}")
}

/// `h.hhhp±d`: one bit before the point, rounded to even where the precision cuts.
fn hexadecimal(value: f64, spec: Spec) -> String {
    let bits = value.to_bits();
    let mut fraction = bits & ((1 << 52) - 1);
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut lead = 1u64;
    if exponent == -1023 {
        lead = 0;
        exponent = if fraction == 0 { 0 } else { -1022 };
    }
    let mut digits = 13;
    match spec.precision {
        Some(precision) if precision < 13 => {
            let drop = 4 * (13 - precision) as u32;
            let whole = lead << 52 | fraction;
            let (kept, rest) = (whole >> drop, whole & ((1 << drop) - 1));
            let half = 1u64 << (drop - 1);
            let kept = kept + u64::from(rest > half || (rest == half && kept & 1 != 0));
            lead = kept >> (52 - drop);
            fraction = kept & ((1 << (52 - drop)) - 1);
            digits = precision;
        }
        Some(_) => {}
        None => {
            while digits > 0 && fraction & 15 == 0 {
                fraction >>= 4;
                digits -= 1;
            }
        }
    }
    let mut text = lead.to_string();
    if digits > 0 || spec.alternative {
        text.push('.');
    }
    if digits > 0 {
        text.push_str(&format!("{fraction:0digits$x}"));
    }
    if let Some(precision) = spec.precision {
        text.push_str(&"0".repeat(precision.saturating_sub(13)));
    }
    format!("{text}p{exponent:+}")
}
