//! The options and variables of gpuc in one table each, and what is made of them: the text of
//! `--help`, the man page, and the shells' completions.

use std::fmt::Write;

/// An option of gpuc's own.
#[derive(Clone, Copy, Debug)]
pub struct OwnOption {
    /// The option, without its value.
    pub name: &'static str,
    /// What its value is called, with `=` or blank in front.
    pub value: &'static str,
    /// The words that the value may be, where they are few.
    pub words: &'static [&'static str],
    /// What it does.
    pub text: &'static str,
}

impl OwnOption {
    /// Its name, where it begins with two dashes.
    pub fn long(&self) -> Option<&'static str> {
        self.name.starts_with("--").then_some(self.name)
    }
}

const fn option(name: &'static str, value: &'static str, text: &'static str) -> OwnOption {
    OwnOption { name, value, words: &[], text }
}

/// The options, in the order of `--help`.
pub const OPTIONS: &[OwnOption] = &[
    option(
        "--arch",
        "=sm_XX",
        "compute capability of the kernels, which run on later ones too; native: this machine's GPUs, the \
         default (sm_75 without one; gpuc run: what the simulator stands for); of several, with commas, \
         the program has code for each, and takes the best",
    ),
    OwnOption {
        name: "--device",
        value: "=DEVICE",
        words: &["auto", "cuda", "sim", "host"],
        text: "with run: auto (default), cuda, sim or host",
    },
    option("--require-gpu", "", "with run: fail rather than use the simulator"),
    OwnOption {
        name: "--emit",
        value: "=LEVEL",
        words: crate::compile::Level::NAMES,
        text: "tokens, ast, source, affine, gpu, ptx-ir, ptx, host-c, kir, plan, forecast, task-graph or \
               task-graph-svg; of IR in a .mlir file those that \
               are still to come, of a .ptx file ptx and host-c",
    },
    OwnOption {
        name: "--check",
        value: "=LIST",
        words: &["all", "memcheck", "racecheck", "initcheck", "synccheck"],
        text: "with run: checkers that watch the simulator's kernels, with commas; what they find \
               makes the exit status 1",
    },
    OwnOption {
        name: "--check-format",
        value: "=FORM",
        words: &["text", "json"],
        text: "with run: findings as text (default) or json, on standard error",
    },
    OwnOption {
        name: "--approx",
        value: "=ERROR",
        words: &["best", "worst"],
        text: "with run: worst: approximate functions on the simulator (sin.approx, ...) are off by as \
               much as PTX allows",
    },
    option("--budget", "=N", "with run: end a kernel on the simulator after N warp instructions"),
    option("--time-limit", "=SECONDS", "with run: end a kernel on the simulator after so long"),
    option(
        "--progress",
        "",
        "with run: say how far a kernel is that the simulator runs for over a second; default where \
         standard error is a terminal",
    ),
    OwnOption {
        name: "--report",
        value: "[=FORM]",
        words: &["text", "json", "html"],
        text: "with run: at exit, what bounds each kernel, as text (default) on standard error, or as \
               json or html in gpuc-report.json or .html",
    },
    option("--report-file", "=FILE", "with run: where a report of json or html goes"),
    option("--report-base", "=FILE", "with run: a report of json to compare with, in html"),
    option("--counters", "", "with run: every counter of the simulator in the report"),
    option(
        "--device-model",
        "=NAME",
        "with run: the device that the simulator stands for: v100, a100-80, h100, ...",
    ),
    option("--time", "", "with run: print the timing table of each region at exit"),
    OwnOption {
        name: "-ffp-contract",
        value: "=MODE",
        words: &["fast", "on", "off"],
        text: "fast (default, but with -std=cXX) fuses multiply and add; off: never; on, which is for \
               fusing within an expression: never, too, as GCC before 14",
    },
    option(
        "--maxrregcount",
        "=N",
        "registers that a thread of a kernel has at most (16 to 255); what a kernel would have more of is spilled to memory",
    ),
    option(
        "-fno-associative-math",
        "",
        "inner loops make sums and products of floating-point numbers in the order of the program; else, \
         where no clause says who executes them, lanes may share them",
    ),
    OwnOption {
        name: "--auto",
        value: "[=all]",
        words: &["all"],
        text: "offload nests of plain C too, where that is worth it; all: whatever their size; --no-auto, \
               -fno-auto: default",
    },
    OwnOption {
        name: "-foffload-unsupported",
        value: "=MODE",
        words: &["error", "host"],
        text: "a construct whose code cannot be compiled for the device is an error (default); host: it \
               is left to the host, with a warning here and another when it runs",
    },
    OwnOption {
        name: "-Minfo",
        value: "[=accel|all|forecast|plan]",
        words: &["accel", "all", "forecast", "plan"],
        text: "print what was parallelised and how, and what moves, by function and line, and (but for accel) what \
               kernels are expected to take; plan: the plan of each construct, as --plan reads it",
    },
    option("--plan", "=FILE", "follow the plans of a file, which --emit=plan writes"),
    option(
        "--sizes",
        "=NAME=N,...",
        "numbers of parameters, for what kernels are expected to take (-Minfo, --emit=forecast, \
         --search, gpuc tune); 1024 where none is given",
    ),
    option(
        "--search",
        "",
        "look for plans that are expected to take less than the compiler's own, for --sizes; nothing is run, \
         -Minfo says what was found",
    ),
    option("--tuning", "=FILE", "follow what gpuc tune found best, as its record has it"),
    option(
        "-Mneginfo",
        "",
        "print what was not parallelised, moved or made faster, and why, and nothing else of -Minfo",
    ),
    option(
        "-W",
        "NAME",
        "warn of what the message code of that name is about, a remark of -Minfo too; -Wno-NAME: do not; \
         -Werror=NAME, -Wno-error=NAME: it is an error, or none; gpuc --explain lists the names",
    ),
    option("-Wno-error", "=plan", "compile without a plan that is refused, with a warning"),
    OwnOption {
        name: "-fdiagnostics-format",
        value: "=FORM",
        words: crate::feedback::document::FORMS,
        text: "all messages, the host compiler's too, as one document on standard error: json (GCC's form) or \
               sarif; json-file, sarif-file: in SOURCE.gcc.json, SOURCE.sarif",
    },
    option("-shared-gpuc", "", "link the runtime library as a shared one; -static-gpuc: default"),
    option("--print-ir-after-all", "", "print the IR behind every pass, to standard error"),
    option(
        "--print-task-graph",
        "[=svg]",
        "print the tasks of device and host and what moves between them, in DOT: --emit=task-graph; or as a picture",
    ),
    option("--mlir-print-debuginfo", "", "with --emit: print where each operation comes from"),
    option("--timing", "", "print the time spent in each stage, to standard error"),
    option(
        "--explain",
        " [CODE]",
        "explain a message's code: gpuc --explain GPUC0004; without, list all",
    ),
    option("--help", "", "print this text"),
    option("--version", "", "print the version; with -v, what belongs to it as well"),
    option("--print-config", "", "print where the compiler finds what it needs"),
    option("-print-file-name", "=FILE", "print the path of a library, libgpuc_runtime.a for one"),
    option("--print-man-page", "", "print the manual page, in the language of man(7)"),
    OwnOption {
        name: "--print-completions",
        value: "=SHELL",
        words: &["bash", "zsh", "fish"],
        text: "print what completes these options in bash, zsh or fish",
    },
];

