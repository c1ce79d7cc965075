//! Types of the builtin dialect.

use gpuc_ir::text::parse_type;
use gpuc_ir::{FloatKind, Signedness, Type, TypeKind};

use super::ty as code;
use crate::bytes::{Cursor, Damage, Result};
use crate::read::Reader;
use crate::write::{Encoded, Piece, Table};

/// Formats that have a code.
const FLOATS: [(u64, FloatKind); 6] = [
    (code::BF16, FloatKind::BF16),
    (code::F16, FloatKind::F16),
    (code::F32, FloatKind::F32),
    (code::F64, FloatKind::F64),
    (code::F80, FloatKind::F80),
    (code::F128, FloatKind::F128),
];

impl<'f> Reader<'_, 'f> {
    /// A type of the builtin dialect.
    pub(crate) fn builtin_type(&mut self, cursor: &mut Cursor<'f>) -> Result<Type> {
        let at = cursor.at();
        let code = cursor.number()?;
        let kind = match code {
            code::INTEGER => {
                let number = cursor.number()?;
                let sign = match number & 3 {
                    0 => Signedness::Signless,
                    1 => Signedness::Signed,
                    2 => Signedness::Unsigned,
                    _ => return Err(Damage::new(at, "an integer is neither signed nor unsigned")),
                };
                let width = u32::try_from(number >> 2)
                    .map_err(|_| Damage::new(at, "an integer has too many bits"))?;
                TypeKind::Integer { width, sign }
            }
            code::INDEX => TypeKind::Index,
            code::FUNCTION => {
                TypeKind::Function { inputs: self.types(cursor)?, results: self.types(cursor)? }
            }
            code::COMPLEX => TypeKind::Complex(self.ty(cursor)?),
            code::MEMREF | code::MEMREF_IN_SPACE => {
                let space = match code {
                    code::MEMREF_IN_SPACE => Some(self.attr(cursor)?),
                    _ => None,
                };
                let (shape, element) = (shape(cursor)?, self.ty(cursor)?);
                let layout = Some(self.attr(cursor)?);
                // The identity is no layout.
                let ty = self.ir.ctx.memref_in(&shape, element, layout, space);
                return self.as_text_has_it(at, ty);
            }
            code::NONE => TypeKind::None,
            code::TENSOR => TypeKind::Tensor {
                shape: shape(cursor)?,
                element: self.ty(cursor)?,
                encoding: None,
            },
            code::ENCODED_TENSOR => {
                let encoding = Some(self.attr(cursor)?);
                TypeKind::Tensor { shape: shape(cursor)?, element: self.ty(cursor)?, encoding }
            }
            code::TUPLE => TypeKind::Tuple(self.types(cursor)?),
            code::UNRANKED_MEMREF => {
                TypeKind::UnrankedMemRef { element: self.ty(cursor)?, space: None }
            }
            code::UNRANKED_MEMREF_IN_SPACE => {
                let space = Some(self.attr(cursor)?);
                TypeKind::UnrankedMemRef { element: self.ty(cursor)?, space }
            }
            code::UNRANKED_TENSOR => TypeKind::UnrankedTensor(self.ty(cursor)?),
            code::VECTOR => {
                let shape = shape(cursor)?;
                let scalable = vec![false; shape.len()].into();
                TypeKind::Vector { shape, scalable, element: self.ty(cursor)? }
            }
            code::SCALABLE_VECTOR => {
                let count = cursor.count()?;
                let flags = cursor.bytes(count as u64)?;
                let scalable = flags.iter().map(|&byte| byte != 0).collect();
                let shape = shape(cursor)?;
                if shape.len() != count {
                    return Err(Damage::new(at, "a vector has not as many flags as dimensions"));
                }
                TypeKind::Vector { shape, scalable, element: self.ty(cursor)? }
            }
            _ => match FLOATS.iter().find(|float| float.0 == code) {
                Some(&(_, kind)) => TypeKind::Float(kind),
                None => return Err(Damage::new(at, format!("builtin has no type {code}"))),
            },
        };
        let ty = self.ir.ctx.intern_type(kind);
        self.as_text_has_it(at, ty)
    }

    /// Numbers can say types that there are not, like vectors of functions; texts cannot.
    fn as_text_has_it(&mut self, at: usize, ty: Type) -> Result<Type> {
        let text = self.ir.ctx.type_text(ty);
        parse_type(self.ir, &text).map_err(|error| Damage::new(at, error.message))
    }

    fn types(&mut self, cursor: &mut Cursor<'f>) -> Result<Box<[Type]>> {
        (0..cursor.count()?).map(|_| self.ty(cursor)).collect()
    }
}

