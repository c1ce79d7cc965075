//! Which layout of an array the banks have least to do with.
//!
//! Li et al. 2016, fig. 4 and table 1, as far as it is about data: records whose members lie apart become arrays of their own
//! (AoS to SoA); what is read by columns is transposed; rows that are read by columns get longer; and, where there is no
//! memory for that, the elements of each row are exchanged by its number, which the paper has not. The order is that of
//! what they cost: the first two take nothing, the third memory, the last one instructions for each access. A later
//! one is taken where the banks are done with it sooner.

use gpuc_arch::{BANK_BYTES, BANKS};
use indexmap::IndexMap;

use super::layout::BankLayout;
use super::warps::Request;
use crate::analysis::sharing::banks::most_words;
use crate::plan::step::MOST_LONGER;

/// Elements that one load brings, at most.
const WIDE: [usize; 2] = [4, 2];
/// Bytes that one load brings, at most.
const WIDEST: i64 = 16;
/// Passes that the instructions of an exchange take as long as, for each access: three, of which a multiprocessor's integer
/// units do two in a clock.
const EXCHANGE: i64 = 2;
/// Dimensions of arrays that have all their orders looked at.
const MOST_DIMENSIONS: usize = 3;

/// An array that is laid out anew.
pub struct Subject<'a> {
    /// Its extents.
    pub shape: &'a [i64],
    /// Bytes of an element.
    pub bytes: u64,
    /// The accesses.
    pub requests: &'a [Request],
    /// Bytes that it may have.
    pub room: i64,
}

/// A layout, and what it takes.
pub struct Choice {
    /// The layout.
    pub layout: BankLayout,
    /// Passes through the banks for a warp, with the layout and as the program has it.
    pub passes: [i64; 2],
}

impl Subject<'_> {
    /// The layout to take; `None` where the one that it has is as good.
    pub fn best(&self) -> Option<Choice> {
        let plain = BankLayout::plain(self.shape.len());
        let before = self.passes(&plain);
        let mut best = (before, before, plain.clone());
        // Without a conflict there is nothing to gain.
        if before <= least(self.requests) {
            return None;
        }
        let weights = self.requests.iter().map(|request| request.weight);
        let accesses = weights.fold(0, i64::saturating_add);
        for layout in self.candidates() {
            if layout.bytes(self.shape, self.bytes) > self.room {
                continue;
            }
            let passes = self.passes(&layout);
            let exchange = if layout.exchanged { EXCHANGE } else { 0 };
            let cost = passes.saturating_add(exchange.saturating_mul(accesses));
            if cost < best.0 {
                best = (cost, passes, layout);
            }
        }
        let (_, after, layout) = best;
        (layout != plain).then_some(Choice { layout, passes: [after, before] })
    }

    /// Layouts, those first that cost least.
    fn candidates(&self) -> Vec<BankLayout> {
        let rank = self.shape.len();
        let mut orders = vec![(0..rank).collect::<Vec<_>>()];
        if (2..=MOST_DIMENSIONS).contains(&rank) {
            orders = permutations(rank);
        }
        let plain =
            |order: &Vec<usize>| BankLayout { order: order.clone(), longer: 0, exchanged: false };
        let mut all: Vec<BankLayout> = orders.iter().map(plain).collect();
        if rank < 2 {
            return all;
        }
        let row = self.shape[rank - 1];
        // As little as there need be: whole words apart are tried first.
        let words = (i64::from(BANK_BYTES) / self.bytes.max(1) as i64).max(1);
        for by in 1..=i64::from(BANKS) {
            let longer = by * words;
            if longer <= MOST_LONGER {
                all.push(BankLayout { longer, ..plain(&orders[0]) });
            }
        }
        if row.count_ones() == 1 {
            all.push(BankLayout { exchanged: true, ..plain(&orders[0]) });
        }
        all
    }

    fn passes(&self, layout: &BankLayout) -> i64 {
        let bytes = self.bytes as i64;
        passes(self.requests, &|_, at| {
            layout.element(self.shape, self.bytes, at).saturating_mul(bytes)
        })
    }
}

/// Passes of all accesses if none waited for another.
pub fn least(requests: &[Request]) -> i64 {
    let each = |request: &Request| {
        let words = request.bytes.div_ceil(u64::from(BANK_BYTES)) as i64;
        request.weight.saturating_mul(words)
    };
    requests.iter().map(each).fold(0, i64::saturating_add)
}

/// An access, and the bytes from which on the threads of a warp make it, for each sample.
type Placed<'a> = (&'a Request, Vec<Vec<i64>>);

/// How many passes a warp's accesses take, all in all, in the worst of the samples. `byte` says where an element lies.
pub fn passes(requests: &[Request], byte: &dyn Fn(&Request, &[i64]) -> i64) -> i64 {
    let mut together: IndexMap<_, Vec<Placed<'_>>> = IndexMap::new();
    let mut sum = 0_i64;
    for request in requests {
        let of = |all: &Vec<Vec<i64>>| all.iter().map(|at| byte(request, at)).collect();
        let places: Vec<Vec<i64>> = request.subscripts.iter().map(of).collect();
        match request.is_load {
            true => {
                together.entry((request.block, request.bytes)).or_default().push((request, places))
            }
            false => sum = sum.saturating_add(weighed(request, &places, 1)),
        }
    }
    for (_, mut loads) in together {
        loads.sort_by(|(_, a), (_, b)| a.cmp(b));
        loads.dedup_by(|(_, a), (_, b)| a == b);
        let mut left = &loads[..];
        while let Some((request, places)) = left.first() {
            let wide = WIDE.into_iter().find(|&count| is_one_load(left, count));
            let count = wide.unwrap_or(1);
            sum = sum.saturating_add(weighed(request, places, count));
            left = &left[count..];
        }
    }
    sum
}

/// Whether so many loads are of elements that follow each other, and begin where a wide one may: they become one.
fn is_one_load(loads: &[Placed<'_>], count: usize) -> bool {
    let Some(loads) = loads.get(..count) else { return false };
    let bytes = loads[0].0.bytes as i64;
    let first = || loads[0].1.iter().flatten();
    let follow = loads.iter().zip(0..).all(|((_, places), further)| {
        places.iter().flatten().zip(first()).all(|(at, first)| *at == first + further * bytes)
    });
    let size = bytes * count as i64;
    let whole = first().all(|first| first.rem_euclid(size) == 0);
    follow && whole && size <= WIDEST && first().next().is_some()
}

fn weighed(request: &Request, places: &[Vec<i64>], count: usize) -> i64 {
    let size = request.bytes as i64 * count as i64;
    let all = i64::from(BANKS * BANK_BYTES);
    let together = (all / size.max(BANK_BYTES.into())).clamp(1, BANKS.into()) as usize;
    let passes = |addresses: &Vec<i64>| {
        let parts = addresses.chunks(together);
        parts.map(|part| i64::from(most_words(part, size))).sum::<i64>()
    };
    let worst = places.iter().map(passes).max().unwrap_or(0);
    worst.saturating_mul(request.weight)
}

/// All orders of so many things, the plain one first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: &Vec<usize>| {
            let left = (0..count).filter(|next| !order.contains(next)).collect::<Vec<_>>();
            left.into_iter().map(|next| [&order[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
