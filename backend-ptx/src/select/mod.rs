//! Instruction selection: `gpu.module` to `ptx.module`.
//!
//! Kernels are rewritten one at a time, their blocks in reverse post-order, so that every operand
//! has been selected before its users. Each source dialect has its file, which lists the
//! [`rules`] of its operations; what has none is refused with its place.

use gpuc_arch::Feature;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::gpu::{GPUFuncOp, GPUModuleOp};
use gpuc_dialects::ptx::PtxModuleOp;
use gpuc_ir::{Ir, Op, OpView};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Contraction, KernelAbi, Options};

mod arith;
mod atomic;
mod branch;
mod buffer;
mod call;
mod compare;
mod convert;
mod copies;
mod division;
mod float;
mod function;
mod global;
mod gpu;
mod grid;
mod invariant_division;
mod math;
mod memref;
mod output;
mod ptr;
mod rules;
mod scalar;
mod value;
mod vector;

pub(crate) use function::Selector;
pub(crate) use scalar::{Scalar, normalized};
pub(crate) use value::{Buffer, Extent, Lowered};

/// Why an operation was not selected.
pub(crate) enum Stop {
    /// Something is not supported.
    Report(Box<Diagnostic>),
    /// An operand was not selected; that has been reported.
    Skip,
}

/// The result of selecting something.
pub(crate) type Selected<T> = Result<T, Stop>;

/// What a module of PTX is made of besides functions.
pub(crate) struct ModuleState<'a> {
    /// The `gpu.module`.
    pub source: Op,
    /// The `ptx.module`.
    pub target: Op,
    /// How to compile.
    pub options: &'a Options,
    /// Names taken by functions and variables of the `ptx.module`.
    pub names: FxHashSet<String>,
    /// The variable made for each global of the source.
    pub globals: FxHashMap<Op, String>,
    /// Name of the variable for dynamic shared memory, once it is needed.
    pub dynamic_shared: Option<String>,
    /// The variable made for each constant string.
    pub strings: FxHashMap<String, String>,
    /// Functions of the device's runtime system that have been declared.
    pub system: FxHashSet<&'static str>,
    /// Features that were used.
    pub features: Vec<Feature>,
}

impl ModuleState<'_> {
    /// A name for a symbol of PTX that nothing else has: `name`, or with a number behind it.
    pub fn unique_name(&mut self, name: &str) -> String {
        let mut text: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' })
            .collect();
        if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$') {
            text.insert(0, '$');
        }
        if text.len() == 1 && !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            text.push('_');
        }
        let mut unique = text.clone();
        let mut n = 0;
        while !self.names.insert(unique.clone()) {
            n += 1;
            unique = format!("{text}_{n}");
        }
        unique
    }

    /// How multiplications and additions may fuse.
    pub fn contraction(&self) -> Contraction {
        self.options.contraction
    }
}

/// Selects every kernel of a `gpu.module` into a new `ptx.module`, which is in no block yet.
pub(crate) fn select_module(
    ir: &mut Ir,
    module: Op,
    options: &Options,
) -> Result<(Op, Vec<KernelAbi>), Vec<Diagnostic>> {
    if !GPUModuleOp::is(ir, module) {
        let message = format!("'{}' is not a gpu.module", ir.name(module));
        return Err(vec![Diagnostic::error(message).at_option(ir.ctx.place(ir.location(module)))]);
    }
    let target = new_module(ir, module, options);
    let mut state = ModuleState {
        source: module,
        target,
        options,
        names: FxHashSet::default(),
        globals: FxHashMap::default(),
        dynamic_shared: None,
        strings: FxHashMap::default(),
        system: FxHashSet::default(),
        features: Vec::new(),
    };
    let body = ir.body(module, 0);
    let kernels: Vec<GPUFuncOp> = ir
        .ops(body)
        .filter_map(|op| GPUFuncOp::cast(ir, op))
        .filter(|function| function.is_kernel(ir))
        .collect();
    // Kernels keep their names; variables make way for them.
    let names: Vec<String> = kernels
        .iter()
        .map(|kernel| {
            let name = ir.symbol_name(kernel.op()).unwrap_or("kernel").to_owned();
            state.unique_name(&name)
        })
        .collect();
    let functions: Vec<FuncOp> = ir.ops(body).filter_map(|op| FuncOp::cast(ir, op)).collect();
    for function in &functions {
        let name = call::name_of(ir, function.op());
        state.names.insert(name);
    }
    let mut diagnostics = Vec::new();
    for function in functions {
        if let Err(errors) = Selector::device_function(ir, &mut state, function) {
            diagnostics.extend(errors);
        }
    }
    let mut abis = Vec::new();
    for (&kernel, name) in kernels.iter().zip(names) {
        match Selector::kernel(ir, &mut state, kernel, name) {
            Ok(abi) => abis.push(abi),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    let version = crate::ptx_version::version(&state, ir, &mut diagnostics);
    if !diagnostics.is_empty() {
        ir.erase_op(target);
        return Err(diagnostics);
    }
    let version = ir.ctx.string_attr(&version.to_string());
    ir.set_attr(target, "version", version);
    Ok((target, abis))
}

fn new_module(ir: &mut Ir, source: Op, options: &Options) -> Op {
    let name = ir.symbol_name(source).unwrap_or("kernels").to_owned();
    let (name, arch) = (ir.ctx.string_attr(&name), ir.ctx.string_attr(options.arch.name));
    let location = ir.location(source);
    let region = ir.create_region();
    ir.append_new_block(region, &[], location);
    let mut state = gpuc_ir::OpState::new(ir.ctx.op_name(PtxModuleOp::NAME), location);
    state.attrs.push((ir.ctx.ident("sym_name"), name));
    state.attrs.push((ir.ctx.ident("target"), arch));
    state.regions.push(region);
    ir.create_op(state)
}
