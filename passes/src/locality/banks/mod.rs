//! `spread-banks`: arrays of a block lie in its memory so that the threads of a warp reach different banks.
//!
//! Needs mapped loops (`map`), so that it is known which threads are neighbours. An array that the threads of a block
//! share, private to a gang or a team, is where the program has its elements; consecutive threads that touch a column of
//! it, or one member of records, ask one bank over and over. The pass counts what a warp asks for ([`warps`]) and gives the array the
//! layout ([`layout`]) with which the banks are done soonest ([`choice`]): the dimensions in another order, which makes arrays of
//! members of an array of records and transposes a tile, longer rows, or rows whose elements are exchanged by the row's number. No order of
//! execution is changed and every element keeps a place of its own, so that no dependence can forbid it. Arrays of the
//! compiler's own are laid out by who makes them. Li et al. 2016, §3.3.1, fig. 4 and table 1.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::memref;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

mod choice;
mod layout;
mod records;
mod warps;

use choice::Subject;
use layout::BankLayout;
use records::Records;
use warps::{Warps, accesses};

use crate::analysis::access::{known_name, name};
use crate::parallel::private_arrays::is_shared_by_threads;
use crate::parallel::threads::Extents;
use crate::plan::step::{Banks, MOST_LONGER};
use crate::plan::{Given, is_planned, record};
use crate::steps::refusal::Refusal;
use crate::target::target;

gpuc_ir::pass! {
    /// Lay arrays of a block out so that the threads of a warp reach different banks of its memory.
    SpreadBanks = "spread-banks" on "func.func" {
        /// The device, whose table gives the memory of a block.
        arch: String = Arch::default_target().name.to_owned(),
        /// The array's name in the program; all arrays if there is none.
        array: String = String::new(),
        /// The dimensions in their new order, from 0; as they are if there are none.
        order: Vec<i64> = Vec::new(),
        /// Elements that rows are longer by.
        longer: i64 = 0,
        /// Whether the elements of a row are exchanged by its number.
        exchanged: bool = false,
        /// Whether each member of records gets an array of its own.
        members: bool = false,
    }
}

/// Accesses that an array has at most for a layout to be looked for: each is looked at thread by thread.
const MOST_ACCESSES: usize = 256;
/// What the block's memory must have left for what reductions need of it, in bytes.
const RESERVED: i64 = 1024;

impl Pass for SpreadBanks {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let most = i64::from(target(&self.arch)?.limits.shared_per_block) - RESERVED;
        if !(0..=MOST_LONGER).contains(&self.longer) {
            let text = format!("rows are longer by 0 to {MOST_LONGER} elements");
            return Err(Diagnostic::error(text));
        }
        let mut found = Vec::new();
        if let Some(given) = Given::of(ir, op)? {
            for (step, placed) in given.of_kind::<Banks>() {
                let own = asked(ir, op, &step, most).map_err(|why| placed.refused(ir, &why))?;
                cx.step(ir, op, &placed.step.to_string());
                take(ir, own, cx);
                record(ir, op, step);
            }
            return Ok(());
        }
        let step = Banks {
            array: self.array.clone(),
            order: self.order.clone(),
            longer: self.longer,
            exchanged: self.exchanged,
            members: self.members,
        };
        if step.is_something() {
            match asked(ir, op, &step, most) {
                Ok(own) => found = own,
                Err(refusal) => cx.report(refusal.remark(ir)),
            }
        } else {
            let mut blocks = Blocks::of(ir, op, most);
            for (called, arrays) in self.named(ir, &blocks) {
                let own = chosen(ir, op, &blocks, &arrays).unwrap_or_default();
                // What comes behind has what is left.
                own.iter().for_each(|(array, change, _)| blocks.grows(ir, *array, change));
                if let Some((_, change, _)) = own.first() {
                    record(ir, op, change.step(&called));
                }
                found.extend(own);
            }
        }
        if found.is_empty() {
            cx.preserve_all();
        }
        take(ir, found, cx);
        Ok(())
    }
}

