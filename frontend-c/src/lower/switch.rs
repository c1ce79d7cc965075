//! `switch`.

use gpuc_dialects::arith::CmpIPredicate;
use gpuc_dialects::{arith, scf};
use gpuc_ir::Value;

use super::lowerer::{Jumps, Lowerer, Lowering};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::{ExprId, StmtId, StmtKind};

/// The statements between one group of labels and the next.
#[derive(Debug, Default)]
struct Segment {
    /// The ranges of the `case` labels.
    cases: Vec<(i128, i128)>,
    /// Whether `default` is among the labels.
    default: bool,
    /// The statements.
    stmts: Vec<StmtId>,
}

impl Lowerer<'_> {
    /// Takes the labels off a statement.
    fn labels(&self, mut stmt: StmtId, segment: &mut Segment) -> StmtId {
        loop {
            match self.unit.stmts[stmt].kind {
                StmtKind::Case { low, high, body } => {
                    segment.cases.push((low, high));
                    stmt = body;
                }
                StmtKind::Default(body) => {
                    segment.default = true;
                    stmt = body;
                }
                _ => return stmt,
            }
        }
    }

    fn segments(&self, body: StmtId) -> Vec<Segment> {
        let single = [body];
        let list = match &self.unit.stmts[body].kind {
            StmtKind::Compound(list) => list.as_slice(),
            _ => &single,
        };
        let mut segments: Vec<Segment> = Vec::new();
        for &stmt in list {
            if matches!(self.unit.stmts[stmt].kind, StmtKind::Case { .. } | StmtKind::Default(_)) {
                let mut segment = Segment::default();
                let first = self.labels(stmt, &mut segment);
                segment.stmts.push(first);
                segments.push(segment);
            } else if let Some(segment) = segments.last_mut() {
                segment.stmts.push(stmt);
            }
        }
        segments
    }

    pub(super) fn switch(&mut self, value: ExprId, body: StmtId, span: Span) -> Lowering<()> {
        let segments = self.segments(body);
        let scalar = self.scalar(self.ty(value), self.span(value))?;
        let value = self.rvalue(value)?;
        self.locate(span);
        if segments.is_empty() {
            return Ok(());
        }
        // Declarations directly in the braces are seen by all segments.
        if let StmtKind::Compound(list) = &self.unit.stmts[body].kind {
            for &stmt in list {
                let stmt = self.labels(stmt, &mut Segment::default());
                if let StmtKind::Declaration(decls) = &self.unit.stmts[stmt].kind {
                    decls.iter().try_for_each(|&decl| self.hoist(decl))?;
                }
            }
        }
        let falls = segments
            .iter()
            .rev()
            .skip(1)
            .any(|segment| segment.stmts.iter().all(|&stmt| self.falls_through(stmt)));
        let outer = self.jumps.last().cloned().unwrap_or_default();
        let breaks = falls
            || segments.iter().any(|segment| {
                let inner = segment.stmts.split_last().map_or(&[][..], |(_, before)| before);
                self.exits_of(inner).breaks
                    || segment.stmts.last().is_some_and(|&last| {
                        !matches!(self.unit.stmts[last].kind, StmtKind::Break)
                            && self.exits(last).breaks
                    })
            });
        let break_flag = breaks.then(|| self.flag(false));
        self.jumps.push(Jumps {
            break_flag,
            continue_flag: outer.continue_flag,
            ..Jumps::default()
        });
        let chosen = self.choose_segment(value, scalar, &segments);
        let done = if falls {
            self.falling_segments(chosen, &segments)
        } else {
            self.separate_segments(chosen, &segments)
        };
        self.jumps.pop();
        done
    }

    /// The number of the segment to start with; their count where there is none.
    fn choose_segment(&mut self, value: Value, scalar: Scalar, segments: &[Segment]) -> Value {
        let otherwise = segments.iter().position(|s| s.default).unwrap_or(segments.len());
        let mut chosen = self.index(otherwise as i64);
        let ty = scalar.register(&mut self.b.ctx);
        for (i, segment) in segments.iter().enumerate() {
            let number = self.index(i as i64);
            for &(low, high) in &segment.cases {
                let low_value = arith::constant_int(&mut self.b, low, ty);
                let hit = if low == high {
                    self.compare_int(CmpIPredicate::Eq, value, low_value)
                } else {
                    // low <= value <= high, by one unsigned comparison.
                    let width = arith::constant_int(&mut self.b, high.wrapping_sub(low), ty);
                    let op = arith::SubIOp::new(&mut self.b, value, low_value);
                    let distance = self.value(op);
                    self.compare_int(CmpIPredicate::Ule, distance, width)
                };
                let op = arith::SelectOp::new(&mut self.b, hit, number, chosen);
                chosen = self.value(op);
            }
        }
        chosen
    }

    /// Segments that never run into the next: one region each.
    fn separate_segments(&mut self, chosen: Value, segments: &[Segment]) -> Lowering<()> {
        let location = self.b.location;
        let mut result = Ok(());
        let (default, ()) = self.region(&[], |l, _| l.yields(&[]));
        let mut op = scf::IndexSwitchOp::new(&mut self.b, chosen).region(default);
        for segment in segments {
            self.b.location = location;
            let (region, done) = self.region(&[], |l, _| {
                let done = l.statements(&segment.stmts);
                l.yields(&[]);
                done
            });
            op = op.region(region);
            result = result.and(done);
        }
        self.b.location = location;
        let numbers: Vec<i64> = (0..segments.len() as i64).collect();
        let cases = self.b.ctx.i64_array_attr(&numbers);
        let op = op.attr(&mut self.b, "cases", cases);
        self.build(op);
        result
    }

    /// Segments that may run into the next: each runs from the chosen one on, until a jump.
    fn falling_segments(&mut self, chosen: Value, segments: &[Segment]) -> Lowering<()> {
        let mut exits = super::jump::Exits::default();
        for (i, segment) in segments.iter().enumerate() {
            let number = self.index(i as i64);
            let mut run = self.compare_int(CmpIPredicate::Sle, chosen, number);
            if let Some(stopped) = self.stopped(exits) {
                let go = self.invert(stopped);
                let op = arith::AndIOp::new(&mut self.b, run, go);
                run = self.value(op);
            }
            self.branch(run, |l| l.statements(&segment.stmts))?;
            let more = self.exits_of(&segment.stmts);
            exits = super::jump::Exits {
                breaks: exits.breaks || more.breaks,
                continues: exits.continues || more.continues,
                returns: exits.returns || more.returns,
            };
        }
        Ok(())
    }
}
