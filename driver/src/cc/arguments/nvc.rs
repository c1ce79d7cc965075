//! Options in the spelling of other compilers that offload: NVIDIA's `nvc` (and its older `-ta`) and `nvcc`, and
//! Clang's `--offload-arch`.
//!
//! Each is translated into what it means here, or refused by its name where it means nothing that
//! gpuc does: a build that goes on without it would make another program.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes};

use super::archs::Target;
use super::{Arguments, Contraction, archs};

/// Categories of `-Minfo` and `-Mneginfo` about which gpuc has something to say.
const SAID: &[&str] = &["all", "accel", "acc", "loop", "opt", "par", "data", "forecast"];
/// Those about which it says nothing.
const NOT_SAID: &[&str] = &["ftn", "inline", "intensity", "lre", "mp", "pfo", "stdpar", "vect"];

/// Options of `-gpu=` that ask for what gpuc does in any case, or allow what it need not do: `fastmath` lets functions be less
/// exact than gpuc's are, `unroll` asks for loops that are unrolled where that pays.
const GPU_GIVEN: &[&str] = &[
    "lineinfo",
    "noflushz",
    "nordc",
    "mem:separate",
    "nomanaged",
    "nounified",
    "nopinned",
    "fastmath",
    "unroll",
];

/// Options of `-acc=` that ask for what gpuc does in any case: it takes nothing but OpenACC, has no
/// queues, and looks for parallel loops of its own.
const ACC_GIVEN: &[&str] = &["gpu", "strict", "verystrict", "sync", "wait", "autopar"];

fn refused(option: &str, why: &str) -> Diagnostic {
    Diagnostic::error(format!("`{option}` is not supported: {why}"))
        .code(codes::BAD_OPTION)
        .help("`gpuc --help` lists what is understood of other compilers' options")
}

