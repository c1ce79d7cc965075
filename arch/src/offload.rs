//! Whether a nest of loops is worth sending to the device, from a few counts: the times that a
//! program compiled with `--auto` compares before it starts one.
//!
//! They need to be right by a factor of two or so: sizes for which it matters lie orders of magnitude
//! apart. The bus is PCI Express with 16 lanes (PCI-SIG's nominal 15.75 GB/s for 3.0, twice that for each
//! later generation), of which a copy from pageable memory reaches about half, as it goes through a
//! buffer. A host's core at 3 GHz issues between one and two useful operations a clock.

use crate::Arch;

/// Operations a second of one core of the host.
const HOST_OPERATIONS: f64 = 4e9;

/// The share of the bus that copies from pageable memory reach.
const PAGEABLE: f64 = 0.5;

/// Seconds for which the host waits until a kernel has started and until it knows that it is done.
const ROUND_TRIP: f64 = 10e-6;

/// Clocks between two operations of one thread that wait for each other, loads among them.
const CLOCKS_BETWEEN: f64 = 20.0;

/// Operations a clock and multiprocessor, over nests as they are: a quarter of 64 lanes.
const SUSTAINED: f64 = 16.0;

/// What a nest takes, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NestWork {
    /// Operations of all iterations, loads and stores among them.
    pub operations: f64,
    /// Those that come one after another even with a processor for each iteration.
    pub span: f64,
    /// Kernels that are launched.
    pub launches: f64,
}

impl NestWork {
    /// Seconds on one core of the host.
    pub fn host_seconds(&self) -> f64 {
        self.operations / HOST_OPERATIONS
    }
}

impl Arch {
    /// Bytes a second between a program's memory and the device's.
    pub fn bus_bytes_per_second(&self) -> f64 {
        let nominal = match self.number {
            ..80 => 15.75e9,
            80..90 => 31.5e9,
            _ => 63e9,
        };
        nominal * PAGEABLE
    }

    /// Seconds on the device, for data that are there.
    pub fn device_seconds(&self, work: &NestWork) -> f64 {
        let clock = f64::from(self.chip.clock_mhz) * 1e6;
        let throughput = f64::from(self.chip.sm_count) * clock * SUSTAINED;
        let launches = work.launches * f64::from(self.chip.launch_us) * 1e-6;
        ROUND_TRIP
            + launches
            + (work.operations / throughput).max(work.span * CLOCKS_BETWEEN / clock)
    }

    /// Seconds for moving bytes one way.
    pub fn bus_seconds(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bus_bytes_per_second()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_decide() {
        let arch = Arch::by_name("sm_90").unwrap_or(Arch::default_target());
        // A product of n x n matrices: three operations and two loads in each of n^3 iterations.
        let product = |n: f64| {
            let work = NestWork { operations: 5.0 * n * n * n, span: 5.0 * n, launches: 1.0 };
            let moved = arch.bus_seconds((4.0 * n * n * 8.0) as u64);
            arch.device_seconds(&work) + moved < work.host_seconds()
        };
        assert!(!product(16.0) && product(256.0) && product(2048.0));
        // One thread of a device is slower than the host, at any size.
        let serial = NestWork { operations: 1e9, span: 1e9, launches: 1.0 };
        assert!(arch.device_seconds(&serial) > serial.host_seconds());
    }
}
