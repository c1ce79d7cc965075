//! How each family of directives calls things: what messages and remarks say to the user.

use super::MappingKind;
use super::construct::{GANG, LANE};

/// A family of directives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// OpenACC.
    #[default]
    OpenAcc,
    /// OpenMP.
    OpenMp,
    /// OpenHMPP.
    OpenHmpp,
    /// JolokiaC++.
    Jolokia,
}

impl Family {
    /// What its specification calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Family::OpenAcc => "OpenACC",
            Family::OpenMp => "OpenMP",
            Family::OpenHmpp => "OpenHMPP",
            Family::Jolokia => "JolokiaC++",
        }
    }

    /// A clause that maps or moves `list` in this way.
    pub fn data_clause(self, kind: MappingKind, list: &str) -> String {
        match self {
            Family::OpenAcc => format!("{}({list})", kind.keyword()),
            Family::OpenMp => match kind {
                MappingKind::Copy | MappingKind::ImplicitCopy => format!("map(tofrom: {list})"),
                MappingKind::CopyIn | MappingKind::ImplicitCopyIn => format!("map(to: {list})"),
                MappingKind::CopyOut => format!("map(from: {list})"),
                MappingKind::Create => format!("map(alloc: {list})"),
                MappingKind::Delete => format!("map(release: {list})"),
                MappingKind::DevicePtr => format!("is_device_ptr({list})"),
                MappingKind::UseDevice => format!("use_device_ptr({list})"),
                MappingKind::UpdateHost => format!("from({list})"),
                MappingKind::UpdateDevice => format!("to({list})"),
                MappingKind::FirstPrivate => format!("firstprivate({list})"),
                MappingKind::NoCreate
                | MappingKind::Present
                | MappingKind::ImplicitPresent
                | MappingKind::ImplicitSection
                | MappingKind::Attach
                | MappingKind::Detach => format!("map(present, alloc: {list})"),
            },
            Family::Jolokia => match kind {
                MappingKind::CopyIn | MappingKind::ImplicitCopyIn => format!("gpuIn({list})"),
                MappingKind::CopyOut => format!("gpuOut({list})"),
                _ => format!("gpuIn({list}) gpuOut({list})"),
            },
            Family::OpenHmpp => match kind {
                MappingKind::Copy | MappingKind::ImplicitCopy => format!("args[{list}].io=inout"),
                MappingKind::CopyIn | MappingKind::ImplicitCopyIn => format!("args[{list}].io=in"),
                MappingKind::CopyOut => format!("args[{list}].io=out"),
                _ => format!("args[{list}]"),
            },
        }
    }

    /// The directive that has variables of the file on the device as long as the program runs.
    pub fn declares_variables(self) -> Option<&'static str> {
        match self {
            Family::OpenAcc => Some("#pragma acc declare create(…)"),
            Family::OpenMp => Some("#pragma omp declare target(…)"),
            Family::OpenHmpp | Family::Jolokia => None,
        }
    }

    /// The directive that keeps `list` on the device while the statement behind it runs, where there is one.
    pub fn data_construct(self, list: &str) -> Option<String> {
        let clause = self.data_clause(MappingKind::Copy, list);
        match self {
            Family::OpenAcc => Some(format!("#pragma acc data {clause}")),
            Family::OpenMp => Some(format!("#pragma omp target data {clause}")),
            Family::OpenHmpp | Family::Jolokia => None,
        }
    }

    /// The clauses that give the numbers of gangs, workers and lanes of a region.
    pub(crate) fn size_clauses(self) -> [&'static str; 3] {
        match self {
            Family::OpenMp => ["num_teams", "num_workers", "thread_limit"],
            Family::OpenAcc | Family::OpenHmpp | Family::Jolokia => {
                ["num_gangs", "num_workers", "vector_length"]
            }
        }
    }

    /// What passes say of constructs, who know no family, in the family's words.
    pub fn worded(self, text: &str) -> String {
        match self {
            Family::OpenAcc => text.to_owned(),
            Family::OpenHmpp | Family::Jolokia => match text.strip_prefix("#pragma acc loop ") {
                Some(clauses) => format!(
                    "Loop divided among {}",
                    clauses
                        .replace("gang", "blocks")
                        .replace("worker", "rows of threads")
                        .replace("vector", "threads")
                ),
                None => self
                    .implicit_map(text)
                    .unwrap_or_else(|| text.replace("#pragma acc", self.loop_pragma())),
            },
            Family::OpenMp => match text.strip_prefix("#pragma acc loop ") {
                Some(clauses) => {
                    let end = clauses.find(" /*").unwrap_or(clauses.len());
                    let (levels, indices) = clauses.split_at(end);
                    let levels = levels
                        .replace("gang", "teams")
                        .replace("worker", "rows of threads")
                        .replace("vector", "threads");
                    format!("Loop divided among {levels}{indices}")
                }
                None => {
                    self.implicit_map(text).unwrap_or(text.replace("#pragma acc", "#pragma omp"))
                }
            },
        }
    }

    /// What begins a line about a loop.
    fn loop_pragma(self) -> &'static str {
        match self {
            Family::OpenAcc => "#pragma acc",
            Family::OpenMp => "#pragma omp",
            Family::OpenHmpp => "#pragma hmppcg",
            Family::Jolokia => "#pragma jolokia",
        }
    }

    /// A remark on data that the program has not written a clause for.
    fn implicit_map(self, text: &str) -> Option<String> {
        let kinds = [MappingKind::Copy, MappingKind::CopyIn, MappingKind::Present];
        let rest = text.strip_prefix("Generating implicit ")?;
        kinds.into_iter().find_map(|kind| {
            let list = rest.strip_prefix(kind.keyword())?.strip_prefix('(')?.strip_suffix(')')?;
            Some(format!("Generating implicit {}", self.data_clause(kind, list)))
        })
    }

    /// What makes of a stray loop a construct of its own.
    pub(crate) fn stray_loop_help(self) -> &'static str {
        match self {
            Family::OpenAcc => "write `parallel loop`, or put it into a compute construct",
            Family::OpenMp => "write `target teams distribute parallel for`",
            Family::OpenHmpp => "call its function from a codelet",
            Family::Jolokia => "put a task in front of it: `#pragma jolokia gpuIn(…) gpuOut(…)`",
        }
    }

    /// What a reduction may combine by an operator.
    pub(crate) fn reduction_rule(self) -> &'static str {
        match self {
            Family::OpenAcc => "OpenACC 3.3 §2.5.15",
            Family::OpenMp => "OpenMP 5.2 §5.5.5",
            Family::OpenHmpp => "Andión et al. 2015, §3",
            Family::Jolokia => "Patel 2014, §4.1",
        }
    }

    /// What an atomic statement may be.
    pub(crate) fn atomic_rule(self) -> &'static str {
        match self {
            Family::OpenAcc => "OpenACC 3.3 §2.12",
            Family::OpenMp => "OpenMP 5.2 §15.8.4",
            Family::OpenHmpp => "Andión et al. 2015, §3",
            Family::Jolokia => "Patel 2014, §5.2",
        }
    }

    /// Which pointers a directive on pointers alone is about.
    pub(crate) fn attach_help(self) -> &'static str {
        match self {
            Family::OpenAcc => "`attach` and `detach` are about pointers (OpenACC 3.3 §2.7.2)",
            Family::OpenMp => "map the section that it points to",
            Family::OpenHmpp => "say how much it points to: `args[p].size={n}`",
            Family::Jolokia => "name the array that it points to",
        }
    }

    /// What to do about a gang loop within another.
    pub(crate) fn gang_within_gang_help(self) -> &'static str {
        match self {
            Family::OpenAcc => {
                "leave `gang` out, or give the outer loop a higher dimension: `gang(dim:2)` (OpenACC 3.3 §2.9.2)"
            }
            Family::OpenMp => "distribute one of the loops only (OpenMP 5.2 §11.6)",
            Family::OpenHmpp => "write `parallel` at one of the loops only",
            Family::Jolokia => "write `for` in the place of one `_for`",
        }
    }

    /// The clause that leaves a loop's iterations in order.
    pub(crate) fn in_order_help(self) -> &'static str {
        match self {
            Family::OpenAcc => "leave the loop to run in order: `seq`",
            Family::OpenMp => "leave the loop without a directive",
            Family::OpenHmpp => "write `noParallel` at the loop",
            Family::Jolokia => "write `for` in the place of `_for`",
        }
    }

    /// The clause that wants every variable in a clause.
    pub(crate) fn default_none(self) -> &'static str {
        match self {
            Family::OpenAcc => "default(none)",
            Family::OpenMp => "defaultmap(none)",
            Family::OpenHmpp => "args",
            Family::Jolokia => "gpuIn",
        }
    }
}

