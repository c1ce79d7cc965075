//! Instruction by instruction: one small kernel each, with answers worked out by hand or by the
//! host's own arithmetic.

mod device;

use device::{Device, Params, module};

/// The kernel round an instruction: inputs of thread t in `%d0..%d3`, their low words in
/// `%a0..%a3`, their low halves in `%h0..%h3`; the result is `%o`, `%od`, `%oh` or `%p0`.
fn kernel(code: &str, result: &str) -> String {
    let finish = match result {
        "o" => "cvt.u64.u32 %od, %o;",
        "oh" => "cvt.u64.u16 %od, %oh;",
        "p" => "selp.u64 %od, 1, 0, %p0;",
        _ => "",
    };
    let mut loads = String::new();
    for i in 0..4 {
        loads += &format!(
            "ld.global.u64 %d{i}, [%in+{}]; cvt.u32.u64 %a{i}, %d{i}; cvt.u16.u64 %h{i}, %d{i};\n",
            8 * i
        );
    }
    format!(
        ".version 8.6\n.target sm_100\n.address_size 64\n\
         .visible .entry test(.param .u64 p_in, .param .u64 p_out) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>, %oh; .reg .b32 %a<4>, %o, %t, %u<4>; .reg .b64 %d<4>, %od, %in, %out, %e<4>;\n\
         ld.param.u64 %in, [p_in]; ld.param.u64 %out, [p_out];\n\
         mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 32, %in; mad.wide.u32 %out, %t, 8, %out;\n\
         {loads}{code}\n{finish}\nst.global.u64 [%out], %od;\nret;\n}}\n"
    )
}

/// Runs `code` once a case and compares the results.
fn check<const N: usize>(code: &str, result: &str, cases: &[([u64; N], u64)]) {
    let text = kernel(code, result);
    if let Ok(folder) = std::env::var("GPUC_DUMP_PTX") {
        let name: String = code
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(60)
            .collect();
        std::fs::write(format!("{folder}/{name}.ptx"), &text).unwrap();
    }
    let device = Device::new();
    let mut input = Vec::new();
    for (values, _) in cases {
        for i in 0..4 {
            input.extend(values.get(i).copied().unwrap_or(0).to_le_bytes());
        }
    }
    let (pin, pout) =
        (device.bytes("in", &input), device.bytes("out", &vec![0xcc; cases.len() * 8]));
    device.launch(
        &module(&text),
        "test",
        1,
        cases.len() as u32,
        &Params::default().ptr(pin).ptr(pout),
    );
    for ((inputs, want), got) in cases.iter().zip(device.read_longs(pout, cases.len())) {
        assert_eq!(got, *want, "{code}\non {inputs:x?}: got {got:#x}, want {want:#x}");
    }
}

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn d(value: f64) -> u64 {
    value.to_bits()
}

const M1: u64 = u32::MAX as u64;

