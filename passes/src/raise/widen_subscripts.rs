//! `widen-subscripts`: subscripts in arithmetic of 32 bits that may wrap become sums of 64 bits.
//!
//! `a[i * n + j]` with unsigned numbers is the element `(i * n + j) mod 2^32`, of which nothing is known but where no product
//! wraps ([`crate::analysis::modular`]). Where that is proven, subscripts and bounds are written in 64 bits; where it
//! depends on sizes that are there when the region starts, two versions are made (see [`versions`]), in regions
//! in which the compiler is to find parallel loops. Runs where loops count in `index`, ahead of `raise-affine`.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::arith;
use gpuc_dialects::offload::{MAP_ATTR, MAP_SECTION, RegionOp, SECTION_TEST_ATTR};
use gpuc_ir::op::Subscripts;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use indexmap::{IndexMap, IndexSet};

use crate::analysis::access::{argument_attr, describe, name, root};
use crate::analysis::loops::candidates;
use crate::analysis::modular::{Known, Widened, number_range};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::{build_polynomial, clone_slice, is_defined_inside, pure_slice};
use crate::versions::{self, Unassuming, in_fallback};

gpuc_ir::pass! {
    /// Write subscripts of 32 bits that do not wrap in 64 bits.
    WidenSubscripts = "widen-subscripts" on "func.func" {}
}

impl Pass for WidenSubscripts {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // What is so in any case, and what is so where the regions' tests hold.
        let (mut known, mut assumed) = (Known::default(), Known::default());
        let mut guarded: IndexMap<Op, Vec<(Op, Widened)>> = IndexMap::new();
        let regions = ir.nested_ops(op, WalkOrder::PreOrder).into_iter();
        let regions: IndexSet<Op> = regions.filter(|&inner| may_ask(ir, inner)).collect();
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(widened) = Widened::of(ir, inner, &known).filter(|all| all.fits(ir)) {
                for known in [&mut known, &mut assumed] {
                    known.insert(ir.result(inner, 0), widened.form.clone());
                }
                write_wide(ir, inner, &widened);
                continue;
            }
            // A version for sizes that do not exist would be the one that nobody runs.
            let widened = Widened::of(ir, inner, &assumed).filter(Widened::may_fit);
            let Some(widened) = widened else { continue };
            let region = ir.ancestors(inner).find(|outer| regions.contains(outer));
            if let Some(region) = region.filter(|&region| is_known_before(ir, region, &widened)) {
                assumed.insert(ir.result(inner, 0), widened.form.clone());
                guarded.entry(region).or_default().push((inner, widened));
            }
        }
        for (region, all) in guarded {
            if all.iter().any(|&(op, _)| !subscripted(ir, op).is_empty()) {
                report(ir, &all, cx);
                let kept = Unassuming::keep(ir, region);
                let holds = Guard::of(&all).build(ir, region);
                kept.require(ir, holds, region);
                all.iter().for_each(|(op, widened)| write_wide(ir, *op, widened));
            }
        }
        Ok(())
    }
}

/// Whether a second version of an operation is worth it: of a region in which the compiler is to find parallel loops, or
/// what section a pointer has.
fn may_ask(ir: &Ir, op: Op) -> bool {
    let Some(region) = RegionOp::cast(ir, op).filter(|_| !in_fallback(ir, op)) else {
        return false;
    };
    let finds_section = |access: Op| {
        let buffer = ir.memory_access(access).map(|access| root(ir, access.buffer));
        buffer.and_then(|root| argument_attr(ir, root, MAP_ATTR)) == Some(MAP_SECTION)
    };
    !candidates(ir, region).is_empty()
        || ir.nested_ops(op, WalkOrder::PreOrder).into_iter().any(finds_section)
}

/// Whether the test can be made in front of a region.
fn is_known_before(ir: &Ir, region: Op, widened: &Widened) -> bool {
    let point = versions::point(ir, region);
    let mut values = [&widened.greatest, &widened.least].into_iter().flat_map(Polynomial::values);
    values.all(|value| pure_slice(ir, value, point).is_some())
}

/// The accesses of which a widening is, or is part of, a subscript.
fn subscripted(ir: &Ir, op: Op) -> Vec<Op> {
    let (mut work, mut found) = (vec![op], Vec::new());
    while let Some(op) = work.pop() {
        let value = ir.result(op, 0);
        for user in ir.users(value).collect::<Vec<_>>() {
            let subscripts = ir.memory_access(user).map(|access| access.subscripts);
            if let Some(Subscripts::Values(values)) = subscripts {
                if values.contains(&value) && !found.contains(&user) {
                    found.push(user);
                }
            } else if ir.results(user).len() == 1
                && ir.regions(user).is_empty()
                && ir.is_effect_free(user)
                && ir.ctx.int_or_index_width(ir.ty(ir.result(user, 0))) == Some(64)
            {
                work.push(user);
            }
        }
    }
    found
}

