//! What a plan belongs to: a construct of the source, as its nest stands when the plan begins, and a target.

use std::fmt;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{PLAN_ATTR, PLAN_GIVEN_ATTR, PLAN_HEAD_ATTR, SHARE_ATTR, SITE_ATTR};
use gpuc_ir::{AttrKind, Ir, Op};

use super::cursor::Cursor;

/// The key of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The function that the construct stands in.
    pub function: String,
    /// The line of the construct.
    pub line: u32,
    /// Which it is of several in that line, from 1.
    pub number: u32,
    /// Hash of the nest's text.
    pub nest: u64,
    /// The target's name.
    pub target: String,
}

impl Key {
    /// The key of a construct's function as it stands. A function that no source stands behind has its own
    /// name and line.
    pub fn of(ir: &mut Ir, func: Op, target: &str) -> Key {
        let site = ir.attr(func, SITE_ATTR).and_then(|attr| match *ir.ctx.attr_kind(attr) {
            AttrKind::Dict(site) => Some(site),
            _ => None,
        });
        let entry = |name: &str| ir.ctx.dict_get_str(site?, name);
        let symbol = ir.symbol_name(func).unwrap_or_default().to_owned();
        let function = entry("function").and_then(|attr| ir.ctx.string_value(attr));
        let function = function.unwrap_or(&symbol).to_owned();
        let line = entry("line").and_then(|attr| ir.ctx.int_value(attr));
        let line = line.and_then(|line| u32::try_from(line).ok());
        let own = || ir.ctx.place(ir.location(func)).map_or(0, |place| place.line);
        let line = line.unwrap_or_else(own);
        let number = symbol.rsplit_once(&format!("_L{line}_")).and_then(|(_, n)| n.parse().ok());
        let nest = hash(&text(ir, func));
        Key { function, line, number: number.unwrap_or(1), nest, target: target.to_owned() }
    }

    /// The construct, as plans name it.
    pub fn kernel(&self) -> String {
        match self.number {
            1 => format!("{}:{}", self.function, self.line),
            number => format!("{}:{}.{number}", self.function, self.line),
        }
    }

    /// Whether both are of the same construct.
    pub fn is_of_same(&self, other: &Key) -> bool {
        self.kernel() == other.kernel()
    }

    pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Key, Diagnostic> {
        let function = c.name("the name of a function")?;
        c.expect_sign(':')?;
        let at = c.place();
        let site = c.word("the line of a construct")?;
        let (line, number) = site.split_once('.').unwrap_or((&site, "1"));
        let (Ok(line), Ok(number)) = (line.parse(), number.parse()) else {
            return Err(c.error(&at, format!("'{site}' is no line of a construct")));
        };
        c.expect("nest")?;
        let at = c.place();
        let nest = c.word("the hash of the nest")?;
        let nest = u64::from_str_radix(&nest, 16).map_err(|_| {
            c.error(&at, format!("'{nest}' is no hash: it has 16 hexadecimal digits"))
        })?;
        c.expect("target")?;
        let target = c.word("the name of a target")?;
        Ok(Key { function, line, number, nest, target })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} nest {:016x} target {}", self.kernel(), self.nest, self.target)
    }
}

/// The text of a construct's function without where it stands: moved in the source it is the same nest.
fn text(ir: &mut Ir, func: Op) -> String {
    let attrs = ir.attrs(func);
    for name in [SITE_ATTR, PLAN_ATTR, PLAN_GIVEN_ATTR, PLAN_HEAD_ATTR, SHARE_ATTR] {
        ir.remove_attr(func, name);
    }
    let name = ir.ctx.string_attr("nest");
    ir.set_attr(func, "sym_name", name);
    let text = ir.to_text(func);
    ir.set_attrs(func, attrs);
    text
}

/// FNV-1a, 64 bits: the same on every machine and in every version.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
