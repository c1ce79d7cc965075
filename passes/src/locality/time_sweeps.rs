//! Two sweeps over the same iterations that a loop of the host repeats, as those of a stencil over time.
//!
//! The first sweep reads an array at the places round its iteration and writes another one; the second reads that and
//! writes the first (PolyBench's jacobi, a stencil with a copy back). Between two rounds only the array that the
//! second sweep writes is alive: what the first one writes is written anew before anything reads it. So a block that has in its
//! memory what its iterations and their neighbours read can execute several rounds without asking other blocks
//! (overlapped tiles; Holewinski et al., ICS 2012; Meng and Skadron, ICS 2009). What the sweeps read and do not write is as it was
//! before the loop.

use gpuc_dialects::affine::{AffineLoadOp, AffineParallelOp, AffineStoreOp, AffineValue};
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::{arith, memref};
use gpuc_ir::op::Traits;
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, ValueMap, WalkOrder};

use super::band::{Band, Bound, Dimension};
use super::contraction::{linear, subscripts};
use crate::analysis::access::{Alias, Storage, access, alias, name, root};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::steps::refusal::Refusal;
use crate::versions::known_apart;

/// A load of one of the arrays that the sweeps take turns in.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The load.
    pub op: Op,
    /// Which of the arrays.
    pub field: usize,
    /// Rows, columns and planes from the iteration's own.
    pub offset: [i64; 3],
}

/// One sweep: a nest of parallel loops.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The nest.
    pub nest: Op,
    /// Variables of its dimensions.
    pub variables: Vec<Value>,
    /// What an iteration does.
    pub body: Vec<Op>,
    /// The store of its result.
    pub store: Op,
    /// Its loads of the arrays that the sweeps write.
    pub reads: Vec<Read>,
    /// Those of other arrays, from places that hang on nothing but where the iteration is: the same in all rounds.
    pub lasting: Vec<Op>,
}

impl Sweep {
    /// How many rows (side 0), columns (side 1) and planes (side 2) away from its own an iteration reads.
    pub fn reach(&self, side: usize) -> i64 {
        self.reads.iter().map(|read| read.offset[side].abs()).max().unwrap_or(0)
    }
}

/// An array that a sweep writes.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its buffer.
    pub buffer: Value,
    /// Subscripts of an iteration's own element, in the variables of the first sweep.
    pub own: Vec<Polynomial>,
    /// Type of an element.
    pub element: Type,
    /// What the array is called.
    pub array: String,
}

/// The two sweeps of a round.
#[derive(Clone, Debug)]
pub struct Sweeps {
    /// The dimensions of both.
    pub dims: Vec<Dimension>,
    /// The dimensions of rows and of columns.
    pub tiled: [usize; 2],
    /// Whether there are rows, not one dimension alone.
    pub has_rows: bool,
    /// The dimension that blocks walk along, where neighbours along three are read.
    pub planes: Option<usize>,
    /// The sweeps, in order.
    pub each: [Sweep; 2],
    /// The arrays: what is alive between rounds, which the second sweep writes; and what the first one writes.
    pub fields: [Field; 2],
    /// Pairs of mapped buffers that must be apart, and have not been asked about.
    pub apart: Vec<(Value, Value)>,
}

/// Why there are none.
#[derive(Clone, Debug)]
pub enum Unsuitable {
    /// They do not look like sweeps that take turns: there is nothing to say.
    Other,
    /// They do, but this forbids it.
    Refused(Box<Refusal>),
}