/// Tells the user that there are two versions, and for what.
fn report(ir: &Ir, all: &[(Op, Widened)], cx: &mut PassContext<'_>) {
    let mut said: Vec<String> = Vec::new();
    for (op, widened) in all {
        let greatest = widened.greatest.display(|value| describe(ir, value));
        for access in subscripted(ir, *op).iter().filter_map(|&user| ir.memory_access(user)) {
            let variable = name(ir, root(ir, access.buffer));
            if said.contains(&variable) {
                continue;
            }
            let most = widened.most();
            let text = format!(
                "two versions made: subscripts of {variable} do not wrap if {greatest} <= {most}"
            );
            let place = ir.ctx.place(ir.location(*op));
            cx.report(Diagnostic::remark(text).code(codes::ROWS).at_option(place));
            said.push(variable);
        }
    }
}

/// Puts the number in 64 bits for a widening.
fn write_wide(ir: &mut Ir, op: Op, widened: &Widened) {
    let mut map = ValueMap::new();
    for value in widened.form.values() {
        let (point, location) = (behind(ir, value, op), ir.location(op));
        let index = as_index(&mut Builder::new(ir, point, location), value, widened.signed);
        map.insert(value, index);
    }
    let mut b = Builder::before(ir, op);
    let wide = build_polynomial(&mut b, &widened.form, |_, _| Some(Vec::new()), &mut map)
        .expect("its values are there");
    let result = b.result(op, 0);
    let ty = b.ty(result);
    let wide = match b.ctx.is_index(ty) {
        true => wide,
        false => arith::IndexCastOp::new(&mut b, wide).result(ty).value(&mut b),
    };
    ir.replace_op(op, &[wide]);
}

/// The first place where a value that `op` uses is there, in the same region: what is made of it does not change in loops.
fn behind(ir: &Ir, value: Value, op: Op) -> InsertPoint {
    let region = ir.ancestors(op).find_map(|outer| RegionOp::cast(ir, outer));
    match (region, ir.defining_op(value)) {
        (Some(region), _) if !is_defined_inside(ir, value, region.op()) => {
            InsertPoint::Start(region.block(ir))
        }
        (_, Some(def)) => InsertPoint::After(def),
        _ => ir.value_block(value).map_or(InsertPoint::Before(op), InsertPoint::Start),
    }
}

fn as_index(b: &mut Builder<'_>, value: Value, signed: bool) -> Value {
    let index = b.ctx.index();
    if b.ctx.is_index(b.ty(value)) {
        return value;
    }
    match signed {
        true => arith::IndexCastOp::new(b, value).result(index).value(b),
        false => arith::IndexCastUIOp::new(b, value).result(index).value(b),
    }
}

impl Widened {
    /// The greatest number for which the test in front of a region holds.
    fn most(&self) -> i64 {
        let most = i64::try_from(self.limits().max).unwrap_or(i64::MAX);
        most.min(SATURATED - 1)
    }
}

/// Where numbers of the test end: a product of two such numbers is still one of 64 bits (the root of 2^63).
const SATURATED: i64 = 3_037_000_499;

/// What is tested in front of a region, in arithmetic that stops at [`SATURATED`].
#[derive(Default)]
struct Guard {
    /// Sums, how large they may be, and the sign of values of 32 bits.
    most: Vec<(Polynomial, i64, bool)>,
    /// Sums that must not be less than any number of 32 bits: with a sign, or without.
    least: Vec<(Polynomial, bool)>,
}

impl Guard {
    fn of(all: &[(Op, Widened)]) -> Guard {
        let mut guard = Guard::default();
        for (_, widened) in all {
            let (most, signed) = (widened.most(), widened.signed);
            let most = (widened.greatest.clone(), most, signed);
            if !guard.most.contains(&most) {
                guard.most.push(most);
            }
            let least = (widened.least.clone(), signed);
            if !guard.least.contains(&least) {
                guard.least.push(least);
            }
        }
        guard
    }

