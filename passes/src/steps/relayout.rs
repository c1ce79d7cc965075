//! `affine-relayout`: an array whose elements lie in memory in the order in which a nest's threads touch them.
//!
//! Needs a perfect nest in a compute region whose accesses to the array are to an element for each iteration of some of
//! its loops, and others beside it: stencils that write where they read. Neighbouring iterations of a wavefront touch
//! elements in different rows, each with a sector of memory of its own. The nest gets an array in which one of the
//! dimensions is the last, and of the others a multiple of it is added or taken away, so that neighbours are neighbours
//! in memory too. The host allocates it in front of the region; the elements that the nest touches are copied to it in
//! front of the nest, those that it writes are copied back behind it. That pays where the nest touches each element many
//! times, in a loop over time. No order is changed, so that no dependence forbids it; another array that may be the same
//! memory does. After O'Boyle and Knijnenburg, "Nonsingular data transformations: definition, validity, and
//! applications", 1999.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value};
use gpuc_presburger::{Affine, Var};
use indexmap::IndexSet;

use super::device_array::{BoxCopies, allocate, behind, element_of, has_known_extents, redirect};
use super::refusal::Refusal;
use super::statements::Statements;
use super::{change_regions, outermost};
use crate::analysis::access::{Access, name};
use crate::analysis::loops::{CountedLoop, are_rectangular, candidates, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::coverage::ElementBox;
use crate::analysis::polynomial::Polynomial;
use crate::plan::step::{self, Form};
use crate::plan::{names, record};
use crate::raise::affine_operands::AffineOperands;
use crate::versions::apart_from;

gpuc_ir::pass! {
    /// Lay an array out as a nest touches it.
    AffineRelayout = "affine-relayout" on "func.func" {
        /// The array's name in the program; all arrays if there is none.
        array: String = String::new(),
        /// The dimension that becomes the last one.
        last: i64 = 0,
        /// Of each other dimension, in order, how much of the last one is added.
        factors: Vec<i64> = Vec::new(),
    }
}

const STEP: &str = "affine-relayout";
/// Why what is mapped can be ([`Relayout::has_maps`]).
const ASKED: &str = "it was asked whether accesses and copies are affine";
/// Multiples of the last dimension in the others, at most, in all: each makes the array as large again.
const MOST_SLANTED: i64 = 4;
/// Boxes of elements that are copied one after the other, at most.
const MOST_BOXES: usize = 4;

/// Where elements of an array go in another one of as many dimensions: a dimension of the one is the last of the other,
/// and to the rest, in their order, multiples of it are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The dimension that becomes the last.
    pub last: usize,
    /// Of each dimension of the array, how much of the last one is added; 0 for itself.
    pub factors: Vec<i64>,
}

impl Layout {
    /// The layout in which iterations that follow each other touch elements that do, where from one to the next the
    /// subscripts of an array change by so much. `None` if they do already, or if there is none.
    pub fn along(step: &[i64]) -> Option<Layout> {
        let [outer @ .., inner] = step else { return None };
        if inner.abs() == 1 && outer.iter().all(|&by| by == 0) {
            return None;
        }
        let last = step.iter().rposition(|by| by.abs() == 1)?;
        let factor = |dim: usize| if dim == last { 0 } else { -step[dim] * step[last] };
        let layout = Layout { last, factors: (0..step.len()).map(factor).collect() };
        (layout.factors.iter().map(|factor| factor.abs()).sum::<i64>() <= MOST_SLANTED)
            .then_some(layout)
    }

    /// The dimensions of the array but the last of the new one, in order.
    fn others(&self) -> impl Iterator<Item = usize> {
        (0..self.factors.len()).filter(|&dim| dim != self.last)
    }

