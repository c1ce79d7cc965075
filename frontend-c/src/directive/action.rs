//! What a directive of the host program does, in no family's words: parsers say it, the rewriting of
//! the host program carries it out.

use crate::tree::{DeclId, ExprId};

/// What takes the place of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The statement behind it runs on the device.
    Compute,
    /// The statement behind it, for which the program has no directive, runs on the device where that is
    /// worth it.
    Nest,
    /// The statement behind it was to run on the device, and is left to the host.
    Host,
    /// Data is on the device while the statement behind it runs.
    Data,
    /// Data is on the device until its block ends.
    Scope,
    /// Data is on the device as long as the program runs.
    Program,
    /// Data comes to the device.
    Enter,
    /// Data leaves the device.
    Exit,
    /// Data is made the same.
    Update,
    /// Names mean device addresses in the statement behind it.
    Addresses,
    /// The call in the statement behind it runs on the device.
    Send,
    /// All that its owner keeps on the device goes.
    LetGo,
    /// Queues are waited for.
    Wait,
    /// A device is made ready.
    Init(DeviceChoice),
    /// What a device holds is given up.
    Shutdown(DeviceChoice),
    /// The device, and the queue that is meant where none is named, are chosen.
    Choose {
        /// The device.
        device: DeviceChoice,
        /// The queue.
        queue: Option<ExprId>,
    },
}

/// A device by its type (the runtime's number of it) and its number among those; either may be open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceChoice {
    /// The type.
    pub kind: Option<i32>,
    /// The number.
    pub number: Option<ExprId>,
}

/// When something happens, in terms of queues.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The queue it is put into; `None` where the host waits until it is done.
    pub queue: Option<QueueName>,
    /// What it waits for.
    pub waits: Vec<Waits>,
}

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueName {
    /// The one that is meant where none is named.
    Default,
    /// The one of that number.
    Number(ExprId),
}

/// Queues that are waited for.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// Whose; the current device's where it is open.
    pub device: Option<ExprId>,
    /// Which; none is all.
    pub queues: Vec<ExprId>,
}

/// On which condition something runs on the device, rather than as the host's statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// It must hold.
    pub when: Option<ExprId>,
    /// It must not hold.
    pub unless: Option<ExprId>,
    /// It never holds.
    pub never: bool,
    /// The number of the device that is meant; the host has one too.
    pub device: Option<ExprId>,
    /// Only in calls of the function around it that a directive at the call has sent to the device.
    pub sent: bool,
}

/// A call that is sent to the device.
#[derive(Clone, Debug)]
pub struct Sends {
    /// The function, whose body is a region for calls that are sent.
    pub function: DeclId,
    /// A digit for each argument: whether the call leaves out to bring it in (1), to bring it back (2).
    pub how: String,
}
