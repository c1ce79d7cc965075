//! The sections of pointers that constructs touch are those that they do touch.

mod remarks;

use gpuc_interp::{Interpreter, Options, RtValue};
use remarks::{parse, run};

/// What a section's length is where the host cannot say that all of it is touched.
const UNCERTAIN: i64 = i64::MIN;

/// A construct whose pointer `%a` is mapped as far as it is touched, with three numbers; one that nobody has
/// declared is `found`.
fn construct(found: bool, body: &str) -> String {
    let found = if found { "offload.found" } else { "" };
    format!(
        "func.func @f(%n: index {{offload.name = \"n\"}}, %m: index {{offload.name = \"m\"}}, \
         %s: index {{offload.name = \"s\"}}, %a: memref<?xf32> {{offload.name = \"a\", offload.map = \"section\"}}, \
         %p: memref<?xindex> {{offload.name = \"p\", offload.map = \"copyin\"}}) attributes {{{found}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  offload.region parallel {{
{body}
  }}
  return
}}"
    )
}

/// Both numbers of a section, offset and length in bytes, computed by the function that the pass made.
fn section(behind: &str, arguments: [i64; 3]) -> (i64, i64) {
    let (ir, module) = parse(behind);
    let mut interpreter = Interpreter::new(&ir, module, Options::default());
    let results = interpreter.run("f_sections", &arguments.map(RtValue::index));
    let results = results.unwrap_or_else(|error| panic!("{error}\nin\n{behind}"));
    let number = |value: &RtValue| match value {
        RtValue::Int(value) => i64::try_from(value.signed()).unwrap(),
        other => panic!("{other:?}"),
    };
    (number(&results[0]), number(&results[1]))
}

/// Compares with the elements that are touched, for many numbers: no element lies outside, and the section of a
/// construct that nobody has declared is the hull itself or uncertain. Says how often each of the two sections is
/// the hull.
fn compare(body: &str, touched: impl Fn(i64, i64, i64) -> Vec<i64>) -> [usize; 2] {
    let mut exact = [0; 2];
    for (count, found) in exact.iter_mut().zip([false, true]) {
        let (behind, said) = run("find-sections", &construct(found, body));
        // Nothing may be certain of a construct that nobody has declared.
        if found && said.contains("must be present on the device") {
            continue;
        }
        assert!(said.contains("Generating implicit"), "{said}in\n{body}");
        for n in [0, 1, 2, 5] {
            for m in [1, 2, 3, 7] {
                for s in [-3, 0, 1, 4, 9] {
                    let elements = touched(n, m, s);
                    let (first, last) = (elements.iter().min(), elements.iter().max());
                    let hull = match (first, last) {
                        (Some(first), Some(last)) => (4 * first, 4 * (last + 1 - first)),
                        _ => (0, 0),
                    };
                    let (offset, length) = section(&behind, [n, m, s]);
                    let case = format!("{:?} for {:?}, found {found}", (offset, length), (n, m, s));
                    if (offset, length) == hull {
                        *count += 1;
                    } else if found {
                        assert_eq!(length, UNCERTAIN, "{case}, not {hull:?}, in\n{body}");
                    } else {
                        let holds = offset <= hull.0 && offset + length >= hull.0 + hull.1;
                        assert!(hull.1 == 0 || holds, "{case} leaves out of {hull:?} in\n{body}");
                    }
                }
            }
        }
    }
    assert!(exact[0] > 0, "{body}");
    exact
}

/// Of how many combinations of numbers [`compare`] asks.
const ALL: usize = 4 * 4 * 5;

/// Rows of `stride` elements behind `offset`.
fn rows(offset: i64, stride: &str, body: &str) -> String {
    let view = match offset {
        0 => "strided<[?, 1]>".to_owned(),
        offset => format!("strided<[?, 1], offset: {offset}>"),
    };
    let ty = format!("memref<?x?xf32, {view}>");
    format!(
        "%v = memref.reinterpret_cast %a to offset: [{offset}], sizes: [%n, %m], strides: [{stride}, 1] : \
         memref<?xf32> to {ty}\n{}",
        body.replace("TYPE", &ty)
    )
}

/// Pairs of numbers below two others.
fn pairs(n: i64, m: i64) -> impl Iterator<Item = (i64, i64)> {
    (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)))
}

