//! Operands: names to rows, literals to constants, with the checks of the signature.

use crate::isa::{Matched, Type};
use crate::program::{PRED_CLUSTER, PRED_SINK, PRED_TRUE, Special, pred_source};
use crate::syntax::{Instruction, Name, Operand, OperandKind, Span};

use super::scope::Symbol;
use super::{Lowering, Operands, Refusal};

/// Where an address operand points.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub(crate) row: u32,
    pub(crate) offset: i64,
    /// The row has 32-bit lanes.
    pub(crate) narrow: bool,
    /// The variable it names, if it names one.
    pub(crate) symbol: Option<Symbol>,
}

/// The operands that an instruction takes, with their types.
pub(super) struct Signature {
    text: &'static str,
    items: Vec<Item>,
}

struct Item {
    optional: bool,
    is_destination: bool,
    /// A register may be wider than the type.
    relaxed: bool,
    /// `None` for an integer constant.
    ty: Option<Type>,
}

impl Signature {
    /// A signature in the words of [`crate::isa::Form`], with the types of the modifiers.
    pub(super) fn new(text: &'static str, matched: &Matched) -> Signature {
        let item = |word: &str| {
            let optional = word.ends_with('?');
            let word = word.trim_end_matches('?');
            let (is_destination, word) =
                word.strip_prefix('=').map_or((false, word), |rest| (true, rest));
            let ty = match word.trim_end_matches('>') {
                "T" => Some(matched.ty()),
                "S" => Some(matched.type_of("from")),
                "W" => Some(matched.ty().widened()),
                "p" | "p|q" => Some(Type::Pred),
                "imm" => None,
                name => Some(Type::by_name(name).unwrap_or(Type::B32)),
            };
            Item { optional, is_destination, relaxed: word.ends_with('>'), ty }
        };
        Signature { text, items: text.split_whitespace().map(item).collect() }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

impl Lowering<'_, '_> {
    /// Resolves the operands of an instruction after a signature in the table's words.
    pub(crate) fn operands(
        &mut self,
        instruction: &Instruction<'_>,
        signature: &'static str,
        matched: &Matched,
    ) -> Result<Operands, Refusal> {
        self.operands_of(instruction, &Signature::new(signature, matched))
    }

    /// Resolves the operands of an instruction after a signature.
    pub(super) fn operands_of(
        &mut self,
        instruction: &Instruction<'_>,
        signature: &Signature,
    ) -> Result<Operands, Refusal> {
        let mut out = Operands::default();
        let mut sources = 0;
        let mut given = instruction.operands.iter();
        for item in &signature.items {
            let Some(operand) = given.next() else {
                if item.optional {
                    continue;
                }
                return Err(self.operand_count(instruction, signature.text));
            };
            let relaxed = item.relaxed;
            let Some(ty) = item.ty else {
                out.imm = self.integer_literal(operand)? as i64;
                continue;
            };
            match (item.is_destination, ty) {
                (true, Type::Pred) => {
                    out.dst = self.predicate_destination(operand)?;
                }
                (true, _) => out.dst = self.destination(operand, ty, relaxed)?,
                (false, _) if sources == out.src.len() => {
                    return Err(self.operand_count(instruction, signature.text));
                }
                (false, Type::Pred) => {
                    out.src[sources] = self.predicate_source(operand)?;
                    sources += 1;
                }
                (false, _) => {
                    out.src[sources] = self.source_row(operand, ty, relaxed)?;
                    sources += 1;
                }
            }
        }
        if given.next().is_some() {
            return Err(self.operand_count(instruction, signature.text));
        }
        Ok(out)
    }

    pub(crate) fn operand_count(&self, instruction: &Instruction<'_>, signature: &str) -> Refusal {
        let wanted: Vec<_> = signature.split_whitespace().collect();
        let needed = wanted.iter().filter(|item| !item.ends_with('?')).count();
        let range = if needed == wanted.len() {
            needed.to_string()
        } else {
            format!("{needed} to {}", wanted.len())
        };
        self.error(
            instruction.span,
            format!(
                "`{}` takes {range} operands, found {}",
                instruction.opcode.text,
                instruction.operands.len()
            ),
        )
    }

    /// The operand at a place, or an error about their number.
    pub(crate) fn nth<'i, 'x>(
        &self,
        instruction: &'i Instruction<'x>,
        n: usize,
    ) -> Result<&'i Operand<'x>, Refusal> {
        instruction.operands.get(n).ok_or_else(|| {
            self.error(
                instruction.span,
                format!(
                    "`{}` has too few operands: {}",
                    instruction.opcode.text,
                    instruction.operands.len()
                ),
            )
        })
    }

    /// Refuses operands from `count` on.
    pub(crate) fn at_most(
        &self,
        instruction: &Instruction<'_>,
        count: usize,
    ) -> Result<(), Refusal> {
        match instruction.operands.get(count) {
            None => Ok(()),
            Some(operand) => {
                let message =
                    format!("`{}` takes at most {count} operands", instruction.opcode.text);
                Err(self.error(operand.span, message))
            }
        }
    }

    /// A predicate register by name, as a source.
    pub(crate) fn predicate(&mut self, name: Name<'_>, negated: bool) -> Result<u32, Refusal> {
        match self.find(name.text) {
            Some(Symbol::Register { ty: Type::Pred, row }) => Ok(pred_source(row, negated)),
            Some(_) => Err(self.error(name.span, format!("`{}` is not a predicate", name.text))),
            None if name.text == "%is_explicit_cluster" => Ok(pred_source(PRED_CLUSTER, negated)),
            None => Err(self.unknown("predicate", name)),
        }
    }

    pub(crate) fn predicate_source(&mut self, operand: &Operand<'_>) -> Result<u32, Refusal> {
        let span = operand.span;
        match &operand.kind {
            OperandKind::Name(text) => self.predicate(Name { text, span }, false),
            OperandKind::Not(text) => self.predicate(Name { text, span }, true),
            OperandKind::Int(value) => Ok(pred_source(PRED_TRUE, *value == 0)),
            _ => Err(self.error(span, "expected a predicate")),
        }
    }

    /// The number of a predicate to be written.
    pub(crate) fn predicate_destination(&mut self, operand: &Operand<'_>) -> Result<u32, Refusal> {
        match &operand.kind {
            OperandKind::Sink => Ok(PRED_SINK),
            OperandKind::Name(text) => {
                Ok(self.predicate(Name { text, span: operand.span }, false)? >> 1)
            }
            _ => Err(self.error(operand.span, "expected a predicate register")),
        }
    }

    fn check_width(
        &self,
        name: &str,
        span: Span,
        has: Type,
        needs: Type,
        relaxed: bool,
    ) -> Result<(), Refusal> {
        let fits = if relaxed { has.bits() >= needs.bits() } else { has.bits() == needs.bits() };
        if fits && (has == Type::Pred) == (needs == Type::Pred) {
            return Ok(());
        }
        Err(self
            .error(span, format!("register `{name}` is {has}, which does not fit {needs} here")))
    }

    /// The type and row of a register.
    pub(crate) fn register(&mut self, operand: &Operand<'_>) -> Result<(Type, u32), Refusal> {
        let span = operand.span;
        let OperandKind::Name(text) = operand.kind else {
            return Err(self.error(span, "expected a register"));
        };
        match self.find(text) {
            Some(Symbol::Register { ty, row }) => Ok((ty, row)),
            Some(_) => Err(self.error(span, format!("`{text}` is not a register"))),
            None => Err(self.unknown("register", Name { text, span })),
        }
    }

    /// The row of a register to be written. A sink gets a row of its own that nobody reads.
    pub(crate) fn destination(
        &mut self,
        operand: &Operand<'_>,
        ty: Type,
        relaxed: bool,
    ) -> Result<u32, Refusal> {
        if let OperandKind::Sink = operand.kind {
            let row = self.code.rows;
            self.code.rows += 2;
            return Ok(row);
        }
        let (has, row) = self.register(operand)?;
        let name = if let OperandKind::Name(text) = operand.kind { text } else { "" };
        self.check_width(name, operand.span, has, ty, relaxed)?;
        Ok(row)
    }

    pub(crate) fn integer_literal(&self, operand: &Operand<'_>) -> Result<u64, Refusal> {
        match operand.kind {
            OperandKind::Int(value) => Ok(value),
            _ => Err(self.error(operand.span, "expected an integer constant")),
        }
    }

    /// The row of a source operand read as `ty`: its lanes have 64 bits if `ty` has more than 32, or
    /// if `relaxed` and the register is wider.
    pub(crate) fn source_row(
        &mut self,
        operand: &Operand<'_>,
        ty: Type,
        relaxed: bool,
    ) -> Result<u32, Refusal> {
        let span = operand.span;
        let wide = ty.bits() > 32;
        let mask = if ty.bits() >= 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
        match &operand.kind {
            OperandKind::Name(text) => {
                if let Some(symbol) = self.find(text) {
                    return match symbol {
                        Symbol::Register { ty: has, row } => {
                            self.check_width(text, span, has, ty, relaxed)?;
                            Ok(row)
                        }
                        symbol => self.address_value(symbol, 0, ty, text, span),
                    };
                }
                self.special_register(text, "", ty, span)
            }
            OperandKind::Offset(text, offset) => match self.find(text) {
                Some(symbol) => self.address_value(symbol, *offset, ty, text, span),
                None => Err(self.unknown("variable", Name { text, span })),
            },
            OperandKind::Member(text, member) => self.special_register(text, member, ty, span),
            OperandKind::Int(value) => {
                if matches!(ty, Type::F32 | Type::F64) {
                    return Err(
                        self.error(span, format!("an integer constant where {ty} is needed"))
                    );
                }
                Ok(self.constant(value & mask, wide))
            }
            OperandKind::F32(bits) => Ok(match ty {
                Type::F64 => self.constant(f64::from(f32::from_bits(*bits)).to_bits(), true),
                _ => self.constant(u64::from(*bits) & mask, wide),
            }),
            OperandKind::F64(bits) => {
                match ty {
                    Type::F32 => {
                        let value = f64::from_bits(*bits) as f32;
                        Ok(self.constant(u64::from(value.to_bits()), false))
                    }
                    _ if ty.bits() == 64 => Ok(self.constant(*bits, true)),
                    _ => Err(self
                        .error(span, format!("a double-precision constant where {ty} is needed"))),
                }
            }
            _ => Err(self.error(span, "expected a register or a constant")),
        }
    }

    /// The address of a variable as a value.
    fn address_value(
        &mut self,
        symbol: Symbol,
        offset: i64,
        ty: Type,
        name: &str,
        span: Span,
    ) -> Result<u32, Refusal> {
        let refuse = |this: &Self| {
            Err(this.error(span, format!("the address of `{name}` does not fit {ty}")))
        };
        match (ty.bits(), symbol) {
            (64, _) => match self.symbol_address(symbol, offset) {
                Some(row) => Ok(row),
                None => Err(self.error(span, format!("`{name}` has no address"))),
            },
            // Addresses in these spaces fit 32 bits.
            (32, Symbol::Shared(_)) => Ok(self.variable_address(symbol, offset, false)),
            (32, Symbol::Local(_)) if !self.in_device_function() => {
                Ok(self.variable_address(symbol, offset, false))
            }
            (32, Symbol::DynamicShared | Symbol::Local(_)) => {
                // The row is filled with 64-bit lanes, so it is narrowed at run time.
                let Some(wide) = self.symbol_address(symbol, offset) else { return refuse(self) };
                let row = self.code.rows;
                self.code.rows += 1;
                let convert = crate::program::Convert {
                    from: Type::U64,
                    to: Type::U32,
                    rounding: crate::program::Rounding::Zero,
                    integral: false,
                    ftz: false,
                    sat: false,
                    relu: false,
                    wide: [true, false],
                };
                let guard = std::mem::replace(&mut self.guard, pred_source(PRED_TRUE, false));
                let operands = Operands { dst: row, src: [wide, 0, 0, 0], ..Operands::default() };
                self.emit(crate::program::Op::Convert(convert), operands);
                self.guard = guard;
                Ok(row)
            }
            _ => refuse(self),
        }
    }

    fn special_register(
        &mut self,
        name: &str,
        member: &str,
        ty: Type,
        span: Span,
    ) -> Result<u32, Refusal> {
        let axis = match member {
            "x" => Some(0),
            "y" => Some(1),
            "z" => Some(2),
            _ => None,
        };
        let special = match (name, axis) {
            ("%tid", Some(axis)) => Special::Tid(axis),
            ("%ntid", Some(axis)) => Special::Ntid(axis),
            ("%ctaid", Some(axis)) => Special::Ctaid(axis),
            ("%nctaid", Some(axis)) => Special::Nctaid(axis),
            ("%laneid", None) => Special::LaneId,
            ("%warpid", None) => Special::WarpId,
            ("%nwarpid", None) => Special::NumWarps,
            ("%lanemask_eq", None) => Special::LaneMaskEq,
            ("%lanemask_le", None) => Special::LaneMaskLe,
            ("%lanemask_lt", None) => Special::LaneMaskLt,
            ("%lanemask_ge", None) => Special::LaneMaskGe,
            ("%lanemask_gt", None) => Special::LaneMaskGt,
            ("%total_smem_size" | "%aggr_smem_size", None) => Special::TotalSharedSize,
            ("%dynamic_smem_size", None) => Special::DynamicSharedSize,
            ("%smid", None) => Special::SmId,
            ("%nsmid", None) => Special::NumSm,
            ("%gridid", None) if ty.bits() == 64 => return Ok(self.constant(0, true)),
            ("%current_graph_exec", None) => return Ok(self.constant(0, ty.bits() > 32)),
            ("%clusterid", Some(axis)) => Special::ClusterId(axis),
            ("%nclusterid", Some(axis)) => Special::NumClusters(axis),
            ("%cluster_ctaid", Some(axis)) => Special::ClusterBlock(axis),
            ("%cluster_nctaid", Some(axis)) => Special::ClusterExtent(axis),
            ("%cluster_ctarank", None) => Special::ClusterRank,
            ("%cluster_nctarank", None) => Special::ClusterSize,
            ("%gridid", None) => Special::Zero,
            // Where blocks meet (`cooperative_groups::grid_group`): the registers of the upper and the
            // lower word are nvcc's choice.
            ("%envreg1" | "%envreg2", None) => {
                self.code.uses_workspace = true;
                Special::Workspace(u8::from(name == "%envreg1"))
            }
            // No shared memory is kept back by the system.
            (
                "%reserved_smem_offset_begin"
                | "%reserved_smem_offset_end"
                | "%reserved_smem_offset_cap",
                None,
            ) => Special::Zero,
            (name, None)
                if name.strip_prefix("%reserved_smem_offset_").is_some_and(is_number)
                    || name.strip_prefix("%envreg").is_some_and(is_number) =>
            {
                Special::Zero
            }
            _ => {
                let full =
                    if member.is_empty() { name.to_string() } else { format!("{name}.{member}") };
                let known = [
                    "%tid",
                    "%ntid",
                    "%ctaid",
                    "%nctaid",
                    "%laneid",
                    "%warpid",
                    "%nwarpid",
                    "%lanemask_eq",
                    "%lanemask_le",
                    "%lanemask_lt",
                    "%lanemask_ge",
                    "%lanemask_gt",
                    "%total_smem_size",
                    "%dynamic_smem_size",
                    "%smid",
                    "%nsmid",
                    "%gridid",
                    "%clusterid",
                    "%nclusterid",
                    "%cluster_ctaid",
                    "%cluster_nctaid",
                    "%cluster_ctarank",
                    "%cluster_nctarank",
                    "%clock",
                    "%clock_hi",
                    "%clock64",
                    "%globaltimer",
                ];
                if name.starts_with('%') && known.contains(&name) {
                    return Err(
                        self.error(span, format!("special register `{full}` cannot be used here"))
                    );
                }
                let mut error = self.unknown("register or variable", Name { text: &full, span });
                if error.help.is_empty()
                    && let Some(near) = gpuc_diagnostics::did_you_mean(name, known)
                {
                    error.help.push(format!("did you mean `{near}`?"));
                }
                return Err(error);
            }
        };
        if ty.bits() > 32 {
            return Err(
                self.error(span, format!("special register `{name}` is 32 bits wide, not {ty}"))
            );
        }
        Ok(self.special(special))
    }

    /// An address operand `[base+offset]`.
    pub(crate) fn address(&mut self, operand: &Operand<'_>) -> Result<Address, Refusal> {
        let span = operand.span;
        let OperandKind::Address(base, offset) = operand.kind else {
            return Err(self.error(span, "expected an address in brackets"));
        };
        let Some(text) = base else {
            let row = self.constant(0, true);
            return Ok(Address { row, offset, narrow: false, symbol: None });
        };
        match self.find(text) {
            Some(Symbol::Register { ty, row }) => match ty.bits() {
                64 => Ok(Address { row, offset, narrow: false, symbol: None }),
                32 => Ok(Address { row, offset, narrow: true, symbol: None }),
                _ => {
                    Err(self
                        .error(span, format!("register `{text}` is {ty}, which is not an address")))
                }
            },
            Some(symbol) => match self.symbol_base(symbol) {
                Some((row, inner)) => Ok(Address {
                    row,
                    offset: offset.wrapping_add(inner),
                    narrow: false,
                    symbol: Some(symbol),
                }),
                None => Err(self.error(span, format!("`{text}` has no address"))),
            },
            None => Err(self.unknown("register or variable", Name { text, span })),
        }
    }
}
