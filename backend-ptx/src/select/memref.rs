//! `memref`: loads and stores, and views of buffers.

use gpuc_dialects::memref::{self, strided_layout, subview_layout};
use gpuc_dialects::ptx::kinds::{PtxType, Space};
use gpuc_dialects::ptx::{LdOp, StOp};
use gpuc_ir::op::operand_group;
use gpuc_ir::{Attr, DYNAMIC, Op, OpView, Type, Value};
use smallvec::SmallVec;

use super::buffer::Address;
use super::rules::Entry;
use super::{Buffer, Extent, Lowered, Scalar, Selected, Selector};

/// What is known, or demanded, of an access besides its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    /// Nothing.
    Plain,
    /// A load of what nobody writes as long as the kernel runs.
    ReadOnly,
    /// A relaxed access, which other threads see whole (PTX ISA 8.5 §8.4: `volatile` is one).
    Strong,
}

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (memref::LoadOp::def, |s, op| s.load(op)),
    (memref::StoreOp::def, |s, op| s.store(op)),
    (memref::AllocaOp::def, |s, op| s.alloca(op)),
    (memref::GetGlobalOp::def, |s, op| s.global(op)),
    (memref::AtomicRMWOp::def, |s, op| s.atomic_rmw(op)),
    (memref::GenericAtomicRMWOp::def, |s, op| s.generic_atomic_rmw(op)),
    (memref::CastOp::def, |s, op| s.cast_buffer(op)),
    (memref::MemorySpaceCastOp::def, |s, op| s.cast_buffer(op)),
    (memref::ViewOp::def, |s, op| s.view(op)),
    (memref::SubViewOp::def, |s, op| s.subview(op)),
    (memref::ReinterpretCastOp::def, |s, op| s.reinterpret_cast(op)),
    (memref::CollapseShapeOp::def, |s, op| s.reshape(op)),
    (memref::ExpandShapeOp::def, |s, op| s.reshape(op)),
    (memref::DimOp::def, |s, op| s.dim(op)),
    (memref::RankOp::def, |s, op| s.rank(op)),
    (memref::ExtractAlignedPointerAsIndexOp::def, |s, op| s.pointer_as_index(op)),
    (memref::ExtractStridedMetadataOp::def, |s, op| s.metadata(op)),
    // Hints, which need no instruction.
    (memref::AssumeAlignmentOp::def, |_, _| Ok(())),
    (memref::PrefetchOp::def, |_, _| Ok(())),
];

impl Selector<'_, '_> {
    fn alloca(&mut self, op: Op) -> Selected<()> {
        let result = self.e.ir.result(op, 0);
        let buffer = match self.declared_space(result) {
            Space::Shared => self.workgroup_buffer(result)?,
            _ => self.private_buffer(result)?,
        };
        self.set(result, buffer);
        Ok(())
    }

    fn rank(&mut self, op: Op) -> Selected<()> {
        let ty = self.e.ir.ty(self.e.ir.operand(op, 0));
        let Some(rank) = self.e.ir.ctx.shape(ty).map(<[i64]>::len) else {
            return self.unsupported(op);
        };
        let rank = self.e.i64(rank as i64);
        self.set_result(op, rank);
        Ok(())
    }

    fn pointer_as_index(&mut self, op: Op) -> Selected<()> {
        let buffer = self.buffer(self.e.ir.operand(op, 0))?;
        let ty = self.e.ir.ty(buffer.base);
        let bytes = self.e.int(buffer.bytes.into(), ty);
        let address = self.e.add(buffer.base, bytes);
        let address = self.generic_address(address, buffer.space);
        self.set_result(op, address);
        Ok(())
    }

    /// The address that a load or store of the gpu level goes to; the buffer is operand `at`, the
    /// indices follow.
    pub fn access(&mut self, op: Op, at: usize) -> Selected<Address> {
        let memref = self.e.ir.operand(op, at);
        let buffer = self.buffer(memref)?;
        let element = self.element_bytes(self.e.ir.ty(memref))?;
        let indices: SmallVec<[Value; 4]> = self.e.ir.operands(op).skip(at + 1).collect();
        self.element_address(&buffer, element, &indices)
    }

