//! The generator of programs.

use std::fmt::Write as _;

use super::Random;

/// What a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// `scf`, `memref`, local variables, calls of small functions.
    Structured,
    /// `affine` loops, conditions and accesses.
    Affine,
    /// One `offload.region` of kind `parallel`, whose loops are as independent as they claim.
    Offload,
    /// One `offload.region` of kind `kernels` with loops of any kind: independence is to be found.
    Kernels,
}

impl Flavour {
    /// Every flavour.
    pub const ALL: [Flavour; 4] =
        [Flavour::Structured, Flavour::Affine, Flavour::Offload, Flavour::Kernels];
}

/// Extents of dynamic dimensions that programs are made for, at most: [`Comparison::extent`]. All
/// induction variables are below it.
///
/// [`Comparison::extent`]: crate::Comparison::extent
pub(crate) const EXTENT: i64 = 6;

/// The IR text of a program with a function `@main`. The same seed gives the same text.
pub fn program(seed: u64, flavour: Flavour) -> String {
    let mut generator = Generator::new(seed, flavour);
    match flavour {
        Flavour::Structured | Flavour::Affine => generator.sequential(),
        Flavour::Offload => generator.offload(),
        Flavour::Kernels => generator.kernels(),
    }
    generator.out
}

/// A buffer that a program may use.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) rank: usize,
    pub(super) kind: Kind,
    /// Whether subscripts may go beyond the induction variables, up to `EXTENT + 1`.
    pub(super) has_margin: bool,
    pub(super) is_written: bool,
    /// Whether it holds a square of `%n` rows one behind the other.
    pub(super) is_linear: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
}

impl Kind {
    pub(super) fn ty(self) -> &'static str {
        match self {
            Kind::Int => "i32",
            Kind::Float => "f32",
        }
    }
}

/// Names that can be used here.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Values of type `index` from 0 to below `EXTENT`; induction variables.
    pub(super) indices: Vec<String>,
    pub(super) ints: Vec<String>,
    pub(super) floats: Vec<String>,
    /// Those of them that are below `%n`.
    pub(super) below_n: Vec<String>,
    /// Local variables: rank-0 buffers.
    pub(super) locals: Vec<(String, Kind)>,
}

pub(super) struct Generator {
    pub(super) random: Random,
    pub(super) flavour: Flavour,
    pub(super) out: String,
    pub(super) indent: usize,
    pub(super) next: usize,
    pub(super) buffers: Vec<Buffer>,
    pub(super) scope: Scope,
    /// How many operations may still be made.
    pub(super) budget: i64,
    /// Functions to call: name, kinds of the arguments, kind of the result.
    pub(super) functions: Vec<(String, Vec<Kind>, Kind)>,
    /// Inside a loop whose iterations may run in any order, the subscripts of what it may write.
    pub(super) own: Option<Vec<String>>,
    /// Whether the square is only accessed as such, columns below `%n`.
    pub(super) is_square: bool,
}

