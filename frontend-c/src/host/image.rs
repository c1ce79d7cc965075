//! The device code inside the host program.

use std::fmt::Write;

use gpuc_ir::Ir;

use super::literal;
use crate::lower::Lowered;

/// The kernels of a unit for one architecture.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The architecture.
    pub arch: String,
    /// The PTX text.
    pub ptx: String,
    /// Each kernel with the types of its parameters, as PTX has them, with blanks between.
    pub kernels: Vec<(String, String)>,
}

/// The definition of a unit's image.
pub(super) fn definition(lowered: &Lowered, ir: &Ir, codes: &[Code]) -> String {
    let source = ir
        .attr(lowered.module, "offload.source")
        .and_then(|attr| ir.ctx.string_value(attr))
        .unwrap_or("<stdin>");
    image(source, codes)
}

/// The definition of `__gpuc_image_0`, with each PTX text as an array of characters, a line of it a line.
pub fn image(source: &str, codes: &[Code]) -> String {
    let mut out = String::new();
    let mut table = String::new();
    for (number, code) in codes.iter().enumerate() {
        let _ = writeln!(out, "static const char __gpuc_ptx_{number}[] =");
        for line in code.ptx.split_inclusive('\n') {
            let _ = writeln!(out, "    {}", literal(line));
        }
        out += "    \"\";\n";
        let mut kernels = "(void *)0".to_owned();
        if !code.kernels.is_empty() {
            kernels = format!("__gpuc_kernels_{number}");
            let _ = writeln!(out, "static const struct __gpuc_kernel {kernels}[] = {{");
            for (name, params) in &code.kernels {
                let _ = writeln!(out, "    {{ {}, {} }},", literal(name), literal(params));
            }
            out += "};\n";
        }
        let _ = writeln!(
            table,
            "    {{ {}, __gpuc_ptx_{number}, sizeof __gpuc_ptx_{number} - 1, {kernels}, {}u }},",
            literal(&code.arch),
            code.kernels.len()
        );
    }
    let _ = write!(
        out,
        "static const struct __gpuc_code __gpuc_codes_0[] = {{\n{table}}};\n\
         static struct __gpuc_image __gpuc_image_0 = {{ 2u, {}, __gpuc_codes_0, {}u, (void *)0 }};\n",
        literal(source),
        codes.len()
    );
    out
}
