//! OpenACC's directives as what they do.

use gpuc_dialects::offload::{Construct, LoopOrder};

use super::{
    Argument, Clause, ClauseKind, ClauseName, DefaultData, Directive, DirectiveKind, Modifiers,
    Wait,
};
use crate::directive::action::{Action, Condition, DeviceChoice, Order, QueueName, Waits};
use crate::directive::atomic::AtomicForm;
use crate::directive::construct::{ComputeRegion, Nest, Reduction, WorkShare};
use crate::directive::data::Mapping;
use crate::directive::{self, DataFlags, Family, Kind, MappingKind, VarRef, Written};
use crate::tree::{ExprId, TranslationUnit};

/// `acc_device_t` of `openacc.h` for the names of device types (OpenACC 3.3 §2.4); `None` is `*`.
pub(super) fn device_type(name: Option<&str>) -> Option<i32> {
    Some(match name {
        None | Some("default") => 1,
        Some("host") => 2,
        Some("not_host") => 4,
        Some("nvidia" | "NVIDIA" | "acc_device_nvidia") => 5,
        Some("radeon" | "RADEON") => 8,
        Some("multicore") => 9,
        Some(_) => return None,
    })
}

/// Whether clauses behind `device_type` are for the devices that this compiler compiles for, and how
/// closely they are meant; `*` means all of which no other says anything.
pub(super) fn applies_to_our_devices(name: Option<&str>) -> Option<u32> {
    match name {
        Some("nvidia" | "NVIDIA" | "acc_device_nvidia") => Some(2),
        None | Some("default" | "not_host") => Some(1),
        Some(_) => None,
    }
}

/// The clauses of a directive that are for the devices of this compiler: those in front of every
/// `device_type`, but where the closest one says something of its own (OpenACC 3.3 §2.4).
pub(super) fn for_our_devices(unit: &TranslationUnit, clauses: Vec<Clause>) -> Vec<Clause> {
    let mut general = Vec::new();
    let mut own: Option<(u32, Vec<Clause>)> = None;
    let mut rank = None;
    let mut begun = false;
    for clause in clauses {
        if let ClauseKind::DeviceType(names) = &clause.kind {
            let ranks = names
                .iter()
                .filter_map(|name| applies_to_our_devices(name.map(|name| unit.text(name))));
            rank = ranks.max().filter(|&rank| own.as_ref().is_none_or(|&(known, _)| rank > known));
            if let Some(rank) = rank {
                own = Some((rank, Vec::new()));
            }
            begun = true;
        } else if !begun {
            general.push(clause);
        } else if let (Some(_), Some((_, own))) = (rank, &mut own) {
            own.push(clause);
        }
    }
    let own = own.map_or(Vec::new(), |(_, own)| own);
    general.retain(|clause| !own.iter().any(|other| other.name == clause.name));
    general.extend(own);
    general
}

/// What a directive means.
pub(crate) fn meaning(directive: Directive, unit: &TranslationUnit) -> directive::Directive {
    let kind = directive.meaning(unit);
    let words = directive.kind.spelling();
    directive::Directive {
        nest: directive.kind.is_loop().then(|| directive.nest(unit)),
        sizes: [ClauseName::NumGangs, ClauseName::NumWorkers, ClauseName::VectorLength]
            .map(|name| directive.clause(name).map_or(Vec::new(), |clause| values(&clause.kind))),
        data: directive.mappings(),
        default_data: directive.default_data(),
        private: directive.listed(ClauseName::Private),
        firstprivate: directive.listed(ClauseName::FirstPrivate),
        reductions: directive.reductions(),
        order: directive.order(),
        condition: directive.condition(),
        values: directive.clauses.iter().flat_map(|clause| values(&clause.kind)).collect(),
        size_values: directive
            .clauses
            .iter()
            .filter(|clause| clause.name.is_size())
            .flat_map(|clause| values(&clause.kind))
            .collect(),
        ..directive::Directive::new(Family::OpenAcc, words, directive.span, kind)
    }
    .written(Written::OpenAcc(directive))
}

