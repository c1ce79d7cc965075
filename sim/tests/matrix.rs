//! Matrix instructions: fragments laid out here by the formulas of PTX ISA §9.7.14, products of small
//! integers, which every format holds exactly.

mod device;

use device::{Device, Params, module};

const HEAD: &str = ".version 8.8\n.target sm_90a\n.address_size 64\n";

fn dump(name: &str, text: &str) {
    if let Ok(folder) = std::env::var("GPUC_DUMP_PTX") {
        std::fs::write(format!("{folder}/matrix_{}.ptx", name.replace(['.', ':', ' '], "_")), text)
            .unwrap();
    }
}

/// Bits of an element type, and a small integer in it.
fn bits(ty: &str) -> usize {
    match ty {
        "f64" => 64,
        "f32" | "s32" | "tf32" => 32,
        "f16" | "bf16" => 16,
        "s8" | "u8" | "e4m3" | "e5m2" => 8,
        "s4" | "u4" => 4,
        _ => 1,
    }
}

fn encode(ty: &str, value: i64) -> u64 {
    let single = (value as f32).to_bits();
    match ty {
        "f64" => (value as f64).to_bits(),
        "f32" | "tf32" => single.into(),
        "bf16" => (single >> 16).into(),
        // Rebias the exponent; small integers are normal and lose no bits.
        "f16" | "e4m3" | "e5m2" => {
            let (fraction, bias, sign) = match ty {
                "f16" => (10, 15, 15),
                "e4m3" => (3, 7, 7),
                _ => (2, 15, 7),
            };
            if value == 0 {
                return 0;
            }
            let exponent = i64::from(single >> 23 & 255) - 127 + bias;
            let mantissa = i64::from(single & 0x7f_ffff) >> (23 - fraction);
            (i64::from(value < 0) << sign | exponent << fraction | mantissa) as u64
        }
        _ => value as u64 & (u64::MAX >> (64 - bits(ty))),
    }
}

/// Small numbers that a type has, in a pattern without symmetry.
fn sample(ty: &str, row: usize, column: usize, seed: usize) -> i64 {
    let n = (row * 7 + column * 13 + seed * 5 + row * column) as i64;
    match ty {
        "b1" => n & 1,
        "u4" | "u8" => n % 6,
        // Two bits of fraction.
        "e5m2" => [0, 1, 2, 3, -1, -2, -3, 4][(n % 8) as usize],
        _ => n % 7 - 3,
    }
}

type Layout = fn(usize, usize, usize) -> (usize, usize);

