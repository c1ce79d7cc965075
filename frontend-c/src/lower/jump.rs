//! `break`, `continue` and `return`: which statements may leave, and what runs behind them.
//!
//! The IR's regions end where they end. A jump therefore sets a flag, and what stands behind a
//! statement that may jump runs only while no flag is set. Where a branch of an `if` always jumps,
//! what follows the `if` moves into the other branch, and no flag needs to be read.

use gpuc_dialects::arith;
use gpuc_ir::Value;

use super::lowerer::{Failure, Lowerer, Lowering};
use crate::tree::{ExprId, StmtId, StmtKind};

/// How a statement may be left other than by its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exits {
    /// By a `break` out of it.
    pub breaks: bool,
    /// By a `continue` of a loop around it.
    pub continues: bool,
    /// By a `return`.
    pub returns: bool,
}

impl Exits {
    /// Whether it is always left by its end.
    pub(super) fn is_empty(self) -> bool {
        self == Exits::default()
    }

    fn or(self, other: Exits) -> Exits {
        Exits {
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            returns: self.returns || other.returns,
        }
    }
}

impl Lowerer<'_> {
    /// The statement behind the labels in front of it, of which there may be many.
    fn unlabelled(&self, mut stmt: StmtId) -> StmtId {
        while let StmtKind::Case { body, .. }
        | StmtKind::Default(body)
        | StmtKind::Label { body, .. } = self.unit.stmts[stmt].kind
        {
            stmt = body;
        }
        stmt
    }

    /// How `stmt` may be left.
    pub(super) fn exits(&self, stmt: StmtId) -> Exits {
        match &self.unit.stmts[self.unlabelled(stmt)].kind {
            StmtKind::Break => Exits { breaks: true, ..Exits::default() },
            StmtKind::Continue => Exits { continues: true, ..Exits::default() },
            StmtKind::Return(_) => Exits { returns: true, ..Exits::default() },
            StmtKind::Compound(list) => self.exits_of(list),
            StmtKind::If { then, otherwise, .. } => {
                self.exits(*then).or(otherwise.map_or(Exits::default(), |s| self.exits(s)))
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. } => {
                Exits { returns: self.exits(*body).returns, ..Exits::default() }
            }
            StmtKind::Switch { body, .. } => Exits { breaks: false, ..self.exits(*body) },
            StmtKind::Directive { body: Some(body), .. } => self.exits(*body),
            _ => Exits::default(),
        }
    }

    /// How a list of statements may be left.
    pub(super) fn exits_of(&self, list: &[StmtId]) -> Exits {
        list.iter().fold(Exits::default(), |all, &stmt| all.or(self.exits(stmt)))
    }

    /// Whether the end of `stmt` can be reached.
    pub(super) fn falls_through(&self, stmt: StmtId) -> bool {
        match &self.unit.stmts[self.unlabelled(stmt)].kind {
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => false,
            StmtKind::Compound(list) => list.iter().all(|&s| self.falls_through(s)),
            StmtKind::If { then, otherwise: Some(otherwise), .. } => {
                self.falls_through(*then) || self.falls_through(*otherwise)
            }
            _ => true,
        }
    }

    /// The or of the flags of some exits; `None` where none of them has one.
    pub(super) fn stopped(&mut self, exits: Exits) -> Option<Value> {
        let (breaks, continues) =
            self.jumps.last().map_or((None, None), |jumps| (jumps.break_flag, jumps.continue_flag));
        let returns = self.frames.last().and_then(|frame| frame.return_flag);
        let flags =
            [(exits.breaks, breaks), (exits.continues, continues), (exits.returns, returns)];
        let mut all = None;
        for flag in flags.into_iter().filter(|&(may, _)| may).filter_map(|(_, flag)| flag) {
            let set = self.read_slot(flag);
            all = Some(match all {
                Some(other) => {
                    let op = arith::OrIOp::new(&mut self.b, other, set);
                    self.value(op)
                }
                None => set,
            });
        }
        all
    }

    /// Lowers statements one behind the other. What is refused is reported, and the next one tried.
    pub(super) fn statements(&mut self, list: &[StmtId]) -> Lowering<()> {
        for (i, &stmt) in list.iter().enumerate() {
            let rest = &list[i + 1..];
            let exits = self.exits(stmt);
            if !rest.is_empty()
                && !exits.is_empty()
                && let StmtKind::If { condition, then, otherwise } = self.unit.stmts[stmt].kind
            {
                let else_falls = otherwise.is_none_or(|s| self.falls_through(s));
                if !self.falls_through(then) || !else_falls {
                    let done = self.branch_and_rest(condition, then, otherwise, rest);
                    return self.recover(done);
                }
            }
            let done = self.statement(stmt);
            self.recover(done)?;
            if !self.falls_through(stmt) {
                return Ok(());
            }
            if !exits.is_empty()
                && !rest.is_empty()
                && let Some(stopped) = self.stopped(exits)
            {
                let go = self.invert(stopped);
                return self.branch(go, |l| l.statements(rest));
            }
        }
        Ok(())
    }

    /// `if (condition) then else otherwise; rest`, where one side never reaches the rest.
    fn branch_and_rest(
        &mut self,
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
        rest: &[StmtId],
    ) -> Lowering<()> {
        let then_falls = self.falls_through(then);
        let else_falls = otherwise.is_none_or(|s| self.falls_through(s));
        let condition = self.condition(condition)?;
        let followed = |stmt: Option<StmtId>, falls: bool| {
            let mut list: Vec<StmtId> = stmt.into_iter().collect();
            if falls {
                list.extend(rest);
            }
            list
        };
        let (then, otherwise) = (followed(Some(then), then_falls), followed(otherwise, else_falls));
        self.either(condition, |l| l.statements(&then), |l| l.statements(&otherwise))
    }

    /// Keeps what was refused and goes on.
    pub(super) fn recover(&mut self, done: Lowering<()>) -> Lowering<()> {
        match done {
            Err(Failure::Refused(diagnostic)) => {
                self.diagnostics.push(*diagnostic);
                Ok(())
            }
            Err(Failure::Reported) => Ok(()),
            other => other,
        }
    }
}
