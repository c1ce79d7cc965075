//! Passes of upstream's names, by execution: programs compute the same before and after, for ranges that are
//! empty, in the wrong order, of one iteration, prime, and whole tiles.

mod remarks;

use remarks::run;
use remarks::unknown_bounds::{after, check, program};

const SCF: &str = "scf.for %i = %lo to %hi step %step {
    %left = affine.min affine_map<(d0, d1)[s0] -> (s0, d1 - d0)>(%i, %hi)[%step]
    %n = arith.index_cast %left : index to i32
    %x = memref.load %a[%i, %c0] : memref<64x8xi32>
    %y = arith.addi %x, %n : i32
    memref.store %y, %a[%i, %c1] : memref<64x8xi32>
}";

const SCF_SUM: &str = "%s = scf.for %i = %lo to %hi step %step iter_args(%t = %one) -> (i32) {
    %x = memref.load %a[%i, %c0] : memref<64x8xi32>
    %m = arith.muli %t, %seven : i32
    %y = arith.addi %m, %x : i32
    scf.yield %y : i32
}
memref.store %s, %r[%c0] : memref<1xi32>";

#[test]
fn peeling() {
    check("scf-for-loop-peeling", SCF);
    check("scf-for-loop-peeling{skip-partial=false}", SCF_SUM);
    check("scf-for-loop-peeling{peel-front=true}", SCF_SUM);
    assert_eq!(after("scf-for-loop-peeling", SCF).matches("scf.for").count(), 2);
    // In neither loop a minimum is left.
    assert!(!after("scf-for-loop-peeling", SCF).contains("affine.min"));
}

#[test]
fn minima_that_loops_decide() {
    let body = "%four = arith.constant 4 : index
        %end = arith.constant 32 : index
        scf.for %i = %c0 to %end step %four {
            %whole = affine.min affine_map<(d0) -> (4, 32 - d0)>(%i)
            %most = affine.max affine_map<(d0) -> (3, 32 - d0)>(%i)
            %rest = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%hi]
            %n = arith.index_cast %whole : index to i32
            %m = arith.index_cast %most : index to i32
            %o = arith.index_cast %rest : index to i32
            %x = arith.addi %n, %m : i32
            %y = arith.addi %x, %o : i32
            memref.store %y, %a[%i, %c1] : memref<64x8xi32>
        }
        scf.for %i = %lo to %hi step %step {
            %most = affine.max affine_map<(d0)[s0] -> (0, s0 - d0)>(%i)[%hi]
            %n = arith.index_cast %most : index to i32
            memref.store %n, %a[%i, %c3] : memref<64x8xi32>
        }";
    check("scf-for-loop-canonicalization", body);
    let decided = after("scf-for-loop-canonicalization", body);
    // That of the unknown bound is left, and all maxima are decided.
    assert_eq!(decided.matches("affine.min").count(), 1, "{decided}");
    assert_eq!(decided.matches("affine.max").count(), 0, "{decided}");
}

/// Transfers run an iteration ahead, but not where the loop writes what is transferred, or gives the buffer away.
#[test]
fn transfers_ahead() {
    let transfer = "%t = memref.alloc() : memref<8xi32, 1>
        %sum = memref.alloc() : memref<1xi32>
        affine.store %one, %sum[0] : memref<1xi32>
        %tag = memref.alloc() : memref<1xi32>
        %many = arith.constant 8 : index
        affine.for %i = 4 to 61 step 4 {
            affine.dma_start %a[%i, 0], %t[0], %tag[0], %many : memref<64x8xi32>, memref<8xi32, 1>, memref<1xi32>
            affine.dma_wait %tag[0], %many : memref<1xi32>
            BODY
        }
        %all = affine.load %sum[0] : memref<1xi32>
        affine.store %all, %r[0] : memref<1xi32>
        memref.dealloc %tag : memref<1xi32>
        memref.dealloc %t : memref<8xi32, 1>";
    let sum = "affine.for %j = 0 to 8 {
                %x = affine.load %t[%j] : memref<8xi32, 1>
                %y = affine.load %sum[0] : memref<1xi32>
                %m = arith.muli %y, %seven : i32
                %z = arith.addi %m, %x : i32
                affine.store %z, %sum[0] : memref<1xi32>
            }";
    let passes = "affine-pipeline-data-transfer";
    let body = transfer.replace("BODY", sum);
    check(passes, &body);
    let ahead = after(passes, &body);
    assert_eq!(ahead.matches("affine.dma_start").count(), 2, "{ahead}");
    assert!(ahead.contains("memref<2x8xi32, 1>"), "{ahead}");
    // What is transferred is written; the buffer is somebody else's too.
    for refused in [
        format!(
            "affine.store %one, %t[0] : memref<8xi32, 1>\n{sum}\naffine.store %one, %a[0, 0] : memref<64x8xi32>"
        ),
        format!("{sum}\nfunc.call @main2(%t) : (memref<8xi32, 1>) -> ()"),
    ] {
        let body = transfer.replace("BODY", &refused);
        let text = program(0, 1, 1, &body);
        let text = match text.contains("@main2") {
            true => format!("func.func private @main2(memref<8xi32, 1>)\n{text}"),
            false => text,
        };
        let (kept, said) = run(passes, &text);
        assert_eq!(kept.matches("affine.dma_start").count(), 1, "{said}{kept}");
    }
}

