//! Compiling a piece of IR text.

use gpuc_arch::Arch;
use gpuc_backend_ptx::{Options, PtxOutput, compile, select};
use gpuc_diagnostics::{Diagnostic, Sources};
use gpuc_dialects::gpu::GPUModuleOp;
use gpuc_ir::{Ir, Op, OpView, WalkOrder, text, verify};

/// An architecture by name.
pub fn arch(name: &str) -> &'static Arch {
    Arch::by_name(name).unwrap_or_else(|| panic!("no architecture {name}"))
}

/// Options for a target, without line numbers.
pub fn options(target: &str) -> Options {
    Options { lines: false, ..Options::new(arch(target)) }
}

/// Diagnostics as they are shown.
pub fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.render(&Sources::new(), false) + "\n").collect()
}

/// Reads and verifies a module; its first `gpu.module`.
pub fn module(ir: &mut Ir, source: &str) -> Op {
    gpuc_dialects::register_all(&mut ir.ctx);
    let root = text::parse_module(ir, source, "kernel.mlir")
        .unwrap_or_else(|e| panic!("{}", rendered(&e)));
    verify::verify(ir, root).unwrap_or_else(|e| panic!("{}", rendered(&e)));
    let found =
        ir.nested_ops(root, WalkOrder::PreOrder).into_iter().find(|&op| GPUModuleOp::is(ir, op));
    found.unwrap_or_else(|| panic!("no gpu.module"))
}

/// Compiles, or gives the errors as they are shown.
pub fn compile_with(source: &str, options: &Options) -> Result<PtxOutput, String> {
    let mut ir = Ir::new();
    let module = module(&mut ir, source);
    compile(&mut ir, module, options).map_err(|errors| rendered(&errors))
}

/// The `ptx.module` that selection makes, as IR text; it has been verified, and read back.
pub fn selected(source: &str, options: &Options) -> String {
    let mut ir = Ir::new();
    let module = module(&mut ir, source);
    let (target, _) =
        select(&mut ir, module, options).unwrap_or_else(|e| panic!("{}", rendered(&e)));
    verify::verify(&mut ir, target).unwrap_or_else(|e| panic!("{}", rendered(&e)));
    let printed = ir.to_text(target);
    let mut again = Ir::new();
    gpuc_dialects::register_all(&mut again.ctx);
    let read = text::parse_module(&mut again, &printed, "selected.mlir")
        .unwrap_or_else(|e| panic!("{}\n{printed}", rendered(&e)));
    let read = again.ops(again.body(read, 0)).next().unwrap_or(read);
    assert_eq!(again.to_text(read), printed);
    printed
}

/// The text for a target.
pub fn ptx(source: &str, target: &str) -> String {
    let options = options(target);
    let made = compile_with(source, &options).unwrap_or_else(|errors| panic!("{errors}"));
    selected(source, &options);
    made.text
}

/// A module around the body of one kernel with the arguments.
pub fn kernel(arguments: &str, body: &str) -> String {
    format!(
        "gpu.module @kernels {{\n gpu.func @k({arguments}) kernel {{\n{body}\n gpu.return\n }}\n}}\n"
    )
}
