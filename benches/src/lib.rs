//! What the benches share: how they measure, and what they measure on.
//!
//! The benches are the targets of `benches/benches`; what they gave is in `benches/RESULTS.md`.

pub mod affine_module;
pub mod cpu_time;
pub mod process;
pub mod programs;

use criterion::Criterion;

use cpu_time::CpuTime;

/// Criterion that measures CPU time.
pub fn by_cpu_time() -> Criterion<CpuTime> {
    Criterion::default().with_measurement(CpuTime).configure_from_args()
}
