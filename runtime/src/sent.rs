//! Calls that a directive at the call sends to the device: the function's own body then runs there, and its data move
//! as the function and the call say.
//!
//! A function of which calls may be sent asks with [`__gpuc_sent`] whether this one was; all other calls of it are the
//! host's. Between calls, data stay on the device for an owner, by whose name the program lets go of them.
#![allow(
    clippy::missing_safety_doc,
    reason = "all have one contract, that of include/gpuc_rt.h: strings and sites are literals of the program"
)]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::Runtime;
use crate::abi::or_fail;
use crate::descriptor::{ALWAYS, DataKind, KEPT, REQUIRED, SiteDescriptor};

/// Of an argument: the call does not bring it in.
const NOT_IN: u8 = 1;
/// Of an argument: the call does not bring it back.
const NOT_OUT: u8 = 2;

/// A call that is on its way, or has arrived.
#[derive(Clone, Copy)]
struct Sent {
    function: *const c_void,
    owner: &'static CStr,
    /// A digit for each argument.
    how: &'static CStr,
}

thread_local! {
    /// Calls that have not arrived: those in arguments of others come first.
    static PENDING: RefCell<Vec<Sent>> = const { RefCell::new(Vec::new()) };
    /// The call that arrived last.
    static ARRIVED: RefCell<Option<Sent>> = const { RefCell::new(None) };
    /// Who keeps data that comes and stays.
    static OWNER: RefCell<&'static CStr> = const { RefCell::new(c"") };
}

/// The name of who keeps data that comes and stays.
pub(crate) fn owner() -> String {
    OWNER.with_borrow(|owner| owner.to_string_lossy().into_owned())
}

/// The next call of `function` in this thread runs on the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_send(
    function: *const c_void,
    owner: *const c_char,
    how: *const c_char,
) {
    // SAFETY: the contract of the header.
    let (owner, how) = unsafe { (CStr::from_ptr(owner), CStr::from_ptr(how)) };
    PENDING.with_borrow_mut(|pending| pending.push(Sent { function, owner, how }));
}

/// The statement with the call that [`__gpuc_send`] was about is done.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_send_end(function: *const c_void) {
    PENDING.with_borrow_mut(|pending| {
        if pending.last().is_some_and(|sent| sent.function == function) {
            pending.pop();
        }
    });
}

/// Whether this call of `function` was sent to the device.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_sent(function: *const c_void) -> c_int {
    let sent = PENDING.with_borrow_mut(|pending| {
        let at = pending.iter().rposition(|sent| sent.function == function)?;
        Some(pending.remove(at))
    });
    let Some(sent) = sent else { return 0 };
    OWNER.set(sent.owner);
    ARRIVED.set(Some(sent));
    1
}

/// How an argument of the call that has arrived moves, whose function moves it as `kind`.
#[unsafe(no_mangle)]
pub extern "C" fn __gpuc_sent_kind(argument: c_uint, kind: c_uint) -> c_uint {
    let how = ARRIVED.with_borrow(|sent| {
        let how = sent.as_ref()?.how.to_bytes().get(argument as usize)?;
        Some(how.wrapping_sub(b'0'))
    });
    let own = DataKind::TABLE.iter().find(|row| row.1 == kind & 0xff).map(|row| row.0);
    match (own, how) {
        (Some(own), Some(how)) => moved(own, how) | kind & !0xff,
        _ => kind,
    }
}

/// The number in the ABI of what moves an argument of kind `own` in a call that says `how`.
fn moved(own: DataKind, how: u8) -> u32 {
    let (comes, goes) = (own.copies_in(), own.copies_out());
    let is_in = comes && how & NOT_IN == 0;
    let is_out = goes && how & NOT_OUT == 0;
    let kind = match (is_in, is_out) {
        (true, true) => DataKind::Copy,
        (true, false) => DataKind::CopyIn,
        (false, true) => DataKind::CopyOut,
        (false, false) => DataKind::Create,
    };
    let number = DataKind::TABLE[kind as usize].1;
    // What does not come must be there, and what does not go must stay.
    let required = if comes && !is_in { REQUIRED } else { 0 };
    let kept = if goes && !is_out { KEPT } else { 0 };
    number | ALWAYS | required | kept
}

/// Who keeps data that comes and stays from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_owner(name: *const c_char) {
    // SAFETY: the contract of the header.
    OWNER.set(unsafe { CStr::from_ptr(name) });
}

/// Lets go of all data that an owner keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_let_go(site: *const SiteDescriptor, name: *const c_char) {
    // SAFETY: the contract of the header.
    let (site, name) = unsafe { (&*site, CStr::from_ptr(name)) };
    or_fail(Runtime::global().let_go(site, &name.to_string_lossy()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_move_as_function_and_call_say() {
        for (own, how, kind, flags) in [
            (DataKind::Copy, 0, 1, 0),
            (DataKind::Copy, NOT_IN, 3, REQUIRED),
            (DataKind::Copy, NOT_OUT, 2, KEPT),
            (DataKind::Copy, NOT_IN | NOT_OUT, 4, REQUIRED | KEPT),
            (DataKind::CopyIn, NOT_IN | NOT_OUT, 4, REQUIRED),
            (DataKind::CopyOut, NOT_IN, 3, 0),
            (DataKind::CopyOut, NOT_OUT, 4, KEPT),
        ] {
            assert_eq!(moved(own, how), kind | ALWAYS | flags, "{own:?} {how}");
        }
    }

    #[test]
    fn only_the_call_that_was_sent_arrives() {
        let functions = [0u8; 2];
        let [f, g] = [0, 1].map(|k| std::ptr::from_ref(&functions[k]).cast::<c_void>());
        // SAFETY: literals.
        unsafe { __gpuc_send(f, c"f".as_ptr(), c"03".as_ptr()) };
        assert_eq!(__gpuc_sent(g), 0);
        assert_eq!(__gpuc_sent(f), 1);
        assert_eq!(__gpuc_sent(f), 0);
        assert_eq!(owner(), "f");
        assert_eq!(__gpuc_sent_kind(1, 2), 4 | ALWAYS | REQUIRED);
        assert_eq!(__gpuc_sent_kind(2, 2), 2);
        // SAFETY: literals.
        unsafe { __gpuc_send(f, c"f".as_ptr(), c"03".as_ptr()) };
        __gpuc_send_end(f);
        assert_eq!(__gpuc_sent(f), 0);
    }
}
