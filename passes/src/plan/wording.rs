//! How each step is written behind its word, and which of its numbers a search may change.

use std::fmt;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{Axis, DimMap, Distribution, Size};

use super::cursor::Cursor;
use super::step::{
    Block, Coarsen, Collapse, Distribute, Expand, Fission, Form, Fuse, Launches, Layout,
    MOST_COARSE, Map, March, Name, Order, Parallel, Permute, Persist, Privatize, Promote, SIDE,
    Share, Skew, Snapshot, Split, Spread, Stage, Strip, Tile, Unroll,
};

/// How a step is written behind its word.
pub(super) trait StepText: Sized {
    /// Reads it.
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic>;
    /// Writes it, a blank first.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Numbers that a search may change.
    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        Vec::new()
    }
}

pub(super) const LOOP: &str = "the name of a loop";
/// Rounds of a loop of the host in one launch, at most.
const MOST_STEPS: i64 = 256;
/// Sizes of tiles, at most: no device has memory for more.
const LARGEST_TILE: i64 = 1 << 12;
/// Blocks of a multiprocessor, at most.
const MOST_RESIDENT: i64 = 32;

/// Iterations of a strip, at most.
const MOST_STRIP: i64 = 1 << 16;

/// What a product costs, at most.
const MOST_WEIGHT: i64 = 1 << 16;

/// Runs of terms in memory of the block at a time, at most.
const MOST_STAGES: i64 = 16;
/// Rounds of a loop in one, at most.
pub(super) const MOST_ROUNDS: i64 = 256;
const VARIABLE: &str = "the name of a variable";

impl StepText for Privatize {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let array = c.name(VARIABLE)?;
        c.expect("over")?;
        Ok(Privatize { array, over: c.names(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} over {}", self.array, self.over.join(", "))
    }
}

impl StepText for Expand {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        Ok(Expand { name: c.name(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.name)
    }
}

impl StepText for Fission {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        Ok(Fission { name: c.name(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.name)
    }
}

impl StepText for Snapshot {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let array = c.name(VARIABLE)?;
        c.expect("in")?;
        Ok(Snapshot { array, nest: c.name(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} in {}", self.array, self.nest)
    }
}

impl StepText for Layout {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let array = c.name(VARIABLE)?;
        c.expect("in")?;
        let nest = c.name(LOOP)?;
        c.expect("as")?;
        Ok(Layout { array, nest, rows: Form::parse_row(c)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} in {} as {}", self.array, self.nest, Form::row(&self.rows))
    }
}

impl StepText for Split {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let name = c.name(LOOP)?;
        c.expect("at")?;
        Ok(Split { name, at: Form::parse(c)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} at {}", self.name, self.at)
    }
}

impl Form {
    /// Forms in brackets, with commas between them.
    fn parse_row(c: &mut Cursor<'_>) -> Result<Vec<Form>, Diagnostic> {
        c.expect_sign('(')?;
        let mut row = Vec::new();
        while !c.eat_sign(')') {
            if !row.is_empty() {
                c.expect_sign(',')?;
            }
            row.push(Form::parse(c)?);
        }
        Ok(row)
    }

    /// Forms as [`Form::parse_row`] reads them.
    pub fn row(forms: &[Form]) -> String {
        let forms: Vec<String> = forms.iter().map(ToString::to_string).collect();
        format!("({})", forms.join(", "))
    }

