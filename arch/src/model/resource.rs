//! The stations of the model.

/// What warps queue for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Issue slots of the schedulers.
    Issue,
    /// Single-precision arithmetic and integer multiplication.
    Fma,
    /// Integer, logic, comparison.
    Alu,
    /// Half precision.
    Fp16,
    /// Double precision.
    Fp64,
    /// Special functions and conversions.
    Xu,
    /// Barriers of a block.
    Adu,
    /// The load/store unit with shared memory and the first-level cache.
    Lsu,
    /// The second-level cache.
    L2,
    /// Device memory.
    Dram,
}

impl Resource {
    /// Every resource, from the warp outwards.
    pub const ALL: [Resource; 10] = [
        Resource::Issue,
        Resource::Fma,
        Resource::Alu,
        Resource::Fp16,
        Resource::Fp64,
        Resource::Xu,
        Resource::Adu,
        Resource::Lsu,
        Resource::L2,
        Resource::Dram,
    ];

    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Issue => "instruction issue",
            Resource::Fma => "the FMA pipe",
            Resource::Alu => "the ALU pipe",
            Resource::Fp16 => "the FP16 pipe",
            Resource::Fp64 => "the FP64 pipe",
            Resource::Xu => "the XU pipe",
            Resource::Adu => "the ADU pipe (barriers)",
            Resource::Lsu => "the load/store unit (L1 and shared memory)",
            Resource::L2 => "L2 bandwidth",
            Resource::Dram => "DRAM bandwidth",
        }
    }

    /// Its share of the peak under Nsight Compute's name.
    pub fn metric(self) -> &'static str {
        match self {
            Resource::Issue => "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
            Resource::Fma => "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
            Resource::Alu => "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed",
            Resource::Fp16 => "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed",
            Resource::Fp64 => "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed",
            Resource::Xu => "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
            Resource::Adu => "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_elapsed",
            Resource::Lsu => "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
            Resource::L2 => "lts__throughput.avg.pct_of_peak_sustained_elapsed",
            Resource::Dram => "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        }
    }

    /// Whether it moves data; the others compute.
    pub fn is_memory(self) -> bool {
        matches!(self, Resource::Lsu | Resource::L2 | Resource::Dram)
    }
}