#[test]
fn rectangles_are_exact() {
    let body = "affine.for %i = 0 to %n {
affine.for %j = 0 to %m {
affine.store %f1, %v[%i, %j] : TYPE
}
}";
    for (stride, factor) in [("%m", None), ("%s", Some(()))] {
        let found = compare(&rows(0, stride, body), |n, m, s| {
            let stride = factor.map_or(m, |()| s);
            pairs(n, m).map(|(i, j)| i * stride + j).collect()
        });
        assert_eq!(found, [ALL; 2], "{stride}");
    }
    // Behind an offset it is not understood.
    let (_, said) = run("find-sections", &construct(false, &rows(3, "%m", body)));
    assert!(said.contains("must be present on the device"), "{said}");
    let found = compare(
        "affine.for %i = 0 to %n {
%x = affine.vector_load %a[%i * 2] : memref<?xf32>, vector<4xf32>
}",
        |n, _, _| (0..n).flat_map(|i| 2 * i..2 * i + 4).collect(),
    );
    assert_eq!(found, [ALL; 2]);
}

/// What the version without an assumption touches counts where it is the only one: the test is known to fail.
#[test]
fn a_version_that_is_left_alone() {
    let touch = |elements: &str| {
        format!("affine.for %i = 0 to {elements} {{\naffine.store %f1, %a[%i] : memref<?xf32>\n}}")
    };
    let version = |elements: &str, mark: &str| {
        format!("offload.region parallel {mark} {{\n{}\n}}", touch(elements))
    };
    let fallback = version("%n", "attributes {offload.fallback}");
    let choice = |condition: &str, first: &str| {
        format!(
            "%holds = {condition}
             scf.if %holds {{\n{first}\n}} else {{\n{fallback}\n}}"
        )
    };
    let compared = "arith.cmpi slt, %m, %n : index";
    for (versions, length) in [
        (fallback.clone(), 4 * 5),
        (choice(compared, &version("%m", "")), 4 * 3),
        (choice("arith.constant false", &version("%m", "")), 4 * 5),
        (choice(compared, ""), 4 * 5),
    ] {
        // In place of the construct's one region.
        let text = construct(false, "REGION");
        let (before, behind) = text.split_once("offload.region parallel {").expect("there is one");
        let (_, behind) = behind.split_once('}').expect("it ends");
        let (made, said) = run("find-sections", &format!("{before}{versions}{behind}"));
        assert!(said.contains("Generating implicit copy(a[:])"), "{said}in\n{versions}");
        assert_eq!(section(&made, [5, 3, 0]), (0, length), "{versions}");
    }
}

/// The corners of the box round the subscripts are touched, or nobody says that they are.
#[test]
fn corners_that_are_not_touched() {
    let both = |bounds: &str, condition: &str| {
        format!(
            "affine.for %i = 0 to %n {{
affine.for %j = {bounds} {{
{condition}
affine.store %f1, %v[%i, %j] : TYPE
{}
}}
}}",
            if condition.is_empty() { "" } else { "}" }
        )
    };
    // Beneath the diagonal that leads down.
    let upper = both("affine_map<(d0) -> (d0)>(%i) to %m", "");
    for (stride, factor) in [("%m", None), ("%s", Some(()))] {
        compare(&rows(0, stride, &upper), |n, m, s| {
            let stride = factor.map_or(m, |()| s);
            pairs(n, m).filter(|(i, j)| j >= i).map(|(i, j)| i * stride + j).collect()
        });
    }
    // Before the diagonal that leads up.
    let before = both("0 to affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%n]", "");
    compare(&rows(0, "%m", &before), |n, m, _| {
        pairs(n, n).filter(|(i, j)| j < &(n - i)).map(|(i, j)| i * m + j).collect()
    });
    // The same by a condition.
    let inside = "affine.if affine_set<(d0, d1)[s0] : (s0 - d0 - d1 - 1 >= 0)>(%i, %j)[%n] {";
    compare(&rows(0, "%m", &both("0 to %n", inside)), |n, m, _| {
        pairs(n, n).filter(|(i, j)| i + j < n).map(|(i, j)| i * m + j).collect()
    });
    // On the diagonals.
    for (subscripts, row) in [("%i, %i", false), ("%i, -%i + symbol(%n) - 1", true)] {
        let body =
            format!("affine.for %i = 0 to %n {{\naffine.store %f1, %v[{subscripts}] : TYPE\n}}");
        compare(&rows(0, "%m", &body), |n, m, _| {
            (0..n).map(|i| i * m + if row { n - 1 - i } else { i }).collect()
        });
    }
}

