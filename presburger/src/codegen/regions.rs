//! Separation of one level into regions that follow one another.

use super::Piece;
use crate::affine::{Affine, Constraint};
use crate::basic_set::BasicSet;
use crate::coalesce::hull;
use crate::error::{Error, Result};
use crate::set::Set;
use crate::space::Space;

/// More regions than this make more code than they save.
const MOST_REGIONS: usize = 32;

/// Where the dimensions so far take values for the same pieces.
pub(super) struct Separated {
    /// Contains the projections of the members; constrains the dimensions so far only.
    pub(super) set: BasicSet,
    /// What was joined to one region that had no order; one set where nothing was.
    pub(super) joined: Vec<BasicSet>,
    /// In the order of the pieces.
    pub(super) members: Vec<Member>,
}

/// A piece in a region.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) piece: usize,
    /// The part of the piece's projection that the region was made for.
    pub(super) part: BasicSet,
    /// Whether other parts of the piece are in other regions.
    pub(super) cut: bool,
}

/// The regions of a level, in the order in which the level's dimension passes through them.
pub(super) fn regions(
    level: usize,
    pieces: &[Piece],
    context: &BasicSet,
) -> Result<Vec<Separated>> {
    let mut projections = Vec::with_capacity(pieces.len());
    for (piece, Piece { set, .. }) in pieces.iter().enumerate() {
        if !set.intersect(context)?.is_empty()? {
            projections.push((piece, project(set, level)?));
        }
    }
    let separated = match separate(&projections, context) {
        Ok(regions) => regions,
        Err(Error::TooComplex) => None,
        Err(error) => return Err(error),
    };
    if let Some(regions) = separated
        && let Order::Of(order) = order(level, &regions, context)?
    {
        return Ok(permuted(regions, &order));
    }
    // Pieces as wholes: those that have no order share a loop.
    let mut regions: Vec<_> =
        projections.into_iter().map(|(piece, set)| whole(piece, set)).collect();
    loop {
        let (first, second) = match order(level, &regions, context)? {
            Order::Of(order) => return Ok(permuted(regions, &order)),
            Order::Cycle(a, b) => (a.min(b), a.max(b)),
        };
        let joined = regions.remove(second);
        let region = &mut regions[first];
        region.set = hull(&region.set, &joined.set)?;
        region.joined.extend(joined.joined);
        region.members.extend(joined.members);
        region.members.sort_by_key(|member| member.piece);
    }
}

fn permuted(regions: Vec<Separated>, order: &[usize]) -> Vec<Separated> {
    let mut regions: Vec<_> = regions.into_iter().map(Some).collect();
    order.iter().filter_map(|&index| regions[index].take()).collect()
}

fn whole(piece: usize, set: BasicSet) -> Separated {
    let members = vec![Member { piece, part: set.clone(), cut: false }];
    Separated { set: set.clone(), joined: vec![set], members }
}

/// The set's conditions on the dimensions up to `level`, in the set's space.
fn project(set: &BasicSet, level: usize) -> Result<BasicSet> {
    let dims = set.space().dims();
    let projected = set.project_out(level + 1..dims)?;
    let places: Vec<_> = (0..=level).collect();
    Ok(projected.embed(set.space().clone(), &places))
}

/// Disjoint regions that have a tuple in the context, each with all pieces in it; `None` where there are too many.
fn separate(
    projections: &[(usize, BasicSet)],
    context: &BasicSet,
) -> Result<Option<Vec<Separated>>> {
    let mut regions: Vec<(BasicSet, Vec<usize>)> = Vec::new();
    for (piece, projection) in projections {
        let mut next = Vec::with_capacity(regions.len() + 1);
        let mut rest = Set::from(projection.clone());
        for (region, members) in regions {
            let common = region.intersect(projection)?;
            if common.is_empty()? {
                next.push((region, members));
                continue;
            }
            let without = Set::from(region.clone()).subtract(&projection.clone().into())?;
            next.extend(
                without.coalesced().pieces().iter().map(|set| (set.clone(), members.clone())),
            );
            rest = rest.subtract(&region.into())?;
            next.push((common.simplified(), [&members[..], &[*piece]].concat()));
        }
        next.extend(rest.coalesced().pieces().iter().map(|set| (set.clone(), vec![*piece])));
        regions = next;
        if regions.len() > MOST_REGIONS {
            return Ok(None);
        }
    }
    let mut inside = Vec::with_capacity(regions.len());
    for (set, members) in regions {
        if !set.intersect(context)?.is_empty()? {
            inside.push((set, members));
        }
    }
    let regions = inside;
    let times =
        |piece: usize| regions.iter().filter(|(_, members)| members.contains(&piece)).count();
    let regions = regions
        .iter()
        .map(|(set, members)| {
            let member =
                |&piece: &usize| Member { piece, part: set.clone(), cut: times(piece) > 1 };
            let members = members.iter().map(member).collect();
            Separated { set: set.clone(), joined: vec![set.clone()], members }
        })
        .collect();
    Ok(Some(regions))
}

/// Whether regions follow one another.
enum Order {
    /// In this order.
    Of(Vec<usize>),
    /// Each of these two has values after some of the other, or there are others between them for which that holds.
    Cycle(usize, usize),
}

fn order(level: usize, regions: &[Separated], context: &BasicSet) -> Result<Order> {
    // after[a][b]: some value of region a comes after or at one of region b.
    let mut after = Vec::with_capacity(regions.len());
    for a in regions {
        let row = regions.iter().map(|b| comes_after(level, &a.set, &b.set, context));
        after.push(row.collect::<Result<Vec<_>>>()?);
    }
    let mut left: Vec<usize> = (0..regions.len()).collect();
    let mut sorted = Vec::with_capacity(regions.len());
    while !left.is_empty() {
        let precedes =
            |&first: &usize| left.iter().all(|&other| other == first || !after[first][other]);
        let Some(place) = left.iter().position(precedes) else {
            // None can come first, so the first one has values after some other.
            let other = left[1..].iter().find(|&&other| after[left[0]][other]);
            return Ok(Order::Cycle(left[0], *other.unwrap_or(&left[0])));
        };
        sorted.push(left.remove(place));
    }
    Ok(Order::Of(sorted))
}

/// Whether for some values of outer dimensions and parameters a value in `a` is not before one in `b`.
fn comes_after(level: usize, a: &BasicSet, b: &BasicSet, context: &BasicSet) -> Result<bool> {
    // The dimensions up to the level, then the level's once more.
    let pairs = Space::anonymous(a.space().params(), a.space().dims() + 1);
    let dims = a.space().dims();
    let same: Vec<_> = (0..dims).collect();
    let mut other = same.clone();
    other[level] = dims;
    let a = a.intersect(context)?.embed(pairs.clone(), &same);
    let b = b.intersect(context)?.embed(pairs, &other);
    let mut both = a.intersect(&b)?;
    both.add(&Constraint::ge(Affine::dim(level), Affine::dim(dims)))?;
    Ok(!both.is_empty()?)
}
