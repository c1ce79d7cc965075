//! Mappings written by hand: every way to deal iterations computes the same as the loop in order,
//! tiled nests with memory of the block and barriers mean what they say, wrong ones are refused.

mod remarks;

use expect_test::{Expect, expect};
use gpuc_interp::{Comparison, Order, check_same};
use gpuc_passes::pipelines::{LOWER, PARALLEL};
use remarks::{parse, run};

/// Runs `@main` in order, as code of the grid, and as code of threads.
fn check(text: &str) {
    for stages in [PARALLEL.to_owned(), [PARALLEL, LOWER].join(",")] {
        let (lowered, said) = run(&stages.replace("$arch", "sm_80"), text);
        assert!(!said.contains("error"), "{said}in\n{text}");
        let ((before, before_module), (after, after_module)) = (parse(text), parse(&lowered));
        for (seed, order) in [(1, Order::Forwards), (2, Order::Backwards)] {
            let mut comparison = Comparison::new("main", seed);
            comparison.extent = 300;
            comparison.tolerance = 1e-4;
            comparison.options.order = order;
            check_same((&before, before_module), (&after, after_module), &comparison)
                .unwrap_or_else(|error| panic!("{error}\nin\n{text}\nbecame\n{lowered}"));
        }
    }
}

fn refused(text: &str, expected: Expect) {
    let said = run(&PARALLEL.replace("$arch", "sm_80"), text).1;
    let errors: Vec<&str> = said.lines().skip_while(|line| !line.contains("error")).collect();
    expected.assert_eq(&(errors.join("\n") + "\n"));
}

/// A loop over `trips` of one dimension that triples elements, mapped.
fn one(trips: &str, mapping: &str) -> String {
    format!(
        "func.func @main(%a: memref<300xi32> {{offload.name = \"a\", offload.map = \"copy\"}}) {{
           offload.region parallel {{
             affine.parallel (%i) = {trips} {{
               %x = affine.load %a[%i] : memref<300xi32>
               %y = arith.addi %x, %x : i32
               %z = arith.addi %x, %y : i32
               affine.store %z, %a[%i] : memref<300xi32>
             }} {{mapping = [#offload.map<{mapping}>]}}
           }}
           return
         }}"
    )
}

#[test]
fn ways_to_deal_one_dimension() {
    let trips =
        ["(0) to (0)", "(0) to (1)", "(0) to (37)", "(5) to (300)", "(3) to (300) step (7)"];
    for trips in trips {
        for mapping in [
            "block_x * thread_x(32)",
            "block_x",
            "block_y * thread_y(8)",
            "block_x(3) * thread_x(5), strided",
            "block_x(2) * thread_y(2) * thread_x(4), blocked",
            "thread_x(300)",
            "thread_x(33), strided",
            "thread_z(2) * thread_x(16), blocked",
            "block_x * lane",
            "lane, strided",
            "sequential",
        ] {
            check(&one(trips, mapping));
        }
    }
}

#[test]
fn ways_to_deal_several_dimensions() {
    for (n, m) in [(0, 5), (1, 1), (7, 40), (33, 9)] {
        for mapping in [
            "#offload.map<block_y>, #offload.map<block_x * thread_x(32)>",
            "#offload.map<block_y * thread_y(4)>, #offload.map<block_x * thread_x(8)>",
            "#offload.map<block_x * thread_x(16), strided, dims = 2>",
            "#offload.map<block_x * thread_x(16), dims = 2>",
            "#offload.map<sequential>, #offload.map<block_x(2) * thread_x(16), strided>",
            "#offload.map<thread_y(3), strided>, #offload.map<thread_x(5), blocked>",
            "#gpu.loop_dim_map<processor = block_y, map = (d0) -> (d0), bound = (d0) -> (d0)>, \
             #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>",
        ] {
            check(&format!(
                "func.func @main(%a: memref<40x40xi32> {{offload.name = \"a\", offload.map = \"copy\"}}) {{
                   offload.region parallel {{
                     affine.parallel (%i, %j) = (0, 0) to ({n}, {m}) {{
                       %x = affine.load %a[%i, %j] : memref<40x40xi32>
                       %y = arith.addi %x, %x : i32
                       affine.store %y, %a[%i, %j] : memref<40x40xi32>
                     }} {{mapping = [{mapping}]}}
                   }}
                   return
                 }}"
            ));
        }
    }
}

