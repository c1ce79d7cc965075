//! `offload`: what directives of every family mean.
//!
//! A compute construct of the source is one function: its arguments are the variables that the
//! construct uses, in the order of first use. Arrays and everything shared are memrefs on *device*
//! memory, scalars that are only read are values. The function holds one [`RegionOp`]; inside it,
//! loops that a directive speaks of are [`LoopOp`]s, all others `scf` loops. How the variables come
//! to the device is said by the argument attributes `offload.name` (the variable) and
//! `offload.map` (`"copyin"`, ...); the host program does it before and after the call.
//!
//! The `raise` stage turns loops into `affine` and `scf` ones, which then carry
//! [`SCHEDULE_ATTR`] or [`AUTO_ATTR`]; the `parallel` stage turns the region into kernels.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::{
    Effect, EffectKind, Effects, RegionBranch, RegionEdge, RegionPoint, attrs, types,
};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, op};

use attrs::{ARRAY, I64, STRING};

mod grid;
mod host;
mod kinds;
pub mod mapping;
mod mapping_verify;
pub mod share;
mod syntax;

pub use grid::*;
pub use host::*;
pub use kinds::*;
pub use mapping_verify::verify_mapping;

/// Name of the attribute that an `affine.parallel` or `scf.parallel` loop carries: the levels of
/// parallelism that the program asks for, outermost first, as an array of strings (`"gang"`,
/// `"worker"`, `"vector"`), with a size in parentheses where it gives one (`"vector(32)"`); empty
/// where the compiler chooses.
pub const SCHEDULE_ATTR: &str = "offload.schedule";

/// Name of the unit attribute of a `gpu.func` whose loops still carry their [`mapping`]: its code is
/// the whole grid's, executed once for a launch. Distribution makes of it the code of one thread.
pub const COLLECTIVE_ATTR: &str = "offload.collective";

/// Name of the unit attribute of a kernel whose blocks in y go on in z: more of them than a grid has in
/// y may be needed, and no loop is over z. The number of a block in y is then that in z, times the
/// grid's extent in y, plus that in y.
pub const FOLDED_ROWS_ATTR: &str = "offload.folded_rows";

/// Name of the unit attribute of a mapped loop that may begin so near the end of 64 bits that its variable comes around
/// behind the last iteration: its iterations are counted.
pub const NEAR_END_ATTR: &str = "offload.near_end";

/// Name of the attribute of a kernel of whose blocks not all extents are known: those in x, y and z, 0
/// for one that only the launch knows.
pub const BLOCK_EXTENTS_ATTR: &str = "offload.block_extents";

/// Name of the argument attribute of a kernel's buffer for what the blocks have combined, an element
/// a block: the number of the result of the kernel's loop over blocks that it is for.
pub const PARTIAL_ATTR: &str = "offload.partial_results";

/// Name of the attribute of a kernel's local array whose copies lie in memory that the host gives, and of the
/// argument that is this memory: a number that both have.
pub const PRIVATE_ARRAY_ATTR: &str = "offload.private_array";

/// Name of the unit argument attribute of a kernel's counter of blocks that are done ([`TicketsOp`]).
pub const TICKETS_ATTR: &str = "offload.tickets";

/// Name of the unit attribute that an `affine.for` or `scf.for` loop carries whose independence
/// the compiler is to find out (`auto`, and every loop in `kernels`).
pub const AUTO_ATTR: &str = "offload.auto";

/// Name of the unit attribute that an `affine.for` or `scf.for` loop carries which the program wants in
/// order (`seq`): nobody asks whether it could run otherwise.
pub const SEQ_ATTR: &str = "offload.seq";

/// Name of the unit attribute of a region that is the second version of one: for run-time values for
/// which the assumptions of the first do not hold. What is decided in it is not told to the user.
pub const FALLBACK_ATTR: &str = "offload.fallback";

/// Name of the unit attribute of a function whose sums and products of numbers with fractions are made in the order of the
/// program, but where a clause says otherwise.
pub const ORDERED_SUMS_ATTR: &str = "offload.ordered_sums";

/// Name of the unit attribute of a region that is what other versions leave by their conditions, beside
/// [`FALLBACK_ATTR`]: plans speak of it, as of those.
pub const REST_ATTR: &str = "offload.rest";