/// Both regions of a round as one, inserted in front of the first: what computes views and bounds, one alike for both, and
/// the two nests. An index of 0 comes first.
pub fn join(ir: &mut Ir, regions: [RegionOp; 2]) -> RegionOp {
    let [first, second] = regions;
    let mut map = ValueMap::new();
    let mut b = Builder::before(&mut *ir, first.op());
    let joined = b.clone_op(first.op(), &mut map);
    b.insert(joined);
    let joined = RegionOp::cast(ir, joined).expect("a copy of a region");
    let (block, location) = (joined.block(ir), ir.location(first.op()));
    let mut b = Builder::at_start(&mut *ir, block, location);
    arith::constant_index(&mut b, 0);
    let mut map = ValueMap::new();
    let end = ir.terminator(block);
    for op in ir.ops(second.block(ir)).collect::<Vec<_>>() {
        if ir.has_trait(op, Traits::TERMINATOR) {
            continue;
        }
        if let Some(known) = alike(ir, block, op, &map) {
            for (i, &result) in ir.results(op).to_vec().iter().enumerate() {
                map.insert(result, ir.result(known, i));
            }
            continue;
        }
        let mut b = match end {
            Some(end) => Builder::before(&mut *ir, end),
            None => Builder::at_end(&mut *ir, block, location),
        };
        let copy = b.clone_op(op, &mut map);
        b.insert(copy);
    }
    joined
}

/// An operation of a block that computes what `op` would.
fn alike(ir: &Ir, block: gpuc_ir::Block, op: Op, map: &ValueMap) -> Option<Op> {
    let is_quiet = |op: Op| ir.is_effect_free(op) && ir.regions(op).is_empty();
    let operands: Vec<Value> = ir.operands(op).map(|value| map.get(value)).collect();
    let same = |&known: &Op| {
        ir.op_name(known) == ir.op_name(op)
            && ir.attrs(known) == ir.attrs(op)
            && ir.operands(known).eq(operands.iter().copied())
            && ir.result_types(known).eq(ir.result_types(op))
    };
    is_quiet(op).then(|| ir.ops(block).filter(|&known| is_quiet(known)).find(same)).flatten()
}

impl Sweeps {
    /// The sweeps of a region that [`join`] has made.
    ///
    /// # Errors
    /// Why there are none.
    pub fn of(ir: &mut Ir, joined: RegionOp) -> Result<Sweeps, Unsuitable> {
        let bounds = [0, 1].map(|number| constant(ir, number));
        let ops: Vec<Op> = ir.ops(joined.block(ir)).collect();
        let mut nests = ops.iter().copied().filter(|&op| AffineParallelOp::is(ir, op));
        let (Some(first), Some(second)) = (nests.next(), nests.next()) else {
            return Err(Unsuitable::Other);
        };
        let zero = ops.first().map(|&op| ir.result(op, 0)).ok_or(Unsuitable::Other)?;
        let parts = [first, second].map(|nest| Part::of(ir, nest));
        let [Some(one), Some(two)] = parts else { return Err(Unsuitable::Other) };
        let [lower, upper] = bounds;
        // In place of rows where there is one dimension only.
        let alone = Dimension { variable: zero, lower, upper, slanted: None };
        Sweeps::of_parts(ir, [one, two], alone)
    }

