//! Names for affine maps and sets, given in order of first use and defined in front, and for locations, defined behind.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::entities::{EntityWriter, write_alias};
use crate::affine::{AffineMap, IntegerSet};
use crate::context::{Context, Ident};

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Aliases {
    maps: IndexSet<AffineMap, FxBuildHasher>,
    sets: IndexSet<IntegerSet, FxBuildHasher>,
    /// Texts of locations.
    locations: IndexSet<String, FxBuildHasher>,
    /// Keys of the dense resources that were named.
    resources: IndexSet<Ident, FxBuildHasher>,
}

impl Aliases {
    pub fn map(&mut self, map: AffineMap) -> usize {
        self.maps.insert_full(map).0
    }

    pub fn set(&mut self, set: IntegerSet) -> usize {
        self.sets.insert_full(set).0
    }

    /// Of a location by what it is, not by its key: many keys may say the same.
    pub fn location(&mut self, text: String) -> usize {
        self.locations.insert_full(text).0
    }

    /// Notes that a dense resource was named.
    pub fn resource(&mut self, key: Ident) {
        self.resources.insert(key);
    }

    /// The dense resources that were named, in that order.
    pub fn resources(&self) -> impl Iterator<Item = Ident> + '_ {
        self.resources.iter().copied()
    }

    /// The definitions of the locations, which stand behind everything, as they may be many.
    pub fn locations(&self) -> String {
        let mut out = String::new();
        for (index, text) in self.locations.iter().enumerate() {
            write_alias(&mut out, "#loc", index);
            out.push_str(" = ");
            out.push_str(text);
            out.push('\n');
        }
        out
    }

    /// The definitions of maps and sets, a line each.
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
