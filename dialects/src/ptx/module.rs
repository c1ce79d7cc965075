//! Modules, functions and variables (PTX ISA §5.3, §5.4, §11).

use gpuc_ir::op::{FunctionInterface, attrs};
use gpuc_ir::{Ir, Op, op};

use super::kinds::SPACE;
use attrs::{ANY, ARRAY, FUNCTION_TYPE, I32_ARRAY, I64, STRING, SYMBOL_NAME, UNIT};

op! {
    /// A translation unit of PTX: `.version`, `.target`, functions and variables.
    PtxModuleOp = "ptx.module" {
        attrs { sym_name: Required SYMBOL_NAME, target: Required STRING, version: Optional STRING }
        regions { body: SizedOne }
        traits SYMBOL, SYMBOL_TABLE, ISOLATED_FROM_ABOVE, NO_TERMINATOR, SINGLE_BLOCK
        format "$sym_name `target` $target (`version` $version^)? attr-dict-with-keyword $body"
    }
}

op! {
    /// `.entry name(params)`: a kernel. `param_names` name the parameters in order, `param_types` give
    /// their PTX types as strings; the body reads them with `ptx.ld_param`.
    PtxFuncOp = "ptx.func" {
        attrs {
            sym_name: Required SYMBOL_NAME,
            function_type: Required FUNCTION_TYPE,
            param_names: Required ARRAY,
            param_types: Required ARRAY,
            reqntid: Optional I32_ARRAY,
            maxntid: Optional I32_ARRAY,
            minnctapersm: Optional I64,
            maxnreg: Optional I64,
        }
        regions { body: MinOne }
        traits SYMBOL, ISOLATED_FROM_ABOVE
        parents "ptx.module"
        format "$sym_name `params` $param_names `:` $param_types attr-dict-with-keyword $body"
        hooks { function: Some(FunctionInterface { type_attr: "function_type" }), verify: Some(verify_func) }
    }
}

op! {
    /// `.func (result) name(params)`: a function that device code calls; without a body one that another
    /// module has. `linkage` is `visible`, `weak` or `extern`; without it nobody outside the module sees it.
    DeviceFuncOp = "ptx.device_func" {
        attrs {
            sym_name: Required SYMBOL_NAME,
            function_type: Required FUNCTION_TYPE,
            param_names: Required ARRAY,
            param_types: Required ARRAY,
            result_type: Optional STRING,
            linkage: Optional STRING,
        }
        regions { body: Any }
        traits SYMBOL, ISOLATED_FROM_ABOVE
        parents "ptx.module"
        format "$sym_name `params` $param_names `:` $param_types (`result` $result_type^)? (`linkage` $linkage^)? attr-dict-with-keyword $body"
        hooks { function: Some(FunctionInterface { type_attr: "function_type" }), verify: Some(verify_device_func) }
    }
}

fn verify_device_func(ir: &Ir, op: Op) -> Result<(), String> {
    let this = DeviceFuncOp(op);
    let length = |attr: Option<gpuc_ir::Attr>| {
        attr.and_then(|a| ir.ctx.array_value(a)).map_or(0, <[_]>::len)
    };
    if length(this.param_names(ir)) != length(this.param_types(ir)) {
        return Err("has as many parameter names as types, or should".to_owned());
    }
    Ok(())
}

fn verify_func(ir: &Ir, op: Op) -> Result<(), String> {
    let this = PtxFuncOp(op);
    let length = |attr: Option<gpuc_ir::Attr>| {
        attr.and_then(|a| ir.ctx.array_value(a)).map_or(0, <[_]>::len)
    };
    if length(this.param_names(ir)) != length(this.param_types(ir)) {
        return Err("has as many parameter names as types, or should".to_owned());
    }
    if this.reqntid(ir).is_some() && this.maxntid(ir).is_some() {
        return Err("may have reqntid or maxntid, not both".to_owned());
    }
    Ok(())
}

op! {
    /// `.space .align n .b8 name[bytes]`: a variable of the module, with initial bytes where
    /// `init` (a dense array of i8) is given.
    VariableOp = "ptx.variable" {
        attrs {
            sym_name: Required SYMBOL_NAME,
            space: Required SPACE,
            bytes: Required I64,
            alignment: Required I64,
            init: Optional ANY,
            external: Optional UNIT,
        }
        traits SYMBOL
        parents "ptx.module"
        format "$space (`external` $external^)? $sym_name `bytes` $bytes `align` $alignment (`init` $init^)? attr-dict"
    }
}
