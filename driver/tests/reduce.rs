//! `gpuc-reduce` on a file of each language, by commands that look for a fault.

use std::path::Path;
use std::process::{Command, Output};

fn reduce(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpuc-reduce"));
    let own = Path::new(env!("CARGO_BIN_EXE_gpuc")).parent().unwrap();
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default());
    command.args(arguments).current_dir(folder).env("PATH", path);
    command.env("TMPDIR", folder.join("tmp")).output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tmp")).unwrap();
    folder
}

/// What is left of a text, which is what is expected, whatever is left in temporary folders.
fn small(name: &str, text: &str, test: &str) -> String {
    let folder = folder();
    std::fs::write(folder.path().join(name), text).unwrap();
    let done = reduce(folder.path(), &["--test", test, "-o", "small", name]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(std::fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0);
    let small = std::fs::read_to_string(folder.path().join("small")).unwrap();
    // The same again, to standard output.
    let again = reduce(folder.path(), &["--test", test, name]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), small);
    small
}

#[test]
fn c_is_reduced() {
    let text = "\
int other(int x) { return x * 3; }
void f(int n, float *a, float *b)
{
    for (int k = 0; k < 10; k++) {
        #pragma acc parallel loop copyin(b[0:n]) copyn(a[0:n]) if(n > 100)
        for (int i = 0; i < n; i++) {
            a[i] = b[i] * 17 + other(i);
        }
    }
}
int main(void) { return other(4); }
";
    let test = "gpuc --emit=ptx $1 2>&1 | grep -q 'is not a clause of OpenACC'";
    let small = small("a.c", text, test);
    assert!(small.trim().len() < 45 && small.contains("#pragma acc parallel"), "{small}");
}

#[test]
fn ir_is_reduced_by_its_values() {
    let text = "\
func.func @unused(%a: i32) -> i32 {
  return %a : i32
}
func.func @f(%a: i32, %b: i32, %c: i1) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.subi %0, %b : i32
  %2 = arith.divsi %1, %0 : i32
  %3 = scf.if %c -> (i32) {
    scf.yield %2 : i32
  } else {
    scf.yield %0 : i32
  }
  return %3 : i32
}
";
    // Verified IR with a division in it: what is left is as little as can verify.
    let test = "gpuc-opt $1 | grep -q divsi";
    let small = small("a.mlir", text, test);
    assert!(small.len() < 110, "{small}");
    assert!(!small.contains("scf.if") && !small.contains("unused"), "{small}");
}

#[test]
fn ptx_is_reduced() {
    let text = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry f(.param .u64 a)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  add.s32 %r2, %r1, 12;
  frob.s32 %r3, %r2, %r1;
  st.global.u32 [%rd1], %r3;
  ret;
}
";
    let small = small("a.ptx", text, "grep -q frob.s32 $1 && test $(tr -cd '{}' <$1 | wc -c) = 2");
    assert_eq!(small.split_whitespace().collect::<String>(), "{frob.s32}");
}

#[test]
fn what_cannot_be_reduced_is_said() {
    let folder = folder();
    std::fs::write(folder.path().join("a.c"), "int x;\n").unwrap();
    std::fs::write(folder.path().join("b"), [0xff, 0xfe]).unwrap();
    for (arguments, status, sentence) in [
        (&["--test", "false", "a.c"][..], 1, "the command does not succeed on `a.c` itself"),
        (&["--test", "true", "none.c"], 1, "cannot read `none.c`"),
        (&["--test", "true", "b"], 1, "`b` is not UTF-8 text"),
        (&["--test", "sleep 30", "--time-limit", "1", "a.c"], 1, "does not succeed"),
        (&["--test", "true", "-o", "none/a", "a.c"], 1, "cannot write `none/a`"),
        (&["a.c"], 2, "--test"),
    ] {
        let done = reduce(folder.path(), arguments);
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(sentence), "{arguments:?}: {said}");
    }
    // An empty file shows every fault that any file shows.
    let done = reduce(folder.path(), &["--test", "true", "a.c"]);
    assert_eq!((done.status.code(), done.stdout), (Some(0), Vec::new()));
    let done = reduce(folder.path(), &["--test", "grep -q x $1", "--max-runs", "2", "a.c"]);
    assert!(String::from_utf8_lossy(&done.stderr).contains("--max-runs"), "{done:?}");
}
