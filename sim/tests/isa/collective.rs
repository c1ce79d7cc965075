//! Warp-wide operations that other files of tests do not have: extrema of floats, the forms without a
//! member mask.

use crate::harness::{Inputs, answers, check};

fn lanes(values: impl Fn(u32) -> u32) -> Vec<Inputs> {
    (0..32).map(|lane| [values(lane).into(), 0, 0, 0]).collect()
}

#[test]
fn extrema_of_floats_over_a_warp() {
    let value = |lane: u32| (lane as f32 - 11.5) * if lane.is_multiple_of(3) { -1.0 } else { 2.0 };
    let plain = lanes(|lane| value(lane).to_bits());
    let all: Vec<f32> = (0..32).map(value).collect();
    for (op, max) in [("min", false), ("max", true)] {
        for abs in ["", ".abs"] {
            let values = all.iter().map(|v| if abs.is_empty() { *v } else { v.abs() });
            let want =
                if max { values.fold(f32::MIN, f32::max) } else { values.fold(f32::MAX, f32::min) };
            check(&format!("redux.sync.{op}{abs}.f32 %o, %a0, 0xffffffff;"), "o", &plain, |_| {
                want.to_bits().into()
            });
        }
        let mut one_nan = plain.clone();
        one_nan[7][0] = f32::NAN.to_bits().into();
        check(&format!("redux.sync.{op}.NaN.f32 %o, %a0, 0xffffffff;"), "o", &one_nan, |_| {
            0x7fff_ffff
        });
        let got = answers(&format!("redux.sync.{op}.f32 %o, %a0, 0xffffffff;"), "o", &one_nan);
        assert!(got.iter().all(|&bits| !f32::from_bits(bits as u32).is_nan()));
    }
}

/// Old forms, which sm_70 and later no longer assemble: each takes the lanes that are there.
#[test]
fn shuffles_and_votes_without_members() {
    let inputs = lanes(|lane| lane * lane);
    check(
        "shfl.down.b32 %o|%p0, %a0, 1, 31; selp.u32 %u0, 1000, 0, %p0; add.u32 %o, %o, %u0;",
        "o",
        &inputs,
        |[a, ..]| {
            let lane = a.isqrt();
            if lane == 31 { a } else { (lane + 1) * (lane + 1) + 1000 }
        },
    );
    check("shfl.idx.b32 %o, %a0, 5, 31;", "o", &inputs, |_| 25);
    check("setp.gt.u32 %p1, %a0, 100; vote.ballot.b32 %o, %p1;", "o", &inputs, |_| 0xffff_f800);
    check("setp.gt.u32 %p1, %a0, 100; vote.any.pred %p0, %p1;", "p", &inputs, |_| 1);
    check("setp.gt.u32 %p1, %a0, 100; vote.all.pred %p0, %p1;", "p", &inputs, |_| 0);
    check(
        "mov.u32 %o, 0; setp.gt.u32 %p1, %t, 15; @%p1 bra L; setp.ge.u32 %p2, %a0, 0; vote.ballot.b32 %o, %p2; L:",
        "o",
        &inputs,
        |[a, ..]| if a.isqrt() < 16 { 0xffff } else { 0 },
    );
}

/// The tiles of a warp name their own lanes in one instruction.
#[test]
fn tiles_take_part_by_themselves() {
    let inputs = lanes(|lane| lane);
    let tile =
        "and.b32 %u0, %t, 24; mov.u32 %u1, 255; shl.b32 %u1, %u1, %u0; setp.eq.u32 %p1, %t, 9;";
    let run = |code: &str, result: &str, want: &dyn Fn(u64) -> u64| {
        check(&format!("{tile} {code}"), result, &inputs, |[lane, ..]| want(lane));
    };
    run("vote.sync.any.pred %p0, %p1, %u1;", "p", &|lane| u64::from(lane / 8 == 1));
    run("vote.sync.all.pred %p0, !%p1, %u1;", "p", &|lane| u64::from(lane / 8 != 1));
    run("vote.sync.ballot.b32 %o, !%p1, %u1;", "o", &|lane| (0xff << (lane / 8 * 8)) & !(1 << 9));
    run("redux.sync.add.u32 %o, %t, %u1;", "o", &|lane| (0..8).map(|i| lane / 8 * 8 + i).sum());
    run("shfl.sync.bfly.b32 %o, %t, 3, 0x181f, %u1;", "o", &|lane| lane ^ 3);
    run("shr.u32 %u2, %t, 1; match.any.sync.b32 %o, %u2, %u1;", "o", &|lane| 3 << (lane / 2 * 2));
    run("elect.sync %o|%p0, %u1;", "o", &|lane| lane / 8 * 8);
}
