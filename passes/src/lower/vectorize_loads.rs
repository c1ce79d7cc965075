//! `vectorize-loads`: loads of elements that follow each other in memory become loads of two or four.
//!
//! Needs subscripts that are sums ([`crate::analysis::subscript`]) and loops that do several rounds in one
//! (`loop-unroll`); leaves loads outside innermost loops, loads between which the elements may be written, and
//! those of which no alignment can be asked, and loops that are long beside what they load. PTX demands that a load of 16 bytes is of an address that is a multiple
//! of 16, which nobody promises of a row: its start depends on the buffer's address and on the distance
//! of rows. Both are asked in front of the loop, once, of what all threads of a block agree on, and the loop as
//! it was stays for where the answer is no. What varies from thread to thread or from round to round has to be a multiple
//! whatever its value. Only elements that the loop loads are loaded. The packing of isomorphic statements of a
//! block is from Larsen and Amarasinghe, *Exploiting superword level parallelism with multimedia instruction
//! sets*, 2000.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::{arith, gpu, llvm, memref, scf, vector};
use gpuc_ir::op::EffectKind;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, TypeKind, Value, ValueMap, WalkOrder};
use indexmap::{IndexMap, IndexSet};

use super::address::{number, without_constant};
use super::loop_unroll::body_length;
use super::lower_accesses::{Site, site};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::read_only::ReadOnly;
use crate::analysis::slice::is_defined_inside;
use crate::analysis::uniform::Uniformity;

/// Elements of one load, in the order in which they are tried.
const LENGTHS: [i64; 2] = [4, 2];

/// Bytes of the widest load.
const WIDEST: i64 = 16;

/// A second version of a loop is worth its place where one in so many operations is gone.
const LEAST_SHARE: usize = 12;

gpuc_ir::pass! {
    /// Load elements that follow each other together, where they are aligned.
    VectorizeLoads = "vectorize-loads" on "builtin.module" {}
}

impl Pass for VectorizeLoads {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if !gpu::GPUFuncOp::is(ir, func) || ir.blocks(ir.region(func, 0)).is_empty() {
                continue;
            }
            let read_only = ReadOnly::of(ir, func);
            for op in ir.nested_ops(func, WalkOrder::PostOrder) {
                if let Some(view) = scf::ForOp::cast(ir, op)
                    && !llvm::is_no_unroll(ir, op)
                    && body_length(ir, view).is_some()
                {
                    vectorize(ir, func, view, &read_only);
                }
            }
        }
        Ok(())
    }
}

/// Loads that one load takes the place of.
#[derive(Debug)]
struct Group {
    /// By their place in memory; of each place, all loads.
    loads: Vec<Vec<Op>>,
    /// The one that comes first in the program.
    first: Op,
    /// Elements from where the first one loads to where the group begins.
    shift: i64,
}

/// What has to be a multiple of so many bytes, for a family of accesses to be aligned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Alignment {
    bytes: i64,
    /// The buffer whose address, together with `sum`, is asked.
    base: Value,
    sum: Polynomial,
    /// Steps of what varies.
    steps: Vec<Polynomial>,
}

fn vectorize(ir: &mut Ir, func: Op, view: scf::ForOp, read_only: &ReadOnly) {
    let (mut asked, mut groups) = (IndexSet::new(), Vec::new());
    ir.number_ops(view.body(ir));
    for ((base, ty, rest), places) in families(ir, func, view) {
        let size = memref::scalar_bytes(&ir.ctx, ty).map_or(WIDEST, |bytes| bytes as i64);
        let mut places = places;
        for length in LENGTHS.into_iter().filter(|length| length * size <= WIDEST) {
            let Some(alignment) = alignment(ir, view, base, &rest, length * size) else { continue };
            let keeps = |group: &Group| read_only.contains(base) || is_unwritten(ir, group);
            let found: Vec<Group> =
                runs(ir, &mut places, size, length).into_iter().filter(keeps).collect();
            if !found.is_empty() {
                asked.insert(alignment);
                groups.extend(found);
            }
        }
    }
    let spared: usize = groups.iter().map(|group: &Group| group.loads.len() - 1).sum();
    if groups.is_empty() || spared * LEAST_SHARE < ir.ops(view.body(ir)).count() {
        return;
    }
    let mut b = Builder::before(ir, view.op());
    let holds = are_aligned(&mut b, asked);
    let copy = ir.clone_op(view.op(), &mut ValueMap::new());
    // What rarely runs is not to be made longer still.
    let no_unroll = llvm::no_unroll(&mut ir.ctx);
    ir.set_attr(copy, llvm::LOOP_ANNOTATION, no_unroll);
    choose(ir, holds, view.op(), copy);
    for group in &groups {
        load_together(ir, group);
    }
}

