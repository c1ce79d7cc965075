//! Stencils in space that are done plane by plane: which loads come from registers, and which from memory of the block.
//!
//! One parallel dimension becomes the way that every thread walks. What an iteration reads along that way, at its own
//! place in the plane, is what the one before read a plane further: it rotates through registers. What it reads
//! beside it is in memory of the block, where each thread has put its own (Micikevicius, GPGPU-2 2009; Andión et al.
//! 2015, variant hmpp2 of CONV3D).

use gpuc_arch::SECTOR_BYTES;
use gpuc_dialects::affine::AffineLoadOp;
use gpuc_dialects::memref;
use gpuc_ir::{Ir, Op, OpView, Type, Value};
use rustc_hash::FxHashMap;

use super::coarsening::unwritten;
use super::contraction::subscripts;
use super::stencil::{Group, Reference, Span, Stencil};
use crate::analysis::access::{name, root};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;

/// A load, and the plane, row and column that it reads from its iteration's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The load.
    pub op: Op,
    /// Planes, rows and columns further.
    pub offset: [i64; 3],
}

impl Neighbour {
    /// Whether it reads at its iteration's own row and column.
    pub fn is_own(&self) -> bool {
        self.offset[1..] == [0, 0]
    }
}

/// An array of which an iteration reads several planes, or round about its place in one.
#[derive(Clone, Debug)]
pub struct Field {
    /// The array's buffer.
    pub buffer: Value,
    /// Subscripts of planes, rows and columns.
    pub at: [usize; 3],
    /// Subscripts without offsets, the variables of planes, rows and columns still in them.
    pub origin: Vec<Polynomial>,
    /// Its loads.
    pub loads: Vec<Neighbour>,
    /// Type of an element.
    pub element: Type,
    /// What the array is called.
    pub array: String,
}

impl Field {
    /// The planes, from an iteration's own, of which its thread holds the element at its own place.
    pub fn window(&self) -> Span {
        self.planes(&|_| true)
    }

    /// The planes of which neighbours are read; `None` where none are.
    pub fn shared(&self) -> Option<Span> {
        let beside = |load: &Neighbour| !load.is_own();
        self.loads.iter().any(beside).then(|| self.planes(&beside))
    }

    fn planes(&self, counts: &dyn Fn(&Neighbour) -> bool) -> Span {
        let planes = || self.loads.iter().filter(|load| counts(load)).map(|load| load.offset[0]);
        Span { first: planes().min().unwrap_or(0), last: planes().max().unwrap_or(0) }
    }

    /// Planes in memory of the block: those that an iteration reads, and the one that the next one adds meanwhile.
    pub fn slots(&self) -> i64 {
        self.shared().map_or(0, |planes| planes.length() + 1)
    }

    /// Whether what is held of the planes at both ends is what is read of them: beyond may not be memory of the
    /// program. What lies between two planes that are read, at the same row and column, is.
    fn is_whole(&self) -> bool {
        let window = self.window();
        let own =
            |plane: i64| self.loads.iter().any(|load| load.is_own() && load.offset[0] == plane);
        let ends = |planes: Span| [planes.first, planes.last];
        let reads = |plane: i64| -> Vec<[i64; 2]> {
            // Of a row, all between the first and the last column.
            let mut rows: Vec<[i64; 3]> = Vec::new();
            for load in &self.loads {
                let [at, row, column] = load.offset;
                match rows.iter_mut().find(|known| known[0] == row) {
                    _ if at != plane => {}
                    Some(known) => *known = [row, known[1].min(column), known[2].max(column)],
                    None => rows.push([row, column, column]),
                }
            }
            let each =
                rows.iter().flat_map(|&[row, first, last]| (first..=last).map(move |at| [row, at]));
            let mut each: Vec<[i64; 2]> = each.collect();
            each.sort_unstable();
            each
        };
        let beside = self.shared().is_none_or(|planes| {
            let mut all: Vec<[i64; 2]> =
                (planes.first..=planes.last).flat_map(reads).chain([[0, 0]]).collect();
            all.sort_unstable();
            all.dedup();
            ends(planes).into_iter().all(|plane| reads(plane) == all)
        });
        beside && ends(window).into_iter().all(own)
    }

    /// What is read of a plane of which neighbours are, as a group of rows and columns, an iteration's own among them.
    pub fn plane(&self) -> Group {
        let planes = self.shared().unwrap_or(Span { first: 0, last: 0 });
        let near = |load: &&Neighbour| (planes.first..=planes.last).contains(&load.offset[0]);
        let reference = |load: &Neighbour| {
            let offsets = [1, 2].map(|i| Span { first: load.offset[i], last: load.offset[i] });
            Reference { op: load.op, subscripts: Vec::new(), offsets, times: 1 }
        };
        let references: Vec<Reference> = self.loads.iter().filter(near).map(reference).collect();
        Group {
            buffer: self.buffer,
            at: [self.at[1], self.at[2]],
            origin: self.origin.clone(),
            references,
            element: self.element,
            array: self.array.clone(),
            conditions: Vec::new(),
        }
    }

