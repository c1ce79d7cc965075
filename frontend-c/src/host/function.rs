//! Functions of the gpu level that run on the host, as C.

use std::fmt::Write;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith::{ConstantOp, constant_int_value};
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::gpu::LaunchFuncOp;
use gpuc_dialects::memref::element_bytes;
use gpuc_dialects::offload::{FetchOp, LaunchSizeOp, ResidentGridOp};
use gpuc_dialects::scf;
use gpuc_ir::{Attr, AttrKind, Block, DYNAMIC, Ir, Op, OpView, Value, ValueDef};
use rustc_hash::FxHashMap;

use super::expression::{c_type, constant, count_in_parts, expression};
use super::literal;
use crate::lower::Argument;

/// The name of a construct's function in the host program.
pub(super) fn c_name(symbol: &str) -> String {
    format!("__gpuc_call_{symbol}")
}

/// The types and declarations of a function's parameters: the place, the construct's data with the distance of
/// each section from element 0, and what is passed by value.
pub(super) fn parameters(
    ir: &Ir,
    function: FuncOp,
    arguments: &[Argument],
) -> (Vec<String>, Vec<String>) {
    let first = [
        ("const struct __gpuc_site *", "site"),
        ("struct __gpuc_data *", "data"),
        ("const long *", "offsets"),
        ("unsigned ", "n"),
    ];
    let mut types = first.map(|(ty, _)| ty.to_owned()).to_vec();
    let mut declarations = first.map(|(ty, name)| format!("{ty}{name}")).to_vec();
    let (more_types, more_declarations) = values(ir, function, arguments);
    types.extend(more_types);
    declarations.extend(more_declarations);
    (types, declarations)
}

/// The types and declarations of the parameters that are passed by value.
pub(super) fn values(
    ir: &Ir,
    function: FuncOp,
    arguments: &[Argument],
) -> (Vec<String>, Vec<String>) {
    let own = match ir.entry_block(ir.region(function.op(), 0)) {
        Some(block) => ir.arguments(block),
        None => &[],
    };
    let (mut types, mut declarations) = (Vec::new(), Vec::new());
    for (i, &argument) in own.iter().enumerate() {
        if !matches!(arguments.get(i), Some(Argument::Data(_))) {
            let ty = c_type(ir, ir.ty(argument)).unwrap_or("long");
            types.push(ty.to_owned());
            declarations.push(format!("{ty} a{i}"));
        }
    }
    (types, declarations)
}

/// A function of the gpu level as a static C function, with the data of its construct begun and ended round
/// it. `arguments` say which of its arguments are which data of the construct.
///
/// # Errors
/// An operation that the host cannot execute.
#[allow(clippy::result_large_err, reason = "made once a compilation")]
pub fn print_function(
    ir: &Ir,
    function: FuncOp,
    arguments: &[Argument],
) -> Result<String, Diagnostic> {
    let name = c_name(ir.symbol_name(function.op()).unwrap_or_default());
    let (_, declarations) = parameters(ir, function, arguments);
    let mut writer = Writer::new(ir, arguments);
    let _ = writeln!(writer.out, "static void {name}({})\n{{", declarations.join(", "));
    writer.line("__gpuc_data_begin(site, data, n);");
    let block = ir.entry_block(ir.region(function.op(), 0));
    if let Some(block) = block {
        for (i, &argument) in ir.arguments(block).iter().enumerate() {
            writer.names.insert(argument, format!("a{i}"));
            if let Some(Argument::Data(item)) = arguments.get(i) {
                writer.line(&format!(
                    "void *a{i} = __gpuc_element_0(data[{item}].device, offsets[{item}]);"
                ));
            }
        }
        writer.block(block)?;
    }
    writer.line("__gpuc_data_end(site, data, n);");
    writer.line("__gpuc_region_end(site);");
    writer.out.push_str("}\n\n");
    Ok(writer.out)
}

/// A function of scalars as a static C function that leaves its results in an array.
///
/// # Errors
/// An operation that the host cannot execute.
#[allow(clippy::result_large_err, reason = "made once a compilation")]
pub(super) fn print_results(ir: &Ir, function: FuncOp) -> Result<String, Diagnostic> {
    let name = c_name(ir.symbol_name(function.op()).unwrap_or_default());
    let (_, mut declarations) = values(ir, function, &[]);
    declarations.push("long *results".to_owned());
    let mut writer = Writer::new(ir, &[]);
    let _ = writeln!(writer.out, "static void {name}({})\n{{", declarations.join(", "));
    if let Some(block) = ir.entry_block(ir.region(function.op(), 0)) {
        for (i, &argument) in ir.arguments(block).iter().enumerate() {
            writer.names.insert(argument, format!("a{i}"));
        }
        writer.block(block)?;
        let end = ir.last_op(block);
        for (i, value) in end.into_iter().flat_map(|end| ir.operands(end)).enumerate() {
            let value = writer.name(value);
            writer.line(&format!("results[{i}] = {value};"));
        }
    }
    writer.out.push_str("}\n\n");
    Ok(writer.out)
}

