//! The `gpuc-sim` command: files in and out, reports, findings, and what is refused.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const KERNELS: &str = "\
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 data, .param .u64 into, .param .u32 n, .param .f32 factor) {
.reg .pred %c; .reg .b32 %i, %n; .reg .f32 %x, %f; .reg .b64 %p, %q;
mov.u32 %i, %tid.x;
ld.param.u32 %n, [n];
setp.ge.u32 %c, %i, %n;
@%c ret;
ld.param.u64 %p, [data]; mad.wide.u32 %p, %i, 4, %p;
ld.param.u64 %q, [into]; mad.wide.u32 %q, %i, 4, %q;
ld.param.f32 %f, [factor];
ld.global.f32 %x, [%p];
mul.rn.f32 %x, %x, %f;
st.global.f32 [%q], %x;
ret;
}
.visible .entry picture(.param .u64 from, .param .u64 onto) {
.reg .b64 %t, %s; .reg .b32 %i, %v; .reg .f32 %x, %a, %b, %c, %d;
ld.param.u64 %t, [from]; ld.param.u64 %s, [onto]; mov.u32 %i, %tid.x; cvt.rn.f32.u32 %x, %i; add.f32 %x, %x, 0f3F800000;
tex.1d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x}]; mov.b32 %v, %a; shl.b32 %i, %i, 2; sust.b.1d.b32.trap [%s, {%i}], %v;
ret;
}
.visible .entry endless() {
L: bra L;
}
.visible .entry counting() {
.reg .b64 %n; .reg .pred %p;
mov.u64 %n, 0;
L: add.u64 %n, %n, 1; setp.ne.u64 %p, %n, 0; @%p bra L;
ret;
}
.visible .entry racy(.param .u64 data) {
.reg .b64 %p; .reg .b32 %t;
ld.param.u64 %p, [data]; mov.u32 %t, %tid.x; st.global.u32 [%p], %t;
ret;
}
";

/// A folder of its own for one test, with the kernels in it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpuc-sim-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("k.ptx"), KERNELS).unwrap();
    folder
}