/// Name of the unit attribute of a sequential loop round parallel ones that one block executes, step by step. Its parallel
/// loops are mapped, and plans do not speak of what lies in it.
pub const PERSISTENT_ATTR: &str = "offload.persistent";

/// Name of the attribute of a function that device code calls: who sees it besides its module, `visible` or `weak`.
pub const LINKAGE_ATTR: &str = "offload.linkage";

/// Name of the attribute of a `cf.assert` with the name of the C function that it stands in.
pub const FUNCTION_ATTR: &str = "offload.function";

/// Name of the attribute of a construct's function with its place in the source, a dictionary.
pub const SITE_ATTR: &str = "offload.site";

/// Name of the attribute of a construct's function with the steps of its plan that were taken, an array of
/// strings.
pub const PLAN_ATTR: &str = "offload.plan";

/// Name of the attribute of a construct's function with what its plan belongs to, a string.
pub const PLAN_KEY_ATTR: &str = "offload.plan.key";

/// Name of the attribute of a construct's function with the plan that it is to follow: arrays of a step's
/// text with its line, column and length, the first one the file's name with the plan's place.
pub const PLAN_GIVEN_ATTR: &str = "offload.plan.given";

/// Name of the attribute of a construct's function with the orders of loops that its plan is to begin with, likewise: the compiler
/// takes these steps, and decides what comes behind them.
pub const PLAN_HEAD_ATTR: &str = "offload.plan.head";

/// Name of the attribute of a construct's function that was given a plan and has followed it.
pub const PLAN_FOLLOWED_ATTR: &str = "offload.plan.followed";

/// Name of the attribute of a module with files of plans, two strings for each: its name and its text.
pub const PLAN_FILE_ATTR: &str = "offload.plan.file";

/// Name of the attribute of a module with a record of tuning, two strings.
pub const TUNING_ATTR: &str = "offload.tuning";

/// Name of the attribute of a construct's function with what `share` pragmas ask for: for each the loop and its arrays, each a
/// text with file, line, column and length.
pub const SHARE_ATTR: &str = "offload.share";

/// Name of the attribute of a construct's function with the steps of plans that do it, for each of these pragmas an array of
/// strings.
pub const SHARE_STEPS_ATTR: &str = "offload.share.steps";

/// Name of the argument attribute with the variable's name in the source.
pub const NAME_ATTR: &str = "offload.name";

/// Name of the argument attribute with the kind of data mapping, a string: `copy`, `copyin`,
/// `copyout`, `create`, `present`, `deviceptr`, `firstprivate`; [`MAP_SECTION`] for what is still open.
pub const MAP_ATTR: &str = "offload.map";

/// Name of the argument attribute with the number of elements of the outermost dimension that the program maps, from the first on,
/// where it says so by a number: what lies behind them is not touched. It decides what is worth its text, not what is right.
pub const ROWS_ATTR: &str = "offload.rows";

/// A mapping of as much of what a pointer points to as the construct touches, which is to be found.
pub const MAP_SECTION: &str = "section";

/// Name of the attribute of a construct's function with the function that computes its sections from
/// the scalar arguments: for each argument whose section was found, in order, the offset of its first
/// byte and its length in bytes.
pub const SECTIONS_ATTR: &str = "offload.sections";

/// Name of the argument attribute, in functions of nests that the compiler found, with what the nest does with the memory
/// behind an argument: [`USE_READS`] or [`USE_OVERWRITES`]; absent where it is anything else.
pub const USE_ATTR: &str = "offload.use";

/// Nothing is written.
pub const USE_READS: &str = "reads";

/// All of it is written, and nothing of it is read before.
pub const USE_OVERWRITES: &str = "overwrites";

/// Of a construct's function: a nest that the compiler found, where the program has no directive.
pub const FOUND_ATTR: &str = "offload.found";

/// Of a construct's function: the function that counts its work from its scalar arguments.
pub const WORK_ATTR: &str = "offload.work";

/// Name of the unit attribute of a comparison in front of a region that says whether its subscripts are what they seem: where it
/// fails, nothing is known of what they touch.
pub const SECTION_TEST_ATTR: &str = "offload.section_test";

