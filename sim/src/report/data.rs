//! The report as JSON: what programs read, and the page shows.

use std::collections::BTreeSet;

use gpuc_arch::Resource;

use crate::json::{number, quoted};
use crate::launch::LineCounts;
use crate::profile::Profile;

use super::{Event, KernelReport, Report, text, verdict};

/// An object of members that are JSON already.
fn object<'a>(members: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> =
        members.into_iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

impl KernelReport {
    /// Every figure with its Nsight Compute name.
    pub fn metrics(&self) -> Vec<(String, f64)> {
        let mut out = self.counters.metrics();
        let Some(profile) = &self.profile else { return out };
        let Profile { estimate, caches, .. } = &**profile;
        let ratio = |a: f64, b: f64| if b == 0.0 { 0.0 } else { 100.0 * a / b };
        let mut add = |name: &str, value: f64| out.push((name.to_owned(), value));
        add("gpu__time_duration.sum", self.seconds * 1e9);
        add("sm__cycles_elapsed.max", estimate.clocks);
        for resource in Resource::ALL {
            add(resource.metric(), 100.0 * estimate.share(resource));
        }
        let warps = f64::from(estimate.occupancy.max_warps);
        add(
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            100.0 * estimate.achieved_warps / warps,
        );
        add("sm__maximum_warps_per_active_cycle_pct", 100.0 * estimate.occupancy.fraction());
        add("launch__occupancy_limit_blocks", f64::from(estimate.occupancy.blocks));
        add("launch__waves_per_multiprocessor", estimate.waves);
        add("launch__registers_per_thread", f64::from(profile.registers));
        add("launch__shared_mem_per_block", profile.shared_bytes as f64);
        add("launch__grid_size", profile.work.blocks as f64);
        add("launch__block_size", f64::from(profile.work.threads));
        add("l1tex__t_sector_hit_rate.pct", ratio(caches.l1_hits, caches.l1_sectors));
        add("lts__t_sectors.sum", caches.l2_sectors);
        add("lts__t_sector_hit_rate.pct", ratio(caches.l2_hits, caches.l2_sectors));
        add("dram__bytes_read.sum", caches.dram_read_bytes);
        add("dram__bytes_write.sum", caches.dram_write_bytes);
        out
    }

    fn json(&self) -> String {
        let mut members = vec![
            ("name", quoted(&self.name)),
            ("launches", self.launches.to_string()),
            ("grid", format!("{:?}", self.grid)),
            ("block", format!("{:?}", self.block)),
            ("host_seconds", number(self.wall.as_secs_f64())),
            ("flops", self.counters.flops.iter().sum::<u64>().to_string()),
        ];
        if let Some((file, line)) = &self.place {
            members.push(("place", quoted(&format!("{file}:{line}"))));
        }
        if let Some(profile) = &self.profile {
            let verdict = verdict::of(self, profile);
            let shares = Resource::ALL.map(|r| (r.name(), number(profile.estimate.share(r))));
            let bytes = profile.caches.dram_read_bytes + profile.caches.dram_write_bytes;
            members.extend([
                ("seconds", number(self.seconds)),
                ("bound", quoted(&verdict.bound)),
                ("help", array(verdict.help.iter().map(|help| quoted(help)))),
                ("shares", object(shares)),
                ("dram_bytes", number(bytes * self.launches as f64)),
                ("limiter", quoted(text::limiter(profile))),
                ("registers_known", profile.registers_known.to_string()),
                ("sample_error", number(profile.sample.error)),
                ("sample_replayed", number(profile.sample.replayed)),
            ]);
        }
        // What is counted when it is executed is PTX; SASS is counted where it stands.
        members.push(("counted", quoted("PTX")));
        if let Some(sass) = &self.sass {
            let mix = sass.hot_loop.iter().map(|(name, count)| (&**name, count.to_string()));
            let sass = object([
                ("target", quoted(&sass.target)),
                ("instructions", sass.instructions.to_string()),
                ("loop_instructions", sass.loop_instructions().to_string()),
                ("loop", object(mix)),
            ]);
            members.push(("sass", sass));
        }
        let metrics = self.metrics();
        let metrics = metrics.iter().map(|(name, value)| (name.as_str(), number(*value)));
        members.push(("metrics", object(metrics)));
        members.push(("lines", array(self.lines.iter().map(line))));
        object(members)
    }
}

fn line(counts: &LineCounts) -> String {
    object([
        ("file", quoted(&counts.file)),
        ("line", counts.line.to_string()),
        ("time", number(counts.time)),
        ("instructions", counts.warp_instructions.to_string()),
        ("sectors", counts.global_sectors.to_string()),
        ("requests", counts.global_requests.to_string()),
        ("conflicts", counts.bank_conflicts.to_string()),
        ("divergent", counts.divergent_branches.to_string()),
        ("dram_bytes", number(counts.dram_bytes)),
    ])
}

fn event(event: &Event) -> String {
    object([
        ("name", quoted(&event.name)),
        ("kind", quoted(event.kind.name())),
        ("queue", event.queue.to_string()),
        ("start_us", number(event.start.as_secs_f64() * 1e6)),
        ("us", number(event.time.as_secs_f64() * 1e6)),
        ("bytes", event.bytes.to_string()),
    ])
}

impl Report {
    /// The report as one JSON object. The text of sources that can be read is part of it, for the
    /// page.
    pub fn json(&self) -> String {
        let device = self.device.map_or_else(
            || "null".to_owned(),
            |arch| {
                object([
                    ("name", quoted(arch.chip.name)),
                    ("capability", quoted(arch.name)),
                    ("multiprocessors", arch.chip.sm_count.to_string()),
                    ("mhz", arch.chip.clock_mhz.to_string()),
                    ("peak_flops", number(arch.peak_f32_flops())),
                    ("peak_flops_double", number(arch.peak_f64_flops())),
                    (
                        "dram_bytes_per_second",
                        number(
                            arch.chip.dram_bytes_per_clock() * f64::from(arch.chip.clock_mhz) * 1e6,
                        ),
                    ),
                ])
            },
        );
        let files: BTreeSet<&str> = (self.kernels.iter())
            .flat_map(|kernel| kernel.lines.iter().map(|line| &*line.file))
            .collect();
        let sources = files.into_iter().filter_map(|file| {
            let text = std::fs::read_to_string(file).ok()?;
            Some((file, array(text.lines().map(quoted))))
        });
        let kernels = self.sorted().into_iter().map(KernelReport::json);
        let mut out = object([
            ("schema", "1".to_owned()),
            ("title", quoted(&self.title)),
            ("device", device),
            ("kernels", array(kernels)),
            ("events", array(self.events.iter().map(event))),
            ("sources", object(sources)),
        ]);
        out.push('\n');
        out
    }
}
