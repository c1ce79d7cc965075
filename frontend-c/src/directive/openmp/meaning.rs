//! OpenMP's directives as what they do.

use gpuc_dialects::offload::{Construct, LoopOrder};

use super::{Behaviour, ClauseKind, Directive, Form};
use crate::directive::action::{Action, Condition};
use crate::directive::atomic::AtomicForm;
use crate::directive::construct::{Chunk, ComputeRegion, Nest, Reduction, WorkShare};
use crate::directive::data::{Implicit, Mapping};
use crate::directive::{self, DataFlags, DefaultData, Family, Kind, MappingKind, VarRef, Written};
use crate::tree::{DeclKind, ExprId, TranslationUnit};

/// What a directive means. `one` is the number 1 as an expression of the place.
pub(crate) fn meaning(
    directive: Directive,
    unit: &TranslationUnit,
    one: ExprId,
    in_parallel: bool,
) -> directive::Directive {
    let form = directive.form;
    let kind = kind(&directive);
    let (implicit, default_data) = directive.implicit();
    let sizes = directive.sizes(unit, one);
    let lane_limit = directive.thread_limit();
    let values: Vec<ExprId> = sizes
        .iter()
        .flatten()
        .copied()
        .chain(lane_limit)
        .chain(directive.value("device"))
        .collect();
    let nest = form.is_loop().then(|| directive.nest(in_parallel));
    let mut values = values;
    if let (Some(nest), false) = (&nest, form.has("target")) {
        values.extend(super::threads::values_of(nest, &directive.linear()));
    }
    let condition = directive.condition();
    let linear = directive.linear();
    directive::Directive {
        nest,
        size_values: sizes
            .iter()
            .flatten()
            .copied()
            .chain(lane_limit)
            .chain(linear.iter().filter_map(|(_, step)| *step))
            .collect(),
        sizes,
        lane_limit,
        data: directive.mappings(unit),
        implicit,
        default_data,
        private: directive.listed("private"),
        firstprivate: directive.listed("firstprivate"),
        lastprivate: [
            directive.listed("lastprivate"),
            linear.iter().map(|(var, _)| var.clone()).collect(),
        ]
        .concat(),
        linear,
        reductions: directive.reductions(),
        condition,
        host_waits: directive.clauses("depend").map(|clause| clause.span).collect(),
        host_joins: match form.has("target") {
            true => directive.clauses("in_reduction").map(|clause| clause.span).collect(),
            false => Vec::new(),
        },
        values,
        ..directive::Directive::new(Family::OpenMp, form.words, directive.span, kind)
    }
    .written(Written::OpenMp(directive))
}

/// What a directive is.
fn kind(directive: &Directive) -> Kind {
    let form = directive.form;
    match form.words {
        "target data" => Kind::Host(Action::Data),
        "target enter data" => Kind::Host(Action::Enter),
        "target exit data" => Kind::Host(Action::Exit),
        "target update" => Kind::Host(Action::Update),
        "declare target" | "begin declare target" | "end declare target" => {
            Kind::Host(Action::Scope)
        }
        "atomic" => Kind::Atomic(directive.atomic_form()),
        "requires" => Kind::Hint,
        // A loop that is divided ends with a barrier of the threads.
        "barrier" => Kind::Hint,
        // Tasks are done when their thread goes on; constructs are not cancelled unless the environment says so
        // (OpenMP 5.2 §21.2.6).
        "flush" | "taskwait" | "taskyield" | "cancel" | "cancellation point" | "nothing"
        | "allocate" | "error" | "scan" => Kind::Hint,
        _ if form.has("target") => Kind::Compute(ComputeRegion { construct: Construct::Parallel }),
        _ if form.is_loop() => Kind::Loop,
        _ => Kind::Block,
    }
}

/// Who divides the iterations of a combined form: teams are gangs, their threads lanes. `in_parallel` is
/// whether they are those of a `parallel` region around.
fn dividing(form: &Form, binding: Option<&str>, in_parallel: bool) -> (bool, bool) {
    if form.has("loop") {
        return match binding {
            Some("thread") => (false, false),
            Some("parallel") => (false, true),
            Some(_) => (true, true),
            None => (!in_parallel && !form.has("parallel") || form.has("teams"), true),
        };
    }
    let lanes = ["for", "simd", "sections", "taskloop"];
    (form.has("distribute"), lanes.iter().any(|leaf| form.has(leaf)))
}

