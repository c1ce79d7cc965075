//! Nests whose iterations read what their neighbours read.
//!
//! Loads of one array whose subscripts differ by constants touch, for a block of iterations, a rectangle and a rim
//! round it, most elements of it several times: such a group goes through memory of the block (Andión et al.
//! 2015, Algorithm 3: reuse within a block; Li et al. 2016, §3.1: hulls of what references touch). An
//! offset is a constant, or runs over the constant range of an inner loop, as in a convolution.
//!
//! Only elements that the nest touches are copied, and such between two of one row: a star has no corners. What
//! lies beyond may not be memory of the program.

use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineLoadOp};
use gpuc_dialects::memref;
use gpuc_ir::{Ir, Op, OpView, Type, Value, WalkOrder};

use super::band::{Band, Dimension};
use super::contraction::{linear_over, subscripts};
use crate::analysis::access::{Access, access, name, root};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::versions::apart_from;

/// Numbers from the first to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The least.
    pub first: i64,
    /// The greatest.
    pub last: i64,
}

impl Span {
    fn or(self, other: Span) -> Span {
        Span { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// The numbers touched when an iteration touches these, by so many iterations one behind the other.
    fn of_side(self, side: i64) -> Span {
        Span { last: self.last + side - 1, ..self }
    }

    /// How many they are.
    pub fn length(self) -> i64 {
        self.last - self.first + 1
    }

    fn contains(self, number: i64) -> bool {
        (self.first..=self.last).contains(&number)
    }
}

/// A load that reads round about its iteration.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The load.
    pub op: Op,
    /// Its subscripts, linear in what the load names as operands.
    pub subscripts: Vec<Polynomial>,
    /// Rows and columns that an iteration reads, from its own.
    pub offsets: [Span; 2],
    /// How often an iteration executes it.
    pub times: i64,
}

/// Loads of one array whose subscripts differ by offsets of rows and columns.
#[derive(Clone, Debug)]
pub struct Group {
    /// The array's buffer.
    pub buffer: Value,
    /// Subscripts of rows and of columns.
    pub at: [usize; 2],
    /// Subscripts without offsets, the variables of rows and columns still in them.
    pub origin: Vec<Polynomial>,
    /// The loads.
    pub references: Vec<Reference>,
    /// Type of an element.
    pub element: Type,
    /// What the array is called.
    pub array: String,
    /// Conditions `form >= 0` under which loads stand, with variables of constant ranges.
    pub conditions: Vec<(Polynomial, Vec<(Value, Span)>)>,
}

/// A rectangle of a tile, counted from the tile's corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Its rows.
    pub rows: Span,
    /// Its columns.
    pub columns: Span,
}

impl Rectangle {
    /// Elements in it.
    pub fn area(self) -> i64 {
        self.rows.length() * self.columns.length()
    }
}

impl Group {
    /// Rows (side 0) or columns (side 1) that an iteration reads, from its own.
    pub fn reach(&self, side: usize) -> Span {
        let all = self.references.iter().map(|reference| reference.offsets[side]);
        all.reduce(Span::or).unwrap_or(Span { first: 0, last: 0 })
    }

    /// Rows and columns of the tile of a block with such sides.
    pub fn shape(&self, block: [i64; 2]) -> [i64; 2] {
        [0, 1].map(|side| self.reach(side).of_side(block[side]).length())
    }

    /// Bytes of the tile of such a block.
    pub fn bytes(&self, ir: &Ir, block: [i64; 2]) -> i64 {
        let element = memref::scalar_bytes(&ir.ctx, self.element).unwrap_or(8) as i64;
        self.shape(block).iter().product::<i64>() * element
    }