/// Loops of a kernel over different axes of the block: what one leaves out, the first along it does.
#[test]
fn loops_over_some_axes() {
    for (fill, read) in [
        ("thread_x(20), strided", "thread_y(4)>, #offload.map<thread_x(8)"),
        ("thread_x(32)", "thread_y(4)>, #offload.map<thread_x(8)"),
        ("thread_x(7), blocked", "thread_z(2), strided>, #offload.map<thread_y(8)"),
        ("thread_y(5), strided", "sequential>, #offload.map<thread_x(8)"),
    ] {
        check(&format!(
            "func.func @main(%a: memref<64xi32> {{offload.name = \"a\", offload.map = \"copy\"}}) {{
               offload.region parallel {{
                 affine.parallel (%b) = (0) to (64) step (32) {{
                   %t = memref.alloca() : memref<40xi32, {WORKGROUP}>
                   affine.parallel (%x) = (0) to (32) {{
                     %v = affine.load %a[%b + %x] : memref<64xi32>
                     affine.store %v, %t[%x] : memref<40xi32, {WORKGROUP}>
                   }} {{mapping = [#offload.map<{fill}>]}}
                   gpu.barrier
                   affine.parallel (%y, %x) = (0, 0) to (4, 8) {{
                     %v = affine.load %t[%y * 8 + %x] : memref<40xi32, {WORKGROUP}>
                     affine.store %v, %a[%b - %y * 8 - %x + 31] : memref<64xi32>
                   }} {{mapping = [#offload.map<{read}>]}}
                   gpu.barrier
                 }} {{mapping = [#offload.map<block_x>]}}
               }}
               return
             }}"
        ));
    }
}

#[test]
fn sums_over_every_axis() {
    for mapping in [
        "block_x * thread_x(32), strided",
        "block_x(5) * thread_x(7), strided",
        "block_x(2) * thread_y(3) * thread_x(4), blocked",
        "block_x(3), strided",
        "thread_x(48), strided",
        "thread_y(2) * thread_x(24), strided",
    ] {
        for trips in [0, 1, 37, 300] {
            check(&format!(
                "func.func @main(%a: memref<300xi32> {{offload.name = \"a\", offload.map = \"copyin\"}}, \
                                 %s: memref<i32> {{offload.name = \"s\", offload.map = \"copy\"}}) {{
                   offload.region parallel {{
                     %sum = affine.parallel (%i) = (0) to ({trips}) reduce (\"addi\") -> (i32) {{
                       %x = affine.load %a[%i] : memref<300xi32>
                       affine.yield %x : i32
                     }} {{mapping = [#offload.map<{mapping}>]}}
                     %old = memref.load %s[] : memref<i32>
                     %new = arith.addi %old, %sum : i32
                     memref.store %new, %s[] : memref<i32>
                   }}
                   return
                 }}"
            ));
        }
    }
}

const WORKGROUP: &str = "#gpu.address_space<workgroup>";
const THREADS: &str = "{mapping = [#offload.map<thread_y(T)>, #offload.map<thread_x(T)>]}";

/// A product of `n` by `n` matrices in tiles, its loops over threads between barriers; what a thread
/// sums up is an array indexed by the thread.
fn tiled(n: usize, tile: usize) -> String {
    format!(
        "func.func @main(%a: memref<NxNxf32> {{offload.name = \"a\", offload.map = \"copyin\"}}, \
             %b: memref<NxNxf32> {{offload.name = \"b\", offload.map = \"copyin\"}}, \
             %c: memref<NxNxf32> {{offload.name = \"c\", offload.map = \"copyout\"}}) {{
           %z = arith.constant 0.0 : f32
           offload.region parallel {{
             affine.parallel (%i, %j) = (0, 0) to (N, N) step (T, T) {{
               %ta = memref.alloca() : memref<TxTxf32, {WORKGROUP}>
               %tb = memref.alloca() : memref<TxTxf32, {WORKGROUP}>
               %acc = memref.alloca() : memref<TxTxf32>
               affine.parallel (%y, %x) = (0, 0) to (T, T) {{
                 affine.store %z, %acc[%y, %x] : memref<TxTxf32>
               }} {THREADS}
               affine.for %k = 0 to N step T {{
                 affine.parallel (%y, %x) = (0, 0) to (T, T) {{
                   %inA = affine.if affine_set<(d0, d1, d2, d3) : (N - 1 - d0 - d1 >= 0, N - 1 - d2 - d3 >= 0)>(%i, %y, %k, %x) -> f32 {{
                     %v = affine.load %a[%i + %y, %k + %x] : memref<NxNxf32>
                     affine.yield %v : f32
                   }} else {{
                     affine.yield %z : f32
                   }}
                   affine.store %inA, %ta[%y, %x] : memref<TxTxf32, {WORKGROUP}>
                   %inB = affine.if affine_set<(d0, d1, d2, d3) : (N - 1 - d0 - d1 >= 0, N - 1 - d2 - d3 >= 0)>(%k, %y, %j, %x) -> f32 {{
                     %v = affine.load %b[%k + %y, %j + %x] : memref<NxNxf32>
                     affine.yield %v : f32
                   }} else {{
                     affine.yield %z : f32
                   }}
                   affine.store %inB, %tb[%y, %x] : memref<TxTxf32, {WORKGROUP}>
                 }} {THREADS}
                 BARRIER
                 affine.parallel (%y, %x) = (0, 0) to (T, T) {{
                   affine.for %l = 0 to T {{
                     %va = affine.load %ta[%y, %l] : memref<TxTxf32, {WORKGROUP}>
                     %vb = affine.load %tb[%l, %x] : memref<TxTxf32, {WORKGROUP}>
                     %s = affine.load %acc[%y, %x] : memref<TxTxf32>
                     %p = arith.mulf %va, %vb : f32
                     %r = arith.addf %s, %p : f32
                     affine.store %r, %acc[%y, %x] : memref<TxTxf32>
                   }}
                 }} {THREADS}
                 BARRIER
               }}
               affine.parallel (%y, %x) = (0, 0) to (T, T) {{
                 affine.if affine_set<(d0, d1, d2, d3) : (N - 1 - d0 - d1 >= 0, N - 1 - d2 - d3 >= 0)>(%i, %y, %j, %x) {{
                   %s = affine.load %acc[%y, %x] : memref<TxTxf32>
                   affine.store %s, %c[%i + %y, %j + %x] : memref<NxNxf32>
                 }}
               }} {THREADS}
             }} {{mapping = [#offload.map<block_y>, #offload.map<block_x>]}}
           }}
           return
         }}"
    )
    .replace("Nx", &format!("{n}x"))
    .replace("(N", &format!("({n}"))
    .replace(" N)", &format!(" {n})"))
    .replace(" N ", &format!(" {n} "))
    .replace("Tx", &format!("{tile}x"))
    .replace("(T)", &format!("({tile})"))
    .replace("(T, T)", &format!("({tile}, {tile})"))
    .replace("step T", &format!("step {tile}"))
    .replace("to T ", &format!("to {tile} "))
}

#[test]
fn tiles_with_barriers_between_loops_over_threads() {
    for (n, tile) in [(8, 4), (7, 4), (1, 4), (9, 3)] {
        check(&tiled(n, tile).replace("BARRIER", "gpu.barrier"));
        // Distribution puts them where they lack.
        check(&tiled(n, tile).replace("BARRIER", ""));
    }
}

/// The tiled nest becomes what one writes by hand: two barriers a tile, the sum in a register.
#[test]
fn a_tiled_nest_becomes_the_kernel_one_writes() {
    let text = tiled(64, 16).replace("BARRIER", "gpu.barrier");
    let stages =
        format!("{PARALLEL},lower-affine,canonicalize,cse,distribute,mem2reg,canonicalize,cse");
    let (lowered, _) = run(&stages.replace("$arch", "sm_80"), &text);
    assert_eq!(lowered.matches("gpu.barrier").count(), 2, "{lowered}");
    assert_eq!(lowered.matches("memref.alloca").count(), 0, "{lowered}");
    assert!(lowered.contains("workgroup(%arg3 : memref<16x16xf32"), "{lowered}");
    assert!(lowered.contains("iter_args"), "{lowered}");
}

/// A reversal in memory of the block, its barrier inside the loop over threads.
fn reversal(trips: usize, threads: usize, barrier: &str, subscript: &str) -> String {
    format!(
        "func.func @main(%n: index, %a: memref<64xi32> {{offload.name = \"a\", offload.map = \"copy\"}}) {{
           offload.region parallel {{
             affine.parallel (%b) = (0) to (1) {{
               %t = memref.alloca() : memref<64xi32, {WORKGROUP}>
               affine.parallel (%i) = (0) to ({trips}) {{
                 %x = affine.load %a[%i] : memref<64xi32>
                 affine.store %x, %t[%i] : memref<64xi32, {WORKGROUP}>
                 {barrier}
                 %y = affine.load %t[{subscript}] : memref<64xi32, {WORKGROUP}>
                 affine.store %y, %a[%i] : memref<64xi32>
               }} {{mapping = [#offload.map<thread_x({threads})>]}}
             }} {{mapping = [#offload.map<block_x>]}}
           }}
           return
         }}"
    )
}

#[test]
fn barriers_inside_loops_over_threads() {
    check(&reversal(64, 64, "gpu.barrier", "63 - %i"));
    // What they mean: a reversal.
    let text = reversal(64, 64, "gpu.barrier", "63 - %i");
    let plain = "func.func @main(%n: index, %a: memref<64xi32>) {
        affine.for %i = 0 to 32 {
          %x = affine.load %a[%i] : memref<64xi32>
          %y = affine.load %a[63 - %i] : memref<64xi32>
          affine.store %y, %a[%i] : memref<64xi32>
          affine.store %x, %a[63 - %i] : memref<64xi32>
        }
        return
      }";
    let ((before, before_module), (after, after_module)) = (parse(plain), parse(&text));
    check_same((&before, before_module), (&after, after_module), &Comparison::new("main", 3))
        .unwrap_or_else(|error| panic!("{error}"));
}

/// A barrier names the loops that it synchronises, and no rewriting makes it another loop's.
#[test]
fn barriers_that_name_their_loop() {
    check(&reversal(64, 64, "gpu.barrier synchronizes (%i)", "63 - %i"));
    refused(
        &reversal(64, 64, "gpu.barrier synchronizes (%b)", "63 - %i"),
        expect![[r#"
            8: error: a barrier names what is no variable of a loop over threads around it
                name one variable or more of each loop over threads round the barrier, and nothing else
        "#]],
    );
    refused(
        &reversal(
            64,
            64,
            "%c = arith.addi %i, %n : index\ngpu.barrier synchronizes (%c)",
            "63 - %i",
        ),
        expect![[r#"
            9: error: a barrier names what is no variable of a loop over threads around it
                name one variable or more of each loop over threads round the barrier, and nothing else
        "#]],
    );
    // One of two loops over threads round it.
    let inside = "affine.parallel (%j) = (0) to (1) {
                    gpu.barrier synchronizes (%i)
                  } {mapping = [#offload.map<thread_y(1)>]}";
    refused(
        &reversal(64, 64, inside, "63 - %i"),
        expect![[r#"
        9: error: a barrier stands in a loop over threads that it does not name
            name one variable or more of each loop over threads round the barrier, and nothing else
    "#]],
    );
    check(&reversal(64, 64, &inside.replace("(%i)", "(%i, %j)"), "63 - %i"));
}

#[test]
fn barriers_that_not_all_reach() {
    refused(
        &reversal(60, 64, "gpu.barrier", "59 - %i"),
        expect![[r#"
        8: error: not every thread of the block reaches this barrier equally often
            map the loop over threads exactly, with as many threads as iterations, or put the barrier between two loops over threads
    "#]],
    );
    refused(
        &reversal(
            64,
            64,
            "affine.if affine_set<(d0) : (31 - d0 >= 0)>(%i) {\ngpu.barrier\n}",
            "63 - %i",
        ),
        expect![[r#"
            9: error: a barrier in control that differs between threads of the block
                move the barrier out of it: threads that do not come would be waited for for ever
        "#]],
    );
    refused(
        &reversal(
            64,
            64,
            "affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {\ngpu.barrier\n}",
            "63 - %i",
        ),
        expect![[r#"
            9: error: a barrier in control that differs between threads of the block
                move the barrier out of it: threads that do not come would be waited for for ever
        "#]],
    );
    refused(
        &reversal(64, 32, "gpu.barrier", "63 - %i")
            .replace("thread_x(32)", "thread_x(32), strided"),
        expect![[r#"
            8: error: not every thread of the block reaches this barrier equally often
                map the loop over threads exactly, with as many threads as iterations, or put the barrier between two loops over threads
        "#]],
    );
}

/// Every thread of a block comes to the barrier, equally often, or it is refused.
#[test]
fn barriers_that_all_reach() {
    let said = |variables: &str, trips: &str, mapping: &str, inside: &str| {
        let text = format!(
            "func.func @main(%n: index, %a: memref<64xi32> {{offload.name = \"a\", offload.map = \"copy\"}}) {{
               offload.region parallel {{
                 %m = memref.load %a[%n] : memref<64xi32>
                 %many = arith.index_cast %m : i32 to index
                 affine.parallel ({variables}) = (0, 0) to ({trips}) {{
                   {inside}
                 }} {{mapping = [{mapping}]}}
               }}
               return
             }}"
        );
        let text = match variables.contains(',') {
            true => text,
            false => text.replace("(0, 0)", "(0)"),
        };
        run(&PARALLEL.replace("$arch", "sm_80"), &text).1
    };
    let (map, block, thread) =
        ("#offload.map", "#offload.map<block_x>", "#offload.map<thread_x(32)>");
    let rows = format!("{map}<thread_y(4)>, {map}<thread_x(16)>");
    let strided = format!("{map}<thread_y(2), strided>, {map}<thread_x(16)>");
    let of_blocks = "affine.if affine_set<(d0) : (2 - d0 >= 0)>(%i) { gpu.barrier }";
    let of_threads = of_blocks.replace("%i", "%j");
    let until = |end: &str| format!("affine.for %k = 0 to {end} {{ gpu.barrier }}");
    let as_long_as = "%r = scf.while (%k = %many) : (index) -> index {
        %more = arith.cmpi sgt, %k, %n : index
        scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
        gpu.barrier
        scf.yield %n : index
    }";
    let two = format!("{block}, {thread}");
    for (variables, trips, mapping, inside, is_right) in [
        // Several dimensions of threads, of which one alone leaves some out.
        ("%i, %j", "4, 16", rows.as_str(), "gpu.barrier", true),
        ("%i, %j", "3, 16", &rows, "gpu.barrier", false),
        ("%i, %j", "4, 15", &rows, "gpu.barrier", false),
        ("%i, %j", "%many, 16", &rows, "gpu.barrier", false),
        ("%i, %j", "4, 16", &strided, "gpu.barrier", false),
        // Blocks and threads of one loop: full ones, and one that is not.
        ("%i", "64", &format!("{map}<block_x * thread_x(32)>"), "gpu.barrier", true),
        ("%i", "60", &format!("{map}<block_x * thread_x(32)>"), "gpu.barrier", false),
        ("%i", "%many", &format!("{map}<block_x * thread_x(32)>"), "gpu.barrier", false),
        ("%i", "64", &format!("{map}<block_x(2) * thread_x(32), strided>"), "gpu.barrier", false),
        // Of two dimensions, the one over blocks is the same for all threads of one.
        ("%i, %j", "4, 32", &two, of_blocks, true),
        ("%i, %j", "4, 32", &two, &of_threads, false),
        ("%i, %j", "4, 32", &two, &until("affine_map<(d0) -> (d0)>(%i)"), true),
        ("%i, %j", "4, 32", &two, &until("affine_map<(d0) -> (d0)>(%j)"), false),
        ("%i, %j", "4, 32", &two, &until("%n"), true),
        // A loop that nobody counts.
        ("%i, %j", "4, 32", &two, as_long_as, false),
    ] {
        let said = said(variables, trips, mapping, inside);
        assert!(is_right != said.contains("error"), "{trips} {mapping}\n{inside}\n{said}");
    }
}

#[test]
fn races_on_memory_of_the_block() {
    let races = |text: &str, expected: &str| {
        let said = run(&PARALLEL.replace("$arch", "sm_80"), text).1;
        assert!(said.contains(expected), "{said}");
    };
    // Write, then read of another thread's element.
    races(
        &reversal(64, 64, "", "63 - %i"),
        "9: error: threads race: thread (63) writes element [63] of a local variable, thread (0) reads it",
    );
    // Write after write.
    let twice = format!("affine.store %x, %t[63 - %i] : memref<64xi32, {WORKGROUP}>\ngpu.barrier");
    races(
        &reversal(64, 64, &twice, "%i"),
        "8: error: threads race: thread (63) writes element [63] of a local variable, thread (0) writes it",
    );
    // All threads write one element.
    races(
        &reversal(64, 64, "gpu.barrier", "0").replace("%t[%i]", "%t[0]"),
        "7: error: threads race: thread (0) writes element [0] of a local variable, thread (1) writes it",
    );
    // Across the turn of a loop: the read of one round and the write of the next.
    let turn = format!(
        "affine.for %k = 0 to 4 {{
        affine.store %x, %t[%i] : memref<64xi32, {WORKGROUP}>
        gpu.barrier
        %u = affine.load %t[63 - %i] : memref<64xi32, {WORKGROUP}>
        affine.store %u, %a[%i] : memref<64xi32>
      }}
      gpu.barrier"
    );
    races(
        &reversal(64, 64, &turn, "%i"),
        "9: error: threads race: thread (63) reads element [0] of a local variable, thread (0) writes it",
    );
    // What several threads read, one of them writes: also the one that is the first to read it.
    let first = format!(
        "%z = affine.load %t[0] : memref<64xi32, {WORKGROUP}>\naffine.store %z, %a[%i] : memref<64xi32>"
    );
    races(
        &reversal(64, 64, "gpu.barrier", "%i").replacen(
            "%x = affine.load",
            &format!("{first}\n%x = affine.load"),
            1,
        ),
        "thread (1) reads element [0] of a local variable, thread (0) writes it",
    );
    // A loop that is known to run holds its barrier against what stands round it.
    let waits = "affine.for %k = 0 to 3 {\ngpu.barrier\n}";
    let said = run(&PARALLEL.replace("$arch", "sm_80"), &reversal(64, 64, waits, "63 - %i")).1;
    assert!(!said.contains("error"), "{said}");
    // Turns of many loops round each other take no longer than one walk.
    let deep =
        (0..24).fold(turn.clone(), |body, k| format!("affine.for %d{k} = 0 to 2 {{\n{body}\n}}"));
    races(&reversal(64, 64, &deep, "%i"), "thread (63) reads element [0] of a local variable");
    // With a barrier at the end of the round it is right.
    let separated = turn.replacen("affine.store %u", "gpu.barrier\naffine.store %u", 1);
    let said = run(&PARALLEL.replace("$arch", "sm_80"), &reversal(64, 64, &separated, "%i")).1;
    assert!(!said.contains("error"), "{said}");
}

/// Conditions are answered for each thread and each round; one that is not known, and the same for all
/// threads, holds or fails for all that stands under it.
#[test]
fn races_under_conditions() {
    let said = |inside: &str, subscript: &str| {
        // Four blocks, so that a loop over them stays; what `inside` says comes between write and read.
        let text = reversal(64, 64, inside, subscript).replace("= (0) to (1)", "= (0) to (4)");
        run(&PARALLEL.replace("$arch", "sm_80"), &text).1
    };
    let store = |condition: &str, subscript: &str| {
        format!(
            "gpu.barrier
             affine.if {condition} {{
               affine.store %x, %t[{subscript}] : memref<64xi32, {WORKGROUP}>
             }}"
        )
    };
    let turn = |inside: &str| {
        format!(
            "gpu.barrier
             affine.for %k = 0 to 4 {{
               {inside}
               affine.store %x, %t[%i] : memref<64xi32, {WORKGROUP}>
               gpu.barrier
               %u = affine.load %t[63 - %i] : memref<64xi32, {WORKGROUP}>
               affine.store %u, %a[%i] : memref<64xi32>
             }}
             gpu.barrier"
        )
    };
    let wait = |condition: &str| format!("affine.if {condition} {{ gpu.barrier }}");
    let scf = |condition: &str, then: &str| {
        format!("%c = arith.cmpi {condition} : index\nscf.if %c {{ {then} }}")
    };
    let here = format!("affine.store %x, %t[5] : memref<64xi32, {WORKGROUP}>");
    let both = |condition: &str| {
        let (one, other) = (store(condition, "%i"), store(condition, "63 - %i"));
        format!("{one}\n{}\ngpu.barrier", other.replace("gpu.barrier", ""))
    };
    let later = "affine.for %k = 0 to 3 {
                   gpu.barrier
                   affine.store %x, %t[(%i + %k) mod 64] : memref<64xi32, #gpu.address_space<workgroup>>
                 }";
    for (inside, subscript, races) in [
        // Two threads of those that a condition lets in, and one alone.
        (
            store("affine_set<(d0) : (d0 - 62 >= 0)>(%i)", "0"),
            "0",
            Some("thread (62) writes element [0] of a local variable, thread (63) writes"),
        ),
        (store("affine_set<(d0) : (d0 - 63 >= 0)>(%i)", "63"), "%i", None),
        (store("affine_set<(d0) : (d0 mod 32 == 0)>(%i)", "7"), "%i", Some("(32)")),
        (format!("{}\ngpu.barrier", scf("ult, %i, %n", "")), "%i", None),
        // Unknown numbers: a condition that may let in one thread only, and one that lets in all.
        (
            format!("%m = arith.cmpi slt, %i, %n : index\nscf.if %m {{ {here} }}\ngpu.barrier"),
            "%i",
            None,
        ),
        (format!("gpu.barrier\n{}\ngpu.barrier", scf("slt, %b, %n", &here)), "%i", Some("[5]")),
        // Both under the same condition, and under opposite ones.
        (both("affine_set<()[s0] : (s0 - 5 >= 0)>()[%n]"), "%i", Some("[63]")),
        (
            format!(
                "gpu.barrier\n%c = arith.cmpi slt, %b, %n : index\nscf.if %c {{
                   affine.store %x, %t[%i] : memref<64xi32, {WORKGROUP}>
                 }} else {{
                   affine.store %x, %t[63 - %i] : memref<64xi32, {WORKGROUP}>
                 }}\ngpu.barrier"
            ),
            "%i",
            None,
        ),
        // A barrier under a condition on the round: in all rounds but the first, in too few, in one that is not known.
        (turn(&wait("affine_set<(d0) : (d0 - 1 >= 0)>(%k)")), "%i", None),
        (turn(&wait("affine_set<(d0) : (d0 - 2 >= 0)>(%k)")), "%i", Some("no barrier")),
        (turn(&wait("affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%k)[%n]")), "%i", Some("no barrier")),
        (turn(&scf("sgt, %k, %b", "gpu.barrier")), "%i", Some("no barrier")),
        (turn(&scf("sge, %k, %b", "gpu.barrier")), "%i", Some("no barrier")),
        // On the block: in some blocks, and in all of them.
        (wait("affine_set<(d0) : (d0 - 3 >= 0)>(%b)"), "63 - %i", Some("[63]")),
        (wait("affine_set<(d0) : (d0 + 3 >= 0)>(%b)"), "63 - %i", None),
        // One way or the other, but always.
        (
            "%c = arith.cmpi slt, %b, %n : index
             scf.if %c { gpu.barrier }
             scf.if %c { } else { gpu.barrier }"
                .to_owned(),
            "63 - %i",
            None,
        ),
        // What a loop leaves behind its last barrier is of its last round.
        (later.to_owned(), "(%i + 2) mod 64", None),
        (later.to_owned(), "%i", Some("thread (62) writes element [0]")),
        // A loop that nobody knows the end of: in its first round, and in its turn.
        (
            format!("gpu.barrier\naffine.for %k = 0 to %n {{\n{here}\n}}\ngpu.barrier"),
            "%i",
            Some("[5]"),
        ),
        (turn("").replace("0 to 4", "0 to %n"), "%i", Some("thread (63) reads element [0]")),
        (turn("gpu.barrier").replace("0 to 4", "0 to %n"), "%i", None),
    ] {
        let said = said(&inside, subscript);
        match races {
            Some(words) => {
                assert!(said.contains("threads race") && said.contains(words), "{inside}\n{said}")
            }
            None => assert!(!said.contains("error"), "{inside}\n{said}"),
        }
    }
}

/// Elements that a loop round the loop over threads chooses.
#[test]
fn races_by_the_variable_of_a_loop_around() {
    for (subscript, races) in
        [("%k", true), ("%k * 2", true), ("%t", false), ("%t + %k * 0", false)]
    {
        let text = format!(
            "func.func @main(%o: memref<64xi32>) {{
               offload.region parallel {{
                 affine.parallel (%b) = (0) to (64) step (32) {{
                   %tile = memref.alloca() : memref<64xi32, {WORKGROUP}>
                   affine.for %k = 0 to 2 {{
                     affine.parallel (%t) = (0) to (32) {{
                       %v = affine.load %o[%b + %t] : memref<64xi32>
                       affine.store %v, %tile[%t] : memref<64xi32, {WORKGROUP}>
                       %w = affine.load %tile[{subscript}] : memref<64xi32, {WORKGROUP}>
                       affine.store %w, %o[%b + %t] : memref<64xi32>
                     }} {{mapping = [#offload.map<thread_x(32)>]}}
                     gpu.barrier
                   }}
                 }} {{mapping = [#offload.map<block_x>]}}
               }}
               return
             }}"
        );
        let said = run(&PARALLEL.replace("$arch", "sm_80"), &text).1;
        assert_eq!(said.contains("threads race"), races, "{subscript}: {said}");
    }
}

#[test]
fn memory_of_the_block_is_made_by_the_block() {
    let text = reversal(64, 64, "gpu.barrier", "63 - %i");
    let buffer = text.lines().find(|line| line.contains("memref.alloca")).expect("there is one");
    let inside = text
        .replace(&format!("{buffer}\n"), "")
        .replace("%x = affine.load", &format!("{}\n%x = affine.load", buffer.trim()));
    refused(
        &inside,
        expect![[r#"
            5: error: memory of the block is allocated in a loop over its threads
                allocate it in front of the loop, where the code is the block's, or leave `#gpu.address_space<workgroup>` out to have a buffer for each iteration
        "#]],
    );
}

/// Processors are numbered in 64 bits, and what loops count in comes on top.
#[test]
fn more_processors_than_can_be_numbered() {
    let said = |mapping: &str, step: i64| {
        let text =
            one("(0) to (300)", mapping).replace("to (300)", &format!("to (300) step ({step})"));
        run(&PARALLEL.replace("$arch", "sm_80"), &text).1
    };
    let most = "block_y(65535) * block_x(2147483647) * thread_x(1024)";
    let all = format!("block_z(65535) * {most}");
    for (mapping, step, words) in [
        (format!("{most}, strided"), 1, None),
        (
            format!("{all}, blocked"),
            1,
            Some("3: error: '#MAPPING' has more processors than 64 bits number"),
        ),
        (format!("{all}, strided"), 1, Some("'#MAPPING' has more processors than 64 bits number")),
        (all.clone(), 1, Some("'#MAPPING' has more processors than 64 bits number")),
        (format!("{most}, strided"), 64, Some("'#MAPPING', in steps of 64, has more processors")),
    ] {
        let said = said(&mapping, step);
        match words {
            Some(words) => assert!(said.contains(&words.replace("#MAPPING", &mapping)), "{said}"),
            None => assert!(!said.contains("error"), "{said}"),
        }
    }
}

#[test]
fn too_few_processors() {
    let few = |trips: &str, mapping: &str, expected: &str| {
        let said = run(&PARALLEL.replace("$arch", "sm_80"), &one(trips, mapping)).1;
        assert!(said.contains(expected), "{said}");
    };
    few(
        "(0) to (300)",
        "thread_x(299)",
        "3: error: 'thread_x(299)' deals one iteration to a processor, but this loop may have up to 300 iterations for 299 processors",
    );
    few("(0) to (300)", "block_x(4) * thread_x(64)", "up to 300 iterations for 256 processors");
    few("(0) to (300)", "block_x(?)", "for a number of processors that only the launch knows");
}

#[test]
fn sizes_beyond_the_device() {
    refused(
        &one("(0) to (300)", "block_x * thread_x(2048)"),
        expect![[r#"
            3: error: 1 worker of vector length 2048 are 2048 threads; a gang has 1 to 1024
                ask for fewer, or leave the numbers out to have them chosen
        "#]],
    );
    refused(
        &one("(0) to (300)", "thread_z(65) * thread_x(2), strided"),
        expect![[r#"
            3: error: blocks of 2 by 1 by 65 threads have 130, 65 of them deep; a gang has 1 to 1024
                ask for fewer, or leave the numbers out to have them chosen
        "#]],
    );
    refused(
        &one("(0) to (300)", "block_y(70000), strided"),
        expect![[r#"
        3: error: 70000 gangs: a grid has 1 to 65535 blocks in blockIdx.y
            ask for another number, or leave it out to have it chosen
    "#]],
    );
}
