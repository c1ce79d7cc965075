//! Operations and the types and modes they come in.

use crate::isa::Type;

use super::List;
use super::matrix::{Matrix, Multiply, Tile};
use super::video::{Video, VideoMad, VideoSimd};

/// Lane type of integer operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntType {
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
}

impl IntType {
    /// Bit types compute as unsigned ones.
    pub(crate) fn of(ty: Type) -> IntType {
        match (ty.bits(), ty.is_signed()) {
            (64, true) => IntType::S64,
            (64, false) => IntType::U64,
            (32, true) => IntType::S32,
            (16, true) => IntType::S16,
            (16, false) => IntType::U16,
            _ => IntType::U32,
        }
    }
}

/// Lane type of floating-point operations; `x2` are two in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatType {
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    F32,
    F32x2,
    F64,
}

impl FloatType {
    pub(crate) fn of(ty: Type) -> FloatType {
        match ty {
            Type::F16 => FloatType::F16,
            Type::Bf16 => FloatType::Bf16,
            Type::F16x2 => FloatType::F16x2,
            Type::Bf16x2 => FloatType::Bf16x2,
            Type::F32x2 => FloatType::F32x2,
            Type::F64 => FloatType::F64,
            _ => FloatType::F32,
        }
    }
}

/// Rounding of a result that is not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    NearestEven,
    NearestAway,
    Zero,
    Down,
    Up,
}

/// Modifiers of a floating-point operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatMode {
    pub(crate) rounding: Rounding,
    /// Subnormal inputs and results become zero.
    pub(crate) ftz: bool,
    /// The result is clamped to `[0, 1]`, NaN to 0.
    pub(crate) sat: bool,
    /// The result is clamped to `[0, ∞)`.
    pub(crate) relu: bool,
    /// `min` and `max` return NaN if an input is NaN.
    pub(crate) nan: bool,
}

impl FloatMode {
    pub(crate) const PLAIN: FloatMode = FloatMode {
        rounding: Rounding::NearestEven,
        ftz: false,
        sat: false,
        relu: false,
        nan: false,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntBinary {
    Add,
    AddSat,
    Sub,
    SubSat,
    MulLo,
    MulHi,
    Mul24Lo,
    Mul24Hi,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntUnary {
    Abs,
    Neg,
    Not,
    Cnot,
    Brev,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntTernary {
    MadLo,
    MadHi,
    MadHiSat,
    Mad24HiSat,
    Mad24Lo,
    Mad24Hi,
    Sad,
}

/// Operations with the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHi,
}

/// Operations with a 32-bit count as result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitOp {
    Popc,
    Clz,
    Bfind,
    BfindShift,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatBinary {
    Add,
    Sub,
    Mul,
    Div,
    /// Division by way of a reciprocal that is zero for the largest divisors.
    DivApprox,
    Min,
    Max,
    CopySign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatUnary {
    Abs,
    Neg,
    Rcp,
    /// The upper word of a double's reciprocal, the lower one zero.
    RcpHigh,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatTest {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

impl FloatTest {
    /// The test that a modifier of `testp` names.
    pub(crate) fn of(word: &str) -> FloatTest {
        match word {
            "finite" => FloatTest::Finite,
            "infinite" => FloatTest::Infinite,
            "number" => FloatTest::Number,
            "normal" => FloatTest::Normal,
            "subnormal" => FloatTest::Subnormal,
            _ => FloatTest::NotANumber,
        }
    }
}

/// Arithmetic on two integers of 16 bits in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedInt {
    pub(crate) op: PackedOp,
    pub(crate) signed: bool,
    pub(crate) relu: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackedOp {
    Add,
    Min,
    Max,
}

/// `min` and `max` of single precision beyond the plain ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extremum {
    pub(crate) max: bool,
    /// Operands: 2 or 3.
    pub(crate) count: u8,
    pub(crate) ftz: bool,
    /// NaN if an operand is NaN.
    pub(crate) nan: bool,
    /// Of absolute values.
    pub(crate) abs: bool,
    /// With the product of the operands' signs.
    pub(crate) xorsign: bool,
    pub(crate) ty: FloatType,
}

/// Comparisons; for floats `unordered` says whether NaN makes it true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Both are numbers.
    Num,
    /// One is not a number.
    Nan,
}

/// What is compared, as which type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Int(Cmp, IntType),
    Float { cmp: Cmp, unordered: bool, ty: FloatType, ftz: bool },
}

/// How a comparison is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    None,
    And,
    Or,
    Xor,
}

/// Where a memory operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemorySpace {
    /// Found out from the address, lane by lane.
    Generic,
    Global,
    Shared,
    Local,
    /// Parameters of the kernel.
    Param,
}

/// Shape of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessShape {
    pub(crate) space: MemorySpace,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(crate) bytes: u8,
    /// Elements: 1, 2, 4 or 8.
    pub(crate) count: u8,
    /// Loaded elements are sign-extended to the register.
    pub(crate) signed: bool,
    /// Registers have 64-bit lanes.
    pub(crate) wide: bool,
    /// The address register has 32-bit lanes.
    pub(crate) narrow_address: bool,
    /// Other threads may write it meanwhile: a loop around it may wait for them.
    pub(crate) strong: bool,
    /// Publishes what the thread did before (`.release`).
    pub(crate) releases: bool,
}

