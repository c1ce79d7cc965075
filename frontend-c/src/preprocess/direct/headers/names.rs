//! Names as numbers, in a table that is found again on disk as it is.

use rustc_hash::FxHashMap;

use super::pieces::is_part;

/// Names that are being collected.
#[derive(Debug, Default)]
pub(super) struct NamesBuilder {
    numbers: FxHashMap<Box<[u8]>, u32>,
    texts: Vec<u8>,
    ends: Vec<u32>,
}

impl NamesBuilder {
    pub fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let number = self.ends.len() as u32;
        self.texts.extend_from_slice(name);
        self.ends.push(self.texts.len() as u32);
        self.numbers.insert(name.into(), number);
        number
    }

    #[cfg(test)]
    pub fn text(&self, number: u32) -> &[u8] {
        text(&self.texts, &self.ends, number)
    }

    /// The table of all.
    pub fn finish(self) -> Names {
        let NamesBuilder { texts, ends, .. } = self;
        let mut slots = vec![0; (ends.len() * 2).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for number in 0..ends.len() as u32 {
            let mut at = hash(text(&texts, &ends, number)) & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = number + 1;
        }
        Names { texts, ends, slots }
    }
}

/// All names, by number and by text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub texts: Vec<u8>,
    pub ends: Vec<u32>,
    /// A number and one more; 0 is an empty slot. There are a power of two.
    pub slots: Vec<u32>,
}

impl Names {
    /// Whether numbers and places in it are such that nothing is looked for in vain: what is read from a disk.
    pub fn is_valid(&self) -> bool {
        let ordered = self.ends.windows(2).all(|ends| ends[0] <= ends[1]);
        let within = self.ends.last().is_none_or(|&end| end as usize == self.texts.len());
        let known = self.slots.iter().all(|&slot| slot as usize <= self.ends.len());
        ordered && within && known && self.slots.len().is_power_of_two() && self.slots.contains(&0)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn text(&self, number: u32) -> &[u8] {
        text(&self.texts, &self.ends, number)
    }

    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash(name) & mask;
        loop {
            match self.slots[at] {
                0 => return None,
                slot if self.text(slot - 1) == name => return Some(slot - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }
}

fn text<'t>(texts: &'t [u8], ends: &[u32], number: u32) -> &'t [u8] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &texts[start..ends[number] as usize]
}

/// FNV-1a: what is kept on disk is found by every build.
fn hash(name: &[u8]) -> usize {
    let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.iter().fold(0x811c_9dc5, step) as usize
}

/// The names of a text, each as often as it stands there; words in literals are some of them.
pub(super) fn of_text(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|&byte| !is_part(byte));
    words.filter(|word| word.first().is_some_and(|first| !first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_text() {
        let mut builder = NamesBuilder::default();
        for name in 0..1000 {
            assert_eq!(builder.number(format!("n{name}").as_bytes()), name);
        }
        assert_eq!(builder.number(b"n7"), 7);
        let names = builder.finish();
        assert!(names.is_valid());
        assert_eq!((names.len(), names.find(b"n999"), names.find(b"m")), (1000, Some(999), None));
        assert_eq!(names.text(0), b"n0");
        assert!(NamesBuilder::default().finish().find(b"x").is_none());
    }
}
