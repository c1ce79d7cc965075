//! `begin-plan`, `end-plan` and `print-plan`.
//!
//! `begin-plan` runs ahead of every decision: it names loops ([`names`]), notes the key of each construct, and
//! gives its function the plan that a file has for it, if what the plan was made for is what stands there.
//! `end-plan` runs behind the last decision, and refuses what nobody took.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::llvm;
use gpuc_dialects::offload::{
    PLAN_ATTR, PLAN_FILE_ATTR, PLAN_FOLLOWED_ATTR, PLAN_GIVEN_ATTR, PLAN_HEAD_ATTR, PLAN_KEY_ATTR,
    RegionOp, TUNING_ATTR,
};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use super::given::{self, Given};
use super::key::Key;
use super::step::Unroll;
use super::text::{self, Plan};
use super::{names, record, tuning};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::steps::refusal::Refusal;
use crate::target::target;

gpuc_ir::pass! {
    /// Note what plans belong to, and give constructs the plans of a file.
    BeginPlan = "begin-plan" on "builtin.module" {
        /// The device, which plans are for.
        arch: String = Arch::default_target().name.to_owned(),
        /// A file of plans to follow.
        file: String = String::new(),
    }
}

gpuc_ir::pass! {
    /// Refuse steps of a plan that nobody took.
    EndPlan = "end-plan" on "func.func" {}
}

gpuc_ir::pass! {
    /// Print the plans of constructs, to standard error.
    PrintPlan = "print-plan" on "builtin.module" {}
}

impl Pass for BeginPlan {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let functions: Vec<Op> = constructs(ir, op);
        let mut keys = Vec::new();
        for &func in &functions {
            names::begin(ir, func);
            let key = Key::of(ir, func, arch.name);
            let text = ir.ctx.string_attr(&key.to_string());
            ir.set_attr(func, PLAN_KEY_ATTR, text);
            let none = ir.ctx.array_attr(&[]);
            ir.set_attr(func, PLAN_ATTR, none);
            keys.push((func, key));
        }
        for (file, text) in self.files(ir, op)? {
            for plan in text::parse(&text, &file)? {
                let func = holder(&keys, &plan)?;
                Given::give(ir, func, &plan);
            }
        }
        for (file, text) in take(ir, op, TUNING_ATTR) {
            let (records, damaged) = tuning::parse(&text, &file);
            damaged.into_iter().for_each(|warning| cx.report(warning));
            for (func, key) in &keys {
                if ir.attr(*func, PLAN_GIVEN_ATTR).is_none()
                    && let Some(plan) = tuning::choose(&records, key)
                {
                    Given::give(ir, *func, &plan);
                }
            }
        }
        Ok(())
    }
}

impl BeginPlan {
    /// The plans to follow: the option's file, or the texts that the driver put at the module.
    fn files(&self, ir: &mut Ir, module: Op) -> Result<Vec<(String, String)>, Diagnostic> {
        let put = take(ir, module, PLAN_FILE_ATTR);
        if self.file.is_empty() {
            return Ok(put);
        }
        match std::fs::read_to_string(&self.file) {
            Ok(text) => Ok(vec![(self.file.clone(), text)]),
            Err(error) => Err(Diagnostic::error(format!("cannot read {}: {error}", self.file))
                .code(codes::PLAN_TEXT)),
        }
    }
}

/// The names and the texts of files at a module, which go.
fn take(ir: &mut Ir, module: Op, name: &str) -> Vec<(String, String)> {
    let attr = ir.attr(module, name);
    ir.remove_attr(module, name);
    let texts = attr.and_then(|attr| ir.ctx.array_value(attr)).unwrap_or(&[]);
    let string = |text| ir.ctx.string_value(text).map(str::to_owned);
    let files = texts.chunks_exact(2);
    files.filter_map(|file| Some((string(file[0])?, string(file[1])?))).collect()
}

/// The functions of constructs: those that hold a region.
fn constructs(ir: &Ir, module: Op) -> Vec<Op> {
    let holds = |func: Op| {
        ir.nested_ops(func, WalkOrder::PreOrder).into_iter().any(|op| RegionOp::is(ir, op))
    };
    let all = ir.nested_ops(module, WalkOrder::PreOrder);
    all.into_iter().filter(|&op| FuncOp::is(ir, op) && holds(op)).collect()
}