/// A function that is one launch, as what a construct has in its own place.
pub(super) struct OnlyLaunch {
    /// The declaration of a variable for each argument; of data there is none.
    pub arguments: Vec<String>,
    /// The kernel's name, as C.
    pub kernel: String,
    /// The sizes, as a layout has them.
    pub shape: String,
    /// The sizes that are words, with a comma in front of each.
    pub sizes: String,
    /// A letter for each value.
    pub letters: String,
    /// The values, with a comma in front of each.
    pub values: String,
}

/// What a function launches, if it is one launch with what its sizes take: a function for each such construct
/// would be most of what the host compiler has to do.
pub(super) fn only_launch(ir: &Ir, function: FuncOp, arguments: &[Argument]) -> Option<OnlyLaunch> {
    let block = ir.entry_block(ir.region(function.op(), 0))?;
    let own = ir.arguments(block);
    let launches = |&op: &Op| LaunchFuncOp::is(ir, op);
    if ir.ops(block).filter(launches).count() != 1 || own.len() != arguments.len() {
        return None;
    }
    let mut writer = Writer::new(ir, arguments);
    writer.is_in_place = true;
    let mut declarations = Vec::new();
    for (i, (&argument, actual)) in own.iter().zip(arguments).enumerate() {
        match actual {
            Argument::Data(item) => {
                // Its device address is known when the data has been begun, and to the launch alone.
                if !ir.users(argument).all(|user| LaunchFuncOp::is(ir, user)) {
                    return None;
                }
                writer.names.insert(argument, item.to_string());
                declarations.push(String::new());
            }
            Argument::Value(_) => {
                writer.names.insert(argument, format!("__gpuc_a{i}"));
                let ty = c_type(ir, ir.ty(argument)).unwrap_or("long");
                declarations.push(format!("{ty} __gpuc_a{i}"));
            }
        }
    }
    writer.block(block).ok()?;
    let launched = writer.launched?;
    // Anything else than the launch has a line of its own.
    writer.out.is_empty().then_some(OnlyLaunch { arguments: declarations, ..launched })
}

struct Writer<'a> {
    ir: &'a Ir,
    arguments: &'a [Argument],
    names: FxHashMap<Value, String>,
    out: String,
    next: usize,
    depth: usize,
    /// Whether a construct has it in its place, ahead of its data.
    is_in_place: bool,
    /// The launch where it is so, but for the construct's arguments.
    launched: Option<OnlyLaunch>,
}

type Written = Result<(), Diagnostic>;

#[allow(clippy::result_large_err, reason = "made once a compilation")]
impl<'a> Writer<'a> {
    fn new(ir: &'a Ir, arguments: &'a [Argument]) -> Writer<'a> {
        let (names, out) = (FxHashMap::default(), String::new());
        Writer { ir, arguments, names, out, next: 0, depth: 1, is_in_place: false, launched: None }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn name(&self, value: Value) -> String {
        self.names.get(&value).cloned().unwrap_or_else(|| "0".to_owned())
    }

