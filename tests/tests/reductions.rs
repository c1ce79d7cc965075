//! Reductions at every position of Tian et al. 2015, Table IV, by every operator, of every arithmetic type: programs
//! made of all of them, one for each position, run on the simulator with gangs, workers and lanes from 1 to 1024 and
//! compared with the host compiler's.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_tests::execution::{self, End, Outcome};
use gpuc_tests::tools::{self, Tools};
use gpuc_tests::{corpus, diff};
use libtest_mimic::{Arguments, Failed, Trial};

/// Gangs, workers, lanes.
const SIZES: [[u32; 3]; 7] =
    [[1, 1, 1], [3, 2, 7], [5, 32, 32], [1, 1, 1024], [2, 1024, 1], [192, 8, 32], [1024, 5, 33]];

const TYPES: [&str; 10] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
    "float",
    "double",
];

/// An operator: its spelling, whether it is for integers only, its first value, how a value is combined, the values.
struct Operator {
    spelling: &'static str,
    of_integers: bool,
    first: &'static str,
    combine: &'static str,
    value: &'static str,
}

/// Sums and products of the values are whole numbers that every type holds, or wraps in the same way.
const OPERATORS: [Operator; 9] = [
    Operator {
        spelling: "+",
        of_integers: false,
        first: "3",
        combine: "s += v",
        value: "n % 3 - (n % 7 == 0)",
    },
    Operator {
        spelling: "*",
        of_integers: false,
        first: "3",
        combine: "s *= v",
        value: "n % 331 == 5 ? 2 : 1",
    },
    Operator {
        spelling: "max",
        of_integers: false,
        first: "2",
        combine: "s = s < v ? v : s",
        value: "n * 37 % 101",
    },
    Operator {
        spelling: "min",
        of_integers: false,
        first: "90",
        combine: "s = v < s ? v : s",
        value: "n * 37 % 101 + 5",
    },
    Operator {
        spelling: "&",
        of_integers: true,
        first: "127",
        combine: "s &= v",
        value: "n % 97 ? 127 : 127 - (1 << n % 7)",
    },
    Operator {
        spelling: "|",
        of_integers: true,
        first: "1",
        combine: "s |= v",
        value: "n % 301 ? 0 : 1 << n % 7",
    },
    Operator {
        spelling: "^",
        of_integers: true,
        first: "5",
        combine: "s ^= v",
        value: "n * 29 & 127",
    },
    Operator {
        spelling: "&&",
        of_integers: false,
        first: "1",
        combine: "s = s && v",
        value: "n % 77 != 76",
    },
    Operator {
        spelling: "||",
        of_integers: false,
        first: "0",
        combine: "s = s || v",
        value: "n % 77 == 76",
    },
];

