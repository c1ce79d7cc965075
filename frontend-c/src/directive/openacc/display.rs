//! Directives in dumps: normalised, with resolved names.

use super::{Clause, ClauseKind, Directive};
use crate::directive::VarRef;
use crate::tree::{ExprId, TranslationUnit};

fn source(unit: &TranslationUnit, expr: ExprId) -> String {
    let text = unit.source.slice(unit.exprs[expr].span);
    String::from_utf8_lossy(text).trim().to_owned()
}

fn list(unit: &TranslationUnit, vars: &[VarRef]) -> String {
    let words: Vec<_> = vars
        .iter()
        .map(|var| {
            let mut text = source(unit, var.base);
            for section in &var.sections {
                let part = |e: Option<ExprId>| e.map_or(String::new(), |e| source(unit, e));
                text += &match section.is_index {
                    true => format!("[{}]", part(section.lower)),
                    false => format!("[{}:{}]", part(section.lower), part(section.length)),
                };
            }
            text
        })
        .collect();
    words.join(", ")
}

impl Clause {
    fn display(&self, unit: &TranslationUnit) -> String {
        let name = self.name.spelling();
        match &self.kind {
            ClauseKind::Word | ClauseKind::OptionalValue(None) => name.to_owned(),
            ClauseKind::Condition(e)
            | ClauseKind::Value(e)
            | ClauseKind::OptionalValue(Some(e)) => {
                format!("{name}({})", source(unit, *e))
            }
            ClauseKind::Vars { vars, .. } => format!("{name}({})", list(unit, vars)),
            ClauseKind::Reduction { op, vars } => {
                format!("{name}({}: {})", op.spelling(), list(unit, vars))
            }
            ClauseKind::Collapse { count, .. } => format!("{name}({count})"),
            // The others are rare enough to be shown as they are written.
            _ => String::from_utf8_lossy(unit.source.slice(self.span)).into_owned(),
        }
    }
}

impl Directive {
    /// The directive as one line.
    pub fn display(&self, unit: &TranslationUnit) -> String {
        let mut text = self.kind.spelling().to_owned();
        for clause in &self.clauses {
            text.push(' ');
            text += &clause.display(unit);
        }
        text
    }
}
