//! Which loads and stores of a function see or replace each other, by execution.

mod remarks;

use remarks::unknown_bounds::{after, check};

/// Values go from store to load over loops and conditions, unless somebody may write between.
#[test]
fn scalar_replacement() {
    let body = "affine.for %i = %lo to %hi step 2 {
            %x = affine.load %a[%i, 0] : memref<64x8xi32>
            %y = arith.addi %x, %one : i32
            affine.store %y, %a[%i, 0] : memref<64x8xi32>
            affine.for %j = 0 to 3 {
                %z = affine.load %a[%i, 0] : memref<64x8xi32>
                %w = arith.muli %z, %seven : i32
                affine.store %w, %a[%i, %j + 1] : memref<64x8xi32>
            }
            affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
                %z = affine.load %a[%i, 0] : memref<64x8xi32>
                affine.store %z, %a[%i, 4] : memref<64x8xi32>
            }
            affine.store %one, %a[%i, 5] : memref<64x8xi32>
            affine.store %seven, %a[%i, 5] : memref<64x8xi32>
        }";
    check("affine-scalrep", body);
    let replaced = after("affine-scalrep", body);
    assert_eq!(replaced.matches("affine.load").count(), 1, "{replaced}");
    assert_eq!(replaced.matches("affine.store").count(), 4, "{replaced}");
    // An inner loop overwrites what it reads in its next iteration; another iteration of the outer one reads what is stored
    // last; a store between may be to the same element.
    let disturbed = "affine.for %i = %lo to %hi {
            affine.store %one, %a[%i, 0] : memref<64x8xi32>
            affine.for %j = 0 to 3 {
                %z = affine.load %a[%i, 0] : memref<64x8xi32>
                %w = arith.muli %z, %seven : i32
                affine.store %w, %a[%i, %j] : memref<64x8xi32>
            }
            affine.store %seven, %a[%i, 5] : memref<64x8xi32>
            affine.store %one, %a[%i, %i mod 8] : memref<64x8xi32>
            %y = affine.load %a[%i, 5] : memref<64x8xi32>
            affine.store %y, %a[%i, 6] : memref<64x8xi32>
            affine.store %seven, %a[%i, 5] : memref<64x8xi32>
        }";
    check("affine-scalrep", disturbed);
    assert_eq!(after("affine-scalrep", disturbed).matches("affine.load").count(), 2);
}

/// What stands between two accesses to one element: how many loads and stores are left.
#[test]
fn what_comes_between() {
    let between = |middle: &str| {
        format!(
            "%q = arith.cmpi slt, %lo, %c3 : index
%t = memref.alloc() : memref<64x8xi32>
%v = memref.cast %a : memref<64x8xi32> to memref<?x8xi32>
affine.store %one, %a[3, 0] : memref<64x8xi32>
{middle}
%x = affine.load %a[3, 0] : memref<64x8xi32>
affine.store %x, %r[0] : memref<1xi32>
memref.dealloc %t : memref<64x8xi32>"
        )
    };
    for (middle, loads, stores) in [
        ("", 0, 2),
        ("affine.store %seven, %a[3, 1] : memref<64x8xi32>", 0, 3),
        ("memref.store %seven, %t[%c3, %c0] : memref<64x8xi32>", 0, 2),
        ("memref.copy %a, %t : memref<64x8xi32> to memref<64x8xi32>", 0, 2),
        // Perhaps, the same element by another name, or all of them.
        ("scf.if %q { affine.store %seven, %a[3, 0] : memref<64x8xi32> }", 1, 3),
        ("memref.store %seven, %a[%lo, %c0] : memref<64x8xi32>", 1, 2),
        ("affine.store %seven, %v[3, 0] : memref<?x8xi32>", 1, 3),
        ("memref.copy %t, %a : memref<64x8xi32> to memref<64x8xi32>", 1, 2),
        ("affine.for %k = 0 to 4 { affine.store %seven, %a[%k, 0] : memref<64x8xi32> }", 1, 3),
        ("affine.for %k = 0 to 3 { affine.store %seven, %a[%k, 0] : memref<64x8xi32> }", 0, 3),
        // Looked at before it is written again, or not.
        (
            "%y = affine.load %v[3, 0] : memref<?x8xi32>
affine.store %y, %a[5, 1] : memref<64x8xi32>
affine.store %seven, %a[3, 0] : memref<64x8xi32>",
            1,
            4,
        ),
        (
            "memref.copy %a, %t : memref<64x8xi32> to memref<64x8xi32>
affine.store %seven, %a[3, 0] : memref<64x8xi32>",
            0,
            3,
        ),
        ("affine.store %seven, %a[3, 0] : memref<64x8xi32>", 0, 2),
    ] {
        let body = between(middle);
        if !middle.contains("copy %t") && !middle.contains("%t[") {
            check("affine-scalrep", &body);
        }
        let found = after("affine-scalrep", &body);
        let count = |name: &str| found.matches(name).count();
        let found_counts = (count("affine.load"), count("affine.store"));
        assert_eq!(found_counts, (loads, stores), "{middle}\nbecame\n{found}");
    }
}

/// What a loop sees of its own iterations, as other types, and by subscripts without a closed form.
#[test]
fn what_a_loop_sees_again() {
    for (body, loads) in [
        // The next iteration of a loop that nobody counts.
        (
            "affine.store %one, %a[3, 0] : memref<64x8xi32>
%end = scf.while (%k = %c0) : (index) -> index {
    %more = arith.cmpi slt, %k, %c3 : index
    scf.condition(%more) %k : index
} do {
^bb0(%k: index):
    %x = affine.load %a[3, 0] : memref<64x8xi32>
    %y = arith.addi %x, %seven : i32
    memref.store %y, %a[%c3, %k] : memref<64x8xi32>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
}",
            1,
        ),
        // One iteration alone has nothing behind it.
        (
            "affine.store %one, %a[3, 0] : memref<64x8xi32>
affine.for %k = 0 to 1 {
    %x = affine.load %a[3, 0] : memref<64x8xi32>
    %y = arith.addi %x, %seven : i32
    affine.store %y, %a[3, %k] : memref<64x8xi32>
}",
            0,
        ),
        // Vectors of other lengths, and one of length 1.
        (
            "%v = arith.constant dense<3> : vector<4xi32>
affine.vector_store %v, %a[3, 0] : memref<64x8xi32>, vector<4xi32>
%x = affine.load %a[3, 0] : memref<64x8xi32>
affine.store %x, %r[0] : memref<1xi32>",
            1,
        ),
        (
            "%v = arith.constant dense<3> : vector<1xi32>
affine.vector_store %v, %a[3, 0] : memref<64x8xi32>, vector<1xi32>
%x = affine.load %a[3, 0] : memref<64x8xi32>
affine.store %x, %r[0] : memref<1xi32>",
            1,
        ),
        // Two remainders of which nothing is known.
        (
            "affine.for %i = 0 to 20 {
    affine.store %one, %a[%i mod symbol(%step), 0] : memref<64x8xi32>
    affine.store %seven, %a[%i, 1] : memref<64x8xi32>
    %x = affine.load %a[%i mod symbol(%c3), 0] : memref<64x8xi32>
    affine.store %x, %a[%i, 2] : memref<64x8xi32>
}",
            1,
        ),
    ] {
        check("affine-scalrep", body);
        let found = after("affine-scalrep", body);
        assert_eq!(found.matches("affine.load").count(), loads, "{body}\nbecame\n{found}");
    }
}
