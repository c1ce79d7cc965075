//! Several PTX texts as one program: what each name means in each of them.
//!
//! A name without a linking directive belongs to its text; `.visible` ones are found from the
//! `.extern` declarations of the others. A `.weak` or `.common` definition gives way to a visible
//! one, otherwise the first counts (PTX ISA §5.4.6 and §10.4).

use std::fmt;
use std::sync::{Arc, OnceLock};

use bumpalo::Bump;
use gpuc_diagnostics::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::syntax::{
    self, Function, Initial, Linkage, Name, OperandKind, SourceText, Space, Statement, Tree,
    Variable,
};

/// A text that was read.
pub(crate) struct Text<'a> {
    pub(crate) source: SourceText<'a>,
    pub(crate) target: Option<&'a str>,
}

/// A function or variable and the number of the text that has it.
pub(crate) struct Item<T> {
    pub(crate) text: usize,
    pub(crate) item: T,
}

/// What the names of one text stand for.
#[derive(Default)]
struct Names<'a> {
    functions: FxHashMap<&'a str, u32>,
    variables: FxHashMap<&'a str, u32>,
    files: FxHashMap<u32, Arc<str>>,
}

/// Texts with their names resolved.
pub(crate) struct Program<'a> {
    pub(crate) texts: Vec<Text<'a>>,
    /// Every function, defined or only declared.
    pub(crate) functions: Vec<Item<Function<'a>>>,
    /// Every variable of a module or, if `.global` or `.const`, of a function.
    pub(crate) variables: Vec<Item<Variable<'a>>>,
    names: Vec<Names<'a>>,
    /// Variables that functions declare, by text and place.
    inner: FxHashMap<(usize, u32), u32>,
    address_taken: OnceLock<Vec<u32>>,
}

self_cell::self_cell! {
    /// Texts, each with its name for messages, and the program that they are.
    pub(crate) struct Linked {
        owner: Vec<(Box<str>, Box<str>)>,
        #[covariant]
        dependent: Program,
    }
}

impl fmt::Debug for Linked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.borrow_owner().iter().map(|(_, file)| file);
        f.debug_list().entries(files).finish()
    }
}

