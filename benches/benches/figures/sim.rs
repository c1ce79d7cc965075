//! The simulator on the kernel that gpuc makes of `examples/sgemm.c`: lane-instructions per second
//! of one core, counters off and on; and how fast it reads PTX.

use criterion::{Criterion, Throughput};
use gpuc_arch::Arch;
use gpuc_benches::cpu_time::CpuTime;
use gpuc_benches::programs::{self, Program};
use gpuc_sim::{Counters, Launch, Module, Simulator};

/// Rows and columns of each matrix.
const SIZE: u32 = 256;

/// A launch of `sgemm_linear` on square matrices, where the order of the sizes does not matter, and
/// with both factors 1, where theirs does not.
struct Sgemm {
    simulator: Simulator,
    module: Module,
    kernel: String,
    params: Vec<u8>,
    block: [u32; 3],
    result: u64,
}

impl Sgemm {
    fn new() -> Sgemm {
        let ptx = Program::read(&programs::example("sgemm")).ptx();
        let module = Module::parse(&ptx, "sgemm.ptx").expect("the simulator reads what gpuc makes");
        let kernel = module.kernels().find(|kernel| kernel.name().starts_with("sgemm_linear"));
        let kernel = kernel.expect("sgemm.c has a function sgemm_linear");
        let simulator = Simulator::new(Arch::by_name("sm_90").expect("a known device"));
        let elements = u64::from(SIZE * SIZE);
        let mut params = vec![0; kernel.param_bytes()];
        let mut pointers = Vec::new();
        for param in kernel.params() {
            let place = &mut params[param.offset..param.offset + param.size];
            if param.size == 8 {
                let pointer =
                    simulator.alloc(4 * elements, &param.name).expect("room for a matrix");
                let ones: Vec<u8> = (0..elements).flat_map(|_| 1f32.to_le_bytes()).collect();
                simulator.write(pointer, &ones).expect("the matrix is there");
                pointers.push(pointer);
                place.copy_from_slice(&pointer.to_le_bytes());
            } else if ptx.contains(&format!(".param .f32 {}", param.name)) {
                place.copy_from_slice(&1f32.to_le_bytes());
            } else {
                place.copy_from_slice(&SIZE.to_le_bytes());
            }
        }
        let block = kernel.required_block().unwrap_or([128, 1, 1]);
        let (kernel, result) = (kernel.name().to_owned(), pointers[pointers.len() - 1]);
        Sgemm { simulator, module, kernel, params, block, result }
    }

    fn run(&self, counters: Counters) -> gpuc_sim::LaunchReport {
        let launch = Launch {
            grid: [(SIZE * SIZE).div_ceil(self.block[0]), 1, 1],
            block: self.block,
            params: &self.params,
            counters,
            threads: Some(1),
            ..Launch::default()
        };
        self.simulator.launch(&self.module, &self.kernel, &launch).expect("the kernel runs")
    }

    /// The lane-instructions of a launch, after a look at its result: 1 + the sum of 256 ones.
    fn lane_instructions(&self) -> u64 {
        let report = self.run(Counters::All);
        let mut bytes = [0; 4];
        self.simulator.read(self.result, &mut bytes).expect("the result is there");
        assert_eq!(f32::from_le_bytes(bytes), (SIZE + 1) as f32, "a wrong product");
        report.counters.thread_instructions_pred_on
    }
}

/// Both ways of counting.
pub fn bench(criterion: &mut Criterion<CpuTime>) {
    let sgemm = Sgemm::new();
    let mut group = criterion.benchmark_group("sim/sgemm");
    group.sample_size(10).throughput(Throughput::Elements(sgemm.lane_instructions()));
    for (name, counters) in [("counters off", Counters::Off), ("counters on", Counters::All)] {
        group.bench_function(name, |bencher| bencher.iter(|| sgemm.run(counters)));
    }
    group.finish();

    // What nvcc makes of eight kernels, two of them unrolled.
    let text = include_str!("../../../sim/tests/ptx/sgemm_ladder.ptx");
    let mut group = criterion.benchmark_group("sim/read");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("ptx", |bencher| {
        bencher.iter(|| Module::parse(text, "sgemm_ladder.ptx").expect("the simulator reads it"));
    });
    group.bench_function("ptx, all kernels decoded", |bencher| {
        bencher.iter(|| Module::parse(text, "sgemm_ladder.ptx").map(|read| read.refusals().len()));
    });
    group.finish();
}