#[test]
fn what_not_every_iteration_touches() {
    let compared = |body: &str, touched: fn(i64, i64, i64) -> Vec<i64>| compare(body, touched);
    compared(
        "affine.for %i = 0 to %n step 3 {\naffine.store %f1, %a[%i] : memref<?xf32>\n}",
        |n, _, _| (0..n).step_by(3).collect(),
    );
    // At least so often.
    for least in [0, 1, 2] {
        let body = format!(
            "%least = arith.constant {least} : index
%end = arith.maxsi %n, %least : index
affine.for %i = 0 to %end {{
affine.store %f1, %a[%i] : memref<?xf32>
}}"
        );
        compare(&body, |n, _, _| (0..n.max(least)).collect());
    }
    // Perhaps none at all: the host cannot look.
    for condition in [
        "scf.if %unknown {",
        "%low = arith.cmpi slt, %i, %m : index\n%both = arith.andi %low, %unknown : i1\nscf.if %both {",
    ] {
        let body = format!(
            "affine.for %i = 0 to %n {{
%x = affine.load %p[%i] : memref<?xindex>
%unknown = arith.cmpi eq, %x, %c1 : index
{condition}
memref.store %f1, %a[%i] : memref<?xf32>
}}
}}"
        );
        compared(&body, |_, _, _| Vec::new());
    }
    // Behind `else`, where all of several conditions need not fail.
    compared(
        "affine.for %i = 0 to %n {
affine.if affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 1 >= 0)>(%i)[%m] {
} else {
affine.store %f1, %a[%i] : memref<?xf32>
}
}",
        |n, m, _| (0..n).filter(|i| !(2..m).contains(i)).collect(),
    );
}

/// Subscripts that an operation chooses.
#[test]
fn chosen_subscripts() {
    let compared = |chosen: &str, touched: fn(i64, i64, i64) -> i64| {
        let body = format!(
            "affine.for %i = 4 to affine_map<()[s0] -> (s0 + 4)>()[%n] {{
{chosen}
memref.store %f1, %a[%k] : memref<?xf32>
}}"
        );
        compare(&body, |n, m, s| (4..n + 4).map(|i| touched(i, m, s)).collect())
    };
    assert_eq!(compared("%k = arith.minsi %i, %s : index", |i, _, s| i.min(s)), [ALL; 2]);
    assert_eq!(compared("%k = arith.maxsi %i, %s : index", |i, _, s| i.max(s)), [ALL; 2]);
    compared("%k = arith.remsi %i, %m : index", |i, m, _| i % m);
    // Numbers and divisors on both sides of 0.
    let below = "%d = arith.subi %s, %i : index\n";
    let negative = "%l = arith.subi %c0, %m : index\n";
    let rest = |number: &str, divisor: &str| {
        format!("{below}{negative}%k = arith.remsi {number}, {divisor} : index")
    };
    compared(&rest("%d", "%m"), |i, m, s| (s - i) % m);
    compared(&rest("%i", "%l"), |i, m, _| i % -m);
    compared(&rest("%d", "%l"), |i, m, s| (s - i) % -m);
    for (name, holds) in [("eq", true), ("ne", false)] {
        let found = compared_choice(name, &compared, holds);
        assert!(found[0] > 0, "{found:?}");
    }
    // A condition of which the host knows one half.
    compared(
        "%x = affine.load %p[%i] : memref<?xindex>
%even = arith.cmpi eq, %x, %x : index
%low = arith.cmpi slt, %i, %s : index
%both = arith.andi %low, %even : i1
%k = arith.select %both, %i, %m : index",
        |i, m, s| if i < s { i } else { m },
    );
}

/// Conditions that are more than one comparison: what is not known of one of their sides is not certain.
#[test]
fn subscripts_chosen_by_several_conditions() {
    let compared = |condition: &str, holds: fn(i64, i64, i64) -> bool| {
        let body = format!(
            "%true = arith.constant true
affine.for %i = 4 to affine_map<()[s0] -> (s0 + 4)>()[%n] {{
%low = arith.cmpi slt, %i, %s : index
%high = arith.cmpi sgt, %i, %m : index
%q = {condition}
%k = arith.select %q, %i, %m : index
memref.store %f1, %a[%k] : memref<?xf32>
}}"
        );
        let touched = |i, m, s| if holds(i, m, s) { i } else { m };
        compare(&body, |n, m, s| (4..n + 4).map(|i| touched(i, m, s)).collect())
    };
    compared("arith.ori %low, %high : i1", |i, m, s| i < s || i > m);
    compared("arith.andi %low, %high : i1", |i, m, s| i < s && i > m);
    compared("arith.xori %low, %high : i1", |i, m, s| (i < s) != (i > m));
    // The opposite of one comparison is another one, on either side of the operation.
    for negated in ["%low, %true", "%true, %low"] {
        let found = compared(&format!("arith.xori {negated} : i1"), |i, _, s| i >= s);
        assert_eq!(found, [ALL; 2]);
    }
}

/// Which element an iteration touches.
type Chosen = fn(i64, i64, i64) -> i64;

fn compared_choice(
    name: &str,
    compared: &dyn Fn(&str, Chosen) -> [usize; 2],
    equal: bool,
) -> [usize; 2] {
    let chosen =
        format!("%is = arith.cmpi {name}, %i, %s : index\n%k = arith.select %is, %m, %i : index");
    match equal {
        true => compared(&chosen, |i, m, s| if i == s { m } else { i }),
        false => compared(&chosen, |i, m, s| if i != s { m } else { i }),
    }
}
