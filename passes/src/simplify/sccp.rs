//! `sccp`: values that are the same constant on every way that can be taken.
//!
//! Needs nothing. Every value is first taken to be never computed, then a constant, then unknown, as
//! executable blocks and regions are found; so a constant goes round loops, and through branches that are
//! never taken nothing comes. A function that only known calls reach has the arguments that these give it; what a
//! call gives is what its callee returns, if that is in what the pass runs on. After Wegman and Zadeck, "Constant
//! propagation with conditional branches", 1991, §3, and MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{cf, scf};
use gpuc_ir::op::{Fold, FoldResult, RegionPoint, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Attr, Block, Builder, Ir, Op, OpView, Region, Value, WalkOrder};
use rustc_hash::{FxHashMap, FxHashSet};

gpuc_ir::pass! {
    /// Propagate constants along the ways that can be taken.
    Sccp = "sccp" titled "SCCP" {}
}

impl Pass for Sccp {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut solver = Solver { calls: Calls::of(ir, op), ..Solver::default() };
        for region in ir.regions(op).to_vec() {
            solver.enter(ir, region, &[]);
        }
        while std::mem::take(&mut solver.changed) {
            for region in ir.regions(op).to_vec() {
                solver.visit_region(ir, region);
            }
        }
        rewrite(ir, op, &solver);
        Ok(())
    }
}

/// What is known of a value that has been computed; nothing is known of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Constant(Attr),
    Varies,
}

/// Who calls whom.
#[derive(Debug, Default)]
struct Calls {
    /// The function that a call runs, where its body is there to be looked at.
    callees: FxHashMap<Op, Op>,
    /// Functions that nothing but these calls reaches.
    only_called: FxHashSet<Op>,
}

impl Calls {
    fn of(ir: &Ir, root: Op) -> Calls {
        let mut calls = Calls::default();
        calls.find_private(ir, root, ir.parent_op(root).is_none());
        for op in ir.nested_ops(root, WalkOrder::PreOrder) {
            let Some(interface) = ir.def(op).and_then(|def| def.hooks.call) else { continue };
            let callee = (interface.callee)(ir, op).and_then(|symbol| ir.lookup_symbol(op, symbol));
            if let Some(callee) = callee.filter(|&callee| has_body(ir, callee))
                && ir.is_inside(callee, root)
            {
                calls.callees.insert(op, callee);
            }
        }
        // Who is named elsewhere may be called from anywhere.
        for (user, symbol) in ir.symbol_uses(root) {
            if !calls.callees.contains_key(&user)
                && let Some(named) = ir.lookup_symbol(user, symbol)
            {
                calls.only_called.remove(&named);
            }
        }
        calls
    }

    /// Functions that nothing outside can name; `visible`: whether all uses of the symbols in a table are inside `root`.
    fn find_private(&mut self, ir: &Ir, table: Op, visible: bool) {
        if !ir.has_trait(table, Traits::SYMBOL_TABLE) {
            return;
        }
        for &block in ir.regions(table).first().map_or(&[][..], |&region| ir.blocks(region)) {
            for op in ir.ops(block) {
                let word = ir.attr(op, "sym_visibility").and_then(|attr| ir.ctx.string_value(attr));
                let hidden = match word {
                    Some("private") => true,
                    Some("nested") => visible,
                    _ => false,
                };
                if hidden && has_body(ir, op) {
                    self.only_called.insert(op);
                }
                let named = ir.symbol_name(op).is_some();
                self.find_private(ir, op, visible || !named || word == Some("private"));
            }
        }
    }
}

fn has_body(ir: &Ir, function: Op) -> bool {
    ir.def(function).is_some_and(|def| def.hooks.function.is_some())
        && ir.regions(function).first().is_some_and(|&body| !ir.blocks(body).is_empty())
}

#[derive(Debug, Default)]
struct Solver {
    calls: Calls,
    known: FxHashMap<Value, Known>,
    executable: FxHashSet<Block>,
    changed: bool,
}

impl Solver {
    fn join(&mut self, value: Value, with: Known) {
        let joined = match self.known.get(&value) {
            Some(&before) if before == with => return,
            Some(Known::Varies) => return,
            Some(_) => Known::Varies,
            None => with,
        };
        self.known.insert(value, joined);
        self.changed = true;
    }