    fn load(&mut self, op: Op) -> Selected<()> {
        let address = self.access(op, 0)?;
        let ty = self.e.ir.ty(self.e.ir.result(op, 0));
        if self.e.ir.ctx.is_vector(ty) {
            return self.unsupported(op);
        }
        let scalar = self.scalar(ty)?;
        let values = self.load_elements(&address, scalar, 1, Qualifier::Plain)?;
        self.set_result(op, values[0]);
        Ok(())
    }

    fn store(&mut self, op: Op) -> Selected<()> {
        let value = self.e.ir.operand(op, 0);
        if self.e.ir.ctx.is_vector(self.e.ir.ty(value)) {
            return self.unsupported(op);
        }
        let scalar = self.scalar(self.e.ir.ty(value))?;
        let register = self.register(value)?;
        let address = self.access(op, 1)?;
        self.store_elements(&address, scalar, &[register], Qualifier::Plain)
    }

    fn memory_type(&self, scalar: Scalar) -> Selected<PtxType> {
        match scalar.memory() {
            Some(ty) => Ok(ty),
            None => self.refuse_here("integers of this width cannot be kept in memory"),
        }
    }

    /// Loads one, two or four scalars that follow each other.
    pub fn load_elements(
        &mut self,
        address: &Address,
        scalar: Scalar,
        count: usize,
        access: Qualifier,
    ) -> Selected<SmallVec<[Value; 4]>> {
        let ty = self.memory_type(scalar)?;
        let register = match scalar {
            Scalar::Predicate => self.e.ir.ctx.i32(),
            _ => scalar.register(&mut self.e.ir.ctx),
        };
        let (space, ty) = (address.space.attr(&mut self.e.ir.ctx), ty.attr(&mut self.e.ir.ctx));
        let offset = self.offset_attr(address);
        let build = self.e.start::<LdOp>(&[address.base]).attr(self.e.ir, "space", space);
        let build = build.attr(self.e.ir, "ty", ty).attr_option(self.e.ir, "offset", offset);
        let nc = (access == Qualifier::ReadOnly).then(|| self.e.ir.ctx.unit_attr());
        let strong = (access == Qualifier::Strong).then(|| self.e.ir.ctx.unit_attr());
        let build = build.attr_option(self.e.ir, "nc", nc);
        let build = build.attr_option(self.e.ir, "volatile_", strong);
        let op =
            self.e.insert(build.result_group(&SmallVec::<[Type; 4]>::from_elem(register, count)));
        let mut values: SmallVec<[Value; 4]> = SmallVec::from_slice(self.e.ir.results(op));
        if scalar == Scalar::Predicate {
            for value in &mut values {
                *value = self.nonzero(*value);
            }
        }
        Ok(values)
    }

    /// Stores one, two or four scalars one behind the other.
    pub fn store_elements(
        &mut self,
        address: &Address,
        scalar: Scalar,
        values: &[Value],
        access: Qualifier,
    ) -> Selected<()> {
        let ty = self.memory_type(scalar)?;
        let mut values: SmallVec<[Value; 4]> = SmallVec::from_slice(values);
        if scalar == Scalar::Predicate {
            for value in &mut values {
                *value = self.e.select_bit(*value);
            }
        }
        let (space, ty) = (address.space.attr(&mut self.e.ir.ctx), ty.attr(&mut self.e.ir.ctx));
        let offset = self.offset_attr(address);
        let build = StOp::new(self.e.ir, address.base, &values).attr(self.e.ir, "space", space);
        let build = build.attr(self.e.ir, "ty", ty).attr_option(self.e.ir, "offset", offset);
        let strong = (access == Qualifier::Strong).then(|| self.e.ir.ctx.unit_attr());
        let build = build.attr_option(self.e.ir, "volatile_", strong);
        self.e.insert(build);
        Ok(())
    }

    /// The `offset` attribute of an access; none for 0.
    pub fn offset_attr(&mut self, address: &Address) -> Option<Attr> {
        (address.offset != 0).then(|| self.e.ir.ctx.i64_attr(address.offset))
    }

