//! Textures and surfaces.
//!
//! Texels are sampled as the CUDA C++ Programming Guide says ("Texture Fetching"): the nearest texel,
//! or linear interpolation with weights of 8 fractional bits, whose rounding the guide leaves open.

use crate::fault::{AccessKind, FaultKind};
use crate::host_memory;
use crate::images::{AddressMode, Bound, ChannelFormat, Filter, Image, Images, Texture};
use crate::isa::Type;
use crate::program::{
    Geometry, ImageAccess, ImageOp, ImageQuery, Inst, MemorySpace, MipmapLevel, Outside,
};

use super::atomic::{Unit, combine};
use super::lanes::{LANES, Registers};
use super::memory::{View, Violation};
use super::soft_float::F16;
use super::warp::Cause;

type Fallible<T> = Result<T, Cause>;

fn violation(violation: Violation) -> Cause {
    Cause::Access(violation)
}

/// A texel's channels as the bits of 32-bit numbers: integers extended, half precision as single.
type Texel = [u32; 4];

/// One lane's view of the device, with what the instruction gives it.
struct Lane<'a, 'e> {
    view: &'a View<'e>,
    lane: usize,
    access: ImageAccess,
    /// Coordinates as they are in the registers.
    coordinates: [u32; 4],
}

/// Runs an operation in the lanes of `mask`, in their order.
pub(super) fn execute(
    view: &View<'_>,
    images: &Images,
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    access: ImageAccess,
    rows: &[u32],
) -> Result<(), (usize, Cause)> {
    let (results, rest) = rows.split_at(access.results.into());
    let (places, rest) = rest.split_at(access.coordinates.into());
    let wide = access.ty.bits() > 32;
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        let word = |row: u32| registers.narrow(row)[lane];
        let mut coordinates = [0; 4];
        places.iter().zip(&mut coordinates).for_each(|(&row, out)| *out = word(row));
        let handle = registers.wide(inst.src[0])[lane];
        let here = Lane { view, lane, access, coordinates };
        let values: Vec<u64> = rest
            .iter()
            .map(|&row| if wide { registers.wide(row)[lane] } else { u64::from(word(row)) })
            .collect();
        let found = images.get(handle);
        if let ImageOp::Query { query, .. } = access.op
            && let Some(is) = kind(query, found)
        {
            registers.set_predicate(results[0], 1 << lane, if is { u32::MAX } else { 0 });
            continue;
        }
        let Some(found) = found else {
            let detail = format!("{handle:#x} is no handle of a texture or surface");
            return Err((lane, Cause::Other(FaultKind::Image, detail)));
        };
        let out = here.run(found, &values).map_err(|cause| (lane, cause))?;
        for (n, &row) in results.iter().enumerate() {
            if wide {
                registers.wide_mut(row)[lane] = out[n];
            } else {
                registers.narrow_mut(row)[lane] = out[n] as u32;
            }
        }
    }
    registers.set_predicate(inst.dst2, mask, u32::MAX);
    Ok(())
}

/// The answer to a question about the kind of a handle.
fn kind(query: ImageQuery, bound: Option<&Bound>) -> Option<bool> {
    match query {
        ImageQuery::IsTexture => Some(matches!(bound, Some(Bound::Texture(_)))),
        ImageQuery::IsSurface => Some(matches!(bound, Some(Bound::Surface(_)))),
        ImageQuery::IsSampler => Some(false),
        _ => None,
    }
}

impl Lane<'_, '_> {
    fn run(&self, bound: &Bound, values: &[u64]) -> Fallible<[u64; 4]> {
        let wrong = |what: &str| {
            Err(Cause::Other(FaultKind::Image, format!("the handle is not that of a {what}")))
        };
        let words = |texel: Texel| texel.map(u64::from);
        match (self.access.op, bound) {
            (ImageOp::Sample { level, offset }, Bound::Texture(texture)) => {
                self.sample(texture, level, offset, values).map(words)
            }
            (ImageOp::Gather { channel, offset }, Bound::Texture(texture)) => {
                self.gather(texture, channel, offset, values).map(words)
            }
            (ImageOp::Query { query, level }, bound) => {
                let level = if level { values[0] as usize } else { 0 };
                Ok([answer(query, bound, level).into(), 0, 0, 0])
            }
            (ImageOp::Load { bytes, outside }, Bound::Surface(image)) => {
                self.load(image, bytes, outside)
            }
            (ImageOp::Store { bytes, outside }, Bound::Surface(image)) => {
                self.store(image, bytes, outside, values)
            }
            (ImageOp::StoreFormatted { outside }, Bound::Surface(image)) => {
                self.store_formatted(image, outside, values)
            }
            (ImageOp::Reduce { .. }, Bound::Surface(image)) => self.reduce(image, values),
            (ImageOp::Sample { .. } | ImageOp::Gather { .. }, _) => wrong("texture"),
            _ => wrong("surface"),
        }
    }

