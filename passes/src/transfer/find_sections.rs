//! `find-sections`: which part of what a pointer points to a construct touches.
//!
//! A program may leave open how much of what a pointer points to a compute construct needs
//! ([`MAP_SECTION`]). The loops say it: for each such argument this takes the hull of all accesses,
//! from iteration domains, the conditions round the accesses, and subscripts, as parametric optima of
//! integer sets. A function beside the construct's computes it from the construct's scalar arguments,
//! as two results for each pointer: the offset of the first byte, and how many bytes; the host calls it
//! before the data are mapped. The argument is then mapped as `copy` or, where nothing is written,
//! `copyin`. Where loops or subscripts depend on what only the device knows, it is `present`, and a
//! remark says why. Of a nest that the compiler found it also notes which arguments are only read, and which are overwritten
//! ([`USE_ATTR`]). Needs the affine level, before regions have become kernels.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::arith;
use gpuc_dialects::func::{FuncOp, ReturnOp};
use gpuc_dialects::offload::{
    DisjointOp, FOUND_ATTR, MAP_ATTR, MAP_SECTION, RegionOp, SECTION_TEST_ATTR, SECTIONS_ATTR,
    USE_ATTR, USE_OVERWRITES, USE_READS,
};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AttrKind, Builder, InsertPoint, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::section::{Touched, Unknown, is_view};
use super::uses::{self, Use};
use crate::analysis::access::{Access, access, name, root};
use crate::analysis::slice::{clone_slice, slice_from_arguments};
use crate::versions::{in_fallback, tested};
use indexmap::IndexSet;

gpuc_ir::pass! {
    /// Find the sections of pointers that constructs touch.
    FindSections = "find-sections" {}
}

impl Pass for FindSections {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(function) = FuncOp::cast(ir, inner) else { continue };
            if ir.attr(inner, FOUND_ATTR).is_some() {
                note_uses(ir, function);
            }
            if !open_arguments(ir, function).is_empty() {
                find(ir, function, cx);
            }
        }
        Ok(())
    }
}

/// The numbers of the arguments whose sections are open.
fn open_arguments(ir: &Ir, function: FuncOp) -> Vec<usize> {
    let Some(all) = ir.attr(function.op(), "arg_attrs").and_then(|attr| ir.ctx.array_value(attr))
    else {
        return Vec::new();
    };
    let is_open = |&i: &usize| match *ir.ctx.attr_kind(all[i]) {
        AttrKind::Dict(entries) => ir
            .ctx
            .dict_get_str(entries, MAP_ATTR)
            .and_then(|attr| ir.ctx.string_value(attr))
            .is_some_and(|map| map == MAP_SECTION),
        _ => false,
    };
    (0..all.len()).filter(is_open).collect()
}

/// Says what a nest does with the memory behind its arguments.
fn note_uses(ir: &mut Ir, function: FuncOp) {
    let Some(entry) = ir.entry_block(ir.region(function.op(), 0)) else { return };
    let sections = open_arguments(ir, function);
    for (number, argument) in ir.arguments(entry).to_vec().into_iter().enumerate() {
        if !ir.ctx.is_memref(ir.ty(argument)) {
            continue;
        }
        let Ok(accesses) = accesses(ir, function.op(), argument) else { continue };
        // The region is carried out once, and there is no other version of it, which may touch other elements.
        let once = |&(region, _): &(Op, Access)| ir.parent_op(region) == Some(function.op());
        let word = match uses::of(ir, argument, &accesses, sections.contains(&number)) {
            Use::Reads => USE_READS,
            Use::Overwrites if accesses.iter().all(once) => USE_OVERWRITES,
            Use::Overwrites | Use::Writes => continue,
        };
        set_argument_attr(ir, function, number, USE_ATTR, word);
    }
}

/// Says how an argument is mapped.
fn set_map(ir: &mut Ir, function: FuncOp, argument: usize, map: &str) {
    set_argument_attr(ir, function, argument, MAP_ATTR, map);
}