    /// What of the tile a block of such sides touches: runs of rows that have the same columns.
    pub fn rectangles(&self, block: [i64; 2]) -> Vec<Rectangle> {
        let corner = [0, 1].map(|side| self.reach(side).first);
        let mut found: Vec<Rectangle> = Vec::new();
        for row in 0..self.shape(block)[0] {
            let touching = self.references.iter().filter(|reference| {
                reference.offsets[0].of_side(block[0]).contains(row + corner[0])
            });
            let columns = touching.map(|reference| reference.offsets[1].of_side(block[1]));
            let Some(columns) = columns.reduce(Span::or) else { continue };
            let columns = Span { first: columns.first - corner[1], last: columns.last - corner[1] };
            match found.last_mut() {
                Some(last) if last.columns == columns && last.rows.last + 1 == row => {
                    last.rows.last = row;
                }
                _ => found.push(Rectangle { rows: Span { first: row, last: row }, columns }),
            }
        }
        found
    }

    /// Loads that an iteration executes.
    pub fn loads(&self) -> i64 {
        self.references.iter().map(|reference| reference.times).sum()
    }
}

impl Rectangle {
    /// What of it is left of so many columns from its middle on, those, and what is right of them: whole warps
    /// copy the middle without dividing.
    pub fn split(self, middle: i64) -> impl Iterator<Item = Rectangle> {
        let left = (self.columns.length() - middle).max(0) / 2;
        let ends = [0, left, left + middle, self.columns.length()];
        let parts = [0, 1, 2].map(|part| Rectangle {
            columns: Span {
                first: self.columns.first + ends[part],
                last: self.columns.first + ends[part + 1].min(ends[3]) - 1,
            },
            ..self
        });
        parts.into_iter().filter(|part| part.area() > 0)
    }
}

/// What an iteration asks of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Lines of 128 bytes that the first-level cache hands a warp, neighbours along its rows: a clock each.
    pub wavefronts: i64,
    /// Bytes of arrays that are read or written, each once.
    pub bytes: i64,
}

/// A parallel nest with groups of loads that overlap.
#[derive(Clone, Debug)]
pub struct Stencil {
    /// The parallel loop, the outermost one of several.
    pub nest: Op,
    /// Its dimensions.
    pub dims: Vec<Dimension>,
    /// The dimension of rows.
    pub row: usize,
    /// That of columns, which neighbouring threads execute: the last.
    pub column: usize,
    /// The body: operations in front of the innermost loop, and those in it, in order.
    pub body: Vec<Op>,
    /// Groups, in the order of their first loads.
    pub groups: Vec<Group>,
    /// Pairs of mapped buffers that must be apart, and have not been asked about.
    pub apart: Vec<(Value, Value)>,
}

impl Stencil {
    /// The nest as a stencil, if it is one: rectangular, with a group of two loads or more that nothing in
    /// the nest writes to.
    pub fn of(ir: &Ir, nest: Op) -> Option<Stencil> {
        let Band { dims, innermost, between } = Band::of(ir, nest)?;
        if dims.iter().any(|dim| dim.slanted.is_some()) {
            return None;
        }
        let block = ir.body(innermost, 0);
        let end = ir.terminator(block);
        let own: Vec<Op> = ir.ops(block).filter(|&op| Some(op) != end).collect();
        let column = dims.len() - 1;
        let mut this = Stencil {
            nest,
            dims,
            row: 0,
            column,
            body: between.into_iter().chain(own.iter().copied()).collect(),
            groups: Vec::new(),
            apart: Vec::new(),
        };
        let candidates = (0..column).map(|row| (row, this.groups_of(ir, innermost, &own, row)));
        let loads = |groups: &[Group]| groups.iter().map(Group::loads).sum::<i64>();
        let (row, groups) = candidates.max_by_key(|(row, groups)| (loads(groups), *row))?;
        this.row = row;
        for group in groups {
            let roots = [root(ir, group.buffer)];
            let Some(pairs) = apart_from(ir, nest, &roots, Access::writes) else { continue };
            for pair in pairs {
                if !this.apart.contains(&pair) {
                    this.apart.push(pair);
                }
            }
            this.groups.push(group);
        }
        (!this.groups.is_empty()).then_some(this)
    }

    /// The variables of rows and columns.
    pub fn variables(&self) -> [Value; 2] {
        [self.row, self.column].map(|dim| self.dims[dim].variable)
    }

