//! Enumerations of PTX: instruction types, state spaces, modifiers.

use crate::enumeration::enumerations;

enumerations! {
    "ptx";

    /// Instruction types (PTX ISA §5.2.1).
    PtxType, PTX_TYPES, PTX_TYPE, "type", "PTX instruction type" {
        Pred = "pred", B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", BF16 = "bf16", F32 = "f32", F64 = "f64",
    }

    /// State spaces (§5.1).
    Space, SPACES, SPACE, "space", "PTX state space" {
        Generic = "generic", Global = "global", Shared = "shared", Local = "local",
        Const = "const",
    }

    /// Which part of a product `mul` and `mad` give (§9.7.1.3).
    Part, PARTS, PART, "part", "part of an integer product" {
        Lo = "lo", Hi = "hi", Wide = "wide",
    }

    /// Rounding (§9.7.3, §9.7.9.21): `rn` nearest even, `rz` towards zero, `rm` down, `rp` up; with
    /// `i` to an integer.
    Rounding, ROUNDINGS, ROUNDING, "rounding", "PTX rounding modifier" {
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp",
        Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
    }

    /// Comparisons of `setp` (§9.7.6.2). Those with `u` are true where an operand is NaN.
    Comparison, COMPARISONS, COMPARISON, "cmp", "PTX comparison" {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge",
        Lo = "lo", Ls = "ls", Hi = "hi", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu",
        Num = "num", Nan = "nan",
    }

    /// Instructions that approximate (§9.7.3).
    Approximation, APPROXIMATIONS, APPROXIMATION, "approx", "approximate instruction" {
        Ex2 = "ex2", Lg2 = "lg2", Sin = "sin", Cos = "cos", Rsqrt = "rsqrt", Rcp = "rcp",
        Sqrt = "sqrt", Tanh = "tanh",
    }

    /// Operations of `atom` and `red` (§9.7.12.5).
    AtomicKind, ATOMIC_KINDS, ATOMIC_KIND, "atomic", "atomic operation" {
        Add = "add", Min = "min", Max = "max", And = "and", Or = "or", Xor = "xor",
        Exch = "exch", Inc = "inc", Dec = "dec",
    }

    /// Modes of `shfl` (§9.7.8.6).
    ShflMode, SHFL_MODES, SHFL_MODE, "shfl", "shuffle mode" {
        Up = "up", Down = "down", Bfly = "bfly", Idx = "idx",
    }

    /// Modes of `vote` (§9.7.12.9).
    VoteMode, VOTE_MODES, VOTE_MODE, "vote", "vote mode" {
        All = "all", Any = "any", Uni = "uni", Ballot = "ballot",
    }

    /// Scopes of `membar` (§9.7.12.4).
    FenceScope, FENCE_SCOPES, FENCE_SCOPE, "scope", "fence scope" {
        Cta = "cta", Gl = "gl", Sys = "sys",
    }

    /// Special registers (§10).
    SpecialRegister, SPECIAL_REGISTERS, SPECIAL_REGISTER, "special", "special register" {
        TidX = "tid.x", TidY = "tid.y", TidZ = "tid.z",
        NtidX = "ntid.x", NtidY = "ntid.y", NtidZ = "ntid.z",
        CtaidX = "ctaid.x", CtaidY = "ctaid.y", CtaidZ = "ctaid.z",
        NctaidX = "nctaid.x", NctaidY = "nctaid.y", NctaidZ = "nctaid.z",
        Laneid = "laneid", Warpid = "warpid", Nwarpid = "nwarpid",
        LanemaskEq = "lanemask_eq", LanemaskLt = "lanemask_lt", LanemaskLe = "lanemask_le",
        LanemaskGt = "lanemask_gt", LanemaskGe = "lanemask_ge",
    }
}

impl PtxType {
    /// Bits.
    pub fn width(self) -> u32 {
        use PtxType::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 => 8,
            B16 | U16 | S16 | F16 | BF16 => 16,
            B32 | U32 | S32 | F32 => 32,
            B64 | U64 | S64 | F64 => 64,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, PtxType::F16 | PtxType::BF16 | PtxType::F32 | PtxType::F64)
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, PtxType::S8 | PtxType::S16 | PtxType::S32 | PtxType::S64)
    }
}