    /// Static numbers and operands of one list of a view.
    fn mixed(&mut self, op: Op, group: usize, statics: &str) -> Selected<SmallVec<[Extent; 3]>> {
        let Some(def) = self.e.ir.def(op) else { return self.unsupported(op) };
        let mut dynamic = operand_group(self.e.ir, op, def, group).into_iter();
        let numbers: SmallVec<[i64; 4]> = match self.e.ir.attr(op, statics) {
            Some(attr) => self.e.ir.ctx.dense_array(attr).unwrap_or_default().into(),
            None => return self.unsupported(op),
        };
        let mut list = SmallVec::new();
        for number in numbers {
            if number != DYNAMIC {
                list.push(Extent::Static(number));
                continue;
            }
            let Some(value) = dynamic.next() else { return self.unsupported(op) };
            let register = self.register(value)?;
            list.push(self.extent_of(register));
        }
        Ok(list)
    }

    fn cast_buffer(&mut self, op: Op) -> Selected<()> {
        let mut buffer = self.buffer(self.e.ir.operand(op, 0))?;
        let result = self.e.ir.result(op, 0);
        let ty = self.e.ir.ty(result);
        if !self.e.ir.ctx.is_memref(ty) {
            return self.unsupported(op);
        }
        // What the new type says is promised to be true.
        let shape = self.e.ir.ctx.shape(ty).unwrap_or_default();
        for (size, &extent) in buffer.sizes.iter_mut().zip(shape) {
            if extent != DYNAMIC {
                *size = Extent::Static(extent);
            }
        }
        if let Some(layout) = strided_layout(&self.e.ir.ctx, ty) {
            for (stride, &known) in buffer.strides.iter_mut().zip(&layout.strides) {
                if known != DYNAMIC {
                    *stride = Extent::Static(known);
                }
            }
        }
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    /// A typed buffer at a byte offset.
    fn view(&mut self, op: Op) -> Selected<()> {
        let source = self.buffer(self.e.ir.operand(op, 0))?;
        let shift = self.e.ir.operand(op, 1);
        let mut flat = source;
        flat.strides = SmallVec::from_slice(&[Extent::Static(1)]);
        let address = self.element_address(&flat, 1, &[shift])?;
        let result = self.e.ir.result(op, 0);
        let mut buffer = self.whole_buffer(self.e.ir.ty(result), address.base, address.space);
        buffer.bytes = address.offset;
        let mut sizes =
            self.e.ir.operands(op).skip(2).collect::<SmallVec<[Value; 4]>>().into_iter();
        for index in 0..buffer.sizes.len() {
            if buffer.sizes[index] == Extent::Unknown
                && let Some(size) = sizes.next()
            {
                let register = self.register(size)?;
                buffer.sizes[index] = self.extent_of(register);
            }
        }
        let mut stride = Extent::Static(1);
        for dimension in (0..buffer.sizes.len()).rev() {
            buffer.strides[dimension] = stride;
            if dimension > 0 {
                stride = self.extent_product(stride, buffer.sizes[dimension]);
            }
        }
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    fn subview(&mut self, op: Op) -> Selected<()> {
        let mut buffer = self.buffer(self.e.ir.operand(op, 0))?;
        let offsets = self.mixed(op, 1, "static_offsets")?;
        let sizes = self.mixed(op, 2, "static_sizes")?;
        let steps = self.mixed(op, 3, "static_strides")?;
        for (&offset, &stride) in offsets.iter().zip(&buffer.strides.clone()) {
            let product = self.extent_product(offset, stride);
            buffer.offset = self.extent_sum(buffer.offset, product);
        }
        let mut strides: SmallVec<[Extent; 3]> = SmallVec::new();
        for (&stride, &step) in buffer.strides.iter().zip(&steps) {
            strides.push(self.extent_product(stride, step));
        }
        let result = self.e.ir.result(op, 0);
        let ty = self.e.ir.ty(result);
        let kept = self.kept_dimensions(op, &sizes, ty)?;
        buffer.sizes = kept.iter().map(|&d| sizes[d]).collect();
        buffer.strides = kept.iter().map(|&d| strides[d]).collect();
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    /// The dimensions of a subview that its type has; those of extent 1 may be dropped. Where it
    /// is open which, the strides decide.
    fn kept_dimensions(
        &self,
        op: Op,
        sizes: &[Extent],
        ty: Type,
    ) -> Selected<SmallVec<[usize; 3]>> {
        let ctx = &self.e.ir.ctx;
        let shape = ctx.shape(ty).unwrap_or_default();
        if shape.len() == sizes.len() {
            return Ok((0..sizes.len()).collect());
        }
        let numbers = |name| {
            let attr = self.e.ir.attr(op, name);
            attr.and_then(|attr| ctx.dense_array(attr)).map(<[i64]>::to_vec).unwrap_or_default()
        };
        let (offsets, steps) = (numbers("static_offsets"), numbers("static_strides"));
        let source = self.e.ir.ty(self.e.ir.operand(op, 0));
        let full = subview_layout(ctx, source, &offsets, &steps);
        let wanted = strided_layout(ctx, ty);
        let mut kept = SmallVec::new();
        let mut drop = sizes.len().saturating_sub(shape.len());
        for (dimension, &size) in sizes.iter().enumerate() {
            let at = kept.len();
            let fits = shape
                .get(at)
                .is_some_and(|&extent| extent == DYNAMIC || Extent::Static(extent) == size);
            let stride_fits = match (&full, &wanted) {
                (Some(full), Some(wanted)) => full.strides.get(dimension) == wanted.strides.get(at),
                _ => true,
            };
            if drop > 0 && size == Extent::Static(1) && !(fits && stride_fits) {
                drop -= 1;
            } else {
                kept.push(dimension);
            }
        }
        // Dimensions kept too many are unit ones at the end.
        kept.truncate(shape.len());
        if kept.len() == shape.len() { Ok(kept) } else { self.unsupported(op) }
    }

    fn reinterpret_cast(&mut self, op: Op) -> Selected<()> {
        let source = self.buffer(self.e.ir.operand(op, 0))?;
        let offsets = self.mixed(op, 1, "static_offsets")?;
        let [offset] = offsets[..] else { return self.unsupported(op) };
        let sizes = self.mixed(op, 2, "static_sizes")?;
        let strides = self.mixed(op, 3, "static_strides")?;
        let buffer = Buffer { offset, sizes, strides, ..source };
        let result = self.e.ir.result(op, 0);
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    /// Shapes of contiguous buffers with other dimensions.
    fn reshape(&mut self, op: Op) -> Selected<()> {
        let source = self.buffer(self.e.ir.operand(op, 0))?;
        let result = self.e.ir.result(op, 0);
        let ty = self.e.ir.ty(result);
        let mut buffer = self.whole_buffer(ty, source.base, source.space);
        if buffer.strides.contains(&Extent::Unknown) {
            return self
                .refuse(op, "reshaping a buffer needs strides that are known at compile time");
        }
        buffer.bytes = source.bytes;
        buffer.offset = source.offset;
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }

    fn dim(&mut self, op: Op) -> Selected<()> {
        let buffer = self.buffer(self.e.ir.operand(op, 0))?;
        let index = self.operand(op, 1)?;
        let Some(index) = self.e.known_int(index).and_then(|index| usize::try_from(index).ok())
        else {
            return self.refuse(op, "the dimension that is asked for must be a constant");
        };
        let Some(&size) = buffer.sizes.get(index) else { return self.unsupported(op) };
        let size = self.extent(size)?;
        self.set_result(op, size);
        Ok(())
    }

    fn metadata(&mut self, op: Op) -> Selected<()> {
        let buffer = self.buffer(self.e.ir.operand(op, 0))?;
        let results = self.e.ir.results(op).to_vec();
        let base = Buffer {
            offset: Extent::Static(0),
            sizes: SmallVec::new(),
            strides: SmallVec::new(),
            ..buffer.clone()
        };
        self.set(results[0], Lowered::Buffer(base));
        let numbers = [buffer.offset].into_iter().chain(buffer.sizes).chain(buffer.strides);
        for (&result, number) in results[1..].iter().zip(numbers) {
            // Those that nobody asks for may be unknown.
            if self.e.ir.is_unused(result) {
                continue;
            }
            let register = self.extent(number)?;
            self.set(result, Lowered::Scalar(register));
        }
        Ok(())
    }
}
