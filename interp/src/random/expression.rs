//! Expressions and subscripts.

use super::program::{Buffer, EXTENT, Flavour, Generator, Kind};

impl Generator {
    pub(super) fn condition(&mut self) -> String {
        if !self.scope.indices.is_empty() && self.random.once_in(2) {
            let (a, b) = (self.subscript(true), self.subscript(true));
            let predicate = *self.random.pick(&["slt", "eq", "uge"]);
            return self.value(&format!("arith.cmpi {predicate}, {a}, {b} : index"));
        }
        if self.random.once_in(3) {
            let (a, b) = (self.expression(Kind::Float, 1), self.expression(Kind::Float, 1));
            let predicate = *self.random.pick(&["olt", "ogt", "une", "oeq"]);
            return self.value(&format!("arith.cmpf {predicate}, {a}, {b} : f32"));
        }
        let (a, b) = (self.expression(Kind::Int, 1), self.expression(Kind::Int, 1));
        let predicate = *self.random.pick(&["slt", "sge", "ne", "ult"]);
        self.value(&format!("arith.cmpi {predicate}, {a}, {b} : i32"))
    }

    pub(super) fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.random.once_in(4) {
            return self.leaf(kind);
        }
        if let Some((name, kinds, result)) = self.functions.last().cloned()
            && result == kind
            && self.indent > 1
            && self.random.once_in(6)
        {
            let arguments: Vec<String> =
                kinds.iter().map(|&kind| self.expression(kind, depth - 1)).collect();
            let types: Vec<&str> = kinds.iter().map(|kind| kind.ty()).collect();
            return self.value(&format!(
                "func.call {name}({}) : ({}) -> {}",
                arguments.join(", "),
                types.join(", "),
                kind.ty()
            ));
        }
        let (a, b) = (self.expression(kind, depth - 1), self.expression(kind, depth - 1));
        let ty = kind.ty();
        if self.random.once_in(7) {
            let condition = self.condition();
            return self.value(&format!("arith.select {condition}, {a}, {b} : {ty}"));
        }
        match kind {
            Kind::Int if self.random.once_in(6) => {
                let divisor = self.random.between(2, 7);
                let divisor = self.value(&format!("arith.constant {divisor} : i32"));
                let op =
                    *self.random.pick(&["divsi", "remsi", "floordivsi", "divui", "shrsi", "shli"]);
                self.value(&format!("arith.{op} {a}, {divisor} : i32"))
            }
            Kind::Int => {
                let ops = [
                    "addi", "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi",
                    "minui",
                ];
                let op = *self.random.pick(&ops);
                self.value(&format!("arith.{op} {a}, {b} : i32"))
            }
            Kind::Float if self.random.once_in(8) => self.value(&format!("arith.negf {a} : f32")),
            Kind::Float => {
                let op =
                    *self.random.pick(&["addf", "addf", "subf", "mulf", "maximumf", "minnumf"]);
                self.value(&format!("arith.{op} {a}, {b} : f32"))
            }
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let ty = kind.ty();
        let readable: Vec<Buffer> = (self.buffers.iter())
            .filter(|b| b.kind == kind && (self.own.is_none() || !b.is_written))
            .filter(|b| self.can_access(b))
            .cloned()
            .collect();
        let locals: Vec<String> =
            self.scope.locals.iter().filter(|l| l.1 == kind).map(|l| l.0.clone()).collect();
        match self.random.between(0, 5) {
            0 | 1 if !readable.is_empty() => {
                let buffer = self.random.pick(&readable).clone();
                let (op, subscripts) = self.subscripts(&buffer);
                return self
                    .value(&format!("{op}.load {}[{subscripts}] : {}", buffer.name, buffer.ty));
            }
            2 if !locals.is_empty() => {
                let local = self.random.pick(&locals).clone();
                return self.value(&format!("memref.load {local}[] : memref<{ty}>"));
            }
            3 if kind == Kind::Int && !self.scope.indices.is_empty() => {
                let index = self.subscript(true);
                return self.value(&format!("arith.index_cast {index} : index to i32"));
            }
            4 => {
                let value = self.random.between(-6, 6);
                return match kind {
                    Kind::Int => self.value(&format!("arith.constant {value} : i32")),
                    Kind::Float => {
                        self.value(&format!("arith.constant {:.2} : f32", value as f64 / 4.0))
                    }
                };
            }
            _ => {}
        }
        let values = self.scope_of(kind).clone();
        if values.is_empty() {
            let zero = if kind == Kind::Int { "1" } else { "1.0" };
            return self.value(&format!("arith.constant {zero} : {ty}"));
        }
        self.random.pick(&values).clone()
    }