impl Arguments {
    /// Options of other compilers. Whether it was one.
    pub(super) fn nvc_option(&mut self, text: &str) -> Result<bool, Diagnostic> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        match (name, value) {
            ("-acc", None) => self.families.openacc = true,
            ("-acc", Some(value)) => {
                for word in value.split(',') {
                    self.acc(word)?;
                }
            }
            ("-noacc" | "-fno-openacc", None) => {
                self.families.openacc = false;
                return Ok(name == "-noacc");
            }
            ("-fopenacc", None) => {
                self.families.openacc = true;
                return Ok(false);
            }
            ("-gpu", Some(value)) => self.gpu(value.split(','), "-gpu")?,
            ("-ta", Some(value)) => self.ta(value)?,
            ("--offload-arch", Some(value)) => {
                archs::targets(value)?.into_iter().for_each(|target| self.add_target(target));
            }
            // nvcc's. Clang's `-arch`, which names the host's, has no `=`.
            ("-arch", Some(value)) => self.targets = archs::targets(value)?,
            ("-fast" | "-fastsse", None) => self.translated("-O3"),
            // Of host and device: which instructions there are is the host compiler's to say.
            ("-Mfma", None) => {
                self.contract(Contraction::Fast);
                self.translated("-ffp-contract=fast");
            }
            ("-Mnofma", None) => {
                self.contract(Contraction::Off);
                self.translated("-ffp-contract=off");
            }
            ("-fopenmp", None) => {
                self.families.openmp = true;
                return Ok(false);
            }
            ("-fno-openmp", None) => {
                self.families.openmp = false;
                return Ok(false);
            }
            ("-fhmpp", None) => self.families.hmpp = true,
            ("-fno-hmpp", None) => self.families.hmpp = false,
            ("-fjolokia", None) => self.families.jolokia = true,
            ("-fno-jolokia", None) => self.families.jolokia = false,
            // Which devices, is said by --arch; the host compiler knows none.
            ("-fopenmp-targets", Some(value)) => {
                if !value.split(',').all(|target| target.starts_with("nvptx")) {
                    return Err(refused(text, "its only target is nvptx64-nvidia-cuda"));
                }
            }
            ("-mp", None | Some("gpu")) => {
                self.families.openmp = true;
                self.translated("-fopenmp");
            }
            ("-mp", Some("multicore")) => {
                self.families.openmp = false;
                self.translated("-fopenmp");
            }
            ("-mp", Some(value)) => {
                return Err(refused(&format!("-mp={value}"), "it takes gpu and multicore"));
            }
            ("-nomp", None) => {
                self.families.openmp = false;
                self.translated("-fno-openmp");
            }
            ("-Minfo", None) => {
                self.remarks.info = true;
                self.remarks.forecast = true;
            }
            ("-Mneginfo", None) => self.remarks.missed = true,
            ("-Minfo" | "-Mneginfo", Some(value)) => {
                for word in value.split(',') {
                    if word == "plan" {
                        self.remarks.plan = true;
                        continue;
                    }
                    match name {
                        "-Minfo" => {
                            self.remarks.info |= SAID.contains(&word);
                            self.remarks.forecast |= ["all", "forecast"].contains(&word);
                        }
                        _ => self.remarks.missed |= SAID.contains(&word),
                    }
                    if !SAID.contains(&word) && !NOT_SAID.contains(&word) {
                        return Err(refused(
                            &format!("{name}={word}"),
                            &format!("categories are {}, plan", SAID.join(", ")),
                        ));
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// One word of `-acc=`.
    fn acc(&mut self, word: &str) -> Result<(), Diagnostic> {
        match word {
            "host" => self.host_only_openacc(),
            "multicore" => {
                return Err(refused(
                    "-acc=multicore",
                    "regions run on a GPU, on the simulator, or on one core of the host",
                ));
            }
            _ if ACC_GIVEN.contains(&word) => self.families.openacc = true,
            _ => {
                let known = format!("it takes host, {}", ACC_GIVEN.join(", "));
                return Err(refused(&format!("-acc={word}"), &known));
            }
        }
        Ok(())
    }

    /// The program of the directives' host code alone, which knows `_OPENACC` all the same.
    fn host_only_openacc(&mut self) {
        self.families.openacc = false;
        self.translated(&format!("-D_OPENACC={}", gpuc_frontend_c::preprocess::OPENACC_VERSION));
    }

    /// `-ta=TARGET[:OPTION]...`, of pgcc and of nvc before 2021.
    fn ta(&mut self, value: &str) -> Result<(), Diagnostic> {
        for target in value.split(',') {
            let mut words = target.split(':');
            match words.next() {
                Some("tesla" | "nvidia" | "gpu") => self.gpu(words, "-ta=tesla")?,
                Some("host") => self.host_only_openacc(),
                _ => {
                    return Err(refused(&format!("-ta={target}"), "targets are tesla and host"));
                }
            }
        }
        Ok(())
    }

    /// The words of `-gpu=`.
    fn gpu<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        option: &str,
    ) -> Result<(), Diagnostic> {
        for word in words {
            let number = word.strip_prefix("cc").map(|number| number.replace('.', ""));
            match (word, number) {
                ("ccall" | "ccall-major", _) => {
                    if let Some(lowest) = Arch::all().iter().min_by_key(|arch| arch.number) {
                        self.add_target(Target::Arch(lowest));
                    }
                }
                ("native", _) => self.add_target(Target::Native("native")),
                ("ccnative", _) => self.add_target(Target::Native("ccnative")),
                (_, Some(number)) => {
                    let arch =
                        archs::arch(&format!("sm_{number}")).map_err(|error| Diagnostic {
                            message: format!("{} (`{option}`, `{word}`)", error.message),
                            ..error
                        })?;
                    self.add_target(Target::Arch(arch));
                }
                ("fma", _) => self.contract(Contraction::Fast),
                ("nofma", _) => self.contract(Contraction::Off),
                _ if word.starts_with("maxregcount:") => {
                    let (_, number) = word.split_at("maxregcount:".len());
                    self.limit_registers(&format!("{option}=maxregcount"), number)?;
                }
                _ if GPU_GIVEN.contains(&word) => {}
                _ => {
                    return Err(refused(
                        &format!("{option}{}{word}", if option == "-gpu" { "=" } else { ":" }),
                        &format!(
                            "it takes ccXX, ccall, ccnative, fma, nofma, maxregcount:N, {}",
                            GPU_GIVEN.join(", ")
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    fn contract(&mut self, contraction: Contraction) {
        self.contraction = contraction;
        self.contraction_given = true;
    }

    /// `-maxrregcount=N`, by whichever name.
    ///
    /// # Errors
    /// It is no number of registers.
    pub(super) fn limit_registers(&mut self, option: &str, number: &str) -> Result<(), Diagnostic> {
        // What ptxas rounds up to, and what an instruction can name.
        const REGISTERS: std::ops::RangeInclusive<u32> = 16..=255;
        let given = number.parse().ok().filter(|number| REGISTERS.contains(number));
        self.max_registers = Some(given.ok_or_else(|| {
            let (least, most) = (REGISTERS.start(), REGISTERS.end());
            Diagnostic::error(format!("`{number}` is no number of registers (`{option}`)"))
                .code(codes::BAD_OPTION)
                .help(format!("a thread has {least} to {most}"))
        })?);
        Ok(())
    }

    /// One more target for the kernels.
    fn add_target(&mut self, target: Target) {
        if !self.targets_listed {
            self.targets.clear();
        }
        self.targets.push(target);
        self.targets_listed = true;
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn parse(line: &str) -> Result<Arguments, Diagnostic> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Arguments::parse(&[words, vec!["a.o".into()]].concat())
    }

    #[test]
    fn meanings() {
        let shown = |line: &str| {
            let it = parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let flags: Vec<_> =
                it.compile_flags.iter().map(|flag| flag.to_string_lossy()).collect();
            let (acc, info) = (it.families.openacc, it.remarks.info);
            let archs: Vec<&str> = match &*it.targets {
                [] => vec!["default"],
                _ => it.archs().unwrap().iter().map(|arch| arch.name).collect(),
            };
            let archs = archs.join(",");
            format!("{archs} {acc} {info} {:?} {}", it.contraction, flags.join(" "))
        };
        for (line, expected) in [
            ("", "default true false Fast "),
            ("-acc", "default true false Fast "),
            ("-acc=gpu,strict -fast", "default true false Fast -O3"),
            ("-acc=host", "default false false Fast -D_OPENACC=202211"),
            ("-noacc", "default false false Fast "),
            ("-fno-openacc", "default false false Fast -fno-openacc"),
            ("-noacc -acc", "default true false Fast "),
            ("-gpu=cc90", "sm_90 true false Fast "),
            ("-gpu=cc90,cc8.0,lineinfo", "sm_80,sm_90 true false Fast "),
            ("-gpu=cc90 -gpu=nofma,cc100", "sm_90,sm_100 true false Off "),
            ("-gpu=ccall", "sm_70 true false Fast "),
            ("-gpu=cc90,fastmath,unroll", "sm_90 true false Fast "),
            ("-Mnofma", "default true false Off -ffp-contract=off"),
            ("-Mnofma -Mfma", "default true false Fast -ffp-contract=off -ffp-contract=fast"),
            ("-ta=tesla:cc80:nofma", "sm_80 true false Off "),
            ("-ta=host", "default false false Fast -D_OPENACC=202211"),
            ("--offload-arch=sm_90", "sm_90 true false Fast "),
            ("-arch=sm_90", "sm_90 true false Fast "),
            (
                "--offload-arch=sm_90 --offload-arch=sm_80 --offload-arch=sm_90",
                "sm_80,sm_90 true false Fast ",
            ),
            ("-mp -Minfo=all", "default true true Fast -fopenmp"),
            ("-mp=multicore -nomp", "default true false Fast -fopenmp -fno-openmp"),
            ("-Minfo=accel,mp", "default true true Fast "),
            ("-Minfo=mp", "default true false Fast "),
            ("-Mneginfo", "default true false Fast "),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused_by_name() {
        for (line, named) in [
            ("-acc=multicore", "`-acc=multicore` is not supported"),
            ("-acc=gpu,noautopar", "`-acc=noautopar` is not supported"),
            ("-gpu=cc90,managed", "`-gpu=managed` is not supported"),
            ("-gpu=maxregcount:8", "`8` is no number of registers (`-gpu=maxregcount`)"),
            ("-gpu=cc13", "unknown compute capability `sm_13` (`-gpu`, `cc13`)"),
            ("-ta=tesla:pinned", "`-ta=tesla:pinned` is not supported"),
            ("-ta=tesla:cc80,nofma", "`-ta=nofma` is not supported"),
            ("-ta=radeon", "`-ta=radeon` is not supported"),
            ("-mp=tpu", "`-mp=tpu` is not supported"),
            ("-Minfo=acel", "`-Minfo=acel` is not supported"),
            ("--offload-arch=sm_13", "unknown compute capability `sm_13`"),
            ("-arch=sm_13", "unknown compute capability `sm_13`"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.message.starts_with(named), "{line}: {error}");
        }
    }
}
