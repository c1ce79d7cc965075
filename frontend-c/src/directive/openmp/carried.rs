//! What a thread of a `parallel` region has for itself and needs in front of and behind a barrier.
//!
//! The pieces of a region between barriers are loops over its threads ([`threads`](super::threads)). A variable that each
//! thread has for itself and uses in several of them is an element of an array of its team from one piece to the next
//! ("scalar expansion"; Stratton et al. 2008, "MCUDA", §3.3): the copy of each piece begins with the thread's element, and
//! leaves there what the next pieces need. What follows from the thread's number alone is computed again instead.

use rustc_hash::FxHashSet;

use super::accumulated::is_only_combined;
use super::lists::listed;
use super::pieces::{Piece, Pieces, declared};
use super::threads::{Count, THREADS, is_by_one, named, numbered};
use crate::directive::construct::{LANE, Reduction, ReductionOp};
use crate::directive::{self, VarRef, Written};
use crate::lower::uses::mutated_by;
use crate::lower::walk::{self, Below, Node};
use crate::parse::{Parsed, Parser};
use crate::source::Span;
use crate::tree::{
    Decl, DeclId, DeclKind, ExprId, ExprKind, Initializer, Linkage, StmtId, StmtKind, Storage,
    TranslationUnit, UnaryOp, Variable,
};
use crate::types::{ArraySize, Type};

/// How many bytes a team's arrays have at most: blocks have 48 KiB for all that they share.
const MOST_BYTES: u64 = 16 << 10;

/// Where a variable is a thread's own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// It is declared at the region's top level.
    Declared,
    /// A clause says so.
    Clause,
    /// It is combined at the end.
    Reduced(ReductionOp),
}

/// A variable that is carried from piece to piece.
#[derive(Clone, Copy, Debug)]
struct Carried {
    decl: DeclId,
    origin: Origin,
    /// The team's array.
    array: DeclId,
    /// The last piece that names it.
    last: usize,
    /// Whether it is an array itself: pieces use the thread's element, and have no copies.
    in_place: bool,
    /// The value that each piece gives it anew, rather than to keep it: what a thread finds the same everywhere.
    again: Option<ExprId>,
}

/// What a piece has of variables that are carried.
#[derive(Default)]
struct Copies {
    /// Those that it begins with, from their array or as what is combined begins.
    first: Vec<(Carried, Option<i128>)>,
    /// Those that it leaves in their array.
    last: Vec<Carried>,
    /// Those that it uses in their array.
    in_place: Vec<Carried>,
}

/// Whether all that statements do with an array is to subscript it.
fn is_only_subscripted(
    unit: &TranslationUnit,
    stmts: impl Iterator<Item = StmtId>,
    decl: DeclId,
) -> bool {
    let is_its = |expr: ExprId| matches!(unit.exprs[expr].kind, ExprKind::Name(own) if own == decl);
    let (mut all, mut subscripted) = (0, 0);
    for stmt in stmts {
        walk::stmt(unit, stmt, &mut |node| {
            if let Node::Expr(expr) = node {
                all += usize::from(is_its(expr));
                if let ExprKind::Index { base, .. } = unit.exprs[expr].kind {
                    subscripted += usize::from(is_its(unit.peel(base)));
                }
            }
            Below::Enter
        });
    }
    all == subscripted
}

/// The variables that each thread of a region has for itself by clauses. What it combines is its own where it is looked at before
/// the end; what is only added to may be combined at each barrier.
pub(super) fn own(
    unit: &TranslationUnit,
    parallel: &directive::Directive,
    body: StmtId,
) -> FxHashSet<DeclId> {
    let clauses = parallel.private.iter().chain(&parallel.firstprivate).map(|var| var.decl);
    let looked_at =
        parallel.reductions().filter(|(op, var)| !is_only_combined(unit, *op, var.decl, body));
    clauses.chain(looked_at.map(|(_, var)| var.decl)).collect()
}