#[test]
fn peeling_a_front_of_constants() {
    let body = "%six = arith.constant 6 : index
        %s = scf.for %i = %c0 to %six step %c3 iter_args(%t = %one) -> (i32) {
            %x = memref.load %a[%i, %c0] : memref<64x8xi32>
            %m = arith.muli %t, %seven : i32
            %y = arith.addi %m, %x : i32
            scf.yield %y : i32
        }
        memref.store %s, %r[%c0] : memref<1xi32>";
    check("scf-for-loop-peeling{peel-front=true}", body);
    let peeled = after("scf-for-loop-peeling{peel-front=true}", body);
    assert_eq!(peeled.matches("scf.for").count(), 2, "{peeled}");
}

#[test]
fn specialization() {
    let body = "%end = affine.min affine_map<()[s0] -> (31, s0)>()[%hi]
        %s = scf.for %i = %lo to %end step %step iter_args(%t = %one) -> (i32) {
            %x = memref.load %a[%i, %c0] : memref<64x8xi32>
            %m = arith.muli %t, %seven : i32
            %y = arith.addi %m, %x : i32
            scf.yield %y : i32
        }
        memref.store %s, %r[%c0] : memref<1xi32>
        scf.parallel (%i) = (%lo) to (%end) step (%step) {
            %x = memref.load %a[%i, %c0] : memref<64x8xi32>
            memref.store %x, %a[%i, %c1] : memref<64x8xi32>
            scf.reduce
        }";
    check("scf-for-loop-specialization", body);
    check("scf-parallel-loop-specialization", body);
    assert_eq!(after("scf-for-loop-specialization", body).matches("scf.for").count(), 2);
    assert_eq!(after("scf-parallel-loop-specialization", body).matches("scf.parallel").count(), 2);
}

#[test]
fn tiles_of_parallel_loops() {
    let body = "scf.parallel (%i, %j) = (%lo, %c0) to (%hi, %c3) step (%step, %c1) {
        %x = memref.load %a[%i, %j] : memref<64x8xi32>
        %y = arith.addi %x, %seven : i32
        memref.store %y, %a[%i, %j] : memref<64x8xi32>
        scf.reduce
    }";
    for passes in [
        "scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,2}",
        "scf-parallel-loop-tiling{parallel-loop-tile-sizes=5}",
        "scf-parallel-loop-tiling{parallel-loop-tile-sizes=4,2 no-min-max-bounds=true}",
    ] {
        check(passes, body);
        assert_eq!(after(passes, body).matches("scf.parallel").count(), 2);
    }
}

const AFFINE: &str = "affine.for %i = %lo to %hi step 2 {
    affine.for %j = 0 to 7 {
        %x = affine.load %a[%i, %j] : memref<64x8xi32>
        %y = arith.muli %x, %seven : i32
        affine.store %y, %a[%i, %j] : memref<64x8xi32>
    }
}";

const AFFINE_SUM: &str = "%s = affine.for %i = %lo to %hi step 3 iter_args(%t = %one) -> (i32) {
    %x = affine.load %a[%i, 0] : memref<64x8xi32>
    %m = arith.muli %t, %seven : i32
    %y = arith.addi %m, %x : i32
    affine.yield %y : i32
}
affine.store %s, %r[0] : memref<1xi32>";

