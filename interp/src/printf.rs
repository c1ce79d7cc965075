//! C's formatted output.

use crate::value::{Float, RtValue};
use gpuc_ir::FloatKind;

/// The shortest decimal that reads back as the same number of the format.
pub(crate) fn shortest(float: Float) -> String {
    let value = float.value();
    if value.is_nan() {
        return if float.is_negative() { "-nan" } else { "nan" }.to_owned();
    }
    let magnitude = value.abs();
    let plain = magnitude == 0.0 || magnitude.is_infinite() || (1e-5..1e16).contains(&magnitude);
    match (float.kind(), plain) {
        (FloatKind::F64, true) => format!("{value}"),
        (FloatKind::F64, false) => format!("{value:e}"),
        // Half precision is shown as the single-precision number that equals it.
        (_, true) => format!("{}", value as f32),
        (_, false) => format!("{:e}", value as f32),
    }
}

/// A conversion specification.
#[derive(Debug, Default)]
struct Conversion {
    left: bool,
    sign: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

/// No field is wider: a hostile format must not exhaust memory.
const WIDEST: usize = 4096;

/// The text that C's `printf` makes of a format and values. Length modifiers are skipped: values
/// know their widths.
pub(crate) fn format(format: &str, values: &[RtValue]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = format.chars().peekable();
    let mut values = values.iter();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut conversion = Conversion::default();
        while let Some(&flag) = rest.peek() {
            match flag {
                '-' => conversion.left = true,
                '+' => conversion.sign = true,
                ' ' => conversion.space = true,
                '#' => conversion.alternate = true,
                '0' => conversion.zeros = true,
                _ => break,
            }
            rest.next();
        }
        let number = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut value = 0usize;
            while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                value = (value * 10 + digit as usize).min(WIDEST);
                rest.next();
            }
            value
        };
        conversion.width = number(&mut rest);
        if rest.next_if_eq(&'.').is_some() {
            conversion.precision = Some(number(&mut rest));
        }
        while rest.next_if(|c| "hlLqjzt".contains(*c)).is_some() {}
        let Some(letter) = rest.next() else {
            return Err("has a format that ends within a conversion".to_owned());
        };
        if letter == '%' {
            out.push('%');
            continue;
        }
        let Some(value) = values.next() else {
            return Err("has more conversions in its format than values".to_owned());
        };
        out += &conversion.apply(letter, value)?;
    }
    Ok(out)
}

impl Conversion {
    fn apply(&self, letter: char, value: &RtValue) -> Result<String, String> {
        let wrong = || format!("has a conversion '%{letter}' for another kind of value");
        match (letter, value) {
            ('d' | 'i', RtValue::Int(int)) => {
                let value = int.signed();
                Ok(self.integer(value < 0, value.unsigned_abs().to_string(), ""))
            }
            ('u', RtValue::Int(int)) => Ok(self.integer(false, int.unsigned().to_string(), "")),
            ('x', RtValue::Int(int)) => {
                Ok(self.integer(false, format!("{:x}", int.unsigned()), "0x"))
            }
            ('X', RtValue::Int(int)) => {
                Ok(self.integer(false, format!("{:X}", int.unsigned()), "0X"))
            }
            ('o', RtValue::Int(int)) => {
                Ok(self.integer(false, format!("{:o}", int.unsigned()), "0"))
            }
            ('p', RtValue::Int(int)) => Ok(self.pad("", &format!("{:#x}", int.unsigned()), false)),
            ('c', RtValue::Int(int)) => {
                Ok(self.pad("", &char::from(int.unsigned() as u8).to_string(), false))
            }
            ('f' | 'F' | 'e' | 'E' | 'g' | 'G', RtValue::Float(float)) => {
                Ok(self.float(letter, *float))
            }
            (
                'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'p' | 'c' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G',
                _,
            ) => Err(wrong()),
            _ => Err(format!("has a conversion '%{letter}' that is not supported")),
        }
    }

