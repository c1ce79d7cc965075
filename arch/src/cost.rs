//! What one PTX operation costs, for choices among equivalent expressions.

use crate::{Arch, Resource};

/// The classes and the list of them.
macro_rules! classes {
    ($($class:ident)*) => {
        /// Kinds of operations with a cost of their own. The widths are those of the result.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the names say what they are; units are given on `Cost`")]
        pub enum OpClass {
            $($class,)*
        }

        impl OpClass {
            /// Every class, in the order of `class as usize`.
            pub const ALL: [OpClass; OpClass::COUNT] = [$(OpClass::$class,)*];

            /// How many classes there are.
            pub const COUNT: usize = [$(OpClass::$class,)*].len();
        }
    };
}

classes! {
    IntAdd32
    IntAdd64
    IntMul32
    IntMul64
    MulHi32
    MulHi64
    MulWide
    Mad32
    Mad64
    MadWide
    Shift32
    Shift64
    Logic32
    Logic64
    IntMinMax32
    IntMinMax64
    IntDiv32
    IntDiv64
    IntRem32
    IntRem64
    IntCompare32
    IntCompare64
    Select32
    Select64
    BitCount
    Extend
    Convert32
    FloatToInt32
    Convert64
    FloatAdd16
    FloatMul16
    FloatFma16
    FloatAdd32
    FloatMul32
    FloatFma32
    FloatDiv32
    FloatDivApprox32
    FloatSqrt32
    FloatMinMax32
    FloatCompare32
    FloatAdd64
    FloatMul64
    FloatFma64
    FloatDiv64
    FloatSqrt64
    FloatMinMax64
    FloatCompare64
    Special
    LoadGlobal
    StoreGlobal
    LoadShared
    StoreShared
    LoadConstant
    AtomicGlobal
    AtomicShared
    Shuffle
    Vote
    WarpReduce
    WarpMatch
    Barrier
    Branch
}

/// Cost of one warp instruction of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Machine instructions the PTX instruction becomes.
    pub instructions: u32,
    /// Clocks of the busiest pipe that a warp holds, on one multiprocessor.
    pub pipe_clocks: f32,
    /// Clocks of each pipe, in the order of [`Resource::ALL`]; what the load/store unit's own clocks tell has none.
    pub pipes: [f32; Resource::ALL.len()],
    /// Clocks until a dependent instruction can use the result.
    pub latency: u32,
}

impl Cost {
    /// One number to minimise: pipe time with a small share of the latency, in sixteenths of a
    /// clock. An integer, so that comparisons do not depend on rounding.
    pub fn weight(&self) -> u32 {
        (self.pipe_clocks * 16.0).round() as u32 + self.instructions * 2 + self.latency / 8
    }
}

/// Machine instructions of one pipe.
struct Part {
    pipe: Option<Resource>,
    instructions: u32,
    /// Lanes a clock.
    rate: f32,
    /// Clocks of those of them that wait for one another.
    latency: u32,
}

