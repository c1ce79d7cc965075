//! Functions that device code calls: selected like kernels, their parameters in registers of the ABI, their result
//! in one (PTX ISA §7.1).
//!
//! Narrow integers and predicates are passed in 32 bits. A function of the program is named so that it is
//! no instruction of PTX, and the same in every file.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func::{CallOp, FuncOp};
use gpuc_dialects::ptx::{self, DeviceFuncOp, RetOp};
use gpuc_ir::{Ir, Op, OpState, OpView, Region, Type, Value};

use super::{Lowered, ModuleState, Scalar, Selected, Selector};
use crate::emit::Emitter;

/// What the name of a function of the program ends with in PTX.
const SUFFIX: &str = "$device";

/// What a function of PTX takes and gives, as types of registers.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub parameters: Vec<Type>,
    pub result: Option<Type>,
}

/// The name in PTX of a function of the program, or of the device's own.
pub(crate) fn name_of(ir: &Ir, function: Op) -> String {
    let name = ir.symbol_name(function).unwrap_or("function");
    match linkage(ir, function).as_deref() {
        Some("system") => name.to_owned(),
        _ => format!("{name}{SUFFIX}"),
    }
}

/// The type by which PTX passes a register.
fn passed(ir: &Ir, ty: Type) -> &'static str {
    match (ir.ctx.is_float(ty), ptx::register_width(ir, ty)) {
        (true, 64) => "f64",
        (true, _) => "f32",
        (false, 64) => "b64",
        (false, _) => "b32",
    }
}

/// Creates a `ptx.device_func` at the end of the module.
pub(crate) fn declare(
    ir: &mut Ir,
    module: Op,
    name: &str,
    signature: &Signature,
    linkage: Option<&str>,
    body: Option<Region>,
) -> Op {
    let location = ir.location(module);
    let names: Vec<_> = (0..signature.parameters.len())
        .map(|index| ir.ctx.string_attr(&format!("{name}_param_{index}")))
        .collect();
    let types: Vec<_> = signature.parameters.iter().map(|&ty| passed(ir, ty)).collect();
    let types: Vec<_> = types.into_iter().map(|ty| ir.ctx.string_attr(ty)).collect();
    let ty = ir.ctx.function(&[], &[]);
    let mut attrs = vec![
        ("sym_name", ir.ctx.string_attr(name)),
        ("function_type", ir.ctx.type_attr(ty)),
        ("param_names", ir.ctx.array_attr(&names)),
        ("param_types", ir.ctx.array_attr(&types)),
    ];
    if let Some(result) = signature.result {
        let ty = passed(ir, result);
        attrs.push(("result_type", ir.ctx.string_attr(ty)));
    }
    if let Some(linkage) = linkage {
        attrs.push(("linkage", ir.ctx.string_attr(linkage)));
    }
    let mut state = OpState::new(ir.ctx.op_name(DeviceFuncOp::NAME), location);
    for (name, attr) in attrs {
        state.attrs.push((ir.ctx.ident(name), attr));
    }
    let region = body.unwrap_or_else(|| ir.create_region());
    state.regions.push(region);
    let op = ir.create_op(state);
    let block = ir.body(module, 0);
    ir.append_op(block, op);
    op
}

/// The type of the register that a value is passed in.
fn register_type(ir: &mut Ir, scalar: Scalar) -> Type {
    match scalar {
        Scalar::Predicate => ir.ctx.i32(),
        scalar => scalar.register(&mut ir.ctx),
    }
}

impl<'a, 'm> Selector<'a, 'm> {
    /// Selects a function of the program into a `ptx.device_func`; one without a body is declared.
    pub fn device_function(
        ir: &'a mut Ir,
        module: &'a mut ModuleState<'m>,
        function: FuncOp,
    ) -> Result<(), Vec<Diagnostic>> {
        let op = function.op();
        let name = name_of(ir, op);
        let source = ir.region(op, 0);
        let Some(entry) = ir.entry_block(source) else {
            return external_function(ir, module, function, &name).map_err(|error| vec![*error]);
        };
        let linkage = linkage(ir, op);
        let region = ir.create_region();
        let location = ir.location(op);
        let block = ir.append_new_block(region, &[], location);
        let mut selector = Selector::at(ir, module, op, block, name.clone());
        let mut parameters = Vec::new();
        for (index, argument) in selector.e.ir.arguments(entry).to_vec().into_iter().enumerate() {
            match selector.passed_value(&format!("{name}_param_{index}"), argument) {
                Ok((ty, value)) => {
                    parameters.push(ty);
                    selector.set(argument, Lowered::Scalar(value));
                }
                Err(stop) => selector.stop(stop),
            }
        }
        let result = selector.result_of(function);
        selector.body(source, region);
        let (diagnostics, result) = selector.finish(result);
        let signature = Signature { parameters, result };
        let target = module.target;
        let made = declare(ir, target, &name, &signature, linkage.as_deref(), Some(region));
        if diagnostics.is_empty() {
            Ok(())
        } else {
            ir.erase_op(made);
            Err(diagnostics)
        }
    }

    /// The register that a function's result is left in.
    fn result_of(&mut self, function: FuncOp) -> Selected<Option<Type>> {
        let ty = function.function_type(self.e.ir);
        let ty = ty.and_then(|attr| self.e.ir.ctx.type_value(attr));
        let results = ty.and_then(|ty| self.e.ir.ctx.signature(ty)).map(|s| s.1.to_vec());
        match results.unwrap_or_default().as_slice() {
            [] => Ok(None),
            &[ty] => {
                let scalar = self.scalar(ty)?;
                Ok(Some(register_type(self.e.ir, scalar)))
            }
            _ => self.refuse_here("a function of the device returns one value at most"),
        }
    }

