//! Equal expressions.

use super::{ExprId, ExprKind, TranslationUnit};

impl TranslationUnit {
    /// Whether two expressions are the same text up to parentheses and implicit conversions, so that
    /// they designate the same object or have the same value at one place of the program.
    pub fn same_expression(&self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.peel(a), self.peel(b));
        if a == b {
            return true;
        }
        let types_agree = self.exprs[a].ty == self.exprs[b].ty;
        let (ka, kb) = (&self.exprs[a].kind, &self.exprs[b].kind);
        let same_node = match (ka, kb) {
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Float(a), ExprKind::Float(b)) => a.to_bits() == b.to_bits() && types_agree,
            (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
            (ExprKind::Unary(a, _), ExprKind::Unary(b, _)) => a == b,
            (ExprKind::Binary(a, ..), ExprKind::Binary(b, ..)) => a == b,
            (ExprKind::Member { access: a, .. }, ExprKind::Member { access: b, .. }) => a == b,
            (ExprKind::Index { .. }, ExprKind::Index { .. }) => true,
            (
                ExprKind::Conditional { then: Some(_), .. },
                ExprKind::Conditional { then: Some(_), .. },
            ) => true,
            (ExprKind::Cast { kind: a, .. }, ExprKind::Cast { kind: b, .. }) => {
                a == b && types_agree
            }
            _ => false,
        };
        let operands = |kind: &ExprKind| {
            let mut list = Vec::new();
            kind.for_each_operand(|operand| list.push(operand));
            list
        };
        let (oa, ob) = (operands(ka), operands(kb));
        same_node
            && oa.len() == ob.len()
            && oa.iter().zip(&ob).all(|(&x, &y)| self.same_expression(x, y))
    }
}
