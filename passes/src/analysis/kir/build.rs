//! Scopes and diKernels of a nest.

use std::rc::Rc;

use gpuc_dialects::memref;
use gpuc_ir::op::{AccessKind, LoopCarried, Traits};
use gpuc_ir::{Ir, Location, Op, OpView, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Class, Computation, DiKernel, Flow, Kir, Scope, flow};
use crate::analysis::access::{Access, access, name};
use crate::analysis::chrec::Chrec;
use crate::analysis::chrec::access::AccessChrecs;
use crate::analysis::loops::dimensions;
use crate::analysis::names;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::{DependenceGraph, accumulation};
use crate::analysis::slice::is_defined_inside;
use crate::parallel::carried_scalar::{CarriedScalar, classify};
use crate::raise::reduction::Reduction;

/// Makes the KIR of one nest.
pub(super) struct Builder<'a> {
    pub ir: &'a Ir,
    /// The outermost loop.
    pub root: Op,
    /// What the nest has to keep in order.
    pub graph: Rc<DependenceGraph>,
    pub kir: Kir,
    /// For each diKernel, the values that it is computed from.
    pub inputs: Vec<Vec<Value>>,
    /// The diKernels of stores, and of operations that compute a variable's value.
    pub of_op: FxHashMap<Op, usize>,
    /// The diKernels of what loops carry.
    pub of_value: FxHashMap<Value, usize>,
    /// Those that the outermost scope carries from iteration to iteration.
    carried_outside: FxHashSet<usize>,
}

impl Kir {
    /// The diKernels of a counted loop and all that is inside. Whether mapped variables are taken to be apart is for
    /// the caller to say.
    ///
    /// # Errors
    /// An operation in there whose effects are not known.
    pub fn of(ir: &Ir, nest: &Nest, root: Op, apart: Apart) -> Result<Kir, Op> {
        let mut builder = Builder {
            ir,
            root,
            graph: nest.graph(ir, &[root], apart)?,
            kir: Kir::default(),
            inputs: Vec::new(),
            of_op: FxHashMap::default(),
            of_value: FxHashMap::default(),
            carried_outside: FxHashSet::default(),
        };
        builder.scope(root, None);
        flow::find(&mut builder);
        builder.judge();
        Ok(builder.kir)
    }
}

