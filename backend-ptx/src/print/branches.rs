//! Labels, branches and the moves on their edges.

use std::fmt::Write;

use gpuc_dialects::ptx::CondBraOp;
use gpuc_ir::{Block, Ir, Op, OpView, Value};
use rustc_hash::FxHashMap;

use super::copies::{Source, sequence};
use super::function::FunctionPrinter;
use super::registers::{Class, Register, number};

/// Labels of the blocks that a branch names: all successors but those that are fallen through to.
/// The target of a backward branch is the head of a loop.
pub(super) fn labels(ir: &Ir, blocks: &[Block]) -> FxHashMap<Block, String> {
    let position: FxHashMap<Block, usize> =
        blocks.iter().enumerate().map(|(index, &block)| (block, index)).collect();
    // 1: a target, 2: also of a backward branch.
    let mut targets = vec![0u8; blocks.len()];
    for (index, &block) in blocks.iter().enumerate() {
        let successors = ir.block_successors(block);
        // Two ways to one block differ in their moves: one of them cannot fall through.
        let double = successors.len() == 2 && successors[0] == successors[1];
        for successor in successors {
            let Some(&at) = position.get(successor) else { continue };
            let kind = match at {
                _ if at <= index => 2,
                _ if at == index + 1 && !double => 0,
                _ => 1,
            };
            targets[at] = targets[at].max(kind);
        }
    }
    let mut labels = FxHashMap::default();
    for (&block, kind) in blocks.iter().zip(targets) {
        let number = labels.len() + 1;
        match kind {
            0 => continue,
            1 => labels.insert(block, format!("$L{number}")),
            _ => labels.insert(block, format!("$loop{number}")),
        };
    }
    labels
}

impl FunctionPrinter<'_> {
    /// Writes a branch; `next` is the block that follows in the text.
    pub fn branch(&mut self, op: Op, next: Option<Block>) {
        let successors = self.ir.successors(op).to_vec();
        let Some(conditional) = CondBraOp::cast(self.ir, op) else {
            let moves = self.moves(op, 0);
            self.text.push_str(&moves);
            self.go(successors[0], next);
            return;
        };
        let predicate = self.registers.operand(self.ir, conditional.predicate(self.ir));
        let moves = [self.moves(op, 0), self.moves(op, 1)];
        // Where the block behind is reached without moves, it is fallen through to.
        if Some(successors[0]) == next && Some(successors[1]) != next {
            let target = self.edge(successors[1], &moves[1]);
            let _ = writeln!(self.text, "    @!{predicate} bra {target};");
            self.text.push_str(&moves[0]);
            return;
        }
        let target = self.edge(successors[0], &moves[0]);
        let _ = writeln!(self.text, "    @{predicate} bra {target};");
        self.text.push_str(&moves[1]);
        self.go(successors[1], next);
    }

    /// A label that leads to `block` through the moves.
    fn edge(&mut self, block: Block, moves: &str) -> String {
        let label = self.labels.get(&block).cloned().unwrap_or_default();
        if moves.is_empty() {
            return label;
        }
        let edge = format!("$edge{}", self.edges.len() + 1);
        self.edges.push((edge.clone(), format!("{moves}    bra {label};\n")));
        edge
    }

    fn go(&mut self, block: Block, next: Option<Block>) {
        if Some(block) != next
            && let Some(label) = self.labels.get(&block)
        {
            let _ = writeln!(self.text, "    bra {label};");
        }
    }

    /// The moves into the arguments of successor `index`.
    fn moves(&mut self, op: Op, index: usize) -> String {
        let ir = self.ir;
        let hook = ir.def(op).and_then(|def| def.hooks.successor_operands);
        let range = hook.map_or(0..0, |hook| hook(ir, op, index));
        let arguments = ir.arguments(ir.successors(op)[index]);
        let moves = arguments
            .iter()
            .zip(range)
            .filter_map(|(&argument, operand)| {
                let to = self.registers.get(argument)?;
                Some((to, self.source(ir.operand(op, operand))))
            })
            .collect();
        let ordered = sequence(moves, |like: Register| self.registers.fresh(like.0));
        let mut text = String::new();
        for (to, from) in ordered {
            let from = match from {
                Source::Register(register) => register.to_string(),
                Source::Immediate(text) => text,
            };
            let _ = writeln!(text, "    mov.{} {to}, {from};", to.0.declared());
        }
        text
    }

    fn source(&self, value: Value) -> Source {
        if let Some(constant) =
            self.ir.defining_op(value).and_then(|op| gpuc_dialects::ptx::ConstOp::cast(self.ir, op))
            && let Some(text) = number(self.ir, constant)
        {
            return Source::Immediate(text);
        }
        match self.registers.get(value) {
            Some(register) => Source::Register(register),
            None => Source::Register(Register(Class::Word, 0)),
        }
    }
}
