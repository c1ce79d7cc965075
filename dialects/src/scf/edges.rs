//! Control flow between `scf` operations and their regions, and its verification.

use gpuc_ir::op::{RegionBranch, RegionEdge, RegionPoint};
use gpuc_ir::{Ir, Op, OpView, Region, Value};
use smallvec::SmallVec;

use super::terminators::{ConditionOp, YieldOp};

type Values = SmallVec<[Value; 2]>;

/// What the terminators of a region hand over, one list for each: all operands of a `scf.yield`,
/// those behind the condition of a `scf.condition`.
fn handed_over(ir: &Ir, region: Region) -> Vec<Values> {
    let ends = ir.blocks(region).iter().filter_map(|&block| ir.last_op(block));
    ends.filter_map(|end| {
        let skipped = usize::from(ConditionOp::is(ir, end));
        (skipped == 1 || YieldOp::is(ir, end)).then(|| ir.operands(end).skip(skipped).collect())
    })
    .collect()
}

fn arguments(ir: &Ir, op: Op, region: usize, skipped: usize) -> Values {
    let entry = ir.regions(op).get(region).and_then(|&region| ir.entry_block(region));
    entry.map_or(&[][..], |block| ir.arguments(block)).iter().skip(skipped).copied().collect()
}

fn results(ir: &Ir, op: Op) -> Values {
    ir.results(op).iter().copied().collect()
}

fn edge(to: RegionPoint, values: Values, receivers: Values) -> RegionEdge {
    RegionEdge { to, values, receivers }
}

/// From each terminator of a region to each of the targets.
fn leaving(ir: &Ir, op: Op, region: usize, targets: &[(RegionPoint, Values)]) -> Vec<RegionEdge> {
    let Some(&region) = ir.regions(op).get(region) else { return Vec::new() };
    let ends = handed_over(ir, region);
    ends.iter()
        .flat_map(|values| {
            targets.iter().map(|(to, receivers)| edge(*to, values.clone(), receivers.clone()))
        })
        .collect()
}

/// The loop may run no iteration; each iteration may be the last.
pub(super) const FOR: RegionBranch = RegionBranch {
    edges: |ir, op, from| {
        let targets = [
            (RegionPoint::Region(0), arguments(ir, op, 0, 1)),
            (RegionPoint::Parent, results(ir, op)),
        ];
        match from {
            RegionPoint::Parent => {
                let inits: Values = ir.operands(op).skip(3).collect();
                targets
                    .into_iter()
                    .map(|(to, receivers)| edge(to, inits.clone(), receivers))
                    .collect()
            }
            RegionPoint::Region(region) => leaving(ir, op, region, &targets),
        }
    },
};

/// Iterations hand nothing to each other; the results come out of the reductions.
pub(super) const PARALLEL: RegionBranch = RegionBranch {
    edges: |_, _, _| {
        [RegionPoint::Region(0), RegionPoint::Parent]
            .map(|to| edge(to, Values::new(), Values::new()))
            .into()
    },
};

pub(super) const WHILE: RegionBranch = RegionBranch {
    edges: |ir, op, from| match from {
        RegionPoint::Parent => {
            vec![edge(RegionPoint::Region(0), ir.operands(op).collect(), arguments(ir, op, 0, 0))]
        }
        RegionPoint::Region(0) => {
            let targets = [
                (RegionPoint::Region(1), arguments(ir, op, 1, 0)),
                (RegionPoint::Parent, results(ir, op)),
            ];
            leaving(ir, op, 0, &targets)
        }
        RegionPoint::Region(region) => {
            leaving(ir, op, region, &[(RegionPoint::Region(0), arguments(ir, op, 0, 0))])
        }
    },
};

/// One of the regions runs, then the operation is done. An empty region stands for nothing.
pub(super) const ONE_OF: RegionBranch = RegionBranch {
    edges: |ir, op, from| match from {
        RegionPoint::Parent => {
            let mut edges = Vec::new();
            for (i, &region) in ir.regions(op).iter().enumerate() {
                let to = match ir.blocks(region).is_empty() {
                    true => RegionPoint::Parent,
                    false => RegionPoint::Region(i),
                };
                edges.push(edge(to, Values::new(), Values::new()));
            }
            edges
        }
        RegionPoint::Region(region) => {
            leaving(ir, op, region, &[(RegionPoint::Parent, results(ir, op))])
        }
    },
};

/// What [`verify_edges`] compares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    /// Only how many values are handed over.
    Counts,
    /// Their types too.
    Types,
}

/// Checks that what is handed over fits what receives it, on every edge.
pub(super) fn verify_edges(ir: &Ir, op: Op, compare: Compare) -> Result<(), String> {
    let Some(branch) = ir.def(op).and_then(|def| def.hooks.region_branch) else { return Ok(()) };
    let regions = (0..ir.regions(op).len()).map(RegionPoint::Region);
    for from in std::iter::once(RegionPoint::Parent).chain(regions) {
        for edge in (branch.edges)(ir, op, from) {
            let from = match from {
                RegionPoint::Parent => "parent operands".to_owned(),
                RegionPoint::Region(i) => format!("Region #{i}"),
            };
            let to = match edge.to {
                RegionPoint::Parent => "parent results".to_owned(),
                RegionPoint::Region(i) => format!("Region #{i}"),
            };
            let (given, needed) = (edge.values.len(), edge.receivers.len());
            if given != needed {
                return Err(format!(
                    " region control flow edge from {from} to {to}: source has {given} operands, but \
                     target successor needs {needed}"
                ));
            }
            if compare == Compare::Counts {
                continue;
            }
            for (i, (&value, &receiver)) in edge.values.iter().zip(&edge.receivers).enumerate() {
                let (given, needed) = (ir.ty(value), ir.ty(receiver));
                if given != needed {
                    return Err(format!(
                        " along control flow edge from {from} to {to}: source type #{i} '{}' should \
                         match input type #{i} '{}'",
                        ir.ctx.type_text(given),
                        ir.ctx.type_text(needed)
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Checks that every region that is not empty ends with an operation of kind `V`.
pub(super) fn verify_ends<V: OpView>(ir: &Ir, op: Op) -> Result<(), String> {
    for &region in ir.regions(op) {
        let last = ir.blocks(region).last().and_then(|&block| ir.last_op(block));
        if let Some(last) = last.filter(|&last| !V::is(ir, last)) {
            return Err(format!(
                "expects regions to end with '{}', found '{}'",
                V::def().name,
                ir.name(last)
            ));
        }
    }
    Ok(())
}