/// Where a reduction stands. `REDUCE` is its clause, `COMBINE(v)` its statement; what comes out is printed.
const POSITIONS: [(&str, &str); 8] = [
    ("gang", "    T s = FIRST;
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) REDUCE
    for (int i = 0; i < X; i++)
        COMBINE(a[i][1][2]);
    SHOW(s);
"),
    ("worker", "    T r[X];
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) copyout(r)
    for (int i = 0; i < X; i++) {
        T s = FIRST;
        #pragma acc loop worker REDUCE
        for (int j = 0; j < Y; j++)
            COMBINE(a[i][j][3]);
        r[i] = s;
    }
    for (int i = 0; i < X; i++)
        SHOW(r[i]);
"),
    ("vector", "    T r[X];
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) copyout(r)
    for (int i = 0; i < X; i++) {
        T s = FIRST;
        #pragma acc loop vector REDUCE
        for (int k = 0; k < Z; k++)
            COMBINE(a[i][4][k]);
        r[i] = s;
    }
    for (int i = 0; i < X; i++)
        SHOW(r[i]);
"),
    ("gang worker", "    T s = FIRST;
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) REDUCE
    for (int i = 0; i < X; i++) {
        #pragma acc loop worker REDUCE
        for (int j = 0; j < Y; j++)
            COMBINE(a[i][j][5]);
    }
    SHOW(s);
"),
    ("worker vector", "    T r[X];
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) copyout(r)
    for (int i = 0; i < X; i++) {
        T s = FIRST;
        #pragma acc loop worker REDUCE
        for (int j = 0; j < Y; j++) {
            #pragma acc loop vector REDUCE
            for (int k = 0; k < Z; k++)
                COMBINE(a[i][j][k]);
        }
        r[i] = s;
    }
    for (int i = 0; i < X; i++)
        SHOW(r[i]);
"),
    ("gang worker vector", "    T s = FIRST;
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) REDUCE
    for (int i = 0; i < X; i++) {
        #pragma acc loop worker REDUCE
        for (int j = 0; j < Y; j++) {
            #pragma acc loop vector REDUCE
            for (int k = 0; k < Z; k++)
                COMBINE(a[i][j][k]);
        }
    }
    SHOW(s);
"),
    ("one loop", "    T s = FIRST;
    T *flat = &a[0][0][0];
    #pragma acc parallel loop gang worker vector num_gangs(g) num_workers(w) vector_length(l) copyin(flat[0:X*Y*Z]) REDUCE
    for (int i = 0; i < X * Y * Z; i++)
        COMBINE(flat[i]);
    SHOW(s);
"),
    ("different loops", "    T s = FIRST;
    long many = 7;
    #pragma acc parallel loop gang num_gangs(g) num_workers(w) vector_length(l) copyin(a) REDUCE reduction(+: many)
    for (int i = 0; i < X; i++) {
        COMBINE(a[i][0][0]);
        #pragma acc loop vector REDUCE reduction(+: many)
        for (int k = 0; k < Z; k++) {
            COMBINE(a[i][2][k]);
            many += i + k;
        }
    }
    SHOW(s);
    SHOW(many);
"),
];

fn main() {
    let arguments = Arguments::from_args();
    let tools = Tools::find();
    let folder: PathBuf = tools.folders().next().map(|(_, f)| f.to_owned()).unwrap_or_default();
    let mut trials = Vec::new();
    for (position, body) in POSITIONS {
        // How the host's code is optimised decides nothing on the device, but how launches are called.
        let levels: &[&str] = if position == "one loop" { &["-O0", "-O2"] } else { &["-O1"] };
        for level in levels {
            let folder = folder.clone();
            let name = format!("{position} {level}");
            trials
                .push(Trial::test(name, move || check(&folder, body, level).map_err(Failed::from)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The program with a position's reductions by all operators of all types.
fn program(body: &str) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         enum { X = 13, Y = 7, Z = 37 };\n\
         #define SHOW(value) printf(\" %.17g\", (double)(value))\n",
    );
    let mut calls = String::new();
    let mut number = 0;
    for operator in &OPERATORS {
        for ty in TYPES {
            if operator.of_integers && (ty == "float" || ty == "double") {
                continue;
            }
            let combine = operator.combine;
            let body = body
                .replace("REDUCE", &format!("reduction({}: s)", operator.spelling))
                .replace("FIRST", operator.first);
            let body = replace_calls(&body, combine);
            let _ = write!(
                text,
                "static void f{number}(int g, int w, int l)\n{{\n    typedef {ty} T;\n    static T a[X][Y][Z];\n    \
                 for (int n = 0; n < X * Y * Z; n++)\n        (&a[0][0][0])[n] = {};\n{body}    \
                 printf(\" {} {ty}\\n\");\n}}\n",
                operator.value, operator.spelling
            );
            let _ = writeln!(calls, "    f{number}(g, w, l);");
            number += 1;
        }
    }
    let _ = write!(
        text,
        "int main(int argc, char **argv)\n{{\n    int g = atoi(argv[1]), w = atoi(argv[2]), l = atoi(argv[3]);\n{calls}    \
         return argc != 4;\n}}\n"
    );
    text
}

/// `COMBINE(value)` as the operator's statement.
fn replace_calls(body: &str, combine: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some((before, behind)) = rest.split_once("COMBINE(") {
        let (value, after) = behind.split_once(");").expect("a statement");
        text += before;
        // A value stands for a word of its own.
        let words: Vec<&str> =
            combine.split(' ').map(|word| if word == "v" { value } else { word }).collect();
        text += &words.join(" ");
        text.push(';');
        rest = after;
    }
    text + rest
}

fn check(folder: &Path, body: &str, level: &str) -> Result<(), String> {
    let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let at = |name: &str| temporary.path().join(name);
    let (source, host, device) = (at("program.c"), at("host"), at("device"));
    std::fs::write(&source, program(body)).map_err(|e| format!("cannot write: {e}"))?;
    let mut compile = Command::new(tools::host_compiler());
    compile.args([level, "-w", "-o"]).arg(&host).arg(&source);
    succeed("the host compiler", &mut compile)?;
    let mut compile = Command::new(tools::ours_in(folder, "gpuc")?);
    compile.args([level, "-w", "-o"]).arg(&device).arg(&source);
    succeed("gpuc", compile.env("TMPDIR", temporary.path()))?;
    for sizes in SIZES {
        let sizes = sizes.map(|size| size.to_string());
        let expected = succeed("the host program", Command::new(&host).args(&sizes))?.text();
        let mut run = Command::new(&device);
        run.args(&sizes).env("GPUC_DEVICE", tools::device());
        let actual = succeed("the program", &mut run)?.text();
        let difference = diff::lines(&expected, &actual);
        if !difference.is_empty() {
            return Err(format!(
                "{sizes:?}: host (-) and device (+) print different text:\n{difference}"
            ));
        }
    }
    Ok(())
}

fn succeed(what: &str, command: &mut Command) -> Result<Outcome, String> {
    let outcome = execution::run(command.current_dir(corpus::root()), Vec::new(), false)?;
    let sentence = match outcome.end() {
        End::Success => return Ok(outcome),
        End::Refused(code) => format!("failed with status {code}"),
        End::Crashed(how) => how,
    };
    Err(format!("{what} {sentence}\n{}", outcome.tail()))
}
