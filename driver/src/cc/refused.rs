//! Options that change what C means on the host, and that the device code cannot follow.
//!
//! Those that the C reader knows it follows (`-funsigned-char`, `-fwrapv`, `-fpack-struct` and the
//! like). The others are refused in files with directives: the kernels of such a file would compute
//! something else than its host program. Other files may use them. Two nets catch them: a table of GCC's
//! options ("Options for Code Generation Conventions", "Options Controlling C Dialect", "x86
//! Options"), which can be named in the message, and the macros that the preprocessor
//! predefines, which also show what a compiler does of itself.

use std::ffi::OsString;

use gpuc_diagnostics::{Diagnostic, codes};

/// An option that is refused.
struct Refused {
    /// As it is written; with a final `=` where any value follows.
    option: &'static str,
    /// Options that take it back; the last one of all counts.
    undone_by: &'static [&'static str],
    /// Values that change nothing.
    harmless: &'static [&'static str],
    /// What it does.
    because: &'static str,
}

const fn refused(
    option: &'static str,
    undone_by: &'static [&'static str],
    because: &'static str,
) -> Refused {
    Refused { option, undone_by, harmless: &[], because }
}

const MODEL: &str = "it changes the sizes of types, and device code has those of 64-bit Linux";
const LAYOUT: &str = "it changes where members of structures lie";
const LONG_DOUBLE: &str = "it changes the size of `long double`";

const REFUSED: &[Refused] = &[
    refused("-m32", &["-m64"], MODEL),
    refused("-mx32", &["-m64"], MODEL),
    refused("-m16", &["-m64"], MODEL),
    refused("-fshort-wchar", &["-fno-short-wchar"], "it changes the type `wchar_t`"),
    refused("-mms-bitfields", &["-mno-ms-bitfields"], LAYOUT),
    refused("-malign-double", &["-mno-align-double"], LAYOUT),
    refused("-fsso-struct=big-endian", &["-fsso-struct=native"], "it changes the order of bytes"),
    refused("-mlong-double-64", &["-mlong-double-80"], LONG_DOUBLE),
    refused("-mlong-double-128", &["-mlong-double-80"], LONG_DOUBLE),
    refused("-m96bit-long-double", &["-m128bit-long-double"], LONG_DOUBLE),
    refused(
        "-funsigned-bitfields",
        &["-fsigned-bitfields", "-fno-unsigned-bitfields"],
        "it makes plain bit-fields unsigned",
    ),
    refused(
        "-fno-signed-bitfields",
        &["-fsigned-bitfields", "-fno-unsigned-bitfields"],
        "it makes plain bit-fields unsigned",
    ),
    refused(
        "-ftrapv",
        &["-fno-trapv", "-fwrapv"],
        "it ends the program where signed arithmetic overflows, which kernels cannot",
    ),
    refused("-mfpmath=387", &["-mfpmath=sse"], "it computes in `long double`"),
    refused("-mfpmath=both", &["-mfpmath=sse"], "it computes in `long double`"),
    refused("-mfpmath=sse,387", &["-mfpmath=sse"], "it computes in `long double`"),
    refused("-mfpmath=sse+387", &["-mfpmath=sse"], "it computes in `long double`"),
    refused("-mabi=ms", &["-mabi=sysv"], "it changes how functions are called, the runtime's too"),
    Refused {
        option: "-fexec-charset=",
        undone_by: &[],
        harmless: &["UTF-8", "utf-8", "UTF8", "utf8"],
        because: "it changes the values of characters",
    },
    Refused {
        option: "-fwide-exec-charset=",
        undone_by: &[],
        harmless: &["UTF-32", "utf-32", "UTF-32LE", "utf-32le"],
        because: "it changes the values of wide characters",
    },
    Refused {
        option: "-finput-charset=",
        undone_by: &[],
        harmless: &["UTF-8", "utf-8", "UTF8", "utf8", "ASCII", "US-ASCII"],
        because: "the source would be converted twice",
    },
];

/// What the preprocessor may predefine, where it predefines it at all.
const MODEL_MACROS: &[(&str, &[&str])] = &[
    ("__CHAR_BIT__", &["8"]),
    ("__SIZEOF_SHORT__", &["2"]),
    ("__SIZEOF_INT__", &["4"]),
    ("__SIZEOF_LONG__", &["8"]),
    ("__SIZEOF_LONG_LONG__", &["8"]),
    ("__SIZEOF_POINTER__", &["8"]),
    ("__SIZEOF_FLOAT__", &["4"]),
    ("__SIZEOF_DOUBLE__", &["8"]),
    ("__BYTE_ORDER__", &["__ORDER_LITTLE_ENDIAN__"]),
    ("__FLOAT_WORD_ORDER__", &["__ORDER_LITTLE_ENDIAN__"]),
    // 16: as 0, and `_Float16` in its own type as well (ISO/IEC TS 18661-3), where the CPU has it.
    ("__FLT_EVAL_METHOD__", &["0", "16"]),
];

