//! What one PTX operation costs, for choices among equivalent expressions.

use crate::Arch;

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

impl Arch {
    /// Cost of an operation of `class` on this device.
    pub fn cost(&self, class: OpClass) -> Cost {
        use OpClass::*;
        let t = &self.throughput;
        let l = &self.latency;
        let m = &self.chip.latency;
        let lanes = self.limits.warp_size as f32;
        // `n` instructions in a pipe of `rate` lanes a clock; a chain of `depth` of them is waited for.
        let cost = |n: u32, rate: f32, latency: u32, depth: u32| Cost {
            instructions: n,
            pipe_clocks: n as f32 * lanes / rate,
            latency: latency * depth,
        };
        let plus = |a: Cost, b: Cost| Cost {
            instructions: a.instructions + b.instructions,
            pipe_clocks: a.pipe_clocks + b.pipe_clocks,
            latency: a.latency + b.latency,
        };
        match class {
            IntAdd32 | Logic32 | IntMinMax32 | IntCompare32 | Select32 | Extend => {
                cost(1, t.int, l.alu, 1)
            }
            IntAdd64 | Logic64 | IntCompare64 | Select64 => cost(2, t.int, l.alu, 2),
            IntMinMax64 => cost(4, t.int, l.alu, 3),
            IntMul32 | Mad32 => cost(1, t.int_mul, l.alu, 1),
            MulHi32 => cost(1, t.int_mul / 2.0, l.alu, 1),
            // The widening multiply-add holds the pipe for two passes.
            MulWide | MadWide => cost(1, t.int_mul / 2.0, l.alu + 1, 1),
            IntMul64 | Mad64 => cost(4, t.int_mul, l.alu, 3),
            MulHi64 => cost(10, t.int_mul, l.alu, 6),
            Shift32 => cost(1, t.shift, l.alu, 1),
            Shift64 => cost(3, t.shift, l.alu, 2),
            // Reciprocal in the special unit, then corrections: the sequences ptxas emits.
            IntDiv32 => plus(cost(2, t.special, l.special, 1), cost(14, t.int, l.alu, 12)),
            IntRem32 => plus(cost(2, t.special, l.special, 1), cost(15, t.int, l.alu, 13)),
            IntDiv64 => plus(cost(2, t.special, l.special, 1), cost(70, t.int, l.alu, 45)),
            IntRem64 => plus(cost(2, t.special, l.special, 1), cost(74, t.int, l.alu, 48)),
            BitCount => cost(1, t.bit_count, l.alu * 2, 1),
            Convert32 => cost(1, t.convert, l.special / 2, 1),
            Convert64 => cost(1, t.convert64, l.special / 2, 1),
            FloatAdd16 | FloatMul16 | FloatFma16 => cost(1, t.f16, l.alu, 1),
            FloatAdd32 | FloatMul32 | FloatFma32 => cost(1, t.f32, l.alu, 1),
            FloatMinMax32 => cost(1, t.min_max, l.alu, 1),
            FloatCompare32 => cost(1, t.int, l.alu, 1),
            FloatDivApprox32 => plus(cost(1, t.special, l.special, 1), cost(3, t.f32, l.alu, 2)),
            FloatDiv32 => plus(cost(1, t.special, l.special, 1), cost(9, t.f32, l.alu, 8)),
            FloatSqrt32 => plus(cost(1, t.special, l.special, 1), cost(7, t.f32, l.alu, 6)),
            FloatAdd64 | FloatMul64 | FloatFma64 | FloatMinMax64 | FloatCompare64 => {
                cost(1, t.f64, l.f64, 1)
            }
            FloatDiv64 => plus(cost(1, t.special, l.special, 1), cost(9, t.f64, l.f64, 8)),
            FloatSqrt64 => plus(cost(1, t.special, l.special, 1), cost(9, t.f64, l.f64, 8)),
            Special => cost(1, t.special, l.special, 1),
            LoadGlobal => cost(1, t.load_store, m.l1, 1),
            StoreGlobal => cost(1, t.load_store, l.alu, 1),
            LoadShared | LoadConstant => cost(1, t.shared, l.shared, 1),
            StoreShared => cost(1, t.shared, l.alu, 1),
            AtomicGlobal => cost(1, t.load_store / 2.0, m.l2, 1),
            AtomicShared => cost(1, t.shared / 2.0, l.shared, 2),
            Shuffle => cost(1, t.shuffle, l.shared, 1),
            Vote => cost(1, t.vote, l.alu * 2, 1),
            Barrier => cost(1, t.int, l.barrier, 1),
            Branch => cost(1, t.int, l.alu * 2, 1),
        }
    }
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
