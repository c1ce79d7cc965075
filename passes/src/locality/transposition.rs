//! Nests that touch some arrays by rows and others by columns.
//!
//! `b[j][i] = a[i][j]`: whatever dimension neighbouring threads take, one of the two is touched with a row between
//! neighbours, a sector of memory for each element. A block that takes a square of iterations touches a square of each
//! array, which has rows both ways: such an array goes through memory of the block, moved by threads
//! that are neighbours along its own rows (Andión et al. 2015, Algorithm 1, says which accesses these are; Li et
//! al. 2016, §3.2.2: coalescing through shared memory).

use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp};
use gpuc_dialects::memref;
use gpuc_ir::{Ir, Op, OpView, Type, Value};

use super::band::{Band, Dimension};
use super::contraction::{is_box, subscripts};
use crate::analysis::access::{Access, access, name, root};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::versions::apart_from;

/// An access whose array goes through memory of the block.
#[derive(Clone, Debug)]
pub struct Transposed {
    /// The load or store.
    pub op: Op,
    /// Whether it writes.
    pub stores: bool,
    /// Subscripts, linear in what the access names as operands.
    pub subscripts: Vec<Polynomial>,
    /// Type of an element.
    pub element: Type,
    /// What the array is called.
    pub array: String,
}

/// A parallel nest with accesses by rows and by columns.
#[derive(Clone, Debug)]
pub struct Transposition {
    /// The parallel loop, the outermost one of several.
    pub nest: Op,
    /// Its dimensions.
    pub dims: Vec<Dimension>,
    /// The one that neighbouring elements of transposed arrays follow.
    pub row: usize,
    /// The one that neighbouring threads execute, the last.
    pub column: usize,
    /// The body: operations in front of the innermost loop, and those in it, in order.
    pub body: Vec<Op>,
    /// What goes through memory of the block.
    pub transposed: Vec<Transposed>,
    /// Pairs of mapped buffers that must be apart, and have not been asked about.
    pub apart: Vec<(Value, Value)>,
}

impl Transposition {
    /// The nest as a transposition, if it is one.
    pub fn of(ir: &Ir, nest: Op) -> Option<Transposition> {
        let Band { dims, innermost, between } = Band::of(ir, nest)?;
        if dims.iter().any(|dim| dim.slanted.is_some()) {
            return None;
        }
        let column = dims.len() - 1;
        let block = ir.body(innermost, 0);
        let end = ir.terminator(block);
        let own: Vec<Op> = ir.ops(block).filter(|&op| Some(op) != end).collect();
        // Some access must have the threads as they are, or another order of the loops does better.
        let contiguous = |&op: &Op| {
            let forms = subscripts(ir, op).filter(|_| is_plain_access(ir, op));
            let last = forms.as_ref().and_then(|forms| forms.last());
            last.is_some_and(|last| last.coefficient(&[dims[column].variable]).abs() == 1)
        };
        if !own.iter().any(contiguous) {
            return None;
        }
        let of_row = |row: usize| -> Vec<Transposed> {
            own.iter().filter_map(|&op| transposed(ir, nest, &dims, [row, column], op)).collect()
        };
        let candidates = (0..column).map(|row| (row, of_row(row)));
        let (row, found) = candidates.max_by_key(|(row, found)| (found.len(), *row))?;
        let mut this = Transposition {
            nest,
            dims,
            row,
            column,
            body: between.into_iter().chain(own).collect(),
            transposed: found,
            apart: Vec::new(),
        };
        this.keep_movable(ir);
        (!this.transposed.is_empty()).then_some(this)
    }

    /// Leaves accesses where they are whose memory the nest touches in another way: loads are made before, stores
    /// behind all that the block does.
    fn keep_movable(&mut self, ir: &Ir) {
        let all = std::mem::take(&mut self.transposed);
        for each in all {
            let own = root(ir, access_buffer(ir, each.op));
            let counts = |touched: &Access| {
                touched.op != each.op
                    && (each.stores || touched.writes())
                    && !never_meet(ir, self.nest, [each.op, touched.op])
            };
            if let Some(pairs) = apart_from(ir, self.nest, &[own], counts) {
                let new = pairs.into_iter().filter(|pair| !self.apart.contains(pair));
                let new: Vec<_> = new.collect();
                self.apart.extend(new);
                self.transposed.push(each);
            }
        }
    }

    /// The variables of rows and columns.
    pub fn variables(&self) -> [Value; 2] {
        [self.row, self.column].map(|dim| self.dims[dim].variable)
    }
}

/// Whether two accesses of one buffer touch other elements in all iterations of a nest: a subscript that is the same in all
/// of them is another one by a constant (rows of factors, members of records).
fn never_meet(ir: &Ir, nest: Op, ops: [Op; 2]) -> bool {
    let [one, other] = ops.map(|op| is_plain_access(ir, op).then(|| subscripts(ir, op)).flatten());
    let (Some(one), Some(other)) = (one, other) else { return false };
    let apart = |(one, other): (&Polynomial, &Polynomial)| {
        let fixed = !one.values().into_iter().any(|value| is_defined_inside(ir, value, nest));
        let by = one.plus(other, -1).and_then(|by| by.as_constant());
        fixed && by.is_some_and(|by| by != 0)
    };
    let [one_buffer, other_buffer] = ops.map(|op| access_buffer(ir, op));
    one_buffer == other_buffer && one.len() == other.len() && one.iter().zip(&other).any(apart)
}

fn access_buffer(ir: &Ir, op: Op) -> Value {
    access(ir, op).map_or_else(|| ir.operand(op, 0), |access| access.buffer)
}

fn is_plain_access(ir: &Ir, op: Op) -> bool {
    AffineLoadOp::is(ir, op) || AffineStoreOp::is(ir, op)
}

/// An access with neighbours along the dimension of rows, and rows along that of columns.
fn transposed(
    ir: &Ir,
    nest: Op,
    dims: &[Dimension],
    [row, column]: [usize; 2],
    op: Op,
) -> Option<Transposed> {
    if !is_plain_access(ir, op) {
        return None;
    }
    let subscripts = subscripts(ir, op)?;
    let [row, column] = [row, column].map(|dim| dims[dim].variable);
    let (last, rows) = subscripts.split_last()?;
    let across = last.coefficient(&[row]) == 1
        && rows.iter().any(|form| form.coefficient(&[column]) != 0)
        && is_box(&subscripts, &[row, column]);
    let known = |value: Value| {
        dims.iter().any(|dim| dim.variable == value) || !is_defined_inside(ir, value, nest)
    };
    let buffer = access_buffer(ir, op);
    let element = ir.ctx.element(ir.ty(buffer))?;
    let bytes = memref::scalar_bytes(&ir.ctx, element)?;
    let number = ir.ctx.is_float(element) || ir.ctx.int_width(element).is_some_and(|n| n >= 8);
    let fixed = subscripts.iter().flat_map(Polynomial::values).all(known)
        && !is_defined_inside(ir, buffer, nest);
    (across && number && bytes <= 8 && fixed).then(|| Transposed {
        op,
        stores: AffineStoreOp::is(ir, op),
        subscripts,
        element,
        array: name(ir, root(ir, buffer)),
    })
}