    /// What a warp's accesses of an iteration each take, as the nest is.
    pub fn traffic(&self, ir: &Ir) -> Traffic {
        let mut traffic = Traffic::default();
        let mut moved: Vec<(Value, bool)> = Vec::new();
        let Some(innermost) = self.body.last().and_then(|&op| ir.parent_op(op)) else {
            return traffic;
        };
        let column = self.dims[self.column].variable;
        for op in self.body.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder)) {
            let Some(touched) = access(ir, op) else { continue };
            let bytes = ir.ctx.element(ir.ty(touched.buffer));
            let bytes = bytes.and_then(|element| memref::scalar_bytes(&ir.ctx, element));
            let bytes = bytes.unwrap_or(8) as i64;
            let times = self.surroundings(ir, innermost, op).map_or(1, |(times, ..)| times);
            traffic.wavefronts =
                traffic.wavefronts.saturating_add(times.saturating_mul((bytes / 4).max(1)));
            let fixed = subscripts(ir, op)
                .is_some_and(|forms| forms.iter().all(|form| form.coefficient(&[column]) == 0));
            let key = (touched.root, touched.writes());
            if !fixed && !moved.contains(&key) {
                moved.push(key);
                traffic.bytes += bytes;
            }
        }
        traffic
    }

    /// Bytes that an iteration asks the second-level cache for, where the first-level one holds what a block of such sides
    /// reads of each array and its planes.
    pub fn bytes_beyond_block(&self, ir: &Ir, block: [i64; 2]) -> f64 {
        let Some(innermost) = self.body.last().and_then(|&op| ir.parent_op(op)) else { return 0.0 };
        let bytes = |element| memref::scalar_bytes(&ir.ctx, element).unwrap_or(8) as f64;
        let groups = self.all_groups(ir, innermost, &self.body, self.row);
        let read = groups.iter().map(|group| {
            let area: i64 = group.rectangles(block).into_iter().map(Rectangle::area).sum();
            area as f64 / (block[0] * block[1]) as f64 * bytes(group.element)
        });
        let nested = self.body.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        let stores = nested.filter_map(|op| access(ir, op)).filter(|touched| touched.writes());
        let written = stores.filter_map(|touched| ir.ctx.element(ir.ty(touched.buffer))).map(bytes);
        read.sum::<f64>() + written.sum::<f64>()
    }

    /// The groups of two loads and more.
    fn groups_of(&self, ir: &Ir, innermost: Op, own: &[Op], row: usize) -> Vec<Group> {
        let mut groups = self.all_groups(ir, innermost, own, row);
        groups.retain(|group| group.loads() > 1);
        groups
    }

    fn all_groups(&self, ir: &Ir, innermost: Op, own: &[Op], row: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let all = own.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        for op in all.filter(|&op| AffineLoadOp::is(ir, op)) {
            let Some(mut found) = self.reference(ir, innermost, op, row) else { continue };
            let known = groups.iter_mut().find(|group| {
                (group.buffer, group.at, &group.origin) == (found.buffer, found.at, &found.origin)
            });
            match known {
                Some(group) => {
                    group.references.append(&mut found.references);
                    group.conditions.append(&mut found.conditions);
                }
                None => groups.push(found),
            }
        }
        groups
    }

    /// The group of one load.
    fn reference(&self, ir: &Ir, innermost: Op, op: Op, row: usize) -> Option<Group> {
        let (times, ranges, conditions) = self.surroundings(ir, innermost, op)?;
        let subscripts = subscripts(ir, op)?;
        let variables = [row, self.column].map(|dim| self.dims[dim].variable);
        let mut at = [usize::MAX; 2];
        for (side, &variable) in variables.iter().enumerate() {
            let mut using =
                (0..subscripts.len()).filter(|&i| subscripts[i].coefficient(&[variable]) != 0);
            at[side] = using.next().filter(|&i| subscripts[i].coefficient(&[variable]) == 1)?;
            if using.next().is_some() {
                return None;
            }
        }
        if at[0] == at[1] || at[1] + 1 != subscripts.len() {
            return None;
        }
        let mut origin = subscripts.clone();
        let mut offsets = [Span { first: 0, last: 0 }; 2];
        let mut used: Vec<Value> = Vec::new();
        for (side, &subscript) in at.iter().enumerate() {
            let form = &mut origin[subscript];
            let constant = form.constant_term();
            let (mut first, mut last) = (constant, constant);
            *form = form.plus(&Polynomial::constant(constant), -1)?;
            for &(variable, range) in &ranges {
                let factor = form.coefficient(&[variable]);
                if factor == 0 {
                    continue;
                }
                // A diagonal is not all of its rectangle.
                if used.contains(&variable) {
                    return None;
                }
                used.push(variable);
                let ends = [range.first, range.last].map(|end| factor.checked_mul(end));
                first = first.checked_add(ends[0]?.min(ends[1]?))?;
                last = last.checked_add(ends[0]?.max(ends[1]?))?;
                *form = form.plus(&Polynomial::term(&[variable], factor), -1)?;
            }
            if first.abs().max(last.abs()) > MOST_REACH {
                return None;
            }
            offsets[side] = Span { first, last };
        }
        let buffer = access(ir, op)?.buffer;
        let known = |value: Value| {
            self.dims.iter().any(|dim| dim.variable == value)
                || !is_defined_inside(ir, value, self.nest)
        };
        let fixed = origin.iter().flat_map(Polynomial::values).all(known)
            && conditions
                .iter()
                .flat_map(|condition: &Polynomial| condition.values())
                .all(|value| known(value) || ranges.iter().any(|&(inner, _)| inner == value))
            && !is_defined_inside(ir, buffer, self.nest);
        let element = ir.ctx.element(ir.ty(buffer))?;
        let number =
            ir.ctx.is_float(element) || ir.ctx.int_width(element).is_some_and(|bits| bits >= 8);
        let bytes = memref::scalar_bytes(&ir.ctx, element)?;
        (fixed && number && bytes <= 8).then(|| Group {
            buffer,
            at,
            origin,
            references: vec![Reference { op, subscripts, offsets, times }],
            element,
            array: name(ir, root(ir, buffer)),
            conditions: conditions.into_iter().map(|form| (form, ranges.clone())).collect(),
        })
    }

    /// How often an iteration executes an operation, over which ranges inner loops run round it, and under which
    /// conditions it stands; `None` where that is not known.
    #[allow(clippy::type_complexity)]
    fn surroundings(
        &self,
        ir: &Ir,
        innermost: Op,
        op: Op,
    ) -> Option<(i64, Vec<(Value, Span)>, Vec<Polynomial>)> {
        let (mut times, mut ranges, mut conditions) = (1i64, Vec::new(), Vec::new());
        let mut at = op;
        while let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at)) {
            if outer == innermost {
                return Some((times, ranges, conditions));
            }
            if let Some(inner) = AffineForOp::cast(ir, outer) {
                let first = inner.constant_lower_bound(ir)?;
                let trips = i64::try_from(inner.constant_trip_count(ir)?).ok()?;
                times = times.checked_mul(trips).filter(|&times| times > 0)?;
                let last = (trips - 1).checked_mul(inner.step_value(ir))?.checked_add(first)?;
                ranges.push((inner.induction_var(ir), Span { first, last }));
            } else if let Some(choice) = AffineIfOp::cast(ir, outer) {
                if ir.region(outer, 0) != region {
                    return None;
                }
                let set = ir.ctx.set_data(choice.condition(ir)?).clone();
                let operands: Vec<Value> = ir.operands(outer).collect();
                for &(expr, equality) in &set.constraints {
                    let form = linear_over(ir, expr, set.dims as usize, &operands)
                        .filter(|_| !equality)?;
                    conditions.push(form);
                }
            } else {
                return None;
            }
            at = outer;
        }
        None
    }
}

/// Offsets beyond this are not neighbours.
const MOST_REACH: i64 = 1 << 16;
