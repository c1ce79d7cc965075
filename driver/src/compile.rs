//! One translation unit: C text to PTX and host C.
//!
//! [`Unit`] holds what a compilation has so far; its methods are the steps, in order: `read`,
//! `lower`, those of [`pipelines::STEPS`], `print_ptx`, `rewrite`. [`emit`] stops at the level asked
//! for, [`compile`] goes through.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, Severity, Sources, codes};
use gpuc_dialects::gpu::{GPUFuncOp, GPUModuleOp, LaunchFuncOp};
use gpuc_dialects::nvvm;
use gpuc_dialects::offload::{ORDERED_SUMS_ATTR, RegionOp};
use gpuc_dialects::ptx::PtxModuleOp;
use gpuc_frontend_c::lower::{self, Lowered};
use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_frontend_c::tree::TranslationUnit;
use gpuc_frontend_c::{host, lex};
use gpuc_ir::pass::PassManager;
use gpuc_ir::text::{PrintOptions, print_op};
use gpuc_ir::verify::verify;
use gpuc_ir::{Builder, Ir, Op, OpView, WalkOrder};

use crate::cc::arguments::{Auto, Contraction};
use crate::cc::{Arguments, dependencies, refused, scan};
use crate::device_code::{self, is_device_code};
pub use crate::failure::Failure;
use crate::guides::Guides;
use crate::opt::instruments::{IrPrinter, timing_report};
use crate::pipelines::{self, Action, Stage};
use crate::wishes::Wishes;
use crate::{auto, devmath, feedback, search, text};

/// A level that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Tokens of the preprocessed text.
    Tokens,
    /// The typed tree.
    Ast,
    /// IR: what the program says.
    Source,
    /// IR: loops and accesses in closed form.
    Affine,
    /// IR: kernels and launches.
    Gpu,
    /// IR: the kernels as instructions, in the ptx dialect.
    PtxIr,
    /// PTX text.
    Ptx,
    /// The host program.
    HostC,
    /// Nests as diKernels, from IR with loops and accesses in closed form.
    Kir,
    /// What was decided: the plan of each construct.
    Plan,
    /// What kernels are expected to take, from their loops alone.
    Forecast,
    /// The tasks of each function, and what moves between them.
    TaskGraph,
    /// The same as a picture.
    TaskGraphSvg,
}

impl Level {
    /// All, by their names.
    const ALL: [(&str, Level); 13] = [
        ("tokens", Level::Tokens),
        ("ast", Level::Ast),
        ("source", Level::Source),
        ("affine", Level::Affine),
        ("gpu", Level::Gpu),
        ("ptx-ir", Level::PtxIr),
        ("ptx", Level::Ptx),
        ("host-c", Level::HostC),
        ("kir", Level::Kir),
        ("plan", Level::Plan),
        ("forecast", Level::Forecast),
        ("task-graph", Level::TaskGraph),
        ("task-graph-svg", Level::TaskGraphSvg),
    ];

    /// Names, in order of the levels.
    pub const NAMES: &[&str] = &{
        let mut names = [""; Level::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Level::ALL[at].0;
            at += 1;
        }
        names
    };

    /// The level of a name.
    pub fn parse(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, level)| level)
    }
}

/// What compilation of a source came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// There is nothing to offload: the host compiler takes the source as it is.
    Untouched {
        /// Options by which the host compiler writes what it depends on, where the preprocessor has not.
        dependencies: Vec<OsString>,
    },
    /// Preprocessed C for the host compiler, with the PTX inside.
    HostC {
        /// The text.
        text: String,
        /// Options that it needs beside the user's.
        options: &'static [&'static str],
    },
}

/// The text of a level.
pub fn emit(source: &Path, arguments: &Arguments, level: Level) -> Result<String, Failure> {
    if is_device_code(source) {
        return device_code::emit(source, arguments, level);
    }
    let only_needed =
        !matches!(level, Level::Tokens | Level::Ast | Level::TaskGraph | Level::TaskGraphSvg);
    let emitted = text::preprocess(source, only_needed, arguments)
        .and_then(|text| emit_text(text, arguments, level));
    emitted.map_err(|failure| failure.with_ways(source, arguments))
}

