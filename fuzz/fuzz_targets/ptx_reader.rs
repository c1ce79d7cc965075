//! Any text is read as PTX or refused with located errors, as a whole or kernel by kernel; nothing
//! crashes.
#![no_main]

use libfuzzer_sys::fuzz_target;

const FILE: &str = "fuzz.ptx";

fuzz_target!(|text: &str| {
    let errors = match gpuc_sim::Module::parse(text, FILE) {
        Ok(module) => module.refusals().into_iter().cloned().collect(),
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            errors
        }
    };
    // One line more than there are: the end of the text may be what is wrong.
    let lines = text.lines().count() as u32 + 1;
    for error in &errors {
        assert!(error.is_error() && !error.message.is_empty(), "{error:?}");
        if let Some(place) = error.place.as_ref().filter(|place| &*place.file == FILE) {
            assert!((1..=lines).contains(&place.line), "{error:?} of {lines} lines");
        }
    }
});
