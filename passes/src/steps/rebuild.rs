//! Writing a nest anew, in the order of a schedule.

use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineValue, build_affine_value};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use gpuc_presburger::{Affine, BasicSet, Bound, Constraint, Var};

use super::legality::Legal;
use super::refusal::Refusal;
use super::scan::{Loop, Node, scan};
use super::schedule::{Dates, renamed};
use super::statements::Statements;
use crate::analysis::domain::Domain;
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::polynomial::Polynomial;
use crate::raise::affine_operands::AffineOperands;
use crate::raise::raise_affine::copy_marks;
use crate::raise::row_guard::Guard;
use crate::versions;

/// Replaces the roots of the statements by loops in the order of the schedule; the new outermost
/// loops, in order. What the program said of a loop stands at the one that counts its variable.
///
/// # Errors
/// There are no loops for the order: bounds that statements do not have in common, or that are no
/// affine expressions of values. Nothing was changed.
pub fn rebuild(ir: &mut Ir, step: &'static str, legal: Legal<'_>) -> Result<Vec<Op>, Refusal> {
    write(ir, step, legal, None)
}

/// The same, where statements need have bounds in common only if `holds` does, which is what this adds to it: that
/// some loop of the region runs at all.
///
/// # Errors
/// Those of [`rebuild`]; nor can it be tested in front of the region. Nothing was changed.
pub fn rebuild_where(
    ir: &mut Ir,
    step: &'static str,
    legal: Legal<'_>,
    holds: &mut Guard,
) -> Result<Vec<Op>, Refusal> {
    write(ir, step, legal, Some(holds))
}

fn write(
    ir: &mut Ir,
    step: &'static str,
    legal: Legal<'_>,
    holds: Option<&mut Guard>,
) -> Result<Vec<Op>, Refusal> {
    let Legal { statements, schedule } = legal;
    let first = statements.roots[0];
    let refuse = |rule: &str| Refusal::new(step, first, rule);
    let dates = schedule.dates(statements);
    let (domain, sets, known) = domains(ir, statements, &dates)
        .ok_or_else(|| refuse("the iterations are not described by affine bounds alone"))?;
    let mut assumed = Vec::new();
    // Nests that are made one by hand or by choice are to be one.
    let together = statements.roots.len() > 1;
    let tree = scan(&sets, &known, together, holds.is_some().then_some(&mut assumed))
        .map_err(|_| refuse("the new loops have no bounds that their statements have in common"))?;
    let mut tested = Guard::default();
    for constraint in &assumed {
        let form = domain.polynomial(constraint.expr()).map(Guard::not_negative);
        tested.extend(form.ok_or_else(|| refuse("what it assumes of bounds is no number"))?);
    }
    let region = ir.ancestors(first).find(|&op| RegionOp::is(ir, op));
    if !region.is_some_and(|region| tested.can_be_had_before(ir, versions::point(ir, region)))
        && !tested.holds_always()
    {
        return Err(refuse("its bounds are not known in front of the region"));
    }
    let Some(params) = params(ir, first, &domain) else {
        return Err(refuse("a bound holds a product of values, which no affine loop can have"));
    };
    let mut writer = Writer {
        statements,
        dates: &dates,
        params,
        operands: AffineOperands::default(),
        values: vec![None; dates.rows.len()],
        at: first,
    };
    if let Some(holds) = holds {
        holds.extend(tested);
    }
    let mut b = Builder::before(ir, first);
    let mut made = Vec::new();
    writer.nodes(&mut b, &tree, &mut made);
    for &root in &statements.roots {
        ir.erase_op(root);
    }
    Ok(made)
}

