//! The text of plans: what a person reads and writes.
//!
//! ```text
//! gpuc plan 1
//! # the version of the format, then a plan for each construct, one step a line
//! kernel sgemm:4 nest 41c5b3d0aa07fc1e target sm_90
//!   parallel i, j
//!   collapse i, j
//!   tile i by 128, j by 128, l by 16, threads 8 by 8, wide, resident 2, where 132 blocks
//!   map i to block.y thread.y by 4, j to block.x thread.x by 32
//! ```

use std::fmt;

use gpuc_diagnostics::{Diagnostic, Place, codes, did_you_mean};
use gpuc_dialects::offload::mapping::{Axis, DimMap, Distribution, Size};

use super::key::Key;
use super::step::{
    Collapse, Distribute, Form, Fuse, Launches, Map, Order, Parallel, Permute, Privatize, Promote,
    Skew, Step, Tile, Unroll, WORDS,
};

/// The version of the format that is written, and the one that is read.
pub const VERSION: u32 = 1;

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

/// A step with its place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The step.
    pub step: Step,
    /// Where it stands.
    pub place: Place,
}

/// The plan of one construct, as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it is for.
    pub key: Key,
    /// Where it begins.
    pub place: Place,
    /// Its steps, in order.
    pub steps: Vec<Placed>,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.key)?;
        self.steps.iter().try_for_each(|placed| writeln!(f, "  {}", placed.step))
    }
}

/// The first line of a file of plans.
pub fn header() -> String {
    format!("gpuc plan {VERSION}\n")
}

/// Reads a file of plans.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(text: &str, file: &str) -> Result<Vec<Plan>, Diagnostic> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut versioned = false;
    for (number, line) in (1u32..).zip(text.lines()) {
        let mut cursor = Cursor::new(line, Place::new(file, number, 1, 1))?;
        if cursor.is_done() {
            continue;
        }
        if !versioned {
            version(&mut cursor)?;
            versioned = true;
            continue;
        }
        if cursor.eat("kernel") {
            let key = Key::parse(&mut cursor)?;
            cursor.done()?;
            let place = cursor.whole();
            if let Some(before) = plans.iter().find(|plan| plan.key.is_of_same(&key)) {
                return Err(cursor
                    .error(&place, format!("there are two plans for '{}'", key.kernel()))
                    .related(before.place.clone(), "the first one"));
            }
            plans.push(Plan { key, place, steps: Vec::new() });
            continue;
        }
        let Some(plan) = plans.last_mut() else {
            return Err(cursor
                .error(&cursor.whole(), "a step stands in front of the first kernel")
                .help(
                    "a plan begins with a line such as `kernel sgemm:4 nest HASH target sm_90`",
                ));
        };
        plan.steps.push(placed_step(&mut cursor)?);
        check_last(&plan.steps)?;
    }
    match versioned {
        true => Ok(plans),
        false => Err(Diagnostic::error("the file of plans is empty")
            .code(codes::PLAN_TEXT)
            .at(Place::new(file, 1, 1, 1))
            .help(format!("its first line is `gpuc plan {VERSION}`"))),
    }
}

/// Reads one step, the text of which begins at a place.
///
/// # Errors
/// What is wrong with it.
pub fn parse_step(text: &str, place: Place) -> Result<Placed, Diagnostic> {
    placed_step(&mut Cursor::new(text, place)?)
}

fn version(c: &mut Cursor<'_>) -> Result<(), Diagnostic> {
    let line = c.whole();
    if !(c.eat("gpuc") && c.eat("plan")) {
        return Err(c
            .error(&line, "this is no file of plans")
            .help(format!("its first line is `gpuc plan {VERSION}`")));
    }
    let at = c.place();
    match c.number()? {
        found if found == i64::from(VERSION) => c.done(),
        found => Err(c
            .error(&at, format!("plans of format {found} are not read"))
            .help(format!("this gpuc reads and writes format {VERSION}; print the plan anew with `gpuc --emit=plan`"))),
    }
}

fn placed_step(c: &mut Cursor<'_>) -> Result<Placed, Diagnostic> {
    let (place, at) = (c.whole(), c.place());
    let word = c.name("a step")?;
    let Some(step) = Step::parse(&word, c) else {
        let error = c.error(&at, format!("there is no step '{word}'"));
        return Err(match did_you_mean(&word, WORDS.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("steps are {}", WORDS.join(", "))),
        });
    };
    let step = step?;
    c.done()?;
    Ok(Placed { step, place })
}

/// Whether the last step may stand behind the others.
fn check_last(steps: &[Placed]) -> Result<(), Diagnostic> {
    let Some((last, before)) = steps.split_last() else { return Ok(()) };
    let error = |text: String, other: &Placed, note: &str| {
        Diagnostic::error(text)
            .code(codes::PLAN_TEXT)
            .at(last.place.clone())
            .related(other.place.clone(), note)
    };
    if let Some(same) = before.iter().find(|other| other.step == last.step) {
        let text = format!("the step '{}' stands there twice", last.step.word());
        return Err(error(text, same, "the first time")
            .help("what it took was gone behind it; leave one of them out"));
    }
    if let Some(later) = before.iter().find(|other| other.step.stage() > last.step.stage()) {
        let text = format!("'{}' comes before '{}' in a plan", last.step.word(), later.step.word());
        let order = format!("the order is {}", WORDS.join(", "));
        return Err(error(text, later, "this one is later").help(order));
    }
    Ok(())
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(i64),
    Sign(char),
}