/// What preprocessed C has become at a level of IR, its module and the target; nothing is printed.
pub fn at_level(
    text: &Preprocessed,
    arguments: &Arguments,
    guides: &Guides,
    level: Level,
) -> Result<(Ir, Op, &'static Arch), Failure> {
    let mut unit = Unit::read(text.clone(), arguments)?;
    unit.lower(guides)?;
    unit = unit.advance_as_asked(text, guides, Some(level))?;
    let module = unit.module();
    Ok((unit.ir, module, unit.arch))
}

/// The text of a level, from preprocessed C on: all that gpuc itself does.
pub fn emit_text(
    text: Preprocessed,
    arguments: &Arguments,
    level: Level,
) -> Result<String, Failure> {
    if level == Level::Tokens {
        return Ok(lex::dump(&lex::lex(text.text.clone(), &text.file, arguments.families)));
    }
    guided(arguments, text, |text, guides| {
        let mut unit = Unit::read(text.clone(), arguments)?;
        match level {
            Level::Ast => return Ok(gpuc_frontend_c::tree::dump(&unit.tree)),
            Level::TaskGraph => return Ok(gpuc_frontend_c::auto::tasks::dot(&unit.tree)),
            Level::TaskGraphSvg => return Ok(gpuc_frontend_c::auto::tasks::svg(&unit.tree)),
            _ => {}
        }
        unit.lower(guides)?;
        unit = unit.advance_as_asked(
            &text,
            guides,
            Some(match level {
                Level::Kir => Level::Affine,
                Level::Plan | Level::Forecast => Level::Gpu,
                level => level,
            }),
        )?;
        if matches!(level, Level::Ptx | Level::PtxIr) {
            unit.warn_of_no_kernels();
        }
        let result = match level {
            Level::Ptx => unit.print_ptx()?,
            Level::HostC => unit.rewrite(host::Reader::Person)?,
            Level::Plan => gpuc_passes::plan::passes::printed(&unit.ir, unit.module()),
            Level::Forecast => {
                let (ir, module) = (&unit.ir, unit.module());
                gpuc_passes::forecast::text::text_of(ir, module, &arguments.sizes, unit.arch)
            }
            Level::Kir => gpuc_passes::analysis::kir::print::text_of(&unit.ir, unit.module()),
            _ => {
                let mut text = String::new();
                let options = PrintOptions {
                    locations: arguments.print_locations,
                    ..PrintOptions::default()
                };
                // A string takes all that is written to it.
                let _ = print_op(&unit.ir, unit.module(), options, &mut text);
                text
            }
        };
        unit.finish()?;
        Ok(result)
    })
}

/// The whole way.
pub fn compile(source: &Path, arguments: &Arguments) -> Result<Emitted, Failure> {
    if is_device_code(source) {
        let text = device_code::compile(source, arguments)?;
        return Ok(Emitted::HostC { text, options: &[] });
    }
    if let Some(untouched) = without_preprocessor(source, arguments) {
        return Ok(untouched);
    }
    compile_c(source, arguments).map_err(|failure| failure.with_ways(source, arguments))
}

fn compile_c(source: &Path, arguments: &Arguments) -> Result<Emitted, Failure> {
    guided(arguments, text::preprocess(source, true, arguments)?, |text, guides| {
        let mut unit = Unit::read(text.clone(), arguments)?;
        if unit.tree.directives.is_empty() {
            // The host compiler preprocesses once more, and warns of it.
            unit.diagnostics.drain(..unit.preprocessor_warnings);
            let clang = unit.tree.dialect.clang;
            unit.finish()?;
            return Ok(match text.translated {
                true => Emitted::HostC {
                    text: String::from_utf8_lossy(&text.text).into_owned(),
                    options: host_options(clang),
                },
                false => Emitted::Untouched { dependencies: Vec::new() },
            });
        }
        unit.lower(guides)?;
        unit = unit.advance_as_asked(&text, guides, None)?;
        let text = unit.rewrite(host::Reader::Compiler)?;
        let options = host_options(unit.tree.dialect.clang);
        unit.finish()?;
        Ok(Emitted::HostC { text, options })
    })
}

