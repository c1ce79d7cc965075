//! Numbers that threads compute addresses and bounds from: one for each thread of a block, and how fast they grow with the loops
//! around.
//!
//! A thread's part is exact: whatever quotients and remainders deal iterations to threads, each lane's address is known. Of a loop
//! the mean growth an iteration is kept, with which footprints of many iterations follow without looking at each: a quotient grows
//! by its share, a remainder not at all.

use std::rc::Rc;

use gpuc_ir::Context;
use gpuc_ir::affine::{AffineExpr, AffineExprKind, BinaryOp};
use smallvec::SmallVec;

/// A loop on the way of a thread: sequential, of blocks, or of the turns in which iterations are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub usize);

/// Growth by loop, an iteration.
pub type Slopes = SmallVec<[(LoopId, f64); 4]>;

/// A number of each thread.
#[derive(Clone, Debug)]
pub struct Index {
    lanes: Lanes,
    /// Sorted by loop; none that is 0.
    slopes: Slopes,
}

#[derive(Clone, Debug)]
enum Lanes {
    Same(i64),
    Each(Rc<[i64]>),
}

impl Index {
    /// The same number in all threads, wherever they are.
    pub fn constant(value: i64) -> Index {
        Index { lanes: Lanes::Same(value), slopes: Slopes::new() }
    }

    /// A number for each thread.
    pub fn each(values: Vec<i64>) -> Index {
        Index { lanes: Lanes::Each(values.into()), slopes: Slopes::new() }
    }

    /// The same, growing by so much an iteration of a loop.
    pub fn growing(mut self, with: LoopId, by: f64) -> Index {
        self.slopes = combined(&self.slopes, 1.0, &[(with, by)], 1.0);
        self
    }

    /// That of a thread.
    pub fn of(&self, thread: usize) -> i64 {
        match &self.lanes {
            Lanes::Same(value) => *value,
            Lanes::Each(values) => values[thread.min(values.len() - 1)],
        }
    }

    /// That of a thread in the middle of the block, which stands for the others where one number is wanted.
    pub fn typical(&self) -> i64 {
        match &self.lanes {
            Lanes::Same(value) => *value,
            Lanes::Each(values) => values[values.len() / 2],
        }
    }

    /// Whether all threads have the same.
    pub fn is_uniform(&self) -> bool {
        match &self.lanes {
            Lanes::Same(_) => true,
            Lanes::Each(values) => values.iter().all(|value| *value == values[0]),
        }
    }

    /// How it grows.
    pub fn slopes(&self) -> &Slopes {
        &self.slopes
    }

    /// A function of two numbers, that grows by `factors` times what they do.
    pub fn zip(&self, other: &Index, factors: [f64; 2], of: impl Fn(i64, i64) -> i64) -> Index {
        let lanes = match (&self.lanes, &other.lanes) {
            (Lanes::Same(a), Lanes::Same(b)) => Lanes::Same(of(*a, *b)),
            (Lanes::Each(a), Lanes::Same(b)) => Lanes::Each(a.iter().map(|a| of(*a, *b)).collect()),
            (Lanes::Same(a), Lanes::Each(b)) => Lanes::Each(b.iter().map(|b| of(*a, *b)).collect()),
            (Lanes::Each(a), Lanes::Each(b)) => {
                Lanes::Each(a.iter().zip(b.iter()).map(|(a, b)| of(*a, *b)).collect())
            }
        };
        Index { lanes, slopes: combined(&self.slopes, factors[0], &other.slopes, factors[1]) }
    }

    /// The same, but for some threads, which have another number; growing as most of them do.
    pub fn replaced_in(&self, threads: &[bool], other: &Index) -> Index {
        let lane = |(thread, is_other): (usize, &bool)| match is_other {
            true => other.of(thread),
            false => self.of(thread),
        };
        let lanes = Lanes::Each(threads.iter().enumerate().map(lane).collect());
        let others = threads.iter().filter(|is_other| **is_other).count();
        let most = if 2 * others >= threads.len() { other } else { self };
        Index { lanes, slopes: most.slopes.clone() }
    }

