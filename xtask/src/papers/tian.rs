//! Tian et al. 2015: the read-only data cache, §6, figures 15 to 18.

use super::{How, Measured, Paper, Program, Variant};

pub const PAPER: Paper = Paper {
    name: "tian",
    title: "Tian et al. 2015",
    opening: "\"Compiler transformation of nested loops for general purpose GPUs\", §6: arrays that a construct only reads are loaded by `ld.global.nc`. \
              The paper marks them by a clause, `const`, or finds them where pointers cannot overlap, and shows BT, LU, CG and MG faster with than without on a K20c; \
              for BT it says 85 to 96 % of CUDA's speed in place of 72 to 83 %, the rest is in plots only.",
    programs: &[
        Program { name: "cg", sizes: &[262_144], variants: VARIANTS, words: WORDS },
        Program { name: "mg", sizes: &[258], variants: VARIANTS, words: WORDS },
    ],
    closing,
};

const VARIANTS: &[Variant] =
    &[variant("pointers"), variant("independent"), variant("readonly"), variant("restrict")];

const fn variant(name: &'static str) -> Variant {
    Variant { name, how: How::Options, paper: None }
}

const WORDS: &str = "since Volta one cache serves both kinds of loads, so that none is faster by itself; what stays is that the \
                     compiler may move such loads, and needs no second version for pointers that overlap.";

/// Variants whose arrays are known to be read only.
const WITH: [&str; 2] = ["readonly", "restrict"];
/// The one of which the host tests it: a version of each kind.
const TESTED: &str = "pointers";

fn closing(measured: &[Measured]) -> Result<String, String> {
    let mut text = String::from(
        "Loads in the PTX of the kernels (the command fails where the second has `ld.global.nc`, one of the last two another, or the first not both):\n\n\
         | program | variant | `ld.global.nc` | `ld.global` |\n|---|---|---|---|\n",
    );
    for each in measured {
        for (variant, figures) in &each.rows {
            let [read_only, others] = figures.loads;
            let name = each.program.name;
            text += &format!("| {name} | {} | {read_only} | {others} |\n", variant.name);
            let known = WITH.contains(&variant.name);
            let wanted = [known || variant.name == TESTED, !known];
            let right = [read_only > 0, others > 0] == wanted;
            if !right {
                return Err(format!("{name} {}: {read_only} and {others} loads", variant.name));
            }
        }
    }
    text += "\n*Pointers*: plain ones, which the host tests for overlap; the kernel for those that do not has been told so, and the other loads as it must. \
             *Independent*: `loop independent`, by which the paper's compiler finds arrays that are only read; here it does not count for that, as an iteration may read \
             what it has written itself. *Readonly*: `copyin(readonly: ...)` of OpenACC 3, the paper's `const`. *Restrict*: all pointers are.\n";
    Ok(text)
}
