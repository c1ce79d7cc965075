//! Textures and surfaces: images in device memory that kernels read and write by handles.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use thiserror::Error;

use crate::fault::SimError;
use crate::module::Module;
use crate::simulator::{DevicePtr, Simulator};

/// Most channels of a texel, levels of a texture, and extent of an image.
const MOST_LEVELS: usize = 32;
const MOST_EXTENT: u32 = 1 << 27;

/// What one channel of a texel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelFormat {
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// A signed integer of 8 bits.
    S8,
    /// A signed integer of 16 bits.
    S16,
    /// A signed integer of 32 bits.
    S32,
    /// Half precision.
    F16,
    /// Single precision.
    F32,
}

impl ChannelFormat {
    /// The format of a name (`u8`, `f32`).
    pub fn by_name(name: &str) -> Option<ChannelFormat> {
        use ChannelFormat::*;
        let all = [U8, U16, U32, S8, S16, S32, F16, F32];
        all.into_iter().find(|format| format!("{format:?}").eq_ignore_ascii_case(name))
    }

    /// Bytes of a channel.
    pub fn bytes(self) -> u32 {
        match self {
            ChannelFormat::U8 | ChannelFormat::S8 => 1,
            ChannelFormat::U16 | ChannelFormat::S16 | ChannelFormat::F16 => 2,
            _ => 4,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, ChannelFormat::F16 | ChannelFormat::F32)
    }
}

/// An image in device memory: rows, slices of rows, layers of slices, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The first texel.
    pub pointer: DevicePtr,
    /// What a channel is.
    pub format: ChannelFormat,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Texels in x, y and z; 1 where an image has no such axis.
    pub extent: [u32; 3],
    /// Layers; six to a cube.
    pub layers: u32,
    /// Bytes from one row to the next.
    pub pitch: u64,
}

impl Image {
    /// An image without gaps and layers.
    pub fn packed(
        pointer: DevicePtr,
        format: ChannelFormat,
        channels: u32,
        extent: [u32; 3],
    ) -> Image {
        let pitch = u64::from(extent[0]) * u64::from(format.bytes() * channels);
        Image { pointer, format, channels, extent, layers: 1, pitch }
    }

    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.format.bytes() * self.channels
    }

    /// Bytes from the first texel to the end of the last.
    fn bytes(&self) -> Option<u64> {
        let [_, height, depth] = self.extent.map(u64::from);
        let rows = height.checked_mul(depth)?.checked_mul(self.layers.into())?;
        let row = u64::from(self.extent[0]) * u64::from(self.texel_bytes());
        (rows - 1).checked_mul(self.pitch)?.checked_add(row)
    }

    fn check(&self, simulator: &Simulator) -> Result<(), ImageError> {
        let error = |what: String| Err(ImageError::Shape(what));
        if ![1, 2, 4].contains(&self.channels) {
            return error(format!("{} channels: there are 1, 2 or 4", self.channels));
        }
        if self.layers == 0 || self.extent.iter().any(|n| !(1..=MOST_EXTENT).contains(n)) {
            return error(format!("extents {:?} with {} layers", self.extent, self.layers));
        }
        if self.pitch < u64::from(self.extent[0]) * u64::from(self.texel_bytes()) {
            return error(format!("a pitch of {} bytes is shorter than a row", self.pitch));
        }
        let Some(bytes) = self.bytes() else { return error("larger than any memory".into()) };
        let inside = simulator.memory.nearest(self.pointer).is_some_and(|near| {
            !near.freed
                && near.offset >= 0
                && near.size.checked_sub(near.offset as u64).is_some_and(|rest| rest >= bytes)
        });
        match inside {
            true => Ok(()),
            false => Err(SimError::OutOfBounds { ptr: self.pointer, bytes }.into()),
        }
    }
}

/// What a coordinate outside the image means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// The image is repeated; with normalized coordinates only, else as [`AddressMode::Clamp`].
    Wrap,
    /// The nearest texel.
    Clamp,
    /// The image is repeated and every other time mirrored; as [`AddressMode::Wrap`] otherwise.
    Mirror,
    /// [`Texture::border`].
    Border,
}

/// How values between texels are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The nearest texel.
    Nearest,
    /// Linear interpolation, with weights of 8 fractional bits.
    Linear,
}

/// An image and how it is sampled (CUDA C++ Programming Guide, "Texture Fetching").
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The image, and its smaller copies in order of size.
    pub levels: Vec<Image>,
    /// What coordinates outside mean, for x, y and z.
    pub address: [AddressMode; 3],
    /// Between texels.
    pub filter: Filter,
    /// Between levels.
    pub level_filter: Filter,
    /// Coordinates run from 0 to 1 instead of to the extent.
    pub normalized_coordinates: bool,
    /// Integers of 8 and 16 bits are read as numbers from 0 or -1 to 1.
    pub normalized_values: bool,
    /// The value outside.
    pub border: [f32; 4],
}

