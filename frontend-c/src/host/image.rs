//! The device code inside the host program.

use std::fmt::Write;

use gpuc_ir::Ir;

use super::literal;
use crate::lower::Lowered;

/// The definition of a unit's image.
pub(super) fn definition(lowered: &Lowered, ir: &Ir, ptx: &str) -> String {
    let source = ir
        .attr(lowered.module, "offload.source")
        .and_then(|attr| ir.ctx.string_value(attr))
        .unwrap_or("<stdin>");
    image(source, ptx)
}

/// The definition of `__gpuc_image_0`, with the PTX text as an array of characters, a line of it a line.
pub fn image(source: &str, ptx: &str) -> String {
    let mut out = String::from("static const char __gpuc_ptx_0[] =\n");
    for line in ptx.split_inclusive('\n') {
        let _ = writeln!(out, "    {}", literal(line));
    }
    out += "    \"\";\n";
    let _ = writeln!(
        out,
        "static struct __gpuc_image __gpuc_image_0 = {{ 1u, {}, __gpuc_ptx_0, sizeof __gpuc_ptx_0 - 1, (void *)0 }};",
        literal(source)
    );
    out
}
