use std::path::{Path, PathBuf};

use gpuc_cache::Cache;

use super::super::{Options, preprocess};
use super::Headers;

/// A folder of files that are compiled with one cache.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// With a source `t.c`; nothing where the machine's compiler does not answer.
    fn new(files: &[(&str, &str)]) -> Option<Project> {
        let project = Project { folder: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, text)| project.write(name, text));
        let answers = project.text(false, &[]).is_some();
        if !answers {
            println!("skipped: `cc` is not GCC itself");
        }
        answers.then_some(project)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn options(&self, only_needed: bool, args: &[&str]) -> Options {
        let mut options = Options::new(self.path("t.c"));
        options.args = args.iter().map(Into::into).collect();
        options.answers = Some(Cache::new(self.path("answers"), 1 << 20));
        options.headers = Some(Cache::new(self.path("kept"), 1 << 24));
        options.only_needed = only_needed;
        options.dependencies = ["-MD", "-MP", "-MF"].map(Into::into).to_vec();
        options.dependencies.push(self.path("t.d").into());
        options
    }

    /// What the source depends on, by what was written last.
    fn dependencies(&self) -> String {
        std::fs::read_to_string(self.path("t.d")).unwrap()
    }

    fn text(&self, only_needed: bool, args: &[&str]) -> Option<String> {
        let text = preprocess(&self.options(only_needed, args))?;
        Some(String::from_utf8(text).unwrap())
    }

    /// The text with what is needed, which is the same without an entry.
    fn needed(&self, args: &[&str]) -> String {
        let text = self.text(true, args).unwrap();
        let dependencies = self.dependencies();
        let mut options = self.options(true, args);
        options.headers = None;
        assert_eq!(text.as_bytes(), preprocess(&options).unwrap(), "an entry changes the text");
        assert_eq!(dependencies, self.dependencies(), "an entry changes what is depended on");
        options.only_needed = false;
        preprocess(&options).unwrap();
        assert_eq!(dependencies, self.dependencies());
        text
    }

    fn entries(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.path("kept")).into_iter().flatten();
        folder.map(|entry| entry.unwrap().path()).collect()
    }

    /// Whether the next compilation takes what is kept: an entry that was made long ago stays as it is, byte and time.
    fn is_hit(&self, args: &[&str]) -> bool {
        let entries = self.entries();
        let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
        let before: Vec<u64> = entries.iter().map(|path| inode(path)).collect();
        // A new entry is another file.
        let links: Vec<PathBuf> = entries.iter().map(|path| path.with_extension("was")).collect();
        entries.iter().zip(&links).for_each(|(path, link)| std::fs::hard_link(path, link).unwrap());
        self.needed(args);
        links.iter().for_each(|link| std::fs::remove_file(link).unwrap());
        let now = self.entries();
        now.len() == before.len() && entries.iter().map(|path| inode(path)).eq(before)
    }
}

/// The lines of a source's own text behind its first headers, each with its place.
fn own<'t>(text: &'t str, name: &str) -> Vec<(&'t str, u32, &'t str)> {
    let (mut file, mut line, mut times) = ("", 1, 0);
    let mut found = Vec::new();
    for words in text.lines() {
        let marker = words.strip_prefix("# ").and_then(|rest| rest.split_once(' '));
        if let Some((number, rest)) = marker {
            let end = rest[1..].find('"').unwrap();
            (file, line) = (&rest[1..=end], number.parse().unwrap());
            // The first is the source's own first line.
            times += u32::from(file == name && number != "0");
            continue;
        }
        if times > 1 && file == name && !words.trim().is_empty() {
            found.push((file, line, words));
        }
        line += 1;
    }
    found
}

#[test]
fn the_source_is_the_same_behind_its_headers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let Some(project) = Project::new(&[("t.c", "int x;\n")]) else { return };
    let mut number = 0;
    for folder in ["examples", "tests/programs", "tests/openacc", "tests/openmp"] {
        for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "c") {
                continue;
            }
            let text = |only_needed| {
                let mut options = project.options(only_needed, &["-O2"]);
                options.file.clone_from(&path);
                preprocess(&options).map(|text| String::from_utf8(text).unwrap())
            };
            let Some(all) = text(false) else { continue };
            let dependencies = project.dependencies();
            let needed = text(true).unwrap();
            assert_eq!(dependencies, project.dependencies(), "{}", path.display());
            assert_eq!(text(true).as_ref(), Some(&needed), "{}", path.display());
            if needed.len() < all.len() {
                let name = path.to_str().unwrap();
                assert_eq!(own(&needed, name), own(&all, name));
                number += 1;
            }
        }
    }
    assert!(number > 20, "{number}");
    // Many sources begin with the same headers.
    assert!(project.entries().len() < number);
}