impl Directive {
    fn atomic_form(&self) -> AtomicForm {
        let has = |name| self.clauses(name).next().is_some();
        if has("compare") {
            return match has("capture") {
                true => AtomicForm::CompareCapture,
                false => AtomicForm::Compare,
            };
        }
        let forms = [
            ("read", AtomicForm::Read),
            ("write", AtomicForm::Write),
            ("capture", AtomicForm::Capture),
        ];
        let form = forms.into_iter().find(|&(name, _)| self.clauses(name).next().is_some());
        form.map_or(AtomicForm::Update, |(_, form)| form)
    }

    /// The loops that it is about.
    fn nest(&self, in_parallel: bool) -> Nest {
        let binding = self.clauses("bind").find_map(|clause| match &clause.kind {
            ClauseKind::Bind(binding) => Some(binding.as_str()),
            _ => None,
        });
        let form = self.form;
        let (gangs, lanes) = dividing(form, binding, in_parallel);
        // Without teams there is one; that its iterations are shared with others, nobody sees.
        let widened = gangs || form.has("target") && binding != Some("thread");
        let level = Some(WorkShare { size: None, dimension: 1 });
        let is_own =
            form.has("parallel") || !["for", "loop", "sections"].iter().any(|l| form.has(l));
        let in_order = |clause: &super::Clause| {
            matches!(clause.kind, ClauseKind::InOrder(_) | ClauseKind::Scan { .. })
        };
        let transforms = matches!(form.words, "reverse" | "interchange");
        let ordered = self.clauses("ordered").next().is_some()
            || self.clauses.iter().any(in_order)
            || transforms;
        let counts = self.clauses("collapse").filter_map(|clause| match clause.kind {
            ClauseKind::Collapse(count) => Some(count),
            _ => None,
        });
        Nest {
            count: if form.words == "interchange" { 2 } else { counts.max().unwrap_or(1) },
            reverse: form.words == "reverse",
            interchange: form.words == "interchange",
            chunks: self.chunks(),
            levels: [
                level.filter(|_| widened && (gangs || !ordered)),
                None,
                level.filter(|_| lanes && !ordered),
            ],
            order: (ordered && !gangs).then_some(LoopOrder::Seq),
            shared: [gangs, false, lanes && !is_own],
            yields: true,
            // Nests need be neither tight nor rectangular (OpenMP 5.2 §4.4.1).
            force: true,
            ..Nest::default()
        }
    }

    /// The numbers of teams, and of threads in each. What is an upper bound only may be left out where it
    /// is no constant.
    fn sizes(&self, unit: &TranslationUnit, one: ExprId) -> [Vec<ExprId>; 3] {
        let form = self.form;
        let teams: Vec<ExprId> = match () {
            () if form.has("teams") => self.value("num_teams").into_iter().collect(),
            () if form.has("target") && !form.is_loop() => vec![one],
            () => Vec::new(),
        };
        let bound = self.value("num_threads").or_else(|| self.value("thread_limit"));
        let threads = bound.filter(|&bound| {
            form.has("parallel") && matches!(unit.constant_int(bound), Some(1..=1024))
        });
        [teams, Vec::new(), threads.into_iter().collect()]
    }

