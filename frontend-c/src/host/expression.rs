//! What the host computes, as C expressions.
//!
//! Each is in parentheses where it is more than a name, a number or a call. Nothing in them is undefined in
//! C: integers wrap around as they do on the device, and what divides goes through functions of the prologue that have an
//! answer for every divisor.

use gpuc_dialects::arith::{self, CeilDivSIOp, CmpFPredicate, CmpIPredicate, MaxSIOp};
use gpuc_dialects::memref::element_bytes;
use gpuc_ir::{AttrKind, DYNAMIC, Ir, Op, OpView, Type, Value};

/// A type in C; `None` for those that the host does not know.
pub(super) fn c_type(ir: &Ir, ty: Type) -> Option<&'static str> {
    if ir.ctx.is_memref(ty) {
        return Some("void *");
    }
    if ir.ctx.is_index(ty) {
        return Some("long");
    }
    if let Some(kind) = ir.ctx.float_kind(ty) {
        return match kind.width() {
            32 => Some("float"),
            64 => Some("double"),
            _ => None,
        };
    }
    Some(match ir.ctx.int_width(ty)? {
        1 => "_Bool",
        8 => "signed char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => return None,
    })
}

fn unsigned(ty: &str) -> &'static str {
    match ty {
        "long" => "unsigned long",
        "int" => "unsigned",
        "short" => "unsigned short",
        "signed char" => "unsigned char",
        _ => "_Bool",
    }
}

/// A constant; `None` for one that C cannot write.
pub(super) fn constant(ir: &Ir, op: Op) -> Option<String> {
    let ty = c_type(ir, ir.ty(ir.result(op, 0)))?;
    let negative = |text: String| if text.starts_with('-') { format!("({text})") } else { text };
    match *ir.ctx.attr_kind(ir.attr(op, "value")?) {
        AttrKind::Integer { value, .. } if value == i64::MIN.into() => {
            Some("(-0x7fffffffffffffffl - 1)".to_owned())
        }
        AttrKind::Integer { value, .. } => Some(match ty {
            "_Bool" => i32::from(value != 0).to_string(),
            "long" => negative(format!("{value}l")),
            // The least `int` is no `int` in C, but becomes one.
            _ => negative(format!("{value}")),
        }),
        AttrKind::Float { bits, .. } => {
            let value = f64::from_bits(bits);
            let suffix = if ty == "float" { "f" } else { "" };
            Some(match (value.is_nan(), value.is_infinite()) {
                (true, _) => format!("__builtin_nan{suffix}(\"\")"),
                (_, true) if value > 0.0 => format!("__builtin_inf{suffix}()"),
                (_, true) => format!("(-__builtin_inf{suffix}())"),
                _ => negative(format!("{value:e}{suffix}")),
            })
        }
        _ => None,
    }
}

/// What an operation computes from operands that are `name`d; `None` for one that the host does not know.
pub(super) fn expression(ir: &Ir, op: Op, name: &dyn Fn(Value) -> String) -> Option<String> {
    match ir.name(op) {
        "memref.cast"
        | "memref.memory_space_cast"
        | "memref.collapse_shape"
        | "memref.expand_shape" => Some(name(ir.operand(op, 0))),
        "memref.view" => {
            Some(format!("((char *){} + {})", name(ir.operand(op, 0)), name(ir.operand(op, 1))))
        }
        "memref.reinterpret_cast" => reinterpretation(ir, op, name),
        "math.absf" => {
            let suffix = if c_type(ir, ir.ty(ir.result(op, 0)))? == "float" { "f" } else { "" };
            Some(format!("__builtin_fabs{suffix}({})", name(ir.operand(op, 0))))
        }
        text => arithmetic(ir, op, text.strip_prefix("arith.")?, name),
    }
}

fn reinterpretation(ir: &Ir, op: Op, name: &dyn Fn(Value) -> String) -> Option<String> {
    let source = name(ir.operand(op, 0));
    let offsets = ir.ctx.dense_array(ir.attr(op, "static_offsets")?)?;
    let offset = match offsets.first() {
        None | Some(0) => return Some(source),
        Some(&DYNAMIC) => name(ir.operand(op, 1)),
        Some(offset) => offset.to_string(),
    };
    let bytes = element_bytes(&ir.ctx, ir.ty(ir.operand(op, 0)))?;
    Some(format!("((char *){source} + {offset} * {bytes}l)"))
}

