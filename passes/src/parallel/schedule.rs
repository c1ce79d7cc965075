//! What the program asks for: levels of parallelism and their sizes.
//!
//! A gang is a block of threads, a worker a row of the block (`threadIdx.y`), a vector lane a thread
//! of the row (`threadIdx.x`). Other families' words mean the same three.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_dialects::offload::mapping::{Axis, LoopMapping, Size};
use gpuc_dialects::offload::{RegionOp, SCHEDULE_ATTR};
use gpuc_ir::{Ir, Op, Value};

/// A set of levels of parallelism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Blocks.
    pub gang: bool,
    /// Rows of threads.
    pub worker: bool,
    /// Threads of a row.
    pub vector: bool,
}

impl Levels {
    /// No level: iterations one after the other in each thread.
    pub const SEQUENTIAL: Levels = Levels { gang: false, worker: false, vector: false };

    /// The levels that a mapping uses.
    pub fn of_mapping(mapping: &LoopMapping) -> Levels {
        let mut levels = Levels::SEQUENTIAL;
        for (axis, _) in mapping.axes() {
            match axis {
                Axis::Block(_) => levels.gang = true,
                Axis::Thread(1 | 2) => levels.worker = true,
                _ => levels.vector = true,
            }
        }
        levels
    }

    /// Whether iterations go to several threads of a block.
    pub fn in_block(self) -> bool {
        self.worker || self.vector
    }

    /// Both sets.
    pub fn with(self, other: Levels) -> Levels {
        Levels {
            gang: self.gang || other.gang,
            worker: self.worker || other.worker,
            vector: self.vector || other.vector,
        }
    }
}

/// The levels that a loop asks for, and the sizes it gives them: of gangs, workers and lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The levels.
    pub levels: Levels,
    /// The sizes, where there are any.
    pub sizes: [Option<Size>; 3],
}

impl Asked {
    /// What a loop's [`SCHEDULE_ATTR`] says.
    pub fn of(ir: &Ir, op: Op) -> Asked {
        let words =
            ir.attr(op, SCHEDULE_ATTR).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or(&[]);
        let mut asked = Asked::default();
        for word in words.iter().filter_map(|&attr| ir.ctx.string_value(attr)) {
            let (name, size) = match word.split_once('(') {
                Some((name, rest)) => (name, rest.strip_suffix(')')),
                None => (word, None),
            };
            let size = size.map(|size| size.parse().map_or(Size::Launch, Size::Constant));
            let (level, place) = match name {
                "gang" => (&mut asked.levels.gang, 0),
                "worker" => (&mut asked.levels.worker, 1),
                "vector" => (&mut asked.levels.vector, 2),
                _ => continue,
            };
            *level = true;
            asked.sizes[place] = size;
        }
        asked
    }
}

/// A size given at a region: gangs, workers or lanes.
pub fn region_size(ir: &Ir, value: Option<Value>) -> Option<Size> {
    let constant = arith::constant_int_value(ir, value?).and_then(|n| i64::try_from(n).ok());
    Some(constant.map_or(Size::Launch, Size::Constant))
}

/// The sizes given at a region: of gangs, workers and lanes.
pub fn region_sizes(ir: &Ir, region: RegionOp) -> [Option<Size>; 3] {
    [region.num_gangs(ir), region.num_workers(ir), region.vector_length(ir)]
        .map(|value| region_size(ir, value))
}

/// Refuses a loop on levels that stand in the wrong order with those around it.
///
/// # Errors
/// Names both.
pub fn check_nesting(ir: &Ir, op: Op, outer: Levels, own: Levels) -> Result<(), Diagnostic> {
    let clash = [
        (own.gang && outer.gang, "gang", "gang"),
        (own.gang && outer.worker, "gang", "worker"),
        (own.gang && outer.vector, "gang", "vector"),
        (own.worker && outer.worker, "worker", "worker"),
        (own.worker && outer.vector, "worker", "vector"),
        (own.vector && outer.vector, "vector", "vector"),
    ];
    match clash.into_iter().find(|&(is, _, _)| is) {
        None => Ok(()),
        Some((_, inner, around)) => {
            Err(Diagnostic::error(format!("a {inner} loop cannot stand inside a {around} loop"))
                .at_option(ir.ctx.place(ir.location(op)))
                .help("levels go from gang over worker to vector, from the outside in"))
        }
    }
}
