//! Damaged texts are refused or read, never a panic.

use gpuc_ir::text::parse_module;

use super::ir;

const SEED: &str = "\
#m = affine_map<(i, j)[n] -> (i + n * 2, j mod 3)>
!t = memref<4x?xf32, #m, 3>
toy.func @f attributes {a = [1, -2.5e3, dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>]} {
  %m:2 = make : index, vector<[4]x2xf32>
  %p = pick red %m#0[%m#0] step 4 else %m#1 : vector<[4]x2xf32> sizes [1, 2] : index
  either { toy.note loud \"x\\0A\" about @a::@b } or { toy.odd <%p> width(4) }
  jump ^bb1, ^bb2
^bb1:
  %c = \"t.g\"(%p, %late) <{x = !toy.t<(a) -> b>}> ({
  ^bb0(%q: i32 loc(\"f.c\":1:2)):
    %0 = toy.call @g(%q) : (i32) -> (i32)
  }) {k = array<f32: 1.0>, l = strided<[?], offset: 1>} : (index, i32) -> f32 loc(callsite(\"a\" at #l))
  stop
^bb2:
  %late = \"t.h\"() : () -> i32
  stop
}
#l = loc(fused<1>[unknown, \"n\"(\"x.c\":3:4)])
";

/// Reads a text and, if it is accepted, prints it and reads that again.
fn survive(text: &str) {
    let mut graph = ir();
    if let Ok(op) = parse_module(&mut graph, text, "hostile") {
        let printed = graph.to_text(op);
        let mut again = ir();
        if let Err(errors) = parse_module(&mut again, &printed, "again") {
            panic!("printed text is refused: {}\n{printed}\nfrom\n{text}", errors[0]);
        }
    }
}

#[test]
fn seed_is_read() {
    let mut graph = ir();
    if let Err(errors) = parse_module(&mut graph, SEED, "seed") {
        panic!("{}", errors[0]);
    }
    survive(SEED);
}

#[test]
fn truncated() {
    for end in (0..SEED.len()).filter(|&end| SEED.is_char_boundary(end)) {
        survive(&SEED[..end]);
    }
}

#[test]
fn tokens_dropped_doubled_and_swapped() {
    let pieces: Vec<&str> =
        SEED.split_inclusive([' ', ',', '(', ')', '<', '>', '[', ']']).collect();
    for i in 0..pieces.len() {
        let mut dropped = pieces.clone();
        dropped.remove(i);
        survive(&dropped.concat());
        let mut doubled = pieces.clone();
        doubled.insert(i, pieces[i]);
        survive(&doubled.concat());
        let mut swapped = pieces.clone();
        swapped.swap(i, (i * 7 + 3) % pieces.len());
        survive(&swapped.concat());
    }
}

#[test]
fn bytes_replaced() {
    let replacements = b"%#!^@\"<>(){}[]-+*/?:=,.0x9\n\\\0";
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize
    };
    for _ in 0..3000 {
        let mut bytes = SEED.as_bytes().to_vec();
        for _ in 0..1 + random() % 3 {
            let at = random() % bytes.len();
            bytes[at] = replacements[random() % replacements.len()];
        }
        survive(&String::from_utf8_lossy(&bytes));
    }
}
