//! Sections of which the program says only at run time how long they are.

use gpuc_diagnostics::Diagnostic;

use crate::descriptor::SiteDescriptor;
use crate::failure::Failure;

/// Checks that `length` elements of each row of a section are all of a row, which has `extent`; less than 0 where
/// elements have no size, of which there are any number.
///
/// # Errors
/// They are fewer, so that the section is no one stretch of memory, or more than there are.
pub fn whole_rows(
    site: &SiteDescriptor,
    section: &str,
    length: i64,
    extent: i64,
) -> Result<(), Failure> {
    if length == extent || extent < 0 {
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

/// Checks that `length` elements of a section, from `first` on and each `stride` behind the one before, are among the
/// `extent` of an array, of which there are any number where that is less than 0. A section of no elements is one anywhere.
///
/// # Errors
/// One of them is not, or the stride is none.
pub fn within(
    site: &SiteDescriptor,
    line: u32,
    section: &str,
    first: i64,
    length: i64,
    stride: i64,
    extent: i64,
) -> Result<(), Failure> {
    if length <= 0 || extent < 0 {
        return Ok(());
    }
    let last = i128::from(first) + i128::from(length - 1) * i128::from(stride);
    if first >= 0 && last < i128::from(extent) && stride >= 1 {
        return Ok(());
    }
    let error = match stride {
        1.. => Diagnostic::error(format!(
            "section {section} is outside of the array: elements {first} to {last}, where the declaration has {extent}"
        ))
        .help("behind the first element stands the number of elements, not the last one"),
        _ => Diagnostic::error(format!("section {section} has a stride of {stride}: it is 1 or more")),
    };
    Err(Box::new(site.locate(error, line)))
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
        assert_eq!(said(6, -1), "");
        assert_eq!(
            said(4, 5),
            "section a[0:n][0:m] is not one stretch of memory: 4 elements of rows of 5"
        );
        assert_eq!(
            said(6, 5),
            "section a[0:n][0:m] is larger than the array: 6 elements of rows of 5"
        );
    }

    #[test]
    fn sections_are_within_their_arrays_or_refused() {
        let site = SiteDescriptor::new(c"t.c", c"f", 3, c"data");
        let said = |first, length, stride, extent| {
            let found = within(&site, 4, "a[k:n]", first, length, stride, extent);
            found.err().map(|error| error.to_string())
        };
        for legal in
            [(0, 5, 1, 5), (5, 0, 1, 5), (9, -3, 1, 5), (0, 3, 2, 5), (4, 1, 7, 5), (0, 0, 1, 0)]
        {
            assert_eq!(said(legal.0, legal.1, legal.2, legal.3), None, "{legal:?}");
        }
        let beyond = [
            (0, 6, 1, 5),
            (1, 5, 1, 5),
            (-1, 2, 1, 5),
            (0, 4, 2, 5),
            (i64::MAX, i64::MAX, i64::MAX, 5),
        ];
        for (first, length, stride, extent) in beyond {
            let last = i128::from(first) + i128::from(length - 1) * i128::from(stride);
            let error = format!(
                "t.c:4: error: section a[k:n] is outside of the array: elements {first} to {last}, where the declaration has {extent}"
            );
            assert_eq!(said(first, length, stride, extent), Some(error));
        }
        assert!(said(0, 2, 0, 5).is_some_and(|error| error.contains("a stride of 0")));
    }
}
