//! Approximate functions at their worst: off, but within what the manual allows.

mod device;

use device::{Device, Params, module};
use gpuc_sim::Launch;

const COUNT: usize = 4096;

/// The results of one instruction on many inputs, at best and at worst.
fn results(instruction: &str, input: impl Fn(usize) -> u32) -> [Vec<u32>; 2] {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .reg .b32 %a, %b, %d, %t; .reg .b64 %p; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %a, %ctaid.x; mad.lo.u32 %t, %a, 256, %t;\n\
         mad.wide.u32 %p, %t, 4, %p; ld.global.b32 %a, [%p]; mov.b32 %b, 0f40490FDB; {instruction}; st.global.b32 [%p], %d; ret;\n}}\n"
    );
    let module = module(&text.replace(".reg .b32 %a, %b, %d", ".reg .f32 %a, %b, %d").replace(
        "mov.u32 %a, %ctaid.x; mad.lo.u32 %t, %a, 256, %t;",
        ".reg .b32 %c; mov.u32 %c, %ctaid.x; mad.lo.u32 %t, %c, 256, %t;",
    ));
    [false, true].map(|worst| {
        let device = Device::new();
        let data = device.words("data", &(0..COUNT).map(&input).collect::<Vec<_>>());
        let launch = Launch {
            grid: [COUNT as u32 / 256, 1, 1],
            block: [256, 1, 1],
            params: &Params::default().ptr(data).0,
            worst_approximations: worst,
            ..Launch::default()
        };
        device.0.launch(&module, "k", &launch).unwrap();
        device.read_words(data, COUNT)
    })
}

#[test]
fn single_precision_is_off_within_the_bound() {
    let input = |i: usize| (i as f32 * 0.0037 + 0.01).to_bits();
    let ulp = |v: f64| {
        f64::from(f32::from_bits((v.abs() as f32).to_bits() + 1)) - f64::from(v.abs() as f32)
    };
    type Exact = fn(f64) -> f64;
    type Allowed<'a> = &'a dyn Fn(f64) -> f64;
    let cases: [(&str, Exact, Allowed<'_>); 9] = [
        ("sin.approx.f32 %d, %a", f64::sin, &|_| (-20.5f64).exp2()),
        ("cos.approx.f32 %d, %a", f64::cos, &|_| (-20.5f64).exp2()),
        ("lg2.approx.f32 %d, %a", f64::log2, &|_| (-22f64).exp2()),
        ("ex2.approx.f32 %d, %a", f64::exp2, &|v| v * (-22f64).exp2()),
        ("rsqrt.approx.f32 %d, %a", |v| 1.0 / v.sqrt(), &|v| v * (-22.9f64).exp2()),
        ("sqrt.approx.f32 %d, %a", f64::sqrt, &|v| v * (-23f64).exp2()),
        ("tanh.approx.f32 %d, %a", f64::tanh, &|v| v * (-11f64).exp2()),
        ("rcp.approx.f32 %d, %a", |v| 1.0 / v, &|v| ulp(v)),
        ("div.full.f32 %d, %a, %b", |v| v / f64::from(std::f32::consts::PI), &|v| 2.0 * ulp(v)),
    ];
    for (instruction, exact, allowed) in cases {
        let [best, worst] = results(instruction, input);
        let mut off = 0;
        for i in 0..COUNT {
            let want = exact(f64::from(f32::from_bits(input(i))));
            let [best, worst] = [best[i], worst[i]].map(|bits| f64::from(f32::from_bits(bits)));
            // The best is the nearest number; the worst is counted from there.
            assert!(
                (best - want).abs() <= ulp(want) * 0.500_001,
                "{instruction} {i}: {best}, not {want}"
            );
            assert!(
                (worst - best).abs() <= allowed(want.abs()) * 1.000_001,
                "{instruction} {i}: {worst} for {want}"
            );
            off += usize::from(worst != best);
        }
        // Where half a unit is all that is allowed the nearest number may be the only one.
        assert!(off > COUNT / 3, "{instruction}: {off} of {COUNT} are off");
    }
}

#[test]
fn what_is_exact_stays_so() {
    let input = |i: usize| (i as f32 * 0.0037 - 2.0).to_bits();
    for instruction in [
        "sqrt.rn.f32 %d, %a",
        "div.rn.f32 %d, %a, %b",
        "fma.rn.f32 %d, %a, %b, %a",
        "rcp.rn.f32 %d, %a",
        "neg.f32 %d, %a",
    ] {
        let [best, worst] = results(instruction, input);
        assert_eq!(best, worst, "{instruction}");
    }
    // Zeros, infinities and what is no number.
    let specials = [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000];
    for instruction in ["rcp.approx.f32 %d, %a", "sin.approx.f32 %d, %a", "sqrt.approx.f32 %d, %a"]
    {
        let [best, worst] = results(instruction, |i| specials[i % 5]);
        assert_eq!(best, worst, "{instruction}");
    }
}
