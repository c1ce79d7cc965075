//! Properties: what an operation's declaration names, as a list without names.

use gpuc_ir::op::{OpDef, Presence, Traits};
use gpuc_ir::{AttrKind, OpState};

use super::{Name, Reader, entry, expect_end};
use crate::bytes::{Cursor, Damage, Result};
use crate::version;

impl<'f> Reader<'_, 'f> {
    pub(super) fn read_properties(&mut self, mut cursor: Cursor<'f>) -> Result<()> {
        for _ in 0..cursor.count()? {
            let size = cursor.number()?;
            self.properties.push(cursor.part(size)?);
        }
        expect_end(&cursor)
    }

    /// The properties of an operation, which become attributes.
    pub(super) fn properties(
        &mut self,
        cursor: &mut Cursor<'f>,
        name: Name,
        state: &mut OpState,
    ) -> Result<()> {
        let at = cursor.at();
        let number = cursor.number()?;
        let mut contents = entry(at, &self.properties, number, "list of properties")?;
        if !name.was_registered {
            // Those of an operation of which nothing was known are a dictionary.
            let at = contents.at();
            let attr = self.attr(&mut contents)?;
            let AttrKind::Dict(dict) = *self.ir.ctx.attr_kind(attr) else {
                return Err(Damage::new(at, "the properties of an operation are no dictionary"));
            };
            state.attrs.extend_from_slice(self.ir.ctx.dict_entries(dict));
            return expect_end(&contents);
        }
        let full = self.ir.ctx.op_name_str(name.name).to_owned();
        let help = "in files that are written with --emit-bytecode-version=4 they have names";
        let Some(def) = self.ir.ctx.op_def(name.name) else {
            let message = format!(
                "the properties of '{full}', which is not registered, cannot be told apart"
            );
            return Err(Damage::new(at, message).help(help));
        };
        let read = self.declared(def, &mut contents, state).and_then(|()| expect_end(&contents));
        read.map_err(|damage| {
            let message = format!(
                "the properties of '{full}' are not what its declaration says: {}",
                damage.message
            );
            Damage::new(damage.at, message).help(help)
        })
    }

    /// In the order of their names; sizes of groups last, or, in version 5, as an attribute where their old name would
    /// stand.
    fn declared(
        &mut self,
        def: &OpDef,
        contents: &mut Cursor<'f>,
        state: &mut OpState,
    ) -> Result<()> {
        let mut specs = declared_properties(def);
        let groups = [
            (Traits::ATTR_SIZED_OPERANDS, "operand_segment_sizes", OPERANDS, def.operands.len()),
            (Traits::ATTR_SIZED_RESULTS, "result_segment_sizes", RESULTS, def.results.len()),
        ];
        let groups = groups.into_iter().filter(|group| def.traits.contains(group.0));
        let has_own_form = self.version >= version::SEGMENT_SIZES;
        if !has_own_form {
            specs.extend(groups.clone().map(|group| (group.1, true)));
        }
        specs.sort_unstable();
        for (name, is_required) in specs {
            let attr = match is_required {
                true => Some(self.attr(contents)?),
                false => self.optional_attr(contents)?,
            };
            let name = match name {
                "operand_segment_sizes" => OPERANDS,
                "result_segment_sizes" => RESULTS,
                name => name,
            };
            if let Some(attr) = attr {
                state.attrs.push((self.ir.ctx.ident(name), attr));
            }
        }
        if has_own_form {
            for (_, _, name, count) in groups {
                let sizes = sparse(contents, count)?;
                let attr = self.ir.ctx.i32_array_attr(&sizes);
                state.attrs.push((self.ir.ctx.ident(name), attr));
            }
        }
        Ok(())
    }
}

/// Attributes that declarations of ours have and MLIR 19's have not yet: in its files they stand in the dictionary.
const NEWER: [(&str, &str); 2] = [("func.func", "no_inline"), ("func.call", "no_inline")];

/// Attributes that are needed here, and for which MLIR 19 has a default: in its files they may be missing.
const DEFAULTED: [(&str, &str); 2] =
    [("gpu.create_2to4_spmat", "pruneFlag"), ("ub.poison", "value")];

/// Names of the properties of an operation other than sizes of groups, in their order, and whether each is there always.
fn declared_properties(def: &OpDef) -> Vec<(&'static str, bool)> {
    let specs = def.attrs.iter().filter(|spec| !NEWER.contains(&(def.name, spec.name)));
    let mut properties: Vec<_> = specs
        .map(|spec| {
            let is_required = matches!(spec.presence, Presence::Required);
            (spec.name, is_required && !DEFAULTED.contains(&(def.name, spec.name)))
        })
        .collect();
    properties.sort_unstable();
    properties
}

const OPERANDS: &str = "operandSegmentSizes";
const RESULTS: &str = "resultSegmentSizes";

/// A list of `count` numbers: all of them, or those that are not zero with their places.
fn sparse(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<i32>> {
    let at = cursor.at();
    let mut values = vec![0; count];
    let (written, is_sparse) = cursor.flagged()?;
    let written = cursor.fits(at, written)?;
    let place_bits = match is_sparse && written > 0 {
        true => cursor.number()?,
        false => 0,
    };
    if place_bits > 8 {
        return Err(Damage::new(at, "places in a list have more than 8 bits"));
    }
    for number in 0..written {
        let value = cursor.number()?;
        let (place, value) = match is_sparse {
            true => (value & ((1 << place_bits) - 1), value >> place_bits),
            false => (number as u64, value),
        };
        let slot = usize::try_from(place).ok().and_then(|place| values.get_mut(place));
        let value = i32::try_from(value).ok();
        let (Some(slot), Some(value)) = (slot, value) else {
            return Err(Damage::new(at, "a list of sizes holds what it may not"));
        };
        *slot = value;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::declared_properties;

    /// What MLIR 19's declarations of the operations that are here too say, `?` behind what may be missing. Taken from
    /// the declarations by `mlir-tblgen --gen-op-defs`.
    const UPSTREAM: &str = include_str!("properties.txt");

    #[test]
    fn properties_are_those_of_upstreams_declarations() {
        let mut upstream: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in UPSTREAM.lines() {
            let mut words = line.split(' ');
            let name = words.next().expect("a line is not empty");
            upstream.insert(name, words.collect());
        }
        let mut compared = 0;
        for def in gpuc_dialects::ALL.iter().flat_map(|dialect| dialect.ops).map(|def| def()) {
            let Some(theirs) = upstream.get(def.name) else { continue };
            let ours: Vec<String> = declared_properties(def)
                .into_iter()
                .map(|(name, is_required)| format!("{name}{}", if is_required { "" } else { "?" }))
                .collect();
            assert_eq!(&ours, theirs, "{}", def.name);
            compared += 1;
        }
        assert_eq!(compared, upstream.len());
    }
}