/// The words (or doubles) of every lane's fragment.
fn fragment(
    ty: &str,
    count: usize,
    layout: Layout,
    value: impl Fn(usize, usize) -> u64,
) -> Vec<u8> {
    let mut out = Vec::new();
    for lane in 0..32 {
        let (group, thread) = (lane / 4, lane % 4);
        let mut words = vec![0u8; (count * bits(ty)).div_ceil(8)];
        for i in 0..count {
            let (row, column) = layout(group, thread, i);
            let value = value(row, column);
            for bit in 0..bits(ty) {
                let at = i * bits(ty) + bit;
                words[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
            }
        }
        out.extend(words);
    }
    out
}

struct Case {
    shape: [usize; 3],
    /// Result, factors.
    types: [&'static str; 3],
    places: [Layout; 3],
    suffix: &'static str,
}

fn run(case: &Case) {
    let [m, n, k] = case.shape;
    let [d, a, b] = case.types;
    let count = |rows: usize, columns: usize| rows * columns / 32;
    let counts = [count(m, n), count(m, k), count(k, n)];
    let registers =
        |ty: &str, count: usize| (count * bits(ty)).div_ceil(if ty == "f64" { 64 } else { 32 });
    let sizes = [registers(d, counts[0]), registers(a, counts[1]), registers(b, counts[2])];
    let width = if d == "f64" { 8 } else { 4 };
    let list = |name: &str, size: usize| {
        (0..size).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(", ")
    };
    let satfinite = if case.suffix == ".satfinite" { ".satfinite" } else { "" };
    let tail = if satfinite.is_empty() { case.suffix } else { "" };
    let name = format!("mma.sync.aligned.m{m}n{n}k{k}.row.col{satfinite}.{d}.{a}.{b}.{d}{tail}");
    let mut loads = String::new();
    let unit = 8 * width;
    for (role, size) in ["c", "a", "b"].into_iter().zip(sizes) {
        loads += &format!("mul.wide.u32 %x, %t, {}; add.u64 %x, %x, %{role};\n", size * width);
        for i in 0..size {
            loads += &format!("ld.global.b{unit} %r{role}{i}, [%x+{}];\n", i * width);
        }
    }
    let mut stores = format!("mul.wide.u32 %x, %t, {}; add.u64 %x, %x, %d;\n", sizes[0] * width);
    for i in 0..sizes[0] {
        stores += &format!("st.global.b{unit} [%x+{}], %rd{i};\n", i * width);
    }
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{\n\
         .reg .b64 %a, %b, %c, %d, %x; .reg .b32 %t; .reg .b{unit} %ra<16>, %rb<16>, %rc<16>, %rd<16>;\n\
         ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %c, [pc]; ld.param.u64 %d, [pd]; mov.u32 %t, %tid.x;\n\
         {loads}{name} {{{}}}, {{{}}}, {{{}}}, {{{}}};\n{stores}ret;\n}}\n",
        list("rd", sizes[0]),
        list("ra", sizes[1]),
        list("rb", sizes[2]),
        list("rc", sizes[0])
    );
    dump(&name, &text);
    let factor =
        |ty: &'static str, seed| move |r: usize, c: usize| encode(ty, sample(ty, r, c, seed));
    let device = Device::new();
    let pa = device.bytes("a", &fragment(a, counts[1], case.places[0], factor(a, 1)));
    let pb = device.bytes("b", &fragment(b, counts[2], case.places[1], factor(b, 2)));
    // Bits add up to sums without a sign.
    let addend = |r: usize, c: usize| {
        sample("s8", r, c, 3) + if satfinite.is_empty() { 0 } else { i64::from(i32::MAX) - 3 }
    };
    let pc =
        device.bytes("c", &fragment(d, counts[0], case.places[2], |r, c| encode(d, addend(r, c))));
    let want = fragment(d, counts[0], case.places[2], |r, c| {
        let products = (0..k).map(|l| {
            let (x, y) = (sample(a, r, l, 1), sample(b, l, c, 2));
            match case.suffix {
                ".xor.popc" => x ^ y,
                ".and.popc" => x & y,
                _ => x * y,
            }
        });
        let sum = addend(r, c) + products.sum::<i64>();
        encode(d, if satfinite.is_empty() { sum } else { sum.min(i32::MAX.into()) })
    });
    let pd = device.bytes("d", &vec![0; want.len()]);
    device.launch(&module(&text), "k", 1, 32, &Params::default().ptr(pa).ptr(pb).ptr(pc).ptr(pd));
    let mut got = vec![0; want.len()];
    device.0.read(pd, &mut got).unwrap();
    assert_eq!(got, want, "{name}");
}

const C16: Layout = |g, t, i| (if i < 2 { g } else { g + 8 }, 2 * t + i % 2);
const C8: Layout = |g, t, i| (g, 2 * t + i % 2);

