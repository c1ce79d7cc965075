//! The search for plans: of many for each construct, which are expected to take least.
//!
//! None is run. A candidate ([`candidates`]) goes from loops in closed form as far as its kernel and is priced there
//! ([`gpuc_passes::forecast`]), several at once. First other steps are tried, then blocks of other shapes for the best of them.
//! `--search` follows what is found ([`guide`]), `gpuc tune` runs the most promising ones ([`Nests::ranked`]).

mod candidates;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{PLAN_FILE_ATTR, RegionOp, TUNING_ATTR};
use gpuc_frontend_c::preprocess::Preprocessed;
use gpuc_ir::pass::{PassManager, Registry};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};
use gpuc_passes::forecast::{self, Forecast, Sizes};
use gpuc_passes::plan::passes;
use gpuc_passes::plan::text::{self, Plan};

pub use candidates::kept;

use crate::cc::Arguments;
use crate::compile::{self, Failure, Level};
use crate::guides::{Guide, Guides};
use crate::pipelines;

/// A plan is taken in place of the compiler's own where it is expected to take less than this share of its time: what is
/// expected of plans is not more exact.
const WORTH: f64 = 0.9;

/// Nests in tiles are looked at without tiles only where that is expected to take less than so many times as long.
const HOPELESS: f64 = 1.5;

/// What a plan is expected to take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Price {
    /// Seconds of the kernels that the host starts, all launches together.
    pub seconds: f64,
    /// Blocks of the largest launch.
    pub blocks: i64,
    /// Threads of the largest launch, in all blocks.
    pub threads: i64,
}

/// A candidate with what it is expected to take.
pub type Priced = (Plan, Price);

/// The constructs of a unit whose plans are the compiler's own.
#[derive(Debug)]
pub struct Nests<'a> {
    arguments: &'a Arguments,
    /// Their loops in closed form, of which all candidates are made.
    affine: Ir,
    /// The same with the compiler's own kernels, and with what directives ask for, as far as it can be followed.
    kernels: Ir,
    /// The modules of the two.
    modules: [Op; 2],
    arch: &'static Arch,
    /// The passes that make kernels of loops.
    registry: Registry,
    /// The functions among the kernels, with their plans.
    own: Vec<(Op, Plan)>,
}

impl<'a> Nests<'a> {
    /// Those of a text.
    ///
    /// # Errors
    /// It cannot be compiled.
    pub fn of(
        text: &Preprocessed,
        arguments: &'a Arguments,
        guides: &Guides,
    ) -> Result<Nests<'a>, Failure> {
        let mut quiet = arguments.clone();
        (quiet.print_after_all, quiet.timing) = (false, false);
        let (kernels, after, arch) = compile::at_level(text, &quiet, guides, Level::Gpu)?;
        let (affine, before, _) = compile::at_level(text, &quiet, guides, Level::Affine)?;
        let (modules, own) = ([before, after], passes::own(&kernels, after));
        let registry = pipelines::registry();
        Ok(Nests { arguments, affine, kernels, modules, arch, registry, own })
    }

    /// The compiler's own plans.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.own.iter().map(|(_, plan)| plan)
    }

    /// What the compiler's own plan, by its number, is expected to take.
    pub fn price(&self, number: usize, sizes: &Sizes) -> Price {
        price(&self.kernels, self.modules[1], self.arch, self.own[number].0, sizes)
    }

    /// The candidates beside the compiler's own plan that can be followed, those first that are expected to take least.
    pub fn ranked(&self, number: usize, sizes: &Sizes) -> Vec<Priced> {
        let (func, own) = &self.own[number];
        let Some(alone) = self.alone(*func) else { return Vec::new() };
        let priced = |plans: Vec<Plan>| self.priced(&alone, plans, sizes);
        let mut all = priced(candidates::tiles(own));
        let plain = candidates::without_tiles(own);
        let base = priced(vec![plain.clone()]);
        let least = least(&all).unwrap_or(f64::INFINITY);
        let is_hopeful = base.iter().all(|(_, price)| price.seconds < HOPELESS * least);
        all.extend(base);
        if is_hopeful {
            all.extend(priced(candidates::variants(&plain)));
            sort(&mut all);
            let mut shapes = candidates::shapes(&plain);
            if let Some((best, _)) = all.first().filter(|(best, _)| *best != plain) {
                shapes.extend(candidates::shapes(best));
            }
            all.extend(priced(shapes));
        }
        // What takes exactly as long is the same kernel, the steps that differ being for others that do not run.
        let own_price = self.price(number, sizes);
        all.retain(|(_, price)| *price != own_price);
        sort(&mut all);
        all.dedup_by(|(_, a), (_, b)| a == b);
        all
    }

    /// The loops of one construct alone, by its function among the kernels.
    fn alone(&self, func: Op) -> Option<Ir> {
        let name = self.kernels.symbol_name(func)?;
        let mut alone = self.affine.clone();
        let others: Vec<Op> = alone
            .ops(alone.body(self.modules[0], 0))
            .filter(|&op| {
                let nested = alone.nested_ops(op, WalkOrder::PreOrder);
                alone.symbol_name(op) != Some(name)
                    && nested.into_iter().any(|inner| RegionOp::is(&alone, inner))
            })
            .collect();
        others.into_iter().for_each(|op| alone.erase_op(op));
        alone.remove_attr(self.modules[0], TUNING_ATTR);
        Some(alone)
    }

    /// The prices of those plans of a construct that can be followed, in their order.
    fn priced(&self, alone: &Ir, plans: Vec<Plan>, sizes: &Sizes) -> Vec<Priced> {
        let found: Mutex<Vec<(usize, Price)>> = Mutex::default();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(at) else { return };
                if let Some(price) = self.price_of(alone.clone(), plan, sizes) {
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((at, price));
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(plans.len());
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(at, price)| (plans[at].clone(), price)).collect()
    }

    /// What a plan is expected to take; nothing where it is refused.
    fn price_of(&self, mut ir: Ir, plan: &Plan, sizes: &Sizes) -> Option<Price> {
        let module = self.modules[0];
        let texts =
            ["", &(text::header() + &plan.to_string())].map(|text| ir.ctx.string_attr(text));
        let texts = ir.ctx.array_attr(&texts);
        ir.set_attr(module, PLAN_FILE_ATTR, texts);
        let (stage, anchor) = (pipelines::PARALLEL, ir.name(module));
        let mut pipeline = pipelines::pipeline(stage, anchor, self.arch, &self.registry).ok()?;
        let mut manager = PassManager::new();
        manager.skip_verify = true;
        manager.run(&mut ir, module, &mut pipeline).ok()?;
        compile::limit_registers(&mut ir, module, self.arguments);
        let (func, _) =
            passes::all(&ir, module).into_iter().find(|(_, own)| own.key == plan.key)?;
        Some(price(&ir, module, self.arch, func, sizes)).filter(|price| price.seconds > 0.0)
    }
}

