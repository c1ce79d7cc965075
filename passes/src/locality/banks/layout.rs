//! Where the elements of an array lie in memory of the block.

use std::fmt;

use gpuc_arch::{BANK_BYTES, BANKS};
use gpuc_dialects::affine::{AffineApplyOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::{arith, memref};
use gpuc_ir::op::Subscripts;
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, Type, Value};

use super::warps::{accesses, stay_in_rows};
use crate::analysis::access::name;
use crate::plan::step::Banks;
use crate::steps::refusal::Refusal;

/// A layout of an array: the order of its dimensions, how much longer than they need be its rows are, and whether the
/// elements of a row are exchanged by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankLayout {
    /// For each dimension of the new array, that of the old one.
    pub order: Vec<usize>,
    /// Elements between the ends of rows.
    pub longer: i64,
    /// Whether an element stands at its column, exclusive or the number of its row.
    pub exchanged: bool,
}

impl BankLayout {
    /// As the program has it.
    pub fn plain(rank: usize) -> BankLayout {
        BankLayout { order: (0..rank).collect(), longer: 0, exchanged: false }
    }

    /// What a step says; the dimensions that it does not speak of stay.
    pub fn given(step: &Banks, rank: usize) -> BankLayout {
        let order = match step.order.is_empty() {
            true => (0..rank).collect(),
            false => step.order.iter().map(|&dim| usize::try_from(dim).unwrap_or(rank)).collect(),
        };
        BankLayout { order, longer: step.longer, exchanged: step.exchanged }
    }

    /// As a step of a plan.
    pub fn step(&self, array: &str) -> Banks {
        let moved = self.order.iter().enumerate().any(|(to, &from)| to != from);
        let order = self.order.iter().map(|&dim| dim as i64).filter(|_| moved).collect();
        Banks {
            array: array.to_owned(),
            order,
            longer: self.longer,
            exchanged: self.exchanged,
            members: false,
        }
    }

    /// Extents of the new array.
    pub fn shape(&self, shape: &[i64]) -> Vec<i64> {
        let mut new: Vec<i64> = self.order.iter().map(|&dim| shape[dim]).collect();
        if let Some(last) = new.last_mut() {
            *last += self.longer;
        }
        new
    }

    /// Bytes of the new array.
    pub fn bytes(&self, shape: &[i64], element: u64) -> i64 {
        let elements = self.shape(shape).into_iter().fold(1, i64::saturating_mul);
        elements.saturating_mul(i64::try_from(element).unwrap_or(i64::MAX))
    }

    /// Where an element of an array of such extents lies, of so many bytes: its number.
    pub fn element(&self, shape: &[i64], bytes: u64, subscripts: &[i64]) -> i64 {
        let new = self.shape(shape);
        let mut above = 0_i64;
        for (&dim, &extent) in self.order.iter().zip(&new).take(new.len().saturating_sub(1)) {
            above = above.wrapping_mul(extent).wrapping_add(subscripts[dim]);
        }
        let (Some(&last), Some(&row)) = (self.order.last(), new.last()) else { return 0 };
        let mut column = subscripts[last];
        if self.exchanged {
            column ^= above.div_euclid(rows_of_banks(row, bytes)).rem_euclid(row.max(1));
        }
        above.wrapping_mul(row).wrapping_add(column)
    }

    /// Asks whether an array can have the layout, `available` bytes of the block's memory being left for it.
    ///
    /// # Errors
    /// What is in the way.
    pub fn check(&self, ir: &Ir, array: Op, available: i64) -> Result<(), Refusal> {
        let refuse = |rule: String| Refusal::new("spread-banks", array, rule);
        let buffer = ir.result(array, 0);
        let called = name(ir, buffer);
        let shape = ir.ctx.shape(ir.ty(buffer)).unwrap_or(&[]);
        let element = memref::element_bytes(&ir.ctx, ir.ty(buffer));
        let Some(element) = element.filter(|_| !shape.is_empty() && !shape.contains(&DYNAMIC))
        else {
            return Err(refuse(format!("the extents of {called} are not known")));
        };
        let mut dims = self.order.clone();
        dims.sort_unstable();
        if !dims.into_iter().eq(0..shape.len()) {
            return Err(refuse(format!(
                "{called} has {} dimensions, of which each stands once in the new order",
                shape.len()
            )));
        }
        let Some(users) = accesses(ir, buffer) else {
            return Err(refuse(format!("{called} is used in another way than element by element")));
        };
        if !stay_in_rows(ir, buffer, &users) {
            return Err(refuse(format!("a subscript of {called} may be beyond the end of a row")));
        }
        let row = self.shape(shape).pop().unwrap_or(0);
        if self.exchanged && (shape.len() < 2 || row.count_ones() != 1) {
            return Err(refuse(format!(
                "elements are exchanged in rows of a power of two, and those of {called} have {row}"
            ))
            .way_round("make its rows longer instead"));
        }
        let bytes = self.bytes(shape, element);
        if bytes > available {
            return Err(refuse(format!("{called} would be larger than the memory of a block"))
                .limit("bytes", bytes, available)
                .way_round("exchange the elements of rows instead, which takes no memory"));
        }
        Ok(())
    }

