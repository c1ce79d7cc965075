//! Numbers of known patterns.

use gpuc_arch::Arch;

use super::index::{Index, LoopId};
use super::request::Request;

fn lanes(of: impl Fn(i64) -> i64) -> Vec<i64> {
    (0..32).map(of).collect()
}

/// Sectors and passes of a warp's words in rows, in columns, and of one word.
#[test]
fn requests_take_what_the_hardware_counts() {
    let arch = Arch::by_name("sm_90").expect("a target");
    let request = |of: &dyn Fn(i64) -> i64, bytes| {
        let lanes = lanes(of);
        let request = Request { lanes: &lanes, bytes };
        (request.sectors(), request.passes(arch, true))
    };
    assert_eq!(request(&|lane| 4 * lane, 4), (4.0, 1.0));
    assert_eq!(request(&|lane| 8 * lane, 8), (8.0, 2.0));
    assert_eq!(request(&|_| 64, 4), (1.0, 1.0));
    // A column of 32 words a row: one bank. With a word between rows: all of them.
    assert_eq!(request(&|lane| 128 * lane, 4), (32.0, 32.0));
    assert_eq!(request(&|lane| 132 * lane, 4), (32.0, 1.0));
    // Every other word: two words in a bank.
    assert_eq!(request(&|lane| 8 * lane, 4), (8.0, 2.0));
}

/// Quotients grow by their share, remainders not at all, and both together as the number.
#[test]
fn numbers_grow_with_loops() {
    let (id, rows) = (LoopId(3), Index::constant(32));
    let number = Index::each((0..64).collect()).growing(id, 64.0);
    let quotient = number.divided(&rows).expect("a positive divisor");
    let remainder = number.remainder(&rows).expect("a positive divisor");
    assert_eq!((quotient.of(63), remainder.of(63)), (1, 31));
    assert_eq!(quotient.slopes()[..], [(id, 2.0)]);
    assert!(remainder.slopes().is_empty());
    let again = quotient.times(&rows).plus(&remainder);
    assert_eq!(again.slopes()[..], [(id, 64.0)]);
    assert_eq!(again.minus(&number).typical(), 0);
    assert!(again.minus(&number).is_uniform() && again.minus(&number).slopes().is_empty());
    assert!(number.divided(&Index::constant(0)).is_none());
    // The one that counts is the one that grows.
    assert_eq!(number.least(&Index::constant(1 << 40)).slopes()[..], [(id, 64.0)]);
    assert!(number.least(&Index::constant(0)).slopes().is_empty());
}