#[test]
fn integer_arithmetic() {
    check("add.s32 %o, %a0, %a1;", "o", &[([M1, 2], 1), ([0x7fff_ffff, 1], 0x8000_0000)]);
    check(
        "add.sat.s32 %o, %a0, %a1;",
        "o",
        &[([0x7fff_ffff, 1], 0x7fff_ffff), ([0x8000_0000, M1], 0x8000_0000)],
    );
    check("add.u16 %oh, %h0, %h1;", "oh", &[([0xffff, 2], 1)]);
    check("sub.s64 %od, %d0, %d1;", "od", &[([0, 1], u64::MAX)]);
    check("mul.lo.s32 %o, %a0, %a1;", "o", &[([M1, 5], M1 - 4)]);
    check(
        "mul.hi.s32 %o, %a0, %a1;",
        "o",
        &[([M1, 5], M1), ([0x8000_0000, 0x8000_0000], 0x4000_0000)],
    );
    check("mul.hi.u32 %o, %a0, %a1;", "o", &[([M1, M1], M1 - 1)]);
    check("mul.hi.u64 %od, %d0, %d1;", "od", &[([u64::MAX, u64::MAX], u64::MAX - 1)]);
    check("mul.hi.s64 %od, %d0, %d1;", "od", &[([u64::MAX, 7], u64::MAX)]);
    check("mul.wide.s32 %od, %a0, %a1;", "od", &[([M1, 3], -3i64 as u64)]);
    check("mul.wide.u32 %od, %a0, %a1;", "od", &[([M1, M1], M1 * M1)]);
    check("mul.wide.s16 %o, %h0, %h1;", "o", &[([0xffff, 3], M1 - 2)]);
    check("mul.wide.u16 %o, %h0, %h1;", "o", &[([0xffff, 0xffff], 0xfffe_0001)]);
    check("mad.lo.s32 %o, %a0, %a1, %a2;", "o", &[([M1, 5, 7], 2)]);
    check("mad.hi.u32 %o, %a0, %a1, %a2;", "o", &[([M1, M1, 3], 1)]);
    check("mad.wide.s32 %od, %a0, %a1, %d2;", "od", &[([M1, 2, 1 << 40], (1 << 40) - 2)]);
    check("mad.wide.u32 %od, %a0, %a1, %d2;", "od", &[([M1, 2, 1 << 40], (1 << 40) + 2 * M1)]);
    check(
        "mad.hi.sat.s32 %o, %a0, %a1, %a2;",
        "o",
        &[([0x7fff_ffff, 0x7fff_ffff, 0x7000_0000], 0x7fff_ffff)],
    );
    check("mul24.lo.s32 %o, %a0, %a1;", "o", &[([0xff_ffff, 2], M1 - 1)]);
    check("mul24.hi.u32 %o, %a0, %a1;", "o", &[([0xff_ffff, 0xff_ffff], 0xffff_fe00)]);
    check("sad.s32 %o, %a0, %a1, %a2;", "o", &[([M1, 2, 10], 13)]);
    check("sad.u32 %o, %a0, %a1, %a2;", "o", &[([M1, 2, 10], 7)]);
    check(
        "div.s32 %o, %a0, %a1;",
        "o",
        &[([M1 - 6, 2], M1 - 2), ([0x8000_0000, M1], 0x8000_0000), ([7, 0], M1)],
    );
    check("rem.s32 %o, %a0, %a1;", "o", &[([M1 - 6, 2], M1), ([0x8000_0000, M1], 0)]);
    check("div.u64 %od, %d0, %d1;", "od", &[([u64::MAX, 10], u64::MAX / 10)]);
    check("rem.u64 %od, %d0, %d1;", "od", &[([u64::MAX, 10], u64::MAX % 10)]);
    check("abs.s32 %o, %a0;", "o", &[([M1], 1), ([0x8000_0000], 0x8000_0000)]);
    check("neg.s16 %oh, %h0;", "oh", &[([1], 0xffff)]);
    check("min.s32 %o, %a0, %a1;", "o", &[([M1, 1], M1)]);
    check("min.u32 %o, %a0, %a1;", "o", &[([M1, 1], 1)]);
    check("max.s64 %od, %d0, %d1;", "od", &[([u64::MAX, 1], 1)]);
    check("max.s16 %oh, %h0, %h1;", "oh", &[([0x8000, 1], 1)]);
    check(
        "add.cc.u32 %o, %a0, %a1; addc.cc.u32 %u0, %a2, 0; addc.u32 %u1, 0, 0; mov.b64 %od, {%o, %u0}; cvt.u64.u32 %e0, %u1; shl.b64 %e0, %e0, 60; xor.b64 %od, %od, %e0;",
        "od",
        &[([M1, 1, M1], 1 << 60), ([M1, 1, 5], 6 << 32)],
    );
    check(
        "sub.cc.u32 %o, %a0, %a1; subc.u32 %o, %a2, %a3;",
        "o",
        &[([1, 2, 10, 3], 6), ([2, 1, 10, 3], 7)],
    );
    check(
        "mad.lo.cc.u32 %o, %a0, %a1, %a2; madc.hi.u32 %o, %a0, %a1, 0;",
        "o",
        &[([M1, M1, M1], M1)],
    );
    check("dp4a.s32.u32 %o, %a0, %a1, %a2;", "o", &[([0xff02_0304, 0x0101_0101, 100], 108)]);
    check("dp2a.lo.s32.s32 %o, %a0, %a1, %a2;", "o", &[([0xffff_0005, 0x0203, 1], 14)]);
}

