//! What ran and what moved: collected while the program runs, printed when it ends.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use gpuc_arch::Arch;
use gpuc_sim::readable::{shape, time};
use gpuc_sim::{Event, EventKind, KernelReport};

use crate::descriptor::SiteDescriptor;
use crate::device::LaunchOutcome;
use crate::memory::Usage;

/// The way of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From the host.
    ToDevice,
    /// To the host.
    ToHost,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::ToDevice => "to device",
            Direction::ToHost => "to host",
        })
    }
}

/// Number, sum and extremes of durations.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    count: u64,
    total: Duration,
    least: Duration,
    most: Duration,
}

impl Times {
    fn add(&mut self, time: Duration) {
        self.least = if self.count == 0 { time } else { self.least.min(time) };
        self.most = self.most.max(time);
        self.total = self.total.saturating_add(time);
        self.count += 1;
    }

    fn mean(&self) -> Duration {
        self.total.checked_div(u32::try_from(self.count).unwrap_or(u32::MAX)).unwrap_or_default()
    }

    /// `total=6,743,477 max=6,761 min=6,666 avg=6,743`, in microseconds.
    fn microseconds(&self) -> String {
        format!(
            "total={} max={} min={} avg={}",
            grouped(self.total.as_micros()),
            grouped(self.most.as_micros()),
            grouped(self.least.as_micros()),
            grouped(self.mean().as_micros())
        )
    }
}

#[derive(Debug)]
struct KernelRecord {
    times: Times,
    grid: [u32; 3],
    block: [u32; 3],
    /// What the simulator has to say, where it was asked.
    simulated: Option<KernelReport>,
}

#[derive(Debug, Default)]
struct TransferRecord {
    times: Times,
    bytes: u64,
}

/// When the first report of the process began: events are told from there.
static START: OnceLock<Instant> = OnceLock::new();

/// The place of a directive as a key: sorted by file, then function as the table groups them.
type SiteKey = (String, String, u32);

/// What ran and what moved.
#[derive(Debug, Default)]
pub struct Report {
    regions: BTreeMap<SiteKey, u64>,
    kernels: BTreeMap<(SiteKey, String), KernelRecord>,
    transfers: BTreeMap<(SiteKey, String, Direction), TransferRecord>,
    events: Vec<Event>,
}

/// Events that are kept: enough for any picture, and no memory leak in programs that run for days.
const MAX_EVENTS: usize = 100_000;

fn key(site: &SiteDescriptor) -> SiteKey {
    (site.file().into_owned(), site.function().into_owned(), site.line())
}

