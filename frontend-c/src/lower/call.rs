//! Calls.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::func;
use gpuc_ir::{Location, Value};

use super::function::Callable;
use super::lowerer::{Frame, Lowerer, Lowering};
use super::place::Pointer;
use super::scalar::Scalar;
use super::{routine, walk};
use crate::source::Span;
use crate::tree::{DeclId, ExprId, StmtId, StmtKind};

/// Where `return` leaves its value.
#[derive(Clone, Debug)]
pub(super) enum ReturnSlot {
    /// In a slot.
    Slot { slot: Value, scalar: Scalar },
    /// In a local object.
    Object(Pointer),
}

/// Calls nested deeper than this are taken for a mistake.
const DEEPEST_CALL: usize = 64;

/// Functions of the C library that a device has by itself, with a heap of its own (CUDA C++ Programming Guide, *Dynamic
/// global memory allocation*).
const DEVICE_HEAP: &[&str] = &["free"];

/// The linkage of what the device's runtime system has.
pub(super) const SYSTEM: &str = "system";

impl Lowerer<'_> {
    /// A call for its value.
    pub(super) fn call(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Lowering<Value> {
        let span = self.span(expr);
        match self.call_any(expr, callee, arguments)? {
            CallResult::Value(value) => Ok(value),
            CallResult::Pointer(pointer) => Ok(self.address_of(&pointer)),
            _ => self.error(span, "this call has no value in device code"),
        }
    }

    /// A call for what it does.
    pub(super) fn call_effects(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Lowering<()> {
        self.call_any(expr, callee, arguments).map(|_| ())
    }

    /// A call that returns a structure, or a complex number: the object it is left in.
    pub(super) fn call_record(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Lowering<Pointer> {
        let span = self.span(expr);
        match self.call_any(expr, callee, arguments)? {
            CallResult::Object(pointer) => Ok(pointer),
            _ => self.error(span, "this call has no value in device code"),
        }
    }

    /// A call, whatever it yields.
    pub(super) fn call_any(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
    ) -> Lowering<CallResult> {
        let span = self.span(expr);
        let Some((decl, body)) = walk::callee(self.unit, callee) else {
            return self.refuse(
                span,
                Diagnostic::error(
                    "calls through function pointers are not supported in device code",
                )
                .help("call the function by its name"),
            );
        };
        let (decl, body) = self.bound(decl, body, span)?;
        let variadic = self.unit.types.as_function(self.unit.decls[decl].ty);
        let variadic = variadic.is_some_and(|function| function.variadic);
        if (body.is_none() || variadic)
            && self.output_call(self.unit.name(decl), arguments, span)?
        {
            return Ok(CallResult::Nothing);
        }
        let is_of_system = self.unit.source.is_system(self.unit.decls[decl].span.start);
        if (body.is_none() || is_of_system)
            && let Some(done) = self.memory_call(self.unit.name(decl), arguments, span)?
        {
            return Ok(done);
        }
        match body {
            Some(body) => match self.callable(decl, body)? {
                Callable::Function(symbol) => self.call_function(decl, &symbol, arguments, span),
                Callable::Separate(symbol) => self.call_separate(decl, &symbol, arguments, span),
                Callable::Expanded => self.expand(decl, body, arguments, span),
            },
            None => {
                let name = self.unit.name(decl).to_owned();
                if let Some(why) = self.unit.function(decl).and_then(|f| f.unreadable.clone()) {
                    let (at, why) = *why;
                    return self.refuse(
                        span,
                        Diagnostic::error(format!("`{name}` is not supported in device code"))
                            .related(self.unit.place(at), why.message)
                            .help("write what it does in plain C"),
                    );
                }
                if self.is_of_other_file(decl) {
                    self.warn_of_one_lane(decl, span);
                    let symbol = self.external(decl, "extern", span)?;
                    return self.call_separate(decl, &symbol, arguments, span);
                }
                if DEVICE_HEAP.contains(&name.as_str()) {
                    let symbol = self.external(decl, SYSTEM, span)?;
                    return self.call_separate(decl, &symbol, arguments, span);
                }
                match name.as_str() {
                    "malloc" => return Ok(CallResult::Value(self.memory(arguments, span)?)),
                    "calloc" => return Ok(CallResult::Value(self.zeroed_memory(arguments, span)?)),
                    _ => {}
                }
                let ty = self.ty(expr);
                let value = self.library_call(&name, ty, arguments, span)?;
                Ok(value.map_or(CallResult::Nothing, CallResult::Value))
            }
        }
    }

    /// Whether a function without a body here is one that another file has for the device. What a header of the system
    /// declares (`fmin`) is the library's, also where `routine` names it.
    pub(super) fn is_of_other_file(&self, decl: DeclId) -> bool {
        self.routines.get(decl).is_some()
            && !self.unit.source.is_system(self.unit.decls[decl].span.start)
    }

    /// Says that a function of another file does by one lane what its directive divides among those of its caller.
    fn warn_of_one_lane(&mut self, decl: DeclId, span: Span) {
        if !self.routines.get(decl).is_some_and(|routine| routine.divides) {
            return;
        }
        let name = self.unit.name(decl);
        let warning = Diagnostic::warning(format!(
            "the loops of `{name}`, a function of another file, are executed by the lane that calls it"
        ));
        self.diagnostics.push(
            warning
                .code(codes::SEQUENTIAL_LOOP)
                .at(self.unit.place(span))
                .related(self.unit.place(self.unit.decls[decl].span), "it is declared here")
                .help(
                    "define it in a header, so that this file has its loops too and divides them",
                ),
        );
    }

    /// The function that device code calls in the place of another.
    fn bound(
        &mut self,
        decl: DeclId,
        body: Option<StmtId>,
        span: Span,
    ) -> Lowering<(DeclId, Option<StmtId>)> {
        let unit = self.unit;
        let Some(name) = self.routines.get(decl).and_then(|routine| routine.bind) else {
            return Ok((decl, body));
        };
        match routine::function_named(unit, name) {
            Some(bound) => Ok((bound, unit.function(bound).and_then(|f| f.body))),
            None => self.refuse(
                span,
                Diagnostic::error(format!(
                    "`{}` is bound to {}, which this file does not have",
                    unit.name(decl),
                    unit.text(name)
                ))
                .help("define it in this file, so that it can be compiled for the device"),
            ),
        }
    }

    /// `func.call`.
    fn call_function(
        &mut self,
        decl: DeclId,
        symbol: &str,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<CallResult> {
        let mut operands = Vec::new();
        for &argument in arguments {
            operands.push(self.rvalue(argument)?);
        }
        Ok(self.build_call(decl, symbol, &operands, span))
    }

    /// `func.call` of values.
    pub(super) fn build_call(
        &mut self,
        decl: DeclId,
        symbol: &str,
        operands: &[Value],
        span: Span,
    ) -> CallResult {
        self.locate(span);
        let results: Vec<_> = self.result_register(decl).into_iter().collect();
        self.call_symbol(symbol, operands, &results).map_or(CallResult::Nothing, CallResult::Value)
    }

    /// `func.call` of a symbol; its result, if it has one.
    pub(super) fn call_symbol(
        &mut self,
        symbol: &str,
        operands: &[Value],
        results: &[gpuc_ir::Type],
    ) -> Option<Value> {
        let symbol = self.b.ctx.symbol_attr(symbol);
        let op = func::CallOp::new(&mut self.b, operands)
            .attr(&mut self.b, "callee", symbol)
            .result_group(results);
        let op = self.build(op);
        self.b.results(op).first().copied()
    }

    /// The register type of what a function returns, a pointer's being its address.
    pub(super) fn result_register(&mut self, decl: DeclId) -> Option<gpuc_ir::Type> {
        let result = self.result_type(decl);
        Scalar::in_memory(self.unit, result).map(|scalar| scalar.register(&mut self.b.ctx))
    }

    /// What a function returns.
    pub(super) fn result_type(&self, decl: DeclId) -> crate::types::Type {
        let function = self.unit.types.as_function(self.unit.decls[decl].ty);
        function.map_or(crate::types::Type::VOID, |function| function.result)
    }

    /// Refuses a function that calls itself.
    pub(super) fn refuse_recursion(&self, decl: DeclId, span: Span) -> Lowering<()> {
        let calls_itself = self.frames.iter().any(|frame| frame.function == Some(decl));
        if calls_itself || self.frames.len() > DEEPEST_CALL {
            let name = self.unit.name(decl).to_owned();
            return self.refuse(
                span,
                Diagnostic::error(format!(
                    "`{name}` calls itself, which is not supported in device code"
                ))
                .help("write the recursion as a loop"),
            );
        }
        Ok(())
    }

    /// Puts a function's body in the place of its call.
    fn expand(
        &mut self,
        decl: DeclId,
        body: StmtId,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<CallResult> {
        self.refuse_recursion(decl, span)?;
        let unit = self.unit;
        let parameters = unit.function(decl).map(|f| f.parameters.clone()).unwrap_or_default();
        if parameters.len() != arguments.len() {
            return self
                .error(span, "calls with variable arguments are not supported in device code");
        }
        // Arguments are evaluated before parameters exist: a function may be called with its own.
        let mut values = Vec::new();
        for (&parameter, &argument) in parameters.iter().zip(arguments) {
            let ty = unit.decls[parameter].ty;
            let span = self.span(argument);
            values.push(if unit.types.is_pointer(ty) {
                Given::Pointer(self.pointer(argument)?)
            } else if self.is_complex_type(ty) {
                Given::Complex(self.complex_value(argument)?)
            } else if unit.types.as_record(ty).is_some() {
                Given::Object(self.object(argument)?)
            } else {
                let scalar = self.scalar(ty, span)?;
                Given::Scalar(self.rvalue(argument)?, scalar)
            });
        }
        self.locate(span);
        let call = self.b.location;
        let result = self.return_place(decl, span)?;
        let return_flag = self.needs_return_flag(body).then(|| self.flag(false));
        let known: Vec<_> = parameters
            .iter()
            .map(|parameter| (*parameter, self.bindings.get(parameter).cloned()))
            .collect();
        self.frames.push(Frame { function: Some(decl), return_flag, result: result.clone(), call });
        let saved = std::mem::take(&mut self.jumps);
        let done = self.bind_parameters(&parameters, values).and_then(|()| self.nested(body));
        self.jumps = saved;
        self.frames.pop();
        for (parameter, binding) in known {
            if let Some(binding) = binding {
                self.bindings.insert(parameter, binding);
            }
        }
        done?;
        self.locate(span);
        Ok(match result {
            Some(ReturnSlot::Slot { slot, scalar }) => {
                let value = self.read_slot(slot);
                CallResult::Value(self.loaded(value, scalar))
            }
            Some(ReturnSlot::Object(pointer)) => CallResult::Object(pointer),
            None => CallResult::Nothing,
        })
    }

    fn bind_parameters(&mut self, parameters: &[DeclId], values: Vec<Given>) -> Lowering<()> {
        for (&parameter, value) in parameters.iter().zip(values) {
            match value {
                Given::Pointer(pointer) => self.bind_pointer(parameter, Some(pointer))?,
                Given::Scalar(value, scalar) => self.bind_scalar(parameter, value, scalar),
                Given::Complex(value) => {
                    let (ty, span) =
                        (self.unit.decls[parameter].ty, self.unit.decls[parameter].span);
                    let copy = self.local_object(Some(parameter), ty, span)?;
                    self.store_complex(value, &copy, ty, span)?;
                    self.bindings.insert(parameter, super::lowerer::Binding::Object(copy));
                }
                Given::Object(source) => {
                    let (ty, span) =
                        (self.unit.decls[parameter].ty, self.unit.decls[parameter].span);
                    let copy = self.local_object(Some(parameter), ty, span)?;
                    self.copy_object(&source, &copy, ty, span)?;
                    self.bindings.insert(parameter, super::lowerer::Binding::Object(copy));
                }
            }
        }
        let unit = self.unit;
        parameters.iter().try_for_each(|&p| self.declare_extents(unit.decls[p].ty))
    }

    /// Binds a scalar parameter: to its value unless the function changes it.
    pub(super) fn bind_scalar(&mut self, parameter: DeclId, value: Value, scalar: Scalar) {
        if self.mutated.contains(&parameter) {
            self.declare_slot(parameter, scalar, Some(value));
        } else {
            self.bindings.insert(parameter, super::lowerer::Binding::Value(value));
        }
    }

    /// Room for what a function returns.
    pub(super) fn return_place(
        &mut self,
        decl: DeclId,
        span: Span,
    ) -> Lowering<Option<ReturnSlot>> {
        let ty = self.result_type(decl);
        if self.unit.types.is_void(ty) {
            return Ok(None);
        }
        if self.unit.types.as_record(ty).is_some() || self.is_complex_type(ty) {
            return Ok(Some(ReturnSlot::Object(self.local_object(None, ty, span)?)));
        }
        let scalar = self.scalar(ty, span)?;
        let element = scalar.memory(&mut self.b.ctx);
        Ok(Some(ReturnSlot::Slot { slot: self.alloca(element), scalar }))
    }

    /// Whether statements stand behind a `return` of a function's body that may be reached.
    pub(super) fn needs_return_flag(&self, body: StmtId) -> bool {
        let StmtKind::Compound(list) = &self.unit.stmts[body].kind else { return false };
        let Some((&last, before)) = list.split_last() else { return false };
        self.exits_of(before).returns
            || self.exits(last).returns
                && !matches!(self.unit.stmts[last].kind, StmtKind::Return(_))
    }

    /// The location of code that nothing calls.
    pub(super) const NO_CALL: Location = Location::UNKNOWN;
}

/// An evaluated argument.
enum Given {
    Scalar(Value, Scalar),
    Pointer(Pointer),
    Object(Pointer),
    Complex(super::complex::Complex),
}

/// What a call yields.
pub(super) enum CallResult {
    Nothing,
    Value(Value),
    Object(Pointer),
    /// A pointer of which the buffer is known.
    Pointer(Pointer),
}
