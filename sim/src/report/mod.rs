//! Reports: what kernels did and what bounds them, for a terminal, for programs, for a browser.

mod data;
mod page;
mod text;
mod trace;
mod verdict;

use std::sync::Arc;
use std::time::Duration;

use gpuc_arch::Arch;

use crate::assembler::Sass;
use crate::counters::CounterSet;
use crate::launch::{LaunchReport, LineCounts};
use crate::profile::Profile;

/// The launches of one kernel.
#[derive(Clone, Debug)]
pub struct KernelReport {
    /// The kernel's name.
    pub name: String,
    /// File and line of the directive or source that it was made of, where that is known.
    pub place: Option<(String, u32)>,
    /// How often it was launched.
    pub launches: u64,
    /// Launches that were profiled: the time of others is taken to be that of the last one before.
    pub profiled: u64,
    /// Blocks of the last launch.
    pub grid: [u32; 3],
    /// Threads of a block of the last launch.
    pub block: [u32; 3],
    /// Host time of all launches.
    pub wall: Duration,
    /// Seconds on the device that the simulator stands for, of all launches.
    pub seconds: f64,
    /// Counts of all launches.
    pub counters: CounterSet,
    /// Counts by line of all launches; shares of time are those of the last one.
    pub lines: Vec<LineCounts>,
    /// The last launch that was profiled.
    pub profile: Option<Box<Profile>>,
    /// What an assembler has made of it.
    pub sass: Option<Arc<Sass>>,
}

impl KernelReport {
    /// A kernel that has not been launched.
    pub fn new(name: &str, place: Option<(String, u32)>) -> KernelReport {
        KernelReport {
            name: name.into(),
            place,
            launches: 0,
            profiled: 0,
            grid: [1; 3],
            block: [1; 3],
            wall: Duration::ZERO,
            seconds: 0.0,
            counters: CounterSet::default(),
            lines: Vec::new(),
            profile: None,
            sass: None,
        }
    }

    /// Adds a launch.
    pub fn add(&mut self, grid: [u32; 3], block: [u32; 3], launch: &LaunchReport) {
        self.launches += 1;
        (self.grid, self.block) = (grid, block);
        self.wall += launch.wall;
        self.counters.add(&launch.counters);
        if self.lines.is_empty() {
            self.lines.clone_from(&launch.lines);
        } else {
            for line in &launch.lines {
                let same =
                    |known: &&mut LineCounts| known.line == line.line && known.file == line.file;
                match self.lines.iter_mut().find(same) {
                    Some(known) => known.add(line),
                    None => self.lines.push(line.clone()),
                }
            }
        }
        self.sass = launch.sass.clone().or(self.sass.take());
        if let Some(profile) = &launch.profile {
            self.profiled += 1;
            self.profile = Some(profile.clone());
        }
        self.seconds += self.profile.as_ref().map_or(0.0, |profile| profile.estimate.seconds);
    }

    /// The lines that cost most, in falling order.
    fn hottest(&self) -> Vec<&LineCounts> {
        let mut lines: Vec<&LineCounts> = self.lines.iter().collect();
        lines.sort_by(|a, b| b.time.total_cmp(&a.time).then(a.line.cmp(&b.line)));
        lines
    }
}

/// What an event of the timeline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A kernel ran.
    Kernel,
    /// Data went to the device.
    ToDevice,
    /// Data came from the device.
    ToHost,
}

impl EventKind {
    fn name(self) -> &'static str {
        match self {
            EventKind::Kernel => "kernel",
            EventKind::ToDevice => "to device",
            EventKind::ToHost => "to host",
        }
    }
}

/// Something that took time on the host's clock.
#[derive(Clone, Debug)]
pub struct Event {
    /// The kernel or the variable.
    pub name: String,
    /// What it is.
    pub kind: EventKind,
    /// The queue: 0 where none was asked for.
    pub queue: u32,
    /// From the start of the program.
    pub start: Duration,
    /// How long it took.
    pub time: Duration,
    /// Bytes moved.
    pub bytes: u64,
}

/// A run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was run.
    pub title: String,
    /// The device that figures are of.
    pub device: Option<&'static Arch>,
    /// Kernels, in any order.
    pub kernels: Vec<KernelReport>,
    /// What happened when.
    pub events: Vec<Event>,
}

impl Report {
    /// Kernels, the one that takes longest first.
    fn sorted(&self) -> Vec<&KernelReport> {
        let mut kernels: Vec<&KernelReport> = self.kernels.iter().collect();
        kernels.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.name.cmp(&b.name)));
        kernels
    }
}
