//! Expressions of the typed tree as C, for those whose text still has macros in it.

use crate::tree::{ExprId, ExprKind, TranslationUnit};

/// An expression as C, of what clauses are usually given: names, numbers, operators, members,
/// elements and calls. `None` for any other.
pub(super) fn print(unit: &TranslationUnit, expr: ExprId) -> Option<String> {
    let inner_text = |expr: ExprId| print(unit, expr);
    Some(match &unit.exprs[expr].kind {
        ExprKind::Int(value) if i64::try_from(*value) == Ok(i64::MIN) => return None,
        ExprKind::Int(value) => {
            let suffix = match unit.types.as_int(unit.exprs[expr].ty)?.is_signed() {
                true => "l",
                false => "ul",
            };
            format!("({value}{suffix})")
        }
        ExprKind::Name(decl) => unit.name(*decl).to_owned(),
        ExprKind::Paren(inner) => format!("({})", inner_text(*inner)?),
        ExprKind::Unary(op, operand) => format!("({}{})", op.spelling(), inner_text(*operand)?),
        ExprKind::Binary(op, a, b) => {
            format!("({} {} {})", inner_text(*a)?, op.spelling(), inner_text(*b)?)
        }
        ExprKind::Conditional { condition, then: Some(then), otherwise } => {
            format!(
                "({} ? {} : {})",
                inner_text(*condition)?,
                inner_text(*then)?,
                inner_text(*otherwise)?
            )
        }
        ExprKind::Index { base, index } => {
            format!("{}[{}]", inner_text(*base)?, inner_text(*index)?)
        }
        ExprKind::Member { base, access } => {
            let field = &unit.types.record(access.record).fields[access.field as usize];
            format!("({}).{}", inner_text(*base)?, unit.text(field.name?))
        }
        ExprKind::Call { callee, arguments } => {
            let arguments: Option<Vec<_>> =
                arguments.iter().map(|&argument| inner_text(argument)).collect();
            format!("{}({})", inner_text(*callee)?, arguments?.join(", "))
        }
        ExprKind::Cast { operand, implicit: true, .. } => inner_text(*operand)?,
        ExprKind::Cast { operand, .. } => {
            format!("(({}){})", unit.display(unit.exprs[expr].ty), inner_text(*operand)?)
        }
        _ => return None,
    })
}