impl SpreadBanks {
    /// Arrays of the program that a layout is looked for, those of one name together: a plan speaks of them by it.
    fn named(&self, ir: &Ir, blocks: &Blocks) -> IndexMap<String, Vec<Op>> {
        let mut named: IndexMap<String, Vec<Op>> = IndexMap::new();
        for &array in blocks.arrays.keys() {
            let buffer = ir.result(array, 0);
            let Some(called) = known_name(ir, buffer) else { continue };
            let wanted = self.array.is_empty() || called == self.array;
            if wanted && !is_in_block_by_type(ir, array) {
                named.entry(called.to_owned()).or_default().push(array);
            }
        }
        named
    }
}

/// What becomes of an array.
enum Change {
    Layout(BankLayout),
    Members(Records),
}

/// An array, what becomes of it, and the passes that its accesses take then and took before, where these were counted.
type Found = (Op, Change, Option<[i64; 2]>);

impl Change {
    /// As a step of a plan.
    fn step(&self, array: &str) -> Banks {
        match self {
            Change::Layout(layout) => layout.step(array),
            Change::Members(_) => {
                Banks { array: array.to_owned(), members: true, ..Banks::default() }
            }
        }
    }
}

/// Arrays in memory of blocks, and those of the program that will be, as the threads of one share them. Versions for where an
/// assumption does not hold, of which no plan speaks, stay as they are.
struct Blocks {
    /// Bytes that a block has for them.
    most: i64,
    /// Each with its region, and its bytes.
    arrays: IndexMap<Op, (Option<Op>, i64)>,
}

impl Blocks {
    fn of(ir: &Ir, func: Op, most: i64) -> Blocks {
        let mut threads: FxHashMap<Op, Option<Extents>> = FxHashMap::default();
        let mut arrays = IndexMap::new();
        for array in ir.nested_ops(func, WalkOrder::PreOrder) {
            if !memref::AllocaOp::is(ir, array) || !is_planned(ir, array) {
                continue;
            }
            let mut is_shared = || {
                let scope = warps::scope(ir, func, array);
                let known = || warps::threads(ir, scope).map(|all| Extents(all.map(Some)));
                let extents = threads.entry(scope).or_insert_with(known);
                extents.as_ref().is_some_and(|all| is_shared_by_threads(ir, array, func, all))
            };
            if is_in_block_by_type(ir, array) || is_shared() {
                let region = ir.ancestors(array).find(|&outer| RegionOp::is(ir, outer));
                arrays.insert(array, (region, bytes(ir, array)));
            }
        }
        Blocks { most, arrays }
    }

    /// Bytes that there are for an array, beside the others of its region.
    fn room(&self, array: Op) -> i64 {
        let region = self.arrays.get(&array).and_then(|(region, _)| *region);
        let others = self.arrays.iter().filter(|(other, _)| **other != array);
        let others = others.filter(|(_, (own, _))| *own == region);
        others.map(|(_, (_, bytes))| *bytes).fold(self.most, i64::saturating_sub)
    }

    /// An array is going to be another size.
    fn grows(&mut self, ir: &Ir, array: Op, change: &Change) {
        let ty = ir.ty(ir.result(array, 0));
        let shape = ir.ctx.shape(ty).unwrap_or(&[]);
        let element = memref::element_bytes(&ir.ctx, ty).unwrap_or(0);
        if let (Change::Layout(layout), Some(own)) = (change, self.arrays.get_mut(&array)) {
            own.1 = layout.bytes(shape, element);
        }
    }
}

fn is_in_block_by_type(ir: &Ir, array: Op) -> bool {
    let space = AddressSpace::of_memref(&ir.ctx, ir.ty(ir.result(array, 0)));
    space == Some(AddressSpace::Workgroup)
}

fn bytes(ir: &Ir, array: Op) -> i64 {
    let ty = ir.ty(ir.result(array, 0));
    let shape = ir.ctx.shape(ty).unwrap_or(&[]);
    BankLayout::plain(shape.len()).bytes(shape, memref::element_bytes(&ir.ctx, ty).unwrap_or(0))
}

