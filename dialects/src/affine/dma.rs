//! Transfers between memories that run beside the program, with affine subscripts.

use gpuc_ir::op;
use gpuc_ir::op::{Effect, EffectKind, types};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult, Unresolved};
use gpuc_ir::{AffineMap, Ir, Op, OpState, Value};
use smallvec::SmallVec;

use super::bound::AffineValue;
use super::validity::all_valid_dims;
use crate::memref::{read, write};
use types::ANY;

op! {
    /// Begins to copy elements that follow each other from one buffer to another; `affine.dma_wait` with the same tag waits
    /// for the end. Operands: source, its subscripts' operands, destination, its, tag, its, the number of elements, then
    /// a stride and the number of elements at each if there are such. The maps are the attributes `src_map`, `dst_map` and
    /// `tag_map`, which upstream does not keep apart from others.
    AffineDmaStartOp = "affine.dma_start" {
        operands { all: Variadic ANY }
        hooks {
            verify: Some(verify_start),
            parse: Some(parse_start),
            print: Some(print_start),
            effects: Some(|ir, op, effects| {
                let parts = parts(ir, op, &START);
                if let [source, dest, tag] = &parts[..] {
                    read(effects, source.0);
                    write(effects, dest.0);
                    write(effects, tag.0);
                }
            }),
        }
    }
}

op! {
    /// Waits for the transfer of a tag.
    AffineDmaWaitOp = "affine.dma_wait" {
        operands { all: Variadic ANY }
        hooks {
            verify: Some(verify_wait),
            parse: Some(parse_wait),
            print: Some(print_wait),
            // Whatever is transferred is there behind it.
            effects: Some(|_, _, effects| effects.push(Effect { kind: EffectKind::Write, on: None })),
        }
    }
}

/// The maps of a start, in order of their operands.
const START: [&str; 3] = ["src_map", "dst_map", "tag_map"];
const WAIT: [&str; 1] = ["tag_map"];

/// Each buffer with its subscripts; fewer where operands are missing.
fn parts(ir: &Ir, op: Op, maps: &[&str]) -> Vec<(Value, AffineValue)> {
    let operands: Vec<Value> = ir.operands(op).collect();
    let mut rest = &operands[..];
    let mut found = Vec::new();
    for name in maps {
        let Some(map) = ir.attr(op, name).and_then(|attr| ir.ctx.map_value(attr)) else { break };
        let data = ir.ctx.map_data(map);
        let count = (data.dims + data.symbols) as usize;
        let Some((&buffer, behind)) = rest.split_first() else { break };
        let Some(subscripts) = behind.get(..count) else { break };
        found.push((buffer, AffineValue::new(map, subscripts)));
        rest = &behind[count..];
    }
    found
}

/// How many operands stand behind those of the maps.
fn rest(ir: &Ir, op: Op, parts: &[(Value, AffineValue)]) -> Vec<Value> {
    let used: usize = parts.iter().map(|(_, subscripts)| 1 + subscripts.operands.len()).sum();
    ir.operands(op).skip(used).collect()
}

impl AffineDmaStartOp {
    /// Source, destination and tag with their subscripts.
    pub fn parts(self, ir: &Ir) -> Vec<(Value, AffineValue)> {
        parts(ir, self.0, &START)
    }

    /// Gives it other buffers and subscripts.
    pub fn set_parts(self, ir: &mut Ir, parts: &[(Value, AffineValue)]) {
        set_parts(ir, self.0, &START, parts);
    }

    /// The number of elements, and stride and elements at each if there are such.
    pub fn counts(self, ir: &Ir) -> Vec<Value> {
        rest(ir, self.0, &self.parts(ir))
    }
}

impl AffineDmaWaitOp {
    /// The tag with its subscripts.
    pub fn parts(self, ir: &Ir) -> Vec<(Value, AffineValue)> {
        parts(ir, self.0, &WAIT)
    }

    /// Gives it another tag and other subscripts.
    pub fn set_parts(self, ir: &mut Ir, parts: &[(Value, AffineValue)]) {
        set_parts(ir, self.0, &WAIT, parts);
    }
}

/// Gives an operation other buffers and subscripts, as many as it has.
fn set_parts(ir: &mut Ir, op: Op, maps: &[&str], new: &[(Value, AffineValue)]) {
    let counts = rest(ir, op, &parts(ir, op, maps));
    let mut operands = Vec::new();
    for (name, (buffer, subscripts)) in maps.iter().zip(new) {
        operands.push(*buffer);
        operands.extend(&subscripts.operands);
        let map = ir.ctx.map_attr(subscripts.map);
        ir.set_attr(op, name, map);
    }
    operands.extend(counts);
    ir.set_operands(op, &operands);
}

