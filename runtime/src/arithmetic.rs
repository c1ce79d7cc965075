//! Arithmetic of host programs round launches, with an answer for all operands, and copies of what the host changes in
//! its own way. They are here and not in each file because a host compiler takes longer for one such function than
//! for the construct that calls it.

#![allow(
    clippy::missing_safety_doc,
    reason = "as in `abi`, what C calls has one contract, that of include/gpuc_rt.h"
)]

use std::ffi::{c_long, c_ulong, c_void};
use std::{ptr, slice};

/// Functions of two numbers.
macro_rules! functions {
    ($ty:ty: $($name:ident($a:ident, $b:ident) $value:expr;)*) => {$(
        #[doc = concat!("`", stringify!($value), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($a: $ty, $b: $ty) -> $ty {
            $value
        }
    )*};
}

functions! { c_long:
    __gpuc_div(a, b) if b == 0 { 0 } else { a.wrapping_div(b) };
    __gpuc_rem(a, b) if b == 0 { 0 } else { a.wrapping_rem(b) };
    __gpuc_ceildiv(a, b) {
        let up = __gpuc_rem(a, b) != 0 && (a < 0) == (b < 0);
        __gpuc_div(a, b).wrapping_add(c_long::from(up))
    };
    __gpuc_floordiv(a, b) {
        let down = __gpuc_rem(a, b) != 0 && (a < 0) != (b < 0);
        __gpuc_div(a, b).wrapping_sub(c_long::from(down))
    };
    __gpuc_min(a, b) a.min(b);
    __gpuc_max(a, b) a.max(b);
}

functions! { c_ulong:
    __gpuc_divu(a, b) a.checked_div(b).unwrap_or(0);
    __gpuc_remu(a, b) a.checked_rem(b).unwrap_or(0);
    __gpuc_ceildivu(a, b) __gpuc_divu(a, b).wrapping_add(c_ulong::from(__gpuc_remu(a, b) != 0));
    __gpuc_minu(a, b) a.min(b);
    __gpuc_maxu(a, b) a.max(b);
}

/// The number of elements of a section, which may be written as less than none.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_count(count: c_long) -> c_ulong {
    count.max(0) as c_ulong
}

/// The bytes of a section's elements; more than any memory has where they are less than none, or too many to be counted,
/// so that what looks for them says so.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_bytes(count: c_long, element: c_ulong) -> c_ulong {
    c_ulong::try_from(count).map_or(c_ulong::MAX, |count| count.saturating_mul(element))
}

/// The device address of element 0, from that of a section which starts `offset` bytes behind it.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_element_0(device: *mut c_void, offset: c_long) -> *mut c_void {
    device.wrapping_byte_offset((offset as isize).wrapping_neg())
}

/// A copy of memory, for [`__gpuc_give`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_keep(at: *const c_void, bytes: c_ulong) -> *mut c_void {
    let kept: Box<[u8]> = match bytes {
        0 => Box::default(),
        // SAFETY: the contract of the header: there are as many bytes.
        _ => unsafe { slice::from_raw_parts(at.cast::<u8>(), bytes as usize) }.into(),
    };
    Box::into_raw(kept).cast()
}

/// Puts back what [`__gpuc_keep`] has of as many bytes, and ends the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_give(at: *mut c_void, kept: *mut c_void, bytes: c_ulong) {
    let kept = ptr::slice_from_raw_parts_mut(kept.cast::<u8>(), bytes as usize);
    // SAFETY: the contract of the header: it is the copy, and where it comes from.
    unsafe {
        let kept = Box::from_raw(kept);
        if bytes > 0 {
            ptr::copy_nonoverlapping(kept.as_ptr(), at.cast(), kept.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_answer_for_all_operands() {
        assert_eq!((__gpuc_div(7, 0), __gpuc_rem(7, 0)), (0, 0));
        assert_eq!((__gpuc_div(c_long::MIN, -1), __gpuc_rem(c_long::MIN, -1)), (c_long::MIN, 0));
        assert_eq!((__gpuc_ceildiv(-7, 2), __gpuc_floordiv(-7, 2)), (-3, -4));
        assert_eq!((__gpuc_ceildiv(7, 2), __gpuc_floordiv(7, -2)), (4, -4));
        assert_eq!((__gpuc_ceildivu(7, 2), __gpuc_divu(7, 0), __gpuc_remu(7, 0)), (4, 0, 0));
        assert_eq!((__gpuc_count(-1), __gpuc_bytes(0, 8), __gpuc_bytes(3, 8)), (0, 0, 24));
        let impossible =
            (__gpuc_bytes(-3, 8), __gpuc_bytes(1 << 61, 8), __gpuc_bytes(1 << 62 | 1, 8));
        assert_eq!(impossible, (c_ulong::MAX, c_ulong::MAX, c_ulong::MAX));
        assert_eq!(__gpuc_element_0(64 as *mut c_void, 16) as usize, 48);
    }

    #[test]
    fn what_is_kept_is_given_back() {
        let mut values = [1, 2, 3];
        let at: *mut c_void = values.as_mut_ptr().cast();
        // SAFETY: twelve bytes.
        unsafe {
            let kept = __gpuc_keep(at, 12);
            values = [0; 3];
            __gpuc_give(values.as_mut_ptr().cast(), kept, 12);
            __gpuc_give(at, __gpuc_keep(at, 0), 0);
        }
        assert_eq!(values, [1, 2, 3]);
    }
}