    fn parse(c: &mut Cursor<'_>) -> Result<Form, Diagnostic> {
        let mut form = Form::default();
        let mut sign = if c.eat_sign('-') { -1 } else { 1 };
        loop {
            if c.peek_word().is_some() {
                form.terms.push((c.name(LOOP)?, sign));
            } else {
                let number = c.factor()? * sign;
                match c.eat_sign('*') {
                    true => form.terms.push((c.name(LOOP)?, number)),
                    false => form.constant += number,
                }
            }
            sign = match (c.eat_sign('+'), c.eat_sign('-')) {
                (true, _) => 1,
                (false, true) => -1,
                (false, false) => return Ok(form),
            };
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, factor)) in self.terms.iter().enumerate() {
            let sign = match (i, *factor < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            write!(f, "{sign}")?;
            if factor.unsigned_abs() != 1 {
                write!(f, "{}*", factor.unsigned_abs())?;
            }
            write!(f, "{name}")?;
        }
        match (self.terms.is_empty(), self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}

impl StepText for Order {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let nests = c.names(LOOP)?;
        c.expect("as")?;
        let mut rows = Vec::new();
        loop {
            rows.push(Form::parse_row(c)?);
            if !c.eat_sign(',') {
                return Ok(Order { nests, rows });
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} as", self.nests.join(", "))?;
        for (i, row) in self.rows.iter().enumerate() {
            write!(f, "{} {}", if i > 0 { "," } else { "" }, Form::row(row))?;
        }
        Ok(())
    }
}

impl StepText for Permute {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let loops = c.names(LOOP)?;
        c.expect("to")?;
        let at = c.place();
        let to = c.names(LOOP)?;
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        let mut unique = sorted(&loops);
        unique.dedup();
        if sorted(&to) != sorted(&loops) || unique.len() != loops.len() {
            return Err(c.error(&at, "the new order does not name each of the loops once"));
        }
        Ok(Permute { loops, to })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} to {}", self.loops.join(", "), self.to.join(", "))
    }
}

impl StepText for Distribute {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let nest = c.name(LOOP)?;
        // What is asked for before the compiler makes its plan has no names for what becomes of it.
        let to = match c.eat("to") {
            true => c.names(LOOP)?,
            false => Vec::new(),
        };
        Ok(Distribute { nest, to })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to.is_empty() {
            true => write!(f, " {}", self.nest),
            false => write!(f, " {} to {}", self.nest, self.to.join(", ")),
        }
    }
}

impl StepText for Fuse {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let first = c.name(LOOP)?;
        c.expect_sign(',')?;
        let second = c.name(LOOP)?;
        c.expect("to")?;
        Ok(Fuse { loops: [first, second], to: c.name(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} to {}", self.loops.join(", "), self.to)
    }
}

impl StepText for Strip {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let mut loops = Vec::new();
        loop {
            let name = c.name(LOOP)?;
            c.expect("by")?;
            loops.push((name, c.positive("the iterations of a strip", MOST_STRIP)?));
            if !c.eat_sign(',') {
                return Ok(Strip { loops });
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loops: Vec<String> =
            self.loops.iter().map(|(name, size)| format!("{name} by {size}")).collect();
        write!(f, " {}", loops.join(", "))
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        self.loops.iter_mut().map(|(_, size)| ("strip", size)).collect()
    }
}

impl StepText for Skew {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let inner = c.name(LOOP)?;
        c.expect("by")?;
        let factor = c.factor()?;
        c.expect("along")?;
        let along = c.name(LOOP)?;
        let wavefront = c.eat_sign(',');
        if wavefront {
            c.expect("wavefront")?;
        }
        Ok(Skew { inner, factor, along, wavefront })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} by {} along {}", self.inner, self.factor, self.along)?;
        f.write_str(if self.wavefront { ", wavefront" } else { "" })
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![("factor", &mut self.factor)]
    }
}

impl StepText for Parallel {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        Ok(Parallel { loops: c.names(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.loops.join(", "))
    }
}

impl StepText for Collapse {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        Ok(Collapse { loops: c.names(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.loops.join(", "))
    }
}

impl StepText for Persist {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let time = c.name(LOOP)?;
        c.expect("over")?;
        let threads = c.positive("the number of threads", i32::MAX.into())?;
        let mut persist = Persist { time, blocks: 1, threads, most: 0 };
        if c.eat("in") {
            persist.blocks = c.positive("the number of blocks", i32::MAX.into())?;
            c.expect("blocks")?;
        }
        if c.eat("where") {
            persist.most = c.positive("the number of iterations", i32::MAX.into())?;
            c.expect("iterations")?;
        }
        Ok(persist)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} over {}", self.time, self.threads)?;
        if self.blocks > 1 {
            write!(f, " in {} blocks", self.blocks)?;
        }
        match self.most {
            0 => Ok(()),
            most => write!(f, " where {most} iterations"),
        }
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![
            ("blocks", &mut self.blocks),
            ("threads", &mut self.threads),
            ("iterations", &mut self.most),
        ]
    }
}

impl StepText for Launches {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        Ok(Launches { round: if c.is_done() { Vec::new() } else { c.names(LOOP)? } })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.round.is_empty() { "" } else { " " })?;
        write!(f, "{}", self.round.join(", "))
    }
}

impl StepText for Promote {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let variable = c.name(VARIABLE)?;
        c.expect("in")?;
        Ok(Promote { variable, within: c.name(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} in {}", self.variable, self.within)
    }
}

impl StepText for Block {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let time = c.name(LOOP)?;
        c.expect("by")?;
        let steps = c.positive("the number of rounds", MOST_STEPS)?;
        c.expect("over")?;
        let side = |c: &mut Cursor<'_>| {
            let name = c.name(LOOP)?;
            c.expect("by")?;
            Ok((name, c.positive("the size of a tile", LARGEST_TILE)?))
        };
        let mut step = Block { time: (time, steps), loops: vec![side(c)?], rows: 1, blocks: 0 };
        if c.eat_sign(',') {
            step.loops.push(side(c)?);
            c.expect_sign(',')?;
            c.expect("rows")?;
            step.rows = c.positive("the rows of a thread", LARGEST_TILE)?;
        }
        if c.eat("where") {
            step.blocks = c.positive("the number of blocks", i32::MAX.into())?;
            c.expect("blocks")?;
        }
        Ok(step)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loops: Vec<String> =
            self.loops.iter().map(|(name, size)| format!("{name} by {size}")).collect();
        write!(f, " {} by {} over {}", self.time.0, self.time.1, loops.join(", "))?;
        if self.loops.len() > 1 {
            write!(f, ", rows {}", self.rows)?;
        }
        match self.blocks {
            0 => Ok(()),
            blocks => write!(f, " where {blocks} blocks"),
        }
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        let mut numbers = vec![("steps", &mut self.time.1)];
        let names: &[_] = if self.loops.len() > 1 { &["height", "width"] } else { &["width"] };
        let sides = names.iter().zip(&mut self.loops).map(|(&name, (_, size))| (name, size));
        numbers.extend(sides);
        numbers.extend([("rows", &mut self.rows), ("blocks", &mut self.blocks)]);
        numbers
    }
}

