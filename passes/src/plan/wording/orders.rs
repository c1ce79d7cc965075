//! Steps that lay arrays out anew and order loops.

use std::fmt;

use gpuc_diagnostics::Diagnostic;

use super::{LOOP, MOST_ROUNDS, StepText, VARIABLE};
use crate::plan::cursor::Cursor;
use crate::plan::step::{
    Distribute, Expand, Fission, Form, Fuse, Layout, Order, Permute, Privatize, Skew, Snapshot,
    Split, Strip, UnrollJam,
};

/// Iterations of a strip, at most.
const MOST_STRIP: i64 = 1 << 16;

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

impl StepText for UnrollJam {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let name = c.name(LOOP)?;
        c.expect("by")?;
        Ok(UnrollJam { name, factor: c.positive("the unroll factor", MOST_ROUNDS)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} by {}", self.name, self.factor)
    }

    fn numbers(&mut self) -> Vec<(&'static str, &mut i64)> {
        vec![("factor", &mut self.factor)]
    }
}
