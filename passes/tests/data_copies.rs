//! `affine-data-copy-generate` by execution: programs compute the same before and after.

mod remarks;

use gpuc_interp::{Comparison, Order, check_same};
use remarks::{parse, run};

/// What loops touch is copied, and what they leave between what they write is what was there.
#[test]
fn copies_in_faster_memory() {
    let rows = "affine.for %i = 0 to 60 step 8 {
            affine.for %j = 0 to 8 {
                %x = affine.load %a[%i, %j] : memref<64x8xi32>
                %y = affine.load %a[%i + 3, %j] : memref<64x8xi32>
                %z = arith.muli %x, %seven : i32
                %s = arith.addi %z, %y : i32
                affine.store %s, %a[%i + 2, %j] : memref<64x8xi32>
            }
        }";
    let others = "affine.for %i = 0 to 30 {
            affine.store %seven, %a[2 * %i + 1, 3] : memref<64x8xi32>
        }
        %first = affine.load %a[5, 3] : memref<64x8xi32>
        affine.store %first, %a[7, 4] : memref<64x8xi32>
        affine.store %first, %r[0] : memref<1xi32>";
    let both = format!("{rows}\n{others}");
    for (options, body) in [
        ("generate-dma=false", &*both),
        ("generate-dma=false skip-non-unit-stride-loops=true", &both),
        ("generate-dma=false fast-mem-capacity=1 assume-apart=true", &both),
        ("generate-dma=false fast-mem-space=0 fast-mem-capacity=0", &both),
        ("min-dma-transfer=1000000", &both),
        ("skip-non-unit-stride-loops=true min-dma-transfer=96", rows),
        ("assume-apart=true", rows),
    ] {
        let passes = format!("affine-data-copy-generate{{{options}}}");
        let text = format!(
            "func.func @main(%a: memref<64x8xi32>, %r: memref<1xi32>) {{\n\
             %seven = arith.constant 7 : i32\n{body}\nreturn\n}}"
        );
        let (made, said) = run(&passes, &text);
        assert!(!said.contains("error"), "{said}in\n{text}");
        let ((before, before_module), (after, after_module)) = (parse(&text), parse(&made));
        for (seed, order) in [(1, Order::Forwards), (2, Order::Backwards)] {
            let mut comparison = Comparison::new("main", seed);
            comparison.options.order = order;
            check_same((&before, before_module), (&after, after_module), &comparison)
                .unwrap_or_else(|error| panic!("{passes}: {error}\nin\n{text}\nbecame\n{made}"));
        }
        assert!(made.contains("memref.alloc()"), "{options}: {made}");
        let by_transfer = body == rows;
        assert_eq!(made.contains("affine.dma_start"), by_transfer, "{options}: {made}");
    }
}
