//! Sections of several rows, of which the program says only at run time how long they are.

use gpuc_diagnostics::Diagnostic;

use crate::descriptor::SiteDescriptor;
use crate::failure::Failure;

/// Checks that `length` elements of each row of a section are all of a row, which has `extent`.
///
/// # Errors
/// They are fewer, so that the section is no one stretch of memory, or more than there are.
pub fn whole_rows(
    site: &SiteDescriptor,
    section: &str,
    length: i64,
    extent: i64,
) -> Result<(), Failure> {
    if length == extent {
        return Ok(());
    }
    let (what, help) = match length > extent {
        true => ("is larger than the array", "the section's rows end where the next ones begin"),
        false => (
            "is not one stretch of memory",
            "map whole rows: write the extent of the array's declaration for all but the first dimension",
        ),
    };
    let error = Diagnostic::error(format!(
        "section {section} {what}: {length} elements of rows of {extent}"
    ));
    Err(Box::new(error.at_option(site.place()).help(help)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_or_refused() {
        let site = SiteDescriptor::new(c"t.c", c"f", 3, c"data");
        let said = |length, extent| match whole_rows(&site, "a[0:n][0:m]", length, extent) {
            Ok(()) => String::new(),
            Err(error) => error.message.clone(),
        };
        assert_eq!(said(5, 5), "");
        assert_eq!(said(0, 0), "");
        assert_eq!(
            said(4, 5),
            "section a[0:n][0:m] is not one stretch of memory: 4 elements of rows of 5"
        );
        assert_eq!(
            said(6, 5),
            "section a[0:n][0:m] is larger than the array: 6 elements of rows of 5"
        );
    }
}
