//! Which devices run the program.

use std::sync::{Arc, OnceLock};

use gpuc_diagnostics::Diagnostic;

use crate::Failure;
use crate::config::{Config, DeviceChoice};
use crate::descriptor::SiteDescriptor;
use crate::device::cuda::CudaDevice;
use crate::device::sim::SimDevice;
use crate::device::{Device, DeviceKind};
use crate::failure::say;
use crate::interrupt;
use crate::profiling::{self, About, Event, On};

/// Stands for whatever first used a device.
static OPENING: SiteDescriptor = SiteDescriptor::new(c"", c"", 0, c"init");

/// Opens the device of a number, or says why it cannot.
type Open = dyn Fn(usize) -> Result<Arc<dyn Device>, String> + Send + Sync;

/// The devices of a machine, each opened when it is first used: a GPU that a process does not use costs it
/// nothing.
pub struct Devices {
    kind: DeviceKind,
    opened: Box<[OnceLock<Arc<dyn Device>>]>,
    open: Box<Open>,
}

impl Devices {
    /// So many devices of a kind; `open` gives each.
    pub fn new(
        kind: DeviceKind,
        count: usize,
        open: impl Fn(usize) -> Result<Arc<dyn Device>, String> + Send + Sync + 'static,
    ) -> Devices {
        Devices {
            kind,
            opened: (0..count).map(|_| OnceLock::new()).collect(),
            open: Box::new(open),
        }
    }

    /// One device.
    pub fn one(device: Arc<dyn Device>) -> Devices {
        Devices::new(device.kind(), 1, move |_| Ok(Arc::clone(&device)))
    }

    /// What executes their kernels.
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.opened.len()
    }

    /// The device of that number; the error says, in words, why it cannot be used.
    pub fn get(&self, number: usize) -> Result<&dyn Device, String> {
        let slot = self.opened.get(number).ok_or("there is no device of that number")?;
        if let Some(device) = slot.get() {
            return Ok(device.as_ref());
        }
        let on = On { number, kind: self.kind };
        let open = || (self.open)(number);
        let device = profiling::during(Event::DeviceInitStart, &OPENING, on, About::Other, open)?;
        Ok(slot.get_or_init(|| device).as_ref())
    }

    /// Those that have been used, with their numbers.
    pub fn used(&self) -> impl Iterator<Item = (usize, &dyn Device)> {
        let slots = self.opened.iter().enumerate();
        slots.filter_map(|(number, slot)| Some((number, slot.get()?.as_ref())))
    }
}

/// What runs the program's regions.
pub enum Executor {
    /// Devices, one at least.
    Devices(Devices),
    /// No device: the host code of every region.
    Host,
}

/// A device in words.
fn describe(device: &dyn Device) -> String {
    let how = match device.kind() {
        DeviceKind::Cuda => "cuda",
        DeviceKind::Sim => "simulated",
    };
    format!("{} ({}, {how})", device.name(), device.arch())
}

impl Executor {
    /// The executor in words; of several devices, the first that is used.
    pub fn describe(&self) -> String {
        match self {
            Executor::Devices(devices) => devices
                .used()
                .next()
                .map_or_else(|| "a device that is not used".to_owned(), |(_, used)| describe(used)),
            Executor::Host => "host (no device, regions run as host code)".to_owned(),
        }
    }

    /// Names the executor on standard error. A program never runs on the host or on the simulator
    /// without having said so.
    pub fn announce(&self) {
        match self {
            Executor::Devices(devices) => devices.used().for_each(|(number, device)| {
                let of = match devices.count() {
                    1 => String::new(),
                    count => format!(", one of {count}"),
                };
                say(&format!("gpuc: device {number}: {}{of}\n", describe(device)));
            }),
            Executor::Host => say(&format!("gpuc: {}\n", self.describe())),
        }
    }
}

/// Chooses as the environment asks, and opens the device that the program starts on. `cuda` answers with the
/// GPUs or why there are none.
pub fn select_with(
    config: &Config,
    cuda: impl FnOnce() -> Result<Devices, String>,
) -> Result<Executor, Failure> {
    let open_cuda = || {
        let devices = cuda()?;
        devices.get(config.first_device.min(devices.count().saturating_sub(1)))?;
        Ok::<_, String>(Executor::Devices(devices))
    };
    let chosen = choose(config, open_cuda)?;
    if let Executor::Devices(devices) = &chosen {
        if config.first_device >= devices.count() {
            let (wanted, last) = (config.first_device, devices.count() - 1);
            let message = match last {
                0 => format!("ACC_DEVICE_NUM=`{wanted}`: there is only device 0"),
                last => format!("ACC_DEVICE_NUM=`{wanted}`: there are devices 0 to {last}"),
            };
            return Err(Box::new(Diagnostic::error(message)));
        }
        devices
            .get(config.first_device)
            .map_err(|why| Box::new(Diagnostic::error(format!("no device: {why}"))))?;
    }
    Ok(chosen)
}