#[test]
fn shifts_and_bits() {
    check("shl.b32 %o, %a0, %a1;", "o", &[([1, 31], 1 << 31), ([1, 32], 0), ([1, M1], 0)]);
    check(
        "shr.u32 %o, %a0, %a1;",
        "o",
        &[([M1, 31], 1), ([M1, 32], 0), ([M1, 77], 0), ([5, 0], 5)],
    );
    check(
        "shr.s32 %o, %a0, %a1;",
        "o",
        &[([0x8000_0000, 32], M1), ([0x8000_0000, 4], 0xf800_0000)],
    );
    check("shl.b64 %od, %d0, %a1;", "od", &[([1, 63], 1 << 63), ([1, 64], 0)]);
    check("shr.s64 %od, %d0, %a1;", "od", &[([1 << 63, 200], u64::MAX), ([1 << 63, 63], u64::MAX)]);
    check("shr.s16 %oh, %h0, %a1;", "oh", &[([0x8000, 20], 0xffff), ([0x8000, 15], 0xffff)]);
    check("shl.b16 %oh, %h0, %a1;", "oh", &[([3, 15], 0x8000), ([3, 16], 0)]);
    check("shf.l.wrap.b32 %o, %a0, %a1, %a2;", "o", &[([0x8000_0000, 1, 1], 3), ([7, 9, 32], 9)]);
    check("shf.l.clamp.b32 %o, %a0, %a1, %a2;", "o", &[([7, 9, 32], 7), ([7, 9, 99], 7)]);
    check("shf.r.wrap.b32 %o, %a0, %a1, %a2;", "o", &[([1, 3, 1], 0x8000_0000)]);
    check("shf.r.clamp.b32 %o, %a0, %a1, %a2;", "o", &[([7, 9, 40], 9)]);
    check("popc.b64 %o, %d0;", "o", &[([u64::MAX], 64)]);
    check("clz.b32 %o, %a0;", "o", &[([0], 32), ([1], 31)]);
    check("clz.b64 %o, %d0;", "o", &[([0], 64), ([1 << 40], 23)]);
    check("brev.b32 %o, %a0;", "o", &[([1], 1 << 31)]);
    check("bfind.u32 %o, %a0;", "o", &[([0], M1), ([0x8000_0000], 31)]);
    check("bfind.s32 %o, %a0;", "o", &[([M1], M1), ([0xffff_fff0], 3)]);
    check("bfind.shiftamt.u32 %o, %a0;", "o", &[([1], 31), ([0], M1)]);
    check(
        "bfe.u32 %o, %a0, %a1, %a2;",
        "o",
        &[([0xabcd, 4, 8], 0xbc), ([M1, 28, 8], 0xf), ([M1, 0, 0], 0), ([M1, 40, 3], 0)],
    );
    check(
        "bfe.s32 %o, %a0, %a1, %a2;",
        "o",
        &[
            ([0x80, 4, 4], 0xffff_fff8),
            ([0x8000_0000, 28, 8], 0xffff_fff8),
            ([0x8000_0000, 40, 3], M1),
        ],
    );
    check("bfe.s64 %od, %d0, %a1, %a2;", "od", &[([0xf0, 4, 4], u64::MAX)]);
    check(
        "bfi.b32 %o, %a0, %a1, %a2, %a3;",
        "o",
        &[([0xff, 0, 8, 4], 0xf00), ([0xff, 7, 32, 4], 7), ([5, 7, 0, 0], 7)],
    );
    check("bfi.b64 %od, %d0, %d1, %a2, %a3;", "od", &[([u64::MAX, 0, 60, 64], 0xf << 60)]);
    check("lop3.b32 %o, %a0, %a1, %a2, 0xCA;", "o", &[([0xff00, 0x1234, 0x5678], 0x1278)]);
    check("lop3.b32 %o, %a0, %a1, %a2, 0x96;", "o", &[([1, 3, 7], 5)]);
    check(
        "prmt.b32 %o, %a0, %a1, %a2;",
        "o",
        &[([0x3322_1100, 0x7766_5544, 0x7531], 0x7755_3311), ([0x80, 0, 0x8888], M1)],
    );
    check("prmt.b32.f4e %o, %a0, %a1, 1;", "o", &[([0x3322_1100, 0x7766_5544], 0x4433_2211)]);
    check("prmt.b32.b4e %o, %a0, %a1, 1;", "o", &[([0x3322_1100, 0x7766_5544], 0x6677_0011)]);
    check("prmt.b32.rc16 %o, %a0, %a1, 1;", "o", &[([0x3322_1100, 0x7766_5544], 0x3322_3322)]);
    check("prmt.b32.ecl %o, %a0, %a1, 2;", "o", &[([0x3322_1100, 0], 0x3322_2222)]);
    check("cnot.b32 %o, %a0;", "o", &[([0], 1), ([9], 0)]);
    check("not.b16 %oh, %h0;", "oh", &[([0xff], 0xff00)]);
    check("fns.b32 %o, %a0, %a1, 2;", "o", &[([0b1_0110, 1], 2), ([0b1_0110, 2], 4)]);
    check("szext.clamp.s32 %o, %a0, %a1;", "o", &[([0x8, 4], 0xffff_fff8), ([5, 99], 5)]);
    check("bmsk.clamp.b32 %o, %a0, %a1;", "o", &[([4, 8], 0xff0), ([0, 32], M1)]);
}

