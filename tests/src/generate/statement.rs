//! Random statements of one iteration: everything that touches only its own data.

use super::expression::{Expr, Maker};
use super::random::Random;
use super::scalar::Scalar;

/// What statements may use.
pub struct Scope {
    /// Expressions that may be read.
    pub leaves: Vec<Expr>,
    /// Variables and elements that may be written, with their types.
    pub targets: Vec<(String, Scalar)>,
    /// Names of helper functions.
    pub calls: Vec<&'static str>,
    /// Whether a loop around allows `continue` here.
    pub may_continue: bool,
}

/// Writes statements, with names that are not used twice.
pub struct Writer<'a> {
    /// The source of choices.
    pub random: &'a mut Random,
    /// The text so far.
    pub text: String,
    /// The depth of indentation.
    pub indent: usize,
    names: usize,
}

impl<'a> Writer<'a> {
    /// A writer of text that begins at `indent` levels.
    pub fn new(random: &'a mut Random, indent: usize) -> Writer<'a> {
        Writer { random, text: String::new(), indent, names: 0 }
    }

    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Adds a line that opens a block.
    pub fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indent += 1;
    }

    /// Closes the block of `open`.
    pub fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    /// A name that no other has.
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// An integer expression of what `scope` offers.
    pub fn integer(&mut self, scope: &Scope, depth: usize) -> Expr {
        Maker { random: self.random, leaves: &scope.leaves, calls: &scope.calls }.integer(depth)
    }

    /// A float expression.
    pub fn float(&mut self, scope: &Scope, depth: usize) -> Expr {
        Maker { random: self.random, leaves: &scope.leaves, calls: &scope.calls }.float(depth)
    }

    /// A `double` whose last bits may differ.
    pub fn inexact(&mut self, scope: &Scope) -> String {
        Maker { random: self.random, leaves: &scope.leaves, calls: &scope.calls }.inexact()
    }

    /// An expression that may be assigned to a variable of type `scalar`.
    pub fn value(&mut self, scope: &Scope, scalar: Scalar, depth: usize) -> String {
        if scalar.is_float() {
            return self.float(scope, depth).text;
        }
        let value = self.integer(scope, depth);
        // Assignment converts as a cast does.
        if self.random.one_in(3) { value.cast(scalar).text } else { value.text }
    }

    /// Some statements; declarations among them end with their block.
    pub fn block(&mut self, scope: &mut Scope, count: usize, depth: usize) {
        let (leaves, targets) = (scope.leaves.len(), scope.targets.len());
        for _ in 0..count {
            self.statement(scope, depth);
        }
        scope.leaves.truncate(leaves);
        scope.targets.truncate(targets);
    }

    fn declare(&mut self, scope: &mut Scope) {
        let scalar = match self.random.below(12) {
            0..=8 => Scalar::INTEGERS[self.random.below(9)],
            9 | 10 => Scalar::F64,
            _ => Scalar::F32,
        };
        let value = self.value(scope, scalar, 2);
        let name = self.name("v");
        self.line(format!("{} {name} = {value};", scalar.name()));
        scope.leaves.push(Expr::any(name.clone(), scalar));
        scope.targets.push((name, scalar));
    }

    fn assign(&mut self, scope: &Scope) {
        let (target, scalar) = match self.random.below(scope.targets.len()) {
            _ if scope.targets.is_empty() => return,
            at => scope.targets[at].clone(),
        };
        if scalar.is_float() {
            let value = self.float(scope, 3).text;
            let op = self.random.pick(&["=", "=", "+=", "-=", "*="]);
            return self.line(format!("{target} {op} {value};"));
        }
        let wraps = !scalar.is_signed() || scalar.width() < 32;
        match self.random.below(8) {
            0 if wraps && scalar != Scalar::Bool => {
                let text = self.random.pick(&["++", "--"]);
                if self.random.one_in(2) {
                    self.line(format!("{target}{text};"));
                } else {
                    self.line(format!("{text}{target};"));
                }
            }
            // Unsigned and small types; a product of two 16-bit values could overflow `int`.
            1 if wraps => {
                let value = self.integer(scope, 2).cast(Scalar::U8).text;
                let op = self.random.pick(&["+=", "-=", "*="]);
                self.line(format!("{target} {op} {value};"));
            }
            2 => {
                let value = self.integer(scope, 3).text;
                let op = self.random.pick(&["&=", "|=", "^="]);
                self.line(format!("{target} {op} {value};"));
            }
            3 => {
                let value = self.integer(scope, 2).text;
                self.line(format!("{target} >>= {value} & 7;"));
            }
            _ => {
                let value = self.value(scope, scalar, 3);
                self.line(format!("{target} = {value};"));
            }
        }
    }

    /// A statement; `depth` bounds how deeply statements stand in it.
    pub fn statement(&mut self, scope: &mut Scope, depth: usize) {
        if depth == 0 {
            return if self.random.one_in(3) { self.declare(scope) } else { self.assign(scope) };
        }
        match self.random.below(17) {
            0..=3 => self.declare(scope),
            4..=8 => self.assign(scope),
            9 | 10 => {
                let condition = self.integer(scope, 2).text;
                self.open(format!("if ({condition}) {{"));
                self.block(scope, 2, depth - 1);
                if self.random.one_in(2) {
                    self.indent -= 1;
                    self.open("} else {");
                    self.block(scope, 2, depth - 1);
                }
                self.close();
            }
            11 | 12 => self.counted(scope, depth),
            13 => self.repeated(scope, depth),
            14 => self.switch(scope, depth),
            15 => self.local_array(scope, depth),
            _ if scope.may_continue => {
                let condition = self.integer(scope, 2).text;
                self.line(format!("if (({condition} & 3) == 3)"));
                self.indent += 1;
                self.line("continue;");
                self.indent -= 1;
            }
            _ => self.assign(scope),
        }
    }

