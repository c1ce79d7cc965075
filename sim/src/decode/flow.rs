//! Control flow: labels to instruction numbers, and the points where diverged lanes meet again.
//!
//! Lanes that part at a branch meet at its immediate post-dominator (Cooper, Harvey and Kennedy's
//! algorithm on the reversed graph). There a [`Op::Join`] is inserted, so that the executor looks
//! for waiting lanes nowhere else.

use crate::program::{
    Class, Code, Inst, NO_ROW, NOWHERE, Op, Origin, PRED_SINK, PRED_TRUE, pred_source,
};

/// The guard of an unguarded instruction.
const ALWAYS: u32 = PRED_TRUE << 1;

/// Blocks by their first instruction, with their successors. The last block index plus one stands
/// for the exit.
struct Graph {
    starts: Vec<u32>,
    block_of: Vec<u32>,
    successors: Vec<Vec<u32>>,
}

/// Resolves label numbers in branches and inserts the joins.
pub(super) fn resolve(code: &mut Code, labels: &[u32]) {
    for inst in &mut code.insts {
        if let Op::Branch { target, .. } = &mut inst.op {
            *target = labels[*target as usize];
        }
    }
    for table in &mut code.tables {
        for target in table {
            *target = labels[*target as usize];
        }
    }
    for function in &mut code.functions {
        function.entry = labels[function.entry as usize];
    }
    let graph = build(code);
    let joins = immediate_post_dominators(&graph);
    insert(code, &graph, &joins);
}

/// Whether lanes can part after this instruction.
fn may_diverge(inst: &Inst) -> bool {
    match inst.op {
        Op::Branch { .. } => inst.guard != ALWAYS,
        Op::BranchTable { .. } => true,
        _ => false,
    }
}

fn build(code: &Code) -> Graph {
    let count = code.insts.len();
    let mut leader = vec![false; count + 1];
    leader[0] = true;
    for function in &code.functions {
        leader[function.entry as usize] = true;
    }
    for (at, inst) in code.insts.iter().enumerate() {
        match inst.op {
            Op::Branch { target, .. } => {
                leader[target as usize] = true;
                leader[at + 1] = true;
            }
            Op::BranchTable { .. } => {
                for &target in &code.tables[inst.imm as usize] {
                    leader[target as usize] = true;
                }
                leader[at + 1] = true;
            }
            Op::Exit | Op::Trap | Op::Return | Op::Refused => leader[at + 1] = true,
            // Lanes meet behind a call, however they came back from it.
            Op::Call { .. } | Op::CallIndirect { .. } => leader[at + 1] = true,
            _ => {}
        }
    }
    let starts: Vec<u32> = (0..count).filter(|&i| leader[i]).map(|i| i as u32).collect();
    let mut block_of = vec![0; count];
    for (block, &start) in starts.iter().enumerate() {
        let end = starts.get(block + 1).map_or(count, |&next| next as usize);
        block_of[start as usize..end].fill(block as u32);
    }
    let exit = starts.len() as u32;
    let successors = (0..starts.len())
        .map(|block| {
            let end = starts.get(block + 1).map_or(count, |&next| next as usize);
            let inst = &code.insts[end - 1];
            let next = if end < count { block_of[end] } else { exit };
            let mut out = match inst.op {
                Op::Branch { target, .. } => vec![block_of[target as usize]],
                Op::BranchTable { .. } => {
                    code.tables[inst.imm as usize].iter().map(|&t| block_of[t as usize]).collect()
                }
                Op::Exit | Op::Trap | Op::Return | Op::Refused => vec![exit],
                _ => vec![next],
            };
            // A guarded end of a block also goes on; an index beyond its table does too.
            if inst.guard != ALWAYS || matches!(inst.op, Op::BranchTable { .. }) {
                out.push(next);
            }
            out.sort_unstable();
            out.dedup();
            out
        })
        .collect();
    Graph { starts, block_of, successors }
}

