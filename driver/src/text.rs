//! The preprocessed text of a source: how it is asked for.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use gpuc_frontend_c::preprocess::{self, Preprocessed};

use crate::cc::{Arguments, dependencies};
use crate::compile::Failure;
use crate::toolchain::caches::Kind;
use crate::toolchain::{HostCompiler, runtime};

/// Preprocesses a source, and writes its dependency file on the way; declarations of the system's
/// that nothing needs may be left out.
pub fn preprocess(
    source: &Path,
    only_needed: bool,
    arguments: &Arguments,
) -> Result<Preprocessed, Failure> {
    let only_needed = only_needed && !shows_declarations(arguments);
    preprocess_buffer(source, None, only_needed, arguments)
}

/// Whether an option has the host compiler say of declarations that nothing uses.
fn shows_declarations(arguments: &Arguments) -> bool {
    const SHOWING: [&str; 5] =
        ["-aux-info", "-fdump-", "-fno-eliminate-unused-debug", "-fplugin", "-Wsystem-headers"];
    let says = |flag: &OsString| {
        SHOWING.iter().any(|start| flag.as_encoded_bytes().starts_with(start.as_bytes()))
    };
    arguments.compile_flags.iter().any(says)
}

/// The text of a source with everything that the preprocessor says of where it is from.
pub fn with_markers(source: &Path, arguments: &Arguments) -> Option<Arc<[u8]>> {
    let mut arguments = arguments.clone();
    // They have been written.
    arguments.dependency_flags.clear();
    Some(preprocess_buffer(source, None, false, &arguments).ok()?.text)
}

/// As [`preprocess()`], of what an editor has of the source, where it has it.
pub fn preprocess_buffer(
    source: &Path,
    buffer: Option<&[u8]>,
    only_needed: bool,
    arguments: &Arguments,
) -> Result<Preprocessed, Failure> {
    let mut options = preprocess::Options::new(source);
    options.buffer = buffer.map(Into::into);
    options.cc = HostCompiler::from_environment().words().to_vec();
    options.answers = Kind::Compilers.own();
    options.headers = Kind::Headers.own();
    options.only_needed = only_needed;
    options.args = arguments.preprocess_flags.clone();
    options.families = arguments.families;
    let mut flags = dependencies::flags(arguments, source);
    let shown = dependencies::StandardOutput::redirect(&mut flags)?;
    options.dependencies = flags;
    if arguments.families.openacc {
        options.args.extend(runtime::header_flags(runtime::headers()));
    }
    if arguments.families.jolokia {
        // The loops that JolokiaC++ has beside C's (Patel 2014, §4.1).
        options.args.extend(
            ["_for", "parallel_for"]
                .map(|word| format!("-D{word}=_Pragma(\"jolokia independent\") for").into()),
        );
    }
    let text = preprocess::run(&options).map_err(|mut errors| {
        // Without a place it is the compiler itself that cannot be used.
        for error in errors.iter_mut().filter(|error| error.place.is_none()) {
            error
                .help
                .push("the environment variable GPUC_CC names the C compiler to use".to_owned());
        }
        errors
    })?;
    shown.print()?;
    Ok(text)
}