    fn of_parts(ir: &Ir, [one, two]: [Part; 2], alone: Dimension) -> Result<Sweeps, Unsuitable> {
        let written = [&two, &one].map(|part| root(ir, ir.operand(part.store, 1)));
        let reads = |part: &Part, root: Value| part.loads.iter().any(|load| load.1 == root);
        if written[0] == written[1] || !reads(&one, written[0]) || !reads(&two, written[1]) {
            return Err(Unsuitable::Other);
        }
        let refuse = |at: Op, rule: String| {
            Err(Unsuitable::Refused(Box::new(Refusal::new("block-time", at, rule))))
        };
        if let Some(load) = one.loads.iter().find(|load| load.1 == written[1]) {
            let array = name(ir, written[1]);
            let rule = format!("the first sweep reads {array} of the step before, which it writes");
            return refuse(load.0, rule);
        }
        if !one.same_iterations(ir, &two) {
            let rule = "the two sweeps of a step are not over the same iterations";
            return refuse(two.nest, rule.into());
        }
        let from: Vec<Value> = two.band.dims.iter().map(|dim| dim.variable).collect();
        let to: Vec<Value> = one.band.dims.iter().map(|dim| dim.variable).collect();
        let mut fields = Vec::new();
        for part in [&two, &one] {
            match part.field(ir, &from, &to) {
                Some(field) => fields.push(field),
                None => {
                    let rule = "a sweep does not write an element of its own for each iteration, a number, with columns last";
                    return refuse(part.store, rule.into());
                }
            }
        }
        let Ok(fields) = <[Field; 2]>::try_from(fields) else { return Err(Unsuitable::Other) };
        // What is alive goes through both arrays, from launch to launch.
        if fields[0].element != fields[1].element {
            let [alive, other] = [&fields[0].array, &fields[1].array];
            let rule = format!(
                "elements of {alive} would be kept in {other}, whose elements have another type"
            );
            return refuse(one.store, rule);
        }
        let mut offsets = Vec::new();
        for part in [&one, &two] {
            let mut own = Vec::new();
            for &(op, root) in part.loads.iter().filter(|load| written.contains(&load.1)) {
                let field = usize::from(root == written[1]);
                let Some(offset) = offset(ir, op, &fields[field], &from, &to) else {
                    let array = &fields[field].array;
                    let rule = format!(
                        "{array} is read elsewhere than at a fixed distance from what is written, or under a condition"
                    );
                    return refuse(op, rule);
                };
                own.push((op, field, offset));
            }
            offsets.push(own);
        }
        let column = to.len() - 1;
        let wide = |dim: usize| offsets.iter().flatten().any(|(.., offset)| offset[dim] != 0);
        let rows: Vec<usize> = (0..column).filter(|&dim| wide(dim)).collect();
        let (planes, row) = match rows[..] {
            [] => (None, column.checked_sub(1)),
            [row] => (None, Some(row)),
            [planes, row] => (Some(planes), Some(row)),
            _ => {
                let rule = "neighbours along more than three loops are read";
                return refuse(one.nest, rule.into());
            }
        };
        if let Some(planes) = planes {
            // Of a border, what is read of a plane is known without others.
            let beside = |offset: &[i64]| {
                let mut flat = offset.to_vec();
                flat[planes] = 0;
                flat
            };
            let all = || offsets.iter().flatten();
            let flat = |field: usize, at: &[i64]| {
                at.iter().all(|&n| n == 0)
                    || all().any(|(_, other, offset)| *other == field && offset == at)
            };
            if let Some((load, ..)) = all().find(|(_, field, at)| !flat(*field, &beside(at))) {
                let rule = "a neighbour in another plane is read, but not the one beside it in the iteration's own";
                return refuse(*load, rule.into());
            }
        }
        if let Some((load, ..)) =
            offsets[1].iter().find(|(_, field, _)| planes.is_some() && *field == 0)
        {
            let rule =
                "the second sweep reads what it writes, and neighbours along three loops are read";
            return refuse(*load, rule.into());
        }
        let mut dims = one.band.dims.clone();
        if row.is_none() {
            dims.push(alone);
        }
        let has_rows = dims.len() == to.len();
        let tiled = [row.unwrap_or(1), column];
        let along = |offset: &[i64], dim: Option<usize>| dim.map_or(0, |dim| offset[dim]);
        let at = |offset: &[i64]| [along(offset, row), offset[column], along(offset, planes)];
        let mut apart = Vec::new();
        for part in [&one, &two] {
            for &root in part.loads.iter().map(|(_, root)| root).chain(&written) {
                for &other in &written {
                    let ask = match other == root {
                        true => Alias::No,
                        false => alias(Storage::of(ir, root), Storage::of(ir, other)),
                    };
                    match ask {
                        Alias::No => {}
                        Alias::Mapped => apart.push((root, other)),
                        Alias::May => {
                            let arrays = [root, other].map(|root| name(ir, root));
                            let rule = format!("{} and {} may share memory", arrays[0], arrays[1]);
                            return refuse(part.nest, rule);
                        }
                    }
                }
            }
        }
        let known = known_apart(ir, one.nest);
        let mut asked: Vec<(Value, Value)> = Vec::new();
        for (a, b) in apart.into_iter().filter(|pair| !known.contains(pair)) {
            if !asked.contains(&(a, b)) && !asked.contains(&(b, a)) {
                asked.push((a, b));
            }
        }
        let sweep = |part: &Part, reads: &[(Op, usize, Vec<i64>)]| Sweep {
            nest: part.nest,
            variables: part.band.dims.iter().map(|dim| dim.variable).collect(),
            body: part.body.clone(),
            store: part.store,
            reads: reads
                .iter()
                .map(|(op, field, offset)| Read { op: *op, field: *field, offset: at(offset) })
                .collect(),
            lasting: part
                .body
                .iter()
                .copied()
                .filter(|&op| part.is_lasting(ir, op, reads.iter().map(|read| read.0)))
                .collect(),
        };
        let each = [sweep(&one, &offsets[0]), sweep(&two, &offsets[1])];
        let found = Sweeps { dims, tiled, has_rows, planes, each, fields, apart: asked };
        let reaches = |side: usize| found.each.iter().any(|sweep| sweep.reach(side) > 0);
        match reaches(0) || reaches(1) {
            true => Ok(found),
            false => Err(Unsuitable::Other),
        }
    }

