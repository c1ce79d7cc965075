//! Arrays of the compiler's own: memory of the device that the host allocates in front of a compute region and frees
//! behind it, as an array of which a nest inside knows the extents.

use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::offload::NAME_ATTR;
use gpuc_dialects::{arith, gpu, memref};
use gpuc_ir::{Builder, DYNAMIC, InsertPoint, Ir, Op, OpView, Type, Value, ValueMap};
use indexmap::IndexSet;

use crate::analysis::access::Access;
use crate::analysis::nest::coverage::ElementBox;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::{build_polynomial, pure_slice};
use crate::raise::affine_operands::AffineOperands;
use crate::raise::raise_affine::copy_marks;

/// What follows the last of a dimension.
pub(super) fn behind((_, last): &(Polynomial, Polynomial)) -> Polynomial {
    last.plus(&Polynomial::constant(1), 1).unwrap_or_default()
}

/// How many values from the first to the last.
fn extent((first, last): &(Polynomial, Polynomial)) -> Polynomial {
    let distance = last.plus(first, -1).unwrap_or_default();
    distance.plus(&Polynomial::constant(1), 1).unwrap_or_default()
}

/// Where what an access touches stands in a box, counted from the first of each dimension; `None` where a subscript has no closed form.
pub(super) fn place_within(
    access: &Access,
    sides: &[(Polynomial, Polynomial)],
) -> Option<Vec<Polynomial>> {
    let forms = access.subscripts.iter();
    let forms = forms.map(|form| form.as_ref()?.as_polynomial().cloned());
    forms.zip(sides).map(|(form, (first, _))| form?.plus(first, -1)).collect()
}

/// Whether the host can tell in front of a region how large an array with these sides is.
pub(super) fn has_known_extents(ir: &Ir, region: Op, sides: &ElementBox) -> bool {
    let mut values = sides.iter().map(extent).flat_map(|form| form.values());
    values.all(|value| pure_slice(ir, value, region).is_some())
}

/// An array with these sides for the nest `root` in a region, of elements of that type; what the host calls it is
/// the name of the variable that it stands for. Its elements are counted from 0. Where a side has no length, it has one
/// element. The host has to know the extents ([`has_known_extents`]).
pub(super) fn allocate(
    ir: &mut Ir,
    region: Op,
    root: Op,
    element: Type,
    variable: &str,
    sides: &ElementBox,
) -> Value {
    let extents: Vec<Polynomial> = sides.iter().map(extent).collect();
    let buffer = memory(ir, region, element, variable, &extents);
    view(ir, root, buffer, &extents)
}

fn memory(ir: &mut Ir, region: Op, element: Type, variable: &str, extents: &[Polynomial]) -> Value {
    let ty = ir.ctx.memref(&[DYNAMIC], element);
    let mut b = Builder::before(ir, region);
    let mut map = ValueMap::new();
    let mut count = arith::constant_index(&mut b, 1);
    for form in extents {
        let extent = at_least_one(&mut b, form, region, &mut map);
        count = arith::MulIOp::new(&mut b, count, extent).value(&mut b);
    }
    let alloc = gpu::AllocOp::new(&mut b, &[], &[count], &[])
        .result_group(&[ty])
        .result_group(&[])
        .build(&mut b);
    let buffer = b.result(alloc, 0);
    let variable = b.ctx.string_attr(variable);
    b.set_attr(alloc, NAME_ATTR, variable);
    gpu::DeallocOp::new(&mut Builder::after(ir, region), &[], buffer)
        .build(&mut Builder::after(ir, region));
    buffer
}

/// An extent in front of `op`, and 1 where nothing runs.
fn at_least_one(b: &mut Builder<'_>, form: &Polynomial, op: Op, map: &mut ValueMap) -> Value {
    let extent = build_polynomial(b, form, |ir, value| pure_slice(ir, value, op), map)
        .expect("it was asked whether the extents can be had");
    let one = arith::constant_index(b, 1);
    arith::MaxSIOp::new(b, extent, one).value(b)
}

