//! Steps that say who executes iterations.

use std::fmt;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::llvm::Rounds;
use gpuc_dialects::offload::mapping::{Axis, DimMap, Distribution, Size};

use super::{LOOP, MOST_ROUNDS, StepText};
use crate::plan::cursor::Cursor;
use crate::plan::step::{Collapse, Launches, Map, Parallel, Persist, Spread, Unroll};

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
        let factor = c.positive("the unroll factor", MOST_ROUNDS)?;
        let mut form = Rounds::default();
        form.split = c.eat("split");
        form.guarded = c.eat("guarded");
        form.whole = !form.guarded && c.eat("whole");
        Ok(Unroll { name, factor, form })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} by {}", self.name, self.factor)?;
        self.form.words().try_for_each(|word| write!(f, " {word}"))
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![("factor", &mut self.factor)]
    }
}
