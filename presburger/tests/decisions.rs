//! Questions whose answer decides whether a program stays right: what is not known is never answered.

use gpuc_presburger::dependence::{Access, Conflicts, Level};
use gpuc_presburger::{Affine, BasicSet, Constraint, Map, Set, Space};

/// Rows whose combinations leave 64 bits, and that hold for `i = j = k = 0`.
const BEYOND_64_BITS: &str = "4611686018427387847i + 4611686018427387761j - 4611686018427387751k >= 0 \
    and 4611686018427387709i - 4611686018427387737j + 4611686018427387701k >= 0 \
    and 0 - 4611686018427387617i + 4611686018427387631j + 4611686018427387583k >= 1";

#[test]
fn constants_are_implied_where_they_hold() {
    let space = Space::set(["n"], ["i"]);
    let set = BasicSet::new(space, [Constraint::ge(Affine::dim(0), 0)]).unwrap();
    for (value, holds) in [(-1, false), (0, true), (1, true)] {
        let constant = Affine::constant(value);
        assert_eq!(set.implies(&Constraint::ge(constant.clone(), 0)), Ok(holds), "{value} >= 0");
        assert_eq!(set.implies(&Constraint::eq(constant, 0)), Ok(value == 0), "{value} = 0");
        let union = Set::from(set.clone());
        assert_eq!(union.implies(&Constraint::ge(Affine::constant(value), 0)), Ok(holds));
    }
}

/// A set that the solver gives up is not empty, and accesses that it gives up are not apart.
#[test]
fn what_is_given_up_is_no_answer() {
    let set: Set = format!("{{ [i, j, k] : {BEYOND_64_BITS} }}").parse().unwrap();
    assert!(set.sample().is_err(), "{:?}", set.sample());
    assert!(set.is_empty().is_err());
    let access = |subscript: &str| {
        let text = format!("{{ [i, j, k] -> [{subscript}] : {BEYOND_64_BITS} }}");
        Access::from_relation(text.parse::<Map>().unwrap())
    };
    let conflicts = Conflicts::new(&access("i"), &access("i - 1"), 3);
    let found = conflicts.and_then(|conflicts| {
        (0..3).map(|index| conflicts.dependence(Level::Loop(index))).collect::<Result<Vec<_>, _>>()
    });
    assert!(found.is_err(), "{found:?}");
}

/// The distances of all parts of a relation count.
#[test]
fn distances_of_several_parts() {
    let write: Map = "{ [i] -> [i] : 0 <= i < 20 }".parse().unwrap();
    let read: Map =
        "{ [i] -> [i - 2] : 0 <= i < 20; [i] -> [i - 7] : 0 <= i < 20; [i] -> [i - 4] : 0 <= i < 20 }"
            .parse()
            .unwrap();
    let conflicts =
        Conflicts::new(&Access::from_relation(write), &Access::from_relation(read), 1).unwrap();
    let found = conflicts.dependences(true).unwrap();
    let [carried] = &found[..] else { panic!("{found:?}") };
    assert_eq!(carried.distance(0).unwrap().to_string(), "2..7");
}

/// Coefficients whose products leave 64 bits, in rows that fit: answered as far as they can be, and never wrong.
#[test]
fn products_of_long_coefficients() {
    for shift in [20, 29, 31, 35, 40, 45] {
        let (a, b) = ((1_i64 << shift) + 1, (1_i64 << shift) + 3);
        for rest in [0, 1] {
            // b i = a b j is even more than k, unless j is 0.
            let text = format!(
                "{{ [i, j, k] : i = {a}j and {b}i + {rest} <= k and j >= {rest} and 0 <= k <= 1 }}"
            );
            let set: Set = text.parse().unwrap();
            match set.is_empty() {
                Ok(is_empty) => assert_eq!(is_empty, rest == 1, "{text}"),
                Err(_) => assert!(shift > 29, "{text}"),
            }
        }
    }
}

/// One part without an end leaves the union without one.
#[test]
fn unions_that_are_not_bounded() {
    for text in ["{ [i] : i <= 0; [i] : 5 <= i <= 7 }", "{ [i] : 5 <= i <= 7; [i] : i <= 0 }"] {
        let set: Set = text.parse().unwrap();
        assert_eq!(set.minimum(&Affine::dim(0)).unwrap().to_string(), "unbounded", "{text}");
        assert_eq!(set.maximum(&Affine::dim(0)).unwrap().to_string(), "7", "{text}");
    }
}

/// The first dimension, parameter or local that a space does not have is refused, not taken for its neighbour.
#[test]
fn variables_of_other_spaces_are_refused() {
    let space = Space::set(["n"], ["i"]);
    for beyond in [Affine::dim(1), Affine::param(1), Affine::from(gpuc_presburger::Var::Local(0))] {
        let made = BasicSet::new(space.clone(), [Constraint::ge(beyond.clone(), 0)]);
        assert!(made.is_err(), "{beyond:?}: {made:?}");
    }
}
