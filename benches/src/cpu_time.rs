//! CPU time as a criterion measurement: what the work cost, whatever else the machine is doing.

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// User and system time of this process, all threads together. Child processes are added by
/// `iter_custom` with what [`crate::process::run`] says of them.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        of_this_process()
    }

    fn end(&self, start: Duration) -> Duration {
        of_this_process().saturating_sub(start)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        // Nanoseconds read the same, whichever clock counted them.
        WallTime.formatter()
    }
}

fn of_this_process() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the structure it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let start = CpuTime.start();
        let mut sum = 0u64;
        while CpuTime.end(start) < Duration::from_millis(1) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0);
    }
}