impl StepText for Tile {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let side = |c: &mut Cursor<'_>| {
            let name = c.name(LOOP)?;
            c.expect("by")?;
            let size = c.positive("the size of a tile", LARGEST_TILE)?;
            c.expect_sign(',')?;
            Ok((name, size))
        };
        let loops = [side(c)?, side(c)?, side(c)?];
        c.expect("threads")?;
        let down = c.positive("the part of a thread", LARGEST_TILE)?;
        c.expect("by")?;
        let across = c.positive("the part of a thread", LARGEST_TILE)?;
        let mut tile = Tile {
            loops,
            threads: [down, across],
            wide: false,
            stages: 1,
            resident: 1,
            weight: 0,
            blocks: 0,
        };
        while c.eat_sign(',') {
            if c.eat("wide") {
                tile.wide = true;
            } else if c.eat("stages") {
                tile.stages = c.positive("the number of runs of terms", MOST_STAGES)?;
            } else if c.eat("weight") {
                tile.weight = c.positive("what a product costs", MOST_WEIGHT)?;
            } else if c.eat("resident") {
                tile.resident = c.positive("the number of blocks", MOST_RESIDENT)?;
            } else {
                c.expect("where")?;
                tile.blocks = c.positive("the number of blocks", i32::MAX.into())?;
                c.expect("blocks")?;
            }
        }
        Ok(tile)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<String> =
            self.loops.iter().map(|(name, size)| format!("{name} by {size}")).collect();
        let [down, across] = self.threads;
        write!(f, " {}, threads {down} by {across}", sides.join(", "))?;
        f.write_str(if self.wide { ", wide" } else { "" })?;
        if self.stages != 1 {
            write!(f, ", stages {}", self.stages)?;
        }
        if self.resident != 1 {
            write!(f, ", resident {}", self.resident)?;
        }
        if self.weight != 0 {
            write!(f, ", weight {}", self.weight)?;
        }
        if self.blocks > 0 {
            write!(f, ", where {} blocks", self.blocks)?;
        }
        Ok(())
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        let [(_, rows), (_, columns), (_, depth)] = &mut self.loops;
        let [down, across] = &mut self.threads;
        vec![
            ("rows", rows),
            ("columns", columns),
            ("depth", depth),
            ("down", down),
            ("across", across),
            ("stages", &mut self.stages),
            ("resident", &mut self.resident),
            ("weight", &mut self.weight),
            ("blocks", &mut self.blocks),
        ]
    }
}