impl Family {
    /// Whether loops inside each other have to combine a variable by the same operator (OpenACC 3.3 §2.9.11); else each
    /// combines what it has into what the one around has.
    pub(crate) fn combines_alike(self) -> bool {
        self == Family::OpenAcc
    }

    /// Whether a scalar in no clause is the construct's own copy, so that the program means to lose what is left
    /// in it (OpenMP 5.2 §5.8.1); else what it reads later is refused where it would be lost.
    pub(crate) fn copies_scalars(self) -> bool {
        match self {
            Family::OpenAcc | Family::Jolokia => false,
            Family::OpenMp | Family::OpenHmpp => true,
        }
    }
}

/// What a routine tells device code of the processor that executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// The same everywhere.
    Constant(i128),
    /// The number of the gang or lane.
    Of(usize),
    /// How many of these there are.
    Count(usize),
    /// Whether there are several.
    Several(usize),
    /// Whether they execute this, however many there are.
    Within(usize),
    /// How many lanes a gang may have.
    Limit,
}

impl Number {
    /// What the routine of that name tells (OpenMP 5.2 §18.2 to §18.7).
    pub(crate) fn asked_by(name: &str) -> Option<Number> {
        Some(match name {
            "omp_is_initial_device" | "omp_get_device_num" | "omp_get_default_device" => {
                Number::Constant(0)
            }
            // Of teams, as many as the program asks for.
            "omp_get_max_teams" | "omp_in_final" | "omp_get_dynamic" => Number::Constant(0),
            // There is one device, and the host's number is one more; parallel regions in parallel regions have one thread.
            "omp_get_num_devices" | "omp_get_initial_device" | "omp_get_max_active_levels" => {
                Number::Constant(1)
            }
            "omp_get_cancellation" | "omp_get_num_places" | "omp_get_proc_bind" => {
                Number::Constant(0)
            }
            "omp_in_parallel" | "omp_get_active_level" => Number::Several(LANE),
            "omp_get_level" => Number::Within(LANE),
            // Of those that a team can have.
            "omp_get_thread_limit" | "omp_get_teams_thread_limit" | "omp_get_num_procs" => {
                Number::Limit
            }
            "omp_get_team_num" => Number::Of(GANG),
            "omp_get_num_teams" => Number::Count(GANG),
            "omp_get_thread_num" => Number::Of(LANE),
            "omp_get_num_threads" => Number::Count(LANE),
            _ => return None,
        })
    }
}

