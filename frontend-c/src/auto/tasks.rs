//! The task-level data flow graph of each function (Patel 2014, definition 3.3, algorithms 4.2 and 4.3), as text in DOT or
//! SVG.
//!
//! Nodes are tasks of the device, and statements of the host between them as far as they follow one another. Each has
//! the arrays that it reads and those that it writes, by the names of the function; what it needs and the other side
//! may have newer moves in front of it. Names are taken for different memory, and calls of functions of other files for
//! readers and writers of what they are given: the graph is for people; what really moves, the run time knows.
//!
//! The same graph with the points at which directives move data, and with jumps, is what [`super::excess`] asks.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::drawing::{self, Drawing, Shape};
use super::effects::{is_automatic, is_pure};
use crate::directive::Kind;
use crate::directive::action::Action;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    CastKind, DeclId, DeclKind, DirectiveId, ExprId, ExprKind, Initializer, ItemKind, StmtId,
    StmtKind, TranslationUnit, UnaryOp,
};

/// What is done with arrays: whether they are read, and written.
pub(super) type Touches = IndexMap<DeclId, (bool, bool)>;

/// A task.
#[derive(Default)]
pub(super) struct Task {
    pub(super) on_device: bool,
    /// The first and the last line.
    pub(super) lines: (u32, u32),
    /// What it is, where it is no list of statements.
    what: Option<String>,
    pub(super) touches: Touches,
    pub(super) before: Vec<usize>,
    /// The directive that moves data here, and whether behind its statement.
    pub(super) point: Option<(DirectiveId, bool)>,
    /// Of a task of the device and of points, its own directive and those for data round it, from outside to inside.
    pub(super) around: Vec<DirectiveId>,
    /// The heads of the loops round it.
    pub(super) loops: Vec<usize>,
    /// The parts of the program that it is.
    pub(super) parts: Vec<Node>,
    /// Whether nothing more may become part of it.
    closed: bool,
}

/// Where the values of an array are: on every way that leads here, and on some.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Valid {
    always: bool,
    ever: bool,
}

/// The values of an array on the host and on the device.
type State = IndexMap<DeclId, [Valid; 2]>;

/// The graphs of the functions that have tasks of the device.
pub fn drawings(unit: &TranslationUnit) -> Vec<Drawing> {
    let mut found = Vec::new();
    for item in &unit.items {
        if let ItemKind::Function(decl) = item.kind
            && let Some(body) = unit.function(decl).and_then(|function| function.body)
        {
            let mut graph = Graph::new(unit);
            if graph.has_task(body) {
                let ends = graph.statement(body, vec![]);
                found.push(graph.drawing(unit.name(decl), &ends));
            }
        }
    }
    found
}

/// The same in DOT.
pub fn dot(unit: &TranslationUnit) -> String {
    let mut text = String::new();
    drawings(unit).iter().for_each(|drawing| drawing.dot(&mut text));
    text
}

/// The same as a picture in SVG.
pub fn svg(unit: &TranslationUnit) -> String {
    drawing::svg(&drawings(unit))
}

/// The tasks of a function, in the order of the program.
pub(super) struct Graph<'a> {
    unit: &'a TranslationUnit,
    pub(super) tasks: Vec<Task>,
    /// What functions do with what their parameters point to, and with variables of the file.
    known: FxHashMap<DeclId, Touches>,
    open: Vec<DeclId>,
    /// Whether directives for data are points of it, and jumps are followed.
    explicit: bool,
    /// The directives for data round what is read, and the heads of its loops.
    around: Vec<DirectiveId>,
    loops: Vec<usize>,
    /// For each of these loops, what leaves it, and what goes on with its next round.
    jumps: Vec<[Vec<usize>; 2]>,
    /// The tasks behind which the function may end, apart from its end.
    pub(super) returns: Vec<usize>,
    /// Whether something happens that the graph does not have.
    pub(super) unclear: bool,
}

