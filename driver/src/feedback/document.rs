//! `-fdiagnostics-format`: all messages of a run as one document for programs to read, in GCC's form of json or
//! as SARIF 2.1.0. The host compiler's are in it, in the order in which they come.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use gpuc_diagnostics::{Diagnostic, Place, Severity, Sources, codes};
use serde_json::{Value, json};

/// A form of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Sarif,
}

/// A document in the making.
#[derive(Debug)]
struct Document {
    form: Form,
    /// Whether it goes to a file that is called after the first source.
    to_file: bool,
    diagnostics: Vec<Diagnostic>,
}

/// The document of this process, where one is wanted. Messages come from everywhere, before the command line is
/// understood too, so it is no part of any one thing.
static DOCUMENT: Mutex<Option<Document>> = Mutex::new(None);

/// What `-fdiagnostics-format` takes.
pub const FORMS: &[&str] =
    &["text", "json", "json-stderr", "json-file", "sarif", "sarif-stderr", "sarif-file"];

fn document() -> std::sync::MutexGuard<'static, Option<Document>> {
    DOCUMENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Begins a document of a form, or ends none for `text`. Whether there is such a form.
pub fn begin(form: &str) -> bool {
    if !FORMS.contains(&form) {
        return false;
    }
    let to_file = form.ends_with("-file");
    let form = match form.split('-').next() {
        Some("json") => Form::Json,
        Some("sarif") => Form::Sarif,
        _ => {
            *document() = None;
            return true;
        }
    };
    *document() = Some(Document { form, to_file, diagnostics: Vec::new() });
    true
}

/// Whether messages go into a document.
pub fn is_wanted() -> bool {
    document().is_some()
}

/// Keeps a diagnostic for the document. Whether there is one.
pub fn keep(diagnostic: &Diagnostic) -> bool {
    match document().as_mut() {
        Some(document) => {
            document.diagnostics.push(diagnostic.clone());
            true
        }
        None => false,
    }
}

/// Writes the document, to standard error or beside `source`, and ends it.
///
/// # Errors
/// Its file cannot be written.
pub fn write(source: Option<&PathBuf>) -> Result<(), Diagnostic> {
    let Some(Document { form, to_file, diagnostics }) = document().take() else { return Ok(()) };
    let sources = Sources::new();
    let (value, extension) = match form {
        Form::Json => (json_of(&diagnostics, &sources), "gcc.json"),
        Form::Sarif => (sarif_of(&diagnostics, &sources), "sarif"),
    };
    let text = format!("{value}\n");
    match source.filter(|_| to_file) {
        None => {
            // Where standard error takes nothing there is nobody left to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
            Ok(())
        }
        Some(source) => {
            let mut name = source.file_name().unwrap_or_default().to_owned();
            name.push(".");
            name.push(extension);
            std::fs::write(&name, text).map_err(|error| {
                let name = PathBuf::from(&name);
                Diagnostic::error(format!("cannot write `{}`: {error}", name.display()))
            })
        }
    }
}

/// The name that options have for a diagnostic's code.
fn option_of(diagnostic: &Diagnostic) -> Option<String> {
    let known = codes::ALL.get(codes::index_of(diagnostic.code?)?)?;
    Some(format!("-W{}", known.name()))
}

/// The characters in front of a byte of a line, from 1.
fn character(sources: &Sources, place: &Place, byte: u32) -> u32 {
    let Some(line) = sources.line(&place.file, place.line) else { return byte };
    let before = line.char_indices().take_while(|&(at, _)| at + 1 < byte as usize).count() as u32;
    before + 1 + byte.saturating_sub(line.len() as u32 + 1)
}

/// First and last byte of a place, from 1.
fn ends(place: &Place) -> (u32, u32) {
    let first = place.column.max(1);
    (first, first + place.length.max(1) - 1)
}

/// What a diagnostic has to be replaced, and by what.
fn fix_of<'d>(diagnostic: &'d Diagnostic, sources: &Sources) -> Option<(&'d Place, &'d str)> {
    let place = diagnostic.place.as_ref().filter(|_| diagnostic.replacement.is_some())?;
    diagnostic.fix(&sources.line(&place.file, place.line)?)
}

/// What a diagnostic has to be replaced as GCC's `-fdiagnostics-parseable-fixits` has it, a line; nothing where there is nothing.
/// Columns count bytes, the second one is behind the last of them.
pub(super) fn fixit(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let Some((place, text)) = fix_of(diagnostic, sources) else { return String::new() };
    let (first, last) = ends(place);
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let (file, line, next) = (quoted(&place.file), place.line, last + 1);
    format!("fix-it:\"{file}\":{{{line}:{first}-{line}:{next}}}:\"{}\"\n", quoted(text))
}

