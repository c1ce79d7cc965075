//! One suite for every device: the simulator always, the GPU where there is one.

use gpuc_arch::Arch;
use gpuc_runtime::device::cuda::{CudaDevice, CudaSettings};
use gpuc_runtime::device::sim::{SimDevice, SimSettings};
use gpuc_runtime::device::{
    Device, DeviceError, DeviceKind, ErrorCode, EventId, KernelId, LaunchRequest, ModuleId, Queue,
};

/// `scale` multiplies `n` integers in place; `reverse` reverses a block through shared memory.
const PTX: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 n, .param .u32 factor)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [factor];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p, %r6, %r1;
  @%p bra $done;
  mul.wide.u32 %d2, %r6, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r7, [%d3];
  mul.lo.s32 %r7, %r7, %r2;
  st.global.u32 [%d3], %r7;
$done:
  ret;
}
.visible .entry reverse(.param .u64 data)
{
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.s32 %r3, %r3, %r4;
  st.shared.u32 [%r3], %r2;
  bar.sync 0;
  mov.u32 %r5, tile;
  sub.s32 %r4, 252, %r4;
  add.s32 %r5, %r5, %r4;
  ld.shared.u32 %r2, [%r5];
  st.global.u32 [%d3], %r2;
  ret;
}
"#;

fn devices() -> Vec<Box<dyn Device>> {
    let mut devices: Vec<Box<dyn Device>> =
        vec![Box::new(SimDevice::new(Arch::by_name("sm_90").unwrap()))];
    match CudaDevice::count().and_then(|_| CudaDevice::open(0, CudaSettings::default())) {
        Ok(device) => devices.push(Box::new(device)),
        Err(why) => eprintln!("without a GPU: {why}"),
    }
    devices
}

fn write(device: &dyn Device, to: u64, values: &[u32], queue: Queue) {
    let bytes = size_of_val(values) as u64;
    // SAFETY: `values` outlives the synchronisation that every caller makes.
    unsafe { device.copy_to_device(to, values.as_ptr().cast(), bytes, queue).unwrap() };
}

fn read(device: &dyn Device, from: u64, count: usize, queue: Queue) -> Vec<u32> {
    let mut values = vec![0u32; count];
    // SAFETY: waited for below.
    unsafe {
        device.copy_to_host(values.as_mut_ptr().cast(), from, 4 * count as u64, queue).unwrap();
    }
    device.synchronize(queue).unwrap();
    values
}

fn scale_params(data: u64, n: u32, factor: u32) -> Vec<u8> {
    let mut params = data.to_le_bytes().to_vec();
    params.extend(n.to_le_bytes());
    params.extend(factor.to_le_bytes());
    params
}

fn request(params: &[u8], queue: Queue) -> LaunchRequest<'_> {
    LaunchRequest {
        grid: [4, 1, 1],
        block: [64, 1, 1],
        dynamic_shared_bytes: 0,
        params,
        cooperative: None,
        queue,
        timed: false,
        counted: false,
    }
}

#[test]
fn memory_moves_in_every_direction() {
    for device in devices() {
        let device = device.as_ref();
        let (free, total) = device.memory().unwrap();
        assert!(free <= total && total > 0);
        let a = device.alloc(64, "a").unwrap();
        let b = device.alloc(64, "b").unwrap();
        assert!(a % 256 == 0 && b % 256 == 0 && a != b);
        let values: Vec<u32> = (0..16).collect();
        write(device, a, &values, Queue::SYNC);
        device.copy_on_device(b, a, 64, Queue::SYNC).unwrap();
        device.fill(b + 4, 0xff, 8, Queue::SYNC).unwrap();
        let back = read(device, b, 16, Queue::SYNC);
        assert_eq!(back[..4], [0, u32::MAX, u32::MAX, 3]);
        assert_eq!(read(device, a, 16, Queue::SYNC), values);
        device.free(a).unwrap();
        device.free(b).unwrap();
        assert!(device.free(a).is_err());
        let error = device.alloc(1 << 50, "too much").unwrap_err();
        assert!(matches!(error, DeviceError::OutOfMemory { bytes, .. } if bytes == 1 << 50));
        assert_eq!(error.code(), ErrorCode::OUT_OF_MEMORY);
    }
}