/// Spellings of other compilers that are understood.
const SPELLINGS: &[(&str, &str)] = &[
    ("-acc, -acc=gpu, -ta=tesla", "offload; the default"),
    ("-acc=host, -noacc, -fno-openacc", "leave the directives out; with -acc=host _OPENACC stays"),
    (
        "-gpu=cc90,fma,maxregcount:64,...",
        "--arch=sm_90 (of several each), -ffp-contract, --maxrregcount; fastmath and unroll allow and ask for what is done as \
         it is",
    ),
    ("-Mfma, -Mnofma", "-ffp-contract=fast, -ffp-contract=off"),
    ("--offload-arch=sm_90", "--arch=sm_90 (of several each)"),
    ("-arch=sm_90", "--arch=sm_90"),
    ("-fast", "-O3"),
    (
        "-fopenmp, -mp, -mp=gpu",
        "OpenMP: target regions are offloaded, all else is the host compiler's",
    ),
    ("-fhmpp", "offload OpenHMPP directives (`hmpp`, `hmppcg`)"),
    ("-fjolokia", "offload tasks of JolokiaC++ (`jolokia`); `_for` and `parallel_for` are loops"),
    ("-fopenmp-targets=nvptx64", "-fopenmp offloads in any case"),
    ("-mp=multicore", "-fopenmp, with target regions on the host"),
    (
        "-Minfo=CATEGORY,...",
        "-Minfo, -Mneginfo, where a category is one that gpuc says something about",
    ),
];