    /// The layer that the first coordinate names, and the others as numbers.
    fn position(&self, image: &Image) -> (u32, [f32; 3]) {
        let Geometry { axes, layered, .. } = self.access.geometry;
        let first = usize::from(layered);
        let layer = if layered { self.coordinates[0] } else { 0 };
        let mut at = [0.0; 3];
        for (axis, out) in at.iter_mut().enumerate().take(axes.into()) {
            let bits = self.coordinates[first + axis];
            *out = if self.access.integer { bits as i32 as f32 } else { f32::from_bits(bits) };
        }
        (layer.min(image.layers - 1), at)
    }

    /// Texels between which a position lies, with the weight of the second, along one axis.
    fn along(
        &self,
        texture: &Texture,
        extent: u32,
        axis: usize,
        at: f32,
        (offset, linear): (i64, bool),
    ) -> ([Option<u32>; 2], f32) {
        let size = extent as f32;
        let normalized =
            (texture.normalized_coordinates || self.access.geometry.cube) && !self.access.integer;
        let mode = match texture.address[axis] {
            _ if self.access.geometry.cube => AddressMode::Clamp,
            AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
            mode => mode,
        };
        let fraction = at - at.floor();
        let scaled = match mode {
            AddressMode::Wrap => fraction * size,
            AddressMode::Mirror if at.floor().rem_euclid(2.0) == 1.0 => (1.0 - fraction) * size,
            AddressMode::Mirror => fraction * size,
            _ if normalized => at * size,
            _ => at,
        };
        let scaled = if linear { scaled - 0.5 } else { scaled };
        // The weight has 8 fractional bits.
        let weight = ((scaled - scaled.floor()) * 256.0).round() / 256.0;
        let first = (scaled.floor() as i64).saturating_add(offset);
        let index = |i: i64| match mode {
            AddressMode::Wrap => Some(i.rem_euclid(extent.into()) as u32),
            AddressMode::Border => u32::try_from(i).ok().filter(|&i| i < extent),
            _ => Some(i.clamp(0, i64::from(extent) - 1) as u32),
        };
        ([index(first), index(first.saturating_add(1))], if linear { weight } else { 0.0 })
    }

    /// The channels of a texel; the border outside.
    fn texel(
        &self,
        texture: &Texture,
        image: &Image,
        layer: u32,
        at: [Option<u32>; 3],
    ) -> Fallible<Texel> {
        let [Some(x), Some(y), Some(z)] = at else {
            return Ok(texture.border.map(f32::to_bits));
        };
        let address = texel_address(image, layer, [x, y, z]);
        let mut out = [0, 0, 0, 1];
        if matches!(image.format, ChannelFormat::F16 | ChannelFormat::F32) {
            out[3] = 1.0f32.to_bits();
        }
        let bytes = image.format.bytes();
        for (channel, out) in out.iter_mut().enumerate().take(image.channels as usize) {
            let from = address + channel as u64 * u64::from(bytes);
            let bits = self.read(from, bytes)?;
            *out = match image.format {
                ChannelFormat::S8 => bits as u8 as i8 as i32 as u32,
                ChannelFormat::S16 => bits as u16 as i16 as i32 as u32,
                ChannelFormat::F16 => (F16.decode(bits) as f32).to_bits(),
                _ => bits as u32,
            };
        }
        if texture.normalized_values {
            for out in &mut out[..image.channels as usize] {
                *out = normalized(image.format, *out).to_bits();
            }
            out[image.channels as usize..].iter_mut().for_each(|out| *out = 0);
        }
        Ok(out)
    }

    fn read(&self, address: u64, bytes: u32) -> Fallible<u64> {
        let pointer = self
            .view
            .cell(self.lane, MemorySpace::Global, address, bytes, AccessKind::Read)
            .map_err(violation)?;
        // SAFETY: `cell` has checked so many bytes, and their alignment.
        Ok(unsafe { host_memory::load_bits(pointer, bytes) })
    }

