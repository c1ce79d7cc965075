//! Reading by a format.

use smallvec::SmallVec;

use super::{Clause, Element, ElementKind, Format, TypeOf, infer};
use crate::attrs::Attr;
use crate::graph::{Block, OpState, Region};
use crate::op::{Arity, AttrSyntax, EnumSpec, EnumStorage, OpDef, RegionKind};
use crate::text::ParseResult;
use crate::text::parser::{Delimiter, OpParser, Position, Unresolved};
use crate::types::Type;

/// What has been read of an operation so far. Each entry carries the number of its group, so that
/// the text may name the groups in any order.
#[derive(Debug, Default)]
pub(in crate::text) struct Frame {
    pub def: Option<&'static OpDef>,
    pub operands: SmallVec<[(u8, Unresolved); 4]>,
    pub operand_types: SmallVec<[(u8, Type); 4]>,
    pub result_types: SmallVec<[(u8, Type); 2]>,
    /// Types of all operands at once, from `type(operands)`.
    pub all_operand_types: Option<SmallVec<[Type; 4]>>,
    /// Types of all results at once.
    pub all_result_types: Option<SmallVec<[Type; 2]>>,
    /// Groups whose types the text has given; bit for bit.
    pub typed_operands: u64,
    pub typed_results: u64,
    pub regions: SmallVec<[(u8, Region); 1]>,
    pub successors: SmallVec<[(u8, Block); 2]>,
    /// Arguments of the custom directive being read.
    pub arguments: &'static [Box<str>],
}

/// Reads an operation behind its name.
pub(in crate::text) fn read(
    p: &mut OpParser<'_, '_>,
    def: &'static OpDef,
    state: &mut OpState,
) -> ParseResult<()> {
    let start = p.name_position();
    let format = match def.compiled_format.get(def) {
        Ok(format) => format,
        Err(message) => {
            return p.error(start, format!("format of '{}' is invalid: {message}", def.name));
        }
    };
    let saved = std::mem::take(&mut p.frame);
    p.frame.def = Some(def);
    let result = Reader { def, format }.run(p, state);
    p.frame = saved;
    result
}

#[derive(Clone, Copy)]
struct Reader {
    def: &'static OpDef,
    format: &'static Format,
}

impl Reader {
    fn run(self, p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
        let end_of_name = p.here();
        self.elements(p, state, &self.format.elements)?;
        let frame = std::mem::take(&mut p.frame);
        infer::finish(p, self.def, frame, state, end_of_name)
    }

    fn elements(
        self,
        p: &mut OpParser<'_, '_>,
        state: &mut OpState,
        elements: &'static [Element],
    ) -> ParseResult<()> {
        for element in elements {
            self.element(p, state, element)?;
        }
        Ok(())
    }

    fn element(
        self,
        p: &mut OpParser<'_, '_>,
        state: &mut OpState,
        element: &'static Element,
    ) -> ParseResult<()> {
        match &element.kind {
            ElementKind::Literal(text) => p.expect(text)?,
            ElementKind::Blank(_) => {}
            &ElementKind::Operand(i) => self.operand(p, i)?,
            &ElementKind::Attr(i) => {
                let attr = self.attr(p, i)?;
                self.add_attr(p, state, i, attr);
            }
            &ElementKind::Unit(i) => {
                let attr = p.ir.ctx.unit_attr();
                self.add_attr(p, state, i, attr);
            }
            &ElementKind::Region(i) => self.region(p, i)?,
            &ElementKind::Successor(i) => self.successor(p, i)?,
            ElementKind::Operands => {
                // Without groups of their own: all operands are of the first group that takes many,
                // or one for each group.
                let operands = p.parse_operand_list(Delimiter::None)?;
                self.spread_operands(p, &operands)?;
            }
            ElementKind::Regions => {
                let mut next = 0;
                while p.at("{") {
                    let region = p.parse_region(&[])?;
                    let last = self.def.regions.len().saturating_sub(1);
                    p.frame.regions.push((next.min(last) as u8, region));
                    next += 1;
                    if !p.eat(",") {
                        break;
                    }
                }
            }
            ElementKind::Successors => {
                let mut next = 0;
                while let Some(block) = p.parse_optional_successor()? {
                    let last = self.def.successors.len().saturating_sub(1);
                    p.frame.successors.push((next.min(last) as u8, block));
                    next += 1;
                    if !p.eat(",") {
                        break;
                    }
                }
            }
            ElementKind::AttrDict { keyword: false } => p.parse_attr_dict(state)?,
            ElementKind::AttrDict { keyword: true } => {
                p.parse_optional_attr_dict_with_keyword(state)?;
            }
            ElementKind::PropDict => {
                if p.eat("<") {
                    p.parse_attr_dict(state)?;
                    p.expect(">")?;
                }
            }
            &ElementKind::Type(of) => {
                let types = self.types(p, of)?;
                give_types(p, of, &types);
            }
            &ElementKind::FunctionalType(inputs, results) => {
                let input_types = p.parse_paren_type_list()?;
                let result_types = p.parse_arrow_type_list()?;
                give_types(p, inputs, &input_types);
                give_types(p, results, &result_types);
            }
            ElementKind::Custom { directive, arguments } => {
                p.frame.arguments = arguments;
                (self.def.hooks.custom[*directive].parse)(p, state)?;
            }
            ElementKind::Group { then, otherwise, .. } => {
                if !self.group_begins(p, state, then)? {
                    self.elements(p, state, otherwise)?;
                }
            }
            ElementKind::AnyOrder(clauses) => self.any_order(p, state, clauses)?,
        }
        Ok(())
    }

