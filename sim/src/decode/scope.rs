//! Names in nested blocks.

use rustc_hash::FxHashMap;

use crate::isa::Type;
use crate::program::Code;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// A register by its row, or a predicate by its number.
    Register {
        ty: Type,
        row: u32,
    },
    Label(u32),
    /// A list of branch targets.
    Targets(u32),
    /// Offset in shared memory.
    Shared(u64),
    /// The start of the shared memory that the launch adds.
    DynamicShared,
    /// Offset in a thread's local memory.
    Local(u64),
    /// A parameter being passed to a device function: offset in local memory.
    CallParam {
        offset: u64,
        size: u64,
    },
    /// A parameter of the device function itself: the row of its address in local memory.
    FormalParam {
        row: u32,
        size: u64,
    },
    /// Offset in the kernel's parameter block.
    KernelParam(u64),
    /// A variable of the module.
    Module(u32),
    /// A function of the module.
    Function(u32),
    /// A prototype for indirect calls.
    Prototype(u32),
}

#[derive(Debug)]
enum Entry {
    Symbol(Symbol),
    /// Declared, but without a row before its first use.
    Unused(Type),
}

#[derive(Debug, Default)]
struct Scope<'a> {
    names: FxHashMap<&'a str, Entry>,
    /// `%r<5>`: prefix, type, count, and the registers used so far.
    families: Vec<(&'a str, Type, u32, FxHashMap<u32, u32>)>,
}

/// The scopes that are open, innermost last.
#[derive(Debug)]
pub(crate) struct Scopes<'a> {
    open: Vec<Scope<'a>>,
}

impl Default for Scopes<'_> {
    fn default() -> Self {
        Scopes { open: vec![Scope::default()] }
    }
}

impl<'a> Scopes<'a> {
    pub(crate) fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    pub(crate) fn leave(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// Declares a name in the innermost scope; false if it is there already.
    pub(crate) fn declare(&mut self, name: &'a str, symbol: Symbol) -> bool {
        let last = self.open.len() - 1;
        self.open[last].names.insert(name, Entry::Symbol(symbol)).is_none()
    }

    /// Declares one register, or a numbered family of them.
    pub(crate) fn declare_registers(
        &mut self,
        name: &'a str,
        ty: Type,
        count: Option<u32>,
    ) -> bool {
        let last = self.open.len() - 1;
        let scope = &mut self.open[last];
        match count {
            None => scope.names.insert(name, Entry::Unused(ty)).is_none(),
            Some(count) => {
                let fresh = scope.families.iter().all(|family| family.0 != name);
                scope.families.push((name, ty, count, FxHashMap::default()));
                fresh
            }
        }
    }

    /// A symbol other than a register.
    pub(crate) fn find(&self, name: &str) -> Option<Symbol> {
        self.open.iter().rev().find_map(|scope| match scope.names.get(name) {
            Some(Entry::Symbol(symbol)) => Some(*symbol),
            _ => None,
        })
    }

    /// Any symbol; a register gets its row at its first use.
    pub(crate) fn find_register(&mut self, name: &str, code: &mut Code) -> Option<Symbol> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        for scope in self.open.iter_mut().rev() {
            if let Some(entry) = scope.names.get_mut(name) {
                if let Entry::Unused(ty) = *entry {
                    *entry = Entry::Symbol(Symbol::Register { ty, row: allocate(ty, code) });
                }
                if let Entry::Symbol(symbol) = entry {
                    return Some(*symbol);
                }
            }
            // A family's prefix may itself end in digits: try every split.
            for (prefix, ty, count, used) in scope.families.iter_mut().rev() {
                let Some(number) = name.strip_prefix(*prefix) else { continue };
                let canonical = number == "0" || !number.starts_with('0');
                if number.is_empty() || number.len() > digits || !canonical {
                    continue;
                }
                if let Ok(number) = number.parse::<u32>()
                    && number < *count
                {
                    let row = *used.entry(number).or_insert_with(|| allocate(*ty, code));
                    return Some(Symbol::Register { ty: *ty, row });
                }
            }
        }
        None
    }

    /// Every visible name, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.open.iter().flat_map(|scope| scope.names.keys().copied())
    }
}

/// A row, two for 64-bit lanes, four for 128 bits, or a predicate number.
pub(super) fn allocate(ty: Type, code: &mut Code) -> u32 {
    if ty == Type::Pred {
        code.predicates += 1;
        return code.predicates - 1;
    }
    let row = code.rows;
    // 128 bits are two registers of 64, the lower one first.
    for _ in 0..ty.bits().div_ceil(64) {
        if ty.bits() > 32 {
            code.wide_rows.push(code.rows);
        }
        code.rows += if ty.bits() > 32 { 2 } else { 1 };
    }
    row
}
