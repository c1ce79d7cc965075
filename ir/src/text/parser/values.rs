//! Names of values and blocks: scopes, definitions, forward references.

use cranelift_entity::EntityRef;
use gpuc_diagnostics::{Diagnostic, Place};
use rustc_hash::FxHashMap;

use super::{OpParser, Position, Unresolved};
use crate::graph::{Block, Value};
use crate::location::Location;
use crate::text::{ParseError, ParseResult};
use crate::types::Type;

/// A name and the values it stands for, whose keys follow each other.
#[derive(Clone, Copy)]
struct Definition {
    first: Value,
    count: u32,
    at: Position,
}

/// A value used before its definition.
#[derive(Clone, Copy)]
struct Forward {
    placeholder: Value,
    at: Position,
}

/// Names visible inside an operation that is isolated from above.
#[derive(Default)]
pub(super) struct ValueScope<'s> {
    defined: FxHashMap<&'s str, Definition>,
    /// Names in the order of definition, so that those of a region can go when it ends.
    order: Vec<&'s str>,
    forward: FxHashMap<(&'s str, u32), Forward>,
}

/// Names of the blocks of the region being read.
#[derive(Default)]
pub(super) struct BlockScope<'s> {
    blocks: FxHashMap<&'s str, BlockName>,
}

#[derive(Clone, Copy)]
struct BlockName {
    block: Block,
    at: Position,
    defined: bool,
}