impl Builder<'_> {
    /// The scope that begins with a loop, and those in it.
    fn scope(&mut self, first: Op, parent: Option<usize>) {
        let (mut loops, mut innermost) = (dimensions(self.ir, first), first);
        let mut ops = vec![first];
        while let Some(inner) = self.only_loop(innermost) {
            loops.extend(dimensions(self.ir, inner));
            innermost = inner;
            ops.push(inner);
        }
        let scope = self.kir.scopes.len();
        self.kir.scopes.push(Scope { parent, loops, innermost });
        for op in ops {
            self.carried(op, scope, parent);
        }
        self.body(innermost, scope);
    }

    /// The loop that is all that a loop does, but for what it computes for the loop's sake.
    fn only_loop(&self, op: Op) -> Option<Op> {
        let quiet = |&at: &Op| {
            self.ir.has_trait(at, Traits::TERMINATOR)
                || (self.ir.is_speculatable(at) && self.ir.regions(at).is_empty())
        };
        let mut rest = self.ir.ops(self.ir.body(op, 0)).filter(|at| !quiet(at));
        let inner =
            rest.next().filter(|&at| rest.next().is_none() && self.ir.is_counted_loop(at))?;
        // What computes more than the loop's bounds is a statement of its own.
        let busy = self.ir.ops(self.ir.body(op, 0)).any(|at| self.named(at).is_some());
        (!busy).then_some(inner)
    }

    /// What stands in a body, loops of its own in scopes of theirs.
    fn body(&mut self, at: Op, scope: usize) {
        for &region in self.ir.regions(at) {
            for &block in self.ir.blocks(region) {
                for op in self.ir.ops(block) {
                    if self.ir.is_counted_loop(op) {
                        self.scope(op, Some(scope));
                    } else {
                        self.operation(op, scope);
                        self.body(op, scope);
                    }
                }
            }
        }
    }

    fn operation(&mut self, op: Op, scope: usize) {
        if let Some(found) = access(self.ir, op).filter(Access::writes) {
            return self.store(&found, scope);
        }
        if self.of_op.contains_key(&op) {
            return;
        }
        if let Some(variable) = self.named(op) {
            let variable = variable.to_owned();
            let kernel = self.kernel(variable, op, scope, Class::Scalar, Computation::Assignment);
            self.of_op.insert(op, kernel);
            self.inputs[kernel].extend(self.ir.operands(op));
        }
    }

    /// The variable of which an operation computes a value.
    fn named(&self, op: Op) -> Option<&str> {
        let &[result] = self.ir.results(op) else { return None };
        let scalar = !self.ir.ctx.is_memref(self.ir.ty(result));
        scalar.then(|| names::of_location(self.ir, self.ir.location(op)))?
    }

    fn line(&self, location: Location) -> u32 {
        self.ir.ctx.place(location).map_or(0, |place| place.line)
    }

    fn kernel(
        &mut self,
        variable: String,
        op: Op,
        scope: usize,
        class: Class,
        computation: Computation,
    ) -> usize {
        let line = self.line(self.ir.location(op));
        let (shaded, conflicts) = (false, false);
        let kernel = DiKernel { variable, line, op, scope, class, computation, shaded, conflicts };
        self.kir.kernels.push(kernel);
        self.inputs.push(Vec::new());
        self.kir.kernels.len() - 1
    }

    fn store(&mut self, found: &Access, scope: usize) {
        let local = self.ir.defining_op(found.root);
        let local = local.is_some_and(|op| memref::AllocaOp::is(self.ir, op));
        let class = match (local && found.subscripts.is_empty(), self.is_regular(found)) {
            (true, _) => Class::Scalar,
            (false, true) => Class::Regular,
            (false, false) => Class::Irregular,
        };
        let computation = match found.kind {
            AccessKind::Atomic | AccessKind::Volatile => atomic(self.ir, found.op),
            _ => self.stored(found),
        };
        let variable = name(self.ir, found.root);
        let kernel = self.kernel(variable, found.op, scope, class, computation);
        self.of_op.insert(found.op, kernel);
        self.inputs[kernel].extend(self.ir.operands(found.op));
    }

    /// Whether all subscripts are affine in the loops.
    fn is_regular(&self, found: &Access) -> bool {
        let chains = AccessChrecs::of(self.ir, found, self.root);
        chains.dims.iter().all(|dim| dim.as_ref().is_some_and(Chrec::is_affine))
    }

    /// What a store makes of the elements of its array.
    fn stored(&self, found: &Access) -> Computation {
        if let Some(found) = accumulation(self.ir, found.op) {
            return Computation::Reduction(found.kind);
        }
        let Some(value) = self.ir.memory_access(found.op).and_then(|access| access.stored()) else {
            return Computation::Recurrence;
        };
        let mut reads: Vec<Access> = Vec::new();
        flow::backward(self.ir, self.root, [value], &mut |value| {
            let read = self.ir.defining_op(value).and_then(|op| access(self.ir, op));
            reads.extend(read.filter(|read| read.root == found.root));
            true
        });
        match &reads[..] {
            [] => Computation::Assignment,
            [old] if same_element(old, found) && self.is_sum_of(value, old.op) => {
                Computation::Reduction(Reduction::Add)
            }
            _ => Computation::Recurrence,
        }
    }

    /// Whether a value is a sum of which what `load` reads is a term, or a factor of a term: the paper counts
    /// `C = β·C + e` as a reduction.
    fn is_sum_of(&self, value: Value, load: Op) -> bool {
        let Some(op) = self.ir.defining_op(value).filter(|&op| self.is_inside(op)) else {
            return false;
        };
        let goes_on = Reduction::of_update(self.ir, op)
            .is_some_and(|(kind, ..)| matches!(kind, Reduction::Add | Reduction::Mul));
        op == load || (goes_on && self.ir.operands(op).any(|operand| self.is_sum_of(operand, load)))
    }

    /// What a loop carries, and what that starts from.
    fn carried(&mut self, op: Op, scope: usize, parent: Option<usize>) {
        for carried in self.ir.loop_carried(op) {
            let LoopCarried { init, argument, .. } = carried;
            // An inner loop goes on with what one round it carries.
            let outer = self.ir.value_block(init).and_then(|_| self.of_value.get(&init));
            if let Some(&outer) = outer {
                self.update(carried, outer, scope);
                continue;
            }
            let computation = match classify(self.ir, op, carried) {
                CarriedScalar::Dead => continue,
                CarriedScalar::LastValue => Computation::Assignment,
                CarriedScalar::Reduction { kind, .. } => Computation::Reduction(kind),
                CarriedScalar::Scan(_) | CarriedScalar::Recurrence => Computation::Recurrence,
            };
            let variable = names::variable(self.ir, argument).unwrap_or("?").to_owned();
            let first = parent.map(|parent| {
                let assignment = Computation::Assignment;
                let first = self.kernel(variable.clone(), op, parent, Class::Scalar, assignment);
                let location = self.ir.value_location(argument);
                self.kir.kernels[first].line = self.line(location);
                self.inputs[first].push(init);
                first
            });
            let kernel = self.kernel(variable, op, scope, Class::Scalar, computation);
            self.kir.flows.extend(first.map(|from| Flow { from, to: kernel }));
            if parent.is_none() {
                self.carried_outside.insert(kernel);
            }
            self.update(carried, kernel, scope);
        }
    }

    /// What an iteration makes of a carried value.
    fn update(&mut self, carried: LoopCarried, kernel: usize, scope: usize) {
        let LoopCarried { argument, yielded, result, .. } = carried;
        self.of_value.extend([(argument, kernel), (result, kernel)]);
        self.inputs[kernel].push(yielded);
        let op = self.ir.defining_op(yielded);
        if let Some(op) = op.filter(|&op| !self.ir.is_counted_loop(op) && self.is_inside(op)) {
            self.of_op.entry(op).or_insert(kernel);
            let line = self.line(self.ir.location(op));
            let kernel = &mut self.kir.kernels[kernel];
            (kernel.op, kernel.line, kernel.scope) = (op, line, scope);
        }
    }

    fn is_inside(&self, op: Op) -> bool {
        self.ir.is_inside(op, self.root)
    }

    /// Says what is private to an iteration of the outermost scope, and what its iterations conflict in.
    fn judge(&mut self) {
        let variables: Vec<Value> =
            self.kir.scopes[0].loops.iter().map(|each| each.variable).collect();
        for index in 0..self.kir.kernels.len() {
            let kernel = &self.kir.kernels[index];
            let (op, reduces) =
                (kernel.op, matches!(kernel.computation, Computation::Reduction(_)));
            let written = access(self.ir, op).filter(Access::writes);
            let (shaded, conflicts) = match written {
                None => {
                    let recurs = kernel.computation == Computation::Recurrence;
                    let outside = self.carried_outside.contains(&index);
                    (!outside, outside && recurs)
                }
                Some(written) => {
                    let mut carried = variables.iter().flat_map(|&v| self.graph.carried_by(v));
                    let meets = carried.any(|edge| {
                        let ends = [edge.source.op, edge.sink.op];
                        // What is combined waits for nobody else but itself.
                        let alone = reduces && edge.source.root == edge.sink.root && {
                            let own = accumulation(self.ir, op);
                            let own = own.map_or([op, op], |own| [own.load, own.store]);
                            ends.iter().all(|end| own.contains(end))
                        };
                        ends.contains(&op) && !alone
                    });
                    (is_defined_inside(self.ir, written.root, self.root), meets)
                }
            };
            let kernel = &mut self.kir.kernels[index];
            (kernel.shaded, kernel.conflicts) = (shaded, conflicts);
        }
    }
}

/// Whether two accesses are to the same element in each iteration.
fn same_element(a: &Access, b: &Access) -> bool {
    a.buffer == b.buffer
        && (a.length, &a.subscripts) == (b.length, &b.subscripts)
        && a.subscripts.iter().all(Option::is_some)
}

/// What an atomic update does.
fn atomic(ir: &Ir, op: Op) -> Computation {
    let kind = Reduction::of_atomic(ir, op);
    kind.map_or(Computation::Recurrence, |(kind, _)| Computation::Reduction(kind))
}
