//! Modules: PTX texts parsed, linked and decoded, and their kernels.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use gpuc_diagnostics::Diagnostic;

use crate::decode::lower;
use crate::isa::Type;
use crate::link::{Item, Linked, Program};
use crate::program::{Code, function_address};
use crate::syntax::{Initial, Linkage, Name, Space, Variable};

/// Bytes of all module variables together.
const MAX_MODULE_BYTES: u64 = 1 << 34;

/// One or several PTX texts, parsed, checked, linked and decoded.
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
    required_cluster: Option<[u32; 3]>,
    pub(crate) grid_of_clusters: bool,
    /// Its number in the program.
    number: u32,
    linked: Arc<Linked>,
    decoded: OnceLock<Decoded>,
}

/// What a kernel is for the executor.
#[derive(Debug)]
struct Decoded {
    /// Empty where there are refusals.
    code: Code,
    refusals: Vec<Diagnostic>,
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
    /// Decodes the kernel when it is first asked for.
    fn decoded(&self) -> &Decoded {
        self.decoded.get_or_init(|| {
            let program = self.linked.borrow_dependent();
            let params = &program.functions[self.number as usize].item.params;
            let offsets: Vec<_> = params
                .iter()
                .zip(&self.params)
                .map(|(variable, param)| (variable.name.text, param.offset as u64))
                .collect();
            match lower(program, self.number, &offsets) {
                Ok(code) => Decoded { code, refusals: Vec::new() },
                Err(refusals) => Decoded { code: Code::default(), refusals },
            }
        })
    }

    pub(crate) fn code(&self) -> &Code {
        &self.decoded().code
    }

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
        self.code().shared_bytes as usize
    }

    /// Local memory of a thread, in bytes.
    pub fn local_bytes(&self) -> usize {
        self.code().local_bytes as usize
    }

    /// Registers that a thread will need, where no assembler has said.
    pub fn estimated_registers(&self) -> u32 {
        crate::profile::estimated_registers(self.code())
    }

    /// Why the kernel cannot be launched: what is wrong in its body or in the functions that it
    /// calls, or is not supported there. Empty for a kernel that can.
    pub fn refusals(&self) -> &[Diagnostic] {
        &self.decoded().refusals
    }

    /// The only block extent allowed (`.reqntid`).
    pub fn required_block(&self) -> Option<[u32; 3]> {
        self.required_block
    }

    /// The only cluster extent allowed (`.reqnctapercluster`), in blocks.
    pub fn required_cluster(&self) -> Option<[u32; 3]> {
        self.required_cluster
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
    /// Everything found wrong with the text as a whole, each with its place: syntax, names defined
    /// twice or nowhere. What is wrong in the body of a kernel or is not supported there is kept
    /// with it ([`Kernel::refusals`]) and refuses its launch alone.
    pub fn parse(text: &str, file: &str) -> Result<Module, Vec<Diagnostic>> {
        Module::link(&[(text, file)])
    }

    /// Reads several PTX texts, each with its name for messages, as one module: what one declares
    /// `.extern` another defines.
    ///
    /// # Errors
    /// As of [`Module::parse`], and names that two texts define.
    pub fn link(texts: &[(&str, &str)]) -> Result<Module, Vec<Diagnostic>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        for &(text, file) in texts {
            if text.len() > (1 << 30) {
                let message = format!("{file}: a PTX text over 1 GiB is not read");
                return Err(vec![Diagnostic::error(message)]);
            }
        }
        let owned = texts.iter().map(|&(text, file)| (text.into(), file.into())).collect();
        let linked = Linked::try_new(owned, |texts| Program::new(texts))?;
        let program = linked.borrow_dependent();
        let mut errors = Vec::new();
        let variables = variables(program, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let target = program.texts.iter().find_map(|text| text.target).map(Into::into);
        let linked = Arc::new(linked);
        let kernels = kernels(&linked);
        Ok(Module { id: NEXT.fetch_add(1, Ordering::Relaxed), variables, target, kernels })
    }

    /// Everything that is wrong or not supported in the bodies of the module's kernels, once.
    pub fn refusals(&self) -> Vec<&Diagnostic> {
        let mut seen: Vec<&Diagnostic> = Vec::new();
        for found in self.kernels.iter().flat_map(Kernel::refusals) {
            if !seen.contains(&found) {
                seen.push(found);
            }
        }
        seen
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

/// The kernels of a program, not decoded yet.
fn kernels(linked: &Arc<Linked>) -> Vec<Kernel> {
    let functions = linked.borrow_dependent().functions.iter().enumerate();
    functions
        .filter(|(_, function)| function.item.is_entry && function.item.body.is_some())
        .map(|(number, Item { item: function, .. })| {
            let (params, param_bytes) = layout(&function.params);
            Kernel {
                name: function.name.text.into(),
                params,
                param_bytes,
                required_block: function.required_block,
                max_block: function.max_block,
                required_cluster: function.required_cluster,
                grid_of_clusters: function.grid_of_clusters,
                number: number as u32,
                linked: Arc::clone(linked),
                decoded: OnceLock::new(),
            }
        })
        .collect()
}

/// The initial bytes of every variable; those of other spaces stay empty, so that numbers agree
/// with the program's.
fn variables(program: &Program<'_>, errors: &mut Vec<Diagnostic>) -> Vec<ModuleVariable> {
    let mut total = 0u64;
    let mut out = Vec::new();
    for &Item { text, item: ref variable } in &program.variables {
        let place = |name: Name<'_>| program.texts[text].source.place(name.span);
        // An address is taken of the definition, so declarations stay empty too.
        let mut size = match (variable.space, variable.linkage) {
            (Space::Shared, _) | (_, Linkage::Extern) => 0,
            _ => variable.size,
        };
        total = total.saturating_add(size);
        if total > MAX_MODULE_BYTES {
            let message = "the variables of this module exceed 16 GiB";
            errors.push(Diagnostic::error(message).at(place(variable.name)));
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
                    let at = i as u64 * width;
                    let function = program.function(text, symbol.text);
                    match (program.variable(text, symbol.text), function) {
                        (Some(index), _)
                            if program.variables[index as usize].item.space != Space::Shared =>
                        {
                            let relocation =
                                Relocation { at, bytes: width, variable: index, offset, mask };
                            converted.relocations.push(relocation);
                            0
                        }
                        (None, Some(number)) => {
                            let address = function_address(number).wrapping_add_signed(offset);
                            (address & mask) >> mask.trailing_zeros().min(63)
                        }
                        _ => {
                            let message = format!(
                                "`{}` is not a variable or function whose address can stand here",
                                symbol.text
                            );
                            errors.push(Diagnostic::error(message).at(place(symbol)));
                            0
                        }
                    }
                }
            };
            converted.initial.extend_from_slice(&bits.to_le_bytes()[..width.min(8) as usize]);
        }
        out.push(converted);
    }
    out
}
