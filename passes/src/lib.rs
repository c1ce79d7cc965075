//! Analyses and transformations, one folder a stage, one file a pass.
//!
//! [`ALL`] registers them; [`pipelines`] has the order in which the compiler runs them.

use gpuc_ir::pass::PassInfo;

pub mod analysis;
pub mod functions;
pub mod launches;
pub mod locality;
pub mod lower;
pub mod parallel;
pub mod pipelines;
pub mod plan;
pub mod raise;
pub mod simplify;
pub mod steps;
pub mod structured;
pub mod target;
pub mod transfer;
pub mod versions;

/// Every pass.
pub const ALL: &[&PassInfo] = &[
    analysis::nest::print::PrintNest::INFO,
    analysis::chrec::print::PrintChrecs::INFO,
    analysis::kir::print::PrintKir::INFO,
    analysis::sharing::print::PrintSharePartitions::INFO,
    raise::raise_loops::RaiseLoops::INFO,
    raise::raise_inductions::RaiseInductions::INFO,
    raise::raise_searches::RaiseSearches::INFO,
    raise::raise_while::RaiseWhile::INFO,
    raise::unflatten_loops::UnflattenLoops::INFO,
    raise::widen_subscripts::WidenSubscripts::INFO,
    raise::raise_fields::RaiseFields::INFO,
    raise::raise_affine::RaiseAffine::INFO,
    raise::delinearize::Delinearize::INFO,
    raise::promote_scalars::PromoteScalars::INFO,
    steps::privatize::AffinePrivatize::INFO,
    steps::relayout::AffineRelayout::INFO,
    steps::expand::AffineExpand::INFO,
    parallel::affine_split::AffineSplit::INFO,
    steps::permute::AffineLoopPermute::INFO,
    steps::distribute::AffineLoopDistribute::INFO,
    steps::fuse::AffineLoopFusion::INFO,
    steps::skew::AffineLoopSkew::INFO,
    steps::tile::AffineLoopTile::INFO,
    steps::coalesce::AffineLoopCoalescing::INFO,
    steps::normalize::AffineLoopNormalize::INFO,
    steps::unroll::AffineLoopUnroll::INFO,
    steps::unroll_jam::AffineLoopUnrollJam::INFO,
    steps::pipeline_transfers::AffinePipelineDataTransfer::INFO,
    steps::data_copy::AffineDataCopyGenerate::INFO,
    structured::canonicalize_loops::ScfForLoopCanonicalization::INFO,
    structured::for_to_while::ScfForToWhile::INFO,
    structured::forall::ScfForallToFor::INFO,
    structured::forall::ScfForallToParallel::INFO,
    structured::fuse_parallel::ScfParallelLoopFusion::INFO,
    structured::peel::ScfForLoopPeeling::INFO,
    structured::fold_range::ScfForLoopRangeFolding::INFO,
    structured::specialize::ScfForLoopSpecialization::INFO,
    structured::specialize::ScfParallelLoopSpecialization::INFO,
    structured::tile_parallel::ScfParallelLoopTiling::INFO,
    launches::affine_loops::ConvertAffineForToGpu::INFO,
    launches::map_loops::GpuMapParallelLoops::INFO,
    launches::parallel_loops::ConvertParallelLoopsToGpu::INFO,
    launches::sink_index_computations::GpuLaunchSinkIndexComputations::INFO,
    launches::outline_kernels::GpuKernelOutlining::INFO,
    transfer::estimate_work::EstimateWork::INFO,
    transfer::remark_small_regions::RemarkSmallRegions::INFO,
    transfer::find_sections::FindSections::INFO,
    parallel::check_independent::CheckIndependent::INFO,
    parallel::restructure::Restructure::INFO,
    parallel::recognize_parallel::RecognizeParallel::INFO,
    parallel::collapse_parallel::CollapseParallel::INFO,
    parallel::affine_parallelize::AffineParallelize::INFO,
    parallel::persist_loops::PersistLoops::INFO,
    parallel::split_launches::SplitLaunches::INFO,
    plan::passes::BeginPlan::INFO,
    plan::passes::EndPlan::INFO,
    plan::passes::PrintPlan::INFO,
    lower::lower_affine::LowerAffine::INFO,
    lower::expand_index_ops::AffineExpandIndexOps::INFO,
    lower::fold_memref_alias_ops::FoldMemrefAliasOps::INFO,
    locality::promote_elements::PromoteElements::INFO,
    locality::partition_arrays::PartitionArrays::INFO,
    locality::block_time::BlockTime::INFO,
    locality::spread_reductions::SpreadReductions::INFO,
    locality::tile_contractions::TileContractions::INFO,
    locality::stage_transposes::StageTransposes::INFO,
    locality::march_stencils::MarchStencils::INFO,
    locality::coarsen_threads::CoarsenThreads::INFO,
    locality::stage_stencils::StageStencils::INFO,
    parallel::map::Map::INFO,
    parallel::verify_barriers::VerifyBarriers::INFO,
    parallel::outline::Outline::INFO,
    parallel::distribute::Distribute::INFO,
    lower::hoist_loads::HoistLoads::INFO,
    lower::index_set_splitting::IndexSetSplitting::INFO,
    lower::loop_unroll::LoopUnroll::INFO,
    lower::vectorize_loads::VectorizeLoads::INFO,
    lower::lower_accesses::LowerAccesses::INFO,
    lower::lower_reductions::LowerReductions::INFO,
    lower::narrow_loops::NarrowLoops::INFO,
    lower::scf_to_cf::ScfToCf::INFO,
    lower::convert_scf_to_cf::ConvertScfToCf::INFO,
    simplify::canonicalize::Canonicalize::INFO,
    simplify::cse::Cse::INFO,
    simplify::licm::LoopInvariantCodeMotion::INFO,
    simplify::affine_licm::AffineLoopInvariantCodeMotion::INFO,
    simplify::affine_scalrep::AffineScalrep::INFO,
    simplify::control_flow_sink::ControlFlowSink::INFO,
    simplify::fold_cast_pairs::FoldCastPairs::INFO,
    simplify::inline::Inline::INFO,
    simplify::mem2reg::Mem2Reg::INFO,
    simplify::simplify_index::SimplifyIndex::INFO,
    simplify::sroa::Sroa::INFO,
    simplify::sccp::Sccp::INFO,
    simplify::affine_structures::AffineSimplifyStructures::INFO,
    simplify::symbol_dce::SymbolDce::INFO,
    simplify::strip_debuginfo::StripDebuginfo::INFO,
    simplify::uplift_to_fma::MathUpliftToFma::INFO,
    simplify::reconcile_casts::ReconcileUnrealizedCasts::INFO,
    lower::expand_realloc::ExpandRealloc::INFO,
    functions::out_params::BufferResultsToOutParams::INFO,
    functions::duplicates::DuplicateFunctionElimination::INFO,
    simplify::snapshot_locations::SnapshotOpLocations::INFO,
];