#[test]
fn half_and_short_single_precision() {
    let a16: Layout = |g, t, i| {
        (
            if i < 2 || (4..6).contains(&i) { g } else { g + 8 },
            2 * t + (i & 1) + if i >= 4 { 8 } else { 0 },
        )
    };
    let b16: Layout = |g, t, i| (2 * t + (i & 1) + if i >= 2 { 8 } else { 0 }, g);
    let a8: Layout = |g, t, i| (if i < 2 { g } else { g + 8 }, 2 * t + (i & 1));
    let b8: Layout = |g, t, i| (2 * t + (i & 1), g);
    for (d, ty) in [("f32", "f16"), ("f16", "f16"), ("f32", "bf16")] {
        run(&Case { shape: [16, 8, 16], types: [d, ty, ty], places: [a16, b16, C16], suffix: "" });
        run(&Case { shape: [16, 8, 8], types: [d, ty, ty], places: [a8, b8, C16], suffix: "" });
    }
    let tf8: Layout = |g, t, i| ([g, g + 8, g, g + 8][i], if i < 2 { t } else { t + 4 });
    let tf8b: Layout = |g, t, i| (if i == 0 { t } else { t + 4 }, g);
    run(&Case {
        shape: [16, 8, 8],
        types: ["f32", "tf32", "tf32"],
        places: [tf8, tf8b, C16],
        suffix: "",
    });
    let tf4: Layout = |g, t, i| (if i == 0 { g } else { g + 8 }, t);
    run(&Case {
        shape: [16, 8, 4],
        types: ["f32", "tf32", "tf32"],
        places: [tf4, |g, t, _| (t, g), C16],
        suffix: "",
    });
}

#[test]
fn eight_bits() {
    let a32: Layout = |g, t, i| {
        (
            if i < 4 || (8..12).contains(&i) { g } else { g + 8 },
            4 * t + (i & 3) + if i >= 8 { 16 } else { 0 },
        )
    };
    let b32: Layout = |g, t, i| (4 * t + (i & 3) + if i >= 4 { 16 } else { 0 }, g);
    for (a, b) in [("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3")] {
        run(&Case {
            shape: [16, 8, 32],
            types: ["f32", a, b],
            places: [a32, b32, C16],
            suffix: "",
        });
    }
    let a16: Layout = |g, t, i| (if i < 4 { g } else { g + 8 }, 4 * t + (i & 3));
    for (a, b) in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")] {
        for suffix in ["", ".satfinite"] {
            run(&Case {
                shape: [16, 8, 32],
                types: ["s32", a, b],
                places: [a32, b32, C16],
                suffix,
            });
            run(&Case {
                shape: [16, 8, 16],
                types: ["s32", a, b],
                places: [a16, |g, t, i| (4 * t + i, g), C16],
                suffix,
            });
            run(&Case {
                shape: [8, 8, 16],
                types: ["s32", a, b],
                places: [|g, t, i| (g, 4 * t + i), |g, t, i| (4 * t + i, g), C8],
                suffix,
            });
        }
    }
}

#[test]
fn four_bits_and_one() {
    let a64: Layout = |g, t, i| {
        (
            if i < 8 || (16..24).contains(&i) { g } else { g + 8 },
            8 * t + (i & 7) + if i >= 16 { 32 } else { 0 },
        )
    };
    let b64: Layout = |g, t, i| (8 * t + (i & 7) + if i >= 8 { 32 } else { 0 }, g);
    for (a, b) in [("s4", "s4"), ("u4", "s4")] {
        run(&Case {
            shape: [16, 8, 64],
            types: ["s32", a, b],
            places: [a64, b64, C16],
            suffix: "",
        });
        run(&Case {
            shape: [16, 8, 32],
            types: ["s32", a, b],
            places: [
                |g, t, i| (if i < 8 { g } else { g + 8 }, 8 * t + (i & 7)),
                |g, t, i| (8 * t + i, g),
                C16,
            ],
            suffix: "",
        });
        run(&Case {
            shape: [8, 8, 32],
            types: ["s32", a, b],
            places: [|g, t, i| (g, 8 * t + i), |g, t, i| (8 * t + i, g), C8],
            suffix: "",
        });
    }
    let a256: Layout = |g, t, i| {
        (
            if i < 32 || (64..96).contains(&i) { g } else { g + 8 },
            32 * t + (i & 31) + if i >= 64 { 128 } else { 0 },
        )
    };
    let b256: Layout = |g, t, i| (32 * t + (i & 31) + if i >= 32 { 128 } else { 0 }, g);
    for suffix in [".xor.popc", ".and.popc"] {
        run(&Case {
            shape: [16, 8, 256],
            types: ["s32", "b1", "b1"],
            places: [a256, b256, C16],
            suffix,
        });
        run(&Case {
            shape: [16, 8, 128],
            types: ["s32", "b1", "b1"],
            places: [
                |g, t, i| (if i < 32 { g } else { g + 8 }, 32 * t + (i & 31)),
                |g, t, i| (32 * t + i, g),
                C16,
            ],
            suffix,
        });
        run(&Case {
            shape: [8, 8, 128],
            types: ["s32", "b1", "b1"],
            places: [|g, t, i| (g, 32 * t + i), |g, t, i| (32 * t + i, g), C8],
            suffix,
        });
    }
}

