//! Products of warp groups: layouts in shared memory worked out by hand, types, signs.

mod device;

use device::{Device, Params, module};
use gpuc_arch::Arch;
use gpuc_sim::{Launch, LaunchError, Simulator};

const COLUMNS: usize = 16;

/// A kernel of one warp group: copies 16 KiB to shared memory, multiplies, leaves eight words a thread.
fn text(product: &str) -> String {
    let results: String =
        (0..8).map(|i| format!("st.global.f32 [%out+{}], %d{i}; ", 4 * i)).collect();
    let begin: String = (0..8).map(|i| format!("mov.f32 %d{i}, 0f41200000; ")).collect();
    format!(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pa, .param .u64 pb, .param .u64 pout) {{\n\
         .shared .align 1024 .b8 tiles[16384]; .reg .pred %p<3>; .reg .b32 %t, %s, %i, %v, %r<4>; .reg .f32 %d<8>; .reg .b64 %in, %a, %b, %out, %x;\n\
         ld.param.u64 %in, [pin]; ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x; mov.u32 %s, tiles;\n\
         shl.b32 %i, %t, 2;\nCOPY: cvt.u64.u32 %x, %i; add.u64 %x, %x, %in; ld.global.u32 %v, [%x]; add.u32 %r0, %s, %i; st.shared.u32 [%r0], %v;\n\
         add.u32 %i, %i, 512; setp.lt.u32 %p0, %i, 16384; @%p0 bra COPY; bar.sync 0; {begin}\n\
         mad.wide.u32 %x, %t, 16, %in; ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%x+16384]; setp.eq.u32 %p1, %t, %t; setp.ne.u32 %p2, %t, %t;\n\
         wgmma.fence.sync.aligned;\n{product}\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n\
         mad.wide.u32 %out, %t, 32, %out; {results}ret;\n}}\n"
    )
}

const D: &str = "{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}";

fn a(row: usize, k: usize) -> i32 {
    (row * 5 + k * 3) as i32 % 7 - 3
}

fn b(column: usize, k: usize) -> i32 {
    (column * 3 + k * 5) as i32 % 9 - 4
}

fn half(value: i32) -> [u8; 2] {
    // Small integers: exponent from the leading one.
    let magnitude = value.unsigned_abs() as u16;
    let bits = match magnitude {
        0 => 0,
        m => {
            let top = 15 - m.leading_zeros() as u16;
            (15 + top) << 10 | (m << (10 - top)) & 0x3ff
        }
    };
    (bits | if value < 0 { 0x8000 } else { 0 }).to_le_bytes()
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Bytes of a row between whose 16-byte pieces places are exchanged; 16 for none.
    width: usize,
    /// k is the slower index.
    transposed: bool,
}

impl Layout {
    /// Puts a matrix of `rows` by 16 halves to `base`; its descriptor.
    fn put(
        self,
        memory: &mut [u8],
        base: usize,
        rows: usize,
        of: impl Fn(usize, usize) -> i32,
    ) -> u64 {
        let Layout { width, transposed } = self;
        // Eights of lines lie one behind the other; without exchange each 16-byte column by itself.
        let (lines, pieces) = if transposed { (16, rows / 8) } else { (rows, 2) };
        let per_line = width / 16;
        let eights = lines / 8;
        for line in 0..lines {
            for piece in 0..pieces {
                let block = piece / per_line;
                let within = piece % per_line;
                // Who changes places with whom: the line's number, of as many bits as there are pieces.
                let moved = match width {
                    128 => within ^ line % 8,
                    64 => within ^ line / 2 % 4,
                    32 => within ^ line / 4 % 2,
                    _ => within,
                };
                let at =
                    base + (block * eights + line / 8) * 8 * width + line % 8 * width + moved * 16;
                for i in 0..8 {
                    let (row, k) =
                        if transposed { (piece * 8 + i, line) } else { (line, piece * 8 + i) };
                    memory[at + 2 * i..][..2].copy_from_slice(&half(of(row, k)));
                }
            }
        }
        let (eight, block) = ((8 * width) as u64, (eights * 8 * width) as u64);
        // Without exchange the two offsets of a transposed matrix change their meaning.
        let (leading, stride) = match (transposed, width) {
            (true, 16) => (eight, block),
            _ => (block, eight),
        };
        let mode =
            [(16, 0u64), (32, 3), (64, 2), (128, 1)].into_iter().find(|m| m.0 == width).unwrap().1;
        base as u64 >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | mode << 62
    }
}

fn run(product: &str, memory: Vec<u8>, descriptors: [u64; 2]) -> Result<Vec<f32>, LaunchError> {
    let device = Device(Simulator::new(Arch::by_name("sm_90").expect("the table holds sm_90")));
    let input = device.bytes("tiles", &memory);
    let out = device.words("out", &[0; 1024]);
    let params = Params::default().ptr(input).ptr(descriptors[0]).ptr(descriptors[1]).ptr(out);
    let launch = Launch { block: [128, 1, 1], params: &params.0, ..Launch::default() };
    device.0.launch(&module(&text(product)), "k", &launch)?;
    Ok(device.read_floats(out, 1024))
}

/// The result where each thread's registers say it lies.
fn matrix(words: &[f32]) -> Vec<Vec<f32>> {
    let mut out = vec![vec![f32::NAN; COLUMNS]; 64];
    for (thread, words) in words.chunks(8).enumerate() {
        let (warp, lane) = (thread / 32, thread % 32);
        for (i, &word) in words.iter().enumerate() {
            out[warp * 16 + lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2] = word;
        }
    }
    out
}

