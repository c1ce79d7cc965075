//! Data clauses carried out: reference counts, allocation, transfers.

use std::ffi::c_void;
use std::time::Instant;

use gpuc_diagnostics::Diagnostic;

use super::message::{is_of_device, misplaced, not_found, partly_present, wraps_around};
use super::unions::unions;
use super::{Entry, Presence, PresentTable};
use crate::Failure;
use crate::descriptor::{
    ALWAYS, DataDescriptor, DataKind, FINALIZE, FIRST, IF_PRESENT, KEPT, ONE_COUNT, REQUIRED, ROWS,
    STRIDED, SiteDescriptor, WHOLE, ZERO,
};
use crate::device::{Device, Queue};
use crate::memory::Memory;
use crate::profiling::{self, About, Event, On};
use crate::queue::Queues;
use crate::report::{Direction, Report};
use crate::sent;

/// What the host asks for where it has a pointer and no section: its first byte.
const BARE_POINTER_BYTES: u64 = 1;

/// Which reference count an action is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Structured,
    Dynamic,
}

/// What happens to the pointers of a clause with rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointers {
    AttachBehind,
    DetachBefore,
    Leave,
}

/// Everything that a data clause may touch, under one lock.
pub struct DataEnvironment<'a> {
    /// The device.
    pub device: &'a dyn Device,
    /// Its present table.
    pub table: &'a mut PresentTable,
    /// Its allocator.
    pub memory: &'a mut Memory,
    /// Where transfers are noted.
    pub report: Option<&'a mut Report>,
    /// The directive.
    pub site: &'a SiteDescriptor,
    /// Where its transfers go. What the table says changes at once.
    pub queue: Queue,
    /// All queues: what leaves the device at once is done with in each of them.
    pub queues: &'a Queues,
}