impl AccessShape {
    /// Bytes of all elements together.
    pub(crate) fn width(self) -> u32 {
        u32::from(self.bytes) * u32::from(self.count)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
}

/// Type of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicType {
    B16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
    Half(FloatType),
}

impl AtomicType {
    /// Bytes in memory.
    pub(crate) fn bytes(self) -> u8 {
        match self {
            AtomicType::B16 | AtomicType::Half(FloatType::F16 | FloatType::Bf16) => 2,
            AtomicType::U64 | AtomicType::S64 | AtomicType::F64 => 8,
            _ => 4,
        }
    }

    /// Whether it is one of floating-point numbers.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, AtomicType::F32 | AtomicType::F64 | AtomicType::Half(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteOp {
    All,
    Any,
    Uni,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReduxOp {
    Add,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
}

/// What waiting threads get from a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    And,
    Or,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Convert {
    pub(crate) from: Type,
    pub(crate) to: Type,
    pub(crate) rounding: Rounding,
    /// Round to an integral value (`.rni` and so on).
    pub(crate) integral: bool,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    pub(crate) relu: bool,
    /// Register lanes are 64 bits wide: source, destination.
    pub(crate) wide: [bool; 2],
}

/// A conversion to or from formats that only conversions and matrices know: tf32, fp8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConvertNarrow {
    pub(crate) from: Type,
    pub(crate) to: Type,
    pub(crate) rounding: Rounding,
    pub(crate) relu: bool,
    /// Infinities and what is too large become the largest finite number.
    pub(crate) satfinite: bool,
}

/// Special registers that are not constant during a warp's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Low,
    High,
    Full,
}