/// What belongs to a diagnostic, by places: the way to the header that it is about, and what it has itself.
pub(crate) fn related(diagnostic: &Diagnostic) -> Vec<(Place, String)> {
    let way = diagnostic.included_from.iter();
    let way = way.map(|(file, line)| (Place::new(file.clone(), *line, 1, 1), "included from here"));
    let own = diagnostic.related.iter().map(|(place, message)| (place.clone(), message.as_str()));
    way.chain(own).map(|(place, message)| (place, message.to_owned())).collect()
}

/// In GCC's form (GCC 12, "-fdiagnostics-format=json"), with `code` and `help` beside.
fn json_of(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    let point = |place: &Place, byte: u32| {
        json!({
            "file": &*place.file, "line": place.line, "column": byte, "byte-column": byte,
            "display-column": character(sources, place, byte),
        })
    };
    let location = |place: &Place, label: &str| {
        let (first, last) = ends(place);
        let mut location = json!({ "caret": point(place, first) });
        if last > first {
            location["finish"] = point(place, last);
        }
        if !label.is_empty() {
            location["label"] = json!(label);
        }
        location
    };
    let one = |diagnostic: &Diagnostic| {
        let locations: Vec<Value> =
            diagnostic.place.iter().map(|place| location(place, &diagnostic.label)).collect();
        let children: Vec<Value> = related(diagnostic)
            .iter()
            .map(|(place, message)| {
                json!({ "kind": "note", "message": message, "locations": [location(place, "")] })
            })
            .collect();
        let mut value = json!({
            "kind": diagnostic.severity.to_string(), "message": diagnostic.message,
            "column-origin": 1, "locations": locations, "children": children,
            "escape-source": false, "help": diagnostic.help,
        });
        if let Some(code) = diagnostic.code {
            value["code"] = json!(code);
        }
        if let Some(option) = option_of(diagnostic) {
            value["option"] = json!(option);
        }
        if let Some((place, text)) = fix_of(diagnostic, sources) {
            let (first, last) = ends(place);
            let (start, next) = (point(place, first), point(place, last + 1));
            value["fixits"] = json!([{ "start": start, "next": next, "string": text }]);
        }
        value
    };
    diagnostics.iter().map(one).collect()
}

/// As SARIF (OASIS, version 2.1.0, §3).
fn sarif_of(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    let location = |place: &Place, message: &str| {
        let (first, last) = ends(place);
        let mut region = json!({ "startLine": place.line.max(1) });
        if place.column > 0 {
            region["startColumn"] = json!(character(sources, place, first));
            // The end is behind the last character (§3.30.8).
            region["endColumn"] = json!(character(sources, place, last) + 1);
        }
        let mut location = json!({
            "physicalLocation": { "artifactLocation": { "uri": uri(&place.file) }, "region": region },
        });
        if !message.is_empty() {
            location["message"] = json!({ "text": message });
        }
        location
    };
    let one = |diagnostic: &Diagnostic| {
        let (level, kind) = match diagnostic.severity {
            Severity::Error => ("error", "fail"),
            Severity::Warning => ("warning", "fail"),
            // A result that is no failure has the level `none` (§3.27.10).
            Severity::Remark | Severity::Note => ("none", "informational"),
        };
        let mut text = diagnostic.message.clone();
        for help in &diagnostic.help {
            text += "\n";
            text += help;
        }
        let locations: Vec<Value> =
            diagnostic.place.iter().map(|place| location(place, &diagnostic.label)).collect();
        let related: Vec<Value> =
            related(diagnostic).iter().map(|(place, message)| location(place, message)).collect();
        let mut value = json!({
            "level": level, "kind": kind, "message": { "text": text }, "locations": locations,
        });
        if !related.is_empty() {
            value["relatedLocations"] = json!(related);
        }
        if let Some((place, text)) = fix_of(diagnostic, sources) {
            let place = &location(place, "")["physicalLocation"];
            value["fixes"] = json!([{
                "description": { "text": format!("Replace by `{text}`") },
                "artifactChanges": [{
                    "artifactLocation": place["artifactLocation"],
                    "replacements": [{
                        "deletedRegion": place["region"], "insertedContent": { "text": text },
                    }],
                }],
            }]);
        }
        if let Some(code) = diagnostic.code {
            value["ruleId"] = json!(code);
        }
        value
    };
    let used = |code: &str| diagnostics.iter().any(|diagnostic| diagnostic.code == Some(code));
    let rules: Vec<Value> = codes::ALL
        .iter()
        .filter(|known| used(known.code))
        .map(|known| {
            json!({
                "id": known.code, "name": known.name(),
                "shortDescription": { "text": known.title }, "help": { "text": known.text },
            })
        })
        .collect();
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    let results: Vec<Value> = diagnostics.iter().map(one).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "gpuc", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": !failed }],
            "results": results,
        }],
    })
}