    /// As rows over the dimensions of the array.
    pub fn forms(&self) -> Vec<Form> {
        let form = |mut terms: Vec<(usize, i64)>| {
            terms.retain(|&(_, factor)| factor != 0);
            terms.sort_unstable();
            let terms = terms.into_iter().map(|(dim, factor)| (format!("d{dim}"), factor));
            Form { terms: terms.collect(), constant: 0 }
        };
        let row = |own: usize| form(vec![(own, 1), (self.last, self.factors[own])]);
        self.others().map(row).chain([form(vec![(self.last, 1)])]).collect()
    }

    /// The layout that rows say; `None` if they are not of that kind.
    pub fn of_forms(forms: &[Form]) -> Option<Layout> {
        let number = |name: &str| name.strip_prefix('d')?.parse::<usize>().ok();
        let (last_row, others) = forms.split_last()?;
        let [(name, 1)] = &last_row.terms[..] else { return None };
        let last = number(name).filter(|&last| last < forms.len())?;
        let mut layout = Layout { last, factors: vec![0; forms.len()] };
        let own: Vec<usize> = layout.others().collect();
        for (&dim, form) in own.iter().zip(others) {
            let terms = form.terms.iter().map(|(name, factor)| Some((number(name)?, *factor)));
            let mut terms: Vec<(usize, i64)> = terms.collect::<Option<_>>()?;
            terms.retain(|&term| term != (dim, 1));
            match terms[..] {
                [] => {}
                [(at, factor)] if at == last => layout.factors[dim] = factor,
                _ => return None,
            }
            if form.terms.len() != terms.len() + 1 || form.constant != 0 {
                return None;
            }
        }
        (last_row.constant == 0).then_some(layout)
    }

    /// Where an element with these subscripts stands.
    fn place(&self, subscripts: &[Polynomial]) -> Option<Vec<Polynomial>> {
        let last = &subscripts[self.last];
        let other = |dim: usize| subscripts[dim].plus(last, self.factors[dim]);
        self.others().map(other).chain([Some(last.clone())]).collect()
    }

    /// First and last of each dimension, for elements that stand in a box of the array.
    fn sides(&self, elements: &ElementBox) -> Option<ElementBox> {
        let (first, last) = &elements[self.last];
        let other = |dim: usize| {
            let factor = self.factors[dim];
            let [low, high] = if factor < 0 { [last, first] } else { [first, last] };
            let (from, to) = &elements[dim];
            Some((from.plus(low, factor)?, to.plus(high, factor)?))
        };
        self.others().map(other).chain([Some((first.clone(), last.clone()))]).collect()
    }
}

/// An array that is to be laid out anew for a nest.
pub struct Relayout {
    root: Op,
    layout: Layout,
    accesses: Vec<Access>,
    /// The loops of the nest.
    loops: Vec<CountedLoop>,
    /// For each dimension of the array the loop that counts its elements.
    along: Vec<CountedLoop>,
    /// Boxes of distances from the element of an iteration: what is copied in front.
    read: Vec<Vec<(i64, i64)>>,
    /// The same, of what is copied back.
    written: Vec<Vec<(i64, i64)>>,
    /// First and last of each dimension of the new array.
    sides: ElementBox,
    /// Arrays that are taken not to be the same memory.
    pub apart: Vec<(Value, Value)>,
}

