//! Numbers of known patterns.

use gpuc_arch::Arch;
use gpuc_ir::{Op, Value};

use super::index::{Index, LoopId};
use super::request::Request;
use super::traffic::{self, Grid, Kind, Site, Trips};

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

/// A column for each lane, an element an iteration: a sector serves eight iterations where the first-level cache keeps what
/// they touch, and one where it does not.
#[test]
fn caches_keep_what_fits() {
    let arch = Arch::by_name("sm_90").expect("a target");
    let id = LoopId(3);
    let trips = |trips, axis| Trips { trips, axis };
    let loops =
        [trips(264.0, Some(0)), trips(1.0, Some(1)), trips(1.0, Some(2)), trips(64.0, None)];
    let found = |threads: i64, resident: f64| {
        let row = 4096;
        let addresses = Index::each((0..threads).map(|thread| thread * row).collect());
        let far = (threads * row) as f64;
        let site = Site {
            op: Op::from_u32(1),
            root: Value::from_u32(1),
            kind: Kind::Load,
            bytes: 4,
            addresses: Some(addresses.growing(LoopId(0), far).growing(id, 4.0)),
            active: vec![true; threads as usize],
            times: 64.0,
            sectors: 32.0,
            loops: vec![id],
        };
        let warps = threads as f64 / 32.0;
        let grid = Grid { blocks: [264.0, 1.0, 1.0], warps, resident, shared: 0.0 };
        traffic::found(&[site], &loops, &grid, arch)[&Op::from_u32(1)]
    };
    let kept = found(256, 2.0);
    assert_eq!(kept.l2_bytes, 32.0 * 32.0 / 8.0);
    assert_eq!(kept.dram_bytes, kept.l2_bytes);
    // 1024 threads touch 32 KiB an iteration, of which each of sixteen blocks has 16.
    let lost = found(1024, 16.0);
    assert_eq!(lost.l2_bytes, 32.0 * 32.0);
    assert!(lost.dram_bytes < lost.l2_bytes && lost.latency > kept.latency);
}
