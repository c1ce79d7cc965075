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

/// Threads of which some have another number: it grows as most of them do.
#[test]
fn numbers_of_some_threads_are_replaced() {
    let id = LoopId(3);
    let (old, new) = (Index::constant(7).growing(id, 2.0), Index::each((0..4).collect()));
    let most = old.replaced_in(&[true, true, true, false], &new);
    assert_eq!((0..4).map(|thread| most.of(thread)).collect::<Vec<_>>(), [0, 1, 2, 7]);
    assert!(most.slopes().is_empty());
    let few = old.replaced_in(&[true, false, false, false], &new);
    assert_eq!((few.of(0), few.of(3), few.slopes()), (0, 7, old.slopes()));
}

/// What two loads of an array touch alike comes from memory once: planes that a walk begins with are its neighbour's last ones.
#[test]
fn what_another_load_touches_comes_from_memory_once() {
    let arch = Arch::by_name("sm_90").expect("a target");
    let id = LoopId(3);
    let trips = |trips, axis| Trips { trips, axis };
    let loops = [trips(64.0, Some(0)), trips(1.0, Some(1)), trips(1.0, Some(2)), trips(64.0, None)];
    let plane = 128 * 4;
    let lanes = Index::each((0..128).map(|thread| thread * 4).collect());
    let site = |op, middle: i64, loops: Vec<LoopId>, times| {
        let mut addresses =
            lanes.plus(&Index::constant(middle * plane)).growing(LoopId(0), 64.0 * plane as f64);
        if !loops.is_empty() {
            addresses = addresses.growing(id, plane as f64);
        }
        let (op, root) = (Op::from_u32(op), Value::from_u32(1));
        let active = vec![true; 128];
        let addresses = Some(addresses);
        Site { op, root, kind: Kind::Load, bytes: 4, addresses, active, times, sectors: 4.0, loops }
    };
    let grid = Grid { blocks: [64.0, 1.0, 1.0], warps: 4.0, resident: 8.0, shared: 0.0 };
    let (walk, first) = (site(1, 32, vec![id], 64.0), site(2, 2, vec![], 1.0));
    let found = traffic::found(&[walk, first], &loops, &grid, arch);
    let bytes = |op| found[&Op::from_u32(op)].dram_bytes;
    assert_eq!(bytes(1), 128.0);
    assert!(bytes(2) < 1.0, "{}", bytes(2));
    // Of an array of its own it has its bytes.
    let (walk, first) = (site(1, 32, vec![id], 64.0), site(2, 2, vec![], 1.0));
    let first = Site { root: Value::from_u32(2), ..first };
    let found = traffic::found(&[walk, first], &loops, &grid, arch);
    assert_eq!(found[&Op::from_u32(2)].dram_bytes, 128.0);
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
