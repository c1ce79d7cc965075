//! Options of the host compiler: which take a value, and which steps of a build want them.

/// Which steps want an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Preprocessing, compiling and linking.
    Everything,
    /// Compiling and linking, but not our preprocessing.
    CompileAndLink,
    /// Preprocessing and compiling.
    PreprocessAndCompile,
    /// Linking alone.
    Link,
    /// Dependency files, which preprocessing writes ([`crate::cc::dependencies`]).
    Dependencies,
}

/// An option whose value may be, or is, the next argument.
struct WithValue {
    name: &'static str,
    /// Whether the value may also be attached (`-Idir`).
    attached: bool,
    steps: Steps,
}

const fn value(name: &'static str, attached: bool, steps: Steps) -> WithValue {
    WithValue { name, attached, steps }
}

/// GCC's options with a value (`-o`, which is read before, aside), and those of Clang that are not
/// spelled with `=`.
const WITH_VALUE: &[WithValue] = &[
    value("-I", true, Steps::PreprocessAndCompile),
    value("-D", true, Steps::PreprocessAndCompile),
    value("-U", true, Steps::PreprocessAndCompile),
    value("-A", true, Steps::PreprocessAndCompile),
    value("-include", true, Steps::PreprocessAndCompile),
    value("-imacros", true, Steps::PreprocessAndCompile),
    value("-isystem", true, Steps::PreprocessAndCompile),
    value("-iquote", true, Steps::PreprocessAndCompile),
    value("-idirafter", true, Steps::PreprocessAndCompile),
    value("-iprefix", true, Steps::PreprocessAndCompile),
    value("-iwithprefix", true, Steps::PreprocessAndCompile),
    value("-iwithprefixbefore", true, Steps::PreprocessAndCompile),
    value("-imultilib", true, Steps::PreprocessAndCompile),
    value("-isysroot", true, Steps::PreprocessAndCompile),
    value("-Xpreprocessor", false, Steps::PreprocessAndCompile),
    value("--define-macro", true, Steps::PreprocessAndCompile),
    value("--undefine-macro", true, Steps::PreprocessAndCompile),
    value("--include-directory", true, Steps::PreprocessAndCompile),
    value("--include-directory-after", true, Steps::PreprocessAndCompile),
    value("--include", true, Steps::PreprocessAndCompile),
    value("--imacros", true, Steps::PreprocessAndCompile),
    value("-MF", true, Steps::Dependencies),
    value("-MT", true, Steps::Dependencies),
    value("-MQ", true, Steps::Dependencies),
    value("-L", true, Steps::Link),
    value("-l", true, Steps::Link),
    value("-Xlinker", false, Steps::Link),
    value("-T", true, Steps::Link),
    value("-u", false, Steps::Link),
    value("-z", false, Steps::Link),
    value("-e", false, Steps::Link),
    value("-h", false, Steps::Link),
    value("-Xassembler", false, Steps::CompileAndLink),
    value("-aux-info", false, Steps::CompileAndLink),
    value("-dumpbase", false, Steps::CompileAndLink),
    value("-dumpbase-ext", false, Steps::CompileAndLink),
    value("-dumpdir", false, Steps::CompileAndLink),
    value("-wrapper", false, Steps::CompileAndLink),
    value("-arch", false, Steps::Everything),
    value("-target", false, Steps::Everything),
    value("-Xclang", false, Steps::Everything),
    value("-B", true, Steps::Everything),
    value("--param", true, Steps::Everything),
    value("--sysroot", true, Steps::Everything),
    value("-specs", true, Steps::Everything),
];

/// Beginnings of options without a value that preprocessing must see: they define macros, find
/// headers, or warn.
const PREPROCESSED: &[&str] = &[
    "-std=",
    "-ansi",
    "-f",
    "-m",
    "-pthread",
    "-O",
    "-g",
    "-undef",
    "-nostdinc",
    "-trigraphs",
    "-W",
    "-pedantic",
    "-w",
    "-remap",
    "--target=",
];

/// An option of the host compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostOption {
    pub steps: Steps,
    /// Whether the next argument is its value.
    pub takes_next: bool,
}

/// What `text`, which begins with a dash, is.
pub(super) fn classify(text: &str) -> HostOption {
    let matching = WITH_VALUE
        .iter()
        .filter(|option| text == option.name || (option.attached && text.starts_with(option.name)));
    if let Some(option) = matching.max_by_key(|option| option.name.len()) {
        return HostOption { steps: option.steps, takes_next: text == option.name };
    }
    let steps = match text {
        "-MD" | "-MMD" | "-MP" | "-MG" => Steps::Dependencies,
        // What is read has no macros left.
        "-fdirectives-only" => Steps::CompileAndLink,
        // Part of the value goes to the preprocessor only, or to the linker only.
        _ if text.starts_with("-Wp,-M") => Steps::Dependencies,
        _ if text.starts_with("-Wp,") => Steps::PreprocessAndCompile,
        _ if text.starts_with("-Wl,") => Steps::Link,
        _ if text.starts_with("-Wa,") => Steps::CompileAndLink,
        _ if PREPROCESSED.iter().any(|prefix| text.starts_with(prefix)) => Steps::Everything,
        _ => Steps::CompileAndLink,
    };
    HostOption { steps, takes_next: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_to_the_steps_that_want_them() {
        for (text, steps, takes_next) in [
            ("-I", Steps::PreprocessAndCompile, true),
            ("-Idir", Steps::PreprocessAndCompile, false),
            ("-include", Steps::PreprocessAndCompile, true),
            ("--define-macro=X=1", Steps::PreprocessAndCompile, false),
            ("--include-directory", Steps::PreprocessAndCompile, true),
            ("-fdirectives-only", Steps::CompileAndLink, false),
            ("-imacrosfile", Steps::PreprocessAndCompile, false),
            ("-iwithprefixbefore", Steps::PreprocessAndCompile, true),
            ("-Wp,-DX", Steps::PreprocessAndCompile, false),
            ("-Wp,-MD,f", Steps::Dependencies, false),
            ("-MF", Steps::Dependencies, true),
            ("-MTx", Steps::Dependencies, false),
            ("-MMD", Steps::Dependencies, false),
            ("-lm", Steps::Link, false),
            ("-u", Steps::Link, true),
            ("-undef", Steps::Everything, false),
            ("-Wl,-z,now", Steps::Link, false),
            ("-Wall", Steps::Everything, false),
            ("-Wa,-a", Steps::CompileAndLink, false),
            ("-dumpbase-ext", Steps::CompileAndLink, true),
            ("--sysroot=dir", Steps::Everything, false),
            ("--sysroot", Steps::Everything, true),
            ("-pipe", Steps::CompileAndLink, false),
        ] {
            assert_eq!(classify(text), HostOption { steps, takes_next }, "{text}");
        }
    }
}
