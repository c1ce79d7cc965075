//! A construct that is left to the host sees the device's data: what is present is exchanged with what
//! the host has, and back again behind it.

use gpuc_diagnostics::Diagnostic;

use super::DataEnvironment;
use crate::Failure;
use crate::device::{DevicePtr, Queue};
use crate::runtime::located;

/// What the host had where it has the device's data for a while.
#[derive(Debug, Default)]
pub struct Exchanged {
    parts: Vec<(u64, DevicePtr, Vec<u8>)>,
}

/// Bytes of the program.
///
/// # Safety
/// They are mapped by a clause of the program, so they are there.
pub(crate) unsafe fn host_bytes<'a>(host: u64, bytes: usize) -> &'a mut [u8] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(host as *mut u8, bytes) }
}

/// Writes what differs: constants of the program, which cannot be written to, never do.
pub(crate) fn write(to: &mut [u8], from: &[u8]) {
    if to != from {
        to.copy_from_slice(from);
    }
}

impl DataEnvironment<'_> {
    /// Gives the host the device's data. Pointers that are attached stay the host's.
    pub fn to_host(&mut self) -> Result<Exchanged, Failure> {
        let entries: Vec<_> =
            self.table.entries().map(|entry| (entry.host, entry.bytes, entry.device)).collect();
        let mut parts = Vec::new();
        for (host, bytes, device) in entries {
            // SAFETY: the entry is there because a clause has named those bytes.
            let here = unsafe { host_bytes(host, bytes as usize) };
            let kept = here.to_vec();
            let mut theirs = vec![0; kept.len()];
            // SAFETY: a buffer of that length.
            let read = unsafe {
                self.device.copy_to_host(theirs.as_mut_ptr(), device, bytes, Queue::SYNC)
            };
            read.map_err(|error| located(error, self.site))?;
            for pointer in self.table.attached_in(host, bytes) {
                let at = (pointer - host) as usize;
                let end = (at + size_of::<u64>()).min(kept.len());
                theirs[at..end].copy_from_slice(&kept[at..end]);
            }
            write(here, &theirs);
            parts.push((host, device, kept));
        }
        Ok(Exchanged { parts })
    }

    /// Gives the device what the host has made of its data, and the host what it had.
    pub fn from_host(&mut self, exchanged: Exchanged) -> Result<(), Failure> {
        for (host, device, kept) in exchanged.parts {
            // SAFETY: as above: the entry has not left the device meanwhile.
            let here = unsafe { host_bytes(host, kept.len()) };
            let mut theirs = here.to_vec();
            for pointer in self.table.attached_in(host, kept.len() as u64) {
                let at = (pointer - host) as usize;
                let Some(value) = theirs.get_mut(at..at + size_of::<u64>()) else { continue };
                let mut target = [0; size_of::<u64>()];
                target.copy_from_slice(value);
                if let Some(target) = self.table.device_address(u64::from_ne_bytes(target)) {
                    value.copy_from_slice(&target.to_ne_bytes());
                }
            }
            let bytes = theirs.len() as u64;
            // SAFETY: a buffer of that length.
            let written =
                unsafe { self.device.copy_to_device(device, theirs.as_ptr(), bytes, Queue::SYNC) };
            written.map_err(|error| located(error, self.site))?;
            write(here, &kept);
        }
        Ok(())
    }
}

/// What is said of a construct that runs on the host.
pub fn notice(construct: &str) -> Diagnostic {
    Diagnostic::warning(format!("this `{construct}` runs on the host"))
        .help("it was compiled with -foffload-unsupported=host, and the compiler has said why")
}
