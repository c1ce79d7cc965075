//! NVIDIA's assembler and disassembler, asked where there are some: registers, and what the code of the
//! device (SASS) is made of.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use gpuc_arch::Arch;

/// What the assembler has made of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembled {
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Its instructions, if there is a disassembler too.
    pub sass: Option<Arc<Sass>>,
}

/// The instructions of a kernel on the device. They are counted where they stand, not when they are executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Sass {
    /// The device that the assembler made code for.
    pub target: Box<str>,
    /// Instructions of the kernel.
    pub instructions: u32,
    /// How many of each operation its hot loop has, the most frequent first: the innermost loop with the most
    /// instructions. Empty without a loop.
    pub hot_loop: Vec<(Box<str>, u32)>,
}

impl Sass {
    /// Instructions of the hot loop.
    pub fn loop_instructions(&self) -> u32 {
        self.hot_loop.iter().map(|&(_, count)| count).sum()
    }
}

/// What ptxas and nvdisasm, found on PATH, say of each kernel of a PTX text. Empty without a ptxas, or where it
/// does not take the text: registers are then estimated.
pub fn assemble(text: &str, arch: &Arch) -> BTreeMap<String, Assembled> {
    // Newer assemblers make no code for old devices; register counts hardly differ.
    [arch.name, "sm_75"]
        .into_iter()
        .find_map(|target| assemble_for(text, target))
        .unwrap_or_default()
}

