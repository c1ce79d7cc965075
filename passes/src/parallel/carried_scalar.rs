//! What becomes of a value that a loop carries, if its iterations run at once.

use gpuc_dialects::{affine, arith, scf};
use gpuc_ir::op::LoopCarried;
use gpuc_ir::{Ir, Op, OpView, Region, Value};

use crate::analysis::loops::dimensions;
use crate::raise::reduction::Reduction;

/// What a carried value is to its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedScalar {
    /// Nobody looks at it from one iteration to the next, nor behind the loop.
    Dead,
    /// Each iteration sets it anew; behind the loop, the last iteration's is used.
    LastValue,
    /// Iterations combine something into it, and do not look at it otherwise.
    Reduction {
        /// By which operator.
        kind: Reduction,
        /// Whether integers are compared as unsigned.
        unsigned: bool,
        /// How numbers with fractions are compared, where they are.
        compared: Option<Compared>,
    },
    /// Iterations combine something into it, and look at what those before have made: prefix sums.
    Scan(Reduction),
    /// Iterations need what the ones before have made of it.
    Recurrence,
}

/// A maximum or minimum that is found by `<` or `>`, which hold for nothing that is not a number, and tell
/// zeros of two signs not apart: the order of iterations shows in it where there are such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// `if (x > so_far) so_far = x`: what is not a number does not come in, nor goes if it was there first.
    Keeps,
    /// `so_far = so_far > x ? so_far : x`: what is not a number comes in, and goes with the next.
    Takes,
}

/// Whether the only use of a loop's carried value is that an inner loop starts from it which sets it
/// anew in each iteration: as long as the inner loop runs as often in each iteration of `op`, the
/// last one that runs at all decides.
fn is_set_inside(ir: &Ir, op: Op, argument: Value, yielded: Value) -> bool {
    let Some(inner) = ir.users(argument).next().filter(|_| ir.has_one_use(argument)) else {
        return false;
    };
    let Some(carried) = ir.loop_carried(inner).into_iter().find(|c| c.init == argument) else {
        return false;
    };
    let rectangular = dimensions(ir, inner).iter().all(|dim| {
        dim.complete
            && dim.lower.iter().chain(&dim.upper).flat_map(|bound| bound.values()).all(|value| {
                !ir.value_block(value)
                    .and_then(|block| ir.block_op(block))
                    .is_some_and(|owner| ir.is_inside(owner, op))
            })
    });
    rectangular
        && ir.parent_op(inner) == Some(op)
        && carried.result == yielded
        && (ir.is_unused(carried.argument)
            || is_set_inside(ir, inner, carried.argument, carried.yielded))
}

/// Classifies one value that the loop `op` carries.
pub fn classify(ir: &Ir, op: Op, carried: LoopCarried) -> CarriedScalar {
    classify_beside(ir, op, carried, &[])
}

/// The same where choices by the comparisons that a maximum or minimum makes are to leave the loop (see
/// [`Search`](super::search::Search)).
pub fn classify_beside(ir: &Ir, op: Op, carried: LoopCarried, beside: &[Op]) -> CarriedScalar {
    let LoopCarried { argument, yielded, result, .. } = carried;
    if is_set_inside(ir, op, argument, yielded) {
        return match ir.is_unused(result) {
            true => CarriedScalar::Dead,
            false => CarriedScalar::LastValue,
        };
    }
    if ir.is_unused(argument) {
        return match ir.is_unused(result) {
            true => CarriedScalar::Dead,
            false => CarriedScalar::LastValue,
        };
    }
    let mut chain = Chain::new(ir, argument, beside);
    match (chain.reaches(yielded), chain.operator) {
        (true, Some((kind, unsigned))) => {
            CarriedScalar::Reduction { kind, unsigned, compared: chain.compared }
        }
        _ => scan(ir, argument, yielded),
    }
}

/// What a carried value is that is no reduction.
fn scan(ir: &Ir, argument: Value, yielded: Value) -> CarriedScalar {
    let mut chain = Chain::new(ir, argument, &[]);
    let combination = ir.defining_op(yielded).filter(|&op| Reduction::of_update(ir, op).is_some());
    match (combination.and_then(|_| chain.uses_up_to(yielded)), chain.operator) {
        (Some(_), Some((kind, _))) => CarriedScalar::Scan(kind),
        _ => CarriedScalar::Recurrence,
    }
}

