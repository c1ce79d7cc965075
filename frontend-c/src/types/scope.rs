//! Which name means what, where.

use rustc_hash::FxHashMap;

use super::Type;
use crate::lex::{Keyword, contextual_keywords};
use crate::symbol::Symbol;
use crate::tree::DeclId;

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A declared entity.
    Decl(DeclId),
    /// A word of C23 that no declaration has taken yet.
    Contextual(Keyword),
}

#[derive(Clone, Copy, Debug)]
struct Binding {
    entity: Entity,
    depth: u32,
}

#[derive(Clone, Copy, Debug)]
struct TagBinding {
    ty: Type,
    depth: u32,
}

enum Undo {
    Ordinary(Symbol, Option<Binding>),
    Tag(Symbol, Option<TagBinding>),
}

/// The scopes that are open, as one table of what is visible and a log to undo.
#[derive(Default)]
pub(crate) struct Scopes {
    ordinary: Vec<Option<Binding>>,
    tags: FxHashMap<Symbol, TagBinding>,
    undo: Vec<Undo>,
    marks: Vec<usize>,
}

impl Scopes {
    /// The outermost scope, in which C23's words mean their keywords, and the file scope.
    pub(crate) fn new() -> Self {
        let mut scopes = Scopes::default();
        for (symbol, keyword) in contextual_keywords() {
            scopes.bind(symbol, Entity::Contextual(keyword));
        }
        scopes.enter();
        scopes
    }

    /// Opens a scope.
    pub(crate) fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    /// Closes the innermost scope.
    pub(crate) fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Ordinary(symbol, before) => self.ordinary[symbol.index()] = before,
                Undo::Tag(symbol, Some(before)) => {
                    self.tags.insert(symbol, before);
                }
                Undo::Tag(symbol, None) => {
                    self.tags.remove(&symbol);
                }
            }
        }
    }

    /// Number of open scopes; 1 at file scope.
    pub(crate) fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    /// Gives `symbol` a meaning in the innermost scope.
    pub(crate) fn bind(&mut self, symbol: Symbol, entity: Entity) {
        if symbol.index() >= self.ordinary.len() {
            self.ordinary.resize(symbol.index() * 2 + 64, None);
        }
        let binding = Binding { entity, depth: self.depth() };
        let before = self.ordinary[symbol.index()].replace(binding);
        // What file scope binds stays to the end.
        if self.depth() > 1 {
            self.undo.push(Undo::Ordinary(symbol, before));
        }
    }

    /// What `symbol` means here.
    pub(crate) fn find(&self, symbol: Symbol) -> Option<Entity> {
        self.ordinary.get(symbol.index()).copied().flatten().map(|b| b.entity)
    }

    /// What `symbol` means if the innermost scope gave it its meaning.
    pub(crate) fn find_innermost(&self, symbol: Symbol) -> Option<Entity> {
        let binding = self.ordinary.get(symbol.index()).copied().flatten()?;
        (binding.depth == self.depth()).then_some(binding.entity)
    }

    /// Gives a tag a type in the innermost scope.
    pub(crate) fn bind_tag(&mut self, symbol: Symbol, ty: Type) {
        let before = self.tags.insert(symbol, TagBinding { ty, depth: self.depth() });
        if self.depth() > 1 {
            self.undo.push(Undo::Tag(symbol, before));
        }
    }

    /// The type of a tag here, and whether the innermost scope declared it.
    pub(crate) fn find_tag(&self, symbol: Symbol) -> Option<(Type, bool)> {
        self.tags.get(&symbol).map(|b| (b.ty, b.depth == self.depth()))
    }

    /// All declared names that are visible, those of inner scopes first.
    pub(crate) fn visible(&self) -> Vec<(Symbol, DeclId)> {
        let mut names: Vec<_> = self
            .ordinary
            .iter()
            .enumerate()
            .filter_map(|(index, binding)| match binding {
                Some(Binding { entity: Entity::Decl(decl), depth }) => {
                    Some((std::cmp::Reverse(*depth), Symbol(index as u32), *decl))
                }
                _ => None,
            })
            .collect();
        names.sort_unstable();
        names.into_iter().map(|(_, symbol, decl)| (symbol, decl)).collect()
    }
}
