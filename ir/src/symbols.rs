//! Symbols: operations with a name, in the region of a symbol table.

use rustc_hash::FxHashMap;

use crate::attrs::{Attr, AttrKind};
use crate::context::Ident;
use crate::graph::{Ir, Op, WalkOrder};
use crate::op::Traits;

impl Ir {
    /// The `sym_name` of an operation.
    pub fn symbol_name(&self, op: Op) -> Option<&str> {
        self.attr(op, "sym_name").and_then(|attr| self.ctx.string_value(attr))
    }

    /// The nearest enclosing operation that is a symbol table; `op` itself if it is one.
    pub fn nearest_symbol_table(&self, op: Op) -> Option<Op> {
        std::iter::once(op)
            .chain(self.ancestors(op))
            .find(|&table| self.has_trait(table, Traits::SYMBOL_TABLE))
    }

    /// The operation named `name` directly in the symbol table `table`.
    pub fn symbol_in(&self, table: Op, name: Ident) -> Option<Op> {
        let &region = self.regions(table).first()?;
        let key = self.ctx.find_ident("sym_name")?;
        self.blocks(region).iter().flat_map(|&block| self.ops(block)).find(|&op| {
            self.attr_ident(op, key).is_some_and(
                |attr| matches!(*self.ctx.attr_kind(attr), AttrKind::String(text) if text == name),
            )
        })
    }

    /// What a symbol reference at `from` means: the first name is looked up in the enclosing
    /// symbol tables from the innermost outwards, further names inside what was found.
    pub fn lookup_symbol(&self, from: Op, reference: Attr) -> Option<Op> {
        self.resolve(from, reference, |table, name| self.symbol_in(table, name))
    }

    fn resolve(
        &self,
        from: Op,
        reference: Attr,
        mut symbol_in: impl FnMut(Op, Ident) -> Option<Op>,
    ) -> Option<Op> {
        let AttrKind::Symbol { root, nested } = self.ctx.attr_kind(reference) else { return None };
        let mut table = self.nearest_symbol_table(from);
        while let Some(at) = table {
            if let Some(mut found) = symbol_in(at, *root) {
                for &name in nested {
                    found = symbol_in(found, name)?;
                }
                return Some(found);
            }
            table = self.parent_op(at).and_then(|parent| self.nearest_symbol_table(parent));
        }
        None
    }

    /// Every symbol reference in the attributes of operations inside `root`.
    pub fn symbol_uses(&self, root: Op) -> Vec<(Op, Attr)> {
        let mut uses = Vec::new();
        self.walk(root, WalkOrder::PreOrder, &mut |op| {
            for &(_, attr) in self.ctx.dict_entries(self.attrs(op)) {
                self.collect_symbols(attr, &mut |symbol| uses.push((op, symbol)));
            }
        });
        uses
    }

    fn collect_symbols(&self, attr: Attr, found: &mut impl FnMut(Attr)) {
        match self.ctx.attr_kind(attr) {
            AttrKind::Symbol { .. } => found(attr),
            AttrKind::Array(elements) => {
                for &element in elements {
                    self.collect_symbols(element, found);
                }
            }
            AttrKind::Dict(dict) => {
                for &(_, value) in self.ctx.dict_entries(*dict) {
                    self.collect_symbols(value, found);
                }
            }
            _ => {}
        }
    }
}

/// Symbol tables by name, for many searches while nothing changes: one search alone looks at every operation of a
/// table. MLIR's `SymbolTableCollection`.
#[derive(Default)]
pub struct SymbolTableCollection {
    tables: FxHashMap<Op, FxHashMap<Ident, Op>>,
}

impl SymbolTableCollection {
    /// As [`Ir::symbol_in`].
    pub fn symbol_in(&mut self, ir: &Ir, table: Op, name: Ident) -> Option<Op> {
        let names = self.tables.entry(table).or_insert_with(|| {
            let mut names = FxHashMap::default();
            let blocks = ir.regions(table).first().map_or(&[][..], |&region| ir.blocks(region));
            for op in blocks.iter().flat_map(|&block| ir.ops(block)) {
                let name = ir.attr(op, "sym_name").map(|attr| ir.ctx.attr_kind(attr));
                if let Some(AttrKind::String(name)) = name {
                    // Of two of one name it is the first.
                    names.entry(*name).or_insert(op);
                }
            }
            names
        });
        names.get(&name).copied()
    }

    /// As [`Ir::lookup_symbol`].
    pub fn lookup_symbol(&mut self, ir: &Ir, from: Op, reference: Attr) -> Option<Op> {
        ir.resolve(from, reference, |table, name| self.symbol_in(ir, table, name))
    }
}
