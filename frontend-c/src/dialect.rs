//! What the compiler's options change in the language: the host compiler compiles the program with
//! them, so a region must mean the same. Options that change what is not known here are the driver's to
//! refuse.

use std::ffi::OsString;

/// The language of a unit. The default is GCC's for x86-64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// `-funsigned-char`: plain `char` has no negative values.
    pub unsigned_char: bool,
    /// `-fwrapv`: signed arithmetic wraps around.
    pub wraps: bool,
    /// `-fsingle-precision-constant`: floating constants without a suffix are of type `float`.
    pub single_precision_constants: bool,
    /// `-fshort-enums`: enumerations are as small as their values allow.
    pub short_enums: bool,
    /// `-fpack-struct`: all structures and unions are packed.
    pub packed: bool,
    /// The host compiler is Clang, which warns of other things than GCC.
    pub clang: bool,
    /// `-fpack-struct=N`: no member is aligned to more than this many bytes.
    pub pack: Option<u64>,
}

impl Dialect {
    /// The language by the options of the command line, of which the last of a kind counts, and by
    /// the compiler's predefined macros, which the preprocessed text begins with.
    pub fn new(options: &[OsString], text: &[u8]) -> Dialect {
        let mut dialect = Dialect::default();
        for option in options {
            dialect.option(&option.to_string_lossy());
        }
        let predefines = |name: &[u8]| {
            text.split(|&byte| byte == b'\n').any(|line| {
                line.strip_prefix(b"#define ").is_some_and(|rest| rest.starts_with(name))
            })
        };
        dialect.unsigned_char = predefines(b"__CHAR_UNSIGNED__");
        dialect.clang = predefines(b"__clang__ ");
        dialect
    }

    fn option(&mut self, option: &str) {
        match option {
            "-fwrapv" | "-fno-strict-overflow" => self.wraps = true,
            "-fno-wrapv" | "-fstrict-overflow" | "-ftrapv" => self.wraps = false,
            "-fsingle-precision-constant" => self.single_precision_constants = true,
            "-fno-single-precision-constant" => self.single_precision_constants = false,
            "-fshort-enums" => self.short_enums = true,
            "-fno-short-enums" => self.short_enums = false,
            "-fpack-struct" => self.packed = true,
            "-fno-pack-struct" => (self.packed, self.pack) = (false, None),
            _ => {
                if let Some(limit) = option.strip_prefix("-fpack-struct=") {
                    self.pack = limit.parse().ok();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_option_of_a_kind_counts() {
        let options = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
        let read = |list: &[&str]| Dialect::new(&options(list), b"");
        assert!(read(&["-fno-wrapv", "-fwrapv"]).wraps);
        assert!(!read(&["-fwrapv", "-fno-wrapv"]).wraps);
        assert!(read(&["-fpack-struct"]).packed);
        assert_eq!(read(&["-fpack-struct=4"]).pack, Some(4));
        assert_eq!(read(&["-fpack-struct=4", "-fno-pack-struct"]).pack, None);
        assert!(read(&["-fsingle-precision-constant"]).single_precision_constants);
    }

    #[test]
    fn the_compiler_says_whether_char_is_signed() {
        assert!(
            Dialect::new(&[], b"# 0 \"<built-in>\"\n#define __CHAR_UNSIGNED__ 1\n").unsigned_char
        );
        assert!(!Dialect::new(&[], b"#define __CHAR_BIT__ 8\n").unsigned_char);
    }
}
