//! The present table itself: which host ranges have a copy on the device.
//!
//! Only bookkeeping: no device is touched here. Ranges never overlap, which is what makes one
//! ordered map enough (OpenACC 3.3 §2.7: a range that is partly present is an error, so none such
//! is ever entered).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry::Vacant;
use std::ffi::CStr;

use gpuc_diagnostics::Place;

use super::newer::Stretches;
use crate::descriptor::{AUTO, DataDescriptor, DataKind};
use crate::device::DevicePtr;

/// A host range with a copy on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// First host byte.
    pub host: u64,
    /// Length in bytes, at least 1.
    pub bytes: u64,
    /// Device address of the first byte.
    pub device: DevicePtr,
    /// Structured reference count (OpenACC 3.3 §2.6.7): data regions and compute constructs.
    pub structured: u64,
    /// Dynamic reference count: `enter data` and the `acc_*` routines.
    pub dynamic: u64,
    /// Made by `acc_map_data`: the program owns the device memory.
    pub mapped: bool,
    /// Left there by a nest that the compiler found ([`super::resident`]); no program's own.
    pub stays: Option<Stays>,
    /// The variable that brought it in.
    pub name: String,
    /// Where it was brought in.
    pub place: Option<Place>,
}

/// Who keeps data on the device from one call to the next, until told to let go of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Its name.
    pub name: String,
    /// Whether the host's values have been brought in since it is there.
    pub filled: bool,
}

/// What is left on the device between nests that the compiler found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stays {
    /// The variable that brought it in.
    pub name: &'static CStr,
    /// What the device has newer values of than the host.
    pub newer: Stretches,
    /// What the host has newer values of than the device; the rest is the same on both sides.
    pub older: Stretches,
    /// Whether it goes as soon as no nest uses it.
    pub doomed: bool,
}

impl Entry {
    /// One past the last host byte.
    pub fn end(&self) -> u64 {
        self.host + self.bytes
    }

    /// Whether nothing refers to it any more.
    pub fn is_unreferenced(&self) -> bool {
        self.structured == 0 && self.dynamic == 0 && !self.mapped && self.stays.is_none()
    }
}

/// How a host range stands to the table.
#[derive(Debug, PartialEq, Eq)]
pub enum Presence<T> {
    /// Within one entry.
    Present(T),
    /// Outside all entries.
    Absent,
    /// Partly inside the entry: an error in every use.
    Partial(T),
}

/// The present table of one device.
#[derive(Debug, Default)]
pub struct PresentTable {
    /// The number of the device.
    number: usize,
    by_host: BTreeMap<u64, Entry>,
    /// Where sections of no bytes have been mapped, and how often.
    empty: BTreeMap<u64, u64>,
    /// How often the pointers at these host addresses have been attached.
    attached: BTreeMap<u64, u64>,
    /// Who keeps entries, by their starts.
    owned: BTreeMap<u64, Owner>,
}

impl PresentTable {
    /// The table of the device of that number.
    pub fn of(number: usize) -> PresentTable {
        PresentTable { number, ..PresentTable::default() }
    }

    /// The number of the device.
    pub fn device_number(&self) -> usize {
        self.number
    }

    /// The entry to which `host` belongs or the nearest one that starts below it.
    fn below(&self, host: u64) -> Option<&Entry> {
        self.by_host.range(..=host).next_back().map(|(_, entry)| entry)
    }

    /// How `bytes` bytes at `host` stand to the table. No bytes are present where `host` lies
    /// inside an entry, and otherwise absent.
    pub fn find(&self, host: u64, bytes: u64) -> Presence<&Entry> {
        let end = host.saturating_add(bytes);
        if let Some(entry) = self.below(host).filter(|entry| host < entry.end()) {
            return if end <= entry.end() {
                Presence::Present(entry)
            } else {
                Presence::Partial(entry)
            };
        }
        match self.by_host.range(host..).next() {
            Some((&start, entry)) if start < end => Presence::Partial(entry),
            _ => Presence::Absent,
        }
    }

    /// The entry that starts at `start`, for changing its counts.
    pub fn at_mut(&mut self, start: u64) -> Option<&mut Entry> {
        self.by_host.get_mut(&start)
    }

    /// Adds an entry that [`PresentTable::find`] has found absent.
    pub fn insert(&mut self, entry: Entry) {
        debug_assert!(matches!(self.find(entry.host, entry.bytes), Presence::Absent));
        self.by_host.insert(entry.host, entry);
    }

    /// Removes the entry that starts at `start`.
    pub fn remove(&mut self, start: u64) -> Option<Entry> {
        let entry = self.by_host.remove(&start)?;
        self.owned.remove(&start);
        // Its pointers go with it.
        self.attached.retain(|&pointer, _| pointer < start || pointer >= entry.end());
        Some(entry)
    }

    /// Who keeps the entry that starts at `start`.
    pub fn owner_mut(&mut self, start: u64) -> Option<&mut Owner> {
        self.owned.get_mut(&start)
    }