impl<'a> Graph<'a> {
    fn new(unit: &'a TranslationUnit) -> Graph<'a> {
        Graph {
            unit,
            tasks: Vec::new(),
            known: FxHashMap::default(),
            open: Vec::new(),
            explicit: false,
            around: Vec::new(),
            loops: Vec::new(),
            jumps: Vec::new(),
            returns: Vec::new(),
            unclear: false,
        }
    }

    /// The graph of a function with the points at which directives move data; `None` where there is no such point.
    pub(super) fn with_points(unit: &'a TranslationUnit, body: StmtId) -> Option<Graph<'a>> {
        let mut graph = Graph { explicit: true, ..Graph::new(unit) };
        if !graph.has_task(body) {
            return None;
        }
        let ends = graph.statement(body, vec![]);
        graph.returns.extend(ends);
        Some(graph)
    }

    /// A directive that moves data, and runs no task.
    fn is_point(&self, stmt: StmtId) -> bool {
        self.explicit
            && matches!(self.unit.stmts[stmt].kind, StmtKind::Directive { directive, .. }
                if matches!(self.unit.directives[directive].kind, Kind::Host(
                    Action::Data | Action::Enter | Action::Exit | Action::Update)))
    }

    fn is_task(&self, stmt: StmtId) -> bool {
        match self.unit.stmts[stmt].kind {
            StmtKind::Directive { directive, .. } => {
                matches!(self.unit.directives[directive].kind, Kind::Compute(_))
            }
            _ => false,
        }
    }

    fn has_task(&self, stmt: StmtId) -> bool {
        let mut found = false;
        walk::stmt(self.unit, stmt, &mut |node| {
            found |= matches!(node, Node::Stmt(stmt) if self.is_task(stmt) || self.is_point(stmt));
            if found { Below::Skip } else { Below::Enter }
        });
        found
    }

    fn lines(&self, stmt: StmtId) -> (u32, u32) {
        let span = self.unit.stmts[stmt].span;
        let line = |at| self.unit.source.line(at).1;
        (line(span.start), line(span.end.saturating_sub(1).max(span.start)))
    }

    fn task(&mut self, task: Task) -> Vec<usize> {
        let (loops, around) = (self.loops.clone(), self.around.clone());
        self.tasks.push(Task { loops, around, ..task });
        vec![self.tasks.len() - 1]
    }

    /// A point at which a directive moves data.
    fn point(&mut self, directive: DirectiveId, behind: bool, before: Vec<usize>) -> Vec<usize> {
        let span = self.unit.directives[directive].span;
        let line = self.unit.source.line(span.start).1;
        let point = Some((directive, behind));
        self.task(Task { lines: (line, line), point, closed: true, before, ..Task::default() })
    }

    /// What a directive for data or a task does, with its points.
    fn directive(
        &mut self,
        directive: DirectiveId,
        stmt: StmtId,
        before: Vec<usize>,
    ) -> Vec<usize> {
        let said = &self.unit.directives[directive];
        let (is_task, body) = match self.unit.stmts[stmt].kind {
            StmtKind::Directive { body, .. } => (self.is_task(stmt), body),
            _ => (false, None),
        };
        if !is_task && body.is_none() {
            return self.point(directive, false, before);
        }
        let before = self.point(directive, false, before);
        self.around.push(directive);
        let ends = match body {
            Some(body) if !is_task => self.statement(body, before),
            _ => self.plain(stmt, before),
        };
        self.around.pop();
        self.unclear |= said.sends.is_some() || !said.memory.is_empty() || said.owner.is_some();
        self.point(directive, true, ends)
    }

    /// Where a statement without tasks jumps to: out of the loop round it, to its next round, out of the function.
    fn jumps(&self, stmt: StmtId) -> [bool; 3] {
        let (mut found, mut loops, mut switches) = ([false; 3], 0, 0);
        walk::stmt(self.unit, stmt, &mut |node| {
            if let Node::Stmt(inner) | Node::Leave(inner) = node {
                let change = if matches!(node, Node::Stmt(_)) { 1 } else { -1 };
                match self.unit.stmts[inner].kind {
                    StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                        loops += change;
                    }
                    StmtKind::Switch { .. } => switches += change,
                    StmtKind::Break => found[0] |= loops + switches == 0,
                    StmtKind::Continue => found[1] |= loops == 0,
                    StmtKind::Return(_) => found[2] = true,
                    _ => {}
                }
            }
            Below::Enter
        });
        found
    }

    /// A task of one statement.
    fn plain(&mut self, stmt: StmtId, before: Vec<usize>) -> Vec<usize> {
        let mut touches = Touches::default();
        self.look(Node::Stmt(stmt), &mut touches);
        let (on_device, lines) = (self.is_task(stmt), self.lines(stmt));
        let jumps = if on_device || !self.explicit { [false; 3] } else { self.jumps(stmt) };
        let jumps_away = jumps.contains(&true);
        // Statements of the host that follow one another are one task.
        let newest = self.tasks.len().wrapping_sub(1);
        if !on_device
            && !jumps_away
            && before == [newest]
            && let Some(task) = self.tasks.last_mut()
            && !task.on_device
            && !task.closed
            && task.what.is_none()
        {
            task.lines.1 = lines.1;
            task.parts.push(Node::Stmt(stmt));
            join(&mut task.touches, &touches);
            return before;
        }
        let parts = vec![Node::Stmt(stmt)];
        let task = Task { on_device, lines, touches, parts, before, ..Task::default() };
        let at = self.task(Task { closed: jumps_away, ..task });
        if jumps_away {
            match self.jumps.last_mut() {
                Some(of_loop) => {
                    for (list, _) in of_loop.iter_mut().zip(jumps).filter(|(_, jumps)| *jumps) {
                        list.extend(&at);
                    }
                }
                None => self.unclear |= jumps[0] || jumps[1],
            }
            if jumps[2] {
                self.returns.extend(&at);
            }
        }
        at
    }

    /// A condition of a statement, as a task of the host.
    fn head(&mut self, word: &str, stmt: StmtId, parts: &[Node], before: Vec<usize>) -> Vec<usize> {
        let line = self.lines(stmt).0;
        let mut touches = Touches::default();
        for &part in parts {
            self.look(part, &mut touches);
        }
        let what = Some(format!("{word}, line {line}"));
        let parts = parts.to_vec();
        let lines = (line, line);
        self.task(Task { lines, what, touches, parts, before, ..Task::default() })
    }

    /// The tasks of a statement behind others: the last of them.
    fn statement(&mut self, stmt: StmtId, before: Vec<usize>) -> Vec<usize> {
        let unit = self.unit;
        if let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
            && self.explicit
            && (self.is_task(stmt) || self.is_point(stmt))
        {
            return self.directive(directive, stmt, before);
        }
        if self.is_task(stmt) || !self.has_task(stmt) {
            return self.plain(stmt, before);
        }
        // Data that stays for other reasons than points, and statements that may be entered or executed otherwise.
        self.unclear |= matches!(
            unit.stmts[stmt].kind,
            StmtKind::Directive { .. } | StmtKind::Switch { .. } | StmtKind::Label { .. }
        );
        match &unit.stmts[stmt].kind {
            StmtKind::Compound(list) => {
                list.iter().fold(before, |before, &inner| match unit.stmts[inner].kind {
                    StmtKind::Empty => before,
                    _ => self.statement(inner, before),
                })
            }
            StmtKind::If { condition, then, otherwise } => {
                let head = self.head("if", stmt, &[Node::Expr(*condition)], before);
                let mut ends = self.statement(*then, head.clone());
                match otherwise {
                    Some(otherwise) => ends.extend(self.statement(*otherwise, head)),
                    None => ends.extend(head),
                }
                ends
            }
            StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
                let head = self.head("while", stmt, &[Node::Expr(*condition)], before);
                self.round(&head, *body)
            }
            StmtKind::For { init, condition, step, body } => {
                let parts: Vec<Node> = init
                    .map(Node::Stmt)
                    .into_iter()
                    .chain(condition.iter().chain(step).map(|&expr| Node::Expr(expr)))
                    .collect();
                let head = self.head("for", stmt, &parts, before);
                self.round(&head, *body)
            }
            StmtKind::Switch { value, body, .. } => {
                let head = self.head("switch", stmt, &[Node::Expr(*value)], before);
                let mut ends = self.statement(*body, head.clone());
                ends.extend(head);
                ends
            }
            StmtKind::Case { body, .. }
            | StmtKind::Default(body)
            | StmtKind::Label { body, .. } => self.statement(*body, before),
            StmtKind::Directive { body: Some(body), .. } => self.statement(*body, before),
            _ => before,
        }
    }

