//! Compute constructs: a function around a region.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{self, Construct};
use gpuc_dialects::{arith, func};
use gpuc_ir::{Attr, InsertPoint, Op, Value};

use super::array_reduction::scalar_reductions;
use super::capture::{Captures, Capturing, Target, is_by_host};
use super::clause_items::member_paths;
use super::extent::keeps_value;
use super::lowerer::{Binding, Frame, Lowerer, Lowering};
use super::output::prints;
use super::role::ConstructScalars;
use super::scalar::Scalar;
use super::storage::{has_address_taken, is_automatic};
use super::unit::Enclosing;
use super::uses::{Captured, Collector, Uses, mutates};
use super::walk::{self, Below, Node};
use super::{Argument, Compute, DataItem, Extent};
use crate::directive::{Directive, Kind, VarRef};
use crate::source::Span;
use crate::tree::{DeclId, ExprId, StmtId, TranslationUnit};
use crate::types::{Qualifiers, Type};

/// A compute construct to be lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'s> {
    pub directive: &'s Directive,
    pub stmt: StmtId,
    pub body: StmtId,
    pub enclosing: &'s [Enclosing],
    pub function: DeclId,
    pub file: &'s str,
    pub line: u32,
    pub span: Span,
    pub symbol: &'s str,
    /// Whether the compiler found it.
    pub found: bool,
}

/// Which construct a directive is.
fn construct_of(kind: Kind) -> Construct {
    match kind {
        Kind::Compute(region) => region.construct,
        _ => Construct::Parallel,
    }
}

/// Says of the data of a nest that the compiler found what they are: all but scalars stay on the device.
fn mark_as_nest(unit: &TranslationUnit, directive: &Directive, captures: &mut Captures) {
    for item in &mut captures.data {
        item.flags.nest = true;
        let said = |var: &VarRef| unit.name(var.decl) == item.name;
        item.flags.said_read = directive.said_read.iter().any(said);
    }
    for formal in &captures.formals {
        if let (Target::Shared(_), Argument::Data(item)) = (&formal.target, &formal.actual) {
            captures.data[*item].flags.leaves = true;
        }
    }
}