/// A line that is being read.
pub(super) struct Cursor<'a> {
    line: &'a str,
    start: Place,
    tokens: Vec<(Token, usize, usize)>,
    next: usize,
}

impl<'a> Cursor<'a> {
    /// The tokens of a line up to a comment. `start` is the place of its first byte.
    pub fn new(line: &'a str, start: Place) -> Result<Cursor<'a>, Diagnostic> {
        let mut c = Cursor { line, start, tokens: Vec::new(), next: 0 };
        let bytes = line.as_bytes();
        let part = |b: u8| {
            b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b'$' | b'@' | b'.')
        };
        let mut at = 0;
        while at < bytes.len() {
            let from = at;
            let token = match bytes[at] {
                b'#' => break,
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b if part(b) => {
                    while at < bytes.len() && part(bytes[at]) {
                        at += 1;
                    }
                    let word = &line[from..at];
                    match word.bytes().all(|b| b.is_ascii_digit()) {
                        true => Token::Number(word.parse().map_err(|_| {
                            c.error(&c.at(from, at), format!("{word} does not fit 64 bits"))
                        })?),
                        false => Token::Word(word.to_owned()),
                    }
                }
                b @ (b',' | b'(' | b')' | b'+' | b'-' | b'*' | b':' | b'?') => {
                    at += 1;
                    Token::Sign(char::from(b))
                }
                _ => {
                    let sign = line[from..].chars().next().unwrap_or('?');
                    let place = c.at(from, from + sign.len_utf8());
                    return Err(c.error(
                        &place,
                        format!("'{}' means nothing in a plan", sign.escape_default()),
                    ));
                }
            };
            c.tokens.push((token, from, at));
        }
        Ok(c)
    }

    fn at(&self, from: usize, to: usize) -> Place {
        let column = if self.start.column == 0 { 0 } else { self.start.column + from as u32 };
        Place { column, length: (to - from).max(1) as u32, ..self.start.clone() }
    }

    /// Where the next token stands.
    pub fn place(&self) -> Place {
        match self.tokens.get(self.next) {
            Some(&(_, from, to)) => self.at(from, to),
            None => {
                let end = self.tokens.last().map_or(0, |&(_, _, to)| to);
                self.at(end, end + 1)
            }
        }
    }

