//! Passes, pipelines and the manager that runs them.
//!
//! A pass is a [`PassInfo`] (name, summary, what it runs on, options, constructor) and an
//! implementation of [`Pass`]. A [`Pipeline`] is an ordered list of passes nested by the operation
//! they run on, with a textual form: `builtin.module(func.func(cse,canonicalize{fold=true}))`.

use std::any::Any;
use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;

use crate::graph::{Ir, Op};

mod analysis;
mod manager;
mod options;
mod pipeline;

pub use analysis::Analysis;
pub use manager::{Counts, Instrument, PassFailure, PassManager};
pub use options::{OptionError, OptionSpec, OptionValue, RawOptions};
pub use pipeline::{ParsePipelineError, Pipeline, Registry, Step, nests_implicitly};

/// What a pass is.
pub struct PassInfo {
    /// Name in pipelines and as a flag (`cse`).
    pub name: &'static str,
    /// Name in what is printed round it: upstream's class, where the pass is upstream's (`CSE`).
    pub title: &'static str,
    /// One sentence; the long text is the doc comment of the pass's file.
    pub summary: &'static str,
    /// The operation it runs on (`func.func`); `None` for any.
    pub anchor: Option<&'static str>,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// What it counts, in order of the names.
    pub counters: &'static [Counter],
    /// Makes one from its options' texts.
    pub make: fn(&RawOptions) -> Result<Box<dyn Pass>, OptionError>,
}

/// Something that a pass counts, for `--mlir-pass-statistics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Name, upstream's where the pass is upstream's (`num-cse'd`).
    pub name: &'static str,
    /// What is counted.
    pub summary: &'static str,
}

impl std::fmt::Debug for PassInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PassInfo").field(&self.name).finish()
    }
}

/// A transformation or check of one operation and what is inside.
pub trait Pass: Any {
    /// Runs on `op`. Must not touch anything outside it. An error stops the pipeline; what the
    /// user should know besides goes to [`PassContext::report`].
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic>;

    /// Whether a run that edited nothing, of this pass with any options for which this holds, need not be repeated before
    /// something is edited. A run that edits nothing must then report and count nothing either.
    fn settles(&self) -> bool {
        false
    }
}

/// What a pass is given besides the IR.
pub struct PassContext<'a> {
    analyses: &'a mut analysis::Analyses,
    diagnostics: &'a mut Vec<Diagnostic>,
    preserved: analysis::Preserved,
    instruments: &'a mut [Box<dyn Instrument>],
    /// One number for each counter of the pass.
    counts: &'a mut [u64],
    pass: &'static PassInfo,
}

impl std::fmt::Debug for PassContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassContext").field("pass", &self.pass).finish_non_exhaustive()
    }
}

impl PassContext<'_> {
    /// Shows whoever looks on what a step has made of `op`, where a pass takes several.
    pub fn step(&mut self, ir: &Ir, op: Op, step: &str) {
        for instrument in self.instruments.iter_mut() {
            instrument.step(ir, op, self.pass, step);
        }
    }

    /// Tells the user something: a warning, or a remark on a decision.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Adds to one of the counters that the pass declares.
    ///
    /// # Panics
    /// If it declares none of that name.
    pub fn count(&mut self, counter: &str, by: usize) {
        let declared = self.pass.counters.iter().position(|each| each.name == counter);
        let at = declared.unwrap_or_else(|| panic!("{} counts no {counter}", self.pass.name));
        self.counts[at] += by as u64;
    }

    /// What an analysis says of `op`: what an earlier pass asked for, if every pass since preserved
    /// it, or computed now. It tells of the IR as it was then: ask before changing anything.
    pub fn analysis<A: Analysis>(&mut self, ir: &Ir, op: Op) -> Rc<A> {
        self.analyses.get(ir, op)
    }

    /// What an analysis says of `op` as the pass has made it. A pass that changes nothing behind that may preserve it.
    pub fn analysis_again<A: Analysis>(&mut self, ir: &Ir, op: Op) -> Rc<A> {
        self.analyses.forget::<A>(op);
        self.analyses.get(ir, op)
    }

    /// Says that the pass changed nothing that an analysis sees.
    pub fn preserve_all(&mut self) {
        self.preserved = analysis::Preserved::All;
    }

    /// Says that the pass changed nothing that analyses of this kind see; the others are dropped.
    pub fn preserve<A: Analysis>(&mut self) {
        self.preserved.add::<A>();
    }
}

/// Declares a pass: `PASS: PassInfo` beside a struct with its options as fields.
///
/// ```ignore
/// gpuc_ir::pass! {
///     /// Common subexpression elimination.
///     Cse = "cse" on "func.func" {
///         /// How many, at most.
///         limit: u64 = 100,
///     }
///     counts { "num-cse'd": "Number of operations CSE'd" }
/// }
/// ```
///
/// What it `counts` stands in order of the names, and is counted with [`PassContext::count`].
#[macro_export]
macro_rules! pass {
    (
        $(#[doc = $doc:literal])+
        $pass:ident = $name:literal $(titled $title:literal)? $(on $anchor:literal)? {
            $($(#[doc = $odoc:literal])+ $option:ident : $ty:ty = $default:expr),* $(,)?
        }
        $(counts { $($counter:literal : $counted:literal),* $(,)? })?
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub struct $pass {
            $($(#[doc = $odoc])+ pub $option: $ty,)*
        }

        impl Default for $pass {
            fn default() -> Self {
                $pass { $($option: $default,)* }
            }
        }

        impl $pass {
            /// The pass's registration.
            pub const INFO: &'static $crate::pass::PassInfo = &$crate::pass::PassInfo {
                name: $name,
                title: $crate::pass!(@title $pass $($title)?),
                summary: $crate::pass!(@first $($doc),+),
                anchor: $crate::pass!(@anchor $($anchor)?),
                options: &[$($crate::pass::OptionSpec {
                    name: stringify!($option),
                    summary: concat!($($odoc),+),
                    kind: <$ty as $crate::pass::OptionValue>::KIND,
                    default: || {
                        let value: $ty = $default;
                        $crate::pass::OptionValue::show_option(&value)
                    },
                }),*],
                counters: &[$($($crate::pass::Counter {
                    name: $counter,
                    summary: $counted,
                }),*)?],
                make: |raw| {
                    #[allow(unused_mut)]
                    let mut pass = $pass::default();
                    $(if let Some(text) = raw.get(stringify!($option)) {
                        pass.$option = $crate::pass::OptionValue::parse_option(text)
                            .map_err(|expected| $crate::pass::OptionError {
                                option: stringify!($option).to_owned(),
                                message: format!("'{text}' is not {expected}"),
                            })?;
                    })*
                    let _ = raw;
                    Ok(Box::new(pass))
                },
            };
        }
    };
    (@first $first:literal $(, $rest:literal)*) => { $first };
    (@title $pass:ident) => { stringify!($pass) };
    (@title $pass:ident $title:literal) => { $title };
    (@anchor) => { None };
    (@anchor $anchor:literal) => { Some($anchor) };
}