fn expect(got: &[f32], signs: i32, addend: f32, what: &str) {
    for (row, line) in matrix(got).into_iter().enumerate() {
        for (column, value) in line.into_iter().enumerate() {
            let sum: i32 = (0..16).map(|k| a(row, k) * b(column, k)).sum();
            assert_eq!(value, (signs * sum) as f32 + addend, "{what}: row {row}, column {column}");
        }
    }
}

const SIZE: usize = 16384 + 2048;
/// Where the right factor lies.
const RIGHT: usize = 8192;

fn layouts() -> impl Iterator<Item = Layout> {
    let both = [false, true].into_iter();
    both.flat_map(|transposed| [16, 32, 64, 128].map(|width| Layout { width, transposed }))
}

#[test]
fn every_layout_in_shared_memory() {
    for (left, right) in layouts().flat_map(|left| layouts().map(move |right| (left, right))) {
        let mut memory = vec![0u8; SIZE];
        let first = left.put(&mut memory, 0, 64, a);
        let second = right.put(&mut memory, RIGHT, 16, b);
        let product = format!(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {D}, %a, %b, %p1, 1, 1, {}, {};",
            u8::from(left.transposed),
            u8::from(right.transposed)
        );
        let got = run(&product, memory, [first, second]).unwrap();
        expect(&got, 1, 10.0, &format!("{left:?} {right:?}"));
    }
}

#[test]
fn wide_rows_hold_several_steps_of_k() {
    // 64 rows of 64 and 128 bytes: the second 32 of each, reached by the start address alone.
    for width in [64usize, 128] {
        let mut memory = vec![0u8; SIZE];
        for (row, piece) in (0..64).flat_map(|row| [(row, 2), (row, 3)]) {
            let moved = if width == 128 { piece ^ row % 8 } else { piece ^ row / 2 % 4 };
            for i in 0..8 {
                let at = row * width + moved * 16 + 2 * i;
                memory[at..at + 2].copy_from_slice(&half(a(row, (piece - 2) * 8 + i)));
            }
        }
        let second = Layout { width: 16, transposed: false }.put(&mut memory, RIGHT, 16, b);
        let first = Layout { width, transposed: false }.put(&mut [0; SIZE], 0, 64, a) + 2;
        let product = format!(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {D}, %a, %b, %p2, -1, 1, 0, 0;"
        );
        expect(&run(&product, memory, [first, second]).unwrap(), -1, 0.0, &format!("{width}"));
    }
}

#[test]
fn factors_in_registers_signs_and_types() {
    let plain = Layout { width: 16, transposed: false };
    let mut memory = vec![0u8; SIZE];
    let second = plain.put(&mut memory, RIGHT, 16, b);
    // Registers of thread t hold rows t/4 and t/4 + 8, columns 2 (t % 4) and the next, and 8 further on.
    for thread in 0..128 {
        let (warp, lane) = (thread / 32, thread % 32);
        for i in 0..8 {
            let row = warp * 16 + lane / 4 + i / 2 % 2 * 8;
            let k = i / 4 * 8 + lane % 4 * 2 + i % 2;
            memory[16384 + thread * 16 + 2 * i..][..2].copy_from_slice(&half(a(row, k)));
        }
    }
    let product = format!(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {D}, {{%r0, %r1, %r2, %r3}}, %b, %p1, -1, -1, 0;"
    );
    expect(&run(&product, memory.clone(), [0, second]).unwrap(), 1, 10.0, "registers");
    let product = format!(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {D}, {{%r0, %r1, %r2, %r3}}, %b, 0, 1, -1, 0;"
    );
    expect(&run(&product, memory, [0, second]).unwrap(), -1, 0.0, "registers, negated");
    // Bytes: 32 to a row of k, the same pieces of 16 bytes.
    let mut memory = vec![0u8; SIZE];
    for (base, rows, of) in [(0, 64, a as fn(usize, usize) -> i32), (RIGHT, 16, b)] {
        for (row, k) in (0..rows).flat_map(|row| (0..32).map(move |k| (row, k))) {
            let at = base + k / 16 * rows * 16 + row * 16 + k % 16;
            memory[at] = if k < 16 { of(row, k) as u8 } else { 0 };
        }
    }
    let descriptor = |base: u64, rows: u64| base >> 4 | rows << 16 | 8 << 32;
    let integers: String =
        (0..8).map(|i| format!("mov.b32 %r0, %d{i}; cvt.rn.f32.s32 %d{i}, %r0; ")).collect();
    let product =
        format!("wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {D}, %a, %b, %p2; {integers}");
    expect(
        &run(&product, memory, [descriptor(0, 64), descriptor(RIGHT as u64, 16)]).unwrap(),
        1,
        0.0,
        "bytes",
    );
}

#[test]
fn wrong_products_are_refused() {
    for (product, want) in [
        (
            "wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16 D, %a, %b, 1, 1, 1, 0, 0;",
            "12 registers are needed here, found 8",
        ),
        (
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 D, %a, %b, 1, 2, 1, 0, 0;",
            "this is 1 or -1",
        ),
        (
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 D, %a, %b, 1, 1, 1, 0, 0, 0;",
            "takes at most 8 operands",
        ),
        (
            "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 D, %a, %b, 1, 1, 1, 0, 0;",
            "takes at most 6 operands",
        ),
        (
            "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 D, %a, %b, 1, 1, 1, 0, 0;",
            "is not a modifier",
        ),
    ] {
        let error = run(&product.replace('D', D), vec![0; SIZE], [0, 0]).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
    // A descriptor that leads outside.
    let product =
        format!("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {D}, %a, %b, 1, 1, 1, 0, 0;");
    assert!(matches!(run(&product, vec![0; SIZE], [0x3fff, 0]), Err(LaunchError::Fault(_))));
}