    /// The sum.
    pub fn plus(&self, other: &Index) -> Index {
        self.zip(other, [1.0, 1.0], i64::wrapping_add)
    }

    /// The difference.
    pub fn minus(&self, other: &Index) -> Index {
        self.zip(other, [1.0, -1.0], i64::wrapping_sub)
    }

    /// The product.
    pub fn times(&self, other: &Index) -> Index {
        let factors = [other.typical() as f64, self.typical() as f64];
        self.zip(other, factors, i64::wrapping_mul)
    }

    /// The quotient, rounded down; `None` where a divisor is not positive.
    pub fn divided(&self, by: &Index) -> Option<Index> {
        let divisor = by.positive()?;
        Some(self.zip(by, [1.0 / divisor, 0.0], i64::div_euclid))
    }

    /// The quotient, rounded up; `None` where a divisor is not positive.
    pub fn divided_up(&self, by: &Index) -> Option<Index> {
        let divisor = by.positive()?;
        Some(
            self.zip(by, [1.0 / divisor, 0.0], |a, b| {
                a.wrapping_neg().div_euclid(b).wrapping_neg()
            }),
        )
    }

    /// What is left of the quotient; `None` where a divisor is not positive.
    pub fn remainder(&self, by: &Index) -> Option<Index> {
        by.positive()?;
        // What stays in one period grows as it did; else it is as likely to have fallen.
        Some(self.zip(by, [0.0, 0.0], i64::rem_euclid))
    }

    /// The smaller of two.
    pub fn least(&self, other: &Index) -> Index {
        let first = self.typical() <= other.typical();
        self.zip(other, [f64::from(first), f64::from(!first)], i64::min)
    }

    /// The greater of two.
    pub fn greatest(&self, other: &Index) -> Index {
        let first = self.typical() >= other.typical();
        self.zip(other, [f64::from(first), f64::from(!first)], i64::max)
    }

    /// A number that all threads have above 0.
    fn positive(&self) -> Option<f64> {
        let all = match &self.lanes {
            Lanes::Same(value) => *value > 0,
            Lanes::Each(values) => values.iter().all(|value| *value > 0),
        };
        all.then(|| self.typical() as f64)
    }
}

/// `fa * a + fb * b`.
fn combined(a: &[(LoopId, f64)], fa: f64, b: &[(LoopId, f64)], fb: f64) -> Slopes {
    let mut sum: Slopes = a.iter().map(|(id, by)| (*id, fa * by)).collect();
    for (id, by) in b {
        match sum.iter_mut().find(|(known, _)| known == id) {
            Some((_, known)) => *known += fb * by,
            None => sum.push((*id, fb * by)),
        }
    }
    sum.retain(|(_, by)| *by != 0.0);
    sum.sort_by_key(|(id, _)| *id);
    sum
}

/// The value of an affine expression; `None` where an operand has none.
pub fn evaluate(
    ctx: &Context,
    expr: AffineExpr,
    dims: &[Option<Index>],
    symbols: &[Option<Index>],
) -> Option<Index> {
    match *ctx.expr_kind(expr) {
        AffineExprKind::Dim(at) => dims.get(at as usize)?.clone(),
        AffineExprKind::Symbol(at) => symbols.get(at as usize)?.clone(),
        AffineExprKind::Constant(value) => Some(Index::constant(value)),
        AffineExprKind::Binary(op, a, b) => {
            let a = evaluate(ctx, a, dims, symbols)?;
            let b = evaluate(ctx, b, dims, symbols)?;
            match op {
                BinaryOp::Add => Some(a.plus(&b)),
                BinaryOp::Mul => Some(a.times(&b)),
                BinaryOp::Mod => a.remainder(&b),
                BinaryOp::FloorDiv => a.divided(&b),
                BinaryOp::CeilDiv => a.divided_up(&b),
            }
        }
    }
}
