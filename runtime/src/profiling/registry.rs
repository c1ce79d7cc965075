//! Who listens to which events (OpenACC 3.3 §5.3, §5.4).

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::events::{ApiInfo, Event, EventInfo, ProfInfo};

/// A tool's function.
pub type Callback = unsafe extern "C" fn(*mut ProfInfo, *mut EventInfo, *mut ApiInfo);

/// `acc_register_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `acc_reg`: add, or take away.
    Register,
    /// `acc_toggle`: listen again, or not for a while.
    Toggle,
    /// `acc_toggle_per_thread`: the same, in this thread.
    TogglePerThread,
}

impl Mode {
    /// The mode of a number of the header.
    pub fn of(number: i32) -> Option<Mode> {
        Some(match number {
            0 => Mode::Register,
            1 => Mode::Toggle,
            2 => Mode::TogglePerThread,
            _ => return None,
        })
    }
}

/// What is switched: everything, an event, or a function for an event.
type Switch = (Option<Event>, Option<usize>);

struct Registration {
    event: Event,
    callback: Callback,
    /// How often it has been registered.
    count: u32,
}

#[derive(Default)]
struct Registry {
    /// In the order of registration.
    registrations: Vec<Registration>,
    off: Vec<Switch>,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { registrations: Vec::new(), off: Vec::new() });

/// Whether anybody listens to anything: what programs without a tool pay for.
static LISTENING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What this thread has switched off.
    static OFF: RefCell<Vec<Switch>> = const { RefCell::new(Vec::new()) };
}

/// Whether anybody listens.
pub fn is_listening() -> bool {
    LISTENING.load(Ordering::Relaxed)
}

// A poisoned lock still guards whole lists: they only ever grow or lose one entry.
fn registry<T>(action: impl FnOnce(&mut Registry) -> T) -> T {
    action(&mut REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

fn set(off: &mut Vec<Switch>, switch: Switch, is_on: bool) {
    off.retain(|&known| known != switch);
    if !is_on {
        off.push(switch);
    }
}

fn toggle(mode: Mode, switch: Switch, is_on: bool) {
    match mode {
        Mode::TogglePerThread => {
            let _ended = OFF.try_with(|off| set(&mut off.borrow_mut(), switch, is_on));
        }
        _ => registry(|registry| set(&mut registry.off, switch, is_on)),
    }
}

fn address(callback: Callback) -> usize {
    callback as usize
}

/// `acc_prof_register`; without an event or a function, all are meant.
pub fn register(event: Option<Event>, callback: Option<Callback>, mode: Mode) {
    let (Mode::Register, Some(event), Some(callback)) = (mode, event, callback) else {
        if mode != Mode::Register {
            toggle(mode, (event, callback.map(address)), true);
        }
        return;
    };
    registry(|registry| {
        let known = registry
            .registrations
            .iter_mut()
            .find(|known| known.event == event && address(known.callback) == address(callback));
        match known {
            Some(known) => known.count += 1,
            None => registry.registrations.push(Registration { event, callback, count: 1 }),
        }
    });
    LISTENING.store(true, Ordering::Relaxed);
}

/// `acc_prof_unregister`, in the same way.
pub fn unregister(event: Option<Event>, callback: Option<Callback>, mode: Mode) {
    let (Mode::Register, Some(event), Some(callback)) = (mode, event, callback) else {
        if mode != Mode::Register {
            toggle(mode, (event, callback.map(address)), false);
        }
        return;
    };
    registry(|registry| {
        for known in &mut registry.registrations {
            if known.event == event && address(known.callback) == address(callback) {
                known.count -= 1;
            }
        }
        registry.registrations.retain(|known| known.count > 0);
        LISTENING.store(!registry.registrations.is_empty(), Ordering::Relaxed);
    });
}

/// The functions to call at an event: in the order of registration, at the end of something the other
/// way round.
pub fn listeners(event: Event) -> Vec<Callback> {
    let mut found: Vec<Callback> = registry(|registry| {
        let is_off = |callback: Callback| {
            let switches =
                [(None, None), (Some(event), None), (Some(event), Some(address(callback)))];
            // When the process ends, the thread's own are gone before the last event.
            let here = OFF.try_with(|off| off.borrow().iter().any(|off| switches.contains(off)));
            here.unwrap_or(false) || registry.off.iter().any(|off| switches.contains(off))
        };
        let registrations = registry.registrations.iter();
        registrations
            .filter(|known| known.event == event && !is_off(known.callback))
            .map(|known| known.callback)
            .collect()
    });
    if event.is_end() {
        found.reverse();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn first(_: *mut ProfInfo, _: *mut EventInfo, _: *mut ApiInfo) {}
    unsafe extern "C" fn second(_: *mut ProfInfo, info: *mut EventInfo, _: *mut ApiInfo) {
        // Not the code of `first`.
        let _ = info.is_null();
        std::hint::black_box(info);
    }

    #[test]
    fn registered_counted_and_switched() {
        // An event that no other test has.
        let (event, end) = (Event::DeviceShutdownStart, Event::DeviceShutdownEnd);
        let count = || listeners(event).len();
        register(Some(event), Some(first), Mode::Register);
        register(Some(event), Some(first), Mode::Register);
        register(Some(event), Some(second), Mode::Register);
        register(Some(end), Some(first), Mode::Register);
        register(Some(end), Some(second), Mode::Register);
        assert!(is_listening());
        let order = |event| listeners(event).into_iter().map(address).collect::<Vec<_>>();
        assert_eq!(order(event), [address(first), address(second)]);
        assert_eq!(order(end), [address(second), address(first)]);
        unregister(Some(event), Some(second), Mode::Toggle);
        assert_eq!(count(), 1);
        unregister(None, None, Mode::TogglePerThread);
        assert_eq!(count(), 0);
        let elsewhere = std::thread::scope(|scope| scope.spawn(count).join().unwrap());
        assert_eq!(elsewhere, 1);
        register(None, None, Mode::TogglePerThread);
        register(Some(event), Some(second), Mode::Toggle);
        assert_eq!(count(), 2);
        unregister(Some(event), Some(first), Mode::Register);
        assert_eq!(count(), 2);
        unregister(Some(event), Some(first), Mode::Register);
        assert_eq!(count(), 1);
        unregister(Some(event), Some(second), Mode::Register);
        unregister(Some(end), Some(first), Mode::Register);
        unregister(Some(end), Some(second), Mode::Register);
        assert_eq!(count() + listeners(end).len(), 0);
    }
}
