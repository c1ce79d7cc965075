//! Sparse matrices on the device: handles of the vendor's library, and what it does with them.

use gpuc_ir::op::{
    AttrConstraint, AttrSyntax, EnumSpec, EnumStorage, TypeConstraint, attrs, types,
};
use gpuc_ir::{Attr, Context, Ir, Op, Type, TypeKind, op};

use super::attributes::{ASYNC_TOKEN, is_async_token};
use super::syntax::ASYNC_DEPENDENCIES;
use attrs::TYPE;
use types::{INDEX, MEMREF};

/// `#gpu<mat_transpose_mode ...>`: how a matrix is read.
pub static TRANSPOSE_MODES: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "mat_transpose_mode",
    cases: &[("NON_TRANSPOSE", 0), ("TRANSPOSE", 1), ("CONJUGATE_TRANSPOSE", 2)],
    bits: false,
    storage: EnumStorage::Spaced,
};

/// `#gpu<prune_2to4_spmat_flag ...>`: how two of four elements are chosen.
pub static PRUNE_FLAGS: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "prune_2to4_spmat_flag",
    cases: &[("NONE", 0), ("PRUNE_ONLY", 1), ("PRUNE_AND_CHECK", 2)],
    bits: false,
    storage: EnumStorage::Spaced,
};

/// `#gpu<spgemm_work_estimation_or_compute_kind ...>`: which step of a sparse product.
pub static SPGEMM_STEPS: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "spgemm_work_estimation_or_compute_kind",
    cases: &[("WORK_ESTIMATION", 0), ("COMPUTE", 1)],
    bits: false,
    storage: EnumStorage::Spaced,
};

static TRANSPOSE_MODE: AttrConstraint = AttrConstraint {
    summary: "transpose mode of sparse matrix supported by sparse tensor ops",
    holds: |ctx, attr| TRANSPOSE_MODES.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&TRANSPOSE_MODES),
};

static PRUNE_FLAG: AttrConstraint = AttrConstraint {
    summary: "pruning strategy for 2:4 sparse matrix",
    holds: |ctx, attr| PRUNE_FLAGS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&PRUNE_FLAGS),
};

static SPGEMM_STEP: AttrConstraint = AttrConstraint {
    summary: "choose whether spgemm_work_estimation_or_compute does work estimation or compute",
    holds: |ctx, attr| SPGEMM_STEPS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&SPGEMM_STEPS),
};

fn not_transposed(ctx: &mut Context) -> Attr {
    TRANSPOSE_MODES.attr(ctx, 0)
}

fn is_handle(ctx: &Context, ty: Type, name: &str) -> bool {
    matches!(*ctx.type_kind(ty), TypeKind::Dialect { dialect, text }
        if ctx.str(dialect) == "gpu" && ctx.str(text) == name)
}

/// `!gpu.sparse.spmat_handle`.
static SPARSE: TypeConstraint = TypeConstraint {
    summary: "sparse matrix handle type",
    holds: |ctx, ty| is_handle(ctx, ty, "sparse.spmat_handle"),
    build: Some(|ctx| ctx.dialect_type("gpu", "sparse.spmat_handle")),
};

/// `!gpu.sparse.dntensor_handle`.
static DENSE: TypeConstraint = TypeConstraint {
    summary: "dense tensor handle type",
    holds: |ctx, ty| is_handle(ctx, ty, "sparse.dntensor_handle"),
    build: Some(|ctx| ctx.dialect_type("gpu", "sparse.dntensor_handle")),
};

/// `!gpu.sparse.spgemmop_handle`.
static PRODUCT: TypeConstraint = TypeConstraint {
    summary: "SpGEMM operation handle type",
    holds: |ctx, ty| is_handle(ctx, ty, "sparse.spgemmop_handle"),
    build: Some(|ctx| ctx.dialect_type("gpu", "sparse.spgemmop_handle")),
};

/// Results are called as the declaration calls them, if there are others than the token.
fn result_name(ir: &Ir, op: Op, index: usize) -> Option<String> {
    let def = ir.def(op).filter(|def| def.results.len() > 1)?;
    let is_token = is_async_token(&ir.ctx, ir.ty(ir.result(op, index)));
    let spec = if is_token { def.results.last() } else { def.results.get(index) };
    // More than there are names for are the buffers of one name.
    Some(spec.or(def.results.first()).map_or("bufferSzs", |spec| spec.name).to_owned())
}

/// An operation that waits for tokens and may give one.
macro_rules! sparse {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal
        ($($operand:ident : $oarity:ident $oconstraint:ident),*)
        -> ($($result:ident : $rarity:ident $rconstraint:ident),*)
        [$($attr:ident : $presence:ident $(($default:ident))? $aconstraint:ident),*]
        $(traits $trait:ident)? $format:literal)*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { asyncDependencies: Variadic ASYNC_TOKEN $(, $operand: $oarity $oconstraint)* }
                results { $($result: $rarity $rconstraint,)* asyncToken: Optional ASYNC_TOKEN }
                attrs { $($attr: $presence $(($default))? $aconstraint),* }
                $(traits $trait)?
                format $format
                hooks { custom: &[ASYNC_DEPENDENCIES], result_name: Some(result_name) }
            }
        }
    )*};
}

