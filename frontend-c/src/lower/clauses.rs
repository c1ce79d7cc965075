//! What the clauses of a directive say, as lowering asks for it.

use crate::directive::openacc::{
    ClauseKind, ClauseName, DefaultData, Directive, ReductionOp, VarRef,
};
use crate::tree::ExprId;

use super::DataKind;

/// The kind of mapping that a data clause asks for.
fn data_kind(name: ClauseName) -> Option<DataKind> {
    Some(match name {
        ClauseName::Copy => DataKind::Copy,
        ClauseName::CopyIn => DataKind::CopyIn,
        ClauseName::CopyOut => DataKind::CopyOut,
        ClauseName::Create => DataKind::Create,
        ClauseName::Present => DataKind::Present,
        ClauseName::Delete => DataKind::Delete,
        ClauseName::DevicePtr => DataKind::DevicePtr,
        ClauseName::SelfClause | ClauseName::Host => DataKind::UpdateHost,
        ClauseName::Device => DataKind::UpdateDevice,
        _ => return None,
    })
}

/// The variables of data clauses, in order.
pub(super) fn data(directive: &Directive) -> impl Iterator<Item = (DataKind, &VarRef)> {
    directive.clauses.iter().flat_map(|clause| {
        let vars: &[VarRef] = match &clause.kind {
            ClauseKind::Vars { vars, .. } => vars,
            _ => &[],
        };
        let kind = data_kind(clause.name);
        vars.iter().filter_map(move |var| Some((kind?, var)))
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

/// The condition of the `if` clause.
pub(super) fn condition(directive: &Directive) -> Option<ExprId> {
    match directive.clause(ClauseName::If)?.kind {
        ClauseKind::Condition(condition) => Some(condition),
        _ => None,
    }
}

/// What `default` says.
pub(super) fn default_data(directive: &Directive) -> Option<DefaultData> {
    match directive.clause(ClauseName::Default)?.kind {
        ClauseKind::Default(default) => Some(default),
        _ => None,
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
