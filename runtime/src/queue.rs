//! Activity queues (OpenACC 3.3 §2.16): which queue of the device an `async` argument names, and
//! which one this host thread's operations go into.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::device::{Device, DeviceError, Queue};

/// `acc_async_sync`: no queue; the host waits.
pub const SYNC: i32 = -2;
/// `acc_async_noval`: the queue of `async` without an argument, that of `acc-default-async-var`.
pub const NO_VALUE: i32 = -1;
/// `acc_async_default`: what `acc-default-async-var` is at first.
pub const DEFAULT: i32 = 0;

thread_local! {
    static CURRENT: Cell<Queue> = const { Cell::new(Queue::SYNC) };
    /// The argument of `async` that named it.
    static ARGUMENT: Cell<i32> = const { Cell::new(SYNC) };
    /// `acc-default-async-var`, a setting of each host thread (OpenACC 3.3 §2.3).
    static DEFAULT_ASYNC: Cell<i32> = const { Cell::new(DEFAULT) };
}

/// The queue that this thread's operations go into.
pub fn current() -> Queue {
    CURRENT.get()
}

/// Chooses the queue that this thread's operations go into.
pub fn set_current(queue: Queue) {
    CURRENT.set(queue);
    if queue == Queue::SYNC {
        ARGUMENT.set(SYNC);
    }
}

/// The number of that queue, as an argument of `async`.
pub fn current_argument() -> i32 {
    ARGUMENT.get()
}

/// Notes the argument that has named that queue.
pub fn set_current_argument(argument: i32) {
    let argument = if argument == NO_VALUE { default_async() } else { argument };
    ARGUMENT.set(argument);
}

/// What `async` without an argument means in this thread.
pub fn default_async() -> i32 {
    DEFAULT_ASYNC.get()
}

/// Chooses what `async` without an argument means in this thread; false where it is no argument of
/// `async`.
pub fn set_default_async(argument: i32) -> bool {
    let argument = if argument == NO_VALUE { DEFAULT } else { argument };
    let valid = argument >= 0 || argument == SYNC;
    if valid {
        DEFAULT_ASYNC.set(argument);
    }
    valid
}

/// The number behind an argument of `async`; `None` for no queue at all.
fn number(argument: i32) -> Result<Option<i32>, DeviceError> {
    match if argument == NO_VALUE { default_async() } else { argument } {
        SYNC => Ok(None),
        number @ 0.. => Ok(Some(number)),
        other => Err(DeviceError::Invalid(format!(
            "{other} is no argument of `async`: it takes numbers from 0 on, acc_async_sync, \
             acc_async_noval and acc_async_default (OpenACC 3.3 §2.16)"
        ))),
    }
}

/// The queues of a device, made when they are first named.
#[derive(Debug, Default)]
pub struct Queues {
    by_number: BTreeMap<i32, Queue>,
}

impl Queues {
    /// The queue that an argument of `async` names.
    pub fn named(&mut self, device: &dyn Device, argument: i32) -> Result<Queue, DeviceError> {
        let Some(number) = number(argument)? else { return Ok(Queue::SYNC) };
        if let Some(&queue) = self.by_number.get(&number) {
            return Ok(queue);
        }
        let queue = device.create_queue()?;
        self.by_number.insert(number, queue);
        Ok(queue)
    }

    /// The queue that an argument of `wait` names, where there is one.
    pub fn known(&self, argument: i32) -> Result<Option<Queue>, DeviceError> {
        Ok(number(argument)?.and_then(|number| self.by_number.get(&number).copied()))
    }

    /// All queues that have been named, by their numbers.
    pub fn all(&self) -> impl Iterator<Item = Queue> {
        self.by_number.values().copied()
    }
}

/// Lets what comes next in `queue` wait for what is in `other` now.
pub fn wait_for_queue(device: &dyn Device, queue: Queue, other: Queue) -> Result<(), DeviceError> {
    let event = device.record_event(other)?;
    device.wait_event(queue, event)?;
    device.destroy_event(event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::memory_only::MemoryOnly;

    #[test]
    fn arguments_name_queues() {
        let (device, mut queues) = (MemoryOnly::default(), Queues::default());
        assert_eq!(queues.known(3).unwrap(), None);
        let three = queues.named(&device, 3).unwrap();
        assert_eq!(queues.named(&device, 3).unwrap(), three);
        assert_eq!(queues.known(3).unwrap(), Some(three));
        assert_eq!(queues.named(&device, SYNC).unwrap(), Queue::SYNC);
        assert!(queues.named(&device, -7).is_err());
        let unnamed = queues.named(&device, NO_VALUE).unwrap();
        assert_ne!(unnamed, three);
        assert!(set_default_async(3));
        assert_eq!(queues.named(&device, NO_VALUE).unwrap(), three);
        assert!(!set_default_async(-9));
        assert!(set_default_async(SYNC));
        assert_eq!(queues.named(&device, NO_VALUE).unwrap(), Queue::SYNC);
        assert!(set_default_async(NO_VALUE));
        assert_eq!(default_async(), DEFAULT);
    }
}