fn gpuc_sim(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpuc-sim"));
    command.current_dir(folder).args(words.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn textures_and_surfaces_come_from_files() {
    let folder = folder("images");
    std::fs::write(folder.join("in.bin"), floats(&[1.0, 2.0, 4.0, 8.0])).unwrap();
    std::fs::write(folder.join("onto.bin"), floats(&[0.0; 3])).unwrap();
    let words = "k.ptx picture --block 3 tex:f32:4:in.bin:linear surf:f32:3:onto.bin";
    let done = gpuc_sim(&folder, words);
    assert_eq!(text(&done.stderr), "");
    // Between two texels each.
    assert_eq!(std::fs::read(folder.join("onto.bin")).unwrap(), floats(&[1.5, 3.0, 6.0]));
    for (words, want) in [
        (
            "k.ptx picture tex:f32:5:in.bin surf:f32:3:onto.bin",
            "are not inside one device allocation",
        ),
        ("k.ptx picture tex:f31:4:in.bin surf:f32:3:onto.bin", "`f31` is no format"),
        ("k.ptx picture tex:f32:4:in.bin:cubic surf:f32:3:onto.bin", "`cubic`: there are"),
        ("k.ptx picture tex:f32:4:in.bin surf:f32:3:onto.bin:wrap", "`wrap` means nothing here"),
        ("k.ptx picture tex:f32x3:4:in.bin surf:f32:3:onto.bin", "3 channels"),
        ("k.ptx picture tex:f32:4 surf:f32:3:onto.bin", "the file is missing"),
    ] {
        let done = gpuc_sim(&folder, words);
        assert_eq!(done.status.code(), Some(2), "{words}");
        assert!(text(&done.stderr).contains(want), "{}", text(&done.stderr));
    }
}

#[test]
fn files_go_in_and_out() {
    let folder = folder("files");
    std::fs::write(folder.join("in.bin"), floats(&[1.0, 2.0, 3.0])).unwrap();
    let done = gpuc_sim(&folder, "k.ptx scale --block 32 in:in.bin out:out.bin:12 u32:3 f32:1.5");
    assert_eq!(text(&done.stderr), "");
    assert!(done.status.success());
    assert_eq!(std::fs::read(folder.join("out.bin")).unwrap(), floats(&[1.5, 3.0, 4.5]));
    // An array of numpy keeps its header.
    let header = b"\x93NUMPY\x01\x00\x06\x00{...}\n";
    let array = |values: &[f32]| [header.as_slice(), &floats(values)].concat();
    std::fs::write(folder.join("a.npy"), array(&[1.0, 2.0])).unwrap();
    let words = "k.ptx scale --block=32,1,1 --grid=1 zero:8 inout:a.npy u32:1 f32:1";
    assert!(gpuc_sim(&folder, words).status.success());
    assert_eq!(std::fs::read(folder.join("a.npy")).unwrap(), array(&[0.0, 2.0]));
}

#[test]
fn kernels_and_counters_are_shown() {
    let folder = folder("reports");
    let list = text(&gpuc_sim(&folder, "k.ptx --list").stdout);
    assert!(list.starts_with("scale\n  data  8 bytes\n  into  8 bytes\n  n  4 bytes\n"), "{list}");
    let words = "k.ptx scale --block 32 zero:128 zero:128 u32:32 f32:1 --report";
    let report = text(&gpuc_sim(&folder, words).stdout);
    assert!(report.contains("bound by launching: 2.7 µs of 3.4"), "{report}");
    assert!(!report.contains("l1tex__"), "{report}");
    let all = text(&gpuc_sim(&folder, &format!("{words} --counters --device v100")).stdout);
    assert!(all.contains("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "{all}");
    assert!(all.contains("on V100 SXM2 by the model"), "{all}");
    let json = text(&gpuc_sim(&folder, &format!("{words}=json")).stdout);
    assert!(json.contains("\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":4"), "{json}");
    std::fs::write(folder.join("before.json"), &json).unwrap();
    let page = text(&gpuc_sim(&folder, &format!("{words}=html --compare before.json")).stdout);
    // The run and the other one, which nothing in them can break out of.
    assert_eq!(page.matches("\"schema\":1").count(), 2, "{page}");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim().ends_with("</html>"));
    let wrong = gpuc_sim(&folder, "k.ptx scale --device h1000 --report");
    assert!(text(&wrong.stderr).contains("`h1000` is not a known device"), "{wrong:?}");
}

#[test]
fn findings_fail_the_command() {
    let folder = folder("findings");
    let words = "k.ptx scale --block 32 zero:8 zero:128 u32:3 f32:1 --check all";
    let done = gpuc_sim(&folder, words);
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("memcheck: out-of-bounds global read"), "{done:?}");
    let words = "k.ptx racy --block 64 zero:4 --check racecheck --check-format=json";
    let done = gpuc_sim(&folder, words);
    assert_eq!(done.status.code(), Some(1));
    let json = text(&done.stdout);
    assert!(json.contains("\"kind\":\"race-write-after-write\""), "{json}");
    assert!(json.contains("\"variable\":{\"name\":\"data\""), "{json}");
    let done = gpuc_sim(&folder, "k.ptx racy --block 1 zero:4 --check racecheck,initcheck");
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn endless_kernels_end() {
    let folder = folder("endless");
    for (words, message) in [
        ("k.ptx endless --time-limit 0.05", "time limit exceeded"),
        ("k.ptx endless --budget 100000", "instruction budget exceeded"),
        ("k.ptx endless --check synccheck", "a loop that cannot end"),
    ] {
        // On two threads nobody can say that the loop is endless.
        let done = gpuc_sim(&folder, &format!("{words} --grid 2 --threads 2"));
        assert_eq!(done.status.code(), Some(1), "{words}");
        assert!(text(&done.stderr).contains(message), "{words}: {done:?}");
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let folder = folder("refused");
    for (words, message) in [
        ("", "no PTX file is given"),
        ("none.ptx scale", "none.ptx: "),
        ("k.ptx", "name the kernel"),
        ("k.ptx scael", "did you mean `scale`?"),
        ("k.ptx scale u32:1", "has 4 bytes, but `data` takes 8"),
        ("k.ptx racy", "takes 1 arguments, found 0"),
        ("k.ptx racy u64:1 u64:2", "takes 1 arguments, found more"),
        ("k.ptx racy b63:1", "`b63` is no kind"),
        ("k.ptx racy five", "write it as KIND:VALUE"),
        ("k.ptx racy u8:300", "`300` is not a u8"),
        ("k.ptx racy zero:99999999999999", "larger than the device's memory"),
        ("k.ptx racy in:none", "none: "),
        ("k.ptx racy zero:4 --block 2000", "block extent in x is 2000"),
        ("k.ptx racy zero:4 --block 1,2,3,4", "more than three"),
        ("k.ptx racy zero:4 --arch sm_1", "`sm_1` is not a known architecture"),
        ("k.ptx racy zero:4 --check lint", "`lint` is not a checker"),
        ("k.ptx racy zero:4 --time-limit never", "is not a number of seconds"),
        ("k.ptx racy zero:4 --colour", "there is no option `--colour`"),
        ("k.ptx racy zero:4 --grid", "`--grid` needs a value"),
    ] {
        let done = gpuc_sim(&folder, words);
        assert_eq!(done.status.code(), Some(2), "{words}: {done:?}");
        assert!(text(&done.stderr).contains(message), "{words}: {done:?}");
    }
}

/// Whoever asks for a text gets it, or an error; one who has seen enough is no error.
#[test]
fn a_full_disk_is_reported() {
    let folder = folder("full");
    for words in ["--help", "k.ptx --list", "k.ptx scale zero:8 zero:8 u32:1 f32:1 --report=json"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpuc-sim"));
        command.current_dir(&folder).args(words.split_whitespace()).stdout(full);
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{words}: {done:?}");
        assert!(text(&done.stderr).contains("cannot write the output: No space"), "{words}");
    }
}

/// Ctrl-C ends the kernel, which says where it was; what is ignored stays so.
#[test]
fn ctrl_c_ends_a_kernel_and_says_where() {
    let folder = folder("interrupt");
    for words in ["k.ptx counting --grid 3 --time-limit 100", "k.ptx counting --check all"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpuc-sim"));
        command.current_dir(&folder).args(words.split_whitespace()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        // SAFETY: the process is there until somebody has waited for it.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
        let done = child.wait_with_output().unwrap();
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(130), "{said}");
        assert!(said.contains("interrupted"), "{said}");
        assert!(said.contains("in kernel `counting`, block (0, 0, 0)"), "{said}");
    }
}

#[test]
fn long_launches_tell_their_progress() {
    let folder = folder("progress");
    let words = "k.ptx counting --grid 3 --time-limit 1.5";
    let done = gpuc_sim(&folder, &format!("{words} --progress"));
    let line = text(&done.stderr);
    let line = line.lines().next().unwrap_or_default();
    assert!(line.starts_with("kernel `counting`: 0 % of 3 blocks, "), "{line}");
    assert!(line.contains(" warp instructions a second, 1 s"), "{line}");
    // Nobody watches a pipe.
    assert!(!text(&gpuc_sim(&folder, words).stderr).contains("warp instructions a second"));
    // On a terminal there is one line, which is gone at the end.
    for (asked, expected) in [("", true), ("--progress=no", false)] {
        let (mut ours, theirs) = terminal();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpuc-sim"));
        let all = format!("{words} {asked}");
        command.current_dir(&folder).args(all.split_whitespace()).stderr(theirs);
        assert_eq!(command.status().unwrap().code(), Some(1));
        drop(command);
        let mut said = Vec::new();
        // The end of a terminal that nobody holds any more is an error (EIO).
        let _ = ours.read_to_end(&mut said);
        let said = text(&said);
        assert_eq!(said.contains("\rkernel `counting`: 0 %"), expected, "{said:?}");
        assert_eq!(said.contains("\r\x1b[K"), expected, "{said:?}");
        assert!(said.contains("time limit exceeded"), "{said:?}");
    }
}

/// A new terminal: the end that reads what is shown, and the one that a program has.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: the out pointers are to locals; the descriptors are new, and nobody else's.
    unsafe {
        let null = std::ptr::null_mut();
        assert_eq!(
            libc::openpty(&raw mut ours, &raw mut theirs, null, null.cast(), null.cast()),
            0
        );
        let (ours, theirs) = (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs));
        libc::fcntl(ours.as_fd().as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
        (ours.into(), theirs)
    }
}

/// Where there is an assembler and a disassembler, the report has what they say of the hot loop; nothing stays of
/// what the one gives to the other.
#[test]
fn reports_tell_the_mix_of_the_hot_loop() {
    let folder = folder("sass");
    let tool = |name: &str, script: &str| {
        // Another process writes it: what this one has open for writing cannot be executed (ETXTBSY).
        let mut install = Command::new("install");
        install.args(["-m", "755", "/dev/stdin"]).arg(folder.join(name)).stdin(Stdio::piped());
        let mut child = install.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    };
    tool(
        "ptxas",
        "#!/bin/sh\ncat > \"$3\"\necho \"ptxas info    : Compiling entry function 'scale' for 'x'\" >&2\n\
         echo 'ptxas info    : Used 33 registers' >&2\n",
    );
    // It reads what the assembler has written.
    tool(
        "nvdisasm",
        "#!/bin/sh\ngrep -q 'entry scale' \"$2\" || exit 1\nprintf '\\n.text.scale:\\n.L_x_0:\\n'\n\
         for i in FFMA FFMA LDS; do echo \"        /*0010*/  $i R1, R2, R3 ;\"; done\n\
         echo '        /*0040*/  @P0 BRA `(.L_x_0) ;'\n",
    );
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let words = "k.ptx scale --block 32 zero:128 zero:128 u32:32 f32:1 --counters --report";
    let run = |form: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpuc-sim"));
        command.current_dir(&folder).args(words.split_whitespace()).env("PATH", &path);
        command.arg(form);
        text(&command.output().unwrap().stdout)
    };
    let said = run("--report=text");
    let line =
        "SASS for sm_80: a hot loop of 4 instructions: 2 FFMA (50 %), 1 BRA (25 %), 1 LDS (25 %)";
    assert!(said.contains(line) && said.contains("(33 registers, "), "{said}");
    assert!(said.contains("counters (instructions are those of PTX)"), "{said}");
    let json = run("--report=json");
    assert!(json.contains("\"loop\":{\"FFMA\":2,\"BRA\":1,\"LDS\":1}"), "{json}");
    assert!(!text(&gpuc_sim(&folder, words).stdout).contains("SASS") || which("nvdisasm"));
}

/// Whether a program is on PATH.
fn which(name: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|dir| dir.join(name).is_file())
}
