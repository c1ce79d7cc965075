//! From the notation to elements.

use super::{Anchor, Clause, Element, ElementKind, Format, TypeOf};
use crate::context::Context;
use crate::op::{Arity, AttrSyntax, OpDef, Presence, RegionKind};

/// A lexical piece of the notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'f> {
    /// `` `text` ``.
    Literal(&'f str),
    /// `$name`.
    Variable(&'f str),
    /// `word`.
    Word(&'f str),
    /// `( ) < > ? : ^ , |`.
    Mark(char),
}

fn pieces(format: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = format;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Ok(pieces) };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name_length = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
        let length = match first {
            '`' => {
                let Some(end) = rest[1..].find('`') else {
                    return Err("unterminated literal in format".to_owned());
                };
                pieces.push(Piece::Literal(&rest[1..1 + end]));
                end + 2
            }
            '$' => {
                let length = name_length(&rest[1..]);
                pieces.push(Piece::Variable(&rest[1..1 + length]));
                1 + length
            }
            '(' | ')' | '<' | '>' | '?' | ':' | '^' | ',' | '|' => {
                pieces.push(Piece::Mark(first));
                1
            }
            _ if is_name(first) => {
                let length = name_length(rest);
                pieces.push(Piece::Word(&rest[..length]));
                length
            }
            _ => return Err(format!("unexpected '{first}' in format")),
        };
        rest = &rest[length..];
    }
}

/// Compiles the format of an operation.
pub(super) fn compile(def: &'static OpDef) -> Result<Format, String> {
    let pieces = pieces(def.format)?;
    let mut compiler =
        Compiler { def, pieces, at: 0, space: true, punctuation: false, bound: Vec::new() };
    let elements = compiler.elements(&[])?;
    if compiler.at < compiler.pieces.len() {
        return Err(format!("unexpected {:?} in format", compiler.pieces[compiler.at]));
    }
    // Defaults are compared as text, because they are made in a context of their own.
    let default = |spec: &crate::op::AttrSpec| match spec.presence {
        Presence::Default(make) => {
            let mut scratch = Context::new();
            let attr = make(&mut scratch);
            Some(scratch.attr_text(attr))
        }
        Presence::Required | Presence::Optional => None,
    };
    let defaults = def.attrs.iter().map(default).collect();
    Ok(Format { elements, bound_attrs: compiler.bound, defaults })
}

struct Compiler<'f> {
    def: &'static OpDef,
    pieces: Vec<Piece<'f>>,
    at: usize,
    /// Whether a space is due before the next element.
    space: bool,
    /// Whether the last thing was punctuation.
    punctuation: bool,
    bound: Vec<&'static str>,
}

