//! `print-bank-conflicts`: says for each access of shared memory how many requests of a warp fall to one bank, by the formula or,
//! where that says nothing, by counting, and what would help. Changes nothing.
//!
//! What helps is the paper's decision (Li et al. 2016, fig. 4 and table 1), as far as the accesses decide it: records whose members lie
//! apart become arrays of their own; rows that are read by columns get longer; for rows of a power of two, columns may be
//! exchanged by their row instead (`column xor row`), which takes no memory; for the rest other threads have to read.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::memref;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{DYNAMIC, Ir, Op, Value};

use super::super::access::{Access, name};
use super::super::loops::{CountedLoop, nest, outermost_loops};
use super::super::nest::Nest;
use super::super::quasi_affine::QuasiAffine;
use super::banks::{conflict_degree, counted_degree};

gpuc_ir::pass! {
    /// Print how many requests of a warp fall to one bank of shared memory, as remarks.
    PrintBankConflicts = "print-bank-conflicts" {
        /// The loop that the threads of a warp divide among them, a number from the outermost, 0. Without it, the innermost
        /// parallel one.
        thread: Option<i64> = None,
        /// Whether accesses of all memory count, as if it were shared.
        all: bool = false,
    }
}

/// Threads of a warp.
const WARP: i64 = 32;

impl Pass for PrintBankConflicts {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if self.thread.is_some_and(|thread| thread < 0) {
            return Err(Diagnostic::error("loops are numbered from the outermost, 0"));
        }
        let known = cx.analysis::<Nest>(ir, op);
        for outermost in outermost_loops(ir, op) {
            let Ok(accesses) = known.accesses(outermost) else { continue };
            for access in accesses.iter().filter(|access| self.all || is_shared(ir, access.buffer))
            {
                let loops = nest(ir, access.op, outermost);
                let Some(thread) = self.thread_of(ir, &loops) else { continue };
                let text = Element::of(ir, access, thread)
                    .map_or_else(|| "where its elements lie is not known".to_owned(), |e| e.said());
                let text = format!("{}: {text}", name(ir, access.root));
                let place = ir.ctx.place(ir.location(access.op));
                cx.report(Diagnostic::remark(text).at_option(place));
            }
        }
        cx.preserve_all();
        Ok(())
    }
}

impl PrintBankConflicts {
    /// The variable that tells the threads of a warp apart.
    fn thread_of(&self, ir: &Ir, loops: &[CountedLoop]) -> Option<Value> {
        let dim = match self.thread {
            Some(number) => loops.get(usize::try_from(number).ok()?),
            None => loops.iter().rev().find(|dim| ir.has_trait(dim.op, Traits::PARALLEL_LOOP)),
        };
        Some(dim?.variable)
    }
}

/// Whether a buffer lies in the memory of a block.
fn is_shared(ir: &Ir, buffer: Value) -> bool {
    AddressSpace::of_memref(&ir.ctx, ir.ty(buffer)) == Some(AddressSpace::Workgroup)
}

/// What an access asks for, thread by thread.
struct Element {
    bytes: u32,
    /// Elements of a row, the last dimension; `None` of an array that has one dimension.
    row: Option<i64>,
    /// Row and column of each thread.
    places: Vec<(i64, i64)>,
    /// How far apart neighbours are, where that is one number.
    stride: Option<i64>,
    is_member: bool,
}

