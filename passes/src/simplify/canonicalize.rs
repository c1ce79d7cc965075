//! `canonicalize`: folding, canonical patterns of every dialect, dead code.
//!
//! Needs nothing; leaves each operation in its canonical form, or, where the limit of rewrites is
//! reached, nearer to it. Name and options are those of MLIR's pass; patterns have names of ours.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{OptionValue, Pass, PassContext};
use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily};
use gpuc_ir::{Ir, Op};

use super::regions::simplify_regions;

gpuc_ir::pass! {
    /// Fold and canonicalize operations of every dialect, erase what is dead.
    Canonicalize = "canonicalize" titled "Canonicalizer" {
        /// Whether operations are looked at before what they hold, or behind it.
        top_down: bool = true,
        /// Rounds of rewriting and region simplification, at most; -1 for any number.
        max_iterations: i64 = 10,
        /// Rewrites in a round, at most; -1 for any number.
        max_num_rewrites: i64 = -1,
        /// What becomes of blocks: `normal` erases unreachable ones and unused arguments and joins what follows each
        /// other, `aggressive` also makes one of those that do the same, `disabled` leaves them.
        region_simplify: RegionSimplification = RegionSimplification::Normal,
        /// Whether it is an error if the limits are reached.
        test_convergence: bool = false,
        /// Names of patterns that are left out.
        disable_patterns: Vec<String> = Vec::new(),
        /// Names of the patterns that are used; all if there are none.
        enable_patterns: Vec<String> = Vec::new(),
    }
}

/// How far regions of several blocks are simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionSimplification {
    /// Not at all.
    Disabled,
    /// Unreachable blocks, unused arguments, chains of blocks.
    Normal,
    /// The same, and blocks that do the same.
    Aggressive,
}

impl OptionValue for RegionSimplification {
    fn parse_option(text: &str) -> Result<Self, &'static str> {
        match text {
            "disabled" | "false" => Ok(RegionSimplification::Disabled),
            "normal" | "true" => Ok(RegionSimplification::Normal),
            "aggressive" => Ok(RegionSimplification::Aggressive),
            _ => Err("disabled, normal or aggressive"),
        }
    }

    const KIND: &'static str = "disabled|normal|aggressive";

    fn show_option(&self) -> String {
        match self {
            RegionSimplification::Disabled => "disabled".to_owned(),
            RegionSimplification::Normal => "normal".to_owned(),
            RegionSimplification::Aggressive => "aggressive".to_owned(),
        }
    }
}

impl Pass for Canonicalize {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut patterns = PatternSet::canonicalization(ir);
        let (enabled, disabled) = (&self.enable_patterns, &self.disable_patterns);
        if !enabled.is_empty() || !disabled.is_empty() {
            let among = |names: &[String], name: &str| names.iter().any(|each| each == name);
            patterns.retain(|name| {
                (enabled.is_empty() || among(enabled, name)) && !among(disabled, name)
            });
        }
        let config = GreedyConfig {
            top_down: self.top_down,
            most_rewrites: usize::try_from(self.max_num_rewrites).unwrap_or(usize::MAX),
            ..GreedyConfig::default()
        };
        let simplify = self.region_simplify != RegionSimplification::Disabled;
        let merge = self.region_simplify == RegionSimplification::Aggressive;
        let mut rounds = u64::try_from(self.max_iterations).unwrap_or(u64::MAX);
        let mut converged = false;
        while !converged && rounds > 0 {
            rounds -= 1;
            let rewritten = apply_greedily(ir, op, &patterns, config);
            let simplified = simplify && simplify_regions(ir, op, merge);
            if rewritten.is_err() {
                break;
            }
            converged = !simplified;
        }
        // A result that is not final is still right; upstream goes on silently too.
        match converged || !self.test_convergence {
            true => Ok(()),
            false => {
                Err(Diagnostic::error("the limits were reached before nothing changed any more"))
            }
        }
    }

    // What edits nothing does so in any order and number of rounds.
    fn settles(&self) -> bool {
        self.enable_patterns.is_empty()
            && self.disable_patterns.is_empty()
            && self.region_simplify == RegionSimplification::Normal
            && self.max_num_rewrites < 0
            && self.max_iterations != 0
    }
}
