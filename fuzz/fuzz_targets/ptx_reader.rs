//! Any text is read as PTX or refused with located errors; nothing crashes.
#![no_main]

use libfuzzer_sys::fuzz_target;

const FILE: &str = "fuzz.ptx";

fuzz_target!(|text: &str| {
    let Err(errors) = gpuc_sim::Module::parse(text, FILE) else { return };
    assert!(!errors.is_empty(), "refused without a reason");
    // One line more than there are: the end of the text may be what is wrong.
    let lines = text.lines().count() as u32 + 1;
    for error in &errors {
        assert!(error.is_error() && !error.message.is_empty(), "{error:?}");
        if let Some(place) = error.place.as_ref().filter(|place| &*place.file == FILE) {
            assert!((1..=lines).contains(&place.line), "{error:?} of {lines} lines");
        }
    }
});
