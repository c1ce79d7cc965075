//! Operations, regions and blocks.

use super::{OpPrinter, PAGE};
use crate::attrs::{Attr, AttrKind};
use crate::context::Ident;
use crate::graph::{Block, Op, Region};
use crate::op::OpDef;
use crate::text::format;

/// What to write of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintRegion {
    /// The label of the entry block, if that has arguments.
    pub entry_args: bool,
    /// The terminators.
    pub terminators: bool,
}

impl PrintRegion {
    /// Everything.
    pub const ALL: PrintRegion = PrintRegion { entry_args: true, terminators: true };
    /// Without the entry block's arguments, which stand in the operation's own syntax.
    pub const NO_ARGS: PrintRegion = PrintRegion { entry_args: false, terminators: true };
}

impl OpPrinter<'_, '_> {
    /// Writes an operation: results, name and the rest, without a line break.
    pub(super) fn operation(&mut self, op: Op) {
        self.result_names(op);
        self.custom_or_generic(op);
        self.trailing_location(self.ir.location(op));
    }

    /// Writes an operation without its results, as for operations shown inside others' syntax.
    pub fn custom_or_generic(&mut self, op: Op) {
        if self.options.generic {
            return self.generic(op);
        }
        let Some(def) = self.ir.def(op) else { return self.generic(op) };
        let start = self.out.text.len();
        if let Some(print) = def.hooks.print {
            self.op_name(def);
            print(self, op);
        } else if def.format.is_empty() {
            self.generic(op);
        } else {
            self.op_name(def);
            if !format::write(self, def, op) {
                self.out.text.truncate(start);
                self.generic(op);
            }
        }
    }

    /// The name, without the dialect where that goes without saying.
    fn op_name(&mut self, def: &'static OpDef) {
        let default = self.default_dialects.last().copied().unwrap_or("");
        let short = def
            .name
            .strip_prefix(default)
            .and_then(|rest| rest.strip_prefix('.'))
            .filter(|rest| !default.is_empty() && !rest.contains('.'));
        self.write(short.unwrap_or(def.name));
    }

    fn result_names(&mut self, op: Op) {
        let ir = self.ir;
        let results = ir.results(op);
        if results.is_empty() {
            return;
        }
        let mut at = 0;
        while at < results.len() {
            if at > 0 {
                self.write(", ");
            }
            self.value_name(results[at]);
            let more = results[at + 1..].iter().take_while(|&&v| !self.names.is_named(v)).count();
            if more > 0 {
                self.write(":");
                self.number(more + 1);
            }
            at += more + 1;
        }
        self.write(" = ");
    }

    /// Writes the generic form.
    pub fn generic(&mut self, op: Op) {
        let ir = self.ir;
        self.string(ir.name(op));
        self.write("(");
        self.operands(ir.operands(op));
        self.write(")");
        if !ir.successors(op).is_empty() {
            self.write("[");
            self.successors(ir.successors(op));
            self.write("]");
        }
        if let Some(def) = ir.def(op) {
            self.all_properties(op, def);
        }
        if !ir.regions(op).is_empty() {
            self.write(" (");
            self.list(ir.regions(op), |p, &region| p.region_with(region, PrintRegion::ALL, true));
            self.write(")");
        }
        let def = ir.def(op);
        self.braced(op, " {", "}", &|_, name, _| !def.is_some_and(|def| def.is_inherent(name)));
        self.write(" : ");
        let inputs: smallvec::SmallVec<[_; 4]> =
            ir.operands(op).map(|value| ir.ty(value)).collect();
        let results: smallvec::SmallVec<[_; 4]> = ir.result_types(op).collect();
        self.functional_type(&inputs, &results);
    }

    /// Writes ` <{...}>` with the inherent attributes, defaults included, by name; nothing where there are none.
    fn all_properties(&mut self, op: Op, def: &'static OpDef) {
        let ir = self.ir;
        let defaults: Vec<_> = format::defaults_left_out(ir, op).collect();
        if defaults.is_empty() {
            return self.braced(op, " <{", "}>", &|_, name, _| def.is_inherent(name));
        }
        let own = ir.ctx.dict_entries(ir.attrs(op)).iter();
        let own = own.map(|&(name, attr)| (ir.ctx.str(name), Ok(attr)));
        let own = own.filter(|(name, _)| def.is_inherent(name));
        let mut entries: Vec<(&str, Result<Attr, &str>)> =
            own.chain(defaults.into_iter().map(|(name, text)| (name, Err(text)))).collect();
        entries.sort_by_key(|&(name, _)| name);
        self.write(" <{");
        self.list(entries, |p, (name, value)| match value {
            Ok(attr) => p.entities().entry(name, attr),
            Err(text) => {
                p.write(name);
                p.write(" = ");
                p.write(text);
            }
        });
        self.write("}>");
    }

    /// Writes the attributes that pass, between `open` and `close`; nothing where none does.
    fn braced(
        &mut self,
        op: Op,
        open: &str,
        close: &str,
        passes: &dyn Fn(&Self, &str, Attr) -> bool,
    ) {
        let ir = self.ir;
        let mut any = false;
        for &(name, attr) in ir.ctx.dict_entries(ir.attrs(op)) {
            let name: Ident = name;
            let name = ir.ctx.str(name);
            if !passes(self, name, attr) {
                continue;
            }
            self.write(if any { ", " } else { open });
            any = true;
            self.entities().entry(name, attr);
        }
        if any {
            self.write(close);
        }
    }

