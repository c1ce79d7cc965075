//! What kernels are compiled for: options, the environment, or else what is there to run them, the machine's GPUs or, where
//! the program runs at once, the simulator.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes};

use super::{Arguments, Device};
use crate::toolchain::gpus;

/// What kernels are compiled for where no option says so.
const VARIABLE: &str = "GPUC_ARCH";

/// What kernels are to be compiled for. Which GPUs a machine has is asked where there are kernels: it takes time, and may fail.
#[derive(Clone, Copy, Debug)]
pub(in crate::cc) enum Target {
    Arch(&'static Arch),
    /// This machine's GPUs, by the word that asked for them.
    Native(&'static str),
}

impl Target {
    fn archs(self) -> Result<Vec<&'static Arch>, Diagnostic> {
        match self {
            Target::Arch(arch) => Ok(vec![arch]),
            Target::Native(word) => native(word),
        }
    }
}

/// The targets of a list such as `sm_80,sm_90` or `native`.
pub(super) fn targets(names: &str) -> Result<Vec<Target>, Diagnostic> {
    let target = |name| match name {
        "native" => Ok(Target::Native("native")),
        _ => arch(name).map(Target::Arch),
    };
    names.split(',').map(target).collect()
}

fn archs_of(targets: &[Target]) -> Result<Vec<&'static Arch>, Diagnostic> {
    let mut found = Vec::new();
    for target in targets {
        found.extend(target.archs()?);
    }
    found.sort_by_key(|arch| arch.number);
    found.dedup_by_key(|arch| arch.name);
    Ok(found)
}

/// This machine's GPUs, where an option asks for these by `word`.
fn native(word: &str) -> Result<Vec<&'static Arch>, Diagnostic> {
    let found = gpus::targets();
    if found.is_empty() {
        return Err(Diagnostic::error(format!(
            "`{word}`: this machine has no GPU, or no driver for it"
        ))
        .code(codes::BAD_OPTION)
        .help("name what to compile for, as in `--arch=sm_90`"));
    }
    Ok(found)
}

/// What the environment names, or else this machine's GPUs, or the default where there are none.
pub fn default_archs() -> Result<Vec<&'static Arch>, Diagnostic> {
    Ok(named_by_environment()?.unwrap_or_else(|| or_default(gpus::targets())))
}

fn or_default(gpus: Vec<&'static Arch>) -> Vec<&'static Arch> {
    if gpus.is_empty() { vec![Arch::default_target()] } else { gpus }
}

fn named_by_environment() -> Result<Option<Vec<&'static Arch>>, Diagnostic> {
    let Some(value) = variable(VARIABLE) else { return Ok(None) };
    let archs = targets(&value).and_then(|targets| archs_of(&targets));
    archs.map(Some).map_err(|error| Diagnostic {
        message: format!("{} ({VARIABLE}=`{value}`)", error.message),
        ..error
    })
}

/// The value of a variable of the environment that has one.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The architecture of a name such as `sm_90`.
pub(super) fn arch(name: &str) -> Result<&'static Arch, Diagnostic> {
    Arch::by_name(name).ok_or_else(|| {
        let known: Vec<_> = Arch::all().iter().map(|arch| arch.name).collect();
        Diagnostic::error(format!("unknown compute capability `{name}`"))
            .code(codes::BAD_OPTION)
            .help(format!("known are {}", known.join(", ")))
    })
}

impl Arguments {
    /// What kernels are compiled for, ascending, one at least: what the command line names, or else the environment, or else what
    /// there is.
    ///
    /// # Errors
    /// `GPUC_ARCH` names what is not known; GPUs are asked for, and there are none.
    pub fn archs(&self) -> Result<&[&'static Arch], Diagnostic> {
        if let Some(known) = self.archs.get() {
            return Ok(known);
        }
        let archs = match &*self.targets {
            [] => named_by_environment()?.unwrap_or_else(|| {
                let gpus = gpus::targets();
                let simulated = self.simulated(!gpus.is_empty());
                simulated.map_or_else(|| or_default(gpus), |simulated| vec![simulated])
            }),
            targets => archs_of(targets)?,
        };
        Ok(self.archs.get_or_init(|| archs))
    }

    /// The lowest of them, for which everything is decided.
    ///
    /// # Errors
    /// Those of [`Arguments::archs`].
    pub fn lowest_arch(&self) -> Result<&'static Arch, Diagnostic> {
        Ok(self.archs()?.first().copied().unwrap_or_else(Arch::default_target))
    }

    /// What the simulator stands for, where the program runs on it at once. Names that mean nothing are for the program
    /// to refuse.
    fn simulated(&self, has_gpu: bool) -> Option<&'static Arch> {
        if !self.runs {
            return None;
        }
        let device = self.device.or_else(|| Device::of_name(&variable("GPUC_DEVICE")?));
        let is_simulated = match device {
            Some(Device::Sim) => true,
            Some(Device::Cuda | Device::Host) => false,
            Some(Device::Auto) | None => !has_gpu,
        };
        if !is_simulated {
            return None;
        }
        let model = self.device_model.clone().or_else(|| variable("GPUC_SIM_DEVICE"));
        let stands_for = match (model, variable("GPUC_SIM_ARCH")) {
            (Some(name), _) => Arch::device(&name)?,
            (None, Some(name)) => Arch::by_name(&name)?,
            (None, None) => Arch::default_simulated(),
        };
        Arch::by_name(stands_for.name)
    }
}
