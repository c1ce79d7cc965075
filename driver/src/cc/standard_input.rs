//! Programs that come from standard input (`-x c -`): read once, so that their directives count as those of a
//! file do.

use std::io::Read;
use std::path::{Path, PathBuf};

use gpuc_diagnostics::Diagnostic;

use super::arguments::{Item, Steps};
use super::{Arguments, Mode, io_error};

/// The command with a file in `folder` in the place of standard input; nothing where no C comes from there.
/// The file says of its lines that they are `<stdin>`'s; what it includes is looked for in the current folder.
///
/// # Errors
/// Standard input cannot be read, or the file not be written.
pub fn as_file(arguments: &Arguments, folder: &Path) -> Result<Option<Arguments>, Diagnostic> {
    let is_it = |item: &Item| match item {
        Item::Input(input) => {
            input.file == "-"
                && input.language.as_ref().is_some_and(|l| l == "c" || l == "cpp-output")
        }
        _ => false,
    };
    let Some(at) = arguments.items.iter().position(is_it) else { return Ok(None) };
    let mut text = b"# 1 \"<stdin>\"\n".to_vec();
    std::io::stdin()
        .lock()
        .read_to_end(&mut text)
        .map_err(io_error("cannot read standard input"))?;
    let preprocessed = matches!(&arguments.items[at], Item::Input(input) if input.language.as_ref().is_some_and(|l| l == "cpp-output"));
    let file = folder.join(if preprocessed { "stdin.i" } else { "stdin.c" });
    std::fs::write(&file, text).map_err(io_error(format!("cannot write `{}`", file.display())))?;

    let mut changed = arguments.clone();
    if let Item::Input(mut input) = changed.items[at].clone() {
        input.file = file.clone().into();
        changed.items[at] = Item::Source(input);
    }
    let before = changed.items[..at].iter().filter(|item| matches!(item, Item::Source(_))).count();
    changed.sources.insert(before, file);
    changed.items.insert(0, Item::Flag("-iquote.".into(), Steps::PreprocessAndCompile));
    changed.preprocess_flags.push("-iquote.".into());
    if changed.mode == Mode::Compile && changed.output.is_none() {
        let only_assembles = !changed.host.iter().any(|flag| flag == "-S");
        // As the host compiler names what has no name.
        changed.output = Some(PathBuf::from(if only_assembles { "-.o" } else { "-.s" }));
    }
    Ok(Some(changed))
}
