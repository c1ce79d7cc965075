//! Statements: loops, branches, variables, stores.

use super::program::{Buffer, EXTENT, Flavour, Generator, Kind};

impl Generator {
    pub(super) fn statement(&mut self, depth: usize) {
        self.budget -= 1;
        let nests = depth < 3;
        match (self.random.between(0, 9), self.flavour) {
            (0 | 1, _) if nests => self.counting_loop(depth),
            (2, _) if nests => self.conditional(depth),
            (3, Flavour::Structured) if nests => self.general_loop(depth),
            (3, Flavour::Affine) => {
                let kind = self.kind();
                let value = self.expression(kind, 1);
                self.scope_of(kind).push(value);
            }
            (4, _) if self.flavour != Flavour::Affine => self.declare(),
            (5, _) if self.flavour != Flavour::Affine => self.assign(),
            (6, Flavour::Structured) if nests => self.switch(),
            _ => self.store(),
        }
    }

    pub(super) fn statements(&mut self, depth: usize) {
        for _ in 0..self.random.between(1, 3) {
            self.statement(depth);
        }
    }

    /// A local variable with a first value.
    fn declare(&mut self) {
        let kind = self.kind();
        let value = self.expression(kind, 1);
        let name = self.value(&format!("memref.alloca() : memref<{}>", kind.ty()));
        self.line(&format!("memref.store {value}, {name}[] : memref<{}>", kind.ty()));
        self.scope.locals.push((name, kind));
    }

    fn assign(&mut self) {
        let locals = self.scope.locals.clone();
        if locals.is_empty() {
            return self.declare();
        }
        let (name, kind) = self.random.pick(&locals).clone();
        let value = self.expression(kind, 2);
        self.line(&format!("memref.store {value}, {name}[] : memref<{}>", kind.ty()));
    }

    pub(super) fn store(&mut self) {
        let writable: Vec<Buffer> =
            self.buffers.iter().filter(|b| b.is_written && self.can_access(b)).cloned().collect();
        if let Some(own) = self.own.clone() {
            // What no other iteration touches.
            if let ([row, column], true) = (&own[..], self.is_square)
                && writable.iter().any(|buffer| buffer.is_linear)
                && self.random.once_in(3)
            {
                let value = self.expression(Kind::Float, 2);
                let at = self.flat(row.clone(), column.clone());
                return self.line(&format!("memref.store {value}, %linear[{at}] : memref<?xf32>"));
            }
            let fitting: Vec<&Buffer> =
                writable.iter().filter(|b| b.rank == own.len() && !b.is_linear).collect();
            if fitting.is_empty() {
                return self.declare();
            }
            let buffer = (*self.random.pick(&fitting)).clone();
            let value = self.expression(buffer.kind, 2);
            let (name, ty) = (&buffer.name, &buffer.ty);
            return self.line(&format!("memref.store {value}, {name}[{}] : {ty}", own.join(", ")));
        }
        if writable.is_empty() {
            return self.declare();
        }
        let buffer = self.random.pick(&writable).clone();
        let value = self.expression(buffer.kind, 2);
        let (op, subscripts) = self.subscripts(&buffer);
        let (name, ty) = (&buffer.name, &buffer.ty);
        self.line(&format!("{op}.store {value}, {name}[{subscripts}] : {ty}"));
    }

    /// Bounds of a loop: text of lower, upper and step for `scf`.
    fn bounds(&mut self) -> (String, String, String) {
        let lower = match self.scope.indices.last() {
            Some(outer) if self.random.once_in(4) => outer.clone(),
            _ => format!("%c{}", self.random.between(0, 2)),
        };
        let upper = if self.random.once_in(3) {
            "%n".into()
        } else {
            format!("%c{}", self.random.between(1, EXTENT))
        };
        (lower, upper, format!("%c{}", self.random.between(1, 2)))
    }