/// Variables of the environment, and what each is for.
pub const VARIABLES: &[(&str, &str)] = &[
    ("GPUC_ARCH", "the default of --arch"),
    ("GPUC_CC", "the command of the host compiler, with options if need be (default cc)"),
    ("GPUC_TUNING", "the record of tuning to compile by, where no --tuning names one"),
    ("GPUC_RUNTIME_DIR", "the folder with the runtime library, instead of gpuc's own"),
    ("GPUC_DEVICE", "where compiled programs run their regions: auto, cuda, sim or host"),
    ("GPUC_REQUIRE_GPU", "1: a compiled program fails rather than use the simulator"),
    ("GPUC_SIM_ARCH", "the compute capability that the simulator stands for (default sm_90)"),
    ("GPUC_CHECK", "checkers that watch the simulator's kernels: a list with commas, or all"),
    ("GPUC_CHECK_FORMAT", "how what they find is printed: text or json"),
    ("GPUC_SIM_BUDGET", "warp instructions after which the simulator ends a kernel"),
    ("GPUC_SIM_TIME_LIMIT", "seconds after which the simulator ends a kernel"),
    ("GPUC_SIM_APPROX", "worst: approximate functions are off by as much as PTX allows"),
    ("GPUC_PROGRESS", "1: say how far a kernel of over a second is; 0: never"),
    ("GPUC_SIM_DEVICES", "how many devices the simulator has: 1 to 64"),
    ("GPUC_SIM_DEVICE", "the device that the simulator stands for: v100, a100-80, h100, ..."),
    ("GPUC_AUTO", "all, model or none: which nests that --auto found run on the device"),
    (
        "GPUC_AUTOCOMPARE",
        "1, or a tolerance: run each construct on device and host, compare what they leave",
    ),
    (
        "GPUC_NOTIFY",
        "bits: 1 launches, 2 transfers, 4 constructs, 8 waits, 16 memory: say when it happens",
    ),
    ("GPUC_DEBUG", "1: all of GPUC_NOTIFY, the present table, and a wait after each kernel"),
    (
        "GPUC_CACHE",
        "the folder for what a GPU's driver has compiled, or 0 for none (default gpuc/images in the cache)",
    ),
    ("GPUC_CACHE_MB", "the most that it takes, in MiB (default 256)"),
    (
        "GPUC_STACK_KB",
        "KiB of stack for each thread of a GPU (default 8 where kernels call functions)",
    ),
    ("GPUC_HEAP_MB", "MiB for malloc in device code (default 8)"),
    ("GPUC_POOL", "0 or 1: keep freed device memory for later requests (default: on GPUs)"),
    ("GPUC_REPORT", "text, json or html: what kernels did and what moved, at exit"),
    ("GPUC_REPORT_FILE", "where a report of json or html goes"),
    ("GPUC_REPORT_BASE", "a report of json that one of html is compared with"),
    ("GPUC_COUNTERS", "1: GPUC_REPORT with every counter; 0: the simulator counts nothing"),
    ("GPUC_PROFILE", "a file for the timeline, as a Chrome trace"),
    ("GPUC_CHECK", "memcheck, racecheck, initcheck, synccheck or all: what the simulator checks"),
    ("GPUC_CHECK_FORMAT", "text or json: how findings are printed"),
    ("GPUC_TIME", "1: print the timing table of each region at exit"),
    ("GPUC_QUIET", "1: do not say which device is in use"),
    ("NO_COLOR", "set: messages of the compiler without colours"),
    ("TMPDIR", "the folder for temporary files (default /tmp)"),
    ("XDG_CACHE_HOME", "the folder for caches (default ~/.cache); gpuc's is `gpuc` in it"),
];