impl StepText for Stage {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let first = c.name(LOOP)?;
        c.expect_sign(',')?;
        let second = c.name(LOOP)?;
        let mut side = SIDE;
        if c.eat("by") {
            side = c.positive("the side of the squares", i32::MAX.into())?;
        }
        c.expect("where")?;
        let least = c.positive("the number of iterations", i32::MAX.into())?;
        c.expect("iterations")?;
        Ok(Stage { loops: [first, second], side, least })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.loops.join(", "))?;
        if self.side != SIDE {
            write!(f, " by {}", self.side)?;
        }
        write!(f, " where {} iterations", self.least)
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![("side", &mut self.side), ("least", &mut self.least)]
    }
}

impl StepText for Coarsen {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let name = c.name(LOOP)?;
        c.expect("by")?;
        let factor = c.positive("the number of iterations", MOST_COARSE)?;
        let mut coarsen = Coarsen { name, factor, threads: 0 };
        if c.eat("where") {
            coarsen.threads = c.positive("the number of threads", i32::MAX.into())?;
            c.expect("threads")?;
        }
        Ok(coarsen)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} by {}", self.name, self.factor)?;
        match self.threads {
            0 => Ok(()),
            threads => write!(f, " where {threads} threads"),
        }
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![("factor", &mut self.factor), ("threads", &mut self.threads)]
    }
}

/// A loop with the iterations of a block, and the comma behind it.
fn side_of_block(c: &mut Cursor<'_>) -> Result<(Name, i64), Diagnostic> {
    let name = c.name(LOOP)?;
    c.expect("by")?;
    let size = c.positive("the size of a tile", LARGEST_TILE)?;
    c.expect_sign(',')?;
    Ok((name, size))
}

/// Rows of a thread, and blocks that the grid must have, 0 for any number.
fn rows_and_blocks(c: &mut Cursor<'_>) -> Result<(i64, i64), Diagnostic> {
    c.expect("rows")?;
    let rows = c.positive("the rows of a thread", LARGEST_TILE)?;
    if !c.eat_sign(',') {
        return Ok((rows, 0));
    }
    c.expect("where")?;
    let blocks = c.positive("the number of blocks", i32::MAX.into())?;
    c.expect("blocks")?;
    Ok((rows, blocks))
}

impl StepText for March {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let loops = [side_of_block(c)?, side_of_block(c)?, side_of_block(c)?];
        let (rows, blocks) = rows_and_blocks(c)?;
        Ok(March { loops, rows, blocks })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loops: Vec<String> =
            self.loops.iter().map(|(name, size)| format!("{name} by {size}")).collect();
        write!(f, " {}, rows {}", loops.join(", "), self.rows)?;
        match self.blocks {
            0 => Ok(()),
            blocks => write!(f, ", where {blocks} blocks"),
        }
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        let [(_, planes), (_, height), (_, width)] = &mut self.loops;
        vec![
            ("planes", planes),
            ("height", height),
            ("width", width),
            ("rows", &mut self.rows),
            ("blocks", &mut self.blocks),
        ]
    }
}

impl StepText for Share {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let arrays = c.names(VARIABLE)?;
        c.expect("over")?;
        let loops = [side_of_block(c)?, side_of_block(c)?];
        let (rows, blocks) = rows_and_blocks(c)?;
        Ok(Share { arrays, loops, rows, blocks })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(row, height), (column, width)] = &self.loops;
        let arrays = self.arrays.join(", ");
        write!(f, " {arrays} over {row} by {height}, {column} by {width}, rows {}", self.rows)?;
        match self.blocks {
            0 => Ok(()),
            blocks => write!(f, ", where {blocks} blocks"),
        }
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        let [(_, height), (_, width)] = &mut self.loops;
        vec![
            ("height", height),
            ("width", width),
            ("rows", &mut self.rows),
            ("blocks", &mut self.blocks),
        ]
    }
}

