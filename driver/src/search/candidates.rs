//! The plans that are tried for a construct: the compiler's own, with other numbers, other steps, or without some.
//!
//! Whether one can be followed is asked when it is compiled: what is refused there is no candidate.

use gpuc_passes::plan::step::{Coarsen, March, Step, Tile};
use gpuc_passes::plan::text::{Placed, Plan};

/// Rows, columns and terms of a block, rows and columns of a thread, and runs of terms in memory at a time.
const TILES: [[i64; 6]; 14] = [
    [128, 128, 16, 8, 8, 2],
    [128, 128, 8, 8, 8, 1],
    [128, 64, 16, 8, 4, 1],
    [64, 128, 16, 8, 8, 2],
    [64, 128, 16, 4, 8, 1],
    [64, 64, 16, 4, 4, 1],
    [64, 32, 16, 8, 8, 2],
    [64, 32, 16, 4, 4, 1],
    [32, 64, 16, 4, 8, 2],
    [32, 64, 16, 4, 4, 1],
    [32, 32, 16, 4, 4, 2],
    [32, 32, 16, 2, 2, 1],
    [32, 32, 32, 2, 2, 1],
    [16, 16, 32, 2, 1, 1],
];

/// Threads of a block in x and y; of blocks with one row, their product.
const BLOCKS: [[i64; 2]; 8] =
    [[32, 4], [32, 8], [64, 2], [64, 4], [16, 16], [32, 2], [32, 16], [64, 8]];

/// Iterations of a thread.
const FACTORS: [i64; 3] = [2, 4, 8];

/// Planes of a walk over planes, and rows of a thread in it.
const WALKS: [[i64; 2]; 4] = [[64, 4], [16, 4], [64, 2], [16, 2]];

/// Rows and columns of a block that walks over planes.
const WALL: [i64; 2] = [16, 32];

/// Numbers of steps, by the step's word and the number's name, that are tried in place of the compiler's.
const NUMBERS: [(&str, &str, &[i64]); 9] = [
    ("coarsen", "factor", &FACTORS),
    ("march", "planes", &[16, 32, 64, 128]),
    ("march", "height", &[8, 16, 32]),
    ("march", "rows", &[1, 2, 4]),
    ("block", "steps", &[2, 4, 8]),
    ("spread", "width", &[4, 8, 16, 32, 128]),
    ("stage", "side", &[16, 32, 64]),
    ("share", "rows", &[1, 2, 4]),
    ("unroll", "factor", &[2, 4, 8]),
];

/// The nests that the compiler tiles, in tiles of each size.
pub(super) fn tiles(plan: &Plan) -> Vec<Plan> {
    let mut all = Distinct::new(plan);
    if plan.steps.iter().any(is_tile) {
        TILES.iter().for_each(|&sizes| all.add(tiled(plan, sizes)));
    }
    all.plans
}

/// The plan without its tiles.
pub(super) fn without_tiles(plan: &Plan) -> Plan {
    let steps = plan.steps.iter().filter(|step| !is_tile(step)).cloned().collect();
    Plan { steps, ..plan.clone() }
}

/// A plan without tiles in other words: iterations of a thread, memory of blocks, orders of loops.
pub(super) fn variants(plan: &Plan) -> Vec<Plan> {
    let mut all = Distinct::new(plan);
    coarsened(&plan.steps).into_iter().for_each(|steps| all.add(steps));
    marched(&plan.steps).into_iter().for_each(|steps| all.add(steps));
    turned(&plan.steps).into_iter().for_each(|steps| all.add(steps));
    for (at, placed) in plan.steps.iter().enumerate() {
        for (word, name, values) in NUMBERS {
            for &value in values.iter().filter(|_| placed.step.word() == word) {
                let mut steps = plan.steps.clone();
                let mut numbers = steps[at].step.numbers();
                for (_, number) in numbers.iter_mut().filter(|(own, _)| *own == name) {
                    **number = value;
                }
                all.add(steps);
            }
        }
        if is_optional(&placed.step) {
            let mut steps = plan.steps.clone();
            steps.remove(at);
            all.add(steps);
        }
    }
    all.plans
}

/// Blocks of other shapes.
pub(super) fn shapes(plan: &Plan) -> Vec<Plan> {
    let mut all = Distinct::new(plan);
    BLOCKS.iter().for_each(|&shape| all.add(shaped(&plan.steps, shape)));
    all.plans
}

/// Plans that are not the one they were made of, nor each other.
struct Distinct<'p> {
    of: &'p Plan,
    plans: Vec<Plan>,
}