#[test]
fn tiles() {
    for passes in
        ["affine-loop-tile{tile-size=4}", "affine-loop-tile{tile-sizes=5,32}", "affine-loop-tile"]
    {
        check(passes, AFFINE);
        assert_eq!(after(passes, AFFINE).matches("affine.for").count(), 4);
    }
    for (options, loops) in [
        ("tile-sizes=5,3 separate=true", 6),
        ("cache-size=1 separate=true", 6),
        ("cache-size=0", 4),
    ] {
        let passes = format!("affine-loop-tile{{{options}}}");
        check(&passes, AFFINE);
        let text = after(&passes, AFFINE);
        assert_eq!(text.matches("affine.for").count(), loops, "{options}: {text}");
    }
}

#[test]
fn tiles_that_would_wait_for_each_other_are_refused() {
    // The distance (1, -1), which upstream's pass tiles.
    let body = "affine.for %i = 1 to 32 {
        affine.for %j = 0 to 7 {
            %x = affine.load %a[%i - 1, %j + 1] : memref<64x8xi32>
            affine.store %x, %a[%i, %j] : memref<64x8xi32>
        }
    }";
    let (text, said) = run("affine-loop-tile{tile-size=4}", &program(0, 0, 1, body));
    assert_eq!(text.matches("affine.for").count(), 2, "{text}");
    assert!(said.contains("goes backwards") && said.contains("(<, >)"), "{said}");
}

#[test]
fn normal_loops() {
    check("affine-loop-normalize", AFFINE);
    check("affine-loop-normalize{promote-single-iter=true}", AFFINE_SUM);
    let parallel = "affine.parallel (%i, %j) = (%lo, 1) to (%hi, 7) step (3, 2) {
        %x = affine.load %a[%i, %j] : memref<64x8xi32>
        %y = arith.muli %x, %seven : i32
        affine.store %y, %a[%i, %j] : memref<64x8xi32>
    }";
    check("affine-loop-normalize", parallel);
    assert!(!after("affine-loop-normalize", parallel).contains("step"));
    assert!(!after("affine-loop-normalize", AFFINE_SUM).contains("step 3"));
}

#[test]
fn unrolling() {
    for options in ["", "{unroll-factor=3}", "{unroll-num-reps=2}", "{unroll-full=true}"] {
        check(&format!("affine-loop-unroll{options}"), AFFINE);
        check(&format!("affine-loop-unroll{options}"), AFFINE_SUM);
    }
    check("affine-loop-unroll{unroll-full=true unroll-full-threshold=7}", AFFINE);
    assert!(after("affine-loop-unroll{unroll-factor=3}", AFFINE_SUM).contains("step 9"));
    let full = after("affine-loop-unroll{unroll-full=true}", AFFINE);
    assert_eq!(full.matches("affine.store").count(), 7, "{full}");
}

#[test]
fn parallel_loops() {
    check("affine-parallelize", AFFINE);
    assert_eq!(after("affine-parallelize", AFFINE).matches("affine.parallel").count(), 2);
    assert_eq!(
        after("affine-parallelize{max-nested=1}", AFFINE).matches("affine.parallel").count(),
        1
    );
    // A recurrence is no reduction.
    check("affine-parallelize{parallel-reductions=true}", AFFINE_SUM);
    assert!(
        !after("affine-parallelize{parallel-reductions=true}", AFFINE_SUM).contains("parallel")
    );
    let sum = AFFINE_SUM.replace("%m = arith.muli %t, %seven", "%m = arith.addi %t, %seven");
    check("affine-parallelize{parallel-reductions=true}", &sum);
    assert!(!after("affine-parallelize", &sum).contains("parallel"));
    let chain = "affine.for %i = 1 to 32 {
        %x = affine.load %a[%i - 1, 0] : memref<64x8xi32>
        affine.store %x, %a[%i, 0] : memref<64x8xi32>
    }";
    assert!(!after("affine-parallelize", chain).contains("parallel"));
}