    /// How far from a tile's iterations it is read, at most, in rows (side 0), columns (side 1) or planes (side 2).
    pub fn rim(&self, side: usize) -> i64 {
        self.each.iter().map(|sweep| sweep.reach(side)).max().unwrap_or(0)
    }

    /// The offsets at which an array is read, but an iteration's own.
    pub fn offsets(&self, field: usize) -> Vec<[i64; 3]> {
        let reads = self.each.iter().flat_map(|sweep| &sweep.reads);
        let mut offsets: Vec<[i64; 3]> = reads
            .filter(|read| read.field == field && read.offset != [0; 3])
            .map(|read| read.offset)
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }
}

/// A number as a bound.
fn constant(ir: &mut Ir, number: i64) -> Bound {
    let value = AffineValue::constant(&mut ir.ctx, number);
    Bound::new(value.results(&ir.ctx)[0], &value)
}

/// One nest, before it is known what it has to do with the other one.
struct Part {
    nest: Op,
    band: Band,
    body: Vec<Op>,
    store: Op,
    /// Loads, each with the root of its buffer.
    loads: Vec<(Op, Value)>,
}

impl Part {
    fn of(ir: &Ir, nest: Op) -> Option<Part> {
        let band = Band::of_any(ir, nest)?;
        let block = ir.body(band.innermost, 0);
        let own = ir.ops(block).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR));
        let body: Vec<Op> = band.between.iter().copied().chain(own).collect();
        let (mut loads, mut stores) = (Vec::new(), Vec::new());
        for &op in &body {
            if AffineStoreOp::is(ir, op) {
                stores.push(op);
                continue;
            }
            for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
                let passes = ir.has_trait(inner, Traits::RECURSIVE_EFFECTS)
                    || ir.has_trait(inner, Traits::TERMINATOR)
                    || ir.is_effect_free(inner);
                match access(ir, inner) {
                    Some(touched) if !touched.writes() => loads.push((inner, touched.root)),
                    None if passes => {}
                    _ => return None,
                }
            }
        }
        let [store] = stores[..] else { return None };
        let is_plain = band.dims.iter().all(|dim| dim.slanted.is_none());
        is_plain.then_some(Part { nest, band, body, store, loads })
    }

    /// Whether an operation is a load, but for some, with subscripts of the nest's variables and of what is known in front.
    fn is_lasting(&self, ir: &Ir, op: Op, mut but: impl Iterator<Item = Op>) -> bool {
        let known = |value: Value| {
            self.band.dims.iter().any(|dim| dim.variable == value)
                || !is_defined_inside(ir, value, self.nest)
        };
        AffineLoadOp::is(ir, op) && !but.any(|read| read == op) && ir.operands(op).all(known)
    }

    fn same_iterations(&self, ir: &Ir, other: &Part) -> bool {
        let same = |a: &Bound, b: &Bound| {
            let forms = [a, b].map(|bound| linear(ir, bound.expr, &bound.value));
            match forms {
                [Some(a), Some(b)] => a == b,
                _ => {
                    a.expr == b.expr
                        && a.value.map == b.value.map
                        && a.value.operands == b.value.operands
                }
            }
        };
        let pairs = || self.band.dims.iter().zip(&other.band.dims);
        self.band.dims.len() == other.band.dims.len()
            && pairs().all(|(a, b)| same(&a.lower, &b.lower) && same(&a.upper, &b.upper))
    }

    /// What it writes: an element for each iteration, each variable alone in one subscript, columns in the last one.
    fn field(&self, ir: &Ir, from: &[Value], to: &[Value]) -> Option<Field> {
        let buffer = ir.operand(self.store, 1);
        let forms = subscripts(ir, self.store)?;
        let own: Option<Vec<Polynomial>> =
            forms.iter().map(|form| renamed(form, from, to)).collect();
        let own = own?;
        let mut taken = Vec::new();
        for &variable in to {
            let mut using = (0..own.len()).filter(|&i| own[i].coefficient(&[variable]) != 0);
            taken.push(using.next().filter(|&i| own[i].coefficient(&[variable]) == 1)?);
            if using.next().is_some() {
                return None;
            }
        }
        let columns_last = *taken.last()? + 1 == own.len();
        taken.sort_unstable();
        taken.dedup();
        let known = |value: &Value| to.contains(value) || !is_defined_inside(ir, *value, self.nest);
        let element = ir.ctx.element(ir.ty(buffer))?;
        let number =
            ir.ctx.is_float(element) || ir.ctx.int_width(element).is_some_and(|bits| bits >= 8);
        let fits = taken.len() == to.len()
            && columns_last
            && own.iter().flat_map(Polynomial::values).all(|value| known(&value))
            && number
            && memref::scalar_bytes(&ir.ctx, element).is_some_and(|bytes| bytes <= 8);
        let array = name(ir, root(ir, buffer));
        fits.then_some(Field { buffer, own, element, array })
    }
}

