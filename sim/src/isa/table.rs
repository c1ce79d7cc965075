//! Looking an instruction up, and printing the table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gpuc_diagnostics::{Diagnostic, did_you_mean};

use crate::syntax::{Instruction, SourceText};

use super::absent::{ABSENT, absent};
use super::form::Slot;
use super::summary::SUMMARIES;
use super::{Form, Matched};

struct Entry {
    form: &'static Form,
    slots: Vec<Slot>,
}

static TABLE: LazyLock<BTreeMap<&'static str, Vec<Entry>>> = LazyLock::new(|| {
    let mut table: BTreeMap<_, Vec<Entry>> = BTreeMap::new();
    for form in all() {
        table.entry(form.mnemonic).or_default().push(Entry { form, slots: form.slots() });
    }
    table
});

fn all() -> impl Iterator<Item = &'static Form> {
    [
        super::integer::FORMS,
        super::float::FORMS,
        super::compare::FORMS,
        super::convert::FORMS,
        super::memory::FORMS,
        super::control::FORMS,
        super::warp::FORMS,
        super::image::FORMS,
        super::matrix::FORMS,
        super::asynchronous::FORMS,
        super::video::FORMS,
        super::video::ARITHMETIC,
        super::video::PARTS,
    ]
    .into_iter()
    .flatten()
}

/// How far a form's pattern follows the modifiers: the match, or the number of modifiers taken and
/// what could have stood there.
fn follow(entry: &Entry, words: &[&str]) -> Result<Matched, (usize, Vec<&'static str>)> {
    let mut values = Vec::new();
    let mut taken = 0;
    let mut expected = Vec::new();
    for slot in &entry.slots {
        let found = words.get(taken).and_then(|word| slot.alternatives.iter().find(|a| *a == word));
        match found {
            Some(value) => {
                values.push((slot.name, *value));
                taken += 1;
                expected.clear();
            }
            None => {
                expected.extend(&slot.alternatives);
                if !slot.optional {
                    return Err((taken, expected));
                }
            }
        }
    }
    if taken == words.len() { Ok(Matched::new(values)) } else { Err((taken, expected)) }
}

/// As [`follow`], with the modifiers in any order, which ptxas takes too: every word goes to the
/// first free slot that has it.
fn follow_in_any_order(entry: &Entry, words: &[&str]) -> Option<Matched> {
    let mut values = vec![None; entry.slots.len()];
    for word in words {
        let fits = |(slot, value): (&Slot, &Option<&'static str>)| {
            if value.is_some() {
                None
            } else {
                slot.alternatives.iter().find(|a| *a == word).copied()
            }
        };
        let at = entry.slots.iter().zip(&values).position(|pair| fits(pair).is_some())?;
        values[at] = fits((&entry.slots[at], &None));
    }
    let mut filled = Vec::new();
    for (slot, value) in entry.slots.iter().zip(values) {
        match value {
            Some(value) => filled.push((slot.name, value)),
            None if slot.optional => {}
            None => return None,
        }
    }
    Some(Matched::new(filled))
}

/// The form of an instruction with its modifiers in their slots.
pub(crate) fn find(
    instruction: &Instruction<'_>,
    source: &SourceText<'_>,
) -> Result<(&'static Form, Matched), Box<Diagnostic>> {
    let opcode = instruction.opcode;
    let Some(entries) = TABLE.get(opcode.text) else {
        if let Some(absent) = absent(opcode.text) {
            let message =
                format!("instruction `{}` ({}) is not supported", opcode.text, absent.what);
            return Err(Box::new(Diagnostic::error(message).at(source.place(opcode.span))));
        }
        let mut error = Diagnostic::error(format!("unknown instruction `{}`", opcode.text))
            .at(source.place(opcode.span));
        if let Some(near) = did_you_mean(opcode.text, TABLE.keys().copied()) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        return Err(Box::new(error));
    };
    let words: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
    let mut best: (usize, Vec<&'static str>) = (0, Vec::new());
    // Forms that differ in the number of operands alone are told apart by it.
    let fits = |entry: &&Entry| entry.form.takes(instruction.operands.len());
    for entry in entries.iter().filter(fits) {
        if let Ok(matched) = follow(entry, &words) {
            return Ok((entry.form, matched));
        }
    }
    for entry in entries {
        match follow(entry, &words) {
            Ok(matched) => return Ok((entry.form, matched)),
            Err((taken, expected)) if taken > best.0 || best.1.is_empty() => {
                best = (taken, expected)
            }
            Err((taken, expected)) if taken == best.0 => best.1.extend(expected),
            Err(_) => {}
        }
    }
    for entry in entries {
        if let Some(matched) = follow_in_any_order(entry, &words) {
            return Ok((entry.form, matched));
        }
    }
    let (taken, mut expected) = best;
    expected.sort_unstable();
    expected.dedup();
    let error = match instruction.modifiers.get(taken) {
        Some(word) => {
            let so_far: String = words[..taken].iter().map(|w| format!(".{w}")).collect();
            let mut error = Diagnostic::error(format!(
                "`.{}` is not a modifier of `{}{so_far}` that is supported here",
                word.text, opcode.text
            ))
            .at(source.place(word.span));
            if let Some(near) = did_you_mean(word.text, expected.iter().copied()) {
                error = error.help(format!("did you mean `.{near}`?"));
            }
            error
        }
        None => Diagnostic::error(format!("`{}` lacks a modifier", opcode.text))
            .at(source.place(opcode.span)),
    };
    let list = expected.iter().map(|w| format!("`.{w}`")).collect::<Vec<_>>().join(", ");
    Err(Box::new(if list.is_empty() {
        error
    } else {
        error.help(format!("possible here: {list}"))
    }))
}

/// The modifiers of a form: `{.x}` may be left out, `(.x|.y)` is a choice.
fn modifiers(slots: &[Slot]) -> String {
    let shown = slots.iter().map(|slot| {
        let words: Vec<_> = slot.alternatives.iter().map(|word| format!(".{word}")).collect();
        let words = words.join("|");
        match (slot.optional, slot.alternatives.len()) {
            (true, _) => format!("{{{words}}}"),
            (false, 1) => words,
            (false, _) => format!("({words})"),
        }
    });
    shown.collect()
}

/// The mnemonics of the instructions that are supported, sorted.
pub fn mnemonics() -> impl Iterator<Item = &'static str> {
    TABLE.keys().copied()
}