    /// Gives an array the layout, which it can have ([`BankLayout::check`]).
    pub fn carry_out(&self, ir: &mut Ir, array: Op) {
        let old = ir.result(array, 0);
        let users = accesses(ir, old).unwrap_or_default();
        let ty = ir.ty(old);
        let shape = ir.ctx.shape(ty).unwrap_or(&[]).to_vec();
        let bytes = memref::element_bytes(&ir.ctx, ty).unwrap_or(4);
        let Some(new_type) = self.ty(ir, ty, &shape) else { return };
        let location = ir.value_location(old);
        let attrs = ir.attrs(array);
        let mut b = Builder::before(ir, array);
        let new = memref::AllocaOp::new(&mut b, &[], &[]).result(new_type).value(&mut b);
        b.set_value_location(new, location);
        if let Some(made) = ir.defining_op(new) {
            for (key, attr) in ir.ctx.dict_entries(attrs).to_vec() {
                let key = ir.ctx.str(key).to_owned();
                if ir.attr(made, &key).is_none() {
                    ir.set_attr(made, &key, attr);
                }
            }
        }
        for user in users {
            self.redirect(ir, user, new, &shape, bytes);
        }
        ir.erase_op(array);
    }

    fn ty(&self, ir: &mut Ir, ty: Type, shape: &[i64]) -> Option<Type> {
        let (element, space) = (ir.ctx.element(ty)?, ir.ctx.memory_space(ty)?);
        Some(ir.ctx.memref_in(&self.shape(shape), element, None, space))
    }

    /// Lets an access go to the new array.
    fn redirect(&self, ir: &mut Ir, user: Op, new: Value, shape: &[i64], bytes: u64) {
        let Some(access) = ir.memory_access(user) else { return };
        let stored = access.stored();
        let mut b = Builder::before(ir, user);
        let loaded = match access.subscripts {
            Subscripts::Map(map, operands) if !self.exchanged => {
                let data = b.ctx.map_data(map).clone();
                let results: Vec<_> = self.order.iter().map(|&dim| data.results[dim]).collect();
                let map = b.ctx.map(data.dims, data.symbols, &results);
                let place = AffineValue { map, operands: operands.to_vec() };
                match stored {
                    Some(value) => {
                        AffineStoreOp::create(&mut b, value, new, &place);
                        None
                    }
                    None => Some(AffineLoadOp::create(&mut b, new, &place)),
                }
            }
            subscripts => {
                let values = match subscripts {
                    Subscripts::Values(values) => values.to_vec(),
                    Subscripts::Map(map, operands) => {
                        let data = b.ctx.map_data(map).clone();
                        let each = data.results.iter().map(|&result| {
                            let map = b.ctx.map(data.dims, data.symbols, &[result]);
                            let operands = operands.to_vec();
                            AffineApplyOp::create(&mut b, &AffineValue { map, operands })
                        });
                        each.collect()
                    }
                };
                let mut place: Vec<Value> = self.order.iter().map(|&dim| values[dim]).collect();
                if self.exchanged {
                    exchange(&mut b, &mut place, &self.shape(shape), bytes);
                }
                match stored {
                    Some(value) => {
                        memref::StoreOp::new(&mut b, value, new, &place).build(&mut b);
                        None
                    }
                    None => Some(memref::LoadOp::new(&mut b, new, &place).value(&mut b)),
                }
            }
        };
        match loaded {
            Some(value) => ir.replace_op(user, &[value]),
            None => ir.erase_op(user),
        }
    }
}

impl fmt::Display for BankLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        if !self.order.iter().copied().eq(0..self.order.len()) {
            let dims: Vec<String> = self.order.iter().map(|dim| format!("d{dim}")).collect();
            said.push(format!("laid out as ({})", dims.join(", ")));
        }
        if self.longer > 0 {
            said.push(format!("with rows longer by {}", self.longer));
        }
        if self.exchanged {
            said.push("with the elements of rows exchanged by their number".to_owned());
        }
        match said.is_empty() {
            true => f.write_str("as it is"),
            false => f.write_str(&said.join(", ")),
        }
    }
}

/// Rows that fill all banks once: only beyond them would the next one be in the way.
fn rows_of_banks(row: i64, bytes: u64) -> i64 {
    let all = i64::from(BANKS * BANK_BYTES);
    let row = row.saturating_mul(i64::try_from(bytes).unwrap_or(i64::MAX)).max(1);
    (all / row).max(1)
}

/// The column of an element: exclusive or the number of its row. Rows have a power of two of elements, so that it stays
/// within.
fn exchange(b: &mut Builder<'_>, place: &mut [Value], shape: &[i64], bytes: u64) {
    let Some((column, rows)) = place.split_last_mut() else { return };
    let row = shape[shape.len() - 1];
    let mut above: Option<Value> = None;
    for (&at, &extent) in rows.iter().zip(shape) {
        above = Some(match above {
            None => at,
            Some(so_far) => {
                let extent = arith::constant_index(b, extent);
                let far = arith::MulIOp::new(b, so_far, extent).value(b);
                arith::AddIOp::new(b, far, at).value(b)
            }
        });
    }
    let Some(mut number) = above else { return };
    let together = rows_of_banks(row, bytes);
    if together > 1 {
        let together = arith::constant_index(b, together);
        number = arith::DivUIOp::new(b, number, together).value(b);
    }
    let mask = arith::constant_index(b, row - 1);
    let key = arith::AndIOp::new(b, number, mask).value(b);
    *column = arith::XOrIOp::new(b, *column, key).value(b);
}
