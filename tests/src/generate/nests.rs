//! Random nests of plain C: what a compiler of loops has to get right without being told.
//!
//! Triangular bounds, bounds that are chosen (`MIN`, `MAX`, `&&`), steps, loops that count down, conditions, several
//! statements, sums and maxima in scalars and elements, scalars that are handed on, a loop over time outside. All
//! numbers are unsigned and wrap around, so any order that keeps the dependences gives the same bits. With
//! `-DDIRECTIVES` each function's nests stand in a `kernels` region; without it they are plain C.

use std::fmt::Write as _;

use super::random::Random;

/// The loop variables, from the outside in.
const VARIABLES: [&str; 4] = ["i", "j", "k", "l"];
/// Loops in each other, at most, without the one over time.
const DEEPEST: usize = 3;

const HEADER: &str = "\
#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define E 64

static void fill(int count, unsigned *x, unsigned seed)
{
    for (int at = 0; at < count; at++) {
        seed = seed * 1664525u + 1013904223u;
        x[at] = seed >> 12;
    }
}

static unsigned sum_of(int count, const unsigned *x)
{
    unsigned sum = 7;
    for (int at = 0; at < count; at++)
        sum = (sum ^ x[at]) * 16777619u + 1u;
    return sum;
}

";

/// How the arrays come into a function.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// As rows of constant length.
    Rows,
    /// As rows of a length of run time.
    Variable,
    /// As pointers, with the rows written out.
    Flat,
}

/// One function under construction.
struct Nests<'a> {
    random: &'a mut Random,
    text: String,
    form: Form,
    /// Loop variables in sight.
    variables: Vec<&'static str>,
    /// Scalars in sight that may be read.
    scalars: Vec<String>,
    made: usize,
}

/// The program of `seed`.
pub fn nests(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x6e65_7374);
    let mut text = String::from(HEADER);
    let count = 1 + random.below(3);
    for at in 0..count {
        function(&mut random, at, &mut text);
    }
    text.push_str(
        "static unsigned a[E * E], b[E * E], c[E * E], x[E], y[E];\n\nint main(void)\n{\n    \
         static const int sizes[] = {0, 1, 2, 7, 13};\n    for (int at = 0; at < 5; at++) {\n        \
         int n = sizes[at], m = MAX(0, n - 3 + 2 * (at & 1));\n        \
         fill(E * E, a, 1);\n        fill(E * E, b, 2);\n        fill(E * E, c, 3);\n        \
         fill(E, x, 4);\n        fill(E, y, 5);\n",
    );
    for at in 0..count {
        let _ = writeln!(
            text,
            "        printf(\"f{at} %d %u\\n\", n, f{at}(n, m, E, (void *)a, (void *)b, (void *)c, x, y));"
        );
    }
    text.push_str(
        "        printf(\"%d: %u %u %u %u %u\\n\", n, sum_of(E * E, a), sum_of(E * E, b), sum_of(E * E, c),\n               \
         sum_of(E, x), sum_of(E, y));\n    }\n    return 0;\n}\n",
    );
    text
}

fn function(random: &mut Random, at: usize, text: &mut String) {
    let form = [Form::Rows, Form::Variable, Form::Flat][random.below(3)];
    let array = |name: &str| match form {
        Form::Rows => format!("unsigned {name}[E][E]"),
        Form::Variable => format!("unsigned {name}[w][w]"),
        Form::Flat => format!("unsigned *restrict {name}"),
    };
    let section = |name: &str| match form {
        Form::Rows => format!("{name}[0:E]"),
        Form::Variable => format!("{name}[0:w][0:w]"),
        Form::Flat => format!("{name}[0:w * w]"),
    };
    let grids: Vec<String> = ["a", "b", "c"].into_iter().map(section).collect();
    let clauses = format!(" copy({}, x[0:E], y[0:E])", grids.join(", "));
    let reduced = random.one_in(3);
    let mut nests = Nests {
        random,
        text: String::new(),
        form,
        variables: Vec::new(),
        scalars: vec!["s".to_owned()],
        made: 0,
    };
    let timed = nests.random.one_in(3);
    if timed {
        nests.line(1, "for (int t = 0; t < 3; t++) {");
        nests.scalars.push("(unsigned)t".to_owned());
    }
    let indent = 1 + usize::from(timed);
    for _ in 0..1 + nests.random.below(3) {
        nests.a_loop(indent, reduced);
    }
    if timed {
        nests.line(1, "}");
    }
    let body = nests.text;
    let _ = writeln!(
        text,
        "static unsigned f{at}(int n, int m, int w, {}, {}, {}, unsigned *restrict x, unsigned *restrict y)\n{{\n    \
         unsigned s = 5, r = 3;\n#ifdef DIRECTIVES\n#pragma acc kernels{clauses}\n#endif\n    {{\n{body}    }}\n    \
         return s + r;\n}}\n",
        array("a"),
        array("b"),
        array("c")
    );
}

