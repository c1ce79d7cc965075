//! `GPUC_AUTOCOMPARE`: each compute construct runs on the device and then on the host, and what both leave in the
//! construct's data is compared.
//!
//! When its data has begun, the host gets what the device has of them, so that both start from the same. When its
//! kernels are done, their results are kept, the host's memory becomes what it would have been, and is noted; then
//! it becomes once more what both started from, and the original statement runs. What that leaves is compared with
//! what the device has left, and the noted memory comes back: the program goes on as it would have without.
//!
//! Numbers agree where they differ by no more than the tolerance, relative to the greater of both, besides what rounding
//! of the greatest number of the array may be. All else must be equal. After NVIDIA's PCAST
//! (NVIDIA HPC Compilers User's Guide, ch. 9), which compares when data leave the device.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use gpuc_diagnostics::Diagnostic;

use super::{Runtime, located, lock};
use crate::Failure;
use crate::descriptor::{AUTO, DataDescriptor, DataKind, Element, ROWS, SiteDescriptor};
use crate::device::Queue;
use crate::failure;
use crate::present::Presence;
use crate::present::on_host::{host_bytes, write};

/// Whether constructs are compared: a program's first question at each, ahead of [`Runtime::compares`].
static COMPARING: AtomicBool = AtomicBool::new(false);

/// Whether constructs are compared.
pub(crate) fn is_comparing() -> bool {
    COMPARING.load(Ordering::Relaxed)
}

/// What is compared of a construct: the memory of its data on the device, as far as it has a place on the host.
#[derive(Debug)]
struct Part {
    name: String,
    line: u32,
    host: u64,
    device: u64,
    element: Element,
    /// Where pointers stand that are attached: each side has its own.
    pointers: Vec<usize>,
    /// What the host had.
    own: Vec<u8>,
    /// What both start from.
    start: Vec<u8>,
    /// What the device has left.
    left: Vec<u8>,
    /// What the host has without a comparison.
    after: Vec<u8>,
}

/// A construct that this thread compares.
#[derive(Debug)]
struct Comparison {
    site: *const SiteDescriptor,
    parts: Vec<Part>,
    /// Why it is not compared.
    refused: Option<String>,
    /// Whether its kernels are done.
    is_done: bool,
}

thread_local! {
    static COMPARISON: RefCell<Option<Comparison>> = const { RefCell::new(None) };
}

/// What there is to say at the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    compared: u64,
    different: u64,
    left_out: u64,
}

impl Runtime {
    /// A compute construct is about to begin on the device.
    pub(super) fn comparison_begins(&self, site: &SiteDescriptor) {
        if self.config.compare.is_some() {
            let (site, parts) = (ptr::from_ref(site), Vec::new());
            let comparison = Comparison { site, parts, refused: None, is_done: false };
            COMPARISON.set(Some(comparison));
        }
    }

    /// Does something with this thread's comparison, if it is that of a construct.
    fn of_construct<T>(
        &self,
        site: &SiteDescriptor,
        action: impl FnOnce(&mut Comparison) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        if self.config.compare.is_none() {
            return Ok(None);
        }
        COMPARISON.with_borrow_mut(|comparison| match comparison {
            Some(comparison) if ptr::eq(comparison.site, site) => action(comparison).map(Some),
            _ => Ok(None),
        })
    }

    /// The data of a construct has begun: the host gets what the device has.
    pub(super) fn comparison_starts(
        &self,
        site: &SiteDescriptor,
        data: &[DataDescriptor],
    ) -> Result<(), Failure> {
        let started = self.of_construct(site, |comparison| {
            for data in data {
                self.add(site, comparison, data)?;
            }
            for part in &comparison.parts {
                // SAFETY: the program's clause says that these bytes are there.
                write(unsafe { host_bytes(part.host, part.own.len()) }, &part.start);
            }
            Ok(())
        });
        started.map(|_| ())
    }