/// Options of the host compiler for a preprocessed text: with -pedantic Clang warns of the markers that its own
/// preprocessor writes.
fn host_options(clang: bool) -> &'static [&'static str] {
    if clang { &["-Wno-gnu-line-marker"] } else { &[] }
}

/// All that there is to say of a source.
#[derive(Debug)]
pub struct Examined {
    /// Errors, warnings and remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// What was decided: the plan of each construct, as `--emit=plan` prints it.
    pub plans: String,
    /// The program; `None` where there is nothing to read.
    pub tree: Option<TranslationUnit>,
}

/// Compiles what an editor has of a source as far as there is something to say, and says it to the caller alone.
pub fn examine(source: &Path, buffer: &[u8], arguments: &Arguments) -> Examined {
    let failed = |failure: Failure| Examined {
        diagnostics: failure.diagnostics,
        plans: String::new(),
        tree: None,
    };
    let guides = match Guides::read(arguments) {
        Ok(guides) => guides,
        Err(error) => return failed(error.into()),
    };
    let text = match text::preprocess_buffer(source, Some(buffer), false, arguments) {
        Ok(text) => text,
        Err(failure) => return failed(failure),
    };
    let mut unit = Unit::open(text, arguments);
    let mut plans = String::new();
    if !unit.diagnostics.iter().any(Diagnostic::is_error) {
        let done = match unit.find_nests() {
            Err(error) => Err(unit.fail(vec![error])),
            Ok(()) if unit.tree.directives.is_empty() => Ok(()),
            Ok(()) => unit.lower(&guides).and_then(|()| unit.advance(None)),
        };
        match done {
            Ok(()) => unit.say_all(),
            Err(failure) => unit.diagnostics = failure.diagnostics,
        }
        if unit.lowered.is_some() {
            plans = gpuc_passes::plan::passes::printed(&unit.ir, unit.module());
        }
    }
    Examined { diagnostics: unit.diagnostics, plans, tree: Some(unit.tree) }
}

/// A source of which the text alone shows that there is nothing for gpuc.
fn without_preprocessor(source: &Path, arguments: &Arguments) -> Option<Emitted> {
    let dependencies = dependencies::flags(arguments, source);
    // Of several sources the host compiler would write one file.
    let writable = dependencies.is_empty()
        || (arguments.sources.len() == 1 && !dependencies::to_standard_output(&dependencies));
    let asked = arguments.auto.is_some()
        || arguments.contraction == Contraction::On
        || arguments.families.jolokia;
    let plain = writable && !asked && !scan::may_hold_directives(source, arguments);
    plain.then_some(Emitted::Untouched { dependencies })
}

/// Compiles by what the user wants followed, and again without what of it is refused, where that is allowed.
fn guided<T>(
    arguments: &Arguments,
    text: Preprocessed,
    compile: impl Fn(Preprocessed, &Guides) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut guides = Guides::read(arguments)?;
    if arguments.search {
        // What cannot be compiled says so below.
        let _ = search::guide(&text, arguments, &mut guides);
    }
    loop {
        let failure = match compile(text.clone(), &guides) {
            Ok(result) => return Ok(result),
            Err(failure) => failure,
        };
        let mut errors = failure.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        match errors.find_map(|error| guides.leave_out(error, arguments)) {
            Some(warning) => {
                if feedback::print(&[warning], &Sources::new(), arguments.remarks) > 0 {
                    return Err(Failure::default());
                }
            }
            None => return Err(failure),
        }
    }
}

/// Notes at each kernel how many registers its threads may have, where an option says so.
pub(crate) fn limit_registers(ir: &mut Ir, module: Op, arguments: &Arguments) {
    let Some(most) = arguments.max_registers else { return };
    let most = ir.ctx.i64_attr(most.into());
    for kernel in ir.nested_ops(module, WalkOrder::PreOrder) {
        if GPUFuncOp::is(ir, kernel) {
            ir.set_attr(kernel, nvvm::MAX_REGISTERS, most);
        }
    }
}

/// How C is lowered.
pub(crate) fn lower_options(arguments: &Arguments) -> lower::Options {
    lower::Options {
        only: None,
        always: arguments.auto == Some(Auto::All),
        contract: arguments.contraction.fuses(),
        unsupported_on_host: arguments.unsupported_on_host,
    }
}

