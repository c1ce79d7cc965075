//! Transfers between memories that run beside the program.

use gpuc_ir::op;
use gpuc_ir::op::{Effect, EffectKind, types};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult, Unresolved};
use gpuc_ir::{Ir, Op, OpState, Value};
use types::{ANY, INDEX, MEMREF};

use super::{read, write};

op! {
    /// Begins to copy elements that follow each other from one buffer to another; `memref.dma_wait` with the same tag waits
    /// for the end. Operands: source, its subscripts, destination, its, the number of elements, tag, its, then a stride of
    /// the side in slower memory and the number of elements at each if there are such.
    DmaStartOp = "memref.dma_start" {
        operands { operands: Variadic ANY }
        hooks {
            verify: Some(verify_start),
            parse: Some(parse_start),
            print: Some(print_start),
            effects: Some(|ir, op, effects| {
                if let Some(transfer) = DmaStartOp(op).transfer(ir) {
                    read(effects, transfer.source.0);
                    write(effects, transfer.dest.0);
                    write(effects, transfer.tag.0);
                }
            }),
        }
    }
}

op! {
    /// Waits for the transfer of a tag.
    DmaWaitOp = "memref.dma_wait" {
        operands { tag: One MEMREF, tag_indices: Variadic INDEX, elements: One INDEX }
        format "$tag `[` $tag_indices `]` `,` $elements attr-dict `:` type($tag)"
        hooks {
            verify: Some(verify_wait),
            // Whatever is transferred is there behind it.
            effects: Some(|_, _, effects| effects.push(Effect { kind: EffectKind::Write, on: None })),
        }
    }
}

/// A buffer and the subscripts of its first element.
pub type DmaPlace = (Value, Vec<Value>);

/// The operands of a start, apart.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Where elements come from.
    pub source: DmaPlace,
    /// Where they go.
    pub dest: DmaPlace,
    /// How many.
    pub elements: Value,
    /// What is waited for.
    pub tag: DmaPlace,
    /// A stride and the number of elements at each, or nothing.
    pub strides: Vec<Value>,
}

impl DmaStartOp {
    /// The operands apart; `None` where there are too few, or where a buffer is none.
    pub fn transfer(self, ir: &Ir) -> Option<Transfer> {
        let operands: Vec<Value> = ir.operands(self.0).collect();
        let mut rest = &operands[..];
        let source = take_place(ir, &mut rest)?;
        let dest = take_place(ir, &mut rest)?;
        let (&elements, behind) = rest.split_first()?;
        rest = behind;
        let tag = take_place(ir, &mut rest)?;
        Some(Transfer { source, dest, elements, tag, strides: rest.to_vec() })
    }

    /// The operands of a transfer in their order.
    pub fn operands_of(transfer: &Transfer) -> Vec<Value> {
        let place = |(buffer, subscripts): &DmaPlace| {
            std::iter::once(*buffer).chain(subscripts.iter().copied()).collect::<Vec<_>>()
        };
        [
            place(&transfer.source),
            place(&transfer.dest),
            vec![transfer.elements],
            place(&transfer.tag),
            transfer.strides.clone(),
        ]
        .concat()
    }
}

fn take_place(ir: &Ir, rest: &mut &[Value]) -> Option<DmaPlace> {
    let (&buffer, behind) = rest.split_first()?;
    let rank = ir.ctx.shape(ir.ty(buffer)).filter(|_| ir.ctx.is_memref(ir.ty(buffer)))?.len();
    let subscripts = behind.get(..rank)?.to_vec();
    *rest = &behind[rank..];
    Some((buffer, subscripts))
}

