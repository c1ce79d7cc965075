//! The text that takes the place of a directive.

use std::fmt::Write;

use gpuc_ir::Ir;

use super::data::{LaunchData, descriptors, entries};
use super::function::{self, OnlyLaunch};
use super::section::Asking;
use super::{Edit, Functions, from_tree, literal, section};
use crate::directive::VarRef;
use crate::directive::action::{Action, DeviceChoice, QueueName};
use crate::lower::{Argument, ConstructInfo, Extent, Lowered};
use crate::tree::{ExprId, TranslationUnit};

/// Text of ours in the place of `at` in the program. As text of a system header, it is not what the
/// host compiler warns of; what follows it belongs to the line of `resume` again.
pub(super) fn generated(unit: &TranslationUnit, at: usize, resume: usize, text: &str) -> String {
    let marker = |offset: usize, is_system: bool| {
        let (file, line) = unit.source.line(offset as u32);
        let flag = if is_system { " 3" } else { "" };
        format!("\n# {line} {}{flag}\n", literal(&file))
    };
    let system = unit.source.is_system(resume as u32);
    format!("{}{text}{}", marker(at, true), marker(resume, system))
}

/// The texts that the changes for a construct are made of.
struct Texts<'a> {
    unit: &'a TranslationUnit,
    info: &'a ConstructInfo,
    /// The variable of the place.
    site: String,
    /// The variable of the data.
    data: String,
    /// Whether nests that the compiler found run on the device whatever their size: 2 where the program asks for it.
    always: u32,
}

impl Texts<'_> {
    fn expression(&self, expr: ExprId) -> String {
        use Action::{Choose, Init, Shutdown};
        // The preprocessor does not know these, and leaves macros as they are.
        let has_macros = matches!(self.info.action, Init(_) | Shutdown(_) | Choose { .. });
        let printed = has_macros.then(|| from_tree::print(self.unit, expr)).flatten();
        printed.unwrap_or_else(|| section::text(self.unit, expr))
    }

    /// An integer that may be left open, as the runtime takes it.
    fn open_number(&self, expr: Option<ExprId>) -> String {
        expr.map_or_else(|| "-1".to_owned(), |expr| format!("(int)({})", self.expression(expr)))
    }

    /// A call of the runtime with the construct's data; nothing where there is none.
    fn with_data(&self, function: &str) -> String {
        match descriptors(self.info) {
            0 => String::new(),
            count => format!("{function}(&{}, {}, {count}u); ", self.site, self.data),
        }
    }

    /// Whether the construct happens on the device.
    fn condition(&self) -> String {
        let condition = self.info.condition;
        let when = condition.when.map(|expr| format!("({}) != 0", self.expression(expr)));
        let unless = condition.unless.map(|expr| format!("!({})", self.expression(expr)));
        let never = condition.never.then(|| "0".to_owned());
        let device = condition.device.map(|expr| {
            format!("__gpuc_on_device(&{}, (int)({}))", self.site, self.expression(expr))
        });
        let sent =
            condition.sent.then(|| format!("__gpuc_sent((const void *){})", self.info.function));
        let parts: Vec<_> = [when, unless, never, device, sent].into_iter().flatten().collect();
        if parts.is_empty() { "1".to_owned() } else { parts.join(" && ") }
    }

    /// The queue's argument; `None` where the host waits.
    fn queue(&self) -> Option<String> {
        Some(match self.info.order.queue? {
            QueueName::Default => "-1".to_owned(),
            QueueName::Number(expr) => format!("(int)({})", self.expression(expr)),
        })
    }

    /// What is waited for.
    fn waits(&self) -> String {
        let mut text = String::new();
        for &clause in &self.info.host_waits {
            let clause = section::place(self.unit, clause);
            let _ = write!(text, "\n#pragma omp taskwait {clause}\n");
        }
        for waits in &self.info.order.waits {
            let device = self.open_number(waits.device);
            let queues: Vec<_> = waits
                .queues
                .iter()
                .map(|&queue| format!("(int)({})", self.expression(queue)))
                .collect();
            let _ = match queues.as_slice() {
                [] => write!(text, "__gpuc_wait(&{}, {device}, (const int *)0, 0u); ", self.site),
                queues => write!(
                    text,
                    "{{ const int __gpuc_w[] = {{{}}}; __gpuc_wait(&{}, {device}, __gpuc_w, {}u); }} ",
                    queues.join(", "),
                    self.site,
                    queues.len()
                ),
            };
        }
        text
    }

    /// The task of the host that it is, where it adds to what such tasks combine: done when the host goes on.
    fn task(&self) -> String {
        let clauses = &self.unit.directives[self.info.directive].host_joins;
        if clauses.is_empty() {
            return String::new();
        }
        let clauses: Vec<_> =
            clauses.iter().map(|&clause| section::place(self.unit, clause)).collect();
        format!("\n#pragma omp task if(0) default(shared) {}\n", clauses.join(" "))
    }

    /// Something in the construct's queue, whose argument is `queue`.
    fn in_queue(&self, queue: Option<&str>, text: &str) -> String {
        match queue {
            Some(queue) => format!(
                "__gpuc_queue_begin(&{0}, {queue}); {text}__gpuc_queue_end(&{0}); ",
                self.site
            ),
            None => text.to_owned(),
        }
    }

    /// Names who keeps what stays on the device, where somebody does.
    fn owner(&self) -> String {
        match &self.unit.directives[self.info.directive].owner {
            Some(owner) => format!("__gpuc_owner({}); ", literal(owner)),
            None => String::new(),
        }
    }

    /// What stands in front of a call that is sent to the device, and behind it.
    fn sends(&self, condition: &str, queue: Option<&str>, waits: &str) -> (String, String) {
        let directive = &self.unit.directives[self.info.directive];
        let (Some(sends), Some(owner)) = (&directive.sends, &directive.owner) else {
            return (String::new(), String::new());
        };
        let function = format!("(const void *){}", self.unit.name(sends.function));
        let (begin, end) = match queue {
            Some(queue) => (
                format!("__gpuc_queue_begin(&{}, {queue}); ", self.site),
                format!("__gpuc_queue_end(&{}); ", self.site),
            ),
            None => (format!("(void)&{}; ", self.site), String::new()),
        };
        let before = format!(
            "{waits}if ({condition}) __gpuc_send({function}, {}, {}); {begin}",
            literal(owner),
            literal(&sends.how)
        );
        (before, format!("{end}__gpuc_send_end({function}); "))
    }

    fn device(&self, choice: DeviceChoice) -> String {
        let kind = choice.kind.map_or(-1, |kind| kind);
        format!("&{}, {kind}, {}", self.site, self.open_number(choice.number))
    }
}

