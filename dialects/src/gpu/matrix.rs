//! Matrices that the lanes of a subgroup hold together.

use gpuc_ir::op;
use gpuc_ir::op::{
    AttrConstraint, AttrSyntax, EnumSpec, EnumStorage, TypeConstraint, attrs, types,
};
use gpuc_ir::{AttrKind, Context, Ir, Op, Type, TypeKind};

use crate::memref::{read, strided_layout, write};
use attrs::UNIT;
use types::{INDEX, same};

/// `!gpu.mma_matrix<16x8xf16, "AOp">`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MmaMatrix<'c> {
    /// Rows and columns.
    pub shape: [i64; 2],
    /// Name of the element type.
    pub element: &'c str,
    /// Which factor it is: `AOp`, `BOp`, or the sum's, `COp`.
    pub role: &'c str,
}

impl<'c> MmaMatrix<'c> {
    /// What a type says, if it is one of matrices.
    pub fn of(ctx: &'c Context, ty: Type) -> Option<Result<MmaMatrix<'c>, &'static str>> {
        let TypeKind::Dialect { dialect, text } = *ctx.type_kind(ty) else { return None };
        let text =
            ctx.str(text).strip_prefix("mma_matrix").filter(|_| ctx.str(dialect) == "gpu")?;
        Some(Self::parse(text.trim()))
    }

    fn parse(text: &'c str) -> Result<MmaMatrix<'c>, &'static str> {
        const FORM: &str = "expected a matrix type such as !gpu.mma_matrix<16x16xf16, \"AOp\">";
        let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).ok_or(FORM)?;
        let (matrix, role) = inner.split_once(',').ok_or(FORM)?;
        let mut parts: Vec<&str> = matrix.trim().split('x').collect();
        let element = parts.pop().unwrap_or_default();
        let extents: Vec<i64> = parts
            .iter()
            .map(|part| part.trim().parse().ok().filter(|&extent: &i64| extent > 0))
            .collect::<Option<_>>()
            .ok_or(FORM)?;
        let &[rows, columns] = &extents[..] else {
            return Err("MMAMatrixType must have exactly two dimensions");
        };
        let quoted = role.trim().strip_prefix('"').and_then(|role| role.strip_suffix('"'));
        let role = quoted.ok_or(FORM)?;
        if !["AOp", "BOp", "COp"].contains(&role) {
            return Err("operand expected to be one of AOp, BOp or COp");
        }
        if !["si8", "ui8", "i32", "f16", "f32"].contains(&element) {
            return Err("MMAMatrixType elements must be SI8, UI8, I32, F16, or F32");
        }
        Ok(MmaMatrix { shape: [rows, columns], element, role })
    }
}

/// The type's own rules are the verifiers': a type is kept as it is written.
fn matrix_of(ir: &Ir, ty: Type) -> Result<MmaMatrix<'_>, String> {
    match MmaMatrix::of(&ir.ctx, ty) {
        Some(matrix) => matrix.map_err(str::to_owned),
        None => Err(format!("expected a matrix, but got '{}'", ir.type_text(ty))),
    }
}

static MATRIX: TypeConstraint = TypeConstraint {
    summary: "MMAMatrix type",
    holds: |ctx, ty| MmaMatrix::of(ctx, ty).is_some(),
    build: None,
};

fn is_element(ctx: &Context, ty: Type) -> bool {
    let narrow = ctx.is_signless_int(ty) && matches!(ctx.int_width(ty), Some(8 | 32));
    narrow || ctx.float_kind(ty).is_some_and(|kind| matches!(kind.keyword(), "f16" | "f32"))
}

static MATRIX_MEMREF: TypeConstraint = TypeConstraint {
    summary: "memref of 8-bit signless integer or 32-bit signless integer or 16-bit float or 32-bit float or \
              vector of 8-bit signless integer or 32-bit signless integer or 16-bit float or 32-bit float \
              values of ranks 1 values",
    holds: |ctx, ty| {
        let Some(element) = ctx.element(ty).filter(|_| ctx.is_memref(ty)) else { return false };
        let row = ctx.is_vector(element) && ctx.shape(element).is_some_and(|s| s.len() == 1);
        is_element(ctx, element) || row && is_element(ctx, ctx.element_or_self(element))
    },
    build: None,
};

static MATRIX_ELEMENT: TypeConstraint = TypeConstraint {
    summary: "8-bit signed integer or 8-bit unsigned integer or 32-bit signless integer or 16-bit float or \
              32-bit float",
    holds: |ctx, ty| is_element(ctx, ty) || ctx.int_width(ty) == Some(8),
    build: None,
};

/// `#gpu<mma_element_wise ...>`: what is done with the elements of matrices.
pub static MATRIX_OPERATIONS: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "mma_element_wise",
    cases: &[
        ("addf", 0),
        ("mulf", 1),
        ("subf", 2),
        ("maxf", 3),
        ("minf", 4),
        ("divf", 5),
        ("addi", 6),
        ("muli", 7),
        ("subi", 8),
        ("divs", 9),
        ("divu", 10),
        ("negatef", 11),
        ("negates", 12),
        ("extf", 13),
    ],
    bits: false,
    storage: EnumStorage::Spaced,
};

static MATRIX_OPERATION: AttrConstraint = AttrConstraint {
    summary: "elementwise operation to apply to mma matrix",
    holds: |ctx, attr| MATRIX_OPERATIONS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&MATRIX_OPERATIONS),
};

