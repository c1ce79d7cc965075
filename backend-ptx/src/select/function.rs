//! A kernel: parameters, blocks, and the way from an operation to the file of its dialect.

use gpuc_arch::Feature;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::{AddressSpace, GPUFuncOp};
use gpuc_dialects::nvvm;
use gpuc_dialects::ptx::kinds::{PtxType, Space};
use gpuc_dialects::ptx::{LdParamOp, PtxFuncOp};
use gpuc_ir::dominance::Dominators;
use gpuc_ir::{Block, Ir, Op, OpState, OpView, Region, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Lowered, ModuleState, Scalar, Selected, Stop, rules};
use crate::emit::Emitter;
use crate::{KernelAbi, KernelParam, ParamType};

/// Selects the operations of one kernel.
pub(crate) struct Selector<'a, 'm> {
    /// Where instructions go.
    pub e: Emitter<'a>,
    /// The module that the kernel becomes part of.
    pub module: &'a mut ModuleState<'m>,
    /// What values have become.
    values: FxHashMap<Value, Lowered>,
    /// The block that begins what each block has become.
    pub blocks: FxHashMap<Block, Block>,
    /// Bytes of static shared memory so far.
    pub shared_bytes: u64,
    /// Globals in shared memory that have been counted.
    pub shared_globals: FxHashSet<Op>,
    /// Whether the kernel uses dynamic shared memory.
    pub dynamic_shared: bool,
    /// Name of the kernel in PTX.
    pub name: String,
    kernel: Op,
    diagnostics: Vec<Diagnostic>,
}

impl<'a, 'm> Selector<'a, 'm> {
    /// A selector that has selected nothing yet.
    pub fn new(
        e: Emitter<'a>,
        module: &'a mut ModuleState<'m>,
        kernel: Op,
        name: String,
    ) -> Selector<'a, 'm> {
        Selector {
            e,
            module,
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            shared_bytes: 0,
            shared_globals: FxHashSet::default(),
            dynamic_shared: false,
            name,
            kernel,
            diagnostics: Vec::new(),
        }
    }

    /// What was refused, that of the result included.
    pub fn finish<T>(mut self, result: Selected<Option<T>>) -> (Vec<Diagnostic>, Option<T>) {
        let result = match result {
            Ok(result) => result,
            Err(stop) => {
                self.stop(stop);
                None
            }
        };
        (self.diagnostics, result)
    }

    /// Selects a kernel into a `ptx.func` named `name` at the end of the `ptx.module`.
    pub fn kernel(
        ir: &'a mut Ir,
        module: &'a mut ModuleState<'m>,
        kernel: GPUFuncOp,
        name: String,
    ) -> Result<KernelAbi, Vec<Diagnostic>> {
        let source = ir.region(kernel.op(), 0);
        let target = ir.create_region();
        let location = ir.location(kernel.op());
        let entry = ir.append_new_block(target, &[], location);
        let mut selector = Selector::new(Emitter::new(ir, entry), module, kernel.op(), name);
        selector.e.location = location;
        let params = selector.parameters(kernel, source);
        selector.body(source, target);
        let abi = KernelAbi {
            name: selector.name.clone(),
            params,
            shared_bytes: selector.shared_bytes,
            dynamic_shared: selector.dynamic_shared,
            block_size: selector.block_size(kernel),
        };
        selector.check_limits(&abi);
        let diagnostics = std::mem::take(&mut selector.diagnostics);
        let function = selector.function(&abi, target);
        if diagnostics.is_empty() {
            Ok(abi)
        } else {
            selector.e.ir.erase_op(function);
            Err(diagnostics)
        }
    }

    /// Creates the `ptx.func` around the selected blocks.
    fn function(&mut self, abi: &KernelAbi, region: Region) -> Op {
        let ir = &mut *self.e.ir;
        let location = ir.location(self.kernel);
        let names: Vec<_> = abi.params.iter().map(|p| ir.ctx.string_attr(&p.name)).collect();
        let types: Vec<_> = abi.params.iter().map(|p| ir.ctx.string_attr(p.ty.ptx())).collect();
        let mut attrs = vec![
            ("sym_name", ir.ctx.string_attr(&abi.name)),
            ("param_names", ir.ctx.array_attr(&names)),
            ("param_types", ir.ctx.array_attr(&types)),
        ];
        let ty = ir.ctx.function(&[], &[]);
        attrs.push(("function_type", ir.ctx.type_attr(ty)));
        if let Some(size) = abi.block_size {
            attrs.push(("reqntid", ir.ctx.i32_array_attr(&size.map(|n| n as i32))));
        }
        // Either bounds registers: what is asked for in numbers goes before what is made of them.
        if let Some(registers) = ir.attr(self.kernel, nvvm::MAX_REGISTERS) {
            attrs.push(("maxnreg", registers));
        } else if let Some(blocks) = ir.attr(self.kernel, nvvm::MIN_BLOCKS) {
            attrs.push(("minnctapersm", blocks));
        }
        let mut state = OpState::new(ir.ctx.op_name(PtxFuncOp::NAME), location);
        for (name, attr) in attrs {
            state.attrs.push((ir.ctx.ident(name), attr));
        }
        state.regions.push(region);
        let function = ir.create_op(state);
        let body = ir.body(self.module.target, 0);
        ir.append_op(body, function);
        function
    }

