//! One instruction.

use gpuc_dialects::ptx::kinds::VoteMode;
use gpuc_dialects::ptx::{self, ConstOp, ShflOp, VoteOp};
use gpuc_ir::{Op, Value};

use super::function::FunctionPrinter;
use super::registers::{Class, number};

impl FunctionPrinter<'_> {
    /// An operation that is no branch, without semicolon; `None` where there is nothing to write.
    pub fn instruction(&self, op: Op) -> Option<String> {
        let ir = self.ir;
        let name = ir.name(op).strip_prefix("ptx.")?;
        let operand = |index| self.name(ir.operand(op, index));
        let result = |index| self.name(ir.result(op, index));
        let operands = || -> String {
            let names: Vec<String> = ir.operands(op).map(|value| self.name(value)).collect();
            names.join(", ")
        };
        Some(match name {
            "const" => {
                let class = Class::of(ir, ir.ty(ir.result(op, 0)));
                if class != Class::Predicate {
                    return None;
                }
                format!("mov.pred {}, {}", result(0), number(ir, ConstOp(op))?)
            }
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "min" | "max" | "neg"
            | "abs" | "sqrt" | "rcp" | "copysign" | "and" | "or" | "xor" | "not" | "shl"
            | "shr" | "popc" | "clz" | "brev" | "setp" | "selp" => {
                format!("{name}{} {}, {}", self.modifiers(op), result(0), operands())
            }
            "approx" => {
                let function = self.keyword(op, "function");
                format!("{function}.approx{} {}, {}", self.modifiers(op), result(0), operands())
            }
            "cvt" => {
                let (to, from) = (self.keyword(op, "to"), self.keyword(op, "from"));
                format!("cvt{}.{to}.{from} {}, {}", self.modifiers(op), result(0), operand(0))
            }
            "bitcast" => {
                let width = ptx::register_width(ir, ir.ty(ir.result(op, 0)));
                format!("mov.b{width} {}, {}", result(0), operand(0))
            }
            "unpack" => {
                let width = ptx::register_width(ir, ir.ty(ir.operand(op, 0)));
                format!("mov.b{width} {{{}, {}}}, {}", result(0), result(1), operand(0))
            }
            "pack" => {
                let width = ptx::register_width(ir, ir.ty(ir.result(op, 0)));
                format!("mov.b{width} {}, {{{}}}", result(0), operands())
            }
            "ld_param" => {
                let name = ir.attr(op, "name").and_then(|attr| ir.ctx.string_value(attr))?;
                format!("ld.param{} {}, [{name}]", self.modifiers(op), result(0))
            }
            "ld" => {
                let results: Vec<Value> = ir.results(op).to_vec();
                let (vector, values) = self.list(&results);
                let (space, ty) = (self.space(op), self.keyword(op, "ty"));
                let strength = self.flag(op, "volatile_", ".volatile");
                let acquire = self.flag(op, "acquire", ".acquire.gpu");
                let flags = format!("{strength}{acquire}{space}");
                let nc = self.flag(op, "nc", ".nc");
                format!(
                    "ld{flags}{nc}{}{vector}.{ty} {values}, {}",
                    self.cache(op),
                    self.address(op)
                )
            }
            "st" => {
                let stored: Vec<Value> = ir.operands(op).skip(1).collect();
                let (vector, values) = self.list(&stored);
                let (space, ty) = (self.space(op), self.keyword(op, "ty"));
                let flags = format!("{}{}", self.flag(op, "volatile_", ".volatile"), space);
                format!("st{flags}{}{vector}.{ty} {}, {values}", self.cache(op), self.address(op))
            }
            "atom" => {
                let (kind, ty) = (self.keyword(op, "kind"), self.keyword(op, "ty"));
                let (space, address) = (self.space(op), self.address(op));
                let release = self.flag(op, "release", ".release.gpu");
                format!("atom{release}{space}.{kind}.{ty} {}, {address}, {}", result(0), operand(1))
            }
            "red" => {
                let (kind, ty) = (self.keyword(op, "kind"), self.keyword(op, "ty"));
                format!("red{}.{kind}.{ty} {}, {}", self.space(op), self.address(op), operand(1))
            }
            "atom_cas" => {
                let (space, ty, address) =
                    (self.space(op), self.keyword(op, "ty"), self.address(op));
                let (compare, value) = (operand(1), operand(2));
                format!("atom{space}.cas.{ty} {}, {address}, {compare}, {value}", result(0))
            }
            "cvta" => {
                let (to, space) = (self.flag(op, "to", ".to"), self.space(op));
                format!("cvta{to}{space}.u64 {}, {}", result(0), operand(0))
            }
            "address_of" => {
                let width = ptx::register_width(ir, ir.ty(ir.result(op, 0)));
                let symbol = ir.attr(op, "variable").and_then(|attr| ir.ctx.symbol_root(attr))?;
                format!("mov.u{width} {}, {}", result(0), ir.ctx.str(symbol))
            }
            "local" => format!("mov.u64 {}, {}", result(0), self.local_name(ir.result(op, 0))),
            "special" => format!("mov.u32 {}, %{}", result(0), self.keyword(op, "register")),
            "timer" => format!("mov.u64 {}, %globaltimer", result(0)),
            "shfl" => {
                let this = ShflOp(op);
                let targets = match ir.is_unused(this.valid(ir)) {
                    true => result(0),
                    false => format!("{}|{}", result(0), result(1)),
                };
                format!("shfl.sync.{}.b32 {targets}, {}", self.keyword(op, "mode"), operands())
            }
            "vote" => {
                let mode = VoteOp(op).mode(ir).and_then(|attr| VoteMode::of(&ir.ctx, attr))?;
                let ty = if mode == VoteMode::Ballot { "b32" } else { "pred" };
                format!("vote.sync.{}.{ty} {}, {}", mode.keyword(), result(0), operands())
            }
            "activemask" => format!("activemask.b32 {}", result(0)),
            "pragma" => {
                let text = ir.attr(op, "text").and_then(|attr| ir.ctx.string_value(attr))?;
                format!(".pragma {text:?}")
            }
            "bar_sync" => "bar.sync 0".to_owned(),
            "bar_warp_sync" => format!("bar.warp.sync {}", operand(0)),
            "cp_async" => {
                let number = |attr| ir.attr(op, attr).and_then(|attr| ir.ctx.i64_value(attr));
                let bytes = number("bytes")?;
                let cache = if bytes == 16 { "cg" } else { "ca" };
                let from = place(&operand(1), number("from_offset"));
                format!("cp.async.{cache}.shared.global {}, {from}, {bytes}", self.address(op))
            }
            "cp_async_commit" => "cp.async.commit_group".to_owned(),
            "cp_async_wait" => {
                let groups = ir.attr(op, "groups").and_then(|attr| ir.ctx.i64_value(attr))?;
                format!("cp.async.wait_group {groups}")
            }
            "membar" => format!("membar.{}", self.keyword(op, "scope")),
            "trap" | "ret" => name.to_owned(),
            _ => return None,
        })
    }

    fn name(&self, value: Value) -> String {
        self.registers.operand(self.ir, value)
    }

    /// The keyword that an enumeration attribute says: the last word between its angle brackets.
    fn keyword(&self, op: Op, attr: &str) -> &str {
        let text = self.ir.attr(op, attr).and_then(|attr| self.ir.ctx.dialect_attr_text(attr));
        text.and_then(|(_, text)| text.strip_suffix('>'))
            .and_then(|text| text.rsplit([' ', '<']).next())
            .unwrap_or_default()
    }

    /// Comparison, part, rounding, flags and type of an arithmetic instruction, in PTX's order.
    fn modifiers(&self, op: Op) -> String {
        let mut text = String::new();
        for attr in ["cmp", "part", "rounding"] {
            if self.ir.attr(op, attr).is_some() {
                text.push('.');
                text.push_str(self.keyword(op, attr));
            }
        }
        text.push_str(self.flag(op, "ftz", ".ftz"));
        text.push_str(self.flag(op, "sat", ".sat"));
        if self.ir.attr(op, "ty").is_some() {
            text.push('.');
            text.push_str(self.keyword(op, "ty"));
        }
        text
    }

    fn flag(&self, op: Op, attr: &str, text: &'static str) -> &'static str {
        if self.ir.attr(op, attr).is_some() { text } else { "" }
    }

    fn space(&self, op: Op) -> String {
        match self.keyword(op, "space") {
            "generic" => String::new(),
            space => format!(".{space}"),
        }
    }

    fn cache(&self, op: Op) -> String {
        let cache = self.ir.attr(op, "cache").and_then(|attr| self.ir.ctx.string_value(attr));
        cache.map_or_else(String::new, |cache| format!(".{cache}"))
    }

    fn address(&self, op: Op) -> String {
        let base = self.name(self.ir.operand(op, 0));
        let offset = self.ir.attr(op, "offset").and_then(|attr| self.ir.ctx.i64_value(attr));
        place(&base, offset)
    }

    /// Values of an access: `.v2` and `{a, b}`, or one alone.
    fn list(&self, values: &[Value]) -> (String, String) {
        let names: Vec<String> = values.iter().map(|&value| self.name(value)).collect();
        match names.len() {
            1 => (String::new(), names[0].clone()),
            n => (format!(".v{n}"), format!("{{{}}}", names.join(", "))),
        }
    }
}

/// An address of an access.
fn place(base: &str, offset: Option<i64>) -> String {
    match offset {
        None | Some(0) => format!("[{base}]"),
        Some(offset) => format!("[{base}+{offset}]"),
    }
}