/// A path as a reference to a resource (RFC 3986).
fn uri(path: &str) -> String {
    let mut text = String::new();
    for &byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b'+' => {
                text.push(byte as char);
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    match path.starts_with('/') {
        true => format!("file://{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Vec<Diagnostic>, Sources) {
        let mut sources = Sources::new();
        sources.insert("a b.c", "/* \u{fc} */ int x;\n");
        let diagnostic = Diagnostic::warning("odd")
            .code(codes::NOT_INDEPENDENT)
            .at(Place::new("a b.c", 1, 11, 3))
            .label("here")
            .related(Place::new("a b.c", 1, 0, 0), "there")
            .help("do else");
        (vec![diagnostic, Diagnostic::error("no place")], sources)
    }

    #[test]
    fn json_counts_bytes_and_characters() {
        let (diagnostics, sources) = sample();
        let value = json_of(&diagnostics, &sources);
        let first = &value[0];
        assert_eq!(
            (&first["kind"], &first["option"]),
            (&json!("warning"), &json!("-Wnot-independent"))
        );
        let location = &first["locations"][0];
        assert_eq!(
            (&location["caret"]["column"], &location["caret"]["display-column"]),
            (&json!(11), &json!(10))
        );
        assert_eq!(location["finish"]["byte-column"], json!(13));
        assert_eq!(first["children"][0]["message"], json!("there"));
        assert_eq!(value[1]["locations"], json!([]));
    }

    #[test]
    fn the_way_to_a_header_is_told() {
        let mut error = Diagnostic::error("odd").at(Place::new("a.h", 1, 1, 1));
        error.included_from = vec![("b.h".into(), 2), ("a.c".into(), 3)];
        error = error.related(Place::new("a.c", 9, 1, 1), "there");
        let sources = Sources::new();
        let diagnostics = [error];
        let said = |of: &Value, message: &str, line: &str| {
            let list = of.as_array().unwrap().iter();
            list.map(|each| (each.pointer(message).cloned(), each.pointer(line).cloned()))
                .collect::<Vec<_>>()
        };
        let expected = [("included from here", 2), ("included from here", 3), ("there", 9)]
            .map(|(message, line)| (Some(json!(message)), Some(json!(line))));
        let children = &json_of(&diagnostics, &sources)[0]["children"];
        assert_eq!(said(children, "/message", "/locations/0/caret/line"), expected);
        let result = &sarif_of(&diagnostics, &sources)["runs"][0]["results"][0];
        let line = "/physicalLocation/region/startLine";
        assert_eq!(said(&result["relatedLocations"], "/message/text", line), expected);
    }

    #[test]
    fn names_may_be_replaced() {
        let mut sources = Sources::new();
        sources.insert("a.c", "\u{fc} copi(a)\n");
        let error = Diagnostic::error("`copi` is no clause").meant("copy");
        let diagnostics = [error.at(Place::new("a.c", 1, 4, 4))];
        let fix = &json_of(&diagnostics, &sources)[0]["fixits"][0];
        assert_eq!(fix["string"], json!("copy"));
        let columns = ["start", "next"].map(|end| {
            ["byte-column", "display-column"].map(|which| fix[end][which].as_u64().unwrap())
        });
        assert_eq!(columns, [[4, 3], [8, 7]]);
        assert_eq!(fixit(&diagnostics[0], &sources), "fix-it:\"a.c\":{1:4-1:8}:\"copy\"\n");
        let fix = &sarif_of(&diagnostics, &sources)["runs"][0]["results"][0]["fixes"][0];
        let change = &fix["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], json!("a.c"));
        let region = json!({ "startLine": 1, "startColumn": 3, "endColumn": 7 });
        let replacement = json!({ "deletedRegion": region, "insertedContent": { "text": "copy" } });
        assert_eq!(change["replacements"], json!([replacement]));
    }

    #[test]
    fn sarif_has_rules_and_regions() {
        let (diagnostics, sources) = sample();
        let value = sarif_of(&diagnostics, &sources);
        let run = &value["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], json!("GPUC0011"));
        assert_eq!(run["invocations"][0]["executionSuccessful"], json!(false));
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], json!("a%20b.c"));
        assert_eq!(place["region"], json!({ "startLine": 1, "startColumn": 10, "endColumn": 13 }));
        assert_eq!(run["results"][1]["level"], json!("error"));
    }
}