    /// Lets `receiver` have what `value` is; nothing as long as that is not computed.
    fn hand(&mut self, value: Value, receiver: Value) {
        if let Some(&known) = self.known.get(&value) {
            self.join(receiver, known);
        }
    }

    fn reach(&mut self, block: Block) {
        self.changed |= self.executable.insert(block);
    }

    /// Control may come to a region; arguments that are not among `received` are unknown.
    fn enter(&mut self, ir: &Ir, region: Region, received: &[Value]) {
        let Some(entry) = ir.entry_block(region) else { return };
        self.reach(entry);
        for &argument in ir.arguments(entry) {
            if !received.contains(&argument) {
                self.join(argument, Known::Varies);
            }
        }
    }

    fn visit_region(&mut self, ir: &mut Ir, region: Region) {
        for block in ir.blocks(region).to_vec() {
            if self.executable.contains(&block) {
                for op in ir.ops(block).collect::<Vec<_>>() {
                    self.visit(ir, op);
                }
            }
        }
    }

    fn visit(&mut self, ir: &mut Ir, op: Op) {
        if let Some(&callee) = self.calls.callees.get(&op) {
            self.visit_call(ir, op, callee);
        } else if self.calls.only_called.contains(&op) {
            // Its calls enter it.
            self.visit_region(ir, ir.region(op, 0));
        } else if !ir.regions(op).is_empty() {
            self.visit_regions_of(ir, op);
        } else if !ir.successors(op).is_empty() {
            self.visit_branch(ir, op);
        } else {
            self.evaluate(ir, op);
        }
    }

    /// Hands the arguments of a call to its callee, and what that returns back.
    fn visit_call(&mut self, ir: &Ir, op: Op, callee: Op) {
        let Some(interface) = ir.def(op).and_then(|def| def.hooks.call) else { return };
        let body = ir.region(callee, 0);
        let Some(entry) = ir.entry_block(body) else { return };
        if self.calls.only_called.contains(&callee) {
            self.reach(entry);
            let given: Vec<Value> =
                (interface.arguments)(ir, op).map(|index| ir.operand(op, index)).collect();
            for (i, &argument) in ir.arguments(entry).iter().enumerate() {
                match given.get(i) {
                    Some(&value) => self.hand(value, argument),
                    None => self.join(argument, Known::Varies),
                }
            }
        }
        for &block in ir.blocks(body) {
            let Some(end) = ir.last_op(block).filter(|_| self.executable.contains(&block)) else {
                continue;
            };
            if !ir.successors(end).is_empty() {
                continue;
            }
            let returns = ir.has_trait(end, Traits::RETURN_LIKE);
            let returned: Vec<Value> = ir.operands(end).filter(|_| returns).collect();
            for (i, &result) in ir.results(op).iter().enumerate() {
                match returned.get(i) {
                    Some(&value) => self.hand(value, result),
                    None => self.join(result, Known::Varies),
                }
            }
        }
    }

    fn constant(&self, value: Value) -> Option<Attr> {
        match self.known.get(&value)? {
            Known::Constant(attr) => Some(*attr),
            Known::Varies => None,
        }
    }

    fn visit_branch(&mut self, ir: &Ir, op: Op) {
        let forwarded = ir.def(op).and_then(|def| def.hooks.successor_operands);
        let taken = self.taken(ir, op);
        for (index, &block) in ir.successors(op).to_vec().iter().enumerate() {
            if taken.as_ref().is_some_and(|taken| !taken.contains(&index)) {
                continue;
            }
            self.reach(block);
            let values: Vec<Value> = match forwarded {
                Some(hook) => hook(ir, op, index).map(|operand| ir.operand(op, operand)).collect(),
                None => Vec::new(),
            };
            for (i, &argument) in ir.arguments(block).iter().enumerate() {
                match values.get(i) {
                    Some(&value) => self.hand(value, argument),
                    None => self.join(argument, Known::Varies),
                }
            }
        }
        for &result in ir.results(op) {
            self.join(result, Known::Varies);
        }
    }

