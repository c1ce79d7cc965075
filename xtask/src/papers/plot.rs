//! Bars as SVG.

use std::fmt::Write;

use super::Measured;

/// Height of a bar's line, and what is left between programs.
const LINE: usize = 18;
const GAP: usize = 26;
/// Where bars begin, how long the longest one is, and what its figure takes behind it.
const LEFT: usize = 150;
const LONGEST: f64 = 420.0;
const RIGHT: usize = 90;
const TOP: usize = 44;

/// How much faster each variant of each program is than the first one, with a mark for what the paper has.
pub fn speeds(title: &str, measured: &[Measured]) -> String {
    let all = measured.iter().flat_map(|each| {
        let own = each.rows.iter().map(|(_, figures)| each.speed(figures));
        own.chain(each.rows.iter().filter_map(|(variant, _)| variant.paper))
    });
    let most = all.fold(1.0, f64::max);
    let scale = LONGEST / most;
    let mut bars = String::new();
    let mut y = TOP;
    for each in measured {
        let label = escaped(each.program.name);
        put(
            &mut bars,
            format_args!("<text x=\"8\" y=\"{}\" class=\"program\">{label}</text>\n", y + 13),
        );
        for (variant, figures) in &each.rows {
            let speed = each.speed(figures);
            let (name, text) = (escaped(variant.name), y + 13);
            let width = speed * scale;
            let end = LEFT as f64 + width.max(variant.paper.unwrap_or(0.0) * scale) + 6.0;
            put(
                &mut bars,
                format_args!(
                    "<text x=\"{}\" y=\"{text}\" class=\"variant\">{name}</text>\n",
                    LEFT - 6
                ),
            );
            let (top, height) = (y + 2, LINE - 4);
            put(
                &mut bars,
                format_args!(
                    "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\"/>\n"
                ),
            );
            if let Some(paper) = variant.paper {
                let at = LEFT as f64 + paper * scale;
                put(&mut bars, format_args!("<path d=\"M{at:.1} {} v{LINE}\"/>\n", y));
            }
            put(&mut bars, format_args!("<text x=\"{end:.1}\" y=\"{text}\">{speed:.2}</text>\n"));
            y += LINE;
        }
        y += GAP;
    }
    let (width, height) = (LEFT + LONGEST as usize + RIGHT, y);
    let base = LEFT as f64 + scale;
    let foot = y - GAP;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>text {{ font: 12px sans-serif; fill: #222 }} .program, .title {{ font-weight: bold }} .variant {{ text-anchor: end }} \
         rect {{ fill: #4477aa }} .ground {{ fill: #fff }} path {{ stroke: #cc3311; stroke-width: 3 }} line {{ stroke: #999 }}</style>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n\
         <text x=\"8\" y=\"18\" class=\"title\">{}: times as fast as the first variant, by the simulator's model (bars) and in the paper (marks)</text>\n\
         <line x1=\"{base:.1}\" y1=\"{}\" x2=\"{base:.1}\" y2=\"{foot}\"/>\n\
         {bars}</svg>\n",
        escaped(title),
        TOP - 6,
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('`', "")
}

/// Writing to a string does not fail.
fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}