/// Loads of a buffer whose places differ by constants: the buffer, what is loaded, the place without its constant.
type Family = (Value, Type, Polynomial);

/// The families of the loads that every round makes, with the loads at each constant.
fn families(ir: &Ir, func: Op, view: scf::ForOp) -> IndexMap<Family, IndexMap<i64, Vec<Op>>> {
    let mut families: IndexMap<Family, IndexMap<i64, Vec<Op>>> = IndexMap::new();
    for op in ir.ops(view.body(ir)).filter(|&op| memref::LoadOp::is(ir, op)) {
        let ty = ir.ty(ir.result(op, 0));
        let Some(Site { base, position, .. }) = site(ir, func, op).filter(|_| is_number(ir, ty))
        else {
            continue;
        };
        if AddressSpace::of_memref(&ir.ctx, ir.ty(base)) == Some(AddressSpace::Global) {
            let places = families.entry((base, ty, without_constant(&position))).or_default();
            places.entry(position.constant_term()).or_default().push(op);
        }
    }
    families
}

/// Whether registers for values of a type come in pairs and fours.
fn is_number(ir: &Ir, ty: Type) -> bool {
    match ir.ctx.type_kind(ty) {
        TypeKind::Integer { width, .. } => matches!(width, 8 | 16 | 32 | 64),
        TypeKind::Float(kind) => matches!(kind.width(), 16 | 32 | 64),
        _ => false,
    }
}

/// Takes those places out that can be loaded `length` at a time: each begins at a multiple of what it loads,
/// as rows mostly do. All are of one block, whose operations are numbered.
fn runs(ir: &Ir, places: &mut IndexMap<i64, Vec<Op>>, size: i64, length: i64) -> Vec<Group> {
    let bytes = size * length;
    let at = |start: i64| (0..length).map(move |number| start.checked_add(number * size));
    let mut starts: Vec<i64> = places.keys().copied().filter(|start| start % bytes == 0).collect();
    starts.sort_unstable();
    starts.retain(|&start| {
        at(start).all(|place| place.is_some_and(|place| places.contains_key(&place)))
    });
    let mut groups = Vec::new();
    for start in starts {
        let loads: Vec<Vec<Op>> =
            at(start).filter_map(|place| places.shift_remove(&place?)).collect();
        let firsts = loads.iter().zip(0..).map(|(loads, number)| (loads[0], number));
        let Some((first, number)) =
            firsts.reduce(|a, b| if ir.is_before_numbered(a.0, b.0) { a } else { b })
        else {
            continue;
        };
        groups.push(Group { loads, first, shift: -number });
    }
    groups
}

/// Whether nothing from a group's first load to its last one may write.
fn is_unwritten(ir: &Ir, group: &Group) -> bool {
    let Some(block) = ir.parent_block(group.first) else { return false };
    let mut left = group.loads.iter().map(Vec::len).sum::<usize>();
    for op in ir.ops(block).skip_while(|&op| op != group.first) {
        left -= usize::from(group.loads.iter().flatten().any(|&load| load == op));
        if left == 0 {
            return true;
        }
        let reads = ir
            .effects(op)
            .is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Read));
        if !reads {
            return false;
        }
    }
    false
}

