//! Types that the text does not say, and the final shape of the operation.

use smallvec::SmallVec;

use super::read::Frame;
use crate::build::infer_result_types;
use crate::graph::OpState;
use crate::op::{Arity, OpDef, RegionKind, Traits};
use crate::text::ParseResult;
use crate::text::parser::{OpParser, Position, Unresolved};
use crate::types::Type;

/// What is known of the type of an operand or result group: the type of its first value.
type Known = SmallVec<[Option<Type>; 8]>;

struct Inference<'f> {
    def: &'static OpDef,
    frame: &'f Frame,
    operands: Known,
    results: Known,
}

impl Inference<'_> {
    /// The known type of the operand or result of that name.
    fn named(&self, name: &str) -> Option<Type> {
        let position = |specs: &[crate::op::ValueSpec]| specs.iter().position(|s| s.name == name);
        match position(self.def.operands) {
            Some(i) => self.operands[i],
            None => self.results[position(self.def.results)?],
        }
    }

    fn run(&mut self, p: &mut OpParser<'_, '_>) {
        for (i, spec) in self.def.operands.iter().enumerate() {
            if self.operands[i].is_none() {
                self.operands[i] = spec.constraint.build.map(|build| build(&mut p.ir.ctx));
            }
        }
        for (i, spec) in self.def.results.iter().enumerate() {
            if self.results[i].is_none() {
                self.results[i] = spec.constraint.build.map(|build| build(&mut p.ir.ctx));
            }
        }
        // Rules feed each other; each round settles at least one type or is the last.
        loop {
            let mut changed = self.apply_rules(p);
            changed |= self.apply_traits();
            if !changed || self.complete() {
                return;
            }
        }
    }

    /// A written type that others follow from, of the wrong kind: nothing can follow from it.
    fn source_of_wrong_type(&self, p: &OpParser<'_, '_>) -> Option<String> {
        let is_result = |name: &str| self.def.results.iter().any(|spec| spec.name == name);
        let open = |rule: &&crate::op::TypeRule| {
            is_result(rule.target) && self.named(rule.target).is_none()
        };
        self.def.type_rules.iter().filter(open).find_map(|rule| {
            let spec = self.def.operands.iter().find(|spec| spec.name == rule.source)?;
            let ty = self.named(rule.source)?;
            let summary = spec.constraint.summary;
            let text = || p.ir.ctx.type_text(ty);
            (!(spec.constraint.holds)(&p.ir.ctx, ty))
                .then(|| format!("'{}' must be {summary}, but got '{}'", rule.source, text()))
        })
    }

    fn complete(&self) -> bool {
        self.operands.iter().chain(&self.results).all(Option::is_some)
    }

    fn apply_rules(&mut self, p: &mut OpParser<'_, '_>) -> bool {
        let mut changed = false;
        for rule in self.def.type_rules {
            let operand = self.def.operands.iter().position(|spec| spec.name == rule.target);
            let result = self.def.results.iter().position(|spec| spec.name == rule.target);
            let unknown = match (operand, result) {
                (Some(i), _) => self.operands[i].is_none(),
                (None, Some(i)) => self.results[i].is_none(),
                (None, None) => false,
            };
            if !unknown {
                continue;
            }
            let derived = self.named(rule.source).and_then(|ty| (rule.derive)(&mut p.ir.ctx, ty));
            changed |= derived.is_some();
            match (operand, result) {
                (Some(i), _) => self.operands[i] = derived,
                (None, Some(i)) => self.results[i] = derived,
                (None, None) => {}
            }
        }
        changed
    }

    fn apply_traits(&mut self) -> bool {
        let traits = self.def.traits;
        let all = traits.contains(Traits::SAME_OPERANDS_AND_RESULT_TYPE);
        if !all && !traits.contains(Traits::SAME_TYPE_OPERANDS) {
            return false;
        }
        let mut known = self.operands.iter().copied().flatten().next();
        if all {
            known = known.or_else(|| self.results.iter().copied().flatten().next());
        }
        let Some(ty) = known else { return false };
        let mut changed = false;
        for slot in &mut self.operands {
            changed |= slot.is_none();
            slot.get_or_insert(ty);
        }
        if all {
            for slot in &mut self.results {
                changed |= slot.is_none();
                slot.get_or_insert(ty);
            }
        }
        changed
    }
}

/// First type of each group that the text has typed.
fn given(count: usize, types: &[(u8, Type)]) -> Known {
    let mut known: Known = smallvec::smallvec![None; count];
    for &(group, ty) in types {
        known[group as usize].get_or_insert(ty);
    }
    known
}

/// Puts what has been read into the operation's state.
pub(super) fn finish(
    p: &mut OpParser<'_, '_>,
    def: &'static OpDef,
    frame: Frame,
    state: &mut OpState,
    at: Position,
) -> ParseResult<()> {
    let mut inference = Inference {
        def,
        frame: &frame,
        operands: given(def.operands.len(), &frame.operand_types),
        results: given(def.results.len(), &frame.result_types),
    };
    inference.seed_from_lists();
    if let Some(wrong) = inference.source_of_wrong_type(p) {
        return p.error(at, format!("custom op '{}' {wrong}", def.name));
    }
    inference.run(p);
    let (operands, results) = (inference.operands, inference.results);
    resolve_operands(p, def, &frame, &operands, state, at)?;
    add_regions(p, def, &frame, state);
    for group in 0..def.successors.len() {
        let of_group = frame.successors.iter().filter(|entry| entry.0 as usize == group);
        state.successors.extend(of_group.map(|entry| entry.1));
    }
    add_results(p, def, &frame, &results, state, at)
}

