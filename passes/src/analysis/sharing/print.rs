//! `print-share-partitions`: says what a block of threads would have in shared memory, and why, as remarks. Changes nothing.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::share;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, Value};

use super::super::access::Access;
use super::super::loops::outermost_loops;
use super::super::names;
use super::super::nest::Nest;
use super::Unsuited;
use super::chosen::{Chosen, Question};
use super::features::{Plan, Point};
use super::search::{self, Named, Partition, SharingLimits};
use super::split::{References, Seed, Subspace};

gpuc_ir::pass! {
    /// Print which partitions of arrays are worth shared memory, as remarks.
    PrintSharePartitions = "print-share-partitions" {
        /// What a block works on of some arrays, as the `share` pragma says it, without blanks. Without it every array counts.
        seeds: String = String::new(),
        /// Loops that threads divide among them, numbers from the outermost, 0; that of threadIdx.x first. Without it, what
        /// mappings say.
        threads: Vec<i64> = Vec::new(),
        /// How often loops run of which that is not a number.
        trips: i64 = 1024,
        /// Bytes of a transaction.
        transaction: i64 = 128,
        /// Bytes of shared memory of a multiprocessor.
        shared: i64 = 49152,
        /// Per cent of them that a block may take.
        share: i64 = 25,
        /// Threads that a multiprocessor holds.
        resident: i64 = 2048,
        /// Per cent of its size from which on what is loaded of an array is reused.
        reuse: i64 = 140,
    }
}

impl Pass for PrintSharePartitions {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let bounds =
            [self.trips, self.transaction, self.shared, self.share, self.resident, self.reuse];
        if bounds.iter().any(|&bound| !(1..=1 << 30).contains(&bound)) {
            return Err(Diagnostic::error("numbers of print-share-partitions are 1 to 2^30"));
        }
        let specs = match &*self.seeds {
            "" => Vec::new(),
            text => share::parse(text).map_err(|wrong| {
                let at = format!("`seeds` expects {} at byte {}", wrong.expected, wrong.at);
                Diagnostic::error(at)
            })?,
        };
        let nest = cx.analysis::<Nest>(ir, op);
        for outermost in outermost_loops(ir, op) {
            let Ok(accesses) = nest.accesses(outermost) else { continue };
            let said = self.partitions(ir, outermost, accesses, &specs);
            let place = ir.ctx.place(ir.location(outermost));
            cx.report(match said {
                Ok(remark) => remark.at_option(place),
                Err(unsuited) => {
                    Diagnostic::remark(format!("no partition for shared memory: {unsuited}"))
                        .at_option(place)
                }
            });
        }
        cx.preserve_all();
        Ok(())
    }
}

impl PrintSharePartitions {
    fn partitions(
        &self,
        ir: &Ir,
        nest: Op,
        accesses: &[Access],
        specs: &[share::ArraySpec],
    ) -> Result<Diagnostic, Unsuited> {
        let threads: Vec<usize> =
            self.threads.iter().filter_map(|&depth| usize::try_from(depth).ok()).collect();
        let limits = SharingLimits {
            shared: self.shared,
            share: self.share,
            threads: self.resident,
            reuse: self.reuse,
        };
        let (threads, trips, transaction) = (&threads[..], self.trips, self.transaction);
        let question = Question { specs, threads, trips, transaction, limits };
        let chosen = Chosen::of(ir, accesses, nest, question)?;
        let (references, arrays, partition) =
            (&chosen.references, chosen.named(), &chosen.partition);
        let text = arrays.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
        let mut remark = Diagnostic::remark(format!("candidates for shared memory: {text}"));
        for subspace in &chosen.subspaces {
            remark = remark.help(self.subspace(ir, references, subspace));
        }
        for line in said(&chosen.plan(), &chosen.seeds, &arrays, partition, &limits)? {
            remark = remark.help(line);
        }
        Ok(remark)
    }

    /// `i: [0 : n : TB_Y]` in the paper; here by the number of iterations that a block has of each loop.
    fn subspace(&self, ir: &Ir, references: &References, subspace: &Subspace) -> String {
        let loop_name = |at: usize, variable: Value| match names::variable(ir, variable) {
            Some(name) => name.to_owned(),
            None => at.to_string(),
        };
        let parts = references.loops.keys().enumerate().filter_map(|(at, &variable)| {
            Some(format!("{} by {}", loop_name(at, variable), search::shown(subspace, variable)?))
        });
        format!("iterations: {}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// A line for each thing that is known.
fn said(
    plan: &Plan<'_>,
    seeds: &[Seed],
    arrays: &[Named<'_>],
    partition: &Partition,
    limits: &SharingLimits,
) -> Result<Vec<String>, Unsuited> {
    let mut lines = Vec::new();
    let Point { block: [x, y, z], vague } = &partition.point;
    lines.push(format!("block: {x} by {y} by {z}, profit {} bytes", partition.profit));
    for (&(name, array), each) in arrays.iter().zip(&partition.features) {
        let sides = plan.hull(name, array, &partition.point, false)?;
        let hull: String = sides.iter().map(|side| format!("[{side}]")).collect();
        let seed = match seeds.iter().find(|seed| seed.array == array) {
            Some(seed) if seed.coalesce => ", to be coalesced",
            _ => "",
        };
        let worth = match (each.reused, each.coalesced) {
            (true, true) => "shared for reuse and order",
            (true, false) => "shared for reuse",
            (false, true) => "shared for order",
            (false, false) => "not shared",
        };
        lines.push(format!(
            "{name}{hull}{seed}: {} loads of {} bytes, {} transactions: {worth}",
            each.loads, each.touched, each.transactions
        ));
    }
    if let Some((factors, limit)) = search::bound(plan, arrays, partition, limits) {
        let terms = factors.iter().enumerate().filter(|(_, factor)| **factor != 0);
        let terms = terms.map(|(i, factor)| match factor {
            1 => format!("k{}", i + 1),
            factor => format!("{factor}*k{}", i + 1),
        });
        let lengths: Vec<String> =
            vague.iter().enumerate().map(|(i, length)| format!("k{} = {length}", i + 1)).collect();
        let terms: Vec<String> = terms.collect();
        lines.push(format!("{} <= {limit}: {}", terms.join(" + "), lengths.join(", ")));
    }
    let (resident, unbounded) = search::resident(partition, limits);
    lines.push(format!(
        "{} bytes a block, {resident} threads resident (eq. 11: {unbounded})",
        partition.bytes
    ));
    let (references, combinations) = search::space(plan, partition);
    lines.push(format!("to choose from: {references} partitions, {combinations} combinations"));
    Ok(lines)
}
