//! Data clauses against a device whose memory can be looked at.

use std::ffi::c_void;

use super::resident::HostUse;
use super::{DataEnvironment, PresentTable};
use crate::descriptor::{AUTO, DataDescriptor, FINALIZE, IF_PRESENT, IMPLICIT, SiteDescriptor};
use crate::device::memory_only::MemoryOnly;
use crate::device::{Device, Queue};
use crate::memory::Memory;
use crate::queue::Queues;

const COPY: u32 = 1;
const COPYIN: u32 = 2;
const COPYOUT: u32 = 3;
const CREATE: u32 = 4;
const PRESENT: u32 = 5;
const DELETE: u32 = 6;
const DEVICEPTR: u32 = 7;
const UPDATE_HOST: u32 = 8;
const UPDATE_DEVICE: u32 = 9;
const NO_CREATE: u32 = 10;

static SITE: SiteDescriptor = SiteDescriptor::new(c"a.c", c"main", 12, c"parallel loop");

/// What one call of the ABI does.
#[derive(Clone, Copy)]
enum Call {
    Begin,
    End,
    Enter,
    Exit,
    Update,
}
use Call::{Begin, End, Enter, Exit, Update};

struct World {
    device: MemoryOnly,
    table: PresentTable,
    memory: Memory,
}

impl World {
    fn new() -> World {
        let device = MemoryOnly::default();
        let memory = Memory::new(device.kind(), None);
        World { device, table: PresentTable::default(), memory }
    }

    /// Makes a call about one section; the error as text.
    fn call(&mut self, call: Call, host: &mut [u8], kind: u32) -> Result<u64, String> {
        self.call_at(call, host.as_mut_ptr().cast(), host.len() as u64, kind)
    }

    fn call_at(
        &mut self,
        call: Call,
        host: *mut c_void,
        bytes: u64,
        kind: u32,
    ) -> Result<u64, String> {
        // SAFETY: every test passes a live array of its own, or expects a refusal.
        let mut data = [unsafe { DataDescriptor::new(c"a", host, bytes, kind) }];
        let mut environment = DataEnvironment {
            device: &self.device,
            table: &mut self.table,
            memory: &mut self.memory,
            report: None,
            site: &SITE,
            queue: Queue::SYNC,
            queues: &Queues::default(),
        };
        match call {
            Begin => environment.begin(&mut data),
            End => environment.end(&mut data),
            Enter => environment.enter(&mut data),
            Exit => environment.exit(&mut data),
            Update => environment.update(&mut data),
        }
        .map(|()| data[0].device as u64)
        .map_err(|error| format!("{error} / {}", error.help.join(" / ")))
    }

    /// Does something with data of nests.
    fn nests<T>(&mut self, action: impl FnOnce(&mut DataEnvironment<'_>) -> T) -> T {
        action(&mut DataEnvironment {
            device: &self.device,
            table: &mut self.table,
            memory: &mut self.memory,
            report: None,
            site: &SITE,
            queue: Queue::SYNC,
            queues: &Queues::default(),
        })
    }

    /// A nest on some sections, on the device; the address of the first one there, or why not.
    fn nest(&mut self, sections: &mut [(&mut [u8], u32)]) -> Result<u64, &'static str> {
        let of = |(host, kind): &mut (&mut [u8], u32)| {
            // SAFETY: a live array of the test.
            unsafe {
                DataDescriptor::new(c"a", host.as_mut_ptr().cast(), host.len() as u64, *kind | AUTO)
            }
        };
        let mut data: Vec<DataDescriptor> = sections.iter_mut().map(of).collect();
        self.nests(|environment| {
            environment.needs(&data, &[])?;
            environment.begin_nest(&mut data, &[]).expect("the device answers")
        })?;
        let device = data.first().map_or(0, |data| data.device as u64);
        self.nests(|environment| environment.end_nest(&mut data)).expect("it ends");
        Ok(device)
    }

    fn give_back(&mut self, host: &[u8], what: HostUse) {
        let (at, bytes) = (host.as_ptr() as u64, host.len() as u64);
        self.nests(|environment| environment.give_back(at, bytes, what)).unwrap();
    }

    /// Overwrites a byte of device memory.
    fn poke(&self, device: u64, value: u8) {
        self.device.fill(device, value, 1, Queue::SYNC).unwrap();
    }
}

