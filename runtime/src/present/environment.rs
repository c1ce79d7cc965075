//! Data clauses carried out: reference counts, allocation, transfers.

use std::ffi::c_void;
use std::time::Instant;

use gpuc_diagnostics::Diagnostic;

use super::message::{misplaced, not_found, partly_present, wraps_around};
use super::{Entry, Presence, PresentTable};
use crate::Failure;
use crate::descriptor::{DataDescriptor, DataKind, FINALIZE, IF_PRESENT, SiteDescriptor};
use crate::device::{Device, Queue};
use crate::memory::Memory;
use crate::report::{Direction, Report};

/// What the host asks for where it has a pointer and no section: its first byte.
const BARE_POINTER_BYTES: u64 = 1;

/// Which reference count an action is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Structured,
    Dynamic,
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
}

impl DataEnvironment<'_> {
    /// Entry of a data region or of a compute construct: every variable is made present, its
    /// structured count goes up, its device address is filled in.
    pub fn begin(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data {
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
                Some(DataKind::DevicePointer) => data.device = data.host(),
                _ => return Err(misplaced(self.site, data, "a data region").into()),
            }
        }
        Ok(())
    }

    /// Exit of a data region or of a compute construct, in reverse order of its entry.
    pub fn end(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data.iter_mut().rev() {
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
                _ => return Err(misplaced(self.site, data, "a data region").into()),
            }
        }
        Ok(())
    }

    /// `enter data`.
    pub fn enter(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data {
            match data.data_kind() {
                Some(kind @ (DataKind::CopyIn | DataKind::Create)) => {
                    self.acquire(data, kind, Count::Dynamic)?;
                }
                _ => return Err(misplaced(self.site, data, "`enter data`").into()),
            }
        }
        Ok(())
    }

    /// `exit data`.
    pub fn exit(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data.iter_mut() {
            match data.data_kind() {
                Some(kind @ (DataKind::CopyOut | DataKind::Delete)) => {
                    self.release(data, kind, Count::Dynamic)?;
                }
                _ => return Err(misplaced(self.site, data, "`exit data`").into()),
            }
        }
        Ok(())
    }

    /// `update`.
    pub fn update(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        for data in data {
            let direction = match data.data_kind() {
                Some(DataKind::UpdateHost) => Direction::ToHost,
                Some(DataKind::UpdateDevice) => Direction::ToDevice,
                _ => return Err(misplaced(self.site, data, "`update`").into()),
            };
            let Some(kind) = data.data_kind().filter(|_| !is_nothing(data)) else { continue };
            match self.locate(data, kind)? {
                Some((_, device)) => {
                    data.device = device as *mut c_void;
                    self.transfer(data, device, direction)?;
                }
                None if data.has(IF_PRESENT) => {}
                None => return Err(not_found(self.table, self.site, data, kind).into()),
            }
        }
        Ok(())
    }

    /// The start of the entry that holds the section, and the section's device address.
    fn locate(&self, data: &DataDescriptor, kind: DataKind) -> Result<Option<(u64, u64)>, Failure> {
        let host = data.host_address();
        if host.checked_add(data.bytes()).is_none() {
            return Err(wraps_around(self.site, data).into());
        }
        match self.table.find(host, data.bytes()) {
            Presence::Present(entry) => Ok(Some((entry.host, entry.device + (host - entry.host)))),
            Presence::Absent => Ok(None),
            Presence::Partial(entry) => {
                Err(partly_present(self.table, self.site, data, kind, entry).into())
            }
        }
    }

    /// Whether a pointer without a section points to where a section of no bytes is mapped, as
    /// `a[0:n]` is when `n` is 0: then the region will not look at it.
    fn is_empty_pointee(&self, data: &DataDescriptor) -> bool {
        data.bytes() <= BARE_POINTER_BYTES && self.table.has_empty(data.host_address())
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
        if let Some((start, device)) = self.locate(data, kind)? {
            data.device = device as *mut c_void;
            if let Some(entry) = self.table.at_mut(start) {
                match count {
                    Count::Structured => entry.structured += 1,
                    Count::Dynamic => entry.dynamic += 1,
                }
            }
            return Ok(());
        }
        match kind {
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
            dynamic: u64::from(count == Count::Dynamic),
            mapped: false,
            name,
            place: self.site.place_of_line(data.line),
        });
        if matches!(kind, DataKind::Copy | DataKind::CopyIn | DataKind::ImplicitCopy) {
            self.transfer(data, device, Direction::ToDevice)?;
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
        let Some((start, device)) = self.locate(data, kind)? else {
            if kind.is_present() && self.is_empty_pointee(data) {
                return Ok(());
            }
            // `exit data` of what is not there does nothing: its dynamic count is zero. At the end
            // of a region only `no_create` may miss its data; otherwise the program has freed
            // (`acc_shutdown`, `acc_unmap_data`) what the region still used.
            return if count == Count::Dynamic || kind == DataKind::NoCreate {
                Ok(())
            } else {
                Err(not_found(self.table, self.site, data, kind).into())
            };
        };
        let Some(entry) = self.table.at_mut(start) else { return Ok(()) };
        let counter = match count {
            Count::Structured => &mut entry.structured,
            Count::Dynamic => &mut entry.dynamic,
        };
        if *counter == 0 {
            return Ok(());
        }
        *counter = if data.has(FINALIZE) { 0 } else { *counter - 1 };
        if !entry.is_unreferenced() {
            return Ok(());
        }
        if matches!(kind, DataKind::Copy | DataKind::CopyOut | DataKind::ImplicitCopy) {
            self.transfer(data, device, Direction::ToHost)?;
        }
        if let Some(entry) = self.table.remove(start) {
            self.memory
                .release(self.device, entry.device)
                .map_err(|error| self.failed(data, error.into_diagnostic()))?;
        }
        Ok(())
    }

    /// Copies a section whose device address is `device`.
    fn transfer(
        &mut self,
        data: &DataDescriptor,
        device: u64,
        direction: Direction,
    ) -> Result<(), Failure> {
        let started = self.report.is_some().then(Instant::now);
        let host = data.host().cast::<u8>();
        // SAFETY: the program's clause says that these bytes of it are there to copy; on this
        // queue the copy is complete when the call returns.
        let done = unsafe {
            match direction {
                Direction::ToDevice => {
                    self.device.copy_to_device(device, host, data.bytes(), Queue::SYNC)
                }
                Direction::ToHost => {
                    self.device.copy_to_host(host, device, data.bytes(), Queue::SYNC)
                }
            }
        };
        done.map_err(|error| self.failed(data, error.into_diagnostic()))?;
        if let (Some(report), Some(started)) = (self.report.as_deref_mut(), started) {
            report.transfer(self.site, &data.name(), direction, data.bytes(), started.elapsed());
        }
        Ok(())
    }

    /// A device error as one of this clause.
    fn failed(&self, data: &DataDescriptor, error: Diagnostic) -> Failure {
        let error = if error.place.is_none() { self.site.locate(error, data.line) } else { error };
        let label = format!("for `{}` ({} bytes)", data.name(), data.bytes());
        Box::new(if error.label.is_empty() { error.label(label) } else { error })
    }
}

/// Whether there is nothing to hold: a section without elements or a null pointer.
fn is_nothing(data: &DataDescriptor) -> bool {
    data.bytes() == 0 || data.host().is_null()
}