#[test]
fn float_arithmetic() {
    // 1 + 2^-12 squared, minus what rounding leaves: zero unless the product is kept exactly.
    let x = 1.0f32 + 2f32.powi(-12);
    check("fma.rn.f32 %o, %a0, %a1, %a2;", "o", &[([f(x), f(x), f(-(x * x))], f(2f32.powi(-24)))]);
    check(
        "mul.rn.f32 %o, %a0, %a1; sub.rn.f32 %o, %o, %a2;",
        "o",
        &[([f(x), f(x), f(x * x)], f(0.0))],
    );
    check(
        "add.rn.f32 %o, %a0, %a1;",
        "o",
        &[([f(1.0), f(2f32.powi(-25))], f(1.0)), ([f(f32::NAN), f(1.0)], 0x7fff_ffff)],
    );
    check(
        "add.rp.f32 %o, %a0, %a1;",
        "o",
        &[([f(1.0), f(1e-30)], f(1.0) + 1), ([f(-1.0), f(1e-30)], f(-1.0) - 1)],
    );
    check("add.rz.f32 %o, %a0, %a1;", "o", &[([f(1.0), f(-1e-30)], f(1.0) - 1)]);
    check("mul.rm.f32 %o, %a0, %a1;", "o", &[([f(0.1), f(0.1)], 0x3c23_d70a)]);
    check("add.rm.f32 %o, %a0, %a1;", "o", &[([f(1.0), f(-1.0)], f(-0.0))]);
    check(
        "add.sat.f32 %o, %a0, %a1;",
        "o",
        &[([f(0.7), f(0.7)], f(1.0)), ([f(-3.0), f(1.0)], f(0.0)), ([f(f32::NAN), f(1.0)], f(0.0))],
    );
    check(
        "mul.ftz.f32 %o, %a0, %a1;",
        "o",
        &[([f(1e-30), f(1e-10)], f(0.0)), ([f(-1e-30), f(1e-10)], f(-0.0)), ([1, f(1e30)], f(0.0))],
    );
    check("mul.rn.f32 %o, %a0, %a1;", "o", &[([f(1e-30), f(1e-10)], f(1e-40))]);
    check(
        "fma.rn.f64 %od, %d0, %d1, %d2;",
        "od",
        &[([d(0.1), d(10.0), d(-1.0)], d(0.1f64.mul_add(10.0, -1.0)))],
    );
    check("fma.rz.f64 %od, %d0, %d1, %d2;", "od", &[([d(1.0), d(1.0), d(-1e-300)], d(1.0) - 1)]);
    check(
        "div.rn.f32 %o, %a0, %a1;",
        "o",
        &[([f(1.0), f(3.0)], f(1.0 / 3.0)), ([f(1.0), f(0.0)], f(f32::INFINITY))],
    );
    check("div.rn.f64 %od, %d0, %d1;", "od", &[([d(1.0), d(3.0)], d(1.0 / 3.0))]);
    check("sqrt.rn.f32 %o, %a0;", "o", &[([f(2.0)], f(2f32.sqrt())), ([f(-1.0)], 0x7fff_ffff)]);
    check(
        "sqrt.rp.f64 %od, %d0;",
        "od",
        &[([d(2.0)], d(2f64.sqrt())), ([d(3.0)], d(3f64.sqrt()) + 1)],
    );
    check("rcp.rn.f32 %o, %a0;", "o", &[([f(3.0)], f(1.0 / 3.0))]);
    check("rcp.approx.ftz.f64 %od, %d0;", "od", &[([d(4.0)], d(0.25))]);
    check("rsqrt.approx.f32 %o, %a0;", "o", &[([f(4.0)], f(0.5))]);
    check("ex2.approx.f32 %o, %a0;", "o", &[([f(3.0)], f(8.0)), ([f(-200.0)], f(0.0))]);
    check("lg2.approx.f32 %o, %a0;", "o", &[([f(8.0)], f(3.0)), ([f(0.0)], f(f32::NEG_INFINITY))]);
    check("sin.approx.f32 %o, %a0;", "o", &[([f(0.0)], f(0.0))]);
    check("cos.approx.f32 %o, %a0;", "o", &[([f(0.0)], f(1.0))]);
    check("tanh.approx.f32 %o, %a0;", "o", &[([f(100.0)], f(1.0))]);
    check(
        "min.f32 %o, %a0, %a1;",
        "o",
        &[
            ([f(f32::NAN), f(1.0)], f(1.0)),
            ([f(0.0), f(-0.0)], f(-0.0)),
            ([f(-0.0), f(0.0)], f(-0.0)),
            ([f(2.0), f(1.0)], f(1.0)),
        ],
    );
    check(
        "max.f32 %o, %a0, %a1;",
        "o",
        &[([f(-0.0), f(0.0)], f(0.0)), ([f(1.0), f(f32::NAN)], f(1.0))],
    );
    check("min.NaN.f32 %o, %a0, %a1;", "o", &[([f(f32::NAN), f(1.0)], 0x7fff_ffff)]);
    check("max.f64 %od, %d0, %d1;", "od", &[([d(f64::NAN), d(1.0)], d(1.0))]);
    check("abs.f32 %o, %a0;", "o", &[([f(-1.5)], f(1.5))]);
    check("neg.f64 %od, %d0;", "od", &[([d(0.0)], d(-0.0))]);
    check("copysign.f32 %o, %a0, %a1;", "o", &[([f(-1.0), f(3.0)], f(-3.0))]);
    check("testp.subnormal.f32 %p0, %a0;", "p", &[([1], 1), ([f(1.0)], 0)]);
    check(
        "add.rn.f16 %oh, %h0, %h1;",
        "oh",
        &[([0x3c00, 0x3c00], 0x4000), ([0x7bff, 0x7bff], 0x7c00)],
    );
    check("fma.rn.f16 %oh, %h0, %h1, %h2;", "oh", &[([0x3c01, 0x3c01, 0xbc02], 0x0010)]);
    check("fma.rn.bf16 %oh, %h0, %h1, %h2;", "oh", &[([0x3f80, 0x4000, 0x3f80], 0x4040)]);
    check("mul.rn.f16x2 %o, %a0, %a1;", "o", &[([0x3c00_4000, 0x4000_4000], 0x4000_4400)]);
    check(
        "add.rn.f32x2 %od, %d0, %d1;",
        "od",
        &[([f(1.0) << 32 | f(2.0), f(3.0) << 32 | f(4.0)], f(4.0) << 32 | f(6.0))],
    );
    check(
        "fma.rn.f32x2 %od, %d0, %d1, %d2;",
        "od",
        &[(
            [f(2.0) << 32 | f(3.0), f(5.0) << 32 | f(7.0), f(1.0) << 32 | f(-1.0)],
            f(11.0) << 32 | f(20.0),
        )],
    );
}

