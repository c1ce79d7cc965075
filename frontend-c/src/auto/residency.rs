//! Where the host asks for data that nests have left on the device.
//!
//! A walk over each function that knows of nests, in the order of execution, puts a call in front of every
//! statement that may look at memory while something may be there; in loops and branches round nests, in
//! front of the inner statements and into the conditions. Data on the device stay through statements that
//! only read them. Where a variable's life ends, so does its copy; where a function returns to callers that know
//! nothing of nests, everything comes back. In the manner of delayed consistency by calls that the compiler
//! places (Jablin et al., "Automatic CPU-GPU communication management and optimization", PLDI 2011), with the
//! question which data are newer where left to the run time.

use rustc_hash::FxHashSet;

use super::calls::{Knowing, call_of, is_nest, knowing};
use super::candidates::{functions, has_memory};
use super::effects::{Effect, Effects, Touch, addressed};
use super::sections::{Part, PartTouch, parts};
use crate::lower::storage::is_hidden;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    DeclId, DeclKind, ExprId, ExprKind, ItemKind, StmtId, StmtKind, TranslationUnit,
};

/// Which of several insertions at one place comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It ends something.
    End = 0,
    /// It follows a declaration.
    Behind = 1,
    /// It begins something.
    Begin = 2,
    /// It stands in the host's version of a nest.
    Inside = 4,
}

/// Text of ours in the program.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// Where.
    pub at: u32,
    /// How much of the program it replaces.
    pub length: usize,
    /// Where among others.
    pub kind: Kind,
    /// What.
    pub text: String,
}

/// What the host program needs beside the nests, whose directives are in place.
pub fn insertions(unit: &TranslationUnit) -> Vec<Insertion> {
    let eligible: FxHashSet<DeclId> = functions(unit)
        .into_iter()
        .filter(|(_, body)| body.is_ok())
        .map(|(decl, _)| decl)
        .collect();
    let knowing = knowing(unit, &eligible);
    let mut effects = Effects::new(unit);
    effects.aware.clone_from(&knowing.all);
    let mut placement = Placement {
        unit,
        effects,
        addressed: addressed(unit),
        knowing: &knowing,
        function: None,
        lives: 0,
        found: Vec::new(),
    };
    for item in &unit.items {
        if let ItemKind::Function(decl) = item.kind
            && knowing.all.contains(&decl)
        {
            placement.function(decl);
            placement.registers(item.span.start, item.span.end);
        }
    }
    placement.found
}

struct Placement<'a> {
    unit: &'a TranslationUnit,
    effects: Effects<'a>,
    addressed: FxHashSet<DeclId>,
    knowing: &'a Knowing,
    function: Option<DeclId>,
    lives: usize,
    found: Vec<Insertion>,
}

