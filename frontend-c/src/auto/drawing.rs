//! Graphs of tasks as text: in DOT, and as a picture in SVG by a layout of our own.
//!
//! A task stands below all that come before it (a layer for each length of the longest way there), those of one layer side by side
//! in the order of the program. Ways to the next layer are lines; longer ones go round on the right, those back to the head of
//! a loop on the left, each on a lane of its own. All of it is whole numbers: the same graph is the same picture.

use std::fmt::Write as _;

/// A box with lines of text.
pub struct Shape {
    /// The text.
    pub lines: Vec<String>,
    /// Whether it runs on the device.
    pub on_device: bool,
}

/// The graph of a function.
pub struct Drawing {
    /// The function.
    pub name: String,
    /// Its tasks, in the order of the program.
    pub shapes: Vec<Shape>,
    /// From which task to which.
    pub edges: Vec<(usize, usize)>,
    /// The tasks that lead to the end.
    pub ends: Vec<usize>,
}

/// The width of a letter, the height of a line, and the space round a text, in pixels.
const LETTER: usize = 8;
const LINE: usize = 16;
const MARGIN: usize = 8;
/// The space between layers, between boxes of one, and between lanes.
const BETWEEN: usize = 36;
const BESIDE: usize = 24;
const LANE: usize = 12;

/// A box in the picture.
#[derive(Clone, Copy)]
struct Placed {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Drawing {
    /// In DOT.
    pub fn dot(&self, text: &mut String) {
        let Drawing { name, shapes, edges, ends } = self;
        // A string takes all that is written to it.
        let _ = writeln!(text, "digraph \"{name}\" {{\n  node [shape=box, fontname=monospace];");
        for (number, shape) in shapes.iter().enumerate() {
            let label: String = shape.lines.iter().map(|line| format!("{line}\\l")).collect();
            let fill = if shape.on_device { ", style=filled, fillcolor=lightgrey" } else { "" };
            let _ = writeln!(text, "  t{number} [label=\"{label}\"{fill}];");
        }
        for (from, to) in edges {
            let _ = writeln!(text, "  t{from} -> t{to};");
        }
        let _ = writeln!(text, "  end [label=\"end of {name}\", shape=plaintext];");
        for end in ends {
            let _ = writeln!(text, "  t{end} -> end;");
        }
        let _ = writeln!(text, "}}");
    }

    /// The layer of each task, and of the end.
    fn layers(&self) -> Vec<usize> {
        let mut layers = vec![0; self.shapes.len()];
        // Only heads of loops have tasks in front of them that come later.
        for to in 0..layers.len() {
            let before = self.edges.iter().filter(|edge| edge.1 == to && edge.0 < to);
            layers[to] = before.map(|edge| layers[edge.0] + 1).max().unwrap_or(0);
        }
        layers.push(layers.iter().max().map_or(0, |last| last + 1));
        layers
    }