/// The dates of each statement as sets over the parameters of `Domain`, and what is known of these.
fn domains(
    ir: &Ir,
    statements: &Statements,
    dates: &Dates,
) -> Option<(Domain, Vec<BasicSet>, BasicSet)> {
    let (&first, &last) = (statements.roots.first()?, statements.roots.last()?);
    let mut domain = Domain::inside_either([first, last]);
    let nests: Vec<Vec<CountedLoop>> = statements
        .list
        .iter()
        .map(|each| each.loops.iter().flat_map(|&op| dimensions(ir, op)).collect())
        .collect();
    nests.iter().for_each(|nest| domain.add_nest(ir, nest));
    domain.add_context(ir);
    let space = domain.set_space(dates.rows.len());
    let mut known = BasicSet::universe(space.clone());
    domain.constrain(&mut known, &[]).ok()?;
    let mut sets = Vec::new();
    for (i, nest) in nests.iter().enumerate() {
        let mut iterations = BasicSet::universe(domain.set_space(nest.len()));
        if !domain.constrain(&mut iterations, nest).ok()? || iterations.locals() > 0 {
            return None;
        }
        let places = &dates.places[i];
        let mut set = BasicSet::universe(space.clone());
        for (row, forms) in dates.rows.iter().enumerate() {
            let form = renamed(&forms[i], |index| places[index]);
            if form != Affine::dim(row) {
                set.add(&Constraint::eq(Affine::dim(row), form)).ok()?;
            }
        }
        for constraint in iterations.constraints() {
            let form = renamed(constraint.expr(), |index| places[index]);
            set.add(&match constraint.is_equality() {
                true => Constraint::eq(form, 0),
                false => Constraint::ge(form, 0),
            })
            .ok()?;
        }
        sets.push(set);
    }
    Some((domain, sets, known))
}

/// The parameters as values that affine maps can have as operands.
fn params(ir: &mut Ir, at: Op, domain: &Domain) -> Option<Vec<Value>> {
    let mut operands = AffineOperands::default();
    let params: Vec<_> = domain.params().cloned().collect();
    let single = |monomial: &[Value]| match *monomial {
        [value] => Some(value),
        _ => None,
    };
    let values: Vec<Value> = params.iter().map(|each| single(each)).collect::<Option<_>>()?;
    let forms: Vec<Polynomial> = values.iter().map(|&value| Polynomial::value(value)).collect();
    operands.map(ir, at, &forms).map(|_| values)
}

struct Writer<'a> {
    statements: &'a Statements,
    dates: &'a Dates,
    params: Vec<Value>,
    operands: AffineOperands,
    /// The variables of loops round the builder's place.
    values: Vec<Option<Value>>,
    /// An operation of the scope, for which values are brought into affine form.
    at: Op,
}

