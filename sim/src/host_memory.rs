//! Host memory that several threads use at once, as racily as the kernels do that run on it.
//!
//! What a race does to device memory is what the host's processor does: every access from here is a
//! relaxed atomic of its element's size, or an instruction in assembly, which the compiler can neither
//! repeat nor take apart, where atomics would keep it from moving many bytes at once. A load that races sees of
//! every aligned element a value that somebody stored there. Under Miri all are atomics, so that it
//! finds whatever goes past them. (Rust leaves undefined what atomics of different sizes do to one place
//! without an order; the processors that this runs on do not.)

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A type that memory is read and written as.
pub(crate) trait Element: Copy + Default {
    /// Reads an element.
    ///
    /// # Safety
    /// The pointer is valid for reads and aligned, and nobody has a reference to what is there.
    unsafe fn load(pointer: *const Self) -> Self;

    /// Writes an element.
    ///
    /// # Safety
    /// As of [`Element::load`], for writes.
    unsafe fn store(pointer: *mut Self, value: Self);
}

macro_rules! element {
    ($type:ty, $atomic:ty) => {
        impl Element for $type {
            #[inline(always)]
            unsafe fn load(pointer: *const $type) -> $type {
                // SAFETY: the caller's; nobody writes through the atomic.
                unsafe { <$atomic>::from_ptr(pointer.cast_mut()) }.load(Relaxed)
            }

            #[inline(always)]
            unsafe fn store(pointer: *mut $type, value: $type) {
                // SAFETY: the caller's.
                unsafe { <$atomic>::from_ptr(pointer) }.store(value, Relaxed);
            }
        }
    };
}
element!(u8, AtomicU8);
element!(u16, AtomicU16);
element!(u32, AtomicU32);
element!(u64, AtomicU64);

/// Reads an element of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// As of [`Element::load`].
pub(crate) unsafe fn load_bits(pointer: *const u8, bytes: u32) -> u64 {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            1 => u8::load(pointer).into(),
            2 => u16::load(pointer.cast()).into(),
            4 => u32::load(pointer.cast()).into(),
            _ => u64::load(pointer.cast()),
        }
    }
}

/// Writes the lower bits of a value as an element of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// As of [`Element::store`].
pub(crate) unsafe fn store_bits(pointer: *mut u8, bytes: u32, value: u64) {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            1 => u8::store(pointer, value as u8),
            2 => u16::store(pointer.cast(), value as u16),
            4 => u32::store(pointer.cast(), value as u32),
            _ => u64::store(pointer.cast(), value),
        }
    }
}

/// Copies bytes from `from` on, the first first.
///
/// # Safety
/// As many bytes are valid at both ends, and `to` does not lie within them behind `from`.
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the caller's; the direction flag is clear, as the ABI has it.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    for at in 0..bytes {
        // SAFETY: the caller's.
        unsafe { u8::store(to.add(at), u8::load(from.add(at))) };
    }
}

/// As [`copy`], where the two may overlap in any way.
///
/// # Safety
/// As many bytes are valid at both ends.
pub(crate) unsafe fn copy_within(from: *const u8, to: *mut u8, bytes: usize) {
    let distance = (to as usize).wrapping_sub(from as usize);
    if distance >= bytes {
        // SAFETY: the caller's, and `to` is not among the bytes.
        return unsafe { copy(from, to, bytes) };
    }
    // From the last one on: in stretches as long as the distance, which do not overlap.
    let mut end = bytes;
    while end > 0 && distance > 0 {
        let start = end.saturating_sub(distance);
        // SAFETY: the caller's; `to` lies `distance` behind `from`, and no more than that is copied.
        unsafe { copy(from.add(start), to.add(start), end - start) };
        end = start;
    }
}

/// Writes one byte many times.
///
/// # Safety
/// As many bytes are valid for writes.
pub(crate) unsafe fn fill(to: *mut u8, byte: u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the caller's; the direction flag is clear, as the ABI has it.
    unsafe {
        std::arch::asm!(
            "rep stosb",
            inout("rcx") bytes => _,
            inout("rdi") to => _,
            in("al") byte,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    for at in 0..bytes {
        // SAFETY: the caller's.
        unsafe { u8::store(to.add(at), byte) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_fills() {
        for (from, to, bytes) in
            [(0, 40, 33), (0, 0, 5), (3, 4, 60), (4, 3, 60), (10, 30, 50), (30, 10, 50), (7, 7, 0)]
        {
            let mut memory: Vec<u8> = (0..100).collect();
            let mut want = memory.clone();
            want.copy_within(from..from + bytes, to);
            let pointer = memory.as_mut_ptr();
            // SAFETY: all of it is within the vector.
            unsafe { copy_within(pointer.add(from), pointer.add(to), bytes) };
            assert_eq!(memory, want, "{from} {to} {bytes}");
        }
        let mut memory = [1u8; 9];
        // SAFETY: as above.
        unsafe { fill(memory.as_mut_ptr().add(2), 7, 5) };
        assert_eq!(memory, [1, 1, 7, 7, 7, 7, 7, 1, 1]);
    }

    /// Two threads write a word that a third one reads: it sees one of the values. Under Miri a plain
    /// access would be an error here.
    #[test]
    fn races_have_a_result() {
        let mut word = 0u32;
        struct Shared(*mut u32);
        // SAFETY: all accesses are atomic.
        unsafe impl Sync for Shared {}
        let shared = Shared(&raw mut word);
        let shared = &shared;
        std::thread::scope(|scope| {
            for value in [0x1111_1111, 0x2222_2222] {
                scope.spawn(move || {
                    for _ in 0..20 {
                        // SAFETY: the word lives longer than the threads.
                        unsafe { u32::store(shared.0, value) };
                    }
                });
            }
            for _ in 0..20 {
                // SAFETY: as above.
                let seen = unsafe { u32::load(shared.0) };
                assert!([0, 0x1111_1111, 0x2222_2222].contains(&seen), "{seen:#x}");
            }
        });
    }
}
