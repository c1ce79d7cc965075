//! Writing by a format.

use super::{Anchor, Element, ElementKind, Format, TypeOf, is_default};
use crate::attrs::{Attr, AttrKind};
use crate::graph::Op;
use crate::op::{
    AttrSyntax, EnumSpec, EnumStorage, OpDef, RegionKind, operand_group, result_group,
};
use crate::text::printer::{OpPrinter, PrintRegion};
use crate::types::Type;

/// Writes an operation behind its name. False if its format is invalid: nothing is written then.
pub(in crate::text) fn write(p: &mut OpPrinter<'_, '_>, def: &'static OpDef, op: Op) -> bool {
    let Ok(format) = def.compiled_format.get(def) else { return false };
    Writer { def, format, op }.elements(p, &format.elements);
    true
}

#[derive(Clone, Copy)]
struct Writer {
    def: &'static OpDef,
    format: &'static Format,
    op: Op,
}

impl Writer {
    fn elements(self, p: &mut OpPrinter<'_, '_>, elements: &'static [Element]) {
        for element in elements {
            self.element(p, element);
        }
    }

    fn element(self, p: &mut OpPrinter<'_, '_>, element: &'static Element) {
        if element.space {
            p.write(" ");
        }
        let (ir, op, def) = (p.ir, self.op, self.def);
        match &element.kind {
            ElementKind::Literal(text) => p.write(text),
            ElementKind::Blank("\n") => p.newline(),
            ElementKind::Blank(text) => p.write(text),
            ElementKind::Unit(_) => {}
            &ElementKind::Operand(i) => p.operands(operand_group(ir, op, def, i)),
            &ElementKind::Attr(i) => {
                if let Some(attr) = ir.attr(op, def.attrs[i].name) {
                    self.attr(p, i, attr);
                }
            }
            &ElementKind::Region(i) => {
                let regions = ir.regions(op);
                let end =
                    if def.regions[i].kind == RegionKind::Variadic { regions.len() } else { i + 1 };
                self.regions(p, i..end.min(regions.len()));
            }
            &ElementKind::Successor(i) => {
                let successors = ir.successors(op);
                let end = match def.successors[i].arity {
                    crate::op::Arity::One => i + 1,
                    _ => successors.len(),
                };
                p.successors(successors.get(i..end).unwrap_or(&[]));
            }
            ElementKind::Operands => p.operands(ir.operands(op)),
            ElementKind::Regions => self.regions(p, 0..ir.regions(op).len()),
            ElementKind::Successors => p.successors(ir.successors(op)),
            ElementKind::AttrDict { keyword: false } => p.attr_dict(op, &self.format.bound_attrs),
            ElementKind::AttrDict { keyword: true } => {
                p.attr_dict_with_keyword(op, &self.format.bound_attrs);
            }
            ElementKind::PropDict => p.properties(op, &self.format.bound_attrs),
            &ElementKind::Type(of) => p.types(self.types(p, of)),
            &ElementKind::FunctionalType(inputs, results) => {
                p.functional_type(&self.types(p, inputs), &self.types(p, results));
            }
            ElementKind::Custom { directive, arguments } => {
                p.set_directive_arguments(arguments);
                (def.hooks.custom[*directive].print)(p, op);
            }
            ElementKind::Group { anchor, then, otherwise } => {
                self.elements(p, if self.is_present(p, anchor) { then } else { otherwise });
            }
            ElementKind::AnyOrder(clauses) => {
                for clause in clauses {
                    if self.is_present(p, &clause.anchor) {
                        if clause.space {
                            p.write(" ");
                        }
                        p.write(&clause.keyword);
                        self.elements(p, &clause.elements);
                    }
                }
            }
        }
    }

    fn is_present(self, p: &OpPrinter<'_, '_>, anchor: &Anchor) -> bool {
        let (ir, op, def) = (p.ir, self.op, self.def);
        match anchor {
            &Anchor::Operand(i) => !operand_group(ir, op, def, i).is_empty(),
            &Anchor::Result(i) => !result_group(ir, op, def, i).is_empty(),
            &Anchor::Attr(i) => ir
                .attr(op, def.attrs[i].name)
                .is_some_and(|attr| !is_default(&ir.ctx, def, def.attrs[i].name, attr)),
            &Anchor::Region(i) => {
                ir.regions(op).get(i).is_some_and(|&region| !ir.blocks(region).is_empty())
            }
            &Anchor::Successor(i) => ir.successors(op).len() > i,
            Anchor::Any(anchors) => anchors.iter().any(|anchor| self.is_present(p, anchor)),
        }
    }

    fn types(self, p: &OpPrinter<'_, '_>, of: TypeOf) -> smallvec::SmallVec<[Type; 4]> {
        let (ir, op) = (p.ir, self.op);
        match of {
            TypeOf::Operand(i) => {
                operand_group(ir, op, self.def, i).iter().map(|&value| ir.ty(value)).collect()
            }
            TypeOf::Result(i) => {
                result_group(ir, op, self.def, i).iter().map(|&value| ir.ty(value)).collect()
            }
            TypeOf::Operands => ir.operands(op).map(|value| ir.ty(value)).collect(),
            TypeOf::Results => ir.result_types(op).collect(),
        }
    }

    fn regions(self, p: &mut OpPrinter<'_, '_>, range: std::ops::Range<usize>) {
        let ir = p.ir;
        for i in range.clone() {
            if i > range.start {
                p.write(", ");
            }
            let region = ir.region(self.op, i);
            let implied = self.def.hooks.implicit_terminator.is_some()
                && ir.entry_block(region).and_then(|block| ir.terminator(block)).is_some_and(
                    |end| {
                        ir.operand_count(end) == 0
                            && ir.results(end).is_empty()
                            && ir.ctx.dict_entries(ir.attrs(end)).is_empty()
                    },
                );
            p.region(region, PrintRegion { entry_args: true, terminators: !implied });
        }
    }

    fn attr(self, p: &mut OpPrinter<'_, '_>, i: usize, attr: Attr) {
        let ir = p.ir;
        match self.def.attrs[i].constraint.syntax {
            AttrSyntax::Full | AttrSyntax::Reference => p.attr(attr),
            AttrSyntax::Typed(_) => p.attr_without_type(attr),
            AttrSyntax::DenseArray(_) => p.dense_array_elements(attr),
            AttrSyntax::SymbolName => match ir.ctx.string_value(attr) {
                Some(name) => p.symbol_name(name),
                None => p.attr(attr),
            },
            AttrSyntax::Type => match *ir.ctx.attr_kind(attr) {
                AttrKind::Type(ty) => p.ty(ty),
                _ => p.attr(attr),
            },
            AttrSyntax::Enum(spec) => p.enumeration(spec, attr),
            AttrSyntax::Unit => p.write(self.def.attrs[i].name),
        }
    }
}

impl OpPrinter<'_, '_> {
    /// Writes the keywords of an enumeration attribute, as `$name` in a format does.
    pub fn enumeration(&mut self, spec: &'static EnumSpec, attr: Attr) {
        match spec.number(&self.ir.ctx, attr) {
            Some(number) if spec.storage == EnumStorage::Angled => {
                self.write("<");
                self.write(&spec.keywords(number));
                self.write(">");
            }
            Some(number) => self.write(&spec.keywords(number)),
            None => self.attr(attr),
        }
    }
}
