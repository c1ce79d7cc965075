//! Declarators (C11 §6.7.6): names with the types they derive, inside out.

use super::attributes::Attributes;
use super::specifiers::Specifiers;
use super::{Parsed, Parser};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Decl, DeclId, DeclKind};
use crate::types::{ArraySize, FunctionType, Qualifiers, Type, TypeKind};

/// A declarator: what stands nearest to the name comes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarator {
    pub name: Option<(Symbol, Span)>,
    pub derivations: Vec<Derivation>,
    pub attributes: Attributes,
    pub asm_label: Option<Symbol>,
    pub span: Span,
}

/// One step from a type to a derived one.
#[derive(Clone, Debug)]
pub(crate) enum Derivation {
    Pointer(Qualifiers),
    /// The size is missing where it was refused.
    Array {
        size: Option<ArraySize>,
        qualifiers: Qualifiers,
        span: Span,
    },
    Function {
        parameters: Vec<DeclId>,
        variadic: bool,
        prototype: bool,
        names: Vec<(Symbol, Span)>,
    },
}

/// Whether a declarator must, may or must not have a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

impl Declarator {
    /// The parameters, if what is declared is a function.
    pub(crate) fn parameters(&self) -> Option<&Derivation> {
        self.derivations.first().filter(|d| matches!(d, Derivation::Function { .. }))
    }
}

impl Parser {
    /// A declarator with a name.
    pub(crate) fn declarator(&mut self) -> Parsed<Declarator> {
        self.any_declarator(Naming::Required)
    }

    /// A declarator without a name.
    pub(super) fn abstract_declarator(&mut self) -> Parsed<Declarator> {
        self.any_declarator(Naming::Forbidden)
    }

