//! The chains of recurrences of subscripts.

use gpuc_dialects::offload::mapping::{Axis, LoopMapping};
use gpuc_ir::{Ir, Op, Value};

use super::super::access::Access;
use super::super::loops::{CountedLoop, nest};
use super::super::polynomial::Polynomial;
use super::super::slice::is_defined_inside;
use super::Chrec;

/// An access with a chain for each dimension of its array.
#[derive(Clone, Debug)]
pub struct AccessChrecs {
    /// The access.
    pub access: Access,
    /// The loops round it, outermost first.
    pub loops: Vec<CountedLoop>,
    /// A chain for each dimension; `None` where the subscript has no closed form.
    pub dims: Vec<Option<Chrec>>,
}

impl AccessChrecs {
    /// The chains of an access over the loops round it, up to and with `outermost`.
    pub fn of(ir: &Ir, access: &Access, outermost: Op) -> AccessChrecs {
        let loops = nest(ir, access.op, outermost);
        let dims = access.subscripts.iter().map(|subscript| {
            let form = subscript.as_ref()?.as_polynomial()?;
            Chrec::of_polynomial(form, &mut |value| of_value(ir, &loops, outermost, value))
        });
        AccessChrecs { access: access.clone(), dims: dims.collect(), loops }
    }

    /// All chains, where every subscript has one.
    pub fn known(&self) -> Option<Vec<Chrec>> {
        self.dims.iter().cloned().collect()
    }

    /// The chains of the thread that executes these iterations, counted from 0, of loops that threads divide among
    /// them; `None` where a subscript has no chain.
    pub fn instantiated(&self, fixed: &[(usize, u32)]) -> Option<Vec<Chrec>> {
        let of = |dim: &Option<Chrec>| {
            fixed
                .iter()
                .try_fold(dim.clone()?, |form, &(depth, iteration)| form.at(depth, iteration))
        };
        self.dims.iter().map(of).collect()
    }
}

/// A loop's variable grows from its lower bound by its step; what no loop computes is the same always.
fn of_value(ir: &Ir, loops: &[CountedLoop], outermost: Op, value: Value) -> Option<Chrec> {
    let Some(depth) = loops.iter().position(|each| each.variable == value) else {
        let outside = !is_defined_inside(ir, value, outermost);
        return outside.then(|| Polynomial::value(value).into());
    };
    let each = &loops[depth];
    let [lower] = &each.lower[..] else { return None };
    if !each.divided_lower.is_empty() || !each.known {
        return None;
    }
    let outer = &loops[..depth];
    let base = Chrec::of_polynomial(lower, &mut |value| of_value(ir, outer, outermost, value))?;
    Some(Chrec::recurrence(depth, base, Chrec::constant(each.step?)))
}

/// The loops of which threads of a block execute an iteration each, that of `threadIdx.x` first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadLoops(pub Vec<usize>);

impl ThreadLoops {
    /// Those that the mapping of the loops gives to threads; where none has a mapping, the dimensions of
    /// parallel loops, the innermost to `threadIdx.x`.
    pub fn of(ir: &Ir, loops: &[CountedLoop]) -> ThreadLoops {
        let mut mapped: Vec<(u8, usize)> = Vec::new();
        let mut parallel: Vec<usize> = Vec::new();
        let mut start = 0;
        while let Some(first) = loops.get(start) {
            let dims = loops[start..].iter().take_while(|each| each.op == first.op).count();
            match LoopMapping::known(ir, first.op) {
                Some(mapping) => mapped.extend(thread_axes(&mapping, start)),
                None if !ir.is_sequential_loop(first.op) => parallel.extend(start..start + dims),
                None => {}
            }
            start += dims;
        }
        mapped.sort_unstable();
        match mapped.is_empty() {
            true => ThreadLoops(parallel.into_iter().rev().collect()),
            false => ThreadLoops(mapped.into_iter().map(|(_, depth)| depth).collect()),
        }
    }
}

/// The axes of a block that execute dimensions of a loop, the first of which is number `start` of the nest.
fn thread_axes(mapping: &LoopMapping, start: usize) -> Vec<(u8, usize)> {
    let (mut found, mut next) = (Vec::new(), start);
    for dim in &mapping.0 {
        next += dim.dims;
        // Of dimensions that are counted as one, the last runs fastest.
        found.extend(dim.axes.iter().filter_map(|&(axis, _)| match axis {
            Axis::Thread(number) => Some((number, next - 1)),
            Axis::Lane => Some((0, next - 1)),
            Axis::Block(_) => None,
        }));
    }
    found
}