/// The first reason to refuse a file with directives: one of `flags`, or a macro of the
/// preprocessed `text`. The diagnostic has no place yet.
pub fn find(flags: &[OsString], text: &[u8]) -> Option<Diagnostic> {
    option(flags).or_else(|| data_model(text))
}

fn option(flags: &[OsString]) -> Option<Diagnostic> {
    let flags: Vec<_> = flags.iter().map(|flag| flag.to_string_lossy()).collect();
    for (i, flag) in flags.iter().enumerate() {
        let Some(entry) = REFUSED.iter().find(|entry| entry.matches(flag)) else { continue };
        let undone = |later: &str| entry.undone_by.contains(&later) || entry.is_harmless(later);
        if flags[i + 1..].iter().any(|later| undone(later)) {
            continue;
        }
        return Some(
            Diagnostic::error(format!(
                "`{flag}` is not supported together with directives: {}",
                entry.because
            ))
            .code(codes::MEANING_OPTION)
            .help("compile this file without it, or move the directives to a file of their own"),
        );
    }
    None
}

impl Refused {
    fn matches(&self, flag: &str) -> bool {
        match self.option.strip_suffix('=') {
            Some(_) => flag.starts_with(self.option) && !self.is_harmless(flag),
            None => flag == self.option,
        }
    }

    fn is_harmless(&self, flag: &str) -> bool {
        flag.strip_prefix(self.option).is_some_and(|value| self.harmless.contains(&value))
    }
}

fn data_model(text: &[u8]) -> Option<Diagnostic> {
    for line in text.split(|&byte| byte == b'\n') {
        let Some(definition) = line.strip_prefix(b"#define __") else { continue };
        let definition = String::from_utf8_lossy(definition);
        let Some((name, value)) = definition.split_once(' ') else { continue };
        let known = MODEL_MACROS.iter().find(|(known, _)| known.strip_prefix("__") == Some(name));
        if let Some((name, expected)) =
            known.filter(|(_, expected)| !expected.contains(&value.trim()))
        {
            return Some(
                Diagnostic::error(format!(
                    "the host compiler's types are not those of 64-bit Linux: `{name}` is {} \
                     instead of {}",
                    value.trim(),
                    expected.join(" or ")
                ))
                .code(codes::MEANING_OPTION)
                .help("GPUC_CC names the host compiler; device code shares its data"),
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(line: &str) -> Option<String> {
        let flags: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        find(&flags, b"").map(|error| error.message)
    }

    #[test]
    fn the_option_is_named() {
        for (line, named) in [
            ("-O2 -m32", Some("`-m32`")),
            ("-malign-double", Some("`-malign-double`")),
            ("-mabi=ms", Some("`-mabi=ms`")),
            ("-fexec-charset=IBM1047", Some("`-fexec-charset=IBM1047`")),
            ("-fshort-wchar", Some("`-fshort-wchar`")),
            ("-fshort-wchar -fno-short-wchar", None),
            ("-fno-short-wchar -fshort-wchar", Some("`-fshort-wchar`")),
            ("-fexec-charset=UTF-8", None),
            ("-fexec-charset=ASCII -fexec-charset=UTF-8", None),
            ("-m64 -O2 -fno-trapv -mfpmath=sse", None),
        ] {
            let message = message(line);
            assert_eq!(message.is_some(), named.is_some(), "{line}: {message:?}");
            assert!(named.is_none_or(|named| message.unwrap().starts_with(named)), "{line}");
        }
    }

    #[test]
    fn other_data_models_are_refused() {
        let text = b"#define __SIZEOF_INT__ 4\n#define __SIZEOF_LONG__ 4\nint x;\n";
        let error = find(&[], text).unwrap();
        assert!(error.message.contains("`__SIZEOF_LONG__` is 4 instead of 8"), "{error}");
        assert!(find(&[], b"#define __SIZEOF_LONG__ 8\n#define __X\n").is_none());
        assert!(find(&[], b"#define __FLT_EVAL_METHOD__ 16\n").is_none());
        let error = find(&[], b"#define __FLT_EVAL_METHOD__ 2\n").unwrap();
        assert!(error.message.contains("is 2 instead of 0 or 16"), "{error}");
    }
}
