//! Parsed, checked and decoded PTX texts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use crate::decode::{Names, lower};
use crate::isa::Type;
use crate::program::Code;
use crate::syntax::{self, Function, Initial, SourceText, Space, Tree, Variable};

/// Bytes of all module variables together.
const MAX_MODULE_BYTES: u64 = 1 << 34;

/// A parsed, checked and decoded PTX text.
#[derive(Debug)]
pub struct Module {
    /// Tells modules apart in the tables of a [`crate::Simulator`].
    pub(crate) id: u64,
    pub(crate) variables: Vec<ModuleVariable>,
    target: Option<Box<str>>,
    kernels: Vec<Kernel>,
}

/// A `.global` or `.const` variable.
#[derive(Debug)]
pub(crate) struct ModuleVariable {
    pub(crate) name: Arc<str>,
    pub(crate) size: u64,
    pub(crate) initial: Vec<u8>,
    pub(crate) relocations: Vec<Relocation>,
}

/// An address in an initial value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) at: u64,
    pub(crate) bytes: u64,
    pub(crate) variable: u32,
    pub(crate) offset: i64,
    pub(crate) mask: u64,
}

/// A kernel (`.entry`) of a module.
#[derive(Debug)]
pub struct Kernel {
    name: Box<str>,
    params: Vec<Param>,
    param_bytes: usize,
    required_block: Option<[u32; 3]>,
    max_block: Option<[u32; 3]>,
    pub(crate) code: Arc<Code>,
}

/// A kernel parameter and its place in the parameter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name in the PTX text.
    pub name: Box<str>,
    /// Offset in the parameter block, in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
}

impl Kernel {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters in order.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Bytes of the parameter block that a launch passes.
    pub fn param_bytes(&self) -> usize {
        self.param_bytes
    }

    /// Shared memory that every block has, in bytes; a launch may add to it.
    pub fn static_shared_bytes(&self) -> usize {
        self.code.shared_bytes as usize
    }

    /// Local memory of a thread, in bytes.
    pub fn local_bytes(&self) -> usize {
        self.code.local_bytes as usize
    }

    /// The only block extent allowed (`.reqntid`).
    pub fn required_block(&self) -> Option<[u32; 3]> {
        self.required_block
    }

    /// The most threads of a block (`.maxntid`).
    pub fn max_threads(&self) -> Option<u32> {
        self.max_block.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z))
    }
}

impl Module {
    /// Reads a PTX text; `file` is its name in messages.
    ///
    /// # Errors
    /// Everything found wrong, each with its place: syntax, unknown names and instructions, operands
    /// that do not fit, and what is not supported.
    pub fn parse(text: &str, file: &str) -> Result<Module, Vec<Diagnostic>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if text.len() > (1 << 30) {
            return Err(vec![Diagnostic::error(format!(
                "{file}: a PTX text over 1 GiB is not read"
            ))]);
        }
        let source = SourceText::new(text, file);
        let (tree, errors) = syntax::parse(&source);
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut errors = Vec::new();
        let names = names(&tree, &source, &mut errors);
        let variables = variables(&tree, &names, &source, &mut errors);
        let mut kernels = Vec::new();
        for function in tree.functions.iter().filter(|f| f.is_entry && f.body.is_some()) {
            let (params, param_bytes) = layout(&function.params);
            let offsets: Vec<_> = function
                .params
                .iter()
                .zip(&params)
                .map(|(p, q)| (p.name.text, q.offset as u64))
                .collect();
            match lower(&source, &tree, &names, function, &offsets) {
                Ok(code) => kernels.push(Kernel {
                    name: function.name.text.into(),
                    params,
                    param_bytes,
                    required_block: function.required_block,
                    max_block: function.max_block,
                    code: Arc::new(code),
                }),
                Err(found) => errors.extend(found),
            }
        }
        if !errors.is_empty() {
            // A device function inlined in several kernels reports its errors once.
            let mut seen = Vec::new();
            errors.retain(|error: &Diagnostic| {
                let key = (error.place.clone(), error.message.clone());
                !seen.contains(&key) && {
                    seen.push(key);
                    true
                }
            });
            return Err(errors);
        }
        let target = tree.target.map(|name| name.text.into());
        Ok(Module { id: NEXT.fetch_add(1, Ordering::Relaxed), variables, target, kernels })
    }

    /// The `.target` of the text (`sm_80`). The simulator itself runs code for any target.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// The kernels in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.iter()
    }

    /// The kernel of a name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name() == name)
    }
}

