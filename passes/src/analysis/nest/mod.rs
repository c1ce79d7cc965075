//! Loop nests: who touches what in which iteration, and what has to wait for what.
//!
//! [`Nest`] is computed once for an operation and kept by the pass manager. It knows the accesses
//! inside and, for each loop, which of them are its own; iteration domains with the conditions round
//! an access ([`guard`]), access relations and dependences are made from these on demand, with all
//! iterations of loops outside the one asked about as parameters. Answers are kept: passes in a row ask
//! the same of a nest that none of them changes, and the solver takes longer than what they do.

use std::cell::RefCell;
use std::hash::Hash;
use std::ops::Range;
use std::rc::Rc;

use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::pass::Analysis;
use gpuc_ir::{Ir, Op, Value, WalkOrder};
use gpuc_presburger::dependence as presburger;
use rustc_hash::FxHashMap;

use super::access::{Access, access};

pub mod carried;
pub mod coverage;
pub mod dependence;
pub mod graph;
pub mod guard;
mod pair;
pub mod print;
pub mod reaching;
mod shape;
pub mod touched;

use carried::{Apart, Carried, Wanted, carried};
use dependence::DependenceKind;
use graph::DependenceGraph;
use pair::Pair;
use shape::is_outside;

/// Answers by questions.
#[derive(Clone, Debug)]
struct Known<Question, Answer>(RefCell<FxHashMap<Question, Rc<Answer>>>);

impl<Question, Answer> Default for Known<Question, Answer> {
    fn default() -> Self {
        Known(RefCell::default())
    }
}

impl<Question: Eq + Hash, Answer> Known<Question, Answer> {
    /// The answer to a question, from before if it has been asked.
    fn ask(
        &self,
        question: Question,
        find: impl FnOnce() -> Result<Answer, Op>,
    ) -> Result<Rc<Answer>, Op> {
        if let Some(known) = self.0.borrow().get(&question) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(find()?);
        self.0.borrow_mut().insert(question, Rc::clone(&found));
        Ok(found)
    }
}

/// The accesses inside an operation, and which loop has which.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// In order of the program.
    accesses: Vec<Access>,
    /// Operations whose effects are not known, in order of the program.
    unknown: Vec<Op>,
    /// What is inside the operation itself, and inside each counted loop.
    spans: FxHashMap<Op, Span>,
    /// What loops carry, as far as it has been asked.
    carried: Known<(Op, Apart, Wanted), Carried>,
    /// The graphs that have been asked for, by their roots.
    graphs: Known<(Vec<Op>, Apart), DependenceGraph>,
}

#[derive(Clone, Debug, Default)]
struct Span {
    accesses: Range<usize>,
    unknown: Range<usize>,
}

impl Analysis for Nest {
    fn compute(ir: &Ir, op: Op) -> Nest {
        let mut nest = Nest::default();
        let whole = nest.scan(ir, op);
        nest.spans.insert(op, whole);
        nest
    }
}

/// A dependence between two accesses of a nest.
#[derive(Clone, Debug)]
pub struct NestDependence {
    /// The access that comes first.
    pub source: Access,
    /// The access that comes after it.
    pub sink: Access,
    /// What they do.
    pub kind: DependenceKind,
    /// The variables of the loops that both are in, outermost first.
    pub loops: Vec<Value>,
    /// What carries it, with the relation of iterations, distances and directions; `None` where the
    /// accesses do not compare: any loop may carry it, at any distance.
    pub known: Option<presburger::Dependence>,
}

impl Nest {
    /// The accesses inside a loop, where all there have effects that are known.
    ///
    /// # Errors
    /// An operation whose effects are not known, such as a barrier, for which no subscript is looked at.
    pub fn of_known(ir: &Ir, op: Op) -> Result<Nest, Op> {
        let inside = ir.nested_ops(op, WalkOrder::PreOrder);
        let is_known = |&inner: &Op| ir.memory_access(inner).is_some() || is_benign(ir, inner);
        match inside.into_iter().find(|inner| !is_known(inner)) {
            Some(unknown) => Err(unknown),
            None => Ok(Nest::compute(ir, op)),
        }
    }