/// Columns of the text of `--help`.
const WIDTH: usize = 100;

/// The text of `--help`.
pub fn help() -> String {
    let mut text = String::from(
        "usage: gpuc [OPTIONS] FILE...              compile and link, like cc
       gpuc run [OPTIONS] FILE... [-- ARG...]   compile and run
       gpuc check [OPTIONS] FILE... [-- ARG...] the same under every checker
       gpuc profile [OPTIONS] FILE... [-- ARG...]  the same with a report of every kernel
       gpuc tune [OPTIONS] FILE [-- ARG...]     run with other plans, and record the fastest
       gpuc lsp                            serve an editor: the Language Server Protocol on standard
                                           input and output
       gpuc cache stats|clean [images|headers|compilers|gpus]...
                                           what is kept on disk, or remove it
       gpuc --emit=LEVEL FILE              print a level of the compiler

gpuc takes cc's options (-c -o -I -D -O -g -l -L ...) and hands on what it does not know.

Options:
",
    );
    for option in OPTIONS {
        entry(&mut text, &format!("{}{}", option.name, option.value), option.text);
    }
    text += "\nOptions of other compilers, and what they mean here:\n";
    for (spelling, meaning) in SPELLINGS {
        entry(&mut text, spelling, meaning);
    }
    text += "\nEnvironment:\n";
    for (name, meaning) in VARIABLES {
        entry(&mut text, name, meaning);
    }
    text
}