#[test]
fn sinking() {
    let body = "%x = memref.load %a[%c0, %c0] : memref<64x8xi32>
        %y = arith.muli %x, %seven : i32
        %z = arith.addi %y, %one : i32
        %both = arith.addi %x, %one : i32
        %c = arith.cmpi slt, %lo, %hi : index
        scf.if %c {
            memref.store %z, %r[%c0] : memref<1xi32>
        } else {
            memref.store %both, %r[%c0] : memref<1xi32>
        }
        scf.for %i = %lo to %hi step %c1 {
            %q = arith.addi %both, %seven : i32
            memref.store %q, %a[%i, %c3] : memref<64x8xi32>
        }";
    check("control-flow-sink", body);
    let text = after("control-flow-sink", body);
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in\n{text}"));
    assert!(place("scf.if") < place("arith.muli"), "{text}");
    // Used in two places, one of them a loop: it stays.
    assert!(text[..place("scf.if")].contains("arith.addi"), "{text}");
}

#[test]
fn branches() {
    let body = format!(
        "{SCF_SUM}
        scf.parallel (%i, %j) = (%lo, %c0) to (%hi, %c3) step (%step, %c1) {{
            %x = memref.load %a[%i, %j] : memref<64x8xi32>
            %odd = arith.trunci %x : i32 to i1
            %y = scf.if %odd -> i32 {{ scf.yield %seven : i32 }} else {{ scf.yield %x : i32 }}
            memref.store %y, %a[%i, %j] : memref<64x8xi32>
            scf.reduce
        }}
        %k = scf.while (%n = %lo) : (index) -> index {{
            %more = arith.cmpi slt, %n, %hi : index
            scf.condition(%more) %n : index
        }} do {{
        ^bb0(%n: index):
            %next = arith.addi %n, %c1 : index
            scf.yield %next : index
        }}
        %v = scf.index_switch %k -> i32
        case 7 {{ scf.yield %one : i32 }}
        case 31 {{ scf.yield %seven : i32 }}
        default {{ %z = arith.index_cast %k : index to i32
            scf.yield %z : i32 }}
        memref.store %v, %a[%c3, %c3] : memref<64x8xi32>"
    );
    check("convert-scf-to-cf", &body);
    assert!(!after("convert-scf-to-cf", &body).contains("scf."));
}

#[test]
fn a_switch_takes_all_bits_of_its_index() {
    let body = "%far = arith.constant 4294967298 : index
        %v = scf.index_switch %far -> i32
        case 2 { scf.yield %one : i32 }
        default { scf.yield %seven : i32 }
        memref.store %v, %r[%c0] : memref<1xi32>";
    check("convert-scf-to-cf", body);
}

#[test]
fn constants_go_round_loops_and_through_branches() {
    let body = "%yes = arith.constant true
        %s = scf.for %i = %lo to %hi step %step iter_args(%t = %one) -> (i32) {
            %u = scf.if %yes -> i32 { scf.yield %t : i32 } else { scf.yield %seven : i32 }
            %v = arith.muli %u, %u : i32
            scf.yield %v : i32
        }
        %w = scf.for %i = %lo to %hi step %step iter_args(%t = %one) -> (i32) {
            %v = arith.addi %t, %s : i32
            scf.yield %v : i32
        }
        %x = arith.addi %w, %s : i32
        memref.store %x, %r[%c0] : memref<1xi32>";
    check("sccp", body);
    // The first loop is known to leave 1; the second is not known to.
    assert_eq!(after("sccp", body).matches("scf.for").count(), 1);
}

#[test]
fn one_loop_of_several() {
    // Both numbers of iterations are negative for small bounds: their product is not.
    let negative = "affine.for %i = 0 to affine_map<()[s0] -> (s0 - 9)>()[%hi] {
        affine.for %j = 0 to affine_map<()[s0] -> (s0 - 8)>()[%hi] {
            affine.store %seven, %a[%i, %j mod 8] : memref<64x8xi32>
        }
    }";
    let three = "affine.for %i = %lo to %hi step 3 {
        affine.for %j = 1 to 7 step 2 {
            affine.for %k = 0 to 2 {
                %x = affine.load %a[%i, %j + %k - 1] : memref<64x8xi32>
                %y = arith.muli %x, %seven : i32
                affine.store %y, %a[%i, %j + %k] : memref<64x8xi32>
            }
        }
    }";
    for body in [AFFINE, negative, three] {
        check("affine-loop-coalescing", body);
        assert_eq!(after("affine-loop-coalescing", body).matches("affine.for").count(), 1);
    }
}

