//! Random expressions without undefined behaviour.
//!
//! Each integer expression carries the interval of its values. Signed arithmetic whose interval
//! fits its type is written as it is, other arithmetic is done in the unsigned type.

use super::random::Random;
use super::scalar::Scalar;

/// An expression with what is known of its value.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its text; needs no more parentheses.
    pub text: String,
    /// Its type.
    pub scalar: Scalar,
    /// The smallest value, where it is an integer.
    pub low: i128,
    /// The largest value, where it is an integer.
    pub high: i128,
}

impl Expr {
    /// An expression that may have any value of its type.
    pub fn any(text: impl Into<String>, scalar: Scalar) -> Expr {
        let (low, high) = if scalar.is_float() { (0, 0) } else { scalar.range() };
        Expr { text: text.into(), scalar, low, high }
    }

    /// An expression whose values lie in `low..=high`.
    pub fn between(text: impl Into<String>, scalar: Scalar, low: i128, high: i128) -> Expr {
        Expr { text: text.into(), scalar, low, high }
    }

    /// Converted to `scalar`, as a cast does; a float is brought into the range first.
    pub fn cast(&self, scalar: Scalar) -> Expr {
        let name = scalar.name();
        if scalar == Scalar::Bool && !self.scalar.is_float() {
            return Expr::any(format!("(_Bool){}", wrapped(&self.text)), scalar);
        }
        if self.scalar.is_float() && !scalar.is_float() {
            let (low, high) = match scalar {
                Scalar::Bool => return Expr::any(format!("({} != 0)", self.text), Scalar::I32),
                Scalar::I8 | Scalar::U8 => (0, 100),
                Scalar::I16 | Scalar::U16 => (0, 30000),
                _ if scalar.is_signed() => (-2_000_000, 2_000_000),
                _ => (0, 4_000_000),
            };
            let text = format!("({name})fmin(fmax({}, {low}), {high})", self.text);
            return Expr::between(format!("({text})"), scalar, low, high);
        }
        if scalar.is_float() {
            return Expr::any(format!("({name}){}", wrapped(&self.text)), scalar);
        }
        let (low, high) = scalar.range();
        let text = format!("({name}){}", wrapped(&self.text));
        if self.low >= low && self.high <= high {
            Expr::between(text, scalar, self.low, self.high)
        } else {
            Expr::any(text, scalar)
        }
    }

    /// Its interval after conversion to an integer type.
    fn interval_as(&self, scalar: Scalar) -> (i128, i128) {
        let (low, high) = scalar.range();
        if self.low >= low && self.high <= high { (self.low, self.high) } else { (low, high) }
    }
}

fn wrapped(text: &str) -> String {
    if text.starts_with('(') && text.ends_with(')') {
        // `(a) + (b)` starts and ends so, too; one more pair is always right.
        return format!("({text})");
    }
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// Makes expressions from `leaves` (variables and array elements that may be read).
pub struct Maker<'a> {
    /// The source of choices.
    pub random: &'a mut Random,
    /// What may be read.
    pub leaves: &'a [Expr],
    /// Names of helper functions with two integer parameters and an `int` result.
    pub calls: &'a [&'a str],
}