fn set_argument_attr(ir: &mut Ir, function: FuncOp, argument: usize, name: &str, text: &str) {
    let Some(all) = ir.attr(function.op(), "arg_attrs").and_then(|attr| ir.ctx.array_value(attr))
    else {
        return;
    };
    let mut all = all.to_vec();
    let AttrKind::Dict(entries) = *ir.ctx.attr_kind(all[argument]) else { return };
    let (name, value) = (ir.ctx.ident(name), ir.ctx.string_attr(text));
    let others = ir.ctx.dict_entries(entries).iter().copied().filter(|&(known, _)| known != name);
    let entries: Vec<_> = others.chain([(name, value)]).collect();
    let dict = ir.ctx.dict(entries);
    all[argument] = ir.ctx.intern_attr(AttrKind::Dict(dict));
    let all = ir.ctx.array_attr(&all);
    ir.set_attr(function.op(), "arg_attrs", all);
}

fn find(ir: &mut Ir, function: FuncOp, cx: &mut PassContext<'_>) {
    let Some(entry) = ir.entry_block(ir.region(function.op(), 0)) else { return };
    let arguments = ir.arguments(entry).to_vec();
    let scalars: Vec<Value> =
        arguments.iter().copied().filter(|&value| !ir.ctx.is_memref(ir.ty(value))).collect();
    let types: Vec<_> = scalars.iter().map(|&value| ir.ty(value)).collect();
    let location = ir.location(function.op());
    let body = ir.create_region();
    let block = ir.append_new_block(body, &types, location);
    let mut map = ValueMap::new();
    for (&old, &new) in scalars.iter().zip(ir.arguments(block).to_vec().iter()) {
        map.insert(old, new);
    }
    // Of a nest that nobody has declared, no byte is moved that the program may not touch.
    let is_found = ir.attr(function.op(), FOUND_ATTR).is_some();
    let mut results = Vec::new();
    for number in open_arguments(ir, function) {
        let pointer = arguments[number];
        let found = touched(ir, function.op(), pointer).and_then(|(touched, writes)| {
            let tests = tests(ir, function.op(), pointer);
            let mut b = Builder::new(ir, InsertPoint::End(block), location);
            let hull = match is_found {
                true => certain_hull(&mut b, function.op(), &touched, &mut map),
                false => hull(&mut b, function.op(), &touched, &mut map, false),
            };
            hull.and_then(|hull| while_tests_hold(&mut b, function.op(), hull, &tests, &mut map))
                .map(|hull| (hull, writes))
                .map_err(|unknown| (unknown, touched_op(ir, function.op(), pointer)))
        });
        match found {
            Ok((hull, writes)) => {
                results.extend(hull);
                let map = if writes { "copy" } else { "copyin" };
                set_map(ir, function, number, map);
                let remark = format!("Generating implicit {map}({}[:])", name(ir, pointer));
                cx.report(Diagnostic::remark(remark).at_option(ir.ctx.place(location)));
            }
            Err((unknown, op)) => {
                set_map(ir, function, number, "present");
                cx.report(not_found(ir, pointer, unknown, op.unwrap_or(function.op())));
            }
        }
    }
    let mut b = Builder::new(ir, InsertPoint::End(block), location);
    ReturnOp::new(&mut b, &results).build(&mut b);
    let index = b.ctx.index();
    let result_types = vec![index; results.len()];
    let ty = b.ctx.function(&types, &result_types);
    let symbol = format!("{}_sections", b.symbol_name(function.op()).unwrap_or_default());
    let (ty, symbol_attr) = (b.ctx.type_attr(ty), b.ctx.string_attr(&symbol));
    b.set_point(InsertPoint::After(function.op()));
    FuncOp::new(&mut b)
        .attr(&mut b, "sym_name", symbol_attr)
        .attr(&mut b, "function_type", ty)
        .region(body)
        .build(&mut b);
    let reference = b.ctx.symbol_attr(&symbol);
    b.set_attr(function.op(), SECTIONS_ATTR, reference);
}

