//! What kernels are compiled for: options, the environment, or else the machine's own GPUs.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes};

use super::Arguments;
use crate::toolchain::gpus;

/// What kernels are compiled for where no option says so.
const VARIABLE: &str = "GPUC_ARCH";

/// The architectures of a list such as `sm_80,sm_90` or `native`.
pub(super) fn archs(names: &str) -> Result<Vec<&'static Arch>, Diagnostic> {
    let mut found = Vec::new();
    for name in names.split(',') {
        match name {
            "native" => found.extend(native("native")?),
            _ => found.push(arch(name)?),
        }
    }
    Ok(found)
}

/// This machine's GPUs, where an option asks for these by `word`.
pub(super) fn native(word: &str) -> Result<Vec<&'static Arch>, Diagnostic> {
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

/// What the environment names, or else this machine's GPUs, which may be none.
pub fn default_archs() -> Result<Vec<&'static Arch>, Diagnostic> {
    match std::env::var(VARIABLE).ok().filter(|value| !value.is_empty()) {
        Some(value) => archs(&value).map_err(|error| Diagnostic {
            message: format!("{} ({VARIABLE}=`{value}`)", error.message),
            ..error
        }),
        None => Ok(gpus::targets()),
    }
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
    /// Compiles for these architectures, one at least.
    pub(super) fn compile_for(&mut self, mut archs: Vec<&'static Arch>) {
        archs.sort_by_key(|arch| arch.number);
        archs.dedup_by_key(|arch| arch.name);
        self.arch = archs.remove(0);
        self.more_archs = archs;
        self.arch_given = true;
    }

    /// Compiles for what the environment names, or for this machine's GPUs, where the command line names no
    /// architecture. Of a machine without one, the default stays.
    ///
    /// # Errors
    /// `GPUC_ARCH` names what is not known.
    pub fn choose_archs(&mut self) -> Result<(), Diagnostic> {
        if self.arch_given {
            return Ok(());
        }
        let archs = default_archs()?;
        if !archs.is_empty() {
            self.compile_for(archs);
        }
        Ok(())
    }
}
