//! Nests that the compiler found: where each runs, and who has its data.

use gpuc_arch::{Arch, NestWork};

use super::{Runtime, lock};
use crate::Failure;
use crate::config::AutoChoice;
use crate::descriptor::{DataDescriptor, DataKind, SiteDescriptor};
use crate::device::{Device, DeviceKind, Queue};
use crate::embedded::ImageDescriptor;
use crate::failure::say;
use crate::present::resident::{HostUse, Needs};
use crate::profiling::notify;
use crate::select::Executor;

/// Stands for the program's own statements, between nests.
static BETWEEN: SiteDescriptor = SiteDescriptor::new(c"?", c"?", 0, c"host statement");

/// What the compiler has counted of a nest.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Operations and launches.
    pub work: NestWork,
    /// Whether it was compiled to run on the device whatever its size.
    pub always: bool,
    /// Whether the program asks for it, who is told where it does not.
    pub asked: bool,
}

impl Runtime {
    /// Whether a nest that the compiler found runs on the device; its data have begun there then. Else
    /// the host has all that the nest may look at.
    pub fn nest_begin(
        &self,
        image: &ImageDescriptor,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
        fixed: &[DataDescriptor],
        counted: &Counted,
    ) -> Result<bool, Failure> {
        match self.offer(image, site, data, fixed, counted)? {
            Ok(why) => {
                self.notify(site, "the device", &why);
                Ok(true)
            }
            Err(why) => {
                if counted.asked && self.device().is_some() && !notify::has(notify::LAUNCHES) {
                    self.say(site, "the host", &why);
                }
                self.notify(site, "the host", &why);
                self.give_back_data(data)?;
                Ok(false)
            }
        }
    }

    fn offer(
        &self,
        image: &ImageDescriptor,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
        fixed: &[DataDescriptor],
        counted: &Counted,
    ) -> Result<Result<String, String>, Failure> {
        let Some(device) = self.device() else {
            return Ok(Err("regions run on the host".to_owned()));
        };
        let needs =
            self.environment_of_nests(device, site, |environment| environment.needs(data, fixed));
        let needs = match needs {
            Ok(needs) => needs,
            Err(reason) => return Ok(Err(reason.to_owned())),
        };
        if self.config.auto == AutoChoice::None {
            let why = match self.weigh(device, site, &counted.work, needs) {
                Ok(why) => format!("GPUC_AUTO=none, where it is worth it: {why}"),
                Err(why) => format!("GPUC_AUTO=none, and it is not worth it: {why}"),
            };
            return Ok(Err(why));
        }
        let always = match self.config.auto {
            AutoChoice::All => true,
            AutoChoice::Model => false,
            AutoChoice::Compiled | AutoChoice::None => counted.always,
        };
        let why = match always {
            true => "asked for".to_owned(),
            false => match self.weigh(device, site, &counted.work, needs) {
                Ok(why) => why,
                Err(why) => return Ok(Err(why)),
            },
        };
        if !self.region_begin(image, site, true)? {
            return Ok(Err("regions run on the host".to_owned()));
        }
        let begun = self.environment_of_nests(device, site, |environment| {
            environment.begin_nest(data, fixed)
        })?;
        Ok(begun.map(|()| why).map_err(str::to_owned))
    }

    /// Whether the device is faster. A nest that would be, were its data there, saves up what it loses
    /// on the host until that pays for moving them, as one rents skis until their price is reached
    /// (Karlin, Manasse, Rudolph and Sleator, "Competitive snoopy caching", 1988): so loops over nests that
    /// are each too small to move data for come to run on the device, at twice the cost at most.
    fn weigh(
        &self,
        device: &dyn Device,
        site: &SiteDescriptor,
        work: &NestWork,
        needs: Needs,
    ) -> Result<String, String> {
        let arch = match device.kind() {
            DeviceKind::Sim => self.config.sim_arch,
            DeviceKind::Cuda => Arch::by_name(device.arch()).unwrap_or(Arch::default_target()),
        };
        let moving = arch.bus_seconds(needs.missing.saturating_add(needs.changed));
        let (there, here) = (arch.device_seconds(work), work.host_seconds());
        let microseconds = |seconds: f64| format!("{:.1} us", seconds * 1e6);
        let words = format!(
            "{} there and {} for moving {} bytes, {} here",
            microseconds(there),
            microseconds(moving),
            needs.missing.saturating_add(needs.changed),
            microseconds(here)
        );
        let mut savings = lock(&self.savings);
        let saved = savings.entry(std::ptr::from_ref(site) as usize).or_insert(0.0);
        *saved += (here - there).max(0.0);
        if here > there && *saved >= moving {
            *saved = 0.0;
            return Ok(words);
        }
        Err(words)
    }

    /// A nest that runs on the device is done.
    pub fn nest_end(
        &self,
        site: &SiteDescriptor,
        data: &mut [DataDescriptor],
    ) -> Result<(), Failure> {
        let Some(device) = self.device() else { return Ok(()) };
        self.environment_of_nests(device, site, |environment| environment.end_nest(data))
    }

    /// The host goes on with what a nest would have used.
    fn give_back_data(&self, data: &[DataDescriptor]) -> Result<(), Failure> {
        data.iter().filter(|data| data.bytes() > 0).try_for_each(|data| {
            let what = match data.data_kind() {
                // The host goes on with all of it written anew.
                Some(DataKind::CopyOut) => HostUse::Overwrites,
                Some(kind) if kind.copies_out() => HostUse::Writes,
                _ => HostUse::Reads,
            };
            self.give_back(data.host_address(), data.bytes(), what)
        })
    }

    /// Makes memory the host's; all that stays on the device where `bytes` is 0.
    pub fn give_back(&self, host: u64, bytes: u64, what: HostUse) -> Result<(), Failure> {
        // Also where this thread runs its regions on the host by now.
        let Executor::Devices(devices) = &self.executor else { return Ok(()) };
        devices.used().try_for_each(|(number, device)| {
            if matches!(what, HostUse::Reads | HostUse::Writes) {
                let done = device.synchronize(Queue::SYNC);
                done.map_err(|error| super::located(error, &BETWEEN))?;
            }
            self.with_device(number, || {
                self.environment_of_nests(device, &BETWEEN, |environment| {
                    environment.give_back(host, bytes, what)
                })
            })
        })
    }

    fn notify(&self, site: &SiteDescriptor, place: &str, why: &str) {
        if notify::has(notify::LAUNCHES) {
            self.say(site, place, why);
        }
    }

    fn say(&self, site: &SiteDescriptor, place: &str, why: &str) {
        let at = site.place().map_or_else(String::new, |place| format!("{place}: "));
        let function = site.function();
        say(&format!("gpuc: {at}this nest of `{function}` runs on {place}: {why}\n"));
    }
}
