//! Names of values and blocks in print, by upstream's scheme: the values of a region are numbered
//! before those of the regions inside; nested names differ from all names around them.

use std::fmt::Write;

use cranelift_entity::EntityRef;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::graph::{Block, Ir, Op, Region, Value};

/// Coded name of a value: 0 for none of its own, else a number or an index into the words.
type Code = u32;

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Names {
    values: Vec<Code>,
    words: IndexSet<Box<str>, FxBuildHasher>,
    /// For each word, whether it is taken where names are being given.
    taken: Vec<bool>,
    /// Words in the order they were taken.
    taken_order: Vec<u32>,
    /// Numbers of the blocks behind the first of their region.
    blocks: FxHashMap<Block, u32>,
}

/// How to write a value.
pub(super) enum ValueName<'n> {
    Number(u32),
    Word(&'n str),
    Unknown,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    value: u32,
    argument: u32,
    conflict: u32,
}

impl Names {
    /// Names everything in and below `root`.
    pub fn new(ir: &Ir, root: Op, generic: bool, unique: bool) -> Self {
        let mut names = Names { values: vec![0; ir.value_capacity()], ..Names::default() };
        let mut counters = Counters::default();
        names.name_results(ir, root, generic, &mut counters);
        if generic || unique {
            names.name_uniquely(ir, root, generic, counters);
        } else {
            for &region in ir.regions(root) {
                names.name_region(ir, region, counters);
            }
        }
        names
    }

    /// The generic form has no two values of one name, and the last region comes first; so does any form where
    /// that is asked for.
    fn name_uniquely(&mut self, ir: &Ir, root: Op, generic: bool, mut counters: Counters) {
        let mut waiting = ir.regions(root).to_vec();
        while let Some(region) = waiting.pop() {
            self.name_values(ir, region, generic, &mut counters);
            for op in ir.blocks(region).iter().flat_map(|&block| ir.ops(block)) {
                waiting.extend(ir.regions(op));
            }
        }
    }

    /// Names a region and what is inside. Regions side by side go on from the same counters, and
    /// may share names.
    fn name_region(&mut self, ir: &Ir, region: Region, mut counters: Counters) {
        let mark = self.taken_order.len();
        if self.name_values(ir, region, false, &mut counters) {
            for op in ir.blocks(region).iter().flat_map(|&block| ir.ops(block)) {
                for &inner in ir.regions(op) {
                    self.name_region(ir, inner, counters);
                }
            }
        }
        for word in self.taken_order.drain(mark..) {
            self.taken[word as usize] = false;
        }
    }

    /// Names the values of a region's blocks; says whether there are regions inside.
    fn name_values(
        &mut self,
        ir: &Ir,
        region: Region,
        generic: bool,
        counters: &mut Counters,
    ) -> bool {
        let mut nested = false;
        for (index, &block) in ir.blocks(region).iter().enumerate() {
            if index > 0 {
                self.blocks.insert(block, index as u32);
            }
            self.name_arguments(ir, region, block, index == 0, generic, counters);
            for op in ir.ops(block) {
                nested |= !ir.regions(op).is_empty();
                self.name_results(ir, op, generic, counters);
            }
        }
        nested
    }

    fn name_arguments(
        &mut self,
        ir: &Ir,
        region: Region,
        block: Block,
        entry: bool,
        generic: bool,
        counters: &mut Counters,
    ) {
        let owner = ir.region_op(region).filter(|_| entry && !generic);
        let hook = owner.and_then(|op| Some((op, ir.def(op)?.hooks.argument_name?)));
        let number = owner.and_then(|op| ir.regions(op).iter().position(|&r| r == region));
        // Names that the operation gives come first, as upstream asks for them first.
        let given: Vec<Option<String>> = match (hook, number) {
            (Some((op, hook)), Some(number)) => {
                (0..ir.arguments(block).len()).map(|i| hook(ir, op, number, i)).collect()
            }
            _ => Vec::new(),
        };
        for (&value, name) in ir.arguments(block).iter().zip(&given) {
            if let Some(name) = name {
                self.values[value.index()] = self.take(name, counters);
            }
        }
        for &value in ir.arguments(block) {
            if self.values[value.index()] != 0 {
                continue;
            }
            self.values[value.index()] = if entry {
                let name = format!("arg{}", counters.argument);
                counters.argument += 1;
                self.take(&name, counters)
            } else {
                next_number(counters)
            };
        }
    }

    fn name_results(&mut self, ir: &Ir, op: Op, generic: bool, counters: &mut Counters) {
        let results = ir.results(op);
        let Some(&first) = results.first() else { return };
        if !generic && let Some(hook) = ir.def(op).and_then(|def| def.hooks.result_name) {
            for (index, &value) in results.iter().enumerate() {
                if let Some(name) = hook(ir, op, index) {
                    self.values[value.index()] = self.take(&name, counters);
                }
            }
        }
        if self.values[first.index()] == 0 {
            self.values[first.index()] = next_number(counters);
        }
    }

    /// Takes a word, made unlike all those taken around it.
    fn take(&mut self, name: &str, counters: &mut Counters) -> Code {
        let clean = sanitize(name);
        let mut word = self.word(&clean);
        while self.taken[word as usize] {
            let probe = format!("{clean}_{}", counters.conflict);
            counters.conflict += 1;
            word = self.word(&probe);
        }
        self.taken[word as usize] = true;
        self.taken_order.push(word);
        word * 2 + 2
    }

    fn word(&mut self, text: &str) -> u32 {
        if let Some(index) = self.words.get_index_of(text) {
            return index as u32;
        }
        self.taken.push(false);
        self.words.insert_full(text.into()).0 as u32
    }

    /// The name of a value that has one of its own.
    pub fn value(&self, value: Value) -> ValueName<'_> {
        match self.values.get(value.index()) {
            None | Some(0) => ValueName::Unknown,
            Some(code) if code % 2 == 1 => ValueName::Number(code / 2),
            Some(code) => match self.words.get_index((code / 2 - 1) as usize) {
                Some(word) => ValueName::Word(word),
                None => ValueName::Unknown,
            },
        }
    }

    /// Whether a value has a name of its own, rather than being a numbered one of a group.
    pub fn is_named(&self, value: Value) -> bool {
        self.values.get(value.index()).is_some_and(|&code| code != 0)
    }

    /// Number of a block in its region.
    pub fn block(&self, block: Block) -> u32 {
        self.blocks.get(&block).copied().unwrap_or(0)
    }
}

fn next_number(counters: &mut Counters) -> Code {
    counters.value += 1;
    (counters.value - 1) * 2 + 1
}

/// A suggested name as it may stand behind `%`.
fn sanitize(name: &str) -> String {
    let mut clean = String::with_capacity(name.len());
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        clean.push('_');
    }
    for c in name.chars() {
        match c {
            ' ' => clean.push('_'),
            _ if c.is_ascii_alphanumeric() || "_$.-".contains(c) => clean.push(c),
            // As upstream: what cannot stand in a name is its bytes in hexadecimal digits.
            _ => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(clean, "{byte:X}");
                }
            }
        }
    }
    if clean.is_empty() { "_".to_owned() } else { clean }
}