    /// What its clauses map or move.
    pub(super) fn mappings(&self, unit: &TranslationUnit) -> Vec<Mapping> {
        let mut mappings = Vec::new();
        let mut add = |kind, flags: DataFlags, vars: &[VarRef]| {
            mappings.extend(vars.iter().map(|var| Mapping { kind, flags, var: var.clone() }));
        };
        let plain = DataFlags::default();
        // What is not there need not be moved (OpenMP 5.2 §13.9), nor be taken away.
        let lenient = DataFlags { if_present: true, ..plain };
        for clause in &self.clauses {
            match (clause.name.spelling, &clause.kind) {
                (_, ClauseKind::Map { kind, always, present, last, vars, .. }) => {
                    let leaves = self.form.words == "target exit data";
                    let flags = DataFlags {
                        always: *always,
                        finalize: *last,
                        one_count: true,
                        if_present: leaves && !present,
                        ..plain
                    };
                    let is_pointer =
                        |var: &VarRef| var.is_whole_variable(unit) && unit.types.is_pointer(var.ty);
                    for var in vars {
                        // Of one that a region changes, its own value is what is mapped.
                        let flags = DataFlags { itself: is_pointer(var), ..flags };
                        add(*kind, flags, std::slice::from_ref(var));
                    }
                }
                // What a task of the host combines into is its own variable of that name (OpenMP 5.2 §5.5.10).
                ("in_reduction", ClauseKind::Reduction { vars, .. }) if self.form.has("target") => {
                    let flags = DataFlags { one_count: true, ..plain };
                    add(MappingKind::Copy, flags, vars);
                }
                (_, ClauseKind::OfTarget(vars)) => add(MappingKind::FirstPrivate, plain, vars),
                (_, ClauseKind::InOrder(vars) | ClauseKind::Scan { vars, .. })
                    if self.form.has("target") =>
                {
                    let mapped = |var: &&VarRef| {
                        self.clauses.iter().any(|clause| {
                            matches!(&clause.kind, ClauseKind::Map { vars, .. }
                                if vars.iter().any(|known| known.decl == var.decl))
                        })
                    };
                    let flags = DataFlags { one_count: true, ..plain };
                    for var in vars.iter().filter(|var| !mapped(var)) {
                        add(MappingKind::Copy, flags, std::slice::from_ref(var));
                    }
                }
                ("to", ClauseKind::Vars(vars)) => add(MappingKind::UpdateDevice, lenient, vars),
                ("from", ClauseKind::Vars(vars)) => add(MappingKind::UpdateHost, lenient, vars),
                ("is_device_ptr", ClauseKind::Vars(vars)) => {
                    add(MappingKind::DevicePtr, plain, vars);
                }
                ("has_device_addr", ClauseKind::Vars(vars)) => {
                    // An object's name leads to where it is on the device.
                    let is_object = |var: &&VarRef| {
                        let ty = unit.exprs[var.base].ty;
                        unit.types.as_array(ty).is_none() && !unit.types.is_pointer(ty)
                    };
                    for var in vars {
                        let flags = DataFlags { if_present: is_object(&var), ..plain };
                        add(MappingKind::DevicePtr, flags, std::slice::from_ref(var));
                    }
                }
                _ => {}
            }
        }
        mappings
    }

    /// What it names by device addresses in its statement.
    pub(crate) fn addresses(&self) -> Vec<Mapping> {
        let names = ["use_device_ptr", "use_device_addr"];
        let vars = names.into_iter().flat_map(|name| self.listed(name));
        let flags = DataFlags { if_present: true, ..DataFlags::default() };
        vars.map(|var| Mapping { kind: MappingKind::UseDevice, flags, var }).collect()
    }

    /// How variables that are in no clause are mapped.
    fn implicit(&self) -> (Implicit, Option<DefaultData>) {
        let mut implicit = Implicit::default();
        let mut default = None;
        for clause in &self.clauses {
            match &clause.kind {
                ClauseKind::DefaultMap { behaviour, category } => {
                    let category = category.as_deref();
                    let kind = match *behaviour {
                        Behaviour::Map(kind) => Some(kind),
                        Behaviour::FirstPrivate if category != Some("scalar") => {
                            implicit.aggregates = Some(MappingKind::FirstPrivate);
                            continue;
                        }
                        Behaviour::None if category.is_none() => {
                            default = Some(DefaultData::None);
                            None
                        }
                        _ => None,
                    };
                    if matches!(category, None | Some("scalar")) {
                        implicit.scalars = kind;
                    }
                    if matches!(category, None | Some("aggregate")) {
                        implicit.aggregates = kind;
                    }
                }
                ClauseKind::DefaultNone => {}
                _ => {}
            }
        }
        (implicit, default)
    }

