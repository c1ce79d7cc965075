//! Regions and launches on a device that only counts them.

use std::sync::Arc;

use super::*;
use crate::device::memory_only::MemoryOnly;
use crate::embedded::{CodeDescriptor, KernelDescriptor};
use crate::queue::set_current;
use crate::select::Devices;

static SITE: SiteDescriptor = SiteDescriptor::new(c"a.c", c"main", 3, c"parallel loop");

fn runtime(variables: &'static [(&str, &str)]) -> (Runtime, Arc<MemoryOnly>) {
    let device = Arc::new(MemoryOnly::default());
    let config = Config::read(|name| {
        variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
    });
    let executor = Executor::Devices(Devices::one(Arc::clone(&device) as Arc<dyn Device>));
    (Runtime::new(executor, config.unwrap()), device)
}

const ONE: [u64; 3] = [1, 1, 1];

fn shape(grid: [u64; 3], block: [u64; 3]) -> Shape {
    Shape { grid, block, dynamic_shared_bytes: 0, cooperative: false }
}

/// A clause on a whole array, which every test keeps alive and to itself.
fn clause(host: &mut [u8], kind: u32) -> [DataDescriptor; 1] {
    // SAFETY: a borrowed array; see above.
    [unsafe { DataDescriptor::new(c"a", host.as_mut_ptr().cast(), host.len() as u64, kind) }]
}

#[test]
fn a_region_runs_its_kernels_once_each() {
    let (runtime, device) = runtime(&[]);
    let image = ImageDescriptor::new(c"a.c", "first\nsecond");
    assert_eq!(runtime.region_begin(&image, &SITE, false), Ok(false));
    assert!(image.handle.load(Ordering::Relaxed).is_null());
    assert_eq!(runtime.region_begin(&image, &SITE, true), Ok(true));
    for kernel in [c"first", c"second", c"first"] {
        runtime.launch(&image, &SITE, kernel, &shape(ONE, ONE), &[]).unwrap();
    }
    // A loop without iterations launches nothing.
    runtime.launch(&image, &SITE, c"first", &shape([4, 0, 1], ONE), &[]).unwrap();
    runtime.region_end(&SITE).unwrap();
    assert_eq!(device.launches(), ["first", "second", "first"]);
}

#[test]
fn refused_launches_name_kernel_line_and_limit() {
    let (runtime, device) = runtime(&[]);
    let image = ImageDescriptor::new(c"a.c", "first");
    let error = |kernel: &CStr, grid, block| {
        let error = runtime.launch(&image, &SITE, kernel, &shape(grid, block), &[]).unwrap_err();
        format!("{error} {}", error.help.join(" "))
    };
    assert_eq!(
        error(c"first", [1, 1 << 20, 1], ONE),
        "a.c:3: error: cannot launch kernel `first`: the grid has 1048576 blocks in y, the limit \
         is 65535 "
    );
    assert!(error(c"first", ONE, [0, 1, 1]).contains("the block has no threads"));
    assert_eq!(
        error(c"firts", ONE, ONE),
        "a.c:3: error: the module has no kernel `firts` did you mean `first`?"
    );
    assert!(device.launches().is_empty());
}

#[test]
fn on_the_host_nothing_moves() {
    let config = Config::read(|_| None).unwrap();
    let runtime = Runtime::new(Executor::Host, config);
    let image = ImageDescriptor::new(c"a.c", "first");
    assert_eq!(runtime.region_begin(&image, &SITE, true), Ok(false));
    let mut host = [1u8; 4];
    let mut data = clause(&mut host, 5);
    runtime.data_begin(&SITE, &mut data).unwrap();
    assert_eq!(data[0].device, data[0].host());
    runtime.data_end(&SITE, &mut data).unwrap();
    assert!(runtime.launch(&image, &SITE, c"first", &shape(ONE, ONE), &[]).is_err());
}

#[test]
fn a_thread_may_choose_the_host() {
    let (runtime, _) = runtime(&[]);
    let image = ImageDescriptor::new(c"a.c", "first");
    runtime.select_host(true);
    assert_eq!(runtime.region_begin(&image, &SITE, true), Ok(false));
    let other = std::thread::scope(|scope| {
        scope.spawn(|| runtime.region_begin(&image, &SITE, true)).join().unwrap()
    });
    assert_eq!(other, Ok(true));
    runtime.select_host(false);
    assert_eq!(runtime.region_begin(&image, &SITE, true), Ok(true));
}

