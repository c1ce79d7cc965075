//! Comparing programs by running them on the same inputs.

use std::fmt::Write as _;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::memref::element_bytes;
use gpuc_ir::{Ir, Op, Type, TypeKind};

use crate::interpreter::{Interpreter, Options, Order};
use crate::random::Random;
use crate::value::{Float, Int, RtValue, is_supported};

/// How two programs are compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The function to run in both.
    pub entry: String,
    /// Determines the inputs.
    pub seed: u64,
    /// Dynamic extents of arguments; arguments of type `index` are between 0 and this.
    pub extent: i64,
    /// By how much floats may differ, relative to the greater; 0 for not at all. NaNs are equal.
    pub tolerance: f64,
    /// How both are run, but for [`Options::order`], which holds for the second only.
    pub options: Options,
}

impl Comparison {
    /// Exact comparison on small inputs.
    pub fn new(entry: &str, seed: u64) -> Self {
        Comparison {
            entry: entry.to_owned(),
            seed,
            extent: crate::random::EXTENT,
            tolerance: 0.0,
            options: Options { step_limit: 50_000_000, ..Options::default() },
        }
    }
}

/// What can be seen after a run.
struct Observation {
    /// Everything with a name, and its elements.
    values: Vec<(String, Vec<Scalar>)>,
    output: String,
}

/// A number that was seen; `None` where it is undefined.
type Scalar = Option<RtValue>;

/// Runs a function of two programs on the same random inputs and compares its results, all buffers
/// it was given, the globals, and what was printed. What is undefined in the first program may be
/// anything in the second. An error of the first program is an error of the test.
pub fn check_same(
    before: (&Ir, Op),
    after: (&Ir, Op),
    comparison: &Comparison,
) -> Result<(), String> {
    let forwards = Options { order: Order::Forwards, ..comparison.options.clone() };
    let expected = observe(before, comparison, forwards)
        .map_err(|error| format!("the first program ends with an error: {error}"))?;
    let found = observe(after, comparison, comparison.options.clone())
        .map_err(|error| format!("the second program ends with an error: {error}"))?;
    compare(&expected, &found, comparison.tolerance)
}

fn observe(
    (ir, module): (&Ir, Op),
    comparison: &Comparison,
    options: Options,
) -> Result<Observation, String> {
    let text = |error: Diagnostic| {
        let places: Vec<String> =
            error.related.iter().map(|(place, what)| format!("\n  {place}: {what}")).collect();
        format!("{error}{}", places.concat())
    };
    let mut interpreter = Interpreter::new(ir, module, options);
    let (inputs, outputs) = interpreter.signature(&comparison.entry).map_err(text)?;
    let mut random = Random::new(comparison.seed);
    let arguments = inputs
        .iter()
        .map(|&ty| argument(&mut interpreter, ir, ty, comparison.extent, &mut random))
        .collect::<Result<Vec<RtValue>, String>>()?;
    let results = interpreter.run(&comparison.entry, &arguments).map_err(text)?;
    let mut values = Vec::new();
    for (i, (value, &ty)) in arguments.iter().zip(&inputs).enumerate() {
        if ir.ctx.is_memref(ty) {
            values.push((format!("argument {i}"), scalars(&interpreter, ir, value, ty)?));
        }
    }
    for (i, (value, &ty)) in results.iter().zip(&outputs).enumerate() {
        values.push((format!("result {i}"), scalars(&interpreter, ir, value, ty)?));
    }
    for (name, memref, ty) in interpreter.used_globals() {
        let value = RtValue::MemRef(memref.into());
        values.push((format!("global @{name}"), scalars(&interpreter, ir, &value, ty)?));
    }
    Ok(Observation { values, output: interpreter.output().to_owned() })
}

