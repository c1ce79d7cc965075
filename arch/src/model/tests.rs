use super::*;

fn device(name: &str) -> &'static Arch {
    Arch::device(name).unwrap_or_else(|| panic!("{name}"))
}

/// A kernel of one phase, of many blocks.
fn kernel(alone: f64, fill: impl FnOnce(&mut Demand)) -> KernelWork {
    let mut phase = Phase { alone, ..Phase::default() };
    fill(&mut phase.demand);
    KernelWork {
        blocks: 1 << 20,
        threads: 256,
        registers: 32,
        phases: vec![phase],
        ..KernelWork::default()
    }
}

#[test]
fn classes_are_in_order() {
    for (at, class) in OpClass::ALL.into_iter().enumerate() {
        assert_eq!(class as usize, at);
    }
    for (at, resource) in Resource::ALL.into_iter().enumerate() {
        assert_eq!(resource as usize, at);
    }
}

/// Enough independent work of one kind goes as fast as the data sheet says.
#[test]
fn each_resource_reaches_its_peak() {
    for name in Arch::devices() {
        let arch = device(name);
        let warps = f64::from(1 << 20) * 8.0;
        let seconds = |work: &KernelWork| {
            let estimate = arch.price(work);
            let busy = estimate.share(estimate.busiest());
            assert!(busy > 0.95, "{name}: {busy}");
            (estimate.seconds, estimate.bound)
        };
        let fma = kernel(4000.0, |demand| demand.count(OpClass::FloatFma32, 1000.0));
        let (time, bound) = seconds(&fma);
        let rate = warps * 1000.0 * 64.0 / time;
        assert!((rate / arch.peak_f32_flops() - 1.0).abs() < 0.05, "{name}: {rate}");
        if arch.throughput.f32 < 128.0 {
            assert_eq!(bound, Bound::Resource(Resource::Fma), "{name}");
        }
        let stream = kernel(1000.0, |demand| demand.dram_bytes = 1e4);
        let (time, bound) = seconds(&stream);
        assert_eq!(bound, Bound::Resource(Resource::Dram), "{name}");
        let rate = warps * 1e4 / time / 1e9;
        let sustained = f64::from(arch.chip.dram_gbs * arch.chip.dram_sustained);
        assert!((rate / sustained - 1.0).abs() < 0.05, "{name}: {rate}");
    }
}

#[test]
fn little_s_law_bounds_few_warps() {
    let a100 = device("a100-40");
    let load = |registers| {
        let work = KernelWork {
            registers,
            ..kernel(600.0, |demand| {
                demand.count(OpClass::LoadGlobal, 1.0);
                demand.dram_bytes = 128.0;
            })
        };
        a100.price(&work)
    };
    // One load in flight for each warp: bandwidth follows the warps there are.
    let (full, few) = (load(32), load(255));
    assert_eq!(few.occupancy.warps, 8);
    assert_eq!(few.bound, Bound::Latency);
    let in_flight = f64::from(few.occupancy.warps) * 128.0 * 108.0;
    let rate = few.share(Resource::Dram) * a100.chip.dram_bytes_per_clock();
    let life = 600.0 + f64::from(a100.chip.turnover_clocks);
    assert!((rate * life / in_flight - 1.0).abs() < 0.1, "{rate}");
    // Of 64 warps a third is always between two blocks: eight bytes a thread would do.
    assert!((0.7..0.9).contains(&full.share(Resource::Dram)), "{:?}", full.utilization);
}

#[test]
fn waves_tails_and_launches() {
    let v100 = device("v100");
    let work = |blocks| KernelWork {
        blocks,
        ..kernel(1e6, |demand| demand.count(OpClass::FloatFma32, 1e5))
    };
    let clocks = |blocks| v100.price(&work(blocks)).clocks;
    // 8 blocks of 256 threads are resident on each of 80 multiprocessors.
    assert_eq!(v100.price(&work(640)).waves, 1.0);
    assert!((clocks(1280) / clocks(640) - 2.0).abs() < 1e-9);
    // A block more is a wave more.
    let one_more = v100.price(&work(641));
    assert!(one_more.clocks > 1.25 * clocks(640), "{one_more:?}");
    assert!(one_more.tail_clocks > 0.2 * one_more.clocks);
    assert_eq!(v100.price(&work(20)).bound, Bound::Grid);
    let empty = v100.price(&work(0));
    assert_eq!((empty.clocks, empty.bound), (0.0, Bound::Launch));
    assert!((empty.seconds - 2.7e-6).abs() < 1e-9);
    let small = KernelWork { blocks: 1, ..kernel(100.0, |_| ()) };
    assert_eq!(v100.price(&small).bound, Bound::Launch);
    let large = KernelWork { threads: 2048, ..work(10) };
    assert_eq!(v100.price(&large).clocks, 0.0);
}