/// The expressions that a clause evaluates: those of its values, not its variables.
fn values(kind: &ClauseKind) -> Vec<ExprId> {
    match kind {
        ClauseKind::Value(e) | ClauseKind::OptionalValue(Some(e)) => vec![*e],
        ClauseKind::NumGangs(list) => list.clone(),
        ClauseKind::Gang(gang) => gang.num.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The kind of mapping that a data clause asks for.
fn data_kind(name: ClauseName) -> Option<MappingKind> {
    Some(match name {
        ClauseName::Copy => MappingKind::Copy,
        ClauseName::CopyIn => MappingKind::CopyIn,
        ClauseName::CopyOut => MappingKind::CopyOut,
        ClauseName::Create => MappingKind::Create,
        ClauseName::NoCreate => MappingKind::NoCreate,
        ClauseName::Present => MappingKind::Present,
        ClauseName::Delete => MappingKind::Delete,
        ClauseName::DevicePtr => MappingKind::DevicePtr,
        ClauseName::SelfClause | ClauseName::Host => MappingKind::UpdateHost,
        ClauseName::Device => MappingKind::UpdateDevice,
        ClauseName::DeviceResident => MappingKind::Create,
        ClauseName::UseDevice => MappingKind::UseDevice,
        ClauseName::Attach => MappingKind::Attach,
        ClauseName::Detach => MappingKind::Detach,
        _ => return None,
    })
}

impl Directive {
    /// What it is.
    fn meaning(&self, unit: &TranslationUnit) -> Kind {
        use DirectiveKind as D;
        let region = |construct| Kind::Compute(ComputeRegion { construct });
        Kind::Host(match self.kind {
            D::Parallel | D::ParallelLoop => return region(Construct::Parallel),
            D::Kernels | D::KernelsLoop => return region(Construct::Kernels),
            D::Serial | D::SerialLoop => return region(Construct::Serial),
            D::Loop => return Kind::Loop,
            D::Atomic => return Kind::Atomic(self.atomic_form()),
            // What is kept close is chosen by how often it is read.
            D::Cache => return Kind::Hint,
            D::Routine => return self.routine(),
            D::Data => Action::Data,
            D::EnterData => Action::Enter,
            D::ExitData => Action::Exit,
            D::Update => Action::Update,
            D::HostData => Action::Addresses,
            D::Declare => Action::Scope,
            D::Wait => Action::Wait,
            D::Init => Action::Init(self.device(unit)),
            D::Shutdown => Action::Shutdown(self.device(unit)),
            D::Set => Action::Choose {
                device: self.device(unit),
                queue: self.clause_value(ClauseName::DefaultAsync),
            },
        })
    }

    /// What an `atomic` directive says of its statement: `update` where it says nothing.
    fn atomic_form(&self) -> AtomicForm {
        let forms = [
            (ClauseName::Read, AtomicForm::Read),
            (ClauseName::Write, AtomicForm::Write),
            (ClauseName::Capture, AtomicForm::Capture),
        ];
        let form = forms.into_iter().find(|&(name, _)| self.clause(name).is_some());
        form.map_or(AtomicForm::Update, |(_, form)| form)
    }

    fn routine(&self) -> Kind {
        let function = match self.argument {
            Some(Argument::Routine(decl)) => Some(decl),
            _ => None,
        };
        let bind = self.clause(ClauseName::Bind).and_then(|clause| match clause.kind {
            ClauseKind::Bind(name) => Some(name),
            _ => None,
        });
        let levels = [ClauseName::Gang, ClauseName::Worker, ClauseName::Vector];
        let divides = levels.into_iter().any(|level| self.clause(level).is_some());
        Kind::Routine { function, bind, divides }
    }

    /// The loops that it is about.
    fn nest(&self, unit: &TranslationUnit) -> Nest {
        let has = |name| self.clause(name).is_some();
        let mut nest =
            Nest { tile: self.clause(ClauseName::Tile).map(|c| c.span), ..Nest::default() };
        nest.gang_parts = self.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::Gang(gang) if gang.static_size.is_some() => Some(clause.span),
            _ => None,
        });
        for clause in &self.clauses {
            match &clause.kind {
                ClauseKind::Collapse { force, count } => {
                    nest.count = nest.count.max(*count);
                    nest.force |= force;
                }
                ClauseKind::Tile(sizes) => nest.count = nest.count.max(sizes.len() as u32),
                _ => {}
            }
        }
        nest.order = match () {
            () if has(ClauseName::Seq) => Some(LoopOrder::Seq),
            () if has(ClauseName::Auto) => Some(LoopOrder::Auto),
            () if has(ClauseName::Independent) => Some(LoopOrder::Independent),
            () => None,
        };
        nest.levels = [ClauseName::Gang, ClauseName::Worker, ClauseName::Vector].map(|name| {
            let clause = self.clause(name)?;
            let dim = match &clause.kind {
                ClauseKind::Gang(gang) => gang.dim.and_then(|dim| unit.constant_int(dim)),
                _ => None,
            };
            let size = values(&clause.kind).first().copied();
            Some(WorkShare { size, dimension: dim.unwrap_or(1) })
        });
        nest
    }

    /// What its data clauses map or move.
    fn mappings(&self) -> Vec<Mapping> {
        let has = |name| self.clause(name).is_some();
        let (finalize, if_present) = (has(ClauseName::Finalize), has(ClauseName::IfPresent));
        let mut mappings = Vec::new();
        for clause in &self.clauses {
            let (Some(kind), ClauseKind::Vars { modifiers, vars }) =
                (data_kind(clause.name), &clause.kind)
            else {
                continue;
            };
            let Modifiers { zero, always, readonly } = *modifiers;
            let flags =
                DataFlags { finalize, if_present, zero, always, readonly, ..DataFlags::default() };
            mappings.extend(vars.iter().map(|var| Mapping { kind, flags, var: var.clone() }));
        }
        // `const` is a promise; it moves what no other clause does.
        for var in self.listed(ClauseName::Const) {
            let own = mappings.iter_mut().find(|mapping| mapping.var.decl == var.decl);
            match own {
                Some(mapping) => mapping.flags.readonly = true,
                None => {
                    let flags = DataFlags { readonly: true, ..DataFlags::default() };
                    mappings.push(Mapping { kind: MappingKind::CopyIn, flags, var });
                }
            }
        }
        mappings
    }

    /// The variables of the clauses of that name, in order.
    fn listed(&self, name: ClauseName) -> Vec<VarRef> {
        let clauses = self.clauses.iter().filter(|clause| clause.name == name);
        clauses
            .flat_map(|clause| match &clause.kind {
                ClauseKind::Vars { vars, .. } => vars.clone(),
                _ => Vec::new(),
            })
            .collect()
    }

    fn reductions(&self) -> Vec<Reduction> {
        let clauses = self.clauses.iter();
        clauses
            .filter_map(|clause| match &clause.kind {
                ClauseKind::Reduction { op, vars } => {
                    Some(Reduction { op: *op, vars: vars.clone() })
                }
                _ => None,
            })
            .collect()
    }

    fn clause_value(&self, name: ClauseName) -> Option<ExprId> {
        match self.clause(name)?.kind {
            ClauseKind::Value(value) => Some(value),
            ClauseKind::Condition(value) => Some(value),
            ClauseKind::OptionalValue(value) => value,
            _ => None,
        }
    }

    fn device(&self, unit: &TranslationUnit) -> DeviceChoice {
        let kind = match self.clause(ClauseName::DeviceType).map(|clause| &clause.kind) {
            Some(ClauseKind::DeviceType(names)) => names.first().copied(),
            _ => None,
        };
        DeviceChoice {
            kind: kind.and_then(|name| device_type(name.map(|name| unit.text(name)))),
            number: self.clause_value(ClauseName::DeviceNum),
        }
    }

    /// When it happens, by its `async` and `wait` clauses and by the argument of `wait`.
    fn order(&self) -> Order {
        let queue = self.clause(ClauseName::Async).map(|clause| match clause.kind {
            ClauseKind::OptionalValue(Some(number)) => QueueName::Number(number),
            _ => QueueName::Default,
        });
        let waits = |wait: &Wait| Waits { device: wait.device, queues: wait.queues.clone() };
        let mut list: Vec<Waits> = self
            .clauses
            .iter()
            .filter_map(|clause| match &clause.kind {
                ClauseKind::Wait(wait) => Some(waits(wait)),
                _ => None,
            })
            .collect();
        if self.kind == DirectiveKind::Wait {
            list.push(match &self.argument {
                Some(Argument::Wait(wait)) => waits(wait),
                _ => Waits::default(),
            });
        }
        Order { queue, waits: list }
    }

    /// On which condition it happens on the device, by its `if` and `self` clauses.
    fn condition(&self) -> Condition {
        let on_host = self.clause(ClauseName::SelfClause).filter(|_| self.kind.is_compute());
        Condition {
            when: self.clause_value(ClauseName::If),
            unless: on_host.and_then(|_| self.clause_value(ClauseName::SelfClause)),
            never: on_host
                .is_some_and(|clause| matches!(clause.kind, ClauseKind::OptionalValue(None))),
            ..Condition::default()
        }
    }

    /// What its `default` clause says.
    fn default_data(&self) -> Option<DefaultData> {
        match self.clause(ClauseName::Default)?.kind {
            ClauseKind::Default(default) => Some(default),
            _ => None,
        }
    }
}