    fn write(&self, address: u64, bytes: u32, value: u64) -> Fallible<()> {
        let pointer = self
            .view
            .cell(self.lane, MemorySpace::Global, address, bytes, AccessKind::Write)
            .map_err(violation)?;
        // SAFETY: as in `read`.
        unsafe { host_memory::store_bits(pointer, bytes, value) };
        Ok(())
    }

    /// The face of a cube that a direction hits, and where (CUDA C++ Programming Guide, "Cubemap
    /// Textures").
    fn face(&self, layer: u32, [x, y, z]: [f32; 3]) -> (u32, [f32; 3]) {
        let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
        let (face, m, s, t) = if ax >= ay && ax >= az {
            if x >= 0.0 { (0, x, -z, -y) } else { (1, -x, z, -y) }
        } else if ay >= az {
            if y >= 0.0 { (2, y, x, z) } else { (3, -y, x, -z) }
        } else if z >= 0.0 {
            (4, z, x, -y)
        } else {
            (5, -z, -x, -y)
        };
        (layer * 6 + face, [(s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0, 0.0])
    }

    /// The layer and the place in it, with the faces of cubes resolved.
    fn placed(&self, image: &Image) -> (u32, [f32; 3], usize) {
        let (layer, at) = self.position(image);
        if !self.access.geometry.cube {
            return (layer, at, self.access.geometry.axes.into());
        }
        let (face, at) = self.face(layer, at);
        (face.min(image.layers - 1), at, 2)
    }

    fn sample(
        &self,
        texture: &Texture,
        level: MipmapLevel,
        offset: bool,
        values: &[u64],
    ) -> Fallible<Texel> {
        let axes = usize::from(self.access.geometry.axes);
        let number = |value: u64| match self.access.integer {
            true => value as i32 as f32,
            false => f32::from_bits(value as u32),
        };
        let (detail, used) = match level {
            MipmapLevel::Base => (0.0, 0),
            MipmapLevel::Given => (number(values[0]), 1),
            MipmapLevel::Gradient => {
                let extent = texture.levels[0].extent;
                let scale = |axis: usize| {
                    if texture.normalized_coordinates { extent[axis] as f32 } else { 1.0 }
                };
                let length = |from: usize| {
                    let of = |axis: usize| number(values[from + axis]) * scale(axis);
                    (0..axes).map(|axis| of(axis) * of(axis)).sum::<f32>().sqrt()
                };
                (length(0).max(length(axes)).max(f32::MIN_POSITIVE).log2(), 2 * axes)
            }
        };
        let mut offsets = [0i64; 3];
        if offset {
            for (out, value) in offsets.iter_mut().zip(&values[used..]) {
                *out = i64::from(*value as i32);
            }
        }
        let last = texture.levels.len() - 1;
        let detail = if detail.is_nan() { 0.0 } else { detail.clamp(0.0, last as f32) };
        if texture.level_filter == Filter::Nearest || last == 0 {
            let image = &texture.levels[(detail + 0.5).floor() as usize];
            return self.finish(self.sample_level(texture, image, offsets)?);
        }
        let below = detail.floor() as usize;
        let near = self.sample_level(texture, &texture.levels[below], offsets)?;
        let far = self.sample_level(texture, &texture.levels[(below + 1).min(last)], offsets)?;
        let weight = ((detail - detail.floor()) * 256.0).round() / 256.0;
        self.finish(std::array::from_fn(|i| {
            let [near, far] = [near[i], far[i]].map(f32::from_bits);
            ((1.0 - weight) * near + weight * far).to_bits()
        }))
    }

    /// Results in the type that the instruction names.
    fn finish(&self, texel: Texel) -> Fallible<Texel> {
        Ok(match self.access.ty {
            Type::F16 => texel.map(|bits| {
                use super::soft_float::Exact;
                use crate::program::Rounding;
                let value = f64::from(f32::from_bits(bits));
                F16.encode(Exact::of(value).round(F16, Rounding::NearestEven)) as u32
            }),
            _ => texel,
        })
    }

    /// One level, at the coordinates of the lane.
    fn sample_level(&self, texture: &Texture, image: &Image, offsets: [i64; 3]) -> Fallible<Texel> {
        let (layer, at, axes) = self.placed(image);
        let linear = texture.filter == Filter::Linear && !self.access.integer;
        let mut ends = [([Some(0); 2], 0.0f32); 3];
        for (axis, out) in ends.iter_mut().enumerate().take(axes) {
            let how = (offsets[axis], linear);
            *out = self.along(texture, image.extent[axis], axis, at[axis], how);
        }
        if !linear {
            return self.texel(texture, image, layer, ends.map(|(texels, _)| texels[0]));
        }
        let mut sum = [0.0f32; 4];
        for corner in 0..1usize << axes {
            let side = |axis: usize| corner >> axis & 1;
            let weight: f32 = (0..axes)
                .map(|axis| if side(axis) == 1 { ends[axis].1 } else { 1.0 - ends[axis].1 })
                .product();
            if weight == 0.0 {
                continue;
            }
            let place = std::array::from_fn(|axis| ends[axis].0[side(axis)]);
            let texel = self.texel(texture, image, layer, place)?;
            for (sum, bits) in sum.iter_mut().zip(texel) {
                *sum += weight * f32::from_bits(bits);
            }
        }
        Ok(sum.map(f32::to_bits))
    }

    /// One channel of the texels round a place, against the clock from the lower left.
    fn gather(
        &self,
        texture: &Texture,
        channel: u8,
        offset: bool,
        values: &[u64],
    ) -> Fallible<Texel> {
        let image = &texture.levels[0];
        let (layer, at, _) = self.placed(image);
        let end = |axis: usize| {
            let offset = if offset { i64::from(values[axis] as i32) } else { 0 };
            self.along(texture, image.extent[axis], axis, at[axis], (offset, true)).0
        };
        let (x, y) = (end(0), end(1));
        let mut out = [0; 4];
        for (out, (i, j)) in out.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let texel = self.texel(texture, image, layer, [x[i], y[j], Some(0)])?;
            *out = texel[channel as usize & 3];
        }
        Ok(out)
    }

