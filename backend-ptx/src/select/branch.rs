//! `cf`: branches, switches, assertions; arguments of blocks.

use gpuc_dialects::gpu::{self, AddressSpace};
use gpuc_dialects::ptr::{self, pointee_space};
use gpuc_dialects::ptx::PragmaOp;
use gpuc_dialects::ptx::kinds::{Comparison, Space};
use gpuc_dialects::{arith, cf, llvm, memref};
use gpuc_ir::{Block, Op, OpView, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::buffer::Address;
use super::rules::Entry;
use super::{Buffer, Extent, Lowered, Scalar, Selected, Selector};

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (cf::BranchOp::def, |s, op| s.branch(op)),
    (cf::CondBranchOp::def, |s, op| s.branch_if(op)),
    (cf::SwitchOp::def, |s, op| s.switch(op)),
    (cf::AssertOp::def, |s, op| s.assert(op)),
];

impl Selector<'_, '_> {
    fn branch(&mut self, op: Op) -> Selected<()> {
        let arguments = self.successor_arguments(op, 0)?;
        let target = self.blocks[&self.e.ir.successors(op)[0]];
        self.e.branch(target, &arguments);
        Ok(())
    }

    fn branch_if(&mut self, op: Op) -> Selected<()> {
        let predicate = self.operand(op, 0)?;
        let targets = [0, 1].map(|index| self.blocks[&self.e.ir.successors(op)[index]]);
        let arguments = [self.successor_arguments(op, 0)?, self.successor_arguments(op, 1)?];
        if llvm::is_no_unroll(self.e.ir, op) {
            self.ask_not_to_unroll(targets[0]);
        }
        let [taken, other] = [0, 1].map(|side| (targets[side], arguments[side].as_slice()));
        match self.e.known_int(predicate) {
            Some(0) => self.e.branch(other.0, other.1),
            Some(_) => self.e.branch(taken.0, taken.1),
            None => self.e.branch_if(predicate, taken, other),
        }
        Ok(())
    }

    /// Puts the pragma at the start of a loop, which is where ptxas looks for it.
    fn ask_not_to_unroll(&mut self, header: Block) {
        let text = self.e.ir.ctx.string_attr("nounroll");
        let build = self.e.start::<PragmaOp>(&[]).attr(self.e.ir, "text", text);
        let pragma = self.e.insert(build);
        if let Some(first) = self.e.ir.first_op(header).filter(|&first| first != pragma) {
            self.e.ir.move_before(first, pragma);
        }
    }

    /// A chain of comparisons, in the order of the cases.
    fn switch(&mut self, op: Op) -> Selected<()> {
        let flag = self.operand(op, 0)?;
        let scalar = self.scalar(self.e.ir.ty(self.e.ir.operand(op, 0)))?;
        let numbers = cf::SwitchOp(op).case_numbers(self.e.ir);
        let ty = scalar.arithmetic(false);
        let flag = match scalar {
            Scalar::Predicate => self.e.select_bit(flag),
            _ => super::normalized(&mut self.e, flag, scalar, true),
        };
        let ty =
            if scalar == Scalar::Predicate { gpuc_dialects::ptx::kinds::PtxType::U32 } else { ty };
        for (case, number) in numbers.into_iter().enumerate() {
            let arguments = self.successor_arguments(op, case + 1)?;
            let target = self.blocks[&self.e.ir.successors(op)[case + 1]];
            let register = self.e.ir.ty(flag);
            let number = self.e.int(number.into(), register);
            let predicate = self.e.compare(Comparison::Eq, ty, flag, number);
            let next = self.e.new_block_behind(&[]);
            self.e.branch_if(predicate, (target, &arguments), (next, &[]));
            self.e.set_block(next);
        }
        let arguments = self.successor_arguments(op, 0)?;
        let target = self.blocks[&self.e.ir.successors(op)[0]];
        self.e.branch(target, &arguments);
        Ok(())
    }

    /// A failed assertion ends the kernel with an error. Its message is not kept.
    /// Registers for what a terminator hands to successor `index`.
    fn successor_arguments(&mut self, op: Op, index: usize) -> Selected<SmallVec<[Value; 4]>> {
        let hook = self.e.ir.def(op).and_then(|def| def.hooks.successor_operands);
        let range = hook.map_or(0..0, |hook| hook(self.e.ir, op, index));
        let target = self.e.ir.successors(op)[index];
        let mut registers = SmallVec::new();
        for (number, operand) in range.enumerate() {
            let value = self.e.ir.operand(op, operand);
            match self.lowered(value)?.clone() {
                Lowered::Scalar(register) => registers.push(register),
                Lowered::Vector(elements) => registers.extend(elements),
                Lowered::Pointer(address) => registers.push(self.address_register(&address)),
                Lowered::Buffer(buffer) => {
                    let argument = self.e.ir.arguments(target)[number];
                    let Lowered::Buffer(expected) = self.lowered(argument)?.clone() else {
                        return self.unsupported(op);
                    };
                    let element = self.element_bytes(self.e.ir.ty(value))?;
                    registers.push(self.buffer_address(&buffer, element, expected.space)?);
                }
            }
        }
        Ok(registers)
    }