fn layout(variables: &[Variable<'_>]) -> (Vec<Param>, usize) {
    let mut offset = 0usize;
    let mut params = Vec::new();
    for variable in variables {
        let align = variable.align.max(1) as usize;
        offset = offset.next_multiple_of(align);
        params.push(Param {
            name: variable.name.text.into(),
            offset,
            size: variable.size as usize,
            align,
        });
        offset = offset.saturating_add(variable.size as usize);
    }
    (params, offset)
}

fn names<'a, 't>(
    tree: &'t Tree<'a>,
    source: &SourceText<'a>,
    errors: &mut Vec<Diagnostic>,
) -> Names<'a, 't> {
    let mut functions: FxHashMap<&str, &Function<'_>> = FxHashMap::default();
    for function in &tree.functions {
        match functions.get(function.name.text) {
            Some(known) if known.body.is_some() && function.body.is_some() => {
                let place = source.place(function.name.span);
                errors.push(
                    Diagnostic::error(format!(
                        "function `{}` is defined twice",
                        function.name.text
                    ))
                    .at(place)
                    .related(source.place(known.name.span), "the other definition is here"),
                );
            }
            Some(known) if known.body.is_some() => {}
            _ => {
                functions.insert(function.name.text, function);
            }
        }
    }
    for (new, old) in &tree.aliases {
        match functions.get(old.text) {
            Some(&function) => {
                functions.insert(new.text, function);
            }
            None => errors.push(
                Diagnostic::error(format!("`{}` is not a function of this module", old.text))
                    .at(source.place(old.span)),
            ),
        }
    }
    let mut variables: FxHashMap<&str, u32> = FxHashMap::default();
    for (index, variable) in tree.variables.iter().enumerate() {
        if let Some(&known) = variables.get(variable.name.text) {
            let known = &tree.variables[known as usize];
            if !known.external && !variable.external {
                errors.push(
                    Diagnostic::error(format!(
                        "variable `{}` is defined twice",
                        variable.name.text
                    ))
                    .at(source.place(variable.name.span))
                    .related(source.place(known.name.span), "the other definition is here"),
                );
            }
            if variable.external {
                continue;
            }
        }
        variables.insert(variable.name.text, index as u32);
    }
    for variable in &tree.variables {
        let defined = variables.get(variable.name.text).map(|&i| &tree.variables[i as usize]);
        let missing = defined.is_some_and(|v| v.external && v.space != Space::Shared);
        if missing {
            errors.push(
                Diagnostic::error(format!(
                    "variable `{}` is not defined in this module",
                    variable.name.text
                ))
                .at(source.place(variable.name.span)),
            );
        }
    }
    let files = tree.files.iter().map(|&(number, name)| (number, Arc::from(name))).collect();
    Names { functions, variables, files }
}

/// The initial bytes of every variable; those of other spaces stay empty, so that numbers agree
/// with the tree's.
fn variables(
    tree: &Tree<'_>,
    names: &Names<'_, '_>,
    source: &SourceText<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<ModuleVariable> {
    let mut total = 0u64;
    let mut out = Vec::new();
    for variable in &tree.variables {
        let place = || source.place(variable.name.span);
        let mut size = if variable.space == Space::Shared { 0 } else { variable.size };
        total = total.saturating_add(size);
        if total > MAX_MODULE_BYTES {
            errors
                .push(Diagnostic::error("the variables of this module exceed 16 GiB").at(place()));
            size = 0;
        }
        let mut converted = ModuleVariable {
            name: variable.name.text.into(),
            size,
            initial: Vec::new(),
            relocations: Vec::new(),
        };
        let width = variable.element.bytes();
        for (i, item) in variable.initial.iter().enumerate() {
            let bits = match (*item, variable.element) {
                (Initial::Int(value), Type::F32 | Type::F64) if value != 0 => {
                    let value = value as i64 as f64;
                    if width == 4 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
                }
                (Initial::Int(value), _) => value,
                (Initial::F32(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
                (Initial::F32(bits), _) => u64::from(bits),
                (Initial::F64(bits), Type::F32) => {
                    u64::from((f64::from_bits(bits) as f32).to_bits())
                }
                (Initial::F64(bits), _) => bits,
                (Initial::Address { symbol, offset, mask }, _) => {
                    match names.variables.get(symbol.text) {
                        Some(&index) if tree.variables[index as usize].space != Space::Shared => {
                            let at = i as u64 * width;
                            let relocation =
                                Relocation { at, bytes: width, variable: index, offset, mask };
                            converted.relocations.push(relocation);
                        }
                        _ => errors.push(
                            Diagnostic::error(format!(
                                "`{}` is not a variable whose address can stand here",
                                symbol.text
                            ))
                            .at(source.place(symbol.span)),
                        ),
                    }
                    0
                }
            };
            converted.initial.extend_from_slice(&bits.to_le_bytes()[..width.min(8) as usize]);
        }
        out.push(converted);
    }
    out
}
