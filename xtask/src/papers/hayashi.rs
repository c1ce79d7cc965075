//! Hayashi et al. 2019: the benchmarks of table 1 in OpenACC and in forms of OpenMP, and the hand-written forms of §4.3, tables 6 to 8.

use super::{How, Measured, Paper, Program, Variant};

pub const PAPER: Paper = Paper {
    name: "hayashi",
    title: "Hayashi et al. 2019",
    opening: "\"Performance evaluation of OpenMP's target construct on GPUs\": speed against the original loops in CUDA on a P100, by tables 6 to 8. On a \
              K80 they are 3.78 and 11.25 times for SP (*transformed* and with shared memory), 1.11 and 1.60 times for OMRIQ, \
              1.20 and 3.28 times for MM. SP has 31.8 \
              transactions a load and 7.0 a store in the paper, and 1.9 and 1.0 when transformed. The paper's sizes are 5 × 255 × 256 × 256, 32768, 2048 × 2048, 4194304 options and 67108864 \
              elements.",
    programs: &[
        Program {
            name: "xsolve",
            sizes: &[254, 254, 64],
            variants: &[
                Variant { name: "original", how: How::Steps, paper: Some(1.0) },
                Variant { name: "transformed", how: How::Steps, paper: Some(40.9 / 12.6) },
                Variant { name: "shared", how: How::Steps, paper: Some(40.9 / 3.5) },
                AUTOMATIC,
                OPENACC,
                COMBINED,
                SEPARATE,
            ],
            words: "What of the second loop the paper does not show reads along i here, so that distribution and permutation leave those loads with a sector for each \
                    thread: 23.8 sectors a load (1.9 transactions in the paper). Squares of 32 by 32 in memory of the block make all of them coalesced, \
                    as in the paper's last variant. What the first nest leaves comes back from memory in the second, which the bytes show. \
                    The compiler distributes the nest for the same reason (`nest_sides`), and stages the second half; \
                    loops that a directive tells to be parallel stay as they are (*openacc*, *combined*, *separate*), and cost what the original does.",
        },
        Program {
            name: "omriq",
            sizes: &[32768, 512],
            variants: &[
                Variant { name: "original", how: How::Steps, paper: Some(1.0) },
                AUTOMATIC,
                OPENACC,
                COMBINED,
                SEPARATE,
            ],
            words: "All threads of a warp read the same sample, which is one sector of the cache: memory of the block, 1.22 times as fast on the P100, would save requests and no \
                    traffic. No step puts a run of what all threads read there, so that variant is missing. The compiler shares the samples of a voxel among four \
                    lanes, as 32 blocks of 1024 leave most multiprocessors idle.",
        },
        Program {
            name: "mm",
            sizes: &[1024],
            variants: &[
                Variant { name: "original", how: How::Steps, paper: Some(1.0) },
                Variant { name: "shared", how: How::Steps, paper: Some(74.7 / 8.6) },
                AUTOMATIC,
                OPENACC,
                COMBINED,
                SEPARATE,
            ],
            words: "One loop over all results, which takes its variable apart into row and column: two loops to the compiler (`unflatten-loops`), also where a \
                    directive tells it to be parallel, so that all forms are tiled. *Shared* are the tiles of the hand-written product.",
        },
        Program {
            name: "blackscholes",
            sizes: &[1_048_576],
            variants: FORMS,
            words: "`exp`, `log` and `sqrt` of doubles between floats are those of floats (§4.2.3).",
        },
        Program {
            name: "vecadd",
            sizes: &[4_194_304],
            variants: FORMS,
            words: "Numbers of blocks and threads are all that the kernel asks for: no run-time call is left of the constructs (table 2).",
        },
        Program {
            name: "saxpy",
            sizes: &[4_194_304],
            variants: FORMS,
            words: "As VecAdd, with one fused instruction in place of two (§4.2.6).",
        },
    ],
    closing,
};

const AUTOMATIC: Variant = Variant { name: "automatic", how: How::Automatic, paper: None };
const OPENACC: Variant = Variant { name: "openacc", how: How::Options, paper: None };
const COMBINED: Variant = Variant { name: "combined", how: How::Options, paper: None };
const SEPARATE: Variant = Variant { name: "separate", how: How::Options, paper: None };
const FORMS: &[Variant] = &[AUTOMATIC, OPENACC, COMBINED, SEPARATE];

/// Sectors of a request of 4 bytes a thread.
const IDEAL: f64 = 4.0;
/// Of the ideal, at most.
const GOAL: f64 = 1.2;

/// Combined and separate constructs are so far apart at most.
const APART: f64 = 0.03;

fn closing(measured: &[Measured]) -> Result<String, String> {
    Ok(sectors_of_xsolve(measured)? + "\n" + &forms(measured)?)
}

/// The same loops in OpenACC and in both forms of OpenMP.
fn forms(measured: &[Measured]) -> Result<String, String> {
    let mut text = String::from(
        "*Openacc*, *combined* and *separate* are the same loops in words of OpenACC (`parallel loop`), in a combined construct of OpenMP and in separate ones (listings 1 and \
         8 of the paper; `target teams distribute` and `parallel for` are the combined form of xsolve). The command fails where a form of OpenMP has more instructions or \
         sectors than that of OpenACC, and where its two forms are more than 3 % apart; in the paper up to 10 times.\n\n\
         | program | instructions: OpenACC | combined | separate | sectors: OpenACC | combined | separate |\n|---|---|---|---|---|---|---|\n",
    );
    for each in measured {
        let forms = [each.of("openacc")?, each.of("combined")?, each.of("separate")?];
        let instructions = forms.map(|figures| figures.instructions);
        let sectors = forms.map(|figures| figures.sectors + figures.store_sectors);
        let name = each.program.name;
        for [openacc, combined, separate] in [instructions, sectors] {
            if combined.max(separate) > openacc || (combined - separate).abs() > APART * combined {
                return Err(format!("{name}: OpenACC {openacc}, OpenMP {combined} and {separate}"));
            }
        }
        let seconds = forms.map(|figures| figures.seconds);
        if (seconds[1] - seconds[2]).abs() > APART * seconds[1] {
            return Err(format!("{name}: {} and {} seconds", seconds[1], seconds[2]));
        }
        let cells: Vec<String> =
            instructions.iter().chain(&sectors).map(|figure| figure.to_string()).collect();
        text += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    Ok(text)
}

fn sectors_of_xsolve(measured: &[Measured]) -> Result<String, String> {
    let sweep = measured.iter().find(|each| each.program.name == "xsolve");
    let sweep = sweep.ok_or("xsolve did not run")?;
    let mut text = String::from(
        "Sectors a request of xsolve, against the 4 of 128 bytes (goal: 1.2 times at most):\n\n\
         | variant | loads | stores | both |\n|---|---|---|---|\n",
    );
    for (variant, figures) in &sweep.rows {
        let both = (figures.sectors + figures.store_sectors)
            / (figures.requests + figures.store_requests).max(1.0);
        let each = [figures.sectors_each(), figures.store_sectors_each(), both];
        let [loads, stores, both] = each.map(|sectors| format!("{:.2}", sectors / IDEAL));
        text += &format!("| {} | {loads} | {stores} | {both} |\n", variant.name);
        if variant.name == "shared" && each[2] > GOAL * IDEAL {
            return Err(format!("xsolve shared has {both} times the ideal sectors"));
        }
    }
    Ok(text)
}
