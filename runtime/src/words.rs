//! Launches as compiled programs ask for them: with what is known when they run as words, one after the other, and a
//! layout that says what those are.
//!
//! The program lays the words out in an array; everything else is here, where no program's compiler has to read it again.

#![allow(
    clippy::missing_safety_doc,
    reason = "as in `abi`, what C calls has one contract, that of include/gpuc_rt.h"
)]

use std::ffi::{CStr, c_char, c_long, c_uint, c_ulong, c_void};
use std::slice;

use smallvec::SmallVec;

use crate::abi::{__gpuc_data_begin, __gpuc_data_end, __gpuc_region_end, launch};
use crate::arithmetic::__gpuc_bytes;
use crate::descriptor::{DataDescriptor, SiteDescriptor};
use crate::embedded::ImageDescriptor;
use crate::runtime::Shape;

/// What is known of a construct's data when compiling (`struct __gpuc_item`).
#[repr(C)]
#[derive(Debug)]
pub struct ItemDescriptor {
    name: *const c_char,
    kind: c_uint,
    line: c_uint,
    /// Whether the section starts elsewhere than at element 0, and a word says how far from it.
    is_inside: c_uint,
}

/// The words of a launch with what its layout says of them.
///
/// A layout is a text: seven sizes (those of the grid, those of a block, bytes of dynamic shared memory), each with a
/// comma behind, a `!` where the blocks wait for each other, then what is said of each datum, then the kernel's parameters. A size is a number, or a letter `l` that
/// stands for a word; all else are letters for a word each. What may stand behind an `l`: `/128`, the word is a count of
/// which 128 go together, `*4`, it is a count of elements of 4 bytes; counts below 0 are none.
struct Words<'a> {
    layout: &'a [u8],
    words: *const u64,
}

impl Words<'_> {
    fn number(&mut self) -> u64 {
        let digits = self.layout.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.layout.split_at(digits);
        self.layout = rest;
        number
            .iter()
            .fold(0, |sum: u64, digit| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
    }

    /// The next letter with its word; `None` where the layout ends.
    ///
    /// # Safety
    /// There is a word for each letter.
    unsafe fn next(&mut self) -> Option<(u8, u64)> {
        let (&letter, rest) = self.layout.split_first()?;
        self.layout = rest;
        // SAFETY: the caller's promise.
        let word = unsafe {
            let word = self.words.read();
            self.words = self.words.add(1);
            word
        };
        let word = match self.layout.first() {
            Some(b'/') => {
                self.layout = &self.layout[1..];
                ((word as i64).max(0) as u64).div_ceil(self.number().max(1))
            }
            // Of a section, whose length only the program knows.
            Some(b'*') => {
                self.layout = &self.layout[1..];
                __gpuc_bytes(word as c_long, self.number())
            }
            _ => word,
        };
        Some((letter, word))
    }

    /// The next size.
    ///
    /// # Safety
    /// That of [`Words::next`].
    unsafe fn size(&mut self) -> c_ulong {
        let size = match self.layout.first() {
            Some(byte) if byte.is_ascii_digit() => self.number(),
            // SAFETY: the caller's promise.
            _ => unsafe { self.next() }.map_or(0, |(_, word)| word),
        };
        self.layout = self.layout.strip_prefix(b",").unwrap_or(self.layout);
        size
    }
}

/// A launch whose parameters are still words.
struct Launch<'a> {
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    kernel: *const c_char,
    /// Of the grid, of a block, and the bytes of dynamic shared memory.
    sizes: [c_ulong; 7],
    /// Whether the blocks wait for each other.
    cooperative: bool,
    words: Words<'a>,
}

