//! Kernels that compilers made from the C files beside them, run against the same computation here.

mod device;

use device::{Device, Params, module};

#[test]
fn sgemm_of_clang() {
    let module = module(include_str!("ptx/sgemm.ptx"));
    let device = Device::new();
    let n = 37usize;
    let value = |i: usize, m: usize| (i * i % m) as f32 - 3.0;
    let a: Vec<f32> = (0..n * n).map(|i| value(i, 7)).collect();
    let b: Vec<f32> = (0..n * n).map(|i| value(i, 11)).collect();
    let (pa, pb) = (device.floats("a", &a), device.floats("b", &b));
    let pc = device.floats("c", &vec![f32::NAN; n * n]);
    let params = Params::default().int(n as i32).ptr(pa).ptr(pb).ptr(pc);
    let report = device.try_launch(&module, "sgemm", [2, 5, 1], [32, 8, 1], &params).unwrap();
    let c = device.read_floats(pc, n * n);
    for row in 0..n {
        for column in 0..n {
            let want: f32 = (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum();
            assert_eq!(c[row * n + column], want, "row {row}, column {column}");
        }
    }
    // 37 rows of two warps; the second warp of a row has 5 lanes inside.
    assert_eq!(report.counters.global_store.requests, 2 * 37);
    assert!(report.counters.divergent_branches > 0);
}

fn polynomial(x: f64, terms: i32) -> f64 {
    (0..terms).fold(0.0, |s: f64, i| s.mul_add(x, f64::from(i)))
}

/// What the kernel `calls` computes for a thread.
fn calls(t: i32, k: i32) -> f64 {
    let mut local = [0.0; 8];
    for i in 0..8 {
        local[((i * k) & 7) as usize] = f64::from(t + i);
    }
    let (a, b) = (t + k, 2.0 * f64::from(k));
    let x = polynomial(local[(k & 7) as usize], [1, 2, 3, 4, 5][(k % 5) as usize] + 7)
        + f64::from(a)
        + b;
    match k + t % 4 {
        0 => x + 1.0,
        1 => x * 2.0,
        2 => x - 2.0,
        3 => x / 2.0,
        4 => -x,
        5 => x * x,
        _ => x,
    }
}

/// The kernel `bits`, in Rust.
fn bits(t: u32, x: u64, byte: i8) -> u64 {
    let y = i64::from(byte);
    let mut r = (x / u64::from(t + 3)).wrapping_add(x % u64::from(t + 5));
    r ^= (y * 1_000_003) as u64 >> (t & 63);
    r = r.wrapping_add(u64::from(x.count_ones()));
    r = r
        .wrapping_add(u64::from((x | 1).leading_zeros()))
        .wrapping_add(x.reverse_bits())
        .wrapping_add(x.swap_bytes());
    r = r << (t & 63) | r >> ((64 - t) & 63);
    r = r.wrapping_add(u64::from((x as u32) as f32 as u32)).wrapping_add((x >> 12) as f64 as u64);
    r.wrapping_sub((i64::from(x as i16) * i64::from((x >> 8) as u8)) as u64)
}

#[test]
fn calls_and_bits_of_clang_at_two_levels() {
    for text in [include_str!("ptx/calls.ptx"), include_str!("ptx/calls_O0.ptx")] {
        let module = module(text);
        for k in 0..9 {
            let device = Device::new();
            let out = device.bytes("out", &[0; 32 * 8]);
            device.launch(&module, "calls", 1, 32, &Params::default().ptr(out).int(k));
            for (t, got) in device.read_doubles(out, 32).into_iter().enumerate() {
                let want = calls(t as i32, k);
                assert!(
                    (got - want).abs() <= want.abs() * 1e-14,
                    "t = {t}, k = {k}: {got} not {want}"
                );
            }
        }
        let device = Device::new();
        let values: Vec<u64> =
            (0..64u64).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 50)).collect();
        let bytes: Vec<i8> = (0..64).map(|i| (i * 37 % 256) as u8 as i8).collect();
        let input =
            device.bytes("in", &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
        let narrow = device.bytes("bytes", &bytes.iter().map(|&b| b as u8).collect::<Vec<_>>());
        let out = device.bytes("out", &[0; 64 * 8]);
        device.launch(&module, "bits", 1, 64, &Params::default().ptr(out).ptr(input).ptr(narrow));
        for (t, got) in device.read_longs(out, 64).into_iter().enumerate() {
            assert_eq!(got, bits(t as u32, values[t], bytes[t]), "t = {t}");
        }
        let values: Vec<f32> = (0..1024).map(|i| (i % 10) as f32).collect();
        let (input, out) = (device.floats("in", &values), device.floats("out", &[0.0; 4]));
        device.launch(&module, "sums", 4, 256, &Params::default().ptr(out).ptr(input));
        let want: Vec<f32> = values.chunks(256).map(|chunk| chunk.iter().sum()).collect();
        assert_eq!(device.read_floats(out, 4), want);
    }
}

#[test]
fn openacc_of_gcc() {
    let module = module(include_str!("ptx/acc.ptx"));
    let device = Device::new();
    let n = 1000usize;
    let x: Vec<f32> = (0..n).map(|i| (i % 17) as f32).collect();
    let (px, py) = (device.floats("x", &x), device.floats("y", &vec![1.0; n]));
    let (pa, pn) = (device.floats("a", &[2.0]), device.words("n", &[n as u32]));
    let ps = device.floats("s", &[0.0]);
    let receiver = |pointers: &[u64]| {
        let bytes: Vec<u8> = pointers.iter().flat_map(|p| p.to_le_bytes()).collect();
        Params::default().ptr(device.bytes("arguments", &bytes))
    };
    device.launch(&module, "saxpy$_omp_fn$0", 7, 32, &receiver(&[px, py, pa, pn]));
    let y = device.read_floats(py, n);
    for i in 0..n {
        assert_eq!(y[i], 2.0 * x[i] + 1.0 + (i % 3) as f32, "{i}");
    }
    device.launch(&module, "sum$_omp_fn$0", 7, 32, &receiver(&[px, ps, pn]));
    assert_eq!(device.read_floats(ps, 1), [x.iter().sum::<f32>()]);
}