impl Maker<'_> {
    /// An expression of any integer type.
    pub fn integer(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(7) {
            return self.leaf();
        }
        let a = self.integer(depth - 1);
        match self.random.below(24) {
            0..=7 => {
                let b = self.integer(depth - 1);
                let op = self.random.pick(&["+", "-", "*"]);
                arithmetic(op, &a, &b)
            }
            8 | 9 => self.quotient(&a, depth),
            10 | 11 => {
                let b = self.integer(depth - 1);
                let op = self.random.pick(&["&", "|", "^"]);
                let scalar = a.scalar.common(b.scalar);
                let text = format!("({} {op} {})", a.text, b.text);
                let (al, ah) = a.interval_as(scalar);
                let (bl, bh) = b.interval_as(scalar);
                if op == "&" && (al >= 0 || bl >= 0) {
                    let high = if al < 0 {
                        bh
                    } else if bl < 0 {
                        ah
                    } else {
                        ah.min(bh)
                    };
                    Expr::between(text, scalar, 0, high)
                } else {
                    Expr::any(text, scalar)
                }
            }
            12 => {
                let scalar = a.scalar.promoted();
                let b = self.integer(depth - 1);
                let (unsigned, mask) = (scalar.unsigned().name(), scalar.width() - 1);
                let shifted =
                    format!("(({unsigned}){} << ({} & {mask}))", wrapped(&a.text), b.text);
                Expr::any(shifted, scalar.unsigned())
            }
            13 => {
                let scalar = a.scalar.promoted();
                let b = self.integer(depth - 1);
                let mask = scalar.width() - 1;
                let (low, high) = a.interval_as(scalar);
                let text = format!("({} >> ({} & {mask}))", a.text, b.text);
                Expr::between(text, scalar, low.min(0), high.max(-1))
            }
            14 => {
                let b = self.integer(depth - 1);
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
                Expr::between(format!("({} {op} {})", a.text, b.text), Scalar::I32, 0, 1)
            }
            15 => {
                let scalar = a.scalar.promoted();
                let (low, high) = a.interval_as(scalar);
                match self.random.below(3) {
                    0 => Expr::any(format!("(~{})", wrapped(&a.text)), scalar),
                    1 => Expr::between(format!("(!{})", wrapped(&a.text)), Scalar::I32, 0, 1),
                    _ if !scalar.is_signed() => {
                        Expr::any(format!("(-{})", wrapped(&a.text)), scalar)
                    }
                    _ if low > scalar.range().0 => {
                        Expr::between(format!("(-{})", wrapped(&a.text)), scalar, -high, -low)
                    }
                    _ => arithmetic("-", &Expr::between("0", Scalar::I32, 0, 0), &a),
                }
            }
            16 | 17 => {
                let (b, c) = (self.integer(depth - 1), self.integer(depth - 1));
                let scalar = b.scalar.common(c.scalar);
                let (bl, bh) = b.interval_as(scalar);
                let (cl, ch) = c.interval_as(scalar);
                let text = format!("({} ? {} : {})", a.text, b.text, c.text);
                Expr::between(text, scalar, bl.min(cl), bh.max(ch))
            }
            18..=20 => {
                let scalar = Scalar::INTEGERS[self.random.below(9)];
                let cast = a.cast(scalar);
                Expr { text: format!("({})", cast.text), ..cast }
            }
            21 if !self.calls.is_empty() => {
                let b = self.integer(depth - 1);
                let call = self.calls[self.random.below(self.calls.len())];
                let (a, b) = (a.cast(Scalar::I32), b.cast(Scalar::I64));
                Expr::any(format!("{call}({}, {})", a.text, b.text), Scalar::I32)
            }
            22 => {
                let float = self.float(depth - 1);
                let scalar =
                    [Scalar::I32, Scalar::I64, Scalar::U8, Scalar::I16][self.random.below(4)];
                float.cast(scalar)
            }
            _ => {
                let (b, c) = (self.float(depth - 1), self.float(depth - 1));
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                Expr::between(format!("({} {op} {})", b.text, c.text), Scalar::I32, 0, 1)
            }
        }
    }

    /// A `float` or a `double` whose bits are the same everywhere, NaN apart.
    pub fn float(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(6) {
            let floats: Vec<&Expr> = self.leaves.iter().filter(|l| l.scalar.is_float()).collect();
            if !floats.is_empty() && !self.random.one_in(4) {
                return (*self.random.pick(&floats)).clone();
            }
            let value = self.random.within(-1000, 1000);
            let eighth = value as f64 / 8.0;
            return if self.random.one_in(2) {
                Expr::any(format!("({eighth:?}f)"), Scalar::F32)
            } else {
                Expr::any(format!("({eighth:?})"), Scalar::F64)
            };
        }
        let a = self.float(depth - 1);
        match self.random.below(12) {
            0..=4 => {
                let b = self.float(depth - 1);
                let op = self.random.pick(&["+", "-", "*", "/"]);
                let scalar = a.scalar.common(b.scalar);
                Expr::any(format!("({} {op} {})", a.text, b.text), scalar)
            }
            5 => {
                let b = self.integer(depth - 1);
                let op = self.random.pick(&["+", "-", "*", "/"]);
                Expr::any(format!("({} {op} {})", a.text, b.text), a.scalar.common(b.scalar))
            }
            6 => {
                let scalar = if self.random.one_in(2) { Scalar::F32 } else { Scalar::F64 };
                Expr::any(format!("(({}){})", scalar.name(), a.text), scalar)
            }
            7 => {
                let (name, scalar) = match self.random.below(4) {
                    0 => ("sqrtf(fabsf(", Scalar::F32),
                    1 => ("sqrt(fabs(", Scalar::F64),
                    2 => ("floor((", Scalar::F64),
                    _ => ("truncf((", Scalar::F32),
                };
                Expr::any(format!("{name}{}))", a.text), scalar)
            }
            8 => {
                let b = self.float(depth - 1);
                // The sum makes one of the two zeros.
                let name = self.random.pick(&["fmin", "fmax"]);
                Expr::any(format!("({name}({}, {}) + 0.0)", a.text, b.text), Scalar::F64)
            }
            9 => {
                let (condition, b) = (self.integer(depth - 1), self.float(depth - 1));
                let text = format!("({} ? {} : {})", condition.text, a.text, b.text);
                Expr::any(text, a.scalar.common(b.scalar))
            }
            10 => Expr::any(format!("(-{})", wrapped(&a.text)), a.scalar),
            _ => self.integer(depth - 1).cast(Scalar::F64),
        }
    }

    /// A `double` from a function whose last bits may differ between libraries.
    pub fn inexact(&mut self) -> String {
        let argument = self.integer(2);
        let x = format!("((double)({} & 1023) / 64.0)", argument.cast(Scalar::I32).text);
        match self.random.below(8) {
            0 => format!("sin({x})"),
            1 => format!("cos({x})"),
            2 => format!("exp(-{x})"),
            3 => format!("log(1.0 + {x})"),
            4 => format!("pow({x} + 0.5, 1.25)"),
            5 => format!("atan2({x}, 3.0)"),
            6 => format!("cbrt({x})"),
            _ => format!("tanh({x} - 4.0)"),
        }
    }

    fn leaf(&mut self) -> Expr {
        let integers: Vec<&Expr> = self.leaves.iter().filter(|l| !l.scalar.is_float()).collect();
        if !integers.is_empty() && !self.random.one_in(4) {
            return (*self.random.pick(&integers)).clone();
        }
        literal(self.random)
    }

    fn quotient(&mut self, a: &Expr, depth: usize) -> Expr {
        let op = self.random.pick(&["/", "%"]);
        let divisor = match self.random.below(3) {
            0 => {
                let value = self.random.within(2, 1000);
                Expr::between(value.to_string(), Scalar::I32, value, value)
            }
            1 => {
                let value = self.random.within(2, 50);
                Expr::between(format!("(-{value})"), Scalar::I32, -value, -value)
            }
            _ => {
                let b = self.integer(depth - 1).cast(Scalar::U8);
                Expr::between(format!("(({} & 15) + 1)", b.text), Scalar::I32, 1, 16)
            }
        };
        let scalar = a.scalar.common(divisor.scalar);
        let text = format!("({} {op} {})", a.text, divisor.text);
        let (low, high) = a.interval_as(scalar);
        let most = low.abs().max(high.abs());
        if !scalar.is_signed() {
            return Expr::any(text, scalar);
        }
        let most = if op == "%" { most.min(999) } else { most };
        let (least, top) = scalar.range();
        Expr::between(text, scalar, (-most).max(least), most.min(top))
    }
}

