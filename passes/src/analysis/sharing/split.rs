//! Which iterations a block executes, from what it works on: references, candidates, iteration subspaces.

use gpuc_dialects::memref;
use gpuc_dialects::offload::share::{ArraySpec, Expression, Length};
use gpuc_ir::{Ir, Op, Value};
use indexmap::{IndexMap, IndexSet};

use super::super::access::{Access, AccessKind, known_name, name};
use super::super::chrec::Chrec;
use super::super::chrec::access::{AccessChrecs, ThreadLoops};
use super::super::kir::flow::backward;
use super::super::loops::CountedLoop;
use super::super::polynomial::Polynomial;
use super::Unsuited;

/// A reference to an array: what F is in the paper.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The array.
    pub array: Value,
    /// Whether it loads the element.
    pub reads: bool,
    /// The loops round it, by their variables, outermost first.
    pub loops: Vec<Value>,
    /// For each dimension how many elements further the next iteration of each loop is.
    pub matrix: Vec<Vec<i64>>,
    /// Where the first iterations are, in each dimension.
    pub base: Vec<Polynomial>,
}

/// The references of a nest, and which of its loops are threads'.
#[derive(Clone, Debug)]
pub struct References {
    /// In order of the program; arrays that are declared inside the nest are left out.
    pub all: Vec<Reference>,
    /// Loops by their variables, with their trips where they are a number.
    pub loops: IndexMap<Value, Option<i64>>,
    /// The loops that threads divide among them, that of `threadIdx.x` first.
    pub threads: Vec<Value>,
    /// Bytes of an element of each array.
    pub bytes: IndexMap<Value, i64>,
}

impl References {
    /// Those of a nest. `threads` are loops by their number from the outermost; where there are none, mappings say it.
    ///
    /// # Errors
    /// What subscripts do not allow.
    pub fn of(
        ir: &Ir,
        accesses: &[Access],
        nest: Op,
        threads: &[usize],
    ) -> Result<References, Unsuited> {
        let mut found = References {
            all: Vec::new(),
            loops: IndexMap::new(),
            threads: Vec::new(),
            bytes: IndexMap::new(),
        };
        for access in accesses {
            if ir.defining_op(access.root).is_some_and(|op| ir.is_inside(op, nest)) {
                continue;
            }
            let chains = AccessChrecs::of(ir, access, nest);
            let not_affine = || Unsuited::NotAffine(name(ir, access.root));
            let reference = Reference::of(&chains).ok_or_else(not_affine)?;
            for each in &chains.loops {
                found.loops.insert(each.variable, CountedLoop::constant_trips(each));
            }
            let of = match threads.is_empty() {
                true => ThreadLoops::of(ir, &chains.loops).0,
                false => threads.to_vec(),
            };
            let of: Vec<Value> =
                of.iter().filter_map(|&depth| Some(chains.loops.get(depth)?.variable)).collect();
            if of.len() > found.threads.len() {
                found.threads = of.into_iter().take(3).collect();
            }
            let bytes = memref::element_bytes(&ir.ctx, ir.ty(access.buffer));
            let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(1);
            found.bytes.insert(access.root, bytes);
            found.all.push(reference);
        }
        match found.threads.is_empty() {
            true => Err(Unsuited::NoThreads),
            false => Ok(found),
        }
    }

    /// Those to one array.
    pub fn to(&self, array: Value) -> impl Iterator<Item = &Reference> {
        self.all.iter().filter(move |reference| reference.array == array)
    }

    /// Which thread axis executes a loop.
    pub fn axis(&self, variable: Value) -> Option<usize> {
        self.threads.iter().position(|&each| each == variable)
    }
}

impl Reference {
    fn of(chains: &AccessChrecs) -> Option<Reference> {
        let dims = chains.known()?;
        let depths = 0..chains.loops.len();
        let growth = |dim: &Chrec| -> Option<Vec<i64>> {
            depths.clone().map(|depth| dim.growth(depth)?.as_constant()).collect()
        };
        let base = |dim: &Chrec| {
            let first = depths.clone().try_fold(dim.clone(), |form, depth| form.at(depth, 0))?;
            match first {
                Chrec::Invariant(form) => Some(form),
                Chrec::Recurrence { .. } => None,
            }
        };
        Some(Reference {
            array: chains.access.root,
            reads: chains.access.kind != AccessKind::Write,
            loops: chains.loops.iter().map(|each| each.variable).collect(),
            matrix: dims.iter().map(growth).collect::<Option<_>>()?,
            base: dims.iter().map(base).collect::<Option<_>>()?,
        })
    }
}

/// The arrays that are connected with the seeds by dependences, through values or memory: the transitive closure of
/// "what is loaded from one goes into what is stored to the other". In order of the program.
pub fn candidates(ir: &Ir, accesses: &[Access], nest: Op, seeds: &[Value]) -> Vec<Value> {
    let mut edges: IndexSet<(Value, Value)> = IndexSet::new();
    for store in accesses.iter().filter(|access| access.kind != AccessKind::Read) {
        // What an update combines comes in as operands too.
        let stored = ir.operands(store.op);
        backward(ir, nest, stored, &mut |value| {
            if let Some(op) = ir.defining_op(value) {
                let inner = ir.nested_ops(op, gpuc_ir::WalkOrder::PreOrder);
                let loads =
                    accesses.iter().filter(|each| each.op == op || inner.contains(&each.op));
                edges.extend(loads.map(|load| (load.root, store.root)));
            }
            true
        });
    }
    let mut found: IndexSet<Value> = seeds.iter().copied().collect();
    loop {
        let before = found.len();
        for &(a, b) in &edges {
            if found.contains(&a) || found.contains(&b) {
                found.extend([a, b]);
            }
        }
        if found.len() == before {
            break;
        }
    }
    let used: IndexSet<Value> = accesses.iter().map(|access| access.root).collect();
    used.into_iter().filter(|root| found.contains(root)).collect()
}