/// The call of a compute construct's function, which begins and ends its data, with its arguments; of one
/// that is a launch, that launch, with the construct's `data` where they are its alone.
fn compute_call(
    texts: &Texts<'_>,
    functions: &Functions<'_>,
    number: usize,
    data: Option<&LaunchData>,
) -> String {
    let Some(compute) = &texts.info.compute else { return String::new() };
    let items = match descriptors(texts.info) {
        0 => "(struct __gpuc_data *)0, (const long *)0, 0u".to_owned(),
        count => format!("{}, __gpuc_o{number}, {count}u", texts.data),
    };
    if let Some(launch) = functions.launch(compute) {
        let values = compute.arguments.iter().zip(&launch.arguments);
        let values: String = values
            .filter_map(|(value, declaration)| match value {
                Argument::Value(value) => Some(format!("{declaration} = {value}; ")),
                Argument::Data(_) => None,
            })
            .collect();
        let OnlyLaunch { kernel, shape, sizes, letters, values: given, .. } = launch;
        let site = &texts.site;
        let (call, items, data_letters, words) = match data {
            Some(LaunchData { table, letters, words, .. }) => {
                ("__gpuc_run_words_on", table, letters.as_str(), words.as_str())
            }
            None => ("__gpuc_run_words_with", &items, "", ""),
        };
        let words = function::words(&format!("{sizes}{words}{given}"));
        let image = functions.image;
        return format!(
            "{{ {values}{call}({image}, &{site}, {items}, {kernel}, \"{shape}{data_letters}{letters}\", {words}); }} "
        );
    }
    let mut arguments = format!("&{}, {items}", texts.site);
    for argument in &compute.arguments {
        if let Argument::Value(value) = argument {
            let _ = write!(arguments, ", {value}");
        }
    }
    format!("{}({arguments}); ", function::c_name(&compute.symbol))
}

