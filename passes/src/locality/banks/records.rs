//! Arrays of records in memory of the block: an array for each member in place of one of them all.
//!
//! The frontend has records as bytes: `t[j].x` is a view of a number in them. Neighbouring threads are a record apart, and so ask
//! one bank over and over where records are some words long. Of each view the distance between records is known, and
//! which member it is; that goes to `member's first byte * records + number of the record * member's bytes`, which takes no more memory.

use gpuc_dialects::memref;
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap};
use gpuc_presburger::gcd;

use super::choice;
use super::warps::{Request, Warps};
use crate::analysis::access::name;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::build_polynomial;
use crate::analysis::subscript::polynomial;
use crate::steps::refusal::Refusal;

/// An array of records.
pub struct Records {
    /// The views of its members.
    views: Vec<View>,
    /// Bytes of a record.
    size: i64,
    /// Records.
    count: i64,
}

/// A view of a member.
struct View {
    op: Op,
    /// The byte that it begins at.
    at: Polynomial,
    /// Bytes of the member.
    bytes: i64,
    /// The byte where it begins among those of its member.
    apart: Polynomial,
}

impl Records {
    /// The records that an array of bytes holds.
    ///
    /// # Errors
    /// It holds something else, or is used in another way than member by member.
    pub fn of(ir: &Ir, array: Op) -> Result<Records, Refusal> {
        let buffer = ir.result(array, 0);
        let called = name(ir, buffer);
        let refuse = |rule: &str| Refusal::new("spread-banks", array, format!("{called} {rule}"));
        let unknown = || refuse("is no array of records that is used member by member");
        let total = match ir.ctx.shape(ir.ty(buffer)) {
            Some(&[total]) if memref::element_bytes(&ir.ctx, ir.ty(buffer)) == Some(1) => total,
            _ => return Err(unknown()),
        };
        let mut views = Vec::new();
        for user in ir.users(buffer) {
            views.push(View::of(ir, user).ok_or_else(unknown)?);
        }
        let coefficients = views.iter().flat_map(|view| {
            let terms = view.at.terms();
            terms.filter(|(monomial, _)| !monomial.is_empty()).map(|(_, factor)| factor)
        });
        let size = coefficients.fold(0, |size, factor| gcd(size, factor.unsigned_abs()));
        let size = i64::try_from(size).unwrap_or(0);
        if size == 0 || total % size != 0 || total / size < 2 {
            return Err(unknown());
        }
        let mut members: Vec<(i64, i64)> = views
            .iter()
            .map(|view| (view.at.constant_term().rem_euclid(size), view.bytes))
            .collect();
        members.sort_unstable();
        members.dedup();
        let apart = members.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0);
        let whole = members.iter().all(|&(at, bytes)| at % bytes == 0 && at + bytes <= size);
        if !apart || !whole {
            return Err(refuse("has members that lie one over the other"));
        }
        if members.len() < 2 {
            return Err(refuse("has records of one member"));
        }
        let mut records = Records { views, size, count: total / size };
        for number in 0..records.views.len() {
            records.views[number].apart =
                records.place(&records.views[number]).ok_or_else(unknown)?;
        }
        Ok(records)
    }

    /// Where a view begins with an array for each member.
    fn place(&self, view: &View) -> Option<Polynomial> {
        let byte = view.at.constant_term().rem_euclid(self.size);
        let record = view.at.plus(&Polynomial::constant(byte), -1)?;
        let number = record.exact_quotient(&Polynomial::constant(self.size))?;
        let far = number.times(&Polynomial::constant(view.bytes))?;
        far.plus(&Polynomial::constant(byte * self.count), 1)
    }

    /// How many passes a warp's accesses take with an array for each member, and as it is; `None` where there is nothing to gain.
    pub fn passes(&self, ir: &Ir, warps: &Warps<'_>) -> Option<[i64; 2]> {
        let mut requests = Vec::new();
        for view in &self.views {
            let at = [Some(view.at.clone().into())];
            let users = ir.users(ir.result(view.op, 0));
            requests.extend(users.filter_map(|user| warps.request_at(user, &at)));
        }
        let before = choice::passes(&requests, &|_, at| at[0]);
        let member = |request: &Request, at: &[i64]| {
            let (record, byte) = (at[0].div_euclid(self.size), at[0].rem_euclid(self.size));
            byte * self.count + record * request.bytes as i64
        };
        let after = choice::passes(&requests, &member);
        (before > choice::least(&requests) && after < before).then_some([after, before])
    }

    /// How many accesses there are.
    pub fn accesses(&self, ir: &Ir) -> usize {
        self.views.iter().map(|view| ir.users(ir.result(view.op, 0)).count()).sum()
    }

    /// Lets the views see the members of records that lie together.
    pub fn carry_out(&self, ir: &mut Ir) {
        for view in &self.views {
            let mut b = Builder::before(ir, view.op);
            let as_they_are = |_: &Ir, _: Value| Some(Vec::new());
            let at = build_polynomial(&mut b, &view.apart, as_they_are, &mut ValueMap::new());
            if let Some(at) = at {
                ir.set_operand(view.op, 1, at);
            }
        }
    }
}

impl View {
    /// A view of one number that is loaded and stored.
    fn of(ir: &Ir, op: Op) -> Option<View> {
        if !memref::ViewOp::is(ir, op) || ir.operand_count(op) != 2 {
            return None;
        }
        let seen = ir.result(op, 0);
        let is_access = |user: Op| {
            memref::LoadOp::is(ir, user)
                || (memref::StoreOp::is(ir, user) && ir.operand(user, 0) != seen)
        };
        let is_number = ir.ctx.shape(ir.ty(seen)).is_some_and(<[i64]>::is_empty);
        let bytes = memref::element_bytes(&ir.ctx, ir.ty(seen))?;
        let bytes = i64::try_from(bytes).ok().filter(|&bytes| bytes > 0)?;
        let at = polynomial(ir, ir.operand(op, 1));
        (is_number && ir.users(seen).all(is_access)).then(|| View {
            op,
            apart: at.clone(),
            at,
            bytes,
        })
    }
}