impl<'f> Compiler<'f> {
    fn peek(&self) -> Option<Piece<'f>> {
        self.pieces.get(self.at).copied()
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(Piece::Mark(mark));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.eat(mark) { Ok(()) } else { Err(format!("expected '{mark}' in format")) }
    }

    /// Elements up to one of the given marks or the end.
    fn elements(&mut self, until: &[char]) -> Result<Vec<Element>, String> {
        let mut elements = Vec::new();
        while let Some(piece) = self.peek() {
            if matches!(piece, Piece::Mark(mark) if until.contains(&mark)) {
                break;
            }
            elements.push(self.element()?);
        }
        Ok(elements)
    }

    fn element(&mut self) -> Result<Element, String> {
        let piece = self.pieces[self.at];
        self.at += 1;
        match piece {
            Piece::Literal(text) => Ok(self.literal(text)),
            Piece::Variable(name) => {
                let kind = self.variable(name)?;
                Ok(self.spaced(kind))
            }
            Piece::Mark('(') => self.group(),
            Piece::Word("attr-dict") => Ok(self.attr_dict(false)),
            Piece::Word("attr-dict-with-keyword") => Ok(self.attr_dict(true)),
            Piece::Word("prop-dict") => {
                self.punctuation = false;
                Ok(Element { space: false, kind: ElementKind::PropDict })
            }
            Piece::Word("oilist") => self.any_order(),
            Piece::Word(word) => {
                let kind = self.directive(word)?;
                Ok(self.spaced(kind))
            }
            Piece::Mark(mark) => Err(format!("unexpected '{mark}' in format")),
        }
    }

    /// The dictionary prints its own space, and only if there is something in it.
    fn attr_dict(&mut self, keyword: bool) -> Element {
        self.punctuation = false;
        Element { space: false, kind: ElementKind::AttrDict { keyword } }
    }

    /// Everything but literals: a space goes before it unless punctuation forbids.
    fn spaced(&mut self, kind: ElementKind) -> Element {
        let space = self.space || !self.punctuation;
        self.space = true;
        self.punctuation = false;
        Element { space, kind }
    }

    fn literal(&mut self, text: &str) -> Element {
        if matches!(text, "" | " " | "\\n") {
            // `` says that no space is due; ` ` is one.
            self.punctuation = text.is_empty() || text == "\\n";
            self.space = false;
            let blank = match text {
                "" => "",
                " " => " ",
                _ => "\n",
            };
            return Element { space: false, kind: ElementKind::Blank(blank) };
        }
        let space = self.space_before(text);
        Element { space, kind: ElementKind::Literal(text.into()) }
    }

    /// Whether a space goes before a literal; notes that the literal stands there.
    fn space_before(&mut self, text: &str) -> bool {
        let first = text.chars().next().unwrap_or(' ');
        let single = text.len() == 1;
        let wants = if !single && text != "->" {
            true
        } else if self.punctuation {
            !">)}],".contains(first)
        } else {
            !"<>(){}[],".contains(first)
        };
        let space = self.space && wants;
        self.space = !single || !"<({[".contains(first);
        self.punctuation = first != '_' && !first.is_ascii_alphabetic();
        space
    }

    fn variable(&mut self, name: &str) -> Result<ElementKind, String> {
        if let Some(i) = self.def.operands.iter().position(|spec| spec.name == name) {
            return Ok(ElementKind::Operand(i));
        }
        if let Some(i) = self.def.attrs.iter().position(|spec| spec.name == name) {
            self.bound.push(self.def.attrs[i].name);
            return Ok(ElementKind::Attr(i));
        }
        if let Some(i) = self.def.regions.iter().position(|spec| spec.name == name) {
            return Ok(ElementKind::Region(i));
        }
        if let Some(i) = self.def.successors.iter().position(|spec| spec.name == name) {
            return Ok(ElementKind::Successor(i));
        }
        Err(format!("format names '${name}', which is no operand, attribute, region or successor"))
    }

    fn directive(&mut self, word: &str) -> Result<ElementKind, String> {
        match word {
            "operands" => Ok(ElementKind::Operands),
            "regions" => Ok(ElementKind::Regions),
            "successors" => Ok(ElementKind::Successors),
            "type" => {
                self.expect('(')?;
                let of = self.type_of()?;
                self.expect(')')?;
                Ok(ElementKind::Type(of))
            }
            "functional-type" => {
                self.expect('(')?;
                let inputs = self.type_of()?;
                self.expect(',')?;
                let results = self.type_of()?;
                self.expect(')')?;
                Ok(ElementKind::FunctionalType(inputs, results))
            }
            // Attributes and types are always written in full here.
            "qualified" => {
                self.expect('(')?;
                let kind = match self.element()?.kind {
                    kind @ (ElementKind::Attr(_) | ElementKind::Type(_)) => kind,
                    _ => return Err("'qualified' takes an attribute or a type".to_owned()),
                };
                self.expect(')')?;
                Ok(kind)
            }
            "custom" => self.custom(),
            _ => Err(format!("unknown directive '{word}' in format")),
        }
    }

    fn type_of(&mut self) -> Result<TypeOf, String> {
        let piece = self.peek();
        self.at += 1;
        match piece {
            Some(Piece::Word("operands")) => Ok(TypeOf::Operands),
            Some(Piece::Word("results")) => Ok(TypeOf::Results),
            Some(Piece::Word("qualified" | "ref" | "type")) => {
                self.expect('(')?;
                let of = self.type_of()?;
                self.expect(')')?;
                Ok(of)
            }
            Some(Piece::Variable(name)) => {
                let operand = self.def.operands.iter().position(|spec| spec.name == name);
                let result = self.def.results.iter().position(|spec| spec.name == name);
                match (operand, result) {
                    (Some(i), _) => Ok(TypeOf::Operand(i)),
                    (None, Some(i)) => Ok(TypeOf::Result(i)),
                    (None, None) => {
                        Err(format!("type of '${name}', which is no operand or result"))
                    }
                }
            }
            _ => Err("expected '$name', 'operands' or 'results' in format".to_owned()),
        }
    }

    /// `custom<Name>(argument, ...)`.
    fn custom(&mut self) -> Result<ElementKind, String> {
        self.expect('<')?;
        let Some(Piece::Word(name)) = self.peek() else {
            return Err("expected the name of a custom directive".to_owned());
        };
        let Some(directive) = self.def.hooks.custom.iter().position(|custom| custom.name == name)
        else {
            return Err(format!("custom directive '{name}' is not among the hooks"));
        };
        self.at += 1;
        self.expect('>')?;
        self.expect('(')?;
        let mut arguments: Vec<Box<str>> = Vec::new();
        while !self.eat(')') {
            let mut text = String::new();
            let mut depth = 0;
            loop {
                match self.peek() {
                    None => return Err("unterminated custom directive".to_owned()),
                    Some(Piece::Mark(',')) if depth == 0 => break,
                    Some(Piece::Mark(')')) if depth == 0 => break,
                    Some(Piece::Mark(mark)) => {
                        depth += i32::from(mark == '(') - i32::from(mark == ')');
                        text.push(mark);
                    }
                    Some(Piece::Variable(name)) => {
                        text.push('$');
                        text.push_str(name);
                        if depth == 0 {
                            let bound = self.def.attrs.iter().find(|spec| spec.name == name);
                            self.bound.extend(bound.map(|spec| spec.name));
                        }
                    }
                    Some(Piece::Word(word)) => text.push_str(word),
                    Some(Piece::Literal(literal)) => text.push_str(literal),
                }
                self.at += 1;
            }
            self.eat(',');
            arguments.push(text.into());
        }
        Ok(ElementKind::Custom { directive, arguments })
    }

    /// `( elements ^ ... )? ` or `( elements ) : ( elements )?`, behind the opening parenthesis.
    fn group(&mut self) -> Result<Element, String> {
        let mut then = Vec::new();
        let mut anchor = None;
        while !self.eat(')') {
            if self.peek().is_none() {
                return Err("expected ')' at the end of an optional group".to_owned());
            }
            let spacing = (self.space, self.punctuation);
            let mut element = self.element()?;
            if self.eat('^') {
                anchor = Some(self.anchor_of(&element.kind)?);
                if let Some(i) = self.unit(&element.kind) {
                    if then.is_empty() && self.peek() == Some(Piece::Mark(')')) {
                        // Alone in its group, it stands there as its name.
                        let name = ElementKind::Literal(self.def.attrs[i].name.into());
                        then.push(Element { space: element.space, kind: name });
                    } else {
                        (self.space, self.punctuation) = spacing;
                    }
                    element = Element { space: false, kind: ElementKind::Unit(i) };
                }
            }
            then.push(element);
        }
        let mut otherwise = Vec::new();
        if self.eat(':') {
            self.expect('(')?;
            otherwise = self.elements(&[')'])?;
            self.expect(')')?;
        }
        self.expect('?')?;
        let Some(anchor) = anchor else {
            return Err("optional group without an anchor '^'".to_owned());
        };
        Ok(Element { space: false, kind: ElementKind::Group { anchor, then, otherwise } })
    }

    /// Number of the unit attribute that an element is.
    fn unit(&self, kind: &ElementKind) -> Option<usize> {
        match *kind {
            ElementKind::Attr(i)
                if matches!(self.def.attrs[i].constraint.syntax, AttrSyntax::Unit) =>
            {
                Some(i)
            }
            _ => None,
        }
    }

    fn anchor_of(&self, kind: &ElementKind) -> Result<Anchor, String> {
        let fixed = |what: &str| Err(format!("anchor is {what} that is always there"));
        match kind {
            &ElementKind::Operand(i) | &ElementKind::Type(TypeOf::Operand(i)) => {
                match self.def.operands[i].arity {
                    Arity::One => fixed("an operand"),
                    Arity::Optional | Arity::Variadic => Ok(Anchor::Operand(i)),
                }
            }
            &ElementKind::Type(TypeOf::Result(i)) => match self.def.results[i].arity {
                Arity::One => fixed("a result"),
                Arity::Optional | Arity::Variadic => Ok(Anchor::Result(i)),
            },
            &ElementKind::Attr(i) => match self.def.attrs[i].presence {
                Presence::Required => fixed("an attribute"),
                Presence::Optional | Presence::Default(_) => Ok(Anchor::Attr(i)),
            },
            &ElementKind::Region(i) => match self.def.regions[i].kind {
                RegionKind::SizedOne | RegionKind::MinOne => fixed("a region"),
                _ => Ok(Anchor::Region(i)),
            },
            &ElementKind::Successor(i) => Ok(Anchor::Successor(i)),
            ElementKind::FunctionalType(inputs, results) => {
                let one = |of: &TypeOf| self.anchor_of(&ElementKind::Type(*of));
                one(inputs).or_else(|_| one(results))
            }
            ElementKind::Custom { arguments, .. } => {
                let anchors: Vec<_> =
                    arguments.iter().filter_map(|text| self.named_anchor(text)).collect();
                if anchors.is_empty() {
                    return Err("custom directive as anchor names nothing optional".to_owned());
                }
                Ok(Anchor::Any(anchors))
            }
            _ => Err("this cannot be the anchor of an optional group".to_owned()),
        }
    }

    fn named_anchor(&self, text: &str) -> Option<Anchor> {
        let name = text.strip_prefix('$')?;
        let def = self.def;
        let operand = def.operands.iter().position(|spec| spec.name == name).map(Anchor::Operand);
        operand
            .or_else(|| def.attrs.iter().position(|spec| spec.name == name).map(Anchor::Attr))
            .or_else(|| def.regions.iter().position(|spec| spec.name == name).map(Anchor::Region))
    }

    /// `` oilist( `keyword` elements | `keyword` elements ) ``.
    fn any_order(&mut self) -> Result<Element, String> {
        self.expect('(')?;
        let mut clauses = Vec::new();
        loop {
            let Some(Piece::Literal(keyword)) = self.peek() else {
                return Err("a clause of 'oilist' begins with a literal".to_owned());
            };
            let keyword: Box<str> = keyword.into();
            self.at += 1;
            let space = self.space_before(&keyword);
            let mut elements = Vec::new();
            while !matches!(self.peek(), None | Some(Piece::Mark('|' | ')'))) {
                elements.push(self.element()?);
            }
            let anchors: Vec<_> =
                elements.iter().filter_map(|e| self.anchor_of(&e.kind).ok()).collect();
            if anchors.is_empty() {
                return Err(format!("clause '{keyword}' of 'oilist' holds nothing optional"));
            }
            clauses.push(Clause { keyword, space, elements, anchor: Anchor::Any(anchors) });
            if !self.eat('|') {
                break;
            }
        }
        self.expect(')')?;
        Ok(Element { space: false, kind: ElementKind::AnyOrder(clauses) })
    }
}