/// What the kernels of one construct are expected to take.
fn price(ir: &Ir, module: Op, arch: &Arch, construct: Op, sizes: &Sizes) -> Price {
    let own = forecast::started(ir, module, construct, sizes, arch);
    let mut price = Price::default();
    let own = own.into_iter().map(|kernel| kernel.forecast);
    for Forecast { work, estimate, launches, .. } in own {
        price.seconds += estimate.seconds * launches;
        let blocks = i64::try_from(work.blocks).unwrap_or(i64::MAX);
        price.blocks = price.blocks.max(blocks);
        price.threads = price.threads.max(blocks.saturating_mul(work.threads.into()));
    }
    price
}

fn sort(all: &mut [Priced]) {
    all.sort_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds));
}

fn least(all: &[Priced]) -> Option<f64> {
    all.iter().map(|(_, price)| price.seconds).min_by(f64::total_cmp)
}

/// Searches, and adds what is found, and what there is to say of it, to what a unit's compilation follows.
///
/// # Errors
/// The unit cannot be compiled.
pub fn guide(
    text: &Preprocessed,
    arguments: &Arguments,
    guides: &mut Guides,
) -> Result<(), Failure> {
    let nests = Nests::of(text, arguments, guides)?;
    let mut file = text::header();
    for (number, (func, own)) in nests.own.iter().enumerate() {
        let price = nests.price(number, &arguments.sizes);
        let ranked = nests.ranked(number, &arguments.sizes);
        let us = |price: &Price| format!("{:.1} us", price.seconds * 1e6);
        let better = ranked.first().filter(|(_, best)| best.seconds < WORTH * price.seconds);
        let message = match better {
            Some((plan, best)) => {
                file += &kept(own, plan, best.blocks, best.threads).to_string();
                format!(
                    "Search: {} is expected to take {}, the compiler's own plan {}; {} others were looked at",
                    changes(own, plan),
                    us(best),
                    us(&price),
                    ranked.len()
                )
            }
            None => format!(
                "Search: none of {} other plans is expected to take clearly less than {}",
                ranked.len(),
                us(&price)
            ),
        };
        if arguments.remarks.forecast {
            let place = nests.kernels.ctx.place(nests.kernels.location(*func));
            guides.remarks.push(Diagnostic::remark(message).at_option(place));
        }
    }
    guides.found = Some(Guide { name: "--search".to_owned(), text: file });
    Ok(())
}

/// What a plan has that another has not, and the other way round, in words.
fn changes(own: &Plan, plan: &Plan) -> String {
    let texts = |plan: &Plan| -> Vec<String> {
        plan.steps.iter().map(|placed| placed.step.to_string()).collect()
    };
    let (own, new) = (texts(own), texts(plan));
    let added = new.iter().filter(|step| !own.contains(step)).map(|step| format!("'{step}'"));
    let gone = own.iter().filter(|step| !new.contains(step)).map(|step| format!("no '{step}'"));
    let added: Vec<String> = added.collect();
    match added.is_empty() {
        true => gone.collect::<Vec<_>>().join(", "),
        false => added.join(", "),
    }
}
