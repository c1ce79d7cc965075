//! Pipelines: what they run on, in what order, and which analyses are kept between passes.

use std::cell::RefCell;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::dominance::DominanceInfo;
use gpuc_ir::pass::{Analysis, Pass, PassContext, PassManager, Pipeline, Registry};
use gpuc_ir::text::parse_module;
use gpuc_ir::{Ir, Op};

thread_local! {
    /// What the passes and analyses below did, in order.
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn note(event: String) {
    LOG.with_borrow_mut(|log| log.push(event));
}

/// An analysis that notes when it is computed.
struct Counted;

impl Analysis for Counted {
    fn compute(ir: &Ir, op: Op) -> Self {
        note(format!("compute {}", ir.name(op)));
        Counted
    }
}

gpuc_ir::pass! {
    /// Notes what it runs on.
    Inner = "inner" on "test.inner" {}
}

impl Pass for Inner {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let name = ir.attr(op, "name").and_then(|attr| ir.ctx.string_value(attr));
        note(format!("inner {}", name.unwrap_or("?")));
        cx.preserve_all();
        Ok(())
    }
}

gpuc_ir::pass! {
    /// Asks for the analyses, edits something, and says what it preserves.
    Ask = "ask" {
        /// `all`, `numbered` or nothing.
        preserve: String = String::new(),
        /// Whether it edits nothing.
        idle: bool = false,
    }
}

impl Pass for Ask {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        note("ask".to_owned());
        cx.analysis::<Counted>(ir, op);
        cx.analysis::<Numbered>(ir, op);
        if !self.idle {
            let count = ir.edits() as i64;
            let count = ir.ctx.index_attr(count);
            ir.set_attr(op, "asked", count);
        }
        match &*self.preserve {
            "all" => cx.preserve_all(),
            "numbered" => cx.preserve::<Numbered>(),
            _ => {}
        }
        Ok(())
    }
}

gpuc_ir::pass! {
    /// Notes that it runs; with a name, gives it to what it runs on.
    Settling = "settling" {
        /// The name.
        name: String = String::new(),
    }
}

impl Pass for Settling {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        note(format!("settling{}", self.name));
        if !self.name.is_empty() {
            let name = ir.ctx.string_attr(&self.name);
            ir.set_attr(op, "name", name);
        }
        Ok(())
    }

    fn settles(&self) -> bool {
        self.name.is_empty()
    }
}

/// A second analysis.
struct Numbered;

impl Analysis for Numbered {
    fn compute(ir: &Ir, op: Op) -> Self {
        note(format!("number {}", ir.name(op)));
        Numbered
    }
}

const INPUT: &str = r#"
"test.inner"() {name = "a"} : () -> ()
"test.outer"() ({
  "test.inner"() ({
    "test.inner"() {name = "hidden"} : () -> ()
  }) {name = "b"} : () -> ()
  "test.outer"() ({
    "test.inner"() {name = "c"} : () -> ()
  }) : () -> ()
}) : () -> ()
"#;

/// What happens when a pipeline runs on [`INPUT`], or its error.
fn run(pipeline: &str) -> Result<Vec<String>, String> {
    let mut ir = Ir::new();
    ir.ctx.allow_unregistered = true;
    let module = parse_module(&mut ir, INPUT, "test.mlir").expect("it reads");
    let mut registry = Registry::new();
    registry.add(&[Inner::INFO, Ask::INFO, Settling::INFO]);
    LOG.take();
    let mut pipeline = Pipeline::parse(pipeline, &registry).map_err(|error| error.to_string())?;
    let mut manager = PassManager::new();
    manager.run(&mut ir, module, &mut pipeline).map_err(|failure| failure.errors[0].to_string())?;
    Ok(LOG.take())
}

#[test]
fn a_pass_runs_on_every_operation_of_its_kind() {
    assert_eq!(run("builtin.module(inner)").unwrap(), ["inner a", "inner b", "inner c"]);
    assert_eq!(run("any(inner)").unwrap(), ["inner a", "inner b", "inner c"]);
    assert_eq!(run("builtin.module(test.inner(inner))").unwrap(), ["inner a"]);
    let nested = "builtin.module(test.outer(test.inner(inner)))";
    assert_eq!(run(nested).unwrap(), ["inner b"]);
    assert_eq!(run("builtin.module(test.other(any(inner)))").unwrap(), [""; 0]);
}

