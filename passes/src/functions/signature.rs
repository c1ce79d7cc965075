//! Signatures of functions: arguments and results come and go, and what is said of them with them.

use gpuc_dialects::func;
use gpuc_ir::{Attr, AttrKind, Ir, Location, Op, OpView, Type};

/// The dictionaries of a function's arguments or results, one for each.
pub(super) fn dictionaries(ir: &mut Ir, attrs: Option<Attr>, count: usize) -> Vec<Attr> {
    match attrs.and_then(|attrs| ir.ctx.array_value(attrs)) {
        Some(dicts) => dicts.to_vec(),
        None => {
            let empty = ir.ctx.intern_attr(AttrKind::Dict(gpuc_ir::Dict::EMPTY));
            vec![empty; count]
        }
    }
}

/// Sets the dictionaries; where none says anything, there are none.
pub(super) fn set_dictionaries(ir: &mut Ir, op: Op, name: &str, dicts: &[Attr]) {
    let has_entries = |&attr: &Attr| match ir.ctx.attr_kind(attr) {
        AttrKind::Dict(dict) => !ir.ctx.dict_entries(*dict).is_empty(),
        _ => true,
    };
    if dicts.iter().any(has_entries) {
        let attr = ir.ctx.array_attr(dicts);
        ir.set_attr(op, name, attr);
    } else {
        ir.remove_attr(op, name);
    }
}

/// One of the two lists of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the function is given.
    Arguments,
    /// What it gives.
    Results,
}

impl Part {
    fn attrs(self) -> &'static str {
        match self {
            Part::Arguments => "arg_attrs",
            Part::Results => "res_attrs",
        }
    }

    fn types(self, ir: &Ir, function: func::FuncOp) -> Vec<Type> {
        let (inputs, results) = function.signature(ir);
        match self {
            Part::Arguments => inputs.to_vec(),
            Part::Results => results.to_vec(),
        }
    }

    /// The dictionaries of a function's part, one for each type.
    pub fn dictionaries(self, ir: &mut Ir, function: func::FuncOp) -> Vec<Attr> {
        let count = self.types(ir, function).len();
        let attrs = ir.attr(function.op(), self.attrs());
        dictionaries(ir, attrs, count)
    }
}

fn set_part(ir: &mut Ir, function: func::FuncOp, part: Part, types: &[Type], dicts: &[Attr]) {
    let other = match part {
        Part::Arguments => Part::Results.types(ir, function),
        Part::Results => Part::Arguments.types(ir, function),
    };
    let ty = match part {
        Part::Arguments => ir.ctx.function(types, &other),
        Part::Results => ir.ctx.function(&other, types),
    };
    let ty = ir.ctx.type_attr(ty);
    ir.set_attr(function.op(), "function_type", ty);
    set_dictionaries(ir, function.op(), part.attrs(), dicts);
}

/// Takes the arguments or results away that are not `kept`. Arguments must be unused then; what returns results is left to
/// the caller.
pub fn retain(ir: &mut Ir, function: func::FuncOp, part: Part, kept: &[bool]) {
    let types = part.types(ir, function);
    let dicts = part.dictionaries(ir, function);
    let entry = ir.entry_block(function.body(ir)).filter(|_| part == Part::Arguments);
    if let Some(entry) = entry {
        for index in (0..types.len()).rev().filter(|&index| !kept[index]) {
            ir.remove_argument(entry, index);
        }
    }
    let remaining = |index: &usize| kept[*index];
    let types: Vec<Type> = (0..types.len()).filter(remaining).map(|i| types[i]).collect();
    let dicts: Vec<Attr> = (0..dicts.len()).filter(remaining).map(|i| dicts[i]).collect();
    set_part(ir, function, part, &types, &dicts);
}

/// Puts arguments or results in, each in front of the one that has its number in the signature as it was: those of one
/// number in their order.
pub fn insert(ir: &mut Ir, function: func::FuncOp, part: Part, new: &[(usize, Type, Attr)]) {
    let mut types = part.types(ir, function);
    let mut dicts = part.dictionaries(ir, function);
    let entry = ir.entry_block(function.body(ir)).filter(|_| part == Part::Arguments);
    // From behind, so that the numbers in front stay what they were.
    let mut ordered: Vec<_> = new.iter().collect();
    ordered.sort_by_key(|each| each.0);
    for &&(index, ty, dict) in ordered.iter().rev() {
        let index = index.min(types.len());
        types.insert(index, ty);
        dicts.insert(index, dict);
        if let Some(entry) = entry {
            ir.insert_argument(entry, index, ty, Location::UNKNOWN);
        }
    }
    set_part(ir, function, part, &types, &dicts);
}

/// Gives a declaration another type: of what is said of arguments and results stays what the type still has.
pub fn set_type(ir: &mut Ir, function: func::FuncOp, ty: Type) {
    let Some((inputs, results)) = ir.ctx.signature(ty) else { return };
    let counts = [(Part::Arguments, inputs.len()), (Part::Results, results.len())];
    let mut kept: Vec<(Part, Vec<Attr>)> = Vec::new();
    for (part, count) in counts {
        let mut dicts = part.dictionaries(ir, function);
        let empty = ir.ctx.intern_attr(AttrKind::Dict(gpuc_ir::Dict::EMPTY));
        dicts.resize(count, empty);
        kept.push((part, dicts));
    }
    let ty = ir.ctx.type_attr(ty);
    ir.set_attr(function.op(), "function_type", ty);
    for (part, dicts) in kept {
        set_dictionaries(ir, function.op(), part.attrs(), &dicts);
    }
}