impl Relayout {
    /// What a layout of an array does to the nest `root` in a region.
    ///
    /// # Errors
    /// What about the nest or the array forbids it.
    pub fn of(
        ir: &Ir,
        nest: &Nest,
        region: Op,
        root: Op,
        array: Value,
        layout: &Layout,
    ) -> Result<Relayout, Refusal> {
        let called = name(ir, array);
        let refuse = |rule: String| Refusal::new(STEP, root, rule);
        let all = nest
            .accesses(root)
            .map_err(|op| refuse(format!("the effects of '{}' are not known", ir.name(op))))?;
        let accesses: Vec<Access> =
            all.iter().filter(|access| access.root == array).cloned().collect();
        let Some(first) = accesses.first() else {
            return Err(refuse(format!("the nest does not touch {called}")));
        };
        if first.subscripts.len() != layout.factors.len() || layout.factors.len() < 2 {
            return Err(refuse(format!(
                "{called} has {} dimensions, and the layout {}",
                first.subscripts.len(),
                layout.factors.len()
            )));
        }
        let loops = perfect(ir, root, &accesses).ok_or_else(|| {
            refuse(format!(
                "not all loops of the nest are round each access to {called}, and nothing else is"
            ))
        })?;
        if !are_rectangular(&loops) {
            return Err(refuse(
                "bounds of its loops depend on each other, or have no closed form".to_owned(),
            ));
        }
        let mut along: Vec<CountedLoop> = Vec::new();
        let (mut read, mut written) = (IndexSet::new(), IndexSet::new());
        for access in &accesses {
            let places = access
                .subscripts
                .iter()
                .map(|form| distance(form.as_ref()?.as_polynomial()?, &loops));
            let plain = access.buffer == first.buffer
                && access.length == 1
                && access.member.is_none()
                && (AffineLoadOp::is(ir, access.op) || AffineStoreOp::is(ir, access.op));
            let places: Option<Vec<(usize, i64)>> = places.collect();
            let Some(places) = places.filter(|_| plain) else {
                return Err(refuse(format!(
                    "a subscript of {called} is not a loop's variable and a number"
                )));
            };
            let own: Vec<usize> = places.iter().map(|&(index, _)| index).collect();
            let all: IndexSet<usize> = own.iter().copied().collect();
            let same = along.is_empty()
                || along.iter().zip(&own).all(|(dim, &index)| dim.op == loops[index].op);
            if !same || all.len() < own.len() {
                return Err(refuse(format!(
                    "subscripts of {called} are of different loops in different accesses"
                )));
            }
            along = own.iter().map(|&index| loops[index].clone()).collect();
            let distances: Vec<i64> = places.iter().map(|&(_, distance)| distance).collect();
            if access.writes() { &mut written } else { &mut read }.insert(distances);
        }
        let others =
            |access: &Access| access.root != array && (access.writes() || !written.is_empty());
        let apart = apart_from(ir, root, &[array], others)
            .ok_or_else(|| refuse(format!("another array may be the memory of {called}")))?;
        let (read, written) = (boxes(&read), boxes(&written));
        if read.len() > MOST_BOXES || written.len() > MOST_BOXES {
            return Err(refuse(format!(
                "the elements of {called} that are touched stand in too many boxes"
            )));
        }
        let all = || read.iter().chain(&written);
        let touched = (0..along.len()).map(|dim| {
            let first = all().map(|each| each[dim].0).min()?;
            Some((first, all().map(|each| each[dim].1).max()?))
        });
        let touched = touched.collect::<Option<Vec<_>>>();
        let sides = touched.and_then(|touched| layout.sides(&elements(&along, &touched)?));
        let sides =
            sides.filter(|sides| has_known_extents(ir, region, sides)).ok_or_else(|| {
                refuse(format!("the host cannot tell how many elements of {called} are touched"))
            })?;
        let layout = layout.clone();
        let found = Relayout { root, layout, accesses, loops, along, read, written, sides, apart };
        match found.has_maps(ir) {
            true => Ok(found),
            false => {
                Err(refuse(format!("subscripts of {called}, or bounds, are products of variables")))
            }
        }
    }

    /// As a step of a plan.
    pub fn step(&self, ir: &Ir) -> step::Layout {
        step::Layout {
            array: name(ir, self.accesses[0].root),
            nest: names::of(ir, self.root),
            rows: self.layout.forms(),
        }
    }

    /// Where an element of the array stands in the new one, counted from its first.
    fn place(&self, subscripts: &[Polynomial]) -> Option<Vec<Polynomial>> {
        let forms = self.layout.place(subscripts)?.into_iter().zip(&self.sides);
        forms.map(|(form, (first, _))| form.plus(first, -1)).collect()
    }