/// A translation unit on its way.
struct Unit<'a> {
    arguments: &'a Arguments,
    /// The lowest architecture, for which everything is decided.
    arch: &'static Arch,
    /// Further ones, for which the image has code of its own, ascending.
    more_archs: Vec<&'static Arch>,
    tree: TranslationUnit,
    ir: Ir,
    lowered: Option<Lowered>,
    manager: PassManager,
    /// What the image has for further architectures.
    codes: Vec<host::Code>,
    /// Warnings and remarks so far.
    diagnostics: Vec<Diagnostic>,
    /// How many of them, the first ones, are the preprocessor's.
    preprocessor_warnings: usize,
    /// The name of the source.
    file: Arc<str>,
}

impl<'a> Unit<'a> {
    fn read(text: Preprocessed, arguments: &'a Arguments) -> Result<Unit<'a>, Failure> {
        let mut unit = Unit::open(text, arguments);
        if unit.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(unit.diagnostics.into());
        }
        if arguments.families.jolokia {
            let errors = auto::check_asked(&unit.tree, arguments);
            if !errors.is_empty() {
                unit.diagnostics.extend(errors);
                return Err(unit.diagnostics.into());
            }
        }
        if let Err(error) = unit.find_nests() {
            return Err(unit.fail(vec![error]));
        }
        Ok(unit)
    }

