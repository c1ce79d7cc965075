//! What the clauses of a directive say, as lowering asks for it.

use crate::directive::openacc::{
    ClauseKind, ClauseName, Directive, Modifiers, ReductionOp, VarRef,
};
use crate::tree::{DeclId, ExprId, TranslationUnit};

use super::array_reduction::is_array_reduction;
use super::{DataFlags, DataKind};

/// The kind of mapping that a data clause asks for.
fn data_kind(name: ClauseName) -> Option<DataKind> {
    Some(match name {
        ClauseName::Copy => DataKind::Copy,
        ClauseName::CopyIn => DataKind::CopyIn,
        ClauseName::CopyOut => DataKind::CopyOut,
        ClauseName::Create => DataKind::Create,
        ClauseName::NoCreate => DataKind::NoCreate,
        ClauseName::Present => DataKind::Present,
        ClauseName::Delete => DataKind::Delete,
        ClauseName::DevicePtr => DataKind::DevicePtr,
        ClauseName::SelfClause | ClauseName::Host => DataKind::UpdateHost,
        ClauseName::Device => DataKind::UpdateDevice,
        ClauseName::DeviceResident => DataKind::Create,
        ClauseName::UseDevice => DataKind::UseDevice,
        ClauseName::Attach => DataKind::Attach,
        ClauseName::Detach => DataKind::Detach,
        _ => return None,
    })
}

/// The variables of data clauses, in order.
pub(super) fn data(directive: &Directive) -> impl Iterator<Item = (DataKind, &VarRef)> {
    data_with_flags(directive).map(|(kind, _, var)| (kind, var))
}

/// The variables of data clauses, in order, with what else their clause or the directive says of them.
pub(super) fn data_with_flags(
    directive: &Directive,
) -> impl Iterator<Item = (DataKind, DataFlags, &VarRef)> {
    let has = |name| directive.clause(name).is_some();
    let (finalize, if_present) = (has(ClauseName::Finalize), has(ClauseName::IfPresent));
    directive.clauses.iter().flat_map(move |clause| {
        let (modifiers, vars): (Modifiers, &[VarRef]) = match &clause.kind {
            ClauseKind::Vars { modifiers, vars } => (*modifiers, vars),
            _ => (Modifiers::default(), &[]),
        };
        let kind = data_kind(clause.name);
        let Modifiers { zero, always, .. } = modifiers;
        let flags = DataFlags { finalize, if_present, zero, always, ..DataFlags::default() };
        vars.iter().filter_map(move |var| Some((kind?, flags, var)))
    })
}

/// The variables of the clauses called `name`, in order.
pub(super) fn listed(directive: &Directive, name: ClauseName) -> impl Iterator<Item = &VarRef> {
    directive.clauses.iter().filter(move |clause| clause.name == name).flat_map(|clause| {
        match &clause.kind {
            ClauseKind::Vars { vars, .. } => vars.as_slice(),
            _ => &[],
        }
    })
}

/// The variables that clauses bring to the device themselves; `link` leaves that to others.
pub(super) fn named(directive: &Directive) -> impl Iterator<Item = DeclId> {
    let here = directive.clauses.iter().filter(|clause| clause.name != ClauseName::Link);
    here.flat_map(|clause| {
        let vars: &[VarRef] = match &clause.kind {
            ClauseKind::Vars { vars, .. } => vars,
            _ => &[],
        };
        vars.iter().map(|var| var.decl)
    })
}

/// The reductions, in order.
pub(super) fn reductions(directive: &Directive) -> impl Iterator<Item = (ReductionOp, &VarRef)> {
    directive.clauses.iter().flat_map(|clause| {
        let (op, vars): (ReductionOp, &[VarRef]) = match &clause.kind {
            ClauseKind::Reduction { op, vars } => (*op, vars),
            _ => (ReductionOp::Add, &[]),
        };
        vars.iter().map(move |var| (op, var))
    })
}

/// The reductions on scalar variables, in order.
pub(super) fn scalar_reductions<'d>(
    unit: &'d TranslationUnit,
    directive: &'d Directive,
) -> impl Iterator<Item = (ReductionOp, &'d VarRef)> {
    reductions(directive).filter(|(_, var)| !is_array_reduction(unit, var))
}

/// The values of a clause whose product counts.
pub(super) fn values(directive: &Directive, name: ClauseName) -> Vec<ExprId> {
    match directive.clause(name).map(|clause| &clause.kind) {
        Some(ClauseKind::NumGangs(values)) => values.clone(),
        _ => value(directive, name).into_iter().collect(),
    }
}

/// The value of a clause with one value, such as `num_workers`.
pub(super) fn value(directive: &Directive, name: ClauseName) -> Option<ExprId> {
    match &directive.clause(name)?.kind {
        ClauseKind::Value(value) => Some(*value),
        ClauseKind::OptionalValue(value) => *value,
        ClauseKind::NumGangs(values) => values.first().copied(),
        ClauseKind::Gang(gang) => gang.num,
        _ => None,
    }
}
