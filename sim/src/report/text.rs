//! The report for a terminal: the verdict first.

use std::fmt::{self, Write as _};

use crate::assembler::Sass;
use crate::launch::LineCounts;
use crate::profile::Profile;
use crate::readable::{shape, time};

use super::{KernelReport, Report, verdict};

/// A share in per cent.
pub(super) fn per_cent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// `file:line`.
pub(super) fn place(line: &LineCounts) -> String {
    format!("{}:{}", line.file, line.line)
}

impl Report {
    /// The verdict on each kernel, the longest first; with every counter behind it if `counters`.
    pub fn text(&self, counters: bool) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_text(&mut out, counters);
        out
    }

    fn write_text(&self, out: &mut String, counters: bool) -> fmt::Result {
        for kernel in self.sorted() {
            write!(out, "{}", kernel.name)?;
            if let Some((file, line)) = &kernel.place {
                write!(out, " ({file}:{line})")?;
            }
            writeln!(
                out,
                ": {} of {} blocks of {} threads",
                match kernel.launches {
                    1 => "1 launch".to_owned(),
                    n => format!("{n} launches"),
                },
                shape(kernel.grid),
                shape(kernel.block)
            )?;
            match &kernel.profile {
                Some(profile) => profiled(out, kernel, profile)?,
                None => writeln!(out, "  {} on this host", time(kernel.wall.as_secs_f64()))?,
            }
            if let Some(sass) = &kernel.sass {
                writeln!(out, "  {}", mix(sass))?;
            }
            if counters {
                writeln!(out, "  counters (instructions are those of PTX):")?;
                for (name, value) in kernel.metrics() {
                    if value != 0.0 || name.contains("bank_conflicts") {
                        writeln!(out, "    {name:<72} {}", figure(value))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// What the hot loop is made of, the most frequent operations first.
pub(super) fn mix(sass: &Sass) -> String {
    let (target, all) = (&sass.target, sass.loop_instructions());
    let operations = sass.hot_loop.iter().take(6).map(|(name, count)| {
        format!("{count} {name} ({})", per_cent(f64::from(*count) / f64::from(all)))
    });
    let mut shown = operations.collect::<Vec<_>>().join(", ");
    match sass.hot_loop.len().saturating_sub(6) {
        0 => {}
        more => shown += &format!(" and {more} more"),
    }
    match all {
        0 => format!("SASS for {target}: {} instructions, no loop", sass.instructions),
        _ => format!("SASS for {target}: a hot loop of {all} instructions: {shown}"),
    }
}

fn figure(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

fn profiled(out: &mut String, kernel: &KernelReport, profile: &Profile) -> fmt::Result {
    let estimate = &profile.estimate;
    let verdict = verdict::of(kernel, profile);
    writeln!(
        out,
        "  {} on {} by the model ({} on this host)",
        time(kernel.seconds),
        profile.arch.chip.name,
        time(kernel.wall.as_secs_f64())
    )?;
    writeln!(out, "  {}", verdict.bound)?;
    for line in kernel.hottest().into_iter().take(2).filter(|line| line.time >= 0.01) {
        write!(out, "    {} costs {}", place(line), per_cent(line.time))?;
        if line.global_requests > 0 {
            let each = line.global_sectors as f64 / line.global_requests as f64;
            write!(out, ", {each:.1} sectors a request")?;
        }
        if line.bank_conflicts > 0 {
            write!(out, ", {} bank conflicts", line.bank_conflicts)?;
        }
        writeln!(out)?;
    }
    for help in &verdict.help {
        writeln!(out, "  to do: {help}")?;
    }
    let occupancy = &estimate.occupancy;
    writeln!(
        out,
        "  occupancy {} of {} ({} registers{}, {} bytes shared; limited by {})",
        per_cent(estimate.achieved_warps / f64::from(occupancy.max_warps)),
        per_cent(occupancy.fraction()),
        profile.registers,
        if profile.registers_known { "" } else { " estimated" },
        profile.shared_bytes,
        limiter(profile)
    )?;
    if kernel.profiled < kernel.launches {
        writeln!(
            out,
            "  {} launches were profiled; the others are taken to be alike",
            kernel.profiled
        )?;
    }
    let sample = &profile.sample;
    if sample.error > 0.0 || sample.replayed < 1.0 || sample.executed < sample.blocks {
        writeln!(
            out,
            "  sampled: {} of {} blocks executed, {} of their accesses through the caches; the halves \
             of the sample differ by {:.1} %",
            sample.executed,
            sample.blocks,
            per_cent(sample.replayed),
            100.0 * sample.error
        )?;
    }
    Ok(())
}

pub(super) fn limiter(profile: &Profile) -> &'static str {
    use gpuc_arch::Limiter::*;
    match profile.estimate.occupancy.limiter {
        Warps => "warp slots",
        Blocks => "block slots",
        Registers => "registers",
        SharedMemory => "shared memory",
        TooLarge => "the size of the block",
    }
}
