//! What the operations of random kernels mean, by their definition in the PTX manual.

/// The text, the class of the destination, those of the sources, and the meaning on their bits.
pub type Operation = (&'static str, char, &'static str, fn(&[u64]) -> u64);

fn s(v: u64) -> i128 {
    i128::from(v as u32 as i32)
}

fn l(v: u64) -> i128 {
    i128::from(v as i64)
}

fn u(v: u64) -> i128 {
    i128::from(v)
}

fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

fn g(v: u64) -> f64 {
    f64::from_bits(v)
}

fn of(v: f32) -> u64 {
    v.to_bits().into()
}

fn wrap(v: i128) -> u64 {
    v as u64
}

fn low(v: i128) -> u64 {
    v as u32 as u64
}

/// Zero instead of a subnormal.
fn z(v: f32) -> f32 {
    if v.is_subnormal() { 0.0f32.copysign(v) } else { v }
}

/// A number within bounds, a not-a-number as zero.
fn clamp(v: f64, least: f64, most: f64) -> i128 {
    if v.is_nan() { 0 } else { v.clamp(least, most) as i128 }
}

/// Rounds an exact sum towards zero: what is nearest, or the number before it.
fn towards_zero(near: f32, exact_is_below: bool) -> f32 {
    if exact_is_below && near != 0.0 { f32::from_bits(near.to_bits() - 1) } else { near }
}

fn bits(v: u64, at: u64, count: u64, width: u32, signed: bool) -> u64 {
    // Fields of 64 bits see all of the two numbers (measured on an H100, `isa/measured.rs`).
    let seen = if width == 64 { u64::from(u32::MAX) } else { 255 };
    let (at, count) = (at & seen, count & seen);
    let bit = |i: u64| if i < u64::from(width) { v >> i & 1 } else { 0 };
    let mut out = (0..count.min(width.into())).fold(0, |out, i| out | bit(at + i) << i);
    if signed && count > 0 {
        let sign = bit((at + count - 1).min(u64::from(width) - 1));
        // Bits beyond the value are signs too.
        for i in 0..u64::from(width) {
            if i >= count || at + i >= u64::from(width) {
                out = out & !(1 << i) | sign << i;
            }
        }
    }
    out
}

fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let all = (b << 32 | a).to_le_bytes();
    (0..4).fold(0, |out, i| {
        let select = selector >> (4 * i) & 15;
        let byte = all[(select & 7) as usize];
        let byte = if select & 8 != 0 { if byte >> 7 != 0 { 255 } else { 0 } } else { byte };
        out | u64::from(byte) << (8 * i)
    })
}

fn halves(a: u64, b: u64, of: impl Fn(i64, i64) -> i64) -> u64 {
    let half = |v: u64, i: u32| i64::from((v >> (16 * i)) as u16 as i16);
    (0..2).fold(0, |out, i| out | (of(half(a, i), half(b, i)) as u16 as u64) << (16 * i))
}

