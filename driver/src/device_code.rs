//! Device code as input: IR in MLIR's text or bytecode at any level, and PTX.
//!
//! IR goes the rest of the way that C goes ([`pipelines::STEPS`]). PTX is read as the simulator reads it, which says
//! what is wrong with it. What is linked is a C text with the PTX inside and a function for each kernel that launches
//! it: `docs/device-code.md`.

use std::fmt::Write;
use std::path::Path;

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::gpu::GPUModuleOp;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::ptx::PtxModuleOp;
use gpuc_frontend_c::host::{Code, image, literal, runtime_declarations};
use gpuc_ir::pass::PassManager;
use gpuc_ir::text::{PrintOptions, parse_module_at, print_op};
use gpuc_ir::verify::verify;
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use crate::cc::Arguments;
use crate::compile::{Failure, Level};
use crate::feedback;
use crate::opt::instruments::IrPrinter;
use crate::pipelines::{self, Action};
use crate::{devmath, feedback::info};

/// Whether a file's name says that it is device code.
pub fn is_device_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        extension == "mlir" || extension == "mlirbc" || is_ptx_extension(extension)
    })
}

fn is_ptx_extension(extension: &std::ffi::OsStr) -> bool {
    extension == "ptx"
}

/// The text of a level.
pub fn emit(source: &Path, arguments: &Arguments, level: Level) -> Result<String, Failure> {
    let is_ptx = source.extension().is_some_and(is_ptx_extension);
    let name = source.to_string_lossy();
    match level {
        Level::Ptx => Ok(ptx(source, arguments)?),
        Level::HostC => Ok(host_c(&name, &ptx(source, arguments)?)?),
        Level::Source | Level::Affine | Level::Gpu | Level::PtxIr if !is_ptx => {
            let (ir, module) = module(source, arguments, Some(level))?;
            let mut text = String::new();
            let options =
                PrintOptions { locations: arguments.print_locations, ..PrintOptions::default() };
            // A string takes all that is written to it.
            let _ = print_op(&ir, module, options, &mut text);
            Ok(text)
        }
        _ => {
            let known = if is_ptx { "ptx and host-c" } else { "source to ptx, and host-c" };
            let error = Diagnostic::error(format!("`{name}` has no such level"));
            Err(error
                .code(codes::BAD_OPTION)
                .help(format!("of device code there are {known}"))
                .into())
        }
    }
}

/// The C text that stands for device code in the host compiler's command.
pub fn compile(source: &Path, arguments: &Arguments) -> Result<String, Failure> {
    emit(source, arguments, Level::HostC)
}

fn read(source: &Path) -> Result<Vec<u8>, Diagnostic> {
    std::fs::read(source).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", source.display());
        Diagnostic::error(message).code(codes::MISSING_FILE)
    })
}

fn text(source: &Path, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    String::from_utf8(bytes)
        .map_err(|_| Diagnostic::error(format!("`{}` is not text in UTF-8", source.display())))
}

/// The PTX text of a file.
fn ptx(source: &Path, arguments: &Arguments) -> Result<String, Failure> {
    if source.extension().is_some_and(is_ptx_extension) {
        let text = text(source, read(source)?)?;
        gpuc_sim::Module::parse(&text, &source.to_string_lossy())?;
        return Ok(text);
    }
    let (ir, module) = module(source, arguments, None)?;
    let kernels = ir.ops(ir.body(module, 0)).find(|&op| PtxModuleOp::is(&ir, op));
    let kernels = kernels.ok_or_else(|| {
        let error = Diagnostic::error(format!("`{}` has no kernels", source.display()));
        error.code(codes::EMPTY_REGION).help(
            "kernels are `gpu.func`s with the attribute `kernel` in a `gpu.module`, or made of an `offload.region`",
        )
    })?;
    Ok(gpuc_backend_ptx::print(&ir, kernels, true))
}

