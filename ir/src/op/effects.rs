//! Side effects of operations.

use smallvec::SmallVec;

use super::Traits;
use crate::graph::{Ir, Op, Value};

/// What an operation does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Allocates.
    Allocate,
    /// Frees.
    Free,
}

/// One effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What.
    pub kind: EffectKind,
    /// The memref (or other handle) concerned; `None` for memory at large (barriers, calls, I/O).
    pub on: Option<Value>,
}

/// A list of effects.
pub type Effects = SmallVec<[Effect; 2]>;

impl Ir {
    /// Effects of an operation, those in its regions included where it has
    /// [`Traits::RECURSIVE_EFFECTS`]; `None` where they are not known.
    pub fn effects(&self, op: Op) -> Option<Effects> {
        let mut effects = Effects::new();
        self.collect_effects(op, &mut effects).then_some(effects)
    }

    fn collect_effects(&self, op: Op, effects: &mut Effects) -> bool {
        let Some(def) = self.def(op) else { return false };
        let mut known = def.traits.contains(Traits::PURE);
        if let Some(hook) = def.hooks.effects {
            hook(self, op, effects);
            known = true;
        }
        if def.traits.contains(Traits::RECURSIVE_EFFECTS) {
            for &region in self.regions(op) {
                for &block in self.blocks(region) {
                    for inner in self.ops(block) {
                        // Terminators hand values on; they touch no memory.
                        let benign = self.has_trait(inner, Traits::RETURN_LIKE);
                        if !benign && !self.collect_effects(inner, effects) {
                            return false;
                        }
                    }
                }
            }
            known = true;
        }
        known
    }

    /// Whether the operation is known to have no effects at all.
    pub fn is_effect_free(&self, op: Op) -> bool {
        self.effects(op).is_some_and(|effects| effects.is_empty())
    }

    /// Whether the operation may be erased when nothing uses its results: it writes and frees
    /// nothing, and allocates only what it returns.
    pub fn is_trivially_dead(&self, op: Op) -> bool {
        if self.results(op).iter().any(|&value| !self.is_unused(value))
            || self.has_trait(op, Traits::TERMINATOR)
            || self.has_trait(op, Traits::SYMBOL)
        {
            return false;
        }
        self.effects(op).is_some_and(|effects| {
            effects.iter().all(|effect| match effect.kind {
                EffectKind::Read => true,
                EffectKind::Allocate => effect.on.is_none_or(|v| self.defining_op(v) == Some(op)),
                EffectKind::Write | EffectKind::Free => false,
            })
        })
    }

    /// Whether the operation may run where the program would not have run it: no effects, nothing
    /// undefined (a division may not, unless its definition says so), nor anything inside.
    pub fn is_speculatable(&self, op: Op) -> bool {
        let Some(def) = self.def(op) else { return false };
        let own = def.traits.contains(Traits::PURE)
            || def.traits.contains(Traits::SPECULATABLE)
            || def.hooks.speculatable.is_some_and(|hook| hook(self, op));
        let inner = || {
            self.regions(op).iter().all(|&region| {
                self.blocks(region).iter().all(|&block| {
                    self.ops(block).all(|inner| {
                        self.has_trait(inner, Traits::RETURN_LIKE) || self.is_speculatable(inner)
                    })
                })
            })
        };
        // A loop may run forever, or as often as nobody would wait for.
        let once = def.hooks.loop_regions.is_none();
        (own || (once && def.traits.contains(Traits::RECURSIVE_EFFECTS))) && inner()
    }
}
