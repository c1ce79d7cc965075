//! Every stage of the compiler, in order. This is the list to read first.
//!
//! A stage is a named pipeline: its text is what `gpuc-opt --pass-pipeline` takes, and its name
//! works as a flag of `gpuc-opt` (`--gpuc-raise`). [`STAGES`] is the whole way from what the C
//! reader makes to what instruction selection takes.

use gpuc_ir::pass::{ParsePipelineError, Pipeline, Registry};

/// A stage.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Name of the pipeline.
    pub name: &'static str,
    /// Its passes.
    pub passes: &'static str,
}

/// Local variables become values; calls of functions in the file are gone.
pub const SOURCE: Stage = Stage {
    name: "gpuc-source",
    passes: "inline,symbol-dce,mem2reg,canonicalize,cse,loop-invariant-code-motion",
};

/// Loops and accesses are in closed form wherever that can be proven.
pub const RAISE: Stage = Stage {
    name: "gpuc-raise",
    passes: "raise-loops,promote-scalars,mem2reg,canonicalize,cse,loop-invariant-code-motion,\
             raise-affine,delinearize,canonicalize,cse",
};

/// Who executes what: compute regions have become kernels and launches.
pub const PARALLEL: Stage = Stage {
    name: "gpuc-parallel",
    passes: "check-independent,recognize-parallel,\
             lower-affine,fold-memref-alias-ops,canonicalize,cse,outline,canonicalize,cse",
};

/// Kernels are control flow graphs of scalar operations.
pub const LOWER: Stage = Stage {
    name: "gpuc-lower",
    passes: "lower-reductions,canonicalize,cse,loop-invariant-code-motion,simplify-index,\
             scf-to-cf{kernels-only=true},canonicalize,cse,symbol-dce",
};

/// The whole way.
pub const STAGES: [Stage; 4] = [SOURCE, RAISE, PARALLEL, LOWER];

/// Every pass and every named pipeline.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add(gpuc_passes::ALL);
    for stage in STAGES {
        registry.add_pipeline(stage.name, stage.passes);
    }
    registry
}

/// The pipeline of a stage on a module.
pub fn pipeline(stage: Stage, registry: &Registry) -> Result<Pipeline, ParsePipelineError> {
    Pipeline::parse(&format!("builtin.module({})", stage.passes), registry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_names_known_passes() {
        let registry = registry();
        for stage in STAGES {
            pipeline(stage, &registry).unwrap_or_else(|error| panic!("{}: {error}", stage.name));
        }
    }
}