    /// Iterations of each loop, less one.
    fn trips(&self) -> Option<Vec<Polynomial>> {
        let less_one = |dim: &CountedLoop| {
            let (first, last) = dim.iterations()?;
            last.plus(&first, -1)
        };
        self.loops.iter().map(less_one).collect()
    }

    /// Whether accesses can be redirected and elements be copied: all that both take is affine there.
    fn has_maps(&self, ir: &Ir) -> bool {
        let boxes = self.read.iter().chain(&self.written);
        let boxes = boxes.map(|each| elements(&self.along, each)).collect::<Option<Vec<_>>>();
        let (Some(boxes), Some(mut forms)) = (boxes, self.trips()) else { return false };
        forms.extend(boxes.iter().flatten().flat_map(|side| [side.0.clone(), behind(side)]));
        forms.extend(self.sides.iter().map(|(first, _)| first.clone()));
        AffineOperands::can_map(ir, self.root, &forms)
            && self.accesses.iter().all(|access| {
                let place = self.place_of(access);
                place.is_some_and(|place| AffineOperands::can_map(ir, access.op, &place))
            })
    }

    fn place_of(&self, access: &Access) -> Option<Vec<Polynomial>> {
        let forms = access.subscripts.iter().map(|form| form.as_ref()?.as_polynomial().cloned());
        self.place(&forms.collect::<Option<Vec<_>>>()?)
    }

    /// Carries it out; what is said of it.
    pub fn carry_out(self, ir: &mut Ir, func: Op, region: RegionOp) -> Diagnostic {
        let array = self.accesses[0].root;
        let called = name(ir, array);
        let place = ir.ctx.place(ir.location(self.root));
        record(ir, func, self.step(ir));
        let buffer = self.accesses[0].buffer;
        let element = element_of(ir, buffer);
        let view = allocate(ir, region.op(), self.root, element, &called, &self.sides);
        let mut operands = AffineOperands::default();
        for access in &self.accesses {
            let place = self.place_of(access).and_then(|place| operands.map(ir, access.op, &place));
            redirect(ir, access.op, view, &place.expect(ASKED));
        }
        self.copy(ir, InsertPoint::Before(self.root), &self.read, |own, theirs| {
            [(buffer, own), (view, theirs)]
        });
        self.copy(ir, InsertPoint::After(self.root), &self.written, |own, theirs| {
            [(view, theirs), (buffer, own)]
        });
        names::renew(ir, func);
        let rows = Form::row(&self.layout.forms());
        let text = format!(
            "Array {called} laid out as {rows} while the nest runs, so that neighbouring threads touch neighbouring elements"
        );
        Diagnostic::remark(text).at_option(place)
    }

    /// BoxCopies boxes of elements between both arrays, if the nest runs at all; from where to where says `ends`, of the
    /// subscripts in the program's array and in the new one.
    fn copy(
        &self,
        ir: &mut Ir,
        point: InsertPoint,
        boxes: &[Vec<(i64, i64)>],
        ends: impl for<'a> Fn(&'a [Polynomial], &'a [Polynomial]) -> [(Value, &'a [Polynomial]); 2],
    ) {
        if boxes.is_empty() {
            return;
        }
        let mut copies = BoxCopies::of(self.root);
        let end = copies.under(ir, point, &self.trips().expect(ASKED));
        let location = ir.location(self.root);
        for each in boxes {
            let mut b = Builder::new(ir, end, location);
            let own = copies.loops(&mut b, &elements(&self.along, each).expect(ASKED));
            let theirs = self.place(&own).expect(ASKED);
            copies.element(&mut b, ends(&own, &theirs));
        }
    }
}