impl Placement<'_> {
    fn insert(&mut self, at: u32, kind: Kind, text: impl Into<String>) {
        self.found.push(Insertion { at, length: 0, kind, text: text.into() });
    }

    fn function(&mut self, decl: DeclId) {
        let unit = self.unit;
        let Some(function) = unit.function(decl) else { return };
        let Some(body) = function.body else { return };
        self.function = Some(decl);
        let start = unit.stmts[body].span.start + 1;
        let is_boundary = self.knowing.boundaries.contains(&decl);
        if is_boundary {
            let text = self.life("(const void *)0", "0ul");
            self.insert(start, Kind::Behind, text);
        }
        for &parameter in &function.parameters {
            let is_record = unit.types.as_record(unit.decls[parameter].ty).is_some();
            if (is_record || self.addressed.contains(&parameter))
                && unit.decls[parameter].name.is_some()
            {
                let text = self.life_of(parameter);
                self.insert(start, Kind::Behind, text);
            }
        }
        self.place(body, true, !is_boundary);
        // Also of blocks that nests do not stand in: functions that they call may leave something.
        let mut declared = Vec::new();
        walk::stmt(unit, body, &mut |node| {
            match node {
                Node::Stmt(stmt) if is_nest(unit, stmt) => return Below::Skip,
                Node::Stmt(stmt) => {
                    if let StmtKind::Declaration(decls) = &unit.stmts[stmt].kind {
                        declared
                            .extend(decls.iter().map(|&decl| (decl, unit.stmts[stmt].span.end)));
                    }
                }
                _ => {}
            }
            Below::Enter
        });
        for (decl, end) in declared {
            let is_kept = has_memory(unit, decl) || self.addressed.contains(&decl);
            let is_automatic = matches!(&unit.decls[decl].kind, DeclKind::Variable(v)
                if v.storage == crate::tree::Storage::Automatic);
            if is_kept && is_automatic {
                let text = self.life_of(decl);
                self.insert(end, Kind::Behind, text);
            }
        }
    }

    /// A variable at the end of whose life something comes back or is forgotten.
    fn life(&mut self, first: &str, bytes: &str) -> String {
        let number = self.lives;
        self.lives += 1;
        format!(
            "struct __gpuc_life __gpuc_l{number} __attribute__((__cleanup__(__gpuc_life_ends), __unused__)) = {{ {first}, {bytes} }}; "
        )
    }

    fn life_of(&mut self, decl: DeclId) -> String {
        let name = self.unit.name(decl).to_owned();
        self.life(&format!("(const void *)&({name})"), &format!("sizeof({name})"))
    }

    /// The keyword `register` goes: what nests use has an address.
    fn registers(&mut self, start: u32, end: u32) {
        let text = self.unit.source.text();
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut at = start as usize;
        while at < end as usize {
            match text[at] {
                quote @ (b'"' | b'\'') => {
                    at += 1;
                    while at < end as usize && text[at] != quote {
                        at += 1 + usize::from(text[at] == b'\\');
                    }
                    at += 1;
                }
                byte if is_word(byte) => {
                    let length = text[at..end as usize].iter().take_while(|&&b| is_word(b)).count();
                    if matches!(&text[at..at + length], b"register" | b"__register__") {
                        self.found.push(Insertion {
                            at: at as u32,
                            length,
                            kind: Kind::Begin,
                            text: " ".repeat(length),
                        });
                    }
                    at += length;
                }
                _ => at += 1,
            }
        }
    }

    /// Whether something may be left on the device within a statement.
    fn leaves(&self, stmt: StmtId) -> bool {
        let unit = self.unit;
        let mut found = false;
        walk::stmt(unit, stmt, &mut |node| {
            match node {
                Node::Stmt(inner) => found |= is_nest(unit, inner),
                Node::Expr(expr) => {
                    if let ExprKind::Call { callee, .. } = unit.exprs[expr].kind
                        && let Some((decl, _)) = walk::callee(unit, callee)
                    {
                        found |= self.knowing.is_internal(decl);
                    }
                }
                _ => {}
            }
            if found { Below::Skip } else { Below::Enter }
        });
        found
    }

    /// Whether a statement, or a function that it calls, calls one that knows of nests.
    fn calls_knowing(&mut self, stmt: StmtId) -> bool {
        let unit = self.unit;
        let (mut pending, mut seen) = (vec![stmt], FxHashSet::default());
        while let Some(stmt) = pending.pop() {
            let mut found = false;
            walk::stmt(unit, stmt, &mut |node| {
                if let Node::Expr(expr) = node
                    && let ExprKind::Call { callee, .. } = unit.exprs[expr].kind
                    && let Some((decl, body)) = walk::callee(unit, callee)
                {
                    found |= self.knowing.all.contains(&decl);
                    if seen.insert(decl) {
                        pending.extend(body);
                    }
                }
                Below::Enter
            });
            if found {
                return true;
            }
        }
        false
    }

    /// What asks for the memory of an effect, as C expressions; `node` is what has the effect, where that is all it does.
    fn requests(&mut self, effect: &Effect, at: u32, node: Option<Node>) -> Vec<String> {
        let unit = self.unit;
        let mut all = effect.all;
        let mut named = Vec::new();
        for (&decl, &touch) in &effect.named {
            let hidden = self.function.is_some_and(|function| is_hidden(unit, decl, function));
            let later = unit.decls[decl].span.start > at;
            match hidden || later {
                true => all = all.max(touch),
                false => named.push((decl, touch)),
            }
        }
        let writes = |touch: Touch| u8::from(touch == Touch::Write);
        let mut requests = Vec::new();
        if all != Touch::None {
            requests.push(format!("__gpuc_host((const void *)0, 0ul, {})", writes(all)));
        }
        for (decl, touch) in named {
            if touch <= all {
                continue;
            }
            let plain = node.filter(|&node| !self.effects.is_touched_by_calls(node, decl));
            let found = plain.and_then(|node| parts(unit, &self.addressed, node, decl));
            if let Some(parts) = found {
                let ask = |Part { first, bytes, touch }: Part| {
                    format!("__gpuc_host({first}, {bytes}, {})", touch as u8)
                };
                requests.extend(parts.into_iter().map(ask));
            } else {
                let name = unit.name(decl);
                requests.push(format!("__gpuc_host(&({name}), sizeof({name}), {})", writes(touch)));
            }
        }
        requests
    }

    /// Asks for memory in front of a statement.
    fn before(&mut self, stmt: StmtId, in_list: bool, effect: &Effect, node: Option<Node>) {
        let span = self.unit.stmts[stmt].span;
        let requests = self.requests(effect, span.start, node);
        if requests.is_empty() {
            return;
        }
        let text = requests.join("; ") + "; ";
        if in_list {
            self.insert(span.start, Kind::Begin, text);
        } else {
            self.insert(span.start, Kind::Begin, format!("{{ {text}"));
            self.insert(span.end, Kind::End, " }");
        }
    }

    /// Asks for memory whenever an expression is evaluated.
    fn within(&mut self, expr: ExprId) {
        let effect = self.effects.of_expr(expr);
        let span = self.unit.exprs[expr].span;
        let requests = self.requests(&effect, span.start, Some(Node::Expr(expr)));
        if !requests.is_empty() {
            self.insert(span.start, Kind::Begin, format!("({}, (", requests.join(", ")));
            self.insert(span.end, Kind::End, "))");
        }
    }

    /// Whether a loop of the host does with some variable nothing but to write all of a part of it, in loops and calls of their own,
    /// where that is not sure of the loop as a whole.
    fn fills(&mut self, stmt: StmtId, body: StmtId, effect: &Effect) -> bool {
        let unit = self.unit;
        let is_fill = |parts: Option<Vec<Part>>| {
            parts.is_some_and(|parts| {
                !parts.is_empty() && parts.iter().all(|part| part.touch == PartTouch::Overwrites)
            })
        };
        let written: Vec<DeclId> = effect
            .named
            .iter()
            .filter(|named| *named.1 == Touch::Write)
            .map(|named| *named.0)
            .collect();
        written.into_iter().any(|decl| {
            let whole = parts(unit, &self.addressed, Node::Stmt(stmt), decl);
            let (mut pending, mut found) = (vec![body], false);
            while let Some(inner) = pending.pop() {
                match &unit.stmts[inner].kind {
                    StmtKind::Compound(list) => pending.extend(list),
                    StmtKind::If { condition, then, otherwise } => {
                        let of_condition = self.effects.of_expr(*condition);
                        if of_condition.named.get(&decl) == Some(&Touch::Write) {
                            return false;
                        }
                        pending.push(*then);
                        pending.extend(otherwise);
                    }
                    // An element by itself is not worth a question in each round.
                    kind => {
                        let node = Node::Stmt(inner);
                        if self.effects.of_stmt(inner).named.get(&decl) != Some(&Touch::Write) {
                            continue;
                        }
                        let is_call = matches!(kind, StmtKind::Expr(expr)
                            if matches!(unit.exprs[unit.peel(*expr)].kind, ExprKind::Call { .. }));
                        let alone = is_call || matches!(kind, StmtKind::For { .. });
                        if !alone
                            || self.effects.is_touched_by_calls(node, decl)
                            || !is_fill(parts(unit, &self.addressed, node, decl))
                        {
                            return false;
                        }
                        found = true;
                    }
                }
            }
            found && !is_fill(whole)
        })
    }

    /// Places requests in a statement; `state` is whether something may be on the device before it. Returns
    /// whether something may be behind it.
    fn place(&mut self, stmt: StmtId, in_list: bool, state: bool) -> bool {
        let unit = self.unit;
        if is_nest(unit, stmt) {
            // The functions that the host's version calls expect to have everything.
            if let StmtKind::Directive { body: Some(body), .. } = unit.stmts[stmt].kind
                && self.calls_knowing(body)
            {
                let start = unit.stmts[body].span.start;
                self.insert(start, Kind::Inside, "__gpuc_host((const void *)0, 0ul, 1); ");
            }
            return true;
        }
        // What one branch asks for, the other need not.
        let branches = matches!(unit.stmts[stmt].kind, StmtKind::If { .. } | StmtKind::Compound(_));
        if !self.leaves(stmt) && !is_entered(unit, stmt) && !branches {
            let effect = self.effects.of_stmt(stmt);
            if state
                && let StmtKind::For { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::DoWhile { body, .. } = unit.stmts[stmt].kind
                && !effect.is_unknown()
                && self.fills(stmt, body, &effect)
            {
                // What it fills under conditions is asked for where that is.
                return self.place_in(stmt, in_list, state);
            }
            if state {
                self.before(stmt, in_list, &effect, Some(Node::Stmt(stmt)));
            }
            // Where it jumps away, whoever comes by another way may have left something.
            return state && !effect.is_unknown();
        }
        self.place_in(stmt, in_list, state)
    }

    /// Places requests in the parts of a statement.
    fn place_in(&mut self, stmt: StmtId, in_list: bool, state: bool) -> bool {
        let unit = self.unit;
        match &unit.stmts[stmt].kind {
            StmtKind::Compound(list) => {
                list.iter().fold(state, |state, &inner| self.place(inner, true, state))
            }
            StmtKind::If { condition, then, otherwise } => {
                let effect = self.effects.of_expr(*condition);
                if state {
                    self.before(stmt, in_list, &effect, Some(Node::Expr(*condition)));
                }
                let state = state && !effect.is_unknown();
                let behind = self.place(*then, false, state);
                match otherwise {
                    Some(otherwise) => self.place(*otherwise, false, state) | behind,
                    None => state | behind,
                }
            }
            StmtKind::While { condition, body } => {
                self.within(*condition);
                self.place(*body, false, true);
                true
            }
            StmtKind::DoWhile { body, condition } => {
                self.place(*body, false, true);
                self.within(*condition);
                true
            }
            StmtKind::For { init, condition, step, body } => {
                if let Some(init) = init {
                    let effect = self.effects.of_stmt(*init);
                    if state {
                        self.before(stmt, in_list, &effect, Some(Node::Stmt(*init)));
                    }
                }
                condition.iter().chain(step).for_each(|&expr| self.within(expr));
                self.place(*body, false, true);
                true
            }
            StmtKind::Switch { value, body, .. } => {
                let effect = self.effects.of_expr(*value);
                if state {
                    self.before(stmt, in_list, &effect, Some(Node::Expr(*value)));
                }
                self.place(*body, false, true);
                true
            }
            StmtKind::Case { body, .. }
            | StmtKind::Default(body)
            | StmtKind::Label { body, .. } => self.place(*body, in_list, true),
            _ => {
                // A call that may leave something: its arguments are evaluated before.
                let effect = match call_of(unit, stmt, &self.addressed) {
                    Some(call) => self.effects.beside(stmt, call),
                    None => self.effects.of_stmt(stmt),
                };
                if state {
                    self.before(stmt, in_list, &effect, None);
                }
                true
            }
        }
    }
}

/// Whether a jump leads into a statement.
fn is_entered(unit: &TranslationUnit, stmt: StmtId) -> bool {
    let mut found = false;
    let mut switches = 0;
    walk::stmt(unit, stmt, &mut |node| {
        if let Node::Stmt(inner) | Node::Leave(inner) = node {
            let enters = matches!(node, Node::Stmt(_));
            match unit.stmts[inner].kind {
                StmtKind::Switch { .. } if enters => switches += 1,
                StmtKind::Switch { .. } => switches -= 1,
                StmtKind::Label { .. } => found = true,
                StmtKind::Case { .. } | StmtKind::Default(_) => found |= switches == 0,
                _ => {}
            }
        }
        Below::Enter
    });
    found
}