    /// Builds the condition in front of a region.
    fn build(&self, ir: &mut Ir, region: Op) -> Value {
        let point = versions::point(ir, region);
        let b = Builder::before(ir, point);
        let mut test = Test { b, point, map: ValueMap::new(), all: Vec::new() };
        for (form, most, signed) in &self.most {
            let (added, _) = parts(form);
            let added = test.sum(&added, *signed);
            test.at_most(added, *most);
        }
        for (form, signed) in &self.least {
            let (added, taken) = parts(form);
            if taken.as_constant() == Some(0) {
                continue;
            }
            let lowest = if *signed { i64::from(i32::MIN).abs() } else { 0 };
            let added = added.plus(&Polynomial::constant(lowest), 1).unwrap_or(added);
            let [added, taken] = [added, taken].map(|form| test.sum(&form, *signed));
            test.at_most(taken, SATURATED - 1);
            let sge = arith::CmpIPredicate::Sge.attr(&mut test.b.ctx);
            let b = &mut test.b;
            let holds = arith::CmpIOp::new(b, added, taken).attr(b, "predicate", sge).value(b);
            test.all.push(holds);
        }
        let b = &mut test.b;
        for holds in test.all.iter().filter_map(|&holds| b.defining_op(holds)).collect::<Vec<_>>() {
            let unit = b.ctx.unit_attr();
            b.set_attr(holds, SECTION_TEST_ATTR, unit);
        }
        let both = |b: &mut Builder<'_>, all: Value, one| arith::AndIOp::new(b, all, one).value(b);
        let all = std::mem::take(&mut test.all).into_iter().reduce(|all, one| both(b, all, one));
        all.unwrap_or_else(|| arith::constant_bool(b, true))
    }
}

/// What a sum adds, and what it takes away.
fn parts(form: &Polynomial) -> (Polynomial, Polynomial) {
    let (mut added, mut taken) = (Polynomial::default(), Polynomial::default());
    for (monomial, coefficient) in form.terms() {
        let side = if coefficient < 0 { &mut taken } else { &mut added };
        let term = Polynomial::term(monomial, coefficient.saturating_abs());
        *side = side.plus(&term, 1).unwrap_or_else(|| side.clone());
    }
    (added, taken)
}

struct Test<'a> {
    b: Builder<'a>,
    point: Op,
    map: ValueMap,
    all: Vec<Value>,
}

impl Test<'_> {
    /// A sum of products that are not negative, or [`SATURATED`].
    fn sum(&mut self, form: &Polynomial, signed: bool) -> Value {
        let mut sum: Option<Value> = None;
        for (monomial, coefficient) in form.terms() {
            let factors = monomial.iter().map(|&value| Some(value));
            let number = (coefficient != 1 || monomial.is_empty()).then_some(None);
            let mut product: Option<Value> = None;
            for factor in number.into_iter().chain(factors) {
                let factor = match factor {
                    Some(value) => self.number(value, signed),
                    None => arith::constant_index(&mut self.b, coefficient.min(SATURATED)),
                };
                product = Some(match product {
                    None => factor,
                    Some(so_far) => {
                        let both = arith::MulIOp::new(&mut self.b, so_far, factor);
                        let both = both.value(&mut self.b);
                        self.saturate(both)
                    }
                });
            }
            sum = match (sum, product) {
                (Some(so_far), Some(term)) => {
                    let both = arith::AddIOp::new(&mut self.b, so_far, term).value(&mut self.b);
                    Some(self.saturate(both))
                }
                (None, term) => term,
                (so_far, None) => so_far,
            };
        }
        sum.unwrap_or_else(|| arith::constant_index(&mut self.b, 0))
    }

    /// A value in front of the region; that it is not negative is tested, too, unless that is known.
    fn number(&mut self, value: Value, signed: bool) -> Value {
        let is_known = number_range(&self.b, value, signed).min >= 0;
        let slice = pure_slice(&self.b, value, self.point).expect("it was asked for");
        let value = clone_slice(&mut self.b, &slice, value, &mut self.map);
        let value = as_index(&mut self.b, value, signed);
        if !is_known {
            let zero = arith::constant_index(&mut self.b, 0);
            let sge = arith::CmpIPredicate::Sge.attr(&mut self.b.ctx);
            let b = &mut self.b;
            let holds = arith::CmpIOp::new(b, value, zero).attr(b, "predicate", sge).value(b);
            self.all.push(holds);
        }
        self.saturate(value)
    }

    fn saturate(&mut self, value: Value) -> Value {
        let most = arith::constant_index(&mut self.b, SATURATED);
        arith::MinSIOp::new(&mut self.b, value, most).value(&mut self.b)
    }

    fn at_most(&mut self, value: Value, most: i64) {
        let b = &mut self.b;
        let most = arith::constant_index(b, most);
        let sle = arith::CmpIPredicate::Sle.attr(&mut b.ctx);
        let holds = arith::CmpIOp::new(b, value, most).attr(b, "predicate", sle).value(b);
        self.all.push(holds);
    }
}
