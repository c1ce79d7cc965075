//! What the environment asks of the runtime.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, did_you_mean};
use gpuc_sim::Checks;

use crate::Failure;

/// The value of `GPUC_DEVICE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if there is one, otherwise the simulator.
    #[default]
    Auto,
    /// A GPU or an error.
    Cuda,
    /// The simulator.
    Sim,
    /// No device: regions run as host code.
    Host,
}

/// What the environment asks of the runtime.
#[derive(Clone, Debug)]
pub struct Config {
    /// `GPUC_DEVICE=auto|cuda|sim|host`.
    pub device: DeviceChoice,
    /// `GPUC_REQUIRE_GPU=1`: anything but a GPU is an error.
    pub require_gpu: bool,
    /// `GPUC_SIM_ARCH=sm_90`: what the simulator stands for.
    pub sim_arch: &'static Arch,
    /// `GPUC_CHECK=memcheck,racecheck,initcheck,synccheck` or `all`: what the simulator checks; on a
    /// machine with a GPU too the simulator is then the device.
    pub checks: Checks,
    /// `GPUC_CHECK_FORMAT=text|json`: whether the findings are printed as JSON.
    pub check_json: bool,
    /// `GPUC_REPORT=1`: the table of kernels and transfers at exit.
    pub report: bool,
    /// `GPUC_COUNTERS=0|1`: whether the report counts; it does by default.
    pub counters: bool,
    /// `GPUC_TIME=1`: the timing table at exit.
    pub time: bool,
    /// `GPUC_QUIET=1`: the executor is not announced.
    pub quiet: bool,
}

/// The architecture of the simulator where the user does not choose.
const DEFAULT_SIM_ARCH: &str = "sm_90";

impl Config {
    /// Reads the process's environment.
    pub fn from_env() -> Result<Config, Failure> {
        Config::read(|name| std::env::var(name).ok())
    }

    /// Reads the variables that `get` knows.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Config, Failure> {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let device = match get("GPUC_DEVICE") {
            None => DeviceChoice::Auto,
            Some(value) => {
                let names = ["auto", "cuda", "sim", "host"];
                match value.as_str() {
                    "auto" => DeviceChoice::Auto,
                    "cuda" => DeviceChoice::Cuda,
                    "sim" => DeviceChoice::Sim,
                    "host" => DeviceChoice::Host,
                    other => return Err(unknown("GPUC_DEVICE", other, "a device", &names)),
                }
            }
        };
        let checks = match get("GPUC_CHECK") {
            None => Checks::default(),
            Some(list) => list
                .parse()
                .map_err(|message| Box::new(Diagnostic::error(format!("GPUC_CHECK: {message}"))))?,
        };
        let check_json = match get("GPUC_CHECK_FORMAT").as_deref() {
            None | Some("text") => false,
            Some("json") => true,
            Some(other) => {
                return Err(unknown("GPUC_CHECK_FORMAT", other, "a form", &["text", "json"]));
            }
        };
        let device = match device {
            DeviceChoice::Auto if checks.any() => DeviceChoice::Sim,
            DeviceChoice::Cuda | DeviceChoice::Host if checks.any() => {
                let message = "GPUC_CHECK is set, but checkers listen to the simulator alone";
                let help = "unset GPUC_DEVICE, or set it to `sim`";
                return Err(Box::new(Diagnostic::error(message).help(help)));
            }
            other => other,
        };
        let arch = get("GPUC_SIM_ARCH").unwrap_or_else(|| DEFAULT_SIM_ARCH.to_owned());
        let Some(sim_arch) = Arch::by_name(&arch) else {
            let names: Vec<&str> = Arch::all().iter().map(|arch| arch.name).collect();
            return Err(unknown("GPUC_SIM_ARCH", &arch, "an architecture", &names));
        };
        let switch = |name: &str| match get(name).as_deref() {
            None => Ok(None),
            Some("0" | "no" | "off" | "false") => Ok(Some(false)),
            Some("1" | "yes" | "on" | "true") => Ok(Some(true)),
            Some(other) => Err(unknown(name, other, "a switch", &["0", "1"])),
        };
        let counters = switch("GPUC_COUNTERS")?;
        let report = switch("GPUC_REPORT")?;
        Ok(Config {
            device,
            require_gpu: switch("GPUC_REQUIRE_GPU")?.unwrap_or(false),
            sim_arch,
            checks,
            check_json,
            report: report.unwrap_or(counters == Some(true)),
            counters: counters.unwrap_or(true),
            time: switch("GPUC_TIME")?.unwrap_or(false),
            quiet: switch("GPUC_QUIET")?.unwrap_or(false),
        })
    }

    /// Whether anything is printed at exit.
    pub fn reports(&self) -> bool {
        self.report || self.time
    }
}

/// The error for a value that a variable cannot have.
fn unknown(variable: &str, value: &str, what: &str, known: &[&str]) -> Failure {
    let error = Diagnostic::error(format!("{variable}=`{value}` is not {what}"))
        .help(format!("{variable} takes {}", known.join(", ")));
    Box::new(match did_you_mean(value, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, String> {
        Config::read(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
        .map_err(|error| format!("{} / {}", error.message, error.help.join(" / ")))
    }

    #[test]
    fn defaults_values_and_errors() {
        let config = read(&[]).unwrap();
        assert_eq!(config.device, DeviceChoice::Auto);
        assert_eq!(config.sim_arch.name, "sm_90");
        assert!(!config.require_gpu && !config.reports() && !config.quiet);
        let config = read(&[("GPUC_DEVICE", "host"), ("GPUC_SIM_ARCH", "sm_75")]).unwrap();
        assert_eq!((config.device, config.sim_arch.name), (DeviceChoice::Host, "sm_75"));
        assert!(read(&[("GPUC_COUNTERS", "1")]).unwrap().report);
        assert!(!read(&[("GPUC_COUNTERS", "0"), ("GPUC_REPORT", "1")]).unwrap().counters);
        for (variable, value, expected) in [
            ("GPUC_DEVICE", "cudo", "did you mean `cuda`?"),
            ("GPUC_SIM_ARCH", "sm90", "did you mean `sm_90`?"),
            ("GPUC_REPORT", "maybe", "GPUC_REPORT=`maybe` is not a switch"),
            ("GPUC_CHECK", "lint", "`lint` is not a checker"),
            ("GPUC_CHECK_FORMAT", "jsno", "did you mean `json`?"),
        ] {
            let error = read(&[(variable, value)]).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn checkers_want_the_simulator() {
        let config = read(&[("GPUC_CHECK", "all"), ("GPUC_CHECK_FORMAT", "json")]).unwrap();
        assert_eq!((config.device, config.checks), (DeviceChoice::Sim, Checks::ALL));
        assert!(config.check_json && !read(&[("GPUC_CHECK", "all")]).unwrap().check_json);
        for device in ["cuda", "host"] {
            let error = read(&[("GPUC_CHECK", "all"), ("GPUC_DEVICE", device)]).unwrap_err();
            assert!(error.contains("listen to the simulator alone"), "{error}");
        }
    }
}