/// For each block its immediate post-dominator; the exit's number or [`NOWHERE`] where there is no
/// block.
fn immediate_post_dominators(graph: &Graph) -> Vec<u32> {
    let exit = graph.starts.len();
    let mut predecessors = vec![Vec::new(); exit + 1];
    for (block, successors) in graph.successors.iter().enumerate() {
        for &successor in successors {
            predecessors[successor as usize].push(block as u32);
        }
    }
    // Postorder of the reversed graph from the exit, without recursion.
    let mut number = vec![NOWHERE; exit + 1];
    let mut order = Vec::with_capacity(exit + 1);
    let mut seen = vec![false; exit + 1];
    let mut stack = vec![(exit as u32, 0usize)];
    seen[exit] = true;
    while let Some((block, next)) = stack.last_mut() {
        match predecessors[*block as usize].get(*next) {
            Some(&predecessor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[predecessor as usize], true) {
                    stack.push((predecessor, 0));
                }
            }
            None => {
                number[*block as usize] = order.len() as u32;
                order.push(*block);
                stack.pop();
            }
        }
    }
    let mut dominator = vec![NOWHERE; exit + 1];
    dominator[exit] = exit as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev() {
            if block as usize == exit {
                continue;
            }
            let mut meet = NOWHERE;
            for &successor in &graph.successors[block as usize] {
                if dominator[successor as usize] == NOWHERE {
                    continue;
                }
                if meet == NOWHERE {
                    meet = successor;
                    continue;
                }
                let (mut a, mut b) = (meet, successor);
                while a != b {
                    while number[a as usize] < number[b as usize] {
                        a = dominator[a as usize];
                    }
                    while number[b as usize] < number[a as usize] {
                        b = dominator[b as usize];
                    }
                }
                meet = a;
            }
            if dominator[block as usize] != meet {
                dominator[block as usize] = meet;
                changed = true;
            }
        }
    }
    dominator.pop();
    dominator
}

/// Inserts a join before every block where lanes meet, and moves all targets along.
fn insert(code: &mut Code, graph: &Graph, dominators: &[u32]) {
    let blocks = graph.starts.len();
    let mut joined = vec![false; blocks];
    for (at, inst) in code.insts.iter().enumerate() {
        let meet = dominators[graph.block_of[at] as usize];
        if may_diverge(inst) && (meet as usize) < blocks {
            joined[meet as usize] = true;
        }
        if matches!(inst.op, Op::Call { .. } | Op::CallIndirect { .. }) {
            joined[graph.block_of[at] as usize + 1] = true;
        }
    }
    let mut moved = Vec::with_capacity(blocks);
    let mut added = 0;
    for (block, &start) in graph.starts.iter().enumerate() {
        moved.push(start + added);
        added += u32::from(joined[block]);
    }
    let new_place = |block: u32| moved.get(block as usize).copied().unwrap_or(NOWHERE);
    let mut insts = Vec::with_capacity(code.insts.len() + added as usize);
    let mut origins = Vec::with_capacity(insts.capacity());
    for (at, (inst, origin)) in code.insts.iter().zip(&code.origins).enumerate() {
        let block = graph.block_of[at];
        if graph.starts[block as usize] as usize == at && joined[block as usize] {
            insts.push(Inst {
                op: Op::Join,
                guard: pred_source(PRED_TRUE, false),
                dst: NO_ROW,
                dst2: PRED_SINK,
                src: [NO_ROW; 4],
                imm: 0,
            });
            origins.push(Origin { class: Class::Control, ..origin.clone() });
        }
        let mut inst = *inst;
        let meet = new_place(dominators[block as usize]);
        match &mut inst.op {
            Op::Branch { target, reconverge } => {
                *target = new_place(graph.block_of[*target as usize]);
                *reconverge = meet;
            }
            Op::BranchTable { reconverge } => *reconverge = meet,
            _ => {}
        }
        insts.push(inst);
        origins.push(origin.clone());
    }
    for table in &mut code.tables {
        for target in table {
            *target = new_place(graph.block_of[*target as usize]);
        }
    }
    for function in &mut code.functions {
        function.entry = new_place(graph.block_of[function.entry as usize]);
    }
    code.insts = insts;
    code.origins = origins;
}
