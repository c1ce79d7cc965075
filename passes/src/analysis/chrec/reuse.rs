//! What several accesses, or several threads, touch in common.
//!
//! Andión et al. 2015, Algorithms 2 and 3, ask for intersections of instantiated chains: those of two accesses of one
//! thread for what is worth a register, those of two threads of a block for what is worth shared memory.

use super::Chrec;
use super::access::{AccessChrecs, ThreadLoops};

/// What two accesses to one array have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Common {
    /// Nothing.
    Nothing,
    /// These elements, a chain for each dimension.
    Elements(Vec<Chrec>),
    /// It is not known.
    Unknown,
}

/// The intersection of the elements of two accesses, over loops that run `trips` times where that is known.
pub fn common(a: &[Chrec], b: &[Chrec], trips: &dyn Fn(usize) -> Option<i64>) -> Common {
    if a.len() != b.len() {
        return Common::Unknown;
    }
    // For each loop, how many iterations later the second access is where the first one has been.
    let mut shifts: Vec<(usize, i64)> = Vec::new();
    let mut elements = Vec::new();
    let mut known = true;
    for (a, b) in a.iter().zip(b) {
        match of_dimension(a, b, trips) {
            Some(Dimension { element: Some(element), shift }) => {
                if let Some((depth, by)) = shift {
                    match shifts.iter().find(|(other, _)| *other == depth) {
                        Some(&(_, other)) if other != by => return Common::Nothing,
                        Some(_) => {}
                        None => shifts.push((depth, by)),
                    }
                }
                elements.push(element);
            }
            Some(Dimension { element: None, .. }) => return Common::Nothing,
            None => known = false,
        }
    }
    if known { Common::Elements(elements) } else { Common::Unknown }
}

/// What two subscripts have in common.
struct Dimension {
    /// The numbers; `None` where there are none.
    element: Option<Chrec>,
    /// The loop that both depend on, and how many of its iterations later the second is where the first has been.
    shift: Option<(usize, i64)>,
}

/// `None` where it is not known.
fn of_dimension(a: &Chrec, b: &Chrec, trips: &dyn Fn(usize) -> Option<i64>) -> Option<Dimension> {
    let nothing = Dimension { element: None, shift: None };
    let only = |element: &Chrec| Dimension { element: Some(element.clone()), shift: None };
    let within =
        |depth: usize, iterations: i64| trips(depth).is_none_or(|trips| iterations < trips);
    match (a, b) {
        (Chrec::Invariant(_), Chrec::Invariant(_)) => {
            let apart = b.plus(a, -1)?.as_constant()?;
            Some(if apart == 0 { only(a) } else { nothing })
        }
        (Chrec::Recurrence { depth, base, step }, Chrec::Invariant(_)) => {
            let (apart, step) = (b.plus(base, -1)?.as_constant()?, step.as_constant()?);
            let met = apart % step == 0 && apart / step >= 0 && within(*depth, apart / step);
            Some(if met { only(b) } else { nothing })
        }
        (Chrec::Invariant(_), Chrec::Recurrence { .. }) => of_dimension(b, a, trips),
        (
            Chrec::Recurrence { depth, base, step },
            Chrec::Recurrence { depth: same, base: other, step: further },
        ) if depth == same && step == further => {
            let apart = other.plus(base, -1)?.as_constant()?;
            if apart == 0 {
                return Some(Dimension { element: Some(a.clone()), shift: Some((*depth, 0)) });
            }
            let step = step.as_constant()?;
            // The first one goes on where the second began, or the other way round.
            let shift = -(apart / step);
            let met = apart % step == 0 && within(*depth, shift.checked_abs()?);
            let element = if shift < 0 { b } else { a };
            let found = Dimension { element: Some(element.clone()), shift: Some((*depth, shift)) };
            Some(if met { found } else { nothing })
        }
        _ => None,
    }
}

/// Accesses to one array that touch elements again that others of them have touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Their places among the accesses asked about, in ascending order.
    pub members: Vec<usize>,
    /// The loop along which they follow each other, and how many iterations the last is behind the first: so many
    /// elements and one are held at a time. `None` where they are all in one place, or along no single loop.
    pub along: Option<(usize, i64)>,
}