#[test]
fn what_nothing_needs_is_left_out() {
    let header = "typedef int number; typedef number unused;\nstruct later;\n\
                  struct later *find(void);\nstruct later { number member; };\n\
                  enum { ONE, TWO };\n#define THREE 3\n#define FOUR unused\nint other(unused);\n\
                  static inline int twice(int x) { return x + x; }\n";
    let source = "#include <sys.h>\n#include \"own.h\"\nint f(void) { return find()->member + TWO + THREE; }\n";
    let own = "static int nobodys(void);\n#pragma once\nunused *p;\n";
    let Some(project) = Project::new(&[("t.c", source), ("sys/sys.h", header), ("own.h", own)])
    else {
        return;
    };
    let folder = format!("-isystem{}", project.path("sys").display());
    let text = project.needed(&[&folder]);
    for kept in [
        "find(void)",
        "struct later {",
        "int number;",
        "ONE, TWO",
        "nobodys",
        "number unused",
        "+ 3",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    for left_out in ["other", "twice", "FOUR"] {
        assert!(!text.contains(left_out), "{left_out}: {text}");
    }
    assert!(text.contains("own.h\"\nunused *p;"), "{text}");
    assert!(project.text(false, &[&folder]).unwrap().contains("twice"));
    assert!(project.is_hit(&[&folder]));
}

/// Macros of headers come up in definitions, in conditions and by pasting; they are taken away and defined anew.
#[test]
fn macros_of_kept_headers() {
    let header = "#define A 1 + B\n#define B 2\n#define CAT(a, b) a ## b\n#define AB pasted\n#define GONE 1\n\
                  #undef GONE\n#define SHOW(x) #x\n#undef linux\n#pragma once\nint h;\n";
    let source = "#include \"h.h\"\n#include <stddef.h>\n#include \"h.h\"\n#if B == 2 && !defined GONE && defined A\n\
                  int a = A, b = CAT(A, B), c = linux;\n#endif\n#define C A\n#undef B\n#define B 3\n\
                  const char *s = SHOW(A) ; int d = C; void *n = NULL;\n#include \"h.h\"\n#include <stddef.h>\n";
    let Some(project) = Project::new(&[("t.c", source), ("h.h", header)]) else { return };
    let all = project.text(false, &[]).unwrap();
    for _ in 0..2 {
        let needed = project.needed(&[]);
        let name = project.path("t.c");
        let name = name.to_str().unwrap();
        assert_eq!(own(&needed, name), own(&all, name));
        assert!(needed.contains("int a = 1 + 2, b = pasted, c = linux;"), "{needed}");
        assert!(needed.contains("\"A\" ; int d = 1 + 3;"), "{needed}");
    }
    // A definition of the source's that is another one is the compiler's to warn of.
    project.write("t.c", "#include \"h.h\"\n#define B 3\n");
    assert!(project.text(true, &[]).is_none());
}

#[test]
fn what_has_changed_is_read_again() {
    let source = "#include \"h.h\"\n#include <s.h>\nint f(void) { return value; }\n";
    let files = [("t.c", source), ("h.h", "enum { value = 1 };\n"), ("b/s.h", "int s;\n")];
    let folders = |project: &Project| {
        ["a", "b"].map(|folder| format!("-isystem{}", project.path(folder).display()))
    };
    let project = Project { folder: tempfile::tempdir().unwrap() };
    files.iter().for_each(|(name, text)| project.write(name, text));
    std::fs::create_dir(project.path("a")).unwrap();
    let [a, b] = folders(&project);
    let args = [&*a, &*b];
    if project.text(false, &args).is_none() {
        return;
    }
    project.needed(&args);
    assert!(project.is_hit(&args));
    // Another header of the same length and, for all that clocks tell, of the same time.
    let time = project.path("h.h").metadata().unwrap().modified().unwrap();
    project.write("h.h", "enum { value = 2 };\n");
    std::fs::File::options()
        .append(true)
        .open(project.path("h.h"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert!(!project.is_hit(&args));
    assert!(project.needed(&args).contains("value = 2"));
    assert!(project.is_hit(&args));
    // One that stands ahead of it now.
    project.write("a/s.h", "extern int s;\nenum { value_of_a };\n");
    assert!(!project.is_hit(&args));
    assert!(project.is_hit(&args));
    // One that is there no more.
    std::fs::remove_file(project.path("a/s.h")).unwrap();
    assert!(!project.is_hit(&args));
    // Other macros, other options, and another list of headers.
    assert!(!project.is_hit(&[&a, &b, "-Dvalue=x"]));
    assert!(project.needed(&[&a, &b, "-Dvalue=x"]).contains("enum { x = 2 }"));
    assert!(!project.is_hit(&[&a, &b, "-O3"]));
    assert!(project.is_hit(&args));
    project.write("t.c", "#include \"h.h\"\nint f(void) { return value; }\n");
    assert!(!project.is_hit(&args));
    // Comments and lines ahead make no difference to headers, and are told apart.
    project
        .write("t.c", "/* a\n b */\n\n#include \"h.h\" // c\nint f(void) { return __LINE__; }\n");
    assert!(project.is_hit(&args));
    assert!(project.needed(&args).contains("return 5"));
    // Another file beside the same source of another folder.
    project.write("other/h.h", "enum { value = 7 };\n");
    project.write("other/t.c", source);
    let mut options = project.options(true, &args);
    options.file = project.path("other/t.c");
    let text = String::from_utf8(preprocess(&options).unwrap()).unwrap();
    assert!(text.contains("value = 7"), "{text}");
}

/// Macros between headers are a part of what they come to, wherever they stand.
#[test]
fn macros_between_headers() {
    let header = "#ifdef WANTED\nint wanted;\n#undef LATE\n#endif\nenum { value = VALUE };\n";
    let source = |start: &str, macros: &str| {
        format!(
            "{start}#define WANTED /* by\n h.h */ 1\n\n// so\n#include <stddef.h>\n{macros}#include \"h.h\"\n\
             #define BEHIND 5\nint f(void) {{ return __LINE__ + value + LATE + BEHIND; }}\n"
        )
    };
    let some = "#define LATE 3\n#define VALUE \\\n  7\n#undef linux\n";
    let Some(project) = Project::new(&[("t.c", &source("", some)), ("h.h", header)]) else {
        return;
    };
    for (start, macros, is_known, value, late) in [
        ("", some, false, "7", "LATE"),
        ("\n\n/* moved */\n", some, true, "7", "LATE"),
        ("", "#define VALUE 8\n#define LATE 3\n", false, "8", "LATE"),
        ("", "#define VALUE 8\n#undef WANTED\n#define LATE 3\n", false, "8", "3"),
    ] {
        project.write("t.c", &source(start, macros));
        let text = project.text(false, &[]).unwrap();
        let name = project.path("t.c");
        let name = name.to_str().unwrap();
        assert_eq!(project.is_hit(&[]), is_known, "{start}{macros}");
        assert!(project.is_hit(&[]));
        let needed = project.needed(&[]);
        let is_code = |line: &&(&str, u32, &str)| line.2.contains("return");
        assert_eq!(
            own(&needed, name).iter().find(is_code),
            own(&text, name).iter().find(is_code),
            "{needed}"
        );
        assert!(needed.contains(&format!("enum {{ value = {value} }}")), "{needed}");
        assert!(needed.contains(&format!("value + {late} + 5")), "{needed}");
        assert_eq!(needed.matches("#define WANTED 1\n").count(), 1, "{needed}");
    }
    // What has the source's name in it is no other's.
    project.write("h.h", "static const char *const base = __BASE_FILE__;\n");
    project.write("t.c", "#define A\n#include \"h.h\"\nconst char *f(void) { return base; }\n");
    assert!(project.needed(&[]).contains("t.c\";"));
    project.write("u.c", &std::fs::read_to_string(project.path("t.c")).unwrap());
    let mut options = project.options(true, &[]);
    options.file = project.path("u.c");
    let text = String::from_utf8(preprocess(&options).unwrap()).unwrap();
    assert!(text.contains("u.c\";"), "{text}");
}

#[test]
fn what_is_damaged_is_made_anew() {
    let files =
        [("t.c", "#include <stdio.h>\n#include <math.h>\nint main(void) { puts(\"\"); }\n")];
    let Some(project) = Project::new(&files) else { return };
    let text = project.needed(&[]);
    let [entry] = &project.entries()[..] else { panic!("{:?}", project.entries()) };
    let whole = std::fs::read(entry).unwrap();
    for bytes in [&whole[..whole.len() / 2], b"", b"half"] {
        std::fs::write(entry, bytes).unwrap();
        assert_eq!(project.needed(&[]), text);
        assert!(std::fs::read(entry).unwrap() == whole, "the entry is whole again");
    }
    // What has a good digest and is none of ours.
    let cache = project.options(true, &[]).headers.unwrap();
    let name = entry.file_stem().unwrap().to_str().unwrap().to_owned();
    let key = cache_key(&name);
    let bytes = cache.get(key).unwrap();
    for length in (0..bytes.len()).step_by(bytes.len() / 200) {
        assert!(Headers::decode(&bytes[..length]).is_none(), "{length}");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 500) {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        // Whatever it is, looking things up in it ends, and ends well.
        if let Some(changed) = Headers::decode(&changed) {
            changed.needed(b"puts printf sin NULL", &mut Vec::new());
            let _ = changed.macro_named(b"NULL");
        }
    }
    cache.put(key, b"nothing").unwrap();
    assert_eq!(project.needed(&[]), text);
}

/// The key of an entry's name.
fn cache_key(name: &str) -> gpuc_cache::Key {
    let byte = |at: usize| u8::from_str_radix(&name[2 * at..2 * at + 2], 16).unwrap();
    gpuc_cache::Key::from_bytes(std::array::from_fn(byte))
}

#[test]
fn compilations_at_once_have_the_same_text() {
    let files = [(
        "t.c",
        "#include <stdlib.h>\n#include <string.h>\nvoid *f(void) { return malloc(1); }\n",
    )];
    let Some(project) = Project::new(&files) else { return };
    let mut options = project.options(true, &[]);
    options.headers = None;
    let text = preprocess(&options).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for round in 0..8 {
                    assert!(preprocess(&project.options(true, &[])).unwrap() == text);
                    if round % 3 == 2 {
                        let cache = project.options(true, &[]).headers.unwrap();
                        cache.clean().unwrap();
                    }
                }
            });
        }
    });
}

