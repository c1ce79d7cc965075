//! What the specification says of where clauses may stand: allowed on which directive, how often,
//! with which others, and which directives need one.

use gpuc_diagnostics::{Diagnostic, Severity, codes};

use super::{Argument, Clause, ClauseKind, ClauseName, Directive, DirectiveKind};
use crate::directive::VarRef;
use crate::source::Span;
use crate::tree::TranslationUnit;

use ClauseName as C;
use DirectiveKind as D;

const COMPUTE: &[C] = &[
    C::Async,
    C::Wait,
    C::NumGangs,
    C::NumWorkers,
    C::VectorLength,
    C::DeviceType,
    C::If,
    C::SelfClause,
    C::Copy,
    C::CopyIn,
    C::CopyOut,
    C::Create,
    C::NoCreate,
    C::Const,
    C::Present,
    C::DevicePtr,
    C::Attach,
    C::Default,
];

/// `acc_async_sync`, in our `openacc.h`.
const LOWEST_QUEUE: i128 = -2;

const PARALLEL: &[C] = &[C::Reduction, C::Private, C::FirstPrivate];

const LOOP: &[C] = &[
    C::Collapse,
    C::Gang,
    C::Worker,
    C::Vector,
    C::Seq,
    C::Independent,
    C::Auto,
    C::Tile,
    C::DeviceType,
    C::Private,
    C::Reduction,
];

/// The clauses that `directive` takes.
pub(super) fn allowed(directive: DirectiveKind) -> Vec<ClauseName> {
    let lists: &[&[C]] = match directive {
        D::Parallel | D::Serial => &[COMPUTE, PARALLEL],
        D::Kernels => &[COMPUTE],
        D::ParallelLoop | D::SerialLoop => &[COMPUTE, PARALLEL, LOOP],
        D::KernelsLoop => &[COMPUTE, LOOP],
        D::Loop => &[LOOP],
        D::Data => &[&[
            C::If,
            C::Async,
            C::Wait,
            C::DeviceType,
            C::Copy,
            C::CopyIn,
            C::CopyOut,
            C::Create,
            C::NoCreate,
            C::Present,
            C::DevicePtr,
            C::Attach,
            C::Default,
        ]],
        D::EnterData => &[&[C::If, C::Async, C::Wait, C::CopyIn, C::Create, C::Attach]],
        D::ExitData => {
            &[&[C::If, C::Async, C::Wait, C::CopyOut, C::Delete, C::Detach, C::Finalize]]
        }
        D::HostData => &[&[C::UseDevice, C::If, C::IfPresent]],
        D::Cache => &[],
        D::Atomic => &[&[C::Read, C::Write, C::Update, C::Capture, C::If]],
        D::Declare => &[&[
            C::Copy,
            C::CopyIn,
            C::CopyOut,
            C::Create,
            C::Present,
            C::DevicePtr,
            C::DeviceResident,
            C::Link,
        ]],
        D::Init | D::Shutdown => &[&[C::DeviceType, C::DeviceNum, C::If]],
        D::Set => &[&[C::DefaultAsync, C::DeviceNum, C::DeviceType, C::If]],
        D::Update => &[&[
            C::Async,
            C::Wait,
            C::DeviceType,
            C::If,
            C::IfPresent,
            C::SelfClause,
            C::Host,
            C::Device,
        ]],
        D::Routine => {
            &[&[C::Gang, C::Worker, C::Vector, C::Seq, C::Bind, C::DeviceType, C::NoHost]]
        }
        D::Wait => &[&[C::Async, C::If]],
    };
    let mut names: Vec<ClauseName> = lists.concat();
    // `serial` runs one gang of one worker with one lane: their numbers are not the user's.
    if matches!(directive, D::Serial | D::SerialLoop) {
        names.retain(|name| !matches!(name, C::NumGangs | C::NumWorkers | C::VectorLength));
    }
    names
}

