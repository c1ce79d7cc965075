//! What comes out of the model.

use super::Resource;
use crate::Occupancy;

/// What bounds a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// A resource works at more than [`Estimate::BUSY`] of its peak.
    Resource(Resource),
    /// Warps mostly wait for results: there are too few of them, or they depend on themselves.
    Latency,
    /// Warps wait for one another at barriers.
    Barriers,
    /// Atomics on one line of memory wait for one another.
    Atomics,
    /// Blocks are over before others can be started.
    Starts,
    /// There are not enough blocks to keep the device full.
    Grid,
    /// The launch itself takes longer than the work.
    Launch,
}

/// The price of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Clocks of the kernel, without the launch.
    pub clocks: f64,
    /// Seconds with the launch.
    pub seconds: f64,
    /// What bounds it.
    pub bound: Bound,
    /// Clocks that each resource is at work, over `clocks`: the "speed of light" shares, 0 to 1, in
    /// the order of [`Resource::ALL`].
    pub utilization: [f64; Resource::ALL.len()],
    /// Residency; `blocks` is what a multiprocessor can hold, whether or not the grid has so many.
    pub occupancy: Occupancy,
    /// Warps that are resident on a multiprocessor on the average.
    pub achieved_warps: f64,
    /// Waves of blocks, the last one in part.
    pub waves: f64,
    /// Clocks of the last wave beyond those it would take if its blocks were spread evenly.
    pub tail_clocks: f64,
    /// Clocks lost to phases that the warps of a block go through together.
    pub barrier_clocks: f64,
}

impl Estimate {
    /// Above this share of its peak a resource is said to bound a kernel; the same limit as Nsight
    /// Compute's rule for "high throughput".
    pub const BUSY: f64 = 0.6;

    /// The share of a resource.
    pub fn share(&self, resource: Resource) -> f64 {
        self.utilization[resource as usize]
    }

    /// The busiest resource.
    pub fn busiest(&self) -> Resource {
        let by_share = |&a: &Resource, &b: &Resource| self.share(a).total_cmp(&self.share(b));
        Resource::ALL.into_iter().max_by(|a, b| by_share(a, b)).unwrap_or(Resource::Issue)
    }
}