/// A routine by which device code looks at the time (OpenMP 5.2 §18.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// How late it is.
    Now,
    /// How far two times are apart at least.
    Tick,
}

impl Clock {
    /// What the routine of that name looks at.
    pub(crate) fn asked_by(name: &str) -> Option<Clock> {
        match name {
            "omp_get_wtime" => Some(Clock::Now),
            "omp_get_wtick" => Some(Clock::Tick),
            _ => None,
        }
    }
}

/// A routine by which device code has memory of its own (OpenMP 5.2 §18.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocation {
    /// Memory, whose size is the product of these arguments.
    Memory {
        /// The numbers of the arguments.
        size: &'static [usize],
        /// Whether it is zero at first.
        zeroed: bool,
        /// The number of the argument that says how it is aligned.
        align: Option<usize>,
    },
    /// Something that has nothing to do: all memory is of one kind, and goes with the region.
    Nothing,
}

impl Allocation {
    /// What the routine of that name does.
    pub(crate) fn asked_by(name: &str) -> Option<Allocation> {
        Some(match name {
            "omp_alloc" => Allocation::Memory { size: &[0], zeroed: false, align: None },
            "omp_calloc" => Allocation::Memory { size: &[0, 1], zeroed: true, align: None },
            "omp_aligned_alloc" => Allocation::Memory { size: &[1], zeroed: false, align: Some(0) },
            "omp_aligned_calloc" => {
                Allocation::Memory { size: &[1, 2], zeroed: true, align: Some(0) }
            }
            "omp_free"
            | "omp_init_allocator"
            | "omp_destroy_allocator"
            | "omp_set_default_allocator" => Allocation::Nothing,
            _ => return None,
        })
    }
}

/// What a routine on locks gives back in device code, where threads that lock anything take turns (OpenMP 5.2 §18.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Nothing; other threads may wait for it where it `waits`.
    Nothing {
        /// Whether threads that call it exclude each other.
        waits: bool,
    },
    /// That it is locked now: nobody else has it.
    Locked,
}

impl Lock {
    /// What the routine of that name does.
    pub(crate) fn asked_by(name: &str) -> Option<Lock> {
        Some(match name {
            "omp_init_lock"
            | "omp_init_nest_lock"
            | "omp_init_lock_with_hint"
            | "omp_init_nest_lock_with_hint"
            | "omp_destroy_lock"
            | "omp_destroy_nest_lock"
            | "omp_unset_lock"
            | "omp_unset_nest_lock" => Lock::Nothing { waits: false },
            "omp_set_lock" | "omp_set_nest_lock" => Lock::Nothing { waits: true },
            "omp_test_lock" => Lock::Locked,
            _ => return None,
        })
    }
}

/// The device types (`acc_device_t`) for which a test in device code holds (OpenACC 3.3 §3.2.17).
pub(crate) const RUNS_ON_DEVICE: [i128; 2] = [4, 5];

/// Whether the function of that name asks where it runs, by a device type.
pub(crate) fn tests_device(name: &str) -> bool {
    name == "acc_on_device"
}
