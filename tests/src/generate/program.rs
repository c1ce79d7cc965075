//! Whole programs: arrays, their first values, constructs, and the sums that are printed.

use std::fmt::Write as _;

use super::construct;
use super::expression::{Expr, Maker};
use super::random::Random;
use super::scalar::Scalar;
use super::statement::Writer;

/// How an array is declared and subscripted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `T a[N]`, static.
    Line,
    /// `T *a`, from `malloc`.
    Pointer,
    /// `T a[R][C]`.
    Grid,
    /// `T *a`, subscripted `a[i * c + j]`.
    Linear,
    /// `T (*a)[c]` with `c` of run time.
    Variable,
    /// An array of `record`, of which member `.w`, `.n`, `.flag` or `.pair[1]` is used.
    Record,
}

/// An array of the program.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// The type of an element.
    pub scalar: Scalar,
    /// Its form.
    pub form: Form,
    /// What follows the subscript: the member of a record.
    pub member: &'static str,
}

impl Array {
    /// Whether it has two dimensions.
    pub fn is_grid(&self) -> bool {
        matches!(self.form, Form::Grid | Form::Linear | Form::Variable)
    }

    /// The element at `i` (and `j`).
    pub fn element(&self, i: &str, j: &str) -> String {
        let name = &self.name;
        match self.form {
            Form::Line | Form::Pointer => format!("{name}[{i}]"),
            Form::Grid | Form::Variable => format!("{name}[{i}][{j}]"),
            Form::Linear => format!("{name}[({i}) * c + ({j})]"),
            Form::Record => format!("{name}[{i}]{}", self.member),
        }
    }

    /// The section that is the whole array.
    pub fn section(&self) -> String {
        let name = &self.name;
        match self.form {
            Form::Line | Form::Pointer | Form::Record => format!("{name}[0:n]"),
            Form::Grid => format!("{name}[0:r][0:COLUMNS]"),
            Form::Variable => format!("{name}[0:r][0:c]"),
            Form::Linear => format!("{name}[0:r*c]"),
        }
    }

    /// Whether data clauses can do without a section.
    pub fn has_size(&self) -> bool {
        matches!(self.form, Form::Line | Form::Grid | Form::Record)
    }

    /// Its declaration as a parameter.
    fn parameter(&self) -> String {
        let (name, scalar) = (&self.name, self.scalar.name());
        match self.form {
            Form::Line => format!("{scalar} {name}[N + !N]"),
            Form::Pointer | Form::Linear => format!("{scalar} *restrict {name}"),
            Form::Grid => format!("{scalar} (*{name})[COLUMNS]"),
            Form::Variable => format!("{scalar} (*{name})[c]"),
            Form::Record => format!("record *{name}"),
        }
    }
}

/// The sizes and arrays of a program.
pub struct World {
    /// The length of lines.
    pub n: i128,
    /// Rows of grids.
    pub rows: i128,
    /// Columns of grids.
    pub columns: i128,
    /// The arrays.
    pub arrays: Vec<Array>,
}

const HEADER: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    signed char tag;
    double w;
    int n;
    unsigned char flag;
    short pair[3];
} record;

