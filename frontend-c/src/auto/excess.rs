//! What directives for data move, and planned transfers would not.
//!
//! Directives are obeyed; this only says what they cost. On the graph of tasks of a function ([`Graph::with_points`]) each
//! transfer that a directive makes is compared with what is known of both sides there, if data moved only where the other
//! side has changed it and it is needed (Patel 2014, algorithms 4.2 and 4.3): on every way, or in every round of a loop but
//! the first or the last one. Only what is sure is said, of variables of which all accesses are known ([`names`]), of
//! sections that are the same in the whole function.

mod names;

use gpuc_diagnostics::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use self::names::{Names, Reach, Seen};
use super::tasks::{Graph, Task};
use crate::directive::action::{Action, Condition};
use crate::directive::{Directive, Kind, MappingKind, VarRef};
use crate::lower::walk::{self, Below, Node};
use crate::tree::{DeclId, DirectiveId, ExprKind, ItemKind, StmtId, TranslationUnit};
use crate::types::ArraySize;

/// A section that is the same wherever it is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// The variable.
    decl: DeclId,
    /// Where it begins and how long it is, as text that tells sections apart.
    key: String,
}

/// A transfer that a directive makes.
struct Move {
    part: Part,
    /// How much it is, in words.
    bytes: String,
    to_device: bool,
    /// Whether callers may have the data on the device already, so that nothing moves.
    maybe_present: bool,
    directive: DirectiveId,
    /// As the clause has it.
    text: String,
}

/// What a task does with a variable.
#[derive(Clone, Copy, Default)]
struct Doing {
    host_touches: bool,
    host_writes: bool,
    device_touches: bool,
    device_writes: bool,
    /// It begins here.
    begins: bool,
}

/// Says of each function what its directives move more than planned transfers would.
pub fn remarks(unit: &TranslationUnit) -> Vec<Diagnostic> {
    let (names, apart) = (Names::of(unit), taken_apart(unit));
    let mut found = Vec::new();
    for item in &unit.items {
        if let ItemKind::Function(decl) = item.kind
            && let Some(body) = unit.function(decl).and_then(|function| function.body)
            && let Some(graph) = Graph::with_points(unit, body)
            && !graph.unclear
            && !is_unclear(unit, body)
        {
            let seen = graph.tasks.iter().map(|task| names.look(unit, &task.parts)).collect();
            let function = Function { unit, names: &names, graph: &graph, apart: &apart, seen };
            function.remarks(&mut found);
        }
    }
    found
}

/// Whether directives in a function are followed on conditions, on other devices, or with data that somebody else keeps, or
/// the function jumps anywhere.
fn is_unclear(unit: &TranslationUnit, body: StmtId) -> bool {
    use crate::tree::StmtKind::{Asm, Goto, GotoComputed, Label};
    let mut found = false;
    walk::stmt(unit, body, &mut |node| {
        if let Node::Stmt(stmt) = node {
            found |= match unit.stmts[stmt].kind {
                Asm | Goto(_) | GotoComputed(_) | Label { .. } => true,
                crate::tree::StmtKind::Directive { directive, .. } => {
                    is_conditional(&unit.directives[directive])
                }
                _ => false,
            };
        }
        Below::Enter
    });
    found
}

/// Variables of which directives make copies of their own, or that they have on the device as long as the program runs.
fn taken_apart(unit: &TranslationUnit) -> FxHashSet<DeclId> {
    let mut found = FxHashSet::default();
    for (_, directive) in unit.directives.iter() {
        let Directive { private, firstprivate, lastprivate, linear, .. } = directive;
        let own = private.iter().chain(firstprivate).chain(lastprivate);
        found.extend(own.map(|var| var.decl));
        found.extend(linear.iter().map(|(var, _)| var.decl));
        found.extend(directive.reductions().map(|(_, var)| var.decl));
        if matches!(directive.kind, Kind::Host(Action::Program | Action::Scope)) {
            found.extend(directive.data().map(|(_, var)| var.decl));
        }
    }
    found
}

fn is_conditional(directive: &Directive) -> bool {
    let Condition { when, unless, never, device, sent } = directive.condition;
    let acts = match directive.kind {
        Kind::Host(action) => !matches!(
            action,
            Action::Data | Action::Enter | Action::Exit | Action::Update | Action::Wait
        ),
        _ => false,
    };
    acts || directive.asked
        || when.is_some()
        || unless.is_some()
        || never
        || device.is_some()
        || sent
        || !directive.host_waits.is_empty()
        || directive.data.iter().any(|mapping| mapping.flags.kept || mapping.flags.whole)
}

struct Function<'a> {
    unit: &'a TranslationUnit,
    names: &'a Names,
    graph: &'a Graph<'a>,
    /// Variables that directives treat in other ways.
    apart: &'a FxHashSet<DeclId>,
    /// What the tasks do beside what they touch.
    seen: Vec<Seen>,
}