    fn counting_loop(&mut self, depth: usize) {
        let iv = self.fresh();
        let affine = self.flavour == Flavour::Affine;
        let (lower, upper, step) = self.bounds();
        let is_below_n = upper == "%n";
        let range = if affine {
            // Constants are numbers in maps; what is no symbol needs a map.
            let plain = |text: &str| match text.strip_prefix("%c") {
                Some(number) => number.to_owned(),
                None if text == "%n" => text.to_owned(),
                None => format!("affine_map<(d0) -> (d0)>({text})"),
            };
            format!(
                "affine.for {iv} = {} to {} step {}",
                plain(&lower),
                plain(&upper),
                plain(&step)
            )
        } else {
            format!("scf.for {iv} = {lower} to {upper} step {step}")
        };
        let dialect = if affine { "affine" } else { "scf" };
        if self.random.once_in(2) {
            return self.block(&range, "", |g| {
                g.count(iv, is_below_n);
                g.statements(depth + 1);
            });
        }
        // A value that is carried from iteration to iteration.
        let kind = self.kind();
        let ty = kind.ty();
        let initial = self.expression(kind, 1);
        let (carried, result) = (self.fresh(), self.fresh());
        let head = format!("{result} = {range} iter_args({carried} = {initial}) -> ({ty})");
        self.block(&head, "", |g| {
            g.count(iv, is_below_n);
            g.scope_of(kind).push(carried);
            g.statements(depth + 1);
            let value = g.expression(kind, 2);
            g.line(&format!("{dialect}.yield {value} : {ty}"));
        });
        self.scope_of(kind).push(result);
    }

    /// Makes an induction variable known.
    pub(super) fn count(&mut self, iv: String, is_below_n: bool) {
        if is_below_n {
            self.scope.below_n.push(iv.clone());
        }
        self.scope.indices.push(iv);
    }

    /// `scf.while` that counts down from a small number.
    fn general_loop(&mut self, depth: usize) {
        let (result, counter, inner) = (self.fresh(), self.fresh(), self.fresh());
        let start = format!("%c{}", self.random.between(0, EXTENT - 1));
        self.line(&format!("{result} = scf.while ({counter} = {start}) : (index) -> index {{"));
        self.indent += 1;
        let go = self.value(&format!("arith.cmpi sgt, {counter}, %c0 : index"));
        self.line(&format!("scf.condition({go}) {counter} : index"));
        self.indent -= 1;
        let scope = self.scope.clone();
        self.line("} do {");
        self.line(&format!("^bb0({inner}: index):"));
        self.indent += 1;
        self.scope.indices.push(inner.clone());
        self.statements(depth + 1);
        let less = self.value(&format!("arith.subi {inner}, %c1 : index"));
        self.line(&format!("scf.yield {less} : index"));
        self.indent -= 1;
        self.scope = scope;
        self.line("}");
        self.scope.indices.push(result);
    }

    fn conditional(&mut self, depth: usize) {
        let affine = self.flavour == Flavour::Affine && !self.scope.indices.is_empty();
        let (head, dialect) = if affine {
            let indices = self.scope.indices.clone();
            let (a, b) = (self.random.pick(&indices).clone(), self.random.pick(&indices).clone());
            let constraint = *self.random.pick(&[
                "d0 - d1 >= 0",
                "d0 - d1 + s0 - 4 >= 0",
                "d0 mod 2 == 0",
                "d0 + d1 - 3 >= 0, d1 - 1 >= 0",
            ]);
            (format!("affine.if affine_set<(d0, d1)[s0] : ({constraint})>({a}, {b})[%n]"), "affine")
        } else {
            let condition = self.condition();
            (format!("scf.if {condition}"), "scf")
        };
        if self.random.once_in(2) {
            let otherwise = self.random.once_in(2);
            let tail = if otherwise { " else {" } else { "" };
            self.block(&head, tail, |g| g.statements(depth + 1));
            if otherwise {
                let scope = self.scope.clone();
                self.indent += 1;
                self.statements(depth + 1);
                self.indent -= 1;
                self.scope = scope;
                self.line("}");
            }
            return;
        }
        let kind = self.kind();
        let ty = kind.ty();
        let result = self.fresh();
        self.block(&format!("{result} = {head} -> {ty}"), " else {", |g| {
            g.statements(depth + 1);
            let value = g.expression(kind, 1);
            g.line(&format!("{dialect}.yield {value} : {ty}"));
        });
        let scope = self.scope.clone();
        self.indent += 1;
        let value = self.expression(kind, 1);
        self.line(&format!("{dialect}.yield {value} : {ty}"));
        self.indent -= 1;
        self.scope = scope;
        self.line("}");
        self.scope_of(kind).push(result);
    }

    fn switch(&mut self) {
        let index = self.subscript(false);
        let kind = self.kind();
        let ty = kind.ty();
        let result = self.fresh();
        self.line(&format!("{result} = scf.index_switch {index} -> {ty}"));
        for case in ["case 0", "case 3", "default"] {
            self.block(case, "", |g| {
                let value = g.expression(kind, 2);
                g.line(&format!("scf.yield {value} : {ty}"));
            });
        }
        self.scope_of(kind).push(result);
    }
}
