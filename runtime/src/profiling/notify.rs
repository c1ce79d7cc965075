//! `GPUC_NOTIFY`: what happens, a line each, on standard error. The bits are those of NVIDIA's
//! `NVCOMPILER_ACC_NOTIFY`.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use super::events::{About, Event};
use crate::descriptor::SiteDescriptor;
use crate::failure::say;
use crate::queue;

/// Launches of kernels, and where nests that `--auto` found run.
pub const LAUNCHES: u32 = 1;
/// Transfers.
pub const TRANSFERS: u32 = 2;
/// Where constructs begin and end.
pub const CONSTRUCTS: u32 = 4;
/// Waiting.
pub const WAITS: u32 = 8;
/// Device memory.
pub const MEMORY: u32 = 16;
/// All.
pub const ALL: u32 = 31;

static BITS: AtomicU32 = AtomicU32::new(0);

/// Says from now on what these bits stand for.
pub fn set(bits: u32) {
    BITS.store(bits, Ordering::Relaxed);
}

/// Whether anything is said.
pub fn is_on() -> bool {
    BITS.load(Ordering::Relaxed) != 0
}

/// Whether that of a bit is.
pub fn has(bit: u32) -> bool {
    BITS.load(Ordering::Relaxed) & bit != 0
}

/// Says it.
pub fn line(site: &SiteDescriptor, text: &str) {
    let at = site.place().map_or_else(String::new, |place| format!("{place}: "));
    say(&format!("gpuc: {at}{}: {text}\n", site.function()));
}

/// What of an event is said.
pub(super) fn event(event: Event, site: &SiteDescriptor, about: &About<'_>) {
    let (bit, verb) = match event {
        Event::EnqueueLaunchStart => (LAUNCHES, "launch"),
        Event::EnqueueUploadStart => (TRANSFERS, "upload"),
        Event::EnqueueDownloadStart => (TRANSFERS, "download"),
        Event::ComputeConstructStart
        | Event::EnterDataStart
        | Event::ExitDataStart
        | Event::UpdateStart => (CONSTRUCTS, "begin"),
        Event::ComputeConstructEnd
        | Event::EnterDataEnd
        | Event::ExitDataEnd
        | Event::UpdateEnd => (CONSTRUCTS, "end"),
        Event::WaitStart => (WAITS, "wait"),
        Event::Create => (MEMORY, "create"),
        Event::Alloc => (MEMORY, "allocate"),
        Event::Delete => (MEMORY, "delete"),
        Event::Free => (MEMORY, "free"),
        _ => return,
    };
    if !has(bit) {
        return;
    }
    let mut text = verb.to_owned();
    let _ = match *about {
        About::Other if bit == CONSTRUCTS => {
            let what = match event {
                Event::EnterDataStart | Event::EnterDataEnd => "the entry of its data",
                Event::ExitDataStart | Event::ExitDataEnd => "the exit of its data",
                Event::UpdateStart | Event::UpdateEnd => "its transfers",
                _ => "it",
            };
            write!(text, " `{}`: {what}", site.construct())
        }
        About::Other => write!(text, " for `{}`", site.construct()),
        About::Data { data, device } => {
            write!(text, " {} ({} bytes) at device address {device:#x}", data.name(), data.bytes())
        }
        About::Launch { kernel, grid: [x, y, z], block: [bx, by, bz] } => write!(
            text,
            " {} grid {x} x {y} x {z} block {bx} x {by} x {bz}",
            kernel.to_string_lossy()
        ),
    };
    let argument = queue::current_argument();
    if argument != queue::SYNC {
        let _ = write!(text, " in queue {argument}");
    }
    line(site, &text);
}
