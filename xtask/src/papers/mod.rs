//! Programs of papers, in the variants that each paper has and as the compiler chooses: what the simulator counts and its
//! model of time says, as `benches/papers/REPORT.md` with a plot for each paper.
//!
//! A program is one file, `benches/papers/PAPER/PROGRAM.c`; a variant is a list of steps beside it,
//! `PROGRAM.VARIANT.steps`, which a plan begins with ([`run`]), or of options, `PROGRAM.VARIANT.options`. `tests/tests/papers.rs` runs all of them at small sizes.

mod andion;
mod hayashi;
mod li;
mod plot;
mod report;
mod run;
mod tian;

use std::path::{Path, PathBuf};

use crate::stage::{Summary, cargo, root, target};
use run::{Figures, Runner};

/// A paper.
struct Paper {
    /// Its folder, and the word that asks for it.
    name: &'static str,
    /// Its heading in the report.
    title: &'static str,
    /// What the paper measured.
    opening: &'static str,
    programs: &'static [Program],
    /// What stands behind the table; a sentence where the counters are not what the paper says a variant is.
    closing: fn(&[Measured]) -> Result<String, String>,
}

/// A program of a paper.
struct Program {
    name: &'static str,
    /// The arguments that it runs with.
    sizes: &'static [u32],
    /// What is run, the variant that others are compared with first.
    variants: &'static [Variant],
    /// Why our figures differ from the paper's.
    words: &'static str,
}

/// A variant of a program.
struct Variant {
    name: &'static str,
    how: How,
    /// How much faster than the first one it is in the paper.
    paper: Option<f64>,
}

/// How a variant is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// On the host; no figures.
    Host,
    /// By the steps in the file of its name.
    Steps,
    /// With a `share` pragma in front of the construct, of these arrays.
    Share(&'static str),
    /// As the compiler chooses, with the options in the file of its name.
    Options,
    /// As the compiler chooses.
    Automatic,
}

/// What runs of a program gave.
struct Measured {
    program: &'static Program,
    /// Of each variant that runs on the device.
    rows: Vec<(&'static Variant, Figures)>,
}

impl Measured {
    /// The figures that others are compared with.
    fn first(&self) -> &Figures {
        &self.rows[0].1
    }

    /// How much faster figures are than the first ones.
    fn speed(&self, figures: &Figures) -> f64 {
        self.first().seconds / figures.seconds
    }

    /// The figures of what the compiler chooses.
    fn automatic(&self) -> Option<&Figures> {
        self.rows.iter().find(|(variant, _)| variant.how == How::Automatic).map(|row| &row.1)
    }

    /// The figures of a variant.
    fn of(&self, name: &str) -> Result<&Figures, String> {
        let row = self.rows.iter().find(|(variant, _)| variant.name == name);
        row.map(|row| &row.1).ok_or_else(|| format!("{} has no {name}", self.program.name))
    }
}

const PAPERS: &[Paper] = &[li::PAPER, andion::PAPER, hayashi::PAPER, tian::PAPER];

/// Runs the programs of all papers, or of the one of that name, and writes the report.
pub fn report(summary: &mut Summary, name: Option<&str>) -> Result<(), String> {
    let wanted: Vec<&Paper> =
        PAPERS.iter().filter(|paper| name.is_none_or(|name| name == paper.name)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        return Err(format!("papers are {}", names.join(", ")));
    }
    let binaries = match std::env::var_os("GPUC_BIN_DIR") {
        Some(folder) => root().join(folder),
        None => {
            let build = ["build", "-q", "--release", "-p", "gpuc-driver"];
            if !summary.run("build release binaries", cargo(&build)) {
                return Ok(());
            }
            target().join("release")
        }
    };
    // The model's registers are the assembler's where there is one.
    crate::provision::ptxas(summary);
    let folder = root().join("benches/papers");
    for paper in wanted {
        let start = std::time::Instant::now();
        let name = format!("papers: {}", paper.name);
        match of_paper(paper, binaries.join("gpuc"), &folder) {
            Ok(()) => summary.passed(&name, start.elapsed()),
            Err(sentence) => summary.failed(&name, start.elapsed(), &sentence),
        }
    }
    Ok(())
}

fn of_paper(paper: &Paper, gpuc: PathBuf, folder: &Path) -> Result<(), String> {
    let runner = Runner::new(gpuc, folder.join(paper.name), target().join("papers"))?;
    let mut measured = Vec::new();
    for program in paper.programs {
        let mut rows = Vec::new();
        for variant in program.variants {
            if let Some(figures) = runner.run(program, variant)? {
                rows.push((variant, figures));
            }
        }
        measured.push(Measured { program, rows });
    }
    let said = |error: std::io::Error| error.to_string();
    let plot = format!("{}.svg", paper.name);
    std::fs::write(folder.join(&plot), plot::speeds(paper.title, &measured)).map_err(said)?;
    let section = report::section(paper, &measured, &plot)?;
    let file = folder.join("REPORT.md");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let titles: Vec<&str> = PAPERS.iter().map(|paper| paper.title).collect();
    std::fs::write(file, report::with_section(&before, &titles, paper.title, &section))
        .map_err(said)
}