/// An operation. Operands stand in [`Inst`](super::Inst): `dst` and `src` in the order of the PTX syntax.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Nop,
    // Control. Targets are instruction numbers.
    /// A point where lanes reconverge.
    Join,
    Branch {
        target: u32,
        reconverge: u32,
    },
    /// `imm` is an index into [`Code::tables`](super::Code::tables).
    BranchTable {
        reconverge: u32,
    },
    /// Calls a function of [`Code::functions`]. Within a recursion the registers of the caller, the
    /// function `saved`, are kept until the return; otherwise `saved` is [`NOWHERE`].
    ///
    /// [`Code::functions`]: super::Code::functions
    /// [`NOWHERE`]: super::NOWHERE
    Call {
        function: u32,
        saved: u32,
    },
    /// Calls the function at the address in `src[0]`.
    CallIndirect {
        saved: u32,
    },
    Return,
    /// Takes `src[1]` (64-bit lanes) or else `imm` bytes from the stack, whose pointer is `src[0]`;
    /// `dst` gets their address in local memory.
    Allocate {
        align: u32,
        sized: bool,
    },
    /// A function of the device's runtime system.
    System(SystemCall),
    /// Code that could not be lowered; `imm` is an index into [`Code::refusals`].
    ///
    /// [`Code::refusals`]: super::Code::refusals
    Refused,
    Exit,
    Trap,
    /// The other lanes and warps may go first.
    Yield,
    Fence,
    // Moves.
    Move32,
    Move64,
    MovePred,
    /// `dst` from `imm >> 8` registers of [`Code::lists`](super::Code::lists) at `imm & ..`: see [`List`].
    Pack {
        list: List,
        part_bits: u8,
    },
    Unpack {
        list: List,
        part_bits: u8,
    },
    ReadClock(Clock),
    // Integers.
    IntUnary(IntUnary, IntType),
    IntBinary(IntBinary, IntType),
    IntTernary(IntTernary, IntType),
    MulWide(IntType),
    MadWide(IntType),
    /// Operation, reads the carry, writes the carry, type.
    Carry(CarryOp, bool, bool, IntType),
    Shift {
        left: bool,
        ty: IntType,
    },
    Funnel {
        left: bool,
        wrap: bool,
    },
    BitCount(BitOp, IntType),
    Fns,
    Bfe(IntType),
    Bfi(IntType),
    Bmsk {
        wrap: bool,
    },
    Szext {
        wrap: bool,
        ty: IntType,
    },
    Dp4a {
        signed: [bool; 2],
    },
    Dp2a {
        high: bool,
        signed: [bool; 2],
    },
    /// The table is `imm`.
    Lop3,
    /// The same; predicate `dst2` is whether the result is not zero, combined with `src[3]`.
    Lop3Bool {
        or: bool,
    },
    /// Two integers of 16 bits in a register.
    PackedInt(PackedInt),
    /// `min.relu` and `max.relu`.
    IntRelu {
        max: bool,
    },
    /// Two integers saturated to a narrower type, put below the bits of `src[2]`.
    PackSaturated {
        bits: u8,
        signed: bool,
    },
    Video(Video),
    VideoMad(VideoMad),
    VideoSimd(VideoSimd),
    Prmt(PermuteMode),
    PredBinary(IntBinary),
    PredNot,
    // Floats.
    FloatUnary(FloatUnary, FloatType, FloatMode),
    FloatBinary(FloatBinary, FloatType, FloatMode),
    Fma(FloatType, FloatMode),
    /// The least or greatest of two or three numbers.
    Extremum(Extremum),
    Testp(FloatTest, bool),
    // Comparison and selection.
    /// Predicates `dst` and `dst2`; `src[2]` is the predicate to combine with.
    Setp(Compare, Combine),
    Set {
        compare: Compare,
        combine: Combine,
        /// What stands for true; in each half of the result where the operands are pairs.
        one: u32,
    },
    Selp {
        wide: bool,
    },
    /// An 8 by 8 matrix of halves that is spread over the warp, transposed (`movmatrix`).
    TransposeTile,
    Slct {
        wide: bool,
        float: bool,
        /// The third operand is flushed.
        ftz: bool,
    },
    // Conversions.
    Convert(Convert),
    /// Two floats into one register, first operand on top.
    ConvertPack {
        ty: FloatType,
        rounding: Rounding,
        relu: bool,
    },
    ConvertNarrow(ConvertNarrow),
    /// Adds `imm` to a 64-bit address (`cvta`).
    AddImmediate,
    IsSpace(MemorySpace),
    // Memory. The address is `src[0] + imm`.
    Load(AccessShape, List),
    Store(AccessShape, List),
    Atomic {
        op: AtomicOp,
        ty: AtomicType,
        space: MemorySpace,
        narrow_address: bool,
        result: bool,
        /// Publishes what the thread did before (`.release`, `.acq_rel`).
        releases: bool,
    },
    /// Exchange, or with `compare` compare and swap, of 128 bits.
    AtomicWide {
        space: MemorySpace,
        narrow_address: bool,
        compare: bool,
    },
    /// Copies `bytes` from global `src[1] + list` to shared `src[0] + imm`.
    CopyAsync {
        bytes: u8,
        narrow_address: bool,
        sized: bool,
    },
    // Warp.
    Shuffle {
        mode: ShuffleMode,
        predicate: bool,
    },
    Vote(VoteOp),
    MatchAny {
        wide: bool,
    },
    MatchAll {
        wide: bool,
        predicate: bool,
    },
    Redux(ReduxOp),
    ReduxFloat(Extremum),
    /// Matrices in the registers of a warp: rows of the result, of both factors, of the addend.
    Multiply(Multiply, List),
    /// `wmma.load` and `.store`: `src[0]` + `imm` is the address, `src[1]` the stride in elements.
    LoadMatrix(Matrix, List),
    StoreMatrix(Matrix, List),
    /// `ldmatrix` and `stmatrix`.
    LoadTiles(Tile, List),
    StoreTiles(Tile, List),
    /// A product of a warp group: rows of the result, then of the left factor.
    WarpGroupMultiply(super::WarpGroupMultiply, List),
    /// An operation on a texture or surface.
    Image(super::ImageAccess, List),
    /// An operation on a barrier in shared memory.
    MemoryBarrier(MemoryBarrier),
    /// Copies `src[2]` bytes from `src[1]` to `src[0]`, each an address in its space; with
    /// `multicast` to the same place in every block of the cluster that `src[3]` has a bit for.
    CopyBulk {
        to: MemorySpace,
        from: MemorySpace,
        multicast: bool,
    },
    /// The same, combining each element with what is there.
    ReduceBulk {
        to: MemorySpace,
        from: MemorySpace,
        op: AtomicOp,
        ty: AtomicType,
    },
    /// Clears `src[1]` bytes at the shared address `src[0]`.
    ClearBulk,
    /// `dst` is the shared address `src[0]` as block `src[1]` of the cluster has it.
    MapRank {
        wide: bool,
    },
    /// `dst` is the rank of the block that the shared address `src[0]` belongs to.
    RankOf {
        wide: bool,
    },
    ActiveMask,
    Elect,
    WarpSync,
    // Block.
    Barrier {
        kind: BarrierKind,
        aligned: bool,
        counted: bool,
    },
    /// Arrives at the barrier of the cluster.
    ClusterArrive {
        aligned: bool,
        releases: bool,
    },
    /// Waits until all threads of the cluster have arrived that have not exited.
    ClusterWait {
        aligned: bool,
    },
}

