//! Warnings of what is right and probably not what was meant, from what passes remark and what the program
//! around a construct shows.

use std::collections::HashSet;
use std::ops::Range;

use gpuc_diagnostics::{Diagnostic, Place, codes};
use gpuc_dialects::offload::Construct;
use gpuc_frontend_c::directive::action::Action;
use gpuc_frontend_c::directive::construct::{ComputeRegion, Kind};
use gpuc_frontend_c::lower::{ConstructInfo, DataItem, Extent, Lowered, MappingKind};
use gpuc_frontend_c::tree::{DeclId, ExprKind, ItemKind, StmtKind, TranslationUnit};

/// The warnings of a unit. `remarks` is what the passes have said.
pub fn of(unit: &TranslationUnit, lowered: &Lowered, remarks: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let program = Program::of(unit, lowered);
    let by_line = by_line(remarks);
    let mut small = Vec::new();
    for construct in &lowered.constructs {
        if construct.compute.is_none() || construct.action != Action::Compute {
            continue;
        }
        let inside = inside(unit, construct, remarks, &by_line);
        warnings.extend(sequential(unit, construct, &inside));
        warnings.extend(program.moved_in_loop(construct));
        small.extend(program.small(construct, &inside));
    }
    warnings.extend(once(small));
    warnings
}

/// The first of some warnings that are alike, which names the lines of the others.
fn once(warnings: Vec<Diagnostic>) -> Option<Diagnostic> {
    let line = |warning: &Diagnostic| warning.place.as_ref().map(|place| place.line);
    let mut warnings = warnings.into_iter();
    let first = warnings.next()?;
    let mut lines: Vec<u32> = warnings.filter_map(|warning| line(&warning)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.retain(|&other| line(&first) != Some(other));
    const NAMED: usize = 8;
    let more = if lines.len() > NAMED { " and others" } else { "" };
    let named: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
    Some(match &named[..] {
        [] => first,
        [line] => first.help(format!("that in line {line} is too small as well")),
        lines => {
            first.help(format!("those in lines {}{more} are too small as well", lines.join(", ")))
        }
    })
}

/// The numbers of the remarks that have a place, by their lines.
fn by_line(remarks: &[Diagnostic]) -> Vec<(u32, usize)> {
    let place =
        |(number, remark): (usize, &Diagnostic)| Some((remark.place.as_ref()?.line, number));
    let mut lines: Vec<(u32, usize)> = remarks.iter().enumerate().filter_map(place).collect();
    lines.sort_unstable();
    lines
}

/// The remarks on a construct, in their order.
fn inside<'a>(
    unit: &TranslationUnit,
    construct: &ConstructInfo,
    remarks: &'a [Diagnostic],
    by_line: &[(u32, usize)],
) -> Vec<&'a Diagnostic> {
    let (_, last) = unit.source.line(construct.end.saturating_sub(1));
    let first = by_line.partition_point(|(line, _)| *line < construct.line);
    let lines = by_line[first..].iter().take_while(|(line, _)| *line <= last);
    let mut numbers: Vec<usize> = lines.map(|(_, number)| *number).collect();
    numbers.sort_unstable();
    let is_here = |remark: &&Diagnostic| {
        remark.place.as_ref().is_some_and(|place| *place.file == *construct.file)
    };
    numbers.into_iter().map(|number| &remarks[number]).filter(is_here).collect()
}

fn place(unit: &TranslationUnit, construct: &ConstructInfo) -> Place {
    unit.place(unit.directives[construct.directive].span)
}

/// A construct that is to compute in parallel, and of which no loop does.
fn sequential(
    unit: &TranslationUnit,
    construct: &ConstructInfo,
    remarks: &[&Diagnostic],
) -> Option<Diagnostic> {
    let directive = &unit.directives[construct.directive];
    if matches!(directive.kind, Kind::Compute(ComputeRegion { construct: Construct::Serial })) {
        return None;
    }
    let of = |code: &'static str| remarks.iter().find(move |remark| remark.code == Some(code));
    if of(codes::SEQUENTIAL_LOOP).is_some() {
        return None;
    }
    let serial = of(codes::SERIAL_KERNEL)?;
    let line = |diagnostic: &Diagnostic| diagnostic.place.as_ref().map(|place| place.line);
    let why = remarks
        .iter()
        .find(|remark| remark.code == Some(codes::LOOP_CARRIED) && line(remark) == line(serial))?;
    let warning = Diagnostic::warning(format!(
        "one thread of the device computes this loop of `{}`: {}",
        construct.words, why.message
    ));
    let warning = warning.code(codes::SEQUENTIAL_LOOP).at_option(serial.place.clone());
    Some(why.help.iter().cloned().fold(warning, Diagnostic::help))
}

/// What of a program says where its data may be.
struct Program<'a> {
    unit: &'a TranslationUnit,
    lowered: &'a Lowered,
    /// The loops of the host that may run more than once.
    loops: Vec<Range<usize>>,
    parameters: HashSet<DeclId>,
    /// Whether it puts data on the device by a directive without a region.
    has_data: bool,
    /// Whether it calls a routine that does.
    calls_routine: bool,
}