#[test]
fn barriers_keep_phases_apart() {
    let a100 = device("a100-40");
    let mut load = Phase { alone: 600.0, barriers: 1.0, ..Phase::default() };
    load.demand.count(OpClass::LoadGlobal, 1.0);
    load.demand.lsu_clocks = 10.0;
    let mut compute = Phase { alone: 100.0, barriers: 1.0, ..Phase::default() };
    compute.demand.count(OpClass::FloatFma32, 50.0);
    let work = |threads, phases: &[Phase]| KernelWork {
        blocks: 108 * 64,
        threads,
        registers: 64,
        phases: phases.to_vec(),
        ..KernelWork::default()
    };
    let mut joined = load.clone();
    joined.demand.add(&compute.demand, 1.0);
    joined.alone += compute.alone;
    let price =
        |threads, phases: &[Phase]| a100.price(&work(threads, phases)).clocks / f64::from(threads);
    // With barriers the same work takes longer, the more so the fewer blocks overlap.
    let free = price(1024, &[joined.clone()]);
    let large = price(1024, &[load.clone(), compute.clone()]);
    let small = price(128, &[load, compute]);
    assert!(large > 1.1 * free && small < large, "{free} {small} {large}");
}

#[test]
fn atomics_on_one_line_wait_for_one_another() {
    let h100 = device("h100");
    // A warp's 32 random words of 256, which are 32 sectors in two parts, touch 20.4 sectors; a public study of
    // histograms has 2 additions a clock for the whole chip.
    let (warps, sectors) = (1e8, 32.0 * (1.0 - (31.0f64 / 32.0).powi(32)));
    let clocks = warps * sectors / 2.0 * f64::from(h100.chip.atomics.sector);
    let work = KernelWork { atomic_clocks: clocks, ..kernel(100.0, |_| ()) };
    let estimate = h100.price(&work);
    assert_eq!(estimate.bound, Bound::Atomics);
    assert!(
        (32.0 * warps / estimate.clocks / 2.0 - 1.0).abs() < 0.15,
        "{}",
        32.0 * warps / estimate.clocks
    );
}

/// 2^21 empty blocks take as long as measured on an H100, whatever their size (`chips.rs`), and blocks that
/// work long enough are not held up.
#[test]
fn blocks_start_one_after_another() {
    let h100 = device("h100");
    for threads in [32, 128, 512] {
        let mut work = kernel(10.0, |demand| demand.count(OpClass::IntAdd32, 2.0));
        (work.blocks, work.threads) = (1 << 21, threads);
        let estimate = h100.price(&work);
        assert_eq!(estimate.bound, Bound::Starts, "{threads}");
        assert!((estimate.seconds * 1e6 / 1267.0 - 1.0).abs() < 0.02, "{}", estimate.seconds);
    }
    let long = kernel(4000.0, |demand| demand.count(OpClass::FloatFma32, 1000.0));
    assert_ne!(h100.price(&long).bound, Bound::Starts);
}

#[test]
fn blocks_that_wait_for_each_other_take_less_than_a_launch() {
    let h100 = Arch::by_name("sm_90").unwrap();
    let micros = |barriers: f64, blocks| {
        let work = KernelWork { grid_barriers: barriers, blocks, ..kernel(100.0, |_| ()) };
        h100.price(&work).seconds * 1e6
    };
    let each = micros(1.0, 132) - micros(0.0, 132);
    assert!((1.2..1.6).contains(&each), "{each} us");
    assert!(each < f64::from(h100.chip.launch_us));
    assert!((micros(10.0, 132) - micros(0.0, 132) - 10.0 * each).abs() < 1e-6);
    assert!(micros(1.0, 8) - micros(0.0, 8) < each, "fewer blocks meet sooner");
}