    /// Whether there are subscripts for a buffer here.
    pub(super) fn can_access(&self, buffer: &Buffer) -> bool {
        !(buffer.is_linear && self.is_square && self.scope.below_n.is_empty())
    }

    /// Dialect of an access, and subscripts within the buffer.
    pub(super) fn subscripts(&mut self, buffer: &Buffer) -> (&'static str, String) {
        if buffer.is_linear {
            return ("memref", self.linear_subscript());
        }
        let affine = self.flavour == Flavour::Affine && !self.random.once_in(4);
        let list: Vec<String> = (0..buffer.rank)
            .map(|d| {
                // Inner extents are static, and so have a margin.
                let has_margin = buffer.has_margin || d > 0;
                if affine { self.affine_subscript(has_margin) } else { self.subscript(has_margin) }
            })
            .collect();
        (if affine { "affine" } else { "memref" }, list.join(", "))
    }

    /// `row * n + column`, computed as `index` or as C does it with `int`.
    fn linear_subscript(&mut self) -> String {
        let (row, column) = if self.is_square {
            let below = self.scope.below_n.clone();
            (self.random.pick(&below).clone(), self.random.pick(&below).clone())
        } else {
            (self.subscript(false), self.subscript(false))
        };
        self.flat(row, column)
    }

    /// The position of a row and column in the square.
    pub(super) fn flat(&mut self, row: String, column: String) -> String {
        if self.random.once_in(2) {
            let start = self.value(&format!("arith.muli {row}, %n overflow<nsw> : index"));
            return self.value(&format!("arith.addi {start}, {column} overflow<nsw> : index"));
        }
        let [row, n, column] = [row, "%n".to_owned(), column]
            .map(|name| self.value(&format!("arith.index_cast {name} : index to i32")));
        let start = self.value(&format!("arith.muli {row}, {n} overflow<nsw> : i32"));
        let sum = self.value(&format!("arith.addi {start}, {column} overflow<nsw> : i32"));
        self.value(&format!("arith.index_cast {sum} : i32 to index"))
    }

    /// A value from 0 to below `EXTENT`, or two more.
    pub(super) fn subscript(&mut self, has_margin: bool) -> String {
        let indices = self.scope.indices.clone();
        if indices.is_empty() || self.random.once_in(6) {
            return format!("%c{}", self.random.between(0, EXTENT - 1));
        }
        let index = self.random.pick(&indices).clone();
        if has_margin && self.random.once_in(3) {
            let by = self.random.between(1, 2);
            return self.value(&format!("arith.addi {index}, %c{by} overflow<nsw> : index"));
        }
        index
    }

    fn affine_subscript(&mut self, has_margin: bool) -> String {
        let indices = self.scope.indices.clone();
        if indices.is_empty() || self.random.once_in(8) {
            return self.random.between(0, EXTENT - 1).to_string();
        }
        let index = self.random.pick(&indices).clone();
        let other = self.random.pick(&indices).clone();
        match self.random.between(0, 6) {
            0 if has_margin => format!("{index} + {}", self.random.between(1, 2)),
            1 => format!("{} - {index}", EXTENT - 1),
            2 => format!("({index} + {other}) floordiv 2"),
            3 => format!("({index} * 2 + {other}) mod {}", self.random.between(1, EXTENT)),
            4 => format!("{index} ceildiv {}", self.random.between(1, 3)),
            _ => index,
        }
    }
}
