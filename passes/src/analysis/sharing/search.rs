//! The block and the lengths of the greatest profit: eqs. 8 to 19 of Li et al. 2016.

use gpuc_arch::{MAX_THREADS_PER_BLOCK, WARP_SIZE};
use gpuc_ir::Value;

use super::Unsuited;
use super::features::{Plan, Point};
use super::split::{Part, Seed, Subspace};

/// What a device has, and from when on something counts.
#[derive(Clone, Copy, Debug)]
pub struct SharingLimits {
    /// Bytes of shared memory of a multiprocessor.
    pub shared: i64,
    /// Per cent of them that a block may take (the paper's θs).
    pub share: i64,
    /// Threads that a multiprocessor holds.
    pub threads: i64,
    /// Per cent of its size from which on what is loaded of an array is reused (the paper's θr).
    pub reuse: i64,
}

/// What is known of an array in a block of a certain shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The array.
    pub array: Value,
    /// Loads of a block.
    pub loads: i64,
    /// Bytes that a block touches.
    pub touched: i64,
    /// Transactions of what is not coalesced.
    pub transactions: i64,
    /// Whether it is worth shared memory because of what is loaded again.
    pub reused: bool,
    /// Whether it is because of the order of its loads.
    pub coalesced: bool,
}

impl Feature {
    /// Whether it goes to shared memory.
    pub fn is_shared(&self) -> bool {
        self.reused || self.coalesced
    }
}

/// A partition with its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Block and vague lengths.
    pub point: Point,
    /// Bytes of loads that shared memory saves (eq. 8).
    pub profit: i64,
    /// Bytes of shared memory of a block.
    pub bytes: i64,
    /// What led there.
    pub features: Vec<Feature>,
    /// Shapes of blocks that were looked at.
    pub shapes: usize,
}

/// An array with its name.
pub type Named<'a> = (&'a str, Value);

