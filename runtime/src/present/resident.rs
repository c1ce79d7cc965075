//! Data that stay on the device between the nests that the compiler found (`gpuc --auto`).
//!
//! No directive names them, and the program knows nothing of them: wherever it might look, the
//! compiler has put a call that gives back what is newer on the device ([`DataEnvironment::give_back`]).
//! What the program's own directives bring to the device is never used for a nest, and nothing stays
//! while one of them is carried out.

use std::sync::atomic::{AtomicI32, Ordering};

use super::{DataEnvironment, Entry, Stays};
use crate::Failure;
use crate::descriptor::{AUTO, DataDescriptor, DataKind, LEAVES, UNCERTAIN};
use crate::device::{DeviceError, Queue};
use crate::report::Direction;

/// How many entries stay on the device: programs look at it before they call.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "a name of the C ABI")]
pub static __gpuc_auto_resident: AtomicI32 = AtomicI32::new(0);

/// More stretches of one array that are newer on a side are not told apart: the array goes.
const MOST_STRETCHES: usize = 64;

/// What the host is about to do with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostUse {
    /// At most to read it.
    Reads,
    /// Anything.
    Writes,
    /// To write all of it before anybody reads there.
    Overwrites,
    /// Nothing any more: its life is over.
    Ends,
}

/// What a nest asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Bytes that are not on the device.
    pub missing: u64,
    /// Bytes that it changes, and that were not newer there already.
    pub changed: u64,
}

/// Why a nest runs on the host.
pub type Reason = &'static str;

/// A range of host memory that a nest uses.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    end: u64,
    written: bool,
    /// Whether the nest writes every byte before it reads any.
    overwritten: bool,
    /// The number of one of its descriptors.
    item: usize,
    leaves: bool,
}

impl Range {
    fn of(item: usize, data: &DataDescriptor) -> Result<Option<Range>, Reason> {
        let (start, bytes) = (data.host_address(), data.bytes());
        if bytes == 0 {
            return Ok(None);
        }
        if bytes == UNCERTAIN {
            return Err("a condition that only the device knows decides what it touches");
        }
        if start == 0 {
            return Err("a pointer is null");
        }
        // A footprint beyond the address space is one whose computation has wrapped around.
        let end = start.checked_add(bytes).filter(|_| bytes <= i64::MAX as u64);
        let end = end.ok_or("the loops would touch more than there is memory")?;
        let written = data.data_kind().is_some_and(DataKind::copies_out);
        let overwritten = data.data_kind() == Some(DataKind::CopyOut);
        Ok(Some(Range { start, end, written, overwritten, item, leaves: data.has(LEAVES) }))
    }

    fn meets(&self, other: &Range) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// What the nest does with it, as far as what was there before is concerned.
    fn host_use(&self) -> HostUse {
        if self.overwritten { HostUse::Overwrites } else { HostUse::Writes }
    }
}

/// The ranges of a nest; those that overlap are one, which no nest writes to.
fn ranges(data: &[DataDescriptor], fixed: &[DataDescriptor]) -> Result<Vec<Range>, Reason> {
    let of = |list: &[DataDescriptor]| -> Result<Vec<Range>, Reason> {
        let each = list.iter().enumerate().map(|(item, data)| Range::of(item, data));
        Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    };
    let (mut found, fixed) = (of(data)?, of(fixed)?);
    for (i, range) in found.iter().enumerate() {
        let clash = |other: &Range| range.meets(other) && (range.written || other.written);
        if found[i + 1..].iter().any(clash) {
            return Err("what it writes and what it uses overlap");
        }
        if fixed.iter().any(|value| range.written && range.meets(value)) {
            return Err("it may write to a variable that it is computed from");
        }
    }
    found.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range> = Vec::new();
    for range in found {
        match merged.last_mut().filter(|last| last.meets(&range)) {
            Some(last) => {
                last.end = last.end.max(range.end);
                last.leaves &= range.leaves;
                last.overwritten = false;
            }
            None => merged.push(range),
        }
    }
    Ok(merged)
}