    /// Has an owner keep an entry, as one more dynamic reference, if none does yet.
    pub fn keep(&mut self, start: u64, name: &str) {
        let Some(entry) = self.by_host.get_mut(&start) else { return };
        if let Vacant(place) = self.owned.entry(start) {
            place.insert(Owner { name: name.to_owned(), filled: false });
            entry.dynamic += 1;
        }
    }

    /// Has an owner let go of all that it keeps: the starts of those entries.
    pub fn let_go(&mut self, name: &str) -> Vec<u64> {
        let its = self.owned.iter().filter(|(_, owner)| owner.name == name);
        let starts: Vec<u64> = its.map(|(&start, _)| start).collect();
        for start in &starts {
            self.owned.remove(start);
            if let Some(entry) = self.by_host.get_mut(start) {
                entry.dynamic = entry.dynamic.saturating_sub(1);
            }
        }
        starts
    }

    /// Removes every entry, in order of host address.
    pub fn drain(&mut self) -> impl Iterator<Item = Entry> {
        self.attached.clear();
        self.owned.clear();
        std::mem::take(&mut self.by_host).into_values()
    }

    /// Notes that a section of no bytes is mapped: there is nothing to find, but nothing is missing
    /// either where only its address is asked for.
    pub fn add_empty(&mut self, host: u64) {
        *self.empty.entry(host).or_default() += 1;
    }

    /// Forgets one mapping of a section of no bytes.
    pub fn remove_empty(&mut self, host: u64) {
        if let Some(count) = self.empty.get_mut(&host) {
            *count -= 1;
            if *count == 0 {
                self.empty.remove(&host);
            }
        }
    }

    /// Whether a section of no bytes is mapped there.
    pub fn has_empty(&self, host: u64) -> bool {
        self.empty.contains_key(&host)
    }

    /// Counts one more attachment of a pointer; whether it is the first.
    pub fn attach(&mut self, pointer: u64) -> bool {
        let count = self.attached.entry(pointer).or_default();
        *count += 1;
        *count == 1
    }