impl DataEnvironment<'_> {
    /// Entry of a data region or of a compute construct: every variable is made present, its
    /// structured count goes up, its device address is filled in.
    pub fn begin(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        data.iter_mut().for_each(DataDescriptor::settle);
        for (kind, mut union) in unions(data) {
            self.acquire(&mut union, kind, Count::Structured)?;
        }
        for data in data {
            if data.has(ROWS) {
                self.rows(data, Self::begin, Pointers::AttachBehind)?;
                continue;
            }
            let kind = data.data_kind();
            match kind {
                Some(
                    kind @ (DataKind::Copy
                    | DataKind::CopyIn
                    | DataKind::CopyOut
                    | DataKind::Create
                    | DataKind::Present
                    | DataKind::NoCreate
                    | DataKind::ImplicitCopy
                    | DataKind::ImplicitPresent),
                ) => self.acquire(data, kind, Count::Structured)?,
                // An object that is named leads to its memory there.
                Some(DataKind::DevicePointer) if data.has(IF_PRESENT) => {
                    let found = self.locate(data)?;
                    data.device = found.map_or(data.host(), |(_, device)| device as *mut c_void);
                }
                Some(DataKind::DevicePointer) => data.device = data.host(),
                Some(DataKind::Attach) => self.attach(data)?,
                Some(DataKind::FirstPrivate) => self.copy_own(data)?,
                _ => return Err(misplaced(self.site, data, "a data region").into()),
            }
        }
        Ok(())
    }

    /// Exit of a data region or of a compute construct, in reverse order of its entry.
    pub fn end(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data.iter_mut().rev() {
            if data.has(ROWS) {
                self.rows(data, Self::end, Pointers::DetachBefore)?;
                continue;
            }
            match data.data_kind() {
                Some(
                    kind @ (DataKind::Copy
                    | DataKind::CopyIn
                    | DataKind::CopyOut
                    | DataKind::Create
                    | DataKind::Present
                    | DataKind::NoCreate
                    | DataKind::ImplicitCopy
                    | DataKind::ImplicitPresent),
                ) => self.release(data, kind, Count::Structured)?,
                Some(DataKind::DevicePointer) => {}
                Some(DataKind::Attach) => self.detach(data)?,
                Some(DataKind::FirstPrivate) => self.free_own(data)?,
                _ => return Err(misplaced(self.site, data, "a data region").into()),
            }
        }
        for (kind, mut union) in unions(data) {
            self.release(&mut union, kind, Count::Structured)?;
        }
        Ok(())
    }

    /// `enter data`.
    pub fn enter(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data {
            if data.has(ROWS) {
                self.rows(data, Self::enter, Pointers::AttachBehind)?;
                continue;
            }
            match data.data_kind() {
                Some(kind @ (DataKind::CopyIn | DataKind::Create)) => {
                    self.acquire(data, kind, Count::Dynamic)?;
                }
                Some(DataKind::Attach) => self.attach(data)?,
                _ => return Err(misplaced(self.site, data, "`enter data`").into()),
            }
        }
        Ok(())
    }

    /// `exit data`.
    pub fn exit(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data.iter_mut() {
            if data.has(ROWS) {
                self.rows(data, Self::exit, Pointers::Leave)?;
                continue;
            }
            match data.data_kind() {
                Some(kind @ (DataKind::CopyOut | DataKind::Delete)) => {
                    self.release(data, kind, Count::Dynamic)?;
                }
                Some(DataKind::Detach) => self.detach(data)?,
                _ => return Err(misplaced(self.site, data, "`exit data`").into()),
            }
        }
        Ok(())
    }

    /// `update`.
    pub fn update(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data {
            if data.has(ROWS) {
                self.rows(data, Self::update, Pointers::Leave)?;
                continue;
            }
            if data.has(STRIDED) {
                // SAFETY: the compiler has made the descriptor.
                if unsafe { data.is_impossible() } {
                    let whole = data.part(data.host(), u64::MAX, data.kind);
                    return Err(wraps_around(self.site, &whole).into());
                }
                // SAFETY: the compiler has made the descriptor.
                for mut element in unsafe { data.strided() } {
                    self.update(std::slice::from_mut(&mut element))?;
                }
                continue;
            }
            let direction = match data.data_kind() {
                Some(DataKind::UpdateHost) => Direction::ToHost,
                Some(DataKind::UpdateDevice) => Direction::ToDevice,
                _ => return Err(misplaced(self.site, data, "`update`").into()),
            };
            let Some(kind) = data.data_kind().filter(|_| !is_nothing(data)) else { continue };
            self.reach(data);
            match self.locate(data)? {
                Some((start, device)) => {
                    data.device = device as *mut c_void;
                    self.transfer(data, device, direction)?;
                    if direction == Direction::ToDevice {
                        self.note_filled(start);
                    }
                }
                None if data.has(IF_PRESENT) => {}
                None => return Err(not_found(self.table, self.site, data, kind).into()),
            }
        }
        Ok(())
    }

    /// `host_data`: the device addresses of what is present.
    pub fn use_device(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data {
            let Some(kind @ DataKind::UseDevice) = data.data_kind() else {
                return Err(misplaced(self.site, data, "`host_data`").into());
            };
            let found = if is_nothing(data) { None } else { self.locate(data)? };
            data.device = match found {
                Some((_, device)) => device as *mut c_void,
                None if is_nothing(data) || data.has(IF_PRESENT) => data.host(),
                None => return Err(not_found(self.table, self.site, data, kind).into()),
            };
        }
        Ok(())
    }

    /// The host's values in new memory that no table knows (OpenACC 3.3 §2.5.14). They are those of now, whatever
    /// the queue has still to do.
    fn copy_own(&mut self, data: &mut DataDescriptor) -> Result<(), Failure> {
        data.device = std::ptr::null_mut();
        if is_nothing(data) {
            return Ok(());
        }
        self.check_reach(data, DataKind::FirstPrivate)?;
        let device = self
            .memory
            .allocate(self.device, data.bytes(), &data.name())
            .map_err(|error| self.failed(data, error.into_diagnostic()))?;
        data.device = device as *mut c_void;
        self.tell(Event::Alloc, data, device);
        let queue = std::mem::replace(&mut self.queue, Queue::SYNC);
        let copied = self.transfer(data, device, Direction::ToDevice);
        self.queue = queue;
        copied
    }

    /// Gives the memory of [`DataEnvironment::copy_own`] back, once the queue does not use it any more.
    fn free_own(&mut self, data: &DataDescriptor) -> Result<(), Failure> {
        if data.device.is_null() {
            return Ok(());
        }
        self.tell(Event::Free, data, data.device as u64);
        self.memory
            .release_behind(self.device, data.device as u64, self.queue)
            .map_err(|error| self.failed(data, error.into_diagnostic()))
    }

    /// Does something with what each of several pointers points to, and with the pointers.
    fn rows(
        &mut self,
        data: &DataDescriptor,
        action: fn(&mut Self, &mut [DataDescriptor]) -> Result<(), Failure>,
        pointers: Pointers,
    ) -> Result<(), Failure> {
        // SAFETY: the program's clause says that the pointers are there.
        for (pointer, mut row) in unsafe { data.rows() } {
            let kind = DataKind::TABLE[DataKind::Attach as usize].1;
            let mut pointer = data.part(pointer, size_of::<u64>() as u64, kind);
            if pointers == Pointers::DetachBefore {
                self.detach(&mut pointer)?;
            }
            action(self, std::slice::from_mut(&mut row))?;
            if pointers == Pointers::AttachBehind {
                self.attach(&mut pointer)?;
            }
        }
        Ok(())
    }

    /// Makes the device's copy of a pointer point to the device's copy of what it points to
    /// (OpenACC 3.3 §2.7.2). Where one of them is not there, there is nothing to do.
    fn attach(&mut self, data: &mut DataDescriptor) -> Result<(), Failure> {
        let Some((pointer, device)) = self.pointer(data)? else { return Ok(()) };
        let Some(target) = self.table.device_address(pointer) else { return Ok(()) };
        if self.table.attach(data.host_address()) {
            self.write_pointer(data, device, target)?;
        }
        Ok(())
    }

    /// Undoes [`DataEnvironment::attach`]: with the last one, the device's copy of the pointer is the
    /// host's address again.
    fn detach(&mut self, data: &mut DataDescriptor) -> Result<(), Failure> {
        let last = self.table.detach(data.host_address(), data.has(FINALIZE));
        let Some((pointer, device)) = self.pointer(data)?.filter(|_| last) else { return Ok(()) };
        self.write_pointer(data, device, pointer)
    }

    /// The value of a pointer of the host, and the device address of its copy.
    fn pointer(&self, data: &DataDescriptor) -> Result<Option<(u64, u64)>, Failure> {
        if is_nothing(data) || data.bytes() != size_of::<u64>() as u64 {
            return Ok(None);
        }
        let Some((_, device)) = self.locate(data)? else { return Ok(None) };
        // SAFETY: the clause names a pointer variable of the program, which is there to read.
        Ok(Some((unsafe { data.host().cast::<u64>().read_unaligned() }, device)))
    }

    fn write_pointer(&mut self, data: &DataDescriptor, to: u64, value: u64) -> Result<(), Failure> {
        // SAFETY: the bytes are there until the copy is done: it is waited for.
        let done = unsafe {
            self.device.synchronize(self.queue).and_then(|()| {
                let bytes = value.to_ne_bytes();
                self.device.copy_to_device(to, bytes.as_ptr(), bytes.len() as u64, Queue::SYNC)
            })
        };
        done.map_err(|error| self.failed(data, error.into_diagnostic()))
    }

    /// The start of the entry that holds the section, and the section's device address.
    fn locate(&self, data: &DataDescriptor) -> Result<Option<(u64, u64)>, Failure> {
        let host = data.host_address();
        if host.checked_add(data.bytes()).is_none() {
            return Err(wraps_around(self.site, data).into());
        }
        match self.table.find(host, data.bytes()) {
            Presence::Present(entry) => Ok(Some((entry.host, entry.device + (host - entry.host)))),
            Presence::Absent => Ok(None),
            Presence::Partial(entry) => {
                Err(partly_present(self.table, self.site, data, entry).into())
            }
        }
    }

    /// Whether a pointer without a section points to where a section of no bytes is mapped, as
    /// `a[0:n]` is when `n` is 0: then the region will not look at it.
    fn is_empty_pointee(&self, data: &DataDescriptor) -> bool {
        data.bytes() <= BARE_POINTER_BYTES && self.table.has_empty(data.host_address())
    }

    /// Whether a pointer, whose section is the compiler's finding, holds an address of the device: it needs no map
    /// there (OpenMP 5.2 §8.2, `unified_address`).
    fn is_of_device(&self, data: &DataDescriptor) -> bool {
        data.has(IF_PRESENT) && self.memory.holds(data.host_address())
    }

    /// Refuses to copy where the host would read or write at an address of the device.
    fn check_reach(&self, data: &DataDescriptor, kind: DataKind) -> Result<(), Failure> {
        let moves = kind.copies_in() || kind.copies_out() || kind == DataKind::FirstPrivate;
        match moves && self.device.is_out_of_reach(data.host_address()) {
            true => Err(is_of_device(self.table, self.site, data).into()),
            false => Ok(()),
        }
    }

    /// Makes data of unknown length as long as what is there.
    fn reach(&self, data: &mut DataDescriptor) {
        if data.has(WHOLE)
            && let Presence::Present(entry) =
                self.table.find(data.host_address(), BARE_POINTER_BYTES)
        {
            data.reach(entry.end());
        }
    }

    /// What the host has is there now.
    fn note_filled(&mut self, start: u64) {
        if let Some(owner) = self.table.owner_mut(start) {
            owner.filled = true;
        }
    }

    /// Whether the values of the host come to data that is there already, from `start` on.
    fn fills(&mut self, data: &DataDescriptor, start: u64) -> bool {
        match data.has(FIRST) {
            true => self.table.owner_mut(start).is_none_or(|owner| !owner.filled),
            false => data.has(ALWAYS),
        }
    }

    /// Frees what an owner kept until now and nobody else uses.
    pub fn let_go(&mut self, owner: &str) -> Result<(), Failure> {
        for start in self.table.let_go(owner) {
            let unused = |entry: &&Entry| entry.is_unreferenced();
            let Some(entry) = self.table.at(start).filter(unused).cloned() else { continue };
            // SAFETY: no byte of it is read: the clause deletes.
            let data =
                unsafe { DataDescriptor::new(c"data", start as *mut c_void, entry.bytes, 6) };
            self.finish_queues(&data)?;
            self.table.remove(start);
            self.tell(Event::Delete, &data, entry.device);
            self.tell(Event::Free, &data, entry.device);
            self.memory
                .release_behind(self.device, entry.device, self.queue)
                .map_err(|error| self.failed(&data, error.into_diagnostic()))?;
        }
        Ok(())
    }

    /// Makes a section present and counts one more reference to it.
    fn acquire(
        &mut self,
        data: &mut DataDescriptor,
        kind: DataKind,
        count: Count,
    ) -> Result<(), Failure> {
        if is_nothing(data) {
            // No byte to bring in, so none to miss: but a section of an array that is there has
            // its address, and a null pointer stays one (OpenACC 3.3 §2.7).
            let device = self.table.device_address(data.host_address());
            data.device = device.unwrap_or(0) as *mut c_void;
            if !kind.is_present() {
                self.table.add_empty(data.host_address());
            }
            return Ok(());
        }
        self.reach(data);
        if let Some((start, device)) = self.locate(data)? {
            data.device = device as *mut c_void;
            if let Some(entry) = self.table.at_mut(start) {
                match count {
                    Count::Structured => entry.structured += 1,
                    Count::Dynamic if data.has(KEPT) => {}
                    Count::Dynamic => entry.dynamic += 1,
                }
            }
            if data.has(KEPT) {
                self.table.keep(start, &sent::owner());
            }
            if kind.copies_in() && self.fills(data, start) {
                self.transfer(data, device, Direction::ToDevice)?;
                self.note_filled(start);
            }
            return Ok(());
        }
        match kind {
            _ if data.has(REQUIRED) || data.has(WHOLE) => {
                return Err(not_found(self.table, self.site, data, DataKind::Present).into());
            }
            _ if self.is_of_device(data) => {
                data.device = data.host();
                return Ok(());
            }
            _ if kind.is_present() && self.is_empty_pointee(data) => {
                data.device = std::ptr::null_mut();
                return Ok(());
            }
            DataKind::Present | DataKind::ImplicitPresent => {
                return Err(not_found(self.table, self.site, data, kind).into());
            }
            DataKind::NoCreate => {
                data.device = data.host();
                return Ok(());
            }
            _ => {}
        }
        self.check_reach(data, kind)?;
        let name = data.name().into_owned();
        let device = self
            .memory
            .allocate(self.device, data.bytes(), &name)
            .map_err(|error| self.failed(data, error.into_diagnostic()))?;
        data.device = device as *mut c_void;
        self.table.insert(Entry {
            host: data.host_address(),
            bytes: data.bytes(),
            device,
            structured: u64::from(count == Count::Structured),
            dynamic: u64::from(count == Count::Dynamic && !data.has(KEPT)),
            mapped: false,
            stays: None,
            name,
            place: self.site.place_of_line(data.line),
        });
        if data.has(KEPT) {
            self.table.keep(data.host_address(), &sent::owner());
        }
        self.tell(Event::Alloc, data, device);
        self.tell(Event::Create, data, device);
        if kind.copies_in() {
            self.transfer(data, device, Direction::ToDevice)?;
            self.note_filled(data.host_address());
        } else if data.has(ZERO) {
            self.device
                .fill(device, 0, data.bytes(), self.queue)
                .map_err(|error| self.failed(data, error.into_diagnostic()))?;
        }
        Ok(())
    }

    /// Counts one reference less to a section; with the last one its contents go back where the
    /// clause says so, and the device memory is freed.
    fn release(
        &mut self,
        data: &mut DataDescriptor,
        kind: DataKind,
        count: Count,
    ) -> Result<(), Failure> {
        if is_nothing(data) {
            if !kind.is_present() {
                self.table.remove_empty(data.host_address());
            }
            return Ok(());
        }
        let Some((start, device)) = self.locate(data)? else {
            if kind.is_present() && self.is_empty_pointee(data) || self.is_of_device(data) {
                return Ok(());
            }
            // `exit data` of what is not there does nothing: its dynamic count is zero. At the end
            // of a region only `no_create` may miss its data; otherwise the program has freed
            // (`acc_shutdown`, `acc_unmap_data`) what the region still used.
            return if count == Count::Dynamic || kind == DataKind::NoCreate || data.has(ONE_COUNT) {
                Ok(())
            } else {
                Err(not_found(self.table, self.site, data, kind).into())
            };
        };
        let Some(entry) = self.table.at_mut(start) else { return Ok(()) };
        let is_one = data.has(ONE_COUNT);
        if is_one && data.has(FINALIZE) {
            entry.structured = 0;
        }
        let (own, other) = match count {
            Count::Structured => (&mut entry.structured, &mut entry.dynamic),
            Count::Dynamic => (&mut entry.dynamic, &mut entry.structured),
        };
        let was_held = is_one && data.has(FINALIZE);
        let counter = if is_one && *own == 0 { other } else { own };
        if *counter == 0 && !was_held {
            return Ok(());
        }
        *counter = if data.has(FINALIZE) { 0 } else { *counter - 1 };
        let is_last = entry.is_unreferenced();
        if is_last && self.queue == Queue::SYNC {
            self.finish_queues(data)?;
        }
        if kind.copies_out() && (is_last || data.has(ALWAYS)) {
            self.transfer(data, device, Direction::ToHost)?;
        }
        if !is_last {
            return Ok(());
        }
        if let Some(entry) = self.table.remove(start) {
            self.tell(Event::Delete, data, entry.device);
            self.tell(Event::Free, data, entry.device);
            self.memory
                .release_behind(self.device, entry.device, self.queue)
                .map_err(|error| self.failed(data, error.into_diagnostic()))?;
        }
        Ok(())
    }

    /// Waits for all queues: who forgot to wait for one may still use there what leaves the device.
    fn finish_queues(&mut self, data: &DataDescriptor) -> Result<(), Failure> {
        self.queues
            .all()
            .try_for_each(|queue| {
                self.device.synchronize(queue)?;
                self.memory.settle(self.device, queue)
            })
            .map_err(|error| self.failed(data, error.into_diagnostic()))
    }

    /// Copies a section whose device address is `device`.
    pub(super) fn transfer(
        &mut self,
        data: &DataDescriptor,
        device: u64,
        direction: Direction,
    ) -> Result<(), Failure> {
        let started = self.report.is_some().then(Instant::now);
        let host = data.host().cast::<u8>();
        // Pointers that are attached stay the host's here and the device's there.
        let attached: Vec<u64> =
            self.table.attached_in(data.host_address(), data.bytes()).collect();
        // SAFETY: they lie in what the clause names.
        let pointers: Vec<(u64, u64)> = attached
            .into_iter()
            .map(|at| (at, unsafe { (at as *const u64).read_unaligned() }))
            .collect();
        let (event, about) = (
            match direction {
                Direction::ToDevice => Event::EnqueueUploadStart,
                Direction::ToHost => Event::EnqueueDownloadStart,
            },
            About::Data { data, device },
        );
        // SAFETY: the program's clause says that these bytes of it are there to copy, until the
        // queue has come past this.
        let done = profiling::during(event, self.site, self.on(), about, || unsafe {
            match direction {
                Direction::ToDevice => {
                    self.device.copy_to_device(device, host, data.bytes(), self.queue)
                }
                Direction::ToHost => {
                    self.device.copy_to_host(host, device, data.bytes(), self.queue)
                }
            }
        });
        done.map_err(|error| self.failed(data, error.into_diagnostic()))?;
        for (at, pointer) in pointers {
            match direction {
                Direction::ToDevice => {
                    if let Some(target) = self.table.device_address(pointer) {
                        self.write_pointer(data, device + (at - data.host_address()), target)?;
                    }
                }
                Direction::ToHost => {
                    let done = self.device.synchronize(self.queue);
                    done.map_err(|error| self.failed(data, error.into_diagnostic()))?;
                    // SAFETY: as above; the copy is done.
                    unsafe { (at as *mut u64).write_unaligned(pointer) };
                }
            }
        }
        if let (Some(report), Some(started)) = (self.report.as_deref_mut(), started) {
            report.transfer(self.site, &data.name(), direction, data.bytes(), started.elapsed());
        }
        Ok(())
    }

    /// The device, for tools.
    fn on(&self) -> On {
        On { number: self.table.device_number(), kind: self.device.kind() }
    }

    /// Tells tools of memory.
    fn tell(&self, event: Event, data: &DataDescriptor, device: u64) {
        profiling::event(event, self.site, self.on(), About::Data { data, device });
    }

    /// A device error as one of this clause.
    pub(super) fn failed(&self, data: &DataDescriptor, error: Diagnostic) -> Failure {
        let error = if error.place.is_none() { self.site.locate(error, data.line) } else { error };
        let label = format!("for `{}` ({} bytes)", data.name(), data.bytes());
        Box::new(if error.label.is_empty() { error.label(label) } else { error })
    }
}

/// Whether there is nothing to hold: a section without elements or a null pointer.
fn is_nothing(data: &DataDescriptor) -> bool {
    data.bytes() == 0 || data.host().is_null()
}