/// What to ask in front of a loop so that `base` and `rest` together are a multiple of some bytes; `None`
/// where that is not to be had.
fn alignment(
    ir: &Ir,
    view: scf::ForOp,
    base: Value,
    rest: &Polynomial,
    bytes: i64,
) -> Option<Alignment> {
    let mut uniformity = Uniformity::default();
    let (mut sum, mut steps) = (Polynomial::default(), Vec::new());
    for (monomial, coefficient) in rest.terms().filter(|term| term.1 % bytes != 0) {
        let (varying, stays): (Vec<Value>, Vec<Value>) = monomial.iter().partition(|&&value| {
            is_defined_inside(ir, value, view.op()) || uniformity.varies(ir, value)
        });
        let step = Polynomial::term(&stays, coefficient);
        match (varying.is_empty(), stays.is_empty()) {
            (true, _) => sum = sum.plus(&step, 1)?,
            (false, true) => return None,
            (false, false) if steps.contains(&step) => {}
            (false, false) => steps.push(step),
        }
    }
    Some(Alignment { bytes, base, sum, steps })
}

/// Whether all that is asked holds: what has to be a multiple of a power of two has no bits below it.
fn are_aligned(b: &mut Builder<'_>, asked: IndexSet<Alignment>) -> Value {
    let index = b.ctx.index();
    let mut bits: Option<Value> = None;
    for Alignment { bytes, base, sum, steps } in asked {
        let address = memref::ExtractAlignedPointerAsIndexOp::new(b, base).result(index).value(b);
        let sum = number(b, &sum);
        let mut own = arith::AddIOp::new(b, address, sum).value(b);
        for step in steps {
            let step = number(b, &step);
            own = arith::OrIOp::new(b, own, step).value(b);
        }
        let mask = arith::constant_index(b, bytes - 1);
        own = arith::AndIOp::new(b, own, mask).value(b);
        bits = Some(match bits {
            Some(bits) => arith::OrIOp::new(b, bits, own).value(b),
            None => own,
        });
    }
    let zero = arith::constant_index(b, 0);
    let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
    let bits = bits.unwrap_or(zero);
    arith::CmpIOp::new(b, bits, zero).attr(b, "predicate", eq).value(b)
}

/// Runs a loop where `holds` says so, and the detached one elsewhere.
fn choose(ir: &mut Ir, holds: Value, op: Op, otherwise: Op) {
    let types: Vec<Type> = ir.result_types(op).collect();
    let mut b = Builder::before(ir, op);
    let branches = [0, 1].map(|_| b.region(&[], |b, _| _ = scf::YieldOp::new(b, &[]).build(b)));
    let [then, other] = branches;
    let choice = scf::IfOp::new(&mut b, holds).result_group(&types);
    let choice = choice.region(then).region(other).build(&mut b);
    for number in 0..types.len() {
        let (from, to) = (ir.result(op, number), ir.result(choice, number));
        ir.replace_all_uses(from, to);
    }
    ir.detach_op(op);
    for (side, version) in [op, otherwise].into_iter().enumerate() {
        let end = ir.terminator(ir.body(choice, side)).expect("the branch ends with a yield");
        ir.insert_before(end, version);
        let results = ir.results(version).to_vec();
        ir.set_operands(end, &results);
    }
}

fn load_together(ir: &mut Ir, group: &Group) {
    let view = memref::LoadOp(group.first);
    let ty = ir.ty(view.result(ir));
    let vector = ir.ctx.vector(&[group.loads.len() as i64], ty);
    let mut b = Builder::before(ir, group.first);
    let mut indices: Vec<Value> = view.indices(&b).to_vec();
    if let Some(last) = indices.last_mut() {
        let shift = arith::constant_index(&mut b, group.shift);
        *last = arith::AddIOp::new(&mut b, *last, shift).value(&mut b);
    }
    let buffer = view.memref(&b);
    let all = vector::LoadOp::new(&mut b, buffer, &indices).result(vector).value(&mut b);
    for (place, loads) in group.loads.iter().enumerate() {
        let mut b = Builder::before(ir, group.first);
        let element = vector::extract(&mut b, all, place as i64);
        for &load in loads {
            if load != group.first {
                ir.replace_op(load, &[element]);
            } else {
                ir.replace_all_uses(view.result(ir), element);
            }
        }
    }
    ir.erase_op(group.first);
}
