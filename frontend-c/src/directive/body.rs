//! The statements that directives apply to.

use gpuc_diagnostics::Diagnostic;

use super::atomic::Atomic;
use super::construct::Nest;
use super::{Directive, Family, Kind};
use crate::lower::walk::{self, Below, Node};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// Checks the statement behind a directive.
pub(crate) fn check_body(
    directive: &Directive,
    unit: &TranslationUnit,
    body: StmtId,
) -> Option<(Span, Diagnostic)> {
    let at_loop = directive.nest.as_ref().and_then(|nest| loops(directive, nest, unit, body));
    let wrong = at_loop
        .or_else(|| other_family(directive, unit, body))
        .or_else(|| orphaned(directive, unit, body));
    match (&directive.nest, directive.kind) {
        _ if wrong.is_some() => wrong,
        (None, Kind::Atomic(form)) if !is_refused(unit, body) => {
            Atomic::of(unit, form, directive.family, body).err()
        }
        _ => None,
    }
}

/// Whether part of the statement was refused already.
fn is_refused(unit: &TranslationUnit, body: StmtId) -> bool {
    let has_error = |expr: ExprId| {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            if matches!(unit.exprs[expr].kind, ExprKind::Error) {
                return true;
            }
            unit.exprs[expr].kind.for_each_operand(|operand| pending.push(operand));
        }
        false
    };
    match &unit.stmts[body].kind {
        StmtKind::Expr(expr) => has_error(*expr),
        StmtKind::Compound(list) => list.iter().any(|&stmt| is_refused(unit, stmt)),
        _ => false,
    }
}

/// Whether there is a loop in the statement.
fn holds_loop(unit: &TranslationUnit, body: StmtId) -> bool {
    let mut found = is_refused(unit, body);
    walk::stmt(unit, body, &mut |node| {
        found |=
            matches!(node, Node::Stmt(at) if matches!(unit.stmts[at].kind, StmtKind::For { .. }));
        if found { Below::Skip } else { Below::Enter }
    });
    found
}

/// A directive of one family has one of another in its region, or on its loop.
fn mixed(directive: &Directive, unit: &TranslationUnit, inner: &Directive) -> (Span, Diagnostic) {
    let (own, other) = (directive.family.name(), inner.family.name());
    let what = if directive.nest.is_some() { "loop" } else { "region" };
    let message = format!(
        "`{}` of {other} is mixed into a {what} of {own}'s `{}`",
        inner.words, directive.words
    );
    let error = Diagnostic::error(message)
        .related(unit.place(directive.span), format!("the directive of {own}"))
        .help(format!("say it in {own}'s words, or leave it out"));
    (inner.name, error)
}

/// The first directive that is of another family than the region in which it stands.
fn other_family(
    directive: &Directive,
    unit: &TranslationUnit,
    body: StmtId,
) -> Option<(Span, Diagnostic)> {
    if !matches!(directive.kind, Kind::Compute(_)) {
        return None;
    }
    let mut found = None;
    walk::stmt(unit, body, &mut |node| {
        if let Node::Stmt(at) = node
            && let StmtKind::Directive { directive: inner, .. } = unit.stmts[at].kind
            && unit.directives[inner].family != directive.family
        {
            found.get_or_insert(inner);
        }
        if found.is_some() { Below::Skip } else { Below::Enter }
    });
    Some(mixed(directive, unit, &unit.directives[found?]))
}

/// Parts of constructs of OpenMP that stand in a `target` region without these (OpenMP 5.2 §11.3.1, §11.6).
fn orphaned(
    directive: &Directive,
    unit: &TranslationUnit,
    body: StmtId,
) -> Option<(Span, Diagnostic)> {
    let has =
        |directive: &Directive, leaf: &str| directive.words.split(' ').any(|word| word == leaf);
    if directive.family != Family::OpenMp || !has(directive, "target") || has(directive, "data") {
        return None;
    }
    let mut found = None;
    let target_has_teams = has(directive, "teams");
    walk::stmt(unit, body, &mut |node| {
        let Node::Stmt(at) = node else { return Below::Enter };
        let StmtKind::Directive { directive: inner, .. } = unit.stmts[at].kind else {
            return Below::Enter;
        };
        let inner = &unit.directives[inner];
        if inner.family != Family::OpenMp || has(inner, "teams") {
            return Below::Skip;
        }
        let lacks = match inner.words {
            "section" => Some("sections"),
            _ if has(inner, "distribute") && !target_has_teams => Some("teams"),
            _ => None,
        };
        if let Some(lacks) = lacks {
            found.get_or_insert((inner, lacks));
        }
        Below::Enter
    });
    let (inner, lacks) = found?;
    let message = format!("`{}` belongs in a `{lacks}` construct, and here is none", inner.words);
    let error = Diagnostic::error(message)
        .related(unit.place(directive.span), "the region in which it stands");
    Some((inner.name, error))
}

/// A `loop` is followed by as many tightly nested `for` loops as it collapses.
fn loops(
    directive: &Directive,
    nest: &Nest,
    unit: &TranslationUnit,
    body: StmtId,
) -> Option<(Span, Diagnostic)> {
    let (word, count) = (directive.words, nest.count);
    let mut at = body;
    for depth in 0..count {
        // Braces around a single loop keep the nest tight.
        while depth > 0
            && let StmtKind::Compound(inner) = &unit.stmts[at].kind
            && let [single] = inner.as_slice()
        {
            at = *single;
        }
        let (span, message) = match &unit.stmts[at].kind {
            StmtKind::For { body, .. } => {
                at = *body;
                continue;
            }
            // Between the loops may stand other things, but not in their place.
            _ if nest.force && depth > 0 && holds_loop(unit, at) => return None,
            StmtKind::Directive { directive: inner, .. }
                if unit.directives[*inner].family != directive.family =>
            {
                return Some(mixed(directive, unit, &unit.directives[*inner]));
            }
            StmtKind::Compound(inner) if depth > 0 && inner.len() > 1 => (
                unit.stmts[inner[0]].span,
                format!(
                    "`{word}` collapses {count} loops, but loop {} is not alone in its body",
                    depth + 1
                ),
            ),
            _ if depth == 0 => {
                (unit.stmts[at].span, format!("`{word}` must be followed by a `for` loop"))
            }
            _ => (
                unit.stmts[at].span,
                format!("`{word}` collapses {count} loops, but only {depth} follow"),
            ),
        };
        return Some((
            span,
            Diagnostic::error(message).related(unit.place(directive.span), "the directive"),
        ));
    }
    None
}