/// Why a section is not known, and the operation that it fails at.
type Obstacle = (Unknown, Option<Op>);

/// What the accesses to a pointer's memory touch, and whether they write.
fn touched(ir: &Ir, function: Op, pointer: Value) -> Result<(Vec<Touched>, bool), Obstacle> {
    let mut found = Vec::new();
    let mut known: Vec<Access> = Vec::new();
    let mut writes = false;
    for (region, access) in accesses(ir, function, pointer)? {
        writes |= access.writes();
        let same = |other: &&Access| {
            other.buffer == access.buffer
                && other.subscripts == access.subscripts
                && other.length == access.length
                && ir.parent_block(other.op) == ir.parent_block(access.op)
        };
        if known.iter().any(|other| same(&other)) {
            continue;
        }
        let touched = Touched::find(ir, region, &access);
        found.push(touched.map_err(|unknown| (unknown, Some(access.op)))?);
        known.push(access);
    }
    Ok((found, writes))
}

/// The accesses to a pointer's memory, each with its region.
fn accesses(ir: &Ir, function: Op, pointer: Value) -> Result<Vec<(Op, Access)>, Obstacle> {
    let mut found = Vec::new();
    for op in ir.nested_ops(function, WalkOrder::PreOrder) {
        let is_user = ir
            .operands(op)
            .any(|operand| ir.ctx.is_memref(ir.ty(operand)) && root(ir, operand) == pointer);
        // The version without an assumption touches the same elements, or the test says so ([`while_tests_hold`]);
        // where there is no other one, it counts.
        if !is_user || in_fallback(ir, op) || DisjointOp::is(ir, op) {
            continue;
        }
        let region = ir.ancestors(op).find(|&outer| RegionOp::is(ir, outer));
        match (access(ir, op), region) {
            (Some(access), Some(region)) => found.push((region, access)),
            (None, _) if is_view(ir, op) => {}
            _ => return Err((Unknown::Subscript, Some(op))),
        }
    }
    Ok(found)
}

/// What is tested in front of regions that use a pointer's memory, and decides whether its subscripts are known.
fn tests(ir: &Ir, function: Op, pointer: Value) -> IndexSet<Op> {
    let accesses = accesses(ir, function, pointer).unwrap_or_default();
    let regions: IndexSet<Op> = accesses.into_iter().map(|(region, _)| region).collect();
    let tests = regions.into_iter().flat_map(|region| tested(ir, region));
    tests.filter(|&test| ir.attr(test, SECTION_TEST_ATTR).is_some()).collect()
}

/// A section whose length is [`UNCERTAIN`] where a test fails.
fn while_tests_hold(
    b: &mut Builder<'_>,
    function: Op,
    [mut offset, mut length]: [Value; 2],
    tests: &IndexSet<Op>,
    map: &mut ValueMap,
) -> Result<[Value; 2], Unknown> {
    for &test in tests {
        let holds = b.result(test, 0);
        let slice = slice_from_arguments(b, holds, function).ok_or(Unknown::Subscript)?;
        let holds = clone_slice(b, &slice, holds, map);
        let uncertain = arith::constant_index(b, UNCERTAIN);
        length = arith::SelectOp::new(b, holds, length, uncertain).value(b);
        let zero = arith::constant_index(b, 0);
        offset = arith::SelectOp::new(b, holds, offset, zero).value(b);
    }
    Ok([offset, length])
}

/// The first access to a pointer's memory.
fn touched_op(ir: &Ir, function: Op, pointer: Value) -> Option<Op> {
    accesses(ir, function, pointer).ok()?.first().map(|(_, access)| access.op)
}

/// The length of a section of which the host cannot say that the program touches all of it.
const UNCERTAIN: i64 = i64::MIN;