    /// The address of what a lane accesses on a surface, `unit` bytes to a step in x; `None` outside
    /// where that does nothing.
    fn place(
        &self,
        image: &Image,
        unit: u32,
        bytes: u32,
        outside: Outside,
    ) -> Fallible<Option<u64>> {
        let Geometry { axes, layered, .. } = self.access.geometry;
        let first = usize::from(layered);
        let row = u64::from(image.extent[0]) * u64::from(image.texel_bytes());
        let most = [
            (row.saturating_sub(bytes.into()) / u64::from(unit)) as i64,
            i64::from(image.extent[1]) - 1,
            i64::from(image.extent[2]) - 1,
        ];
        let mut at = [0u64; 3];
        let mut inside = u64::from(bytes) <= row;
        for axis in 0..usize::from(axes) {
            let given = i64::from(self.coordinates[first + axis] as i32);
            let kept = given.clamp(0, most[axis]);
            inside &= given == kept;
            at[axis] = kept as u64;
        }
        let mut layer = 0;
        if layered {
            layer = self.coordinates[0].min(image.layers - 1);
            inside &= layer == self.coordinates[0];
        }
        match (inside, outside) {
            (false, Outside::Zero) => return Ok(None),
            (false, Outside::Trap) => {
                let place = &self.coordinates[..first + usize::from(axes)];
                let detail = format!("{place:?} lies outside the surface");
                return Err(Cause::Other(FaultKind::Image, detail));
            }
            _ => {}
        }
        let row = at[1]
            + u64::from(image.extent[1]) * (at[2] + u64::from(image.extent[2]) * u64::from(layer));
        Ok(Some(image.pointer + row * image.pitch + at[0] * u64::from(unit)))
    }

    fn load(&self, image: &Image, bytes: u8, outside: Outside) -> Fallible<[u64; 4]> {
        let count = u32::from(self.access.results);
        let Some(address) = self.place(image, 1, u32::from(bytes) * count, outside)? else {
            return Ok([0; 4]);
        };
        let mut out = [0; 4];
        for (n, out) in out.iter_mut().enumerate().take(count as usize) {
            *out = self.read(address + n as u64 * u64::from(bytes), bytes.into())?;
        }
        Ok(out)
    }

    fn store(
        &self,
        image: &Image,
        bytes: u8,
        outside: Outside,
        values: &[u64],
    ) -> Fallible<[u64; 4]> {
        let all = u32::from(bytes) * values.len() as u32;
        if let Some(address) = self.place(image, 1, all, outside)? {
            for (n, &value) in values.iter().enumerate() {
                self.write(address + n as u64 * u64::from(bytes), bytes.into(), value)?;
            }
        }
        Ok([0; 4])
    }