/// The way from a carried value to what the iteration hands on.
struct Chain<'a> {
    ir: &'a Ir,
    from: Value,
    operator: Option<(Reduction, bool)>,
    compared: Option<Compared>,
    /// Ways through choices that are still tried.
    tries: u32,
    /// Who may look at comparisons besides.
    beside: &'a [Op],
}

impl<'a> Chain<'a> {
    fn new(ir: &'a Ir, from: Value, beside: &'a [Op]) -> Chain<'a> {
        Chain { ir, from, operator: None, compared: None, tries: MOST_TRIES, beside }
    }

    /// Whether everything that an iteration does with the start is to combine it into what it hands
    /// on, and with that, nothing but to hand it on: `sum += a[i]; b[i] = sum` is no reduction.
    fn reaches(&mut self, yielded: Value) -> bool {
        let handed_on_only = yielded == self.from || self.ir.has_one_use(yielded);
        handed_on_only && self.uses_up_to(yielded) == Some(self.ir.uses(self.from).count())
    }

    /// How many uses of the start lie on the way to `to`; `None` if `to` is not the start combined
    /// with other values by one operator.
    fn uses_up_to(&mut self, to: Value) -> Option<usize> {
        if to == self.from {
            return Some(1);
        }
        let ir = self.ir;
        let op = ir.defining_op(to)?;
        if let Some(found) = self.through_combination(op) {
            return Some(found);
        }
        let index = ir.results(op).iter().position(|&result| result == to)?;
        match ir.name(op) {
            arith::SelectOp::NAME => self
                .through_select(op)
                .or_else(|| self.through_choice(&[ir.operand(op, 1), ir.operand(op, 2)])),
            scf::IfOp::NAME | affine::AffineIfOp::NAME => {
                self.through_choice(&yielded(ir, op, index)?)
            }
            _ => {
                let LoopCarried { init, argument, yielded, .. } =
                    *ir.loop_carried(op).get(index)?;
                let mut inner = Chain { from: argument, ..*self };
                let reaches = inner.reaches(yielded);
                self.tries = inner.tries;
                if !reaches {
                    return None;
                }
                (self.operator, self.compared) = (inner.operator, inner.compared);
                self.link(init, 1)
            }
        }
    }

    /// A value on the way that is used `uses` times, all of them on the way.
    fn link(&mut self, value: Value, uses: usize) -> Option<usize> {
        if value == self.from {
            return Some(uses);
        }
        if self.ir.uses(value).count() != uses {
            return None;
        }
        self.uses_up_to(value)
    }

    fn agree(&mut self, operator: (Reduction, bool)) -> Option<()> {
        match self.operator {
            None => self.operator = Some(operator),
            Some(known) if known == operator => {}
            Some(_) => return None,
        }
        Some(())
    }

    /// An attempt that fails leaves nothing behind.
    fn attempt(&mut self, value: Value, uses: usize) -> Option<usize> {
        let saved = (self.operator, self.compared);
        let found = self.link(value, uses);
        if found.is_none() {
            (self.operator, self.compared) = saved;
        }
        found
    }

    fn through_combination(&mut self, op: Op) -> Option<usize> {
        let ir = self.ir;
        let (kind, unsigned, candidates) = Reduction::of_update(ir, op)?;
        let saved = self.operator;
        self.agree((kind, unsigned))?;
        let found = (0..candidates).find_map(|i| self.attempt(ir.operand(op, i), 1));
        if found.is_none() {
            self.operator = saved;
        }
        found
    }

    /// One of several values, each of them the start, or another value on the way, combined with something or as it is.
    fn through_choice(&mut self, values: &[Value]) -> Option<usize> {
        let mut bases = vec![self.from];
        values.iter().for_each(|&value| alternatives(self.ir, value, MOST_NESTED, &mut bases));
        bases.into_iter().find_map(|base| {
            let saved = (self.operator, self.compared);
            let found = self.through_base(values, base);
            if found.is_none() {
                (self.operator, self.compared) = saved;
            }
            found
        })
    }

    fn through_base(&mut self, values: &[Value], base: Value) -> Option<usize> {
        self.tries = self.tries.checked_sub(1)?;
        let mut parts = Chain { from: base, ..*self };
        let uses: Option<usize> = values.iter().map(|&value| parts.part(value)).sum();
        self.tries = parts.tries;
        let uses = uses?;
        (self.operator, self.compared) = (parts.operator, parts.compared);
        match base == self.from {
            true => Some(uses),
            false => self.link(base, uses),
        }
    }

    /// How many uses of the start lie on the way to a value that has one use.
    fn part(&mut self, value: Value) -> Option<usize> {
        match value == self.from {
            true => Some(1),
            false => self.link(value, 1),
        }
    }

    /// `x > so_far ? x : so_far` and its kin.
    fn through_select(&mut self, op: Op) -> Option<usize> {
        let ir = self.ir;
        let holds = ir.operand(op, 0);
        let condition = ir.defining_op(holds)?;
        // Anybody else who asks whether this one is greater asks what the iterations before have found.
        if ir.users(holds).any(|user| user != op && !self.beside.contains(&user)) {
            return None;
        }
        let (chosen, other) = (ir.operand(op, 1), ir.operand(op, 2));
        let compared = (ir.operand_count(condition) == 2)
            .then(|| (ir.operand(condition, 0), ir.operand(condition, 1)))?;
        let (greater, unsigned) = order(ir, condition)?;
        let greater = match compared {
            pair if pair == (chosen, other) => greater,
            pair if pair == (other, chosen) => !greater,
            _ => return None,
        };
        let kind = if greater { Reduction::Max } else { Reduction::Min };
        let saved = self.operator;
        self.agree((kind, unsigned))?;
        // The comparison holds for no NaN: what is chosen then is what stands behind the colon.
        let ways = [(chosen, Compared::Takes), (other, Compared::Keeps)];
        let found = ways.into_iter().find_map(|(so_far, way)| {
            let found = self.attempt(so_far, 2)?;
            if arith::CmpFOp::is(ir, condition) && self.compared != Some(Compared::Takes) {
                self.compared = Some(way);
            }
            Some(found)
        });
        if found.is_none() {
            self.operator = saved;
        }
        found
    }
}