    /// The unit with what is wrong with it.
    fn open(text: Preprocessed, arguments: &'a Arguments) -> Unit<'a> {
        let (tree, found) = gpuc_frontend_c::read(&text, arguments.families);
        let file = text.file.clone();
        let mut diagnostics = text.warnings;
        let preprocessor_warnings = diagnostics.len();
        // Types of another size make errors of their own.
        let refused = tree.directives.iter().next().and_then(|(_, directive)| {
            let error = refused::find(&arguments.compile_flags, &text.text)?;
            Some(error.at(tree.place(directive.span)))
        });
        match refused {
            Some(refused) => diagnostics.push(refused),
            None => diagnostics.extend(found),
        }
        diagnostics.extend(feedback::not_offloaded(&tree, arguments.families));
        if arguments.contraction == Contraction::On {
            let text = "-ffp-contract=on: no multiplication and addition are fused, as with off";
            diagnostics.push(Diagnostic::missed(text));
        }
        let mut ir = Ir::new();
        gpuc_dialects::register_all(&mut ir.ctx);
        let mut manager = PassManager::new();
        if arguments.print_after_all {
            manager.instruments.push(Box::new(IrPrinter::after_all()));
        }
        // Passes are tested with the verifier on; a compilation verifies between the stages.
        manager.skip_verify = true;
        let lowered = None;
        Unit {
            arguments,
            // Until it is lowered.
            arch: Arch::default_target(),
            more_archs: Vec::new(),
            tree,
            ir,
            lowered,
            manager,
            codes: Vec::new(),
            diagnostics,
            preprocessor_warnings,
            file,
        }
    }

    /// `--auto`.
    fn find_nests(&mut self) -> Result<(), Diagnostic> {
        if self.arguments.auto.is_some() && self.arguments.families.openacc {
            self.diagnostics.extend(auto::find(&mut self.tree, self.arguments)?);
        }
        Ok(())
    }

    fn module(&self) -> Op {
        self.lowered.as_ref().expect("the unit has been lowered").module
    }

    /// Everything said so far, with one more error.
    fn fail(&mut self, errors: Vec<Diagnostic>) -> Failure {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        diagnostics.append(&mut self.manager.diagnostics);
        diagnostics.retain(|diagnostic| diagnostic.severity != Severity::Remark);
        diagnostics.extend(errors);
        Failure { diagnostics }
    }

    fn lower(&mut self, guides: &Guides) -> Result<(), Failure> {
        match self.arguments.archs() {
            Ok([lowest, others @ ..]) => {
                (self.arch, self.more_archs) = (lowest, others.to_vec());
            }
            Ok([]) => {}
            Err(error) => return Err(self.fail(vec![error])),
        }
        let options = lower_options(self.arguments);
        match lower::lower_unit(&self.tree, &mut self.ir, options) {
            Ok(mut lowered) => {
                self.diagnostics.append(&mut lowered.remarks);
                if !self.arguments.associative {
                    let unit = self.ir.ctx.unit_attr();
                    let body = self.ir.body(lowered.module, 0);
                    for func in self.ir.ops(body).collect::<Vec<_>>() {
                        self.ir.set_attr(func, ORDERED_SUMS_ATTR, unit);
                    }
                }
                guides.put(&mut self.ir, lowered.module);
                self.diagnostics.extend_from_slice(&guides.remarks);
                self.lowered = Some(lowered);
                self.check("lowering of C")
            }
            Err(errors) => Err(self.fail(errors)),
        }
    }

    /// An invalid module here is an error of ours: it is reported as such, with the place.
    fn check(&mut self, step: &str) -> Result<(), Failure> {
        let module = self.module();
        match verify(&mut self.ir, module) {
            Ok(()) => Ok(()),
            Err(errors) => {
                let errors = errors
                    .into_iter()
                    .map(|error| {
                        let place = error.place.clone();
                        Diagnostic::error(format!(
                            "internal error of gpuc: {step} gave invalid IR: {}",
                            error.message
                        ))
                        .at_option(place)
                        .help("please report it with the source that shows it")
                    })
                    .collect();
                Err(self.fail(errors))
            }
        }
    }

    /// The steps up to the one that reaches a level, with what directives ask of plans: the compiler's own decisions are
    /// found first, and taken again with theirs in them.
    fn advance_as_asked(
        mut self,
        text: &Preprocessed,
        guides: &Guides,
        level: Option<Level>,
    ) -> Result<Unit<'a>, Failure> {
        let lowered = self.lowered.as_ref().expect("the unit has been lowered");
        let (mut wishes, mut warnings) = Wishes::of(&self.tree, lowered);
        if wishes.is_empty() {
            self.diagnostics.append(&mut warnings);
            self.advance(level)?;
            return Ok(self);
        }
        let remarks = &self.arguments.remarks;
        let plans = loop {
            let (module, lowered) = (self.module(), self.lowered.as_ref());
            let lowered = lowered.expect("the unit has been lowered");
            wishes.ask(&mut self.ir, module, lowered);
            match self.advance(Some(Level::Gpu)) {
                Ok(()) => {
                    let lowered = self.lowered.as_ref().expect("the unit has been lowered");
                    let found =
                        wishes.find(&mut self.ir, module, lowered, &self.manager.diagnostics);
                    warnings.extend(found);
                    let printed = gpuc_passes::plan::passes::printed(&self.ir, module);
                    break gpuc_passes::plan::text::parse(&printed, &text.file)?;
                }
                Err(failure) => match wishes.leave_out(&failure.diagnostics, remarks) {
                    Some(warning) => warnings.push(warning),
                    None => return Err(failure),
                },
            }
            self = Unit::read(text.clone(), self.arguments)?;
            self.lower(guides)?;
        };
        loop {
            let mut unit = Unit::read(text.clone(), self.arguments)?;
            unit.lower(guides)?;
            let module = unit.module();
            if let Some(lowered) = &unit.lowered {
                wishes.give(&mut unit.ir, module, lowered, &plans);
            }
            match unit.advance(level) {
                Ok(()) => {
                    unit.diagnostics.append(&mut warnings);
                    return Ok(unit);
                }
                Err(failure) => match wishes.leave_out(&failure.diagnostics, remarks) {
                    Some(warning) => warnings.push(warning),
                    None => return Err(failure),
                },
            }
        }
    }

    /// The steps up to the one that reaches a level; all without one.
    fn advance(&mut self, level: Option<Level>) -> Result<(), Failure> {
        for step in pipelines::STEPS {
            match step.action {
                Action::Run(stage) => {
                    let is_last = stage.name == pipelines::SELECT.name;
                    if is_last && level.is_none_or(|level| level == Level::HostC) {
                        self.select_for_others()?;
                    }
                    self.run(stage)?;
                    if stage.name == pipelines::PARALLEL.name {
                        let module = self.module();
                        limit_registers(&mut self.ir, module, self.arguments);
                        self.remark_forecasts();
                    }
                }
                Action::LinkDeviceMath => self.link_devmath()?,
            }
            if step.reaches.is_some() && step.reaches == level {
                break;
            }
        }
        Ok(())
    }

