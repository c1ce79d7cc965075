//! Device math: the C library in `devmath/`, carried inside the compiler and compiled by it.
//!
//! Instructions exist for few functions of `math.h`. For all others the library has a C function;
//! those that kernels use are read, lowered, put beside the kernels and inlined.

use std::fmt::Write;
use std::path::Path;

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func;
use gpuc_frontend_c::lower;
use gpuc_frontend_c::preprocess;
use gpuc_frontend_c::{Families, read};
use gpuc_ir::pass::PassManager;
use gpuc_ir::{Builder, FloatKind, Ir, Op, OpView, WalkOrder};

use crate::pipelines;
use crate::temporary::Folder;
use crate::toolchain::HostCompiler;

/// The library's files, by the path that they include each other with.
const FILES: &[(&str, &str)] = &[
    ("devmath.h", include_str!("../../devmath/devmath.h")),
    ("src/coefficients.h", include_str!("../../devmath/src/coefficients.h")),
    ("src/exp_tail.h", include_str!("../../devmath/src/exp_tail.h")),
    ("src/scale.h", include_str!("../../devmath/src/scale.h")),
    ("src/bessel.c", include_str!("../../devmath/src/bessel.c")),
    ("src/erf.c", include_str!("../../devmath/src/erf.c")),
    ("src/erfc.c", include_str!("../../devmath/src/erfc.c")),
    ("src/exp.c", include_str!("../../devmath/src/exp.c")),
    ("src/exponent.c", include_str!("../../devmath/src/exponent.c")),
    ("src/fmod.c", include_str!("../../devmath/src/fmod.c")),
    ("src/gamma.c", include_str!("../../devmath/src/gamma.c")),
    ("src/hyperbolic.c", include_str!("../../devmath/src/hyperbolic.c")),
    ("src/inverse_hyperbolic.c", include_str!("../../devmath/src/inverse_hyperbolic.c")),
    ("src/inverse_trig.c", include_str!("../../devmath/src/inverse_trig.c")),
    ("src/log.c", include_str!("../../devmath/src/log.c")),
    ("src/pow.c", include_str!("../../devmath/src/pow.c")),
    ("src/remainder.c", include_str!("../../devmath/src/remainder.c")),
    ("src/root.c", include_str!("../../devmath/src/root.c")),
    ("src/rounding.c", include_str!("../../devmath/src/rounding.c")),
    ("src/trig.c", include_str!("../../devmath/src/trig.c")),
    ("src/trigf.c", include_str!("../../devmath/src/trigf.c")),
];

/// Operations that become calls, the C name of the function, and the file that holds it (its
/// single-precision form in the second, where that is another).
const FUNCTIONS: &[(&str, &str, &str, &str)] = &[
    ("arith.remf", "fmod", "fmod.c", "fmod.c"),
    ("math.cbrt", "cbrt", "root.c", "root.c"),
    ("math.rsqrt", "rsqrt", "root.c", "root.c"),
    ("math.exp", "exp", "exp.c", "exp.c"),
    ("math.exp2", "exp2", "exp.c", "exp.c"),
    ("math.expm1", "expm1", "exp.c", "exp.c"),
    ("math.log", "log", "log.c", "log.c"),
    ("math.log2", "log2", "log.c", "log.c"),
    ("math.log10", "log10", "log.c", "log.c"),
    ("math.log1p", "log1p", "log.c", "log.c"),
    ("math.powf", "pow", "pow.c", "pow.c"),
    ("math.sin", "sin", "trig.c", "trigf.c"),
    ("math.cos", "cos", "trig.c", "trigf.c"),
    ("math.tan", "tan", "trig.c", "trigf.c"),
    ("math.tanh", "tanh", "hyperbolic.c", "hyperbolic.c"),
    ("math.sinh", "sinh", "hyperbolic.c", "hyperbolic.c"),
    ("math.cosh", "cosh", "hyperbolic.c", "hyperbolic.c"),
    ("math.asin", "asin", "inverse_trig.c", "inverse_trig.c"),
    ("math.acos", "acos", "inverse_trig.c", "inverse_trig.c"),
    ("math.atan", "atan", "inverse_trig.c", "inverse_trig.c"),
    ("math.atan2", "atan2", "inverse_trig.c", "inverse_trig.c"),
    ("math.erf", "erf", "erf.c", "erf.c"),
    ("math.round", "round", "rounding.c", "rounding.c"),
    ("math.asinh", "asinh", "inverse_hyperbolic.c", "inverse_hyperbolic.c"),
    ("math.acosh", "acosh", "inverse_hyperbolic.c", "inverse_hyperbolic.c"),
    ("math.atanh", "atanh", "inverse_hyperbolic.c", "inverse_hyperbolic.c"),
];

