//! Questions whose answer decides whether a program stays right: what is not known is never answered.

use gpuc_presburger::codegen::{self, Options};
use gpuc_presburger::dependence::{AccessRelation, Carrier, Conflicts};
use gpuc_presburger::{Affine, BasicSet, Constraint, Error, Map, QuasiAffine, Set, Space};

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
        AccessRelation::from_relation(text.parse::<Map>().unwrap())
    };
    let conflicts = Conflicts::new(&access("i"), &access("i - 1"), 3);
    let found = conflicts.and_then(|conflicts| {
        (0..3)
            .map(|index| conflicts.dependence(Carrier::Loop(index)))
            .collect::<Result<Vec<_>, _>>()
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
    let conflicts = Conflicts::new(
        &AccessRelation::from_relation(write),
        &AccessRelation::from_relation(read),
        1,
    )
    .unwrap();
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

/// Tuples that are longer or shorter than those of a space are refused.
#[test]
fn lengths_are_looked_at() {
    let set: BasicSet = "[n] -> { [i] : 0 <= i < n }".parse().unwrap();
    assert_eq!(set.contains(&[2], &[3]), Ok(true));
    let wrong: [(&[i64], &[i64]); 4] = [(&[2], &[]), (&[2], &[3, 3]), (&[], &[3]), (&[2, 2], &[3])];
    for (dims, params) in wrong {
        assert_eq!(set.contains(dims, params), Err(Error::SpaceMismatch), "{dims:?} {params:?}");
    }
    let map: Map = "{ [i] -> [j, k] : j = i and k = 1 }".parse().unwrap();
    assert_eq!(map.contains(&[4], &[4, 1], &[]), Ok(true));
    // Not the same numbers cut elsewhere.
    assert_eq!(map.contains(&[4, 4], &[1], &[]), Err(Error::SpaceMismatch));
    assert_eq!(map.deltas().err(), Some(Error::SpaceMismatch));
    let loops = codegen::generate(set.space(), &[set.clone().into()], &Options::default()).unwrap();
    assert_eq!(loops.execute(&[], |_, _| {}), Err(Error::SpaceMismatch));
    assert_eq!(Set::from(set.clone()).dim_min(1).err(), Some(Error::SpaceMismatch));
    // One of two values is of a dimension that there is not.
    let values = [QuasiAffine::dim(0), QuasiAffine::dim(1)];
    let made = Map::from_quasi_affine(&set.clone().into(), &values);
    assert_eq!(made.err(), Some(Error::SpaceMismatch));
    let other: Set = "[n] -> { [i, j] : i = j }".parse().unwrap();
    let both = [set.into(), other.clone()];
    assert!(codegen::generate(both[0].space(), &both, &Options::default()).is_err());
    let options = Options { context: Some(other.pieces()[0].clone()), ..Options::default() };
    assert!(codegen::generate(both[0].space(), &both[..1], &options).is_err());
}

/// A set over a parameter is no set over a dimension with the same rows.
#[test]
fn parameters_are_no_dimensions() {
    let make = |params: &[&str], dims: &[&str], of: Affine| {
        let space = Space::set(params.iter().copied(), dims.iter().copied());
        BasicSet::new(space, [Constraint::ge(of, 0)]).unwrap()
    };
    let of_dim = make(&[], &["i"], Affine::dim(0));
    assert_eq!(of_dim, make(&[], &["k"], Affine::dim(0)));
    assert_ne!(of_dim, make(&["n"], &[], Affine::param(0)));
    assert_ne!(of_dim, make(&[], &["i"], Affine::dim(0) - 1));
}

/// A number that has left 64 bits on the way is no constant.
#[test]
fn sums_that_overflowed_are_no_constants() {
    assert_eq!((Affine::constant(i64::MAX) - 1).as_constant(), Some(i64::MAX - 1));
    assert_eq!((Affine::constant(i64::MAX) + 1).as_constant(), None);
}

/// Quotients of numbers on both sides of 0, rounded down and up.
#[test]
fn quotients_of_a_set() {
    for value in -9..=9_i64 {
        let mut set = BasicSet::universe(Space::set([""; 0], ["i"]));
        let i = Affine::dim(0);
        set.add(&Constraint::eq(i.clone(), value)).unwrap();
        let parts = [set.floor_div(&i, 4), set.ceil_div(&i, 4), set.modulo(&i, 4)];
        let expected = [value.div_euclid(4), -(-value).div_euclid(4), value.rem_euclid(4)];
        for (part, expected) in parts.into_iter().zip(expected) {
            assert_eq!(set.implies(&Constraint::eq(part.unwrap(), expected)), Ok(true), "{value}");
        }
    }
}

/// Distances in two dimensions, and the pairs behind them.
#[test]
fn differences_of_pairs() {
    let map: Map = "{ [i, j] -> [i + 2, 3j] : 1 <= j <= 4 }".parse().unwrap();
    let expected: Set = "{ [d, e] : d = 2 and 2 <= e <= 8 and e mod 2 = 0 }".parse().unwrap();
    assert_eq!(map.deltas().unwrap().is_equal(&expected), Ok(true));
    let point = map.sample().unwrap().unwrap();
    assert_eq!(map.contains(&point.dims[..2], &point.dims[2..], &[]), Ok(true));
    let part: Map = "{ [i, j] -> [i + 2, 3j] : 1 <= j <= 3 }".parse().unwrap();
    assert_eq!((part.is_subset(&map), map.is_subset(&part)), (Ok(true), Ok(false)));
    assert_eq!(map.is_equal(&map), Ok(true));
    assert_eq!((map.is_equal(&part), part.is_equal(&map)), (Ok(false), Ok(false)));
}

/// Sets of which one number or one bound of the loops is a quotient: each tuple once, in order.
#[test]
fn loops_over_quotients() {
    for condition in [
        "(i + j) mod 5 <= 2",
        "(i - j) mod 4 >= 2",
        "(i + 2n) mod 3 = j mod 3",
        "floor((i + 2j) / 3) mod 2 = 1",
        "2 <= (i + floor(j / 3)) mod 7 <= 4",
        "(i mod 4 <= 1 and j mod 3 >= 1)",
        "3floor(i / 3) <= j < 3floor(i / 3) + 2",
        "(j mod 4 = 1 or (i + j) mod 3 = 2)",
        "exists (e : i <= 4e <= i + 1 and j <= 3e)",
    ] {
        let text = format!("[n] -> {{ [i, j] : 0 <= i < n and -2 <= j < n and {condition} }}");
        let set: Set = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        for full_tiles in [None, Some(1)] {
            let options = Options { full_tiles, ..Options::default() };
            let loops = codegen::generate(set.space(), std::slice::from_ref(&set), &options);
            let loops = loops.unwrap_or_else(|error| panic!("{text}: {error}"));
            for n in [0, 1, 8, 13] {
                let all = (0..n).flat_map(|i| (-2..n).map(move |j| vec![i, j]));
                let expected: Vec<_> = all.filter(|p| set.contains(p, &[n]).unwrap()).collect();
                let mut visited = Vec::new();
                loops.execute(&[n], |_, dims| visited.push(dims.to_vec())).unwrap();
                assert_eq!(visited, expected, "{text} at {n}:\n{loops}");
            }
        }
    }
}

/// A box at a moving origin holds what is touched, and is no larger than it must be.
#[test]
fn footprints_hold_what_is_touched() {
    for (subscript, size) in [
        ("3i + 2t + n", 5),
        ("4i - t - n", 5),
        ("-3i + 5t + 2n + 1", 5),
        ("2i + t", 5),
        ("floor((i + t) / 2)", 3),
        ("6floor(i / 2) + n", 3),
    ] {
        let text = format!("[n] -> {{ [t, i] -> [{subscript}] : 0 <= i < 5 }}");
        let map: Map = text.parse().unwrap();
        let footprint = map.footprint(&[0]).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let [side] = footprint.sides() else { panic!("{text}") };
        assert_eq!((side.size, footprint.elements()), (size, Ok(size as u128)), "{text}");
        for (n, t) in (-4..=4).flat_map(|n| (-4..=4).map(move |t| (n, t))) {
            let origin = side.origin.evaluate(&[t], &[n]).unwrap();
            let places: Vec<_> = (0..side.size).map(|k| origin + k * side.stride).collect();
            for (i, element) in (0..5).flat_map(|i| (-60..=60).map(move |e| (i, e))) {
                let touched = map.contains(&[t, i], &[element], &[n]).unwrap();
                assert!(!touched || places.contains(&element), "{text}: {element} of {footprint}");
            }
        }
    }
}

/// The length of a range is a number less another one, where neither is rounded.
#[test]
fn extents_of_bounds() {
    for (text, extent) in [
        ("[n] -> { [i] : n <= i <= 3n + 4 }", Some(Affine::param(0) * 2 + 5)),
        ("[n] -> { [i] : n <= 2i and i <= n }", None),
        ("[n] -> { [i] : n <= i and 2i <= 9n }", None),
    ] {
        let set: BasicSet = text.parse().unwrap();
        let found = set.bounds(0, &[]).unwrap().extent();
        assert_eq!(found, extent, "{text}");
    }
}
