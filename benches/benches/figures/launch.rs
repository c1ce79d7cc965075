//! What a launch costs besides the kernel: the way of an empty one through the runtime.

use criterion::Criterion;
use gpuc_benches::cpu_time::CpuTime;
use gpuc_runtime::descriptor::SiteDescriptor;
use gpuc_runtime::embedded::ImageDescriptor;
use gpuc_runtime::{Config, Runtime, Shape, select};

static IMAGE: ImageDescriptor = ImageDescriptor::new(
    c"empty.c",
    ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry empty()\n{\n    ret;\n}\n",
);
static SITE: SiteDescriptor = SiteDescriptor::new(c"empty.c", c"main", 1, c"parallel");

/// Launches on the simulator, one block of one warp.
///
/// # Panics
/// Where the runtime refuses what it must take.
pub fn bench(criterion: &mut Criterion<CpuTime>) {
    let config = Config::read(|name| (name == "GPUC_DEVICE").then(|| "sim".to_owned()))
        .expect("the simulator is a device");
    let executor = select::select(&config).expect("the simulator is always there");
    let runtime = Runtime::new(executor, config);
    let shape =
        Shape { grid: [1; 3], block: [32, 1, 1], dynamic_shared_bytes: 0, cooperative: false };
    let launch = || {
        let launched = runtime.launch(&IMAGE, &SITE, c"empty", &shape, &[]);
        launched.expect("an empty kernel runs");
    };
    // The first one reads the PTX.
    launch();
    criterion.bench_function("launch/empty kernel", |bencher| bencher.iter(launch));
}