    fn store_formatted(
        &self,
        image: &Image,
        outside: Outside,
        values: &[u64],
    ) -> Fallible<[u64; 4]> {
        let texel = image.texel_bytes();
        if let Some(address) = self.place(image, texel, texel, outside)? {
            let bytes = image.format.bytes();
            for (n, &value) in values.iter().enumerate().take(image.channels as usize) {
                let value = match image.format {
                    ChannelFormat::F16 => {
                        use super::soft_float::Exact;
                        use crate::program::Rounding;
                        let value = f64::from(f32::from_bits(value as u32));
                        F16.encode(Exact::of(value).round(F16, Rounding::NearestEven))
                    }
                    _ => value,
                };
                self.write(address + n as u64 * u64::from(bytes), bytes, value)?;
            }
        }
        Ok([0; 4])
    }

    fn reduce(&self, image: &Image, values: &[u64]) -> Fallible<[u64; 4]> {
        let ImageOp::Reduce { op, ty, outside, formatted } = self.access.op else {
            return Ok([0; 4]);
        };
        let bytes = u32::from(ty.bytes());
        let unit = if formatted { image.texel_bytes() } else { 1 };
        let Some(address) = self.place(image, unit, bytes, outside)? else { return Ok([0; 4]) };
        let pointer = self
            .view
            .cell(self.lane, MemorySpace::Global, address, bytes, AccessKind::Atomic)
            .map_err(violation)?;
        // SAFETY: `cell` has checked the bytes and their alignment.
        unsafe { combine(pointer, op, ty, Unit::Cache, values[0]) };
        Ok([0; 4])
    }
}

/// An integer as a number up to 1.
fn normalized(format: ChannelFormat, bits: u32) -> f32 {
    match format {
        ChannelFormat::U8 => bits as f32 / 255.0,
        ChannelFormat::U16 => bits as f32 / 65535.0,
        ChannelFormat::S8 => (bits as i32 as f32 / 127.0).max(-1.0),
        _ => (bits as i32 as f32 / 32767.0).max(-1.0),
    }
}

fn texel_address(image: &Image, layer: u32, [x, y, z]: [u32; 3]) -> u64 {
    let slices = u64::from(image.extent[2]) * u64::from(layer) + u64::from(z);
    let row = u64::from(image.extent[1]) * slices + u64::from(y);
    image.pointer + row * image.pitch + u64::from(x) * u64::from(image.texel_bytes())
}

/// What `txq` and `suq` say; the numbers of formats are OpenCL's (PTX ISA, "Channel Data Type").
fn answer(query: ImageQuery, bound: &Bound, level: usize) -> u32 {
    let (image, texture) = match bound {
        Bound::Texture(texture) => {
            let level = level.min(texture.levels.len() - 1);
            (&texture.levels[level], Some(texture))
        }
        Bound::Surface(image) => (image, None),
    };
    let normalized = texture.is_some_and(|texture| texture.normalized_values);
    match query {
        ImageQuery::Extent(axis) => image.extent[axis as usize],
        ImageQuery::Layers => image.layers,
        ImageQuery::Levels => texture.map_or(1, |texture| texture.levels.len() as u32),
        ImageQuery::Samples => 1,
        ImageQuery::ChannelType => match (image.format, normalized) {
            (ChannelFormat::S8, true) => 0x10d0,
            (ChannelFormat::S16, true) => 0x10d1,
            (ChannelFormat::U8, true) => 0x10d2,
            (ChannelFormat::U16, true) => 0x10d3,
            (ChannelFormat::S8, _) => 0x10d7,
            (ChannelFormat::S16, _) => 0x10d8,
            (ChannelFormat::S32, _) => 0x10d9,
            (ChannelFormat::U8, _) => 0x10da,
            (ChannelFormat::U16, _) => 0x10db,
            (ChannelFormat::U32, _) => 0x10dc,
            (ChannelFormat::F16, _) => 0x10dd,
            (ChannelFormat::F32, _) => 0x10de,
        },
        ImageQuery::ChannelOrder => match image.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        },
        ImageQuery::NormalizedCoordinates => {
            texture.is_some_and(|texture| texture.normalized_coordinates).into()
        }
        ImageQuery::UnnormalizedCoordinates => {
            texture.is_some_and(|texture| !texture.normalized_coordinates).into()
        }
        ImageQuery::Filter => {
            texture.is_some_and(|texture| texture.filter == Filter::Linear).into()
        }
        ImageQuery::Address(axis) => {
            texture.map_or(1, |texture| match texture.address[axis as usize] {
                AddressMode::Wrap => 0,
                AddressMode::Mirror => 1,
                AddressMode::Clamp => 2,
                AddressMode::Border => 3,
            })
        }
        ImageQuery::IsTexture | ImageQuery::IsSurface | ImageQuery::IsSampler => 0,
    }
}