fn choose(
    config: &Config,
    open_cuda: impl FnOnce() -> Result<Executor, String>,
) -> Result<Executor, Failure> {
    let no_gpu = |asked: &str, why: &str| {
        Box::new(Diagnostic::error(format!("{asked}, but there is no GPU: {why}")).help(
            "run on a machine with an NVIDIA GPU and its driver, or use GPUC_DEVICE=sim for the \
             simulator",
        ))
    };
    let simulator = || {
        let (arch, settings) = (config.sim_arch, config.sim_settings());
        interrupt::listen();
        Executor::Devices(Devices::new(DeviceKind::Sim, config.sim_devices, move |number| {
            Ok(Arc::new(SimDevice::with(arch, settings, number as u32)))
        }))
    };
    match config.device {
        DeviceChoice::Host if config.require_gpu => {
            Err(contradiction("GPUC_DEVICE=host", "the host"))
        }
        DeviceChoice::Sim if config.require_gpu => {
            Err(contradiction("GPUC_DEVICE=sim", "the simulator"))
        }
        DeviceChoice::Host => Ok(Executor::Host),
        DeviceChoice::Sim => Ok(simulator()),
        DeviceChoice::Cuda => {
            open_cuda().map_err(|why| no_gpu("GPUC_DEVICE=cuda asks for a GPU", &why))
        }
        DeviceChoice::Auto => match open_cuda() {
            Ok(devices) => Ok(devices),
            Err(why) if config.require_gpu => Err(no_gpu("GPUC_REQUIRE_GPU is set", &why)),
            Err(_) => Ok(simulator()),
        },
    }
}

fn contradiction(setting: &str, what: &str) -> Failure {
    Box::new(
        Diagnostic::error(format!("GPUC_REQUIRE_GPU is set, but {setting} asks for {what}"))
            .help("unset one of the two"),
    )
}

/// Chooses as the environment asks, on this machine.
pub fn select(config: &Config) -> Result<Executor, Failure> {
    select_with(config, || {
        let count = CudaDevice::count()?;
        let settings = config.cuda_settings();
        Ok(Devices::new(DeviceKind::Cuda, count, move |number| {
            CudaDevice::open(number, settings.clone())
                .map(|device| Arc::new(device) as Arc<dyn Device>)
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::memory_only::MemoryOnly;

    #[test]
    fn every_choice_with_and_without_a_gpu() {
        let outcome = |device: &str, require: &str, gpu: bool| {
            let config = Config::read(|name| match name {
                "GPUC_DEVICE" => Some(device.to_owned()),
                "GPUC_REQUIRE_GPU" => Some(require.to_owned()),
                _ => None,
            });
            let selected = select_with(&config.unwrap(), || {
                if gpu {
                    Ok(Devices::one(Arc::new(MemoryOnly::gpu_with(1))))
                } else {
                    Err("none here".to_owned())
                }
            });
            match selected {
                Ok(Executor::Host) => "host".to_owned(),
                Ok(Executor::Devices(devices)) => {
                    devices.get(0).map_or_else(|e| e, |device| device.kind().as_str().to_owned())
                }
                Err(error) => error.message,
            }
        };
        for (device, require, gpu, expected) in [
            ("auto", "0", true, "cuda"),
            ("auto", "0", false, "sim"),
            ("auto", "1", true, "cuda"),
            ("auto", "1", false, "GPUC_REQUIRE_GPU is set, but there is no GPU: none here"),
            ("cuda", "0", true, "cuda"),
            ("cuda", "0", false, "GPUC_DEVICE=cuda asks for a GPU, but there is no GPU: none here"),
            ("sim", "0", true, "sim"),
            (
                "sim",
                "1",
                true,
                "GPUC_REQUIRE_GPU is set, but GPUC_DEVICE=sim asks for the simulator",
            ),
            ("host", "0", true, "host"),
            ("host", "1", true, "GPUC_REQUIRE_GPU is set, but GPUC_DEVICE=host asks for the host"),
        ] {
            assert_eq!(outcome(device, require, gpu), expected);
        }
    }
}