/// `a op b`, in the unsigned type where the signed one could overflow.
fn arithmetic(op: &str, a: &Expr, b: &Expr) -> Expr {
    let scalar = a.scalar.common(b.scalar);
    let plain = format!("({} {op} {})", a.text, b.text);
    if !scalar.is_signed() {
        return Expr::any(plain, scalar);
    }
    let corners = |f: fn(i128, i128) -> i128| {
        let all = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    let (low, high) = match op {
        "+" => corners(|x, y| x + y),
        "-" => corners(|x, y| x - y),
        _ => corners(|x, y| x.saturating_mul(y)),
    };
    let (least, most) = scalar.range();
    if low >= least && high <= most {
        return Expr::between(plain, scalar, low, high);
    }
    let unsigned = scalar.unsigned().name();
    let text = format!(
        "(({})(({unsigned}){} {op} ({unsigned}){}))",
        scalar.name(),
        wrapped(&a.text),
        wrapped(&b.text)
    );
    Expr::any(text, scalar)
}

fn literal(random: &mut Random) -> Expr {
    let (text, scalar, value) = match random.below(9) {
        0..=3 => {
            let value = random.within(0, 20);
            (value.to_string(), Scalar::I32, value)
        }
        4 => {
            let value = random.within(0, i128::from(u32::MAX));
            (format!("{value:#x}u"), Scalar::U32, value)
        }
        5 => {
            let value = random.within(0, 1 << 40);
            (format!("{value}l"), Scalar::I64, value)
        }
        6 => ("'A'".to_owned(), Scalar::I32, 65),
        7 => ("2147483647".to_owned(), Scalar::I32, i128::from(i32::MAX)),
        _ => {
            let value = i128::from(random.bits());
            (format!("{value}ull"), Scalar::U64, value)
        }
    };
    Expr::between(text, scalar, value, value)
}