#[test]
fn outer_iterations_side_by_side() {
    let sums = "affine.for %i = %lo to %hi {
        %x = affine.load %a[%i, 0] : memref<64x8xi32>
        %s = affine.for %j = 0 to 7 iter_args(%t = %x) -> (i32) {
            %y = affine.load %a[%i, %j] : memref<64x8xi32>
            %u = arith.muli %t, %seven : i32
            %v = arith.addi %u, %y : i32
            affine.yield %v : i32
        }
        affine.store %s, %a[%i, 7] : memref<64x8xi32>
    }";
    for factor in [2, 4, 5] {
        let passes = format!("affine-loop-unroll-jam{{unroll-jam-factor={factor}}}");
        check(&passes, AFFINE);
        check(&passes, sums);
        assert_eq!(after(&passes, sums).matches("affine.for").count(), 4, "{factor}");
    }
}

#[test]
fn iterations_whose_dependences_would_be_turned_round_are_not_put_together() {
    let backwards = "affine.for %i = 1 to 32 {
        affine.for %j = 0 to 7 {
            %x = affine.load %a[%i - 1, %j + 1] : memref<64x8xi32>
            affine.store %x, %a[%i, %j] : memref<64x8xi32>
        }
    }";
    // The second run of an iteration writes what the first of the next reads.
    let runs = "affine.for %i = 1 to 32 {
        affine.for %j = 0 to 7 {
            %x = affine.load %a[%i - 1, 0] : memref<64x8xi32>
            affine.store %x, %a[%i, %j] : memref<64x8xi32>
        }
        affine.store %seven, %a[%i, 0] : memref<64x8xi32>
    }";
    for body in [backwards, runs] {
        check("affine-loop-unroll-jam", body);
        let (text, said) = run("affine-loop-unroll-jam", &program(0, 0, 1, body));
        assert!(said.contains("would go backwards"), "{said}in\n{text}");
    }
}

#[test]
fn divisions_of_numbers_of_both_signs() {
    let body = "affine.for %i = 0 to 9 {
        %f = affine.apply affine_map<(d0)[s0] -> ((d0 + s0 - 8) floordiv 3)>(%i)[%lo]
        %c = affine.apply affine_map<(d0)[s0] -> ((d0 + s0 - 8) ceildiv 3)>(%i)[%lo]
        %m = affine.apply affine_map<(d0)[s0] -> ((d0 + s0 - 8) mod 3 - s0)>(%i)[%lo]
        %x = arith.index_cast %f : index to i32
        %y = arith.index_cast %c : index to i32
        %z = arith.index_cast %m : index to i32
        affine.store %x, %a[%i, 0] : memref<64x8xi32>
        affine.store %y, %a[%i, 1] : memref<64x8xi32>
        affine.store %z, %a[%i, 2] : memref<64x8xi32>
    }";
    check("lower-affine", body);
    check("lower-affine{compact=true}", body);
    let text = after("lower-affine", body);
    assert!(!text.contains("floordivsi") && !text.contains("ceildivsi"), "{text}");
}

#[test]
fn ranges_take_sums_and_products_in() {
    let body = "scf.for %i = %lo to %hi step %step {
        %n = arith.addi %i, %c3 : index
        %m = arith.muli %n, %c3 : index
        %x = arith.index_cast %m : index to i32
        %old = memref.load %r[%c0] : memref<1xi32>
        %p = arith.muli %old, %seven : i32
        %new = arith.addi %p, %x : i32
        memref.store %new, %r[%c0] : memref<1xi32>
    }";
    check("scf-for-loop-range-folding", body);
    assert_eq!(after("scf-for-loop-range-folding", body).matches("arith.muli").count(), 4);
    // A factor that may be 0 or less would change how often the loop runs.
    let unknown = "scf.for %i = %c0 to %c3 step %c1 {
        %m = arith.muli %i, %lo : index
        %x = arith.index_cast %m : index to i32
        memref.store %x, %r[%c0] : memref<1xi32>
    }";
    check("scf-for-loop-range-folding", unknown);
    let (_, said) = run("scf-for-loop-range-folding", &program(0, 0, 1, unknown));
    assert!(said.contains("not known to be positive"), "{said}");
}