#[test]
fn conversions() {
    check(
        "cvt.rn.f32.u64 %o, %d0;",
        "o",
        &[([u64::MAX], f(1.844_674_4e19)), ([(1 << 24) + 1], f(16_777_216.0))],
    );
    check("cvt.rp.f32.u64 %o, %d0;", "o", &[([(1 << 24) + 1], f(16_777_218.0))]);
    check("cvt.rn.f64.s64 %od, %d0;", "od", &[([-3i64 as u64], d(-3.0))]);
    check(
        "cvt.rzi.s64.f64 %od, %d0;",
        "od",
        &[([d(-3.9)], -3i64 as u64), ([d(1e300)], i64::MAX as u64)],
    );
    check("cvt.rzi.u64.f32 %od, %a0;", "od", &[([f(-3.9)], 0), ([f(1e10)], 10_000_000_000)]);
    check("cvt.rni.s32.f32 %o, %a0;", "o", &[([f(2.5)], 2), ([f(3.5)], 4), ([f(-2.5)], M1 - 1)]);
    check("cvt.rmi.s32.f32 %o, %a0;", "o", &[([f(-2.5)], M1 - 2)]);
    check("cvt.rpi.s32.f64 %o, %d0;", "o", &[([d(2.1)], 3)]);
    check("cvt.rni.f32.f32 %o, %a0;", "o", &[([f(2.5)], f(2.0)), ([f(-0.3)], f(-0.0))]);
    check("cvt.rzi.f64.f64 %od, %d0;", "od", &[([d(-2.7)], d(-2.0))]);
    check("cvt.rn.f32.f64 %o, %d0;", "o", &[([d(0.1)], f(0.1)), ([d(1e300)], f(f32::INFINITY))]);
    check("cvt.rz.f32.f64 %o, %d0;", "o", &[([d(1e300)], f(f32::MAX))]);
    check("cvt.f64.f32 %od, %a0;", "od", &[([f(0.1)], d(f64::from(0.1f32)))]);
    check("cvt.sat.f32.f32 %o, %a0;", "o", &[([f(1.5)], f(1.0)), ([f(-1.5)], f(0.0))]);
    check("cvt.ftz.f32.f32 %o, %a0;", "o", &[([1], 0)]);
    check("cvt.s32.s8 %o, %a0;", "o", &[([0x80], 0xffff_ff80)]);
    check("cvt.u32.u8 %o, %a0;", "o", &[([0x1ff], 0xff)]);
    check("cvt.s64.s32 %od, %a0;", "od", &[([M1], u64::MAX)]);
    check("cvt.u64.u32 %od, %a0;", "od", &[([M1], M1)]);
    check("cvt.s8.s32 %o, %a0;", "o", &[([0x80], 0xffff_ff80)]);
    check("cvt.sat.u8.s32 %o, %a0;", "o", &[([M1], 0), ([300], 255)]);
    check("cvt.sat.s16.s32 %oh, %a0;", "oh", &[([40000], 0x7fff)]);
    check("cvt.rn.f16.f32 %oh, %a0;", "oh", &[([f(1.0)], 0x3c00), ([f(65520.0)], 0x7c00)]);
    check("cvt.f32.f16 %o, %h0;", "o", &[([0x3555], f(0.333_251_95))]);
    check("cvt.rn.bf16.f32 %oh, %a0;", "oh", &[([f(3.15625)], 0x404a)]);
    check("cvt.rn.f16x2.f32 %o, %a0, %a1;", "o", &[([f(1.0), f(2.0)], 0x3c00_4000)]);
    check("cvt.rn.f16.s32 %oh, %a0;", "oh", &[([3], 0x4200)]);
    check("cvt.rzi.s32.f16 %o, %h0;", "o", &[([0xc200], M1 - 2)]);
}