/// What each thread has for itself and needs in several pieces.
pub(super) fn used_in_several(
    unit: &TranslationUnit,
    own: &FxHashSet<DeclId>,
    pieces: &Pieces,
) -> Vec<DeclId> {
    let mut known: FxHashSet<DeclId> = FxHashSet::default();
    let mut again: FxHashSet<DeclId> = FxHashSet::default();
    for Piece { stmts: piece, loops, .. } in pieces {
        let used: FxHashSet<DeclId> = piece.iter().flat_map(|&stmt| named(unit, stmt)).collect();
        again.extend(used.iter().filter(|decl| known.contains(decl)));
        if !loops.is_empty() {
            // A round finds what the one before has left.
            again.extend(used.iter().filter(|decl| own.contains(decl)));
        }
        known.extend(piece.iter().flat_map(|&stmt| declared(unit, stmt)));
        known.extend(used.into_iter().filter(|decl| own.contains(decl)));
    }
    let mut again: Vec<DeclId> = again.into_iter().collect();
    again.sort_unstable();
    again
}

/// The variables that all threads have behind a `single` as the thread that executed it (OpenMP 5.2 §5.7.2).
fn copied(directive: &directive::Directive) -> Vec<VarRef> {
    match &directive.written {
        Written::OpenMp(written) => written.listed("copyprivate"),
        _ => Vec::new(),
    }
}

/// Whether a statement takes a variable's address, or names it in a clause; other than in that of a `single` that it is.
fn is_bound(unit: &TranslationUnit, stmt: StmtId, decl: DeclId) -> bool {
    let outermost = stmt;
    let mut found = false;
    walk::stmt(unit, stmt, &mut |node| {
        match node {
            Node::Expr(expr) => {
                if let ExprKind::Unary(UnaryOp::AddressOf, of) = unit.exprs[expr].kind {
                    found |= crate::lower::uses::root(unit, of) == Some(decl);
                }
            }
            Node::Stmt(stmt) => {
                if let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind {
                    let directive = &unit.directives[directive];
                    let lists =
                        [&directive.private, &directive.firstprivate, &directive.lastprivate];
                    let copied = match stmt == outermost {
                        true => Vec::new(),
                        false => copied(directive),
                    };
                    let mut named = lists
                        .into_iter()
                        .flatten()
                        .chain(directive.linear.iter().map(|(var, _)| var))
                        .chain(directive.data.iter().map(|mapping| &mapping.var))
                        .chain(directive.reductions().map(|(_, var)| var))
                        .chain(&copied);
                    found |= named.any(|var| var.decl == decl);
                }
            }
            _ => {}
        }
        Below::Enter
    });
    found
}

/// What a variable that is combined begins with, where every type has it.
fn identity(op: ReductionOp) -> Option<i128> {
    match op {
        ReductionOp::Add | ReductionOp::Or | ReductionOp::Xor | ReductionOp::LogicalOr => Some(0),
        ReductionOp::Mul | ReductionOp::LogicalAnd => Some(1),
        ReductionOp::And => Some(-1),
        ReductionOp::Max | ReductionOp::Min => None,
    }
}

/// Routines whose value a thread finds the same wherever it asks.
const ASKED_AGAIN: [&str; 4] =
    ["omp_get_thread_num", "omp_get_num_threads", "omp_get_team_num", "omp_get_num_teams"];

