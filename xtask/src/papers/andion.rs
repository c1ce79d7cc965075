//! Andión et al. 2015: CONV3D and SGEMM, §6 and 7, tables 1, 4 and 5.

use super::run::Figures;
use super::{How, Measured, Paper, Program, Variant};

pub const PAPER: Paper = Paper {
    name: "andion",
    title: "Andión et al. 2015",
    opening: "\"Locality-Aware Automatic Parallelization for GPGPU with OpenHMPP Directives\": speed against the first variant on the GPU, hmpp1, \
              by the averages of tables 4 and 5 on the Tesla S2050, which has caches. On the Tesla S1070, without caches, hmpp2 and hmpp3 of CONV3D are 1.44 and \
              4.81 times as fast, hmpp2 to hmpp4 of SGEMM 1.00, 1.79 and 13.52 times; cuBLAS is 8.28 times as fast as hmpp1 on the S2050, and 14.92 \
              times on the S1070. The paper's sizes are 128 to 768, and 128 to 8192.",
    programs: &[
        Program {
            name: "conv3d",
            sizes: &[256, 256, 256],
            variants: &[
                HOST,
                variant("hmpp1", 1.0),
                variant("hmpp2", 67.47 / 38.74),
                variant("hmpp3", 109.48 / 38.74),
                AUTOMATIC,
                source("openhmpp1"),
                source("openhmpp2"),
                source("openhmpp3"),
            ],
            words: "hmpp1 has a thread for each row and column, which goes over all planes: 65536 threads fill a quarter of this device, so that the compiler's \
                    mapping, a thread for each cell, is faster than the paper's first. hmpp2 is `coarsen`, eight planes a thread with what they have in common in \
                    registers, and more threads than in the paper; hmpp3 is `march`. Shared memory gained most on a device without caches (4.81 times); the caches of \
                    this one serve the rows and columns, and what is left to gain is the traffic of the second-level cache. *Openhmpp1* to *3* are the paper's variants in OpenHMPP: \
                    the second with nine planes in registers by the source, the third with `shared(in)`, which is the compiler's to decide.",
        },
        Program {
            name: "sgemm",
            sizes: &[1024, 1024, 1024],
            variants: &[
                HOST,
                variant("hmpp1", 1.0),
                variant("hmpp2", 51.57 / 58.77),
                variant("hmpp4", 357.38 / 58.77),
                AUTOMATIC,
                source("openhmpp1"),
                source("openhmpp2"),
                source("openhmpp3"),
                source("openhmpp4"),
            ],
            words: "hmpp2 leaves the sums of its rows in memory in the paper, which is why it was no faster; here each row's sum is in a register, and the rows follow \
                    each other. hmpp3, sums in registers without memory of the block, has no step: `coarsen` refuses loops of unknown length. hmpp4 has the slices of both \
                    matrices in memory of the block, the paper those of B; a thread has 32 sums of one column, so that each product costs a load \
                    of A from there. The compiler's tiles are 8 by 8. *Openhmpp1* to *4* are the paper's variants in OpenHMPP: the second and third with 16 rows a thread, in \
                    the third all rounds of that loop written out; the fourth has what the compiler makes of `gridify` and `shared(B)`.",
        },
    ],
    closing,
};

const HOST: Variant = Variant { name: "cpu", how: How::Host, paper: None };
const AUTOMATIC: Variant = Variant { name: "automatic", how: How::Automatic, paper: None };

const fn variant(name: &'static str, paper: f64) -> Variant {
    Variant { name, how: How::Steps, paper: Some(paper) }
}

/// The variant as an OpenHMPP source.
const fn source(name: &'static str) -> Variant {
    Variant { name, how: How::Options, paper: None }
}

/// Table 1: what of the device a variant uses.
struct Features {
    program: &'static str,
    variant: &'static str,
    coalescing: bool,
    registers: bool,
    shared: bool,
}

const fn features(
    program: &'static str,
    variant: &'static str,
    [coalescing, registers, shared]: [bool; 3],
) -> Features {
    Features { program, variant, coalescing, registers, shared }
}

const TABLE_1: [Features; 6] = [
    features("conv3d", "hmpp1", [true, false, false]),
    features("conv3d", "hmpp2", [true, true, false]),
    features("conv3d", "hmpp3", [true, true, true]),
    features("sgemm", "hmpp1", [true, false, false]),
    features("sgemm", "hmpp2", [true, false, false]),
    features("sgemm", "hmpp4", [true, true, true]),
];

/// Sectors of a coalesced load of 4 bytes a thread, at most: one more than 4 where rows do not begin at a sector.
const COALESCED: f64 = 5.3;
/// Loads that registers leave of those of hmpp1, at most.
const LEFT: f64 = 0.8;

fn closing(measured: &[Measured]) -> Result<String, String> {
    let mut text = String::from(
        "What the counters show of table 1 (the command fails where they show something else): loads are *coalesced* where a request asks for \
         at most a sector more than its 128 bytes; *registers* are used where at most 0.8 of the loads of hmpp1 are left, from global memory and from \
         memory of the block together; *shared memory* where it is loaded from at all.\n\n\
         | variant | coalescing | registers | shared memory |\n|---|---|---|---|\n",
    );
    for row in &TABLE_1 {
        let program = measured.iter().find(|each| each.program.name == row.program);
        let program = program.ok_or_else(|| format!("{} did not run", row.program))?;
        let (figures, first) = (program.of(row.variant)?, program.of("hmpp1")?);
        let loads = |figures: &Figures| figures.requests + figures.shared_loads;
        let left = loads(figures) / loads(first);
        let cells = [
            (
                row.coalescing,
                figures.sectors_each() <= COALESCED,
                format!("{:.1} sectors a load", figures.sectors_each()),
            ),
            (row.registers, left <= LEFT, format!("{left:.2} of the loads")),
            (row.shared, figures.shared_loads > 0.0, format!("{} loads", figures.shared_loads)),
        ];
        let name = format!("{}-{}", row.program, row.variant);
        text += &format!("| {name} |");
        for (wanted, seen, words) in cells {
            if wanted != seen {
                return Err(format!("{name} is not as in table 1: {words}"));
            }
            text += &format!(" {} ({words}) |", if wanted { "✓" } else { "–" });
        }
        text += "\n";
    }
    Ok(text)
}