/// Of which clauses a directive needs one.
fn required(directive: DirectiveKind) -> &'static [ClauseName] {
    match directive {
        D::Data => &[
            C::Copy,
            C::CopyIn,
            C::CopyOut,
            C::Create,
            C::NoCreate,
            C::Present,
            C::DevicePtr,
            C::Attach,
            C::Default,
        ],
        D::EnterData => &[C::CopyIn, C::Create, C::Attach],
        D::ExitData => &[C::CopyOut, C::Delete, C::Detach],
        D::HostData => &[C::UseDevice],
        D::Update => &[C::SelfClause, C::Host, C::Device],
        D::Declare => &[
            C::Copy,
            C::CopyIn,
            C::CopyOut,
            C::Create,
            C::Present,
            C::DevicePtr,
            C::DeviceResident,
            C::Link,
        ],
        D::Routine => &[C::Gang, C::Worker, C::Vector, C::Seq],
        D::Set => &[C::DefaultAsync, C::DeviceNum, C::DeviceType],
        _ => &[],
    }
}

/// Whether `name` may stand several times on one directive.
fn may_repeat(name: ClauseName, directive: DirectiveKind) -> bool {
    match name {
        C::SelfClause => directive == D::Update,
        C::Wait
        | C::Private
        | C::FirstPrivate
        | C::Reduction
        | C::DeviceType
        | C::DevicePtr
        | C::Present
        | C::Copy
        | C::CopyIn
        | C::CopyOut
        | C::Create
        | C::NoCreate
        | C::Const
        | C::Delete
        | C::Attach
        | C::Detach
        | C::UseDevice
        | C::DeviceResident
        | C::Link
        | C::Host
        | C::Device => true,
        _ => false,
    }
}

/// Pairs of clauses that exclude each other.
const EXCLUSIVE: &[(ClauseName, ClauseName)] = &[
    (C::Seq, C::Independent),
    (C::Seq, C::Auto),
    (C::Independent, C::Auto),
    (C::Seq, C::Gang),
    (C::Seq, C::Worker),
    (C::Seq, C::Vector),
    (C::Collapse, C::Tile),
    (C::Read, C::Write),
    (C::Read, C::Update),
    (C::Read, C::Capture),
    (C::Write, C::Update),
    (C::Write, C::Capture),
    (C::Update, C::Capture),
];

/// Whether the clause says what happens to a variable's data, once for each.
fn decides_data(name: ClauseName) -> bool {
    matches!(
        name,
        C::Copy
            | C::CopyIn
            | C::CopyOut
            | C::Create
            | C::NoCreate
            | C::Present
            | C::DevicePtr
            | C::Private
            | C::FirstPrivate
    )
}

/// The findings of a check, with their places.
pub(crate) type Checks = Vec<(Span, Diagnostic)>;

/// Checks the clauses of `directive` against each other.
pub(super) fn check(directive: &Directive, unit: &TranslationUnit) -> Checks {
    let mut found = Checks::new();
    let clauses = &directive.clauses;
    let word = directive.kind.spelling();
    let earlier = |index: usize, matching: &dyn Fn(&Clause) -> bool| -> Option<&Clause> {
        clauses[..index]
            .iter()
            .rev()
            // What follows a `device_type` is for those devices only.
            .take_while(|clause| clause.name != C::DeviceType)
            .find(|clause| matching(clause))
    };
    for (index, clause) in clauses.iter().enumerate() {
        let name = clause.name.spelling();
        if !may_repeat(clause.name, directive.kind)
            && let Some(first) = earlier(index, &|c| c.name == clause.name)
        {
            let diagnostic = Diagnostic::error(format!("`{word}` takes one `{name}` clause"))
                .related(unit.place(first.span), "this is the first");
            found.push((clause.span, diagnostic));
        }
        for &(a, b) in EXCLUSIVE {
            let other = if clause.name == a {
                b
            } else if clause.name == b {
                a
            } else {
                continue;
            };
            if earlier(index, &|c| c.name == other).is_some() {
                let other = other.spelling();
                let message = format!("`{name}` and `{other}` exclude each other");
                found.push((clause.span, Diagnostic::error(message)));
            }
        }
    }
    let required = required(directive.kind);
    if !required.is_empty() && !clauses.iter().any(|c| required.contains(&c.name)) {
        let names: Vec<_> = required.iter().map(|name| format!("`{}`", name.spelling())).collect();
        let message = match names.as_slice() {
            [one] => format!("`{word}` needs a {one} clause"),
            _ => format!("`{word}` needs one of the clauses {}", names.join(", ")),
        };
        found.push((directive.span, Diagnostic::error(message)));
    }
    duplicate_variables(directive, unit, &mut found);
    device_pointers(directive, unit, &mut found);
    launch_sizes(directive, unit, &mut found);
    gang_dimensions(directive, unit, &mut found);
    queues(directive, unit, &mut found);
    found
}