    fn run(&mut self, stage: Stage) -> Result<(), Failure> {
        let registry = pipelines::registry();
        let module = self.module();
        let anchor = self.ir.name(module);
        let mut pipeline = pipelines::pipeline(stage, anchor, self.arch, &registry)
            .map_err(|error| Diagnostic::error(format!("pipeline {}: {error}", stage.name)))?;
        if let Err(failure) = self.manager.run(&mut self.ir, module, &mut pipeline) {
            return Err(self.fail(failure.errors));
        }
        self.check(stage.name)
    }

    /// The operation of a kind directly in the module.
    fn find(&self, is: impl Fn(&Ir, Op) -> bool) -> Option<Op> {
        let block = self.ir.body(self.module(), 0);
        self.ir.ops(block).find(|&op| is(&self.ir, op))
    }

    /// Says what kernels are expected to take, where that is wanted.
    fn remark_forecasts(&mut self) {
        if self.arguments.remarks.forecast {
            let (module, sizes) = (self.module(), &self.arguments.sizes);
            let remarks = gpuc_passes::forecast::remark_forecasts::remarks(
                &self.ir, module, sizes, self.arch,
            );
            self.manager.diagnostics.extend(remarks);
        }
    }

    fn link_devmath(&mut self) -> Result<(), Failure> {
        match self.find(GPUModuleOp::is) {
            Some(kernels) => {
                devmath::link(&mut self.ir, kernels, self.arch).map_err(|errors| self.fail(errors))
            }
            None => Ok(()),
        }
    }

    /// The PTX text: of no kernels, where the file has only data directives or empty regions.
    fn print_ptx(&mut self) -> Result<String, Failure> {
        if let Some(kernels) = self.find(PtxModuleOp::is) {
            return Ok(gpuc_backend_ptx::print(&self.ir, kernels, true));
        }
        let module = self.module();
        let (block, location) = (self.ir.body(module, 0), self.ir.location(module));
        GPUModuleOp::create(&mut Builder::at_end(&mut self.ir, block, location), "kernels");
        self.run(pipelines::SELECT)?;
        let kernels = self.find(PtxModuleOp::is).expect("selection leaves a ptx.module");
        Ok(gpuc_backend_ptx::print(&self.ir, kernels, true))
    }

    /// Whoever asks for PTX and gets an empty module wants to know why.
    fn warn_of_no_kernels(&mut self) {
        if self.find(PtxModuleOp::is).is_some() {
            return;
        }
        let lowered = self.lowered.as_ref().expect("the unit has been lowered");
        let warning = Diagnostic::warning("this file has no kernels").code(codes::EMPTY_REGION);
        let compute = lowered.constructs.iter().find(|construct| construct.compute.is_some());
        let construct = compute.or(lowered.constructs.first());
        self.diagnostics.push(match construct {
            Some(construct) => {
                let span = self.tree.directives[construct.directive].span;
                let label = match construct.compute {
                    Some(_) => "there is nothing to compute in this region",
                    None => "this moves data, and computes nothing",
                };
                warning.at(self.tree.place(span)).label(label)
            }
            None => {
                warning.help("kernels are made of compute constructs: `#pragma acc parallel loop`")
            }
        });
    }

    /// What the image has for further architectures: the same kernels, of which only the instructions are chosen anew.
    fn select_for_others(&mut self) -> Result<(), Failure> {
        let Some(kernels) = self.find(GPUModuleOp::is) else { return Ok(()) };
        for arch in self.more_archs.clone() {
            let options = gpuc_backend_ptx::Options::new(arch);
            let output = gpuc_backend_ptx::compile(&mut self.ir, kernels, &options)
                .map_err(|errors| self.fail(errors))?;
            let kernels = output.kernels.into_iter().map(|kernel| {
                let types: Vec<_> = kernel.params.iter().map(|param| param.ty.ptx()).collect();
                (kernel.name, types.join(" "))
            });
            let kernels = kernels.collect();
            self.codes.push(host::Code { arch: arch.name.to_owned(), ptx: output.text, kernels });
        }
        Ok(())
    }