/// The function that a plan is for.
fn holder(keys: &[(Op, Key)], plan: &Plan) -> Result<Op, Diagnostic> {
    let error = |text: String| Diagnostic::error(text).code(codes::PLAN_KEY).at(plan.place.clone());
    let kernel = plan.key.kernel();
    let Some((func, key)) = keys.iter().find(|(_, key)| key.is_of_same(&plan.key)) else {
        let known: Vec<String> = keys.iter().map(|(_, key)| key.kernel()).collect();
        let error = error(format!("this plan is for '{kernel}', and there is no such construct"));
        let moved = keys.iter().find(|(_, key)| key.nest == plan.key.nest);
        return Err(match (moved, did_you_mean(&kernel, known.iter().map(String::as_str))) {
            (Some((_, key)), _) => error.help(format!(
                "the same nest stands at `{}`: write that name, if it is the one",
                key.kernel()
            )),
            (None, Some(near)) => error.help(format!("did you mean `{near}`?")),
            (None, None) => error.help(format!("constructs are {}", known.join(", "))),
        });
    };
    if key.target != plan.key.target {
        let text =
            format!("this plan is for {}, and the target is {}", plan.key.target, key.target);
        let anew = format!("print it anew with `gpuc --emit=plan --arch={}`", key.target);
        return Err(error(text).help(match Arch::by_name(&plan.key.target) {
            Some(arch) => format!("compile with `--arch={}`, or {anew}", arch.name),
            None => anew,
        }));
    }
    if key.nest != plan.key.nest {
        return Err(error(format!("the nest of '{kernel}' is not the one that this plan was made for"))
            .help(format!("the plan has the hash {:016x}, the nest {:016x}", plan.key.nest, key.nest))
            .help("the source, its options or gpuc have changed; if all steps still fit, write the new hash"));
    }
    Ok(*func)
}

impl Pass for EndPlan {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if let Some(given) = Given::of(ir, op)? {
            for (step, placed) in given.of_kind::<Unroll>() {
                let found = placed.find(ir, op, &step.name)?;
                if !ir.is_sequential_loop(found) {
                    return Err(
                        placed.error(format!("'{}' is no sequential loop by then", step.name))
                    );
                }
                if step.form.split
                    && let Err(rule) = may_split(ir, found)
                {
                    return Err(placed.refused(ir, &Refusal::new("loop-unroll", found, rule)));
                }
                step.form.note(ir, found);
                let annotation = llvm::unroll_by(&mut ir.ctx, step.factor);
                ir.set_attr(found, llvm::LOOP_ANNOTATION, annotation);
                let text = format!("{} rounds in one, as is asked", step.factor);
                let place = ir.ctx.place(ir.location(found));
                cx.report(Diagnostic::remark(text).at_option(place));
                record(ir, op, step);
            }
            given::all_taken(ir, op)?;
            let unit = ir.ctx.unit_attr();
            ir.set_attr(op, PLAN_FOLLOWED_ATTR, unit);
        }
        ir.remove_attr(op, PLAN_GIVEN_ATTR);
        ir.remove_attr(op, PLAN_HEAD_ATTR);
        Ok(())
    }
}

/// Whether the rounds of a loop may be done in another order; else why not.
fn may_split(ir: &Ir, op: Op) -> Result<(), &'static str> {
    if !ir.results(op).is_empty() {
        return Err(
            "rounds in another order would hand on other values: the loop carries some from each to the next",
        );
    }
    let carried = Nest::of_known(ir, op)
        .and_then(|nest| nest.carried(ir, op, Apart::Unknown, Wanted::Any))
        .map_err(|_| "what the loop does is not known")?;
    match carried.dependence {
        None => Ok(()),
        Some(_) => Err("rounds in another order would touch an element in another order"),
    }
}

impl Pass for PrintPlan {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        eprint!("{}", printed(ir, op));
        cx.preserve_all();
        Ok(())
    }
}

/// The plans of all constructs of a module, as the text of a file.
pub fn printed(ir: &Ir, module: Op) -> String {
    let all = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
    let plans: Vec<String> = all.filter_map(|op| record::printed(ir, op)).collect();
    text::header() + &plans.join("\n")
}

/// The plans of all constructs of a module, each with its function.
pub fn all(ir: &Ir, module: Op) -> Vec<(Op, Plan)> {
    let all = ir.nested_ops(module, WalkOrder::PreOrder).into_iter();
    all.filter_map(|func| Some((func, record::of(ir, func)?))).collect()
}

/// Those of them that the compiler made by itself.
pub fn own(ir: &Ir, module: Op) -> Vec<(Op, Plan)> {
    let is_own = |(func, _): &(Op, Plan)| ir.attr(*func, PLAN_FOLLOWED_ATTR).is_none();
    all(ir, module).into_iter().filter(is_own).collect()
}