static DIMENSION: AttrConstraint = AttrConstraint {
    summary: "index attribute",
    holds: |ctx, attr| matches!(*ctx.attr_kind(attr), AttrKind::Integer { ty, .. } if ctx.is_index(ty)),
    syntax: AttrSyntax::Full,
};

op! {
    /// Loads a matrix whose rows are `leadDimension` elements apart, or its columns if it is transposed.
    SubgroupMmaLoadMatrixOp = "gpu.subgroup_mma_load_matrix" {
        operands { srcMemref: One MATRIX_MEMREF, indices: Variadic INDEX }
        results { res: One MATRIX }
        attrs { leadDimension: Required DIMENSION, transpose: Optional UNIT }
        format "$srcMemref `[` $indices `]` attr-dict `:` type($srcMemref) `->` type($res)"
        hooks {
            verify: Some(verify_load),
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Stores a matrix of sums; the other way round than `gpu.subgroup_mma_load_matrix`.
    SubgroupMmaStoreMatrixOp = "gpu.subgroup_mma_store_matrix" {
        operands { src: One MATRIX, dstMemref: One MATRIX_MEMREF, indices: Variadic INDEX }
        attrs { leadDimension: Required DIMENSION, transpose: Optional UNIT }
        format "$src `,` $dstMemref `[` $indices `]` attr-dict `:` type($src) `,` type($dstMemref)"
        hooks {
            verify: Some(verify_store),
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 1))),
        }
    }
}

op! {
    /// The product of two matrices and the sum of it and a third.
    SubgroupMmaComputeOp = "gpu.subgroup_mma_compute" {
        operands { opA: One MATRIX, opB: One MATRIX, opC: One MATRIX }
        results { res: One MATRIX }
        attrs { a_transpose: Optional UNIT, b_transpose: Optional UNIT }
        traits PURE
        types { opC = same(res) "all of {opC, res} have same type", res = same(opC) "all of {opC, res} have same type" }
        format "$opA `,` $opB `,` $opC attr-dict `:` type($opA) `,` type($opB) `->` type($res)"
        hooks { verify: Some(verify_compute) }
    }
}

op! {
    /// A matrix of which all elements are one number.
    SubgroupMmaConstantMatrixOp = "gpu.subgroup_mma_constant_matrix" {
        operands { value: One MATRIX_ELEMENT }
        results { res: One MATRIX }
        traits PURE
        types { value = element(res) "value type matches element type of mma_matrix" }
        format "$value attr-dict `:` type($res)"
        hooks { verify: Some(|ir, op| matrix_of(ir, ir.ty(ir.result(op, 0))).map(drop)) }
    }
}

op! {
    /// One operation on each element of one or two matrices.
    SubgroupMmaElementwiseOp = "gpu.subgroup_mma_elementwise" {
        operands { args: Variadic MATRIX }
        results { res: One MATRIX }
        attrs { opType: Required MATRIX_OPERATION }
        traits PURE
        format "` ` $opType $args attr-dict `:` functional-type($args, $res)"
        hooks { verify: Some(|ir, op| matrix_of(ir, ir.ty(ir.result(op, 0))).map(drop)) }
    }
}

/// The type of a matrix's elements.
fn element(ctx: &mut Context, ty: Type) -> Option<Type> {
    let matrix = MmaMatrix::of(ctx, ty)?.ok()?;
    Some(match matrix.element {
        "f16" => ctx.float(gpuc_ir::FloatKind::F16),
        "f32" => ctx.f32(),
        "i32" => ctx.i32(),
        "si8" => ctx.intern_type(TypeKind::Integer { width: 8, sign: gpuc_ir::Signedness::Signed }),
        _ => ctx.intern_type(TypeKind::Integer { width: 8, sign: gpuc_ir::Signedness::Unsigned }),
    })
}

/// Whether neighbours in the last dimension are neighbours in memory.
fn has_rows(ir: &Ir, ty: Type) -> bool {
    strided_layout(&ir.ctx, ty).is_some_and(|layout| layout.strides.last().is_none_or(|&s| s == 1))
}

fn verify_load(ir: &Ir, op: Op) -> Result<(), String> {
    let view = SubgroupMmaLoadMatrixOp(op);
    if !has_rows(ir, ir.ty(view.srcMemref(ir))) {
        return Err("expected source memref most minor dim must have unit stride".into());
    }
    matrix_of(ir, ir.ty(view.res(ir))).map(drop)
}

fn verify_store(ir: &Ir, op: Op) -> Result<(), String> {
    let view = SubgroupMmaStoreMatrixOp(op);
    if !has_rows(ir, ir.ty(view.dstMemref(ir))) {
        return Err("expected destination memref most minor dim must have unit stride".into());
    }
    match matrix_of(ir, ir.ty(view.src(ir)))?.role {
        "COp" => Ok(()),
        _ => Err("expected the operand matrix being stored to have 'COp' operand type".into()),
    }
}

fn verify_compute(ir: &Ir, op: Op) -> Result<(), String> {
    let matrix = |i: usize| matrix_of(ir, ir.ty(ir.operand(op, i)));
    let (a, b, c) = (matrix(0)?, matrix(1)?, matrix(2)?);
    if (a.role, b.role, c.role) != ("AOp", "BOp", "COp") {
        return Err("operands must be in the order AOp, BOp, COp".into());
    }
    let fits = a.shape[1] == b.shape[0] && c.shape == [a.shape[0], b.shape[1]];
    if fits { Ok(()) } else { Err("operand shapes do not satisfy matmul constraints".into()) }
}