    /// Reads an optional group if its first element is there.
    fn group_begins(
        self,
        p: &mut OpParser<'_, '_>,
        state: &mut OpState,
        then: &'static [Element],
    ) -> ParseResult<bool> {
        let blank = |element: &&Element| matches!(element.kind, ElementKind::Blank(_));
        let skipped = then.iter().take_while(blank).count();
        let [first, rest @ ..] = &then[skipped..] else { return Ok(false) };
        let present = match &first.kind {
            ElementKind::Literal(text) => p.at(text),
            ElementKind::Operand(_) | ElementKind::Operands => p.at_operand(),
            &ElementKind::Attr(i) => self.at_attr(p, i),
            ElementKind::Region(_) | ElementKind::Regions => p.at("{"),
            ElementKind::Successor(_) | ElementKind::Successors => p.at_successor(),
            ElementKind::Type(_) => p.at_type(),
            ElementKind::FunctionalType(..) => p.at("("),
            ElementKind::AttrDict { keyword: false } => p.at("{"),
            ElementKind::AttrDict { keyword: true } => p.at("attributes"),
            // A custom directive in this place reads nothing where it is absent.
            ElementKind::Custom { .. } => {
                let before = p.here();
                self.element(p, state, first)?;
                if p.here() == before {
                    return Ok(false);
                }
                self.elements(p, state, rest)?;
                return Ok(true);
            }
            _ => false,
        };
        if present {
            self.element(p, state, first)?;
            self.elements(p, state, rest)?;
        }
        Ok(present)
    }

    fn any_order(
        self,
        p: &mut OpParser<'_, '_>,
        state: &mut OpState,
        clauses: &'static [Clause],
    ) -> ParseResult<()> {
        let mut seen = vec![false; clauses.len()];
        while let Some(i) = clauses.iter().position(|clause| p.at(&clause.keyword)) {
            let (at, clause) = (p.here(), &clauses[i]);
            if std::mem::replace(&mut seen[i], true) {
                let message = format!(
                    "`{}` clause can appear at most once in the expansion of the oilist directive",
                    clause.keyword
                );
                return p.error(at, message);
            }
            p.eat(&clause.keyword);
            self.elements(p, state, &clause.elements)?;
        }
        Ok(())
    }

    fn operand(self, p: &mut OpParser<'_, '_>, i: usize) -> ParseResult<()> {
        match self.def.operands[i].arity {
            Arity::One => {
                let operand = p.parse_operand()?;
                p.frame.operands.push((i as u8, operand));
            }
            Arity::Optional => {
                if let Some(operand) = p.parse_optional_operand()? {
                    p.frame.operands.push((i as u8, operand));
                }
            }
            Arity::Variadic => {
                let operands = p.parse_operand_list(Delimiter::None)?;
                p.frame.operands.extend(operands.into_iter().map(|operand| (i as u8, operand)));
            }
        }
        Ok(())
    }

    /// Gives operands that were read as one list to the groups.
    fn spread_operands(self, p: &mut OpParser<'_, '_>, operands: &[Unresolved]) -> ParseResult<()> {
        let specs = self.def.operands;
        let singles = specs.iter().filter(|spec| spec.arity == Arity::One).count();
        let Some(mut extra) = operands.len().checked_sub(singles) else {
            let message =
                format!("expected at least {singles} operands, but got {}", operands.len());
            return p.error(p.here(), message);
        };
        let mut next = operands.iter();
        for (i, spec) in specs.iter().enumerate() {
            let count = match spec.arity {
                Arity::One => 1,
                Arity::Optional => extra.min(1),
                Arity::Variadic => extra,
            };
            if spec.arity != Arity::One {
                extra -= count;
            }
            p.frame.operands.extend(next.by_ref().take(count).map(|&operand| (i as u8, operand)));
        }
        if extra == 0 { Ok(()) } else { p.error(p.here(), "too many operands") }
    }