    /// Gives the block that `block` has become its arguments: a register for each scalar, one for
    /// each element of a vector, an address for each buffer.
    pub fn block_arguments(&mut self, block: Block) -> Selected<()> {
        let made = self.blocks[&block];
        for argument in self.e.ir.arguments(block).to_vec() {
            let ty = self.e.ir.ty(argument);
            if self.e.ir.ctx.is_memref(ty) {
                let space = self.space_of(argument);
                let buffer = self.buffer_argument(made, argument, space)?;
                self.set(argument, Lowered::Buffer(buffer));
                continue;
            }
            if let Some(space) = pointee_space(&self.e.ir.ctx, ty) {
                let space = state_space(space);
                let base = self.address_argument(made, space);
                self.set(argument, Lowered::Pointer(Address { base, offset: 0, space }));
                continue;
            }
            let register = self.scalar(ty)?.register(&mut self.e.ir.ctx);
            let location = self.e.location;
            let lowered = match self.e.ir.ctx.is_vector(ty) {
                false => Lowered::Scalar(self.e.ir.add_argument(made, register, location)),
                true => {
                    let count = self.vector_length(ty)?;
                    let arguments =
                        (0..count).map(|_| self.e.ir.add_argument(made, register, location));
                    Lowered::Vector(arguments.collect())
                }
            };
            self.set(argument, lowered);
        }
        Ok(())
    }

    fn buffer_argument(&mut self, made: Block, argument: Value, space: Space) -> Selected<Buffer> {
        let ty = self.e.ir.ty(argument);
        let layout = memref::strided_layout(&self.e.ir.ctx, ty);
        let Some(layout) = layout.filter(|l| l.strides.iter().all(|&s| s != gpuc_ir::DYNAMIC))
        else {
            let text = self.e.ir.ctx.type_text(ty);
            return self.refuse_here(format!(
                "a buffer of type '{text}', whose strides are only known at run time, cannot be \
                 handed from block to block"
            ));
        };
        let base = self.address_argument(made, space);
        let shape = self.e.ir.ctx.shape(ty).unwrap_or_default();
        let size =
            |&n: &i64| if n == gpuc_ir::DYNAMIC { Extent::Unknown } else { Extent::Static(n) };
        Ok(Buffer {
            base,
            bytes: 0,
            space,
            // The address handed over is that of the first element.
            offset: Extent::Static(0),
            sizes: shape.iter().map(size).collect(),
            strides: layout.strides.iter().map(|&stride| Extent::Static(stride)).collect(),
        })
    }

    /// An argument of a block that holds an address of a space.
    pub fn address_argument(&mut self, made: Block, space: Space) -> Value {
        let register = match space {
            Space::Shared => self.e.ir.ctx.i32(),
            _ => self.e.ir.ctx.i64(),
        };
        let location = self.e.location;
        self.e.ir.add_argument(made, register, location)
    }

    /// The state space that a buffer is in, found by following it to where it is made; generic
    /// where it may be in several.
    pub fn space_of(&self, value: Value) -> Space {
        let mut found: Option<Space> = None;
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            let space = match self.origin(value, &mut work) {
                Some(space) => space,
                None => continue,
            };
            match found {
                Some(other) if other != space => return Space::Generic,
                _ => found = Some(space),
            }
        }
        found.unwrap_or(Space::Generic)
    }

    /// The space of a value that is an origin; else what it comes from goes to `work`.
    fn origin(&self, value: Value, work: &mut Vec<Value>) -> Option<Space> {
        let ir = &*self.e.ir;
        if let Ok(Lowered::Buffer(buffer)) = self.lowered(value) {
            return Some(buffer.space);
        }
        match ir.value_def(value) {
            gpuc_ir::ValueDef::Argument(block, index) => {
                for &from in self.blocks.keys() {
                    let Some(op) = ir.last_op(from) else { continue };
                    let hook = ir.def(op).and_then(|def| def.hooks.successor_operands);
                    let Some(hook) = hook else { continue };
                    for (number, &successor) in ir.successors(op).iter().enumerate() {
                        if successor == block {
                            work.push(ir.operand(op, hook(ir, op, number).start + index as usize));
                        }
                    }
                }
                None
            }
            gpuc_ir::ValueDef::Result(op, _) => {
                if memref::AllocaOp::is(ir, op) {
                    return Some(Space::Local);
                }
                if let Some(made) = ptr::FromAddressOp::cast(ir, op) {
                    let is_generic = made.generic(ir).is_some();
                    return Some(if is_generic { Space::Generic } else { Space::Global });
                }
                if memref::GetGlobalOp::is(ir, op) || gpu::DynamicSharedMemoryOp::is(ir, op) {
                    return Some(self.declared_space(value));
                }
                if arith::SelectOp::is(ir, op) {
                    work.extend([ir.operand(op, 1), ir.operand(op, 2)]);
                } else if let Some(whole) = memref::viewed(ir, op) {
                    work.push(whole);
                } else {
                    return Some(Space::Generic);
                }
                None
            }
        }
    }

    /// The state space that the type of a buffer names.
    pub fn declared_space(&self, value: Value) -> Space {
        let space = AddressSpace::of_memref(&self.e.ir.ctx, self.e.ir.ty(value));
        space.map_or(Space::Global, state_space)
    }
}

/// The state space of an address space.
pub(crate) fn state_space(space: AddressSpace) -> Space {
    match space {
        AddressSpace::Global => Space::Global,
        AddressSpace::Workgroup => Space::Shared,
        AddressSpace::Private => Space::Local,
    }
}
