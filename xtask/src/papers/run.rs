//! Running one variant of a program, and what its report says.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{How, Program, Variant};
use crate::stage::root;

/// What a run counts.
pub struct Figures {
    /// Of all kernels, by the model.
    pub seconds: f64,
    /// Of warps.
    pub instructions: f64,
    /// Loads of warps from global memory.
    pub requests: f64,
    /// Sectors of 32 bytes that they ask for.
    pub sectors: f64,
    /// Stores of warps to global memory.
    pub store_requests: f64,
    /// Sectors that they ask for.
    pub store_sectors: f64,
    /// Loads of warps from memory of the block.
    pub shared_loads: f64,
    /// Passes of memory of the block, loads and stores.
    pub wavefronts: f64,
    /// Of these, those that conflicts of banks add.
    pub conflicts: f64,
    /// Of a thread, as the model takes it; the most of all kernels.
    pub registers: f64,
    /// Read and written.
    pub dram: f64,
    /// Loads from global memory in the text of the kernels: of read-only data, and others.
    pub loads: [usize; 2],
}

/// Where a paper's programs are compiled and run.
pub struct Runner {
    gpuc: PathBuf,
    folder: PathBuf,
    scratch: PathBuf,
}

impl Runner {
    /// For the programs of a folder.
    pub fn new(gpuc: PathBuf, folder: PathBuf, scratch: PathBuf) -> Result<Runner, String> {
        std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
        Ok(Runner { gpuc, folder, scratch })
    }

    /// Runs a variant, which checks its own result; nothing is counted on the host.
    pub fn run(&self, program: &Program, variant: &Variant) -> Result<Option<Figures>, String> {
        let mut source = self.folder.join(format!("{}.c", program.name));
        let mut options: Vec<String> = ["--arch=sm_90", "-O2"].map(str::to_owned).to_vec();
        match variant.how {
            How::Host => {
                self.start(&options, "--device=host", &source, program.sizes)?;
                return Ok(None);
            }
            How::Automatic => {}
            How::Options => {
                let file = self.folder.join(format!("{}.{}.options", program.name, variant.name));
                let own = std::fs::read_to_string(&file)
                    .map_err(|error| format!("{}: {error}", file.display()))?;
                options.extend(own.split_whitespace().map(str::to_owned));
            }
            How::Share(arrays) => source = self.with_pragma(&source, program, arrays)?,
            How::Steps => {
                let steps = self.folder.join(format!("{}.{}.steps", program.name, variant.name));
                options.push(format!("--plan={}", self.plan(&source, &steps)?.display()));
            }
        }
        let mut emit = Command::new(&self.gpuc);
        emit.args(["-w", "--emit=ptx", "-o", "-"]).args(&options).arg(&source);
        let kernels = output(&mut emit)?;
        let report: PathBuf = self.scratch.join("report.json");
        options.extend(["--counters".to_owned(), "--report=json".to_owned()]);
        options.push(format!("--report-file={}", report.display()));
        self.start(&options, "--device=sim", &source, program.sizes)?;
        let text = std::fs::read_to_string(&report).map_err(|error| error.to_string())?;
        let figures = Figures::of(&text, &kernels);
        match figures.seconds > 0.0 {
            true => Ok(Some(figures)),
            false => Err(format!("no time is known of {}", source.display())),
        }
    }

    fn start(
        &self,
        options: &[String],
        device: &str,
        source: &Path,
        sizes: &[u32],
    ) -> Result<(), String> {
        let mut command = Command::new(&self.gpuc);
        command.env("PATH", crate::provision::path());
        command.arg("run").args(options).arg(device).arg(source).arg("--");
        output(command.args(sizes.iter().map(u32::to_string))).map(|_| ())
    }