sparse! {
    /// A dense tensor with the given extents over a buffer.
    CreateDnTensorOp = "gpu.create_dn_tensor"
        (memref: One MEMREF, dims: Variadic INDEX)
        -> (dnTensor: One DENSE) [] traits ATTR_SIZED_OPERANDS
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $memref `,` $dims attr-dict `:` type($dims) `into` type($memref)"

    /// Gives up a dense tensor.
    DestroyDnTensorOp = "gpu.destroy_dn_tensor"
        (dnTensor: One DENSE)
        -> () []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $dnTensor attr-dict"

    /// A sparse matrix of coordinates: rows and columns apart.
    CreateCooOp = "gpu.create_coo"
        (rows: One INDEX, cols: One INDEX, nnz: One INDEX, rowIdxs: One MEMREF, colIdxs: One MEMREF, values: One MEMREF)
        -> (spmat: One SPARSE) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $rows `,` $cols `,` $nnz `,` $rowIdxs `,` $colIdxs `,` $values attr-dict `:` type($rowIdxs) `,` type($colIdxs) `,` type($values)"

    /// A sparse matrix of coordinates: row and column beside each other.
    CreateCooAoSOp = "gpu.create_coo_aos"
        (rows: One INDEX, cols: One INDEX, nnz: One INDEX, idxs: One MEMREF, values: One MEMREF)
        -> (spmat: One SPARSE) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $rows `,` $cols `,` $nnz `,` $idxs `,` $values attr-dict `:` type($idxs) `,` type($values)"

    /// A sparse matrix of compressed rows.
    CreateCsrOp = "gpu.create_csr"
        (rows: One INDEX, cols: One INDEX, nnz: One INDEX, rowPos: One MEMREF, colIdxs: One MEMREF, values: One MEMREF)
        -> (spmat: One SPARSE) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $rows `,` $cols `,` $nnz `,` $rowPos `,` $colIdxs `,` $values attr-dict `:` type($rowPos) `,` type($colIdxs) `,` type($values)"

    /// A sparse matrix of compressed columns.
    CreateCscOp = "gpu.create_csc"
        (rows: One INDEX, cols: One INDEX, nnz: One INDEX, colPos: One MEMREF, rowIdxs: One MEMREF, values: One MEMREF)
        -> (spmat: One SPARSE) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $rows `,` $cols `,` $nnz `,` $colPos `,` $rowIdxs `,` $values attr-dict `:` type($colPos) `,` type($rowIdxs) `,` type($values)"

    /// A sparse matrix of compressed rows of blocks.
    CreateBsrOp = "gpu.create_bsr"
        (brows: One INDEX, bcols: One INDEX, bnnz: One INDEX, rBlockSize: One INDEX, cBlockSize: One INDEX, bRowPos: One MEMREF, bColIdxs: One MEMREF, values: One MEMREF)
        -> (spmat: One SPARSE) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $brows `,` $bcols `,` $bnnz `,` $rBlockSize `,` $cBlockSize `,` $bRowPos `,` $bColIdxs `,` $values attr-dict `:` type($bRowPos) `,` type($bColIdxs) `,` type($values)"

    /// A matrix with two of each four elements, as matrix units read it.
    Create2To4SpMatOp = "gpu.create_2to4_spmat"
        (rows: One INDEX, cols: One INDEX, memref: One MEMREF)
        -> (spMat: One SPARSE) [pruneFlag: Required PRUNE_FLAG]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) `{` ` ` `` $pruneFlag `}` $rows `,` $cols `,` $memref attr-dict `:` type($memref)"

    /// Gives up a sparse matrix.
    DestroySpMatOp = "gpu.destroy_sp_mat"
        (spmat: One SPARSE)
        -> () []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmat attr-dict"

    /// Bytes that a product of matrix and vector needs.
    SpMVBufferSizeOp = "gpu.spmv_buffer_size"
        (spmatA: One SPARSE, dnX: One DENSE, dnY: One DENSE)
        -> (bufferSz: One INDEX) [modeA: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmatA (`{` ` ` `` $modeA^ `}`)? `,` $dnX `,` $dnY attr-dict `into` $computeType"

    /// The product of a sparse matrix and a vector.
    SpMVOp = "gpu.spmv"
        (spmatA: One SPARSE, dnX: One DENSE, dnY: One DENSE, buffer: One MEMREF)
        -> () [modeA: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmatA (`{` ` ` `` $modeA^ `}`)? `,` $dnX `,` $dnY `,` $buffer attr-dict `:` type($buffer) `into` $computeType"

    /// Bytes that a product of a sparse and a dense matrix needs.
    SpMMBufferSizeOp = "gpu.spmm_buffer_size"
        (spmatA: One SPARSE, dnmatB: One DENSE, dnmatC: One DENSE)
        -> (bufferSzs: Variadic INDEX) [modeA: Default(not_transposed) TRANSPOSE_MODE, modeB: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE] traits ATTR_SIZED_RESULTS
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmatA (`{` ` ` `` $modeA^ `}`)? `,` $dnmatB (`{` ` ` `` $modeB^ `}`)? `,` $dnmatC attr-dict `:` type($bufferSzs) `into` $computeType"

    /// The product of a sparse and a dense matrix.
    SpMMOp = "gpu.spmm"
        (spmatA: One SPARSE, dnmatB: One DENSE, dnmatC: One DENSE, buffers: Variadic MEMREF)
        -> () [modeA: Default(not_transposed) TRANSPOSE_MODE, modeB: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE] traits ATTR_SIZED_OPERANDS
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmatA (`{` ` ` `` $modeA^ `}`)? `,` $dnmatB (`{` ` ` `` $modeB^ `}`)? `,` $dnmatC `,` $buffers attr-dict `:` type($buffers) `into` $computeType"

    /// Bytes that a sampled product of dense matrices needs.
    SDDMMBufferSizeOp = "gpu.sddmm_buffer_size"
        (dnmatA: One DENSE, dnmatB: One DENSE, spmatC: One SPARSE)
        -> (bufferSz: One INDEX) [modeA: Default(not_transposed) TRANSPOSE_MODE, modeB: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $dnmatA (`{` ` ` `` $modeA^ `}`)? `,` $dnmatB (`{` ` ` `` $modeB^ `}`)? `,` $spmatC attr-dict `into` $computeType"

    /// The product of dense matrices where a sparse one has elements.
    SDDMMOp = "gpu.sddmm"
        (dnmatA: One DENSE, dnmatB: One DENSE, spmatC: One SPARSE, buffer: One MEMREF)
        -> () [modeA: Default(not_transposed) TRANSPOSE_MODE, modeB: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $dnmatA (`{` ` ` `` $modeA^ `}`)? `,` $dnmatB (`{` ` ` `` $modeB^ `}`)? `,` $spmatC `,` $buffer attr-dict `:` type($buffer) `into` $computeType"

    /// What a product of sparse matrices keeps between its steps.
    SpGEMMCreateDescrOp = "gpu.spgemm_create_descr"
        ()
        -> (desc: One PRODUCT) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) attr-dict"

    /// Gives that up.
    SpGEMMDestroyDescrOp = "gpu.spgemm_destroy_descr"
        (desc: One PRODUCT)
        -> () []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $desc attr-dict"

    /// One of the two steps of a product of sparse matrices, or how many bytes it needs.
    SpGEMMWorkEstimationOrComputeOp = "gpu.spgemm_work_estimation_or_compute"
        (desc: One PRODUCT, spmatA: One SPARSE, spmatB: One SPARSE, spmatC: One SPARSE, bufferSz: One INDEX, buffer: One MEMREF)
        -> (bufferSzNew: One INDEX) [modeA: Default(not_transposed) TRANSPOSE_MODE, modeB: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE, kind: Required SPGEMM_STEP]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) `{` ` ` `` $kind `}` $spmatA (`{` ` ` `` $modeA^ `}`)? `,` $spmatB (`{` ` ` `` $modeB^ `}`)? `,` $spmatC `,` $desc `,` $bufferSz `,` $buffer attr-dict `:` $computeType `into` type($buffer)"

    /// Copies a product of sparse matrices to its matrix.
    SpGEMMCopyOp = "gpu.spgemm_copy"
        (desc: One PRODUCT, spmatA: One SPARSE, spmatB: One SPARSE, spmatC: One SPARSE)
        -> () [modeA: Default(not_transposed) TRANSPOSE_MODE, modeB: Default(not_transposed) TRANSPOSE_MODE, computeType: Required TYPE]
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmatA (`{` ` ` `` $modeA^ `}`)? `,` $spmatB (`{` ` ` `` $modeB^ `}`)? `,` $spmatC `,` $desc attr-dict `:` $computeType"

    /// Extents and number of elements of a sparse matrix.
    SpMatGetSizeOp = "gpu.spmat_get_size"
        (spmat: One SPARSE)
        -> (rows: One INDEX, cols: One INDEX, nnz: One INDEX) []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmat attr-dict"

    /// Gives a sparse matrix of compressed rows its buffers.
    SetCsrPointersOp = "gpu.set_csr_pointers"
        (spmat: One SPARSE, positions: One MEMREF, coordinates: One MEMREF, values: One MEMREF)
        -> () []
        "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $spmat `,` $positions `,` $coordinates `,` $values attr-dict `:` type($positions) `,` type($coordinates) `,` type($values)"
}