/// A number with a comma every three digits.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Report {
    /// A compute region was reached.
    pub fn region(&mut self, site: &SiteDescriptor) {
        *self.regions.entry(key(site)).or_default() += 1;
    }

    /// A kernel ran.
    pub fn launch(
        &mut self,
        site: &SiteDescriptor,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        queue: u32,
        outcome: LaunchOutcome,
    ) {
        let record = self.kernels.entry((key(site), kernel.to_owned())).or_insert_with(|| {
            KernelRecord { times: Times::default(), grid, block, simulated: None }
        });
        record.times.add(outcome.time.unwrap_or_default());
        (record.grid, record.block) = (grid, block);
        if let Some(report) = outcome.report {
            let place = (site.file().into_owned(), site.line());
            let simulated =
                record.simulated.get_or_insert_with(|| KernelReport::new(kernel, Some(place)));
            simulated.add(grid, block, &report);
        }
        self.event(kernel, EventKind::Kernel, queue, outcome.time.unwrap_or_default(), 0);
    }

    /// Notes something that has just ended.
    fn event(&mut self, name: &str, kind: EventKind, queue: u32, time: Duration, bytes: u64) {
        if self.events.len() < MAX_EVENTS {
            let start = START.get_or_init(Instant::now).elapsed().saturating_sub(time);
            self.events.push(Event { name: name.into(), kind, queue, start, time, bytes });
        }
    }

    /// The report in the simulator's form.
    pub fn for_simulator(&self, title: &str, device: Option<&'static Arch>) -> gpuc_sim::Report {
        gpuc_sim::Report {
            title: title.into(),
            device,
            kernels: self.kernels.values().filter_map(|k| k.simulated.clone()).collect(),
            events: self.events.clone(),
        }
    }

    /// A section moved.
    pub fn transfer(
        &mut self,
        site: &SiteDescriptor,
        name: &str,
        direction: Direction,
        bytes: u64,
        time: Duration,
    ) {
        let record = self.transfers.entry((key(site), name.to_owned(), direction)).or_default();
        record.times.add(time);
        record.bytes += bytes;
        let kind = match direction {
            Direction::ToDevice => EventKind::ToDevice,
            Direction::ToHost => EventKind::ToHost,
        };
        self.event(name, kind, 0, time, bytes);
    }

    /// The table of kernels and of transfers (`GPUC_REPORT`), the simulator's verdicts first; with
    /// every counter if `counters`.
    pub fn table(&self, device: &str, counters: bool) -> String {
        let mut text = format!("gpuc report: {device}\n");
        text.push_str(&self.for_simulator("", None).text(counters));
        // Writing to a String cannot fail.
        let _ = self.write_table(&mut text);
        text
    }

    fn write_table(&self, text: &mut String) -> fmt::Result {
        if self.kernels.is_empty() {
            writeln!(text, "  no kernel was launched")?;
        }
        for (((file, function, line), kernel), record) in &self.kernels {
            let times = &record.times;
            writeln!(
                text,
                "  kernel {kernel} ({file}:{line}, {function}): launches {}, grid [{}], block [{}], \
                 time {} (min {}, max {})",
                times.count,
                shape(record.grid),
                shape(record.block),
                time(times.total.as_secs_f64()),
                time(times.least.as_secs_f64()),
                time(times.most.as_secs_f64())
            )?;
        }
        if !self.transfers.is_empty() {
            writeln!(text, "  transfers")?;
        }
        for (((file, _, line), name, direction), record) in &self.transfers {
            writeln!(
                text,
                "    {file}:{line} {name} {direction}: {} bytes in {}, {}",
                grouped(u128::from(record.bytes)),
                counted(record.times.count, "transfer"),
                time(record.times.total.as_secs_f64())
            )?;
        }
        Ok(())
    }

    /// The timing table in the form that nvc's users and scripts know (`GPUC_TIME`).
    pub fn timing(&self, device: &str) -> String {
        let mut text = "\nAccelerator Kernel Timing data\n".to_owned();
        // Writing to a String cannot fail.
        let _ = self.write_timing(&mut text, device);
        text
    }

    fn write_timing(&self, text: &mut String, device: &str) -> fmt::Result {
        let functions: BTreeMap<(&str, &str), Duration> = {
            let mut sums = BTreeMap::new();
            let kernels = self.kernels.iter().map(|((site, _), record)| (site, record.times));
            let moves = self.transfers.iter().map(|((site, ..), record)| (site, record.times));
            for ((file, function, _), times) in kernels.chain(moves) {
                *sums.entry((file.as_str(), function.as_str())).or_default() += times.total;
            }
            for (file, function, _) in self.regions.keys() {
                sums.entry((file.as_str(), function.as_str())).or_default();
            }
            sums
        };
        for (&(file, function), total) in &functions {
            writeln!(text, "{file}")?;
            writeln!(text, "  {function}  {device}  devicenum=0")?;
            writeln!(text, "    time(us): {}", grouped(total.as_micros()))?;
            let here = |site: &SiteKey| site.0 == file && site.1 == function;
            for (site, count) in self.regions.iter().filter(|(site, _)| here(site)) {
                writeln!(
                    text,
                    "    {}: compute region reached {}",
                    site.2,
                    counted(*count, "time")
                )?;
                for ((_, _), record) in self.kernels.iter().filter(|((own, _), _)| own == site) {
                    writeln!(
                        text,
                        "        {}: kernel launched {}",
                        site.2,
                        counted(record.times.count, "time")
                    )?;
                    writeln!(
                        text,
                        "            grid: [{}]  block: [{}]",
                        shape(record.grid),
                        shape(record.block)
                    )?;
                    writeln!(
                        text,
                        "             device time(us): {}",
                        record.times.microseconds()
                    )?;
                }
            }
            let mut moves: BTreeMap<(u32, Direction), Times> = BTreeMap::new();
            for ((site, _, direction), record) in
                self.transfers.iter().filter(|((site, ..), _)| here(site))
            {
                let sum = moves
                    .entry((site.2, *direction))
                    .or_insert(Times { least: record.times.least, ..Times::default() });
                sum.count += record.times.count;
                sum.total += record.times.total;
                sum.least = sum.least.min(record.times.least);
                sum.most = sum.most.max(record.times.most);
            }
            for ((line, direction), times) in moves {
                let way = match direction {
                    Direction::ToDevice => "copyin",
                    Direction::ToHost => "copyout",
                };
                writeln!(text, "    {line}: data {way} transfers: {}", times.count)?;
                writeln!(text, "             device time(us): {}", times.microseconds())?;
            }
        }
        Ok(())
    }
}

