//! NVIDIA's assembler, asked for registers where there is one.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use gpuc_arch::Arch;

/// The registers of a thread that ptxas gives each kernel of a PTX text. Empty without a ptxas on
/// PATH, or where it does not take the text: registers are then estimated.
pub fn ptxas_registers(text: &str, arch: &Arch) -> BTreeMap<String, u32> {
    // Newer assemblers make no code for old devices; register counts hardly differ.
    [arch.name, "sm_75"]
        .into_iter()
        .find_map(|target| assemble(text, target))
        .map(|said| parse(&said))
        .unwrap_or_default()
}

/// What `ptxas -v` says about a text.
fn assemble(text: &str, target: &str) -> Option<String> {
    let mut ptxas = Command::new("ptxas")
        .args(["-v", "-o", "/dev/null", "-arch", target, "-"])
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
    output.status.success().then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The figures behind the kernels' names.
fn parse(said: &str) -> BTreeMap<String, u32> {
    let kernels = said.split("entry function '").skip(1);
    kernels
        .filter_map(|kernel| {
            let (name, rest) = kernel.split_once('\'')?;
            let (_, used) = rest.split_once("Used ")?;
            Some((name.to_owned(), used.split(' ').next()?.parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_kernel_has_its_own_figure() {
        let said = "ptxas info    : Compiling entry function 'a' for 'sm_86'\n\
                    ptxas info    : Used 12 registers, 360 bytes cmem[0]\n\
                    ptxas info    : Compiling entry function 'ab' for 'sm_86'\n\
                    ptxas info    : Used 34 registers\n";
        let found: Vec<(String, u32)> = super::parse(said).into_iter().collect();
        assert_eq!(found, [("a".to_owned(), 12), ("ab".to_owned(), 34)]);
        assert!(super::parse("").is_empty());
    }
}