fn shape(cursor: &mut Cursor<'_>) -> Result<Box<[i64]>> {
    (0..cursor.count()?).map(|_| cursor.signed()).collect()
}

impl Table<'_> {
    /// A type of the builtin dialect; `None` for one that has no code.
    pub(crate) fn builtin_type(&mut self, kind: &TypeKind) -> Option<Encoded> {
        let mut out = Encoded::new();
        match kind {
            &TypeKind::Integer { width, sign } => {
                let sign = match sign {
                    Signedness::Signless => 0,
                    Signedness::Signed => 1,
                    Signedness::Unsigned => 2,
                };
                out.code(code::INTEGER).number(u64::from(width) << 2 | sign);
            }
            TypeKind::Index => {
                out.code(code::INDEX);
            }
            TypeKind::None => {
                out.code(code::NONE);
            }
            TypeKind::Float(kind) => {
                let float = FLOATS.iter().find(|float| float.1 == *kind)?;
                out.code(float.0);
            }
            &TypeKind::Complex(element) => {
                out.code(code::COMPLEX).piece(self.ty(element));
            }
            TypeKind::Tuple(elements) => {
                out.code(code::TUPLE);
                self.types(&mut out, elements);
            }
            TypeKind::Function { inputs, results } => {
                out.code(code::FUNCTION);
                self.types(&mut out, inputs);
                self.types(&mut out, results);
            }
            TypeKind::Vector { shape, scalable, element } => {
                if scalable.contains(&true) {
                    out.code(code::SCALABLE_VECTOR).number(scalable.len() as u64);
                    scalable.iter().for_each(|&flag| out.byte(flag.into()));
                } else {
                    out.code(code::VECTOR);
                }
                out.shape(shape).piece(self.ty(*element));
            }
            TypeKind::Tensor { shape, element, encoding } => {
                match *encoding {
                    Some(encoding) => out.code(code::ENCODED_TENSOR).piece(self.attr(encoding)),
                    None => out.code(code::TENSOR),
                };
                out.shape(shape).piece(self.ty(*element));
            }
            &TypeKind::UnrankedTensor(element) => {
                out.code(code::UNRANKED_TENSOR).piece(self.ty(element));
            }
            TypeKind::MemRef { shape, element, layout, space } => {
                match *space {
                    Some(space) => out.code(code::MEMREF_IN_SPACE).piece(self.attr(space)),
                    None => out.code(code::MEMREF),
                };
                let layout = match *layout {
                    Some(layout) => self.attr(layout),
                    None => self.identity_map(shape.len()),
                };
                out.shape(shape).piece(self.ty(*element)).piece(layout);
            }
            &TypeKind::UnrankedMemRef { element, space } => {
                match space {
                    Some(space) => out.code(code::UNRANKED_MEMREF_IN_SPACE).piece(self.attr(space)),
                    None => out.code(code::UNRANKED_MEMREF),
                };
                out.piece(self.ty(element));
            }
            TypeKind::Dialect { .. } => return None,
        }
        Some(out)
    }

    fn types(&mut self, out: &mut Encoded, types: &[Type]) {
        out.number(types.len() as u64);
        for &ty in types {
            let piece = self.ty(ty);
            out.piece(piece);
        }
    }

    /// The layout of a memref that says nothing of one.
    fn identity_map(&mut self, rank: usize) -> Piece {
        let dims: Vec<String> = (0..rank).map(|dim| format!("d{dim}")).collect();
        let dims = dims.join(", ");
        self.text_attr("builtin", format!("affine_map<({dims}) -> ({dims})>"))
    }
}

impl Encoded {
    fn shape(&mut self, shape: &[i64]) -> &mut Self {
        self.number(shape.len() as u64);
        shape.iter().for_each(|&extent| self.signed(extent));
        self
    }
}
