//! What can go wrong on a device.

use gpuc_diagnostics::{Diagnostic, did_you_mean};
use thiserror::Error;

use super::ErrorCode;

/// An error of a device operation. It has no C line; the caller, who knows one, adds it with
/// [`DeviceError::into_diagnostic`].
#[derive(Debug, Error)]
pub enum DeviceError {
    /// The driver refused a call.
    #[error("{call} failed with {name}: {description}")]
    Driver {
        /// The driver function.
        call: &'static str,
        /// What it returned.
        code: ErrorCode,
        /// The driver's name of the error (`CUDA_ERROR_INVALID_VALUE`).
        name: String,
        /// The driver's words.
        description: String,
    },
    /// Device memory is exhausted.
    #[error("out of device memory: {bytes} bytes asked for{}", match .free {
        Some(free) => format!(", {free} free"),
        None => String::new(),
    })]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
        /// Bytes free, where known.
        free: Option<u64>,
    },
    /// The PTX is newer than the device's driver or needs a newer device.
    #[error("{message}")]
    Incompatible {
        /// What does not fit.
        message: String,
        /// What to do.
        help: String,
    },
    /// The driver's compiler refused the PTX.
    #[error("the driver refuses the PTX of {source_name} with {name}")]
    Jit {
        /// The translation unit.
        source_name: String,
        /// What the driver returned.
        code: ErrorCode,
        /// The driver's name of the error.
        name: String,
        /// The compiler's log.
        log: String,
    },
    /// The simulator refused the PTX.
    #[error("{}", .0.first().map_or("the PTX is not valid", |first| first.message.as_str()))]
    Ptx(Vec<Diagnostic>),
    /// The module has no such kernel.
    #[error("the module has no kernel `{name}`")]
    NoKernel {
        /// The name asked for.
        name: String,
        /// The kernels it has, as far as known.
        known: Vec<String>,
    },
    /// The module has no such variable.
    #[error("the module has no variable `{name}`")]
    NoVariable {
        /// The name asked for.
        name: String,
    },
    /// The kernel did something it must not.
    #[error("{}", .diagnostic.message)]
    Fault {
        /// What a GPU calls it.
        code: ErrorCode,
        /// What it did, and where.
        diagnostic: Box<Diagnostic>,
    },
    /// A queue, event, module, kernel or address that the device does not know.
    #[error("{0}")]
    Invalid(String),
}

impl DeviceError {
    /// The number that the CUDA driver API has for it.
    pub fn code(&self) -> ErrorCode {
        match *self {
            DeviceError::Driver { code, .. }
            | DeviceError::Jit { code, .. }
            | DeviceError::Fault { code, .. } => code,
            DeviceError::OutOfMemory { .. } => ErrorCode::OUT_OF_MEMORY,
            DeviceError::Incompatible { .. } => ErrorCode::UNSUPPORTED_PTX_VERSION,
            DeviceError::Ptx(_) => ErrorCode::INVALID_PTX,
            DeviceError::NoKernel { .. } | DeviceError::NoVariable { .. } => ErrorCode::NOT_FOUND,
            DeviceError::Invalid(_) => ErrorCode::INVALID_VALUE,
        }
    }

    /// The error as something to show, still without the place of the directive.
    pub fn into_diagnostic(self) -> Diagnostic {
        let message = self.to_string();
        match self {
            DeviceError::Fault { diagnostic, .. } => *diagnostic,
            DeviceError::Ptx(mut diagnostics) if !diagnostics.is_empty() => {
                let more = diagnostics.split_off(1);
                let mut first = diagnostics.remove(0);
                for other in more.iter().take(8) {
                    first = first.help(other.to_string());
                }
                first
            }
            DeviceError::Jit { log, .. } => log
                .lines()
                .filter(|line| !line.trim().is_empty())
                .take(24)
                .fold(Diagnostic::error(message), |d, line| d.help(line.trim_end())),
            DeviceError::NoKernel { name, known } => {
                let near = did_you_mean(&name, known.iter().map(String::as_str));
                match near {
                    Some(near) => {
                        Diagnostic::error(message).help(format!("did you mean `{near}`?"))
                    }
                    None if known.is_empty() => Diagnostic::error(message),
                    None => Diagnostic::error(message).help(format!("it has {}", known.join(", "))),
                }
            }
            DeviceError::Incompatible { help, .. } => Diagnostic::error(message).help(help),
            DeviceError::Driver { .. }
            | DeviceError::NoVariable { .. }
            | DeviceError::OutOfMemory { .. }
            | DeviceError::Ptx(_)
            | DeviceError::Invalid(_) => Diagnostic::error(message),
        }
    }
}