impl<'a> Program<'a> {
    /// Resolves the names of all texts.
    ///
    /// # Errors
    /// What is wrong in the texts, and names that conflict or that nobody defines.
    pub(crate) fn new(texts: &'a [(Box<str>, Box<str>)]) -> Result<Program<'a>, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut read = Vec::new();
        for (text, file) in texts {
            let source = SourceText::new(text, file);
            let (tree, found) = syntax::parse(&source);
            errors.extend(found);
            read.push((source, tree));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let (mut functions, mut variables, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        let (mut names, mut links, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        for (text, (source, tree)) in read.into_iter().enumerate() {
            let Tree { files, target, variables: own, functions: bodies, inner: held, .. } = tree;
            functions.extend(bodies.into_iter().map(|item| Item { text, item }));
            variables.extend(own.into_iter().map(|item| Item { text, item }));
            inner.extend(held.into_iter().map(|item| Item { text, item }));
            aliases.push(tree.aliases);
            let files = files.iter().map(|&(number, name)| (number, Arc::from(name))).collect();
            names.push(Names { files, ..Names::default() });
            links.push(Text { source, target: target.map(|name| name.text) });
        }
        let function_names: Vec<_> = functions
            .iter()
            .map(|Item { text, item }: &Item<Function<'_>>| Symbol {
                text: *text,
                name: item.name,
                linkage: item.linkage,
                defined: item.body.is_some(),
            })
            .collect();
        let variable_names: Vec<_> = variables
            .iter()
            .map(|Item { text, item }: &Item<Variable<'_>>| Symbol {
                text: *text,
                name: item.name,
                linkage: item.linkage,
                defined: item.linkage != Linkage::Extern,
            })
            .collect();
        let mut resolved = resolve(&links, &function_names, "function", &mut errors);
        resolve_aliases(&links, &aliases, &function_names, &mut resolved, &mut errors);
        for (names, functions) in names.iter_mut().zip(resolved) {
            names.functions = functions;
        }
        let resolved = resolve(&links, &variable_names, "variable", &mut errors);
        for (names, variables) in names.iter_mut().zip(resolved) {
            names.variables = variables;
        }
        let mut program = Program {
            texts: links,
            functions,
            variables,
            names,
            inner: FxHashMap::default(),
            address_taken: OnceLock::new(),
        };
        program.check_defined(&mut errors);
        for variable in inner {
            let number = program.variables.len() as u32;
            program.inner.insert((variable.text, variable.item.name.span.start), number);
            program.variables.push(variable);
        }
        if errors.is_empty() { Ok(program) } else { Err(errors) }
    }

    /// The function that a name of a text means.
    pub(crate) fn function(&self, text: usize, name: &str) -> Option<u32> {
        self.names[text].functions.get(name).copied()
    }

    /// The variable that a name of a text means.
    pub(crate) fn variable(&self, text: usize, name: &str) -> Option<u32> {
        self.names[text].variables.get(name).copied()
    }

    /// The number of a `.global` or `.const` variable that a function declares.
    pub(crate) fn inner_variable(&self, text: usize, name: Name<'_>) -> Option<u32> {
        self.inner.get(&(text, name.span.start)).copied()
    }

    /// A source file of a text's `.loc`.
    pub(crate) fn file(&self, text: usize, number: u32) -> Option<&Arc<str>> {
        self.names[text].files.get(&number)
    }

    /// The names of a text's variables, for suggestions.
    pub(crate) fn variable_names(&self, text: usize) -> impl Iterator<Item = &'a str> {
        self.names[text].variables.keys().copied()
    }

    /// The functions whose address is used somewhere: those an indirect call may reach.
    pub(crate) fn address_taken(&self) -> &[u32] {
        self.address_taken.get_or_init(|| {
            let mut found = FxHashSet::default();
            for Item { text, item } in &self.variables {
                mark_initial(item, &mut |name| found.extend(self.function(*text, name)));
            }
            let mut arena = Bump::new();
            for Item { text, item } in &self.functions {
                let Some(body) = item.body else { continue };
                let read = syntax::statements(&self.texts[*text].source, body, &arena);
                let statements = read.unwrap_or_default();
                mark_statements(&statements, &mut |name| found.extend(self.function(*text, name)));
                drop(statements);
                arena.reset();
            }
            let mut found: Vec<u32> = found.into_iter().collect();
            found.retain(|&f| {
                let function = &self.functions[f as usize].item;
                function.body.is_some() && !function.is_entry
            });
            found.sort_unstable();
            found
        })
    }

    /// Variables that no text defines; shared ones are the launch's.
    fn check_defined(&self, errors: &mut Vec<Diagnostic>) {
        for &Item { text, ref item } in &self.variables {
            let defined = self.variable(text, item.name.text);
            let missing = defined.is_some_and(|v| {
                let found = &self.variables[v as usize].item;
                found.linkage == Linkage::Extern && found.space != Space::Shared
            });
            if missing {
                errors.push(
                    Diagnostic::error(format!(
                        "variable `{}` is not defined in this module",
                        item.name.text
                    ))
                    .at(self.texts[text].source.place(item.name.span)),
                );
            }
        }
    }
}

fn mark_initial(variable: &Variable<'_>, mark: &mut impl FnMut(&str)) {
    for item in &variable.initial {
        if let Initial::Address { symbol, .. } = item {
            mark(symbol.text);
        }
    }
}