/// The variables of a region's top level that a thread could declare in each piece again, with the same value: nothing changes
/// them, nor what their initialisers name. In the order of the text.
fn repeatable(
    unit: &TranslationUnit,
    parallel: &directive::Directive,
    pieces: &Pieces,
) -> Vec<(DeclId, ExprId)> {
    let all = || pieces.iter().flat_map(|piece| piece.stmts.iter().copied());
    let changed: FxHashSet<DeclId> = all().flat_map(|stmt| mutated_by(unit, stmt)).collect();
    let mut own: FxHashSet<DeclId> = all().flat_map(|stmt| declared(unit, stmt)).collect();
    own.extend(parallel.private.iter().map(|var| var.decl));
    own.extend(parallel.reductions().map(|(_, var)| var.decl));
    let by_team: FxHashSet<DeclId> = pieces
        .iter()
        .filter(|piece| !piece.by_each)
        .flat_map(|piece| piece.stmts.iter().flat_map(|&stmt| named(unit, stmt)))
        .collect();
    let is_scalar = |decl: DeclId| {
        let ty = unit.decls[decl].ty;
        unit.types.as_int(ty).is_some() || unit.types.as_float(ty).is_some()
    };
    let is_automatic = |decl: DeclId| match &unit.decls[decl].kind {
        DeclKind::Variable(variable) => variable.storage == Storage::Automatic,
        kind => matches!(kind, DeclKind::Parameter { .. }),
    };
    let mut found: Vec<(DeclId, ExprId)> = Vec::new();
    for stmt in pieces.iter().filter(|piece| piece.by_each).flat_map(|piece| &piece.stmts) {
        for decl in declared(unit, *stmt) {
            let DeclKind::Variable(Variable { init: Some(Initializer::Value(init)), .. }) =
                &unit.decls[decl].kind
            else {
                continue;
            };
            let fits = is_scalar(decl) && is_automatic(decl) && !changed.contains(&decl);
            let is_same = |name: DeclId| {
                found.iter().any(|&(known, _)| known == name)
                    || !changed.contains(&name)
                        && !own.contains(&name)
                        && is_scalar(name)
                        && is_automatic(name)
                    || matches!(unit.decls[name].kind, DeclKind::Function(_))
            };
            if fits
                && !by_team.contains(&decl)
                && is_the_same(unit, *init, &is_same)
                && !all().any(|stmt| is_bound(unit, stmt, decl))
            {
                found.push((decl, *init));
            }
        }
    }
    found
}

/// Whether an expression has the same value for a thread wherever it stands, where names have.
fn is_the_same(unit: &TranslationUnit, init: ExprId, is_same: &dyn Fn(DeclId) -> bool) -> bool {
    let mut same = true;
    walk::expr(unit, init, &mut |node| {
        let Node::Expr(expr) = node else { return Below::Enter };
        same &= match unit.exprs[expr].kind {
            ExprKind::Name(name) => is_same(name),
            ExprKind::Unary(op, _) => !matches!(op, UnaryOp::AddressOf | UnaryOp::Deref),
            ExprKind::Call { ref arguments, .. } => {
                let asked = walk::called(unit, node).map(|(decl, _)| unit.name(decl));
                arguments.is_empty() && asked.is_some_and(|name| ASKED_AGAIN.contains(&name))
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Paren(_)
            | ExprKind::Cast { .. }
            | ExprKind::Binary(..)
            | ExprKind::Conditional { .. } => true,
            _ => false,
        };
        Below::Enter
    });
    same
}

/// Of variables that are used in several pieces those that can be declared again, with what their values name.
fn again(
    unit: &TranslationUnit,
    values: &[(DeclId, ExprId)],
    decls: &[DeclId],
    facts: &mut Facts,
) -> Vec<Carried> {
    let mut wanted: FxHashSet<DeclId> = decls.iter().copied().collect();
    // What a value names stands in front of it.
    for &(decl, init) in values.iter().rev() {
        let mut names = FxHashSet::default();
        walk::expr(unit, init, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Name(name) = unit.exprs[expr].kind
            {
                names.insert(name);
            }
            Below::Enter
        });
        if wanted.contains(&decl) {
            wanted.extend(&names);
            for used in facts.used.iter_mut().filter(|used| used.contains(&decl)) {
                used.extend(&names);
            }
        }
    }
    let made = values.iter().filter(|(decl, _)| wanted.contains(decl)).map(|&(decl, init)| {
        let (origin, array, again) = (Origin::Declared, decl, Some(init));
        Carried { decl, origin, array, last: 0, in_place: false, again }
    });
    made.collect()
}

/// Takes a variable out of reductions.
fn without(reductions: &mut Vec<Reduction>, decl: DeclId) {
    for Reduction { vars, .. } in reductions.iter_mut() {
        vars.retain(|var| var.decl != decl);
    }
    reductions.retain(|reduction| !reduction.vars.is_empty());
}

/// What pieces do with variables.
struct Facts {
    /// Which each names or declares.
    used: Vec<FxHashSet<DeclId>>,
    /// Which each gives values.
    set: Vec<FxHashSet<DeclId>>,
    /// Which each declares.
    declared: Vec<FxHashSet<DeclId>>,
    /// The outermost loop round each.
    rounds: Vec<Option<StmtId>>,
}