/// The module of a file, behind the steps that it has not come through yet up to a level, or all.
fn module(source: &Path, arguments: &Arguments, level: Option<Level>) -> Result<(Ir, Op), Failure> {
    let contents = read(source)?;
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let name = source.to_string_lossy();
    let module = if gpuc_bytecode::is_bytecode(&contents) {
        gpuc_bytecode::read(&mut ir, &contents, &name, true)?
    } else {
        parse_module_at(&mut ir, &text(source, contents)?, &name, 1)?
    };
    verify(&mut ir, module)?;
    let mut manager = PassManager::new();
    if arguments.print_after_all {
        manager.instruments.push(Box::new(IrPrinter::after_all()));
    }
    let registry = pipelines::registry();
    let arch = arguments.lowest_arch()?;
    let at = level_of(&ir, module);
    let position = |level| pipelines::STEPS.iter().position(|step| step.reaches == Some(level));
    let first = position(at).map_or(0, |position| position + 1);
    if level.and_then(position).is_some_and(|wanted| wanted + 1 < first) {
        let text = format!("`{name}` is at level {} already", Level::NAMES[at as usize]);
        return Err(Diagnostic::error(text).code(codes::BAD_OPTION).into());
    }
    for (number, step) in pipelines::STEPS.iter().enumerate() {
        if number >= first && level.is_none_or(|level| Some(number) <= position(level)) {
            match step.action {
                Action::Run(stage) => {
                    let anchor = ir.name(module);
                    let pipeline = pipelines::pipeline(stage, anchor, arch, &registry);
                    let mut pipeline = pipeline
                        .map_err(|error| Diagnostic::error(format!("{}: {error}", stage.name)))?;
                    manager
                        .run(&mut ir, module, &mut pipeline)
                        .map_err(|failure| failure.errors)?;
                }
                Action::LinkDeviceMath => {
                    let body = ir.body(module, 0);
                    let kernels = ir.ops(body).find(|&op| GPUModuleOp::is(&ir, op));
                    if let Some(kernels) = kernels {
                        devmath::link(&mut ir, kernels, arch)?;
                    }
                }
            }
        }
    }
    let said = &manager.diagnostics;
    if feedback::print(said, &gpuc_diagnostics::Sources::new(), arguments.remarks) > 0 {
        return Err(Failure::default());
    }
    if arguments.remarks.wants_remarks() && !feedback::document::is_wanted() {
        let wanted: Vec<Diagnostic> =
            said.iter().filter(|remark| arguments.remarks.wants_remark(remark)).cloned().collect();
        let heading = |_: &Diagnostic| info::Heading { rank: 0, name: name.clone().into_owned() };
        eprint!("{}", info::print(&wanted, heading));
    }
    Ok((ir, module))
}

/// The level that a module is at: that of what stands lowest in it.
fn level_of(ir: &Ir, module: Op) -> Level {
    let ops = ir.nested_ops(module, WalkOrder::PreOrder);
    let has = |is: &dyn Fn(Op) -> bool| ops.iter().any(|&op| is(op));
    if has(&|op| RegionOp::is(ir, op)) {
        // The steps above leave alone what is at their level.
        return Level::Tokens;
    }
    if has(&|op| PtxModuleOp::is(ir, op)) {
        return Level::PtxIr;
    }
    if has(&|op| GPUModuleOp::is(ir, op)) {
        return Level::Gpu;
    }
    Level::Tokens
}

/// A kernel's parameter as a parameter of the C function that launches it.
struct Parameter {
    /// Its type in C; a pointer to its bytes where it has more of them than a number.
    ty: &'static str,
    offset: usize,
    size: usize,
    is_bytes: bool,
}

/// C's type for a type of PTX.
fn c_type(name: &str) -> Option<&'static str> {
    Some(match name {
        ".u8" | ".b8" => "unsigned char",
        ".s8" => "signed char",
        ".u16" | ".b16" | ".f16" => "unsigned short",
        ".s16" => "short",
        ".u32" | ".b32" => "unsigned",
        ".s32" => "int",
        ".f32" => "float",
        ".f64" => "double",
        ".s64" => "long",
        // An address, most often.
        ".u64" | ".b64" => "const void *",
        _ => return None,
    })
}

/// A text of PTX with blanks in the place of its comments.
fn without_comments(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(at);
        out += before;
        let end = match comment.starts_with("//") {
            true => comment.find('\n').unwrap_or(comment.len()),
            false => comment[2..].find("*/").map_or(comment.len(), |end| end + 4),
        };
        out.extend(comment[..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &comment[end..];
    }
    out + rest
}

/// Where a kernel's entry stands in a text.
fn entry(ptx: &str, kernel: &str) -> Option<usize> {
    ptx.match_indices(".entry").map(|(at, _)| at).find(|at| {
        let rest = ptx[*at + ".entry".len()..].trim_start();
        rest.strip_prefix(kernel).is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        })
    })
}

/// The types of a kernel's parameters, by their names, from its head.
fn types<'a>(ptx: &'a str, kernel: &str) -> Vec<(&'a str, &'a str)> {
    let head = entry(ptx, kernel).map_or("", |at| &ptx[at..]);
    let head = head.split_once('{').map_or(head, |(head, _)| head);
    let mut found = Vec::new();
    for declaration in head.split(".param").skip(1) {
        let words = declaration.split(|c: char| c.is_whitespace() || ",()[]".contains(c));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let ty = words.iter().find(|word| c_type(word).is_some());
        let name =
            words.iter().find(|word| !word.starts_with(['.']) && word.parse::<u64>().is_err());
        if let (Some(ty), Some(name)) = (ty, name) {
            found.push((*name, *ty));
        }
    }
    found
}