    fn any_declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        let mut declarator = Declarator { span: self.span(), ..Declarator::default() };
        self.nested(|parser| parser.derivations(naming, &mut declarator))?;
        if naming != Naming::Forbidden && self.eat_keyword(Keyword::Asm) {
            declarator.asm_label = self.asm_label()?;
        }
        let attributes = self.attributes()?;
        declarator.attributes.merge(attributes);
        declarator.span = self.span_from(declarator.span);
        Ok(declarator)
    }

    /// `("name")` behind `asm`.
    fn asm_label(&mut self) -> Parsed<Option<Symbol>> {
        self.expect(Punct::LParen, "after `asm`")?;
        let mut label = None;
        while let TokenKind::String(spelling) = self.peek() {
            label = label.or(Some(spelling));
            self.advance();
        }
        self.expect(Punct::RParen, "after the assembler name")?;
        Ok(label)
    }

    fn derivations(&mut self, naming: Naming, out: &mut Declarator) -> Parsed<()> {
        let attributes = self.attributes()?;
        out.attributes.merge(attributes);
        let mut pointers = Vec::new();
        while self.eat(Punct::Star) {
            pointers.push(Derivation::Pointer(self.qualifiers()?));
        }
        if self.at_attribute() {
            let attributes = self.attributes()?;
            out.attributes.merge(attributes);
        }
        match self.peek() {
            TokenKind::Ident(name) if naming != Naming::Forbidden => {
                out.name = Some((name, self.advance().span));
                // C23 puts attributes of what is declared behind its name.
                if self.at_standard_attribute() {
                    let attributes = self.attributes()?;
                    out.attributes.merge(attributes);
                }
            }
            TokenKind::Punct(Punct::LParen) if self.groups(naming) => {
                self.advance();
                self.nested(|parser| parser.derivations(naming, out))?;
                self.expect(Punct::RParen, "in the declarator")?;
            }
            _ if naming == Naming::Required => return Err(self.unexpected("a name to declare")),
            _ => {}
        }
        loop {
            if self.at(Punct::LBracket) && !self.at_standard_attribute() {
                let array = self.array_suffix()?;
                out.derivations.push(array);
            } else if self.at(Punct::LParen) {
                let function = self.function_suffix()?;
                out.derivations.push(function);
            } else {
                break;
            }
        }
        out.derivations.extend(pointers.into_iter().rev());
        Ok(())
    }

    /// Whether the `(` here groups a declarator, rather than starts the parameters of a function
    /// without a name.
    fn groups(&self, naming: Naming) -> bool {
        if naming == Naming::Required {
            return true;
        }
        let next = self.peek_ahead(1);
        match next {
            TokenKind::Punct(Punct::RParen | Punct::Ellipsis) => false,
            _ if self.keyword_of(next) == Some(Keyword::Attribute) => true,
            _ => !self.starts_type(next) && self.keyword_of(next) != Some(Keyword::Register),
        }
    }

    fn array_suffix(&mut self) -> Parsed<Derivation> {
        let start = self.advance().span;
        let mut qualifiers = Qualifiers::NONE;
        loop {
            qualifiers = qualifiers.union(self.qualifiers()?);
            if !self.eat_keyword(Keyword::Static) {
                break;
            }
        }
        let star = self.at(Punct::Star) && self.peek_ahead(1) == TokenKind::Punct(Punct::RBracket);
        let size = if self.at(Punct::RBracket) {
            Some(ArraySize::Unknown)
        } else if star {
            self.advance();
            Some(ArraySize::Star)
        } else {
            let expr = self.nested(Parser::assignment_expression)?;
            self.array_size(expr)
        };
        self.expect(Punct::RBracket, "after the array's length")?;
        Ok(Derivation::Array { size, qualifiers, span: self.span_from(start) })
    }

    fn array_size(&mut self, expr: crate::tree::ExprId) -> Option<ArraySize> {
        let checker = &mut self.checker;
        let value = checker.rvalue(expr);
        let span = checker.span(expr);
        let ty = checker.ty(value);
        if ty.is_error() {
            return None;
        }
        if !checker.unit.types.is_integer(ty) {
            let shown = checker.show(ty);
            checker
                .error(span, format!("the length of an array must be an integer, not `{shown}`"));
            return None;
        }
        match checker.constant_int(value) {
            Some(length) => match u64::try_from(length) {
                Ok(length) => Some(ArraySize::Constant(length)),
                Err(_) => {
                    checker.error(span, format!("an array cannot have {length} elements"));
                    None
                }
            },
            None => Some(ArraySize::Variable(value)),
        }
    }

    fn function_suffix(&mut self) -> Parsed<Derivation> {
        self.advance();
        // Lengths of array parameters may name the parameters before them.
        self.checker.scopes.enter();
        let result = self.nested(Parser::parameters);
        self.checker.scopes.leave();
        result
    }

    fn parameters(&mut self) -> Parsed<Derivation> {
        let (mut parameters, mut names) = (Vec::new(), Vec::new());
        let (mut variadic, mut prototype) = (false, true);
        if self.at(Punct::RParen) {
            prototype = false;
        } else if matches!(self.peek(), TokenKind::Ident(_))
            && !self.starts_type(self.peek())
            && self.keyword().is_none()
        {
            prototype = false;
            loop {
                names.push(self.expect_name("the name of a parameter")?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        } else {
            loop {
                if self.eat(Punct::Ellipsis) {
                    variadic = true;
                    break;
                }
                let specifiers = self.specifiers()?;
                let declarator = self.any_declarator(Naming::Optional)?;
                let alone = declarator.name.is_none() && declarator.derivations.is_empty();
                if alone && specifiers.ty == Type::VOID && self.at(Punct::RParen) {
                    break;
                }
                let ty = self.declared_type(&specifiers, &declarator);
                let number = parameters.len() as u32;
                parameters.push(self.parameter(&declarator, ty, number));
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::RParen, "after the parameters")?;
        Ok(Derivation::Function { parameters, variadic, prototype, names })
    }

    /// Declares a parameter: arrays and functions are adjusted to pointers.
    pub(super) fn parameter(&mut self, declarator: &Declarator, ty: Type, number: u32) -> DeclId {
        let qualifiers = match declarator.derivations.first() {
            Some(Derivation::Array { qualifiers, .. }) => *qualifiers,
            _ => Qualifiers::NONE,
        };
        let types = &mut self.checker.unit.types;
        let length = types.as_array(ty).map(|(_, size)| size);
        let ty = match *types.kind(ty) {
            TypeKind::Array { element, .. } => types.pointer_to(element).with(qualifiers),
            TypeKind::Function(_) => types.pointer_to(ty),
            _ => ty,
        };
        let (name, span) = match declarator.name {
            Some((name, span)) => (Some(name), span),
            None => (None, declarator.span),
        };
        self.checker.bind(Decl {
            name,
            ty,
            kind: DeclKind::Parameter { number, length },
            span,
            align: declarator.attributes.align,
            asm_label: None,
        })
    }

    /// The type that a declarator gives to its name.
    pub(crate) fn declared_type(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> Type {
        let mut ty = self.attributed_type(specifiers.ty, &specifiers.attributes);
        let attributes = &declarator.attributes;
        if attributes.vector_size.is_some() || attributes.transparent_union {
            ty = self.attributed_type(ty, &declarator.attributes);
        }
        for derivation in declarator.derivations.iter().rev() {
            ty = self.derive(ty, derivation, declarator.span);
            if !self.checker.require_shallow(ty, declarator.span) {
                return Type::ERROR;
            }
        }
        if declarator.attributes.mode.is_some() && declarator.attributes.vector_size.is_none() {
            ty = self.attributed_type(ty, &declarator.attributes);
        }
        ty
    }

    fn derive(&mut self, ty: Type, derivation: &Derivation, span: Span) -> Type {
        if ty.is_error() {
            return ty;
        }
        let checker = &mut self.checker;
        match derivation {
            Derivation::Pointer(qualifiers) => checker.unit.types.pointer_to(ty).with(*qualifiers),
            Derivation::Array { size, span, .. } => {
                if checker.unit.types.is_function(ty) || checker.unit.types.is_void(ty) {
                    let shown = checker.show(ty);
                    checker
                        .error(*span, format!("an array cannot have elements of type `{shown}`"));
                    return Type::ERROR;
                }
                if !checker.require_complete(ty, *span, "the element of this array") {
                    return Type::ERROR;
                }
                match *size {
                    Some(size) => checker.unit.types.array_of(ty, size),
                    None => Type::ERROR,
                }
            }
            Derivation::Function { parameters, variadic, prototype, .. } => {
                if checker.unit.types.is_function(ty) || checker.unit.types.as_array(ty).is_some() {
                    let shown = checker.show(ty);
                    checker.error(span, format!("a function cannot return `{shown}`"));
                    return Type::ERROR;
                }
                let parameters =
                    parameters.iter().map(|&p| checker.unit.decls[p].ty.unqualified()).collect();
                checker.unit.types.function(FunctionType {
                    result: ty.unqualified(),
                    parameters,
                    variadic: *variadic,
                    prototype: *prototype,
                })
            }
        }
    }
}