    fn block_size(&self, kernel: GPUFuncOp) -> Option<[u32; 3]> {
        let ir = &*self.e.ir;
        let size = kernel.known_block_size(ir).and_then(|attr| ir.ctx.dense_array(attr))?;
        match *size {
            [x, y, z] => Some([x as u32, y as u32, z as u32]),
            _ => None,
        }
    }

    /// Refuses what no launch on the target could satisfy.
    fn check_limits(&mut self, abi: &KernelAbi) {
        let limits = &self.module.options.arch.limits;
        let target = self.module.options.arch.name;
        let mut refuse = |what: &str, has: u64, limit: u32| {
            if has > u64::from(limit) {
                let message =
                    format!("kernel '{}' needs {has} {what}, {target} has {limit}", abi.name);
                let place = self.e.ir.ctx.place(self.e.ir.location(self.kernel));
                self.diagnostics.push(Diagnostic::error(message).at_option(place));
            }
        };
        refuse("bytes of parameters", abi.param_bytes().into(), limits.max_param_bytes);
        refuse("bytes of static shared memory", abi.shared_bytes, limits.shared_per_block);
        if let Some(size) = abi.block_size {
            let threads = size.iter().map(|&n| u64::from(n)).product();
            refuse("threads a block", threads, limits.max_threads_per_block);
        }
    }

    /// Loads the parameters into registers and makes the buffers of the block and the thread.
    fn parameters(&mut self, kernel: GPUFuncOp, source: Region) -> Vec<KernelParam> {
        let Some(entry) = self.e.ir.entry_block(source) else { return Vec::new() };
        let arguments = self.e.ir.arguments(entry).to_vec();
        let inputs = kernel
            .function_type(self.e.ir)
            .and_then(|attr| self.e.ir.ctx.type_value(attr))
            .and_then(|ty| self.e.ir.ctx.signature(ty))
            .map_or(0, |(inputs, _)| inputs.len());
        let shared = kernel.workgroup_attributions(self.e.ir);
        let mut params = Vec::new();
        let mut offset = 0u32;
        for (index, &argument) in arguments.iter().enumerate() {
            let made = if index < inputs {
                self.parameter(index, argument).map(|(ty, name, lowered)| {
                    offset = offset.next_multiple_of(ty.bytes());
                    params.push(KernelParam { name, ty, offset });
                    offset += ty.bytes();
                    lowered
                })
            } else if index < inputs + shared {
                self.workgroup_buffer(argument)
            } else {
                self.private_buffer(argument)
            };
            match made {
                Ok(lowered) => self.set(argument, lowered),
                Err(stop) => self.stop(stop),
            }
        }
        params
    }

    fn parameter(
        &mut self,
        index: usize,
        argument: Value,
    ) -> Selected<(ParamType, String, Lowered)> {
        let name = format!("{}_param_{index}", self.name);
        let ty = self.e.ir.ty(argument);
        if self.e.ir.ctx.is_memref(ty) {
            let ctx = &self.e.ir.ctx;
            let global = AddressSpace::of_memref(ctx, ty) == Some(AddressSpace::Global);
            let identity = gpuc_dialects::memref::has_identity_layout(ctx, ty);
            if !global || !identity {
                let text = ctx.type_text(ty);
                return self.refuse_here(format!(
                    "a kernel parameter of type '{text}' is not supported: buffers must be in \
                     global memory, without layout"
                ));
            }
            let i64 = self.e.ir.ctx.i64();
            let generic = self.load_param(&name, PtxType::U64, i64);
            let base = self.global_address(generic);
            let buffer = self.whole_buffer(ty, base, Space::Global);
            return Ok((ParamType::Pointer, name, Lowered::Buffer(buffer)));
        }
        let scalar = self.scalar(ty)?;
        let param = match scalar {
            Scalar::Predicate | Scalar::Integer(8) => ParamType::Integer(1),
            Scalar::Integer(16) => ParamType::Integer(2),
            Scalar::Integer(32) => ParamType::Integer(4),
            Scalar::Integer(64) => ParamType::Integer(8),
            Scalar::F32 => ParamType::F32,
            Scalar::F64 => ParamType::F64,
            Scalar::Integer(_) => {
                let text = self.e.ir.ctx.type_text(ty);
                return self.refuse_here(format!(
                    "a kernel parameter of type '{text}' is not supported: integers have 8, 16, 32 \
                     or 64 bits"
                ));
            }
        };
        let memory = scalar.memory().unwrap_or(PtxType::U32);
        let value = if scalar == Scalar::Predicate {
            let register = self.e.ir.ctx.i32();
            let byte = self.load_param(&name, memory, register);
            self.nonzero(byte)
        } else {
            let register = scalar.register(&mut self.e.ir.ctx);
            self.load_param(&name, memory, register)
        };
        Ok((param, name, Lowered::Scalar(value)))
    }