/// A term and what it means, in two columns.
fn entry(out: &mut String, term: &str, text: &str) {
    const INDENT: usize = 24;
    let _ = write!(out, "  {term}");
    let mut column = term.len() + 2;
    if column + 2 > INDENT {
        out.push('\n');
        column = 0;
    }
    for word in text.split(' ') {
        if column > INDENT && column + 1 + word.len() > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column < INDENT {
            let _ = write!(out, "{:1$}", "", INDENT - column);
            column = INDENT;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
    out.push('\n');
}

/// The manual page, in the language of man(7).
pub fn man_page() -> String {
    let mut page = format!(
        ".TH GPUC 1 \"\" \"gpuc {}\"\n.SH NAME\ngpuc \\- compile C with directives to GPU code\n\
         .SH SYNOPSIS\n\\fBgpuc\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR...\n.br\n\\fBgpuc run\\fR \
         [\\fIOPTIONS\\fR] \\fIFILE\\fR... [\\-\\- \\fIARG\\fR...]\n.br\n\\fBgpuc \
         \\-\\-emit=\\fILEVEL FILE\\fR\n.SH DESCRIPTION\nCompiles like cc. Loops that OpenACC \
         directives mark become kernels, which run on an NVIDIA GPU, or without one on the built-in \
         simulator. Options that are not listed here are those of the host compiler.\n.SH OPTIONS\n",
        env!("CARGO_PKG_VERSION")
    );
    let mut section = |entries: &mut dyn Iterator<Item = (String, &str)>| {
        for (term, text) in entries {
            let _ = write!(page, ".TP\n.B {}\n{}\n", roff(&term), roff(text));
        }
    };
    section(&mut OPTIONS.iter().map(|o| (format!("{}{}", o.name, o.value), o.text)));
    section(&mut SPELLINGS.iter().map(|(term, text)| ((*term).to_owned(), *text)));
    page += ".SH ENVIRONMENT\n";
    for (name, text) in VARIABLES {
        let _ = write!(page, ".TP\n.B {name}\n{}\n", roff(text));
    }
    page += ".SH EXIT STATUS\n0 on success, 1 after an error; of \\fBgpuc run\\fR, the program's.\n\
             .SH SEE ALSO\n.BR gcc (1),\n.BR clang (1)\n";
    page
}

/// Text as man(7) wants it: dashes that can be copied, and no line that is taken for a request.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

/// A shell that completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
}

impl Shell {
    /// The shell of a name.
    pub(super) fn parse(name: &str) -> Option<Shell> {
        match name {
            "bash" => Some(Shell::Bash),
            "zsh" => Some(Shell::Zsh),
            "fish" => Some(Shell::Fish),
            _ => None,
        }
    }
}

/// What completes gpuc's options in a shell.
pub fn completions(shell: Shell) -> String {
    let separator = |option: &OwnOption| if option.value.contains('=') { "=" } else { "" };
    match shell {
        Shell::Bash => bash(separator),
        Shell::Zsh => {
            let mut text = String::from("#compdef gpuc\n_arguments \\\n");
            for option in OPTIONS {
                let help = option.text.replace('\'', "").replace([':', '[', ']'], " ");
                let (name, separator) = (option.name, separator(option));
                let _ = write!(text, "  '{name}{separator}[{help}]");
                if !option.words.is_empty() {
                    let _ = write!(text, ":value:({})", option.words.join(" "));
                } else if !option.value.is_empty() {
                    text += ":value: ";
                }
                text += "' \\\n";
            }
            text + "  '*:file:_files'\n"
        }
        Shell::Fish => {
            let mut text = String::from("complete -c gpuc -n __fish_use_subcommand -a run\n");
            for option in OPTIONS {
                let (kind, name) = match option.name.strip_prefix("--") {
                    Some(name) => ("-l", name),
                    None => ("-o", option.name.trim_start_matches('-')),
                };
                let _ = write!(text, "complete -c gpuc {kind} {name}");
                if !option.words.is_empty() {
                    let _ = write!(text, " -x -a '{}'", option.words.join(" "));
                }
                let _ = writeln!(text, " -d '{}'", option.text.replace('\'', "\\'"));
            }
            text
        }
    }
}

fn bash(separator: impl Fn(&OwnOption) -> &'static str) -> String {
    let names: Vec<String> =
        OPTIONS.iter().map(|o| format!("{}{}", o.name, separator(o))).collect();
    let mut text = String::from(
        "_gpuc() {\n    local word=${COMP_WORDS[COMP_CWORD]} option=\n    \
         [ \"$word\" = = ] && word=\n    case ${COMP_WORDS[COMP_CWORD-1]} in\n        \
         =) option=${COMP_WORDS[COMP_CWORD-2]} ;;\n    esac\n    \
         [ \"${COMP_WORDS[COMP_CWORD]}\" = = ] && option=${COMP_WORDS[COMP_CWORD-1]}\n    \
         case $option in\n",
    );
    for option in OPTIONS.iter().filter(|option| !option.words.is_empty()) {
        let words = option.words.join(" ");
        let _ = writeln!(
            text,
            "        {}) COMPREPLY=($(compgen -W '{words}' -- \"$word\")); return ;;",
            option.name
        );
    }
    let _ = write!(
        text,
        "    esac\n    case $word in\n        -*) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n    \
         esac\n    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace\n}}\n\
         complete -o default -F _gpuc gpuc\n",
        names.join(" ")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_in_two_columns_of_one_width() {
        let text = help();
        for line in text.lines() {
            assert!(line.len() <= WIDTH, "{line}");
        }
        assert!(text.contains("  --arch=sm_XX          compute capability of the kernels"));
        assert!(text.contains("  --print-completions=SHELL\n                        print what"));
    }

    #[test]
    fn the_man_page_has_every_option_and_variable() {
        let page = man_page();
        for option in OPTIONS {
            assert!(page.contains(&roff(option.name)), "{}", option.name);
        }
        for (name, _) in VARIABLES {
            assert!(page.contains(&format!(".B {name}\n")), "{name}");
        }
        assert_eq!(roff(".x -a\\"), "\\&.x \\-a\\e");
    }
}