static unsigned long long state = 88172645463325252ull;
static unsigned long long next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static unsigned long long bits_of(double x)
{
    unsigned long long bits;
    if (x != x)
        return 1;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int choose(int a, long b)
{
    if (a > b)
        return a & 0xff;
    while (b > 1000)
        b /= 3;
    for (int i = 0; i < 4; i++) {
        if ((a >> i) & 1)
            return (int)b ^ i;
    }
    return -1;
}

static int mix(int a, long b)
{
    unsigned x = (unsigned)a * 2654435761u + (unsigned)b;
    x ^= x >> 15;
    return (int)(x % 2001u) - 1000;
}

";

/// The program of `seed`.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let random = &mut random;
    let world = world(random);
    let mut constructs = String::new();
    let mut functions = String::new();
    let count = 2 + random.below(4);
    let mut at = 0;
    while at < count {
        let together = if random.one_in(3) { 1 + random.below(3) } else { 0 };
        if together > 0 {
            let clause = if random.one_in(2) { "copy" } else { "copyin" };
            let list: Vec<String> = world.arrays.iter().map(Array::section).collect();
            let _ = writeln!(constructs, "#pragma acc data {clause}({})\n    {{", list.join(", "));
            for _ in 0..together {
                part(random, &world, at, &mut constructs, &mut functions, true);
                at += 1;
            }
            if clause == "copyin" || random.one_in(3) {
                let _ = writeln!(constructs, "#pragma acc update self({})", list.join(", "));
            }
            constructs.push_str("    }\n");
        } else {
            part(random, &world, at, &mut constructs, &mut functions, false);
            at += 1;
        }
    }
    let mut text = String::from(HEADER);
    let _ = writeln!(text, "#define N {}", world.n);
    let _ = writeln!(text, "#define ROWS {}\n#define COLUMNS {}\n", world.rows, world.columns);
    for array in &world.arrays {
        let (name, scalar) = (&array.name, array.scalar.name());
        let _ = match array.form {
            Form::Line => writeln!(text, "static {scalar} {name}[N + !N];"),
            Form::Grid => writeln!(text, "static {scalar} {name}[ROWS][COLUMNS];"),
            Form::Record => writeln!(text, "static record {name}[N + !N];"),
            _ => Ok(()),
        };
    }
    text.push('\n');
    text.push_str(&functions);
    text.push_str("int main(void)\n{\n    int n = N, r = ROWS, c = COLUMNS;\n");
    for array in &world.arrays {
        let (name, scalar) = (&array.name, array.scalar.name());
        let _ = match array.form {
            Form::Pointer => {
                writeln!(text, "    {scalar} *{name} = malloc((N + !N) * sizeof *{name});")
            }
            Form::Linear => {
                writeln!(text, "    {scalar} *{name} = malloc(ROWS * COLUMNS * sizeof *{name});")
            }
            Form::Variable => {
                writeln!(text, "    {scalar} (*{name})[c] = malloc(r * sizeof *{name});")
            }
            _ => Ok(()),
        };
    }
    for array in &world.arrays {
        fill(&mut text, array);
    }
    text.push_str(&constructs);
    for array in &world.arrays {
        show(&mut text, array);
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn world(random: &mut Random) -> World {
    let n = [0, 1, 31, 32, 33, 129, 1000][random.below(7)];
    let rows = [1, 2, 7, 31, 33][random.below(5)];
    let columns = [1, 3, 32, 45][random.below(4)];
    let forms = [Form::Line, Form::Pointer, Form::Grid, Form::Linear, Form::Variable, Form::Record];
    let mut arrays = Vec::new();
    for at in 0..4 + random.below(5) {
        let form = if at < 2 { Form::Line } else { forms[random.below(forms.len())] };
        let mut scalar = match random.below(4) {
            0 => Scalar::F64,
            1 if random.one_in(2) => Scalar::F32,
            _ => Scalar::INTEGERS[random.below(9)],
        };
        let mut member = "";
        if form == Form::Record {
            (member, scalar) = [
                (".w", Scalar::F64),
                (".n", Scalar::I32),
                (".flag", Scalar::U8),
                (".pair[1]", Scalar::I16),
            ][random.below(4)];
        }
        arrays.push(Array { name: format!("a{at}"), scalar, form, member });
    }
    World { n, rows, columns, arrays }
}

/// One construct, in `main` or in a function of its own that it calls.
fn part(
    random: &mut Random,
    world: &World,
    at: usize,
    constructs: &mut String,
    functions: &mut String,
    present: bool,
) {
    let apart = random.one_in(3);
    let mut writer = Writer::new(random, 1);
    writer.open("{");
    construct::construct(&mut writer, world, at, present, apart);
    writer.close();
    let text = writer.text;
    if !apart {
        constructs.push_str(&text);
        return;
    }
    let parameters: String =
        world.arrays.iter().map(|array| format!(", {}", array.parameter())).collect();
    let arguments: String = world.arrays.iter().map(|array| format!(", {}", array.name)).collect();
    let _ = writeln!(
        functions,
        "static void part{at}(int n, int r, int c{parameters})\n{{\n{text}}}\n"
    );
    let _ = writeln!(constructs, "    part{at}(n, r, c{arguments});");
}

fn loops(array: &Array) -> &'static str {
    if array.is_grid() {
        "for (int i = 0; i < r; i++) for (int j = 0; j < c; j++)"
    } else {
        "for (int i = 0; i < n; i++)"
    }
}

fn fill(text: &mut String, array: &Array) {
    let value = if array.scalar.is_float() {
        "((int)(next() % 2001) - 1000) / 8.0".to_owned()
    } else {
        format!("({})(next() >> 11)", array.scalar.name())
    };
    let _ = writeln!(text, "    {}\n        {} = {value};", loops(array), array.element("i", "j"));
}

fn show(text: &mut String, array: &Array) {
    let element = array.element("i", "j");
    let bits = if array.scalar.is_float() {
        format!("bits_of({element})")
    } else {
        format!("(unsigned long long){element}")
    };
    let _ = writeln!(
        text,
        "    {{\n        unsigned long long sum = 7;\n        {}\n            \
         sum = (sum ^ {bits}) * 1099511628211ull + 1;\n        printf(\"{} %llx\\n\", sum);\n    }}",
        loops(array),
        array.name
    );
}

/// A literal for the first value of a variable.
pub fn start_value(random: &mut Random, scalar: Scalar) -> String {
    let mut maker = Maker { random, leaves: &[], calls: &[] };
    let value: Expr = if scalar.is_float() { maker.float(0) } else { maker.integer(1) };
    value.text
}