    /// Adds what a clause names, unless it is there already.
    fn add(
        &self,
        site: &SiteDescriptor,
        comparison: &mut Comparison,
        data: &DataDescriptor,
    ) -> Result<(), Failure> {
        let kind = data.data_kind();
        if kind == Some(DataKind::DevicePointer) {
            comparison.refused = Some(format!("`{}` is an address of the device", data.name()));
        }
        if data.has(ROWS) || data.has(AUTO) {
            comparison.refused = Some(format!("`{}` is not compared yet", data.name()));
        }
        let held = !matches!(
            kind,
            None | Some(DataKind::DevicePointer | DataKind::Attach | DataKind::FirstPrivate)
        );
        let (Some(device), true) = (self.device(), held && !data.host().is_null()) else {
            return Ok(());
        };
        let state = lock(&self.place().state);
        let found = match state.table.find(data.host_address(), 1) {
            Presence::Present(entry) => (entry.host, entry.bytes as usize, entry.device),
            Presence::Absent | Presence::Partial(_) => return Ok(()),
        };
        let (host, bytes, at) = found;
        if comparison.parts.iter().any(|part| part.host == host) {
            return Ok(());
        }
        let attached = state.table.attached_in(host, bytes as u64);
        let pointers: Vec<usize> = attached.map(|pointer| (pointer - host) as usize).collect();
        drop(state);
        // SAFETY: the program's clause says that these bytes are there.
        let own = unsafe { host_bytes(host, bytes) }.to_vec();
        let mut start = vec![0; bytes];
        // SAFETY: a buffer of that length.
        let read =
            unsafe { device.copy_to_host(start.as_mut_ptr(), at, bytes as u64, Queue::SYNC) };
        read.map_err(|error| located(error, site))?;
        keep_pointers(&pointers, &mut start, &own);
        comparison.parts.push(Part {
            name: data.name().into_owned(),
            line: data.line,
            host,
            device: at,
            element: data.element(),
            pointers,
            own,
            start,
            left: Vec::new(),
            after: Vec::new(),
        });
        Ok(())
    }

    /// The kernels of a construct are done, its data has not ended: keeps what they have left.
    pub(super) fn comparison_keeps(&self, site: &SiteDescriptor) -> Result<(), Failure> {
        let Some(device) = self.device() else { return Ok(()) };
        let kept = self.of_construct(site, |comparison| {
            for part in &mut comparison.parts {
                let mut left = vec![0; part.own.len()];
                let bytes = left.len() as u64;
                // SAFETY: a buffer of that length.
                let read = unsafe {
                    device.copy_to_host(left.as_mut_ptr(), part.device, bytes, Queue::SYNC)
                };
                read.map_err(|error| located(error, site))?;
                part.left = left;
                // SAFETY: as above.
                write(unsafe { host_bytes(part.host, part.own.len()) }, &part.own);
            }
            Ok(())
        });
        kept.map(|_| ())
    }

    /// The data of a construct has ended: notes what the host has now.
    pub(super) fn comparison_notes(&self, site: &SiteDescriptor) -> Result<(), Failure> {
        let noted = self.of_construct(site, |comparison| {
            for part in &mut comparison.parts {
                // SAFETY: as above.
                let here = unsafe { host_bytes(part.host, part.own.len()) };
                part.after = here.to_vec();
                write(here, &part.start);
            }
            comparison.is_done = true;
            Ok(())
        });
        noted.map(|_| ())
    }

    /// Whether the host now runs what the device has run, for a comparison.
    pub fn compares(&self, site: &SiteDescriptor) -> bool {
        let asked = self.of_construct(site, |comparison| {
            let why = match &comparison.refused {
                Some(why) => Some(why.as_str()),
                None if comparison.parts.is_empty() => Some("it has no data of the host"),
                None if !comparison.is_done => Some("it does not end here"),
                None => None,
            };
            if let Some(why) = why {
                say(site, &format!("not compared: {why}"));
                lock(&self.tally).left_out += 1;
                restore(&comparison.parts);
            }
            Ok(why.is_none())
        });
        let goes_on = matches!(asked, Ok(Some(true)));
        if !goes_on {
            COMPARISON.set(None);
        }
        goes_on
    }

    /// The host has run it as well: compares, and lets the program go on with what the device has left.
    pub fn compared(&self, site: &SiteDescriptor) {
        let Some(tolerance) = self.config.compare else { return };
        let Some(comparison) = COMPARISON.take() else { return };
        let mut different = false;
        for part in &comparison.parts {
            // SAFETY: as above.
            let mut here = unsafe { host_bytes(part.host, part.own.len()) }.to_vec();
            keep_pointers(&part.pointers, &mut here, &part.left);
            if let Some(text) = difference(part, &here, tolerance) {
                different = true;
                let line =
                    if part.line == 0 { String::new() } else { format!(" (line {})", part.line) };
                say(site, &format!("`{}`{line}: {text}", part.name));
            }
        }
        restore(&comparison.parts);
        let mut tally = lock(&self.tally);
        tally.compared += 1;
        tally.different += u64::from(different);
    }

    /// What was compared, at the end; whether anything differed.
    pub(super) fn print_comparisons(&self) -> bool {
        if self.config.compare.is_none() {
            return false;
        }
        let Tally { compared, different, left_out } = *lock(&self.tally);
        let mut text = format!(
            "gpuc: compared {compared} constructs on device and host: {different} with differences"
        );
        if left_out > 0 {
            let _ = write!(text, ", and {left_out} were not compared");
        }
        text.push('\n');
        failure::say(&text);
        different > 0
    }
}

