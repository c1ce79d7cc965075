//! The families of operations compiled for several instruction sets of the host.
//!
//! The families are always inlined; here each of them is put into one function an instruction set,
//! chosen when a launch starts. The loops over 32 lanes become vector instructions of that set.

use crate::counters::Counters;
use crate::fault::Fault;
use crate::program::{Access, Code, Inst, List, MemorySpace};

use super::block::{Environment, Worker};
use super::lanes::{LANES, Registers};
use super::memory::{View, Violation};
use super::{compare, convert, float, integer, memory, moves};

type Accessed = Result<(MemorySpace, [u64; LANES]), Violation>;

/// One version of every family.
pub(super) trait HostSimd {
    fn integer(registers: &mut Registers, inst: &Inst, mask: u32);
    fn float(registers: &mut Registers, inst: &Inst, mask: u32);
    fn compare(registers: &mut Registers, inst: &Inst, mask: u32);
    fn convert(registers: &mut Registers, inst: &Inst, mask: u32);
    fn moves(registers: &mut Registers, inst: &Inst, mask: u32, code: &Code, clock: u64);
    fn load(
        view: &mut View<'_>,
        registers: &mut Registers,
        inst: &Inst,
        access: (Access, List),
        mask: u32,
        code: &Code,
        site: usize,
    ) -> Accessed;
    fn save(
        view: &mut View<'_>,
        registers: &mut Registers,
        inst: &Inst,
        access: (Access, List),
        mask: u32,
        code: &Code,
        site: usize,
    ) -> Accessed;
}

macro_rules! host_simd {
    ($name:ident, $doc:literal, $(#[$features:meta])?) => {
        #[doc = $doc]
        struct $name;

        impl HostSimd for $name {
            host_simd!(@family $(#[$features])? integer, integer::execute);
            host_simd!(@family $(#[$features])? float, float::execute);
            host_simd!(@family $(#[$features])? compare, compare::execute);
            host_simd!(@family $(#[$features])? convert, convert::execute);

            fn moves(registers: &mut Registers, inst: &Inst, mask: u32, code: &Code, clock: u64) {
                $(#[$features])?
                fn inner(registers: &mut Registers, inst: &Inst, mask: u32, code: &Code, clock: u64) {
                    moves::execute(registers, inst, mask, code, clock);
                }
                // SAFETY: a version is chosen only where the host has its instructions.
                #[allow(unused_unsafe, reason = "the portable version needs no instructions")]
                unsafe { inner(registers, inst, mask, code, clock) }
            }

            host_simd!(@access $(#[$features])? load, memory::load);
            host_simd!(@access $(#[$features])? save, memory::save);
        }
    };
    (@family $(#[$features:meta])? $family:ident, $body:path) => {
        fn $family(registers: &mut Registers, inst: &Inst, mask: u32) {
            $(#[$features])?
            fn inner(registers: &mut Registers, inst: &Inst, mask: u32) {
                $body(registers, inst, mask);
            }
            // SAFETY: a version is chosen only where the host has its instructions.
            #[allow(unused_unsafe, reason = "the portable version needs no instructions")]
            unsafe { inner(registers, inst, mask) }
        }
    };
    (@access $(#[$features:meta])? $family:ident, $body:path) => {
        fn $family(
            view: &mut View<'_>,
            registers: &mut Registers,
            inst: &Inst,
            access: (Access, List),
            mask: u32,
            code: &Code,
            site: usize,
        ) -> Accessed {
            $(#[$features])?
            fn inner(
                view: &mut View<'_>,
                registers: &mut Registers,
                inst: &Inst,
                access: (Access, List),
                mask: u32,
                code: &Code,
                site: usize,
            ) -> Accessed {
                $body(view, registers, inst, access.0, access.1, mask, code, site)
            }
            // SAFETY: a version is chosen only where the host has its instructions.
            #[allow(unused_unsafe, reason = "the portable version needs no instructions")]
            unsafe { inner(view, registers, inst, access, mask, code, site) }
        }
    };
}

host_simd!(Portable, "What every host has.",);
#[cfg(target_arch = "x86_64")]
host_simd!(Avx2, "256-bit vectors and fused multiply-add.", #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]);
#[cfg(target_arch = "x86_64")]
host_simd!(
    Avx512,
    "512-bit vectors and lane masks.",
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
);

/// Runs one block in the best version for this host.
pub(crate) fn run_block(
    worker: &mut Worker<'_>,
    environment: &Environment<'_>,
    block: u64,
) -> Result<(), Box<Fault>> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2")
            && has!("fma")
            && has!("bmi1")
            && has!("bmi2")
            && has!("lzcnt")
            && has!("popcnt");
        let avx512 = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        if avx2 && avx512 {
            return run::<Avx512>(worker, environment, block);
        }
        if avx2 {
            return run::<Avx2>(worker, environment, block);
        }
    }
    run::<Portable>(worker, environment, block)
}

fn run<L: HostSimd>(
    worker: &mut Worker<'_>,
    environment: &Environment<'_>,
    block: u64,
) -> Result<(), Box<Fault>> {
    match environment.counters {
        Counters::Off => worker.run_block::<L, false>(environment, block),
        Counters::All => worker.run_block::<L, true>(environment, block),
    }
}
