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
    // The extension by which a file says the same.
    let extension = |item: &Item| match item {
        Item::Input(input) if input.file == "-" => match input.language.as_ref()?.to_str()? {
            "c" => Some("c"),
            "cpp-output" => Some("i"),
            _ => None,
        },
        _ => None,
    };
    let mut items = arguments.items.iter().enumerate();
    let found = items.find_map(|(at, item)| Some((at, extension(item)?)));
    let Some((at, extension)) = found else { return Ok(None) };
    let mut text = b"# 1 \"<stdin>\"\n".to_vec();
    std::io::stdin()
        .lock()
        .read_to_end(&mut text)
        .map_err(io_error("cannot read standard input"))?;
    let file = folder.join("stdin").with_extension(extension);
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
        // As the host compiler names what has no name.
        let assembly = changed.host.iter().any(|flag| flag == "-S");
        changed.output = Some(PathBuf::from(if assembly { "-.s" } else { "-.o" }));
    }
    Ok(Some(changed))
}