/// `deviceptr` is of pointers, as which parameters of array type count (OpenACC 3.3 §2.7.3).
fn device_pointers(directive: &Directive, unit: &TranslationUnit, found: &mut Checks) {
    for clause in directive.clauses.iter().filter(|clause| clause.name == C::DevicePtr) {
        let ClauseKind::Vars { vars, .. } = &clause.kind else { continue };
        for var in vars {
            let types = &unit.types;
            if !types.is_pointer(var.ty) && !var.ty.is_error() {
                let name = unit.name(var.decl);
                let message = format!("`deviceptr` takes pointers, and `{name}` is none");
                found.push((var.span, Diagnostic::error(message)));
            }
        }
    }
}

/// `num_gangs` has up to three sizes, `gang` one of as many dimensions (OpenACC 3.3 §2.5.10, §2.9.2).
fn gang_dimensions(directive: &Directive, unit: &TranslationUnit, found: &mut Checks) {
    for clause in &directive.clauses {
        match &clause.kind {
            ClauseKind::NumGangs(sizes) if sizes.len() > 3 => {
                let message = "gangs have three dimensions at most";
                found.push((clause.span, Diagnostic::error(message)));
            }
            ClauseKind::Gang(gang) => {
                let Some(dim) = gang.dim else { continue };
                if !matches!(unit.constant_int(dim), Some(1..=3)) {
                    let message = "a dimension of gangs is 1, 2 or 3";
                    found.push((unit.exprs[dim].span, Diagnostic::error(message)));
                }
            }
            _ => {}
        }
    }
}

/// Numbers of gangs, workers and lanes are positive, as are sizes of tiles (OpenACC 3.3 §2.5.10 to §2.5.12, §2.9).
fn launch_sizes(directive: &Directive, unit: &TranslationUnit, found: &mut Checks) {
    for clause in &directive.clauses {
        let sizes: Vec<_> = match (&clause.kind, clause.name) {
            (ClauseKind::NumGangs(sizes), _) => sizes.clone(),
            (ClauseKind::Gang(gang), _) => gang.num.into_iter().collect(),
            (ClauseKind::Value(size), C::NumWorkers | C::VectorLength) => vec![*size],
            (ClauseKind::OptionalValue(Some(size)), C::Worker | C::Vector) => vec![*size],
            (ClauseKind::Tile(sizes), _) => sizes.iter().flatten().copied().collect(),
            _ => continue,
        };
        for size in sizes {
            let Some(number) = unit.constant_int(size) else { continue };
            let name = clause.name.spelling();
            let message = match number {
                ..=0 => format!("`{name}` takes a positive number, not {number}"),
                1..=0x7fff_ffff => continue,
                _ => format!("`{name}` takes an `int`, which {number} is none of"),
            };
            let diagnostic = Diagnostic::error(message).help(match clause.name {
                C::Tile => "write `*` to have the size chosen",
                _ => "leave the clause out to have the number chosen",
            });
            found.push((unit.exprs[size].span, diagnostic));
        }
    }
}

