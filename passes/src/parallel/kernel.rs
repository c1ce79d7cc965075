//! Making a kernel out of operations of a host function.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu;
use gpuc_ir::{
    Block, Builder, Ir, Location, Op, OpState, OpView, Type, Value, ValueDef, ValueMap, WalkOrder,
};
use rustc_hash::FxHashSet;

use super::mapping::Mapping;
use crate::analysis::slice::{clone_slice, pure_slice};

/// A kernel being made, and how it is called.
#[derive(Debug)]
pub struct Kernel {
    /// The `gpu.func`.
    pub func: Op,
    /// Its entry block.
    pub entry: Block,
    /// What the host passes, in order of the arguments.
    pub operands: Vec<Value>,
    /// What stands for which value of the host function.
    pub map: ValueMap,
}

/// The module that holds the kernels, made beside the functions if it is not there yet.
pub fn kernel_module(ir: &mut Ir, module: Op) -> Op {
    let block = ir.body(module, 0);
    if let Some(found) = ir.ops(block).find(|&op| gpu::GPUModuleOp::is(ir, op)) {
        return found;
    }
    let location = ir.location(module);
    let unit = ir.ctx.unit_attr();
    ir.set_attr(module, "gpu.container_module", unit);
    let name = ir.ctx.string_attr("kernels");
    let mut b = Builder::at_end(ir, block, location);
    let region = b.region(&[], |b, _| {
        gpu::ModuleEndOp::new(b).build(b);
    });
    gpu::GPUModuleOp::new(&mut b).attr(&mut b, "sym_name", name).region(region).build(&mut b)
}

impl Kernel {
    /// An empty kernel named `name` in `module`, without arguments yet.
    pub fn create(ir: &mut Ir, module: Op, name: &str, location: Location) -> Kernel {
        let region = ir.create_region();
        let entry = ir.append_new_block(region, &[], location);
        let mut state = OpState::new(ir.ctx.op_name(gpu::GPUFuncOp::NAME), location);
        state.regions.push(region);
        let name_attr = ir.ctx.string_attr(name);
        let ty = ir.ctx.function(&[], &[]);
        let type_attr = ir.ctx.type_attr(ty);
        let unit = ir.ctx.unit_attr();
        for (key, attr) in
            [("sym_name", name_attr), ("function_type", type_attr), (gpu::GPUFuncOp::KERNEL, unit)]
        {
            let key = ir.ctx.ident(key);
            state.attrs.push((key, attr));
        }
        let func = ir.create_op(state);
        let block = ir.body(module, 0);
        let end = ir.last_op(block).filter(|&op| gpu::ModuleEndOp::is(ir, op));
        match end {
            Some(end) => ir.insert_before(end, func),
            None => ir.append_op(block, func),
        }
        let mut b = Builder::at_end(ir, entry, location);
        gpu::ReturnOp::new(&mut b, &[]).build(&mut b);
        Kernel { func, entry, operands: Vec::new(), map: ValueMap::new() }
    }

    /// A builder at the end of the kernel, before its return.
    pub fn end<'a>(&self, ir: &'a mut Ir) -> Builder<'a> {
        let end = ir.last_op(self.entry).expect("a kernel ends with a return");
        Builder::before(ir, end)
    }

    /// A new argument of the kernel that the host passes `value` for.
    pub fn argument(&mut self, ir: &mut Ir, value: Value) -> Value {
        let location = ir.location(self.func);
        let argument = ir.add_argument(self.entry, ir.ty(value), location);
        self.operands.push(value);
        self.update_type(ir);
        self.map.insert(value, argument);
        argument
    }

    fn update_type(&self, ir: &mut Ir) {
        let inputs: Vec<Type> = self
            .operands
            .iter()
            .zip(ir.arguments(self.entry))
            .map(|(_, &argument)| ir.ty(argument))
            .collect();
        let ty = ir.ctx.function(&inputs, &[]);
        let attr = ir.ctx.type_attr(ty);
        ir.set_attr(self.func, "function_type", attr);
    }

    /// Makes `value`, which operations of the region use, available in the kernel: recomputed
    /// where that is free of effects, else passed as an argument.
    pub fn import(&mut self, ir: &mut Ir, value: Value, region: Op) -> Result<(), Diagnostic> {
        if self.map.get(value) != value {
            return Ok(());
        }
        let inside = match ir.value_def(value) {
            ValueDef::Result(op, _) => ir.is_inside(op, region),
            ValueDef::Argument(block, _) => {
                ir.block_op(block).is_some_and(|owner| ir.is_inside(owner, region))
            }
        };
        let constant = ir
            .defining_op(value)
            .filter(|&op| ir.has_trait(op, gpuc_ir::op::Traits::CONSTANT_LIKE));
        if let Some(op) = constant {
            let mut b = self.end(ir);
            let mut map = std::mem::take(&mut self.map);
            let copy = b.clone_op(op, &mut map);
            b.insert(copy);
            self.map = map;
            return Ok(());
        }
        if !inside {
            self.argument(ir, value);
            return Ok(());
        }
        let Some(slice) = pure_slice(ir, value, region) else {
            let place = ir.defining_op(value).and_then(|op| ir.ctx.place(ir.location(op)));
            return Err(Diagnostic::error(
                "a value computed between the loops of this region is used in a later loop",
            )
            .at_option(place)
            .help("compute it before the region, or split the region in two"));
        };
        for &op in &slice {
            for operand in ir.operands(op).collect::<Vec<_>>() {
                if !ir.defining_op(operand).is_some_and(|def| slice.contains(&def)) {
                    self.import(ir, operand, region)?;
                }
            }
        }
        let mut map = std::mem::take(&mut self.map);
        clone_slice(&mut self.end(ir), &slice, value, &mut map);
        self.map = map;
        Ok(())
    }

    /// Copies operations of a region to the end of the kernel, with what they use.
    pub fn copy_ops(
        &mut self,
        ir: &mut Ir,
        ops: &[Op],
        region: Op,
        mapping: &mut Mapping,
    ) -> Result<(), Diagnostic> {
        let copied: FxHashSet<Op> = ops.iter().copied().collect();
        let is_copied = |ir: &Ir, def: Op| {
            copied.contains(&def) || ir.ancestors(def).any(|around| copied.contains(&around))
        };
        for &op in ops {
            for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
                for value in ir.operands(inner).collect::<Vec<_>>() {
                    let own = match ir.value_def(value) {
                        ValueDef::Result(def, _) => is_copied(ir, def),
                        ValueDef::Argument(block, _) => {
                            ir.block_op(block).is_some_and(|owner| is_copied(ir, owner))
                        }
                    };
                    if !own {
                        self.import(ir, value, region)?;
                    }
                }
            }
            let copy = ir.clone_op(op, &mut self.map);
            let end = ir.last_op(self.entry).expect("a kernel ends with a return");
            ir.insert_before(end, copy);
            let originals = ir.nested_ops(op, WalkOrder::PreOrder);
            let copies = ir.nested_ops(copy, WalkOrder::PreOrder);
            for (original, copied) in originals.into_iter().zip(copies) {
                mapping.copied(original, copied);
            }
        }
        Ok(())
    }
}