/// Name of the unit attribute of a cast to fewer bits whose number fits, as a signed one, by the rules of
/// the source language.
pub const FITS_ATTR: &str = "offload.fits";

/// The same of a number that fits as one without sign.
pub const FITS_UNSIGNED_ATTR: &str = "offload.fits_unsigned";

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "offload",
    summary: "What directives of every family mean: compute regions and their loops.",
    ops: &[
        RegionOp::def,
        LoopOp::def,
        DisjointOp::def,
        AlignedOp::def,
        FetchOp::def,
        LaunchSizeOp::def,
        FenceOp::def,
        TimeOp::def,
        TicketsOp::def,
        ResidentGridOp::def,
        GridBarrierOp::def,
        YieldOp::def,
    ],
    materialize: None,
};

/// Name of the argument attribute that says what may reach a mapped buffer besides the argument, a
/// string: [`STORAGE_EXCLUSIVE`], [`STORAGE_RESTRICT`] or [`STORAGE_OBJECT`]; absent where it is what
/// an ordinary pointer points to.
pub const STORAGE_ATTR: &str = "offload.storage";

/// Nothing but the argument: a variable whose address nobody takes.
pub const STORAGE_EXCLUSIVE: &str = "exclusive";

/// Pointers that were made from the argument, a `restrict` pointer (C11 §6.7.3.1 ¶3).
pub const STORAGE_RESTRICT: &str = "restrict";

/// Pointers, but no other object: a variable.
pub const STORAGE_OBJECT: &str = "object";

op! {
    /// A compute construct. Everything inside runs on the device. Sizes that are absent are the
    /// compiler's choice.
    RegionOp = "offload.region" {
        operands {
            num_gangs: Optional types::SIGNLESS_INTEGER_OR_INDEX,
            num_workers: Optional types::SIGNLESS_INTEGER_OR_INDEX,
            vector_length: Optional types::SIGNLESS_INTEGER_OR_INDEX,
        }
        attrs { construct: Required CONSTRUCT }
        regions { body: SizedOne }
        traits ATTR_SIZED_OPERANDS, SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE, AFFINE_SCOPE
        format "$construct (`num_gangs` `(` $num_gangs^ `:` type($num_gangs) `)`)? (`num_workers` `(` $num_workers^ `:` type($num_workers) `)`)? (`vector_length` `(` $vector_length^ `:` type($vector_length) `)`)? attr-dict-with-keyword $body"
        hooks {
            implicit_terminator: Some(implicit_yield),
            region_branch: Some(RegionBranch { edges: region_edges }),
        }
    }
}

op! {
    /// Whether no element of one mapped buffer is an element of the other, as the host knows it when
    /// the region begins.
    DisjointOp = "offload.disjoint" {
        operands { first: One types::MEMREF, second: One types::MEMREF }
        results { disjoint: One types::I1 }
        traits PURE
        format "$first `,` $second attr-dict `:` type($first) `,` type($second)"
    }
}

op! {
    /// Whether the address of a mapped buffer's element 0 on the device is a multiple of so many bytes,
    /// as the host knows it when the region begins.
    AlignedOp = "offload.aligned" {
        operands { buffer: One types::MEMREF }
        results { aligned: One types::I1 }
        attrs { alignment: Required I64 }
        traits PURE
        format "$buffer `,` $alignment attr-dict `:` type($buffer)"
    }
}

op! {
    /// A number of gangs, workers or lanes that the program gives at run time by `clause`, as the
    /// value of `variable` if it is one: at least 1. The host says where it was less.
    LaunchSizeOp = "offload.launch_size" {
        operands { value: One types::SIGNLESS_INTEGER_OR_INDEX }
        results { size: One types::INDEX }
        attrs { clause: Required STRING, variable: Optional STRING }
        traits PURE
        format "$clause $value attr-dict `:` type($value)"
    }
}

op! {
    /// What the thread has written to memory of the device before is seen by every thread that sees
    /// anything it writes behind; and likewise for what it reads.
    FenceOp = "offload.fence" {
        format "attr-dict"
        hooks { effects: Some(orders_memory) }
    }
}