#[test]
fn threads_share_the_table() {
    let (runtime, device) = runtime(&[]);
    // One array each, except that the runtime's table is one.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut host = vec![0u8; 256];
                for _ in 0..200 {
                    let mut data = clause(&mut host, 1);
                    runtime.data_begin(&SITE, &mut data).unwrap();
                    runtime.data_end(&SITE, &mut data).unwrap();
                }
            });
        }
    });
    assert_eq!(device.live(), 0);
}

#[test]
fn scratch_and_shutdown_leave_nothing() {
    let (runtime, device) = runtime(&[]);
    let scratch = runtime.device_alloc(&SITE, 100).unwrap();
    runtime.device_free(&SITE, scratch).unwrap();
    runtime.device_free(&SITE, 0).unwrap();
    assert!(runtime.device_free(&SITE, 0x10).is_err());
    let mut host = [1u8; 4];
    let mut data = clause(&mut host, 2);
    runtime.data_enter(&SITE, &mut data).unwrap();
    assert_eq!(device.live(), 1);
    runtime.shutdown(&SITE).unwrap();
    assert_eq!(device.live(), 0);
}

#[test]
fn each_queue_counts_its_blocks_apart() {
    let (runtime, device) = runtime(&[]);
    let first = runtime.tickets(&SITE).unwrap();
    assert_eq!(runtime.tickets(&SITE).unwrap(), first);
    set_current(Queue(1));
    let second = runtime.tickets(&SITE).unwrap();
    assert_ne!(second, first);
    assert_eq!(device.live(), 2);
    set_current(Queue::SYNC);
    assert_eq!(runtime.tickets(&SITE).unwrap(), first);
    runtime.shutdown(&SITE).unwrap();
    assert_eq!(device.live(), 0);
}

#[test]
fn grids_that_wait_are_as_large_as_the_device_runs_at_once() {
    let (runtime, device) = runtime(&[]);
    // Of a text alone nobody says where its parameters stand, which such launches ask for.
    let bare = ImageDescriptor::new(c"a.c", "first");
    assert_eq!(runtime.resident_grid(&bare, &SITE, c"first", 128, 132).unwrap(), (0, 0));
    let shape = Shape { cooperative: true, ..shape(ONE, ONE) };
    let error = runtime.launch(&bare, &SITE, c"first", &shape, &[]).unwrap_err();
    assert!(error.to_string().contains("where its parameters stand"), "{error}");
    let kernels = [KernelDescriptor::new(c"first", c"u64 u32")];
    let codes = [CodeDescriptor::new(c"sm_80", c"first", &kernels)];
    let image = ImageDescriptor::of_codes(c"a.c", &codes);
    let ask =
        |threads, most| runtime.resident_grid(&image, &SITE, c"first", threads, most).unwrap();
    let (word, blocks) = ask(128, 132);
    assert_eq!(blocks, 16);
    assert_eq!(ask(128, 4), (word, 4));
    assert_eq!(ask(4096, 132), (0, 0));
    assert_ne!(runtime.tickets(&SITE).unwrap(), word);
    set_current(Queue(1));
    assert_ne!(ask(128, 132).0, word);
    set_current(Queue::SYNC);
    runtime.launch(&image, &SITE, c"first", &shape, &[0; 12]).unwrap();
    assert_eq!(device.launches(), ["first"]);
    runtime.shutdown(&SITE).unwrap();
    assert_eq!(device.live(), 0);
}

#[test]
fn reports_gather_launches_and_transfers() {
    let (runtime, _) = runtime(&[("GPUC_REPORT", "1")]);
    let image = ImageDescriptor::new(c"a.c", "first");
    let mut host = [1u8; 4];
    let mut data = clause(&mut host, 1);
    runtime.region_begin(&image, &SITE, true).unwrap();
    runtime.data_begin(&SITE, &mut data).unwrap();
    runtime.launch(&image, &SITE, c"first", &shape([2, 1, 1], [64, 1, 1]), &[]).unwrap();
    runtime.data_end(&SITE, &mut data).unwrap();
    let table = runtime.report.as_ref().map(|report| lock(report).table("x", false)).unwrap();
    for expected in [
        "kernel first (a.c:3, main): launches 1, grid [2], block [64], time 5.000 us",
        "a.c:3 a to device: 4 bytes in 1 transfer,",
        "a.c:3 a to host: 4 bytes in 1 transfer,",
    ] {
        assert!(table.contains(expected), "{table}");
    }
}