impl Writer<'_> {
    fn nodes(&mut self, b: &mut Builder<'_>, nodes: &[Node], made: &mut Vec<Op>) {
        for node in nodes {
            match node {
                Node::Loop(each) => made.push(self.write_loop(b, each)),
                Node::Statement { index, values, guards } => {
                    self.guarded(b, *index, values, guards, made);
                }
            }
        }
    }

    fn write_loop(&mut self, b: &mut Builder<'_>, each: &Loop) -> Op {
        let source = self.source(each.dim, each.statement);
        b.location = b.location(source);
        let lower = self.bounds(b, &each.lower, &each.values, false);
        let upper = self.bounds(b, &each.upper, &each.values, true);
        // The body comes later: affine operands are looked up through the loops round them.
        let new = AffineForOp::create(b, &lower, &upper, 1, &[], |_, _, _| Vec::new());
        self.values[each.dim] = Some(new.induction_var(b));
        let inside = new.end_of_body(b);
        b.at(inside, |b| self.nodes(b, &each.body, &mut Vec::new()));
        self.values[each.dim] = None;
        copy_marks(b, source, new.0);
        let variable = AffineForOp(source).induction_var(b);
        let (named, variable) = (b.value_location(variable), new.induction_var(b));
        b.set_value_location(variable, named);
        new.0
    }

    /// The loop that a loop over a dimension of the dates stands for.
    fn source(&self, dim: usize, statement: usize) -> Op {
        let loops = &self.statements.list[statement].loops;
        let form = &self.dates.rows[dim][statement];
        let counted = form.terms().filter_map(|(var, _)| match var {
            Var::Dim(index) => loops.get(index),
            _ => None,
        });
        counted.copied().next().unwrap_or(loops[0])
    }

    fn polynomial(&self, form: &Affine) -> Polynomial {
        let mut sum = Polynomial::constant(form.constant_term());
        for (var, coefficient) in form.terms() {
            let value = match var {
                Var::Dim(dim) => self.values[dim].expect("a loop round it counts the dimension"),
                Var::Param(index) => self.params[index],
                Var::Local(_) => unreachable!("sets with locals are not written"),
            };
            sum = sum
                .plus(&Polynomial::term(&[value], coefficient), 1)
                .expect("coefficients that the solver had fit in 64 bits");
        }
        sum
    }

    fn map(&mut self, b: &mut Builder<'_>, forms: &[Affine]) -> AffineValue {
        let forms: Vec<Polynomial> = forms.iter().map(|form| self.polynomial(form)).collect();
        self.operands.map(b, self.at, &forms).expect("loop variables and values that were tried")
    }

    /// Bounds of a loop: the lower ones as they are, the upper ones one further.
    fn bounds(
        &mut self,
        b: &mut Builder<'_>,
        bounds: &[Bound],
        values: &[Affine],
        is_upper: bool,
    ) -> AffineValue {
        let forms: Vec<Affine> =
            bounds.iter().map(|bound| self.resolved(&bound.expr, values)).collect();
        let mut value = self.map(b, &forms);
        let data = b.ctx.map_data(value.map).clone();
        let mut results = Vec::new();
        for (&result, bound) in data.results.iter().zip(bounds) {
            let divisor = b.ctx.constant_expr(bound.divisor);
            results.push(match is_upper {
                true => {
                    let quotient = b.ctx.floordiv_expr(result, divisor);
                    let one = b.ctx.constant_expr(1);
                    b.ctx.add_expr(quotient, one)
                }
                false => b.ctx.ceildiv_expr(result, divisor),
            });
        }
        value.map = b.ctx.map(data.dims, data.symbols, &results);
        value
    }

    fn guarded(
        &mut self,
        b: &mut Builder<'_>,
        index: usize,
        values: &[Affine],
        guards: &[Constraint],
        made: &mut Vec<Op>,
    ) {
        if guards.is_empty() {
            return self.statement(b, index, values);
        }
        let forms: Vec<Affine> =
            guards.iter().map(|guard| self.resolved(guard.expr(), values)).collect();
        let map = self.map(b, &forms);
        let data = b.ctx.map_data(map.map).clone();
        let signs = guards.iter().map(Constraint::is_equality);
        let conditions: Vec<_> = data.results.iter().copied().zip(signs).collect();
        let set = b.ctx.integer_set(data.dims, data.symbols, &conditions);
        let view = AffineIfOp::create(b, set, &map.operands, |_| ());
        let block = view.then_block(b);
        let end = b.terminator(block).expect("the branch ends with a yield");
        b.at(InsertPoint::Before(end), |b| self.statement(b, index, values));
        made.push(view.0);
    }

    /// A value over dimensions that loops count.
    fn resolved(&self, form: &Affine, values: &[Affine]) -> Affine {
        let constant = Affine::constant(form.constant_term());
        form.terms().fold(constant, |sum, (var, coefficient)| {
            let value = match var {
                Var::Dim(dim) if self.values[dim].is_none() => self.resolved(&values[dim], values),
                other => other.into(),
            };
            sum + value * coefficient
        })
    }

    /// Copies a statement, with what it uses from the old loops.
    fn statement(&mut self, b: &mut Builder<'_>, index: usize, values: &[Affine]) {
        let statements = self.statements;
        let statement = &statements.list[index];
        let mut map = ValueMap::new();
        for (depth, &op) in statement.loops.iter().enumerate() {
            let value = self.resolved(&values[self.dates.places[index][depth]], values);
            let map_of = self.map(b, &[value]);
            let new = build_affine_value(b, map_of);
            map.insert(AffineForOp(op).induction_var(b), new);
        }
        for &op in &statement.ops {
            for inner in b.nested_ops(op, WalkOrder::PreOrder) {
                for operand in b.operands(inner).collect::<Vec<_>>() {
                    copy_definition(b, statements, statement.ops.as_slice(), operand, &mut map);
                }
            }
        }
        for &op in &statement.ops {
            let copy = b.clone_op(op, &mut map);
            b.insert(copy);
        }
    }
}

/// Computes a value again in front of a statement, unless that holds it or the nest does not.
fn copy_definition(
    b: &mut Builder<'_>,
    statements: &Statements,
    ops: &[Op],
    value: Value,
    map: &mut ValueMap,
) {
    if map.get(value) != value || !statements.is_inside(b, value) {
        return;
    }
    let Some(op) = b.defining_op(value) else { return };
    if ops.iter().any(|&own| own == op || b.is_inside(op, own)) {
        return;
    }
    for operand in b.operands(op).collect::<Vec<_>>() {
        copy_definition(b, statements, ops, operand, map);
    }
    let copy = b.clone_op(op, map);
    b.insert(copy);
}