impl Nests<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(indent + 1));
    }

    /// A bound that is never negative and, where it is an end, not far beyond `n`.
    fn bound(&mut self, is_end: bool) -> String {
        let number = self.random.below(4);
        let outer = match self.variables.len() {
            0 => None,
            count => Some(self.variables[self.random.below(count)]),
        };
        match (is_end, outer, self.random.below(7)) {
            (false, Some(outer), 0) => outer.to_owned(),
            (false, Some(outer), 1) => format!("{outer} + {number}"),
            (false, Some(outer), 2) => format!("MAX({}, {outer} - {number})", self.random.below(3)),
            (false, Some(outer), 3) => format!("({outer} > {number} ? {outer} - {number} : 0)"),
            (false, _, 4) => "n / 2".to_owned(),
            (false, ..) => self.random.below(3).to_string(),
            (true, Some(outer), 0) => outer.to_owned(),
            (true, Some(outer), 1) => format!("{outer} + {number}"),
            (true, Some(outer), 2) => format!("MIN(n, {outer} + {number})"),
            (true, Some(outer), 3) => format!("MIN(MIN(n, m), 2 * {outer})"),
            (true, _, 4) => format!("n - {number}"),
            (true, _, 5) => "m".to_owned(),
            (true, ..) => "n".to_owned(),
        }
    }

    fn a_loop(&mut self, indent: usize, reduced: bool) {
        let variable = VARIABLES[self.variables.len()];
        let (low, high) = (self.bound(false), self.bound(true));
        let head = match self.random.below(10) {
            0 => format!("for (int {variable} = {high} - 1; {variable} >= {low}; {variable}--) {{"),
            1 => format!("for (int {variable} = {low}; {variable} < {high}; {variable} += 2) {{"),
            2 => format!("for (int {variable} = {low}; {variable} <= {high} - 1; {variable}++) {{"),
            3 => {
                let other = self.bound(true);
                format!(
                    "for (int {variable} = {low}; {variable} < {high} && {variable} < {other}; {variable}++) {{"
                )
            }
            _ => format!("for (int {variable} = {low}; {variable} < {high}; {variable}++) {{"),
        };
        self.line(indent, &head);
        self.variables.push(variable);
        let known = self.scalars.len();
        let deeper = self.variables.len() < DEEPEST && !self.random.one_in(3);
        let before = if deeper { self.random.below(2) } else { 1 + self.random.below(2) };
        for _ in 0..before {
            self.statement(indent + 1, reduced);
        }
        if deeper {
            self.a_loop(indent + 1, reduced);
            for _ in 0..self.random.below(2) {
                self.statement(indent + 1, reduced);
            }
        }
        self.scalars.truncate(known);
        self.variables.pop();
        self.line(indent, "}");
    }

    fn statement(&mut self, indent: usize, reduced: bool) {
        match self.random.below(12) {
            0 => {
                let condition = self.condition();
                self.line(indent, &format!("if ({condition}) {{"));
                self.assignment(indent + 1, reduced);
                if self.random.one_in(3) {
                    self.line(indent, "} else {");
                    self.assignment(indent + 1, reduced);
                }
                self.line(indent, "}");
            }
            1 | 2 => {
                let (name, value) = (format!("v{}", self.made), self.sum());
                self.made += 1;
                self.line(indent, &format!("unsigned {name} = {value};"));
                self.scalars.push(name);
            }
            _ => self.assignment(indent, reduced),
        }
    }

    fn condition(&mut self) -> String {
        let [p, q] = [0, 1].map(|_| self.variables[self.random.below(self.variables.len())]);
        match self.random.below(4) {
            0 => format!("{p} + {q} < n"),
            1 => format!("{p} > {}", self.random.below(5)),
            2 => format!("{p} != {q} && {p} < m"),
            _ => format!("{} & 1", self.read()),
        }
    }

    fn assignment(&mut self, indent: usize, reduced: bool) {
        let value = self.sum();
        let text = match self.random.below(12) {
            0 if reduced => format!("r += {value};"),
            1 if reduced => format!("r ^= {value};"),
            2 if reduced => {
                let read = self.read();
                format!("if ({read} > r) r = {read};")
            }
            3..=5 => format!("{} += {value};", self.element()),
            6 => format!("{} ^= {value};", self.element()),
            _ => format!("{} = {value};", self.element()),
        };
        self.line(indent, &text);
    }

    fn sum(&mut self) -> String {
        let mut text = self.read();
        for _ in 0..self.random.below(3) {
            let operator = self.random.pick(&["+", "-", "^", "* 3u +", "+ 5u *"]);
            let next = match self.random.below(6) {
                0 => format!("{}u", self.random.below(100)),
                1 => {
                    format!("(unsigned){}", self.variables[self.random.below(self.variables.len())])
                }
                2 => self.scalars[self.random.below(self.scalars.len())].clone(),
                _ => self.read(),
            };
            text = format!("({text} {operator} {next})");
        }
        text
    }

    fn read(&mut self) -> String {
        self.element()
    }

    /// An element of an array, within its bounds whatever the loops' variables are.
    fn element(&mut self) -> String {
        if self.random.one_in(3) {
            let name = self.random.pick(&["x", "y"]);
            let at = self.subscript();
            return format!("{name}[{at}]");
        }
        let name = self.random.pick(&["a", "b", "c"]);
        let (row, column) = (self.subscript(), self.subscript());
        match self.form {
            Form::Flat => format!("{name}[({row}) * w + {column}]"),
            Form::Rows | Form::Variable => format!("{name}[{row}][{column}]"),
        }
    }

    fn subscript(&mut self) -> String {
        let [p, q] = [0, 1].map(|_| self.variables[self.random.below(self.variables.len())]);
        match self.random.below(10) {
            0 => format!("{p} + {q}"),
            1 => format!("{p} - {q} + 30"),
            2 => format!("2 * {p}"),
            3 => self.random.below(3).to_string(),
            4 => format!("40 - {p}"),
            5 | 6 => format!("{p} + {}", self.random.below(3)),
            7 => format!("{p} + 2 - {}", self.random.below(3)),
            _ => p.to_owned(),
        }
    }
}