#[test]
fn kernels_run_in_queues_with_events() {
    for device in devices() {
        let device = device.as_ref();
        let module = device.load_module(&[(PTX, "suite.c")]).unwrap();
        let (scale, _) = device.kernel(module, "scale").unwrap();
        let (reverse, info) = device.kernel(module, "reverse").unwrap();
        assert_eq!(info.static_shared_bytes, 256);
        let data = device.alloc(800, "data").unwrap();
        let values: Vec<u32> = (0..200).collect();
        let queue = device.create_queue().unwrap();
        assert_ne!(queue, Queue::SYNC);
        for queue in [Queue::SYNC, queue] {
            write(device, data, &values, queue);
            let before = device.record_event(queue).unwrap();
            let params = scale_params(data, 200, 3);
            device.launch(scale, &request(&params, queue)).unwrap();
            let after = device.record_event(queue).unwrap();
            device.wait_event(queue, after).unwrap();
            let params = data.to_le_bytes();
            let one = LaunchRequest { grid: [1, 1, 1], ..request(&params, queue) };
            device.launch(reverse, &one).unwrap();
            let back = read(device, data, 200, queue);
            assert_eq!((back[0], back[63], back[64], back[199]), (189, 0, 192, 597));
            assert!(device.is_idle(queue).unwrap());
            device.elapsed(before, after).unwrap();
            device.destroy_event(before).unwrap();
            device.destroy_event(after).unwrap();
            assert!(device.wait_event(queue, after).is_err());
        }
        device.destroy_queue(queue).unwrap();
        assert!(device.synchronize(queue).is_err());
        device.free(data).unwrap();
    }
}

#[test]
fn time_and_counters_on_request() {
    for device in devices() {
        let device = device.as_ref();
        let module = device.load_module(&[(PTX, "suite.c")]).unwrap();
        let (scale, _) = device.kernel(module, "scale").unwrap();
        let data = device.alloc(1024, "data").unwrap();
        device.fill(data, 0, 1024, Queue::SYNC).unwrap();
        let params = scale_params(data, 256, 2);
        let plain = device.launch(scale, &request(&params, Queue::SYNC)).unwrap();
        assert!(plain.time.is_none() && plain.report.is_none());
        let all = LaunchRequest { timed: true, counted: true, ..request(&params, Queue::SYNC) };
        let outcome = device.launch(scale, &all).unwrap();
        assert!(outcome.time.is_some());
        assert_eq!(outcome.report.is_some(), device.kind() == DeviceKind::Sim);
        device.free(data).unwrap();
    }
}