    fn scan(&mut self, ir: &Ir, op: Op) -> Span {
        let (first, first_unknown) = (self.accesses.len(), self.unknown.len());
        if let Some(access) = access(ir, op) {
            self.accesses.push(access);
        } else if !is_benign(ir, op) {
            self.unknown.push(op);
        }
        for &region in ir.regions(op) {
            for &block in ir.blocks(region) {
                for inner in ir.ops(block) {
                    self.scan(ir, inner);
                }
            }
        }
        let span = Span {
            accesses: first..self.accesses.len(),
            unknown: first_unknown..self.unknown.len(),
        };
        if ir.is_counted_loop(op) {
            self.spans.insert(op, span.clone());
        }
        span
    }

    /// The accesses inside the analysed operation or a counted loop in it, in order.
    ///
    /// # Errors
    /// An operation in there whose effects are not known.
    pub fn accesses(&self, op: Op) -> Result<&[Access], Op> {
        let span = self.spans.get(&op).ok_or(op)?;
        match self.unknown[span.unknown.clone()].first() {
            Some(&unknown) => Err(unknown),
            None => Ok(&self.accesses[span.accesses.clone()]),
        }
    }

    /// What a counted loop carries from one iteration to another; see [`mod@carried`].
    ///
    /// # Errors
    /// An operation in the loop whose effects are not known.
    pub fn carried(
        &self,
        ir: &Ir,
        op: Op,
        apart: Apart,
        wanted: Wanted,
    ) -> Result<Rc<Carried>, Op> {
        self.carried
            .ask((op, apart, wanted), || Ok(carried(ir, op, self.accesses(op)?, apart, wanted)))
    }

    /// Whether iterations of a counted loop wait for each other, mapped variables being apart; `None` where an operation has effects
    /// that are not known.
    pub fn waits(&self, ir: &Ir, op: Op) -> Option<bool> {
        let found = self.carried(ir, op, Apart::Assumed, Wanted::Any).ok()?;
        Some(found.dependence.is_some())
    }

    /// All dependences among the accesses to one variable inside a counted loop, of every level, those
    /// between reads included. That is a question for each pair: for nests that are to be transformed,
    /// not for whole programs.
    ///
    /// # Errors
    /// An operation in the loop whose effects are not known.
    pub fn dependences(&self, ir: &Ir, op: Op) -> Result<Vec<NestDependence>, Op> {
        let accesses = self.accesses(op)?;
        let mut found = Vec::new();
        for (i, first) in accesses.iter().enumerate() {
            for second in &accesses[i..] {
                if first.root != second.root {
                    continue;
                }
                between(ir, op, first, second, true, &mut found);
                if first.op != second.op {
                    between(ir, op, second, first, false, &mut found);
                }
            }
        }
        Ok(found)
    }
}

/// The dependences from one access to another, or to itself.
fn between(
    ir: &Ir,
    op: Op,
    source: &Access,
    sink: &Access,
    source_first: bool,
    found: &mut Vec<NestDependence>,
) {
    let pair = Pair::new(ir, [op; 2], source, sink);
    let known = match comparable(ir, op, source, sink, Own::Unknown) {
        true => {
            let question = pair.question(source, sink);
            question.and_then(|question| question.forth(source_first && source.op != sink.op))
        }
        false => None,
    };
    let dependence = |known| NestDependence {
        source: source.clone(),
        sink: sink.clone(),
        kind: DependenceKind::between(source, sink),
        loops: pair.variables(),
        known,
    };
    match known {
        Some(known) => found.extend(known.into_iter().map(|each| dependence(Some(each)))),
        None => found.push(dependence(None)),
    }
}

/// What is said of the elements of a buffer that is declared inside the loop asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    /// Nothing.
    Unknown,
    /// What subscripts say: for who knows that iterations round the declaration do not share it.
    Compared,
}

/// Whether subscripts of two accesses inside the loop `op` say whether they are to the same element.
fn comparable(ir: &Ir, op: Op, source: &Access, sink: &Access, own: Own) -> bool {
    source.memory() == sink.memory()
        && (is_outside(ir, source.memory(), op)
            || (own == Own::Compared && source.memory() == source.root))
        && source.subscripts.len() == sink.subscripts.len()
}

/// Whether an operation that is no access touches no memory that others see.
fn is_benign(ir: &Ir, op: Op) -> bool {
    if ir.has_trait(op, Traits::RECURSIVE_EFFECTS) || ir.has_trait(op, Traits::TERMINATOR) {
        // What is inside is asked for itself.
        return true;
    }
    ir.effects(op)
        .is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Allocate))
}