impl Function<'_> {
    fn remarks(&self, found: &mut Vec<Diagnostic>) {
        let moves: Vec<Vec<Move>> = self.graph.tasks.iter().map(|task| self.moves(task)).collect();
        let mut known: FxHashMap<DeclId, Vec<Doing>> = FxHashMap::default();
        for (at, of_task) in moves.iter().enumerate() {
            for moved in of_task {
                let decl = moved.part.decl;
                let doings = known.entry(decl).or_insert_with(|| self.doings(decl));
                if let Some((why, when)) = self.excess(at, moved, &moves, doings) {
                    found.push(self.worded(moved, why, &when));
                }
            }
        }
    }

    fn worded(&self, moved: &Move, why: &str, when: &str) -> Diagnostic {
        let Move { text, bytes, .. } = moved;
        let present = if moved.maybe_present { " unless a caller has it there" } else { "" };
        let way = if moved.to_device { "goes to the device" } else { "comes back" };
        let message = format!(
            "{text} {way}{present}, {bytes}, though {why}{when}: planned transfers would not move it"
        );
        let place = self.unit.place(self.unit.directives[moved.directive].span);
        Diagnostic::remark(message).at(place)
    }

    /// The transfers of a point.
    fn moves(&self, task: &Task) -> Vec<Move> {
        let Some((number, behind)) = task.point else { return Vec::new() };
        let directive = &self.unit.directives[number];
        let (way_in, action) = (!behind, directive.action());
        let mut moves = Vec::new();
        for mapping in &directive.data {
            let decl = mapping.var.decl;
            let Some(reach) = self.names.reach(decl) else { continue };
            if mapping.flags.itself || mapping.flags.if_present || self.apart.contains(&decl) {
                continue;
            }
            let to_device = match (action, mapping.kind) {
                (Some(Action::Update), MappingKind::UpdateDevice) => true,
                (Some(Action::Update), MappingKind::UpdateHost) => false,
                (Some(Action::Enter), MappingKind::Copy | MappingKind::CopyIn) => true,
                (Some(Action::Exit), MappingKind::CopyOut) => false,
                (Some(Action::Data | Action::Compute), MappingKind::Copy | MappingKind::CopyIn)
                    if way_in =>
                {
                    true
                }
                (
                    Some(Action::Data | Action::Compute),
                    MappingKind::Copy | MappingKind::CopyOut,
                ) if !way_in => false,
                _ => continue,
            };
            let entered = self.times_entered(decl);
            let moves_at_all = match action {
                Some(Action::Update) => true,
                Some(Action::Enter | Action::Exit) => entered == 1,
                _ => {
                    let around = task.around.iter().flat_map(|&around| {
                        self.unit.directives[around].data().filter(|(kind, _)| kind.maps())
                    });
                    let is_there = around.into_iter().any(|(_, var)| var.decl == decl);
                    entered == 0 && (!is_there || mapping.flags.always)
                }
            };
            let Some((part, bytes)) = self.part(&mapping.var).filter(|_| moves_at_all) else {
                continue;
            };
            let text = self.text(mapping.var.span);
            let maybe_present =
                reach == Reach::Others && action != Some(Action::Update) && !mapping.flags.always;
            moves.push(Move { part, bytes, to_device, maybe_present, directive: number, text });
        }
        moves
    }

    fn text(&self, span: crate::source::Span) -> String {
        let slice = String::from_utf8_lossy(self.unit.source.slice(span));
        slice.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// In how many places of the function data comes to stay until some other place.
    fn times_entered(&self, decl: DeclId) -> usize {
        let points = self.graph.tasks.iter().filter_map(|task| task.point);
        let entering = points
            .map(|(directive, _)| &self.unit.directives[directive])
            .filter(|directive| directive.action() == Some(Action::Enter));
        entering.filter(|directive| directive.data().any(|(_, var)| var.decl == decl)).count()
    }

    /// The part of a variable that a clause names, and its length in words.
    fn part(&self, var: &VarRef) -> Option<(Part, String)> {
        let unit = self.unit;
        if !matches!(unit.exprs[var.base].kind, ExprKind::Name(decl) if decl == var.decl) {
            return None;
        }
        let (mut ty, mut count) = (unit.exprs[var.base].ty, 1_i128);
        let (mut key, mut factors) = (String::new(), Vec::new());
        let mut sections = var.sections.iter();
        loop {
            let section = sections.next();
            let (inside, size) = match unit.types.as_array(ty) {
                Some(of) => of,
                None => match (unit.types.pointee(ty), section) {
                    (Some(to), Some(_)) => (to, ArraySize::Unknown),
                    (None, None) => break,
                    _ => return None,
                },
            };
            if section.is_some_and(|section| section.stride.is_some()) {
                return None;
            }
            let lower = section.and_then(|section| section.lower);
            let lower = match lower {
                Some(lower) => self.value(lower)?,
                None => Ok(0),
            };
            let length = match (section, size) {
                (Some(section), _) if section.is_index => Ok(1),
                (Some(section), _) if section.length.is_some() => self.value(section.length?)?,
                (_, ArraySize::Constant(count)) => Ok(count.into()),
                (_, ArraySize::Variable(count)) => self.value(count)?,
                _ => return None,
            };
            key += &format!("[{lower:?}:{length:?}]");
            match length {
                Ok(number) => count = count.checked_mul(number)?,
                Err(text) => factors.push(text),
            }
            ty = inside;
            if unit.types.as_array(ty).is_none() && sections.len() == 0 {
                break;
            }
        }
        count = count.checked_mul(unit.types.size_of(ty)?.into())?;
        let number = grouped(count);
        let bytes = match factors.as_slice() {
            [] => format!("{number} bytes"),
            _ => format!("{number} * {} bytes", factors.join(" * ")),
        };
        Some((Part { decl: var.decl, key }, bytes))
    }

    /// The value of an expression: a number, or text that has the same value in the whole function.
    fn value(&self, expr: crate::tree::ExprId) -> Option<Result<i128, String>> {
        if let Some(value) = self.unit.constant_int(expr) {
            return Some(Ok(value));
        }
        let text = self.text(self.unit.exprs[expr].span);
        let text = match self.unit.exprs[expr].kind {
            ExprKind::Binary(..) => format!("({text})"),
            _ => text,
        };
        self.names.is_constant(self.unit, expr).then_some(Err(text))
    }

    /// What the tasks do with a variable.
    fn doings(&self, decl: DeclId) -> Vec<Doing> {
        let others = self.names.reach(decl) == Some(Reach::Others);
        let doing = |(task, seen): (&Task, &Seen)| {
            let mut doing = Doing::default();
            if task.point.is_some() {
                return doing;
            }
            let (mut reads, mut writes) = task.touches.get(&decl).copied().unwrap_or_default();
            let sides = seen.directives && (others || seen.named.contains(&decl));
            let unknown = sides || (seen.unknown_calls && others);
            if unknown {
                (reads, writes) = (true, true);
            }
            doing.begins = seen.begun.contains(&decl);
            if task.on_device || unknown {
                (doing.device_touches, doing.device_writes) = (reads || writes, writes);
            }
            if !task.on_device {
                (doing.host_touches, doing.host_writes) = (reads || writes, writes);
            }
            doing
        };
        self.graph.tasks.iter().zip(&self.seen).map(doing).collect()
    }

    /// The part of a variable that a task of the device has there.
    fn part_of_task(&self, task: &Task, decl: DeclId) -> Option<Part> {
        let around = task.around.iter().rev();
        let vars = around.flat_map(|&around| self.unit.directives[around].data());
        let mut vars = vars.filter(|(kind, var)| kind.maps() && var.decl == decl);
        vars.find_map(|(_, var)| self.part(var)).map(|(part, _)| part)
    }

    /// Why a transfer at a point need not be, and when.
    fn excess(
        &self,
        at: usize,
        moved: &Move,
        moves: &[Vec<Move>],
        doings: &[Doing],
    ) -> Option<(&'static str, String)> {
        let tasks = &self.graph.tasks;
        let same: Vec<bool> = moves
            .iter()
            .map(|moves| {
                moves.iter().any(|other| {
                    other.part == moved.part
                        && other.to_device == moved.to_device
                        && (moved.maybe_present || !other.maybe_present)
                })
            })
            .collect();
        let flow = Flow {
            tasks,
            returns: &self.graph.returns,
            doings,
            same: &same,
            to_device: moved.to_device,
        };
        let loops = &tasks[at].loops;
        let line = |head: usize| tasks[head].lines.0;
        if moved.to_device {
            if !flow.needed_behind(at, false, None) {
                return Some(("nothing there uses it before it goes there again", String::new()));
            }
            let has_part = |task: &Task| {
                task.on_device
                    && self.part_of_task(task, moved.part.decl).as_ref() == Some(&moved.part)
            };
            let theirs: Vec<bool> = tasks.iter().map(has_part).collect();
            let valid = |forced| flow.valid_on_device(&theirs, forced);
            const WHY: &str = "its values are there already";
            let (into, out) = valid(None);
            if into[at] {
                return Some((WHY, String::new()));
            }
            let head = loops.iter().find(|&&head| {
                let mut back = tasks[head].before.iter().filter(|&&from| from > head);
                back.clone().count() > 0 && back.all(|&from| out[from]) && valid(Some(head)).0[at]
            })?;
            let when = format!(" in all rounds but the first of the loop in line {}", line(*head));
            return Some((WHY, when));
        }
        if flow.valid_on_host()[at] {
            return Some(("nothing there has changed it", String::new()));
        }
        const WHY: &str = "the host does not look at it before it comes back again or is gone";
        let escapes = self.names.reach(moved.part.decl) == Some(Reach::Others);
        if !flow.needed_behind(at, escapes, None) {
            return Some((WHY, String::new()));
        }
        let head = loops.iter().find(|&&head| {
            let normal = flow.needed_in_front(escapes, None);
            let mut inside = (0..tasks.len())
                .filter(|&to| tasks[to].before.contains(&head) && tasks[to].loops.contains(&head));
            inside.all(|to| !normal[to]) && !flow.needed_behind(at, escapes, Some(head))
        })?;
        let when = format!(" in all rounds but the last of the loop in line {}", line(*head));
        Some((WHY, when))
    }
}