    fn element_bytes(&self, ir: &Ir) -> i64 {
        memref::scalar_bytes(&ir.ctx, self.element).unwrap_or(8) as i64
    }

    /// Bytes of memory of the block for blocks of such rows and columns.
    pub fn bytes(&self, ir: &Ir, block: [i64; 2]) -> i64 {
        match self.slots() {
            0 => 0,
            slots => slots.saturating_mul(self.plane().bytes(ir, block)),
        }
    }
}

/// A nest that is done plane by plane.
#[derive(Clone, Debug)]
pub struct Marching {
    /// The dimension of planes, that of rows, and that of columns.
    pub dims: [usize; 3],
    /// Its fields, in the order of their first loads.
    pub fields: Vec<Field>,
    /// Pairs of mapped buffers that must be apart, and have not been asked about.
    pub apart: Vec<(Value, Value)>,
}

/// Offsets beyond this are not neighbours: registers hold what is between.
const MOST_REACH: i64 = 16;

impl Marching {
    /// The nest of a stencil walked along one of its dimensions; `None` where that saves nothing.
    pub fn of(ir: &Ir, stencil: &Stencil, planes: usize) -> Option<Marching> {
        let count = stencil.dims.len();
        let column = stencil.column;
        // Rows are the next dimension outwards.
        let row = (0..column).rev().find(|&dim| dim != planes)?;
        if count < 3 || planes >= column {
            return None;
        }
        let (kept, apart) = unwritten(ir, stencil);
        let mut this = Marching { dims: [planes, row, column], fields: Vec::new(), apart };
        for &op in &stencil.body {
            let Some(found) = this.field(ir, stencil, op, &kept) else { continue };
            let known = this.fields.iter_mut().find(|field| {
                (field.buffer, field.at, &field.origin) == (found.buffer, found.at, &found.origin)
            });
            match known {
                Some(field) => field.loads.extend(found.loads),
                None => this.fields.push(found),
            }
        }
        // What is read once stays as it is.
        this.fields.retain(|field| {
            (field.window().length() > 1 || field.shared().is_some()) && field.is_whole()
        });
        let walks = this.fields.iter().any(|field| field.window().length() > 1);
        walks.then_some(this)
    }

    /// The walk of a nest that leaves the fewest loads.
    pub fn choose(ir: &Ir, stencil: &Stencil, block: [i64; 2]) -> Option<Marching> {
        let all = (0..stencil.column).filter_map(|planes| Marching::of(ir, stencil, planes));
        all.min_by(|a, b| a.accesses(block).total_cmp(&b.accesses(block)))
    }

    /// The field of one load.
    fn field(&self, ir: &Ir, stencil: &Stencil, op: Op, kept: &[Value]) -> Option<Field> {
        let buffer = AffineLoadOp::cast(ir, op)?.memref(ir);
        let variables = self.dims.map(|dim| stencil.dims[dim].variable);
        let mut origin = subscripts(ir, op)?;
        let mut at = [usize::MAX; 3];
        let mut offset = [0; 3];
        for (side, &variable) in variables.iter().enumerate() {
            let mut using = (0..origin.len()).filter(|&i| origin[i].coefficient(&[variable]) != 0);
            at[side] = using.next().filter(|&i| origin[i].coefficient(&[variable]) == 1)?;
            if using.next().is_some() {
                return None;
            }
        }
        let one_each = at[0] != at[1] && at[1] != at[2] && at[0] != at[2];
        if !one_each || at[2] + 1 != origin.len() {
            return None;
        }
        for (side, &subscript) in at.iter().enumerate() {
            offset[side] = origin[subscript].constant_term();
            let offset = Polynomial::constant(offset[side]);
            origin[subscript] = origin[subscript].plus(&offset, -1)?;
        }
        let is_known = |value: &Value| {
            stencil.dims.iter().any(|dim| dim.variable == *value)
                || !is_defined_inside(ir, *value, stencil.nest)
        };
        let element = ir.ctx.element(ir.ty(buffer))?;
        let number =
            ir.ctx.is_float(element) || ir.ctx.int_width(element).is_some_and(|bits| bits >= 8);
        let fits = kept.contains(&buffer)
            && number
            && memref::scalar_bytes(&ir.ctx, element).is_some_and(|bytes| bytes <= 8)
            && offset.iter().all(|offset| offset.abs() <= MOST_REACH)
            && origin.iter().flat_map(Polynomial::values).all(|value| is_known(&value));
        fits.then(|| Field {
            buffer,
            at,
            origin,
            loads: vec![Neighbour { op, offset }],
            element,
            array: name(ir, root(ir, buffer)),
        })
    }