impl Element {
    fn of(ir: &Ir, access: &Access, thread: Value) -> Option<Element> {
        let ty = ir.ty(access.buffer);
        let shape = ir.ctx.shape(ty)?.to_vec();
        let row = shape.last().copied().filter(|_| shape.len() > 1);
        if shape.iter().skip(1).any(|&extent| extent == DYNAMIC) {
            return None;
        }
        let bytes = u32::try_from(memref::element_bytes(&ir.ctx, ty)?).ok()?;
        let mut places = Vec::new();
        for lane in 0..WARP {
            let (mut above, mut column) = (0_i64, 0);
            for (k, subscript) in access.subscripts.iter().enumerate() {
                let at = value(subscript.as_ref()?, thread, lane)?;
                if k + 1 == shape.len() {
                    column = at;
                } else {
                    above = above.checked_mul(shape[k])?.checked_add(at)?;
                }
            }
            places.push((above, column));
        }
        let mut element = Element { bytes, row, places, stride: None, is_member: false };
        let elements = element.elements(row.unwrap_or(0))?;
        let apart = elements.get(1)?.checked_sub(elements[0])?;
        let even = elements.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(apart));
        element.stride = even.then_some(apart);
        // A record: the last subscript is the same for all, and says which of its members.
        let last = access.subscripts.last()?.as_ref()?;
        element.is_member = access.member.is_some()
            || (row.is_some() && last.as_polynomial().is_some_and(|form| form.values().is_empty()));
        Some(element)
    }

    /// The numbers of the elements where a row has so many.
    fn elements(&self, row: i64) -> Option<Vec<i64>> {
        let number = |&(above, column): &(i64, i64)| above.checked_mul(row)?.checked_add(column);
        self.places.iter().map(number).collect()
    }

    fn degree(&self, row: i64) -> Option<u32> {
        Some(counted_degree(&self.elements(row)?, self.bytes))
    }

    /// Whether columns that are exchanged by their row have no conflict.
    fn is_apart_by_xor(&self, row: i64) -> bool {
        if row < WARP || row.count_ones() != 1 {
            return false;
        }
        let swizzled = |&(above, column): &(i64, i64)| {
            above.wrapping_mul(row).wrapping_add(column ^ above.wrapping_rem_euclid(row))
        };
        let elements: Vec<i64> = self.places.iter().map(swizzled).collect();
        counted_degree(&elements, self.bytes) <= 1
    }

    fn said(&self) -> String {
        let row = self.row.unwrap_or(0);
        let by_formula = self.stride.and_then(|stride| conflict_degree(stride, self.bytes));
        let Some(degree) = by_formula.or_else(|| self.degree(row)) else {
            return "where its elements lie is not known".to_owned();
        };
        let apart = match self.stride {
            Some(stride) => format!("threads are {stride} elements of {} bytes apart", self.bytes),
            None => format!("threads ask for elements of {} bytes", self.bytes),
        };
        let how = if by_formula.is_some() { "" } else { " (counted)" };
        let requests = if degree == 1 { "request" } else { "requests" };
        let mut text = format!("{apart}: {degree} {requests} to one bank{how}");
        if degree > 1 {
            text += "; ";
            text += &self.help(row);
        }
        text
    }

    /// What would help.
    fn help(&self, row: i64) -> String {
        if self.is_member {
            return "an array for each member would have none".to_owned();
        }
        let padded = (1..WARP).find(|further| {
            self.row.is_some() && self.degree(row.saturating_add(*further)) == Some(1)
        });
        match (padded, self.is_apart_by_xor(row)) {
            (Some(further), true) => format!(
                "rows of {} elements would have none, nor would columns that are exchanged by their row",
                row + further
            ),
            (Some(further), false) => format!("rows of {} elements would have none", row + further),
            (None, true) => "columns that are exchanged by their row would have none".to_owned(),
            (None, false) => "other threads have to ask for these elements".to_owned(),
        }
    }
}

/// A subscript for one thread of a warp, all other variables being 0.
fn value(form: &QuasiAffine, thread: Value, lane: i64) -> Option<i64> {
    let mut sum = 0_i64;
    for (monomial, factor) in form.plain().terms() {
        let product = monomial.iter().try_fold(factor, |product, &each| {
            product.checked_mul(if each == thread { lane } else { 0 })
        })?;
        sum = sum.checked_add(product)?;
    }
    for division in form.divisions() {
        let quotient = value(&division.numerator, thread, lane)?.div_euclid(division.divisor);
        sum = sum.checked_add(quotient.checked_mul(division.coefficient)?)?;
    }
    Some(sum)
}