#[test]
fn a_pass_in_the_wrong_nest_is_refused() {
    assert_eq!(
        run("builtin.module(test.outer(inner))").unwrap_err(),
        "can't add pass 'inner' restricted to 'test.inner' on a pass manager intended to run on \
         'test.outer', did you intend to nest?"
    );
    assert_eq!(
        run("test.outer(ask)").unwrap_err(),
        "test.mlir:1:1: error: can't run 'test.outer' pass manager on 'builtin.module' op"
    );
    // Built by hand, it is refused when it runs.
    let mut ir = Ir::new();
    ir.ctx.allow_unregistered = true;
    let module = parse_module(&mut ir, INPUT, "test.mlir").expect("it reads");
    let mut nested = Pipeline::new("test.outer");
    nested.add(Inner::INFO);
    let mut pipeline = Pipeline::new("builtin.module");
    pipeline.nest(nested);
    let failure = PassManager::new().run(&mut ir, module, &mut pipeline).unwrap_err();
    assert_eq!(
        failure.errors[0].to_string(),
        "test.mlir:3:1: error: can't run 'inner' on 'test.outer' op: it runs on 'test.inner'"
    );
}

#[test]
fn analyses_are_kept_until_a_pass_drops_them() {
    let (count, number) = ("compute builtin.module", "number builtin.module");
    assert_eq!(
        run("builtin.module(ask{preserve=all},ask)").unwrap(),
        ["ask", count, number, "ask"],
        "all are preserved"
    );
    assert_eq!(
        run("builtin.module(ask,ask)").unwrap(),
        ["ask", count, number, "ask", count, number],
        "none is preserved"
    );
    assert_eq!(
        run("builtin.module(ask{preserve=numbered},ask)").unwrap(),
        ["ask", count, number, "ask", count],
        "one is preserved"
    );
    assert_eq!(
        run("builtin.module(ask{preserve=all},test.outer(ask{preserve=all}),ask)").unwrap(),
        ["ask", count, number, "ask", "compute test.outer", "number test.outer", "ask"],
        "each operation has its own"
    );
    assert_eq!(
        run("builtin.module(ask{idle=true},ask)").unwrap(),
        ["ask", count, number, "ask"],
        "nothing was edited"
    );
}

#[test]
fn what_edited_nothing_is_repeated_once_something_is_edited() {
    let events = |pipeline: &str| run(pipeline).unwrap().join(" ");
    assert_eq!(events("builtin.module(settling,settling,settling)"), "settling");
    // The second name is the first: no edit. Passes that do not settle run each time.
    assert_eq!(
        events("builtin.module(settling,settling{name=A},settling,settling{name=A},settling)"),
        "settling settlingA settling settlingA"
    );
    assert_eq!(
        events("builtin.module(settling,settling{name=A},settling,settling{name=B},settling)"),
        "settling settlingA settling settlingB settling"
    );
    // Each operation for itself.
    assert_eq!(
        events("builtin.module(settling,test.outer(settling),settling)"),
        "settling settling"
    );
}

#[test]
fn another_run_asks_anew() {
    let mut registry = Registry::new();
    registry.add(&[Ask::INFO]);
    let mut manager = PassManager::new();
    for _ in 0..2 {
        let mut ir = Ir::new();
        ir.ctx.allow_unregistered = true;
        let module = parse_module(&mut ir, INPUT, "test.mlir").expect("it reads");
        let mut pipeline =
            Pipeline::parse("builtin.module(ask{preserve=all})", &registry).expect("it reads");
        LOG.take();
        manager.run(&mut ir, module, &mut pipeline).expect("nothing fails");
        assert_eq!(LOG.take().len(), 3, "both are computed");
    }
}

#[test]
fn dominators_of_every_region_with_several_blocks() {
    let mut ir = Ir::new();
    ir.ctx.allow_unregistered = true;
    let text = r#"
      "test.graph"() ({
        "test.branch"()[^left, ^right] : () -> ()
      ^left:
        "test.branch"()[^end] : () -> ()
      ^right:
        "test.branch"()[^end] : () -> ()
      ^end:
        "test.inner"() ({ "test.end"() : () -> () }) : () -> ()
      ^dead:
        "test.branch"()[^end] : () -> ()
      }) : () -> ()
    "#;
    let module = parse_module(&mut ir, text, "test.mlir").expect("it reads");
    let dominance = DominanceInfo::compute(&ir, module);
    let ops = ir.nested_ops(module, gpuc_ir::WalkOrder::PreOrder);
    let of = |name: &str| {
        let op = ops.iter().copied().find(|&op| ir.name(op) == name).expect("it is there");
        ir.region(op, 0)
    };
    let graph = of("test.graph");
    let [entry, left, _, end, dead] = *ir.blocks(graph) else { panic!("five blocks") };
    let known = dominance.of(graph).expect("several blocks");
    assert_eq!(known.immediate(end), Some(entry));
    assert!(known.dominates(entry, end) && !known.dominates(left, end));
    assert!(!known.is_reachable(dead));
    assert!(dominance.of(of("test.inner")).is_none(), "one block");
}
