//! Random kernels against an evaluator of their own, the fast way and the general one, one host thread
//! and several, with and without checkers.

mod device;
mod evaluator;

use device::{Device, Params, module};
use evaluator::{Kernel, RESULT, Source};
use gpuc_sim::{Checks, Counters, Launch};

const BLOCKS: usize = 3;

/// Numbers of a fixed sequence (splitmix64).
struct Numbers(u64);

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(z ^ z >> 31)
    }
}

fn bytes(seed: u64) -> Vec<u8> {
    Numbers(seed).take(64).flat_map(u64::to_le_bytes).collect()
}

fn run(
    kernel: &Kernel,
    text: &str,
    device: &Device,
    counters: Counters,
    threads: usize,
) -> Vec<u32> {
    let count = BLOCKS * kernel.threads * RESULT;
    let out = device.words("out", &vec![0; count]);
    let launch = Launch {
        grid: [BLOCKS as u32, 1, 1],
        block: [kernel.threads as u32, 1, 1],
        params: &Params::default().ptr(out).0,
        counters,
        threads: Some(threads),
        instruction_budget: Some(10_000_000),
        ..Launch::default()
    };
    if let Err(error) = device.0.launch(&module(text), "k", &launch) {
        panic!("{error}: {:?}\n{text}", error.diagnostic());
    }
    device.read_words(out, count)
}

fn check(seed: u64) {
    let bytes = bytes(seed);
    let kernel = Kernel::generate(&mut Source(&bytes));
    let text = kernel.ptx();
    let want = kernel.evaluate(BLOCKS);
    for (counters, threads) in [(Counters::Off, 1), (Counters::Off, 3), (Counters::All, 2)] {
        let got = run(&kernel, &text, &Device::new(), counters, threads);
        if let Some(at) = (0..want.len()).find(|&i| got[i] != want[i]) {
            let (thread, word) = (at / RESULT, at % RESULT);
            panic!(
                "seed {seed}, {counters:?}, {threads} host threads: word {word} of thread {thread} is {:#x}, not {:#x}\n{text}",
                got[at], want[at]
            );
        }
    }
    // Each thread has its own places, and words change hands between barriers: nothing to be found.
    let device = Device::checked(Checks::ALL);
    assert_eq!(run(&kernel, &text, &device, Counters::Off, 1), want, "seed {seed} under checkers");
    let found = device.0.take_findings();
    assert!(found.is_empty(), "seed {seed}: {found:#?}\n{text}");
}

#[test]
fn kernels_do_what_the_evaluator_says() {
    let count = std::env::var("GPUC_SIM_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    (0..count).for_each(check);
}
