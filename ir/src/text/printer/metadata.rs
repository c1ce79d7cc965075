//! What stands behind a text: `{-# ... #-}` with the bytes of dense resources and what other tools left.

use super::PrintOptions;
use super::aliases::Aliases;
use super::entities::EntityWriter;
use crate::graph::Ir;

/// A key and what is written for it.
type Entry<'a> = (&'a str, String);

/// The metadata; nothing where there is none. Resources are those that the text in front names.
pub(super) fn text(ir: &Ir, aliases: &Aliases, options: PrintOptions) -> String {
    let is_short =
        |entry: &Entry<'_>| options.elide_resources.is_none_or(|most| entry.1.len() as u64 <= most);
    let blob = |key| Some((ir.ctx.str(key), format!("\"0x{}\"", ir.ctx.blob(key)?)));
    let blobs: Vec<Entry<'_>> = aliases.resources().filter_map(blob).filter(is_short).collect();
    let mut groups: Vec<(&str, Vec<Entry<'_>>)> = Vec::new();
    let all = if options.metadata { ir.ctx.external_resources() } else { &[] };
    for each in all {
        let mut value = each.value.clone();
        if each.quoted {
            value.clear();
            writer(ir, &mut value).string(&each.value);
        }
        let entry = (each.key.as_str(), value);
        if each.quoted && !is_short(&entry) {
            continue;
        }
        match groups.iter_mut().find(|group| group.0 == each.group) {
            Some(group) => group.1.push(entry),
            None => groups.push((&each.group, vec![entry])),
        }
    }
    let mut sections = Vec::new();
    if !blobs.is_empty() {
        sections.push(section(ir, "dialect_resources", &[("builtin", blobs)]));
    }
    if !groups.is_empty() {
        sections.push(section(ir, "external_resources", &groups));
    }
    match sections.is_empty() {
        true => String::new(),
        false => format!("\n{{-#\n{}\n#-}}\n", sections.join(",\n")),
    }
}

fn writer<'w>(ir: &'w Ir, out: &'w mut String) -> EntityWriter<'w> {
    EntityWriter { ctx: &ir.ctx, out, aliases: None, elide_elements: None }
}

fn section(ir: &Ir, name: &str, groups: &[(&str, Vec<Entry<'_>>)]) -> String {
    let key = |name: &str| {
        let mut text = String::new();
        writer(ir, &mut text).key(name);
        text
    };
    let groups: Vec<String> = groups
        .iter()
        .map(|(group, entries)| {
            let entries: Vec<String> = entries
                .iter()
                .map(|(name, value)| format!("      {}: {value}", key(name)))
                .collect();
            format!("    {}: {{\n{}\n    }}", key(group), entries.join(",\n"))
        })
        .collect();
    format!("  {name}: {{\n{}\n  }}", groups.join(",\n"))
}
