//! OpenACC's directives as what they do.

use super::{
    Argument, Clause, ClauseKind, ClauseName, DefaultData, Directive, DirectiveKind, Wait,
};
use crate::directive::action::{Action, Condition, DeviceChoice, Order, QueueName, Waits};
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

/// The device types for which a test in device code holds (OpenACC 3.3 §3.2.17).
pub(crate) const RUNS_ON_DEVICE: [i128; 2] = [4, 5];

/// Whether the function of that name asks where it runs, by a device type.
pub(crate) fn tests_device(name: &str) -> bool {
    name == "acc_on_device"
}

impl Directive {
    /// What the directive does in the host program; `None` for those that only stand in device code,
    /// or only say something of a function.
    pub(crate) fn action(&self, unit: &TranslationUnit) -> Option<Action> {
        use DirectiveKind as D;
        Some(match self.kind {
            kind if kind.is_compute() => Action::Compute,
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
            _ => return None,
        })
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
    pub(crate) fn order(&self) -> Order {
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
    pub(crate) fn condition(&self) -> Condition {
        let on_host = self.clause(ClauseName::SelfClause).filter(|_| self.kind.is_compute());
        Condition {
            when: self.clause_value(ClauseName::If),
            unless: on_host.and_then(|_| self.clause_value(ClauseName::SelfClause)),
            never: on_host
                .is_some_and(|clause| matches!(clause.kind, ClauseKind::OptionalValue(None))),
        }
    }

    /// Which of the gangs' dimensions a loop's iterations are divided among; none where it is no gang
    /// loop (OpenACC 3.3 §2.9.2).
    pub(crate) fn gang_dimension(&self, unit: &TranslationUnit) -> Option<i128> {
        match &self.clause(ClauseName::Gang)?.kind {
            ClauseKind::Gang(gang) => {
                Some(gang.dim.and_then(|dim| unit.constant_int(dim)).unwrap_or(1))
            }
            _ => None,
        }
    }

    /// What its `default` clause says.
    pub(crate) fn default_data(&self) -> Option<DefaultData> {
        match self.clause(ClauseName::Default)?.kind {
            ClauseKind::Default(default) => Some(default),
            _ => None,
        }
    }
}