/// What an instruction does, in Markdown: a sentence, and its forms or why there is none. `None` where no
/// instruction has the name.
pub fn instruction_markdown(mnemonic: &str) -> Option<String> {
    let summary = SUMMARIES.binary_search_by_key(&mnemonic, |&(name, _)| name);
    let summary = summary.map_or("", |index| SUMMARIES[index].1);
    let forms = TABLE.get(mnemonic).map_or(&[][..], Vec::as_slice);
    let absent = if forms.is_empty() { absent(mnemonic) } else { None };
    if forms.is_empty() && absent.is_none() {
        return None;
    }
    let mut text = format!("**{mnemonic}**: {summary}\n");
    if let Some(absent) = absent {
        text += &format!("\nNot supported by the simulator: {}.\n", absent.what);
    }
    if !forms.is_empty() {
        text += "\n```\n";
        for Entry { form, slots } in forms {
            text += &format!("{mnemonic}{} {}\n", modifiers(slots), form.operands);
        }
        text += "```\n";
    }
    Some(text)
}

/// The table of supported instructions as a Markdown document, from the declarations themselves.
pub fn instruction_table_markdown() -> String {
    let mut out = String::from(
        "# Supported PTX instructions\n\n\
         Generated from the simulator's instruction table (`GPUC_BLESS=1 cargo test -p gpuc-sim --test \
         reader`). `{.x}` may be left out, `(.x|.y)` is a choice; `T` is the type in the last place, \
         `W` twice its width, `S` the source type, `?` marks an operand that may be left out. A \
         kernel that needs something else is refused when it is launched, with the place.\n\n\
         Calls are direct or by address, recursive too; `vprintf`, `malloc`, `free` and \
         `__assertfail` need no definition. Asynchronous copies \
         are made when they are issued; cache policies and prefetches have no effect.\n\n\
         | instruction | modifiers | operands | class |\n|---|---|---|---|\n",
    );
    for (mnemonic, entries) in TABLE.iter() {
        for Entry { form, slots } in entries {
            let modifiers = modifiers(slots).replace('|', "\\|");
            let operands = form.operands.replace('|', "\\|");
            out.push_str(&format!(
                "| `{mnemonic}` | {modifiers} | {operands} | {} |\n",
                form.class.name()
            ));
        }
    }
    out.push_str("\n## Not supported\n\n| instruction | |\n|---|---|\n");
    for absent in ABSENT {
        out.push_str(&format!("| `{}` | {} |\n", absent.name, absent.what));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        for form in all() {
            for slot in form.slots() {
                assert!(!slot.alternatives.is_empty(), "{} {}", form.mnemonic, slot.name);
                if slot.name == "type" || slot.name == "from" {
                    for word in &slot.alternatives {
                        assert!(
                            crate::isa::Type::by_name(word).is_some(),
                            "{} {word}",
                            form.mnemonic
                        );
                    }
                }
            }
        }
        for name in TABLE.keys() {
            assert!(SUMMARIES.iter().any(|&(known, _)| known == *name), "{name} has no summary");
        }
        // What is said to be missing is.
        for missing in ABSENT {
            assert!(!TABLE.contains_key(missing.name), "{}", missing.name);
        }
        let markdown = instruction_table_markdown();
        assert!(markdown.contains("| `shfl` |"), "{markdown}");
    }
}