impl Facts {
    fn of(unit: &TranslationUnit, pieces: &Pieces) -> Facts {
        let mut facts =
            Facts { used: Vec::new(), set: Vec::new(), declared: Vec::new(), rounds: Vec::new() };
        for Piece { stmts, loops, .. } in pieces {
            let is_loop = |stmt: &&StmtId| {
                let kind = &unit.stmts[**stmt].kind;
                matches!(
                    kind,
                    StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
                )
            };
            facts.rounds.push(loops.iter().find(is_loop).copied());
            let here: FxHashSet<DeclId> =
                stmts.iter().flat_map(|&stmt| declared(unit, stmt)).collect();
            let mut used: FxHashSet<DeclId> =
                stmts.iter().flat_map(|&stmt| named(unit, stmt)).collect();
            used.extend(&here);
            let mut set: FxHashSet<DeclId> =
                stmts.iter().flat_map(|&stmt| mutated_by(unit, stmt)).collect();
            set.extend(here.iter().filter(|&&decl| {
                matches!(&unit.decls[decl].kind, DeclKind::Variable(v) if v.init.is_some())
            }));
            facts.used.push(used);
            facts.set.push(set);
            facts.declared.push(here);
        }
        facts
    }

    fn is_used(&self, number: usize, decl: DeclId) -> bool {
        self.used[number].contains(&decl)
    }

    /// Whether a piece leaves what it has of a variable to others, or to its own next round.
    fn is_left(&self, carried: &Carried, number: usize) -> bool {
        let goes_on = number < carried.last || self.rounds[number].is_some();
        let changes = matches!(carried.origin, Origin::Reduced(_))
            || self.set[number].contains(&carried.decl);
        self.is_used(number, carried.decl) && goes_on && changes
    }

    /// Whether a piece finds something of a variable: of one in front of it, or of the round before.
    fn is_loaded(&self, carried: &Carried, number: usize) -> bool {
        if self.declared[number].contains(&carried.decl) {
            return false;
        }
        let outer = self.rounds[number];
        (0..self.rounds.len()).any(|other| {
            let comes = other < number || outer.is_some() && self.rounds[other] == outer;
            comes && self.is_left(carried, other)
        })
    }
}

impl Parser {
    /// How a variable is carried through pieces for so many threads, if it can be.
    fn carry(
        &mut self,
        parallel: &directive::Directive,
        pieces: &Pieces,
        decl: DeclId,
        threads: u64,
    ) -> Option<Carried> {
        let unit = &self.checker.unit;
        let here = &unit.decls[decl];
        let is_of = |vars: &[VarRef]| vars.iter().any(|var| var.decl == decl);
        let reduced = parallel.reductions().find(|(_, var)| var.decl == decl).map(|(op, _)| op);
        let origin = match reduced {
            Some(op) => Origin::Reduced(identity(op).map(|_| op)?),
            None if is_of(&parallel.private) || is_of(&parallel.firstprivate) => Origin::Clause,
            None => Origin::Declared,
        };
        if origin == Origin::Declared {
            let DeclKind::Variable(variable) = &here.kind else { return None };
            let begins = matches!(variable.init, None | Some(Initializer::Value(_)))
                || listed(unit, decl).is_some();
            if variable.storage != Storage::Automatic || !begins {
                return None;
            }
        }
        unit.types.size_of(here.ty)?;
        let in_place = unit.types.as_array(here.ty).is_some();
        if in_place {
            let begins = matches!(&here.kind, DeclKind::Variable(v) if v.init.is_some())
                && listed(unit, decl).is_none();
            let all = pieces.iter().flat_map(|piece| piece.stmts.iter().copied());
            if origin != Origin::Declared || begins || !is_only_subscripted(unit, all, decl) {
                return None;
            }
        }
        let names = |piece: &[StmtId]| piece.iter().any(|&stmt| named(unit, stmt).contains(&decl));
        if matches!(origin, Origin::Reduced(_))
            && pieces.iter().any(|piece| !piece.loops.is_empty() && names(&piece.stmts))
        {
            return None;
        }
        for Piece { by_each, stmts: piece, .. } in pieces {
            // One thread for all of them has what the first one has of what is declared here; a clause's is somebody else's.
            // What it gives to all threads, the first one would have to leave for itself while others read it.
            let by_one = || {
                piece.iter().all(|&stmt| match unit.stmts[stmt].kind {
                    StmtKind::Directive { directive, .. } => {
                        let directive = &unit.directives[directive];
                        is_by_one(Some(directive))
                            && copied(directive).iter().all(|var| var.decl != decl)
                    }
                    _ => false,
                })
            };
            if names(piece)
                && (piece.iter().any(|&stmt| is_bound(unit, stmt, decl))
                    || !by_each
                        && origin != Origin::Declared
                        && !(origin == Origin::Clause && by_one()))
            {
                return None;
            }
        }
        let last = pieces.iter().rposition(|piece| names(&piece.stmts))?;
        let name = format!("__gpuc_own_{}", unit.name(decl));
        let (element, span) = (here.ty.unqualified(), here.span);
        let name = self.checker.unit.symbols.intern(&name);
        let ty = self.checker.unit.types.array_of(element, ArraySize::Constant(threads));
        let array = self.checker.unit.decls.alloc(Decl {
            name: Some(name),
            ty,
            kind: DeclKind::Variable(Variable {
                storage: Storage::Automatic,
                linkage: Linkage::None,
                declared_only: false,
                init: None,
                constexpr: false,
            }),
            span,
            align: None,
            asm_label: None,
        });
        Some(Carried { decl, origin, array, last, in_place, again: None })
    }