/// What is done with a barrier in memory (`mbarrier`), whose address is `src[0]` + `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryBarrier {
    pub(crate) op: MemoryBarrierOp,
    pub(crate) narrow_address: bool,
    /// The operand `src[1]` is there.
    pub(crate) counted: bool,
    /// It is done in every block of the cluster that `src[2]` has a bit for.
    pub(crate) multicast: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryBarrierOp {
    Init,
    Invalidate,
    /// `dst` gets the state before; `drop` takes the thread out of later phases.
    Arrive {
        drop: bool,
    },
    /// Arrives, and expects `src[1]` more bytes.
    ArriveExpect {
        drop: bool,
    },
    Expect,
    Complete,
    /// Predicate `dst` is whether the phase of state `src[1]` is over.
    Test,
    /// The same for the phase of parity `src[1]`.
    TestParity,
    /// `dst` gets the arrivals that state `src[1]` lacks.
    Pending,
}

impl MemoryBarrierOp {
    /// Whether the barrier is another one afterwards: waiting for it changes nothing.
    pub(crate) fn changes(self) -> bool {
        !matches!(
            self,
            MemoryBarrierOp::Test | MemoryBarrierOp::TestParity | MemoryBarrierOp::Pending
        )
    }
}

/// Functions that every CUDA program finds on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemCall {
    /// `int vprintf(const char *format, const void *arguments)`.
    Printf,
    /// `void *malloc(size_t)`.
    Malloc,
    /// `void free(void *)`.
    Free,
    /// `void __assertfail(message, file, line, function, character size)`.
    AssertFail,
}

/// Modes of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PermuteMode {
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}