impl Arch {
    /// Cost of an operation of `class` on this device.
    ///
    /// What takes several machine instructions is the sequence that ptxas 13 makes for sm_90, its instructions counted
    /// by pipe; its latency is that of its chain, and both were compared with chains of it on an H100 80GB HBM3
    /// (`benches/gpu/chains.py`).
    pub fn cost(&self, class: OpClass) -> Cost {
        use OpClass::*;
        let t = &self.throughput;
        let l = &self.latency;
        let m = &self.chip.latency;
        let lanes = self.limits.warp_size as f32;
        let part = |pipe, instructions, rate, latency| Part { pipe, instructions, rate, latency };
        // `n` instructions, of which `depth` wait for one another.
        let alu = |n, depth: u32| part(Some(Resource::Alu), n, t.int, l.alu * depth);
        let shift = |n, depth: u32| part(Some(Resource::Alu), n, t.shift, l.alu * depth);
        let mul = |n, depth: u32| part(Some(Resource::Fma), n, t.int_mul, l.alu * depth);
        // The upper half of a product, and one of double width, hold the pipe for two passes.
        let long_mul = |n, latency| part(Some(Resource::Fma), n, t.int_mul / 2.0, latency);
        let fma = |n, depth: u32| part(Some(Resource::Fma), n, t.f32, l.alu * depth);
        let double = |n, depth: u32| part(Some(Resource::Fp64), n, t.f64, l.f64 * depth);
        let xu = |n, depth: u32| part(Some(Resource::Xu), n, t.special, l.special * depth);
        let other = |rate, latency| part(None, 1, rate, latency);
        match class {
            IntAdd32 | Logic32 | IntMinMax32 | IntCompare32 | Select32 | Extend => {
                total(lanes, &[alu(1, 1)])
            }
            IntAdd64 | Logic64 | IntCompare64 | Select64 => total(lanes, &[alu(2, 2)]),
            IntMinMax64 => total(lanes, &[alu(4, 3)]),
            IntMul32 | Mad32 => total(lanes, &[mul(1, 1)]),
            MulHi32 => total(lanes, &[long_mul(1, l.alu)]),
            MulWide | MadWide => total(lanes, &[long_mul(1, l.alu + 1)]),
            IntMul64 | Mad64 => total(lanes, &[mul(4, 3)]),
            MulHi64 => total(lanes, &[mul(10, 6)]),
            Shift32 => total(lanes, &[shift(1, 1)]),
            Shift64 => total(lanes, &[shift(3, 2)]),
            // To floating point, a reciprocal, back; two products and what corrects them.
            IntDiv32 => total(lanes, &[xu(3, 3), mul(2, 2), long_mul(2, 2 * l.alu), alu(11, 15)]),
            IntRem32 => total(lanes, &[xu(3, 3), mul(2, 2), long_mul(2, 2 * l.alu), alu(10, 15)]),
            IntDiv64 => total(lanes, &[xu(2, 1), mul(30, 30), alu(58, 40)]),
            IntRem64 => total(lanes, &[xu(2, 1), mul(34, 31), alu(60, 40)]),
            BitCount => total(lanes, &[part(Some(Resource::Xu), 1, t.bit_count, l.special)]),
            Convert32 => total(lanes, &[part(Some(Resource::Xu), 1, t.convert, l.special / 2)]),
            FloatToInt32 => total(lanes, &[xu(1, 1)]),
            Convert64 => total(lanes, &[part(Some(Resource::Xu), 1, t.convert64, l.special)]),
            FloatAdd16 | FloatMul16 | FloatFma16 => {
                total(lanes, &[part(Some(Resource::Fp16), 1, t.f16, l.alu)])
            }
            FloatAdd32 | FloatMul32 | FloatFma32 => total(lanes, &[fma(1, 1)]),
            FloatMinMax32 => total(lanes, &[part(Some(Resource::Alu), 1, t.min_max, l.alu)]),
            FloatCompare32 => total(lanes, &[alu(1, 1)]),
            // A reciprocal and a product, scaled where the divisor is small.
            FloatDivApprox32 => total(lanes, &[xu(1, 1), fma(2, 3), alu(2, 3)]),
            // The reciprocal, a check whether the common path is right (both of the special unit), Newton's steps.
            FloatDiv32 => total(lanes, &[xu(2, 1), fma(5, 5), alu(3, 2)]),
            FloatSqrt32 => total(lanes, &[xu(1, 1), fma(4, 4), alu(5, 3)]),
            FloatAdd64 | FloatMul64 | FloatFma64 | FloatCompare64 => total(lanes, &[double(1, 1)]),
            // One comparison, then halves are chosen and quiet NaNs are made.
            FloatMinMax64 => total(lanes, &[double(1, 1), alu(4, 4), mul(3, 0)]),
            FloatDiv64 => total(lanes, &[xu(1, 1), double(8, 8), alu(6, 6), mul(5, 2)]),
            FloatSqrt64 => total(lanes, &[xu(1, 1), double(8, 6), alu(9, 4), mul(8, 0)]),
            Special => total(lanes, &[xu(1, 1)]),
            LoadGlobal => total(lanes, &[other(t.load_store, m.l1)]),
            StoreGlobal => total(lanes, &[other(t.load_store, l.alu)]),
            LoadShared | LoadConstant => total(lanes, &[other(t.shared, l.shared)]),
            StoreShared => total(lanes, &[other(t.shared, l.alu)]),
            AtomicGlobal => total(lanes, &[other(t.load_store / 2.0, m.l2)]),
            AtomicShared => total(lanes, &[other(t.shared / 2.0, l.shared * 2)]),
            Shuffle => total(lanes, &[part(Some(Resource::Lsu), 1, t.shuffle, l.shared)]),
            Vote => total(lanes, &[part(Some(Resource::Alu), 1, t.vote, l.alu * 3)]),
            WarpReduce => total(lanes, &[part(Some(Resource::Xu), 1, t.bit_count, l.warp_reduce)]),
            WarpMatch => total(lanes, &[part(Some(Resource::Xu), 1, t.bit_count, l.warp_match)]),
            Barrier => total(lanes, &[part(Some(Resource::Adu), 1, t.barrier, l.barrier)]),
            Branch => total(lanes, &[other(t.int, l.alu * 2)]),
        }
    }
}

/// The cost of instructions that are issued one after another, of warps of so many lanes.
fn total(lanes: f32, parts: &[Part]) -> Cost {
    let mut cost =
        Cost { instructions: 0, pipe_clocks: 0.0, pipes: [0.0; Resource::ALL.len()], latency: 0 };
    for part in parts {
        let clocks = part.instructions as f32 * lanes / part.rate;
        cost.instructions += part.instructions;
        cost.latency += part.latency;
        match part.pipe {
            Some(pipe) => cost.pipes[pipe as usize] += clocks,
            None => cost.pipe_clocks = cost.pipe_clocks.max(clocks),
        }
    }
    cost.pipe_clocks = cost.pipes.iter().fold(cost.pipe_clocks, |most, &clocks| most.max(clocks));
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_reduction_pays_on_every_device() {
        use OpClass::*;
        for arch in Arch::all() {
            let weight = |class| arch.cost(class).weight();
            assert!(weight(IntAdd32) < weight(IntDiv32), "{}", arch.name);
            assert!(weight(Mad32) < weight(IntMul32) + weight(IntAdd32), "{}", arch.name);
            assert!(weight(MulWide) < weight(IntMul64), "{}", arch.name);
            assert!(weight(IntAdd32) < weight(IntAdd64), "{}", arch.name);
            assert!(weight(IntDiv32) < weight(IntDiv64), "{}", arch.name);
            assert!(weight(FloatFma32) < weight(FloatDiv32), "{}", arch.name);
            assert!(weight(Shift32) <= weight(IntMul32), "{}", arch.name);
        }
    }
}