#[test]
fn subscripts_of_a_linear_index() {
    let body = "affine.for %i = 0 to 60 {
        %c5 = arith.constant 5 : index
        %n:3 = affine.delinearize_index %i into (%c5, %c3, %c5) : index, index, index
        %x = arith.index_cast %n#1 : index to i32
        memref.store %x, %a[%n#0, %n#2] : memref<64x8xi32>
    }";
    check("affine-expand-index-ops", body);
    assert!(!after("affine-expand-index-ops", body).contains("delinearize"));
}

#[test]
fn structures() {
    let body = "affine.for %i = 0 to 60 {
        affine.if affine_set<(d0) : (d0 - 4 >= 0, 2 - d0 >= 0)>(%i) {
            affine.store %one, %a[%i, 1] : memref<64x8xi32>
        }
        affine.if affine_set<(d0)[s0] : (2 * d0 - 2 * s0 >= 0, 3 >= 0)>(%i)[%hi] {
            affine.store %seven, %a[%i, 2] : memref<64x8xi32>
        }
    }";
    check("affine-simplify-structures", body);
    let text = after("affine-simplify-structures", body);
    assert_eq!(text.matches("affine.if").count(), 1, "{text}");
    assert!(text.contains("d0 - s0 >= 0"), "{text}");
}

const PARALLEL: &str = "scf.parallel (%i) = (%lo) to (%hi) step (%step) {
    %x = memref.load %a[%i, %c0] : memref<64x8xi32>
    %y = arith.addi %x, %seven : i32
    memref.store %y, %a[%i, %c1] : memref<64x8xi32>
    scf.reduce
}";

#[test]
fn parallel_loops_become_one() {
    let second = "scf.parallel (%i) = (%lo) to (%hi) step (%step) {
        %x = memref.load %a[%i, %c1] : memref<64x8xi32>
        %y = arith.muli %x, %seven : i32
        memref.store %y, %a[%i, %c3] : memref<64x8xi32>
        scf.reduce
    }";
    // Subscripts are compared as they are: %c0 and %c1 may be one.
    let both = format!("{PARALLEL}\n{second}");
    check("scf-parallel-loop-fusion", &both);
    let sums = "%t = memref.alloca() : memref<64xi32>
        %s = scf.parallel (%i) = (%lo) to (%hi) step (%step) init (%one) -> i32 {
            %x = memref.load %a[%i, %c0] : memref<64x8xi32>
            memref.store %x, %t[%i] : memref<64xi32>
            scf.reduce(%x : i32) { ^bb0(%p: i32, %q: i32):
                %r0 = arith.addi %p, %q : i32
                scf.reduce.return %r0 : i32
            }
        }
        %u = scf.parallel (%i) = (%lo) to (%hi) step (%step) init (%one) -> i32 {
            %x = memref.load %t[%i] : memref<64xi32>
            %y = arith.muli %x, %x : i32
            scf.reduce(%y : i32) { ^bb0(%p: i32, %q: i32):
                %r0 = arith.xori %p, %q : i32
                scf.reduce.return %r0 : i32
            }
        }
        %w = arith.subi %s, %u : i32
        memref.store %w, %r[%c0] : memref<1xi32>";
    check("scf-parallel-loop-fusion", sums);
    assert_eq!(after("scf-parallel-loop-fusion", sums).matches("scf.parallel").count(), 1);
}

