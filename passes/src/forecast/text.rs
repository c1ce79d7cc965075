//! Forecasts as text, a line for each kernel: what `--emit=forecast` prints.
//!
//! ```text
//! gpuc forecast 1 device H100 SXM5
//! kernel gemm_L2_kernel line 2 us 47.412 chosen launches 1 blocks 512 threads 64 resident 8 registers 128 for n=1024 bound instruction issue at 91 %
//! ```

use gpuc_arch::{Arch, Bound, Estimate};
use gpuc_ir::{Ir, Op};

use super::{Forecast, Sizes, kernels};

/// The forecasts of a module's kernels.
pub fn text_of(ir: &Ir, module: Op, sizes: &Sizes, arch: &Arch) -> String {
    let mut text = format!("gpuc forecast 1 device {}\n", arch.chip.name);
    for found in kernels(ir, module, sizes, arch) {
        let line = found.line(ir);
        let Forecast { work, estimate, assumed, guessed, is_chosen, launches } = &found.forecast;
        let sizes: Vec<String> =
            assumed.iter().map(|(name, size)| format!("{name}={size}")).collect();
        text += &format!(
            "kernel {} line {line} us {:.3} {} launches {launches} blocks {} threads {} resident {} registers {} for {} bound {}{}\n",
            ir.symbol_name(found.kernel).unwrap_or("?"),
            estimate.seconds * 1e6,
            if *is_chosen { "chosen" } else { "not" },
            work.blocks,
            work.threads,
            estimate.occupancy.blocks,
            work.registers,
            if sizes.is_empty() { "-".to_owned() } else { sizes.join(",") },
            bound(estimate),
            if *guessed { ", some of it guessed" } else { "" },
        );
    }
    text
}

/// What bounds a kernel, in words.
pub fn bound(estimate: &Estimate) -> String {
    match estimate.bound {
        Bound::Resource(resource) => {
            format!("{} at {:.0} %", resource.name(), estimate.share(resource) * 100.0)
        }
        Bound::Latency => "waits for results".to_owned(),
        Bound::Barriers => "waits at barriers".to_owned(),
        Bound::Atomics => "atomics on one line".to_owned(),
        Bound::Starts => "the starts of blocks".to_owned(),
        Bound::Grid => "too few blocks".to_owned(),
        Bound::Launch => "the launch".to_owned(),
    }
}