    /// A plan of these steps for the one construct of a program.
    fn plan(&self, source: &Path, steps: &Path) -> Result<PathBuf, String> {
        let printed = output(
            Command::new(&self.gpuc).args(["--arch=sm_90", "--emit=plan", "-o", "-"]).arg(source),
        )?;
        let head: Vec<&str> = printed.lines().take(2).collect();
        let said = |error: std::io::Error| format!("{}: {error}", steps.display());
        let steps = std::fs::read_to_string(steps).map_err(said)?;
        let plan = self.scratch.join("steps.plan");
        std::fs::write(&plan, format!("{}\n{steps}", head.join("\n"))).map_err(said)?;
        Ok(plan)
    }

    /// A copy of a program with a `share` pragma.
    fn with_pragma(
        &self,
        source: &Path,
        program: &Program,
        arrays: &str,
    ) -> Result<PathBuf, String> {
        let said = |error: std::io::Error| error.to_string();
        let text = std::fs::read_to_string(source).map_err(said)?;
        let (before, construct) = text
            .split_once("    #pragma acc kernels")
            .ok_or_else(|| format!("{} has no construct", source.display()))?;
        let examples = root().join("examples");
        let before = before.replace("../../../examples", &examples.display().to_string());
        let text =
            format!("{before}    #pragma acc share({arrays})\n    #pragma acc kernels{construct}");
        let copy = self.scratch.join(format!("{}-share.c", program.name));
        std::fs::write(&copy, text).map_err(said)?;
        Ok(copy)
    }
}

impl Figures {
    /// Those of a report, of all its kernels together, and of their text.
    fn of(report: &str, ptx: &str) -> Figures {
        let all = ptx.matches("ld.global").count();
        let read_only = ptx.matches("ld.global.nc").count();
        // Lines of the source have figures of the same names.
        let kernels = report.split("\"lines\":[").enumerate().map(|(at, part)| match at {
            0 => part,
            _ => part.split_once(']').map_or("", |(_, rest)| rest),
        });
        let text: String = kernels.collect();
        let sum = |name: &str| members(&text, name).sum();
        Figures {
            seconds: sum("seconds"),
            instructions: sum("smsp__inst_executed.sum"),
            requests: sum("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
            sectors: sum("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
            store_requests: sum("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
            store_sectors: sum("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
            shared_loads: sum("smsp__inst_executed_op_shared_ld.sum"),
            wavefronts: sum("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
            conflicts: sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")
                + sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
            registers: members(&text, "launch__registers_per_thread").fold(0.0, f64::max),
            dram: sum("dram_bytes"),
            loads: [read_only, all - read_only],
        }
    }

    /// Sectors of a load.
    pub fn sectors_each(&self) -> f64 {
        self.sectors / self.requests.max(1.0)
    }

    /// Sectors of a store.
    pub fn store_sectors_each(&self) -> f64 {
        self.store_sectors / self.store_requests.max(1.0)
    }
}

/// What a command that must succeed prints.
fn output(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match out.status.success() {
        true => Ok(text(&out.stdout)),
        false => Err(format!("{command:?}: {}{}", text(&out.stdout), text(&out.stderr))),
    }
}

/// The figures of that name of all kernels of a report.
fn members<'a>(report: &'a str, name: &str) -> impl Iterator<Item = f64> + use<'a> {
    let member = format!("\"{name}\":");
    let parts: Vec<&str> = report.split(&member).skip(1).collect();
    parts.into_iter().filter_map(|rest| {
        let end = rest.find([',', '}'])?;
        rest[..end].trim().parse::<f64>().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::Figures;

    #[test]
    fn figures_are_of_kernels_not_of_lines() {
        let one = "{\"seconds\":0.5,\"metrics\":{\"launch__registers_per_thread\":40},\
                   \"dram_bytes\":7,\"lines\":[{\"dram_bytes\":3}]}";
        let other = one.replace("40", "32");
        let figures = Figures::of(
            &format!("{{\"kernels\":[{one},{other}]}}"),
            "ld.global.nc.f32 ld.global.s32",
        );
        assert_eq!((figures.seconds, figures.dram, figures.registers), (1.0, 14.0, 40.0));
        assert_eq!(figures.loads, [1, 1]);
    }
}