impl Launch<'_> {
    /// Reads the sizes.
    ///
    /// # Safety
    /// All is as `include/gpuc_rt.h` has it; there is a word for each letter.
    unsafe fn new(
        image: *const ImageDescriptor,
        site: *const SiteDescriptor,
        kernel: *const c_char,
        layout: *const c_char,
        words: *const u64,
    ) -> Self {
        // SAFETY: the caller's promise; the layout is a literal of the program.
        unsafe {
            let mut words = Words { layout: CStr::from_ptr(layout).to_bytes(), words };
            let sizes = std::array::from_fn(|_| words.size());
            let cooperative = words.layout.strip_prefix(b"!");
            words.layout = cooperative.unwrap_or(words.layout);
            Launch { image, site, kernel, sizes, cooperative: cooperative.is_some(), words }
        }
    }

    /// Puts the words behind each other as PTX aligns parameters, and launches. `element_0` is the device address of
    /// element 0 of one of the construct's data.
    ///
    /// # Safety
    /// That of [`Launch::new`].
    unsafe fn run(mut self, element_0: impl Fn(usize) -> u64) {
        let mut block: SmallVec<[u8; 256]> = SmallVec::new();
        // SAFETY: the caller's promise.
        while let Some((letter, word)) = unsafe { self.words.next() } {
            let (bits, size) = match letter {
                b'D' => (element_0(word as usize), 8),
                // Arguments in C's `...` are promoted.
                b'f' => (u64::from((f64::from_bits(word) as f32).to_bits()), 4),
                b'i' => (word, 4),
                b's' => (word, 2),
                b'c' => (word, 1),
                _ => (word, 8),
            };
            block.resize(block.len().next_multiple_of(size), 0);
            block.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
        let [x, y, z, bx, by, bz, dynamic_shared_bytes] = self.sizes;
        let (grid, threads, cooperative) = ([x, y, z], [bx, by, bz], self.cooperative);
        let shape = Shape { grid, block: threads, dynamic_shared_bytes, cooperative };
        // SAFETY: the caller's promise.
        unsafe { launch(self.image, self.site, self.kernel, &shape, &block) };
    }

    /// Launches with the data of a construct begun and ended round it.
    ///
    /// # Safety
    /// That of [`Launch::new`]; `offsets` has a distance for each of the data that the words name.
    unsafe fn run_between(self, data: *mut DataDescriptor, n: c_uint, offsets: *const c_long) {
        let site = self.site;
        // SAFETY: the caller's promise.
        unsafe {
            __gpuc_data_begin(site, data, n);
            self.run(|item| {
                ((*data.add(item)).device as u64).wrapping_sub(*offsets.add(item) as u64)
            });
            __gpuc_data_end(site, data, n);
            __gpuc_region_end(site);
        }
    }
}

/// A launch alone, whose construct has begun its data by itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_run_words(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    kernel: *const c_char,
    layout: *const c_char,
    words: *const u64,
) {
    // SAFETY: the contract of the header. No word is the number of a datum here.
    unsafe { Launch::new(image, site, kernel, layout, words).run(|_| 0) }
}

/// A construct that is one launch, with descriptors of its data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_run_words_with(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    data: *mut DataDescriptor,
    offsets: *const c_long,
    n: c_uint,
    kernel: *const c_char,
    layout: *const c_char,
    words: *const u64,
) {
    // SAFETY: the contract of the header.
    unsafe { Launch::new(image, site, kernel, layout, words).run_between(data, n, offsets) }
}

/// A construct that is one launch, with a table of its data, and where they are as words in front of the kernel's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_run_words_on(
    image: *const ImageDescriptor,
    site: *const SiteDescriptor,
    items: *const ItemDescriptor,
    n: c_uint,
    kernel: *const c_char,
    layout: *const c_char,
    words: *const u64,
) {
    let mut data: SmallVec<[DataDescriptor; 8]> = SmallVec::new();
    let mut offsets: SmallVec<[c_long; 8]> = SmallVec::new();
    // SAFETY: the contract of the header: words for all items stand in front of the kernel's.
    unsafe {
        let mut launch = Launch::new(image, site, kernel, layout, words);
        let mut next = || launch.words.next().map_or(0, |(_, word)| word);
        for item in slice::from_raw_parts(items, n as usize) {
            let (host, bytes) = (next() as *mut c_void, next());
            data.push(DataDescriptor::of_item(item.name, host, bytes, item.kind, item.line));
            offsets.push(if item.is_inside == 0 { 0 } else { next() as c_long });
        }
        launch.run_between(data.as_mut_ptr(), n, offsets.as_ptr());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_say_what_words_are() {
        let words = [1000_u64, (-3_i64) as u64, 7, (-7_i64) as u64, 5, 1.5_f64.to_bits()];
        let mut read = Words { layout: b"l/128,1,12,l/128,1,1,0,l*4l*8if", words: words.as_ptr() };
        // SAFETY: six letters, six words.
        unsafe {
            let sizes: [c_ulong; 7] = std::array::from_fn(|_| read.size());
            assert_eq!(sizes, [8, 1, 12, 0, 1, 1, 0]);
            assert_eq!(read.next(), Some((b'l', 28)));
            assert_eq!(read.next(), Some((b'l', u64::MAX)));
            assert_eq!(read.next(), Some((b'i', 5)));
            assert_eq!(read.next(), Some((b'f', 1.5_f64.to_bits())));
            assert_eq!(read.next(), None);
        }
    }
}
