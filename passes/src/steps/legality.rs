//! The gate: whether an order of execution keeps every dependence.
//!
//! A [`Legal`] schedule can be made here only, and only a legal schedule can be carried out. A
//! dependence is kept where its sink has a later date than its source. Directions answer that where a
//! row counts a loop that both ends are in; the solver answers the rest, and where it gives up, the
//! dependence counts as broken.

use std::cell::OnceCell;

use gpuc_ir::{Ir, Op};
use gpuc_presburger::dependence::Direction;
use gpuc_presburger::{Affine, BasicSet, Constraint, Space, Var};

use super::refusal::{Refusal, Witness};
use super::schedule::{Row, Schedule, renamed};
use super::statements::Statements;
use crate::analysis::nest::graph::{DependenceGraph, Edge};

/// A schedule of statements that is proven to keep all dependences among them.
#[derive(Debug)]
pub struct Legal<'a> {
    pub(super) statements: &'a Statements,
    pub(super) schedule: Schedule,
}

impl<'a> Legal<'a> {
    /// Proves a schedule.
    ///
    /// # Errors
    /// A dependence that it would break, in the name of `step`.
    pub fn prove(
        ir: &Ir,
        step: &'static str,
        statements: &'a Statements,
        graph: &DependenceGraph,
        schedule: Schedule,
    ) -> Result<Legal<'a>, Refusal> {
        for edge in &graph.edges {
            let Some(mut order) = Order::of(ir, statements, edge) else {
                let rule = "an access belongs to none of the statements";
                return Err(Refusal::new(step, edge.source.op, rule));
            };
            for row in &schedule.0 {
                if order.may_go(row, Direction::Greater) {
                    return Err(broken(step, &order, row, statements.roots[0]));
                }
                order.stay_equal(row);
                if order.is_empty() {
                    break;
                }
            }
        }
        Ok(Legal { statements, schedule })
    }
}

fn broken(step: &'static str, order: &Order<'_>, row: &Row, at: Op) -> Refusal {
    Refusal {
        step,
        rule: "a dependence would be turned round".to_owned(),
        at: Some(at),
        witness: Some(Witness::new(order.edge, order.sample(row))),
        limit: None,
        way_round: None,
    }
}

/// The pairs of iterations of a dependence that rows so far have left equal.
#[derive(Clone)]
pub(crate) struct Order<'a> {
    pub(crate) edge: &'a Edge,
    /// The statements of source and sink.
    pub(crate) ends: [usize; 2],
    /// Loops that both statements are in.
    common: usize,
    /// Directions that are left, in the loops that both accesses are in.
    vectors: Vec<Vec<Direction>>,
    /// Forms over the pair that are 0.
    equal: Vec<Affine>,
    pieces: OnceCell<Option<Vec<BasicSet>>>,
}