impl Lowerer<'_> {
    /// The variables whose values the host reads before a nest, and which more than their names may reach.
    fn fixed(&self, site: &Site<'_>, uses: &Uses) -> Vec<String> {
        let unit = self.unit;
        let names = uses.captured.keys().filter_map(|captured| match *captured {
            Captured::Variable(decl) => Some(decl),
            Captured::Path(_) => None,
        });
        names
            .filter(|&decl| {
                let ty = unit.decls[decl].ty;
                let is_read = unit.types.as_array(ty).is_none() && !uses.mutated.contains(&decl);
                is_read && self.is_reached(decl, site.function)
            })
            .map(|decl| unit.name(decl).to_owned())
            .collect()
    }

    /// The scalars of a `kernels` that are handed over as values, and that a pointer may change meanwhile: all scalars are
    /// shared there (OpenACC 3.3, §2.6.2), and those that are only read are no memory of the device's for speed alone.
    fn handed_values(&self, site: &Site<'_>, captures: &Captures) -> Vec<(String, Type)> {
        let unit = self.unit;
        let directive = site.directive;
        let is_shared = construct_of(directive.kind) == Construct::Kernels
            && !directive.family.copies_scalars();
        if !is_shared || site.found {
            return Vec::new();
        }
        let is_asked = |decl| directive.firstprivate.iter().any(|var| var.decl == decl);
        let values = captures.formals.iter().filter_map(|formal| match formal.target {
            Target::Value(decl, _) if !is_asked(decl) => Some(decl),
            _ => None,
        });
        values
            .filter(|&decl| self.is_reached(decl, site.function))
            .map(|decl| (unit.name(decl).to_owned(), unit.decls[decl].ty))
            .collect()
    }

    /// Whether more than its name may reach a variable.
    fn is_reached(&self, decl: DeclId, function: DeclId) -> bool {
        let unit = self.unit;
        let is_constant = unit.decls[decl].ty.qualifiers().contains(Qualifiers::CONST);
        !is_constant && (!is_automatic(unit, decl) || has_address_taken(unit, function, decl))
    }

    /// Forgets what belongs to one construct.
    fn reset(&mut self) {
        self.bindings.clear();
        self.buffers.clear();
        self.row_views.clear();
        self.mutated.clear();
        self.addressed.clear();
        self.hoisted.clear();
        self.frames.clear();
        self.jumps.clear();
        self.extents.clear();
        self.in_independent_loop = false;
        self.gives_addresses = false;
        self.reductions.clear();
        self.reduced_arrays.clear();
        self.updated_arrays.clear();
        self.gangs = None;
        self.taken = [false; 3];
        self.numbers = [None; 3];
        self.lane_limit = None;
        self.host_values.clear();
        self.paths.clear();
        // Functions that are expanded are scanned anew for what they change.
        self.functions.retain(|_, callable| *callable != super::function::Callable::Expanded);
    }

    /// Refuses sizes of a launch that change a variable: how often they are computed is nobody's promise.
    fn check_sizes(&mut self, directive: &Directive) -> Lowering<()> {
        let unit = self.unit;
        for &size in &directive.size_values {
            let mut changed = None;
            walk::expr(unit, size, &mut |node| {
                if let Node::Expr(expr) = node {
                    changed = changed.or_else(|| Some((mutates(unit, expr)?, expr)));
                }
                Below::Enter
            });
            if let Some((decl, expr)) = changed {
                let name = unit.name(decl);
                return self.refuse(
                    unit.exprs[expr].span,
                    Diagnostic::error(format!("the size of a launch changes `{name}`"))
                        .help("change it in a statement in front of the construct"),
                );
            }
        }
        Ok(())
    }

    /// Lowers a construct to a function at the end of the module.
    pub(super) fn construct(&mut self, site: Site<'_>) -> Lowering<(Compute, Vec<DataItem>)> {
        self.reset();
        let unit = self.unit;
        let kind = construct_of(site.directive.kind);
        (self.construct, self.function) = (Some(kind), Some(site.function));
        self.family = site.directive.family;
        self.diagnostics.extend(site.directive.remark.as_deref().cloned());
        self.check_sizes(site.directive)?;
        let around = site.enclosing.iter().map(|e| &unit.directives[e.directive]);
        let paths = member_paths(unit, std::iter::once(site.directive).chain(around));
        let uses = self.uses(&site, &paths);
        self.mutated = uses.mutated.iter().copied().collect();
        self.addressed = uses.addressed.iter().copied().collect();
        self.paths = paths.iter().map(|path| (path.clone(), None)).collect();
        let around = site.enclosing.iter().map(|e| &unit.directives[e.directive]);
        self.scalars = ConstructScalars {
            body: Some(site.body),
            private: site
                .directive
                .private
                .iter()
                .chain(&site.directive.firstprivate)
                .map(|var| var.decl)
                .collect(),
            all_shared: site.directive.implicit.scalars.is_some(),
            shared: std::iter::once(site.directive)
                .chain(around)
                .flat_map(Directive::data)
                .map(|(_, var)| var.decl)
                // What the last iteration leaves is the program's.
                .chain(site.directive.lastprivate.iter().map(|var| var.decl))
                .collect(),
        };
        let reduced = self.reduced_scalars(site.directive, site.stmt, site.body, site.function)?;
        let capturing = Capturing {
            reduced: &reduced,
            stmt: site.stmt,
            directive: site.directive,
            enclosing: site.enclosing,
            uses: &uses,
            body: site.body,
            function: site.function,
            paths: &paths,
        };
        let mut captures = self.capture(&capturing)?;
        self.add_unused_reductions(site.directive, &mut captures);

        self.frames.push(Frame {
            function: None,
            return_flag: None,
            result: None,
            call: Self::NO_CALL,
        });
        self.locate(site.span);
        let location = self.b.location;
        let inputs: Vec<_> = captures.formals.iter().map(|formal| formal.ty).collect();
        let (region, done) = self.region(&inputs, |l, arguments| {
            // The sizes of a launch are computed from scalars alone.
            for (formal, &value) in captures.formals.iter().zip(arguments) {
                if let Target::Value(..)
                | Target::Member(..)
                | Target::Extent(_)
                | Target::HostValue(_) = formal.target
                {
                    l.bind_formal(formal, value);
                }
            }
            let done = l.with_constants(|l| l.compute_region(&site, kind, &captures, arguments));
            l.b.location = location;
            let op = func::ReturnOp::new(&mut l.b, &[]);
            l.build(op);
            done
        });
        self.construct = None;
        self.b.location = location;
        let function = self.build_function(&site, &captures, region);
        if self.gives_addresses {
            self.mark_generic(function);
        }
        done?;
        self.check_rows()?;
        let arguments: Vec<Argument> = captures.formals.iter().map(|f| f.actual.clone()).collect();
        let mut fixed = Vec::new();
        if site.found {
            mark_as_nest(self.unit, site.directive, &mut captures);
            fixed = self.fixed(&site, &uses);
        }
        let by_value = self.handed_values(&site, &captures);
        let symbol = site.symbol.to_owned();
        Ok((Compute { symbol, arguments, fixed, by_value }, captures.data))
    }

    fn uses(&self, site: &Site<'_>, paths: &[VarRef]) -> Uses {
        let mut collector = Collector::new(self.unit, paths);
        for var in &site.directive.private {
            collector.declare(var.decl);
        }
        for var in site.directive.private.iter().chain(&site.directive.firstprivate) {
            collector.section(var);
        }
        // Sizes are computed with the region; all other values are the host's.
        let by_host = |value: &&ExprId| !is_by_host(self.unit, site.directive, **value);
        site.directive.size_values.iter().filter(by_host).for_each(|&value| collector.expr(value));
        collector.stmt(site.body);
        collector.extents(&|extent| keeps_value(self.unit, site.function, extent));
        collector.finish()
    }

    /// The variable of a `reduction` clause is copied even where the region leaves it alone.
    fn add_unused_reductions(&mut self, directive: &Directive, captures: &mut Captures) {
        for (_, var) in directive.reductions() {
            let known = captures.formals.iter().any(|formal| {
                matches!(&formal.target, Target::Shared(decl) | Target::Value(decl, _) if *decl == var.decl)
            });
            if !known {
                self.mutated.insert(var.decl);
                if let Some(scalar) = Scalar::of(self.unit, self.unit.decls[var.decl].ty) {
                    captures.private.push((var.decl, scalar));
                }
            }
        }
    }

    /// The `offload.region` of a construct.
    fn compute_region(
        &mut self,
        site: &Site<'_>,
        kind: Construct,
        captures: &Captures,
        arguments: &[Value],
    ) -> Lowering<()> {
        let location = self.b.location;
        let mut sizes: Vec<Option<Value>> = Vec::new();
        let clauses = site.directive.family.size_clauses();
        for (factors, clause) in site.directive.sizes.iter().zip(clauses) {
            let mut product = None;
            for &size in factors {
                let size = self.given_size(size, clause)?;
                product = Some(match product {
                    Some(product) => {
                        let op = arith::MulIOp::new(&mut self.b, product, size);
                        self.value(op)
                    }
                    None => size,
                });
            }
            sizes.push(product);
        }
        if let Some(limit) = site.directive.lane_limit {
            let limit = self.launch_size(limit)?;
            self.lane_limit = Some(self.as_index(limit, Scalar::INT));
        }
        // One gang has nobody to combine with.
        let is_one =
            site.directive.sizes[0].iter().all(|&size| self.unit.constant_int(size) == Some(1));
        let (region, done) = self.region(&[], |l, _| {
            let done = l.with_constants(|l| {
                l.region_block = Some(l.block());
                l.enter_region(site, captures, arguments)?;
                if site.directive.nest.is_some() {
                    l.directive_loop(site.directive, site.body)
                } else if let (Construct::Parallel, Some(gangs), true) = (
                    kind,
                    sizes[0],
                    !is_one && (!l.reductions.is_empty() || prints(l.unit, site.body)),
                ) {
                    l.gangs_body(site.directive, site.body, gangs)
                } else {
                    l.nested(site.body)
                }
            });
            l.b.location = location;
            let op = offload::YieldOp::new(&mut l.b);
            l.build(op);
            done
        });
        self.b.location = location;
        let construct = kind.attr(&mut self.b.ctx);
        let op = offload::RegionOp::new(&mut self.b, sizes[0], sizes[1], sizes[2])
            .attr(&mut self.b, "construct", construct)
            .region(region);
        self.build(op);
        done
    }

    /// At the start of a region: variables for captured values that change, and private ones.
    fn enter_region(
        &mut self,
        site: &Site<'_>,
        captures: &Captures,
        arguments: &[Value],
    ) -> Lowering<()> {
        for (formal, &value) in captures.formals.iter().zip(arguments) {
            self.bind_formal(formal, value);
        }
        for formal in &captures.formals {
            match &formal.target {
                Target::Value(decl, scalar) => {
                    if self.mutated.contains(decl)
                        && let Some(Binding::Value(value)) = self.bindings.get(decl).cloned()
                    {
                        self.declare_slot(*decl, *scalar, Some(value));
                    }
                }
                Target::Pointee(Captured::Variable(decl), ..) => {
                    if let Some(Binding::Pointer(pointer)) = self.bindings.get(decl).cloned() {
                        self.bind_pointer(*decl, Some(pointer))?;
                    }
                }
                _ => {}
            }
        }
        for &(decl, scalar) in &captures.private {
            self.declare_slot(decl, scalar, None);
        }
        self.copy_firstprivate_objects(site.directive, site.body, captures)?;
        if site.directive.nest.is_none() {
            for var in &site.directive.private {
                self.declare_private(var)?;
            }
            for (op, var) in scalar_reductions(self.unit, site.directive) {
                self.check_reduced(site.directive, var.decl, op, var.span)?;
            }
            // Loops inside combine what they add.
            let reductions: Vec<_> = scalar_reductions(self.unit, site.directive)
                .map(|(op, var)| (var.decl, op))
                .collect();
            self.reductions.extend(reductions);
        }
        Ok(())
    }

    fn build_function(
        &mut self,
        site: &Site<'_>,
        captures: &Captures,
        region: gpuc_ir::Region,
    ) -> Op {
        let formals = &captures.formals;
        let module = self.b.body(self.module, 0);
        self.b.set_point(InsertPoint::End(module));
        let inputs: Vec<_> = formals.iter().map(|formal| formal.ty).collect();
        let ctx = &mut self.b.ctx;
        let ty = ctx.function(&inputs, &[]);
        let (ty, name) = (ctx.type_attr(ty), ctx.string_attr(site.symbol));
        let mut dicts: Vec<Attr> = Vec::new();
        for formal in formals {
            let storage = formal.storage.map(|storage| (offload::STORAGE_ATTR, storage));
            let words = [(offload::NAME_ATTR, &*formal.name), (offload::MAP_ATTR, formal.map)];
            let mut entries: Vec<_> = words
                .into_iter()
                .chain(storage)
                .map(|(key, text)| (ctx.ident(key), ctx.string_attr(text)))
                .collect();
            let rows = match formal.actual {
                Argument::Data(item) => {
                    captures.data.get(item).and_then(|item| rows(self.unit, item))
                }
                _ => None,
            };
            entries.extend(rows.map(|rows| (ctx.ident(offload::ROWS_ATTR), ctx.i64_attr(rows))));
            let dict = ctx.dict(entries);
            dicts.push(ctx.intern_attr(gpuc_ir::AttrKind::Dict(dict)));
        }
        let arguments = ctx.array_attr(&dicts);
        let line = ctx.i64_attr(site.line.into());
        let words = [
            ("file", ctx.string_attr(site.file)),
            ("function", ctx.string_attr(self.unit.name(site.function))),
            ("line", line),
            ("construct", ctx.string_attr(site.directive.words)),
        ];
        let words: Vec<_> = words.into_iter().map(|(key, value)| (ctx.ident(key), value)).collect();
        let place = ctx.dict(words);
        let place = ctx.intern_attr(gpuc_ir::AttrKind::Dict(place));
        let b = &mut self.b;
        let mut op = func::FuncOp::new(b)
            .attr(b, "sym_name", name)
            .attr(b, "function_type", ty)
            .attr(b, offload::SITE_ATTR, place);
        if site.found {
            let unit = b.ctx.unit_attr();
            op = op.attr(b, offload::FOUND_ATTR, unit);
        }
        if !formals.is_empty() {
            op = op.attr(b, "arg_attrs", arguments);
        }
        self.build(op.region(region))
    }
}

/// The number of elements of the outermost dimension that a data clause maps, from the first on, where it is a number.
fn rows(unit: &TranslationUnit, item: &DataItem) -> Option<i64> {
    let Extent::Clause(var) = &item.extent else { return None };
    let section = var.sections.first()?;
    let is_first = section.lower.is_none_or(|lower| unit.constant_int(lower) == Some(0));
    let length = section.length.filter(|_| is_first && section.stride.is_none())?;
    i64::try_from(unit.constant_int(length)?).ok()
}