fn arithmetic(ir: &Ir, op: Op, operation: &str, name: &dyn Fn(Value) -> String) -> Option<String> {
    let operand = |i: usize| name(ir.operand(op, i));
    let ty = |i: usize| c_type(ir, ir.ty(ir.operand(op, i)));
    let result = c_type(ir, ir.ty(ir.result(op, 0)))?;
    let u = unsigned(result);
    let (a, b) = (|| operand(0), || operand(1));
    // Wraps around, which C promises for unsigned types only.
    let wrapping = |sign: &str| Some(format!("(({result})(({u}){} {sign} ({u}){}))", a(), b()));
    let plain = |sign: &str| Some(format!("(({result})({} {sign} {}))", a(), b()));
    let call = |function: &str| {
        let call = format!("__gpuc_{function}({}, {})", a(), b());
        // What the functions return is a `long`.
        Some(if result == "long" { call } else { format!("(({result}){call})") })
    };
    let unsigned_call =
        |function: &str| Some(format!("(({result})__gpuc_{function}(({u}){}, ({u}){}))", a(), b()));
    let pick = |sign: &str| {
        let (a, b) = (a(), b());
        Some(format!("({b} != {b} || {a} {sign} {b} ? {a} : {b})"))
    };
    let divisor = || arith::constant_int_value(ir, ir.operand(op, 1));
    let is_safe = || divisor().is_some_and(|divisor| divisor != 0 && divisor != -1);
    match operation {
        "addi" => wrapping("+"),
        "subi" => wrapping("-"),
        "muli" => wrapping("*"),
        "shli" => wrapping("<<"),
        "shrui" => wrapping(">>"),
        "divui" if is_safe() => wrapping("/"),
        "remui" if is_safe() => wrapping("%"),
        "divsi" if is_safe() => plain("/"),
        "remsi" if is_safe() => plain("%"),
        "divsi" => call("div"),
        "remsi" => call("rem"),
        "ceildivsi" => call("ceildiv"),
        "floordivsi" => call("floordiv"),
        "divui" => unsigned_call("divu"),
        "remui" => unsigned_call("remu"),
        "ceildivui" => unsigned_call("ceildivu"),
        "minsi" => call("min"),
        "maxsi" => call("max"),
        "minui" => unsigned_call("minu"),
        "maxui" => unsigned_call("maxu"),
        "divf" => plain("/"),
        "andi" => plain("&"),
        "ori" => plain("|"),
        "xori" => plain("^"),
        "shrsi" => plain(">>"),
        "addf" => plain("+"),
        "subf" => plain("-"),
        "mulf" => plain("*"),
        "negf" => Some(format!("(-{})", a())),
        "minnumf" => pick("<"),
        "maxnumf" => pick(">"),
        "select" => Some(format!("({} ? {} : {})", a(), b(), operand(2))),
        "index_cast" | "extsi" | "trunci" | "sitofp" | "fptosi" | "extf" | "truncf" => {
            let from = ty(0)?;
            // The one bit of an `i1` is its sign.
            let sign = if from == "_Bool" && operation != "trunci" { "-" } else { "" };
            let low = if result == "_Bool" { " & 1" } else { "" };
            match (sign, low) {
                ("", "") if from == result => Some(a()),
                ("", "") => Some(format!("(({result}){})", a())),
                _ => Some(format!("(({result})({sign}{}{low}))", a())),
            }
        }
        "index_castui" | "extui" | "uitofp" => {
            Some(format!("(({result})({}){})", unsigned(ty(0)?), a()))
        }
        "cmpi" => {
            let (sign, is_unsigned) = integer_comparison(CmpIPredicate::of(ir, op)?);
            let cast = if is_unsigned { format!("({})", unsigned(ty(0)?)) } else { String::new() };
            Some(format!("({cast}{} {sign} {cast}{})", a(), b()))
        }
        "cmpf" => Some(float_comparison(CmpFPredicate::of(ir, op)?, &a(), &b())),
        _ => None,
    }
}

/// The count that an operation divides into parts of a constant size, where it takes none for less, and that size: how
/// the number of blocks is computed.
pub(super) fn count_in_parts(ir: &Ir, op: Op) -> Option<(Value, i128)> {
    let division = CeilDivSIOp::cast(ir, op)?;
    let part = arith::constant_int_value(ir, division.rhs(ir)).filter(|&part| part > 0)?;
    let count = MaxSIOp::cast(ir, ir.defining_op(division.lhs(ir))?)?;
    (arith::constant_int_value(ir, count.rhs(ir)) == Some(0)).then(|| (count.lhs(ir), part))
}

/// The operator of a comparison, and whether it compares as unsigned.
fn integer_comparison(predicate: CmpIPredicate) -> (&'static str, bool) {
    use CmpIPredicate::*;
    match predicate {
        Eq => ("==", false),
        Ne => ("!=", false),
        Slt => ("<", false),
        Sle => ("<=", false),
        Sgt => (">", false),
        Sge => (">=", false),
        Ult => ("<", true),
        Ule => ("<=", true),
        Ugt => (">", true),
        Uge => (">=", true),
    }
}

/// C's operators say no where a side is not a number, but for `!=`.
fn float_comparison(predicate: CmpFPredicate, a: &str, b: &str) -> String {
    use CmpFPredicate::*;
    let is = |sign: &str| format!("({a} {sign} {b})");
    let is_not = |sign: &str| format!("(!({a} {sign} {b}))");
    match predicate {
        False => "0".to_owned(),
        True => "1".to_owned(),
        Oeq => is("=="),
        Ogt => is(">"),
        Oge => is(">="),
        Olt => is("<"),
        Ole => is("<="),
        Une => is("!="),
        Ueq => format!("(!({a} < {b} || {a} > {b}))"),
        One => format!("({a} < {b} || {a} > {b})"),
        Ugt => is_not("<="),
        Uge => is_not("<"),
        Ult => is_not(">="),
        Ule => is_not(">"),
        Ord => format!("({a} == {a} && {b} == {b})"),
        Uno => format!("({a} != {a} || {b} != {b})"),
    }
}