#[test]
fn comparison_and_selection() {
    check("setp.lt.s32 %p0, %a0, %a1;", "p", &[([M1, 1], 1)]);
    check("setp.lt.u32 %p0, %a0, %a1;", "p", &[([M1, 1], 0)]);
    check("setp.hi.u32 %p0, %a0, %a1;", "p", &[([M1, 1], 1)]);
    check("setp.ne.s16 %p0, %h0, %h1;", "p", &[([0x1_0001, 1], 0)]);
    check("setp.eq.b64 %p0, %d0, %d1;", "p", &[([1 << 40, 1], 0)]);
    check("setp.lt.f32 %p0, %a0, %a1;", "p", &[([f(1.0), f(2.0)], 1), ([f(f32::NAN), f(2.0)], 0)]);
    check("setp.ltu.f32 %p0, %a0, %a1;", "p", &[([f(3.0), f(2.0)], 0), ([f(f32::NAN), f(2.0)], 1)]);
    check("setp.ne.f32 %p0, %a0, %a1;", "p", &[([f(f32::NAN), f(2.0)], 0), ([f(1.0), f(2.0)], 1)]);
    check("setp.neu.f64 %p0, %d0, %d1;", "p", &[([d(f64::NAN), d(2.0)], 1), ([d(2.0), d(2.0)], 0)]);
    check("setp.equ.f64 %p0, %d0, %d1;", "p", &[([d(f64::NAN), d(2.0)], 1)]);
    check("setp.num.f32 %p0, %a0, %a1;", "p", &[([f(f32::NAN), f(2.0)], 0)]);
    check("setp.nan.f32 %p0, %a0, %a1;", "p", &[([f(f32::NAN), f(2.0)], 1)]);
    check("setp.lt.f16 %p0, %h0, %h1;", "p", &[([0xbc00, 0x3c00], 1)]);
    check(
        "setp.eq.s32 %p1, %a2, 1; setp.lt.and.s32 %p0, %a0, %a1, %p1;",
        "p",
        &[([1, 2, 1], 1), ([1, 2, 0], 0)],
    );
    check(
        "setp.eq.s32 %p1, %a2, 1; setp.lt.or.s32 %p0, %a0, %a1, !%p1;",
        "p",
        &[([2, 1, 1], 0), ([2, 1, 0], 1)],
    );
    check(
        "setp.eq.s32 %p1, %a2, 1; setp.lt.xor.s32 %p2|%p0, %a0, %a1, %p1;",
        "p",
        &[([1, 2, 1], 1), ([1, 2, 0], 0)],
    );
    check("setp.lt.s32 %p1|%p0, %a0, %a1;", "p", &[([1, 2], 0), ([2, 1], 1)]);
    check("set.lt.u32.f32 %o, %a0, %a1;", "o", &[([f(1.0), f(2.0)], M1), ([f(2.0), f(1.0)], 0)]);
    check("set.gt.f32.s32 %o, %a0, %a1;", "o", &[([2, 1], f(1.0))]);
    check(
        "setp.eq.s32 %p1, %a2, 1; selp.b64 %od, %d0, %d1, %p1;",
        "od",
        &[([1 << 50, 9, 1], 1 << 50), ([8, 9, 0], 9)],
    );
    check("slct.u32.s32 %o, %a0, %a1, %a2;", "o", &[([1, 2, 0], 1), ([1, 2, M1], 2)]);
    check(
        "slct.u64.f32 %od, %d0, %d1, %a2;",
        "od",
        &[([1, 2, f(-0.0)], 1), ([1, 2, f(f32::NAN)], 2)],
    );
    check(
        "setp.eq.s32 %p0, %a0, 1; setp.eq.s32 %p1, %a1, 1; and.pred %p0, %p0, %p1; not.pred %p0, %p0;",
        "p",
        &[([1, 1], 0), ([1, 0], 1)],
    );
    check(
        "setp.eq.s32 %p1, %a0, 1; mov.u32 %o, 5; @%p1 mov.u32 %o, 6; @!%p1 add.u32 %o, %o, 2;",
        "o",
        &[([1], 6), ([0], 7)],
    );
}

