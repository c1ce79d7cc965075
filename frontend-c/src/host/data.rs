//! The descriptors of a construct's data, as C.

use std::fmt::Write;

use gpuc_ir::Ir;

use super::section::{self, Asking, Memory};
use super::sections::{self, FoundSection};
use super::{Functions, literal};
use crate::directive::action::Action;
use crate::lower::{ConstructInfo, DataItem, Extent, Lowered, MappingKind};
use crate::tree::TranslationUnit;
use crate::types::{FloatKind, Type};

/// `enum __gpuc_data_kind` of the runtime.
fn kind_number(kind: MappingKind) -> u32 {
    match kind {
        MappingKind::Copy => 1,
        MappingKind::CopyIn | MappingKind::ImplicitCopyIn => 2,
        MappingKind::CopyOut => 3,
        MappingKind::Create => 4,
        MappingKind::Present => 5,
        MappingKind::Delete => 6,
        MappingKind::DevicePtr => 7,
        MappingKind::UpdateHost => 8,
        MappingKind::UpdateDevice => 9,
        MappingKind::NoCreate => 10,
        MappingKind::ImplicitCopy => 11,
        // Where it is not known which section.
        MappingKind::ImplicitPresent | MappingKind::ImplicitSection => 12,
        MappingKind::UseDevice => 13,
        MappingKind::Attach => 14,
        MappingKind::Detach => 15,
        MappingKind::FirstPrivate => 16,
    }
}

/// The flag of descriptors about what several pointers point to.
const ROWS: u32 = 0x1000;

/// The flag of descriptors of what the program does not ask for.
const IMPLICIT: u32 = 0x100_0000;

/// The flag of descriptors about elements with others between them.
const STRIDED: u32 = 0x10000;

/// The flags of a data item, as the runtime adds them to its kind.
fn flags(item: &DataItem) -> u32 {
    let flags = item.flags;
    let nest = u32::from(flags.nest) * 0x2000 + u32::from(flags.leaves) * 0x4000;
    nest + [
        (flags.finalize, 0x100),
        (flags.if_present, 0x200),
        (flags.zero, 0x400),
        (flags.always, 0x800),
        (flags.one_count, 0x8000),
        (flags.required, 0x2_0000),
        (flags.kept, 0x4_0000),
        (flags.first, 0x8_0000),
        (flags.whole, 0x10_0000),
    ]
    .into_iter()
    .filter_map(|(set, number)| set.then_some(number))
    .sum::<u32>()
}

/// The kind of the pointers of a data item with rows: on the device they point to other rows, so that
/// they never come back.
fn pointers_kind(action: Action, kind: MappingKind) -> MappingKind {
    match (action, kind) {
        (Action::Exit, _) => MappingKind::Delete,
        (_, MappingKind::Copy | MappingKind::CopyOut | MappingKind::Create) => MappingKind::CopyIn,
        (_, kind) => kind,
    }
}

/// Where the number of an element's type stands in a kind.
const ELEMENT_SHIFT: u32 = 21;

/// The number of the type of a data item's elements, as the runtime has it.
fn element(unit: &TranslationUnit, item: &DataItem) -> u32 {
    item.element.map_or(0, |ty| type_number(unit, ty))
}

fn type_number(unit: &TranslationUnit, ty: Type) -> u32 {
    let types = &unit.types;
    if let Some(kind) = types.as_int(ty) {
        return match kind.bits() {
            16 => 2,
            32 => 3,
            64 => 4,
            bits => u32::from(bits <= 8),
        };
    }
    match types.as_float(ty) {
        Some(FloatKind::Float | FloatKind::Float32) => 5,
        Some(FloatKind::Double | FloatKind::Float32x | FloatKind::Float64) => 6,
        _ if types.is_pointer(ty) => 7,
        _ => 0,
    }
}

