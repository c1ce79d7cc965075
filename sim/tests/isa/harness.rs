//! The kernel round an instruction under test.

use crate::device::{Device, Params, module};

/// Inputs of one thread: 64-bit cells.
pub type Inputs = [u64; 4];

/// The text of a kernel whose thread t has its inputs in `%d0..%d3`, their low words in `%a0..%a3`,
/// their low halves in `%h0..%h3`, and the result in `%o` (`"o"`), `%od`, `%oh` or `%p0` (`"p"`).
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
        ".version 8.8\n.target sm_100a\n.address_size 64\n\
         .visible .entry test(.param .u64 p_in, .param .u64 p_out) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>, %oh; .reg .b32 %a<4>, %o, %t, %u<8>;\n\
         .reg .b64 %d<4>, %od, %in, %out, %e<4>;\n\
         ld.param.u64 %in, [p_in]; ld.param.u64 %out, [p_out];\n\
         mov.u32 %t, %tid.x; mad.wide.u32 %in, %t, 32, %in; mad.wide.u32 %out, %t, 8, %out;\n\
         {loads}{code}\n{finish}\nst.global.u64 [%out], %od;\nret;\n}}\n"
    )
}

/// Runs `code` in one thread for each of the inputs.
pub fn answers(code: &str, result: &str, inputs: &[Inputs]) -> Vec<u64> {
    let text = kernel(code, result);
    dump(code, &text);
    let device = Device::new();
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|cell| cell.to_le_bytes()).collect();
    let (pin, pout) =
        (device.bytes("in", &bytes), device.bytes("out", &vec![0xcc; inputs.len() * 8]));
    let module = module(&text);
    let grid = inputs.len().div_ceil(256) as u32;
    // Threads beyond the inputs would read past them: the last block has a size of its own.
    for block in 0..grid {
        let first = block as usize * 256;
        let threads = (inputs.len() - first).min(256) as u32;
        let params = Params::default().ptr(pin + 32 * first as u64).ptr(pout + 8 * first as u64);
        device.launch(&module, "test", 1, threads, &params);
    }
    device.read_longs(pout, inputs.len())
}

/// Runs `code` on the inputs and compares with what `want` computes.
pub fn check(code: &str, result: &str, inputs: &[Inputs], want: impl Fn(Inputs) -> u64) {
    for (input, got) in inputs.iter().zip(answers(code, result, inputs)) {
        let want = want(*input);
        assert_eq!(got, want, "{code}\non {input:x?}: got {got:#x}, want {want:#x}");
    }
}

/// Writes a text to the folder in `GPUC_DUMP_PTX`, where an assembler can be tried on it.
pub fn dump(name: &str, text: &str) {
    if let Ok(folder) = std::env::var("GPUC_DUMP_PTX") {
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(80)
            .collect();
        std::fs::write(format!("{folder}/isa_{name}.ptx"), text).unwrap();
    }
}

/// Numbers that look random, the same in every run: SplitMix64.
pub fn random(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..count).map(|_| next()).collect()
}

/// Cells at the edges of every width, then random ones, four to a thread in changing company.
pub fn cells() -> Vec<Inputs> {
    let edges = [
        0u64,
        1,
        2,
        5,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        u64::MAX,
    ];
    let noise = random(400, 7);
    let mut out = Vec::new();
    for (i, &a) in edges.iter().enumerate() {
        for (j, &b) in edges.iter().enumerate() {
            out.push([a, b, edges[(i + 2 * j) % edges.len()], edges[(3 * i + j) % edges.len()]]);
        }
    }
    out.extend(noise.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]));
    out
}
