//! Functions of the program as functions of the module.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func;
use gpuc_ir::{Builder, InsertPoint, Ir, Location, Op};
use rustc_hash::FxHashMap;

use super::Options;
use super::call::ReturnSlot;
use super::lowerer::{Binding, Failure, Frame, Lowerer, Lowering};
use super::scalar::Scalar;
use super::uses::{Captured, Collector, Uses};
use crate::tree::{DeclId, StmtId, TranslationUnit};

/// How a function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Callable {
    /// By its symbol.
    Function(String),
    /// By its symbol, pointers as addresses, because it calls itself.
    Separate(String),
    /// By putting its body in the place of the call, because pointers, structures or variables of
    /// the file take part.
    Expanded,
}

/// The functions that have been called so far.
pub(super) type Callables = FxHashMap<DeclId, Callable>;

/// Lowers functions of a library, and what they call, to private functions of `module`.
///
/// # Errors
/// Names that are not defined in the unit, and what device code cannot do, at its place.
pub fn lower_functions(
    unit: &TranslationUnit,
    ir: &mut Ir,
    module: Op,
    names: &[&str],
    options: Options,
) -> Result<(), Vec<Diagnostic>> {
    let block = ir.body(module, 0);
    let builder = Builder::at_start(ir, block, Location::UNKNOWN);
    let mut lowerer = Lowerer::new(unit, builder, options, module);
    let mut errors = Vec::new();
    for &name in names {
        let found = unit.functions().find(|&decl| unit.name(decl) == name);
        let body = found.and_then(|decl| unit.function(decl)?.body);
        let (Some(decl), Some(body)) = (found, body) else {
            errors.push(Diagnostic::error(format!("the library has no function `{name}`")));
            continue;
        };
        match lowerer.callable(decl, body) {
            Ok(Callable::Function(_) | Callable::Separate(_)) => {}
            Ok(Callable::Expanded) => errors.push(
                Diagnostic::error(format!("`{name}` does not take and give scalars only"))
                    .at(unit.place(unit.decls[decl].span)),
            ),
            Err(Failure::Refused(diagnostic)) => errors.push(*diagnostic),
            Err(Failure::Reported) => {}
            Err(Failure::AsBytes(decl) | Failure::AsAddress(decl) | Failure::AsLinear(decl)) => {
                errors.push(
                    Diagnostic::error("this variable is accessed with several types")
                        .at(unit.place(unit.decls[decl].span)),
                )
            }
        }
    }
    errors.append(&mut lowerer.diagnostics);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

impl Lowerer<'_> {
    /// How to call a function of the unit; makes it a function of the module on the first call.
    pub(super) fn callable(&mut self, decl: DeclId, body: StmtId) -> Lowering<Callable> {
        self.called.insert(decl);
        if let Some(known @ Callable::Separate(_)) = self.functions.get(&decl) {
            return Ok(known.clone());
        }
        if self.is_recursive(decl) {
            self.check_separate(decl, Some(body))?;
            let symbol = self.separate_function(decl, body)?;
            return Ok(Callable::Separate(symbol));
        }
        if let Some(known) = self.functions.get(&decl) {
            if *known == Callable::Expanded || !self.frames.iter().any(|f| f.function == Some(decl))
            {
                return Ok(known.clone());
            }
            self.refuse_recursion(decl, self.unit.decls[decl].span)?;
        }
        let unit = self.unit;
        let (uses, parameters) = self.scan(decl, body);
        let scalar = |ty| Scalar::of(unit, ty).is_some();
        let result = self.result_type(decl);
        let self_contained = uses.captured.keys().all(|captured| match captured {
            Captured::Variable(variable) => self.constant_variable(*variable).is_some(),
            Captured::Path(_) => false,
        });
        let prototype = unit.types.as_function(unit.decls[decl].ty);
        let plain = parameters.iter().all(|&parameter| scalar(unit.decls[parameter].ty))
            && prototype.is_some_and(|f| !f.variadic && f.parameters.len() == parameters.len())
            && (unit.types.is_void(result) || scalar(result));
        let shares_loops = super::routine::shares_loops(unit, body);
        let callable = if plain && self_contained && !shares_loops {
            Callable::Function(unit.name(decl).to_owned())
        } else {
            Callable::Expanded
        };
        self.functions.insert(decl, callable.clone());
        if let Callable::Function(symbol) = &callable
            && let Err(failure) = self.function(decl, body, &parameters, symbol)
        {
            // It is made anew, with what is known better then.
            self.functions.remove(&decl);
            return Err(failure);
        }
        Ok(callable)
    }

    /// What a function does with variables, and its parameters.
    fn scan(&mut self, decl: DeclId, body: StmtId) -> (Uses, Vec<DeclId>) {
        let unit = self.unit;
        let mut collector = Collector::new(unit, &[]);
        let parameters = unit.function(decl).map(|f| f.parameters.clone()).unwrap_or_default();
        parameters.iter().for_each(|&parameter| collector.declare(parameter));
        collector.stmt(body);
        let uses = collector.finish();
        self.mutated.extend(uses.mutated.iter().copied());
        self.addressed.extend(uses.addressed.iter().copied());
        (uses, parameters)
    }

    /// Makes a function that stays a call; its symbol.
    pub(super) fn separate_function(&mut self, decl: DeclId, body: StmtId) -> Lowering<String> {
        let (_, parameters) = self.scan(decl, body);
        let symbol = self.unit.name(decl).to_owned();
        // It may be called from its own body.
        self.functions.insert(decl, Callable::Separate(symbol.clone()));
        // What is known of an address ends with the expression it is in.
        let changed: Vec<_> =
            parameters.iter().copied().filter(|p| self.mutated.contains(p)).collect();
        self.as_address.extend(changed);
        let saved = (self.separate, self.numbers, self.in_independent_loop);
        (self.separate, self.numbers, self.in_independent_loop) = (true, [None; 3], false);
        let done = self.function(decl, body, &parameters, &symbol);
        (self.separate, self.numbers, self.in_independent_loop) = saved;
        if let Err(failure) = done {
            self.functions.remove(&decl);
            return Err(failure);
        }
        Ok(symbol)
    }

    /// Makes a private function.
    fn function(
        &mut self,
        decl: DeclId,
        body: StmtId,
        parameters: &[DeclId],
        symbol: &str,
    ) -> Lowering<()> {
        let unit = self.unit;
        let span = unit.decls[decl].span;
        let block = self.b.body(self.module, 0);
        let saved_point = self.b.point();
        let saved_location = self.b.location;
        let saved_bindings = std::mem::take(&mut self.bindings);
        let saved_jumps = std::mem::take(&mut self.jumps);
        let saved_paths = std::mem::take(&mut self.paths);
        let saved_reductions = std::mem::take(&mut self.reductions);
        let saved_construct = self.construct.take();
        let saved_frames = self.frames.clone();
        // A function of its own is not called from anywhere in particular.
        for frame in &mut self.frames {
            frame.call = Location::UNKNOWN;
        }
        self.b.set_point(InsertPoint::Start(block));
        self.locate(span);

        let mut inputs = Vec::new();
        let result = self.result_type(decl);
        let returns_object = self.is_object_type(result);
        if returns_object {
            inputs.push(self.passed_type(result, span)?);
        }
        for &parameter in parameters {
            inputs.push(self.passed_type(unit.decls[parameter].ty, unit.decls[parameter].span)?);
        }
        let returned = result;
        let result = Scalar::in_memory(unit, result).filter(|_| !returns_object);
        let results: Vec<_> =
            result.map(|scalar| scalar.register(&mut self.b.ctx)).into_iter().collect();
        let location = self.b.location;
        let (region, done) = self.region(&inputs, |l, arguments| {
            l.with_constants(|l| {
                let (place, arguments) = match arguments.split_first() {
                    Some((&place, rest)) if returns_object => {
                        (Some(ReturnSlot::Object(l.pointee_of(place, returned))), rest)
                    }
                    _ => (l.return_place(decl, span)?, arguments),
                };
                let return_flag = l.needs_return_flag(body).then(|| l.flag(false));
                l.frames.push(Frame {
                    function: Some(decl),
                    return_flag,
                    result: place.clone(),
                    call: Self::NO_CALL,
                });
                for (&parameter, &value) in parameters.iter().zip(arguments) {
                    let ty = unit.decls[parameter].ty;
                    if l.is_object_type(ty) {
                        let copy = l.pointee_of(value, ty);
                        l.bindings.insert(parameter, Binding::Object(copy));
                    } else if let Some(pointee) = unit.types.pointee(ty) {
                        let pointer = l.pointee_of(value, pointee);
                        l.bind_pointer(parameter, Some(pointer))?;
                    } else {
                        let scalar = l.scalar(ty, span)?;
                        l.bind_scalar(parameter, value, scalar);
                    }
                }
                let extents = parameters.iter().map(|&p| unit.decls[p].ty);
                let done = extents
                    .into_iter()
                    .try_for_each(|ty| l.declare_extents(ty))
                    .and_then(|()| l.nested(body));
                l.b.location = location;
                let values: Vec<_> = match place {
                    Some(ReturnSlot::Slot { slot, scalar }) => {
                        let value = l.read_slot(slot);
                        vec![l.loaded(value, scalar)]
                    }
                    _ => Vec::new(),
                };
                let op = func::ReturnOp::new(&mut l.b, &values);
                l.build(op);
                done
            })
        });
        self.b.set_point(InsertPoint::Start(block));
        self.b.location = location;
        let ctx = &mut self.b.ctx;
        let ty = ctx.function(&inputs, &results);
        let (ty, name) = (ctx.type_attr(ty), ctx.string_attr(symbol));
        let private = ctx.string_attr("private");
        let b = &mut self.b;
        let op = func::FuncOp::new(b)
            .attr(b, "sym_name", name)
            .attr(b, "function_type", ty)
            .attr(b, "sym_visibility", private)
            .region(region);
        let op = self.build(op);
        if self.gives_addresses {
            self.mark_generic(op);
        }
        if done.is_err() {
            // It is lowered anew.
            self.b.erase_op(op);
        }

        self.b.set_point(saved_point);
        self.b.location = saved_location;
        self.bindings = saved_bindings;
        self.jumps = saved_jumps;
        self.paths = saved_paths;
        self.reductions = saved_reductions;
        self.construct = saved_construct;
        self.frames = saved_frames;
        done
    }

    /// Declares a function of the device library.
    pub(super) fn declare_external(
        &mut self,
        symbol: &str,
        inputs: &[gpuc_ir::Type],
        result: gpuc_ir::Type,
    ) {
        let name = self.b.ctx.ident(symbol);
        if self.b.symbol_in(self.module, name).is_some() {
            return;
        }
        let block = self.b.body(self.module, 0);
        let saved = self.b.point();
        self.b.set_point(InsertPoint::Start(block));
        let ctx = &mut self.b.ctx;
        let ty = ctx.function(inputs, &[result]);
        let (ty, name) = (ctx.type_attr(ty), ctx.string_attr(symbol));
        let private = ctx.string_attr("private");
        let b = &mut self.b;
        let op = func::FuncOp::new(b).attr(b, "sym_name", name).attr(b, "function_type", ty).attr(
            b,
            "sym_visibility",
            private,
        );
        self.build(op);
        self.b.set_point(saved);
    }
}