/// The kind of a data item of construct `number`, as a C expression.
fn kind(
    unit: &TranslationUnit,
    lowered: &Lowered,
    number: usize,
    item: &DataItem,
    section: Option<FoundSection>,
    used: Option<MappingKind>,
) -> String {
    let kind = match (&item.extent, section) {
        (Extent::Object(_), None) | (_, Some(_)) if used.is_some() => used.unwrap_or(item.kind),
        (_, Some(FoundSection { written: true, .. })) => MappingKind::ImplicitCopy,
        (_, Some(FoundSection { written: false, .. })) => MappingKind::ImplicitCopyIn,
        (Extent::Rows(_), None) => pointers_kind(lowered.constructs[number].action, item.kind),
        // A pointer to what is not there keeps its value.
        _ if item.kind == MappingKind::ImplicitSection && item.flags.if_present => {
            MappingKind::NoCreate
        }
        _ => item.kind,
    };
    let is_compute = lowered.constructs[number].compute.is_some();
    let element = if is_compute { element(unit, item) << ELEMENT_SHIFT } else { 0 };
    let implicit = match kind {
        MappingKind::ImplicitCopy | MappingKind::ImplicitCopyIn => IMPLICIT,
        _ => 0,
    };
    let kind = (kind_number(kind) + flags(item)) | element | implicit;
    match item.extent {
        Extent::Enclosed { construct, unmapped, .. }
            if lowered.constructs[construct].condition.when.is_some()
                && kind_number(unmapped) != kind =>
        {
            format!("__gpuc_c{construct} ? {kind}u : {}u", kind_number(unmapped))
        }
        _ => match item.flags.argument {
            // The call says the rest.
            Some(argument) => format!("__gpuc_sent_kind({argument}u, {kind}u)"),
            None => format!("{kind}u"),
        },
    }
}

/// The memory of a data item, as C expressions.
fn memory(
    unit: &TranslationUnit,
    lowered: &Lowered,
    item: &DataItem,
    asking: Asking<'_>,
) -> Memory {
    match &item.extent {
        Extent::Clause(var) => section::of_clause(unit, var, asking),
        Extent::Rows(var) => {
            let rows = section::rows(unit, var, asking);
            let bytes = format!("{} * sizeof(*({}))", rows.count, rows.first);
            Memory::of_bytes(format!("({})", section::text(unit, var.base)), rows.first, bytes)
        }
        Extent::Object(object) => {
            let address = format!("&({object})");
            Memory::of_bytes(address.clone(), address, format!("sizeof({object})"))
        }
        Extent::Elements(pointer, count) => {
            let bytes = format!("__gpuc_bytes({count}, sizeof(({pointer})[0]))");
            Memory::of_bytes(format!("({pointer})"), format!("({pointer})"), bytes)
        }
        // At least the first byte must be there.
        Extent::Pointer(pointer) => {
            let address = format!("({pointer})");
            Memory::of_bytes(address.clone(), address, "1UL".to_owned())
        }
        // The section may start elsewhere, and may be empty.
        Extent::Enclosed { pointer, object, construct, item, .. } => {
            let mut offset = format!("__gpuc_o{construct}[{item}]");
            let mut bytes = format!("(__gpuc_d{construct}[{item}].bytes != 0UL)");
            if lowered.constructs[*construct].condition.when.is_some() {
                let whole =
                    object.as_ref().map_or_else(|| "1UL".to_owned(), |o| format!("sizeof({o})"));
                offset = format!("(__gpuc_c{construct} ? {offset} : 0L)");
                bytes = format!("(__gpuc_c{construct} ? {bytes} : {whole})");
            }
            let first = format!("(char *)({pointer}) + {offset}");
            Memory::of_bytes(format!("({pointer})"), first, bytes)
        }
    }
}

/// What a descriptor says of a data item, as C expressions.
struct Entry {
    name: String,
    first: String,
    bytes: String,
    /// [`Memory::count`].
    count: Option<(String, u64)>,
    kind: String,
    line: u32,
    /// What its last member says to the runtime.
    device: String,
    /// The distance of the section from element 0 in bytes; `None` where it starts there.
    offset: Option<String>,
    /// Whether the construct may write there.
    may_be_written: bool,
}

/// The descriptors of a construct's data.
#[derive(Default)]
pub(super) struct Entries {
    entries: Vec<Entry>,
    /// What is computed ahead of them.
    ahead: String,
    /// The descriptors of rows, which stand behind all others.
    rows: String,
}