    fn rewrite(&mut self, reader: host::Reader) -> Result<String, Failure> {
        let ptx = self.print_ptx()?;
        let kernels =
            self.find(PtxModuleOp::is).map(|op| gpuc_backend_ptx::signatures(&self.ir, op));
        let kernels = kernels.into_iter().flatten();
        let kernels = kernels.map(|(name, types)| (name, types.join(" "))).collect();
        let mut codes = vec![host::Code { arch: self.arch.name.to_owned(), ptx, kernels }];
        codes.append(&mut self.codes);
        let lowered = self.lowered.as_ref().expect("the unit has been lowered");
        host::rewrite(&self.tree, lowered, &self.ir, &codes, reader)
            .map_err(|error| self.fail(vec![error]))
    }

    /// Says of which regions nothing is left.
    fn remark_on_empty_regions(&mut self) {
        let Some(lowered) = &self.lowered else { return };
        for construct in &lowered.constructs {
            let Some(compute) = &construct.compute else { continue };
            let function = self.find(|ir, op| ir.symbol_name(op) == Some(&compute.symbol));
            let Some(function) = function else { continue };
            let mut inside = self.ir.nested_ops(function, WalkOrder::PreOrder).into_iter();
            // Ahead of outlining there is the region itself.
            if !inside.any(|op| LaunchFuncOp::is(&self.ir, op) || RegionOp::is(&self.ir, op)) {
                let place = self.tree.place(self.tree.directives[construct.directive].span);
                let remark = Diagnostic::missed("No kernel: there is nothing to compute here");
                self.diagnostics.push(remark.code(codes::EMPTY_REGION).at(place));
            }
        }
    }

    /// Has together what there is to say of a compilation that succeeded.
    fn say_all(&mut self) {
        self.remark_on_empty_regions();
        if let Some(lowered) = &self.lowered {
            self.diagnostics.extend(feedback::data::moved(&self.tree, lowered));
            self.diagnostics.extend(feedback::data::reduced(&self.tree));
            self.diagnostics.extend(feedback::data::excess(&self.tree, self.arguments));
            let said = &self.manager.diagnostics;
            let doubts = feedback::doubts::of(&self.tree, lowered, said);
            self.manager.diagnostics.extend(doubts);
        }
        if let Some(lowered) = &self.lowered {
            feedback::data::word(&self.tree, lowered, &mut self.manager.diagnostics);
        }
        self.diagnostics.append(&mut self.manager.diagnostics);
    }

    /// Prints it. Warnings that the command line makes errors end the compilation.
    fn finish(mut self) -> Result<(), Failure> {
        self.say_all();
        let wanted = self.arguments.remarks;
        let shown = self.diagnostics.iter_mut().filter(|found| wanted.judge(found).is_some());
        let text = || text::with_markers(Path::new(&*self.file), self.arguments);
        feedback::included::note(shown, &self.file, text);
        let errors = feedback::print(&self.diagnostics, &Sources::new(), wanted);
        self.diagnostics.retain(|remark| wanted.wants_remark(remark));
        if feedback::document::is_wanted() {
            let remarks = self.diagnostics.iter().filter(|d| d.severity == Severity::Remark);
            remarks.for_each(|remark| {
                feedback::document::keep(remark);
            });
        } else if wanted.wants_remarks() {
            let functions = feedback::info::Functions::of(&self.tree);
            let function = |remark: &Diagnostic| functions.around(remark.place.as_ref());
            eprint!("{}", feedback::info::print(&self.diagnostics, function));
        }
        if self.arguments.remarks.plan && self.lowered.is_some() {
            eprint!("{}", gpuc_passes::plan::passes::printed(&self.ir, self.module()));
        }
        if self.arguments.timing {
            eprint!("{}", timing_report(&self.manager.timings));
        }
        match errors {
            0 => Ok(()),
            // All has been said.
            _ => Err(Failure::default()),
        }
    }
}
