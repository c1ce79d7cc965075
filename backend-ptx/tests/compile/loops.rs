//! Loops whose addresses move along.

use super::ptxas::accepts;
use super::run::{Argument, Shape, pack, run, unpack};
use super::support::{kernel, ptx};

/// Runs a kernel on `%a`, 64 numbers 0, 1, 2, ...; one thread stores `%sum` to `%o`. How many
/// instructions of the text contain the word, and the sum.
fn sum_of(body: &str, n: u64, word: &str) -> (usize, u64) {
    let source = kernel(
        "%a: memref<64xi32>, %o: memref<i32>, %n: index",
        &format!(
            "%zero = arith.constant 0 : i32\n%c0 = arith.constant 0 : index\n\
             %c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n\
             %c3 = arith.constant 3 : index\n%c8 = arith.constant 8 : index\n\
             {body}\nmemref.store %sum, %o[] : memref<i32>"
        ),
    );
    accepts(&source);
    let text = ptx(&source, "sm_80");
    let numbers: Vec<u64> = (0..64).collect();
    let buffers = run(
        &text,
        "k",
        &Shape::block(1),
        &[
            Argument::Buffer(pack("i32", &numbers)),
            Argument::Buffer(vec![0; 4]),
            Argument::Scalar(n.to_le_bytes().to_vec()),
        ],
    );
    let inside = text.split_once("$loop").map_or("", |(_, rest)| rest);
    (inside.matches(word).count(), unpack("i32", &buffers[1])[0])
}

#[test]
fn steps_of_every_kind() {
    // From, step, condition, index; then what is added up for n = 6.
    let cases = [
        ("%c0", "%c1", "slt, %i, %n", "%i", 15),
        ("%c1", "%c2", "slt, %i, %n", "%i", 9),
        ("%n", "%m1", "sge, %i, %c0", "%i", 21),
        ("%c0", "%c3", "slt, %i, %n", "%j", 9),
    ];
    for (from, step, condition, at, expected) in cases {
        let body = format!(
            "%m1 = arith.constant -1 : index\n%t = arith.muli %n, %c2 : index\n\
             cf.br ^head({from}, %zero : index, i32)\n\
             ^head(%i: index, %sum: i32):\n\
             %more = arith.cmpi {condition} : index\ncf.cond_br %more, ^body, ^done\n\
             ^body:\n%h = arith.muli %i, %c2 : index\n%k = arith.addi %h, %t : index\n\
             %l = arith.subi %k, %t : index\n%j = arith.addi %i, %c3 : index\n\
             %x = memref.load %a[{at}] : memref<64xi32>\n\
             %next = arith.addi %i, {step} : index\n%s = arith.addi %sum, %x : i32\n\
             cf.br ^head(%next, %s : index, i32)\n^done:\n"
        );
        let (shifts, sum) = sum_of(&body, 6, "shl.");
        assert_eq!((shifts, sum), (0, expected), "{body}");
    }
}

#[test]
fn strides_known_at_run_time_and_nests() {
    // The sum of a[i * n + j] for i, j below n, the inner loop entered by a conditional branch.
    let body = "cf.br ^outer(%c0, %zero : index, i32)\n\
                ^outer(%i: index, %s0: i32):\n\
                %more = arith.cmpi slt, %i, %n : index\ncf.cond_br %more, ^rows, ^done\n\
                ^rows:\n%any = arith.cmpi sgt, %n, %c0 : index\n\
                cf.cond_br %any, ^inner(%c0, %s0 : index, i32), ^next(%s0 : i32)\n\
                ^inner(%j: index, %s1: i32):\n\
                %row = arith.muli %i, %n : index\n%at = arith.addi %row, %j : index\n\
                %x = memref.load %a[%at] : memref<64xi32>\n%s2 = arith.addi %s1, %x : i32\n\
                %j1 = arith.addi %j, %c1 : index\n%again = arith.cmpi slt, %j1, %n : index\n\
                cf.cond_br %again, ^inner(%j1, %s2 : index, i32), ^next(%s2 : i32)\n\
                ^next(%s3: i32):\n%i1 = arith.addi %i, %c1 : index\n\
                cf.br ^outer(%i1, %s3 : index, i32)\n\
                ^done:\n%sum = arith.addi %s0, %zero : i32";
    for n in [0, 1, 3, 8] {
        assert_eq!(sum_of(body, n, "mad.").1, (0..n * n).sum::<u64>(), "n = {n}");
    }
}

#[test]
fn addresses_of_shared_memory_are_narrow() {
    let body = "%w = memref.alloca() : memref<8x8xi32, #gpu.address_space<workgroup>>\n\
                cf.br ^fill(%c0 : index)\n\
                ^fill(%i: index):\n\
                %x = memref.load %a[%i] : memref<64xi32>\n\
                memref.store %x, %w[%i, %c3] : memref<8x8xi32, #gpu.address_space<workgroup>>\n\
                %i1 = arith.addi %i, %c1 : index\n%more = arith.cmpi slt, %i1, %c8 : index\n\
                cf.cond_br %more, ^fill(%i1 : index), ^sums(%c0, %zero : index, i32)\n\
                ^sums(%j: index, %s: i32):\n\
                %y = memref.load %w[%j, %c3] : memref<8x8xi32, #gpu.address_space<workgroup>>\n\
                %s1 = arith.addi %s, %y : i32\n\
                %j1 = arith.addi %j, %c2 : index\n%again = arith.cmpi slt, %j1, %c8 : index\n\
                cf.cond_br %again, ^sums(%j1, %s1 : index, i32), ^done(%s1 : i32)\n\
                ^done(%sum: i32):\n";
    assert_eq!(sum_of(body, 0, "cvt."), (0, 2 + 4 + 6));
}
