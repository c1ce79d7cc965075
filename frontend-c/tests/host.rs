//! The rewritten host program compiles, and behaves like the original where nothing is offloaded.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_frontend_c::{host, lower, preprocess, read};
use gpuc_ir::Ir;

/// A runtime that has no device.
const RUNTIME: &str = r#"
const void *__gpuc_region_begin(void *image, const void *site, int condition) { return 0; }
void __gpuc_region_end(const void *site) {}
int __gpuc_is_hosts(const void *begun) { return !begun; }
void __gpuc_was_hosts(const void *begun) {}
void __gpuc_data_begin(const void *site, void *data, unsigned n) {}
void __gpuc_data_end(const void *site, void *data, unsigned n) {}
void __gpuc_data_enter(const void *site, void *data, unsigned n) {}
void __gpuc_data_exit(const void *site, void *data, unsigned n) {}
void __gpuc_data_update(const void *site, void *data, unsigned n) {}
void *__gpuc_device_alloc(const void *site, unsigned long bytes) { return 0; }
void __gpuc_device_free(const void *site, void *device) {}
void __gpuc_launch(void *image, const void *site, const char *kernel, const unsigned long *grid,
                   const unsigned long *block, unsigned long shared, const void *params,
                   unsigned long bytes) {}
unsigned long __gpuc_count(long count) { return count > 0 ? count : 0; }
unsigned long __gpuc_bytes(long count, unsigned long element) { return count > 0 ? count * element : 0; }
void *__gpuc_element_0(void *device, long offset) { return (char *)device - offset; }
void *__gpuc_keep(const void *at, unsigned long bytes) {
    return __builtin_memcpy(__builtin_malloc(bytes + 1), at, bytes);
}
void __gpuc_give(void *at, void *kept, unsigned long bytes) {
    __builtin_memcpy(at, kept, bytes);
    __builtin_free(kept);
}
unsigned long __gpuc_whole_rows(const void *site, const char *section, long length, long extent) {
    return length == extent;
}
unsigned long __gpuc_within(const void *site, unsigned line, const char *section, long first,
                            long length, long stride, long extent) {
    return length <= 0 || (first >= 0 && first + (length - 1) * stride < extent);
}
"#;

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect();
    found.sort();
    found
}

/// The host program with regions that do nothing.
fn rewritten(file: &Path) -> String {
    let options = preprocess::Options::new(file);
    let text = preprocess::run(&options).unwrap();
    let (unit, _) = read(&text, options.families);
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let lowered = lower::lower_unit(&unit, &mut ir, lower::Options::default()).unwrap();
    let block = ir.body(lowered.module, 0);
    for function in ir.ops(block).collect::<Vec<_>>() {
        if ir.attr(function, "offload.site").is_some()
            && let Some(body) = ir.entry_block(ir.region(function, 0))
        {
            let mut ops: Vec<_> = ir.ops(body).collect();
            ops.pop();
            for op in ops.into_iter().rev() {
                ir.erase_op(op);
            }
        }
    }
    let ptx = "// PTX \"text\"\n\t.version 7.0??/\n".to_owned();
    let kernels = vec![("k".to_owned(), "u64 u32".to_owned())];
    let codes = ["sm_70", "sm_80"].map(|arch| host::Code {
        arch: arch.to_owned(),
        ptx: ptx.clone(),
        kernels: kernels.clone(),
    });
    host::rewrite(&unit, &lowered, &ir, &codes, host::Reader::Person).unwrap()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    assert!(errors.is_empty(), "{command:?}\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn rewritten_programs_behave_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("runtime.c"), RUNTIME).unwrap();
    run(Command::new("cc")
        .arg("-w")
        .arg("-c")
        .arg(path("runtime.c"))
        .arg("-o")
        .arg(path("runtime.o")));
    for file in programs("examples").into_iter().chain(programs("tests/programs")) {
        std::fs::write(path("host.c"), rewritten(&file)).unwrap();
        run(Command::new("cc")
            .args(["-Wall", "-Wno-unknown-pragmas"])
            .arg(path("host.c"))
            .arg(path("runtime.o"))
            .arg("-lm")
            .arg("-o")
            .arg(path("host")));
        let got = run(&mut Command::new(path("host")));
        if file.parent().is_some_and(|parent| parent.ends_with("programs")) {
            run(Command::new("cc").args(["-w"]).arg(&file).arg("-lm").arg("-o").arg(path("plain")));
            assert_eq!(got, run(&mut Command::new(path("plain"))), "{}", file.display());
        }
    }
}

#[test]
fn lines_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.c");
    let program = "void f(int n, float *a)\n{\n#pragma acc parallel loop \\\n    copy(a[0:n])\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n  int wrong = missing;\n}\n";
    std::fs::write(&file, program.replace("int wrong = missing;", "")).unwrap();
    let text = rewritten(&file).replace("    a[i] = 0;", "    a[i] = missing;");
    let host = folder.path().join("host.c");
    std::fs::write(&host, text).unwrap();
    let output = Command::new("cc").arg("-fsyntax-only").arg(&host).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("lines.c:6:12: error"), "{errors}");
}