op! {
    /// How many nanoseconds have passed since some moment before the program, the same one for all threads. Each time it is asked
    /// anew, in the program's order.
    TimeOp = "offload.time" {
        results { nanoseconds: One types::I64 }
        format "attr-dict"
        hooks { effects: Some(orders_memory) }
    }
}

op! {
    /// A counter in device memory by which the blocks of a kernel tell which of them is the last. It is
    /// zero when a kernel starts, which leaves it so, and belongs to the queue of the region: kernels that
    /// run at once count in different ones.
    TicketsOp = "offload.tickets" {
        results { counter: One types::MEMREF }
        format "attr-dict `:` type($counter)"
        hooks { effects: Some(makes_buffer) }
    }
}

fn makes_buffer(ir: &Ir, op: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Allocate, on: Some(ir.result(op, 0)) });
}

fn orders_memory(_: &Ir, _: Op, effects: &mut Effects) {
    effects.push(Effect { kind: EffectKind::Read, on: None });
    effects.push(Effect { kind: EffectKind::Write, on: None });
}

fn region_edges(_: &Ir, _: Op, from: RegionPoint) -> Vec<RegionEdge> {
    let to = match from {
        RegionPoint::Parent => RegionPoint::Region(0),
        RegionPoint::Region(_) => RegionPoint::Parent,
    };
    vec![RegionEdge { to, values: Default::default(), receivers: Default::default() }]
}

impl RegionOp {
    /// Kind of the construct. Every region that verifies has one; where it does not, this is the
    /// one that promises least.
    pub fn kind(self, ir: &Ir) -> Construct {
        let kind = self.construct(ir).and_then(|attr| Construct::of(&ir.ctx, attr));
        kind.unwrap_or(Construct::Serial)
    }

    /// The block of the body.
    pub fn block(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }
}

op! {
    /// A counted loop, or several collapsed into one: for each dimension the induction variable
    /// goes from its lower bound up to, not including, its upper bound by a positive step. The last
    /// dimension varies fastest. Bounds and steps are evaluated once, before the loop.
    ///
    /// `levels` names the levels of parallelism that the directive asks for (`"gang"`,
    /// `"worker"`, `"vector"`), outermost first. Each reduction variable is a rank-0 memref; inside
    /// the body it stands for a private copy that starts as the identity of its operator and is
    /// combined into the variable at the end of the loop, in any order. Other variables of the
    /// program that are private to an iteration are allocated inside the body.
    LoopOp = "offload.loop" {
        operands {
            lowerBounds: Variadic types::INDEX,
            upperBounds: Variadic types::INDEX,
            steps: Variadic types::INDEX,
            gang_size: Optional types::SIGNLESS_INTEGER_OR_INDEX,
            worker_size: Optional types::SIGNLESS_INTEGER_OR_INDEX,
            vector_size: Optional types::SIGNLESS_INTEGER_OR_INDEX,
            reductions: Variadic types::MEMREF,
        }
        attrs {
            levels: Required ARRAY,
            order: Required ORDER,
            reduction_kinds: Required ARRAY,
            unsigned_reductions: Optional ARRAY,
        }
        regions { body: SizedOne }
        traits ATTR_SIZED_OPERANDS, SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE
        hooks {
            verify: Some(verify_loop),
            parse: Some(syntax::parse_loop),
            print: Some(syntax::print_loop),
            implicit_terminator: Some(implicit_yield),
            loop_regions: Some(|ir, op| ir.regions(op).iter().copied().collect()),
            region_branch: Some(RegionBranch { edges: loop_edges }),
        }
    }
}

fn loop_edges(_: &Ir, _: Op, _: RegionPoint) -> Vec<RegionEdge> {
    [RegionPoint::Region(0), RegionPoint::Parent]
        .into_iter()
        .map(|to| RegionEdge { to, values: Default::default(), receivers: Default::default() })
        .collect()
}

