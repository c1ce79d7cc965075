//! The partition of a nest: of all iteration subspaces the one of the greatest profit.

use gpuc_dialects::offload::share::ArraySpec;
use gpuc_ir::{Ir, Op, Value};

use super::super::access::{Access, name};
use super::Unsuited;
use super::features::Plan;
use super::search::{self, Named, Partition, SharingLimits};
use super::split::{self, Part, References, Seed, Subspace};

/// What is asked for, and by which numbers.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What a block works on of some arrays; of all that are used where there are none.
    pub specs: &'a [ArraySpec],
    /// Loops that threads divide, by their number from the outermost; what mappings say where there are none.
    pub threads: &'a [usize],
    /// How often loops run of which that is not a number.
    pub trips: i64,
    /// Bytes of a transaction.
    pub transaction: i64,
    /// What a device has.
    pub limits: SharingLimits,
}

/// The partition that was chosen, with what led there.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The nest's references.
    pub references: References,
    /// What was given.
    pub seeds: Vec<Seed>,
    /// Candidates for shared memory, with their names.
    pub arrays: Vec<(String, Value)>,
    /// Iteration subspaces.
    pub subspaces: Vec<Subspace>,
    vague: Vec<Vec<(Value, Value)>>,
    best: usize,
    /// Block, lengths and what they are worth.
    pub partition: Partition,
    trips: i64,
    transaction: i64,
}

impl Chosen {
    /// The partition of a nest.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(
        ir: &Ir,
        accesses: &[Access],
        nest: Op,
        question: Question<'_>,
    ) -> Result<Chosen, Unsuited> {
        let Question { specs, threads, trips, transaction, limits } = question;
        let references = References::of(ir, accesses, nest, threads)?;
        let seeds = match specs.is_empty() {
            true => split::automatic(&references),
            false => split::seeds(ir, &references, specs)?,
        };
        let given: Vec<Value> = seeds.iter().map(|seed| seed.array).collect();
        let arrays = split::candidates(ir, accesses, nest, &given);
        let arrays: Vec<(String, Value)> = arrays
            .into_iter()
            .filter(|&array| references.to(array).next().is_some())
            .map(|array| (name(ir, array), array))
            .collect();
        let subspaces = split::subspaces(&references, &seeds);
        let of_subspace = |subspace| split::vague(&references, &seeds, subspace);
        let vague: Vec<_> = subspaces.iter().map(of_subspace).collect();
        let named: Vec<Named<'_>> = arrays.iter().map(|(name, array)| (&**name, *array)).collect();
        let mut best: Option<(usize, Partition)> = None;
        let mut refusal = Unsuited::NoThreads;
        for (index, (subspace, vague)) in subspaces.iter().zip(&vague).enumerate() {
            let references = &references;
            let plan = Plan { references, seeds: &seeds, subspace, vague, trips, transaction };
            match search::best(&plan, &named, &limits) {
                Ok(found) if best.as_ref().is_none_or(|(_, known)| known.profit < found.profit) => {
                    best = Some((index, found));
                }
                Ok(_) => {}
                Err(unsuited) => refusal = unsuited,
            }
        }
        let (best, partition) = best.ok_or(refusal)?;
        Ok(Chosen {
            references,
            seeds,
            arrays,
            subspaces,
            vague,
            best,
            partition,
            trips,
            transaction,
        })
    }

    /// The partition but for its numbers.
    pub fn plan(&self) -> Plan<'_> {
        Plan {
            references: &self.references,
            seeds: &self.seeds,
            subspace: &self.subspaces[self.best],
            vague: &self.vague[self.best],
            trips: self.trips,
            transaction: self.transaction,
        }
    }

    /// The candidates, by their names.
    pub fn named(&self) -> Vec<Named<'_>> {
        self.arrays.iter().map(|(name, array)| (&**name, *array)).collect()
    }

    /// Whether a loop goes along a length that is open.
    pub fn is_open(&self, variable: Value) -> bool {
        matches!(self.plan().subspace.parts.get(&variable), Some(Part::Vague))
    }

    /// Iterations of a loop that a block executes at a time: of one that is open as many as fit. `None`: nothing says how many.
    pub fn at_a_time(&self, variable: Value) -> Option<i64> {
        let plan = self.plan();
        let lengths = plan.vague.iter().zip(&self.partition.point.vague);
        match plan.subspace.parts.get(&variable) {
            Some(Part::Vague) => {
                lengths.filter(|((_, along), _)| *along == variable).map(|(_, &n)| n).min()
            }
            None if self.references.axis(variable).is_none() => None,
            _ => plan.iterations(variable, self.partition.point.block),
        }
    }
}
