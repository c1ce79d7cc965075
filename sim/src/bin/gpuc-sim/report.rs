//! What is printed about kernels and launches.

use std::fmt::Write as _;

use gpuc_sim::{LaunchReport, Module};

/// The kernels of a module, with their parameters; those that cannot run say so.
pub(crate) fn kernels(module: &Module) -> String {
    let mut out = String::new();
    for kernel in module.kernels() {
        let _ = write!(out, "{}", kernel.name());
        if let Some([x, y, z]) = kernel.required_block() {
            let _ = write!(out, "  block {x},{y},{z}");
        }
        if kernel.static_shared_bytes() > 0 {
            let _ = write!(out, "  shared {}", kernel.static_shared_bytes());
        }
        if !kernel.refusals().is_empty() {
            out.push_str("  cannot run");
        }
        out.push('\n');
        for param in kernel.params() {
            let _ = writeln!(out, "  {}  {} bytes", param.name, param.size);
        }
    }
    out
}

/// The counters of a launch, one a line.
pub(crate) fn text(kernel: &str, report: &LaunchReport) -> String {
    let mut out = format!("{kernel}: {:.3?} on this host\n", report.wall);
    for (name, value) in report.counters.metrics() {
        let _ = writeln!(out, "  {name:72} {value}");
    }
    if let Some(p) = &report.profile {
        let _ =
            writeln!(out, "{:#?}\n{:?}\n{:?} regs {}", p.estimate, p.caches, p.sample, p.registers);
        for ph in &p.work.phases {
            let _ = writeln!(
                out,
                "phase alone {} bar {} lsu {} l2 {} dram {} ops {:?}",
                ph.alone,
                ph.barriers,
                ph.demand.lsu_clocks,
                ph.demand.l2_bytes,
                ph.demand.dram_bytes,
                gpuc_arch::OpClass::ALL
                    .iter()
                    .filter(|c| ph.demand.ops[**c as usize] > 0.0)
                    .map(|c| (*c, ph.demand.ops[*c as usize]))
                    .collect::<Vec<_>>()
            );
        }
    }
    for line in &report.lines {
        let _ = writeln!(
            out,
            "  {}:{}: {} warp instructions, {} global sectors, {} bank conflicts, {} divergent \
             branches",
            line.file,
            line.line,
            line.warp_instructions,
            line.global_sectors,
            line.bank_conflicts,
            line.divergent_branches
        );
    }
    out
}

/// The same as one JSON object. Names of kernels and metrics have no characters to escape.
pub(crate) fn json(kernel: &str, report: &LaunchReport) -> String {
    let metrics = report.counters.metrics().into_iter();
    let metrics: Vec<String> = metrics.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!(
        "{{\"kernel\":\"{kernel}\",\"seconds\":{},\"metrics\":{{{}}}}}\n",
        report.wall.as_secs_f64(),
        metrics.join(",")
    )
}