pub(super) fn entries(
    unit: &TranslationUnit,
    lowered: &Lowered,
    ir: &Ir,
    functions: &Functions<'_>,
    number: usize,
) -> Entries {
    let info = &lowered.constructs[number];
    let sections =
        info.compute.as_ref().map(|compute| sections::found(ir, lowered, functions, compute));
    let sections = sections.unwrap_or_default();
    let mut out = Entries::default();
    if let Some(compute) = &info.compute
        && !sections.is_empty()
    {
        out.ahead = sections::call(compute, number, sections.len());
    }
    let site = format!("__gpuc_s{number}");
    // The descriptors of these are made whether the construct happens or not.
    let when = matches!(info.action, Action::Data | Action::Addresses)
        .then(|| format!("__gpuc_c{number}"));
    let asking = Asking { site: &site, when: when.as_deref() };
    for (i, item) in info.data.iter().enumerate() {
        let section = sections.iter().find(|section| section.item == i).copied();
        let mut memory = match (&item.extent, section) {
            (Extent::Pointer(pointer), Some(section)) => section.memory(number, pointer),
            _ => memory(unit, lowered, item, asking),
        };
        let mut bytes = memory.bytes;
        if let Extent::Rows(var) = &item.extent {
            let rows = section::rows(unit, var, asking);
            let shape = format!("__gpuc_r{number}_{i}");
            let _ = write!(
                out.ahead,
                "const unsigned long {shape}[2] = {{{}, {}}}; ",
                rows.offset, rows.bytes
            );
            let _ = write!(
                out.rows,
                "{{{}, (void *)({}), {}, {}u, {}u, (void *){shape}}}, ",
                literal(&item.name),
                rows.first,
                rows.count,
                kind_number(item.kind) + flags(item) + ROWS,
                item.line
            );
            // The pointers themselves are not what an update is about.
            if info.action == Action::Update {
                "0UL".clone_into(&mut bytes);
            }
        }
        let mut device = "(void *)0".to_owned();
        let used = info.compute.as_ref().filter(|_| item.flags.nest);
        let used = used.and_then(|compute| sections::use_of(ir, functions, compute, i));
        // What the program says is read goes there.
        let used = used.filter(|&kind| kind != MappingKind::CopyOut || !item.flags.said_read);
        let mut kind = kind(unit, lowered, number, item, section, used);
        if let Extent::Clause(var) = &item.extent
            && let Some(stride) = section::stride(unit, var)
        {
            let shape = format!("__gpuc_r{number}_{i}");
            let element = format!("sizeof(*({}))", memory.first);
            let _ = write!(
                out.ahead,
                "const unsigned long {shape}[2] = {{({bytes}) / {element}, (unsigned long)({stride}) * {element}}}; "
            );
            (bytes, memory.count) = (element, None);
            device = format!("(void *){shape}");
            kind = format!("{STRIDED}u + {kind}");
        }
        let (first, base) = (&memory.first, &memory.base);
        let starts_there = first == base || *first == format!("&{base}[0]");
        out.entries.push(Entry {
            name: literal(&item.name),
            offset: (!starts_there)
                .then(|| format!("(long)((char *)({first}) - (char *)({base}))")),
            first: memory.first,
            bytes,
            count: memory.count,
            kind,
            line: item.line,
            device,
            may_be_written: match section {
                Some(section) => section.written,
                None => item.kind != MappingKind::CopyIn && !item.flags.readonly,
            },
        });
    }
    out
}

impl Entries {
    /// `struct __gpuc_data d[] = {...}`, with the distance of each section from element 0.
    pub fn array(&self, number: usize) -> String {
        let (mut data, mut offsets) = (String::new(), String::new());
        for Entry { name, first, bytes, kind, line, device, offset, .. } in &self.entries {
            let _ = write!(
                data,
                "{{{name}, (void *)({first}), (unsigned long)({bytes}), {kind}, {line}u, {device}}}, "
            );
            let _ = write!(offsets, "{}, ", offset.as_deref().unwrap_or("0l"));
        }
        let Entries { ahead, rows, .. } = self;
        format!(
            "{ahead}struct __gpuc_data __gpuc_d{number}[] = {{{data}{rows}}}; const long __gpuc_o{number}[] = {{{offsets}}}; (void)__gpuc_o{number}; "
        )
    }