impl<'a> Order<'a> {
    /// All pairs of a dependence.
    pub(crate) fn of(ir: &Ir, statements: &Statements, edge: &'a Edge) -> Option<Order<'a>> {
        let ends = [&edge.source, &edge.sink].map(|access| statements.holding(ir, access.op));
        let ends = [ends[0]?, ends[1]?];
        let [one, other] = ends.map(|end| &statements.list[end].loops);
        let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        Some(Order {
            edge,
            ends,
            common: common.min(edge.loops.len()),
            vectors: edge.vectors.clone(),
            equal: Vec::new(),
            pieces: OnceCell::new(),
        })
    }

    /// Whether no pair is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The loop that both ends are in and that a row counts for both.
    fn loop_of(&self, row: &Row) -> Option<usize> {
        let [one, other] = self.ends.map(|end| &row.0[end]);
        let index = (0..self.common).find(|&index| *one == Affine::dim(index))?;
        (one == other).then_some(index)
    }

    /// How many numbers of the source's iterations come first in a pair.
    fn inputs(&self) -> usize {
        match &self.edge.known {
            Some(known) => known.relation().space().inputs(),
            None => self.depth(),
        }
    }

    /// What stands for the iterations of an end where nothing is known: its statement's loops.
    fn depth(&self) -> usize {
        self.edge.loops.len().max(MOST_LOOPS)
    }

    /// By how much a row of the sink is greater than that of the source, over the pair.
    fn difference(&self, row: &Row) -> Affine {
        let [source, sink] = self.ends.map(|end| &row.0[end]);
        let inputs = self.inputs();
        renamed(sink, |index| inputs + index) - source.clone()
    }

    /// Whether the sink may lie on that side of the source in a row: `Less` means later.
    pub(crate) fn may_go(&self, row: &Row, direction: Direction) -> bool {
        if let Some(index) = self.loop_of(row) {
            return self.vectors.iter().any(|vector| vector[index] == direction);
        }
        let difference = self.difference(row);
        if let Some(constant) = difference.as_constant() {
            return match direction {
                Direction::Less => constant > 0,
                Direction::Equal => constant == 0,
                Direction::Greater => constant < 0,
            };
        }
        let constraint = match direction {
            Direction::Less => Constraint::ge(difference, 1),
            Direction::Equal => Constraint::eq(difference, 0),
            Direction::Greater => Constraint::le(difference, -1),
        };
        let Some(pieces) = self.pieces() else { return true };
        pieces.iter().any(|piece| {
            let mut piece = piece.clone();
            let narrowed = piece.add(&constraint);
            !matches!(narrowed.and_then(|()| piece.is_empty()), Ok(true))
        })
    }

    /// Keeps the pairs that a row leaves equal.
    pub(crate) fn stay_equal(&mut self, row: &Row) {
        if let Some(index) = self.loop_of(row) {
            self.vectors.retain(|vector| vector[index] == Direction::Equal);
        } else if !self.may_go(row, Direction::Equal) {
            self.vectors.clear();
        }
        self.equal.push(self.difference(row));
        self.pieces = OnceCell::new();
    }

    /// The pairs that are left, as sets over the numbers of the source's loops and then the sink's;
    /// `None` where the solver does not tell.
    fn pieces(&self) -> Option<&Vec<BasicSet>> {
        self.pieces.get_or_init(|| self.restricted()).as_ref()
    }

    fn restricted(&self) -> Option<Vec<BasicSet>> {
        let mut pieces = match &self.edge.known {
            Some(known) => known.relation().pieces().to_vec(),
            None => {
                self.vectors.iter().map(|vector| self.assumed(vector)).collect::<Option<_>>()?
            }
        };
        for piece in &mut pieces {
            for form in &self.equal {
                piece.add(&Constraint::eq(form.clone(), 0)).ok()?;
            }
        }
        Some(pieces)
    }

    /// All pairs of iterations that lie in those directions.
    fn assumed(&self, vector: &[Direction]) -> Option<BasicSet> {
        let depth = self.depth();
        let mut piece = BasicSet::universe(Space::anonymous(0, 2 * depth));
        for (index, direction) in vector.iter().enumerate() {
            let distance = Affine::from(Var::Dim(depth + index)) - Affine::from(Var::Dim(index));
            let constraint = match direction {
                Direction::Less => Constraint::ge(distance, 1),
                Direction::Equal => Constraint::eq(distance, 0),
                Direction::Greater => Constraint::le(distance, -1),
            };
            piece.add(&constraint).ok()?;
        }
        Some(piece)
    }

    /// A pair that a row would turn round.
    fn sample(&self, row: &Row) -> Option<(Vec<i64>, Vec<i64>)> {
        self.edge.known.as_ref()?;
        let inputs = self.inputs();
        let difference = self.difference(row);
        let point = self.pieces()?.iter().find_map(|piece| {
            let mut piece = piece.clone();
            piece.add(&Constraint::le(difference.clone(), -1)).ok()?;
            piece.sample().ok().flatten()
        })?;
        Some((point.dims[..inputs].to_vec(), point.dims[inputs..].to_vec()))
    }
}

/// Loops round a statement, at most, for pairs of iterations of which nothing is known.
const MOST_LOOPS: usize = 16;
