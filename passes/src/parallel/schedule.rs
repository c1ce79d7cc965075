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

/// Whether the program says of a loop what its iterations are divided among: without that, an independent loop's are the
/// compiler's to divide.
pub fn is_asked(ir: &Ir, op: Op) -> bool {
    let levels = ir.attr(op, SCHEDULE_ATTR).and_then(|attr| ir.ctx.array_value(attr));
    levels.is_some_and(|levels| !levels.is_empty())
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

/// Whether one level is among some.
pub type Has = fn(Levels) -> bool;

/// Refuses a loop on levels that stand in the wrong order with those around it. `asks` says of a level around it which
/// loop has it, and whether that loop asks for it.
///
/// # Errors
/// Names both.
pub fn check_nesting(
    ir: &Ir,
    op: Op,
    outer: Levels,
    own: Levels,
    asks: &dyn Fn(Has) -> Option<(Op, bool)>,
) -> Result<(), Diagnostic> {
    let [gang, worker, vector]: [(Has, [&str; 2]); 3] = [
        (|levels| levels.gang, ["gang", "gangs"]),
        (|levels| levels.worker, ["worker", "workers"]),
        (|levels| levels.vector, ["vector", "vector lanes"]),
    ];
    let clashes = [
        (gang, gang),
        (gang, worker),
        (gang, vector),
        (worker, worker),
        (worker, vector),
        (vector, vector),
    ];
    let clash = clashes.into_iter().find(|((inner, _), (around, _))| inner(own) && around(outer));
    let Some(((_, [inner, _]), (has, [around, all]))) = clash else { return Ok(()) };
    let place = |op: Op| ir.ctx.place(ir.location(op));
    let error = match asks(has) {
        Some((loop_around, false)) => {
            let error = Diagnostic::error(format!(
                "a {inner} loop cannot stand inside a loop that is divided among {all}, as no clause says otherwise"
            ));
            let error = error
                .help(format!("write `seq` at the loop around it, or leave `{inner}` out here"));
            match place(loop_around) {
                Some(place) => error
                    .related(place, format!("no level is written at this loop: it has the {all}")),
                None => error,
            }
        }
        _ => Diagnostic::error(format!("a {inner} loop cannot stand inside a {around} loop"))
            .help("levels go from gang over worker to vector, from the outside in"),
    };
    Err(error.at_option(place(op)))
}