#[test]
fn each_clause_of_a_region_moves_what_it_says() {
    // Kind, value on the host after the device has written 9, transfers of 4 bytes.
    for (kind, expected, copies) in [
        (COPY, 9, &[(true, 4), (false, 4)][..]),
        (11, 9, &[(true, 4), (false, 4)]),
        (COPYIN, 1, &[(true, 4)]),
        (COPYOUT, 9, &[(false, 4)]),
        (CREATE, 1, &[]),
    ] {
        let mut world = World::new();
        let mut host = [1u8; 4];
        let device = world.call(Begin, &mut host, kind).unwrap();
        world.poke(device, 9);
        assert_eq!(world.device.live(), 1);
        world.call(End, &mut host, kind).unwrap();
        assert_eq!(host[0], expected, "kind {kind}");
        assert_eq!(world.device.take_copies(), copies, "kind {kind}");
        assert_eq!((world.device.live(), world.table.len()), (0, 0));
    }
}

#[test]
fn inner_regions_reuse_and_only_the_last_one_copies_back() {
    let mut world = World::new();
    let mut host = [1u8; 64];
    let outer = world.call(Begin, &mut host, COPY).unwrap();
    let inner = world.call(Begin, &mut host[16..32], COPY).unwrap();
    assert_eq!(inner, outer + 16);
    assert_eq!(world.call(Begin, &mut host[8..9], PRESENT), Ok(outer + 8));
    world.call(End, &mut host[8..9], PRESENT).unwrap();
    world.poke(inner, 7);
    world.call(End, &mut host[16..32], COPY).unwrap();
    assert_eq!(host[16], 1);
    world.call(End, &mut host, COPY).unwrap();
    assert_eq!(host[16], 7);
    assert_eq!(world.device.take_copies(), [(true, 64), (false, 64)]);
}

#[test]
fn dynamic_and_structured_counts_are_apart() {
    let mut world = World::new();
    let mut host = [1u8; 8];
    let device = world.call(Enter, &mut host, COPYIN).unwrap();
    assert_eq!(world.call(Enter, &mut host, CREATE), Ok(device));
    assert_eq!(world.call(Begin, &mut host, COPY), Ok(device));
    // Two dynamic references go, the structured one holds.
    world.call(Exit, &mut host, DELETE | FINALIZE).unwrap();
    world.call(Exit, &mut host, DELETE).unwrap();
    assert_eq!(world.device.live(), 1);
    world.poke(device, 5);
    world.call(End, &mut host, COPY).unwrap();
    assert_eq!((host[0], world.device.live()), (5, 0));
    // The other way round: `exit data copyout` brings back, the region's end does not.
    let device = world.call(Enter, &mut host, CREATE).unwrap();
    world.call(Begin, &mut host, COPY).unwrap();
    world.poke(device, 6);
    world.call(End, &mut host, COPY).unwrap();
    assert_eq!(host[0], 5);
    world.call(Exit, &mut host, COPYOUT).unwrap();
    assert_eq!((host[0], world.device.live()), (6, 0));
    // What is not there has a dynamic count of zero: no action.
    assert_eq!(world.call(Exit, &mut host, COPYOUT), Ok(0));
}

#[test]
fn update_moves_sections_both_ways() {
    let mut world = World::new();
    let mut host = [1u8; 8];
    let device = world.call(Enter, &mut host, CREATE).unwrap();
    host[4] = 3;
    world.call(Update, &mut host[4..6], UPDATE_DEVICE).unwrap();
    world.poke(device + 5, 4);
    world.call(Update, &mut host[4..6], UPDATE_HOST).unwrap();
    assert_eq!(host, [1, 1, 1, 1, 3, 4, 1, 1]);
    let mut other = [0u8; 2];
    assert!(world.call(Update, &mut other, UPDATE_HOST | IF_PRESENT).is_ok());
    let error = world.call(Update, &mut other, UPDATE_HOST).unwrap_err();
    assert!(error.starts_with("a.c:12: error: data in `update self` clause was not found"));
    assert!(error.contains("give the update an `if` clause"), "{error}");
}