/// Groups of accesses to one array by which a thread touches elements several times (Algorithm 2): what one of
/// them has loaded can stay in a register for the others. The paper intersects all accesses at once; what
/// reads several rows, as a stencil does, has several groups.
pub fn in_thread(accesses: &[AccessChrecs], threads: &ThreadLoops) -> Vec<Reuse> {
    let fixed: Vec<(usize, u32)> = threads.0.iter().map(|&depth| (depth, 0)).collect();
    let chains: Vec<Option<Vec<Chrec>>> =
        accesses.iter().map(|access| access.instantiated(&fixed)).collect();
    let mut group: Vec<usize> = (0..accesses.len()).collect();
    for (i, a) in chains.iter().enumerate() {
        for (j, b) in chains.iter().enumerate().skip(i + 1) {
            let (Some(a), Some(b)) = (a, b) else { continue };
            // Threads that are further along must find the same in common.
            let alike = accesses[i].access.buffer == accesses[j].access.buffer
                && threads
                    .0
                    .iter()
                    .all(|&depth| growth(&accesses[i], depth) == growth(&accesses[j], depth));
            if alike && matches!(common(a, b, &trips(&accesses[i])), Common::Elements(_)) {
                let (from, to) = (group[j].max(group[i]), group[j].min(group[i]));
                group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
            }
        }
    }
    let mut found = Vec::new();
    for first in 0..accesses.len() {
        let members: Vec<usize> = (0..accesses.len()).filter(|&i| group[i] == first).collect();
        if members.len() > 1 {
            let along = span(&members, &chains);
            found.push(Reuse { members, along });
        }
    }
    found
}

/// The one loop along which accesses lie behind each other, and over how many iterations.
fn span(members: &[usize], chains: &[Option<Vec<Chrec>>]) -> Option<(usize, i64)> {
    let (mut along, mut least, mut most) = (None, 0, 0);
    let first = chains[members[0]].as_ref()?;
    for &member in &members[1..] {
        for (a, b) in first.iter().zip(chains[member].as_ref()?) {
            let Some((depth, by)) = of_dimension(a, b, &|_| None)?.shift.filter(|(_, by)| *by != 0)
            else {
                continue;
            };
            if *along.get_or_insert(depth) != depth {
                return None;
            }
            (least, most) = (least.min(by), most.max(by));
        }
    }
    Some((along?, most - least))
}

/// How many threads apart, at most, two threads of a row of `width` of a block are that touch the same elements of an
/// array (Algorithm 3); `None` where no two do, or it is not known. Such elements are worth shared memory.
pub fn in_block(
    accesses: &[AccessChrecs],
    threads: &ThreadLoops,
    along: usize,
    width: u32,
) -> Option<u32> {
    let fixed = |at: u32| -> Vec<(usize, u32)> {
        threads.0.iter().map(|&depth| (depth, if depth == along { at } else { 0 })).collect()
    };
    let first = fixed(0);
    (1..width).rev().find(|&apart| {
        let other = fixed(apart);
        accesses.iter().any(|a| {
            accesses.iter().filter(|b| a.access.buffer == b.access.buffer).any(|b| {
                let (Some(x), Some(y)) = (a.instantiated(&first), b.instantiated(&other)) else {
                    return false;
                };
                matches!(common(&x, &y, &trips(a)), Common::Elements(_))
            })
        })
    })
}

fn growth(access: &AccessChrecs, loop_: usize) -> Option<Vec<Chrec>> {
    access.dims.iter().map(|dim| dim.as_ref()?.growth(loop_)).collect()
}

fn trips(access: &AccessChrecs) -> impl Fn(usize) -> Option<i64> {
    |depth| access.loops.get(depth)?.constant_trips()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(depth: usize, base: i64, step: i64) -> Chrec {
        Chrec::recurrence(depth, Chrec::constant(base), Chrec::constant(step))
    }

    fn endless(_: usize) -> Option<i64> {
        None
    }

    /// Andión et al. 2015, §6.1: the first three accesses of a thread of CONV3D.
    #[test]
    fn a_thread_of_conv3d_goes_along_the_first_axis() {
        let zero = Chrec::constant(0);
        let [a, b, c] = [0, -1, 1].map(|base| [over(0, base, 1), zero.clone(), zero.clone()]);
        let Common::Elements(ab) = common(&a, &b, &endless) else { panic!("they meet") };
        assert_eq!(common(&ab, &c, &endless), Common::Elements(c.to_vec()));
        assert_eq!(common(&c, &ab, &endless), Common::Elements(c.to_vec()));
        // Two iterations apart, of a loop that runs twice.
        assert_eq!(common(&b, &c, &|_| Some(2)), Common::Nothing);
    }

    #[test]
    fn one_loop_counts_alike_in_all_dimensions() {
        let diagonal = |row, column| [over(0, row, 1), over(0, column, 1)];
        assert_eq!(common(&diagonal(0, 0), &diagonal(1, 2), &endless), Common::Nothing);
        let met = common(&diagonal(0, 0), &diagonal(1, 1), &endless);
        assert_eq!(met, Common::Elements(diagonal(1, 1).to_vec()));
        assert_eq!(common(&[over(0, 0, 2)], &[over(0, 1, 2)], &endless), Common::Nothing);
        let six = [Chrec::constant(6)];
        assert_eq!(common(&[over(0, 0, 2)], &six, &endless), Common::Elements(six.to_vec()));
        assert_eq!(common(&[over(0, 0, 2)], &six, &|_| Some(3)), Common::Nothing);
        assert_eq!(common(&[over(0, 0, 2)], &[over(1, 0, 2)], &endless), Common::Unknown);
        assert_eq!(common(&[over(0, 0, 2)], &[over(0, 0, 4)], &endless), Common::Unknown);
    }
}