/// Lets the program go on.
fn restore(parts: &[Part]) {
    for part in parts.iter().filter(|part| !part.after.is_empty()) {
        // SAFETY: as above.
        write(unsafe { host_bytes(part.host, part.own.len()) }, &part.after);
    }
}

fn say(site: &SiteDescriptor, text: &str) {
    let words = format!("this `{}` of `{}`: {text}", site.construct(), site.function());
    failure::show(&site.locate(Diagnostic::warning(words), 0));
}

/// Gives bytes the pointers of others.
fn keep_pointers(pointers: &[usize], bytes: &mut [u8], others: &[u8]) {
    for &at in pointers {
        let end = (at + size_of::<u64>()).min(bytes.len());
        if at < end {
            bytes[at..end].copy_from_slice(&others[at..end]);
        }
    }
}

/// The first element that differs, in words, with how many do; `None` where none does.
fn difference(part: &Part, host: &[u8], tolerance: f64) -> Option<String> {
    if part.left == host || part.element == Element::Address {
        return None;
    }
    let size = part.element.bytes();
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        bytes.chunks_exact(size).filter_map(|bytes| part.element.number(bytes)).collect()
    };
    let (there, here) = (numbers(&part.left), numbers(host));
    let greatest = here.iter().filter(|x| x.is_finite()).fold(0.0_f64, |most, x| most.max(x.abs()));
    let noise = greatest * part.element.epsilon();
    let chunks = part.left.chunks(size).zip(host.chunks(size)).enumerate();
    let differing: Vec<usize> = chunks
        .filter(|&(i, (a, b))| {
            a != b
                && match (there.get(i), here.get(i)) {
                    (Some(x), Some(y)) => !agree(*x, *y, tolerance, noise),
                    _ => true,
                }
        })
        .map(|(i, _)| i)
        .collect();
    let first = *differing.first()?;
    let range = first * size..((first + 1) * size).min(host.len());
    let (a, b) = (&part.left[range.clone()], &host[range]);
    let what = match part.element {
        Element::Unknown => format!("byte {first}"),
        _ => format!("element {first}"),
    };
    let (a, b) = (part.element.text(a), part.element.text(b));
    let all = host.len().div_ceil(size);
    Some(format!(
        "{what} is {a} on the device and {b} on the host; {} of {all} differ",
        differing.len()
    ))
}

/// Whether two numbers are the same but for rounding.
fn agree(x: f64, y: f64, tolerance: f64, noise: f64) -> bool {
    let both_nan = x.is_nan() && y.is_nan();
    both_nan || x == y || (x - y).abs() <= tolerance * x.abs().max(y.abs()) + noise
}

/// From now on ([`is_comparing`]).
pub(super) fn turn_on() {
    COMPARING.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(element: Element, left: Vec<u8>) -> Part {
        Part {
            name: "a".to_owned(),
            line: 0,
            host: 0,
            device: 0,
            element,
            pointers: Vec::new(),
            own: Vec::new(),
            start: Vec::new(),
            left,
            after: Vec::new(),
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        let bytes =
            |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<_>>();
        let there = part(Element::Float, bytes(&[1.0, 2.0, f32::NAN, 4.0]));
        let near = bytes(&[1.0, 2.000_001, f32::NAN, 4.0]);
        assert_eq!(difference(&there, &near, 1e-5), None);
        let text = difference(&there, &near, 0.0);
        // What rounding of the greatest number may be is never a difference.
        assert!(text.is_some_and(|text| text.contains("element 1 is 2 ")));
        let text = difference(&there, &bytes(&[1.0, 2.0, 3.0, 4.5]), 1e-5).unwrap();
        assert_eq!(text, "element 2 is NaN on the device and 3 on the host; 2 of 4 differ");
        let whole = part(Element::Int32, vec![1, 0, 0, 0, 2, 0, 0, 0]);
        let text = difference(&whole, &[1, 0, 0, 0, 3, 0, 0, 0], 1e-5).unwrap();
        assert_eq!(text, "element 1 is 2 on the device and 3 on the host; 1 of 2 differ");
        let record = part(Element::Unknown, vec![1, 2, 3]);
        let text = difference(&record, &[1, 2, 4], 1e-5).unwrap();
        assert_eq!(text, "byte 2 is 0x03 on the device and 0x04 on the host; 1 of 3 differ");
        assert_eq!(difference(&part(Element::Address, vec![1; 8]), &[2; 8], 0.0), None);
    }
}
