//! Variables of the program that functions of images find by an address.
//!
//! A function that stays a call is given no data of a construct. Where it uses a variable of its file, an image has a
//! variable `name$at…` for the address of the device's copy, which is written ahead of a launch whenever it is another one
//! than before. Files say when the program starts where their variables are on the host.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::device::{Device, DeviceError, DevicePtr, ModuleId, Queue};

/// What the names of these variables have in them.
const AT: &str = "$at";

/// Where the variables are on the host, by the names of the images' variables.
static ADDRESSES: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Says where a variable of the program is.
///
/// # Safety
/// `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_reach(name: *const c_char, host: *const c_void) {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    ADDRESSES.lock().unwrap_or_else(PoisonError::into_inner).insert(name, host as u64);
}

/// The names of such variables in an image's text.
fn names(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines().filter_map(|line| {
        let rest = line.strip_prefix(".visible .global ")?.split_once('[')?.0;
        rest.rsplit(' ').next().filter(|name| name.contains(AT))
    })
}

/// One of them, of a module.
#[derive(Debug)]
pub struct Reached {
    host: u64,
    place: DevicePtr,
    holds: AtomicU64,
}

impl Reached {
    /// All of a module.
    pub fn of(
        device: &dyn Device,
        module: ModuleId,
        texts: &[(&str, &str)],
    ) -> Result<Box<[Reached]>, DeviceError> {
        let addresses = ADDRESSES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = texts.iter().flat_map(|(ptx, _)| names(ptx));
        known
            .filter_map(|name| Some((name, *addresses.get(name)?)))
            .map(|(name, host)| {
                let (place, _) = device.variable(module, name)?;
                Ok(Reached { host, place, holds: AtomicU64::new(0) })
            })
            .collect()
    }

    /// Writes the address of the device's copy, which `find` knows; none where there is no copy.
    pub fn refresh(
        &self,
        device: &dyn Device,
        find: impl Fn(u64) -> Option<DevicePtr>,
    ) -> Result<(), DeviceError> {
        let now = find(self.host).unwrap_or(0);
        if self.holds.load(Ordering::Acquire) == now {
            return Ok(());
        }
        // SAFETY: eight bytes, copied when this returns.
        unsafe { device.copy_to_device(self.place, (&raw const now).cast(), 8, Queue::SYNC)? };
        self.holds.store(now, Ordering::Release);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_addresses() {
        let ptx = ".visible .global .align 16 .b8 count$at0a[8] = {0, 0};\n\
                   .global .align 16 .b8 table[16];\n.visible .global .align 8 .b8 other[8];\n\
                   .visible .func f$device()\n";
        assert_eq!(names(ptx).collect::<Vec<_>>(), ["count$at0a"]);
    }
}