fn verify_parts(
    ir: &Ir,
    op: Op,
    parts: &[(Value, AffineValue)],
    words: &[(&str, &str)],
) -> Result<(), String> {
    for ((buffer, subscripts), (what, index)) in parts.iter().zip(words) {
        if !ir.ctx.is_memref(ir.ty(*buffer)) {
            return Err(format!("expected DMA {what} to be of memref type"));
        }
        if subscripts.operands.iter().any(|&value| !ir.ctx.is_index(ir.ty(value))) {
            return Err(format!("{index} must have 'index' type"));
        }
        if !all_valid_dims(ir, op, subscripts.operands.iter().copied()) {
            let index = index.split(" to ").next().unwrap_or_default();
            return Err(format!("{index} must be a valid dimension or symbol identifier"));
        }
        let rank = ir.ctx.shape(ir.ty(*buffer)).map_or(0, <[i64]>::len);
        if subscripts.results(&ir.ctx).len() != rank {
            return Err(format!("expected {rank} subscripts of the DMA {what}"));
        }
    }
    Ok(())
}

fn verify_start(ir: &Ir, op: Op) -> Result<(), String> {
    let parts = parts(ir, op, &START);
    let rest = rest(ir, op, &parts);
    if parts.len() != 3 || !matches!(rest.len(), 1 | 3) {
        return Err("incorrect number of operands".into());
    }
    let words = [
        ("source", "src index to dma_start"),
        ("destination", "dst index to dma_start"),
        ("tag", "tag index to dma_start"),
    ];
    verify_parts(ir, op, &parts, &words)?;
    verify_counts(ir, &rest)
}

fn verify_counts(ir: &Ir, counts: &[Value]) -> Result<(), String> {
    match counts.iter().all(|&value| ir.ctx.is_index(ir.ty(value))) {
        true => Ok(()),
        false => Err("expected numbers of elements of type 'index'".into()),
    }
}

fn verify_wait(ir: &Ir, op: Op) -> Result<(), String> {
    let parts = parts(ir, op, &WAIT);
    let rest = rest(ir, op, &parts);
    if parts.len() != 1 || rest.len() != 1 {
        return Err("incorrect number of operands".into());
    }
    verify_parts(ir, op, &parts, &[("tag", "index to dma_wait")])?;
    verify_counts(ir, &rest)
}

/// A buffer and its subscripts as they are read: the buffer, the map, the map's operands.
type ParsedElement = (Unresolved, AffineMap, SmallVec<[Unresolved; 4]>);

fn parse_element(
    p: &mut OpParser<'_, '_>,
    state: &mut OpState,
    name: &str,
) -> ParseResult<ParsedElement> {
    let buffer = p.parse_operand()?;
    let subscripts = p.parse_affine_map_of_ssa_ids(Delimiter::Square)?;
    let attr = p.ir.ctx.map_attr(subscripts.map);
    state.attrs.push((p.ir.ctx.ident(name), attr));
    let operands = subscripts.dims.iter().chain(&subscripts.symbols).copied().collect();
    Ok((buffer, subscripts.map, operands))
}

fn parse_start(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let mut places = Vec::new();
    for name in START {
        places.push(parse_element(p, state, name)?);
        p.expect(",")?;
    }
    let mut counts = vec![p.parse_operand()?];
    // Upstream takes a comma that nothing follows.
    while p.eat(",") && p.at_operand() {
        counts.push(p.parse_operand()?);
    }
    if counts.len() != 1 && counts.len() != 3 {
        return p.error(p.name_position(), "expected two stride related operands");
    }
    p.parse_attr_dict(state)?;
    let types = p.parse_colon_type_list()?;
    if types.len() != 3 {
        return p.error(p.name_position(), "expected three types");
    }
    let index = p.ir.ctx.index();
    for ((buffer, _, subscripts), ty) in places.into_iter().zip(types) {
        state.operands.push(p.resolve(buffer, ty)?);
        p.resolve_same(&subscripts, index, &mut state.operands)?;
    }
    p.resolve_same(&counts, index, &mut state.operands)
}

fn parse_wait(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let (tag, _, subscripts) = parse_element(p, state, "tag_map")?;
    p.expect(",")?;
    let count = p.parse_operand()?;
    p.parse_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    if !p.ir.ctx.is_memref(ty) {
        return p.error(p.name_position(), "expected tag to be of memref type");
    }
    let index = p.ir.ctx.index();
    state.operands.push(p.resolve(tag, ty)?);
    p.resolve_same(&subscripts, index, &mut state.operands)?;
    state.operands.push(p.resolve(count, index)?);
    Ok(())
}

fn print(p: &mut OpPrinter<'_, '_>, op: Op, parts: &[(Value, AffineValue)], maps: &[&str]) {
    let ir = p.ir;
    for (i, (buffer, subscripts)) in parts.iter().enumerate() {
        p.write(if i > 0 { ", " } else { " " });
        p.operand(*buffer);
        p.write("[");
        p.affine_map_of_ssa_ids(subscripts.map, &subscripts.operands);
        p.write("]");
    }
    for value in rest(ir, op, parts) {
        p.write(", ");
        p.operand(value);
    }
    p.attr_dict(op, maps);
    p.write(" : ");
    p.types_of(parts.iter().map(|&(buffer, _)| buffer));
}

fn print_start(p: &mut OpPrinter<'_, '_>, op: Op) {
    let parts = parts(p.ir, op, &START);
    print(p, op, &parts, &START);
}

fn print_wait(p: &mut OpPrinter<'_, '_>, op: Op) {
    let parts = parts(p.ir, op, &WAIT);
    print(p, op, &parts, &WAIT);
}