fn verify_start(ir: &Ir, op: Op) -> Result<(), String> {
    let operands: Vec<Value> = ir.operands(op).collect();
    let is_index = |&value: &Value| ir.ctx.is_index(ir.ty(value));
    if operands.len() < 4 {
        return Err("expected at least 4 operands".into());
    }
    // Source, destination, tag, each with its subscripts, and the number of elements.
    let mut least = 4;
    let mut rest = &operands[..];
    for what in ["source", "destination", "tag"] {
        let (buffer, behind) = rest.split_first().ok_or("incorrect number of operands")?;
        let ty = ir.ty(*buffer);
        if !ir.ctx.is_memref(ty) {
            return Err(format!("expected {what} to be of memref type"));
        }
        let rank = ir.ctx.shape(ty).map_or(0, <[i64]>::len);
        least += rank;
        if operands.len() < least {
            return Err(format!("expected at least {least} operands"));
        }
        let (subscripts, behind) = behind.split_at(rank);
        if !subscripts.iter().all(is_index) {
            return Err(format!("expected {what} indices to be of index type"));
        }
        rest = behind;
        if what == "destination" {
            let (elements, behind) = rest.split_first().ok_or("incorrect number of operands")?;
            if !is_index(elements) {
                return Err("expected num elements to be of index type".into());
            }
            rest = behind;
        }
    }
    match rest.len() {
        0 => Ok(()),
        2 if rest.iter().all(is_index) => Ok(()),
        2 => Err("expected stride and num elements per stride to be of type index".into()),
        _ => Err("incorrect number of operands".into()),
    }
}

fn verify_wait(ir: &Ir, op: Op) -> Result<(), String> {
    let view = DmaWaitOp(op);
    let given = view.tag_indices(ir).len();
    let rank = ir.ctx.shape(ir.ty(view.tag(ir))).map_or(0, <[i64]>::len);
    match given == rank {
        true => Ok(()),
        false => Err(format!(
            "expected tagIndices to have the same number of elements as the tagMemRef rank, expected \
             {rank}, but got {given}"
        )),
    }
}

fn parse_place(p: &mut OpParser<'_, '_>) -> ParseResult<(Unresolved, Vec<Unresolved>)> {
    let buffer = p.parse_operand()?;
    let mut subscripts = Vec::new();
    p.delimited_list(Delimiter::Square, |p| {
        subscripts.push(p.parse_operand()?);
        Ok(())
    })?;
    Ok((buffer, subscripts))
}

fn parse_start(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let source = parse_place(p)?;
    p.expect(",")?;
    let dest = parse_place(p)?;
    p.expect(",")?;
    let elements = p.parse_operand()?;
    p.expect(",")?;
    let tag = parse_place(p)?;
    let mut strides = Vec::new();
    while p.eat(",") {
        strides.push(p.parse_operand()?);
    }
    if !matches!(strides.len(), 0 | 2) {
        return p.error(p.name_position(), "expected two stride related operands");
    }
    p.parse_attr_dict(state)?;
    let types = p.parse_colon_type_list()?;
    if types.len() != 3 {
        return p.error(p.name_position(), "fewer/more types expected");
    }
    let index = p.ir.ctx.index();
    for (i, ((buffer, subscripts), ty)) in [source, dest, tag].into_iter().zip(types).enumerate() {
        if i == 2 {
            state.operands.push(p.resolve(elements, index)?);
        }
        state.operands.push(p.resolve(buffer, ty)?);
        p.resolve_same(&subscripts, index, &mut state.operands)?;
    }
    p.resolve_same(&strides, index, &mut state.operands)
}

fn print_start(p: &mut OpPrinter<'_, '_>, op: Op) {
    let Some(transfer) = DmaStartOp(op).transfer(p.ir) else { return };
    let place = |p: &mut OpPrinter<'_, '_>, (buffer, subscripts): &DmaPlace| {
        p.operand(*buffer);
        p.write("[");
        for (i, &subscript) in subscripts.iter().enumerate() {
            p.write(if i > 0 { ", " } else { "" });
            p.operand(subscript);
        }
        p.write("]");
    };
    p.write(" ");
    place(p, &transfer.source);
    p.write(", ");
    place(p, &transfer.dest);
    p.write(", ");
    p.operand(transfer.elements);
    p.write(", ");
    place(p, &transfer.tag);
    for &value in &transfer.strides {
        p.write(", ");
        p.operand(value);
    }
    p.attr_dict(op, &[]);
    p.write(" : ");
    p.types_of([transfer.source.0, transfer.dest.0, transfer.tag.0]);
}
