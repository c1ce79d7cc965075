//! Verification: what every operation promises, and that uses see definitions.
//!
//! One walk does it all. It goes through each region's blocks in an order in which dominators come
//! first and keeps, for each value, whether it is visible at this point; so dominance needs no
//! queries, and a module of n operations takes O(n).

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use crate::attrs::{Attr, AttrKind};
use crate::context::Context;
use crate::dominance::Dominators;
use crate::graph::{Block, Ir, Op, Region, Value, ValueDef};
use crate::op::{
    Arity, OpDef, Presence, RegionKind, Traits, ValueSpec, operand_range, result_range,
};
use crate::symbols::SymbolTableCollection;
use crate::text::PrintOptions;
use crate::types::{Type, TypeKind};

/// What the note begins with that shows the operation that an error is about, in the generic form.
pub const CURRENT_OPERATION: &str = "see current operation: ";

/// Verifies `root` and everything inside. Stops at the first broken operation of a region, as what
/// follows is often its consequence.
pub fn verify(ir: &mut Ir, root: Op) -> Result<(), Vec<Diagnostic>> {
    let mut verifier = Verifier {
        visible: vec![0; ir.value_capacity()],
        isolation: 1,
        next_isolation: 2,
        errors: Vec::new(),
        symbols: SymbolTableCollection::default(),
    };
    // Values around `root` (when a function is verified by itself) are taken as visible.
    for ancestor in ir.ancestors(root).collect::<Vec<_>>() {
        for &region in ir.regions(ancestor) {
            for &block in ir.blocks(region) {
                verifier.show_block(ir, block);
                for op in ir.ops(block) {
                    verifier.show(ir.results(op));
                }
            }
        }
    }
    verifier.op(ir, root);
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

struct Verifier {
    /// The isolation in which a value is visible at this point of the walk; 0 for nowhere.
    visible: Vec<u32>,
    isolation: u32,
    next_isolation: u32,
    errors: Vec<Diagnostic>,
    symbols: SymbolTableCollection,
}

fn index(value: Value) -> usize {
    value.as_u32() as usize
}

impl Verifier {
    fn fail(&mut self, ir: &Ir, op: Op, message: impl AsRef<str>) -> bool {
        // What stands on further lines are notes.
        let mut lines = message.as_ref().split('\n');
        let text = format!("'{}' op {}", ir.name(op), lines.next().unwrap_or_default());
        self.fail_at(ir, Some(op), text);
        if let Some(error) = self.errors.last_mut()
            && let Some(place) = error.place.clone()
        {
            error.related.extend(lines.map(|note| (place.clone(), note.to_owned())));
        }
        false
    }

    /// The same for what is no operation's own fault.
    fn fail_at(&mut self, ir: &Ir, op: Option<Op>, text: String) -> bool {
        let place = op.and_then(|op| ir.ctx.place(ir.location(op)));
        let mut error = Diagnostic::error(text).at_option(place);
        for caller in op.map(|op| ir.ctx.callers(ir.location(op))).unwrap_or_default() {
            error.related.push((caller, "called from".to_owned()));
        }
        if let (Some(op), Some(place)) = (op, &error.place) {
            let options = PrintOptions { generic: true, inline_maps: true, ..Default::default() };
            let text = ir.to_text_with(op, options);
            error.related.push((place.clone(), format!("{CURRENT_OPERATION}{}", text.trim_end())));
        }
        self.errors.push(error);
        false
    }

    fn show(&mut self, values: &[Value]) {
        for &value in values {
            self.visible[index(value)] = self.isolation;
        }
    }

    fn show_block(&mut self, ir: &Ir, block: Block) {
        self.show(ir.arguments(block));
    }

    fn hide_block(&mut self, ir: &Ir, block: Block) {
        for &value in ir.arguments(block) {
            self.visible[index(value)] = 0;
        }
        for op in ir.ops(block) {
            for &value in ir.results(op) {
                self.visible[index(value)] = 0;
            }
        }
    }

    /// Verifies one operation; its results become visible behind it.
    fn op(&mut self, ir: &mut Ir, op: Op) -> bool {
        for value in ir.operands(op) {
            if self.visible[index(value)] != self.isolation {
                return self.invisible_operand(ir, op, value);
            }
        }
        if let Err(message) = self.own(ir, op) {
            return self.fail(ir, op, message);
        }
        let isolated = ir.has_trait(op, Traits::ISOLATED_FROM_ABOVE);
        let saved = self.isolation;
        if isolated {
            self.isolation = self.next_isolation;
            self.next_isolation += 1;
        }
        let mut fine = true;
        for i in 0..ir.regions(op).len() {
            let region = ir.region(op, i);
            fine &= self.region(ir, op, region);
        }
        self.isolation = saved;
        if fine && let Some(def) = ir.def(op) {
            let regions = def.hooks.verify_regions.map_or(Ok(()), |hook| hook(ir, op));
            let verified = regions.and_then(|()| match def.hooks.verify_symbols {
                Some(hook) => hook(ir, &mut self.symbols, op),
                None => Ok(()),
            });
            if let Err(message) = verified {
                return self.fail(ir, op, message);
            }
            if def.traits.contains(Traits::SYMBOL_TABLE) {
                fine = self.symbol_table(ir, op);
            }
        }
        self.show(ir.results(op));
        fine
    }

    fn invisible_operand(&mut self, ir: &Ir, op: Op, value: Value) -> bool {
        let number = ir.operands(op).position(|v| v == value).unwrap_or(0);
        let place = match ir.value_def(value) {
            ValueDef::Result(def, _) => ir.ctx.place(ir.location(def)),
            ValueDef::Argument(block, i) => {
                ir.argument_locations(block).get(i as usize).and_then(|&l| ir.ctx.place(l))
            }
        };
        let message = if self.visible[index(value)] == 0 {
            format!("operand #{number} does not dominate this use")
        } else {
            format!("using value defined outside the region (operand #{number})")
        };
        self.fail(ir, op, message);
        if let (Some(error), Some(place)) = (self.errors.last_mut(), place) {
            let note = match self.visible[index(value)] {
                0 => where_defined(ir, op, value),
                _ => "operand defined here".to_owned(),
            };
            error.related.push((place, note));
        }
        false
    }

    fn region(&mut self, ir: &mut Ir, op: Op, region: Region) -> bool {
        let blocks = ir.blocks(region).to_vec();
        if ir.has_trait(op, Traits::GRAPH_REGION) {
            for &block in &blocks {
                self.show_block(ir, block);
                for inner in ir.ops(block) {
                    self.show(ir.results(inner));
                }
            }
        }
        let fine = match *blocks {
            [block] => {
                self.show_block(ir, block);
                self.block(ir, block)
            }
            _ => self.control_flow(ir, op, region),
        };
        for &block in &blocks {
            self.hide_block(ir, block);
        }
        fine
    }

    /// Verifies what is in a block up to the first broken operation, or up to the last one if those are isolated from
    /// each other; then that the block ends as it must.
    fn block(&mut self, ir: &mut Ir, block: Block) -> bool {
        let mut fine = true;
        let mut next = ir.first_op(block);
        if next.is_none() && !may_lack_terminator(ir, block) {
            let parent = ir.block_op(block);
            return self.fail_at(
                ir,
                parent,
                "empty block: expect at least a terminator".to_owned(),
            );
        }
        while let Some(op) = next {
            next = ir.next_op(op);
            fine &= self.op(ir, op);
            if !fine && !ir.has_trait(op, Traits::ISOLATED_FROM_ABOVE) {
                return false;
            }
            if next.is_some() && ir.has_trait(op, Traits::TERMINATOR) {
                return self.fail(ir, op, "must be the last operation in the parent block");
            }
        }
        if let Some(last) = ir.last_op(block).filter(|_| fine)
            && ir.def(last).is_some()
            && !ir.has_trait(last, Traits::TERMINATOR)
            && !may_lack_terminator(ir, block)
        {
            let name = ir.name(last).to_owned();
            return self.fail_at(ir, Some(last), format!("block with no terminator, has '{name}'"));
        }
        fine
    }

    /// Blocks in order of the dominator tree: what a block defines is visible in its subtree.
    fn control_flow(&mut self, ir: &mut Ir, op: Op, region: Region) -> bool {
        let entry = ir.entry_block(region);
        for &block in ir.blocks(region) {
            if entry.is_some_and(|entry| ir.block_successors(block).contains(&entry)) {
                return self.fail(ir, op, "entry block of region may not have predecessors");
            }
        }
        let dominators = Dominators::of(ir, region);
        let mut children: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &block in dominators.reachable() {
            if let Some(parent) = dominators.immediate(block) {
                children.entry(parent).or_default().push(block);
            }
        }
        let mut fine = true;
        let mut stack: Vec<(Block, bool)> =
            ir.entry_block(region).map(|block| (block, false)).into_iter().collect();
        while let Some((block, done)) = stack.pop() {
            if done {
                self.hide_block(ir, block);
                continue;
            }
            self.show_block(ir, block);
            fine &= self.block(ir, block);
            if !fine {
                return false;
            }
            stack.push((block, true));
            for &child in children.get(&block).into_iter().flatten().rev() {
                stack.push((child, false));
            }
        }
        // In unreachable code every definition dominates every use.
        let unreachable: Vec<_> =
            ir.blocks(region).iter().copied().filter(|&b| !dominators.is_reachable(b)).collect();
        if !unreachable.is_empty() {
            for &block in ir.blocks(region).to_vec().iter() {
                self.show_block(ir, block);
                for op in ir.ops(block) {
                    self.show(ir.results(op));
                }
            }
            for block in unreachable {
                fine &= self.block(ir, block);
            }
        }
        fine
    }

    fn symbol_table(&mut self, ir: &Ir, op: Op) -> bool {
        let mut seen: FxHashMap<String, Op> = FxHashMap::default();
        let mut fine = true;
        for &block in ir.regions(op).first().map_or(&[][..], |&region| ir.blocks(region)) {
            for symbol in ir.ops(block) {
                let Some(name) = ir.symbol_name(symbol) else { continue };
                if let Some(&first) = seen.get(name) {
                    let error = Diagnostic::error(format!("redefinition of symbol named '{name}'"))
                        .at_option(ir.ctx.place(ir.location(symbol)));
                    self.errors.push(match ir.ctx.place(ir.location(first)) {
                        Some(place) => error.related(place, "see existing symbol definition here"),
                        None => error,
                    });
                    fine = false;
                } else {
                    seen.insert(name.to_owned(), symbol);
                }
            }
        }
        fine
    }

    /// What the operation's own declaration demands.
    fn own(&mut self, ir: &mut Ir, op: Op) -> Result<(), String> {
        for &(name, attr) in ir.ctx.dict_entries(ir.attrs(op)) {
            if let Some(wrong) = number_of_no_type(&ir.ctx, attr) {
                return Err(format!("attribute '{}' holds {wrong}", ir.ctx.str(name)));
            }
        }
        let Some(def) = ir.def(op) else {
            let dialect = ir.name(op).split_once('.').map_or("", |(dialect, _)| dialect);
            if ir.ctx.accepts_unknown(dialect) {
                return Ok(());
            }
            return Err("is not registered; register its dialect or use \
                        --allow-unregistered-dialect"
                .to_owned());
        };
        values(ir, op, def, "operand")?;
        values(ir, op, def, "result")?;
        attributes(ir, op, def)?;
        regions(ir, op, def)?;
        successors(ir, op, def)?;
        one_type(ir, op, def)?;
        type_rules(ir, op, def)?;
        if !def.parents.is_empty() {
            let parent = ir.parent_op(op);
            if !parent.is_some_and(|parent| def.parents.contains(&ir.name(parent))) {
                return Err(match def.parents {
                    [one] => format!("expects parent op '{one}'"),
                    many => format!("expects parent op to be one of '{}'", many.join(", ")),
                });
            }
        }
        match def.hooks.verify {
            Some(hook) => hook(ir, op),
            None => Ok(()),
        }
    }
}

/// What is wrong with a number in an attribute whose type is none of its kind. What is read never
/// has one; what a pass builds may, and could not be read back.
fn number_of_no_type(ctx: &Context, attr: Attr) -> Option<String> {
    match ctx.attr_kind(attr) {
        AttrKind::Integer { ty, .. } if ctx.int_or_index_width(*ty).is_none() => {
            Some(format!("an integer not valid for type '{}'", ctx.type_text(*ty)))
        }
        AttrKind::Float { ty, .. } if !ctx.is_float(*ty) => {
            Some(format!("a floating point value not valid for type '{}'", ctx.type_text(*ty)))
        }
        AttrKind::Array(elements) => elements.iter().find_map(|&a| number_of_no_type(ctx, a)),
        AttrKind::Dict(dict) => {
            ctx.dict_entries(*dict).iter().find_map(|&(_, a)| number_of_no_type(ctx, a))
        }
        _ => None,
    }
}

/// Whether a block need not end with a terminator: the only one of an operation that asks for none, or of which nothing
/// is known.
fn may_lack_terminator(ir: &Ir, block: Block) -> bool {
    let only = ir.block_region(block).is_none_or(|region| ir.blocks(region).len() == 1);
    let asks = ir
        .block_op(block)
        .and_then(|op| ir.def(op))
        .is_some_and(|def| !def.traits.contains(Traits::NO_TERMINATOR));
    only && !asks
}

fn count_of(specs: &[ValueSpec]) -> (usize, bool) {
    let singles = specs.iter().filter(|spec| spec.arity == Arity::One).count();
    (singles, singles != specs.len())
}

fn values(ir: &Ir, op: Op, def: &'static OpDef, what: &str) -> Result<(), String> {
    let operands = what == "operand";
    let specs = if operands { def.operands } else { def.results };
    let count = if operands { ir.operand_count(op) } else { ir.results(op).len() };
    let (least, open) = count_of(specs);
    let sized = if operands { Traits::ATTR_SIZED_OPERANDS } else { Traits::ATTR_SIZED_RESULTS };
    if def.traits.contains(sized) {
        let name = if operands { "operandSegmentSizes" } else { "resultSegmentSizes" };
        let sizes = ir.attr(op, name).and_then(|attr| ir.ctx.dense_array(attr));
        let Some(sizes) = sizes else { return Err(format!("requires attribute '{name}'")) };
        if sizes.len() != specs.len() || sizes.iter().any(|&n| n < 0) {
            return Err(format!(
                "'{name}' attribute for specifying {what} segments must have {} elements, but got {}",
                specs.len(),
                sizes.len()
            ));
        }
        if sizes.iter().sum::<i64>() != count as i64 {
            return Err(format!(
                "{what} count ({count}) does not match with the total size ({}) specified in \
                 attribute '{name}'",
                sizes.iter().sum::<i64>()
            ));
        }
    } else if count < least || (!open && count > least) {
        let word = if open { "or more " } else { "" };
        return Err(match (open, least) {
            (false, 0) => format!("requires zero {what}s"),
            (false, 1) => format!("requires one {what}"),
            _ => format!("expected {least} {word}{what}s, but found {count}"),
        });
    }
    for (group, spec) in specs.iter().enumerate() {
        let range = if operands {
            operand_range(ir, op, def, group)
        } else {
            result_range(ir, op, def, group)
        };
        let fits = match spec.arity {
            Arity::One => range.len() == 1,
            Arity::Optional => range.len() <= 1,
            Arity::Variadic => true,
        };
        if !fits {
            return Err(format!(
                "{what} group starting at #{} requires {} element{}, but found {}",
                range.start,
                if spec.arity == Arity::One { "1" } else { "0 or 1" },
                if spec.arity == Arity::One { "" } else { "s" },
                range.len()
            ));
        }
        for i in range {
            let value = if operands { ir.operand(op, i) } else { ir.result(op, i) };
            let ty = ir.ty(value);
            if !(spec.constraint.holds)(&ir.ctx, ty) {
                let variadic = if spec.arity == Arity::Variadic { "variadic of " } else { "" };
                return Err(format!(
                    "{what} #{i} must be {variadic}{}, but got '{}'",
                    spec.constraint.summary,
                    ir.ctx.type_text(ty)
                ));
            }
        }
    }
    Ok(())
}

fn attributes(ir: &Ir, op: Op, def: &'static OpDef) -> Result<(), String> {
    for spec in def.attrs {
        match (ir.attr(op, spec.name), spec.presence) {
            (Some(attr), _) => {
                if !(spec.constraint.holds)(&ir.ctx, attr) {
                    return Err(format!(
                        "attribute '{}' failed to satisfy constraint: {}",
                        spec.name, spec.constraint.summary
                    ));
                }
            }
            (None, Presence::Required) => {
                return Err(format!("requires attribute '{}'", spec.name));
            }
            (None, _) => {}
        }
    }
    Ok(())
}

fn regions(ir: &Ir, op: Op, def: &'static OpDef) -> Result<(), String> {
    let count = ir.regions(op).len();
    let open = def.regions.last().is_some_and(|spec| spec.kind == RegionKind::Variadic);
    let least = def.regions.len() - usize::from(open);
    if count < least || (!open && count > least) {
        return Err(match (open, least) {
            (false, 0) => "requires zero regions".to_owned(),
            (false, 1) => "requires one region".to_owned(),
            (false, _) => format!("expected {least} regions"),
            (true, _) => format!("expected {least} or more regions"),
        });
    }
    for (i, &region) in ir.regions(op).iter().enumerate() {
        let blocks = ir.blocks(region).len();
        if def.traits.contains(Traits::SINGLE_BLOCK) && blocks > 1 {
            return Err(format!("expects region #{i} to have 0 or 1 blocks"));
        }
        let spec = def.regions.get(i).or(def.regions.last());
        let Some(spec) = spec else { continue };
        let demand = match spec.kind {
            RegionKind::SizedOne if blocks != 1 => "region with 1 blocks",
            RegionKind::MinOne if blocks == 0 => "region with at least 1 blocks",
            RegionKind::MaxOne if blocks > 1 => "region with at most 1 blocks",
            _ => "",
        };
        if !demand.is_empty() {
            return Err(format!(
                "region #{i} ('{}') failed to verify constraint: {demand}",
                spec.name
            ));
        }
    }
    Ok(())
}

fn successors(ir: &Ir, op: Op, def: &'static OpDef) -> Result<(), String> {
    let count = ir.successors(op).len();
    let least = def.successors.iter().filter(|spec| spec.arity == Arity::One).count();
    let open = least != def.successors.len();
    if count < least || (!open && count > least) {
        return Err(format!("requires {least} successors but found {count}"));
    }
    let region = ir.parent_region(op);
    for (i, &block) in ir.successors(op).iter().enumerate() {
        if ir.block_region(block) != region {
            return Err(format!("branches to a block of another region (successor #{i})"));
        }
        let Some(forwarded) = def.hooks.successor_operands else { continue };
        let range = forwarded(ir, op, i);
        let arguments = ir.arguments(block);
        if range.len() != arguments.len() {
            return Err(format!(
                "branch has {} operands for successor #{i}, but target block has {}",
                range.len(),
                arguments.len()
            ));
        }
        for (j, (operand, &argument)) in range.zip(arguments).enumerate() {
            let (given, wanted) = (ir.ty(ir.operand(op, operand)), ir.ty(argument));
            if given != wanted {
                return Err(format!(
                    "type mismatch for bb argument #{j} of successor #{i}: '{}' against '{}'",
                    ir.ctx.type_text(given),
                    ir.ctx.type_text(wanted)
                ));
            }
        }
    }
    Ok(())
}

fn one_type(ir: &Ir, op: Op, def: &'static OpDef) -> Result<(), String> {
    let operands = || ir.operands(op).map(|value| ir.ty(value));
    if def.traits.contains(Traits::SAME_OPERANDS_AND_RESULT_TYPE) {
        let mut all = operands().chain(ir.result_types(op));
        if let Some(first) = all.next()
            && all.any(|ty| ty != first)
        {
            return Err("requires the same type for all operands and results".to_owned());
        }
    }
    if def.traits.contains(Traits::SAME_TYPE_OPERANDS) {
        let mut all = operands();
        if let Some(first) = all.next()
            && all.any(|ty| ty != first)
        {
            return Err("requires all operands to have the same type".to_owned());
        }
    }
    Ok(())
}

fn type_rules(ir: &mut Ir, op: Op, def: &'static OpDef) -> Result<(), String> {
    for rule in def.type_rules {
        let types_of = |ir: &Ir, name: &str| -> Vec<Type> {
            if let Some(group) = def.operands.iter().position(|spec| spec.name == name) {
                operand_range(ir, op, def, group).map(|i| ir.ty(ir.operand(op, i))).collect()
            } else if let Some(group) = def.results.iter().position(|spec| spec.name == name) {
                result_range(ir, op, def, group).map(|i| ir.ty(ir.result(op, i))).collect()
            } else {
                Vec::new()
            }
        };
        let Some(&source) = types_of(ir, rule.source).first() else { continue };
        let Some(expected) = (rule.derive)(&mut ir.ctx, source) else { continue };
        if types_of(ir, rule.target).iter().any(|&ty| ty != expected) {
            if def.traits.contains(Traits::ELEMENTWISE) {
                elementwise(ir, op)?;
            }
            return Err(format!("failed to verify that {}", rule.summary));
        }
    }
    Ok(())
}

/// All vectors and tensors have one shape, and where operands have one, results do.
fn elementwise(ir: &Ir, op: Op) -> Result<(), String> {
    let shaped = |ty: &Type| {
        let kind = ir.ctx.type_kind(*ty);
        matches!(
            kind,
            TypeKind::Vector { .. } | TypeKind::Tensor { .. } | TypeKind::UnrankedTensor(_)
        )
    };
    let operands: Vec<Type> = ir.operands(op).map(|value| ir.ty(value)).filter(shaped).collect();
    let results: Vec<Type> = ir.result_types(op).filter(shaped).collect();
    let wrong = match (operands.is_empty(), results.is_empty()) {
        (true, true) => return Ok(()),
        (true, false) => "if a result is non-scalar, then at least one operand must be non-scalar",
        (false, true) => {
            "if an operand is non-scalar, then there must be at least one non-scalar result"
        }
        (false, false) if results.len() != ir.results(op).len() => {
            "if an operand is non-scalar, then all results must be non-scalar"
        }
        (false, false) => {
            let container = |&ty: &Type| std::mem::discriminant(ir.ctx.type_kind(ty));
            let all = || operands.iter().chain(&results);
            let one = all().all(|ty| {
                container(ty) == container(&operands[0])
                    && ir.ctx.shape(*ty) == ir.ctx.shape(operands[0])
            });
            if one {
                return Ok(());
            }
            "all non-scalar operands/results must have the same shape and base type"
        }
    };
    Err(wrong.to_owned())
}

/// Where an operand that does not dominate its use is defined, seen from there.
fn where_defined(ir: &Ir, op: Op, value: Value) -> String {
    let (block, what) = match ir.value_def(value) {
        ValueDef::Result(def, _) => (ir.parent_block(def), "operand defined here (op".to_owned()),
        ValueDef::Argument(block, _) => {
            let region = ir.block_region(block);
            let number = region.and_then(|r| ir.blocks(r).iter().position(|&b| b == block));
            let number = number.unwrap_or_default();
            (Some(block), format!("operand defined as a block argument (block #{number}"))
        }
    };
    let regions = |block: Option<Block>| {
        let first = block.and_then(|block| ir.block_region(block));
        std::iter::successors(first, |&region| ir.parent_region(ir.region_op(region)?))
            .collect::<Vec<_>>()
    };
    let (here, there) = (regions(ir.parent_block(op)), regions(block));
    let relation = if block == ir.parent_block(op) {
        "in the same block"
    } else if here.first() == there.first() {
        "in the same region"
    } else if there.first().is_some_and(|region| here.contains(region)) {
        "in a parent region"
    } else if here.first().is_some_and(|region| there.contains(region)) {
        "in a child region"
    } else {
        "neither in a parent nor in a child region"
    };
    format!("{what} {relation})")
}