#[test]
fn nothing_needs_no_memory() {
    let mut world = World::new();
    let mut host = [1u8; 8];
    let null = std::ptr::null_mut();
    for kind in [COPY, PRESENT, NO_CREATE] {
        assert_eq!(world.call_at(Begin, null, 0, kind), Ok(0));
        assert_eq!(world.call_at(Begin, null, 16, kind), Ok(0));
        assert_eq!(world.call(Begin, &mut host[..0], kind), Ok(0));
        world.call_at(End, null, 16, kind).unwrap();
        world.call(End, &mut host[..0], kind).unwrap();
    }
    let device = world.call(Begin, &mut host, CREATE).unwrap();
    assert_eq!(world.call(Begin, &mut host[3..3], COPY), Ok(device + 3));
    world.call(End, &mut host, CREATE).unwrap();
    assert_eq!(world.device.live(), 0);
}

#[test]
fn addresses_that_need_no_copy() {
    let mut world = World::new();
    let mut host = [1u8; 8];
    let own = host.as_ptr() as u64;
    for kind in [DEVICEPTR, NO_CREATE] {
        assert_eq!(world.call(Begin, &mut host, kind), Ok(own));
        world.call(End, &mut host, kind).unwrap();
    }
    let device = world.call(Enter, &mut host, CREATE).unwrap();
    assert_eq!(world.call(Begin, &mut host, NO_CREATE), Ok(device));
    world.call(End, &mut host, NO_CREATE).unwrap();
    assert_eq!(world.table.len(), 1);
}

#[test]
fn errors_name_variable_line_range_and_table() {
    let mut world = World::new();
    let mut host = [1u8; 64];
    let error = world.call(Begin, &mut host, PRESENT).unwrap_err();
    assert!(error.contains("a.c:12: error: data in `present` clause was not found"), "{error}");
    assert!(error.contains("name=a host:0x") && error.contains("size:64"), "{error}");
    assert!(error.contains("the present table of device 0 is empty"), "{error}");

    world.call(Enter, &mut host[..32], COPYIN).unwrap();
    let error = world.call(Begin, &mut host[32..], PRESENT).unwrap_err();
    assert!(
        error.contains("another range is there under the name `a`, 32 bytes before"),
        "{error}"
    );
    assert!(error.contains("presentcount:0+1 name:a from:a.c:12"), "{error}");

    for (call, kind) in [(Begin, COPY), (Enter, CREATE), (Exit, DELETE), (Update, UPDATE_HOST)] {
        let error = world.call(call, &mut host[16..48], kind).unwrap_err();
        assert!(error.contains("a part of this section is on device"), "{error}");
        assert!(error.contains("of which 16 bytes are in `a`"), "{error}");
    }
    let pointer = host.as_mut_ptr().cast();
    let error = world.call_at(Begin, pointer, u64::MAX, COPY).unwrap_err();
    assert!(error.contains("impossible length"), "{error}");
    for (call, kind) in [(Begin, DELETE), (End, 99), (Enter, COPY), (Exit, CREATE), (Update, COPY)]
    {
        let error = world.call(call, &mut host, kind).unwrap_err();
        assert!(error.contains("does not belong to"), "{error}");
    }
}

#[test]
fn memory_is_kept_and_given_back_when_short() {
    let device = MemoryOnly::gpu_with(1024);
    let mut memory = Memory::new(device.kind(), None);
    let first = memory.allocate(&device, 500, "a").unwrap();
    memory.release(&device, first).unwrap();
    assert_eq!((device.live(), memory.owns(first)), (1, false));
    assert_eq!(memory.allocate(&device, 512, "b").unwrap(), first);
    memory.release(&device, first).unwrap();
    // 1024 bytes fit only once the kept 512 are gone.
    let large = memory.allocate(&device, 1000, "c").unwrap();
    assert_eq!(device.live(), 1);
    let error = memory.allocate(&device, 1, "d").unwrap_err().to_string();
    assert_eq!(error, "out of device memory: 256 bytes asked for, 0 free");
    memory.release(&device, large).unwrap();
    memory.trim(&device).unwrap();
    assert_eq!(device.live(), 0);
}