impl StepText for Spread {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let rows = c.names(LOOP)?;
        c.expect("over")?;
        let width = c.positive("the number of threads", i32::MAX.into())?;
        let mut spread = Spread { rows, width, columns: 0, rounds: 0, most: 0 };
        if c.eat("by") {
            spread.columns = c.positive("the number of columns", i32::MAX.into())?;
            c.expect("columns")?;
        }
        if c.eat("where") {
            let number = c.positive("the number of rounds or rows", i32::MAX.into())?;
            if c.eat("rows") {
                spread.most = number;
                return Ok(spread);
            }
            spread.rounds = number;
            c.expect("rounds")?;
            if c.eat_sign(',') {
                spread.most = c.positive("the number of rows", i32::MAX.into())?;
                c.expect("rows")?;
            }
        }
        Ok(spread)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} over {}", self.rows.join(", "), self.width)?;
        if self.columns > 0 {
            write!(f, " by {} columns", self.columns)?;
        }
        match (self.rounds, self.most) {
            (0, 0) => {}
            (0, most) => write!(f, " where {most} rows")?,
            (rounds, 0) => write!(f, " where {rounds} rounds")?,
            (rounds, most) => write!(f, " where {rounds} rounds, {most} rows")?,
        }
        Ok(())
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![
            ("width", &mut self.width),
            ("columns", &mut self.columns),
            ("rounds", &mut self.rounds),
            ("rows", &mut self.most),
        ]
    }
}

/// `block.y`, as the mapping's `block_y`.
fn axis(word: &str) -> Option<Axis> {
    Axis::parse(&word.replace('.', "_")).filter(|_| !word.contains('_'))
}

impl StepText for Map {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let mut dims = Vec::new();
        loop {
            let mut names = vec![c.name(LOOP)?];
            while !c.eat("to") {
                names.push(c.name("the name of a loop, or 'to'")?);
            }
            let mut dim = DimMap { dims: names.len(), ..DimMap::sequential() };
            if !c.eat("sequential") {
                while let Some(axis) = c.peek_word().and_then(axis) {
                    c.skip();
                    let size = match c.eat("by") {
                        false if axis == Axis::Lane => Size::Constant(32),
                        false => Size::Free,
                        true if c.eat_sign('?') => Size::Launch,
                        true => {
                            Size::Constant(c.positive("a number of processors", i32::MAX.into())?)
                        }
                    };
                    dim.axes.push((axis, size));
                }
                if dim.axes.is_empty() {
                    return Err(c.expected(
                        "processors: block.x, block.y, block.z, thread.x, thread.y, thread.z, \
                         lane or sequential",
                    ));
                }
            }
            for (word, how) in
                [("strided", Distribution::Strided), ("blocked", Distribution::Blocked)]
            {
                if c.eat(word) {
                    dim.how = how;
                    break;
                }
            }
            dims.push((names, dim));
            if !c.eat_sign(',') {
                return Ok(Map { dims });
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (names, dim)) in self.dims.iter().enumerate() {
            write!(f, "{} {} to", if i > 0 { "," } else { "" }, names.join(" "))?;
            if dim.axes.is_empty() {
                f.write_str(" sequential")?;
            }
            for (axis, size) in &dim.axes {
                write!(f, " {}", axis.name().replace('_', "."))?;
                match size {
                    Size::Free => {}
                    Size::Constant(n) => write!(f, " by {n}")?,
                    Size::Launch => f.write_str(" by ?")?,
                }
            }
            f.write_str(match dim.how {
                Distribution::Exact => "",
                Distribution::Strided => " strided",
                Distribution::Blocked => " blocked",
            })?;
        }
        Ok(())
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        let sizes = self.dims.iter_mut().flat_map(|(_, dim)| &mut dim.axes);
        sizes
            .filter_map(|(axis, size)| match size {
                Size::Constant(n) => Some((axis.name(), n)),
                Size::Free | Size::Launch => None,
            })
            .collect()
    }
}

impl StepText for Unroll {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let name = c.name(LOOP)?;
        c.expect("by")?;
        Ok(Unroll { name, factor: c.positive("the unroll factor", MOST_ROUNDS)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} by {}", self.name, self.factor)
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![("factor", &mut self.factor)]
    }
}