/// What is known of one part of a variable at each task.
struct Flow<'a> {
    tasks: &'a [Task],
    returns: &'a [usize],
    doings: &'a [Doing],
    /// The points that move the same in the same direction, and which that is.
    same: &'a [bool],
    to_device: bool,
}

impl Flow<'_> {
    /// Whether something holds in front of each task and behind it, on all ways from the start; at the head of a loop only
    /// ways round it count where it is given.
    fn forward(
        &self,
        at_start: bool,
        forced: Option<usize>,
        behind: impl Fn(usize, bool) -> bool,
    ) -> (Vec<bool>, Vec<bool>) {
        let count = self.tasks.len();
        let (mut into, mut out) = (vec![true; count], vec![true; count]);
        let mut changed = true;
        while changed {
            changed = false;
            for (at, task) in self.tasks.iter().enumerate() {
                let mut before =
                    task.before.iter().filter(|&&from| forced != Some(at) || from > at);
                let start = at != 0 || forced == Some(0) || at_start;
                into[at] = start && before.all(|&from| out[from]);
                let now = behind(at, into[at]);
                changed |= out[at] != now;
                out[at] = now;
            }
        }
        (into, out)
    }

    /// Whether the device has the values if only what is needed moves; `theirs` are the tasks that have the same part.
    fn valid_on_device(&self, theirs: &[bool], forced: Option<usize>) -> (Vec<bool>, Vec<bool>) {
        // Whether the program has brought there what the host has written: tasks of others want the older values.
        let (fresh, _) = self.forward(true, None, |at, into| {
            (into || self.same[at]) && !self.doings[at].host_writes
        });
        self.forward(false, forced, |at, into| {
            let doing = self.doings[at];
            let comes = doing.device_touches && theirs[at] && fresh[at];
            (into || comes) && !doing.host_writes && !doing.begins
        })
    }

    /// Whether nothing on the device has changed it since the start: whether the host has looked since then is not sure.
    fn valid_on_host(&self) -> Vec<bool> {
        self.forward(true, None, |at, into| into && !self.doings[at].device_writes).0
    }

    /// Whether the side to which data moves may need it in front of each task, before it is moved again; ways out of a loop
    /// do not count where it is given.
    fn needed_in_front(&self, at_end: bool, inside: Option<usize>) -> Vec<bool> {
        let mut needed = vec![false; self.tasks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..self.tasks.len()).rev() {
                let now =
                    self.uses(at) || (!self.same[at] && self.behind(at, &needed, at_end, inside));
                changed |= needed[at] != now;
                needed[at] = now;
            }
        }
        needed
    }

    fn needed_behind(&self, at: usize, at_end: bool, inside: Option<usize>) -> bool {
        let needed = self.needed_in_front(at_end, inside);
        self.behind(at, &needed, at_end, inside)
    }

    fn behind(&self, at: usize, needed: &[bool], at_end: bool, inside: Option<usize>) -> bool {
        let is_in = |to: usize| {
            inside.is_none_or(|head| to == head || self.tasks[to].loops.contains(&head))
        };
        let leaves = |to: usize| is_in(at) && !is_in(to);
        let mut next =
            (0..self.tasks.len()).filter(|&to| self.tasks[to].before.contains(&at) && !leaves(to));
        let ends = at_end && inside.is_none_or(|_| !is_in(at)) && self.returns.contains(&at);
        ends || next.any(|to| needed[to])
    }

    /// Whether the side to which data moves uses it in a task.
    fn uses(&self, at: usize) -> bool {
        let doing = self.doings[at];
        match self.to_device {
            true => doing.device_touches,
            false => doing.host_touches,
        }
    }
}

/// A number with its thousands apart.
fn grouped(number: i128) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut parts: Vec<&str> = if first > 0 { vec![&digits[..first]] } else { Vec::new() };
    parts.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    parts.join(",")
}