/// The memory as an array of those extents, in front of the nest.
fn view(ir: &mut Ir, root: Op, buffer: Value, extents: &[Polynomial]) -> Value {
    let mut b = Builder::before(ir, root);
    let mut map = ValueMap::new();
    let sizes: Vec<Value> =
        extents.iter().map(|form| at_least_one(&mut b, form, root, &mut map)).collect();
    let mut strides = Vec::new();
    for &size in sizes[1..].iter().rev() {
        let stride = match strides.last() {
            Some(&inner) => arith::MulIOp::new(&mut b, size, inner).value(&mut b),
            None => size,
        };
        strides.push(stride);
    }
    strides.reverse();
    memref::ReinterpretCastOp::rows(&mut b, buffer, &sizes, &strides)
}

/// What nests copy between arrays of the program and of the compiler, beside the nest `root`: its marks and what is known
/// round it are those of the copies too. All that is mapped has to be affine there ([`AffineOperands::can_map`]).
pub(super) struct BoxCopies {
    root: Op,
    operands: AffineOperands,
}

impl BoxCopies {
    /// Beside a nest.
    pub fn of(root: Op) -> BoxCopies {
        BoxCopies { root, operands: AffineOperands::default() }
    }

    /// Forms as a map with operands.
    pub fn map(&mut self, ir: &mut Ir, forms: &[Polynomial]) -> AffineValue {
        self.operands.map(ir, self.root, forms).expect("it was asked whether copies are affine")
    }

    /// A condition at `point`, that none of these numbers is negative; where what stands under it ends.
    pub fn under(
        &mut self,
        ir: &mut Ir,
        point: InsertPoint,
        numbers: &[Polynomial],
    ) -> InsertPoint {
        let map = self.map(ir, numbers);
        let data = ir.ctx.map_data(map.map).clone();
        let results: IndexSet<_> = data.results.iter().copied().collect();
        let conditions: Vec<_> = results.into_iter().map(|result| (result, false)).collect();
        let set = ir.ctx.integer_set(data.dims, data.symbols, &conditions);
        let location = ir.location(self.root);
        let mut b = Builder::new(ir, point, location);
        let choice = AffineIfOp::create(&mut b, set, &map.operands, |_| ());
        let block = choice.then_block(&b);
        InsertPoint::Before(b.terminator(block).expect("the branch ends with a yield"))
    }

    /// Loops over a box, from the builder's point on, which is in the innermost of them then; their variables.
    pub fn loops(&mut self, b: &mut Builder<'_>, elements: &ElementBox) -> Vec<Polynomial> {
        let mut variables = Vec::new();
        for side in elements {
            let [lower, upper] = [side.0.clone(), behind(side)].map(|form| self.map(b, &[form]));
            let new = AffineForOp::create(b, &lower, &upper, 1, &[], |_, _, _| Vec::new());
            copy_marks(b, self.root, new.op());
            variables.push(Polynomial::value(new.induction_var(b)));
            let inside = new.end_of_body(b);
            b.set_point(inside);
        }
        variables
    }

    /// BoxCopies an element, each place given by its array and its subscripts.
    pub fn element(&mut self, b: &mut Builder<'_>, [from, to]: [(Value, &[Polynomial]); 2]) {
        let [from_place, to_place] = [from.1, to.1].map(|place| self.map(b, place));
        let value = AffineLoadOp::create(b, from.0, &from_place);
        AffineStoreOp::create(b, value, to.0, &to_place);
    }
}

/// The type of a buffer's elements.
pub(super) fn element_of(ir: &Ir, buffer: Value) -> Type {
    ir.ctx.element(ir.ty(buffer)).expect("accesses are to buffers of elements")
}

/// Makes an `affine.load` or `affine.store` one of `place` in another array.
pub(super) fn redirect(ir: &mut Ir, access: Op, array: Value, place: &AffineValue) {
    let mut b = Builder::before(ir, access);
    match AffineStoreOp::cast(&b, access) {
        Some(store) => {
            let value = store.value(&b);
            AffineStoreOp::create(&mut b, value, array, place);
            ir.erase_op(access);
        }
        None => {
            let value = AffineLoadOp::create(&mut b, array, place);
            ir.replace_op(access, &[value]);
        }
    }
}