    pub fn load_param(&mut self, name: &str, ty: PtxType, register: Type) -> Value {
        let (ty, name) = (ty.attr(&mut self.e.ir.ctx), self.e.ir.ctx.string_attr(name));
        let build = self.e.start::<LdParamOp>(&[]).attr(self.e.ir, "name", name);
        let op = {
            let build = build.attr(self.e.ir, "ty", ty).result(register);
            self.e.insert(build)
        };
        self.e.ir.result(op, 0)
    }

    /// Selects the blocks that can be reached.
    pub fn body(&mut self, source: Region, target: Region) {
        let order = layout_order(self.e.ir, source);
        let dominators = Dominators::of(self.e.ir, source);
        let Some((&first, rest)) = order.split_first() else { return };
        let entry = self.e.block();
        self.blocks.insert(first, entry);
        for &block in rest {
            let made = self.e.ir.create_block(&[], self.e.location);
            self.blocks.insert(block, made);
        }
        for &block in rest {
            if let Err(stop) = self.block_arguments(block) {
                self.stop(stop);
            }
        }
        // Where a block's selection ended: what comes of its terminator is dominated by that.
        let mut ends: FxHashMap<Block, Block> = FxHashMap::default();
        for &block in &order {
            let made = self.blocks[&block];
            if block != first {
                self.e.ir.append_block(target, made);
                if let Some(end) = dominators.immediate(block).and_then(|d| ends.get(&d)) {
                    self.e.set_dominator(made, *end);
                }
            }
            self.e.set_block(made);
            for op in self.e.ir.ops(block).collect::<Vec<_>>() {
                self.e.location = self.e.ir.location(op);
                if let Err(stop) = self.op(op) {
                    self.stop(stop);
                }
            }
            ends.insert(block, self.e.block());
        }
    }

    pub fn stop(&mut self, stop: Stop) {
        if let Stop::Report(diagnostic) = stop {
            self.diagnostics.push(*diagnostic);
        }
    }

    /// Selects one operation.
    pub fn op(&mut self, op: Op) -> Selected<()> {
        match self.e.ir.def(op).and_then(rules::rule) {
            Some(rule) => rule(self, op),
            None => self.unsupported(op),
        }
    }

    /// Refuses an operation by its name.
    pub fn unsupported<T>(&self, op: Op) -> Selected<T> {
        let name = self.e.ir.name(op);
        let reason = match name.split_once('.').map(|(dialect, _)| dialect) {
            Some("scf" | "affine" | "offload") => "it must be lowered before code is generated",
            Some("func") => "calls must be inlined before code is generated",
            _ => "PTX has no instructions for it",
        };
        self.refuse(op, format!("'{name}' cannot be compiled for the device: {reason}"))
    }

    /// Refuses something at an operation.
    pub fn refuse<T>(&self, op: Op, message: impl Into<String>) -> Selected<T> {
        let place = self.e.ir.ctx.place(self.e.ir.location(op));
        Err(Stop::Report(Box::new(Diagnostic::error(message).at_option(place))))
    }

    /// Refuses something at the current location.
    pub fn refuse_here<T>(&self, message: impl Into<String>) -> Selected<T> {
        let place = self.e.ir.ctx.place(self.e.location);
        Err(Stop::Report(Box::new(Diagnostic::error(message).at_option(place))))
    }

