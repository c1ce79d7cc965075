//! The words for programs whose data is not where they say it is.

use gpuc_diagnostics::Diagnostic;

use super::{Entry, PresentTable};
use crate::descriptor::{DataDescriptor, DataKind, SiteDescriptor};

/// How many entries of the table an error shows.
const SHOWN_ENTRIES: usize = 8;

/// An entry as one line of the table, in the fields that users of other compilers know.
fn table_line(entry: &Entry) -> String {
    let mut line = format!(
        "host:0x{:x}..0x{:x} device:0x{:x} size:{} presentcount:{}+{} name:{}",
        entry.host,
        entry.end(),
        entry.device,
        entry.bytes,
        entry.structured,
        entry.dynamic,
        entry.name
    );
    if let Some(place) = &entry.place {
        line.push_str(&format!(" from:{place}"));
    }
    line
}

/// Adds the nearest entries of the table to an error.
fn with_table(mut error: Diagnostic, table: &PresentTable, host: u64) -> Diagnostic {
    let number = table.device_number();
    if table.is_empty() {
        return error.help(format!("the present table of device {number} is empty"));
    }
    error = error.help(if table.len() > SHOWN_ENTRIES {
        format!(
            "present table of device {number}, nearest {SHOWN_ENTRIES} of {} entries:",
            table.len()
        )
    } else {
        format!("present table of device {number}, nearest first:")
    });
    table.nearest(host, SHOWN_ENTRIES).into_iter().fold(error, |e, entry| e.help(table_line(entry)))
}

/// The range that a clause names.
fn range(data: &DataDescriptor) -> String {
    let host = data.host_address();
    format!("host:0x{host:x}..0x{:x} size:{}", host.saturating_add(data.bytes()), data.bytes())
}

/// The clause asks for data that no entry covers.
pub(super) fn not_found(
    table: &PresentTable,
    site: &SiteDescriptor,
    data: &DataDescriptor,
    kind: DataKind,
) -> Diagnostic {
    let name = data.name();
    let host = data.host_address();
    let implicit = kind == DataKind::ImplicitPresent;
    let what = if implicit {
        format!("data in no clause of this `{}`", site.construct())
    } else {
        format!("data in `{}` clause", kind.clause())
    };
    let error = Diagnostic::error(format!(
        "{what} was not found on device {}: name={name} {}",
        table.device_number(),
        range(data)
    ))
    .label(format!("`{name}` is not on the device at this `{}`", site.construct()));
    let mut error = site.locate(error, data.line);
    if let Some(same) = table.named(&name) {
        error = error.help(format!(
            "another range is there under the name `{name}`, {} bytes {}: was the pointer changed \
             since, or is it another variable?",
            same.host.abs_diff(host),
            if same.host < host { "before" } else { "after" }
        ));
    }
    let error = error.help(match kind {
        DataKind::UpdateHost | DataKind::UpdateDevice => format!(
            "bring `{name}` in with a data region or `enter data` before, or give the update an `if` \
             clause"
        ),
        _ if implicit => format!(
            "bring `{name}` in with a data region or `enter data` before, or name it here in a clause"
        ),
        _ => format!(
            "bring `{name}` in with a data region or `enter data` before, or use `copy` here"
        ),
    });
    with_table(error, table, host)
}

/// The clause names a range of which a part only is on the device.
pub(super) fn partly_present(
    table: &PresentTable,
    site: &SiteDescriptor,
    data: &DataDescriptor,
    entry: &Entry,
) -> Diagnostic {
    let name = data.name();
    let host = data.host_address();
    let overlap = host.saturating_add(data.bytes()).min(entry.end()) - host.max(entry.host);
    let error = Diagnostic::error(format!(
        "a part of this section is on device {} already, the rest is not: name={name} {}, of which \
         {overlap} bytes are in `{}` host:0x{:x}..0x{:x} size:{}",
        table.device_number(),
        range(data),
        entry.name,
        entry.host,
        entry.end(),
        entry.bytes
    ))
    .label(format!("`{name}` reaches beyond what is on the device"));
    let mut error = site.locate(error, data.line);
    if let Some(place) = &entry.place {
        error = error.related(place.clone(), format!("`{}` was brought in here", entry.name));
    }
    let error = error.help(
        "a section must be wholly on the device or wholly absent; bring in the larger range first",
    );
    with_table(error, table, host)
}

/// The host's data is asked for where a pointer holds an address of the device.
pub(super) fn is_of_device(
    table: &PresentTable,
    site: &SiteDescriptor,
    data: &DataDescriptor,
) -> Diagnostic {
    let name = data.name();
    let error = Diagnostic::error(format!(
        "`{name}` holds an address of memory of device {}, 0x{:x}, which the host cannot read",
        table.device_number(),
        data.host_address()
    ))
    .label(format!("data of the host at `{name}` is asked for here"))
    .help(
        "was the pointer set on the device and brought back, or has it come from the device's allocator? `is_device_ptr` and \
         `deviceptr` take such addresses, while what is there has not been freed",
    );
    site.locate(error, data.line)
}

/// The range reaches beyond the end of the address space: a length gone wrong.
pub(super) fn wraps_around(site: &SiteDescriptor, data: &DataDescriptor) -> Diagnostic {
    let error = Diagnostic::error(format!(
        "the section of `{}` has an impossible length: {} bytes at 0x{:x}",
        data.name(),
        data.bytes(),
        data.host_address()
    ))
    .help("a negative length, or one computed with an overflow, reads as a very large one");
    site.locate(error, data.line)
}

/// The clause stands where the ABI has none of its kind: compiler and runtime do not fit.
pub(super) fn misplaced(site: &SiteDescriptor, data: &DataDescriptor, call: &str) -> Diagnostic {
    let error = Diagnostic::error(format!(
        "data clause of kind {} on `{}` does not belong to {call}",
        data.kind,
        data.name()
    ))
    .help("the program was compiled by another version of gpuc than that of this runtime");
    site.locate(error, data.line)
}