    /// Draws at a height; the width and the height that it takes.
    fn draw(&self, top: usize, text: &mut String) -> (usize, usize) {
        let layers = self.layers();
        let end = self.shapes.len();
        let last = [format!("end of {}", self.name)];
        let lines = |number: usize| match self.shapes.get(number) {
            Some(shape) => &shape.lines[..],
            None => &last[..],
        };
        let edges: Vec<(usize, usize)> =
            self.edges.iter().copied().chain(self.ends.iter().map(|&from| (from, end))).collect();
        let (back, forth): (Vec<_>, Vec<_>) = edges.into_iter().partition(|(from, to)| from >= to);
        let (next, far): (Vec<_>, Vec<_>) =
            forth.into_iter().partition(|&(from, to)| layers[to] == layers[from] + 1);
        let size = |number: usize| {
            let letters = lines(number).iter().map(|line| line.chars().count()).max().unwrap_or(0);
            (letters * LETTER + 2 * MARGIN, lines(number).len() * LINE + 2 * MARGIN)
        };
        let rows: Vec<Vec<usize>> = (0..=layers[end])
            .map(|layer| (0..=end).filter(|&number| layers[number] == layer).collect())
            .collect();
        let width_of = |row: &Vec<usize>| {
            row.iter().map(|&number| size(number).0 + BESIDE).sum::<usize>().saturating_sub(BESIDE)
        };
        let inner = rows.iter().map(width_of).max().unwrap_or(0);
        let left = MARGIN + (back.len() + 1) * LANE;
        let mut placed = vec![Placed { x: 0, y: 0, width: 0, height: 0 }; end + 1];
        let mut y = top + 2 * LINE;
        for row in &rows {
            let mut x = left + (inner - width_of(row)) / 2;
            for &number in row {
                let (width, height) = size(number);
                placed[number] = Placed { x, y, width, height };
                x += width + BESIDE;
            }
            y += row.iter().map(|&number| size(number).1).max().unwrap_or(0) + BETWEEN;
        }
        let _ = writeln!(
            text,
            "<text x=\"{MARGIN}\" y=\"{}\" font-weight=\"bold\">{}</text>",
            top + LINE,
            escaped(&self.name)
        );
        for (number, at) in placed.iter().enumerate() {
            let Placed { x, y, width, height } = at;
            if let Some(shape) = self.shapes.get(number) {
                let fill = if shape.on_device { "lightgrey" } else { "white" };
                let _ = writeln!(
                    text,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"black\"/>"
                );
            }
            for (line, words) in lines(number).iter().enumerate() {
                let (x, y) = (x + MARGIN, y + MARGIN + line * LINE + LINE * 3 / 4);
                let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(words));
            }
        }
        let mut line = |points: &[(usize, usize)]| {
            let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
            let _ = writeln!(
                text,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"black\" marker-end=\"url(#tip)\"/>",
                points.join(" ")
            );
        };
        for (from, to) in next {
            let (from, to) = (placed[from], placed[to]);
            line(&[(from.x + from.width / 2, from.y + from.height), (to.x + to.width / 2, to.y)]);
        }
        let beside = |at: Placed, part: usize| at.y + at.height * part / 4;
        let right = left + inner + LANE;
        for (lane, &(from, to)) in far.iter().enumerate() {
            let (from, to, x) = (placed[from], placed[to], right + lane * LANE);
            let (start, stop) = (beside(from, 3), beside(to, 1));
            line(&[(from.x + from.width, start), (x, start), (x, stop), (to.x + to.width, stop)]);
        }
        for (lane, &(from, to)) in back.iter().enumerate() {
            let (from, to, x) = (placed[from], placed[to], left - (lane + 1) * LANE);
            let (start, stop) = (beside(from, 3), beside(to, 1));
            line(&[(from.x, start), (x, start), (x, stop), (to.x, stop)]);
        }
        (right + far.len() * LANE + MARGIN, y)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The graphs of all functions, one below the other, as a picture in SVG.
pub fn svg(drawings: &[Drawing]) -> String {
    let (mut body, mut width, mut top) = (String::new(), 0, 0);
    for drawing in drawings {
        let (wide, below) = drawing.draw(top, &mut body);
        width = width.max(wide);
        top = below;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" font-family=\"monospace\" font-size=\"13\">\n\
         <defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n\
         {body}</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{Drawing, Shape, svg};

    #[test]
    fn a_loop_goes_back_on_the_left_and_past_on_the_right() {
        let shape = |text: &str, on_device| Shape { lines: vec![text.to_owned()], on_device };
        let drawing = Drawing {
            name: "f".to_owned(),
            shapes: vec![shape("i < n", false), shape("task", true), shape("task 2", true)],
            edges: vec![(0, 1), (1, 2), (2, 0)],
            ends: vec![0],
        };
        assert_eq!(drawing.layers(), [0, 1, 2, 3]);
        let text = svg(&[drawing]);
        assert!(text.contains(">i &lt; n</text>") && text.contains("fill=\"lightgrey\""), "{text}");
        let lines: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("<polyline points=\"")).collect();
        let points: Vec<&str> = lines.iter().filter_map(|line| line.split('"').next()).collect();
        // Two straight on, past the loop on the right, and back on the left.
        assert_eq!(
            points.iter().map(|line| line.split(' ').count()).collect::<Vec<_>>(),
            [2, 2, 4, 4]
        );
        let x = |line: &str, point: usize| -> usize {
            let at = line.split(' ').nth(point).and_then(|at| at.split(',').next());
            at.and_then(|x| x.parse().ok()).unwrap_or(0)
        };
        assert!(x(points[2], 1) > x(points[2], 0) && x(points[3], 1) < x(points[3], 0), "{text}");
    }
}
