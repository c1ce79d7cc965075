//! `sections` as a loop over their numbers, whose iterations threads divide (OpenMP 5.2 §11.3).

use crate::lex::scan;
use crate::parse::{Parsed, Parser};
use crate::source::Span;
use crate::tree::{StmtId, StmtKind};

impl Parser {
    /// The statement of `sections` as `for (k = 0; k < n; ++k) if (k == 0) first; else if …`.
    pub(super) fn sections_as_loop(&mut self, body: StmtId, span: Span) -> Parsed<StmtId> {
        let list = match &self.checker.unit.stmts[body].kind {
            StmtKind::Compound(list) => list.clone(),
            _ => vec![body],
        };
        // What stands in front of the first `section` is one itself.
        let mut sections: Vec<Vec<StmtId>> = Vec::new();
        for stmt in list {
            let section = match self.checker.unit.stmts[stmt].kind {
                StmtKind::Directive { directive, body: Some(body) }
                    if self.checker.unit.directives[directive].words == "section" =>
                {
                    sections.push(Vec::new());
                    body
                }
                _ => stmt,
            };
            match sections.last_mut() {
                Some(last) => last.push(section),
                None => sections.push(vec![section]),
            }
        }
        let mut text = format!(
            "for (int __gpuc_section = 0; __gpuc_section < {}; ++__gpuc_section) {{ ",
            sections.len()
        );
        for number in 0..sections.len() {
            text += &format!("if (__gpuc_section == {number}) ; ");
        }
        text.push('}');
        let tokens = scan(&text, span, &mut self.checker.unit.symbols);
        let whole = self.within(tokens, Parser::statement)?;
        let bodies: Vec<StmtId> = sections
            .into_iter()
            .map(|section| self.stmt(StmtKind::Compound(section), span))
            .collect();
        let unit = &mut self.checker.unit;
        let StmtKind::For { body: inside, .. } = unit.stmts[whole].kind else { return Ok(whole) };
        let StmtKind::Compound(list) = unit.stmts[inside].kind.clone() else { return Ok(whole) };
        for (stmt, body) in list.into_iter().zip(bodies) {
            if let StmtKind::If { then, .. } = &mut unit.stmts[stmt].kind {
                *then = body;
            }
        }
        Ok(whole)
    }
}
