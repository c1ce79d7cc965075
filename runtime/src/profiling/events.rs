//! Events and what they tell (OpenACC 3.3 §5.1, §5.2), in the structures of `include/acc_prof.h`.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use super::registry::listeners;
use super::{is_listening, notify};
use crate::descriptor::{DataDescriptor, SiteDescriptor};
use crate::device::DeviceKind;
use crate::queue;

/// `_ACC_PROF_INFO_VERSION`: the date of OpenACC 3.3.
const VERSION: c_int = 202_211;
/// `acc_device_nvidia`.
const DEVICE_NVIDIA: c_int = 5;
/// `acc_device_api_cuda` and `acc_device_api_other`.
const API_CUDA: c_int = 1;
const API_OTHER: c_int = 4;

/// `acc_event_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the event of its name")]
#[repr(i32)]
pub enum Event {
    DeviceInitStart = 1,
    DeviceInitEnd,
    DeviceShutdownStart,
    DeviceShutdownEnd,
    RuntimeShutdown,
    Create,
    Delete,
    Alloc,
    Free,
    EnterDataStart,
    EnterDataEnd,
    ExitDataStart,
    ExitDataEnd,
    UpdateStart,
    UpdateEnd,
    ComputeConstructStart,
    ComputeConstructEnd,
    EnqueueLaunchStart,
    EnqueueLaunchEnd,
    EnqueueUploadStart,
    EnqueueUploadEnd,
    EnqueueDownloadStart,
    EnqueueDownloadEnd,
    WaitStart,
    WaitEnd,
}

impl Event {
    /// All, by their numbers from 1 on.
    const ALL: [Event; 25] = {
        use Event::*;
        [
            DeviceInitStart,
            DeviceInitEnd,
            DeviceShutdownStart,
            DeviceShutdownEnd,
            RuntimeShutdown,
            Create,
            Delete,
            Alloc,
            Free,
            EnterDataStart,
            EnterDataEnd,
            ExitDataStart,
            ExitDataEnd,
            UpdateStart,
            UpdateEnd,
            ComputeConstructStart,
            ComputeConstructEnd,
            EnqueueLaunchStart,
            EnqueueLaunchEnd,
            EnqueueUploadStart,
            EnqueueUploadEnd,
            EnqueueDownloadStart,
            EnqueueDownloadEnd,
            WaitStart,
            WaitEnd,
        ]
    };

    /// The event of a number of the header.
    pub fn of(number: c_int) -> Option<Event> {
        Event::ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// Whether something ends with it.
    pub fn is_end(self) -> bool {
        use Event::*;
        matches!(
            self,
            DeviceInitEnd
                | DeviceShutdownEnd
                | EnterDataEnd
                | ExitDataEnd
                | UpdateEnd
                | ComputeConstructEnd
                | EnqueueLaunchEnd
                | EnqueueUploadEnd
                | EnqueueDownloadEnd
                | WaitEnd
                | Delete
                | Free
        )
    }

    /// What ends what begins with it.
    fn end(self) -> Event {
        match Event::of(self as c_int + 1) {
            Some(end) => end,
            None => self,
        }
    }
}

/// `acc_prof_info`.
#[repr(C)]
#[derive(Debug)]
pub struct ProfInfo {
    event_type: c_int,
    valid_bytes: c_int,
    version: c_int,
    device_type: c_int,
    device_number: c_int,
    thread_id: c_int,
    async_argument: c_long,
    async_queue: c_long,
    src_file: *const c_char,
    func_name: *const c_char,
    line_no: c_int,
    end_line_no: c_int,
    func_line_no: c_int,
    func_end_line_no: c_int,
}

/// `acc_data_event_info`, of which `acc_other_event_info` is the beginning.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct DataInfo {
    event_type: c_int,
    valid_bytes: c_int,
    parent_construct: c_int,
    implicit: c_int,
    tool_info: *mut c_void,
    var_name: *const c_char,
    bytes: usize,
    host_ptr: *const c_void,
    device_ptr: *const c_void,
}

/// `acc_launch_event_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct LaunchInfo {
    event_type: c_int,
    valid_bytes: c_int,
    parent_construct: c_int,
    implicit: c_int,
    tool_info: *mut c_void,
    kernel_name: *const c_char,
    num_gangs: usize,
    num_workers: usize,
    vector_length: usize,
}