    /// The successors that may be taken, where not all of them may.
    fn taken(&self, ir: &Ir, op: Op) -> Option<Vec<usize>> {
        let decides = cf::CondBranchOp::is(ir, op) || cf::SwitchOp::is(ir, op);
        if !decides {
            return None;
        }
        let flag = ir.operand(op, 0);
        if !self.known.contains_key(&flag) {
            return Some(Vec::new());
        }
        let number = ir.ctx.int_value(self.constant(flag)?)?;
        if cf::CondBranchOp::is(ir, op) {
            return Some(vec![usize::from(number == 0)]);
        }
        let width = ir.ctx.int_or_index_width(ir.ty(flag)).filter(|&width| width <= 64)?;
        // Constants may be held as either of the two readings of their bits.
        let bits = |number: i128| number.rem_euclid(1 << width);
        let cases = cf::SwitchOp(op).case_numbers(ir);
        let hit = cases.iter().position(|&case| bits(case.into()) == bits(number));
        Some(vec![hit.map_or(0, |hit| hit + 1)])
    }

    fn visit_regions_of(&mut self, ir: &mut Ir, op: Op) {
        // Which way a conditional takes is decided once its condition is known.
        if scf::IfOp::is(ir, op) && !self.known.contains_key(&ir.operand(op, 0)) {
            return;
        }
        let regions = ir.regions(op).to_vec();
        match ir.def(op).and_then(|def| def.hooks.region_branch.as_ref()) {
            Some(branch) => {
                let skipped = self.skipped(ir, op);
                let mut received: FxHashSet<Value> = FxHashSet::default();
                let mut reached = vec![false; regions.len()];
                let points = std::iter::once(RegionPoint::Parent)
                    .chain((0..regions.len()).map(RegionPoint::Region));
                for from in points {
                    if let RegionPoint::Region(index) = from
                        && !self.is_entered(ir, regions[index])
                    {
                        // Who is behind it knows that these may come from there.
                        for edge in (branch.edges)(ir, op, from) {
                            received.extend(&edge.receivers);
                        }
                        continue;
                    }
                    for edge in (branch.edges)(ir, op, from) {
                        let from_here = edge.values.iter().zip(&edge.receivers);
                        received.extend(edge.receivers.iter().take(edge.values.len()));
                        if !self.goes_on(ir, op, from, edge.to) {
                            continue;
                        }
                        match edge.to {
                            RegionPoint::Region(to) if Some(to) == skipped => continue,
                            RegionPoint::Region(to) => reached[to] = true,
                            RegionPoint::Parent => {}
                        }
                        for (&value, &receiver) in from_here {
                            self.hand(value, receiver);
                        }
                    }
                }
                for (index, &region) in regions.iter().enumerate() {
                    if reached[index] {
                        let known: Vec<Value> = received.iter().copied().collect();
                        self.enter(ir, region, &known);
                    }
                }
                for result in ir.results(op).to_vec() {
                    if !received.contains(&result) {
                        self.join(result, Known::Varies);
                    }
                }
            }
            None => {
                for &region in &regions {
                    self.enter(ir, region, &[]);
                }
                for result in ir.results(op).to_vec() {
                    self.join(result, Known::Varies);
                }
            }
        }
        for region in regions {
            self.visit_region(ir, region);
        }
    }

    fn is_entered(&self, ir: &Ir, region: Region) -> bool {
        ir.entry_block(region).is_some_and(|entry| self.executable.contains(&entry))
    }

    /// Whether control may go from the test of a loop to a point, by what is known of the condition.
    fn goes_on(&self, ir: &Ir, op: Op, from: RegionPoint, to: RegionPoint) -> bool {
        if !scf::WhileOp::is(ir, op) || from != RegionPoint::Region(0) {
            return true;
        }
        let test = ir.entry_block(ir.region(op, 0)).and_then(|block| ir.last_op(block));
        let Some(test) = test.and_then(|test| scf::ConditionOp::cast(ir, test)) else {
            return true;
        };
        let stays = matches!(to, RegionPoint::Region(_));
        match self.known.get(&test.condition(ir)) {
            None => false,
            Some(Known::Varies) => true,
            Some(&Known::Constant(attr)) => {
                ir.ctx.int_value(attr).is_none_or(|number| (number != 0) == stays)
            }
        }
    }

