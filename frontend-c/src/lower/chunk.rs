//! Iterations that processors share by their numbers, and variables that go with the number of an iteration.

use gpuc_dialects::{arith, scf};
use gpuc_ir::Value;

use super::counted::Bounds;
use super::lowerer::{Binding, Lowerer, Lowering};
use super::scalar::Scalar;
use crate::directive::Directive;
use crate::directive::construct::{Chunk, GANG, LANE};
use crate::tree::DeclId;

impl Lowerer<'_> {
    /// The processors that share a directive's iterations by numbers that loops around know.
    pub(super) fn levels_by_number(&self, directive: &Directive) -> Vec<usize> {
        let Some(nest) = &directive.nest else { return Vec::new() };
        let shares = |&level: &usize| nest.shared[level] && self.numbers[level].is_some();
        [GANG, LANE].into_iter().filter(shares).collect()
    }

    /// Leaves of a loop's iterations those of the processors around, and has `then` make the loop over each part.
    pub(super) fn in_parts(
        &mut self,
        directive: &Directive,
        bounds: Bounds,
        levels: &[usize],
        then: &mut dyn FnMut(&mut Self, Bounds) -> Lowering<()>,
    ) -> Lowering<()> {
        let Some((&level, rest)) = levels.split_first() else { return then(self, bounds) };
        let (Some(nest), Some((number, count))) = (&directive.nest, self.numbers[level]) else {
            return then(self, bounds);
        };
        let Bounds { lower, upper, step, .. } = bounds;
        let chunk = match nest.chunks[level] {
            Chunk::One => {
                let offset = self.multiply_index(number, step);
                let lower = self.add_index(lower, offset);
                let step = self.multiply_index(step, count);
                return self.in_parts(directive, Bounds { lower, step, ..bounds }, rest, then);
            }
            Chunk::Part => {
                let negated = self.negate_index(lower);
                let distance = self.add_index(upper, negated);
                let rounds = self.rounds(distance, step);
                let op = arith::CeilDivSIOp::new(&mut self.b, rounds, count);
                self.value(op)
            }
            Chunk::Of(chunk) => {
                let chunk = self.subscript(chunk)?;
                let one = self.index(1);
                let op = arith::MaxSIOp::new(&mut self.b, chunk, one);
                self.value(op)
            }
        };
        let width = self.multiply_index(chunk, step);
        let offset = self.multiply_index(number, width);
        let first = self.add_index(lower, offset);
        if nest.chunks[level] == Chunk::Part {
            let part = self.stretch(bounds, first, width);
            return self.in_parts(directive, part, rest, then);
        }
        let stride = self.multiply_index(width, count);
        let index = self.b.ctx.index();
        let (region, done) = self.region(&[index], |l, arguments| {
            let part = l.stretch(bounds, arguments[0], width);
            l.in_parts(directive, part, rest, then)?;
            Ok(())
        });
        if let Some(&block) = self.b.blocks(region).first() {
            self.inside(block, |l| l.yields(&[]));
        }
        let op = scf::ForOp::new(&mut self.b, first, upper, stride, &[]).region(region);
        self.build(op);
        done
    }

    /// So many iterations from one on, if there are as many.
    fn stretch(&mut self, bounds: Bounds, lower: Value, width: Value) -> Bounds {
        let end = self.add_index(lower, width);
        let op = arith::MinSIOp::new(&mut self.b, end, bounds.upper);
        let upper = self.value(op);
        Bounds { lower, upper, ..bounds }
    }

    /// The loops' variables where the last iteration comes first.
    pub(super) fn reversed(&mut self, bounds: &[Bounds], induction: &[Value]) -> Vec<Value> {
        let mut reversed = induction.to_vec();
        let (Some(bounds), Some(at)) = (bounds.first(), reversed.first_mut()) else {
            return reversed;
        };
        let negated = self.negate_index(bounds.lower);
        let distance = self.add_index(bounds.upper, negated);
        let rounds = self.rounds(distance, bounds.step);
        let less = self.index(-1);
        let last = self.add_index(rounds, less);
        let last = self.multiply_index(last, bounds.step);
        let twice = self.add_index(bounds.lower, bounds.lower);
        let sum = self.add_index(twice, last);
        let negated = self.negate_index(*at);
        *at = self.add_index(sum, negated);
        reversed
    }

    /// What variables that go with the number of an iteration are ahead of the loop.
    pub(super) fn linear_starts(
        &mut self,
        directive: &Directive,
    ) -> Lowering<Vec<(DeclId, Value, Value, Scalar)>> {
        let mut starts = Vec::new();
        for (var, step) in &directive.linear {
            let scalar = self.scalar(self.unit.decls[var.decl].ty, var.span)?;
            let start = match self.bindings.get(&var.decl) {
                Some(&Binding::Slot { memref, .. }) => {
                    let value = self.read_slot(memref);
                    self.loaded(value, scalar)
                }
                Some(&Binding::Value(value)) => value,
                _ => return self.error(var.span, "`linear` is supported for integers only"),
            };
            if !matches!(scalar, Scalar::Int { .. }) {
                return self.error(var.span, "`linear` is supported for integers only");
            }
            let step = match *step {
                Some(step) => self.subscript(step)?,
                None => self.index(1),
            };
            starts.push((var.decl, start, step, scalar));
        }
        Ok(starts)
    }

    /// At the start of an iteration: the variables that go with its number.
    pub(super) fn enter_linear(
        &mut self,
        directive: &Directive,
        starts: &[(DeclId, Value, Value, Scalar)],
        whole: &[Bounds],
        induction: &[Value],
    ) -> Lowering<()> {
        let (Some(bounds), Some(&at)) = (whole.first(), induction.first()) else { return Ok(()) };
        for &(decl, start, step, scalar) in starts {
            if whole.len() > 1 {
                return self
                    .error(directive.name, "`linear` with collapsed loops is not supported");
            }
            let Some(&Binding::Slot { memref, .. }) = self.bindings.get(&decl) else {
                return self.error(directive.name, "`linear` of a loop's own variable");
            };
            let negated = self.negate_index(bounds.lower);
            let distance = self.add_index(at, negated);
            let number = self.rounds(distance, bounds.step);
            let moved = self.multiply_index(number, step);
            let start = self.as_index(start, scalar);
            let value = self.add_index(start, moved);
            let value = self.index_as(value, scalar);
            let value = self.stored(value, scalar);
            self.write_slot(memref, value);
        }
        Ok(())
    }
}