#[test]
fn moves_and_memory() {
    check("mov.b64 %od, {%a0, %a1};", "od", &[([5, 6], 6 << 32 | 5)]);
    check("mov.b64 {%u0, %u1}, %d0; sub.u32 %o, %u1, %u0;", "o", &[([9 << 32 | 4], 5)]);
    check("mov.b64 {_, %o}, %d0;", "o", &[([9 << 32 | 4], 9)]);
    check("mov.b32 %o, {%h0, %h1};", "o", &[([1, 2], 0x2_0001)]);
    check("mov.u64 %od, 0xfedcba9876543210;", "od", &[([0], 0xfedc_ba98_7654_3210)]);
    check("mov.f64 %od, 0d400921FB54442D18;", "od", &[([0], d(std::f64::consts::PI))]);
    check("mov.u32 %o, (1 << 4) + 3 * 2;", "o", &[([0], 22)]);
    check(
        "{ .reg .b32 %o; mov.u32 %o, 3; } mov.u32 %o, 4; { .reg .b32 %a0; mov.u32 %a0, 9; add.u32 %o, %o, %a0; }",
        "o",
        &[([0], 13)],
    );
    check("ld.global.s8 %o, [%in];", "o", &[([0xff], M1), ([0x7f], 0x7f)]);
    check("ld.global.u8 %o, [%in];", "o", &[([0x1ff], 0xff)]);
    check("ld.global.s16 %od, [%in+2];", "od", &[([0x8000_0000], 0xffff_ffff_ffff_8000)]);
    check("ld.global.s32 %od, [%in];", "od", &[([M1], u64::MAX)]);
    check("ld.global.v2.u32 {%u0, %u1}, [%in]; add.u32 %o, %u0, %u1;", "o", &[([3 << 32 | 4], 7)]);
    check(
        "ld.global.v4.u32 {%u0, %u1, %u2, %u3}, [%in]; add.u32 %o, %u0, %u3;",
        "o",
        &[([3 << 32 | 4, 7 << 32], 11)],
    );
    check(
        "ld.global.nc.L1::no_allocate.L2::128B.v2.f32 {%u0, %o}, [%in];",
        "o",
        &[([3 << 32 | 4], 3)],
    );
    check("ld.volatile.global.u32 %o, [%in];", "o", &[([3], 3)]);
    check("ld.acquire.gpu.global.u32 %o, [%in];", "o", &[([3], 3)]);
    check(
        "st.global.u8 [%out], %a0; ld.u64 %od, [%out];",
        "od",
        &[([0x1234], 0xcccc_cccc_cccc_cc34)],
    );
    check(
        "st.release.sys.global.u32 [%out+4], %a0; ld.relaxed.gpu.global.u64 %od, [%out];",
        "od",
        &[([1], 0x1_cccc_cccc)],
    );
    check(
        ".local .align 8 .b8 slot[16]; mov.u64 %e0, slot; cvta.local.u64 %e1, %e0; st.local.u64 [slot+8], %d0; ld.u64 %od, [%e1+8];",
        "od",
        &[([7], 7), ([8], 8)],
    );
    check(
        ".shared .align 8 .b8 tile[1024]; mov.u32 %u0, tile; shl.b32 %u1, %t, 3; add.u32 %u0, %u0, %u1; st.shared.u64 [%u0], %d0; cvta.shared.u64 %e0, tile; ld.u64 %od, [%e0];",
        "od",
        &[([7], 7)],
    );
    check("isspacep.global %p0, %in;", "p", &[([0], 1)]);
    check("isspacep.shared %p0, %in;", "p", &[([0], 0)]);
}
