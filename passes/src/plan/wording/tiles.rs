//! Steps that put data in registers and memory of the block.

use std::fmt;

use gpuc_diagnostics::Diagnostic;

use super::{LOOP, StepText, VARIABLE};
use crate::plan::cursor::Cursor;
use crate::plan::step::{
    Banks, Block, Coarsen, MOST_COARSE, MOST_LONGER, March, Name, Promote, SIDE, Share, Stage, Tile,
};

/// Rounds of a loop of the host in one launch, at most.
const MOST_STEPS: i64 = 256;
/// Sizes of tiles, at most: no device has memory for more.
const LARGEST_TILE: i64 = 1 << 12;
/// Blocks of a multiprocessor, at most.
const MOST_RESIDENT: i64 = 32;
/// What a product costs, at most.
const MOST_WEIGHT: i64 = 1 << 16;
/// Runs of terms in memory of the block at a time, at most.
const MOST_STAGES: i64 = 16;

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
            if !c.eat("rows") {
                step.loops.push(side(c)?);
                c.expect_sign(',')?;
                c.expect("rows")?;
            }
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
        let names: &[_] = match self.loops.len() {
            1 => &["width"],
            2 => &["height", "width"],
            _ => &["depth", "height", "width"],
        };
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

impl StepText for Banks {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let array = c.name(VARIABLE)?;
        let mut banks = Banks { array, ..Banks::default() };
        if c.eat("members") {
            return Ok(Banks { members: true, ..banks });
        }
        loop {
            let at = c.place();
            let again = |c: &Cursor<'_>| c.error(&at, "that is said already");
            if c.eat("as") {
                c.expect_sign('(')?;
                if !banks.order.is_empty() {
                    return Err(again(c));
                }
                loop {
                    banks.order.push(dimension(c)?);
                    if !c.eat_sign(',') {
                        break;
                    }
                }
                c.expect_sign(')')?;
            } else if c.eat("longer") {
                c.expect("by")?;
                if banks.longer != 0 {
                    return Err(again(c));
                }
                banks.longer = c.positive("the elements that rows are longer by", MOST_LONGER)?;
            } else if c.eat("exchanged") {
                if banks.exchanged {
                    return Err(again(c));
                }
                banks.exchanged = true;
            } else {
                return Err(c.expected("'as', 'longer by', 'exchanged' or 'members'"));
            }
            if !c.eat_sign(',') {
                return Ok(banks);
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        if self.members {
            said.push("members".to_owned());
        }
        if !self.order.is_empty() {
            let dims: Vec<String> = self.order.iter().map(|dim| format!("d{dim}")).collect();
            said.push(format!("as ({})", dims.join(", ")));
        }
        if self.longer != 0 {
            said.push(format!("longer by {}", self.longer));
        }
        if self.exchanged {
            said.push("exchanged".to_owned());
        }
        write!(f, " {} {}", self.array, said.join(", "))
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        match self.longer {
            0 => Vec::new(),
            _ => vec![("longer", &mut self.longer)],
        }
    }
}

/// The number of a dimension, `d0` and so on.
fn dimension(c: &mut Cursor<'_>) -> Result<i64, Diagnostic> {
    let at = c.place();
    let name = c.name("a dimension, `d0` and so on")?;
    let digits = name.strip_prefix('d').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        c.error(&at, format!("'{name}' is no dimension: these are `d0`, `d1` and so on"))
    })
}
