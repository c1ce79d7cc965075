//! Functions of the gpu level that run on the host, as C.

use std::fmt::Write;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith::{CmpFPredicate, CmpIPredicate, ConstantOp};
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::gpu::LaunchFuncOp;
use gpuc_dialects::memref::element_bytes;
use gpuc_dialects::offload::LaunchSizeOp;
use gpuc_dialects::scf;
use gpuc_ir::{AttrKind, Block, DYNAMIC, Ir, Op, OpView, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

use super::literal;
use crate::lower::Argument;

/// The name of a construct's function in the host program.
pub(super) fn c_name(symbol: &str) -> String {
    format!("__gpuc_call_{symbol}")
}

/// A type in C; `None` for those that the host does not know.
fn c_type(ir: &Ir, ty: Type) -> Option<&'static str> {
    if ir.ctx.is_memref(ty) {
        return Some("void *");
    }
    if ir.ctx.is_index(ty) {
        return Some("long");
    }
    if let Some(kind) = ir.ctx.float_kind(ty) {
        return match kind.width() {
            32 => Some("float"),
            64 => Some("double"),
            _ => None,
        };
    }
    Some(match ir.ctx.int_width(ty)? {
        1 => "_Bool",
        8 => "signed char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => return None,
    })
}

/// The types and declarations of a function's parameters, those of the place and of the construct's
/// data first.
pub(super) fn parameters(ir: &Ir, function: FuncOp) -> (Vec<String>, Vec<String>) {
    let arguments = match ir.entry_block(ir.region(function.op(), 0)) {
        Some(block) => ir.arguments(block),
        None => &[],
    };
    let first = [("const struct __gpuc_site *", "site"), ("const struct __gpuc_data *", "data")];
    let mut types = first.map(|(ty, _)| ty.to_owned()).to_vec();
    let mut declarations = first.map(|(ty, name)| format!("{ty}{name}")).to_vec();
    for (i, &argument) in arguments.iter().enumerate() {
        let ty = c_type(ir, ir.ty(argument)).unwrap_or("long");
        types.push(ty.to_owned());
        declarations.push(format!("{ty} a{i}"));
    }
    (types, declarations)
}

/// A function of the gpu level as a static C function. `arguments` say which of its arguments are
/// which data of the construct.
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
    let (_, declarations) = parameters(ir, function);
    let mut writer = Writer {
        ir,
        arguments,
        names: FxHashMap::default(),
        out: String::new(),
        next: 0,
        depth: 1,
    };
    let _ = writeln!(writer.out, "static void {name}({})\n{{", declarations.join(", "));
    writer.line("(void)site;");
    writer.line("(void)data;");
    let block = ir.entry_block(ir.region(function.op(), 0));
    if let Some(block) = block {
        for (i, &argument) in ir.arguments(block).iter().enumerate() {
            writer.names.insert(argument, format!("a{i}"));
            writer.line(&format!("(void)a{i};"));
        }
        writer.block(block)?;
    }
    writer.out.push_str("}\n\n");
    Ok(writer.out)
}

struct Writer<'a> {
    ir: &'a Ir,
    arguments: &'a [Argument],
    names: FxHashMap<Value, String>,
    out: String,
    next: usize,
    depth: usize,
}

type Written = Result<(), Diagnostic>;

