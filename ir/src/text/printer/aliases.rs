//! Names for affine maps and sets, given in order of first use and defined in front.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::entities::{EntityWriter, write_alias};
use crate::affine::{AffineMap, IntegerSet};
use crate::context::Context;

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Aliases {
    maps: IndexSet<AffineMap, FxBuildHasher>,
    sets: IndexSet<IntegerSet, FxBuildHasher>,
}

impl Aliases {
    pub fn map(&mut self, map: AffineMap) -> usize {
        self.maps.insert_full(map).0
    }

    pub fn set(&mut self, set: IntegerSet) -> usize {
        self.sets.insert_full(set).0
    }

    /// The definitions, a line each.
    pub fn definitions(&self, ctx: &Context) -> String {
        let mut out = String::new();
        for (index, &map) in self.maps.iter().enumerate() {
            write_alias(&mut out, "#map", index);
            out.push_str(" = affine_map<");
            EntityWriter { ctx, out: &mut out, aliases: None, elide_elements: None }.map(map);
            out.push_str(">\n");
        }
        for (index, &set) in self.sets.iter().enumerate() {
            write_alias(&mut out, "#set", index);
            out.push_str(" = affine_set<");
            EntityWriter { ctx, out: &mut out, aliases: None, elide_elements: None }.set(set);
            out.push_str(">\n");
        }
        out
    }
}
