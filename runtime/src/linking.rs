//! Functions of the device that several files of a program share: an image that calls one which it does not define is
//! loaded together with the images that do.
//!
//! Files that have such functions make themselves known when the program starts; who calls whom is read from the
//! PTX: `.extern .func` declares what another file has, `.visible` and `.weak` ones are there for others.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use gpuc_diagnostics::{Diagnostic, Place};

use crate::device::Device;
use crate::embedded::ImageDescriptor;

/// What the compiler ends the names of a program's functions with.
const SUFFIX: &str = "$device";

/// The images that have functions for others.
static PROVIDERS: Mutex<Vec<&'static ImageDescriptor>> = Mutex::new(Vec::new());

/// Makes an image with functions for others known.
///
/// # Safety
/// `image` points to an image of the program that is there as long as the program runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __gpuc_provide(image: *const ImageDescriptor) {
    // SAFETY: the caller's promise.
    let Some(image) = (unsafe { image.as_ref() }) else { return };
    PROVIDERS.lock().unwrap_or_else(PoisonError::into_inner).push(image);
}

/// An image's text and the name of its source.
pub struct Text {
    /// The PTX.
    pub ptx: String,
    /// The translation unit.
    pub source: String,
}

impl Text {
    /// The one of an image that is best for a device.
    fn of(image: &ImageDescriptor, device: &dyn Device) -> Text {
        let code = image.code_for(device.arch(), device.newest_ptx());
        let ptx = code.map_or_else(String::new, |code| code.ptx.into_owned());
        Text { ptx, source: image.source().into_owned() }
    }
}

/// The functions of the program that a text declares (`.extern`) or has for others.
fn functions<'a>(ptx: &'a str, linkage: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    ptx.lines().filter_map(move |line| {
        let rest = linkage.iter().find_map(|linkage| line.strip_prefix(linkage))?;
        let rest = rest.strip_prefix(" .func ")?;
        let rest = match rest.strip_prefix('(') {
            Some(result) => result.split_once(')')?.1.trim_start(),
            None => rest,
        };
        rest.split_once('(').map(|(name, _)| name.trim()).filter(|name| name.ends_with(SUFFIX))
    })
}

/// An image and, behind it, all that it calls in others.
///
/// # Errors
/// A function that no file of the program has, with the place of its call.
pub fn with_what_it_calls(
    image: &ImageDescriptor,
    device: &dyn Device,
) -> Result<Vec<Text>, Box<Diagnostic>> {
    let mut texts = vec![Text::of(image, device)];
    if functions(&texts[0].ptx, &[".extern"]).next().is_none() {
        return Ok(texts);
    }
    let providers: Vec<Text> = {
        let known = PROVIDERS.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .iter()
            .filter(|known| !std::ptr::eq(**known, image))
            .map(|image| Text::of(image, device))
            .collect()
    };
    close(&mut texts, providers)?;
    Ok(texts)
}

/// Adds what is called, until nothing is missing.
fn close(texts: &mut Vec<Text>, providers: Vec<Text>) -> Result<(), Box<Diagnostic>> {
    let mut providers: Vec<Option<Text>> = providers.into_iter().map(Some).collect();
    let mut done = 0;
    let mut defined: BTreeSet<String> = BTreeSet::new();
    let note = |text: &Text, defined: &mut BTreeSet<String>| {
        defined.extend(functions(&text.ptx, &[".visible", ".weak"]).map(str::to_owned));
    };
    note(&texts[0], &mut defined);
    while let Some(text) = texts.get(done) {
        let mut wanted: Vec<&str> = functions(&text.ptx, &[".extern"]).collect();
        // Of several that are missing the one that is called first is named.
        wanted.sort_by_key(|name| place_of_call(&text.ptx, name).map(|place| place.line));
        for name in wanted.into_iter().map(str::to_owned).collect::<Vec<_>>() {
            if defined.contains(&name) {
                continue;
            }
            let has = |text: &Option<Text>| {
                text.as_ref().is_some_and(|text| {
                    functions(&text.ptx, &[".visible", ".weak"]).any(|known| known == name)
                })
            };
            let Some(found) = providers.iter_mut().find(|text| has(text)).and_then(Option::take)
            else {
                return Err(Box::new(missing(&texts[done], &name)));
            };
            note(&found, &mut defined);
            texts.push(found);
        }
        done += 1;
    }
    Ok(())
}

/// What is said of a function that no file has.
fn missing(text: &Text, name: &str) -> Diagnostic {
    let plain = name.strip_suffix(SUFFIX).unwrap_or(name);
    let message = format!(
        "device code of {} calls `{plain}`, which no file of the program has for the device",
        text.source
    );
    Diagnostic::error(message).at_option(place_of_call(&text.ptx, name)).help(format!(
        "compile the file that defines `{plain}` with gpuc, with `#pragma acc routine` in front of the definition or of a \
         declaration of it that the file sees; `-Minfo` says why a definition is not there for others"
    ))
}

/// Where a function is first called, by the line table in front.
fn place_of_call(ptx: &str, name: &str) -> Option<Place> {
    let mut files: Vec<(u32, &str)> = Vec::new();
    let mut at = None;
    for line in ptx.lines().map(str::trim) {
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u32>().ok());
        if let Some(rest) = line.strip_prefix(".file ") {
            let (index, path) = rest.split_once(' ')?;
            files.push((index.parse().ok()?, path.trim_matches('"')));
        } else if let Some(rest) = line.strip_prefix(".loc ") {
            let mut words = rest.split_whitespace();
            at = Some((number(words.next())?, number(words.next())?, number(words.next())?));
        } else if line.starts_with("call") && line.contains(name) {
            let (file, line, column) = at?;
            let (_, path) = files.iter().find(|(index, _)| *index == file)?;
            return Some(Place::new(*path, line, column, 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str, ptx: &str) -> Text {
        Text { ptx: ptx.to_owned(), source: source.to_owned() }
    }

    #[test]
    fn heads_are_read_with_and_without_results() {
        let ptx = ".extern .func (.param .b32 func_retval0) f$device(.param .b32 a);\n\
                   .extern .func g$device();\n.extern .func (.param .b32 r) vprintf(.param .b64 f);\n\
                   .visible .func h$device(.param .b64 a)\n{\n";
        let found: Vec<&str> = functions(ptx, &[".extern"]).collect();
        assert_eq!(found, ["f$device", "g$device"]);
        assert_eq!(functions(ptx, &[".visible", ".weak"]).collect::<Vec<_>>(), ["h$device"]);
    }

    #[test]
    fn what_is_called_calls_others() {
        let main = ".extern .func f$device();";
        let others = || {
            vec![
                text("c", ".weak .func g$device()\n.extern .func f$device();"),
                text("d", ".visible .func h$device()"),
                text("b", ".visible .func f$device()\n.extern .func g$device();"),
            ]
        };
        let mut texts = vec![text("a", main)];
        close(&mut texts, others()).unwrap();
        let sources: Vec<&str> = texts.iter().map(|text| text.source.as_str()).collect();
        assert_eq!(sources, ["a", "b", "c"]);
    }

    #[test]
    fn a_function_that_nobody_has_is_named_with_its_call() {
        let ptx = ".file 1 \"a.c\"\n.extern .func f$device();\n    .loc 1 7 5\n    {\n    call.uni f$device;\n";
        let error = close(&mut vec![text("a.c", ptx)], Vec::new()).unwrap_err();
        assert!(error.message.contains("calls `f`"), "{}", error.message);
        assert_eq!(error.place.map(|place| (place.line, place.column)), Some((7, 5)));
    }
}
