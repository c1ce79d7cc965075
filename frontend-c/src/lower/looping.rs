//! Loops that do not count: `scf.while`.

use gpuc_dialects::{arith, scf};
use gpuc_ir::Value;

use super::jump::Exits;
use super::lowerer::{Jumps, Lowerer, Lowering};
use crate::tree::{ExprId, StmtId};

impl Lowerer<'_> {
    /// `for`: as a counted loop where it is one.
    pub(super) fn for_loop(
        &mut self,
        id: StmtId,
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) -> Lowering<()> {
        let exits = self.exits(body);
        if !exits.breaks
            && !exits.returns
            && let Ok(counted) = self.counted(id)
            && self.bounds_stay(&counted, body)
            && !self.may_come_around(&counted)
        {
            return self.counted_loop(&counted);
        }
        if let Some(init) = init {
            self.statement(init)?;
        }
        self.general_loop(condition, step, body, true)
    }

    /// Any loop. `test_first` says whether the condition is tested before the first round.
    pub(super) fn general_loop(
        &mut self,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        test_first: bool,
    ) -> Lowering<()> {
        let location = self.b.location;
        let exits = self.exits(body);
        let break_flag = exits.breaks.then(|| self.flag(false));
        self.jumps.push(Jumps { break_flag, ..Jumps::default() });
        let leaving = Exits { continues: false, ..exits };

        let (before, first) = self.region(&[], |l, _| {
            let mut done = Ok(());
            if !test_first {
                done = l.round(body, exits);
            }
            let go = l.go_on(condition, leaving);
            let (go, done) = match go {
                Ok(go) => (go, done),
                Err(failure) => (arith::constant_bool(&mut l.b, false), done.and(Err(failure))),
            };
            let op = scf::ConditionOp::new(&mut l.b, go, &[]);
            l.build(op);
            done
        });
        self.b.location = location;
        let (after, second) = self.region(&[], |l, _| {
            let mut done = Ok(());
            if test_first {
                done = l.round(body, exits);
                if let (Ok(()), Some(step)) = (&done, step) {
                    done = match l.stopped(leaving) {
                        Some(stopped) => {
                            let go = l.invert(stopped);
                            l.branch(go, |l| l.effects(step))
                        }
                        None => l.effects(step),
                    };
                }
            }
            l.yields(&[]);
            done
        });
        self.jumps.pop();
        self.b.location = location;
        let op = scf::WhileOp::new(&mut self.b, &[]).region(before).region(after);
        self.build(op);
        first.and(second)
    }

    /// One round of a loop's body, which `continue` may end early.
    pub(super) fn round(&mut self, body: StmtId, exits: Exits) -> Lowering<()> {
        if exits.continues {
            let flag = self.flag(false);
            if let Some(jumps) = self.jumps.last_mut() {
                jumps.continue_flag = Some(flag);
            }
        }
        self.nested(body)
    }

    /// Whether a further round is due. The condition is not evaluated once the loop was left.
    fn go_on(&mut self, condition: Option<ExprId>, leaving: Exits) -> Lowering<Value> {
        let Some(stopped) = self.stopped(leaving) else {
            return match condition {
                Some(condition) => self.condition(condition),
                None => Ok(arith::constant_bool(&mut self.b, true)),
            };
        };
        let go = self.invert(stopped);
        let Some(condition) = condition else { return Ok(go) };
        if self.is_cheap(condition) {
            let more = self.condition(condition)?;
            let op = arith::AndIOp::new(&mut self.b, go, more);
            return Ok(self.value(op));
        }
        let i1 = self.b.ctx.i1();
        self.choose(
            go,
            i1,
            |l| l.condition(condition),
            |l| Ok(arith::constant_bool(&mut l.b, false)),
        )
    }
}