#[test]
fn double_precision() {
    run(&Case {
        shape: [8, 8, 4],
        types: ["f64"; 3],
        places: [|g, t, _| (g, t), |g, t, _| (t, g), C8],
        suffix: "",
    });
    let a: Layout = |g, t, i| (g + 8 * (i % 2), t + 4 * (i / 2));
    let b: Layout = |g, t, i| (t + 4 * i, g);
    for k in [4, 8, 16] {
        run(&Case { shape: [16, 8, k], types: ["f64"; 3], places: [a, b, C16], suffix: "" });
    }
}

#[test]
fn tiles_go_to_registers_and_back() {
    for count in [1usize, 2, 4] {
        for (trans, transposed) in [("", false), (".trans", true)] {
            let list = (0..count).map(|i| format!("%r{i}")).collect::<Vec<_>>().join(", ");
            let stores: String =
                (0..count).map(|i| format!("st.global.u32 [%x+{}], %r{i};\n", 4 * i)).collect();
            let text = format!(
                "{HEAD}.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 pback) {{\n\
                 .shared .align 16 .b8 tile[1024]; .reg .b64 %in, %out, %back, %x, %y; .reg .b32 %t, %s, %v<4>, %r<4>;\n\
                 ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; ld.param.u64 %back, [pback]; mov.u32 %t, %tid.x;\n\
                 mul.wide.u32 %x, %t, 16; add.u64 %y, %in, %x; ld.global.v4.u32 {{%v0, %v1, %v2, %v3}}, [%y];\n\
                 mov.u32 %s, tile; mad.lo.u32 %s, %t, 16, %s; st.shared.v4.u32 [%s], {{%v0, %v1, %v2, %v3}}; bar.warp.sync 0xffffffff;\n\
                 ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{list}}}, [%s];\n\
                 mul.wide.u32 %x, %t, {}; add.u64 %x, %x, %out; {stores}\
                 stmatrix.sync.aligned.m8n8.x{count}{trans}.shared::cta.b16 [%s+512], {{{list}}}; bar.warp.sync 0xffffffff;\n\
                 ld.shared.v4.u32 {{%v0, %v1, %v2, %v3}}, [%s+512]; mul.wide.u32 %x, %t, 16; add.u64 %x, %x, %back;\n\
                 st.global.v4.u32 [%x], {{%v0, %v1, %v2, %v3}}; ret;\n}}\n",
                4 * count
            );
            dump(&format!("tiles{count}{trans}"), &text);
            // Element (row, column) of tile n is 64 n + 8 row + column.
            let words: Vec<u32> = (0..128u32).map(|w| (2 * w + 1) << 16 | (2 * w)).collect();
            let device = Device::new();
            let pin = device.words("in", &words);
            let out = device.words("out", &vec![0; 32 * count]);
            let back = device.words("back", &[7; 128]);
            device.launch(
                &module(&text),
                "k",
                1,
                32,
                &Params::default().ptr(pin).ptr(out).ptr(back),
            );
            let got = device.read_words(out, 32 * count);
            for lane in 0..32u32 {
                for n in 0..count as u32 {
                    let element = |i: u32| {
                        let (major, minor) = (lane / 4, 2 * (lane % 4) + i);
                        64 * n + if transposed { 8 * minor + major } else { 8 * major + minor }
                    };
                    let want = element(1) << 16 | element(0);
                    assert_eq!(
                        got[lane as usize * count + n as usize],
                        want,
                        "x{count}{trans}, lane {lane}, tile {n}"
                    );
                }
            }
            // Only the tiles stored are in the second half; the rest of shared memory is zero.
            let mut want = words[..32 * count].to_vec();
            want.resize(128, 0);
            assert_eq!(device.read_words(back, 128), want, "x{count}{trans} back");
        }
    }
}