/// Builds the hull of what accesses touch, and beside it that of those accesses whose ends are certain to be
/// touched: where the two differ, the length is [`UNCERTAIN`].
fn certain_hull(
    b: &mut Builder<'_>,
    function: Op,
    touched: &[Touched],
    map: &mut ValueMap,
) -> Result<[Value; 2], Unknown> {
    let [offset, length] = hull(b, function, touched, map, false)?;
    if touched.iter().all(Touched::is_certain) {
        return Ok([offset, length]);
    }
    let certain: Vec<_> = touched.iter().filter(|each| each.is_exact()).collect();
    if certain.is_empty() {
        return Err(Unknown::Condition);
    }
    let [known_offset, known_length] = hull(b, function, certain, map, true)?;
    let same = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
    let same_start =
        arith::CmpIOp::new(b, offset, known_offset).attr(b, "predicate", same).value(b);
    let same_length =
        arith::CmpIOp::new(b, length, known_length).attr(b, "predicate", same).value(b);
    let is_certain = arith::AndIOp::new(b, same_start, same_length).value(b);
    let uncertain = arith::constant_index(b, UNCERTAIN);
    Ok([offset, arith::SelectOp::new(b, is_certain, length, uncertain).value(b)])
}

/// Builds the hull of what accesses touch: the offset of its first byte, and its length in bytes.
fn hull<'t>(
    b: &mut Builder<'_>,
    function: Op,
    touched: impl IntoIterator<Item = &'t Touched>,
    map: &mut ValueMap,
    certain: bool,
) -> Result<[Value; 2], Unknown> {
    let zero = arith::constant_index(b, 0);
    let mut sides: Option<(Value, Value)> = None;
    for each in touched {
        let (low, high) = each.build(b, function, map, certain)?;
        // In bytes, as views may differ in their elements; far stays far.
        let bytes = arith::constant_index(b, each.bytes());
        let none = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
        let empty = arith::CmpIOp::new(b, high, low).attr(b, "predicate", none).value(b);
        let one = arith::constant_index(b, 1);
        let behind = arith::AddIOp::new(b, high, one).value(b);
        let [first, last] = [low, behind].map(|at| arith::MulIOp::new(b, at, bytes).value(b));
        let first = arith::SelectOp::new(b, empty, low, first).value(b);
        let last = arith::SelectOp::new(b, empty, high, last).value(b);
        sides = Some(match sides {
            Some((near, far)) => (
                arith::MinSIOp::new(b, near, first).value(b),
                arith::MaxSIOp::new(b, far, last).value(b),
            ),
            None => (first, last),
        });
    }
    let Some((first, last)) = sides else { return Ok([zero, zero]) };
    let some = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
    let some = arith::CmpIOp::new(b, first, last).attr(b, "predicate", some).value(b);
    let length = arith::SubIOp::new(b, last, first).value(b);
    let offset = arith::SelectOp::new(b, some, first, zero).value(b);
    Ok([offset, arith::SelectOp::new(b, some, length, zero).value(b)])
}

/// A pointer whose memory must be on the device already, because of an access.
fn not_found(ir: &Ir, pointer: Value, unknown: Unknown, op: Op) -> Diagnostic {
    let name = name(ir, pointer);
    let why = match unknown {
        Unknown::Subscript => "a subscript is no sum of loop variables and values of the host",
        Unknown::Bounds => "the loops depend on what only the device knows",
        Unknown::Condition => {
            "a condition that only the device knows decides whether it is touched"
        }
    };
    Diagnostic::missed(format!(
        "`{name}` is a pointer in no data clause, and which part of it is touched is not known before the launch \
         ({why}): what it points to must be present on the device"
    ))
    .code(codes::POINTER_NOT_MAPPED)
    .at_option(ir.ctx.place(ir.location(op)))
    .help(format!("name it in a clause, as `copy({name}[first:count])`, to have it moved"))
}
