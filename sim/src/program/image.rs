//! Operations on textures and surfaces.

use crate::isa::Type;

use super::{AtomicOp, AtomicType};

/// The form of an image and of the coordinates in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Axes: 1 to 3.
    pub(crate) axes: u8,
    /// The first coordinate is a layer.
    pub(crate) layered: bool,
    /// The three coordinates are a direction.
    pub(crate) cube: bool,
}

impl Geometry {
    /// The geometry of a modifier (`a2d`, `cube`).
    pub(crate) fn by_name(name: &str) -> Geometry {
        let layered = name.starts_with('a');
        let cube = name.ends_with("cube");
        let digit = name.trim_start_matches('a').as_bytes().first();
        let axes = digit.filter(|digit| digit.is_ascii_digit()).map_or(3, |digit| digit - b'0');
        Geometry { axes, layered, cube }
    }

    /// Coordinates that mean something.
    pub(crate) fn coordinates(self) -> u8 {
        self.axes + u8::from(self.layered)
    }
}

/// Which level of a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MipmapLevel {
    Base,
    /// Given by an operand.
    Given,
    /// From the derivatives of the coordinates.
    Gradient,
}

/// What is asked of a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageQuery {
    /// Extent along an axis.
    Extent(u8),
    Layers,
    Levels,
    Samples,
    ChannelType,
    ChannelOrder,
    NormalizedCoordinates,
    UnnormalizedCoordinates,
    Filter,
    Address(u8),
    /// Whether it is a texture, or a surface: the result is a predicate.
    IsTexture,
    IsSurface,
    IsSampler,
}

/// What a surface does with a place outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    Clamp,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageOp {
    Sample {
        level: MipmapLevel,
        offset: bool,
    },
    /// One channel of the four texels that interpolation would take.
    Gather {
        channel: u8,
        offset: bool,
    },
    Query {
        query: ImageQuery,
        level: bool,
    },
    /// Elements of so many bytes, by the byte in x.
    Load {
        bytes: u8,
        outside: Outside,
    },
    Store {
        bytes: u8,
        outside: Outside,
    },
    /// A texel in the surface's own format.
    StoreFormatted {
        outside: Outside,
    },
    /// By the byte in x, or by the texel.
    Reduce {
        op: AtomicOp,
        ty: AtomicType,
        outside: Outside,
        formatted: bool,
    },
}

/// An operation on the texture or surface of handle `src[0]`. Its list holds rows of results,
/// coordinates and other operands, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageAccess {
    pub(crate) op: ImageOp,
    pub(crate) geometry: Geometry,
    /// Coordinates are integers.
    pub(crate) integer: bool,
    /// What a result is.
    pub(crate) ty: Type,
    pub(crate) results: u8,
    pub(crate) coordinates: u8,
}
