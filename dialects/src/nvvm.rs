//! `nvvm`: of MLIR's dialect only what a kernel says about its registers.

/// Name of the attribute that says how many blocks of a kernel a multiprocessor is to hold at least.
pub const MIN_BLOCKS: &str = "nvvm.minctasm";
