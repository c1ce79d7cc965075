//! Loops, and pointers that they carry.

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
        assert_eq!(sum_of(&body, 6, "ld.global").1, expected, "{body}");
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
fn carried_pointers_need_one_addition() {
    let pointer = "!ptr.ptr<#gpu.address_space<global>>";
    // a[2 i] + a[2 i + 2] for i below n: the second element is 8 bytes behind the pointer.
    let body = format!(
        "%p0 = ptr.to_ptr %a : memref<64xi32> -> {pointer}\n\
         cf.br ^head(%c0, %p0, %zero : index, {pointer}, i32)\n\
         ^head(%i: index, %p: {pointer}, %sum: i32):\n\
         %more = arith.cmpi slt, %i, %n : index\ncf.cond_br %more, ^body, ^done\n\
         ^body:\n%x = ptr.load invariant %p : {pointer} -> i32\n\
         %q = ptr.ptr_add %p, %c8 : {pointer}, index\n\
         %y = ptr.load %q : {pointer} -> i32\n\
         %i1 = arith.addi %i, %c1 : index\n%p1 = ptr.ptr_add %p, %c8 : {pointer}, index\n\
         %s = arith.addi %x, %y : i32\n%s1 = arith.addi %sum, %s : i32\n\
         cf.br ^head(%i1, %p1, %s1 : index, {pointer}, i32)\n^done:\n"
    );
    for n in [0, 1, 2, 13] {
        let expected = (0..n).map(|i| 2 * i + 2 * i + 2).sum::<u64>();
        assert_eq!(sum_of(&body, n, "add.s64"), (2, expected), "n = {n}");
        assert_eq!(sum_of(&body, n, "+8]").0, 1);
        assert_eq!(sum_of(&body, n, "ld.global.nc.").0, 1);
    }
}

#[test]
fn pointers_to_shared_memory_are_narrow() {
    let pointer = "!ptr.ptr<#gpu.address_space<workgroup>>";
    // w[i] = a[i] for i below 8, then every other one is summed up.
    let body = format!(
        "%w = memref.alloca() : memref<8xi32, #gpu.address_space<workgroup>>\n\
         %w0 = ptr.to_ptr %w : memref<8xi32, #gpu.address_space<workgroup>> -> {pointer}\n\
         %c4 = arith.constant 4 : index\n\
         cf.br ^fill(%c0, %w0 : index, {pointer})\n\
         ^fill(%i: index, %p: {pointer}):\n\
         %x = memref.load %a[%i] : memref<64xi32>\nptr.store %x, %p : i32, {pointer}\n\
         %p1 = ptr.ptr_add %p, %c4 : {pointer}, index\n\
         %i1 = arith.addi %i, %c1 : index\n%more = arith.cmpi slt, %i1, %c8 : index\n\
         cf.cond_br %more, ^fill(%i1, %p1 : index, {pointer}), ^sums(%c0, %w0, %zero : index, {pointer}, i32)\n\
         ^sums(%j: index, %q: {pointer}, %s: i32):\n\
         %y = ptr.load %q : {pointer} -> i32\n%s1 = arith.addi %s, %y : i32\n\
         %q1 = ptr.ptr_add %q, %c8 : {pointer}, index\n\
         %j1 = arith.addi %j, %c2 : index\n%again = arith.cmpi slt, %j1, %c8 : index\n\
         cf.cond_br %again, ^sums(%j1, %q1, %s1 : index, {pointer}, i32), ^done(%s1 : i32)\n\
         ^done(%sum: i32):\n"
    );
    assert_eq!(sum_of(&body, 0, "cvt."), (0, 2 + 4 + 6));
}

#[test]
fn vectors_are_as_wide_as_their_alignment() {
    let pointer = "!ptr.ptr<#gpu.address_space<global>>";
    let body = |alignment: &str| {
        format!(
            "%p = ptr.to_ptr %a : memref<64xi32> -> {pointer}\n\
             %p16 = ptr.ptr_add %p, %c8 : {pointer}, index\n\
             %p32 = ptr.ptr_add %p16, %c8 : {pointer}, index\n\
             cf.br ^loop(%c0 : index)\n^loop(%i: index):\n\
             %v = ptr.load %p32{alignment} : {pointer} -> vector<4xi32>\n\
             ptr.store %v, %p{alignment} : vector<4xi32>, {pointer}\n\
             %w = ptr.load %p{alignment} : {pointer} -> vector<4xi32>\n\
             %sum = vector.reduction <add>, %w : vector<4xi32> into i32\n\
             %i1 = arith.addi %i, %c1 : index\n%more = arith.cmpi slt, %i1, %n : index\n\
             cf.cond_br %more, ^loop(%i1 : index), ^done\n^done:\n"
        )
    };
    let sum = 4 + 5 + 6 + 7;
    for (alignment, word, count) in [
        (" {alignment = 16 : i64}", ".v4.u32", 3),
        (" {alignment = 8 : i64}", ".v2.u32", 6),
        ("", ".v", 0),
    ] {
        assert_eq!(sum_of(&body(alignment), 1, word), (count, sum), "{alignment}");
    }
}