/// Ways through choices that are tried for one value: more have one who writes them by machine.
const MOST_TRIES: u32 = 256;

/// Choices in each other that are looked into.
const MOST_NESTED: usize = 8;

/// What the regions of a conditional leave as its result of that number.
fn yielded(ir: &Ir, op: Op, index: usize) -> Option<Vec<Value>> {
    let of = |&region: &Region| {
        let end = ir.last_op(ir.entry_block(region)?)?;
        Some(ir.operand(end, index))
    };
    ir.regions(op).iter().map(of).collect()
}

/// What a value is, or what it is chosen from.
fn alternatives(ir: &Ir, value: Value, depth: usize, found: &mut Vec<Value>) {
    let chosen = ir.defining_op(value).filter(|_| depth > 0).and_then(|op| match ir.name(op) {
        arith::SelectOp::NAME => Some(vec![ir.operand(op, 1), ir.operand(op, 2)]),
        scf::IfOp::NAME | affine::AffineIfOp::NAME => {
            yielded(ir, op, ir.results(op).iter().position(|&result| result == value)?)
        }
        _ => None,
    });
    found.push(value);
    for each in chosen.into_iter().flatten() {
        alternatives(ir, each, depth - 1, found);
    }
}

/// Whether a comparison asks for the greater on its left, and whether as unsigned.
pub(super) fn order(ir: &Ir, op: Op) -> Option<(bool, bool)> {
    let attr = ir.attr(op, "predicate")?;
    if arith::CmpFOp::is(ir, op) {
        return match &*arith::CMPF_PREDICATES
            .keywords(arith::CMPF_PREDICATES.number(&ir.ctx, attr)?)
        {
            "ogt" | "oge" => Some((true, false)),
            "olt" | "ole" => Some((false, false)),
            _ => None,
        };
    }
    if !arith::CmpIOp::is(ir, op) {
        return None;
    }
    match &*arith::CMPI_PREDICATES.keywords(arith::CMPI_PREDICATES.number(&ir.ctx, attr)?) {
        "sgt" | "sge" => Some((true, false)),
        "slt" | "sle" => Some((false, false)),
        "ugt" | "uge" => Some((true, true)),
        "ult" | "ule" => Some((false, true)),
        _ => None,
    }
}