/// Elements that have some of these distances from the element of an iteration, the loops along each dimension given.
fn elements(along: &[CountedLoop], distances: &[(i64, i64)]) -> Option<ElementBox> {
    let sides = along.iter().zip(distances).map(|(dim, &(least, most))| {
        let (first, last) = dim.iterations()?;
        let far = |form: Polynomial, by: i64| form.plus(&Polynomial::constant(by), 1);
        Some((far(first, least)?, far(last, most)?))
    });
    sides.collect()
}

/// The loops of a nest, if each access is in all of them and in nothing else.
fn perfect(ir: &Ir, root: Op, accesses: &[Access]) -> Option<Vec<CountedLoop>> {
    let around = |access: &Access| {
        let mut ops: Vec<Op> = ir.ancestors(access.op).take_while(|&op| op != root).collect();
        ops.push(root);
        ops.reverse();
        ops
    };
    let ops = around(accesses.first()?);
    let same = accesses.iter().all(|access| around(access) == ops);
    let loops = ops.iter().map(|&op| match &dimensions(ir, op)[..] {
        [dim] if AffineForOp::is(ir, op) => Some(dim.clone()),
        _ => None,
    });
    loops.collect::<Option<Vec<_>>>().filter(|_| same)
}

/// The loop, by its number, whose variable a subscript is, and what is added.
fn distance(form: &Polynomial, loops: &[CountedLoop]) -> Option<(usize, i64)> {
    let [value] = form.values()[..] else { return None };
    let index = loops.iter().position(|dim| dim.variable == value)?;
    let plain = form.is_affine() && form.coefficient(&[value]) == 1;
    plain.then(|| (index, form.constant_term()))
}

/// Boxes that hold some points, and nothing else.
fn boxes(points: &IndexSet<Vec<i64>>) -> Vec<Vec<(i64, i64)>> {
    let mut left: Vec<&Vec<i64>> = points.iter().collect();
    left.sort_unstable();
    let mut found: Vec<Vec<(i64, i64)>> = Vec::new();
    while let Some(start) = left.first() {
        let mut own: Vec<(i64, i64)> = start.iter().map(|&at| (at, at)).collect();
        for dim in 0..own.len() {
            for by in [-1, 1] {
                loop {
                    let mut larger = own.clone();
                    let side = &mut larger[dim];
                    *(if by < 0 { &mut side.0 } else { &mut side.1 }) += by;
                    if !holds_all(points, &larger) {
                        break;
                    }
                    own = larger;
                }
            }
        }
        let within = |point: &Vec<i64>| {
            point.iter().zip(&own).all(|(at, (first, last))| (first..=last).contains(&at))
        };
        left.retain(|point| !within(point));
        found.push(own);
    }
    found
}

/// Whether all points of a box are among some.
fn holds_all(points: &IndexSet<Vec<i64>>, sides: &[(i64, i64)]) -> bool {
    let mut corner: Vec<Vec<i64>> = vec![Vec::new()];
    for &(first, last) in sides {
        corner = corner
            .iter()
            .flat_map(|point| (first..=last).map(move |at| [&point[..], &[at]].concat()))
            .collect();
    }
    corner.iter().all(|point| points.contains(point))
}