/// What is known of the arrays for a block, and the profit.
fn features(
    plan: &Plan<'_>,
    arrays: &[Named<'_>],
    block: [i64; 3],
    limits: &SharingLimits,
) -> Result<(Vec<Feature>, i64), Unsuited> {
    let mut profit = 0_i64;
    let mut found = Vec::new();
    let whole = Point { block, vague: vec![i64::MAX; plan.vague.len()] };
    for &(name, array) in arrays {
        let no_length = || Unsuited::Length(name.to_owned());
        let touched = plan.bytes(name, array, &whole, true)?;
        let loads = plan.loads(array, block).ok_or_else(no_length)?;
        let forced = plan.seeds.iter().any(|seed: &Seed| seed.array == array && seed.coalesce);
        let transactions = plan.transactions(array, forced, block).ok_or_else(no_length)?;
        let size = plan.references.bytes.get(&array).copied().unwrap_or(1);
        let loaded = loads.checked_mul(size).ok_or_else(no_length)?;
        let of_size = |percent: i64| i128::from(touched) * i128::from(percent);
        let reused = i128::from(loaded) * 100 >= of_size(limits.reuse) && loads > 0;
        let coalesced = transactions > 0;
        let saved = transactions.checked_mul(plan.transaction).ok_or_else(no_length)?;
        let gain = if reused { loaded } else { 0 }.checked_add(saved).ok_or_else(no_length)?;
        profit = profit.checked_add(gain).ok_or_else(no_length)?;
        found.push(Feature { array, loads, touched, transactions, reused, coalesced });
    }
    Ok((found, profit))
}

/// Bytes of shared memory at a point.
fn shared(
    plan: &Plan<'_>,
    arrays: &[Named<'_>],
    features: &[Feature],
    point: &Point,
) -> Result<i64, Unsuited> {
    let mut sum = 0_i64;
    for (&(name, array), _) in arrays.iter().zip(features).filter(|(_, each)| each.is_shared()) {
        let bytes = plan.bytes(name, array, point, false)?;
        sum = sum.checked_add(bytes).ok_or_else(|| Unsuited::Length(name.to_owned()))?;
    }
    Ok(sum)
}

/// The shapes of blocks to look at: powers of two (eqs. 14 to 16), a warp at least in x.
fn shapes(plan: &Plan<'_>) -> Vec<[i64; 3]> {
    let most = i64::from(MAX_THREADS_PER_BLOCK);
    let axis = |axis: usize, least: i64| -> Vec<i64> {
        match plan.references.threads.get(axis) {
            None => vec![1],
            Some(_) => (0..).map(|k| least << k).take_while(|&n| n <= most).collect(),
        }
    };
    let [x, y, z] = [axis(0, WARP_SIZE.into()), axis(1, 1), axis(2, 1)];
    let mut found = Vec::new();
    for &x in &x {
        for &y in &y {
            found.extend(
                z.iter().map(|&z| [x, y, z]).filter(|block| block.iter().product::<i64>() <= most),
            );
        }
    }
    found
}

/// The partition of the greatest profit, all shapes of blocks tried. The profit does not depend on the vague lengths, only
/// whether they fit does: of those that fit they get the largest power of two that is one for all.
///
/// # Errors
/// What forbids every shape.
pub fn best(
    plan: &Plan<'_>,
    arrays: &[Named<'_>],
    limits: &SharingLimits,
) -> Result<Partition, Unsuited> {
    let allowed = limits.shared.saturating_mul(limits.share) / 100;
    let mut found: Option<Partition> = None;
    let mut refusal = None;
    let mut needed = i64::MAX;
    let shapes = shapes(plan);
    for &block in &shapes {
        let tried = features(plan, arrays, block, limits);
        let (features, profit) = match tried {
            Ok(tried) => tried,
            Err(unsuited) => {
                refusal = Some(unsuited);
                continue;
            }
        };
        if found.as_ref().is_some_and(|known| known.profit >= profit) {
            continue;
        }
        let longest = plan.vague.iter().map(|&(_, along)| plan.full(along)).max().unwrap_or(1);
        let lengths = (0..62).map(|k| 1_i64 << k).take_while(|&length| length <= longest.max(1));
        let mut fitting = None;
        for length in lengths {
            let point = Point { block, vague: vec![length; plan.vague.len()] };
            match shared(plan, arrays, &features, &point) {
                Ok(bytes) if bytes <= allowed => fitting = Some((point, bytes)),
                Ok(bytes) => {
                    needed = needed.min(bytes);
                    break;
                }
                Err(unsuited) => {
                    refusal = Some(unsuited);
                    break;
                }
            }
        }
        if let Some((point, bytes)) = fitting {
            found = Some(Partition { point, profit, bytes, features, shapes: shapes.len() });
        }
    }
    // What no length has a value for is said of blocks that have none at all.
    let nothing_fits = Unsuited::NothingFits { needed, available: allowed };
    found.ok_or(refusal.filter(|_| needed == i64::MAX).unwrap_or(nothing_fits))
}

/// The sum of vague lengths that shared memory bounds, where it is one (`k1 + k2 <= 96`): factors of the lengths and the limit.
/// `None` where lengths are multiplied with each other.
pub fn bound(
    plan: &Plan<'_>,
    arrays: &[Named<'_>],
    partition: &Partition,
    limits: &SharingLimits,
) -> Option<(Vec<i64>, i64)> {
    let at = |vague: Vec<i64>| {
        let point = Point { block: partition.point.block, vague };
        shared(plan, arrays, &partition.features, &point).ok()
    };
    let count = plan.vague.len();
    let ones = at(vec![1; count])?;
    let with = |twos: &[usize], length: i64| {
        at((0..count).map(|i| if twos.contains(&i) { length } else { 1 }).collect())
    };
    let mut factors: Vec<i64> = Vec::new();
    for i in 0..count {
        // A length beyond the loop's end holds no more.
        let factor = with(&[i], 2)? - ones;
        if with(&[i], 3)? - ones != factor.checked_mul(2)? {
            return None;
        }
        for (j, &other) in factors.iter().enumerate() {
            if with(&[i, j], 2)? != ones.checked_add(factor)?.checked_add(other)? {
                return None;
            }
        }
        factors.push(factor);
    }
    let allowed = limits.shared.saturating_mul(limits.share) / 100;
    let held = factors.iter().try_fold(0_i64, |sum, &factor| sum.checked_add(factor))?;
    let rest = allowed - (ones - held);
    let divisor = factors.iter().fold(0_i64, |a, &b| gcd(a, b));
    (divisor > 0).then(|| (factors.iter().map(|f| f / divisor).collect(), rest.div_euclid(divisor)))
}

/// Partitions that there are to choose from, and combinations of their parameters (eqs. 18 and 19).
pub fn space(plan: &Plan<'_>, partition: &Partition) -> (usize, i128) {
    let references = plan.seeds.iter().map(|seed| plan.references.to(seed.array).count()).sum();
    let lengths = plan.vague.iter().map(|&(_, along)| i128::from(plan.full(along)));
    let combinations = lengths.fold(partition.shapes as i128, i128::saturating_mul);
    (references, combinations)
}

/// Threads of a multiprocessor that such blocks fill, and those of eq. 11, which does not stop at what it holds.
pub fn resident(partition: &Partition, limits: &SharingLimits) -> (i64, i64) {
    let block: i64 = partition.point.block.iter().product();
    let unbounded = match partition.bytes {
        0 => block,
        bytes => block.saturating_mul(limits.shared) / bytes,
    };
    let blocks = match partition.bytes {
        0 => limits.threads / block.max(1),
        bytes => (limits.shared / bytes).min(limits.threads / block.max(1)),
    };
    (blocks * block, unbounded)
}

/// The text of a part: `TB_X`, `*`.
pub fn shown(subspace: &Subspace, variable: Value) -> Option<String> {
    Some(match subspace.parts.get(&variable)? {
        Part::Vague => "*".to_owned(),
        Part::Of(expression, by) if by.unsigned_abs() == 1 => expression.to_string(),
        Part::Of(expression, by) => format!("({expression})/{}", by.unsigned_abs()),
    })
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