/// The arrays that a step speaks of, all where it names none.
fn asked(ir: &Ir, func: Op, step: &Banks, most: i64) -> Result<Vec<Found>, Refusal> {
    let is_own = |array: &Op| step.array.is_empty() || name(ir, ir.result(*array, 0)) == step.array;
    let blocks = Blocks::of(ir, func, most);
    let own: Vec<Op> = blocks.arrays.keys().copied().filter(is_own).collect();
    if own.is_empty() {
        let rule = match step.array.is_empty() {
            true => "there is no array that the threads of a block share".to_owned(),
            false => {
                format!("there is no array '{}' that the threads of a block share", step.array)
            }
        };
        return Err(Refusal::new("spread-banks", func, rule));
    }
    let laid_out = |array: Op| {
        if step.members {
            return Ok((array, Change::Members(Records::of(ir, array)?), None));
        }
        let rank = ir.ctx.shape(ir.ty(ir.result(array, 0))).map_or(0, <[i64]>::len);
        let layout = BankLayout::given(step, rank);
        layout.check(ir, array, blocks.room(array))?;
        Ok((array, Change::Layout(layout), None))
    };
    own.into_iter().map(laid_out).collect()
}

/// What is best for arrays of one name; `None` where that is what they have, or they are not alike.
fn chosen(ir: &Ir, func: Op, blocks: &Blocks, arrays: &[Op]) -> Option<Vec<Found>> {
    let ty = ir.ty(ir.result(*arrays.first()?, 0));
    let is_alike = |&array: &Op| {
        ir.ty(ir.result(array, 0)) == ty
            && ir.operand_count(array) == 0
            && bytes(ir, array) <= blocks.most
    };
    if !arrays.iter().all(is_alike) {
        return None;
    }
    let mut requests = Vec::new();
    let mut records = Vec::new();
    for &array in arrays {
        let warps = Warps::of(ir, func, array)?;
        if let Ok(own) = Records::of(ir, array) {
            let passes = own.passes(ir, &warps).filter(|_| own.accesses(ir) <= MOST_ACCESSES)?;
            records.push((array, Change::Members(own), Some(passes)));
            continue;
        }
        let users = accesses(ir, ir.result(array, 0))?;
        if users.len() > MOST_ACCESSES {
            return None;
        }
        requests.extend(users.into_iter().filter_map(|user| warps.request(user)));
    }
    if !records.is_empty() {
        return (records.len() == arrays.len()).then_some(records);
    }
    let shape = ir.ctx.shape(ty)?;
    let room = arrays.iter().map(|&array| blocks.room(array)).min()?;
    let bytes = memref::element_bytes(&ir.ctx, ty)?;
    let choice = Subject { shape, bytes, requests: &requests, room }.best()?;
    let can = arrays.iter().all(|&array| choice.layout.check(ir, array, room).is_ok());
    let of = |&array: &Op| (array, Change::Layout(choice.layout.clone()), Some(choice.passes));
    can.then(|| arrays.iter().map(of).collect())
}

/// Lays arrays out, and says so.
fn take(ir: &mut Ir, found: Vec<Found>, cx: &mut PassContext<'_>) {
    for (array, change, passes) in found {
        let called = name(ir, ir.result(array, 0));
        let how = match &change {
            Change::Layout(layout) => layout.to_string(),
            Change::Members(_) => "with the members of its records apart".to_owned(),
        };
        let mut text = format!("Array {called} in memory of the block {how}");
        if let Some([after, before]) = passes {
            text +=
                &format!(": a warp's accesses take its banks {after} passes in place of {before}");
        }
        let place = ir.ctx.place(ir.location(array));
        cx.report(Diagnostic::remark(text).at_option(place));
        match change {
            Change::Layout(layout) => layout.carry_out(ir, array),
            Change::Members(records) => records.carry_out(ir),
        }
    }
}
