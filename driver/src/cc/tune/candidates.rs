//! The plans that are tried for a construct: the compiler's own, with other numbers.

use gpuc_passes::plan::step::{Step, Tile};
use gpuc_passes::plan::text::{Placed, Plan};

/// Rows, columns and terms of a block, and rows and columns of a thread.
const TILES: [[i64; 5]; 10] = [
    [128, 128, 16, 8, 8],
    [128, 128, 8, 8, 8],
    [128, 64, 16, 8, 4],
    [64, 128, 16, 4, 8],
    [64, 64, 16, 4, 4],
    [64, 64, 8, 4, 4],
    [64, 32, 16, 4, 4],
    [32, 64, 16, 4, 4],
    [32, 32, 16, 2, 2],
    [32, 32, 32, 2, 2],
];

/// Threads of a block in x and y; of blocks with one row, their product.
const BLOCKS: [[i64; 2]; 8] =
    [[32, 4], [32, 8], [64, 2], [64, 4], [16, 16], [32, 2], [32, 16], [64, 8]];

/// The plans to try, the one that the compiler has chosen first. Whether they can be followed is asked
/// when they are compiled.
pub(super) fn of(plan: &Plan) -> Vec<Plan> {
    let mut all = vec![plan.clone()];
    let mut add = |steps: Vec<Placed>| {
        let new = Plan { steps, ..plan.clone() };
        if !all.contains(&new) {
            all.push(new);
        }
    };
    if plan.steps.iter().any(|placed| matches!(placed.step, Step::Tile(_))) {
        TILES.iter().for_each(|&sizes| add(tiled(plan, sizes)));
    }
    let untiled = plan.steps.iter().filter(|placed| !matches!(placed.step, Step::Tile(_)));
    let untiled: Vec<Placed> = untiled.cloned().collect();
    add(untiled.clone());
    BLOCKS.iter().for_each(|&shape| add(shaped(&untiled, shape)));
    all
}

/// The plan with tiles of one size: of 16-byte copies where there were some, and without.
fn tiled(plan: &Plan, [rows, columns, depth, down, across]: [i64; 5]) -> Vec<Placed> {
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
            blocks: 1,
            ..tile.clone()
        };
        steps.push(Placed { step: new.into(), place: placed.place.clone() });
    }
    steps
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

/// The plan as it is recorded for launches of so many blocks: tiles are for grids that are not much smaller.
pub(super) fn recorded(mut plan: Plan, blocks: i64) -> Plan {
    for placed in &mut plan.steps {
        if let Step::Tile(tile) = &mut placed.step
            && tile.blocks == 1
        {
            tile.blocks = (blocks / 4).max(1);
        }
    }
    plan
}
