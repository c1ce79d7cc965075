//! How an instruction is declared, and how its modifiers are matched.
//!
//! A [`Form`] is a mnemonic, a pattern of modifiers and a signature of operands, all text, in the
//! order of the PTX manual's syntax lines:
//!
//! - modifiers: slots in order, `name:alternative|alternative`, `name?:...` where it may be left
//!   out. `type:` is the slot that `T` in the signature names, `from:` the one that `S` names.
//! - operands: `=T` a destination of the type slot, `T` a source, `W` of twice its width, `S` of
//!   the `from` slot, `u32` (any type name) of that type, `p` and `=p` predicates, `=p|q` one or two
//!   of them, `imm` an integer constant; `>` after a type lets a register be wider than the type, `?`
//!   makes the operand optional.

use crate::decode::{Lowering, Refusal};
use crate::program::{Class, FloatMode, FloatType, IntType, Op, Rounding};
use crate::syntax::Instruction;

use super::Type;

/// One syntax of one instruction.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) mnemonic: &'static str,
    pub(crate) modifiers: &'static str,
    pub(crate) operands: &'static str,
    pub(crate) class: Class,
    pub(crate) build: Build,
}

/// What a form becomes.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// An operation on the operands of the signature, in order.
    Op(fn(&Matched) -> Op),
    /// Several operations, or operands of irregular form.
    Custom(fn(&mut Lowering<'_, '_>, &Instruction<'_>, &Matched) -> Result<(), Refusal>),
}

/// A slot of a modifier pattern.
pub(crate) struct Slot {
    pub(crate) name: &'static str,
    pub(crate) optional: bool,
    pub(crate) alternatives: Vec<&'static str>,
}

/// Type sets with a name, to keep patterns short.
const SETS: [(&str, &str); 11] = [
    ("@int", "u16|u32|u64|s16|s32|s64"),
    ("@bits", "b16|b32|b64"),
    ("@half", "f16|f16x2|bf16|bf16x2"),
    ("@rnd", "rn|rz|rm|rp"),
    ("@shared", "shared|shared::cta|shared::cluster"),
    ("@scalar", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("@sem", "weak|volatile|relaxed|acquire|release|acq_rel"),
    ("@scope", "cta|cluster|gpu|sys"),
    (
        "@wide8",
        "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|\
         m64n72k8|m64n80k8|m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|\
         m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|\
         m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|m64n248k8|m64n256k8",
    ),
    (
        "@wide16",
        "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|\
         m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|\
         m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|\
         m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16",
    ),
    (
        "@wide32",
        "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|\
         m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|\
         m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|\
         m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32",
    ),
];

impl Form {
    /// Whether the signature has room for so many operands and needs no more.
    pub(crate) fn takes(&self, operands: usize) -> bool {
        let items = self.operands.split_whitespace();
        let needed = items.clone().filter(|item| !item.ends_with('?')).count();
        self.operands.contains('(') || (needed..=items.count()).contains(&operands)
    }

    pub(crate) fn slots(&self) -> Vec<Slot> {
        self.modifiers
            .split_whitespace()
            .map(|slot| {
                let (name, alternatives) = slot.split_once(':').unwrap_or((slot, slot));
                let optional = name.ends_with('?');
                let name = name.trim_end_matches('?');
                // `sat?` alone is the slot `sat` with itself as the only alternative.
                let alternatives = if slot.contains(':') { alternatives } else { name };
                let alternatives = alternatives
                    .split('|')
                    .flat_map(|word| {
                        let set = SETS.iter().find(|&&(set, _)| set == word);
                        set.map_or(word, |&(_, words)| words).split('|')
                    })
                    .collect();
                Slot { name, optional, alternatives }
            })
            .collect()
    }
}

/// The modifiers of one instruction by their slots.
pub(crate) struct Matched {
    values: Vec<(&'static str, &'static str)>,
    /// The type in the slot `type`.
    ty: Type,
}

impl Matched {
    /// From slots and what stands in them.
    pub(crate) fn new(values: Vec<(&'static str, &'static str)>) -> Matched {
        let mut matched = Matched { values, ty: Type::B32 };
        matched.ty = matched.type_of("type");
        matched
    }

    /// The modifier in a slot.
    pub(crate) fn get(&self, slot: &str) -> Option<&'static str> {
        self.values.iter().find(|&&(name, _)| name == slot).map(|&(_, value)| value)
    }

    pub(crate) fn has(&self, slot: &str) -> bool {
        self.get(slot).is_some()
    }

    /// The type in a slot. The table gives every type slot only names of types.
    pub(crate) fn type_of(&self, slot: &str) -> Type {
        self.get(slot).and_then(Type::by_name).unwrap_or(Type::B32)
    }

    pub(crate) fn ty(&self) -> Type {
        self.ty
    }

    /// The lane type of integer arithmetic in the type slot.
    pub(crate) fn int(&self) -> IntType {
        IntType::of(self.ty())
    }

    pub(crate) fn float(&self) -> FloatType {
        FloatType::of(self.ty())
    }

    pub(crate) fn rounding(&self) -> Rounding {
        match self.get("rnd") {
            Some("rz" | "rzi") => Rounding::Zero,
            Some("rm" | "rmi") => Rounding::Down,
            Some("rp" | "rpi") => Rounding::Up,
            Some("rna") => Rounding::NearestAway,
            _ => Rounding::NearestEven,
        }
    }

    pub(crate) fn mode(&self) -> FloatMode {
        FloatMode {
            rounding: self.rounding(),
            ftz: self.has("ftz"),
            sat: self.has("sat"),
            relu: self.has("relu"),
            nan: self.has("nan"),
        }
    }
}