    /// The host addresses of attached pointers in a range.
    pub fn attached_in(&self, host: u64, bytes: u64) -> impl Iterator<Item = u64> + '_ {
        self.attached.range(host..host.saturating_add(bytes)).map(|(&pointer, _)| pointer)
    }

    /// What stays on the device for nests and shares a byte with a range; everything that stays where
    /// the range is empty.
    pub fn staying_in(&self, host: u64, bytes: u64) -> Vec<u64> {
        let end = host.saturating_add(bytes);
        let meets = |entry: &Entry| bytes == 0 || (entry.host < end && host < entry.end());
        let staying = self.by_host.values().filter(|entry| entry.stays.is_some() && meets(entry));
        staying.map(|entry| entry.host).collect()
    }

    /// The entry that starts at `start`.
    pub fn at(&self, start: u64) -> Option<&Entry> {
        self.by_host.get(&start)
    }

    /// Whether a range shares a byte with what the program itself has brought to the device.
    pub fn meets_own(&self, host: u64, bytes: u64) -> bool {
        let end = host.saturating_add(bytes);
        let meets = |entry: &Entry| entry.host < end && host < entry.end();
        self.by_host.values().any(|entry| entry.stays.is_none() && meets(entry))
    }

    /// All entries, by host address.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.by_host.values()
    }

    /// Counts one attachment less, or forgets all; whether it was the last one.
    pub fn detach(&mut self, pointer: u64, all: bool) -> bool {
        let Some(count) = self.attached.get_mut(&pointer) else { return false };
        *count = if all { 0 } else { *count - 1 };
        let last = *count == 0;
        if last {
            self.attached.remove(&pointer);
        }
        last
    }

    /// The device address of one host byte.
    pub fn device_address(&self, host: u64) -> Option<DevicePtr> {
        match self.find(host, 0) {
            Presence::Present(entry) => Some(entry.device + (host - entry.host)),
            Presence::Absent | Presence::Partial(_) => None,
        }
    }

    /// The host address of one device byte.
    pub fn host_address(&self, device: DevicePtr) -> Option<u64> {
        self.by_host
            .values()
            .find(|entry| device >= entry.device && device - entry.device < entry.bytes)
            .map(|entry| entry.host + (device - entry.device))
    }

    /// Whether two variables share no byte: they lie in different entries, or both say how much they
    /// are of and that is apart. False where either is not here.
    pub fn disjoint(&self, a: &DataDescriptor, b: &DataDescriptor) -> bool {
        let start = DataDescriptor::host_address;
        let end = |data: &DataDescriptor| start(data).saturating_add(data.bytes());
        let entry = |data: &DataDescriptor| match self.find(start(data), 0) {
            Presence::Present(entry) => Some(entry.host),
            Presence::Absent | Presence::Partial(_) => None,
        };
        let (Some(in_a), Some(in_b)) = (entry(a), entry(b)) else { return false };
        let is_sized = |data: &DataDescriptor| {
            use DataKind::{Copy, CopyIn, CopyOut, Create};
            // Sections that the compiler found are all that a nest touches.
            data.has(AUTO) || matches!(data.data_kind(), Some(Copy | CopyIn | CopyOut | Create))
        };
        let apart = end(a) <= start(b) || end(b) <= start(a);
        in_a != in_b || (is_sized(a) && is_sized(b) && apart)
    }

    /// The `most` entries nearest to `host`, nearest first.
    pub fn nearest(&self, host: u64, most: usize) -> Vec<&Entry> {
        let distance = |entry: &Entry| {
            if host < entry.host {
                entry.host - host
            } else {
                host.saturating_sub(entry.end().saturating_sub(1))
            }
        };
        let mut near: Vec<&Entry> = self.by_host.values().collect();
        near.sort_by_key(|entry| (distance(entry), entry.host));
        near.truncate(most);
        near
    }

    /// The first entry brought in under `name`.
    pub fn named(&self, name: &str) -> Option<&Entry> {
        self.by_host.values().find(|entry| entry.name == name)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.by_host.len()
    }

    /// Whether nothing is on the device.
    pub fn is_empty(&self) -> bool {
        self.by_host.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(host: u64, bytes: u64) -> Entry {
        Entry {
            host,
            bytes,
            device: host + 0x10_0000,
            structured: 0,
            dynamic: 1,
            mapped: false,
            stays: None,
            name: format!("v{host:x}"),
            place: None,
        }
    }

    #[test]
    fn ranges() {
        let mut table = PresentTable::default();
        table.insert(entry(0x100, 0x40));
        table.insert(entry(0x140, 0x10));
        table.insert(entry(0x200, 0x10));
        let find = |host, bytes| match table.find(host, bytes) {
            Presence::Present(e) => ('=', e.host),
            Presence::Partial(e) => ('/', e.host),
            Presence::Absent => ('-', 0),
        };
        let cases = [
            (0x100, 0x40, '=', 0x100),
            (0x13f, 1, '=', 0x100),
            (0x120, 8, '=', 0x100),
            (0x140, 0x10, '=', 0x140),
            (0x138, 0x10, '/', 0x100),
            (0xf0, 0x20, '/', 0x100),
            (0xf0, 0x10, '-', 0),
            (0x150, 0xb0, '-', 0),
            (0x150, 0xb1, '/', 0x200),
            (0x0, 0x1000, '/', 0x100),
            (0x120, 0, '=', 0x100),
            (0x160, 0, '-', 0),
            (0x208, u64::MAX, '/', 0x200),
        ];
        for (host, bytes, sign, start) in cases {
            assert_eq!(find(host, bytes), (sign, start), "{host:#x} {bytes:#x}");
        }
    }

    #[test]
    fn addresses_both_ways_and_neighbours() {
        let mut table = PresentTable::default();
        assert!(table.is_empty());
        table.insert(entry(0x100, 0x40));
        table.insert(entry(0x200, 0x10));
        assert_eq!(table.device_address(0x13f), Some(0x10_013f));
        assert_eq!(table.device_address(0x140), None);
        assert_eq!(table.host_address(0x10_0204), Some(0x204));
        assert_eq!(table.host_address(0x10_0210), None);
        let near: Vec<u64> = table.nearest(0x1f0, 5).iter().map(|e| e.host).collect();
        assert_eq!(near, [0x200, 0x100]);
        assert_eq!(table.named("v200").map(|e| e.host), Some(0x200));
        assert_eq!(table.remove(0x100).map(|e| e.bytes), Some(0x40));
        assert_eq!(table.len(), 1);
        assert_eq!(table.drain().count(), 1);
    }

    /// Every range of a small memory against a byte-by-byte account of three entries.
    #[test]
    fn find_agrees_with_counting_bytes() {
        let mut table = PresentTable::default();
        let entries = [(2u64, 3u64), (5, 1), (8, 2)];
        for (host, bytes) in entries {
            table.insert(entry(host, bytes));
        }
        let owner = |byte: u64| entries.iter().find(|(h, b)| (*h..h + b).contains(&byte));
        for host in 0..12 {
            for bytes in 1..12 {
                let mut owners: Vec<_> = (host..host + bytes).map(owner).collect();
                let touched = owners.iter().any(Option::is_some);
                owners.dedup();
                match table.find(host, bytes) {
                    Presence::Absent => assert!(!touched, "{host}+{bytes}"),
                    Presence::Present(found) => {
                        assert_eq!(owners, [Some(&(found.host, found.bytes))], "{host}+{bytes}");
                    }
                    Presence::Partial(found) => {
                        assert!(owners.len() > 1, "{host}+{bytes}");
                        assert!(owners.contains(&Some(&(found.host, found.bytes))));
                    }
                }
            }
        }
    }
}