impl<'s> OpParser<'_, 's> {
    pub(super) fn enter_isolated(&mut self) {
        let scope = self.spare_scopes.pop().unwrap_or_default();
        self.scopes.push(scope);
    }

    /// Leaves the innermost isolated scope; names still undefined are errors.
    pub(super) fn leave_isolated(&mut self) -> ParseResult<()> {
        let Some(mut scope) = self.scopes.pop() else { return Ok(()) };
        let mut missing: Vec<_> =
            scope.forward.iter().map(|(&(name, _), forward)| (forward.at, name)).collect();
        missing.sort();
        scope.defined.clear();
        scope.order.clear();
        scope.forward.clear();
        self.spare_scopes.push(scope);
        for &(at, _) in &missing {
            let _: ParseResult<()> = self.error(at, "use of undeclared SSA value name");
        }
        if missing.is_empty() { Ok(()) } else { Err(ParseError) }
    }

    fn scope(&mut self) -> &mut ValueScope<'s> {
        if self.scopes.is_empty() {
            self.scopes.push(ValueScope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// A mark for [`OpParser::forget_since`].
    pub(super) fn scope_mark(&mut self) -> usize {
        self.scope().order.len()
    }

    /// Forgets the names defined since the mark: their region has ended.
    pub(super) fn forget_since(&mut self, mark: usize) {
        let scope = self.scope();
        for name in scope.order.drain(mark.min(scope.order.len())..) {
            scope.defined.remove(name);
        }
    }

    /// Where a name was defined, or used ahead of that.
    pub(super) fn place_of_name(&mut self, name: &str) -> Option<Place> {
        let scope = self.scope();
        let used = |forward: &Forward| forward.at;
        let at = match scope.defined.get(name) {
            Some(definition) => Some(definition.at),
            None => scope.forward.get(&(name, 0)).map(used),
        }?;
        Some(self.place(at))
    }

    /// Makes `name` stand for `count` values from `first` on.
    pub(super) fn define(
        &mut self,
        name: &'s str,
        at: Position,
        first: Value,
        count: u32,
    ) -> ParseResult<()> {
        let definition = Definition { first, count, at };
        let scope = self.scope();
        scope.order.push(name);
        let forwards = !scope.forward.is_empty();
        if let Some(previous) = scope.defined.insert(name, definition) {
            let (place, before) = (self.place(at), self.place(previous.at));
            let message = format!("redefinition of SSA value '{name}'");
            return self.report(
                Diagnostic::error(message).at(place).related(before, "previously defined here"),
            );
        }
        if forwards {
            for number in 0..count {
                let value = Value::new(first.index() + number as usize);
                self.settle_forward(name, number, at, value)?;
            }
        }
        Ok(())
    }

    /// Replaces the placeholder of an earlier use by the value now defined.
    fn settle_forward(
        &mut self,
        name: &'s str,
        number: u32,
        at: Position,
        value: Value,
    ) -> ParseResult<()> {
        let Some(forward) = self.scope().forward.remove(&(name, number)) else { return Ok(()) };
        let (used, defined) = (self.ir.ty(forward.placeholder), self.ir.ty(value));
        if used != defined {
            let (used, defined) = (self.ir.ctx.type_text(used), self.ir.ctx.type_text(defined));
            let (place, before) = (self.place(at), self.place(forward.at));
            let message = format!("definition of SSA value '{name}#{number}' has type '{defined}'");
            return self.report(
                Diagnostic::error(message)
                    .at(place)
                    .related(before, format!("previously used here with type '{used}'")),
            );
        }
        self.ir.replace_all_uses(forward.placeholder, value);
        Ok(())
    }

    /// The value that a use means, which must have type `ty`. A value that is not defined yet is
    /// stood for by a placeholder until it is.
    pub fn resolve(&mut self, operand: Unresolved, ty: Type) -> ParseResult<Value> {
        let name = self.slice(operand.start, operand.end);
        let number = operand.number;
        let known = match self.scope().defined.get(name).copied() {
            Some(definition) if number < definition.count => {
                Some((Value::new(definition.first.index() + number as usize), definition.at))
            }
            Some(_) => return self.error(operand.position(), "reference to invalid result number"),
            None => {
                let forward = self.scope().forward.get(&(name, number));
                forward.map(|forward| (forward.placeholder, forward.at))
            }
        };
        let Some((value, at)) = known else {
            let placeholder = self.placeholder(ty);
            let forward = Forward { placeholder, at: operand.position() };
            self.scope().forward.insert((name, number), forward);
            return Ok(placeholder);
        };
        let actual = self.ir.ty(value);
        if actual == ty {
            return Ok(value);
        }
        let (wanted, actual) = (self.ir.ctx.type_text(ty), self.ir.ctx.type_text(actual));
        let (place, before) = (self.place(operand.position()), self.place(at));
        let message = format!(
            "use of value '{name}' expects different type than prior uses: '{wanted}' vs '{actual}'"
        );
        self.report(Diagnostic::error(message).at(place).related(before, "prior use here"))
    }

    /// The value a use means, if it is defined already, whatever its type.
    pub fn resolve_defined(&mut self, operand: Unresolved) -> Option<Value> {
        let name = self.slice(operand.start, operand.end);
        let definition = self.scope().defined.get(name)?;
        (operand.number < definition.count)
            .then(|| Value::new(definition.first.index() + operand.number as usize))
    }

    fn placeholder(&mut self, ty: Type) -> Value {
        let block = match self.forward_block {
            Some(block) => block,
            None => {
                let block = self.ir.create_block(&[], Location::UNKNOWN);
                self.forward_block = Some(block);
                block
            }
        };
        self.ir.add_argument(block, ty, Location::UNKNOWN)
    }

    pub(super) fn enter_blocks(&mut self) {
        self.blocks.push(BlockScope::default());
    }

    /// Ends the region's block names; blocks that were only referred to are errors.
    pub(super) fn leave_blocks(&mut self) -> ParseResult<()> {
        let scope = self.blocks.pop().unwrap_or_default();
        let mut missing: Vec<_> =
            scope.blocks.values().filter(|name| !name.defined).map(|name| name.at).collect();
        missing.sort();
        for &at in &missing {
            let _: ParseResult<()> = self.error(at, "reference to an undefined block");
        }
        if missing.is_empty() { Ok(()) } else { Err(ParseError) }
    }

    /// The block that a name refers to, created if it has not been seen.
    pub(super) fn refer_to_block(&mut self, name: &'s str, at: Position) -> Block {
        if let Some(known) = self.blocks.last().and_then(|scope| scope.blocks.get(name)) {
            return known.block;
        }
        let location = self.location_at(at);
        let block = self.ir.create_block(&[], location);
        if let Some(scope) = self.blocks.last_mut() {
            scope.blocks.insert(name, BlockName { block, at, defined: false });
        }
        block
    }

    /// The block that a label defines; `unnamed` is taken for a name not referred to before.
    pub(super) fn define_block(
        &mut self,
        name: &'s str,
        at: Position,
        unnamed: Option<Block>,
    ) -> ParseResult<Block> {
        let known = self.blocks.last().and_then(|scope| scope.blocks.get(name)).copied();
        let block = match known {
            Some(BlockName { defined: true, at: before, .. }) => {
                let (place, before) = (self.place(at), self.place(before));
                let message = format!("redefinition of block '{name}'");
                return self.report(
                    Diagnostic::error(message).at(place).related(before, "previously defined here"),
                );
            }
            Some(known) => known.block,
            None => match unnamed {
                Some(block) => block,
                None => self.ir.create_block(&[], Location::UNKNOWN),
            },
        };
        if let Some(scope) = self.blocks.last_mut() {
            scope.blocks.insert(name, BlockName { block, at, defined: true });
        }
        Ok(block)
    }
}