/// What stands in front of a nest that the compiler found: where the runtime says that it is worth it, it runs on
/// the device.
fn nest(
    texts: &Texts<'_>,
    functions: &Functions<'_>,
    number: usize,
    site: &str,
    arrays: &str,
) -> String {
    let Some(compute) = &texts.info.compute else { return String::new() };
    let count = descriptors(texts.info);
    let mut text = format!("{{ {site}");
    let mut values = String::new();
    for name in &compute.fixed {
        let _ = write!(text, "__gpuc_host(&({name}), sizeof({name}), 0); ");
        let _ = write!(
            values,
            "{{{}, (void *)&({name}), sizeof({name}), 3u, 0u, (void *)0}}, ",
            literal(name)
        );
    }
    let fixed = match compute.fixed.len() {
        0 => "(struct __gpuc_data *)0, 0u".to_owned(),
        count => {
            let _ = write!(text, "struct __gpuc_data __gpuc_v{number}[] = {{{values}}}; ");
            format!("__gpuc_v{number}, {count}u")
        }
    };
    let data = match count {
        0 => "(struct __gpuc_data *)0".to_owned(),
        _ => texts.data.clone(),
    };
    let _ = write!(
        text,
        "{}{arrays}if (__gpuc_auto_begin(&__gpuc_image_0, &{}, {data}, {count}u, {fixed}, __gpuc_k{number}, {})) {{ {}}} else {{ ",
        super::sections::count(compute, number),
        texts.site,
        texts.always,
        compute_call(texts, functions, number, None)
    );
    text
}

/// Declarations that give names of the program the device addresses of what they mean.
fn addresses(texts: &Texts<'_>, number: usize) -> (String, String) {
    let (mut outer, mut inner) = (String::new(), String::new());
    for (i, item) in texts.info.data.iter().enumerate() {
        let (base, ty) = match &item.extent {
            Extent::Clause(var) => {
                (section::text(texts.unit, var.base), texts.unit.exprs[var.base].ty)
            }
            Extent::Pointer(pointer) => (pointer.clone(), crate::types::Type::ERROR),
            Extent::Object(_)
            | Extent::Elements(..)
            | Extent::Rows(_)
            | Extent::Enclosed { .. } => continue,
        };
        // An array becomes a pointer to its first element; a scalar stays what it is.
        let types = &texts.unit.types;
        let pointer = match types.as_array(ty) {
            Some(_) => format!("&({base})[0]"),
            None if ty.is_error() || types.is_pointer(ty) => format!("({base}) + 0"),
            None => format!("&({base})"),
        };
        let _ = write!(
            outer,
            "__typeof__({pointer}) __gpuc_u{number}_{i} = (__typeof__({pointer}))__gpuc_element_0({}[{i}].device, __gpuc_o{number}[{i}]); ",
            texts.data
        );
        if !ty.is_error() && types.as_array(ty).is_none() && !types.is_pointer(ty) {
            // No declaration gives an object's name to another one: where it stands, `edit` changes it.
            let _ = write!(inner, "(void)__gpuc_u{number}_{i}; ");
            continue;
        }
        let _ = write!(
            inner,
            "__typeof__(__gpuc_u{number}_{i}) {base} = __gpuc_u{number}_{i}; (void){base}; "
        );
    }
    (outer, inner)
}

/// Where the host runs a compute construct: what keeps the variables that it has copies of, and what gives them
/// their values again.
fn kept(texts: &Texts<'_>, number: usize) -> (String, String) {
    let unit = texts.unit;
    let (mut before, mut behind) = (String::new(), String::new());
    for (i, var) in texts.info.own.iter().enumerate() {
        let ty = unit.exprs[var.base].ty;
        let kept = format!("__gpuc_p{number}_{i}");
        if unit.types.as_array(ty).is_none() && var.sections.is_empty() {
            // The address of a variable in a register is none's.
            let name = section::text(unit, var.base);
            let _ = write!(before, "__typeof__({name}) {kept} = {name}; ");
            let _ = write!(behind, "{name} = {kept}; ");
            continue;
        }
        let whole = VarRef { sections: Vec::new(), ..var.clone() };
        // As on the device, an array's section stands for the array.
        let var = if unit.types.is_pointer(ty) { var } else { &whole };
        let memory = section::of_clause(unit, var, Asking { site: &texts.site, when: None });
        let _ = write!(
            before,
            "void *const {kept}_at = (void *)({}); const unsigned long {kept}_n = (unsigned long)({}); void *const {kept} = __gpuc_keep({kept}_at, {kept}_n); ",
            memory.first, memory.bytes
        );
        let _ = write!(behind, "__gpuc_give({kept}_at, {kept}, {kept}_n); ");
    }
    (before, behind)
}

