//! One translation unit: C text to PTX and host C.
//!
//! [`Unit`] holds what a compilation has so far; its methods are the steps, in order:
//! `read`, `lower`, [`Unit::run`] for each stage of [`pipelines::STAGES`], `link_devmath`, `assemble`,
//! `rewrite`. [`emit`] stops at the level asked for, [`compile`] goes through.

use std::path::Path;

use gpuc_backend_ptx::{Contraction, PtxOutput};
use gpuc_diagnostics::{Diagnostic, Severity, Sources};
use gpuc_dialects::gpu::GPUModuleOp;
use gpuc_frontend_c::lower::{self, Lowered};
use gpuc_frontend_c::preprocess::{self, Preprocessed};
use gpuc_frontend_c::tree::TranslationUnit;
use gpuc_frontend_c::{Families, host, lex};
use gpuc_ir::pass::PassManager;
use gpuc_ir::verify::verify;
use gpuc_ir::{Ir, Op, OpView};

use crate::cc::Arguments;
use crate::opt::instruments::{IrPrinter, timing_report};
use crate::pipelines::{self, Stage};
use crate::{devmath, feedback, toolchain};

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
    /// PTX text.
    Ptx,
    /// The host program.
    HostC,
}

impl Level {
    /// Names, in order of the levels.
    pub const NAMES: &[&str] = &["tokens", "ast", "source", "affine", "gpu", "ptx", "host-c"];

    /// The level of a name.
    pub fn parse(name: &str) -> Option<Level> {
        use Level::{Affine, Ast, Gpu, HostC, Ptx, Source, Tokens};
        let index = Level::NAMES.iter().position(|&known| known == name)?;
        Some([Tokens, Ast, Source, Affine, Gpu, Ptx, HostC][index])
    }
}

/// What compilation of a source came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// There is nothing to offload: the host compiler takes the source as it is.
    Untouched,
    /// Preprocessed C for the host compiler, with the PTX inside.
    HostC(String),
}

/// Errors that are printed; who has more fixes the first ones first.
const MOST_ERRORS: usize = 20;

/// A compilation that stopped, with everything there is to say.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    diagnostics: Vec<Diagnostic>,
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure { diagnostics }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure { diagnostics: vec![diagnostic] }
    }
}

impl Failure {
    /// Prints the diagnostics; gives the exit status.
    pub fn report(&self, arguments: &Arguments) -> i32 {
        let errors = self.diagnostics.iter().filter(|d| d.is_error()).count();
        let mut seen = 0;
        let shown = self.diagnostics.iter().take_while(|diagnostic| {
            seen += usize::from(diagnostic.is_error());
            seen <= MOST_ERRORS
        });
        let shown = &self.diagnostics[..shown.count()];
        feedback::print(shown, &Sources::new(), arguments.remarks);
        if errors > MOST_ERRORS {
            eprintln!("gpuc: {errors} errors, of which the first {MOST_ERRORS} are shown");
        } else if errors > 1 {
            eprintln!("gpuc: {errors} errors");
        }
        1
    }
}

/// The text of a level.
pub fn emit(source: &Path, arguments: &Arguments, level: Level) -> Result<String, Failure> {
    emit_text(preprocess(source, arguments)?, arguments, level)
}

/// The text of a level, from preprocessed C on: all that gpuc itself does.
pub fn emit_text(
    text: Preprocessed,
    arguments: &Arguments,
    level: Level,
) -> Result<String, Failure> {
    let families = Families { openacc: true };
    if level == Level::Tokens {
        return Ok(lex::dump(&lex::lex(text.text.clone(), &text.file, families)));
    }
    let mut unit = Unit::read(text, arguments)?;
    if level == Level::Ast {
        return Ok(gpuc_frontend_c::tree::dump(&unit.tree));
    }
    unit.lower()?;
    let stop = match level {
        Level::Source => 1,
        Level::Affine => 2,
        Level::Gpu => 3,
        _ => pipelines::STAGES.len(),
    };
    for (i, &stage) in pipelines::STAGES.iter().enumerate().take(stop) {
        unit.run(stage)?;
        if i + 1 == 3 && stop > 3 {
            unit.link_devmath()?;
        }
    }
    let result = match level {
        Level::Ptx => unit.assemble()?.text,
        Level::HostC => {
            let ptx = unit.assemble()?;
            unit.rewrite(&ptx)?
        }
        _ => unit.ir.to_text(unit.module()),
    };
    unit.finish();
    Ok(result)
}

/// The whole way.
pub fn compile(source: &Path, arguments: &Arguments) -> Result<Emitted, Failure> {
    let mut unit = Unit::read(preprocess(source, arguments)?, arguments)?;
    if unit.tree.directives.is_empty() {
        unit.finish();
        return Ok(Emitted::Untouched);
    }
    unit.lower()?;
    unit.run(pipelines::SOURCE)?;
    unit.run(pipelines::RAISE)?;
    unit.run(pipelines::PARALLEL)?;
    unit.link_devmath()?;
    unit.run(pipelines::LOWER)?;
    let ptx = unit.assemble()?;
    let text = unit.rewrite(&ptx)?;
    unit.finish();
    Ok(Emitted::HostC(text))
}

