//! Any bytes are read as preprocessed C or refused with errors; nothing crashes.
#![no_main]

use gpuc_frontend_c::{Families, preprocess::Preprocessed, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let preprocessed = Preprocessed::from_text(text, "fuzz.c");
    let (_, diagnostics) = read(&preprocessed, Families { openacc: true, openmp: true, hmpp: true, jolokia: true });
    for diagnostic in &diagnostics {
        assert!(!diagnostic.message.is_empty(), "{diagnostic:?}");
    }
});
