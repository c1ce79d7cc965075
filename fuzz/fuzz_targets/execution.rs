//! Random kernels: the simulator against the evaluator of its tests, the fast way against the general
//! one, one host thread against several.

#![no_main]

use gpuc_arch::Arch;
use gpuc_sim::{Counters, Launch, Module, Simulator};
use libfuzzer_sys::fuzz_target;

#[path = "../../sim/tests/evaluator/mod.rs"]
mod evaluator;

use evaluator::{Kernel, RESULT, Source};

const BLOCKS: usize = 2;

fuzz_target!(|data: &[u8]| {
    let kernel = Kernel::generate(&mut Source(data));
    let want = kernel.evaluate(BLOCKS);
    let text = kernel.ptx();
    let module = Module::parse(&text, "random.ptx").expect("the text is well formed");
    for (counters, threads) in [(Counters::Off, 1), (Counters::Off, 3), (Counters::All, 1)] {
        let device = Simulator::new(Arch::by_name("sm_90").expect("the table holds sm_90"));
        let bytes = want.len() * 4;
        let out = device.alloc(bytes as u64, "out").expect("there is memory");
        let launch = Launch {
            grid: [BLOCKS as u32, 1, 1],
            block: [kernel.threads as u32, 1, 1],
            params: &out.to_le_bytes(),
            counters,
            threads: Some(threads),
            ..Launch::default()
        };
        device.launch(&module, "k", &launch).expect("random kernels are right");
        let mut got = vec![0; bytes];
        device.read(out, &mut got).expect("the buffer is there");
        let got: Vec<u32> =
            got.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect();
        let wrong = (0..want.len()).find(|&at| got[at] != want[at]);
        if let Some(at) = wrong {
            panic!("word {} of thread {}: {text}", at % RESULT, at / RESULT);
        }
    }
});