#[test]
fn parallel_loops_that_need_each_other_whole_stay_two() {
    let neighbours = "%t = memref.alloca() : memref<66xi32>
        %n1 = arith.constant 65 : index
        scf.parallel (%i) = (%c0) to (%n1) step (%c1) { memref.store %one, %t[%i] : memref<66xi32> scf.reduce }
        scf.parallel (%i) = (%lo) to (%hi) step (%step) {
            %x = memref.load %a[%i, %c0] : memref<64x8xi32>
            memref.store %x, %t[%i] : memref<66xi32>
            scf.reduce
        }
        scf.parallel (%i) = (%lo) to (%hi) step (%step) {
            %k = arith.addi %i, %c1 : index
            %x = memref.load %t[%k] : memref<66xi32>
            memref.store %x, %a[%i, %c1] : memref<64x8xi32>
            scf.reduce
        }";
    check("scf-parallel-loop-fusion", neighbours);
    assert_eq!(after("scf-parallel-loop-fusion", neighbours).matches("scf.parallel").count(), 3);
    // One element that all iterations read once the last has written it.
    let one_place = "%t = memref.alloca() : memref<1xi32>
        memref.store %one, %t[%c0] : memref<1xi32>
        scf.parallel (%i) = (%lo) to (%hi) step (%step) {
            %last = arith.cmpi eq, %i, %c3 : index
            scf.if %last { memref.store %seven, %t[%c0] : memref<1xi32> }
            scf.reduce
        }
        scf.parallel (%i) = (%lo) to (%hi) step (%step) {
            %x = memref.load %t[%c0] : memref<1xi32>
            memref.store %x, %a[%i, %c1] : memref<64x8xi32>
            scf.reduce
        }";
    check("scf-parallel-loop-fusion", one_place);
    assert_eq!(after("scf-parallel-loop-fusion", one_place).matches("scf.parallel").count(), 2);
}

#[test]
fn launches_of_parallel_loops() {
    let passes = "func.func(gpu-map-parallel-loops),convert-parallel-loops-to-gpu";
    check(passes, PARALLEL);
    assert!(after(passes, PARALLEL).contains("gpu.launch"));
    let tiled = "func.func(scf-parallel-loop-tiling{parallel-loop-tile-sizes=5},canonicalize,\
                 gpu-map-parallel-loops),convert-parallel-loops-to-gpu";
    let constant = PARALLEL.replace("(%step)", "(%c3)");
    check(tiled, &constant);
    let text = after(tiled, &constant);
    assert!(text.contains("gpu.launch") && text.contains("scf.if"), "{text}");
    // The loop in it has further dimensions than there are processors.
    let deep = "scf.parallel (%i, %j, %k, %l) = (%lo, %c0, %c1, %c0) to (%hi, %c3, %c3, %c3) step (%step, %c1, %c1, %c1) {
        %x = memref.load %a[%i, %j] : memref<64x8xi32>
        %here = arith.addi %k, %l : index
        %is = arith.cmpi eq, %here, %c1 : index
        scf.if %is {
            %p = arith.addi %j, %c3 : index
            memref.store %seven, %a[%i, %p] : memref<64x8xi32>
        }
        scf.reduce
    }";
    check(passes, deep);
    let text = after(passes, deep);
    assert!(text.contains("gpu.launch") && text.contains("scf.for"), "{text}");
}

#[test]
fn launches_keep_effects_between_loops() {
    // Each thread would store once.
    let beside = "scf.parallel (%i) = (%lo) to (%hi) step (%step) {
        memref.store %one, %a[%i, %c0] : memref<64x8xi32>
        scf.parallel (%j) = (%c0) to (%c3) step (%c1) {
            memref.store %seven, %a[%i, %j] : memref<64x8xi32>
            scf.reduce
        }
        scf.reduce
    }";
    let passes = "func.func(gpu-map-parallel-loops),convert-parallel-loops-to-gpu";
    check(passes, beside);
    assert!(!after(passes, beside).contains("gpu.launch"));
}

#[test]
fn kernels_of_launches() {
    let passes = "func.func(gpu-map-parallel-loops),convert-parallel-loops-to-gpu,lower-affine,\
                  gpu-launch-sink-index-computations,gpu-kernel-outlining,canonicalize";
    check(passes, PARALLEL);
    let text = after(passes, PARALLEL);
    assert!(text.contains("gpu.launch_func  @main_kernel::@main_kernel"), "{text}");
    assert!(!text.contains("gpu.launch blocks"), "{text}");
}

