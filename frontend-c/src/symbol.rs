//! Interned spellings: identifiers, and literals as they were written.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A spelling held once by an [`Interner`]; equal spellings are equal symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Position in the interner, dense from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All spellings of one translation unit, in one text, found by an open-addressing table.
///
/// One text and a table of numbers instead of a map of strings: a header of three thousand lines
/// interns without an allocation a name.
#[derive(Clone, Debug)]
pub struct Interner {
    text: String,
    ends: Vec<u32>,
    /// Symbol number plus one; 0 is an empty slot. The length is a power of two.
    slots: Vec<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            text: String::with_capacity(1 << 15),
            ends: Vec::with_capacity(1 << 12),
            slots: vec![0; 1 << 13],
        }
    }
}

fn hash(bytes: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish() as usize
}

impl Interner {
    /// The symbol of `text`, new if it was not seen yet.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if (self.ends.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(text.as_bytes()) & mask;
        loop {
            match self.slots[at] {
                0 => break,
                slot if self.text_of(Symbol(slot - 1)) == text => return Symbol(slot - 1),
                _ => at = (at + 1) & mask,
            }
        }
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.slots[at] = self.ends.len() as u32;
        Symbol(self.ends.len() as u32 - 1)
    }

    /// The symbol of `text` if it was interned.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        let mask = self.slots.len() - 1;
        let mut at = hash(text.as_bytes()) & mask;
        loop {
            match self.slots[at] {
                0 => return None,
                slot if self.text_of(Symbol(slot - 1)) == text => return Some(Symbol(slot - 1)),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The spelling of `symbol`.
    pub fn text_of(&self, symbol: Symbol) -> &str {
        let index = symbol.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// Number of symbols.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![0; mask + 1];
        for index in 0..self.ends.len() {
            let mut at = hash(self.text_of(Symbol(index as u32)).as_bytes()) & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = index as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_spellings_are_equal_symbols_across_growth() {
        let mut interner = Interner::default();
        let symbols: Vec<_> = (0..20_000).map(|i| interner.intern(&format!("name{i}"))).collect();
        for (i, symbol) in symbols.iter().enumerate() {
            let name = format!("name{i}");
            assert_eq!(interner.text_of(*symbol), name);
            assert_eq!(interner.find(&name), Some(*symbol));
        }
        assert_eq!(interner.find("other"), None);
        assert_eq!(interner.len(), 20_000);
    }
}
