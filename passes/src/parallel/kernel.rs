//! Making a kernel out of operations of a host function.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{MAP_ATTR, NAME_ATTR, STORAGE_ATTR, STORAGE_EXCLUSIVE};
use gpuc_dialects::{arith, gpu};
use gpuc_ir::{
    Attr, AttrKind, Block, Builder, Dict, Ir, Location, Op, OpState, OpView, Type, Value, ValueDef,
    ValueMap, WalkOrder,
};
use rustc_hash::FxHashSet;

use crate::analysis::access::root;
use crate::analysis::range::{Range, range};
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
    /// Attributes of the first arguments, dictionaries.
    pub argument_marks: Vec<Attr>,
    /// Buffers of the host's function that nothing else in the kernel reaches.
    pub apart: FxHashSet<Value>,
    /// Where the launch stands, maybe in loops round it; in front of the region where it is not known.
    pub launch: Option<Op>,
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
        Kernel {
            func,
            entry,
            operands: Vec::new(),
            map: ValueMap::new(),
            argument_marks: Vec::new(),
            apart: FxHashSet::default(),
            launch: None,
        }
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

    /// A new argument of 32 bits for an index, which the host makes so narrow in front of `point`; the index
    /// in the kernel.
    pub fn narrow_argument(&mut self, ir: &mut Ir, value: Value, point: Op) -> Value {
        let narrow = ir.ctx.i32();
        let mut b = Builder::before(ir, point);
        let passed = arith::IndexCastOp::new(&mut b, value).result(narrow).value(&mut b);
        let argument = self.argument(ir, passed);
        let mut b = self.end(ir);
        let index = b.ctx.index();
        let wide = arith::IndexCastOp::new(&mut b, argument).result(index).value(&mut b);
        self.map.insert(value, wide);
        wide
    }

    /// Removes the arguments that nothing in the kernel uses, but those with attributes, and what is
    /// made of them for nothing.
    pub fn drop_unused(&mut self, ir: &mut Ir) {
        let mut next = ir.last_op(self.entry);
        while let Some(op) = next {
            next = ir.previous_op(op);
            let is_dead = ir.is_effect_free(op)
                && !ir.has_trait(op, gpuc_ir::op::Traits::TERMINATOR)
                && ir.results(op).iter().all(|&result| ir.is_unused(result));
            if is_dead {
                ir.erase_op(op);
            }
        }
        for index in (self.argument_marks.len()..self.operands.len()).rev() {
            if ir.is_unused(ir.arguments(self.entry)[index]) {
                ir.remove_argument(self.entry, index);
                self.operands.remove(index);
            }
        }
        self.update_type(ir);
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
        let empty = ir.ctx.intern_attr(AttrKind::Dict(Dict::EMPTY));
        let marks: Vec<Attr> = (0..inputs.len())
            .map(|index| match self.argument_marks.get(index) {
                Some(&mark) => mark,
                None => self.facts(ir, index).unwrap_or(empty),
            })
            .collect();
        match marks.iter().all(|&mark| mark == empty) {
            true => ir.remove_attr(self.func, "arg_attrs"),
            false => {
                let marks = ir.ctx.array_attr(&marks);
                ir.set_attr(self.func, "arg_attrs", marks);
            }
        }
    }

    /// What the host's function knows of a buffer that the kernel gets: its name, and who else may
    /// reach its memory. Nothing of one that two arguments lead to.
    fn facts(&self, ir: &mut Ir, index: usize) -> Option<Attr> {
        let operand = self.operands[index];
        let is_own = |&other: &Value| ir.ctx.is_memref(ir.ty(other)) && root(ir, other) == operand;
        if self.operands.iter().filter(|other| is_own(other)).count() != 1 {
            return None;
        }
        let ValueDef::Argument(block, number) = ir.value_def(operand) else { return None };
        let all = ir.ctx.array_value(ir.attr(ir.block_op(block)?, "arg_attrs")?)?;
        let AttrKind::Dict(known) = *ir.ctx.attr_kind(*all.get(number as usize)?) else {
            return None;
        };
        let kept = [MAP_ATTR, NAME_ATTR, STORAGE_ATTR].map(|name| {
            let attr = ir.ctx.dict_get_str(known, name);
            attr.map(|attr| (name, attr))
        });
        let kept = match self.apart.contains(&operand) {
            true => {
                let exclusive = ir.ctx.string_attr(STORAGE_EXCLUSIVE);
                [kept[0], kept[1], Some((STORAGE_ATTR, exclusive))]
            }
            false => kept,
        };
        let kept: Vec<_> =
            kept.into_iter().flatten().map(|(name, attr)| (ir.ctx.ident(name), attr)).collect();
        let facts = ir.ctx.dict(kept);
        Some(ir.ctx.intern_attr(AttrKind::Dict(facts)))
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
            return self.import_outside(ir, value, region);
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

    /// A value from outside the region. Views are made again from what they are views of, because a
    /// kernel is passed pointers alone; widenings of numbers too, because they tell how large a
    /// number can be. So does an index that fits 32 bits, which is passed in as many.
    fn import_outside(&mut self, ir: &mut Ir, value: Value, region: Op) -> Result<(), Diagnostic> {
        let again = ir.defining_op(value).filter(|&op| {
            ir.is_effect_free(op)
                && ir.regions(op).is_empty()
                && ir.results(op).len() == 1
                && (is_view(ir, op) || is_widening(ir, op))
        });
        let Some(op) = again else {
            let fits =
                ir.ctx.is_index(ir.ty(value)) && range(ir, value).is_within(Range::signed(32));
            match fits {
                true => self.narrow_argument(ir, value, self.launch.unwrap_or(region)),
                false => self.argument(ir, value),
            };
            return Ok(());
        };
        for operand in ir.operands(op).collect::<Vec<_>>() {
            self.import(ir, operand, region)?;
        }
        let mut map = std::mem::take(&mut self.map);
        let mut b = self.end(ir);
        let copy = b.clone_op(op, &mut map);
        b.insert(copy);
        self.map = map;
        Ok(())
    }

    /// Copies operations of a region to the end of the kernel, with what they use; returns the copies.
    pub fn copy_ops(&mut self, ir: &mut Ir, ops: &[Op], region: Op) -> Result<Vec<Op>, Diagnostic> {
        let mut copies = Vec::new();
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
            copies.push(copy);
        }
        Ok(copies)
    }
}

/// Whether an operation makes a memref from the memref that is its first operand.
fn is_view(ir: &Ir, op: Op) -> bool {
    ir.operand_count(op) > 0
        && ir.ctx.is_memref(ir.ty(ir.operand(op, 0)))
        && ir.ctx.is_memref(ir.ty(ir.result(op, 0)))
}

/// Whether an operation makes a number of more bits from one of fewer.
fn is_widening(ir: &Ir, op: Op) -> bool {
    let casts = arith::IndexCastOp::is(ir, op)
        || arith::IndexCastUIOp::is(ir, op)
        || arith::ExtSIOp::is(ir, op)
        || arith::ExtUIOp::is(ir, op);
    casts && {
        let bits = |value| ir.ctx.int_or_index_width(ir.ty(value)).unwrap_or(0);
        bits(ir.operand(op, 0)) < bits(ir.result(op, 0))
    }
}