#[test]
fn launches_of_affine_loops() {
    let body = "affine.for %i = affine_map<()[s0] -> (s0)>()[%lo] to affine_map<()[s0] -> (s0)>()[%hi] step 3 {
        affine.for %j = 2 to 8 {
            %x = affine.load %a[%i, %j] : memref<64x8xi32>
            %y = arith.muli %x, %seven : i32
            affine.store %y, %a[%i, %j] : memref<64x8xi32>
        }
    }";
    let body = body.replace("affine_map<()[s0] -> (s0)>()[%lo]", "%lo");
    let body = body.replace("affine_map<()[s0] -> (s0)>()[%hi]", "%hi");
    let body = format!(
        "func.call @inner(%a, %lo, %hi) : (memref<64x8xi32>, index, index) -> ()\nreturn }}
        func.func @inner(%a: memref<64x8xi32>, %lo: index, %hi: index) {{
            %seven = arith.constant 7 : i32\n{body}"
    );
    check("func.func(convert-affine-for-to-gpu)", &body);
    assert!(after("func.func(convert-affine-for-to-gpu)", &body).contains("gpu.launch"));
    check("func.func(convert-affine-for-to-gpu{gpu-block-dims=2 gpu-thread-dims=0})", &body);
    let carried = "affine.for %i = 1 to 60 {
        affine.for %j = 0 to 8 {
            %x = affine.load %a[%i - 1, %j] : memref<64x8xi32>
            affine.store %x, %a[%i, %j] : memref<64x8xi32>
        }
    }";
    let (_, said) = run("func.func(convert-affine-for-to-gpu)", &program(0, 1, 1, carried));
    assert!(said.contains("error"), "{said}");
}

#[test]
fn loops_that_test() {
    check("scf-for-to-while", SCF);
    check("scf-for-to-while", SCF_SUM);
    assert!(!after("scf-for-to-while", SCF_SUM).contains("scf.for"));
    // Of eight bits, 126 + 2 is less than 127.
    let narrow = "%z = arith.constant 0 : i8
        %m = arith.constant 127 : i8
        %two = arith.constant 2 : i8
        %s = scf.for %i = %z to %m step %two iter_args(%t = %one) -> (i32) : i8 {
            %w = arith.extsi %i : i8 to i32
            %y = arith.addi %t, %w : i32
            scf.yield %y : i32
        }
        memref.store %s, %r[%c0] : memref<1xi32>";
    check("scf-for-to-while", narrow);
    let (_, said) = run("scf-for-to-while", &program(0, 0, 1, narrow));
    assert!(said.contains("may wrap"), "{said}");
}

#[test]
fn nests_of_forall() {
    let body = "scf.forall (%i, %j) = (%lo, 0) to (%hi, 3) step (%step, 2) {
        %x = memref.load %a[%i, %j] : memref<64x8xi32>
        %y = arith.muli %x, %seven : i32
        memref.store %y, %a[%i, %j] : memref<64x8xi32>
    }";
    for pass in ["scf-forall-to-for", "scf-forall-to-parallel"] {
        check(pass, body);
        assert!(!after(pass, body).contains("scf.forall"));
    }
}

#[test]
fn accesses_that_do_not_vary() {
    let pass = "func.func(affine-loop-invariant-code-motion)";
    let moves = "%t = memref.alloca() : memref<8xi32>
        affine.store %seven, %t[2] : memref<8xi32>
        affine.for %i = 0 to 60 {
            %x = affine.load %t[2] : memref<8xi32>
            %y = arith.addi %x, %one : i32
            affine.store %y, %a[%i, 1] : memref<64x8xi32>
        }";
    check(pass, moves);
    let text = after(pass, moves);
    let at = |what: &str| text.find(what).unwrap_or(usize::MAX);
    assert!(at("affine.load") < at("affine.for"), "{text}");
    // What is written in the loop stays, and so does what stands in a loop that may not run.
    let written = moves.replace("%a[%i, 1] : memref<64x8xi32>", "%t[2] : memref<8xi32>");
    check(pass, &written);
    let text = after(pass, &written);
    assert!(text.find("affine.load") > text.find("affine.for"), "{text}");
    let never = "%t = memref.alloca() : memref<8xi32>
        %u = affine.for %i = 5 to 5 iter_args(%s = %one) -> i32 {
            affine.store %seven, %a[3, 1] : memref<64x8xi32>
            affine.yield %s : i32
        }
        affine.for %i = 0 to 4 {
            affine.for %j = 0 to 3 {
                affine.store %one, %a[4, 1] : memref<64x8xi32>
                affine.store %seven, %a[5, 2] : memref<64x8xi32>
            }
            %x = affine.load %a[4, 1] : memref<64x8xi32>
            affine.store %x, %r[0] : memref<1xi32>
            affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
                affine.store %one, %a[6, 3] : memref<64x8xi32>
            }
        }
        memref.store %u, %r[%c0] : memref<1xi32>";
    check(pass, never);
}