    /// A parameter: what it is passed in, and its value.
    fn passed_value(&mut self, name: &str, argument: Value) -> Selected<(Type, Value)> {
        let ty = self.e.ir.ty(argument);
        let scalar = self.scalar(ty)?;
        let register = register_type(self.e.ir, scalar);
        let kind = match passed(self.e.ir, register) {
            "f64" => ptx::kinds::PtxType::F64,
            "f32" => ptx::kinds::PtxType::F32,
            "b64" => ptx::kinds::PtxType::B64,
            _ => ptx::kinds::PtxType::B32,
        };
        let value = self.load_param(name, kind, register);
        let value = if scalar == Scalar::Predicate { self.nonzero(value) } else { value };
        Ok((register, value))
    }

    /// `func.call`.
    pub fn call(&mut self, op: Op) -> Selected<()> {
        let callee = CallOp(op).callee(self.e.ir);
        let found = callee.and_then(|symbol| self.e.ir.lookup_symbol(op, symbol));
        let Some(function) = found.filter(|&found| FuncOp::is(self.e.ir, found)) else {
            return self.refuse(op, "the function that is called is not there");
        };
        let name = name_of(self.e.ir, function);
        let mut arguments = Vec::new();
        for value in self.e.ir.operands(op).collect::<Vec<_>>() {
            let register = self.register(value)?;
            let scalar = self.scalar(self.e.ir.ty(value))?;
            arguments.push(match scalar {
                Scalar::Predicate => self.e.select_bit(register),
                _ => register,
            });
        }
        let result = self.e.ir.results(op).first().copied();
        let scalar = match result {
            Some(result) => Some(self.scalar(self.e.ir.ty(result))?),
            None => None,
        };
        let register = scalar.map(|scalar| register_type(self.e.ir, scalar));
        let value = self.call_named(&name, &arguments, register);
        if let (Some(value), Some(scalar)) = (value, scalar) {
            let value = if scalar == Scalar::Predicate { self.nonzero(value) } else { value };
            self.set_result(op, value);
        }
        Ok(())
    }

    /// `func.return`.
    pub fn leave(&mut self, op: Op) -> Selected<()> {
        let mut values = Vec::new();
        for value in self.e.ir.operands(op).collect::<Vec<_>>() {
            let register = self.register(value)?;
            let scalar = self.scalar(self.e.ir.ty(value))?;
            values.push(match scalar {
                Scalar::Predicate => self.e.select_bit(register),
                _ => register,
            });
        }
        let build = self.e.start::<RetOp>(&values);
        self.e.insert(build);
        Ok(())
    }

    /// A call of a function of PTX.
    pub fn call_named(
        &mut self,
        name: &str,
        arguments: &[Value],
        result: Option<Type>,
    ) -> Option<Value> {
        let callee = self.e.ir.ctx.symbol_attr(name);
        let build = self.e.start::<ptx::CallOp>(arguments).attr(self.e.ir, "callee", callee);
        let build = match result {
            Some(ty) => build.result_group(&[ty]),
            None => build.result_group(&[]),
        };
        let op = self.e.insert(build);
        self.e.ir.results(op).first().copied()
    }

    /// A function of the device's runtime system, declared when it is first called.
    pub fn system_function(&mut self, name: &'static str, signature: &Signature) {
        if self.module.system.insert(name) {
            let target = self.module.target;
            declare(self.e.ir, target, name, signature, Some("extern"), None);
        }
    }
}

/// Declares a function that another module has.
fn external_function(
    ir: &mut Ir,
    module: &ModuleState<'_>,
    function: FuncOp,
    name: &str,
) -> Result<(), Box<Diagnostic>> {
    let ty = function.function_type(ir).and_then(|attr| ir.ctx.type_value(attr));
    let Some((inputs, results)) = ty.and_then(|ty| ir.ctx.signature(ty)) else { return Ok(()) };
    let (inputs, results) = (inputs.to_vec(), results.to_vec());
    let mut registers = Vec::new();
    for &ty in inputs.iter().chain(&results) {
        let Some(scalar) = Scalar::of(&ir.ctx, ty) else {
            let text = ir.ctx.type_text(ty);
            let place = ir.ctx.place(ir.location(function.op()));
            let error = Diagnostic::error(format!("type '{text}' is not supported on the device"));
            return Err(Box::new(error.at_option(place)));
        };
        registers.push(register_type(ir, scalar));
    }
    let result = registers.drain(inputs.len()..).next();
    let signature = Signature { parameters: registers, result };
    declare(ir, module.target, name, &signature, Some("extern"), None);
    Ok(())
}

/// Who else sees a function: what its definition says.
fn linkage(ir: &Ir, function: Op) -> Option<String> {
    let said = ir.attr(function, gpuc_dialects::offload::LINKAGE_ATTR);
    said.and_then(|attr| ir.ctx.string_value(attr)).map(str::to_owned)
}

/// A selector of a function that is no kernel.
impl<'a, 'm> Selector<'a, 'm> {
    fn at(
        ir: &'a mut Ir,
        module: &'a mut ModuleState<'m>,
        function: Op,
        entry: gpuc_ir::Block,
        name: String,
    ) -> Self {
        let location = ir.location(function);
        let mut selector = Selector::new(Emitter::new(ir, entry), module, function, name);
        selector.e.location = location;
        selector
    }
}