impl Inference<'_> {
    /// `type(operands)` tells the type of each operand by position.
    fn seed_from_lists(&mut self) {
        if let Some(types) = &self.frame.all_operand_types {
            let mut next = types.iter();
            for group in 0..self.def.operands.len() {
                let count =
                    self.frame.operands.iter().filter(|entry| entry.0 as usize == group).count();
                let mut of_group = next.by_ref().take(count);
                self.operands[group] = of_group.next().copied();
                of_group.for_each(drop);
            }
        }
        if let Some(types) = &self.frame.all_result_types {
            let singles = self.def.results.iter().all(|spec| spec.arity == Arity::One);
            if singles {
                for (slot, &ty) in self.results.iter_mut().zip(types) {
                    *slot = Some(ty);
                }
            }
        }
    }
}

fn resolve_operands(
    p: &mut OpParser<'_, '_>,
    def: &'static OpDef,
    frame: &Frame,
    known: &Known,
    state: &mut OpState,
    at: Position,
) -> ParseResult<()> {
    let mut sizes: SmallVec<[i32; 8]> = SmallVec::new();
    let mut all_types = frame.all_operand_types.as_deref().map(|types| types.iter());
    if let Some(types) = &frame.all_operand_types
        && types.len() != frame.operands.len()
    {
        return mismatch(p, at, frame.operands.len(), types.len());
    }
    for (group, spec) in def.operands.iter().enumerate() {
        let operands: SmallVec<[Unresolved; 4]> = frame
            .operands
            .iter()
            .filter(|entry| entry.0 as usize == group)
            .map(|entry| entry.1)
            .collect();
        sizes.push(operands.len() as i32);
        if let Some(types) = &mut all_types {
            for &operand in &operands {
                let Some(&ty) = types.next() else { break };
                state.operands.push(p.resolve(operand, ty)?);
            }
        } else if frame.typed_operands >> group & 1 != 0 {
            let types: SmallVec<[Type; 4]> = frame
                .operand_types
                .iter()
                .filter(|entry| entry.0 as usize == group)
                .map(|entry| entry.1)
                .collect();
            if types.len() != operands.len() {
                return mismatch(p, at, operands.len(), types.len());
            }
            for (&operand, &ty) in operands.iter().zip(&types) {
                state.operands.push(p.resolve(operand, ty)?);
            }
        } else if let Some(ty) = known[group] {
            for &operand in &operands {
                state.operands.push(p.resolve(operand, ty)?);
            }
        } else {
            for &operand in &operands {
                // Nothing says the type: an operand defined already has one of its own.
                match p.resolve_defined(operand) {
                    Some(value) => state.operands.push(value),
                    None => {
                        let message = format!("type of operand '{}' cannot be inferred", spec.name);
                        return p.error(operand.position(), message);
                    }
                }
            }
        }
    }
    if def.traits.contains(Traits::ATTR_SIZED_OPERANDS) {
        p.set_operand_segments(state, &sizes);
    }
    Ok(())
}

fn mismatch(
    p: &mut OpParser<'_, '_>,
    at: Position,
    operands: usize,
    types: usize,
) -> ParseResult<()> {
    let message = format!(
        "number of operands and types do not match: got {operands} operands and {types} types"
    );
    p.error(at, message)
}

fn add_regions(p: &mut OpParser<'_, '_>, def: &'static OpDef, frame: &Frame, state: &mut OpState) {
    for (group, spec) in def.regions.iter().enumerate() {
        let mut found = false;
        for entry in frame.regions.iter().filter(|entry| entry.0 as usize == group) {
            state.regions.push(entry.1);
            found = true;
        }
        if !found && spec.kind != RegionKind::Variadic {
            let region = p.ir.create_region();
            state.regions.push(region);
        }
    }
}

fn add_results(
    p: &mut OpParser<'_, '_>,
    def: &'static OpDef,
    frame: &Frame,
    known: &Known,
    state: &mut OpState,
    at: Position,
) -> ParseResult<()> {
    if let Some(types) = &frame.all_result_types {
        state.results.extend(types.iter().copied());
        return Ok(());
    }
    let mut sizes: SmallVec<[i32; 4]> = SmallVec::new();
    for (group, spec) in def.results.iter().enumerate() {
        let given = frame.typed_results >> group & 1 != 0;
        let before = state.results.len();
        if given {
            let of_group = frame.result_types.iter().filter(|entry| entry.0 as usize == group);
            state.results.extend(of_group.map(|entry| entry.1));
        } else if let (Some(ty), Arity::One) = (known[group], spec.arity) {
            state.results.push(ty);
        } else if def.hooks.infer_results.is_some() || spec.arity == Arity::One {
            state.results.clear();
            return infer_results(p, def, state, at);
        }
        sizes.push((state.results.len() - before) as i32);
    }
    if def.traits.contains(Traits::ATTR_SIZED_RESULTS) {
        p.set_result_segments(state, &sizes);
    }
    Ok(())
}

fn infer_results(
    p: &mut OpParser<'_, '_>,
    def: &'static OpDef,
    state: &mut OpState,
    at: Position,
) -> ParseResult<()> {
    match infer_result_types(p.ir, def, state) {
        Ok(types) => {
            state.results = types;
            Ok(())
        }
        Err(message) => p.error(at, format!("'{}' op {message}", def.name)),
    }
}
