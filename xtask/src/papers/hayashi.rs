//! Hayashi et al. 2019: SP xsolve and OMRIQ, §4.3, tables 6 and 7.

use super::{How, Measured, Paper, Program, Variant};

pub const PAPER: Paper = Paper {
    name: "hayashi",
    title: "Hayashi et al. 2019",
    opening: "\"Performance evaluation of OpenMP's target construct on GPUs\": speed against the original loops in CUDA on a P100, by tables 6 and 7. On a \
              K80 they are 3.78 and 11.25 times for SP (*transformed* and with shared memory), 1.11 and 1.60 times for OMRIQ. SP has 31.8 \
              transactions a load and 7.0 a store in the paper, and 1.9 and 1.0 when transformed. The paper's sizes are 5 × 255 × 256 × 256 and 32768.",
    programs: &[
        Program {
            name: "xsolve",
            sizes: &[254, 254, 64],
            variants: &[
                Variant { name: "original", how: How::Steps, paper: Some(1.0) },
                Variant { name: "transformed", how: How::Steps, paper: Some(40.9 / 12.6) },
                Variant { name: "shared", how: How::Steps, paper: Some(40.9 / 3.5) },
                AUTOMATIC,
            ],
            words: "What of the second loop the paper does not show reads along i here, so that distribution and permutation leave those loads with a sector for each \
                    thread: 23.8 sectors a load (1.9 transactions in the paper). Squares of 32 by 32 in memory of the block make all of them coalesced, \
                    as in the paper's last variant. What the first nest leaves comes back from memory in the second, which the bytes show. \
                    The compiler distributes the nest for the same reason (`nest_sides`), and stages the second half.",
        },
        Program {
            name: "omriq",
            sizes: &[32768, 512],
            variants: &[Variant { name: "original", how: How::Steps, paper: Some(1.0) }, AUTOMATIC],
            words: "All threads of a warp read the same sample, which is one sector of the cache: memory of the block, 1.22 times as fast on the P100, would save requests and no \
                    traffic. No step puts a run of what all threads read there, so that variant is missing. The compiler shares the samples of a voxel among four \
                    lanes, as 32 blocks of 1024 leave most multiprocessors idle.",
        },
    ],
    closing,
};

const AUTOMATIC: Variant = Variant { name: "automatic", how: How::Automatic, paper: None };

/// Sectors of a request of 4 bytes a thread.
const IDEAL: f64 = 4.0;
/// Of the ideal, at most.
const GOAL: f64 = 1.2;

fn closing(measured: &[Measured]) -> Result<String, String> {
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
