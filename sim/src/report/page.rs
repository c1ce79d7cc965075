//! The report as one HTML page that needs nothing else.

use super::Report;

/// The page, in three parts: what the run and the other run are put between.
const PAGE: &str = include_str!("page.html");
const RUN: &str = "@RUN@";
const OTHER: &str = "@OTHER@";

/// JSON inside a script element: no `<` may end it early.
fn embedded(json: &str) -> String {
    json.trim().replace('<', "\\u003c")
}

impl Report {
    /// The page: verdicts, roofline, heat on the source, occupancy, timeline; beside those of another
    /// run if its JSON is given.
    pub fn page(&self, other: Option<&str>) -> String {
        let (head, rest) = PAGE.split_once(RUN).unwrap_or((PAGE, ""));
        let (middle, tail) = rest.split_once(OTHER).unwrap_or((rest, ""));
        let other = embedded(other.unwrap_or("null"));
        [head, &embedded(&self.json()), middle, &other, tail].concat()
    }
}