    /// Elements that an iteration copies of its fields, on average of a block of such sides: its own of the plane in
    /// front, and its share of the rim.
    pub fn copied(&self, block: [i64; 2]) -> f64 {
        let iterations = block.iter().product::<i64>() as f64;
        let each = self.fields.iter().map(|field| {
            let rim: i64 = match field.shared() {
                Some(_) => rim(&field.plane(), block).iter().map(|part| part.area()).sum(),
                None => 0,
            };
            1.0 + rim as f64 / iterations
        });
        each.sum()
    }

    /// Loads of an iteration as the nest is.
    pub fn before(&self) -> usize {
        self.fields.iter().map(|field| field.loads.len()).sum()
    }

    /// Bytes of its fields that an iteration reads first of all, where nothing is read twice.
    pub fn own_bytes(&self, ir: &Ir) -> f64 {
        self.fields.iter().map(|field| field.element_bytes(ir) as f64).sum()
    }

    /// Bytes of its fields that an iteration asks the second-level cache for as the nest is, where the first-level one keeps
    /// what a block of so many planes, rows and columns reads: lines of a row each, with a sector more than they need.
    pub fn bytes_beyond_block(&self, ir: &Ir, block: [i64; 3]) -> f64 {
        let [planes, rows, columns] = block;
        let each = self.fields.iter().map(|field| {
            // The columns that are read of each line, from the first to the last.
            let mut lines: FxHashMap<[i64; 2], Span> = FxHashMap::default();
            for [plane, row, column] in field.loads.iter().map(|load| load.offset) {
                for (up, down) in (0..planes).flat_map(|up| (0..rows).map(move |down| (up, down))) {
                    let line = lines.entry([plane + up, row + down]);
                    let known = line.or_insert(Span { first: column, last: column });
                    *known = Span { first: known.first.min(column), last: known.last.max(column) };
                }
            }
            let elements: i64 = lines.values().map(|read| columns + read.last - read.first).sum();
            (elements * field.element_bytes(ir)) as f64
                + lines.len() as f64 * f64::from(SECTOR_BYTES)
        });
        each.sum::<f64>() / (planes * rows * columns) as f64
    }

    /// What an iteration asks the first-level cache for, memory of the block among it.
    fn accesses(&self, block: [i64; 2]) -> f64 {
        let beside = self.fields.iter().flat_map(|field| &field.loads);
        let stores = self.fields.iter().filter(|field| field.shared().is_some()).count();
        let beside = beside.filter(|load| !load.is_own()).count();
        self.copied(block) + (stores + beside) as f64
    }

    /// Bytes of memory of the block.
    pub fn bytes(&self, ir: &Ir, block: [i64; 2]) -> i64 {
        self.fields.iter().map(|field| field.bytes(ir, block)).fold(0, i64::saturating_add)
    }

    /// Registers of 32 bits in which a thread of so many rows holds elements.
    pub fn registers(&self, ir: &Ir, rows: i64) -> i64 {
        let words =
            |field: &Field| (field.element_bytes(ir) / 4).max(1) * field.window().length() * rows;
        self.fields.iter().map(words).fold(0, i64::saturating_add)
    }
}

/// What of a plane's tile is no thread's own place, as rectangles.
pub fn rim(plane: &Group, block: [i64; 2]) -> Vec<super::stencil::Rectangle> {
    use super::stencil::Rectangle;
    let own = [0, 1].map(|side| Span {
        first: -plane.reach(side).first,
        last: block[side] - 1 - plane.reach(side).first,
    });
    let mut parts = Vec::new();
    for each in plane.rectangles(block) {
        // The runs of rows in front of the block's own, beside them, and behind them.
        let cut = |first: i64, last: i64| Span {
            first: each.rows.first.max(first),
            last: each.rows.last.min(last),
        };
        let above = cut(i64::MIN, own[0].first - 1);
        let below = cut(own[0].last + 1, i64::MAX);
        let beside = cut(own[0].first, own[0].last);
        let left = Span { last: own[1].first - 1, ..each.columns };
        let right = Span { first: own[1].last + 1, ..each.columns };
        let all = [(above, each.columns), (beside, left), (beside, right), (below, each.columns)];
        let all = all.map(|(rows, columns)| Rectangle { rows, columns });
        let there = |part: &Rectangle| part.rows.length() > 0 && part.columns.length() > 0;
        parts.extend(all.into_iter().filter(there));
    }
    parts
}