    /// Notes that a feature is used, and refuses it where the target does not have it.
    pub fn require(&mut self, op: Op, feature: Feature) -> Selected<()> {
        let arch = self.module.options.arch;
        if !arch.has(feature) {
            let name = self.e.ir.name(op);
            return self
                .refuse(op, format!("'{name}' needs {feature:?}, which {} lacks", arch.name));
        }
        if !self.module.features.contains(&feature) {
            self.module.features.push(feature);
        }
        Ok(())
    }

    /// Says what a value has become.
    pub fn set(&mut self, value: Value, lowered: Lowered) {
        self.values.insert(value, lowered);
    }

    /// Says what the only result of an operation has become.
    pub fn set_result(&mut self, op: Op, value: Value) {
        let result = self.e.ir.result(op, 0);
        self.set(result, Lowered::Scalar(value));
    }

    /// What a value has become.
    pub fn lowered(&self, value: Value) -> Selected<&Lowered> {
        self.values.get(&value).ok_or(Stop::Skip)
    }

    /// The register of a scalar.
    pub fn register(&self, value: Value) -> Selected<Value> {
        match self.lowered(value)? {
            Lowered::Scalar(register) => Ok(*register),
            _ => self.refuse_here("a vector or buffer stands where a scalar is needed"),
        }
    }

    /// The register of operand `index`.
    pub fn operand(&self, op: Op, index: usize) -> Selected<Value> {
        self.register(self.e.ir.operand(op, index))
    }

    /// The registers of all elements of a scalar or vector.
    pub fn elements(&self, value: Value) -> Selected<SmallVec<[Value; 4]>> {
        match self.lowered(value)? {
            Lowered::Scalar(register) => Ok(SmallVec::from_slice(&[*register])),
            Lowered::Vector(registers) => Ok(registers.clone()),
            Lowered::Buffer(_) | Lowered::Pointer(_) => {
                self.refuse_here("a buffer stands where a scalar is needed")
            }
        }
    }

    /// The scalar of a type, or of its elements where it is a vector.
    pub fn scalar(&self, ty: Type) -> Selected<Scalar> {
        let element = self.e.ir.ctx.element_or_self(ty);
        match Scalar::of(&self.e.ir.ctx, element) {
            Some(scalar) => Ok(scalar),
            None => {
                let text = self.e.ir.ctx.type_text(ty);
                self.refuse_here(format!("type '{text}' is not supported on the device"))
            }
        }
    }

    /// Selects an operation element by element: `make` gets the registers of one element of every
    /// operand.
    pub fn elementwise(
        &mut self,
        op: Op,
        mut make: impl FnMut(&mut Self, &[Value]) -> Selected<Value>,
    ) -> Selected<()> {
        let operands: SmallVec<[Value; 4]> = self.e.ir.operands(op).collect();
        let mut lists: SmallVec<[SmallVec<[Value; 4]>; 3]> = SmallVec::new();
        for operand in operands {
            lists.push(self.elements(operand)?);
        }
        let count = lists.iter().map(SmallVec::len).max().unwrap_or(0);
        let mut made: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..count {
            // A scalar operand (the condition of a select) serves all elements.
            let lane: SmallVec<[Value; 3]> = lists
                .iter()
                .map(|list| if list.len() == 1 { list[0] } else { list[lane] })
                .collect();
            made.push(make(self, &lane)?);
        }
        let result = self.e.ir.result(op, 0);
        let vector = self.e.ir.ctx.is_vector(self.e.ir.ty(result));
        let lowered = if vector { Lowered::Vector(made) } else { Lowered::Scalar(made[0]) };
        self.set(result, lowered);
        Ok(())
    }

    /// A predicate from a register that holds zero or something else.
    pub fn nonzero(&mut self, value: Value) -> Value {
        let zero = self.e.i32(0);
        self.e.compare(gpuc_dialects::ptx::kinds::Comparison::Ne, PtxType::U32, value, zero)
    }
}

/// The reachable blocks so that dominators come first, and where a branch is decided, what it goes
/// to if true follows it.
fn layout_order(ir: &Ir, region: Region) -> Vec<Block> {
    let Some(entry) = ir.entry_block(region) else { return Vec::new() };
    let mut seen: FxHashSet<Block> = [entry].into_iter().collect();
    let mut order = Vec::new();
    // An explicit stack: control flow graphs may be thousands of blocks deep.
    let mut stack = vec![(entry, 0)];
    while let Some((block, next)) = stack.pop() {
        let successors = ir.block_successors(block);
        match successors.len().checked_sub(next + 1).and_then(|at| successors.get(at)) {
            Some(&successor) => {
                stack.push((block, next + 1));
                if seen.insert(successor) {
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