#[test]
fn what_is_kept_serves_requests_that_it_fits() {
    let device = MemoryOnly::default();
    // The simulator has none unless it is asked for.
    for (pool, live) in [(None, 0), (Some(false), 0), (Some(true), 1)] {
        let mut memory = Memory::new(device.kind(), pool);
        let first = memory.allocate(&device, 8000, "a").unwrap();
        memory.release(&device, first).unwrap();
        assert_eq!(device.live(), live, "{pool:?}");
        memory.trim(&device).unwrap();
    }
    let mut memory = Memory::new(device.kind(), Some(true));
    let first = memory.allocate(&device, 8192, "a").unwrap();
    memory.release(&device, first).unwrap();
    // An eighth may stay unused, more may not.
    let second = memory.allocate(&device, 4000, "b").unwrap();
    assert_ne!(second, first);
    assert_eq!(memory.allocate(&device, 7400, "c").unwrap(), first);
    let usage = memory.usage();
    assert_eq!((usage.requests, usage.reused), (3, 1));
    assert_eq!((usage.used, usage.most_used, usage.kept), (8192 + 4096, 8192 + 4096, 0));
    // A queue that is not done keeps what it uses; then it is the next one's.
    memory.release_behind(&device, first, Queue(1)).unwrap();
    assert_ne!(memory.allocate(&device, 8192, "d").unwrap(), first);
    memory.settle(&device, Queue(1)).unwrap();
    assert_eq!(memory.allocate(&device, 8192, "e").unwrap(), first);
    assert_eq!(memory.usage().most_held, 2 * 8192 + 4096);
}

#[test]
fn addresses_of_the_device_are_no_data_of_the_host() {
    let mut world = World::new();
    let device = world.memory.allocate(&world.device, 64, "there").unwrap();
    let error = world.call_at(Begin, device as *mut c_void, 64, COPY).unwrap_err();
    assert!(error.contains("`a` holds an address of memory of device 0"), "{error}");
    let copies = world.device.take_copies();
    assert!(copies.is_empty(), "{copies:?}");
    // Room that nothing is copied to or from has an address like any other.
    assert!(world.call_at(Begin, device as *mut c_void, 64, CREATE).is_ok());
}

#[test]
fn data_of_nests_stay_until_the_host_looks() {
    let mut world = World::new();
    let mut host = [1u8; 16];
    let device = world.nest(&mut [(&mut host, COPY)]).unwrap();
    world.poke(device, 9);
    assert_eq!(world.nest(&mut [(&mut host[4..8], COPYIN)]), Ok(device + 4));
    assert_eq!((host[0], world.device.take_copies()), (1, vec![(true, 16)]));
    // Reading leaves the copy there, and is done once.
    world.give_back(&host[..4], HostUse::Reads);
    world.give_back(&host[..4], HostUse::Reads);
    assert_eq!((host[0], world.device.take_copies()), (9, vec![(false, 4)]));
    world.give_back(&host, HostUse::Writes);
    assert_eq!((world.table.len(), world.device.live()), (0, 0));
    assert_eq!(world.device.take_copies(), [(false, 12)]);
}

/// Each side gets what it looks at and the other has newer, no byte more.
#[test]
fn parts_of_data_of_nests_move_by_themselves() {
    let mut world = World::new();
    let mut host = [1u8; 16];
    let whole = host.as_mut_ptr();
    // SAFETY (all): parts of the array above, which nobody else uses.
    let part = |from: usize, to: usize| unsafe {
        std::slice::from_raw_parts_mut(whole.add(from), to - from)
    };
    let device = world.nest(&mut [(part(0, 16), COPYOUT)]).unwrap();
    assert_eq!(world.device.take_copies(), []);
    (0..16).for_each(|at| world.poke(device + at, 20 + at as u8));
    // Overwritten on the host: nothing comes back, and only that goes there.
    world.give_back(part(4, 6), HostUse::Overwrites);
    part(4, 6).fill(7);
    world.give_back(part(2, 6), HostUse::Reads);
    assert_eq!(
        (part(0, 7).to_vec(), world.device.take_copies()),
        (vec![1, 1, 22, 23, 7, 7, 1], vec![(false, 2)])
    );
    world.nest(&mut [(part(0, 16), COPYIN)]).unwrap();
    assert_eq!(world.device.take_copies(), [(true, 2)]);
    // Written perhaps: it comes back first.
    world.give_back(part(8, 10), HostUse::Writes);
    assert_eq!(
        (part(8, 10).to_vec(), world.device.take_copies()),
        (vec![28, 29], vec![(false, 2)])
    );
    world.nest(&mut [(part(0, 16), COPYOUT)]).unwrap();
    assert_eq!((world.device.take_copies(), world.table.len()), (vec![], 1));
    world.give_back(part(0, 16), HostUse::Overwrites);
    assert_eq!((world.device.take_copies(), world.table.len()), (vec![], 0));
    // A nest that overwrites more than is there takes its place.
    world.nest(&mut [(part(2, 6), COPY)]).unwrap();
    world.device.take_copies();
    world.nest(&mut [(part(4, 8), COPYOUT)]).unwrap();
    assert_eq!((world.device.take_copies(), world.table.len()), (vec![(false, 2)], 1));
}