    fn region(self, p: &mut OpParser<'_, '_>, i: usize) -> ParseResult<()> {
        match self.def.regions[i].kind {
            RegionKind::Variadic => {
                while p.at("{") {
                    let region = p.parse_region(&[])?;
                    p.frame.regions.push((i as u8, region));
                    if !p.eat(",") {
                        break;
                    }
                }
            }
            kind => {
                // Only where it may be empty, a region may be left out.
                let optional = matches!(kind, RegionKind::Any | RegionKind::MaxOne);
                let region = if optional && !p.at("{") {
                    p.ir.create_region()
                } else {
                    p.parse_region(&[])?
                };
                if kind == RegionKind::SizedOne && p.ir.blocks(region).is_empty() {
                    let location = p.location();
                    p.ir.append_new_block(region, &[], location);
                }
                p.frame.regions.push((i as u8, region));
            }
        }
        Ok(())
    }

    fn successor(self, p: &mut OpParser<'_, '_>, i: usize) -> ParseResult<()> {
        if self.def.successors[i].arity == Arity::One {
            let block = p.parse_successor()?;
            p.frame.successors.push((i as u8, block));
            return Ok(());
        }
        while let Some(block) = p.parse_optional_successor()? {
            p.frame.successors.push((i as u8, block));
            if !p.eat(",") {
                break;
            }
        }
        Ok(())
    }

    /// The types that stand where `type(of)` does.
    fn types(self, p: &mut OpParser<'_, '_>, of: TypeOf) -> ParseResult<SmallVec<[Type; 4]>> {
        let arity = match of {
            TypeOf::Operand(i) => self.def.operands[i].arity,
            TypeOf::Result(i) => self.def.results[i].arity,
            TypeOf::Operands | TypeOf::Results => Arity::Variadic,
        };
        let mut types = SmallVec::new();
        match arity {
            Arity::One => types.push(p.parse_type()?),
            Arity::Optional => types.extend(p.parse_optional_type()?),
            Arity::Variadic => types.extend(p.parse_type_list()?),
        }
        Ok(types)
    }

    fn add_attr(self, p: &mut OpParser<'_, '_>, state: &mut OpState, i: usize, attr: Attr) {
        let name = p.ir.ctx.ident(self.def.attrs[i].name);
        state.attrs.push((name, attr));
    }

    fn attr(self, p: &mut OpParser<'_, '_>, i: usize) -> ParseResult<Attr> {
        match self.def.attrs[i].constraint.syntax {
            AttrSyntax::Full => p.parse_attr(),
            AttrSyntax::Reference => {
                let at = p.here();
                let attr = p.parse_attr()?;
                match (self.def.attrs[i].constraint.holds)(&p.ir.ctx, attr) {
                    true => Ok(attr),
                    false => p.error(at, "invalid kind of attribute specified"),
                }
            }
            AttrSyntax::Typed(make) => {
                let ty = make(&mut p.ir.ctx);
                p.parse_attr_typed(ty)
            }
            AttrSyntax::DenseArray(make) => {
                if p.at("[") {
                    let element = make(&mut p.ir.ctx);
                    p.parse_dense_array_elements(element)
                } else {
                    p.parse_attr()
                }
            }
            AttrSyntax::SymbolName => p.parse_symbol_name(),
            AttrSyntax::Type => {
                let ty = p.parse_type()?;
                Ok(p.ir.ctx.type_attr(ty))
            }
            AttrSyntax::Enum(spec) => read_enum(p, spec, self.def.attrs[i].name),
            // In a place of its own, it stands there as its name.
            AttrSyntax::Unit => {
                p.keyword(self.def.attrs[i].name)?;
                Ok(p.ir.ctx.unit_attr())
            }
        }
    }

    /// Whether the attribute begins here.
    fn at_attr(self, p: &OpParser<'_, '_>, i: usize) -> bool {
        match self.def.attrs[i].constraint.syntax {
            AttrSyntax::Full | AttrSyntax::Reference => p.at_attr(),
            AttrSyntax::Typed(_) => p.at_attr() && !p.at_type(),
            AttrSyntax::DenseArray(_) => p.at("[") || p.at("array"),
            AttrSyntax::SymbolName => p.at_symbol(),
            AttrSyntax::Type => p.at_type(),
            AttrSyntax::Enum(spec) => match spec.storage {
                EnumStorage::Angled => p.at("<"),
                _ => p.peek_keyword().is_some_and(|word| spec.cases.iter().any(|c| c.0 == word)),
            },
            AttrSyntax::Unit => p.at(self.def.attrs[i].name),
        }
    }
}

