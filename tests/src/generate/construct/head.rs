//! The loops that directives stand before.

use crate::generate::expression::Expr;
use crate::generate::random::Random;
use crate::generate::scalar::Scalar;

/// A loop's head and the names of what it runs over.
pub(super) struct Head {
    /// Its text.
    pub(super) text: String,
    /// The subscript that it reaches, each value once.
    pub(super) index: String,
    /// Its variable as an expression.
    pub(super) variable: Expr,
}

/// A head of a loop whose subscripts are `0..count`, some left out; `bound` is `count` as written.
pub(super) fn head(random: &mut Random, name: &str, bound: &str, count: i128) -> Head {
    let plain = |text: String, scalar: Scalar, low: i128, high: i128| Head {
        text: format!("for ({text})"),
        index: name.to_owned(),
        variable: Expr::between(name, scalar, low, high.max(low)),
    };
    let i = name;
    let last = count - 1;
    match random.below(16) {
        0 => plain(format!("int {i} = {bound} - 1; {i} >= 0; {i}--"), Scalar::I32, 0, last),
        1 => {
            plain(format!("unsigned {i} = 0; {i} < (unsigned){bound}; {i}++"), Scalar::U32, 0, last)
        }
        2 => plain(format!("long {i} = 0; {i} < {bound}; {i}++"), Scalar::I64, 0, last),
        3 => plain(
            format!("unsigned long long {i} = 0; {i} < (unsigned long long){bound}; ++{i}"),
            Scalar::U64,
            0,
            last,
        ),
        4 => {
            let step = random.within(2, 5);
            plain(format!("int {i} = 0; {i} < {bound}; {i} += {step}"), Scalar::I32, 0, last)
        }
        5 => plain(format!("int {i} = 0; {i} <= {bound} - 1; {i} += 1"), Scalar::I32, 0, last),
        6 => plain(format!("int {i} = 0; {bound} > {i}; {i}++"), Scalar::I32, 0, last),
        7 => Head {
            text: format!("for (int {i} = 5; {i} < {bound} + 5; {i}++)"),
            index: format!("{i} - 5"),
            variable: Expr::between(i, Scalar::I32, 5, (count + 4).max(5)),
        },
        8 if count < 100 => {
            plain(format!("signed char {i} = 0; {i} < {bound}; {i}++"), Scalar::I8, 0, last)
        }
        9 => plain(format!("short {i} = 0; {i} < {bound}; {i} = {i} + 1"), Scalar::I16, 0, last),
        10 => {
            let step = random.within(2, 7);
            plain(format!("long {i} = {bound} - 1l; {i} >= 0; {i} -= {step}"), Scalar::I64, 0, last)
        }
        11 => Head {
            text: format!("for (int {i} = -3; {i} < {bound} - 3; {i}++)"),
            index: format!("{i} + 3"),
            variable: Expr::between(i, Scalar::I32, -3, (count - 4).max(-3)),
        },
        12 => Head {
            text: format!("for (int {i} = {bound}; {i} > 0; {i}--)"),
            index: format!("{bound} - {i}"),
            variable: Expr::between(i, Scalar::I32, 1, count.max(1)),
        },
        _ => plain(format!("int {i} = 0; {i} < {bound}; {i}++"), Scalar::I32, 0, last),
    }
}