fn preprocess(source: &Path, arguments: &Arguments) -> Result<Preprocessed, Failure> {
    let mut options = preprocess::Options::new(source);
    options.cc = toolchain::host_compiler().into();
    options.args = arguments.preprocess_flags.clone();
    options.families = Families { openacc: true };
    preprocess::run(&options).map_err(|mut errors| {
        // Without a place it is the compiler itself that cannot be used.
        for error in errors.iter_mut().filter(|error| error.place.is_none()) {
            error
                .help
                .push("the environment variable GPUC_CC names the C compiler to use".to_owned());
        }
        errors.into()
    })
}

/// A translation unit on its way.
struct Unit<'a> {
    arguments: &'a Arguments,
    tree: TranslationUnit,
    ir: Ir,
    lowered: Option<Lowered>,
    manager: PassManager,
    /// Warnings and remarks so far.
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Unit<'a> {
    fn read(text: Preprocessed, arguments: &'a Arguments) -> Result<Unit<'a>, Failure> {
        let (tree, found) = gpuc_frontend_c::read(&text, Families { openacc: true });
        let mut diagnostics = text.warnings;
        diagnostics.extend(found);
        diagnostics.extend(feedback::not_offloaded(&tree));
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics.into());
        }
        let mut ir = Ir::new();
        gpuc_dialects::register_all(&mut ir.ctx);
        let mut manager = PassManager::new();
        if arguments.print_after_all {
            manager.instruments.push(Box::new(IrPrinter::after_all()));
        }
        // Passes are tested with the verifier on; a compilation verifies between the stages.
        manager.skip_verify = true;
        Ok(Unit { arguments, tree, ir, lowered: None, manager, diagnostics })
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

    fn lower(&mut self) -> Result<(), Failure> {
        let options = lower::Options { contract: self.arguments.contract };
        match lower::lower_unit(&self.tree, &mut self.ir, options) {
            Ok(mut lowered) => {
                self.diagnostics.append(&mut lowered.remarks);
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

    fn run(&mut self, stage: Stage) -> Result<(), Failure> {
        let mut pipeline = pipelines::pipeline(stage, &pipelines::registry())
            .map_err(|error| Diagnostic::error(format!("pipeline {}: {error}", stage.name)))?;
        let module = self.module();
        if let Err(failure) = self.manager.run(&mut self.ir, module, &mut pipeline) {
            return Err(self.fail(failure.errors));
        }
        self.check(stage.name)
    }

    /// The module of the kernels; `None` where nothing is offloaded.
    fn kernels(&self) -> Option<Op> {
        let block = self.ir.body(self.module(), 0);
        self.ir.ops(block).find(|&op| GPUModuleOp::is(&self.ir, op))
    }

    fn link_devmath(&mut self) -> Result<(), Failure> {
        match self.kernels() {
            Some(kernels) => {
                devmath::link(&mut self.ir, kernels).map_err(|errors| self.fail(errors))
            }
            None => Ok(()),
        }
    }

    fn assemble(&mut self) -> Result<PtxOutput, Failure> {
        let Some(kernels) = self.kernels() else {
            return Err(self.fail(vec![Diagnostic::error("nothing is offloaded in this file")]));
        };
        let mut options = gpuc_backend_ptx::Options::new(self.arguments.arch);
        options.contraction =
            if self.arguments.contract { Contraction::Flagged } else { Contraction::Never };
        gpuc_backend_ptx::compile(&mut self.ir, kernels, &options)
            .map_err(|errors| self.fail(errors))
    }

    fn rewrite(&mut self, ptx: &PtxOutput) -> Result<String, Failure> {
        let lowered = self.lowered.as_ref().expect("the unit has been lowered");
        host::rewrite(&self.tree, lowered, &self.ir, &ptx.text)
            .map_err(|error| self.fail(vec![error]))
    }

    /// Prints what there is to say of a compilation that succeeded.
    fn finish(mut self) {
        self.diagnostics.append(&mut self.manager.diagnostics);
        feedback::print(&self.diagnostics, &Sources::new(), self.arguments.remarks);
        if self.arguments.remarks.info {
            let function = |remark: &Diagnostic| self.function_around(remark);
            eprint!("{}", feedback::info(&self.diagnostics, function));
        }
        if self.arguments.timing {
            eprint!("{}", timing_report(&self.manager.timings));
        }
    }

    /// The C function whose lines hold a remark's.
    fn function_around(&self, remark: &Diagnostic) -> String {
        let constructs = self.lowered.iter().flat_map(|lowered| &lowered.constructs);
        let line = remark.place.as_ref().map_or(0, |place| place.line);
        constructs
            .filter(|construct| construct.line <= line)
            .max_by_key(|construct| construct.line)
            .map_or_else(|| "file".to_owned(), |construct| construct.function.clone())
    }
}
