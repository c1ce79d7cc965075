//! Branches, block arguments, switches.

use super::ptxas::accepts;
use super::run::{Argument, Shape, check_binary, pack, run, unpack};
use super::support::{kernel, ptx};

#[test]
fn arguments_are_exchanged_in_parallel() {
    // Fibonacci numbers: the two arguments of the loop swap roles in every round.
    let body = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n\
                %t = arith.constant 15 : i32\n%n = arith.andi %x, %t : i32\n\
                cf.br ^loop(%c0, %c0, %c1 : i32, i32, i32)\n\
                ^loop(%m: i32, %a: i32, %b: i32):\n\
                %more = arith.cmpi slt, %m, %n : i32\n\
                cf.cond_br %more, ^body, ^done\n\
                ^body:\n\
                %s = arith.addi %a, %b : i32\n\
                %j = arith.addi %m, %c1 : i32\n\
                cf.br ^loop(%j, %b, %s : i32, i32, i32)\n\
                ^done:\n\
                %r = arith.addi %a, %c0 : i32";
    check_binary("i32", "i32", body, |x, _| {
        Some((0..x & 15).fold((0, 1), |(a, b), _| (b, a + b)).0)
    });
}

#[test]
fn swaps_without_computation() {
    let body = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n\
                %t = arith.constant 7 : i32\n%n = arith.andi %x, %t : i32\n\
                cf.br ^loop(%c0, %x, %y : i32, i32, i32)\n\
                ^loop(%m: i32, %a: i32, %b: i32):\n\
                %j = arith.addi %m, %c1 : i32\n\
                %more = arith.cmpi slt, %m, %n : i32\n\
                cf.cond_br %more, ^loop(%j, %b, %a : i32, i32, i32), ^done(%a : i32)\n\
                ^done(%r: i32):\n";
    check_binary("i32", "i32", body, |x, y| Some(if x & 1 == 0 { x } else { y }));
}

#[test]
fn both_ways_to_one_block() {
    let body = "%c = arith.cmpi slt, %x, %y : i32\n\
                cf.cond_br %c, ^join(%x : i32), ^join(%y : i32)\n\
                ^join(%r: i32):\n";
    check_binary("i32", "i32", body, |x, y| Some((x as i32).min(y as i32) as u64));
}

#[test]
fn predicates_and_vectors_are_block_arguments() {
    let body = "%c = arith.cmpi slt, %x, %y : i32\n%v = vector.splat %x : vector<2xi32>\n\
                %true = arith.constant true\n\
                cf.cond_br %c, ^join(%c, %v : i1, vector<2xi32>), ^other\n\
                ^other:\n%w = vector.splat %y : vector<2xi32>\n\
                cf.br ^join(%true, %w : i1, vector<2xi32>)\n\
                ^join(%p: i1, %u: vector<2xi32>):\n\
                %e = vector.extract %u[1] : i32 from vector<2xi32>\n\
                %z = arith.constant 0 : i32\n\
                %r = arith.select %p, %e, %z : i32";
    check_binary("i32", "i32", body, |x, y| Some((x as i32).min(y as i32) as u64));
}

#[test]
fn switches() {
    for ty in ["i32", "i64", "i8"] {
        let body = format!(
            "%a = arith.constant 11 : {ty}\n%b = arith.constant 22 : {ty}\n\
             cf.switch %x : {ty}, [\n default: ^join(%x : {ty}),\n 1: ^join(%a : {ty}),\n -1: ^other\n ]\n\
             ^other:\ncf.br ^join(%b : {ty})\n\
             ^join(%r: {ty}):\n"
        );
        let minus_one = super::run::canonical(ty, u64::MAX);
        check_binary(ty, ty, &body, |x, _| {
            Some(match x {
                1 => 11,
                x if x == minus_one => 22,
                x => x,
            })
        });
    }
}

#[test]
fn buffers_are_block_arguments() {
    let source = kernel(
        "%a: memref<4xi32>, %b: memref<4xi32>, %n: i32",
        "%i = gpu.thread_id x\n%c0 = arith.constant 0 : i32\n\
         %l = memref.alloca() : memref<4xi32>\n\
         memref.store %n, %l[%i] : memref<4xi32>\n\
         %c = arith.cmpi sgt, %n, %c0 : i32\n\
         cf.cond_br %c, ^join(%a : memref<4xi32>), ^join(%l : memref<4xi32>)\n\
         ^join(%m: memref<4xi32>):\n\
         %v = memref.load %m[%i] : memref<4xi32>\n\
         memref.store %v, %b[%i] : memref<4xi32>",
    );
    accepts(&source);
    for (n, expected) in [(5u32, [1, 2, 3, 4]), (0, [0; 4])] {
        let buffers = run(
            &ptx(&source, "sm_80"),
            "k",
            &Shape::block(4),
            &[
                Argument::Buffer(pack("i32", &[1, 2, 3, 4])),
                Argument::Buffer(vec![0; 16]),
                Argument::Scalar(n.to_le_bytes().to_vec()),
            ],
        );
        assert_eq!(unpack("i32", &buffers[1]), expected);
    }
}

#[test]
fn assertions_trap() {
    let source = kernel(
        "%n: i32, %o: memref<i32>",
        "%c0 = arith.constant 0 : i32\n%c = arith.cmpi sgt, %n, %c0 : i32\n\
         cf.assert %c, \"n is positive\"\nmemref.store %n, %o[] : memref<i32>",
    );
    accepts(&source);
    assert!(ptx(&source, "sm_80").contains("trap;"));
}
