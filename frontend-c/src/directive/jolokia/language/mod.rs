//! The language of JolokiaC++ (Patel 2014, ch. 3 and 4) in terms of C: arrays and scalars that know their lengths, access
//! operators, whole-array expressions and reference parameters.
//!
//! The preprocessed text is rewritten before it is read ([`translate`]), so that nothing behind knows more than C. An
//! array is a pointer of its name beside its lengths; passed to a function, it takes them along. Lines stay where they are.
//!
//! | file | holds |
//! |---|---|
//! | [`types`] | the names of the types, and what a name of the program is |
//! | [`reader`] | tokens: brackets, arguments, statements |
//! | [`declare`] | variables, parameters, and calls of functions that have them |
//! | [`access`] | `A(i,j)`, `aview`, `shift`, `stride` |
//! | [`whole`] | statements about whole arrays, as loops |
//! | [`render`] | expressions |
//! | [`statement`] | functions and their statements |

mod access;
mod declare;
mod reader;
mod render;
mod statement;
mod types;
mod whole;

use std::sync::Arc;

use gpuc_diagnostics::Diagnostic;

use crate::Families;
use crate::lex::{Lexed, lex};

/// Where arrays of the program come from and go to: their memory begins with its size, and what the device has of it
/// ends with it.
const PRELUDE: &str = "extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
extern void perror(const char *);
extern void abort(void) __attribute__((__noreturn__));
extern void __gpuc_auto_dead(const void *, unsigned long) __attribute__((__weak__));
static __inline__ __attribute__((__unused__)) void *__jolokia_array(unsigned long bytes, long a, long b, long c) \
{ unsigned long *memory = 0; if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(bytes, (unsigned long)a, &bytes) || \
__builtin_mul_overflow(bytes, (unsigned long)b, &bytes) || __builtin_mul_overflow(bytes, (unsigned long)c, &bytes) || \
!(memory = calloc(1ul, bytes + 64ul))) { perror(\"an array of JolokiaC++\"); abort(); } \
memory[0] = bytes; return (char *)memory + 64; }
static __inline__ __attribute__((__unused__)) void __jolokia_release(void *array) \
{ char *first = *(char **)array; unsigned long *memory = (unsigned long *)(first - 64); \
if (__gpuc_auto_dead) __gpuc_auto_dead(first, memory[0]); free(memory); }
";

/// A change of the text: `text` in the place of the bytes from `start` to `end`.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// The text of `file` in C; `None` where it is C already.
///
/// # Errors
/// What the language does not allow, each at its place.
pub fn translate(text: &Arc<[u8]>, file: &str) -> Result<Option<Vec<u8>>, Vec<Diagnostic>> {
    let families = Families { jolokia: true, ..Families::default() };
    let lexed = lex(text.clone(), file, families);
    let mut translator = statement::Translator::new(text, &lexed);
    translator.unit();
    let (edits, errors) = translator.finish();
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok((!edits.is_empty()).then(|| edited(text, &lexed, edits)))
}

/// The text with all edits. Behind each that changes the number of lines stands where the program goes on.
fn edited(text: &[u8], lexed: &Lexed, mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.start);
    let mut out = b"# 1 \"<jolokia>\" 3\n".to_vec();
    out.extend_from_slice(PRELUDE.replace("\\\n", "").as_bytes());
    out.extend_from_slice(format!("# 1 \"{}\"\n", escaped(&lexed.source.line(0).0)).as_bytes());
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(&text[at..edit.start]);
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.end;
        let before = text[edit.start..edit.end].iter().filter(|&&byte| byte == b'\n').count();
        if before != edit.text.matches('\n').count() {
            let (file, line) = lexed.source.line(at as u32);
            let column = lexed.source.preprocessed_column(at as u32) as usize;
            let place = format!("\n# {line} \"{}\"\n{}", escaped(&file), " ".repeat(column - 1));
            out.extend_from_slice(place.as_bytes());
        }
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// A file's name in a line marker.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