/// `#ifdef _OPENACC` round headers does not end them where it holds; where it does not, or anything else is asked, it does.
#[test]
fn conditions_of_families_may_stand_between_headers() {
    let asked = |line: &str| super::family_asked(line.as_bytes());
    assert_eq!(asked("ifdef _OPENACC\n"), Some("_OPENACC"));
    assert_eq!(asked(" if defined(_OPENMP)"), Some("_OPENMP"));
    assert_eq!(asked("if defined _OPENACC"), Some("_OPENACC"));
    assert_eq!(asked("if defined(_OPENACC) && X"), None);
    assert_eq!(asked("ifndef _OPENACC"), None);
    let source = "#include \"a.h\"\n#if defined(_OPENMP)\n#define X 1\n#include \"b.h\"\n#endif\n\
                  #include \"c.h\"\n#ifdef _OPENMP\n#include \"d.h\"\n#else\nint e;\n#endif\nint t = X;\n";
    let files = [
        ("t.c", source),
        ("a.h", "int a;\n"),
        ("b.h", "int b;\n"),
        ("c.h", "int c;\n"),
        ("d.h", "int d;\n"),
    ];
    let Some(project) = Project::new(&files) else { return };
    for args in [&["-fopenmp"][..], &["-fopenmp", "-DY"], &[]] {
        let has = !args.is_empty();
        let text = project.needed(args);
        assert!(text.contains("int b;") == has && text.contains("int d;") == has, "{text}");
        assert!(text.contains("int a;") && text.contains("int c;"), "{text}");
        assert!(text.contains("int t = 1;") == has && text.contains("int e;") != has, "{text}");
        assert!(project.is_hit(args));
    }
}