fn assemble_for(text: &str, target: &str) -> Option<BTreeMap<String, Assembled>> {
    // Without a disassembler nobody reads the code.
    let binary = Binary::new();
    let path = binary.as_ref().map_or_else(|| "/dev/null".into(), Binary::path);
    let mut ptxas = Command::new("ptxas")
        .args(["-v", "-o", &path, "-arch", target, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = ptxas.stdin.take()?;
    // It reads everything before it writes; that it ends early is seen from its status.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    let output = ptxas.wait_with_output().ok()?;
    if !output.status.success() {
        return None;
    }
    let mut out: BTreeMap<String, Assembled> = BTreeMap::new();
    for (kernel, registers) in registers(&String::from_utf8_lossy(&output.stderr)) {
        out.entry(kernel).or_default().registers = Some(registers);
    }
    let listing = binary.and_then(|_| {
        let done =
            Command::new("nvdisasm").args(["-c", &path]).stderr(Stdio::null()).output().ok()?;
        done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
    });
    for (kernel, instructions, hot_loop) in listing.iter().flat_map(|listing| kernels(listing)) {
        let sass = Sass { target: target.into(), instructions, hot_loop };
        out.entry(kernel.to_owned()).or_default().sass = Some(Arc::new(sass));
    }
    Some(out)
}

/// A file without a name for the code: nothing of it stays, whatever ends this process.
struct Binary(#[cfg(target_os = "linux")] std::os::fd::OwnedFd);

impl Binary {
    #[cfg(target_os = "linux")]
    fn new() -> Option<Binary> {
        use std::os::fd::{FromRawFd, OwnedFd};
        // SAFETY: the name is a string of C; the descriptor is new, and nobody else's.
        unsafe {
            let file = libc::memfd_create(c"gpuc-sim".as_ptr(), libc::MFD_CLOEXEC);
            (file >= 0).then(|| Binary(OwnedFd::from_raw_fd(file)))
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> Option<Binary> {
        None
    }

    /// Where other processes find it.
    fn path(&self) -> String {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
        }
        #[cfg(not(target_os = "linux"))]
        String::new()
    }
}

/// The figures behind the kernels' names in what `ptxas -v` says.
fn registers(said: &str) -> impl Iterator<Item = (String, u32)> {
    said.split("entry function '").skip(1).filter_map(|kernel| {
        let (name, rest) = kernel.split_once('\'')?;
        let (_, used) = rest.split_once("Used ")?;
        Some((name.to_owned(), used.split(' ').next()?.parse().ok()?))
    })
}

/// Name, number of instructions and hot loop of each function in what `nvdisasm -c` prints.
fn kernels(listing: &str) -> impl Iterator<Item = (&str, u32, Vec<(Box<str>, u32)>)> {
    listing.split("\n.text.").skip(1).filter_map(|part| {
        let (name, body) = part.split_once(":\n")?;
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        let mut operations: Vec<&str> = Vec::new();
        let mut loops: Vec<(usize, usize)> = Vec::new();
        for line in body.lines().map(str::trim) {
            if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L")) {
                labels.insert(label, operations.len());
            }
            let Some((address, instruction)) =
                line.strip_prefix("/*").and_then(|rest| rest.split_once("*/"))
            else {
                continue;
            };
            // Behind the instruction stands its encoding, on some devices.
            if address.len() < 4 || instruction.trim().is_empty() {
                continue;
            }
            let mut words = instruction.split_whitespace().filter(|word| !word.starts_with('@'));
            let operation = words.next().unwrap_or_default();
            let operation = operation.split('.').next().unwrap_or_default().trim_end_matches(';');
            let target = instruction.split_once("`(").and_then(|(_, rest)| rest.split_once(')'));
            if operation == "BRA"
                && let Some(&start) = target.and_then(|(label, _)| labels.get(label))
                // Behind the end of a kernel stands a branch to itself.
                && start < operations.len()
            {
                loops.push((start, operations.len()));
            }
            operations.push(operation);
        }
        let holds = |outer: &(usize, usize), inner: &(usize, usize)| {
            outer != inner && outer.0 <= inner.0 && inner.1 <= outer.1
        };
        let innermost = loops.iter().filter(|outer| !loops.iter().any(|inner| holds(outer, inner)));
        let hot = innermost.max_by_key(|(start, end)| (end - start, usize::MAX - start));
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        if let Some(&(start, end)) = hot {
            operations[start..=end].iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let mut mix: Vec<(Box<str>, u32)> =
            counts.into_iter().map(|(name, count)| (name.into(), count)).collect();
        mix.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        Some((name, operations.len() as u32, mix))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_kernel_has_its_own_registers() {
        let said = "ptxas info    : Compiling entry function 'a' for 'sm_86'\n\
                    ptxas info    : Used 12 registers, 360 bytes cmem[0]\n\
                    ptxas info    : Compiling entry function 'ab' for 'sm_86'\n\
                    ptxas info    : Used 34 registers\n";
        let found: Vec<(String, u32)> = super::registers(said).collect();
        assert_eq!(found, [("a".to_owned(), 12), ("ab".to_owned(), 34)]);
        assert_eq!(super::registers("").count(), 0);
    }

    #[test]
    fn the_hot_loop_is_the_longest_innermost_one() {
        let listing = "
\t.section\t.text.k,\"ax\",@progbits
k:
.text.k:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   LDS R2, [R1] ;
.L_x_1:
        /*0020*/                   FFMA R2, R2, R2, R3 ;
        /*0030*/              @!P0 FFMA.FTZ R4, R4, R2, R3 ;
        /*0040*/               @P0 BRA `(.L_x_1) ;
.L_x_2:
        /*0050*/                   FADD R1, R1, R1 ;
        /*0060*/               @P1 BRA `(.L_x_2) ;
        /*0070*/               @P2 BRA `(.L_x_0) ;
        /*0080*/                   EXIT ;
.L_x_3:
        /*0090*/                   BRA `(.L_x_3);
        /*00a0*/                   NOP;
\t.section\t.text.none,\"ax\",@progbits
.text.none:
        /*0000*/                   EXIT ;
";
        let found: Vec<_> = super::kernels(listing).collect();
        let mix: Vec<(&str, u32)> =
            found[0].2.iter().map(|(name, count)| (&**name, *count)).collect();
        assert_eq!((found[0].0, found[0].1), ("k", 11));
        assert_eq!(mix, [("FFMA", 2), ("BRA", 1)]);
        assert_eq!((found[1].0, found[1].1, found[1].2.len()), ("none", 1, 0));
    }
}
