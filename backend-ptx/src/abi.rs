//! What a host program must know to launch a kernel.

use gpuc_arch::PtxVersion;
use gpuc_dialects::ptx::PtxFuncOp;
use gpuc_ir::{Ir, Op, OpView};

/// Type of a kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamType {
    /// Address of element 0 of a buffer in device memory, 8 bytes.
    Pointer,
    /// An integer of that many bytes (1, 2, 4, 8); `i1` takes one byte, `index` eight.
    Integer(u8),
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl ParamType {
    /// Bytes; also the alignment.
    pub fn bytes(self) -> u32 {
        match self {
            ParamType::Pointer | ParamType::F64 => 8,
            ParamType::Integer(bytes) => bytes.into(),
            ParamType::F32 => 4,
        }
    }

    /// Its type in `.param` space.
    pub fn ptx(self) -> &'static str {
        match self {
            ParamType::Pointer | ParamType::Integer(8) => "u64",
            ParamType::Integer(4) => "u32",
            ParamType::Integer(2) => "u16",
            ParamType::Integer(_) => "u8",
            ParamType::F32 => "f32",
            ParamType::F64 => "f64",
        }
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelParam {
    /// Name in the PTX text.
    pub name: String,
    /// Type.
    pub ty: ParamType,
    /// Byte offset in the parameter block: in order, each naturally aligned.
    pub offset: u32,
}

/// A kernel as the host sees it. Parameters correspond one to one to the arguments of the
/// `gpu.func`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelAbi {
    /// Name in the PTX text, which is the symbol's unless that is no PTX identifier.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<KernelParam>,
    /// Bytes of static shared memory.
    pub shared_bytes: u64,
    /// Whether the launch must say how much dynamic shared memory there is.
    pub dynamic_shared: bool,
    /// Threads of a block, where the kernel works with no others.
    pub block_size: Option<[u32; 3]>,
}

impl KernelAbi {
    /// Bytes of the parameter block.
    pub fn param_bytes(&self) -> u32 {
        self.params.last().map_or(0, |param| param.offset + param.ty.bytes())
    }
}

/// The kernels of a `ptx.module`, each with the PTX types of its parameters.
pub fn signatures(ir: &Ir, module: Op) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for op in ir.ops(ir.body(module, 0)) {
        let (Some(kernel), Some(name)) = (PtxFuncOp::cast(ir, op), ir.symbol_name(op)) else {
            continue;
        };
        let types =
            kernel.param_types(ir).and_then(|types| ir.ctx.array_value(types)).unwrap_or_default();
        let types = types.iter().filter_map(|&ty| ir.ctx.string_value(ty)).map(str::to_owned);
        found.push((name.to_owned(), types.collect()));
    }
    found
}

/// A compiled module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxOutput {
    /// The PTX text.
    pub text: String,
    /// Its `.version`.
    pub version: PtxVersion,
    /// Its kernels, in order.
    pub kernels: Vec<KernelAbi>,
}