    fn prefix(&self, negative: bool) -> &'static str {
        match (negative, self.sign, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(&self, negative: bool, digits: String, alternate: &str) -> String {
        let mut prefix = self.prefix(negative).to_owned();
        if self.alternate && digits != "0" {
            prefix += alternate;
        }
        let least = self.precision.unwrap_or(1);
        let digits = if least == 0 && digits == "0" { String::new() } else { digits };
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        // A precision turns the flag for zeros off.
        self.pad(&prefix, &(zeros + &digits), self.zeros && self.precision.is_none())
    }

    fn float(&self, letter: char, float: Float) -> String {
        let value = float.value();
        let prefix = self.prefix(float.is_negative());
        let magnitude = value.abs();
        let upper = letter.is_uppercase();
        let (text, zeros) = if value.is_nan() || value.is_infinite() {
            (if value.is_nan() { "nan" } else { "inf" }.to_owned(), false)
        } else {
            let precision = self.precision.unwrap_or(6);
            let text = match letter.to_ascii_lowercase() {
                'f' => fixed(magnitude, precision, self.alternate),
                'e' => exponential(magnitude, precision, self.alternate),
                _ => general(magnitude, precision, self.alternate),
            };
            (text, self.zeros)
        };
        let text = if upper { text.to_uppercase() } else { text };
        self.pad(prefix, &text, zeros)
    }

    fn pad(&self, prefix: &str, text: &str, zeros: bool) -> String {
        let missing = self.width.saturating_sub(prefix.len() + text.len());
        if self.left {
            format!("{prefix}{text}{}", " ".repeat(missing))
        } else if zeros {
            format!("{prefix}{}{text}", "0".repeat(missing))
        } else {
            format!("{}{prefix}{text}", " ".repeat(missing))
        }
    }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$}");
    if point && precision == 0 { text + "." } else { text }
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    // The exponent that the number has once it is rounded to so many digits.
    let rounded = exponential(value, precision - 1, false);
    let exponent = rounded.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    let trim = |digits: &str| {
        if keep_zeros || !digits.contains('.') {
            return digits.to_owned();
        }
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (digits, power) = rounded.split_once('e').unwrap_or((&rounded, "+00"));
        return format!("{}e{power}", trim(digits));
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(&fixed(value, decimals, keep_zeros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_like_c() {
        let d = RtValue::f64;
        for (text, values, expected) in [
            ("%d|%5d|%-5d|%05d", vec![RtValue::i32(-7); 4], "-7|   -7|-7   |-0007"),
            ("%u %x %#X", vec![RtValue::i32(-1); 3], "4294967295 ffffffff 0XFFFFFFFF"),
            ("%+lld%%%.3d", vec![RtValue::i64(5); 2], "+5%005"),
            ("%f %.2f %10.3f|", vec![d(1.5), d(2.675), d(-3.25)], "1.500000 2.67     -3.250|"),
            ("%e %.0e %E", vec![d(12345.678), d(5e-7), d(0.0)], "1.234568e+04 5e-07 0.000000E+00"),
            (
                "%g %g %g %g %g",
                vec![d(0.0001), d(0.00001), d(123456.0), d(1234567.0), d(0.5)],
                "0.0001 1e-05 123456 1.23457e+06 0.5",
            ),
            ("%g %f %5g", vec![d(f64::NAN), d(f64::INFINITY), d(-0.0)], "nan inf    -0"),
            ("%c%c", vec![RtValue::i32(65), RtValue::i32(10)], "A\n"),
        ] {
            assert_eq!(format(text, &values).as_deref(), Ok(expected), "{text}");
        }
        for (text, values) in
            [("%d", vec![]), ("%d", vec![d(1.0)]), ("%", vec![]), ("%s", vec![d(1.0)])]
        {
            assert!(format(text, &values).is_err(), "{text}");
        }
    }

    #[test]
    fn shortest_texts() {
        for (value, text) in
            [(0.1f32, "0.1"), (1.0, "1"), (1e20, "1e20"), (-0.0, "-0"), (1e-7, "1e-7")]
        {
            assert_eq!(shortest(Float::new(value.into(), FloatKind::F32)), text);
        }
    }
}