/// An array of which more parts are newer on a side than are told apart comes back.
#[test]
fn too_many_parts_come_back_together() {
    let mut world = World::new();
    let mut host = [1u8; 400];
    world.nest(&mut [(&mut host, COPY)]).unwrap();
    for at in (0..400).step_by(2) {
        world.give_back(&host[at..=at], HostUse::Overwrites);
    }
    assert_eq!(world.table.len(), 0);
}

#[test]
fn what_has_ended_is_not_written_back() {
    let mut world = World::new();
    let mut host = [1u8; 8];
    let device = world.nest(&mut [(&mut host, COPY)]).unwrap();
    world.poke(device, 9);
    world.give_back(&host, HostUse::Ends);
    assert_eq!((host[0], world.table.len(), world.device.live()), (1, 0, 0));
}

#[test]
fn nests_keep_off_what_overlaps_and_what_is_the_program_s() {
    let mut world = World::new();
    let mut host = [1u8; 16];
    let whole = host.as_mut_ptr();
    // SAFETY (all): parts of the array above, which nobody else uses.
    let part = |from: usize, to: usize| unsafe {
        std::slice::from_raw_parts_mut(whole.add(from), to - from)
    };
    let clash = world.nest(&mut [(part(0, 8), COPY), (part(4, 12), COPYIN)]);
    assert_eq!(clash, Err("what it writes and what it uses overlap"));
    // Reads may overlap: they are one.
    let device = world.nest(&mut [(part(0, 8), COPYIN), (part(4, 12), COPYIN)]).unwrap();
    assert_eq!(world.table.len(), 1);
    // A nest that needs more takes its place, with what was newer.
    world.nest(&mut [(part(0, 8), COPY)]).unwrap();
    world.poke(device + 3, 7);
    world.nest(&mut [(part(2, 16), COPY)]).unwrap();
    assert_eq!((part(3, 4)[0], world.table.len()), (7, 1));
    world.give_back(part(0, 16), HostUse::Writes);
    world.call(Begin, part(0, 4), COPY).unwrap();
    let of_program = world.nest(&mut [(part(0, 8), COPYIN)]);
    assert_eq!(of_program, Err("a directive has brought some of its data to the device"));
    world.call(End, part(0, 4), COPY).unwrap();
}

/// Sections that the compiler chose share what they have in common, and all of it comes back where one does; what the
/// program says itself is not united.
#[test]
fn chosen_sections_that_overlap_are_brought_in_once() {
    let mut world = World::new();
    let mut host: Vec<u8> = (0..64).collect();
    let at = |host: &mut [u8], from: usize, bytes: u64, kind: u32| {
        let pointer = host[from..].as_mut_ptr().cast();
        // SAFETY: a live array of the test.
        unsafe { DataDescriptor::new(c"a", pointer, bytes, kind) }
    };
    let mut data = [
        at(&mut host, 8, 16, COPYIN | IMPLICIT),
        at(&mut host, 20, 16, COPY | IMPLICIT),
        at(&mut host, 36, 4, COPYIN | IMPLICIT),
        at(&mut host, 0, 12, COPYIN | IMPLICIT),
    ];
    world.nests(|environment| environment.begin(&mut data)).unwrap();
    let [first, second, behind, front] = data.each_ref().map(|data| data.device as u64);
    assert_eq!((first - front, second - first), (8, 12));
    // What only touches is by itself.
    assert_eq!(world.table.len(), 2);
    world.poke(second + 15, 99);
    world.poke(behind, 98);
    world.nests(|environment| environment.end(&mut data)).unwrap();
    assert_eq!((host[35], host[36], host[34]), (99, 36, 34));
    assert_eq!(world.table.len(), 0);

    let mut said = [at(&mut host, 8, 16, COPYIN), at(&mut host, 20, 16, COPY)];
    let error = world.nests(|environment| environment.begin(&mut said)).unwrap_err();
    assert!(error.to_string().contains("a part of this section is on device"), "{error}");
}
