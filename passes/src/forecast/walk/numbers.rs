//! Numbers on the way: what threads compute addresses, bounds and conditions from.

use gpuc_dialects::affine::{AffineApplyOp, AffineIfOp, AffineMaxOp, AffineMinOp, AffineValue};
use gpuc_dialects::arith::{self, CmpFPredicate, CmpIPredicate};
use gpuc_dialects::{memref, scf};
use gpuc_ir::affine::AffineMap;
use gpuc_ir::op::{
    AccessKind, LoopBound, LoopDimension, LoopStep, MemoryAccess, Subscripts, Traits,
};
use gpuc_ir::{Op, OpView, Value, ValueDef};

use super::super::buffer::{Buffer, Memory};
use super::super::index::{Index, evaluate};
use super::{MOST_STEPS, UNKNOWN_TRIPS, Walk};

impl Walk<'_> {
    /// What the host passes: a function of the numbers that are said; of a loop round a launch the iteration in the middle.
    pub fn of_host(&mut self, value: Value) -> Option<i64> {
        let is_new = self.sought.insert(value) || self.numbers.contains_key(&value);
        if !is_new || self.steps >= MOST_STEPS {
            return None;
        }
        self.steps += 1;
        let found = self.found_of_host(value);
        self.steps -= 1;
        found
    }

    fn found_of_host(&mut self, value: Value) -> Option<i64> {
        if let Some(known) = self.number(value) {
            return Some(known.typical());
        }
        let ir = self.ir();
        let found = if let Some(op) = ir.defining_op(value) {
            if !ir.regions(op).is_empty() {
                return None;
            }
            let operands: Vec<Value> = ir.operands(op).collect();
            if let (Some(how), &[a, b]) = (CmpFPredicate::of(ir, op), &operands[..])
                && arith::CmpFOp::is(ir, op)
            {
                let (a, b) = (self.float_of_host(a)?, self.float_of_host(b)?);
                Index::constant(how.holds(a, b).into())
            } else {
                operands.into_iter().for_each(|operand| {
                    self.of_host(operand);
                });
                self.computed(op)?
            }
        } else {
            let ValueDef::Argument(block, _) = ir.value_def(value) else { return None };
            let dims = ir.loop_dimensions(ir.block_op(block)?);
            let dim = dims.iter().find(|dim| dim.variable == value)?;
            self.find_bounds(dim);
            self.bound(&dim.lower, true)?;
            self.bound(&dim.upper, false)?;
            // A loop of one round, over parts of a grid that is too large for one launch, is at its start.
            let (lower, step, trips) = self.dimension(dim);
            Index::constant(lower.typical() + trips / 2 * step)
        };
        let number = found.typical();
        self.numbers.insert(value, found);
        Some(number)
    }

    pub(super) fn number(&self, value: Value) -> Option<Index> {
        if let Some(known) = self.numbers.get(&value) {
            return Some(known.clone());
        }
        let constant = arith::constant_int_value(self.ir(), value)?;
        i64::try_from(constant).ok().map(Index::constant)
    }

    /// Finds what the bounds of a loop of the host are made of.
    fn find_bounds(&mut self, dim: &LoopDimension) {
        for bound in [&dim.lower, &dim.upper] {
            let operands: Vec<Value> = match bound {
                LoopBound::Value(value) => vec![*value],
                LoopBound::Map { operands, .. } => operands.to_vec(),
            };
            operands.into_iter().for_each(|operand| {
                self.of_host(operand);
            });
        }
        if let LoopStep::Value(step) = dim.step {
            self.of_host(step);
        }
    }

    /// Rounds of a loop of the host.
    pub fn trips_of_host(&mut self, dim: &LoopDimension) -> f64 {
        self.find_bounds(dim);
        self.dimension(dim).2 as f64
    }

    /// The same of a number with a fraction, as the host weighs by.
    fn float_of_host(&mut self, value: Value) -> Option<f64> {
        if let Some(known) = self.floats.get(&value) {
            return *known;
        }
        if self.steps >= MOST_STEPS {
            return None;
        }
        self.steps += 1;
        let found = self.found_float_of_host(value);
        self.steps -= 1;
        self.floats.insert(value, found);
        found
    }

    fn found_float_of_host(&mut self, value: Value) -> Option<f64> {
        let ir = self.ir();
        if let Some(known) = arith::constant_float_value(ir, value) {
            return Some(known);
        }
        let op = ir.defining_op(value)?;
        let (dialect, name) = ir.name(op).split_once('.')?;
        if dialect != "arith" {
            return None;
        }
        let operands: Vec<Value> = ir.operands(op).collect();
        match (name, &operands[..]) {
            ("sitofp" | "uitofp", &[number]) => Some(self.of_host(number)? as f64),
            ("select", &[condition, yes, no]) => match self.of_host(condition)? {
                0 => self.float_of_host(no),
                _ => self.float_of_host(yes),
            },
            (_, &[a, b]) => {
                let (a, b) = (self.float_of_host(a)?, self.float_of_host(b)?);
                match name {
                    "addf" => Some(a + b),
                    "subf" => Some(a - b),
                    "mulf" => Some(a * b),
                    "divf" => Some(a / b),
                    "maximumf" | "maxnumf" => Some(a.max(b)),
                    "minimumf" | "minnumf" => Some(a.min(b)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// 1 in threads for which a condition holds, 0 in others.
    pub(super) fn condition(&self, op: Op) -> Option<Index> {
        let ir = self.ir();
        if scf::IfOp::is(ir, op) {
            return self.number(ir.operand(op, 0));
        }
        let set = AffineIfOp::cast(ir, op)?.condition(ir)?;
        let data = ir.ctx.set_data(set);
        let operands: Vec<_> = ir.operands(op).map(|value| self.number(value)).collect();
        let (dims, symbols) = operands.split_at_checked(data.dims as usize)?;
        let mut holds = Index::constant(1);
        for &(expr, equal) in &data.constraints {
            let value = evaluate(&ir.ctx, expr, dims, symbols)?;
            self.note_uneven(&value, 2);
            holds = holds.zip(&value, [0.0; 2], |so_far, value| {
                i64::from(so_far != 0 && (value == 0 || (value > 0 && !equal)))
            });
        }
        Some(holds)
    }

    /// The results of a map, those that are numbers.
    fn results(&self, map: AffineMap, operands: &[Value]) -> Vec<Option<Index>> {
        let ctx = &self.ir().ctx;
        let data = ctx.map_data(map);
        let numbers: Vec<_> = operands.iter().map(|&value| self.number(value)).collect();
        let (dims, symbols) = numbers.split_at(numbers.len().min(data.dims as usize));
        data.results.iter().map(|&expr| evaluate(ctx, expr, dims, symbols)).collect()
    }

    pub(super) fn bound(&self, bound: &LoopBound, is_lower: bool) -> Option<Index> {
        let (map, results, operands) = match bound {
            LoopBound::Value(value) => return self.number(*value),
            LoopBound::Map { map, results, operands } => (map, results, operands),
        };
        let all: Option<Vec<Index>> =
            self.results(*map, operands).get(results.clone())?.iter().cloned().collect();
        let outermost = |a: Index, b| if is_lower { a.greatest(&b) } else { a.least(&b) };
        all?.into_iter().reduce(outermost)
    }

    /// Where a dimension starts, how it goes on, and how often.
    pub fn dimension(&mut self, dim: &LoopDimension) -> (Index, i64, i64) {
        let step = match dim.step {
            LoopStep::Constant(step) => Some(step),
            LoopStep::Value(value) => self.number(value).map(|step| step.typical()),
        };
        let bounds = (self.bound(&dim.lower, true), self.bound(&dim.upper, false), step);
        let (Some(lower), Some(upper), Some(step)) = bounds else {
            self.guessed = true;
            return (
                bounds.0.unwrap_or(Index::constant(0)),
                step.unwrap_or(1).max(1),
                UNKNOWN_TRIPS,
            );
        };
        let step = step.max(1);
        let apart = upper.minus(&lower);
        self.note_uneven(&apart, 1);
        if apart.typical() == 0
            && [&dim.lower, &dim.upper].iter().all(|bound| self.is_assumed(bound))
        {
            // Two ends of which nothing is known have the same number.
            self.guessed = true;
            return (Index::constant(0), step, upper.typical().max(0));
        }
        let trips = apart.typical().max(0).saturating_add(step - 1) / step;
        (lower, step, trips)
    }

    /// Whether a bound is a parameter without a number of its own.
    fn is_assumed(&self, bound: &LoopBound) -> bool {
        let ir = self.ir();
        let is = |&value: &Value| {
            let mut value = value;
            while let Some(op) = ir.defining_op(value).filter(|&op| arith::IndexCastOp::is(ir, op))
            {
                value = ir.operand(op, 0);
            }
            self.assumed.contains(&value)
        };
        match bound {
            LoopBound::Value(value) => is(value),
            LoopBound::Map { operands, .. } => !operands.is_empty() && operands.iter().all(is),
        }
    }

    pub(super) fn subscripts(&self, access: &MemoryAccess) -> Vec<Option<Index>> {
        match &access.subscripts {
            Subscripts::Values(values) => values.iter().map(|&value| self.number(value)).collect(),
            Subscripts::Map(map, operands) => self.results(*map, operands),
        }
    }

    pub(super) fn address(&self, access: &MemoryAccess) -> Option<Index> {
        let buffer = Buffer::of(self.ir(), access.buffer, &|value| self.number(value))?;
        buffer.address(&self.subscripts(access))
    }

    /// Finds the number that an operation computes, if it is one.
    pub(super) fn evaluate(&mut self, op: Op) {
        let ir = self.ir();
        if let Some(access) = ir.memory_access(op)
            && self.memory(access.buffer) == Memory::Private
        {
            return self.keep(op, &access);
        }
        let &[result] = ir.results(op) else { return };
        let found = self.computed(op);
        match found {
            Some(index) => self.numbers.insert(result, index),
            None => self.numbers.remove(&result),
        };
    }

    /// Keeps the number that an operation puts into an array of the thread's own, or finds the one that it takes out.
    fn keep(&mut self, op: Op, access: &MemoryAccess) {
        let root = self.root(access.buffer);
        let known = |at: Option<Index>| at.filter(Index::is_uniform).map(|at| at.typical());
        let subscripts: Option<Vec<i64>> = self.subscripts(access).into_iter().map(known).collect();
        let place = subscripts.map(|subscripts| (root, subscripts));
        let before = place.as_ref().and_then(|place| self.kept.get(place));
        if access.kind == AccessKind::Read {
            match before.cloned() {
                Some(number) => self.numbers.insert(access.value, number),
                None => self.numbers.remove(&access.value),
            };
            return;
        }
        // What a loop puts there anew is not what it was in the iterations that are looked at.
        let is_lasting =
            self.loop_around(op) == self.ir().defining_op(root).and_then(|op| self.loop_around(op));
        let number = self.number(access.value).filter(|_| is_lasting);
        let number = number.map(|number| match before {
            Some(before) => before.replaced_in(&self.active, &number),
            None => number,
        });
        match (place, number) {
            (Some(place), Some(number)) => drop(self.kept.insert(place, number)),
            (Some(place), None) => drop(self.kept.remove(&place)),
            (None, _) => self.kept.retain(|(of, _), _| *of != root),
        }
    }

    /// The innermost sequential loop around an operation.
    fn loop_around(&self, op: Op) -> Option<Op> {
        let ir = self.ir();
        ir.ancestors(op)
            .find(|&outer| ir.is_loop(outer) && !ir.has_trait(outer, Traits::PARALLEL_LOOP))
    }

    pub(super) fn computed(&self, op: Op) -> Option<Index> {
        let ir = self.ir();
        let of_map = |value: Option<AffineValue>| -> Option<Vec<Index>> {
            let AffineValue { map, operands } = value?;
            self.results(map, &operands).into_iter().collect()
        };
        if let Some(apply) = AffineApplyOp::cast(ir, op) {
            return of_map(apply.value(ir))?.into_iter().next();
        }
        if let Some(min) = AffineMinOp::cast(ir, op) {
            return of_map(min.value(ir))?.into_iter().reduce(|a, b| a.least(&b));
        }
        if let Some(max) = AffineMaxOp::cast(ir, op) {
            return of_map(max.value(ir))?.into_iter().reduce(|a, b| a.greatest(&b));
        }
        if memref::DimOp::is(ir, op) {
            let extent = memref::dynamic_extent(ir, ir.operand(op, 0), 0);
            // Longer than anything that is done with it.
            return extent.and_then(|value| self.number(value)).or(Some(Index::constant(1 << 40)));
        }
        let (dialect, name) = ir.name(op).split_once('.')?;
        if dialect == "offload" && ir.ctx.int_width(ir.ty(ir.result(op, 0))) == Some(1) {
            // Where memory lies: as one would wish.
            return Some(Index::constant(1));
        }
        if dialect != "arith" {
            return None;
        }
        let a = self.number(ir.operands(op).next()?)?;
        let b = || self.number(ir.operands(op).nth(1)?);
        match name {
            "index_cast" | "index_castui" | "extsi" | "extui" | "trunci" => Some(a),
            "addi" => Some(a.plus(&b()?)),
            "subi" => Some(a.minus(&b()?)),
            "muli" => Some(a.times(&b()?)),
            "divsi" | "divui" | "floordivsi" => a.divided(&b()?),
            "ceildivsi" | "ceildivui" => a.divided_up(&b()?),
            "remsi" | "remui" => a.remainder(&b()?),
            "maxsi" | "maxui" => Some(a.greatest(&b()?)),
            "minsi" | "minui" => Some(a.least(&b()?)),
            "andi" => Some(a.zip(&b()?, [0.0; 2], |a, b| a & b)),
            "ori" => Some(a.zip(&b()?, [0.0; 2], |a, b| a | b)),
            "select" => {
                let [yes, no] = [1, 2].map(|at| self.number(ir.operand(op, at)));
                if a.typical() != 0 { yes } else { no }
            }
            "cmpi" => {
                let (how, b) = (CmpIPredicate::of(ir, op)?, b()?);
                self.note_uneven(&a.minus(&b), 2);
                Some(a.zip(&b, [0.0; 2], |a, b| i64::from(how.holds(a.into(), b.into(), 64))))
            }
            _ => None,
        }
    }
}