impl<'a> Program<'a> {
    fn of(unit: &'a TranslationUnit, lowered: &'a Lowered) -> Program<'a> {
        let loops = unit.stmts.iter().filter(|(_, stmt)| {
            let is_loop = matches!(
                stmt.kind,
                StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
            );
            is_loop && !runs_once(unit, &stmt.kind)
        });
        let functions = unit.items.iter().filter_map(|item| match item.kind {
            ItemKind::Function(function) => unit.function(function),
            _ => None,
        });
        Program {
            loops: loops.map(|(_, stmt)| stmt.span.range()).collect(),
            parameters: functions.flat_map(|function| &function.parameters).copied().collect(),
            has_data: lowered.constructs.iter().any(|other| {
                other.compute.is_none() && !unit.directives[other.directive].data.is_empty()
            }),
            calls_routine: calls_data_routine(unit),
            unit,
            lowered,
        }
    }

    /// Data that no clause names, of a construct in a loop of the host.
    fn moved_in_loop(&self, construct: &ConstructInfo) -> Option<Diagnostic> {
        let unit = self.unit;
        let at = unit.directives[construct.directive].span.start as usize;
        let around = self.loops.iter().filter(|range| range.contains(&at));
        let innermost = around.max_by_key(|range| range.start)?;
        let (_, line) = unit.source.line(innermost.start as u32);
        let moved = construct.data.iter().filter(|item| self.is_moved_unnamed(construct, item));
        let moved: Vec<&str> = moved.map(|item| item.name.as_str()).collect();
        let names: Vec<String> = moved.iter().map(|name| format!("`{name}`")).collect();
        let (last, first) = names.split_last()?;
        let (list, verb, they) = match first.is_empty() {
            true => (last.clone(), "is", "it stays"),
            false => (format!("{} and {last}", first.join(", ")), "are", "they stay"),
        };
        let warning = Diagnostic::warning(format!(
            "{list} {verb} moved in every iteration of the loop in line {line}: no clause says that {they} on \
             the device"
        ));
        let warning = warning.code(codes::MOVED_IN_LOOP).at(place(unit, construct));
        let family = unit.directives[construct.directive].family;
        Some(match family.data_construct(&moved.join(", ")) {
            Some(directive) => warning.help(format!("put `{directive}` around the loop")),
            None => warning,
        })
    }

    /// Whether a construct moves an item that none of its clauses names, for all that is known.
    fn is_moved_unnamed(&self, construct: &ConstructInfo, item: &DataItem) -> bool {
        let kinds =
            [MappingKind::ImplicitCopy, MappingKind::ImplicitCopyIn, MappingKind::ImplicitSection];
        let variable = item.unnamed.filter(|_| kinds.contains(&item.kind));
        variable.is_some_and(|variable| !self.may_be_there(construct, variable))
    }

    /// Whether a variable's data may be on the device when a construct begins: something else in the unit names it, or
    /// it is reached by a pointer, and something puts data there.
    fn may_be_there(&self, construct: &ConstructInfo, variable: DeclId) -> bool {
        let unit = self.unit;
        let named = self.lowered.constructs.iter().any(|other| {
            // One that is around says so by itself.
            let is_around = other.action == Action::Data && other.function == construct.function;
            let mut data = unit.directives[other.directive].data();
            other.compute.is_none() && !is_around && data.any(|(_, var)| var.decl == variable)
        });
        let is_reached =
            self.parameters.contains(&variable) || unit.types.is_pointer(unit.decls[variable].ty);
        named || is_reached && self.has_data || self.calls_routine
    }

    /// A region whose data comes for it alone, and which the host would be done with before.
    fn small(&self, construct: &ConstructInfo, remarks: &[&Diagnostic]) -> Option<Diagnostic> {
        use MappingKind::{Copy, CopyIn, CopyOut, ImplicitCopy, ImplicitCopyIn, ImplicitSection};
        let remark = remarks.iter().find(|remark| remark.code == Some(codes::SMALL_REGION))?;
        let kinds = [Copy, CopyIn, CopyOut, ImplicitCopy, ImplicitCopyIn, ImplicitSection];
        let comes_alone = |item: &DataItem| {
            let variable = match &item.extent {
                Extent::Enclosed { .. } => return false,
                Extent::Clause(var) => Some(var.decl),
                _ => item.unnamed,
            };
            kinds.contains(&item.kind)
                && variable.is_none_or(|variable| !self.may_be_there(construct, variable))
        };
        if construct.data.is_empty() || !construct.data.iter().all(comes_alone) {
            return None;
        }
        let text = remark.message.replacen("Region", "this region is", 1);
        let warning = Diagnostic::warning(text).code(codes::SMALL_REGION);
        Some(warning.at(place(self.unit, construct)).help(
            "leave the directive out, or have the data of several regions stay on the device",
        ))
    }
}

/// `do … while (0)`, as macros have it.
fn runs_once(unit: &TranslationUnit, kind: &StmtKind) -> bool {
    let StmtKind::DoWhile { condition, .. } = *kind else { return false };
    unit.source.slice(unit.exprs[condition].span) == b"0"
}

/// Whether a unit calls a routine that puts data on the device.
fn calls_data_routine(unit: &TranslationUnit) -> bool {
    const ROUTINES: [&str; 6] = [
        "acc_copyin",
        "acc_create",
        "acc_map_data",
        "acc_present_or_c",
        "omp_target_associate_ptr",
        "acc_pc",
    ];
    unit.exprs.iter().any(|(_, expr)| match expr.kind {
        ExprKind::Name(decl) => {
            let name = unit.name(decl);
            ROUTINES.iter().any(|routine| name.starts_with(routine))
        }
        _ => false,
    })
}