/// A random value of a type. Floats are small multiples of 1/4, so that sums and products of a few
/// of them are exact in any order.
fn argument(
    interpreter: &mut Interpreter<'_>,
    ir: &Ir,
    ty: Type,
    extent: i64,
    random: &mut Random,
) -> Result<RtValue, String> {
    if let TypeKind::MemRef { shape, element, layout: None, .. } = ir.ctx.type_kind(ty) {
        let sizes: Vec<i64> = shape.iter().map(|&n| if n < 0 { extent } else { n }).collect();
        let size = element_bytes(&ir.ctx, ty).and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or("a buffer has elements without a size")?;
        let count = sizes.iter().product::<i64>().max(0) as usize;
        let mut bytes = Vec::with_capacity(count * size);
        for _ in 0..count {
            let bits = match number(ir, *element, extent, random)? {
                RtValue::Int(int) => int.unsigned(),
                RtValue::Float(float) => float.bits().into(),
                _ => 0,
            };
            bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
        return interpreter
            .new_memref_of_bytes(&sizes, size, &bytes)
            .map_err(|error| error.to_string());
    }
    number(ir, ty, extent, random)
}

fn number(ir: &Ir, ty: Type, extent: i64, random: &mut Random) -> Result<RtValue, String> {
    match *ir.ctx.type_kind(ty) {
        TypeKind::Index => Ok(RtValue::index(random.between(0, extent))),
        TypeKind::Integer { width, .. } if width <= 128 => {
            Ok(RtValue::Int(Int::new(random.between(-9, 9).into(), width)))
        }
        TypeKind::Float(kind) if is_supported(kind) => {
            Ok(RtValue::Float(Float::new(random.between(-12, 12) as f64 / 4.0, kind)))
        }
        _ => Err(format!("there are no random values of type '{}'", ir.type_text(ty))),
    }
}

/// The numbers in a value.
fn scalars(
    interpreter: &Interpreter<'_>,
    ir: &Ir,
    value: &RtValue,
    ty: Type,
) -> Result<Vec<Scalar>, String> {
    match value {
        RtValue::MemRef(memref) => {
            let element = ir.ctx.element(ty).ok_or("a buffer has no element type")?;
            let values =
                interpreter.memref_values(memref, ty).map_err(|error| error.to_string())?;
            let mut all = Vec::with_capacity(values.len());
            for value in &values {
                all.extend(scalars(interpreter, ir, value, element)?);
            }
            Ok(all)
        }
        RtValue::Vector(elements) => {
            let element = ir.ctx.element_or_self(ty);
            let parts = elements.iter().map(|value| scalars(interpreter, ir, value, element));
            Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        RtValue::Poison(_) => Ok(vec![None]),
        scalar => Ok(vec![Some(scalar.clone())]),
    }
}

fn compare(expected: &Observation, found: &Observation, tolerance: f64) -> Result<(), String> {
    let mut differences = String::new();
    for (name, expected) in &expected.values {
        let Some((_, found)) = found.values.iter().find(|(other, _)| other == name) else {
            // Globals that the second program never touches need not exist in it.
            if !name.starts_with("global") {
                let _ = writeln!(differences, "{name} is missing");
            }
            continue;
        };
        if expected.len() != found.len() {
            let _ = writeln!(
                differences,
                "{name} has {} elements instead of {}",
                found.len(),
                expected.len()
            );
        }
        let wrong: Vec<String> = expected
            .iter()
            .zip(found)
            .enumerate()
            .filter(|(_, (expected, found))| !agrees(expected.as_ref(), found.as_ref(), tolerance))
            .map(|(i, (expected, found))| {
                format!("[{i}] {} instead of {}", text(found), text(expected))
            })
            .collect();
        if !wrong.is_empty() {
            let more = if wrong.len() > 8 { ", ..." } else { "" };
            let first = &wrong[..wrong.len().min(8)];
            let _ = writeln!(differences, "{name}: {}{more}", first.join(", "));
        }
    }
    if expected.output != found.output {
        let _ =
            writeln!(differences, "printed {:?} instead of {:?}", found.output, expected.output);
    }
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

fn agrees(expected: Option<&RtValue>, found: Option<&RtValue>, tolerance: f64) -> bool {
    match (expected, found) {
        (None, _) => true,
        (Some(RtValue::Float(a)), Some(RtValue::Float(b))) => {
            let (x, y) = (a.value(), b.value());
            a == b
                || (x.is_nan() && y.is_nan())
                || (tolerance > 0.0 && (x - y).abs() <= tolerance * x.abs().max(y.abs()))
        }
        (Some(a), Some(b)) => a == b,
        (Some(_), None) => false,
    }
}

fn text(scalar: &Scalar) -> String {
    match scalar {
        Some(RtValue::Int(int)) => int.signed().to_string(),
        Some(RtValue::Float(float)) => crate::printf::shortest(*float),
        Some(other) => format!("{other:?}"),
        None => "undefined".to_owned(),
    }
}