    /// The region of a conditional that its condition keeps from being executed.
    fn skipped(&self, ir: &Ir, op: Op) -> Option<usize> {
        let view = scf::IfOp::cast(ir, op)?;
        let number = ir.ctx.int_value(self.constant(view.condition(ir))?)?;
        Some(usize::from(number != 0))
    }

    /// Folds an operation for what is known of its operands.
    fn evaluate(&mut self, ir: &mut Ir, op: Op) {
        let results = ir.results(op).to_vec();
        if results.iter().all(|result| self.known.get(result) == Some(&Known::Varies)) {
            return;
        }
        if ir.has_trait(op, Traits::CONSTANT_LIKE)
            && let Some(value) = ir.attr(op, "value")
        {
            self.join(results[0], Known::Constant(value));
            return;
        }
        let operands: Vec<Value> = ir.operands(op).collect();
        if operands.iter().any(|operand| !self.known.contains_key(operand)) {
            return;
        }
        let constants: Vec<Option<Attr>> =
            operands.iter().map(|&operand| self.constant(operand)).collect();
        let folded = match ir.def(op).and_then(|def| def.hooks.fold) {
            Some(fold) => {
                // Folding may change the operation for constants that it does not have in the end.
                let attrs = ir.attrs(op);
                let folded = fold(ir, op, &constants);
                ir.set_operands(op, &operands);
                ir.set_attrs(op, attrs);
                folded
            }
            None => Fold::None,
        };
        let found = match folded {
            Fold::Results(found) if found.len() == results.len() => found.into_iter().collect(),
            _ => Vec::new(),
        };
        for (i, &result) in results.iter().enumerate() {
            match found.get(i) {
                Some(&FoldResult::Attr(attr)) => self.join(result, Known::Constant(attr)),
                Some(&FoldResult::Value(value)) if value != result => self.hand(value, result),
                _ => self.join(result, Known::Varies),
            }
        }
    }
}

/// Puts constants in the place of values, at the start of the function; erases what nothing uses then.
fn rewrite(ir: &mut Ir, root: Op, solver: &Solver) {
    let mut made: FxHashMap<(Region, Attr, gpuc_ir::Type), Value> = FxHashMap::default();
    for op in ir.nested_ops(root, WalkOrder::PreOrder) {
        if ir.is_erased(op) {
            continue;
        }
        for region in ir.regions(op).to_vec() {
            for block in ir.blocks(region).to_vec() {
                for argument in ir.arguments(block).to_vec() {
                    replace(ir, argument, solver, &mut made);
                }
            }
        }
        if op == root {
            continue;
        }
        let results = ir.results(op).to_vec();
        let mut all = !results.is_empty();
        for result in results {
            all &= replace(ir, result, solver, &mut made);
        }
        if all && ir.is_trivially_dead(op) {
            ir.erase_op(op);
        }
    }
}

/// Lets the users of a value use the constant that it is; whether it is one.
fn replace(
    ir: &mut Ir,
    value: Value,
    solver: &Solver,
    made: &mut FxHashMap<(Region, Attr, gpuc_ir::Type), Value>,
) -> bool {
    let Some(attr) = solver.constant(value) else { return false };
    let Some(home) = home(ir, value) else { return false };
    let ty = ir.ty(value);
    let constant = match made.get(&(home, attr, ty)) {
        Some(&constant) => constant,
        None => {
            let Some(entry) = ir.entry_block(home) else { return false };
            let location = ir.value_location(value);
            let materialize = ir.ctx.dialect("arith").and_then(|dialect| dialect.materialize);
            let mut b = Builder::at_start(ir, entry, location);
            let Some(op) = materialize.and_then(|materialize| materialize(&mut b, attr, ty)) else {
                return false;
            };
            let constant = b.result(op, 0);
            made.insert((home, attr, ty), constant);
            constant
        }
    };
    ir.replace_all_uses(value, constant);
    true
}

/// The region of the nearest operation round a value that sees nothing from outside.
fn home(ir: &Ir, value: Value) -> Option<Region> {
    let mut region = ir.block_region(ir.value_block(value)?)?;
    loop {
        let owner = ir.region_op(region)?;
        if ir.has_trait(owner, Traits::ISOLATED_FROM_ABOVE) {
            return Some(region);
        }
        region = ir.parent_region(owner)?;
    }
}
