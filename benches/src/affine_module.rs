//! A large module to read, check and simplify.

use std::fmt::Write;

/// Operations of one nest: two loops, their ends, and 16 in the body.
const OPS_OF_NEST: usize = 20;
/// Nests of a function.
const NESTS: usize = 2;

/// The text of a module of at least `ops` operations in builtin, func, arith and affine: functions
/// with two loop nests each, whose bodies hold redundant, dead and foldable operations. The same
/// `ops` gives the same text.
pub fn text(ops: usize) -> String {
    let mut out = String::from("module {\n");
    let mut coefficients = Coefficients(1);
    // The module itself counts too.
    let functions = ops.saturating_sub(1).div_ceil(NESTS * OPS_OF_NEST + 2);
    for function in 0..functions {
        // Writing into a string cannot fail.
        let _ = writeln!(out, "func.func @f{function}(%A: {T}, %B: {T}, %C: {T}) {{");
        for nest in 0..NESTS {
            let (c, d) = (coefficients.next(), coefficients.next());
            let _ = push_nest(&mut out, NESTS * function + nest, c, d);
        }
        out.push_str("  return\n}\n");
    }
    out.push_str("}\n");
    out
}

const T: &str = "memref<64x64xf32>";

fn push_nest(out: &mut String, k: usize, c: u32, d: u32) -> std::fmt::Result {
    writeln!(out, "  affine.for %i{k} = 0 to 56 {{")?;
    let bound = format!("min affine_map<(d0) -> (d0 + {}, 56)>(%i{k})", 8 * c);
    writeln!(out, "    affine.for %j{k} = 0 to {bound} {{")?;
    let body = [
        format!("%a{k} = affine.load %A[%i{k} + {c}, %j{k}] : {T}"),
        format!("%b{k} = affine.load %B[%j{k}, %i{k} + {d}] : {T}"),
        format!("%same{k} = affine.load %A[%i{k} + {c}, %j{k}] : {T}"),
        format!("%c{k} = arith.constant {d}.0 : f32"),
        format!("%m{k} = arith.mulf %a{k}, %b{k} : f32"),
        format!("%again{k} = arith.mulf %same{k}, %b{k} : f32"),
        format!("%s{k} = arith.addf %m{k}, %again{k} : f32"),
        format!("%t{k} = arith.addf %s{k}, %c{k} : f32"),
        format!("%x{k} = affine.apply affine_map<(d0, d1) -> (d0 + d1 * {c})>(%i{k}, %j{k})"),
        format!("%k{k} = arith.constant {c} : index"),
        format!("%l{k} = arith.constant {d} : index"),
        format!("%q{k} = arith.addi %k{k}, %l{k} : index"),
        format!("%p{k} = arith.cmpi slt, %x{k}, %q{k} : index"),
        format!("%r{k} = arith.select %p{k}, %t{k}, %s{k} : f32"),
        format!("%dead{k} = arith.subf %a{k}, %b{k} : f32"),
        format!("affine.store %r{k}, %C[%i{k}, %j{k}] : {T}"),
    ];
    for op in body {
        writeln!(out, "      {op}")?;
    }
    writeln!(out, "    }}\n  }}")
}

/// Numbers from 1 to 7 by a linear congruence.
struct Coefficients(u32);

impl Coefficients {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1 + (self.0 >> 16) % 7
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_has_the_size_asked_for() {
        for (ops, functions) in [(0, 0), (2, 1), (43, 1), (44, 2), (200_000, 4762)] {
            let text = text(ops);
            assert_eq!(text.matches("func.func").count(), functions, "{ops}");
            assert_eq!(text.matches(" = ").count(), functions * NESTS * 17, "{ops}");
        }
    }
}