/// The layouts by which neighbouring threads touch neighbouring elements, of arrays that all of the nest's threads touch
/// alike, where the nest touches each of their elements over and over. The rows of the nest's one statement are `rows`, the
/// last of which neighbouring threads count; loops that none of them speaks of stay inside of a thread.
pub fn for_wavefront(
    ir: &Ir,
    nest: &Nest,
    region: Op,
    statements: &Statements,
    rows: &[&Affine],
) -> Vec<Relayout> {
    let ([root], [statement]) = (&statements.roots[..], &statements.list[..]) else {
        return Vec::new();
    };
    let Some(step) = step_of_last(rows, statement.loops.len()) else { return Vec::new() };
    let Ok(accesses) = nest.accesses(*root) else { return Vec::new() };
    let arrays: IndexSet<Value> = accesses.iter().map(|access| access.root).collect();
    let moves = |access: &Access| {
        let forms = access.subscripts.iter().map(|form| form.as_ref()?.as_polynomial());
        let along = |form: &Polynomial| {
            let of = |(index, &op): (usize, &Op)| {
                let variable = AffineForOp::cast(ir, op)?.induction_var(ir);
                Some(form.coefficient(&[variable]) * step[index])
            };
            statement.loops.iter().enumerate().map(of).sum::<Option<i64>>()
        };
        forms.map(|form| along(form?)).collect::<Option<Vec<i64>>>()
    };
    let wanted = |&array: &Value| {
        let mut steps = accesses.iter().filter(|access| access.root == array).map(moves);
        let first = steps.next()??;
        let same = steps.all(|each| each.as_ref() == Some(&first));
        let again = statement.loops.len() > first.len();
        let layout = Layout::along(&first).filter(|_| same && again)?;
        Relayout::of(ir, nest, region, *root, array, &layout).ok()
    };
    arrays.iter().filter_map(wanted).collect()
}

/// How the loops of a statement move on where the last of some rows does by one, and the others stay, as do loops that no row
/// speaks of; `None` where that is no whole number, or the rows do not say it.
fn step_of_last(rows: &[&Affine], loops: usize) -> Option<Vec<i64>> {
    let spoken_of = |index: usize| rows.iter().any(|row| row.coefficient(Var::Dim(index)) != 0);
    let mut known: Vec<Option<i64>> =
        (0..loops).map(|index| (!spoken_of(index)).then_some(0)).collect();
    if known.iter().filter(|step| step.is_none()).count() != rows.len() {
        return None;
    }
    // Each round finds what the rows with one unknown say of it.
    for _ in 0..loops {
        for (number, row) in rows.iter().enumerate() {
            let terms = || {
                row.terms().filter_map(|(var, factor)| match var {
                    Var::Dim(index) => Some((index, factor)),
                    _ => None,
                })
            };
            let mut unknown = terms().filter(|&(index, _)| known[index].is_none());
            let (Some((index, factor)), None) = (unknown.next(), unknown.next()) else { continue };
            let rest: i64 = terms().filter_map(|(at, by)| Some(by * known[at]?)).sum();
            let sum = i64::from(number + 1 == rows.len()) - rest;
            if sum % factor != 0 {
                return None;
            }
            known[index] = Some(sum / factor);
        }
    }
    known.into_iter().collect()
}

impl Pass for AffineRelayout {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let last = usize::try_from(self.last).unwrap_or(usize::MAX);
        let mut factors = self.factors.clone();
        if last > factors.len() {
            return Err(Diagnostic::error(format!(
                "{STEP}: there is no dimension {} beside {} others",
                self.last,
                factors.len()
            )));
        }
        factors.insert(last, 0);
        let layout = Layout { last, factors };
        let nest = cx.analysis::<Nest>(ir, op);
        let find = |ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>| {
            let (mut found, mut apart) = (Vec::new(), IndexSet::new());
            let loops = candidates(ir, region).into_iter().collect();
            for root in outermost(ir, &loops) {
                let accesses = nest.accesses(root).unwrap_or_default();
                let arrays: IndexSet<Value> = accesses.iter().map(|access| access.root).collect();
                let wanted =
                    |&array: &Value| self.array.is_empty() || name(ir, array) == self.array;
                for array in arrays.into_iter().filter(wanted) {
                    match Relayout::of(ir, &nest, region.op(), root, array, &layout) {
                        Ok(each) => {
                            apart.extend(each.apart.iter().copied());
                            found.push(each);
                        }
                        Err(refusal) => cx.report(refusal.remark(ir)),
                    }
                }
            }
            Ok((found, apart))
        };
        change_regions(ir, op, cx, find, |ir, region, each: Relayout, cx| {
            let said = each.carry_out(ir, op, region);
            cx.report(said);
        })
    }
}