/// What takes the place of a directive, and what stands behind its statement.
fn replacement(
    unit: &TranslationUnit,
    lowered: &Lowered,
    ir: &Ir,
    functions: &Functions<'_>,
    number: usize,
) -> (String, String) {
    let info = &lowered.constructs[number];
    let texts = Texts {
        unit,
        info,
        site: format!("__gpuc_s{number}"),
        data: format!("__gpuc_d{number}"),
        always: match unit.directives[info.directive].asked {
            true => 2,
            false => u32::from(lowered.always),
        },
    };
    let count = descriptors(info);
    let site = format!(
        "static const struct __gpuc_site __gpuc_s{number} = {{{}, {}, {}u, {}}}; ",
        literal(&info.file),
        literal(&info.function),
        info.line,
        literal(info.words)
    );
    let arrays = || match count {
        0 => String::new(),
        _ => entries(unit, lowered, ir, functions, number).array(number),
    };
    let condition = texts.condition();
    let queue = texts.queue();
    let waits = texts.waits();
    let simple = |body: &str| (format!("{{ {site}if ({condition}) {{ {body}}} }}"), String::new());
    match info.action {
        Action::Compute => {
            let task = texts.task();
            let entries = entries(unit, lowered, ir, functions, number);
            let is_launch =
                info.compute.as_ref().is_some_and(|own| functions.launch(own).is_some());
            let data = if is_launch { entries.launch(lowered, number) } else { None };
            let mut ahead = match &data {
                Some(data) => data.ahead.clone(),
                None if count == 0 => String::new(),
                None => entries.array(number),
            };
            ahead += &entries.values_apart(unit, lowered, number);
            let call = compute_call(&texts, functions, number, data.as_ref());
            let work = texts.in_queue(queue.as_deref(), &format!("{waits}{call}"));
            let (before, behind) = kept(&texts, number);
            let (begun, site_name) = (format!("__gpuc_b{number}"), &texts.site);
            let image = functions.image;
            let text = format!(
                "{task}{{ {site}const struct __gpuc_site *const {begun} = __gpuc_region_begin({image}, &{site_name}, {condition}); if ({begun}) {{ {ahead}{work}}} if (__gpuc_is_hosts({begun})) {{ {waits}{before}"
            );
            let compared = format!("__gpuc_was_hosts({begun}); ");
            (text, format!(" {behind}{compared}}} }}"))
        }
        Action::Nest => (nest(&texts, functions, number, &site, &arrays()), String::from(" } }")),
        Action::Host => {
            let (before, behind) = kept(&texts, number);
            let task = texts.task();
            let text = format!("{task}{{ {site}__gpuc_host_begin(&{}); {{ {before}", texts.site);
            (text, format!(" {behind}}} __gpuc_host_end(&{}); }}", texts.site))
        }
        Action::Data => {
            // Condition and queue are looked at once: the end must match the beginning.
            let mut text = format!("{{ {site}const int __gpuc_c{number} = {condition}; ");
            let queue = queue.map(|queue| {
                let _ = write!(text, "const int __gpuc_q{number} = {queue}; ");
                format!("__gpuc_q{number}")
            });
            text += &arrays();
            let guard = format!("if (__gpuc_c{number}) ");
            let begin = format!("{waits}{}", texts.with_data("__gpuc_data_begin"));
            let begin = texts.in_queue(queue.as_deref(), &begin);
            let _ = write!(text, "(void)&{}; {guard}{{ {begin}}} ", texts.site);
            let end = texts.in_queue(queue.as_deref(), &texts.with_data("__gpuc_data_end"));
            (text, format!(" {guard}{{ {end}}} }}"))
        }
        Action::Addresses => {
            let (outer, inner) = addresses(&texts, number);
            let call = texts.with_data("__gpuc_host_data");
            // Where the condition does not hold, every name means what it meant.
            let host = (0..info.data.len())
                .map(|i| format!("{0}[{i}].device = {0}[{i}].host; ", texts.data))
                .collect::<String>();
            let arrays = arrays();
            let text = format!(
                "{{ {site}const int __gpuc_c{number} = {condition}; {arrays}if (__gpuc_c{number}) {{ {call}}} else {{ {host}}} {outer}{{ {inner}"
            );
            (text, String::from(" } }"))
        }
        Action::Scope => {
            let text = format!(
                "{site}{}{}struct __gpuc_scope __gpuc_e{number} __attribute__((__cleanup__(__gpuc_scope_end))) = {{ &{}, {}, {count}u }}; (void)__gpuc_e{number}; ",
                arrays(),
                texts.with_data("__gpuc_data_begin"),
                texts.site,
                if count == 0 { "(struct __gpuc_data *)0" } else { &texts.data },
            );
            (text, String::new())
        }
        Action::Program => {
            let text = format!(
                "static void __attribute__((__constructor__)) __gpuc_declare_{number}(void) {{ {site}{}(void)&{}; {}}} ",
                arrays(),
                texts.site,
                texts.with_data("__gpuc_declare")
            );
            (text, String::new())
        }
        Action::Enter | Action::Exit | Action::Update => {
            let function = match info.action {
                Action::Enter => "__gpuc_data_enter",
                Action::Exit => "__gpuc_data_exit",
                _ => "__gpuc_data_update",
            };
            let body = format!("{waits}{}{}", texts.owner(), texts.with_data(function));
            simple(&format!("{}{}", arrays(), texts.in_queue(queue.as_deref(), &body)))
        }
        Action::Wait => simple(&texts.in_queue(queue.as_deref(), &waits)),
        Action::Send => {
            let (before, behind) = texts.sends(&condition, queue.as_deref(), &waits);
            (format!("{{ {site}{before}"), format!(" {behind}}}"))
        }
        Action::LetGo => {
            let owner = unit.directives[info.directive].owner.as_deref().unwrap_or_default();
            simple(&format!("{waits}__gpuc_let_go(&{}, {}); ", texts.site, literal(owner)))
        }
        Action::Init(device) => simple(&format!("__gpuc_init({}); ", texts.device(device))),
        Action::Shutdown(device) => simple(&format!("__gpuc_shutdown({}); ", texts.device(device))),
        Action::Choose { device, queue } => {
            let mut body = String::new();
            if device != DeviceChoice::default() {
                let _ = write!(body, "__gpuc_set_device({}); ", texts.device(device));
            }
            if let Some(queue) = queue {
                let queue = texts.expression(queue);
                let _ = write!(body, "__gpuc_set_default_async(&{}, (int)({queue})); ", texts.site);
            }
            simple(&body)
        }
    }
}

/// Adds the changes for a construct.
pub(super) fn edit(
    unit: &TranslationUnit,
    lowered: &Lowered,
    ir: &Ir,
    functions: &Functions<'_>,
    number: usize,
    edits: &mut Vec<Edit>,
) {
    let info = &lowered.constructs[number];
    let line = unit.directives[info.directive].span.range();
    let (text, behind) = replacement(unit, lowered, ir, functions, number);
    let text = generated(unit, line.start, line.end, &text);
    let order = lowered.constructs.len() + 3;
    edits.push(Edit { start: line.start, length: line.len(), order, text });
    for &(item, span) in &unit.directives[info.directive].renamed {
        let text = format!("(*__gpuc_u{number}_{item})");
        edits.push(Edit { start: span.start as usize, length: span.range().len(), order, text });
    }
    if !behind.is_empty() {
        // Later constructs are further inside, and end first.
        let order = lowered.constructs.len() - number;
        let end = info.end as usize;
        let text = generated(unit, end, end, &behind);
        edits.push(Edit { start: end, length: 0, order, text });
    }
}
