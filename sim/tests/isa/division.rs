//! Integer division and remainder, division by zero, and the approximate division's edge.

use crate::harness::{cells, check};

#[test]
fn by_zero_every_bit_is_set() {
    for (ty, file, result) in [
        ("u16", "h", "oh"),
        ("s16", "h", "oh"),
        ("u32", "a", "o"),
        ("s32", "a", "o"),
        ("u64", "d", "od"),
        ("s64", "d", "od"),
    ] {
        let width: u32 = ty[1..].parse().unwrap();
        let out = ["%oh", "%o", "%od"][width as usize / 32];
        let signed = ty.starts_with('s');
        let ones = u64::MAX >> (64 - width);
        let value = |cell: u64| {
            let low = i128::from(cell & ones);
            if signed && low >> (width - 1) != 0 { low - (1 << width) } else { low }
        };
        for op in ["div", "rem"] {
            check(
                &format!("{op}.{ty} {out}, %{file}0, %{file}1;"),
                result,
                &cells(),
                |[a, b, ..]| {
                    let (a, b) = (value(a), value(b));
                    let result = match (b, op) {
                        (0, _) => -1,
                        (_, "div") => a / b,
                        _ => a % b,
                    };
                    result as u64 & ones
                },
            );
        }
    }
}

#[test]
fn approximate_division_by_the_largest_numbers() {
    let bits = |v: f32| u64::from(v.to_bits());
    let edge = 2f32.powi(126);
    let above = f32::from_bits(edge.to_bits() + 1);
    for ftz in ["", ".ftz"] {
        for (a, b, want) in [
            (above, above, 0.0),
            (-1.0, f32::MAX, -0.0),
            (1.0, -above, -0.0),
            (edge, edge, 1.0),
            (6.0, 3.0, 2.0),
            (1.0, f32::INFINITY, 0.0),
        ] {
            check(
                &format!("div.approx{ftz}.f32 %o, %a0, %a1;"),
                "o",
                &[[bits(a), bits(b), 0, 0]],
                |_| bits(want),
            );
        }
        let nan = [[bits(f32::INFINITY), bits(above), 0, 0]];
        check(&format!("div.approx{ftz}.f32 %o, %a0, %a1;"), "o", &nan, |_| 0x7fff_ffff);
        let full = [[bits(above), bits(above), 0, 0]];
        check(&format!("div.full{ftz}.f32 %o, %a0, %a1;"), "o", &full, |_| bits(1.0));
    }
}
