//! Li et al. 2016: five programs, table 2.

use super::{How, Measured, Paper, Program, Variant};

pub const PAPER: Paper = Paper {
    name: "li",
    title: "Li et al. 2016",
    opening: "\"Pragma Directed Shared Memory Centric Optimizations on GPUs\": speed against a naive kernel. The paper has 3.7 times on \
              average over four devices (fig. 8), and on the GTX 690 2.8 times, 3.6 of mt, gemm and mv, 1.5 of gauss and hotspot (§4.2.2); \
              its other numbers are in plots only.",
    programs: &[
        Program {
            name: "mt",
            sizes: &[4096],
            variants: &[NAIVE, PARTITION, share("in[TB_X][TB_Y]:coalesce"), AUTOMATIC],
            words: "Loads by columns want a sector for each thread. The paper's devices fetch 128 bytes for each; this one 32, and its \
                    second-level cache keeps what neighbouring columns want.",
        },
        Program {
            name: "gemm",
            sizes: &[1024],
            variants: &[NAIVE, PARTITION, share("B[*][TB_X], A[TB_Y][*]:coalesce"), AUTOMATIC],
            words: "The paper's partition (32 by 32, k1 = k2 = 32) moves loads to shared memory; the compiler's has tiles of registers, \
                    which the paper approaches by an ILP factor of 8.",
        },
        Program {
            name: "mv",
            sizes: &[4096],
            variants: &[NAIVE, share("A[TB_X][*]:coalesce"), AUTOMATIC],
            words: "The paper copies rows through shared memory, padded by a column; the compiler gives a row to several threads, so \
                    that loads are in order without a copy.",
        },
        Program {
            name: "gauss",
            sizes: &[2048],
            variants: &[NAIVE, PARTITION, share("in[TB_Y][TB_X]"), AUTOMATIC],
            words: "Of 50 requests of a warp an element half go to the weights, which memory of the block does not touch, and its own loads \
                    cost as much as those of the cache. The compiler gives a thread eight pixels one below the other, with what they have in common \
                    in registers: 10.6 loads an element (the paper's ILP factor does the same behind its copies).",
        },
        Program {
            name: "hotspot",
            sizes: &[2048, 33],
            variants: &[NAIVE, PARTITION, share("now[TB_Y][TB_X], next[TB_Y][TB_X]"), AUTOMATIC],
            words: "33 rounds of two steps, of the paper's 1000 steps. Of one step the caches of today serve the five loads an element at the speed of memory; \
                    shared memory alone only costs. The compiler does several rounds of a tile in one launch (`block-time`), and what is left as it was.",
        },
    ],
    closing,
};

/// One thread for each element.
const NAIVE: Variant = Variant { name: "naive", how: How::Steps, paper: None };
/// The paper's partition.
const PARTITION: Variant = Variant { name: "partition", how: How::Steps, paper: None };
const AUTOMATIC: Variant = Variant { name: "automatic", how: How::Automatic, paper: None };

const fn share(arrays: &'static str) -> Variant {
    Variant { name: "`share`", how: How::Share(arrays), paper: None }
}

fn closing(measured: &[Measured]) -> Result<String, String> {
    let pragmas = measured.iter().flat_map(|each| {
        each.program.variants.iter().filter_map(|variant| match variant.how {
            How::Share(arrays) => Some(format!("{} `share({arrays})`", each.program.name)),
            _ => None,
        })
    });
    let pragmas: Vec<String> = pragmas.collect();
    Ok(format!(
        "*Naive* is one thread an element, neighbours along the inner loop (of mv: a thread a row). *Partition* is shared memory \
         alone, in blocks of 32 by 32 threads, which the paper's analysis chooses (`docs/analyses.md`), written as a plan. *`share`* \
         is the paper's pragma in front of the construct, the one of gemm as the paper has it (fig. 1): {}; what it becomes has several \
         results a thread, in the place of the paper's ILP (`docs/openacc.md`). *Automatic* is what the compiler does with `kernels` alone.\n",
        pragmas.join(", ")
    ))
}
