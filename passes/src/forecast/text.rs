//! Forecasts as text, a line for each kernel: what `--emit=forecast` prints, and `gpuc tune` reads.
//!
//! ```text
//! gpuc forecast 1 device H100 SXM5
//! kernel gemm_L2_kernel line 2 us 47.412 chosen launches 1 blocks 512 threads 64 resident 8 registers 128 for n=1024 bound instruction issue at 91 %
//! ```

use gpuc_arch::{Arch, Bound, Estimate};
use gpuc_dialects::gpu::GPUFuncOp;
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use super::{Forecast, Sizes, construct, forecast, launches_of};

/// What stands in the line of a kernel that the host starts for these sizes.
const CHOSEN: &str = "chosen";

/// A forecast of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The kernel's symbol.
    pub kernel: String,
    /// The line of its construct.
    pub line: u32,
    /// Microseconds of a launch.
    pub us: f64,
    /// How often the host starts it.
    pub launches: f64,
    /// Whether the host starts it for these sizes.
    pub is_chosen: bool,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u64,
}

/// A kernel, the construct that it is of, and what it is expected to take.
pub struct Found {
    /// The kernel.
    pub kernel: Op,
    /// The function of its construct.
    pub construct: Op,
    /// What it is expected to take.
    pub forecast: Forecast,
}

/// The kernels of a module, in their order: versions of a construct in the order in which the host asks for them.
pub fn kernels(ir: &Ir, module: Op, sizes: &Sizes, arch: &Arch) -> Vec<Found> {
    let launches = launches_of(ir, module);
    let nested = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
    let kernels =
        nested.filter_map(|op| GPUFuncOp::cast(ir, op).filter(|kernel| kernel.is_kernel(ir)));
    let found = kernels.map(|kernel| {
        let name = ir.symbol_name(kernel.op()).and_then(|name| ir.ctx.find_ident(name));
        let launch = name.and_then(|name| launches.get(&name)).copied();
        Found {
            kernel: kernel.op(),
            construct: construct(ir, kernel, launch),
            forecast: forecast(ir, kernel, launch, sizes, arch),
        }
    });
    found.collect()
}

/// The forecasts of a module's kernels.
pub fn text_of(ir: &Ir, module: Op, sizes: &Sizes, arch: &Arch) -> String {
    let mut text = format!("gpuc forecast 1 device {}\n", arch.chip.name);
    for Found { kernel, construct, forecast } in kernels(ir, module, sizes, arch) {
        let line = ir.ctx.place(ir.location(construct)).map_or(0, |place| place.line);
        let Forecast { work, estimate, assumed, guessed, is_chosen, launches } = &forecast;
        let sizes: Vec<String> =
            assumed.iter().map(|(name, size)| format!("{name}={size}")).collect();
        text += &format!(
            "kernel {} line {line} us {:.3} {} launches {launches} blocks {} threads {} resident {} registers {} for {} bound {}{}\n",
            ir.symbol_name(kernel).unwrap_or("?"),
            estimate.seconds * 1e6,
            if *is_chosen { CHOSEN } else { "not" },
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

/// Reads what [`text_of`] printed; lines of another form are left out.
pub fn parse(text: &str) -> Vec<Line> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let (mut kernel, mut at, mut us) = (None, None, None);
        for (key, value) in [("kernel", &mut kernel), ("line", &mut at), ("us", &mut us)]
            as [(_, &mut Option<&str>); 3]
        {
            *value = words.next().filter(|word| *word == key).and_then(|_| words.next());
        }
        let is_chosen = words.next()? == CHOSEN;
        let mut number = |key: &str| {
            words.next().filter(|word| *word == key).and_then(|_| words.next()?.parse::<f64>().ok())
        };
        Some(Line {
            kernel: kernel?.to_owned(),
            line: at?.parse().ok()?,
            us: us?.parse().ok()?,
            is_chosen,
            launches: number("launches")?,
            blocks: number("blocks")? as u64,
            threads: number("threads")? as u64,
        })
    };
    text.lines().filter_map(of_line).collect()
}
