//! How further steps are written behind their words.

use std::fmt;

use gpuc_diagnostics::Diagnostic;

use super::cursor::Cursor;
use super::step::{Banks, UnrollJam};
use super::wording::{LOOP, MOST_ROUNDS, StepText};

/// Elements that rows get longer by, at most.
const MOST_LONGER: i64 = 128;

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

impl StepText for Banks {
    fn parse(c: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        let array = c.name("the name of a variable")?;
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