pub const OPERATIONS: &[Operation] = &[
    ("add.u32 $0, $1, $2", 'r', "rr", |a| low(u(a[0]) + u(a[1]))),
    ("sub.s32 $0, $1, $2", 'r', "rr", |a| low(s(a[0]) - s(a[1]))),
    ("add.sat.s32 $0, $1, $2", 'r', "rr", |a| {
        low((s(a[0]) + s(a[1])).clamp(i32::MIN.into(), i32::MAX.into()))
    }),
    ("mul.lo.u32 $0, $1, $2", 'r', "rr", |a| low(u(a[0]) * u(a[1]))),
    ("mul.hi.u32 $0, $1, $2", 'r', "rr", |a| low((u(a[0]) * u(a[1])) >> 32)),
    ("mul.hi.s32 $0, $1, $2", 'r', "rr", |a| low((s(a[0]) * s(a[1])) >> 32)),
    ("mad.lo.s32 $0, $1, $2, $3", 'r', "rrr", |a| low(s(a[0]) * s(a[1]) + s(a[2]))),
    ("mad.hi.u32 $0, $1, $2, $3", 'r', "rrr", |a| low(((u(a[0]) * u(a[1])) >> 32) + u(a[2]))),
    ("mul24.lo.s32 $0, $1, $2", 'r', "rr", |a| {
        low((s(a[0]) << 104 >> 104) * (s(a[1]) << 104 >> 104))
    }),
    ("or.b32 %v, $2, 1; div.u32 $0, $1, %v", 'r', "rr", |a| low(u(a[0]) / u(a[1] | 1))),
    ("or.b32 %v, $2, 1; rem.u32 $0, $1, %v", 'r', "rr", |a| low(u(a[0]) % u(a[1] | 1))),
    ("bfe.u32 %v, $2, 0, 20; or.b32 %v, %v, 1; div.s32 $0, $1, %v", 'r', "rr", |a| {
        low(s(a[0]) / u(a[1] & 0xfffff | 1))
    }),
    ("bfe.u32 %v, $2, 0, 20; or.b32 %v, %v, 1; rem.s32 $0, $1, %v", 'r', "rr", |a| {
        low(s(a[0]) % u(a[1] & 0xfffff | 1))
    }),
    ("min.s32 $0, $1, $2", 'r', "rr", |a| low(s(a[0]).min(s(a[1])))),
    ("max.u32 $0, $1, $2", 'r', "rr", |a| low(u(a[0]).max(u(a[1])))),
    ("abs.s32 $0, $1", 'r', "r", |a| low(s(a[0]).abs())),
    ("neg.s32 $0, $1", 'r', "r", |a| low(-s(a[0]))),
    ("sad.u32 $0, $1, $2, $3", 'r', "rrr", |a| low((u(a[0]) - u(a[1])).abs() + u(a[2]))),
    ("and.b32 $0, $1, $2", 'r', "rr", |a| a[0] & a[1]),
    ("xor.b32 $0, $1, $2", 'r', "rr", |a| a[0] ^ a[1]),
    ("not.b32 $0, $1", 'r', "r", |a| !a[0]),
    ("cnot.b32 $0, $1", 'r', "r", |a| u64::from(a[0] == 0)),
    ("shl.b32 $0, $1, $2", 'r', "rr", |a| if a[1] > 31 { 0 } else { a[0] << a[1] }),
    ("shr.u32 $0, $1, $2", 'r', "rr", |a| if a[1] > 31 { 0 } else { a[0] >> a[1] }),
    ("shr.s32 $0, $1, $2", 'r', "rr", |a| low(s(a[0]) >> a[1].min(31))),
    ("shf.l.wrap.b32 $0, $1, $2, $3", 'r', "rrr", |a| (a[1] << 32 | a[0]) << (a[2] & 31) >> 32),
    ("shf.r.clamp.b32 $0, $1, $2, $3", 'r', "rrr", |a| (a[1] << 32 | a[0]) >> a[2].min(32)),
    ("popc.b32 $0, $1", 'r', "r", |a| a[0].count_ones().into()),
    ("clz.b32 $0, $1", 'r', "r", |a| u64::from(a[0].leading_zeros()) - 32),
    ("brev.b32 $0, $1", 'r', "r", |a| (a[0] as u32).reverse_bits().into()),
    ("bfind.u32 $0, $1", 'r', "r", |a| if a[0] == 0 { u64::MAX } else { a[0].ilog2().into() }),
    ("bfe.s32 $0, $1, $2, $3", 'r', "rrr", |a| bits(a[0], a[1], a[2], 32, true)),
    ("bfe.u32 $0, $1, $2, $3", 'r', "rrr", |a| bits(a[0], a[1], a[2], 32, false)),
    ("bfi.b32 $0, $1, $2, $3, 11", 'r', "rrr", |a| {
        (0..11u64).fold(a[1], |out, i| match (a[2] & 255) + i {
            at @ 0..32 => out & !(1 << at) | (a[0] >> i & 1) << at,
            _ => out,
        })
    }),
    ("prmt.b32 $0, $1, $2, $3", 'r', "rrr", |a| permute(a[0], a[1], a[2])),
    ("lop3.b32 $0, $1, $2, $3, 0x6a", 'r', "rrr", |a| {
        (0..32).fold(0, |out, i| {
            let bit = |v: u64| v >> i & 1;
            out | (0x6a >> (bit(a[0]) << 2 | bit(a[1]) << 1 | bit(a[2])) & 1) << i
        })
    }),
    ("dp4a.s32.u32 $0, $1, $2, $3", 'r', "rrr", |a| {
        low((0..4)
            .map(|i| i128::from((a[0] >> (8 * i)) as i8) * i128::from((a[1] >> (8 * i)) as u8))
            .sum::<i128>()
            + s(a[2]))
    }),
    ("add.u16x2 $0, $1, $2", 'r', "rr", |a| halves(a[0], a[1], |x, y| x + y)),
    ("min.s16x2 $0, $1, $2", 'r', "rr", |a| halves(a[0], a[1], i64::min)),
    ("add.cc.u32 %v, $1, $2; addc.u32 $0, $3, 0", 'r', "rrr", |a| {
        low(u(a[2]) + ((u(a[0]) + u(a[1])) >> 32))
    }),
    ("sub.cc.u32 %v, $1, $2; subc.u32 $0, $3, 5", 'r', "rrr", |a| {
        low(u(a[2]) - 5 - i128::from(a[0] < a[1]))
    }),
    ("mad.lo.cc.u32 %v, $1, $2, $3; madc.hi.u32 $0, $1, $2, 9", 'r', "rrr", |a| {
        let product = u(a[0]) * u(a[1]);
        low((product >> 32) + 9 + (((product & 0xffff_ffff) + u(a[2])) >> 32))
    }),
    ("selp.b32 $0, $1, $2, $3", 'r', "rrp", |a| if a[2] != 0 { a[0] } else { a[1] }),
    ("slct.u32.s32 $0, $1, $2, $3", 'r', "rrr", |a| if s(a[2]) >= 0 { a[0] } else { a[1] }),
    ("mov.b64 {%v, $0}, $1", 'r', "d", |a| a[0] >> 32),
    ("cvt.u32.u64 $0, $1", 'r', "d", |a| a[0]),
    ("cvt.s32.s8 $0, $1", 'r', "r", |a| low(i128::from(a[0] as i8))),
    ("cvt.u32.u16 $0, $1", 'r', "r", |a| a[0] & 0xffff),
    ("cvt.sat.s32.s64 $0, $1", 'r', "d", |a| low(l(a[0]).clamp(i32::MIN.into(), i32::MAX.into()))),
    ("cvt.sat.u32.s32 $0, $1", 'r', "r", |a| low(s(a[0]).max(0))),
    ("cvt.rzi.s32.f32 $0, $1", 'r', "f", |a| {
        low(clamp(f(a[0]).into(), -2147483648.0, 2147483647.0))
    }),
    ("cvt.rni.s32.f32 $0, $1", 'r', "f", |a| {
        low(clamp(f64::from(f(a[0])).round_ties_even(), -2147483648.0, 2147483647.0))
    }),
    ("cvt.rmi.u32.f32 $0, $1", 'r', "f", |a| {
        low(clamp(f64::from(f(a[0])).floor(), 0.0, 4294967295.0))
    }),
    ("set.lt.u32.s32 $0, $1, $2", 'r', "rr", |a| if s(a[0]) < s(a[1]) { 0xffff_ffff } else { 0 }),
    ("add.s64 $0, $1, $2", 'd', "dd", |a| wrap(l(a[0]) + l(a[1]))),
    ("sub.u64 $0, $1, $2", 'd', "dd", |a| wrap(u(a[0]) - u(a[1]))),
    ("mul.lo.s64 $0, $1, $2", 'd', "dd", |a| a[0].wrapping_mul(a[1])),
    ("mul.hi.u64 $0, $1, $2", 'd', "dd", |a| ((u128::from(a[0]) * u128::from(a[1])) >> 64) as u64),
    ("mul.hi.s64 $0, $1, $2", 'd', "dd", |a| ((l(a[0]) * l(a[1])) >> 64) as u64),
    ("mad.lo.u64 $0, $1, $2, $3", 'd', "ddd", |a| a[0].wrapping_mul(a[1]).wrapping_add(a[2])),
    ("mul.wide.s32 $0, $1, $2", 'd', "rr", |a| wrap(s(a[0]) * s(a[1]))),
    ("mad.wide.u32 $0, $1, $2, $3", 'd', "rrd", |a| wrap(u(a[0]) * u(a[1]) + u(a[2]))),
    ("or.b64 %b, $2, 1; div.u64 $0, $1, %b", 'd', "dd", |a| a[0] / (a[1] | 1)),
    ("and.b64 %b, $2, 65535; or.b64 %b, %b, 3; rem.s64 $0, $1, %b", 'd', "dd", |a| {
        wrap(l(a[0]) % u(a[1] & 65535 | 3))
    }),
    ("min.u64 $0, $1, $2", 'd', "dd", |a| a[0].min(a[1])),
    ("max.s64 $0, $1, $2", 'd', "dd", |a| wrap(l(a[0]).max(l(a[1])))),
    ("or.b64 $0, $1, $2", 'd', "dd", |a| a[0] | a[1]),
    ("shl.b64 $0, $1, $2", 'd', "dr", |a| if a[1] > 63 { 0 } else { a[0] << a[1] }),
    ("shr.s64 $0, $1, $2", 'd', "dr", |a| wrap(l(a[0]) >> a[1].min(63))),
    ("bfe.s64 $0, $1, $2, $3", 'd', "drr", |a| bits(a[0], a[1], a[2], 64, true)),
    ("clz.b64 %v, $1; cvt.u64.u32 $0, %v", 'd', "d", |a| a[0].leading_zeros().into()),
    ("brev.b64 $0, $1", 'd', "d", |a| a[0].reverse_bits()),
    ("mov.b64 $0, {$1, $2}", 'd', "rr", |a| a[1] << 32 | a[0]),
    ("cvt.s64.s32 $0, $1", 'd', "r", |a| wrap(s(a[0]))),
    ("cvt.rzi.s64.f64 $0, $1", 'd', "g", |a| {
        // Not a number is the least of all (PTX ISA, `cvt`).
        if g(a[0]).is_nan() { 1 << 63 } else { g(a[0]) as i64 as u64 }
    }),
    ("selp.b64 $0, $1, $2, $3", 'd', "ddp", |a| if a[2] != 0 { a[0] } else { a[1] }),
    ("add.f32 $0, $1, $2", 'f', "ff", |a| of(f(a[0]) + f(a[1]))),
    ("sub.ftz.f32 $0, $1, $2", 'f', "ff", |a| of(z(z(f(a[0])) - z(f(a[1]))))),
    ("mul.f32 $0, $1, $2", 'f', "ff", |a| of(f(a[0]) * f(a[1]))),
    ("mul.rz.f32 $0, $1, $2", 'f', "ff", |a| {
        let (near, exact) = (f(a[0]) * f(a[1]), f64::from(f(a[0])) * f64::from(f(a[1])));
        match near.is_infinite() && exact.is_finite() {
            true => of(f32::MAX.copysign(near)),
            false => of(towards_zero(near, f64::from(near).abs() > exact.abs())),
        }
    }),
    ("add.sat.f32 $0, $1, $2", 'f', "ff", |a| {
        let sum = f(a[0]) + f(a[1]);
        of(if sum.is_nan() || sum <= 0.0 { 0.0 } else { sum.min(1.0) })
    }),
    ("fma.rn.f32 $0, $1, $2, $3", 'f', "fff", |a| of(f(a[0]).mul_add(f(a[1]), f(a[2])))),
    ("div.rn.f32 $0, $1, $2", 'f', "ff", |a| of(f(a[0]) / f(a[1]))),
    ("sqrt.rn.f32 $0, $1", 'f', "f", |a| of(f(a[0]).sqrt())),
    ("rcp.rn.f32 $0, $1", 'f', "f", |a| of(1.0 / f(a[0]))),
    ("max.f32 $0, $1, $2", 'f', "ff", |a| {
        let (x, y) = (f(a[0]), f(a[1]));
        match (x.is_nan(), y.is_nan()) {
            (true, _) => a[1],
            (_, true) => a[0],
            // -0 is less than +0.
            _ if x == y => a[0] & a[1],
            _ => of(if x > y { x } else { y }),
        }
    }),
    ("cvt.rn.f32.s32 $0, $1", 'f', "r", |a| of(a[0] as u32 as i32 as f32)),
    ("cvt.rn.f32.u64 $0, $1", 'f', "d", |a| of(a[0] as f32)),
    ("cvt.rn.f32.f64 $0, $1", 'f', "g", |a| of(g(a[0]) as f32)),
    ("cvt.rzi.f32.f32 $0, $1", 'f', "f", |a| of(f(a[0]).trunc())),
    ("cvt.rpi.f32.f32 $0, $1", 'f', "f", |a| of(f(a[0]).ceil())),
    ("selp.f32 $0, $1, $2, $3", 'f', "ffp", |a| if a[2] != 0 { a[0] } else { a[1] }),
    ("add.f64 $0, $1, $2", 'g', "gg", |a| (g(a[0]) + g(a[1])).to_bits()),
    ("mul.f64 $0, $1, $2", 'g', "gg", |a| (g(a[0]) * g(a[1])).to_bits()),
    ("fma.rn.f64 $0, $1, $2, $3", 'g', "ggg", |a| g(a[0]).mul_add(g(a[1]), g(a[2])).to_bits()),
    ("div.rn.f64 $0, $1, $2", 'g', "gg", |a| (g(a[0]) / g(a[1])).to_bits()),
    ("sqrt.rn.f64 $0, $1", 'g', "g", |a| g(a[0]).sqrt().to_bits()),
    ("cvt.f64.f32 $0, $1", 'g', "f", |a| f64::from(f(a[0])).to_bits()),
    ("cvt.rn.f64.u32 $0, $1", 'g', "r", |a| (a[0] as f64).to_bits()),
    ("cvt.rn.f64.s64 $0, $1", 'g', "d", |a| (a[0] as i64 as f64).to_bits()),
    ("setp.lt.s32 $0, $1, $2", 'p', "rr", |a| (s(a[0]) < s(a[1])).into()),
    ("setp.hs.u32 $0, $1, $2", 'p', "rr", |a| (a[0] >= a[1]).into()),
    ("setp.ne.s64 $0, $1, $2", 'p', "dd", |a| (a[0] != a[1]).into()),
    ("setp.gt.u64 $0, $1, $2", 'p', "dd", |a| (a[0] > a[1]).into()),
    ("setp.le.f32 $0, $1, $2", 'p', "ff", |a| (f(a[0]) <= f(a[1])).into()),
    ("setp.ltu.f32 $0, $1, $2", 'p', "ff", |a| {
        u64::from(!matches!(
            f(a[0]).partial_cmp(&f(a[1])),
            Some(std::cmp::Ordering::Equal | std::cmp::Ordering::Greater)
        ))
    }),
    ("setp.ge.f64 $0, $1, $2", 'p', "gg", |a| (g(a[0]) >= g(a[1])).into()),
    ("setp.eq.and.s32 $0, $1, $2, $3", 'p', "rrp", |a| u64::from(a[0] == a[1] && a[2] != 0)),
    ("and.pred $0, $1, $2", 'p', "pp", |a| a[0] & a[1]),
    ("xor.pred $0, $1, $2", 'p', "pp", |a| a[0] ^ a[1]),
    ("not.pred $0, $1", 'p', "p", |a| a[0] ^ 1),
];