/// What was asked of the devices' memory, a line for each that was asked of any.
pub(crate) fn of_memory(usages: impl Iterator<Item = Usage>) -> String {
    let line = |(number, usage): (usize, Usage)| {
        format!(
            "device memory  devicenum={number}\n    allocations: {}  from the pool: {}  most bytes in use: {}  held: {}\n",
            grouped(u128::from(usage.requests)),
            grouped(u128::from(usage.reused)),
            grouped(u128::from(usage.most_used)),
            grouped(u128::from(usage.most_held)),
        )
    };
    usages.enumerate().filter(|(_, usage)| usage.requests > 0).map(line).collect()
}

/// Writes a report to a file; what to say about it on standard error.
pub(crate) fn write(path: &Path, text: &str) -> String {
    match std::fs::write(path, text) {
        Ok(()) => format!("gpuc: report written to {}\n", path.display()),
        Err(error) => format!("gpuc: cannot write {}: {error}\n", path.display()),
    }
}

/// A number of things, in words.
fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_shapes() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(grouped(123456), "123,456");
        assert_eq!(shape([128, 1, 1]), "128");
        assert_eq!(shape([32, 4094, 1]), "32x4094");
        assert_eq!(shape([1, 1, 2]), "1x1x2");
        assert_eq!(time(0.0015), "1.500 ms");
    }

    #[test]
    fn both_tables() {
        let site = SiteDescriptor::new(c"laplace2d.c", c"main", 56, c"parallel loop");
        let mut report = Report::default();
        for microseconds in [10, 20] {
            report.region(&site);
            let time = Some(Duration::from_micros(microseconds));
            let outcome = LaunchOutcome { time, ..LaunchOutcome::default() };
            report.launch(&site, "main_56", [32, 4094, 1], [128, 1, 1], 0, outcome);
            let time = Duration::from_micros(5);
            report.transfer(&site, "a", Direction::ToDevice, 4096, time);
        }
        assert_eq!(
            report.timing("NVIDIA"),
            "\nAccelerator Kernel Timing data\nlaplace2d.c\n  main  NVIDIA  devicenum=0\n    \
             time(us): 40\n    56: compute region reached 2 times\n        56: kernel launched 2 \
             times\n            grid: [32x4094]  block: [128]\n             device time(us): \
             total=30 max=20 min=10 avg=15\n    56: data copyin transfers: 2\n             device \
             time(us): total=10 max=5 min=5 avg=5\n"
        );
        assert_eq!(
            report.table("sim", false),
            "gpuc report: sim\n  kernel main_56 (laplace2d.c:56, main): launches 2, grid \
             [32x4094], block [128], time 30.000 us (min 10.000 us, max 20.000 us)\n  \
             transfers\n    laplace2d.c:56 a to device: 8,192 bytes in 2 transfers, 10.000 us\n"
        );
    }
}