impl Generator {
    fn new(seed: u64, flavour: Flavour) -> Self {
        let mut random = Random::new(seed);
        Generator {
            is_square: random.once_in(2),
            random,
            flavour,
            out: String::new(),
            indent: 0,
            next: 0,
            buffers: Vec::new(),
            scope: Scope::default(),
            budget: 60,
            functions: Vec::new(),
            own: None,
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
    }

    pub(super) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Writes `%v = text` and gives the name.
    pub(super) fn value(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        self.budget -= 1;
        name
    }

    /// Writes what `inside` does between braces, with the names of the scope restored behind it.
    pub(super) fn block(&mut self, head: &str, tail: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        let scope = self.scope.clone();
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.scope = scope;
        self.line(&format!("}}{tail}"));
    }

    fn sequential(&mut self) {
        if self.flavour == Flavour::Structured {
            for i in 0..self.random.between(0, 2) {
                self.helper(i);
            }
        }
        self.add_buffers(true);
        let head = format!("func.func @main({}) -> (i32, f32)", self.arguments());
        self.block(&head, "", |g| {
            g.prologue(true);
            while g.budget > 0 {
                g.statement(0);
            }
            let (int, float) = (g.expression(Kind::Int, 2), g.expression(Kind::Float, 2));
            g.line(&format!("return {int}, {float} : i32, f32"));
        });
    }

    pub(super) fn add_buffers(&mut self, is_written: bool) {
        let static_extent = EXTENT + 2;
        for (name, shape, rank, kind, has_margin) in [
            ("a", format!("{static_extent}x"), 1, Kind::Float, true),
            ("b", format!("{static_extent}x{static_extent}x"), 2, Kind::Float, true),
            ("c", "?x".to_owned(), 1, Kind::Int, false),
            ("d", format!("?x{static_extent}x"), 2, Kind::Int, false),
        ] {
            self.buffers.push(Buffer {
                name: format!("%{name}"),
                ty: format!("memref<{shape}{}>", kind.ty()),
                rank,
                kind,
                has_margin,
                is_written,
                is_linear: false,
            });
        }
    }

    /// `%n: index, ...`: the arguments of `@main`.
    pub(super) fn arguments(&self) -> String {
        let buffers = self.buffers.iter().map(|buffer| format!("{}: {}", buffer.name, buffer.ty));
        let scalars = ["%n: index", "%x: i32", "%y: f32"].map(String::from);
        let all: Vec<String> = scalars.into_iter().chain(buffers).collect();
        // Large enough for every row and column below the extent, whatever the row's length is.
        format!("{}, %square: memref<{}xf32>", all.join(", "), EXTENT * (EXTENT + 1))
    }

    /// What every `@main` begins with.
    pub(super) fn prologue(&mut self, is_written: bool) {
        self.constants();
        self.scope.ints.push("%x".into());
        self.scope.floats.push("%y".into());
        let from = format!("memref<{}xf32>", EXTENT * (EXTENT + 1));
        self.line(&format!("%linear = memref.cast %square : {from} to memref<?xf32>"));
        self.buffers.push(Buffer {
            name: "%linear".into(),
            ty: "memref<?xf32>".into(),
            rank: 1,
            kind: Kind::Float,
            has_margin: false,
            is_written,
            is_linear: true,
        });
    }

    fn constants(&mut self) {
        for n in 0..=EXTENT + 1 {
            self.line(&format!("%c{n} = arith.constant {n} : index"));
        }
    }

    /// A private function of scalars, for calls.
    fn helper(&mut self, number: i64) {
        let kinds: Vec<Kind> = (0..self.random.between(1, 2))
            .map(|_| *self.random.pick(&[Kind::Int, Kind::Float]))
            .collect();
        let result = *self.random.pick(&[Kind::Int, Kind::Float]);
        let arguments: Vec<String> =
            kinds.iter().enumerate().map(|(i, kind)| format!("%p{i}: {}", kind.ty())).collect();
        let name = format!("@f{number}");
        let head = format!("func.func private {name}({}) -> {}", arguments.join(", "), result.ty());
        self.block(&head, "", |g| {
            for (i, kind) in kinds.iter().enumerate() {
                g.scope_of(*kind).push(format!("%p{i}"));
            }
            let value = g.expression(result, 3);
            g.line(&format!("return {value} : {}", result.ty()));
        });
        self.functions.push((name, kinds, result));
    }

    pub(super) fn scope_of(&mut self, kind: Kind) -> &mut Vec<String> {
        match kind {
            Kind::Int => &mut self.scope.ints,
            Kind::Float => &mut self.scope.floats,
        }
    }

    pub(super) fn kind(&mut self) -> Kind {
        *self.random.pick(&[Kind::Int, Kind::Float])
    }
}

#[cfg(test)]
mod tests {
    use gpuc_ir::Ir;
    use gpuc_ir::text::parse_module;
    use gpuc_ir::verify::verify;

    use super::*;
    use crate::{Comparison, Options, Order, check_same};

    #[test]
    fn programs_are_valid_and_defined_in_any_order() {
        for seed in 0..60 {
            for flavour in Flavour::ALL {
                let text = program(seed, flavour);
                assert_eq!(text, program(seed, flavour));
                let mut ir = Ir::new();
                gpuc_dialects::register_all(&mut ir.ctx);
                let module = parse_module(&mut ir, &text, "random.mlir")
                    .unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"));
                if let Err(errors) = verify(&mut ir, module) {
                    panic!("{errors:#?}\nin\n{text}");
                }
                let mut comparison = Comparison::new("main", seed);
                comparison.options = Options { order: Order::Backwards, ..comparison.options };
                if let Err(error) = check_same((&ir, module), (&ir, module), &comparison) {
                    panic!("seed {seed} {flavour:?}: {error}\nin\n{text}");
                }
            }
        }
    }
}