impl Texture {
    /// An image whose nearest texels are read as they are.
    pub fn of(image: Image) -> Texture {
        Texture {
            levels: vec![image],
            address: [AddressMode::Clamp; 3],
            filter: Filter::Nearest,
            level_filter: Filter::Nearest,
            normalized_coordinates: false,
            normalized_values: false,
            border: [0.0; 4],
        }
    }

    fn check(&self, simulator: &Simulator) -> Result<(), ImageError> {
        let error = |what: &str| Err(ImageError::Shape(what.into()));
        let Some(first) = self.levels.first() else { return error("a texture without a level") };
        if self.levels.len() > MOST_LEVELS {
            return error("more than 32 levels");
        }
        let alike = |image: &Image| (image.format, image.channels, image.layers);
        if self.levels.iter().any(|image| alike(image) != alike(first)) {
            return error("levels of different formats");
        }
        if self.normalized_values && (first.format.is_float() || first.format.bytes() > 2) {
            return error("only integers of 8 and 16 bits are read as numbers up to 1");
        }
        let linear = [self.filter, self.level_filter].contains(&Filter::Linear);
        if linear && !self.normalized_values && !first.format.is_float() {
            return error("integers that are read as they are cannot be interpolated");
        }
        self.levels.iter().try_for_each(|image| image.check(simulator))
    }
}

/// What cannot be a texture or surface.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// The description is wrong.
    #[error("no texture or surface can be so: {0}")]
    Shape(String),
    /// It lies outside its allocation, or the module's variables have no room.
    #[error(transparent)]
    Memory(#[from] SimError),
    /// Nothing has that handle.
    #[error("{0:#x} is no handle of a texture or surface")]
    Unknown(u64),
    /// The module has no such variable.
    #[error("the module has no texture or surface variable `{0}`")]
    NoVariable(String),
}

/// What a handle stands for.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Texture(Texture),
    Surface(Image),
}

/// The textures and surfaces of a device, by handle; those of variables by the variable's address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    table: Arc<BTreeMap<u64, Arc<Bound>>>,
    made: u64,
}

impl Images {
    /// Above every address, so that no pointer is taken for a handle.
    const FIRST: u64 = 0x0500_0000_0000_0000;

    pub(crate) fn get(&self, handle: u64) -> Option<&Bound> {
        self.table.get(&handle).map(Arc::as_ref)
    }

    fn add(&mut self, bound: Bound) -> u64 {
        self.made += 1;
        let handle = Images::FIRST + self.made;
        Arc::make_mut(&mut self.table).insert(handle, Arc::new(bound));
        handle
    }
}

impl Simulator {
    fn change_images<T>(&self, change: impl FnOnce(&mut Images) -> T) -> T {
        change(&mut self.images.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The textures and surfaces that there are now.
    pub(crate) fn images(&self) -> Images {
        self.change_images(|images| images.clone())
    }

    /// Makes a texture; its handle is what a kernel takes as `cudaTextureObject_t`.
    ///
    /// # Errors
    /// The description is wrong, or the memory is not there.
    pub fn create_texture(&self, texture: Texture) -> Result<u64, ImageError> {
        texture.check(self)?;
        Ok(self.change_images(|images| images.add(Bound::Texture(texture))))
    }

    /// Makes a surface; its handle is what a kernel takes as `cudaSurfaceObject_t`.
    ///
    /// # Errors
    /// As of [`Simulator::create_texture`].
    pub fn create_surface(&self, image: Image) -> Result<u64, ImageError> {
        image.check(self)?;
        Ok(self.change_images(|images| images.add(Bound::Surface(image))))
    }

    /// Ends a texture or surface; variables that it is bound to keep it.
    ///
    /// # Errors
    /// There is none with that handle.
    pub fn destroy_image(&self, handle: u64) -> Result<(), ImageError> {
        self.change_images(|images| {
            let removed = Arc::make_mut(&mut images.table).remove(&handle);
            removed.map(drop).ok_or(ImageError::Unknown(handle))
        })
    }

    /// Binds a texture or surface to a module's variable (`.texref`, `.surfref`).
    ///
    /// # Errors
    /// There is no such variable or handle.
    pub fn bind_image(&self, module: &Module, name: &str, handle: u64) -> Result<(), ImageError> {
        let Some((address, _)) = self.variable(module, name)? else {
            return Err(ImageError::NoVariable(name.into()));
        };
        self.change_images(|images| {
            let table = Arc::make_mut(&mut images.table);
            let bound = table.get(&handle).cloned().ok_or(ImageError::Unknown(handle))?;
            table.insert(address, bound);
            Ok(())
        })
    }
}