/// A seed: an array, and what a block works on of it.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The array.
    pub array: Value,
    /// A length for each dimension.
    pub lengths: Vec<Length>,
    /// Whether it is to be read in order through shared memory.
    pub coalesce: bool,
}

/// Looks arrays up by their names.
///
/// # Errors
/// A name that is none, a wrong number of lengths.
pub fn seeds(ir: &Ir, references: &References, specs: &[ArraySpec]) -> Result<Vec<Seed>, Unsuited> {
    let find = |spec: &ArraySpec| {
        let named = |reference: &&Reference| known_name(ir, reference.array) == Some(&spec.name);
        let no_such = || Unsuited::NoSuchArray(spec.name.clone());
        let reference = references.all.iter().find(named).ok_or_else(no_such)?;
        let has = reference.matrix.len();
        if has != spec.lengths.len() {
            let (array, given) = (spec.name.clone(), spec.lengths.len());
            return Err(Unsuited::Dimensions { array, has, given });
        }
        let (array, lengths) = (reference.array, spec.lengths.clone());
        Ok(Seed { array, lengths, coalesce: spec.coalesce })
    };
    specs.iter().map(find).collect()
}

/// Without a pragma every array is a seed: along loops of threads as long as the block, along others vague.
pub fn automatic(references: &References) -> Vec<Seed> {
    let arrays: IndexSet<Value> = references.all.iter().map(|each| each.array).collect();
    let seed = |array: Value| {
        let reference = references.to(array).next()?;
        let length = |row: &Vec<i64>| {
            let along = (0..row.len()).find(|&depth| row[depth] != 0);
            match along.and_then(|depth| references.axis(reference.loops[depth])) {
                Some(axis) => Length::Of(Expression::block(axis)),
                None => Length::Vague,
            }
        };
        let lengths = reference.matrix.iter().map(length).collect();
        Some(Seed { array, lengths, coalesce: false })
    };
    arrays.into_iter().filter_map(seed).collect()
}

/// How many iterations of a loop a block executes at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// So many elements, over how far an iteration goes.
    Of(Expression, i64),
    /// As many as one of the vague lengths says, one for each array that left it open.
    Vague,
}

/// An iteration subspace: a part for each loop that it splits; others run from end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subspace {
    /// By loop variables.
    pub parts: IndexMap<Value, Part>,
}

impl Subspace {
    /// F⁻¹ of what a block works on of an array. A subscript that several loops move along is divided by the outermost,
    /// and runs along the others from end to end: no inverse says who else could.
    fn of(reference: &Reference, lengths: &[Length]) -> Subspace {
        let mut subspace = Subspace::default();
        for (row, length) in reference.matrix.iter().zip(lengths) {
            let Some(depth) = row.iter().position(|&by| by != 0) else { continue };
            let part = match length {
                Length::Vague => Part::Vague,
                Length::Of(expression) => Part::Of(expression.clone(), row[depth]),
            };
            let variable = reference.loops[depth];
            let known = subspace.parts.get(&variable);
            if known.is_none_or(|known| *known == Part::Vague) {
                subspace.parts.insert(variable, part);
            }
        }
        subspace
    }

    /// Both together, where they agree on every loop that both split, or one of them leaves it open.
    fn intersected(&self, other: &Subspace) -> Option<Subspace> {
        let mut both = self.clone();
        for (&variable, part) in &other.parts {
            match both.parts.get(&variable) {
                Some(known) if known == part || *part == Part::Vague => {}
                Some(known) if *known != Part::Vague => return None,
                _ => drop(both.parts.insert(variable, part.clone())),
            }
        }
        Some(both)
    }
}

/// The subspaces that seeds and references induce, those that are compatible intersected.
pub fn subspaces(references: &References, seeds: &[Seed]) -> Vec<Subspace> {
    let mut found: Vec<Subspace> = Vec::new();
    for seed in seeds {
        for reference in references.to(seed.array) {
            let next = Subspace::of(reference, &seed.lengths);
            let mut joined = false;
            for known in &mut found {
                if let Some(both) = known.intersected(&next) {
                    *known = both;
                    joined = true;
                }
            }
            if !joined {
                found.push(next);
            }
        }
    }
    found.dedup();
    found
}

/// The vague lengths of a subspace: which seed leaves which loop open.
pub fn vague(references: &References, seeds: &[Seed], subspace: &Subspace) -> Vec<(Value, Value)> {
    let mut found = IndexSet::new();
    for (&variable, part) in &subspace.parts {
        if *part != Part::Vague {
            continue;
        }
        for seed in seeds {
            let moves = references.to(seed.array).any(|reference| {
                let depth = reference.loops.iter().position(|&each| each == variable);
                depth.is_some_and(|depth| reference.matrix.iter().any(|row| row[depth] != 0))
            });
            if moves {
                found.insert((seed.array, variable));
            }
        }
    }
    found.into_iter().collect()
}
