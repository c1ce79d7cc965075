//! Instruction selection into the ptx dialect, and PTX text.
//!
//! [`compile`] takes a `gpu.module` whose kernels have been lowered to branches (`cf`), scalar and
//! short-vector arithmetic (`arith`, `math`, `vector`), buffers (`memref`) and what threads know
//! and do together (`gpu`), and gives PTX text with the [`KernelAbi`] of each kernel. The steps are
//! also passes: [`SelectPtx`] leaves a `ptx.module` in place of every `gpu.module`, and [`print()`]
//! makes text of one.
//!
//! | module | does |
//! |---|---|
//! | `select` | one file a source dialect: operations to instructions |
//! | `emit` | instructions at the end of a block, no value twice |
//! | `available` | which instructions every way to a block has made |
//! | `dead_code` | removes what nothing uses |
//! | `ptx_version` | the `.version` that a module needs |
//! | `print` | registers, moves for block arguments, text |
//! | `abi` | what a host program must know to launch a kernel |
//! | `pass` | selection as a pass |

use gpuc_arch::{Arch, PtxVersion};
use gpuc_diagnostics::Diagnostic;
use gpuc_ir::{Ir, Op};

mod abi;
mod available;
mod dead_code;
mod emit;
mod pass;
mod print;
mod ptx_version;
mod select;

pub use abi::{KernelAbi, KernelParam, ParamType, PtxOutput, signatures};
pub use pass::SelectPtx;
pub use print::print;

/// Every pass.
pub const ALL: &[&gpuc_ir::pass::PassInfo] = &[SelectPtx::INFO];

/// When a product and the sum it goes into become one `fma`, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Contraction {
    /// Where both operations carry `fastmath<contract>`.
    #[default]
    Flagged,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// The target.
    pub arch: &'static Arch,
    /// The `.version` to write; `None` for the lowest that the target and the features in use
    /// need.
    pub version: Option<PtxVersion>,
    /// When products and sums fuse.
    pub contraction: Contraction,
    /// Whether to write `.loc` lines, which lead from instructions back to the source.
    pub lines: bool,
}

impl Options {
    /// The defaults for a target.
    pub fn new(arch: &'static Arch) -> Options {
        Options { arch, version: None, contraction: Contraction::Flagged, lines: true }
    }
}

/// Compiles the kernels of a `gpu.module`, which is left as it is. The errors name every operation
/// that PTX has no instructions for.
pub fn compile(ir: &mut Ir, module: Op, options: &Options) -> Result<PtxOutput, Vec<Diagnostic>> {
    let (target, kernels) = select(ir, module, options)?;
    let text = print(ir, target, options.lines);
    let version = ir
        .attr(target, "version")
        .and_then(|attr| ir.ctx.string_value(attr)?.parse().ok())
        .unwrap_or(options.arch.min_ptx);
    ir.erase_op(target);
    Ok(PtxOutput { text, version, kernels })
}

/// The first half of [`compile`]: a `ptx.module`, in no block yet, and what the host must know.
pub fn select(
    ir: &mut Ir,
    module: Op,
    options: &Options,
) -> Result<(Op, Vec<KernelAbi>), Vec<Diagnostic>> {
    let (target, kernels) = select::select_module(ir, module, options)?;
    dead_code::run(ir, target);
    Ok((target, kernels))
}
