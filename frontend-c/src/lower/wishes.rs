//! What directives in a compute construct ask of its plan.

use gpuc_dialects::llvm::Rounds;
use rustc_hash::FxHashMap;

use super::walk::{self, Below, Node};
use crate::directive::construct::{LoopName, Step, Wish};
use crate::directive::loops::{named, trips};
use crate::pragma;
use crate::source::Span;
use crate::tree::{StmtId, StmtKind, TranslationUnit};

/// The steps that directives in a construct's statement ask for, and in functions that it calls, in the order of the text. Their loops have the names
/// that plans give them: the variable; where several count by one of that name, with the line.
pub(super) fn of(unit: &TranslationUnit, body: StmtId) -> Vec<Wish> {
    let mut wishes: Vec<Wish> = Vec::new();
    // For each loop the one that follows it.
    let mut following: FxHashMap<LoopName, LoopName> = FxHashMap::default();
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    walk::through_calls(unit, [body], &mut |node| {
        if let Node::Stmt(stmt) = node {
            match &unit.stmts[stmt].kind {
                StmtKind::Directive { directive, .. } => {
                    wishes.extend(unit.directives[*directive].steps.iter().cloned());
                }
                StmtKind::Compound(list) => {
                    for pair in list.windows(2) {
                        if let [Some(first), Some(second)] =
                            [pair[0], pair[1]].map(|s| own(unit, s))
                        {
                            following.insert(first, second);
                        }
                    }
                }
                StmtKind::For { .. } => {
                    if let Some(name) = unit.counted_by(stmt) {
                        wishes.extend(unrolled(unit, stmt, unit.name(name)));
                        *counts.entry(unit.name(name).to_owned()).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        Below::Enter
    });
    wishes.sort_by_key(|wish| wish.span.start);
    for wish in &mut wishes {
        if let Step::Fuse(own, next) = &mut wish.step {
            *next = following.get(own).cloned();
        }
    }
    let several = |name: &str| counts.get(name).is_some_and(|&count| count > 1);
    let name = |own: &mut LoopName| {
        if several(&own.variable) {
            own.variable = format!("{}@{}", own.variable, own.line);
        }
    };
    for wish in &mut wishes {
        match &mut wish.step {
            Step::Unroll(own, ..)
            | Step::UnrollJam(own, _)
            | Step::Share { nest: own, .. }
            | Step::Distribute(own) => name(own),
            Step::Strip(loops) => loops.iter_mut().for_each(|(own, _)| name(own)),
            Step::Fuse(own, next) => {
                name(own);
                next.iter_mut().for_each(name);
            }
            Step::Permute(loops, order) => {
                let before: Vec<String> = loops.iter().map(|own| own.variable.clone()).collect();
                loops.iter_mut().for_each(name);
                for own in order {
                    if let Some(at) = before.iter().position(|name| name == own) {
                        own.clone_from(&loops[at].variable);
                    }
                }
            }
            Step::Block { nest, .. } | Step::DefaultBlock { nest, .. } => {
                nest.iter_mut().for_each(name)
            }
            Step::Grid { nest, grid } => nest.iter_mut().chain(grid).for_each(name),
            Step::Unknown(_) | Step::Refused(..) => {}
        }
    }
    wishes
}

/// What `#pragma unroll` or `#pragma GCC unroll` in front of a loop asks for. Without a factor it is all rounds, where their
/// number is known, and the compiler's choice where it is not.
fn unrolled(unit: &TranslationUnit, stmt: StmtId, variable: &str) -> Option<Wish> {
    let start = unit.stmts[stmt].span.start;
    let behind = unit.pragmas.partition_point(|pragma| pragma.line.end <= start);
    let mut above = unit.pragmas[..behind].iter().rev();
    let mut from = start;
    loop {
        let pragma = above.next()?;
        let between = unit.source.slice(Span::new(pragma.line.end, from));
        if !between.trim_ascii().is_empty() {
            return None;
        }
        if pragma.family != pragma::Family::Other {
            // A directive between the two is about the loop as well.
            from = pragma.line.start;
            continue;
        }
        let text = String::from_utf8_lossy(unit.source.slice(pragma.line)).into_owned();
        let words = text.trim_start_matches(['#', ' ', '\t']).trim_start_matches("pragma").trim();
        let rest = words.strip_prefix("GCC").map_or(words, str::trim_start);
        let Some(factor) = rest.strip_prefix("unroll") else {
            from = pragma.line.start;
            continue;
        };
        let factor = factor.trim().trim_start_matches('(').trim_end_matches(')').trim();
        let is_gcc = rest.len() != words.len();
        let step = match factor.parse::<u32>() {
            _ if factor.is_empty() => {
                let all =
                    u32::try_from(trips(unit, stmt)?).ok().filter(|&n| (2..=1024).contains(&n));
                Step::Unroll(named(unit, stmt, variable), all?, Rounds::default())
            }
            // To GCC that is a loop which stays as it is.
            Ok(0) if is_gcc => return None,
            Ok(0) => Step::Refused("unroll", "a factor of 0 leaves no loop"),
            Ok(1) => return None,
            Ok(factor @ 2..=1024) => {
                Step::Unroll(named(unit, stmt, variable), factor, Rounds::default())
            }
            Ok(_) => Step::Refused("unroll", "a factor is 1024 at most"),
            Err(_) => Step::Refused("unroll", "the factor is no number that stands there"),
        };
        return Some(Wish { step, span: pragma.line });
    }
}

/// The loop that a statement is, behind its directives.
fn own(unit: &TranslationUnit, stmt: StmtId) -> Option<LoopName> {
    match unit.stmts[stmt].kind {
        StmtKind::Directive { body: Some(body), .. } => own(unit, body),
        _ => Some(named(unit, stmt, unit.name(unit.counted_by(stmt)?))),
    }
}