    /// The loops of a region's pieces whose threads carry variables, or one of these that cannot be carried.
    pub(super) fn carried_through(
        &mut self,
        parallel: &directive::Directive,
        count: &Count,
        pieces: &Pieces,
        decls: &[DeclId],
        span: Span,
    ) -> Parsed<Result<StmtId, DeclId>> {
        let unit = &self.checker.unit;
        let values = repeatable(unit, parallel, pieces);
        let mut facts = Facts::of(unit, pieces);
        let mut all = again(unit, &values, decls, &mut facts);
        let repeats = |decl: &DeclId| all.iter().any(|carried| carried.decl == *decl);
        let decls: Vec<DeclId> = decls.iter().copied().filter(|decl| !repeats(decl)).collect();
        let threads = count.asked.map_or(Some(THREADS), |asked| unit.constant_int(asked));
        let threads = match (threads, decls.first()) {
            (Some(threads @ 1..=1024), _) => threads as u64,
            (_, Some(&first)) => return Ok(Err(first)),
            (_, None) => 1,
        };
        let bytes = decls.iter().map(|&decl| unit.types.size_of(unit.decls[decl].ty));
        let bytes = bytes.sum::<Option<u64>>().and_then(|bytes| bytes.checked_mul(threads));
        if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
            let size = |decl: &DeclId| unit.types.size_of(unit.decls[*decl].ty);
            let largest = decls.iter().copied().max_by_key(|decl| size(decl).unwrap_or(u64::MAX));
            return Ok(Err(largest.unwrap_or(decls[0])));
        }
        for decl in decls {
            match self.carry(parallel, pieces, decl, threads) {
                Some(carried) => all.push(carried),
                None => return Ok(Err(decl)),
            }
        }
        let declared: Vec<DeclId> =
            all.iter().filter(|c| c.origin == Origin::Declared).map(|c| c.decl).collect();
        let mut whole = Vec::new();
        let outside = all.iter().filter(|c| c.origin == Origin::Declared && !c.in_place);
        let outside = outside.map(|carried| carried.decl);
        let kept = all.iter().filter(|carried| carried.again.is_none());
        for decl in outside.chain(kept.map(|carried| carried.array)) {
            whole.push((Vec::new(), self.stmt(StmtKind::Declaration(vec![decl]), span)));
        }
        // What begins with a value has it wherever it is used first: a loop may have no rounds.
        let begins =
            |carried: &&Carried| parallel.firstprivate.iter().any(|var| var.decl == carried.decl);
        let begin: Vec<Carried> =
            all.iter().filter(|carried| carried.again.is_none()).filter(begins).copied().collect();
        if !begin.is_empty() {
            let like = directive::Directive { reductions: Vec::new(), ..parallel.clone() };
            let copies = Copies { last: begin.clone(), ..Copies::default() };
            let made = self.piece_of_each(&like, count, &copies, Vec::new(), span)?;
            whole.push((Vec::new(), made));
        }
        for (number, Piece { by_each, stmts, loops }) in pieces.iter().enumerate() {
            let mut like = parallel.clone();
            let mut copies = Copies::default();
            for carried in &all {
                let decl = carried.decl;
                if !facts.is_used(number, decl) {
                    if matches!(carried.origin, Origin::Reduced(_)) && number != carried.last {
                        without(&mut like.reductions, decl);
                    }
                    continue;
                }
                // What a clause has given threads, one that stands for all uses where the first one has it.
                if carried.in_place || !by_each && carried.origin == Origin::Clause {
                    copies.in_place.push(*carried);
                    continue;
                }
                let is_stored = begin.iter().any(|other| other.decl == decl)
                    || facts.is_loaded(carried, number);
                match carried.origin {
                    Origin::Reduced(op) => {
                        if number != carried.last {
                            without(&mut like.reductions, decl);
                            let var = self.variable(decl);
                            like.private.push(var);
                        }
                        if !is_stored {
                            copies.first.push((*carried, identity(op)));
                        }
                    }
                    Origin::Declared if *by_each => {
                        let var = self.variable(decl);
                        like.private.push(var);
                    }
                    Origin::Declared | Origin::Clause => {}
                }
                if carried.again.is_some() {
                    if !facts.declared[number].contains(&decl) {
                        copies.first.push((*carried, None));
                    }
                    continue;
                }
                if is_stored {
                    copies.first.push((*carried, None));
                }
                if facts.is_left(carried, number) {
                    copies.last.push(*carried);
                }
            }
            let piece = self.without_declarations(stmts, &declared, span);
            if *by_each {
                let made = self.piece_of_each(&like, count, &copies, piece, span)?;
                whole.push((loops.clone(), made));
            } else {
                let around = self.in_copies(&copies, piece, None, span);
                whole.extend(around.into_iter().map(|stmt| (loops.clone(), stmt)));
                let unit = &self.checker.unit;
                let given: Vec<DeclId> = stmts
                    .iter()
                    .filter_map(|&stmt| match unit.stmts[stmt].kind {
                        StmtKind::Directive { directive, .. } => Some(&unit.directives[directive]),
                        _ => None,
                    })
                    .flat_map(copied)
                    .map(|var| var.decl)
                    .collect();
                let given = all.iter().filter(|carried| given.contains(&carried.decl)).copied();
                let copies = Copies { last: given.collect(), ..Copies::default() };
                if !copies.last.is_empty() {
                    // What the team has of them is the threads' own from here on.
                    let like = directive::Directive { reductions: Vec::new(), ..parallel.clone() };
                    let made = self.piece_of_each(&like, count, &copies, Vec::new(), span)?;
                    whole.push((loops.clone(), made));
                }
            }
        }
        Ok(Ok(self.in_loops(&whole, 0, span)))
    }

    /// A loop over the threads, each of which executes a piece.
    fn piece_of_each(
        &mut self,
        like: &directive::Directive,
        count: &Count,
        copies: &Copies,
        piece: Vec<StmtId>,
        span: Span,
    ) -> Parsed<StmtId> {
        let inside = self.stmt(StmtKind::Compound(Vec::new()), span);
        let made = self.over_numbers(like, LANE, count, inside)?;
        let unit = &self.checker.unit;
        let thread = match unit.stmts[made].kind {
            StmtKind::Directive { body: Some(over), .. } => numbered(unit, over, LANE),
            _ => None,
        };
        let thread = thread.and_then(|nest| nest.explicit).map(|explicit| explicit.variable);
        let around = self.in_copies(copies, piece, thread, span);
        self.checker.unit.stmts[inside].kind = StmtKind::Compound(around);
        Ok(made)
    }

    /// Statements, each with the loops around it, in these loops.
    pub(super) fn in_loops(
        &mut self,
        list: &[(Vec<StmtId>, StmtId)],
        depth: usize,
        span: Span,
    ) -> StmtId {
        let mut made = Vec::new();
        for group in list.chunk_by(|(a, _), (b, _)| a.get(depth) == b.get(depth)) {
            let Some(&outer) = group[0].0.get(depth) else {
                made.extend(group.iter().map(|&(_, stmt)| stmt));
                continue;
            };
            let inside = self.in_loops(group, depth + 1, span);
            if let StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::If { then: body, .. } = &mut self.checker.unit.stmts[outer].kind
            {
                *body = inside;
            }
            made.push(outer);
        }
        self.stmt(StmtKind::Compound(made), span)
    }

    /// Statements between loads of what variables begin with and stores of what they end with, of a thread's elements; the
    /// first thread's where it stands for all.
    fn in_copies(
        &mut self,
        copies: &Copies,
        piece: Vec<StmtId>,
        thread: Option<DeclId>,
        span: Span,
    ) -> Vec<StmtId> {
        for &carried in &copies.in_place {
            let unit = &self.checker.unit;
            let mut named = Vec::new();
            for &stmt in &piece {
                walk::stmt(unit, stmt, &mut |node| {
                    if let Node::Expr(expr) = node
                        && matches!(unit.exprs[expr].kind, ExprKind::Name(decl) if decl == carried.decl)
                    {
                        named.push(expr);
                    }
                    Below::Enter
                });
            }
            for expr in named {
                let element = self.element(carried, thread, span);
                self.checker.unit.exprs[expr].kind = self.checker.unit.exprs[element].kind.clone();
            }
        }
        let mut list = Vec::new();
        for &(carried, begins) in &copies.first {
            let value = match (carried.again, begins) {
                (Some(value), _) => value,
                (None, Some(value)) => {
                    let value = self.checker.int(value, Type::INT, span);
                    let ty = self.checker.unit.decls[carried.decl].ty.unqualified();
                    self.checker.convert(value, ty)
                }
                (None, None) => {
                    let element = self.element(carried, thread, span);
                    self.checker.rvalue(element)
                }
            };
            let target = self.checker.variable(carried.decl, span);
            list.push(self.assigned(target, value, span));
        }
        list.extend(piece);
        for &carried in &copies.last {
            let target = self.element(carried, thread, span);
            let value = self.checker.variable(carried.decl, span);
            let value = self.checker.rvalue(value);
            list.push(self.assigned(target, value, span));
        }
        list
    }

    /// A thread's element of a variable's array.
    fn element(&mut self, carried: Carried, thread: Option<DeclId>, span: Span) -> ExprId {
        let thread = match thread {
            Some(thread) => {
                let thread = self.checker.variable(thread, span);
                self.checker.rvalue(thread)
            }
            None => self.checker.int(0, Type::INT, span),
        };
        let array = self.checker.variable(carried.array, span);
        self.checker.index(array, thread, span)
    }

    pub(super) fn assigned(&mut self, target: ExprId, value: ExprId, span: Span) -> StmtId {
        let ty = self.checker.ty(target).unqualified();
        let expr = self.checker.value(ExprKind::Assign { target, value }, ty, span);
        self.stmt(StmtKind::Expr(expr), span)
    }

    /// Statements that set variables in the place of those that declare them.
    fn without_declarations(
        &mut self,
        piece: &[StmtId],
        carried: &[DeclId],
        span: Span,
    ) -> Vec<StmtId> {
        let mut list = Vec::new();
        for &stmt in piece {
            let decls = declared(&self.checker.unit, stmt);
            if !decls.iter().any(|decl| carried.contains(decl)) {
                list.push(stmt);
                continue;
            }
            for decl in decls {
                if !carried.contains(&decl) {
                    list.push(self.stmt(StmtKind::Declaration(vec![decl]), span));
                    continue;
                }
                let DeclKind::Variable(variable) = &self.checker.unit.decls[decl].kind else {
                    continue;
                };
                let init = variable.init.clone();
                if let Some(Initializer::List(_)) = init {
                    let elements = listed(&self.checker.unit, decl).unwrap_or_default();
                    for (place, value) in elements {
                        list.push(self.element_assigned(decl, &place, value, span));
                    }
                } else if let Some(Initializer::Value(value)) = init {
                    let target = self.checker.variable(decl, span);
                    list.push(self.assigned(target, value, span));
                }
                if let DeclKind::Variable(variable) = &mut self.checker.unit.decls[decl].kind {
                    variable.init = None;
                }
            }
        }
        list
    }
}