/// A product through `wmma` from and to memory with strides.
fn wmma(
    shape: [usize; 3],
    [d, a, b]: [&'static str; 3],
    [fa, fb, fd]: [usize; 3],
    [la, lb]: [&str; 2],
    products: &str,
) {
    let [m, n, k] = shape;
    let list = |name: &str, count: usize| {
        (0..count).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(", ")
    };
    let name = format!("m{m}n{n}k{k}");
    // Sub-byte matrices need whole words between their lines.
    let pad = if bits(a) < 8 { 128 } else { 16 };
    let (lda, ldb, ldc) = (
        if la == "row" { k } else { m }.next_multiple_of(pad) + pad,
        if lb == "row" { n } else { k }.next_multiple_of(pad) + pad,
        n + 16,
    );
    let unit = if d == "f64" { 64 } else { 32 };
    let types = if a == "f16" { format!("{d}.{d}") } else { format!("{d}.{a}.{b}.{d}") };
    let rounding = if a == "f64" { ".rn" } else { "" };
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {{\n\
         .reg .b64 %a, %b, %c, %d; .reg .b{unit} %ra<16>, %rb<16>, %rc<16>, %rd<16>;\n\
         ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %c, [pc]; ld.param.u64 %d, [pd];\n\
         wmma.load.a.sync.aligned.{la}.{name}.global.{a} {{{}}}, [%a], {lda};\n\
         wmma.load.b.sync.aligned.{lb}.{name}.{b} {{{}}}, [%b], {ldb};\n\
         wmma.load.c.sync.aligned.row.{name}.global.{d} {{{}}}, [%c], {ldc};\n\
         wmma.mma{products}.sync.aligned.{la}.{lb}.{name}{rounding}.{types} {{{}}}, {{{}}}, {{{}}}, {{{}}};\n\
         wmma.store.d.sync.aligned.col.{name}.global.{d} [%d], {{{}}};\nret;\n}}\n",
        list("ra", fa),
        list("rb", fb),
        list("rc", fd),
        list("rd", fd),
        list("ra", fa),
        list("rb", fb),
        list("rc", fd),
        list("rd", fd)
    );
    dump(&format!("wmma {name} {types} {la} {lb}"), &text);
    let memory = |ty: &str, lines: usize, stride: usize, value: &dyn Fn(usize, usize) -> i64| {
        let mut out = vec![0u8; (lines * stride * bits(ty)).div_ceil(8)];
        for line in 0..lines {
            for i in 0..stride {
                let value = encode(ty, value(line, i));
                for bit in 0..bits(ty) {
                    let at = (line * stride + i) * bits(ty) + bit;
                    out[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
                }
            }
        }
        out
    };
    let left = |r, c| sample(a, r, c, 1);
    let right = |r, c| sample(b, r, c, 2);
    let device = Device::new();
    let pa = device.bytes(
        "a",
        &memory(a, if la == "row" { m } else { k }, lda, &|line, i| {
            if la == "row" { left(line, i) } else { left(i, line) }
        }),
    );
    let pb = device.bytes(
        "b",
        &memory(b, if lb == "row" { k } else { n }, ldb, &|line, i| {
            if lb == "row" { right(line, i) } else { right(i, line) }
        }),
    );
    let pc = device.bytes("c", &memory(d, m, ldc, &|r, c| sample("s8", r, c, 3)));
    let want = memory(d, n, m, &|c, r| {
        let products = (0..k).map(|l| match products {
            ".xor.popc" => left(r, l) ^ right(l, c),
            ".and.popc" => left(r, l) & right(l, c),
            _ => left(r, l) * right(l, c),
        });
        sample("s8", r, c, 3) + products.sum::<i64>()
    });
    let pd = device.bytes("d", &vec![0; want.len()]);
    device.launch(&module(&text), "k", 1, 32, &Params::default().ptr(pa).ptr(pb).ptr(pc).ptr(pd));
    let mut got = vec![0; want.len()];
    device.0.read(pd, &mut got).unwrap();
    assert_eq!(got, want, "{name} {types} {la} {lb}");
}

#[test]
fn warp_matrices_by_shape_type_and_layout() {
    for layouts in [["row", "col"], ["col", "row"], ["row", "row"]] {
        for (shape, counts) in
            [([16, 16, 16], [8, 8]), ([32, 8, 16], [8, 8]), ([8, 32, 16], [8, 8])]
        {
            wmma(shape, ["f32", "f16", "f16"], [counts[0], counts[1], 8], layouts, "");
            wmma(shape, ["f16", "f16", "f16"], [counts[0], counts[1], 4], layouts, "");
        }
        for (shape, bf16, s8) in [
            ([16, 16, 16], [4, 4], [2, 2]),
            ([32, 8, 16], [8, 2], [4, 1]),
            ([8, 32, 16], [2, 8], [1, 4]),
        ] {
            wmma(shape, ["f32", "bf16", "bf16"], [bf16[0], bf16[1], 8], layouts, "");
            wmma(shape, ["s32", "s8", "s8"], [s8[0], s8[1], 8], layouts, "");
            wmma(shape, ["s32", "u8", "u8"], [s8[0], s8[1], 8], layouts, "");
        }
        wmma([16, 16, 8], ["f32", "tf32", "tf32"], [4, 4, 8], layouts, "");
        wmma([8, 8, 4], ["f64", "f64", "f64"], [1, 1, 2], layouts, "");
    }
    wmma([8, 8, 32], ["s32", "s4", "s4"], [1, 1, 2], ["row", "col"], "");
    wmma([8, 8, 32], ["s32", "u4", "u4"], [1, 1, 2], ["row", "col"], "");
    wmma([8, 8, 128], ["s32", "b1", "b1"], [1, 1, 2], ["row", "col"], ".xor.popc");
    wmma([8, 8, 128], ["s32", "b1", "b1"], [1, 1, 2], ["row", "col"], ".and.popc");
}

#[test]
fn lanes_come_to_a_product_from_both_sides_of_a_branch() {
    // The branch has not been joined where the product stands: each side has its own copy, and none
    // can run without the other.
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 p) {{ .reg .pred %q; .reg .b64 %p, %d<4>; .reg .b32 %t; .reg .f64 %f<4>;\n\
         ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.f64 %f0, 0d3FF0000000000000; mov.f64 %f1, 0d4000000000000000; mov.f64 %f2, %f0;\n\
         setp.lt.u32 %q, %t, 40; @!%q bra OUT; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%f2, %f3}}, {{%f0}}, {{%f1}}, {{%f0, %f1}};\n\
         OUT: mul.wide.u32 %d0, %t, 8; add.u64 %p, %p, %d0; st.global.f64 [%p], %f2; ret; }}\n"
    );
    let device = Device::new();
    let out = device.bytes("out", &[0; 32 * 8]);
    device.launch(&module(&text), "k", 1, 32, &Params::default().ptr(out));
    assert_eq!(device.read_doubles(out, 32), [9.0; 32]);
    // With lanes that went another way and wait at a barrier, nobody can go on.
    let stuck = text.replace("%t, 40", "%t, 7").replace("OUT: mul", "OUT: bar.sync 0; mul");
    let result =
        device.try_launch(&module(&stuck), "k", [1; 3], [32, 1, 1], &Params::default().ptr(out));
    assert!(result.is_err());
}