/// The parameters of a kernel.
fn parameters(ptx: &str, kernel: &gpuc_sim::Kernel) -> Vec<Parameter> {
    let types = types(ptx, kernel.name());
    let of = |param: &gpuc_sim::Param| {
        let ty = types.iter().find(|(name, _)| *name == &*param.name);
        let ty = ty.and_then(|(_, ty)| c_type(ty));
        let width = |ty: &str| match ty {
            "unsigned char" | "signed char" => 1,
            "unsigned short" | "short" => 2,
            "unsigned" | "int" | "float" => 4,
            _ => 8,
        };
        let plain = ty.filter(|ty| width(ty) == param.size);
        Parameter {
            ty: plain.unwrap_or("const void *"),
            offset: param.offset,
            size: param.size,
            is_bytes: plain.is_none(),
        }
    };
    kernel.params().iter().map(of).collect()
}

/// A text as what an image has for one architecture.
fn code(ptx: &str) -> Code {
    let target = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"));
    let arch = target.and_then(|words| words.split([',', ' ', '\t']).find(|word| !word.is_empty()));
    Code { arch: arch.unwrap_or("?").trim().to_owned(), ptx: ptx.to_owned(), kernels: Vec::new() }
}

/// The C text with the PTX inside, and a function for each kernel.
fn host_c(file: &str, ptx: &str) -> Result<String, Failure> {
    let module = gpuc_sim::Module::parse(ptx, file)?;
    let plain = without_comments(ptx);
    let mut text = runtime_declarations() + &image(file, &[code(ptx)]);
    for kernel in module.kernels() {
        if let Some(refused) = kernel.refusals().first() {
            return Err(refused.clone().into());
        }
        let name = kernel.name();
        let is_name = |name: &str| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
        };
        if !is_name(name) {
            let error =
                Diagnostic::error(format!("the kernel `{name}` of `{file}` has no name in C"));
            return Err(error
                .code(codes::BAD_OPTION)
                .help("rename it: letters, digits and `_`")
                .into());
        }
        let parameters = parameters(&plain, kernel);
        let line = plain[..entry(&plain, name).unwrap_or(0)].matches('\n').count() + 1;
        let _ = write!(
            text,
            "void {name}(const unsigned long __gpuc_grid[3], const unsigned long __gpuc_block[3], unsigned long __gpuc_shared"
        );
        for (i, parameter) in parameters.iter().enumerate() {
            let _ = write!(text, ", {} __gpuc_a{i}", parameter.ty);
        }
        let _ = write!(
            text,
            ") {{ static const struct __gpuc_site site = {{ {}, {}, {line}u, \"kernel\" }}; unsigned char __gpuc_p[{}] = {{ 0 }}; ",
            literal(file),
            literal(name),
            kernel.param_bytes().max(1)
        );
        for (i, Parameter { offset, size, is_bytes, .. }) in parameters.iter().enumerate() {
            let address = if *is_bytes { "" } else { "&" };
            let _ = write!(
                text,
                "__builtin_memcpy(__gpuc_p + {offset}, {address}__gpuc_a{i}, {size}); "
            );
        }
        let _ = writeln!(
            text,
            "__gpuc_launch(&__gpuc_image_0, &site, {}, __gpuc_grid, __gpuc_block, __gpuc_shared, __gpuc_p, {}); __gpuc_region_end(&site); }}",
            literal(name),
            kernel.param_bytes()
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_types_of_c() {
        let ptx = "// .visible .entry a(.param .f64 n)\n.version 7.0\n/* .entry a( */\n.target sm_75\n.address_size 64\n\
            .visible .entry ab(.param .u32 n) { ret; }\n\
            .visible .entry a(\n .param .s32 n, .param .f32 x,\n .param .u64 .ptr .global .align 4 p,\n\
             .param .align 8 .b8 r[24], .param .f64 y\n)\n.maxntid 64\n{ ret; }\n";
        let text = host_c("k.ptx", ptx).unwrap_or_else(|_| panic!("it is PTX"));
        assert!(text.contains(
            "void a(const unsigned long __gpuc_grid[3], const unsigned long __gpuc_block[3], unsigned long \
             __gpuc_shared, int __gpuc_a0, float __gpuc_a1, const void * __gpuc_a2, const void * __gpuc_a3, double \
             __gpuc_a4)"
        ), "{text}");
        assert!(text.contains("__builtin_memcpy(__gpuc_p + 16, __gpuc_a3, 24);"), "{text}");
        assert!(text.contains("__builtin_memcpy(__gpuc_p + 40, &__gpuc_a4, 8);"), "{text}");
        assert!(host_c("k.ptx", "rubbish").is_err());
    }
}