    /// Whether the dictionary of an operation's custom form leaves an attribute out: it is named,
    /// says the sizes of groups, or is a default.
    fn is_elided(&self, op: Op, elided: &[&str], name: &str, attr: Attr) -> bool {
        elided.contains(&name)
            || self.ir.def(op).is_some_and(|def| {
                matches!(name, "operandSegmentSizes" | "resultSegmentSizes")
                    && def.is_inherent(name)
                    || format::is_default(&self.ir.ctx, def, name, attr)
            })
    }

    /// Writes ` {...}` with the attributes not in `elided`; nothing where there are none.
    pub fn attr_dict(&mut self, op: Op, elided: &[&str]) {
        if !self.ir.ctx.dict_entries(self.ir.attrs(op)).is_empty() {
            self.braced(op, " {", "}", &|p, name, attr| !p.is_elided(op, elided, name, attr));
        }
    }

    /// Writes ` attributes {...}` with the attributes not in `elided`; nothing where there are
    /// none.
    pub fn attr_dict_with_keyword(&mut self, op: Op, elided: &[&str]) {
        self.braced(op, " attributes {", "}", &|p, name, attr| {
            !p.is_elided(op, elided, name, attr)
        });
    }

    /// Writes ` <{...}>` with the inherent attributes not in `elided`.
    pub(in crate::text) fn properties(&mut self, op: Op, elided: &[&str]) {
        let def = self.ir.def(op);
        self.braced(op, " <{", "}>", &|p, name, attr| {
            def.is_some_and(|def| def.is_inherent(name)) && !p.is_elided(op, elided, name, attr)
        });
    }

    /// Writes an attribute dictionary given as an attribute or dictionary, ` {a = 1}`; nothing
    /// where it is empty.
    pub fn dict_attr(&mut self, attr: Attr) {
        if let &AttrKind::Dict(dict) = self.ir.ctx.attr_kind(attr)
            && !self.ir.ctx.dict_entries(dict).is_empty()
        {
            self.write(" ");
            self.entities().dict(dict);
        }
    }

    /// Writes `{ ... }`.
    pub fn region(&mut self, region: Region, what: PrintRegion) {
        self.region_with(region, what, false);
    }

    fn region_with(&mut self, region: Region, what: PrintRegion, label_empty: bool) {
        let ir = self.ir;
        if self.options.skip_regions {
            return self.write("{...}");
        }
        self.write("{\n");
        let owner = ir.region_op(region).and_then(|op| ir.def(op));
        self.default_dialects.push(owner.and_then(|def| def.hooks.default_dialect).unwrap_or(""));
        let blocks = ir.blocks(region);
        let predecessors = self.predecessors(blocks);
        for (i, &block) in blocks.iter().enumerate() {
            let labelled = i > 0
                || (what.entry_args && !ir.arguments(block).is_empty())
                || (label_empty && ir.first_op(block).is_none());
            if labelled {
                let sources = predecessors.get(i).map_or(&[][..], Vec::as_slice);
                self.block_label(block, i == 0, sources);
            }
            self.block_body(block, what.terminators);
        }
        self.default_dialects.pop();
        self.indentation();
        self.write("}");
    }

    fn indentation(&mut self) {
        for _ in 0..self.indent {
            self.out.text.push(' ');
        }
    }

    /// For each block of a region that has several, the numbers of the blocks that branch to it.
    fn predecessors(&self, blocks: &[Block]) -> Vec<Vec<u32>> {
        if blocks.len() < 2 {
            return Vec::new();
        }
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (i, &block) in blocks.iter().enumerate() {
            for &successor in self.ir.block_successors(block) {
                if let Some(list) = predecessors.get_mut(self.names.block(successor) as usize) {
                    list.push(i as u32);
                }
            }
        }
        predecessors
    }

    fn block_label(&mut self, block: Block, entry: bool, predecessors: &[u32]) {
        let ir = self.ir;
        self.indentation();
        self.successor(block);
        if !ir.arguments(block).is_empty() {
            self.write("(");
            self.list(ir.arguments(block), |p, &value| p.argument(value));
            self.write(")");
        }
        self.write(":");
        match *predecessors {
            [] if entry => {}
            [] => self.write("  // no predecessors"),
            [one] => {
                self.write("  // pred: ^bb");
                self.number(one);
            }
            _ => {
                self.write("  // ");
                self.number(predecessors.len());
                self.write(" preds: ");
                self.list(predecessors, |p, number| {
                    p.write("^bb");
                    p.number(number);
                });
            }
        }
        self.write("\n");
    }

    fn block_body(&mut self, block: Block, terminators: bool) {
        let ir = self.ir;
        self.indent += 2;
        let hidden = if terminators { None } else { ir.terminator(block) };
        for op in ir.ops(block).filter(|&op| Some(op) != hidden) {
            self.indentation();
            self.operation(op);
            self.write("\n");
            if self.out.text.len() >= PAGE {
                let page =
                    std::mem::replace(&mut self.out.text, String::with_capacity(PAGE + PAGE / 8));
                self.out.pages.push(page);
            }
        }
        self.indent -= 2;
    }
}