#[allow(clippy::result_large_err, reason = "made once a compilation")]
impl Writer<'_> {
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
        self.line(&format!("const {ty} {name} = {value};").replace("const void *", "void *const "));
        self.line(&format!("(void){name};"));
        Ok(())
    }

    fn op(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let name = ir.name(op);
        if name == ConstantOp::NAME {
            let value = self.constant(op).ok_or_else(|| self.refuse(op))?;
            let result = ir.result(op, 0);
            let ty = self.ty(result, op)?;
            // In place: a variable for each would cost the host compiler as much as the rest.
            self.names.insert(result, format!("(({ty}){value})"));
            return Ok(());
        }
        if name.starts_with("arith.") {
            let value = self.arithmetic(op).ok_or_else(|| self.refuse(op))?;
            return self.define(op, &value);
        }
        match name {
            "func.return" | "scf.yield" => Ok(()),
            "scf.if" => self.branch(op),
            "scf.for" => self.counted(op),
            "gpu.launch_func" => self.launch(op),
            "gpu.alloc" => {
                let bytes = self.allocation_bytes(op).ok_or_else(|| self.refuse(op))?;
                self.define(op, &format!("__gpuc_device_alloc(site, {bytes})"))
            }
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
            "offload.launch_size" => {
                let view = LaunchSizeOp(op);
                let text = |attr: Option<gpuc_ir::Attr>| {
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
            "memref.cast"
            | "memref.memory_space_cast"
            | "memref.collapse_shape"
            | "memref.expand_shape" => {
                let source = self.name(ir.operand(op, 0));
                self.define(op, &source)
            }
            "memref.view" => {
                let (source, shift) = (self.name(ir.operand(op, 0)), self.name(ir.operand(op, 1)));
                self.define(op, &format!("(char *){source} + {shift}"))
            }
            "memref.reinterpret_cast" => {
                let value = self.reinterpretation(op).ok_or_else(|| self.refuse(op))?;
                self.define(op, &value)
            }
            _ => Err(self.refuse(op)),
        }
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

    fn reinterpretation(&self, op: Op) -> Option<String> {
        let ir = self.ir;
        let source = self.name(ir.operand(op, 0));
        let offsets = ir.ctx.dense_array(ir.attr(op, "static_offsets")?)?;
        let offset = match offsets.first() {
            None | Some(0) => return Some(source),
            Some(&DYNAMIC) => self.name(ir.operand(op, 1)),
            Some(offset) => offset.to_string(),
        };
        let bytes = element_bytes(&ir.ctx, ir.ty(ir.operand(op, 0)))?;
        Some(format!("(char *){source} + {offset} * {bytes}l"))
    }

    fn arithmetic(&self, op: Op) -> Option<String> {
        let ir = self.ir;
        let operand = |i: usize| self.name(ir.operand(op, i));
        let ty = |i: usize| c_type(ir, ir.ty(ir.operand(op, i)));
        let result = c_type(ir, ir.ty(ir.result(op, 0)))?;
        let unsigned = |ty: &str| match ty {
            "long" => "unsigned long",
            "int" => "unsigned",
            "short" => "unsigned short",
            "signed char" => "unsigned char",
            _ => "_Bool",
        };
        // Wraps around, which C promises for unsigned types only.
        let wrapping = |sign: &str| {
            let u = unsigned(result);
            Some(format!("({result})(({u}){} {sign} ({u}){})", operand(0), operand(1)))
        };
        let signed = |sign: &str| Some(format!("({result})({} {sign} {})", operand(0), operand(1)));
        let pick = |sign: &str, cast: &str| {
            let (a, b) = (operand(0), operand(1));
            Some(format!("{cast}{a} {sign} {cast}{b} ? {a} : {b}"))
        };
        let u = format!("({})", unsigned(result));
        let (a, b) = (|| operand(0), || operand(1));
        match ir.name(op).strip_prefix("arith.")? {
            "addi" => wrapping("+"),
            "subi" => wrapping("-"),
            "muli" => wrapping("*"),
            "shli" => wrapping("<<"),
            "divui" => wrapping("/"),
            "remui" => wrapping("%"),
            "shrui" => wrapping(">>"),
            "divsi" | "divf" => signed("/"),
            "remsi" => signed("%"),
            "andi" => signed("&"),
            "ori" => signed("|"),
            "xori" => signed("^"),
            "shrsi" => signed(">>"),
            "addf" => signed("+"),
            "subf" => signed("-"),
            "mulf" => signed("*"),
            "negf" => Some(format!("-{}", a())),
            "minsi" => pick("<", ""),
            "maxsi" => pick(">", ""),
            "minui" => pick("<", &u),
            "maxui" => pick(">", &u),
            "ceildivsi" => {
                let (x, y) = (a(), b());
                Some(format!("{x} / {y} + (({x} % {y} != 0) && (({x} < 0) == ({y} < 0)))"))
            }
            "floordivsi" => {
                let (x, y) = (a(), b());
                Some(format!("{x} / {y} - (({x} % {y} != 0) && (({x} < 0) != ({y} < 0)))"))
            }
            "ceildivui" => {
                let (x, y) = (format!("{u}{}", a()), format!("{u}{}", b()));
                Some(format!("({result})({x} / {y} + ({x} % {y} != 0))"))
            }
            "select" => Some(format!("{} ? {} : {}", a(), b(), operand(2))),
            "index_cast" | "extsi" | "trunci" | "sitofp" | "fptosi" | "extf" | "truncf" => {
                let from = ty(0)?;
                // The one bit of an `i1` is its sign.
                let sign =
                    if from == "_Bool" && !ir.name(op).ends_with("trunci") { "-" } else { "" };
                let low = if result == "_Bool" { " & 1" } else { "" };
                Some(format!("({result})({sign}{}{low})", a()))
            }
            "index_castui" | "extui" | "uitofp" => {
                let from = unsigned(ty(0)?);
                Some(format!("({result})({from}){}", a()))
            }
            "cmpi" => {
                let predicate = CmpIPredicate::of(ir, op)?;
                let u = unsigned(ty(0)?);
                use CmpIPredicate::*;
                let (sign, cast) = match predicate {
                    Eq => ("==", String::new()),
                    Ne => ("!=", String::new()),
                    Slt => ("<", String::new()),
                    Sle => ("<=", String::new()),
                    Sgt => (">", String::new()),
                    Sge => (">=", String::new()),
                    Ult => ("<", format!("({u})")),
                    Ule => ("<=", format!("({u})")),
                    Ugt => (">", format!("({u})")),
                    Uge => (">=", format!("({u})")),
                };
                Some(format!("{cast}{} {sign} {cast}{}", a(), b()))
            }
            "cmpf" => {
                let sign = match CmpFPredicate::of(ir, op)? {
                    CmpFPredicate::Oeq => "==",
                    CmpFPredicate::Ogt => ">",
                    CmpFPredicate::Oge => ">=",
                    CmpFPredicate::Olt => "<",
                    CmpFPredicate::Ole => "<=",
                    CmpFPredicate::Une => "!=",
                    _ => return None,
                };
                Some(format!("{} {sign} {}", a(), b()))
            }
            _ => None,
        }
    }

    fn constant(&self, op: Op) -> Option<String> {
        match *self.ir.ctx.attr_kind(self.ir.attr(op, "value")?) {
            AttrKind::Integer { value, .. } if value == i64::MIN.into() => {
                Some("(-0x7fffffffffffffffl - 1)".to_owned())
            }
            AttrKind::Integer { value, .. } => Some(format!("{value}l")),
            AttrKind::Float { bits, .. } => {
                let value = f64::from_bits(bits);
                Some(match (value.is_nan(), value.is_infinite()) {
                    (true, _) => "__builtin_nan(\"\")".to_owned(),
                    (_, true) if value > 0.0 => "__builtin_inf()".to_owned(),
                    (_, true) => "-__builtin_inf()".to_owned(),
                    _ => format!("{value:e}"),
                })
            }
            _ => None,
        }
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

    fn assign(&mut self, names: &[String], block: Block) {
        let Some(end) = self.ir.last_op(block) else { return };
        let values: Vec<String> = self.ir.operands(end).map(|value| self.name(value)).collect();
        // What is yielded may be computed from what is assigned to.
        if values.iter().any(|value| names.contains(value)) {
            let copies: Vec<String> = values
                .iter()
                .map(|value| {
                    let copy = format!("v{}", self.next);
                    self.next += 1;
                    self.line(&format!("__auto_type {copy} = {value};"));
                    copy
                })
                .collect();
            for (name, copy) in names.iter().zip(copies) {
                self.line(&format!("{name} = {copy};"));
            }
            return;
        }
        for (name, value) in names.iter().zip(values) {
            self.line(&format!("{name} = {value};"));
        }
    }

    fn branch(&mut self, op: Op) -> Written {
        let names = self.results(op)?;
        let view = scf::IfOp(op);
        let condition = self.name(view.condition(self.ir));
        self.line(&format!("if ({condition}) {{"));
        self.depth += 1;
        let then = view.then_block(self.ir);
        self.block(then)?;
        self.assign(&names, then);
        self.depth -= 1;
        if let Some(otherwise) = view.else_block(self.ir) {
            self.line("} else {");
            self.depth += 1;
            self.block(otherwise)?;
            self.assign(&names, otherwise);
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
        let [lower, upper, step] =
            [view.lowerBound(ir), view.upperBound(ir), view.step(ir)].map(|value| self.name(value));
        let induction = view.induction_var(ir);
        let ty = self.ty(induction, op)?;
        let i = self.fresh(induction);
        // C89 has no declaration in a `for`.
        self.line(&format!("{ty} {i};"));
        self.line(&format!("for ({i} = {lower}; {i} < {upper}; {i} += {step}) {{"));
        self.depth += 1;
        let body = view.body(ir);
        self.block(body)?;
        self.assign(&names, body);
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// A launch: the parameter block is a structure, whose members C aligns as PTX does.
    fn launch(&mut self, op: Op) -> Written {
        let ir = self.ir;
        let view = LaunchFuncOp(op);
        let kernel = view.kernel(ir).ok_or_else(|| self.refuse(op))?;
        let kernel = match ir.ctx.attr_kind(kernel) {
            AttrKind::Symbol { root, nested } => {
                ir.ctx.str(*nested.last().unwrap_or(root)).to_owned()
            }
            _ => return Err(self.refuse(op)),
        };
        let list = |values: [Value; 3]| values.map(|value| self.name(value)).join(", ");
        let grid = list([view.gridSizeX(ir), view.gridSizeY(ir), view.gridSizeZ(ir)]);
        let block = list([view.blockSizeX(ir), view.blockSizeY(ir), view.blockSizeZ(ir)]);
        let shared = view
            .dynamicSharedMemorySize(ir)
            .map_or_else(|| "0".to_owned(), |value| self.name(value));
        let mut members = String::new();
        let mut values = Vec::new();
        for (i, &value) in view.kernelOperands(ir).iter().enumerate() {
            let ty = self.ty(value, op)?;
            let align = super::prologue::aligned(ty);
            let _ = write!(members, "{ty} p{i}{align}; ");
            values.push(self.name(value));
        }
        self.line("{");
        self.depth += 1;
        let (pointer, size) = if values.is_empty() {
            ("(const void *)0", "0ul")
        } else {
            let text =
                format!("const struct {{ {members}}} parameters = {{ {} }};", values.join(", "));
            self.line(&text);
            ("&parameters", "sizeof parameters")
        };
        self.line(&format!(
            "const unsigned long grid[3] = {{ {grid} }}, block[3] = {{ {block} }};"
        ));
        self.line(&format!(
            "__gpuc_launch(&__gpuc_image_0, site, {}, grid, block, (unsigned long){shared}, {pointer}, {size});",
            literal(&kernel)
        ));
        self.depth -= 1;
        self.line("}");
        Ok(())
    }
}