/// Queues have numbers from 0 on, and two names below that: `acc_async_noval` and `acc_async_sync` (OpenACC 3.3 §2.16).
fn queues(directive: &Directive, unit: &TranslationUnit, found: &mut Checks) {
    let of_clauses = directive.clauses.iter().flat_map(|clause| match &clause.kind {
        ClauseKind::OptionalValue(Some(queue)) if clause.name == C::Async => vec![*queue],
        ClauseKind::Value(queue) if clause.name == C::DefaultAsync => vec![*queue],
        ClauseKind::Wait(wait) => wait.queues.clone(),
        _ => Vec::new(),
    });
    let of_directive = match &directive.argument {
        Some(Argument::Wait(wait)) => wait.queues.clone(),
        _ => Vec::new(),
    };
    for queue in of_clauses.chain(of_directive) {
        if let Some(number) = unit.constant_int(queue)
            && number < LOWEST_QUEUE
        {
            let message = format!("there is no queue {number}");
            let diagnostic = Diagnostic::error(message)
                .help("queues are numbers from 0 on, `acc_async_noval` and `acc_async_sync`");
            found.push((unit.exprs[queue].span, diagnostic));
        }
    }
}

/// A whole variable stands in at most one clause that decides on its data.
fn duplicate_variables(directive: &Directive, unit: &TranslationUnit, found: &mut Checks) {
    let mut seen: Vec<(&VarRef, &Clause, Span)> = Vec::new();
    for clause in &directive.clauses {
        let reduction = clause.name == C::Reduction;
        let (ClauseKind::Vars { vars, .. } | ClauseKind::Reduction { vars, .. }) = &clause.kind
        else {
            continue;
        };
        if !decides_data(clause.name) && !reduction {
            continue;
        }
        for var in vars {
            // Sections and members of one variable may stand in different clauses.
            let is_member = unit.named(var.base) != Some(var.decl);
            if is_member || reduction && !var.sections.is_empty() {
                continue;
            }
            // A reduction variable is usually copied too; it is only never private.
            let clash = seen.iter().find(|(known, other, _)| {
                let private = |name| matches!(name, C::Private | C::FirstPrivate);
                let reductions = reduction || other.name == C::Reduction;
                known.decl == var.decl
                    && (!reductions
                        || private(clause.name)
                        || private(other.name)
                        || reduction && other.name == C::Reduction)
            });
            if let Some(&(known, other, span)) = clash {
                let (name, variable) = (other.name.spelling(), unit.name(var.decl));
                let message =
                    format!("`{variable}` stands in a `{name}` clause of this directive already");
                // Two data clauses can be obeyed, one after the other, and two sections may be apart.
                let private = |name| matches!(name, C::Private | C::FirstPrivate | C::Reduction);
                let severity = if private(clause.name) || private(other.name) {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                let mut diagnostic =
                    Diagnostic::new(severity, message).related(unit.place(span), "here");
                if severity == Severity::Warning && may_be_same(unit, known, var) {
                    diagnostic = diagnostic
                        .code(codes::VARIABLE_TWICE)
                        .help("both are obeyed; leave the variable in one of them");
                }
                found.push((var.span, diagnostic));
            }
            seen.push((var, clause, var.span));
        }
    }
}

/// Whether two items of one variable are the same object: the same text, or an array and a section of it. What a pointer
/// points to is another object than the pointer.
fn may_be_same(unit: &TranslationUnit, a: &VarRef, b: &VarRef) -> bool {
    let text = |var: &VarRef| unit.source.slice(var.span);
    let is_whole =
        |var: &VarRef| var.sections.is_empty() && !unit.types.is_pointer(unit.decls[var.decl].ty);
    is_whole(a) || is_whole(b) || text(a) == text(b)
}
