//! Every step of the compiler, in order. This is the list to read first.
//!
//! A stage is a named pipeline: its text is what `gpuc-opt --pass-pipeline` takes, and its name
//! works as a flag of `gpuc-opt` (`--gpuc-raise`), for the default target; the passes in each stand in
//! [`gpuc_passes::pipelines`]. [`STEPS`] is the whole way from what the C reader makes to what is printed as PTX.

use std::sync::LazyLock;

use gpuc_arch::Arch;
use gpuc_ir::pass::{ParsePipelineError, Pipeline, Registry};
use gpuc_passes::pipelines;

use crate::compile::Level;

/// A stage.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Name of the pipeline.
    pub name: &'static str,
    /// Its passes; `$arch` stands for the target.
    passes: &'static str,
}

impl Stage {
    /// The passes for a target, as the text of a pipeline without its anchor.
    pub fn passes(self, arch: &Arch) -> String {
        self.passes.replace("$arch", arch.name)
    }
}

/// Local variables become values; calls of functions in the file are gone.
pub const SOURCE: Stage = Stage { name: "gpuc-source", passes: pipelines::SOURCE };

/// Loops and accesses are in closed form wherever that can be proven.
pub const RAISE: Stage = Stage { name: "gpuc-raise", passes: pipelines::RAISE };

/// Who executes what: compute regions have become kernels and launches.
pub const PARALLEL: Stage = Stage { name: "gpuc-parallel", passes: pipelines::PARALLEL };

/// Kernels are control flow graphs of scalar operations.
pub const LOWER: Stage = Stage { name: "gpuc-lower", passes: pipelines::LOWER };

/// Kernels are instructions, in a `ptx.module`.
pub const SELECT: Stage = Stage { name: "gpuc-select", passes: "select-ptx{arch=$arch}" };

/// The stages.
pub const STAGES: [Stage; 5] = [SOURCE, RAISE, PARALLEL, LOWER, SELECT];

/// What a step does.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Runs the passes of a stage.
    Run(Stage),
    /// Puts the device math that kernels call beside them ([`crate::devmath`]).
    LinkDeviceMath,
}

/// A step on the way from C to PTX.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// The level that the module is at behind it, where that has a name.
    pub reaches: Option<Level>,
}

/// The whole way, behind the lowering of C and ahead of the printing of PTX.
pub const STEPS: [Step; 6] = [
    Step { action: Action::Run(SOURCE), reaches: Some(Level::Source) },
    Step { action: Action::Run(RAISE), reaches: Some(Level::Affine) },
    Step { action: Action::Run(PARALLEL), reaches: Some(Level::Gpu) },
    Step { action: Action::LinkDeviceMath, reaches: None },
    Step { action: Action::Run(LOWER), reaches: None },
    Step { action: Action::Run(SELECT), reaches: Some(Level::PtxIr) },
];

/// The texts of the named pipelines, for the default target.
static TEXTS: LazyLock<[String; STAGES.len()]> =
    LazyLock::new(|| STAGES.map(|stage| stage.passes(Arch::default_target())));

/// Every pass and every named pipeline.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add(gpuc_passes::ALL);
    registry.add(gpuc_backend_ptx::ALL);
    registry.add(crate::opt::ALL);
    let texts: &'static [String; STAGES.len()] = &TEXTS;
    for (stage, text) in STAGES.iter().zip(texts) {
        registry.add_pipeline(stage.name, text);
    }
    registry
}

/// The pipeline of a stage on an operation named `anchor`.
pub fn pipeline(
    stage: Stage,
    anchor: &str,
    arch: &Arch,
    registry: &Registry,
) -> Result<Pipeline, ParsePipelineError> {
    Pipeline::parse(&format!("{anchor}({})", stage.passes(arch)), registry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_names_known_passes() {
        let registry = registry();
        for stage in STAGES {
            for arch in Arch::all() {
                pipeline(stage, "builtin.module", arch, &registry)
                    .unwrap_or_else(|error| panic!("{}: {error}", stage.name));
            }
        }
    }

    #[test]
    fn passes_that_ask_for_a_target_are_given_it() {
        let registry = registry();
        for stage in STAGES {
            let text = stage.passes(Arch::default_target());
            for pass in registry.passes() {
                let takes = pass.options.iter().any(|option| option.name == "arch");
                let listed = text.split(',').find(|word| word.split('{').next() == Some(pass.name));
                if takes && let Some(listed) = listed {
                    assert!(listed.contains("{arch=sm_75"), "{}: {listed}", stage.name);
                }
            }
        }
    }

    /// `docs/passes.md` says of every pass what it does; of those that only rewrite what upstream's tests have, not.
    #[test]
    fn passes_have_their_page() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/passes.md");
        let page = std::fs::read_to_string(page).unwrap();
        let registry = registry();
        let passes = registry.passes().iter().filter(|pass| !pass.name.starts_with("test-"));
        let without: Vec<&str> = passes
            .map(|pass| pass.name)
            .filter(|name| !page.contains(&format!("`{name}")))
            .collect();
        assert!(without.is_empty(), "without a page: {without:?}");
    }
}