    /// Where all that the line says stands.
    pub fn whole(&self) -> Place {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(&(_, from, _)), Some(&(_, _, to))) => self.at(from, to),
            _ => self.at(0, self.line.len()),
        }
    }

    /// An error in the text.
    pub fn error(&self, at: &Place, text: impl Into<String>) -> Diagnostic {
        Diagnostic::error(text).code(codes::PLAN_TEXT).at(at.clone())
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.tokens.get(self.next) {
            Some(&(_, from, to)) => format!("'{}'", &self.line[from..to]),
            None => "the end of the line".to_owned(),
        };
        self.error(&self.place(), format!("expected {what}, found {found}"))
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// Refuses what is left.
    pub fn done(&self) -> Result<(), Diagnostic> {
        if self.is_done() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// Takes a word if it comes next.
    pub fn eat(&mut self, word: &str) -> bool {
        let found =
            matches!(self.tokens.get(self.next), Some((Token::Word(next), ..)) if next == word);
        self.next += usize::from(found);
        found
    }

    /// Takes a sign if it comes next.
    pub fn eat_sign(&mut self, sign: char) -> bool {
        let found =
            matches!(self.tokens.get(self.next), Some((Token::Sign(next), ..)) if *next == sign);
        self.next += usize::from(found);
        found
    }

    /// A certain word.
    pub fn expect(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.eat(word) { Ok(()) } else { Err(self.expected(&format!("'{word}'"))) }
    }

    /// A certain sign.
    pub fn expect_sign(&mut self, sign: char) -> Result<(), Diagnostic> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.expected(&format!("'{sign}'"))) }
    }

    /// A name.
    pub fn name(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.tokens.get(self.next) {
            Some((Token::Word(name), ..)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A word as it stands, be it all digits.
    pub fn word(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.tokens.get(self.next) {
            Some(&(Token::Word(_) | Token::Number(_), from, to)) => {
                self.next += 1;
                Ok(self.line[from..to].to_owned())
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number.
    pub fn number(&mut self) -> Result<i64, Diagnostic> {
        let negative = self.eat_sign('-');
        match self.tokens.get(self.next) {
            Some(&(Token::Number(number), ..)) => {
                self.next += 1;
                Ok(if negative { -number } else { number })
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// A number from 1 to `most`.
    pub fn positive(&mut self, what: &str, most: i64) -> Result<i64, Diagnostic> {
        let at = self.place();
        match self.number()? {
            number if number < 1 => {
                Err(self.error(&at, format!("{what} is {number}, and 1 is the least")))
            }
            number if number > most => {
                Err(self.error(&at, format!("{what} is {number}, and {most} is the most")))
            }
            number => Ok(number),
        }
    }

    /// A number that variables may be multiplied by, so that no sum of them leaves 64 bits.
    fn factor(&mut self) -> Result<i64, Diagnostic> {
        let at = self.place();
        let most = i64::from(i32::MAX);
        match self.number()? {
            number if number.abs() <= most => Ok(number),
            number => Err(self.error(&at, format!("{number} is too large: {most} is the most"))),
        }
    }

    /// Names with commas between them.
    pub fn names(&mut self, what: &str) -> Result<Vec<String>, Diagnostic> {
        let mut names = vec![self.name(what)?];
        while self.eat_sign(',') {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn peek_word(&self) -> Option<&str> {
        match self.tokens.get(self.next) {
            Some((Token::Word(word), ..)) => Some(word),
            _ => None,
        }
    }
}

const LOOP: &str = "the name of a loop";
/// Sizes of tiles, at most: no device has memory for more.
const LARGEST_TILE: i64 = 1 << 12;
/// Blocks of a multiprocessor, at most.
const MOST_RESIDENT: i64 = 32;
/// Rounds of a loop in one, at most.
const MOST_ROUNDS: i64 = 256;
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

impl Form {
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
        let nest = c.name(LOOP)?;
        c.expect("as")?;
        let mut rows = Vec::new();
        loop {
            c.expect_sign('(')?;
            let mut row = Vec::new();
            while !c.eat_sign(')') {
                if !row.is_empty() {
                    c.expect_sign(',')?;
                }
                row.push(Form::parse(c)?);
            }
            rows.push(row);
            if !c.eat_sign(',') {
                return Ok(Order { nest, rows });
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} as", self.nest)?;
        for (i, row) in self.rows.iter().enumerate() {
            let forms: Vec<String> = row.iter().map(ToString::to_string).collect();
            write!(f, "{} ({})", if i > 0 { "," } else { "" }, forms.join(", "))?;
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
        c.expect("to")?;
        Ok(Distribute { nest, to: c.names(LOOP)? })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {} to {}", self.nest, self.to.join(", "))
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
        let mut tile = Tile { loops, threads: [down, across], wide: false, resident: 1, blocks: 0 };
        while c.eat_sign(',') {
            if c.eat("wide") {
                tile.wide = true;
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
        if self.resident != 1 {
            write!(f, ", resident {}", self.resident)?;
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
            ("resident", &mut self.resident),
            ("blocks", &mut self.blocks),
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
                    c.next += 1;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each step, and of each way to write it.
    const STEPS: &str = "\
gpuc plan 1
kernel f:4.2 nest 00ff00ff00ff00ff target sm_90
  privatize sum over i, j
  order i as (0, j@7, 2*i + j - 3), (1, -i), ()
  permute i, j to j, i
  distribute i to i, i.2
  fuse i, i.2 to i
  skew j by -2 along i
  skew j by 1 along i, wavefront
  parallel i, @12
  collapse j, i
  launches
  launches t, @9
  promote C in l
  tile i by 128, j by 64, l by 16, threads 8 by 4
  tile i by 64, j by 64, l by 8, threads 4 by 4, wide, resident 2, where 132 blocks
  map i j to block.x thread.x by 128 strided, k to sequential
  map t to block.y by 4 thread.y by ? blocked, u to lane by 32
  unroll l by 4
";

    #[test]
    fn every_step_is_printed_as_it_is_read() {
        let plans = parse(STEPS, "p").unwrap();
        assert_eq!(header() + &plans[0].to_string(), STEPS);
        for word in WORDS {
            assert!(plans[0].steps.iter().any(|placed| placed.step.word() == *word), "{word}");
        }
    }

    #[test]
    fn numbers_may_be_changed_apart_from_names() {
        let mut plan = parse(STEPS, "p").unwrap().remove(0);
        let names: Vec<String> = plan.steps.iter().map(|p| p.step.word().to_owned()).collect();
        for (_, number) in plan.steps.iter_mut().flat_map(|placed| placed.step.numbers()) {
            *number += 1;
        }
        let text = header() + &plan.to_string();
        assert!(text.contains("tile i by 129, j by 65, l by 17, threads 9 by 5"), "{text}");
        let again = parse(&text, "p").unwrap().remove(0);
        let kept: Vec<String> = again.steps.iter().map(|p| p.step.word().to_owned()).collect();
        assert_eq!(names, kept);
        assert_eq!(again.to_string(), plan.to_string());
    }

    #[test]
    fn no_text_is_too_odd_to_be_refused() {
        // Every prefix of a plan, and every one with a sign in its place, is read or refused.
        for end in (0..STEPS.len()).filter(|&end| STEPS.is_char_boundary(end)) {
            let _ = parse(&STEPS[..end], "p");
            for odd in ["(", "*", "-", "\u{e9}", "\u{0}", "99999999999999999999", "@", "."] {
                let _ = parse(&format!("{}{odd}{}", &STEPS[..end], &STEPS[end..]), "p");
            }
        }
    }
}