/// `acc_event_info`.
#[repr(C)]
pub union EventInfo {
    data: DataInfo,
    launch: LaunchInfo,
}

/// `acc_api_info`.
#[repr(C)]
#[derive(Debug)]
pub struct ApiInfo {
    device_api: c_int,
    valid_bytes: c_int,
    device_type: c_int,
    vendor: c_int,
    device_handle: *const c_void,
    context_handle: *const c_void,
    async_handle: *const c_void,
}

/// Bytes of `acc_other_event_info`: up to `tool_info`.
const OTHER_BYTES: usize = std::mem::offset_of!(DataInfo, var_name);

/// The device that something happens on.
#[derive(Clone, Copy, Debug)]
pub struct On {
    /// Its number.
    pub number: usize,
    /// What it is.
    pub kind: DeviceKind,
}

/// What an event is about besides its place.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// Nothing more.
    Other,
    /// A variable.
    Data {
        /// As the clause names it.
        data: &'a DataDescriptor,
        /// Its address on the device.
        device: u64,
    },
    /// A kernel.
    Launch {
        /// Its name.
        kernel: &'a CStr,
        /// Blocks.
        grid: [u32; 3],
        /// Threads of a block.
        block: [u32; 3],
    },
}

/// `acc_construct_t` of a directive by its words.
fn construct(words: &str) -> c_int {
    let own = words.strip_prefix("target ").unwrap_or(words);
    let known = [
        ("parallel", 0),
        ("kernels", 1),
        ("loop", 2),
        ("data", 3),
        ("enter data", 4),
        ("exit data", 5),
        ("host_data", 6),
        ("atomic", 7),
        ("declare", 8),
        ("init", 9),
        ("shutdown", 10),
        ("set", 11),
        ("update", 12),
        ("wait", 14),
        ("serial", 16),
    ];
    if words.starts_with("acc_") || words.starts_with("omp_") {
        return 15;
    }
    let is = |name: &str| own == name || own.strip_prefix(name).is_some_and(|r| r.starts_with(' '));
    // Combined forms of `target` are parallel regions.
    known.into_iter().find(|&(name, _)| is(name)).map_or(0, |(_, number)| number)
}

/// Whether data of a construct is moved for what it computes.
fn is_compute(site: &SiteDescriptor) -> bool {
    matches!(construct(&site.construct()), 0 | 1 | 16)
}

/// A number of this thread, small and its own.
fn thread_id() -> c_int {
    static NEXT: AtomicI32 = AtomicI32::new(0);
    thread_local! {
        static OWN: Cell<Option<c_int>> = const { Cell::new(None) };
    }
    OWN.get().unwrap_or_else(|| {
        let own = NEXT.fetch_add(1, Ordering::Relaxed);
        OWN.set(Some(own));
        own
    })
}