    /// The body of a loop between its head and its head.
    fn round(&mut self, head: &[usize], body: StmtId) -> Vec<usize> {
        self.loops.extend(head);
        self.jumps.push(Default::default());
        let mut ends = self.statement(body, head.to_vec());
        self.loops.truncate(self.loops.len() - head.len());
        let [leaving, going_on] = self.jumps.pop().unwrap_or_default();
        ends.extend(going_on);
        for &at in head {
            self.tasks[at].before.extend(ends.iter().copied().filter(|&end| end != at));
        }
        head.iter().copied().chain(leaving).collect()
    }

    /// What a part of the program does with arrays.
    fn look(&mut self, part: Node, touches: &mut Touches) {
        let unit = self.unit;
        let mut own = FxHashSet::default();
        let mut found: Vec<(ExprId, bool, bool)> = Vec::new();
        let mut calls: Vec<(ExprId, Vec<ExprId>)> = Vec::new();
        // Pointers that begin as others.
        let mut other_names: FxHashMap<DeclId, DeclId> = FxHashMap::default();
        let mut visit = |node: Node| {
            match node {
                Node::Declare(decl) => {
                    own.insert(decl);
                    if let DeclKind::Variable(variable) = &unit.decls[decl].kind
                        && let Some(Initializer::Value(value)) = variable.init
                        && unit.types.is_pointer(unit.decls[decl].ty)
                        && let Some(array) = pointed(unit, value)
                    {
                        let array = other_names.get(&array).copied().unwrap_or(array);
                        other_names.insert(decl, array);
                    }
                }
                Node::Expr(expr) => match &unit.exprs[expr].kind {
                    ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                        found.push((*operand, true, false));
                    }
                    ExprKind::Assign { target, .. } => found.push((*target, false, true)),
                    ExprKind::CompoundAssign { target, .. } | ExprKind::IncDec(_, target) => {
                        found.push((*target, true, true));
                    }
                    ExprKind::Call { callee, arguments } => {
                        calls.push((*callee, arguments.to_vec()));
                    }
                    _ => {}
                },
                _ => {}
            }
            Below::Enter
        };
        match part {
            Node::Expr(expr) => walk::expr(unit, expr, &mut visit),
            Node::Stmt(stmt) => walk::stmt(unit, stmt, &mut visit),
            _ => {}
        }
        for (lvalue, reads, writes) in found {
            if let Some(decl) = array_of(unit, lvalue) {
                note(touches, decl, (reads, writes));
            }
        }
        for (callee, arguments) in calls {
            self.call(callee, &arguments, touches);
        }
        for (name, array) in other_names {
            if let Some(touch) = touches.shift_remove(&name) {
                note(touches, array, touch);
            }
        }
        // Arrays that begin here are nobody else's.
        touches
            .retain(|decl, _| !own.contains(decl) || unit.types.is_pointer(unit.decls[*decl].ty));
    }

    fn call(&mut self, callee: ExprId, arguments: &[ExprId], touches: &mut Touches) {
        let unit = self.unit;
        let Some((decl, body)) = walk::callee(unit, callee) else { return };
        let Some((body, function)) = body.zip(unit.function(decl)) else {
            let prints = ["printf", "fprintf", "puts"].contains(&unit.name(decl));
            let frees = matches!(unit.name(decl), "free" | "malloc" | "calloc");
            if !is_pure(unit, decl) && !frees {
                for &argument in arguments {
                    if let Some(array) = pointed(unit, argument) {
                        note(touches, array, (true, !prints));
                    }
                }
            }
            return;
        };
        let parameters = function.parameters.clone();
        if !self.known.contains_key(&decl) && !self.open.contains(&decl) {
            self.open.push(decl);
            let mut inside = Touches::default();
            self.look(Node::Stmt(body), &mut inside);
            self.open.pop();
            self.known.insert(decl, inside);
        }
        for (array, touch) in self.known.get(&decl).cloned().unwrap_or_default() {
            match parameters.iter().position(|&parameter| parameter == array) {
                Some(number) => {
                    let argument =
                        arguments.get(number).and_then(|&argument| pointed(unit, argument));
                    if let Some(array) = argument {
                        note(touches, array, touch);
                    }
                }
                None if !is_automatic(unit, array) => note(touches, array, touch),
                None => {}
            }
        }
    }

    /// What moves in front of each task: the array, whether to the device, and whether always.
    fn moves(&self) -> Vec<Vec<(DeclId, bool, bool)>> {
        let mut arrays: Vec<DeclId> = Vec::new();
        for task in &self.tasks {
            arrays.extend(
                task.touches
                    .keys()
                    .filter(|decl| !arrays.contains(decl))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        let here = Valid { always: true, ever: true };
        let nowhere = Valid { always: false, ever: false };
        let top = Valid { always: true, ever: false };
        let mut out: Vec<State> = self
            .tasks
            .iter()
            .map(|_| arrays.iter().map(|&array| (array, [top, top])).collect())
            .collect();
        let mut changed = true;
        let mut into = out.clone();
        while changed {
            changed = false;
            for (number, task) in self.tasks.iter().enumerate() {
                let mut state: State = arrays.iter().map(|&array| (array, [top, top])).collect();
                let first = (number == 0)
                    .then(|| arrays.iter().map(|&array| (array, [here, nowhere])).collect());
                for from in task.before.iter().map(|&from| &out[from]).chain(&first) {
                    for (array, sides) in &mut state {
                        for (side, other) in sides.iter_mut().zip(from[array]) {
                            side.always &= other.always;
                            side.ever |= other.ever;
                        }
                    }
                }
                into[number].clone_from(&state);
                for (array, &(_, writes)) in &task.touches {
                    let side = usize::from(task.on_device);
                    let sides = &mut state[array];
                    sides[side] = here;
                    if writes {
                        sides[1 - side] = nowhere;
                    }
                }
                changed |= out[number] != state;
                out[number] = state;
            }
        }
        let moving = |(task, state): (&Task, &State)| {
            let side = usize::from(task.on_device);
            let needed = task.touches.keys().map(|array| (*array, state[array][side]));
            let needed = needed.filter(|(_, valid)| !valid.always);
            needed.map(|(array, valid)| (array, task.on_device, !valid.ever)).collect()
        };
        self.tasks.iter().zip(&into).map(moving).collect()
    }

    fn drawing(&self, name: &str, ends: &[usize]) -> Drawing {
        let moves = self.moves();
        let mut shapes = Vec::new();
        for (task, moves) in self.tasks.iter().zip(&moves) {
            let (first, last) = task.lines;
            let lines = match first == last {
                true => format!("line {first}"),
                false => format!("lines {first} to {last}"),
            };
            let what = match (&task.what, task.on_device) {
                (Some(what), _) => what.clone(),
                (None, true) => format!("GPU task, {lines}"),
                (None, false) => format!("CPU task, {lines}"),
            };
            let mut lines = vec![what];
            let words = if task.on_device { ["GIN", "GOUT"] } else { ["USE", "MODEF"] };
            for (word, reads) in words.into_iter().zip([true, false]) {
                let arrays =
                    task.touches.iter().filter(|(_, touch)| if reads { touch.0 } else { touch.1 });
                let arrays: Vec<&str> = arrays.map(|(decl, _)| self.unit.name(*decl)).collect();
                if !arrays.is_empty() {
                    lines.push(format!("{word}: {}", arrays.join(", ")));
                }
            }
            for always in [true, false] {
                let arrays: Vec<&str> = moves
                    .iter()
                    .filter(|&&(.., moves)| moves == always)
                    .map(|&(decl, ..)| self.unit.name(decl))
                    .collect();
                if !arrays.is_empty() {
                    let way = if task.on_device { "to device" } else { "to host" };
                    let when = if always { "" } else { " on some ways" };
                    lines.push(format!("{way}{when}: {}", arrays.join(", ")));
                }
            }
            shapes.push(Shape { lines, on_device: task.on_device });
        }
        let before = |(to, task): (usize, &Task)| {
            task.before.iter().map(|&from| (from, to)).collect::<Vec<_>>()
        };
        let edges = self.tasks.iter().enumerate().flat_map(before).collect();
        let mut ends = ends.to_vec();
        ends.dedup();
        Drawing { name: name.to_owned(), shapes, edges, ends }
    }
}

fn note(touches: &mut Touches, decl: DeclId, touch: (bool, bool)) {
    let known = touches.entry(decl).or_default();
    known.0 |= touch.0;
    known.1 |= touch.1;
}

fn join(touches: &mut Touches, more: &Touches) {
    for (&decl, &touch) in more {
        note(touches, decl, touch);
    }
}

/// The array, or the pointer, through which an object is reached that is more than a variable.
fn array_of(unit: &TranslationUnit, lvalue: ExprId) -> Option<DeclId> {
    match &unit.exprs[lvalue].kind {
        ExprKind::Paren(inner) | ExprKind::Member { base: inner, .. } => array_of(unit, *inner),
        ExprKind::Index { base, .. } => pointed(unit, *base),
        ExprKind::Unary(UnaryOp::Deref, pointer) => pointed(unit, *pointer),
        _ => None,
    }
}

/// The variable by which a pointer's value is known.
fn pointed(unit: &TranslationUnit, pointer: ExprId) -> Option<DeclId> {
    match &unit.exprs[pointer].kind {
        ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => pointed(unit, *inner),
        ExprKind::Unary(UnaryOp::AddressOf, inner) => array_of(unit, *inner),
        ExprKind::Index { base, .. } => pointed(unit, *base),
        ExprKind::Unary(UnaryOp::Deref, inner) => pointed(unit, *inner),
        ExprKind::Binary(_, left, right) => {
            let is_pointer = unit.types.is_pointer(unit.exprs[*left].ty);
            pointed(unit, if is_pointer { *left } else { *right })
        }
        ExprKind::Member { base, .. } => array_of(unit, *base).or_else(|| pointed(unit, *base)),
        ExprKind::Name(decl) => {
            let ty = unit.decls[*decl].ty;
            let is_array = unit.types.is_pointer(ty) || unit.types.as_array(ty).is_some();
            is_array.then_some(*decl)
        }
        _ => None,
    }
}
