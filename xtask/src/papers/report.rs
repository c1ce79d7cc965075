//! The text of the report.

use std::fmt::Write;

use super::{How, Measured, Paper};

const HEAD: &str = "# Programs of papers\n\n\
     Written by `cargo xtask papers`: each program runs on the simulator for sm_90, and checks its own result. Time is what the \
     simulator's model says, with the registers of ptxas; no device was used. Faster is against the first variant that is timed. \
     `tests/tests/papers.rs` runs all of it at small sizes.\n";

const COLUMNS: [&str; 12] = [
    "program",
    "variant",
    "paper: faster",
    "faster",
    "time, µs",
    "load requests",
    "sectors each",
    "sectors a store",
    "shared wavefronts",
    "bank conflicts",
    "registers",
    "MB from DRAM",
];

/// The part of the report about a paper.
pub fn section(paper: &Paper, measured: &[Measured], plot: &str) -> Result<String, String> {
    let mut text = format!("## {}\n\n{}\n\n", paper.title, paper.opening);
    write(&mut text, format_args!("| {} |\n", COLUMNS.join(" | ")));
    write(&mut text, format_args!("|{}\n", "---|".repeat(COLUMNS.len())));
    for each in measured {
        rows(&mut text, each);
    }
    let title = paper.title;
    write(&mut text, format_args!("\n![{title}: how much faster variants are]({plot})\n"));
    text += &choice(measured);
    text += "\n";
    text += &(paper.closing)(measured)?;
    text += "\nWhy they differ:\n\n";
    for each in measured {
        write(&mut text, format_args!("- **{}**: {}\n", each.program.name, each.program.words));
    }
    Ok(text)
}

/// The rows of a program.
fn rows(text: &mut String, measured: &Measured) {
    let program = measured.program;
    let sizes: Vec<String> = program.sizes.iter().map(u32::to_string).collect();
    let name = format!("{} {}", program.name, sizes.join(" × "));
    let of_host = program.variants.iter().filter(|variant| variant.how == How::Host);
    for variant in of_host {
        let paper = paper_figure(variant.paper);
        let none = " – |".repeat(COLUMNS.len() - 3);
        write(text, format_args!("| {name} | {} | {paper} |{none}\n", variant.name));
    }
    for (variant, figures) in &measured.rows {
        let cells = [
            name.clone(),
            variant.name.to_owned(),
            paper_figure(variant.paper),
            format!("{:.2}", measured.speed(figures)),
            format!("{:.2}", figures.seconds * 1e6),
            figures.requests.to_string(),
            format!("{:.1}", figures.sectors_each()),
            format!("{:.1}", figures.store_sectors_each()),
            figures.wavefronts.to_string(),
            figures.conflicts.to_string(),
            figures.registers.to_string(),
            format!("{:.2}", figures.dram / 1e6),
        ];
        write(text, format_args!("| {} |\n", cells.join(" | ")));
    }
}

fn paper_figure(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}"))
}

/// How what the compiler chooses stands to the named variants, by the model.
fn choice(measured: &[Measured]) -> String {
    let mut slower = Vec::new();
    let mut speeds = Vec::new();
    for each in measured {
        let Some(automatic) = each.automatic() else { continue };
        speeds.push(each.speed(automatic));
        let named = each.rows.iter().filter(|(variant, _)| variant.how != How::Automatic);
        let Some((variant, best)) = named.min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds)) else {
            continue;
        };
        if automatic.seconds > best.seconds * (1.0 + SAME) {
            slower.push(format!(
                "{} ({:.2} µs, {}: {:.2} µs)",
                each.program.name,
                automatic.seconds * 1e6,
                variant.name,
                best.seconds * 1e6
            ));
        }
    }
    if speeds.is_empty() {
        return String::new();
    }
    let mean = speeds.iter().product::<f64>().powf(1.0 / speeds.len() as f64);
    let verdict = match slower.is_empty() {
        true => "It is at least as fast as the best named variant of each.".to_owned(),
        false => format!("It is **slower than the best named variant** of {}.", slower.join(", ")),
    };
    format!("\nAutomatic against the first, geometric mean: **{mean:.2} times**. {verdict}\n")
}

/// How far times may be apart that count as the same: the model does not know better.
const SAME: f64 = 0.01;

/// The report with a section in the place of its old one; sections stand in the order of `titles`.
pub fn with_section(before: &str, titles: &[&str], title: &str, section: &str) -> String {
    let old = |wanted: &str| {
        let mut parts = before.split("\n## ").skip(1);
        let part = parts.find(|part| part.lines().next() == Some(wanted));
        part.map(|part| format!("## {}\n", part.trim_end()))
    };
    let mut text = HEAD.to_owned();
    for each in titles {
        let own = if *each == title { Some(section.to_owned()) } else { old(each) };
        if let Some(own) = own {
            text += "\n";
            text += &own;
        }
    }
    text
}

/// Writing to a string does not fail.
fn write(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn other_sections_stay() {
        let both = with_section("", &["A", "B"], "B", "## B\n\nb\n");
        let both = with_section(&both, &["A", "B"], "A", "## A\n\n### x\n\na\n");
        assert!(both.ends_with("\n\n## A\n\n### x\n\na\n\n## B\n\nb\n"), "{both}");
        let again = with_section(&both, &["A", "B"], "B", "## B\n\nb\n");
        assert_eq!(again, both);
    }
}