fn mark_statements(statements: &[Statement<'_>], mark: &mut impl FnMut(&str)) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => mark_statements(inner, mark),
            Statement::Variable(variable) => mark_initial(variable, mark),
            Statement::CallTargets { targets, .. } => {
                targets.iter().for_each(|target| mark(target.text));
            }
            Statement::Instruction(instruction) if instruction.opcode.text != "call" => {
                for operand in instruction.operands {
                    match &operand.kind {
                        OperandKind::Name(name) | OperandKind::Offset(name, _) => mark(name),
                        OperandKind::Vector(items) => {
                            for item in *items {
                                if let OperandKind::Name(name) = item.kind {
                                    mark(name);
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// A declaration as the linker sees it.
struct Symbol<'a> {
    text: usize,
    name: Name<'a>,
    linkage: Linkage,
    defined: bool,
}

/// For each text what its names stand for: the number of the definition, or of a declaration where
/// there is none.
fn resolve<'a>(
    texts: &[Text<'a>],
    symbols: &[Symbol<'a>],
    what: &str,
    errors: &mut Vec<Diagnostic>,
) -> Vec<FxHashMap<&'a str, u32>> {
    let mut twice = |one: &Symbol<'_>, other: &Symbol<'_>| {
        let place = |s: &Symbol<'_>| texts[s.text].source.place(s.name.span);
        errors.push(
            Diagnostic::error(format!("{what} `{}` is defined twice", one.name.text))
                .at(place(one))
                .related(place(other), "the other definition is here"),
        );
    };
    let mut own: Vec<FxHashMap<&str, u32>> = vec![FxHashMap::default(); texts.len()];
    let mut exported: FxHashMap<&str, u32> = FxHashMap::default();
    for (number, symbol) in symbols.iter().enumerate().filter(|(_, s)| s.defined) {
        let name = symbol.name.text;
        if let Some(&known) = own[symbol.text].get(name) {
            twice(symbol, &symbols[known as usize]);
            continue;
        }
        own[symbol.text].insert(name, number as u32);
        if symbol.linkage == Linkage::Local {
            continue;
        }
        let Some(known) = exported.get_mut(name) else {
            exported.insert(name, number as u32);
            continue;
        };
        let other = &symbols[*known as usize];
        match (other.linkage, symbol.linkage) {
            (Linkage::Visible, Linkage::Visible) => twice(symbol, other),
            (Linkage::Weak | Linkage::Common, Linkage::Visible) => *known = number as u32,
            _ => {}
        }
    }
    let mut out = own;
    for (number, symbol) in symbols.iter().enumerate() {
        let name = symbol.name.text;
        let local = symbol.defined && symbol.linkage == Linkage::Local;
        // A declaration beside a definition of the same text means that one.
        let declared_local = !symbol.defined
            && out[symbol.text]
                .get(name)
                .is_some_and(|&n| symbols[n as usize].linkage == Linkage::Local);
        if local || declared_local {
            continue;
        }
        match exported.get(name) {
            Some(&found) => {
                out[symbol.text].insert(name, found);
            }
            None => {
                out[symbol.text].entry(name).or_insert(number as u32);
            }
        }
    }
    out
}

/// `.alias new, old`: `new` means what `old` means here, in every text that declares it `.extern`.
fn resolve_aliases<'a>(
    texts: &[Text<'a>],
    aliases: &[Vec<(Name<'a>, Name<'a>)>],
    functions: &[Symbol<'a>],
    names: &mut [FxHashMap<&'a str, u32>],
    errors: &mut Vec<Diagnostic>,
) {
    for (text, aliases) in aliases.iter().enumerate() {
        for (new, old) in aliases {
            let Some(&meaning) = names[text].get(old.text) else {
                errors.push(
                    Diagnostic::error(format!("`{}` is not a function of this module", old.text))
                        .at(texts[text].source.place(old.span)),
                );
                continue;
            };
            names[text].insert(new.text, meaning);
            for function in functions {
                let declares = function.linkage == Linkage::Extern && function.text != text;
                if declares && function.name.text == new.text {
                    names[function.text].insert(new.text, meaning);
                }
            }
        }
    }
}