/// Files that call functions of others, and those.
const CALLS: &[(&str, &[&str])] = &[
    ("bessel.c", &["log.c", "trig.c"]),
    ("erfc.c", &["erf.c", "exp.c"]),
    ("gamma.c", &["exp.c", "log.c", "pow.c", "trig.c"]),
    ("inverse_hyperbolic.c", &["log.c"]),
    ("remainder.c", &["fmod.c"]),
];

/// Functions that are called by their names, and the files that hold them.
const CALLED: &[(&str, &str)] = &[
    ("erfc", "erfc.c"),
    ("frexp", "exponent.c"),
    ("frexp_exponent", "exponent.c"),
    ("ilogb", "exponent.c"),
    ("j0", "bessel.c"),
    ("j1", "bessel.c"),
    ("jn", "bessel.c"),
    ("ldexp", "exponent.c"),
    ("lgamma", "gamma.c"),
    ("lgamma_sign", "gamma.c"),
    ("logb", "exponent.c"),
    ("modf", "exponent.c"),
    ("nextafter", "exponent.c"),
    ("remainder", "remainder.c"),
    ("remquo_quotient", "remainder.c"),
    ("tgamma", "gamma.c"),
    ("y0", "bessel.c"),
    ("y1", "bessel.c"),
    ("yn", "bessel.c"),
];

/// The prefix of the library's functions.
const PREFIX: &str = "__gpuc_";