    fn reductions(&self) -> Vec<Reduction> {
        self.clauses
            .iter()
            .filter_map(|clause| match &clause.kind {
                // A task combines into the variable of its thread; the group, into the program's.
                ClauseKind::Reduction { op, vars }
                    if clause.name.spelling == "reduction"
                        || clause.name.spelling == "in_reduction"
                            && self.form.is_loop()
                            && !self.form.has("target") =>
                {
                    Some(Reduction { op: *op, vars: vars.clone() })
                }
                _ => None,
            })
            .collect()
    }

    /// Whether variables in no clause are copied in, where `default` makes them each thread's own.
    pub(super) fn default_own(&self) -> Option<bool> {
        self.clauses.iter().find_map(|clause| match clause.kind {
            ClauseKind::DefaultOwn { copied } => Some(copied),
            _ => None,
        })
    }

    /// Whether all that it lists are functions, which need no directive.
    pub(super) fn is_of_functions(&self, unit: &TranslationUnit) -> bool {
        let mut listed = self.listed.iter().chain(&self.linked);
        self.listed.len() + self.linked.len() > 0
            && listed.all(|&decl| matches!(unit.decls[decl].kind, DeclKind::Function(_)))
    }

    /// Whether the program's addresses must be the device's, too.
    pub(super) fn shares_memory(&self) -> bool {
        ["unified_shared_memory", "self_maps"]
            .iter()
            .any(|name| self.clauses(name).next().is_some())
    }

    /// Whether it is an `ordered` without a statement (OpenMP 5.2 §15.10.1).
    pub(super) fn is_doacross(&self) -> bool {
        ["depend", "doacross"].iter().any(|name| self.clauses(name).next().is_some())
    }

    /// The number of the thread that a `masked` is for.
    pub(super) fn filter(&self) -> Option<ExprId> {
        self.value("filter")
    }

    /// How many threads a team is to have.
    pub(super) fn threads(&self) -> Option<ExprId> {
        self.value("num_threads")
    }

    /// How many threads a team may have at most.
    pub(super) fn thread_limit(&self) -> Option<ExprId> {
        self.value("thread_limit")
    }

    /// How teams and threads that know their numbers share iterations (OpenMP 5.2 §11.5.3, §11.6.1).
    fn chunks(&self) -> [Chunk; 3] {
        let chunk = |name: &str| {
            let clause = self.clauses(name).next();
            match clause.map(|clause| &clause.kind) {
                Some(&ClauseKind::Static(Some(chunk))) => Chunk::Of(chunk),
                Some(ClauseKind::Static(None)) => Chunk::Part,
                _ => Chunk::One,
            }
        };
        let (teams, threads) = (chunk("dist_schedule"), chunk("schedule"));
        let says = self.clauses("dist_schedule").next().is_some();
        // What threads have in chunks is in one piece for their team.
        let teams = if says || threads == Chunk::One { teams } else { Chunk::Part };
        [teams, Chunk::One, threads]
    }

    /// Whether the program knows which iterations a thread executes one behind the other.
    pub(super) fn has_static_chunks(&self) -> bool {
        self.clauses("schedule").any(|clause| matches!(clause.kind, ClauseKind::Static(_)))
    }

    /// The variables of `linear`, with what each iteration adds.
    fn linear(&self) -> Vec<(VarRef, Option<ExprId>)> {
        let linear = self.clauses.iter().flat_map(|clause| match &clause.kind {
            ClauseKind::Linear { vars, step } => {
                vars.iter().map(|var| (var.clone(), *step)).collect()
            }
            _ => Vec::new(),
        });
        linear.collect()
    }

    /// On which condition a `parallel` has more than one thread.
    pub(super) fn parallel_condition(&self) -> Option<ExprId> {
        self.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::If { of, condition } => {
                let is_its = match of {
                    Some(of) => of == "parallel",
                    None => self.form.words.starts_with("parallel"),
                };
                is_its.then_some(*condition)
            }
            _ => None,
        })
    }

    /// On which condition it happens on the device. That a `parallel` has one thread, nobody sees.
    fn condition(&self) -> Condition {
        let when = self.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::If { of: None, condition } if self.form.is_for_device() => Some(*condition),
            ClauseKind::If { of: Some(of), condition }
                if *of == self.form.words || of == "target" =>
            {
                Some(*condition)
            }
            _ => None,
        });
        Condition { when, device: self.value("device"), ..Condition::default() }
    }
}