/// Notes the types that the text gives.
fn give_types(p: &mut OpParser<'_, '_>, of: TypeOf, types: &[Type]) {
    let frame = &mut p.frame;
    match of {
        TypeOf::Operand(i) => {
            frame.typed_operands |= 1 << i;
            frame.operand_types.extend(types.iter().map(|&ty| (i as u8, ty)));
        }
        TypeOf::Result(i) => {
            frame.typed_results |= 1 << i;
            frame.result_types.extend(types.iter().map(|&ty| (i as u8, ty)));
        }
        TypeOf::Operands => frame.all_operand_types = Some(types.into()),
        TypeOf::Results => frame.all_result_types = Some(types.into()),
    }
}

/// Reads keywords of an enumeration: bare, or in angle brackets where it is stored so.
pub(in crate::text) fn read_enum(
    p: &mut OpParser<'_, '_>,
    spec: &'static EnumSpec,
    name: &str,
) -> ParseResult<Attr> {
    let angled = spec.storage == EnumStorage::Angled;
    if angled {
        p.expect("<")?;
    }
    let mut number = 0;
    loop {
        let at = p.here();
        match read_case(p, spec)? {
            Some(case) => number |= case,
            None => {
                let words: Vec<_> = spec.cases.iter().map(|case| case.0).collect();
                let words = words.join(", ");
                let message = match spec.storage {
                    EnumStorage::Integer(_) => format!(
                        "expected string or keyword containing one of the following enum values for \
                         attribute '{name}' [{words}]"
                    ),
                    _ => format!("expected {} to be one of: {words}", spec.mnemonic),
                };
                return p.error(at, message);
            }
        }
        if !(spec.bits && (p.eat(",") || p.eat("|"))) {
            break;
        }
    }
    if angled {
        p.expect(">")?;
    }
    Ok(spec.attr(&mut p.ir.ctx, number))
}

fn read_case(p: &mut OpParser<'_, '_>, spec: &'static EnumSpec) -> ParseResult<Option<i64>> {
    let case = |word: &str| spec.cases.iter().find(|case| case.0 == word).map(|case| case.1);
    if let Some(number) = p.peek_keyword().and_then(case) {
        p.parse_any_keyword()?;
        return Ok(Some(number));
    }
    let at: Position = p.here();
    match p.optional_string()? {
        Some(text) => match case(&text) {
            Some(number) => Ok(Some(number)),
            None => p.error(at, format!("invalid case '{text}' of {}", spec.mnemonic)),
        },
        None => Ok(None),
    }
}

/// For custom directives.
impl OpParser<'_, '_> {
    /// Texts of the arguments of the custom directive being read: `$offsets`, `type($source)`.
    pub fn directive_arguments(&self) -> &'static [Box<str>] {
        self.frame.arguments
    }

    /// Gives the operands of group `name`, whose types the format or inference gives.
    pub fn set_operands(&mut self, name: &str, operands: &[Unresolved]) {
        if let Some(i) = self.frame.def.and_then(|d| d.operands.iter().position(|o| o.name == name))
        {
            self.frame.operands.extend(operands.iter().map(|&operand| (i as u8, operand)));
        }
    }

    /// Gives the types of operand group `name`.
    pub fn set_operand_types(&mut self, name: &str, types: &[Type]) {
        if let Some(i) = self.frame.def.and_then(|d| d.operands.iter().position(|o| o.name == name))
        {
            give_types(self, TypeOf::Operand(i), types);
        }
    }

    /// Gives the types of result group `name`.
    pub fn set_result_types(&mut self, name: &str, types: &[Type]) {
        if let Some(i) = self.frame.def.and_then(|d| d.results.iter().position(|o| o.name == name))
        {
            give_types(self, TypeOf::Result(i), types);
        }
    }

    /// Operands that the format has read for group `name` so far.
    pub fn operands_so_far(&self, name: &str) -> SmallVec<[Unresolved; 4]> {
        let group = self.frame.def.and_then(|d| d.operands.iter().position(|o| o.name == name));
        let of_group = |entry: &&(u8, Unresolved)| Some(entry.0 as usize) == group;
        self.frame.operands.iter().filter(of_group).map(|entry| entry.1).collect()
    }
}