impl DataEnvironment<'_> {
    /// What a nest on these data would have to move, or why it cannot run on the device.
    pub fn needs(
        &self,
        data: &[DataDescriptor],
        fixed: &[DataDescriptor],
    ) -> Result<Needs, Reason> {
        let mut needs = Needs::default();
        for range in ranges(data, fixed)? {
            let bytes = range.end - range.start;
            if self.table.meets_own(range.start, bytes) {
                return Err("a directive has brought some of its data to the device");
            }
            let holder = self.holder(&range);
            let stays = holder.and_then(|entry| entry.stays.as_ref());
            if !range.overwritten {
                let older = |stays: &Stays| stays.older.bytes(range.start, range.end);
                needs.missing += stays.map_or(bytes, older);
            }
            if holder.is_none()
                && self.table.staying_in(range.start, bytes).iter().any(|&at| self.in_use(at))
            {
                return Err("another thread's nest uses some of its data");
            }
            if range.written {
                let newer = |stays: &Stays| stays.newer.bytes(range.start, range.end);
                needs.changed += bytes - stays.map_or(0, newer);
            }
        }
        Ok(needs)
    }

    /// The staying entry that has all of a range.
    fn holder(&self, range: &Range) -> Option<&Entry> {
        let has = |entry: &&Entry| {
            entry.stays.is_some() && entry.host <= range.start && range.end <= entry.end()
        };
        self.table.entries().find(has)
    }

    fn in_use(&self, start: u64) -> bool {
        self.table.at(start).is_some_and(|entry| entry.structured > 0)
    }

    /// Begins a nest on data that [`DataEnvironment::needs`] has accepted: everything is on the device
    /// then, and what is not a scalar stays there. The reason where there is no memory for it.
    pub fn begin_nest(
        &mut self,
        data: &mut [DataDescriptor],
        fixed: &[DataDescriptor],
    ) -> Result<Result<(), Reason>, Failure> {
        let ranges = match ranges(data, fixed) {
            Ok(ranges) => ranges,
            Err(reason) => return Ok(Err(reason)),
        };
        for range in ranges {
            if range.leaves {
                self.give_back(range.start, range.bytes(), range.host_use())?;
                continue;
            }
            let start = match self.holder(&range).map(|entry| entry.host) {
                Some(start) => {
                    self.renew(start, &range)?;
                    start
                }
                None => {
                    self.evict(&range)?;
                    if !self.bring(&range, &data[range.item])? {
                        return Ok(Err("the device has no memory for its data"));
                    }
                    range.start
                }
            };
            if range.written
                && let Some(stays) = self.table.at_mut(start).and_then(|at| at.stays.as_mut())
            {
                stays.newer.add(range.start, range.end);
            }
        }
        self.begin(data)?;
        Ok(Ok(()))
    }

    /// Brings what the host has newer values of, of a range that stays.
    fn renew(&mut self, start: u64, range: &Range) -> Result<(), Failure> {
        let Some(entry) = self.table.at(start).cloned() else { return Ok(()) };
        let Some(stays) = &entry.stays else { return Ok(()) };
        if !range.overwritten {
            let older = stays.older.within(range.start, range.end);
            self.move_parts(&entry, stays, &older, Direction::ToDevice)?;
        }
        if let Some(stays) = self.table.at_mut(start).and_then(|at| at.stays.as_mut()) {
            stays.older.remove(range.start, range.end);
        }
        Ok(())
    }

    /// Lets go of all that stays and shares memory with a range, which takes its place.
    fn evict(&mut self, range: &Range) -> Result<(), Failure> {
        if range.overwritten {
            self.give_back(range.start, range.bytes(), HostUse::Overwrites)?;
        }
        for start in self.table.staying_in(range.start, range.bytes()) {
            let bytes = self.table.at(start).map_or(0, |entry| entry.bytes);
            self.give_back(start, bytes, HostUse::Writes)?;
        }
        Ok(())
    }

    /// Moves parts of what stays.
    fn move_parts(
        &mut self,
        entry: &Entry,
        stays: &Stays,
        parts: &[(u64, u64)],
        direction: Direction,
    ) -> Result<(), Failure> {
        for &(first, last) in parts {
            // SAFETY: the bytes are those of a nest's data, which the program has not let go of.
            let mut data =
                unsafe { DataDescriptor::new(stays.name, first as *mut _, last - first, AUTO) };
            data.line = entry.place.as_ref().map_or(0, |place| place.line);
            self.transfer(&data, entry.device + (first - entry.host), direction)?;
        }
        Ok(())
    }

    /// Brings a range to the device, to stay; whether there is memory for it.
    fn bring(&mut self, range: &Range, data: &DataDescriptor) -> Result<bool, Failure> {
        let (bytes, name) = (range.bytes(), data.name().into_owned());
        let mut allocated = self.memory.allocate(self.device, bytes, &name);
        if let Err(DeviceError::OutOfMemory { .. }) = allocated {
            // What no nest uses now makes room.
            self.give_back(0, 0, HostUse::Writes)?;
            allocated = self.memory.allocate(self.device, bytes, &name);
        }
        let device = match allocated {
            Ok(device) => device,
            Err(DeviceError::OutOfMemory { .. }) => return Ok(false),
            Err(error) => return Err(self.failed(data, error.into_diagnostic())),
        };
        self.table.insert(Entry {
            host: range.start,
            bytes,
            device,
            structured: 0,
            dynamic: 0,
            mapped: false,
            stays: Some(Stays { name: data.literal(), ..Stays::default() }),
            name,
            place: self.site.place_of_line(data.line),
        });
        __gpuc_auto_resident.fetch_add(1, Ordering::SeqCst);
        if !range.overwritten {
            let section = data.part(range.start as *mut std::ffi::c_void, bytes, data.kind);
            self.transfer(&section, device, Direction::ToDevice)?;
        }
        Ok(true)
    }

    /// Ends a nest: scalars come back, the rest stays, but for what somebody has asked back meanwhile.
    pub fn end_nest(&mut self, data: &mut [DataDescriptor]) -> Result<(), Failure> {
        self.end(data)?;
        let is_doomed = |entry: &&Entry| {
            entry.structured == 0 && entry.stays.as_ref().is_some_and(|stays| stays.doomed)
        };
        let doomed: Vec<_> =
            self.table.entries().filter(is_doomed).map(|e| (e.host, e.bytes)).collect();
        doomed
            .into_iter()
            .try_for_each(|(host, bytes)| self.give_back(host, bytes, HostUse::Writes))
    }

    /// Makes a range of memory the host's, or everything that stays where the range is empty. What the host writes to
    /// a part of something leaves the rest there.
    pub fn give_back(&mut self, host: u64, bytes: u64, what: HostUse) -> Result<(), Failure> {
        for start in self.table.staying_in(host, bytes) {
            let Some(entry) = self.table.at(start).cloned() else { continue };
            let Some(stays) = &entry.stays else { continue };
            let (first, last) = match bytes {
                0 => (entry.host, entry.end()),
                _ => (entry.host.max(host), entry.end().min(host.saturating_add(bytes))),
            };
            let used = entry.structured > 0;
            let wanted = matches!(what, HostUse::Reads | HostUse::Writes);
            if wanted {
                let newer = stays.newer.within(first, last);
                self.move_parts(&entry, stays, &newer, Direction::ToHost)?;
            }
            let mut goes = (first, last) == (entry.host, entry.end()) && what != HostUse::Reads;
            if let Some(stays) = self.table.at_mut(start).and_then(|at| at.stays.as_mut()) {
                // A kernel that runs will have newer values yet.
                if !(used && wanted) {
                    stays.newer.remove(first, last);
                }
                stays.doomed |= used && what != HostUse::Reads;
                if !used && what != HostUse::Reads {
                    stays.older.add(first, last);
                }
                goes |= stays.newer.len().max(stays.older.len()) > MOST_STRETCHES;
            }
            if goes && !used {
                self.remove_staying(start)?;
            }
        }
        Ok(())
    }

    /// Lets go of what stays, with what is newer there.
    fn remove_staying(&mut self, start: u64) -> Result<(), Failure> {
        let Some(entry) = self.table.remove(start) else { return Ok(()) };
        __gpuc_auto_resident.fetch_sub(1, Ordering::SeqCst);
        let Some(stays) = &entry.stays else { return Ok(()) };
        let newer = stays.newer.within(entry.host, entry.end());
        self.move_parts(&entry, stays, &newer, Direction::ToHost)?;
        let released = self.memory.release_behind(self.device, entry.device, Queue::SYNC);
        // SAFETY: no byte is touched; the descriptor stands for the entry.
        let data =
            unsafe { DataDescriptor::new(stays.name, entry.host as *mut _, entry.bytes, AUTO) };
        released.map_err(|error| self.failed(&data, error.into_diagnostic()))
    }
}
