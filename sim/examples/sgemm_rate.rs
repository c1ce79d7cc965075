//! Measures the executor on a naive sgemm: lane instructions per second with counters off and on.
//!
//! `cargo run --release -p gpuc-sim --example sgemm_rate -- [N] [THREADS]`

use std::error::Error;
use std::time::Duration;

use gpuc_arch::Arch;
use gpuc_sim::{Counters, Launch, Module, Simulator};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let n: u32 = args.next().map_or(Ok(512), |text| text.parse())?;
    let threads: usize = args.next().map_or(Ok(1), |text| text.parse())?;
    let module =
        Module::parse(include_str!("../tests/ptx/sgemm.ptx"), "sgemm.ptx").map_err(|errors| {
            errors.into_iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n")
        })?;
    let simulator = Simulator::new(Arch::by_name("sm_80").expect("the table holds sm_80"));
    let bytes = u64::from(n) * u64::from(n) * 4;
    let [a, b, c] = ["a", "b", "c"].map(|label| simulator.alloc(bytes, label));
    let (a, b, c) = (a?, b?, c?);
    let host: Vec<u8> = (0..n * n).flat_map(|i| ((i % 7) as f32).to_le_bytes()).collect();
    simulator.write(a, &host)?;
    simulator.write(b, &host)?;
    let mut params = n.to_le_bytes().to_vec();
    params.extend([0; 4]);
    for pointer in [a, b, c] {
        params.extend(pointer.to_le_bytes());
    }
    // Beside the wall clock the processor time, which a busy machine does not change much.
    let launch = |counters| {
        let launch = Launch {
            grid: [n.div_ceil(32), n.div_ceil(8), 1],
            block: [32, 8, 1],
            params: &params,
            counters,
            threads: Some(threads),
            ..Launch::default()
        };
        let before = processor_time();
        simulator
            .launch(&module, "sgemm", &launch)
            .map(|report| (report, processor_time().saturating_sub(before)))
    };
    let (counted, counted_time) = launch(Counters::All)?;
    let lanes = counted.counters.thread_instructions as f64;
    let rate = |wall: Duration| lanes / wall.as_secs_f64() / 1e9;
    let runs = (0..3)
        .map(|_| launch(Counters::Off).map(|(report, time)| (report.wall, time)))
        .collect::<Result<Vec<_>, _>>()?;
    let (best, best_time) = runs.into_iter().min().unwrap_or_default();
    println!("n = {n}, {threads} threads, {lanes:.3e} lane instructions");
    println!("counters off: {best:?}, {:.2}e9 lane instructions/s", rate(best));
    println!("counters on:  {:?}, {:.2}e9 lane instructions/s", counted.wall, rate(counted.wall));
    if threads == 1 && !best_time.is_zero() {
        println!(
            "per second of processor time: {:.2}e9 off, {:.2}e9 on",
            rate(best_time),
            rate(counted_time)
        );
    }
    for (name, value) in counted.counters.metrics() {
        println!("{name:80} {value}");
    }
    Ok(())
}

/// Processor time of this thread, zero where the host does not say (Linux does).
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
