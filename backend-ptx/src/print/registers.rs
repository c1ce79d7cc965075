//! Names of registers.

use gpuc_dialects::ptx::ConstOp;
use gpuc_ir::{AttrKind, Block, FloatKind, Ir, OpView, Type, Value};
use rustc_hash::FxHashMap;

use super::copy_coalescing::Classes;

/// A class of registers: how PTX declares and names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    Predicate,
    Half,
    Word,
    Long,
    Float,
    Double,
}

impl Class {
    pub const ALL: [Class; 6] =
        [Class::Predicate, Class::Half, Class::Word, Class::Long, Class::Float, Class::Double];

    pub fn of(ir: &Ir, ty: Type) -> Class {
        match (ir.ctx.float_kind(ty), ir.ctx.int_width(ty)) {
            (Some(FloatKind::F64), _) => Class::Double,
            (Some(_), _) => Class::Float,
            (None, Some(1)) => Class::Predicate,
            (None, Some(16)) => Class::Half,
            (None, Some(64)) => Class::Long,
            _ => Class::Word,
        }
    }

    /// Type in `.reg`.
    pub fn declared(self) -> &'static str {
        match self {
            Class::Predicate => "pred",
            Class::Half => "b16",
            Class::Word => "b32",
            Class::Long => "b64",
            Class::Float => "f32",
            Class::Double => "f64",
        }
    }

    pub fn prefix(self) -> &'static str {
        match self {
            Class::Predicate => "%p",
            Class::Half => "%rs",
            Class::Word => "%r",
            Class::Long => "%rd",
            Class::Float => "%f",
            Class::Double => "%fd",
        }
    }
}

/// A register: its class and its number, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Register(pub Class, pub u32);

impl std::fmt::Display for Register {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.0.prefix(), self.1)
    }
}

/// The register of every value of a function.
#[derive(Debug, Default)]
pub(super) struct Registers {
    of: FxHashMap<Value, Register>,
    count: [u32; Class::ALL.len()],
}

impl Registers {
    /// Numbers arguments and results in the order of the text.
    pub fn assign(ir: &Ir, blocks: &[Block]) -> Registers {
        let mut registers = Registers::default();
        let classes = Classes::of(ir, blocks);
        for &block in blocks {
            for &argument in ir.arguments(block) {
                registers.give(ir, argument, &classes);
            }
            for op in ir.ops(block) {
                for &result in ir.results(op) {
                    if immediate(ir, result).is_none() {
                        registers.give(ir, result, &classes);
                    }
                }
            }
        }
        registers
    }

    fn give(&mut self, ir: &Ir, value: Value, classes: &Classes<'_>) {
        let first = classes.representative(value);
        let register = match self.of.get(&first) {
            Some(&register) => register,
            None => self.fresh(Class::of(ir, ir.ty(value))),
        };
        self.of.insert(first, register);
        self.of.insert(value, register);
    }

    /// A register that no value has.
    pub fn fresh(&mut self, class: Class) -> Register {
        let count = &mut self.count[class as usize];
        *count += 1;
        Register(class, *count)
    }

    /// The register of a value; none for immediates.
    pub fn get(&self, value: Value) -> Option<Register> {
        self.of.get(&value).copied()
    }

    /// How many registers of a class there are.
    pub fn count(&self, class: Class) -> u32 {
        self.count[class as usize]
    }

    /// A value as an operand.
    pub fn operand(&self, ir: &Ir, value: Value) -> String {
        match self.get(value) {
            Some(register) => register.to_string(),
            None => immediate(ir, value).unwrap_or_else(|| "_".to_owned()),
        }
    }
}

/// A constant as PTX writes it in place of a register. Instructions take no predicates so.
pub(super) fn immediate(ir: &Ir, value: Value) -> Option<String> {
    let constant = ConstOp::cast(ir, ir.defining_op(value)?)?;
    if Class::of(ir, ir.ty(value)) == Class::Predicate {
        return None;
    }
    number(ir, constant)
}

/// The text of a constant.
pub(super) fn number(ir: &Ir, constant: ConstOp) -> Option<String> {
    match *ir.ctx.attr_kind(constant.value(ir)?) {
        AttrKind::Integer { value, .. } => Some(value.to_string()),
        AttrKind::Float { bits, ty } => Some(match ir.ctx.float_kind(ty) {
            Some(FloatKind::F64) => format!("0d{bits:016X}"),
            _ => format!("0f{:08X}", (f64::from_bits(bits) as f32).to_bits()),
        }),
        _ => None,
    }
}
