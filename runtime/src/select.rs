//! Which device runs the program.

use std::io::Write;
use std::sync::Arc;

use gpuc_diagnostics::Diagnostic;

use crate::Failure;
use crate::config::{Config, DeviceChoice};
use crate::device::cuda::CudaDevice;
use crate::device::sim::SimDevice;
use crate::device::{Device, DeviceKind};

/// What runs the program's regions.
#[derive(Clone)]
pub enum Executor {
    /// A device.
    Device(Arc<dyn Device>),
    /// No device: the host code of every region.
    Host,
}

impl Executor {
    /// The executor in words.
    pub fn describe(&self) -> String {
        match self {
            Executor::Device(device) => {
                let how = match device.kind() {
                    DeviceKind::Cuda => "cuda",
                    DeviceKind::Sim => "simulated",
                };
                format!("{} ({}, {how})", device.name(), device.arch())
            }
            Executor::Host => "host (no device, regions run as host code)".to_owned(),
        }
    }

    /// Names the executor on standard error. A program never runs on the host or on the simulator
    /// without having said so.
    pub fn announce(&self) {
        let mut stderr = std::io::stderr();
        // A closed standard error is the user's choice.
        let _ = match self {
            Executor::Device(_) => writeln!(stderr, "gpuc: device 0: {}", self.describe()),
            Executor::Host => writeln!(stderr, "gpuc: {}", self.describe()),
        };
    }
}

/// Chooses as the environment asks. `open_cuda` answers with the GPU or why there is none.
pub fn select_with(
    config: &Config,
    open_cuda: impl FnOnce() -> Result<Arc<dyn Device>, String>,
) -> Result<Executor, Failure> {
    let no_gpu = |asked: &str, why: &str| {
        Box::new(Diagnostic::error(format!("{asked}, but there is no GPU: {why}")).help(
            "run on a machine with an NVIDIA GPU and its driver, or use GPUC_DEVICE=sim for the \
             simulator",
        ))
    };
    let simulator =
        || Executor::Device(Arc::new(SimDevice::checked(config.sim_arch, config.checks)));
    match config.device {
        DeviceChoice::Host if config.require_gpu => {
            Err(contradiction("GPUC_DEVICE=host", "the host"))
        }
        DeviceChoice::Sim if config.require_gpu => {
            Err(contradiction("GPUC_DEVICE=sim", "the simulator"))
        }
        DeviceChoice::Host => Ok(Executor::Host),
        DeviceChoice::Sim => Ok(simulator()),
        DeviceChoice::Cuda => open_cuda()
            .map(Executor::Device)
            .map_err(|why| no_gpu("GPUC_DEVICE=cuda asks for a GPU", &why)),
        DeviceChoice::Auto => match open_cuda() {
            Ok(device) => Ok(Executor::Device(device)),
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
    select_with(config, || CudaDevice::first().map(|device| Arc::new(device) as Arc<dyn Device>))
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
                    Ok(Arc::new(MemoryOnly::gpu_with(1)))
                } else {
                    Err("none here".to_owned())
                }
            });
            match selected {
                Ok(Executor::Host) => "host".to_owned(),
                Ok(Executor::Device(device)) => device.kind().as_str().to_owned(),
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