fn verify_loop(ir: &Ir, op: Op) -> Result<(), String> {
    let this = LoopOp(op);
    let dims = this.lowerBounds(ir).len();
    if dims == 0 {
        return Err("needs at least one dimension".to_owned());
    }
    if this.upperBounds(ir).len() != dims || this.steps(ir).len() != dims {
        return Err(format!(
            "has {dims} lower bounds, {} upper bounds and {} steps; they must be as many",
            this.upperBounds(ir).len(),
            this.steps(ir).len()
        ));
    }
    let arguments = ir.arguments(ir.body(op, 0));
    if arguments.len() != dims || arguments.iter().any(|&iv| !ir.ctx.is_index(ir.ty(iv))) {
        return Err(format!("expects {dims} block arguments of type 'index'"));
    }
    let mut last = 0;
    for &level in this.levels(ir).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or(&[]) {
        let Some(level) = ir.ctx.string_value(level) else {
            return Err(format!("'levels' must hold strings, not {}", ir.ctx.attr_text(level)));
        };
        let Some(rank) = LEVELS.iter().position(|&name| name == level) else {
            return Err(format!("unknown level '{level}'; expected gang, worker or vector"));
        };
        if rank < last {
            return Err("levels must be given once each, from gang to vector".to_owned());
        }
        last = rank + 1;
    }
    let sizes = [this.gang_size(ir), this.worker_size(ir), this.vector_size(ir)];
    for (level, size) in LEVELS.iter().zip(sizes) {
        if size.is_some() && !this.level_names(ir).contains(level) {
            return Err(format!(
                "has a size for the level '{level}', which 'levels' does not name"
            ));
        }
    }
    let Some(kinds) = this.reduction_operators(ir) else {
        return Err("'reduction_kinds' must hold #offload<reduction ...> attributes".to_owned());
    };
    if kinds.len() != this.reductions(ir).len() {
        return Err(format!(
            "has {} reduction variables and {} operators",
            this.reductions(ir).len(),
            kinds.len()
        ));
    }
    if let Some(flags) = this.unsigned_reductions(ir).and_then(|attr| ir.ctx.array_value(attr)) {
        let are_flags = flags.iter().all(|&flag| (attrs::BOOL.holds)(&ir.ctx, flag));
        if !are_flags || flags.len() != kinds.len() {
            return Err(format!(
                "'unsigned_reductions' must hold {} booleans, one for each variable",
                kinds.len()
            ));
        }
    }
    for variable in this.reductions(ir) {
        if ir.ctx.shape(ir.ty(variable)).is_some_and(|shape| !shape.is_empty()) {
            return Err("reduction variables must be memrefs of rank 0".to_owned());
        }
    }
    Ok(())
}

impl LoopOp {
    /// The block of the body.
    pub fn block(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// Induction variables, outermost first.
    pub fn induction_variables(self, ir: &Ir) -> &[Value] {
        ir.arguments(self.block(ir))
    }

    /// Names of the levels asked for.
    pub fn level_names(self, ir: &Ir) -> Vec<&str> {
        let levels = self.levels(ir).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or(&[]);
        levels.iter().filter_map(|&level| ir.ctx.string_value(level)).collect()
    }

    /// The operators of the reductions; `None` if an attribute is none.
    pub fn reduction_operators(self, ir: &Ir) -> Option<Vec<ReductionKind>> {
        let kinds = self.reduction_kinds(ir).and_then(|attr| ir.ctx.array_value(attr))?;
        kinds.iter().map(|&kind| ReductionKind::of(&ir.ctx, kind)).collect()
    }

    /// Whether the C type of reduction variable `index` is unsigned, which `unsigned_reductions`
    /// (booleans, one for each variable; absent: none) says: signless integers do not.
    pub fn is_unsigned_reduction(self, ir: &Ir, index: usize) -> bool {
        self.unsigned_reductions(ir)
            .and_then(|attr| ir.ctx.array_value(attr)?.get(index).copied())
            .and_then(|attr| ir.ctx.int_value(attr))
            .is_some_and(|value| value != 0)
    }

    /// What the directive says about the order of iterations; every valid loop has it.
    pub fn loop_order(self, ir: &Ir) -> Option<LoopOrder> {
        self.order(ir).and_then(|attr| LoopOrder::of(&ir.ctx, attr))
    }
}

op! {
    /// Ends the body of a region or loop.
    YieldOp = "offload.yield" {
        traits TERMINATOR, PURE, RETURN_LIKE
        parents "offload.region", "offload.loop"
        format "attr-dict"
    }
}

fn implicit_yield(b: &mut Builder<'_>) -> Op {
    YieldOp::new(b).build(b)
}