    /// The data of a construct that is one launch; `None` where others look at its descriptors, or they are made of
    /// more.
    pub fn launch(&self, lowered: &Lowered, number: usize) -> Option<LaunchData> {
        let is_plain = |item: &DataItem| {
            item.flags.argument.is_none()
                && !matches!(item.extent, Extent::Rows(_) | Extent::Enclosed { .. })
        };
        let info = &lowered.constructs[number];
        if info.data.is_empty() || !info.data.iter().all(is_plain) {
            return None;
        }
        let (mut items, mut words, mut letters) = (String::new(), String::new(), String::new());
        for Entry { name, first, bytes, count, kind, line, offset, .. } in &self.entries {
            let _ =
                write!(items, "{{{name}, {kind}, {line}u, {}u}}, ", u32::from(offset.is_some()));
            let _ = write!(words, ", (unsigned long)({first})");
            letters.push('p');
            let _ = match count {
                Some((count, size)) => {
                    let _ = write!(letters, "l*{size}");
                    write!(words, ", (unsigned long)({count})")
                }
                None => {
                    letters.push('l');
                    write!(words, ", (unsigned long)({bytes})")
                }
            };
            if let Some(offset) = offset {
                letters.push('l');
                let _ = write!(words, ", {offset}");
            }
        }
        let count = self.entries.len();
        let ahead = format!(
            "{}static const struct __gpuc_item __gpuc_i{number}[] = {{{items}}}; ",
            self.ahead
        );
        Some(LaunchData { ahead, table: format!("__gpuc_i{number}, {count}u"), words, letters })
    }

    /// Ends the program where a scalar that a construct is handed the value of lies in what it may write through a pointer.
    /// What it has is the value of before.
    pub fn values_apart(&self, unit: &TranslationUnit, lowered: &Lowered, number: usize) -> String {
        let info = &lowered.constructs[number];
        let values = info.compute.as_ref().map_or(&[][..], |compute| &compute.by_value);
        let mut text = String::new();
        for (name, ty) in values {
            // Memory is written by its own type, or by that of characters (C17 6.5, 7).
            let own = type_number(unit, *ty);
            let may_hold = |item: &DataItem| {
                let element = element(unit, item);
                element == own || element == type_number(unit, Type::CHAR)
            };
            let entries = info.data.iter().zip(&self.entries);
            for (item, entry) in entries.filter(|(item, _)| may_hold(item)) {
                let Some((first, bytes)) = entry.written_memory(lowered, item) else { continue };
                let _ = write!(
                    text,
                    "if ((unsigned long)&({name}) - (unsigned long)({first}) < (unsigned long)({bytes})) __gpuc_by_value(&__gpuc_s{number}, {}, {}); ",
                    literal(name),
                    entry.name
                );
            }
        }
        text
    }
}

impl Entry {
    /// What a construct may write of a data item through a pointer: the first byte and how many, as C expressions.
    fn written_memory(&self, lowered: &Lowered, item: &DataItem) -> Option<(String, String)> {
        let memory = match &item.extent {
            Extent::Enclosed { construct, item, .. }
                if lowered.constructs[*construct].condition.when.is_none() =>
            {
                let data = format!("__gpuc_d{construct}[{item}]");
                (format!("{data}.host"), format!("{data}.bytes"))
            }
            Extent::Clause(_) | Extent::Elements(..) | Extent::Pointer(_) => {
                (self.first.clone(), self.bytes.clone())
            }
            // An object is no other one.
            Extent::Object(_) | Extent::Rows(_) | Extent::Enclosed { .. } => return None,
        };
        self.may_be_written.then_some(memory)
    }
}

/// A construct's data as arguments of its launch.
pub(super) struct LaunchData {
    /// What stands ahead of the launch.
    pub ahead: String,
    /// The table of what is known when compiling, and how many there are: the first arguments.
    pub table: String,
    /// Where each is and how long: the arguments in front of the kernel's.
    pub words: String,
    /// A letter for each of those.
    pub letters: String,
}

/// The number of descriptors of a construct: those of rows stand behind all others.
pub(super) fn descriptors(info: &ConstructInfo) -> usize {
    let has_rows = |item: &&DataItem| matches!(item.extent, Extent::Rows(_));
    info.data.len() + info.data.iter().filter(has_rows).count()
}
