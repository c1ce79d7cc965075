//! Parallel copies one after the other.
//!
//! All moves of an edge happen at once: a register may be read as the old value although another
//! move writes it. In sequence, a move goes when nobody reads its target any more; where only cycles
//! are left, one register is saved first.

use super::registers::Register;

/// What is moved into a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(Register),
    Immediate(String),
}

/// Orders moves into distinct registers so that each reads what was there before all of them.
/// `fresh` gives a register like the one named.
pub(super) fn sequence(
    moves: Vec<(Register, Source)>,
    mut fresh: impl FnMut(Register) -> Register,
) -> Vec<(Register, Source)> {
    let mut pending: Vec<_> =
        moves.into_iter().filter(|(to, from)| *from != Source::Register(*to)).collect();
    let mut ordered = Vec::with_capacity(pending.len());
    while !pending.is_empty() {
        let ready = pending
            .iter()
            .position(|(to, _)| !pending.iter().any(|(_, from)| *from == Source::Register(*to)));
        if let Some(ready) = ready {
            ordered.push(pending.remove(ready));
            continue;
        }
        let (broken, _) = pending[0];
        let saved = fresh(broken);
        ordered.push((saved, Source::Register(broken)));
        for (_, from) in &mut pending {
            if *from == Source::Register(broken) {
                *from = Source::Register(saved);
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::super::registers::Class;
    use super::*;

    fn run(moves: &[(u32, i64)]) -> Vec<i64> {
        let register = |n| Register(Class::Word, n);
        let input = moves
            .iter()
            .map(|&(to, from)| match from {
                0.. => (register(to), Source::Register(register(from as u32))),
                _ => (register(to), Source::Immediate(from.to_string())),
            })
            .collect();
        let mut next = 10;
        let ordered = sequence(input, |_| {
            next += 1;
            register(next)
        });
        let mut file: Vec<i64> = (0..20).collect();
        for (to, from) in ordered {
            file[to.1 as usize] = match from {
                Source::Register(from) => file[from.1 as usize],
                Source::Immediate(text) => text.parse().unwrap_or(0),
            };
        }
        file
    }

    #[test]
    fn every_move_reads_the_old_value() {
        let cases: [&[(u32, i64)]; 6] = [
            &[(1, 2), (2, 3), (3, 4)],
            &[(3, 2), (2, 1), (1, 0)],
            &[(1, 2), (2, 1)],
            &[(1, 2), (2, 3), (3, 1), (4, 1), (5, -7)],
            &[(1, 1), (2, 3), (3, 2)],
            &[(1, 2), (2, 1), (3, 4), (4, 3)],
        ];
        for moves in cases {
            let file = run(moves);
            for &(to, from) in moves {
                assert_eq!(file[to as usize], from, "{moves:?}");
            }
        }
    }
}