    fn fresh(&mut self, value: Value) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        self.names.insert(value, name.clone());
        name
    }

    fn refuse(&self, op: Op) -> Diagnostic {
        Diagnostic::error(format!("`{}` cannot be executed by the host", self.ir.name(op)))
            .at_option(self.ir.ctx.place(self.ir.location(op)))
            .help("this is an error of the passes before")
    }

    fn ty(&self, value: Value, op: Op) -> Result<&'static str, Diagnostic> {
        c_type(self.ir, self.ir.ty(value)).ok_or_else(|| self.refuse(op))
    }

    fn block(&mut self, block: Block) -> Written {
        for op in self.ir.ops(block).collect::<Vec<_>>() {
            self.op(op)?;
        }
        Ok(())
    }

    /// Declares the first result with its value.
    fn define(&mut self, op: Op, value: &str) -> Written {
        let result = self.ir.result(op, 0);
        let ty = self.ty(result, op)?;
        let name = self.fresh(result);
        self.line(&format!("{ty} {name} = {value};"));
        Ok(())
    }

    fn op(&mut self, op: Op) -> Written {
        let ir = self.ir;
        match ir.name(op) {
            "func.return" | "scf.yield" | "scf.condition" => Ok(()),
            "scf.if" => self.branch(op),
            "scf.for" => self.counted(op),
            "scf.while" => self.conditional(op),
            "gpu.launch_func" => self.launch(op),
            "gpu.alloc" => {
                let bytes = self.allocation_bytes(op).ok_or_else(|| self.refuse(op))?;
                self.define(op, &format!("__gpuc_device_alloc(site, {bytes})"))
            }
            "offload.tickets" => self.define(op, "__gpuc_tickets(site)"),
            ResidentGridOp::NAME => self.resident_grid(op),
            "gpu.dealloc" => {
                let buffer = ir.operand(op, ir.operand_count(op) - 1);
                let buffer = self.name(buffer);
                self.line(&format!("__gpuc_device_free(site, {buffer});"));
                Ok(())
            }
            "offload.disjoint" => {
                let operands = [ir.operand(op, 0), ir.operand(op, 1)];
                let [first, second] = operands.map(|value| self.data_item(value));
                let (Some(first), Some(second)) = (first, second) else {
                    return Err(self.refuse(op));
                };
                self.define(op, &format!("__gpuc_disjoint(site, data + {first}, data + {second})"))
            }
            "offload.aligned" => {
                let bytes = ir.attr(op, "alignment").and_then(|attr| ir.ctx.i64_value(attr));
                let bytes = bytes.ok_or_else(|| self.refuse(op))?;
                let buffer = self.name(ir.operand(op, 0));
                self.define(op, &format!("((unsigned long){buffer} % {bytes}UL == 0UL)"))
            }
            "offload.fetch" => self.fetch(op),
            "offload.launch_size" => {
                let view = LaunchSizeOp(op);
                let text = |attr: Option<Attr>| {
                    attr.and_then(|attr| ir.ctx.string_value(attr)).map(literal)
                };
                let clause = text(view.clause(ir)).ok_or_else(|| self.refuse(op))?;
                let variable =
                    text(view.variable(ir)).unwrap_or_else(|| "(const char *)0".to_owned());
                let value = self.name(view.value(ir));
                self.define(
                    op,
                    &format!("__gpuc_launch_size(site, {clause}, {variable}, (long){value})"),
                )
            }
            _ => self.compute(op),
        }
    }

    /// A computation: in place where it is used once, because variables cost the host compiler as
    /// much as the rest.
    fn compute(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let value = match ir.name(op) == ConstantOp::NAME {
            true => constant(ir, op),
            false => expression(ir, op, &|value| self.name(value)),
        };
        let value = value.ok_or_else(|| self.refuse(op))?;
        let result = ir.result(op, 0);
        let once = ir.has_one_use(result)
            && ir.users(result).all(|user| ir.parent_block(user) == ir.parent_block(op));
        if once || ir.is_unused(result) || ir.name(op) == ConstantOp::NAME {
            self.names.insert(result, value);
            return Ok(());
        }
        self.define(op, &value)
    }

    /// Reads an element of device memory.
    fn fetch(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let view = FetchOp(op);
        let result = ir.result(op, 0);
        let ty = self.ty(result, op)?;
        let buffer = self.name(view.memref(ir));
        let address = match view.indices(ir).first() {
            Some(&index) => format!("({ty} *){buffer} + {}", self.name(index)),
            None => buffer,
        };
        let name = self.fresh(result);
        self.line(&format!("{ty} {name};"));
        self.line(&format!("__gpuc_fetch(site, &{name}, {address}, sizeof {name});"));
        Ok(())
    }

    /// The number of the construct's data that a buffer is.
    fn data_item(&self, buffer: Value) -> Option<usize> {
        let ValueDef::Argument(_, index) = self.ir.value_def(buffer) else { return None };
        match self.arguments.get(index as usize)? {
            Argument::Data(item) => Some(*item),
            Argument::Value(_) => None,
        }
    }

    fn allocation_bytes(&self, op: Op) -> Option<String> {
        let ir = self.ir;
        let ty = ir.ty(ir.result(op, 0));
        let mut bytes = format!("{}ul", element_bytes(&ir.ctx, ty)?);
        let mut sizes = ir.operands(op);
        for &extent in ir.ctx.shape(ty)? {
            let factor =
                if extent == DYNAMIC { self.name(sizes.next()?) } else { extent.to_string() };
            let _ = write!(bytes, " * (unsigned long)({factor})");
        }
        Some(bytes)
    }

    /// Declares variables for the results of a structured operation.
    fn results(&mut self, op: Op) -> Result<Vec<String>, Diagnostic> {
        let mut names = Vec::new();
        for &result in self.ir.results(op) {
            let ty = self.ty(result, op)?;
            let name = self.fresh(result);
            self.line(&format!("{ty} {name};"));
            names.push(name);
        }
        Ok(names)
    }

    /// Sets variables to what a terminator hands on behind its first `skipped` operands.
    fn assign(&mut self, names: &[String], block: Block, skipped: usize) -> Written {
        let Some(end) = self.ir.last_op(block) else { return Ok(()) };
        let handed: Vec<Value> = self.ir.operands(end).skip(skipped).collect();
        let mut values: Vec<String> = handed.iter().map(|&value| self.name(value)).collect();
        // What is handed on may be computed from what is assigned to.
        if names.len() > 1
            && values.iter().any(|value| names.iter().any(|name| mentions(value, name)))
        {
            for (text, &value) in values.iter_mut().zip(&handed) {
                let copy = format!("v{}", self.next);
                self.next += 1;
                let ty = self.ty(value, end)?;
                self.line(&format!("{ty} {copy} = {text};"));
                *text = copy;
            }
        }
        for (name, value) in names.iter().zip(values).filter(|(name, value)| *name != value) {
            self.line(&format!("{name} = {value};"));
        }
        Ok(())
    }

    fn branch(&mut self, op: Op) -> Written {
        let names = self.results(op)?;
        let view = scf::IfOp(op);
        let condition = self.name(view.condition(self.ir));
        self.line(&format!("if ({condition}) {{"));
        self.depth += 1;
        let then = view.then_block(self.ir);
        self.block(then)?;
        self.assign(&names, then, 0)?;
        self.depth -= 1;
        if let Some(otherwise) = view.else_block(self.ir) {
            self.line("} else {");
            self.depth += 1;
            self.block(otherwise)?;
            self.assign(&names, otherwise, 0)?;
            self.depth -= 1;
        }
        self.line("}");
        Ok(())
    }

    fn counted(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let view = scf::ForOp(op);
        let names = self.results(op)?;
        let inits: Vec<_> = view.initArgs(ir).iter().map(|&value| self.name(value)).collect();
        for (name, init) in names.iter().zip(inits) {
            self.line(&format!("{name} = {init};"));
        }
        for (&argument, name) in view.iter_args(ir).iter().zip(&names) {
            self.names.insert(argument, name.clone());
        }
        let induction = view.induction_var(ir);
        let ty = self.ty(induction, op)?;
        let lower = self.name(view.lowerBound(ir));
        // What every turn looks at is computed once.
        let mut each = Vec::new();
        for value in [view.upperBound(ir), view.step(ir)] {
            let mut text = self.name(value);
            if text.contains(|c: char| !c.is_ascii_alphanumeric()) {
                let name = format!("v{}", self.next);
                self.next += 1;
                self.line(&format!("{ty} {name} = {text};"));
                text = name;
            }
            each.push(text);
        }
        let (upper, step) = (&each[0], &each[1]);
        let i = self.fresh(induction);
        // C89 has no declaration in a `for`.
        self.line(&format!("{ty} {i};"));
        self.line(&format!("for ({i} = {lower}; {i} < {upper}; {i} += {step}) {{"));
        self.depth += 1;
        let body = view.body(ir);
        self.block(body)?;
        self.assign(&names, body, 0)?;
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// `scf.while`: what the first half hands on is in variables of its own.
    fn conditional(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let view = scf::WhileOp(op);
        let (before, after) = (ir.body(op, 0), ir.body(op, 1));
        let handed = self.results(op)?;
        let mut carried = Vec::new();
        for (&argument, init) in ir.arguments(before).iter().zip(view.inits(ir)) {
            let (ty, init) = (self.ty(argument, op)?, self.name(init));
            let name = self.fresh(argument);
            self.line(&format!("{ty} {name} = {init};"));
            carried.push(name);
        }
        for (&argument, name) in ir.arguments(after).iter().zip(&handed) {
            self.names.insert(argument, name.clone());
        }
        self.line("for (;;) {");
        self.depth += 1;
        self.block(before)?;
        self.assign(&handed, before, 1)?;
        let condition = self.name(view.condition_op(ir).condition(ir));
        self.line(&format!("if (!{condition}) break;"));
        self.block(after)?;
        self.assign(&carried, after, 0)?;
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// A launch: parameters by value, with a letter for the type of each, from which the parameter block is
    /// made. A structure for each kernel would be most of what the host compiler has to do.
    fn launch(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let view = LaunchFuncOp(op);
        let kernel = self.kernel_name(op, view.kernel(ir))?;
        let grid = [view.gridSizeX(ir), view.gridSizeY(ir), view.gridSizeZ(ir)];
        let block = [view.blockSizeX(ir), view.blockSizeY(ir), view.blockSizeZ(ir)];
        let shared = view.dynamicSharedMemorySize(ir);
        let (mut shape, mut sizes) = (String::new(), String::new());
        for size in grid.into_iter().chain(block).map(Some).chain([shared]) {
            self.size(size, &mut shape, &mut sizes);
        }
        let mut letters = String::new();
        let mut values = String::new();
        for value in view.kernelOperands(ir) {
            letters.push(match self.ty(value, op)? {
                _ if self.is_in_place && self.data_item(value).is_some() => 'D',
                "int" => 'i',
                "float" => 'f',
                "double" => 'd',
                "short" => 's',
                "signed char" | "_Bool" => 'c',
                "long" => 'l',
                _ => 'p',
            });
            let name = self.name(value);
            let _ = if letters.ends_with(['f', 'd']) {
                write!(values, ", ((union __gpuc_number){{ {name} }}).bits")
            } else {
                write!(values, ", (unsigned long)({name})")
            };
        }
        let is_resident =
            |value| ir.defining_op(value).is_some_and(|op| ResidentGridOp::is(ir, op));
        if view.kernelOperands(ir).iter().any(|&value| is_resident(value)) {
            shape.push('!');
        }
        if self.is_in_place {
            let arguments = Vec::new();
            let launch = OnlyLaunch { arguments, kernel, shape, sizes, letters, values };
            self.launched = Some(launch);
        } else {
            let words = words(&format!("{sizes}{values}"));
            self.line(&format!(
                "__gpuc_run_words(&__gpuc_image_0, site, {kernel}, \"{shape}{letters}\", {words});"
            ));
        }
        Ok(())
    }

    /// The name of a kernel, as C.
    fn kernel_name(&self, op: Op, symbol: Option<Attr>) -> Result<String, Diagnostic> {
        match symbol.map(|symbol| self.ir.ctx.attr_kind(symbol)) {
            Some(AttrKind::Symbol { root, nested }) => {
                let name = nested.last().unwrap_or(root);
                Ok(literal(self.ir.ctx.str(*name)))
            }
            _ => Err(self.refuse(op)),
        }
    }

    /// Asks for a grid whose blocks wait for each other.
    fn resident_grid(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let view = ResidentGridOp(op);
        let kernel = self.kernel_name(op, view.kernel(ir))?;
        let number = |attr: Option<Attr>| attr.and_then(|attr| ir.ctx.i64_value(attr));
        let (Some(threads), Some(most)) = (number(view.threads(ir)), number(view.most(ir))) else {
            return Err(self.refuse(op));
        };
        let blocks = self.fresh(view.blocks(ir));
        self.line(&format!("long {blocks};"));
        let image = "&__gpuc_image_0";
        let ask =
            format!("__gpuc_resident_grid({image}, site, {kernel}, {threads}, {most}, &{blocks})");
        self.define(op, &ask)
    }

    /// Adds a size of a launch to the layout, and to the words unless it is a number there. The division that makes
    /// blocks of a count is the runtime's where nobody else looks at what comes out.
    fn size(&self, size: Option<Value>, shape: &mut String, words: &mut String) {
        let ir = self.ir;
        let number = match size {
            Some(size) => constant_int_value(ir, size),
            None => Some(0),
        };
        if let Some(number) = number.filter(|&number| number >= 0) {
            let _ = write!(shape, "{number},");
            return;
        }
        let Some(size) = size else { return };
        let parts = ir.defining_op(size).filter(|_| ir.has_one_use(size));
        let (word, divisor) = match parts.and_then(|division| count_in_parts(ir, division)) {
            Some((count, part)) => (count, format!("/{part}")),
            None => (size, String::new()),
        };
        let _ = write!(shape, "l{divisor},");
        let _ = write!(words, ", (unsigned long){}", self.name(word));
    }
}

/// The words of a launch as an array, from a list with a comma in front of each: where they stand, they cost the host
/// compiler less than a function with a variable number of arguments.
pub(super) fn words(list: &str) -> String {
    match list.strip_prefix(", ") {
        Some(list) => format!("(const unsigned long[]){{ {list} }}"),
        None => "(const unsigned long *)0".to_owned(),
    }
}

/// Whether a name stands in an expression.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}