/// A form with other variables.
fn renamed(form: &Polynomial, from: &[Value], to: &[Value]) -> Option<Polynomial> {
    let mut form = form.clone();
    for (&from, &to) in from.iter().zip(to) {
        let factor = form.coefficient(&[from]);
        if factor != 0 && from != to {
            form = form.plus(&Polynomial::term(&[from], factor), -1)?;
            form = form.plus(&Polynomial::term(&[to], factor), 1)?;
        }
    }
    Some(form)
}

/// How far from its own element an iteration reads a field, by dimensions; `None` where that is not the same everywhere, or
/// not read each time.
fn offset(ir: &Ir, op: Op, field: &Field, from: &[Value], to: &[Value]) -> Option<Vec<i64>> {
    let is_whole = AffineLoadOp::cast(ir, op)?.memref(ir) == field.buffer;
    let alone = ir.parent_op(op).is_some_and(|outer| AffineParallelOp::is(ir, outer));
    let forms = subscripts(ir, op)?;
    if !is_whole || !alone || forms.len() != field.own.len() {
        return None;
    }
    let mut offset = vec![0; to.len()];
    for (form, own) in forms.iter().zip(&field.own) {
        let further = renamed(form, from, to)?.plus(own, -1)?.as_constant()?;
        match to.iter().position(|&variable| own.coefficient(&[variable]) != 0) {
            Some(dim) if further.abs() <= MOST_REACH => offset[dim] = further,
            None if further == 0 => {}
            _ => return None,
        }
    }
    Some(offset)
}

/// Places further away are not neighbours.
const MOST_REACH: i64 = 16;