impl<'p> Distinct<'p> {
    fn new(of: &'p Plan) -> Distinct<'p> {
        Distinct { of, plans: Vec::new() }
    }

    fn add(&mut self, steps: Vec<Placed>) {
        let new = Plan { steps, ..self.of.clone() };
        if new != *self.of && !self.plans.contains(&new) {
            self.plans.push(new);
        }
    }
}

fn is_tile(placed: &Placed) -> bool {
    matches!(placed.step, Step::Tile(_))
}

/// Whether a plan without the step says the same, only done in another way.
fn is_optional(step: &Step) -> bool {
    matches!(
        step,
        Step::Persist(_)
            | Step::Promote(_)
            | Step::Block(_)
            | Step::Stage(_)
            | Step::March(_)
            | Step::Coarsen(_)
            | Step::Share(_)
            | Step::Spread(_)
            | Step::Unroll(_)
    )
}

/// The plan with tiles of one size: of 16-byte copies where there were some, and without, for what lies otherwise in memory.
fn tiled(plan: &Plan, [rows, columns, depth, down, across, stages]: [i64; 6]) -> Vec<Placed> {
    let mut steps: Vec<Placed> = Vec::new();
    let mut done = Vec::new();
    for placed in &plan.steps {
        let Step::Tile(tile) = &placed.step else {
            steps.push(placed.clone());
            continue;
        };
        let names = tile.loops.clone().map(|(name, _)| name);
        if done.contains(&(names.clone(), tile.wide)) {
            continue;
        }
        done.push((names.clone(), tile.wide));
        let [row, column, sum] = names;
        let new = Tile {
            loops: [(row, rows), (column, columns), (sum, depth)],
            threads: [down, across],
            wide: tile.wide,
            stages: if tile.wide { stages } else { 1 },
            resident: 1,
            weight: 0,
            blocks: 1,
        };
        steps.push(Placed { step: new.into(), place: placed.place.clone() });
    }
    steps
}

/// Steps with several iterations of the outermost loop of a nest for a thread, where the compiler gives it one.
fn coarsened(steps: &[Placed]) -> Vec<Vec<Placed>> {
    let mut all = Vec::new();
    for placed in steps {
        let Step::Collapse(collapse) = &placed.step else { continue };
        let Some(outer) = collapse.loops.first() else { continue };
        let is_coarse = |other: &Placed| match &other.step {
            Step::Coarsen(coarsen) => coarsen.name == *outer,
            _ => false,
        };
        if steps.iter().any(is_coarse) {
            continue;
        }
        for factor in FACTORS {
            let step = Coarsen { name: outer.clone(), factor, threads: 1 };
            all.push(with(steps, step.into(), placed));
        }
    }
    all
}

/// Steps with a walk over the planes of a nest of three loops, where the compiler has none.
fn marched(steps: &[Placed]) -> Vec<Vec<Placed>> {
    let mut all = Vec::new();
    for placed in steps {
        let Step::Collapse(collapse) = &placed.step else { continue };
        let [planes, rows, columns] = &collapse.loops[..] else { continue };
        let is_walk = |other: &Placed| matches!(&other.step, Step::March(march) if march.loops[0].0 == *planes);
        if steps.iter().any(is_walk) {
            continue;
        }
        for [length, rows_each] in WALKS {
            let sides = [(planes, length), (rows, WALL[0]), (columns, WALL[1])];
            let loops = sides.map(|(name, side)| (name.clone(), side));
            let step = March { loops, rows: rows_each, blocks: 1 };
            all.push(with(steps, step.into(), placed));
        }
    }
    all
}

/// Steps with one more, of the nest that another one is about.
fn with(steps: &[Placed], step: Step, nest: &Placed) -> Vec<Placed> {
    let behind = steps.iter().position(|other| other.step.stage() > step.stage());
    let mut steps = steps.to_vec();
    let at = behind.unwrap_or(steps.len());
    steps.insert(at, Placed { step, place: nest.place.clone() });
    steps
}

/// Steps with the last two dimensions of a nest in the other order: neighbouring threads take other iterations.
fn turned(steps: &[Placed]) -> Vec<Vec<Placed>> {
    let mut all = Vec::new();
    for (at, placed) in steps.iter().enumerate() {
        let Step::Collapse(collapse) = &placed.step else { continue };
        let [.., outer, inner] = &collapse.loops[..] else { continue };
        let mut steps = steps.to_vec();
        for placed in &mut steps[at..] {
            match &mut placed.step {
                Step::Collapse(own) if own.loops == collapse.loops => {
                    let count = own.loops.len();
                    own.loops.swap(count - 1, count - 2);
                }
                Step::Map(map) => {
                    for name in map.dims.iter_mut().flat_map(|(names, _)| names) {
                        if name == outer {
                            name.clone_from(inner);
                        } else if name == inner {
                            name.clone_from(outer);
                        }
                    }
                }
                _ => {}
            }
        }
        all.push(steps);
    }
    all
}

/// Steps with blocks of another shape.
fn shaped(steps: &[Placed], [x, y]: [i64; 2]) -> Vec<Placed> {
    let mut steps = steps.to_vec();
    for placed in &mut steps {
        if !matches!(placed.step, Step::Map(_)) {
            continue;
        }
        let mut numbers = placed.step.numbers();
        let in_rows = numbers.iter().any(|(name, _)| *name == "thread_y");
        for (name, number) in &mut numbers {
            match *name {
                "thread_x" if in_rows => **number = x,
                "thread_x" => **number = x * y,
                "thread_y" => **number = y,
                _ => {}
            }
        }
    }
    steps
}

/// A candidate as it is kept, for launches of so many blocks and threads: its versions are for grids that are not much smaller, and of
/// nests in tiles the compiler's own stand behind it, for what is smaller or lies otherwise in memory.
pub fn kept(own: &Plan, plan: &Plan, blocks: i64, threads: i64) -> Plan {
    let (blocks, threads) = ((blocks / 4).max(1), (threads / 4).max(1));
    let mut plan = plan.clone();
    if plan == *own {
        return plan;
    }
    for placed in &mut plan.steps {
        match &mut placed.step {
            Step::Tile(tile) if tile.blocks == 1 => tile.blocks = blocks,
            Step::March(march) if march.blocks == 1 => march.blocks = blocks,
            Step::Coarsen(coarsen) if coarsen.threads == 1 => coarsen.threads = threads,
            _ => {}
        }
    }
    if let Some(last) = plan.steps.iter().rposition(is_tile) {
        let further = own.steps.iter().filter(|step| is_tile(step)).cloned();
        plan.steps.splice(last + 1..last + 1, further);
    }
    plan
}