/// Calls who listens to an event. A tool may leave something at its beginning, which it is given at the end.
fn tell(
    event: Event,
    site: &SiteDescriptor,
    on: On,
    about: &About<'_>,
    tool_info: *mut c_void,
) -> *mut c_void {
    notify::event(event, site, about);
    let listeners = listeners(event);
    if listeners.is_empty() {
        return tool_info;
    }
    let (file, function) = site.pointers();
    let argument = c_long::from(queue::current_argument());
    let mut prof = ProfInfo {
        event_type: event as c_int,
        valid_bytes: size_of::<ProfInfo>() as c_int,
        version: VERSION,
        device_type: DEVICE_NVIDIA,
        device_number: on.number as c_int,
        thread_id: thread_id(),
        async_argument: argument,
        async_queue: argument,
        src_file: file,
        func_name: function,
        line_no: site.line_number() as c_int,
        end_line_no: 0,
        func_line_no: 0,
        func_end_line_no: 0,
    };
    let (parent, event_type) = (construct(&site.construct()), event as c_int);
    let is_data = matches!(event, Event::EnterDataStart | Event::EnterDataEnd)
        || matches!(event, Event::ExitDataStart | Event::ExitDataEnd);
    let mut info = match *about {
        About::Other => EventInfo {
            data: DataInfo {
                event_type,
                valid_bytes: OTHER_BYTES as c_int,
                parent_construct: parent,
                implicit: c_int::from(is_data && is_compute(site)),
                tool_info,
                var_name: ptr::null(),
                bytes: 0,
                host_ptr: ptr::null(),
                device_ptr: ptr::null(),
            },
        },
        About::Data { data, device } => EventInfo {
            data: DataInfo {
                event_type,
                valid_bytes: size_of::<DataInfo>() as c_int,
                parent_construct: parent,
                implicit: c_int::from(data.line == 0 && is_compute(site)),
                tool_info,
                var_name: data.name_pointer(),
                bytes: data.bytes() as usize,
                host_ptr: data.host(),
                device_ptr: device as *const c_void,
            },
        },
        About::Launch { kernel, grid, block } => EventInfo {
            launch: LaunchInfo {
                event_type,
                valid_bytes: size_of::<LaunchInfo>() as c_int,
                parent_construct: parent,
                implicit: 0,
                tool_info,
                kernel_name: kernel.as_ptr(),
                num_gangs: grid.iter().map(|&n| n as usize).product(),
                num_workers: (block[1] * block[2]) as usize,
                vector_length: block[0] as usize,
            },
        },
    };
    let mut api = ApiInfo {
        device_api: match on.kind {
            DeviceKind::Cuda => API_CUDA,
            DeviceKind::Sim => API_OTHER,
        },
        valid_bytes: size_of::<ApiInfo>() as c_int,
        device_type: DEVICE_NVIDIA,
        vendor: 0,
        device_handle: ptr::null(),
        context_handle: ptr::null(),
        async_handle: ptr::null(),
    };
    for listener in listeners {
        // SAFETY: a tool's function of that type, with structures of its own to read.
        unsafe { listener(&raw mut prof, &raw mut info, &raw mut api) };
    }
    // SAFETY: both members begin alike.
    unsafe { info.data.tool_info }
}

/// Something that has no duration.
pub fn event(event: Event, site: &SiteDescriptor, on: On, about: About<'_>) {
    if is_listening() {
        tell(event, site, on, &about, ptr::null_mut());
    }
}

/// Does something between an event and the one that ends it.
pub fn during<T>(
    start: Event,
    site: &SiteDescriptor,
    on: On,
    about: About<'_>,
    action: impl FnOnce() -> T,
) -> T {
    if !is_listening() {
        return action();
    }
    let tool_info = tell(start, site, on, &about, ptr::null_mut());
    let result = action();
    tell(start.end(), site, on, &about, tool_info);
    result
}

thread_local! {
    /// What tools have left at the beginning of the compute constructs around.
    static CONSTRUCTS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A compute construct begins on a device.
pub fn construct_begins(site: &SiteDescriptor, on: On) {
    if is_listening() {
        let left = tell(Event::ComputeConstructStart, site, on, &About::Other, ptr::null_mut());
        let _ended = CONSTRUCTS.try_with(|around| around.borrow_mut().push(left as usize));
    }
}

/// It ends.
pub fn construct_ends(site: &SiteDescriptor, on: On) {
    if is_listening() {
        let left = CONSTRUCTS.try_with(|around| around.borrow_mut().pop());
        let left = left.ok().flatten().unwrap_or(0);
        tell(Event::ComputeConstructEnd, site, on, &About::Other, left as *mut c_void);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_header_s() {
        let header = include_str!("../../include/acc_prof.h");
        for event in Event::ALL {
            // DeviceInitStart: acc_ev_device_init_start.
            let mut name = String::from("acc_ev");
            for c in format!("{event:?}").chars() {
                if c.is_ascii_uppercase() {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            }
            let line = format!("{name} = {}", event as c_int);
            assert!(header.contains(&format!("{line},")), "{line}");
            assert_eq!(Event::of(event as c_int), Some(event));
        }
        assert_eq!((Event::of(0), Event::of(26), Event::of(-1)), (None, None, None));
        for (words, name) in [
            ("parallel loop", "parallel = 0"),
            ("enter data", "enter_data = 4"),
            ("data", "data = 3"),
            ("kernels loop", "kernels = 1"),
            ("serial", "serial = 16"),
            ("acc_copyin", "runtime_api = 15"),
            ("target update", "update = 12"),
            ("target teams distribute", "parallel = 0"),
            ("target enter data", "enter_data = 4"),
        ] {
            assert!(header.contains(&format!("acc_construct_{name}")), "{name}");
            assert!(name.ends_with(&format!("= {}", construct(words))), "{words}");
        }
    }
}