#[test]
fn errors_have_words() {
    for device in devices() {
        let device = device.as_ref();
        let error =
            device.load_module(&[("\n\n  wibble;\n", "bad.c")]).unwrap_err().into_diagnostic();
        assert!(error.is_error());
        let text = format!("{error} {}", error.help.join(" "));
        assert!(text.contains("bad.c") || text.contains("wibble"), "{text}");
        let module = device.load_module(&[(PTX, "suite.c")]).unwrap();
        let error = device.kernel(module, "scael").unwrap_err();
        assert!(error.to_string().contains("no kernel `scael`"), "{error}");
        assert_eq!(error.code(), ErrorCode::NOT_FOUND);
    }
    // A fault takes a GPU's context with it, so only the simulator is asked.
    let device = SimDevice::new(Arch::by_name("sm_80").unwrap());
    let module = device.load_module(&[(PTX, "suite.c")]).unwrap();
    let (scale, _) = device.kernel(module, "scale").unwrap();
    let data = device.alloc(64, "short").unwrap();
    let params = scale_params(data, 256, 2);
    match device.launch(scale, &request(&params, Queue::SYNC)) {
        Err(error @ DeviceError::Fault { .. }) => {
            assert_eq!(error.code(), ErrorCode::ILLEGAL_ADDRESS);
            let fault = error.into_diagnostic();
            let text = format!("{fault} {} {}", fault.label, fault.help.join(" "));
            assert!(text.contains("short"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn limits_are_those_of_the_architecture() {
    for device in devices() {
        let limits = device.limits();
        assert_eq!((limits.threads_per_block, limits.block), (1024, [1024, 1024, 64]));
        assert_eq!(limits.grid, [0x7fff_ffff, 65535, 65535]);
        assert!(limits.shared_bytes >= 48 * 1024 && limits.param_bytes >= 4096);
        assert!(device.arch().starts_with("sm_") && !device.name().is_empty());
        assert!(device.newest_ptx() >= gpuc_arch::PtxVersion::new(7, 0));
    }
}

#[test]
fn what_is_not_there_is_invalid_everywhere() {
    fn invalid<T: std::fmt::Debug>(answer: Result<T, DeviceError>, what: &str) {
        assert!(matches!(answer, Err(DeviceError::Invalid(_))), "{what}: {answer:?}");
        assert_eq!(answer.unwrap_err().code(), ErrorCode::INVALID_VALUE);
    }
    for device in devices() {
        let device = device.as_ref();
        let name = device.name();
        let module = device.load_module(&[(PTX, "suite.c")]).unwrap();
        let (scale, _) = device.kernel(module, "scale").unwrap();
        let data = device.alloc(256, "data").unwrap();
        let (queue, event) = (Queue(77), EventId(77));
        let params = scale_params(data, 1, 1);
        invalid(device.kernel(ModuleId(77), "scale"), name);
        invalid(device.variable(ModuleId(77), "v"), name);
        invalid(device.attributes(KernelId(77)), name);
        invalid(device.launch(KernelId(77), &request(&params, Queue::SYNC)), name);
        invalid(device.launch(scale, &request(&params, queue)), name);
        invalid(device.synchronize(queue), name);
        invalid(device.is_idle(queue), name);
        invalid(device.destroy_queue(queue), name);
        invalid(device.record_event(queue), name);
        invalid(device.wait_event(Queue::SYNC, event), name);
        invalid(device.elapsed(event, event), name);
        invalid(device.destroy_event(event), name);
        invalid(device.fill(data, 0, 4, queue), name);
        invalid(device.copy_on_device(data + 128, data, 4, queue), name);
        // SAFETY: the copies are refused.
        invalid(unsafe { device.copy_to_device(data, [0u8; 4].as_ptr(), 4, queue) }, name);
        // SAFETY: as above.
        invalid(unsafe { device.copy_to_host([0u8; 4].as_mut_ptr(), data, 4, queue) }, name);
        invalid(device.free(0x1234), name);
        // What was there and is gone.
        let event = device.record_event(Queue::SYNC).unwrap();
        device.destroy_event(event).unwrap();
        invalid(device.destroy_event(event), name);
        let queue = device.create_queue().unwrap();
        device.destroy_queue(queue).unwrap();
        invalid(device.destroy_queue(queue), name);
        device.destroy_queue(Queue::SYNC).unwrap();
        device.free(data).unwrap();
        invalid(device.free(data), name);
    }
}

#[test]
fn a_kernel_tells_what_it_needs_and_queues_keep_their_order() {
    const LIMITED: &str = "\n.version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .entry fixed(.param .u64 p) .reqntid 64, 2, 1 { .shared .align 4 .b8 s[128]; ret; }\n\
        .visible .entry most(.param .u32 n) .maxntid 96, 1, 1 { ret; }\n";
    for device in devices() {
        let device = device.as_ref();
        let module = device.load_module(&[(LIMITED, "limited.c")]).unwrap();
        let (_, fixed) = device.kernel(module, "fixed").unwrap();
        // The required block does not count (CUDA's driver 580 on an H100).
        assert_eq!(fixed.max_threads, Some(1024));
        let (_, most) = device.kernel(module, "most").unwrap();
        assert_eq!((most.max_threads, most.required_block), (Some(96), None));
        // One queue fills what the other copies, after an event.
        let [a, b] = ["a", "b"].map(|label| device.alloc(256, label).unwrap());
        device.fill(b, 0, 256, Queue::SYNC).unwrap();
        let [first, second] = [0, 1].map(|_| device.create_queue().unwrap());
        device.fill(a, 7, 256, first).unwrap();
        let filled = device.record_event(first).unwrap();
        device.wait_event(second, filled).unwrap();
        device.copy_on_device(b, a, 256, second).unwrap();
        device.synchronize(second).unwrap();
        assert_eq!(read(device, b, 64, Queue::SYNC), [0x0707_0707; 64]);
        while !device.is_idle(first).unwrap() {}
        assert!(device.elapsed(filled, filled).unwrap().is_zero());
        device.destroy_event(filled).unwrap();
        for (queue, pointer) in [(first, a), (second, b)] {
            device.destroy_queue(queue).unwrap();
            device.free(pointer).unwrap();
        }
    }
}

/// How the simulator runs kernels is its own affair.
#[test]
fn settings_reach_the_simulator() {
    const SINE: &str = "\n.version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .entry sine(.param .u64 p) { .reg .b64 %p; .reg .f32 %x; ld.param.u64 %p, [p];\n\
        ld.global.f32 %x, [%p]; sin.approx.f32 %x, %x; st.global.f32 [%p], %x; ret; }\n";
    let sine = |settings: SimSettings| {
        let device = SimDevice::with(Arch::by_name("sm_90").unwrap(), settings, 0);
        let module = device.load_module(&[(SINE, "sine.c")]).unwrap();
        let (kernel, _) = device.kernel(module, "sine").unwrap();
        let data = device.alloc(4, "x").unwrap();
        write(&device, data, &[0.5f32.to_bits()], Queue::SYNC);
        let params = data.to_le_bytes();
        let one = LaunchRequest { grid: [1; 3], block: [1; 3], ..request(&params, Queue::SYNC) };
        device.launch(kernel, &one).map(|_| read(&device, data, 1, Queue::SYNC)[0])
    };
    let exact = sine(SimSettings::default()).unwrap();
    let worst = SimSettings { worst_approximations: true, ..SimSettings::default() };
    assert_ne!(sine(worst).unwrap(), exact);
    let few = SimSettings { budget: Some(2), ..SimSettings::default() };
    match sine(few) {
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::LAUNCH_TIMEOUT);
            assert!(error.to_string().contains("budget"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn modules_have_variables_and_kernels_attributes() {
    const VARIABLES: &str = "\n.version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .global .align 4 .b32 table[3] = {7, 8, 9};\n.visible .const .align 8 .b8 fixed[40];\n\
        .visible .entry add(.param .u32 n) .maxntid 96, 1, 1 {\n\
        .shared .align 4 .b8 s[128]; .local .align 4 .b8 l[64];\n\
        .reg .b32 %x, %n; .reg .b64 %a, %b, %o;\n\
        mov.u64 %a, table; ld.param.u32 %n, [n]; mul.wide.u32 %o, %n, 4; add.u64 %a, %a, %o;\n\
        mov.u64 %b, l; add.u64 %b, %b, %o; st.local.u32 [%b], %n;\n\
        ld.global.u32 %x, [%a]; add.u32 %x, %x, 1; st.global.u32 [%a], %x; ld.local.u32 %x, [l];\n\
        st.shared.u32 [s], %x; ret; }\n";
    for device in devices() {
        let device = device.as_ref();
        let module = device.load_module(&[(VARIABLES, "variables.c")]).unwrap();
        let (table, bytes) = device.variable(module, "table").unwrap();
        assert_eq!(bytes, 12);
        assert_eq!(device.variable(module, "fixed").unwrap().1, 40);
        let missing = device.variable(module, "tabel").unwrap_err();
        assert_eq!(missing.code(), ErrorCode::NOT_FOUND, "{missing}");
        assert_eq!(read(device, table, 3, Queue::SYNC), [7, 8, 9]);
        let (add, info) = device.kernel(module, "add").unwrap();
        let params = 1u32.to_le_bytes();
        let one = LaunchRequest { grid: [1; 3], block: [1; 3], ..request(&params, Queue::SYNC) };
        device.launch(add, &one).unwrap();
        assert_eq!(read(device, table, 3, Queue::SYNC), [7, 9, 9]);
        let attributes = device.attributes(add).unwrap();
        assert_eq!(Some(attributes.max_threads), info.max_threads);
        assert_eq!((attributes.max_threads, attributes.static_shared_bytes), (96, 128));
        assert!(attributes.local_bytes >= 64 && (1..=255).contains(&attributes.registers));
        assert_eq!(attributes.ptx_version, 70);
        assert_eq!(format!("sm_{}", attributes.binary_version), device.arch());
    }
}

#[test]
fn pinned_memory_is_memory_of_the_host() {
    for device in devices() {
        let device = device.as_ref();
        let data = device.alloc(4096, "data").unwrap();
        let queue = device.create_queue().unwrap();
        let memory = device.alloc_host(8192).unwrap();
        assert_eq!(memory.addr().get() % 4096, 0);
        let values = memory.cast::<u32>();
        // SAFETY: as much memory is there, and its copies are waited for before it is touched again.
        unsafe {
            assert_eq!(values.add(2047).read(), 0);
            (0..1024).for_each(|i| values.add(i).write(i as u32));
            device.copy_to_device(data, memory.as_ptr(), 4096, queue).unwrap();
            device.copy_to_host(memory.as_ptr().add(4096), data, 4096, queue).unwrap();
            device.synchronize(queue).unwrap();
            assert!((0..1024).all(|i| values.add(1024 + i).read() == i as u32));
            device.free_host(memory).unwrap();
            let again = device.free_host(memory).unwrap_err();
            assert!(!matches!(again, DeviceError::Fault { .. }), "{again}");
        }
        let error = device.alloc_host(1 << 50).unwrap_err();
        assert_eq!(error.code(), ErrorCode::OUT_OF_MEMORY, "{error}");
        device.destroy_queue(queue).unwrap();
        device.free(data).unwrap();
    }
    // A copy from pinned memory reads it when the queue comes to it; on a GPU that may be at once.
    let device = SimDevice::new(Arch::by_name("sm_90").unwrap());
    let (data, queue) = (device.alloc(4, "data").unwrap(), device.create_queue().unwrap());
    let memory = device.alloc_host(4).unwrap().cast::<u32>();
    // SAFETY: as above.
    unsafe {
        memory.write(1);
        device.copy_to_device(data, memory.as_ptr().cast(), 4, queue).unwrap();
        memory.write(2);
        assert_eq!(read(&device, data, 1, queue), [2]);
        device.free_host(memory.cast()).unwrap();
    }
    let mut pageable = 1u32;
    write(&device, data, std::slice::from_ref(&pageable), queue);
    pageable += 1;
    assert_eq!((read(&device, data, 1, queue)[0], pageable), (1, 2));
}

/// Each thread takes, step by step, what its neighbour had, and adds 1. Blocks meet as `offload.grid_barrier` lets them.
const TURNS: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.visible .entry turns(.param .u64 p_word, .param .u64 p_data, .param .u32 p_steps)
.reqntid 64, 1, 1
{
  .reg .pred %p;
  .reg .b32 %b, %n, %t, %m, %v, %s, %o, %w, %e;
  .reg .b64 %word, %data, %mine, %other;
  ld.param.u64 %word, [p_word];
  ld.param.u64 %data, [p_data];
  ld.param.u32 %s, [p_steps];
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %nctaid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %m, %b, 64, %t;
  mul.wide.u32 %mine, %m, 4;
  add.u64 %mine, %data, %mine;
  mul.lo.u32 %e, %n, 64;
  add.u32 %m, %m, 1;
  rem.u32 %m, %m, %e;
  mul.wide.u32 %other, %m, 4;
  add.u64 %other, %data, %other;
  mov.u32 %e, 0;
$step:
  ld.global.u32 %v, [%other];
  add.u32 %v, %v, 1;
$meet:
  xor.b32 %e, %e, 1;
  bar.sync 0;
  setp.ne.u32 %p, %t, 0;
  @%p bra $met;
  setp.eq.u32 %p, %b, 0;
  sub.u32 %o, 0x80000001, %n;
  selp.b32 %o, %o, 1, %p;
  atom.release.gpu.global.add.u32 %o, [%word], %o;
$wait:
  ld.acquire.gpu.global.u32 %w, [%word];
  xor.b32 %w, %w, %o;
  setp.ge.s32 %p, %w, 0;
  @%p bra $wait;
$met:
  bar.warp.sync 0xffffffff;
  bar.sync 0;
  setp.eq.u32 %p, %e, 0;
  @%p bra $next;
  st.global.u32 [%mine], %v;
  bra $meet;
$next:
  sub.u32 %s, %s, 1;
  setp.ne.u32 %p, %s, 0;
  @%p bra $step;
  ret;
}
"#;

#[test]
fn blocks_of_a_cooperative_launch_wait_for_each_other() {
    for device in devices() {
        let device = device.as_ref();
        let module = device.load_module(&[(TURNS, "turns.c")]).unwrap();
        let (turns, _) = device.kernel(module, "turns").unwrap();
        let most = device.cooperative_blocks(turns, 64).unwrap();
        assert!(most >= 16, "{most}");
        assert_eq!(device.cooperative_blocks(turns, 2048).ok().filter(|&blocks| blocks > 0), None);
        let word = device.alloc(4, "word").unwrap();
        write(device, word, &[0], Queue::SYNC);
        let queue = device.create_queue().unwrap();
        // One word does for all launches of a queue, whatever their grids.
        for (blocks, steps) in [(1u32, 3u32), (7, 5), (16, 4)] {
            let count = 64 * blocks as usize;
            let data = device.alloc(4 * count as u64, "data").unwrap();
            let values: Vec<u32> = (0..count as u32).collect();
            write(device, data, &values, queue);
            let mut params = word.to_le_bytes().to_vec();
            params.extend(data.to_le_bytes());
            params.extend(steps.to_le_bytes());
            let launch = LaunchRequest {
                grid: [blocks, 1, 1],
                cooperative: Some(&[0, 8, 16]),
                ..request(&params, queue)
            };
            device.launch(turns, &launch).unwrap();
            device.synchronize(queue).unwrap();
            let want: Vec<u32> =
                (0..count as u32).map(|i| (i + steps) % count as u32 + steps).collect();
            assert_eq!(read(device, data, count, queue), want);
            device.free(data).unwrap();
        }
        // A grid that does not fit is refused, and not left to wait for ever.
        let params = [0u8; 20];
        let too_many = LaunchRequest {
            grid: [most as u32 + 1, 1, 1],
            cooperative: Some(&[0, 8, 16]),
            ..request(&params, Queue::SYNC)
        };
        let refused = device.launch(turns, &too_many).unwrap_err();
        assert!(!matches!(refused, DeviceError::Fault { .. }), "{refused}");
        device.destroy_queue(queue).unwrap();
        device.free(word).unwrap();
    }
}
