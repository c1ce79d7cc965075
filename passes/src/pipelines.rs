//! Passes in a row, as stages of the compiler: the texts of pipelines on a module, `$arch` standing
//! for the target's name.

/// Local variables become values; calls of functions in the file are gone.
pub const SOURCE: &str = "inline{default-pipeline=''},symbol-dce,sroa,mem2reg,canonicalize,cse,loop-invariant-code-motion";

/// Loops and accesses are in closed form wherever that can be proven.
pub const RAISE: &str = "raise-loops,promote-scalars,mem2reg,canonicalize,cse,\
    loop-invariant-code-motion,raise-while,raise-inductions,canonicalize,cse,raise-searches,unflatten-loops,canonicalize,widen-subscripts,cse,raise-fields,raise-affine,delinearize,canonicalize,cse,find-sections";

/// Who executes what: compute regions have become kernels and launches. Kernels are still the code of
/// the whole grid, with affine loops and their mappings.
pub const PARALLEL: &str = "begin-plan{arch=$arch},check-independent,affine-privatize,affine-split,affine-expand,affine-fission,affine-snapshot,restructure,canonicalize,\
    recognize-parallel,canonicalize,cse,collapse-parallel,estimate-work,remark-small-regions{arch=$arch},persist-loops{arch=$arch},split-launches{arch=$arch},canonicalize,cse,\
    promote-elements,mem2reg,canonicalize,cse,\
    partition-arrays{arch=$arch},block-time{arch=$arch},tile-contractions{arch=$arch},canonicalize,stage-transposes{arch=$arch},march-stencils{arch=$arch},\
    coarsen-threads{arch=$arch},stage-stencils{arch=$arch},spread-reductions{arch=$arch},canonicalize,map{arch=$arch},spread-banks{arch=$arch},end-plan,\
    verify-barriers,outline{arch=$arch},canonicalize,cse";

/// Kernels are control flow graphs of one thread's scalar operations.
pub const LOWER: &str = "lower-affine{compact=true},fold-memref-alias-ops,canonicalize,cse,\
    loop-invariant-code-motion,distribute,sroa{max-elements=256},mem2reg,canonicalize,cse,\
    lower-reductions,canonicalize,fold-cast-pairs,cse,\
    loop-invariant-code-motion,hoist-loads,carry-elements,index-set-splitting,loop-unroll,canonicalize,cse,\
    advance-loads,vectorize-loads,dynamic-shared-memory{arch=$arch},lower-accesses,narrow-loops,canonicalize,cse,loop-invariant-code-motion{conditional=true},cse,\
    simplify-index{arch=$arch kernels-only=true},scf-to-cf{kernels-only=true},canonicalize,cse,symbol-dce";