/// Replaces operations that need the library, and calls of it, by the library's code, in every
/// kernel of a `gpu.module`.
pub fn link(ir: &mut Ir, kernels: Op, arch: &Arch) -> Result<(), Vec<Diagnostic>> {
    let mut wanted = Vec::new();
    for op in ir.nested_ops(kernels, WalkOrder::PreOrder) {
        if let Some(call) = func::CallOp::cast(ir, op) {
            let callee = call.callee(ir).and_then(|attr| ir.ctx.symbol_root(attr));
            let name = callee.map(|name| ir.ctx.str(name).to_owned()).unwrap_or_default();
            if name.starts_with(PREFIX) {
                want(&mut wanted, name);
            }
        } else if let Some(name) = function_of(ir, op)? {
            call_instead(ir, op, &name);
            want(&mut wanted, name);
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    add_functions(ir, kernels, &wanted)?;
    let registry = pipelines::registry();
    let mut pipeline = pipelines::pipeline(pipelines::SOURCE, "gpu.module", arch, &registry)
        .map_err(|error| vec![Diagnostic::error(format!("pipeline of devmath: {error}"))])?;
    let mut manager = PassManager::new();
    manager.skip_verify = true;
    manager.run(ir, kernels, &mut pipeline).map_err(|failure| failure.errors)
}

fn want(wanted: &mut Vec<String>, name: String) {
    if !wanted.contains(&name) {
        wanted.push(name);
    }
}

/// The library's function for an operation; an error for types that the library does not have.
fn function_of(ir: &Ir, op: Op) -> Result<Option<String>, Vec<Diagnostic>> {
    let Some(&(_, name, _, _)) = FUNCTIONS.iter().find(|entry| entry.0 == ir.name(op)) else {
        return Ok(None);
    };
    let ty = ir.ty(ir.result(op, 0));
    match ir.ctx.float_kind(ty) {
        Some(FloatKind::F32) => Ok(Some(format!("{PREFIX}{name}f"))),
        Some(FloatKind::F64) => Ok(Some(format!("{PREFIX}{name}"))),
        _ => Err(vec![
            Diagnostic::error(format!(
                "{name} of type {} has no device code",
                ir.ctx.type_text(ty)
            ))
            .at_option(ir.ctx.place(ir.location(op)))
            .help("device math is in float and double"),
        ]),
    }
}

fn call_instead(ir: &mut Ir, op: Op, name: &str) {
    let symbol = ir.ctx.symbol_attr(name);
    let operands: Vec<_> = ir.operands(op).collect();
    let ty = ir.ty(ir.result(op, 0));
    let mut b = Builder::before(ir, op);
    let call = func::CallOp::new(&mut b, &operands)
        .attr(&mut b, "callee", symbol)
        .result_group(&[ty])
        .build(&mut b);
    let value = ir.result(call, 0);
    ir.replace_op(op, &[value]);
}

/// Reads the library and puts the named functions into `kernels`.
fn add_functions(ir: &mut Ir, kernels: Op, wanted: &[String]) -> Result<(), Vec<Diagnostic>> {
    let folder = Folder::new().map_err(|error| vec![error])?;
    write_library(&folder, wanted).map_err(|error| {
        vec![Diagnostic::error(format!("cannot write the device math library: {error}"))]
    })?;
    let mut options = preprocess::Options::new(folder.join("devmath.c"));
    options.cc = HostCompiler::from_environment().words().to_vec();
    options.args = vec!["-D__GPUC__".into()];
    options.families = Families::default();
    let mut text = preprocess::run(&options)?;
    // Line tables and messages name the library's files, not where they lie for the moment.
    let path = folder.display().to_string();
    text.text = String::from_utf8_lossy(&text.text).replace(&path, "devmath").into_bytes().into();
    let (unit, found) = read(&text, Families::default());
    let errors: Vec<_> = found.into_iter().filter(Diagnostic::is_error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    // Every operation of the library is rounded as it is written: nothing fuses.
    let options = lower::Options { contract: false, ..lower::Options::default() };
    let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
    lower::lower_functions(&unit, ir, kernels, &names, options)
}

/// Writes the library into a folder, with a file that includes what is wanted of it.
fn write_library(folder: &Path, wanted: &[String]) -> std::io::Result<()> {
    std::fs::create_dir(folder.join("src"))?;
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text)?;
    }
    let mut files: Vec<&str> = wanted.iter().flat_map(|name| files_of(name)).collect();
    for (file, calls) in CALLS {
        if files.contains(file) {
            files.extend(*calls);
        }
    }
    files.sort_unstable();
    files.dedup();
    let mut main = String::from("#include \"devmath.h\"\n");
    for file in files {
        let _ = writeln!(main, "#include \"src/{file}\"");
    }
    std::fs::write(folder.join("devmath.c"), main)
}

/// The files that may define a function: those of the table, or all.
fn files_of(name: &str) -> Vec<&'static str> {
    let base = name.strip_prefix(PREFIX).unwrap_or(name);
    for &(_, function, double, single) in FUNCTIONS {
        if base == function {
            return vec![double];
        }
        if base.strip_suffix('f') == Some(function) {
            return vec![single];
        }
    }
    let called = CALLED.iter().find(|(known, _)| {
        base == *known || base.strip_suffix('f').is_some_and(|stem| stem == *known)
    });
    if let Some((_, file)) = called {
        return vec![file];
    }
    FILES
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("src/"))
        .filter(|f| f.ends_with(".c"))
        .collect()
}
