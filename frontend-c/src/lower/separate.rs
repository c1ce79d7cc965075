//! Functions that stay calls: those that call themselves, those of other files, and those that other files may call
//! (OpenACC 3.3 §2.15.1).
//!
//! Pointers are passed as addresses, which may be a thread's own; structures and complex numbers by the address of a copy. Loops of directives in such a function are executed
//! by the lane that calls it, one iteration after another.

use gpuc_diagnostics::{Diagnostic, Severity};
use gpuc_dialects::{func, offload, ptr};
use gpuc_ir::{Op, OpView, Value, WalkOrder};

use super::call::CallResult;
use super::function::Callable;
use super::lowerer::{Failure, Lowerer, Lowering};
use super::routine;
use super::scalar::Scalar;
use super::walk::{self, Below};
use crate::source::Span;
use crate::tree::{DeclId, ExprId, StmtId};
use crate::types::Type;

impl Lowerer<'_> {
    /// Whether a function calls itself, by way of others too.
    pub(super) fn is_recursive(&mut self, decl: DeclId) -> bool {
        if let Some(&known) = self.recursive.get(&decl) {
            return known;
        }
        let unit = self.unit;
        let mut found = false;
        let body = unit.function(decl).and_then(|function| function.body);
        walk::through_calls(unit, body, &mut |node| {
            found |= walk::called(unit, node).is_some_and(|(called, _)| called == decl);
            Below::Enter
        });
        self.recursive.insert(decl, found);
        found
    }

    /// Refuses a function that cannot stay a call.
    pub(super) fn check_separate(&self, decl: DeclId, body: Option<StmtId>) -> Lowering<()> {
        let unit = self.unit;
        let name = unit.name(decl);
        let span = unit.decls[decl].span;
        let refuse = |why: &str, help: &str| {
            let message = format!("`{name}` stays a call in device code, and {why}");
            self.refuse(span, Diagnostic::error(message).help(help))
        };
        let Some(function) = unit.types.as_function(unit.decls[decl].ty) else { return Ok(()) };
        if function.variadic {
            return refuse("takes variable arguments", "give it a parameter for each argument");
        }
        let is_passed = |ty| self.is_object_type(ty) || Scalar::in_memory(unit, ty).is_some();
        if let Some(&ty) = function.parameters.iter().find(|&&ty| !is_passed(ty)) {
            let why = format!("is given a `{}`", unit.display(ty));
            return refuse(&why, "device code has no such values");
        }
        if !unit.types.is_void(function.result) && !is_passed(function.result) {
            let why = format!("returns a `{}`", unit.display(function.result));
            return refuse(&why, "device code has no such values");
        }
        if body.is_some_and(|body| routine::asks_numbers(unit, body)) {
            return refuse("asks for the number of its processor", "hand the number over");
        }
        Ok(())
    }

    /// Whether values of a type are passed by the address of a copy: structures, unions, complex numbers. What returns
    /// one is given the address of the place for it, ahead of its arguments.
    pub(super) fn is_object_type(&self, ty: Type) -> bool {
        self.is_complex_type(ty)
            || self.unit.types.as_record(ty).is_some() && self.unit.types.layout(ty).is_some()
    }

    /// The type that a parameter is passed in.
    pub(super) fn passed_type(&mut self, ty: Type, span: Span) -> Lowering<gpuc_ir::Type> {
        let scalar = match self.is_object_type(ty) {
            true => Scalar::ADDRESS,
            false => self.scalar(ty, span)?,
        };
        Ok(scalar.register(&mut self.b.ctx))
    }

    /// The argument for a parameter of type `ty`.
    fn passed(&mut self, argument: ExprId, ty: Type) -> Lowering<Value> {
        if self.is_pointer(argument) {
            return self.address(argument);
        }
        if !self.is_object_type(ty) {
            return self.rvalue(argument);
        }
        let span = self.span(argument);
        let copy = self.local_object(None, ty, span)?;
        if self.is_complex_type(ty) {
            let value = self.complex_value(argument)?;
            self.store_complex(value, &copy, ty, span)?;
        } else {
            let source = self.object(argument)?;
            self.copy_object(&source, &copy, ty, span)?;
        }
        Ok(self.address_of(&copy))
    }

    /// The symbol of a function that another file has (linkage `extern`), or the device's own runtime system (`system`).
    pub(super) fn external(&mut self, decl: DeclId, linkage: &str, span: Span) -> Lowering<String> {
        let unit = self.unit;
        self.check_separate(decl, None)?;
        let symbol = unit.name(decl);
        let Some(function) = unit.types.as_function(unit.decls[decl].ty) else {
            return self.error(span, "this is no function");
        };
        let (parameters, result) = (function.parameters.to_vec(), function.result);
        let mut inputs = Vec::new();
        if self.is_object_type(result) {
            inputs.push(self.passed_type(result, span)?);
        }
        for ty in parameters {
            inputs.push(self.passed_type(ty, span)?);
        }
        let results: Vec<_> = self.result_register(decl).into_iter().collect();
        let outside = self.locate(unit.decls[decl].span);
        self.declare_function(symbol, &inputs, &results, linkage);
        self.b.location = outside;
        Ok(symbol.to_owned())
    }

    /// Declares a function that is not of this module, unless it is declared.
    pub(super) fn declare_function(
        &mut self,
        symbol: &str,
        inputs: &[gpuc_ir::Type],
        results: &[gpuc_ir::Type],
        linkage: &str,
    ) {
        let name = self.b.ctx.ident(symbol);
        if self.b.symbol_in(self.module, name).is_some() {
            return;
        }
        let saved = self.b.point();
        let block = self.b.body(self.module, 0);
        self.b.set_point(gpuc_ir::InsertPoint::Start(block));
        let ctx = &mut self.b.ctx;
        let ty = ctx.function(inputs, results);
        let (ty, name) = (ctx.type_attr(ty), ctx.string_attr(symbol));
        let (private, linkage) = (ctx.string_attr("private"), ctx.string_attr(linkage));
        let b = &mut self.b;
        let op = func::FuncOp::new(b)
            .attr(b, "sym_name", name)
            .attr(b, "function_type", ty)
            .attr(b, "sym_visibility", private)
            .attr(b, offload::LINKAGE_ATTR, linkage);
        self.build(op);
        self.b.set_point(saved);
    }

    /// A call that stays one.
    pub(super) fn call_separate(
        &mut self,
        decl: DeclId,
        symbol: &str,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<CallResult> {
        let unit = self.unit;
        let parameters = unit.types.as_function(unit.decls[decl].ty);
        let parameters = parameters.map(|f| f.parameters.to_vec()).unwrap_or_default();
        if parameters.len() != arguments.len() {
            return self.error(span, "this call has another number of arguments than its function");
        }
        let result = self.result_type(decl);
        let object = match self.is_object_type(result) {
            true => Some(self.local_object(None, result, span)?),
            false => None,
        };
        let mut operands: Vec<Value> = Vec::new();
        operands.extend(object.as_ref().map(|object| self.address_of(object)));
        for (&argument, ty) in arguments.iter().zip(parameters) {
            operands.push(self.passed(argument, ty)?);
        }
        let done = self.build_call(decl, symbol, &operands, span);
        Ok(object.map_or(done, CallResult::Object))
    }

    /// Once the address of something local was given away, an address may be one in all of a function.
    pub(super) fn mark_generic(&mut self, function: Op) {
        let unit = self.b.ctx.unit_attr();
        for op in self.b.nested_ops(function, WalkOrder::PreOrder) {
            if ptr::FromAddressOp::is(&self.b, op) {
                self.b.set_attr(op, "generic", unit);
            }
        }
    }

    /// Makes a function of the unit one that device code of other files may call; false, with a remark, where that is
    /// not possible.
    pub(super) fn provide(&mut self, decl: DeclId, body: StmtId) -> bool {
        let unit = self.unit;
        let said = self.diagnostics.len();
        self.as_bytes.clear();
        self.as_address.clear();
        self.as_linear.clear();
        let made = loop {
            let point = gpuc_ir::InsertPoint::End(self.b.body(self.module, 0));
            self.b.set_point(point);
            self.frames.clear();
            match self.provided(decl, body) {
                Ok(symbol) => break Some(symbol),
                Err(again) if self.knows_better(&again) => self.diagnostics.truncate(said),
                Err(Failure::Refused(diagnostic)) => {
                    self.diagnostics.push(*diagnostic);
                    break None;
                }
                Err(_) => break None,
            }
        };
        let error = self.diagnostics[said..].iter().find(|found| found.is_error()).cloned();
        let op = made.and_then(|symbol| {
            let name = self.b.ctx.ident(&symbol);
            self.b.symbol_in(self.module, name)
        });
        if let Some(mut why) = error {
            self.diagnostics.truncate(said);
            if let Some(op) = op {
                self.b.erase_op(op);
                self.functions.remove(&decl);
            }
            let name = unit.name(decl);
            let text = format!("`{name}` is not there for device code of other files");
            why.severity = Severity::Remark;
            why.code = None;
            self.diagnostics.push(why.related(unit.place(unit.decls[decl].span), text));
            return false;
        }
        let Some(op) = op else { return false };
        let is_inline = unit.function(decl).is_some_and(|function| function.is_inline);
        let linkage = self.b.ctx.string_attr(if is_inline { "weak" } else { "visible" });
        self.b.set_attr(op, offload::LINKAGE_ATTR, linkage);
        self.b.remove_attr(op, "sym_visibility");
        true
    }

    /// The symbol of a function that is to be there for others.
    fn provided(&mut self, decl: DeclId, body: StmtId) -> Lowering<String> {
        match self.functions.get(&decl) {
            Some(Callable::Function(symbol) | Callable::Separate(symbol)) => Ok(symbol.clone()),
            _ => {
                self.check_separate(decl, Some(body))?;
                if routine::shares_loops(self.unit, body) {
                    let name = self.unit.name(decl);
                    let text = format!(
                        "calls of `{name}` from other files execute its loops with one lane"
                    );
                    let place = self.unit.place(self.unit.decls[decl].span);
                    self.diagnostics.push(Diagnostic::remark(text).at(place));
                }
                self.separate_function(decl, body)
            }
        }
    }
}