    fn inner(&mut self, scope: &mut Scope, depth: usize, breaks: bool) {
        let saved = std::mem::replace(&mut scope.may_continue, true);
        self.block(scope, 2, depth - 1);
        if breaks && self.random.one_in(2) {
            let condition = self.integer(scope, 2).text;
            self.line(format!("if (({condition} & 7) == 5)"));
            self.indent += 1;
            self.line("break;");
            self.indent -= 1;
            self.block(scope, 1, depth - 1);
        }
        scope.may_continue = saved;
    }

    /// A sequential loop with an induction variable.
    fn counted(&mut self, scope: &mut Scope, depth: usize) {
        let name = self.name("k");
        let count = self.random.within(0, 6);
        let (head, scalar, low, high) = match self.random.below(6) {
            0 => (format!("int {name} = 0; {name} < {count}; {name}++"), Scalar::I32, 0, count),
            1 => (format!("int {name} = {count}; {name} >= 0; --{name}"), Scalar::I32, -1, count),
            2 => (
                format!("unsigned char {name} = 3; {name} <= {count}; {name} += 2"),
                Scalar::U8,
                0,
                255,
            ),
            3 => (
                format!("long {name} = -{count}; {count} > {name}; {name} = {name} + 3"),
                Scalar::I64,
                -count,
                count + 3,
            ),
            4 => (
                format!("unsigned {name} = {count}; {name}-- > 0;"),
                Scalar::U32,
                0,
                i128::from(u32::MAX),
            ),
            _ => {
                let bound = self.integer(scope, 1).cast(Scalar::U8).text;
                (format!("short {name} = 0; {name} < ({bound} & 7); ++{name}"), Scalar::I16, 0, 8)
            }
        };
        self.open(format!("for ({head}) {{"));
        scope.leaves.push(Expr::between(name, scalar, low, high));
        self.inner(scope, depth, true);
        scope.leaves.pop();
        self.close();
    }

    /// A `while` or a `do` loop.
    fn repeated(&mut self, scope: &mut Scope, depth: usize) {
        let name = self.name("w");
        let count = self.random.within(1, 6);
        self.line(format!("int {name} = {count};"));
        let condition = self.integer(scope, 2).text;
        let leaf = Expr::between(name.clone(), Scalar::I32, -2, 6);
        if self.random.one_in(2) {
            self.open(format!("while ({name}-- > 0 && (({condition}) & 3) != 1) {{"));
            scope.leaves.push(leaf);
            self.inner(scope, depth, true);
            scope.leaves.pop();
            self.close();
        } else {
            self.open("do {");
            scope.leaves.push(leaf);
            self.inner(scope, depth, true);
            scope.leaves.pop();
            self.indent -= 1;
            self.line(format!("}} while (--{name} > 0 || ({name} == 0 && ({condition} & 1)));"));
        }
    }

    fn switch(&mut self, scope: &mut Scope, depth: usize) {
        let value = self.integer(scope, 2).text;
        self.open(format!("switch ({value} & 7) {{"));
        for label in ["case 1:", "case 3: case 4:", "default:", "case 6:"] {
            if self.random.one_in(4) {
                continue;
            }
            self.line(label);
            self.open("{");
            self.block(scope, 1, depth - 1);
            self.close();
            if !self.random.one_in(4) {
                self.line("break;");
            }
        }
        self.line("case 7: ;");
        self.close();
    }

    /// A small array of the iteration's own, filled and read.
    fn local_array(&mut self, scope: &mut Scope, depth: usize) {
        let name = self.name("t");
        let scalar = if self.random.one_in(4) {
            Scalar::F32
        } else {
            Scalar::INTEGERS[self.random.below(9)]
        };
        let index = self.name("k");
        if self.random.one_in(2) {
            self.line(format!("{} {name}[4] = {{1, 0, 1}};", scalar.name()));
        } else {
            self.line(format!("{} {name}[4];", scalar.name()));
            self.open(format!("for (int {index} = 0; {index} < 4; {index}++) {{"));
            scope.leaves.push(Expr::between(index.clone(), Scalar::I32, 0, 3));
            let value = self.value(scope, scalar, 2);
            self.line(format!("{name}[{index}] = {value};"));
            scope.leaves.pop();
            self.close();
        }
        let at = self.integer(scope, 1).cast(Scalar::U32).text;
        let element = format!("{name}[({at}) & 3]");
        scope.leaves.push(Expr::any(format!("{name}[2]"), scalar));
        scope.leaves.push(Expr::any(element.clone(), scalar));
        scope.targets.push((format!("{name}[1]"), scalar));
        scope.targets.push((element, scalar));
        self.block(scope, 2, depth - 1);
        // What may stand in the enclosing block again.
        for _ in 0..2 {
            scope.leaves.pop();
            scope.targets.pop();
        }
    }
}
